/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slack's search language as a question: words, phrases, word*, -word and modifiers; spaces mean
 * and. There is no or and there are no brackets: those are words. What names somebody or a channel
 * that is not there matches nothing.
 */
#include "services/chat/slack/web/query.h"
#include "engine/base/codec.h"
#include "engine/base/made.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/corpus.h"
#include "services/chat/slack/web/emoji.h"
#include <ctype.h>
#include <strings.h>

#define MAX_TERMS 200

static struct search *node(struct call *c, unsigned kind)
{
    struct search *s = arena_calloc(c->tx.arena, 1, sizeof *s);
    s->kind = kind;
    return s;
}

static struct search *nothing(struct call *c)
{
    return node(c, SEARCH_OR);
}

static struct search *with_id(struct call *c, unsigned kind, int64_t id)
{
    struct search *s = node(c, kind);
    s->id = id;
    return s;
}

static struct search *combined(struct call *c, unsigned kind, const struct search **kids, size_t n)
{
    struct search *s = node(c, kind);
    s->kids = kids;
    s->n_kids = n;
    return s;
}

static const struct search *negated(struct call *c, const struct search *of)
{
    const struct search **kid = arena_alloc(c->tx.arena, sizeof *kid);
    *kid = of;
    return combined(c, SEARCH_NOT, kid, 1);
}

/* ---- people and channels ---- */

