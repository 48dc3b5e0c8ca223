# SPDX-License-Identifier: Apache-2.0
"""The interface of open evaluators of diffs, as their clients use it: environments, runs, diffs, verdicts, templates."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import uuid

import harness

sys.path.insert(0, os.path.join(harness.ROOT, "tests/support"))
import tables

KEY = {"X-API-Key": "key-one-8"}


class Isolation(harness.FrontCase):
    program, options = "isolation.py", ("--key", "key-one-8", "--fixture", "small")

    def platform(self, method, path, body=None, status=200, **more):
        return self.http(method, "/api/platform/" + path, body, status, **{**KEY, **more})

    def env(self, **body):
        return self.platform("POST", "initEnv", body, 201)

    def number_of(self, suite, name):
        listed = self.platform("GET", "testSuites")["testSuites"]
        number = next(s["id"] for s in listed if s["name"] == suite)
        return next(t["id"] for t in self.platform("GET", "testSuites/" + number)["tests"] if t["name"] == name)

    def test_what_is_there_has_ids_that_stay(self):
        self.assertEqual(self.platform("GET", "health")["status"], "healthy")
        templates = self.platform("GET", "templates")["templates"]
        self.assertEqual({t["name"] for t in templates} & {"small", "office", "chains"}, {"small", "office", "chains"})
        for t in templates:
            self.assertEqual(str(uuid.UUID(t["id"])), t["id"])
            self.assertEqual(self.platform("GET", "templates/" + t["id"])["name"], t["name"])
        test = self.platform("GET", "tests/" + self.number_of("sharing", "topic-of-dock"))
        self.assertEqual((test["name"], test["type"]), ("topic-of-dock", "actionEval"))
        self.assertNotIn("reference", test)
        # with all that a client's models ask for
        self.assertEqual(set(test), {"id", "name", "prompt", "type", "seed_template", "expected_output", "created_at", "updated_at"})
        self.assertEqual((test["seed_template"], test["expected_output"]), ("sharing", {"suite": "sharing", "test": "topic-of-dock"}))
        number = next(s["id"] for s in self.platform("GET", "testSuites")["testSuites"] if s["name"] == "sharing")
        whole = self.platform("GET", "testSuites/%s?expand=tests" % number)
        self.assertEqual(set(whole), {"id", "name", "description", "owner", "visibility", "created_at", "updated_at", "tests"})
        self.assertIn(test, whole["tests"])
        self.assertEqual(set(self.platform("GET", "testSuites/" + number)), {"tests"})

    def test_a_run_from_the_beginning_to_its_verdict(self):
        test = self.number_of("sharing", "topic-of-dock")
        env = self.env(testId=test, templateService="slack", ttlSeconds=600)
        self.assertEqual(env["service"], "slack")
        run = self.platform("POST", "startRun", {"envId": env["environmentId"], "testId": test}, 201)
        self.assertEqual(run["status"], "running")
        before = self.platform("POST", "diffRun", {"runId": run["runId"]})
        self.assertEqual(before["diff"], {"inserts": [], "updates": [], "deletes": []})
        # the service's base URL needs no token: who knows the environment acts in it
        said = self.http("POST", env["environmentUrl"] + "conversations.setTopic", {"channel": "C0DOCK0001", "topic": "Launch on 30 November"})
        self.assertTrue(said["ok"])
        diff = self.platform("POST", "diffRun", {"envId": env["environmentId"], "beforeSuffix": run["beforeSnapshot"]})["diff"]
        self.assertEqual([(u["__table__"], u["before"]["topic"], u["after"]["topic"]) for u in diff["updates"]],
                         [("channel", "", "Launch on 30 November")])
        done = self.platform("POST", "evaluateRun", {"runId": run["runId"]})
        self.assertEqual((done["status"], done["passed"], done["score"]["percent"]), ("passed", True, 100))
        results = self.platform("GET", "results/" + run["runId"])
        self.assertEqual((results["passed"], results["failures"], results["diff"]), (True, [], diff))
        self.assertEqual(self.platform("DELETE", "env/" + env["environmentId"])["status"], "deleted")
        self.http("POST", env["environmentUrl"] + "auth.test", {}, 404)

    def test_a_run_that_fails_says_why(self):
        test = self.number_of("office", "cancel-dentist")
        env = self.env(testId=test, templateService="calendar")
        run = self.platform("POST", "startRun", {"envId": env["environmentId"], "testId": test}, 201)["runId"]
        self.http("DELETE", env["environmentUrl"] + "calendars/primary/events/visitors", None, 204)
        done = self.platform("POST", "evaluateRun", {"runId": run})
        self.assertEqual((done["status"], done["passed"]), ("failed", False))
        results = self.platform("GET", "results/" + run)
        self.assertEqual(len(results["failures"]), 2)
        self.assertEqual([d["__table__"] for d in results["diff"]["deletes"]], ["event"])

    def test_services_have_their_addresses(self):
        env = self.env(templateName="small", impersonateEmail="bo@small.example")
        base = "/api/env/%s/services/" % env["environmentId"]
        for path in ("calendar/users/me/calendarList", "calendar/calendar/v3/users/me/calendarList", "gmail/users/me/profile",
                     "drive/files?fields=files(name)", "all/gmail/v1/users/me/profile"):
            self.http("GET", base + path)
        self.assertEqual(self.http("GET", base + "gmail/users/me/profile")["emailAddress"], "bo@small.example")
        self.http("GET", base + "nothing/x", None, 404)
        self.http("GET", base + "all/_sosia/v1/worlds", None, 404)

    def test_people_of_a_workspace_are_named_by_their_ids(self):
        env = self.env(templateName="workspace", templateService="slack", impersonateUserId="U0IDA00001")
        self.assertEqual(self.http("POST", env["environmentUrl"] + "auth.test", {})["user_id"], "U0IDA00001")
        self.platform("POST", "initEnv", {"templateName": "workspace", "impersonateUserId": "U0NOBODY"}, 400)

    def test_environments_are_apart_and_make_templates(self):
        one, two = (self.env(templateName="small", templateService="calendar") for _ in range(2))
        event = "calendars/primary/events/smallreviev01"
        self.http("PATCH", one["environmentUrl"] + event, {"summary": "Changed"})
        self.assertEqual(self.http("GET", two["environmentUrl"] + event)["summary"], "Review of the draft")
        made = self.platform("POST", "templates/from-environment",
                             {"environmentId": one["environmentId"], "service": "calendar", "name": "changed"}, 201)
        third = self.env(templateId=made["templateId"])
        self.assertEqual(self.http("GET", third["environmentUrl"] + event)["summary"], "Changed")

    def test_what_makes_no_sense_is_refused(self):
        self.http("GET", "/api/platform/templates", None, 401)
        self.platform("GET", "templates", None, 401, **{"X-API-Key": "other"})
        for body, status in (({}, 400), ([], 400), ({"templateName": "none"}, 404), ({"testId": "x"}, 404), ({"templateId": 4}, 404),
                             ({"templateName": "small", "ttlSeconds": -1}, 400), ({"templateName": "small", "ttlSeconds": "x"}, 400),
                             ({"templateName": "small", "templateService": "fax"}, 400),
                             ({"templateName": "small", "impersonateEmail": "no@where.example"}, 404)):
            self.platform("POST", "initEnv", body, status)
        self.platform("POST", "startRun", {"envId": "x"}, 404)
        self.platform("POST", "evaluateRun", {"runId": "x"}, 404)
        self.platform("GET", "results/x", None, 404)
        self.platform("DELETE", "env/x", None, 404)
        self.platform("POST", "nothing", {}, 404)
        env = self.env(templateName="small")
        run = self.platform("POST", "startRun", {"envId": env["environmentId"]}, 201)["runId"]
        self.platform("POST", "evaluateRun", {"runId": run}, 400)
        other = self.env(templateName="small")
        self.platform("POST", "diffRun", {"envId": env["environmentId"], "beforeSuffix": other["environmentId"]}, 400)


class AboutTables(harness.FrontCase):
    """Suites about tables, imported with their seeds, as clients of evaluators of diffs by table run them."""

    program = "isolation.py"

    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.options = ["--key", KEY["X-API-Key"], "--fixture", "small"]
        for service, (_, suite, seed, *_) in tables.SERVICES.items():
            names = [os.path.join(cls.dir.name, service + end) for end in ("-suite.json", "-seed.json", ".json")]
            # each service's tables are the seed of another template
            suite = {**suite, "tests": [{**t, "seed_template": service + "_pier"} for t in suite["tests"]]}
            for name, value in zip(names, (suite, seed)):
                with open(name, "w", encoding="utf-8") as f:
                    json.dump(value, f)
            subprocess.run([os.environ["SOSIA"], "suite", "import", names[0], "--seed", names[1], "--output", names[2]], check=True,
                           stderr=subprocess.DEVNULL)
            cls.options += ["--suite", names[2]]
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.dir.cleanup()

    def platform(self, method, path, body=None, status=200):
        return self.http(method, "/api/platform/" + path, body, status, **KEY)

    def play(self, service, test, calls):
        """What evaluateRun says, and the diff."""
        env = self.platform("POST", "initEnv", {"templateService": service, "templateName": test["seed_template"],
                                                "impersonateUserId": self.users[test["id"]]}, 201)
        run = self.platform("POST", "startRun", {"envId": env["environmentId"], "testId": test["id"]}, 201)["runId"]
        kept = {}
        for method, path, body, *keep in calls:
            for name, value in kept.items():
                path, body = path.replace("$" + name, value), json.loads(json.dumps(body).replace("$" + name, value))
            data = self.http(method, env["environmentUrl"] + path, body, 204 if method == "DELETE" or path == "channels/stop" else 200)
            if keep:
                for step in keep[1].split("."):
                    data = data[step]
                kept[keep[0]] = data
        diff = self.platform("POST", "diffRun", {"runId": run})["diff"]
        done = self.platform("POST", "evaluateRun", {"runId": run})
        self.assertEqual(self.platform("GET", "results/" + run)["diff"], diff)
        self.platform("DELETE", "env/" + env["environmentId"])
        return done, diff

    def test_verdicts_of_suites_about_tables(self):
        listed = {s["name"]: s["id"] for s in self.platform("GET", "testSuites")["testSuites"]}
        templates = {t["name"] for t in self.platform("GET", "templates")["templates"]}
        for service, (_, suite, _, right, wrong, _) in tables.SERVICES.items():
            tests = self.platform("GET", "testSuites/" + listed[suite["name"]])["tests"]
            self.users = {t["id"]: s["impersonate_user_id"] for t, s in zip(tests, suite["tests"])}
            self.assertIn(service + "_pier", templates)
            for test in tests:
                with self.subTest(service=service, test=test["name"]):
                    self.assertEqual(test["seed_template"], service + "_pier")
                    done, diff = self.play(service, test, [])
                    self.assertEqual((done["passed"], diff), (False, {"inserts": [], "updates": [], "deletes": []}))
                    done, diff = self.play(service, test, right[test["name"]])
                    self.assertEqual((done["status"], done["score"]["percent"]), ("passed", 100), diff)
                    self.assertFalse(self.play(service, test, wrong[test["name"]][0])[0]["passed"])

    def test_rows_have_the_columns_of_their_tables(self):
        listed = {s["name"]: s["id"] for s in self.platform("GET", "testSuites")["testSuites"]}
        test = self.platform("GET", "testSuites/" + listed["Pier chat"])["tests"][0]
        self.users = {test["id"]: "U0NORA"}
        _, diff = self.play("slack", test, tables.CHAT_RIGHT["post"] + tables.CHAT_RIGHT["kick"] + tables.CHAT_RIGHT["topic"])
        said = diff["inserts"][0]
        self.assertEqual({k: said[k] for k in ("__table__", "channel_id", "user_id", "parent_id", "message_text")},
                         {"__table__": "messages", "channel_id": "C0_QUAY", "user_id": "U0NORA", "parent_id": None, "message_text": "It is high tide"})
        self.assertEqual(diff["deletes"], [{"__table__": "channel_members", "channel_id": "C0_QUAY", "user_id": "U0_IVO"}])
        self.assertEqual([(u["__table__"], u["before"]["topic_text"], u["after"]["topic_text"]) for u in diff["updates"]],
                         [("channels", "Moorings", "Storm at eight")])
        self.assertEqual(len(diff["inserts"]), 1)  # what the system notes is in no table


if __name__ == "__main__":
    unittest.main()
