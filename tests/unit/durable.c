/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/durable.h"
#include "engine/world/engine.h"
#include "tests/unit/disk.h"
#include "tests/unit/unit.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];
static struct sosia_engine *engine;
static struct sosia_err err;

/* ---- helpers ---- */

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *f)
{
    return remove(path);
}

static int make_dir(void **state)
{
    disk_install();
    disk_fail(0, 0, 0);
    strcpy(dir, "/tmp/sosia-durable-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    sosia_engine_close(engine);
    engine = NULL;
    disk_hold(false);
    return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static int try_open(void)
{
    struct sosia_engine_options opt = {.data_dir = dir};
    return sosia_engine_open(&opt, &engine, &err);
}

static void start(void)
{
    if (try_open() < 0)
        fail_msg("open: %s", err.text);
}

static void stop(void)
{
    sosia_engine_close(engine);
    engine = NULL;
}

static void restart(void)
{
    stop();
    start();
}

static uint64_t make(const char *name)
{
    static const char doc[] =
        "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\","
        "\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\",\"zone\":\"Europe/Rome\"}]}";
    struct sosia_world_options opt = {.name = name, .seed_doc = doc, .seed_doc_len = strlen(doc)};
    uint64_t w;
    if (sosia_world_create(engine, &opt, &w, &err) < 0)
        fail_msg("create: %s", err.text);
    return w;
}

/* One more person in the world. */
static int add(uint64_t world, const char *name)
{
    char doc[128];
    snprintf(doc, sizeof doc, "{\"sosia\":1,\"people\":[{\"email\":\"%s@acme.example\"}]}", name);
    return sosia_world_seed(engine, world, doc, strlen(doc), NULL, &err);
}

static bool has(uint64_t world, const char *name)
{
    struct sosia_blob dump;
    char email[80];
    if (sosia_world_dump(engine, world, &dump, &err) < 0)
        fail_msg("dump: %s", err.text);
    snprintf(email, sizeof email, "\"%s@acme.example\"", name);
    bool found = strstr(dump.data, email) != NULL;
    sosia_blob_free(&dump);
    return found;
}

static uint64_t fork_of(uint64_t world)
{
    uint64_t f;
    if (sosia_world_fork(engine, world, NULL, &f, &err) < 0)
        fail_msg("fork: %s", err.text);
    return f;
}

static bool exists(uint64_t world)
{
    struct sosia_world_info info;
    return sosia_world_info(engine, world, &info, &err) == 0;
}

/* An entry in the world's journal, as a call makes one. */
static void note(uint64_t world, const char *text, bool put)
{
    struct world *w = world_take(engine, world, &err);
    assert_non_null(w);
    assert_int_equal(journal_append(&world_extra(w)->journal, text, strlen(text)), 0);
    if (put)
        assert_int_equal(world_changed(engine, w, &err), 0);
    uint64_t ticket = w->ticket;
    world_drop(w);
    if (put)
        assert_int_equal(engine_sync(engine, ticket, &err), 0);
}

static int add_entry(void *arg, int64_t seq, const char *entry, size_t len)
{
    char *all = arg;
    snprintf(all + strlen(all), 500 - strlen(all), "%d:%.*s ", (int)seq, (int)len, entry);
    return 0;
}

static const char *notes(uint64_t world)
{
    static char all[500];
    all[0] = 0;
    struct world *w = world_take(engine, world, &err);
    assert_non_null(w);
    if (w->extra)
        journal_each(&w->extra->journal, 0, 100, add_entry, all);
    world_drop(w);
    return all;
}

/* Of the closed store. */
static int64_t ask(const char *query)
{
    char path[128];
    sqlite3 *db;
    sqlite3_stmt *st;
    snprintf(path, sizeof path, "%s/sosia.db", dir);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "unix"),
                     SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, query, -1, &st, NULL), SQLITE_OK);
    int64_t n = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : -1;
    sqlite3_finalize(st);
    sqlite3_close(db);
    return n;
}

/* ---- what survives ---- */

