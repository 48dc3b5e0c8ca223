# SPDX-License-Identifier: Apache-2.0
"""WebSockets byte by byte: handshakes, frames and their limits, clients that are slow, dead or many, and the stop."""
import base64
import json
import os
import re
import shutil
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import unittest

from harness import ServerCase, Wire, start, stop

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="  # RFC 6455, 1.3
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
SANITIZED = "asan" in os.environ["SOSIA_TEST_SERVER"] or "sanit" in os.environ["SOSIA_TEST_SERVER"]


def head(target="/line?app=A1", **fields):
    all_fields = {"Host": "localhost", "Upgrade": "websocket", "Connection": "Upgrade",
                  "Sec-WebSocket-Key": KEY, "Sec-WebSocket-Version": "13"}
    all_fields.update({k.replace("_", "-"): v for k, v in fields.items()})
    lines = ["GET %s HTTP/1.1" % target] + ["%s: %s" % i for i in all_fields.items() if i[1] is not None]
    return "\r\n".join(lines + ["", ""]).encode()


def frame(opcode, data=b"", fin=True, masked=True, rsv=0):
    data = data if isinstance(data, bytes) else data.encode()
    n = len(data)
    length = bytes([n]) if n < 126 else b"\x7e" + struct.pack(">H", n) if n < 65536 else b"\x7f" + struct.pack(">Q", n)
    if not masked:
        return bytes([(0x80 if fin else 0) | rsv << 4 | opcode]) + length + data
    mask = b"\x01\x02\x03\x04"
    body = bytes(b ^ mask[i % 4] for i, b in enumerate(data))
    return bytes([(0x80 if fin else 0) | rsv << 4 | opcode, length[0] | 0x80]) + length[1:] + mask + body


class Line(Wire):
    """A client of the server's WebSockets."""

    def __init__(self, port, app="A1", wrap=None):
        super().__init__(port, wrap=wrap)
        self.send(head("/line?app=" + app))
        a = self.answer()
        if a.status != 101:
            raise AssertionError(a.status, a.body)

    def frame(self):
        first, second = self.exactly(2)
        assert not second & 0x80
        n = second
        if n == 126:
            n = struct.unpack(">H", self.exactly(2))[0]
        elif n == 127:
            n = struct.unpack(">Q", self.exactly(8))[0]
        return first & 15, self.exactly(n)

    def message(self):
        while True:
            opcode, data = self.frame()
            if opcode == PING:
                self.send(frame(PONG, data))
            elif opcode == TEXT:
                return json.loads(data)
            else:
                raise AssertionError(opcode, data)

    def say(self, text):
        self.send(frame(TEXT, text))

    def close_code(self):
        """Reads on to the close frame; gives its code and reason."""
        while True:
            opcode, data = self.frame()
            if opcode == CLOSE:
                return (struct.unpack(">H", data[:2])[0], data[2:].decode()) if data else (0, "")


class SessionCase(ServerCase):
    def line(self, app="A1"):
        w = Line(self.port, app)
        self.addCleanup(w.socket.close)
        self.assertEqual(w.message()["type"], "hello")
        return w

    def note(self, app, text):
        self.assertEqual(self.get("/notes?app=%s&text=%s" % (app, text), method="POST").status, 204)

    def journal(self):
        entries, more = [], True
        while more:
            after = entries[-1]["seq"] if entries else 0
            more = self.control("worlds/line/journal?limit=1000&after=%d" % after).json()["entries"]
            entries += more
        return entries

    def closed_with(self, app):
        """The codes with which an app's connections have been closed, as the world's journal has them."""
        turns = [e["session"] for e in self.journal() if "session" in e]
        return [t["code"] for t in turns if t["key"] == "app:" + app and t["event"] == "closed"]


