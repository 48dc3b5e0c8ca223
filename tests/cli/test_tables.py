# SPDX-License-Identifier: Apache-2.0
"""Suites about tables: `sosia suite import`, and their verdicts by the command and by the control interface."""
import json
import os
import sys
import tempfile

import harness

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import tables


class Tables(harness.ServerCase):
    @classmethod
    def tearDownClass(cls):
        code, out, err = cls.server.stop()
        other = [line for line in err.decode().splitlines() if 'event="webhook' not in line]  # nobody is there who takes them
        assert (code, out, other) == (0, b"", []), (code, out, other)

    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def write(self, name, value):
        path = os.path.join(self.dir.name, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(value if isinstance(value, str) else json.dumps(value, indent=1))
        return path

    def run_it(self, code, *words):
        done = self.server.command(*words)
        self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        return done

    def imported(self, service, **more):
        """The suite, and the lines that say what was left out."""
        _, suite, seed, *_ = tables.SERVICES[service]
        done = self.run_it(0, "suite", "import", self.write("suite.json", {**suite, **more}), "--seed", self.write("seed.json", seed))
        return json.loads(done.stdout), done.stderr.splitlines()

    def act(self, world, token, base, calls):
        kept = {}
        for method, path, body, *keep in calls:
            for name, value in kept.items():
                path, body = path.replace("$" + name, value), json.loads(json.dumps(body).replace("$" + name, value))
            answer = self.server.call(token, method, base + path, body, world)
            self.assertLess(answer.status, 300, (path, answer.body))
            data = answer.json() if answer.body else {}
            self.assertTrue(data.get("ok", True), (path, data))
            if keep:
                for step in keep[1].split("."):
                    data = data[step]
                kept[keep[0]] = data

    def play(self, base, suite, text, test, calls):
        """The verdict of the control interface on calls of the task's person in a fork."""
        made = self.control("POST", "/worlds/%s/fork" % self.base, {"actors": [test["actor"]]}, 201)
        self.act(made["world"], made["tokens"][0]["token"], base, calls)
        graded = self.control("POST", "/worlds/grade", {"suite": text, "task": test["id"], "worlds": [made["world"]]})["results"][0]
        return made["world"], graded

    def check_service(self, service):
        base, suite, seed, right, wrong, _ = tables.SERVICES[service]
        self.assertEqual({t["id"] for t in suite["tests"]}, set(right), set(wrong))
        imported, _ = self.imported(service)
        text = json.dumps(imported)
        self.base = self.create(seed_document=imported["seed"], clock="frozen")
        for test in imported["tests"]:
            with self.subTest(task=test["id"]):
                world, graded = self.play(base, suite, text, test, [])
                self.assertFalse(graded["passed"], "nothing was done")
                world, graded = self.play(base, suite, text, test, right[test["id"]])
                self.assertEqual((graded["passed"], graded["failures"], graded["versions"]["language"]), (True, [], "0.1"))
                for calls in wrong[test["id"]]:
                    self.assertFalse(self.play(base, suite, text, test, calls)[1]["passed"], calls)
        # the command has the same verdict, and so has the diff that it prints
        path = self.write("mine.json", imported)
        self.assertIn("passed, reward 1", self.run_it(0, "grade", path, world, "--task", test["id"]).stdout)
        rows = self.write("rows.json", self.run_it(0, "diff", "--origin", world, "--tables").stdout)
        self.assertIn("passed, reward 1", self.run_it(0, "grade", path, "--task", test["id"], "--rows", rows).stdout)

    def test_a_suite_about_a_workspace_has_its_own_verdicts(self):
        self.check_service("slack")

    def test_a_suite_about_calendars_has_its_own_verdicts(self):
        self.check_service("calendar")

    def test_what_an_import_leaves_out_is_said(self):
        for service in tables.SERVICES:
            with self.subTest(service=service):
                self.assertEqual(sorted(self.imported(service)[1]), sorted(tables.SERVICES[service][5]))

    def test_ids_of_another_shape_are_the_same_ones_everywhere(self):
        imported, _ = self.imported("slack")
        seed = imported["seed"]
        self.assertEqual([m["id"] for m in seed["workspaces"][0]["members"]], ["U0NORA", "U0_IVO", "UCLEO_7"])
        self.assertEqual([(c["id"], c["members"]) for c in seed["channels"]],
                         [("C0_QUAY", ["U0NORA", "U0_IVO"]), ("CROPES", ["U0NORA", "UCLEO_7"])])
        first = seed["messages"][0]
        self.assertEqual((first["text"], first["reactions"]), ("Berth 4 is free, <@UCLEO_7>", [{"name": "+1", "by": ["U0_IVO"]}]))
        self.assertEqual([(r["ts"], r["from"]) for r in first["replies"]], [("1760000100.000200", "U0_IVO")])
        tests = {t["id"]: t["assertions"][0]["where"] for t in imported["tests"]}
        self.assertEqual(tests["invite"]["user_id"], {"in": ["UCLEO_7", "nobody"]})
        self.assertEqual(tests["react"]["message_id"], {"eq": seed["messages"][1]["ts"]})
        self.assertEqual(tests["mention"]["message_text"], {"contains": "<@UCLEO_7>"})
        self.assertEqual(imported["tests"][0]["actor"], "nora@pier.example")
        imported, _ = self.imported("calendar")
        self.assertEqual([(a["id"], a["actor"]) for a in imported["seed"]["accounts"]],
                         [("user_nora", "nora@pier.example"), ("user_ivo", "ivo@pier.example")])
        self.assertEqual(imported["seed"]["time"], "2026-02-01T08:01:00Z")

    def test_suites_name_tables_that_are_there(self):
        def suite(*entities):
            return self.write("bad.json", {"tests": [{"id": "a", "assertions": [
                {"diff_type": "added", "entity": e} for e in entities]}]})
        for words in (("suite", "list"), ("suite", "import"), ("grade",)):
            world = [self.server.world] if words == ("grade",) else []
            err = self.run_it(1, *words, suite("messages", "mesages"), *world).stderr
            self.assertRegex(err, r'bad.json:\d+: tests\[0\].assertions\[1\].entity: must be a table or entity, "mesages" is not; '
                                  r"nearest: messages \(there are teams users .* message_reactions")
            self.assertIn("nearest: calendar_events (there are calendar_users calendars", self.run_it(1, *words, suite("calendar_event"), *world).stderr)
            self.assertRegex(self.run_it(1, *words, suite("chatMesage"), *world).stderr, r"nearest: chatMessage \(there are .*event")
            self.assertIn('assertions[1].entity: must be a table as in the assertions before, "event" is an entity',
                          self.run_it(1, *words, suite("messages", "event"), *world).stderr)
        two = self.write("two.json", {"tests": [{"id": str(i), "assertions": [{"diff_type": "added", "entity": e}]}
                                                for i, e in enumerate(("event", "calendar_events"))]})
        self.assertIn("two.json:", self.run_it(1, "suite", "list", two).stderr)
        self.assertIn("tests[1]: must be about entities as the tasks before", self.run_it(1, "suite", "list", two).stderr)
        # entities are still what a suite may be about, and rows may be of any table
        self.run_it(0, "suite", "list", suite("event", "chatMessage"))
        rows = self.write("rows.json", {"inserts": [{"__table__": "issues"}]})
        self.run_it(0, "grade", suite("issues"), "--rows", rows)

    def test_what_can_t_be_imported_is_refused(self):
        def refused(suite, seed=None):
            words = ["suite", "import", self.write("suite.json", suite)]
            return self.run_it(1, *words, *(["--seed", self.write("seed.json", seed)] if seed is not None else [])).stderr
        chat, seed = tables.CHAT_SUITE, tables.CHAT_SEED
        self.assertIn("must be of version 0.1 and about tables", refused({"version": "1", "tests": [{"assertions": [{"state": "event"}]}]}))
        self.assertIn("seed.json: must be an object of tables", refused(chat, []))
        self.assertIn("seed.json: users: must be a list of rows", refused(chat, {"users": {}}))
        self.assertIn("seed.json: users[0]: must be a row", refused(chat, {"users": [1]}))
        self.assertIn("must have one of the tables teams and calendar_users, has neither", refused(chat, {}))
        self.assertIn("has both", refused(chat, {**seed, **tables.CALENDAR_SEED}))
        self.assertIn('impersonate_user_id must be of somebody in the seed, "U0NORA" is not', refused(chat, {**seed, "users": seed["users"][1:]}))
        broken = {**tables.CALENDAR_SEED, "calendar_acl_rules": tables.table("calendar_id role scope_type scope_value",
                                                                             ("cal_berths", "king", "user", "ivo@pier.example"))}
        self.assertIn('"king" is none of', refused(tables.CALENDAR_SUITE, broken))

    def test_a_suite_without_a_seed_and_a_time_of_one_s_own(self):
        suite = json.loads(self.run_it(0, "suite", "import", self.write("suite.json", tables.CHAT_SUITE)).stdout)
        self.assertEqual((suite["version"], "seed" in suite, suite["tests"][0]["impersonate_user_id"]), ("0.1", False, "U0NORA"))
        out = os.path.join(self.dir.name, "out.json")
        self.run_it(0, "suite", "import", self.write("suite.json", tables.CALENDAR_SUITE), "--seed",
                    self.write("seed.json", tables.CALENDAR_SEED), "--time", "2026-02-03T10:00:00+01:00", "--output", out)
        with open(out, encoding="utf-8") as f:
            self.assertEqual(json.load(f)["seed"]["time"], "2026-02-03T10:00:00+01:00")


if __name__ == "__main__":
    harness.unittest.main()
