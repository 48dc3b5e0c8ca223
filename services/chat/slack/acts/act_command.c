/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that begin with a slash, and shortcuts. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/slack/agents/agent.h"
#include "services/chat/slack/acts/act.h"

/* ---- which app ---- */

/* The item of a list of settings whose member is this text. */
static const struct json *setting_named(const struct json *list, const char *member,
                                        const char *text)
{
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *own = json_get_str(&list->items[i], member);
        if (own && strcmp(own, text) == 0)
            return &list->items[i];
    }
    return NULL;
}

/* Of apps that have the same one, that which was installed last. shortcut: its type; NULL: a
 * command is looked for. 1, 0 nobody has it, -1. */
static int find_owner(struct call *c, const char *shortcut, const char *name, struct sl_party *ret,
                      const struct json **ret_item)
{
    static struct sql_text q =
        SQL_TEXT("select id, app from slack_install where +workspace = :workspace and id < :before "
                 "and not deleted order by id desc limit 1");
    int64_t before = INT64_MAX, app;
    sqlite3_stmt *st;
    int r;
    while ((r = TX_ROW(&c->tx, &q, &st, sl_me(c)->workspace.id, before)) == 1) {
        before = sqlite3_column_int64(st, 0);
        app = sqlite3_column_int64(st, 1);
        sql_done(st);
        if ((r = sl_party_of(c, app, ret)) < 0)
            return -1;
        const struct json *list = shortcut ? ret->settings.shortcuts : ret->settings.commands;
        *ret_item = r ? setting_named(list, shortcut ? "callback_id" : "command", name) : NULL;
        const char *type = json_get_str(*ret_item, "type");
        if (*ret_item && (!shortcut || (type && strcmp(type, shortcut) == 0)))
            return 1;
    }
    return r;
}

/* ---- commands ---- */

/* "@bob" and "#dev" as references, as for messages. */
static const char *escape(struct call *c, const char *text)
{
    struct chat_channel ch;
    struct chat_user u;
    struct buf b;
    int r = 0;
    buf_init(&b, 1 << 20);
    for (const char *p = text; *p && r >= 0;) {
        bool start = p == text || p[-1] == ' ' || p[-1] == '\n';
        r = 0;
        if (!start || (*p != '@' && *p != '#')) {
            html_escape(&b, p++, 1, "");
            continue;
        }
        size_t n = strcspn(p + 1, " \t\n,;:!?()");
        const char *name = arena_memdup(c->tx.arena, p + 1, n);
        if (*p == '@' && (r = chat_user_by_name(&c->tx, sl_me(c)->workspace.id, name, &u)) == 1)
            buf_printf(&b, "<@%s|%s>", u.key, u.name);
        else if (*p == '#' &&
                 (r = chat_channel_by_name(&c->tx, sl_me(c)->workspace.id, name, &ch)) == 1)
            buf_printf(&b, "<#%s|%s>", ch.key, ch.kind == CHAT_PUBLIC ? ch.name : "");
        if (r == 1) {
            p += n + 1;
            continue;
        }
        html_escape(&b, p++, 1, "");
    }
    const char *made =
        r < 0 || buf_failed(&b) ? NULL : arena_memdup(c->tx.arena, buf_str(&b), b.len);
    buf_done(&b);
    return made;
}

static const char *command_payload(struct call *c, const struct sl_party *p,
                                   const struct chat_channel *ch, const char *command,
                                   const char *text, const struct chat_answer *a)
{
    const struct sl_caller *me = sl_me(c);
    const char *trigger = sl_new_trigger(c, p->app.app, NULL, ch);
    struct sl_draft draft;
    if (!trigger || !text)
        return NULL;
    sl_draft_begin(&draft, c);
    struct json_writer *w = &draft.w;
    json_obj(w, NULL);
    json_str(w, "token", p->app.verification);
    json_str(w, "team_id", me->workspace.key);
    json_str(w, "team_domain", me->workspace.domain);
    json_str(w, "channel_id", ch->key);
    json_str(w, "channel_name", sl_place_name(ch));
    json_str(w, "user_id", me->user.key);
    json_str(w, "user_name", me->user.name);
    json_str(w, "command", command);
    json_str(w, "text", text);
    json_str(w, "api_app_id", p->app.key);
    json_str(w, "is_enterprise_install", "false");
    json_str(w, "response_url", sl_answer_url(c, a, SL_OF_COMMAND));
    json_str(w, "trigger_id", trigger);
    json_end(w);
    return sl_draft_end(&draft);
}

/* Slackbot says what is wrong, to the person alone. */
static int no_command(struct sl_deed *d, const struct chat_channel *ch, const char *command)
{
    const struct chat_act a = {.kind = "unknown",
                               .workspace = sl_me(d->c)->workspace.id,
                               .user = sl_me(d->c)->user.id,
                               .channel = ch->id,
                               .name = command};
    slack_open(d->c);
    if (sl_write_failure(d->c, &a, "invalid_command") < 0)
        return -1;
    slack_close(d->c);
    return 0;
}

