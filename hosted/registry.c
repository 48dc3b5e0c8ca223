/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sandboxes: found by their ids, made and ended. Their ids are from the process's random source,
 * and open what they name; nothing of a world leads to them.
 *
 * The record of one is the note of its world. What is here is made of the notes when the service
 * begins, and a world that has ended takes its sandbox along.
 */
#include "engine/world/engine.h"
#include "hosted/impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#define PURGE_FROM                                                                                 \
    1024 /* sandboxes, from which on those whose worlds have ended are looked for                  \
          */

int random_uuid(char ret_text[UUID_TEXT], struct sosia_err *err)
{
    uint8_t b[16];
    if (getrandom(b, sizeof b, 0) != sizeof b)
        return sosia_fail(err, SOSIA_E_IO, NULL, NULL, "there are no random numbers");
    b[6] = (uint8_t)((b[6] & 0x0f) | 0x40); /* RFC 9562: version 4 */
    b[8] = (uint8_t)((b[8] & 0x3f) | 0x80);
    char *p = ret_text;
    for (size_t i = 0; i < sizeof b; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *p++ = '-';
        hex_encode(p, &b[i], 1);
        p += 2;
    }
    return 0;
}

/* ---- in memory ---- */

static char *put(char **at, const char *text)
{
    if (!text)
        return NULL;
    size_t n = strlen(text) + 1;
    char *to = memcpy(*at, text, n);
    *at += n;
    return to;
}

