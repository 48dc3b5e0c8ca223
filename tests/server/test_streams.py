# SPDX-License-Identifier: Apache-2.0
"""Answers that go on: what is sent when, clients that go or are slow, many at once, and the stop."""
import os
import unittest

from harness import ServerCase, Wire, start, stop

SANITIZED = "asan" in os.environ["SOSIA_TEST_SERVER"] or "sanit" in os.environ["SOSIA_TEST_SERVER"]


class Stream(Wire):
    """A client of /feed."""

    def __init__(self, port):
        super().__init__(port)
        self.send("GET /feed HTTP/1.1\r\nHost: localhost\r\n\r\n")
        a = self.answer()
        assert a.status == 200 and a.field("Transfer-Encoding") == "chunked", (a.status, a.fields)
        self.text = b""

    def chunk(self):
        """The next piece; b"" at the end."""
        n = int(self.until(b"\r\n"), 16)
        data = self.exactly(n)
        assert self.exactly(2) == b"\r\n"
        return data

    def upto(self, mark):
        while mark not in self.text:
            piece = self.chunk()
            assert piece, self.text
            self.text += piece
        at = self.text.index(mark) + len(mark)
        head, self.text = self.text[:at], self.text[at:]
        return head

    def to_the_end(self):
        while True:
            piece = self.chunk()
            if not piece:
                return self.text
            self.text += piece


class Streams(ServerCase):
    options = {"ping_ms": 1000, "threads": 2}

    def follow(self):
        s = Stream(self.port)
        self.addCleanup(s.socket.close)
        s.upto(b"hello\n")
        return s

    def put(self, text):
        return int(self.get("/feed", method="POST", body=text).body)

    def test_what_is_put_comes_at_once(self):
        s = self.follow()
        for i in range(20):
            self.put(b"line %d\n" % i)
            s.upto(b"line %d\n" % i)

    def test_long_texts_come_whole(self):
        s = self.follow()
        text = os.urandom(150000).hex().encode() + b"\n"
        self.put(text)
        self.assertIn(text, s.upto(text[-1000:]))

    def test_an_end_leaves_the_connection_for_more(self):
        s = self.follow()
        self.assertEqual(self.get("/feed", method="DELETE").status, 204)
        self.assertTrue(set(s.to_the_end()) <= set(b":\n"))
        s.send("GET /feed HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(s.answer().status, 200)
        s.upto(b"hello\n")

    def test_nothing_for_long_is_a_sign_of_life(self):
        s = self.follow()
        s.upto(b":\n\n")
        s.upto(b":\n\n")

    def test_a_client_that_goes_is_noticed(self):
        s = self.follow()
        n = self.put(b"x\n")
        s.socket.close()
        self.eventually(lambda: self.put(b"y\n") < n)

    def test_many_at_once(self):
        many = [self.follow() for _ in range(100 if SANITIZED else 300)]
        self.put(b"all of you\n")
        for s in many:
            s.upto(b"all of you\n")


class Slow(ServerCase):
    options = {"session_queue": 100000}

    def test_a_client_that_reads_nothing_loses_its_stream(self):
        s = Wire(self.port)
        self.addCleanup(s.socket.close)
        s.send("GET /feed HTTP/1.1\r\nHost: localhost\r\n\r\n")
        s.until(b"hello\n")
        text = b"x" * 60000
        for _ in range(400):
            self.get("/feed", method="POST", body=text)
        got = 0
        while s.more():  # what the sockets hold, and then the end
            got += len(s.got)
            s.got.clear()
        self.assertLess(got, 400 * len(text))


class Stop(unittest.TestCase):
    def test_streams_end_with_the_server(self):
        process, info = start(threads=2)
        many = []
        for _ in range(50):
            s = Stream(info["port"])
            s.upto(b"hello\n")
            many.append(s)
        code, err = stop(process)
        self.assertEqual((code, err), (0, b""))
        for s in many:
            self.assertEqual(s.to_the_end(), b"")
            s.socket.close()


if __name__ == "__main__":
    unittest.main()
