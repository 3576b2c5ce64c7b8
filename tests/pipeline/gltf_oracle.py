# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""An independent, slow and plain reader of GLB files that poses them: what limber's own posing is compared with.

Standard library only. Knows what limber writes and most of what others do; no compression, no sparse accessors, no morphs.
"""
import json
import math
import struct

FORMATS = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
DIVISORS = {5120: 127.0, 5121: 255.0, 5122: 32767.0, 5123: 65535.0}


class Glb:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        magic, version, length = struct.unpack_from("<4sII", data)
        assert magic == b"glTF" and version == 2 and length == len(data), "not a well-formed GLB"
        size, kind = struct.unpack_from("<I4s", data, 12)
        assert kind == b"JSON" and size % 4 == 0
        self.json = json.loads(data[20:20 + size])
        self.bin = b""
        if 20 + size < length:
            bin_size, bin_kind = struct.unpack_from("<I4s", data, 20 + size)
            assert bin_kind == b"BIN\0" and bin_size % 4 == 0
            self.bin = data[28 + size:28 + size + bin_size]

    def write(self, path):
        """What was read, with its JSON as it is now."""
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(self.bin), b"BIN\0") + self.bin
        with open(path, "wb") as file:
            file.write(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)

    def place(self, name, clip=None, time=0):
        """Where a node is in the world."""
        index = next(i for i, node in enumerate(self.json["nodes"]) if node.get("name") == name)
        world = self.worlds_at(self.clip(clip) if clip else None, time)[index]
        return [world[r][3] for r in range(3)]

    def accessor(self, index):
        a = self.json["accessors"][index]
        view = self.json["bufferViews"][a["bufferView"]]
        width, code = WIDTHS[a["type"]], FORMATS[a["componentType"]]
        step = view.get("byteStride", width * struct.calcsize(code))
        start = view.get("byteOffset", 0) + a.get("byteOffset", 0)
        rows = [struct.unpack_from(f"<{width}{code}", self.bin, start + i * step) for i in range(a["count"])]
        if a.get("normalized"):
            rows = [tuple(max(v / DIVISORS[a["componentType"]], -1.0) for v in row) for row in rows]
        return rows

    def clip(self, name):
        return next(c for c in self.json["animations"] if c.get("name") == name)

    def locals_at(self, clip, time):
        """Per node [translation, rotation, scale] or a 4x4 matrix, as nested lists."""
        result = []
        for node in self.json["nodes"]:
            if "matrix" in node:
                m = node["matrix"]
                result.append([[m[4 * c + r] for c in range(4)] for r in range(4)])
            else:
                result.append({"translation": node.get("translation", [0, 0, 0]), "rotation": node.get("rotation", [0, 0, 0, 1]),
                               "scale": node.get("scale", [1, 1, 1])})
        for channel in clip["channels"] if clip else []:
            path, node = channel["target"]["path"], channel["target"]["node"]
            if path != "weights":
                result[node][path] = self.sample(clip["samplers"][channel["sampler"]], time, path == "rotation")
        return result

    def sample(self, sampler, time, rotation):
        times = [t for (t,) in self.accessor(sampler["input"])]
        values = self.accessor(sampler["output"])
        mode = sampler.get("interpolation", "LINEAR")
        if mode == "CUBICSPLINE":
            values = [values[3 * i:3 * i + 3] for i in range(len(times))]
            pick = lambda i: values[i][1]
        else:
            pick = lambda i: values[i]
        if time <= times[0]:
            return pick(0)
        if time >= times[-1]:
            return pick(len(times) - 1)
        i = max(k for k in range(len(times)) if times[k] <= time)
        span = times[i + 1] - times[i]
        u = (time - times[i]) / span
        a, b = pick(i), pick(i + 1)
        if mode == "STEP":
            return a
        if mode == "LINEAR" and rotation:
            return slerp(a, b, u)
        if mode == "LINEAR":
            return [(1 - u) * x + u * y for x, y in zip(a, b)]
        out, into = values[i][2], values[i + 1][0]
        u2, u3 = u * u, u * u * u
        v = [(2 * u3 - 3 * u2 + 1) * p + span * (u3 - 2 * u2 + u) * m + (3 * u2 - 2 * u3) * q + span * (u3 - u2) * n
             for p, m, q, n in zip(a, out, b, into)]
        return unit(v) if rotation else v

    def worlds_at(self, clip, time):
        locals_ = self.locals_at(clip, time)
        nodes = self.json["nodes"]
        worlds = [None] * len(nodes)
        children = {c for n in nodes for c in n.get("children", [])}
        stack = [(i, IDENTITY) for i in range(len(nodes)) if i not in children]
        while stack:
            i, parent = stack.pop()
            local = locals_[i] if isinstance(locals_[i], list) else trs(**locals_[i])
            worlds[i] = multiply(parent, local)
            stack += [(c, worlds[i]) for c in nodes[i].get("children", [])]
        return worlds

    def posed(self, clip, time):
        """All vertices of the default scene in world space, in node order."""
        worlds, result = self.worlds_at(clip, time), []
        reachable, stack = set(), list(self.json["scenes"][self.json.get("scene", 0)]["nodes"])
        while stack:
            i = stack.pop()
            reachable.add(i)
            stack += self.json["nodes"][i].get("children", [])
        for i, node in enumerate(self.json["nodes"]):
            if "mesh" not in node or i not in reachable:
                continue
            for primitive in self.json["meshes"][node["mesh"]]["primitives"]:
                attributes = primitive["attributes"]
                points = self.accessor(attributes["POSITION"])
                if "skin" not in node or "JOINTS_0" not in attributes:
                    result += [transform(worlds[i], p) for p in points]
                    continue
                skin = self.json["skins"][node["skin"]]
                binds = ([[[m[4 * c + r] for c in range(4)] for r in range(4)] for m in self.accessor(skin["inverseBindMatrices"])]
                         if "inverseBindMatrices" in skin else [IDENTITY] * len(skin["joints"]))
                matrices = [multiply(worlds[j], b) for j, b in zip(skin["joints"], binds)]
                sets = [(self.accessor(attributes[f"JOINTS_{s}"]), self.accessor(attributes[f"WEIGHTS_{s}"]))
                        for s in range(4) if f"JOINTS_{s}" in attributes]
                for v, p in enumerate(points):
                    pairs = [(j, w) for joints, weights in sets for j, w in zip(joints[v], weights[v]) if w > 0]
                    total = sum(w for _, w in pairs)
                    if total <= 0:
                        result.append(transform(worlds[i], p))
                        continue
                    moved = [transform(matrices[j], p) for j, _ in pairs]
                    result.append(tuple(sum(w * m[k] for (_, w), m in zip(pairs, moved)) / total for k in range(3)))
        return result


IDENTITY = [[float(r == c) for c in range(4)] for r in range(4)]


def unit(q):
    n = math.sqrt(sum(x * x for x in q))
    return [x / n for x in q]


def slerp(a, b, u):
    cosine = sum(x * y for x, y in zip(a, b))
    if cosine < 0:
        b, cosine = [-x for x in b], -cosine
    angle = math.acos(min(1.0, cosine))
    if angle < 1e-6:
        return unit([(1 - u) * x + u * y for x, y in zip(a, b)])
    return unit([(math.sin((1 - u) * angle) * x + math.sin(u * angle) * y) / math.sin(angle) for x, y in zip(a, b)])


def trs(translation, rotation, scale):
    x, y, z, w = rotation
    r = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return [[r[i][j] * scale[j] for j in range(3)] + [translation[i]] for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]]


def multiply(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def transform(m, p):
    return tuple(m[i][0] * p[0] + m[i][1] * p[1] + m[i][2] * p[2] + m[i][3] for i in range(3))


def obj_vertices(path):
    with open(path) as file:
        return [tuple(map(float, line.split()[1:4])) for line in file if line.startswith("v ")]
