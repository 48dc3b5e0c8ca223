# SPDX-License-Identifier: Apache-2.0
"""HTTPS with certificates of a local authority, verified as clients verify them."""
import os
import shutil
import socket
import ssl
import stat
import subprocess
import tempfile
import threading
import unittest
import warnings

from harness import PATIENCE, ServerCase, Wire, start, stop

MAKE_CA = os.environ["SOSIA_TEST_MAKE_CA"]
GET = "GET /echo HTTP/1.1\r\nHost: %s\r\n\r\n"


def make_ca(*names):
    where = tempfile.mkdtemp()
    done = subprocess.run([MAKE_CA, where] + list(names), capture_output=True, text=True)
    return where, done


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

    def test_http_beside_it(self):
        self.assert_alive()


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
