/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of a community server for Slack, whose answers are lines with commas. Source of names,
 * arguments and columns: its published code. */
#include "engine/text/civil.h"
#include "mcp/sets/community/community.h"
#include "mcp/sets/community/slack.h"
#include "engine/base/codec.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* Where the responses are that several rows have. */
enum { PEOPLE, NAMED, ANSWER };

/* ---- lines ---- */

/* A value as RFC 4180 has it, quoted where it must be. */
static void add_value(struct buf *b, bool first, const char *text)
{
    if (!first)
        buf_byte(b, ',');
    if (*text != ' ' && *text != '\t' && !text[strcspn(text, ",\"\r\n")]) {
        buf_puts(b, text);
        return;
    }
    buf_byte(b, '"');
    for (; *text; text++) {
        if (*text == '"')
            buf_byte(b, '"');
        buf_byte(b, *text);
    }
    buf_byte(b, '"');
}

void lines_add(struct buf *b, const char *const *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add_value(b, i == 0, values[i] ? values[i] : "");
    buf_byte(b, '\n');
}

/* ---- people and conversations ---- */

const struct json *lines_item(const struct json *list, const char *member, const char *value)
{
    for (uint32_t i = 0; list && value && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *text = json_get_str(&list->items[i], member);
        if (text && strcmp(text, value) == 0)
            return &list->items[i];
    }
    return NULL;
}

static const struct json *people(const struct set_run *r)
{
    return json_get(r->responses[PEOPLE], "members");
}

const char *lines_name(struct set_run *r, const struct json *c)
{
    const char *user = json_get_str(c, "user"), *name = json_get_str(c, "name");
    if (user) {
        const char *known = json_get_str(lines_item(people(r), "id", user), "name");
        return arena_printf(r->arena, "@%s", known ? known : user);
    }
    return arena_printf(r->arena, "#%s", name ? name : "");
}

static bool is_name(const char *text)
{
    return *text == '#' || *text == '@';
}

const struct json *lines_named(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    return v && v->type == JSON_STRING && is_name(v->str) ? v : NULL;
}

const struct json *lines_id(struct set_run *r, const struct json *v, const char *arg,
                            const struct json *item)
{
    const struct json *all = json_get(r->responses[NAMED], "channels");
    if (!v || v->type != JSON_STRING || !is_name(v->str))
        return v;
    for (uint32_t i = 0; all && i < all->n; i++)
        if (strcmp(lines_name(r, &all->items[i]), v->str) == 0)
            return json_get(&all->items[i], "id");
    set_refuse(r, "channel \"%s\" not found", v->str);
    return NULL;
}

/* ---- how many ---- */

/* "30d", "2w", "1m": how many of what; 0: it is not a span. -1: refused. */
static int read_span(struct set_run *r, const char *text, char *ret_unit)
{
    size_t n = strlen(text);
    int64_t count;
    if (!n || !strchr("dwm", text[n - 1]))
        return 0;
    *ret_unit = text[n - 1];
    if (parse_i64(text, n - 1, &count) == 0 && count > 0 && count <= 36500)
        return (int)count;
    set_refuse(r, "limit must be a positive whole number with d, w or m, not \"%s\"", text);
    return -1;
}

/* Of a limit: how many messages. */
static const struct json *how_many(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item)
{
    const char *cursor = json_get_str(r->args, "cursor");
    char unit;
    int64_t n;
    int span = v ? read_span(r, v->str, &unit) : 0;
    if (span)
        return span > 0 ? value_int(r->arena, 100) : NULL;
    if (cursor && *cursor)
        return NULL;
    if (!v || !*v->str)
        return value_int(r->arena, 50);
    if (parse_i64(v->str, v->n, &n) == 0 && n == 0)
        return NULL; /* as many as the service gives */
    if (parse_i64(v->str, v->n, &n) == 0 && n > 0)
        return value_int(r->arena, n < 999 ? n : 999);
    set_refuse(r, "limit must be a number of messages or a span as 1d, not \"%s\"", v->str);
    return NULL;
}

