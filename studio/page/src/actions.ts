// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The list of commands, and those verbs that need more than the session.
import type { CameraWork } from "./camera_work";
import type { Command } from "./commands";
import { keysOf, quarterTurn, togglePins, withKeys } from "./document";
import type { Dragging } from "./drag";
import { keyAt, moveKey, withoutKey } from "./keys";
import { mirrorPairs, mirrorPose } from "./mirror";
import type { Session } from "./session";
import { limbOf } from "./skeleton";
import { neighbourKey, stepFrame, stepSubFrame } from "./timeline_math";
import type { Timeline } from "./timeline";
import type { Viewer } from "./viewer";

export interface Surface {
  session: Session;
  viewer: Viewer;
  camera: CameraWork;
  timeline: Timeline;
  dragging: Dragging;
  chooseFile: () => void;
  focusPrompt: () => void;
  searchActions: () => void;
  showHelp: () => void;
  showExport: () => void;
  closeOverlay: () => boolean;
}

export class Actions {
  constructor(private readonly surface: Surface) {}

  play(): void {
    const { session } = this.surface;
    const { view, span } = session;
    if (!session.clip && keysOf(session.document).length === 0 && !session.candidates)
      return session.say("There is no motion to play yet. Type what it should do.");
    if (!view.playing && view.time >= span.to - 1e-6) view.time = span.from;
    view.playing = !view.playing;
    session.onChange();
  }

  step(direction: 1 | -1, fine = false): void {
    const { session } = this.surface;
    session.view.playing = false;
    session.view.time = (fine ? stepSubFrame : stepFrame)(session.view.time, direction, session.fps, session.duration);
    session.onChange();
  }

  goTo(time: number): void {
    this.surface.session.view.playing = false;
    this.surface.session.view.time = time;
    this.surface.session.onChange();
  }

  goToKey(direction: 1 | -1): void {
    const { session } = this.surface;
    const time = neighbourKey(
      keysOf(session.document).map((key) => key.time),
      session.view.time,
      direction,
    );
    if (time !== null) this.goTo(time);
  }

  insertKey(): void {
    const { session } = this.surface;
    if (!session.body?.skeleton) return session.say("Keys need a rig. Rig the model first.");
    session.view.playing = false;
    session.setKey(session.body.readPose(), "Insert a key");
  }

  removeKey(): void {
    const { session } = this.surface;
    const keys = keysOf(session.document);
    if (!keyAt(keys, session.view.time)) return session.say("There is no key here. The arrows up and down go from key to key.");
    session.change(withKeys(session.document, withoutKey(keys, session.view.time)), "Remove a key");
  }

  /** The key at the playhead a frame back or on; the playhead goes along. */
  moveKey(direction: 1 | -1): void {
    const { session } = this.surface;
    const keys = keysOf(session.document);
    const key = keyAt(keys, session.view.time);
    if (!key) return session.say("There is no key here. The arrows up and down go from key to key.");
    const time = stepFrame(key.time, direction, session.fps, session.duration);
    session.view.playing = false;
    session.view.time = time;
    session.change(withKeys(session.document, moveKey(keys, key.time, time)), "Move a key", "move key");
  }

  /** The whole pose, or with a selection the selected limbs onto the other side. */
  mirror(): void {
    const { session } = this.surface;
    const { body } = session;
    if (!body?.skeleton) return session.say("Only a rigged body can be mirrored. Rig the model first.");
    session.view.playing = false;
    const selected = session.selectedJoints();
    const partner = mirrorPairs(body.skeleton.joints.map((joint) => joint.name));
    const only = selected.length === 0 ? null : selected.flatMap((j) => limbOf(body.skeleton!, j)).map((j) => partner[j]!);
    session.setKey(
      mirrorPose(body.skeleton, body.readPose(), session.sideVector, only),
      only ? "Mirror a limb" : "Mirror the pose",
    );
  }

  pin(): void {
    const { session } = this.surface;
    const { body } = session;
    if (!body || session.view.selected.length === 0) return session.say("Select a joint to pin: click it, or press J.");
    const pins = session
      .selectedJoints()
      .map((j) => ({ joint: body.details[j]!.name, position: body.holder.worldToLocal(body.jointPosition(j)).toArray() }));
    session.change(togglePins(session.document, pins), "Pin");
  }

  hide(): void {
    const { session } = this.surface;
    const { body } = session;
    if (!body?.skeleton || session.view.selected.length === 0) return session.say("Select a joint of the chain to hide.");
    const names = session
      .selectedJoints()
      .flatMap((j) => limbOf(body.skeleton!, j))
      .map((j) => body.details[j]!.name);
    session.view.selected = [];
    session.change({ ...session.document, hidden: [...new Set([...session.document.hidden, ...names])] }, "Hide a chain");
  }

  showAll(): void {
    const { session } = this.surface;
    session.change({ ...session.document, hidden: [] }, "Show all chains");
  }

