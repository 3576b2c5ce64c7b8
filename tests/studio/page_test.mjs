// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Uses the page as somebody would, in Chromium with real WebGL pixels: against `limber studio` where the program has it, else against the mock.
// node page_test.mjs --page FOLDER --modules NODE_MODULES [--limber PROGRAM] [--shots FOLDER]
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { creature } from "./creature.mjs";
import { MockStudio } from "./mock_server.mjs";
import { mockKeySteps, mockSteps } from "./page_mock_steps.mjs";
import { apart, faintWords, namelessControls, zip } from "./page_tools.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : null);
const pageFolder = resolve(option("--page") ?? join(here, "../../studio/page/dist"));
const modules = resolve(option("--modules") ?? join(here, "../../studio/page/node_modules"));
const shots = option("--shots");
const kBrowsers = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const kFlags = [
  "--enable-unsafe-swiftshader",
  "--use-angle=swiftshader",
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];
const kSkipped = 77; // what ctest takes for a test that was not run

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(kSkipped);
}

if (!existsSync(join(pageFolder, "app.js"))) skip(`there is no page in ${pageFolder}; npm run build makes it`);
const executablePath =
  kBrowsers.find((path) => path && existsSync(path)) ?? skip("there is no Chromium; tools/setup.sh --check installs it");
if (!existsSync(join(modules, "playwright-core"))) skip(`there is no playwright-core in ${modules}; npm ci fetches it`);
const { chromium } = createRequire(join(modules, "any.js"))("playwright-core");

/** The real server where there is one. */
async function startServer() {
  const limber = option("--limber");
  if (limber && spawnSync(limber, ["studio", "--help"]).status === 0) {
    const child = spawn(limber, ["studio", "--no-browser", "--assets", pageFolder], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await Promise.race([
      new Promise((found) => createInterface(child.stdout).once("line", (text) => found([text]))),
      new Promise((_, fail) => child.once("exit", (code) => fail(new Error(`limber studio ended with ${code}`)))),
    ]);
    return { url: /https?:\/\/\S+/.exec(line)[0], mock: null, stop: () => child.kill("SIGTERM") };
  }
  const mock = new MockStudio(pageFolder);
  return { url: await mock.listen(), mock, stop: () => mock.close() };
}

const started = Date.now();
const server = await startServer();
const browser = await chromium.launch({ executablePath, args: kFlags });
const page = await browser.newPage({
  viewport: shots ? { width: 1440, height: 860 } : { width: 1120, height: 680 },
  acceptDownloads: true,
  colorScheme: "dark",
});
page.setDefaultTimeout(20000);
const troubles = [];
page.on("pageerror", (error) => troubles.push(String(error)));
page.on("console", (message) => {
  if (message.type() === "error" && !/status of 429/.test(message.text())) troubles.push(`${message.text()} ${message.location().url.replace(/token=.*/, "")}`);
});
page.on("request", (request) => {
  if (!request.url().startsWith(new URL(server.url).origin) && !/^(data|blob):/.test(request.url()))
    troubles.push(`asks elsewhere: ${request.url()}`);
});

async function step(name, work) {
  const from = Date.now();
  await work();
  console.log(`ok ${name} (${((Date.now() - from) / 1000).toFixed(1)} s)`);
}

/** Until what was asked for is drawn. */
const drawn = () =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));

async function shot(name) {
  if (!shots) return;
  await drawn();
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
}

