// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Where three.js has the vertices of a GLB at some times of a clip, as JSON: a list of positions per time, in the order
// of the file's nodes and their primitives.
// node three_vertices.mjs MODEL CLIP TIME...
import { readFileSync } from "node:fs";

globalThis.self = globalThis; // the loader expects a browser
const { AnimationMixer, Vector3 } = await import("three");
const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");

// Without materials: pictures need a browser to decode them, and vertices do not.
function withoutMaterials(glb) {
  const jsonLength = glb.readUInt32LE(12);
  const document = JSON.parse(glb.toString("utf8", 20, 20 + jsonLength));
  for (const key of ["materials", "textures", "images", "samplers"]) delete document[key];
  for (const mesh of document.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
  let text = JSON.stringify(document);
  text += " ".repeat((4 - (Buffer.byteLength(text) % 4)) % 4);
  const json = Buffer.from(text);
  const rest = glb.subarray(20 + jsonLength);
  const head = Buffer.alloc(20);
  glb.copy(head, 0, 0, 20);
  head.writeUInt32LE(20 + json.length + rest.length, 8);
  head.writeUInt32LE(json.length, 12);
  return Buffer.concat([head, json, rest]);
}

function meshesInFileOrder(gltf) {
  const found = [];
  gltf.scene.traverse((object) => {
    if (!object.isMesh) return;
    const of = (thing) => gltf.parser.associations.get(thing) ?? {};
    // A mesh of several primitives is a group, which has the node.
    const node = of(object).nodes ?? of(object.parent).nodes;
    found.push({ object, node, primitive: of(object).primitives ?? 0 });
  });
  return found.sort((a, b) => a.node - b.node || a.primitive - b.primitive).map((f) => f.object);
}

const [model, clipName, ...times] = process.argv.slice(2);
const glb = withoutMaterials(readFileSync(model));
const bytes = glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.byteLength);
const gltf = await new GLTFLoader().parseAsync(bytes, "");
const clip = gltf.animations.find((c) => c.name === clipName);
const mixer = new AnimationMixer(gltf.scene);
const action = mixer.clipAction(clip);
action.clampWhenFinished = true;
action.play();
const meshes = meshesInFileOrder(gltf);
const poses = times.map((time) => {
  // A hair before the end, where an action would start again.
  mixer.setTime(Math.min(Number(time), clip.duration * (1 - 1e-7)));
  gltf.scene.updateMatrixWorld(true);
  const points = [];
  for (const mesh of meshes) {
    mesh.skeleton?.update();
    const p = new Vector3();
    for (let v = 0; v < mesh.geometry.attributes.position.count; ++v) {
      mesh.getVertexPosition(v, p).applyMatrix4(mesh.matrixWorld);
      points.push([p.x, p.y, p.z]);
    }
  }
  return points;
});
console.log(JSON.stringify(poses));
