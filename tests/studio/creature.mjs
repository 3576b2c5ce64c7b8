// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// A four-legged body of boxes as a GLB, rigged and walking or bare: what the tests of the page open where no limber makes them a better one.

// name, parent, place, half width of the box towards the first child
const kJoints = [
  ["hips", -1, [0, 0.62, -0.32], 0.13],
  ["spine", 0, [0, 0.66, 0], 0.15],
  ["chest", 1, [0, 0.66, 0.3], 0.15],
  ["neck", 2, [0, 0.78, 0.42], 0.07],
  ["head", 3, [0, 0.95, 0.52], 0.09],
  ["nose", 4, [0, 0.92, 0.72], 0.05],
  ...["L", "R"].flatMap((side, s) => {
    const x = s === 0 ? 0.1 : -0.1;
    return [
      [`shoulder.${side}`, 2, [x, 0.58, 0.3], 0.05],
      [`elbow.${side}`, 6 + s * 6, [x, 0.32, 0.28], 0.04],
      [`paw.${side}`, 7 + s * 6, [x, 0.03, 0.31], 0.045],
      [`hip.${side}`, 0, [x, 0.56, -0.32], 0.06],
      [`knee.${side}`, 9 + s * 6, [x, 0.31, -0.28], 0.04],
      [`toe.${side}`, 10 + s * 6, [x, 0.03, -0.34], 0.045],
    ];
  }),
  ["tail.1", 0, [0, 0.64, -0.46], 0.03],
  ["tail.2", 18, [0, 0.74, -0.66], 0.03],
];

export const kJointNames = kJoints.map(([name]) => name);
export const kParents = kJoints.map(([, parent]) => parent);

const subtract = (a, b) => a.map((x, k) => x - b[k]);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => a.map((x) => x / (Math.hypot(...a) || 1));

/** The corners of a box from one joint to another, a face at a time. */
function box(from, to, half, into, joint) {
  const along = unit(subtract(to, from));
  const side = unit(cross(along, Math.abs(along[1]) > 0.9 ? [0, 0, 1] : [0, 1, 0]));
  const up = cross(side, along);
  const corner = (a, s, u) =>
    from.map((x, k) => (a > 0 ? to[k] : x) + (side[k] * s + up[k] * u) * half + along[k] * a * half * 0.4);
  const faces = [
    [
      along,
      [
        [1, -1, -1],
        [1, -1, 1],
        [1, 1, 1],
        [1, 1, -1],
      ],
    ],
    [
      along.map((x) => -x),
      [
        [-1, -1, 1],
        [-1, -1, -1],
        [-1, 1, -1],
        [-1, 1, 1],
      ],
    ],
    [
      side,
      [
        [-1, 1, 1],
        [-1, 1, -1],
        [1, 1, -1],
        [1, 1, 1],
      ],
    ],
    [
      side.map((x) => -x),
      [
        [1, -1, 1],
        [1, -1, -1],
        [-1, -1, -1],
        [-1, -1, 1],
      ],
    ],
    [
      up,
      [
        [-1, -1, 1],
        [-1, 1, 1],
        [1, 1, 1],
        [1, -1, 1],
      ],
    ],
    [
      up.map((x) => -x),
      [
        [1, -1, -1],
        [1, 1, -1],
        [-1, 1, -1],
        [-1, -1, -1],
      ],
    ],
  ];
  for (const [normal, corners] of faces) {
    const first = into.positions.length / 3;
    for (const c of corners) {
      into.positions.push(...corner(...c));
      into.normals.push(...normal);
      into.joints.push(joint, 0, 0, 0);
      into.weights.push(1, 0, 0, 0);
    }
    into.indices.push(first, first + 1, first + 2, first, first + 2, first + 3);
  }
}

function geometry() {
  const into = { positions: [], normals: [], joints: [], weights: [], indices: [] };
  kJoints.forEach(([, parent, place, half], j) => {
    if (parent >= 0) box(kJoints[parent][2], place, Math.min(half, kJoints[parent][3]), into, parent);
    if (!kParents.includes(j))
      box(
        place,
        place.map((x, k) => x + [0, -0.01, 0.04][k]),
        half,
        into,
        j,
      );
  });
  return into;
}

/** Adds arrays to one buffer, and an accessor for each. */
class Buffers {
  chunks = [];
  bufferViews = [];
  accessors = [];
  length = 0;

  add(array, type, componentType, bounds = false) {
    const size = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 }[type];
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
    this.bufferViews.push({ buffer: 0, byteOffset: this.length, byteLength: bytes.length });
    this.chunks.push(padded);
    this.length += padded.length;
    const accessor = { bufferView: this.bufferViews.length - 1, componentType, count: array.length / size, type };
    if (bounds) {
      const column = (k) => Array.from(array).filter((_, i) => i % size === k);
      accessor.min = [...Array(size).keys()].map((k) => Math.min(...column(k)));
      accessor.max = [...Array(size).keys()].map((k) => Math.max(...column(k)));
    }
    return this.accessors.push(accessor) - 1;
  }
}

