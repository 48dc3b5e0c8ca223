# SPDX-License-Identifier: Apache-2.0
"""Outgoing requests: to this machine or where the operator allows, and nowhere else."""
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from harness import PATIENCE, ServerCase, Wire, start, stop

MAKE_CA = os.environ["SOSIA_TEST_MAKE_CA"]


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((self.path, dict(self.headers), body))
        status, answer = 200, b"got it"
        if self.path == "/redirect":
            status = 302
        elif self.path == "/large":
            answer = b"x" * 300000
        elif self.path == "/never":
            time.sleep(3)
        self.send_response(status)
        if status == 302:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *unused):
        pass


class Quiet(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # connections beyond it would be late

    def handle_error(self, *unused):
        pass


def receiver():
    server = Quiet(("127.0.0.1", 0), Receiver)
    server.seen, server.location = [], "/other"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Silent:
    """Takes connections and says what `say` gives, on and on, until the other side has had enough; nothing where that is empty."""

    def __init__(self, head=b"", say=b""):
        self.socket, self.head, self.say, self.taken, self.ended = socket.create_server(("127.0.0.1", 0), backlog=128), head, say, [], threading.Event()
        self.port = self.socket.getsockname()[1]
        self.url = "http://127.0.0.1:%d/" % self.port
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection = self.socket.accept()[0]
            except OSError:
                return
            self.taken.append(connection)
            if self.say:
                threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        try:
            connection.sendall(self.head)
            while True:
                connection.sendall(self.say)
        except OSError:
            self.ended.set()

    def close(self):
        self.socket.close()
        for connection in self.taken:
            connection.close()


class Webhooks(ServerCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp()
        subprocess.run([MAKE_CA, cls.dir, "localhost"], check=True)
        cls.options = {"webhook_ca": cls.dir + "/ca.crt", "webhook_host": ["localhost:*", "hooks.test.example", "one.example:8443", "*.many.example"]}
        super().setUpClass()
        cls.receiver = receiver()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.receiver.shutdown()
        cls.receiver.server_close()
        shutil.rmtree(cls.dir)

    def send(self, url, query=""):
        a = self.control("webhook" + query, method="POST", body=url.encode())
        return a.status, a.json()

    def to(self, path, query=""):
        return self.send("http://localhost:%d%s" % (self.receiver.server_address[1], path), query)

    def test_a_request_arrives_as_it_was_given(self):
        status, result = self.to("/hook?a=b")
        self.assertEqual((status, result), (200, {"status": 200, "error": None, "body": "got it", "length": 6}))
        path, headers, body = self.receiver.seen[-1]
        self.assertEqual((path, body), ("/hook?a=b", b'{"event":1}'))
        self.assertEqual((headers["Content-Type"], headers["X-Sign"]), ("application/json", "abc"))
        self.assertNotIn("Expect", headers)

    def test_many_at_once(self):
        before = len(self.receiver.seen)
        threads = [threading.Thread(target=self.to, args=("/m%d" % i,)) for i in range(40)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(self.receiver.seen) - before, 40)

    def test_redirects_are_not_followed(self):
        before = len(self.receiver.seen)
        self.assertEqual(self.to("/redirect")[1]["status"], 302)
        self.assertEqual(len(self.receiver.seen) - before, 1)

    def test_the_server_itself_is_no_receiver(self):
        for name in ("localhost", "127.0.0.1", "127.0.0.2", "[::1]", "any.localhost", "LOCALHOST."):
            status, result = self.send("http://%s:%d/_sosia/v1/health" % (name, self.port))
            self.assertEqual((status, result["error"]["reason"]), (403, "hostNotAllowed"), name)

    def test_no_redirect_leads_to_the_server(self):
        self.addCleanup(setattr, self.receiver, "location", "/other")
        self.receiver.location = "http://localhost:%d/_sosia/v1/health" % self.port
        result = self.to("/redirect", "?redirects=2")[1]
        self.assertEqual((result["status"], result["error"]), (0, "the redirect may not be followed"))
        self.receiver.location = "/other"
        self.assertEqual(self.to("/redirect", "?redirects=2")[1]["status"], 200)

    def test_an_answer_without_end_is_cut_off(self):
        many = b"HTTP/1.1 200 OK\r\n"
        for head, say, status in (
                (many + b"\r\n", b"x" * 65536, 200), (many, b"A: b\r\n" * 8192, 0), (b"", b"HTTP/1.1 103 Hints\r\n\r\n" * 4096, 0),
                (many + b"Transfer-Encoding: chunked\r\n\r\n", b"1;" + b"e" * 8000 + b"\r\nx\r\n", 0),
                (many + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"A: b\r\n" * 8192, 0)):
            endless = Silent(head, say)
            self.addCleanup(endless.close)
            # ten minutes: it is the amount that ends it
            result = self.send(endless.url, "?timeout=600000")[1]
            self.assertEqual((result["status"], result["error"] is None), (status, status == 200), head)
            self.assertEqual(result["length"] == 65536, status == 200)
            self.assertTrue(endless.ended.wait(PATIENCE))

    def test_a_world_whose_receivers_are_silent_keeps_no_other_waiting(self):
        pit = Silent()
        self.addCleanup(pit.close)
        for _ in range(150):
            self.assertEqual(self.send(pit.url, "?world=1&nowait=1&timeout=600000")[0], 200)
        self.assertEqual(self.to("/m", "?world=2")[1]["status"], 200)
        self.eventually(lambda: len(pit.taken) >= 8)
        self.assertEqual(len(pit.taken), 8)

    def test_of_one_world_so_many_wait_and_others_are_refused(self):
        pit = Silent()
        self.addCleanup(pit.close)
        seen = [self.send(pit.url, "?world=3&nowait=1&timeout=600000") for _ in range(5001)]
        self.assertEqual({s for s, _ in seen[:5000]}, {200})
        self.assertEqual((seen[5000][0], seen[5000][1]["error"]["reason"]), (429, "tooMany"))
        self.assertEqual(self.to("/m", "?world=4")[1]["status"], 200)

    def test_of_a_large_answer_the_beginning_is_kept(self):
        self.assertEqual(self.to("/large")[1]["length"], 65536)

    def test_other_hosts_are_refused(self):
        for url in ("http://example.com/", "http://10.0.0.1/", "http://169.254.169.254/latest", "http://[2001:db8::1]/", "http://localhost.example/",
                    "http://127.0.0.1.example/", "http://localhost@example.com/", "http://example.com:80@10.0.0.1/", "http://one.example/",
                    "http://many.example/", "http://0.0.0.0/", "http://[::ffff:10.0.0.1]/"):
            status, result = self.send(url)
            self.assertEqual((status, result["error"]["reason"]), (403, "hostNotAllowed"), url)

    def test_other_protocols_are_refused(self):
        for url in ("file:///etc/passwd", "ftp://localhost/", "gopher://localhost/", "localhost:80", "http://", "", "http://local host/"):
            status, result = self.send(url)
            self.assertEqual((status, result["error"]["reason"]), (400, "badUrl"), url)

    def test_hosts_that_the_operator_allows_are_tried(self):
        # such names don't exist: what matters is that the attempt is made
        for url in ("http://hooks.test.example/", "https://one.example:8443/", "http://a.many.example/"):
            status, result = self.send(url, "?timeout=2000")
            self.assertEqual((status, result["status"]), (200, 0))
            self.assertTrue(result["error"])

    def test_a_receiver_that_refuses_or_does_not_answer(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            result = self.send("http://127.0.0.1:%d/" % s.getsockname()[1])[1]
        self.assertEqual(result["status"], 0)
        self.assertIn("onnect", result["error"])
        self.assertIn("timed out", self.to("/never", "?timeout=200")[1]["error"].lower())

    def test_https_with_the_local_authority(self):
        secure = Quiet(("127.0.0.1", 0), Receiver)
        secure.seen = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.dir + "/leaf.crt", self.dir + "/leaf.key")
        secure.socket = context.wrap_socket(secure.socket, server_side=True)
        threading.Thread(target=secure.serve_forever, daemon=True).start()
        self.addCleanup(secure.server_close)
        self.addCleanup(secure.shutdown)
        self.assertEqual(self.send("https://localhost:%d/s" % secure.server_address[1])[1]["status"], 200)
        self.assertEqual(self.send("https://127.0.0.1:%d/s" % secure.server_address[1])[1]["status"], 0)


class Denied(ServerCase):
    """What the operator denies, and what is allowed where nothing is said."""

    @classmethod
    def setUpClass(cls):
        cls.receiver, cls.other = receiver(), receiver()
        cls.options = {"webhook_deny": cls.receiver.server_address[1]}
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        for r in (cls.receiver, cls.other):
            r.shutdown()
            r.server_close()

    def test_ports_that_are_denied(self):
        for name in ("localhost", "127.0.0.1", "any.localhost"):
            a = self.control("webhook", method="POST", body=b"http://%s:%d/" % (name.encode(), self.receiver.server_address[1]))
            self.assertEqual((a.status, a.json()["error"]["reason"]), (403, "hostNotAllowed"), name)
            a = self.control("webhook", method="POST", body=b"http://%s:%d/" % (name.encode(), self.other.server_address[1]))
            self.assertEqual((a.status, a.json()["status"]), (200, 200), name)
        self.assertEqual(self.receiver.seen, [])

    def test_nothing_else_is_allowed(self):
        self.assertEqual(self.control("webhook", method="POST", body=b"http://hooks.test.example/").status, 403)


class Named(ServerCase):
    """A list that does not name this machine."""

    options = {"webhook_host": ["hooks.test.example:*"]}

    def test_this_machine_is_allowed_where_the_operator_says_so(self):
        self.assertEqual(self.control("webhook", method="POST", body=b"http://localhost:9/").status, 403)


class Stopping(unittest.TestCase):
    def test_a_webhook_under_way_does_not_hold_up_a_stop(self):
        process, info = start(stop_ms=100)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            s.listen()
            with Wire(info["port"]) as w:
                url = b"http://127.0.0.1:%d/" % s.getsockname()[1]
                w.send(b"POST /_sosia/v1/webhook HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n" % (
                    info["key"].encode(), len(url)) + url)
                connection, _ = s.accept()
                with connection:
                    self.assertEqual(stop(process)[0], 0)


if __name__ == "__main__":
    unittest.main()
