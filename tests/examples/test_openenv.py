# SPDX-License-Identifier: Apache-2.0
"""The environment for OpenEnv: its messages over HTTP and WebSocket, what it refuses, and that sessions are apart; the one for Gymnasium."""
import http.client
import json
import os
import socket
import time
import unittest
from urllib.parse import urlsplit

import harness

SEND = {"type": "call", "method": "POST", "path": "/gmail/v1/users/me/messages/send"}


def keys_mail():
    """The reference of office/tell-sara as an action."""
    from sosia import loops
    task = loops.Suite(os.path.join(harness.SUITES, "office.yaml")).task("tell-sara")
    return {**SEND, "body": {"raw": loops.mail(task.reference[0]["mail"])}}


class OpenEnv(harness.FrontCase):
    program, options = "openenv.py", ("--max-steps", "5")

    def test_what_it_says_of_itself(self):
        self.assertEqual(self.http("GET", "/health"), {"status": "healthy"})
        self.assertEqual(self.http("GET", "/metadata")["name"], "sosia")
        self.assertEqual(set(self.http("GET", "/schema")), {"action", "observation", "state"})
        self.assertEqual(self.http("GET", "/list_environments"), ["sosia"])
        splits = [s["name"] for s in self.http("GET", "/sosia/splits")]
        self.assertIn("office", splits)
        self.assertEqual(self.http("POST", "/sosia/num_tasks", {"split": "office"}), {"num_tasks": 20})
        task = self.http("POST", "/sosia/task", {"split": "office", "index": 6})["task"]
        self.assertEqual(task["task"], "office/tell-sara")
        self.assertEqual(set(task), {"task", "prompt", "difficulty", "actor"})  # and nothing of the reference
        self.assertEqual(len(self.http("POST", "/sosia/task_range", {"split": "mail", "start": 2, "stop": 5})["tasks"]), 3)
        self.http("POST", "/sosia/task", {"split": "office", "index": 99}, 400)
        self.http("POST", "/sosia/tasks", {"split": "none"}, 404)

    def test_an_episode_over_http(self):
        name = {"X-Session-Id": "one"}
        began = self.http("POST", "/reset", {"task": "office/tell-sara", "seed": 3, "episode_id": "e-1"}, **name)
        self.assertIn("drawer 3", began["observation"]["prompt"])
        self.assertEqual((began["reward"], began["done"]), (None, False))
        step = self.http("POST", "/step", {"action": keys_mail()}, **name)
        self.assertEqual((step["observation"]["status"], step["reward"], step["done"]), (200, None, False))
        state = self.http("GET", "/state", **name)
        self.assertEqual((state["episode_id"], state["step_count"], state["task"]), ("e-1", 1, "office/tell-sara"))
        end = self.http("POST", "/step", {"action": {"type": "finish"}}, **name)
        self.assertEqual((end["reward"], end["done"], end["metadata"]["passed"]), (1, True, True))
        self.http("POST", "/step", {"action": {"type": "finish"}}, 422, **name)

    def test_an_episode_over_a_websocket(self):
        ws = self.websocket()
        self.assertIn("101 Switching Protocols", ws.head)
        self.assertEqual(ws.ask({"type": "step", "data": {"type": "finish"}})["data"]["code"], "VALIDATION_ERROR")
        first = ws.ask({"type": "reset", "data": {"task": "office/tell-sara", "reward": "dense"}})
        self.assertEqual((first["type"], first["data"]["reward"], first["data"]["done"]), ("observation", None, False))
        self.assertEqual(ws.ask({"type": "step", "data": keys_mail()})["data"]["reward"], 1)
        end = ws.ask({"type": "step", "data": {"type": "finish", "metadata": {}}})["data"]
        self.assertEqual((end["reward"], end["done"]), (0, True))
        self.assertEqual(ws.ask({"type": "state"})["data"]["step_count"], 2)
        ws.send({"type": "close"})
        self.assertEqual(ws.receive()[0], 8)

    def test_an_episode_that_takes_too_many_steps_is_over(self):
        ws = self.websocket()
        ws.ask({"type": "reset", "data": {"task": "office/tell-sara", "max_steps": 2}})
        read = {"method": "GET", "path": "/gmail/v1/users/me/labels"}
        self.assertFalse(ws.ask({"type": "step", "data": read})["data"]["done"])
        end = ws.ask({"type": "step", "data": read})["data"]
        self.assertEqual((end["reward"], end["done"], end["observation"]["steps_left"]), (0, True, 0))

    def test_tools_are_those_of_the_world(self):
        ws = self.websocket()
        ws.ask({"type": "reset", "data": {"task": "office/cancel-dentist", "max_steps": 9}})
        tools = ws.ask({"type": "step", "data": {"type": "list_tools"}})["data"]["observation"]["tools"]
        self.assertIn("calendar_events_delete", [t["name"] for t in tools])
        gone = ws.ask({"type": "step", "data": {"type": "call_tool", "tool_name": "calendar_events_delete",
                                                "arguments": {"calendarId": "primary", "eventId": "dentist1"}}})
        self.assertFalse(gone["data"]["observation"]["body"]["isError"])
        seen = gone["data"]["observation"]
        self.assertEqual((seen["tool_name"], seen["error"], seen["result"]["is_error"]), ("calendar_events_delete", None, False))
        self.assertEqual(seen["result"]["content"], seen["body"]["content"])
        for tool, arguments, kind in (("calendar_events_get", {"calendarId": "primary", "eventId": "none"}, "execution_error"),
                                      ("calendar_events_get", {"x": 1}, "execution_error"), ("no_tool", {}, "tool_not_found")):
            seen = ws.ask({"type": "step", "data": {"type": "call_tool", "tool_name": tool, "arguments": arguments}})["data"]["observation"]
            self.assertEqual((seen["tool_name"], seen["result"], seen["error"]["error_type"]), (tool, None, kind))
            self.assertTrue(seen["error"]["message"])
        rpc = ws.ask({"type": "mcp", "data": {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {}}})
        self.assertEqual((rpc["type"], rpc["data"]["id"]), ("mcp", 7))
        self.assertTrue(rpc["data"]["result"]["tools"])
        self.assertEqual(ws.ask({"type": "step", "data": {"type": "finish"}})["data"]["reward"], 1)

    def test_mcp_has_sessions_over_http(self):
        rpc = lambda method, **params: self.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        name = rpc("openenv/session/create", task="office/cancel-dentist")["result"]["session_id"]
        got = rpc("tools/call", session_id=name, name="calendar_events_get", arguments={"calendarId": "primary", "eventId": "dentist1"})
        self.assertIn("Dentist", json.dumps(got["result"]))
        self.assertTrue(rpc("openenv/session/close", session_id=name)["result"]["closed"])
        self.assertEqual(rpc("tools/list", session_id=name)["error"]["code"], -32602)
        self.assertEqual(rpc("tools/list")["error"]["code"], -32602)

    def test_sessions_are_apart(self):
        some = [self.websocket() for _ in range(4)]
        for ws in some:
            ws.ask({"type": "reset", "data": {"task": "office/cancel-dentist", "seed": 1}})
        worlds = {ws.ask({"type": "state"})["data"]["world"] for ws in some}
        self.assertEqual(len(worlds), 4)
        event = "/calendar/v3/calendars/primary/events/dentist1"
        some[0].ask({"type": "step", "data": {"method": "DELETE", "path": event}})
        seen = [ws.ask({"type": "step", "data": {"method": "GET", "path": event}})["data"]["observation"]["body"] for ws in some]
        self.assertEqual([s["status"] for s in seen], ["cancelled"] + ["confirmed"] * 3)

    def test_messages_that_make_no_sense_are_refused_and_the_session_goes_on(self):
        ws = self.websocket()
        code = lambda m: ws.ask(m)["data"]["code"]
        self.assertEqual(code("{"), "INVALID_JSON")
        self.assertEqual(code("[" * 100000), "INVALID_JSON")
        self.assertEqual(code({"type": "jump"}), "UNKNOWN_TYPE")
        self.assertEqual(code([]), "UNKNOWN_TYPE")
        self.assertEqual(code({"type": "step", "data": 4}), "VALIDATION_ERROR")
        for data in ({"seed": -1}, {"seed": "x"}, {"seed": True}, {"task": "none"}, {"task": []}, {"episode_id": "x" * 256},
                     {"reward": "much"}, {"max_steps": 0}):
            self.assertEqual(code({"type": "reset", "data": data}), "VALIDATION_ERROR", data)
        ws.ask({"type": "reset", "data": {"seed": 1}})
        for action in ({}, {"method": "GET"}, {"method": "TRACE", "path": "/"}, {"method": "GET", "path": "no"},
                       {"method": "GET", "path": "/a b"}, {"method": "GET", "path": "/a\r\nX: y"}, {"method": "GET", "path": "/\u00e9"},
                       {"type": "call_tool"}, {"type": "call_tool", "tool_name": "x", "arguments": 3}, {"type": "fly"},
                       {"method": "GET", "path": "/", "colour": "red"}):
            self.assertEqual(code({"type": "step", "data": action}), "VALIDATION_ERROR", action)
        self.assertEqual(ws.ask({"type": "state"})["data"]["step_count"], 0)

    def test_an_agent_does_not_reach_the_control_interface_or_another_world(self):
        one, two = self.websocket(), self.websocket()
        for ws in (one, two):
            ws.ask({"type": "reset", "data": {"task": "office/cancel-dentist"}})
        other = two.ask({"type": "state"})["data"]["world"]
        look = lambda path: one.ask({"type": "step", "data": {"method": "GET", "path": path}})["data"]["observation"]["status"]
        self.assertGreaterEqual(look("/_sosia/v1/worlds"), 400)
        self.assertGreaterEqual(look("/../../_sosia/v1/worlds"), 400)
        self.assertGreaterEqual(look("/../%s/calendar/v3/users/me/calendarList" % other), 400)
        self.assertGreaterEqual(look("/w/%s/calendar/v3/users/me/calendarList" % other), 400)

    def test_frames_are_read_as_the_standard_has_them(self):
        ws = self.websocket()
        ws.frame(1, b'{"type":', final=False)
        ws.frame(9, b"hello")
        ws.frame(0, b' "state"}')
        self.assertEqual(ws.receive(), (10, b"hello"))
        self.assertEqual(json.loads(ws.receive()[1])["type"], "state")
        for send, expected in ((lambda w: w.frame(2, b"x"), 1003), (lambda w: w.frame(1, b"\xff"), 1007),
                               (lambda w: w.frame(0, b"x"), 1002), (lambda w: w.frame(3, b"x"), 1002),
                               (lambda w: w.socket.sendall(b"\x81\x01x"), 1002),
                               (lambda w: w.socket.sendall(b"\x81\xff" + (1 << 40).to_bytes(8, "big")), 1009),
                               (lambda w: w.frame(8, (3456).to_bytes(2, "big")), 3456)):
            ws = self.websocket()
            send(ws)
            self.assertEqual(ws.receive(), (8, expected.to_bytes(2, "big")))
            ws.close()

    def test_who_names_another_host_is_refused(self):
        key = self.info["key"]
        for host, status in (("localhost", 200), ("LOCALHOST:%d" % 1, 200), ("a.localhost.", 200), ("127.9.9.9:80", 200), ("[::1]:8000", 200),
                             ("evil.example", 421), ("localhost.evil.example", 421), ("10.0.0.1", 421), ("0.0.0.0", 421), ("[::]", 421),
                             ("localhost@evil.example", 400), ("", 400), ("a:b", 400)):
            self.assertEqual(self.said(("GET /k/%s/metadata HTTP/1.1\r\nHost: %s\r\n\r\n" % (key, host)).encode()), status, host)
        self.assertEqual(self.said(("GET /k/%s/metadata HTTP/1.1\r\n\r\n" % key).encode()), 400)

    def test_who_has_no_key_does_nothing(self):
        key, good = self.info["key"], "Authorization: Bearer %s\r\n"
        for path, more, status in (("/reset", "", 401), ("/k/%s/reset" % key, "", 200), ("/k/%sx/reset" % key, "", 401), ("/k//reset", "", 401),
                                   ("/reset", good % key, 200), ("/reset", good % key[:-1], 401), ("/reset", good % "", 401),
                                   ("/reset", "X-API-Key: %s\r\n" % key, 200), ("/mcp", "", 401), ("/step", "", 401), ("/none", "", 401)):
            text = "POST %s HTTP/1.1\r\nHost: localhost\r\n%sContent-Length: 2\r\n\r\n{}" % (path, more)
            self.assertEqual(self.said(text.encode()), status, (path, more))
        self.assertEqual(self.said(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"), 200)
        upgrade = ("Host: localhost\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " + "x" * 24 + "\r\n\r\n").encode()
        self.assertEqual(self.said(b"GET /ws HTTP/1.1\r\n" + upgrade), 401)
        self.assertEqual(self.said(b"GET /k/" + key.encode() + b"/ws HTTP/1.1\r\n" + upgrade), 101)

    def test_what_is_worked_in_is_an_evaluation(self):
        ws = self.websocket()
        ws.ask({"type": "reset", "data": {"task": "office/tell-sara"}})
        world = self.server.control("GET", "/worlds/" + ws.ask({"type": "state"})["data"]["world"])
        self.assertEqual((world["evaluation"], world["journal"]), (True, "all"))

    def test_sessions_of_tools_have_names_that_nobody_guesses(self):
        create = {"jsonrpc": "2.0", "id": 1, "method": "openenv/session/create", "params": {}}
        names = [self.http("POST", "/mcp", create)["result"]["session_id"] for _ in range(3)]
        for name in names:
            self.assertRegex(name, r"^mcp-[\w-]{22}$")
            self.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 2, "method": "openenv/session/close", "params": {"session_id": name}})
        self.assertEqual(len(set(names)), 3)

    def said(self, text):
        """The status of the answer to bytes."""
        at = urlsplit(self.url)
        with socket.create_connection((at.hostname, at.port), timeout=harness.PATIENCE) as s:
            s.sendall(text)
            return int(s.recv(4096).split(b" ")[1])

    def test_requests_are_read_strictly(self):
        key = b"Authorization: Bearer " + self.info["key"].encode() + b"\r\n"
        for text, status in ((b"GET /health HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n", 403),
                             (b"POST /reset HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
                             (b"POST /reset HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400),
                             (b"POST /reset HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
                             (b"nonsense\r\n\r\n", 400), (b"GET /" + b"x" * 50000 + b" HTTP/1.1\r\n\r\n", 431),
                             (b"GET /ws HTTP/1.1\r\nHost: localhost\r\n" + key + b"Upgrade: websocket\r\n\r\n", 426)):
            self.assertEqual(self.said(text), status, text[:60])
        self.http("POST", "/reset", "{", 400)
        self.http("POST", "/reset", "[]", 422)
        self.http("POST", "/step", {}, 422)
        self.http("GET", "/reset", None, 405)
        self.http("GET", "/none", None, 404)


class Keys(unittest.TestCase):
    def test_a_key_that_is_easily_guessed_is_refused(self):
        for words in (("--key", "k"), ("--key", "seven77"), ("--key", "has space in it"), ("--host", "0.0.0.0", "--key", "fifteen-letters")):
            for program in ("openenv.py", "isolation.py"):
                done = harness.run(program, "--port", "0", *words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (program, words))
                self.assertIn("--key must be", done.stderr)


class Processes(harness.FrontCase):
    """Three processes serve; whichever takes a connection, a session is one."""
    program, options = "openenv.py", ("--processes", "3", "--tools", "hosted", "--max-sessions", "40")

    def test_a_session_is_the_same_over_any_connection(self):
        names = ["s%d" % i for i in range(12)]
        for n in names:
            self.http("POST", "/reset", {"task": "office/tell-sara", "episode_id": n}, **{"X-Session-Id": n})
        for step in (1, 2):
            for n in names:  # a connection each
                self.http("POST", "/step", {"action": {"method": "GET", "path": "/gmail/v1/users/me/labels"}}, **{"X-Session-Id": n})
                state = self.http("GET", "/state", **{"X-Session-Id": n})
                self.assertEqual((state["episode_id"], state["step_count"]), (n, step))
        self.http("POST", "/step", {"action": {"type": "walk"}}, 422, **{"X-Session-Id": "s1"})

    def test_episodes_without_a_name_have_different_ones(self):
        ids = set()
        for _ in range(9):
            ws = self.websocket()
            ws.ask({"type": "reset", "data": {"task": "office/tell-sara"}})
            ids.add(ws.ask({"type": "state"})["data"]["episode_id"])
        self.assertEqual(len(ids), 9)

    def test_sessions_of_tools_are_found_by_any_process(self):
        rpc = lambda method, **params: self.http("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        made = [rpc("openenv/session/create", task="office/tell-sara")["result"]["session_id"] for _ in range(6)]
        for name in made:
            names = {t["name"] for t in rpc("tools/list", session_id=name)["result"]["tools"]}
            self.assertIn("gmail_send_email", names)  # of the set that was chosen
            self.assertNotIn("gmail_users_messages_send", names)
            self.assertEqual(rpc("openenv/session/close", session_id=name)["result"]["closed"], True)
            self.assertEqual(rpc("tools/list", session_id=name)["error"]["code"], -32602)

    def test_a_wait_lets_the_clock_go_on(self):
        ws = self.websocket()
        ws.ask({"type": "reset", "data": {"task": "office/tell-sara"}})
        one, two = (ws.ask({"type": "step", "data": {"type": "wait", "seconds": 60}})["data"]["observation"]["now"] for _ in range(2))
        self.assertLess(one, two)
        for seconds in (0, -1, 1.5, True, None, 10 ** 9):
            fault = ws.ask({"type": "step", "data": {"type": "wait", "seconds": seconds}})["data"]
            self.assertEqual(fault["code"], "VALIDATION_ERROR", seconds)


class Capacity(harness.FrontCase):
    program, options = "openenv.py", ("--max-sessions", "3", "--idle", "0")

    def test_no_more_sessions_than_there_is_room_for(self):
        some = [self.websocket() for _ in range(3)]
        for ws in some:
            self.assertEqual(ws.ask({"type": "state"})["type"], "state")
        full = json.loads(self.websocket().receive()[1])["data"]
        self.assertEqual((full["code"], full["active_sessions"], full["max_sessions"]), ("CAPACITY_REACHED", 3, 3))
        self.http("GET", "/state", None, 409)
        some[0].close()
        until = time.monotonic() + harness.PATIENCE
        while json.loads(self.asked(self.websocket())).get("type") != "state":  # what is closed makes room
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)
        for ws in some[1:]:
            ws.close()

    def test_sessions_over_http_that_nobody_uses_make_room(self):
        until = time.monotonic() + harness.PATIENCE
        for i in range(6):
            while self.status("/state", str(i)) != 200:
                self.assertLess(time.monotonic(), until)
                time.sleep(0.01)

    def status(self, path, name):
        at = urlsplit(self.url)
        connection = http.client.HTTPConnection(at.hostname, at.port, timeout=harness.PATIENCE)
        connection.request("GET", at.path + path, headers={"X-Session-Id": name})
        status = connection.getresponse().status
        connection.close()
        return status

    @staticmethod
    def asked(ws):
        """The answer to a message, or what came before it was sent."""
        try:
            ws.send({"type": "state"})
            return ws.receive()[1]
        except (EOFError, OSError):  # it was refused and closed already
            return "{}"
        finally:
            ws.close()


class Gymnasium(unittest.TestCase):
    def test_it_has_the_shape_of_an_environment(self):
        import gym_env
        env = gym_env.SosiaEnv(os.path.join(harness.SUITES, "office.yaml"), task="tell-sara")
        try:
            seen, info = env.reset(seed=5)
            self.assertEqual((seen["task"], info["step_count"]), ("office/tell-sara", 0))
            seen, reward, terminated, truncated, info = env.step({"method": "GET"})
            self.assertEqual((reward, terminated, truncated), (0.0, False, False))
            self.assertIn("path must", info["invalid"])
            env.step(json.dumps(keys_mail()))
            seen, reward, terminated, truncated, info = env.step({"type": "finish"})
            self.assertEqual((reward, terminated, truncated, info["passed"]), (1.0, True, False, True))
            env.reset(options={"max_steps": 1})
            seen, reward, terminated, truncated, info = env.step({"method": "GET", "path": "/gmail/v1/users/me/profile"})
            self.assertEqual((reward, terminated, truncated), (0.0, False, True))
            first = env.reset(seed=9, options={"task": "block-focus"})[0]
            self.assertEqual(first["task"], "office/block-focus")
            make = {"method": "POST", "path": "/calendar/v3/calendars/primary/events",
                    "body": {"start": {"date": "2026-11-24"}, "end": {"date": "2026-11-25"}}}
            one = env.step(make)[0]["body"]["id"]
            env.reset(seed=9, options={"task": "block-focus"})
            self.assertEqual(env.step(make)[0]["body"]["id"], one)  # the same seed, the same ids
            env.reset(seed=10, options={"task": "block-focus"})
            self.assertNotEqual(env.step(make)[0]["body"]["id"], one)
        finally:
            env.close()


if __name__ == "__main__":
    unittest.main()
