/* SPDX-License-Identifier: Apache-2.0 */
/* The durable store: what survives, where it is, who owns the directory. */
#include "tests/support/data_dir.h"
#include "tests/support/dose.h"
#include "engine/durable/durable_impl.h"

/* ---- what survives ---- */

static void a_world_survives_with_all_it_has(void **state)
{
    start();
    uint64_t w = make("main");
    struct sosia_world_info before, after;
    struct sosia_blob dump, again;
    assert_int_equal(add(w, "bob"), 0);
    assert_int_equal(sosia_clock_mode(engine, w, SOSIA_CLOCK_STEP, 250, &test_err), 0);
    assert_int_equal(sosia_clock_advance(engine, w, 1000000, &test_err), 0);
    assert_int_equal(sosia_world_journal_mode(engine, w, SOSIA_JOURNAL_ALL, &test_err), 0);
    assert_int_equal(sosia_world_ttl(engine, w, INT64_C(3600000000), true, &test_err), 0);
    assert_int_equal(sosia_world_info(engine, w, &before, &test_err), 0);
    assert_int_equal(sosia_world_dump(engine, w, &dump, &test_err), 0);
    restart();
    assert_int_equal(sosia_world_info(engine, w, &after, &test_err), 0);
    assert_int_equal(sosia_world_dump(engine, w, &again, &test_err), 0);
    assert_string_equal(dump.data, again.data);
    assert_memory_equal(&before, &after, sizeof before);
    uint64_t found;
    assert_int_equal(sosia_world_find(engine, "main", &found, &test_err), 0);
    assert_true(found == w);
    sosia_blob_free(&dump);
    sosia_blob_free(&again);
    /* It can still be written. */
    assert_int_equal(add(w, "cid"), 0);
    restart();
    assert_true(has(w, "bob") && has(w, "cid"));
}

static struct sosia_world_info info_of(uint64_t world)
{
    struct sosia_world_info i;
    assert_int_equal(sosia_world_info(engine, world, &i, &test_err), 0);
    return i;
}

