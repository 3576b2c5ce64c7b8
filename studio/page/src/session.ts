// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The state of the page and what can be done to it. Panels read it and call its verbs; nobody else talks to the server.
import { Vector3 } from "three";
import { Api, ApiError, isOver, type Asset, type Example, type Job, type Pose } from "./api";
import { loadBody, mayHaveRig, type Body } from "./body";
import type { ClipSampler } from "./clip_sampler";
import type { Contact } from "./contacts";
import {
  axisVector,
  keysOf,
  kEmptyDocument,
  nearestAxis,
  openAsset,
  trimOf,
  withKeys,
  type Axis,
  type Document,
} from "./document";
import type { Limits } from "./file_set";
import { History } from "./history";
import { withKey } from "./keys";
import type { Paint } from "./overlays";
import {
  mendedWords,
  plainMessage,
  readChecks,
  readContacts,
  readFaceLabels,
  readFindings,
  readInspection,
  readKind,
  type Check,
  type Finding,
  type Kind,
  type ModelReport,
} from "./reports";
import { ownContacts } from "./own_contacts";
import { ServerMirror } from "./server_mirror";
import type { Span } from "./timeline_math";
import { finalResults, groupVersions, rootOf, type Group } from "./versions";

export interface Message {
  kind: "error" | "info";
  text: string;
  advice: string;
  action?: { label: string; run: () => void };
}
export interface Candidates {
  job: string;
  assets: string[];
  chosen: number;
}
export interface Health {
  report: ModelReport | null;
  findings: Finding[] | null;
  kind: Kind | null; // what it was taken for when it was rigged
}

/** What is known of whether a clip is finished: the checks, or in words why there are none (yet). */
export interface Checks {
  list: Check[] | null;
  note: string;
}

const kKeptBodies = 16;
const kSecondThoughts = 8000; // milliseconds in which what was taken away can be brought back
const kStillSeconds = 2; // of a timeline upon no clip

export class Session {
  readonly history = new History<Document>(kEmptyDocument);
  readonly server: ServerMirror;
  /** Not part of the work, so not undone. */
  readonly view = {
    welcome: true,
    selected: [] as string[],
    hover: null as string | null,
    skeleton: true,
    paint: null as Paint | null,
    contacts: false,
    names: "", // whose names the joints of a new skeleton get; empty: limber's own
    follow: true, // the camera goes along with a body that travels
    playing: true,
    time: 0,
    speed: 1,
    preview: null as string | null, // an early result that is shown while its job goes on
    loading: "" as string,
    plausibility: null as number | null,
    doubtful: [] as readonly string[], // joints that spoil the pose
    dragPose: null as Pose | null,
  };
  candidates: Candidates | null = null;
  /** Called for anything to be drawn or said anew. */
  onChange: () => void = () => undefined;
  onMessage: (message: Message) => void = () => undefined;
  /** A body is seen for the first time: the camera may look at it. */
  onFirstSight: () => void = () => undefined;
  private readonly titles = new Map<string, string>(); // that somebody gave to versions
  private readonly takenAway = new Set<string>();
  private readonly bodies = new Map<string, Body>();
  private readonly opening = new Map<string, Promise<Body>>();
  private readonly health = new Map<string, Health>();
  private readonly contactsOf = new Map<string, Contact[]>();
  private readonly checksOf = new Map<string, Checks>();

  constructor(readonly api: Api) {
    this.server = new ServerMirror(
      api,
      () => this.onChange(),
      (job, before) => this.jobChanged(job, before),
    );
  }

