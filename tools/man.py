#!/usr/bin/env python3
"""Writes the manual page from its frame and from what the program says of itself: man.py SOSIA FRAME OUTPUT VERSION"""
import re, subprocess, sys

program, frame, target, version = sys.argv[1:5]


def ask(*words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


out = []
for name in re.findall(r"(?m)^  ([a-z][a-z-]*) ", ask("help")):
    usage, summary, *parts = ask(name, "--help").rstrip("\n").split("\n\n")
    arguments = usage.removeprefix("usage: sosia " + name).strip()
    out += [".SS " + roff(("sosia " + name + " " + arguments).strip()), roff(summary)]
    for part in parts:
        if part.startswith("Options:\n"):
            for line in part.split("\n")[1:]:
                option, value, text = re.fullmatch(r"  (--[a-z-]+)((?: [A-Z=]+)?) +(.*)", line).groups()
                if option != "--help":
                    out += [".TP", "\\fB" + roff(option) + "\\fR" + ("\\ \\fI" + roff(value[1:]) + "\\fR" if value else ""),
                            roff(text)]
            continue
        text, _, example = part.partition("Example:\n")
        out += [".PP", roff(text.strip())] if text.strip() else []
        out += [".PP", ".EX", roff(example), ".EE"] if example else []
page = open(frame, encoding="utf-8").read().replace("@VERSION@", version).replace("@COMMANDS@", "\n".join(out))
open(target, "w", encoding="utf-8").write(page)
