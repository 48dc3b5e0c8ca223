/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slots: a connection on a VFS of its own, its prepared statements, transactions.
 *
 * The connection is closed to everything that would reach outside of its tree or live longer than a
 * call: other databases, temporary tables, VACUUM, settings, and functions that are not the same
 * every time.
 */
#include "engine/store/slot_impl.h"
#include "engine/store/delta.h"
#include "engine/store/rest.h"
#include "engine/base/stop.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const hot_text[N_HOT] = {
    [HOT_BEGIN] = "begin",           [HOT_BEGIN_WRITE] = "begin immediate",
    [HOT_COMMIT] = "commit",         [HOT_ROLLBACK] = "rollback",
    [HOT_SAVEPOINT] = "savepoint s", [HOT_RELEASE] = "release s",
    [HOT_BACK] = "rollback to s",
};

/* ---- what a connection may do ---- */

static bool pragma_allowed(const char *name, const char *arg)
{
    static const char *const any[] = {"defer_foreign_keys", "foreign_key_check", "foreign_key_list",
                                      "index_info",         "index_list",        "index_xinfo",
                                      "integrity_check",    "quick_check",       "table_info",
                                      "table_list",         "table_xinfo"};
    static const char *const read_only[] = {"application_id", "data_version",   "encoding",
                                            "foreign_keys",   "freelist_count", "journal_mode",
                                            "page_count",     "page_size",      "schema_version"};
    for (size_t i = 0; i < SOSIA_LEN(any); i++)
        if (sqlite3_stricmp(name, any[i]) == 0)
            return true;
    for (size_t i = 0; i < SOSIA_LEN(read_only); i++)
        if (sqlite3_stricmp(name, read_only[i]) == 0)
            return !arg;
    /* The tables' own version number is the schema's author's to set. */
    return sqlite3_stricmp(name, "user_version") == 0;
}

static int authorize(void *arg, int action, const char *a, const char *b, const char *db,
                     const char *trigger)
{
    switch (action) {
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
    case SQLITE_ANALYZE:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_TRIGGER:
    case SQLITE_CREATE_TEMP_VIEW:
        return SQLITE_DENY;
    case SQLITE_CREATE_VTABLE:
        return sqlite3_strnicmp(b, "fts5", 4) == 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
        return ((struct slot *)arg)->resetting || pragma_allowed(a, b) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
        return sqlite3_stricmp(b, "random") == 0 || sqlite3_stricmp(b, "randomblob") == 0 ||
                       sqlite3_stricmp(b, "load_extension") == 0
                   ? SQLITE_DENY
                   : SQLITE_OK;
    default:
        return SQLITE_OK;
    }
}

void slot_limit(sqlite3 *db)
{
    static const struct {
        int id, value;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, 256 * 1024 * 1024},
        {SQLITE_LIMIT_SQL_LENGTH, 1024 * 1024},
        {SQLITE_LIMIT_COLUMN, 200},
        {SQLITE_LIMIT_EXPR_DEPTH, 200},
        {SQLITE_LIMIT_COMPOUND_SELECT, 50},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 4096},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 30},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < SOSIA_LEN(limits); i++)
        sqlite3_limit(db, limits[i].id, limits[i].value);
}

enum { LOOK_EVERY = 1000 }; /* operations of SQLite between two looks at whether it is to stop */

static int look(void *arg)
{
    const struct slot *s = arg;
    return !s->turning && stop_wanted();
}

void slot_watch(struct slot *s)
{
    sqlite3_progress_handler(s->db, LOOK_EVERY, look, s);
}

