// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Puts the page together.
import { Actions } from "./actions";
import { Api } from "./api";
import { CameraWork } from "./camera_work";
import { listen } from "./commands";
import { h } from "./dom";
import { Dragging } from "./drag";
import { droppedFiles, nameOf, type NamedFile } from "./file_set";
import { sortFiles } from "./file_sort";
import { clipsOf } from "./motion_options";
import { ExportPanel } from "./panels/export";
import { FinishPanel } from "./panels/finish";
import { aboutContent, helpContent, Sheet, Tabs, TopBar, Welcome } from "./panels/frame";
import { JobsPanel, Messages } from "./panels/jobs";
import { ModelPanel } from "./panels/model";
import { MovePanel } from "./panels/move";
import { CompareLabels, JointLabel, OverlayBar, ViewBar } from "./panels/overlay_bar";
import { PosePanel } from "./panels/pose";
import type { SkeletonLook } from "./overlays";
import { Playback } from "./playback";
import { Session } from "./session";
import { Timeline } from "./timeline";
import { Viewer } from "./viewer";

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

function makeViewer(stage: HTMLElement): Viewer | null {
  try {
    return new Viewer(stage);
  } catch {
    stage.append(
      h(
        "p",
        { class: "fatal" },
        "This browser gives no WebGL 2. Turn on hardware acceleration in its settings, or open the page in another browser.",
      ),
    );
    return null;
  }
}

/** Files that were dropped or chosen: videos to follow, models to open, and what those name. */
async function takeFiles(session: Session, move: MovePanel, dropped: Promise<NamedFile[]>): Promise<void> {
  await session.attempt(async () => {
    const { models, videos, left } = await sortFiles(await dropped, session.fileLimits);
    for (const { path, bytes } of videos) {
      if (session.document.asset === null) session.say("Open a model first; then it can follow this video.");
      else await move.takeVideo(new File([bytes], nameOf(path)));
    }
    for (const { path, bytes } of models) await session.upload(new File([bytes], nameOf(path)));
    if (left) session.say(left);
  });
}

function fileInput(take: (files: Promise<NamedFile[]>) => void, attributes: Record<string, boolean>): HTMLInputElement {
  const input = h("input", { type: "file", hidden: true, multiple: true, ...attributes });
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, bytes: file }));
    input.value = "";
    take(Promise.resolve(files));
  });
  return input;
}

function makeActions(
  session: Session,
  viewer: Viewer,
  camera: CameraWork,
  sheet: Sheet,
  tabs: Tabs,
  messages: Messages,
  move: MovePanel,
  exporting: ExportPanel,
  chooseFile: () => void,
): [Actions, Timeline] {
  const timeline: Timeline = new Timeline(session, {
    play: () => actions.play(),
    previous: () => actions.step(-1),
    next: () => actions.step(1),
  });
  const actions: Actions = new Actions({
    session,
    viewer,
    camera,
    timeline,
    dragging: new Dragging(session, viewer),
    chooseFile,
    focusPrompt: () => (tabs.choose("right"), move.prompt.focus()),
    searchActions: () => (tabs.choose("right"), move.searchActions()),
    showHelp: () => (sheet.open ? sheet.close() : sheet.show(helpContent(actions.commands()))),
    showExport: () => (tabs.choose("right"), exporting.focus()),
    closeOverlay: () => closeTopmost(sheet, messages),
  });
  listen(actions.commands());
  return [actions, timeline];
}

function closeTopmost(sheet: Sheet, messages: Messages): boolean {
  const focused = document.activeElement;
  if (sheet.open) sheet.close();
  else if (focused instanceof HTMLElement && focused.matches("input, textarea, select")) focused.blur();
  else return messages.dismiss();
  return true;
}

