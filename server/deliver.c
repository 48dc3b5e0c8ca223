/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread of its own reads the outboxes, which takes a world's lock for a moment, and waits for
 * worlds' clocks; the sending is the loop thread's (webhook.c). The two meet in lists under one
 * lock.
 */
#include "server/deliver.h"
#include "engine/send/outbox.h"
#include "engine/base/arena.h"
#include "engine/base/codec.h"
#include "engine/base/map.h"
#include "engine/http/session.h"
#include "engine/http/suspend.h"
#include "engine/json/json.h"
#include "engine/world/engine.h"
#include "engine/world/evaluation.h"
#include "server/log.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define POLL_MS                                                                                    \
    200 /* how often the clocks of worlds are looked at, while something waits for them */
#define MAX_NEWS    100000
#define PAGE        256 /* entries that are read in one go */
#define MAX_HEADERS 40
#define MAX_REPORTS 20 /* lines about what a stop left */

/* New entries of a world's outbox; 0 to 0: something is due there now. */
struct news {
    struct news *next;
    uint64_t world;
    int64_t first, last;
};

/* A message: under way, or waiting for its world's clock. */
struct message {
    struct message *next;
    struct deliver *deliver;
    struct arena arena; /* everything below */
    const char *method, *url, *body;
    struct sosia_header headers[MAX_HEADERS];
    size_t n_headers;
    uint64_t world, era; /* era: how often it had gone back */
    int64_t id;
    int64_t attempt;
    bool under_way;    /* it is in that map */
    int status;        /* of the response to it; 0: none */
    const char *error; /* why none */
    const char *reason;
    const struct sosia_header *answer_headers;
    size_t n_answer_headers;
    const char *answer;
    size_t answer_len;
    int64_t timeout_s, redirects; /* 0: the server's own, none */
    int64_t again_us;             /* by the world's clock */
};

/* A call waits for a client to acknowledge a frame, until then: its world's clock may be frozen. */
struct awaited {
    struct awaited *next;
    uint64_t world, era;
    int64_t entry, until_ms;
};

struct deliver {
    struct server *server;
    struct sosia_engine *engine;
    struct log *log;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct news *news, **news_end;
    struct map newest;        /* by world: news that is not read yet and may get more entries */
    size_t n_news, n_lost;    /* lost: there was no room */
    struct message *answered; /* an attempt has its outcome */
    bool stop;
    /* of the thread alone */
    struct map under_way; /* messages by world, era, entry and attempt */
    struct message *waiting;
    struct awaited *awaited;
    int64_t looked_ms; /* when it last looked at the clocks of their worlds */
};

/* ---- messages ---- */

/* A message's name in the map of those under way. */
static const char *name_of(const struct message *m, char name[96])
{
    snprintf(name, 96, "%" PRIx64 " %" PRIu64 " %" PRId64 " %" PRId64, m->world, m->era, m->id,
             m->attempt);
    return name;
}

static void not_under_way(struct message *m)
{
    char name[96];
    if (m->under_way)
        map_remove(&m->deliver->under_way, name_of(m, name));
    m->under_way = false;
}

static void message_free(struct message *m)
{
    not_under_way(m);
    arena_done(&m->arena);
    free(m);
}

static void report(struct deliver *d, const struct message *m, const char *what, const char *error)
{
    struct log_line line;
    log_begin(&line, d->log, SERVER_LOG_WARN, what);
    log_str(&line, "url", m->url);
    log_num(&line, "tries", m->attempt);
    if (error)
        log_str(&line, "error", error);
    log_end(&line);
}

static void report_number(struct deliver *d, const char *what, const char *name, size_t n)
{
    struct log_line line;
    log_begin(&line, d->log, SERVER_LOG_WARN, what);
    log_num(&line, name, (int64_t)n);
    log_end(&line);
}

/* What was asked of a world failed. That it is gone, was reset or has forgotten a message is not a
 * failure. */
static void report_failure(struct deliver *d, const char *what, const struct sosia_err *err)
{
    struct log_line line;
    if (err->code == SOSIA_E_NOT_FOUND)
        return;
    log_begin(&line, d->log, SERVER_LOG_ERROR, what);
    log_str(&line, "error", err->text);
    log_end(&line);
}

