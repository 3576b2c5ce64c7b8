# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""Random work in the studio: load, rig, animate, drag, export, cancel, delete, listen, in any order. Nothing is lost, no process
and no folder is left behind, and its memory is flat.

LIMBER_WORK_SECONDS=600 LIMBER=build/bin/limber python3 tests/studio/random_work_test.py is ten minutes of it."""
import hashlib
import json
import os
import random
import socket
import time
import unittest

from server_test import Server, is_alive
from storm_test import descriptors, memory, processes_in

SECONDS = float(os.environ.get("LIMBER_WORK_SECONDS", "20"))
SEED = int(os.environ.get("LIMBER_WORK_SEED", "1"))
MOST_ASSETS = 24  # then some are deleted, so that what grows is not what was kept on purpose
MOST_GROWTH = 1.05  # of memory, from a third of the time to its end
SAMPLES = 30  # of memory
REST = 2  # seconds without work before memory is measured: the studio gives back what was freed after one
KEPT_OPEN = 3  # models that the studio keeps at hand
LONG = 120  # seconds that are enough for measuring memory
FEWEST_TO_MEASURE = 200  # deeds: before, not every kind of work has been done
BODIES = ["quadruped", "biped", "bird", "fish", "snake", "hexapod"]
FORMATS = ["glb", "fbx", "bvh", "mjcf", "png"]
PROMPTS = ["it walks", "it runs", "it idles", "it jumps", "it dances with a hat", ""]


class Worker:
    """One who works at random, and knows what should be there."""

    def __init__(self, test, server):
        self.test, self.server, self.chance = test, server, random.Random(SEED)
        self.hashes = {}  # of what every asset's file was when it was first seen
        self.counts, self.solved = {}, 0
        made = [self.server.finished(self.server.job("zoo", body=body, seed=3))["results"][0] for body in BODIES[:KEPT_OPEN]]
        self.same = {asset: hashlib.sha256(self.bytes_of(asset)).hexdigest() for asset in made}  # nobody works on them

    def asset(self):
        return self.chance.choice(sorted(self.hashes)) if self.hashes else None

    def bytes_of(self, asset):
        code, _, data = self.server.call("GET", f"/api/assets/{asset}/file")
        self.test.assertEqual(code, 200, asset)
        return data

    def end_of(self, job, cancels=False):
        """Lets a job end, or cancels it at any moment; what it made is known from then on."""
        if cancels:
            time.sleep(self.chance.choice([0, 0.01, 0.1, 0.5]))
            self.server.call("DELETE", "/api/jobs/" + job["id"])
        job = self.server.finished(job, 120)
        self.test.assertIn(job["state"], ("done", "failed", "cancelled"), job)
        if job["state"] == "failed":
            self.test.assertTrue(job["message"], job)
        for result in job["results"]:
            self.hashes[result] = hashlib.sha256(self.bytes_of(result)).hexdigest()

    def work(self, task, asset=None, **options):
        """Any task of any asset, a picture, too: then the studio says why not."""
        code, _, data = self.server.call("POST", "/api/jobs", {"do": task, "asset": asset, "options": options})
        if code != 201:
            self.test.assertEqual(code, 400, data)
            return
        self.end_of(json.loads(data), cancels=self.chance.random() < 0.3)

    # --- deeds

    def make(self):
        options = {"body": self.chance.choice(BODIES), "seed": self.chance.randrange(1000), "no_rig": self.chance.random() < 0.5}
        self.work("zoo", **options)

    def load(self):
        asset = self.asset()
        data = self.bytes_of(asset) if asset else b"glTF"
        if self.chance.random() < 0.3:  # as a download that broke off
            data = data[: self.chance.randrange(1, len(data) + 1)]
        code, _, _ = self.server.call("POST", "/api/assets?name=loaded.glb", data)
        self.test.assertIn(code, (201, 400, 413), code)

    def rig(self):
        self.work("rig", self.asset())

    def animate(self):
        method = {"method": "rule"} if self.chance.random() < 0.7 else {}
        self.work("animate", self.asset(), prompt=self.chance.choice(PROMPTS[:-1]), quality="draft", seed=self.chance.randrange(9), **method)

    def look(self):
        self.work(self.chance.choice(["inspect", "doctor", "contacts"]), self.asset())

    def export(self):
        self.work("export", self.asset(), format=self.chance.choice(FORMATS))

    def drag(self, asset=None):
        """A joint to anywhere; sometimes that pose is what a motion begins with."""
        asset = asset or self.asset()
        code, _, data = self.server.call("GET", f"/api/assets/{asset}/skeleton")
        self.test.assertIn(code, (200, 400, 404, 409), data)
        joints = [joint["name"] for joint in json.loads(data)["joints"]] if code == 200 else ["none"]
        place = [self.chance.uniform(-1, 1) for _ in range(3)]
        body = {"pose": None, "targets": [{"joint": self.chance.choice(joints), "position": place}], "pins": [], "final": True}
        code, _, data = self.server.call("POST", f"/api/assets/{asset}/solve", body)
        self.test.assertIn(code, (200, 400, 409, 429), data)
        if code == 200:
            self.solved += 1
            return json.loads(data)["pose"]
        return None

    def keyframes(self):
        asset = self.asset()
        if pose := self.drag(asset):
            self.work("animate", asset, prompt="it walks", quality="draft", keyframes=[{"time": 0, "pose": pose}])

    def listen(self):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=20) as page:  # and hangs up
            page.sendall(self.server.head(path="/api/events"))
            self.test.assertTrue(page.recv(4096))
        self.server.json("GET", "/api/state")

    def nonsense(self):
        code, _, _ = self.server.call("POST", "/api/jobs", {"do": "animate", "asset": self.asset(), "options": {"prompt": 3}})
        self.test.assertEqual(code, 400)

    def delete(self):
        asset = self.asset()
        self.test.assertEqual(self.server.call("DELETE", f"/api/assets/{asset}")[0], 204)
        del self.hashes[asset]

    def once(self):
        deeds = [self.make, self.load, self.rig, self.animate, self.look, self.export, self.drag, self.keyframes, self.listen, self.nonsense]
        deed = self.make if not self.hashes else self.delete if len(self.hashes) > MOST_ASSETS else self.chance.choice(deeds)
        deed()
        self.counts[deed.__name__] = self.counts.get(deed.__name__, 0) + 1
        self.test.assertIsNone(self.server.process.poll(), f"the studio ended after {deed.__name__}")

    def memory_at_rest(self):
        """Of the studio, when nothing is asked of it. The models that were dragged last are kept open: always the same."""
        for asset in self.same:
            self.test.assertTrue(self.drag(asset))
        time.sleep(REST)
        self.test.assertEqual(self.server.children(), [])
        return memory(self.server.process.pid)

    def tidy(self):
        """Removes what was uploaded, of which no job tells."""
        for asset in self.server.json("GET", "/api/state")["assets"]:
            if asset["id"] not in self.hashes and asset["id"] not in self.same:
                self.server.call("DELETE", f"/api/assets/{asset['id']}")


class RandomWork(unittest.TestCase):
    def test_nothing_is_lost_and_memory_is_flat(self):
        server = Server("--jobs", "2")
        self.addCleanup(server.scratch.cleanup)
        self.addCleanup(server.close)
        worker = Worker(self, server)
        begin, loaded, looked = time.monotonic(), 0, 0
        measured, opened = [], []  # of memory and descriptors, once all kinds of work have been done often
        while (now := time.monotonic() - begin) < SECONDS:
            worker.once()
            if worker.counts.get("load", 0) > loaded + MOST_ASSETS:
                loaded = worker.counts["load"]
                worker.tidy()
            if now < looked + SECONDS / SAMPLES or SECONDS < LONG:
                continue
            looked, deeds, taken = now, sum(worker.counts.values()), worker.memory_at_rest()
            print(f"{now:.0f} s, {deeds} deeds: {taken / 2**20:.2f} MiB", flush=True)
            if now > SECONDS / 3 and deeds >= FEWEST_TO_MEASURE:
                measured.append(taken)
                opened.append(descriptors(server.process.pid))
        print(f"{sum(worker.counts.values())} deeds in {now:.0f} s, {worker.solved} poses: {worker.counts}", flush=True)
        for asset, digest in {**worker.hashes, **worker.same}.items():
            self.assertEqual(hashlib.sha256(worker.bytes_of(asset)).hexdigest(), digest, f"{asset} is not what it was")
        if SECONDS >= LONG:
            self.assertGreater(len(measured), SAMPLES // 3, "memory was not measured")
            print(f"memory {measured[0] / 2**20:.1f} MiB, {max(measured) / 2**20:.1f} at most, {measured[-1] / 2**20:.1f} at the end", flush=True)
            self.assertLess(max(measured), MOST_GROWTH * measured[0], "memory grows")
            self.assertLessEqual(max(opened), opened[0] + 8, "descriptors are left open")
        deadline = time.monotonic() + 5
        while server.children() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(server.children(), [])
        self.assertEqual([p for p in processes_in(server.files) if is_alive(p)], [], "processes are left behind")
        self.assertEqual(list(server.files.glob("*/work*")), [], "folders of jobs are left")
        self.assertEqual(server.close(), 0)


if __name__ == "__main__":
    unittest.main()
