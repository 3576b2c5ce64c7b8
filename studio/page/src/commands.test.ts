// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Actions, type Surface } from "./actions";
import { keyOf } from "./commands";

const press = (key: string, modifiers: Partial<KeyboardEvent> = {}): string =>
  keyOf({ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, ...modifiers });

test("keys are spelt the same on all keyboards", () => {
  assert.equal(press(" "), "Space");
  assert.equal(press("Z", { ctrlKey: true, shiftKey: true }), "Ctrl+Shift+z");
  assert.equal(press("z", { metaKey: true }), "Ctrl+z");
  assert.equal(press("?", { shiftKey: true }), "?");
  assert.equal(press("ArrowLeft", { shiftKey: true }), "Shift+Left");
  assert.equal(press("ArrowUp", { altKey: true }), "Alt+Up");
});

test("no key has two commands, and every command is in the help or beside one that is", () => {
  const commands = new Actions({} as Surface).commands();
  const keys = commands.flatMap((command) => command.keys);
  assert.equal(new Set(keys).size, keys.length);
  for (const command of commands) assert.equal(command.name === "", command.help === "");
});