static void a_world_survives_with_all_it_has(void **state)
{
    start();
    uint64_t w = make("main");
    struct sosia_world_info before, after;
    struct sosia_blob dump, again;
    assert_int_equal(add(w, "bob"), 0);
    assert_int_equal(sosia_clock_mode(engine, w, SOSIA_CLOCK_STEP, 250, &err), 0);
    assert_int_equal(sosia_clock_advance(engine, w, 1000000, &err), 0);
    assert_int_equal(sosia_world_journal_mode(engine, w, SOSIA_JOURNAL_ALL, &err), 0);
    assert_int_equal(sosia_world_ttl(engine, w, INT64_C(3600000000), true, &err), 0);
    assert_int_equal(sosia_world_info(engine, w, &before, &err), 0);
    assert_int_equal(sosia_world_dump(engine, w, &dump, &err), 0);
    restart();
    assert_int_equal(sosia_world_info(engine, w, &after, &err), 0);
    assert_int_equal(sosia_world_dump(engine, w, &again, &err), 0);
    assert_string_equal(dump.data, again.data);
    assert_memory_equal(&before, &after, sizeof before);
    uint64_t found;
    assert_int_equal(sosia_world_find(engine, "main", &found, &err), 0);
    assert_true(found == w);
    sosia_blob_free(&dump);
    sosia_blob_free(&again);
    /* Life goes on in it. */
    assert_int_equal(add(w, "cid"), 0);
    restart();
    assert_true(has(w, "bob") && has(w, "cid"));
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
    assert_int_equal(sosia_world_reset(engine, f, &err), 0);
    assert_true(has(f, "bob") && !has(f, "cid"));
    restart();
    assert_true(has(f, "bob") && !has(f, "cid"));
    assert_int_equal(sosia_world_reset(engine, w, &err), 0);
    assert_true(!has(w, "bob") && has(w, "ada"));
}

static void snapshots_and_resets_to_them_survive(void **state)
{
    start();
    uint64_t w = make(NULL), s;
    assert_int_equal(add(w, "bob"), 0);
    assert_int_equal(sosia_world_snapshot(engine, w, "snap", &s, &err), 0);
    assert_int_equal(add(w, "cid"), 0);
    restart();
    assert_int_equal(add(s, "dan"), -1);
    assert_int_equal(err.code, SOSIA_E_FORBIDDEN);
    assert_int_equal(sosia_world_reset_to(engine, w, s, &err), 0);
    restart();
    assert_true(has(w, "bob") && !has(w, "cid"));
}

static void a_token_is_good_after_a_restart(void **state)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = "ada@acme.example"};
    start();
    uint64_t w = make(NULL);
    assert_int_equal(sosia_token_issue(engine, w, &opt, token, sizeof token, &err), 0);
    restart();
    /* Only a genuine token can be revoked. */
    assert_int_equal(sosia_token_revoke(engine, w, token, &err), 0);
    restart();
    assert_int_equal(sosia_token_revoke(engine, w, token, &err), -1);
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
    assert_int_equal(sosia_world_reset(engine, w, &err), 0);
    note(w, "new", true);
    restart();
    assert_string_equal(notes(w), "1:new ");
    assert_int_equal(sosia_world_reset(engine, w, &err), 0);
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
    assert_int_equal(sosia_clock_mode(engine, w, SOSIA_CLOCK_STEP, 5, &err), 0);
    assert_int_equal(sosia_call(engine, w, &req, &res, &err), 0);
    sosia_response_free(res);
    note(w, "read", false);
    assert_int_equal(sosia_clock_get(engine, w, &now, &err), 0);
    restart();
    assert_int_equal(sosia_clock_get(engine, w, &then, &err), 0);
    assert_true(now == then);
    assert_string_equal(notes(w), "1:read ");
}

static void a_dropped_world_stays_away_and_its_name_is_free(void **state)
{
    start();
    uint64_t w = make("one"), f = fork_of(w);
    assert_int_equal(sosia_world_drop(engine, w, &err), 0);
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
    assert_int_equal(sosia_world_ttl(engine, w, 10, true, &err), 0);
    restart();
    assert_int_equal(sosia_clock_advance(engine, w, 10, &err), 0);
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
        assert_int_equal(sosia_world_drop(engine, old[i], &err), 0);
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
    int64_t pages = ask("select count(*) from page"), size = ask("pragma page_count");
    assert_true(pages > 0);
    start();
    for (int i = 0; i < 200; i++)
        f = fork_of(w);
    stop();
    assert_int_equal(ask("select count(*) from page"), pages);
    assert_int_equal(ask("select count(*) from base"), 1);
    assert_true(ask("pragma page_count") <= size + 4);
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
        assert_int_equal(sosia_world_create(engine, NULL, &w, &err), 0);
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
            assert_int_equal(sosia_world_drop(engine, f[i], &err), 0);
    }
    stop();
    /* 700 worlds had more pages than may stay free. Their nodes may: they lead to nothing now. */
    assert_int_equal(ask("select count(*) from page"), 2048);
    assert_in_range(ask("select count(*) from node"), 1, 2048);
    assert_int_equal(ask("select count(*) from world"), 1);
    start();
    assert_true(has(w, "ada"));
    assert_int_equal(sosia_world_drop(engine, w, &err), 0);
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
    assert_int_equal(sosia_engine_open(&opt, &second, &err), -1);
    assert_int_equal(err.code, SOSIA_E_CONFLICT);
    stop();
    start();
}