  nextJoint(direction: 1 | -1, together = false): void {
    const { session } = this.surface;
    const hidden = new Set(session.document.hidden);
    const names = session.body?.details.map((joint) => joint.name).filter((name) => !hidden.has(name)) ?? [];
    if (names.length === 0) return;
    const at = names.indexOf(session.view.selected.at(-1) ?? "");
    const next = names[(at + direction + names.length + (at < 0 && direction < 0 ? 1 : 0)) % names.length]!;
    session.view.selected = together ? [...session.view.selected.filter((name) => name !== next), next] : [next];
    session.onChange();
  }

  turnFront(): void {
    const { session } = this.surface;
    session.change({ ...session.document, forward: quarterTurn(session.forward, session.up) }, "Turn the front");
  }

  follow(): void {
    const { session } = this.surface;
    session.view.follow = !session.view.follow;
    session.onChange();
  }

  /** Keys become a motion: the prior fills in between. */
  fillIn(prompt: string): void {
    const { session } = this.surface;
    const keys = keysOf(session.document);
    if (keys.length === 0) return session.say("Set a key first: drag a joint, or press K.");
    const words = prompt || session.document.clip;
    if (!words) {
      this.surface.focusPrompt();
      return session.say("Say what it does between the keys, for example: it walks.");
    }
    void session.animate({
      prompt: words,
      quality: "draft",
      seconds: Math.max(session.duration, 0.25), // shorter ones are not made
      keyframes: keys.map(({ time, pose }) => ({ time, pose })),
    });
  }

  escape(): void {
    const { session, dragging, closeOverlay } = this.surface;
    if (closeOverlay()) return;
    if (dragging.active) return dragging.cancel();
    if (session.candidates) session.candidates = null;
    else session.view.selected = [];
    session.onChange();
  }

