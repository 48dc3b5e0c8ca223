/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds as SQLite files: what leaves comes back, and what files are refused. */
#include "engine/state/exported.h"
#include "engine/world/rate.h"
#include "tests/support/dose.h"
#include "tests/support/unit.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/sosia-export-XXXXXX", path[64];
static struct sosia_engine *engine;
static struct sosia_err err;
static uint64_t world; /* one with people, a changed clock and a journal, which is in the file */

static const char DOC[] = "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"seed\":77,"
                          "\"organizations\":[{\"domain\":\"acme.example\",\"name\":\"Acme\"}],"
                          "\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada "
                          "L\xc3\xb6we\",\"zone\":\"Europe/Rome\"},"
                          "{\"email\":\"bob@acme.example\",\"aliases\":[\"robert@acme.example\"]}],"
                          "\"groups\":[{\"email\":\"all@acme.example\",\"name\":\"All\","
                          "\"members\":[\"ada@acme.example\"]}]}";

static void note(uint64_t id, const char *text)
{
    struct world *w = world_take(engine, id, &err);
    assert_non_null(w);
    assert_int_equal(journal_append(&world_extra(w)->journal, text, strlen(text)), 0);
    world_drop(w);
}

static int setup(void **state)
{
    struct sosia_world_options opt = {
        .seed_doc = DOC, .seed_doc_len = strlen(DOC), .journal = SOSIA_JOURNAL_NONE};
    if (!mkdtemp(dir) || sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &world, &err) < 0 ||
        sosia_clock_mode(engine, world, SOSIA_CLOCK_STEP, 250, &err) < 0 ||
        sosia_clock_advance(engine, world, 5000000, &err) < 0 ||
        sosia_world_journal_mode(engine, world, SOSIA_JOURNAL_ALL, &err) < 0)
        return -1;
    note(world, "{\"n\":1}");
    note(world, "{\"n\":2}");
    snprintf(path, sizeof path, "%s/world.sqlite", dir);
    return 0;
}

static int remove_one(const char *file, const struct stat *s, int type, struct FTW *f)
{
    return remove(file);
}

static int teardown(void **state)
{
    sosia_engine_close(engine);
    return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void export(void)
{
    if (sosia_world_export(engine, world, path, &err) < 0)
        fail_msg("export: %s", err.text);
}

/* Changes the exported file as a person with the sqlite3 shell can. */
static void change(const char *sql)
{
    sqlite3 *db;
    char *text = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &text) != SQLITE_OK)
        fail_msg("%s: %s", sql, text);
    sqlite3_close(db);
}

static uint64_t import(const char *name)
{
    uint64_t w;
    if (sosia_world_import(engine, path, name, &w, &err) < 0)
        fail_msg("import: %s", err.text);
    return w;
}

/* The file as it is now gives no world, for a reason with this text. */
static void refused(const char *why)
{
    uint64_t w = 1;
    int64_t live = engine_live(engine);
    err.text[0] = 0;
    if (sosia_world_import(engine, path, NULL, &w, &err) == 0)
        fail_msg("imported, though: %s", why);
    if (!strstr(err.text, why))
        fail_msg("\"%s\" instead of: %s", err.text, why);
    assert_true(w == 1);
    assert_true(engine_live(engine) == live);
}

static char *dump_of(uint64_t w)
{
    struct sosia_blob b;
    if (sosia_world_dump(engine, w, &b, &err) < 0)
        fail_msg("dump: %s", err.text);
    return b.data;
}

static void same_dump(uint64_t a, uint64_t b)
{
    char *x = dump_of(a), *y = dump_of(b);
    assert_string_equal(x, y);
    free(x);
    free(y);
}

static int add_entry(void *arg, int64_t seq, const char *entry, size_t len)
{
    char *all = arg;
    snprintf(all + strlen(all), 200 - strlen(all), "%d%.*s", (int)seq, (int)len, entry);
    return 0;
}

