/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A world of an exported file. The file is hostile input: it is copied into memory, so that it
 * can't change meanwhile, its schema must be ours or that of an earlier release to the letter, and
 * it must be sound; then its rows go, one by one and with all constraints, into an empty world of
 * that version, which is upgraded (engine/world/upgrade.h). None of its pages ever
 * becomes a world's page, and none of its SQL is ever run.
 */
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/base/stop.h"
#include "engine/base/utf8.h"
#include "engine/blob/blob.h"
#include "engine/state/import_impl.h"
#include "engine/store/schema.h"
#include "engine/store/slot.h"
#include "engine/world/upgrade.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE   (INT64_C(16) << 30)
#define MAX_DUMP   ((size_t)1 << 30) /* as the dump's buffer */
#define STEP_EVERY 1000 /* operations of SQLite between two looks at the time they take */
/* Reading, checking and copying a sound file takes far less than this: a step for 2400 bytes. */
#define MAX_STEPS(len) (5000 + (int64_t)(len) / 50)

int import_refuse(struct sosia_err *err, const char *what)
{
    return sosia_fail(err, SOSIA_E_INVALID, "notAnExport", NULL, "the file can't be imported: %s",
                      what);
}

/* The same with foreign bytes in it. */
static int refuse_found(struct sosia_err *err, char *text)
{
    for (char *p = text; *p; p++)
        if (*p < ' ' || *p == 0x7f || *p & 0x80)
            *p = '?';
    return import_refuse(err, text);
}

int import_fail(sqlite3 *db, struct sosia_err *err)
{
    int rc = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    if ((rc & 0xff) == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM || rc == SQLITE_OK)
        return sosia_fail_memory(err);
    if (rc == SQLITE_INTERRUPT && stop_wanted())
        return stop_fail(err);
    if (rc == SQLITE_INTERRUPT)
        return import_refuse(err, "it takes too long to read");
    return import_refuse(err, sqlite3_errmsg(db));
}

/* ---- the source ---- */

static uint32_t get4(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The header, as the file format has it. */
static const char *header_fault(const uint8_t *h, size_t len)
{
    if (len < 512 || memcmp(h, "SQLite format 3", 16) != 0)
        return "it is not an SQLite database";
    size_t page = (size_t)h[16] << 8 | h[17];
    if (page == 1)
        page = 65536;
    if (page < 512 || page & (page - 1) || len % page || len < page)
        return "it is not whole";
    if (h[18] < 1 || h[18] > 2 || h[19] < 1 || h[19] > 2 || h[20])
        return "its format is unknown";
    if (get4(h + 56) > 1)
        return "its text is not UTF-8";
    if (get4(h + 24) == get4(h + 92) && get4(h + 28) != len / page)
        return "its size is not what its header says";
    return NULL;
}

static int count_steps(void *arg)
{
    return --*(int64_t *)arg < 0 || stop_wanted();
}

static void set_limits(sqlite3 *db)
{
    static const struct {
        int id, value;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, 256 * 1024 * 1024},
        {SQLITE_LIMIT_SQL_LENGTH, 1024 * 1024},
        {SQLITE_LIMIT_COLUMN, 200},
        {SQLITE_LIMIT_EXPR_DEPTH, 200},
        {SQLITE_LIMIT_COMPOUND_SELECT, 10},
        {SQLITE_LIMIT_ATTACHED, 1},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < SOSIA_LEN(limits); i++)
        sqlite3_limit(db, limits[i].id, limits[i].value);
}

