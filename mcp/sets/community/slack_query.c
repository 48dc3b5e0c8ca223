/* SPDX-License-Identifier: Apache-2.0 */
/* The search of the community server for Slack: filters become words of Slack's own search. */
#include "mcp/sets/community/slack_query.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include <ctype.h>
#include <strings.h>

/* Where the responses are. */
enum { PEOPLE, NAMED };

/* ---- dates ---- */

/* Up to three words of a date, apart from what is between them. */
struct words {
    char text[3][12];
    size_t n;
};

static bool split(const char *text, struct words *ret)
{
    ret->n = 0;
    while (*(text += strspn(text, " ,-/"))) {
        size_t n = strcspn(text, " ,-/");
        if (ret->n == 3 || n >= sizeof ret->text[0])
            return false;
        memcpy(ret->text[ret->n], text, n);
        ret->text[ret->n++][n] = 0;
        text += n;
    }
    return ret->n > 0;
}

/* 1 to 12; 0: it is none. */
static int month_of(const char *text)
{
    static const char *const months[] = {"january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december"};
    size_t n = strlen(text);
    for (size_t i = 0; i < SOSIA_LEN(months); i++)
        if ((n == 3 || n == strlen(months[i]) || (i == 8 && n == 4)) &&
            strncasecmp(text, months[i], n) == 0)
            return (int)i + 1;
    return 0;
}

static bool number_of(const char *text, size_t most, int *ret)
{
    int64_t n;
    size_t len = strlen(text);
    if (!isdigit((unsigned char)*text) || len > most || parse_i64(text, len, &n) < 0)
        return false;
    *ret = (int)n;
    return true;
}

static bool make(int year, int month, int day, int64_t *ret)
{
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
        return false;
    *ret = days_from_civil(year, month, day);
    return true;
}

/* Three numbers, or a year, a month's name and perhaps a day, in any order that says which is
 * which.
 */
static bool read_words(const struct words *w, int64_t *ret)
{
    int n[3] = {0}, year = 0, month = 0, day = 0;
    size_t numbers = 0;
    for (size_t i = 0; i < w->n; i++) {
        int m = month_of(w->text[i]);
        if (m && !month)
            month = m;
        else if (number_of(w->text[i], 4, &n[numbers]))
            numbers++;
        else
            return false;
    }
    if (month) {
        bool first = numbers && n[0] > 31; /* the year */
        year = first ? n[0] : n[numbers == 2];
        day = numbers == 2 ? n[first] : 1;
        return numbers && year > 31 && make(year, month, day, ret);
    }
    if (numbers != 3)
        return false;
    return n[0] > 31 ? make(n[0], n[1], n[2], ret)
                     : make(n[2], n[0], n[1], ret) || make(n[2], n[1], n[0], ret);
}

static bool read_date(const struct set_run *r, const char *text, int64_t *ret)
{
    static const char *const near[] = {"yesterday", "today", "tomorrow"};
    int64_t today = r->m->c->tx.now_us / US_PER_DAY;
    struct words w;
    int n;
    for (int i = 0; i < 3; i++)
        if (strcasecmp(text, near[i]) == 0) {
            *ret = today + i - 1;
            return true;
        }
    if (!split(text, &w))
        return false;
    if (w.n == 3 && number_of(w.text[0], 5, &n) && strcasecmp(w.text[2], "ago") == 0 &&
        (strcasecmp(w.text[1], "days") == 0 || strcasecmp(w.text[1], "day") == 0)) {
        *ret = today - n;
        return true;
    }
    return read_words(&w, ret);
}

/* ---- words of the search ---- */

static void add_word(struct buf *b, const char *name, const char *value)
{
    buf_printf(b, "%s%s:%s", b->len ? " " : "", name, value);
}

static const char *given(const struct set_run *r, const char *name)
{
    const char *text = json_get_str(r->args, name);
    return text && *text ? text + strspn(text, " ") : NULL;
}

static const char *channel_word(struct set_run *r, const char *text)
{
    const struct json *all = json_get(r->responses[NAMED], "channels");
    for (uint32_t i = 0; all && i < all->n; i++) {
        const char *id = json_get_str(&all->items[i], "id"), *name = lines_name(r, &all->items[i]);
        if (*name == '#' && ((id && strcmp(id, text) == 0) || strcmp(name, text) == 0))
            return name;
    }
    set_refuse(r, "channel \"%.80s\" not found", text);
    return NULL;
}

static const char *user_word(struct set_run *r, const char *text)
{
    const struct json *all = json_get(r->responses[PEOPLE], "members");
    const char *bare = text;
    bare += strncmp(bare, "<@", 2) == 0 ? 2 : *bare == '@';
    const struct json *u = lines_item(all, "id", text);
    if (!u)
        u = lines_item(all, "name", bare);
    if (u)
        return arena_printf(r->arena, "<@%s>", json_get_str(u, "id"));
    set_refuse(r, "user \"%.80s\" not found", text);
    return NULL;
}

/* "in", "with" and "from"; false: refused. */
static bool add_places(struct set_run *r, struct buf *b)
{
    static const struct {
        const char *argument, *word;
        const char *(*fn)(struct set_run *r, const char *text);
    } places[] = {{"filter_in_channel", "in", channel_word},
                  {"filter_in_im_or_mpim", "in", user_word},
                  {"filter_users_from", "from", user_word},
                  {"filter_users_with", "with", user_word}};
    for (size_t i = 0; i < SOSIA_LEN(places); i++) {
        const char *text = given(r, places[i].argument);
        if (!text || (i == 1 && given(r, places[0].argument)))
            continue;
        const char *word = places[i].fn(r, text);
        if (!word)
            return false;
        add_word(b, places[i].word, word);
    }
    return true;
}