/* "<@U0BOB>", "@bob", "bob", "me". 1, 0, -1. */
static int find_person(struct call *c, const char *text, struct chat_user *ret)
{
    int64_t workspace = sl_me(c)->workspace.id;
    if (strcasecmp(text, "me") == 0) {
        *ret = sl_me(c)->user;
        return 1;
    }
    if (strncmp(text, "<@", 2) == 0) {
        size_t n = strcspn(text + 2, "|>");
        return sl_user_find_any(c, arena_memdup(c->tx.arena, text + 2, n), ret);
    }
    text += *text == '@';
    char *name = arena_strdup(c->tx.arena, text);
    for (char *p = name; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    int r = chat_user_by_name(&c->tx, workspace, name, ret);
    return r ? r : chat_user_by_full_name(&c->tx, workspace, text, ret);
}

/* The direct channel with somebody. */
static int find_direct(struct call *c, const struct chat_user *u, struct chat_channel *ret)
{
    int64_t users[] = {sl_me(c)->user.id, u->id};
    const char *pair = chat_pair(&c->tx, users, u->id == users[0] ? 1 : 2);
    return pair ? chat_channel_by_pair(&c->tx, sl_me(c)->workspace.id, pair, ret) : -1;
}

static int find_channel(struct call *c, const char *text, struct chat_channel *ret)
{
    int64_t workspace = sl_me(c)->workspace.id;
    struct chat_user u;
    if (strncmp(text, "<#", 2) == 0) {
        size_t n = strcspn(text + 2, "|>");
        return chat_channel_find(&c->tx, workspace, arena_memdup(c->tx.arena, text + 2, n), ret);
    }
    if (*text == '@' || strncmp(text, "<@", 2) == 0) {
        int r = find_person(c, text, &u);
        return r == 1 ? find_direct(c, &u, ret) : r;
    }
    text += *text == '#';
    int r = chat_channel_by_name(&c->tx, workspace, text, ret);
    if (!r)
        r = chat_channel_find(&c->tx, workspace, text, ret);
    return r ? r : chat_channel_shared_by_name(&c->tx, workspace, text, ret);
}

/* ---- dates ---- */

/* The days that a word means, from <= day < to, in the caller's zone. */
static bool read_days(struct call *c, const char *text, int64_t *ret_from, int64_t *ret_to)
{
    static const char *const months[] = {"january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december"};
    const struct tz *tz = tz_find(sl_me(c)->user.zone);
    int64_t now = c->tx.now_us / US_PER_SECOND, number;
    int64_t today = (now + tz_offset(tz ? tz : tz_find("UTC"), now)) / SECONDS_PER_DAY;
    size_t n = strlen(text);
    int year, month, day;
    char text2[11];
    civil_from_days(today, &year, &month, &day);
    if (strcasecmp(text, "today") == 0 || strcasecmp(text, "yesterday") == 0) {
        *ret_from = today - (tolower((unsigned char)text[0]) == 'y');
        *ret_to = *ret_from + 1;
        return true;
    }
    for (int i = 0; n >= 3 && i < 12; i++) {
        if (strncasecmp(text, months[i], n) != 0 || (n != 3 && months[i][n]))
            continue;
        if (i + 1 > month)
            year--; /* the last one that there was */
        *ret_from = days_from_civil(year, i + 1, 1);
        *ret_to = days_from_civil(i == 11 ? year + 1 : year, i == 11 ? 1 : i + 2, 1);
        return true;
    }
    if (n == 4 && parse_i64(text, n, &number) == 0 && number >= 1970 && number < 2200) {
        *ret_from = days_from_civil((int)number, 1, 1);
        *ret_to = days_from_civil((int)number + 1, 1, 1);
        return true;
    }
    if (n != 10)
        return false;
    memcpy(text2, text, 11);
    if (text[2] == '/' && text[5] == '/') { /* month/day/year */
        memcpy(text2, text + 6, 4);
        memcpy(text2 + 5, text, 2);
        memcpy(text2 + 8, text + 3, 2);
    }
    text2[4] = text2[7] = '-';
    if (date_parse(text2, 10, ret_from) < 0)
        return false;
    *ret_to = *ret_from + 1;
    return true;
}

static int64_t place_of_day(struct call *c, int64_t workspace, int64_t day)
{
    const struct tz *tz = tz_find(sl_me(c)->user.zone);
    int64_t s = tz_to_utc(tz ? tz : tz_find("UTC"), day * SECONDS_PER_DAY);
    return chat_place(workspace, s * US_PER_SECOND);
}

static const struct search *date(struct call *c, int64_t workspace, const char *modifier,
                                 const char *text)
{
    int64_t from, to;
    struct search *s = node(c, SEARCH_RANGE);
    if (!read_days(c, text, &from, &to))
        return nothing(c);
    s->from = strcmp(modifier, "before") == 0  ? 0
              : strcmp(modifier, "after") == 0 ? place_of_day(c, workspace, to)
                                               : place_of_day(c, workspace, from);
    s->to = strcmp(modifier, "before") == 0  ? place_of_day(c, workspace, from)
            : strcmp(modifier, "after") == 0 ? INT64_MAX
                                             : place_of_day(c, workspace, to);
    return s;
}

/* ---- terms ---- */

static const struct search *has(struct call *c, const char *text, int64_t user)
{
    size_t n = strlen(text);
    if (n > 2 && text[0] == ':' && text[n - 1] == ':') {
        struct search *s = with_id(c, CHAT_Q_REACTED, user);
        s->text = arena_memdup(c->tx.arena, text + 1, n - 2);
        return s;
    }
    if (strcmp(text, "pin") == 0)
        return node(c, CHAT_Q_PINNED);
    if (strcmp(text, "star") == 0)
        return with_id(c, CHAT_Q_SAVED, sl_me(c)->user.id);
    if (strcmp(text, "link") != 0 && strcmp(text, "file") != 0)
        return nothing(c);
    struct search *s = node(c, SEARCH_HAS);
    s->bits = *text == 'l' ? CHAT_HAS_LINK : CHAT_HAS_FILE;
    return s;
}

/* A modifier with its value; NULL with *ret_known false: it is none, but words. */
static const struct search *modifier(struct call *c, int64_t workspace, const char *name,
                                     const char *value, bool *ret_known)
{
    struct chat_user u;
    struct chat_channel ch;
    int r;
    *ret_known = true;
    if (strcmp(name, "in") == 0 || strcmp(name, "with") == 0) {
        r = find_channel(c, value, &ch);
        return r < 0 ? NULL : r ? with_id(c, CHAT_Q_IN, ch.id) : nothing(c);
    }
    if (strcmp(name, "from") == 0 || strcmp(name, "to") == 0) {
        r = find_person(c, value, &u);
        return r < 0 ? NULL
               : r   ? with_id(c, *name == 'f' ? CHAT_Q_FROM : CHAT_Q_TO, u.id)
                     : nothing(c);
    }
    if (strcmp(name, "has") == 0)
        return has(c, value, 0);
    if (strcmp(name, "hasmy") == 0)
        return has(c, value, sl_me(c)->user.id);
    if (strcmp(name, "is") == 0)
        return strcmp(value, "thread") == 0  ? node(c, CHAT_Q_THREAD)
               : strcmp(value, "saved") == 0 ? with_id(c, CHAT_Q_SAVED, sl_me(c)->user.id)
                                             : nothing(c);
    if (strcmp(name, "before") == 0 || strcmp(name, "after") == 0 || strcmp(name, "on") == 0 ||
        strcmp(name, "during") == 0)
        return date(c, workspace, name, value);
    *ret_known = false;
    return NULL;
}

static void keep_word(struct call *c, struct sl_query *q, const char *text, bool begins)
{
    if (q->n_words == SOSIA_LEN(q->words))
        return;
    q->words[q->n_words].text = arena_strdup(c->tx.arena, text);
    q->words[q->n_words].folded = sl_folded(c, text);
    q->words[q->n_words++].begins = begins;
}

static const struct search *words(struct call *c, struct sl_query *q, const char *text, bool keep)
{
    size_t n = strlen(text);
    bool begins = n && text[n - 1] == '*';
    if (begins)
        text = arena_memdup(c->tx.arena, text, --n);
    begins = begins && sl_characters(text) >= 3;
    struct search *s = node(c, begins ? CHAT_Q_BEGINS : SEARCH_PHRASE);
    s->fields = CHAT_FIELD_BODY;
    s->text = text;
    if (keep)
        keep_word(c, q, text, begins);
    return s;
}

/* One term from p on: where it ends, and its parts. */
struct term {
    bool negative, phrase;
    const char *name;  /* of a modifier; NULL: none */
    const char *value; /* or the words */
};

static const char *read_term(struct call *c, const char *p, struct term *t)
{
    *t = (struct term){0};
    if (*p == '-' && p[1] && !isspace((unsigned char)p[1])) {
        t->negative = true;
        p++;
    }
    size_t letters = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (letters && p[letters] == ':' && p[letters + 1] && !isspace((unsigned char)p[letters + 1])) {
        char *name = arena_memdup(c->tx.arena, p, letters);
        for (char *q = name; *q; q++)
            *q = (char)tolower((unsigned char)*q);
        t->name = name;
        p += letters + 1;
    }
    if (*p == '"') {
        size_t n = strcspn(p + 1, "\"");
        t->phrase = true;
        t->value = arena_memdup(c->tx.arena, p + 1, n);
        return p + 1 + n + (p[1 + n] == '"');
    }
    size_t n = 0;
    while (p[n] && !isspace((unsigned char)p[n]))
        n += p[n] == '<' ? strcspn(p + n, ">") + (strchr(p + n, '>') != NULL) : 1;
    t->value = arena_memdup(c->tx.arena, p, n);
    return p + n;
}

/* Texts are stored with the names of their emoji. */
static const char *with_names(struct call *c, const char *text)
{
    struct buf b;
    struct sl_emoji_found found;
    buf_init(&b, 0);
    for (const char *p = text; *p;) {
        if (!sl_emoji_at(p, &found)) {
            buf_byte(&b, *p++);
            continue;
        }
        buf_printf(&b, ":%s:", found.emoji->name);
        p += found.len;
    }
    const char *made = buf_made(&b, c->tx.arena);
    return made;
}

int sl_query_read(struct call *c, const char *text, int64_t workspace, struct sl_query *ret)
{
    const struct search **kids = arena_alloc(c->tx.arena, MAX_TERMS * sizeof *kids);
    size_t n = 0;
    *ret = (struct sl_query){0};
    if (!(text = with_names(c, text)))
        return sosia_fail_memory(c->tx.err);
    for (const char *p = text; n < MAX_TERMS;) {
        struct term t;
        bool known = false;
        while (isspace((unsigned char)*p))
            p++;
        if (!*p)
            break;
        p = read_term(c, p, &t);
        const struct search *s = t.name ? modifier(c, workspace, t.name, t.value, &known) : NULL;
        if (known && !s)
            return -1;
        if (!s && t.name)
            t.value = arena_printf(c->tx.arena, "%s:%s", t.name, t.value);
        if (!s && t.phrase) {
            struct search *phrase = node(c, SEARCH_PHRASE);
            phrase->fields = CHAT_FIELD_BODY;
            phrase->text = t.value;
            s = phrase;
            if (!t.negative)
                keep_word(c, ret, t.value, false);
        }
        if (!s)
            s = words(c, ret, t.value, !t.negative);
        kids[n++] = t.negative ? negated(c, s) : s;
    }
    ret->empty = !n;
    ret->search = combined(c, SEARCH_AND, kids, n);
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
}
