# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays: limber's own memory through the buffer protocol, without NumPy's C interface."""
import gc
import math
import unittest
import weakref

import limber
from creatures import farthest, flat, fox, statue
from limber import _limber

try:
    import numpy
except ImportError:
    numpy = None


class Arrays(unittest.TestCase):
    def test_are_seen_by_memoryview_with_shape_and_format(self):
        vertices, faces = memoryview(fox().vertices), memoryview(fox().faces)
        self.assertEqual((vertices.ndim, vertices.shape[1], vertices.format), (2, 3, "f"))
        self.assertEqual((faces.ndim, faces.shape[1], faces.format), (2, 3, "i"))
        self.assertGreater(vertices.shape[0], 100)
        self.assertEqual(max(flat(fox().faces)), vertices.shape[0] - 1)

    def test_cannot_be_written(self):
        vertices = memoryview(fox().vertices)
        self.assertTrue(vertices.readonly)
        with self.assertRaises(TypeError):
            vertices[0, 0] = 1.0

    def test_keep_what_they_show_alive(self):
        asset = limber.zoo("biped", 3, resolution=24)
        array = asset.vertices
        view, gone = memoryview(array), weakref.ref(asset)
        before = view.tolist()
        del asset, array
        gc.collect()
        self.assertIsNone(gone(), "the asset should be gone, and its numbers not")
        limber.zoo("biped", 4, resolution=24).vertices  # would take the memory
        self.assertEqual(view.tolist(), before)

    def test_of_a_motion_outlive_clip_and_asset(self):
        angles = limber.zoo("biped", 3, actions=["walk"], resolution=24).clips[0].motion(fps=12).joint_angles
        gc.collect()
        self.assertTrue(all(map(math.isfinite, flat(angles))))

    def test_can_be_indexed_and_iterated_without_numpy(self):
        faces = fox().faces
        self.assertEqual(faces[0].tolist(), faces.tolist()[0])
        self.assertEqual(faces[-1][2], faces.tolist()[-1][2])
        self.assertEqual(len(list(faces)), len(faces))
        for index in (len(faces), -len(faces) - 1):
            with self.assertRaises(IndexError):
                faces[index]

    def test_of_joints_are_rows_of_the_rig_itself(self):
        rig = fox().rig
        self.assertFalse(memoryview(rig.rest_rotations).c_contiguous)  # a field of every joint, where it is
        self.assertEqual(rig.rest_rotations.shape, (len(rig), 4))
        for quaternion in rig.rest_rotations.tolist():
            self.assertAlmostEqual(sum(q * q for q in quaternion), 1, 5)
        self.assertEqual(rig.parents[0], -1)
        self.assertTrue(all(parent < joint for joint, parent in enumerate(rig.parents)))

    @unittest.skipIf(numpy is None, "there is no NumPy")
    def test_are_the_same_memory_in_numpy(self):
        asset = fox()
        one, other = numpy.asarray(asset.vertices), numpy.asarray(asset.vertices)
        self.assertEqual(one.dtype, numpy.float32)
        self.assertTrue(numpy.shares_memory(one, other))
        self.assertFalse(one.flags.writeable)
        self.assertEqual(numpy.asarray(asset.rig.parents).tolist(), asset.rig.parents.tolist())

    def test_do_without_the_c_interface_of_numpy(self):
        with open(_limber.__file__, "rb") as file:
            module = file.read()
        for word in (b"PyArray_", b"_ARRAY_API", b"numpy.core", b"libtorch"):
            self.assertNotIn(word, module)


class Meshes(unittest.TestCase):
    VERTICES = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]

    def test_come_from_sequences_and_go_back(self):
        asset = limber.mesh(self.VERTICES, self.FACES)
        self.assertEqual(asset.vertices.tolist(), self.VERTICES)
        self.assertEqual(asset.faces.tolist(), self.FACES)
        self.assertIsNone(asset.rig)

    @unittest.skipIf(numpy is None, "there is no NumPy")
    def test_come_from_arrays_of_any_type_and_stride(self):
        for real in ("f4", "f8"):
            for whole in ("i4", "i8", "u2", "u4"):
                vertices = numpy.asfortranarray(numpy.array(self.VERTICES, real))
                faces = numpy.array(self.FACES, whole)[::-1]
                asset = limber.mesh(vertices, faces)
                self.assertEqual(asset.vertices.tolist(), self.VERTICES)
                self.assertEqual(asset.faces.tolist(), self.FACES[::-1])
        with self.assertRaises(limber.InputError):
            limber.mesh(numpy.array(self.VERTICES, "c16"), self.FACES)

    def test_like_those_of_trimesh_are_assets_everywhere(self):
        class Mesh:
            vertices, faces = statue().vertices, statue().faces

        self.assertEqual(limber.inspect(Mesh())["mesh"]["triangles"], len(statue().faces))
        self.assertLess(farthest(limber.rig(Mesh(), template="curve").vertices, statue().vertices), 1e-5)

    def test_that_are_wrong_are_refused_with_the_place(self):
        for vertices, faces, where in (
            (self.VERTICES, [[0, 1, 4]], "mesh#/faces/0"),
            (self.VERTICES, [[0, 1, 2], [0, 1, -1]], "mesh#/faces/1"),
            (self.VERTICES, [[0, 1, 0.5]], "mesh#/faces/0"),
            (self.VERTICES, [[0, 1]], "mesh#/faces"),
            (self.VERTICES, [[0, 1, 2], [3]], "mesh#/faces"),
            (self.VERTICES, 7, "mesh#/faces"),
            (self.VERTICES, [["a", "b", "c"]], "mesh#/faces"),
            ([[0, 0, 0], [1, math.nan, 0], [0, 1, 0]], [[0, 1, 2]], "mesh#/vertices/1"),
            (self.VERTICES, [[], []], "mesh#/faces"),
            (self.VERTICES, [], "mesh"),
        ):
            with self.assertRaises(limber.InputError) as caught:
                limber.mesh(vertices, faces)
            self.assertEqual(caught.exception.where, where)


if __name__ == "__main__":
    unittest.main()
