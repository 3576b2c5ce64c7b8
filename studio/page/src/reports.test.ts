// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  fixesOf,
  groupFindings,
  lengthWords,
  measureWords,
  mendedWords,
  placesWords,
  plainHelp,
  plainMessage,
  readChecks,
  readContacts,
  readFaceLabels,
  readFindings,
  readInspection,
  readKind,
  type Field,
} from "./reports";

test("an inspection is read, and what is missing is nothing rather than an error", () => {
  const report = readInspection({
    mesh: { vertices: 8, triangles: 12, components: 2, bounds_min: [0, 0, 0], bounds_max: [1, 2, 3] },
    up: { axis: [0, 1, 0], confidence: 0.9, reason: "it stands" },
    rig: { joints: 5 },
    clips: [{}, {}],
  });
  assert.deepEqual(report.size, [1, 2, 3]);
  assert.equal(report.up?.confidence, 0.9);
  assert.equal(report.forward, null);
  assert.deepEqual([report.pieces, report.joints, report.clips], [2, 5, 2]);
  for (const odd of [null, 7, "x", [], { mesh: [], up: { axis: ["a", 1, 2] }, clips: {} }])
    assert.equal(readInspection(odd).triangles, 0);
});

test("findings keep their order and know only three severities", () => {
  const findings = readFindings({ findings: [{ severity: "error", what: "NaN" }, { severity: "catastrophe" }, 3] });
  assert.deepEqual(
    findings.map((finding) => finding.severity),
    ["error", "note", "note"],
  );
});

test("every field of the rig that may help becomes a button, with its value", () => {
  const rig = (field: string, value: string | null): Field => ({ command: "rig", field, value });
  const options = (fields: Field[], rigged = false): object[] => fixesOf(fields, rigged).map((fix) => fix.options);
  assert.deepEqual(options([rig("keep_skeleton", "true")]), [{ keep_skeleton: true }]);
  assert.deepEqual(options([rig("stand_up", "true"), rig("up", "+y")]), [{ stand_up: true }, { up: "+y" }]);
  assert.deepEqual(options([rig("weights", "voxel")]), [{ weights: "voxel" }]);
  assert.deepEqual(options([rig("weights", "voxel")], true), [{ weights: "voxel", keep_skeleton: true }]);
  assert.deepEqual(options([rig("template", null), { command: "convert", field: "influences", value: "4" }]), []);
  assert.deepEqual(
    fixesOf([rig("weights", "voxel"), rig("replace", "true")], false).map((fix) => fix.label),
    ["Weights: voxel", "Make another skeleton"],
  );
});

test("fields are read from the data of a report", () => {
  const [finding] = readFindings({
    findings: [{ severity: "note", fields: [{ command: "rig", field: "weights", value: "voxel" }, { value: "x" }, 3] }],
  });
  assert.deepEqual(finding?.fields, [{ command: "rig", field: "weights", value: "voxel" }]);
});

test("help without the command line is what a person can do elsewhere", () => {
  assert.equal(plainHelp("limber rig MODEL --keep-skeleton -o better.glb solves the weights anew"), "");
  assert.equal(
    plainHelp("join what belongs together; limber rig hangs loose pieces on it, and --weights voxel looks across gaps"),
    "join what belongs together",
  );
  assert.equal(plainHelp("mend the file in the program that made it"), "mend the file in the program that made it");
});

test("findings that say the same of several clips become one", () => {
  const stretch = (where: string): object => ({
    severity: "warning",
    topic: "stretch",
    what: `stretched in ${where}`,
    where,
    help: "weigh anew",
  });
  const groups = groupFindings(
    readFindings({
      findings: [stretch("Run"), { topic: "scale", what: "small" }, stretch("Walk"), stretch("Sit"), stretch("Hop")],
    }),
  );
  assert.deepEqual(
    groups.map((group) => group.places.length),
    [4, 0],
  );
  assert.equal(placesWords(groups[0]!.places), "Run, Walk and 2 more");
});

