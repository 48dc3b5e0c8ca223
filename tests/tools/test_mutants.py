# SPDX-License-Identifier: Apache-2.0
"""tools/mutants: where a C file is changed, and what is left out by rule."""
import importlib.machinery
import importlib.util
import os
import unittest

ROOT = os.environ["SOSIA_ROOT"]
CODE = '''
#define MACRO(a) (a) < 3
static const int table[] = {1, 2};
static int plain(struct tx *tx)
{
    return TX_RUN(tx, &q) < 0 ? -1 : 0;
}
int refusing(struct tx *tx, int n) /* if (n > 2) */
{
    if (n > 2)
        return tx_fail(tx, 7, "no", NULL, "1 < 2");
    n += 4;
    return 0;
}
int both(struct tx *tx, int n)
{
    char text[32];
    for (int i = 0; i < n; i++)
        n--;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (plain(tx) < 0)
        return -1;
    if (refusing(tx, n) < 0)
        return -1;
    buf_done(&b);
    return n;
}
'''


def load():
    path = os.path.join(ROOT, "tools", "mutants")
    loader = importlib.machinery.SourceFileLoader("mutants", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
    loader.exec_module(module)
    return module


class Mutants(unittest.TestCase):
    def setUp(self):
        tool = load()
        self.source = tool.Source("services/notes/core/x.c", CODE)
        self.bad = tool.refusing([self.source])
        self.sites = tool.Sites(self.source, self.bad, tool.below_zero([self.source]))
        self.found = [(CODE[a:b], new, kind, name) for a, b, new, kind, name in self.sites.found]

    def of(self, name, kind):
        return [(old, new) for old, new, k, n in self.found if n == name and k == kind]

    def test_functions(self):
        self.assertEqual([name for name, _, _ in self.source.functions], ["plain", "refusing", "both"])
        self.assertEqual(self.bad, {"refusing", "both"})

    def test_operators_constants_and_conditions(self):
        self.assertEqual(self.of("refusing", "operator"), [(">", ">="), ("+=", "-=")])
        self.assertEqual(self.of("refusing", "constant"), [("2", "3"), ("4", "5")])
        self.assertEqual(self.of("refusing", "condition"), [("n > 2", "!(n > 2)")])

    def test_success_is_0_or_any_other(self):
        tool = load()
        self.assertEqual(tool.below_zero([self.source]) & {"plain", "refusing"}, {"plain", "refusing"})
        # One that asks for more sees the difference.
        more = tool.Source("services/notes/y.c", "int other(struct tx *tx)\n{\n    return refusing(tx, 1) == 0;\n}\n")
        below = tool.below_zero([self.source, more])
        self.assertNotIn("refusing", below)
        sites = tool.Sites(self.source, self.bad, below)
        self.assertIn(("0", "1", "refusing"), [(CODE[a:b], new, name) for a, b, new, _, name in sites.found])

    def test_statements(self):
        self.assertEqual(self.of("refusing", "statement"), [('return tx_fail(tx, 7, "no", NULL, "1 < 2");', ";"), ("n += 4;", ";")])
        # The parts of a for are none, what gives back is left out, a last return stays.
        self.assertEqual(self.of("both", "statement"), [("n--;", ";"), ("return -1;", ";")])

    def test_left_out_by_rule(self):
        whole = " ".join(old for old, _, _, _ in self.found)
        for text in ("32", "arena_failed", "sosia_fail_memory", "buf_done"):
            self.assertNotIn(text, whole)
        self.assertNotIn("7", [old for old, _, _, _ in self.found])
        # The failure of what refuses nothing is passed on without a mutant, that of what refuses has one.
        returns = [a for a, b, _, kind, name in self.sites.found if CODE[a:b] == "return -1;"]
        self.assertEqual(len(returns), 1)
        self.assertGreater(returns[0], CODE.index("refusing(tx, n) < 0"))

    def test_a_sample_depends_on_places_alone(self):
        tool = load()
        core = ("notes", "services/notes/core", (), ("notes",))
        places = [("a.c", 1, 2, ";", "statement", "f", 3, "x;", "around", n) for n in range(20)]
        one = tool.sample(core, places, 1, 5)
        self.assertEqual(one, tool.sample(core, list(reversed(places)), 1, 5))
        self.assertNotEqual(one, tool.sample(core, places, 2, 5))

    def test_cores_are_there(self):
        tool = load()
        for _, folder, without, programs in tool.CORES:
            self.assertTrue(os.path.isdir(os.path.join(ROOT, folder)))
            for inner in without:
                self.assertTrue(os.path.isdir(os.path.join(ROOT, folder, inner)))
            with open(os.path.join(ROOT, "tests", "meson.build"), encoding="utf-8") as f:
                text = f.read()
            for program in programs:
                self.assertIn("'%s'" % program, text)


if __name__ == "__main__":
    unittest.main()
