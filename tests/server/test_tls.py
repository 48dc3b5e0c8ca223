# SPDX-License-Identifier: Apache-2.0
"""HTTPS with certificates of a local authority, verified as clients verify them."""
import contextlib
import os
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import tempfile
import threading
import time
import unittest
import warnings

from harness import PATIENCE, ServerCase, Wire, cpu, start, stop

MAKE_CA = os.environ["SOSIA_TEST_MAKE_CA"]
GET = "GET /echo HTTP/1.1\r\nHost: %s\r\n\r\n"


def make_ca(*names):
    where = tempfile.mkdtemp()
    done = subprocess.run([MAKE_CA, where] + list(names), capture_output=True, text=True)
    return where, done


class Handshake:
    """A client's side of a handshake, of which the test decides when it sends what."""

    def __init__(self, port, context):
        self.wire = Wire(port)
        self.wire.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        self.unsent = b""
        self.advance()

    def advance(self):
        """Whether it is over, as far as the client is concerned."""
        try:
            self.tls.do_handshake()
            over = True
        except ssl.SSLWantReadError:
            over = False
        self.unsent += self.outgoing.read()
        return over

    def send(self, n):
        """So many bytes of what is to be sent."""
        self.wire.send(self.unsent[:n])
        self.unsent = self.unsent[n:]

    def receive(self):
        data = self.wire.socket.recv(65536)
        if not data:
            raise EOFError
        self.incoming.write(data)

    def finish(self, step):
        """Sends the rest, so many bytes at a time."""
        while True:
            while self.unsent:
                self.send(step)
            if self.advance():
                break
            if not self.unsent:
                self.receive()

    def write(self, data):
        self.tls.write(data.encode())
        self.unsent += self.outgoing.read()
        self.send(len(self.unsent))

    def read(self, n):
        while True:
            try:
                return self.tls.read(n)
            except ssl.SSLWantReadError:
                self.receive()

    def read_all(self):
        got = bytearray()
        with contextlib.suppress(EOFError, OSError):  # the server closes without a word of TLS
            while more := self.read(65536):
                got += more
        return got

    def complete(self):
        """Sends the rest, byte by byte, and asks."""
        self.finish(1)
        self.write(GET % "localhost")
        return self.read(12)


class SecureCase(ServerCase):
    times = {}

    @classmethod
    def setUpClass(cls):
        cls.dir, done = make_ca()
        assert done.returncode == 0, done.stderr
        cls.options = {"https_port": 0, "ca_dir": cls.dir, "threads": 2, **cls.times}
        super().setUpClass()
        cls.https_port = cls.info["https_port"]
        cls.context = ssl.create_default_context(cafile=cls.dir + "/ca.crt")

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.dir)

    def secure(self, name, context=None):
        w = Wire(self.https_port, wrap=lambda s: (context or self.context).wrap_socket(s, server_hostname=name))
        self.addCleanup(w.socket.close)
        return w


