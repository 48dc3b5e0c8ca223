#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One task on two clouds: each prompt that two suites have in the same words is done in both worlds, by the same agent, and what came of
it is compared in the cores' terms.

    ./across.py                                       # the tasks of suites/workspace.yaml and suites/teams.yaml, by their reference actions
    ./across.py --agent "python3 my_agent.py" suites/calendar.yaml suites/outlook.yaml
    ./across.py --markdown report.md

An agent is what evaluate.py takes. The exit code is 0 if every task passed on both sides; outcomes may differ all the same, as a task
leaves open what the two services do differently.
"""
import argparse
import os
import random
import sys

import evaluate
from sosia import loops

SUITES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../suites")


def pairs(left, right):
    """The tasks of two suites that have the same id and the same words."""
    there = {t.id: t for t in right.tasks}
    return [(t, there[t.id]) for t in left.tasks if t.id in there and there[t.id].prompt == t.prompt]


def attempt(server, bases, task, agent, patience):
    """The world in which the agent has done it, and the verdict."""
    world = server.fork(task.base(server, bases), task.actor)
    script = evaluate.scripted(agent, random.Random(task.name))
    ran = evaluate.run_script(script, world, task) if script else evaluate.run_command(agent, world, task, patience)
    answers = [ran["answer"]] if "answer" in ran else None
    return world, server.grade(task.suite.text, task.id, [world.key], answers=answers)[0]


def compare(server, bases, left, right, agent="reference", patience=300):
    """A row of the report: the verdicts, and what `sosia diff --across` says."""
    (one, first), (other, second) = (attempt(server, bases, t, agent, patience) for t in (left, right))
    found = server.diff(other.key, one.key, "across")
    server.drop([one.key, other.key])
    return {"task": left.id, "prompt": left.prompt, "passed": [first["passed"], second["passed"]], **found}


def value(v):
    text = "nothing" if v is None else ", ".join(map(str, v)) if isinstance(v, list) else str(v)
    return text.replace("\n", " / ")


def what(item):
    """ "file `December` of lea@quay.example" """
    return " ".join([item["entity"]] + (["`%s`" % item["title"]] if "title" in item else []) + (["of " + item["person"]] if "person" in item else []))


def lines(row):
    """What differs, a line each."""
    out = []
    for item in row["differences"]:
        if not (item["left"] and item["right"]):
            out.append("%s: %s on the %s alone" % (what(item), item["left"] or item["right"], "left" if item["left"] else "right"))
            continue
        if item["left"] != item["right"]:
            out.append("%s: %s, %s" % (what(item), item["left"], item["right"]))
        for name, field in item["fields"].items():
            out.append("%s: %s is %s, %s" % (what(item), name, value(field.get("left")), value(field.get("right"))))
    for side in ("left", "right"):
        out += ["%s: %s on the %s, of which no core has terms" % (what(i), i["change"], side) for i in row["apart"][side]]
    return out


def markdown(rows, left, right):
    """The report as a page."""
    out = ["| task | `%s` | `%s` | the same | different |" % (left, right), "|---|---|---|---|---|"]
    for row in rows:
        passed = ["passed" if p else "failed" for p in row["passed"]]
        out.append("| `%s` | %s | %s | %s | %s |" % (
            row["task"], *passed, "; ".join(what(i).replace("|", "\\|") for i in row["same"]) or "nothing",
            "<br>".join(l.replace("|", "\\|") for l in lines(row)) or "nothing"))
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="two files (default: workspace.yaml and teams.yaml)")
    parser.add_argument("--agent", default="reference", help="a scripted agent or a command, as evaluate.py has them")
    parser.add_argument("--patience", type=float, default=300, help="seconds for an attempt")
    parser.add_argument("--markdown", metavar="FILE", help="the report as a page")
    options = parser.parse_args()
    names = options.suites or [os.path.join(SUITES, n) for n in ("workspace.yaml", "teams.yaml")]
    if len(names) != 2:
        parser.error("there must be two suites, there are %d" % len(names))
    left, right = map(loops.Suite, names)
    shared, bases = pairs(left, right), {}
    with loops.Sosia.find() as server:
        rows = [compare(server, bases, a, b, options.agent, options.patience) for a, b in shared]
    for row in rows:
        print("%-20s %s | %s  %s" % (row["task"], *("passed" if p else "failed" for p in row["passed"]),
                                     "equal" if row["equal"] else "%d same, %d different" % (len(row["same"]), len(row["differences"]))))
        for line in lines(row):
            print("    " + line)
    if options.markdown:
        with open(options.markdown, "w", encoding="utf-8") as f:
            f.write(markdown(rows, left.name, right.name))
    print("%d of %d equal" % (sum(r["equal"] for r in rows), len(rows)))
    return 0 if all(all(r["passed"]) for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
