#!/usr/bin/env python3
"""Writes a file of shapes as a table of schemas in C, and its header: shapes.py INPUT SOURCE HEADER NAME

The file is a JSON object of names and shapes. A shape is an object of members; a member's value is
  "string", "integer", "number", "boolean", "any", "object"   a value of that type
  "Name"                                                      the shape of that name
  ["string"]                                                  a list of such values
  {"*": "string"}                                             an object with free names for them
  {"id": "string", ...}                                       an object of these members
A member's name ends with ! if it is always there, and then with ? if it may be null. A shape whose
name has a dot is a response of that method: it has `ok`, and what each response may have."""
import json, sys

TYPES = ("string", "integer", "number", "boolean", "any", "object")
COMMON = {"ok!": "boolean", "warning": "string", "response_metadata": "ResponseMetadata"}


class Table:
    def __init__(self, names):
        self.names, self.out, self.n = names, [], 0

    def fields(self, shape, where):
        """Writes the members as an array and gives its name."""
        rows = [self.field(key, value, "%s.%s" % (where, key.rstrip("!?"))) for key, value in shape.items()]
        self.n += 1
        name = "fields_%d" % self.n
        self.out.append("static const struct field %s[] = {\n%s};\n" % (name, "".join("    {%s},\n" % r for r in rows)))
        return name

    def field(self, key, value, where):
        said = ['.name = "%s"' % key.rstrip("!?")]
        if isinstance(value, list) and len(value) == 1:
            said.append(".list = true")
            value = value[0]
        elif isinstance(value, dict) and list(value) == ["*"]:
            said.append(".map = true")
            value = value["*"]
        if isinstance(value, dict):
            table = self.fields(value, where)
            said.append('.type = "object", .fields = %s, .n_fields = %d' % (table, len(value)))
        elif value in TYPES or value in self.names:
            said.append('.type = "%s"' % value)
        else:
            sys.exit("%s must be a type or the name of a shape, not %s" % (where, json.dumps(value)))
        if "!" in key:
            said.append(".required = true")
        if key.endswith("?"):
            said.append(".nullable = true")
        return ", ".join(said)


def main():
    source, target, header, name = sys.argv[1:5]
    with open(source, encoding="utf-8") as file:
        shapes = json.load(file)
    table, schemas = Table(set(shapes)), []
    for key in sorted(shapes, key=lambda k: k.encode()):
        shape = shapes[key] if "." not in key else {**COMMON, **shapes[key]}
        schemas.append('    {"%s", %s, %d},\n' % (key, table.fields(shape, key), len(shape)))
    with open(target, "w", encoding="utf-8") as out:
        out.write('#include "engine/api/vendor.h"\n\n')
        out.write("\n".join(table.out))
        out.write("\nextern const struct schema %s[%d];\n" % (name, len(schemas)))
        out.write("const struct schema %s[] = {\n%s};\n" % (name, "".join(schemas)))
    with open(header, "w", encoding="utf-8") as out:
        out.write('#include "engine/api/vendor.h"\n\nextern const struct schema %s[%d];\n' % (name, len(schemas)))


if __name__ == "__main__":
    main()