static void the_files_are_the_owners_alone(void **state)
{
    struct stat s;
    char path[128];
    snprintf(path, sizeof path, "%s/new", dir);
    struct sosia_engine_options opt = {.data_dir = path};
    assert_int_equal(sosia_engine_open(&opt, &engine, &err), 0);
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
    ask("update meta set value = 2 where key = 'format'");
    assert_int_equal(try_open(), -1);
    assert_string_equal(err.reason, "dataDirectoryTooNew");
    ask("update meta set value = 1 where key = 'format'");
    start();
    assert_true(exists(w));
}

static void what_is_no_store_is_refused(void **state)
{
    char path[128];
    ask("create table t (a)");
    assert_int_equal(try_open(), -1);
    assert_non_null(strstr(err.text, "no store"));
    snprintf(path, sizeof path, "%s/sosia.db", dir);
    FILE *f = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("this is no database\n", f);
    fclose(f);
    assert_int_equal(try_open(), -1);
}

static void a_damaged_store_is_refused_with_a_reason(void **state)
{
    static const char *const damage[][2] = {
        {"create table x as select * from page; delete from page where id = (select min(id) from "
         "page)",
         "a world's pages are missing"},
        {"update page set data = x'00' where id = (select min(id) from page)",
         "a page is not whole"},
        {"update node set mask = 0 where level = 0", "a node is not whole"},
        {"update base_part set data = x'00' where part = 0", "a base is not whole"},
        {"update base_part set data = zeroblob(length(data)) where part = 0",
         "the data directory is damaged: a base's tables can't be read"},
        {"update world set base = 99", "a world's pages are missing"},
        {"update world set id = 5", "a world's id is wrong"},
        {"insert into journal (world, entries) values (1, x'00')", "a journal belongs to no world"},
        {"update journal set entries = x'ffffffff'", "a journal is not whole"},
        {"update meta set value = x'00' where key = 'secret'", "it has no secret"},
    };
    for (size_t i = 0; i < SOSIA_LEN(damage); i++) {
        start();
        uint64_t w = make(NULL);
        assert_int_equal(add(w, "bob"), 0);
        note(w, "one", true);
        stop();
        char query[300];
        snprintf(query, sizeof query, "%s", damage[i][0]);
        char *rest = strstr(query, "; ");
        if (rest) {
            *rest = 0;
            ask(query);
            rest += 2;
        }
        ask(rest ? rest : query);
        assert_int_equal(try_open(), -1);
        assert_non_null(strstr(err.text, damage[i][1]));
        assert_int_equal(nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    }
    assert_int_equal(mkdir(dir, 0700), 0);
}

/* ---- failures ---- */

static void a_failed_write_changes_nothing_at_any_point(void **state)
{
    start();
    uint64_t w = make(NULL);
    char name[32];
    int failed = 0;
    for (long n = 1;; n++) {
        snprintf(name, sizeof name, "n%ld", n);
        disk_fail(n, 1, n % 2 ? SQLITE_IOERR_WRITE : SQLITE_FULL);
        int rc = add(w, name);
        bool reached = disk_count() >= n;
        disk_fail(0, 0, 0);
        assert_true(has(w, name) == (rc == 0));
        if (rc < 0) {
            assert_int_equal(err.code, n % 2 ? SOSIA_E_IO : SOSIA_E_FULL);
            failed++;
            assert_int_equal(add(w, name), 0);
        }
        if (!reached)
            break;
    }
    assert_true(failed >= 3);
    restart();
    for (int i = 1; i <= failed; i++) {
        snprintf(name, sizeof name, "n%d", i);
        assert_true(has(w, name));
    }
}

/* As if the machine stopped now: what is in the files goes to another directory, which becomes the
 * one in use. */
static void crash(void)
{
    char command[300];
    snprintf(command, sizeof command, "cp -r %s %s.copy && rm -r %s.copy/lock", dir, dir, dir);
    assert_int_equal(system(command), 0);
    stop();
    snprintf(command, sizeof command, "rm -r %s && mv %s.copy %s", dir, dir, dir);
    assert_int_equal(system(command), 0);
    start();
}

static void a_failed_change_does_not_come_back_with_a_crash(void **state)
{
    start();
    uint64_t w = make(NULL);
    for (long n = 1; n < 20; n++) {
        disk_fail(n, 1, SQLITE_IOERR_FSYNC);
        int rc = add(w, "bob");
        disk_fail(0, 0, 0);
        if (rc == 0)
            break;
        crash();
        assert_false(has(w, "bob"));
    }
    assert_true(has(w, "bob"));
    crash();
    assert_true(has(w, "bob"));
}

static void a_world_that_could_not_be_written_is_not_there(void **state)
{
    uint64_t w, f;
    start();
    w = make(NULL);
    disk_fail(1, 1000, SQLITE_FULL);
    struct sosia_world_options opt = {.name = "new"};
    assert_int_equal(sosia_world_create(engine, &opt, &f, &err), -1);
    assert_int_equal(err.code, SOSIA_E_FULL);
    assert_int_equal(sosia_world_fork(engine, w, NULL, &f, &err), -1);
    assert_int_equal(sosia_world_find(engine, "new", &f, &err), -1);
    disk_fail(0, 0, 0);
    assert_true(engine_live(engine) == 1);
    make("new");
    assert_true(has(w, "ada"));
}

static void a_drop_that_failed_leaves_the_world(void **state)
{
    uint64_t found;
    start();
    uint64_t w = make("one");
    assert_int_equal(sosia_world_ttl(engine, w, INT64_C(3600000000), false, &err), 0);
    disk_fail(1, 1000, SQLITE_IOERR_WRITE);
    assert_int_equal(sosia_world_drop(engine, w, &err), -1);
    disk_fail(0, 0, 0);
    assert_int_equal(sosia_world_find(engine, "one", &found, &err), 0);
    assert_int_equal(add(w, "bob"), 0);
    assert_int_equal(sosia_world_drop(engine, w, &err), 0);
    assert_int_equal(atomic_load(&engine->n_expiring), 0);
    restart();
    assert_false(exists(w));
}

static void resets_clocks_ttls_and_journals_go_back_too(void **state)
{
    struct sosia_world_info before, after;
    start();
    uint64_t w = make("one");
    assert_int_equal(add(w, "bob"), 0);
    note(w, "one", true);
    note(w, "two", true);
    assert_int_equal(sosia_world_info(engine, w, &before, &err), 0);
    disk_fail(1, 100000, SQLITE_IOERR_WRITE);
    assert_int_equal(sosia_clock_advance(engine, w, 1000, &err), -1);
    assert_int_equal(sosia_world_ttl(engine, w, 1000, false, &err), -1);
    assert_int_equal(sosia_clock_mode(engine, w, SOSIA_CLOCK_STEP, 3, &err), -1);
    assert_int_equal(sosia_world_reset(engine, w, &err), -1);
    disk_fail(0, 0, 0);
    assert_true(has(w, "bob"));
    assert_string_equal(notes(w), "1:one 2:two ");
    assert_int_equal(sosia_world_info(engine, w, &after, &err), 0);
    assert_memory_equal(&before, &after, sizeof before);
    note(w, "three", true);
    restart();
    assert_string_equal(notes(w), "1:one 2:two 3:three ");
}

struct waiter {
    pthread_t thread;
    uint64_t world, fork;
    int rc;
};

static void *add_in_thread(void *arg)
{
    struct waiter *x = arg;
    char doc[] = "{\"sosia\":1,\"people\":[{\"email\":\"bob@acme.example\"}]}";
    x->rc = sosia_world_seed(engine, x->world, doc, strlen(doc), NULL, NULL);
    return NULL;
}

static void *fork_in_thread(void *arg)
{
    struct waiter *x = arg;
    x->rc = sosia_world_fork(engine, x->world, NULL, &x->fork, NULL);
    return NULL;
}

static void *dump_in_thread(void *arg)
{
    struct waiter *x = arg;
    struct sosia_blob b;
    x->rc = sosia_world_dump(engine, x->world, &b, NULL);
    if (x->rc == 0)
        sosia_blob_free(&b);
    return NULL;
}

static void in_thread(struct waiter *x, void *(*fn)(void *))
{
    assert_int_equal(pthread_create(&x->thread, NULL, fn, x), 0);
}

/* Until the world's last ticket is another. */
static uint64_t wait_ticket(uint64_t world, uint64_t not_this)
{
    for (;;) {
        struct world *w = world_take(engine, world, &err);
        uint64_t ticket = w->ticket;
        world_drop(w);
        if (ticket != not_this)
            return ticket;
        usleep(100);
    }
}

/* Three threads on a change that is held back in its sync: who makes it, who forks its world, who
 * reads it. */
static void hold_three(struct waiter *add_it, struct waiter *fork_it, struct waiter *read_it,
                       uint64_t w)
{
    uint64_t before = wait_ticket(w, UINT64_MAX);
    *add_it = *fork_it = *read_it = (struct waiter){.world = w, .rc = 99};
    disk_hold(true);
    in_thread(add_it, add_in_thread);
    disk_wait_held();
    wait_ticket(w, before);
    in_thread(fork_it, fork_in_thread);
    in_thread(read_it, dump_in_thread);
    while (engine_live(engine) < 2)
        usleep(100);
    usleep(20000); /* the reader most likely waits now; if not, it will */
    assert_int_equal(durable_state(engine->durable, wait_ticket(w, before)), 0);
}

static void join_three(struct waiter *a, struct waiter *b, struct waiter *c)
{
    pthread_join(a->thread, NULL);
    pthread_join(b->thread, NULL);
    pthread_join(c->thread, NULL);
}

static void who_saw_what_is_not_on_disk_waits_for_it(void **state)
{
    struct waiter a, f, r;
    start();
    uint64_t w = make(NULL);
    hold_three(&a, &f, &r, w);
    disk_hold(false);
    join_three(&a, &f, &r);
    assert_true(a.rc == 0 && f.rc == 0 && r.rc == 0);
    assert_true(has(f.fork, "bob"));
    restart();
    assert_true(has(f.fork, "bob") && has(w, "bob"));
}

static void who_saw_what_failed_fails_and_so_do_forks_of_it(void **state)
{
    struct waiter a, f, r;
    start();
    uint64_t w = make(NULL);
    hold_three(&a, &f, &r, w);
    disk_fail(1, 1, SQLITE_IOERR_FSYNC);
    disk_hold(false);
    join_three(&a, &f, &r);
    assert_true(a.rc == -1 && f.rc == -1 && r.rc == -1);
    assert_false(has(w, "bob"));
    assert_true(engine_live(engine) == 1);
    restart();
    assert_false(has(w, "bob"));
    assert_true(engine_live(engine) == 1);
}

static void *rename_in_thread(void *arg)
{
    struct waiter *x = arg;
    x->rc = sosia_world_rename(engine, x->world, "new", NULL);
    return NULL;
}

static void *create_in_thread(void *arg)
{
    struct waiter *x = arg;
    struct sosia_world_options opt = {.name = "old"};
    x->rc = sosia_world_create(engine, &opt, &x->fork, NULL);
    return NULL;
}

static bool is_named(uint64_t world, const char *name)
{
    uint64_t found;
    struct sosia_world_info info;
    return sosia_world_find(engine, name, &found, &err) == 0 && found == world &&
           sosia_world_info(engine, world, &info, &err) == 0 && strcmp(info.name, name) == 0;
}

static void names_go_back_even_if_somebody_has_taken_them(void **state)
{
    struct waiter renamed = {.rc = 99}, made = {.rc = 99};
    uint64_t found;
    start();
    uint64_t w = renamed.world = make("old"), before = wait_ticket(w, UINT64_MAX);
    disk_hold(true);
    in_thread(&renamed, rename_in_thread);
    wait_ticket(w, before);
    in_thread(&made, create_in_thread); /* the name is free now */
    while (engine_live(engine) < 2)
        usleep(100);
    disk_wait_held();
    disk_fail(1, 1000, SQLITE_FULL);
    disk_hold(false);
    pthread_join(renamed.thread, NULL);
    pthread_join(made.thread, NULL);
    disk_fail(0, 0, 0);
    assert_true(renamed.rc == -1 && made.rc == -1);
    assert_true(is_named(w, "old") && engine_live(engine) == 1);
    assert_int_equal(sosia_world_find(engine, "new", &found, &err), -1);
    assert_int_equal(sosia_world_rename(engine, w, "new", &err), 0);
    restart();
    assert_true(is_named(w, "new"));
    assert_int_equal(sosia_world_rename(engine, w, NULL, &err), 0);
    restart();
    assert_int_equal(sosia_world_find(engine, "new", &found, &err), -1);
    make("new");
}

/* ---- waiting without a thread ---- */

static _Atomic(int) heard;

static void hear(void *arg, int rc)
{
    atomic_fetch_add(&heard, rc == 0 ? 1 : 100);
}

static void a_notice_comes_when_the_change_is_on_disk_and_not_before(void **state)
{
    struct waiter a = {.rc = 99};
    start();
    uint64_t w = make(NULL), before = wait_ticket(w, UINT64_MAX);
    heard = 0;
    durable_notify(engine->durable, before, hear, NULL);
    assert_int_equal(atomic_load(&heard), 1);
    a.world = w;
    disk_hold(true);
    in_thread(&a, add_in_thread);
    uint64_t ticket = wait_ticket(w, before);
    durable_notify(engine->durable, ticket, hear, NULL);
    assert_int_equal(atomic_load(&heard), 1);
    disk_hold(false);
    pthread_join(a.thread, NULL);
    while (atomic_load(&heard) < 2)
        usleep(100);
    disk_fail(1, 1, SQLITE_IOERR_FSYNC);
    assert_int_equal(add(w, "cid"), -1);
    durable_notify(engine->durable, durable_state(engine->durable, ticket + 1) < 0 ? ticket + 1 : 0,
                   hear, NULL);
    assert_int_equal(atomic_load(&heard), 102);
}

/* ---- many threads ---- */

enum { THREADS = 8, ROUNDS = 40 };

struct busy {
    pthread_t thread;
    uint64_t base, own, last;
    int n;
};

static void *be_busy(void *arg)
{
    struct busy *b = arg;
    struct sosia_err e;
    char doc[128];
    if (sosia_world_fork(engine, b->base, NULL, &b->own, &e) < 0)
        return NULL;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t f;
        snprintf(doc, sizeof doc, "{\"sosia\":1,\"people\":[{\"email\":\"p%d@acme.example\"}]}", i);
        if (sosia_world_seed(engine, b->own, doc, strlen(doc), NULL, &e) < 0 ||
            sosia_world_fork(engine, b->own, NULL, &f, &e) < 0)
            return NULL;
        if (b->last && sosia_world_drop(engine, b->last, &e) < 0)
            return NULL;
        b->last = f;
        b->n++;
    }
    return NULL;
}

