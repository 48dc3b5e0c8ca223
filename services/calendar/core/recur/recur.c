/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts rules and dates together to a set, and readings of the wall clock on the axis of instants.
 *
 * Rules give readings in order. Instants have the same order but for the hour after a gap, where
 * the readings that were skipped fall among those that were not: there both are generated. A series
 * of dates has its own axis, midnights as if in UTC, and meets its zone only at the edges of this
 * interface.
 */
#include "services/calendar/core/recur/recur.h"
#include "engine/base/buf.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this from a change of offset, readings and instants have the same order. */
#define NEAR (INT64_C(48) * 3600)
/* Excluded instances that one call passes over. */
#define EXCLUDED_MAX 100000

struct recur {
    struct recur_start start;
    const struct tz *axis; /* NULL: readings are instants (UTC, or dates) */
    int64_t dtstart;       /* on the axis */
    const struct rrule *rules[2 * RECUR_MAX_RULES]; /* half a kilobyte each, and mostly one */
    unsigned n_rules, n_exrules;                    /* EXRULEs are from RECUR_MAX_RULES on */
    const int64_t *rdates, *exdates;                /* on the axis, ascending, each once */
    uint32_t n_rdates, n_exdates;
};

/* ---- lines ---- */

struct line {
    const char *name;
    size_t name_len;
    const char *tzid, *value_type; /* NULL: none */
    size_t tzid_len, value_type_len;
    const char *value;
    size_t len;
};

struct dates {
    int64_t *at;
    uint32_t n;
    size_t cap;
};

struct set_parser {
    struct arena *arena;
    struct recur *set;
    struct sosia_err *err;
    struct dates rdates, exdates;
};

__attribute__((format(printf, 2, 3))) static int bad(struct set_parser *p, const char *fmt, ...)
{
    char text[160];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return sosia_fail(p->err, SOSIA_E_INVALID, "invalid", "recurrence", "Invalid recurrence: %s.",
                      text);
}

/* The end of a parameter's value: a semicolon or colon outside quotes; NULL when there is none. */
static const char *param_end(const char *p)
{
    for (bool quoted = false; *p; p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (!quoted && (*p == ';' || *p == ':'))
            return p;
    }
    return NULL;
}

static int split_line(struct set_parser *p, const char *text, struct line *ret)
{
    struct line l = {.name = text, .name_len = strcspn(text, ";:")};
    const char *at = text + l.name_len;
    while (*at == ';') {
        const char *name = at + 1, *equals = name + strcspn(name, "=;:");
        const char *end = *equals == '=' ? param_end(equals + 1) : NULL;
        if (!end)
            return bad(p, "a parameter of \"%.40s\" is broken", text);
        const char *value = equals + 1;
        size_t len = (size_t)(end - value);
        if (len >= 2 && value[0] == '"' && value[len - 1] == '"')
            value++, len -= 2;
        if (str_is_nocase(name, (size_t)(equals - name), "TZID"))
            l.tzid = value, l.tzid_len = len;
        else if (str_is_nocase(name, (size_t)(equals - name), "VALUE"))
            l.value_type = value, l.value_type_len = len;
        at = end;
    }
    if (*at != ':')
        return bad(p, "\"%.40s\" has no colon", text);
    l.value = at + 1;
    l.len = strlen(l.value);
    *ret = l;
    return 0;
}

const char *recur_value(const char *line)
{
    struct set_parser p = {0};
    struct line l;
    return split_line(&p, line, &l) < 0 ? NULL : l.value;
}

static int take_rule(struct set_parser *p, const struct line *l, bool exclude)
{
    struct recur *set = p->set;
    unsigned *n = exclude ? &set->n_exrules : &set->n_rules;
    if (*n == RECUR_MAX_RULES)
        return bad(p, "there are more than %d rules", RECUR_MAX_RULES);
    struct rrule *r = arena_alloc(p->arena, sizeof *r);
    if (arena_failed(p->arena))
        return sosia_fail_memory(p->err);
    if (rrule_parse(p->arena, l->value, l->len, set->start.local_s, set->start.all_day, r, p->err) <
        0)
        return -1;
    set->rules[(exclude ? RECUR_MAX_RULES : 0) + (*n)++] = r;
    return 0;
}

static void add_date(struct set_parser *p, struct dates *d, int64_t at)
{
    void *list = arena_grow(p->arena, d->at, d->n, &d->cap, sizeof *d->at);
    if (!list)
        return; /* its owner drops all of this */
    d->at = list;
    d->at[d->n++] = at;
}

