#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An evaluation: an agent at a hundred tasks on all cores, and a report on the terminal, as JSON, JUnit and HTML.

    ./evaluate.py --agent reference --json report.json --junit report.xml --html report.html
    ./evaluate.py --agent "python3 my_agent.py" --tasks 40

An agent is one of the scripted ones (reference: acts by the suite; careless: omits or repeats something now and then; idle) or a
command, which is run once for each attempt in a fork of its own, with SOSIA_PROMPT, SOSIA_ACTOR, SOSIA_WORLD_URL (the base URL of all
services) and SOSIA_TOKEN in its environment. The last line that it prints may be JSON: {"cost": 0.02, "tokens": 4100}. It never gets
the control interface's key. Where there are fewer tasks than attempts, later ones have other ids and, for scripted agents, another chance.
"""
import argparse
import concurrent.futures
import html
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
import xml.sax.saxutils as sax
from collections import Counter

import sosia

KINDS = ("agent", "refused", "goal", "guard", "unexpected")  # of failures
SAID = {"agent": "the agent failed or took too long", "refused": "calls were refused", "goal": "something asked for is missing",
        "guard": "something was done that must not be", "unexpected": "something was changed that nobody asked for"}

# ---- agents ----


def scripted(name, chance):
    """What a scripted agent does of the reference actions: a list of them."""
    def idle(actions):
        return []

    def careless(actions):
        out = []
        for a in actions:
            out += [a] * chance.choices((1, 0, 2), (8, 1, 1))[0]
        return out
    return {"reference": list, "careless": careless, "idle": idle}.get(name)


def run_script(script, world, task):
    saved = {}
    for action in script(task.reference):
        sosia.perform(world, action, saved)
    return {}


def run_command(command, world, task, patience):
    """Runs a command as the agent; its own variables of sosia are kept from it."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("SOSIA")}
    env.update(SOSIA_PROMPT=task.prompt, SOSIA_ACTOR=task.actor, SOSIA_WORLD_URL=world.url, SOSIA_TOKEN=world.token)
    done = subprocess.Popen(command, shell=True, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            start_new_session=True)
    try:
        said_last, complaint = done.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, signal.SIGKILL)  # with all that it has started
        done.communicate()
        return {"error": "took more than %g s" % patience}
    lines = said_last.decode("utf-8", "replace").strip().splitlines()
    try:
        said = json.loads(lines[-1]) if lines else {}
    except ValueError:
        said = {}
    out = {k: said[k] for k in ("cost", "tokens") if isinstance(said, dict) and isinstance(said.get(k), (int, float)) and
           0 <= said[k] < 1e15}
    if done.returncode:
        out["error"] = "status %d: %s" % (done.returncode, complaint.decode("utf-8", "replace").strip()[-500:])
    return out


# ---- attempts ----


def kinds_of(attempt, graded):
    """Why an attempt was not passed: any of KINDS."""
    if graded["passed"]:
        return []
    broken = [p["role"] for p in graded["parts"] if not p["passed"]]
    found = {"agent": "error" in attempt, "refused": attempt.get("refused", 0) > 0, "goal": "goal" in broken,
             "guard": "guard" in broken, "unexpected": bool(graded["unexpected"] or graded.get("unexpected_calls"))}
    return [k for k in KINDS if found[k]]


LABELS = {"cost": "cost", "tokens_in": "tokens", "tokens_out": "tokens"}


def journal_of(server, world):
    """How many calls the agent has made, and how many were refused: by their status, or by what Slack says with a 200; and what
    it has said of their cost and tokens, in headers."""
    calls = refused = after = 0
    said = {}
    while after is not None:  # a page of long bodies has fewer entries than it may
        page = server.control("GET", "/worlds/%s/journal?limit=1000&bodies=true&after=%d" % (world, after))
        for e in page["entries"]:
            if "request" in e:
                calls += 1
                refused += e["response"]["status"] >= 400 or str(e["response"].get("body")).startswith('{"ok":false')
                for label, name in LABELS.items():
                    if label in e.get("labels", {}):
                        said[name] = said.get(name, 0) + e["labels"][label]
        after = page.get("next")
    return calls, refused, said


