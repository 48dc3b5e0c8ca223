/* SPDX-License-Identifier: Apache-2.0 */
/* What was written in a channel or a thread. */
#include "engine/base/codec.h"
#include "engine/world/rate.h"
#include "services/chat/slack/events/push.h"
#include <stdio.h>

#define LAST_US    (CHAT_LAST_SECOND * 1000000)
#define COMMERCIAL 15 /* messages, to apps that are sold */

struct page {
    struct call *c;
    int64_t limit, n, next_us; /* next_us 0: nothing is left */
    unsigned parts;
    int64_t but; /* a message that is there already; 0: none */
    bool failed;
    struct buf key; /* of its items */
};

static int write_item(void *arg, const struct chat_message *m, const struct record *row)
{
    struct page *p = arg;
    if (m->id == p->but)
        return 0;
    if (p->n == p->limit) {
        p->next_us = m->ts_us;
        return 1;
    }
    p->n++;
    p->failed = sl_write_listed(p->c, m, p->parts, row, &p->key) < 0;
    return p->failed;
}

static int write_stretch(struct page *p, const struct chat_range *range)
{
    buf_init(&p->key, 0);
    int rc = chat_messages(&p->c->tx, range, write_item, p);
    buf_done(&p->key);
    return rc < 0 || p->failed ? -1 : 0;
}

/* oldest, latest and inclusive, and where the cursor goes on. */
static int read_range(struct call *c, struct chat_range *range)
{
    const char *next, *latest = param_str(c, "latest");
    int64_t us;
    range->oldest_us = -1;
    range->latest_us = LAST_US;
    range->inclusive = slack_flag(c, "inclusive");
    if (sl_ts_arg(c, "oldest", &range->oldest_us) < 0)
        return slack_fail(c, "invalid_ts_oldest");
    if (!range->oldest_us)
        range->oldest_us = -1; /* 0 is the beginning */
    if (latest && strcmp(latest, "now") != 0 && strcmp(latest, "0") != 0 &&
        sl_ts_arg(c, "latest", &range->latest_us) < 0)
        return slack_fail(c, "invalid_ts_latest");
    int r = slack_cursor(c, "next_ts", &next);
    if (r < 0)
        return -1;
    if (!r)
        return 0;
    if (parse_i64(next, strlen(next), &us) < 0 || us < 0 || us > LAST_US)
        return slack_fail(c, "invalid_cursor");
    /* The message that the cursor names is the first of this page. */
    if (range->ascending && us > range->oldest_us)
        range->oldest_us = us - !range->inclusive;
    if (!range->ascending && us < range->latest_us)
        range->latest_us = us + !range->inclusive;
    return 1;
}

static void write_next(struct call *c, const struct page *p)
{
    if (p->next_us)
        slack_next(c, "next_ts", arena_printf(c->tx.arena, "%016lld", (long long)p->next_us));
}

static int hidden(void *arg, const struct chat_message *m, const struct record *row)
{
    (void)m, (void)row;
    *(bool *)arg = true;
    return 1;
}

/* Narrows the range to what is shown; ret_limited: it hides something. 0, -1. */
static int hide_old(struct call *c, struct chat_range *range, bool *ret_limited)
{
    struct chat_range old = *range;
    int64_t first_us = sl_first_shown(c);
    *ret_limited = false;
    if (range->oldest_us >= first_us || first_us <= 0)
        return 0;
    old.ascending = true;
    old.latest_us = first_us - old.inclusive;
    if (range->latest_us < old.latest_us)
        old.latest_us = range->latest_us;
    range->oldest_us = first_us - !range->inclusive;
    return chat_messages(&c->tx, &old, hidden, ret_limited);
}

/* People may read public channels that they are not in; bots may not. */
static int may_read(struct call *c, const struct chat_channel *ch)
{
    if (sl_channel_scope(c, ch, "history") < 0)
        return -1;
    if (ch->kind == CHAT_PUBLIC && !sl_me(c)->is_bot)
        return 0;
    int r = sl_is_member(c, ch);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "not_in_channel");
}

/* Their metadata is shown to all who ask for it. */
static unsigned parts_of(struct call *c)
{
    return SL_LISTED | (slack_flag(c, "include_all_metadata") ? SL_METADATA : 0);
}

/* Apps that are sold, but not in the vendor's marketplace, read little and seldom (docs.slack.dev,
 * changes of 2025-05-29). 1, 0, -1: this was too soon. */