class Handshake(SessionCase):
    def test_the_answer_is_the_rfcs(self):
        w = self.wire()
        a = w.ask(head())
        self.assertEqual(a.status, 101)
        self.assertEqual(a.field("Sec-WebSocket-Accept"), ACCEPT)
        self.assertEqual(a.field("Upgrade"), "websocket")
        self.assertEqual(a.field("Connection"), "Upgrade")
        self.assertIsNone(a.field("Sec-WebSocket-Protocol"))

    def test_a_subprotocol_is_agreed_on(self):
        self.assertEqual(self.ask(head(Sec_WebSocket_Protocol="soap, line.v1")).field("Sec-WebSocket-Protocol"), "line.v1")

    def test_frames_behind_the_handshake_are_read(self):
        w = self.wire()
        w.send(head() + frame(TEXT, "early"))
        w.answer()
        w.__class__ = Line
        self.assertEqual(w.message()["type"], "hello")
        self.assertEqual(w.message()["text"], "early")

    def test_the_services_refusal_is_its_own(self):
        a = self.ask(head("/line?app=full"))
        self.assertEqual((a.status, a.body), (429, b"full"))
        self.assertEqual(self.ask(head("/line?app=X")).status, 404)
        self.assertEqual(self.ask(head("/line")).status, 400)

    def test_versions_and_keys(self):
        a = self.ask(head(Sec_WebSocket_Version="8"))
        self.assertEqual((a.status, a.field("Sec-WebSocket-Version")), (426, "13"))
        for key in (None, "", "short", KEY + "=", "!" * 22 + "==", base64.b64encode(b"x" * 17).decode()):
            self.assertEqual(self.ask(head(Sec_WebSocket_Key=key)).status, 400, key)
        self.assertEqual(self.ask(head().replace(b"GET", b"POST", 1)).status, 400)
        self.assertEqual(self.ask(head(Content_Length="2") + b"{}").status, 400)

    def test_hosts_are_those_of_other_requests(self):
        self.assertEqual(self.ask(head(Host="evil.example")).status, 421)

    def test_other_upgrades_are_passed_over(self):
        self.assertEqual(self.ask(head(Upgrade="h2c")).status, 400)  # a plain request
        self.assertEqual(self.ask(head(Connection="keep-alive")).status, 400)
        self.assertEqual(self.get("/_sosia/v1/metrics", "Authorization: Bearer " + self.key).status, 200)

    def test_open_sessions_are_counted(self):
        def count():
            a = self.get("/_sosia/v1/metrics", "Authorization: Bearer " + self.key)
            return int(re.search(rb"^sosia_sessions (\d+)$", a.body, re.M).group(1))
        self.eventually(lambda: count() == 0)
        first, second = self.line(), self.line()
        self.assertEqual(count(), 2)
        first.socket.close()
        self.eventually(lambda: count() == 1)
        second.socket.close()
        self.eventually(lambda: count() == 0)

    def test_a_handshake_elsewhere_is_a_request(self):
        self.assertEqual(self.ask(head("/nothing")).status, 404)

    def test_a_connection_that_goes_at_once_is_closed_in_the_world(self):
        def turns(event):
            return sum(e.get("session", {}).get("event") == event for e in self.journal())
        for _ in range(20):
            w = Wire(self.port)
            w.send(head())
            w.socket.close()
        self.eventually(lambda: turns("opened") == turns("closed"))


