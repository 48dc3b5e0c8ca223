# SPDX-License-Identifier: Apache-2.0
"""tools/sets.py: what is not as it must be in a file of tools is found, with its line, when the tree is built."""
import os, pathlib, re, sys, tempfile, unittest

sys.path.insert(0, os.path.join(os.environ["SOSIA_ROOT"], "tools"))
import sets
SHARED = """
mail:
  message:
    - {messageId: {required: true, summary: Id of the message}}
"""
HOOKS = """
int acme_run(struct set_run *r, const struct json **ret)
const struct set_filter acme_filters[] = {{"loud", loud}, {NULL, NULL}};
const struct set_filter set_filters[] = {{"or", or_else}, {NULL, NULL}};
"""
GOOD = """
set: hosted
service: gmail
filters: acme_filters
arguments:
  page:
    - {max: {type: integer, default: 10, min: 0, max: 50, summary: Messages at most}}
tools:
  read:
    summary: One message
    hints: [reads]
    arguments: [mail.message, page]
    steps:
      - {call: gmail.users.messages.get, with: {userId: me, id: $messageId|loud}}
      - {call: gmail.users.labels.get, each: 0.labelIds, with: {userId: me, id: $.}}
    result: {subject: $0.subject|or:none, labels: {$each: $1, $as: $.response.name}, text: 'at most {max}'}
"""


