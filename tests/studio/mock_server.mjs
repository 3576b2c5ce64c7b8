// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// A stand-in for `limber studio` with the same calls: jobs are timers and models are boxes. For tests of the page alone, and to work on it.
// node mock_server.mjs PAGE [--port N] [--models DIR]     DIR may hold example.glb, rigged.glb and moving.glb to show instead of boxes.
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { creature } from "./creature.mjs";

const kTypes = { html: "text/html; charset=utf-8", js: "text/javascript", css: "text/css", txt: "text/plain; charset=utf-8" };
const kPolicy =
  "default-src 'self'; img-src 'self' data: blob:; connect-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; worker-src 'self' blob:";

/** What limber knows to do, as its server tells it. */
function knownActions() {
  const file = join(dirname(fileURLToPath(import.meta.url)), "../../limber/actions/actions.json");
  return JSON.parse(readFileSync(file)).actions.map(({ name, verbs, travels, limbs }) => {
    const forms = verbs.map((verb) => verb.forms ?? verb);
    return { name, does: forms[0][1], words: forms.flat(), goes: travels !== undefined, needs: limbs?.called ?? "" };
  });
}

/** Joints of a GLB's first skin, as the server tells them. */
function skeletonOf(glb) {
  const gltf = JSON.parse(glb.toString("utf8", 20, 20 + glb.readUInt32LE(12)));
  const skin = gltf.skins?.[0];
  if (!skin) return null;
  const parentOf = new Map(gltf.nodes.flatMap((node, n) => (node.children ?? []).map((child) => [child, n])));
  const joints = skin.joints.map((node) => ({
    name: gltf.nodes[node].name,
    parent: skin.joints.indexOf(parentOf.get(node)),
    node,
    kind: /paw|elbow|shoulder/.test(gltf.nodes[node].name) ? "leg" : "trunk",
    side: /\.L$/.test(gltf.nodes[node].name) ? "left" : /\.R$/.test(gltf.nodes[node].name) ? "right" : "middle",
  }));
  const confidence = (gltf.animations ?? []).map(() => joints.map((_, j) => 0.35 + 0.65 * (((j * 37) % 100) / 100)));
  return { joints, confidence };
}

/** What is told of a clip: a tail below the floor and a seam that cracks, until they are mended. */
function scoreOf(clip, mended) {
  const check = (value, allowed, unit, words = "", mend = "") => ({ passed: value <= allowed, value, allowed, unit, words, mend });
  const why = (words) => ({ passed: null, allowed: 0, unit: "heights", words, mend: "" });
  return {
    clips: [
      {
        clip,
        unplayable: "",
        checks: {
          loop: check(0, 1e-4, "heights"),
          contact: why("has no legs that could stand"),
          floor: mended
            ? check(0, 0.005, "heights")
            : check(0.031, 0.005, "heights", "the tail is 3.1 % of the height below the floor, in 12 of 40 frames", "floor"),
          drift: check(0.1, 1, "degrees"),
          flips: check(12, 90, "degrees"),
          skin: check(1.8, 3, "times"),
        },
      },
    ],
    model: {
      weights: mended
        ? check(0, 0, "vertices")
        : check(12, 0, "vertices", "12 vertices where a seam cracks open: copies of one vertex follow other joints", "weights"),
      leak: check(0.01, 0.02, "heights"),
    },
  };
}

/** A job as lists and events tell of it. */
const brief = ({ report: _, ...job }) => job;

export class MockStudio {
  token = "mock-token";
  assets = new Map();
  files = new Map();
  jobs = new Map();
  listeners = new Set();
  requests = []; // what the page asked, for tests to look at
  next = 1;
  hold = false; // whether jobs that animate wait half way until it is taken away

  constructor(page, { models = null, pace = 1 } = {}) {
    this.page = page;
    this.pace = pace;
    this.models = models;
    this.server = createServer(
      (request, response) => void this.answer(request, response).catch((error) => this.error(response, 500, String(error))),
    );
  }

  listen(port = 0) {
    return new Promise((resolve) =>
      this.server.listen(port, "127.0.0.1", () => resolve(`http://127.0.0.1:${this.server.address().port}/?token=${this.token}`)),
    );
  }

  close() {
    for (const response of this.listeners) response.end();
    this.server.close();
  }

  model(name, fallback) {
    const path = this.models && join(this.models, `${name}.glb`);
    return path && existsSync(path) ? readFileSync(path) : fallback();
  }

