# SPDX-License-Identifier: Apache-2.0
"""Well-behaved clients: methods, connections, bodies, compression, cross-origin requests, base URLs."""
import base64
import gzip
import json
import os
import socket
import unittest
import zlib

from harness import ServerCase, Wire, has_own_allocator, resident, start, stop


def chunked(body, size=7):
    out = b""
    for i in range(0, len(body), size):
        piece = body[i : i + size]
        out += b"%x\r\n%s\r\n" % (len(piece), piece)
    return out + b"0\r\n\r\n"


class Requests(ServerCase):
    def test_a_get_reaches_the_backend_with_its_raw_target(self):
        a = self.get("/echo/%23c%2Fx%40g.com/e%00v?q=a+b&r=%2B", "X-One: 1")
        self.assertEqual(a.status, 200)
        self.assertEqual(a.json()["target"], "/echo/%23c%2Fx%40g.com/e%00v?q=a+b&r=%2B")
        self.assertEqual(a.json()["headers"]["X-One"], "1")
        self.assertEqual(a.json()["body"], "")

    def test_a_connection_serves_many_requests(self):
        before = self.metric("connections")
        with Wire(self.port) as w:
            for i in range(200):
                a = w.ask("GET /echo?%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % i)
                self.assertEqual(a.json()["target"], "/echo?%d" % i)
        after = self.metric("connections")
        self.assertEqual(after - before, 2)  # this one and that of the second question

    def test_pipelined_requests_are_answered_in_order(self):
        w = self.wire()
        w.send(b"".join(b"POST /echo?%d HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc" % i for i in range(60)))
        for i in range(60):
            a = w.answer()
            self.assertEqual((a.json()["target"], a.json()["length"]), ("/echo?%d" % i, 3))

    def test_pipelined_requests_wait_for_answers_from_other_threads(self):
        w = self.wire()
        w.send(b"".join(b"GET /later/%d?%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % (i % 3, i) for i in range(30)))
        for i in range(30):
            self.assertEqual(w.answer().json()["target"], "/later/%d?%d" % (i % 3, i))

    def test_head_is_get_without_the_body(self):
        w = self.wire()
        get = w.ask("GET /size/321 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        head = w.ask("HEAD /size/321 HTTP/1.1\r\nHost: localhost\r\n\r\n", head=True)
        self.assertEqual(head.field("Content-Length"), "321")
        self.assertEqual({n for n, _ in get.fields}, {n for n, _ in head.fields})
        self.assertEqual(w.ask("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n").json()["method"], "GET")
        w.send("HEAD /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        self.assertEqual(w.answer(head=True).status, 200)
        self.assertTrue(w.is_closed())

    def test_an_http_1_0_client_gets_its_answer_and_the_connection_closes(self):
        w = self.wire()
        self.assertEqual(w.ask("GET /echo HTTP/1.0\r\n\r\n").status, 200)
        self.assertTrue(w.is_closed())

    def test_connection_close_is_honoured(self):
        w = self.wire()
        a = w.ask("GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        self.assertEqual(a.field("Connection"), "close")
        self.assertTrue(w.is_closed())

    def test_a_half_closed_client_gets_its_answer(self):
        for path in ("/echo", "/later/30"):
            w = self.wire()
            w.send("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path)
            w.half_close()
            self.assertEqual(w.answer().status, 200)
            self.assertTrue(w.is_closed())

    def test_bursts_of_half_closed_clients_get_all_their_answers(self):
        """Side by side and one behind the other, answered at once and later, with bodies and without."""
        post = "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3000\r\n\r\n" + "x" * 3000
        for path in ("/echo", "/later/0", "/later/50", "/size/200000"):
            for request in ("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path, post % path):
                wires = [self.wire() for _ in range(100)]
                for w in wires:
                    w.send(request)
                    w.half_close()
                self.assertEqual([w.answer().status for w in wires], [200] * len(wires), request[:40])
        for path in ("/echo", "/later/0", "/size/3000"):
            for request in ("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path, post % path):
                w = self.wire()
                w.send(request * 300)
                w.half_close()
                self.assertEqual([w.answer().status for _ in range(300)], [200] * 300, request[:40])
                self.assertTrue(w.is_closed())

    def test_statuses_pass_through(self):
        for status in (200, 201, 204, 206, 301, 304, 308, 404, 409, 412, 418, 429, 500, 599):
            a = self.get("/status/%d" % status)
            self.assertEqual(a.status, status)

    def test_no_answer_is_503(self):
        a = self.get("/nothing")
        self.assertEqual((a.status, a.json()["error"]["reason"]), (503, "unavailable"))

    def test_fields_of_the_answer_are_kept_and_those_of_transport_are_not(self):
        a = self.get("/fields")
        self.assertEqual(a.field("Date"), "Thu, 01 Jan 2026 00:00:00 GMT")
        self.assertEqual(a.field("Content-Length"), "3000")
        self.assertEqual(a.field("ETag"), '"1"')
        self.assertIsNone(a.field("Empty"))

    def test_an_answer_without_date_gets_one(self):
        self.assertRegex(self.get("/echo").field("Date"), r"^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$")

    def test_an_answer_that_would_split_is_not_sent(self):
        w = self.wire()
        w.send("GET /badfield HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertTrue(w.is_closed())
        self.assert_alive()

    def test_a_large_answer_arrives_whole(self):
        a = self.get("/size/8000000")
        self.assertEqual(len(a.body), 8000000)
        self.assertEqual(a.body[:23] * 2, a.body[23:69])

    def test_absolute_targets_name_the_host(self):
        a = self.get("http://w1.localhost:99/echo?x=http://y/", "Host: localhost")
        self.assertEqual(a.json()["target"], "/echo?x=http://y/")
        self.assertEqual(a.json()["headers"]["Host"], "w1.localhost:99")
        self.assertEqual(a.json()["base_url"], "http://w1.localhost:99")
        self.assertEqual(self.get("http://localhost", method="POST").json()["target"], "/")  # GET is the console's page
        self.assertEqual(self.get("HTTP://localhost?a=/b", method="POST").json()["target"], "/?a=/b")
        self.assertEqual(self.get("http://evil.example/echo").status, 421)

    def test_long_targets_and_many_fields_within_the_limits(self):
        target = "/echo/" + "x" * 12000
        self.assertEqual(self.get(target).json()["target"], target)
        fields = ["F%d: %d" % (i, i) for i in range(150)]
        got = self.get("/echo", *fields).json()["headers"]
        self.assertEqual([got["F%d" % i] for i in range(150)], [str(i) for i in range(150)])

    def test_heads_of_every_size_are_read_alike(self):
        # the head is read strictly by its layout in memory: no size may be taken for an attack
        with Wire(self.port) as w:
            for n in list(range(0, 60)) + list(range(100, 15000, 611)):
                a = w.ask("GET /echo HTTP/1.1\r\nHost: localhost\r\nX: %s\r\nY:\t %s \t\r\n\r\n" % ("v" * n, n))
                self.assertEqual((a.status, a.json()["headers"]["X"], a.json()["headers"]["Y"]), (200, "v" * n, str(n)))

    def test_a_head_in_single_bytes(self):
        w = self.wire()
        for byte in b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi":
            w.send(bytes([byte]))
        self.assertEqual(base64.b64decode(w.answer().json()["body"]), b"hi")


class Bodies(ServerCase):
    options = {"max_body": 1 << 20}

    def test_a_body_arrives_whole(self):
        for n in (0, 1, 1000, 5000, 70000, 1 << 20):
            body = bytes(i * 7 & 255 for i in range(n))
            a = self.get("/echo", method="POST", body=body)
            self.assertEqual((a.json()["length"], a.json()["crc"]), (n, zlib.crc32(body)))

    def test_a_chunked_body_arrives_whole(self):
        body = bytes(range(256)) * 9
        for size in (1, 7, 300, 5000):
            a = self.ask(b"PUT /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(body, size))
            self.assertEqual((a.json()["method"], a.json()["crc"]), ("PUT", zlib.crc32(body)))

    def test_chunk_extensions_and_trailers_are_passed_over(self):
        w = self.wire()
        w.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: Chunked\r\n\r\n")
        w.send(b'5;a=b;c="d"\r\nhello\r\n0\r\nX-Trailer: 1\r\nContent-Length: 99\r\n\r\n')
        a = w.answer()
        self.assertEqual(base64.b64decode(a.json()["body"]), b"hello")
        self.assertNotIn("X-Trailer", a.json()["headers"])
        self.assertEqual(a.field("Connection"), "close")  # see Heads.test_what_follows_a_chunked_body in test_hostile.py
        self.assertTrue(w.is_closed())

    def test_expect_100_continue(self):
        w = self.wire()
        w.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        self.assertIn(b" 100 ", w.until(b"\r\n\r\n"))
        w.send("ok")
        self.assertEqual(w.answer().json()["length"], 2)

    def test_a_body_that_is_too_large_gets_413_and_the_connection_goes_on(self):
        w = self.wire()
        body = b"x" * ((1 << 20) + 1)
        a = w.ask(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        self.assertEqual((a.status, a.json()["error"]["reason"]), (413, "tooLarge"))
        self.assertEqual(w.ask("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200)
        a = w.ask(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(body, 60000))
        self.assertEqual(a.status, 413)

    def test_a_declared_length_far_beyond_the_limit_is_refused_at_once(self):
        for fields in ("Content-Length: 3000000", "Content-Length: 1048577\r\nExpect: 100-continue"):
            w = self.wire()
            a = w.ask("POST /echo HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n" % fields)
            self.assertEqual((a.status, a.field("Connection")), (413, "close"))
            self.assertTrue(w.is_closed())

    def test_a_chunked_body_without_end_is_cut_off(self):
        w = self.wire()
        w.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        piece = b"10000\r\n" + b"y" * 65536 + b"\r\n"
        with self.assertRaises(OSError):
            for _ in range(10000):
                w.send(piece)
        self.assert_alive()

    def pack(self, data, coding="gzip"):
        return self.get("/echo", "Content-Encoding: " + coding, method="POST", body=data)

    def test_packed_bodies_are_inflated(self):
        text = b"the same thing again and again; " * 3000
        for data, coding in ((gzip.compress(text), "gzip"), (gzip.compress(text), "X-GZIP"), (zlib.compress(text), "deflate"),
                             (gzip.compress(text[:1000]) + gzip.compress(text[1000:]), "gzip"), (text, "identity")):
            a = self.pack(data, coding)
            self.assertEqual((a.json()["length"], a.json()["crc"]), (len(text), zlib.crc32(text)))
            if coding != "identity":
                self.assertNotIn("Content-Encoding", a.json()["headers"])
                self.assertNotIn("Content-Length", a.json()["headers"])

    def test_broken_packed_bodies_are_refused(self):
        good = gzip.compress(b"hello, hello, hello" * 50)
        for data in (good[:-1], good[:20], b"not gzip at all", good + b"garbage", good[:30] + b"\xff" + good[31:]):
            a = self.pack(data)
            self.assertEqual((a.status, a.json()["error"]["reason"]), (400, "badRequest"), data)
        self.assertEqual(self.pack(good, "br").status, 415)
        self.assertEqual(self.pack(good, "gzip, gzip").status, 415)

    def test_a_bomb_is_refused_at_the_limit(self):
        bomb = gzip.compress(b"\0" * (64 << 20))
        self.assertLess(len(bomb), 1 << 17)
        for _ in range(5):
            self.assertEqual(self.pack(bomb).status, 413)
        nested = gzip.compress(b"\0" * (1 << 20))
        self.assertEqual(self.pack(nested).json()["length"], 1 << 20)


class Budget(ServerCase):
    options = {"max_bodies": 300000}

    def test_large_bodies_beyond_the_budget_wait_for_another_time(self):
        w = self.wire()
        w.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200001\r\n\r\n" + b"a" * 200000)
        body = b"b" * 200000
        self.eventually(lambda: self.metric("body_bytes") >= 200000)  # the server has read the first one
        self.assertEqual(self.get("/echo", method="POST", body=body).status, 503)
        self.assertEqual(self.get("/echo", method="POST", body=b"c" * 1000).status, 200)
        w.send(b"a")
        self.assertEqual(w.answer().json()["length"], 200001)
        self.eventually(lambda: self.metric("body_bytes") == 0)  # the client may have the answer before the server counts it as sent
        self.assertEqual(self.get("/echo", method="POST", body=body).status, 200)

    def test_large_answers_that_are_not_read_beyond_the_budget_are_not_made(self):
        slow = self.wire()
        slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.send(b"GET /size/20000000 HTTP/1.1\r\nHost: localhost\r\n\r\n")  # alone, it may be larger
        self.eventually(lambda: self.metric("body_bytes") >= 20000000)
        self.assertEqual(self.get("/size/200000").status, 503)
        self.assertEqual(self.get("/size/200000", "Accept-Encoding: gzip").status, 200)  # small when it is packed
        self.assertEqual(self.get("/size/1000").status, 200)
        self.assertEqual(self.get("/echo", method="POST", body=b"b" * 200000).status, 503)
        slow.socket.close()
        self.eventually(lambda: self.metric("body_bytes") == 0)
        self.assertEqual(self.get("/size/200000").status, 200)
        self.eventually(lambda: self.metric("body_bytes") == 0)
        self.assertEqual(len(self.get("/size/400000").body), 400000)
        self.eventually(lambda: self.metric("body_bytes") == 0)


class Large(ServerCase):
    """What is large is worked on elsewhere, so that those who share the thread are served meanwhile."""

    options = {"threads": 1}

    def test_a_call_with_a_large_body_runs_on_a_worker(self):
        serving = self.get("/echo").json()["thread"]
        for n in (0, 1 << 20):
            self.assertEqual(self.get("/echo", method="POST", body=b"x" * n).json()["thread"], serving)
        body = os.urandom((1 << 20) + 1)
        a = self.get("/echo", "A:  b ", method="POST", body=body).json()
        self.assertNotEqual(a["thread"], serving)
        self.assertEqual((a["length"], a["crc"], a["headers"]["A"]), (len(body), zlib.crc32(body), "b"))
        packed = gzip.compress(os.urandom(5000) + b"x" * (1 << 20))
        a = self.get("/echo", "Content-Encoding: gzip", method="POST", body=packed).json()
        self.assertNotEqual(a["thread"], serving)
        self.assertEqual((a["length"], a["crc"]), (len(gzip.decompress(packed)), zlib.crc32(gzip.decompress(packed))))
        self.assertNotIn("Content-Encoding", a["headers"])
        self.assertNotIn("Content-Length", a["headers"])

    def test_small_bodies_that_a_worker_inflates_come_back(self):
        text = base64.b64encode(os.urandom(6000))
        a = self.get("/echo", "Content-Encoding: gzip", "A: b", method="POST", body=gzip.compress(text))
        self.assertEqual((a.json()["crc"], a.json()["headers"]["A"]), (zlib.crc32(text), "b"))
        self.assertEqual(self.get("/echo", "Content-Encoding: gzip", method="POST", body=os.urandom(9000)).status, 400)
        self.assertEqual(self.control("echo", "Content-Encoding: gzip", method="POST", body=gzip.compress(text)).json()["length"], len(text))

    def test_a_large_answer_is_packed_on_a_worker(self):
        with Wire(self.port) as w:
            for n in (3000000, 1000, 5000000):
                a = w.ask("GET /size/%d HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n" % n)
                self.assertEqual((a.status, len(gzip.decompress(a.body)) if a.field("Content-Encoding") else len(a.body)), (200, n))
        self.assertIsNone(self.get("/size/3000000?png", "Accept-Encoding: gzip").field("Content-Encoding"))
        self.assertEqual(len(self.get("/size/3000000").body), 3000000)
        self.eventually(lambda: self.metric("body_bytes") == 0)

    def test_a_peak_of_memory_is_given_back(self):
        if has_own_allocator(self.process):
            self.skipTest("a sanitizer has an allocator of its own")
        before = resident(self.process)
        wires = [self.wire() for _ in range(8)]
        for w in wires:
            w.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n" + b"x" * 20000000)
        self.assertEqual([w.answer().status for w in wires], [200] * 8)
        self.eventually(lambda: resident(self.process) < before + (24 << 20))

    def test_a_crowd_of_connections_leaves_no_memory_behind(self):
        if has_own_allocator(self.process):
            self.skipTest("a sanitizer has an allocator of its own")
        with Wire(self.port) as w:
            self.assertEqual(w.ask("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200)
        before = resident(self.process)
        wires = [Wire(self.port) for _ in range(800)]
        for w in wires:
            w.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n" + "x" * 100000)
        self.eventually(lambda: resident(self.process) > before + (100 << 20))
        for w in wires:
            w.socket.close()
        # The C library keeps up to 8 MiB at the end of a thread's memory (M_TRIM_THRESHOLD).
        self.eventually(lambda: resident(self.process) < before + (20 << 20))


class Compression(ServerCase):
    def test_large_texts_are_packed_for_those_who_ask(self):
        for accept in ("gzip", "deflate, gzip;q=0.5", "*", "br, GZIP", "gzip;q=1.0, identity; q=0.5, *;q=0"):
            a = self.get("/size/5000", "Accept-Encoding: " + accept)
            self.assertEqual((a.field("Content-Encoding"), a.field("Vary")), ("gzip", "Accept-Encoding"), accept)
            self.assertEqual(len(gzip.decompress(a.body)), 5000)
            self.assertLess(len(a.body), 5000)

    def test_others_get_them_as_they_are(self):
        for field in ("Accept: */*", "Accept-Encoding: br", "Accept-Encoding: gzip;q=0", "Accept-Encoding: gzip;q=0.000, *",
                      "Accept-Encoding:", "Accept-Encoding: gzipped"):
            a = self.get("/size/5000", field)
            self.assertEqual((a.field("Content-Encoding"), len(a.body), a.field("Vary")), (None, 5000, "Accept-Encoding"), field)

    def test_small_or_packed_things_are_left_alone(self):
        self.assertIsNone(self.get("/size/1000", "Accept-Encoding: gzip").field("Content-Encoding"))
        a = self.get("/size/5000?png", "Accept-Encoding: gzip")
        self.assertEqual((a.field("Content-Encoding"), a.field("Vary")), (None, None))

    def test_vary_stays_as_the_answer_has_it(self):
        a = self.get("/fields", "Accept-Encoding: gzip")
        self.assertEqual((a.field("Vary"), a.field("Content-Encoding")), ("X-Origin, Referer", "gzip"))

    def test_head_says_what_get_would(self):
        get = self.get("/size/5000", "Accept-Encoding: gzip")
        head = self.get("/size/5000", "Accept-Encoding: gzip", method="HEAD")
        self.assertEqual(head.field("Content-Length"), str(len(get.body)))


class CrossOrigin(ServerCase):
    def test_a_preflight_is_answered_for_any_origin(self):
        a = self.get("/calendar/v3/x", "Origin: https://app.example", "Access-Control-Request-Method: PATCH",
                     "Access-Control-Request-Headers: authorization,x-goog-api-client", method="OPTIONS")
        self.assertEqual((a.status, a.body), (204, b""))
        self.assertEqual(a.field("Access-Control-Allow-Origin"), "https://app.example")
        self.assertIn("PATCH", a.field("Access-Control-Allow-Methods"))
        self.assertEqual(a.field("Access-Control-Allow-Headers"), "authorization,x-goog-api-client")
        self.assertEqual(a.field("Access-Control-Max-Age"), "3600")
        self.assertIn("Origin", a.field("Vary"))

    def test_plain_options_says_what_is_allowed(self):
        for target in ("/x", "*"):
            a = self.get(target, method="OPTIONS")
            self.assertEqual(a.status, 204)
            self.assertIn("DELETE", a.field("Allow"))

    def test_answers_may_be_read_by_other_origins(self):
        a = self.get("/echo", "Origin: https://app.example")
        self.assertEqual(a.field("Access-Control-Allow-Origin"), "https://app.example")
        self.assertEqual(a.field("Access-Control-Expose-Headers"), "*")
        self.assertEqual(a.field("Vary"), "Origin")
        self.assertIsNone(self.get("/echo").field("Access-Control-Allow-Origin"))

    def test_methods_without_use_are_refused(self):
        for method in ("TRACE", "CONNECT"):
            a = self.get("/x", method=method)
            self.assertEqual((a.status, a.json()["error"]["reason"]), (405, "methodNotAllowed"))
            self.assertIn("GET", a.field("Allow"))


class BaseUrls(ServerCase):
    def base(self, *fields):
        return self.get("/echo", *fields).json()["base_url"]

    def test_the_base_url_follows_the_host(self):
        for host in ("localhost:%d" % self.port, "w1.localhost", "127.0.0.1:80", "127.8.9.10", "[::1]:8787", "www.googleapis.com",
                     "acme.slack.com"):
            self.assertEqual(self.base("Host: " + host), "http://" + host)
        self.assertEqual(self.base("Host: LocalHost.:1"), "http://localhost:1")

    def test_what_a_proxy_says_is_taken_if_it_makes_sense(self):
        self.assertEqual(self.base("Host: graph.microsoft.com", "X-Forwarded-Proto: https"), "https://graph.microsoft.com")
        self.assertEqual(self.base("Host: localhost", "X-Forwarded-Proto: HTTPS, http", "X-Forwarded-Host: sosia.example:444, b"),
                         "https://sosia.example:444")
        self.assertEqual(self.base("Host: localhost", "X-Forwarded-Proto: javascript"), "http://localhost")
        for bad in ("a b", "x/../y", 'x"y', "user@host", "", "h:99999", "h:", "-", "[::1", "[zz]", "a..b", "x" * 300):
            want = "http://-" if bad == "-" else "http://localhost"
            self.assertEqual(self.base("Host: localhost", "X-Forwarded-Host: " + bad), want, bad)

    def test_without_a_host_it_is_the_servers_own(self):
        self.assertEqual(self.ask("GET /echo HTTP/1.0\r\n\r\n").json()["base_url"], self.info["url"])


class Metrics(ServerCase):
    def test_requests_are_counted_once_each(self):
        for i in range(10):
            self.get("/echo", method="POST", body=b"12345")
        self.get("/status/404")
        m = json.loads(self.control("metrics").body)
        self.assertEqual((m["requests"], m["control_requests"], m["bytes_in"]), (11, 0, 50))
        self.assertEqual(m["status"], {"200": 10, "404": 1})
        self.assertEqual(sum(m["latency"]), 11)
        m = json.loads(self.control("metrics").body)
        self.assertEqual((m["requests"], m["control_requests"]), (12, 1))


class Nothing(ServerCase):
    options = {"no_backend": 1}

    def test_a_server_without_an_engine_has_nothing(self):
        self.assertEqual(self.get("/echo").status, 404)


class Logs(unittest.TestCase):
    def lines(self, **options):
        process, info = start(log_requests=1, **options)
        with Wire(info["port"]) as w:
            w.ask('GET /echo?a="b" HTTP/1.1\r\nHost: localhost\r\n\r\n')
            w.ask("POST /size/7 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi")
        return stop(process)[1].decode().splitlines()

    def test_requests_as_logfmt(self):
        one, two = self.lines()
        self.assertRegex(one, r'^time=\S+Z level=info event=request method=GET status=200 us=\d+ in=0 out=\d+ target="/echo\?a=\\"b\\""$')
        self.assertRegex(two, r"method=POST status=200 us=\d+ in=2 out=7 target=/size/7$")

    def test_requests_as_json(self):
        one, _ = map(json.loads, self.lines(log_json=1))
        self.assertEqual((one["event"], one["status"], one["target"]), ("request", 200, '/echo?a="b"'))

    def test_nothing_is_logged_unless_asked(self):
        process, info = start()
        with Wire(info["port"]) as w:
            w.ask("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(stop(process), (0, b""))


if __name__ == "__main__":
    unittest.main()
