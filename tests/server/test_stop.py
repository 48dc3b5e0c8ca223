# SPDX-License-Identifier: Apache-2.0
"""A stop finishes what was accepted, within a deadline, and leaves nothing behind."""
import os
import signal
import socket
import threading
import time
import unittest

from harness import PATIENCE, Wire, cpu, start, stop

GET = "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Stop(unittest.TestCase):
    def begin(self, **options):
        self.process, info = start(**options)
        self.addCleanup(self.process.kill)
        return info

    def refuses(self, port):
        """Waits until no more connections are taken."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
            except ConnectionRefusedError:
                return
            except ConnectionResetError:
                pass  # taken into the queue, and the queue closed
        self.fail("connections are still taken")

    def end(self, number=signal.SIGTERM):
        self.assertEqual(stop(self.process, number), (0, b""))

    def test_both_signals_stop_an_idle_server(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            self.begin()
            self.end(number)

    def test_requests_under_way_are_answered(self):
        port = self.begin(threads=2)["port"]
        waiting = [Wire(port) for _ in range(20)]
        for w in waiting:
            w.send(GET % "/hold")
        upload = Wire(port)
        upload.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
        download = Wire(port)
        download.send(GET % "/size/20000000")
        idle = Wire(port)
        self.assertEqual(idle.ask(GET % "/echo").status, 200)
        unused = Wire(port)
        os.kill(self.process.pid, signal.SIGTERM)
        self.refuses(port)
        upload.send(b"x" * 100000)
        self.assertEqual(upload.answer().json()["length"], 100000)
        self.assertEqual(len(download.answer().body), 20000000)
        self.assertIsNone(self.process.poll())
        self.assertEqual(idle.ask(GET % "/release").field("Connection"), "close")
        for w in waiting:
            a = w.answer()
            self.assertEqual((a.status, a.field("Connection")), (200, "close"))
            self.assertTrue(w.is_closed())
        self.assertTrue(idle.is_closed())
        self.assertTrue(unused.is_closed())
        self.assertEqual(self.process.wait(PATIENCE), 0)

    def test_requests_that_arrive_just_before_are_answered(self):
        for _ in range(30):
            port = self.begin(threads=2)["port"]
            wires = [Wire(port) for _ in range(8)]
            for w in wires:
                w.send(GET % "/echo")
            self.process.send_signal(signal.SIGTERM)
            for w in wires:
                self.assertEqual(w.answer().status, 200)
            self.end(None)

    def test_a_stop_amid_a_rush_of_connections(self):
        """The sockets leave libmicrohttpd's sets without a race, so that no stop ends in an abort."""
        for _ in range(30):
            port = self.begin(threads=4, stop_ms=2000)["port"]
            ended = threading.Event()

            def rush():
                while not ended.is_set():
                    try:
                        with Wire(port) as w:
                            w.ask(GET % "/echo")
                    except (OSError, EOFError):
                        pass

            threads = [threading.Thread(target=rush) for _ in range(4)]
            for t in threads:
                t.start()
            with Wire(port) as w:
                self.assertEqual(w.ask(GET % "/later/5").status, 200)
            try:
                self.end()
            finally:
                ended.set()
                for t in threads:
                    t.join()

    def test_a_stop_that_waits_does_not_spin(self):
        port = self.begin(threads=4, stop_ms=1500)["port"]
        w = Wire(port)
        w.send(GET % "/hold")
        self.process.send_signal(signal.SIGTERM)
        self.refuses(port)
        before = cpu(self.process)
        time.sleep(1)
        self.assertLess(cpu(self.process) - before, 0.5)
        self.end(None)
        w.socket.close()

    def test_a_stop_waits_no_longer_than_its_deadline(self):
        port = self.begin(stop_ms=200)["port"]
        stuck, slow = Wire(port), Wire(port)
        stuck.send(GET % "/hold")
        slow.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n")
        self.assertEqual(Wire(port).ask(GET % "/echo").status, 200)
        self.process.send_signal(signal.SIGTERM)
        self.assertTrue(stuck.is_closed())
        self.assertTrue(slow.is_closed())
        self.end(None)  # the backend answers when the server is gone

    def test_work_on_a_worker_is_waited_for(self):
        info = self.begin(stop_ms=200)
        w = Wire(info["port"])
        w.send("GET /_sosia/v1/slow?ms=5000 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n" % info["key"])
        self.assertEqual(Wire(info["port"]).ask(GET % "/echo").status, 200)
        self.process.send_signal(signal.SIGTERM)
        self.assertTrue(w.is_closed())
        self.end(None)

    def test_a_second_signal_cuts_the_wait_short(self):
        port = self.begin(stop_ms=100000)["port"]
        w = Wire(port)
        w.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n")
        self.assertEqual(Wire(port).ask(GET % "/echo").status, 200)
        self.process.send_signal(signal.SIGTERM)
        self.refuses(port)
        self.assertIsNone(self.process.poll())
        self.process.send_signal(signal.SIGTERM)
        self.assertTrue(w.is_closed())
        self.assertEqual(self.process.wait(PATIENCE), 0)

    def test_stop_under_load(self):
        port = self.begin(threads=2, stop_ms=3000)["port"]
        answered, odd = [0], []

        def client():
            while True:
                try:
                    with Wire(port) as w:
                        for i in range(50):
                            a = w.ask(GET % ("/later/1" if i % 3 else "/echo"))
                            answered[0] += 1
                            if a.status != 200:
                                odd.append(a.status)
                            if a.field("Connection") == "close":
                                return
                except (OSError, EOFError):
                    return

        threads = [threading.Thread(target=client) for _ in range(16)]
        for t in threads:
            t.start()
        until = time.monotonic() + PATIENCE
        while answered[0] < 500:
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)
        self.end()
        for t in threads:
            t.join()
        self.assertEqual(odd, [])

    def test_stops_in_the_midst_of_everything(self):
        for round in range(12):
            info = self.begin(threads=2, stop_ms=1 + round % 5)
            paths = ["/later/0", "/later/1", "/echo", "/_sosia/v1/slow?ms=1", "/later/3"]
            answered = threading.Event()

            def client(n):
                request = "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + info["key"] + "\r\n\r\n"
                try:
                    while True:
                        with Wire(info["port"]) as w:
                            for i in range(20):
                                w.ask(request % paths[(i + n) % 5])
                            answered.set()
                except (OSError, EOFError):
                    pass

            threads = [threading.Thread(target=client, args=(n,)) for n in range(16)]
            for t in threads:
                t.start()
            self.assertTrue(answered.wait(PATIENCE))
            self.end()
            for t in threads:
                t.join()


if __name__ == "__main__":
    unittest.main()
