// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// A stick figure for the tests: hips, spine with two arms, two legs; 2 units high, local axes turned to and fro.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { Skeleton } from "./skeleton";

const kJoints: [name: string, parent: number, x: number, y: number, z: number][] = [
  ["hips", -1, 0, 1, 0],
  ["spine", 0, 0, 1.25, 0],
  ["chest", 1, 0, 1.5, 0],
  ["head", 2, 0, 1.9, 0],
  ["upperarm.L", 2, 0.2, 1.5, 0],
  ["elbow.L", 4, 0.5, 1.5, -0.02],
  ["hand.L", 5, 0.8, 1.5, 0],
  ["upperarm.R", 2, -0.2, 1.5, 0],
  ["elbow.R", 7, -0.5, 1.5, -0.02],
  ["hand.R", 8, -0.8, 1.5, 0],
  ["thigh.L", 0, 0.1, 0.95, 0],
  ["knee.L", 10, 0.1, 0.5, 0.02],
  ["foot.L", 11, 0.1, 0.05, 0],
  ["thigh.R", 0, -0.1, 0.95, 0],
  ["knee.R", 13, -0.1, 0.5, 0.02],
  ["foot.R", 14, -0.1, 0.05, 0],
];

/** `scale` is that of a node above the root, as files in centimetres have it. */
export function stickFigure(scale = 1): Skeleton {
  const above = new Matrix4().makeScale(scale, scale, scale);
  const worldRotation = (j: number): Quaternion =>
    new Quaternion().setFromAxisAngle(new Vector3(1, j % 3, j % 2).normalize(), 0.4 * (j % 5));
  const rotations: number[][] = [];
  const joints = kJoints.map(([name, parent, x, y, z], j) => {
    const position = new Vector3(x, y, z);
    let translation = position.clone();
    let local = worldRotation(j);
    if (parent >= 0) {
      const [, , px, py, pz] = kJoints[parent]!;
      const inverse = worldRotation(parent).invert();
      translation = position.sub(new Vector3(px, py, pz)).applyQuaternion(inverse);
      local = inverse.multiply(local);
    }
    rotations.push(local.toArray() as number[]);
    return { name, parent, between: parent < 0 ? above : new Matrix4(), translation, scale: new Vector3(1, 1, 1) };
  });
  return { joints, rest: { rotations, root: joints[0]!.translation.toArray() }, size: 2 * scale };
}

export function jointIndex(skeleton: Skeleton, name: string): number {
  return skeleton.joints.findIndex((joint) => joint.name === name);
}
