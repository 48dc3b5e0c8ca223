#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes C of types that are written as YAML: edm.py OUTPUT.c OUTPUT.h TYPES.yaml... The header has how many shapes there are.

A file has `types` and `enums`; names are the vendor's, without their namespace:
  types:
    message:
      base: outlookItem          the type that it is derived from
      kind: complex              or entity; of a type with a base, as the base is
      abstract: true             nothing is of this type alone
      beta: true                 in beta alone
      open: true                 it may have members that are not listed
      values: plannerAssignment  of an open type without properties: what each of its members is
      inherited: last            members of the base types are answered behind its own
      id: given                  clients say its id
      properties:                in the order of answers
        subject: String
        toRecipients: Collection(recipient)
        id: String! read-only    ! : never null
        uniqueBody: itemBody asked    answered to those who name it in $select alone
        mentionsPreview: mentionsPreview beta    in beta alone: handlers refuse it in bodies of v1.0
      navigation: {attachments: Collection(attachment)}
  enums:
    importance: [low, normal, high]
    mailTipsType: {flags: true, values: [...]}
  actions:
    event.accept: {comment: String}      parameters, as the shape of a body; of no type
  collections: [event]                   lists of these are responses: a shape of its own, eventCollectionResponse
With `order: simple first` the members that are things themselves come behind those that are plain values, whatever type
declares them. A fault ends the build, with the file and the line."""
import re
import sys

try:
    import yaml
except ImportError:
    sys.exit("tools/edm.py: Python has no module yaml here: install python3-yaml (script/bootstrap does)")

NAMESPACE = "microsoft.graph."
# name: kind, and type and format of a body's member
PLAIN = {"Binary": ("BINARY", "string", "byte"), "Boolean": ("BOOLEAN", "boolean", None), "Byte": ("BYTE", "integer", None),
         "Date": ("DATE", "string", "date"), "DateTimeOffset": ("DATE_TIME", "string", "date-time"),
         "Decimal": ("DECIMAL", "number", None), "Double": ("DOUBLE", "number", None), "Duration": ("DURATION", "string", "duration"),
         "Guid": ("GUID", "string", "uuid"), "Int16": ("INT16", "integer", None), "Int32": ("INT32", "integer", "int32"),
         "Int64": ("INT64", "integer", "int64"), "Json": ("ANY", "any", None), "SByte": ("SBYTE", "integer", None), "Single": ("SINGLE", "number", None),
         "Stream": ("STREAM", "string", "byte"), "String": ("STRING", "string", None), "TimeOfDay": ("TIME", "string", "time")}
MEMBERS = ("base", "kind", "abstract", "beta", "open", "values", "inherited", "id", "properties", "navigation")
PROPERTY = re.compile(r"(?:Collection\((\w+)\)|(\w+))(!?)((?: read-only| asked| beta)*)$")

wrong = []


class Property:
    def __init__(self, owner, name, value, navigation):
        self.owner, self.name, self.navigation = owner, name.value, navigation
        self.node, m = value, PROPERTY.match(value.value)
        if not m:
            fail(value, "%s must be a type, with ! and words behind it, not %s" % (self.name, value.value))
            m = PROPERTY.match("String")
        self.type, self.collection, self.strict = m[1] or m[2], bool(m[1]), bool(m[3])
        self.words = m[4].split()


class Type:
    def __init__(self, name, file, simple_first):
        self.name, self.file, self.simple_first = name, file, simple_first
        self.base = self.kind = self.values = None
        self.abstract = self.beta = self.open = self.inherited_last = self.id_given = False
        self.own, self.derived = [], []


def fail(node, text):
    wrong.append("%s:%d: %s" % (node.start_mark.name, node.start_mark.line + 1, text))


def members(node):
    if not isinstance(node, yaml.MappingNode):
        fail(node, "a mapping was expected")
        return []
    seen = set()
    for key, _ in node.value:
        if key.value in seen:
            fail(key, "%s is there twice" % key.value)
        seen.add(key.value)
    return node.value


def read_type(name, node, simple_first):
    t = Type(name.value, node, simple_first)
    for key, value in members(node):
        if key.value not in MEMBERS:
            fail(key, "a member of a type must be one of %s, not %s" % (", ".join(MEMBERS), key.value))
        elif key.value in ("properties", "navigation"):
            t.own += [Property(t, k, v, key.value == "navigation") for k, v in members(value)]
        elif key.value == "base":
            t.base = value
        elif key.value in ("kind", "values"):
            setattr(t, key.value, value.value)
        elif key.value == "id":
            t.id_given = value.value == "given"
        elif key.value == "inherited":
            t.inherited_last = value.value == "last"
        else:
            setattr(t, key.value, value.value == "true")
    return t


def read_enum(name, node):
    values, flags = node, False
    if isinstance(node, yaml.MappingNode):
        at = {k.value: v for k, v in members(node)}
        values, flags = at.get("values", node), "flags" in at
    if not isinstance(values, yaml.SequenceNode):
        fail(node, "the values of %s must be a list" % name.value)
        return [], flags
    return [v.value for v in values.value], flags


def read(paths):
    types, enums, actions = {}, {}, {}
    for path in paths:
        with open(path, encoding="utf-8") as f:
            root = yaml.compose(f, Loader=yaml.BaseLoader)
        at = {k.value: v for k, v in members(root)}
        simple_first = "order" in at and at["order"].value == "simple first"
        for key, value in members(at["types"]):
            if key.value in types:
                fail(key, "the type %s is there twice" % key.value)
            types[key.value] = read_type(key, value, simple_first)
        for key, value in members(at["enums"]) if "enums" in at else []:
            if key.value in enums or key.value in types:
                fail(key, "the name %s is there twice" % key.value)
            enums[key.value] = read_enum(key, value)
        for key, value in members(at["actions"]) if "actions" in at else []:
            if key.value in types or key.value in actions:
                fail(key, "the name %s is there twice" % key.value)
            action = actions[key.value] = Type(key.value, key, False)
            action.own = [Property(action, k, v, False) for k, v in members(value)]
        for item in at["collections"].value if "collections" in at else []:
            name = item.value + "CollectionResponse"
            listed = actions[name] = Type(name, item, False)
            listed.own = [Property(listed, yaml.ScalarNode("", "value", item.start_mark),
                                   yaml.ScalarNode("", "Collection(%s)" % item.value, item.start_mark), False)]
    return types, enums, actions


def check_properties(t, types, enums):
    for p in t.own:
        if p.type not in PLAIN and p.type not in types and p.type not in enums:
            fail(p.node, "the type %s of %s is not here" % (p.type, p.name))


def check_values(t, types, enums):
    if t.values and t.own:
        fail(t.file, "%s has properties, so its values can't be said" % t.name)
    if t.values and t.values not in PLAIN and t.values not in types and t.values not in enums:
        fail(t.file, "the type %s of the values of %s is not here" % (t.values, t.name))


def check(types, enums, actions):
    for t in actions.values():
        check_properties(t, types, enums)
    for t in types.values():
        if t.base is not None:
            if t.base.value not in types:
                fail(t.base, "the base type %s is not here" % t.base.value)
                t.base = None
                continue
            t.base = types[t.base.value]
            t.base.derived.append(t)
        check_properties(t, types, enums)
        check_values(t, types, enums)
    for t in types.values():
        up = t
        while up.base:
            up = up.base
        t.kind = t.kind or up.kind
        if t.kind not in ("entity", "complex"):
            fail(t.file, "the kind of %s must be entity or complex, or it must have a base" % t.name)


def lineage(t):
    """Its members and those of its base types."""
    above = lineage(t.base) if t.base else []
    return t.own + above if t.inherited_last else above + t.own


def in_order(t, types):
    """The same in the order of answers."""
    def rank(p):
        return 2 if p.navigation else 1 if t.simple_first and p.type in types else 0
    return sorted(lineage(t), key=rank)


def below(t):
    return [p for d in sorted(t.derived, key=lambda d: d.name) for p in d.own + below(d)]


def flag(name, on):
    return ", .%s = true" % name if on else ""


def write_tables(out, types, enums):
    for name in sorted(enums):
        values, flags = enums[name]
        out.append("static const char *const values_%s[] = {%s, NULL};" % (name, ", ".join('"%s"' % v for v in values)))
        out.append('static const struct edm_enum enum_%s = {"%s", values_%s, %d, %s};'
                   % (name, name, name, len(values), "true" if flags else "false"))
    out += ["static const struct edm_type type_%s;" % name for name in sorted(types)]
    for name in sorted(types):
        t = types[name]
        if not t.own:
            continue
        out.append("static const struct edm_property own_%s[] = {" % name)
        for i, p in enumerate(t.own):
            p.at = "&own_%s[%d]" % (name, i)
            if p.type in PLAIN:
                kind = "EDM_" + PLAIN[p.type][0]
            elif p.type in enums:
                kind = "EDM_ENUM, .values = &enum_" + p.type
            else:
                kind = "EDM_%s, .type = &type_%s" % (types[p.type].kind.upper(), p.type)
            out.append('    {.name = "%s", .kind = %s, .owner = &type_%s%s%s%s%s%s%s},' % (
                p.name, kind, name, flag("collection", p.collection), flag("nullable", not p.strict and not p.collection),
                flag("navigation", p.navigation), flag("read_only", "read-only" in p.words), flag("asked", "asked" in p.words),
                flag("beta", "beta" in p.words)))
        out.append("};")
    for name in sorted(types):
        t = types[name]
        all_of = in_order(t, types)
        out.append("static const struct edm_property *const all_%s[] = {%s NULL};" % (name, "".join(p.at + ", " for p in all_of)))
        by_name = sorted(all_of, key=lambda p: p.name.lower())
        out.append("static const struct edm_property *const names_%s[] = {%s NULL};" % (name, "".join(p.at + ", " for p in by_name)))
        out.append('static const struct edm_type type_%s = {.name = "%s", .base = %s%s%s%s%s, .properties = all_%s, .by_name = names_%s, '
                   ".n = %d};" % (name, name, "&type_" + t.base.name if t.base else "NULL", flag("entity", t.kind == "entity"),
                                  flag("abstract", t.abstract), flag("beta", t.beta), flag("open", t.open), name, name, len(all_of)))
    for what, names in (("type", types), ("enum", enums)):
        rows = "".join("    &%s_%s,\n" % (what, n) for n in sorted(names, key=str.lower))
        out.append("const struct edm_%s *const edm_%ss[] = {\n%s};" % (what, what, rows))
        out.append("const size_t edm_n_%ss = %d;" % (what, len(names)))


def write_shape(out, symbol, properties, types, enums, id_given=False):
    """The fields of a shape: how many."""
    fields = ['    {.name = "@odata.type", .type = "string"},']
    seen = set()
    for p in properties:
        if p.name in seen:
            continue
        seen.add(p.name)
        given = id_given and p.name == "id"
        free = p.type in types and types[p.type].values
        kind = free or p.type
        if kind in PLAIN:
            _, kind, form = PLAIN[kind]
            said = '.type = "%s"%s' % (kind, ', .format = "%s"' % form if form else "")
        elif kind in enums:
            said = '.type = "string"' + ("" if enums[kind][1] else ", .values = values_" + kind)
        else:
            said = '.type = "%s%s"' % (NAMESPACE, kind)
        fields.append('    {.name = "%s", %s%s%s%s%s},' % (p.name, said, flag("list", p.collection), flag("map", free),
                                                        flag("nullable", not p.strict and not p.collection),
                                                        flag("read_only", "read-only" in p.words and not given)))
    out += ["static const struct field %s[] = {" % symbol] + fields + ["};"]
    return len(fields)


def write_schemas(out, types, enums, actions):
    """Gives how many there are."""
    shapes = {name: in_order(t, types) + below(t) for name, t in types.items() if not t.values}
    shapes.update((name, t.own) for name, t in actions.items())
    rows = []
    for name in sorted(shapes, key=lambda n: n.encode()):
        symbol = "fields_" + name.replace(".", "_of_")
        n = write_shape(out, symbol, shapes[name], types, enums, name in types and types[name].id_given)
        rows.append('    {.name = "%s%s", .fields = %s, .n_fields = %d},\n' % (NAMESPACE, name, symbol, n))
    out.append("const struct schema graph_schemas[GRAPH_SCHEMAS] = {\n%s};" % "".join(rows))
    return len(rows)


def main():
    types, enums, actions = read(sys.argv[3:])
    check(types, enums, actions)
    if wrong:
        sys.exit("\n".join(wrong))
    out = ['#include "vendors/microsoft/types/types.h"', ""]
    write_tables(out, types, enums)
    n = write_schemas(out, types, enums, actions)
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")
    with open(sys.argv[2], "w", encoding="utf-8") as f:
        f.write("#define GRAPH_SCHEMAS %d\n" % n)


if __name__ == "__main__":
    main()
