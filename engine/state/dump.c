/* SPDX-License-Identifier: Apache-2.0 */
/* A world as a seed document in normal form: sections in the order of the cores, keys and lists in
 * fixed orders, defaults left out. The same state gives the same bytes. */
#include "engine/state/dump.h"
#include "engine/state/stored.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <gnutls/crypto.h>
#include <inttypes.h>
#include <stdio.h>

void dump_seed(struct json_writer *w, uint64_t seed)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%" PRIu64, seed);
    json_raw(w, "seed", text, (size_t)n);
}

/* clock: with what a world's clock and ids are at. */
int dump_head(struct tx *tx, struct json_writer *w, bool clock)
{
    static struct sql_text q =
        SQL_TEXT("select substr(key, 6), value from meta where key glob 'seed.*' order by key");
    char time[STAMP_TEXT];
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    json_int(w, "sosia", 1);
    if (tx->world->flags & WORLD_RATES)
        json_bool(w, "rates", true);
    int r;
    while ((r = TX_STEP(tx, st)) == 1)
        json_str(w, (const char *)sqlite3_column_text(st, 0),
                 (const char *)sqlite3_column_text(st, 1));
    if (!clock)
        return r;
    stamp_format(time, tx->now_us, 0, tx->now_us % US_PER_SECOND ? 6 : 0, true);
    json_str(w, "time", time);
    if (tx->world->seed != 1)
        dump_seed(w, tx->world->seed);
    return r;
}

int dump_all(struct tx *tx, struct json_writer *w, bool clock)
{
    json_obj(w, NULL);
    if (dump_head(tx, w, clock) < 0)
        return -1;
    for (const struct sosia_core **c = tx->engine->cores; *c; c++)
        for (size_t i = 0; i < (*c)->n_sections; i++)
            if (section_dump(tx, &(*c)->sections[i], w) < 0)
                return -1;
    json_end(w);
    return 0;
}

static int write_dump(struct tx *tx, struct json_writer *w, void *arg)
{
    return dump_all(tx, w, true);
}

int sosia_world_dump(struct sosia_engine *engine, uint64_t world, struct sosia_blob *ret_json,
                     struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    return world_read(engine, world, true, write_dump, NULL, ret_json, err);
}

/* ---- hash ---- */

static int write_state(struct tx *tx, struct json_writer *w, void *arg)
{
    (void)arg;
    return dump_all(tx, w, false);
}

int sosia_world_hash(struct sosia_engine *engine, uint64_t world, char ret_hex[65],
                     struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(ret_hex, "ret_hex", err) < 0)
        return -1;
    struct sosia_blob state;
    uint8_t sum[32];
    if (world_read(engine, world, true, write_state, NULL, &state, err) < 0)
        return -1;
    int rc = gnutls_hash_fast(GNUTLS_DIG_SHA256, state.data, state.len, sum);
    sosia_blob_free(&state);
    if (rc < 0)
        return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "SHA-256: %s", gnutls_strerror(rc));
    hex_encode(ret_hex, sum, sizeof sum);
    return 0;
}