class Tls(SecureCase):
    def test_the_usual_names_are_verified_by_clients(self):
        for name in ("localhost", "127.0.0.1", "www.googleapis.com", "oauth2.googleapis.com", "people.googleapis.com", "accounts.google.com", "mail-settings.google.com",
                     "gmail.googleapis.com", "slack.com", "files.slack.com", "acme.slack.com", "graph.microsoft.com", "login.microsoftonline.com"):
            a = self.secure(name).ask(GET % name)
            self.assertEqual((a.status, a.json()["base_url"]), (200, "https://" + name))

    def test_worlds_have_names_of_their_own(self):
        for name in ("0123456789abcdef.localhost", "a.b.localhost", "x.enterprise.slack.com"):
            for _ in range(2):
                w = self.secure(name)
                self.assertEqual(w.ask(GET % name).status, 200)
                self.assertIn(("DNS", name), w.socket.getpeercert()["subjectAltName"])

    def test_other_names_get_a_certificate_that_does_not_fit(self):
        for name in ("evil.example", "google.com", "localhost.evil.example", "10.0.0.1"):
            with self.assertRaises(ssl.SSLCertVerificationError):
                self.secure(name)

    def test_a_stranger_does_not_trust_it(self):
        with self.assertRaises(ssl.SSLCertVerificationError):
            self.secure("localhost", ssl.create_default_context())

    def test_old_versions_of_tls_are_not_spoken(self):
        context = ssl.create_default_context(cafile=self.dir + "/ca.crt")
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_2
        self.assertEqual(self.secure("localhost", context).ask(GET % "localhost").status, 200)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(self.dir + "/ca.crt")
        context.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        with self.assertRaises(OSError):
            self.secure("localhost", context)

    def test_keep_alive_pipelining_and_bodies(self):
        w = self.secure("localhost")
        for i in range(50):
            self.assertEqual(w.ask(GET % "localhost").status, 200)
        body = b"z" * 300000
        w.send(b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 300000\r\n\r\n" + body)
        self.assertEqual(w.answer().json()["length"], 300000)
        w.send(b"GET /size/3000000 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /later/10 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(len(w.answer().body), 3000000)
        self.assertEqual(w.answer().status, 200)

    def test_half_closed_clients_get_all_their_answers(self):
        for path in ("/echo", "/later/0", "/later/10", "/size/100000"):
            for n, each in ((20, 1), (1, 100)):
                clients = [Handshake(self.https_port, self.context) for _ in range(n)]
                for h in clients:
                    self.addCleanup(h.wire.socket.close)
                    h.finish(10000)
                for h in clients:
                    h.write("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path * each)
                    h.wire.half_close()
                self.assertEqual([h.read_all().count(b"HTTP/1.1 200") for h in clients], [each] * n, path)

    def test_many_at_once(self):
        failures = []

        def client(n):
            try:
                for i in range(5):
                    w = self.secure("w%d.localhost" % (n * 5 + i))
                    if w.ask(GET % "localhost").status != 200:
                        failures.append(n)
                    w.socket.close()
            except Exception as e:
                failures.append(e)

        threads = [threading.Thread(target=client, args=(n,)) for n in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failures, [])

    def test_a_first_request_is_not_kept_back_by_its_clients_system(self):
        """A socket with Nagle's algorithm waits for an acknowledgement, which comes late (40 ms) unless it is sent at once."""
        took = []
        while not took or (took[-1] > 0.025 and len(took) < 100):
            w = self.secure("localhost")
            since = time.monotonic()
            self.assertEqual(w.ask(GET % "localhost").status, 200)
            took.append(time.monotonic() - since)
        self.assertLess(took[-1], 0.025, took)

    def test_http_beside_it(self):
        self.assert_alive()


class Waiting(SecureCase):
    times = {"idle_ms": 3600000}

    def begun(self, port, version=ssl.TLSVersion.TLSv1_3):
        """Handshakes that stop at different places; the last one has the server's answer to its first message."""
        context = ssl.create_default_context(cafile=self.dir + "/ca.crt")
        context.minimum_version = context.maximum_version = version
        all_of_them = []
        for n in (0, 1, 3, 5, 100, 100000):
            h = Handshake(port, context)
            self.addCleanup(h.wire.socket.close)
            h.send(n)
            all_of_them.append(h)
        all_of_them[-1].receive()
        return all_of_them

    def test_handshakes_that_wait_take_no_processor_time(self):
        waiting = [h for v in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3) for h in self.begun(self.https_port, v)]
        self.assertEqual(self.secure("localhost").ask(GET % "localhost").status, 200)
        since, before = time.monotonic(), cpu(self.process)
        time.sleep(2)
        self.assertLess(cpu(self.process) - before, (time.monotonic() - since) / 4)
        for i, h in enumerate(waiting):
            self.assertEqual(self.secure("localhost").ask(GET % "localhost").status, 200)
            self.assertEqual((i, h.complete()), (i, b"HTTP/1.1 200"))

    def test_many_that_are_silent_leave_room_for_others(self):
        process, info = start(https_port=0, ca_dir=self.dir, threads=2, idle_ms=3600000, max_connections=800)
        silent = [Wire(info["https_port"]) for _ in range(280)]  # HTTPS has 300 connections
        for _ in range(10):
            with Wire(info["https_port"], wrap=lambda s: self.context.wrap_socket(s, server_hostname="localhost")) as w:
                self.assertEqual(w.ask(GET % "localhost").status, 200)
        for w in silent:
            w.socket.close()
        self.assertEqual(stop(process), (0, b""))

    def test_a_stop_does_not_wait_for_them(self):
        process, info = start(https_port=0, ca_dir=self.dir, threads=2, idle_ms=3600000, stop_ms=3600000)
        waiting = self.begun(info["https_port"])
        code, err = stop(process)
        self.assertEqual((code, err), (0, b""))
        for h in waiting:
            self.assertRaises((EOFError, OSError, ssl.SSLError), h.complete)

    def test_requests_that_arrive_just_before_a_stop_are_answered(self):
        for _ in range(10):
            process, info = start(https_port=0, ca_dir=self.dir, threads=2)
            wires = [Wire(info["https_port"], wrap=lambda s: self.context.wrap_socket(s, server_hostname="localhost")) for _ in range(8)]
            for w in wires:
                w.send(GET % "localhost")
            process.send_signal(signal.SIGTERM)
            self.assertEqual([w.answer().status for w in wires], [200] * 8)
            for w in wires:
                w.socket.close()
            self.assertEqual(stop(process, None), (0, b""))

    def test_stops_in_the_midst_of_handshakes(self):
        for i in range(12):
            process, info = start(https_port=0, ca_dir=self.dir, threads=2, idle_ms=3600000, stop_ms=1 + i % 5)
            answered = threading.Event()

            def client():
                try:
                    while True:
                        h = Handshake(info["https_port"], self.context)
                        with h.wire:
                            h.send(i)
                            h.complete()
                        answered.set()
                except (OSError, EOFError, ssl.SSLError):
                    pass

            threads = [threading.Thread(target=client) for _ in range(8)]
            for t in threads:
                t.start()
            self.assertTrue(answered.wait(PATIENCE))
            code, err = stop(process)
            for t in threads:
                t.join()
            self.assertEqual((code, err), (0, b""))


class Deadlines(SecureCase):
    times = {"idle_ms": 2000}

    def test_those_who_speak_something_else_are_turned_away(self):
        for data in (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\x16\x03\x01\xff\xff" + b"x" * 70000, b"\0" * 100, b"\x16\x03\x01"):
            with Wire(self.https_port) as w:
                try:
                    w.send(data)
                    while w.more():
                        pass
                except OSError:
                    pass
        self.assertEqual(self.secure("localhost").ask(GET % "localhost").status, 200)

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))

    def test_a_handshake_that_never_ends_gives_its_descriptor_back(self):
        for first in (b"", b"\x16", b"\x16\x03\x01\x02\x00", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"):
            self.eventually(lambda: self.metric("open_connections") == 1)
            before, timeouts = self.descriptors(), self.metric("timeouts")
            wires = [Wire(self.https_port) for _ in range(50)]
            for w in wires:
                w.send(first)
            self.eventually(lambda: self.metric("timeouts") >= timeouts + 50)
            for w in wires:
                self.assertTrue(w.is_closed())
                w.socket.close()
            self.eventually(lambda: self.descriptors() <= before)
        self.assertEqual(self.secure("localhost").ask(GET % "localhost").status, 200)


class Files(unittest.TestCase):
    def test_a_certificate_from_files(self):
        where, done = make_ca("localhost", "127.0.0.1")
        self.addCleanup(shutil.rmtree, where)
        self.assertEqual(done.returncode, 0, done.stderr)
        process, info = start(https_port=0, tls_cert=where + "/leaf.crt", tls_key=where + "/leaf.key")
        context = ssl.create_default_context(cafile=where + "/ca.crt")
        with Wire(info["https_port"], wrap=lambda s: context.wrap_socket(s, server_hostname="localhost")) as w:
            self.assertEqual(w.ask(GET % "localhost").status, 200)
        self.assertEqual(stop(process)[0], 0)

    def test_keys_are_for_their_owner_alone_and_nothing_is_overwritten(self):
        where, done = make_ca()
        self.addCleanup(shutil.rmtree, where)
        self.assertEqual(stat.S_IMODE(os.stat(where + "/ca.key").st_mode), 0o600)
        with open(where + "/ca.key") as f:
            before = f.read()
        again = subprocess.run([MAKE_CA, where], capture_output=True, text=True)
        self.assertEqual(again.returncode, 1)
        self.assertIn("exists", again.stderr)
        with open(where + "/ca.key") as f:
            self.assertEqual(f.read(), before)

    def test_the_authority_does_not_sign_for_others(self):
        for name in ("evil.example", "google.com", "10.0.0.1", "*.example.org", "notlocalhost"):
            where, done = make_ca(name)
            self.addCleanup(shutil.rmtree, where)
            self.assertEqual(done.returncode, 1, name)
            self.assertIn("does not sign for " + name, done.stderr)

    def test_what_is_missing_is_said(self):
        for reason, options in (("noCertificate", {}), ("noAuthority", {"ca_dir": "/nowhere"}), ("tls", {"tls_cert": "/nowhere", "tls_key": "/nowhere"})):
            process, info = start(https_port=0, **options)
            stop(process)
            self.assertEqual(info["reason"], reason)


if __name__ == "__main__":
    unittest.main()
