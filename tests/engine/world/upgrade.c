/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of cores that are made for this test: what becomes of rows of an earlier release, and what
 * a step must not leave. tests/releases has what releases left behind. */
#include "engine/service.h"
#include "engine/store/page_impl.h"
#include "engine/world/engine.h"
#include "engine/world/upgrade.h"
#include "tests/support/unit.h"
#include <stdio.h>

#define INDEX_OF " using fts5 (text, content = '', columnsize = 0)"

static const char was[] =
    "create table page (id integer primary key, title text not null, body text not null, old int) "
    "strict;"
    "create table plain (a text not null) strict;"
    "create table keyed (k text primary key, v integer) strict, without rowid;"
    "create table gone (id integer primary key) strict;"
    "create virtual table page_index" INDEX_OF ";"
    "create view titles as select title from page;"
    "create index page_title on page (title);"
    "create trigger page_new after insert on page begin insert into gone values (null); end;";
static const char is[] =
    "create table note (length integer not null check (length >= 0), id integer primary key, "
    "text text not null unique, kind text not null default 'page', tag text) strict;"
    "create table title (note integer primary key references note (id), text text not null) strict;"
    "create table plain (a text not null) strict;"
    "create table keyed (k text primary key, v integer) strict, without rowid;"
    "create table fresh (id integer primary key) strict;"
    "create virtual table note_index" INDEX_OF ";"
    "create trigger note_new after insert on note begin insert into fresh values (null); end;";
static const char rows[] =
    "insert into page values (3, 'One', 'first', 1), (5, 'Two', 'second', 2);"
    "insert into plain (rowid, a) values (7, 'seven'), (9, 'nine');"
    "insert into keyed values ('k', 1), ('l', null);"
    "insert into page_index (rowid, text) values (3, 'first words'), (5, 'second words');";
static const char steps[] = "create table title (note integer primary key, text text);"
                            "insert into title select id, title from page;"
                            "alter table page drop column old;"
                            "drop index page_title;"
                            "alter table page drop column title;"
                            "alter table page rename to note;"
                            "alter table note rename column body to text;"
                            "alter table note add column length integer;"
                            "alter table page_index rename to note_index;"
                            "drop table gone;";

/* ---- an engine with them ---- */

