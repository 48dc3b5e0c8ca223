# SPDX-License-Identifier: Apache-2.0
"""The interface of open evaluators of diffs, as their clients use it: environments, runs, diffs, verdicts, templates."""
import unittest
import uuid

import harness

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


if __name__ == "__main__":
    unittest.main()
