# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber render: pictures, videos, sheets and cameras; and what it says when it cannot."""
import base64
import json
import math
import os
import shutil
import struct
import subprocess
import unittest
import zlib

from limber_program import PROGRAM, ProgramTest, shared


class Png:
    """The pixels of an 8-bit RGB picture."""

    def __init__(self, path):
        data = path.read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n", path
        chunks, at = {}, 8
        while at < len(data):
            (length,), kind = struct.unpack(">I", data[at:at + 4]), data[at + 4:at + 8]
            chunks[kind] = chunks.get(kind, b"") + data[at + 8:at + 8 + length]
            at += 12 + length
        self.width, self.height, depth, color = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
        assert (depth, color) == (8, 2), (depth, color)
        raw, stride = zlib.decompress(chunks[b"IDAT"]), 3 * self.width
        self.rows, above = [], bytearray(stride)
        for y in range(self.height):
            line = raw[y * (stride + 1):(y + 1) * (stride + 1)]
            above = self.unfilter(line[0], bytearray(line[1:]), above)
            self.rows.append(above)

    @staticmethod
    def unfilter(kind, line, above):
        for i in range(len(line)):
            a = line[i - 3] if i >= 3 else 0
            b, c = above[i], above[i - 3] if i >= 3 else 0
            if kind == 4:
                p = a + b - c
                guess = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            else:
                guess = (0, a, b, (a + b) // 2)[kind]
            line[i] = (line[i] + guess) & 255
        return line

    def at(self, x, y):
        return tuple(self.rows[y][3 * x:3 * x + 3])


def write_triangle(path, clips=(), stray=()):
    """A glTF of one triangle, with points that no triangle uses, and clips of a second that lift it."""
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), *stray]
    data = b"".join(struct.pack("<3f", *p) for p in points)
    moves = len(data) + 12, struct.pack("<2f", 0, 1) + struct.pack("<6f", 0, 0, 0, 0, 1, 0)
    data += struct.pack("<3I", 0, 1, 2) + moves[1]
    view = lambda offset, length: {"buffer": 0, "byteOffset": offset, "byteLength": length}
    channel = {"sampler": 0, "target": {"node": 0, "path": "translation"}}
    gltf = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"doubleSided": True}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3",
             "min": [min(p[k] for p in points) for k in range(3)], "max": [max(p[k] for p in points) for k in range(3)]},
            {"bufferView": 1, "componentType": 5125, "count": 3, "type": "SCALAR"},
            {"bufferView": 2, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
            {"bufferView": 3, "componentType": 5126, "count": 2, "type": "VEC3"}],
        "bufferViews": [view(0, 12 * len(points)), view(12 * len(points), 12), view(moves[0], 8), view(moves[0] + 8, 24)],
        "buffers": [{"byteLength": len(data),
                     "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]}
    if clips:
        gltf["animations"] = [{"name": name, "channels": [channel], "samplers": [{"input": 2, "output": 3}]}
                              for name in clips]
    path.write_text(json.dumps(gltf))


def turn_to_the_left(source, target):
    """The body then looks along +X, and only the names of its joints tell."""
    data = source.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    gltf = json.loads(data[20:20 + length])
    for skin in gltf["skins"]:
        skin.pop("extras", None)
    scene = gltf["scenes"][gltf.get("scene", 0)]
    gltf["nodes"].append({"rotation": [0, math.sqrt(0.5), 0, math.sqrt(0.5)], "children": scene["nodes"]})
    scene["nodes"] = [len(gltf["nodes"]) - 1]
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + length:]
    target.write_bytes(struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest)


def have_ffmpeg():
    return shutil.which("ffmpeg") and shutil.which("ffprobe")


class Render(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_limber("zoo", "--seed", 7, "--action", "walk", "--resolution", 30, "-o", "a.glb")

    def probe(self, name):
        done = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries",
                               "stream=width,height,nb_read_frames,r_frame_rate", "-of", "json", name],
                              cwd=self.folder, capture_output=True, text=True, check=True)
        stream = json.loads(done.stdout)["streams"][0]
        return int(stream["width"]), int(stream["height"]), int(stream["nb_read_frames"]), stream["r_frame_rate"]

    def test_a_moment_becomes_a_picture_with_the_creature_in_the_middle(self):
        self.run_limber("render", "a.glb", "--clip", "walk", "--time", 0.2, "--layers", "mask", "--size", "96x64", "-o", "m.png")
        picture = Png(self.folder / "m.png")
        self.assertEqual((picture.width, picture.height), (96, 64))
        inside = [(x, y) for y in range(64) for x in range(96) if picture.at(x, y) == (255, 255, 255)]
        self.assertGreater(len(inside), 300)
        xs, ys = [p[0] for p in inside], [p[1] for p in inside]
        self.assertTrue(min(xs) > 0 and max(xs) < 95 and min(ys) > 0 and max(ys) < 63)

    def test_layers_stand_side_by_side_or_in_files_of_their_own(self):
        common = ["render", "a.glb", "--clip", "walk", "--time", 0, "--size", "64x48", "--layers", "mask,parts,depth"]
        self.run_limber(*common, "-o", "all.png")
        self.run_limber(*common, "-o", "one_{layer}.png")
        together = Png(self.folder / "all.png")
        self.assertEqual((together.width, together.height), (3 * 64, 48))
        for number, layer in enumerate(("mask", "parts", "depth")):
            alone = Png(self.folder / f"one_{layer}.png")
            self.assertEqual([row[192 * number:192 * (number + 1)] for row in together.rows], alone.rows)

    def test_the_same_bytes_for_any_thread_count(self):
        for threads in (1, 2, 3):
            self.run_limber("render", "a.glb", "--time", 0.1, "--size", "160x120", "--layers", "rgb,skeleton,normals,weights",
                            "--threads", threads, "-o", f"{threads}.png")
        one, two, three = ((self.folder / f"{n}.png").read_bytes() for n in (1, 2, 3))
        self.assertTrue(one == two and one == three)

    def test_a_sequence_has_a_file_per_frame(self):
        report = self.run_json("render", "a.glb", "--frames", 3, "--size", "32x32", "-o", "frames/")
        self.assertEqual(report["frames"], 3)
        self.run_limber("render", "a.glb", "--frames", 2, "--size", "32x32", "-o", "f%02d.jpg")
        self.assertEqual(self.files(), ["a.glb", "f00.jpg", "f01.jpg", "frames/frame_0000.png", "frames/frame_0001.png",
                                        "frames/frame_0002.png"])

    def test_a_sheet_has_rows_and_columns(self):
        self.run_limber("render", "a.glb", "--sheet", "3x2", "--size", "40x30", "-o", "sheet.png")
        sheet = Png(self.folder / "sheet.png")
        self.assertEqual((sheet.width, sheet.height), (3 * 40 + 8, 2 * 30 + 4))

    def test_a_sheet_has_room_for_every_frame(self):
        def size(*arguments):
            self.run_limber("render", *arguments, "--size", "16x12", "--layers", "mask", "-o", "sheet.png")
            sheet = Png(self.folder / "sheet.png")
            return (sheet.width + 4) / 20, (sheet.height + 4) / 16
        self.assertEqual(size("a.glb"), (4, 2))
        self.assertEqual(size("a.glb", "--frames", 20), (4, 5))
        write_triangle(self.folder / "t.gltf", ["up", "down", "over"])
        self.assertEqual(size("t.gltf", "--all-clips"), (4, 6))
        self.assertEqual(size("t.gltf", "--all-clips", "--frames", 3), (4, 3))
        self.assertEqual(size("t.gltf", "--all-clips", "--time", 0.5), (4, 1))
        self.assertEqual(size("t.gltf", "--all-clips", "--sheet", "5x3"), (5, 3))

    def test_clips_of_like_names_get_files_of_their_own(self):
        write_triangle(self.folder / "t.gltf", ["walk", "walk", "walk_1", ".."])
        report = self.run_json("render", "t.gltf", "--all-clips", "--frames", 1, "--size", "16x16", "-o", "c/{clip}/%d.png")
        self.assertEqual(len(set(report["outputs"])), 4)
        self.assertEqual(len([f for f in self.files() if f.startswith("c/")]), 4)

    def test_points_without_triangles_do_not_shrink_the_picture(self):
        for name, stray in (("bare", []), ("stray", [(500, 300, 0)])):
            write_triangle(self.folder / f"{name}.gltf", stray=stray)
            self.run_limber("render", f"{name}.gltf", "--layers", "mask", "--size", "48x48", "-o", f"{name}.png")
        picture = Png(self.folder / "stray.png")
        self.assertGreater(sum(picture.at(x, y) == (255, 255, 255) for y in range(48) for x in range(48)), 300)
        self.assertEqual(picture.rows, Png(self.folder / "bare.png").rows)

    def test_cameras_go_out_and_come_back(self):
        common = ["render", "a.glb", "--clip", "walk", "--frames", 2, "--size", "48x48", "--no-ground"]
        self.run_limber(*common, "--views", 2, "--azimuth", 90, "--write-cameras", "c.json", "-o", "a%d.png")
        cameras = json.loads((self.folder / "c.json").read_text())
        self.assertEqual([len(view) for view in cameras], [2, 2])
        self.assertEqual(cameras[0][0]["width"], 48)
        self.run_limber(*common, "--cameras", "c.json", "-o", "b%d.png")
        for i in (0, 1):
            self.assertTrue((self.folder / f"a{i}.png").read_bytes() == (self.folder / f"b{i}.png").read_bytes())
        picture = Png(self.folder / "a0.png")
        self.assertEqual((picture.width, picture.height), (96, 48))

    def test_options_have_an_effect(self):
        def draw(*options):
            self.run_limber("render", "a.glb", "--size", "48x48", "--time", 0, *options, "-o", "x.png")
            return (self.folder / "x.png").read_bytes()
        plain = draw()
        for options in (["--azimuth", 100], ["--elevation", 60], ["--fill", 0.4], ["--no-ground"], ["--sky", "ff0000"],
                        ["--clip", "rest"], ["--layers", "normals"], ["--up", "+Z"], ["--forward", "-x"]):
            self.assertTrue(draw(*options) != plain, options)
        self.assertTrue(draw("--up", "+y", "--forward", "0,0,2") == plain)
        self.assertTrue(draw("--up", "z") == draw("--up", "+Z"))
        # The front of what looks along +X is the left of what looks along +Z.
        masks = []
        for options in (["--azimuth", 90], ["--azimuth", 0, "--forward", "+X"], ["--azimuth", 0]):
            draw(*options, "--layers", "mask")
            picture = Png(self.folder / "x.png")
            masks.append([picture.at(x, y)[0] > 127 for y in range(48) for x in range(48)])
        differ = [sum(one != other for one, other in zip(masks[0], mask)) for mask in masks]
        self.assertLess(differ[1], 5)
        self.assertGreater(differ[2], 100)
        draw("--no-ground", "--sky", "ff8000")
        self.assertEqual(Png(self.folder / "x.png").at(0, 0), (255, 128, 0))

    def test_the_front_is_where_the_body_looks(self):
        def seen(name, *options):
            self.run_limber("render", name, "--clip", "rest", "--azimuth", 0, "--layers", "mask", "--size", "48x48", *options,
                            "-o", "x.png")
            picture = Png(self.folder / "x.png")
            return [picture.at(x, y)[0] > 127 for y in range(48) for x in range(48)]

        turn_to_the_left(self.folder / "a.glb", self.folder / "turned.glb")
        ahead = seen("a.glb")
        self.assertLess(sum(one != other for one, other in zip(ahead, seen("turned.glb"))), 5)
        self.assertGreater(sum(one != other for one, other in zip(ahead, seen("turned.glb", "--forward", "+z"))), 100)

    def test_videos_have_the_frames_and_the_rate_asked_for(self):
        if not have_ffmpeg():
            self.skipTest("ffmpeg is not installed")
        self.run_limber("render", "a.glb", "--clip", "walk", "--layers", "rgb,parts", "--size", "64x48", "--fps", 12, "-o", "w.mp4")
        width, height, frames, rate = self.probe("w.mp4")
        self.assertEqual((width, height, rate), (128, 48, "12/1"))
        self.assertGreater(frames, 5)
        report = self.run_json("render", "a.glb", "--turntable", "--frames", 6, "--size", "64x48", "-o", "t.gif")
        self.assertEqual(report["frames"], 6)
        self.assertEqual(self.probe("t.gif")[2], 6)

    def test_without_a_clip_the_newest_of_limbers_is_drawn(self):
        self.run_limber("zoo", "--plan", "biped", "--seed", 5, "--resolution", 30, "--action", "walk", "-o", "a.glb")
        self.run_limber("animate", "a.glb", "--prompt", "it waves", "--method", "rule", "--quality", "draft", "--no-preview", "-o", "b.glb")
        common = ["--time", 0.5, "--size", "64x64", "--azimuth", 0]
        for file, clip in (("a.glb", "walk"), ("b.glb", "it waves")):
            self.run_limber("render", file, *common, "-o", "usual.png")
            self.run_limber("render", file, *common, "--clip", clip, "-o", "asked.png")
            self.assertEqual((self.folder / "usual.png").read_bytes(), (self.folder / "asked.png").read_bytes(), file)

    def test_clips_follow_each_other_or_get_files_of_their_own(self):
        self.run_limber("zoo", "--plan", "fish", "--action", "all", "--resolution", 24, "-o", "fish.glb")
        clips = len(self.run_json("zoo", "--list")["plans"]["fish"])
        report = self.run_json("render", "fish.glb", "--all-clips", "--frames", 2, "--size", "16x16", "-o", "{clip}_%d.png")
        self.assertEqual(report["frames"], 2 * clips)
        self.assertEqual(len(report["outputs"]), clips)
        self.assertTrue((self.folder / "swim_1.png").exists())

    def test_reads_other_formats(self):
        self.run_limber("convert", "a.glb", "-o", "a.obj")
        self.run_limber("render", "a.obj", "--layers", "mask", "--size", "32x32", "-o", "o.png")
        picture = Png(self.folder / "o.png")
        self.assertGreater(sum(picture.at(x, y) == (255, 255, 255) for y in range(32) for x in range(32)), 50)

    def test_draws_a_real_model(self):
        fox = shared(self, "assets/quadruped/fox_khronos.glb")
        self.run_limber("render", fox, "--clip", "Run", "--time", 0.1, "--size", "64x48", "--layers", "rgb", "-o", "fox.png")
        picture = Png(self.folder / "fox.png")
        orange = sum(r > g + 25 > b + 40 for y in range(48) for x in range(64) for r, g, b in [picture.at(x, y)])
        self.assertGreater(orange, 60)


