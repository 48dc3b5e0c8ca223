#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An evaluation: an agent at a hundred tasks on all cores, and a report on the terminal, as JSON, JUnit and HTML.

    ./evaluate.py --agent reference --json report.json --junit report.xml --html report.html
    ./evaluate.py --agent "python3 my_agent.py" --tasks 40

An agent is one of the scripted ones (reference: acts by the suite; careless: omits or repeats something now and then; idle) or a
command, which is run once for each attempt in a fork of its own, with SOSIA_PROMPT, SOSIA_ACTOR, SOSIA_WORLD_URL (the base URL of all
services), SOSIA_TOKEN, SOSIA_MCP_URL and SOSIA_WAIT_URL in its environment. The last line that it prints may be JSON: {"cost": 0.02,
"tokens": 4100, "answer": "..."}; without an answer there all that it prints is what it says at the end. {"seconds": 60} posted to
SOSIA_WAIT_URL lets the world's clock go on. It never gets the control interface's key. Where there are fewer tasks than attempts,
later ones have other ids and, for scripted agents, another chance.
"""
import argparse
import concurrent.futures
import html
import http.server
import json
import math
import os
import random
import secrets
import signal
import statistics
import subprocess
import sys
import threading
import time
import xml.sax.saxutils as sax
from collections import Counter

import failure
from sosia import loops
from failure import KINDS, SAID

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
    loops.perform_all(world, script(task.reference), {})
    return {"answer": task.answer} if script is list and task.answer is not None else {}


class Waiting:
    """What an agent may ask of its world's clock: an address that nobody can guess, on this machine, while the agent runs."""

    def __init__(self, world):
        path = "/" + secrets.token_urlsafe(24)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                length = self.headers.get("Content-Length", "0")
                try:
                    asked = json.loads(self.rfile.read(int(length)) if length.isdigit() and int(length) < 1000 else b"")
                    seconds = asked["seconds"] if isinstance(asked, dict) else None
                    good = self.path == path and not isinstance(seconds, bool) and isinstance(seconds, int) and 1 <= seconds <= MAX_WAIT
                except (ValueError, KeyError):
                    good = False
                if self.path != path:
                    return self.say(404, {"error": "not found"})
                if not good:
                    return self.say(400, {"error": "the body must be {\"seconds\": 1 to %d}" % MAX_WAIT})
                try:
                    return self.say(200, {"now": world.sosia.wait(world.key, seconds)})
                except (loops.Refused, OSError) as e:
                    return self.say(502, {"error": str(e)})

            def say(self, status, body):
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *unused):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d%s" % (self.server.server_port, path)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.server.shutdown()
        self.server.server_close()


MAX_WAIT = 31622400  # seconds


