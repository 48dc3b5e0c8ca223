"""The table of sizes, starts and memory in docs/install.md, of what packages/checked.json has."""
import os

from project import ROOT

DOCUMENT = os.path.join(ROOT, "docs/install.md")
BEGIN, END = "<!-- begin: sizes, of packages/checked.json -->\n", "<!-- end: sizes -->\n"


def rows(checked):
    out = ["| file | MB | unpacked, MB | start, ms | memory, MB |\n", "|---|---|---|---|---|\n"]
    for package in checked["packages"]:
        seen = package["checks"]
        columns = ["`%s`" % package["name"], "%.1f" % (package["size"] / 1e6), "%.1f" % (seen["unpacked"] / 1e6) if "unpacked" in seen else "",
                   str(seen.get("start_ms", "")), "%.0f" % (seen["memory"] / 1e6) if "memory" in seen else ""]
        out.append("| %s |\n" % " | ".join(columns))
    return "".join(out)


def put(text, checked):
    """A document with the table between its marks made anew."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(END) < text.index(BEGIN):
        raise SystemExit("package: expected the marks of the table once each in %s" % os.path.relpath(DOCUMENT, ROOT))
    before, rest = text.split(BEGIN)
    return before + BEGIN + "\n" + rows(checked) + "\n" + END + rest.split(END)[1]


def write(checked):
    with open(DOCUMENT, encoding="utf-8") as f:
        text = f.read()
    with open(DOCUMENT, "w", encoding="utf-8") as f:
        f.write(put(text, checked))
