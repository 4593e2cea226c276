// A limber body as a mesh of three.js: its triangles, looks and textures, and every frame its shape.
import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Mesh, MeshStandardMaterial,
  SRGBColorSpace, Texture } from "three";

function materialOf({ color: [r, g, b], metalness, roughness, picture }) {
  const material = new MeshStandardMaterial({ color: new Color(r, g, b), metalness, roughness });
  if (picture)
    createImageBitmap(new Blob([picture.bytes], { type: picture.type })).then((image) => {
      material.map = Object.assign(new Texture(image), { flipY: false, colorSpace: SRGBColorSpace, needsUpdate: true });
      material.needsUpdate = true;
    });
  return material;
}

export class LimberMesh extends Mesh {
  constructor(body) {
    const geometry = new BufferGeometry(), { parts } = body;
    for (const name of ["position", "normal"])
      geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * body.vertexCount), 3).setUsage(DynamicDrawUsage));
    if (body.uvs) geometry.setAttribute("uv", new BufferAttribute(body.uvs, 2));
    geometry.setIndex(new BufferAttribute(body.triangles, 1));
    parts.forEach(({ start, count }, i) => geometry.addGroup(start, count, i));
    super(geometry, parts.map(materialOf));
    this.body = body;
    this.frustumCulled = false; // its bounds change every frame
    this.update();
  }

  // To be called after the world's step: positions are in the world, so the mesh itself stands still.
  update() {
    const { position, normal } = this.geometry.attributes;
    this.body.positions(position.array);
    this.body.normals(normal.array);
    position.needsUpdate = normal.needsUpdate = true;
  }
}