/* Of a limit: the ts since when; nothing where it is a number. Days begin at midnight in UTC. */
static const struct json *since(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    char unit = 0;
    int n = v ? read_span(r, v->str, &unit) : 0;
    int64_t days = r->m->c->tx.now_us / US_PER_DAY;
    if (n <= 0)
        return NULL;
    if (unit == 'm') {
        int year, month, day;
        civil_from_days(days, &year, &month, &day);
        int months = year * 12 + month - 1 - n;
        days = months < 12 ? 0 : days_from_civil(months / 12, months % 12 + 1, day);
    } else {
        days -= (int64_t)n * (unit == 'w' ? 7 : 1) - 1;
    }
    int64_t seconds = days > 0 ? days * SECONDS_PER_DAY : 0;
    return value_text(r->arena, arena_printf(r->arena, "%lld.000000", (long long)seconds));
}

/* ---- messages ---- */

bool lines_shows(const struct set_run *r, const struct json *m)
{
    const char *kind = json_get_str(m, "subtype");
    return !kind || strcmp(kind, "bot_message") == 0 || strcmp(kind, "thread_broadcast") == 0 ||
           (json_get_true(r->args, "include_activity_messages"));
}

/* "wave:2|eyes:1" of a message's reactions. */
static const char *marks_of(struct set_run *r, const struct json *m)
{
    const struct json *list = json_get(m, "reactions");
    struct buf b;
    buf_init(&b, 1 << 20);
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        buf_printf(&b, "%s%s:%s", i ? "|" : "",
                   value_words(r->arena, json_get(&list->items[i], "name")),
                   value_words(r->arena, json_get(&list->items[i], "count")));
    return buf_keep(&b, r->arena);
}

/* "F0PLAN (plan.txt), F0DOT (dot.png)" */
static const char *files_of(struct set_run *r, const struct json *files)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    for (uint32_t i = 0; files && i < files->n; i++) {
        const char *name = json_get_str(&files->items[i], "name");
        bool named = name && *name;
        buf_printf(&b, "%s%s%s%s%s", i ? ", " : "",
                   value_words(r->arena, json_get(&files->items[i], "id")), named ? " (" : "",
                   named ? name : "", named ? ")" : "");
    }
    return buf_keep(&b, r->arena);
}

bool lines_image(const struct json *m)
{
    const struct json *blocks = json_get(m, "blocks");
    for (uint32_t i = 0; blocks && blocks->type == JSON_ARRAY && i < blocks->n; i++) {
        const char *type = json_get_str(&blocks->items[i], "type");
        if (type && strcmp(type, "image") == 0)
            return true;
    }
    return false;
}

const char *lines_time(struct set_run *r, int64_t seconds)
{
    struct civil c;
    civil_from_seconds(seconds, &c);
    return arena_printf(r->arena, "%04d-%02d-%02dT%02d:%02d:%02dZ", c.year, c.month, c.day, c.hour,
                        c.minute, c.second);
}

void lines_message(struct set_run *r, struct buf *b, const struct json *m, const char *channel,
                   const char *cursor)
{
    int64_t seconds;
    const char *user = json_get_str(m, "user"), *ts = json_get_str(m, "ts");
    const char *as = json_get_str(m, "username");
    const struct json *who = lines_item(people(r), "id", user), *files = json_get(m, "files");
    const char *name = who ? json_get_str(who, "name") : as ? as : user;
    const char *real = who ? json_get_str(who, "real_name") : as ? as : user;
    if (files && files->type != JSON_ARRAY)
        files = NULL;
    const char *values[] = {
        ts,
        user,
        name,
        real,
        channel,
        json_get_str(m, "thread_ts"),
        json_get_str(m, "text"),
        ts && parse_i64(ts, strcspn(ts, "."), &seconds) == 0 ? lines_time(r, seconds) : "",
        json_get_str(m, "permalink"),
        marks_of(r, m),
        json_get_str(json_get(m, "bot_profile"), "name"),
        arena_printf(r->arena, "%u", files ? files->n : 0),
        files_of(r, files),
        (files && files->n) || lines_image(m) ? "true" : "false",
        cursor};
    lines_add(b, values, SOSIA_LEN(values));
}

