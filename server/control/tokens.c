/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens with which programs act in a world. */
#include "engine/text/civil.h"
#include "server/control/operation.h"
#include <stdio.h>

int control_tokens_issue(struct control_call *c)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_world_info info;
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
    if (sosia_world_info(c->engine, c->world, &info, &c->err) < 0 ||
        sosia_token_issue(c->engine, c->world, &opt, token, sizeof token, &c->err) < 0)
        return -1;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "token", token);
    json_strn(&w, "world", info.key, 16);
    json_str(&w, "actor", opt.actor);
    json_end(&w);
    return control_answer(c, 201, &b);
}

int control_tokens_revoke(struct control_call *c)
{
    if (sosia_token_revoke(c->engine, c->world, control_text(c, "token"), &c->err) < 0)
        return -1;
    return control_answer_empty(c);
}

int control_credential(struct control_call *c)
{
    struct sosia_world_info info;
    struct sosia_blob file;
    char url[400];
    if (sosia_world_info(c->engine, c->world, &info, &c->err) < 0)
        return -1;
    if (!control_text(c, "actor"))
        return control_fail(c, "actor", "is missing");
    if (!control_text(c, "kind"))
        return control_fail(c, "kind", "is missing");
    snprintf(url, sizeof url, "%s/w/%.16s", c->request->base_url, info.key);
    if (sosia_credential(c->engine, c->world, control_text(c, "kind"), control_text(c, "actor"),
                         url, &file, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &file);
    return 0;
}