static size_t room(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static struct sandbox *sandbox_new(const struct sandbox_new *n, struct tenant *t)
{
    size_t size = room(n->person) + room(n->tag) + room(n->benchmark) + room(n->universe) +
                  room(n->servers) + room(n->more);
    struct sandbox *s = calloc(1, sizeof *s + size);
    if (!s)
        return NULL;
    char *at = s->text;
    atomic_init(&s->refs, 1);
    s->kind = n->kind;
    s->tenant = t;
    s->service = n->service;
    s->person = put(&at, n->person);
    s->tag = put(&at, n->tag);
    s->benchmark = put(&at, n->benchmark);
    s->universe = put(&at, n->universe);
    s->servers = put(&at, n->servers);
    s->more = put(&at, n->more);
    s->pause_us = n->pause_us;
    return s;
}

void sandbox_give(struct sandbox *s)
{
    if (s && atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1)
        free(s);
}

struct sandbox *sandbox_ref(struct sandbox *s)
{
    if (s)
        atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

/* Under the mutex. Takes the caller's reference. -1: no memory. */
static int add(struct hosted *h, struct sandbox *s)
{
    if (map_set(&h->by_id, s->id, s) < 0)
        return -1;
    if (map_set(&h->by_instance, s->instance, s) < 0) {
        map_remove(&h->by_id, s->id);
        return -1;
    }
    s->tenant->n_sandboxes++;
    return 0;
}

/* True: it was there, and the caller gives the registry's reference back. */
static bool take_out(struct hosted *h, struct sandbox *s)
{
    pthread_mutex_lock(&h->lock);
    bool there = !s->released;
    if (there) {
        s->released = true;
        map_remove(&h->by_id, s->id);
        map_remove(&h->by_instance, s->instance);
        s->tenant->n_sandboxes--;
    }
    pthread_mutex_unlock(&h->lock);
    return there;
}

static bool is_over(struct hosted *h, const struct sandbox *s)
{
    struct sosia_world_info info;
    struct sosia_err err = {0};
    return sosia_world_info(h->engine, s->world, &info, &err) < 0 && err.code == SOSIA_E_NOT_FOUND;
}

/* One whose world has ended leaves the registry. */
static struct sandbox *living(struct hosted *h, struct sandbox *s)
{
    if (!s || !is_over(h, s))
        return s;
    if (take_out(h, s))
        sandbox_give(s);
    sandbox_give(s);
    return NULL;
}

struct sandbox *sandbox_take(struct hosted *h, const struct tenant *t, const char *id)
{
    pthread_mutex_lock(&h->lock);
    struct sandbox *s = map_get(&h->by_id, id);
    s = s && s->tenant == t ? sandbox_ref(s) : NULL;
    pthread_mutex_unlock(&h->lock);
    return living(h, s);
}

struct sandbox *sandbox_of_instance(struct hosted *h, const char *instance)
{
    pthread_mutex_lock(&h->lock);
    struct sandbox *s = sandbox_ref(map_get(&h->by_instance, instance));
    pthread_mutex_unlock(&h->lock);
    return living(h, s);
}

struct listing {
    const struct tenant *tenant; /* NULL: any */
    struct sandbox **list;
    size_t n;
};

static int list_one(void *arg, const char *key, void *value)
{
    struct listing *l = arg;
    struct sandbox *s = value;
    if (!l->tenant || s->tenant == l->tenant)
        l->list[l->n++] = sandbox_ref(s);
    return 0;
}

static int older(const void *a, const void *b)
{
    const struct sandbox *x = *(struct sandbox *const *)a, *y = *(struct sandbox *const *)b;
    if (x->created_us != y->created_us)
        return x->created_us < y->created_us ? -1 : 1;
    return strcmp(x->id, y->id);
}

size_t sandbox_list(struct hosted_call *c, const struct tenant *t, struct sandbox ***ret)
{
    struct hosted *h = c->h;
    struct listing l = {.tenant = t};
    size_t n = 0;
    pthread_mutex_lock(&h->lock);
    l.list = arena_alloc(&c->arena, (h->by_id.n + 1) * sizeof(*l.list));
    if (!arena_failed(&c->arena))
        map_each(&h->by_id, list_one, &l);
    pthread_mutex_unlock(&h->lock);
    for (size_t i = 0; i < l.n; i++)
        if ((l.list[n] = living(h, l.list[i])) != NULL)
            n++;
    if (n)
        qsort(l.list, n, sizeof(*l.list), older);
    *ret = l.list;
    return n;
}

static void purge(struct hosted_call *c)
{
    struct sandbox **list;
    size_t n = sandbox_list(c, NULL, &list);
    while (n)
        sandbox_give(list[--n]);
}

/* ---- records ---- */

static const char record_mark[] = "sandbox";
static const char *const kinds[] = {"sandbox", "universe", "local", "e2b", "e2bSnapshot", NULL};

static const char *record_of(struct arena *a, const struct sandbox *s)
{
    struct json_writer w;
    struct buf b;
    hosted_begin(&b, &w);
    json_str(&w, "of", record_mark);
    json_str(&w, "kind", kinds[s->kind]);
    json_str(&w, "id", s->id);
    json_str(&w, "instance", s->instance);
    json_str(&w, "tenant", s->tenant->name);
    json_str_opt(&w, "server", s->service ? s->service->name : NULL);
    json_str_opt(&w, "person", s->person);
    json_str_opt(&w, "tag", s->tag);
    json_str_opt(&w, "benchmark", s->benchmark);
    json_str_opt(&w, "universe", s->universe);
    json_str_opt(&w, "servers", s->servers);
    json_str_opt(&w, "more", s->more);
    if (s->pause_us)
        json_int(&w, "pause", s->pause_us);
    json_int(&w, "created", s->created_us);
    json_int(&w, "updated", s->updated_us);
    json_end(&w);
    return buf_keep(&b, a);
}

/* A sandbox of a world's record; NULL: it is none, or of a tenant that there is not (any more). */
static struct sandbox *read_record(struct hosted *h, struct arena *a, const char *note)
{
    const struct json *v;
    if (json_parse(a, note, strlen(note), NULL, &v, NULL) < 0 ||
        !str_same(json_get_str(v, "of"), record_mark))
        return NULL;
    const char *server = json_get_str(v, "server"), *id = json_get_str(v, "id"),
               *instance = json_get_str(v, "instance");
    int kind = str_place(kinds, json_get_str(v, "kind"));
    struct tenant *t = tenant_named(h, json_get_str(v, "tenant"));
    const struct sandbox_new n = {.kind = (enum sandbox_kind)kind,
                                  .service = server ? service_named(server) : NULL,
                                  .person = json_get_str(v, "person"),
                                  .tag = json_get_str(v, "tag"),
                                  .benchmark = json_get_str(v, "benchmark"),
                                  .universe = json_get_str(v, "universe"),
                                  .servers = json_get_str(v, "servers"),
                                  .more = json_get_str(v, "more"),
                                  .pause_us = json_get_int(v, "pause", 0)};
    if (!t || kind < 0 || !n.person || !id || !instance || strlen(id) >= UUID_TEXT ||
        strlen(instance) >= UUID_TEXT || (kind == KIND_SANDBOX && !n.service) ||
        (kind >= KIND_E2B && !n.more))
        return NULL;
    struct sandbox *s = sandbox_new(&n, t);
    if (!s)
        return NULL;
    strcpy(s->id, id);
    strcpy(s->instance, instance);
    s->created_us = json_get_int(v, "created", 0);
    s->updated_us = json_get_int(v, "updated", s->created_us);
    return s;
}

struct found {
    uint64_t *worlds;
    size_t n, cap;
    struct arena *arena;
};

static int keep_world(void *arg, const struct sosia_world_info *info)
{
    struct found *f = arg;
    if (info->snapshot)
        return 0;
    if (!(f->worlds = arena_grow(f->arena, f->worlds, f->n, &f->cap, sizeof *f->worlds)))
        return 1;
    f->worlds[f->n++] = info->id;
    return 0;
}

int registry_find_all(struct hosted *h, struct sosia_err *err)
{
    struct arena a;
    struct found f = {.arena = &a};
    arena_init(&a, 0);
    int rc = sosia_world_list(h->engine, 0, keep_world, &f, err);
    for (size_t i = 0; rc == 0 && i < f.n; i++) {
        const char *note = NULL;
        if (engine_note(h->engine, f.worlds[i], &a, &note, NULL) < 0 || !note)
            continue;
        struct sandbox *s = read_record(h, &a, note);
        if (!s)
            continue;
        s->world = f.worlds[i];
        pthread_mutex_lock(&h->lock);
        bool taken = map_get(&h->by_id, s->id) || map_get(&h->by_instance, s->instance);
        if (taken || add(h, s) < 0)
            sandbox_give(s);
        pthread_mutex_unlock(&h->lock);
    }
    if (arena_failed(&a))
        rc = sosia_fail_memory(err);
    arena_done(&a);
    return rc;
}

static int drop_one(void *arg, const char *key, void *value)
{
    sandbox_give(value);
    return 0;
}

void registry_done(struct hosted *h)
{
    map_each(&h->by_id, drop_one, NULL);
    map_done(&h->by_id);
    map_done(&h->by_instance);
}

/* ---- making and ending ---- */

/* A place among the tenant's, before there is a world for it. */
static bool reserve(struct hosted_call *c)
{
    struct hosted *h = c->h;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&h->lock);
        bool free = c->tenant->n_sandboxes < c->tenant->max_sandboxes;
        bool many = h->by_id.n >= PURGE_FROM && (h->by_id.n & (h->by_id.n - 1)) == 0;
        if (free)
            c->tenant->n_sandboxes++;
        pthread_mutex_unlock(&h->lock);
        if (many || !free)
            purge(c);
        if (free)
            return true;
    }
    return false;
}

