/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/send/program.h"
#include "engine/world/core.h"
#include "engine/world/engine.h"
#include <pthread.h>
#include <stdlib.h>

extern const char program_sql[];

/* Few engines have one. */
struct entry {
    struct entry *next;
    const struct sosia_engine *engine;
    struct program_runner runner;
};
static struct entry *entries;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int engine_on_program(struct sosia_engine *e, const struct program_runner *runner,
                      struct sosia_err *err)
{
    struct entry *new = runner ? malloc(sizeof *new) : NULL, *old = NULL;
    if (runner && !new)
        return sosia_fail_memory(err);
    pthread_mutex_lock(&lock);
    struct entry **at = &entries;
    while (*at && (*at)->engine != e)
        at = &(*at)->next;
    if (*at) {
        old = *at;
        *at = old->next;
    }
    if (new) {
        *new = (struct entry){entries, e, *runner};
        entries = new;
    }
    pthread_mutex_unlock(&lock);
    free(old);
    return 0;
}

/* False: there is none. */
static bool runner_of(const struct sosia_engine *e, struct program_runner *ret)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (const struct entry *n = entries; n && !found; n = n->next) {
        found = n->engine == e;
        *ret = n->runner;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

int program_perform(struct sosia_engine *e, uint64_t world, uint64_t era, int64_t program,
                    struct arena *arena, struct sosia_outcome *ret, void **ret_turn,
                    struct sosia_err *err)
{
    struct program_runner r;
    *ret_turn = NULL;
    *ret = (struct sosia_outcome){
        .error = "a program needs a server that keeps it in (sosia serve), and here is none"};
    return runner_of(e, &r) ? r.run(r.arg, world, era, program, arena, ret, ret_turn, err) : 0;
}

void program_finish(const struct sosia_engine *e, void *turn)
{
    struct program_runner r;
    if (turn && runner_of(e, &r))
        r.finish(r.arg, turn);
}

bool program_busy(const struct sosia_engine *e, uint64_t world)
{
    struct program_runner r;
    return runner_of(e, &r) && r.busy && r.busy(r.arg, world);
}

void program_stop(const struct sosia_engine *e, uint64_t world, uint64_t but_era)
{
    struct program_runner r;
    if (runner_of(e, &r) && r.end)
        r.end(r.arg, world, but_era);
}

int program_number(struct tx *tx, int64_t *ret_id)
{
    uint32_t n;
    if (tx_id(tx, "program", &n, sizeof n) < 0)
        return -1;
    *ret_id = (n & 0x7fffffff) | 1; /* never 0 */
    return 0;
}

int program_add(struct tx *tx, int64_t id, const char *text, size_t len)
{
    static struct sql_text q = SQL_TEXT("insert into program (id, text) values (:id, :text)");
    return TX_RUN(tx, &q, id, sql_blob(text, len));
}

int program_hold(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("update program set held = 1 where id = :id");
    return TX_RUN(tx, &q, id);
}

int program_text(struct tx *tx, int64_t id, const char **ret, size_t *ret_len, bool *ret_held)
{
    static struct sql_text q = SQL_TEXT("select text, held from program where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    *ret_len = (size_t)sqlite3_column_bytes(st, 0);
    *ret = arena_memdup(tx->arena, sqlite3_column_blob(st, 0), *ret_len);
    *ret_held = sqlite3_column_int(st, 1);
    sql_done(st);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}

int program_end(struct tx *tx, uint64_t era, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from program where id = :id");
    const char *text;
    size_t len;
    bool held;
    int r = era == tx->world->era ? program_text(tx, id, &text, &len, &held) : 0;
    if (r < 0)
        return -1;
    if (!r)
        return tx_fail(tx, SOSIA_E_NOT_FOUND, "programNotFound", NULL,
                       "the world went back while a program of the call ran");
    return TX_RUN(tx, &q, id);
}

const struct sosia_core program_core = {.name = "program", .schema = program_sql};
