#!/usr/bin/env python3
"""Writes a text file as a C string: embed.py INPUT OUTPUT NAME"""
import json, sys

source, target, name = sys.argv[1:4]
lines = open(source, encoding="utf-8").read().split("\n")
with open(target, "w", encoding="utf-8") as out:
    out.write(f"extern const char {name}[];\nconst char {name}[] =\n")
    for line in lines:
        out.write("    " + json.dumps(line + "\n", ensure_ascii=False) + "\n")
    out.write("    ;\n")
