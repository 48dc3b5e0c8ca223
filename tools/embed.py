#!/usr/bin/env python3
"""Writes a text file as a C string: embed.py INPUT OUTPUT NAME
Or the files of the live page (console/web/build.mjs) as a table: embed.py --files INPUT OUTPUT"""
import base64, json, sys


def text(source, target, name):
    lines = open(source, encoding="utf-8").read().split("\n")
    with open(target, "w", encoding="utf-8") as out:
        out.write(f"extern const char {name}[];\nconst char {name}[] =\n")
        for line in lines:
            out.write("    " + json.dumps(line + "\n", ensure_ascii=False) + "\n")
        out.write("    ;\n")


def octets(data):
    """Lines of string literals; three digits each, so that no digit behind one is taken for its own."""
    for at in range(0, len(data), 32):
        yield '    "' + "".join(f"\\{byte:03o}" for byte in data[at:at + 32]) + '"\n'


def files(source, target):
    listed = json.load(open(source, encoding="utf-8"))["files"]
    with open(target, "w", encoding="utf-8") as out:
        out.write('#include "console/files.h"\n\nconst struct console_file console_files[] = {\n')
        for f in listed:
            data = base64.b64decode(f["gzip"])
            policy = json.dumps(f["policy"]) if f["policy"] else "NULL"
            out.write(f'    {{{json.dumps(f["path"])}, {json.dumps(f["type"])}, {policy}, {json.dumps(f["etag"])}, '
                      f'{"true" if f["hashed"] else "false"},\n')
            out.writelines(octets(data))
            out.write(f'    , {len(data)}, {f["length"]}}},\n')
        out.write(f"}};\nconst size_t console_n_files = {len(listed)};\n")


if sys.argv[1] == "--files":
    files(*sys.argv[2:4])
else:
    text(*sys.argv[1:4])