function start(): void {
  const app = document.getElementById("app")!;
  const session = new Session(new Api(takeToken()));
  const messages = new Messages();
  session.onMessage = (message) => messages.show(message);
  const stage = h("main", { class: "stage" });
  app.append(stage);
  const viewer = makeViewer(stage);
  if (!viewer) return;

  const playback = new Playback(session, viewer);
  const camera = new CameraWork(session, viewer, playback);
  session.onFirstSight = () => camera.meet();
  const sheet = new Sheet();
  const tabs = new Tabs(app);
  const move = new MovePanel(session);
  const exporting = new ExportPanel(session);
  const take = (files: Promise<NamedFile[]>): void => void takeFiles(session, move, files);
  const file = fileInput(take, {});
  const folder = fileInput(take, { webkitdirectory: true });
  const chooseFile = (): void => file.click();
  const chooseFolder = (): void => folder.click();
  const [actions, timeline] = makeActions(session, viewer, camera, sheet, tabs, messages, move, exporting, chooseFile);
  const showAbout = async (): Promise<void> => sheet.show(await aboutContent(session.server.version));
  const top = new TopBar(
    session,
    () => sheet.show(helpContent(actions.commands())),
    () => void showAbout(),
  );
  const model = new ModelPanel(session, actions, chooseFile, chooseFolder);
  const pose = new PosePanel(session, actions, () => clipsOf(move.prompt.value)[0] ?? "");
  const finish = new FinishPanel(session);
  const overlays = new OverlayBar(session);
  const views = new ViewBar(session, camera, actions);
  const compare = new CompareLabels(session, viewer);
  const label = new JointLabel(session, viewer);
  const jobs = new JobsPanel(session);
  const welcome = new Welcome(session, chooseFile, chooseFolder);
  const bars = h("div", { class: "bars" }, overlays.element, views.element);
  stage.append(label.element, compare.element, bars, welcome.element, jobs.element, messages.element);
  app.prepend(top.element);
  app.append(
    h("aside", { class: "left", "aria-label": "Model" }, model.element),
    h("aside", { class: "right", "aria-label": "Motion" }, move.element, pose.element, finish.element, exporting.element),
    timeline.element,
    tabs.element,
    sheet.element,
    file,
    folder,
  );

  // For tests, and for whoever likes the console.
  Object.assign(globalThis, { limberStudio: { session, viewer, camera, actions } });
  takeDrops(app, (transfer) => take(droppedFiles(transfer, session.fileLimits)));
  const panels = [top, model, move, pose, finish, exporting, overlays, views, compare, jobs, welcome, timeline];
  keepDrawn({ session, viewer, playback, camera, panels, ticking: [camera, timeline, label], app });
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
  if (newest) await session.open(newest.id, { first: true });
  else if (example) await session.example(example, true);
}

function takeDrops(app: HTMLElement, take: (transfer: DataTransfer | null) => void): void {
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
    take(event.dataTransfer);
  });
}

interface Drawn {
  session: Session;
  viewer: Viewer;
  playback: Playback;
  camera: CameraWork;
  panels: { update(): void }[];
  ticking: { tick(): void }[];
  app: HTMLElement;
}

/** What the skeleton should look like now. */
function skeletonLook({ body, clip, view, document: work }: Session): SkeletonLook {
  const indices = (names: readonly string[]): Set<number> => new Set(body ? names.map((name) => body.indexOf(name)) : []);
  return {
    selected: indices(view.selected),
    pinned: indices(work.pins.map((pin) => pin.joint)),
    hidden: indices(work.hidden),
    hover: view.hover && body ? body.indexOf(view.hover) : null,
    confidence: view.paint === "confidence" ? (clip?.confidence ?? null) : null,
  };
}

/** Panels are updated once a frame at most, and only after a change. */
function keepDrawn({ session, viewer, playback, camera, panels, ticking, app }: Drawn): void {
  let dirty = true;
  let overlayState: unknown[] = [];
  session.onChange = () => {
    dirty = true;
    viewer.redraw();
  };
  const phone = matchMedia("(max-width: 720px)");
  phone.addEventListener("change", () => session.onChange());
  const refresh = (): void => {
    const { view, body, candidates } = session;
    app.classList.toggle("first", view.welcome);
    viewer.setOffset(view.welcome && !phone.matches ? 0.16 : 0, view.welcome && phone.matches ? 0.22 : 0);
    viewer.setBodies(candidates ? candidates.assets.map((id) => session.bodyOf(id)) : [body]);
    camera.update();
    const joint = session.selectedJoints().at(-1) ?? null;
    const contacts = view.contacts && !candidates ? session.contacts() : null;
    const confidence = session.clip?.confidence ?? null;
    const state = [body, candidates, view.paint, joint, body?.faceLabels, contacts, confidence];
    if (state.some((value, i) => value !== overlayState[i])) {
      overlayState = state;
      viewer.setPaint(view.paint, joint, confidence);
      viewer.setContacts(contacts);
    }
    for (const panel of panels) panel.update();
  };
  viewer.onFrame = (dt) => {
    if (dirty) {
      dirty = false;
      refresh();
    }
    const more = playback.frame(dt);
    viewer.showSkeleton(session.view.skeleton && !session.candidates && !session.view.welcome ? skeletonLook(session) : null);
    for (const part of ticking) part.tick();
    viewer.markFront(session.view.welcome || session.candidates ? null : session.forwardVector, camera.travelled);
    return more;
  };
  viewer.redraw();
}

start();
