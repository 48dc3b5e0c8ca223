/* SPDX-License-Identifier: Apache-2.0 */
/* Replaying in this process: an engine in memory, and a fork of a prepared world a scenario. */
#include "conformance/target/target.h"
#include "engine/text/civil.h"
#include <stdio.h>
#include <stdlib.h>

struct process {
    struct target base;
    struct sosia_engine *engine;
    fixture_fn fixtures;
    struct arena arena;  /* keys of prepared worlds */
    struct map prepared; /* document and options -> a uint64_t of the arena */
    uint64_t world;      /* of the scenario; 0: none */
    struct arena scenario;
    struct map tokens; /* of the scenario: name of an actor -> token */
    char name[64];
    const char *id; /* of the cassette */
    bool journals;  /* each scenario's runs again when it is over */
    uint64_t n_again, n_unequal;
};

static int64_t time_of(const char *text)
{
    struct stamp t;
    if (!text || stamp_parse(text, strlen(text), false, &t) < 0)
        return 0;
    return t.local_us - t.offset * US_PER_SECOND;
}

/* The world that scenarios with this start are forked from. */
static int prepare(struct process *p, const struct cassette *c, uint64_t *ret_world,
                   struct sosia_err *err)
{
    const char *doc, *key;
    size_t len;
    if (cassette_world_document(&p->scenario, c, p->fixtures, &doc, &len, err) < 0)
        return -1;
    key = arena_printf(&p->scenario, "%s\n%lld\n%llu\n%.*s", c->world.time ? c->world.time : "",
                       (long long)c->world.step_us, (unsigned long long)c->world.id_seed, (int)len,
                       doc);
    if (arena_failed(&p->scenario))
        return sosia_fail_memory(err);
    uint64_t *known = map_get(&p->prepared, key);
    if (known) {
        *ret_world = *known;
        return 0;
    }
    struct sosia_world_options opt = {
        .seed_doc = doc,
        .seed_doc_len = len,
        .seed_doc_name = c->world.fixture ? c->world.fixture : "world",
        .seed = c->world.id_seed,
        .clock = c->world.step_us ? SOSIA_CLOCK_STEP : SOSIA_CLOCK_FROZEN,
        .step_us = c->world.step_us,
        .now_us = time_of(c->world.time),
        .journal = SOSIA_JOURNAL_NONE,
    };
    known = arena_alloc(&p->arena, sizeof *known);
    if (sosia_world_create(p->engine, &opt, known, err) < 0)
        return -1;
    if (arena_failed(&p->arena) || map_set(&p->prepared, key, known) < 0)
        return sosia_fail_memory(err);
    *ret_world = *known;
    return 0;
}

static int begin(struct target *t, const struct cassette *c, struct sosia_err *err)
{
    struct process *p = (struct process *)t;
    uint64_t from;
    if (prepare(p, c, &from, err) < 0)
        return -1;
    if (sosia_world_fork(p->engine, from, NULL, &p->world, err) < 0)
        return -1;
    p->id = c->file;
    return p->journals ? sosia_world_journal_mode(p->engine, p->world, SOSIA_JOURNAL_ALL, err) : 0;
}

/* What was done in the world is done once more, and has to come to the same. */
static void run_again(struct process *p)
{
    struct sosia_replay_options opt = {.first = true};
    struct sosia_blob report = {0};
    struct sosia_err err;
    bool equal = sosia_journal_replay(p->engine, p->world, &opt, NULL, &report, &err) == 0 &&
                 strstr(report.data, "\"equal\": true");
    if (!equal)
        fprintf(stderr, "%s: its journal runs again to something else: %s\n", p->id,
                report.data ? report.data : err.text);
    p->n_unequal += !equal;
    p->n_again++;
    sosia_blob_free(&report);
}

static void end(struct target *t)
{
    struct process *p = (struct process *)t;
    if (p->world && p->journals)
        run_again(p);
    if (p->world)
        sosia_world_drop(p->engine, p->world, NULL);
    p->world = 0;
    map_done(&p->tokens);
    map_init(&p->tokens);
    arena_reset(&p->scenario);
}

static const char *token(struct target *t, const struct cassette_actor *actor)
{
    struct process *p = (struct process *)t;
    struct sosia_token_options opt = {.actor = actor->email, .scopes = actor->scopes};
    char text[SOSIA_TOKEN_MAX];
    char *known = map_get(&p->tokens, actor->name);
    if (known)
        return known;
    if (sosia_token_issue(p->engine, p->world, &opt, text, sizeof text, NULL) < 0)
        return NULL;
    known = arena_strdup(&p->scenario, text);
    return map_set(&p->tokens, actor->name, known) < 0 ? NULL : known;
}

static const char *email(struct target *t, const struct cassette_actor *actor)
{
    return actor->email;
}