static void a_world_comes_back_as_it_was(void **state)
{
    struct sosia_world_info a, b;
    char entries[200] = "";
    export();
    uint64_t w = import("back");
    same_dump(world, w);
    assert_int_equal(sosia_world_info(engine, world, &a, &err), 0);
    assert_int_equal(sosia_world_info(engine, w, &b, &err), 0);
    assert_string_equal(b.name, "back");
    assert_true(b.now_us == a.now_us && b.clock == SOSIA_CLOCK_STEP && b.step_us == 250);
    assert_true(b.seed == 77 && b.journal == SOSIA_JOURNAL_ALL);
    struct world *x = world_take(engine, w, &err);
    journal_each_of(x->past, NULL, 0, 10, 10, add_entry, entries);
    world_drop(x);
    assert_string_equal(entries, "1{\"n\":1}2{\"n\":2}");
    /* The tables are where they are in every world, so that they share statements. */
    x = world_take(engine, w, &err);
    assert_memory_equal(tree_page(&x->now, 0) + 40, tree_page(&engine->empty, 0) + 40, 4);
    world_drop(x);
}

static void limits_hold_in_the_world_of_a_file_of_one_where_they_held(void **state)
{
    uint64_t from;
    assert_int_equal(sosia_world_fork(engine, world, NULL, &from, &err), 0);
    assert_int_equal(sosia_world_rates(engine, from, true, &err), 0);
    assert_int_equal(sosia_world_export(engine, from, path, &err), 0);
    same_dump(from, import(NULL));
    change("delete from meta where key = 'world.rates'"); /* as files were before */
    char *dump = dump_of(import(NULL));
    assert_null(strstr(dump, "rates"));
    free(dump);
}

/* How much of each call the journal keeps, and how many steps. */
static void what_a_journal_keeps_is_in_the_file(void **state)
{
    uint64_t from;
    assert_int_equal(sosia_world_fork(engine, world, NULL, &from, &err), 0);
    assert_int_equal(sosia_world_journal_keep(engine, from, SOSIA_KEEP_HASHES, 7, &err), 0);
    assert_int_equal(sosia_world_export(engine, from, path, &err), 0);
    struct world *w = world_take(engine, import(NULL), &err);
    assert_int_equal(world_journal_keep(w), SOSIA_KEEP_HASHES);
    assert_int_equal(world_steps(w), 7);
    world_drop(w);
    change(
        "delete from meta where key in ('world.keep', 'world.steps')"); /* as files were before */
    w = world_take(engine, import(NULL), &err);
    assert_int_equal(world_journal_keep(w), SOSIA_KEEP_REDACTED);
    assert_int_equal(world_steps(w), WORLD_STEPS_USUAL);
    world_drop(w);
}

