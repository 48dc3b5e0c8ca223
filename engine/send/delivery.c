/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/send/delivery.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/base/buf.h"
#include "engine/text/civil.h"
#include "engine/json/doc.h"
#include "engine/world/core.h"
#include "engine/world/engine.h"
#include "engine/world/event.h"
#include "engine/journal/journal.h"

#define CORE       "delivery"
#define SESSION    "session" /* kind of entries of the outbox, and of what is due */
#define MAX_ERROR  200       /* bytes of an outcome's error that are kept */
#define MAX_REASON 40        /* and of its reason */

enum state { PENDING = 1, WAITING, DELIVERED, GIVEN_UP };

static const char *const state_names[] = {NULL, "pending", "waiting", "delivered", "given up"};

extern const char delivery_sql[];

/* ---- adding ---- */

/* Before the attempt behind the first `attempts`, in seconds; 0: there is none. */
static int64_t wait_before(const struct delivery_kind *kind, int64_t attempts)
{
    const int32_t *s = kind->waits_s;
    for (int64_t i = 1; s && *s && i < attempts; i++)
        s++;
    return s ? *s : 0;
}

/* A frame is not answered by its connection: an attempt that begins now lasts until the client
 * acknowledges it, or as long as the kind waits before the next one (the last as long as the one
 * before): until then. 0: as long as it takes. */
static int64_t attempt_until(const struct tx *tx, const struct delivery_kind *kind, int64_t attempt)
{
    int64_t wait = wait_before(kind, attempt);
    if (!wait && attempt > 1)
        wait = wait_before(kind, attempt - 1);
    return wait ? tx->now_us + wait * US_PER_SECOND : 0;
}

/* An attempt is to end then (0: it has no end): all have one entry of what is due, at the first of
 * their ends or before. */
static int keep_due(struct tx *tx, int64_t until_us)
{
    static struct sql_text q = SQL_TEXT("select at_us from due where core = '" CORE
                                        "' and kind = '" SESSION "' and ref = 0");
    int64_t at_us = INT64_MAX;
    if (!until_us)
        return 0;
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    if (sql_first_int(tx->db, tx->err, st, &at_us) < 0)
        return -1;
    if (at_us <= until_us)
        return 0;
    return due_cancel(tx, CORE, SESSION, 0) < 0 ? -1 : due_add(tx, until_us, CORE, SESSION, 0);
}

static void write_payload(struct json_writer *w, const char *member, const struct delivery *d)
{
    json_obj(w, member);
    if (d->key) {
        json_str(w, "frame", d->body);
    } else {
        json_str(w, "method", d->method);
        json_str(w, "url", d->url);
        json_obj(w, "headers");
        for (size_t i = 0; i < d->n_headers; i++)
            json_str_opt(w, d->headers[i].name, d->headers[i].value);
        json_end(w);
        json_str(w, "body", d->body);
        if (d->kind->timeout_s)
            json_int(w, "timeout", d->kind->timeout_s);
        if (d->kind->redirects)
            json_int(w, "redirects", d->kind->redirects);
    }
    json_end(w);
}

static const char *payload_of(struct tx *tx, const struct delivery *d)
{
    struct buf b;
    struct json_writer w;
    json_start(&w, &b);
    write_payload(&w, NULL, d);
    const char *text = buf_failed(&b) ? NULL : arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return arena_failed(tx->arena) ? NULL : text;
}

static int add(struct tx *tx, const struct delivery *d, int64_t *ret_id)
{
    static struct sql_text q =
        SQL_TEXT("insert into delivery (id, kind, ref, state, attempts, since_us, until_us) values "
                 "(:id, :kind, :ref, :state, 0, :now, :until)");
    int64_t until_us = d->key ? attempt_until(tx, d->kind, 1) : 0;
    const char *payload = payload_of(tx, d);
    if (!payload)
        return sosia_fail_memory(tx->err);
    if (outbox_add(tx, d->key ? SESSION : "webhook", d->from, d->key ? d->key : d->url, payload) <
            0 ||
        keep_due(tx, until_us) < 0 ||
        TX_RUN(tx, &q, tx->outbox_last, d->kind->name, d->ref, PENDING, tx->now_us,
               sql_int_or_null(until_us, 0)) < 0)
        return -1;
    if (ret_id)
        *ret_id = tx->outbox_last;
    return 0;
}

