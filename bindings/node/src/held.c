/* SPDX-License-Identifier: Apache-2.0 */
/* What an engine has given out and must get back before it is closed: streams, sessions, spools.
 * JavaScript has each as an external, and they are members of one list of their environment. */
#include "addon.h"

#include <stdlib.h>

static void unlink_held(struct held *h)
{
    if (!h->inst)
        return;
    if (h->prev)
        h->prev->next = h->next;
    else
        h->inst->held = h->next;
    if (h->next)
        h->next->prev = h->prev;
    h->inst = NULL;
}

static void collected(napi_env env, void *data, void *hint)
{
    struct held *h = data;
    h->kind->end(h);
    unlink_held(h);
    h->kind->free(h);
}

napi_value held_new(struct inst *inst, struct engine_slot *slot, struct held *h,
                    const struct held_kind *kind)
{
    napi_value v = NULL;
    if (napi_create_external(inst->env, h, collected, NULL, &v) != napi_ok)
        return NULL;
    napi_type_tag_object(inst->env, v, &kind->tag);
    h->kind = kind;
    h->inst = inst;
    h->slot = slot;
    h->id = inst->next_held++;
    h->prev = NULL;
    h->next = inst->held;
    if (h->next)
        h->next->prev = h;
    inst->held = h;
    return v;
}

void held_end_all(struct inst *inst, struct engine_slot *slot)
{
    for (struct held *h = inst->held, *next; h; h = next) {
        next = h->next;
        if (slot && h->slot != slot)
            continue;
        h->kind->end(h);
        if (!slot)
            unlink_held(h);
    }
}

bool is_held(struct args *a, size_t i, const struct held_kind *kind)
{
    napi_valuetype type = napi_undefined;
    bool is = false;
    return i < a->n && napi_typeof(a->env, a->v[i], &type) == napi_ok && type == napi_external &&
           napi_check_object_type_tag(a->env, a->v[i], &kind->tag, &is) == napi_ok && is;
}

void *arg_held(struct args *a, size_t i, const struct held_kind *kind)
{
    void *held = NULL;
    if (is_held(a, i, kind))
        napi_get_value_external(a->env, a->v[i], &held);
    if (!held)
        args_fail(a, "argument %zu must be a %s", i + 1, kind->name);
    return held;
}

void held_notify(const struct held *h)
{
    struct note *note = calloc(1, sizeof *note);
    if (!note)
        return;
    note->kind = NOTE_WAKE;
    note->id = h->id;
    inst_notify(h->inst, note);
}
