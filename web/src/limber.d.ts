// Types of the module (limber.mjs). Lengths are metres, times seconds, forces newtons; vectors are in
// world axes, rotations are quaternions [x, y, z, w].

export type Vector = ArrayLike<number>; // 3 finite numbers
export type Rotation = ArrayLike<number>; // 4 finite numbers

export interface LoadOptions {
  /** Address or bytes of limber-page.wasm; default: beside the module. */
  wasm?: string | URL | ArrayBuffer | ArrayBufferView;
}
/** Compiles the engine. Each call gives an engine with memory of its own. */
export function load(options?: LoadOptions): Promise<Limber>;

/** Bytes of a file that may be packed by gzip, unpacked. */
export function unpack(bytes: Uint8Array): Promise<Uint8Array>;

/** What the engine refuses, in its own words. */
export class LimberError extends Error {}

/** How a surface touches others. Default: the world's value. */
export interface ContactMaterial {
  /** Coulomb's μ; of a world 0.5. A pair has the geometric mean of both. */
  friction?: number;
  /** m/N: a contact that pushes with f N may overlap by compliance × f; of a world 0. A pair has the sum. */
  compliance?: number;
  /** 0 to 1: the share of the approach speed that contacts separate with; of a world 0. A pair has the larger. */
  restitution?: number;
  /** m: a contact that pushes with f N resists rolling by up to rollingFriction × f; of a world 0. A pair has the
   * geometric mean. */
  rollingFriction?: number;
}

/** What bodies and colliders have that have no contact material of their own, and more. */
export interface WorldOptions extends ContactMaterial {
  /** m/s². Default: of a scene its own; of a model 9.81 against its up; of limber.world() none. */
  gravity?: Vector;
  /** Bodies touch each other and colliders; default false. A scene has its own. */
  contact?: boolean;
  /** Equal parts that each step is taken in, 1 to 1000; default 1. */
  substeps?: number;
}
export interface OpenOptions extends WorldOptions {
  /** For messages; default "file". */
  name?: string;
}
export interface FetchOptions extends OpenOptions {
  /** Hears the share that has come, 0 to 1. */
  progress?: (share: number) => void;
}

export interface Limber {
  /** A world from the bytes of a model (limber build) or a scene (limber cook), not packed. */
  open(bytes: Uint8Array, options?: OpenOptions): World;
  /** The same from an address; the file may be packed by gzip. */
  fetch(url: string | URL, options?: FetchOptions): Promise<World>;
  /** An empty world, for world.add. */
  world(options?: WorldOptions): World;
}

/** What a step tells, or-ed. */
export const StepFlag: Readonly<{
  NOT_CONVERGED: 1; NONFINITE: 2; SHIFTED: 4; REFUSED: 8; STUCK: 16; ADAPTED: 32; JUMPED: 64;
  RECOVERING: 128; CONTACTS_DROPPED: 256;
}>;

export interface TouchEvent { time: number; bodies: [Body, Body | null]; collider: Collider | null }
export interface ErrorEvent { time: number; flags: number; message: string }

export interface Contact {
  /** The second is null where it is a collider. */
  bodies: [Body, Body | null];
  /** Null also for colliders that came with a scene. */
  collider: Collider | null;
  point: number[];
  /** Unit, from the second to the first. */
  normal: number[];
  /** N, on the first: the mean over the last step. */
  force: number[];
  /** m; below 0: they overlap. */
  gap: number;
  sliding: boolean;
}

/** A place on a body. */
export interface Hit {
  body: Body;
  position: number[];
  /** Along the ray, in lengths of its direction. */
  distance: number;
  /** Of the model's surface, and the weights of its three corners. */
  triangle: number;
  weights: number[];
}

export interface BodyOptions extends ContactMaterial {
  position?: Vector;
  rotation?: Rotation;
  velocity?: Vector;
  angularVelocity?: Vector;
  /** Default: the best that the model has. */
  method?: "subspace" | "modal" | "warp" | "frames" | "recorded";
  name?: string;
}
export interface ColliderOptions extends ContactMaterial {
  /** A plane is all that lies below z = 0 of its own axes; a capsule lies along its own z. */
  shape: "plane" | "sphere" | "box" | "capsule";
  /** Sphere, capsule; default 0.5. */
  radius?: number;
  /** Box: full extents; capsule: the third is the distance of its two centres. */
  size?: Vector;
  position?: Vector;
  rotation?: Rotation;
  /** Bodies pass through it; it tells "begin" and "end". Default false. */
  sensor?: boolean;
}