def attempt(server, task, base, number, options):
    """One attempt in a fork of its own; gives its row of the report."""
    world = server.fork(base, task.actor, seed=number + 1)
    row = {"task": task.name, "difficulty": task.difficulty, "variant": number}
    began = time.perf_counter()
    try:
        script = scripted(options["agent"], random.Random("%d/%s/%d" % (options["seed"], task.name, number)))
        row.update(run_script(script, world, task) if script else run_command(options["agent"], world, task, options["patience"]))
        row["seconds"] = round(time.perf_counter() - began, 6)
        row["calls"], row["refused"], said = journal_of(server, world.key)
        graded = server.grade(task.suite.text, task.id, [world.key])[0]
    finally:
        server.drop([world.key])
    row = {**said, **row}  # what it says at its end is of the whole
    row.setdefault("cost", row["calls"] * options["price"])
    row.update(passed=graded["passed"], reward=graded["reward"], kinds=kinds_of(row, graded), failures=graded["failures"],
               versions=graded["versions"])
    return row


_worker = {}


def begin(url, key, paths):
    """In each process: a client and the suites."""
    _worker.update(server=sosia.Sosia(url, key), tasks={t.name: t for p in paths for t in sosia.Suite(p).tasks})


def work(name, base, number, options):
    return attempt(_worker["server"], _worker["tasks"][name], base, number, options)


# ---- reports ----


def quantile(values, q):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else 0


def sums(rows):
    seconds = [r["seconds"] for r in rows]
    return {"attempts": len(rows), "passed": sum(r["passed"] for r in rows), "accuracy": statistics.fmean(r["passed"] for r in rows),
            "partial_credit": statistics.fmean(r["reward"] for r in rows), "calls": sum(r["calls"] for r in rows),
            "refused_calls": sum(r["refused"] for r in rows), "cost": round(sum(r["cost"] for r in rows), 6),
            "tokens": sum(r.get("tokens", 0) for r in rows),
            "seconds": {"p50": quantile(seconds, .5), "p95": quantile(seconds, .95), "max": max(seconds)},
            "failures": dict(Counter(k for r in rows for k in r["kinds"]))}


def groups(rows):
    """(what, rows) of suites, difficulties and all."""
    for name in sorted({r["task"].split("/")[0] for r in rows}):
        yield name, [r for r in rows if r["task"].startswith(name + "/")]
    for name in ("easy", "medium", "hard", "expert"):
        some = [r for r in rows if r["difficulty"] == name]
        if some:
            yield name, some
    yield "all", rows


HEADS = ("", "attempts", "passed", "accuracy", "credit", "calls", "refused", "cost", "tokens", "p50 ms", "p95 ms", *KINDS)


def cells(name, s):
    return (name, s["attempts"], s["passed"], "%.1f %%" % (100 * s["accuracy"]), "%.3f" % s["partial_credit"], s["calls"],
            s["refused_calls"], "%.4g" % s["cost"], s["tokens"], "%.1f" % (1000 * s["seconds"]["p50"]),
            "%.1f" % (1000 * s["seconds"]["p95"]),
            *(s["failures"].get(k, 0) for k in KINDS))


def table(rows):
    lines = [HEADS] + [tuple(str(c) for c in cells(n, sums(r))) for n, r in groups(rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADS))]
    return "\n".join("  ".join(c.ljust(w) if not i else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))).rstrip() for line in lines)


def as_json(rows, agent, elapsed):
    return json.dumps({"agent": agent, "elapsed": elapsed, "all": sums(rows), "groups": {n: sums(r) for n, r in groups(rows)},
                       "attempts": rows}, indent=1) + "\n"


def clean(text):
    """Without what XML can't have."""
    return "".join(c for c in text if c in "\t\n" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff")


def as_junit(rows, agent, elapsed):
    out = ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name=%s tests="%d" failures="%d" time="%.3f">' % (
        sax.quoteattr(clean(agent)), len(rows), sum(not r["passed"] for r in rows), elapsed)]
    for suite in sorted({r["task"].split("/")[0] for r in rows}):
        some = [r for r in rows if r["task"].startswith(suite + "/")]
        out.append(' <testsuite name=%s tests="%d" failures="%d" time="%.3f">' % (
            sax.quoteattr(suite), len(some), sum(not r["passed"] for r in some), sum(r["seconds"] for r in some)))
        for r in some:
            out.append('  <testcase classname=%s name=%s time="%.3f">' % (
                sax.quoteattr(suite), sax.quoteattr("%s #%d" % (r["task"].split("/", 1)[1], r["variant"])), r["seconds"]))
            if not r["passed"]:
                out.append("   <failure message=%s>%s</failure>" % (
                    sax.quoteattr("reward %g: %s" % (r["reward"], ", ".join(SAID[k] for k in r["kinds"]))),
                    sax.escape(clean("\n".join(r["failures"] + ([r["error"]] if "error" in r else []))))))
            out.append("  </testcase>")
        out.append(" </testsuite>")
    return "\n".join(out + ["</testsuites>"]) + "\n"


