// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Puts the page together.
import { Vector3 } from "three";
import { Actions } from "./actions";
import { Api } from "./api";
import { listen } from "./commands";
import { axisVector } from "./document";
import { h } from "./dom";
import { Dragging } from "./drag";
import { ExportPanel } from "./panels/export";
import { aboutContent, helpContent, Sheet, TopBar, Welcome } from "./panels/frame";
import { JobsPanel, Messages } from "./panels/jobs";
import { ModelPanel } from "./panels/model";
import { MovePanel } from "./panels/move";
import { CompareLabels, JointLabel, OverlayBar } from "./panels/overlay_bar";
import { PosePanel } from "./panels/pose";
import { Playback } from "./playback";
import { Session } from "./session";
import { Timeline } from "./timeline";
import { Viewer } from "./viewer";

const kVideo = /\.(mp4|mov|webm|mkv|avi|m4v|gif)$/i;

/** The token comes with the address; it is kept for a reload, and not left where it is seen. */
function takeToken(): string {
  const address = new URL(location.href);
  const token = address.searchParams.get("token");
  if (token) {
    sessionStorage.setItem("limber-token", token);
    address.searchParams.delete("token");
    history.replaceState(null, "", address);
  }
  return token ?? sessionStorage.getItem("limber-token") ?? "";
}

function start(): void {
  const app = document.getElementById("app")!;
  const session = new Session(new Api(takeToken()));
  const messages = new Messages();
  session.onMessage = (message) => messages.show(message);
  const stage = h("main", { class: "stage" });
  app.append(stage);
  let viewer: Viewer;
  try {
    viewer = new Viewer(stage);
  } catch {
    stage.append(h("p", { class: "fatal" }, "This browser gives no WebGL 2. Turn on hardware acceleration in its settings, or open the page in another browser."));
    return;
  }

  const dragging = new Dragging(session, viewer);
  const playback = new Playback(session, viewer);
  const sheet = new Sheet();
  const file = h("input", { type: "file", hidden: true, multiple: true, change: () => void takeFiles([...(file.files ?? [])]) });
  const chooseFile = (): void => file.click();
  const timeline: Timeline = new Timeline(session, { play: () => actions.play(), previous: () => actions.step(-1), next: () => actions.step(1) });
  const move = new MovePanel(session);
  const exporting = new ExportPanel(session);
  const actions: Actions = new Actions({
    session,
    viewer,
    timeline,
    dragging,
    chooseFile,
    focusPrompt: () => move.prompt.focus(),
    showHelp: () => (sheet.open ? sheet.close() : sheet.show(helpContent(commands))),
    showExport: () => exporting.focus(),
    closeOverlay: () => {
      if (sheet.open) return sheet.close(), true;
      if (document.activeElement instanceof HTMLElement && document.activeElement.matches("input, textarea, select")) return document.activeElement.blur(), true;
      return false;
    },
  });
  const commands = actions.commands();
  listen(commands);

  const top = new TopBar(session, () => sheet.show(helpContent(commands)), () => void aboutContent(session.server.version).then((content) => sheet.show(content)));
  const model = new ModelPanel(session, actions, chooseFile);
  const pose = new PosePanel(session, actions, () => move.prompt.value.trim());
  const overlays = new OverlayBar(session);
  const compare = new CompareLabels(session, viewer);
  const label = new JointLabel(session, viewer);
  const jobs = new JobsPanel(session);
  const welcome = new Welcome(session, chooseFile);
  stage.append(label.element, compare.element, overlays.element, welcome.element, jobs.element, messages.element);
  app.prepend(top.element);
  app.append(
    h("aside", { class: "left", "aria-label": "Model" }, model.element),
    h("aside", { class: "right", "aria-label": "Motion" }, move.element, pose.element, exporting.element),
    timeline.element,
    sheet.element,
    file,
  );

  async function takeFiles(files: File[]): Promise<void> {
    file.value = "";
    for (const one of files) {
      const isVideo = one.type.startsWith("video/") || kVideo.test(one.name);
      if (isVideo && session.document.asset === null) session.say("Open a model first; then it can follow this video.");
      else if (isVideo) await move.takeVideo(one);
      else await session.upload(one);
    }
  }

  // For tests, and for whoever likes the console.
  Object.assign(globalThis, { limberStudio: { session, viewer, actions } });
  takeDrops(app, (files) => void takeFiles(files));
  keepDrawn({ session, viewer, playback, panels: [top, model, move, pose, exporting, overlays, compare, jobs, welcome, timeline], ticking: [timeline, label], app });
  session.onFirstSight = (body) => {
    body.place(new Vector3(...axisVector(session.up)), null);
    viewer.frame(body, session.forwardVector.applyQuaternion(body.holder.quaternion));
  };
  void session.attempt(async () => {
    await session.server.connect();
    await openFirst(session);
  });
}

/** What the server was started with, else a moving example. */
async function openFirst(session: Session): Promise<void> {
  const models = [...session.server.assets.values()].filter((asset) => asset.kind === "model" && asset.label !== "preview");
  const newest = models.at(-1);
  const example = session.server.examples[0];
  if (newest) await session.open(newest.id);
  else if (example) await session.example(example, true);
}

function takeDrops(app: HTMLElement, take: (files: File[]) => void): void {
  const mark = (on: boolean): void => void app.classList.toggle("dropping", on);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    mark(true);
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) mark(false);
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    mark(false);
    take([...(event.dataTransfer?.files ?? [])]);
  });
}

interface Drawn {
  session: Session;
  viewer: Viewer;
  playback: Playback;
  panels: { update(): void }[];
  ticking: { tick(): void }[];
  app: HTMLElement;
}

/** Panels are updated once a frame at most, and only after a change. */
function keepDrawn({ session, viewer, playback, panels, ticking, app }: Drawn): void {
  let dirty = true;
  let overlayState: unknown[] = [];
  session.onChange = () => {
    dirty = true;
    viewer.redraw();
  };
  const refresh = (): void => {
    app.classList.toggle("first", session.view.welcome);
    viewer.setOffset(session.view.welcome ? 0.16 : 0);
    viewer.setBodies(session.candidates ? session.candidates.assets.map((id) => session.bodyOf(id)) : [session.body]);
    const joint = session.selectedJoints().at(-1) ?? null;
    const state = [session.body, session.candidates, session.view.paint, joint, session.body?.faceLabels, session.view.contacts ? session.contacts() : null];
    if (state.some((value, i) => value !== overlayState[i])) {
      overlayState = state;
      viewer.setPaint(session.view.paint, joint);
      viewer.setContacts(session.view.contacts && !session.candidates ? session.contacts() : null);
    }
    viewer.markFront(session.view.welcome ? null : session.forwardVector);
    for (const panel of panels) panel.update();
  };
  viewer.onFrame = (dt) => {
    if (dirty) {
      dirty = false;
      refresh();
    }
    const more = playback.frame(dt);
    const body = session.body;
    const indices = (names: readonly string[]): Set<number> => new Set(body ? names.map((name) => body.indexOf(name)) : []);
    const look = {
      selected: indices(session.view.selected),
      pinned: indices(session.document.pins.map((pin) => pin.joint)),
      hidden: indices(session.document.hidden),
      hover: session.view.hover && body ? body.indexOf(session.view.hover) : null,
      confidence: session.view.paint === "confidence",
    };
    viewer.showSkeleton(session.view.skeleton && !session.candidates && !session.view.welcome ? look : null);
    for (const part of ticking) part.tick();
    return more;
  };
  viewer.redraw();
}

start();
