// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Moves the playhead and poses what is shown: the clip, the keys upon it, and the pose under the mouse.
import { Vector3 } from "three";
import type { Body } from "./body";
import type { ClipSampler } from "./clip_sampler";
import { axisVector, keysOf } from "./document";
import { KeyLayer, type Key } from "./keys";
import type { Session } from "./session";
import { advance } from "./timeline_math";
import type { Viewer } from "./viewer";

export class Playback {
  private layer: KeyLayer | null = null;
  private layerFor: { keys: readonly Key[]; body: Body; clip: ClipSampler | null } | null = null;
  private readonly travels = new WeakMap<ClipSampler, Vector3>();

  constructor(
    private readonly session: Session,
    private readonly viewer: Viewer,
  ) {}

  /** One frame; returns whether another should follow. */
  frame(dt: number): boolean {
    const { session } = this;
    const { view } = session;
    const moving = view.playing && session.body !== null && !view.dragPose;
    if (moving) {
      const next = advance(
        view.time,
        dt,
        view.speed,
        session.span,
        session.document.loop || view.preview !== null || session.candidates !== null,
      );
      view.time = next.time;
      view.playing = next.playing;
    }
    if (session.candidates) for (const id of session.candidates.assets) this.poseCandidate(session.bodyOf(id), id);
    else if (session.body) this.poseBody(session.body);
    this.viewer.updateContacts(view.time);
    return moving;
  }

  /** Poses the body that is worked on as it is at the playhead. */
  poseBody(body: Body): void {
    const { session } = this;
    const { time, dragPose, preview } = session.view;
    const clip = session.clip;
    const keys = preview ? [] : keysOf(session.document);
    if (dragPose) body.applyPose(dragPose);
    else if (keys.length > 0 && body.skeleton) {
      const pose = this.layerOf(keys, body, clip).at(time);
      body.applyClip(clip, time);
      body.applyPose(pose);
    } else body.applyClip(clip, time);
    this.place(body, clip, time);
  }

  /** Poses a body as a clip alone has it. */
  poseClip(body: Body, clip: ClipSampler | null, time: number): void {
    body.applyClip(clip, time);
    this.place(body, clip, time);
  }

  private poseCandidate(body: Body | null, id: string): void {
    if (!body) return;
    const clip = this.session.clipOf(body, id);
    // Candidates may differ in length: each loops by itself.
    this.poseClip(body, clip, clip && clip.duration > 0 ? this.session.view.time % clip.duration : 0);
  }

  private place(body: Body, clip: ClipSampler | null, time: number): void {
    let shift: Vector3 | null = null;
    // Side by side there is no room to travel.
    if (clip && (this.session.document.inPlace || this.session.candidates)) {
      let travel = this.travels.get(clip);
      if (!travel) {
        const now = body.readPose();
        travel = body.travelOf(clip);
        this.travels.set(clip, travel);
        body.applyClip(clip, time);
        if (body.skeleton) body.applyPose(now);
      }
      shift = travel.clone().multiplyScalar(time / Math.max(clip.duration, 1e-9));
    }
    body.place(new Vector3(...axisVector(this.session.up)), shift);
  }

  private layerOf(keys: readonly Key[], body: Body, clip: ClipSampler | null): KeyLayer {
    const known = this.layerFor;
    if (this.layer && known && known.keys === keys && known.body === body && known.clip === clip) return this.layer;
    const sample = (time: number): ReturnType<Body["readPose"]> => {
      body.applyClip(clip, time);
      return body.readPose();
    };
    this.layer = new KeyLayer(keys, sample, this.session.duration);
    this.layerFor = { keys, body, clip };
    return this.layer;
  }
}
