/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RTM: the WebSockets of people and classic bots. What they may see comes as frames without an
 * envelope, and a message is posted by a frame. Events that no connection takes at once are gone.
 */
#include "engine/base/codec.h"
#include "engine/http/session.h"
#include "services/chat/slack/web/compose.h"
#include "services/chat/slack/events/news.h"
#include "services/chat/slack/events/socket.h"

#define MAX_TEXT    4000               /* characters of a message that a frame brings */
#define MAX_QUERIED 500                /* people whose presence a frame asks for (presence_query) */
#define BATCH       "slack.rtm.batch:" /* how keys begin of who has presence of several in a frame */

/* ---- addresses ---- */

static int answer_rtm(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const struct sl_ticket t = {.user = me->user.id,
                                .batch = slack_flag(c, "batch_presence_aware")};
    const char *key;
    if (sl_ticket_add(&c->tx, &t, &key) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "url",
             sl_socket_url(c, SLACK_SOCKETS, arena_printf(c->tx.arena, "/websocket/%s", key)));
    json_obj(c->out, "team");
    json_str(c->out, "id", me->workspace.key);
    json_str(c->out, "name", me->workspace.name);
    json_str(c->out, "domain", me->workspace.domain);
    json_end(c->out);
    json_obj(c->out, "self");
    json_str(c->out, "id", me->user.key);
    json_str(c->out, "name", me->user.name);
    json_end(c->out);
    slack_close(c);
    return 0;
}

static int websocket_open(struct call *c)
{
    struct sl_ticket t;
    struct chat_user u;
    int r = sl_ticket_take(&c->tx, param_str(c, "ticket"), &t);
    if (r == 1)
        r = t.user ? chat_user_get(&c->tx, t.user, &u) : 0;
    if (r != 1 || u.deleted)
        return r < 0 ? -1 : slack_fail(c, "invalid_auth");
    c->tx.actor = u.actor;
    return call_upgrade(
        c,
        arena_printf(c->tx.arena, "%s%s", t.batch ? BATCH : "slack.rtm:", param_str(c, "ticket")),
        u.id);
}

/* ---- frames ---- */

static void finish(struct session_turn *t, struct json_writer *w, struct buf *b)
{
    json_end(w);
    if (!buf_failed(b))
        session_send(t, buf_str(b));
    buf_done(b);
}

/* The session's key says how presence is sent to the client. */
static bool is_batch(const struct session_turn *t)
{
    return str_starts(t->key, BATCH);
}

static int forget_watched(struct session_turn *t)
{
    static struct sql_text q = SQL_TEXT("delete from slack_rtm_watch where number = :number");
    return TX_RUN(t->tx, &q, t->number);
}

static int rtm_opened(struct session_turn *t)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into slack_rtm (number, user, key, batch) "
                 "values (:number, :user, :key, :batch)");
    session_send(t, "{\"type\":\"hello\"}");
    return TX_RUN(t->tx, &q, t->number, t->ref, t->key, is_batch(t));
}

static int rtm_closed(struct session_turn *t, int code)
{
    static struct sql_text q = SQL_TEXT("delete from slack_rtm where number = :number");
    (void)code;
    return forget_watched(t) < 0 ? -1 : TX_RUN(t->tx, &q, t->number);
}

static void write_id(struct json_writer *w, const struct json *v)
{
    const struct json *id = json_get(v, "id");
    if (id)
        json_value(w, "reply_to", id);
}

static void refuse_frame(struct session_turn *t, const struct json *v, int code, const char *text)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_bool(&w, "ok", false);
    write_id(&w, v);
    json_obj(&w, "error");
    json_int(&w, "code", code);
    json_str(&w, "msg", text);
    json_end(&w);
    finish(t, &w, &b);
}

static void pong(struct session_turn *t, const struct json *v)
{
    static const char *const own[] = {"type", "id"};
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "type", "pong");
    write_id(&w, v);
    for (uint32_t i = 0; i < v->n; i++)
        if (strcmp(v->members[i].key, own[0]) != 0 && strcmp(v->members[i].key, own[1]) != 0)
            json_value(&w, v->members[i].key, &v->members[i].value);
    finish(t, &w, &b);
}

/* The thread that an answer goes to; id 0: it is none. 1; 0: there is no such message; -1. */
static int thread_of(struct tx *tx, const struct chat_channel *ch, const char *ts,
                     struct chat_message *ret)
{
    int64_t us;
    ret->id = 0;
    if (!ts || !*ts)
        return 1;
    int r = chat_ts_read(ts, &us) < 0 ? 0 : chat_message_find(tx, ch->id, us, ret);
    return r == 1 && ret->thread && ret->thread != ret->id ? chat_message_get(tx, ret->thread, ret)
                                                           : r;
}

