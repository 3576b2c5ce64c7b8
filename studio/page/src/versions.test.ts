// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Asset } from "./api";
import { groupVersions, rootOf } from "./versions";

const asset = (id: string, parent: string | null, label = "", more: Partial<Asset> = {}): [string, Asset] => [
  id,
  { id, name: "fox.glb", kind: "model", parent, job: null, bytes: 1, label, ready: true, ...more },
];
const kAssets = new Map([
  asset("a1", null),
  asset("a2", "a1", "rig"),
  asset("a3", "a2", "it walks"),
  asset("a4", null, "", { name: "owl.glb" }),
  asset("a5", "a2", "it walks"),
  asset("a6", "a2", "preview"),
  asset("a7", null, "", { ready: false }),
  asset("a8", "a2", "glb", { kind: "export" }),
]);
const told = (titles: [string, string][] = [], hidden: string[] = []): [string, string[]][] =>
  groupVersions(kAssets, new Map(titles), new Set(hidden)).map(({ name, versions }) => [name, versions.map(({ title }) => title)]);

test("versions stand with the model that they were made of, and are told apart", () => {
  assert.deepEqual(told(), [
    ["fox.glb", ["as it came", "rig", "it walks", "it walks 2"]],
    ["owl.glb", ["as it came"]],
  ]);
  assert.equal(rootOf(kAssets, "a5"), "a1");
  assert.equal(rootOf(kAssets, "gone"), "gone");
});

test("a name that somebody gave counts, and what was taken away is not there", () => {
  assert.deepEqual(told([["a3", "the good one"]], ["a2", "a4"]), [["fox.glb", ["as it came", "the good one", "it walks"]]]);
  assert.deepEqual(told([], ["a1", "a3"])[0], ["fox.glb", ["rig", "it walks 2"]]);
});

test("versions whose model is gone stay together", () => {
  const left = new Map([...kAssets].filter(([id]) => id !== "a1"));
  assert.deepEqual(groupVersions(left, new Map(), new Set()).map(({ versions }) => versions.length), [3, 1]);
});
