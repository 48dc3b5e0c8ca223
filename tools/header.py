#!/usr/bin/env python3
"""What include/sosia.h says, for those who do not compile it.

usage: tools/header.py --markdown      docs/c.md: the header's sections, comments and declarations
       tools/header.py --symbols       the names of its functions, one a line
       tools/header.py --abi [--write] compares the interface with abi/sosia.abi (abidiff of abigail-tools): 0: it is the
                                       same. --write: puts the present one there (abidw), after a change that only adds."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
HEADER = os.path.join(root, "include", "sosia.h")
ABI = os.path.join(root, "abi", "sosia.abi")
FUNCTION = re.compile(r"^(SOSIA_API|SOSIA_EXPERIMENTAL)\s+([^;{]*?\b(sosia_\w+)\(.*?\));", re.M | re.S)


def fail(message):
    sys.exit("header.py: " + message)


def functions(text):
    """(is experimental, declaration, name) of each, in order."""
    return [(m[1] == "SOSIA_EXPERIMENTAL", m[2], m[3]) for m in FUNCTION.finditer(text)]


def comment_text(comment):
    """The words of a comment, in paragraphs: rules that are numbered stay a list."""
    lines = [re.sub(r"^\s*(/\*+|\*/|\*)? ?", "", line) for line in comment.strip()[:-2].split("\n")]
    paragraphs, now = [], []
    for line in lines:
        line = line.strip()
        if not line or re.match(r"\d+\. ", line):
            if now:
                paragraphs.append(" ".join(now))
            now = [line] if line else []
        else:
            now.append(line)
    if now:
        paragraphs.append(" ".join(now))
    return paragraphs


def escaped(text):
    """Words as Markdown; names of the interface as code."""
    text = text.replace("*", "\\*").replace("<", "\\<").replace("|", "\\|")
    return re.sub(r"(?<![\w`\"/.])((?:struct |enum )?sosia_\w+(?:\(\))?|SOSIA_\w+)(?![\w`])", r"`\1`", text)


def blocks(text):
    """Comments, declarations and section titles, in order."""
    body = text[text.index('extern "C" {') :]
    body = body[body.index("#endif") + 6 : body.rindex("#ifdef __cplusplus")]
    token = re.compile(
        r"/\* ---- (?P<section>.*?) ---- \*/"
        r"|(?P<comment>/\*.*?\*/)"
        r"|(?P<define>^\#define(?:[^\n]*\\\n)*[^\n]*)"
        r"|(?P<directive>^\#[^\n]*)"
        r"|(?P<code>^(?:SOSIA_API|SOSIA_EXPERIMENTAL|struct|enum)\b[^;{]*(?:\{.*?^\}|\{[^}\n]*\})?[^;]*;)",
        re.M | re.S,
    )
    at = 0
    while True:
        m = token.search(body, at)
        if not m:
            return
        if m["code"] is None or "{" not in m["code"] or m["code"].rstrip().endswith("};"):
            yield m.lastgroup, m[m.lastgroup]
        at = m.end()


def markdown(text):
    out = [
        "# The C interface",
        "",
        "Made of the comments of `include/sosia.h` by `tools/header.py --markdown`; the programs of `examples/c/` use it.",
        "How a program is compiled with it: [install.md](install.md#the-library).",
        "",
    ]
    head = text[text.index("/*\n * sosia:") :]
    for paragraph in comment_text(head[: head.index("*/") + 2]):
        out += [escaped(paragraph)] if re.match(r"\d+\. ", paragraph) else ["", escaped(paragraph), ""]
    out += ["", "## Common", ""]
    said, code = [], []

    def flush():
        if code:
            marked = any(line.startswith("SOSIA_EXPERIMENTAL") for line in code)
            out.append("```c")
            out.extend(re.sub(r"^(SOSIA_API|SOSIA_EXPERIMENTAL) ", "", c) for c in code)
            out.extend(["```", ""])
            if marked:
                out.extend(["*Experimental.*", ""])
        for s in said:
            out.extend([escaped(s), ""])
        said.clear()
        code.clear()

    for kind, value in blocks(text):
        if kind == "section":
            flush()
            out += ["## " + value[0].upper() + value[1:], ""]
        elif kind == "comment":
            flush()
            said.extend(comment_text(value))
        elif kind == "define":
            if not re.match(r"#define (SOSIA_API|SOSIA_EXPERIMENTAL __|XX)", value):
                code.append(re.sub(r" {2,}\\\n", " \\\n", value))
        elif kind == "code":
            code.append(value)
    flush()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"


def dump_abi(text, directory):
    """The interface as abidw describes it, of functions without a body worth the name, which have its types all the same."""
    source, library, out = (os.path.join(directory, name) for name in ("stubs.c", "libsosia.so.0", "now.abi"))
    with open(source, "w", encoding="utf-8") as f:
        f.write('#include "sosia.h"\n')
        for _, declaration, _ in functions(text):
            f.write("__attribute__((visibility(\"default\"))) %s { __builtin_trap(); }\n" % declaration)
    subprocess.run(
        ["cc", "-std=c17", "-g", "-O0", "-fPIC", "-shared", "-w", "-fdebug-prefix-map=%s=." % directory,
         "-I", os.path.dirname(HEADER), source, "-Wl,-soname,libsosia.so.0", "-o", library],
        check=True)
    subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--type-id-style", "hash",
                    "--out-file", out, library], check=True)
    return out


def abi(text, write):
    for tool in ("abidw", "abidiff"):
        if not shutil.which(tool):
            fail("no %s here: install abigail-tools" % tool)
    with tempfile.TemporaryDirectory() as directory:
        now = dump_abi(text, directory)
        if write:
            os.makedirs(os.path.dirname(ABI), exist_ok=True)
            shutil.copyfile(now, ABI)
            return 0
        r = subprocess.run(["abidiff", ABI, now])
        if r.returncode:
            print("include/sosia.h has another interface than abi/sosia.abi. If what callers were compiled with goes on to work,"
                  " write it anew: tools/header.py --abi --write")
        return 1 if r.returncode else 0


def main():
    with open(HEADER, encoding="utf-8") as f:
        text = f.read()
    if sys.argv[1:] == ["--markdown"]:
        sys.stdout.write(markdown(text))
    elif sys.argv[1:] == ["--symbols"]:
        print("\n".join(sorted(name for _, _, name in functions(text))))
    elif sys.argv[1:2] == ["--abi"] and sys.argv[2:] in ([], ["--write"]):
        return abi(text, len(sys.argv) > 2)
    else:
        fail("expected --markdown, --symbols or --abi [--write]")
    return 0


if __name__ == "__main__":
    sys.exit(main())