def run_command(command, world, task, patience):
    """Runs a command as the agent; its own variables of sosia are kept from it."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("SOSIA")}
    with Waiting(world) as waiting:
        env.update(SOSIA_PROMPT=task.prompt, SOSIA_ACTOR=task.actor, SOSIA_WORLD_URL=world.url, SOSIA_TOKEN=world.token,
                   SOSIA_MCP_URL=world.url + "/mcp", SOSIA_WAIT_URL=waiting.url)
        done = subprocess.Popen(command, shell=True, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                start_new_session=True)
        try:
            printed, complaint = done.communicate(timeout=patience)
            late = False
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, signal.SIGKILL)  # with all that it has started
            printed, complaint = done.communicate()
            late = True
    printed, complaint = printed.decode("utf-8", "replace"), complaint.decode("utf-8", "replace")
    lines = printed.strip().splitlines()
    try:
        said = json.loads(lines[-1]) if lines else {}
    except ValueError:
        said = {}
    said = said if isinstance(said, dict) else {}
    out = {k: said[k] for k in ("cost", "tokens") if isinstance(said.get(k), (int, float)) and 0 <= said[k] < 1e15}
    out.update(output=printed[-MAX_OUTPUT:], complaint=complaint[-MAX_OUTPUT:])
    out["answer"] = said["answer"] if isinstance(said.get("answer"), str) else printed.strip()[-MAX_OUTPUT:]
    if late:
        out["error"] = "took more than %g s" % patience
    elif done.returncode:
        out["error"] = "status %d: %s" % (done.returncode, complaint.strip()[-500:])
    return out


MAX_OUTPUT = 1 << 20  # characters of what an agent prints that are kept

# ---- attempts ----


LABELS = {"cost": "cost", "tokens_in": "tokens", "tokens_out": "tokens"}


def journal_of(server, world):
    """All entries of the attempt, with bodies; and what the agent has said of its cost and tokens, in headers."""
    entries, after, said = [], 0, {}
    while after is not None:  # a page of long bodies has fewer entries than it may
        page = server.control("GET", "/worlds/%s/journal?limit=1000&bodies=true&after=%d" % (world, after))
        entries += page["entries"]
        after = page.get("next")
    for e in entries:
        for label, name in LABELS.items():
            if "request" in e and label in e.get("labels", {}):
                said[name] = said.get(name, 0) + e["labels"][label]
    return entries, said


def attempt(server, task, base, number, options):
    """One attempt in a fork of its own; gives its row of the report."""
    world = server.fork(base, task.actor, seed=number + 1)
    row = {"task": task.name, "difficulty": task.difficulty, "variant": number}
    began = time.perf_counter()
    try:
        script = scripted(options["agent"], random.Random("%d/%s/%d" % (options["seed"], task.name, number)))
        ran = run_script(script, world, task) if script else run_command(options["agent"], world, task, options["patience"])
        row["seconds"] = round(time.perf_counter() - began, 6)
        entries, said = journal_of(server, world.key)
        graded = server.grade(task.suite.text, task.id, [world.key], answers=[ran["answer"]] if "answer" in ran else None)[0]
        calls = failure.calls_of(entries)
        row.update({**said, **{k: v for k, v in ran.items() if k in ("cost", "tokens", "error")}})  # what it says at its end is of the whole
        row.update(calls=len(calls), refused=sum(c["refused"] for c in calls), trace=calls)
        row.setdefault("cost", row["calls"] * options["price"])
        row.update(passed=graded["passed"], reward=graded["reward"], kinds=failure.kinds(row, graded, calls), failures=graded["failures"],
                   versions=graded["versions"])
        if options["keep"] == "all" or (options["keep"] == "failed" and not graded["passed"]):
            row["kept"] = save(server, world, task, base, options, ran, graded, row)
    finally:
        server.drop([world.key])
    return row


def save(server, world, task, base, options, ran, graded, row):
    """What an attempt left: the world that it began in, what was called, what that changed, its verdict, what the agent printed."""
    number = row["variant"]
    name = "%s%s.%d" % (options["version"] and options["version"] + ".", task.name, number)
    there = os.path.join(options["into"], "".join(c if c.isalnum() or c in "-_." else "_" for c in name))
    os.makedirs(there, exist_ok=True)

    def write(file, data):
        with open(os.path.join(there, file), "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
    pretty = lambda v: json.dumps(v, indent=1, ensure_ascii=False) + "\n"
    write("task.json", pretty({"suite": task.suite.name, "version": task.suite.version, "task": task.id, "prompt": task.prompt,
                               "actor": task.actor, "variant": number, "seed": number + 1, **task.origin}))
    write("origin.db", server.raw("GET", "/worlds/%s/export" % base))
    write("end.db", server.raw("GET", "/worlds/%s/export" % world.key))
    write("journal.jsonl", server.raw("GET", "/worlds/%s/journal/export?format=jsonl" % world.key))
    write("diff.json", pretty(server.diff(world.key)))
    write("verdict.json", pretty(graded))
    write("output.txt", ran.get("output", ""))
    write("complaint.txt", ran.get("complaint", ""))
    write("attempt.json", pretty({"agent": options["agent"], "version": options["version"],
                                  **{k: row[k] for k in ("seconds", "calls", "refused", "cost", "tokens", "kinds") if k in row}}))
    return there


_worker = {}


def begin(url, key, paths):
    """In each process: a client and the suites."""
    _worker.update(server=loops.Sosia(url, key), tasks={t.name: t for p in paths for t in loops.Suite(p).tasks})


def work(name, base, number, options):
    return attempt(_worker["server"], _worker["tasks"][name], base, number, options)


# ---- reports ----


def wilson(passed, n, z=1.96):
    """The interval in which the true rate is, 95 times in 100 (Wilson's score)."""
    if not n:
        return [0.0, 1.0]
    p, d = passed / n, 1 + z * z / n
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    middle = (p + z * z / (2 * n)) / d
    return [max(0.0, middle - half), min(1.0, middle + half)]


def pass_at(k, n, c):
    """The chance that one of k attempts passes, of n with c that did: the estimator without bias."""
    return 1.0 if n - c < k else 1.0 - math.comb(n - c, k) / math.comb(n, k)


def pass_at_k(rows):
    """pass@k over tasks for k = 1, 2, 4, ... as far as each task has so many attempts, with an interval that resamples tasks."""
    tasks = {}
    for r in rows:
        tasks.setdefault(r["task"], []).append(r["passed"])
    counts, out, k = [(len(t), sum(t)) for t in tasks.values()], {}, 1
    while counts and k <= min(n for n, _ in counts):
        each = [pass_at(k, n, c) for n, c in counts]
        chance = random.Random(k)
        means = sorted(statistics.fmean(chance.choices(each, k=len(each))) for _ in range(1000))
        out[str(k)] = {"value": statistics.fmean(each), "low": means[24], "high": means[974], "tasks": len(each)}
        k *= 2
    return out


def quantile(values, q):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))] if ordered else 0


