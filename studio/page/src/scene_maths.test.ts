// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { nameApart } from "./body";
import { contactSpans, inContact } from "./contacts";
import { pickNearest } from "./picking";

test("the nearest joint on the screen is picked, within reach only", () => {
  const points = [
    { index: 0, x: 10, y: 10, depth: 0.5 },
    { index: 1, x: 40, y: 10, depth: 0.5 },
  ];
  assert.equal(pickNearest(points, 32, 12, 20), 1);
  assert.equal(pickNearest(points, 200, 12, 20), null);
});

test("of joints at one place the one in front is picked", () => {
  const points = [
    { index: 0, x: 10, y: 10, depth: 0.9 },
    { index: 1, x: 12, y: 10, depth: 0.2 },
  ];
  assert.equal(pickNearest(points, 10, 10, 20), 1);
});

test("what is behind the camera is never picked", () => {
  assert.equal(pickNearest([{ index: 0, x: 10, y: 10, depth: 1.2 }], 10, 10, 20), null);
});

test("a foot is in contact while it is low and slow", () => {
  const heights = [0, 0, 0, 0.1, 0.2, 0.1, 0, 0, 0];
  const speeds = [0, 0, 0.1, 2, 2, 2, 0.1, 0, 0];
  const hand = { name: "hand", heights: heights.map(() => 0.7), speeds: heights.map(() => 0) };
  const contacts = contactSpans([{ name: "foot", heights, speeds }, hand], 0.1);
  assert.equal(contacts.length, 1);
  assert.equal(contacts[0]!.joint, "foot");
  assert.equal(contacts[0]!.spans.length, 2);
  assert.ok(inContact(contacts[0]!, 0.1) && !inContact(contacts[0]!, 0.4) && inContact(contacts[0]!, 0.7));
});

test("a foot that slides along the ground is not in contact", () => {
  const contacts = contactSpans([{ name: "foot", heights: [0, 0, 0, 0], speeds: [1, 1, 1, 1] }], 0.1);
  assert.deepEqual(contacts, []);
});

test("clips of one name are told apart by their numbers", () => {
  const clips = ["walk", "", "walk", "run"].map((name) => ({ name }));
  nameApart(clips);
  assert.deepEqual(
    clips.map((clip) => clip.name),
    ["walk", "#1", "#2", "run"],
  );
});
