/* SPDX-License-Identifier: Apache-2.0 */
/* What people put on messages: reactions, pins, stars. */
#include "engine/world/take.h"
#include "engine/base/map.h"
#include "engine/text/civil.h"
#include "services/chat/core/ask.h"
#include "services/chat/slack/web/compose.h"
#include "services/chat/slack/web/emoji.h"
#include "services/chat/slack/files/files.h"
#include <inttypes.h>
#include <stdio.h>

#define MAX_EMOJI     50 /* different ones on a message */
#define MAX_REACTIONS 23 /* of one person on a message */
#define MAX_PINS      100
#define MAX_LISTED    1000 /* items of a page */

/* The message that channel and timestamp name. */
static int item(struct call *c, struct chat_channel *ch, struct chat_message *m)
{
    const char *channel = param_str(c, "channel"), *ts = param_str(c, "timestamp");
    int64_t us;
    if (!channel || !*channel || !ts || !*ts) {
        if (channel && *channel && sl_channel_arg(c, "channel", false, ch) < 0)
            return -1;
        return slack_fail(c, "no_item_specified");
    }
    if (sl_channel_arg(c, "channel", false, ch) < 0)
        return -1;
    if (chat_ts_read(ts, &us) < 0)
        return slack_fail(c, "bad_timestamp");
    int r = chat_message_find(&c->tx, ch->id, us, m);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "message_not_found");
}

/* A file that the caller may see; 0: the arguments name none. Comments on files are no more. */
static int file_item(struct call *c, struct chat_file *f)
{
    const char *key = param_str(c, "file"), *comment = param_str(c, "file_comment");
    if (comment && *comment)
        return slack_fail(c, "file_comment_not_found");
    if (!key || !*key)
        return 0;
    return sl_file_arg(c, "file", "file_not_found", f) < 0 ? -1 : 1;
}

/* ---- reactions ---- */

/* A name without colons, as it is kept: "+1" and "thumbsup" are one. */
static const char *reaction_name(struct call *c)
{
    const char *name = param_str(c, "name");
    size_t n = strlen(name);
    if (n > 2 && name[0] == ':' && name[n - 1] == ':')
        name = arena_memdup(c->tx.arena, name + 1, n - 2);
    if (strcmp(name, "thumbsup") == 0)
        return "+1";
    return strcmp(name, "thumbsdown") == 0 ? "-1" : name;
}

static int check_limits(struct call *c, const struct chat_message *m, const char *name)
{
    int64_t n = 0;
    if (!m->reactions)
        return 0;
    if (chat_reaction_names(&c->tx, m->id, name, &n) < 0)
        return -1;
    if (n >= MAX_EMOJI)
        return slack_fail(c, "too_many_emoji");
    if (chat_reactions_by(&c->tx, m->id, sl_me(c)->user.id, &n) < 0)
        return -1;
    return n >= MAX_REACTIONS ? slack_fail(c, "too_many_reactions") : 0;
}

static int reactions_add(struct call *c)
{
    struct chat_channel ch;
    struct chat_message m;
    const char *name = reaction_name(c);
    if (item(c, &ch, &m) < 0)
        return -1;
    int r = sl_emoji_is_name(name) ? sl_emoji_here(c, name) : 0;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invalid_name");
    if (ch.archived)
        return slack_fail(c, "is_archived");
    r = sl_me(c)->is_bot ? sl_is_member(c, &ch) : 1; /* people react to what they look at */
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "not_in_channel");
    if (m.flags & CHAT_TOMBSTONE)
        return slack_fail(c, "message_not_found");
    if (m.flags & CHAT_LOCKED)
        return slack_fail(c, "thread_locked");
    if (check_limits(c, &m, name) < 0)
        return -1;
    r = chat_react(&c->tx, &m, name, &sl_me(c)->user, c->tx.now_us / US_PER_SECOND);
    return r == 1 ? slack_ok(c) : r < 0 ? -1 : slack_fail(c, "already_reacted");
}

