/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens in worlds as one stream (Server-Sent Events) for programs that look on. Nothing of a
 * call knows of it: a thread that is there as long as somebody looks asks the worlds that are
 * looked at, ten times a second, how far their journals are. So what comes at once comes in one
 * piece, a call pays nothing for it, and a reader that comes again goes on where it was, by the id
 * of the last piece. Where more comes than can be read as it comes, there are two pieces a second:
 * what a reader draws for each takes its machine from the calls that it looks at.
 */
#include "engine/base/codec.h"
#include "engine/http/answer.h"
#include "engine/http/stream.h"
#include "engine/replay/find.h"
#include "engine/world/engine.h"
#include "server/control/operation.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define MOST_STREAMS 64
#define MOST_WORLDS  16 /* that a stream is of */
#define MOST_ENTRIES 500
#define MOST_COUNTED 20000 /* entries that are left out, and counted by what they are */
#define TURN_NS      100000000
#define QUICK        20 /* entries of a turn: with each so many the next piece is a turn later */
#define MOST_TURNS   5  /* from one piece about a world to the next */
#define NO_SEQ       INT64_MAX
#define ANY_ERA      UINT64_MAX

/* A world as a stream has shown it last. */
struct seen {
    uint64_t world, era;
    int64_t seq, now_us;
    bool gone;
    bool went_back; /* since the reader was there: the next turn says so */
    bool late;      /* it was busy when the stream began: seq and era are where the reader was */
    int turns;      /* from when it was looked at to when it is next; 0 is 1 */
    int passed;     /* of them */
};

struct watcher {
    struct watcher *next;
    struct events *events;
    struct sosia_stream *stream;
    struct seen worlds[MOST_WORLDS];
    size_t n;
    int64_t most; /* entries of a piece */
    /* of its session, set before the thread has it */
    bool read_only;
    int64_t ends_s;    /* 0: no end */
    _Atomic bool gone; /* its reader has; the thread forgets it */
};

struct events {
    struct sosia_engine *engine;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t ends;
    struct watcher *list;
    size_t n;
    pthread_t thread;
    bool begun, running, closing; /* begun: the thread has to be joined */
};

