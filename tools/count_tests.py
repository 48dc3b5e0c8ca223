#!/usr/bin/env python3
"""Counts the test cases in a meson test log: those of cmocka, unittest and node:test one by one, other programs as one each.
Prints "PASSED FAILED"; with --failed, instead, the end of what each program that failed has written; with --longest, the
programs that took longest, with their seconds.

usage: tools/count_tests.py LOG [--failed | --longest]"""
import json, re, sys

LINES = 120  # of a program's output
LONGEST = 8

passed = failed = 0
times = []
show = "--failed" in sys.argv[2:]
for line in open(sys.argv[1], encoding="utf-8"):
    test = json.loads(line)
    times.append((test["duration"], test["name"].split(" / ")[-1]))
    text = (test.get("stdout") or "") + (test.get("stderr") or "")
    good = len(re.findall(r"^\[       OK \]", text, re.M))
    bad = len(set(re.findall(r"^\[  FAILED  \] (\S+)", text, re.M)))
    ran = re.search(r"^Ran (\d+) tests? in", text, re.M)
    if ran:
        lost = re.search(r"^FAILED \((.*)\)", text, re.M)
        bad += sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", lost.group(1))) if lost else 0
        good += int(ran.group(1)) - bad
    node = re.search(r"^(?:ℹ|#) pass (\d+)\n(?:ℹ|#) fail (\d+)$", text, re.M)
    if node:
        good += int(node.group(1))
        bad += int(node.group(2))
    counted = re.search(r"^(\d+) passed, (\d+) failed", text, re.M)
    if counted:
        good += int(counted.group(1))
        bad += int(counted.group(2))
    if test["result"] not in ("OK", "SKIP") and not bad:
        bad = 1
    elif not good and not bad and test["result"] == "OK":
        good = 1
    passed += good
    failed += bad
    if show and bad:
        # Lines of methods that agree are many, and say nothing here.
        lines = [line for line in text.splitlines() if "100.00%" not in line]
        print("==", test["name"], test["result"], "%.0f s" % test["duration"])
        print("\n".join(lines[-LINES:]))
if "--longest" in sys.argv[2:]:
    print(", ".join("%s %.0f s" % (name, seconds) for seconds, name in sorted(times, reverse=True)[:LONGEST]))
elif not show:
    print(passed, failed)