/* The body, also of a response that has to be pulled. */
static int take_body(struct arena *a, struct sosia_response *r, struct sosia_response *ret,
                     struct sosia_err *err)
{
    enum { MOST = 16 << 20 };
    if (!r->read) {
        ret->body = arena_memdup(a, r->body, r->body_len);
        ret->body_len = r->body_len;
        return 0;
    }
    if (r->length > MOST)
        return sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                          "an answer of %lld bytes is too large for a cassette",
                          (long long)r->length);
    char *body = arena_alloc(a, (size_t)r->length + 1);
    int64_t at = 0, n = 0;
    while (!arena_failed(a) && at < r->length &&
           (n = r->read(r, at, body + at, (size_t)(r->length - at))) > 0)
        at += n;
    if (n < 0)
        return sosia_fail(err, SOSIA_E_IO, NULL, NULL, "an answer cannot be read to its end");
    if (!arena_failed(a))
        body[at] = 0;
    ret->body = body;
    ret->body_len = (size_t)at;
    return 0;
}

static int call(struct target *t, struct arena *a, const struct sosia_request *request,
                struct sosia_response *ret_response, struct sosia_err *err)
{
    struct process *p = (struct process *)t;
    struct sosia_request own = *request;
    struct sosia_response *r;
    /* As servers do: HEAD is GET without the body. */
    bool head = strcmp(request->method, "HEAD") == 0;
    if (head)
        own.method = "GET";
    if (sosia_call(p->engine, p->world, &own, &r, err) < 0)
        return -1;
    struct sosia_header *headers = arena_calloc(a, r->n_headers, sizeof *headers);
    for (size_t i = 0; i < r->n_headers && !arena_failed(a); i++)
        headers[i] = (struct sosia_header){arena_strdup(a, r->headers[i].name),
                                           arena_strdup(a, r->headers[i].value)};
    struct sosia_response out = {
        .status = r->status, .headers = headers, .n_headers = r->n_headers, .body = ""};
    int rc = head ? 0 : take_body(a, r, &out, err);
    sosia_response_free(r);
    if (rc < 0 || arena_failed(a))
        return rc < 0 ? -1 : sosia_fail_memory(err);
    *ret_response = out;
    return 0;
}

static int now(struct target *t, int64_t *ret_us, struct sosia_err *err)
{
    struct process *p = (struct process *)t;
    return sosia_clock_get(p->engine, p->world, ret_us, err);
}

static int advance(struct target *t, int64_t us, struct sosia_err *err)
{
    struct process *p = (struct process *)t;
    return sosia_clock_advance(p->engine, p->world, us, err);
}

static int seed(struct target *t, const char *doc, size_t len, struct sosia_err *err)
{
    struct process *p = (struct process *)t;
    return sosia_world_seed(p->engine, p->world, doc, len, "seed", err);
}

static int reset(struct target *t, struct sosia_err *err)
{
    struct process *p = (struct process *)t;
    return sosia_world_reset(p->engine, p->world, err);
}

static int revoke(struct target *t, const struct cassette_actor *actor, struct sosia_err *err)
{
    struct process *p = (struct process *)t;
    const char *text = token(t, actor);
    if (!text)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "token", NULL, "%s has no token", actor->name);
    return sosia_token_revoke(p->engine, p->world, text, err);
}

static int outbox(struct target *t, struct arena *a, int64_t after, const char **ret_json,
                  size_t *ret_len, struct sosia_err *err)
{
    struct process *p = (struct process *)t;
    struct sosia_blob blob;
    if (sosia_outbox_list(p->engine, p->world, after, 0, &blob, err) < 0)
        return -1;
    *ret_json = arena_memdup(a, blob.data, blob.len);
    *ret_len = blob.len;
    sosia_blob_free(&blob);
    return 0;
}

static void close_process(struct target *t)
{
    struct process *p = (struct process *)t;
    end(t);
    sosia_engine_close(p->engine);
    map_done(&p->prepared);
    map_done(&p->tokens);
    arena_done(&p->arena);
    arena_done(&p->scenario);
    free(p);
}

static const struct target_ops ops = {begin,   end,  token, email,  call,   now,
                                      advance, seed, reset, revoke, outbox, close_process};

int target_open_process(fixture_fn fixtures, struct target **ret_target, struct sosia_err *err)
{
    struct process *p = calloc(1, sizeof *p);
    if (!p)
        return sosia_fail_memory(err);
    if (sosia_engine_open(NULL, &p->engine, err) < 0) {
        free(p);
        return -1;
    }
    snprintf(p->name, sizeof p->name, "sosia %s", sosia_version());
    p->base = (struct target){.ops = &ops, .name = p->name};
    p->fixtures = fixtures;
    arena_init(&p->arena, 0);
    arena_init(&p->scenario, 0);
    map_init(&p->prepared);
    map_init(&p->tokens);
    *ret_target = &p->base;
    return 0;
}

void target_process_journals(struct target *t)
{
    ((struct process *)t)->journals = true;
}

uint64_t target_process_unequal(const struct target *t, uint64_t *ret_all)
{
    *ret_all = ((const struct process *)t)->n_again;
    return ((const struct process *)t)->n_unequal;
}
