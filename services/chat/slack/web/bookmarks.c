/* SPDX-License-Identifier: Apache-2.0 */
/* Bookmarks of channels. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/chat/slack/sl.h"
#include "services/chat/slack/team/rows.h"
#include <stdio.h>
#include <strings.h>

/* ---- bookmarks ---- */

#define MAX_BOOKMARKS 100
#define MAX_TITLE     256

/* The favicon of the link's host. */
static const char *icon_of(struct call *c, const char *link)
{
    const char *host = link ? strstr(link, "://") : NULL;
    if (!host)
        return NULL;
    host += 3;
    return arena_printf(c->tx.arena, "%.*s/favicon.ico",
                        (int)(host - link + (long)strcspn(host, "/?#")), link);
}

static int write_bookmark(struct call *c, const char *key, const struct chat_channel *ch,
                          const struct bookmark *b)
{
    struct json_writer *w = c->out;
    struct chat_app app;
    int r = b->app ? chat_app_of(&c->tx, b->app, &app) : 0;
    if (r < 0)
        return -1;
    json_obj(w, key);
    json_str(w, "id", b->key);
    json_str(w, "channel_id", ch->key);
    json_str(w, "title", b->title);
    json_str(w, "link", b->link ? b->link : "");
    json_str(w, "emoji", b->emoji ? b->emoji : "");
    json_str(w, "icon_url", icon_of(c, b->link));
    json_str(w, "type", b->type);
    json_str(w, "entity_id", b->entity);
    json_int(w, "date_created", b->created_s);
    json_int(w, "date_updated", b->updated_s);
    json_str(w, "rank", b->rank);
    json_str(w, "last_updated_by_user_id", sl_user_key(c, b->updated_by));
    json_str(w, "last_updated_by_team_id", sl_me(c)->workspace.key);
    json_null(w, "shortcut_id");
    json_str(w, "app_id", r ? app.key : NULL);
    json_end(w);
    return 0;
}

static int bookmark_channel(struct call *c, struct chat_channel *ch)
{
    if (sl_channel_arg(c, "channel_id", false, ch) < 0)
        return -1;
    int r = sl_is_member(c, ch);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "permission_denied");
}

static bool good_link(const char *link)
{
    return strlen(link) <= 2048 &&
           (strncmp(link, "http://", 7) == 0 || strncmp(link, "https://", 8) == 0);
}

static int answer_bookmark(struct call *c, const struct chat_channel *ch, const struct bookmark *b)
{
    slack_open(c);
    if (write_bookmark(c, "bookmark", ch, b) < 0)
        return -1;
    slack_close(c);
    return 0;
}

/* Behind the last one: "aa", "ab" and on to "zz", then with another letter. */
static int next_rank(struct call *c, int64_t channel, const char **ret)
{
    static struct sql_text q = SQL_TEXT("select rank from slack_bookmark where channel = :channel "
                                        "order by rank desc limit 1");
    sqlite3_stmt *st;
    int r = TX_ROW(&c->tx, &q, &st, channel);
    *ret = "aa";
    if (r != 1)
        return r;
    char *rank = arena_printf(c->tx.arena, "%s", (const char *)sqlite3_column_text(st, 0));
    size_t n = strlen(rank);
    sql_done(st);
    while (n && (unsigned char)rank[n - 1] >= 'z')
        n--;
    *ret = n ? rank : arena_printf(c->tx.arena, "%sa", rank);
    if (n) {
        rank[n - 1] = rank[n - 1] < 'a' ? 'a' : (char)(rank[n - 1] + 1);
        for (; rank[n]; n++)
            rank[n] = 'a';
    }
    return 0;
}

static int check_title(struct call *c, const char *title)
{
    return title && sl_characters(title) > MAX_TITLE
               ? slack_invalid_arguments(c, "/title", "must be less than %d characters",
                                         MAX_TITLE + 1)
               : 0;
}

/* ":clap:", or the name alone. */
static bool good_emoji(const char *text)
{
    size_t len = text ? strlen(text) : 0;
    if (!len)
        return true;
    if (*text == ':' && len > 2 && text[len - 1] == ':') {
        text++;
        len -= 2;
    }
    return len <= 100 && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_+-'") >= len;
}

static int bookmarks_add(struct call *c)
{
    static struct sql_text many =
        SQL_TEXT("select count(*) from slack_bookmark where channel = :channel");
    const char *link = param_str(c, "link"), *made;
    struct chat_channel ch;
    struct bookmark b = {.title = param_str(c, "title"),
                         .type = param_str(c, "type"),
                         .emoji = param_str(c, "emoji"),
                         .created_s = c->tx.now_us / US_PER_SECOND,
                         .updated_by = sl_me(c)->user.id,
                         .app = sl_me(c)->is_bot ? sl_me(c)->app : 0};
    int64_t n = 0;
    if (check_title(c, b.title) < 0 || bookmark_channel(c, &ch) < 0)
        return -1;
    if (strcmp(b.type, "link") != 0)
        return slack_fail(c, "invalid_bookmark_type");
    if (!link || !good_link(link))
        return slack_fail(c, "invalid_link");
    if (!good_emoji(b.emoji))
        return slack_fail(c, "invalid_emoji");
    if (TX_INT(&c->tx, &many, &n, ch.id) < 0)
        return -1;
    if (n >= MAX_BOOKMARKS)
        return slack_fail(c, "too_many_bookmarks");
    if (next_rank(c, ch.id, &b.rank) < 0 || !(made = chat_key(&c->tx, 'B')))
        return -1;
    b.key = arena_printf(c->tx.arena, "Bk%s", made + 1);
    b.link = link;
    b.channel = ch.id;
    if (stored_new(&c->tx, &slack_bookmark_stored, &b) < 0)
        return -1;
    chat_notify(&c->tx, CHAT_EV_BOOKMARK, OP_ADDED, ch.id, b.id, NULL, NULL);
    return answer_bookmark(c, &ch, &b);
}