static void an_evaluation_stays_one_and_so_do_its_forks(void **state)
{
    struct sosia_fork_options opt = {.evaluation = true};
    uint64_t w, plain, f, snapshot, imported;
    char file[100];
    start();
    plain = make(NULL);
    assert_int_equal(sosia_world_fork(engine, plain, &opt, &w, &test_err), 0);
    f = fork_of(w);
    assert_int_equal(sosia_world_snapshot(engine, f, NULL, &snapshot, &test_err), 0);
    assert_int_equal(sosia_world_reset(engine, w, &test_err), 0);
    assert_int_equal(sosia_world_reset_to(engine, w, plain, &test_err), 0);
    restart();
    assert_false(info_of(plain).evaluation);
    assert_true(info_of(w).evaluation && info_of(f).evaluation && info_of(snapshot).evaluation);
    assert_int_equal(info_of(w).journal, SOSIA_JOURNAL_ALL);
    assert_int_equal(sosia_world_journal_mode(engine, w, SOSIA_JOURNAL_WRITES, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    assert_int_equal(sosia_world_journal_mode(engine, w, SOSIA_JOURNAL_ALL, &test_err), 0);
    /* An engine for evaluations makes all of them such, those that were there too. */
    snprintf(file, sizeof file, "%s/plain.export", dir);
    assert_int_equal(sosia_world_export(engine, plain, file, &test_err), 0);
    stop();
    struct sosia_engine_options all = {.data_dir = dir, .evaluation = true};
    assert_int_equal(sosia_engine_open(&all, &engine, &test_err), 0);
    assert_true(info_of(plain).evaluation);
    assert_int_equal(info_of(plain).journal, SOSIA_JOURNAL_ALL);
    assert_true(info_of(make("new")).evaluation);
    assert_int_equal(sosia_world_import(engine, file, NULL, &imported, &test_err), 0);
    assert_true(info_of(imported).evaluation);
    restart();
    assert_true(info_of(plain).evaluation && info_of(imported).evaluation);
    unlink(file);
}

static void a_reset_goes_back_to_the_same_state_as_before_the_restart(void **state)
{
    start();
    uint64_t w = make(NULL), f;
    assert_int_equal(add(w, "bob"), 0);
    f = fork_of(w);
    assert_int_equal(add(f, "cid"), 0);
    restart();
    assert_true(has(f, "cid"));
    assert_int_equal(sosia_world_reset(engine, f, &test_err), 0);
    assert_true(has(f, "bob") && !has(f, "cid"));
    restart();
    assert_true(has(f, "bob") && !has(f, "cid"));
    assert_int_equal(sosia_world_reset(engine, w, &test_err), 0);
    assert_true(!has(w, "bob") && has(w, "ada"));
}

/* Until the next call; NULL: it has none. */
static const char *note_of(uint64_t world)
{
    static char copy[WORLD_NOTE_MAX + 1];
    const char *text = "?";
    struct arena a;
    arena_init(&a, 0);
    assert_int_equal(engine_note(engine, world, &a, &text, &test_err), 0);
    if (text)
        strcpy(copy, text);
    arena_done(&a);
    return text ? copy : NULL;
}

static void a_note_stays_with_its_world_and_with_no_other(void **state)
{
    const struct fork_more more = {.ttl_us = INT64_C(3600000000), .note = "of a fork"};
    static char large[WORLD_NOTE_MAX + 2];
    char before[65], after[65];
    uint64_t w, f, other;
    start();
    w = make("main");
    assert_null(note_of(w));
    assert_int_equal(sosia_world_hash(engine, w, before, &test_err), 0);
    assert_int_equal(engine_note_set(engine, w, "first", &test_err), 0);
    assert_int_equal(engine_note_set(engine, w, "second", &test_err), 0);
    assert_int_equal(sosia_world_hash(engine, w, after, &test_err), 0);
    assert_string_equal(before, after);
    assert_int_equal(engine_fork(engine, w, NULL, &more, &f, &test_err), 0);
    other = fork_of(w);
    assert_int_equal(sosia_world_reset(engine, w, &test_err), 0);
    restart();
    assert_string_equal(note_of(w), "second");
    assert_string_equal(note_of(f), "of a fork");
    assert_true(info_of(f).expires_us > 0 && !info_of(w).expires_us);
    assert_null(note_of(other));
    memset(large, 'x', sizeof large - 1);
    assert_int_equal(engine_note_set(engine, w, large, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_TOO_LARGE);
    assert_int_equal(engine_note_set(engine, f, NULL, &test_err), 0);
    restart();
    assert_string_equal(note_of(w), "second");
    assert_null(note_of(f));
}

static void snapshots_and_resets_to_them_survive(void **state)
{
    start();
    uint64_t w = make(NULL), s;
    assert_int_equal(add(w, "bob"), 0);
    assert_int_equal(sosia_world_snapshot(engine, w, "snap", &s, &test_err), 0);
    assert_int_equal(add(w, "cid"), 0);
    restart();
    assert_int_equal(add(s, "dan"), -1);
    assert_int_equal(test_err.code, SOSIA_E_FORBIDDEN);
    assert_int_equal(sosia_world_reset_to(engine, w, s, &test_err), 0);
    restart();
    assert_true(has(w, "bob") && !has(w, "cid"));
}

/* All of its journal, what it goes on from included. */
static bool has_entry(uint64_t world, const char *text)
{
    struct sosia_blob b;
    assert_int_equal(sosia_journal_list(engine, world, 0, 0, false, &b, &test_err), 0);
    bool found = strstr(b.data, text) != NULL;
    sosia_blob_free(&b);
    return found;
}

static void a_reset_to_a_snapshot_takes_its_journal_to_the_disk(void **state)
{
    uint64_t s, none;
    start();
    uint64_t w = make(NULL), empty = make(NULL);
    note(w, "{\"say\":\"one\"}", true);
    uint64_t f = fork_of(w), g = fork_of(w);
    note(w, "{\"say\":\"two\"}", true);
    assert_int_equal(sosia_world_snapshot(engine, w, NULL, &s, &test_err), 0);
    assert_int_equal(sosia_world_snapshot(engine, empty, NULL, &none, &test_err), 0);
    assert_int_equal(sosia_world_reset_to(engine, f, s, &test_err), 0);
    assert_int_equal(sosia_world_reset_to(engine, g, none, &test_err), 0);
    restart();
    assert_true(has_entry(f, "one") && has_entry(f, "two"));
    assert_false(has_entry(g, "one"));
    note(f, "{\"say\":\"three\"}", true);
    note(g, "{\"say\":\"four\"}", true);
    assert_int_equal(sosia_world_reset_to(engine, w, none, &test_err), 0);
    restart();
    assert_true(has_entry(f, "two") && has_entry(f, "three"));
    assert_string_equal(notes(f), "3:{\"say\":\"three\"} ");
    assert_string_equal(notes(g), "1:{\"say\":\"four\"} ");
    assert_false(has_entry(w, "one"));
}

static void a_token_is_good_after_a_restart(void **state)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = "ada@acme.example"};
    start();
    uint64_t w = make(NULL);
    assert_int_equal(sosia_token_issue(engine, w, &opt, token, sizeof token, &test_err), 0);
    restart();
    /* Only a genuine token can be revoked. */
    assert_int_equal(sosia_token_revoke(engine, w, token, &test_err), 0);
    restart();
    assert_int_equal(sosia_token_revoke(engine, w, token, &test_err), -1);
}

static void the_journal_is_kept_in_order_and_ends_with_a_reset(void **state)
{
    start();
    uint64_t w = make(NULL);
    note(w, "one", true);
    note(w, "two", false);
    note(w, "three", true);
    restart();
    assert_string_equal(notes(w), "1:one 2:two 3:three ");
    note(w, "four", true);
    restart();
    assert_string_equal(notes(w), "1:one 2:two 3:three 4:four ");
    assert_int_equal(sosia_world_reset(engine, w, &test_err), 0);
    note(w, "new", true);
    restart();
    assert_string_equal(notes(w), "1:new ");
    assert_int_equal(sosia_world_reset(engine, w, &test_err), 0);
    stop();
    assert_int_equal(ask("select count(*) from journal"), 0);
}

static void clocks_and_journals_moved_by_reads_are_kept_by_an_orderly_end(void **state)
{
    struct sosia_request req = {.method = "GET", .target = "/"};
    struct sosia_response *res;
    int64_t now, then;
    start();
    uint64_t w = make(NULL);
    assert_int_equal(sosia_clock_mode(engine, w, SOSIA_CLOCK_STEP, 5, &test_err), 0);
    assert_int_equal(sosia_call(engine, w, &req, &res, &test_err), 0);
    sosia_response_free(res);
    note(w, "read", false);
    assert_int_equal(sosia_clock_get(engine, w, &now, &test_err), 0);
    restart();
    assert_int_equal(sosia_clock_get(engine, w, &then, &test_err), 0);
    assert_true(now == then);
    assert_string_equal(notes(w), "1:read ");
}

/* Whether a verdict on what was read can be trusted. */
static bool reads_are_known(uint64_t world)
{
    static const char text[] = "{\"version\":\"1\",\"assertions\":[{\"calls\":{\"verb\":\"GET\"},"
                               "\"expected_count\":{\"min\":0}}]}";
    struct sosia_suite *suite;
    struct sosia_blob blob;
    assert_int_equal(sosia_suite_open(text, sizeof text - 1, NULL, &suite, &test_err), 0);
    assert_int_equal(sosia_grade(engine, suite, NULL, 0, world, &blob, &test_err), 0);
    bool known = !strstr(blob.data, "journalWithout");
    sosia_blob_free(&blob);
    sosia_suite_close(suite);
    return known;
}

static void read_something(uint64_t world)
{
    struct sosia_request req = {.method = "GET", .target = "/"};
    struct sosia_response *res;
    assert_int_equal(sosia_call(engine, world, &req, &res, &test_err), 0);
    sosia_response_free(res);
}

static void that_a_journal_lacks_reads_is_known_after_a_restart(void **state)
{
    start();
    uint64_t whole = make(NULL), lost = make(NULL), writes = make(NULL);
    assert_int_equal(sosia_world_journal_mode(engine, whole, SOSIA_JOURNAL_ALL, &test_err), 0);
    assert_int_equal(sosia_world_journal_mode(engine, writes, SOSIA_JOURNAL_WRITES, &test_err), 0);
    read_something(whole);
    read_something(lost);
    read_something(writes);
    assert_int_equal(sosia_world_journal_mode(engine, lost, SOSIA_JOURNAL_ALL, &test_err), 0);
    assert_true(reads_are_known(whole));
    assert_false(reads_are_known(lost));
    assert_false(reads_are_known(writes));
    restart();
    assert_int_equal(sosia_world_journal_mode(engine, writes, SOSIA_JOURNAL_ALL, &test_err), 0);
    assert_true(reads_are_known(whole));
    assert_false(reads_are_known(lost));
    assert_false(reads_are_known(writes));
    uint64_t fork = fork_of(lost);
    assert_true(reads_are_known(fork));
    assert_int_equal(sosia_world_reset(engine, lost, &test_err), 0);
    restart();
    assert_true(reads_are_known(fork) && reads_are_known(lost) && !reads_are_known(writes));
}

static void a_dropped_world_stays_away_and_its_name_is_free(void **state)
{
    start();
    uint64_t w = make("one"), f = fork_of(w);
    assert_int_equal(sosia_world_drop(engine, w, &test_err), 0);
    assert_false(exists(w));
    make("one");
    restart();
    assert_false(exists(w));
    assert_true(has(f, "ada"));
}

static void a_world_whose_time_is_over_goes_from_the_disk_too(void **state)
{
    start();
    uint64_t w = make(NULL);
    assert_int_equal(sosia_world_ttl(engine, w, 10, true, &test_err), 0);
    restart();
    assert_int_equal(sosia_clock_advance(engine, w, 10, &test_err), 0);
    assert_false(exists(w));
    assert_int_equal(sosia_engine_sweep(engine), 1);
    assert_int_equal(sosia_engine_sweep(engine), 0);
    stop();
    assert_int_equal(ask("select count(*) from world"), 0);
}

/* ---- places and rows ---- */

static void new_worlds_never_take_the_place_of_old_ones(void **state)
{
    enum { N = 100 };
    uint64_t old[N], new[2 * N];
    start();
    uint64_t w = make(NULL);
    for (int i = 0; i < N; i++)
        old[i] = fork_of(w);
    for (int i = 0; i < N; i += 2)
        assert_int_equal(sosia_world_drop(engine, old[i], &test_err), 0);
    restart();
    for (int i = 0; i < 2 * N; i++)
        new[i] = fork_of(w);
    for (int i = 0; i < N; i++)
        assert_true(exists(old[i]) == (i % 2 != 0));
    for (int i = 0; i < 2 * N; i++)
        assert_true(exists(new[i]));
    restart();
    for (int i = 0; i < 2 * N; i++)
        assert_true(exists(new[i]));
}

static void forks_share_their_pages_on_disk(void **state)
{
    start();
    uint64_t w = make(NULL), f;
    assert_int_equal(add(w, "bob"), 0);
    stop();
    int64_t pages = ask("select count(*) from page"),
            size = ask("pragma page_count") * ask("pragma page_size");
    assert_true(pages > 0);
    start();
    for (int i = 0; i < 200; i++)
        f = fork_of(w);
    stop();
    assert_int_equal(ask("select count(*) from page"), pages);
    assert_int_equal(ask("select count(*) from base"), 1);
    assert_true(ask("pragma page_count") * ask("pragma page_size") <= size + 64 * 1024);
    start();
    assert_true(has(f, "bob"));
    assert_int_equal(add(f, "cid"), 0);
    assert_true(!has(w, "cid"));
}

static void worlds_from_nothing_share_the_empty_base_over_restarts(void **state)
{
    uint64_t w;
    for (int i = 0; i < 3; i++) {
        start();
        assert_int_equal(sosia_world_create(engine, NULL, &w, &test_err), 0);
        stop();
    }
    assert_int_equal(ask("select count(*) from base"), 1);
    assert_int_equal(ask("select count(*) from world"), 3);
}

static void rows_of_dropped_worlds_are_used_again_or_deleted(void **state)
{
    enum { N = 700 };
    uint64_t f[N];
    char name[32];
    start();
    uint64_t w = make(NULL);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) {
            f[i] = fork_of(w);
            snprintf(name, sizeof name, "p%d", i);
            assert_int_equal(add(f[i], name), 0);
        }
        for (int i = 0; i < N; i++)
            assert_int_equal(sosia_world_drop(engine, f[i], &test_err), 0);
    }
    stop();
    /* 700 worlds had more pages than may stay free. Their nodes may: they lead to nothing now. */
    assert_int_equal(ask("select count(*) from page"), 2048);
    assert_in_range(ask("select count(*) from node"), 1, 2048);
    assert_int_equal(ask("select count(*) from world"), 1);
    start();
    assert_true(has(w, "ada"));
    assert_int_equal(sosia_world_drop(engine, w, &test_err), 0);
    stop();
    assert_int_equal(ask("select count(*) from base"), 0);
    assert_int_equal(ask("select count(*) from base_part"), 0);
}

