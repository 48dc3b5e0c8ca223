# SPDX-License-Identifier: Apache-2.0
"""Hostile clients: malformed heads, smuggling, sizes, and many connections. After each attack the server answers others as
before, and nothing of an attack reaches the backend."""
import random
import resource
import select
import socket
import unittest

from harness import PATIENCE, ServerCase, Wire, resident

HOST = b"Host: localhost\r\n"
# A second request that must not be served when the first one is refused.
TAIL = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Heads(ServerCase):
    options = {"threads": 2}

    def tearDown(self):
        self.assert_alive()

    def refused(self, data, *statuses):
        """The request gets one of these statuses (None: the connection closes without an answer), and that is the last
        thing that happens on its connection."""
        with Wire(self.port) as w:
            w.send(data + TAIL)
            try:
                status = w.answer().status
            except EOFError:
                status = None
            self.assertIn(status, statuses, data[:200])
            while w.more():
                pass
            self.assertNotIn(b"smuggled", w.got, data[:200])

    def test_broken_request_lines(self):
        for line in (b"GET", b"GET /x", b"GET  /x HTTP/1.1", b"GET /x  HTTP/1.1", b"GET /a b HTTP/1.1", b"GET /x HTTP/1.1 ",
                     b"GET x HTTP/1.1", b"GET * HTTP/1.1", b"GET ?x HTTP/1.1", b"GET /x#f HTTP/1.1", b"GET /x\x01y HTTP/1.1",
                     b"GET /x\x7fy HTTP/1.1", b"GET /x\ty HTTP/1.1", b"G@T /x HTTP/1.1", b"G\x01T /x HTTP/1.1", b"(GET) /x HTTP/1.1",
                     b" GET /x HTTP/1.1", b"GET http:// HTTP/1.1", b"GET http:///x HTTP/1.1", b"GET http://u:p@localhost/ HTTP/1.1",
                     b"GET ftp://localhost/ HTTP/1.1", b"GET /x HTTP/1.x", b"GET /x http/1.1", b"GET /x HTTP/11", b"GET /x HTTPS/1.1",
                     b"GET\t/x\tHTTP/1.1", b"GET /x \rHTTP/1.1"):
            self.refused(line + b"\r\n" + HOST + b"\r\n", 400, None)

    def test_versions_that_are_not_served(self):
        for version in (b"HTTP/2.0", b"HTTP/0.9", b"HTTP/3.1", b"HTTP/1.2", b"HTTP/1.9"):
            self.refused(b"GET /x " + version + b"\r\n" + HOST + b"\r\n", 505)
        self.refused(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505)

    def test_a_nul_anywhere_in_the_head(self):
        for data in (b"GET /x\0y HTTP/1.1\r\n" + HOST + b"\r\n", b"GET /\0 HTTP/1.1\r\n" + HOST + b"\r\n",
                     b"GE\0T /x HTTP/1.1\r\n" + HOST + b"\r\n", b"GET /x HTTP/1.1\0\r\n" + HOST + b"\r\n",
                     b"GET /x HTTP/1.1\r\n" + HOST + b"A: b\0c\r\n\r\n", b"GET /x HTTP/1.1\r\n" + HOST + b"A\0: b\r\n\r\n",
                     b"GET /x HTTP/1.1\r\n" + HOST + b"A: b\0\r\n\r\n", b"GET /x HTTP/1.1\r\n" + HOST + b"A:\0 b\r\n\r\n",
                     b"GET /x HTTP/1.1\r\nHost: localhost\0.evil.example\r\n\r\n",
                     # a line that starts with one ends the head for libmicrohttpd
                     b"POST /x HTTP/1.1\r\n" + HOST + b"\0Content-Length: 44\r\n\r\n",
                     b"POST /x HTTP/1.1\r\n" + HOST + b"\0\r\n\r\n"):
            self.refused(data, 400, None)

    def test_broken_fields(self):
        for field in (b"nocolon", b": novalue", b"A B: c", b"A\t: c", b"Content-Length : 0", b"Host : localhost", b"A(: b", b"A\x80: b",
                      b"A: b\rC: d", b"A: b\x01", b"A: b\x7f", b"A: b\r\n c", b"A: b\r\n\tContent-Length: 5", b"Transfer-Encoding:\r\n chunked",
                      b"A: b\r\n : c"):
            self.refused(b"POST /x HTTP/1.1\r\n" + HOST + field + b"\r\n\r\n", 400, 501)

    def test_lengths_that_disagree(self):
        for fields in (b"Content-Length: 0\r\nContent-Length: 0", b"Content-Length: 5\r\nContent-Length: 6", b"content-length: 0\r\nCONTENT-LENGTH: 44",
                       b"Content-Length: 0\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: chunked\r\nContent-Length: 44",
                       b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
                       b"Host: localhost"):
            self.refused(b"POST /x HTTP/1.1\r\n" + HOST + fields + b"\r\n\r\n", 400)

    def test_transfer_encodings_that_are_not_chunked(self):
        for value in (b"identity", b"gzip, chunked", b"chunked, chunked", b"xchunked", b"chunked;q=1", b"", b'"chunked"', b"chunked\x0b"):
            self.refused(b"POST /x HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: " + value + b"\r\n\r\n0\r\n\r\n", 400, 501)
        self.refused(b"POST /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400)

    def test_lines_that_end_with_a_bare_lf(self):
        good = b"POST /x HTTP/1.1\r\n" + HOST + b"A: b\r\nContent-Length: 0\r\n\r\n"
        at = -1
        while (at := good.find(b"\r\n", at + 1)) >= 0:
            self.refused(good[:at] + good[at + 1 :], 400)
        self.refused(good.replace(b"\r", b""), 400)
        self.refused(good.replace(b"\r\n", b"\r\r\n"), 400)
        self.refused(b"GET /x HTTP/1.1\n" + HOST + b"\n", 400)

    def test_whitespace_behind_a_transfer_encoding(self):
        for value in (b"chunked ", b"chunked\t", b"  chunked  "):
            self.refused(b"POST /x HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: " + value + b"\r\n\r\n0\r\n\r\n", 400)
            self.refused(b"POST /x HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: " + value + b"\r\n\r\n", 400)

    def test_what_follows_a_chunked_body(self):
        """libmicrohttpd reads chunks more leniently than others may: what comes behind them is not executed."""
        executed = self.metric("requests")
        bodies = (b"0\r\n\r\n", b"5\r\nhello\r\n0\r\n\r\n", b"5\nhello\r\n0\r\n\r\n", b"5\r\nhello\n0\r\n\r\n", b"5\r\nhello\r\n0\n\r\n",
                  b"5\r\nhello\r\n0\r\n\n", b"5\r\nhello\r\n0\r\nA: b\n\r\n", b"5;a\nhello\r\n0\r\n\r\n", b"5;a\n\r\nello\r\n0\r\n\r\n",
                  b"5;\n1\r\nx\r\n0\r\n\r\n", b"5;a=\"\r\n\"\r\nhello\r\n0\r\n\r\n", b"5;" + b"a" * 15000 + b"\r\nhello\r\n0\r\n\r\n",
                  b"5;" + b"a" * 25000 + b"\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\n0;" + b"a" * 25000 + b"\r\n\r\n",
                  b"5\r\nhello\r\n0\r\nA: " + b"a" * 25000 + b"\r\n\r\n", b"5 \r\nhello\r\n0\r\n\r\n")
        for body in bodies:
            self.refused(b"POST /x HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n" + body, 200, 400, 413, 431, 500, None)
        self.assertLessEqual(self.metric("requests"), executed + len(bodies) + 1)

    def test_lengths_that_are_no_numbers(self):
        for value in (b"abc", b"-1", b"+5", b"5x", b"0x5", b"5,5", b"5 5", b"1e2", b"", b"5.0"):
            self.refused(b"POST /x HTTP/1.1\r\n" + HOST + b"Content-Length: " + value + b"\r\n\r\n", 400)
        for value in (b"99999999999999999999999999", b"18446744073709551615", b"9223372036854775808"):
            self.refused(b"POST /x HTTP/1.1\r\n" + HOST + b"Content-Length: " + value + b"\r\n\r\n", 413)

    def test_bad_chunks(self):
        for body in (b"zz\r\nhello\r\n0\r\n\r\n", b"-1\r\nx\r\n", b"0x5\r\nhello\r\n0\r\n\r\n", b"+5\r\nhello\r\n0\r\n\r\n", b"\r\nhello\r\n",
                     b" 5\r\nhello\r\n0\r\n\r\n", b"5\r\nhelloX\r\n0\r\n\r\n", b"5\r\nhello0\r\n\r\n", b";a\r\nhello\r\n", b"5g\r\nhello\r\n",
                     b"FFFFFFFFFFFFFFFFF\r\nx", b"10000000000000000\r\nx"):
            self.refused(b"POST /x HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n" + body, 400, 413)
        w = self.wire()  # a size that is only too large: what follows is its chunk until there is too much of it
        w.send(b"POST /x HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n")
        with self.assertRaises(OSError):
            for _ in range(100000):
                w.send(b"x" * 65536)

    def test_hosts(self):
        for value in (b"", b"a b", b"localhost:x", b"localhost:99999", b"localhost:80:80", b"[::1", b"[::g]", b"localhost/x", b"user@localhost",
                      b"..", b".localhost", b"a..localhost", b"\xff", b"l" * 300):
            self.refused(b"GET /x HTTP/1.1\r\nHost: " + value + b"\r\n\r\n", 400)
        self.refused(b"GET /x HTTP/1.1\r\n\r\n", 400)
        for value in (b"evil.example", b"localhost.evil.example", b"localhostx", b"127.0.0.1.evil.example", b"128.0.0.1", b"10.0.0.1", b"0.0.0.0",
                      b"[::2]", b"[::ffff:10.0.0.1]", b"google.com", b"xslack.com", b"127.1", b"2130706433", b"googleapis.com"):
            self.refused(b"GET /x HTTP/1.1\r\nHost: " + value + b"\r\n\r\n", 421)
        for value in (b"localhost", b"LOCALHOST:80", b"localhost.", b"w.localhost", b"127.0.0.1", b"127.200.1.9:1", b"[::1]:80", b"slack.com",
                      b"acme.slack.com", b"www.googleapis.com", b"people.googleapis.com:443", b"graph.microsoft.com"):
            self.assertEqual(self.ask(b"GET /x HTTP/1.1\r\nHost: " + value + b"\r\n\r\n").status, 200, value)

    def test_sizes(self):
        self.refused(b"GET /" + b"a" * 40000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414, 431)
        self.refused(b"GET /" + b"a" * 1000000, 414)
        self.refused(b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"a" * 40000 + b"\r\n\r\n", 431)
        self.refused(b"GET / HTTP/1.1\r\n" + HOST + b"X" * 1000000, 431)
        self.refused(b"GET / HTTP/1.1\r\n" + HOST + b"".join(b"A%d: b\r\n" % i for i in range(250)) + b"\r\n", 431)
        self.refused(b"GET / HTTP/1.1\r\n" + HOST + b"A:\r\n" * 20000 + b"\r\n", 431, None)
        self.assertEqual(self.ask(b"GET /?" + b"a&" * 6000 + b" HTTP/1.1\r\n" + HOST + b"\r\n").status, 200)
        self.refused(b"GET / HTTP/1.1\r\n" + HOST + b"Cookie: " + b"a;" * 12000 + b"\r\n\r\n", 431, None)
        self.refused(b"X" * 1000000 + b" / HTTP/1.1\r\n" + HOST + b"\r\n", 414)

    def test_a_refusal_reaches_a_client_that_still_sends(self):
        for head in (b"GET / HTTP/1.1\r\n" + HOST + b"X" * 60000, b"GET / HTTP/1.1 \r\n" + HOST):
            with Wire(self.port) as w:
                w.send(head)
                self.assertTrue(select.select([w.socket], [], [], PATIENCE)[0])
                for _ in range(20):
                    w.send(b"X" * 100000)
                self.assertIn(w.answer().status, (400, 431))
                self.assertFalse(w.more())

    def test_a_client_that_never_ends_is_read_for_a_while_only(self):
        with Wire(self.port) as w:
            w.send(b"GET / HTTP/1.1\r\n" + HOST + b"X" * 60000)
            with self.assertRaises(OSError):
                for _ in range(1000):
                    w.send(b"X" * 1000000)

    def throw(self, requests):
        """Sends each on a connection of its own, half-closes, reads to the end; gives what came back."""
        answers = []
        for i in range(0, len(requests), 250):
            wires = [self.wire() for _ in requests[i : i + 250]]
            for w, data in zip(wires, requests[i : i + 250]):
                w.send(data)
                w.half_close()
            for w in wires:
                while w.more():
                    pass
                answers.append(w.got)
                w.socket.close()
        return answers

    def test_random_bytes(self):
        rng = random.Random(7)
        self.throw([bytes(rng.randrange(256) for _ in range(rng.randrange(1, 400))) + b"\r\n\r\n" for _ in range(500)])

    def test_mutated_requests(self):
        rng = random.Random(11)
        good = b"POST /echo?a=%41 HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\nAccept-Encoding: gzip\r\nX-Forwarded-Host: a.example\r\n\r\nhello"

        def mutate(data):
            for _ in range(rng.randrange(1, 4)):
                at = rng.randrange(len(data))
                kind = rng.randrange(4)
                if kind == 0:
                    data[at] = rng.randrange(256)
                elif kind == 1:
                    del data[at : at + rng.randrange(1, 9)]
                elif kind == 2:
                    data[at:at] = bytes(data[at : at + rng.randrange(1, 30)])
                else:
                    data[at:at] = rng.choice([b"\0", b"\r\n", b"\n", b" ", b":", b"\r", b"%00", b"\xff", b","])
            return bytes(data)

        self.throw([mutate(bytearray(good)) for _ in range(3000)])

    def test_truncated_requests(self):
        good = b"POST /echo HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        for answer in self.throw([good[:n] for n in range(len(good))]):
            self.assertNotIn(b" 200 ", answer)
        self.assertIn(b" 200 ", self.throw([good])[0])

    def test_clients_that_vanish(self):
        for path in (b"/echo", b"/later/0", b"/later/20", b"/size/3000000"):
            for n in range(40):
                s = socket.create_connection(("127.0.0.1", self.port))
                s.sendall(b"GET " + path + b" HTTP/1.1\r\n" + HOST + b"\r\n")
                if n % 2:  # a reset instead of an orderly end
                    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                s.close()
        self.eventually(lambda: self.metric("open_connections") == 1)

    def test_refused_heads_leave_the_budget_of_bodies_alone(self):
        """Nor do they count as bytes that were received. Connections are new, so that each has memory of its own."""
        held = [self.wire() for _ in range(50)]
        for w in held:
            w.send(b"GET /x HTTP/1.1\r\nHost: evil.example\r\n\r\n")
            self.assertEqual(w.answer().status, 421)
        self.refused(b"GET /x HTTP/1.1\r\n" + HOST + b"A B: c\r\n\r\n", 400)
        for data in (b"GET /x HTTP/1.1\r\n", b"GET /x HTTP/1.1\r\nHost: loc", b"POST /x HTTP/1.1\r\n" + HOST + b"Content-Length: 9\r\n"):
            for _ in range(10):
                w = self.wire()
                w.send(data)
                w.half_close()
                self.assertTrue(w.is_closed())
        self.eventually(lambda: self.metric("body_bytes") == 0)
        before = self.metric("bytes_in")
        w = self.wire()  # a head that is refused behind a body
        w.send(b"POST /echo HTTP/1.1\r\n" + HOST + b"Content-Length: 70000\r\n\r\n" + b"x" * 70000 + b"GET /x HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        self.assertEqual([w.answer().status, w.answer().status], [200, 421])
        self.assertEqual(self.metric("bytes_in") - before, 70000)
        for _ in range(3):
            self.assertEqual(self.get("/echo", method="POST", body=b"x" * 200000).json()["length"], 200000)
        self.eventually(lambda: self.metric("body_bytes") == 0)

    def test_memory_does_not_grow_with_attacks(self):
        def attack():
            for _ in range(150):
                self.refused(b"POST /x HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", 400)
                self.ask(b"POST /x HTTP/1.1\r\n" + HOST + b"Content-Length: 300000\r\n\r\n" + b"x" * 300000)

        attack()
        before = resident(self.process)
        for _ in range(4):
            attack()
        self.assertLess(resident(self.process) - before, 16 << 20)


class ManyConnections(ServerCase):
    WANTED = 10000
    options = {"threads": 2}

    @classmethod
    def setUpClass(cls):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        super().setUpClass()
        # both ends take a descriptor of their own process; the server keeps some for itself
        cls.n = min(cls.WANTED, hard - 300)
        if cls.n < cls.WANTED:
            print("this machine allows %d connections instead of %d" % (cls.n, cls.WANTED))

    def test_ten_thousand_connections_are_served_side_by_side(self):
        wires = []
        for i in range(self.n):
            wires.append(Wire(self.port))
            wires[-1].send(b"GET /echo?%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % i)
        for i, w in enumerate(wires):
            self.assertEqual(w.answer().json()["target"], "/echo?%d" % i)
        self.assertGreaterEqual(self.metric("open_connections"), self.n)
        for i in range(0, self.n, 97):
            self.assertEqual(wires[i].ask(b"GET /later/0 HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200)
        for w in wires:
            w.socket.close()
        self.eventually(lambda: self.metric("open_connections") == 1)


class FewConnections(ServerCase):
    options = {"threads": 2, "max_connections": 20}

    def test_connections_beyond_the_limit_wait_for_their_turn(self):
        wires = [Wire(self.port) for _ in range(60)]
        for w in wires:
            w.send(b"GET /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        for w in wires:
            self.assertEqual(w.answer().status, 200)
            w.socket.close()
        self.assert_alive()


if __name__ == "__main__":
    unittest.main()
