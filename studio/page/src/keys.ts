// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Keys that somebody set upon a clip, and how the page shows them until the server fills in between: the difference from the clip fades
// from key to key, and to nothing at the clip's ends.
import type { Pose } from "./api";
import { quaternionOf } from "./skeleton";

export interface Key {
  time: number;
  pose: Pose;
}

export const kSameTime = 1e-3; // seconds within which two keys are one

export function withKey(keys: readonly Key[], key: Key): Key[] {
  return [...keys.filter((k) => Math.abs(k.time - key.time) > kSameTime), key].sort((a, b) => a.time - b.time);
}

export function withoutKey(keys: readonly Key[], time: number): Key[] {
  return keys.filter((k) => Math.abs(k.time - time) > kSameTime);
}

export function keyAt(keys: readonly Key[], time: number): Key | null {
  return keys.find((k) => Math.abs(k.time - time) <= kSameTime) ?? null;
}

export function moveKey(keys: readonly Key[], from: number, to: number): Key[] {
  const key = keyAt(keys, from);
  return key ? withKey(withoutKey(keys, from), { time: to, pose: key.pose }) : [...keys];
}

interface Difference {
  time: number;
  rotations: number[][];
  root: number[];
}

/** The clip with the keys upon it. */
export class KeyLayer {
  private readonly differences: Difference[];

  constructor(
    keys: readonly Key[],
    private readonly clip: (time: number) => Pose,
    private readonly duration: number,
  ) {
    this.differences = keys.map(({ time, pose }) => {
      const base = clip(time);
      return {
        time,
        rotations: pose.rotations.map(
          (q, j) => quaternionOf(q).multiply(quaternionOf(base.rotations[j]!).invert()).toArray() as number[],
        ),
        root: pose.root.map((x, k) => x - base.root[k]!),
      };
    });
  }

  at(time: number): Pose {
    const base = this.clip(time);
    if (this.differences.length === 0) return base;
    const nothing = (t: number): Difference => ({ time: t, rotations: base.rotations.map(() => [0, 0, 0, 1]), root: [0, 0, 0] });
    const next = this.differences.findIndex((d) => d.time > time + 1e-9);
    const before = (next < 0 ? this.differences.at(-1) : this.differences[next - 1]) ?? nothing(0);
    const after = (next < 0 ? undefined : this.differences[next]) ?? nothing(Math.max(this.duration, before.time));
    const length = after.time - before.time;
    const u = length > 1e-9 ? Math.min(Math.max((time - before.time) / length, 0), 1) : 0;
    const ease = u * u * (3 - 2 * u);
    return {
      rotations: base.rotations.map((q, j) => {
        const difference = quaternionOf(before.rotations[j]!).slerp(quaternionOf(after.rotations[j]!), ease);
        return difference.multiply(quaternionOf(q)).normalize().toArray() as number[];
      }),
      root: base.root.map((x, k) => x + before.root[k]! * (1 - ease) + after.root[k]! * ease),
    };
  }
}
