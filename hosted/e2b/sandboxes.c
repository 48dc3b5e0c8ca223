/* SPDX-License-Identifier: Apache-2.0 */
/* Sandboxes of E2B's: made, found, paused, ended. */
#include "engine/http/param.h"
#include "hosted/e2b/e2b.h"
#include <stdlib.h>

/* What machines of the original have; here it is what a sandbox is held to. */
#define CPUS      2
#define MEMORY_MB 1024
#define DISK_MB   512

/* ---- making ---- */

/* A fixture's name, and not a way through directories. */
static bool is_plain(const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    return *name && name[strspn(name, plain)] == 0;
}

/* The person of a world who acts: of that address, or the first one. NULL: c->err. */
static const char *person_of(struct hosted_call *c, uint64_t world, const char *wanted)
{
    struct sosia_blob list;
    const struct json *actors;
    if (sosia_actor_list(c->h->engine, world, 0, 0, &list, &c->err) < 0)
        return NULL;
    int rc = json_parse(&c->arena, list.data, list.len, NULL, &actors, &c->err);
    sosia_blob_free(&list);
    for (uint32_t i = 0; rc == 0 && i < actors->n; i++) {
        const char *email = json_get_str(&actors->items[i], "email");
        if (email && str_same(json_get_str(&actors->items[i], "kind"), "person") &&
            (!wanted || strcmp(wanted, email) == 0))
            return email;
    }
    if (rc == 0)
        sosia_fail(&c->err, SOSIA_E_INVALID, "actor", "metadata",
                   "metadata.actor must be the address of a person of the template, not \"%.80s\"",
                   wanted ? wanted : "");
    return NULL;
}

/* Which world a template is, and who acts in it. 1; 0: there is no such template; -1: c->err. */
static int open_template(struct hosted_call *c, const char *name, const char *actor,
                         struct sandbox_new *n)
{
    const struct hosted_options *o = &c->h->options;
    struct sandbox *snapshot = e2b_snapshot_named(c, name);
    if (snapshot) {
        n->from = snapshot->world;
        n->keep_clock = true;
        n->person = arena_strdup(&c->arena, snapshot->person);
        sandbox_give(snapshot);
        return 1;
    }
    if (strcmp(name, "base") == 0) {
        n->person = usual_person;
        return base_take(c, ACCOUNTS_ALL, &n->from) < 0 ? -1 : 1;
    }
    if (!o->fixture || !is_plain(name))
        return 0;
    if (o->fixture(o->fixture_arg, name, o->clock, &n->from, &c->err) < 0)
        return c->err.code == SOSIA_E_NOT_FOUND ? 0 : -1;
    n->person = person_of(c, n->from, actor);
    return n->person ? 1 : -1;
}

#define VARIABLES_MOST 8000 /* bytes of their JSON */

static bool are_texts(const struct json *v)
{
    for (uint32_t i = 0; v && v->type == JSON_OBJECT && i < v->n; i++)
        if (v->members[i].value.type != JSON_STRING)
            return false;
    return true;
}

int e2b_create(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const char *template = json_get_str(c->body, "templateID");
    const struct json *metadata = json_get(c->body, "metadata");
    const int64_t lives = e2b_timeout(c->body);
    struct sandbox_new n = {.kind = KIND_E2B, .ttl_us = lives};
    struct json_writer w;
    struct buf b;
    bool refused;
    if (!are_texts(metadata) || !are_texts(json_get(c->body, "envVars")))
        return hosted_refuse(c, 400,
                             "Error when parsing request: metadata and envVars must have texts");
    if (json_get(c->body, "envVars") &&
        strlen(json_to_text(&c->arena, json_get(c->body, "envVars"))) > VARIABLES_MOST)
        return hosted_refuse(c, 400, "envVars must have at most %d bytes", VARIABLES_MOST);
    if (tenant_full(c->h, c->tenant, false))
        return hosted_full(c);
    int r = open_template(c, template, json_get_str(metadata, "actor"), &n);
    if (r == 0)
        return hosted_refuse(c, 404, "template '%.80s' not found", template);
    if (r < 0)
        return hosted_failed(c);
    n.more = e2b_record(c, template, c->body, NULL);
    if (lax_true(json_get(c->body, "autoPause"))) {
        n.ttl_us = 0;
        n.pause_us = real_us() + lives;
    }
    c->sandbox = sandbox_make(c, &n, &refused);
    if (refused)
        return hosted_many(c);
    if (!c->sandbox)
        return hosted_failed(c);
    hosted_begin(&b, &w);
    if (e2b_write_made(c, &w, c->sandbox) < 0) {
        buf_done(&b);
        return hosted_failed(c);
    }
    json_end(&w);
    return hosted_answer(c, 201, &b);
}

