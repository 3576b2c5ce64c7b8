// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { adviceFor, Api, ApiError } from "./api";
import { readingTime } from "./panels/jobs";

interface Call {
  path: string;
  init: RequestInit;
}

function answering(body: BodyInit | null, init: ResponseInit = {}): { api: Api; calls: Call[] } {
  const calls: Call[] = [];
  const api = new Api("t o&ken", (path, request = {}) => {
    calls.push({ path, init: request });
    return Promise.resolve(new Response(body, init));
  });
  return { api, calls };
}

test("every call carries the token, and names are escaped", async () => {
  const { api, calls } = answering('{"id":"a1"}', { status: 201 });
  const asset = await api.upload("fox & friends/../x.glb", new ArrayBuffer(3));
  assert.equal(asset.id, "a1");
  assert.equal(calls[0]!.path, "/api/assets?name=fox%20%26%20friends%2F..%2Fx.glb");
  assert.equal((calls[0]!.init.headers as Record<string, string>)["X-Limber-Token"], "t o&ken");
  assert.equal(api.fileAddress("a/1"), "/api/assets/a%2F1/file?token=t%20o%26ken");
});

test("jobs are sent as the contract says, without an asset where there is none", async () => {
  const { api, calls } = answering('{"id":"j1"}');
  await api.start("zoo", null, { body: "bird" });
  assert.deepEqual(JSON.parse(calls[0]!.init.body as string), { do: "zoo", options: { body: "bird" } });
  await api.start("rig", "a1");
  assert.deepEqual(JSON.parse(calls[1]!.init.body as string), { do: "rig", asset: "a1", options: {} });
});

test("an error of the server arrives with what, where and kind", async () => {
  const { api } = answering('{"error":{"what":"no such option","where":"/options/colour","kind":"bad_request"}}', {
    status: 400,
  });
  await assert.rejects(api.start("rig", "a1", { colour: 1 }), (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.message, "no such option (/options/colour)");
    assert.equal(error.kind, "bad_request");
    assert.equal(error.status, 400);
    return true;
  });
});

test("an answer that is no JSON is an error as well", async () => {
  await assert.rejects(answering("<html>", { status: 200 }).api.state(), /no JSON/);
  await assert.rejects(answering("oops", { status: 500, statusText: "Internal" }).api.state(), /500 Internal/);
});

test("no answer says that the server may be gone", async () => {
  const api = new Api("t", () => Promise.reject(new TypeError("failed to fetch")));
  await assert.rejects(
    api.state(),
    (error: unknown) => error instanceof ApiError && error.status === 0 && /running/.test(error.advice),
  );
});

test("advice fits the answer", () => {
  assert.match(adviceFor(401, ""), /address/);
  assert.match(adviceFor(413, ""), /smaller/);
  assert.match(adviceFor(422, ""), /whole/);
  assert.match(adviceFor(500, "the job was killed by signal 11"), /health/);
  assert.equal(adviceFor(400, "bad"), "");
  // The page is used by people who type no options.
  for (const status of [0, 401, 403, 413, 421, 422, 429, 503, 500])
    assert.doesNotMatch(adviceFor(status, "out of memory") + adviceFor(status, "crash"), /--/);
});

test("a message stays for as long as it takes to read, and an error longer", () => {
  const message = { kind: "info" as const, text: "It is in your downloads.", advice: "" };
  const plain = readingTime(message);
  assert.ok(plain > 3000 && plain < 6000);
  assert.ok(readingTime({ ...message, advice: "x".repeat(100) }) > plain + 4000);
  assert.ok(readingTime({ ...message, kind: "error" }) > plain);
  assert.ok(readingTime({ ...message, action: { label: "Show it", run: () => undefined } }) > plain);
});
