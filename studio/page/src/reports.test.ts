// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  fixesOf,
  groupFindings,
  lengthWords,
  placesWords,
  readContacts,
  readFaceLabels,
  readFindings,
  readInspection,
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

test("lengths are short to read", () => {
  assert.equal(lengthWords(1.23456), "1.23");
  assert.equal(lengthWords(12345), "1.2e+4");
  assert.equal(lengthWords(0), "no extent");
});
