// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { History } from "./history";

function clocked(limit = 200): { history: History<number>; tick: (ms: number) => void } {
  let now = 0;
  return { history: new History(0, limit, 600, () => now), tick: (ms) => void (now += ms) };
}

test("undo goes back and redo forth, with the labels of the steps", () => {
  const { history } = clocked();
  history.push(1, "one");
  history.push(2, "two");
  assert.equal(history.undoLabel, "two");
  assert.ok(history.undo());
  assert.equal(history.state, 1);
  assert.equal(history.redoLabel, "two");
  assert.ok(history.redo());
  assert.equal(history.state, 2);
  assert.equal(history.redo(), false);
});

test("at the beginning there is nothing to undo", () => {
  const { history } = clocked();
  assert.equal(history.undo(), false);
  assert.equal(history.undoLabel, null);
});

test("a new step forgets what was undone", () => {
  const { history } = clocked();
  history.push(1, "one");
  history.push(2, "two");
  history.undo();
  history.push(3, "three");
  assert.equal(history.redoLabel, null);
  history.undo();
  assert.equal(history.state, 1);
});

test("steps of one movement merge, later ones do not", () => {
  const { history, tick } = clocked();
  history.push(1, "slide", "slider");
  tick(100);
  history.push(2, "slide", "slider");
  tick(700);
  history.push(3, "slide", "slider");
  history.undo();
  assert.equal(history.state, 2);
  history.undo();
  assert.equal(history.state, 0);
});

test("a step after an undo does not merge into the one before it", () => {
  const { history } = clocked();
  history.push(1, "slide", "slider");
  history.push(2, "other");
  history.undo();
  history.push(3, "slide", "slider");
  history.undo();
  assert.equal(history.state, 1);
});

test("the same state is no step", () => {
  const { history } = clocked();
  history.push(0, "nothing");
  assert.equal(history.undoLabel, null);
});

test("the oldest steps go when there are too many", () => {
  const { history } = clocked(3);
  for (let i = 1; i <= 10; ++i) history.push(i, String(i));
  let steps = 0;
  while (history.undo()) ++steps;
  assert.equal(steps, 3);
  assert.equal(history.state, 7);
});

test("a rewrite reaches all states that are kept", () => {
  const { history } = clocked();
  history.push(1, "one");
  history.rewrite((x) => x + 10);
  assert.equal(history.state, 11);
  history.undo();
  assert.equal(history.state, 10);
});
