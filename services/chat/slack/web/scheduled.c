/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that are posted later. */
#include "engine/base/codec.h"
#include "engine/base/made.h"
#include "engine/text/civil.h"
#include "services/chat/slack/web/compose.h"

#define DAY             86400
#define FARTHEST        (INT64_C(120) * DAY)
#define WINDOW          300 /* seconds in which so many may be posted to a channel */
#define MAX_IN_WINDOW   30
#define LATEST_DELETION 60

/* What is posted then, for the core. */
static const char *payload(struct call *c, const struct chat_message *m, int64_t thread_us)
{
    struct buf b;
    struct json_writer w;
    struct {
        const char *name, *json;
    } raw[] = {{"blocks", m->blocks},
               {"attachments", m->attachments},
               {"metadata", m->metadata},
               {"extra", m->extra}};
    buf_init(&b, 8 << 20);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "text", m->text);
    json_str_opt(&w, "subtype", m->subtype);
    json_int(&w, "flags", m->flags);
    if (thread_us)
        json_int(&w, "thread", thread_us);
    for (size_t i = 0; i < SOSIA_LEN(raw); i++)
        if (raw[i].json)
            json_raw(&w, raw[i].name, raw[i].json, strlen(raw[i].json));
    json_end(&w);
    const char *text = buf_made(&b, c->tx.arena);
    return text;
}

static int read_post_at(struct call *c, const struct chat_channel *ch, int64_t *ret_s)
{
    const char *text = param_str(c, "post_at");
    int64_t now = c->tx.now_us / US_PER_SECOND, n;
    if (parse_i64(text, strlen(text), ret_s) < 0)
        return slack_fail(c, "invalid_time");
    if (*ret_s <= now)
        return slack_fail(c, "time_in_past");
    if (*ret_s > now + FARTHEST)
        return slack_fail(c, "time_too_far");
    int64_t window = *ret_s / WINDOW * WINDOW;
    if (chat_scheduled_count(&c->tx, ch->id, window, window + WINDOW - 1, &n) < 0)
        return -1;
    return n >= MAX_IN_WINDOW ? slack_fail(c, "restricted_too_many") : 0;
}

static int chat_schedule_message(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    struct chat_channel ch;
    struct chat_message root, m = {.user = me->user.id, .app = me->app};
    struct chat_scheduled s = {.user = me->user.id, .app = me->app};
    if (sl_post_target(c, false, &ch) < 0 || sl_thread_arg(c, &ch, &root) < 0 ||
        sl_compose(c, &m, 40000) < 0 || read_post_at(c, &ch, &s.at_s) < 0)
        return -1;
    if (root.id && slack_flag(c, "reply_broadcast")) {
        m.flags |= CHAT_BROADCAST;
        m.subtype = "thread_broadcast";
    }
    s.channel = ch.id;
    s.message = payload(c, &m, root.id ? root.ts_us : 0);
    if (!s.message)
        return sosia_fail_memory(c->tx.err);
    if (chat_schedule(&c->tx, &s) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "scheduled_message_id", s.key);
    json_str(c->out, "channel", ch.key);
    json_int(c->out, "post_at", s.at_s);
    if (sl_write_message(c, "message", &m, SL_DELAYED | SL_METADATA) < 0)
        return -1;
    slack_close(c);
    return 0;
}

static int chat_delete_scheduled_message(struct call *c)
{
    struct chat_channel ch;
    struct chat_scheduled s;
    if (sl_channel_arg(c, "channel", false, &ch) < 0)
        return -1;
    int r = chat_scheduled_find(&c->tx, param_str(c, "scheduled_message_id"), &s);
    if (r < 0)
        return -1;
    if (!r || s.channel != ch.id || s.user != sl_me(c)->user.id ||
        s.at_s - c->tx.now_us / US_PER_SECOND < LATEST_DELETION)
        return slack_fail(c, "invalid_scheduled_message_id");
    return chat_scheduled_delete(&c->tx, &s) < 0 ? -1 : slack_ok(c);
}

static int write_scheduled(struct call *c, const struct chat_scheduled *s)
{
    const struct json *v;
    struct chat_channel ch;
    int r = chat_channel_get(&c->tx, s->channel, &ch);
    if (r != 1 || json_parse(c->tx.arena, s->message, strlen(s->message), NULL, &v, c->tx.err) < 0)
        return r == 0 ? 0 : -1;
    const char *text = json_get_str(v, "text");
    json_obj(c->out, NULL);
    json_str(c->out, "id", s->key);
    json_str(c->out, "channel_id", ch.key);
    json_int(c->out, "post_at", s->at_s);
    json_int(c->out, "date_created", s->created_s);
    json_str(c->out, "text", text ? text : "");
    json_end(c->out);
    return 0;
}