static void unreserve(struct hosted_call *c)
{
    pthread_mutex_lock(&c->h->lock);
    c->tenant->n_sandboxes--;
    pthread_mutex_unlock(&c->h->lock);
}

static int make_world(struct hosted_call *c, struct sandbox *s, const struct sandbox_new *n)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", s->tenant->name, s->id);
    const struct fork_more more = {.ttl_us = n->ttl_us, .note = record_of(&c->arena, s)};
    const struct sosia_fork_options opt = {.name = name,
                                           .set_clock = !n->keep_clock,
                                           .clock = c->h->options.clock,
                                           .evaluation = n->evaluation};
    return engine_fork(c->h->engine, n->from, &opt, &more, &s->world, &c->err);
}

struct sandbox *sandbox_make(struct hosted_call *c, const struct sandbox_new *n, bool *ret_refused)
{
    struct hosted *h = c->h;
    *ret_refused = !reserve(c);
    if (*ret_refused)
        return NULL;
    struct sandbox *s = sandbox_new(n, c->tenant);
    if (!s)
        sosia_fail_memory(&c->err);
    if (!s || random_uuid(s->id, &c->err) < 0 || random_uuid(s->instance, &c->err) < 0) {
        sandbox_give(s);
        unreserve(c);
        return NULL;
    }
    s->created_us = real_us();
    s->updated_us = s->created_us;
    if (make_world(c, s, n) < 0) {
        sandbox_give(s);
        unreserve(c);
        return NULL;
    }
    pthread_mutex_lock(&h->lock);
    c->tenant->n_sandboxes--; /* which add() counts */
    int rc = add(h, s);
    if (rc == 0)
        sandbox_ref(s);
    pthread_mutex_unlock(&h->lock);
    if (rc == 0)
        return s;
    sosia_world_drop(h->engine, s->world, NULL);
    sandbox_give(s);
    sosia_fail_memory(&c->err);
    return NULL;
}