static int bookmark_arg(struct call *c, const struct chat_channel *ch, struct bookmark *b)
{
    static struct sql_text q = SQL_TEXT("where key = :key and channel = :channel");
    const char *key = param_str(c, "bookmark_id");
    int r = key ? STORED_ONE(&c->tx, &slack_bookmark_stored, &q, b, key, ch->id) : 0;
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "not_found");
}

static int bookmarks_edit(struct call *c)
{
    const char *title = param_str(c, "title"), *link = param_str(c, "link");
    const char *emoji = param_str(c, "emoji");
    struct chat_channel ch;
    struct bookmark b;
    if (check_title(c, title) < 0 || bookmark_channel(c, &ch) < 0 || bookmark_arg(c, &ch, &b) < 0)
        return -1;
    if (link && *link && !good_link(link))
        return slack_fail(c, "invalid_link");
    if (!good_emoji(emoji))
        return slack_fail(c, "invalid_emoji");
    b.title = title && *title ? title : b.title;
    b.link = link && *link ? link : b.link;
    b.emoji = emoji ? emoji : b.emoji;
    b.updated_s = c->tx.now_us / US_PER_SECOND;
    b.updated_by = sl_me(c)->user.id;
    if (stored_save(&c->tx, &slack_bookmark_stored, b.id, &b) < 0)
        return -1;
    chat_notify(&c->tx, CHAT_EV_BOOKMARK, OP_CHANGED, ch.id, b.id, NULL, NULL);
    return answer_bookmark(c, &ch, &b);
}

static int bookmarks_remove(struct call *c)
{
    static struct sql_text q = SQL_TEXT("delete from slack_bookmark where id = :id");
    struct chat_channel ch;
    struct bookmark b;
    if (bookmark_channel(c, &ch) < 0 || bookmark_arg(c, &ch, &b) < 0 ||
        TX_RUN(&c->tx, &q, b.id) < 0)
        return -1;
    chat_notify(&c->tx, CHAT_EV_BOOKMARK, OP_REMOVED, ch.id, b.id, NULL, NULL);
    return slack_ok(c);
}

static int bookmarks_list(struct call *c)
{
    static struct sql_text q = SQL_TEXT("where channel = :channel order by rank, id");
    struct chat_channel ch;
    struct bookmark b;
    if (sl_channel_arg(c, "channel_id", false, &ch) < 0)
        return -1;
    int r = sl_me(c)->is_bot ? sl_is_member(c, &ch) : 1; /* people look into public ones */
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "not_in_channel");
    sqlite3_stmt *st = STORED_QUERY(&c->tx, &slack_bookmark_stored, &q, ch.id);
    slack_open(c);
    json_arr(c->out, "bookmarks");
    while ((r = stored_next(&c->tx, &slack_bookmark_stored, st, &b)) == 1) {
        if (write_bookmark(c, NULL, &ch, &b) < 0) {
            sql_done(st);
            return -1;
        }
    }
    json_end(c->out);
    slack_close(c);
    return r;
}

/* ---- rows ---- */

static const struct param bookmark_add_params[] = {
    SL_NEEDED("channel_id"),
    SL_NEEDED("title", .summary = "Title of the bookmark"),
    SL_NEEDED("type", SL_WORDS("link"), .fault = "invalid_bookmark_type",
              .summary = "Kind of the bookmark"),
    SL_ARG("link"),
    SL_ARG("emoji"),
    SL_ARG("entity_id"),
    SL_ARG("access_level"),
    SL_ARG("parent_id")};
static const struct param bookmark_edit_params[] = {
    SL_NEEDED("channel_id"), SL_NEEDED("bookmark_id"),
    SL_ARG("title", .summary = "Title of the bookmark"), SL_ARG("link"), SL_ARG("emoji")};
static const struct param bookmark_params[] = {SL_NEEDED("channel_id"), SL_ARG("bookmark_id"),
                                               SL_ARG("quip_section_id")};
#define BOOKMARKS SL_PEOPLE, .risk = RISK_WRITE, .scopes = "bookmarks:write", .rate = SLACK_TIER_2
static const struct route methods[] = {
    {SL_METHOD("bookmarks.add"), BOOKMARKS, .handler = bookmarks_add, PARAMS(bookmark_add_params),
     .summary = "Add a link to a channel"},
    {SL_METHOD("bookmarks.edit"), BOOKMARKS, .handler = bookmarks_edit,
     PARAMS(bookmark_edit_params), .idempotent = true, .summary = "Change a channel's link"},
    {SL_METHOD("bookmarks.list"), SL_PEOPLE, .handler = bookmarks_list, .risk = RISK_READ,
     .scopes = "bookmarks:read", PARAMS(bookmark_params), .rate = SLACK_TIER_3,
     .summary = "Links of a channel"},
    {SL_METHOD("bookmarks.remove"), BOOKMARKS, .handler = bookmarks_remove, PARAMS(bookmark_params),
     .idempotent = true, .summary = "Take a channel's link away"},
};

const struct rows sl_bookmarks = ROWS(methods);