static void every_seed_of_ids_comes_back(void **state)
{
    static const uint64_t seeds[] = {2, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    for (size_t i = 0; i < SOSIA_LEN(seeds); i++) {
        struct sosia_world_options opt = {.seed = seeds[i]}, again = {0};
        struct sosia_world_info info;
        uint64_t a, b;
        assert_int_equal(sosia_world_create(engine, &opt, &a, &err), 0);
        char *dump = dump_of(a);
        again.seed_doc = dump;
        again.seed_doc_len = strlen(dump);
        if (sosia_world_create(engine, &again, &b, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(sosia_world_info(engine, b, &info, &err), 0);
        assert_true(info.seed == seeds[i]);
        same_dump(a, b);
        free(dump);
    }
}

/* What is used up of limits, as a file has it. */
static void what_no_call_has_used_up_counts_for_nothing(void **state)
{
    static const int64_t minute = 60000000;
    struct tx tx;
    export();
    change("insert into meta values ('rates', '000000000000000a 60000000 1795420805000000;"
           "000000000000000b 9000000000000000000 1795420805000000;')");
    struct world *w = world_take(engine, import(NULL), &err);
    struct worker *k = worker_take(engine, &err);
    assert_true(w && k);
    assert_int_equal(tx_begin(&tx, engine, w, k, false, world_now(w), &err), 0);
    assert_int_equal(rate_load(&tx), 0);
    tx_rollback(&tx);
    assert_true(rate_wait(w, 10, 1, minute, 1, 1795420805000000) == minute);
    assert_true(rate_wait(w, 11, 1, minute, 1, 1795420805000000) == 0);
    worker_drop(k);
    world_drop(w);
}

static void an_imported_world_resets_to_what_was_imported(void **state)
{
    const char *more = "{\"sosia\":1,\"people\":[{\"email\":\"eve@acme.example\"}]}";
    export();
    uint64_t w = import(NULL);
    assert_int_equal(sosia_world_seed(engine, w, more, strlen(more), NULL, &err), 0);
    assert_int_equal(sosia_world_reset(engine, w, &err), 0);
    same_dump(world, w);
}

static void snapshots_and_worlds_with_pages_of_their_own_are_exported(void **state)
{
    const char *more = "{\"sosia\":1,\"people\":[{\"email\":\"eve@acme.example\"}]}";
    uint64_t f, s;
    assert_int_equal(sosia_world_fork(engine, world, NULL, &f, &err), 0);
    assert_int_equal(sosia_world_seed(engine, f, more, strlen(more), NULL, &err), 0);
    assert_int_equal(sosia_world_snapshot(engine, f, NULL, &s, &err), 0);
    assert_int_equal(sosia_world_export(engine, s, path, &err), 0);
    same_dump(f, import(NULL));
}

static void the_file_is_one_that_sqlite_takes_and_its_owner_alone(void **state)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    struct stat s;
    export();
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "select integrity_check, (select count(*) from ident_actor), "
                           "(select count(*) from journal) from pragma_integrity_check",
                           -1, &st, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    assert_string_equal(sqlite3_column_text(st, 0), "ok");
    assert_int_equal(sqlite3_column_int(st, 1), 2);
    assert_int_equal(sqlite3_column_int(st, 2), 2);
    sqlite3_finalize(st);
    sqlite3_close(db);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
}

static void an_export_that_fails_leaves_nothing(void **state)
{
    char bad[100];
    snprintf(bad, sizeof bad, "%s/none/world.sqlite", dir);
    assert_int_equal(sosia_world_export(engine, world, bad, &err), -1);
    assert_int_equal(err.code, SOSIA_E_IO);
    snprintf(bad, sizeof bad, "%s/folder", dir);
    assert_int_equal(mkdir(bad, 0700), 0);
    assert_int_equal(sosia_world_export(engine, world, bad, &err), -1); /* there is a directory */
    assert_int_equal(rmdir(bad), 0);
    export();
    snprintf(bad, sizeof bad, "ls %s | wc -l | grep -q '^1$'", dir);
    assert_int_equal(system(bad), 0);
}

static void what_was_changed_by_hand_within_the_rules_is_taken(void **state)
{
    export();
    change("update ident_actor set name = 'Adele' where email = 'ada@acme.example'; vacuum");
    char *dump = dump_of(import(NULL));
    assert_non_null(strstr(dump, "Adele"));
    free(dump);
}

static void any_page_size_is_taken(void **state)
{
    static const int sizes[] = {512, 1024, 4096, 65536};
    char sql[64];
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++) {
        export();
        snprintf(sql, sizeof sql, "pragma page_size = %d; vacuum", sizes[i]);
        change(sql);
        same_dump(world, import(NULL));
    }
}

static void a_file_in_wal_mode_is_taken_when_it_is_closed_and_refused_while_it_is_open(void **state)
{
    sqlite3 *db;
    export();
    change("pragma journal_mode = wal");
    same_dump(world, import(NULL));
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db, "insert into meta values ('seed.title', 'x')", NULL, NULL, NULL),
        SQLITE_OK);
    refused("has not finished");
    sqlite3_close(db);
    import(NULL);
}

static void other_tables_are_refused(void **state)
{
    static const char *const changes[][2] = {
        {"create table extra (a)", "it has extra"},
        {"create view v as select * from ident_actor", "it has v"},
        {"create trigger t after insert on ident_actor begin delete from ident_actor; end",
         "it has t"},
        {"create index i on ident_actor (name)", "it has i"},
        {"drop index due_at", "it lacks due_at"},
        {"drop table outbox", "it lacks outbox"},
        /* As an older version wrote it. */
        {"update meta set value = 'sosia 1' where key = 'format'; drop table chunk",
         "its format is sosia 1, this version reads sosia 3"},
        {"alter table meta add column more text; drop table chunk", "it lacks chunk"},
        {"alter table ident_org add column more text", "it lacks ident_org"},
        {"drop table journal; create table journal (seq, entry)", "it has journal"},
        {"drop table journal; create view journal as select 1 as seq, '{}' as entry",
         "it has journal"},
        {"pragma writable_schema = 1; update sqlite_schema set sql = replace(sql, 'email text', "
         "'email any') "
         "where name = 'ident_actor'",
         "it lacks ident_actor"},
        {"pragma writable_schema = 1; delete from sqlite_schema where name = 'ident_org'",
         "malformed"},
        {"analyze", "it has sqlite_stat1"},
    };
    for (size_t i = 0; i < SOSIA_LEN(changes); i++) {
        export();
        change(changes[i][0]);
        refused(changes[i][1]);
    }
}

