/* SPDX-License-Identifier: Apache-2.0 */
#include "console/history.h"
#include "console/page.h"
#include "console/report.h"
#include "engine/base/codec.h"
#include "engine/replay/find.h"
#include "engine/http/call.h"
#include <stdlib.h>
#include <string.h>

#define PAGE 100 /* entries at once */

/* Calls that may have changed something are gone through from the last one, with what each did. */
struct walk {
    struct sosia_engine *engine;
    uint64_t world;
    struct arena arena; /* of a page */
    int64_t next;       /* to go on before; 0: that was all */
    int looked;
    struct journal_states states;
    struct journal_near near;
    /* 1: enough; 0, -1. */
    int (*each)(void *arg, const struct json *entry, const struct json *changes);
    void *arg;
};

static bool has_written(const struct json *entry)
{
    const char *state = json_get_str(entry, "state");
    return json_get_int(json_get(entry, "response"), "status", 200) < 400 && state &&
           strspn(state, "0") < strlen(state);
}

/* 1: enough, and walk.next is its number. A state that is not kept any more ends the walk. */
static int walk_page(struct walk *v, const struct json *list, struct sosia_err *err)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *entry = &list->items[i], *did;
        int64_t seq = json_get_int(entry, "seq", 0);
        struct sosia_err lost;
        struct sosia_blob blob;
        if (!has_written(entry))
            continue;
        if (v->looked++ == HISTORY_LOOKS) {
            v->next = seq + 1;
            return 1;
        }
        if (!journal_states_have(&v->states, seq) ||
            journal_changes_near(v->engine, v->world, seq, &v->near, &blob, &lost) < 0) {
            v->next = 0;
            return 1;
        }
        int rc = episode_json(&v->arena, blob.data, blob.len, &did, err);
        sosia_blob_free(&blob);
        if (rc == 0)
            rc = v->each(v->arg, entry, json_get(did, "changes"));
        if (rc)
            v->next = seq;
        if (rc)
            return rc;
    }
    return 0;
}

static int walk_back(struct walk *v, int64_t after, int64_t before, struct sosia_err *err)
{
    struct journal_search search = {
        .after = after, .before = before, .newest = true, .limit = PAGE, .risk = RISK_DRAFT};
    int rc = 0;
    if (journal_states_read(v->engine, v->world, &v->states, err) < 0)
        return -1;
    do {
        struct sosia_blob blob;
        const struct json *list;
        arena_init(&v->arena, 0);
        rc = journal_search(v->engine, v->world, &search, &blob, &v->next, err);
        if (rc == 0) {
            search.before = v->next;
            rc = episode_json(&v->arena, blob.data, blob.len, &list, err);
            sosia_blob_free(&blob);
        }
        if (rc == 0)
            rc = walk_page(v, list, err);
        arena_done(&v->arena);
    } while (rc == 0 && v->next);
    journal_near_done(&v->near);
    return rc < 0 ? -1 : 0;
}

static bool is_named(const struct json *change, const char *name)
{
    const char *its = json_get_str(change, "name");
    return its && strcmp(its, name) == 0;
}

/* The change of that name, among them or among what follows from one. */
static const struct json *find_named(const struct json *changes, const char *name)
{
    for (uint32_t i = 0; changes && i < changes->n; i++) {
        const struct json *one = &changes->items[i], *list = json_get(one, "consequences");
        if (is_named(one, name))
            return one;
        for (uint32_t k = 0; list && k < list->n; k++)
            if (is_named(&list->items[k], name))
                return &list->items[k];
    }
    return NULL;
}

/* ---- of one thing ---- */

struct history {
    const char *name;
    struct json_writer w;
    int n, limit;
};

static int write_call(void *arg, const struct json *entry, const struct json *changes)
{
    static const char *const members[] = {"seq", "at", "actor", "method"};
    struct history *h = arg;
    const struct json *change = find_named(changes, h->name);
    if (!change)
        return 0;
    json_obj(&h->w, NULL);
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        if (json_get(entry, members[i]))
            json_value(&h->w, members[i], json_get(entry, members[i]));
    json_value(&h->w, "change", change);
    json_end(&h->w);
    return ++h->n == h->limit;
}