  addAsset(fields, bytes) {
    const asset = {
      id: `a${this.next++}`,
      kind: "model",
      parent: null,
      job: null,
      bytes: bytes.length,
      label: "",
      ready: true,
      ...fields,
    };
    this.assets.set(asset.id, asset);
    this.files.set(asset.id, bytes);
    this.send("asset", asset);
    return asset;
  }

  send(event, data) {
    for (const response of this.listeners) response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  async answer(request, response) {
    const url = new URL(request.url, "http://127.0.0.1");
    response.setHeader("Content-Security-Policy", kPolicy);
    if (!url.pathname.startsWith("/api/")) return this.static(url.pathname, response);
    if ((request.headers["x-limber-token"] ?? url.searchParams.get("token")) !== this.token)
      return this.error(response, 401, "the token is wrong");
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const path = url.pathname.slice(5).split("/");
    const call = `${request.method} ${path[0]}${path.length > 2 ? `/${path[2]}` : ""}`;
    const json = () => JSON.parse(body.toString());
    this.requests.push({
      call,
      path: url.pathname,
      body: body.length < 1e5 && request.headers["content-type"] === "application/json" ? json() : null,
    });
    switch (call) {
      case "GET state":
        return this.reply(response, 200, {
          version: "mock",
          assets: [...this.assets.values()],
          jobs: [...this.jobs.values()].map(brief),
          ideas: ["it walks", "it runs"],
          examples: ["Quadruped", "Biped", "Bird", "Hexapod", "Fish", "Snake", "Theropod", "Dragon"].map((name) => ({
            name,
            body: name.toLowerCase(),
          })),
          actions: knownActions(),
          limits: { upload: 256e6 },
        });
      case "GET events":
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        response.write(": hello\n\n");
        this.listeners.add(response);
        return request.on("close", () => this.listeners.delete(response));
      case "POST assets":
        return this.reply(response, 201, this.upload(url.searchParams.get("name"), body));
      case "GET assets/file":
        response.writeHead(200, {
          "Content-Type": "application/octet-stream",
          "Content-Disposition": `attachment; filename="${this.assets.get(path[1])?.name}"`,
        });
        return response.end(this.files.get(path[1]));
      case "GET assets/skeleton": {
        const skeleton = skeletonOf(this.files.get(path[1]));
        return skeleton ? this.reply(response, 200, skeleton) : this.error(response, 409, "the model has no rig");
      }
      case "POST assets/solve":
        return this.reply(response, 200, { pose: json().pose, plausibility: 0.87 });
      case "POST jobs":
        return this.reply(response, 201, brief(this.start(json())));
      case "GET jobs":
        return this.reply(response, 200, this.jobs.get(path[1]));
      case "DELETE assets":
        return this.remove(path[1], response);
      case "DELETE jobs":
        return this.cancel(path[1], response);
      default:
        return this.error(response, 404, "there is no such call");
    }
  }

  upload(name, bytes) {
    const isModel = /\.(glb|obj|fbx|bvh)$/i.test(name);
    // Others than GLB are made one by a job; of "broken" ones nothing can be made.
    const broken = /broken\.obj$/.test(name);
    const asset = this.addAsset({ name, kind: isModel ? "model" : "video", ready: !broken }, bytes);
    if (broken) this.start({ do: "import", asset: asset.id, options: {} });
    return asset;
  }

  remove(id, response) {
    this.assets.delete(id);
    this.send("removed", { id });
    response.writeHead(204);
    response.end();
  }

  static(path, response) {
    const name = path === "/" ? "index.html" : path.slice(1);
    const file = join(this.page, name);
    if (!/^[a-z]+\.(html|js|css|txt)$/.test(name) || !existsSync(file)) return this.error(response, 404, "there is no such file");
    response.writeHead(200, { "Content-Type": kTypes[name.split(".").pop()] });
    createReadStream(file).pipe(response);
  }

  reply(response, status, value) {
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(value));
  }

  error(response, status, what) {
    this.reply(response, status, { error: { what, where: "", kind: "mock" } });
  }

  start({ do: what, asset = null, options }) {
    const job = {
      id: `j${this.next++}`,
      do: what,
      asset,
      state: "running",
      fraction: 0,
      stage: "starting",
      message: "",
      results: [],
      report: null,
      seconds: 0,
    };
    this.jobs.set(job.id, job);
    const steps = { animate: 10, rig: 4 }[what] ?? 1;
    let done = 0;
    const tick = () => {
      if (job.state !== "running") return undefined;
      if (this.hold && what === "animate" && done === 5) return setTimeout(tick, 20);
      job.fraction = ++done / steps;
      job.stage = what === "animate" ? (done < 4 ? "sampling" : "lifting") : what;
      if (what === "animate" && done === 4)
        job.results.push(
          this.addAsset({ name: "preview.glb", parent: asset, job: job.id, label: "preview" }, this.moving(options)).id,
        );
      if (done >= steps) this.finish(job, options);
      this.send("job", brief(job));
      return job.state === "running" ? setTimeout(tick, 30 * this.pace) : undefined;
    };
    setTimeout(tick, 20 * this.pace);
    return job;
  }