static int configure(struct slot *s)
{
    sqlite3 *db = s->db;
    sqlite3_extended_result_codes(db, 1);
    sqlite_trust(db);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    /* Plans must not depend on bound values: where there is a partial index, SQLite would look at
     * them and prepare the statement anew for each binding. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_QPSG, 1, NULL);
    /* A read through xFetch needs no cache; what a transaction writes does, until it commits. As
     * many pages as the processor's own cache holds: all are dropped when the slot is pointed
     * elsewhere, which takes as long as the cache was ever large, and what does not fit is only
     * handed to the tree earlier. */
    int rc = sqlite3_exec(db,
                          "pragma page_size = 2048; pragma mmap_size = 1073741824;"
                          "pragma journal_mode = truncate; pragma synchronous = off;"
                          "pragma temp_store = memory; pragma cache_size = 200;"
                          "pragma secure_delete = off; pragma auto_vacuum = none",
                          NULL, NULL, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    slot_limit(db);
    sqlite3_set_authorizer(db, authorize, s);
    slot_watch(s);
    for (int i = 0; rc == SQLITE_OK && i < N_HOT; i++)
        rc = sqlite3_prepare_v3(db, hot_text[i], -1, SQLITE_PREPARE_PERSISTENT, &s->hot[i], NULL);
    return rc;
}

int slot_open(struct store *store, struct slot **ret_slot, struct sosia_err *err)
{
    struct slot *s = calloc(1, sizeof *s);
    if (!s)
        return sosia_fail_memory(err);
    if (slot_vfs_init(&s->v, store, err) < 0) {
        free(s);
        return -1;
    }
    int rc =
        sqlite3_open_v2("world", &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, s->v.name);
    if (rc == SQLITE_OK)
        rc = configure(s);
    if (rc != SQLITE_OK) {
        slot_fail(s, err);
        slot_close(s);
        return -1;
    }
    *ret_slot = s;
    return 0;
}

static void drop_statements(struct slot *s)
{
    for (uint32_t i = 0; i < s->n_stmts; i++)
        sqlite3_finalize(s->stmts[i]);
    free(s->stmts);
    s->stmts = NULL;
    s->n_stmts = 0;
}

void slot_close(struct slot *s)
{
    if (!s)
        return;
    for (int i = 0; i < N_HOT; i++)
        sqlite3_finalize(s->hot[i]);
    drop_statements(s);
    record_plans_free(s->plans, s->n_plans);
    rendered_free(s->rendered);
    int rc = sqlite3_close(s->db);
    assert(rc == SQLITE_OK);
    (void)rc;
    slot_vfs_done(&s->v);
    free(s);
}

void slot_rest(struct slot *s)
{
    drop_statements(s);
    sqlite3_db_release_memory(s->db);
}

void slot_point(struct slot *s, struct tree *tree, uint64_t key, uint64_t *version)
{
    assert(s->v.lock == SQLITE_LOCK_NONE);
    if (s->v.key != key) /* else it was read a moment ago */
        tree_soon(tree);
    s->v.tree = tree;
    s->v.key = key;
    s->v.version = version;
    s->v.turn++;
    s->v.sum = 0;
    s->v.replaced = 0;
    slot_want_back(s, false);
    s->v.cookie = get4(tree_page(tree, 0) + HEADER_COOKIE);
}

const struct tree *slot_tree(const struct slot *s)
{
    return s->v.tree;
}

static void row_changed(void *arg, int what, const char *db, const char *table, sqlite3_int64 rowid)
{
    const struct slot *s = arg;
    s->on_row(s->on_row_arg, table, rowid);
}

void slot_on_rows(struct slot *s, void (*fn)(void *arg, const char *table, int64_t rowid),
                  void *arg)
{
    s->on_row = fn;
    s->on_row_arg = arg;
    sqlite3_update_hook(s->db, row_changed, s);
}

sqlite3 *slot_db(struct slot *s)
{
    return s->db;
}

void slot_use_records(struct slot *s, bool on)
{
    s->no_records = !on;
}

void slot_want_sum(struct slot *s, bool on)
{
    s->v.summing = on;
}

uint64_t slot_sum(const struct slot *s)
{
    return s->v.sum;
}

uint64_t slot_replaced(const struct slot *s)
{
    return s->v.replaced;
}

void slot_want_back(struct slot *s, bool on)
{
    delta_unref(s->v.back);
    s->v.back = NULL;
    s->v.rewinding = on;
}

struct delta *slot_back(struct slot *s)
{
    struct delta *d = s->v.back;
    s->v.back = NULL;
    return d;
}

void slot_set_time(struct slot *s, int64_t now_us)
{
    s->v.now_us = now_us;
}

int slot_fail(struct slot *s, struct sosia_err *err)
{
    int rc = s->db ? sqlite3_errcode(s->db) : SQLITE_NOMEM;
    const char *text = s->db ? sqlite3_errmsg(s->db) : "";
    /* OK: SQLite has nothing to say, so it was our own allocation. */
    if (rc == SQLITE_IOERR_NOMEM || rc == SQLITE_OK)
        return sosia_fail_memory(err);
    switch (rc & 0xff) {
    case SQLITE_NOMEM:
        return sosia_fail_memory(err);
    case SQLITE_INTERRUPT:
        return stop_fail(err);
    case SQLITE_FULL:
        return sosia_fail(err, SOSIA_E_FULL, NULL, NULL, "the world's storage is full");
    case SQLITE_CONSTRAINT:
        return sosia_fail(err, SOSIA_E_CONFLICT, NULL, NULL, "%s", text);
    case SQLITE_TOOBIG:
        return sosia_fail(err, SOSIA_E_TOO_LARGE, NULL, NULL, "%s", text);
    default:
        return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "%s (%d)", text, rc);
    }
}

