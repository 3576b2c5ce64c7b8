// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Damped least squares: brings joints to targets by small turns of the joints above them. It answers within the time of a
// frame while the mouse moves; the server's pose space has the last word.
//   Buss, Introduction to inverse kinematics with Jacobian transpose, pseudoinverse and damped least squares methods, 2004
import { Quaternion, Vector3 } from "three";
import type { Pose } from "./api";
import { childrenOf, clonePose, isAncestor, quaternionOf, worldPose, type Skeleton } from "./skeleton";

export interface Target {
  joint: number;
  position: Vector3;
  weight?: number;
}
export interface Movable {
  joints: number[];
  root: boolean;
}
export interface SolverSettings {
  iterations?: number; // at most
  damping?: number; // of the body's size; larger is calmer
  maxTurn?: number; // radians a joint may turn in one iteration
  tolerance?: number; // of the body's size
}

/** Which joints a drag moves: those between the dragged joint and where the body branches, and the limbs that must hold pins. */
export function movableFor(skeleton: Skeleton, dragged: number, pinned: readonly number[]): Movable {
  const children = childrenOf(skeleton);
  const chain = (joint: number): number[] => {
    const above: number[] = [];
    for (let j = skeleton.joints[joint]!.parent; j >= 0; j = skeleton.joints[j]!.parent) {
      if (above.length >= 2 && children[j]!.length > 1) break;
      above.push(j);
    }
    return above;
  };
  const own = chain(dragged);
  const root = own.length === 0;
  const joints = new Set(own);
  for (const pin of pinned) {
    const affected = root || own.some((j) => isAncestor(skeleton, j, pin));
    if (affected && pin !== dragged) for (const j of chain(pin)) if (j !== dragged || !root) joints.add(j);
  }
  return { joints: [...joints].sort((a, b) => a - b), root };
}

/** Solves A x = b for a symmetric positive definite A, row by row in one array; A is overwritten by its Cholesky factor. */
export function solveSymmetric(a: Float64Array, b: Float64Array): Float64Array {
  const n = b.length;
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j <= i; ++j) {
      let sum = a[i * n + j]!;
      for (let k = 0; k < j; ++k) sum -= a[i * n + k]! * a[j * n + k]!;
      a[i * n + j] = i === j ? Math.sqrt(Math.max(sum, 1e-300)) : sum / a[j * n + j]!;
    }
  }
  const x = Float64Array.from(b);
  for (let i = 0; i < n; ++i) {
    for (let k = 0; k < i; ++k) x[i] = x[i]! - a[i * n + k]! * x[k]!;
    x[i] = x[i]! / a[i * n + i]!;
  }
  for (let i = n - 1; i >= 0; --i) {
    for (let k = i + 1; k < n; ++k) x[i] = x[i]! - a[k * n + i]! * x[k]!;
    x[i] = x[i]! / a[i * n + i]!;
  }
  return x;
}

/**
 * Derivatives of the targets' joints, three rows a target, by turns about the world's axes of the movable joints and, last, by the root's
 * translation, in units of the body's size.
 */
export function jacobian(
  skeleton: Skeleton,
  positions: readonly Vector3[],
  targets: readonly Target[],
  movable: Movable,
): Float64Array {
  const columns = movable.joints.length * 3 + (movable.root ? 3 : 0);
  const result = new Float64Array(targets.length * 3 * columns);
  const arm = new Vector3();
  targets.forEach((target, t) => {
    const put = (row: number, column: number, value: number): void => {
      result[(t * 3 + row) * columns + column] = value;
    };
    movable.joints.forEach((joint, m) => {
      if (!isAncestor(skeleton, joint, target.joint)) return;
      arm.subVectors(positions[target.joint]!, positions[joint]!).divideScalar(skeleton.size);
      // The columns are x, y and z axis, each crossed with the arm.
      put(1, m * 3, -arm.z);
      put(2, m * 3, arm.y);
      put(0, m * 3 + 1, arm.z);
      put(2, m * 3 + 1, -arm.x);
      put(0, m * 3 + 2, -arm.y);
      put(1, m * 3 + 2, arm.x);
    });
    if (movable.root) for (let k = 0; k < 3; ++k) put(k, columns - 3 + k, 1);
  });
  return result;
}