/* Lines of a list of messages; the last one has the cursor of the next page. */
static const struct json *messages(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item)
{
    const struct json *channel = lines_id(r, json_get(r->args, "channel_id"), NULL, NULL);
    const struct json *next = json_get(r->responses[ANSWER], "response_metadata");
    const char *cursor = json_get_str(next, "next_cursor");
    uint32_t last = 0;
    struct buf b;
    buf_init(&b, 64 << 20);
    buf_puts(&b, LINES_MESSAGES);
    for (uint32_t i = 0; v && i < v->n; i++)
        if (lines_shows(r, &v->items[i]))
            last = i;
    for (uint32_t i = 0; v && i < v->n; i++)
        if (lines_shows(r, &v->items[i]))
            lines_message(r, &b, &v->items[i], channel ? channel->str : "",
                          i == last ? cursor : "");
    return set_text(r, &b);
}

/* ---- lists ---- */

static int by_members(const void *a, const void *b)
{
    const struct json *const *x = a, *const *y = b;
    int64_t n = 0, m = 0;
    const struct json *of_x = json_get(*x, "num_members"), *of_y = json_get(*y, "num_members");
    if (of_x)
        json_i64(of_x, &n);
    if (of_y)
        json_i64(of_y, &m);
    return n != m ? (n < m ? 1 : -1) : *x < *y ? -1 : 1; /* else as they came */
}

static bool has_text(const struct json *v, const char *member, const char *part)
{
    const char *text = json_get_str(v, member);
    return text && strcasestr(text, part);
}

/* Is the query in what it is about ("name,topic,purpose"; the name if that names nothing)? */
static bool is_asked_for(const struct set_run *r, const struct json *channel)
{
    const char *query = json_get_str(r->args, "query");
    const char *in = json_get_str(r->args, "query_targets");
    bool topic = in && strstr(in, "topic"), purpose = in && strstr(in, "purpose");
    bool name = (in && strstr(in, "name")) || (!topic && !purpose);
    return !query || !*query || (name && has_text(channel, "name", query)) ||
           (topic && has_text(json_get(channel, "topic"), "value", query)) ||
           (purpose && has_text(json_get(channel, "purpose"), "value", query));
}

static void add_channel(struct set_run *r, struct buf *b, const struct json *c, const char *cursor)
{
    const struct json *members = json_get(c, "num_members");
    const char *user = json_get_str(c, "user"), *real;
    const char *purpose = json_get_str(json_get(c, "purpose"), "value");
    if (user) {
        real = json_get_str(lines_item(people(r), "id", user), "real_name");
        purpose = arena_printf(r->arena, "DM with %s", real ? real : user);
    }
    const char *values[] = {json_get_str(c, "id"),
                            lines_name(r, c),
                            json_get_str(json_get(c, "topic"), "value"),
                            purpose,
                            user      ? "2"
                            : members ? members->str
                                      : "0",
                            cursor};
    lines_add(b, values, SOSIA_LEN(values));
}

static const struct json *channels(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item)
{
    const char *sort = json_get_str(r->args, "sort"), *query = json_get_str(r->args, "query");
    const char *next =
        json_get_str(json_get(r->responses[NAMED], "response_metadata"), "next_cursor");
    const struct json *most = json_get(r->args, "limit");
    size_t n = v && v->type == JSON_ARRAY ? v->n : 0, kept = 0;
    const struct json **all = arena_calloc(r->arena, n + 1, sizeof *all);
    int64_t limit = 0;
    struct buf b;
    if (!all)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (is_asked_for(r, &v->items[i]))
            all[kept++] = &v->items[i];
    if (sort && strcmp(sort, "popularity") == 0)
        qsort(all, kept, sizeof *all, by_members);
    if (query && *query) { /* it is asked of all of them, and answered in one page */
        next = "";
        if (most && json_i64(most, &limit) == 0 && limit > 0 && (size_t)limit < kept)
            kept = (size_t)limit;
    }
    buf_init(&b, 64 << 20);
    buf_puts(&b, "ID,Name,Topic,Purpose,MemberCount,Cursor\n");
    for (size_t i = 0; i < kept; i++)
        add_channel(r, &b, all[i], i + 1 == kept ? next : "");
    return set_text(r, &b);
}

