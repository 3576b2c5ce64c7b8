# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Runs inside Blender: imports a model and writes where its vertices are at some times of a clip.

blender -b --factory-startup --python blender_vertices.py -- MODEL CLIP TIMES OUT.json
"""
import json
import pathlib
import sys

import bpy

def load(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if path.endswith(".fbx"):
        bpy.ops.import_scene.fbx(filepath=path, anim_offset=0)
    else:
        # Debian's Blender 3.4 uses names that its NumPy no longer has.
        import numpy
        for name, kind in (("bool", bool), ("int", int), ("float", float), ("object", object)):
            if name not in vars(numpy):
                setattr(numpy, name, kind)
        bpy.ops.import_scene.gltf(filepath=path)


def play(clip):
    """Every object plays its action of that clip: importers call it 'armature|clip|layer', or just 'clip'."""
    for thing in bpy.data.objects:
        for action in bpy.data.actions:
            words = action.name.split("|")
            if clip not in words and not action.name.startswith(clip):
                continue
            if words[0] == thing.name or (thing.type == "ARMATURE" and len(words) == 1):
                thing.animation_data_create().action = action
                for track in thing.animation_data.nla_tracks:
                    track.mute = True


def vertices(time):
    """In the order of the objects' names, +Y up as in the file."""
    # Importers count in the file's frames, or in those of the scene; clips start at frame 0.
    frame = time * bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
    graph = bpy.context.evaluated_depsgraph_get()
    result = {}
    for thing in bpy.data.objects:
        if thing.type != "MESH":
            continue
        shown = thing.evaluated_get(graph)
        mesh = shown.to_mesh()
        points = [shown.matrix_world @ v.co for v in mesh.vertices]
        result[thing.name] = [[p.x, p.z, -p.y] for p in points]
        shown.to_mesh_clear()
    return result


def main(model, clip, times, out):
    load(model)
    if clip:
        play(clip)
    joints = {bone.name for armature in bpy.data.armatures for bone in armature.bones}
    answer = {"joints": sorted(joints), "materials": sorted(m.name for m in bpy.data.materials),
              "images": [list(i.size) for i in bpy.data.images],
              "poses": [vertices(float(t)) for t in times.split(",")]}
    pathlib.Path(out).write_text(json.dumps(answer))


main(*sys.argv[sys.argv.index("--") + 1:])