/* ---- states ---- */

/* When it ends, or is paused. 0: never. */
static int64_t end_of(struct hosted_call *c, struct sandbox *s)
{
    struct sosia_world_info info;
    pthread_mutex_lock(&c->h->lock);
    const int64_t pause = s->pause_us;
    pthread_mutex_unlock(&c->h->lock);
    if (pause)
        return pause;
    return sosia_world_info(c->h->engine, s->world, &info, NULL) == 0 ? info.expires_us : 0;
}

/* It lives so long from now on, or is paused from a time on. */
static int set_end(struct hosted_call *c, int64_t lives_us, int64_t pause_us)
{
    struct sandbox *s = c->sandbox;
    pthread_mutex_lock(&c->h->lock);
    s->pause_us = pause_us;
    pthread_mutex_unlock(&c->h->lock);
    return sosia_world_ttl(c->h->engine, s->world, lives_us, false, &c->err) < 0 ||
                   sandbox_changed(c, s) < 0
               ? -1
               : 0;
}

static bool pauses(struct hosted_call *c)
{
    return lax_true(e2b_more(c, c->sandbox, "autoPause"));
}

static int go_on(struct hosted_call *c, int64_t lives_us)
{
    return pauses(c) ? set_end(c, 0, real_us() + lives_us) : set_end(c, lives_us, 0);
}

/* A time that is over sooner than the one it has changes nothing. */
int e2b_connect(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const int64_t lives = e2b_timeout(c->body);
    struct json_writer w;
    struct buf b;
    if (!e2b_take(c))
        return 0;
    const bool paused = e2b_is_paused(c->h, c->sandbox);
    if ((paused || end_of(c, c->sandbox) < real_us() + lives) && go_on(c, lives) < 0)
        return hosted_failed(c);
    hosted_begin(&b, &w);
    if (e2b_write_made(c, &w, c->sandbox) < 0) {
        buf_done(&b);
        return hosted_failed(c);
    }
    json_end(&w);
    return hosted_answer(c, paused ? 201 : 200, &b);
}

int e2b_set_timeout(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    if (!e2b_take(c))
        return 0;
    if (e2b_is_paused(c->h, c->sandbox))
        return hosted_refuse(c, 404, "Sandbox \"%s\" doesn't exist or you don't have access to it",
                             c->sandbox->id);
    return go_on(c, e2b_timeout(c->body)) < 0 ? hosted_failed(c) : e2b_nothing(c, 204);
}

int e2b_pause(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    if (!e2b_take(c))
        return 0;
    if (e2b_is_paused(c->h, c->sandbox))
        return hosted_refuse(c, 409, "Error pausing sandbox - sandbox '%s' is already paused",
                             c->sandbox->id);
    return set_end(c, 0, real_us()) < 0 ? hosted_failed(c) : e2b_nothing(c, 204);
}

int e2b_kill(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    if (!e2b_take(c))
        return 0;
    int r = sandbox_release(c, c->sandbox);
    if (r < 0)
        return hosted_failed(c);
    return r ? e2b_nothing(c, 204)
             : hosted_refuse(c, 404, "Sandbox \"%s\" doesn't exist or you don't have access to it",
                             c->sandbox->id);
}

/* ---- looking ---- */

static void write_state(struct hosted_call *c, struct json_writer *w, struct sandbox *s)
{
    const struct json *metadata = e2b_more(c, s, "metadata");
    const int64_t end = end_of(c, s);
    json_str(w, "state", e2b_is_paused(c->h, s) ? "paused" : "running");
    e2b_time(w, "startedAt", s->created_us);
    e2b_time(w, "endAt", end ? end : s->created_us);
    json_int(w, "cpuCount", CPUS);
    json_int(w, "memoryMB", MEMORY_MB);
    json_int(w, "diskSizeMB", DISK_MB);
    if (metadata)
        json_value(w, "metadata", metadata);
}