  // table: one line per command
  commands(): Command[] {
    const { session, viewer, camera, timeline, dragging, ...surface } = this.surface;
    const paint = (which: "weights" | "parts" | "confidence") => () =>
      void session.setPaint(session.view.paint === which ? null : which);
    const flag = (which: "skeleton" | "contacts") => () => {
      session.view[which] = !session.view[which];
      session.onChange();
    };
    const choose = (i: number) => () => {
      if (!session.candidates || i >= session.candidates.assets.length) return;
      session.candidates.chosen = i;
      session.onChange();
    };
    return [
      { name: "Play or pause", keys: ["Space"], group: "Play", help: "Space", run: () => this.play() },
      { name: "A frame back or on", keys: ["Left"], group: "Play", help: "← →", run: () => this.step(-1) },
      { name: "", keys: ["Right"], group: "Play", help: "", run: () => this.step(1) },
      { name: "A tenth of a frame", keys: ["Shift+Left"], group: "Play", help: "Shift ← →", run: () => this.step(-1, true) },
      { name: "", keys: ["Shift+Right"], group: "Play", help: "", run: () => this.step(1, true) },
      { name: "From key to key", keys: ["Up"], group: "Play", help: "↑ ↓", run: () => this.goToKey(-1) },
      { name: "", keys: ["Down"], group: "Play", help: "", run: () => this.goToKey(1) },
      { name: "To the start or end", keys: ["Home"], group: "Play", help: "Home End", run: () => this.goTo(session.span.from) },
      { name: "", keys: ["End"], group: "Play", help: "", run: () => this.goTo(session.span.to) },
      { name: "Slower or faster", keys: [","], group: "Play", help: ", .", run: () => timeline.changeSpeed(-1) },
      { name: "", keys: ["."], group: "Play", help: "", run: () => timeline.changeSpeed(1) },
      { name: "Loop", keys: ["l"], group: "Play", help: "L", run: () => timeline.toggle("loop") },
      { name: "In place", keys: ["y"], group: "Play", help: "Y", run: () => timeline.toggle("inPlace") },
      { name: "Trim to start or end here", keys: ["["], group: "Play", help: "[ ]", run: () => timeline.trimHere("from") },
      { name: "", keys: ["]"], group: "Play", help: "", run: () => timeline.trimHere("to") },
      { name: "Next or previous joint", keys: ["j"], group: "Pose", help: "J  Shift J", run: () => this.nextJoint(1) },
      { name: "", keys: ["Shift+j"], group: "Pose", help: "", run: () => this.nextJoint(-1) },
      { name: "One joint more", keys: ["Alt+j"], group: "Pose", help: "Alt J", run: () => this.nextJoint(1, true) },
      { name: "Move the joint", keys: ["Alt+Left"], group: "Pose", help: "Alt ← ↑ → ↓", run: () => void dragging.nudge(-12, 0) },
      { name: "", keys: ["Alt+Right"], group: "Pose", help: "", run: () => void dragging.nudge(12, 0) },
      { name: "", keys: ["Alt+Up"], group: "Pose", help: "", run: () => void dragging.nudge(0, -12) },
      { name: "", keys: ["Alt+Down"], group: "Pose", help: "", run: () => void dragging.nudge(0, 12) },
      { name: "Pin the joint", keys: ["p"], group: "Pose", help: "P", run: () => this.pin() },
      { name: "Mirror the pose, or the selected limb", keys: ["m"], group: "Pose", help: "M", run: () => this.mirror() },
      { name: "Insert a key", keys: ["k"], group: "Pose", help: "K", run: () => this.insertKey() },
      { name: "Remove the key", keys: ["Delete", "Backspace"], group: "Pose", help: "Delete", run: () => this.removeKey() },
      { name: "Move the key", keys: ["Ctrl+Left"], group: "Pose", help: "Ctrl ← →", run: () => this.moveKey(-1) },
      { name: "", keys: ["Ctrl+Right"], group: "Pose", help: "", run: () => this.moveKey(1) },
      { name: "Hide the chain", keys: ["h"], group: "Pose", help: "H", run: () => this.hide() },
      { name: "Show all chains", keys: ["Shift+h"], group: "Pose", help: "Shift H", run: () => this.showAll() },
      { name: "Skeleton", keys: ["s"], group: "Look", help: "S", run: flag("skeleton") },
      { name: "Weights of the joint", keys: ["w"], group: "Look", help: "W", run: paint("weights") },
      { name: "Parts", keys: ["t"], group: "Look", help: "T", run: paint("parts") },
      { name: "Confidence", keys: ["c"], group: "Look", help: "C", run: paint("confidence") },
      { name: "Contacts", keys: ["x"], group: "Look", help: "X", run: flag("contacts") },
      { name: "Look at all of it", keys: ["f"], group: "Look", help: "F", run: () => camera.look("corner") },
      { name: "From beside it, nose on, from over it", keys: ["b"], group: "Look", help: "B N O", run: () => camera.look("side") },
      { name: "", keys: ["n"], group: "Look", help: "", run: () => camera.look("front") },
      { name: "", keys: ["o"], group: "Look", help: "", run: () => camera.look("top") },
      { name: "Go along with it", keys: ["g"], group: "Look", help: "G", run: () => this.follow() },
      { name: "Look around", keys: ["a"], group: "Look", help: "A D", run: () => viewer.orbit(-0.15, 1) },
      { name: "", keys: ["d"], group: "Look", help: "", run: () => viewer.orbit(0.15, 1) },
      { name: "From higher or lower", keys: ["PageUp"], group: "Look", help: "PgUp PgDn", run: () => viewer.tilt(0.12) },
      { name: "", keys: ["PageDown"], group: "Look", help: "", run: () => viewer.tilt(-0.12) },
      { name: "Move the picture", keys: ["Shift+a"], group: "Look", help: "Shift A D PgUp PgDn", run: () => viewer.pan(-0.06, 0) },
      { name: "", keys: ["Shift+d"], group: "Look", help: "", run: () => viewer.pan(0.06, 0) },
      { name: "", keys: ["Shift+PageUp"], group: "Look", help: "", run: () => viewer.pan(0, 0.06) },
      { name: "", keys: ["Shift+PageDown"], group: "Look", help: "", run: () => viewer.pan(0, -0.06) },
      { name: "Nearer or farther", keys: ["+", "="], group: "Look", help: "+ −", run: () => viewer.orbit(0, 0.9) },
      { name: "", keys: ["-"], group: "Look", help: "", run: () => viewer.orbit(0, 1.1) },
      { name: "Open a file", keys: ["Ctrl+o"], group: "Model", help: "Ctrl O", run: surface.chooseFile },
      { name: "Turn the front", keys: ["Shift+f"], group: "Model", help: "Shift F", run: () => this.turnFront() },
      { name: "Rig", keys: ["r"], group: "Model", help: "R", run: () => void session.rig() },
      { name: "Say what it should do", keys: ["/"], group: "Model", help: "/", run: surface.focusPrompt },
      { name: "Search what it can do", keys: ["q"], group: "Model", help: "Q", run: surface.searchActions },
      { name: "Choose a candidate", keys: ["1"], group: "Model", help: "1 … 9", run: choose(0) },
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((i) => ({
        name: "",
        keys: [String(i + 1)],
        group: "Model" as const,
        help: "",
        run: choose(i),
      })),
      {
        name: "Keep the candidate",
        keys: ["Enter"],
        group: "Model",
        help: "Enter",
        run: () => void (session.candidates && session.keepCandidate(session.candidates.chosen)),
      },
      { name: "Export", keys: ["Ctrl+e"], group: "Model", help: "Ctrl E", run: surface.showExport },
      { name: "Undo", keys: ["Ctrl+z"], group: "Model", help: "Ctrl Z", run: () => session.undo() },
      { name: "Redo", keys: ["Ctrl+Shift+z", "Ctrl+y"], group: "Model", help: "Ctrl Shift Z", run: () => session.redo() },
      { name: "Let go, or close", keys: ["Escape"], group: "Model", help: "Esc", run: () => this.escape() },
      { name: "This list", keys: ["?"], group: "Model", help: "?", run: surface.showHelp },
    ];
  }
}