class Failures(ProgramTest):
    def setUp(self):
        super().setUp()
        self.run_limber("zoo", "--seed", 7, "--action", "walk", "--resolution", 24, "-o", "a.glb")

    def fails(self, message, *arguments, code=1):
        self.run_limber("render", *arguments, code=code)
        self.assertIn(message, self.stderr)
        self.assertEqual([f for f in self.files() if not f.endswith((".glb", ".json"))], [])

    def test_says_what_is_wrong(self):
        (self.folder / "bad.glb").write_bytes(b"glTF" + bytes(50))
        (self.folder / "bad.json").write_text("[[{}]]")
        self.run_limber("zoo", "--no-rig", "--resolution", 24, "-o", "bare.glb")
        self.fails("no clip 'fly'; there are: walk", "a.glb", "--clip", "fly", "-o", "x.png")
        self.fails("there are no clips", "bare.glb", "--all-clips", "-o", "x.png")
        self.fails("no layer 'colour'; there are: rgb", "a.glb", "--layers", "colour", "-o", "x.png")
        self.fails("needs a skeleton", "bare.glb", "--layers", "rgb,weights", "-o", "x.png")
        self.fails("bad.glb", "bad.glb", "-o", "x.png")
        self.fails("missing.glb", "missing.glb", "-o", "x.png")
        self.fails("bad.json#/0/0/width", "a.glb", "--cameras", "bad.json", "--time", 0, "-o", "x.png")
        self.fails("missing.json", "a.glb", "--cameras", "missing.json", "--time", 0, "-o", "x.png")
        self.fails("--size", "a.glb", "--size", "0x5", "-o", "x.png")
        self.fails("--size", "a.glb", "--size", "big", "-o", "x.png")
        self.fails("too large", "a.glb", "--size", "16384x16384", "-o", "x.png")
        self.fails("--sheet", "a.glb", "--sheet", "4", "-o", "x.png")
        self.fails("5 frames do not fit into a sheet of 2x2", "a.glb", "--sheet", "2x2", "--frames", 5, "-o", "x.png")
        self.fails("'rgb' is named twice", "a.glb", "--layers", "rgb,mask,rgb", "-o", "x_{layer}.png")
        self.fails("makes a picture", "a.glb", "--sheet", "4x4", "-o", "x.mp4")
        self.fails("--sky", "a.glb", "--sky", "blue", "-o", "x.png")
        self.fails("use .mp4", "a.glb", "-o", "x.txt")
        self.fails("no/where", "a.glb", "--time", 0, "-o", "no/where/x.png")
        self.fails("--views", "a.glb", "--views", 0, "-o", "x.png", code=2)
        self.fails("input is required", code=2)
        self.fails("--up", "a.glb", "--up", "W", "-o", "x.png", code=2)
        self.fails("run along one line", "a.glb", "--forward", "-Y", "-o", "x.png")

    def test_contradictory_options_are_wrong_usage_and_named(self):
        for one, other in ((["--clip", "walk"], ["--all-clips"]), (["--time", 1], ["--frames", 3]),
                           (["--time", 1], ["--turntable"]), (["--cameras", "c.json"], ["--azimuth", 3]),
                           (["--cameras", "c.json"], ["--no-follow"]), (["--up", "+z"], ["--forward", "-Z"])):
            self.fails(one[0], "a.glb", *one, *other, "-o", "x.png", code=2)
            self.assertIn(other[0].replace("no-follow", "follow"), self.stderr)

    def test_refuses_cameras_that_ask_for_too_large_a_picture(self):
        camera = {"width": 32768, "height": 1, "fx": 100, "fy": 100, "cx": 50, "cy": 0.5,
                  "camera_from_world": [[1, 0, 0, 0], [0, -1, 0, 0.5], [0, 0, -1, 5]]}
        common = ["a.glb", "--clip", "rest", "--frames", 1, "--layers", "mask", "--sheet", "64x1", "-o", "x.png"]
        (self.folder / "many.json").write_text(json.dumps([[camera]] * 2048))
        self.fails("many.json: 2048 views are more than 64", *common, "--cameras", "many.json")
        (self.folder / "wide.json").write_text(json.dumps([[camera]] * 64))
        self.fails("wide.json: a picture of", *common, "--cameras", "wide.json")

    def test_all_clips_in_a_sheet_must_fit(self):
        write_triangle(self.folder / "t.gltf", ["up", "down", "over"])
        self.run_limber("render", "t.gltf", "--all-clips", "--sheet", "2x1", "-o", "x.png", code=1)
        self.assertIn("3 frames do not fit into a sheet of 2x1", self.stderr)

    def test_says_that_ffmpeg_is_missing(self):
        environment = {**os.environ, "PATH": str(self.folder)}
        done = subprocess.run([os.path.abspath(PROGRAM), "render", "a.glb", "--size", "32x32", "-o", "x.mp4"],
                              cwd=self.folder, env=environment, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 1)
        self.assertIn("ffmpeg", done.stderr)
        self.assertEqual(self.files(), ["a.glb"])


if __name__ == "__main__":
    unittest.main()