int e2b_get(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct json_writer w;
    struct buf b;
    if (!e2b_take(c))
        return 0;
    hosted_begin(&b, &w);
    if (e2b_write_made(c, &w, c->sandbox) < 0) {
        buf_done(&b);
        return hosted_failed(c);
    }
    write_state(c, &w, c->sandbox);
    json_obj(&w, "lifecycle");
    json_str(&w, "onTimeout", pauses(c) ? "pause" : "kill");
    json_bool(&w, "autoResume", false);
    json_end(&w);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

int e2b_metrics(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct buf b;
    if (!e2b_take(c))
        return 0;
    buf_init(&b, 0);
    buf_puts(&b, "[]");
    return hosted_answer(c, 200, &b);
}

/* Of "a=b&c=d", encoded once more. */
static bool has_texts(struct hosted_call *c, const struct sandbox *s, const char *wanted)
{
    const struct json *metadata = e2b_more(c, s, "metadata");
    for (const char *p = wanted; p && *p; p += strspn(p, "&")) {
        const size_t n = strcspn(p, "&");
        const char *sign = memchr(p, '=', n);
        const char *parts[] = {p, sign ? sign + 1 : p + n}, *end = p + n;
        char *texts[2];
        for (int i = 0; i < 2; i++) {
            const char *stop = i == 0 && sign ? sign : end;
            size_t len;
            if (percent_decode(&c->arena, parts[i], (size_t)(stop - parts[i]), true, &texts[i],
                               &len) < 0 ||
                percent_decode(&c->arena, texts[i], len, false, &texts[i], &len) < 0)
                return false;
        }
        if (!str_same(json_get_str(metadata, texts[0]), texts[1]))
            return false;
        p = end;
    }
    return true;
}

/* A word of "running,paused". */
static bool has_word(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == n && strncmp(p, word, n) == 0)
            return true;
    return false;
}

static bool is_wanted(struct hosted_call *c, struct sandbox *s)
{
    const char *state = hosted_query(c, "state"), *template = hosted_query(c, "template"),
               *after = hosted_query(c, "startedAfter");
    struct stamp stamp;
    if (state && *state && !has_word(state, e2b_is_paused(c->h, s) ? "paused" : "running"))
        return false;
    if (template && !str_same(e2b_template(c, s), template))
        return false;
    if (after && stamp_parse(after, strlen(after), false, &stamp) == 0 &&
        s->created_us <= stamp.local_us - stamp.offset * US_PER_SECOND)
        return false;
    return has_texts(c, s, hosted_query(c, "metadata"));
}

static void turn_round(struct sandbox **list, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        struct sandbox *one = list[i];
        list[i] = list[n - 1 - i];
        list[n - 1 - i] = one;
    }
}

int e2b_sandboxes(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const char *order = hosted_query(c, "order");
    struct sandbox **list;
    struct json_writer w;
    struct buf b;
    size_t all = e2b_list(c, KIND_E2B, &list), n = 0, from, to;
    for (size_t i = 0; i < all; i++)
        if (is_wanted(c, list[i]))
            list[n++] = list[i];
        else
            sandbox_give(list[i]);
    const bool newest = !order || strcmp(order, "asc") != 0;
    if (newest)
        turn_round(list, n);
    e2b_page(c, list, n, newest, &from, &to);
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (size_t i = from; i < to; i++) {
        json_obj(&w, NULL);
        json_str(&w, "sandboxID", list[i]->id);
        json_str(&w, "templateID", e2b_template(c, list[i]));
        json_str(&w, "clientID", "sosia");
        json_str(&w, "envdVersion", ENVD_VERSION);
        write_state(c, &w, list[i]);
        json_end(&w);
    }
    json_end(&w);
    for (size_t i = 0; i < n; i++)
        sandbox_give(list[i]);
    return hosted_answer(c, 200, &b);
}
