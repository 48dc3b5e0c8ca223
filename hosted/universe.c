/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Universes: a universe is a suite with the world that its tasks begin in, an instance is a fork of
 * that, and what was done in it is verified by the suite. Tasks that begin in another world than
 * the suite's first one are not among them.
 */
#include "grading/suite.h"
#include "hosted/impl.h"
#include <stdlib.h>

#define TTL_US (INT64_C(7200) * US_PER_SECOND)

struct universe {
    struct sosia_suite *suite;
    const struct task *first;
    pthread_mutex_t lock; /* over what is made at the first use */
    uint64_t world;       /* a snapshot; 0: not made yet */
    unsigned servers;     /* places among services, as bits */
    int64_t created_us;
};

static bool same_seed(const struct task *a, const struct task *b)
{
    return str_same(a->fixture, b->fixture) && a->seed == b->seed && str_same(a->actor, b->actor);
}

int universes_open(struct hosted *h, struct sosia_err *err)
{
    size_t n = h->options.n_universes;
    h->universes = calloc(n + 1, sizeof *h->universes);
    if (!h->universes)
        return sosia_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const struct hosted_universe *from = &h->options.universes[i];
        struct universe *u = &h->universes[i];
        if (sosia_suite_open(from->text, from->len, from->file, &u->suite, err) < 0)
            return -1;
        pthread_mutex_init(&u->lock, NULL);
        u->created_us = real_us();
        h->n_universes++;
        if (!u->suite->n)
            return sosia_fail(err, SOSIA_E_INVALID, "universe", NULL,
                              "a universe's suite must have tasks, \"%.80s\" has none", from->file);
        u->first = &u->suite->tasks[0];
        if (!u->first->actor)
            return sosia_fail(
                err, SOSIA_E_INVALID, "universe", NULL,
                "a universe's tasks must say who acts (\"actor\"), those of \"%.80s\" "
                "do not",
                from->file);
        for (size_t k = 0; k < i; k++)
            if (strcmp(h->universes[k].suite->name, u->suite->name) == 0)
                return sosia_fail(err, SOSIA_E_INVALID, "universe", NULL,
                                  "universes must have different names, two are \"%.80s\"",
                                  u->suite->name);
    }
    return 0;
}

void universes_close(struct hosted *h)
{
    for (size_t i = 0; i < h->n_universes; i++) {
        sosia_suite_close(h->universes[i].suite);
        pthread_mutex_destroy(&h->universes[i].lock);
    }
    free(h->universes);
}

static struct universe *universe_named(struct hosted *h, const char *name)
{
    for (size_t i = 0; name && i < h->n_universes; i++)
        if (strcmp(h->universes[i].suite->name, name) == 0)
            return &h->universes[i];
    return NULL;
}

bool universe_has(struct hosted *h, const struct sandbox *s, const struct service *service)
{
    struct universe *u = s->kind == KIND_UNIVERSE ? universe_named(h, s->universe) : NULL;
    if (!u)
        return false;
    pthread_mutex_lock(&u->lock);
    /* Before the first use of this process instances are there from the one before. */
    bool has = !u->world || (u->servers >> (service - services) & 1);
    pthread_mutex_unlock(&u->lock);
    return has;
}

/* ---- the world ---- */

static int make_world(struct hosted_call *c, const struct task *t, uint64_t *ret_world)
{
    const struct hosted_options *o = &c->h->options;
    struct sosia_fork_options fork = {
        .set_clock = true, .clock = t->clock, .step_us = t->step_ms * 1000};
    uint64_t source;
    if (t->seed) {
        const char *text = json_to_text(&c->arena, t->seed);
        const struct sosia_world_options opt = {.clock = t->clock,
                                                .step_us = t->step_ms * 1000,
                                                .seed_doc = text,
                                                .seed_doc_len = strlen(text),
                                                .seed_doc_name = t->id};
        return sosia_world_create(c->h->engine, &opt, ret_world, &c->err);
    }
    if (!o->fixture || !t->fixture)
        return sosia_fail(&c->err, SOSIA_E_INVALID, "universe", NULL,
                          "a universe must have a seed or a fixture of this server");
    if (o->fixture(o->fixture_arg, t->fixture, t->clock, &source, &c->err) < 0)
        return -1;
    return sosia_world_fork(c->h->engine, source, &fork, ret_world, &c->err);
}

