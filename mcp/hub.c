/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Order of locks: a world's, then the hub's, then a stream's.
 */
#include "mcp/hub_impl.h"
#include "engine/base/codec.h"
#include "engine/base/map.h"
#include "engine/http/stream.h"
#include "engine/http/token.h"
#include "engine/world/engine.h"
#include <stdio.h>
#include <stdlib.h>

#define MAX_SESSIONS 20000 /* of them of one token, and of one world: */
#define MAX_OF_TOKEN 2000
#define MAX_OF_WORLD 10000
#define MAX_LOGGED   32     /* events that a session keeps for a client who comes back */
#define WAIT_MS      300000 /* for a client to answer */

struct watch {
    struct watch *next;
    struct watched of;
    size_t len;
    char *uri;    /* behind the event */
    char event[]; /* text */
};

/* An event that a session's client may have missed. */
struct logged {
    struct logged *next;
    int64_t number;
    size_t len;
    char text[];
};

/* The sessions of one token, or of one world. */
struct pool {
    size_t n;
    struct listener *first; /* of a token's */
    char name[];
};

static void on_gone(void *arg, struct sosia_stream *s);
static void on_expired(void *arg, struct sosia_stream *s);

static const struct stream_owner listening = {.idle = ":\n\n", .gone = on_gone};
static const struct stream_owner waiting = {
    .idle = ":\n\n", .life_ms = WAIT_MS, .gone = on_gone, .expired = on_expired};

bool hub_same_owner(const struct hub_owner *a, const struct hub_owner *b)
{
    return a->world == b->world && a->actor == b->actor && a->app == b->app && a->face == b->face &&
           a->service == b->service;
}

struct hub_owner hub_owner_of(const struct mcp_call *m)
{
    return (struct hub_owner){.world = m->c->world,
                              .actor = m->c->actor.id,
                              .app = m->c->app,
                              .face = m->face,
                              .service = m->service};
}

struct sosia_stream *hub_stream(struct hub *h, bool waits)
{
    return stream_new(waits ? &waiting : &listening, h);
}

void hub_event(struct buf *b, const char *json, size_t len)
{
    buf_puts(b, "event: message\ndata: ");
    buf_add(b, json, len);
    buf_puts(b, "\n\n");
}

/* ---- under the lock ---- */

static void list_listener(struct hub *h, struct listener *l)
{
    unsigned b = hub_bucket(l->owner.world);
    l->next = h->buckets[b];
    h->buckets[b] = l;
    atomic_fetch_add(&h->n[b], 1);
}

static void unlist_listener(struct hub *h, struct listener *l)
{
    unsigned b = hub_bucket(l->owner.world);
    struct listener **at = &h->buckets[b];
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    atomic_fetch_sub(&h->n[b], 1);
}

static void unuse(struct hub *h, struct listener *l)
{
    *(l->newer ? &l->newer->older : &h->newest) = l->older;
    *(l->older ? &l->older->newer : &h->oldest) = l->newer;
    l->newer = l->older = NULL;
}

static void use(struct hub *h, struct listener *l)
{
    l->older = h->newest;
    *(l->older ? &l->older->newer : &h->oldest) = l;
    h->newest = l;
    l->used = ++h->n_uses;
}

/* NULL without memory. */
static struct pool *pool_enter(struct hub *h, const char *name)
{
    struct pool *p = map_get(&h->pools, name);
    size_t size = strlen(name) + 1;
    if (!p && (p = calloc(1, sizeof *p + size))) {
        memcpy(p->name, name, size);
        if (map_set(&h->pools, name, p) < 0) {
            free(p);
            p = NULL;
        }
    }
    if (p)
        p->n++;
    return p;
}

static void pool_leave(struct hub *h, struct pool *p)
{
    if (!p || --p->n)
        return;
    map_remove(&h->pools, p->name);
    free(p);
}

/* False without memory. token: of its client; NULL: none. */
static bool enter_pools(struct hub *h, struct listener *l, const char *token)
{
    char name[32];
    snprintf(name, sizeof name, "t%016llx",
             (unsigned long long)(token ? hash_bytes(token, strlen(token)) : 0));
    l->token = pool_enter(h, name);
    snprintf(name, sizeof name, "w%016llx", (unsigned long long)l->owner.world);
    l->world = l->token ? pool_enter(h, name) : NULL;
    if (!l->world) {
        pool_leave(h, l->token);
        return false;
    }
    l->next_of_token = l->token->first;
    if (l->next_of_token)
        l->next_of_token->previous_of_token = l;
    l->token->first = l;
    return true;
}

