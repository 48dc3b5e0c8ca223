/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of expressions and selections (OData 4.01 ABNF), and literals. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/utf8.h"
#include "vendors/microsoft/odata/impl.h"
#include <ctype.h>
#include <math.h>
#include <strings.h>

/* ---- failures ---- */

bool reader_fail(struct reader *r, const char *message)
{
    if (!r->message)
        r->message = message;
    return false;
}

size_t utf16_place(const char *text, const char *at)
{
    size_t n = 0;
    for (; text < at; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80 ? 1 + ((unsigned char)*text >= 0xF0) : 0;
    return n;
}

bool reader_fail_at(struct reader *r, const char *what, const char *at)
{
    return reader_fail(r, arena_printf(r->a, "%s at position %zu in '%s'.", what,
                                       utf16_place(r->text, at), r->text));
}

static bool invalid_character(struct reader *r, const char *at)
{
    unsigned n = utf8_sequence(at, (size_t)(r->end - at));
    return reader_fail(
        r,
        arena_printf(r->a, "Syntax error: character '%.*s' is not valid at position %zu in '%s'.",
                     (int)(n ? n : 1), at, utf16_place(r->text, at), r->text));
}

static bool unrecognized(struct reader *r, const char *type, const char *at, size_t len)
{
    return reader_fail(r, arena_printf(r->a, "Unrecognized '%s' literal '%.*s' at '%zu' in '%s'.",
                                       type, (int)len, at, utf16_place(r->text, at), r->text));
}

/* ---- literals ---- */

bool is_guid(const char *text, size_t len)
{
    if (len != 36)
        return false;
    for (size_t i = 0; i < len; i++)
        if (i == 8 || i == 13 || i == 18 || i == 23 ? text[i] != '-'
                                                    : !isxdigit((unsigned char)text[i]))
            return false;
    return true;
}

/* The seconds may be absent: 2026-03-05T10:00Z. */
static bool minutes_parse(const char *text, size_t len, bool naive, struct stamp *ret)
{
    enum { MINUTES = 16, OFFSET = 6 };
    char whole[MINUTES + 3 + OFFSET];
    if (len < MINUTES || len > MINUTES + OFFSET)
        return false;
    memcpy(whole, text, MINUTES);
    memcpy(whole + MINUTES, ":00", 3);
    memcpy(whole + MINUTES + 3, text + MINUTES, len - MINUTES);
    return stamp_parse(whole, len + 3, naive, ret) == 0;
}

bool read_instant(const char *text, size_t len, bool naive, int64_t *ret_us)
{
    struct stamp s;
    int64_t days;
    if (naive && date_parse(text, len, &days) == 0) {
        *ret_us = days * US_PER_DAY;
        return true;
    }
    if (stamp_parse(text, len, naive, &s) < 0 && !minutes_parse(text, len, naive, &s))
        return false;
    *ret_us = s.local_us - s.offset * US_PER_SECOND;
    return true;
}

/* Digits at *p, at most 9 of them; false: there are none. */
static bool take_digits(const char **p, const char *end, int64_t *ret)
{
    const char *from = *p;
    *ret = 0;
    while (*p < end && isdigit((unsigned char)**p) && *p - from < 9)
        *ret = *ret * 10 + (*(*p)++ - '0');
    return *p > from && (*p == end || !isdigit((unsigned char)**p));
}

/* The fraction of a second behind the dot, in microseconds; what is finer is cut. */
static bool take_fraction(const char **p, const char *end, int64_t *ret_us)
{
    int64_t unit = US_PER_SECOND / 10;
    const char *from = *p;
    *ret_us = 0;
    for (; *p < end && isdigit((unsigned char)**p); (*p)++, unit /= 10)
        *ret_us += unit * (**p - '0');
    return *p > from;
}

bool read_clock(const char *text, size_t len, int64_t *ret_us)
{
    const char *p = text, *end = text + len;
    int64_t hour, minute, second = 0, fraction = 0;
    if (!take_digits(&p, end, &hour) || p - text != 2 || p == end || *p++ != ':' ||
        !take_digits(&p, end, &minute) || p - text != 5 || hour > 23 || minute > 59)
        return false;
    if (p < end && (*p++ != ':' || !take_digits(&p, end, &second) || p - text != 8 || second > 59))
        return false;
    if (p < end && (*p++ != '.' || !take_fraction(&p, end, &fraction)))
        return false;
    *ret_us = ((hour * 60 + minute) * 60 + second) * US_PER_SECOND + fraction;
    return p == end;
}

bool read_duration(const char *text, size_t len, int64_t *ret_us)
{
    static const struct {
        char letter;
        bool time;
        int64_t seconds;
    } units[] = {{'D', false, SECONDS_PER_DAY}, {'H', true, 3600}, {'M', true, 60}, {'S', true, 1}};
    const char *p = text, *end = text + len;
    bool minus = p < end && *p == '-', time = false, any = false;
    size_t unit = 0;
    int64_t us = 0;
    p += p < end && (*p == '-' || *p == '+');
    if (p == end || *p++ != 'P')
        return false;
    while (p < end) {
        int64_t n, fraction = 0;
        bool dot = false;
        if (*p == 'T' && !time) {
            time = true;
            p++;
        }
        if (!take_digits(&p, end, &n) || p == end)
            return false;
        if (*p == '.') {
            p++;
            dot = true;
            if (!take_fraction(&p, end, &fraction) || p == end)
                return false;
        }
        while (unit < SOSIA_LEN(units) && (units[unit].letter != *p || units[unit].time != time))
            unit++;
        if (unit == SOSIA_LEN(units) || (dot && *p != 'S') || n > 10000000)
            return false;
        us += n * units[unit++].seconds * US_PER_SECOND + fraction;
        any = true;
        p++;
    }
    *ret_us = minus ? -us : us;
    return any && us <= 10000000 * US_PER_DAY;
}

bool odata_duration(const char *text, int64_t *ret_us)
{
    return read_duration(text, strlen(text), ret_us);
}

static bool literal(struct reader *r, struct odata_value v, enum edm_kind type, const char *from)
{
    struct token *t = &r->token;
    t->kind = TOKEN_LITERAL;
    t->value = v;
    t->type = type;
    t->text = from;
    t->len = (size_t)(r->p - from);
    return true;
}

/* The text between single quotes at p, where '' stands for one; p is behind them then. */
static char *take_quoted(struct reader *r, size_t *ret_len)
{
    const char *from = r->p++;
    char *text = arena_alloc(r->a, (size_t)(r->end - from)), *to = text;
    if (arena_failed(r->a))
        return NULL;
    for (;; r->p++) {
        if (r->p == r->end) {
            reader_fail_at(r, "There is an unterminated string literal", r->end);
            return NULL;
        }
        if (*r->p == '\'' && (r->p + 1 == r->end || r->p[1] != '\''))
            break;
        r->p += *r->p == '\'';
        *to++ = *r->p;
    }
    r->p++;
    *to = 0;
    *ret_len = (size_t)(to - text);
    return text;
}

static bool lex_string(struct reader *r)
{
    const char *from = r->p;
    size_t len;
    char *text = take_quoted(r, &len);
    return text && literal(r, odata_string(text), EDM_STRING, from);
}

/* A literal with its type in front: duration'PT1H', binary'...', microsoft.graph.importance'low'.
 * The quote is next. */
static bool lex_typed(struct reader *r, const char *from)
{
    size_t n = (size_t)(r->p - from), len;
    const struct edm_enum *values = edm_enum_find(from, n);
    char *text = take_quoted(r, &len);
    size_t all = (size_t)(r->p - from);
    int64_t us;
    if (!text)
        return false;
    if (str_is_nocase(from, n, "duration"))
        return read_duration(text, len, &us)
                   ? literal(r, (struct odata_value){.kind = ODATA_DURATION, .number = us},
                             EDM_DURATION, from)
                   : unrecognized(r, "Edm.Duration", from, all);
    if (str_is_nocase(from, n, "binary"))
        return literal(r, (struct odata_value){.kind = ODATA_BINARY, .text = text}, EDM_BINARY,
                       from);
    if (!memchr(from, '.', n))
        return invalid_character(r, from + n);
    int place = edm_value_find(values, text, len);
    if (place < 0)
        return reader_fail(
            r, arena_printf(r->a, "The string '%.*s' is not a valid enumeration type constant.",
                            (int)all, from));
    r->token.values = values;
    return literal(r, odata_enum(values->values[place]), EDM_ENUM, from);
}

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* A date, an instant or a time of day, which begins with a digit. */
static bool lex_time(struct reader *r, size_t len)
{
    const char *from = r->p;
    int64_t n;
    r->p += len;
    if (date_parse(from, len, &n) == 0)
        return literal(r, (struct odata_value){.kind = ODATA_DATE, .number = n}, EDM_DATE, from);
    if (len > 2 && from[2] == ':')
        return read_clock(from, len, &n)
                   ? literal(r, (struct odata_value){.kind = ODATA_CLOCK, .number = n}, EDM_TIME,
                             from)
                   : unrecognized(r, "Edm.TimeOfDay", from, len);
    return read_instant(from, len, false, &n) ? literal(r, odata_time(n), EDM_DATE_TIME, from)
                                              : unrecognized(r, "Edm.DateTimeOffset", from, len);
}

static bool lex_number(struct reader *r)
{
    const char *from = r->p, *p = r->p;
    bool whole = true;
    int64_t n;
    double real;
    p += *p == '-';
    while (p < r->end && isdigit((unsigned char)*p))
        p++;
    if (p + 1 < r->end && *p == '.' && isdigit((unsigned char)p[1])) {
        whole = false;
        for (p++; p < r->end && isdigit((unsigned char)*p); p++)
            ;
    }
    if (p < r->end && (*p == 'e' || *p == 'E')) {
        const char *e = p + 1;
        e += e < r->end && (*e == '+' || *e == '-');
        if (e < r->end && isdigit((unsigned char)*e)) {
            whole = false;
            for (p = e; p < r->end && isdigit((unsigned char)*p); p++)
                ;
        }
    }
    size_t len = (size_t)(p - from);
    r->p = p + (p < r->end && strchr("LlFfDdMm", *p) && (p + 1 == r->end || !name_char(p[1])));
    if (r->p < r->end && name_char(*r->p))
        return invalid_character(r, r->p);
    if (whole)
        return parse_i64(from, len, &n) == 0
                   ? literal(r, odata_int(n), n == (int32_t)n ? EDM_INT32 : EDM_INT64, from)
                   : unrecognized(r, "Edm.Int64", from, len);
    while (*from == '0' && len > 1 && isdigit((unsigned char)from[1])) { /* JSON's grammar */
        from++;
        len--;
    }
    return parse_double(from, len, &real) == 0
               ? literal(r, (struct odata_value){.kind = ODATA_DOUBLE, .real = real}, EDM_DOUBLE,
                         from)
               : unrecognized(r, "Edm.Double", from, len);
}

/* Something that begins with a digit. */
static bool lex_digits(struct reader *r)
{
    size_t len = 0, left = (size_t)(r->end - r->p);
    while (len < left && (isalnum((unsigned char)r->p[len]) || strchr(":.+-", r->p[len])))
        len++;
    if (len > 4 && ((r->p[4] == '-' && isdigit((unsigned char)r->p[2])) || r->p[2] == ':'))
        return lex_time(r, len);
    return lex_number(r);
}

static bool lex_guid(struct reader *r)
{
    const char *from = r->p;
    r->p += 36;
    char *text = arena_memdup(r->a, from, 36);
    if (arena_failed(r->a))
        return false;
    for (char *p = text; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return literal(r, (struct odata_value){.kind = ODATA_GUID, .text = text}, EDM_GUID, from);
}

/* ---- tokens ---- */

static bool lex_word(struct reader *r)
{
    static const struct {
        const char *word;
        struct odata_value value;
        enum edm_kind type;
    } words[] = {
        {"null", {.kind = ODATA_NULL}, EDM_ANY},
        {"true", {.kind = ODATA_BOOL, .truth = true}, EDM_BOOLEAN},
        {"false", {.kind = ODATA_BOOL}, EDM_BOOLEAN},
        {"INF", {.kind = ODATA_DOUBLE, .real = INFINITY}, EDM_DOUBLE},
        {"NaN", {.kind = ODATA_DOUBLE, .real = NAN}, EDM_DOUBLE},
    };
    const char *from = r->p;
    bool dotted = false, at = *r->p == '@';
    for (r->p++; r->p < r->end; r->p++) {
        if (*r->p == '.' && r->p + 1 < r->end && name_char(r->p[1]))
            dotted = true;
        else if (!name_char(*r->p))
            break;
    }
    size_t len = (size_t)(r->p - from);
    if (r->p < r->end && *r->p == '\'' && !at)
        return lex_typed(r, from);
    for (size_t i = 0; i < SOSIA_LEN(words); i++)
        if (str_is_nocase(from, len, words[i].word))
            return literal(r, words[i].value, words[i].type, from);
    r->token =
        (struct token){.kind = dotted && !at ? TOKEN_DOTTED : TOKEN_NAME, .text = from, .len = len};
    return true;
}

static bool lex_sign(struct reader *r)
{
    static const struct {
        char c;
        enum token_kind kind;
    } signs[] = {
        {'(', TOKEN_OPEN},  {')', TOKEN_CLOSE},  {',', TOKEN_COMMA},
        {'/', TOKEN_SLASH}, {':', TOKEN_COLON},  {'*', TOKEN_STAR},
        {'-', TOKEN_MINUS}, {'=', TOKEN_EQUALS}, {';', TOKEN_SEMICOLON},
    };
    for (size_t i = 0; i < SOSIA_LEN(signs); i++) {
        if (*r->p == signs[i].c) {
            r->token = (struct token){.kind = signs[i].kind, .text = r->p, .len = 1};
            r->p++;
            return true;
        }
    }
    return invalid_character(r, r->p);
}

bool reader_next(struct reader *r)
{
    while (r->p < r->end && isspace((unsigned char)*r->p))
        r->p++;
    r->token = (struct token){.kind = TOKEN_END, .text = r->p};
    if (r->p == r->end || r->message)
        return !r->message;
    char c = *r->p;
    size_t left = (size_t)(r->end - r->p);
    if (isxdigit((unsigned char)c) && left >= 36 && is_guid(r->p, 36) &&
        (left == 36 || !name_char(r->p[36])))
        return lex_guid(r);
    if (isdigit((unsigned char)c) || (c == '-' && left > 1 && isdigit((unsigned char)r->p[1])))
        return c == '-' ? lex_number(r) : lex_digits(r);
    if (c == '\'')
        return lex_string(r);
    if (name_char(c) || ((c == '$' || c == '@') && left > 1 && isalpha((unsigned char)r->p[1])))
        return lex_word(r);
    return lex_sign(r);
}

bool reader_at(const struct reader *r, const char *word)
{
    return r->token.kind == TOKEN_NAME && str_is_nocase(r->token.text, r->token.len, word);
}

bool reader_bracket(const struct reader *r)
{
    const char *p = r->p;
    while (p < r->end && isspace((unsigned char)*p))
        p++;
    return p < r->end && *p == '(';
}

char *token_text(struct reader *r, const struct token *t)
{
    return arena_memdup(r->a, t->text, t->len);
}

bool reader_open(struct reader *r, struct arena *a, const struct edm_type *type,
                 const struct odata_rules *rules, const char *text)
{
    size_t len = strlen(text);
    *r = (struct reader){
        .a = a, .type = type, .rules = rules, .text = text, .p = text, .end = text + len};
    if (len > READ_MAX_TEXT)
        return reader_fail(r, "Recursion depth exceeded allowed limit.");
    return reader_next(r);
}
