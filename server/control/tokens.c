/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens with which programs act in a world. */
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

/* The first one of a world who is not a room; "" if there is nobody. */
static int first_actor(struct control_call *c, uint64_t world, const char **ret_email)
{
    const struct json *actors;
    int64_t after = 0;
    do {
        struct sosia_blob list;
        if (sosia_actor_list(c->engine, world, after, ACTORS_PAGE, &list, &c->err) < 0)
            return -1;
        int rc = json_parse(&c->arena, list.data, list.len, NULL, &actors, &c->err);
        sosia_blob_free(&list);
        if (rc < 0)
            return -1;
        for (uint32_t i = 0; i < actors->n; i++) {
            const struct json *actor = &actors->items[i];
            if (strcmp(json_get_str(actor, "kind"), "resource") != 0) {
                *ret_email = json_get_str(actor, "email");
                return 0;
            }
            json_i64(json_get(actor, "id"), &after);
        }
    } while (actors->n == ACTORS_PAGE);
    *ret_email = "";
    return 0;
}

int control_write_tokens(struct control_call *c, struct json_writer *w, const uint64_t *worlds,
                         size_t n, const char *actors)
{
    size_t issued = 0;
    if (!actors && first_actor(c, worlds[0], &actors) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        for (const char *at = actors + strspn(actors, " "), *end; *at;
             at = end + strspn(end, " ")) {
            end = at + strcspn(at, " ");
            struct sosia_token_options opt = {.actor =
                                                  arena_memdup(&c->arena, at, (size_t)(end - at))};
            if (++issued > TOKENS_MAX)
                return control_fail(c, "actors", "must ask for at most %d tokens, asks for more",
                                    TOKENS_MAX);
            json_obj(w, NULL);
            int rc = issue(c, w, worlds[i], &opt);
            json_end(w);
            if (rc < 0) {
                c->err.where = "actors";
                return -1;
            }
        }
    }
    return 0;
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
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
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
