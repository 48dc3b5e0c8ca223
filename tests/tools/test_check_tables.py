# SPDX-License-Identifier: Apache-2.0
"""tools/check_tables finds SQL about another folder's tables, in whatever pieces it is written, and nothing else."""
import importlib.machinery, importlib.util, os, pathlib, tempfile, unittest

TOOL = os.path.join(os.environ["SOSIA_ROOT"], "tools/check_tables")


def load():
    loader = importlib.machinery.SourceFileLoader("check_tables", TOOL)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_tables", loader))
    loader.exec_module(module)
    return module


TREE = {
    "identity/identity.sql": "create table ident_actor (id integer primary key) strict;\n",
    "services/notes/core/schema.sql": "create table note_page (id integer primary key, actor integer references ident_actor (id)) strict;\n"
                                      "create virtual table note_index using fts5 (body);\n",
    "services/notes/acme/acme.sql": "create table acme_pin (page integer references note_page (id)) strict;\n",
    "services/notes/core/page.c": 'f("select id from note_page");\n',
    "services/notes/acme/pin.c": 'f("select page from acme_pin where page = :page");\n',
}


class CheckTables(unittest.TestCase):
    def found(self, counts={}, **more):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in list(TREE.items()) + [(k.replace("__", "/") + ".c", v) for k, v in more.items()]:
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return load().check(str(root), counts)[0]

    def test_own_tables(self):
        self.assertEqual(self.found(), [])

    def test_a_dialect_on_its_cores_tables(self):
        self.assertEqual(self.found(services__notes__acme__x='f("select x from acme_pin p "\n  "join note_page n on n.id = p.page");\n'),
                         ["services/notes/acme/x.c: SQL about note_page, a table of services/notes/core"])
        for sql in ("update note_page set id = 1", "insert into note_page (id) values (1)", "delete from note_page",
                    "select 1 from (select id from note_page)"):
            self.assertEqual(len(self.found(services__notes__acme__x='f("%s");\n' % sql)), 1, sql)
        self.assertEqual(len(self.found(services__notes__acme__x='f("select id from " /* its pages */ "note_page");\n')), 1)

    def test_a_core_on_a_dialects_tables(self):
        self.assertEqual(self.found(services__notes__core__x='f("delete from acme_pin");\n'),
                         ["services/notes/core/x.c: SQL about acme_pin, a table of services/notes/acme"])

    def test_comments_and_identifiers(self):
        self.assertEqual(self.found(services__notes__acme__x='/* from note_page */ int note_page; f("note_page");\n'), [])

    def test_references_in_schemas(self):
        TREE["services/notes/core/more.sql"] = "create table note_more (pin integer references acme_pin (page)) strict;\n"
        try:
            self.assertEqual(self.found(), ["services/notes/core/more.sql: SQL about acme_pin, a table of services/notes/acme"])
        finally:
            del TREE["services/notes/core/more.sql"]

    def test_counts(self):
        sql = 'f("select id from note_page");\n'
        self.assertEqual(self.found({"services/notes/acme/x.c": 1}, services__notes__acme__x=sql), [])
        self.assertEqual(self.found({"services/notes/acme/x.c": 2}, services__notes__acme__x=sql),
                         ["tools/check_tables.allow: services/notes/acme/x.c speaks of 1 such tables by now, not 2"])
        self.assertEqual(self.found({"services/notes/acme/gone.c": 1}),
                         ["tools/check_tables.allow: services/notes/acme/gone.c speaks of 0 such tables by now, not 1"])


if __name__ == "__main__":
    unittest.main()
