// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What the camera does by itself: it sees all of a new body and of a new motion, and goes along with a body that travels. A
// direction that somebody chose is kept, and so is a place or a nearness.
import { Box3, Vector3 } from "three";
import type { Body } from "./body";
import { viewDirection, type ViewName } from "./framing";
import type { Playback } from "./playback";
import { ReachFinder, type Reach } from "./reach";
import type { Session } from "./session";
import type { Viewer } from "./viewer";

export class CameraWork {
  private readonly finders = new WeakMap<Body, ReachFinder>();
  private readonly reaches = new WeakMap<Body, Map<string, Reach>>();
  private shown: Reach[] = []; // of the bodies that are seen
  private seen = ""; // what the picture was last made to hold
  private up = "";
  private newBody = false;
  private view: ViewName = "corner";
  private following = true;
  private readonly anchor = new Vector3(); // how far it has gone along

  constructor(
    private readonly session: Session,
    private readonly viewer: Viewer,
    private readonly playback: Playback,
  ) {}

  /** Another body is about to be shown. */
  meet(): void {
    this.newBody = true;
  }

  /** After a change: what is shown may be another motion, or stand otherwise. */
  update(): void {
    const { session, viewer } = this;
    const { candidates, document: work, body } = session;
    const bodies = candidates ? candidates.assets.map((id) => session.bodyOf(id)) : [body];
    if (!bodies.every((one) => one !== null)) return;
    const clips = bodies.map((one, i) => session.clipOf(one, candidates ? candidates.assets[i]! : session.view.preview));
    const names = clips.map((clip) => clip?.clip.name);
    const { width, height } = viewer.rectOf(0);
    const axes = [session.up, session.forward];
    const seen = JSON.stringify([candidates?.assets ?? session.shownAsset, names, axes, this.still, session.view.welcome, width, height]);
    if (seen === this.seen) return;
    this.seen = seen;
    this.shown = bodies.map((one, i) => this.reachOf(one, clips[i]!));
    const turned = this.up !== session.up;
    this.up = session.up;
    if (this.newBody || turned) this.look("corner");
    else if (viewer.untouched && work.forward === null && !candidates) this.look(this.view, true);
    else if (viewer.sameNearness) {
      this.anchor.copy(this.shown[0]!.path.at(session.view.time));
      viewer.fit(this.box());
    }
    this.newBody = false;
  }

  /** With every frame, once the body is posed: it goes along. */
  tick(): void {
    const { view } = this.session;
    const reach = this.shown[0];
    if (!reach) return;
    const place = reach.path.at(view.time);
    if (view.follow && !this.following) this.viewer.centre(place.clone().add(reach.about.getCenter(new Vector3())));
    else if (view.follow) this.viewer.shift(place.clone().sub(this.anchor));
    this.following = view.follow;
    this.anchor.copy(place);
  }

  /** How far the body has gone in its clip. */
  get travelled(): Vector3 {
    const path = this.shown[0]?.path;
    return path ? path.at(this.session.view.time).sub(path.at(0)) : new Vector3();
  }

  /** All of the motion, from a side that has a name; the same again is from the other side. */
  look(view: ViewName, keepSide = false): void {
    const { session, viewer } = this;
    const body = session.body;
    if (!body || this.shown.length === 0) return;
    const direction = viewDirection(view, session.forwardVector.applyQuaternion(body.holder.quaternion));
    const other = direction.clone().multiply(new Vector3(-1, 1, -1));
    const fromThere = viewer.direction.dot(direction) > 0.9999;
    const turned = keepSide ? viewer.direction.dot(other) > 0.9999 : fromThere;
    this.view = view;
    this.anchor.copy(this.shown[0]!.path.at(session.view.time));
    viewer.look(this.box(), turned && (view === "side" || view === "front") ? other : direction);
    session.onChange();
  }

  private get still(): boolean {
    return this.session.document.inPlace || this.session.candidates !== null;
  }

  /** What the picture should hold: about the place that the body has come to, or all of its way. */
  private box(): Box3 {
    const box = new Box3();
    const { follow, time } = this.session.view;
    for (const { about, whole, path } of this.shown) box.union(follow ? about.clone().translate(path.at(time)) : whole);
    return box;
  }

  private reachOf(body: Body, clip: ReturnType<Session["clipOf"]>): Reach {
    const key = JSON.stringify([clip?.clip.name ?? null, this.session.up, this.still]);
    const known = this.reaches.get(body) ?? new Map<string, Reach>();
    this.reaches.set(body, known);
    const finder = this.finders.get(body) ?? new ReachFinder(body);
    this.finders.set(body, finder);
    const reach = known.get(key) ?? finder.find(clip, (time) => this.playback.poseClip(body, clip, time));
    known.set(key, reach);
    return reach;
  }
}
