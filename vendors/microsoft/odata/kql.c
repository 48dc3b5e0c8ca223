/* SPDX-License-Identifier: Apache-2.0 */
/*
 * $search: the quotes around it, then the query language in them:
 *
 *     either  = all *("OR" all)
 *     all     = term *(["AND"] term)
 *     term    = ["NOT" / "-" / "+"] (group / phrase / property operator value / word)
 *     value   = group / phrase / word ; all words of a group are the property's (MG-562)
 *
 * A property is bound to the one value behind it (MG-563), operators count in capitals (MG-564).
 */
#include "vendors/microsoft/odata/kql.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "vendors/microsoft/odata/impl.h"
#include <ctype.h>
#include <strings.h>

enum { MAX_SEARCH = 8192, MAX_GROUPS = 50 };

struct kql {
    struct arena *a;
    const struct kql_language *l;
    const char *text; /* the whole value, of messages */
    const char *p;    /* in the query itself, which is NUL-terminated */
    unsigned depth;
    const char *message; /* of the failure; NULL: none */
};

static const struct search *refuse_search(struct kql *k, const char *message)
{
    if (!k->message)
        k->message = message;
    return NULL;
}

/* ---- nodes ---- */

static struct search *node(struct kql *k, unsigned kind)
{
    struct search *n = arena_calloc(k->a, 1, sizeof *n);
    if (arena_failed(k->a)) /* it is scratch memory then */
        memset(n, 0, sizeof *n);
    n->kind = kind;
    return n;
}

struct kids {
    const struct search **list;
    size_t n, cap;
};

static void push(struct kql *k, struct kids *to, const struct search *kid)
{
    to->list = arena_grow(k->a, to->list, to->n, &to->cap, sizeof *to->list);
    if (!arena_failed(k->a))
        to->list[to->n++] = kid;
}

static const struct search *join(struct kql *k, enum search_kind kind, const struct kids *kids)
{
    if (kids->n == 1)
        return kids->list[0];
    struct search *n = node(k, kind);
    n->kids = kids->list;
    n->n_kids = kids->n;
    return n;
}

static const struct search *negate(struct kql *k, const struct search *kid)
{
    struct kids one = {0};
    push(k, &one, kid);
    struct search *n = node(k, SEARCH_NOT);
    n->kids = one.list;
    n->n_kids = one.n;
    return n;
}

/* Does it narrow the question? All of nothing does not. */
static bool says(const struct search *n)
{
    return n->kind != SEARCH_AND || n->n_kids;
}

/* A text of signs alone does not narrow the question. */
static const struct search *phrase(struct kql *k, unsigned fields, const char *text, size_t len)
{
    bool any = false;
    for (size_t i = 0; i < len && !any; i++)
        any = isalnum((unsigned char)text[i]) || (unsigned char)text[i] >= 0x80;
    struct search *n = node(k, any ? SEARCH_PHRASE : SEARCH_AND);
    n->fields = fields;
    n->text = arena_memdup(k->a, text, len);
    return n;
}

/* ---- values ---- */

enum comparison { IS, IS_NOT, BELOW, UP_TO, ABOVE, FROM };

/* The operator at *p, which is passed over; -1: there is none. */
static int comparison_at(const char **p)
{
    static const struct {
        const char *text;
        enum comparison is;
    } operators[] = {{":", IS}, {"<>", IS_NOT}, {"<=", UP_TO}, {">=", FROM},
                     {"=", IS}, {"<", BELOW},   {">", ABOVE}};
    for (size_t i = 0; i < SOSIA_LEN(operators); i++) {
        size_t n = strlen(operators[i].text);
        if (strncmp(*p, operators[i].text, n) == 0) {
            *p += n;
            return operators[i].is;
        }
    }
    return -1;
}

/* The times, sizes or places that a value means: from <= it < to. */
struct span {
    int64_t from, to;
};

static int64_t days_of(int64_t us)
{
    return us >= 0 ? us / US_PER_DAY : -((-us + US_PER_DAY - 1) / US_PER_DAY);
}

static struct span month_of(int year, int month)
{
    year += month > 12 ? 1 : month < 1 ? -1 : 0;
    month = month > 12 ? 1 : month < 1 ? 12 : month;
    int64_t first = days_from_civil(year, month, 1);
    return (struct span){first * US_PER_DAY, (first + days_in_month(year, month)) * US_PER_DAY};
}

