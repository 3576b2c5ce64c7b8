# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""The studio's export with faults on purpose (faults.py), in the server and in what it starts. Whatever fails: the studio lives, its assets
are what they were, an export is whole or has failed in words, nothing is left behind, and the next export works.

LIMBER=build/bin/limber LIMBER_FAULT_SHIM=build/lib/liblimber_fault_shim.so python3 tests/faults/studio_test.py"""
import hashlib
import http.client
import json
import pathlib
import sys
import tempfile
import time
import unittest
import unittest.mock

import faults

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "studio"))
from server_test import Server  # noqa: E402
from storm_test import processes_in  # noqa: E402


class Export(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="limber-faults-")
        self.addCleanup(scratch.cleanup)
        self.control = faults.Control(pathlib.Path(scratch.name, "control"))
        with unittest.mock.patch.dict("os.environ", self.control.environment(pathlib.Path(scratch.name, "bin"))):
            self.server = Server("--jobs", "1")
        self.addCleanup(self.server.scratch.cleanup)
        self.addCleanup(self.server.close)
        self.fox = self.server.finished(self.server.job("zoo", body="quadruped", seed=3, action="walk"))["results"][0]
        self.work = self.file_of(self.fox)

    def file_of(self, asset):
        code, _, data = self.server.call("GET", f"/api/assets/{asset}/file")
        self.assertEqual(code, 200, asset)
        return hashlib.sha256(data).hexdigest()

    def ask(self, method, path, body=None):
        """(status, answer), of a call that may fail itself: an error in words, or a connection that ends."""
        try:
            code, _, data = self.server.call(method, path, body)
        except (http.client.HTTPException, ConnectionError):
            return None, None
        if code >= 400:
            self.assertTrue(json.loads(data)["error"]["what"], data)
        return code, json.loads(data) if data else None

    def left(self):
        """Of files and processes: what is neither an asset nor the studio's own."""
        own = {self.server.process.pid}
        folder = next(self.server.files.iterdir())
        # An asset's folder is "a1"; "new3.fbx" would be an export that nobody knows, "work4" a job's folder. What jobs found is in "reports".
        files = [p.name for p in folder.iterdir() if not (p.name[0] == "a" and p.name[1:].isdigit()) and p.name not in ("lock", "reports")]
        return sorted(files) + sorted(set(processes_in(self.server.files)) - own) + self.server.children()

    def export(self, file_format):
        """A job that exports, and has ended; none where there is none."""
        before = {job["id"] for job in self.server.json("GET", "/api/state")["jobs"]} if not self.control.armed() else self.known
        self.ask("POST", "/api/jobs", {"do": "export", "asset": self.fox, "options": {"format": file_format}})
        end = time.monotonic() + 60
        while time.monotonic() < end:
            code, state = self.ask("GET", "/api/state")
            if code == 200:
                new = [job for job in state["jobs"] if job["id"] not in before]
                if all(job["state"] not in ("queued", "running") for job in new):
                    return new[0] if new else None
            time.sleep(0.01)
        raise AssertionError(f"does not end: {state}")

    def taken(self, job):
        """What the job made, which then goes."""
        found = [self.file_of(asset) for asset in job["results"]]
        for asset in job["results"]:
            self.assertEqual(self.ask("DELETE", f"/api/assets/{asset}")[0], 204)
        return found

    def try_one(self, name, nth, count, file_format, whole):
        family = faults.FAMILIES[name]
        self.known = {job["id"] for job in self.server.json("GET", "/api/state")["jobs"]}
        self.control.arm(family, nth)
        job = self.export(file_format)
        self.control.disarm()
        _, _, call = self.control.seen()
        hint = f"{name} {nth} of {count} ({call}), {file_format}: {job}"
        self.assertIsNone(self.server.process.poll(), f"the studio ended: {hint}")
        if job is not None and job["state"] == "done":
            self.assertEqual(self.taken(job), whole, f"an export that is not whole: {hint}")
        elif job is not None:
            self.assertEqual(job["state"], "failed", hint)
            self.assertTrue(any(word in job["message"] for word in family.words), f"does not say what: {hint}")
            self.assertNotEqual(family.code, 0, f"half of the work is no failure: {hint}")
            self.assertIn(self.taken(job), ([], whole), f"an export that is not whole: {hint}")
        self.assertEqual(self.file_of(self.fox), self.work, hint)
        self.assertEqual([asset["id"] for asset in self.server.json("GET", "/api/state")["assets"]], [self.fox], hint)
        deadline = time.monotonic() + 5
        while self.left() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(self.left(), [], hint)
        return "done" if job is not None and job["state"] == "done" else "failed"

    def try_family(self, name, file_format):
        family = faults.FAMILIES[name]
        self.control.disarm()
        whole = self.taken(self.export(file_format))
        self.assertEqual(len(whole), 1)
        self.known = {job["id"] for job in self.server.json("GET", "/api/state")["jobs"]}
        self.control.arm(family, 0)
        job = self.export(file_format)
        self.control.disarm()
        count = self.control.seen()[0]
        self.assertEqual(self.taken(job), whole)
        chosen = faults.numbers(family, count)
        ended = {"done": 0, "failed": 0}
        for nth in chosen:
            with self.subTest(nth=nth):
                ended[self.try_one(name, nth, count, file_format, whole)] += 1
        self.assertEqual(self.taken(self.export(file_format)), whole, "the next export")
        print(f"studio, export to {file_format}: {name}: {count} calls, {len(chosen)} tried, {ended['failed']} failed in words, "
              f"{ended['done']} made good", flush=True)
        return count

    def try_all(self, file_format):
        for name, family in faults.FAMILIES.items():
            with self.subTest(family=name):
                # A server without any memory for ever cannot even be asked.
                if not (family.lasting and name.startswith("memory")):
                    self.assertGreater(self.try_family(name, file_format), 0, name)

    def test_fbx(self):
        self.try_all("fbx")

    def test_picture(self):
        for name in ("write", "fsync", "rename", "fork"):
            with self.subTest(family=name):
                self.try_family(name, "png")


if __name__ == "__main__":
    unittest.main()
