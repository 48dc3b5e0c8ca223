# SPDX-License-Identifier: Apache-2.0
"""The recording proxy: what passes is what came, and what was captured is there, whatever happens."""
import gzip
import hashlib
import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import threading
import time
import unittest

import recorder
from recorder import PATIENCE, Place, Recorder, cassette, command, each, harness

JSON = "Content-Type: application/json"


class Passing(Place, unittest.TestCase):
    def test_what_passes_is_what_came(self):
        seen = []

        def answer(wire, request):
            seen.append(request)
            wire.answer("%d Whatever" % (204 if request.method == "DELETE" else 207), "X-Odd-Case: 1", "x-odd-case: 2",
                        "Content-Type: text/plain", "Date: Mon, 23 Nov 2026 08:00:00 GMT", "Empty:",
                        "Set-Cookie: SID=secret; Path=/", body=b"" if request.method == "DELETE" else b"hello")

        r = self.recorder(self.target(each(answer)))
        for method, body in (("GET", None), ("POST", b"x=1"), ("PUT", b""), ("PATCH", b"\x00\xff"), ("DELETE", None),
                             ("OPTIONS", None), ("PROPFIND", b"<a/>")):
            got = r.ask(method, "/a%2Fb//c/../d?x=%26&x=2&flag&y=a+b%20c", body, {"X-Mine": "a  b", "User-Agent": "me/1"})
            sent = seen[-1]
            self.assertEqual((sent.method, sent.target), (method, "/a%2Fb//c/../d?x=%26&x=2&flag&y=a+b%20c"))
            self.assertEqual(sent.body, body or b"")
            names = {n for n, _ in sent.fields}
            self.assertLessEqual({"X-Mine", "User-Agent"}, names)
            self.assertFalse({"Accept", "Expect", "Content-Type"} & names, names)
            self.assertEqual(sent.field("X-Mine"), "a  b")
            self.assertEqual(sent.field("Content-Length"), str(len(body)) if body is not None else None)
            self.assertEqual(got.status, 204 if method == "DELETE" else 207)
            self.assertEqual(got.body, b"" if method == "DELETE" else b"hello")
            fields = [f for f in got.fields if f[0] not in ("Content-Length", "Connection")]
            self.assertEqual(fields, [("X-Odd-Case", "1"), ("x-odd-case", "2"), ("Content-Type", "text/plain"),
                                      ("Date", "Mon, 23 Nov 2026 08:00:00 GMT"), ("Set-Cookie", "SID=secret; Path=/")])
        self.stopped(r)
        self.assertEqual([e["request"]["method"] for e in r.journal()],
                         ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
        self.assertEqual([e["exchange"] for e in r.journal()], list(range(1, 8)))

    def test_an_answer_to_head_has_the_length_that_the_target_gave(self):
        def answer(wire, request):
            wire.send("HTTP/1.1 200 OK\r\nContent-Length: 4711\r\n%s\r\n\r\n" % JSON)

        r = self.recorder(self.target(each(answer)))
        got = r.ask("HEAD", "/")
        self.assertEqual((got.field("Content-Length"), got.body), ("4711", b""))
        self.assertEqual(r.ask("HEAD", "/").status, 200)
        self.stopped(r)

    def test_an_answer_streams_and_stays_chunked(self):
        go_on = threading.Event()

        def serve(wire):
            wire.request()
            wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n%s\r\n\r\n" % JSON)
            wire.send("8\r\n[\"first\"\r\n")
            self.assertTrue(go_on.wait(PATIENCE))
            wire.send("a\r\n,\"second\"]\r\n0\r\n\r\n")

        r = self.recorder(self.target(serve))
        c = r.open()
        c.request("GET", "/")
        response = c.getresponse()
        self.assertEqual(response.getheader("Transfer-Encoding"), "chunked")
        first = b""
        while len(first) < 4:  # before the target says more; what could be half of an address waits
            first += response.read1(4)
        go_on.set()
        self.assertEqual(first + response.read(), b'["first","second"]')
        c.close()
        self.stopped(r)
        self.assertEqual(r.journal()[0]["response"]["body"], '["first","second"]')

    def test_trailers_do_not_take_the_place_of_headers(self):
        packed = gzip.compress(b'{"email": "ada@acme.com"}')

        def serve(wire):
            wire.request()
            wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n%s\r\n\r\n" % JSON)
            wire.send(b"%x\r\n%s\r\n0\r\nHTTP/1.1: 200\r\nX-Late: yes\r\n\r\n" % (len(packed), packed))

        r = self.recorder(self.target(serve))
        got = r.ask("GET", "/", headers={"Accept-Encoding": "gzip"})
        self.assertEqual(gzip.decompress(got.body), b'{"email": "ada@acme.com"}')
        self.stopped(r)
        answer = r.journal()[0]["response"]
        self.assertEqual(answer["headers"], [["Transfer-Encoding", "chunked"], JSON.split(": ")])
        self.assertEqual(answer["body"], '{"email":"person1@org1.example"}')

    def test_a_status_that_http_does_not_have_spoils_no_recording(self):
        def answer(wire, request):
            wire.answer("999 Denied" if request.target == "/no" else "204 None")

        r = self.recorder(self.target(each(answer)))
        self.assertEqual(r.ask("GET", "/no").status, 999)
        self.assertEqual(r.ask("GET", "/yes").status, 204)
        self.stopped(r)
        self.assertEqual([e["response"]["status"] for e in r.journal()], [999, 204])
        self.assertEqual([s["expect"] for s in cassette(r.out)["steps"]], [204])

    def test_a_request_streams_and_stays_chunked(self):
        arrived = threading.Event()
        chunks = []

        def serve(wire):
            _, fields = wire.head()
            self.assertIn(("Transfer-Encoding", "chunked"), fields)
            while not chunks or chunks[-1]:
                chunks.append(wire.chunk())
                arrived.set()
            wire.answer()

        def pieces():
            yield b"first"
            self.assertTrue(arrived.wait(PATIENCE))
            yield b"second"

        r = self.recorder(self.target(serve))
        c = r.open()
        c.request("POST", "/upload", body=pieces(), headers={"Content-Type": "image/png"}, encode_chunked=True)
        self.assertEqual(c.getresponse().status, 200)
        c.close()
        self.stopped(r)
        self.assertEqual(b"".join(chunks), b"firstsecond")
        self.assertEqual(r.journal()[0]["request"]["body"], "firstsecond")

    def test_an_answer_before_the_end_of_the_request_gets_through(self):
        def serve(wire):
            wire.head()
            wire.send("HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno!")
            while wire.file.read(65536):  # until the end of the connection
                pass

        r = self.recorder(self.target(serve))
        got = r.ask("POST", "/", b"x" * (4 << 20), {"Content-Type": "image/png"})
        self.assertEqual((got.status, got.body), (413, b"no!"))
        self.stopped(r)

    def test_large_bodies_pass_whole_and_are_kept_cut(self):
        data = hashlib.sha512(b"x").digest() * (40 << 14)  # 40 MiB that no one packs

        def answer(wire, request):
            self.assertEqual(hashlib.sha256(request.body).digest(), hashlib.sha256(data).digest())
            wire.answer("200 OK", "Content-Type: video/mp4", body=data)

        r = self.recorder(self.target(each(answer)), "--max-body", "1000")
        got = r.ask("PUT", "/v", data, {"Content-Type": "video/mp4"})
        self.assertEqual(got.field("Content-Length"), str(len(data)))
        self.assertEqual(got.body, data)
        c = r.open()
        c.request("PUT", "/v", (data[i:i + 100000] for i in range(0, len(data), 100000)), {"Content-Type": "video/mp4"},
                  encode_chunked=True)
        self.assertEqual(c.getresponse().read(), data)
        c.close()
        code, err = r.stop()
        self.assertEqual(code, 1)
        self.assertIn("the request's body was too large to be kept", err)
        e = r.journal()[0]
        self.assertEqual((e["request"]["size"], e["response"]["size"]), (len(data), len(data)))
        self.assertLess(os.path.getsize(os.path.join(self.out, "journal.jsonl")), 10000)

    def test_packed_answers_stay_packed_and_are_put_down_unpacked(self):
        text = b'{"a": "' + b"x" * 3000 + b'"}'
        packed = gzip.compress(text, 3, mtime=1)
        seen = []

        def answer(wire, request):
            seen.append(request)
            wire.answer("200 OK", JSON, "Content-Encoding: gzip", body=packed)

        r = self.recorder(self.target(each(answer)))
        got = r.ask("GET", "/", headers={"Accept-Encoding": "br, gzip;q=0.5, zstd"})
        self.assertEqual((got.field("Content-Encoding"), got.body), ("gzip", packed))  # the same bytes
        self.assertEqual(seen[0].field("Accept-Encoding"), "gzip;q=0.5")  # what could not be put down is not asked for
        r.ask("POST", "/", packed, {"Content-Encoding": "gzip", "Content-Type": "application/json"})
        self.assertEqual(seen[1].body, packed)
        self.stopped(r)
        self.assertEqual([e["response"]["body"] for e in r.journal()], [text.decode()] * 2)
        self.assertEqual(r.journal()[1]["request"]["body"], text.decode())
        self.assertNotIn("Content-Encoding", dict(r.journal()[0]["response"]["headers"]))


    def test_what_can_not_be_unpacked_is_not_put_down(self):
        text = gzip.compress(json.dumps({"mail": ["ada%d@acme.com" % i for i in range(500)]}).encode())

        def answer(wire, request):
            kind, body = {"/br": ("br", b"ada@acme.com"), "/broken": ("gzip", text[:-20]), "/long": ("gzip", text)}[request.target]
            wire.answer("200 OK", "Content-Type: text/plain", "Content-Encoding: " + kind, body=body)

        r = self.recorder(self.target(each(answer)), "--max-body", "500")
        for target in "/br", "/broken", "/long":
            self.assertTrue(r.ask("GET", target).body)
        self.stopped(r)
        self.assertEqual([e["response"]["body"] for e in r.journal()], ["", "", ""])
        self.assertEqual([s["expect"]["body"] for s in cassette(self.out)["steps"]], ["${any}"] * 3)


class Addresses(Place, unittest.TestCase):
    def test_the_target_names_itself_and_the_client_reads_the_proxy(self):
        seen = []

        def answer(wire, request):
            seen.append(request)
            me = t.url
            body = json.dumps({"plain": me + "/x", "other": [me + "1/x", "http://127.0.0.1/x", me]}).encode()
            body = body[:-1] + (', "escaped": "%s\\/y", "encoded": "u=%s%%2Fz"}' % (
                me.replace("/", "\\/"), me.replace(":", "%3A").replace("/", "%2F"))).encode()
            encoding = []
            if request.field("Accept-Encoding") == "gzip":
                body, encoding = gzip.compress(body), ["Content-Encoding: gzip"]
            wire.answer("200 OK", JSON, "Location: %s/up?upload_id=AB12cd34EF" % me, *encoding, body=body)

        t = self.target(each(answer))
        r = self.recorder(t)
        me = r.url
        for headers in ({}, {"Accept-Encoding": "gzip"}):
            got = r.ask("GET", "/", headers=headers)
            body = gzip.decompress(got.body) if headers else got.body
            self.assertEqual(got.field("Location"), me + "/up?upload_id=AB12cd34EF")
            self.assertEqual(json.loads(body), {
                "plain": me + "/x", "other": [t.url + "1/x", "http://127.0.0.1/x", me], "escaped": me + "/y",
                "encoded": "u=%s%%2Fz" % me.replace(":", "%3A").replace("/", "%2F")})
        # and back
        r.ask("POST", "/cb?to=" + me.replace(":", "%3A").replace("/", "%2F") + "%2Fdone",
              json.dumps({"url": me + "/y"}), {"Content-Type": "application/json", "Referer": me + "/page"})
        self.assertEqual(json.loads(seen[-1].body), {"url": t.url + "/y"})
        self.assertEqual(seen[-1].field("Content-Length"), str(len(seen[-1].body)))
        self.assertEqual(seen[-1].field("Referer"), t.url + "/page")
        self.assertIn(t.url.replace(":", "%3A").replace("/", "%2F"), seen[-1].target)
        self.assertEqual(seen[-1].field("Host"), t.url[7:])
        self.stopped(r)
        self.assertNotIn(r.host, json.dumps(r.journal()))
        self.assertIn(t.url, r.journal()[0]["response"]["body"])

    def test_an_address_is_found_across_chunks(self):
        def answer(wire, request):
            data = ("[" + ", ".join('"%s/a"' % t.url for _ in range(50)) + "]").encode()
            size = int(request.target.strip("/?").split("=")[-1])
            packed = request.field("Accept-Encoding") == "gzip"
            data = gzip.compress(data) if packed else data
            wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n%s%s\r\n\r\n" % (
                JSON, "\r\nContent-Encoding: gzip" if packed else ""))
            for i in range(0, len(data), size):
                piece = data[i:i + size]
                wire.send(b"%x\r\n%s\r\n" % (len(piece), piece))
            wire.send("0\r\n\r\n")

        t = self.target(each(answer))
        r = self.recorder(t)
        for size in (1, 2, 3, 7, 13, 30, 31, 1000):
            for headers in ({}, {"Accept-Encoding": "gzip"}):
                got = r.ask("GET", "/?n=%d" % size, headers=headers)
                body = gzip.decompress(got.body) if headers else got.body
                self.assertEqual(json.loads(body), [r.url + "/a"] * 50, size)
        self.stopped(r)
        self.assertEqual(json.loads(r.journal()[0]["response"]["body"]), [t.url + "/a"] * 50)

    def test_what_people_stored_is_not_touched(self):
        def answer(wire, request):
            kind = "Content-Type: text/csv" if request.target == "/csv" else JSON
            extra = ["Content-Disposition: attachment; filename=a.json"] if request.target == "/file" else []
            wire.answer("200 OK", kind, *extra, body=(t.url + "/x").encode())

        t = self.target(each(answer))
        r = self.recorder(t)
        for target in "/csv", "/file":
            self.assertEqual(r.ask("GET", target).body.decode(), t.url + "/x")
        self.stopped(r)

    def test_a_target_may_have_a_path(self):
        seen = []

        def answer(wire, request):
            seen.append(request.target)
            wire.answer("200 OK", JSON, body=json.dumps({"u": t.url + "/w/key/x", "v": t.url + "/w/key2/x"}).encode())

        t = self.target(each(answer))
        r = self.recorder(t.url + "/w/key/")
        self.assertEqual(r.ask("GET", "/a?b").json(), {"u": r.url + "/x", "v": t.url + "/w/key2/x"})
        self.assertEqual(seen, ["/w/key/a?b"])
        self.stopped(r)
        self.assertEqual(r.journal()[0]["request"]["target"], "/a?b")
        self.assertEqual(cassette(self.out)["steps"][0]["expect"]["body"]["u"], "${origin}/x")


