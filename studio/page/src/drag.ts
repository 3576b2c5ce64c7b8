// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Dragging joints: the page's own solver answers every move of the mouse, the server's pose space twenty times a second and at the end.
import { Plane, Vector3 } from "three";
import type { JointTarget, Pose } from "./api";
import type { Body } from "./body";
import { pickNearest } from "./picking";
import type { Session } from "./session";
import { movableFor, solvePose, type Movable, type Target } from "./solver";
import type { Viewer } from "./viewer";

const kPickRadius = 22; // pixels
const kLongestWait = 3000; // milliseconds for the last answer
const kServerGap = 50; // milliseconds between questions to the server

interface Drag {
  asset: string;
  body: Body;
  view: number;
  plane: Plane;
  grab: Vector3; // where the plane was grabbed
  starts: { joint: number; position: Vector3 }[]; // of all joints that move along
  targets: Target[];
  movable: Movable;
  moved: boolean;
  released: boolean; // only the last answer is awaited
}

export class Dragging {
  private drag: Drag | null = null;
  private asking = false;
  private waiting = false;
  private lastAsked = 0;
  private generation = 0;

  constructor(
    private readonly session: Session,
    private readonly viewer: Viewer,
  ) {
    const { canvas } = viewer;
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => void this.up(event));
    canvas.addEventListener("pointercancel", () => this.cancel());
    canvas.addEventListener("pointerleave", () => {
      session.view.hover = null;
      session.onChange();
    });
  }

  get active(): boolean {
    return this.drag !== null;
  }

  /** Back to the pose before the drag. */
  cancel(): void {
    if (!this.drag) return;
    ++this.generation;
    this.drag = null;
    this.session.view.dragPose = null;
    this.viewer.controls.enabled = true;
    this.session.onChange();
  }

  /** Moves the selected joints by pixels of the screen: the mouse's work by keyboard. */
  async nudge(dx: number, dy: number): Promise<void> {
    const { session, viewer } = this;
    const first = session.selectedJoints()[0];
    if (this.drag || first === undefined || !session.body?.skeleton || session.candidates || session.view.preview) return;
    const at = viewer.jointsOnScreen(0)[first]!;
    this.begin(first, 0, at.x, at.y);
    this.moveTo(at.x + dx, at.y + dy);
    await this.finish("Nudge a joint", `nudge ${first}`);
  }

  private at(event: PointerEvent): { x: number; y: number } {
    const rect = this.viewer.canvas.getBoundingClientRect();
    return { x: event.clientX - rect.left, y: event.clientY - rect.top };
  }

  private pick(x: number, y: number): number | null {
    const { session, viewer } = this;
    if (!session.body?.skeleton || session.candidates || session.view.preview || !session.view.skeleton || session.view.welcome)
      return null;
    const hidden = new Set(session.document.hidden.map((name) => session.body!.indexOf(name)));
    return pickNearest(
      viewer.jointsOnScreen(0).filter((point) => !hidden.has(point.index)),
      x,
      y,
      kPickRadius,
    );
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0 || this.drag) return;
    const { session } = this;
    const { x, y } = this.at(event);
    if (session.candidates) {
      session.candidates.chosen = this.viewer.viewAt(x, y);
      return session.onChange();
    }
    const joint = this.pick(x, y);
    if (joint === null) return;
    const name = session.body!.details[joint]!.name;
    const { selected } = session.view;
    if (event.shiftKey || event.ctrlKey || event.metaKey) {
      session.view.selected = selected.includes(name) ? selected.filter((s) => s !== name) : [...selected, name];
    } else if (!selected.includes(name)) session.view.selected = [name];
    // The camera stays while a joint is in hand.
    this.viewer.controls.enabled = false;
    this.viewer.canvas.setPointerCapture(event.pointerId);
    session.view.playing = false;
    this.begin(joint, 0, x, y);
    session.onChange();
  }

  private move(event: PointerEvent): void {
    const { x, y } = this.at(event);
    if (this.drag?.released) return;
    if (this.drag) return this.moveTo(x, y);
    const joint = event.buttons === 0 ? this.pick(x, y) : null;
    const hover = joint === null ? null : this.session.body!.details[joint]!.name;
    if (hover === this.session.view.hover) return;
    this.session.view.hover = hover;
    this.viewer.canvas.style.cursor = hover ? "grab" : "";
    this.session.onChange();
  }

  private async up(event: PointerEvent): Promise<void> {
    if (!this.drag || this.drag.released) return;
    this.viewer.canvas.releasePointerCapture(event.pointerId);
    this.viewer.controls.enabled = true;
    if (this.drag.moved) await this.finish("Pose a joint");
    else this.cancel();
  }

  private begin(joint: number, view: number, x: number, y: number): void {
    const { session, viewer } = this;
    const body = session.body!;
    const skeleton = body.skeleton!;
    const grabbed = body.jointPosition(joint);
    const plane = new Plane().setFromNormalAndCoplanarPoint(viewer.camera.getWorldDirection(new Vector3()), grabbed);
    const together = new Set([joint, ...session.selectedJoints()]);
    const pinned = session.document.pins.map((pin) => body.indexOf(pin.joint)).filter((j) => j >= 0 && !together.has(j));
    const movable: Movable = { joints: [], root: false };
    for (const j of together) {
      const one = movableFor(skeleton, j, pinned);
      movable.joints = [...new Set([...movable.joints, ...one.joints])].sort((a, b) => a - b);
      movable.root ||= one.root;
    }
    const starts = [...together].map((j) => ({ joint: j, position: body.jointPosition(j) }));
    const grab = viewer.rayAt(view, x, y).intersectPlane(plane, new Vector3()) ?? grabbed;
    this.drag = {
      asset: session.document.asset!,
      body,
      view,
      plane,
      grab,
      starts,
      targets: [],
      movable,
      moved: false,
      released: false,
    };
    session.view.dragPose = body.readPose();
  }

  private moveTo(x: number, y: number): void {
    const drag = this.drag!;
    const at = this.viewer.rayAt(drag.view, x, y).intersectPlane(drag.plane, new Vector3());
    if (!at) return;
    const shift = at.sub(drag.grab);
    if (!drag.moved && shift.length() < this.viewer.pixelAt(drag.grab) * 3) return; // a click trembles
    drag.moved = true;
    const toFile = (p: Vector3): Vector3 => drag.body.holder.worldToLocal(p);
    drag.targets = drag.starts.map(({ joint, position }) => ({ joint, position: toFile(position.clone().add(shift)) }));
    this.solveHere();
    void this.ask(false);
    this.session.onChange();
  }

  private pins(drag: Drag): Target[] {
    const dragged = new Set(drag.starts.map((start) => start.joint));
    return this.session.document.pins
      .map((pin) => ({ joint: drag.body.indexOf(pin.joint), position: new Vector3().fromArray(pin.position), weight: 2 }))
      .filter((pin) => pin.joint >= 0 && !dragged.has(pin.joint));
  }

  private solveHere(): void {
    const drag = this.drag!;
    const pose = this.session.view.dragPose!;
    this.session.view.dragPose = solvePose(drag.body.skeleton!, pose, [...drag.targets, ...this.pins(drag)], drag.movable).pose;
  }

  /** A mouse that stands still has its last question answered too. */
  private askLater(): void {
    if (this.waiting) return;
    this.waiting = true;
    setTimeout(() => {
      this.waiting = false;
      if (this.drag?.moved && !this.drag.released) void this.ask(false);
    }, kServerGap);
  }

  /** Asks the server; its answer is where the page's solver goes on from. Only one question is on its way. */
  private async ask(final: boolean): Promise<void> {
    const drag = this.drag!;
    const now = performance.now();
    if (!final && (this.asking || now - this.lastAsked < kServerGap)) return this.askLater();
    this.asking = true;
    this.lastAsked = now;
    const generation = this.generation;
    const named = (target: Target): JointTarget => ({
      joint: drag.body.details[target.joint]!.name,
      position: target.position.toArray(),
    });
    try {
      const answer = await this.session.api.solve(drag.asset, {
        pose: this.session.view.dragPose,
        targets: drag.targets.map(named),
        pins: this.pins(drag).map(named),
        final,
      });
      if (generation !== this.generation || this.drag !== drag || !fits(answer.pose, drag.body)) return;
      this.session.view.dragPose = answer.pose;
      this.session.view.plausibility = answer.plausibility;
      this.session.view.doubtful = answer.doubtful ?? [];
      if (!final) this.solveHere();
      this.session.onChange();
    } catch {
      // The page's own answer stands: a pose space that is busy or absent is no reason to stop a hand.
    } finally {
      this.asking = false;
    }
  }

  private async finish(label: string, mergeKey = ""): Promise<void> {
    const drag = this.drag!;
    drag.released = true;
    // A server that hangs must not keep the hand.
    await Promise.race([this.ask(true), new Promise((late) => setTimeout(late, kLongestWait))]);
    if (this.drag !== drag) return;
    const pose = this.session.view.dragPose!;
    ++this.generation;
    this.drag = null;
    this.session.view.dragPose = null;
    this.session.setKey(pose, label, mergeKey);
  }
}

function fits(pose: Pose, body: Body): boolean {
  return (
    pose.rotations.length === body.joints.length &&
    pose.rotations.flat().every(Number.isFinite) &&
    pose.root.every(Number.isFinite)
  );
}
