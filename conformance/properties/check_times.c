/* SPDX-License-Identifier: Apache-2.0 */
/* Statements that compare two ways to one result: instances by libical, busy times by the list
 * of events; and that a refused call leaves no trace. */
#include "conformance/properties/properties.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include <stdlib.h>

/* ---- instances ---- */

/* The time an instance would have, in the terms of the rule's results. */
static bool original_start(const struct json *item, const struct rule *rule, int64_t *ret)
{
    const struct json *v = json_get(item, "originalStartTime");
    const char *date = json_get_str(v, "date");
    int64_t days;
    if (!v)
        return false;
    if (rule->all_day) {
        if (!date || date_parse(date, strlen(date), &days) < 0)
            return false;
        *ret = days * SECONDS_PER_DAY;
        return true;
    }
    *ret = instant_of(item, "originalStartTime", NULL);
    return !date;
}

/* Whether the event begins at the start that its rule was given. */
static bool starts_with_rule(const struct json *event, const struct rule *rule)
{
    const struct json *start = json_get(event, "start");
    const char *date = json_get_str(start, "date"), *zone = json_get_str(start, "timeZone");
    int64_t days;
    if (rule->all_day)
        return date && date_parse(date, strlen(date), &days) == 0 &&
               days * SECONDS_PER_DAY == rule->dtstart;
    return !date && zone && strcmp(zone, rule->zone) == 0 &&
           instant_of(event, "start", NULL) == tz_to_utc(tz_find(zone), rule->dtstart);
}

