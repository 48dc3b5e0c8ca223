/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state that an exported journal begins from, in the file's first line, so that it runs where
 * its world is not known: how the clock goes, of what documents the world was made, and the state
 * itself as an exported world (engine/state/exported.h), packed by gzip, as base64.
 */
#include "engine/base/codec.h"
#include "engine/replay/replay.h"
#include "engine/state/exported.h"
#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>

#define MAX_STATE (64 << 20) /* bytes of an exported world that goes into a journal */

/* ---- packing ---- */

static la_ssize_t take(struct archive *z, void *arg, const void *bytes, size_t n)
{
    struct buf *out = arg;
    buf_add(out, bytes, n);
    if (!buf_failed(out))
        return (la_ssize_t)n;
    archive_set_error(z, ARCHIVE_FATAL, "no room");
    return -1;
}

static int pack(const struct buf *from, struct buf *to, struct sosia_err *err)
{
    struct archive *z = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    int rc = z && e ? 0 : -1;
    if (rc == 0) {
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_pathname(e, "state");
        archive_write_set_bytes_per_block(z, 0);
    }
    /* Without the time at which it is packed: the same state gives the same bytes. */
    if (rc == 0 && (archive_write_set_format_raw(z) != ARCHIVE_OK ||
                    archive_write_add_filter_gzip(z) != ARCHIVE_OK ||
                    archive_write_set_filter_option(z, "gzip", "timestamp", NULL) != ARCHIVE_OK ||
                    archive_write_open(z, to, NULL, take, NULL) != ARCHIVE_OK ||
                    archive_write_header(z, e) != ARCHIVE_OK ||
                    archive_write_data(z, from->data, from->len) != (la_ssize_t)from->len ||
                    archive_write_close(z) != ARCHIVE_OK))
        rc = -1;
    archive_entry_free(e);
    archive_write_free(z);
    return rc < 0 || buf_failed(to) ? sosia_fail_memory(err) : 0;
}

static int bad_state(struct sosia_err *err, const char *why)
{
    return sosia_fail(err, SOSIA_E_INVALID, "journal", NULL,
                      "the state that the journal begins from %s", why);
}

/* Into memory of SQLite's. */
static int unpack(const uint8_t *bytes, size_t len, uint8_t **ret, size_t *ret_len,
                  struct sosia_err *err)
{
    struct archive *z = archive_read_new();
    struct archive_entry *e;
    size_t cap = 0, n = 0;
    uint8_t *to = NULL;
    la_ssize_t got = 0;
    *ret = NULL;
    if (!z)
        return sosia_fail_memory(err);
    archive_read_support_filter_gzip(z);
    archive_read_support_format_raw(z);
    int rc = archive_read_open_memory(z, bytes, len) == ARCHIVE_OK &&
                     archive_read_next_header(z, &e) == ARCHIVE_OK
                 ? 0
                 : bad_state(err, "must be packed by gzip");
    while (rc == 0) {
        if (n == cap) {
            cap = cap ? cap * 2 : 1 << 18;
            uint8_t *more = sqlite3_realloc64(to, cap);
            if (!more) {
                rc = sosia_fail_memory(err);
                break;
            }
            to = more;
        }
        got = archive_read_data(z, to + n, cap - n);
        if (got <= 0)
            break;
        n += (size_t)got;
        if (n > MAX_STATE)
            rc = bad_state(err, "has more bytes than an export can have");
    }
    if (rc == 0 && got < 0)
        rc = bad_state(err, "must be packed by gzip");
    archive_read_free(z);
    if (rc < 0) {
        sqlite3_free(to);
        return -1;
    }
    *ret = to;
    *ret_len = n;
    return 0;
}

/* ---- writing ---- */

static void write_clock(struct json_writer *w, const struct step *state)
{
    static const char *const modes[] = {"frozen", "step", "real"};
    unsigned mode = (state->flags & WORLD_CLOCK) >> 1;
    json_obj(w, "clock");
    json_str(w, "mode", modes[mode < 3 ? mode : 0]);
    if (state->clock.step_us)
        json_int(w, "step_us", state->clock.step_us);
    json_end(w);
}