int history_read(struct sosia_engine *e, uint64_t world, const char *name, int64_t before,
                 int limit, struct buf *out, struct sosia_err *err)
{
    struct history h = {.name = name, .limit = limit};
    struct walk v = {.engine = e, .world = world, .each = write_call, .arg = &h};
    json_init(&h.w, out, false, NULL);
    json_obj(&h.w, NULL);
    json_arr(&h.w, "calls");
    if (walk_back(&v, 0, before, err) < 0)
        return -1;
    json_end(&h.w);
    if (v.next)
        json_int(&h.w, "next", v.next);
    json_end(&h.w);
    return 0;
}

/* ---- of a diff ---- */

struct cause_of_change {
    int64_t seq;
    const char *actor, *method;
};

struct causing {
    struct causes names; /* of the changes of the diff, with their places, from 1 */
    struct cause_of_change *list;
    uint32_t left; /* that have none yet */
    struct arena *arena;
};

/* A change is of the call that changed the thing itself, or what follows from it. */
static void take_cause(struct causing *c, const char *name, const struct json *entry)
{
    for (size_t i = causes_place(&c->names, name);
         i < c->names.n && strcmp(c->names.list[i].name, name) == 0; i++) {
        struct cause_of_change *cause = &c->list[c->names.list[i].seq - 1];
        const char *actor = json_get_str(entry, "actor"), *method = json_get_str(entry, "method");
        if (cause->seq)
            continue;
        *cause = (struct cause_of_change){.seq = json_get_int(entry, "seq", 0),
                                          .actor = actor ? arena_strdup(c->arena, actor) : NULL,
                                          .method = method ? arena_strdup(c->arena, method) : NULL};
        c->left--;
    }
}

static int take_causes(void *arg, const struct json *entry, const struct json *changes)
{
    struct causing *c = arg;
    struct causes did = {.list = calloc(causes_count(changes) + 1, sizeof *did.list)};
    if (!did.list) {
        c->arena->failed = true;
        return 1;
    }
    causes_add(&did, changes, 0);
    for (size_t i = 0; i < did.n; i++)
        take_cause(c, did.list[i].name, entry);
    free(did.list);
    return !c->left;
}

static void write_caused(struct json_writer *w, const struct json *change, bool summary,
                         const struct cause_of_change *cause)
{
    json_obj(w, NULL);
    for (uint32_t i = 0; i < change->n; i++)
        if (!summary || str_place(diff_summary_without, change->members[i].key) < 0)
            json_value(w, change->members[i].key, &change->members[i].value);
    if (cause->seq) {
        json_int(w, "seq", cause->seq);
        json_str_opt(w, "actor", cause->actor);
        json_str_opt(w, "method", cause->method);
    }
    json_end(w);
}

static void write_diff(struct json_writer *w, const struct json *diff, bool summary,
                       const struct cause_of_change *causes)
{
    const struct json *changes = json_get(diff, "changes");
    json_obj(w, NULL);
    json_arr(w, "changes");
    for (uint32_t i = 0; i < changes->n; i++)
        write_caused(w, &changes->items[i], summary, &causes[i]);
    json_end(w);
    for (uint32_t i = 0; i < diff->n; i++)
        if (&diff->members[i].value != changes)
            json_value(w, diff->members[i].key, &diff->members[i].value);
    json_end(w);
}

static int add_causes(struct sosia_engine *e, uint64_t from, uint64_t to,
                      const struct diff_part *part, struct arena *a, const struct json *diff,
                      struct buf *out, struct sosia_err *err)
{
    const struct json *changes = json_get(diff, "changes");
    struct causing c = {.left = changes ? changes->n : 0, .arena = a};
    struct walk v = {.engine = e, .world = to, .each = take_causes, .arg = &c};
    struct json_writer w;
    int64_t after, last;
    if (!changes || episode_extent(e, to, a, from, &after, &last, err) < 0)
        return -1;
    c.list = arena_calloc(a, c.left + 1, sizeof *c.list);
    c.names.list = arena_calloc(a, causes_count(changes) + 1, sizeof *c.names.list);
    if (arena_failed(a))
        return sosia_fail_memory(err);
    for (uint32_t i = 0; i < changes->n; i++)
        causes_add_one(&c.names, &changes->items[i], (int64_t)i + 1);
    causes_order(&c.names);
    if (c.left && walk_back(&v, after, 0, err) < 0)
        return -1;
    json_init(&w, out, !part, NULL);
    write_diff(&w, diff, part && part->summary, c.list);
    if (part)
        buf_byte(out, '\n');
    return arena_failed(a) ? sosia_fail_memory(err) : 0;
}