static int reactions_remove(struct call *c)
{
    struct chat_channel ch;
    struct chat_message m;
    struct chat_file f;
    const char *name = reaction_name(c);
    int of_file = file_item(c, &f);
    if (of_file < 0 || (!of_file && item(c, &ch, &m) < 0))
        return -1;
    if (!sl_emoji_is_name(name))
        return slack_fail(c, "invalid_name");
    if (!of_file && m.flags & CHAT_LOCKED)
        return slack_fail(c, "thread_locked");
    int r = of_file ? chat_file_unreact(&c->tx, f.id, name, &sl_me(c)->user)
                    : chat_unreact(&c->tx, &m, name, &sl_me(c)->user);
    return r == 1 ? slack_ok(c) : r < 0 ? -1 : slack_fail(c, "no_reaction");
}

static int reactions_get(struct call *c)
{
    struct chat_channel ch;
    struct chat_message m;
    struct chat_file f;
    int of_file = file_item(c, &f);
    if (of_file < 0 || (!of_file && item(c, &ch, &m) < 0))
        return -1;
    slack_open(c);
    if (of_file) {
        json_str(c->out, "type", "file");
        if (sl_write_file(c, "file", &f, SL_FILE_WHOLE) < 0)
            return -1;
        slack_close(c);
        return 0;
    }
    json_str(c->out, "type", "message");
    if (sl_write_message(c, "message", &m, SL_PERMALINK) < 0)
        return -1;
    json_str(c->out, "channel", ch.key);
    slack_close(c);
    return 0;
}

/* What a list of messages shows of one; those that the caller may not see are left out. */
static int write_marked(struct call *c, int64_t message, int64_t date)
{
    struct chat_message m;
    struct chat_channel ch;
    int r = chat_message_get(&c->tx, message, &m);
    if (r == 1)
        r = chat_channel_get(&c->tx, chat_message_channel(message), &ch);
    if (r == 1)
        r = chat_can_see(&c->tx, &ch, &sl_me(c)->user);
    if (r != 1)
        return r;
    json_obj(c->out, NULL);
    json_str(c->out, "type", "message");
    json_str(c->out, "channel", ch.key);
    if (sl_write_message(c, "message", &m, SL_PERMALINK) < 0)
        return -1;
    if (date)
        json_int(c->out, "date_create", date);
    json_end(c->out);
    return 0;
}

/* The same of files; date 0: none is said. */
static int write_marked_file(struct call *c, int64_t file, int64_t date)
{
    struct chat_file f;
    int r = chat_file_get(&c->tx, file, &f);
    if (r == 1)
        r = f.state == CHAT_FILE_THERE ? chat_can_see_file(&c->tx, &f, &sl_me(c)->user) : 0;
    if (r != 1)
        return r;
    json_obj(c->out, NULL);
    json_str(c->out, "type", "file");
    if (sl_write_file(c, "file", &f, SL_FILE_WHOLE) < 0)
        return -1;
    if (date)
        json_int(c->out, "date_create", date);
    json_end(c->out);
    return 0;
}

/* May the caller see it? 1, 0, -1. seen: of channels that were asked about, by number. */
static int sees_marked(struct call *c, struct map *seen, int64_t message, int64_t file)
{
    static char yes, no;
    struct chat_channel ch;
    struct chat_file f;
    char key[24];
    if (!message) {
        int r = chat_file_get(&c->tx, file, &f);
        return r != 1                       ? r
               : f.state == CHAT_FILE_THERE ? chat_can_see_file(&c->tx, &f, &sl_me(c)->user)
                                            : 0;
    }
    snprintf(key, sizeof key, "%" PRId64, chat_message_channel(message));
    const char *known = map_get(seen, key);
    if (known)
        return known == &yes;
    int r = chat_channel_get(&c->tx, chat_message_channel(message), &ch);
    if (r == 1)
        r = chat_can_see(&c->tx, &ch, &sl_me(c)->user);
    if (r >= 0 && map_set(seen, key, r ? &yes : &no) < 0)
        return sosia_fail_memory(c->tx.err);
    return r;
}

/* What somebody has reacted to, the last first, and how much of it there is: what the caller may
 * not see is not there. */
