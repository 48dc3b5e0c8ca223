# SPDX-License-Identifier: Apache-2.0
"""The command `sosia` of the wheel: the program that lies in the package."""
import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "sosia")
    os.execv(program, ["sosia", *sys.argv[1:]])