class Losses(Place, unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.n = 0

    def answer(self, wire, request):
        self.n += 1
        if "die" in request.target:
            wire.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n%s\r\n\r\n{\"half\": " % JSON)
            wire.close()
        else:
            wire.answer("200 OK", JSON, body=json.dumps({"mail": "ada@acme.com", "n": self.n}).encode())

    def test_what_came_before_the_target_died_is_there(self):
        t = self.target(each(self.answer))
        r = self.recorder(t)
        self.assertEqual(r.ask("GET", "/one").status, 200)
        with self.assertRaises((http.client.HTTPException, OSError)):
            r.ask("GET", "/die")
        t.close()
        got = r.ask("GET", "/three")
        self.assertEqual(got.status, 502)
        self.assertIn("No answer from " + t.url, got.json()["error"]["message"])
        err = self.stopped(r)
        one, two, three = r.journal()
        self.assertEqual(one["response"]["status"], 200)
        self.assertEqual((two["response"]["status"], two["response"]["body"]), (200, '{"half": '))
        self.assertTrue(two["error"] and three["error"])
        self.assertNotIn("response", three)
        self.assertEqual([s["call"] for s in cassette(self.out)["steps"]], ["GET /one"])
        self.assertRegex(err, r"exchange 2 \(GET /die\) is left out: the answer is not whole: ")
        self.assertRegex(err, r"exchange 3 \(GET /three\) is left out")

    def test_a_stream_that_breaks_off_breaks_off(self):
        def serve(wire):
            wire.request()
            wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/csv\r\n\r\n5\r\nhello\r\n")
            wire.close()

        r = self.recorder(self.target(serve))
        with self.assertRaises((http.client.HTTPException, OSError)):
            r.ask("GET", "/")
        code, err = r.stop()
        self.assertEqual(code, 1)
        self.assertIn("there is no exchange to make a cassette of", err)
        self.assertEqual(r.journal()[0]["response"]["body"], "hello")

    def test_a_kill_loses_nothing_that_was_answered_and_the_recording_goes_on(self):
        t = self.target(each(self.answer))
        r = self.recorder(t, "--world", "small")
        for i in range(20):
            self.assertEqual(r.ask("GET", "/%d" % i, headers={"Authorization": "Bearer tok"}).status, 200)
            if i == 7:
                self.assertEqual(len(r.journal()), 8)  # at once
        self.assertEqual(r.stop(signal.SIGKILL)[0], -signal.SIGKILL)
        self.assertEqual(len(r.journal()), 20)
        with open(os.path.join(self.out, "journal.jsonl"), "ab") as f:
            f.write(b'{"exchange":21,"at":"2026')  # as if it had been in the middle of a line
        again = Recorder(t.url, self.out, fails=True)
        self.assertIn("--resume goes on with it", again.refusal)
        r = self.recorder(t, "--resume")
        r.ask("GET", "/more", headers={"Authorization": "Bearer tok"})
        self.stopped(r)
        journal = r.journal()
        self.assertEqual([e["exchange"] for e in journal], list(range(1, 22)))
        for e in journal:  # the same by the same, in both runs
            self.assertIn('"person1@org1.example"', e["response"]["body"])
            self.assertIn(["Authorization", "Bearer redacted-token-1"], e["request"]["headers"])
        made = cassette(self.out)
        self.assertEqual(len(made["steps"]), 21)
        self.assertEqual(made["world"]["fixture"], "small")

    def test_a_recording_is_finished_by_another_process(self):
        t = self.target(each(self.answer))
        r = self.recorder(t)
        r.ask("GET", "/1")
        busy = Recorder(t.url, self.out, "--resume", fails=True)
        self.assertIn("another process records into it", busy.refusal)
        r.stop(signal.SIGKILL)
        with open(os.path.join(self.out, "journal.jsonl"), "ab") as f:
            f.write(b'{"exch')
        done = command("record", "--finish", self.out, "--title", "Mine", "--name", "other")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertIn("is incomplete and left out", done.stderr)
        with open(os.path.join(self.out, "other.json")) as f:
            self.assertEqual(json.load(f)["title"], "Mine")
        self.assertFalse(os.path.exists(os.path.join(self.out, "key")))
        over = Recorder(t.url, self.out, "--resume", fails=True)
        self.assertIn("is finished", over.refusal)

    def test_a_broken_journal_is_named_with_its_line(self):
        t = self.target(each(self.answer))
        r = self.recorder(t)
        for _ in range(3):
            r.ask("GET", "/1")
        self.stopped(r)
        path = os.path.join(self.out, "journal.jsonl")
        with open(path) as f:
            lines = f.readlines()
        for bad, message in (('{"exchange":2,\n', ":3: "), ('{"exchange":2,"at":"2026-01-01T00:00:00Z"}\n', "request: is missing"),
                             (lines[2].replace('"status":200', '"status":7'), "response.status: ")):
            with open(path, "w") as f:
                f.writelines(lines[:2] + [bad] + lines[3:])
            done = command("record", "--finish", self.out)
            self.assertEqual(done.returncode, 1)
            self.assertIn("journal.jsonl:3", done.stderr)
            self.assertIn(message, done.stderr)

    def test_a_stop_waits_for_what_is_under_way(self):
        asked, go_on = threading.Event(), threading.Event()

        def serve(wire):
            wire.request()
            asked.set()
            self.assertTrue(go_on.wait(PATIENCE))
            wire.answer("200 OK", JSON, body=b'{"late": 1}')

        r = self.recorder(self.target(serve))
        got = []
        client = threading.Thread(target=lambda: got.append(r.ask("GET", "/").body))
        client.start()
        self.assertTrue(asked.wait(PATIENCE))
        r.process.send_signal(signal.SIGTERM)
        until = time.monotonic() + PATIENCE
        while True:  # it takes no more connections
            try:
                socket.create_connection(("127.0.0.1", r.port), timeout=PATIENCE).close()
            except ConnectionRefusedError:
                break
            except ConnectionResetError:
                pass  # it was in the queue
            self.assertLess(time.monotonic(), until)
        self.assertIsNone(r.process.poll())
        go_on.set()
        client.join(PATIENCE)
        self.assertEqual(got, [b'{"late": 1}'])
        self.assertEqual(r.stop(signal.SIGCONT)[0], 0)
        self.assertEqual(r.journal()[0]["response"]["body"], '{"late": 1}')

    def test_a_second_signal_gives_up_what_is_under_way(self):
        asked, over = threading.Event(), threading.Event()

        def serve(wire):
            wire.request()
            asked.set()
            over.wait(PATIENCE)

        r = self.recorder(self.target(serve))

        def ask():
            try:
                r.ask("GET", "/")
            except (http.client.HTTPException, OSError):
                pass
        client = threading.Thread(target=ask)
        client.start()
        self.assertTrue(asked.wait(PATIENCE))
        r.process.send_signal(signal.SIGTERM)
        while r.process.poll() is None:
            r.process.send_signal(signal.SIGTERM)
            time.sleep(0.05)
        over.set()
        client.join(PATIENCE)
        self.assertEqual(r.journal()[0]["error"], "the recording was ended")

    def test_a_client_that_goes_away_is_reported(self):
        asked, go_on = threading.Event(), threading.Event()

        def serve(wire):
            wire.request()
            wire.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/csv\r\n\r\n")
            asked.set()
            for _ in range(2000):
                wire.send(b"10000\r\n" + b"x" * 65536 + b"\r\n")

        r = self.recorder(self.target(serve), "--max-body", "10")
        c = r.open()
        c.request("GET", "/")
        c.getresponse().read(10)
        c.sock.close() if c.sock else None
        c.close()
        until = time.monotonic() + PATIENCE
        while not r.journal():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)
        self.assertIn("went away", r.journal()[0]["error"])
        code, err = r.stop()
        self.assertEqual(code, 1)
        self.assertIn("there is no exchange to make a cassette of", err)


