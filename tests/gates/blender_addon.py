# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Runs in Blender: installs the add-on, lets its operators work on a model, and writes down what came of it.

blender -b --python blender_addon.py -- ADDON PROGRAM MODEL OUT.json
"""
import json
import sys

import bpy

addon, program, model, out = sys.argv[sys.argv.index("--") + 1:]
told = {}


def clear():
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)


def clips():
    """The actions that are there, and how many seconds each takes."""
    rate = bpy.context.scene.render.fps
    return {action.name: (action.frame_range[1] - action.frame_range[0]) / rate for action in bpy.data.actions}


def refused(operator):
    try:
        operator()
    except RuntimeError as error:
        return str(error)
    return ""


bpy.ops.preferences.addon_install(filepath=addon)
bpy.ops.preferences.addon_enable(module="limber_addon")
told["panel"] = hasattr(bpy.types, "VIEW3D_PT_limber")
settings = bpy.context.scene.limber
preferences = bpy.context.preferences.addons["limber_addon"].preferences

clear()
import limber_addon  # noqa: E402  installed above

limber_addon.mend_numpy()  # for what this script itself reads
preferences.program = program
told["nothing chosen"] = refused(bpy.ops.limber.animate)
preferences.program = "/nowhere/limber"
bpy.ops.import_scene.gltf(filepath=model)
told["no program"] = refused(bpy.ops.limber.animate)
preferences.program = program

settings.prompt, settings.method, settings.in_place = "walk", "rule", True
told["animate"] = list(bpy.ops.limber.animate())
told["one clip"] = clips()
told["armatures"] = sum(thing.type == "ARMATURE" for thing in bpy.data.objects)

clear()
bpy.ops.import_scene.gltf(filepath=model)
settings.prompt = "walk; it turns"
bpy.ops.limber.animate()
told["pack"] = clips()

clear()
bpy.ops.import_scene.gltf(filepath=model)
settings.prompt = "it yodels"
told["not known"] = refused(bpy.ops.limber.animate)

clear()
settings.words = "a small red dog"
told["create"] = list(bpy.ops.limber.create())
heights = [(thing.matrix_world @ vertex.co).z for thing in bpy.data.objects if thing.type == "MESH" for vertex in thing.data.vertices]
told["stands"] = [min(heights), max(heights)]
settings.words = "a dgo"
told["no such noun"] = refused(bpy.ops.limber.create)

bpy.ops.preferences.addon_disable(module="limber_addon")
told["gone"] = not hasattr(bpy.types, "VIEW3D_PT_limber")
with open(out, "w", encoding="utf-8") as file:
    json.dump(told, file)
