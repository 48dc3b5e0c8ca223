/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the store: a tree with 500 items, an index and their texts. */
#ifndef SOSIA_TESTS_STORE_ITEMS_H
#define SOSIA_TESTS_STORE_ITEMS_H

#include "tests/engine/store/store_fixture.h"

#define COUNT "select count(*) from item"

static const char schema[] =
    "create table item(id integer primary key, name text unique, n int, body text) strict;"
    "create index item_n on item(n);"
    "create virtual table item_text using fts5(body, content='item', content_rowid='id');"
    "create trigger item_ins after insert on item begin"
    "  insert into item_text(rowid, body) values(new.id, new.body); end;"
    "insert into item(name, n, body) with recursive c(i) as (select 1 union all select i + 1 from "
    "c where i < 500)"
    "  select 'name' || i, i % 10, 'body of number ' || i from c;";

static inline int setup(void **state)
{
    return fixture_open(state, NULL, schema);
}

/* The tree is what SQLite and FTS5 take for a whole database. */
static inline void assert_sound(struct slot *s, struct tree *t)
{
    char *text = NULL;
    sqlite3_stmt *st;
    point(s, t);
    number(s, "select count(*) from item_text where item_text match 'body'");
    assert_int_equal(sqlite3_prepare_v2(slot_db(s), "pragma integrity_check", -1, &st, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    text = strdup((const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    slot_leave(s);
    assert_string_equal(text, "ok");
    free(text);
}

#define ON(test) cmocka_unit_test_setup_teardown(test, setup, fixture_close)

#endif