int delivery_add(struct tx *tx, const struct delivery *d, int64_t *ret_id)
{
    if (add(tx, d, ret_id) < 0)
        return -1;
    return tx->send_twice ? add(tx, d, NULL) : 0;
}

/* ---- what is the world's own ---- */

int delivery_floor(struct tx *tx, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select ifnull(max(id), 0) from outbox");
    return delivery_floor_of(tx, &q, ret);
}

int delivery_floor_of(struct tx *tx, struct sql_text *q, int64_t *ret)
{
    struct sosia_engine *e = tx->engine;
    /* Of another version than the present, which a connection may have cached. */
    struct world start = {.id = tx->world->id, .version = ~tx->world->version};
    struct tx there;
    *ret = 0;
    if (tx->world->flags & WORLD_INHERITS)
        return 0;
    struct worker *k = worker_take(e, tx->err);
    if (!k)
        return -1;
    tree_fork(&tx->world->start, &start.now);
    int rc = tx_begin(&there, e, &start, k, false, tx->now_us, tx->err);
    if (rc == 0) {
        sqlite3_stmt *st = TX_PLAIN(&there, q);
        rc = sql_first_int(there.db, there.err, st, ret) < 0 ? -1 : 0;
        tx_rollback(&there);
    }
    tree_done(&start.now);
    worker_drop(k);
    return rc;
}

/* The first and last entry that is pending and the world's own: 1; none: 0; -1. */
static int open_range(struct tx *tx, int64_t *ret_first, int64_t *ret_last)
{
    static struct sql_text q =
        SQL_TEXT("select min(id), max(id) from delivery where state = 1 and id > :floor");
    static struct sql_text any = SQL_TEXT("select 1 from delivery where state < 3 limit 1");
    sqlite3_stmt *st = TX_PLAIN(tx, &any);
    int64_t floor, one;
    int r = sql_first_int(tx->db, tx->err, st, &one);
    if (r != 1)
        return r;
    if (delivery_floor(tx, &floor) < 0 || TX_ROW(tx, &q, &st, floor) < 0)
        return -1;
    r = sqlite3_column_type(st, 0) != SQLITE_NULL;
    if (r) {
        *ret_first = sqlite3_column_int64(st, 0);
        *ret_last = sqlite3_column_int64(st, 1);
    }
    sql_done(st);
    return r;
}

/* ---- outcomes ---- */

const struct delivery_kind *delivery_kind_named(const struct tx *tx, const char *name)
{
    for (const struct sosia_core **c = tx->engine->cores; *c; c++)
        for (const struct delivery_kind *const *k = (*c)->deliveries; k && *k; k++)
            if (strcmp((*k)->name, name) == 0)
                return *k;
    return NULL;
}

struct row {
    const char *kind;
    int64_t ref, attempts;
    enum state state;
    const char *session; /* the key of those that it goes to; NULL: it goes over HTTP */
    const char *reason;  /* why another attempt was made; NULL: none was */
    int64_t since_us;
};

static int load_row(struct tx *tx, int64_t id, struct row *ret)
{
    static struct sql_text q =
        SQL_TEXT("select d.kind, d.ref, d.state, d.attempts, "
                 "case o.kind when 'session' then o.recipients end, d.reason, d.since_us "
                 "from delivery d join outbox o using (id) where d.id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    *ret = (struct row){.kind = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 0)),
                        .ref = sqlite3_column_int64(st, 1),
                        .state = (enum state)sqlite3_column_int(st, 2),
                        .attempts = sqlite3_column_int64(st, 3)};
    ret->session = tx_string(tx, st, 4);
    ret->reason = tx_string(tx, st, 5);
    ret->since_us = sqlite3_column_int64(st, 6);
    sql_done(st);
    return 1;
}