/* Bounds are seconds, with or without a fraction. */
static int64_t bound(struct call *c, const char *name, int64_t otherwise)
{
    int64_t us;
    return sl_ts_arg(c, name, &us) == 1 ? us / US_PER_SECOND : otherwise;
}

static int chat_scheduled_list(struct call *c)
{
    const char *channel = param_str(c, "channel"), *from = NULL;
    struct chat_channel ch = {0};
    struct chat_scheduled s = {0}, at;
    int64_t limit, n = 0;
    int r;
    if (channel && *channel && sl_channel_arg(c, "channel", false, &ch) < 0)
        return slack_of(c)->error ? slack_fail(c, "invalid_channel") : -1;
    if (slack_limit(c, &limit) < 0 || (r = slack_cursor(c, "scheduled", &from)) < 0)
        return -1;
    if (r && (r = chat_scheduled_find(&c->tx, from, &at)) != 1)
        return r < 0 ? -1 : slack_fail(c, "invalid_cursor");
    int64_t oldest = bound(c, "oldest", 0), latest = bound(c, "latest", INT64_MAX);
    if (r && at.at_s >= oldest) { /* what the cursor names is the first of this page */
        s.at_s = at.at_s;
        s.id = at.id - 1;
    }
    if (!s.id) { /* from the first at the oldest time on */
        s.at_s = oldest - 1;
        s.id = INT64_MAX;
    }
    slack_open(c);
    json_arr(c->out, "scheduled_messages");
    const char *next = NULL;
    while (!next &&
           (r = chat_scheduled_next(&c->tx, sl_me(c)->user.id, ch.id, s.at_s, s.id, &s)) == 1 &&
           s.at_s <= latest) {
        if (n++ == limit)
            next = s.key;
        else if (write_scheduled(c, &s) < 0)
            return -1;
    }
    json_end(c->out);
    slack_next(c, "scheduled", next);
    slack_close(c);
    return r < 0 ? -1 : 0;
}

static const struct param schedule_params[] = {SL_NEEDED("channel"),
                                               SL_NEEDED("post_at", SL_WHOLE(0, INT64_MAX)),
                                               SL_ARG("text"),
                                               SL_ARG("markdown_text"),
                                               SL_BLOCKS_ARG,
                                               SL_ATTACHMENTS_ARG,
                                               SL_METADATA_ARG,
                                               SL_ARG("parse", SL_WORDS("none", "full")),
                                               SL_ARG("link_names", SL_FLAG),
                                               SL_ARG("thread_ts"),
                                               SL_ARG("reply_broadcast", SL_FLAG),
                                               SL_ARG("unfurl_links", SL_FLAG_OPEN),
                                               SL_ARG("unfurl_media", SL_FLAG_OPEN),
                                               SL_ARG("as_user", SL_FLAG_OPEN)};
static const struct param delete_scheduled_params[] = {
    SL_NEEDED("channel"), SL_NEEDED("scheduled_message_id"), SL_ARG("as_user", SL_FLAG_OPEN)};
static const struct param list_scheduled_params[] = {
    SL_ARG("channel"), SL_ARG("cursor"),
    SL_ARG("latest"),  SL_ARG("limit", SL_WHOLE(0, 1000), .def = "100"),
    SL_ARG("oldest"),  SL_ARG("team_id")};

static const struct route methods[] = {
    {SL_METHOD("chat.scheduleMessage"), SL_PEOPLE, .handler = chat_schedule_message,
     .risk = RISK_EXTERNAL, .scopes = "chat:write", PARAMS(schedule_params), .rate = SLACK_TIER_3,
     .summary = "Post a message later"},
    {SL_METHOD("chat.deleteScheduledMessage"), SL_PEOPLE, .handler = chat_delete_scheduled_message,
     .risk = RISK_WRITE, .idempotent = true, .scopes = "chat:write",
     PARAMS(delete_scheduled_params), .rate = SLACK_TIER_3, .summary = "Don't post it after all"},
    {SL_METHOD("chat.scheduledMessages.list"), SL_PEOPLE, .handler = chat_scheduled_list,
     .risk = RISK_READ, PARAMS(list_scheduled_params), .rate = SLACK_TIER_3,
     .summary = "Messages that are to be posted"},
};

const struct rows sl_scheduled = ROWS(methods);
