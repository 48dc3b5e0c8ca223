# SPDX-License-Identifier: Apache-2.0
"""The control interface is a principal of its own, and where a server may listen."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import unittest
import unittest.mock
import urllib.request

from harness import ServerCase, Wire, has_own_allocator, resident, start, stop


class Control(ServerCase):
    options = {"key": "the-key-of-tests"}

    def bearer(self, text):
        return self.get("/_sosia/v1/thing", "Authorization: " + text)

    def test_the_control_key_opens_it(self):
        a = self.control("thing?x=1%202&y", method="POST", body=b"abc")
        self.assertEqual(a.status, 200)
        self.assertEqual(a.json(), {"path": "/_sosia/v1/thing", "query": "x=1%202&y", "x": "1 2", "length": 3, "on_worker": False})
        self.assertEqual(a.field("X-Control"), "yes")
        self.assertEqual(a.field("Content-Type"), "application/json; charset=UTF-8")
        self.assertEqual(self.bearer("bearer  the-key-of-tests").status, 200)

    def test_nothing_else_does(self):
        for text in ("Bearer", "Bearer ", "Bearer the-ke", "Bearer the-key-of-tests2", "Bearer THE-KEY-OF-TESTS", "Basic the-key-of-tests", "the-key-of-tests", "Bearer the-kez"):
            a = self.bearer(text)
            self.assertEqual((a.status, a.json()["error"]["reason"], a.field("WWW-Authenticate")), (401, "unauthenticated", "Bearer"), text)
        self.assertEqual(self.get("/_sosia/v1/thing").status, 401)
        self.assertEqual(self.get("/_sosia/").status, 401)
        self.assertEqual(self.get("/_sosia/v1/thing", "Authorization: Bearer x", "Authorization: Bearer the-key-of-tests").status, 400)

    def test_an_actors_token_is_forbidden(self):
        a = self.bearer("Bearer sosia_abcdef")
        self.assertEqual((a.status, a.json()["error"]["reason"]), (403, "forbidden"))

    def test_health_and_the_description_are_public(self):
        for path in ("health", "openapi.json"):
            self.assertEqual(self.get("/_sosia/v1/" + path).status, 200)
        for path in ("health/", "healthx", "health%2f", "openapi"):
            self.assertEqual(self.get("/_sosia/v1/" + path).status, 401)

    def test_other_ways_of_writing_the_path_lead_elsewhere(self):
        for target in ("/%5fsosia/v1/thing", "//_sosia/v1/thing", "/./_sosia/v1/thing", "/_SOSIA/v1/thing", "/w/x/_sosia/v1/thing", "/_sosia"):
            self.assertEqual(self.get(target).json()["target"], target)
        self.assertEqual(self.get("http://localhost/_sosia/v1/thing").status, 401)

    def test_what_is_said_of_forwarding_makes_no_origin_the_servers_own(self):
        evil, host = "Origin: http://evil.example", "X-Forwarded-Host: evil.example"
        self.assertEqual(self.control("thing", evil, host).status, 403)
        self.assertEqual(self.control("thing", "Origin: https://evil.example", host, "X-Forwarded-Proto: https").status, 403)
        self.assertEqual(self.control("thing", "Origin: http://localhost:1", host).status, 200)

    def test_pages_of_other_origins_may_not_use_it(self):
        good = ["http://localhost:5173", "http://127.0.0.1", "https://w.localhost", "http://[::1]:80"]
        bad = ["http://evil.example", "null", "https://localhost.evil.example", "http://localhost@evil.example", "file://", "http://www.googleapis.com"]
        for origin in good + bad:
            a = self.control("thing", "Origin: " + origin)
            self.assertEqual(a.status, 200 if origin in good else 403, origin)
            self.assertEqual(a.field("Access-Control-Allow-Origin"), origin if origin in good else None)
            a = self.get("/_sosia/v1/thing", "Origin: " + origin, "Access-Control-Request-Method: POST", method="OPTIONS")
            self.assertEqual(a.status, 204 if origin in good else 403)

    def test_slow_work_goes_to_a_worker(self):
        with Wire(self.port) as slow:
            slow.send("GET /_sosia/v1/slow?ms=200 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer the-key-of-tests\r\n\r\n")
            for _ in range(20):
                self.assert_alive()
            self.assertIs(slow.answer().json()["on_worker"], True)

    def test_failures_are_json(self):
        a = self.control("fail")
        self.assertEqual((a.status, a.json()["error"]["reason"]), (500, "internal"))
        a = self.control("missing")
        self.assertEqual(a.json(), {"error": {"code": 404, "reason": "notFound", "message": 'no such thing here: ?"'}})

    def test_an_empty_answer(self):
        a = self.control("empty")
        self.assertEqual((a.status, a.body, a.field("Content-Type")), (200, b"", None))

    def test_there_is_no_hello_unless_asked_for(self):
        self.assertEqual(self.get("/_sosia/hello").status, 401)


class Hello(ServerCase):
    options = {"hello": 1}

    def test_hello_needs_no_key_and_has_the_size_asked_for(self):
        a = self.get("/_sosia/hello")
        self.assertEqual((a.status, len(a.body)), (200, 512))
        self.assertEqual(json.loads(a.body), {"hello": "sosia"})
        self.assertEqual(len(self.get("/_sosia/hello?size=100000").body), 100000)
        self.assertEqual(self.get("/_sosia/hello?size=19").status, 400)
        self.assertEqual(self.get("/_sosia/hello?size=1048577").status, 400)
        self.assertEqual(self.get("/_sosia/hello?size=x").status, 400)

    def test_hello_takes_memory_when_it_is_asked_for(self):
        with unittest.mock.patch.dict(os.environ, MALLOC_PERTURB_="0"):  # which writes what is cleared
            process, info = start(**self.options)
        self.addCleanup(stop, process)
        if has_own_allocator(process):
            self.skipTest("sanitizers keep memory")
        def size_of(size):
            with urllib.request.urlopen("http://127.0.0.1:%d/_sosia/hello?size=%d" % (info["port"], size)) as answer:
                body = answer.read()
            self.assertEqual(body, b'{"hello":"sosia"}'.ljust(size))
            return resident(process)
        before = size_of(100)
        self.assertGreater(size_of(1 << 20), before + (800 << 10))
        self.assertLess(size_of(1000), before + (1400 << 10))

    def test_a_random_key_is_made_where_none_is_given(self):
        self.assertRegex(self.key, r"^[0-9a-f]{48}$")
        self.assertEqual(self.control("thing").status, 200)


class Listening(unittest.TestCase):
    def refuses(self, reason, **options):
        process, info = start(**options)
        stop(process)
        self.assertEqual(info.get("reason"), reason)

    def status(self, port, host):
        with Wire(port) as w:
            return w.ask("GET /x HTTP/1.1\r\nHost: %s\r\n\r\n" % host).status

    def test_other_than_loopback_wants_a_control_key(self):
        self.refuses("controlKeyRequired", listen="0.0.0.0")
        self.refuses("controlKeyRequired", listen="::")
        self.refuses("badControlKey", key="a b")
        self.refuses("weakControlKey", listen="0.0.0.0", key="k" * 15)

    def test_a_key_that_is_easily_guessed_is_refused(self):
        for key in ("k", "k" * 7):
            self.refuses("weakControlKey", key=key)
        process, info = start(key="k" * 8)
        self.assertEqual(info.get("key"), "k" * 8)
        self.assertEqual(stop(process)[0], 0)

    def test_with_a_key_any_host_is_answered_for(self):
        process, info = start(listen="0.0.0.0", key="k" * 16)
        self.assertEqual(self.status(info["port"], "sosia.example"), 200)
        self.assertEqual(stop(process)[0], 0)

    def test_unless_the_operator_names_them(self):
        process, info = start(listen="0.0.0.0", key="k" * 16, host=["sosia.example", "*.test.example"])
        for host, status in (("sosia.example", 200), ("a.test.example", 200), ("test.example", 421), ("evil.example", 421), ("localhost", 200)):
            self.assertEqual(self.status(info["port"], host), status, host)
        self.assertEqual(stop(process)[0], 0)

    def test_a_port_in_use_is_said(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            s.listen()
            self.refuses("portInUse", port=s.getsockname()[1])

    def test_directories_and_keys_that_are_open_to_others_are_named(self):
        where = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, where)
        made = subprocess.run([os.environ["SOSIA_TEST_MAKE_CA"], where, "localhost"], capture_output=True)
        self.assertEqual(made.returncode, 0)
        data, key = where + "/data", where + "/leaf.key"
        os.mkdir(data, 0o700)
        os.chmod(key, 0o600)
        options = {"https_port": 0, "ca_dir": where, "data_dir": data}
        process, _ = start(**options)
        self.assertEqual(stop(process), (0, b""))
        for path, mode, expected in ((data, 0o750, "0700"), (where, 0o720, "not writable by others"), (where + "/ca.key", 0o604, "0600")):
            before = os.stat(path).st_mode
            os.chmod(path, mode)
            process, _ = start(**options)
            code, text = stop(process)
            self.assertEqual((code, text.count(b"\n")), (0, 1), text)
            for part in ("level=warn", "path=" + path, expected, "mode=%04o" % mode):
                self.assertIn(part, text.decode())
            os.chmod(path, before)
        os.chmod(key, 0o640)
        process, _ = start(https_port=0, tls_cert=where + "/leaf.crt", tls_key=key)
        self.assertIn(b"path=" + key.encode(), stop(process)[1])

    def test_an_address_that_is_none(self):
        self.refuses("badAddress", listen="not an address")

    def test_both_loopbacks_are_listened_on(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("no IPv6 here")
        process, info = start()
        for _ in range(50):
            with Wire(info["port"], "::1") as w:
                self.assertEqual(w.ask("GET /echo HTTP/1.1\r\nHost: [::1]\r\n\r\n").status, 200)
        self.assertEqual(stop(process)[0], 0)


if __name__ == "__main__":
    unittest.main()