/* ---- the directory ---- */

static void a_directory_has_one_user_at_a_time(void **state)
{
    struct sosia_engine_options opt = {.data_dir = dir};
    struct sosia_engine *second;
    start();
    assert_int_equal(sosia_engine_open(&opt, &second, &test_err), -1);
    assert_int_equal(test_err.code, SOSIA_E_CONFLICT);
    stop();
    start();
}

static void the_files_are_the_owners_alone(void **state)
{
    struct stat s;
    char path[128];
    snprintf(path, sizeof path, "%s/new", dir);
    struct sosia_engine_options opt = {.data_dir = path};
    assert_int_equal(sosia_engine_open(&opt, &engine, &test_err), 0);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    snprintf(path, sizeof path, "%s/new/sosia.db", dir);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
}

static void a_newer_format_is_refused(void **state)
{
    start();
    uint64_t w = make(NULL);
    stop();
    ask("update meta set value = value + 1 where key = 'format'");
    sum_again();
    assert_int_equal(try_open(), -1);
    assert_string_equal(test_err.reason, "dataDirectoryTooNew");
    ask("update meta set value = value - 1 where key = 'format'");
    sum_again();
    start();
    assert_true(exists(w));
}

static void what_is_no_store_is_refused(void **state)
{
    char path[128];
    ask("create table t (a)");
    assert_int_equal(try_open(), -1);
    assert_non_null(strstr(test_err.text, "not a store"));
    snprintf(path, sizeof path, "%s/sosia.db", dir);
    FILE *f = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("this is no database\n", f);
    fclose(f);
    assert_int_equal(try_open(), -1);
}

