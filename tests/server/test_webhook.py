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

from harness import ServerCase, Wire, start, stop

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
            self.send_header("Location", "/other")
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
    server.seen = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Webhooks(ServerCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp()
        subprocess.run([MAKE_CA, cls.dir, "localhost"], check=True)
        cls.options = {"webhook_ca": cls.dir + "/ca.crt", "webhook_host": ["hooks.test.example", "one.example:8443", "*.many.example"]}
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
