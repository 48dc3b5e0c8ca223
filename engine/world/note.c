/* SPDX-License-Identifier: Apache-2.0 */
/* Notes: what a caller of the engine's keeps with a world; and how it was used. */
#include "engine/world/engine.h"
#include "engine/world/took.h"
#include <stdlib.h>
#include <string.h>

int world_note_set(struct world *w, const char *note, struct sosia_err *err)
{
    char *copy = NULL;
    if (!note && !w->extra)
        return 0;
    if (note && strlen(note) > WORLD_NOTE_MAX)
        return sosia_fail(err, SOSIA_E_TOO_LARGE, "note", NULL,
                          "a world's note must have at most %d bytes, not %zu", WORLD_NOTE_MAX,
                          strlen(note));
    struct world_extra *x = world_extra(w);
    if (!x || (note && !(copy = strdup(note))))
        return sosia_fail_memory(err);
    free(x->note);
    x->note = copy;
    return 0;
}

int engine_note_set(struct sosia_engine *e, uint64_t world, const char *note, struct sosia_err *err)
{
    struct world *w = world_take(e, world, err);
    if (!w)
        return -1;
    int rc = world_note_set(w, note, err);
    if (rc == 0)
        rc = world_changed(e, w, err);
    uint64_t ticket = w->ticket;
    world_drop(w);
    return rc < 0 ? -1 : engine_sync(e, ticket, err);
}

int engine_note(struct sosia_engine *e, uint64_t world, struct arena *a, const char **ret_note,
                struct sosia_err *err)
{
    struct world *w = world_look(e, world, err);
    if (!w)
        return -1;
    const char *note = w->extra ? w->extra->note : NULL;
    char *copy = note ? arena_strdup(a, note) : NULL;
    world_drop(w);
    if (note && arena_failed(a))
        return sosia_fail_memory(err);
    *ret_note = copy;
    return 0;
}

int engine_life(struct sosia_engine *e, uint64_t world, struct world_life *ret,
                struct sosia_err *err)
{
    struct world *w = world_look(e, world, err);
    if (!w)
        return -1;
    const int64_t last = took_last(w);
    *ret = (struct world_life){
        .made_us = w->created_us,
        .used_us = last ? real_now_us() - (machine_us() - last) : 0,
        .calls = world_is_parked(w) ? -1 : world_last_entry(w) - journal_past_n(w->past),
    };
    world_drop(w);
    return 0;
}