/* ---- statements ---- */

static int run_hot(struct slot *s, int which, struct sosia_err *err)
{
    sqlite3_stmt *st = s->hot[which];
    s->turning = true;
    sqlite3_step(st);
    s->turning = false;
    return sqlite3_reset(st) == SQLITE_OK ? 0 : slot_fail(s, err);
}

/* SQLite's parser uses the schema that it has, and reports "no such table" by it: it must be
 * this tree's before anything is prepared, or prepared again, which any step may do. SQLite's
 * own comparison of cookies isn't enough: a connection that has changed a schema expects another
 * cookie than the one that we gave it. This pragma drops the schema as it is parsed; the next
 * statement reads it anew. */
int slot_sync_schema(struct slot *s)
{
    sqlite3_stmt *st;
    if (__builtin_expect(s->v.loaded_cookie == s->v.cookie, 1))
        return 0;
    s->resetting = true;
    int rc = sqlite3_prepare_v2(s->db, "pragma writable_schema = reset", -1, &st, NULL);
    s->resetting = false;
    sqlite3_finalize(st);
    if (rc != SQLITE_OK)
        return -1;
    s->v.loaded_cookie = s->v.cookie;
    s->can_roll_back = false;
    return 0;
}

/* When SQLite reads a schema, or rolls back what it had read of one, statements are prepared anew
 * at their next use. The one that ends a transaction must not need memory then: so the schema is
 * read, and that statement prepared, before one begins. -1 without memory. */
static int prepare_rollback(struct slot *s)
{
    sqlite3_stmt *st;
    if (__builtin_expect(s->can_roll_back, 1))
        return 0;
    if (slot_sync_schema(s) < 0 ||
        sqlite3_prepare_v2(s->db, "select 1 from sqlite_schema", -1, &st, NULL) != SQLITE_OK)
        return -1;
    sqlite3_finalize(st);
    if (sqlite3_prepare_v3(s->db, hot_text[HOT_ROLLBACK], -1, SQLITE_PREPARE_PERSISTENT, &st,
                           NULL) != SQLITE_OK)
        return -1;
    sqlite3_finalize(s->hot[HOT_ROLLBACK]);
    s->hot[HOT_ROLLBACK] = st;
    s->can_roll_back = true;
    return 0;
}

uint32_t slot_text_index(_Atomic(uint32_t) *text_index)
{
    static _Atomic(uint32_t) last;
    uint32_t index = atomic_load_explicit(text_index, memory_order_relaxed);
    if (index)
        return index;
    uint32_t mine = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return atomic_compare_exchange_strong_explicit(text_index, &index, mine, memory_order_relaxed,
                                                   memory_order_relaxed)
               ? mine
               : index;
}

static sqlite3_stmt *prepare(struct slot *s, const char *text, uint32_t index)
{
    if (index >= s->n_stmts) {
        uint32_t n = index + 64;
        sqlite3_stmt **stmts = realloc(s->stmts, n * sizeof *stmts);
        if (!stmts)
            return NULL;
        memset(stmts + s->n_stmts, 0, (n - s->n_stmts) * sizeof *stmts);
        s->stmts = stmts;
        s->n_stmts = n;
    }
    if (sqlite3_prepare_v3(s->db, text, -1, SQLITE_PREPARE_PERSISTENT, &s->stmts[index], NULL) !=
        SQLITE_OK)
        return NULL;
    return s->stmts[index];
}

/* SQLite's part of a transaction that reads begins with its first statement: a call that takes its
 * rows from their pages has none. */
static int begin_now(struct slot *s)
{
    if (__builtin_expect(!s->begins_late, 1))
        return 0;
    if (prepare_rollback(s) < 0)
        return -1;
    s->begins_late = false;
    return run_hot(s, HOT_BEGIN, NULL);
}

/* Without memory, or when a write fails, SQLite rolls back all of a transaction, whichever
 * statement met it. What came behind would be committed statement by statement: it fails instead.
 */
static bool is_lost(const struct slot *s)
{
    return s->writing && sqlite3_get_autocommit(s->db);
}

static inline __attribute__((always_inline)) sqlite3_stmt *
use_statement(struct slot *s, struct sql_text *q, const char *(*text)(const void *arg),
              const void *arg)
{
    if (is_lost(s) || slot_sync_schema(s) < 0 || begin_now(s) < 0)
        return NULL;
    uint32_t index = slot_text_index(&q->index);
    sqlite3_stmt *st = index < s->n_stmts ? s->stmts[index] : NULL;
    if (!st) {
        const char *made = text ? text(arg) : q->text;
        return made ? prepare(s, made, index) : NULL;
    }
    assert(!sqlite3_stmt_busy(st));
    sqlite3_clear_bindings(st);
    return st;
}