static bool has_account(struct hosted_call *c, const struct universe *u, const struct service *s)
{
    char token[SOSIA_TOKEN_MAX];
    const struct sosia_token_options opt = {.actor = u->first->actor};
    const struct json *v;
    if (!s->probe)
        return true;
    return sosia_token_issue(c->h->engine, u->world, &opt, token, sizeof token, &c->err) == 0 &&
           world_ask(c, u->world, token, s->probe, &v) == 0 && json_get_true(v, "ok");
}

/* Servers that have tools for the person who acts. */
static int find_servers(struct hosted_call *c, struct universe *u)
{
    for (size_t i = 0; i < n_services; i++) {
        const struct json *list, *tools;
        const char *why;
        if (services[i].alone)
            continue;
        if (tools_listed(c, u->world, u->first->actor, &services[i], &list, &why) < 0)
            return -1;
        if (list && items_of(list, "tools", &tools) && has_account(c, u, &services[i]))
            u->servers |= 1u << i;
    }
    return 0;
}

static int universe_world(struct hosted_call *c, struct universe *u, uint64_t *ret_world)
{
    struct sosia_world_info info;
    uint64_t world;
    int rc = 0;
    pthread_mutex_lock(&u->lock);
    if (!u->world || sosia_world_info(c->h->engine, u->world, &info, NULL) < 0) {
        rc = make_world(c, u->first, &world);
        if (rc == 0) {
            rc = sosia_world_snapshot(c->h->engine, world, NULL, &u->world, &c->err);
            sosia_world_drop(c->h->engine, world, NULL);
        }
        if (rc == 0)
            rc = find_servers(c, u);
    }
    *ret_world = u->world;
    pthread_mutex_unlock(&u->lock);
    return rc;
}

/* ---- handlers ---- */

static struct universe *universe_of_path(struct hosted_call *c)
{
    struct universe *u = universe_named(c->h, hosted_path(c, "universe_id"));
    if (!u)
        hosted_refuse(c, 404, "Universe not found");
    return u;
}

static bool instance_of_path(struct hosted_call *c)
{
    c->sandbox = sandbox_take(c->h, c->tenant, hosted_path(c, "universe_id"));
    if (c->sandbox && c->sandbox->kind == KIND_UNIVERSE)
        return true;
    hosted_refuse(c, 404, "Universe instance not found");
    return false;
}

static const struct task *task_of_path(struct hosted_call *c, const struct universe *u)
{
    const struct task *t = u ? suite_task(u->suite, hosted_path(c, "task_num")) : NULL;
    if (t && same_seed(t, u->first))
        return t;
    hosted_refuse(c, 404, "Task not found");
    return NULL;
}

static void write_personas(struct json_writer *w, const struct task *t)
{
    const struct json *people;
    uint32_t n = items_of(t->seed, "people", &people);
    json_arr(w, "personas");
    for (uint32_t i = 0; i < n; i++) {
        json_obj(w, NULL);
        json_str_opt(w, "name", json_get_str(&people[i], "name"));
        json_str_opt(w, "email", json_get_str(&people[i], "email"));
        json_end(w);
    }
    if (!n) {
        json_obj(w, NULL);
        json_str(w, "email", t->actor);
        json_end(w);
    }
    json_end(w);
}