static void rows_that_break_the_rules_are_refused(void **state)
{
    static const char *const changes[][2] = {
        {"pragma ignore_check_constraints = 1; update ident_actor set kind = 'alien'",
         "damaged: CHECK"},
        {"pragma foreign_keys = 0; update ident_alias set actor = 99", "refers to, in ident_alias"},
        {"update ident_actor set name = cast(x'ff41' as text) where id = 1", "not UTF-8"},
        {"update ident_actor set name = 'a' || char(0) || 'b' where id = 1", "not UTF-8"},
        {"update meta set value = 'sosia 99' where key = 'format'", "format is sosia 99"},
        {"delete from meta where key = 'format'", "format is nothing"},
        {"delete from meta where key = 'world.clock'", "does not say"},
        {"update meta set value = '7' where key = 'world.clock'", "does not say"},
        {"update meta set value = '9223372036854775807' where key = 'world.clock_us'",
         "does not say"},
        {"update meta set value = '-1' where key = 'world.clock_step_us'", "does not say"},
        {"update meta set value = 'x' where key = 'world.seed'", "does not say"},
        {"update meta set value = '2' where key = 'world.rates'", "does not say"},
        {"update meta set value = '0' where key = 'world.seed'", "does not say"},
        {"update meta set value = '3' where key = 'world.keep'", "does not say"},
        {"update meta set value = '32767' where key = 'world.steps'", "does not say"},
        {"insert or replace into meta values ('seed.zone', 'Mars/Base')",
         "seed.zone: unknown time zone \"Mars/Base\""},
        {"insert into meta values ('seed.time', 'today')", "in meta there is a row"},
        {"insert into outbox values (1, 0, 'mail', 'a@b.example', 'c@d.example', '{\"subject\":')",
         "in outbox there is a row"},
        {"insert into outbox values (1, 0, 'mail', 'a@b.example', 'c@d.example', '[1]')",
         "in outbox there is a row"},
        {"insert into outbox values (1, 0, 'webhook', 'a', 'b', '{}'); insert into delivery (id, "
         "kind, ref, state, attempts, since_us) values (1, 'x', 1, 1, 9223372036854775807, 0)",
         "in delivery there is a row"},
        {"update journal set entry = '{\"a\":1},{\"b\":2}'", "not a JSON object"},
        {"update journal set entry = '[]'", "not a JSON object"},
        {"update cal_calendar set zone = 'UC' where key = 'bob@acme.example'",
         "has no zone \"UC\""},
        {"update ident_actor set hours = '{\"a\":' where id = 1", "a value was expected"},
    };
    for (size_t i = 0; i < SOSIA_LEN(changes); i++) {
        export();
        change(changes[i][0]);
        refused(changes[i][1]);
    }
}

/* A world with an invitation and a series of which one instance differs. */
static const char EVENTS[] =
    "{\"sosia\":1,\"organizations\":[{\"domain\":\"acme.example\"}],"
    "\"people\":[{\"email\":\"ada@acme.example\"},{\"email\":\"bob@acme.example\"}],"
    "\"calendars\":[{\"id\":\"ada@acme.example\",\"primary\":true,"
    "\"access\":[{\"role\":\"reader\",\"person\":\"bob@acme.example\"}],\"events\":["
    "{\"id\":\"lunch01\",\"summary\":\"Lunch\",\"start\":\"2026-11-23T12:00\",\"end\":\"2026-11-"
    "23T13:00\","
    "\"attendees\":[\"bob@acme.example\"],\"properties\":{\"a\":\"b\"}},"
    "{\"id\":\"daily01\",\"summary\":\"Daily\",\"start\":\"2026-11-23T09:30\",\"end\":\"2026-11-"
    "23T09:45\","
    "\"recurrence\":[\"RRULE:FREQ=DAILY\"],\"instances\":["
    "{\"originalStart\":\"2026-11-25T09:30\",\"start\":\"2026-11-25T16:00\",\"end\":"
    "\"2026-11-25T16:15\"}]}]}]}";

