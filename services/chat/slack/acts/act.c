/* SPDX-License-Identifier: Apache-2.0 */
/* The way of an act: which there are, those that a method of the Web API does already, what
 * somebody has on his screen. */
#include "services/chat/slack/acts/act.h"
#include "services/chat/slack/apps/entity.h"

const char *sl_deed_str(struct sl_deed *d, const char *member)
{
    const char *text = json_get_str(d->args, member);
    if (!text || !*text)
        slack_invalid_arguments(d->c, NULL, "missing required field: %s", member);
    return text && *text ? text : NULL;
}

int sl_deed_channel(struct sl_deed *d, struct chat_channel *ret)
{
    const struct sl_caller *me = sl_me(d->c);
    struct tx *tx = &d->c->tx;
    const char *name = sl_deed_str(d, "channel");
    if (!name)
        return -1;
    int r = chat_channel_find(tx, me->workspace.id, name, ret);
    if (!r)
        r = chat_channel_by_name(tx, me->workspace.id, name + (*name == '#'), ret);
    if (r == 1)
        r = chat_can_see(tx, ret, &me->user);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(d->c, "channel_not_found");
}

/* ---- what the Web API does ---- */

static const struct {
    const char *act, *method;
} same[] = {
    {"post", "chat.postMessage"},     {"update", "chat.update"},
    {"delete", "chat.delete"},        {"react", "reactions.add"},
    {"unreact", "reactions.remove"},  {"join", "conversations.join"},
    {"leave", "conversations.leave"}, {"open", "conversations.open"},
    {"read", "conversations.mark"},
};

static const struct route *method_of(const char *act)
{
    const struct route *row;
    const char *method = NULL;
    for (size_t i = 0; i < SOSIA_LEN(same); i++)
        if (strcmp(same[i].act, act) == 0)
            method = same[i].method;
    for (size_t i = 0; method && (row = dialect_row(&chat_slack, i)); i++)
        if (strcmp(row->id, method) == 0)
            return row;
    return NULL;
}

/* Its parameters are the members of the act. */
static int call_method(struct sl_deed *d, const struct route *row)
{
    struct call *c = d->c;
    if (slack_take_members(c, d->args, row->params, row->n_params) < 0)
        return -1;
    sl_in_client(c);
    return row->handler(c);
}

/* ---- what is on the screen ---- */

int sl_write_ephemeral(struct call *c, const struct chat_channel *ch,
                       const struct chat_ephemeral *e)
{
    static const char *const members[] = {"blocks", "attachments"};
    const struct json *v;
    char ts[CHAT_TS_LEN];
    const char *parts[2] = {NULL, NULL};
    if (json_parse(c->tx.arena, e->message, strlen(e->message), NULL, &v, c->tx.err) < 0)
        return -1;
    for (size_t i = 0; i < 2; i++)
        if (json_get(v, members[i]))
            parts[i] = json_to_text(c->tx.arena, json_get(v, members[i]));
    const char *text = json_get_str(v, "text");
    const struct chat_message m = {.ts_us = e->ts_us,
                                   .user = e->sender,
                                   .app = e->app,
                                   .text = text ? text : "",
                                   .blocks = parts[0],
                                   .attachments = parts[1]};
    json_str(c->out, "channel", ch->key);
    json_bool(c->out, "is_ephemeral", true);
    if (e->thread_us) {
        chat_ts_text(ts, e->thread_us);
        json_str(c->out, "thread_ts", ts);
    }
    return sl_write_message(c, NULL, &m, SL_MEMBERS);
}