static void leave_pools(struct hub *h, struct listener *l)
{
    *(l->previous_of_token ? &l->previous_of_token->next_of_token : &l->token->first) =
        l->next_of_token;
    if (l->next_of_token)
        l->next_of_token->previous_of_token = l->previous_of_token;
    pool_leave(h, l->token);
    pool_leave(h, l->world);
}

/* The one that makes room: those that nobody listens to go first, and among them the one that was
 * not used for longest. */
static struct listener *sooner(struct listener *a, struct listener *b)
{
    if (!a || (a->stream != NULL) != (b->stream != NULL))
        return a && !a->stream ? a : b;
    return a->used <= b->used ? a : b;
}

/* Which session ends for this new one, if its token, its world or all have too many: one of the
 * same token, so that nobody ends what is another's; where that has no other, one of the world's or
 * of all. NULL: none. */
static struct listener *to_make_room(struct hub *h, const struct listener *l)
{
    struct listener *found = NULL;
    bool of_world = l->world->n > MAX_OF_WORLD;
    if (l->token->n <= MAX_OF_TOKEN && !of_world && h->n_sessions <= MAX_SESSIONS)
        return NULL;
    for (struct listener *x = l->token->first; x; x = x->next_of_token)
        if (x != l)
            found = sooner(found, x);
    if (found)
        return found;
    if (!of_world)
        return h->oldest;
    for (struct listener *x = h->buckets[hub_bucket(l->owner.world)]; x; x = x->next)
        if (x != l && *x->session.id && x->world == l->world)
            found = sooner(found, x);
    return found;
}

static void watches_free(struct listener *l)
{
    while (l->watches) {
        struct watch *w = l->watches;
        l->watches = w->next;
        free(w);
    }
}

static void log_cut(struct listener *l, size_t most)
{
    while (l->n_logged > most) {
        struct logged *e = l->log;
        l->log = e->next;
        if (!l->log)
            l->log_end = &l->log;
        l->n_logged--;
        free(e);
    }
}

/* The listener is forgotten; gives its stream, which is to be ended and let go without the lock. */
static struct sosia_stream *forget(struct hub *h, struct listener *l)
{
    struct sosia_stream *s = l->stream;
    if (s)
        stream_set_data(s, NULL);
    unlist_listener(h, l);
    if (*l->session.id) {
        unuse(h, l);
        leave_pools(h, l);
        map_remove(&h->sessions, l->session.id);
        h->n_sessions--;
        log_cut(l, 0);
    }
    watches_free(l);
    free(l);
    return s;
}

static void end_stream(struct sosia_stream *s)
{
    if (!s)
        return;
    stream_end(s);
    stream_unref(s);
}

static struct listener *find(struct hub *h, const struct hub_owner *o, const char *id)
{
    struct listener *l = map_get(&h->sessions, id);
    return l && hub_same_owner(&l->owner, o) ? l : NULL;
}

/* ---- streams ---- */

/* The reader has gone. A session goes on without it. */
static void on_gone(void *arg, struct sosia_stream *s)
{
    struct hub *h = arg;
    struct sosia_stream *held = NULL;
    pthread_mutex_lock(&h->lock);
    struct listener *l = stream_data(s);
    struct hub_pending *over = hub_pending_take(h, s, NULL, 0);
    if (l && l->session.legacy) {
        hub_pending_drop(over); /* none: they wait for the session */
        over = hub_pending_take(h, NULL, l->session.id, l->owner.world);
        held = forget(h, l);
    } else if (l && *l->session.id) {
        held = l->stream;
        stream_set_data(s, NULL);
        l->stream = NULL;
    } else if (l) {
        held = forget(h, l);
    }
    pthread_mutex_unlock(&h->lock);
    hub_pending_drop(over);
    stream_unref(held);
}

