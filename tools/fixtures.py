#!/usr/bin/env python3
"""Writes fixtures as C strings, for the program to carry: fixtures.py OUTPUT FILE..."""
import json, os, sys

with open(sys.argv[1], "w", encoding="utf-8") as out:
    out.write('#include "cli/fixtures.h"\n\n')
    for path in sys.argv[2:]:
        name = os.path.splitext(os.path.basename(path))[0]
        out.write(f"static const char fixture_{name.replace('-', '_')}[] =\n")
        for line in open(path, encoding="utf-8"):
            out.write("    " + json.dumps(line, ensure_ascii=False) + "\n")
        out.write("    ;\n")
    out.write("\nconst struct built_in_fixture built_in_fixtures[] = {\n")
    for path in sys.argv[2:]:
        name = os.path.splitext(os.path.basename(path))[0]
        out.write(f'    {{"{name}", "{os.path.basename(path)}", fixture_{name.replace("-", "_")}}},\n')
    out.write("};\nconst size_t n_built_in_fixtures = sizeof built_in_fixtures / sizeof built_in_fixtures[0];\n")
