/* SPDX-License-Identifier: Apache-2.0 */
/*
 * People: somebody does in a service what he does in its client. What that may be is the service's
 * business: the act is a call of the world at the path "/_act/SERVICE", with a token of the
 * person's own, so that it is in the journal as any other and may wait for a program's response.
 */
#include "server/control/operation.h"
#include <string.h>

#define TOKEN_US INT64_C(60000000) /* that the person's token is good for, by the world's clock */

static bool is_name(const char *text)
{
    return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-")];
}

/* {"do": ...} */
static const char *body_of(struct control_call *c)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_value(&w, "do", json_get(c->call.body, "do"));
    json_end(&w);
    char *text = server_alloc(c->request, b.len + 1);
    memcpy(text, buf_str(&b), b.len + 1);
    bool failed = buf_failed(&b);
    buf_done(&b);
    if (failed)
        sosia_fail_memory(&c->err);
    return failed ? NULL : text;
}

static char *joined(struct control_call *c, const char *a, const char *b, const char *d,
                    const char *e)
{
    const char *const parts[] = {a, b, d, e};
    size_t n = strlen(a) + strlen(b) + strlen(d) + strlen(e) + 1;
    char *text = server_alloc(c->request, n), *at = text;
    for (size_t i = 0; i < SOSIA_LEN(parts); i++) {
        memcpy(at, parts[i], strlen(parts[i]));
        at += strlen(parts[i]);
    }
    *at = 0;
    return text;
}

int control_act(struct call *call)
{
    struct control_call *c = control_of(call);
    const char *service = control_text(c, "service"), *body;
    char token[SOSIA_TOKEN_MAX], key[17];
    struct sosia_world_info info;
    const struct sosia_token_options opt = {
        .actor = control_text(c, "actor"), .ttl_us = TOKEN_US, .kind = "user"};
    if (!is_name(service))
        return control_fail(c, "service", "must be the name of a service, not \"%.40s\"", service);
    if (sosia_world_info(c->engine, c->world, &info, &c->err) < 0 ||
        sosia_token_issue(c->engine, c->world, &opt, token, sizeof token, &c->err) < 0)
        return -1;
    if (!(body = body_of(c)))
        return -1;
    memcpy(key, info.key, 16);
    key[16] = 0;
    struct server_call *made = server_alloc(c->request, sizeof *made);
    *made = (struct server_call){.target = joined(c, "/w/", key, "/_act/", service),
                                 .authorization = joined(c, "Bearer ", token, "", ""),
                                 .content_type = "application/json; charset=utf-8",
                                 .body = body,
                                 .body_len = strlen(body)};
    c->response->call = made;
    return SERVER_CALL;
}