static int write_outcome(struct tx *tx, int64_t id, const struct row *row, enum state state,
                         const struct sosia_outcome *outcome, bool again, int64_t until_us)
{
    static struct sql_text q =
        SQL_TEXT("update delivery set state = :state, attempts = :attempts, status = :status, "
                 "error = :error, reason = ifnull(:reason, reason), since_us = case :state when 1 "
                 "then :now else since_us end, until_us = :until where id = :id");
    size_t n = outcome->error ? strnlen(outcome->error, MAX_ERROR) : 0;
    const char *reason = outcome->reason ? outcome->reason : outcome->status ? "status" : "unknown";
    return TX_RUN(tx, &q, state, row->attempts + 1, outcome->status,
                  n ? sql_stringn(outcome->error, n) : sql_null(),
                  again ? sql_stringn(reason, strnlen(reason, MAX_REASON)) : sql_null(), tx->now_us,
                  sql_int_or_null(until_us, 0), id);
}

/* The sender, or a waiter, is notified of an entry once more. */
static void notify_again(struct tx *tx, int64_t entry)
{
    if (!tx->outbox_first || entry < tx->outbox_first)
        tx->outbox_first = entry;
    if (entry > tx->outbox_last)
        tx->outbox_last = entry;
}

static int settle(struct tx *tx, int64_t id, const struct row *row,
                  const struct sosia_outcome *outcome, int64_t *ret_again_us)
{
    const struct delivery_kind *kind = delivery_kind_named(tx, row->kind);
    enum delivery_verdict verdict = kind ? kind->judge(outcome) : DELIVERY_BAD;
    int64_t wait = verdict == DELIVERY_AGAIN ? wait_before(kind, row->attempts + 1) : 0;
    enum state state = verdict == DELIVERY_GOOD ? DELIVERED : GIVEN_UP;
    if (wait)
        state = row->session ? PENDING : WAITING;
    *ret_again_us = wait ? tx->now_us + wait * US_PER_SECOND : 0;
    int64_t until_us = wait && row->session ? attempt_until(tx, kind, row->attempts + 2) : 0;
    if (keep_due(tx, until_us) < 0 ||
        write_outcome(tx, id, row, state, outcome, wait != 0, until_us) < 0)
        return -1;
    if (wait) /* what has waited for an acknowledgement waits no more */
        return row->session ? 0 : due_add(tx, *ret_again_us, CORE, CORE, id);
    return kind && kind->ended
               ? kind->ended(tx, row->ref, state == DELIVERED ? DELIVERY_GOOD : DELIVERY_BAD,
                             outcome)
               : 0;
}

int delivery_end(struct tx *tx, uint64_t era, int64_t entry, const struct sosia_outcome *outcome)
{
    struct row row;
    int64_t again;
    bool same = era == tx->world->era;
    int r = load_row(tx, entry, &row);
    if (r < 0)
        return -1;
    if (same && r && row.session && row.state > WAITING)
        return 0; /* acknowledged or given up in a turn of its own */
    if (!same || !r || row.state != PENDING)
        return tx_fail(tx, SOSIA_E_NOT_FOUND, "deliveryNotFound", NULL,
                       "what the call waited for is not in the world any more");
    return settle(tx, entry, &row, outcome, &again);
}

int delivery_frame_state(struct tx *tx, int64_t entry, const char **ret_key, bool *ret_pending,
                         bool *ret_given_up, int *ret_timeout_s)
{
    struct row row;
    int r = load_row(tx, entry, &row);
    if (r != 1 || !row.session)
        return r < 0 ? -1 : 0;
    *ret_key = row.session;
    *ret_pending = row.state == PENDING;
    *ret_given_up = row.state == GIVEN_UP;
    const struct delivery_kind *kind = delivery_kind_named(tx, row.kind);
    *ret_timeout_s = kind ? kind->timeout_s : 0;
    return 1;
}

int delivery_kind_of(struct tx *tx, int64_t entry, const struct delivery_kind **ret,
                     int64_t *ret_ref)
{
    struct row row;
    int r = load_row(tx, entry, &row);
    if (r != 1)
        return r;
    *ret = delivery_kind_named(tx, row.kind);
    *ret_ref = row.ref;
    return *ret != NULL;
}