/* How many conversations are looked at: all that can be, where a query is asked. */
static const struct json *page_of(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    const char *query = json_get_str(r->args, "query");
    int64_t n;
    if (query && *query)
        return value_int(r->arena, 999);
    return v && json_i64(v, &n) == 0 && n > 999 ? value_int(r->arena, 999) : v;
}

/* Those of the kinds of conversations that there are; public and private ones of none. */
static const struct json *kinds(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    static const char *const known[] = {"mpim", "im", "public_channel", "private_channel"};
    const char *text = "";
    bool has[SOSIA_LEN(known)] = {false};
    for (const char *at = v ? v->str : ""; *at; at += *at == ',') {
        size_t n = strcspn(at, ",");
        const char *word = at + strspn(at, " ");
        size_t len = word < at + n ? strcspn(word, ", ") : 0;
        for (size_t i = 0; i < SOSIA_LEN(known); i++)
            has[i] |= len == strlen(known[i]) && memcmp(word, known[i], len) == 0;
        at += n;
    }
    for (size_t i = 0; i < SOSIA_LEN(known); i++)
        if (has[i])
            text = arena_printf(r->arena, "%s%s%s", text, *text ? "," : "", known[i]);
    return value_text(r->arena, *text ? text : "public_channel,private_channel");
}

static const struct json *found(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    const char *query = json_get_str(r->args, "query");
    const struct json *direct = json_get(r->responses[NAMED], "channels");
    const struct json *most = json_get(r->args, "limit");
    int64_t left = 10;
    struct buf b;
    if (most && (json_i64(most, &left) < 0 || left <= 0))
        left = 10;
    buf_init(&b, 16 << 20);
    for (uint32_t i = 0; v && i < v->n && left > 0; i++) {
        const struct json *u = &v->items[i], *p = json_get(u, "profile");
        const struct json *deleted = json_get(u, "deleted");
        const char *id = json_get_str(u, "id");
        if ((deleted && deleted->truth) ||
            !((id && strcasecmp(id, query) == 0) || has_text(u, "name", query) ||
              has_text(u, "real_name", query) || has_text(p, "real_name", query) ||
              has_text(p, "display_name", query) || has_text(p, "email", query)))
            continue;
        const char *values[] = {id,
                                json_get_str(u, "name"),
                                json_get_str(u, "real_name"),
                                json_get_str(p, "display_name"),
                                json_get_str(p, "email"),
                                json_get_str(p, "title"),
                                json_get_str(lines_item(direct, "user", id), "id")};
        if (!b.len)
            buf_puts(&b, "UserID,UserName,RealName,DisplayName,Email,Title,DMChannelID\n");
        lines_add(&b, values, SOSIA_LEN(values));
        left--;
    }
    if (!b.len)
        buf_puts(&b, "No users found matching the query.");
    return set_text(r, &b);
}

/* The name of an emoji, without its colons. */
static const struct json *bare(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    const char *text = v->str + strspn(v->str, ":");
    size_t n = strlen(text);
    while (n && text[n - 1] == ':')
        n--;
    return value_text(r->arena, arena_memdup(r->arena, text, n));
}

/* A ts, whose form is looked at before the service is asked. */
static const struct json *ts_of(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    if (v && !strchr(v->str, '.'))
        set_refuse(r, "thread_ts must be as 1773129600.000100, not %s", call_quote(r->m->c, v));
    return v;
}

const struct set_filter community_slack_filters[] = {
    {"ts", ts_of},      {"bare", bare},   {"named", lines_named}, {"id", lines_id},
    {"many", how_many}, {"since", since}, {"messages", messages}, {"channels", channels},
    {"kinds", kinds},   {"found", found}, {"page", page_of},      {NULL, NULL},
};