export class World {
  private constructor();
  /** Those that are in it. */
  readonly bodies: Body[];
  /** The body of a model, put into this world. */
  add(bytes: Uint8Array, options?: BodyOptions): Body;
  readonly time: number;
  gravity: Vector;
  /** Goes on by dt seconds and calls listeners; returns StepFlags, or-ed. */
  step(dt: number): number;
  /** What touches after the last step. */
  readonly contacts: Contact[];
  /** Returns a function that ends it. */
  on(kind: "begin" | "end", listener: (event: TouchEvent) => void): () => void;
  on(kind: "error", listener: (event: ErrorEvent) => void): () => void;
  /** The first place of any surface that a ray hits. */
  pick(origin: Vector, direction: Vector): Hit | null;
  addCollider(options: ColliderOptions): Collider;
  /** Time, gravity and the states of all bodies. */
  save(): Uint8Array;
  /** Goes on from there, to the last bit, in a world with the same bodies. */
  restore(bytes: Uint8Array): void;
  /** Gives back all memory; bodies, hands and colliders are of no use any more. */
  dispose(): void;
}

export interface Part {
  /** Of `triangles`: the first entry and how many, three a triangle. */
  start: number;
  count: number;
  name: string;
  /** Linear RGBA. */
  color: [number, number, number, number];
  metalness: number;
  roughness: number;
  /** Of the base colour, as in the file. */
  picture: { type: string; bytes: Uint8Array } | null;
}

export class Body {
  private constructor();
  readonly name: string;
  readonly method: string;
  /** Reduced coordinates. */
  readonly dimension: number;
  /** Moves about, rather than being held. */
  readonly free: boolean;
  /** Which axis of its model is up. */
  readonly up: "y" | "z";
  /** kg. */
  readonly mass: number;
  readonly removed: boolean;
  readonly vertexCount: number;
  /** Three vertices a triangle, counter-clockwise from outside. One copy for good. */
  readonly triangles: Uint32Array;
  /** Two a vertex, glTF's convention. One copy for good. */
  readonly uvs: Float32Array | null;
  /** Triangles that look alike. Pictures are copied at each call. */
  readonly parts: Part[];
  /**
   * Where the vertices are now, x, y, z of each. Written into `target` and returned; without one, a
   * view into the engine's memory is returned that holds until the next call of anything here.
   */
  positions(target?: Float32Array): Float32Array;
  /** Unit normals; likewise. */
  normals(target?: Float32Array): Float32Array;
  /** Its frame, energies (J), and how far it is from trained poses (1: the farthest; 0: not known). */
  readonly state: {
    position: number[]; rotation: number[]; velocity: number[]; angularVelocity: number[];
    kinetic: number; elastic: number; poseDistance: number;
  };
  /** A spring to a place; stiffness in N/m (default: follows closely), damping in N s/m. */
  grab(hit: Hit, options?: { stiffness?: number; damping?: number }): Hand;
  /** A force (N) over the next step. */
  push(hit: Pick<Hit, "triangle" | "weights">, force: Vector): void;
  /** An impulse (N s) at once. */
  strike(hit: Pick<Hit, "triangle" | "weights">, impulse: Vector): void;
  /** Pa, a ratio, kg/m³; of models that can (limber build --editable). */
  setMaterial(material: { young: number; poisson: number; density: number }, index?: number): void;
  remove(): void;
}

export class Hand {
  private constructor();
  readonly body: Body;
  /** Where it pulls the place to. */
  move(position: Vector): void;
  /** N, on the body in the last step. */
  readonly force: number[];
  release(): void;
}

export class Collider {
  private constructor();
  /** Whether bodies pass through it. */
  readonly sensor: boolean;
  /** Those that overlap it now. */
  readonly bodies: Body[];
  /** Where it is at the end of the next step; it goes there in its course. */
  move(position: Vector, rotation?: Rotation): void;
  remove(): void;
}