static int lengths(sqlite3 *db, struct sosia_err *err)
{
    return sqlite3_exec(db, "update note set length = length(text)", NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : sosia_fail(err, SOSIA_E_INVALID, "upgrade", NULL, "the hook failed: %s",
                            sqlite3_errmsg(db));
}

static struct core_upgrade upgrades[] = {{.from = "sosia 2", .schema = was, .run = lengths},
                                         {.from = NULL}};
static const struct sosia_core core = {.name = "notes", .schema = is, .upgrades = upgrades};
static const struct sosia_core *const cores[] = {&core, NULL};
static const struct sosia_service service = {.name = "notes", .cores = cores};
static const struct sosia_service *const services[] = {&service, NULL};

static struct sosia_engine *engine;
static struct sosia_err err;
static sqlite3 *db;

static int set_up(void **state)
{
    (void)state;
    upgrades[0].sql = steps;
    if (engine_open(NULL, services, &engine, &err) < 0)
        fail_msg("%s", err.text);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sqlite3_close(db);
    db = NULL;
    return sosia_engine_close(engine);
}

/* A world of the release with these rows. */
static uint8_t *old_world(const char *more, size_t *ret_len)
{
    sqlite3 *old;
    sqlite3_int64 len;
    size_t n;
    uint8_t *image = release_image(engine, "sosia 2", &n, &err);
    assert_non_null(image);
    assert_int_equal(sqlite3_open(":memory:", &old), SQLITE_OK);
    assert_int_equal(
        sqlite3_deserialize(old, "main", image, (sqlite3_int64)n, (sqlite3_int64)n,
                            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE),
        SQLITE_OK);
    sqlite3_db_config(old, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    if (sqlite3_exec(old, rows, NULL, NULL, NULL) != SQLITE_OK ||
        (more && sqlite3_exec(old, more, NULL, NULL, NULL) != SQLITE_OK))
        fail_msg("%s", sqlite3_errmsg(old));
    image = sqlite3_serialize(old, "main", &len, 0);
    sqlite3_close(old);
    *ret_len = (size_t)len;
    return image;
}

static int upgrade(void)
{
    size_t len;
    uint8_t *image = old_world(NULL, &len);
    sqlite3_close(db);
    return upgrade_image(engine, "sosia 2", image, len, &engine->empty, &db, &err);
}

/* The rows of a query, as text. */
static void check(const char *query, const char *expected)
{
    static char text[500];
    sqlite3_stmt *st;
    size_t n = 0;
    *text = 0;
    if (sqlite3_prepare_v2(db, query, -1, &st, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    while (sqlite3_step(st) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(st); i++) {
            const char *cell = (const char *)sqlite3_column_text(st, i);
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s",
                                  i   ? ","
                                  : n ? " "
                                      : "",
                                  cell ? cell : "null");
        }
    }
    sqlite3_finalize(st);
    assert_string_equal(text, expected);
}

/* ---- tests ---- */

static void rows_go_into_this_versions_tables(void **state)
{
    (void)state;
    if (upgrade() < 0)
        fail_msg("%s", err.text);
    check("select id, text, length, kind, tag from note", "3,first,5,page,null "
                                                          "5,second,6,page,null");
    check("select * from title", "3,One 5,Two");
    check("select rowid, a from plain", "7,seven 9,nine");
    check("select * from keyed", "k,1 l,null");
    check("select rowid from note_index where note_index match 'second'", "5");
    check("select count(*) from fresh", "0"); /* no trigger has run */
    check("select * from meta", "format,sosia 3 upgraded,sosia 2");
    check("pragma integrity_check", "ok");
}

static void the_schema_is_that_of_a_new_world(void **state)
{
    (void)state;
    struct tree t;
    char key[COOKIE_KEY], other[COOKIE_KEY];
    sqlite3_int64 len;
    if (upgrade() < 0)
        fail_msg("%s", err.text);
    const uint8_t *image = sqlite3_serialize(db, "main", &len, SQLITE_SERIALIZE_NOCOPY);
    assert_int_equal(tree_load_rows(engine->store, &engine->empty, image, (size_t)len, &t, &err),
                     0);
    assert_int_equal(cookie_schema(t.base, key, &err), 0);
    assert_int_equal(cookie_schema(engine->empty.base, other, &err), 0);
    assert_string_equal(key, other);
    assert_int_equal(get4(tree_page(&t, 0) + HEADER_COOKIE),
                     get4(tree_page(&engine->empty, 0) + HEADER_COOKIE));
    tree_done(&t);
}

static int count(void *arg, uint32_t page, const uint8_t *a, const uint8_t *b)
{
    (void)page;
    (void)a;
    (void)b;
    ++*(size_t *)arg;
    return 0;
}

static void worlds_that_are_alike_share_pages(void **state)
{
    static const char many[] =
        "with recursive n (i) as (select 10 union all select i + 1 from n where i < 2000) insert "
        "into page select i, 'T' || i, 'body ' || i || hex(zeroblob(100)), 0 from n;";
    static const char other[] = "update page set body = 'other' where id = 900; delete from page "
                                "where id = 901; insert into page values (5000, 'X', 'new', 0);";
    struct tree old[2], now[2];
    size_t len, n = 0;
    (void)state;
    for (int i = 0; i < 2; i++) {
        char *text = sqlite3_mprintf("%s%s", many, i ? other : "");
        uint8_t *image = old_world(text, &len);
        sqlite3_free(text);
        assert_int_equal(tree_load(engine->store, image, len, &old[i], &err), 0);
        sqlite3_free(image);
        if (upgrade_tree(engine, "sosia 2", &old[i], i ? &now[0] : NULL, &now[i], &err) < 0)
            fail_msg("%s", err.text);
    }
    assert_ptr_equal(now[0].base, now[1].base);
    tree_diff(&now[0], &now[1], count, &n);
    assert_in_range(n, 1, 24);
    assert_true(now[1].n_private < 25 && now[1].n_pages > 200);
    uint8_t *image = sqlite3_malloc64((sqlite3_uint64)now[1].n_pages * STORE_PAGE_SIZE);
    tree_copy(&now[1], image);
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_deserialize(db, "main", image, now[1].n_pages * STORE_PAGE_SIZE,
                                         now[1].n_pages * STORE_PAGE_SIZE,
                                         SQLITE_DESERIALIZE_FREEONCLOSE),
                     SQLITE_OK);
    check("pragma integrity_check", "ok");
    check("select id, text from note where id in (900, 901, 5000)", "900,other 5000,new");
    check("select count(*) from note", "1993");
    for (int i = 0; i < 2; i++) {
        tree_done(&old[i]);
        tree_done(&now[i]);
    }
}

static void what_a_step_must_not_leave_is_named(void **state)
{
    static const struct {
        const char *without, *instead, *message;
    } wrong[] = {
        {"drop table gone;", "", "a step must rename or drop it: gone"},
        {"alter table page drop column old;", "", "a step must rename or drop it: note.old"},
        {"alter table note add column length integer;", "", "the hook failed: no such column"},
        {"alter table note rename column body to text;",
         "alter table note add column text text; update note set text = body;",
         "a step must rename or drop it: note.body"},
        {"alter table page_index rename to note_index;", "", "rename or drop it: page_index"},
        {"alter table page_index rename to note_index;", "drop table page_index;",
         "the index of words must be as it was, but for its name: note_index"},
        {"alter table page_index rename to note_index;",
         "drop table page_index; create virtual table note_index using fts5 (text);",
         "rename or drop it: note_index_content"},
        {"drop table gone;", "drop table gone; update note set text = 'same';",
         "note: UNIQUE constraint failed"},
        {"drop table gone;", "drop table gone; update note set id = null;", "notes: "},
        {"drop table gone;", "drop table nowhere;", "notes: no such table: nowhere"},
        {"create table title (note integer primary key, text text);",
         "create table title (note integer primary key, other text);", "title."},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        const char *at = strstr(steps, wrong[i].without);
        assert_non_null(at);
        char *text = sqlite3_mprintf("%.*s%s%s", (int)(at - steps), steps, wrong[i].instead,
                                     at + strlen(wrong[i].without));
        upgrades[0].sql = text;
        err = (struct sosia_err){0};
        assert_int_equal(upgrade(), -1);
        sqlite3_free(text);
        assert_int_equal(err.code, SOSIA_E_INVALID);
        if (!strstr(err.text, wrong[i].message))
            fail_msg("%s: %s", wrong[i].message, err.text);
    }
}

static void a_release_is_known_by_its_tables(void **state)
{
    char key[COOKIE_KEY];
    const char *format;
    size_t len;
    (void)state;
    uint8_t *image = old_world(NULL, &len);
    assert_int_equal(cookie_schema_of(image, len, key, &err), 0);
    sqlite3_free(image);
    assert_int_equal(release_find(engine, key, &format, &err), 0);
    assert_string_equal(format, "sosia 2");
    key[0] = key[0] == '0' ? '1' : '0';
    assert_int_equal(release_find(engine, key, &format, &err), 0);
    assert_null(format);
    assert_null(release_of("sosia 1"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_go_into_this_versions_tables), TEST(the_schema_is_that_of_a_new_world),
        TEST(worlds_that_are_alike_share_pages), TEST(what_a_step_must_not_leave_is_named),
        TEST(a_release_is_known_by_its_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