function walk(buffers, firstNode, way) {
  const frames = 25;
  const times = buffers.add(
    Float32Array.from({ length: frames }, (_, i) => i / 24),
    "SCALAR",
    5126,
    true,
  );
  const samplers = [];
  const channels = [];
  const add = (joint, path, values, type) => {
    samplers.push({ input: times, output: buffers.add(values, type, 5126) });
    channels.push({ sampler: samplers.length - 1, target: { node: firstNode + joint, path } });
  };
  const swing = (joint, amplitude, phase) => {
    const values = new Float32Array(frames * 4);
    for (let i = 0; i < frames; ++i) {
      const angle = amplitude * Math.sin((2 * Math.PI * i) / (frames - 1) + phase);
      values.set([Math.sin(angle / 2), 0, 0, Math.cos(angle / 2)], i * 4);
    }
    add(joint, "rotation", values, "VEC4");
  };
  for (const [name, amplitude, phase] of [
    ["shoulder.L", 0.45, 0],
    ["shoulder.R", 0.45, Math.PI],
    ["hip.L", 0.45, Math.PI],
    ["hip.R", 0.45, 0],
    ["elbow.L", 0.3, 1],
    ["elbow.R", 0.3, 4.1],
    ["knee.L", 0.3, 4.1],
    ["knee.R", 0.3, 1],
    ["neck", 0.08, 0],
    ["tail.1", 0.2, 2],
  ])
    swing(kJointNames.indexOf(name), amplitude, phase);
  const travel = new Float32Array(frames * 3);
  for (let i = 0; i < frames; ++i)
    travel.set(
      [0, kJoints[0][2][1] + 0.01 * Math.cos((4 * Math.PI * i) / (frames - 1)), kJoints[0][2][2] + (way * i) / (frames - 1)],
      i * 3,
    );
  add(0, "translation", travel, "VEC3");
  return { name: "walk", samplers, channels };
}

/** `way` is how far the clip goes; with `zUp` the file stands along +z and looks along -y. */
export function creature({ rigged = true, clip = rigged, clipName = "walk", color = [0.72, 0.45, 0.26, 1], way = 0.5, zUp = false } = {}) {
  const mesh = geometry();
  const buffers = new Buffers();
  const attributes = {
    POSITION: buffers.add(Float32Array.from(mesh.positions), "VEC3", 5126, true),
    NORMAL: buffers.add(Float32Array.from(mesh.normals), "VEC3", 5126),
  };
  const gltf = {
    asset: { version: "2.0", generator: "limber's tests" },
    scene: 0,
    scenes: [{ nodes: rigged ? [0, 1] : [0] }],
    nodes: [{ name: "creature", mesh: 0 }],
    materials: [{ pbrMetallicRoughness: { baseColorFactor: color, metallicFactor: 0, roughnessFactor: 0.7 } }],
  };
  if (rigged) {
    attributes.JOINTS_0 = buffers.add(Uint8Array.from(mesh.joints), "VEC4", 5121);
    attributes.WEIGHTS_0 = buffers.add(Float32Array.from(mesh.weights), "VEC4", 5126);
    kJoints.forEach(([name, parent, place], j) => {
      const children = kParents.map((p, c) => (p === j ? c + 1 : -1)).filter((c) => c >= 0);
      gltf.nodes.push({
        name,
        translation: parent < 0 ? place : subtract(place, kJoints[parent][2]),
        ...(children.length > 0 ? { children } : {}),
      });
    });
    const inverse = new Float32Array(kJoints.length * 16);
    kJoints.forEach(([, , p], j) => inverse.set([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -p[0], -p[1], -p[2], 1], j * 16));
    gltf.skins = [{ joints: kJoints.map((_, j) => j + 1), inverseBindMatrices: buffers.add(inverse, "MAT4", 5126) }];
    gltf.nodes[0].skin = 0;
    if (clip) gltf.animations = [{ ...walk(buffers, 1, way), name: clipName }];
  }
  if (zUp) {
    gltf.nodes.push({ name: "turned", rotation: [Math.SQRT1_2, 0, 0, Math.SQRT1_2], children: gltf.scenes[0].nodes });
    gltf.scenes[0].nodes = [gltf.nodes.length - 1];
  }
  gltf.meshes = [
    { primitives: [{ attributes, indices: buffers.add(Uint16Array.from(mesh.indices), "SCALAR", 5123), material: 0 }] },
  ];
  gltf.bufferViews = buffers.bufferViews;
  gltf.accessors = buffers.accessors;
  gltf.buffers = [{ byteLength: buffers.length }];
  return pack(gltf, Buffer.concat(buffers.chunks));
}

function pack(gltf, binary) {
  let json = Buffer.from(JSON.stringify(gltf));
  json = Buffer.concat([json, Buffer.alloc((4 - (json.length % 4)) % 4, " ")]);
  const head = Buffer.alloc(20);
  head.write("glTF", 0);
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(28 + json.length + binary.length, 8);
  head.writeUInt32LE(json.length, 12);
  head.write("JSON", 16);
  const chunk = Buffer.alloc(8);
  chunk.writeUInt32LE(binary.length, 0);
  chunk.write("BIN\0", 4);
  return Buffer.concat([head, json, chunk, binary]);
}