static int write_reacted(struct call *c, int64_t user, const struct sl_page *p, struct map *seen,
                         int64_t *ret_n)
{
    sqlite3_stmt *st = chat_reacted_to(&c->tx, user);
    int64_t n = 0, from = (p->page - 1) * p->count, message, file;
    int r;
    while ((r = TX_TAKE_NEXT(&c->tx, st, &message, &file)) == 1) {
        int sees = sees_marked(c, seen, message, file), rc = sees;
        if (sees == 1 && n >= from && n - from < p->count)
            rc = message ? write_marked(c, message, 0) : write_marked_file(c, file, 0);
        if (rc < 0) {
            sql_done(st);
            return -1;
        }
        n += sees;
    }
    *ret_n = n;
    return r;
}

static int reactions_list(struct call *c)
{
    struct chat_user u = sl_me(c)->user;
    const char *key = param_str(c, "user");
    struct sl_page page;
    int64_t n = 0;
    int r = key && *key ? sl_user_find(c, key, &u) : 1;
    if (r == 1)
        r = sl_sees(c, &u);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "user_not_found");
    struct map seen;
    if (sl_page_arg(c, &page) < 0)
        return -1;
    slack_open(c);
    json_arr(c->out, "items");
    map_init(&seen);
    r = write_reacted(c, u.id, &page, &seen, &n);
    map_done(&seen);
    if (r < 0)
        return -1;
    json_end(c->out);
    if (param_given(c, "count") || param_given(c, "page")) {
        sl_write_paging(c, &page, n);
    } else {
        page.by_cursor = true;
        sl_next_page(c, &page, n);
    }
    slack_close(c);
    return 0;
}

/* ---- pins ---- */

static int pins_add(struct call *c)
{
    struct chat_channel ch;
    struct chat_message m;
    if (item(c, &ch, &m) < 0)
        return -1;
    int r = sl_is_member(c, &ch);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "not_in_channel");
    if (m.flags & CHAT_TOMBSTONE)
        return slack_fail(c, "not_pinnable");
    if (m.pinned_by)
        return slack_fail(c, "already_pinned");
    if (ch.pins >= MAX_PINS)
        return slack_fail(c, "too_many_pins");
    return chat_pin(&c->tx, &ch, &m, sl_me(c)->user.id, c->tx.now_us / US_PER_SECOND) < 0
               ? -1
               : slack_ok(c);
}

static int pins_remove(struct call *c)
{
    struct chat_channel ch;
    struct chat_message m;
    if (item(c, &ch, &m) < 0)
        return -1;
    if (!m.pinned_by)
        return slack_fail(c, "no_pin");
    return chat_unpin(&c->tx, &ch, &m, sl_me(c)->user.id) < 0 ? -1 : slack_ok(c);
}

