/* SPDX-License-Identifier: Apache-2.0 */
/* A world as a plain SQLite file. It is put together in memory and takes the place of what was at
 * the path in one step. */
#include "engine/state/exported.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What is copied of a world under its lock. */
struct taken {
    struct tree tree;
    struct world_clock clock;
    enum sosia_clock_mode clock_mode;
    enum sosia_journal_mode journal_mode;
    enum journal_keep keep;
    uint32_t steps;
    uint16_t step_mib, journal_mib;
    bool rates;
    uint64_t seed, ticket;
    struct world_secret secret;
    bool with_secret;
    int64_t first;            /* number of the journal's first entry */
    uint8_t link[CHAIN_LINK]; /* of the chain before it */
    struct buf journal;       /* in the form of journal_fresh() */
};

static int add_entry(void *arg, int64_t seq, const char *entry, size_t len)
{
    uint32_t n = (uint32_t)len;
    (void)seq;
    buf_add(arg, &n, sizeof n);
    buf_add(arg, entry, len);
    return 0;
}

static int take(struct sosia_engine *e, uint64_t world, struct taken *t, struct sosia_err *err)
{
    struct world *w = world_take(e, world, err);
    if (!w)
        return -1;
    tree_fork(&w->now, &t->tree);
    t->clock = w->clock;
    t->clock_mode = world_clock_mode(w);
    t->journal_mode = world_journal_mode(w);
    t->keep = world_journal_keep(w);
    t->steps = world_steps(w);
    t->step_mib = w->step_mib;
    t->journal_mib = w->journal_mib;
    t->rates = w->flags & WORLD_RATES;
    t->seed = w->seed;
    t->secret = *world_secret_own(w);
    t->ticket = w->ticket;
    const struct journal *j = w->extra ? &w->extra->journal : NULL;
    const struct journal_cut *cut = journal_cut_of(w->past, j);
    t->first = journal_first(w->past, j);
    if (cut)
        memcpy(t->link, cut->link, sizeof cut->link);
    int rc = journal_each_of(w->past, j, 0, INT64_MAX, INT64_MAX, add_entry, &t->journal);
    world_drop(w);
    return rc < 0 || buf_failed(&t->journal) ? sosia_fail_memory(err) : 0;
}

/* ---- the database ---- */

static int fail_export(sqlite3 *db, struct sosia_err *err)
{
    int rc = db ? sqlite3_errcode(db) : SQLITE_NOMEM;
    if ((rc & 0xff) == SQLITE_NOMEM || rc == SQLITE_OK)
        return sosia_fail_memory(err);
    return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "the world can't be exported: %s",
                      sqlite3_errmsg(db));
}

