# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Errors, progress, threads: what crosses the border besides numbers."""
import os
import pathlib
import pickle
import signal
import tempfile
import threading
import time
import unittest

import limber
from creatures import farthest, fox, statue


class Errors(unittest.TestCase):
    def check(self, kind, where, call):
        with self.assertRaises(limber.Error) as caught:
            call()
        error = caught.exception
        self.assertEqual(error.kind, kind, str(error))
        self.assertIn(where, error.where)
        self.assertIn(error.what, str(error))
        return error

    def test_say_what_where_and_which_kind(self):
        error = self.check("missing", "nowhere.glb", lambda: limber.read("nowhere.glb"))
        self.assertIsInstance(error, limber.MissingError)
        self.check("input", "bytes", lambda: limber.read(b"glTF, as it were"))
        self.check("conflict", "", lambda: limber.animate(fox(), prompt="a fox trots", video="fox.mp4"))
        self.check("input", "quality", lambda: limber.animate(fox(), prompt="a fox trots", quality="superb"))
        self.check("input", "up", lambda: limber.rig(statue(), up="sideways"))
        self.check("input", "template", lambda: limber.rig(statue(), template="unicorn"))
        self.check("input", "", lambda: limber.physics(statue()))
        self.check("input", "", lambda: limber.physics(fox(), "fly"))
        self.check("input", "", lambda: limber.render(statue(), layer="skeleton"))
        self.check("out of memory", "", lambda: limber.render(fox(), size=(16000, 16000), frames=100))
        self.check("input", "", lambda: limber.pose_space(statue()))
        self.check("input", "tentacle.9", lambda: limber.pose_space(fox()).solve({"tentacle.9": (0, 0, 0)}))
        self.check("input", "", lambda: limber.score(statue()))

    def test_memory_for_files_is_bounded(self):
        zeros = (b'{"asset": {"version": "2.0"}, "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3000000}],'
                 b'"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}]}')
        try:
            limber.set_memory_budget(10 << 20)
            error = self.check("out of memory", "accessors/0", lambda: limber.read(zeros))
            self.assertIn("10 MB", error.what)
        finally:
            limber.set_memory_budget(4 << 30)
        limber.read(zeros)

    def test_are_usual_ones_too(self):
        with self.assertRaises(ValueError):
            limber.zoo("unicorn")
        with self.assertRaises(TypeError):
            limber.inspect(3)
        with self.assertRaises(TypeError):
            limber.rig(statue(), colour="red")

    def test_survive_pickling(self):
        error = pickle.loads(pickle.dumps(limber.MissingError("is not there", "fox.glb")))
        self.assertEqual((error.what, error.where, error.kind), ("is not there", "fox.glb", "missing"))
        self.assertEqual(str(error), "fox.glb: is not there")

    def test_name_files_that_are_not_utf_8(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / os.fsdecode(b"f\xffx.glb")
            path.write_bytes(b"nothing")
            self.check("unsupported", "x.glb", lambda: limber.read(path))


class Progress(unittest.TestCase):
    def test_is_told_stages_and_fractions(self):
        told = []
        limber.rig(statue(), progress=lambda stage, fraction: told.append((stage, fraction)))
        self.assertTrue(told)
        self.assertTrue(all(isinstance(stage, str) and 0 <= fraction <= 1 for stage, fraction in told))

    def test_cancels_by_returning_false(self):
        for call in (limber.rig, limber.doctor, limber.parts, limber.render):
            with self.assertRaises(limber.Cancelled, msg=call):
                call(statue(), progress=lambda stage, fraction: False)

    def test_cancels_by_raising_which_goes_on(self):
        class Enough(Exception):
            pass

        def progress(stage, fraction):
            raise Enough(stage)

        with self.assertRaises(Enough):
            limber.rig(statue(), progress=progress)

    def test_is_checked_for_ctrl_c(self):
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

        def progress(stage, fraction):
            os.kill(os.getpid(), signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            limber.render(fox(), size=(64, 48), frames=50, progress=progress)


class Threads(unittest.TestCase):
    def test_of_python_run_during_a_long_call(self):
        ticks, done = 0, threading.Event()

        def work():
            limber.render(fox(), size=(320, 240), frames=30)
            done.set()

        thread = threading.Thread(target=work)
        start = time.monotonic()
        thread.start()
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)
        thread.join()
        # Where the call kept the interpreter to itself, this loop would have stood still all the while.
        self.assertGreater(ticks, 10, f"in {time.monotonic() - start:.2f} s")

    def test_may_share_an_asset(self):
        asset = limber.zoo("biped", 5, resolution=24, rigged=False)
        alone = limber.rig(limber.zoo("biped", 5, resolution=24, rigged=False))
        results = []
        threads = [threading.Thread(target=lambda: results.append((limber.rig(asset), asset.vertices))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 3)
        for rigged, vertices in results:
            self.assertEqual(rigged.rig.names, alone.rig.names)
            self.assertEqual(rigged.rig.skin_weights.tolist(), alone.rig.skin_weights.tolist())
            self.assertLess(farthest(vertices, alone.vertices), 1e-5)

    def test_of_limber_can_be_counted_and_change_nothing(self):
        count = limber.thread_count()
        self.assertGreaterEqual(count, 1)
        try:
            limber.set_thread_count(1)
            self.assertEqual(limber.thread_count(), 1)
            one = limber.render(fox(), time=0.2, size=(64, 48)).pixels.tolist()
        finally:
            limber.set_thread_count(0)
        self.assertEqual(limber.render(fox(), time=0.2, size=(64, 48)).pixels.tolist(), one)
        with self.assertRaises(ValueError):
            limber.set_thread_count(-1)


if __name__ == "__main__":
    unittest.main()