int sandbox_release(struct hosted_call *c, struct sandbox *s)
{
    struct hosted *h = c->h;
    if (!take_out(h, s))
        return 0;
    struct sosia_err err = {0};
    if (sosia_world_drop(h->engine, s->world, &err) == 0 || err.code == SOSIA_E_NOT_FOUND) {
        sandbox_give(s);
        return 1;
    }
    /* The disk does not take it: it is there as before. */
    pthread_mutex_lock(&h->lock);
    s->released = false;
    int rc = add(h, s);
    pthread_mutex_unlock(&h->lock);
    if (rc < 0)
        sandbox_give(s);
    c->err = err;
    return -1;
}

int sandbox_changed(struct hosted_call *c, struct sandbox *s)
{
    pthread_mutex_lock(&c->h->lock);
    s->updated_us = real_us();
    const char *note = record_of(&c->arena, s);
    pthread_mutex_unlock(&c->h->lock);
    if (arena_failed(&c->arena))
        return sosia_fail_memory(&c->err);
    return engine_note_set(c->h->engine, s->world, note, &c->err);
}

/* ---- what leads to its world ---- */

const char *sandbox_token(struct hosted_call *c, struct sandbox *s)
{
    char token[SOSIA_TOKEN_MAX];
    pthread_mutex_lock(&c->h->lock);
    memcpy(token, s->token, sizeof token);
    pthread_mutex_unlock(&c->h->lock);
    if (!*token) {
        const struct sosia_token_options opt = {.actor = s->person};
        if (sosia_token_issue(c->h->engine, s->world, &opt, token, sizeof token, &c->err) < 0)
            return NULL;
        pthread_mutex_lock(&c->h->lock);
        memcpy(s->token, token, sizeof token);
        pthread_mutex_unlock(&c->h->lock);
    }
    return arena_strdup(&c->arena, token);
}

const char *sandbox_token_of(struct hosted_call *c, struct sandbox *s, const char *person)
{
    char token[SOSIA_TOKEN_MAX];
    if (strcmp(person, s->person) == 0)
        return sandbox_token(c, s);
    pthread_mutex_lock(&c->h->lock);
    bool kept = strcmp(person, s->named) == 0;
    if (kept)
        memcpy(token, s->named_token, sizeof token);
    pthread_mutex_unlock(&c->h->lock);
    if (!kept) {
        const struct sosia_token_options opt = {.actor = person};
        if (sosia_token_issue(c->h->engine, s->world, &opt, token, sizeof token, &c->err) < 0)
            return NULL;
        pthread_mutex_lock(&c->h->lock);
        memcpy(s->named_token, token, sizeof token);
        snprintf(s->named, sizeof s->named, "%s", person);
        pthread_mutex_unlock(&c->h->lock);
    }
    return arena_strdup(&c->arena, token);
}

const char *sandbox_url(struct hosted_call *c, const struct sandbox *s, const struct service *of)
{
    const struct service *service = of ? of : s->service;
    return arena_printf(&c->arena, "%s/hosted/%s/mcp/?instance_id=%s", c->request->base_url,
                        service->name, s->instance);
}