class Frames(SessionCase):
    def test_echo_and_binary(self):
        w = self.line()
        w.say("grüß")
        self.assertEqual(w.message(), {"type": "echo", "text": "grüß"})
        w.send(frame(BINARY, b"abc"))
        self.assertEqual(w.message(), {"type": "binary", "text": "abc"})

    def test_byte_by_byte(self):
        w = self.line()
        for b in frame(TEXT, "slow"):
            w.send(bytes([b]))
        self.assertEqual(w.message()["text"], "slow")

    def test_fragments_with_a_ping_between_them(self):
        w = self.line()
        w.send(frame(TEXT, b"gr\xc3", fin=False) + frame(PING, b"?") + frame(CONTINUATION, b"\xbc") + frame(TEXT, "b"))
        self.assertEqual(w.frame(), (PONG, b"?"))
        self.assertEqual(w.message()["text"], "grü")
        self.assertEqual(w.message()["text"], "b")

    def test_frames_of_one_session_stay_in_order(self):
        w = self.line()
        w.send(b"".join(frame(TEXT, str(i)) for i in range(500)))
        self.assertEqual([w.message()["text"] for _ in range(500)], [str(i) for i in range(500)])

    def fails_with(self, data, code):
        w = self.line()
        w.send(data)
        self.assertEqual(w.close_code()[0], code)
        w.send(frame(CLOSE, struct.pack(">H", code) if code else b""))
        try:
            w.half_close()
        except OSError:
            pass  # the server has closed already
        self.assertTrue(w.is_closed())

    def test_bad_utf8_is_1007(self):
        self.fails_with(frame(TEXT, b"\xff"), 1007)
        self.fails_with(frame(TEXT, b"gr\xc3", fin=False) + frame(CONTINUATION, b"x"), 1007)

    def test_what_is_too_big_is_1009(self):
        w = self.line()
        w.say("x" * 65536)
        self.assertEqual(len(w.message()["text"]), 65536)
        self.fails_with(frame(TEXT, "x" * 65537), 1009)
        self.fails_with(frame(TEXT, "x" * 40000, fin=False) + frame(CONTINUATION, "x" * 40000), 1009)
        self.fails_with(b"\x81\xff" + struct.pack(">Q", 1 << 62) + b"\x01\x02\x03\x04x", 1009)

    def test_too_many_fragments_are_1008(self):
        self.fails_with(frame(TEXT, "x", fin=False) + frame(CONTINUATION, "x", fin=False) * 2000, 1008)

    def test_broken_frames_are_1002(self):
        for data in (frame(TEXT, "x", masked=False), frame(TEXT, "x", rsv=4), frame(3, "x"), frame(CONTINUATION, "x"),
                     frame(TEXT, "x", fin=False) + frame(TEXT, "x"), frame(CLOSE, struct.pack(">H", 1005))):
            self.fails_with(data, 1002)
        # what wslay refuses while it reads the head of a frame gets a close frame without a code
        for data in (frame(PING, "x", fin=False), frame(PING, "x" * 126), frame(CLOSE, b"x"),
                     b"\x81\xff" + struct.pack(">Q", 1 << 63) + b"\x01\x02\x03\x04"):
            self.fails_with(data, 0)

    def test_a_close_is_answered(self):
        w = self.line("A7")
        w.send(frame(CLOSE, struct.pack(">H", 3999) + b"bye"))
        self.assertEqual(w.close_code()[0], 3999)
        self.assertTrue(w.is_closed())
        self.eventually(lambda: self.closed_with("A7") == [3999])

    def test_the_service_closes_with_its_code(self):
        w = self.line()
        w.say("end 4001")
        self.assertEqual(w.close_code(), (4001, "as you wish"))
        w = self.line()
        w.say("fail")
        self.assertEqual(w.close_code(), (1008, "the frame must not be \"fail\""))

    def test_a_lost_connection_is_1006(self):
        w = self.line("A8")
        w.socket.close()
        self.eventually(lambda: self.closed_with("A8") == [1006])

    def test_notes_go_to_one_connection_each(self):
        a, b = self.line("A2"), self.line("A2")
        self.note("A2", "one")
        self.note("A2", "two")
        self.assertEqual({a.message()["text"], b.message()["text"]}, {"one", "two"})

    def test_a_note_goes_on_to_another_connection(self):
        a = self.line("A3")
        self.note("A3", "one")
        self.assertEqual(a.message()["attempt"], 1)
        b = self.line("A3")
        a.socket.close()
        n = b.message()
        self.assertEqual((n["text"], n["attempt"]), ("one", 2))
        b.say("ack %d thanks" % n["id"])
        b.say("done?")
        self.assertEqual(b.message()["type"], "echo")
        entry = [e for e in self.control("worlds/line/outbox?limit=1000").json()["entries"] if e["id"] == n["id"]][0]
        self.assertEqual(entry["delivery"]["state"], "delivered")

    def test_a_reset_closes_with_1012(self):
        made = self.control("worlds/line/fork", method="POST", body=b"{}").json()
        w = self.wire()
        w.send(head("/w/%s/line?app=A1" % made["world"]))
        self.assertEqual(w.answer().status, 101)
        w.__class__ = Line
        self.assertEqual(w.message()["connections"], 1)
        self.assertEqual(self.control("worlds/%s/reset" % made["world"], method="POST", body=b"{}").status // 100, 2)
        self.assertEqual(w.close_code(), (1012, "the world was reset"))


class Slow(SessionCase):
    options = {"session_queue": 100000, "threads": 1}

    def test_a_client_that_does_not_read_is_closed_and_blocks_nobody(self):
        slow, quick = self.line("A4"), self.line("A5")
        slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        for i in range(400):
            try:
                slow.say("big 60000")
            except ConnectionError:  # it is closed by now, where the machine is slow
                break
            quick.say(str(i))
            self.assertEqual(quick.message()["text"], str(i))
            if i % 50 == 49 and self.closed_with("A4"):
                break
        self.note("A5", "still")
        self.assertEqual(quick.message()["text"], "still")
        self.eventually(lambda: self.closed_with("A4") == [1013])

    def test_pings_without_end_do_not_fill_the_memory(self):
        w = self.line("A9")
        before = rss(self.process.pid)
        w.socket.settimeout(1)
        flood = frame(PING, "x" * 125) * 1000
        try:
            for _ in range(200):
                w.send(flood)
        except (socket.timeout, ConnectionError):
            pass
        self.assertLess(rss(self.process.pid) - before, (64 if SANITIZED else 8) << 20)
        self.line("A5")  # others are served


class Late(SessionCase):
    options = {"session_queue": 100000, "threads": 1, "close_ms": 600000}

    def test_it_reads_its_code_when_it_reads_again(self):
        slow, quick = self.line("A6"), self.line("A7")
        slow.send(frame(TEXT, "big 60000") * 300)
        last = "worlds/line/journal?limit=1&after=303"  # two handshakes, two sessions open, 300 frames
        self.eventually(lambda: self.control(last).json()["entries"])
        quick.say("still")
        self.assertEqual(quick.message()["text"], "still")
        self.assertEqual(slow.close_code(), (1013, "the client reads too slowly"))


class Stuck(SessionCase):
    options = {"session_queue": 50000000, "close_ms": 200}

    def test_a_client_is_closed_in_the_middle_of_a_frame(self):
        slow = self.line()
        slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.say("big 40000000")  # the kernel takes a part of it
        slow.say("big 40000000")
        slow.say("big 40000000")
        self.eventually(lambda: self.closed_with("A1") != [])
        self.assertEqual(self.closed_with("A1"), [1013])


class Alone(SessionCase):
    def test_a_note_that_nobody_acknowledges_comes_again_though_nothing_else_happens(self):
        self.note("A1", "one")
        w = self.line()
        self.assertEqual(w.message()["attempt"], 1)
        later = b'{"now": "2026-03-12T08:00:11Z"}'  # fires nothing by itself
        self.assertEqual(self.control("worlds/line/clock", "Content-Type: application/json", method="PUT", body=later).status, 200)
        self.assertEqual(w.message()["attempt"], 2)


class Dead(SessionCase):
    options = {"ping_ms": 200}

    def stays(self):
        """Whether a client that answers four pings is there still. On a busy machine it may answer too late."""
        w = self.line()
        try:
            for _ in range(4):
                opcode, data = w.frame()
                self.assertEqual(opcode, PING)
                w.send(frame(PONG, data))
            w.say("alive")
            self.assertEqual(w.message()["text"], "alive")
        except (EOFError, OSError):
            return False
        return True

    def test_a_client_is_pinged_and_stays_as_long_as_it_answers(self):
        self.assertTrue(any(self.stays() for _ in range(20)))

    def test_a_client_that_does_not_answer_is_dead(self):
        w = self.line("A2")
        self.eventually(lambda: self.closed_with("A2") == [1006])
        self.assertEqual(w.frame()[0], PING)
        self.assertTrue(w.is_closed())


def rss(pid):
    with open("/proc/%d/statm" % pid) as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Many(SessionCase):
    options = {"threads": 2, "max_connections": 4096}

    def grow(self, n, open_one):
        """Opens n connections after some for warmth; gives them and the growth of memory for each."""
        kept = [open_one(i) for i in range(50)]
        before = rss(self.process.pid)
        kept += [open_one(i) for i in range(n)]
        return kept, (rss(self.process.pid) - before) / n

    def test_a_thousand_connections_take_at_most_30_kb_each(self):
        kept, each = self.grow(1000, lambda i: self.line("A%d" % (i % 10)))
        print("bytes of resident growth for each of 1000 plain WebSockets: %d" % each)
        if not SANITIZED:
            self.assertLessEqual(each, 30 * 1024)
        for i in range(100):
            self.note("A3", "n%d" % i)
        for w in kept[::97]:
            w.say("there?")
            while w.message()["type"] != "echo":
                pass
        self.assertEqual(self.get("/nothing").status, 404)  # other requests are served


class Stop(unittest.TestCase):
    def test_clients_get_1001_and_the_server_ends(self):
        process, info = start(stop_ms=1000)
        polite, rude = Line(info["port"]), Line(info["port"])
        codes = []

        def leave():
            codes.append(polite.close_code())
            polite.send(frame(CLOSE, struct.pack(">H", 1001)))
            self.assertTrue(polite.is_closed())

        t = threading.Thread(target=leave)
        t.start()
        process.send_signal(15)
        t.join()
        rude.socket.close()
        code, err = stop(process, None)
        self.assertEqual((code, codes), (0, [(1001, "the server is stopping")]), err)

    def test_a_client_that_does_not_answer_is_cut_off(self):
        process, info = start(stop_ms=2000)
        w = Line(info["port"])
        code, err = stop(process)
        self.assertEqual(code, 0, err)
        self.assertEqual(w.close_code()[0], 1001)


class Tls(SessionCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp()
        subprocess.run([os.environ["SOSIA_TEST_MAKE_CA"], cls.dir], check=True, capture_output=True)
        cls.options = {"https_port": 0, "ca_dir": cls.dir, "threads": 2}
        super().setUpClass()
        cls.context = ssl.create_default_context(cafile=cls.dir + "/ca.crt")

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        shutil.rmtree(cls.dir)

    def secure(self, app="A1"):
        w = Line(self.info["https_port"], app, lambda s: self.context.wrap_socket(s, server_hostname="localhost"))
        self.addCleanup(w.socket.close)
        self.assertEqual(w.message()["type"], "hello")
        return w

    def test_frames_go_over_tls(self):
        w = self.secure()
        for i in range(50):
            w.say("%d" % i)
            self.assertEqual(w.message()["text"], "%d" % i)
        w.say("x" * 60000)
        self.assertEqual(len(w.message()["text"]), 60000)
        w.say("end 4001")
        self.assertEqual(w.close_code()[0], 4001)

    def test_a_lost_connection_is_noticed(self):
        w = self.secure("A2")
        w.socket.close()
        self.eventually(lambda: self.closed_with("A2") == [1006])

    def test_memory_of_a_connection_is_reported(self):
        kept = [self.secure() for _ in range(10)]
        before = rss(self.process.pid)
        kept += [self.secure() for _ in range(100)]
        print("bytes of resident growth for each of 100 WebSockets with TLS: %d" % ((rss(self.process.pid) - before) / 100))
        self.assertEqual(len(kept), 110)


if __name__ == "__main__":
    unittest.main()
