/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seed documents: what a world is made from. Format: docs/seed.md. The head (name, time, zone,
 * seed) is read here, relative times are made absolute, and each section goes to the core that owns
 * it, in the order of the services.
 */
#include "engine/base/codec.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/text/civil.h"
#include "engine/json/doc.h"
#include "engine/state/dump.h"
#include "engine/state/stored.h"
#include "engine/store/rest.h"
#include "engine/text/tz.h"
#include "engine/world/engine.h"
#include <stdlib.h>
#include <xxhash.h>

#define MAX_SEED   ((size_t)1 << 30)
#define LEFT_SEED  ((size_t)1 << 16) /* bytes of a document whose making leaves much behind */
#define LARGE_SEED ((size_t)1 << 20)

static const char *const head_members[] = {"sosia", "name", "title", "time",
                                           "zone",  "seed", "rates", "journal"};

/* Names of all members that a document may have. */
static const char *const *all_members(struct sosia_engine *e, struct arena *a)
{
    size_t n = SOSIA_LEN(head_members);
    for (const struct sosia_core **c = e->cores; *c; c++)
        n += (*c)->n_sections;
    const char **names = arena_alloc(a, (n + 1) * sizeof *names);
    memcpy(names, head_members, sizeof head_members);
    n = SOSIA_LEN(head_members);
    for (const struct sosia_core **c = e->cores; *c; c++)
        for (size_t i = 0; i < (*c)->n_sections; i++)
            names[n++] = (*c)->sections[i].name;
    names[n] = NULL;
    return names;
}

/* What a document has about its world before anything is applied. */
struct seed_head {
    int64_t now_us; /* INT64_MIN: none */
    uint64_t seed;  /* 0: none */
    bool rates;     /* the vendors' rate limits hold */
    /* Of a new world's journal; -1: as usual. */
    int mode, keep;
    int64_t steps, step_bytes, bytes;
};

/* "journal": settings, which no dump has, since they are none of the state. */
static int read_journal(struct doc *d, const struct json *doc, struct seed_head *ret)
{
    static const char *const names[] = {"mode", "keep", "steps", "step_bytes", "bytes", NULL};
    static const char *const modes[] = {"writes", "none", "all", NULL};
    const int64_t most = (int64_t)WORLD_MIB_MAX << 20;
    const struct json *v = json_get(doc, "journal");
    ret->mode = ret->keep = -1;
    ret->steps = ret->step_bytes = ret->bytes = -1;
    if (!v || v->type == JSON_NULL)
        return 0;
    size_t mark = doc_push(d, "journal", -1);
    int rc = doc_object(d, v, names) < 0 || doc_enum(d, v, "mode", modes, -1, &ret->mode) < 0 ||
                     doc_enum(d, v, "keep", journal_keeps, -1, &ret->keep) < 0 ||
                     doc_int(d, v, "steps", 0, WORLD_STEPS_MAX, -1, &ret->steps) < 0 ||
                     doc_int(d, v, "step_bytes", 0, most, -1, &ret->step_bytes) < 0 ||
                     doc_int(d, v, "bytes", 0, most, -1, &ret->bytes) < 0
                 ? -1
                 : 0;
    doc_pop(d, mark);
    return rc;
}

/* asked: the mode in the options; it is the document's if that is the usual. */
static void set_journal(struct world *w, const struct seed_head *head,
                        enum sosia_journal_mode asked)
{
    if (head->mode >= 0 && asked == SOSIA_JOURNAL_WRITES)
        w->flags = (w->flags & ~(uint32_t)WORLD_JOURNAL) | (uint32_t)head->mode << 3;
    if (head->keep >= 0)
        w->flags = (w->flags & ~(uint32_t)WORLD_KEEP) | (uint32_t)head->keep << 11;
    if (head->steps >= 0)
        w->flags = (w->flags & ~(uint32_t)WORLD_STEPS) | (uint32_t)(head->steps + 1) << 16;
    if (head->step_bytes >= 0)
        w->step_mib = world_mib(head->step_bytes);
    if (head->bytes >= 0)
        w->journal_mib = world_mib(head->bytes);
}

/* Of ids: 64 bits, and not 0. *ret stays when it is absent. */
static int read_seed(struct doc *d, const struct json *doc, uint64_t *ret)
{
    const struct json *v = json_get(doc, "seed");
    uint64_t n;
    if (!v || v->type == JSON_NULL)
        return 0;
    if (v->type != JSON_NUMBER || parse_u64(v->str, v->n, &n) < 0 || !n)
        return doc_expect(d, v, "seed", "a whole number from 1 to 18446744073709551615");
    *ret = n;
    return 0;
}