/** Turns and a shift that bring the targets nearer: Jᵀ (J Jᵀ + λ²)⁻¹ e. */
function dampedStep(j: Float64Array, error: Float64Array, damping: number): Float64Array {
  const rows = error.length;
  const columns = j.length / rows;
  const gram = new Float64Array(rows * rows);
  for (let r = 0; r < rows; ++r) {
    for (let s = 0; s <= r; ++s) {
      let sum = r === s ? damping * damping : 0;
      for (let c = 0; c < columns; ++c) sum += j[r * columns + c]! * j[s * columns + c]!;
      gram[r * rows + s] = gram[s * rows + r] = sum;
    }
  }
  const y = solveSymmetric(gram, error);
  const step = new Float64Array(columns);
  for (let r = 0; r < rows; ++r) for (let c = 0; c < columns; ++c) step[c] = step[c]! + j[r * columns + c]! * y[r]!;
  return step;
}

/** Applies turns about the world's axes, from the root down, and the shift of the root. */
function applyStep(
  skeleton: Skeleton,
  pose: Pose,
  above: readonly Quaternion[],
  movable: Movable,
  step: Float64Array,
  maxTurn: number,
): void {
  const axis = new Vector3();
  const turn = new Quaternion();
  movable.joints.forEach((joint, m) => {
    axis.set(step[m * 3]!, step[m * 3 + 1]!, step[m * 3 + 2]!);
    const angle = axis.length();
    if (angle < 1e-9) return;
    turn.setFromAxisAngle(axis.divideScalar(angle), Math.min(angle, maxTurn));
    const local = above[joint]!.clone()
      .invert()
      .multiply(turn)
      .multiply(above[joint]!)
      .multiply(quaternionOf(pose.rotations[joint]!));
    pose.rotations[joint] = local.normalize().toArray() as number[];
  });
  if (!movable.root) return;
  const at = movable.joints.length * 3;
  const shift = new Vector3(step[at]!, step[at + 1]!, step[at + 2]!).multiplyScalar(skeleton.size);
  // The root's translation is local to the node above it, which may scale.
  const inverse = skeleton.joints[0]!.between.clone().invert();
  const zero = new Vector3().applyMatrix4(inverse);
  shift.applyMatrix4(inverse).sub(zero);
  pose.root = [pose.root[0]! + shift.x, pose.root[1]! + shift.y, pose.root[2]! + shift.z];
}

export function solvePose(
  skeleton: Skeleton,
  start: Pose,
  targets: readonly Target[],
  movable: Movable,
  settings: SolverSettings = {},
): { pose: Pose; residual: number; iterations: number } {
  const { iterations = 12, damping = 0.06, maxTurn = 0.4, tolerance = 1e-4 } = settings;
  let best = clonePose(start);
  let bestResidual = Infinity;
  let pose = clonePose(start);
  let done = 0;
  for (; ; ++done) {
    const world = worldPose(skeleton, pose);
    const error = new Float64Array(targets.length * 3);
    let residual = 0;
    targets.forEach((target, t) => {
      const e = target.position.clone().sub(world.positions[target.joint]!).divideScalar(skeleton.size);
      residual += e.lengthSq();
      // Far targets in steps: a linear answer is good nearby only.
      e.clampLength(0, 0.25)
        .multiplyScalar(target.weight ?? 1)
        .toArray(error, t * 3);
    });
    residual = Math.sqrt(residual);
    if (residual < bestResidual) {
      bestResidual = residual;
      best = clonePose(pose);
    }
    const nothingToDo = targets.length === 0 || (movable.joints.length === 0 && !movable.root);
    if (nothingToDo || residual < tolerance || done >= iterations) break;
    const j = jacobian(skeleton, world.positions, targets, movable);
    const columns = j.length / error.length;
    targets.forEach((target, t) => {
      for (let k = t * 3 * columns; k < (t + 1) * 3 * columns; ++k) j[k] = j[k]! * (target.weight ?? 1);
    });
    const step = dampedStep(j, error, damping);
    pose = clonePose(pose);
    applyStep(skeleton, pose, world.aboveOf, movable, step, maxTurn);
  }
  return { pose: best, residual: bestResidual, iterations: done };
}