  // What there is.
  get document(): Document {
    return this.history.state;
  }
  get shownAsset(): string | null {
    return this.view.preview ?? this.document.asset;
  }
  get asset(): Asset | null {
    return this.server.assets.get(this.document.asset ?? "") ?? null;
  }
  get body(): Body | null {
    return this.bodies.get(this.shownAsset ?? "") ?? null;
  }
  get clip(): ClipSampler | null {
    return this.clipOf(this.body, this.view.preview);
  }
  get duration(): number {
    // The longest of those side by side.
    const shown = this.candidates?.assets.map((id) => this.clipOf(this.bodyOf(id), id)?.duration ?? 0) ?? [];
    return shown.length > 0 ? Math.max(...shown) : (this.clip?.duration ?? kStillSeconds);
  }
  get fps(): number {
    return this.body?.fpsOf(this.clip) ?? 30;
  }
  get span(): Span {
    // What is trimmed is the clip that is worked on.
    const own = this.candidates === null && this.view.preview === null;
    return own ? trimOf(this.document, this.duration) : { from: 0, to: this.duration };
  }
  get report(): Health {
    return this.health.get(this.document.asset ?? "") ?? { report: null, findings: null, kind: null };
  }
  /** Of files that are unpacked or read together. */
  get fileLimits(): Limits {
    return { files: 2000, bytes: Math.min(this.server.uploadLimit, 2 ** 30) };
  }
  get rigged(): boolean {
    return this.body?.skeleton != null;
  }

  bodyOf(asset: string): Body | null {
    return this.bodies.get(asset) ?? null;
  }

  clipOf(body: Body | null, preview: string | null): ClipSampler | null {
    if (!body) return null;
    return (preview ? null : body.clipNamed(this.document.clip)) ?? (preview ? this.bestClip(body, preview) : null);
  }

  get up(): Axis {
    return (this.document.up as Axis | null) ?? nearestAxis(this.report.report?.up?.axis ?? [0, 1, 0]);
  }
  get forward(): Axis {
    return (this.document.forward as Axis | null) ?? nearestAxis(this.report.report?.forward?.axis ?? [0, 0, 1]);
  }
  get forwardVector(): Vector3 {
    return new Vector3(...axisVector(this.forward));
  }
  get sideVector(): Vector3 {
    return new Vector3(...axisVector(this.up)).cross(this.forwardVector);
  }

  /** What somebody said about how it stands and looks. */
  private get facing(): Record<string, unknown> {
    const { up, forward } = this.document;
    return { ...(up ? { up } : {}), ...(forward ? { forward } : {}) };
  }

  selectedJoints(): number[] {
    const body = this.body;
    return body ? this.view.selected.map((name) => body.indexOf(name)).filter((j) => j >= 0) : [];
  }

  // Changing the work.
  change(document: Document, label: string, mergeKey = ""): void {
    this.history.push(document, label, mergeKey);
    this.onChange();
  }

  undo(): void {
    this.travel(() => this.history.undo());
  }
  redo(): void {
    this.travel(() => this.history.redo());
  }

  setKey(pose: Pose, label: string, mergeKey = ""): void {
    this.change(withKeys(this.document, withKey(keysOf(this.document), { time: this.view.time, pose })), label, mergeKey);
  }

  say(text: string, action?: Message["action"]): void {
    this.onMessage({ kind: "info", text, advice: "", action });
  }

  fail(error: unknown): void {
    const known = error instanceof ApiError;
    this.onMessage({
      kind: "error",
      text: plainMessage(error instanceof Error ? capitalise(error.message) : String(error)),
      advice: known ? error.advice : "",
    });
  }

