# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""A storm of cancelled jobs: the studio lives through it with all its work, no more memory and no process left behind.

LIMBER_STORM=10000 LIMBER_STORM_SECONDS=3600 LIMBER=build/bin/limber python3 tests/studio/storm_test.py is a long one."""
import json
import os
import pathlib
import random
import socket
import time
import unittest

from server_test import Server, is_alive

CANCELS = int(os.environ.get("LIMBER_STORM", "200"))
SECONDS = float(os.environ.get("LIMBER_STORM_SECONDS", "100"))
FEWEST = 50  # on a machine that is busy
KEPT = 500  # jobs that the studio tells of, which take memory up to that number
MOST_GROWTH = 1.05  # of memory, once the studio has all the jobs that it keeps, to the end of the storm
SHORT_GROWTH = 32 << 20  # bytes, where it is over before that


def memory(process):
    fields = pathlib.Path(f"/proc/{process}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors(process):
    return len(list(pathlib.Path(f"/proc/{process}/fd").iterdir()))


def processes_in(folder):
    """Those that work there, whoever started them."""
    found = []
    for link in pathlib.Path("/proc").glob("[0-9]*/cwd"):
        try:
            if str(link.readlink()).startswith(str(folder)):
                found.append(int(link.parent.name))
        except OSError:
            pass
    return found


class Storm(unittest.TestCase):
    def connect(self, server):
        return socket.create_connection(("127.0.0.1", server.port), timeout=30)

    def heard(self, client):
        answer = b""
        while more := client.recv(65536):
            answer += more
        client.close()
        return answer

    def cancel_one(self, server, fox, chance):
        """A job that is cancelled at any moment: most of them while it becomes a process, some at work. Its number is
        known, so the order to cancel it need not wait for the answer."""
        self.number += 1
        order = json.dumps({"do": "animate", "asset": fox, "options": {"prompt": "a fox walks", "quality": "draft"}}).encode()
        starts, cancels = self.connect(server), self.connect(server)
        starts.sendall(server.head("POST", "/api/jobs", Content_Length=len(order)) + order)
        time.sleep(chance.uniform(0, 0.2) if chance.random() < 0.1 else chance.uniform(0, 0.004))
        cancels.sendall(server.head("DELETE", f"/api/jobs/j{self.number}"))
        job = json.loads(self.heard(starts).split(b"\r\n\r\n", 1)[1])
        self.assertEqual(job["id"], f"j{self.number}")
        if b" 404 " in self.heard(cancels)[:20]:  # it came too early
            self.assertEqual(server.call("DELETE", "/api/jobs/" + job["id"])[0], 202)
        self.assertIsNone(server.process.poll(), "the studio ended")
        return job

    def test_a_storm_of_cancels(self):
        server = Server("--jobs", "2")
        self.addCleanup(server.scratch.cleanup)
        self.addCleanup(server.close)
        fox = server.finished(server.job("zoo", body="quadruped", seed=3, action="walk"))["results"][0]
        work = server.call("GET", f"/api/assets/{fox}/file")[2]
        self.number = 1
        chance = random.Random(1)
        end = time.monotonic() + SECONDS
        cancelled, measured, long = 0, None, CANCELS >= 2 * KEPT
        while cancelled < CANCELS and time.monotonic() < end:
            jobs = [self.cancel_one(server, fox, chance) for _ in range(2)]
            states = [server.finished(job, 30)["state"] for job in jobs]
            self.assertEqual(states, ["cancelled"] * 2)
            cancelled += 2
            if measured is None and cancelled >= (KEPT if long else CANCELS // 2):
                measured = memory(server.process.pid), descriptors(server.process.pid)
        print(f"{cancelled} jobs cancelled", flush=True)
        self.assertGreaterEqual(cancelled, min(CANCELS, FEWEST), f"in {SECONDS} s")
        self.assertTrue(measured is not None or cancelled < CANCELS, "memory was not measured")
        if measured is not None:
            most = MOST_GROWTH * measured[0] if long else measured[0] + SHORT_GROWTH
            print(f"memory {measured[0] / 2**20:.1f} MiB, at the end {memory(server.process.pid) / 2**20:.1f} MiB", flush=True)
            self.assertLess(memory(server.process.pid), most, "memory grows")
            self.assertLessEqual(descriptors(server.process.pid), measured[1] + 8, "descriptors are left open")

        deadline = time.monotonic() + 5
        while server.children() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(server.children(), [])
        self.assertEqual([p for p in processes_in(server.files) if is_alive(p)], [], "processes are left behind")
        self.assertEqual(list(server.files.glob("*/work*")), [], "folders of jobs are left")
        self.assertEqual(server.call("GET", f"/api/assets/{fox}/file")[2], work)
        self.assertEqual(server.finished(server.job("inspect", fox))["state"], "done")
        self.assertEqual(server.close(), 0)


class Threads(unittest.TestCase):
    def test_they_are_started_when_others_are_busy(self):
        """Each that has answered keeps a stack, and what it freed lies about in the heaps."""
        server = Server()
        self.addCleanup(server.scratch.cleanup)
        self.addCleanup(server.close)
        threads = lambda: len(list(pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()))  # noqa: E731
        for _ in range(100):
            server.json("GET", "/api/state")
        alone = threads()
        self.assertLess(alone, 20)
        streams = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(30)]
        for stream in streams:
            self.addCleanup(stream.close)
            stream.sendall(server.head(path="/api/events"))
        for stream in streams:
            self.assertIn(b" 200 ", stream.recv(4096))
        self.assertGreaterEqual(threads(), 30)


if __name__ == "__main__":
    unittest.main()