/* Does the channel take it, as of a method? 1; 0: *ret_why says why not; -1. */
static int is_taken(struct call *stage, const struct chat_channel *ch,
                    const struct chat_message *root, const char **ret_why)
{
    struct sosia_err before = *stage->tx.err;
    *ret_why = NULL;
    if (root->id && root->flags & CHAT_SYSTEM)
        *ret_why = "cannot_reply_to_message";
    else if (root->id && root->flags & CHAT_LOCKED)
        *ret_why = "restricted_action_thread_locked";
    else if (sl_check_posting(stage, ch, root->id) == 0)
        return 1;
    else if (!(*ret_why = slack_of(stage)->error))
        return -1;
    *stage->tx.err = before;
    return 0;
}

/* Where a frame goes: a conversation that he is in. 1, 0, -1. */
static int frame_target(struct session_turn *t, const struct json *v, const struct chat_user *me,
                        struct chat_channel *ret)
{
    const char *key = json_get_str(v, "channel");
    struct chat_member in;
    int r = key ? chat_channel_find(t->tx, me->workspace, key, ret) : 0;
    return r == 1 ? chat_member_of(t->tx, ret->id, me->id, &in) : r;
}

static void answer_frame(struct session_turn *t, const struct json *v, const struct chat_message *m)
{
    struct json_writer w;
    struct buf b;
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, m->ts_us);
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_bool(&w, "ok", true);
    write_id(&w, v);
    json_str(&w, "ts", ts);
    json_str(&w, "text", m->text);
    finish(t, &w, &b);
}

static int post_frame(struct session_turn *t, const struct json *v, const struct chat_user *me)
{
    const char *text = json_get_str(v, "text"), *why;
    struct chat_message root, m = {.user = me->id, .flags = CHAT_MADE_BLOCKS};
    struct chat_install install;
    struct chat_channel ch;
    struct json_writer w;
    struct call stage;
    int r = frame_target(t, v, me, &ch);
    if (r == 1 && ch.archived)
        r = 0;
    if (r == 1)
        r = thread_of(t->tx, &ch, json_get_str(v, "thread_ts"), &root);
    if (r != 1) {
        if (r == 0)
            refuse_frame(t, v, 2, "channel_not_found");
        return r;
    }
    if (!text || !*text || sl_characters(text) > MAX_TEXT) {
        refuse_frame(t, v, text && *text ? 3 : 2,
                     text && *text ? "message text too long" : "no_text");
        return 0;
    }
    if (sl_stage(t->tx, me->workspace, me->id, &w, &stage) < 0)
        return -1;
    if ((r = is_taken(&stage, &ch, &root, &why)) != 1) {
        if (r == 0)
            refuse_frame(t, v, 2, why);
        return r;
    }
    if ((r = me->bot ? chat_install_by_user(t->tx, me->id, &install) : 0) < 0)
        return -1;
    m.app = r ? install.app : 0;
    m.thread = root.id;
    m.text = sl_text_stored(&stage, text, true);
    m.blocks = sl_text_blocks(&stage, m.text, 0);
    if (!m.blocks || chat_post(t->tx, &ch, &m) < 0)
        return -1;
    answer_frame(t, v, &m);
    return 0;
}

/* Others in the channel see that somebody types; it is kept nowhere. */
static int typing(struct session_turn *t, const struct json *v, const struct chat_user *me)
{
    struct chat_channel ch;
    int r = frame_target(t, v, me, &ch);
    if (r != 1)
        return r;
    return sl_rtm_send(
        t->tx, &(struct sl_rtm_to){.workspace = me->workspace, .channel = ch.id, .but = me->id},
        arena_printf(t->tx->arena, "{\"type\":\"user_typing\",\"channel\":\"%s\",\"user\":\"%s\"}",
                     ch.key, me->key));
}

/* ---- presence ---- */

static void answer_presence(struct session_turn *t, const char *const *keys, size_t n,
                            const char *presence)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "type", "presence_change");
    sl_write_presence(&w, keys, n, presence, is_batch(t));
    finish(t, &w, &b);
}

/* Who is there and who is away, in a frame each, or in one for every person. */
static void answer_presences(struct session_turn *t, const struct chat_user *list, size_t n)
{
    static const char *const values[] = {"active", "away"};
    const char **keys = arena_alloc(t->tx->arena, (n + 1) * sizeof *keys);
    size_t n_keys;
    if (arena_failed(t->tx->arena))
        return;
    for (size_t v = 0; is_batch(t) && v < SOSIA_LEN(values); v++) {
        n_keys = 0;
        for (size_t i = 0; i < n; i++)
            if (strcmp(sl_presence(&list[i]), values[v]) == 0)
                keys[n_keys++] = list[i].key;
        if (n_keys)
            answer_presence(t, keys, n_keys, values[v]);
    }
    for (size_t i = 0; !is_batch(t) && i < n; i++)
        answer_presence(t, &list[i].key, 1, sl_presence(&list[i]));
}