/** Mean and standard deviation of the brightness of a part of the picture, as the browser shows it, and a hash of its pixels. */
async function pixels([left, top, right, bottom] = [0.25, 0.2, 0.75, 0.8]) {
  await drawn();
  const box = await page.locator(".stage canvas").boundingBox();
  const clip = {
    x: box.x + box.width * left,
    y: box.y + box.height * top,
    width: box.width * (right - left),
    height: box.height * (bottom - top),
  };
  const picture = (await page.screenshot({ clip })).toString("base64");
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data: rgba } = context.getImageData(0, 0, canvas.width, canvas.height);
    let [sum, squares, hash] = [0, 0, 0];
    for (let i = 0; i < rgba.length; i += 4) {
      const value = (rgba[i] + rgba[i + 1] + rgba[i + 2]) / 3;
      sum += value;
      squares += value * value;
      hash = (Math.imul(hash, 31) + rgba[i] + rgba[i + 1] * 256) | 0;
    }
    const n = rgba.length / 4;
    return { mean: sum / n, deviation: Math.sqrt(squares / n - (sum / n) ** 2), hash };
  }, picture);
}

const studio = (expression) => page.evaluate(`(() => { const { session, viewer } = limberStudio; return ${expression}; })()`);
const shown = () =>
  page.waitForFunction(() => globalThis.limberStudio?.session.body !== null && !limberStudio.session.view.loading);

const drop = (name, bytes) => dropAll({ [name]: bytes });

async function dropAll(files) {
  const transfer = await page.evaluateHandle(
    (list) => {
      const dropped = new DataTransfer();
      for (const [label, data] of list) dropped.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], label));
      return dropped;
    },
    Object.entries(files).map(([name, bytes]) => [name, bytes.toString("base64")]),
  );
  await page.dispatchEvent("main", "drop", { dataTransfer: transfer });
}

/** Where a joint is on the screen, in pixels of the page. */
async function jointAt(name) {
  await drawn();
  const box = await page.locator(".stage canvas").boundingBox();
  const point = await studio(`viewer.jointsOnScreen(0)[session.body.indexOf(${JSON.stringify(name)})]`);
  return { x: box.x + point.x, y: box.y + point.y };
}

/** How far to the edges of the picture the skin comes: 1 is at the edge; and where its middle is, all now or at a time of the clip. */
async function skinOnScreen(time = null) {
  if (time !== null) await studio(`void (session.view.time = ${time} * session.duration, session.onChange())`);
  await drawn();
  return page.evaluate(() => {
    const { session, viewer } = limberStudio;
    const p = viewer.camera.position.clone();
    const [low, high] = [p.clone().setScalar(Infinity), p.clone().setScalar(-Infinity)];
    const body = session.candidates ? session.bodyOf(session.candidates.assets[0]) : session.body;
    for (const { mesh } of body.parts) {
      for (let i = 0; i < mesh.geometry.attributes.position.count; ++i) {
        mesh.getVertexPosition(i, p).applyMatrix4(mesh.matrixWorld).project(viewer.camera);
        low.min(p);
        high.max(p);
      }
    }
    return {
      most: Math.max(-low.x, -low.y, high.x, high.y),
      least: Math.max(high.x - low.x, high.y - low.y) / 2,
      middle: [(low.x + high.x) / 2, (low.y + high.y) / 2],
    };
  });
}

const kKeys = "(session.document.keys[session.document.clip ?? 'rest'] ?? []).length";

const tools = { page, server, step, shot, studio, drawn, drop, skinOnScreen };