  moving(options) {
    return this.model("moving", () => creature({ clipName: options.clips?.[0] ?? options.prompt ?? "video" }));
  }

  finish(job, options) {
    const source = this.assets.get(job.asset);
    const add = (fields, bytes) =>
      job.results.push(this.addAsset({ name: source?.name ?? "body.glb", parent: job.asset, job: job.id, ...fields }, bytes).id);
    const zUp = /zup/.test(source?.name ?? "");
    job.state = "done";
    if (job.do === "import")
      return Object.assign(job, { state: "failed", message: "broken.obj:1: no number; `limber doctor` or --repair may help" });
    if (/crash/.test(options.prompt ?? ""))
      return Object.assign(job, { state: "failed", message: "the job was killed by signal 11" });
    if (options.video && !options.anyway)
      return Object.assign(job, { state: "failed", message: "fox.mp4: the video seems to show another body; --anyway keeps what there is" });
    switch (job.do) {
      case "zoo":
        return add(
          { name: `${options.body}.glb`, parent: null },
          this.model("example", () => creature()),
        );
      case "rig":
        job.report = { skeleton: { template: "quadruped", confidence: 0.52, runner_up: "lizard" } };
        return add(
          { label: "rigged" },
          this.model("rigged", () => creature({ clip: false })),
        );
      case "animate":
        for (let i = 0; i < (options.candidates ?? 1); ++i)
          add({ label: options.clips ? "pack" : (options.prompt ?? "as in the video") }, this.moving(options));
        return undefined;
      case "retarget":
        return add({ label: "carried" }, creature({ clipName: "carried" }));
      case "clip":
        return add({ label: "changed" }, this.files.get(job.asset));
      case "score":
        return (job.report = scoreOf(options.clip, source.label === "mended"));
      case "mend":
        add({ label: "mended" }, this.files.get(job.asset));
        return (job.report = {
          clips: [{ clip: options.clip, repaired: ["floor"], mean_turn_deg: 0.26, left: [] }],
          weights: { vertices: 12, mean: 0.1 },
          left: [],
        });
      case "export":
        return add({ name: `export.${options.format}`, kind: "export" }, Buffer.from("exported"));
      case "inspect":
        return (job.report = {
          mesh: { vertices: 480, triangles: 240, components: 1, bounds_min: [-0.2, 0, -0.7], bounds_max: [0.2, 1.04, 0.8] },
          rig: { joints: 20 },
          up: { axis: zUp ? [0, 0, 1] : [0, 1, 0], confidence: 0.98, reason: "it stands on its feet" },
          forward: { axis: zUp ? [0, -1, 0] : [0, 0, 1], confidence: 0.55, reason: "a quadruped fits best this way round" },
          clips: [],
          warnings: [],
        });
      case "doctor":
        return (job.report = {
          findings: [
            {
              severity: "warning",
              topic: "stretch",
              what: "the skin is stretched 3.6 times; 3.5 is usual at most",
              where: "sneak",
              help: "`limber rig` with --keep-skeleton solves the weights anew",
              fields: [{ command: "rig", field: "keep_skeleton", value: "true" }],
            },
          ],
        });
      case "contacts":
        return (job.report = {
          contacts: {
            clip: options.clip,
            joints: [
              { name: "paw.L", spans: [[0, 0.4]] },
              { name: "toe.R", spans: [[0.5, 0.9]] },
            ],
          },
        });
      case "parts":
        return (job.report = { face_labels: Array.from({ length: 1e5 }, (_, i) => Math.floor(i / 12)) });
      default:
        return undefined;
    }
  }

  cancel(id, response) {
    const job = this.jobs.get(id);
    if (!job) return this.error(response, 404, "there is no such job");
    job.state = "cancelled";
    this.send("job", brief(job));
    return this.reply(response, 202, brief(job));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : null);
  const studio = new MockStudio(process.argv[2], { models: option("--models"), pace: 8 });
  console.log(await studio.listen(Number(option("--port") ?? 0)));
}