static void an_old_directory_is_upgraded_and_has_hashes_then(void **state)
{
    static const char *const tables[] = {"meta", "base",  "base_part", "page",
                                         "node", "world", "journal"};
    char query[200];
    struct sosia_blob found;
    bool whole;
    start();
    uint64_t w = make("one"), f = fork_of(w);
    assert_int_equal(add(f, "bob"), 0);
    note(f, "note", true);
    stop();
    for (size_t i = 0; i < SOSIA_LEN(tables); i++) { /* as format 1 had them */
        snprintf(query, sizeof query, "alter table %s drop column sum", tables[i]);
        ask(query);
    }
    ask("alter table world drop column secret");
    ask("alter table world drop column secret_of");
    ask("alter table world drop column beside");
    ask("alter table world drop column pending");
    ask("alter table world drop column note");
    ask("update journal set id = id & 549755813887");
    ask("delete from meta where key like 'tables%'");
    ask("update meta set value = 1 where key = 'format'");
    assert_int_equal(sosia_data_check(dir, NULL, &found, &whole, &test_err), 0);
    assert_true(whole); /* as it is */
    sosia_blob_free(&found);
    start();
    assert_true(has(w, "ada") && !has(w, "bob") && has(f, "bob"));
    assert_string_equal(notes(f), "1:note ");
    stop();
    assert_int_equal(ask("select value from meta where key = 'format'"), DURABLE_FORMAT);
    assert_int_equal(ask("select count(*) from world where length(secret) = 16"), 2);
    for (size_t i = 0; i < SOSIA_LEN(tables); i++) {
        snprintf(query, sizeof query, "select count(*) from %s where sum = 0", tables[i]);
        assert_int_equal(ask(query), 0);
    }
    ask("update page set data = zeroblob(length(data)) where id = (select min(id) from page)");
    start();
    assert_int_equal(sosia_world_dump(engine, f, &found, &test_err), -1);
    assert_string_equal(test_err.reason, "dataDirectoryDamaged");
}

