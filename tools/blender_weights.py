# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Blender's automatic weights beside limber's, on the same skinned files; run by a person who has Blender.

    blender -b --factory-startup --python tools/blender_weights.py -- build/bin/limber model.glb ...

Every file is imported, weighted anew by `parent_set(type='ARMATURE_AUTO')` on its own armature and timed; then limber
weights it with --keep-skeleton, and the result is imported and posed. L1 is Puppeteer's, against the file's own weights.
"""
import os
import subprocess
import sys
import tempfile
import time

import bpy
import numpy as np

# Blender 3.4's importer was written for an older numpy.
np.bool = bool


def load(path):
    """The skinned meshes of a file, in the order of their names."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=path)
    skinned = [o for o in bpy.data.objects if o.type == "MESH" and any(m.type == "ARMATURE" for m in o.modifiers)]
    return sorted(skinned, key=lambda o: o.name)


def armatures(meshes):
    return sorted({m.object for o in meshes for m in o.modifiers if m.type == "ARMATURE"}, key=lambda a: a.name)


def weight_rows(meshes):
    """Per vertex of all meshes a dictionary from bone to weight."""
    rows = []
    for mesh in meshes:
        names = {group.index: group.name for group in mesh.vertex_groups}
        for vertex in mesh.data.vertices:
            rows.append({names[g.group]: g.weight for g in vertex.groups if g.weight > 0})
    return rows


def filtered(row):
    most = max(row.values(), default=0)
    kept = {bone: weight for bone, weight in row.items() if weight >= max(1e-3, 0.15 * most)}
    total = sum(kept.values())
    return {bone: weight / total for bone, weight in kept.items()}


def mean_l1(rows, truth):
    differences = []
    for row, true_row in zip(rows, truth):
        if abs(sum(true_row.values()) - 1) < 1e-2:
            row = filtered(row)
            differences.append(sum(abs(row.get(b, 0) - true_row.get(b, 0)) for b in {*row, *true_row}))
    return sum(differences) / max(len(differences), 1)


def posed_points(meshes):
    graph = bpy.context.evaluated_depsgraph_get()
    graph.update()
    points = []
    for mesh in meshes:
        posed = mesh.evaluated_get(graph)
        place = np.array(posed.matrix_world)
        flat = np.empty(3 * len(posed.data.vertices), np.float32)
        posed.data.vertices.foreach_get("co", flat)
        points.append(flat.reshape(-1, 3) @ place[:3, :3].T + place[:3, 3])
    return np.concatenate(points)


def count_moving_bones(meshes):
    """Of the bones that hold weight, those that move the mesh when they alone turn."""
    for armature in armatures(meshes):
        armature.animation_data_clear()
    rest = posed_points(meshes)
    size = np.linalg.norm(rest.max(0) - rest.min(0))
    used = {bone for row in weight_rows(meshes) for bone in row}
    moving = 0
    bones = [b for a in armatures(meshes) for b in a.pose.bones if b.name in used]
    for bone in bones:
        bone.rotation_mode = "XYZ"
        before = bone.rotation_euler.copy()
        bone.rotation_euler = (before.x + 0.5, before.y, before.z + 0.3)
        points = posed_points(meshes)
        bone.rotation_euler = before
        moving += bool(np.isfinite(points).all() and np.abs(points - rest).max() > 1e-4 * size)
    return moving, len(bones)


def weight_by_blender(meshes, used):
    """Throws the weights away and lets Blender make new ones. Returns seconds."""
    for armature in armatures(meshes):
        armature.animation_data_clear()
        armature.data.pose_position = "REST"
        for bone in armature.data.bones:
            bone.use_deform = bone.name in used
    armature = armatures(meshes)[0]
    bpy.ops.object.select_all(action="DESELECT")
    for mesh in meshes:
        place = mesh.matrix_world.copy()
        mesh.vertex_groups.clear()
        mesh.modifiers.clear()
        mesh.parent = None
        mesh.matrix_world = place
        mesh.select_set(True)
    armature.select_set(True)
    bpy.context.view_layer.objects.active = armature
    start = time.perf_counter()
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    return time.perf_counter() - start


def compare(limber, path, folder):
    meshes = load(path)
    truth = weight_rows(meshes)
    used = {bone for row in truth for bone in row}
    blender_seconds = weight_by_blender(meshes, used)
    blender = weight_rows(meshes)
    result = os.path.join(folder, "result.glb")
    start = time.perf_counter()
    subprocess.run([limber, "rig", path, "--keep-skeleton", "-o", result], check=True, capture_output=True)
    seconds = time.perf_counter() - start
    meshes = load(result)
    rows = weight_rows(meshes)
    moving, bones = count_moving_bones(meshes)
    print(f"| {os.path.basename(path)} | {len(truth)} | {len(used)} "
          f"| {blender_seconds:.3f} | {sum(not r for r in blender)} | {mean_l1(blender, truth):.3f} "
          f"| {seconds:.3f} | {sum(not r for r in rows)} | {mean_l1(rows, truth):.3f} | {moving} of {bones} |", flush=True)


def main():
    limber, *paths = sys.argv[sys.argv.index("--") + 1:]
    print("| file | vertices | bones | Blender s | unweighted | L1 | limber s | unweighted | L1 | bones that move it |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            compare(limber, path, folder)


main()