class Secrets(Place, unittest.TestCase):
    SECRETS = ["ya29.a0AfB-very-secret", "1//0gRefreshRefreshRefreshRefresh", "GOCSPX-shhhhhhhhh", "AIzaSyA1234567890",
               "sessionsecret", "ada.conti@acme.com", "bo@acme.com", "Ada Conti", "+39 06 555 1234", "81.2.69.142"]

    def answer(self, wire, request):
        token = self.SECRETS[0]
        if request.target.startswith("/token"):
            body = {"access_token": token, "refresh_token": self.SECRETS[1], "expires_in": 3599}
        else:
            body = {"id": "x1", "summary": "Lunch", "owner": {"emailAddress": "ada.conti@acme.com", "displayName": "Ada Conti",
                    "me": True}, "phone": "+39 06 555 1234", "from": "Bo <bo@acme.com>", "ip": "81.2.69.142"}
        wire.answer("200 OK", JSON, "Set-Cookie: SID=sessionsecret; Path=/", body=json.dumps(body).encode())

    def use(self, *options):
        r = self.recorder(self.target(each(self.answer)), *options)
        got = r.ask("POST", "/token", "grant_type=refresh_token&client_secret=%s&refresh_token=%s" % (
            self.SECRETS[2], self.SECRETS[1]), {"Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual(got.json()["access_token"], self.SECRETS[0])  # the client gets what came
        self.assertIn("sessionsecret", got.field("Set-Cookie"))
        got = r.ask("GET", "/users/ada.conti%40acme.com?key=" + self.SECRETS[3], headers={
            "Authorization": "Bearer " + self.SECRETS[0], "Cookie": "SID=sessionsecret"})
        self.assertEqual(got.json()["owner"]["displayName"], "Ada Conti")
        return r, self.stopped(r)

    def everything(self):
        text = b""
        for name in os.listdir(self.out):
            with open(os.path.join(self.out, name), "rb") as f:
                text += f.read()
        return text

    def test_nothing_of_an_account_is_written(self):
        r, err = self.use()
        text = self.everything()
        for secret in self.SECRETS:
            self.assertNotIn(secret.encode(), text, secret)
            self.assertNotIn(secret.replace("@", "%40").encode(), text)
            self.assertNotIn(secret, err)
        self.assertIn("redacted: token 5, cookie 3, key 1, email 3, name 2, phone 1, ip 1", err)
        with open(os.path.join(self.out, "redacted.jsonl")) as f:
            places = [json.loads(line) for line in f]
        self.assertIn({"exchange": 2, "kind": "email", "at": "response.body.owner.emailAddress",
                       "with": "person1@org1.example"}, places)
        for name in os.listdir(self.out):
            if not name.endswith(".json"):
                self.assertEqual(os.stat(os.path.join(self.out, name)).st_mode & 0o077, 0, name)
        made = cassette(self.out)
        self.assertEqual(made["actors"], {"person1": "person1@org1.example"})
        self.assertEqual(made["steps"][1]["call"], "GET /users/person1%40org1.example")
        self.assertEqual(made["steps"][1]["as"], "person1")
        self.assertNotIn("query", made["steps"][1])

    def test_kinds_are_kept_when_asked(self):
        r, err = self.use("--keep", "email", "--keep", "name", "--redact-text")
        text = self.everything()
        self.assertIn(b"ada.conti@acme.com", text)
        self.assertIn(b"Ada Conti", text)
        self.assertNotIn(b"Lunch", text)
        self.assertNotIn(self.SECRETS[0].encode(), text)

    def test_a_kind_nobody_knows_is_refused(self):
        done = command("record", "--target", "http://localhost:1", "--out", self.out, "--keep", "everything")
        self.assertEqual(done.returncode, 2)
        self.assertIn('not "everything"', done.stderr)


class Https(Place, unittest.TestCase):
    def authority(self):
        """A certificate of an authority that only the test knows."""
        key, cert = os.path.join(self.place, "key.pem"), os.path.join(self.place, "cert.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days",
                        "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"],
                       check=True, capture_output=True, timeout=PATIENCE)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        return cert, context

    def test_certificates_are_verified(self):
        cert, context = self.authority()
        t = self.target(each(lambda wire, request: wire.answer("200 OK", JSON, "Location: %s/x" % t.url, body=b"{}")),
                        context)
        r = self.recorder(t)
        got = r.ask("GET", "/")
        self.assertEqual(got.status, 502)
        self.assertRegex(got.json()["error"]["message"], "(?i)certificate")
        code, _ = r.stop()
        self.assertEqual(code, 1)
        self.out += "2"
        r = self.recorder(t, "--ca", cert)
        got = r.ask("GET", "/")
        self.assertEqual((got.status, got.field("Location")), (200, r.url + "/x"))
        self.stopped(r)


class Refused(Place, unittest.TestCase):
    def test_requests_that_can_be_read_in_two_ways_do_not_pass(self):
        seen = []

        def answer(wire, request):
            seen.append(request.target)
            wire.answer()

        r = self.recorder(self.target(each(answer)))
        host = "Host: %s\r\n" % r.host
        for request in (
                "GET /a HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                "GET http://other.example/a HTTP/1.1\r\n" + host + "\r\n",
                "CONNECT a.example:443 HTTP/1.1\r\n" + host + "\r\n",
                "POST /a HTTP/1.1\r\n" + host + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "GET /a\x01b HTTP/1.1\r\n" + host + "\r\n",
                "GET /a HTTP/1.1\r\n" + host + "X\x01Y: 1\r\n\r\n",
                "GET /\xe9 HTTP/1.1\r\n" + host + "\r\n",
                "GET /a HTTP/1.1\r\n" + host + "".join("X-%d: 1\r\n" % i for i in range(250)) + "\r\n"):
            status = r.raw(request.encode("latin-1"))
            self.assertRegex(status, "^(HTTP/1.1 4[0-9][0-9] .*)?$", request)
        self.assertEqual(seen, [])
        self.assertEqual(r.ask("GET", "/fine").status, 200)
        self.stopped(r)
        self.assertEqual(len(r.journal()), 1)

    def test_a_command_that_can_not_work_says_so_before_it_records(self):
        for words, message in (
                (["--target", "ftp://x.example"], "is not an http or https URL"),
                (["--target", "http://u:p@x.example"], "neither a query nor a user"),
                (["--target", "http://x.example?a=b"], "neither a query nor a user"),
                (["--target", "http://x.example", "--world", "nowhere"], "nowhere"),
                (["--target", "http://x.example", "--world", "/no/such.yaml"], "/no/such.yaml"),
                (["--target", "http://x.example", "--actor", "ada"], "--actor must be EMAIL"),
                (["--target", "http://x.example", "--actor", "a@b.c=env:SOSIA_NO_SUCH"], "SOSIA_NO_SUCH must be set in the environment"),
                (["--target", "http://x.example", "--listen", "127.0.0.1:99999"], "--listen must be")):
            done = command("record", "--out", self.out, *words)
            self.assertIn(done.returncode, (1, 2))
            self.assertIn(message, done.stderr)
            self.assertFalse(os.path.exists(self.out), words)
        for words in ([], ["--target", "http://x.example"], ["--out", self.out]):
            self.assertEqual(command("record", *words).returncode, 2)


class Sosia(Place, unittest.TestCase):
    """A recording of sosia replays equal against sosia."""

    def use(self, server, *options):
        token = server.info["actors"]["ada@small.example"]["token"]
        r = self.recorder(server.url, "--world", "small", *options)
        auth = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
        events = "/calendar/v3/calendars/primary/events"
        # Its id is the last: while a clock does not move, all changes have one time, and lists are in the order of ids.
        event = {"id": "vlunch1", "summary": "Lunch", "start": {"date": "2026-11-24"}, "end": {"date": "2026-11-25"},
                 "attendees": [{"email": "bo@small.example"}]}
        made = r.ask("POST", events, json.dumps(event), auth).json()
        one = events + "/" + made["id"]
        first = r.ask("GET", events, headers={**auth, "Accept-Encoding": "gzip"})
        self.assertEqual(first.status, 200)
        r.ask("PATCH", one, json.dumps({"summary": "Tea"}), {**auth, "If-Match": made["etag"]})
        self.assertEqual(r.ask("PATCH", one, "{}", {**auth, "If-Match": made["etag"]}).status, 412)
        self.assertEqual(r.ask("DELETE", one, headers=auth).status, 204)
        self.assertEqual(r.ask("DELETE", one, headers=auth).status, 410)
        self.assertEqual(r.ask("GET", events, headers={"Authorization": "Bearer nonsense"}).status, 401)
        self.assertEqual(r.ask("GET", "/discovery/v1/apis/calendar/v3/rest").json()["rootUrl"], r.url + "/")
        return r

    def test_it_does(self):
        for clock in "real", "frozen":
            server = harness.Server("--fixture", "small", "--clock", clock)
            self.addCleanup(lambda s=server: s.process.poll() is None and s.process.kill())
            self.out = os.path.join(self.place, clock)
            r = self.use(server)
            err = self.stopped(r)
            self.assertNotIn("nothing says who", err)
            done = command("replay", self.out, "--format", "json")
            self.assertEqual(done.returncode, 0, done.stdout)
            # and against the server itself
            done = command("replay", self.out, "--target", server.url, "--key", server.key)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(server.stop()[0], 0)

    def test_a_recording_goes_out_and_in_as_har(self):
        server = harness.Server("--fixture", "small", "--clock", "frozen")
        self.addCleanup(lambda: server.process.poll() is None and server.process.kill())
        self.stopped(self.use(server, "--title", "A lunch"))
        server.stop()
        har, again = os.path.join(self.place, "x.har"), os.path.join(self.place, "again")
        self.assertEqual(command("export", self.out, "--har", har).stderr, "")
        done = command("import", har, "--out", again, "--world", "small", "--title", "A lunch")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(cassette(again)["steps"], cassette(self.out)["steps"])
        self.assertEqual(command("replay", again).returncode, 0)
        self.assertEqual(command("record", "--resume", "--target", server.url, "--out", again).returncode, 1)
        # a cassette comes back as it was
        tape = os.path.join(self.out, "tape.json")
        self.assertEqual(command("export", tape, "--har", har).returncode, 0)
        third = os.path.join(self.place, "third")
        self.assertEqual(command("import", har, "--out", third, "--name", "tape").returncode, 0)
        with open(tape) as a, open(os.path.join(third, "tape.json")) as b:
            self.assertEqual(a.read(), b.read())
        # what a replay got, with the requests that it made
        result = os.path.join(self.place, "result.json")
        self.assertEqual(command("replay", tape, "--out", result).returncode, 0)
        self.assertEqual(command("export", result, "--har", har).stderr, "")
        with open(har) as f:
            entries = json.load(f)["log"]["entries"]
        self.assertEqual([e["request"]["method"] for e in entries],
                         ["POST", "GET", "PATCH", "PATCH", "DELETE", "DELETE", "GET", "GET"])
        made = json.loads(entries[0]["response"]["content"]["text"])["id"]
        self.assertTrue(entries[2]["request"]["url"].endswith("/events/" + made))
        self.assertNotIn("${", json.dumps([e["request"] for e in entries]))

    def test_har_files_of_others_are_filtered_and_faults_are_named(self):
        entry = {"startedDateTime": "2026-11-23T09:00:00Z", "time": 1, "response": {"status": 204},
                 "request": {"method": "GET", "url": "https://a.example/x", "headers": [
                     {"name": "Authorization", "value": "Bearer topsecret"}]}}
        other = json.loads(json.dumps(entry).replace("a.example", "b.example"))
        har = os.path.join(self.place, "x.har")

        def write(*entries):
            with open(har, "w") as f:
                json.dump({"log": {"version": "1.2", "entries": entries}}, f)

        write(entry, other, entry)
        done = command("import", har, "--out", self.out)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a.example (2), b.example (1)", done.stderr)
        done = harness.command("conformance", "import", har, "--out", self.out, "--host", "b.example", "--actor",
                               "ada@x.example=env:MY_TOKEN", env={"MY_TOKEN": "topsecret"})
        self.assertEqual(done.returncode, 0, done.stderr)
        made = cassette(self.out)
        self.assertEqual(([s["as"] for s in made["steps"]], made["actors"]), (["ada"], {"ada": "ada@x.example"}))
        for name in os.listdir(self.out):
            with open(os.path.join(self.out, name)) as f:
                self.assertNotIn("topsecret", f.read())
        del entry["request"]["url"]
        write(other, entry)
        done = command("import", har, "--out", self.out + "2")
        self.assertEqual((done.returncode, done.stderr.split(".har")[1]),
                         (1, ":1: log.entries[1].request.url: is missing\n"))


if __name__ == "__main__":
    unittest.main()
