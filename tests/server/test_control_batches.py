#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many worlds in a request of the control interface: what is asked for wrongly, and worlds that others drop meanwhile."""
import json
import os
import threading
import unittest

from control_case import ControlCase
from harness import Wire

SUITE = {"version": "1", "closed": False, "assertions": [{"sql": "select count(*) from people", "is": 2}]}
MANY = 200


class Batches(ControlCase):
    """The same of all three: bodies with the worlds and what else is needed."""
    BATCHES = [("reset", {}), ("drop", {}), ("grade", {"suite": SUITE})]

    def count(self):
        return self.ok("GET", "/limits")["worlds"]

    def many(self, n=MANY):
        return self.ok("POST", self.path(self.make(), "/fork"), {"count": n, "actors": []}, 201)["worlds"]

    def test_a_count_is_a_whole_number_from_1_to_1000(self):
        fork, before = self.path(self.make(), "/fork"), self.count()
        for count in [0, -1, 1001, 2 ** 31, 2 ** 63, 2 ** 64 + 1, 10 ** 30, 1.5, 1e2, "2", "", True, [], [1], {}]:
            self.refused(400, "invalid", "POST", fork, {"count": count}, field="count", text="from 1 to 1000")
        for body in ['{"count":1,"count":2}', '{"count":01}', '{"count":0x10}', '{"count":', "[2]", "2"]:
            self.assertEqual(self.send("POST", fork, body).status, 400, body)
        self.refused(400, "invalid", "POST", fork, '{"count":1e400}', field="count")
        self.assertEqual(self.count(), before)

    def test_actors_are_words(self):
        fork, before = self.path(self.make(), "/fork"), self.count()
        for actors in [0, True, {}, [1], [None], [{}], [["x"]], ["a b"], [""], ["ada@acme.example", ""]]:
            self.refused(400, "invalid", "POST", fork, {"count": 2, "actors": actors}, field="actors")
        for actors in ["nobody", ["x" * 9000], "\n", ["ada@acme.example", "nobody"]]:
            self.refused(404, "actorNotFound", "POST", fork, {"count": 2, "actors": actors}, field="actors")
        for count, each in [(1000, 11), (501, 20), (2, 5001), (1, 10001)]:
            self.refused(400, "invalid", "POST", fork, {"count": count, "actors": ["a@b"] * each}, field="actors",
                         text="at most 10000 tokens")
        self.assertEqual(self.count(), before)
        twice = self.ok("POST", fork, {"count": 2, "actors": "  ada@acme.example   ADA@acme.example "}, 201)
        self.assertEqual(len({t["token"] for t in twice["tokens"]}), 4)
        for t in twice["tokens"]:
            self.assertEqual(self.whoami(t, t["token"]), "ada@acme.example")
            other = [w for w in twice["worlds"] if w != t["world"]][0]
            self.assertEqual(self.whoami({"world": other}, t["token"]), 401)

    def test_worlds_are_named_once_and_are_there(self):
        w = self.make(name="here")
        key = w["world"]
        for name, more in self.BATCHES:
            def refused(status, reason, worlds, text=None):
                return self.refused(status, reason, "POST", "/worlds/" + name, dict(more, worlds=worlds), field="worlds",
                                    text=text)
            for worlds in [None, 0, -1, True, {}, [], "", "  ", [1], [None], [{}], [[key]], [key + " " + key], [""]]:
                refused(400, "invalid", worlds)
            for worlds in [[key, key], key + " " + key, [key, "here"], "here  " + key, [key] * 1001]:
                refused(400, "invalid", worlds, "is there twice")
            upper = [key.upper()] if key.upper() != key else []     # a key of digits alone has none
            for missing in upper + ["nobody", "x" * 9000, "../" + key, "0" * 16, "f" * 16, "8" + "0" * 15,
                            "%016x" % (int(key, 16) ^ 1 << 40), "\u00e4"]:
                refused(404, "worldNotFound", [key, missing], 'there is no world "%s' % missing[:20])
            refused(400, "invalid", self.many(1000) + [key], "1000 worlds at most")
        self.assertEqual(self.ok("GET", "/worlds/here")["world"], key)
        self.ok("POST", "/worlds/reset", {"worlds": "  %s   " % key}, 204)

    def test_nobody_without_the_key_does_anything_to_many(self):
        w = self.make()
        token = self.token(w)
        for name, more in self.BATCHES:
            self.refused(403, "forbidden", "POST", "/worlds/" + name, dict(more, worlds=[w["world"]]), key=token)
            self.assertEqual(self.send("POST", "/worlds/" + name, dict(more, worlds=[w["world"]]), key="x" * 20).status, 401)
        self.ok("GET", self.path(w))

    def ask_twice(self, path, bodies):
        """At once, on a connection each: the statuses."""
        statuses, start = [0] * len(bodies), threading.Barrier(len(bodies))

        def ask(i):
            wire, data = Wire(self.port), json.dumps(bodies[i]).encode()
            head = "POST /_sosia/v1%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n"
            start.wait()
            statuses[i] = wire.ask((head % (path, self.key, len(data))).encode() + data).status
            wire.socket.close()
        threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(bodies))]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        return statuses

    def test_what_two_drop_at_once_is_gone(self):
        for _ in range(5):
            worlds, before = self.many(), self.count()
            # One of the two has begun before the other: it goes on to the end.
            statuses = self.ask_twice("/worlds/drop", [{"worlds": worlds}, {"worlds": worlds[::-1]}])
            self.assertIn(204, statuses)
            self.assertLessEqual(set(statuses), {204, 404})
            self.assertEqual(self.count(), before - MANY)

    def test_what_is_graded_and_dropped_while_others_drop_it_is_gone(self):
        worlds, before = self.many(), self.count()
        graded = {"suite": SUITE, "worlds": worlds, "then": "drop"}
        statuses = self.ask_twice("/worlds/grade", [graded, dict(graded, worlds=worlds[::-1])])
        self.assertIn(200, statuses)
        self.assertLessEqual(set(statuses), {200, 404})
        self.assertEqual(self.count(), before - MANY)

    def test_the_next_episodes_are_forked_as_what_was_graded_goes(self):
        base = self.make()["world"]
        keys = self.ok("POST", "/worlds/%s/fork" % base, {"count": 2}, 201)["worlds"]
        before = self.count()
        answer = self.ok("POST", "/worlds/grade", {"suite": SUITE, "worlds": keys, "then": "drop", "fork": base})
        self.assertEqual(list(answer), ["results", "forks"])
        self.assertEqual(len(answer["results"]), 2)
        forks = answer["forks"]
        self.assertEqual([t["world"] for t in forks["tokens"]], forks["worlds"])
        self.assertEqual(len(set(forks["worlds"]) - set(keys)), 2)
        self.assertEqual(self.count(), before)
        for key in keys:
            self.refused(404, "worldNotFound", "GET", "/worlds/" + key)
        for key in forks["worlds"]:
            self.assertEqual(self.ok("GET", "/worlds/" + key)["parent"], base)
        # Kept or reset, with tokens for nobody; also of what is graded and dropped itself.
        kept = self.ok("POST", "/worlds/grade", {"suite": SUITE, "worlds": forks["worlds"], "fork": base, "actors": []})["forks"]
        self.assertEqual((len(kept["worlds"]), kept["tokens"]), (2, []))
        own = self.ok("POST", "/worlds/grade", {"suite": SUITE, "worlds": kept["worlds"][:1], "then": "drop", "fork": kept["worlds"][0]})
        self.ok("GET", "/worlds/" + own["forks"]["worlds"][0])

    READS = {"version": "1.1", "assertions": [{"sql": "select count(*) from people", "is": 2},
                                              {"calls": {"verb": "GET"}, "expected_count": 0}]}

    def test_a_fork_for_a_suite_keeps_what_it_asks_for(self):
        base = self.make()["world"]
        fork = "/worlds/%s/fork" % base
        self.assertEqual(self.ok("POST", fork, {}, 201)["journal"], "writes")
        self.assertEqual(self.ok("POST", fork, {"journal": "all"}, 201)["journal"], "all")
        self.assertEqual(self.ok("POST", fork, {"journal": "none", "count": 3}, 201)["journal"], "none")
        self.assertEqual(self.ok("POST", fork, {"suite": SUITE}, 201)["journal"], "writes")
        self.assertEqual(self.ok("POST", fork, {"suite": SUITE, "journal": "none"}, 201)["journal"], "none")
        self.assertEqual(self.ok("POST", fork, {"suite": self.READS}, 201)["journal"], "all")
        self.assertEqual(self.ok("POST", fork, {"suite": json.dumps(self.READS), "journal": "all"}, 201)["journal"], "all")
        before = self.count()
        for mode in ("writes", "none"):
            self.refused(400, "invalid", "POST", fork, {"suite": self.READS, "journal": mode}, field="journal",
                         text='must be "all" for the task "1", whose assertions[1] (line 1) asks for calls that may only read, not '
                              '"%s"' % mode)
        self.refused(400, "invalid", "POST", fork, {"suite": self.READS, "task": "2"}, field="task", text="one of the suite's tasks")
        self.refused(400, "invalid", "POST", fork, {"task": "1"}, field="task", text="unless suite is given")
        self.refused(400, "suite", "POST", fork, {"suite": {"version": "2"}}, field="version", text='"1.1"')
        self.refused(400, "invalid", "POST", fork, {"journal": "most"}, field="journal")
        self.assertEqual(self.count(), before)
        # Without them it is not passed, and the next episodes have them.
        key = self.ok("POST", fork, {}, 201)["world"]
        answer = self.ok("POST", "/worlds/grade", {"suite": self.READS, "worlds": [key], "then": "drop", "fork": base})
        self.assertEqual((answer["results"][0]["passed"], answer["results"][0]["reason"]), (False, "journalWithoutReads"))
        again = answer["forks"]["worlds"]
        self.assertEqual(self.ok("GET", "/worlds/" + again[0])["journal"], "all")
        answer = self.ok("POST", "/worlds/grade", {"suite": self.READS, "worlds": again})
        self.assertTrue(answer["results"][0]["passed"])

    def test_answers_and_judgements_are_of_each_world(self):
        suite = {"version": "1.1", "assertions": [{"answer": {"mentions": "three"}}, {"judge": {"name": "tone", "at_least": 0.5}}]}
        keys = self.many(2)

        def grade(worlds, **more):
            results = self.ok("POST", "/worlds/grade", {"suite": suite, "worlds": worlds, **more})["results"]
            return [[part["passed"] for part in r["parts"]] for r in results]

        self.assertEqual(grade(keys), [[False, False], [False, False]])
        self.assertEqual(grade(keys[:1], answer="There are \"three\".", judgements={"tone": 0.5}), [[True, True]])
        self.assertEqual(grade(keys, answers=["Three.", None], judgements=[None, {"tone": True}]), [[True, False], [False, True]])
        for field, more in [("answer", {"answer": "x"}), ("answers", {"answers": ["x"]}), ("answers", {"answers": "three"}),
                            ("answers", {"answers": ["x", 3]}), ("judgements", {"judgements": {"tone": True}}),
                            ("judgements", {"judgements": [{}]}), ("judgements", {"judgements": [{}, {"tone": "yes"}]}),
                            ("judgements", {"judgements": [{}, 7]}), ("judgements", {"judgements": 7})]:
            self.refused(400, "judgements" if field == "judgements" and isinstance(more[field], list) and len(more[field]) == 2
                         else "invalid", "POST", "/worlds/grade", {"suite": suite, "worlds": keys, **more}, field=field)

    def test_a_fork_behind_a_grade_that_is_refused_changes_nothing(self):
        keys, before = self.many(2), self.count()
        for status, error, field, members in [
                (404, "worldNotFound", "fork", {"fork": "nobody"}),
                (400, "invalid", "actors", {"actors": ["ada@acme.example"]}),
                (404, "actorNotFound", "actors", {"fork": keys[0], "actors": ["nobody@acme.example"]})]:
            self.refused(status, error, "POST", "/worlds/grade", {"suite": SUITE, "worlds": keys, "then": "drop", **members},
                         field=field)
            self.assertEqual(self.count(), before)


if __name__ == "__main__":
    unittest.main()
