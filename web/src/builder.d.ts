// Types of limber/build (builder.mjs): from a mesh to a model.

export interface MeshFile { name: string; bytes: Uint8Array }

/** What is left out is chosen as `limber build` chooses it. */
export interface BuildOptions {
  /** Bricks along the longest side; default 24. */
  cells?: number;
  /** That the surface is drawn with, at most; all of them are voxelised. Default: all. */
  triangles?: number;
  method?: "subspace" | "modal" | "warp" | "frames";
  /** Vectors of the subspace; default 30. */
  dimension?: number;
  /** Modes that are computed; default 20. */
  modes?: number;
  /** Its law: "stvk" (the default), "linear", "corotated", "neohookean", "stable_neohookean". */
  material?: string;
  /** Pa; default: such that the first frequency is 3 Hz. */
  young?: number;
  poisson?: number;
  /** kg/m³. */
  density?: number;
  /** Hz, of the first mode, in place of `young`. */
  frequency?: number;
  /** Nothing is held; default: the lowest part along up is. */
  free?: boolean;
  /** Default: y of OBJ and glTF, z of others. */
  up?: "y" | "z";
  /** Compared with the full simulator; default true. */
  check?: boolean;
}
export interface Built {
  /** The model file, a .glb: to rounding what `limber build` with the engine `own` writes. */
  bytes: Uint8Array;
  report: {
    method: string; up: string; cells: number; nodes: number; bricks: number; triangles: number;
    dimension: number; fixed: number; young: number; mass: number; seconds: Record<string, number>;
  };
  /** What the reader found strange, as missing pictures. */
  remarks: string[];
}
/**
 * The mesh first (OBJ, STL, PLY, OFF, glTF), then files that it names. Runs in a worker of its own;
 * in Node, which has no such workers, in place.
 */
export function build(files: MeshFile[], options?: BuildOptions, hooks?: {
  progress?: (stage: string, fraction: number) => void;
  /** Stops it at once. */
  signal?: AbortSignal;
}): Promise<Built>;
export const MESHES: string[];
export const COMPANIONS: string[];
export function meshAmong<File extends { name: string }>(files: File[]): File[] | null;
