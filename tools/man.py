#!/usr/bin/env python3
"""Writes the manual page from its frame and from what the program says of itself: man.py FRAME OUTPUT VERSION SOSIA; of another processor's program SOSIA is several
words, the emulator's before it."""
import re, subprocess, sys

frame, target, version, *program = sys.argv[1:]


def ask(*words):
    return subprocess.run([*program, *words], check=True, capture_output=True, text=True).stdout


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


out = []
names = re.findall(r"(?m)^  ([a-z][a-z-]*) ", ask("help"))
while names:
    name = names.pop(0)
    usage, summary, *parts = ask(*name.split(), "--help").rstrip("\n").split("\n\n")
    # commands below it come next, each in a section of its own
    below = [part for part in parts if part.startswith("  " + name + " ")]
    names[:0] = [found for part in below for found in re.findall(r"(?m)^  (%s [a-z]+) " % re.escape(name), part)]
    parts = [part for part in parts if part not in below]
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