struct events *events_new(struct sosia_engine *engine)
{
    struct events *v = calloc(1, sizeof *v);
    pthread_condattr_t monotonic;
    if (!v)
        return NULL;
    v->engine = engine;
    pthread_mutex_init(&v->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&v->ends, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return v;
}

/* Whose reader has gone; or all of them. Under the lock, or when nobody else is left. */
static void forget_gone(struct events *v, bool all)
{
    for (struct watcher **at = &v->list; *at;) {
        struct watcher *w = *at;
        if (!all && !atomic_load(&w->gone)) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        v->n--;
        stream_unref(w->stream);
        free(w);
    }
}

void events_free(struct events *v)
{
    if (!v)
        return;
    pthread_mutex_lock(&v->lock);
    v->closing = true;
    pthread_cond_broadcast(&v->ends);
    pthread_mutex_unlock(&v->lock);
    if (v->begun)
        pthread_join(v->thread, NULL);
    forget_gone(v, true);
    pthread_cond_destroy(&v->ends);
    pthread_mutex_destroy(&v->lock);
    free(v);
}

/* ---- pieces ---- */

/* The id of a piece says how far each world is: "KEY:SEQ:ERA,KEY:SEQ:ERA". */
static void put_id(struct buf *b, const struct watcher *w)
{
    bool any = false;
    buf_puts(b, "id: ");
    for (size_t i = 0; i < w->n; i++) {
        char key[17];
        if (w->worlds[i].late)
            continue;
        world_key(w->worlds[i].world, key);
        buf_printf(b, "%s%s:%lld:%llu", any ? "," : "", key, (long long)w->worlds[i].seq,
                   (unsigned long long)w->worlds[i].era);
        any = true;
    }
    buf_puts(b, "\n");
}

/* Text of JSON may have line ends between its values, which would end the piece. */
static void put_piece(struct watcher *w, const char *event, const struct buf *data)
{
    struct buf b;
    buf_init(&b, 0);
    put_id(&b, w);
    buf_printf(&b, "event: %s\ndata: ", event);
    for (size_t i = 0; i < data->len;) {
        const char *line = data->data + i, *end = memchr(line, '\n', data->len - i);
        const size_t n = end ? (size_t)(end - line) : data->len - i;
        buf_add(&b, line, n);
        if (end)
            buf_byte(&b, ' ');
        i += n + (end != NULL);
    }
    buf_puts(&b, "\n\n");
    if (!buf_failed(&b))
        stream_put(w->stream, buf_str(&b), b.len);
    buf_done(&b);
}

static void begin_data(struct json_writer *j, struct buf *data, uint64_t world)
{
    char key[17];
    world_key(world, key);
    buf_init(data, 0);
    json_init(j, data, false, NULL);
    json_obj(j, NULL);
    json_str(j, "world", key);
}

/* A piece about a world with a number (0: none) or a time. */
static void put_note(struct watcher *w, const struct seen *s, const char *event, const char *name,
                     int64_t n, bool time)
{
    struct json_writer j;
    struct buf data;
    begin_data(&j, &data, s->world);
    if (time)
        json_time(&j, name, n, JSON_TIME_US_Z);
    else if (name)
        json_int(&j, name, n);
    json_end(&j);
    put_piece(w, event, &data);
    buf_done(&data);
}

static void put_reset(struct watcher *w, const struct seen *s)
{
    struct json_writer j;
    struct buf data;
    begin_data(&j, &data, s->world);
    json_int(&j, "seq", s->seq);
    json_int(&j, "era", (int64_t)s->era);
    json_end(&j);
    put_piece(w, "reset", &data);
    buf_done(&data);
}

/* So many entries came before those of the next piece. Of which sort they are is said of so many
 * as are counted in no time. */
static void put_skipped(struct watcher *w, const struct seen *s, int64_t from,
                        const struct journal_counts *counts)
{
    struct json_writer j;
    struct buf data;
    begin_data(&j, &data, s->world);
    json_int(&j, "n", s->seq - from + 1);
    json_int(&j, "from", from);
    json_int(&j, "to", s->seq);
    if (counts)
        journal_counts_write(&j, counts);
    json_end(&j);
    put_piece(w, "skipped", &data);
    buf_done(&data);
}

/* What came behind s up to number `to`, and is in no piece. */
static void skip(struct watcher *w, struct seen *s, int64_t to)
{
    struct journal_counts counts;
    struct sosia_err err;
    const int64_t from = s->seq + 1;
    bool counted = to - s->seq <= MOST_COUNTED &&
                   journal_count(w->events->engine, s->world, s->seq, to, &counts, &err) == 0;
    s->seq = to;
    put_skipped(w, s, from, counted ? &counts : NULL);
}

/* Entries up to number `last`: the newest ones, as many as a piece has room for. */
static void put_calls(struct watcher *w, struct seen *s, int64_t last)
{
    const int64_t before = last - s->seq > w->most ? last - w->most : s->seq;
    const struct journal_search search = {
        .after = before, .before = last + 1, .limit = (int)w->most, .times = true, .compact = true};
    struct sosia_blob entries;
    struct json_writer j;
    struct sosia_err err;
    struct buf data, shown;
    int64_t next;
    if (journal_search(w->events->engine, s->world, &search, &entries, &next, &err) < 0)
        return;          /* it is gone, or there is no memory now: the next turn finds out */
    buf_init(&shown, 0); /* as far as a reader may see them who only reads */
    if (!w->read_only || control_hide_text(entries.data, entries.len, &shown, &err) == 0) {
        if (before > s->seq)
            skip(w, s, before);
        begin_data(&j, &data, s->world);
        if (w->read_only)
            json_raw(&j, "entries", buf_str(&shown), shown.len);
        else
            json_raw(&j, "entries", entries.data, entries.len);
        json_end(&j);
        s->seq = next ? next : last;
        put_piece(w, "call", &data);
        buf_done(&data);
    }
    sosia_blob_free(&entries);
    buf_done(&shown);
}

/* Where worlds are; not of one that is busy: there is such a piece when it is known. */
static void put_open(struct watcher *w, const struct seen *list, size_t n)
{
    struct json_writer j;
    struct buf data;
    json_start(&j, &data);
    json_obj(&j, NULL);
    json_arr(&j, "worlds");
    for (size_t i = 0; i < n; i++) {
        char key[17];
        world_key(list[i].world, key);
        json_obj(&j, NULL);
        json_str(&j, "world", key);
        if (!list[i].late) {
            json_int(&j, "seq", list[i].seq);
            json_int(&j, "era", (int64_t)list[i].era);
        }
        json_end(&j);
    }
    json_end(&j);
    json_end(&j);
    put_piece(w, "open", &data);
    buf_done(&data);
}

/* ---- turns ---- */

/* False: it is busy, and is looked at in the next turn. */
static bool read_world(struct sosia_engine *e, uint64_t world, struct seen *ret, bool *ret_real)
{
    bool busy = false;
    struct sosia_err err;
    struct world *w = world_take_soon(e, world, &busy, &err);
    *ret = (struct seen){.world = world, .gone = !w};
    if (!w)
        return !busy;
    ret->seq = world_last_entry(w);
    ret->era = w->era;
    ret->now_us = world_now(w);
    *ret_real = world_clock_mode(w) == SOSIA_CLOCK_REAL;
    world_drop(w);
    return true;
}

/* From where the reader was, or, where the world went back since, from where it is. seq: NO_SEQ of
 * a reader that was nowhere. era: ANY_ERA of one that does not know. */
static void go_on_from(struct seen *s, int64_t seq, uint64_t era)
{
    if (seq == NO_SEQ)
        return;
    s->went_back = seq > s->seq || (era != ANY_ERA && era != s->era);
    if (!s->went_back)
        s->seq = seq;
}

/* By how many entries came since it was looked at before, as many turns ago. */
static int turns_to_next(int64_t came, int turns)
{
    const int64_t more = came / ((turns ? turns : 1) * QUICK);
    return more < MOST_TURNS - 1 ? (int)more + 1 : MOST_TURNS;
}

static void look_at(struct watcher *w, struct seen *s)
{
    struct seen now;
    bool real = false;
    if (++s->passed < s->turns)
        return;
    s->passed = 0;
    if (s->gone || !read_world(w->events->engine, s->world, &now, &real))
        return;
    if (now.gone) {
        s->gone = true;
        put_note(w, s, "dropped", NULL, 0, false);
        return;
    }
    if (s->late) {
        const struct seen was = *s;
        *s = now;
        go_on_from(s, was.seq, was.era);
        put_open(w, s, 1);
    }
    if (s->went_back || now.era != s->era || now.seq < s->seq) {
        *s = now;
        put_reset(w, s);
        return;
    }
    s->turns = turns_to_next(now.seq - s->seq, s->turns);
    if (now.seq > s->seq)
        put_calls(w, s, now.seq);
    if (!real && now.now_us != s->now_us)
        put_note(w, s, "clock", "now", now.now_us, true);
    s->now_us = now.now_us;
}

static bool is_over(const struct watcher *w)
{
    return w->ends_s && time(NULL) >= w->ends_s;
}

static void take_turn(struct events *v)
{
    for (struct watcher *w = v->list; w; w = w->next) {
        if (is_over(w)) {
            stream_end(w->stream); /* the door closes it then, and on_gone() runs */
            continue;
        }
        for (size_t i = 0; i < w->n; i++)
            look_at(w, &w->worlds[i]);
    }
}

static void wait_a_turn(struct events *v)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TURN_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!v->closing && pthread_cond_timedwait(&v->ends, &v->lock, &until) == 0)
        ;
}