/* The shape of a duration (3.3.6); an RDATE's period may end in one. */
static bool is_duration(const char *text, size_t len)
{
    size_t at = len && (*text == '+' || *text == '-') ? 1 : 0;
    if (len < at + 3 || text[at] != 'P')
        return false;
    for (at++; at < len; at++)
        if (!strchr("0123456789WDTHMS", text[at]) || !text[at])
            return false;
    return strchr("WDHMS", text[len - 1]) != NULL;
}

static int take_date(struct set_parser *p, const struct line *l, const struct tz *tz,
                     const char *text, size_t len, struct dates *into)
{
    const struct recur *set = p->set;
    const char *slash = memchr(text, '/', len);
    size_t first = slash ? (size_t)(slash - text) : len, rest = slash ? len - first - 1 : 0;
    enum rrule_form form, end_form;
    int64_t at, end;
    if (rrule_time(text, first, &form, &at) < 0 || (slash && form == RRULE_FORM_DATE) ||
        (slash && rrule_time(slash + 1, rest, &end_form, &end) < 0 &&
         !is_duration(slash + 1, rest)))
        return bad(p, "\"%.*s\" is not a time", (int)(len > 40 ? 40 : len), text);
    if (l->value_type &&
        (str_is_nocase(l->value_type, l->value_type_len, "DATE")) != (form == RRULE_FORM_DATE))
        return bad(p, "\"%.*s\" is not of the type VALUE says", (int)(len > 40 ? 40 : len), text);
    /* A date in a timed series stands for its midnight; a time in a series of dates for its date.
     */
    if (set->start.all_day)
        at -= ((at % SECONDS_PER_DAY) + SECONDS_PER_DAY) % SECONDS_PER_DAY;
    else if (form != RRULE_FORM_UTC && tz)
        at = tz_to_utc(tz, at);
    add_date(p, into, at);
    return 0;
}

static int take_dates(struct set_parser *p, const struct line *l, bool exclude)
{
    const struct tz *tz = p->set->start.tz;
    if (l->tzid) {
        char name[72];
        if (l->tzid_len >= sizeof name)
            return bad(p, "the TZID is too long");
        memcpy(name, l->tzid, l->tzid_len);
        name[l->tzid_len] = 0;
        tz = tz_find(name);
        if (!tz)
            return bad(p, "there is no time zone \"%s\"", name);
    }
    bool period = l->value_type && str_is_nocase(l->value_type, l->value_type_len, "PERIOD");
    if (l->value_type && !(period && !exclude) &&
        !str_is_nocase(l->value_type, l->value_type_len, "DATE") &&
        !str_is_nocase(l->value_type, l->value_type_len, "DATE-TIME"))
        return bad(p, "VALUE can't be \"%.*s\"",
                   (int)(l->value_type_len > 40 ? 40 : l->value_type_len), l->value_type);
    const char *text = l->value, *end = l->value + l->len;
    for (;; text++) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        size_t len = (size_t)((comma ? comma : end) - text);
        if (p->rdates.n + p->exdates.n >= RECUR_MAX_DATES)
            return bad(p, "there are more than %d dates", RECUR_MAX_DATES);
        if (exclude && memchr(text, '/', len))
            return bad(p, "EXDATE can't have periods");
        if (take_date(p, l, tz, text, len, exclude ? &p->exdates : &p->rdates) < 0)
            return -1;
        text += len;
        if (!comma)
            return 0;
    }
}