/* The client has not answered. */
static void on_expired(void *arg, struct sosia_stream *s)
{
    struct hub *h = arg;
    pthread_mutex_lock(&h->lock);
    struct hub_pending *p = hub_pending_take(h, s, NULL, 0);
    pthread_mutex_unlock(&h->lock);
    if (p) {
        struct buf json, event;
        buf_init(&json, 0);
        buf_init(&event, 0);
        buf_printf(&json,
                   "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"Request "
                   "timed out: the client did not answer in %d s\"}}",
                   p->request_id, RPC_TIMEOUT, WAIT_MS / 1000);
        hub_event(&event, buf_str(&json), json.len);
        stream_put(s, buf_str(&event), event.len);
        buf_done(&json);
        buf_done(&event);
    }
    hub_pending_drop(p);
}

/* ---- sessions ---- */

/* Nobody can guess it, and an engine that is opened anew gives others. */
static void make_id(struct hub *h, const struct tx *tx, char ret[SESSION_ID + 1])
{
    pthread_mutex_lock(&h->lock);
    uint64_t n = ++h->n_begun;
    pthread_mutex_unlock(&h->lock);
    token_mark(tx,
               arena_printf(tx->arena, "mcp.session %016llx %llu",
                            (unsigned long long)h->engine->opening, (unsigned long long)n),
               ret);
}

int hub_session_new(struct hub *h, const struct mcp_call *m, struct mcp_session *s)
{
    struct listener *l = calloc(1, sizeof *l);
    struct sosia_stream *old = NULL;
    struct hub_pending *over = NULL;
    if (!l)
        return -1;
    make_id(h, &m->c->tx, s->id);
    l->owner = hub_owner_of(m);
    l->session = *s;
    l->log_end = &l->log;
    pthread_mutex_lock(&h->lock);
    int rc = *s->id && enter_pools(h, l, m->c->token) ? map_set(&h->sessions, s->id, l) : -1;
    if (rc < 0 && l->world)
        leave_pools(h, l);
    if (rc == 0) {
        list_listener(h, l);
        use(h, l);
        h->n_sessions++;
        struct listener *last = to_make_room(h, l);
        if (last) {
            over = hub_pending_take(h, NULL, last->session.id, last->owner.world);
            old = forget(h, last);
        }
    }
    pthread_mutex_unlock(&h->lock);
    if (rc < 0)
        free(l);
    hub_pending_drop(over);
    end_stream(old);
    return rc;
}

bool hub_session_find(struct hub *h, const struct hub_owner *o, const char *id,
                      struct mcp_session *ret)
{
    pthread_mutex_lock(&h->lock);
    struct listener *l = find(h, o, id);
    if (l) {
        unuse(h, l);
        use(h, l);
        *ret = l->session;
    }
    pthread_mutex_unlock(&h->lock);
    return l != NULL;
}

void hub_session_save(struct hub *h, const struct hub_owner *o, const struct mcp_session *s)
{
    pthread_mutex_lock(&h->lock);
    struct listener *l = find(h, o, s->id);
    if (l)
        l->session = *s;
    pthread_mutex_unlock(&h->lock);
}

bool hub_session_end(struct hub *h, const struct hub_owner *o, const char *id)
{
    pthread_mutex_lock(&h->lock);
    struct listener *l = find(h, o, id);
    struct hub_pending *over = l ? hub_pending_take(h, NULL, id, o->world) : NULL;
    struct sosia_stream *s = l ? forget(h, l) : NULL;
    pthread_mutex_unlock(&h->lock);
    hub_pending_drop(over);
    end_stream(s);
    return l != NULL;
}

bool hub_session_stream(struct hub *h, const struct hub_owner *o, const char *id,
                        struct sosia_stream *stream, int64_t after)
{
    pthread_mutex_lock(&h->lock);
    struct listener *l = find(h, o, id);
    struct sosia_stream *before = l ? l->stream : NULL;
    if (before)
        stream_set_data(before, NULL);
    if (l) {
        stream_set_data(stream, l);
        l->stream = stream;
        for (const struct logged *e = after >= 0 ? l->log : NULL; e; e = e->next)
            if (e->number > after)
                stream_put(stream, e->text, e->len);
    }
    pthread_mutex_unlock(&h->lock);
    end_stream(before);
    return l != NULL;
}

bool hub_session_put(struct hub *h, const struct hub_owner *o, const char *id, const char *text,
                     size_t len)
{
    pthread_mutex_lock(&h->lock);
    struct listener *l = find(h, o, id);
    bool put = l && l->stream && stream_put(l->stream, text, len);
    pthread_mutex_unlock(&h->lock);
    return put;
}

/* ---- watching ---- */