/* Of the ids those whom he sees: 0, -1. In the arena. */
static int people_of(struct session_turn *t, const struct json *v, const struct chat_user *me,
                     size_t max, struct chat_user **ret, size_t *ret_n)
{
    const struct json *ids = json_get(v, "ids");
    size_t n = ids && ids->type == JSON_ARRAY ? ids->n : 0;
    struct json_writer w;
    struct call stage;
    *ret_n = 0;
    *ret = arena_calloc(t->tx->arena, n + 1, sizeof **ret);
    if (arena_failed(t->tx->arena))
        return sosia_fail_memory(t->tx->err);
    if (sl_stage(t->tx, me->workspace, me->id, &w, &stage) < 0)
        return -1;
    for (size_t i = 0; i < n && *ret_n < max; i++) {
        struct chat_user *u = &(*ret)[*ret_n];
        int r = ids->items[i].type == JSON_STRING ? sl_user_find(&stage, ids->items[i].str, u) : 0;
        if (r == 1)
            r = sl_sees(&stage, u);
        if (r < 0)
            return -1;
        *ret_n += r;
    }
    return 0;
}

static int presence_query(struct session_turn *t, const struct json *v, const struct chat_user *me)
{
    struct chat_user *list;
    size_t n;
    if (people_of(t, v, me, MAX_QUERIED, &list, &n) < 0)
        return -1;
    answer_presences(t, list, n);
    return 0;
}

/* The list takes the place of the one before; who was in that is known already. */
static int presence_sub(struct session_turn *t, const struct json *v, const struct chat_user *me)
{
    static struct sql_text known =
        SQL_TEXT("select 1 from slack_rtm_watch where user = :user and number = :number");
    static struct sql_text q = SQL_TEXT("insert or ignore into slack_rtm_watch (user, number) "
                                        "values (:user, :number)");
    struct chat_user *list;
    size_t n, n_new = 0;
    if (people_of(t, v, me, SIZE_MAX, &list, &n) < 0)
        return -1;
    struct chat_user *new = arena_calloc(t->tx->arena, n + 1, sizeof *new);
    if (arena_failed(t->tx->arena))
        return sosia_fail_memory(t->tx->err);
    for (size_t i = 0; i < n; i++) {
        int64_t one;
        int r = TX_INT(t->tx, &known, &one, list[i].id, t->number);
        if (r < 0)
            return -1;
        if (r == 0)
            new[n_new++] = list[i];
    }
    if (forget_watched(t) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (TX_RUN(t->tx, &q, list[i].id, t->number) < 0)
            return -1;
    answer_presences(t, new, n_new);
    return 0;
}

static int rtm_frame(struct session_turn *t, const char *data, size_t len, bool binary)
{
    struct sosia_err before = *t->tx->err;
    const struct json *v;
    struct chat_user me;
    if (binary)
        return 0;
    if (json_parse(t->tx->arena, data, len, NULL, &v, t->tx->err) < 0 || v->type != JSON_OBJECT) {
        static const struct json none = {.type = JSON_OBJECT};
        *t->tx->err = before;
        refuse_frame(t, &none, 1, "invalid json");
        return 0;
    }
    const char *type = json_get_str(v, "type");
    int r = chat_user_get(t->tx, t->ref, &me);
    if (r != 1 || !type || me.deleted)
        return r < 0 ? -1 : 0;
    if (strcmp(type, "ping") == 0)
        pong(t, v);
    else if (strcmp(type, "message") == 0)
        return post_frame(t, v, &me);
    else if (strcmp(type, "typing") == 0)
        return typing(t, v, &me);
    else if (strcmp(type, "presence_query") == 0)
        return presence_query(t, v, &me);
    else if (strcmp(type, "presence_sub") == 0)
        return presence_sub(t, v, &me);
    return 0;
}

static const struct upgrade upgrade = {
    .opened = rtm_opened, .frame = rtm_frame, .closed = rtm_closed};

/* ---- rows ---- */

static const struct param rtm_params[] = {SL_ARG("batch_presence_aware", SL_FLAG),
                                          SL_ARG("presence_sub", SL_FLAG_ON)};

static const struct param open_params[] = {
    {.name = "ticket", .place = IN_PATH, .required = true},
};

static const struct route rows[] = {
    {SL_METHOD("rtm.connect"), SL_PEOPLE, .handler = answer_rtm, .risk = RISK_WRITE, .secret = true,
     PARAMS(rtm_params), .rate = SLACK_TIER_1, .summary = "An address for a WebSocket of a person"},
    {SL_METHOD("rtm.start"), SL_PEOPLE, .handler = answer_rtm, .risk = RISK_WRITE, .secret = true,
     PARAMS(rtm_params), .rate = SLACK_TIER_1,
     .summary = "The same; what else it gave is not given any more"},
    {ROUTE("websocket", GET, "/websocket/{ticket}"), .handler = websocket_open, .risk = RISK_WRITE,
     .anonymous = true, .upgrade = &upgrade, PARAMS(open_params),
     .summary = "The WebSocket of a person"},
};

const struct rows sl_rtm = ROWS(rows);
