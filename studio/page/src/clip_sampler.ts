// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Evaluates a clip at a time, and only then. three's mixer remembers what it wrote and does not write it again, which loses poses that
// somebody else sets upon the same joints.
import { PropertyBinding, type AnimationClip, type Interpolant, type Object3D, type Mesh } from "three";

interface Channel {
  evaluate: (time: number) => ArrayLike<number>;
  write: (values: ArrayLike<number>) => void;
}

export class ClipSampler {
  private readonly channels: Channel[] = [];
  readonly duration: number;
  readonly times: ArrayLike<number>; // of the track with most keys

  constructor(
    root: Object3D,
    readonly clip: AnimationClip,
    /** How sure it is of each joint of the skeleton, 0 to 1. */
    readonly confidence: readonly (number | null)[] | null = null,
  ) {
    this.duration = clip.duration;
    let longest: ArrayLike<number> = [];
    for (const track of clip.tracks) {
      if (track.times.length > longest.length) longest = track.times;
      const { nodeName, propertyName } = PropertyBinding.parseTrackName(track.name);
      const node = PropertyBinding.findNode(root, nodeName) as Object3D | null;
      const write = node ? writerFor(node, propertyName) : null;
      if (!write) continue;
      const interpolant = (track as unknown as { createInterpolant(): Interpolant }).createInterpolant();
      this.channels.push({ evaluate: (time) => interpolant.evaluate(time) as ArrayLike<number>, write });
    }
    this.times = longest;
  }

  apply(time: number): void {
    for (const channel of this.channels) channel.write(channel.evaluate(time));
  }
}

function writerFor(node: Object3D, property: string): Channel["write"] | null {
  switch (property) {
    case "position":
      return (v) => void node.position.set(v[0]!, v[1]!, v[2]!);
    case "scale":
      return (v) => void node.scale.set(v[0]!, v[1]!, v[2]!);
    case "quaternion":
      return (v) => void node.quaternion.set(v[0]!, v[1]!, v[2]!, v[3]!).normalize();
    case "morphTargetInfluences": {
      return (v) =>
        node.traverse((part) => {
          const influences = (part as Mesh).morphTargetInfluences;
          if (influences) for (let i = 0; i < influences.length; ++i) influences[i] = v[i] ?? 0;
        });
    }
    default:
      return null;
  }
}
