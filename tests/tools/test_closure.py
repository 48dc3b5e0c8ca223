# SPDX-License-Identifier: Apache-2.0
"""tools/closure finds knots and closures, and its allow file only shrinks."""
import importlib.machinery, importlib.util, os, unittest

TOOL = os.path.join(os.environ["SOSIA_ROOT"], "tools/closure")
loader = importlib.machinery.SourceFileLoader("closure", TOOL)
closure = importlib.util.module_from_spec(importlib.util.spec_from_loader("closure", loader))
loader.exec_module(closure)

# a, b and c need one another; d needs a; e needs nothing, and has what f needs.
TABLE = {"a.c": ({"a"}, {"b", "malloc"}), "b.c": ({"b"}, {"c"}), "c.c": ({"c"}, {"a"}), "d.c": ({"d"}, {"a"}), "e.c": ({"e"}, set()),
         "f.c": ({"f"}, {"e"})}


class Closure(unittest.TestCase):
    def test_edges(self):
        edges = closure.edges_of(TABLE)
        self.assertEqual(edges["a.c"], {"b.c": {"b"}})
        self.assertEqual(edges["e.c"], {})

    def test_knots_and_closure(self):
        knots, median = closure.measure(closure.edges_of(TABLE), set(TABLE))
        self.assertEqual(knots, [["a.c", "b.c", "c.c"]])
        self.assertEqual(median, 50)  # 1, 2, 3, 3, 3 and 4 files of 6
        self.assertEqual(closure.measure(closure.edges_of(TABLE), {"a.c", "b.c"}), ([], 100))

    def test_folders(self):
        self.assertEqual(closure.folder_of("services/chat/core/room/x.c"), "services/chat/core")
        self.assertEqual(closure.folder_of("engine/world/inner/x.c"), "engine/world")

    def test_files_with_rows(self):
        edges = closure.edges_of({"x.c": ({"x_rows", "x_help"}, set()), "y.c": ({"y"}, {"x_rows"})})
        self.assertEqual(closure.libraries(edges, {"x.c": {"x_rows"}}), {})
        edges = closure.edges_of({"x.c": ({"x_rows", "x_help"}, set()), "y.c": ({"y"}, {"x_rows", "x_help"})})
        found = closure.libraries(edges, {"x.c": {"x_rows"}, "y.c": set()})
        self.assertEqual(found, {"x.c": ["x_help"]})
        self.assertEqual(closure.check_libraries(found, {}),
                         ["x.c: a file with rows must have nothing else that others need, not x_help"])
        self.assertEqual(closure.check_libraries(found, {"x.c": 1}), [])
        self.assertEqual(closure.check_libraries(found, {"x.c": 2}), ["tools/closure.allow: x.c has 1 such by now, not 2"])

    def test_rows_of_a_file(self):
        self.assertEqual(closure.rows_of("services/mail/gmail/watch_methods.c"), {"gmail_watch_rows"})
        self.assertEqual(closure.rows_of("services/mail/gmail/watch.c"), set())

    def test_limits(self):
        self.assertEqual(closure.check({"engine/x": (5, 90), "services/x/acme": (2, 25)}, {}), [])
        self.assertEqual(closure.check({"engine/x": (6, 90), "services/x/acme": (2, 26)}, {}),
                         ["engine/x: a knot must have at most 5 files, not 6",
                          "services/x/acme: a file must need at most 25 % of the folder, not 26 %"])

    def test_large_folders_are_held_as_dialects(self):
        self.assertEqual(closure.check({"engine/x": (1, 26)}, {}, {"engine/x"}),
                         ["engine/x: a file must need at most 25 % of the folder, not 26 %"])
        self.assertEqual(closure.check({"engine/x": (1, 26)}, {"engine/x": (1, 27)}, {"engine/x"}), [])

    def test_allow_file(self):
        self.assertEqual(closure.check({"engine/x": (8, 90)}, {"engine/x": (8, 90)}), [])
        self.assertEqual(closure.check({"engine/x": (9, 90)}, {"engine/x": (8, 90)}),
                         ["engine/x: a knot must have at most 8 files, not 9"])
        self.assertEqual(closure.check({"engine/x": (7, 90)}, {"engine/x": (8, 90)}),
                         ["tools/closure.allow: engine/x has 7 90 by now, not 8 90"])
        self.assertEqual(closure.check({"services/x/acme": (1, 40)}, {"services/x/acme": (1, 60)}),
                         ["tools/closure.allow: services/x/acme has 1 40 by now, not 1 60"])
        self.assertEqual(closure.check({}, {"engine/gone": (8, 90)}),
                         ["tools/closure.allow: engine/gone must be a folder of several files"])


if __name__ == "__main__":
    unittest.main()
