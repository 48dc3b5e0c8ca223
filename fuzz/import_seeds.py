#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes seeds for fuzz_import into corpus/import: changes to rows, behind the pages that hold the schema, so that what reads
tables is reached whatever they are today. A change is eight bytes: where (4), what (1), a number (3); fuzz_import.c applies
them to an export that it makes itself.

  fuzz/import_seeds.py"""
import os
import struct

PAGE = 2048  # STORE_PAGE_SIZE
CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus", "import")
SET, FLIP, HEADER, PAGE_OVER_PAGE, MOVE = range(5)


def change(at, what, number):
    return struct.pack("<IB", at, what) + struct.pack("<I", number)[:3]


def main():
    for page in range(2, 18):
        last = (page + 1) * PAGE
        seeds = {
            "row-byte": change(last - 3, SET, ord("z")),
            "row-bit": change(last - 9, FLIP, 1),
            "row-zero": change(last - 5, SET, 0),
            "row-moved": change(last - 24, MOVE, last - 56),
        }
        for name, data in seeds.items():
            with open(os.path.join(CORPUS, "%s-%d" % (name, page)), "wb") as f:
                f.write(data)


main()
