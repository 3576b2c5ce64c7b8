// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { motionOptions } from "./motion_options";

const wishes = { prompt: "it walks", video: null, quality: "draft", seconds: 2, seed: 3, candidates: 2, loop: false, inPlace: true, names: "" };

test("words are drawn as often as asked for", () => {
  const asked = { prompt: "it walks", seconds: 2, seed: 3, candidates: 2, quality: "draft", in_place: true };
  assert.deepEqual(motionOptions(wishes), asked);
  const { seconds: _, ...timeless } = asked;
  assert.deepEqual(motionOptions({ ...wishes, seconds: NaN, seed: NaN }), { ...timeless, seed: 0 });
});

test("a video is followed as it is, and words name it", () => {
  assert.deepEqual(motionOptions({ ...wishes, video: "a3" }), { video: "a3", name: "it walks", quality: "draft", in_place: true });
  assert.deepEqual(motionOptions({ ...wishes, video: "a3", prompt: "", loop: true, inPlace: false }), {
    video: "a3",
    quality: "draft",
    loop: true,
  });
});

test("the best of a video is the standard: the server refuses what does nothing", () => {
  assert.equal(motionOptions({ ...wishes, video: "a3", quality: "best" })["quality"], "standard");
  assert.equal(motionOptions({ ...wishes, quality: "best" })["quality"], "best");
});

test("several lines are a pack: a clip each, loops where that makes sense, one of each", () => {
  assert.deepEqual(motionOptions({ ...wishes, prompt: " walk \n\nrun, then sits\n", loop: true }), {
    clips: ["walk", "run, then sits"],
    seconds: 2,
    seed: 3,
    quality: "draft",
    in_place: true,
  });
  assert.equal(motionOptions({ ...wishes, prompt: "it walks\n" })["prompt"], "it walks");
});

test("names are said where somebody chose them", () => {
  assert.equal(motionOptions({ ...wishes, names: "unity" })["names"], "unity");
  assert.ok(!("names" in motionOptions(wishes)));
});
