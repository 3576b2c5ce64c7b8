// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { findActions, namesAction, slips, withAction } from "./action_search";
import type { KnownAction } from "./api";

const action = (name: string, does: string, ...words: string[]): KnownAction => ({ name, does, words, goes: true, needs: "" });
const kActions = [
  action("walk", "walks", "walk", "walks", "walking", "stroll", "strolls", "strolling"),
  action("gallop", "gallops", "gallop", "gallops", "galloping"),
  action("somersault", "somersaults", "somersault", "somersaults", "flip", "flips", "flipping"),
  action("look", "looks around", "look around", "looks around", "looking around"),
  action("fly", "flies", "fly", "flies", "flying", "flew", "flown"),
];
const found = (typed: string): string[] => findActions(kActions, typed).map(({ name }) => name);

test("actions are found by how a word begins, by another word for it, by a part and with a slip", () => {
  assert.deepEqual(found("gal"), ["gallop"]);
  assert.deepEqual(found("Strolls"), ["walk"]);
  assert.deepEqual(found("backflip"), ["somersault"]);
  assert.deepEqual(found("galop"), ["gallop"]);
  assert.deepEqual(found("around"), ["look"]);
  assert.deepEqual(found("fl"), ["somersault", "fly"]);
  assert.deepEqual(found("a fox trots wlaking"), ["walk"]);
  assert.deepEqual(found("juggle"), []);
  assert.equal(found(" ").length, kActions.length);
});

test("a slip is a letter too many, too few, another, or two exchanged", () => {
  assert.deepEqual(
    [slips("walk", "wlak"), slips("walk", "wak"), slips("walk", "walkk"), slips("walk", "talk"), slips("", "ab")],
    [1, 1, 1, 1, 2],
  );
});

test("a prompt names an action by any form", () => {
  for (const prompt of ["a fox is galloping", "It FLEW away.", "galloped", "he looks around, then", "flipped over"])
    assert.ok(namesAction(kActions, prompt), prompt);
  for (const prompt of ["a fox juggles", "runn", "", "a walkway"]) assert.ok(!namesAction(kActions, prompt), prompt);
});

test("an action follows what was written, and takes the place of what was only chosen", () => {
  const [walk] = kActions;
  assert.equal(withAction("", walk!, false), "it walks");
  assert.equal(withAction("a fox sits, ", walk!, false), "a fox sits, then walks");
  assert.equal(withAction("it sits", walk!, true), "it walks");
  assert.equal(withAction("it sits\n", walk!, false), "it sits\nit walks");
});
