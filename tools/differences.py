#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of conformance/differences as a table of struct deviation_source: differences.py OUTPUT INPUT ...

A file says in lines "# title: Acme Notes", "# dialects: notes.acme" (without it: all) and "# prefix: notes." (without it: none)
what it is about, before its first entry."""
import json
import os
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    said = {}
    for line in lines:
        found = re.match(r"# (title|dialects|prefix): (.+)$", line)
        if found:
            said[found[1]] = found[2]
        elif not line.startswith("#"):
            break
    if "title" not in said:
        sys.exit("%s: a line \"# title: ...\" must be in front of the entries" % path)
    return lines, said


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def main():
    output, inputs = sys.argv[1], sys.argv[2:]
    with open(output, "w", encoding="utf-8") as out:
        out.write('#include "conformance/report/deviation.h"\n#include <stddef.h>\n\n')
        rows = ""
        for i, path in enumerate(inputs):
            lines, said = read(path)
            out.write("static const char text_%d[] =\n" % i)
            out.writelines("    %s\n" % quoted(line + "\n") for line in lines)
            out.write("    ;\n\n")
            dialects = quoted(said["dialects"]) if "dialects" in said else "NULL"
            rows += "    {%s, %s, %s, %s, text_%d},\n" % (
                quoted(os.path.basename(path)), quoted(said["title"]), dialects, quoted(said.get("prefix", "")), i)
        out.write("const struct deviation_source deviation_sources[] = {\n%s    {0},\n};\n" % rows)


if __name__ == "__main__":
    main()