/* On the loop thread: what came of an attempt is said to the engine by the thread, which may wait
 * for a world. */
static void on_result(void *arg, const struct webhook_result *result)
{
    struct message *m = arg;
    struct deliver *d = m->deliver;
    m->status = result->status;
    m->error = result->error ? arena_strdup(&m->arena, result->error) : NULL;
    m->reason = result->reason ? arena_strdup(&m->arena, result->reason) : NULL;
    m->answer = arena_memdup(&m->arena, result->body, result->body_len);
    m->answer_len = result->body_len;
    m->n_answer_headers = result->n_headers;
    struct sosia_header *h = arena_calloc(&m->arena, result->n_headers + 1, sizeof *h);
    for (size_t i = 0; !arena_failed(&m->arena) && i < result->n_headers; i++)
        h[i] = (struct sosia_header){arena_strdup(&m->arena, result->headers[i].name),
                                     arena_strdup(&m->arena, result->headers[i].value)};
    m->answer_headers = h;
    if (arena_failed(&m->arena)) {
        m->n_answer_headers = 0;
        m->answer_len = 0;
    }
    pthread_mutex_lock(&d->lock);
    m->next = d->answered;
    d->answered = m;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

static void wait_for_clock(struct deliver *d, struct message *m, int64_t again_us)
{
    m->again_us = again_us;
    m->next = d->waiting;
    d->waiting = m;
}

/* Says to the world what came of an attempt. On the thread; the message is the callee's. */
static void settle(struct deliver *d, struct message *m)
{
    struct sosia_outcome outcome = {.status = m->status,
                                    .error = m->error,
                                    .headers = m->answer_headers,
                                    .n_headers = m->n_answer_headers,
                                    .body = m->answer_len ? m->answer : "",
                                    .body_len = m->answer_len,
                                    .reason = m->reason};
    struct sosia_err err = {0};
    int64_t again_us;
    not_under_way(m);
    if (suspend_outcome(d->engine, m->world, m->era, m->id, m->attempt, &outcome, &again_us, &err) <
        0) {
        report_failure(d, "what came of a webhook was not kept", &err);
        message_free(m);
        return;
    }
    if (again_us) {
        wait_for_clock(d, m, again_us);
        return;
    }
    if (m->status < 200 || m->status > 299)
        report(d, m, "webhook given up", m->error);
    message_free(m);
}

/* Of a world that is gone what comes of it is not kept. */
static bool may_send(struct deliver *d, uint64_t world)
{
    struct sosia_err err;
    struct world *w = world_take(d->engine, world, &err);
    if (!w)
        return true;
    bool may = !evaluation_has_no_receivers(w);
    world_drop(w);
    return may;
}

/* Nobody is called: the attempt has its outcome. */
static void refuse_message(struct deliver *d, struct message *m, const char *why)
{
    report(d, m, "webhook refused", why);
    m->status = 0;
    m->error = arena_strdup(&m->arena, why);
    settle(d, m);
}

static void send_message(struct deliver *d, struct message *m)
{
    struct sosia_err err = {0};
    struct webhook_request r = {.world = m->world,
                                .method = m->method,
                                .url = m->url,
                                .headers = m->headers,
                                .n_headers = m->n_headers,
                                .body = m->body,
                                .body_len = strlen(m->body),
                                .timeout_ms = (unsigned)m->timeout_s * 1000,
                                .redirects = (int)m->redirects,
                                .done = on_result,
                                .arg = m};
    if (!may_send(d, m->world))
        refuse_message(d, m, "the world is an evaluation, which has no receivers");
    else if (server_webhook(d->server, &r, &err) < 0)
        refuse_message(d, m, err.text);
}

/* From an entry of the outbox; NULL: it is not pending, or there is no memory. */
static struct message *message_new(struct deliver *d, uint64_t world, uint64_t era,
                                   const struct json *entry)
{
    const struct json *payload = json_get(entry, "payload"),
                      *headers = json_get(payload, "headers"),
                      *delivery = json_get(entry, "delivery");
    const char *state = json_get_str(delivery, "state"), *url = json_get_str(payload, "url");
    const char *method = json_get_str(payload, "method"), *body = json_get_str(payload, "body");
    struct message *m = state && url && strcmp(state, "pending") == 0 ? calloc(1, sizeof *m) : NULL;
    if (!m)
        return NULL;
    m->deliver = d;
    m->world = world;
    m->era = era;
    arena_init(&m->arena, 0);
    m->url = arena_strdup(&m->arena, url);
    m->method = arena_strdup(&m->arena, method ? method : "POST");
    m->body = arena_strdup(&m->arena, body ? body : "");
    json_i64(json_get(entry, "id"), &m->id);
    json_i64(json_get(delivery, "attempts"), &m->attempt);
    json_i64(json_get(payload, "timeout"), &m->timeout_s);
    json_i64(json_get(payload, "redirects"), &m->redirects);
    m->attempt++;
    for (uint32_t i = 0; headers && headers->type == JSON_OBJECT && i < headers->n; i++) {
        const struct json_member *h = &headers->members[i];
        if (h->value.type == JSON_STRING && m->n_headers < MAX_HEADERS)
            m->headers[m->n_headers++] =
                (struct sosia_header){.name = arena_strdup(&m->arena, h->key),
                                      .value = arena_strdup(&m->arena, h->value.str)};
    }
    if (!arena_failed(&m->arena))
        return m;
    message_free(m);
    return NULL;
}

/* ---- the thread ---- */

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A frame: the call that waits for it is answered, or it is looked at again. */
static void read_frame(struct deliver *d, uint64_t world, uint64_t era, int64_t id)
{
    int timeout_s = suspend_news(d->engine, world, id);
    struct awaited *a = timeout_s ? malloc(sizeof *a) : NULL;
    if (a) {
        *a = (struct awaited){d->awaited, world, era, id, now_ms() + timeout_s * INT64_C(1000)};
        d->awaited = a;
    } else if (timeout_s) {
        suspend_late(d->engine, world, era, id);
    }
}

/* Calls that have waited long enough. */
static void end_awaited(struct deliver *d, int64_t now)
{
    for (struct awaited **at = &d->awaited; *at;) {
        struct awaited *a = *at;
        if (a->until_ms > now) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        suspend_late(d->engine, a->world, a->era, a->entry);
        free(a);
    }
}

/* News may name an entry again that is on its way: then it has no outcome yet. */
static bool is_under_way(struct deliver *d, struct message *m)
{
    char name[96];
    if (map_get(&d->under_way, name_of(m, name)))
        return true;
    m->under_way = map_set(&d->under_way, name, m) == 0; /* without memory it may be sent twice */
    return false;
}

static void read_entry(struct deliver *d, uint64_t world, uint64_t era, int64_t id,
                       const struct json *entry)
{
    struct message *m = message_new(d, world, era, entry);
    const char *kind = json_get_str(entry, "kind");
    if (m && is_under_way(d, m))
        message_free(m);
    else if (m)
        send_message(d, m);
    else if (kind && strcmp(kind, "session") == 0)
        read_frame(d, world, era, id);
}

/* The entries behind `after`, a page of them: the number of the last one that was read; 0: there
 * are no more, or they can't be read. */
static int64_t read_page(struct deliver *d, const struct news *n, int64_t after)
{
    struct sosia_blob blob;
    struct sosia_err err = {0};
    struct arena a;
    const struct json *list;
    int64_t id = 0;
    uint64_t era;
    if (outbox_list(d->engine, n->world, after, PAGE, &blob, &era, &err) < 0) {
        report_failure(d, "webhooks not read", &err);
        return 0;
    }
    arena_init(&a, 0);
    if (json_parse(&a, blob.data, blob.len, NULL, &list, &err) < 0) {
        report_failure(d, "webhooks not read", &err);
    } else if (list->type == JSON_ARRAY) {
        for (uint32_t i = 0; i < list->n; i++) {
            if (json_i64(json_get(&list->items[i], "id"), &id) < 0 || id > n->last)
                break;
            read_entry(d, n->world, era, id, &list->items[i]);
        }
        if (list->n < PAGE)
            id = 0;
    }
    arena_done(&a);
    sosia_blob_free(&blob);
    return id;
}

/* A page of it; false: there is more, which begins behind what was read. */
static bool read_news(struct deliver *d, struct news *n)
{
    if (!n->last) {
        sosia_world_wake(d->engine, n->world, NULL);
        return true;
    }
    int64_t id = read_page(d, n, n->first - 1);
    if (id < n->first || id >= n->last) {
        suspend_missing(d->engine, n->world, n->first, n->last);
        return true;
    }
    n->first = id + 1;
    return false;
}

/* Where a world's clock has reached a message's next attempt, what is due there is fired, and news
 * of it come back; forgets what belongs to worlds that are gone. */
static void wake_worlds(struct deliver *d)
{
    for (struct message **at = &d->waiting; *at;) {
        struct message *m = *at;
        int64_t now;
        bool gone = sosia_clock_get(d->engine, m->world, &now, NULL) < 0;
        if (!gone && now < m->again_us) {
            at = &m->next;
            continue;
        }
        *at = m->next;
        if (!gone)
            sosia_world_wake(d->engine, m->world, NULL);
        message_free(m);
    }
}

/* In the order in which the outcomes came. */
static void settle_all(struct deliver *d, struct message *newest)
{
    struct message *list = NULL;
    while (newest) {
        struct message *m = newest;
        newest = m->next;
        m->next = list;
        list = m;
    }
    while (list) {
        struct message *m = list;
        list = m->next;
        settle(d, m);
    }
}

/* Not more often than every POLL_MS, however many changes come in between: all that wait are looked
 * at. */
static void look_at_clocks(struct deliver *d)
{
    int64_t now = now_ms();
    if (now - d->looked_ms < POLL_MS)
        return;
    d->looked_ms = now;
    wake_worlds(d);
    end_awaited(d, now);
}

static void wait_for_change(struct deliver *d)
{
    struct timespec until;
    if (!d->waiting && !d->awaited && !sosia_session_total(d->engine)) {
        pthread_cond_wait(&d->changed, &d->lock);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += POLL_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&d->changed, &d->lock, &until);
}

static const char *key_of(uint64_t world, char key[24])
{
    snprintf(key, 24, "%" PRIu64, world);
    return key;
}

/* The first news, out of the queue. */
static void take_news(struct deliver *d, struct news *first)
{
    char key[24];
    d->news = first->next;
    d->n_news--;
    if (!d->news)
        d->news_end = &d->news;
    if (map_get(&d->newest, key_of(first->world, key)) == first)
        map_remove(&d->newest, key);
}

static void put_back(struct deliver *d, struct news *first)
{
    first->next = d->news;
    d->news = first;
    d->n_news++;
    if (!first->next)
        d->news_end = &first->next;
}

static void *run(void *arg)
{
    struct deliver *d = arg;
    pthread_mutex_lock(&d->lock);
    for (;;) {
        if (!d->news && !d->answered && !d->stop)
            wait_for_change(d);
        struct news *news = d->news;
        struct message *answered = d->answered;
        size_t lost = d->n_lost;
        bool stop = d->stop;
        if (stop && !news)
            break;
        if (news)
            take_news(d, news);
        d->answered = NULL;
        d->n_lost = 0;
        pthread_mutex_unlock(&d->lock);
        settle_all(d, answered);
        if (lost)
            report_number(d, "webhooks lost: too many at once", "changes", lost);
        bool done = !news || read_news(d, news);
        if (done)
            free(news);
        if (!stop) {
            look_at_clocks(d);
            sessions_wake(d->engine);
        }
        pthread_mutex_lock(&d->lock);
        if (!done)
            put_back(d, news);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

void deliver_wake(struct deliver *d)
{
    if (!d)
        return;
    pthread_mutex_lock(&d->lock);
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
}

/* On the thread of a change, under its world's lock. */
static void on_outbox(void *arg, uint64_t world, int64_t first, int64_t last)
{
    struct deliver *d = arg;
    char key[24] = "";
    pthread_mutex_lock(&d->lock);
    struct news *n = last ? map_get(&d->newest, key_of(world, key)) : NULL;
    if (n && n->last + 1 == first) { /* however many changes a world has, they are one news */
        n->last = last;
        pthread_mutex_unlock(&d->lock);
        return;
    }
    n = d->n_news < MAX_NEWS ? malloc(sizeof *n) : NULL;
    if (n) {
        *n = (struct news){.world = world, .first = first, .last = last};
        *d->news_end = n;
        d->news_end = &n->next;
        d->n_news++;
        if (last && map_set(&d->newest, key, n) < 0)
            map_remove(&d->newest, key);
        pthread_cond_signal(&d->changed);
    }
    d->n_lost += !n;
    pthread_mutex_unlock(&d->lock);
}

/* ---- life ---- */

struct page {
    uint64_t ids[256];
    size_t n;
    uint64_t last;
};

static int add_world(void *arg, const struct sosia_world_info *info)
{
    struct page *p = arg;
    p->last = info->id;
    if (!info->snapshot)
        p->ids[p->n++] = info->id;
    return p->n == SOSIA_LEN(p->ids);
}

/* What worlds on disk had not delivered when the server before this one ended. */
static void take_up(struct deliver *d)
{
    struct page p = {0};
    do {
        p.n = 0;
        sosia_world_list(d->engine, p.last, add_world, &p, NULL);
        for (size_t i = 0; i < p.n; i++) {
            int64_t first, last;
            if (sosia_delivery_pending(d->engine, p.ids[i], &first, &last, NULL) == 1)
                on_outbox(d, p.ids[i], first, last);
        }
    } while (p.n == SOSIA_LEN(p.ids));
}

int deliver_start(struct server *server, struct log *log, struct sosia_engine *engine,
                  struct deliver **ret_deliver, struct sosia_err *err)
{
    struct deliver *d = calloc(1, sizeof *d);
    if (!d)
        return sosia_fail_memory(err);
    d->server = server;
    d->log = log;
    d->engine = engine;
    d->news_end = &d->news;
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->changed, NULL);
    map_init(&d->newest);
    map_init(&d->under_way);
    take_up(d);
    int rc = pthread_create(&d->thread, NULL, run, d);
    if (rc != 0) {
        while (d->news) {
            struct news *first = d->news;
            take_news(d, first);
            free(first);
        }
        map_done(&d->newest);
        map_done(&d->under_way);
        pthread_cond_destroy(&d->changed);
        pthread_mutex_destroy(&d->lock);
        free(d);
        return sosia_fail(err, SOSIA_E_INTERNAL, "thread", NULL, "can't start a thread: %s",
                          strerror(rc));
    }
    sosia_engine_on_outbox(engine, on_outbox, d);
    *ret_deliver = d;
    return 0;
}

void deliver_stop(struct deliver *d)
{
    if (!d)
        return;
    sosia_engine_on_outbox(d->engine, NULL, NULL);
    pthread_mutex_lock(&d->lock);
    d->stop = true;
    pthread_cond_signal(&d->changed);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->thread, NULL);
}

/* n: how many were reported before. */
static size_t abandon_list(struct deliver *d, struct message *list, size_t n)
{
    for (; list; n++) {
        struct message *next = list->next;
        if (n < MAX_REPORTS)
            report(d, list, "webhook not delivered", NULL);
        message_free(list);
        list = next;
    }
    return n;
}

void deliver_free(struct deliver *d)
{
    if (!d)
        return;
    while (d->news) {
        struct news *next = d->news->next;
        free(d->news);
        d->news = next;
    }
    while (d->awaited) {
        struct awaited *next = d->awaited->next;
        free(d->awaited);
        d->awaited = next;
    }
    map_done(&d->newest);
    settle_all(d, d->answered);
    size_t n = abandon_list(d, d->waiting, 0);
    if (n > MAX_REPORTS)
        report_number(d, "webhooks not delivered", "more", n - MAX_REPORTS);
    map_done(&d->under_way);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->lock);
    free(d);
}
