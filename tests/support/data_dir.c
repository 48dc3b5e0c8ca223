/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/data_dir.h"
#include "engine/durable/durable_impl.h"
#include <ftw.h>

char dir[64];
struct sosia_engine *engine;
struct sosia_err test_err;

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *f)
{
    return remove(path);
}

int make_dir(void **state)
{
    disk_install();
    disk_fail(0, 0, 0);
    disk_fail_reads(0);
    strcpy(dir, "/tmp/sosia-durable-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

int remove_files(void)
{
    return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int remove_dir(void **state)
{
    sosia_engine_close(engine);
    engine = NULL;
    disk_hold(false);
    disk_fail_reads(0);
    return remove_files();
}

int try_open(void)
{
    struct sosia_engine_options opt = {.data_dir = dir};
    return sosia_engine_open(&opt, &engine, &test_err);
}

void start(void)
{
    if (try_open() < 0)
        fail_msg("open: %s", test_err.text);
}

void stop(void)
{
    sosia_engine_close(engine);
    engine = NULL;
}

void restart(void)
{
    stop();
    start();
}

uint64_t make(const char *name)
{
    static const char doc[] =
        "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\","
        "\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\",\"zone\":\"Europe/Rome\"}]}";
    /* What is in their journals is note()'s. */
    struct sosia_world_options opt = {
        .name = name, .seed_doc = doc, .seed_doc_len = strlen(doc), .journal = SOSIA_JOURNAL_NONE};
    uint64_t w;
    if (sosia_world_create(engine, &opt, &w, &test_err) < 0)
        fail_msg("create: %s", test_err.text);
    return w;
}

int add(uint64_t world, const char *name)
{
    char doc[128];
    snprintf(doc, sizeof doc, "{\"sosia\":1,\"people\":[{\"email\":\"%s@acme.example\"}]}", name);
    return sosia_world_seed(engine, world, doc, strlen(doc), NULL, &test_err);
}

bool has(uint64_t world, const char *name)
{
    struct sosia_blob dump;
    char email[80];
    if (sosia_world_dump(engine, world, &dump, &test_err) < 0)
        fail_msg("dump: %s", test_err.text);
    snprintf(email, sizeof email, "\"%s@acme.example\"", name);
    bool found = strstr(dump.data, email) != NULL;
    sosia_blob_free(&dump);
    return found;
}

uint64_t fork_of(uint64_t world)
{
    uint64_t f;
    if (sosia_world_fork(engine, world, NULL, &f, &test_err) < 0)
        fail_msg("fork: %s", test_err.text);
    return f;
}

bool exists(uint64_t world)
{
    struct sosia_world_info info;
    return sosia_world_info(engine, world, &info, &test_err) == 0;
}

void note(uint64_t world, const char *text, bool put)
{
    struct world *w = world_take(engine, world, &test_err);
    assert_non_null(w);
    assert_int_equal(journal_append(&world_extra(w)->journal, text, strlen(text)), 0);
    if (put)
        assert_int_equal(world_changed(engine, w, &test_err), 0);
    uint64_t ticket = w->ticket;
    world_drop(w);
    if (put)
        assert_int_equal(engine_sync(engine, ticket, &test_err), 0);
}

static int add_entry(void *arg, int64_t seq, const char *entry, size_t len)
{
    char *all = arg;
    snprintf(all + strlen(all), 500 - strlen(all), "%d:%.*s ", (int)seq, (int)len, entry);
    return 0;
}

const char *notes(uint64_t world)
{
    static char all[500];
    all[0] = 0;
    struct world *w = world_take(engine, world, &test_err);
    assert_non_null(w);
    if (w->extra)
        journal_each(&w->extra->journal, 0, 100, add_entry, all);
    world_drop(w);
    return all;
}

int64_t ask(const char *query)
{
    char path[128];
    sqlite3 *db;
    sqlite3_stmt *st;
    snprintf(path, sizeof path, "%s/sosia.db", dir);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "unix"),
                     SQLITE_OK);
    assert_int_equal(rows_functions(db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, query, -1, &st, NULL), SQLITE_OK);
    int64_t n = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : -1;
    sqlite3_finalize(st);
    sqlite3_close(db);
    return n;
}

void sum_again(void)
{
#define SUM_AGAIN(kind, columns) "update " kind " set sum = " ROW_SUM(kind, columns)
    static const char *const queries[] = {
        SUM_AGAIN("meta", META_COLUMNS),           SUM_AGAIN("base", BASE_COLUMNS),
        SUM_AGAIN("base_part", BASE_PART_COLUMNS), SUM_AGAIN("page", PAGE_COLUMNS),
        SUM_AGAIN("node", NODE_COLUMNS),           SUM_AGAIN("world", WORLD_COLUMNS),
        SUM_AGAIN("journal", JOURNAL_COLUMNS)};
    for (size_t i = 0; i < SOSIA_LEN(queries); i++)
        ask(queries[i]);
}
