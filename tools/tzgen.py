#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the time zones of a zoneinfo directory as C tables for engine/text/tz.c.

    tzgen.py ZONEINFO OUTPUT.c

Names, links and the version come from tzdata.zi; transitions from the compiled files (TZif, RFC 8536),
version 2 or later. Transitions that the rule in a file's footer gives as well are left out, so that fat
and slim files give the same tables. Zones with equal data share it.
"""
import os
import struct
import sys
from bisect import bisect_left
from datetime import date

# Rules are compared with transitions over these years.
FIRST_YEAR, LAST_YEAR = 1850, 2500
HASH_SLOTS = 2048  # as in tz.c


def fail(text):
    sys.exit("tzgen: " + text)


def read_names(path):
    version, names = None, []
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("# version "):
                version = line.split()[2]
            elif line[0] == "Z":
                names.append(line.split()[1])
            elif line[0] == "L":
                names.append(line.split()[2])
    if not version:
        fail(path + " has no version line")
    return version, sorted(n for n in set(names) if n != "Factory")


def read_tzif(path):
    """Gives (first type, [(time, type)], footer); a type is (offset, is daylight time, abbreviation)."""
    with open(path, "rb") as f:
        data = f.read()

    def header(at):
        if data[at:at + 4] != b"TZif":
            fail(path + " is no TZif file")
        return struct.unpack(">6l", data[at + 20:at + 44])

    if data[4:5] < b"2":
        fail(path + " is TZif version 1")
    isutc, isstd, leap, times, types, chars = header(0)
    at = 44 + times * 5 + types * 6 + chars + leap * 8 + isstd + isutc
    isutc, isstd, leap, times, types, chars = header(at)
    if leap:
        fail(path + " counts leap seconds")
    at += 44
    when = struct.unpack(">%dq" % times, data[at:at + 8 * times])
    at += 8 * times
    index = data[at:at + times]
    at += times
    records = [struct.unpack(">lBB", data[at + 6 * i:at + 6 * i + 6]) for i in range(types)]
    at += 6 * types
    abbr = data[at:at + chars]
    at += chars + leap * 12 + isstd + isutc
    footer = data[at:].split(b"\n")[1].decode("ascii")
    full = [(off, bool(dst), abbr[a:abbr.index(b"\0", a)].decode("ascii")) for off, dst, a in records]
    return full[0], [(w, full[i]) for w, i in zip(when, index)], footer


class Scanner:
    """The POSIX TZ string of a footer, with the extensions of RFC 8536, 3.3.1."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def peek(self):
        return self.text[self.at:self.at + 1]

    def take(self, c):
        if self.peek() != c:
            return False
        self.at += 1
        return True

    def number(self):
        start = self.at
        while self.peek().isdigit():
            self.at += 1
        if start == self.at:
            fail("bad footer " + self.text)
        return int(self.text[start:self.at])

    def name(self):
        start = self.at
        if self.take("<"):
            end = self.text.index(">", start)
            self.at = end + 1
            return self.text[start + 1:end]
        while self.peek().isalpha():
            self.at += 1
        return self.text[start:self.at]

    def time(self):
        sign = -1 if self.take("-") else 1
        self.take("+")
        seconds = self.number() * 3600
        if self.take(":"):
            seconds += self.number() * 60
            if self.take(":"):
                seconds += self.number()
        return sign * seconds

    def date(self):
        """(kind, month or 0, week or 0, day, seconds); kinds: M, J (29 February never counted), N."""
        if not self.take(","):
            fail("bad footer " + self.text)
        if self.take("M"):
            month = self.number()
            self.take(".")
            week = self.number()
            self.take(".")
            rule = ("M", month, week, self.number())
        elif self.take("J"):
            rule = ("J", 0, 0, self.number())
        else:
            rule = ("N", 0, 0, self.number())
        return rule + (self.time() if self.take("/") else 7200,)