/* Under the lock. */
static int add_watch(struct listener *l, const char *uri, const struct watched *of,
                     const char *json)
{
    static const char head[] = "event: message\ndata: ";
    size_t n = strlen(json), len = sizeof head - 1 + n + 2;
    if (l->n_watches == MAX_WATCHES)
        return 0;
    struct watch *w = malloc(sizeof *w + len + 1 + strlen(uri) + 1);
    if (!w)
        return -1;
    *w = (struct watch){.next = l->watches, .of = *of, .len = len};
    snprintf(w->event, len + 1, "%s%s\n\n", head, json);
    w->uri = strcpy(w->event + len + 1, uri);
    l->watches = w;
    l->n_watches++;
    return 1;
}

static void remove_watches(struct listener *l, const char *uri)
{
    for (struct watch **at = &l->watches; *at;) {
        struct watch *w = *at;
        if (strcmp(w->uri, uri) != 0) {
            at = &w->next;
            continue;
        }
        *at = w->next;
        l->n_watches--;
        free(w);
    }
}

int hub_session_watch(struct hub *h, const struct hub_owner *o, const char *id, const char *uri,
                      const struct watched *w, const char *json)
{
    pthread_mutex_lock(&h->lock);
    struct listener *l = find(h, o, id);
    int r = l ? add_watch(l, uri, w, json) : 0;
    pthread_mutex_unlock(&h->lock);
    return r;
}

const char *hub_subscription(struct arena *a, const struct json *id)
{
    return arena_printf(a, "\n%s", json_to_text(a, id)); /* what no URI is */
}

void hub_session_unwatch(struct hub *h, const struct hub_owner *o, const char *id, const char *uri)
{
    pthread_mutex_lock(&h->lock);
    struct listener *l = find(h, o, id);
    if (l)
        remove_watches(l, uri);
    pthread_mutex_unlock(&h->lock);
}

int hub_stream_listen(struct hub *h, const struct hub_owner *o, struct sosia_stream *stream)
{
    struct listener *l = calloc(1, sizeof *l);
    if (!l)
        return -1;
    l->owner = *o;
    l->stream = stream;
    l->log_end = &l->log;
    pthread_mutex_lock(&h->lock);
    stream_set_data(stream, l);
    list_listener(h, l);
    pthread_mutex_unlock(&h->lock);
    return 0;
}

int hub_stream_watch(struct hub *h, struct sosia_stream *stream, const struct watched *w,
                     const char *json)
{
    pthread_mutex_lock(&h->lock);
    struct listener *l = stream_data(stream);
    int r = l ? add_watch(l, "", w, json) : 0;
    pthread_mutex_unlock(&h->lock);
    return r;
}

/* ---- changes ---- */

static void let_out(void *arg, int rc)
{
    struct outgoing *o = arg, *next;
    for (; o; o = next) {
        next = o->next;
        if (rc == 0)
            stream_put(o->to, o->text, o->len);
        stream_unref(o->to);
        free(o);
    }
}

static bool is_of(const struct watched *w, const struct world_event *e)
{
    if ((w->scope && w->scope != e->scope) || (w->entity && e->entity && w->entity != e->entity))
        return false;
    for (const char *const *kind = w->kinds; *kind; kind++)
        if (strcmp(*kind, e->kind) == 0)
            return true;
    return false;
}

static bool is_notified(const struct watch *w, const struct delivered *delivered)
{
    for (; delivered; delivered = delivered->next)
        for (const struct world_event *e = delivered->first; e; e = e->next)
            if (is_of(&w->of, e))
                return true;
    return false;
}

/* A client that comes back gets what it has missed; without memory it is not kept for it. */
static void keep(struct listener *l, const struct outgoing *o)
{
    struct logged *e = malloc(sizeof *e + o->len);
    if (!e)
        return;
    *e = (struct logged){.number = l->number, .len = o->len};
    memcpy(e->text, o->text, o->len);
    *l->log_end = e;
    l->log_end = &e->next;
    l->n_logged++;
    log_cut(l, MAX_LOGGED);
}

/* A session's events are numbered. */
static struct outgoing *outgoing_of(struct listener *l, const char *event, size_t len)
{
    char id[32] = "";
    bool of_session = *l->session.id && !l->session.legacy;
    if (of_session)
        snprintf(id, sizeof id, "id: %lld\n", (long long)++l->number);
    size_t n = strlen(id);
    struct outgoing *o = malloc(sizeof *o + n + len + 1);
    if (!o)
        return NULL;
    *o = (struct outgoing){.len = n + len};
    memcpy(o->text, id, n);
    memcpy(o->text + n, event, len);
    if (of_session)
        keep(l, o);
    return o;
}