static int read_head(struct sosia_engine *e, struct doc *d, const struct json *doc,
                     struct seed_head *ret, const struct tz **ret_zone)
{
    const char *time, *zone;
    int64_t version;
    struct stamp stamp;
    ret->seed = 0;
    if (doc_object(d, doc, all_members(e, d->arena)) < 0)
        return -1;
    const struct json *v = json_get(doc, "sosia");
    if (!v)
        return doc_fail(d, doc, "sosia", "is missing: a seed document begins with \"sosia: 1\"");
    if (doc_int(d, doc, "sosia", 1, 1, 1, &version) < 0 || read_seed(d, doc, &ret->seed) < 0 ||
        doc_str(d, doc, "time", false, &time) < 0 || doc_str(d, doc, "zone", false, &zone) < 0)
        return -1;
    *ret_zone = tz_find(zone ? zone : "UTC");
    if (!*ret_zone)
        return doc_refuse(d, doc, "zone", "unknown time zone \"%.40s\"", zone);
    if (time && stamp_parse(time, strlen(time), true, &stamp) < 0)
        return doc_refuse(d, doc, "time", "\"%.40s\" is not an RFC 3339 time", time);
    if (doc_bool(d, doc, "rates", false, &ret->rates) < 0 || read_journal(d, doc, ret) < 0)
        return -1;
    ret->now_us = INT64_MIN;
    if (!time)
        return 0;
    int64_t s = stamp.local_us / US_PER_SECOND - (stamp.local_us % US_PER_SECOND < 0);
    int64_t utc = stamp.has_offset ? s - stamp.offset : tz_to_utc(*ret_zone, s);
    ret->now_us = utc * US_PER_SECOND + stamp.local_us - s * US_PER_SECOND;
    if (ret->now_us < TIME_FIRST_US || ret->now_us > TIME_LAST_US)
        return doc_refuse(d, doc, "time", "must be in the years 1 to 9999 in UTC, not \"%.40s\"",
                          time);
    return 0;
}

/* ---- relative times ---- */

static const char *const weekdays[] = {"monday", "tuesday",  "wednesday", "thursday",
                                       "friday", "saturday", "sunday"};

static const char *word(const char *p, char *ret, size_t size)
{
    size_t n = 0;
    while (*p == ' ')
        p++;
    while (*p && *p != ' ' && n + 1 < size)
        ret[n++] = *p++;
    ret[n] = 0;
    return p;
}

/* "+3d", "-2w": days. */
static bool read_shift(const char *w, int64_t *ret)
{
    char *end;
    if ((w[0] != '+' && w[0] != '-') || w[1] < '0' || w[1] > '9')
        return false;
    long n = strtol(w, &end, 10);
    if (n < -100000 || n > 100000 || (strcmp(end, "d") != 0 && strcmp(end, "w") != 0))
        return false;
    *ret = *end == 'w' ? n * 7 : n;
    return true;
}

/* A whole text of the form  [today|tomorrow|yesterday|+Nd|-Nw|next|last] [weekday] [HH:MM[:SS]]:
 * the day, and the time or "". A weekday is that of the week (from Monday) of the day before it. */
static bool read_relative(const char *text, int64_t today, int64_t *ret_day, char ret_time[9])
{
    char w[16];
    int64_t day = today, shift;
    bool something = false;
    const char *p = word(text, w, sizeof w);
    if (strcmp(w, "today") == 0 || strcmp(w, "tomorrow") == 0 || strcmp(w, "yesterday") == 0) {
        day += w[2] == 'm' ? 1 : w[0] == 'y' ? -1 : 0;
        something = true;
    } else if (read_shift(w, &shift)) {
        day += shift;
        something = true;
    } else if (strcmp(w, "next") == 0 || strcmp(w, "last") == 0) {
        day += w[0] == 'n' ? 7 : -7;
    } else {
        p = text;
    }
    const char *after = word(p, w, sizeof w);
    for (int i = 0; i < 7; i++) {
        if (strcmp(w, weekdays[i]) == 0) {
            int64_t monday = day - (weekday_from_days(day) + 6) % 7;
            day = monday + i;
            something = true;
            p = after;
            word(p, w, sizeof w);
        }
    }
    ret_time[0] = 0;
    size_t n = strlen(w);
    if (something && (n == 5 || (n == 8 && w[5] == ':')) && w[2] == ':' && w[0] >= '0' &&
        w[0] <= '2') {
        memcpy(ret_time, w, n + 1);
        p = word(p, w, sizeof w);
    }
    word(p, w, sizeof w);
    *ret_day = day;
    return something && !w[0];
}