int delivery_imagine(struct tx *tx, int64_t entry, struct sosia_outcome *ret)
{
    static struct sql_text q = SQL_TEXT("select 1 from meta where key = 'handshakes' and value = "
                                        "'accepted'");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    struct row row;
    int64_t one;
    int r = sql_first_int(tx->db, tx->err, st, &one);
    if (r == 1)
        r = load_row(tx, entry, &row);
    *ret = (struct sosia_outcome){.error = "this world has no receiver for deliveries"};
    if (r != 1)
        return r;
    const struct delivery_kind *kind = delivery_kind_named(tx, row.kind);
    *ret = (struct sosia_outcome){.status = 200, .body = ""};
    return kind && kind->imagine ? kind->imagine(tx, row.ref, ret) : 0;
}

/* ---- outcomes from outside ---- */

struct attempt {
    int64_t entry, number, again_us;
    uint64_t era;
    const struct sosia_outcome *outcome;
};

static int take_outcome(struct tx *tx, void *arg)
{
    struct attempt *a = arg;
    struct row row;
    int r = load_row(tx, a->entry, &row);
    if (r < 0)
        return -1;
    int64_t floor;
    if (delivery_floor(tx, &floor) < 0)
        return -1;
    if ((a->era != DELIVERY_ANY_ERA && a->era != tx->world->era) || !r || row.session ||
        row.state != PENDING || a->number != row.attempts + 1 || a->entry <= floor)
        return tx_fail(tx, SOSIA_E_NOT_FOUND, "deliveryNotFound", NULL,
                       "attempt %lld to deliver entry %lld of the outbox is not under way",
                       (long long)a->number, (long long)a->entry);
    return settle(tx, a->entry, &row, a->outcome, &a->again_us) < 0 ? -1 : events_deliver(tx);
}

static void note_outcome(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct attempt *a = arg;
    json_obj(w, "outcome");
    json_int(w, "entry", a->entry);
    json_int(w, "attempt", a->number);
    json_int(w, "status", a->outcome->status);
    json_str_opt(w, "error", a->outcome->error);
    json_str_opt(w, "reason", a->outcome->reason);
    for (size_t i = 0; i < a->outcome->n_headers; i++)
        if (strcasecmp(a->outcome->headers[i].name, "Content-Type") == 0)
            json_str_opt(w, "type", a->outcome->headers[i].value);
    journal_body(w, "body", a->outcome->body, a->outcome->body_len, false,
                 world_journal_keep(tx->world));
    json_end(w);
}

int delivery_outcome_on(struct sosia_engine *engine, struct world *w, struct worker *k,
                        int64_t entry, int64_t attempt, const struct sosia_outcome *outcome,
                        struct sosia_err *err)
{
    static const struct turn turn = {.work = take_outcome, .note = note_outcome};
    struct attempt a = {
        .entry = entry, .number = attempt, .era = DELIVERY_ANY_ERA, .outcome = outcome};
    return world_turn_on(engine, w, k, &turn, &a, err);
}

int delivery_take_outcome(struct sosia_engine *engine, uint64_t world, uint64_t era, int64_t entry,
                          int64_t attempt, const struct sosia_outcome *outcome,
                          int64_t *ret_again_us, struct sosia_err *err)
{
    static const struct turn turn = {.work = take_outcome, .note = note_outcome};
    struct attempt a = {.entry = entry, .number = attempt, .era = era, .outcome = outcome};
    if (world_turn(engine, world, &turn, &a, err) < 0)
        return -1;
    if (ret_again_us)
        *ret_again_us = a.again_us;
    return 0;
}

/* ---- frames of sessions ---- */

int delivery_acknowledged(struct tx *tx, const char *key, int64_t entry,
                          const struct sosia_outcome *outcome)
{
    struct row row;
    int64_t again;
    int r = load_row(tx, entry, &row);
    if (r != 1)
        return r;
    if (row.state != PENDING || !row.session || strcmp(row.session, key) != 0)
        return 0;
    return settle(tx, entry, &row, outcome, &again) < 0 ? -1 : 1;
}

int delivery_lost(struct tx *tx, int64_t entry, int64_t attempt, const char *why)
{
    const struct sosia_outcome outcome = {.error = why, .reason = "connect"};
    struct row row;
    int64_t again;
    int r = load_row(tx, entry, &row);
    if (r < 0)
        return -1;
    if (!r || row.state != PENDING || !row.session || attempt != row.attempts + 1)
        return 0;
    if (settle(tx, entry, &row, &outcome, &again) < 0)
        return -1;
    if (!again)
        notify_again(tx, entry);
    return 0;
}