static int see_ephemerals(struct sl_deed *d)
{
    struct call *c = d->c;
    struct chat_ephemeral e = {.ts_us = -1};
    struct chat_channel ch;
    int r;
    if (sl_deed_channel(d, &ch) < 0)
        return -1;
    json_arr(c->out, "ephemeral");
    while ((r = chat_ephemeral_next(&c->tx, ch.id, sl_me(c)->user.id, e.ts_us, &e)) == 1) {
        json_obj(c->out, NULL);
        if (sl_write_ephemeral(c, &ch, &e) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    return r;
}

/* Windows and pages, and what only he sees in a channel. */
static int see(struct sl_deed *d)
{
    struct call *c = d->c;
    struct chat_view v = {0};
    int r;
    slack_open(c);
    json_arr(c->out, "views");
    while ((r = chat_view_next(&c->tx, sl_me(c)->user.id, v.id, &v)) == 1)
        if (sl_write_view(c, c->out, NULL, &v) < 0)
            return -1;
    json_end(c->out);
    if (r < 0 || sl_write_dialog(c, sl_me(c)->user.id) < 0 ||
        sl_write_panes(c, sl_me(c)->user.id) < 0 ||
        (json_get(d->args, "execution") && sl_write_execution(d) < 0) ||
        (json_get(d->args, "channel") && see_ephemerals(d) < 0))
        return -1;
    slack_close(c);
    return 0;
}

/* ---- the act ---- */

static const struct {
    const char *name;
    int (*act)(struct sl_deed *d);
} acts[] = {
    {"click", sl_act_click},     {"choose", sl_act_click},      {"options", sl_act_options},
    {"fill", sl_act_fill},       {"submit", sl_act_submit},     {"close", sl_act_close},
    {"command", sl_act_command}, {"shortcut", sl_act_shortcut}, {"home", sl_act_home},
    {"assist", sl_act_assist},   {"retitle", sl_act_retitle},   {"run", sl_act_run},
    {"entity", sl_act_entity},   {"comment", sl_act_comment},   {"press", sl_act_press},
    {"stop", sl_act_stop},       {"verify", sl_act_verify},     {"see", see},
};

bool sl_act_is(const char *name)
{
    for (size_t i = 0; i < SOSIA_LEN(acts); i++)
        if (strcmp(acts[i].name, name) == 0)
            return true;
    return method_of(name) != NULL;
}

int sl_act(struct call *c, const struct json *what, bool waits, int64_t *ret_entry)
{
    *ret_entry = 0;
    if (what->type != JSON_OBJECT || what->n != 1 || what->members[0].value.type != JSON_OBJECT)
        return slack_invalid_arguments(c, "/do", "must be an object with one act, an object");
    struct sl_deed d = {.c = c, .args = &what->members[0].value, .waits = waits};
    const char *name = what->members[0].key;
    for (size_t i = 0; i < SOSIA_LEN(acts); i++) {
        if (strcmp(acts[i].name, name) != 0)
            continue;
        if (acts[i].act(&d) < 0)
            return -1;
        *ret_entry = d.entry;
        return 0;
    }
    const struct route *row = method_of(name);
    return row ? call_method(&d, row)
               : slack_invalid_arguments(c, "/do", "there is no act \"%.40s\"", name);
}

static int act(struct call *c)
{
    const struct json *what;
    int64_t entry;
    /* What a client can do no scopes are for: a token that has some is not the person. */
    if (c->app || !c->scopes.all || sl_me(c)->user.bot || !sl_me(c)->user.actor)
        return slack_fail(c, "not_allowed_token_type");
    if (slack_json_arg(c, "do", &what) <= 0)
        return slack_invalid_arguments(c, "/do", "must be an object with one act, an object");
    if (sl_act(c, what, true, &entry) < 0)
        return -1;
    if (entry)
        call_suspend(c, entry);
    return 0;
}

/* ---- calls of nobody's ---- */

int sl_inside_begin(struct tx *tx, struct sl_inside *in, int64_t user, int64_t app)
{
    struct chat_user u;
    int r = chat_user_get(tx, user, &u);
    if (r != 1 || u.deleted)
        return r < 0 ? -1 : 0;
    memset(&in->call, 0, sizeof in->call);
    buf_init(&in->b, 16 << 20);
    json_init(&in->w, &in->b, false, NULL);
    in->call.tx = *tx;
    in->call.scopes.all = true;
    in->call.token_kind = u.bot ? TOKEN_BOT : TOKEN_USER;
    in->call.out = &in->w;
    in->call.body_out = &in->b;
    in->call.dialect = &chat_slack;
    if (sl_stand_in(&in->call, &u, app) < 0) {
        buf_done(&in->b);
        return -1;
    }
    in->call.tx.actor = u.actor;
    in->call.tx.app = app;
    return 1;
}

const char *sl_inside_end(struct tx *tx, struct sl_inside *in)
{
    const char *text = NULL;
    int64_t actor = tx->actor, app = tx->app;
    *tx = in->call.tx;
    tx->actor = actor;
    tx->app = app;
    if (buf_failed(&in->b))
        sosia_fail_memory(tx->err);
    else
        text = arena_memdup(tx->arena, buf_str(&in->b), in->b.len);
    buf_done(&in->b);
    return text;
}

/* ---- rows ---- */

static const struct param params[] = {SL_NEEDED("do", SL_OBJECT)};

static const struct route methods[] = {
    {.id = "people.act",
     .verbs = POST,
     .paths = PATHS("/_act/slack"),
     .token_kinds = TOKEN_USER,
     .handler = act,
     .risk = RISK_EXTERNAL,
     PARAMS(params),
     .summary = "Do what a person does in the client"},
};

const struct rows sl_act_rows = ROWS(methods);