static bool is_time_member(const char *key)
{
    static const char *const names[] = {
        "start",    "end",      "date",      "at",        "until",   "originalStart",
        "received", "created",  "modified",  "viewed",    "shared",  "trashed",
        "expires",  "set",      "read",      "joined",    "updated", "snooze",
        "complete", "disabled", "pinned_at", "installed", "due",     "completed"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (strcmp(key, names[i]) == 0)
            return true;
    return false;
}

/* What has members whose names people or programs choose: a text in there is no time, whatever its
 * name is. */
static bool has_free_names(const char *key)
{
    static const char *const names[] = {"properties", "ownProperties", "appProperties", "extra",
                                        "metadata",   "inputs",        "outputs"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (strcmp(key, names[i]) == 0)
            return true;
    return false;
}

/* In the members that hold times, relative ones become "2026-11-24T10:00" or "2026-11-24". The tree
 * is ours to change. */
static void resolve(struct arena *a, const struct json *value, int64_t today)
{
    if (value->type == JSON_ARRAY)
        for (uint32_t i = 0; i < value->n; i++)
            resolve(a, &value->items[i], today);
    if (value->type != JSON_OBJECT)
        return;
    for (uint32_t i = 0; i < value->n; i++) {
        struct json *v = (struct json *)&value->members[i].value;
        int64_t day;
        char time[16], date[DATE_TEXT];
        if (v->type != JSON_STRING) {
            if (!has_free_names(value->members[i].key))
                resolve(a, v, today);
        } else if (is_time_member(value->members[i].key) &&
                   read_relative(v->str, today, &day, time)) {
            date_format(date, day);
            v->str = arena_printf(a, "%s%s%s", date, time[0] ? "T" : "", time);
            v->n = (uint32_t)strlen(v->str);
        }
    }
}

/* ---- applying ---- */

/* What of the head a dump gives back. */
static int keep_head(struct tx *tx, const struct json *doc)
{
    static const char *const kept[] = {"name", "title", "zone"};
    static struct sql_text q =
        SQL_TEXT("insert or replace into meta (key, value) values (:key, :value)");
    for (size_t i = 0; i < SOSIA_LEN(kept); i++) {
        const char *value = json_get_str(doc, kept[i]);
        if (!value)
            continue;
        if (TX_RUN(tx, &q, arena_printf(tx->arena, "seed.%s", kept[i]), value) < 0)
            return -1;
    }
    return 0;
}

int seed_documents(struct tx *tx, const char **ret)
{
    static struct sql_text q = SQL_TEXT("select value from meta where key = 'documents'");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (!st)
        return -1;
    int r = TX_STEP(tx, st);
    if (r == 1) {
        *ret = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 0));
        sql_done(st);
    }
    return r;
}

static int keep_hash(struct tx *tx, const struct doc *d)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into meta (key, value) values ('documents', :hash)");
    const char *before = "";
    char hex[33];
    XXH128_canonical_t h;
    int r = seed_documents(tx, &before);
    if (r < 0)
        return -1;
    XXH128_canonicalFromHash(&h, XXH3_128bits(d->text, d->len));
    hex_encode(hex, h.digest, sizeof h.digest);
    if (r == 1) {
        const char *both = arena_printf(tx->arena, "%s%s", before, hex);
        XXH128_canonicalFromHash(&h, XXH3_128bits(both, strlen(both)));
        hex_encode(hex, h.digest, sizeof h.digest);
    }
    return TX_RUN(tx, &q, hex);
}

/* Applies a document that was read into the arena of an open write transaction. */
static int apply(struct tx *tx, struct doc *d, const struct json *doc, const struct tz *zone)
{
    int64_t now = tx->now_us / US_PER_SECOND - (tx->now_us % US_PER_SECOND < 0);
    int64_t local = now + tz_offset(zone, now);
    resolve(tx->arena, doc,
            (local - (local % SECONDS_PER_DAY + SECONDS_PER_DAY) % SECONDS_PER_DAY) /
                SECONDS_PER_DAY);
    for (const struct sosia_core **c = tx->engine->cores; *c; c++) {
        for (size_t i = 0; i < (*c)->n_sections; i++) {
            const struct section *s = &(*c)->sections[i];
            const struct json *value = json_get(doc, s->name);
            size_t mark = doc_push(d, s->name, -1);
            int rc = section_seed(tx, s, d, value);
            if (rc < 0)
                doc_place(d);
            doc_pop(d, mark);
            if (rc < 0)
                return -1;
        }
    }
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (d->len > LARGE_SEED)
        slot_refresh(tx->db);
    return keep_head(tx, doc) < 0 ? -1 : keep_hash(tx, d);
}

/* Why a document could not be applied, where it is larger than the arena that it is read into. */
static int too_much(const struct arena *a, struct sosia_err *err)
{
    return err->code == SOSIA_E_NO_MEMORY && arena_full(a)
               ? sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                            "a document and what is read of it must take at most 1 GiB of memory: "
                            "it can come in several, one after the other")
               : -1;
}

struct seed_note {
    const char *doc, *name;
    size_t len;
    enum journal_keep keep;
};

