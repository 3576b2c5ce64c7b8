// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Where a body is in a whole clip: its way over the ground, and the room that it takes about that and altogether.
import { Box3, Matrix4, SkinnedMesh, Vector3, type Object3D } from "three";
import type { Body } from "./body";
import type { ClipSampler } from "./clip_sampler";
import { cornersOf, Path, smooth } from "./framing";

/** A piece of the surface that goes with a node: where it is, is told without touching a vertex again. */
interface Piece {
  node: Object3D;
  corners: Vector3[]; // in the node's space
}

export interface Reach {
  path: Path;
  about: Box3; // as seen from somebody who goes along the path
  whole: Box3;
}

const kSamplesPerSecond = 15;
const kMostSamples = 900;
const kSway = 0.6; // seconds to either side over which the path is smoothed

export class ReachFinder {
  private readonly pieces: Piece[];

  constructor(private readonly body: Body) {
    this.pieces = body.parts.flatMap(({ mesh }) =>
      mesh instanceof SkinnedMesh ? piecesOfSkin(mesh) : [pieceOf(mesh, boxOf(mesh))],
    );
  }

  /** `pose` puts the body where it is shown at a time; it is left at another. */
  find(clip: ClipSampler | null, pose: (time: number) => void): Reach {
    const duration = clip?.duration ?? 0;
    const steps = duration > 0 ? Math.min(Math.max(Math.ceil(duration * kSamplesPerSecond), 2), kMostSamples) : 0;
    const boxes: Box3[] = [];
    for (let i = 0; i <= steps; ++i) {
      pose((duration * i) / Math.max(steps, 1));
      boxes.push(this.now());
    }
    const middles = boxes.map((box) => box.getCenter(new Vector3()));
    const rise = new Box3().setFromPoints(middles).getSize(new Vector3()).y;
    // A jump is seen better by who stays down; of a climb nothing would be seen.
    if (rise < this.body.size) for (const middle of middles) middle.y = 0;
    const path = smooth(middles, Math.round((kSway * steps) / Math.max(duration, 1e-9)));
    const about = new Box3();
    const whole = new Box3();
    boxes.forEach((box, i) => {
      whole.union(box);
      about.union(box.clone().translate(path[i]!.clone().negate()));
    });
    return { path: new Path(path, duration), about, whole };
  }

  private now(): Box3 {
    const box = new Box3();
    const p = new Vector3();
    for (const { node, corners } of this.pieces) {
      for (const corner of corners) box.expandByPoint(p.copy(corner).applyMatrix4(node.matrixWorld));
    }
    if (box.isEmpty()) box.copy(this.body.box).applyMatrix4(this.body.holder.matrixWorld);
    return box;
  }
}

function boxOf({ geometry }: { geometry: { boundingBox: Box3 | null; computeBoundingBox(): void } }): Box3 {
  if (!geometry.boundingBox) geometry.computeBoundingBox();
  return geometry.boundingBox ?? new Box3();
}

function pieceOf(node: Object3D, box: Box3): Piece {
  return { node, corners: box.isEmpty() ? [] : cornersOf(box) };
}

/** What follows each bone most, in the bone's space. */
function piecesOfSkin(mesh: SkinnedMesh): Piece[] {
  const { bones, boneInverses } = mesh.skeleton;
  const { position, skinIndex, skinWeight } = mesh.geometry.attributes;
  if (!position || !skinIndex || !skinWeight) return [pieceOf(mesh, boxOf(mesh))];
  const boxes = bones.map(() => new Box3());
  const places = boneInverses.map((inverse) => new Matrix4().multiplyMatrices(inverse, mesh.bindMatrix));
  const p = new Vector3();
  for (let v = 0; v < position.count; ++v) {
    let [most, bone] = [0, -1];
    for (let k = 0; k < 4; ++k) {
      const weight = skinWeight.getComponent(v, k);
      if (weight > most) [most, bone] = [weight, skinIndex.getComponent(v, k)];
    }
    const box = boxes[bone];
    if (box) box.expandByPoint(p.fromBufferAttribute(position, v).applyMatrix4(places[bone]!));
  }
  return bones.map((bone, b) => pieceOf(bone, boxes[b]!)).filter(({ corners }) => corners.length > 0);
}