static int pins_list(struct call *c)
{
    struct chat_pinned *pins;
    struct chat_channel ch;
    struct chat_message m;
    size_t n;
    if (sl_channel_arg(c, "channel", false, &ch) < 0 || chat_pins(&c->tx, ch.id, &pins, &n) < 0)
        return -1;
    slack_open(c);
    json_arr(c->out, "items");
    for (size_t i = 0; i < n; i++) {
        int r = chat_message_get(&c->tx, pins[i].message, &m);
        if (r < 0)
            return -1;
        if (!r)
            continue;
        json_obj(c->out, NULL);
        json_str(c->out, "type", "message");
        json_str(c->out, "channel", ch.key);
        json_int(c->out, "created", pins[i].at_s);
        json_str(c->out, "created_by", sl_user_key(c, pins[i].user));
        if (sl_write_message(c, "message", &m, SL_PERMALINK) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    slack_close(c);
    return 0;
}

/* ---- stars ---- */

/* What somebody stars: one of the three, the ids of the others are 0. */
struct starred {
    struct chat_channel channel; /* that of the message, too */
    struct chat_message message;
    struct chat_file file;
};

static int starred_arg(struct call *c, struct starred *ret)
{
    const char *channel = param_str(c, "channel"), *ts = param_str(c, "timestamp");
    *ret = (struct starred){0};
    int of_file = file_item(c, &ret->file);
    if (of_file)
        return of_file < 0 ? -1 : 0;
    if (!channel || !*channel)
        return slack_fail(c, "no_item_specified");
    if (!ts || !*ts)
        return sl_channel_arg(c, "channel", false, &ret->channel);
    return item(c, &ret->channel, &ret->message);
}

static void note_star(struct call *c, enum event_operation operation, const struct starred *s)
{
    chat_notify(
        &c->tx, CHAT_EV_STAR, operation, s->channel.id, s->message.id, NULL,
        &(struct chat_change){.user = sl_me(c)->user.id, .name = s->file.id ? s->file.key : NULL});
}

static int stars_add(struct call *c)
{
    static struct sql_text q = SQL_TEXT(
        "insert or ignore into slack_star (user, channel, message, file, at_s) values (:user, "
        ":channel, :message, :file, :at)");
    struct starred s;
    if (starred_arg(c, &s) < 0 ||
        TX_RUN(&c->tx, &q, sl_me(c)->user.id, sql_int_or_null(s.message.id ? 0 : s.channel.id, 0),
               sql_int_or_null(s.message.id, 0), sql_int_or_null(s.file.id, 0),
               c->tx.now_us / US_PER_SECOND) < 0)
        return -1;
    if (!sqlite3_changes(slot_db(c->tx.db)))
        return slack_fail(c, "already_starred");
    note_star(c, OP_ADDED, &s);
    return slack_ok(c);
}

static int stars_remove(struct call *c)
{
    static struct sql_text q = SQL_TEXT(
        "delete from slack_star where user = :user and coalesce(message, 0) = :message and "
        "coalesce(file, 0) = :file and coalesce(channel, 0) = :channel");
    struct starred s;
    if (starred_arg(c, &s) < 0 || TX_RUN(&c->tx, &q, sl_me(c)->user.id, s.message.id, s.file.id,
                                         s.message.id ? 0 : s.channel.id) < 0)
        return -1;
    if (!sqlite3_changes(slot_db(c->tx.db)))
        return slack_fail(c, "not_starred");
    note_star(c, OP_REMOVED, &s);
    return slack_ok(c);
}

static int stars_list(struct call *c)
{
    static struct sql_text total = SQL_TEXT("select count(*) from slack_star where user = :user");
    static struct sql_text page_of = SQL_TEXT(
        "select message, at_s, channel, file from slack_star where user = :user order by id desc "
        "limit :n offset :from");
    int64_t n = 0, me = sl_me(c)->user.id;
    struct chat_channel ch;
    struct sl_page page;
    if (sl_page_arg(c, &page) < 0 || TX_INT(&c->tx, &total, &n, me) < 0)
        return -1;
    sqlite3_stmt *st = TX_QUERY(&c->tx, &page_of, me, page.count, (page.page - 1) * page.count);
    int64_t message, at, channel, file;
    int r;
    slack_open(c);
    json_arr(c->out, "items");
    while ((r = TX_TAKE_NEXT(&c->tx, st, &message, &at, &channel, &file)) == 1) {
        int rc = message ? write_marked(c, message, at)
                 : file  ? write_marked_file(c, file, at)
                         : chat_channel_get(&c->tx, channel, &ch);
        if (!message && !file && rc == 1) {
            json_obj(c->out, NULL);
            json_str(c->out, "type", ch.kind == CHAT_DIRECT ? "im" : "channel");
            json_str(c->out, "channel", ch.key);
            json_int(c->out, "date_create", at);
            json_end(c->out);
        }
        if (rc < 0) {
            sql_done(st);
            return -1;
        }
    }
    json_end(c->out);
    json_obj(c->out, "paging");
    json_int(c->out, "per_page", page.count);
    json_int(c->out, "spill", 0);
    json_int(c->out, "page", page.page);
    json_int(c->out, "total", n);
    json_int(c->out, "pages", (n + page.count - 1) / page.count);
    json_end(c->out);
    sl_next_page(c, &page, n);
    slack_close(c);
    return r;
}

/* ---- rows ---- */

static const struct param reaction_add_params[] = {
    SL_NEEDED("channel"), SL_NEEDED("name", .summary = "Name of the emoji, without colons"),
    SL_NEEDED("timestamp")};
static const struct param reaction_remove_params[] = {
    SL_NEEDED("name", .summary = "Name of the emoji, without colons"), SL_ARG("channel"),
    SL_ARG("timestamp"), SL_ARG("file"), SL_ARG("file_comment")};
static const struct param reaction_get_params[] = {SL_ARG("channel"), SL_ARG("timestamp"),
                                                   SL_ARG("file"), SL_ARG("file_comment"),
                                                   SL_ARG("full", SL_FLAG)};
static const struct param reaction_list_params[] = {
    SL_ARG("user"),
    SL_ARG("count", SL_WHOLE(1, 1000), .def = "100"),
    SL_ARG("page", SL_WHOLE(1, SL_LAST_PAGE), .def = "1"),
    SL_ARG("cursor"),
    SL_ARG("limit", SL_WHOLE(0, 1000), .def = "100"),
    SL_ARG("full", SL_FLAG),
    SL_ARG("team_id")};
static const struct param pin_params[] = {SL_NEEDED("channel"), SL_ARG("timestamp")};
static const struct param pin_list_params[] = {SL_NEEDED("channel")};
static const struct param star_params[] = {SL_ARG("channel"), SL_ARG("timestamp"), SL_ARG("file"),
                                           SL_ARG("file_comment")};
static const struct param star_list_params[] = {
    SL_ARG("count", SL_WHOLE(1, 1000), .def = "100"),
    SL_ARG("page", SL_WHOLE(1, SL_LAST_PAGE), .def = "1"), SL_ARG("cursor"),
    SL_ARG("limit", SL_WHOLE(0, 1000), .def = "100"), SL_ARG("team_id")};

static const struct route methods[] = {
    {SL_METHOD("pins.add"), SL_PEOPLE, .handler = pins_add, .risk = RISK_WRITE, .idempotent = true,
     .scopes = "pins:write", PARAMS(pin_params), .rate = SLACK_TIER_2,
     .summary = "Pin a message to its channel"},
    {SL_METHOD("pins.list"), SL_PEOPLE, .handler = pins_list, .risk = RISK_READ,
     .accepts = slack_form_only, .scopes = "pins:read", PARAMS(pin_list_params),
     .rate = SLACK_TIER_2, .summary = "What is pinned to a channel"},
    {SL_METHOD("pins.remove"), SL_PEOPLE, .handler = pins_remove, .risk = RISK_WRITE,
     .idempotent = true, .scopes = "pins:write", PARAMS(pin_params), .rate = SLACK_TIER_2,
     .summary = "Take a pin away"},
    {SL_METHOD("reactions.add"), SL_PEOPLE, .handler = reactions_add, .risk = RISK_WRITE,
     .idempotent = true, .scopes = "reactions:write", PARAMS(reaction_add_params),
     .rate = SLACK_TIER_3, .summary = "React to a message"},
    {SL_METHOD("reactions.get"), SL_PEOPLE, .handler = reactions_get, .risk = RISK_READ,
     .accepts = slack_form_only, .scopes = "reactions:read", PARAMS(reaction_get_params),
     .rate = SLACK_TIER_3, .summary = "Reactions to a message"},
    {SL_METHOD("reactions.list"), SL_PEOPLE, .handler = reactions_list, .risk = RISK_READ,
     .accepts = slack_form_only, .scopes = "reactions:read", PARAMS(reaction_list_params),
     .rate = SLACK_TIER_2, .summary = "What somebody has reacted to"},
    {SL_METHOD("reactions.remove"), SL_PEOPLE, .handler = reactions_remove, .risk = RISK_WRITE,
     .idempotent = true, .scopes = "reactions:write", PARAMS(reaction_remove_params),
     .rate = SLACK_TIER_2, .summary = "Take a reaction back"},
    {SL_METHOD("stars.add"), .token_kinds = TOKEN_USER, .handler = stars_add, .risk = RISK_WRITE,
     .idempotent = true, .scopes = "stars:write", PARAMS(star_params), .rate = SLACK_TIER_2,
     .summary = "Save something"},
    {SL_METHOD("stars.list"), .token_kinds = TOKEN_USER, .handler = stars_list, .risk = RISK_READ,
     .accepts = slack_form_only, .scopes = "stars:read", PARAMS(star_list_params),
     .rate = SLACK_TIER_3, .summary = "What one has saved"},
    {SL_METHOD("stars.remove"), .token_kinds = TOKEN_USER, .handler = stars_remove,
     .risk = RISK_WRITE, .idempotent = true, .scopes = "stars:write", PARAMS(star_params),
     .rate = SLACK_TIER_2, .summary = "Don't keep it saved"},
};

const struct rows sl_marks = ROWS(methods);
