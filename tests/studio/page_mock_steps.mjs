// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
// Steps of page_test.mjs that the mock alone can do.
import assert from "node:assert/strict";
import { creature } from "./creature.mjs";

/** What takes too long with the real thing, or cannot be had on demand. */
export async function mockSteps({ page, server, step, shot, studio, drawn, drop, skinOnScreen }) {
  await step("what is not finished is mended as a new version", async () => {
    await page.locator("#finish-panel").scrollIntoViewIfNeeded();
    assert.equal(await page.locator("#finish-panel .bad").count(), 2);
    await page.getByText("3.1 % of the height, 0.5 % allowed").waitFor();
    await shot("finish");
    const before = await studio("session.document.asset");
    await page.locator("#mend").click();
    await page.getByText("Mended: floor, weights. Joints turned by 0.26 degrees on average.").waitFor();
    await page.waitForFunction(() => limberStudio.session.checks()?.list?.every((check) => check.passed !== false));
    assert.ok(await page.locator("#mend").isHidden());
    assert.notEqual(await studio("session.document.asset"), before);
    assert.equal(await studio("session.history.undoLabel"), "Mend the clip");
    const asked = server.mock.requests.filter((r) => r.body?.do === "mend").at(-1).body.options;
    assert.deepEqual([asked.floor, asked.weights, asked.loop], [true, true, undefined]);
    await shot("mended");
    await page.keyboard.press("Control+z");
    assert.equal(await studio("session.document.asset"), before);
    await page.keyboard.press("Control+Shift+z");
  });

  await step("a prompt gives a first sight, then candidates side by side of which one is kept", async () => {
    server.mock.hold = true;
    await page.locator("#prompt").fill("it walks");
    await page.locator("#animate").click();
    await page.waitForFunction(() => limberStudio.session.view.preview !== null);
    await shot("preview");
    server.mock.hold = false;
    await page.waitForFunction(() => limberStudio.session.candidates?.assets.length === 3);
    const { most, least } = await skinOnScreen();
    assert.ok(most < 1 && least > 0.3, `candidates are cropped or small: ${most}, ${least}`);
    await shot("candidates");
    await page.locator(".stage canvas").focus();
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    await page.waitForFunction(
      () => limberStudio.session.candidates === null && limberStudio.session.document.clip === "it walks",
    );
  });

  await step("a video is followed, anyway where it seems to show another body", async () => {
    await page.locator("input[accept='video/*']").setInputFiles({ name: "fox.m4v", mimeType: "video/mp4", buffer: Buffer.from("1234") });
    await page.getByText("fox.m4v").waitFor();
    assert.ok(await page.getByLabel("Seed").isDisabled());
    await page.locator("#animate").click();
    await page.getByText("seems to show another body").waitFor();
    await page.getByRole("button", { name: "Follow it anyway" }).click();
    await page.waitForFunction(() => limberStudio.session.document.clip === "video");
    const asked = server.mock.requests.filter((r) => r.body?.do === "animate").map((r) => Object.keys(r.body.options).sort());
    assert.deepEqual(asked.slice(-2), [
      ["name", "quality", "video"],
      ["anyway", "name", "quality", "video"],
    ]);
    await page.getByRole("button", { name: "Do not follow it" }).click();
  });

  await step("several lines are a pack of clips, in one file", async () => {
    await page.locator("#prompt").fill("walk");
    await page.locator("#add-clip").click();
    await page.keyboard.type("run");
    await page.locator("#add-clip").click();
    await page.locator(".actions summary").click();
    await page.locator("#action-search").fill("sit");
    await page.keyboard.press("Enter");
    await page.getByText("A pack: 3 clips in one file").waitFor();
    assert.ok(await page.getByLabel("Candidates").isDisabled());
    await shot("pack");
    await page.locator(".actions summary").click();
    await page.locator("#animate").click();
    await page.waitForFunction(() => limberStudio.session.document.clip === "walk" && limberStudio.session.asset.label === "pack");
    const { options } = server.mock.requests.filter((r) => r.body?.do === "animate").at(-1).body;
    assert.deepEqual([options.clips, options.prompt, options.candidates], [["walk", "run", "it sits"], undefined, undefined]);
  });

  await step("a recording that is dropped moves the open model, and the clip of another model does if it should", async () => {
    const target = await studio("session.document.asset");
    await drop("walk.bvh", Buffer.from("HIERARCHY"));
    await page.waitForFunction(() => limberStudio.session.asset?.label === "carried" && limberStudio.session.document.clip === "carried");
    const asked = () => server.mock.requests.filter((r) => r.body?.do === "retarget").at(-1).body;
    assert.equal(asked().asset, target);
    const carried = await studio("session.document.asset");
    await drop("dog.glb", creature({ clipName: "it barks" }));
    await page.getByRole("button", { name: "Carry it over" }).click();
    await page.waitForFunction((id) => limberStudio.session.asset?.parent === id, carried);
    assert.deepEqual([asked().asset, asked().options.clip], [carried, "it barks"]);
    for (const _ of ["carried", "dog", "carried"]) await page.keyboard.press("Control+z");
    await page.waitForFunction((id) => limberStudio.session.document.asset === id && limberStudio.session.body, target);
  });

  await step("a job can be cancelled, and a crash is a message with advice", async () => {
    server.mock.hold = true;
    await page.locator("#prompt").fill("it runs");
    await page.locator("#animate").click();
    await page.locator(".job[data-job=animate] button").click();
    await page.waitForFunction(() => [...limberStudio.session.server.jobs.values()].some((job) => job.state === "cancelled"));
    server.mock.hold = false;
    await page.locator("#prompt").fill("crash");
    await page.locator("#animate").click();
    const versions = await page.locator(".version").allInnerTexts();
    await page.getByText("killed by signal 11").waitFor();
    await page.getByText("without harm to your session").waitFor();
    await page.waitForFunction(() => limberStudio.session.view.preview === null);
    await shot("message");
    assert.deepEqual(await page.locator(".version").allInnerTexts(), versions);
    await page.locator(".stage canvas").focus();
    while ((await page.locator(".message").count()) > 0) await page.keyboard.press("Escape");
  });

  await step("versions stand with their model, are named and taken away, and can be brought back", async () => {
    const titles = () => page.locator(".version").allInnerTexts();
    const before = await titles();
    assert.ok(before.includes("it walks 3"), before.join());
    assert.deepEqual(await page.locator(".group h3").allInnerTexts(), ["quadruped.glb", "boxes.glb", "zup.glb", "walk.bvh", "dog.glb"]);
    await page.getByRole("button", { name: "it walks 2", exact: true }).focus();
    await page.keyboard.press("F2");
    await page.keyboard.type("the good one");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "the good one", exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "the good one");
    await page.keyboard.press("Delete");
    await drawn();
    assert.ok(!(await titles()).includes("the good one"));
    await shot("versions");
    await page.getByRole("button", { name: "Bring it back" }).click();
    await page.getByRole("button", { name: "the good one", exact: true }).waitFor();

    await page.locator(".version.on").focus();
    const open = await studio("session.document.asset");
    await page.keyboard.press("Delete");
    await page.waitForFunction((id) => limberStudio.session.document.asset !== id, open);
    await page.waitForFunction((id) => !limberStudio.session.server.assets.has(id), open, { timeout: 15000 });
    assert.ok(server.mock.requests.some(({ call, path }) => call === "DELETE assets" && path.endsWith(open)));
    server.mock.requests = server.mock.requests.filter(({ call }) => call !== "DELETE assets");
  });

  await step("files that cannot be read are told without options, and are no versions", async () => {
    const versions = await page.locator(".version").allInnerTexts();
    await drop("broken.obj", Buffer.from("v x"));
    await page.getByText("broken.obj:1: no number").waitFor();
    assert.doesNotMatch(await page.locator(".messages").innerText(), /--|`|limber doctor/);
    await drop("broken.glb", Buffer.from("glTF, but not really"));
    await page.getByText("broken.glb cannot be read").waitFor();
    await page.waitForFunction(() => [...limberStudio.session.server.assets.values()].every(({ name }) => !/broken/.test(name)));
    await drawn();
    assert.deepEqual(await page.locator(".version").allInnerTexts(), versions);
    assert.equal(server.mock.requests.filter(({ call }) => call === "DELETE assets").length, 2);
  });

  await step("messages go by themselves, but not from under the mouse or the keyboard, and by Escape", async () => {
    while ((await page.locator(".message").count()) > 0) await page.keyboard.press("Escape");
    await page.mouse.move(5, 5);
    await studio("session.say('A short one')");
    await studio("session.say('One that is read')");
    await page.locator(".message button").last().focus();
    await page.getByText("A short one").waitFor({ state: "detached", timeout: 8000 });
    await page.waitForTimeout(1000);
    assert.ok(await page.getByText("One that is read").isVisible());
    await page.keyboard.press("Enter");
    assert.equal(await page.locator(".message").count(), 0);
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), "CANVAS");
    await studio("session.fail(new Error('it went wrong'))");
    await page.getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".message").count(), 0);
  });
}

export async function mockKeySteps({ page, server, step }) {
  await step("keys are filled in between", async () => {
    await page.locator(".stage canvas").focus();
    await page.keyboard.press("k");
    await page.locator("#prompt").fill("it stretches");
    await page.locator("#fill").click();
    await page.waitForFunction(() => limberStudio.session.document.clip !== null);
    const { keyframes } = server.mock.requests.filter((r) => r.body?.do === "animate").at(-1).body.options;
    assert.equal(keyframes.length, 1);
    assert.equal(keyframes[0].pose.rotations.length, 20);
  });
}
