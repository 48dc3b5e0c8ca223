# SPDX-License-Identifier: Apache-2.0
"""Slow clients are cut off by deadlines, which are short here, and never hold up others."""
import contextlib
import socket
import time
import unittest

from harness import ServerCase


class Patient(ServerCase):
    def ask(self, request, head=False):
        """On a busy machine a question of the test's own may be late."""
        for _ in range(100):
            try:
                return super().ask(request, head)
            except (EOFError, OSError):
                pass
        self.fail("no answer")


class Deadlines(Patient):
    options = {"idle_ms": 300, "request_ms": 300, "answer_ms": 600, "threads": 1}

    def timeouts(self):
        return self.metric("timeouts")

    def drip(self, w, data):
        """Sends byte by byte until the server closes; the bytes never end."""
        try:
            for i in range(100000):
                w.send(data[i % len(data) : i % len(data) + 1])
                w.socket.settimeout(0.02)
                try:
                    if not w.socket.recv(1):
                        return
                except socket.timeout:
                    pass
        except OSError:
            return
        self.fail("the connection was never cut")

    def test_a_request_line_that_never_ends(self):
        before = self.timeouts()
        w = self.wire()
        w.send("GET /")
        self.drip(w, b"abcdefgh")
        self.assertGreater(self.timeouts(), before)

    def test_fields_that_never_end(self):
        before = self.timeouts()
        w = self.wire()
        w.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n")
        self.drip(w, b"X: y\r\n")
        self.assertGreater(self.timeouts(), before)

    def test_a_body_that_never_ends(self):
        for field, data in (("Content-Length: 1000000", b"x"), ("Transfer-Encoding: chunked", b"1\r\nx\r\n")):
            before = self.timeouts()
            w = self.wire()
            w.send("POST /echo HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n" % field)
            self.drip(w, data)
            self.assertGreater(self.timeouts(), before)

    def answered(self, more=""):
        """A connection whose first request was answered. One that was cut before it came is none."""
        for _ in range(100):
            w = self.wire()
            try:
                w.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n" + more)
                self.assertEqual(w.answer().status, 200)
                return w
            except (EOFError, OSError):
                w.socket.close()
        self.fail("no answer")

    def test_a_second_request_that_never_ends(self):
        self.drip(self.answered("GE"), b"T")

    def test_an_answer_that_is_read_too_slowly(self):
        before = self.timeouts()
        w = self.wire()
        w.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        w.send("GET /size/50000000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while self.timeouts() == before:
            with contextlib.suppress(OSError):  # it has just been cut
                w.socket.recv(2000)
            time.sleep(0.02)

    def test_a_connection_that_says_nothing(self):
        w = self.wire()
        self.assertTrue(w.is_closed())
        self.assertTrue(self.answered().is_closed())

    def test_the_servers_own_time_does_not_count(self):
        a = self.get("/later/1500")
        self.assertEqual(a.status, 200)
        a = self.control("slow?ms=1500")
        self.assertEqual(a.status, 200)

    def test_others_are_served_meanwhile(self):
        slow = [self.wire() for _ in range(300)]
        for i, w in enumerate(slow):
            with contextlib.suppress(OSError):  # this process was late, and it has been cut
                w.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n" if i % 2 else "GET /")
        for _ in range(200):
            self.assert_alive()
        for w in slow:
            self.assertTrue(w.is_closed())

    def test_clients_that_only_close_their_side_are_not_waited_for(self):
        for data in (b"", b"GET /ec", b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc"):
            w = self.wire()
            with contextlib.suppress(OSError):  # this process was late, and it has been cut
                w.send(data)
                w.half_close()
            self.assertTrue(w.is_closed())


class Readers(Patient):
    options = {"idle_ms": 300, "answer_ms": 3600000, "threads": 1}

    def answered(self, path):
        """A connection on which an answer has begun, of which nothing is read. One that was cut before its request
        came, since this process was not there, is no answer that nobody reads."""
        for _ in range(100):
            w = self.wire()
            w.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            try:
                w.send("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path)
                if w.socket.recv(1, socket.MSG_PEEK):
                    return w
            except OSError:
                pass
            w.socket.close()
        self.fail("no answer")

    def test_an_answer_that_nobody_reads(self):
        for path in ("/size/50000000", "/later/400?" + "x" * 400):
            self.answered(path)
            # the server has let go of it, though the client has not; what is left is the question's own
            self.eventually(lambda: self.metric("open_connections") == 1)


if __name__ == "__main__":
    unittest.main()