int history_diff(struct sosia_engine *e, uint64_t from, uint64_t to, bool all,
                 const struct diff_part *part, struct buf *out, struct sosia_err *err)
{
    const struct sosia_diff_options opt = {.size = sizeof opt, .all = all};
    struct diff_part whole; /* causes are also of what follows, which a summary leaves out */
    struct sosia_blob blob;
    const struct json *diff;
    struct arena a;
    if (part) {
        whole = *part;
        whole.summary = false;
    }
    if ((part ? diff_part(e, from, to, all, &whole, &blob, err)
              : sosia_diff(e, from, to, &opt, &blob, err)) < 0)
        return -1;
    arena_init(&a, 0);
    int rc = episode_json(&a, blob.data, blob.len, &diff, err);
    sosia_blob_free(&blob);
    if (rc == 0)
        rc = add_causes(e, from, to, part, &a, diff, out, err);
    arena_done(&a);
    return rc;
}

/* ---- of a page of a journal ---- */

static void write_effect(struct json_writer *w, const struct json *changes)
{
    static const char *const words[] = {"added", "changed", "removed"};
    int64_t counts[SOSIA_LEN(words)] = {0};
    for (uint32_t i = 0; changes && i < changes->n; i++) {
        const char *word = json_get_str(&changes->items[i], "change");
        for (size_t k = 0; k < SOSIA_LEN(words); k++)
            counts[k] += word && strcmp(word, words[k]) == 0;
    }
    json_obj(w, "effect");
    for (size_t k = 0; k < SOSIA_LEN(words); k++)
        json_int(w, words[k], counts[k]);
    json_end(w);
}

/* An effect that can't be had is left out, and so is it without memory for it. */
static void add_effect(struct sosia_engine *e, uint64_t world, const struct json *entry,
                       struct journal_near *near, struct json_writer *w)
{
    const struct json *did;
    struct sosia_blob blob;
    struct sosia_err err;
    struct arena a;
    if (journal_changes_near(e, world, json_get_int(entry, "seq", 0), near, &blob, &err) < 0)
        return;
    arena_init(&a, 0);
    if (episode_json(&a, blob.data, blob.len, &did, &err) == 0)
        write_effect(w, json_get(did, "changes"));
    sosia_blob_free(&blob);
    arena_done(&a);
}

int history_effects(struct sosia_engine *e, uint64_t world, const struct sosia_blob *entries,
                    struct buf *out, struct sosia_err *err)
{
    const struct json *list;
    struct json_writer w;
    struct arena a;
    struct journal_states states;
    struct journal_near near = {0};
    int left = HISTORY_EFFECTS;
    if (journal_states_read(e, world, &states, err) < 0)
        return -1;
    arena_init(&a, 0);
    int rc = episode_json(&a, entries->data, entries->len, &list, err);
    json_init(&w, out, true, NULL);
    json_arr(&w, NULL);
    for (uint32_t i = 0; rc == 0 && i < list->n; i++) {
        const struct json *entry = &list->items[i];
        json_obj(&w, NULL);
        for (uint32_t k = 0; k < entry->n; k++)
            json_value(&w, entry->members[k].key, &entry->members[k].value);
        if (has_written(entry) && journal_states_have(&states, json_get_int(entry, "seq", 0)) &&
            left-- > 0)
            add_effect(e, world, entry, &near, &w);
        json_end(&w);
    }
    json_end(&w);
    journal_near_done(&near);
    arena_done(&a);
    return rc;
}