/* "today", "yesterday", "this week", "last month" ... */
static bool named_time(int64_t now_us, const char *text, struct span *ret)
{
    int64_t today = days_of(now_us), day = -1;
    int64_t sunday = today - weekday_from_days(today);
    int year, month, mday;
    civil_from_days(today, &year, &month, &mday);
    bool last = strncasecmp(text, "last ", 5) == 0, this = strncasecmp(text, "this ", 5) == 0;
    const char *unit = last || this ? text + 5 : "";
    if (strcasecmp(text, "today") == 0)
        day = today;
    if (strcasecmp(text, "yesterday") == 0)
        day = today - 1;
    if (day >= 0)
        *ret = (struct span){day * US_PER_DAY, (day + 1) * US_PER_DAY};
    else if (strcasecmp(unit, "week") == 0)
        *ret =
            (struct span){(sunday - 7 * last) * US_PER_DAY, (sunday + 7 - 7 * last) * US_PER_DAY};
    else if (strcasecmp(unit, "month") == 0)
        *ret = month_of(year, month - last);
    else if (strcasecmp(unit, "year") == 0)
        *ret = (struct span){days_from_civil(year - last, 1, 1) * US_PER_DAY,
                             days_from_civil(year - last + 1, 1, 1) * US_PER_DAY};
    else
        return false;
    return true;
}

/* 1/31/2026, as the vendor's clients write it. */
static bool american_date(const char *text, int64_t *ret_days)
{
    int part[3] = {0};
    const char *p = text;
    for (int i = 0; i < 3; i++) {
        for (int n = 0; isdigit((unsigned char)*p) && n < 4; n++)
            part[i] = part[i] * 10 + (*p++ - '0');
        if (*p != (i < 2 ? '/' : 0))
            return false;
        p += i < 2;
    }
    if (part[0] < 1 || part[0] > 12 || part[2] < 1 || part[1] < 1 ||
        part[1] > days_in_month(part[2], part[0]))
        return false;
    *ret_days = days_from_civil(part[2], part[0], part[1]);
    return true;
}

static bool time_span(const struct kql *k, const char *text, struct span *ret)
{
    int64_t n;
    size_t len = strlen(text);
    if (date_parse(text, len, &n) == 0 || american_date(text, &n)) {
        *ret = (struct span){n * US_PER_DAY, (n + 1) * US_PER_DAY};
        return true;
    }
    if (read_instant(text, len, true, &n)) {
        *ret = (struct span){n, n + US_PER_SECOND};
        return true;
    }
    return named_time(k->l->now_us, text, ret);
}

/* Bytes, with KB, MB or GB behind them. */
static bool size_span(const char *text, struct span *ret)
{
    static const char *const units[] = {"", "kb", "mb", "gb"};
    size_t digits = strspn(text, "0123456789");
    int64_t n;
    if (parse_i64(text, digits, &n) < 0 || n > INT64_C(1) << 32)
        return false;
    for (size_t i = 0; i < SOSIA_LEN(units); i++) {
        if (strcasecmp(text + digits, units[i]) == 0) {
            n <<= 10 * i;
            *ret = (struct span){n, n + 1};
            return true;
        }
    }
    return false;
}

static bool word_span(const struct kql_property *p, const char *text, struct span *ret)
{
    for (int i = 0; p->values && p->values[i]; i++) {
        if (strcasecmp(p->values[i], text) == 0) {
            *ret = (struct span){i, i + 1};
            return true;
        }
    }
    return false;
}

static bool flag_span(const char *text, struct span *ret)
{
    static const char *const yes[] = {"true", "yes", "1"}, *const no[] = {"false", "no", "0"};
    bool is = str_in_nocase(text, yes, SOSIA_LEN(yes));
    *ret = (struct span){is, is + 1};
    return is || str_in_nocase(text, no, SOSIA_LEN(no));
}

static bool span_of(const struct kql *k, const struct kql_property *p, const char *text,
                    struct span *ret)
{
    switch (p->kind) {
    case KQL_TIME:
        return time_span(k, text, ret);
    case KQL_SIZE:
        return size_span(text, ret);
    case KQL_FLAG:
        return flag_span(text, ret);
    default:
        return word_span(p, text, ret);
    }
}

/* "a..b" is from the one to the other, both of them in it. */
static bool range_of(const struct kql *k, const struct kql_property *p, const char *text,
                     struct span *ret)
{
    const char *dots = strstr(text, "..");
    struct span end;
    if (!dots)
        return span_of(k, p, text, ret);
    if (!span_of(k, p, arena_memdup(k->a, text, (size_t)(dots - text)), ret) ||
        !span_of(k, p, dots + 2, &end))
        return false;
    ret->to = end.to;
    return true;
}