try {
  await step("the page is small, and says whose code it holds", async () => {
    const bytes = ["index.html", "app.js", "app.css", "notices.txt"].map((name) => statSync(join(pageFolder, `${name}.gz`)).size);
    const total = bytes.reduce((sum, size) => sum + size, 0);
    assert.ok(total < 400e3, `${total} bytes gzipped`);
    assert.match(readFileSync(join(pageFolder, "notices.txt"), "utf8"), /three .*MIT/);
    const lock = readFileSync(join(here, "../../studio/page/package-lock.json"), "utf8");
    assert.doesNotMatch(lock, /"resolved"/, "the lock file names a registry");
  });

  await step("the first screen shows a moving example", async () => {
    await page.goto(server.url);
    await shown();
    await page.waitForFunction(() => limberStudio.session.view.playing);
    const first = await pixels();
    await page.waitForTimeout(400);
    const second = await pixels();
    assert.ok(first.deviation > 8, `the picture is flat: ${first.deviation}`);
    assert.notEqual(first.hash, second.hash, "nothing moves");
    assert.equal(new URL(page.url()).search, "", "the token stays in the address");
    await shot("first");
  });

  await step("a dropped GLB is shown with its report", async () => {
    await drop("boxes.glb", creature());
    await page.waitForFunction(() => limberStudio.session.asset?.name === "boxes.glb");
    await shown();
    await page.getByText("triangles").waitFor();
    await page.waitForFunction(() => limberStudio.session.report.findings !== null);
    assert.equal(await studio("session.body.joints.length"), 20);
    assert.ok((await pixels()).deviation > 8);
    await shot("dropped");
  });

  await step("the clip's checks are told in words, with a number, and no option of the command line", async () => {
    await page.waitForFunction(() => (limberStudio.session.checks()?.list?.length ?? 0) === 8);
    assert.equal(await page.locator("#finish-panel li").count(), 8);
    const words = (await page.locator("#finish-panel").innerText()) + (await page.locator("aside.left").innerText());
    assert.match(words, /Floor .* the floor/);
    assert.doesNotMatch(words, /--|`/);
  });

  await step("the floor is light enough, and has marks, for feet that slide to be seen", async () => {
    const floor = await pixels([0.7, 0.8, 0.95, 0.97]);
    assert.ok(floor.mean > 75, `the floor is dark: ${floor.mean}`);
    assert.ok(floor.deviation > 2, `the floor is plain: ${floor.deviation}`);
  });

  await step("the camera sees all of a motion and goes along with it, however the file stands", async () => {
    await drop("zup.glb", creature({ zUp: true, way: 6 }));
    await page.waitForFunction(() => limberStudio.session.asset?.name === "zup.glb" && limberStudio.session.report.findings !== null);
    if (!server.mock) await studio(`void session.change({ ...session.document, up: "+z", forward: "-y" }, "Turn")`);
    await studio("void (session.view.playing = false)");
    await page.locator(".stage canvas").focus();
    for (const [view, key] of Object.entries({ corner: "f", side: "b", front: "n", top: "o" })) {
      if (view !== "corner") await page.keyboard.press(key);
      const first = await skinOnScreen(0);
      assert.ok(first.least > 0.3, `${view}: it is small: ${first.least}`);
      for (const time of [0.01, 0.3, 0.6, 0.99]) {
        const { most, middle } = await skinOnScreen(time);
        assert.ok(most < 1, `${view} at ${time}: it is cropped: ${most}`);
        assert.ok(Math.abs(middle[0] - first.middle[0]) < 0.25, `${view} at ${time}: it leaves the middle: ${middle}`);
      }
      await shot(`view_${view}`);
    }
    await page.locator("#view-side").click();
    const facing = await studio("viewer.direction.dot(session.forwardVector.applyQuaternion(session.body.holder.quaternion))");
    assert.ok(Math.abs(facing) < 0.01, `not from beside it: ${facing}`);
    assert.ok((await studio("session.body.jointPosition(session.body.indexOf('nose')).project(viewer.camera).x")) > 0, "it faces left");
    await page.locator("#view-side").click();
    assert.ok((await studio("session.body.jointPosition(session.body.indexOf('nose')).project(viewer.camera).x")) < 0, "not from the other side");

    const camera = await studio("viewer.camera.position.toArray()");
    await page.keyboard.press("g");
    await drawn();
    assert.equal(await page.locator("#follow").getAttribute("aria-pressed"), "false");
    await skinOnScreen(0);
    assert.deepEqual(await studio("viewer.camera.position.toArray()"), camera, "it follows though it should not");
    await page.keyboard.press("f");
    for (const time of [0, 0.5, 0.99]) assert.ok((await skinOnScreen(time)).most < 1, `not all of the way is seen: ${time}`);
    await page.keyboard.press("g");
    await page.locator("#undo").click();
    if (!server.mock) await page.locator("#undo").click();
    await page.waitForFunction(() => limberStudio.session.asset?.name === "boxes.glb");
  });

  await step("scrubbing pauses and moves the body, keys step by frames and tenths", async () => {
    const track = await page.locator(".timeline canvas").boundingBox();
    await page.mouse.move(track.x + track.width * 0.2, track.y + 8);
    await page.mouse.down();
    const before = await pixels();
    await page.mouse.move(track.x + track.width * 0.6, track.y + 8, { steps: 3 });
    await page.mouse.up();
    assert.equal(await studio("session.view.playing"), false);
    const time = await studio("session.view.time / session.duration");
    assert.ok(Math.abs(time - 0.6) < 0.05, `at ${time}`);
    assert.notEqual(before.hash, (await pixels()).hash);
    await page.locator(".stage canvas").focus();
    const frame = await studio("session.view.time * session.fps");
    await page.keyboard.press("ArrowRight");
    assert.ok(Math.abs((await studio("session.view.time * session.fps")) - frame - 1) < 1e-6);
    await page.keyboard.press("Shift+ArrowLeft");
    assert.ok(Math.abs((await studio("session.view.time * session.fps")) - frame - 0.9) < 1e-6);
  });

  await step("a dragged joint follows the mouse, the camera does not move, undo and redo work", async () => {
    await page.keyboard.press("ArrowRight");
    await drawn(); // the camera goes along with the clip, not with what is dragged
    const camera = await studio("viewer.camera.position.toArray()");
    const from = await jointAt("paw.L");
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 25, from.y - 30, { steps: 6 });
    const during = await jointAt("paw.L");
    assert.ok(Math.hypot(during.x - from.x - 25, during.y - from.y + 30) < 14, "the paw is not under the mouse");
    await shot("drag");
    await page.mouse.up();
    await page.waitForFunction(
      () => limberStudio.session.history.undoLabel === "Pose a joint" && !limberStudio.session.view.dragPose,
    );
    assert.equal(await studio(kKeys), 1);
    assert.deepEqual(await studio("viewer.camera.position.toArray()"), camera);
    const after = await jointAt("paw.L");
    assert.ok(Math.hypot(after.x - from.x, after.y - from.y) > 10, "the pose was not kept");
    await page.keyboard.press("Control+z");
    assert.equal(await studio(kKeys), 0);
    const undone = await jointAt("paw.L");
    assert.ok(Math.hypot(undone.x - from.x, undone.y - from.y) < 1, "undo does not bring the pose back");
    await page.keyboard.press("Control+Shift+z");
    assert.equal(await studio(kKeys), 1);
  });

  await step("the joint under the mouse is named", async () => {
    const { x, y } = await jointAt("paw.R");
    await page.mouse.move(x, y);
    await page.locator(".joint-label").getByText("paw.R").waitFor();
    if (server.mock) assert.equal(await page.locator(".joint-label").innerText(), "paw.R  right leg");
    await shot("hover");
    await page.mouse.move(10, 10);
    await page.locator(".joint-label").getByText("paw.L").waitFor(); // which is selected
  });

  await step("pins, mirror, hidden chains and overlays by keyboard", async () => {
    await page.keyboard.press("p");
    assert.deepEqual(await studio("session.document.pins.map((pin) => pin.joint)"), ["paw.L"]);
    await page.keyboard.press("m");
    await page.keyboard.press("h");
    assert.ok((await studio("session.document.hidden")).includes("elbow.L"));
    await page.keyboard.press("Shift+h");
    const plain = await pixels();
    await page.keyboard.press("j");
    await page.keyboard.press("w");
    assert.notEqual((await pixels()).hash, plain.hash, "weights are not shown");
    await shot("weights");
    await page.keyboard.press("w");
    await page.keyboard.press("x");
    await page.keyboard.press("x");
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keyboard" }).waitFor();
    await shot("help");
    await page.keyboard.press("Escape");
  });

  await step("what limber knows to do is listed and searched, and fills the prompt, by keyboard alone", async () => {
    await page.locator(".stage canvas").focus();
    await page.keyboard.press("q");
    await page.waitForFunction(() => document.activeElement?.id === "action-search");
    assert.ok((await page.locator("#action-list button").count()) > 50);
    await shot("actions");
    await page.keyboard.type("backflip");
    assert.deepEqual(await page.locator("#action-list button").allInnerTexts(), ["somersaults"]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#prompt").inputValue(), "it somersaults");
    await page.locator("#action-search").fill("walk");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#prompt").inputValue(), "it walks");
    await page.locator("#prompt").fill("a fox runs");
    await page.locator("#action-search").fill("rest lie");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#prompt").inputValue(), "a fox runs, then lies down");
    await page.locator("#prompt").fill("a fox galops");
    await page.getByText('"gallops" may be near').waitFor();
    await page.locator("#prompt").fill("");
    await page.locator(".actions summary").click();
  });

  await step("words are told from their ground in the dark and in the light, and every control has a name", async () => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      const floor = await pixels([0.7, 0.8, 0.95, 0.97]);
      assert.ok(floor.deviation > 2 && (colorScheme === "light" ? floor.mean > 150 : floor.mean < 140), `${colorScheme}: ${floor.mean}`);
      assert.deepEqual(await faintWords(page), [], colorScheme);
      await shot(colorScheme);
    }
    assert.deepEqual(await namelessControls(page), []);
  });

  await step("the keyboard reaches every control, and the focus is seen", async () => {
    await page.locator(".top button").first().focus();
    const reached = new Set();
    for (let i = 0; i < 200; ++i) {
      const [id, seen] = await page.evaluate(() => {
        const element = document.activeElement;
        element.dataset.reached ??= String(Math.random());
        return [element.dataset.reached, element === document.body || getComputedStyle(element).outlineStyle !== "none"];
      });
      assert.ok(seen || i === 0, await page.evaluate(() => `no outline: ${document.activeElement.outerHTML.slice(0, 120)}`));
      if (reached.has(id)) break;
      reached.add(id);
      await page.keyboard.press("Tab");
    }
    const missed = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, select, textarea, canvas, summary, [tabindex]")]
        .filter((e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0 && !e.dataset.reached)
        .map((e) => e.outerHTML.slice(0, 100)),
    );
    assert.deepEqual(missed, []);
  });

  await step("keys are moved and cameras turned without a mouse", async () => {
    await page.locator(".stage canvas").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    const at = async () => (await studio("session.document.keys[session.document.clip].map((key) => key.time * session.fps)"))[0];
    const before = await at();
    await page.keyboard.press("Control+ArrowRight");
    assert.ok(Math.abs((await at()) - Math.floor(before + 1)) < 1e-3, `${before} to ${await at()}`);
    const height = await studio("viewer.direction.y");
    await page.keyboard.press("PageUp");
    assert.ok((await studio("viewer.direction.y")) > height + 0.05);
    await page.keyboard.press("Alt+j");
    assert.equal(await studio("session.view.selected.length"), 2);
    await page.keyboard.press("f");
  });

  await step("on a phone the picture stays, with one panel below it", async () => {
    const { width, height } = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    await drawn();
    const canvas = await page.locator(".stage canvas").boundingBox();
    assert.ok(canvas.width >= 380 && canvas.height >= 250 && canvas.y < 100, JSON.stringify(canvas));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.ok((await skinOnScreen()).most < 1, "it is cropped");
    assert.ok(await page.locator("#prompt").isVisible());
    assert.ok(!(await page.locator("#rig").isVisible()));
    await shot("phone");
    await page.locator("#tab-left").click();
    assert.ok(await page.locator("#rig").isVisible());
    assert.ok(!(await page.locator("#prompt").isVisible()));
    await shot("phone_model");
    await page.locator(".stage canvas").focus();
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "prompt"); // its panel comes up
    await page.setViewportSize({ width, height });
    await drawn();
  });

  if (server.mock) await mockSteps(tools);

  await step("the front is turned and a bare model is rigged", async () => {
    await drop("statue.glb", creature({ rigged: false }));
    await page.waitForFunction(() => limberStudio.session.asset?.name === "statue.glb");
    await page.waitForFunction(() => limberStudio.session.report.report !== null);
    const front = await studio("session.forward");
    await page.locator("#turn-front").click();
    assert.notEqual(await studio("session.forward"), front);
    if (!server.mock) await page.locator("#undo").click(); // that was the right one
    if (server.mock) await page.locator("#bone-names").selectOption("unity"); // which only people have
    await page.locator("#rig").click();
    await page.waitForFunction(() => limberStudio.session.rigged);
    await page.locator("#kind").waitFor();
    assert.match(await page.locator("#kind").innerText(), server.mock ? /^quadruped 52 %, or lizard$/ : /^\w+ \d+ %/);
    if (server.mock) {
      const asked = server.mock.requests.filter((r) => r.body?.do === "rig").at(-1).body.options;
      assert.deepEqual(asked, { forward: "+x", names: "unity" });
    }
  });

  if (server.mock) await mockKeySteps(tools);

  await step("a .gltf is opened with its files, and out of a .zip", async () => {
    const [scene, binary] = apart(creature({ clip: false }));
    await dropAll({ "scene.gltf": scene });
    await page.getByText("names my scene.bin, which is not here").waitFor();
    await dropAll({ "together.gltf": scene, "my scene.bin": binary });
    await page.waitForFunction(() => limberStudio.session.asset?.name === "together.glb" && limberStudio.session.rigged);
    const archive = { "model/license.txt": Buffer.from("CC0"), "model/zipped.gltf": scene, "model/my scene.bin": binary };
    await drop("fox.zip", zip(archive));
    await page.waitForFunction(() => limberStudio.session.asset?.name === "zipped.glb" && limberStudio.session.rigged);
    const folder = mkdtempSync(join(tmpdir(), "limber-studio-"));
    mkdirSync(join(folder, "parts"));
    writeFileSync(join(folder, "folder.gltf"), JSON.stringify({ ...JSON.parse(scene), buffers: [{ uri: "parts/a.bin", byteLength: binary.length }] }));
    writeFileSync(join(folder, "parts", "a.bin"), binary);
    await page.locator("input[webkitdirectory]").setInputFiles(folder);
    await page.waitForFunction(() => limberStudio.session.asset?.name === "folder.glb" && limberStudio.session.rigged);
    rmSync(folder, { recursive: true });
    await drop("bad.zip", zip(archive).subarray(40));
    await page.getByText("bad.zip is damaged").waitFor();
    await drop("notes.txt", Buffer.from("hello"));
    await page.getByText("notes.txt is neither a model").waitFor();
    for (const _ of ["folder", "zip", "together"]) await page.locator("#undo").click();
    await page.locator(".stage canvas").focus();
    while ((await page.locator(".message").count()) > 0) await page.keyboard.press("Escape");
  });

  await step("the model is exported", async () => {
    const download = page.waitForEvent("download");
    await page.locator("#export-glb").click();
    const path = await (await download).path();
    assert.ok(statSync(path).size > 0);
    if (!server.mock) assert.equal(readFileSync(path).toString("latin1", 0, 4), "glTF");
  });

  await step("the about page has the notices", async () => {
    await page.locator("#about").click();
    await page.getByText("three.js authors").waitFor();
    await page.keyboard.press("Escape");
  });

  assert.deepEqual(troubles, [], "the page had errors");
  console.log(
    `all well in ${((Date.now() - started) / 1000).toFixed(1)} s against ${server.mock ? "the mock" : "limber studio"}`,
  );
} catch (error) {
  await shot("failure");
  if (troubles.length > 0) console.log(troubles.join("\n"));
  throw error;
} finally {
  await browser.close();
  server.stop();
}