/* A command of an agent's that holds in this channel alone: 1, 0, -1. */
static int find_agent(struct call *c, const struct chat_channel *ch, const char *command,
                      struct sl_party *ret, bool *ret_escape)
{
    struct chat_agent_command own;
    struct chat_install i;
    if (!ch->properties || command[0] != '/')
        return 0;
    int r = chat_agent_command_find(&c->tx, ch->id, command + 1, &own);
    if (r == 1)
        r = chat_install_by_user(&c->tx, own.user, &i);
    if (r == 1)
        r = sl_party_of(c, i.app, ret);
    *ret_escape = r == 1 && own.escapes;
    return r;
}

int sl_act_command(struct sl_deed *d)
{
    struct call *c = d->c;
    const char *command = sl_deed_str(d, "command"), *text = json_get_str(d->args, "text");
    struct chat_channel ch;
    struct sl_party p;
    struct chat_answer a = {.command = true};
    const struct json *item = NULL;
    const char *url = NULL;
    bool escaped;
    if (!command || sl_deed_channel(d, &ch) < 0)
        return -1;
    int r = sl_is_member(c, &ch);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "not_in_channel");
    if ((r = find_agent(c, &ch, command, &p, &escaped)) == 1) {
        url = json_get_str(p.settings.all, "agent_commands_url");
        url = url ? url : p.settings.interactivity_url;
    } else if (r == 0 && (r = find_owner(c, NULL, command, &p, &item)) == 1) {
        const struct json *v = json_get(item, "should_escape");
        escaped = v && v->truth;
        url = json_get_str(item, "url");
    }
    if (r != 1)
        return r < 0 ? -1 : no_command(d, &ch, command);
    if (!text)
        text = "";
    if (sl_new_answer(c, p.app.app, &ch, &a) < 0)
        return -1;
    const char *payload =
        command_payload(c, &p, &ch, command, escaped ? escape(c, text) : text, &a);
    return sl_notify_app(d,
                         &(struct sl_notice){.push = SL_PUSH_COMMAND,
                                             .kind = "command",
                                             .to = &p,
                                             .channel = &ch,
                                             .answer = &a,
                                             .name = command,
                                             .url = url,
                                             .answers = true},
                         payload);
}

/* ---- shortcuts ---- */

static void write_shortcut(struct call *c, struct json_writer *w, const char *type,
                           const struct sl_party *p, const char *callback, const char *trigger)
{
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, c->tx.now_us);
    json_str(w, "type", type);
    json_str(w, "token", p->app.verification);
    json_str(w, "action_ts", ts);
    sl_write_team(w, sl_me(c));
    sl_write_presser(w, sl_me(c), strcmp(type, "shortcut") == 0);
    json_bool(w, "is_enterprise_install", false);
    json_null(w, "enterprise");
    json_str(w, "callback_id", callback);
    json_str(w, "trigger_id", trigger);
}

static int global(struct sl_deed *d, const struct sl_party *p, const char *callback)
{
    struct call *c = d->c;
    const char *trigger = sl_new_trigger(c, p->app.app, NULL, NULL);
    struct sl_draft draft;
    if (!trigger)
        return -1;
    sl_draft_begin(&draft, c);
    json_obj(&draft.w, NULL);
    write_shortcut(c, &draft.w, "shortcut", p, callback, trigger);
    json_end(&draft.w);
    return sl_notify_app(
        d, &(struct sl_notice){.push = SL_PUSH_INTERACTIVE, .kind = "shortcut", .to = p},
        sl_draft_end(&draft));
}

static int on_message(struct sl_deed *d, const struct sl_party *p, const char *callback)
{
    struct call *c = d->c;
    const char *ts = sl_deed_str(d, "ts");
    struct chat_channel ch;
    struct chat_message m;
    struct sl_draft draft;
    int64_t us;
    char text[CHAT_TS_LEN];
    if (!ts || sl_deed_channel(d, &ch) < 0)
        return -1;
    int r = chat_ts_read(ts, &us) < 0 ? 0 : chat_message_find(&c->tx, ch.id, us, &m);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "message_not_found");
    struct chat_answer a = {.message_us = m.ts_us};
    const char *trigger = sl_new_trigger(c, p->app.app, NULL, &ch);
    if (!trigger || sl_new_answer(c, p->app.app, &ch, &a) < 0)
        return -1;
    sl_draft_begin(&draft, c);
    struct json_writer *w = &draft.w;
    json_obj(w, NULL);
    write_shortcut(c, w, "message_action", p, callback, trigger);
    json_str(w, "response_url", sl_answer_url(c, &a, SL_OF_APP));
    chat_ts_text(text, m.ts_us);
    json_str(w, "message_ts", text);
    sl_write_place(w, "channel", &ch);
    r = sl_write_message(c, "message", &m, 0);
    json_end(w);
    return sl_notify_draft(d, r, &draft,
                           &(struct sl_notice){.push = SL_PUSH_INTERACTIVE,
                                               .kind = "shortcut",
                                               .to = p,
                                               .channel = &ch,
                                               .answer = &a});
}

int sl_act_shortcut(struct sl_deed *d)
{
    const char *callback = sl_deed_str(d, "callback_id");
    bool message = json_get(d->args, "ts") != NULL;
    const struct json *item;
    struct sl_party p;
    if (!callback)
        return -1;
    int r = find_owner(d->c, message ? "message" : "global", callback, &p, &item);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(d->c, "shortcut_not_found");
    return message ? on_message(d, &p, callback) : global(d, &p, callback);
}