/* One that could not be given back its name, for want of memory, may have it on disk still. */
static void of_two_worlds_with_one_name_one_has_it(void **state)
{
    uint64_t named, found;
    start();
    uint64_t w = make("one"), v = make("two");
    stop();
    ask("update world set name = 'one'");
    sum_again();
    start();
    assert_int_equal(sosia_world_find(engine, "one", &named, &test_err), 0);
    assert_true(named == w || named == v);
    uint64_t other = named == w ? v : w;
    assert_true(has(other, "ada"));
    assert_int_equal(sosia_world_rename(engine, other, "two", &test_err), 0);
    restart();
    assert_int_equal(sosia_world_find(engine, "one", &found, &test_err), 0);
    assert_true(found == named);
    assert_int_equal(sosia_world_find(engine, "two", &found, &test_err), 0);
    assert_true(found == other);
}

/* Where the damage is noticed: when the directory is opened, or when a world is read. */
static void assert_refused(uint64_t world, bool opens, const char *why)
{
    struct sosia_blob dump;
    assert_int_equal(try_open(), opens ? 0 : -1);
    if (opens) {
        assert_int_equal(sosia_world_dump(engine, world, &dump, &test_err), -1);
        assert_int_equal(test_err.code, SOSIA_E_IO);
        stop();
    }
    assert_string_equal(test_err.reason, "dataDirectoryDamaged");
    if (!strstr(test_err.text, why))
        fail_msg("\"%s\" expected: %s", why, test_err.text);
    assert_non_null(strstr(test_err.text, "sosia check --data DIR"));
}