static void rows_of_events_that_break_the_rules_are_refused(void **state)
{
    static const char *const changes[][2] = {
        {"update cal_event set kind = 1000000 where key = 'lunch01'", "in cal_event"},
        {"update cal_event set status = -1 where key = 'lunch01'", "in cal_event"},
        {"update cal_event set visibility = 5 where key = 'lunch01'", "in cal_event"},
        {"update cal_event set form = 3 where key = 'lunch01'", "in cal_event"},
        {"update cal_event set form = 1 where key = 'lunch01'", "in cal_event"},
        {"update cal_event set span = 32 where key = 'lunch01'", "in cal_event"},
        {"update cal_event set start_us = 9223372036854775807 where key = 'lunch01'",
         "in cal_event"},
        {"update cal_event set len_us = 9223372036854775807 where key = 'lunch01'", "in cal_event"},
        {"update cal_event set len_us = -1 where key = 'lunch01'", "in cal_event"},
        {"update cal_event set props = '{' where key = 'lunch01'", "in cal_event"},
        {"update cal_event set props = '[]' where key = 'lunch01'", "in cal_event"},
        {"update cal_event set n_attendees = -1 where key = 'lunch01'", "in cal_event"},
        {"update cal_event set recurrence = 'RRULE:FREQ=NEVER' where key = 'daily01'",
         "recurrence"},
        {"update cal_event set recurrence = '' where key = 'daily01'", "recurrence"},
        {"update cal_event set original_us = null where form = 2", "in cal_event"},
        {"update cal_event set master = (select id from cal_event where key = 'lunch01') where "
         "form = 2",
         "in cal_event"},
        {"update cal_event set origin = id where origin is not null", "in cal_event"},
        {"update cal_attendee set response = 5", "in cal_attendee"},
        {"update cal_access set role = 5", "in cal_access"},
        {"update cal_access set kind = 0", "in cal_access"},
        {"update gcal_listing set reminders = '{}'", "in gcal_listing"},
        {"update ident_actor set email = 'nobody' where id = 1", "in ident_actor"},
        {"update ident_actor set email = 'Ada@acme.example', handle = 'Ada@acme.example' "
         "where id = 1",
         "in ident_actor"},
        {"update ident_actor set hours = '{\"monday\":\"-1:00-17:00\"}' where id = 1",
         "in ident_actor"},
        {"update ident_actor set hours = '{\"monday\":\"09:00-29:00\"}' where id = 1",
         "in ident_actor"},
        {"update ident_actor set hours = '{\"monday\":\"17:00-09:00\"}' where id = 1",
         "in ident_actor"},
        {"update ident_actor set hours = '{\"someday\":\"09:00-17:00\"}' where id = 1",
         "in ident_actor"},
        {"insert into ident_org (domain, name) values ('', 'No')", "in ident_org"},
        {"insert into ident_alias (email, actor) values ('A@acme.example', 1)", "in ident_alias"},
        {"insert into ident_group (email, name) values ('all', 'All')", "in ident_group"},
        {"insert into ident_token (value, actor, kind, seeded) values ('short', 1, 1, 1)",
         "in ident_token"},
        {"insert into id_stream values ('calendar change', 9223372036854775807) "
         "on conflict do update set n = excluded.n",
         "in id_stream"},
    };
    struct sosia_world_options opt = {.seed_doc = EVENTS, .seed_doc_len = strlen(EVENTS)};
    uint64_t w;
    if (sosia_world_create(engine, &opt, &w, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(sosia_world_export(engine, w, path, &err), 0);
    same_dump(w, import(NULL));
    for (size_t i = 0; i < SOSIA_LEN(changes); i++) {
        assert_int_equal(sosia_world_export(engine, w, path, &err), 0);
        change(changes[i][0]);
        refused(changes[i][1]);
    }
}

static void text_that_is_not_utf8_throughout_is_refused(void **state)
{
    char sql[200];
    remove(path);
    snprintf(sql, sizeof sql, "pragma encoding = 'UTF-16le'; create table t (a)");
    change(sql);
    refused("not UTF-8");
}

static void write_bytes(const uint8_t *data, size_t len)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, len, f), len);
    fclose(f);
}

static uint8_t *read_bytes(size_t *ret_len)
{
    static uint8_t data[4 << 20];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    *ret_len = fread(data, 1, sizeof data, f);
    fclose(f);
    return data;
}

