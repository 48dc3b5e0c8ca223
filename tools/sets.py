#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes C of the tool sets of mcp/sets: sets.py OUTPUT ARGUMENTS.yaml SET.yaml... HOOKS.c...

docs/adding.md has the form of the files. What is not as it must be ends the build, with the file and the line:
members that are not known, arguments and steps that a template names and the tool does not have, filters and functions
that no C file has."""
import json
import re
import sys

try:
    import yaml
except ImportError:
    sys.exit("tools/sets.py: Python has no module yaml here: install python3-yaml (script/bootstrap does)")

SETS = {"hosted": "SET_HOSTED", "reference": "SET_REFERENCE", "community": "SET_COMMUNITY", "workspace": "SET_WORKSPACE",
        "softeria": "SET_SOFTERIA", "agent365": "SET_AGENT365"}
ROUTED = {"timezone": "ROUTED_ZONE", "expandExtendedProperties": "ROUTED_EXTENDED", "range": "ROUTED_RANGE"}
TYPES = {"string": "ARG_STRING", "integer": "ARG_INTEGER", "number": "ARG_NUMBER", "boolean": "ARG_BOOLEAN", "strings": "ARG_STRINGS",
         "texts": "ARG_TEXTS", "object": "ARG_OBJECT", "objects": "ARG_OBJECTS", "map": "ARG_MAP"}
HINTS = {"reads": "HINT_READS", "destroys": "HINT_DESTROYS", "repeats": "HINT_REPEATS", "open": "HINT_OPEN", "brief": "HINT_BRIEF"}
TOKENS = {"user": "TOKEN_USER", "bot": "TOKEN_BOT"}
ARG_FLAGS = ("required", "silent_default", "listed_default", "unlisted", "filled", "json", "loose", "objects")
ARG_FIELD = {"silent_default": "silent_def", "listed_default": "listed_def"}
SET_FLAGS = ("closed", "lenient", "titled_hints", "casual", "compact", "loose")
OPERATORS = {"$each": {"$as"}, "$lines": {"$as"}, "$text": set(), "$if": {"$then", "$else"}}
# Members of arguments that look like operators: options of OData.
OPTIONS = ("$count", "$expand", "$filter", "$orderby", "$search", "$select", "$skip", "$top")
MAX_STEPS = 6  # SET_STEPS

wrong = []


def fail(node, text):
    wrong.append("%s:%d: %s" % (node.file, node.start_mark.line + 1, text))


# ---- what a YAML file has ----

def read(path):
    """The tree of a file; each node knows its file, each scalar its value. None: it is not YAML."""
    try:
        with open(path, encoding="utf-8") as f:
            root = yaml.compose(f, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as e:
        wrong.append("%s:%d: %s" % (path, e.problem_mark.line + 1, e.problem))
        return None
    seen = set()

    def walk(node):
        if id(node) in seen:
            return
        seen.add(id(node))
        node.file = path
        if isinstance(node, yaml.MappingNode):
            names = set()
            for key, value in node.value:
                walk(key)
                if key.value in names:
                    fail(key, "%s is there twice" % key.value)
                names.add(key.value)
                walk(value)
        elif isinstance(node, yaml.SequenceNode):
            for item in node.value:
                walk(item)
        elif node.tag not in SCALARS or (kind(node) == "bool" and node.value not in ("true", "false")):
            fail(node, "%s is a %s to YAML: put it in quotes" % (node.value, kind(node)))
    SCALARS = ["tag:yaml.org,2002:" + k for k in ("str", "int", "float", "bool", "null")]
    walk(root)
    return root


def kind(node):
    return node.tag.rsplit(":", 1)[-1]


def members(node, known, where):
    """{name: value} of a mapping that has no other members; known None: any."""
    if kind(node) != "map":
        fail(node, "%s must be a mapping, not a %s" % (where, kind(node)))
        return {}
    for key, _ in node.value:
        if known is not None and key.value not in known:
            fail(key, "%s has no member %s (known: %s)" % (where, key.value, ", ".join(known)))
    return {key.value: value for key, value in node.value}


def items(node, where):
    if kind(node) != "seq":
        fail(node, "%s must be a list, not a %s" % (where, kind(node)))
        return []
    return node.value


def text(node, where):
    if kind(node) not in ("str", "int", "float"):
        fail(node, "%s must be a string, not a %s" % (where, kind(node)))
        return ""
    return node.value


def truth(node, where):
    if kind(node) != "bool":
        fail(node, "%s must be true or false, not %s" % (where, kind(node)))
    return node.value == "true"


def chosen(node, names, where):
    """One of names as C has it."""
    if node.value not in names:
        fail(node, "%s must be one of %s, not %s" % (where, ", ".join(names), node.value))
    return names.get(node.value, "0")


def plain(node):
    """JSON of a node, as it is written in the file."""
    k = kind(node)
    if k == "map":
        return "{%s}" % ",".join("%s:%s" % (json.dumps(key.value, ensure_ascii=False), plain(v)) for key, v in node.value)
    if k == "seq":
        return "[%s]" % ",".join(plain(v) for v in node.value)
    return json.dumps(node.value, ensure_ascii=False) if k == "str" else "null" if k == "null" else node.value


def c_text(s):
    return "NULL" if s is None else json.dumps(s, ensure_ascii=False)


# ---- C files ----

class Hooks:
    """The functions of C files that rows may name, and their tables of filters."""

    def __init__(self, paths):
        self.runs, self.tables = set(), {}
        for path in paths:
            with open(path, encoding="utf-8") as f:
                code = f.read()
            self.runs.update(re.findall(r"^int (\w+)\(struct set_run \*r, const struct json \*\*ret\w*\)$", code, re.M))
            for name, rows in re.findall(r"^const struct set_filter (\w+)\[\] = \{(.*?)\};", code, re.M | re.S):
                self.tables[name] = re.findall(r'\{"(\w+)"', rows)


# ---- templates ----

class Scope:
    """What the templates of a tool may refer to."""

    def __init__(self, names, filters, runs):
        self.names, self.filters, self.runs = names, filters, runs
        self.steps, self.item = 0, False

    def check_ref(self, node, ref):
        path, *filters = ref.split("|")
        root = path.split(".")[0]
        for f in filters:
            if f.split(":")[0] not in self.filters:
                fail(node, "there is no filter %s (in %s)" % (f.split(":")[0], ref))
        if root == "":
            if not self.item:
                fail(node, "%s is an item's, and there is no list here" % ref)
        elif root.isdigit():
            if int(root) >= self.steps:
                fail(node, "%s is the response of a step that is not there yet" % ref)
        elif root.startswith("_"):
            if not self.runs:
                fail(node, "%s is what a function remembers, and the tool runs none" % ref)
        elif root != "now" and root not in self.names:
            fail(node, "%s names no argument of the tool" % ref)

    def check(self, node, item=None):
        """item: whether "$." is something in what is below."""
        before, self.item = self.item, self.item if item is None else item
        k = kind(node)
        if k == "str" and node.value.startswith("$"):
            self.check_ref(node, node.value[1:])
        elif k == "str":
            for ref in re.findall(r"\{([^}]*)\}", node.value):
                self.check_ref(node, ref)
        elif k == "seq":
            for v in node.value:
                self.check(v)
        elif k == "map":
            self.check_map(node)
        self.item = before

    def check_map(self, node):
        first = node.value[0][0].value if node.value else ""
        below = OPERATORS.get(first)
        for key, v in node.value:
            name = key.value
            if below is not None and name != first and name not in below:
                fail(key, "%s takes no %s" % (first, name))
            if below is None and name.startswith("$") and name != "$with" and name not in OPTIONS:
                fail(key, "%s must be the first member, and one of %s, $with" % (name, ", ".join(OPERATORS)))
            self.check(v, True if name == "$as" else None)
        if below == {"$as"} and "$as" not in [key.value for key, _ in node.value]:
            fail(node, "%s must have $as" % first)


# ---- rows ----

class Writer:
    def __init__(self, hooks, shared):
        self.hooks, self.shared = hooks, shared
        self.out, self.tables, self.lists = [], {}, []

    def table(self, declared, name, rows):
        """The name of a constant array of rows; equal ones are one."""
        body = "{\n    %s,\n}" % ",\n    ".join(rows)
        key = (declared, body)
        if key not in self.tables:
            self.tables[key] = "%s_%d" % (name, len(self.tables))
            self.out.append("%s %s[] = %s;\n" % (declared, self.tables[key], body))
        return self.tables[key]

    # -- arguments --

    def argument(self, name, node):
        known = ("type", "default", "min", "max", "values", "summary", "members") + ARG_FLAGS
        m = members(node, known, name.value)
        kinds = chosen(m["type"], TYPES, "type") if "type" in m else "ARG_STRING"
        fields = [".name = %s" % c_text(name.value), ".type = %s" % kinds]
        for flag in ARG_FLAGS:
            if flag in m and truth(m[flag], flag):
                fields.append(".%s = true" % ARG_FIELD.get(flag, flag))
        if "default" in m:
            value = text(m["default"], "default") if kinds == "ARG_STRING" else plain(m["default"])
            fields.append(".def = %s" % c_text(value))
        for bound in ("min", "max"):
            if bound in m and kind(m[bound]) != "int":
                fail(m[bound], "%s must be a whole number, not %s" % (bound, m[bound].value))
            elif bound in m:
                fields.append(".zero = true" if bound == "min" and m[bound].value == "0" else ".%s = %s" % (bound, m[bound].value))
        if "values" in m:
            values = [c_text(text(v, "an item of values")) for v in items(m["values"], "values")]
            fields.append(".values = %s" % self.table("static const char *const", "values", values + ["NULL"]))
        if "summary" in m:
            fields.append(".summary = %s" % c_text(text(m["summary"], "summary")))
        if "members" in m:
            if kinds not in ("ARG_OBJECT", "ARG_OBJECTS"):
                fail(m["members"], "an argument with members must be an object, or objects")
            table, n, _ = self.arguments(m["members"])
            fields.append(".members = %s, .n_members = %d" % (table, n))
        return "{%s}" % ", ".join(fields)

    def expanded(self, node):
        """(name, value) of a list of arguments, in which names of lists that several tools have stand for these."""
        for item in items(node, "arguments"):
            if kind(item) == "str":
                if item.value not in self.lists_of:
                    fail(item, "there is no list of arguments %s" % item.value)
                else:
                    yield from self.expanded(self.lists_of[item.value])
            elif kind(item) != "map" or len(item.value) != 1:
                fail(item, "an argument must be its name with what is said of it, or the name of a list of arguments")
            else:
                yield item.value[0]

    def arguments(self, node):
        rows, names = [], []
        for name, value in self.expanded(node):
            if name.value in names:
                fail(name, "the argument %s is there twice" % name.value)
            names.append(name.value)
            rows.append(self.argument(name, value))
        return self.table("static const struct set_arg", "args", rows), len(rows), names

    # -- tools --

    def step(self, node, scope):
        m = members(node, ("call", "when", "each", "tries", "optional", "with"), "a step")
        if "call" not in m:
            fail(node, "a step must have the method that it calls, as call")
            return "{0}"
        fields = [".method = %s" % c_text(text(m["call"], "call"))]
        for name in ("when", "each"):
            if name in m:
                scope.check_ref(m[name], text(m[name], name))
                fields.append(".%s = %s" % (name, c_text(m[name].value)))
        for name in ("tries", "optional"):
            if name in m and truth(m[name], name):
                fields.append(".%s = true" % name)
        if "with" in m:
            scope.check(m["with"], "each" in m)
            fields.append(".arguments = %s" % c_text(plain(m["with"])))
        scope.steps += 1
        return "{%s}" % ", ".join(fields)

    def tool(self, name, node, filters, run):
        known = ("title", "category", "summary", "hints", "idempotent", "tokens", "arguments", "run", "steps", "prefer", "under", "result")
        m = members(node, known, name.value)
        fields = [".name = %s" % c_text(name.value)]
        for field in ("title", "category", "summary"):
            if field in m:
                fields.append(".%s = %s" % (field, c_text(text(m[field], field))))
        if "summary" not in m:
            fail(name, "%s must have a summary" % name.value)
        if "hints" in m:
            hints = ["HINTS"] + [chosen(h, HINTS, "a hint") for h in items(m["hints"], "hints")]
            fields.append(".hints = %s" % " | ".join(hints))
        if "tokens" in m:
            fields.append(".token_kinds = %s" % " | ".join(chosen(t, TOKENS, "a token") for t in items(m["tokens"], "tokens")))
        if "idempotent" in m and truth(m["idempotent"], "idempotent"):
            fields.append(".idempotent = true")
        names = []
        if "arguments" in m:
            table, n, names = self.arguments(m["arguments"])
            fields.append(".args = %s, .n_args = %d" % (table, n))
        run = m.get("run", run)
        if run is not None:
            if text(run, "run") not in self.hooks.runs:
                fail(run, "no C file has a function int %s(struct set_run *r, const struct json **ret)" % run.value)
            fields.append(".run = %s" % run.value)
            self.out.append("int %s(struct set_run *r, const struct json **ret);\n" % run.value)
        scope = Scope(names, filters, run is not None)
        steps = items(m["steps"], "steps") if "steps" in m else []
        if not 1 <= len(steps) <= MAX_STEPS:
            fail(name, "%s must have from 1 to %d steps, not %d" % (name.value, MAX_STEPS, len(steps)))
        rows = [self.step(s, scope) for s in steps]
        fields.append(".steps = {%s}" % ", ".join(rows))
        if "prefer" in m:
            scope.check(m["prefer"])
            fields.append(".prefer = %s" % c_text(plain(m["prefer"])))
        if "under" in m:
            fields.append(".under = %s" % c_text(text(m["under"], "under")))
        if "result" in m:
            # What a function makes of a part is its own: it gives the item.
            scope.check(m["result"], run is not None)
            fields.append(".result = %s" % c_text(plain(m["result"])))
        return "{%s}" % ",\n     ".join(fields)

    def path(self, name, node, run):
        """A tool that is one method at a path: "METHOD PATH", with what it takes beside its parameters behind it."""
        method, path, *more = text(node, name.value).split()
        if run is None or text(run, "run") not in self.hooks.runs:
            fail(name, "a set with paths must have a function of a C file, as run")
        fields = [".name = %s, .title = %s" % (c_text(name.value), c_text(name.value)), ".path = %s" % c_text(path), ".steps = {{.method = %s}}" % c_text(method)]
        for word in more:
            if word not in ROUTED:
                fail(node, "behind a path may be %s, not %s" % (", ".join(ROUTED), word))
        if more:
            fields.append(".routed = %s" % " | ".join(ROUTED.get(word, "0") for word in more))
        fields.append(".run = %s" % run.value)
        self.out.append("int %s(struct set_run *r, const struct json **ret);\n" % run.value)
        return "{%s}" % ", ".join(fields)

    def set(self, path, root):
        m = members(root, ("set", "service", "server", "filters", "run", "arguments", "tools", "paths") + SET_FLAGS, "a set")
        for name in ("set", "service"):
            if name not in m:
                return fail(root, "a set must have %s" % name)
        if ("tools" in m) == ("paths" in m):
            return fail(root, "a set must have tools or paths, and not both")
        local = members(m["arguments"], None, "arguments") if "arguments" in m else {}
        self.lists_of = {**self.shared, **local}
        filters = set(self.hooks.tables.get("set_filters", []))
        fields = [".set = %s" % chosen(m["set"], SETS, "set"), ".service = %s" % c_text(text(m["service"], "service"))]
        fields += [".%s = true" % f for f in SET_FLAGS if f in m and truth(m[f], f)]
        if "server" in m:
            fields.append(".server = %s" % c_text(text(m["server"], "server")))
        if "filters" in m:
            table = text(m["filters"], "filters")
            if table not in self.hooks.tables:
                fail(m["filters"], "no C file has a table const struct set_filter %s[]" % table)
            filters.update(self.hooks.tables.get(table, []))
            fields.append(".filters = %s" % table)
            self.out.append("extern const struct set_filter %s[];\n" % table)
        if "tools" in m:
            rows = [self.tool(name, node, filters, m.get("run")) for name, node in members_in_order(m["tools"])]
        else:
            rows = [self.path(name, node, m.get("run")) for name, node in members_in_order(m["paths"])]
        fields.append(".tools = %s" % self.table("static const struct set_tool", "tools", rows))
        self.lists.append("{%s, .n = %d}" % (", ".join(fields), len(rows)))


def members_in_order(node):
    members(node, None, "tools")
    return node.value if kind(node) == "map" else []


def shared_lists(path):
    """Lists of arguments that several files have: {"mail.letter": node}."""
    root = read(path)
    if root is None:
        return {}
    return {"%s.%s" % (family, name): node for family, lists in members(root, None, path).items()
            for name, node in members(lists, None, family).items()}


def main():
    target, shared, *paths = sys.argv[1:]
    hooks = Hooks([p for p in paths if p.endswith(".c")])
    writer = Writer(hooks, shared_lists(shared))
    for path in [p for p in paths if p.endswith(".yaml")]:
        root = read(path)
        if root is not None and not wrong:
            writer.set(path, root)
    if wrong:
        sys.exit("\n".join(wrong))
    with open(target, "w", encoding="utf-8") as out:
        out.write('/* Made by tools/sets.py of mcp/sets. */\n#include "mcp/sets/set.h"\n\n')
        seen = set()
        for part in writer.out:
            if part not in seen:
                out.write(part)
            seen.add(part)
        out.write("\nconst struct set_tools set_lists[] = {\n    %s,\n    {.tools = NULL},\n};\n" % ",\n    ".join(writer.lists))


if __name__ == "__main__":
    main()
