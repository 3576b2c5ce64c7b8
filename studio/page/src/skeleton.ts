// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The joints of a body as plain numbers: forward kinematics that solver, mirror and overlays share.
import { Matrix4, Quaternion, Vector3 } from "three";
import type { Pose } from "./api";

export interface Joint {
  name: string;
  parent: number; // -1: a root; otherwise smaller than the joint's own index
  between: Matrix4; // from the node of the parent joint (of a root: from the world) to the node above this one
  translation: Vector3; // local, at rest; that of joint 0 is replaced by the pose's
  scale: Vector3;
}

export interface Skeleton {
  joints: Joint[];
  rest: Pose;
  size: number; // of the body, for tolerances
}

export interface WorldPose {
  matrices: Matrix4[];
  positions: Vector3[];
  rotations: Quaternion[];
}

export function clonePose(pose: Pose): Pose {
  return { rotations: pose.rotations.map((q) => q.slice()), root: pose.root.slice() };
}

export function quaternionOf(q: readonly number[]): Quaternion {
  return new Quaternion(q[0], q[1], q[2], q[3]).normalize();
}

/** Where the joints are in the world; `aboveOf` are the nodes that the local rotations turn against. */
export function worldPose(skeleton: Skeleton, pose: Pose): WorldPose & { aboveOf: Quaternion[] } {
  const matrices: Matrix4[] = [];
  const positions: Vector3[] = [];
  const rotations: Quaternion[] = [];
  const aboveOf: Quaternion[] = [];
  const scale = new Vector3();
  skeleton.joints.forEach((joint, j) => {
    const above = joint.parent < 0 ? joint.between.clone() : matrices[joint.parent]!.clone().multiply(joint.between);
    const translation = j === 0 ? new Vector3().fromArray(pose.root) : joint.translation;
    const local = new Matrix4().compose(translation, quaternionOf(pose.rotations[j]!), joint.scale);
    const rotationAbove = new Quaternion();
    above.decompose(new Vector3(), rotationAbove, scale);
    aboveOf.push(rotationAbove);
    const world = above.multiply(local);
    matrices.push(world);
    positions.push(new Vector3().setFromMatrixPosition(world));
    rotations.push(rotationAbove.clone().multiply(quaternionOf(pose.rotations[j]!)));
  });
  return { matrices, positions, rotations, aboveOf };
}

export function childrenOf(skeleton: Skeleton): number[][] {
  const children: number[][] = skeleton.joints.map(() => []);
  skeleton.joints.forEach((joint, j) => {
    if (joint.parent >= 0) children[joint.parent]!.push(j);
  });
  return children;
}

export function isAncestor(skeleton: Skeleton, ancestor: number, joint: number): boolean {
  for (let j = skeleton.joints[joint]!.parent; j >= 0; j = skeleton.joints[j]!.parent) if (j === ancestor) return true;
  return false;
}

/** A joint and all below it. */
export function subtree(skeleton: Skeleton, joint: number): number[] {
  return skeleton.joints.map((_, j) => j).filter((j) => j === joint || isAncestor(skeleton, joint, j));
}

/** The limb a joint belongs to: up to where the body branches, and all below. */
export function limbOf(skeleton: Skeleton, joint: number): number[] {
  const children = childrenOf(skeleton);
  let top = joint;
  for (let p = skeleton.joints[top]!.parent; p >= 0 && children[p]!.length === 1; p = skeleton.joints[p]!.parent) top = p;
  return subtree(skeleton, top);
}
