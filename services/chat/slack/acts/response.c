/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses to which apps answer what was done in a message, and commands. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/slack/acts/act.h"
#include "services/chat/slack/web/compose.h"

/* Refusals are words, as those of all of the service's hooks. */
static int say_word(struct call *c, int status, const char *word)
{
    c->status = status;
    call_header_const(c, "Content-Type", "text/html");
    buf_puts(c->body_out, word);
    return 0;
}

/* The body: JSON, or a form with it in "payload". NULL: neither. */
static const struct json *reply_of(struct call *c)
{
    static const struct json_limits limits = {
        .max_size = 4 << 20, .max_depth = 64, .max_values = 100000};
    const char *text = c->request->body;
    size_t n = c->request->body_len;
    const struct json *v;
    struct sosia_err err;
    for (size_t i = 0; i < c->n_items; i++)
        if (c->items[i].place == IN_FORM && strcmp(c->items[i].name, "payload") == 0) {
            text = c->items[i].text;
            n = c->items[i].len;
        }
    if (!text || json_parse(c->tx.arena, text, n, &limits, &v, &err) < 0)
        return NULL;
    return v->type == JSON_OBJECT ? v : NULL;
}

/* The app's bot answers; without one, the person through the app. 1, 0, -1. */
static int stand_in(struct call *c, const struct chat_answer *a)
{
    struct chat_install install;
    struct chat_user u;
    int r = chat_install_of(&c->tx, a->workspace, a->app, &install);
    if (r != 1 || install.deleted)
        return r < 0 ? -1 : 0;
    r = chat_user_get(&c->tx, install.user ? install.user : a->user, &u);
    return r == 1 ? sl_stand_in(c, &u, a->app) < 0 ? -1 : 1 : r;
}

static int response(struct call *c)
{
    const char *team = param_str(c, "team");
    const char *key =
        arena_printf(c->tx.arena, "%s/%s", param_str(c, "number"), param_str(c, "secret"));
    struct chat_workspace w;
    struct chat_answer a;
    struct sl_draft draft;
    int r = chat_answer_find(&c->tx, key, &a);
    if (r == 1)
        r = chat_workspace_get(&c->tx, a.workspace, &w);
    if (r == 1)
        r = strcmp(w.key, team) == 0 && a.command == str_starts(c->route->paths[0], "/commands/");
    if (r == 1)
        r = stand_in(c, &a);
    if (r != 1)
        return r < 0 ? -1 : say_word(c, 404, "no_service");
    if (c->tx.now_us - a.created_us > CHAT_ANSWER_US)
        return say_word(c, 404, "expired_url");
    if (a.uses >= CHAT_ANSWER_USES)
        return say_word(c, 404, "used_url");
    const struct json *reply = reply_of(c);
    if (!reply)
        return say_word(c, 400, "invalid_payload");
    sl_draft_begin(&draft, c);
    json_obj(&draft.w, NULL);
    int rc = sl_reply(c, &a, reply, false);
    json_end(&draft.w);
    sl_draft_end(&draft);
    if (rc < 0)
        return slack_of(c)->error ? say_word(c, 400, slack_of(c)->error) : -1;
    if (chat_answer_use(&c->tx, &a) < 0)
        return -1;
    return say_word(c, 200, "ok");
}

/* ---- rows ---- */

#define PART(n)                                                                                    \
    {                                                                                              \
        .name = (n), .place = IN_PATH, .required = true                                            \
    }
static const struct param params[] = {PART("team"), PART("number"), PART("secret")};

static const struct route methods[] = {
    {ROUTE("hooks.actions", POST, "/actions/{team}/{number}/{secret}",
           "/app/{team}/{number}/{secret}"),
     .handler = response, .risk = RISK_EXTERNAL, .anonymous = true, .body = BODY_RAW,
     PARAMS(params), .summary = "Answer what somebody did in a message"},
    {ROUTE("hooks.commands", POST, "/commands/{team}/{number}/{secret}"), .handler = response,
     .risk = RISK_EXTERNAL, .anonymous = true, .body = BODY_RAW, PARAMS(params),
     .summary = "Answer a command"},
};

const struct rows sl_response_rows = ROWS(methods);
