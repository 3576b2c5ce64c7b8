# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber in Blender: the sidebar of the 3D view (N) gets a tab where a model is moved by a prompt, rigged, or made from words.

Install: Edit > Preferences > Add-ons > Install, choose this file, tick it. It calls the program `limber`, which is looked for in PATH,
or where the add-on's preferences say. The chosen model goes to the program as a GLB, and what comes back is imported beside it.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import bpy

bl_info = {
    "name": "limber",
    "description": "Rigs and animates models by a prompt, with the program limber",
    "author": "The limber authors",
    "version": (1, 0, 0),
    "blender": (3, 4, 0),
    "location": "View3D > Sidebar > limber",
    "category": "Animation",
}

QUALITIES = [("draft", "Draft", "Seconds"), ("standard", "Standard", "Refined, and simulated with weight"), ("best", "Best", "Minutes")]
METHODS = [("auto", "As limber chooses", "Drawn by its networks"), ("rule", "By rule", "As a made-up body does it: half a second")]


class LimberPreferences(bpy.types.AddonPreferences):
    bl_idname = __name__
    program: bpy.props.StringProperty(name="Program", subtype="FILE_PATH", description="limber; empty: the one that is found in PATH")

    def draw(self, context):
        self.layout.prop(self, "program")


class LimberSettings(bpy.types.PropertyGroup):
    prompt: bpy.props.StringProperty(name="Prompt", default="it walks", description="What it should do; semicolons make several clips")
    quality: bpy.props.EnumProperty(name="Quality", items=QUALITIES, default="draft")
    method: bpy.props.EnumProperty(name="Method", items=METHODS, default="auto")
    loop: bpy.props.BoolProperty(name="Loop", description="Close it, so that it can be repeated")
    in_place: bpy.props.BoolProperty(name="In place", description="Without the travel over the ground")
    seed: bpy.props.IntProperty(name="Seed", min=0, description="Another seed, another motion")
    words: bpy.props.StringProperty(name="Words", default="a small red dragon", description="What to make")


def mend_numpy():
    """Debian's Blender 3.4 reads and writes glTF with names that its NumPy no longer has."""
    try:
        import numpy
    except ImportError:
        return
    for name, kind in (("bool", bool), ("int", int), ("float", float), ("object", object)):
        if name not in vars(numpy):
            setattr(numpy, name, kind)


def program(context):
    """The program, or an error in words."""
    addon = context.preferences.addons.get(__name__)
    said = bpy.path.abspath(addon.preferences.program) if addon and addon.preferences.program else ""
    found = said or shutil.which("limber")
    if not found:
        raise RuntimeError("limber was not found in PATH: say where it lies in the preferences of this add-on")
    if not os.access(found, os.X_OK) or os.path.isdir(found):
        raise RuntimeError(f"{found} is no program: say where limber lies in the preferences of this add-on")
    return found


def animate_command(settings, source, output):
    clips = [part.strip() for part in settings.prompt.split(";") if part.strip()]
    command = ["animate", source, "-o", output, "--no-preview", "--quality", settings.quality, "--seed", str(settings.seed)]
    # Of several, limber itself knows which are loops.
    command += ["--clips", ";".join(clips) + ";"] if len(clips) > 1 else ["--prompt=" + settings.prompt]
    if settings.method != "auto":
        command += ["--method", settings.method]
    if settings.loop and len(clips) < 2:
        command.append("--loop")
    if settings.in_place:
        command.append("--in-place")
    return command


def export_chosen(context, path):
    """The chosen objects with all that they hang on and that hangs on them: a mesh is nothing without its armature."""
    chosen = set(context.selected_objects) | ({context.object} if context.object else set())
    if not chosen:
        raise RuntimeError("choose a model first")
    whole = set()
    for thing in chosen:
        top = thing
        while top.parent:
            top = top.parent
        whole |= {top, *top.children_recursive}
    if not any(thing.type == "MESH" for thing in whole):
        raise RuntimeError("what is chosen has no mesh")
    mend_numpy()
    before = [(thing, thing.select_get()) for thing in context.view_layer.objects]
    for thing, _ in before:
        thing.select_set(thing in whole)
    try:
        bpy.ops.export_scene.gltf(filepath=path, export_format="GLB", use_selection=True)
    finally:
        for thing, was in before:
            thing.select_set(was)


def import_result(context, path):
    """The names of what was imported."""
    mend_numpy()
    before = set(bpy.data.objects)
    bpy.ops.import_scene.gltf(filepath=path)
    made = [thing for thing in bpy.data.objects if thing not in before]
    ends = [thing.animation_data.action.frame_range[1] for thing in made if thing.animation_data and thing.animation_data.action]
    if ends:
        context.scene.frame_end = max(context.scene.frame_end, int(max(ends)) + 1)
    return [thing.name for thing in made]


