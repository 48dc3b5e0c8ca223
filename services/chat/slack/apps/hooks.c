/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Incoming webhooks: all who know the address may post to its channel. Responses are plain
 * text: "ok", or a word and the status that docs.slack.dev has for it.
 */
#include "services/chat/slack/web/compose.h"
#include "services/chat/slack/events/socket.h"

#define MAX_BODY (1024 * 1024)

/* What sl_compose() and sl_thread_arg() read of a payload. */
static const struct param payload_params[] = {SL_ARG("text"),
                                              SL_BLOCKS_ARG,
                                              SL_ATTACHMENTS_ARG,
                                              SL_ARG("thread_ts"),
                                              SL_ARG("mrkdwn", SL_FLAG_ON),
                                              SL_METADATA_ARG};

static int say(struct call *c, int status, const char *word)
{
    c->status = status;
    buf_puts(c->body_out, word);
    call_header_const(c, "Content-Type", status == 200 ? "text/html" : "text/html; charset=utf-8");
    return 0;
}

/* The status of a refusal that a message's contents got. */
static int refuse_hook(struct call *c, const char *code)
{
    static const struct {
        const char *code, *word;
        int status;
    } words[] = {
        {"invalid_blocks_format", "invalid_blocks", 400},
        {"is_archived", "channel_is_archived", 410},
        {"thread_not_found", "invalid_thread_ts", 400},
        {"cannot_reply_to_message", "invalid_thread_ts", 400},
        {"restricted_action_thread_locked", "action_prohibited", 403},
    };
    for (size_t i = 0; i < SOSIA_LEN(words); i++)
        if (strcmp(code, words[i].code) == 0)
            return say(c, words[i].status, words[i].word);
    return say(c, 400, code);
}

/* ---- the payload ---- */

/* An object: the body, or the field payload of a form. NULL: there is none. */
static const struct json *payload_of(struct call *c)
{
    const char *type = call_request_header(c, "Content-Type");
    const char *text = call_query_item(c, "payload");
    struct sosia_err err;
    const struct json *v;
    size_t n = text ? strlen(text) : 0;
    if (!text && type && strncmp(type, "application/x-www-form-urlencoded", 33) == 0 &&
        c->content.len && c->content.data && ((const char *)c->content.data)[0] != '{')
        return NULL;
    if (!text) {
        text = c->content.data;
        n = (size_t)c->content.len;
    }
    if (!text || !n || json_parse(c->tx.arena, text, n, NULL, &v, &err) < 0)
        return NULL;
    return v->type == JSON_OBJECT ? v : NULL;
}

/* ---- posting ---- */

/* "T0ACME": its letter, and letters and digits. */
static bool is_id(const char *text, char letter)
{
    static const char alnum[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return *text == letter && text[1] && !text[strspn(text, alnum)];
}

/* 1; 0: the word was said. */
static int find_hook(struct call *c, struct chat_workspace *w, struct chat_webhook *ret)
{
    if (!is_id(param_str(c, "team"), 'T') || !is_id(param_str(c, "hook"), 'B')) {
        c->status = 302;
        call_header_const(c, "Location", SLACK_NO_HOOK);
        return 0;
    }
    int r = chat_workspace_find(&c->tx, param_str(c, "team"), w);
    if (r != 1)
        return r < 0 ? -1 : say(c, 404, "no_team");
    r = chat_webhook_find(&c->tx, param_str(c, "hook"), ret);
    if (r != 1 || ret->workspace != w->id)
        return r < 0 ? -1 : say(c, 404, "no_service");
    if (strcmp(ret->secret, param_str(c, "secret")) != 0)
        return say(c, 403, "invalid_token");
    return ret->deleted ? say(c, 404, "no_active_hooks") : 1;
}

static int prohibit(struct call *c, const struct chat_channel *ch)
{
    return ch->general ? say(c, 403, "posting_to_general_channel_denied")
                       : say(c, 403, "action_prohibited");
}

/* May it post there? 1; 0: the word was said. */
static int hook_target(struct call *c, const struct chat_webhook *h, struct chat_channel *ch)
{
    struct chat_user u;
    int r = chat_user_get(&c->tx, h->user, &u);
    if (r < 0)
        return -1;
    if (!r || u.deleted)
        return say(c, 404, "user_not_found");
    r = chat_channel_get(&c->tx, h->channel, ch);
    if (r != 1)
        return r < 0 ? -1 : say(c, 404, "channel_not_found");
    if (ch->archived)
        return say(c, 410, "channel_is_archived");
    return strcmp(ch->posting, "read_only") == 0 ? prohibit(c, ch) : 1;
}

/* sl_compose() in the app's name. 1; 0: the word was said. */
static int compose(struct call *c, const struct chat_channel *ch, const struct chat_webhook *h,
                   struct chat_message *m)
{
    struct chat_message root;
    if (sl_thread_arg(c, ch, &root) < 0 || sl_compose(c, m, 0) < 0) {
        const char *code = slack_of(c)->error;
        return code ? refuse_hook(c, code) : -1;
    }
    if (strcmp(ch->posting, root.id ? "no_threads" : "thread_only") == 0)
        return prohibit(c, ch);
    m->thread = root.id;
    m->app = h->app;
    m->subtype = "bot_message";
    return 1;
}

static int post_hook(struct call *c)
{
    struct chat_message m = {0};
    struct chat_workspace w;
    struct chat_channel ch;
    struct chat_webhook h;
    int r = find_hook(c, &w, &h);
    const struct json *payload = r == 1 ? payload_of(c) : NULL;
    if (r == 1 && !payload)
        return say(c, 400, "invalid_payload");
    if (r != 1 || (r = hook_target(c, &h, &ch)) != 1)
        return r;
    if (sl_stand_for(c, w.id, h.user, h.app) < 0 ||
        slack_take_members(c, payload, payload_params, SOSIA_LEN(payload_params)) < 0)
        return -1;
    if (ch.general && !sl_may_post_general(c))
        return say(c, 403, "posting_to_general_channel_denied");
    if ((r = compose(c, &ch, &h, &m)) != 1)
        return r;
    c->tx.app = h.app;
    return chat_post(&c->tx, &ch, &m) < 0 ? -1 : say(c, 200, "ok");
}

static const struct param params[] = {
    {.name = "team", .place = IN_PATH, .required = true},
    {.name = "hook", .place = IN_PATH, .required = true},
    {.name = "secret", .place = IN_PATH, .required = true},
};

static const struct route rows[] = {
    {ROUTE("incomingWebhook", GET | POST, "/services/{team}/{hook}/{secret}"), .handler = post_hook,
     .risk = RISK_EXTERNAL, .anonymous = true, .secret = true, .body = BODY_RAW,
     .max_body = MAX_BODY, PARAMS(params), .rate = SLACK_POSTING, .gives = "text/html",
     .summary = "Posts to the channel of an incoming webhook"},
};

const struct rows sl_hooks = ROWS(rows);
