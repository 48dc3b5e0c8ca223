/* SPDX-License-Identifier: Apache-2.0 */
/* What acts have in common: their members, what one person alone sees, calls that no request made.
 */
#include "services/chat/slack/acts/act.h"
#include "engine/world/engine.h"

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

/* ---- calls of nobody's ---- */

static const struct dialect *own_dialect(const struct tx *tx)
{
    const struct dialect **d = tx->engine->dialects;
    while (*d && (!(*d)->name || strcmp((*d)->name, SLACK_CORE) != 0))
        d++;
    return *d;
}

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
    in->call.dialect = own_dialect(tx);
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