static void a_damaged_store_is_refused_with_a_reason(void **state)
{
    static const struct {
        bool opens;
        const char *query;
        const char *why, *else_why; /* when the hashes are right: NULL: not tried */
    } damage[] = {
        {true, "delete from page where id = (select min(id) from page)", "page 1: is not there",
         NULL},
        {true, "update page set data = x'00' where id = (select min(id) from page)",
         "page 1: is not what was written", "page 1: is not whole"},
        {true, "update page set id = 999 where id = (select min(id) from page)",
         "page 1: is not there", NULL},
        {false, "update node set mask = 0 where level = 0", "node 1: is not what was written",
         "node 1: is not whole"},
        {true, "update base_part set data = x'00' where part = 0",
         "base 1: is not what was written", "base 1: is not whole"},
        {true, "update base_part set data = zeroblob(length(data)) where part = 0",
         "base 1: is not what was written", "has other tables than this version's"},
        {false, "update world set base = 99", "is not what was written", ": lacks pages"},
        {false, "update world set seed = seed + 1", "is not what was written", NULL},
        {false, "update world set id = 5", "world 5: is not what was written",
         "world 5: has an id that can't be"},
        {true, "insert into journal (world, entries) values (1, x'00')", "is not what was written",
         "is not what was written"},
        {true, "update journal set entries = x'ffffffff'", "is not what was written",
         "is not whole"},
        {false, "update meta set value = x'00' where key = 'secret'",
         "meta: \"secret\" is not what was written", "has no secret"},
    };
    for (size_t i = 0; i < SOSIA_LEN(damage); i++) {
        start();
        uint64_t w = make(NULL);
        assert_int_equal(add(w, "bob"), 0);
        note(w, "one", true);
        stop();
        ask(damage[i].query);
        assert_refused(w, damage[i].opens, damage[i].why);
        if (damage[i].else_why) {
            sum_again();
            assert_refused(w, damage[i].opens, damage[i].else_why);
        }
        assert_int_equal(remove_files(), 0);
    }
    assert_int_equal(mkdir(dir, 0700), 0);
}