/* The result of libical, where it is right. */
static bool independent(const struct rule *rule, struct answer *ret)
{
    struct arena a;
    struct answer own;
    arena_init(&a, 0);
    bool sound = !rule_dangerous(rule) && rule_ours(rule_parse(&a, rule), RECUR_BEGINNING, &own) &&
                 !rule_sparse(rule, &own) && rule_explained(rule, &own) == N_FAMILIES;
    arena_done(&a);
    if (!sound)
        return false;
    rule_by_libical(rule, ret);
    /* Its calendar ends with the year 2582. */
    return ret->n > 0 && (ret->n == INSTANCES || ret->ended);
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static size_t add_originals(int64_t *list, size_t n, size_t max, const struct json *items,
                            const char *series, const struct rule *rule, int64_t last)
{
    int64_t at;
    for (uint32_t i = 0; items && i < items->n && n < max; i++) {
        const char *of = json_get_str(&items->items[i], "recurringEventId");
        if (of && strcmp(of, series) == 0 && original_start(&items->items[i], rule, &at) &&
            at <= last)
            list[n++] = at;
    }
    qsort(list, n, sizeof *list, compare);
    size_t unique = 0;
    for (size_t i = 0; i < n; i++)
        if (!i || list[i] != list[i - 1])
            list[unique++] = list[i];
    return unique;
}

static void show_instances(struct run *r, enum person who, const char *path,
                           const struct rule *rule, const struct answer *answer)
{
    struct buf b;
    char text[STAMP_TEXT];
    buf_init(&b, 0);
    buf_puts(&b, "{\"items\":[\"${contains}\"");
    for (int i = 0; i < answer->n; i++) {
        if (rule->all_day)
            date_format(text, answer->at[i] / SECONDS_PER_DAY);
        else
            stamp_format(text, answer->at[i] * US_PER_SECOND, 0, 0, true);
        buf_printf(&b,
                   ",{\"originalStartTime\":{\"%s\":\"%s\",\"...\":\"${any}\"},\"...\":\"${any}\"}",
                   rule->all_day ? "date" : "dateTime", text);
    }
    buf_puts(&b, "],\"...\":\"${any}\"}");
    shows(r, r->n_made, who, path, 200, buf_keep(&b, &r->arena));
}

static bool check_series(struct run *r, const struct slot *s)
{
    enum { MOST = 600 };
    struct arena *a = &r->arena;
    enum person who = shelf_owner[s->shelf];
    struct answer answer;
    char until[STAMP_TEXT];
    int64_t list[MOST];
    const struct json *items, *exceptions;
    const char *base = arena_printf(a, "/calendars/%s/events", shelf_ids[s->shelf]);
    const struct reply *event = ask(r, who, "GET", arena_printf(a, "%s/%s", base, s->id), NULL);
    const struct json *recurrence = json_get(event->body, "recurrence");
    if (event->status != 200 || is_cancelled(event->body) || !recurrence || recurrence->n != 1 ||
        !starts_with_rule(event->body, s->rule) || !independent(s->rule, &answer))
        return true;
    int64_t last = answer.at[answer.n - 1];
    stamp_format(until, (last + (s->rule->all_day ? 2 * SECONDS_PER_DAY : 1)) * US_PER_SECOND, 0, 0,
                 true);
    const char *path = arena_printf(a, "%s/%s/instances?showDeleted=true&timeZone=UTC&timeMax=%s",
                                    base, s->id, until);
    if (ask_list(r, who, path, 2500, &items, NULL) != 200)
        return fails(r, &property_instances, "%s is refused", path);
    /* Moved instances may lie beyond the bound. */
    ask_list(r, who, arena_printf(a, "%s?showDeleted=true&timeZone=UTC", base), 2500, &exceptions,
             NULL);
    if (answer.ended)
        last = INT64_MAX;
    size_t n = add_originals(list, 0, MOST, items, s->id, s->rule, last);
    n = add_originals(list, n, MOST, exceptions, s->id, s->rule, last);
    if (n == (size_t)answer.n && memcmp(list, answer.at, n * sizeof *list) == 0)
        return true;
    fails(r, &property_instances, "%s: %zu instances of %s, where libical has %d", path, n,
          s->rule->text, answer.n);
    show_instances(r, who, path, s->rule, &answer);
    return false;
}

static bool end_instances(struct run *r)
{
    for (size_t i = 0; i < r->n_made; i++) {
        const struct op *op = r->made[i].op;
        const struct slot *s = &r->slots[op->number];
        if (op->kind == OP_INSERT && s->there && s->rule && !check_series(r, s))
            return false;
    }
    return true;
}

static void spoil_instances(struct run *r, enum person who, const char *verb, const char *path,
                            struct reply *reply)
{
    if (strstr(path, "/instances"))
        reply->body = without_last(&r->arena, reply->body, "items");
}

const struct property property_instances = {
    .name = "instances-by-libical",
    .says = "a series has the instances that libical expands its rule to, where libical is sound",
    .end = end_instances,
    .spoil = spoil_instances,
};

/* ---- busy times ---- */

struct span {
    int64_t from, to;
};

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

/* Joins what overlaps or touches. */
static size_t merge(struct span *s, size_t n)
{
    size_t out = 0;
    qsort(s, n, sizeof *s, by_start);
    for (size_t i = 0; i < n; i++) {
        if (s[i].to <= s[i].from)
            continue;
        if (out && s[i].from <= s[out - 1].to) {
            if (s[i].to > s[out - 1].to)
                s[out - 1].to = s[i].to;
        } else {
            s[out++] = s[i];
        }
    }
    return out;
}

static bool declined(const struct json *event)
{
    const struct json *guests = json_get(event, "attendees");
    for (uint32_t i = 0; guests && i < guests->n; i++) {
        const struct json *self = json_get(&guests->items[i], "self");
        const char *answer = json_get_str(&guests->items[i], "responseStatus");
        if (self && self->truth && answer && strcmp(answer, "declined") == 0)
            return true;
    }
    return false;
}

static size_t spans_of_list(struct arena *a, const struct json *items, const struct tz *zone,
                            struct span **ret)
{
    struct span *s = arena_calloc(a, items->n, sizeof *s);
    size_t n = 0;
    for (uint32_t i = 0; i < items->n; i++) {
        const struct json *e = &items->items[i];
        if (json_get(e, "transparency") || is_cancelled(e) || declined(e))
            continue;
        s[n++] = (struct span){instant_of(e, "start", zone), instant_of(e, "end", zone)};
    }
    *ret = s;
    return merge(s, n);
}

static int64_t bound(const char *text)
{
    struct stamp at;
    return stamp_parse(text, strlen(text), false, &at) < 0
               ? 0
               : at.local_us / US_PER_SECOND - at.offset;
}

static size_t spans_of_busy(struct arena *a, const struct json *busy, struct span **ret)
{
    struct span *s = arena_calloc(a, busy ? busy->n : 0, sizeof *s);
    size_t n = 0;
    for (uint32_t i = 0; busy && i < busy->n; i++) {
        const char *from = json_get_str(&busy->items[i], "start");
        const char *to = json_get_str(&busy->items[i], "end");
        if (from && to)
            s[n++] = (struct span){bound(from), bound(to)};
    }
    *ret = s;
    return merge(s, n);
}

static void show_busy(struct run *r, enum person who, const char *send, const struct span *s,
                      size_t n)
{
    struct buf b;
    char from[STAMP_TEXT], to[STAMP_TEXT];
    buf_init(&b, 0);
    buf_puts(&b, "{\"calendars\":{\"primary\":{\"busy\":[");
    for (size_t i = 0; i < n; i++) {
        stamp_format(from, s[i].from * US_PER_SECOND, 0, 0, true);
        stamp_format(to, s[i].to * US_PER_SECOND, 0, 0, true);
        buf_printf(&b, "%s{\"start\":\"%s\",\"end\":\"%s\"}", i ? "," : "", from, to);
    }
    buf_puts(&b, "]}},\"...\":\"${any}\"}");
    shows(r, r->n_made, who, "/freeBusy", 200, arena_strdup(&r->arena, buf_str(&b)));
    struct demo *d = &r->failure.demos[r->failure.n_demos - 1];
    d->verb = "POST";
    d->send = send;
    buf_done(&b);
}

static bool end_busy(struct run *r)
{
    static const char send[] = "{\"timeMin\":\"" RANGE_MIN "\",\"timeMax\":\"" RANGE_MAX
                               "\",\"items\":[{\"id\":\"primary\"}]}";
    for (int who = 0; who < N_PEOPLE; who++) {
        const struct json *items;
        const struct reply *last;
        struct span *listed, *given;
        const struct reply *reply = ask(r, (enum person)who, "POST", "/freeBusy", send);
        int status = ask_list(r, (enum person)who,
                              "/calendars/primary/events?singleEvents=true&timeMin=" RANGE_MIN
                              "&timeMax=" RANGE_MAX,
                              2500, &items, &last);
        if (status != 200 || reply->status != 200)
            return fails(r, &property_busy, "a query of %s's is refused", person_names[who]);
        const struct tz *zone = tz_find(json_get_str(last->body, "timeZone"));
        const struct json *calendar = json_get(json_get(reply->body, "calendars"), "primary");
        size_t n = spans_of_list(&r->arena, items, zone, &listed);
        size_t m = spans_of_busy(&r->arena, json_get(calendar, "busy"), &given);
        if (n == m && memcmp(listed, given, n * sizeof *listed) == 0)
            continue;
        fails(r, &property_busy, "%s has %zu busy times by the list, and %zu by freeBusy",
              person_names[who], n, m);
        show_busy(r, (enum person)who, send, listed, n);
        return false;
    }
    return true;
}

static void spoil_busy(struct run *r, enum person who, const char *verb, const char *path,
                       struct reply *reply)
{
    static const char none[] = "{\"calendars\":{\"primary\":{\"busy\":[]}}}";
    if (strcmp(path, "/freeBusy") == 0)
        json_parse(&r->arena, none, sizeof none - 1, NULL, &reply->body, NULL);
}

const struct property property_busy = {
    .name = "busy-is-listed",
    .says = "busy times are those of the listed events that block time",
    .end = end_busy,
    .spoil = spoil_busy,
};

/* ---- refused calls ---- */

struct refused_state {
    uint64_t before; /* the world before the call; 0: none */
};

static bool before_refused(struct run *r, const struct op *op)
{
    struct refused_state *s = property_state(r, &property_refused, sizeof *s);
    struct sosia_err err;
    if (s->before)
        sosia_world_drop(r->engine, s->before, NULL);
    if (sosia_world_fork(r->engine, r->world, NULL, &s->before, &err) < 0)
        return fails(r, &property_refused, "%s", err.text);
    return true;
}

static bool after_refused(struct run *r, const struct made *m)
{
    struct refused_state *s = property_state(r, &property_refused, sizeof *s);
    char was[65], is[65];
    struct sosia_err err;
    if (m->status < 400)
        return true;
    if (sosia_world_hash(r->engine, s->before, was, &err) < 0 ||
        sosia_world_hash(r->engine, r->world, is, &err) < 0)
        return fails(r, &property_refused, "%s", err.text);
    if (strcmp(was, is) == 0)
        return true;
    const char *path =
        arena_printf(&r->arena, "/calendars/%s/events?showDeleted=true", shelf_ids[m->op->shelf]);
    fails(r, &property_refused, "%s %s was refused (%d) and changed something", m->verb, m->path,
          m->status);
    shows(r, r->n_made - 1, shelf_owner[m->op->shelf], path, 200,
          "{\"items\":\"${>items}\",\"...\":\"${any}\"}");
    shows(r, r->n_made, shelf_owner[m->op->shelf], path, 200,
          "{\"items\":\"${=items}\",\"...\":\"${any}\"}");
    return false;
}

static bool end_refused(struct run *r)
{
    struct refused_state *s = property_state(r, &property_refused, sizeof *s);
    if (s->before)
        sosia_world_drop(r->engine, s->before, NULL);
    s->before = 0;
    return true;
}

/* A faulty server that does not undo: an event is left over. */
static void spoil_refused(struct run *r, enum person who, const char *verb, const char *path,
                          struct reply *reply)
{
    static const char body[] = "{\"summary\":\"Left\",\"start\":{\"date\":\"2026-12-01\"},\"end\":{"
                               "\"date\":\"2026-12-02\"}}";
    const struct property *spoilt = r->spoilt;
    if (reply->status < 400 || strcmp(verb, "GET") == 0)
        return;
    r->spoilt = NULL;
    ask(r, ADA, "POST", "/calendars/primary/events", body);
    r->spoilt = spoilt;
}

const struct property property_refused = {
    .name = "refused-changes-nothing",
    .says = "a call that is refused leaves the world as it was",
    .before = before_refused,
    .after = after_refused,
    .end = end_refused,
    .spoil = spoil_refused,
};