static void write_note(struct json_writer *w, void *arg)
{
    const struct seed_note *n = arg;
    json_obj(w, "control");
    json_str(w, "do", "seed");
    json_str(w, "name", n->name);
    journal_body(w, "body", n->doc, n->len, false, n->keep);
    json_end(w);
}

int world_seed_on(struct sosia_engine *engine, struct world *w, struct worker *k, const char *doc,
                  size_t len, const char *name, struct sosia_err *err)
{
    const struct json *json;
    struct seed_head head;
    const struct tz *zone;
    struct doc d;
    struct tx tx;
    if (tx_begin(&tx, engine, w, k, true, world_now(w), err) < 0)
        return -1;
    int rc = doc_open(&d, tx.arena, doc, len, name, MAX_SEED, &json, err);
    if (rc == 0)
        rc = read_head(engine, &d, json, &head, &zone);
    if (rc == 0)
        rc = apply(&tx, &d, json, zone);
    guard_forget(w);
    if (rc == 0) /* so that forks need not look */
        rc = guard_learn(&tx);
    if (rc < 0) {
        tx_rollback(&tx);
        rc = too_much(&k->arena, err);
    } else if ((rc = tx_publish(&tx)) == 0) {
        struct seed_note note = {
            .doc = doc, .len = len, .name = name, .keep = world_journal_keep(w)};
        world_note(engine, w, tx.now_us, write_note, &note);
        rc = world_changed(engine, w, err);
        if (rc == 0)
            outbox_notify(&tx);
    }
    w->next_due_us = INT64_MIN;
    return rc;
}

int sosia_world_seed(struct sosia_engine *engine, uint64_t world, const char *doc, size_t len,
                     const char *doc_name, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(doc, "doc", err) < 0)
        return -1;
    struct sosia_err local_err;
    if (!err)
        err = &local_err;
    struct worker *k = worker_take(engine, err);
    if (!k)
        return -1;
    struct world *w = world_take(engine, world, err);
    int rc = -1;
    if (w && (w->flags & WORLD_SNAPSHOT))
        sosia_fail(err, SOSIA_E_FORBIDDEN, "readOnly", NULL, "a snapshot can't be changed");
    else if (w)
        rc = world_seed_on(engine, w, k, doc, len, doc_name ? doc_name : "seed", err);
    uint64_t ticket = w ? w->ticket : 0;
    if (w)
        world_drop(w);
    worker_drop(k);
    return rc < 0 ? -1 : engine_sync(engine, ticket, err);
}

/* ---- new worlds ---- */

static int seed_new(struct sosia_engine *e, struct world *w, const struct sosia_world_options *opt,
                    struct sosia_err *err)
{
    const char *name = opt->seed_doc_name ? opt->seed_doc_name : "seed";
    struct worker *k = worker_take(e, err);
    if (!k)
        return -1;
    const struct json *json;
    const struct tz *zone;
    struct seed_head head;
    struct doc doc;
    struct tx tx;
    int rc =
        doc_open(&doc, &k->arena, opt->seed_doc, opt->seed_doc_len, name, MAX_SEED, &json, err);
    if (rc == 0)
        rc = read_head(e, &doc, json, &head, &zone);
    if (rc == 0) {
        if (!opt->seed && head.seed)
            w->seed = head.seed;
        if (head.rates)
            w->flags |= WORLD_RATES;
        set_journal(w, &head, opt->journal);
        if (!opt->now_us && opt->clock != SOSIA_CLOCK_REAL && head.now_us != INT64_MIN)
            w->clock.at_us = head.now_us;
        int64_t now = world_now(w);
        rc = tx_begin(&tx, e, w, k, true, now, err);
        if (rc == 0) {
            rc = apply(&tx, &doc, json, zone);
            if (rc == 0) /* so that forks need not look */
                rc = guard_learn(&tx);
            if (rc < 0)
                tx_rollback(&tx);
            else
                rc = tx_publish(&tx);
        }
    }
    if (rc < 0)
        rc = too_much(&k->arena, err);
    bool large = opt->seed_doc_len >= LEFT_SEED;
    if (large) {
        slot_rest(k->slot);
        arena_done(&k->arena);
    }
    worker_drop(k);
    /* What was seeded is in one piece from now on: reads don't walk a map, forks have no nodes. */
    if (rc == 0)
        rc = tree_flatten(e->store, &w->now, err);
    if (large)
        store_rest(e->store);
    return rc;
}

int sosia_world_create(struct sosia_engine *engine, const struct sosia_world_options *opt,
                       uint64_t *ret_world, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    struct sosia_world_options o;
    if (TAKEN(sosia_world_options, &o, opt, err) < 0)
        return -1;
    return world_create(engine, &o, o.seed_doc ? seed_new : NULL, ret_world, err);
}