/* What the world was made of: as the seed documents say it of themselves. */
static int write_documents(struct sosia_engine *e, const struct step *state, struct json_writer *w,
                           struct sosia_err *err)
{
    struct step copy;
    struct stage stage;
    struct tx tx;
    const char *hash;
    struct worker *k = worker_take(e, err);
    if (!k)
        return -1;
    step_copy(state, &copy);
    stage_open(&stage, e, 1, &copy, &state->tree, err);
    int rc = tx_begin(&tx, e, &stage.world, k, false, stage.world.clock.at_us, err);
    if (rc == 0) {
        rc = seed_documents(&tx, &hash);
        if (rc == 1)
            json_str(w, "documents", hash);
        tx_rollback(&tx);
    }
    stage_close(&stage);
    worker_drop(k);
    return rc < 0 ? -1 : 0;
}

static int write_state(struct sosia_engine *e, const struct step *state, bool secrets,
                       struct json_writer *w, struct sosia_err *err)
{
    struct buf image, packed, text;
    buf_init(&image, SIZE_MAX / 2);
    buf_init(&packed, SIZE_MAX / 2);
    buf_init(&text, SIZE_MAX / 2);
    int rc = 0;
    if ((uint64_t)state->tree.n_pages * STORE_PAGE_SIZE > MAX_STATE) {
        json_str(w, "why", "the state has more than 64 MiB: an export of the world has it");
    } else if ((rc = world_image(e, state, secrets, &image, err)) == 0 &&
               (rc = pack(&image, &packed, err)) == 0) {
        base64_add(&text, packed.data, packed.len);
        rc = buf_failed(&text) ? sosia_fail_memory(err) : 0;
        if (rc == 0)
            json_strn(w, "state", text.data, text.len);
        if (rc == 0 && secrets)
            json_bool(w, "secrets", true);
    }
    buf_done(&image);
    buf_done(&packed);
    buf_done(&text);
    return rc;
}

int origin_write(struct sosia_engine *e, uint64_t world, int64_t from, bool secrets,
                 struct json_writer *w, struct sosia_err *err)
{
    struct sosia_err why = {0};
    struct step state;
    json_obj(w, NULL);
    if (replay_state(e, world, from, &state, &why) < 0) {
        json_str(w, "why", why.text);
        json_end(w);
        return why.code == SOSIA_E_NO_MEMORY ? sosia_fail_memory(err) : 0;
    }
    write_clock(w, &state);
    int rc = write_documents(e, &state, w, err);
    if (rc == 0)
        rc = write_state(e, &state, secrets, w, err);
    step_done(&state);
    json_end(w);
    return rc;
}

/* ---- reading ---- */

int origin_open(struct sosia_engine *e, const struct journal_file *f, uint64_t *ret_world,
                struct sosia_err *err)
{
    const struct json *head, *state = NULL;
    const char *end = memchr(f->text, '\n', f->len);
    const char *why;
    struct arena a;
    uint8_t *packed, *image;
    size_t n, len;
    arena_init(&a, 0);
    int rc = json_parse(&a, f->text, (size_t)(end - f->text), NULL, &head, err);
    if (rc == 0) {
        state = json_get(json_get(head, "origin"), "state");
        why = json_get_str(json_get(head, "origin"), "why");
        if (!state || state->type != JSON_STRING)
            rc = sosia_fail(err, SOSIA_E_INVALID, "journal", NULL,
                            "%s has not the state that it begins from, so a world must be given "
                            "that resets to it%s%s",
                            f->name, why ? ": " : "", why ? why : "");
        else if (base64_decode(&a, state->str, state->n, &packed, &n) < 0)
            rc = bad_state(err, "must be base64");
        else
            rc = unpack(packed, n, &image, &len, err);
    }
    if (rc == 0)
        rc = world_import_image(e, image, len, NULL,
                                json_get_true(json_get(head, "origin"), "secrets"), ret_world, err);
    arena_done(&a);
    return rc;
}