int delivery_begin_waiting(struct tx *tx, const struct delivery_kind *kind, const char *key)
{
    static struct sql_text q = SQL_TEXT(
        "update delivery set until_us = :until where state < 3 and state = 1 and id > :floor and "
        "kind = :kind and attempts = :attempts and until_us is not null and exists (select 1 from "
        "outbox o where o.id = delivery.id and o.recipients = :key)");
    int64_t floor, until_us;
    if (delivery_floor(tx, &floor) < 0)
        return -1;
    for (int64_t n = 0; (until_us = attempt_until(tx, kind, n + 1)) != 0; n++) {
        if (TX_RUN(tx, &q, until_us, floor, kind->name, n, key) < 0)
            return -1;
        if (!wait_before(kind, n + 1)) /* those after the last */
            break;
    }
    return 0;
}

/* The text that goes out, as the kind makes it of the frame that it was added with. 0, -1. */
static int make_frame(struct tx *tx, struct delivery_frame *f)
{
    const struct json *v;
    if (json_parse(tx->arena, f->text, f->payload_len, NULL, &v, tx->err) < 0)
        return -1;
    f->text = json_get_str(v, "frame");
    if (!f->text)
        return tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "an entry for sessions has no frame");
    return f->kind && f->kind->frame ? f->kind->frame(tx, f, &f->text) : 0;
}

int delivery_frames(struct tx *tx, const char *key, int64_t first, int64_t last,
                    struct delivery_frame **ret)
{
    static struct sql_text q =
        SQL_TEXT("select d.id, d.ref, d.attempts + 1, o.recipients, d.kind, o.payload, d.reason "
                 "from delivery d join outbox o using (id) where d.state < 3 and d.state = 1 and "
                 "d.id between :first and :last and o.kind = 'session' and "
                 "(:key is null or o.recipients = :key) order by d.id");
    struct delivery_frame **end = ret;
    sqlite3_stmt *st = TX_QUERY(tx, &q, first, last, key);
    int r = st ? 0 : -1;
    *ret = NULL;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        struct delivery_frame *f = arena_alloc(tx->arena, sizeof *f);
        const char *payload = arena_memdup(tx->arena, sqlite3_column_text(st, 5),
                                           (size_t)sqlite3_column_bytes(st, 5));
        *f = (struct delivery_frame){.entry = sqlite3_column_int64(st, 0),
                                     .ref = sqlite3_column_int64(st, 1),
                                     .attempt = sqlite3_column_int64(st, 2)};
        f->key = arena_strdup(tx->arena, (const char *)sqlite3_column_text(st, 3));
        f->kind = delivery_kind_named(tx, (const char *)sqlite3_column_text(st, 4));
        f->reason = tx_string(tx, st, 6);
        f->text = payload;
        f->payload_len = (size_t)sqlite3_column_bytes(st, 5);
        *end = f;
        end = &f->next;
        if (arena_failed(tx->arena)) {
            *ret = NULL;
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
    }
    for (struct delivery_frame *f = *ret; r == 0 && f; f = f->next)
        if (make_frame(tx, f) < 0)
            f->text = NULL; /* the next attempt may do better */
    return r;
}

/* ---- waiting is over ---- */

/* An attempt's time is over without an acknowledgement. */
static int frame_due(struct tx *tx, int64_t entry)
{
    const struct sosia_outcome outcome = {.error = "it was not acknowledged in time",
                                          .reason = "timeout"};
    struct row row;
    int64_t again;
    int r = load_row(tx, entry, &row);
    if (r != 1 || row.state != PENDING)
        return r < 0 ? -1 : 0;
    if (settle(tx, entry, &row, &outcome, &again) < 0)
        return -1;
    notify_again(tx, entry);
    return 0;
}