/* Takes the image. */
static int put_main(sqlite3 *db, uint8_t *image, sqlite3_int64 len)
{
    sqlite3_int64 most = INT64_MAX;
    int rc = sqlite3_deserialize(db, "main", image, len, len,
                                 SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    return rc == SQLITE_OK ? sqlite3_file_control(db, "main", SQLITE_FCNTL_SIZE_LIMIT, &most) : rc;
}

/* A connection with an empty world as "main" and the file's image as "src". Owns the image. */
static int open_both(const struct tree *empty_world, uint8_t *image, size_t len, int64_t *steps,
                     sqlite3 **ret_db, struct sosia_err *err)
{
    sqlite3 *db = NULL;
    sqlite3_int64 size = (sqlite3_int64)empty_world->n_pages * STORE_PAGE_SIZE;
    int rc = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    *ret_db = db;
    uint8_t *empty = rc == SQLITE_OK ? sqlite3_malloc64((sqlite3_uint64)size) : NULL;
    if (!empty || sqlite3_exec(db, "attach ':memory:' as src", NULL, NULL, NULL) != SQLITE_OK) {
        sqlite3_free(empty);
        sqlite3_free(image);
        return import_fail(db, err);
    }
    tree_copy(empty_world, empty);
    rc = put_main(db, empty, size);
    image[18] = image[19] = 1; /* a log beside the file would have been refused: it is all here */
    int src = sqlite3_deserialize(db, "src", image, (sqlite3_int64)len, (sqlite3_int64)len,
                                  SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite_trust(db);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    set_limits(db);
    sqlite3_progress_handler(db, STEP_EVERY, count_steps, steps);
    if (rc != SQLITE_OK || src != SQLITE_OK ||
        sqlite3_exec(db, "pragma cell_size_check = on; begin", NULL, NULL, NULL) != SQLITE_OK)
        return import_fail(db, err);
    return 0;
}

/* ---- checks ---- */

/* Runs a query that gives a row with a text, which is not "ok", if something is wrong. */
static int check(sqlite3 *db, const char *query, const char *what, struct sosia_err *err)
{
    sqlite3_stmt *st = NULL;
    const char *found = NULL;
    char text[160];
    int rc = sqlite3_prepare_v2(db, query, -1, &st, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        found = (const char *)sqlite3_column_text(st, 0);
    if (found && strcmp(found, "ok") == 0)
        rc = SQLITE_DONE;
    else if (rc == SQLITE_ROW)
        snprintf(text, sizeof text, "%s%.80s", what, found ? found : "");
    sqlite3_finalize(st);
    if (rc != SQLITE_ROW)
        return rc == SQLITE_DONE ? 0 : import_fail(db, err);
    return refuse_found(err, text);
}

/* The version of the schema, where the table that has it is ours: nothing of another one is run. */
static int check_format(sqlite3 *db, struct sosia_err *err)
{
    static const char meta[] =
        "select 'ok' from src.sqlite_schema s join main.sqlite_schema m using (type, name, sql) "
        "where s.type = 'table' and s.name = 'meta'";
    static const char format[] =
        "select f || ', this version reads ' || (select value from main.meta where key = 'format') "
        "from (select coalesce((select value from src.meta where key = 'format'), 'nothing') as f) "
        "where f <> (select value from main.meta where key = 'format')";
    sqlite3_stmt *st = NULL;
    bool ours =
        sqlite3_prepare_v2(db, meta, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW;
    sqlite3_finalize(st);
    return ours ? check(db, format, "its format is ", err) : 0;
}

/* A file of an earlier release: "main" is an empty world of that release from here on. *ret_from:
 * NULL: it is of this version, or of none that is known. */
static int take_release(struct sosia_engine *e, sqlite3 *db, const char **ret_from,
                        struct sosia_err *err)
{
    static const char format[] =
        "select value from src.meta where key = 'format' and exists (select 1 from "
        "src.sqlite_schema s join main.sqlite_schema m using (type, name, sql) where s.type = "
        "'table' and s.name = 'meta')";
    sqlite3_stmt *st = NULL;
    size_t len;
    *ret_from = NULL;
    if (sqlite3_prepare_v2(db, format, -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW && sqlite3_column_text(st, 0))
        *ret_from = release_of((const char *)sqlite3_column_text(st, 0));
    sqlite3_finalize(st);
    if (!*ret_from)
        return 0;
    uint8_t *image = release_image(e, *ret_from, &len, err);
    if (!image)
        return -1;
    if (sqlite3_exec(db, "commit", NULL, NULL, NULL) != SQLITE_OK) {
        sqlite3_free(image);
        return import_fail(db, err);
    }
    if (put_main(db, image, (sqlite3_int64)len) != SQLITE_OK ||
        sqlite3_exec(db, "begin", NULL, NULL, NULL) != SQLITE_OK)
        return import_fail(db, err);
    return 0;
}

/* Tables, indexes and triggers to the letter; the journal's table may be there as well. */
static int check_schema(sqlite3 *db, struct sosia_err *err)
{
    static const char lacks[] =
        "select name from (select type, name, tbl_name, sql from main.sqlite_schema except "
        "select type, name, tbl_name, sql from src.sqlite_schema) limit 1";
    static const char has[] =
        "select name from (select type, name, tbl_name, sql from src.sqlite_schema "
        "where not (type = 'table' and name = 'journal' and sql = '" EXPORTED_JOURNAL "') except "
        "select type, name, tbl_name, sql from main.sqlite_schema) limit 1";
    if (check_format(db, err) < 0)
        return -1;
    if (check(db, lacks, "its tables are not those of this version: it lacks ", err) < 0)
        return -1;
    return check(db, has, "its tables are not those of this version: it has ", err);
}

static int check_content(sqlite3 *db, struct sosia_err *err)
{
    return check(db, "pragma src.integrity_check(1)", "it is damaged: ", err);
}

/* ---- rows ---- */

/* Gives its argument, if it is not text that could break a reader. */
static void sound_text(sqlite3_context *ctx, int n, sqlite3_value **v)
{
    (void)n;
    if (sqlite3_value_type(v[0]) == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_value_text(v[0]);
        size_t len = (size_t)sqlite3_value_bytes(v[0]);
        if (!text) {
            sqlite3_result_error_nomem(ctx);
            return;
        }
        if (memchr(text, 0, len) || !utf8_valid(text, len)) {
            sqlite3_result_error(ctx, "a text in it is not UTF-8", -1);
            return;
        }
    }
    sqlite3_result_value(ctx, v[0]);
}

/* Gives the lists of columns, as they are in "insert into t (to) select from". The rowid of a
 * table that has no other name for it is included. */
static int columns(sqlite3 *db, const char *table, bool rowid, sqlite3_str *to, sqlite3_str *from)
{
    sqlite3_stmt *st = NULL;
    int n = 0, keys = 0, rc;
    bool alias = false;
    rc = sqlite3_prepare_v2(db,
                            "select name, type, pk from pragma_table_xinfo(?, 'main') "
                            "where hidden = 0",
                            -1, &st, NULL);
    if (rc == SQLITE_OK)
        sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
    while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        sqlite3_str_appendf(to, "%s\"%w\"", n ? ", " : "", name);
        sqlite3_str_appendf(from, "%ssound_text(\"%w\")", n++ ? ", " : "", name);
        if (sqlite3_column_int(st, 2)) {
            keys++;
            alias = sqlite3_stricmp((const char *)sqlite3_column_text(st, 1), "integer") == 0;
        }
        rc = SQLITE_OK;
    }
    sqlite3_finalize(st);
    if (rowid && !(keys == 1 && alias)) {
        sqlite3_str_appendf(to, ", rowid");
        sqlite3_str_appendf(from, ", rowid");
    }
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int copy_rows(sqlite3 *db, const char *table, bool rowid)
{
    sqlite3_str *to = sqlite3_str_new(db), *from = sqlite3_str_new(db);
    int rc = columns(db, table, rowid, to, from);
    char *a = sqlite3_str_finish(to), *b = sqlite3_str_finish(from), *text = NULL;
    if (rc == SQLITE_OK && a && b)
        text = sqlite3_mprintf("delete from main.\"%w\";"
                               "insert into main.\"%w\" (%s) select %s from src.\"%w\"",
                               table, table, a, b, table);
    if (rc == SQLITE_OK)
        rc = text ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(a);
    sqlite3_free(b);
    sqlite3_free(text);
    return rc;
}

/* Most tables of most worlds are empty, and statements for each of them would be most of the work.
 */
static int copy_table(sqlite3 *db, const char *table, bool rowid)
{
    bool from, to;
    int rc = schema_has_rows(db, "src", table, &from);
    if (rc == SQLITE_OK)
        rc = schema_has_rows(db, "main", table, &to);
    return rc != SQLITE_OK || (!from && !to) ? rc : copy_rows(db, table, rowid);
}

static int rebuild(sqlite3 *db, const char *table)
{
    char *text =
        sqlite3_mprintf("insert into main.\"%w\" (\"%w\") values ('rebuild')", table, table);
    int rc = text ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return rc;
}

int import_rows(sqlite3 *db, struct sosia_err *err)
{
    /* A full-text table that keeps its texts itself has them in its table "_content"; what else it
     * keeps is built anew, when the tables that it may take its texts from are full; one without
     * content is its core's to fill. */
    static const char tables[] =
        "select name, type = 'virtual', wr from pragma_table_list "
        "where schema = 'main' and (type in ('table', 'virtual') or "
        "(type = 'shadow' and name like '%\\_content' escape '\\')) and name not like 'sqlite\\_%' "
        "escape '\\' and name not in (select name from main.sqlite_schema where sql like "
        "'%content = ''''%') order by type = 'virtual', name";
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_create_function(db, "sound_text", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
                                     sound_text, NULL, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL); /* for the tables "_content" */
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(db, tables, -1, &st, NULL);
    while (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        rc = sqlite3_column_int(st, 1) ? rebuild(db, name)
                                       : copy_table(db, name, !sqlite3_column_int(st, 2));
    }
    if (rc != SQLITE_DONE)
        import_fail(db, err);
    sqlite3_finalize(st);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (rc != SQLITE_DONE)
        return -1;
    return check(db, "select \"table\" from pragma_foreign_key_check(null, 'main')",
                 "something is missing that it refers to, in ", err);
}

/* ---- what the rows mean ---- */

/* Rows can hold what no call would have put there, and then what reads them could do anything. */
static int check_rules(struct tx *tx, const struct sosia_core *core)
{
    for (const struct core_rule *rule = core->rules; rule && rule->table; rule++) {
        sqlite3_stmt *st = NULL;
        const char *text = arena_printf(tx->arena, "select 1 from \"%s\" where %s limit 1",
                                        rule->table, rule->broken);
        if (sqlite3_prepare_v2(slot_db(tx->db), text, -1, &st, NULL) != SQLITE_OK)
            return slot_fail(tx->db, tx->err);
        int r = sqlite3_step(st);
        sqlite3_finalize(st);
        if (r == SQLITE_ROW)
            return tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                           "in %s there is a row of which is true: %s", rule->table, rule->broken);
        if (r != SQLITE_DONE)
            return slot_fail(tx->db, tx->err);
    }
    return 0;
}

/* A world must give a dump, and that must be a valid document. */
static int check_dump(struct tx *tx)
{
    static const struct json_limits limits = {.max_size = MAX_DUMP};
    struct json_writer w;
    const struct json *doc;
    struct buf out;
    size_t len;
    json_start(&w, &out);
    int rc = dump_all(tx, &w, true);
    char *text = buf_take(&out, &len);
    if (rc == 0 && (!text || arena_failed(tx->arena)))
        rc = sosia_fail_memory(tx->err);
    if (rc == 0)
        rc = json_parse(tx->arena, text, len, &limits, &doc, tx->err);
    free(text);
    return rc;
}

/* What is done with the rows of a world to be, in a stand-in for it that is not registered. */
static int with_rows(struct sosia_engine *e, struct tree *tree, const struct world_origin *o,
                     bool write, int (*run)(struct tx *tx), struct sosia_err *err)
{
    static _Atomic(uint64_t) last; /* no world's id: those have their highest bit set */
    struct world w = {.id = atomic_fetch_add(&last, 1) + 1, .seed = o->seed};
    world_secret_take(&w, &o->secret);
    struct tx tx;
    struct worker *k = worker_take(e, err);
    if (!k)
        return -1;
    tree_fork(tree, &w.now);
    int rc = tx_begin(&tx, e, &w, k, write, o->clock.at_us, err);
    if (rc == 0) {
        rc = run(&tx);
        if (rc == 0 && write)
            rc = tx_publish(&tx);
        else
            tx_rollback(&tx);
    }
    worker_drop(k);
    if (rc == 0 && write) {
        tree_done(tree);
        *tree = w.now;
        return 0;
    }
    tree_done(&w.now);
    if (rc == 0 || err->code == SOSIA_E_NO_MEMORY || err->code == SOSIA_E_INTERRUPTED)
        return rc;
    char text[sizeof err->text];
    snprintf(text, sizeof text, "%s", err->text);
    return refuse_found(err, text);
}

static int check_rows(struct tx *tx)
{
    int rc = blobs_check(tx);
    for (const struct sosia_core **c = tx->engine->cores; *c && rc == 0; c++)
        if ((rc = check_rules(tx, *c)) == 0 && (*c)->check)
            rc = (*c)->check(tx);
    return rc == 0 ? check_dump(tx) : rc;
}

/* Makes what no row holds. */
static int derive_rest(struct tx *tx)
{
    int rc = blobs_forget(tx);
    for (const struct sosia_core **c = tx->engine->cores; *c && rc == 0; c++)
        if ((*c)->derive)
            rc = (*c)->derive(tx);
    return rc == 0 ? blobs_collect(tx) : rc;
}

/* ---- all of it ---- */

static int check_size(struct sosia_engine *e, int64_t len, struct sosia_err *err)
{
    int64_t most = MAX_FILE;
    if (e->options.max_world_size && e->options.max_world_size < (uint64_t)most)
        most = (int64_t)e->options.max_world_size;
    if (len > most)
        return sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                          "the file can't be imported: it has more than %lld bytes",
                          (long long)most);
    return 0;
}

static int load_tree(struct sosia_engine *e, sqlite3 *db, struct tree *ret_tree,
                     struct sosia_err *err)
{
    sqlite3_int64 len = 0;
    if (!sqlite3_get_autocommit(db) && sqlite3_exec(db, "commit", NULL, NULL, NULL) != SQLITE_OK)
        return import_fail(db, err);
    const uint8_t *image = sqlite3_serialize(db, "main", &len, SQLITE_SERIALIZE_NOCOPY);
    if (!image)
        return import_fail(db, err);
    if (check_size(e, len, err) < 0)
        return -1;
    return tree_load_rows(e->store, &e->empty, image, (size_t)len, ret_tree, err);
}

int import_file(struct sosia_engine *e, const struct tree *empty, uint8_t *image, size_t len,
                struct world_origin *origin, const char **ret_from, sqlite3 **ret_db,
                struct sosia_err *err)
{
    int64_t steps = MAX_STEPS(len);
    const char *fault = header_fault(image, len);
    *ret_db = NULL;
    if (fault) {
        sqlite3_free(image);
        return import_refuse(err, fault);
    }
    *ret_from = NULL;
    int rc = open_both(empty, image, len, &steps, ret_db, err);
    if (rc == 0 && e)
        rc = take_release(e, *ret_db, ret_from, err);
    if (rc == 0 &&
        (check_schema(*ret_db, err) < 0 || check_content(*ret_db, err) < 0 ||
         import_rows(*ret_db, err) < 0 || import_origin(*ret_db, origin, err) < 0 ||
         (import_has_journal(*ret_db) && import_journal(*ret_db, &origin->journal, err) < 0)))
        rc = -1;
    if (*ret_db)
        sqlite3_progress_handler(*ret_db, 0, NULL, NULL);
    return rc;
}

/* The rows of an earlier release's world, as this version has them. */
static int upgrade(struct sosia_engine *e, const char *from, sqlite3 **db, struct sosia_err *err)
{
    sqlite3_int64 len;
    if (sqlite3_exec(*db, "commit", NULL, NULL, NULL) != SQLITE_OK)
        return import_fail(*db, err);
    uint8_t *image = sqlite3_serialize(*db, "main", &len, 0);
    if (!image)
        return sosia_fail_memory(err);
    sqlite3_close(*db);
    return upgrade_image(e, from, image, (size_t)len, &e->empty, db, err);
}

int world_import_image(struct sosia_engine *e, uint8_t *image, size_t len, const char *name,
                       bool secrets, uint64_t *ret_world, struct sosia_err *err)
{
    struct world_origin origin = {0};
    struct sosia_err local_err;
    struct tree tree = {0};
    const char *from;
    sqlite3 *db;
    if (!err)
        err = &local_err;
    struct whole *whole = whole_begin(e);
    int rc = import_file(e, &e->empty, image, len, &origin, &from, &db, err);
    if (rc == 0 && from)
        rc = upgrade(e, from, &db, err);
    if (rc == 0)
        rc = load_tree(e, db, &tree, err);
    sqlite3_close(db);
    if (rc == 0 && !(secrets && origin.has_secret) &&
        (rc = world_secret_new(e, UINT64_MAX, &origin.secret, err)) < 0)
        tree_done(&tree);
    if (rc == 0 && ((rc = with_rows(e, &tree, &origin, false, check_rows, err)) < 0 ||
                    (rc = with_rows(e, &tree, &origin, true, derive_rest, err)) < 0))
        tree_done(&tree);
    if (rc == 0 && stop_wanted()) {
        tree_done(&tree);
        rc = stop_fail(err);
    }
    if (rc == 0)
        rc = world_make(e, &tree, &origin, name, ret_world, err);
    journal_clear(&origin.journal);
    whole_end(whole);
    return rc;
}

/* What a program that still has the file open has not put into it yet. */
static bool unfinished(const char *path)
{
    static const char *const beside[] = {"-wal", "-journal"};
    bool found = false;
    for (size_t i = 0; i < SOSIA_LEN(beside) && !found; i++) {
        struct stat s;
        char *other;
        if (asprintf(&other, "%s%s", path, beside[i]) < 0)
            return true;
        found = stat(other, &s) == 0 && s.st_size > 0;
        free(other);
    }
    return found;
}

static int fail_read(const char *path, struct sosia_err *err)
{
    enum sosia_code code = errno == ENOENT ? SOSIA_E_NOT_FOUND : SOSIA_E_IO;
    return sosia_fail(err, code, NULL, "path", "%.120s can't be read: %s", path, strerror(errno));
}

static int read_all(int fd, const char *path, size_t len, uint8_t *image, struct sosia_err *err)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = read(fd, image + at, len - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_read(path, err);
        if (n == 0)
            return import_refuse(err, "it became shorter while it was read");
        at += (size_t)n;
    }
    return 0;
}

static int import(struct sosia_engine *engine, const char *path, const char *name, bool secrets,
                  uint64_t *ret_world, struct sosia_err *err)
{
    struct stat s;
    uint8_t *image = NULL;
    int rc = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &s) < 0)
        fail_read(path, err);
    else if (!S_ISREG(s.st_mode))
        import_refuse(err, "it is not a file");
    else if (unfinished(path))
        import_refuse(err, "another program has not finished writing it");
    else if (check_size(engine, s.st_size, err) == 0) {
        image = sqlite3_malloc64((sqlite3_uint64)s.st_size + 1);
        rc = image ? read_all(fd, path, (size_t)s.st_size, image, err) : sosia_fail_memory(err);
    }
    if (fd >= 0)
        close(fd);
    if (rc == 0)
        return world_import_image(engine, image, (size_t)s.st_size, name, secrets, ret_world, err);
    sqlite3_free(image);
    return -1;
}

int sosia_world_import(struct sosia_engine *engine, const char *path, const char *name,
                       uint64_t *ret_world, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(path, "path", err) < 0)
        return -1;
    return import(engine, path, name, false, ret_world, err);
}

int sosia_world_import_secrets(struct sosia_engine *engine, const char *path, const char *name,
                               uint64_t *ret_world, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(path, "path", err) < 0)
        return -1;
    return import(engine, path, name, true, ret_world, err);
}