/* As long as somebody looks. */
static void *work(void *arg)
{
    struct events *v = arg;
    pthread_mutex_lock(&v->lock);
    while (v->list && !v->closing) {
        take_turn(v);
        wait_a_turn(v);
        forget_gone(v, false);
    }
    v->running = false;
    pthread_mutex_unlock(&v->lock);
    return NULL;
}

/* Under the lock. */
static int see_to_it(struct events *v, struct sosia_err *err)
{
    if (v->running)
        return 0;
    if (v->begun) /* it has let the lock go for good */
        pthread_join(v->thread, NULL);
    v->begun = pthread_create(&v->thread, NULL, work, v) == 0;
    v->running = v->begun;
    return v->begun ? 0 : sosia_fail_memory(err);
}

/* ---- streams ---- */

/* On a thread that serves others, which must not wait for a turn. */
static void on_gone(void *arg, struct sosia_stream *s)
{
    struct watcher *w = arg;
    (void)s;
    atomic_store(&w->gone, true);
}

static const struct stream_owner owner = {.idle = ": \n\n", .gone = on_gone};

static const char *last_event_id(const struct control_call *c)
{
    for (size_t i = 0; i < c->request->n_headers; i++)
        if (strcasecmp(c->request->headers[i].name, "Last-Event-ID") == 0)
            return c->request->headers[i].value;
    return "";
}

/* "SEQ:ERA", or "SEQ" alone. False: it is none. */
static bool read_place(const char *text, size_t len, int64_t *ret_seq, uint64_t *ret_era)
{
    const char *colon = memchr(text, ':', len);
    int64_t era;
    *ret_era = ANY_ERA;
    if (colon) {
        size_t behind = (size_t)(text + len - colon) - 1;
        if (parse_i64(colon + 1, behind, &era) < 0 || era < 0)
            return false;
        *ret_era = (uint64_t)era;
        len = (size_t)(colon - text);
    }
    return parse_i64(text, len, ret_seq) == 0 && *ret_seq >= 0 && *ret_seq < NO_SEQ;
}

