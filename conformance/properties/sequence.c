/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences: which operations, by whom, on what. */
#include "conformance/properties/properties.h"

const char *const person_names[] = {"ada", "bob", "cyd"};
const char *const person_emails[] = {"ada@acme.example", "bob@acme.example", "cyd@acme.example"};
const char *const shelf_ids[] = {"ada%40acme.example", "bob%40acme.example", "cyd%40acme.example",
                                 "c_shared%40group.calendar.google.com"};
const enum person shelf_owner[] = {ADA, BOB, CYD, ADA};

const char world_document[] =
    "{\"sosia\": 1, \"zone\": \"Europe/Rome\", \"time\": \"2026-11-23T09:00:00\",\n"
    "\"organizations\": [{\"domain\": \"acme.example\", \"name\": \"Acme\"}],\n"
    "\"people\": [{\"email\": \"ada@acme.example\", \"name\": \"Ada\", \"zone\": "
    "\"Europe/Rome\"},\n"
    "{\"email\": \"bob@acme.example\", \"name\": \"Bob\", \"zone\": \"America/New_York\"},\n"
    "{\"email\": \"cyd@acme.example\", \"name\": \"Cyd\", \"zone\": \"Asia/Tokyo\"},\n"
    "{\"email\": \"room@acme.example\", \"name\": \"Room\", \"kind\": \"resource\", \"zone\": "
    "\"Europe/Rome\"}],\n"
    "\"calendars\": [{\"id\": \"c_shared@group.calendar.google.com\", \"owner\": "
    "\"ada@acme.example\", \"summary\": \"Shared\", \"zone\": \"Europe/Rome\",\n"
    "\"access\": [{\"role\": \"writer\", \"person\": \"bob@acme.example\"}, {\"role\": \"reader\", "
    "\"person\": \"cyd@acme.example\"}],\n"
    "\"lists\": [{\"person\": \"bob@acme.example\"}]}]}";

/* How often, of a hundred. */
static const struct {
    enum op_kind kind;
    uint32_t often;
} weights[] = {
    {OP_INSERT, 24},         {OP_PATCH, 18},      {OP_PUT, 5},
    {OP_DELETE, 7},          {OP_ANSWER, 6},      {OP_PATCH_INSTANCE, 9},
    {OP_DELETE_INSTANCE, 5}, {OP_MOVE, 3},        {OP_IMPORT, 2},
    {OP_SHARE, 3},           {OP_UNSHARE, 1},     {OP_SUBSCRIBE, 2},
    {OP_ENTRY, 3},           {OP_UNSUBSCRIBE, 1}, {OP_CALENDAR, 2},
    {OP_WRONG, 7},           {OP_ADVANCE, 2},
};

static enum op_kind draw_kind(void)
{
    uint32_t at = random_below(100);
    for (size_t i = 0; i < SOSIA_LEN(weights); i++) {
        if (at < weights[i].often)
            return weights[i].kind;
        at -= weights[i].often;
    }
    return OP_INSERT;
}

static bool makes_event(enum op_kind kind)
{
    return kind == OP_INSERT || kind == OP_IMPORT;
}

/* An operation before i that makes an event; mostly a recent one. i: there is none. */
static uint32_t draw_target(const struct op *ops, uint32_t i)
{
    uint32_t made = 0, pick, from = i > 12 && chance(70) ? i - 12 : 0;
    for (uint32_t k = from; k < i; k++)
        made += makes_event(ops[k].kind);
    if (!made)
        return i;
    pick = random_below(made);
    for (uint32_t k = from;; k++)
        if (makes_event(ops[k].kind) && pick-- == 0)
            return k;
}

void sequence_generate(struct arena *a, uint64_t seed, size_t n, struct sequence *ret)
{
    struct op *ops = arena_calloc(a, n, sizeof *ops);
    rule_random = seed * UINT64_C(0x9e3779b97f4a7c15) ^ UINT64_C(0x2545f4914f6cdd1d);
    rule_random |= 1;
    for (int i = 0; i < 8; i++)
        random_below(2);
    ret->frozen = chance(20);
    for (uint32_t i = 0; i < n; i++) {
        struct op *o = &ops[i];
        o->number = i;
        o->kind = i < 3 ? OP_INSERT : draw_kind();
        o->who = (enum person)(chance(55) ? ADA : random_below(N_PEOPLE));
        o->shelf = (enum shelf)(chance(70) ? (uint32_t)o->who : random_below(N_SHELVES));
        o->target = draw_target(ops, i);
        o->dice = (uint64_t)random_below(UINT32_MAX) << 32 | random_below(UINT32_MAX) | 1;
        if (o->target != i && !makes_event(o->kind) && chance(80)) {
            /* In the event's calendar, by its creator or a guest. */
            o->shelf = ops[o->target].shelf;
            o->who = chance(80) ? ops[o->target].who : o->who;
        }
        if (o->kind == OP_ANSWER)
            o->shelf = (enum shelf)o->who;
    }
    ret->ops = ops;
    ret->n = n;
}