STYLE = """body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1c2733}
table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}td,th{padding:.2rem .7rem;text-align:right;
border-bottom:1px solid #dfe5ea}td:first-child,th:first-child{text-align:left}tr.no td:first-child{color:#a3221c}
details{margin:.3rem 0}pre{white-space:pre-wrap;background:#f4f6f8;padding:.6rem}.bar{background:#e8ecef;height:.6rem;width:16rem}
.bar i{display:block;height:100%;background:#2b7a4b}"""


def as_html(rows, agent, elapsed):
    e = lambda v: html.escape(str(v), quote=True)
    s = sums(rows)
    out = ["<!doctype html><html lang=en><meta charset=utf-8><title>Evaluation of %s</title><style>%s</style>" % (e(agent), STYLE),
           "<h1>%s</h1><p>%d of %d attempts passed, partial credit %.3f, in %.1f s.</p><div class=bar><i style='width:%.1f%%'></i></div>" % (
               e(agent), s["passed"], s["attempts"], s["partial_credit"], elapsed, 100 * s["accuracy"]),
           "<table><tr>" + "".join("<th>%s" % e(h) for h in HEADS)]
    out += ["<tr>" + "".join("<td>%s" % e(c) for c in cells(n, sums(r))) for n, r in groups(rows)]
    out += ["</table><h2>Failures</h2><table><tr><th>kind<th>attempts"]
    out += ["<tr><td>%s<td>%d" % (e(SAID[k]), s["failures"][k]) for k in KINDS if k in s["failures"]]
    out += ["</table>"]
    for r in sorted(rows, key=lambda r: (r["passed"], r["task"], r["variant"])):
        if not r["passed"]:
            out.append("<details><summary>%s #%d: reward %g, %s</summary><pre>%s</pre></details>" % (
                e(r["task"]), r["variant"], r["reward"], e(", ".join(r["kinds"])), e("\n".join(r["failures"] + [r.get("error", "")]))))
    return "\n".join(out) + "</html>\n"


# ---- the evaluation ----


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    own = sorted(os.path.join(here, "../../suites", n) for n in os.listdir(os.path.join(here, "../../suites")))
    p = argparse.ArgumentParser(description="Evaluates an agent at tasks on all cores")
    p.add_argument("--agent", default="reference", help="reference, careless, idle, or a command")
    p.add_argument("--suite", action="append", help="a suite's file; may be repeated (default: those that come with sosia)")
    p.add_argument("--tasks", type=int, default=100, help="how many attempts (default: 100)")
    p.add_argument("--processes", type=int, default=os.cpu_count())
    p.add_argument("--patience", type=float, default=600, help="seconds for a command (default: 600)")
    p.add_argument("--price", type=float, default=0, help="of a call, where the agent does not report its cost")
    p.add_argument("--seed", type=int, default=1)
    for form in ("json", "junit", "html"):
        p.add_argument("--" + form, metavar="FILE")
    o = p.parse_args()
    paths = o.suite or [f for f in own if f.endswith((".yaml", ".json"))]
    tasks = [t for path in paths for t in sosia.Suite(path).tasks]
    options = {"agent": o.agent, "seed": o.seed, "patience": o.patience, "price": o.price}
    began, bases, rows = time.monotonic(), {}, []
    with sosia.Sosia.find() as server:
        plan = [(t.name, t.base(server, bases), i // len(tasks)) for i, t in ((i, tasks[i % len(tasks)]) for i in range(o.tasks))]
        with concurrent.futures.ProcessPoolExecutor(o.processes, initializer=begin, initargs=(server.url, server.key, paths)) as pool:
            rows = list(pool.map(work, *zip(*plan), [options] * len(plan)))
    elapsed = time.monotonic() - began
    print(table(rows))
    print("\n%d attempts in %.1f s on %d processes" % (len(rows), elapsed, o.processes))
    for path, write in ((o.json, as_json), (o.junit, as_junit), (o.html, as_html)):
        if path:
            with open(path, "w", encoding="utf-8") as f:
                f.write(write(rows, o.agent, elapsed))
    return 0 if all(r["passed"] for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