/* A world that can't be read does not trouble others, and can end. */
static void a_damaged_world_ends_and_others_go_on(void **state)
{
    struct sosia_blob dump;
    start();
    uint64_t w = make("one"), f = fork_of(w), g = fork_of(w);
    assert_int_equal(add(f, "bob"), 0);
    stop();
    ask("update page set data = zeroblob(length(data))");
    start();
    assert_int_equal(sosia_world_dump(engine, f, &dump, &test_err), -1);
    assert_true(has(w, "ada") && has(g, "ada"));
    assert_int_equal(add(g, "cid"), 0);
    assert_true(exists(f));
    assert_int_equal(sosia_world_drop(engine, f, &test_err), 0);
    assert_false(exists(f));
    restart();
    assert_true(has(w, "ada") && has(g, "cid") && !exists(f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_world_survives_with_all_it_has),
        TEST(an_evaluation_stays_one_and_so_do_its_forks),
        TEST(a_reset_goes_back_to_the_same_state_as_before_the_restart),
        TEST(a_note_stays_with_its_world_and_with_no_other),
        TEST(snapshots_and_resets_to_them_survive),
        TEST(a_reset_to_a_snapshot_takes_its_journal_to_the_disk),
        TEST(a_token_is_good_after_a_restart),
        TEST(the_journal_is_kept_in_order_and_ends_with_a_reset),
        TEST(clocks_and_journals_moved_by_reads_are_kept_by_an_orderly_end),
        TEST(that_a_journal_lacks_reads_is_known_after_a_restart),
        TEST(a_dropped_world_stays_away_and_its_name_is_free),
        TEST(a_world_whose_time_is_over_goes_from_the_disk_too),
        TEST(new_worlds_never_take_the_place_of_old_ones),
        TEST(forks_share_their_pages_on_disk),
        TEST(worlds_from_nothing_share_the_empty_base_over_restarts),
        TEST(rows_of_dropped_worlds_are_used_again_or_deleted),
        TEST(a_directory_has_one_user_at_a_time),
        TEST(the_files_are_the_owners_alone),
        TEST(a_newer_format_is_refused),
        TEST(what_is_no_store_is_refused),
        TEST(an_old_directory_is_upgraded_and_has_hashes_then),
        TEST(of_two_worlds_with_one_name_one_has_it),
        TEST(a_damaged_store_is_refused_with_a_reason),
        TEST(a_damaged_world_ends_and_others_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
