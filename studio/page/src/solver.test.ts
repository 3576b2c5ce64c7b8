// SPDX-FileCopyrightText: 2026 The limber authors
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { test } from "node:test";
import { Quaternion, Vector3 } from "three";
import { limbOf, quaternionOf, worldPose } from "./skeleton";
import { jacobian, movableFor, solvePose, solveSymmetric } from "./solver";
import { jointIndex, stickFigure } from "./toy.test_data";

test("a symmetric system is solved", () => {
  const x = solveSymmetric(Float64Array.from([4, 2, 0, 2, 5, 1, 0, 1, 3]), Float64Array.from([2, -1, 4]));
  const residual = [4 * x[0]! + 2 * x[1]! - 2, 2 * x[0]! + 5 * x[1]! + x[2]! + 1, x[1]! + 3 * x[2]! - 4];
  for (const r of residual) assert.ok(Math.abs(r) < 1e-12);
});

test("the Jacobian agrees with finite differences", () => {
  const body = stickFigure();
  const hand = jointIndex(body, "hand.L");
  const movable = { joints: [1, 2, 4, 5], root: true };
  const targets = [
    { joint: hand, position: new Vector3() },
    { joint: jointIndex(body, "head"), position: new Vector3() },
  ];
  const world = worldPose(body, body.rest);
  const j = jacobian(body, world.positions, targets, movable);
  const columns = j.length / 6;
  const step = 1e-5;
  for (let c = 0; c < columns; ++c) {
    const pose = structuredClone(body.rest);
    if (c < movable.joints.length * 3) {
      const joint = movable.joints[Math.floor(c / 3)]!;
      const axis = new Vector3().setComponent(c % 3, 1);
      const above = world.aboveOf[joint]!;
      const turn = new Quaternion().setFromAxisAngle(axis, step);
      pose.rotations[joint] = above
        .clone()
        .invert()
        .multiply(turn)
        .multiply(above)
        .multiply(quaternionOf(pose.rotations[joint]!))
        .toArray() as number[];
    } else {
      pose.root[c % 3]! += step * body.size;
    }
    const moved = worldPose(body, pose).positions;
    targets.forEach((target, t) => {
      const difference = moved[target.joint]!.clone()
        .sub(world.positions[target.joint]!)
        .divideScalar(body.size * step)
        .toArray();
      difference.forEach((d, k) => assert.ok(Math.abs(d - j[(t * 3 + k) * columns + c]!) < 1e-4, `row ${t * 3 + k} column ${c}`));
    });
  }
});

test("a hand reaches a target within its reach, and nothing but its arm moves", () => {
  const body = stickFigure();
  const hand = jointIndex(body, "hand.L");
  const movable = movableFor(body, hand, []);
  assert.deepEqual(movable, { joints: [jointIndex(body, "upperarm.L"), jointIndex(body, "elbow.L")], root: false });
  const target = new Vector3(0.45, 1.75, 0.25);
  const { pose, residual } = solvePose(body, body.rest, [{ joint: hand, position: target }], movable, { iterations: 60 });
  assert.ok(residual < 1e-3, `residual ${residual}`);
  assert.ok(worldPose(body, pose).positions[hand]!.distanceTo(target) < 2e-3);
  pose.rotations.forEach((q, j) => {
    if (!movable.joints.includes(j)) assert.deepEqual(q, body.rest.rotations[j]);
  });
});

test("a target out of reach stretches the limb towards it without shaking", () => {
  const body = stickFigure();
  const hand = jointIndex(body, "hand.L");
  const movable = movableFor(body, hand, []);
  const target = new Vector3(0.2, 5, 0);
  let pose = body.rest;
  for (let frame = 0; frame < 40; ++frame) pose = solvePose(body, pose, [{ joint: hand, position: target }], movable).pose;
  const before = worldPose(body, pose).positions[hand]!;
  assert.ok(before.y > 2.05, `reaches up to ${before.y}`);
  const after = worldPose(body, solvePose(body, pose, [{ joint: hand, position: target }], movable).pose).positions[hand]!;
  assert.ok(after.distanceTo(before) < 5e-3);
});

test("feet that are pinned stay while the hips go down", () => {
  const body = stickFigure();
  const feet = ["foot.L", "foot.R"].map((name) => jointIndex(body, name));
  const rest = worldPose(body, body.rest).positions;
  const movable = movableFor(body, 0, feet);
  assert.equal(movable.root, true);
  const targets = [
    { joint: 0, position: rest[0]!.clone().add(new Vector3(0, -0.2, 0)) },
    ...feet.map((joint) => ({ joint, position: rest[joint]!.clone() })),
  ];
  const { pose } = solvePose(body, body.rest, targets, movable, { iterations: 80 });
  const world = worldPose(body, pose).positions;
  assert.ok(Math.abs(world[0]!.y - 0.8) < 0.01);
  for (const foot of feet) assert.ok(world[foot]!.distanceTo(rest[foot]!) < 0.01);
});

test("units do not matter", () => {
  const hand = jointIndex(stickFigure(), "hand.R");
  const ends = [1, 0.01, 100].map((scale) => {
    const body = stickFigure(scale);
    const target = new Vector3(-0.4, 1.1, 0.3).multiplyScalar(scale);
    const { pose } = solvePose(body, body.rest, [{ joint: hand, position: target }], movableFor(body, hand, []));
    return worldPose(body, pose).positions[hand]!.divideScalar(scale);
  });
  for (const end of ends) assert.ok(end.distanceTo(ends[0]!) < 1e-6);
});

test("the root moves by its translation, also below a node that scales", () => {
  const body = stickFigure(0.01);
  const target = new Vector3(0.003, 0.011, 0.002);
  const { pose } = solvePose(body, body.rest, [{ joint: 0, position: target }], movableFor(body, 0, []), { iterations: 40 });
  assert.ok(worldPose(body, pose).positions[0]!.distanceTo(target) < 1e-5);
});

test("nothing to move and nothing to reach are no errors", () => {
  const body = stickFigure();
  assert.deepEqual(solvePose(body, body.rest, [], { joints: [1], root: false }).pose, body.rest);
  assert.deepEqual(
    solvePose(body, body.rest, [{ joint: 3, position: new Vector3() }], { joints: [], root: false }).pose,
    body.rest,
  );
});

test("a limb ends where the body branches", () => {
  const body = stickFigure();
  const names = (joint: string): string[] => limbOf(body, jointIndex(body, joint)).map((j) => body.joints[j]!.name);
  assert.deepEqual(names("hand.L"), ["upperarm.L", "elbow.L", "hand.L"]);
  assert.deepEqual(names("knee.R"), ["thigh.R", "knee.R", "foot.R"]);
});