enum { BEFORE, AFTER, ON, DURING };

static bool add_dates(struct set_run *r, struct buf *b)
{
    static const char *const words[] = {"before", "after", "on", "during"};
    int64_t days[4];
    bool has[4];
    for (size_t i = 0; i < 4; i++) {
        const char *text = given(r, arena_printf(r->arena, "filter_date_%s", words[i]));
        has[i] = text != NULL;
        if (text && !read_date(r, text, &days[i]))
            return set_refuse(r, "filter_date_%s must be a date as 2026-03-12, not \"%.80s\"",
                              words[i], text);
    }
    if (has[ON] + has[DURING] + (has[BEFORE] || has[AFTER]) > 1)
        return set_refuse(r, "filter_date_on and filter_date_during can't be had with other dates");
    if (has[BEFORE] && has[AFTER] && days[AFTER] > days[BEFORE])
        return set_refuse(r, "filter_date_after must not be later than filter_date_before");
    for (size_t i = 0; i < 4; i++) {
        int year, month, day;
        if (!has[i])
            continue;
        civil_from_days(days[i], &year, &month, &day);
        add_word(b, words[i], arena_printf(r->arena, "%04d-%02d-%02d", year, month, day));
    }
    return true;
}

const struct json *query_of(struct set_run *r, const struct json *v, const char *arg,
                            const struct json *item)
{
    const struct json *threads = json_get(r->args, "filter_threads_only");
    const struct json *text = NULL;
    struct buf b;
    buf_init(&b, 1 << 20);
    if (v)
        buf_puts(&b, v->str);
    if (value_holds(threads))
        add_word(&b, "is", "thread");
    if (add_places(r, &b) && add_dates(r, &b))
        text = set_text(r, &b);
    buf_done(&b);
    return text;
}

/* ---- pages ---- */

static const char page_mark[] = "page:";

const struct json *query_page(struct set_run *r, const struct json *v, const char *arg,
                              const struct json *item)
{
    uint8_t *data;
    size_t n, head = sizeof page_mark - 1;
    int64_t page;
    if (!value_holds(v))
        return NULL;
    if (base64_decode(r->arena, v->str, v->n, &data, &n) == 0 && n > head &&
        memcmp(data, page_mark, head) == 0 &&
        parse_i64((const char *)data + head, n - head, &page) == 0 && page > 0)
        return value_int(r->arena, page);
    set_refuse(r, "cursor must be one of a page before, not \"%.80s\"", v->str);
    return NULL;
}

static const char *cursor_of(struct set_run *r, const struct json *messages)
{
    const struct json *pages = json_get(messages, "pagination");
    const struct json *page = json_get(pages, "page"), *last = json_get(pages, "page_count");
    int64_t at, count;
    if (!page || !last || json_i64(page, &at) < 0 || json_i64(last, &count) < 0 || at >= count)
        return "";
    const char *text = arena_printf(r->arena, "%s%lld", page_mark, (long long)at + 1);
    return base64_text(r->arena, NULL, text, strlen(text));
}

/* The thread that a message's address says it is in. */
static const char *thread_of(struct set_run *r, const struct json *message)
{
    static const char mark[] = "thread_ts=";
    const char *link = json_get_str(message, "permalink"), *at = link ? strstr(link, mark) : NULL;
    if (!at)
        return "";
    at += sizeof mark - 1;
    return arena_printf(r->arena, "%.*s", (int)strcspn(at, "&#"), at);
}

static void add_hit(struct set_run *r, struct buf *b, const struct json *m, const char *cursor)
{
    const char *user = json_get_str(m, "user"), *ts = json_get_str(m, "ts");
    const char *as = json_get_str(m, "username");
    const struct json *channel = json_get(m, "channel");
    const struct json *who = lines_item(json_get(r->responses[PEOPLE], "members"), "id", user);
    int64_t seconds;
    bool good = ts && parse_i64(ts, strcspn(ts, "."), &seconds) == 0;
    const char *values[] = {ts,
                            user,
                            who ? json_get_str(who, "name") : as,
                            who ? json_get_str(who, "real_name") : as,
                            arena_printf(r->arena, "%s (#%s)",
                                         value_words(r->arena, json_get(channel, "id")),
                                         value_words(r->arena, json_get(channel, "name"))),
                            thread_of(r, m),
                            json_get_str(m, "text"),
                            good ? lines_time(r, seconds) : "",
                            json_get_str(m, "permalink"),
                            "",
                            "",
                            "0",
                            "",
                            lines_image(m) ? "true" : "false",
                            cursor};
    lines_add(b, values, SOSIA_LEN(values));
}

const struct json *query_hits(struct set_run *r, const struct json *v, const char *arg,
                              const struct json *item)
{
    const struct json *list = json_get(v, "matches");
    struct buf b;
    buf_init(&b, 64 << 20);
    buf_puts(&b, LINES_MESSAGES);
    for (uint32_t i = 0; list && i < list->n; i++)
        add_hit(r, &b, &list->items[i], i + 1 == list->n ? cursor_of(r, v) : "");
    return set_text(r, &b);
}