static void truncated_and_strange_files_are_refused(void **state)
{
    size_t len;
    export();
    uint8_t *data = read_bytes(&len);
    write_bytes(data, 0);
    refused("not an SQLite database");
    write_bytes(data, 100);
    refused("not an SQLite database");
    for (size_t cut = 512; cut < len; cut += 2048 + 512) {
        write_bytes(data, cut);
        refused("");
    }
    write_bytes(data, len - 2048);
    refused("size is not what its header says");
    data[16] = 3;
    write_bytes(data, len);
    refused("not whole");
    unlink(path);
    refused("No such file");
    assert_int_equal(mkfifo(path, 0600), 0);
    refused("it is not a file");
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    refused("it is not a file");
    rmdir(path);
}

/* Whatever a byte is changed to: no crash, and either refused or a world that dumps. */
static void broken_pages_do_no_harm(void **state)
{
    size_t len;
    uint64_t seed = 1, w;
    int refusals = 0, taken = 0;
    export();
    uint8_t *data = read_bytes(&len), *copy = malloc(len);
    memcpy(copy, data, len);
    for (int i = 0; i < dose(400, 60); i++) {
        memcpy(data, copy, len);
        for (int k = 0; k < 1 + i % 8; k++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
            /* Mostly where pages have their structure. */
            size_t at = (seed >> 20) % len;
            if (i % 3)
                at = at / 2048 * 2048 + at % 64;
            data[at] = (uint8_t)(seed >> 56);
        }
        write_bytes(data, len);
        if (sosia_world_import(engine, path, NULL, &w, &err) < 0) {
            refusals++;
            assert_true(err.code == SOSIA_E_INVALID);
            continue;
        }
        taken++;
        free(dump_of(w));
        assert_int_equal(sosia_world_drop(engine, w, &err), 0);
    }
    if (!(refusals > 10 && taken > 10))
        fail_msg("%d refused, %d taken", refusals, taken);
    free(copy);
}

enum { PAGE = 512, CELLS = 40, CHAIN = 16 };

/* An interior page of a table's b-tree in which every cell, but for the first, leads to one child.
 */
static void make_interior(uint8_t *page, int header, int first, int child)
{
    uint8_t *p = page + header;
    int content = PAGE - 8 * CELLS;
    memset(p, 0, (size_t)(PAGE - header));
    p[0] = 5;
    p[4] = CELLS;
    p[5] = (uint8_t)(content >> 8);
    p[6] = (uint8_t)content;
    p[11] = (uint8_t)child;
    for (int c = 0; c < CELLS; c++) {
        int at = content + 8 * c;
        p[12 + 2 * c] = (uint8_t)(at >> 8);
        p[13 + 2 * c] = (uint8_t)at;
        page[at + 3] = (uint8_t)(c ? child : first);
        page[at + 4] = 1; /* key */
    }
}

/* A leaf with one of the two rows of the schema page. */
static void make_leaf(uint8_t *page, const uint8_t *schema, int row)
{
    memcpy(page, schema, PAGE);
    memcpy(page, schema + 100, 8);
    page[4] = 1;
    page[8] = schema[108 + 2 * row];
    page[9] = schema[109 + 2 * row];
}

/* A schema whose b-tree leads to the same leaf again and again: small in the file, endless to walk.
 */
static void a_file_that_would_take_for_ever_is_given_up(void **state)
{
    static uint8_t data[(5 + CHAIN) * PAGE], schema[PAGE];
    size_t len;
    remove(path);
    change("pragma page_size = 512; create table t (a unique)");
    memcpy(data, read_bytes(&len), 3 * PAGE);
    assert_int_equal(len, 3 * PAGE);
    memcpy(schema, data, PAGE);
    /* Page 1: the root; 2 and 3: the table and its index; 4: a leaf with the table's row; then the
     * chain, and a leaf with the index's row. */
    make_interior(data, 100, 4, 5);
    make_leaf(data + 3 * PAGE, schema, 0);
    for (int i = 0; i < CHAIN; i++)
        make_interior(data + (4 + i) * PAGE, 0, 6 + i, 6 + i);
    make_leaf(data + (4 + CHAIN) * PAGE, schema, 1);
    data[28 + 3] = 5 + CHAIN;
    write_bytes(data, sizeof data);
    refused("too long");
    remove(path);
}

static void a_file_beyond_the_limit_is_refused_before_it_is_read(void **state)
{
    struct sosia_engine_options opt = {.max_world_size = 4 << 20};
    struct sosia_engine *small;
    uint64_t w;
    export();
    assert_int_equal(sosia_engine_open(&opt, &small, &err), 0);
    assert_int_equal(sosia_world_import(small, path, NULL, &w, &err), 0);
    assert_int_equal(truncate(path, (INT64_C(1) << 40)), 0); /* sparse: takes no room */
    assert_int_equal(sosia_world_import(small, path, NULL, &w, &err), -1);
    assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
    assert_int_equal(sosia_world_import(engine, path, NULL, &w, &err), -1);
    assert_int_equal(err.code, SOSIA_E_TOO_LARGE);
    sosia_engine_close(small);
}