/* When the first attempt's time is over, and whose: 1; 0: none has an end; -1. */
static int first_until(struct tx *tx, int64_t *ret_us, int64_t *ret_id)
{
    static struct sql_text q = SQL_TEXT("select until_us, id from delivery where until_us is not "
                                        "null order by until_us, id limit 1");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int r = st ? TX_STEP(tx, st) : -1;
    if (r == 1) {
        *ret_us = sqlite3_column_int64(st, 0);
        *ret_id = sqlite3_column_int64(st, 1);
        sql_done(st);
    }
    return r;
}

/* Each attempt whose time is over becomes an entry of its own that is due now, unless it is not the
 * world's own; the one entry for all is due again at the next end. */
static int until_due(struct tx *tx, int64_t floor)
{
    static struct sql_text q = SQL_TEXT("update delivery set until_us = null where id = :id");
    int64_t us, id;
    int r;
    while ((r = first_until(tx, &us, &id)) == 1 && us <= tx->now_us)
        if (TX_RUN(tx, &q, id) < 0 ||
            (id > floor && due_add(tx, tx->now_us, CORE, SESSION, id) < 0))
            return -1;
    return r == 1 ? due_add(tx, us, CORE, SESSION, 0) : r;
}

/* Pending again; the sender is notified, as of a new entry. */
static int delivery_due(struct tx *tx, const char *kind, int64_t ref)
{
    static struct sql_text q =
        SQL_TEXT("update delivery set state = 1, since_us = :now where id = :id and state = 2 "
                 "returning id");
    int64_t floor, id;
    tx->world->sends = true;
    if (delivery_floor(tx, &floor) < 0)
        return -1;
    if (strcmp(kind, SESSION) == 0 && !ref)
        return until_due(tx, floor);
    if (ref <= floor)
        return 0;
    if (strcmp(kind, SESSION) == 0)
        return frame_due(tx, ref);
    int r = TX_INT(tx, &q, &id, tx->now_us, ref);
    if (r == 1)
        notify_again(tx, ref);
    return r < 0 ? -1 : 0;
}

/* ---- reading ---- */

/* A request as it was added, made from its payload. */
static int read_request(struct tx *tx, const struct json *payload, struct delivery *ret)
{
    const struct json *headers = json_get(payload, "headers");
    size_t n = headers && headers->type == JSON_OBJECT ? headers->n : 0;
    struct sosia_header *list = arena_calloc(tx->arena, n + 1, sizeof *list);
    ret->method = json_get_str(payload, "method");
    ret->url = json_get_str(payload, "url");
    ret->body = json_get_str(payload, "body");
    for (size_t i = 0; i < n; i++)
        if (headers->members[i].value.type == JSON_STRING)
            list[ret->n_headers++] = (struct sosia_header){.name = headers->members[i].key,
                                                           .value = headers->members[i].value.str};
    ret->headers = list;
    return ret->method && ret->url && ret->body ? 0 : -1;
}

/* What its kind makes of it. False: nothing. */
static bool make_payload(struct tx *tx, int64_t entry, const struct row *row,
                         const struct delivery_kind *kind, const struct json *payload,
                         struct delivery *ret)
{
    int64_t number = row->attempts + (row->state == PENDING);
    if (row->session) {
        struct delivery_frame f = {.kind = kind,
                                   .entry = entry,
                                   .ref = row->ref,
                                   .attempt = number ? number : 1,
                                   .reason = row->reason,
                                   .key = row->session,
                                   .text = json_get_str(payload, "frame")};
        return f.text && kind->frame(tx, &f, &ret->body) == 0;
    }
    const struct delivery_attempt a = {.entry = entry,
                                       .ref = row->ref,
                                       .number = number ? number : 1,
                                       .since_us = row->since_us,
                                       .reason = row->reason};
    return read_request(tx, payload, ret) == 0 && kind->request(tx, &a, ret) == 0;
}

int delivery_payload(struct tx *tx, int64_t entry, const char *payload, size_t len,
                     struct json_writer *w)
{
    struct row row;
    int r = load_row(tx, entry, &row);
    if (r < 0)
        return -1;
    const struct delivery_kind *kind = r ? delivery_kind_named(tx, row.kind) : NULL;
    struct delivery d = {.kind = kind, .key = r ? row.session : NULL};
    struct sosia_err before = *tx->err;
    const struct json *v;
    if (kind && (row.session ? kind->frame != NULL : kind->request != NULL) &&
        json_parse(tx->arena, payload, len, NULL, &v, tx->err) == 0 &&
        make_payload(tx, entry, &row, kind, v, &d)) {
        write_payload(w, "payload", &d);
        return 0;
    }
    *tx->err = before;
    json_raw(w, "payload", payload, len);
    return 0;
}