int hosted_universes(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct json_writer w;
    struct buf b;
    hosted_begin(&b, &w);
    json_arr(&w, "universes");
    for (size_t i = 0; i < c->h->n_universes; i++) {
        const struct universe *u = &c->h->universes[i];
        json_obj(&w, NULL);
        json_str(&w, "universe_id", u->suite->name);
        json_str(&w, "name", u->suite->name);
        json_str(&w, "description",
                 arena_printf(&c->arena, "%zu tasks for %s", u->suite->n, u->first->actor));
        json_str(&w, "domain",
                 strchr(u->first->actor, '@') ? strchr(u->first->actor, '@') + 1 : "");
        write_personas(&w, u->first);
        json_arr(&w, "task_nums");
        for (size_t k = 0; k < u->suite->n; k++)
            if (same_seed(&u->suite->tasks[k], u->first))
                json_str(&w, NULL, u->suite->tasks[k].id);
        json_end(&w);
        hosted_time(&w, "created_at", u->created_us);
        json_end(&w);
    }
    json_end(&w);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

int hosted_universe_data(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct universe *u = universe_of_path(c);
    struct sosia_blob dump;
    uint64_t world;
    if (!u)
        return 0;
    if (universe_world(c, u, &world) < 0 ||
        sosia_world_dump(c->h->engine, world, &dump, &c->err) < 0)
        return hosted_failed(c);
    server_answer_blob(c->response, 200, &dump);
    c->response->content_type = "application/json";
    return 0;
}

int hosted_universe_start(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct universe *u = universe_of_path(c);
    struct sandbox_new n = {.kind = KIND_UNIVERSE, .ttl_us = TTL_US, .evaluation = true};
    struct json_writer w;
    struct buf b;
    bool refused;
    if (!u)
        return 0;
    if (!c->request->on_worker)
        return SERVER_SLOW;
    n.person = u->first->actor;
    n.universe = u->suite->name;
    n.keep_clock = true;
    if (universe_world(c, u, &n.from) < 0)
        return hosted_failed(c);
    c->sandbox = sandbox_make(c, &n, &refused);
    if (refused)
        return hosted_many(c);
    if (!c->sandbox)
        return hosted_failed(c);
    hosted_begin(&b, &w);
    json_str(&w, "instance_id", c->sandbox->id);
    json_obj(&w, "mcp_servers");
    for (size_t i = 0; i < n_services; i++)
        if (u->servers >> i & 1)
            json_str(&w, services[i].name, sandbox_url(c, c->sandbox, &services[i]));
    json_end(&w);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

/* What its assertions say of themselves. */
static const char *rationale(struct hosted_call *c, const struct task *t)
{
    const char *all = "";
    for (size_t i = 0; i < t->n_assertions; i++) {
        const struct assertion *a = &t->assertions[i];
        const char *text = a->description
                               ? a->description
                               : arena_printf(&c->arena, "%s %s", assertion_words[a->kind],
                                              a->entity ? a->entity : "");
        all = arena_printf(&c->arena, "%s%s%s", all, i ? "; " : "", text);
    }
    return all;
}

int hosted_universe_task(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct universe *u = universe_of_path(c);
    const struct task *t = u ? task_of_path(c, u) : NULL;
    struct json_writer w;
    struct buf b;
    if (!t)
        return 0;
    hosted_begin(&b, &w);
    json_str(&w, "task_num", t->id);
    json_str(&w, "universe_id", u->suite->name);
    json_str(&w, "title", t->name ? t->name : t->id);
    json_str(&w, "description", t->prompt ? t->prompt : "");
    json_str(&w, "prompt", t->prompt ? t->prompt : "");
    json_str(&w, "difficulty", t->difficulty ? t->difficulty : "medium");
    json_str(&w, "verification_rationale", rationale(c, t));
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

/* Why it is not passed: the first failure, else what nobody expected. */
static const char *failure_of(struct hosted_call *c, const struct json *grade)
{
    const struct json *list;
    if (items_of(grade, "failures", &list))
        return list[0].type == JSON_STRING ? list[0].str : json_to_text(&c->arena, &list[0]);
    if (filled(grade, "reason"))
        return filled(grade, "reason");
    if (items_of(grade, "unexpected", &list))
        return arena_printf(&c->arena, "unexpected: %s", json_to_text(&c->arena, &list[0]));
    if (items_of(grade, "unexpected_calls", &list))
        return arena_printf(&c->arena, "unexpected call: %s", json_to_text(&c->arena, &list[0]));
    return "the task is not passed";
}

int hosted_universe_verify(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct sosia_blob text;
    const struct json *grade = NULL;
    struct json_writer w;
    struct buf b;
    if (!instance_of_path(c))
        return 0;
    const struct universe *u = universe_named(c->h, c->sandbox->universe);
    const struct task *t = task_of_path(c, u);
    if (!t)
        return 0;
    if (sosia_grade(c->h->engine, u->suite, t->id, 0, c->sandbox->world, &text, &c->err) < 0)
        return hosted_failed(c);
    int rc = json_parse(&c->arena, text.data, text.len, NULL, &grade, &c->err);
    sosia_blob_free(&text);
    if (rc < 0)
        return hosted_failed(c);
    bool passed = json_get_true(grade, "passed");
    hosted_begin(&b, &w);
    json_str(&w, "task_num", t->id);
    json_bool(&w, "passed", passed);
    json_str(&w, "failure_reason", passed ? NULL : failure_of(c, grade));
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

int hosted_universe_release(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct json_writer w;
    struct buf b;
    if (!instance_of_path(c))
        return 0;
    int r = sandbox_release(c, c->sandbox);
    if (r < 0)
        return hosted_failed(c);
    if (!r)
        return hosted_refuse(c, 404, "Universe instance not found");
    hosted_begin(&b, &w);
    json_str(&w, "message",
             arena_printf(&c->arena, "Instance %s released successfully", c->sandbox->id));
    hosted_time(&w, "released_at", real_us());
    json_end(&w);
    return hosted_answer(c, 200, &b);
}
