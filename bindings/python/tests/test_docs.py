# SPDX-License-Identifier: Apache-2.0
"""Each snippet of docs/python.md runs as it stands."""
from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

ROOT = os.environ["SOSIA_ROOT"]
with open(os.path.join(ROOT, "docs/python.md"), encoding="utf-8") as f:
    SNIPPETS = re.findall(r"^```python\n(.*?)^```", f.read(), re.S | re.M)


def test_there_are_snippets():
    assert len(SNIPPETS) >= 7


@pytest.mark.parametrize("i", range(len(SNIPPETS)))
def test_snippet(i, tmp_path):
    text = SNIPPETS[i]
    named = re.match(r"# (test_\w+\.py)\n", text)
    path = tmp_path / (named[1] if named else "snippet.py")
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, str(path)]
    if named:
        command[1:1] = ["-m", "unittest"] if "unittest" in named[1] else ["-m", "pytest", "-q", "-p", "sosia.pytest_plugin", "-p",
                                                                            "no:cacheprovider"]
    made = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert made.returncode == 0, made.stdout
