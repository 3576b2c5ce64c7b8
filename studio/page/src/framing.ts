// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// How far a camera must stand from what it looks at, and the path on which it goes along with a body that travels.
import { Box3, Vector3 } from "three";

export type ViewName = "corner" | "side" | "front" | "top";

/** What a picture sees at a distance of one, to either side of its middle. */
export interface Opening {
  across: number;
  upright: number;
}

/** The eight corners of a box. */
export function cornersOf({ min, max }: Box3): Vector3[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
}

/** The least distance from the middle of a box, in a direction from there, at which all of it is in the picture. */
export function fittingDistance(box: Box3, towards: Vector3, { across, upright }: Opening): number {
  const middle = box.getCenter(new Vector3());
  const back = towards.clone().normalize();
  const right = new Vector3(0, 1, 0).cross(back);
  if (right.lengthSq() < 1e-12) right.set(1, 0, 0);
  right.normalize();
  const up = back.clone().cross(right);
  let distance = 0;
  for (const corner of cornersOf(box)) {
    corner.sub(middle);
    const needed = Math.max(Math.abs(corner.dot(right)) / across, Math.abs(corner.dot(up)) / upright);
    distance = Math.max(distance, corner.dot(back) + needed);
  }
  return distance;
}

/** From the body to the camera, for a body that faces `forward` and stands on the ground. */
export function viewDirection(view: ViewName, forward: Vector3): Vector3 {
  const front = forward.clone().setY(0);
  if (front.lengthSq() < 1e-9) front.set(0, 0, 1);
  front.normalize();
  const up = new Vector3(0, 1, 0);
  switch (view) {
    case "front":
      return front.setY(0.02).normalize();
    case "side": // from its right, so that it faces right in the picture
      return front.cross(up).setY(0.02).normalize();
    case "top": // its front is up in the picture
      return up.addScaledVector(front, -1e-3).normalize();
    case "corner":
      return front.applyAxisAngle(up, 0.85).setY(0.34).normalize();
  }
}

/** A place for every time, evenly sampled. */
export class Path {
  constructor(
    private readonly places: readonly Vector3[],
    private readonly duration: number,
  ) {}

  at(time: number, target = new Vector3()): Vector3 {
    const last = this.places.length - 1;
    if (last < 1 || this.duration <= 0) return target.copy(this.places[0] ?? new Vector3());
    const x = Math.min(Math.max(time / this.duration, 0), 1) * last;
    const i = Math.min(Math.floor(x), last - 1);
    return target.lerpVectors(this.places[i]!, this.places[i + 1]!, x - i);
  }
}

/**
 * A camera that copied every sway of the hips would be seasick: the mean over `width` samples to either side. Beyond the ends
 * it goes on as it came, so that a straight way stays as it is.
 */
export function smooth(places: readonly Vector3[], width: number): Vector3[] {
  const last = places.length - 1;
  const beyond = (i: number): Vector3 => {
    const [end, inside] = i < 0 ? [0, Math.min(-i, last)] : [last, Math.max(2 * last - i, 0)];
    return places[end]!.clone().multiplyScalar(2).sub(places[inside]!);
  };
  return places.map((_, i) => {
    const sum = new Vector3();
    for (let k = i - width; k <= i + width; ++k) sum.add(k < 0 || k > last ? beyond(k) : places[k]!);
    return sum.divideScalar(2 * width + 1);
  });
}