static int take_line(struct set_parser *p, const char *text)
{
    struct line l = {0};
    if (split_line(p, text, &l) < 0)
        return -1;
    if (str_is_nocase(l.name, l.name_len, "RRULE"))
        return take_rule(p, &l, false);
    if (str_is_nocase(l.name, l.name_len, "EXRULE"))
        return take_rule(p, &l, true);
    if (str_is_nocase(l.name, l.name_len, "RDATE"))
        return take_dates(p, &l, false);
    if (str_is_nocase(l.name, l.name_len, "EXDATE"))
        return take_dates(p, &l, true);
    return bad(p, "\"%.*s\" is not RRULE, EXRULE, RDATE or EXDATE",
               (int)(l.name_len > 40 ? 40 : l.name_len), l.name);
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t sort_unique(struct dates *d)
{
    uint32_t n = 0;
    if (d->n)
        qsort(d->at, d->n, sizeof *d->at, compare);
    for (uint32_t i = 0; i < d->n; i++)
        if (!i || d->at[i] != d->at[i - 1])
            d->at[n++] = d->at[i];
    return n;
}

int recur_parse(struct arena *a, const char *const *lines, size_t n,
                const struct recur_start *start, const struct recur **ret_recur,
                struct sosia_err *err)
{
    struct recur *set = arena_calloc(a, 1, sizeof *set);
    struct set_parser p = {.arena = a, .set = set, .err = err};
    if (arena_failed(a))
        return sosia_fail_memory(err);
    if (n > RECUR_MAX_LINES)
        return bad(&p, "there are more than %d lines", RECUR_MAX_LINES);
    if (start->local_s < RRULE_START || start->local_s > RRULE_END)
        return bad(&p, "the start is not in the years 1 to 9999");
    set->start = *start;
    set->axis = start->all_day ? NULL : start->tz;
    set->dtstart = start->local_s;
    if (start->all_day)
        set->dtstart -= ((start->local_s % SECONDS_PER_DAY) + SECONDS_PER_DAY) % SECONDS_PER_DAY;
    set->start.local_s = set->dtstart;
    if (!start->all_day && start->has_utc)
        set->dtstart = start->utc_s;
    else if (set->axis)
        set->dtstart = tz_to_utc(set->axis, start->local_s);
    for (size_t i = 0; i < n; i++)
        if (take_line(&p, lines[i]) < 0)
            return -1;
    set->n_rdates = sort_unique(&p.rdates);
    set->n_exdates = sort_unique(&p.exdates);
    set->rdates = p.rdates.at;
    set->exdates = p.exdates.at;
    if (arena_failed(a))
        return sosia_fail_memory(err);
    *ret_recur = set;
    return 0;
}

/* ---- instants of a rule ---- */

static bool in_range(const struct tz_range *r, int64_t utc)
{
    return r->abbreviation && utc >= r->from && utc < r->to;
}

/* The instant of the first reading that a rule gives at or after one: its own, or, when the clock
 * skips it, that of a later reading that comes before it. */
static int64_t instant_of(struct recur_iter *it, struct rrule_walk *w, int64_t local)
{
    const struct tz *tz = it->recur->axis;
    int64_t utc = tz_to_utc_near(tz, local, &it->range);
    if (utc + it->range.offset == local)
        return utc;
    int64_t after = rrule_next(w, it->range.from + it->range.offset);
    if (after == RRULE_NEVER)
        return utc;
    after = tz_to_utc_near(tz, after, &it->range);
    return after < utc ? after : utc;
}

/* As rule_next() below, where the offset changed shortly before. */
static int64_t next_near_change(struct recur_iter *it, struct rrule_walk *w, int64_t utc)
{
    const struct tz_range r = it->range;
    struct tz_range earlier;
    tz_range(it->recur->axis, r.from - 1, &earlier);
    int64_t local = utc + r.offset, found = RRULE_NEVER;
    /* Readings that came twice belong to the earlier range. */
    if (local < r.from + earlier.offset)
        local = r.from + earlier.offset;
    local = rrule_next(w, local);
    if (local != RRULE_NEVER)
        found = local - r.offset < r.to ? local - r.offset : instant_of(it, w, local);
    /* Readings that were skipped lie this far into the range. */
    if (utc < r.from + r.offset - earlier.offset) {
        local = rrule_next(w, utc + earlier.offset);
        if (local < r.from + r.offset && local - earlier.offset < found)
            found = local - earlier.offset;
    }
    return found;
}

/* A rule's first instant at or after one. */
static int64_t rule_next(struct recur_iter *it, struct rrule_walk *w, int64_t at)
{
    const struct rrule *rule = w->rule;
    int64_t found;
    if (at < it->recur->dtstart)
        at = it->recur->dtstart;
    if (at > RRULE_END + NEAR)
        return RRULE_NEVER;
    if (!it->recur->axis) {
        found = rrule_next(w, at);
    } else {
        if (!in_range(&it->range, at))
            tz_range(it->recur->axis, at, &it->range);
        if (it->range.from != INT64_MIN && at - it->range.from < NEAR) {
            found = next_near_change(it, w, at);
        } else {
            int64_t local = rrule_next(w, at + it->range.offset);
            if (local == RRULE_NEVER)
                return RRULE_NEVER;
            found = local - it->range.offset < it->range.to ? local - it->range.offset
                                                            : instant_of(it, w, local);
        }
    }
    return rule->until_kind == RRULE_UNTIL_UTC && found > rule->until ? RRULE_NEVER : found;
}

/* ---- iteration ---- */

static uint32_t lower_bound(const int64_t *at, uint32_t n, int64_t value)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (at[mid] < value)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The midnight, as if in UTC, of the first day that begins at or after an instant. */
static int64_t first_day(const struct tz *tz, int64_t utc)
{
    if (utc < RRULE_START || utc > RRULE_END + NEAR)
        return utc;
    int64_t local = utc + (tz ? tz_offset(tz, utc) : 0);
    int64_t day =
        local - ((local % SECONDS_PER_DAY) + SECONDS_PER_DAY) % SECONDS_PER_DAY - SECONDS_PER_DAY;
    while ((tz ? tz_to_utc(tz, day) : day) < utc)
        day += SECONDS_PER_DAY;
    return day;
}

static void advance(struct recur_iter *it, struct recur_iter_rule *r, int64_t at)
{
    r->head = rule_next(it, &r->walk, at);
    if (r->walk.steps >= RRULE_STEPS)
        it->gave_up = true;
}

void recur_iter_init(struct recur_iter *it, const struct recur *recur, int64_t from_utc_s)
{
    int64_t from = recur->start.all_day ? first_day(recur->start.tz, from_utc_s) : from_utc_s;
    it->recur = recur;
    it->gave_up = false;
    memset(&it->range, 0, sizeof it->range);
    it->dtstart_left = recur->dtstart >= from;
    it->rdate = lower_bound(recur->rdates, recur->n_rdates, from);
    for (unsigned i = 0; i < recur->n_rules; i++) {
        rrule_walk_init(&it->rules[i].walk, recur->rules[i]);
        advance(it, &it->rules[i], from);
    }
    for (unsigned i = 0; i < recur->n_exrules; i++) {
        struct recur_iter_rule *r = &it->rules[RECUR_MAX_RULES + i];
        rrule_walk_init(&r->walk, recur->rules[RECUR_MAX_RULES + i]);
        r->head = INT64_MIN; /* read when there is something to exclude */
    }
}

static bool excluded(struct recur_iter *it, int64_t at)
{
    const struct recur *recur = it->recur;
    uint32_t i = lower_bound(recur->exdates, recur->n_exdates, at);
    if (i < recur->n_exdates && recur->exdates[i] == at)
        return true;
    for (unsigned k = 0; k < recur->n_exrules; k++) {
        struct recur_iter_rule *r = &it->rules[RECUR_MAX_RULES + k];
        if (r->head < at)
            advance(it, r, at);
        if (r->head == at)
            return true;
    }
    return false;
}

bool recur_next(struct recur_iter *it, struct recur_instance *ret)
{
    const struct recur *recur = it->recur;
    for (unsigned i = 0; i < recur->n_rules; i++)
        it->rules[i].walk.steps = 0;
    for (unsigned i = 0; i < recur->n_exrules; i++)
        it->rules[RECUR_MAX_RULES + i].walk.steps = 0;
    for (int passed = 0;; passed++) {
        int64_t at = it->dtstart_left ? recur->dtstart : RRULE_NEVER;
        if (it->rdate < recur->n_rdates && recur->rdates[it->rdate] < at)
            at = recur->rdates[it->rdate];
        for (unsigned i = 0; i < recur->n_rules; i++)
            if (it->rules[i].head < at)
                at = it->rules[i].head;
        if (at == RRULE_NEVER)
            return false;
        if (passed == EXCLUDED_MAX) {
            it->gave_up = true;
            return false;
        }
        it->dtstart_left &= at != recur->dtstart;
        it->rdate += it->rdate < recur->n_rdates && recur->rdates[it->rdate] == at;
        for (unsigned i = 0; i < recur->n_rules; i++)
            if (it->rules[i].head == at)
                advance(it, &it->rules[i], at + 1);
        if (excluded(it, at))
            continue;
        if (recur->start.all_day) {
            ret->local_s = at;
            ret->utc_s = recur->start.tz ? tz_to_utc_near(recur->start.tz, at, &it->range) : at;
        } else {
            ret->utc_s = at;
            if (recur->axis && !in_range(&it->range, at))
                tz_range(recur->axis, at, &it->range);
            ret->local_s = at + (recur->axis ? it->range.offset : 0);
        }
        return true;
    }
}

/* ---- the whole set ---- */

int64_t recur_last(const struct recur *recur)
{
    int64_t last = recur->dtstart;
    if (recur->n_rdates && recur->rdates[recur->n_rdates - 1] > last)
        last = recur->rdates[recur->n_rdates - 1];
    for (unsigned i = 0; i < recur->n_rules; i++) {
        const struct rrule *r = recur->rules[i];
        if (!r->bounded && !r->never)
            return RECUR_FOREVER;
        if (r->never)
            continue;
        int64_t end = r->until_kind == RRULE_UNTIL_UTC ? r->until
                      : recur->axis                    ? tz_to_utc(recur->axis, r->last)
                                                       : r->last;
        last = end > last ? end : last;
    }
    return recur->start.all_day && recur->start.tz ? tz_to_utc(recur->start.tz, last) : last;
}

bool recur_contains(const struct recur *recur, int64_t utc_s)
{
    struct recur_iter it;
    struct recur_instance first;
    recur_iter_init(&it, recur, utc_s);
    return recur_next(&it, &first) && first.utc_s == utc_s;
}