static void a_name_that_is_taken_is_refused(void **state)
{
    uint64_t w;
    export();
    uint64_t first = import("taken");
    assert_int_equal(sosia_world_import(engine, path, "taken", &w, &err), -1);
    assert_int_equal(err.code, SOSIA_E_CONFLICT);
    assert_int_equal(sosia_world_drop(engine, first, &err), 0);
}

/* Kinds of tables that no core has yet. */
static void rows_of_every_kind_of_table_are_carried_over(void **state)
{
    static const char schema[] =
        "create table %s.plain (a, b);" /* with a rowid that has no name */
        "create table %s.keyed (k text primary key, v any) strict, without rowid;"
        "create table %s.made (id integer primary key, a int, twice int as (a * 2) stored);"
        "create virtual table %s.own using fts5 (body);"
        "create virtual table %s.other using fts5 (b, content = 'plain', content_rowid = 'rowid');";
    static const char fill[] =
        "insert into src.plain (rowid, a, b) values (7, x'00ff', 'seven words'), (9, null, 'nine');"
        "insert into src.keyed values ('k', 1.5), ('l', 'text');"
        "insert into src.made (id, a) values (3, 4);"
        "insert into src.own (rowid, body) values (5, 'full text');";
    static const char *const same[] = {
        "select count(*) from (select rowid, * from src.plain except select rowid, * from plain)",
        "select count(*) from (select * from src.keyed except select * from main.keyed)",
        "select count(*) from (select * from src.made except select * from main.made)",
        "select 1 - count(*) from main.own where own match 'text' and rowid = 5",
        "select 1 - count(*) from main.other where other match 'words' and rowid = 7",
    };
    sqlite3 *db;
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "attach ':memory:' as src", NULL, NULL, NULL), SQLITE_OK);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "src" : "main";
        char *text = sqlite3_mprintf(schema, name, name, name, name, name);
        assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_free(text);
    }
    assert_int_equal(sqlite3_exec(db, fill, NULL, NULL, NULL), SQLITE_OK);
    if (import_rows(db, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < SOSIA_LEN(same); i++) {
        assert_int_equal(sqlite3_prepare_v2(db, same[i], -1, &st, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(st), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int(st, 0), 0);
        sqlite3_finalize(st);
    }
    sqlite3_close(db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_comes_back_as_it_was),
        cmocka_unit_test(limits_hold_in_the_world_of_a_file_of_one_where_they_held),
        cmocka_unit_test(what_a_journal_keeps_is_in_the_file),
        cmocka_unit_test(every_seed_of_ids_comes_back),
        cmocka_unit_test(what_no_call_has_used_up_counts_for_nothing),
        cmocka_unit_test(an_imported_world_resets_to_what_was_imported),
        cmocka_unit_test(snapshots_and_worlds_with_pages_of_their_own_are_exported),
        cmocka_unit_test(the_file_is_one_that_sqlite_takes_and_its_owner_alone),
        cmocka_unit_test(an_export_that_fails_leaves_nothing),
        cmocka_unit_test(what_was_changed_by_hand_within_the_rules_is_taken),
        cmocka_unit_test(any_page_size_is_taken),
        cmocka_unit_test(
            a_file_in_wal_mode_is_taken_when_it_is_closed_and_refused_while_it_is_open),
        cmocka_unit_test(other_tables_are_refused),
        cmocka_unit_test(rows_that_break_the_rules_are_refused),
        cmocka_unit_test(rows_of_events_that_break_the_rules_are_refused),
        cmocka_unit_test(text_that_is_not_utf8_throughout_is_refused),
        cmocka_unit_test(truncated_and_strange_files_are_refused),
        cmocka_unit_test(broken_pages_do_no_harm),
        cmocka_unit_test(a_file_that_would_take_for_ever_is_given_up),
        cmocka_unit_test(a_file_beyond_the_limit_is_refused_before_it_is_read),
        cmocka_unit_test(a_name_that_is_taken_is_refused),
        cmocka_unit_test(rows_of_every_kind_of_table_are_carried_over),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