int delivery_write(struct tx *tx, int64_t entry, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select state, attempts, status, error from delivery where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, entry);
    if (r != 1)
        return r;
    json_obj(w, "delivery");
    json_str(w, "state", state_names[sqlite3_column_int(st, 0)]);
    json_int(w, "attempts", sqlite3_column_int64(st, 1));
    if (sqlite3_column_type(st, 2) != SQLITE_NULL)
        json_int(w, "status", sqlite3_column_int64(st, 2));
    json_str_opt(w, "error", (const char *)sqlite3_column_text(st, 3));
    json_end(w);
    sql_done(st);
    return 0;
}

struct range {
    int64_t first, last;
    int found;
};

static int read_range(struct tx *tx, struct json_writer *w, void *arg)
{
    struct range *r = arg;
    json_raw(w, NULL, "null", 4);
    r->found = open_range(tx, &r->first, &r->last);
    if (!r->found)
        tx->world->sends = false;
    return r->found < 0 ? -1 : 0;
}

int sosia_delivery_pending(struct sosia_engine *engine, uint64_t world, int64_t *ret_first,
                           int64_t *ret_last, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_first, "ret_first", err) < 0 ||
        taken_pointer(ret_last, "ret_last", err) < 0)
        return -1;
    struct range r = {0};
    struct sosia_blob blob;
    struct world *w = world_look(engine, world, err);
    if (!w)
        return -1;
    bool parked = world_is_parked(w) && !w->sends; /* it need not be read for that */
    world_drop(w);
    *ret_first = *ret_last = 0;
    if (parked)
        return 0;
    if (world_read(engine, world, false, read_range, &r, &blob, err) < 0)
        return -1;
    sosia_blob_free(&blob);
    *ret_first = r.first;
    *ret_last = r.last;
    return r.found;
}

/* ---- the setting ---- */

static const char *const settings[] = {"refused", "accepted", NULL};

static int seed_handshakes(struct tx *tx, struct doc *doc, const struct json *value)
{
    static struct sql_text q = SQL_TEXT("insert into meta (key, value) values ('handshakes', :v) "
                                        "on conflict (key) do update set value = excluded.value");
    if (!value)
        return 0;
    for (int i = 0; settings[i]; i++)
        if (value->type == JSON_STRING && strcmp(value->str, settings[i]) == 0)
            return TX_RUN(tx, &q, value->str);
    return doc_fail(doc, value, NULL, "must be \"refused\" or \"accepted\"");
}

static int dump_handshakes(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from meta where key = 'handshakes' and value = 'accepted'");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int64_t one;
    int r = sql_first_int(tx->db, tx->err, st, &one);
    if (r == 1)
        json_str(w, "handshakes", "accepted");
    return r < 0 ? -1 : 0;
}

static void schema_handshakes(struct json_writer *w)
{
    json_str(w, "description", "What becomes of handshakes that nobody answers");
    json_arr(w, "enum");
    for (const char *const *word = settings; *word; word++)
        json_str(w, NULL, *word);
    json_end(w);
}

static const struct section sections[] = {
    {.name = "handshakes",
     .seed = seed_handshakes,
     .dump = dump_handshakes,
     .schema = schema_handshakes},
};

static const struct core_rule rules[] = {
    {"delivery", "not exists (select 1 from outbox o where o.id = delivery.id)"},
    {"delivery", "until_us is not null and (state <> 1 or until_us < since_us)"},
    {"delivery", "attempts > 1000000 or "
                 "since_us not between -62135596800000000 and 253402300799999999"},
    {0},
};

const struct sosia_core delivery_core = {.name = CORE,
                                         .schema = delivery_sql,
                                         .sections = sections,
                                         .n_sections = SOSIA_LEN(sections),
                                         .due = delivery_due,
                                         .rules = rules};