class Sets(unittest.TestCase):
    def made(self, text, shared=SHARED, hooks=HOOKS):
        """What the tool prints, without the folder's name, and the C that it makes; None: it refuses."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            for name, content in (("shared.yaml", shared), ("set.yaml", text), ("hooks.c", hooks)):
                (path / name).write_text(content)
            sets.wrong.clear()
            sys.argv = ["sets.py"] + [str(path / name) for name in ("out.c", "shared.yaml", "set.yaml", "hooks.c")]
            try:
                sets.main()
            except SystemExit as e:
                self.assertFalse((path / "out.c").exists())
                return str(e).replace(folder + "/", "").splitlines(), None
            return [], (path / "out.c").read_text()

    def refused(self, old, new):
        """The one fault of the good file with something in another's place."""
        self.assertIn(old, GOOD)
        faults, made = self.made(GOOD.replace(old, new))
        self.assertIsNone(made)
        self.assertEqual(len(faults), 1, faults)
        return faults[0]

    def test_what_is_made(self):
        faults, made = self.made(GOOD)
        self.assertEqual(faults, [])
        self.assertIn('.name = "messageId", .type = ARG_STRING, .required = true, .summary = "Id of the message"', made)
        self.assertIn('.name = "max", .type = ARG_INTEGER, .def = "10", .zero = true, .max = 50', made)
        self.assertIn(r'.method = "gmail.users.labels.get", .each = "0.labelIds", .arguments = "{\"userId\":\"me\",\"id\":\"$.\"}"', made)
        self.assertIn(r'.result = "{\"subject\":\"$0.subject|or:none\",\"labels\":{\"$each\":\"$1\"', made)
        self.assertIn("HINTS | HINT_READS", made)

    def test_the_example_of_the_documents(self):
        root = pathlib.Path(os.environ["SOSIA_ROOT"])
        example = re.search(r"```yaml\n(set: .*?)```", (root / "docs/adding.md").read_text(), re.S).group(1)
        faults, made = self.made(example.replace("hosted_gmail_filters", "acme_filters"), (root / "mcp/sets/arguments.yaml").read_text(),
                                 (root / "mcp/sets/filter.c").read_text() + HOOKS.replace("set_filters", "other_filters"))
        self.assertEqual(faults, [])
        self.assertIn("gmail_list_labelled", made)

    def test_equal_lists_of_arguments_are_one(self):
        again = GOOD + re.search(r"  read:.*", GOOD, re.S).group(0).replace("  read:", "  again:")
        self.assertEqual(self.made(again)[1].count("Id of the message"), 1)

    def test_members(self):
        self.assertEqual(self.refused("    hints: [reads]", "    hint: [reads]").split(" (")[0], "set.yaml:11: read has no member hint")
        self.assertEqual(self.refused("hints: [reads]", "hints: [read]"),
                         "set.yaml:11: a hint must be one of reads, destroys, repeats, open, brief, not read")
        self.assertEqual(self.refused("type: integer", "type: int").split(" must")[0], "set.yaml:7: type")
        self.assertEqual(self.refused("min: 0", "min: low"), "set.yaml:7: min must be a whole number, not low")
        self.assertEqual(self.refused("summary: One message", "summary: yes"), "set.yaml:10: yes is a bool to YAML: put it in quotes")
        self.assertEqual(self.refused("    summary: One message\n", ""), "set.yaml:9: read must have a summary")
        self.assertEqual(self.refused("set: hosted", "set: other").split(" must")[0], "set.yaml:2: set")

    def test_arguments(self):
        self.assertEqual(self.refused("[mail.message, page]", "[mail.message, page, mail.messages]"),
                         "set.yaml:12: there is no list of arguments mail.messages")
        self.assertEqual(self.refused("[mail.message, page]", "[mail.message, page, page]"), "set.yaml:7: the argument max is there twice")

    def test_references(self):
        self.assertEqual(self.refused("$messageId|loud", "$messageID|loud"), "set.yaml:14: messageID|loud names no argument of the tool")
        self.assertEqual(self.refused("'at most {max}'", "'at most {most}'"), "set.yaml:16: most names no argument of the tool")
        self.assertEqual(self.refused("$messageId|loud", "$messageId|loudly"), "set.yaml:14: there is no filter loudly (in messageId|loudly)")
        self.assertEqual(self.refused("0.labelIds", "1.labelIds"), "set.yaml:15: 1.labelIds is the response of a step that is not there yet")
        self.assertEqual(self.refused("each: 0.labelIds, ", ""), "set.yaml:15: . is an item's, and there is no list here")
        self.assertEqual(self.refused("$messageId|loud", "$_file"), "set.yaml:14: _file is what a function remembers, and the tool runs none")

    def test_operators(self):
        self.assertEqual(self.refused("{$each: $1,", "{$if: $1,"), "set.yaml:16: $if takes no $as")
        self.assertEqual(self.refused("{$each: $1, $as: $.response.name}", "{$each: $1}"), "set.yaml:16: $each must have $as")
        self.assertEqual(self.refused("{$each: $1, $as: $.response.name}", "{a: b, $then: c}").split(" must")[0], "set.yaml:16: $then")

    def test_code(self):
        faults, made = self.made(GOOD.replace("filters: acme_filters", "filters: acme_filter"))
        self.assertIsNone(made)
        self.assertEqual(faults[0], "set.yaml:4: no C file has a table const struct set_filter acme_filter[]")
        self.assertEqual(self.refused("    steps:", "    run: acme_walk\n    steps:").split(" int ")[0],
                         "set.yaml:13: no C file has a function")
        self.assertEqual(self.made(GOOD.replace("    steps:", "    run: acme_run\n    steps:"))[0], [])

    def test_paths(self):
        lines = "set: softeria\nservice: outlook_mail\nrun: acme_run\npaths:\n  read: messages.get /me/messages/{message-id} timezone\n"
        faults, made = self.made(lines)
        self.assertEqual(faults, [])
        self.assertIn('.path = "/me/messages/{message-id}", .steps = {{.method = "messages.get"}}, .routed = ROUTED_ZONE, .run = acme_run', made)
        self.assertEqual(self.made(lines.replace("timezone", "zone"))[0][0].split(", not ")[1], "zone")
        self.assertEqual(self.made(lines.replace("run: acme_run", "run: acme_walk"))[0][0],
                         "set.yaml:5: a set with paths must have a function of a C file, as run")
        self.assertEqual(self.made(lines + "tools: {}\n")[0][0], "set.yaml:1: a set must have tools or paths, and not both")

    def test_options_are_members(self):
        self.assertEqual(self.made(GOOD.replace("$messageId|loud}", "$messageId|loud, $top: $max}"))[0], [])
        self.assertEqual(self.refused("$messageId|loud}", "$messageId|loud, $tops: $max}").split(" must")[0], "set.yaml:14: $tops")

    def test_what_is_not_yaml(self):
        self.assertEqual(self.refused("hints: [reads]", "hints: [reads").split(":")[:2], ["set.yaml", "12"])


if __name__ == "__main__":
    unittest.main()