test("contacts and labels of another shape are none", () => {
  assert.deepEqual(readContacts({ contacts: { joints: [{ name: "foot", spans: [[0, 1]] }] } }), [
    { joint: "foot", spans: [{ from: 0, to: 1 }] },
  ]);
  assert.equal(readContacts({ contacts: 3 }), null);
  assert.deepEqual(readFaceLabels({ face_labels: [1, 2] }), [1, 2]);
  assert.equal(readFaceLabels({ face_labels: ["a"] }), null);
});

test("checks of a clip are words, faults first, and what was not asked last", () => {
  const check = (passed: boolean | null, words: string, mend = ""): object => ({
    passed,
    value: 0.031,
    allowed: 0.005,
    unit: "heights",
    words,
    mend,
  });
  const read = readChecks({
    clips: [
      { checks: { loop: check(true, ""), contact: check(null, "jumps"), floor: check(false, "the tail is below", "floor") } },
    ],
    model: { weights: check(false, "a seam cracks", "weights"), leak: check(false, "the leg moves too", "") },
  });
  assert.deepEqual(
    read?.map(({ name, passed, mend }) => [name, passed, mend]),
    [
      ["floor", false, "floor"],
      ["weights", false, "weights"],
      ["leak", false, ""],
      ["loop", true, ""],
      ["contact", null, ""],
    ],
  );
  assert.equal(read?.[0]?.number, "3.1 % of the height, 0.5 % allowed");
  assert.equal(read?.[3]?.words, "ends where it begins");
  assert.equal(read?.[4]?.number, "");
  assert.equal(measureWords(29, 1, "degrees"), "29 degrees, 1 allowed");
  assert.equal(measureWords(2.5e-17, 1, "degrees"), "0 degrees, 1 allowed");
  for (const odd of [null, 3, {}, { clips: 3 }, { clips: [{ unplayable: "no keys", checks: { loop: {} } }] }])
    assert.equal(readChecks(odd), null);
});

test("what was mended is told with what was left", () => {
  const clip = { repaired: ["loop", "floor"], mean_turn_deg: 0.267, left: ["the tail stays below"] };
  assert.equal(
    mendedWords({ clips: [clip], weights: { vertices: 0 }, left: [] }),
    "Mended: loop, floor. Joints turned by 0.27 degrees on average. Left: the tail stays below.",
  );
  assert.equal(mendedWords({ clips: [], weights: { vertices: 12 } }), "Mended: weights.");
  assert.equal(mendedWords(null), "Nothing could be mended.");
});

test("lengths are short to read", () => {
  assert.equal(lengthWords(1.23456), "1.23");
  assert.equal(lengthWords(12345), "1.2e+4");
  assert.equal(lengthWords(0), "no extent");
});

test("messages of the program name no option of the command line", () => {
  assert.equal(plainMessage("is too large (limber studio --max-memory allows more)"), "is too large");
  assert.equal(plainMessage("the skin has cracks; --keep-skeleton solves the weights anew"), "the skin has cracks");
  assert.equal(plainMessage("use --keep-skeleton"), "use keep skeleton");
  assert.equal(plainMessage("fox.glb: 3 pieces (of 4), and well-made; fine"), "fox.glb: 3 pieces (of 4), and well-made; fine");
});

test("what a body was taken for is read from the report of its rig", () => {
  const skeleton = { template: "humanoid", confidence: 0.98, runner_up: "theropod" };
  assert.deepEqual(readKind({ skeleton }), { name: "humanoid", confidence: 0.98, runnerUp: "theropod" });
  assert.deepEqual(readKind({ rig: { template: "bird", confidence: 0.4 } }), { name: "bird", confidence: 0.4, runnerUp: "" });
  assert.equal(readKind({ skeleton: { reason: "kept" } }), null);
  assert.equal(readKind(null), null);
});