static int is_commercial(struct call *c)
{
    static const struct rate_class once = {"Commercial", true, 1, INT64_C(60000000), true};
    const struct sl_caller *me = sl_me(c);
    struct world *w = c->tx.world;
    struct sl_settings s = {0};
    if (me->chat_app.id && sl_settings_of(&c->tx, &me->chat_app, &s) < 0)
        return -1;
    if (!s.commercial || !(w->flags & WORLD_RATES))
        return s.commercial;
    uint64_t key = hash_bytes(c->route->id, strlen(c->route->id)) + (uint64_t)me->user.id;
    c->retry_us = rate_wait(w, key, once.limit, once.period_us, 1, c->tx.now_us);
    if (c->retry_us) {
        c->over = &once;
        return slack_fail(c, "ratelimited");
    }
    rate_take(w, key, once.limit, once.period_us, 1, c->tx.now_us);
    return 1;
}

static int limit_of(struct call *c, int64_t *ret)
{
    int few = is_commercial(c);
    if (few < 0)
        return -1;
    return few ? slack_limit_within(c, COMMERCIAL, COMMERCIAL, ret) : slack_limit(c, ret);
}

static int conversations_history(struct call *c)
{
    struct chat_channel ch;
    struct chat_range range = {0};
    struct page p = {.c = c, .parts = parts_of(c)};
    const char *latest = param_str(c, "latest");
    bool limited;
    if (sl_channel_arg(c, "channel", false, &ch) < 0 || may_read(c, &ch) < 0 ||
        limit_of(c, &p.limit) < 0 || read_range(c, &range) < 0)
        return -1;
    range.channel = ch.id;
    if (hide_old(c, &range, &limited) < 0)
        return -1;
    slack_open(c);
    json_str_opt(c->out, "latest", latest && *latest ? latest : NULL);
    json_arr(c->out, "messages");
    if (write_stretch(&p, &range) < 0)
        return -1;
    json_end(c->out);
    json_bool(c->out, "has_more", p.next_us != 0);
    json_bool_opt(c->out, "is_limited", limited);
    json_int(c->out, "pin_count", ch.pins);
    json_null(c->out, "channel_actions_ts");
    json_int(c->out, "channel_actions_count", 0);
    write_next(c, &p);
    slack_close(c);
    return 0;
}

static int conversations_replies(struct call *c)
{
    struct chat_channel ch;
    struct chat_message m;
    struct chat_range range = {.ascending = true};
    struct page p = {.c = c, .parts = parts_of(c)};
    bool limited;
    int64_t us;
    if (sl_channel_arg(c, "channel", false, &ch) < 0 || may_read(c, &ch) < 0 ||
        limit_of(c, &p.limit) < 0)
        return -1;
    int paged = read_range(c, &range);
    if (paged < 0)
        return -1;
    int r = sl_ts_arg(c, "ts", &us) == 1 ? chat_message_find(&c->tx, ch.id, us, &m) : 0;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "thread_not_found");
    range.channel = ch.id;
    range.thread = p.but = m.id;
    if (hide_old(c, &range, &limited) < 0)
        return -1;
    bool shown = !paged && m.ts_us >= sl_first_shown(c);
    slack_open(c);
    json_arr(c->out, "messages");
    if (shown && sl_write_message(c, NULL, &m, p.parts) < 0)
        return -1;
    p.n = shown;
    /* A reply is alone: it has no replies of its own. */
    if (m.thread == m.id && write_stretch(&p, &range) < 0)
        return -1;
    json_end(c->out);
    json_bool(c->out, "has_more", p.next_us != 0);
    json_bool_opt(c->out, "is_limited", limited);
    write_next(c, &p);
    slack_close(c);
    return 0;
}

static const struct param history_params[] = {SL_NEEDED("channel"),
                                              SL_ARG("cursor"),
                                              SL_ARG("include_all_metadata", SL_FLAG),
                                              SL_ARG("inclusive", SL_FLAG),
                                              SL_ARG("latest"),
                                              SL_ARG("limit", SL_WHOLE(0, 999), .def = "100"),
                                              SL_ARG("oldest")};
static const struct param replies_params[] = {SL_NEEDED("channel"),
                                              SL_NEEDED("ts"),
                                              SL_ARG("cursor"),
                                              SL_ARG("include_all_metadata", SL_FLAG),
                                              SL_ARG("inclusive", SL_FLAG),
                                              SL_ARG("latest"),
                                              SL_ARG("limit", SL_WHOLE(0, 1000), .def = "1000"),
                                              SL_ARG("oldest")};

static const struct route methods[] = {
    {SL_METHOD("conversations.history"), .handler = conversations_history, .risk = RISK_READ,
     .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = SL_HISTORY, PARAMS(history_params),
     .rate = SLACK_TIER_3, .summary = "Messages of a channel, newest first"},
    {SL_METHOD("conversations.replies"), .handler = conversations_replies, .risk = RISK_READ,
     .accepts = slack_form_only, .token_kinds = TOKEN_USER | TOKEN_BOT, .scopes = SL_HISTORY,
     PARAMS(replies_params), .rate = SLACK_TIER_3, .summary = "A thread, oldest first"},
};

const struct rows sl_history = ROWS(methods);
