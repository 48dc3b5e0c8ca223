/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the payloads that apps get of what people do (docs.slack.dev, interaction payloads; the
 * samples of Slack's own SDKs). */
#include "engine/text/civil.h"
#include "services/chat/slack/acts/act.h"

void sl_draft_begin(struct sl_draft *d, struct call *c)
{
    d->c = c;
    d->was = c->out;
    buf_init(&d->b, 16 << 20);
    json_init(&d->w, &d->b, false, NULL);
    c->out = &d->w;
}

const char *sl_draft_end(struct sl_draft *d)
{
    const char *text = NULL;
    d->c->out = d->was;
    if (buf_failed(&d->b))
        sosia_fail_memory(d->c->tx.err);
    else
        text = arena_memdup(d->c->tx.arena, buf_str(&d->b), d->b.len);
    buf_done(&d->b);
    return text;
}

void sl_write_team(struct json_writer *w, const struct sl_caller *me)
{
    json_obj(w, "team");
    json_str(w, "id", me->workspace.key);
    json_str(w, "domain", me->workspace.domain);
    json_end(w);
}

void sl_write_person(struct json_writer *w, const struct sl_caller *me)
{
    json_obj(w, "user");
    json_str(w, "id", me->user.key);
    json_str(w, "username", me->user.name);
    json_str(w, "name", me->user.name);
    json_str(w, "team_id", me->workspace.key);
    json_end(w);
}

void sl_write_presser(struct json_writer *w, const struct sl_caller *me, bool global)
{
    json_obj(w, "user");
    json_str(w, "id", me->user.key);
    json_str(w, global ? "username" : "name", me->user.name);
    if (global)
        json_str(w, "team_id", me->workspace.key);
    json_end(w);
}

const char *sl_place_name(const struct chat_channel *ch)
{
    if (ch->kind == CHAT_DIRECT)
        return "directmessage";
    return ch->kind == CHAT_PRIVATE ? "privategroup" : ch->name ? ch->name : "";
}

void sl_write_place(struct json_writer *w, const char *key, const struct chat_channel *ch)
{
    json_obj(w, key);
    json_str(w, "id", ch->key);
    json_str(w, "name", sl_place_name(ch));
    json_end(w);
}

void sl_write_enterprise(struct json_writer *w)
{
    json_null(w, "enterprise");
    json_bool(w, "is_enterprise_install", false);
}

const char *sl_answer_url(struct call *c, const struct chat_answer *a, enum sl_address address)
{
    static const char *const names[] = {"actions", "commands", "app"};
    const char *path =
        arena_printf(c->tx.arena, "/%s/%s/%s", names[address], sl_me(c)->workspace.key, a->key);
    return c->request && c->base_url ? call_follow_url(c, SLACK_HOOKS, path)
                                     : arena_printf(c->tx.arena, "https://" SLACK_HOOKS "%s", path);
}

int sl_party_of(struct call *c, int64_t app, struct sl_party *ret)
{
    int r = app ? chat_install_of(&c->tx, sl_me(c)->workspace.id, app, &ret->install) : 0;
    if (r == 1 && ret->install.deleted)
        r = 0;
    if (r == 1)
        r = chat_app_of(&c->tx, app, &ret->app);
    if (r == 1 && sl_settings_of(&c->tx, &ret->app, &ret->settings) < 0)
        return -1;
    return r;
}

const char *sl_new_trigger(struct call *c, int64_t app, const struct chat_view *view,
                           const struct chat_channel *ch)
{
    struct chat_trigger t = {.workspace = sl_me(c)->workspace.id,
                             .app = app,
                             .user = sl_me(c)->user.id,
                             .view = view ? view->id : 0,
                             .channel = ch ? ch->id : 0};
    return chat_trigger_add(&c->tx, &t) < 0 ? NULL : t.key;
}

int sl_new_answer(struct call *c, int64_t app, const struct chat_channel *ch, struct chat_answer *a)
{
    a->workspace = sl_me(c)->workspace.id;
    a->app = app;
    a->user = sl_me(c)->user.id;
    a->channel = ch->id;
    return chat_answer_add(&c->tx, a);
}

int sl_notify_app(struct sl_deed *d, const struct sl_notice *t, const char *payload)
{
    struct call *c = d->c;
    struct chat_act a = {.kind = t->kind,
                         .workspace = sl_me(c)->workspace.id,
                         .app = t->to->app.app,
                         .user = sl_me(c)->user.id,
                         .channel = t->channel ? t->channel->id : 0,
                         .view = t->dialog ? t->dialog->id
                                 : t->view ? t->view->id
                                           : 0,
                         .answer = t->answer ? t->answer->id : 0,
                         .name = t->name,
                         .waits = d->waits};
    if (!payload || chat_act_add(&c->tx, &a) < 0)
        return -1;
    const struct sl_action action = {.kind = t->push,
                                     .app = a.app,
                                     .url = t->url,
                                     .payload = payload,
                                     .answers = t->answers,
                                     .ref = a.id};
    int r = sl_push_action(&c->tx, &action, &d->entry);
    if (r)
        return r < 0 ? -1 : 0;
    d->entry = 0;
    if (chat_act_forget(&c->tx, a.id) < 0)
        return -1;
    slack_open(c);
    if (sl_write_failure(c, &a, NULL) < 0)
        return -1;
    slack_close(c);
    return 0;
}

int sl_notify_draft(struct sl_deed *d, int rc, struct sl_draft *draft, const struct sl_notice *t)
{
    const char *payload = sl_draft_end(draft);
    return rc < 0 ? -1 : sl_notify_app(d, t, payload);
}
