/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens with which programs act in a world. */
#include "engine/http/principal.h"
#include "engine/text/civil.h"
#include "server/control/operation.h"
#include <stdio.h>
#include <string.h>

#define TOKENS_MAX  10000 /* in one response */
#define ACTORS_PAGE 16

/* Issues a token and writes its members into an open object. */
static int issue(struct control_call *c, struct json_writer *w, uint64_t world,
                 const struct sosia_token_options *opt)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_world_info info;
    if (sosia_world_info(c->engine, world, &info, &c->err) < 0 ||
        sosia_token_issue(c->engine, world, opt, token, sizeof token, &c->err) < 0)
        return -1;
    json_str(w, "token", token);
    json_strn(w, "world", info.key, 16);
    json_str(w, "actor", opt->actor);
    return 0;
}

/* The first one of a world who is not a room, by its address or else its handle; "" if there is
 * nobody. */
static int first_actor(struct control_call *c, uint64_t world, const char **ret_name)
{
    const struct json *actors;
    int64_t after = 0;
    int limit;
    do {
        struct sosia_blob list;
        limit = after ? ACTORS_PAGE : 1; /* most often it is the first one */
        if (sosia_actor_list(c->engine, world, after, limit, &list, &c->err) < 0)
            return -1;
        int rc = json_parse(&c->arena, list.data, list.len, NULL, &actors, &c->err);
        sosia_blob_free(&list);
        if (rc < 0)
            return -1;
        for (uint32_t i = 0; i < actors->n; i++) {
            const struct json *actor = &actors->items[i];
            if (strcmp(json_get_str(actor, "kind"), "resource") != 0) {
                const char *email = json_get_str(actor, "email");
                *ret_name = email ? email : json_get_str(actor, "handle");
                return 0;
            }
            json_i64(json_get(actor, "id"), &after);
        }
    } while (actors->n == (uint32_t)limit);
    *ret_name = "";
    return 0;
}

/* A token of each series for each world, world by world. */
static int write_series(struct control_call *c, struct json_writer *w, const uint64_t *worlds,
                        size_t n, struct token_series *const *series,
                        const struct sosia_token_options *opts, size_t n_series)
{
    char token[SOSIA_TOKEN_MAX], key[16];
    for (size_t i = 0; i < n; i++) {
        control_key(worlds[i], key);
        for (size_t k = 0; k < n_series; k++) {
            if (token_series_issue(series[k], worlds[i], token, sizeof token, &c->err) < 0) {
                c->err.where = "actors";
                return -1;
            }
            json_obj(w, NULL);
            json_str(w, "token", token);
            json_strn(w, "world", key, sizeof key);
            json_str(w, "actor", opts[k].actor);
            json_end(w);
        }
    }
    return 0;
}

/* The words of a text, in the arena; -1: there are more than max. */
static int split(struct control_call *c, const char *text, size_t max,
                 struct sosia_token_options **ret_opts, size_t *ret_n)
{
    size_t n = 0, cap = 0;
    struct sosia_token_options *opts = NULL;
    for (const char *at = text + strspn(text, " "), *end; *at; at = end + strspn(end, " ")) {
        end = at + strcspn(at, " ");
        if (n == max)
            return control_fail(c, "actors", "must ask for at most %d tokens, asks for more",
                                TOKENS_MAX);
        if (!(opts = arena_grow(&c->arena, opts, n, &cap, sizeof *opts)))
            return sosia_fail_memory(&c->err);
        opts[n++] =
            (struct sosia_token_options){.actor = arena_memdup(&c->arena, at, (size_t)(end - at))};
    }
    *ret_opts = opts;
    *ret_n = n;
    return 0;
}

int control_write_tokens(struct control_call *c, struct json_writer *w, const uint64_t *worlds,
                         size_t n, const char *actors)
{
    struct sosia_token_options *opts;
    size_t n_series = 0, made = 0;
    if ((!actors && first_actor(c, worlds[0], &actors) < 0) ||
        split(c, actors, TOKENS_MAX / n, &opts, &n_series) < 0)
        return -1;
    struct token_series **series = arena_calloc(&c->arena, n_series + 1, sizeof(*series));
    int rc = arena_failed(&c->arena) ? sosia_fail_memory(&c->err) : 0;
    for (; rc == 0 && made < n_series; made += rc == 0)
        rc = token_series_new(c->engine, &opts[made], &series[made], &c->err);
    if (rc == 0)
        rc = write_series(c, w, worlds, n, series, opts, n_series);
    while (made)
        token_series_free(series[--made]);
    return rc;
}

int control_tokens_issue(struct call *call)
{
    struct control_call *c = control_of(call);
    struct json_writer w;
    struct buf b;
    const struct sosia_token_options opt = {
        .actor = control_text(c, "actor"),
        .scopes = control_text(c, "scopes"),
        .value = control_text(c, "value"),
        .app = control_text(c, "app"),
        .kind = control_text(c, "kind"),
        .prefix = control_text(c, "prefix"),
        .ttl_us = control_number(c, "ttl_seconds", 0) * US_PER_SECOND,
    };
    json_start(&w, &b);
    json_obj(&w, NULL);
    if (issue(c, &w, c->world, &opt) < 0) {
        buf_done(&b);
        return -1;
    }
    json_end(&w);
    return control_answer(c, 201, &b);
}

int control_tokens_revoke(struct call *call)
{
    struct control_call *c = control_of(call);
    if (sosia_token_revoke(c->engine, c->world, control_text(c, "token"), &c->err) < 0)
        return -1;
    return control_answer_empty(c);
}

int control_consent_link(struct call *call)
{
    struct control_call *c = control_of(call);
    const char *actor = control_text(c, "actor");
    char link[SOSIA_LINK_MAX];
    int64_t expires;
    struct sosia_world_info info;
    struct json_writer w;
    struct buf b;
    if (sosia_world_info(c->engine, c->world, &info, &c->err) < 0 ||
        sosia_consent_link(c->engine, c->world, actor,
                           control_number(c, "ttl_seconds", 0) * US_PER_SECOND,
                           c->request->base_url, link, sizeof link, &expires, &c->err) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "link", link);
    json_strn(&w, "world", info.key, 16);
    json_str(&w, "actor", actor);
    json_time(&w, "expires", expires, JSON_TIME_US_Z);
    json_end(&w);
    return control_answer(c, 201, &b);
}

int control_credential(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_world_info info;
    struct sosia_blob file;
    char url[400];
    if (sosia_world_info(c->engine, c->world, &info, &c->err) < 0)
        return -1;
    snprintf(url, sizeof url, "%s/w/%.16s", c->request->base_url, info.key);
    if (sosia_credential(c->engine, c->world, control_text(c, "kind"), control_text(c, "actor"),
                         url, &file, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &file);
    return 0;
}