void hub_send(struct listener *l, const char *event, size_t len, struct outgoing ***end)
{
    struct outgoing *o = outgoing_of(l, event, len);
    if (!o || !l->stream) {
        free(o);
        return;
    }
    o->to = stream_ref(l->stream);
    **end = o;
    *end = &o->next;
}

void hub_let_out(struct hub *h, uint64_t ticket, struct outgoing *out)
{
    if (out)
        part_when_kept(h->engine, ticket, let_out, out);
}

/* The locked world as the change left it, for who asks what somebody may read. */
struct reading {
    struct world *world;
    struct worker *worker; /* NULL: nobody has asked, or there is none */
    struct tx tx;
    struct sosia_err err;
    const struct watched *last; /* that was asked of, by whom, and what it came to */
    int64_t actor;
    bool may;
};

static bool may_read(struct reading *r, struct sosia_engine *e, const struct watched *w,
                     int64_t actor)
{
    if (!w->may)
        return true;
    if (!r->worker) {
        r->worker = worker_take(e, &r->err);
        if (r->worker &&
            tx_begin(&r->tx, e, r->world, r->worker, false, world_now(r->world), &r->err) < 0) {
            worker_drop(r->worker);
            r->worker = NULL;
        }
    }
    /* People have many sessions. */
    if (!r->last || r->last->may != w->may || r->last->row != w->row || r->actor != actor)
        r->may = r->worker && w->may(&r->tx, w, actor) == 1;
    r->last = w;
    r->actor = actor;
    return r->may;
}

static void stop_reading(struct reading *r)
{
    if (!r->worker)
        return;
    tx_rollback(&r->tx);
    worker_drop(r->worker);
}

static void on_events(void *self, const struct tx *tx, uint64_t ticket)
{
    struct hub *h = self;
    struct outgoing *out = NULL, **end = &out;
    struct reading reading = {.world = tx->world};
    uint64_t world = tx->world->id;
    unsigned b = hub_bucket(world);
    if (!atomic_load_explicit(&h->n[b], memory_order_relaxed))
        return;
    pthread_mutex_lock(&h->lock);
    for (struct listener *l = h->buckets[b]; l; l = l->next) {
        for (struct watch *w = l->owner.world == world ? l->watches : NULL; w; w = w->next) {
            bool notifies = is_notified(w, tx->delivered) &&
                            may_read(&reading, h->engine, &w->of, l->owner.actor);
            if (notifies)
                hub_send(l, w->event, w->len, &end);
        }
    }
    pthread_mutex_unlock(&h->lock);
    stop_reading(&reading);
    hub_let_out(h, ticket, out);
}

static void on_world_end(void *self, uint64_t world)
{
    struct hub *h = self;
    unsigned b = hub_bucket(world);
    pthread_mutex_lock(&h->lock);
    struct hub_pending *over = hub_pending_take(h, NULL, NULL, world);
    for (struct listener *l = h->buckets[b], *next; l; l = next) {
        next = l->next;
        if (l->owner.world == world)
            end_stream(forget(h, l));
    }
    pthread_mutex_unlock(&h->lock);
    hub_pending_drop(over);
}

/* ---- life ---- */

static void *hub_make(struct sosia_engine *e)
{
    struct hub *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->engine = e;
    pthread_mutex_init(&h->lock, NULL);
    map_init(&h->sessions);
    map_init(&h->pools);
    return h;
}

static void hub_free(void *self)
{
    struct hub *h = self;
    for (unsigned b = 0; b < HUB_BUCKETS; b++)
        while (h->buckets[b])
            stream_unref(forget(h, h->buckets[b]));
    hub_pending_drop(hub_pending_take(h, NULL, NULL, 0));
    map_done(&h->sessions);
    map_done(&h->pools);
    pthread_mutex_destroy(&h->lock);
    free(h);
}

struct hub *hub_of_engine(struct sosia_engine *e)
{
    static const struct part part = {
        .make = hub_make, .free = hub_free, .events = on_events, .ended = on_world_end};
    return part_of(e, &part);
}

struct hub *hub_of(const struct call *c)
{
    return hub_of_engine(c->tx.engine);
}
