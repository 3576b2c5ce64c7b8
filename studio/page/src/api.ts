// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// The server's calls as functions. Nothing else in the page knows an address.

export interface Asset {
  id: string;
  name: string;
  kind: "model" | "video" | "picture" | "export";
  parent: string | null;
  job: string | null;
  bytes: number;
  label: string;
  ready: boolean;
}

export type JobState = "queued" | "running" | "done" | "failed" | "cancelled";
export interface Job {
  id: string;
  do: string;
  asset: string | null;
  state: JobState;
  fraction: number | null; // null while it cannot be told
  stage: string;
  message: string;
  warnings?: string[];
  results: string[];
  report?: unknown; // only where one job is asked for
  seconds: number;
}

export interface Example {
  name: string;
  body: string;
  action?: string;
}
/** Something that bodies can be asked to do. */
export interface KnownAction {
  name: string;
  does: string; // "walks"
  words: string[]; // every form of every word for it
  goes: boolean; // it gets the body elsewhere
  needs: string; // limbs without which it cannot be done, in words; empty: any body can
}
export interface ServerState {
  version: string;
  assets: Asset[];
  jobs: Job[];
  examples: Example[];
  ideas: string[]; // prompts for people who have none
  actions?: KnownAction[];
  limits: { upload: number };
}

/** Local rotations (x, y, z, w) of all joints in the order of the skeleton, and the local translation of joint 0. */
export interface Pose {
  rotations: number[][];
  root: number[];
}
export interface JointTarget {
  joint: string;
  position: number[];
}
export interface SolveRequest {
  pose: Pose | null;
  targets: JointTarget[];
  pins: JointTarget[];
  final: boolean;
}
export interface SolveAnswer {
  pose: Pose;
  plausibility: number;
  doubtful?: string[]; // joints that spoil it, the worst first
}
export interface SkeletonJoint {
  name: string;
  parent: number;
  node: number;
  kind?: string;
  side?: string;
}
export interface SkeletonAnswer {
  joints: SkeletonJoint[];
  /** Of each clip of the file: how sure it is of each joint, 0 to 1. Null where nobody told. */
  confidence?: ((number | null)[] | null)[];
}

/** An error of the server or of the way to it, with words about what to do. */
export class ApiError extends Error {
  constructor(
    readonly what: string,
    readonly status: number,
    readonly where = "",
    readonly kind = "",
  ) {
    super(where ? `${what} (${where})` : what);
  }

  get advice(): string {
    return adviceFor(this.status, this.what);
  }
}

/** What somebody can do about an answer, or nothing where the error's own words have to do. */
export function adviceFor(status: number, what: string): string {
  if (status === 0) return "Is limber studio still running? Start it again in the terminal and open the address that it prints.";
  if (status === 401) return "Open the address that limber studio printed when it started: it holds the key.";
  if (status === 403 || status === 421) return "Open the page as http://127.0.0.1 with the port that limber studio printed.";
  if (status === 413) return "Make the file smaller, or start limber studio so that it takes larger ones: its documentation says how.";
  if (status === 422) return "Is the file whole? Write it once more, as GLB 2.0, in the program that made it.";
  if (status === 429 || status === 503) return "Too much at once: wait for a job to end, or cancel one.";
  if (/killed by signal|crash/i.test(what))
    return "The job ended without harm to your session. Try another quality, or ask the health report what is odd about the model.";
  if (/memory/i.test(what)) return "Use a model with fewer triangles, or start limber studio with more memory: its documentation says how.";
  return "";
}

type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

export class Api {
  constructor(
    private readonly token: string,
    private readonly fetchImpl: Fetch = (input, init) => fetch(input, init),
  ) {}

  state(): Promise<ServerState> {
    return this.json("GET", "/api/state");
  }

  upload(name: string, data: Blob | ArrayBuffer): Promise<Asset> {
    return this.json("POST", `/api/assets?name=${encodeURIComponent(name)}`, data, "application/octet-stream");
  }

  async file(asset: string): Promise<ArrayBuffer> {
    return (await this.request("GET", `/api/assets/${encodeURIComponent(asset)}/file`)).arrayBuffer();
  }

  /** An address that a link or a video element can use; it carries the token. */
  fileAddress(asset: string): string {
    return `/api/assets/${encodeURIComponent(asset)}/file?token=${encodeURIComponent(this.token)}`;
  }

  async remove(asset: string): Promise<void> {
    await this.request("DELETE", `/api/assets/${encodeURIComponent(asset)}`);
  }

  start(what: string, asset: string | null, options: Record<string, unknown> = {}): Promise<Job> {
    return this.json(
      "POST",
      "/api/jobs",
      JSON.stringify({ do: what, ...(asset === null ? {} : { asset }), options }),
      "application/json",
    );
  }

  /** The job with its report, which lists and events leave out. */
  job(id: string): Promise<Job> {
    return this.json("GET", `/api/jobs/${encodeURIComponent(id)}`);
  }

  async cancel(job: string): Promise<void> {
    await this.request("DELETE", `/api/jobs/${encodeURIComponent(job)}`);
  }

  skeleton(asset: string): Promise<SkeletonAnswer> {
    return this.json("GET", `/api/assets/${encodeURIComponent(asset)}/skeleton`);
  }

  solve(asset: string, request: SolveRequest): Promise<SolveAnswer> {
    return this.json("POST", `/api/assets/${encodeURIComponent(asset)}/solve`, JSON.stringify(request), "application/json");
  }

  eventsAddress(): string {
    return `/api/events?token=${encodeURIComponent(this.token)}`;
  }

  private async json<T>(method: string, path: string, body?: BodyInit, type?: string): Promise<T> {
    const response = await this.request(method, path, body, type);
    try {
      return (await response.json()) as T;
    } catch {
      throw new ApiError("the server's answer is no JSON", response.status, path);
    }
  }

  private async request(method: string, path: string, body?: BodyInit, type?: string): Promise<Response> {
    const headers: Record<string, string> = { "X-Limber-Token": this.token };
    if (type) headers["Content-Type"] = type;
    let response: Response;
    try {
      response = await this.fetchImpl(path, { method, headers, ...(body === undefined ? {} : { body }) });
    } catch {
      throw new ApiError("limber studio does not answer", 0, path);
    }
    if (!response.ok) throw await errorOf(response);
    return response;
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  try {
    const { error } = (await response.json()) as { error: { what?: string; where?: string; kind?: string } };
    return new ApiError(error.what ?? `the server says ${response.status}`, response.status, error.where, error.kind);
  } catch {
    return new ApiError(`the server says ${response.status} ${response.statusText}`.trim(), response.status);
  }
}

export function isOver(job: Job): boolean {
  return job.state === "done" || job.state === "failed" || job.state === "cancelled";
}