/* A connection on a copy of the tree, which may grow. */
static int open_copy(const struct tree *t, sqlite3 **ret_db, struct sosia_err *err)
{
    sqlite3 *db = NULL;
    sqlite3_int64 len = (sqlite3_int64)t->n_pages * STORE_PAGE_SIZE, most = INT64_MAX;
    int rc = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    *ret_db = db;
    uint8_t *image = rc == SQLITE_OK ? sqlite3_malloc64((sqlite3_uint64)len) : NULL;
    if (!image)
        return fail_export(db, err);
    tree_copy(t, image);
    rc = sqlite3_deserialize(db, "main", image, len, len,
                             SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    if (rc == SQLITE_OK)
        rc = sqlite3_file_control(db, "main", SQLITE_FCNTL_SIZE_LIMIT, &most);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    return rc == SQLITE_OK ? 0 : fail_export(db, err);
}

static int add_meta(sqlite3 *db, const char *key, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *value = sqlite3_vmprintf(format, ap);
    va_end(ap);
    char *text = sqlite3_mprintf("insert or replace into meta (key, value) values ('world.%q', %Q)",
                                 key, value);
    int rc = value && text ? sqlite3_exec(db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(value);
    sqlite3_free(text);
    return rc;
}

static int add_secret(sqlite3 *db, const struct world_secret *secret)
{
    char text[WORLD_SECRET_TEXT];
    world_secret_write(secret, text);
    return add_meta(db, EXPORTED_SECRET, "%s", text);
}

static int add_journal(sqlite3 *db, const struct buf *journal, int64_t first)
{
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_exec(db, EXPORTED_JOURNAL, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc =
            sqlite3_prepare_v2(db, "insert into journal (seq, entry) values (?, ?)", -1, &st, NULL);
    for (size_t at = 0; rc == SQLITE_OK && at < journal->len;) {
        uint32_t n;
        memcpy(&n, journal->data + at, sizeof n);
        at += sizeof n;
        sqlite3_bind_int64(st, 1, first++);
        sqlite3_bind_text64(st, 2, journal->data + at, n, SQLITE_STATIC, SQLITE_UTF8);
        at += n;
        sqlite3_step(st);
        rc = sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    return rc;
}

static int add_world(sqlite3 *db, const struct taken *t, struct sosia_err *err)
{
    int rc = sqlite3_exec(db, "begin", NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = add_meta(db, "clock", "%d", (int)t->clock_mode);
    if (rc == SQLITE_OK)
        rc = add_meta(db, "clock_us", "%lld", (long long)t->clock.at_us);
    if (rc == SQLITE_OK)
        rc = add_meta(db, "clock_step_us", "%lld", (long long)t->clock.step_us);
    if (rc == SQLITE_OK)
        rc = add_meta(db, "seed", "%lld", (long long)t->seed); /* the same bits */
    if (rc == SQLITE_OK)
        rc = add_meta(db, "journal", "%d", (int)t->journal_mode);
    if (rc == SQLITE_OK)
        rc = add_meta(db, "keep", "%d", (int)t->keep);
    if (rc == SQLITE_OK)
        rc = add_meta(db, "steps", "%u", t->steps);
    if (rc == SQLITE_OK)
        rc = add_meta(db, "step_mib", "%u", (unsigned)t->step_mib);
    if (rc == SQLITE_OK && t->with_secret)
        rc = add_secret(db, &t->secret);
    if (rc == SQLITE_OK)
        rc = add_meta(db, "journal_mib", "%u", (unsigned)t->journal_mib);
    if (rc == SQLITE_OK)
        rc = add_meta(db, "rates", "%d", t->rates);
    for (int i = 0; rc == SQLITE_OK && t->first > 1 && i < EXPORTED_LINKS; i++) {
        int64_t part;
        memcpy(&part, t->link + (size_t)i * sizeof part, sizeof part);
        rc = add_meta(db, exported_links[i], "%lld", (long long)part);
    }
    if (rc == SQLITE_OK)
        rc = add_journal(db, &t->journal, t->first);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, "commit", NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : fail_export(db, err);
}

/* What is deleted is not to be read in pages that are free. */
static int drop_secrets(struct sosia_engine *e, sqlite3 *db, struct sosia_err *err)
{
    int rc = sqlite3_exec(db, "pragma secure_delete = on", NULL, NULL, NULL);
    for (const struct sosia_core **c = e->cores; *c && rc == SQLITE_OK; c++)
        if ((*c)->secrets)
            rc = sqlite3_exec(db, (*c)->secrets, NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : fail_export(db, err);
}

int world_image(struct sosia_engine *e, const struct step *state, bool secrets, struct buf *out,
                struct sosia_err *err)
{
    struct taken t = {.tree = state->tree,
                      .clock = state->clock,
                      .clock_mode = (enum sosia_clock_mode)((state->flags & WORLD_CLOCK) >> 1),
                      .steps = WORLD_STEPS_USUAL,
                      .rates = state->flags & WORLD_RATES,
                      .seed = state->seed,
                      .secret = state->secret,
                      .with_secret = secrets,
                      .first = 1};
    sqlite3 *db = NULL;
    sqlite3_int64 len = 0;
    int rc = open_copy(&t.tree, &db, err);
    if (rc == 0 && !secrets)
        rc = drop_secrets(e, db, err);
    if (rc == 0)
        rc = add_world(db, &t, err);
    const uint8_t *data =
        rc == 0 ? sqlite3_serialize(db, "main", &len, SQLITE_SERIALIZE_NOCOPY) : NULL;
    if (rc == 0 && !data)
        rc = fail_export(db, err);
    if (rc == 0)
        buf_add(out, data, (size_t)len);
    sqlite3_close(db);
    return rc == 0 && buf_failed(out) ? sosia_fail_memory(err) : rc;
}

/* ---- the file ---- */

static int fail_write(const char *path, struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_IO, NULL, "path", "%.120s can't be written: %s", path,
                      strerror(errno));
}

static int write_bytes(int fd, const uint8_t *data, size_t len)
{
    while (len) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        data += n;
        len -= (size_t)n;
    }
    return fsync(fd);
}

static int sync_directory(const char *path)
{
    char *copy = strdup(path);
    int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int rc = fd < 0 ? -1 : fsync(fd);
    if (fd >= 0)
        close(fd);
    free(copy);
    return rc;
}

/* Under a name beside the path's own first, so that there is never half a file at the path. */
static int write_file(const char *path, const uint8_t *data, size_t len, struct sosia_err *err)
{
    char *temp;
    if (asprintf(&temp, "%s.XXXXXX", path) < 0)
        return sosia_fail_memory(err);
    int fd = mkostemp(temp, O_CLOEXEC), rc = fd < 0 ? -1 : write_bytes(fd, data, len);
    if (fd >= 0 && close(fd) < 0)
        rc = -1;
    if (rc == 0)
        rc = rename(temp, path);
    if (rc < 0) {
        fail_write(path, err);
        if (fd >= 0)
            unlink(temp);
    } else if (sync_directory(path) < 0) {
        rc = fail_write(path, err);
    }
    free(temp);
    return rc;
}

static int export(struct sosia_engine *engine, uint64_t world, const char *path, bool secrets,
                  struct sosia_err *err)
{
    struct taken t = {.with_secret = secrets};
    sqlite3 *db = NULL;
    sqlite3_int64 len = 0;
    int rc = -1;
    buf_init(&t.journal, SIZE_MAX / 2);
    if (take(engine, world, &t, err) == 0 && engine_sync(engine, t.ticket, err) == 0 &&
        open_copy(&t.tree, &db, err) == 0 && add_world(db, &t, err) == 0) {
        uint8_t *data = sqlite3_serialize(db, "main", &len, SQLITE_SERIALIZE_NOCOPY);
        rc = data ? write_file(path, data, (size_t)len, err) : fail_export(db, err);
    }
    sqlite3_close(db);
    tree_done(&t.tree);
    buf_done(&t.journal);
    return rc;
}

int sosia_world_export(struct sosia_engine *engine, uint64_t world, const char *path,
                       struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(path, "path", err) < 0)
        return -1;
    return export(engine, world, path, false, err);
}

int sosia_world_export_secrets(struct sosia_engine *engine, uint64_t world, const char *path,
                               struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(path, "path", err) < 0)
        return -1;
    return export(engine, world, path, true, err);
}
