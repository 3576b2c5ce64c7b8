// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { advance, formatTime, guessFps, neighbourKey, rulerStep, stepFrame, stepSubFrame, timeAt, xAt } from "./timeline_math";

const near = (a: number, b: number): void => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

test("playing wraps within the trimmed span when it loops, and stops at its end when not", () => {
  const span = { from: 1, to: 3 };
  near(advance(2.9, 0.2, 1, span, true).time, 1.1);
  assert.deepEqual(advance(2.9, 0.2, 1, span, false), { time: 3, playing: false });
  near(advance(1.1, 0.2, -1, span, true).time, 2.9);
  near(advance(2, 10.5, 2, span, true).time, 1);
  assert.deepEqual(advance(5, 0.1, 1, { from: 2, to: 2 }, true), { time: 2, playing: false });
});

test("a step goes to whole frames, also from between two", () => {
  near(stepFrame(0.5, 1, 30, 2), 16 / 30);
  near(stepFrame(10.4 / 30, 1, 30, 2), 11 / 30);
  near(stepFrame(10.4 / 30, -1, 30, 2), 10 / 30);
  near(stepFrame(0, -1, 30, 2), 0);
  near(stepFrame(2, 1, 30, 2), 2);
  let time = 0;
  for (let i = 0; i < 47; ++i) time = stepFrame(time, 1, 24, 10);
  near(time, 47 / 24);
});

test("a step below a frame is a tenth", () => {
  near(stepSubFrame(1, 1, 30, 2), 30.1 / 30);
  near(stepSubFrame(0, -1, 30, 2), 0);
});

test("the next key is the nearest that way", () => {
  assert.equal(neighbourKey([0.5, 2, 1], 0.5, 1), 1);
  assert.equal(neighbourKey([0.5, 2, 1], 1.5, -1), 1);
  assert.equal(neighbourKey([0.5], 0.5, 1), null);
});

test("pixels and times are inverse to each other, and clamped", () => {
  near(timeAt(xAt(1.3, 640, 4), 640, 4), 1.3);
  assert.equal(timeAt(-10, 640, 4), 0);
  assert.equal(timeAt(900, 640, 4), 4);
  assert.equal(timeAt(5, 0, 4), 0);
  assert.equal(xAt(1, 100, 0), 0);
});

test("labels of the ruler keep their distance", () => {
  for (const duration of [0.3, 1, 2.5, 17, 600]) {
    for (const width of [200, 700, 2000]) {
      const step = rulerStep(duration, width, 60);
      assert.ok((step / duration) * width >= 60 - 1e-6);
      assert.ok((step / duration) * width < 60 * 2.51);
    }
  }
});

test("frames a second are told by the keys", () => {
  assert.equal(guessFps([0, 1 / 24, 2 / 24, 3 / 24]), 24);
  assert.equal(guessFps([0]), 30);
  assert.equal(guessFps([]), 30);
});

test("times read with their frame", () => {
  assert.equal(formatTime(0.5, 30), "0.50 s · 15 f");
  assert.equal(formatTime(0.51, 30), "0.51 s · 15.3 f");
});