  /** Runs something of which a failure is a message. */
  async attempt<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.fail(error);
      return null;
    }
  }

  // Files.
  async upload(file: File): Promise<void> {
    await this.attempt(async () => {
      if (file.size > this.server.uploadLimit) throw new ApiError(`${file.name} is larger than this server takes`, 413);
      this.view.loading = `Sending ${file.name}`;
      this.onChange();
      const asset = await this.api.upload(file.name, file).finally(() => (this.view.loading = ""));
      this.server.takeAsset(asset);
      const target = this.rigged && !this.view.welcome ? this.document.asset : null;
      try {
        if (target && /\.bvh$/i.test(file.name)) {
          await this.whenReady(asset.id).finally(() => (this.view.loading = ""));
          return await this.carryOver(asset.id, target, { name: file.name.replace(/\.bvh$/i, "") });
        }
        await this.open(asset.id);
        if (target && this.clip) this.offerToCarryOver(asset, target);
      } catch (error) {
        await this.forget(asset.id); // nobody could do anything with it
        throw error;
      }
    });
  }

  /** The clip of another model, or of a recording, for a rigged one. */
  async carryOver(source: string, target: string, options: { clip?: string; name?: string }): Promise<void> {
    const own = target === this.document.asset ? this.facing : {};
    const job = await this.run("retarget", target, { ...own, source, ...options });
    if (job.state === "done" && job.results[0]) await this.open(job.results[0], { label: "Carry a clip over" });
  }

  private offerToCarryOver(source: Asset, target: string): void {
    const first = this.clip!.clip.name;
    const run = (): void => {
      const chosen = this.document.asset === source.id ? (this.document.clip ?? first) : first;
      void this.attempt(() => this.carryOver(source.id, target, { clip: chosen }));
    };
    this.say(`${source.name} has a motion. ${this.titleOf(target)} can have it, too.`, { label: "Carry it over", run });
  }

  /** Takes a file off the server; that it is gone there already is as well. */
  private async forget(id: string): Promise<void> {
    await this.api.remove(id).catch(() => undefined);
    this.server.assets.delete(id);
    this.onChange();
  }

  async example({ body, name, action }: Example, quietly = false): Promise<void> {
    await this.attempt(async () => {
      const job = await this.run("zoo", null, { body, seed: 7, ...(action ? { action } : {}) });
      const result = job.results[0];
      if (job.state === "done" && result) await this.open(result, { label: `Open ${name}`, quietly });
    });
  }

  /** A job that tells something, once it is over. */
  async ask(what: string, asset: string, options: Record<string, unknown> = {}): Promise<unknown> {
    const job = await this.run(what, asset, options);
    return job.state === "done" ? (await this.api.job(job.id)).report : null;
  }

  /** Starts a job and waits until it is over; a job that failed is an error with its message. */
  async run(what: string, asset: string | null, options: Record<string, unknown> = {}): Promise<Job> {
    const job = await this.server.wait(await this.api.start(what, asset, options));
    if (job.state === "failed") throw new ApiError(job.message || `${what} failed`, 500);
    if (["rig", "animate", "retarget"].includes(what))
      for (const warning of job.warnings?.slice(0, 2) ?? []) this.say(capitalise(plainMessage(warning)));
    return job;
  }

  /** Loads an asset and makes it the one that is worked on. */
  async open(id: string, options: { label?: string; quietly?: boolean; first?: boolean } = {}): Promise<void> {
    const body = await this.load(id);
    const asset = this.server.assets.get(id);
    const before = this.body;
    const related = this.isRelated(id, this.document.asset);
    const sameBody = related && this.document.asset !== null;
    this.view.preview = null;
    this.candidates = null;
    if (!options.quietly) this.view.welcome = false;
    const clip = this.bestClip(body, id);
    const opened = {
      ...openAsset(this.document, id, sameBody),
      clip: clip?.clip.name ?? null,
      inPlace: options.quietly || (sameBody && this.document.inPlace),
    };
    if (options.quietly || options.first)
      this.history.rewrite(() => opened); // nothing came before that undo could bring back
    else this.change(opened, options.label ?? `Open ${asset?.name ?? id}`);
    this.view.time = 0;
    this.view.plausibility = null;
    this.view.playing = clip !== null;
    if (!sameBody) this.view.selected = [];
    if (!before || !sameBody) this.onFirstSight();
    this.onChange();
    if (!options.quietly) void this.examine(id);
  }

  // Versions.
  versions(): Group[] {
    return groupVersions(this.server.assets, this.titles, this.takenAway);
  }

  titleOf(id: string): string {
    const { label, name } = this.server.assets.get(id) ?? { label: "", name: id };
    return this.titles.get(id) ?? (label || name);
  }

  rename(id: string, title: string): void {
    if (title.trim()) this.titles.set(id, title.trim());
    this.onChange();
  }

  /** Off the list at once, and off the server when nobody has wanted it back. */
  takeAway(id: string): void {
    if (this.takenAway.has(id)) return;
    const title = this.titleOf(id);
    const siblings = this.versions().find((group) => group.versions.some((version) => version.id === id))?.versions ?? [];
    const all = [...this.versions().flatMap((group) => group.versions), ...siblings]; // of the same model rather than of another
    const other = all.filter((version) => version.id !== id).at(-1);
    if (id === this.document.asset && !other) return this.say("This is the only one. Open another first.");
    this.takenAway.add(id);
    const timer = setTimeout(() => void this.forget(id).then(() => this.takenAway.delete(id)), kSecondThoughts);
    this.say(`"${title}" is taken away.`, {
      label: "Bring it back",
      run: () => {
        clearTimeout(timer);
        this.takenAway.delete(id);
        this.onChange();
      },
    });
    if (id === this.document.asset && other) void this.attempt(() => this.open(other.id, { label: `Open ${other.title}` }));
    this.onChange();
  }

  /** The body of an asset, from memory or from the server once it is ready. */
  load(id: string): Promise<Body> {
    const known = this.bodies.get(id);
    if (known) return Promise.resolve(known);
    const running = this.opening.get(id);
    if (running) return running;
    const loading = this.loadAnew(id).finally(() => this.opening.delete(id));
    this.opening.set(id, loading);
    return loading;
  }

  // Verbs of the server.
  async rig(options: Record<string, unknown> = {}): Promise<void> {
    const asset = this.document.asset;
    if (!asset) return;
    await this.attempt(async () => {
      const job = await this.run("rig", asset, {
        ...this.facing,
        ...(this.rigged && !options["keep_skeleton"] ? { replace: true } : {}),
        ...(this.view.names && !options["keep_skeleton"] ? { names: this.view.names } : {}),
        ...options,
      });
      if (job.state === "done" && job.results[0]) await this.open(job.results[0], { label: "Rig" });
    });
  }

  async animate(options: Record<string, unknown>): Promise<void> {
    const asset = this.document.asset;
    if (!asset) return;
    await this.attempt(async () => {
      const job = await this.run("animate", asset, { ...this.facing, ...options }).catch((error: unknown) => {
        // The program stops where a video seems to show another body; somebody may know better.
        if (!(error instanceof ApiError) || !error.what.includes("--anyway")) throw error;
        const action = { label: "Follow it anyway", run: () => void this.animate({ ...options, anyway: true }) };
        this.onMessage({ kind: "error", text: capitalise(error.what.replace(/;[^;]*--anyway.*$/, "")), advice: "", action });
        return null;
      });
      if (!job) return;
      if (this.view.preview) this.view.preview = null;
      const results = finalResults(job, this.server.assets);
      if (job.state !== "done" || results.length === 0) return this.onChange();
      if (!this.isRelated(results[0]!, this.document.asset)) {
        this.say("A motion for another model is ready.", { label: "Show it", run: () => void this.openResults(job, results) });
        return;
      }
      await this.openResults(job, results);
    });
  }

  async clipJob(options: Record<string, unknown>, label: string): Promise<void> {
    const { asset, clip } = this.document;
    if (!asset || !clip) return;
    await this.attempt(async () => {
      const job = await this.run("clip", asset, { clip, ...options });
      if (job.state === "done" && job.results[0]) await this.open(job.results[0], { label });
    });
  }

  /** Repairs what the checks of the shown clip found, as a new version. */
  async mend(): Promise<void> {
    const { asset, clip } = this.document;
    const faults = (this.checks()?.list ?? []).map((check) => check.mend).filter(Boolean);
    if (!asset || !clip || faults.length === 0) return;
    await this.attempt(async () => {
      const job = await this.run("mend", asset, {
        ...this.facing,
        clip,
        ...Object.fromEntries(faults.map((fault) => [fault, true])),
      });
      if (job.state !== "done" || !job.results[0]) return;
      const { report } = await this.api.job(job.id);
      await this.open(job.results[0], { label: "Mend the clip" });
      this.say(mendedWords(report));
    });
  }

  /** Whether the clip that is worked on is finished; asked of the server once. Null where there is nothing to ask. */
  checks(): Checks | null {
    const { asset, clip } = this.document;
    if (!asset || !clip || !this.rigged || this.shownAsset !== asset || this.view.welcome || this.candidates) return null;
    const key = JSON.stringify([asset, clip, this.facing]);
    const known = this.checksOf.get(key);
    if (known) return known;
    const checks: Checks = { list: null, note: "Checking" };
    this.checksOf.set(key, checks);
    void this.ask("score", asset, { ...this.facing, clip })
      .then(
        (report) => {
          checks.list = readChecks(report);
          checks.note = checks.list ? "" : "This clip cannot be checked";
        },
        (error: unknown) => void (checks.note = plainMessage(error instanceof Error ? capitalise(error.message) : String(error))),
      )
      .then(() => this.onChange());
    return checks;
  }

  async export(format: string, options: Record<string, unknown> = {}): Promise<void> {
    const asset = this.document.asset;
    if (!asset) return;
    await this.attempt(async () => {
      const job = await this.run("export", asset, { format, ...options });
      const result = job.results[0];
      if (job.state !== "done" || !result) return;
      const link = document.createElement("a");
      link.href = this.api.fileAddress(result);
      link.download = this.server.assets.get(result)?.name ?? `export.${format}`;
      link.click();
      this.say(`${link.download} is in your downloads.`);
    });
  }

  async keepCandidate(i: number): Promise<void> {
    const id = this.candidates?.assets[i];
    if (id) await this.attempt(() => this.open(id, { label: "Keep a candidate" }));
  }

  // Overlays that may need the server.
  async setPaint(paint: Paint | null): Promise<void> {
    this.view.paint = paint;
    this.onChange();
    const [asset, body] = [this.document.asset, this.body];
    if (paint !== "parts" || !asset || !body || body.faceLabels) return;
    await this.attempt(async () => {
      body.faceLabels = readFaceLabels(await this.ask("parts", asset));
      this.onChange();
    });
  }

  /** When the body touches the ground in the clip that is shown: the server's word where it has one. */
  contacts(): Contact[] {
    const [asset, body, clip] = [this.shownAsset, this.body, this.clip];
    if (!asset || !body?.skeleton || !clip) return [];
    const key = `${asset}/${clip.clip.name}`;
    let contacts = this.contactsOf.get(key);
    if (!contacts) {
      contacts = ownContacts(body, clip, new Vector3(...axisVector(this.up)));
      this.contactsOf.set(key, contacts);
      if (asset === this.view.preview) return contacts; // it will be gone before the answer
      void this.ask("contacts", asset, { clip: clip.clip.name }).then(
        (report) => {
          const told = readContacts(report);
          if (told) this.contactsOf.set(key, told);
          this.onChange();
        },
        () => undefined, // our own will do
      );
    }
    return contacts;
  }

  // Behind the scenes.
  private async loadAnew(id: string): Promise<Body> {
    const loaded = (): void => {
      this.view.loading = "";
      this.onChange();
    };
    const ready = await this.whenReady(id).finally(loaded);
    this.view.loading = `Loading ${ready.name}`;
    this.onChange();
    try {
      const bytes = await this.api.file(id);
      const skeleton = mayHaveRig(bytes) ? await this.api.skeleton(id).catch(() => null) : null;
      const body = await loadBody(bytes, skeleton).catch(() => {
        throw new ApiError(`${ready.name} cannot be read`, 422);
      });
      this.bodies.set(id, body);
      this.forgetOldBodies();
      return body;
    } finally {
      loaded();
    }
  }

  private async whenReady(id: string): Promise<Asset> {
    for (;;) {
      const asset = this.server.assets.get(id);
      if (asset?.ready) return asset;
      // A file that somebody dropped is of no job, but one may be at it.
      const jobs = [...this.server.jobs.values()];
      const job = jobs.find((j) => j.id === asset?.job) ?? jobs.find((j) => j.do === "import" && j.asset === id);
      if (job && isOver(job) && (job.state !== "done" || !asset))
        throw new ApiError(job.message || `${asset?.name ?? "the file"} could not be read`, 500);
      this.view.loading = `Reading ${asset?.name ?? ""}`;
      this.onChange();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  private forgetOldBodies(): void {
    for (const [id, body] of this.bodies) {
      if (this.bodies.size <= kKeptBodies) return;
      const needed = id === this.shownAsset || id === this.document.asset || this.candidates?.assets.includes(id);
      if (needed) continue;
      body.dispose();
      this.bodies.delete(id);
    }
  }

  private async examine(id: string): Promise<void> {
    const made = this.server.jobs.get(this.server.assets.get(id)?.job ?? "");
    if (this.health.has(id)) return;
    const health: Health = { report: null, findings: null, kind: null };
    this.health.set(id, health);
    // A new motion does not change what the body is: its parent's report holds.
    const parent = this.server.assets.get(id)?.parent;
    const inherited = made && ["animate", "clip"].includes(made.do) && parent ? this.health.get(parent) : undefined;
    if (made?.do === "rig" || (made?.do === "animate" && !inherited?.kind)) void this.readKindOf(made.id, health);
    if (inherited?.report) return void Object.assign(health, inherited);
    health.kind = inherited?.kind ?? null;
    const ask = async (what: string): Promise<unknown> => {
      const told = [...this.server.jobs.values()].find((j) => j.do === what && j.asset === id && j.state === "done");
      return told ? (await this.api.job(told.id)).report : this.ask(what, id);
    };
    await this.attempt(async () => {
      health.report = readInspection(await ask("inspect"));
      this.onChange();
      health.findings = readFindings(await ask("doctor"));
      this.onChange();
    });
  }

  private async readKindOf(job: string, health: Health): Promise<void> {
    const told = await this.api.job(job).catch(() => null); // it is no harm not to know
    health.kind = readKind(told?.report) ?? health.kind;
    this.onChange();
  }

  private isRelated(a: string, b: string | null): boolean {
    return b !== null && rootOf(this.server.assets, a) === rootOf(this.server.assets, b);
  }

  /** The clip to show first: the one the asset was made for, else a gait. */
  private bestClip(body: Body, asset: string): ClipSampler | null {
    const label = this.server.assets.get(asset)?.label;
    const made = this.server.jobs.get(this.server.assets.get(asset)?.job ?? "");
    const before = this.bodies.get(this.server.assets.get(asset)?.parent ?? "");
    // New clips come after those that were there.
    const adds = made?.do === "animate" || made?.do === "retarget";
    const added = adds && before ? body.clips[before.clips.length] : undefined;
    const same = made?.do === "clip" || made?.do === "mend" ? body.clipNamed(this.document.clip) : null; // it took the place of the old one
    const named = added ?? same ?? body.clipNamed(label ?? null) ?? (adds ? body.clips.at(-1) : undefined);
    const gait = ["walk", "trot", "swim", "fly", "slither", "crawl"]
      .map((name) => body.clips.find((c) => c.clip.name.toLowerCase() === name))
      .find(Boolean);
    return named ?? gait ?? body.clips[0] ?? null;
  }

  private async openResults(job: Job, results: string[]): Promise<void> {
    if (results.length === 1) return this.open(results[0]!, { label: "Animate" });
    await Promise.all(results.map((id) => this.load(id)));
    this.candidates = { job: job.id, assets: results, chosen: 0 };
    this.view.time = 0;
    this.view.playing = true;
    this.onChange();
  }

  private jobChanged(job: Job, before: Job | undefined): void {
    const stopped = job.state === "failed" || job.state === "cancelled";
    if (stopped && this.server.assets.get(this.view.preview ?? "")?.job === job.id) this.view.preview = null;
    if (job.do !== "animate" || isOver(job) || job.asset !== this.document.asset) return;
    const news = job.results.slice(before?.results.length ?? 0);
    const newest = news.at(-1);
    if (!newest) return;
    // The first that can be seen, while the rest is made.
    void this.load(newest).then(
      () => {
        if (job.asset !== this.document.asset || isOver(this.server.jobs.get(job.id) ?? job)) return;
        this.view.preview = newest;
        this.view.playing = true;
        this.onChange();
      },
      () => undefined,
    );
  }

  private travel(step: () => boolean): void {
    const before = this.document.asset;
    if (!step()) return;
    this.view.preview = null;
    this.view.plausibility = null;
    this.candidates = null;
    const id = this.document.asset;
    this.view.time = Math.min(this.view.time, this.duration);
    this.onChange();
    if (!id || id === before) return;
    void this.attempt(async () => {
      await this.load(id);
      if (!this.isRelated(id, before)) this.onFirstSight();
      this.onChange();
    });
  }
}

function capitalise(words: string): string {
  if (/^\S+\.\w+/.test(words)) return words; // a file's name
  return words.charAt(0).toUpperCase() + words.slice(1);
}