static void many_threads_share_syncs_and_lose_nothing(void **state)
{
    struct busy b[THREADS];
    struct durable_stats stats;
    char name[32];
    start();
    uint64_t w = make(NULL);
    for (int i = 0; i < THREADS; i++) {
        b[i] = (struct busy){.base = w};
        assert_int_equal(pthread_create(&b[i].thread, NULL, be_busy, &b[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(b[i].thread, NULL);
        assert_int_equal(b[i].n, ROUNDS);
    }
    durable_stats(engine->durable, &stats);
    assert_true(stats.changes > stats.batches);
    restart();
    assert_true(engine_live(engine) == 1 + 2 * THREADS);
    snprintf(name, sizeof name, "p%d", ROUNDS - 1);
    for (int i = 0; i < THREADS; i++) {
        assert_true(has(b[i].own, "p0") && has(b[i].own, name));
        assert_true(has(b[i].last, name));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_world_survives_with_all_it_has),
        TEST(a_reset_goes_back_to_the_same_state_as_before_the_restart),
        TEST(snapshots_and_resets_to_them_survive),
        TEST(a_token_is_good_after_a_restart),
        TEST(the_journal_is_kept_in_order_and_ends_with_a_reset),
        TEST(clocks_and_journals_moved_by_reads_are_kept_by_an_orderly_end),
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
        TEST(a_damaged_store_is_refused_with_a_reason),
        TEST(a_failed_write_changes_nothing_at_any_point),
        TEST(a_failed_change_does_not_come_back_with_a_crash),
        TEST(a_world_that_could_not_be_written_is_not_there),
        TEST(a_drop_that_failed_leaves_the_world),
        TEST(resets_clocks_ttls_and_journals_go_back_too),
        TEST(who_saw_what_is_not_on_disk_waits_for_it),
        TEST(who_saw_what_failed_fails_and_so_do_forks_of_it),
        TEST(names_go_back_even_if_somebody_has_taken_them),
        TEST(a_notice_comes_when_the_change_is_on_disk_and_not_before),
        TEST(many_threads_share_syncs_and_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