/* From where the reader was, by the id of the last piece that it got. */
static void go_on(struct seen *s, const char *id)
{
    char key[17];
    int64_t seq;
    uint64_t era;
    world_key(s->world, key);
    for (const char *p = id; *p; p += strcspn(p, ","), p += *p == ',') {
        size_t n = strcspn(p, ",");
        if (n <= 17 || strncmp(p, key, 16) != 0 || p[16] != ':' ||
            !read_place(p + 17, n - 17, &seq, &era))
            continue;
        if (!s->late) {
            go_on_from(s, seq, era);
            return;
        }
        s->seq = seq;
        s->era = era;
        return;
    }
}

/* Under no lock: nobody else has the watcher yet. */
static int read_worlds(struct control_call *c, struct watcher *w)
{
    const char *names = control_text(c, "worlds"), *id = last_event_id(c);
    for (const char *p = names; *p; p += strcspn(p, ","), p += *p == ',') {
        char *name = arena_memdup(&c->arena, p, strcspn(p, ","));
        struct seen *s = &w->worlds[w->n];
        bool real;
        uint64_t world;
        if (arena_failed(&c->arena))
            return sosia_fail_memory(&c->err);
        if (w->n == MOST_WORLDS)
            return control_fail(c, "worlds", "must name at most %d worlds, names more",
                                MOST_WORLDS);
        if (sosia_world_find(c->engine, name, &world, &c->err) < 0) {
            c->err.where = "worlds";
            return -1;
        }
        if (!read_world(c->engine, world, s, &real))
            *s = (struct seen){.world = world, .seq = NO_SEQ, .late = true};
        go_on(s, id);
        w->n++;
    }
    return w->n ? 0 : control_fail(c, "worlds", "must name at least one world, names none");
}

static int add_watcher(struct control_call *c, struct watcher *w)
{
    struct events *v = c->control->events;
    pthread_mutex_lock(&v->lock);
    int rc = v->n == MOST_STREAMS
                 ? sosia_fail(&c->err, SOSIA_E_LIMIT, "tooManyStreams", NULL,
                              "at most %d streams can be read at once, and there are as many",
                              MOST_STREAMS)
                 : see_to_it(v, &c->err);
    if (rc == 0) {
        w->next = v->list;
        v->list = w;
        v->n++;
        put_open(w, w->worlds, w->n);
    }
    pthread_mutex_unlock(&v->lock);
    return rc;
}

static int events_stream(struct call *call)
{
    static const struct sosia_header head[] = {{"Content-Type", "text/event-stream; charset=utf-8"},
                                               {"Cache-Control", "no-store"},
                                               {"X-Content-Type-Options", "nosniff"}};
    struct control_call *c = control_of(call);
    struct watcher *w = calloc(1, sizeof *w);
    if (!w || !(w->stream = stream_new(&owner, w))) {
        free(w);
        return sosia_fail_memory(&c->err);
    }
    w->events = c->control->events;
    w->read_only = c->request->read_only;
    w->ends_s = c->request->ends_s;
    w->most = control_number(c, "entries", MOST_ENTRIES);
    if (read_worlds(c, w) < 0 || add_watcher(c, w) < 0) {
        stream_close(w->stream); /* the answer's reference */
        stream_unref(w->stream);
        free(w);
        return -1;
    }
    if (!(c->response->answer = answer_stream(w->stream, head, SOSIA_LEN(head))))
        return sosia_fail_memory(&c->err);
    return SERVER_ANSWER;
}

/* ---- rows ---- */

static const struct param events_params[] = {
    {.name = "worlds",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .required = true,
     .max = 2000,
     .summary = "Keys or names of up to 16 worlds, with commas between"},
    {.name = "entries",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .min = 1,
     .max = MOST_ENTRIES,
     .summary = "At most so many entries of the journal in a piece, the newest; how many came "
                "before them is said by skipped. Default: 500"}};

static const struct route routes[] = {
    {ROUTE("events.stream", GET, "/events"), .outside = true, .risk = RISK_READ,
     .summary = "What happens in worlds, as Server-Sent Events: open, call, "
                "clock, reset, dropped, skipped",
     .handler = events_stream, .pace = PACE_SLOW, PARAMS(events_params), .status = 200,
     .gives = "text/event-stream"},
};

const struct rows control_events_rows = ROWS(routes);
