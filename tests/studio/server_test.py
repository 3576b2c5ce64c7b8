# SPDX-FileCopyrightText: 2026 The limber authors
# SPDX-License-Identifier: Apache-2.0
"""limber studio, as pages and as attackers on the same machine use it: hostile requests, jobs, cancelling, the end."""
import gzip
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
import unittest

PROGRAM = os.environ.get("LIMBER", "build/bin/limber")
MEGABYTES = 8  # --max-upload


class Server:
    """A server of its own, with a page that says hello."""

    def __init__(self, *arguments, browser=None, files=None, before=None):
        """`browser`: a folder whose xdg-open is started; `files`: where it keeps its files;
        `before`: what the process does before it becomes limber."""
        self.scratch = tempfile.TemporaryDirectory(prefix="limber-test-")
        page = pathlib.Path(self.scratch.name, "page")
        page.mkdir()
        (page / "index.html").write_text("<!doctype html>hello")
        (page / "app.js.gz").write_bytes(gzip.compress(b"1;"))
        self.files = files or pathlib.Path(self.scratch.name, "tmp")
        self.files.mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            [PROGRAM, "studio", *([] if browser else ["--no-browser"]), "--assets", str(page), "--max-upload", str(MEGABYTES), *arguments],
            stdout=subprocess.PIPE, text=True, preexec_fn=before,
            env={**os.environ, "TMPDIR": str(self.files), "PATH": f"{browser or ''}:{os.environ['PATH']}"})
        line = self.process.stdout.readline()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})\n", line)
        assert match, line
        self.port, self.token = int(match[1]), match[2]

    def close(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        return code

    def raw(self, data, timeout=20, ends=False):
        """Sends bytes as they are, and perhaps that there are no more; returns all that comes back."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as client:
            try:
                client.sendall(data)
                if ends:
                    client.shutdown(socket.SHUT_WR)
            except (BrokenPipeError, ConnectionResetError):
                pass  # it has heard enough
            answer = b""
            try:
                while more := client.recv(65536):
                    answer += more
            except ConnectionResetError:
                pass
            return answer

    def status(self, data, **more):
        answer = self.raw(data, **more)
        match = re.match(rb"HTTP/1\.1 (\d+)", answer)
        return int(match[1]) if match else None

    def head(self, method="GET", path="/api/state", **headers):
        """A request's head; a header that is None is left out, a list is said several times."""
        all_headers = {"Host": f"127.0.0.1:{self.port}", "X_Limber_Token": self.token, **headers}
        lines = [f"{method} {path} HTTP/1.1"]
        for name, value in all_headers.items():
            for one in value if isinstance(value, list) else [value]:
                if one is not None:
                    lines.append(f"{name.replace('_', '-')}: {one}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def call(self, method, path, body=None, **headers):
        """An ordinary call: (status, headers, bytes)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        connection.request(method, path, body, {"X-Limber-Token": self.token, **headers})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, answer.headers, data

    def json(self, method, path, body=None, status=200):
        code, _, data = self.call(method, path, body)
        assert code == status, (method, path, code, data[:500])
        return json.loads(data) if data else None

    def job(self, task, asset=None, **options):
        return self.json("POST", "/api/jobs", {"do": task, "asset": asset, "options": options}, 201)

    def finished(self, job, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            job = self.json("GET", "/api/jobs/" + job["id"])
            if job["state"] not in ("queued", "running"):
                return job
            time.sleep(0.05)
        raise AssertionError(f"does not end: {job}")

    def running(self, job):
        while (job := self.json("GET", "/api/jobs/" + job["id"]))["state"] == "queued":
            time.sleep(0.02)
        return job

    def children(self):
        """Processes that the server started."""
        found = []
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == self.process.pid and fields[0] != "Z":
                found.append(int(stat.parent.name))
        return found


def is_alive(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class StudioTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.scratch.cleanup)
        cls.addClassCleanup(cls.server.close)

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), "the server ended")


class Requests(StudioTest):
    def test_the_page_comes_with_its_headers(self):
        status, headers, data = self.server.call("GET", "/")
        self.assertEqual((status, data), (200, b"<!doctype html>hello"))
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertIn("default-src 'self'", headers["Content-Security-Policy"])
        self.assertEqual(headers["Cache-Control"], "no-store")
        self.assertIsNone(headers["Access-Control-Allow-Origin"])
        status, headers, data = self.server.call("GET", "/app.js")
        self.assertEqual((status, headers["Content-Encoding"], gzip.decompress(data)), (200, "gzip", b"1;"))

    def test_state(self):
        state = self.server.json("GET", "/api/state")
        self.assertEqual(state["limits"]["upload"], MEGABYTES << 20)
        self.assertGreater(len(state["examples"]), 2)
        self.assertIn("it looks around", state["ideas"])
        actions = {action["name"]: action for action in state["actions"]}
        self.assertEqual((actions["walk"]["does"], actions["walk"]["goes"], actions["sit"]["goes"]), ("walks", True, False))
        self.assertEqual(("strolling" in actions["walk"]["words"], actions["gallop"]["needs"]), (True, "four legs"))

    def test_other_hosts_and_origins_are_refused(self):
        s = self.server
        for host in ("evil.example", f"evil.example:{s.port}", "127.0.0.1", "127.0.0.1:1", f"[::1]:{s.port}", None):
            for path in ("/", "/api/state"):
                self.assertEqual(s.status(s.head(path=path, Host=host)), 421, host)
        self.assertEqual(s.status(s.head(Host=[f"127.0.0.1:{s.port}", "evil.example"])), 421)
        self.assertEqual(s.status(s.head(Host=f"localhost:{s.port}")), 200)
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{s.port}", f"http://127.0.0.1:{s.port}.evil.example"):
            self.assertEqual(s.status(s.head(Origin=origin)), 403, origin)
        self.assertEqual(s.status(s.head(Origin=f"http://127.0.0.1:{s.port}")), 200)

    def test_nothing_without_the_token(self):
        s = self.server
        for token in (None, "", "0" * 32, s.token[:-1], s.token + "0", s.token.upper() + "x"):
            for method, path in (("GET", "/api/state"), ("GET", "/api/events"), ("DELETE", "/api/jobs/j1"), ("GET", "/api"),
                                 ("GET", "/api/assets/a1/file"), ("GET", "/%61pi/state")):
                self.assertEqual(s.status(s.head(method, path, X_Limber_Token=token)), 401, (method, path, token))
            self.assertEqual(s.status(s.head("POST", "/api/jobs", X_Limber_Token=token, Content_Length=2) + b"{}"), 401)
            self.assertEqual(s.status(s.head("GET", "xapi/state", X_Limber_Token=token)), 400, token)
        self.assertEqual(s.status(s.head(path="/api/state?token=" + s.token, X_Limber_Token=None)), 200)
        self.assertEqual(s.status(s.head(path="/api/state?token=wrong")), 401)

    def test_no_path_leads_out(self):
        s = self.server
        for path in ("/../../../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/app.js/../../x",
                     "/api/assets/../../../etc/passwd/file", "/api/assets/a1%2f..%2f..%2fetc%2fpasswd/file", "/index.html%00.js",
                     "/api/assets/a999999999999999999999/file", "/api/assets/a-1/file", "/.", "/api/nothing", "/etc/passwd"):
            answer = s.raw(s.head(path=path))
            self.assertRegex(answer, rb"^HTTP/1\.1 4\d\d", path)
            self.assertNotIn(b"root:", answer)

    def test_methods_and_malformed_requests(self):
        s = self.server
        for method in ("PUT", "PATCH", "OPTIONS", "TRACE", "PRI"):
            self.assertIn(s.status(s.head(method, "/api/state")), (400, 404, 405), method)
        for data in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00\xff\xfe\r\n\r\n", b"GET /" + b"a" * 300 + b" HTTP/1.1\r\n\r\n",
                     b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00"):
            self.assertIn(s.status(data, ends=True), (400, 414, 421, None), data[:40])
        self.assertEqual(s.status(s.head("POST", "/api/jobs")), 411)
        self.assertEqual(s.status(s.head(Content_Length=5) + b"12345"), 400)
        self.assertEqual(s.status(s.head(Range="bytes=" + ",".join(["0-"] * 2000))), 200, "ranges are not served")

    def test_a_second_request_hidden_in_a_body_is_not_answered(self):
        s = self.server
        hidden = s.head("DELETE", "/api/jobs/j1")
        answer = s.raw(s.head("POST", "/api/jobs", Content_Length=4, Transfer_Encoding="chunked") + b"0\r\n\r\n" + hidden)
        self.assertEqual(answer.count(b"HTTP/1.1"), 1)
        self.assertIn(b"400", answer[:20])
        self.assertEqual(s.raw(s.head() + hidden).count(b"HTTP/1.1"), 1)

    def test_bad_json_says_what_and_where(self):
        s = self.server
        for body in ("", "{", "[1,", "nul", '{"do": "rig"', "\x00", '{"do": "\xff"}', "[" * 100000,
                     '{"do": "zoo", "options": {"seed": 1e999}}',
                     '{"do": "zoo", "options": {"body": ' + "[" * 1000000 + "]" * 1000000 + "}}"):
            status, _, data = s.call("POST", "/api/jobs", body.encode("latin-1"), **{"Content-Length": str(len(body))})
            self.assertEqual(status, 400, body[:20])
            self.assertEqual(set(json.loads(data)["error"]), {"what", "where", "kind"})
        for body, where in (([], "body"), ({"do": 5}, "do"), ({"do": "rm -rf"}, "do"), ({"do": "rig", "asset": "a99"}, "asset"),
                            ({"do": "zoo", "shell": "x"}, "shell"), ({"do": "zoo", "options": []}, "options"),
                            ({"do": "zoo", "options": {"output": "/x"}}, "options.output"), ({"do": "zoo", "options": {"body": 7}}, "options.body")):
            status, _, data = s.call("POST", "/api/jobs", body)
            self.assertIn(status, (400, 404), body)
            self.assertEqual(json.loads(data)["error"]["where"], where)

    def test_header_floods_end(self):
        s = self.server
        start = time.monotonic()
        flood = b"".join(b"X-%d: %s\r\n" % (i, b"a" * 100) for i in range(20000))
        self.assertIn(s.status(s.head()[:-2] + flood + b"\r\n"), (400, None))
        self.assertIn(s.status(s.head()[:-2] + b"X-Long: " + b"a" * 1000000 + b"\r\n\r\n"), (400, None))
        self.assertLess(time.monotonic() - start, 8)
        self.assertEqual(s.json("GET", "/api/state")["jobs"], s.json("GET", "/api/state")["jobs"])

    def test_slow_clients_do_not_keep_others_waiting(self):
        s = self.server
        slow = [socket.create_connection(("127.0.0.1", s.port)) for _ in range(40)]
        for client in slow[:20]:
            client.sendall(b"GET / HTT")
        for client in slow[20:]:
            client.sendall(s.head("POST", "/api/assets?name=a.glb", Content_Length=1000) + b"glTF")
        start = time.monotonic()
        s.json("GET", "/api/state")
        self.assertLess(time.monotonic() - start, 3)
        for client in slow:
            client.close()

    def test_connections_that_ask_for_nothing_make_room(self):
        s = self.server
        idle = [socket.create_connection(("127.0.0.1", s.port)) for _ in range(200)]  # more than there are threads
        self.addCleanup(lambda: [client.close() for client in idle])
        for client in idle[::2]:
            client.sendall(b"GET / HTT")
        start = time.monotonic()
        s.json("GET", "/api/state")
        self.assertLess(time.monotonic() - start, 3)


class Uploads(StudioTest):
    def upload(self, name, data, **headers):
        return self.server.call("POST", "/api/assets?name=" + name, data, **headers)

    def test_an_upload_comes_back_under_a_clean_name(self):
        status, _, data = self.upload("..%2f..%2fb%C3%B6%22se%0d%0a.glb", b"glTF1234")
        asset = json.loads(data)
        self.assertEqual(status, 201, data)
        self.assertEqual((asset["kind"], asset["bytes"], asset["ready"], asset["name"]), ("model", 8, True, "bö_se__.glb"))
        status, headers, data = self.server.call("GET", f"/api/assets/{asset['id']}/file")
        self.assertEqual((status, data, headers["Content-Type"]), (200, b"glTF1234", "model/gltf-binary"))
        self.assertIn("attachment", headers["Content-Disposition"])
        self.assertEqual(self.server.call("DELETE", f"/api/assets/{asset['id']}")[0], 204)
        self.assertEqual(self.server.call("DELETE", f"/api/assets/{asset['id']}")[0], 404)
        self.assertEqual(self.server.call("GET", f"/api/assets/{asset['id']}/file")[0], 404)

    def test_long_names_keep_their_ending_and_m4v_is_a_video(self):
        asset = json.loads(self.upload("a" * 300 + ".glb", b"glTF1234")[2])
        self.assertEqual(asset["name"], "a" * 116 + ".glb")
        self.assertEqual(json.loads(self.upload("fox.M4V", b"1234")[2])["kind"], "video")

    def test_what_nobody_reads_is_refused(self):
        for name, status in (("a.exe", 415), ("a.html", 415), ("a", 415), ("", 415), ("a.glb", 400)):
            self.assertEqual(self.upload(name, b"MZ")[0], status, name)
        self.assertEqual(self.upload("a.glb", b"", **{"Content-Length": "0"})[0], 400)
        self.assertEqual(self.upload("a.glb", b"x", **{"Content-Type": "multipart/form-data; boundary=x"})[0], 415)

    def test_too_large_is_413_however_it_is_said(self):
        s, most = self.server, MEGABYTES << 20
        path = "/api/assets?name=a.glb"
        start = time.monotonic()
        self.assertEqual(s.status(s.head("POST", path, Content_Length=most + 1) + b"x" * 1000), 413)
        self.assertEqual(s.status(s.head("POST", path, Content_Length=10**15)), 413)
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        answer = s.status(s.head("POST", path, Transfer_Encoding="chunked") + chunk * (most // 65536 + 2) + b"0\r\n\r\n")
        self.assertEqual(answer, 413)
        bomb = gzip.compress(b"\0" * (most * 4))
        self.assertEqual(s.status(s.head("POST", path, Content_Encoding="gzip", Content_Length=len(bomb)) + bomb), 413)
        self.assertEqual(s.status(s.head("POST", "/api/jobs", Content_Length=(4 << 20) + 1)), 413)
        answer = s.status(s.head("POST", "/api/jobs", Transfer_Encoding="chunked") + chunk * 70 + b"0\r\n\r\n")
        self.assertEqual(answer, 413)
        self.assertLess(time.monotonic() - start, 15)
        self.assertEqual(list(s.files.glob("*/new*")), [], "nothing of them stays")

    def test_a_body_that_ends_early_is_refused(self):
        s = self.server
        with socket.create_connection(("127.0.0.1", s.port)) as client:
            client.sendall(s.head("POST", "/api/assets?name=a.glb", Content_Length=1000) + b"glTF")
            client.shutdown(socket.SHUT_WR)
            self.assertIn(b" 400 ", client.recv(4096)[:20])
        for chunks in (b"zz\r\n", b"-5\r\nglTF\r\n", b"ffffffffffffffffff\r\nx", b"4\r\nglTFxx"):
            with socket.create_connection(("127.0.0.1", s.port)) as client:
                client.sendall(s.head("POST", "/api/assets?name=a.glb", Transfer_Encoding="chunked") + chunks)
                client.shutdown(socket.SHUT_WR)
                self.assertNotIn(b" 201 ", client.recv(4096)[:20], chunks)
        self.assertEqual(list(s.files.glob("*/new*")), [])

    def test_models_that_are_no_glb_become_one(self):
        obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\nf 1 4 2\nf 2 4 3\n"
        asset = json.loads(self.upload("tetra.obj", obj.encode())[2])
        self.assertFalse(asset["ready"])
        deadline = time.monotonic() + 20
        while not self.server.call("GET", f"/api/assets/{asset['id']}/file")[2].startswith(b"glTF") and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertTrue(self.server.call("GET", f"/api/assets/{asset['id']}/file")[2].startswith(b"glTF"))
        broken = json.loads(self.upload("broken.fbx", b"nonsense")[2])
        job = next(j for j in self.server.json("GET", "/api/state")["jobs"] if j["asset"] == broken["id"])
        job = self.server.finished(job)
        self.assertEqual((job["do"], job["state"]), ("import", "failed"))
        self.assertTrue(job["message"])


class Events(StudioTest):
    def listen(self):
        client = socket.create_connection(("127.0.0.1", self.server.port), timeout=10)
        client.sendall(self.server.head(path="/api/events?token=" + self.server.token, X_Limber_Token=None))
        self.addCleanup(client.close)
        return client

    def hear(self, client, wanted, seconds=10):
        heard, end = b"", time.monotonic() + seconds
        while wanted not in heard and time.monotonic() < end:
            heard += client.recv(65536)
        self.assertIn(wanted, heard)
        return heard

    def test_forty_streams_hear_and_others_are_answered(self):
        clients = [self.listen() for _ in range(40)]
        for client in clients:
            self.hear(client, b":\n\n")
        asset = json.loads(self.server.call("POST", "/api/assets?name=a.glb", b"glTF1234")[2])
        for client in clients:
            self.hear(client, b"event: asset\ndata: " + json.dumps({"id": asset["id"]})[:-1].replace(" ", "").encode())
        start = time.monotonic()
        self.server.json("GET", "/api/state")
        self.assertLess(time.monotonic() - start, 2)
        more = [self.listen() for _ in range(20)]
        self.assertTrue(any(b" 503 " in client.recv(4096)[:20] for client in more), "there is an end to it")
        self.server.json("GET", "/api/state")

    def test_a_heart_beats(self):
        client = self.listen()
        start = time.monotonic()
        heard = b""
        while heard.count(b":\n\n") < 3:
            heard += client.recv(4096)
        self.assertLess(time.monotonic() - start, 4)


class Jobs(StudioTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        job = cls.server.finished(cls.server.job("zoo", body="quadruped", seed=3, action="walk"))
        assert job["state"] == "done", job
        cls.fox = job["results"][0]

    def do(self, task, **options):
        job = self.server.finished(self.server.job(task, self.fox, **options))
        self.assertEqual(job["state"], "done", job["message"])
        return job

    def result(self, job, number=0):
        return self.server.call("GET", f"/api/assets/{job['results'][number]}/file")[2]

    def test_inspect_and_contacts(self):
        report = self.do("inspect")["report"]
        self.assertEqual(report["clips"][0]["name"], "walk")
        contacts = self.do("contacts")["report"]["contacts"]
        self.assertGreater(len(contacts["joints"]), 1)
        self.assertFalse(any("report" in job for job in self.server.json("GET", "/api/state")["jobs"]), "they grow with the model")
        self.assertEqual(self.do("doctor")["report"]["findings"], self.do("doctor")["report"]["findings"])

    def test_clips_are_edited_and_exported(self):
        edited = self.do("clip", trim=[0.1, 0.6], in_place=True, mirror=True)
        self.assertTrue(self.result(edited).startswith(b"glTF"))
        self.assertTrue(self.result(self.do("export", format="fbx")).startswith(b"Kaydara FBX"))
        self.assertTrue(self.result(self.do("export", format="bvh", clip="walk")).startswith(b"HIERARCHY"))
        picture = self.do("export", format="png", width=64, height=64)
        self.assertTrue(self.result(picture).startswith(b"\x89PNG"))
        state = self.server.json("GET", "/api/state")
        asset = next(a for a in state["assets"] if a["id"] == picture["results"][0])
        self.assertEqual((asset["kind"], asset["parent"], asset["job"]), ("export", self.fox, picture["id"]))

    def test_a_clip_is_checked_and_mended_as_a_new_version(self):
        score = self.do("score", clip="walk")["report"]
        self.assertEqual([clip["clip"] for clip in score["clips"]], ["walk"])
        self.assertIn("passed", score["clips"][0]["checks"]["loop"])
        mended = self.do("mend", clip="walk", loop=True, floor=True, weights=True)
        self.assertTrue(self.result(mended).startswith(b"glTF"))
        self.assertEqual(mended["report"]["after"]["clips"][0]["clip"], "walk")
        asset = next(a for a in self.server.json("GET", "/api/state")["assets"] if a["id"] == mended["results"][0])
        self.assertEqual((asset["label"], asset["parent"]), ("mended", self.fox))

    def test_skeleton_and_solve(self):
        s = self.server
        joints = s.json("GET", f"/api/assets/{self.fox}/skeleton")["joints"]
        self.assertEqual(joints[0]["parent"], -1)
        answer = s.json("POST", f"/api/assets/{self.fox}/solve",
                        {"pose": None, "targets": [{"joint": joints[-1]["name"], "position": [0.1, 0.2, 0.1]}], "pins": [], "final": True})
        self.assertEqual(len(answer["pose"]["rotations"]), len(joints))
        self.assertTrue(0 <= answer["plausibility"] <= 1)
        s.json("POST", f"/api/assets/{self.fox}/solve", {"targets": 5}, 400)
        s.json("GET", "/api/assets/a999/skeleton", None, 404)

    def test_a_failure_says_why(self):
        job = self.server.finished(self.server.job("rig", self.fox))
        self.assertEqual(job["state"], "failed")
        self.assertIn("has a skeleton already", job["message"])

    @unittest.skipUnless(shutil.which("ffmpeg"), "there is no ffmpeg")
    def test_a_video_is_followed(self):
        video = pathlib.Path(self.server.scratch.name, "fox.m4v")
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=duration=1:size=64x64:rate=8", "-f", "mp4", str(video)], check=True)
        asset = json.loads(self.server.call("POST", "/api/assets?name=fox.m4v", video.read_bytes())[2])
        job = self.server.job("animate", self.fox, video=asset["id"], name="it walks", quality="draft", in_place=True)
        while (job := self.server.json("GET", "/api/jobs/" + job["id"]))["state"] in ("queued", "running") and not job["fraction"]:
            time.sleep(0.02)
        self.assertNotIn("contradict", job["message"])
        self.assertNotIn("limber-studio-", job["message"] + job["stage"], "paths are nobody's business")
        self.server.call("DELETE", "/api/jobs/" + job["id"])
        self.server.finished(job)

    def long_job(self):
        job = self.server.running(self.server.job("animate", self.fox, prompt="a fox walks", quality="best", candidates=8))
        while not self.server.children():
            time.sleep(0.01)
        return job

    def test_cancel_ends_the_process(self):
        job = self.long_job()
        children = self.server.children()
        self.assertEqual(self.server.call("DELETE", "/api/jobs/" + job["id"])[0], 202)
        self.assertEqual(self.server.finished(job, 8)["state"], "cancelled")
        self.assertFalse(any(map(is_alive, children)))
        self.assertEqual(self.server.call("DELETE", "/api/jobs/j999")[0], 404)

    def test_a_crash_is_a_message(self):
        job = self.long_job()
        time.sleep(0.3)  # until it is limber
        for child in self.server.children():
            os.kill(child, signal.SIGSEGV)
        job = self.server.finished(job, 8)
        self.assertEqual(job["state"], "failed")
        self.assertIn("killed by signal 11", job["message"])
        self.do("inspect")


class Ends(unittest.TestCase):
    def check_end(self, number):
        server = Server()
        self.addCleanup(server.scratch.cleanup)
        for _ in range(2):
            server.job("zoo", body="quadruped", seed=1)
        made = server.finished(server.job("zoo", body="quadruped", action="walk"))["results"][0]
        server.running(server.job("animate", made, prompt="a fox walks", quality="best"))
        stream = socket.create_connection(("127.0.0.1", server.port))
        self.addCleanup(stream.close)
        stream.sendall(server.head(path="/api/events"))
        while not server.children():
            time.sleep(0.01)
        children = server.children()
        start = time.monotonic()
        code = server.close(number)
        self.assertLess(time.monotonic() - start, 6)
        deadline = time.monotonic() + 2
        while any(map(is_alive, children)) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertFalse(any(map(is_alive, children)), "children live on")
        return code, server

    def test_sigterm_and_sigint_end_children_and_leave_no_files(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            code, server = self.check_end(number)
            self.assertEqual(code, 0)
            self.assertEqual(list(server.files.iterdir()), [])

    def test_nohup_outlives_its_terminal(self):
        server = Server(before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.addCleanup(server.scratch.cleanup)
        self.addCleanup(server.close)
        server.process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(server.process.poll())
        server.json("GET", "/api/state")
        self.assertEqual(server.close(), 0)

    def test_children_die_with_a_server_that_is_killed(self):
        self.check_end(signal.SIGKILL)

    def test_a_server_that_was_killed_leaves_its_folder_to_the_next(self):
        killed = Server()
        self.addCleanup(killed.scratch.cleanup)
        killed.finished(killed.job("zoo", body="quadruped", seed=1))
        killed.close(signal.SIGKILL)
        left = list(killed.files.iterdir())
        self.assertEqual(len(left), 1)
        other = left[0].parent / "limber-studio-notes"
        other.mkdir()
        following = Server(files=killed.files)
        self.addCleanup(following.scratch.cleanup)
        self.addCleanup(following.close)
        self.assertFalse(left[0].exists())
        self.assertEqual(following.close(), 0)
        self.assertEqual(list(killed.files.iterdir()), [other])

    def test_a_browser_is_opened_without_telling_the_token_to_everybody(self):
        with tempfile.TemporaryDirectory() as folder:
            told = pathlib.Path(folder, "told")
            opener = pathlib.Path(folder, "xdg-open")
            opener.write_text(f'#!/bin/sh\necho "$@" > {told}.new && mv {told}.new {told}\nexec sleep 30\n')
            opener.chmod(0o755)
            server = Server(browser=folder)
            self.addCleanup(server.scratch.cleanup)
            self.addCleanup(server.close)
            deadline = time.monotonic() + 10
            while not told.exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            page = pathlib.Path(told.read_text().strip())  # what ps shows
            self.assertNotIn(server.token, str(page))
            self.assertIn(f"url=http://127.0.0.1:{server.port}/?token={server.token}", page.read_text())
            self.assertEqual(page.parent.stat().st_mode & 0o777, 0o700)
            lines = [path.read_bytes() for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if path.parent.name != str(os.getpid())]
            self.assertFalse(any(server.token.encode() in line for line in lines))
            self.assertEqual(server.finished(server.job("zoo", body="quadruped"))["state"], "done")
            start = time.monotonic()
            self.assertEqual(server.close(signal.SIGINT), 0)
            self.assertLess(time.monotonic() - start, 5, "it waits for the browser")
            self.assertFalse(page.exists())

    def test_memory_is_bounded_in_the_server_and_in_its_jobs(self):
        server = Server("--max-memory", "0.1")
        self.addCleanup(server.scratch.cleanup)
        self.addCleanup(server.close)
        asset = self.put_zeros(server, 2_000_000)
        status, _, data = server.call("GET", f"/api/assets/{asset}/skeleton")
        self.assertEqual(status, 429, data)
        error = json.loads(data)["error"]
        self.assertEqual(error["kind"], "out of memory")
        self.assertIn("--max-memory", error["what"])
        peak = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{server.process.pid}/status").read_text())
        self.assertLess(int(peak[1]), 300_000)  # kB; it took some 400 MB
        job = server.finished(server.job("inspect", self.put_zeros(server, 4_000_000)))
        self.assertEqual(job["state"], "failed")
        self.assertIn("102 MB", job["message"])

    def put_zeros(self, server, count):
        """A skinned model whose vertices are zeros, and nowhere in the file."""
        text = json.dumps({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
            "nodes": [{"mesh": 0, "skin": 0}, {"children": [2]}, {}], "skins": [{"joints": [1, 2]}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}]}],
            "accessors": [{"componentType": kind, "count": count, "type": shape}
                          for kind, shape in ((5126, "VEC3"), (5121, "VEC4"), (5126, "VEC4"))]})
        text += " " * ((2 << 20) - len(text))
        glb = b"glTF" + struct.pack("<IIII", 2, 20 + len(text), len(text), 0x4E4F534A) + text.encode()
        return json.loads(server.call("POST", "/api/assets?name=zeros.glb", glb)[2])["id"]

    def test_without_a_page_it_says_so(self):
        done = subprocess.run([PROGRAM, "studio", "--no-browser", "--assets", "/nowhere"], capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no page", done.stderr)

    def test_it_listens_on_this_machine_alone(self):
        server = Server()
        self.addCleanup(server.scratch.cleanup)
        self.addCleanup(server.close)
        listening = [line.split()[1] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
                     if line.split()[3] == "0A" and int(line.split()[1].split(":")[1], 16) == server.port]
        self.assertEqual(listening, [f"0100007F:{server.port:04X}"])


if __name__ == "__main__":
    unittest.main()
