/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the durable store: the directory, the lock, the database and its format. */
#include "engine/base/codec.h"
#include "engine/durable/durable_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char durable_sql[];

static int fail_errno(const char *what, const char *path, struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_IO, "dataDirectory", NULL, "%s: %.120s: %s", what, path,
                      strerror(errno));
}

/* ---- files ---- */

/* The name of a directory that was just made, in the one that it is in. Where that can't be read
 * it is left to the system. */
static int sync_parent(struct durable *d)
{
    int fd = openat(d->dir_fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    int rc = fsync(fd);
    close(fd);
    return rc;
}

/* The secret of tokens is in here: only the owner may read it. */
static int make_files(struct durable *d, const char *dir, struct sosia_err *err)
{
    struct stat s;
    bool made = !d->check && mkdir(dir, 0700) == 0;
    if (!d->check && !made && errno != EEXIST)
        return fail_errno("the data directory can't be made", dir, err);
    d->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (d->dir_fd < 0)
        return fail_errno("the data directory can't be opened", dir, err);
    if (made && sync_parent(d) < 0)
        return fail_errno("the data directory can't be made", dir, err);
    d->lock_fd = openat(d->dir_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (d->lock_fd < 0)
        return fail_errno("the data directory can't be written", dir, err);
    if (flock(d->lock_fd, LOCK_EX | LOCK_NB) < 0)
        return sosia_fail(err, SOSIA_E_CONFLICT, "dataDirectoryInUse", NULL,
                          "the data directory is in use by another process: %.120s", dir);
    int fd = openat(d->dir_fd, "sosia.db",
                    O_RDWR | (d->check ? 0 : O_CREAT) | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return d->check && errno == ENOENT
                   ? sosia_fail(err, SOSIA_E_NOT_FOUND, "dataDirectory", NULL,
                                "there is no sosia.db in the directory: %.120s", dir)
                   : fail_errno("the data directory can't be written", dir, err);
    int rc = fstat(fd, &s);
    if (rc == 0 && s.st_mode & 077)
        rc = fchmod(fd, 0600);
    close(fd);
    if (rc < 0 || fsync(d->dir_fd) < 0)
        return fail_errno("the data directory can't be written", dir, err);
    return 0;
}

static int log_grew(void *arg, sqlite3 *db, const char *name, int pages)
{
    struct durable *d = arg;
    d->wal_pages = pages;
    log_committed(d, pages);
    return SQLITE_OK;
}

static bool in_wal_mode(struct durable *d)
{
    sqlite3_stmt *st = NULL;
    bool wal = sqlite3_prepare_v2(d->db, "pragma journal_mode", -1, &st, NULL) == SQLITE_OK &&
               sqlite3_step(st) == SQLITE_ROW &&
               sqlite3_stricmp((const char *)sqlite3_column_text(st, 0), "wal") == 0;
    sqlite3_finalize(st);
    return wal;
}

/* Gives a SQLite result. */
static int is_empty(struct durable *d, bool *ret)
{
    sqlite3_stmt *st = NULL;
    int rc =
        sqlite3_prepare_v2(d->db, "select not exists (select 1 from sqlite_schema)", -1, &st, NULL);
    if (rc == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
        *ret = sqlite3_column_int(st, 0) != 0;
    else if (rc == SQLITE_OK)
        rc = sqlite3_errcode(d->db);
    sqlite3_finalize(st);
    return rc;
}

static int open_db(struct durable *d, const char *dir, struct sosia_err *err)
{
    /* These would write into an old file too, which has to open on a full disk. A small change
     * touches a dozen rows: in small pages it brings little beside them into the log. */
    static const char new_file[] = "pragma page_size = 2048; pragma auto_vacuum = incremental";
    static const char pragmas[] = "pragma journal_mode = wal; pragma synchronous = full;"
                                  "pragma temp_store = memory; pragma cache_size = -8000;"
                                  "pragma journal_size_limit = 67108864";
    char *path = sqlite3_mprintf("%s/sosia.db", dir), what[200];
    snprintf(what, sizeof what, "the data directory can't be opened: %.120s", dir);
    int rc = path ? sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                                    DURABLE_VFS)
                  : SQLITE_NOMEM;
    sqlite3_free(path);
    if (rc != SQLITE_OK)
        return db_fail(d, what, err);
    sqlite3_extended_result_codes(d->db, 1);
    sqlite3_db_config(d->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(d->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    /* A check changes nothing. */
    if (d->check)
        sqlite3_db_config(d->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    bool empty;
    if (rows_functions(d->db) != SQLITE_OK ||
        sqlite3_busy_timeout(d->db, READER_WAIT_MS) != SQLITE_OK ||
        is_empty(d, &empty) != SQLITE_OK)
        return db_fail(d, what, err);
    if (empty && d->check)
        return sosia_fail(err, SOSIA_E_INVALID, "dataDirectory", NULL,
                          "sosia.db in the data directory is empty");
    if ((empty && sqlite3_exec(d->db, new_file, NULL, NULL, NULL) != SQLITE_OK) ||
        sqlite3_exec(d->db, pragmas, NULL, NULL, NULL) != SQLITE_OK)
        return db_fail(d, what, err);
    if (!in_wal_mode(d))
        return sosia_fail(err, SOSIA_E_IO, "dataDirectory", NULL,
                          "the data directory's file system can't keep a write-ahead log: %.120s",
                          dir);
    int64_t page_size = rows_ask(d, "pragma page_size");
    d->page_size = page_size > 0 ? (int)page_size : STORE_PAGE_SIZE;
    struct stat file;
    if (fstatat(d->dir_fd, "sosia.db", &file, 0) < 0)
        return sosia_fail(err, SOSIA_E_IO, "dataDirectory", NULL, "%s: %s", what, strerror(errno));
    d->file[0] = file.st_dev;
    d->file[1] = file.st_ino;
    sqlite3_wal_hook(d->db, log_grew, d); /* and no checkpoint while a caller waits for a commit */
    return 0;
}

/* ---- the format ---- */

/* Finds a row of the table meta, which is then the statement's current row. 1: it is there; 0:
 * it is not. */
static int meta_find(struct durable *d, const char *key, sqlite3_stmt **ret, struct sosia_err *err)
{
    char what[80];
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(d->db,
                                d->has_sums ? "select value, sum = " ROW_SUM(
                                                  "meta", META_COLUMNS) " from meta where key = ?"
                                            : "select value, 1 from meta where key = ?",
                                -1, &st, NULL);
    *ret = st;
    if (rc == SQLITE_OK) {
        sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
        rc = sqlite3_step(st);
    }
    if (rc != SQLITE_ROW && rc != SQLITE_DONE)
        return db_fail(d, "the data directory can't be read", err);
    if (rc == SQLITE_DONE || sqlite3_column_int(st, 1) == 1)
        return rc == SQLITE_ROW;
    snprintf(what, sizeof what, "\"%s\" is not what was written", key);
    return rows_damaged(d, "meta", 0, what, err) < 0 ? -1 : 1;
}

/* 1: a number; 0: no such key. */
static int meta_get(struct durable *d, const char *key, int64_t *ret, struct sosia_err *err)
{
    sqlite3_stmt *st;
    int r = meta_find(d, key, &st, err);
    if (r > 0)
        *ret = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return r;
}

/* From nothing to the present format. */
static int create(struct durable *d, struct sosia_err *err)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_exec(d->db, durable_sql, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(d->db,
                                "insert into meta (key, value, sum) values ('secret', ?1, " ROW_SUM(
                                    "meta", "'secret', ?1") ")",
                                -1, &st, NULL);
    if (rc == SQLITE_OK) {
        sqlite3_bind_blob(st, 1, d->engine->secret, sizeof d->engine->secret, SQLITE_STATIC);
        rc = sqlite3_step(st);
    }
    sqlite3_finalize(st);
    return rc == SQLITE_DONE ? 0 : db_fail(d, "the data directory can't be made", err);
}

/* From format 1: each row gets its hash. What was damaged before can't be known. */
static int add_sums(struct durable *d, struct sosia_err *err)
{
#define ADD_SUM(kind, columns)                                                                     \
    "alter table " kind " add column sum integer not null default 0; update " kind                 \
    " set sum = " ROW_SUM(kind, columns) ";"
    static const char text[] = ADD_SUM("meta", META_COLUMNS) ADD_SUM("base", BASE_COLUMNS)
        ADD_SUM("base_part", BASE_PART_COLUMNS) ADD_SUM("page", PAGE_COLUMNS)
            ADD_SUM("node", NODE_COLUMNS) ADD_SUM("world", WORLD_COLUMNS_3)
                ADD_SUM("journal", JOURNAL_COLUMNS);
    return sqlite3_exec(d->db, text, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : db_fail(d, "the data directory can't be brought to this version's format", err);
}

/* From format 2: journals may have a past, which older versions would not find; from format 4:
 * pages may lack what is free in them; from format 6: some worlds may have other tables than
 * others, which older versions would take for damage. */
static int allow_more(struct durable *d, struct sosia_err *err)
{
    (void)d;
    (void)err;
    return 0;
}

/* From format 3: each world gets a secret, as a new one does. */
static int add_secrets(struct durable *d, struct sosia_err *err)
{
    static const char failed[] = "the data directory can't be brought to this version's format";
    const struct sosia_engine *e = d->engine;
    char hex[2 * sizeof e->shared.key + 1];
    hex_encode(hex, e->shared.key, sizeof e->shared.key);
    char *text = sqlite3_mprintf(
        "alter table world add column secret blob not null default x'';"
        "alter table world add column secret_of integer not null default 0;"
        "update world set secret = iif(%d, randomblob(%d), x'%s'), secret_of = iif(%d, id, 0);"
        "update world set sum = " ROW_SUM("world", WORLD_COLUMNS_4),
        e->options.random_secrets, (int)sizeof e->shared.key, hex, e->options.random_secrets);
    int rc = text ? sqlite3_exec(d->db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc == SQLITE_OK ? 0 : db_fail(d, failed, err);
}

/* From format 5: a world's entries are found by its place, and its row says what else is asked of
 * one that is parked. A row that is damaged has a hash that is not its own afterwards too. */
static int order_journals(struct durable *d, struct sosia_err *err)
{
#define PLACE(world) "((" world " & 16777215) << 39)"
    _Static_assert(WORLD_INDEX_BITS == 24 && JOURNAL_BITS == 39, "PLACE()");
    static const char
        text
            [] =
                "create table new_journal (id integer primary key, world integer not null, "
                "entries blob not null, sum integer not null default 0) strict;"
                "insert into new_journal select " PLACE("world") " | id, world, entries, " ROW_SUM("journal", PLACE("world") " | id, world, entries") " + (sum <> " ROW_SUM(
                    "journal",
                    JOURNAL_COLUMNS) ") from journal order by 1;"
                                     "drop table journal; alter table new_journal "
                                     "rename to journal;"
                                     "alter table world add column beside integer not "
                                     "null default 0;"
                                     "alter table world add column pending integer not "
                                     "null default 1;"
                                     "update world set sum = sum <> " ROW_SUM(
                                         "world",
                                         WORLD_COLUMNS_4) ";"
                                                          "update world set beside = "
                                                          "(select "
                                                          "coalesce(sum(length(entries))"
                                                          ", 0) from journal where "
                                                          "journal.id >= " PLACE(
                                                              "world."
                                                              "id") " and journal.id "
                                                                    "< " PLACE(
                                                                        "world."
                                                                        "id") " +"
                                                                              " ("
                                                                              "1 "
                                                                              "<<"
                                                                              " "
                                                                              "39"
                                                                              "))"
                                                                              ";"
                                                                              "up"
                                                                              "da"
                                                                              "te"
                                                                              " w"
                                                                              "or"
                                                                              "ld"
                                                                              " "
                                                                              "se"
                                                                              "t "
                                                                              "su"
                                                                              "m "
                                                                              "= "
                                                                              "su"
                                                                              "m "
                                                                              "+"
                                                                              " " ROW_SUM(
                                                                                  "world",
                                                                                  WORLD_COLUMNS_6);
    return sqlite3_exec(d->db, text, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : db_fail(d, "the data directory can't be brought to this version's format", err);
}

/* From format 7: what callers keep with worlds. A row that is damaged stays so. */
static int add_notes(struct durable *d, struct sosia_err *err)
{
    static const char text[] = "alter table world add column note text;"
                               "update world set sum = (sum <> " ROW_SUM(
                                   "world", WORLD_COLUMNS_6) ") + " ROW_SUM("world", WORLD_COLUMNS);
    return sqlite3_exec(d->db, text, NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : db_fail(d, "the data directory can't be brought to this version's format", err);
}

/* upgrades[n] makes format n + 1 out of format n, in a transaction; a new directory begins with the
 * last. */
static int (*const upgrades[DURABLE_FORMAT])(struct durable *d, struct sosia_err *err) = {
    [1] = add_sums,       [2] = allow_more, [3] = add_secrets, [4] = allow_more,
    [5] = order_journals, [6] = allow_more, [7] = add_notes};

/* 0: there is nothing yet. */
static int find_format(struct durable *d, int64_t *ret, struct sosia_err *err)
{
    sqlite3_stmt *st = NULL;
    int n = 0, ours = 0;
    int rc = sqlite3_prepare_v2(
        d->db,
        "select count(*), count(*) filter (where name = 'meta'), exists (select 1 from "
        "pragma_table_info('meta') where name = 'sum') from sqlite_schema",
        -1, &st, NULL);
    if (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        n = sqlite3_column_int(st, 0);
        ours = sqlite3_column_int(st, 1);
        d->has_sums = sqlite3_column_int(st, 2) != 0;
    }
    sqlite3_finalize(st);
    if (rc != SQLITE_ROW)
        return db_fail(d, "the data directory can't be read", err);
    if (!n) {
        *ret = 0;
        return 0;
    }
    int found = ours ? meta_get(d, "format", ret, err) : 0;
    if (found < 0)
        return -1;
    if (!found || *ret < 1)
        return sosia_fail(err, SOSIA_E_INVALID, "dataDirectory", NULL,
                          "sosia.db in the data directory is not a store of worlds");
    if (d->has_sums != (*ret > 1))
        return rows_damaged(d, "meta", 0, "\"format\" is not what was written", err);
    return 0;
}

static int set_format(struct durable *d, int64_t format, struct sosia_err *err)
{
    char *text = sqlite3_mprintf("insert or replace into meta (key, value, sum) values "
                                 "('format', %lld, row_sum('meta', 'format', %lld)); commit",
                                 (long long)format, (long long)format);
    int rc = text ? sqlite3_exec(d->db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc == SQLITE_OK
               ? 0
               : db_fail(d, "the data directory can't be brought to this version's format", err);
}

static int upgrade(struct durable *d, struct sosia_err *err)
{
    int64_t format;
    if (find_format(d, &format, err) < 0)
        return -1;
    if (format > DURABLE_FORMAT)
        return sosia_fail(
            err, SOSIA_E_INVALID, "dataDirectoryTooNew", NULL,
            "the data directory was written by a newer version: its format is %lld, this "
            "version knows up to %d",
            (long long)format, DURABLE_FORMAT);
    d->has_secrets = !d->check || format > 3;
    d->has_beside = !d->check || format > 5;
    d->has_notes = !d->check || format > 7;
    if (d->check) {
        d->check->format = format;
        return 0;
    }
    while (format < DURABLE_FORMAT) {
        if (sqlite3_exec(d->db, "begin immediate", NULL, NULL, NULL) != SQLITE_OK)
            return db_fail(d,
                           format ? "the data directory can't be brought to this version's format"
                                  : "the data directory can't be made",
                           err);
        if ((format ? upgrades[format] : create)(d, err) < 0)
            return -1;
        format = format ? format + 1 : DURABLE_FORMAT;
        if (set_format(d, format, err) < 0)
            return -1;
    }
    d->has_sums = true;
    return 0;
}

static int read_secret(struct durable *d, struct sosia_err *err)
{
    sqlite3_stmt *st;
    uint8_t *secret = d->engine->secret;
    int r = meta_find(d, "secret", &st, err);
    if (r > 0 && sqlite3_column_bytes(st, 0) == sizeof d->engine->secret)
        memcpy(secret, sqlite3_column_blob(st, 0), sizeof d->engine->secret);
    else if (r >= 0)
        r = rows_damaged(d, "meta", 0, "has no secret", err);
    sqlite3_finalize(st);
    return r < 0 ? -1 : 0;
}

static int read_cookie(struct durable *d, struct sosia_err *err)
{
    int64_t cookie = 0;
    if (meta_get(d, "cookie", &cookie, err) < 0)
        return -1;
    d->cookie = (uint32_t)cookie;
    atomic_store(&d->store->next_cookie, d->cookie);
    return 0;
}

/* ---- the tables of worlds ---- */

/* The same of tables that worlds are being upgraded to. */
static int read_next(struct durable *d, struct sosia_err *err)
{
    sqlite3_stmt *st;
    int64_t cookie = 0;
    int r = meta_find(d, "tables_next", &st, err);
    if (r > 0)
        snprintf(d->tables_next, sizeof d->tables_next, "%s",
                 (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    if (r <= 0 || !*d->tables_next)
        return r;
    r = meta_get(d, "tables_next_cookie", &cookie, err);
    if (r < 0)
        return -1;
    if (!r || cookie <= 0 || cookie > UINT32_MAX)
        return rows_damaged(d, "meta", 0, "\"tables_next_cookie\" is not what was written", err);
    return cookie_set(d->store, d->tables_next, (uint32_t)cookie, err);
}

/* What they are called by, and their cookie; of a directory in which it is not said *ret_key is
 * empty. */
static int read_tables(struct durable *d, char ret_key[COOKIE_KEY], struct sosia_err *err)
{
    sqlite3_stmt *st;
    int64_t cookie = 0;
    *ret_key = 0;
    int r = meta_find(d, "tables", &st, err);
    if (r > 0)
        snprintf(ret_key, COOKIE_KEY, "%s", (const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    if (r <= 0)
        return r;
    r = meta_get(d, "tables_cookie", &cookie, err);
    if (r < 0)
        return -1;
    if (!r || cookie <= 0 || cookie > UINT32_MAX)
        return rows_damaged(d, "meta", 0, "\"tables_cookie\" is not what was written", err);
    d->tables_cookie = (uint32_t)cookie;
    return cookie_set(d->store, ret_key, (uint32_t)cookie, err) < 0 ? -1 : read_next(d, err);
}

/* ---- all of it ---- */

static void on_free(void *arg, uint64_t id, int level)
{
    struct durable *d = arg;
    lock_take(&d->freed_lock);
    (void)ids_add(level < 0 ? &d->freed_pages : &d->freed_nodes, id);
    lock_drop(&d->freed_lock);
}

static void on_base_free(void *arg, uint64_t id)
{
    struct durable *d = arg;
    lock_take(&d->freed_lock);
    (void)ids_add(&d->freed_bases, id);
    lock_drop(&d->freed_lock);
}

int durable_open(struct sosia_engine *e, const char *dir, struct durable **ret_durable,
                 struct sosia_err *err)
{
    struct durable *d = calloc(1, sizeof *d);
    if (!d)
        return sosia_fail_memory(err);
    d->engine = e;
    d->check = e->check;
    d->store = e->store;
    d->dir_fd = d->lock_fd = d->log_fd = d->mark_fd = -1;
    d->end = &d->first;
    d->aheads_end = &d->aheads;
    pthread_mutex_init(&d->mutex, NULL);
    pthread_mutex_init(&d->held_lock, NULL);
    pthread_cond_init(&d->work, NULL);
    pthread_cond_init(&d->changed, NULL);
    d->store->on_free_arg = d;
    d->store->on_free = on_free;
    d->store->on_base_free = on_base_free;
    d->cap_failed = 16;
    d->failed = calloc(d->cap_failed, sizeof *d->failed);
    if (!d->failed) {
        sosia_fail_memory(err);
    } else if (make_files(d, dir, err) == 0 && log_check(d, err) == 0 &&
               open_db(d, dir, err) == 0 && upgrade(d, err) == 0 && read_secret(d, err) == 0 &&
               read_cookie(d, err) == 0 && (d->check || rows_prepare(d, err) == 0) &&
               read_tables(d, d->tables, err) >= 0 && load_all(d, err) == 0 &&
               (d->check || *d->tables || tables_find(d, d->tables, err) == 0)) {
        *ret_durable = d;
        return 0;
    }
    durable_close(d);
    return -1;
}
