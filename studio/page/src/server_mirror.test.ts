// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Api, type Job } from "./api";
import { ServerMirror } from "./server_mirror";

const job = (fields: Partial<Job>): Job => ({
  id: "j1",
  do: "rig",
  asset: "a1",
  state: "running",
  fraction: 0,
  stage: "",
  message: "",
  results: [],
  report: null,
  seconds: 0,
  ...fields,
});
const mirror = (): ServerMirror =>
  new ServerMirror(
    new Api("t"),
    () => undefined,
    () => undefined,
  );

test("waiting ends with the job", async () => {
  const server = mirror();
  const end = server.wait(job({}));
  server.takeJob(job({ fraction: 0.5 }));
  server.takeJob(job({ state: "done", results: ["a2"] }));
  assert.deepEqual((await end).results, ["a2"]);
});

test("events may be faster than the answer that starts a job", async () => {
  const server = mirror();
  server.takeJob(job({ state: "failed", message: "no" }));
  assert.equal((await server.wait(job({ state: "queued" }))).message, "no");
});

test("a late event does not bring a job back to life", () => {
  const server = mirror();
  server.takeJob(job({ state: "cancelled" }));
  server.takeJob(job({ state: "running" }));
  assert.equal(server.jobs.get("j1")?.state, "cancelled");
});