class LimberRun:
    """What all operators have in common: the program runs beside Blender, which stays usable; Escape stops it."""

    bl_options = {"REGISTER", "UNDO"}

    def command(self, context, folder):
        """What the program is asked, its output being `folder`/result.glb."""
        raise NotImplementedError

    def start(self, context):
        self.folder = tempfile.TemporaryDirectory(prefix="limber-blender-")
        self.result = str(pathlib.Path(self.folder.name) / "result.glb")
        self.messages = open(pathlib.Path(self.folder.name) / "messages", "w+", encoding="utf-8", errors="replace")
        arguments = [program(context), *self.command(context, self.folder.name), "--progress=json"]
        self.process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=self.messages, stdin=subprocess.DEVNULL)

    def said(self):
        """What the program told: warnings, and the error where there is one."""
        self.messages.seek(0)
        warnings, error = [], ""
        for line in self.messages:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if event.get("event") == "warning":
                warnings.append(event.get("message", ""))
            if event.get("event") == "error":
                error = f"{event.get('where', '')}: {event.get('what', '')}".strip(": ")
        return warnings, error

    def finish(self, context):
        warnings, error = self.said()
        code = self.process.returncode
        try:
            if code != 0 or not os.path.exists(self.result):
                raise RuntimeError(error or f"limber ended with exit code {code}")
            names = import_result(context, self.result)
        finally:
            self.close()
        for warning in warnings:
            self.report({"WARNING"}, warning)
        self.report({"INFO"}, f"limber made {', '.join(names[:3])}")

    def close(self):
        self.messages.close()
        self.folder.cleanup()

    def execute(self, context):
        """Without a window: Blender waits."""
        try:
            self.start(context)
            self.process.wait()
            self.finish(context)
        except (RuntimeError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        try:
            self.start(context)
        except (RuntimeError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.timer = context.window_manager.event_timer_add(0.2, window=context.window)
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set("limber is at work; Escape stops it")
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.process.terminate()
            self.process.wait()
            return self.ended(context, "stopped")
        if event.type != "TIMER" or self.process.poll() is None:
            return {"PASS_THROUGH"}
        return self.ended(context, "")

    def ended(self, context, why):
        context.window_manager.event_timer_remove(self.timer)
        context.workspace.status_text_set(None)
        try:
            if why:
                self.close()
                raise RuntimeError(why)
            self.finish(context)
        except (RuntimeError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class LimberAnimate(LimberRun, bpy.types.Operator):
    """Let the chosen model do what the prompt says; one without a skeleton gets one"""
    bl_idname = "limber.animate"
    bl_label = "Animate"

    def command(self, context, folder):
        source = str(pathlib.Path(folder) / "source.glb")
        export_chosen(context, source)
        return animate_command(context.scene.limber, source, self.result)


class LimberRig(LimberRun, bpy.types.Operator):
    """Give the chosen mesh a skeleton and skin weights"""
    bl_idname = "limber.rig"
    bl_label = "Rig"

    def command(self, context, folder):
        source = str(pathlib.Path(folder) / "source.glb")
        export_chosen(context, source)
        return ["rig", source, "-o", self.result]


class LimberCreate(LimberRun, bpy.types.Operator):
    """Make a body with a skeleton from words"""
    bl_idname = "limber.create"
    bl_label = "Create"

    def command(self, context, folder):
        settings = context.scene.limber
        return ["create", settings.words, "--seed", str(settings.seed), "-o", self.result]


class LimberPanel(bpy.types.Panel):
    bl_idname = "VIEW3D_PT_limber"
    bl_label = "limber"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "limber"

    def draw(self, context):
        settings, layout = context.scene.limber, self.layout
        for name in ("prompt", "quality", "method", "loop", "in_place", "seed"):
            layout.prop(settings, name)
        layout.operator(LimberAnimate.bl_idname, icon="ARMATURE_DATA")
        layout.operator(LimberRig.bl_idname, icon="BONE_DATA")
        layout.separator()
        layout.prop(settings, "words")
        layout.operator(LimberCreate.bl_idname, icon="MESH_MONKEY")


CLASSES = (LimberPreferences, LimberSettings, LimberAnimate, LimberRig, LimberCreate, LimberPanel)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Scene.limber = bpy.props.PointerProperty(type=LimberSettings)


def unregister():
    del bpy.types.Scene.limber
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)


if __name__ == "__main__":
    register()