sqlite3_stmt *sql_use(struct slot *s, struct sql_text *q)
{
    return use_statement(s, q, NULL, NULL);
}

sqlite3_stmt *sql_use_made(struct slot *s, struct sql_text *q, const char *(*text)(const void *arg),
                           const void *arg)
{
    return use_statement(s, q, text, arg);
}

void sql_bind_int(sqlite3_stmt *st, int at, int64_t v)
{
    sqlite3_bind_int64(st, at, v);
}

void sql_bind_text(sqlite3_stmt *st, int at, const char *text)
{
    sqlite3_bind_text(st, at, text, -1, SQLITE_STATIC);
}

void sql_bind_textn(sqlite3_stmt *st, int at, const char *text, size_t n)
{
    sqlite3_bind_text64(st, at, text, n, SQLITE_STATIC, SQLITE_UTF8);
}

int sql_step(struct slot *s, sqlite3_stmt *st, struct sosia_err *err)
{
    if (!st)
        return slot_fail(s, err);
    if (is_lost(s)) {
        slot_fail(s, err);
        sqlite3_reset(st);
        return -1;
    }
    int rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        return 1;
    rc = sqlite3_reset(st);
    return rc == SQLITE_OK ? 0 : slot_fail(s, err);
}

int sql_run(struct slot *s, sqlite3_stmt *st, struct sosia_err *err)
{
    int r;
    do
        r = sql_step(s, st, err);
    while (r > 0);
    return r;
}

void sql_done(sqlite3_stmt *st)
{
    sqlite3_reset(st);
}

int sql_exec(struct slot *s, const char *text, struct sosia_err *err)
{
    if (is_lost(s) || slot_sync_schema(s) < 0 || begin_now(s) < 0 ||
        sqlite3_exec(s->db, text, NULL, NULL, NULL) != SQLITE_OK)
        return slot_fail(s, err);
    return 0;
}

/* ---- transactions ---- */

int slot_begin(struct slot *s, bool write, struct sosia_err *err)
{
    s->begins_late = !write;
    if (!write)
        return 0;
    int rc = slot_sync_schema(s) < 0 || prepare_rollback(s) < 0 ? slot_fail(s, err)
                                                                : run_hot(s, HOT_BEGIN_WRITE, err);
    s->writing = rc == 0;
    return rc;
}

int slot_commit(struct slot *s, struct sosia_err *err)
{
    if (s->begins_late) {
        s->begins_late = false;
        return 0;
    }
    int rc = is_lost(s) ? slot_fail(s, err) : run_hot(s, HOT_COMMIT, err);
    s->writing = s->writing && rc < 0;
    return rc;
}

void slot_rollback(struct slot *s)
{
    bool begun = !s->begins_late;
    s->begins_late = s->writing = false;
    /* Some errors have rolled back already. */
    if (!sqlite3_get_autocommit(s->db))
        run_hot(s, HOT_ROLLBACK, NULL);
    else if (begun)
        s->can_roll_back = false;
}

void slot_leave(struct slot *s)
{
    if (s->v.lock != SQLITE_LOCK_NONE) {
        /* A write that failed inside of a virtual table's own statement rolls everything back but
         * may leave the outer statement's read lock behind. */
        run_hot(s, HOT_BEGIN, NULL);
        slot_rollback(s);
    }
    assert(s->v.lock == SQLITE_LOCK_NONE && "a transaction or a statement is open");
    if (s->on_row) {
        s->on_row = NULL;
        sqlite3_update_hook(s->db, NULL, NULL);
    }
    s->v.tree = NULL;
    s->v.version = NULL;
    if (s->refresh)
        s->v.loaded_cookie = 0;
    s->refresh = false;
}

void slot_refresh(struct slot *s)
{
    s->refresh = true;
}

int slot_savepoint(struct slot *s, struct sosia_err *err)
{
    return is_lost(s) || begin_now(s) < 0 ? slot_fail(s, err) : run_hot(s, HOT_SAVEPOINT, err);
}

int slot_release(struct slot *s, struct sosia_err *err)
{
    return run_hot(s, HOT_RELEASE, err);
}

int slot_rollback_to(struct slot *s, struct sosia_err *err)
{
    if (run_hot(s, HOT_BACK, err) < 0)
        return -1;
    return run_hot(s, HOT_RELEASE, err);
}