static const struct search *nothing(struct kql *k)
{
    return node(k, SEARCH_OR);
}

/* A property that is not text, compared with a value. One that it can't have matches nothing. */
static const struct search *own(struct kql *k, const struct kql_property *p, enum comparison is,
                                const char *text)
{
    struct span s;
    if (!range_of(k, p, text, &s))
        return nothing(k);
    if (is == BELOW || is == UP_TO) {
        s.to = is == BELOW ? s.from : s.to;
        s.from = INT64_MIN;
    } else if (is == ABOVE || is == FROM) {
        s.from = is == ABOVE ? s.to : s.from;
        s.to = INT64_MAX;
    }
    if (s.from >= s.to)
        return nothing(k);
    const struct search *n = k->l->own ? k->l->own(k->l->arg, k->a, p, s.from, s.to) : nothing(k);
    return n && is == IS_NOT ? negate(k, n) : n;
}

/* ---- terms ---- */

static void skip_blanks(struct kql *k)
{
    while (isspace((unsigned char)*k->p))
        k->p++;
}

static size_t word_len(const char *p)
{
    size_t n = 0;
    while (p[n] && !isspace((unsigned char)p[n]) && !strchr("()\"", p[n]))
        n++;
    return n;
}

static bool take_word(struct kql *k, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(k);
    if (strncmp(k->p, word, n) != 0 || word_len(k->p) != n)
        return false;
    k->p += n;
    return true;
}

/* The property that a word begins with, and its operator; k->p is behind both then. */
static const struct kql_property *take_property(struct kql *k, enum comparison *ret_is)
{
    size_t len = 0;
    while (isalpha((unsigned char)k->p[len]))
        len++;
    for (size_t i = 0; i < k->l->n && len; i++) {
        const char *behind = k->p + len;
        if (!str_is_nocase(k->p, len, k->l->properties[i].name))
            continue;
        int is = comparison_at(&behind);
        if (is < 0)
            return NULL;
        k->p = behind;
        *ret_is = (enum comparison)is;
        return &k->l->properties[i];
    }
    return NULL;
}

static const struct search *either(struct kql *k, unsigned fields);

/* A group in brackets, whose words are looked for in these fields. */
static const struct search *group(struct kql *k, unsigned fields)
{
    k->p++;
    if (++k->depth > MAX_GROUPS)
        return refuse_search(k, "Recursion depth exceeded allowed limit.");
    const struct search *n = either(k, fields);
    k->depth--;
    if (n && *k->p != ')')
        return refuse_search(k, arena_printf(k->a, "Syntax error: ')' expected in '%s'.", k->text));
    k->p += n != NULL;
    return n;
}

/* The next word, or the text between quotes, which is passed over. A '*' at its end is. */
static char *take_value(struct kql *k, size_t *ret_len)
{
    bool quoted = *k->p == '"';
    const char *from = k->p + quoted;
    size_t len = quoted ? strcspn(from, "\"") : word_len(from);
    k->p = from + len + (quoted && from[len]);
    if (!quoted && len > 1 && from[len - 1] == '*')
        len--;
    *ret_len = len;
    return arena_memdup(k->a, from, len);
}

static const struct search *bound(struct kql *k, const struct kql_property *p, enum comparison is)
{
    size_t len;
    skip_blanks(k);
    if (p->kind == KQL_TEXT && *k->p == '(') {
        const struct search *n = group(k, p->fields);
        return n && is == IS_NOT ? negate(k, n) : n;
    }
    const char *text = take_value(k, &len);
    if (arena_failed(k->a))
        return NULL;
    if (p->kind != KQL_TEXT)
        return own(k, p, is, text);
    const struct search *n = phrase(k, p->fields, text, len);
    return is == IS_NOT ? negate(k, n) : n;
}

static const struct search *term(struct kql *k, unsigned fields)
{
    enum comparison is = IS;
    size_t len;
    bool negative = take_word(k, "NOT");
    skip_blanks(k);
    if ((*k->p == '-' || *k->p == '+') && k->p[1] && !isspace((unsigned char)k->p[1]))
        negative = negative != (*k->p++ == '-');
    const struct kql_property *p = take_property(k, &is);
    const struct search *n = NULL;
    if (p)
        n = bound(k, p, is);
    else if (*k->p == '(')
        n = group(k, fields);
    else if (*k->p && *k->p != ')') {
        const char *text = take_value(k, &len);
        n = arena_failed(k->a) ? NULL : phrase(k, fields, text, len);
    } else
        n = node(k, SEARCH_AND);
    return negative && n && says(n) ? negate(k, n) : n;
}

