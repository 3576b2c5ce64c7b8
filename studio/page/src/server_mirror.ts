// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// What the server has, kept up to date by its events.
import { isOver, type Api, type Asset, type Example, type Job, type KnownAction, type ServerState } from "./api";

export class ServerMirror {
  readonly assets = new Map<string, Asset>();
  readonly jobs = new Map<string, Job>();
  examples: Example[] = [];
  ideas: string[] = [];
  actions: KnownAction[] = [];
  version = "";
  uploadLimit = Infinity;
  connected = false;
  private readonly waiting = new Map<string, ((job: Job) => void)[]>();

  constructor(
    private readonly api: Api,
    private readonly onChange: () => void,
    private readonly onJob: (job: Job, before: Job | undefined) => void,
  ) {}

  async connect(): Promise<void> {
    this.take(await this.api.state());
    const events = new EventSource(this.api.eventsAddress());
    events.addEventListener("job", (event) => this.takeJob(JSON.parse((event as MessageEvent<string>).data) as Job));
    events.addEventListener("asset", (event) => this.takeAsset(JSON.parse((event as MessageEvent<string>).data) as Asset));
    events.addEventListener("removed", (event) => {
      this.assets.delete((JSON.parse((event as MessageEvent<string>).data) as { id: string }).id);
      this.onChange();
    });
    events.addEventListener("open", () => void this.reconnect());
    events.addEventListener("error", () => {
      this.connected = false;
      this.onChange();
    });
  }

  /** The job once it is over; events may have been faster than the answer that told its id. */
  wait(job: Job): Promise<Job> {
    const known = this.jobs.get(job.id);
    if (!known) this.takeJob(job);
    const now = this.jobs.get(job.id)!;
    if (isOver(now)) return Promise.resolve(now);
    return new Promise((resolve) => this.waiting.set(job.id, [...(this.waiting.get(job.id) ?? []), resolve]));
  }

  takeAsset(asset: Asset): void {
    this.assets.set(asset.id, asset);
    this.onChange();
  }

  takeJob(job: Job): void {
    const before = this.jobs.get(job.id);
    if (before && isOver(before)) return; // a late event of before the end
    this.jobs.set(job.id, job);
    this.onJob(job, before);
    if (isOver(job)) {
      for (const resolve of this.waiting.get(job.id) ?? []) resolve(job);
      this.waiting.delete(job.id);
    }
    this.onChange();
  }

  private async reconnect(): Promise<void> {
    // What happened while nobody listened is in the state.
    try {
      this.take(await this.api.state());
    } catch {
      this.connected = false;
    }
    this.onChange();
  }

  private take(state: ServerState): void {
    this.connected = true;
    this.version = state.version;
    this.examples = state.examples ?? [];
    this.ideas = state.ideas ?? [];
    this.actions = state.actions ?? [];
    this.uploadLimit = state.limits?.upload ?? Infinity;
    for (const asset of state.assets) this.assets.set(asset.id, asset);
    for (const job of state.jobs) this.takeJob(job);
  }
}
