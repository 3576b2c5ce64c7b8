// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Quaternion, Vector3 } from "three";
import type { Pose } from "./api";
import {
  axisVector,
  kEmptyDocument,
  keysOf,
  nearestAxis,
  openAsset,
  quarterTurn,
  togglePins,
  trimOf,
  withKeys,
  withTrim,
} from "./document";
import { keyAt, KeyLayer, moveKey, withKey, withoutKey } from "./keys";
import { angleBetween, mirrorName, mirrorPairs, mirrorPose } from "./mirror";
import { worldPose } from "./skeleton";
import { solvePose, movableFor } from "./solver";
import { jointIndex, stickFigure } from "./toy.test_data";

const kSide = new Vector3(1, 0, 0);

function raisedArm(): { pose: Pose; hand: Vector3 } {
  const body = stickFigure();
  const joint = jointIndex(body, "hand.L");
  const { pose } = solvePose(body, body.rest, [{ joint, position: new Vector3(0.5, 1.8, 0.2) }], movableFor(body, joint, []), {
    iterations: 60,
  });
  pose.root = [0.1, 1.05, 0.3];
  return { pose, hand: worldPose(body, pose).positions[joint]! };
}

test("names have their other side", () => {
  for (const [a, b] of [
    ["hand.L", "hand.R"],
    ["mixamorig:LeftArm", "mixamorig:RightArm"],
    ["leg_l_2", "leg_r_2"],
    ["L_foot", "R_foot"],
    ["LEFT", "RIGHT"],
  ] as const) {
    assert.equal(mirrorName(a), b);
    assert.equal(mirrorName(b), a);
  }
  for (const name of ["tail.1", "Collar", "head", "rooL"]) assert.equal(mirrorName(name), name);
  assert.deepEqual(mirrorPairs(["hips", "a.L", "a.R", "b.L"]), [0, 2, 1, 3]);
});

test("a mirrored pose puts the other hand there", () => {
  const body = stickFigure();
  const { pose, hand } = raisedArm();
  const mirrored = worldPose(body, mirrorPose(body, pose, kSide));
  const other = mirrored.positions[jointIndex(body, "hand.R")]!;
  assert.ok(other.distanceTo(new Vector3(-hand.x, hand.y, hand.z)) < 1e-6);
});

test("mirrored twice is as before", () => {
  const body = stickFigure();
  const { pose } = raisedArm();
  const twice = mirrorPose(body, mirrorPose(body, pose, kSide), kSide);
  pose.rotations.forEach((q, j) => assert.ok(angleBetween(q, twice.rotations[j]!) < 1e-6));
  pose.root.forEach((x, k) => assert.ok(Math.abs(x - twice.root[k]!) < 1e-9));
});

test("a mirrored limb leaves the rest of the body alone", () => {
  const body = stickFigure();
  const { pose } = raisedArm();
  const arm = ["upperarm.R", "elbow.R", "hand.R"].map((name) => jointIndex(body, name));
  const mirrored = mirrorPose(body, pose, kSide, arm);
  mirrored.rotations.forEach((q, j) => {
    if (!arm.includes(j)) assert.deepEqual(q, pose.rotations[j]);
  });
  assert.deepEqual(mirrored.root, pose.root);
  assert.ok(angleBetween(mirrored.rotations[arm[0]!]!, pose.rotations[arm[0]!]!) > 0.1);
});

test("keys are passed through, and fade to the clip at its ends", () => {
  const still: Pose = { rotations: [[0, 0, 0, 1]], root: [0, 0, 0] };
  const turned = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), 1).toArray() as number[];
  const layer = new KeyLayer([{ time: 1, pose: { rotations: [turned], root: [2, 0, 0] } }], () => still, 2);
  assert.ok(angleBetween(layer.at(1).rotations[0]!, turned) < 1e-6);
  assert.ok(Math.abs(layer.at(1).root[0]! - 2) < 1e-9);
  assert.ok(angleBetween(layer.at(0).rotations[0]!, [0, 0, 0, 1]) < 1e-6);
  assert.ok(angleBetween(layer.at(2).rotations[0]!, [0, 0, 0, 1]) < 1e-6);
  assert.ok(Math.abs(angleBetween(layer.at(0.5).rotations[0]!, [0, 0, 0, 1]) - 0.5) < 1e-6);
});

test("keys at the very ends of a clip hold", () => {
  const still: Pose = { rotations: [[0, 0, 0, 1]], root: [0, 0, 0] };
  const pose: Pose = { rotations: [[0, 0, 0, 1]], root: [1, 0, 0] };
  const layer = new KeyLayer(
    [
      { time: 0, pose },
      { time: 2, pose },
    ],
    () => still,
    2,
  );
  for (const time of [0, 0.7, 2]) assert.ok(Math.abs(layer.at(time).root[0]! - 1) < 1e-9);
});

test("keys are replaced, moved and taken away by their time", () => {
  const pose: Pose = { rotations: [], root: [0, 0, 0] };
  const other: Pose = { rotations: [], root: [1, 0, 0] };
  const keys = withKey(withKey([], { time: 1, pose }), { time: 0.5, pose });
  assert.deepEqual(
    keys.map((k) => k.time),
    [0.5, 1],
  );
  assert.equal(withKey(keys, { time: 1.0004, pose: other }).length, 2);
  assert.equal(keyAt(withKey(keys, { time: 1, pose: other }), 1)?.pose, other);
  assert.deepEqual(
    moveKey(keys, 0.5, 2).map((k) => k.time),
    [1, 2],
  );
  assert.deepEqual(
    withoutKey(keys, 1).map((k) => k.time),
    [0.5],
  );
});

test("keys and trims belong to their clip", () => {
  const walk = withKeys({ ...kEmptyDocument, clip: "walk" }, [{ time: 0, pose: { rotations: [], root: [] } }]);
  assert.equal(keysOf({ ...walk, clip: "run" }).length, 0);
  assert.equal(keysOf(walk).length, 1);
  const trimmed = withTrim(walk, { from: 0.5, to: 9 });
  assert.deepEqual(trimOf(trimmed, 2), { from: 0.5, to: 2 });
  assert.deepEqual(trimOf(withTrim(trimmed, null), 2), { from: 0, to: 2 });
  assert.deepEqual(openAsset(trimmed, "a2", true).keys, {});
});

test("pins toggle together", () => {
  const pins = [
    { joint: "a", position: [0] },
    { joint: "b", position: [1] },
  ];
  const one = togglePins(kEmptyDocument, pins.slice(0, 1));
  const both = togglePins(one, pins);
  assert.equal(both.pins.length, 2);
  assert.equal(togglePins(both, pins).pins.length, 0);
});

test("four quarter turns of the front are none, and never along the up axis", () => {
  for (const up of ["+y", "-z", "+x"] as const) {
    let front = quarterTurn(up, up);
    const first = front;
    for (let i = 0; i < 4; ++i) {
      front = quarterTurn(front, up);
      assert.equal(
        axisVector(front).reduce((sum, x, k) => sum + x * axisVector(up)[k]!, 0),
        0,
      );
    }
    assert.equal(front, first);
  }
  assert.equal(nearestAxis([0.1, -0.9, 0.2]), "-y");
});