static bool at_or(struct kql *k)
{
    skip_blanks(k);
    return strncmp(k->p, "OR", 2) == 0 && word_len(k->p) == 2;
}

static const struct search *all(struct kql *k, unsigned fields)
{
    struct kids kids = {0};
    for (;;) {
        while (take_word(k, "AND"))
            ;
        if (!*k->p || *k->p == ')' || at_or(k))
            break;
        const struct search *n = term(k, fields);
        if (!n)
            return NULL;
        if (says(n))
            push(k, &kids, n);
    }
    return join(k, SEARCH_AND, &kids);
}

static const struct search *either(struct kql *k, unsigned fields)
{
    struct kids kids = {0};
    do {
        const struct search *n = all(k, fields);
        if (!n)
            return NULL;
        if (says(n))
            push(k, &kids, n);
    } while (take_word(k, "OR"));
    return kids.n ? join(k, SEARCH_OR, &kids) : node(k, SEARCH_AND);
}

/* ---- the quotes around ---- */

static const struct search *bad_character(struct kql *k, const char *at)
{
    unsigned n = utf8_sequence(at, strlen(at));
    return refuse_search(
        k, arena_printf(k->a,
                        "Syntax error: character '%.*s' is not valid at position %zu in "
                        "'%s'.",
                        (int)(n ? n : 1), at, utf16_place(k->text, at), k->text));
}

/* A value without quotes: one word searches, several are dropped without a word (MG-561). */
static const struct search *bare(struct kql *k)
{
    size_t words = 0;
    for (const char *p = k->text; *p; p++) {
        if (!isalnum((unsigned char)*p) && (unsigned char)*p < 0x80 && !strchr(" _.,-()", *p))
            return bad_character(k, p);
        words += *p != ' ' && (p == k->text || p[-1] == ' ');
    }
    if (words != 1)
        return NULL;
    k->p = k->text + strspn(k->text, " ");
    return phrase(k, k->l->any, k->p, strcspn(k->p, " "));
}

/* The query between the quotes, in which \" and \\ stand for what is behind the '\'; NULL: they are
 * not one pair around the whole (MG-560, MG-562). */
static char *unquoted(struct kql *k)
{
    const char *p = k->text + strspn(k->text, " ") + 1, *from = p;
    char *text = arena_alloc(k->a, strlen(p) + 1), *to = text;
    if (arena_failed(k->a))
        return NULL;
    for (; *p && *p != '"'; p++) {
        if (*p == '\\' && (p[1] == '"' || p[1] == '\\'))
            p++;
        *to++ = *p;
    }
    *to = 0;
    if (!*p) {
        refuse_search(
            k,
            arena_printf(k->a, "There is an unterminated string literal at position %zu in '%s'.",
                         utf16_place(k->text, p), k->text));
        return NULL;
    }
    const char *behind = p + 1 + strspn(p + 1, " ");
    if (*behind) {
        bad_character(k, behind);
        return NULL;
    }
    if (p == from) {
        refuse_search(k, arena_printf(k->a, "Expression expected at position %zu in '%s'.",
                                      utf16_place(k->text, p), k->text));
        return NULL;
    }
    return text;
}

static const struct search *whole(struct kql *k)
{
    if (strlen(k->text) > MAX_SEARCH)
        return refuse_search(k, "Recursion depth exceeded allowed limit.");
    if (k->text[strspn(k->text, " ")] != '"')
        return bare(k);
    if (!(k->p = unquoted(k)))
        return NULL;
    const struct search *n = either(k, k->l->any);
    if (n && *k->p)
        return refuse_search(
            k, arena_printf(k->a, "Syntax error: character ')' is not expected in '%s'.", k->text));
    return n;
}

int kql_parse(struct arena *a, const struct kql_language *l, const char *search,
              const struct search **ret, struct sosia_err *err)
{
    struct kql k = {.a = a, .l = l, .text = search};
    const struct search *n = whole(&k);
    if (arena_failed(a))
        return sosia_fail_memory(err);
    if (k.message)
        return sosia_fail(err, SOSIA_E_INVALID, "BadRequest", "$search", "%s", k.message);
    *ret = n;
    return 0;
}