def event(rule, year):
    """Seconds since 1970 of a rule in a year, in the time the rule is in."""
    kind, month, week, day, seconds = rule
    epoch = date(1970, 1, 1).toordinal()
    first = date(year, 1, 1).toordinal() - epoch
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if kind == "J":
        days = first + day - 1 + (1 if leap and day >= 60 else 0)
    elif kind == "N":
        days = first + day
    else:
        one = date(year, month, 1).toordinal() - epoch
        after = date(year + month // 12, month % 12 + 1, 1).toordinal() - epoch
        days = one + (day - (one + 4)) % 7 + 7 * (week - 1)
        while days >= after:
            days -= 7
    return days * 86400 + seconds


def read_footer(text):
    """None, or (type for good, None), or two turns (rule in UTC, type after it) in the order of a year."""
    if not text:
        return None
    s = Scanner(text)
    name = s.name()
    std = (-s.time(), False, name)
    if s.at == len(text):
        return std, None
    name = s.name()
    off = std[0] + 3600 if s.peek() == "," else -s.time()
    dst = (off, True, name)
    start, end = s.date(), s.date()
    if s.at != len(text):
        fail("bad footer " + text)
    start = start[:4] + (start[4] - std[0],)
    end = end[:4] + (end[4] - dst[0],)
    # Daylight time all year is written as a rule whose end is the next start.
    years = range(FIRST_YEAR, LAST_YEAR)
    if all(event(end, y) >= event(start, y + 1) for y in years):
        return dst, None
    turns = (start, dst), (end, std)
    if all(event(start, y) > event(end, y) for y in years):
        turns = turns[1], turns[0]
    a, b = turns[0][0], turns[1][0]
    if not all(event(a, y) < event(b, y) < event(a, y + 1) for y in years):
        fail("a footer without order: " + text)
    return turns


def make_zone(path):
    first, moves, footer = read_tzif(path)
    rule = read_footer(footer)
    # A fat file begins with a transition to its first type at the beginning of time.
    merged, last = [], first
    for when, kind in moves:
        if kind != last:
            merged.append((when, kind))
            last = kind
    moves = merged
    if rule is None:
        rule = (last, None)
    if rule[1] is None:
        if rule[0] != last:
            fail(path + ": the footer is not the last transition's type")
        return first, tuple(moves), rule
    events = [(event(turn, y), kind) for y in range(FIRST_YEAR, LAST_YEAR) for turn, kind in rule]
    keep = len(moves)
    while keep > 1:
        i = bisect_left(events, (moves[keep - 1][0],))
        before = moves[keep - 2]
        if events[i] != moves[keep - 1] or events[i - 1][1] != before[1] or events[i - 1][0] > before[0]:
            break
        keep -= 1
    i = bisect_left(events, (moves[keep - 1][0] + 1,))
    if events[i - 1][1] != moves[keep - 1][1]:
        fail(path + ": the footer does not go on from the last transition")
    return first, tuple(moves[:keep]), rule


def hash_name(name):
    h = 2166136261  # FNV-1a, as in tz.c
    for c in name.encode("ascii"):
        h = ((h ^ c) * 16777619) & 0xffffffff
    return h


def main():
    if len(sys.argv) != 3:
        fail("usage: tzgen.py ZONEINFO OUTPUT.c")
    root = sys.argv[1]
    index = os.path.join(root, "tzdata.zi")
    if not os.path.exists(index):
        fail("no %s: install the tzdata package, or set -Dzoneinfo" % index)
    version, names = read_names(index)

    types, abbrs, zones, where = {}, {}, {}, []

    def type_id(t):
        abbrs.setdefault(t[2], len(abbrs))
        return types.setdefault(t, len(types))

    times, kinds, rows = [], [], []
    for name in names:
        zone = make_zone(os.path.join(root, name))
        if zone not in zones:
            zones[zone] = len(zones)
            first, moves, rule = zone
            row = "    {%d, %d, %d, " % (len(times), len(moves), type_id(first))
            if rule[1] is None:
                row += "false, {{{0}, 0}, {{0}, 0}}},"
            else:
                row += "true, {%s}}," % ", ".join(
                    "{{'%s', %d, %d, %d, %d}, %d}" % (turn + (type_id(kind),)) for turn, kind in rule)
            rows.append(row)
            times += [w for w, _ in moves]
            kinds += [type_id(t) for _, t in moves]
        where.append(zones[zone])

    slots = [0] * HASH_SLOTS
    if 2 * len(names) > HASH_SLOTS or len(types) > 32767:
        fail("too many zones")
    for i, name in enumerate(names):
        h = hash_name(name) % HASH_SLOTS
        while slots[h]:
            h = (h + 1) % HASH_SLOTS
        slots[h] = i + 1

    def numbers(values, each):
        text = [str(v) for v in values]
        return "\n".join("    " + ", ".join(text[i:i + each]) + "," for i in range(0, len(text), each))

    out = ["/* Written by tools/tzgen.py from tzdata %s. */" % version,
           '#include "engine/text/tzdata.h"', "",
           'const char tzdata_version[] = "%s";' % version,
           "const struct tz_type tzdata_types[] = {"]
    out += ['    {%d, %s, "%s"},' % (t[0], "true" if t[1] else "false", t[2]) for t in types]
    out += ["};", "const int64_t tzdata_times[] = {", numbers(times, 8), "};",
            "const uint16_t tzdata_kinds[] = {", numbers(kinds, 20), "};",
            "static const struct tz_data tzdata_zones[] = {"] + rows
    out += ["};", "const struct tz tzdata_names[] = {"]
    out += ['    {"%s", &tzdata_zones[%d]},' % (n, w) for n, w in zip(names, where)]
    out += ["};", "const unsigned tzdata_n_names = %d;" % len(names),
            "const char *const tzdata_name_list[] = {"]
    out += ['    "%s",' % n for n in names]
    out += ["};", "const uint16_t tzdata_slots[TZDATA_SLOTS] = {", numbers(slots, 24), "};", ""]
    with open(sys.argv[2], "w", encoding="ascii") as f:
        f.write("\n".join(out))


main()
