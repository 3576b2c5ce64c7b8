// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Left becomes right. Works on turns away from the rest pose in the world, so the local axes of the joints do not matter.
import { Quaternion, Vector3 } from "three";
import type { Pose } from "./api";
import { clonePose, quaternionOf, worldPose, type Skeleton } from "./skeleton";

const kSwaps: [RegExp, (match: string) => string][] = [
  [/left|right/i, (m) => matchCase(m, /^l/i.test(m) ? "right" : "left")],
  [/(^|[._\-\s:])([lr])(?=$|[._\-\s\d])/i, (m) => m.replace(/[lr]/i, (c) => ({ l: "r", r: "l", L: "R", R: "L" })[c]!)],
];

function matchCase(like: string, word: string): string {
  if (like === like.toUpperCase()) return word.toUpperCase();
  return /^[A-Z]/.test(like) ? word[0]!.toUpperCase() + word.slice(1) : word;
}

/** The name of the joint on the other side, or the name itself. */
export function mirrorName(name: string): string {
  for (const [pattern, swap] of kSwaps) if (pattern.test(name)) return name.replace(pattern, swap);
  return name;
}

/** For every joint the one on the other side; a joint in the middle is its own. */
export function mirrorPairs(names: readonly string[]): number[] {
  const index = new Map(names.map((name, j) => [name, j]));
  return names.map((name, j) => index.get(mirrorName(name)) ?? j);
}

function reflect(v: Vector3, normal: Vector3): Vector3 {
  return v.addScaledVector(normal, -2 * v.dot(normal));
}

/** A turn as a mirror shows it: about the reflected axis, the other way round. */
function reflectTurn(q: Quaternion, normal: Vector3): Quaternion {
  const axis = reflect(new Vector3(q.x, q.y, q.z), normal).negate();
  return new Quaternion(axis.x, axis.y, axis.z, q.w);
}

/**
 * The pose in a mirror that stands through the root at rest; `side` points to one side of the body. With `only`, those joints take the mirrored
 * turn of their partners and all others stay as they are.
 */
export function mirrorPose(skeleton: Skeleton, pose: Pose, side: Vector3, only: readonly number[] | null = null): Pose {
  const normal = side.clone().normalize();
  const rest = worldPose(skeleton, skeleton.rest);
  const world = worldPose(skeleton, pose);
  const partner = mirrorPairs(skeleton.joints.map((joint) => joint.name));
  const result = clonePose(pose);
  const chosen = only === null ? null : new Set(only);
  skeleton.joints.forEach((_, j) => {
    if (chosen && !chosen.has(j)) return;
    const k = partner[j]!;
    const turn = world.rotations[k]!.clone().multiply(rest.rotations[k]!.clone().invert());
    const wanted = reflectTurn(turn, normal).multiply(rest.rotations[j]!);
    // Joints above are done: parents come first.
    const above = worldPose(skeleton, result).aboveOf[j]!;
    result.rotations[j] = above.clone().invert().multiply(wanted).normalize().toArray() as number[];
  });
  if (!chosen || chosen.has(0)) {
    const between = skeleton.joints[0]!.between;
    const offset = world.positions[0]!.clone().sub(rest.positions[0]!);
    const position = rest.positions[0]!.clone().add(reflect(offset, normal));
    result.root = position.applyMatrix4(between.clone().invert()).toArray();
  }
  return result;
}

/** The angle between two turns, in radians. */
export function angleBetween(a: readonly number[], b: readonly number[]): number {
  return quaternionOf(a).angleTo(quaternionOf(b));
}