def sums(rows):
    seconds = [r["seconds"] for r in rows]
    return {"attempts": len(rows), "passed": sum(r["passed"] for r in rows), "accuracy": statistics.fmean(r["passed"] for r in rows),
            "accuracy_95": wilson(sum(r["passed"] for r in rows), len(rows)), "pass_at": pass_at_k(rows),
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


HEADS = ("", "attempts", "passed", "accuracy", "credit", "calls", "refused", "cost", "tokens", "p50 ms", "p95 ms")


def met(rows):
    """The kinds of failures that there are."""
    return [k for k in KINDS if any(k in r["kinds"] for r in rows)]


def cells(name, s, some):
    return (name, s["attempts"], s["passed"], "%.1f %%" % (100 * s["accuracy"]), "%.3f" % s["partial_credit"], s["calls"],
            s["refused_calls"], "%.4g" % s["cost"], s["tokens"], "%.1f" % (1000 * s["seconds"]["p50"]),
            "%.1f" % (1000 * s["seconds"]["p95"]),
            *(s["failures"].get(k, 0) for k in some))


def table(rows):
    some = met(rows)
    lines = [(*HEADS, *some)] + [tuple(str(c) for c in cells(n, sums(r), some)) for n, r in groups(rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(c.ljust(w) if not i else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))).rstrip() for line in lines)


def chances(s):
    """Accuracy and pass@k with their intervals, as a line."""
    return "accuracy %.1f %% (%.1f to %.1f)" % tuple(100 * x for x in (s["accuracy"], *s["accuracy_95"])) + "".join(
        ", pass@%s %.1f %% (%.1f to %.1f)" % (k, *(100 * v[x] for x in ("value", "low", "high"))) for k, v in s["pass_at"].items())


def as_json(rows, agent, elapsed):
    return json.dumps({"agent": agent, "elapsed": elapsed, "all": sums(rows), "groups": {n: sums(r) for n, r in groups(rows)}, "tools": failure.by_tool(rows),
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
           "<p>%s</p>" % e(chances(s)), "<table><tr>" + "".join("<th>%s" % e(h) for h in (*HEADS, *met(rows)))]
    out += ["<tr>" + "".join("<td>%s" % e(c) for c in cells(n, sums(r), met(rows))) for n, r in groups(rows)]
    out += ["</table><h2>Failures</h2><table><tr><th>kind<th>attempts"]
    out += ["<tr><td>%s<td>%d" % (e(SAID[k]), s["failures"][k]) for k in KINDS if k in s["failures"]]
    out += ["</table><h2>Tools</h2><table><tr><th>tool<th>calls<th>refused<th>first refused at step<th>why"]
    out += ["<tr><td>%s<td>%d<td>%d<td>%s<td>%s" % (e(n), t["calls"], t["refused"], e(t["first_refused_step"] or ""), e(
        ", ".join("%s %d" % w for w in sorted(t["why"].items())))) for n, t in failure.by_tool(rows).items()]
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
    p.add_argument("--tools", metavar="SET", help="the set of tools that MCP has (default: the world's own)")
    p.add_argument("--keep", nargs=2, metavar=("WHICH", "DIR"), help="failed or all: writes what these attempts left into DIR")
    p.add_argument("--version", default="", metavar="NAME", help="what the agent is, by which kept attempts are told apart and compared")
    for form in ("json", "junit", "html"):
        p.add_argument("--" + form, metavar="FILE")
    o = p.parse_args()
    if o.keep and o.keep[0] not in ("failed", "all"):
        p.error("--keep must be followed by failed or all and a directory, not by %r" % o.keep[0])
    if o.version and (o.version.startswith(".") or not all(c.isalnum() or c in "-_." for c in o.version)):
        p.error("--version must be of letters, digits, - _ and ., not %r" % o.version)
    paths = o.suite or [f for f in own if f.endswith((".yaml", ".json"))]
    tasks = [t for path in paths for t in loops.Suite(path).tasks]
    options = {"agent": o.agent, "seed": o.seed, "patience": o.patience, "price": o.price,
               "keep": o.keep and o.keep[0], "into": o.keep and o.keep[1], "version": o.version}
    began, bases, rows = time.monotonic(), {}, []
    with loops.Sosia.find() as server:
        plan = [(t.name, t.base(server, bases, o.tools), i // len(tasks)) for i, t in ((i, tasks[i % len(tasks)]) for i in range(o.tasks))]
        with concurrent.futures.ProcessPoolExecutor(o.processes, initializer=begin, initargs=(server.url, server.key, paths)) as pool:
            rows = list(pool.map(work, *zip(*plan), [options] * len(plan)))
    elapsed = time.monotonic() - began
    print(table(rows))
    print("\n" + chances(sums(rows)))
    print("%d attempts in %.1f s on %d processes" % (len(rows), elapsed, o.processes))
    for path, write in ((o.json, as_json), (o.junit, as_junit), (o.html, as_html)):
        if path:
            with open(path, "w", encoding="utf-8") as f:
                f.write(write(rows, o.agent, elapsed))
    return 0 if all(r["passed"] for r in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
