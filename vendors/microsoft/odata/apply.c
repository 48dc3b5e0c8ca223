/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical functions on values. Lengths and places of strings count characters. */
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "vendors/microsoft/odata/impl.h"
#include <ctype.h>
#include <math.h>
#include <utf8proc.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum { MATCH_STEPS = 10000 }; /* of a pattern, so that none is tried for long */

static size_t characters(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

/* The text from its n-th character on. */
static const char *behind(const char *text, int64_t n)
{
    for (; n > 0 && *text; n--)
        do
            text++;
        while (((unsigned char)*text & 0xC0) == 0x80);
    return text;
}

static struct odata_value search(const struct odata_ctx *ctx, enum odata_function f,
                                 const char *text, const char *what)
{
    if (!ctx->exact && f == ODATA_CONTAINS && is_ascii(text) && is_ascii(what))
        return odata_bool(strcasestr(text, what) != NULL);
    if (!ctx->exact) {
        text = fold_text(ctx->arena, text);
        what = fold_text(ctx->arena, what);
    }
    size_t n = strlen(text), k = strlen(what);
    const char *at;
    switch (f) {
    case ODATA_CONTAINS:
        return odata_bool(strstr(text, what) != NULL);
    case ODATA_STARTSWITH:
        return odata_bool(strncmp(text, what, k) == 0);
    case ODATA_ENDSWITH:
        return odata_bool(n >= k && strcmp(text + n - k, what) == 0);
    default:
        at = strstr(text, what);
        return odata_int(at ? (int64_t)characters(text, (size_t)(at - text)) : -1);
    }
}

static struct odata_value substring(const struct odata_ctx *ctx, const struct odata_value *args,
                                    size_t n)
{
    int64_t from = args[1].kind == ODATA_INT ? args[1].number : 0;
    const char *text = behind(args[0].text, from < 0 ? 0 : from);
    if (n < 3 || args[2].kind != ODATA_INT)
        return odata_string(text);
    const char *end = behind(text, args[2].number);
    return odata_string(arena_memdup(ctx->arena, text, (size_t)(end - text)));
}

static const char *upper(struct arena *a, const char *text)
{
    size_t len = strlen(text);
    char *out = arena_alloc(a, 2 * len + 5), *to = out;
    if (arena_failed(a))
        return "";
    for (size_t i = 0; i < len;) {
        unsigned n = utf8_sequence(text + i, len - i);
        if (n)
            to = utf8_put(
                to, (unsigned)utf8proc_toupper((utf8proc_int32_t)utf8_code_point(text + i, n)));
        i += n ? n : 1;
    }
    *to = 0;
    return out;
}

static const char *trimmed(struct arena *a, const char *text)
{
    size_t len = strlen(text);
    while (len && isspace((unsigned char)text[len - 1]))
        len--;
    while (len && isspace((unsigned char)*text)) {
        text++;
        len--;
    }
    return arena_memdup(a, text, len);
}

/* An expression of JavaScript's kind that may be found anywhere in the text. One that can't be
 * compiled matches nothing. */
static struct odata_value pattern(const struct odata_ctx *ctx, const char *text, const char *what)
{
    int why;
    PCRE2_SIZE at;
    bool found = false;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)what, PCRE2_ZERO_TERMINATED,
                      PCRE2_UTF | (ctx->exact ? 0 : PCRE2_CASELESS), &why, &at, NULL);
    pcre2_match_context *limits = pcre2_match_context_create(NULL);
    pcre2_match_data *data = code ? pcre2_match_data_create_from_pattern(code, NULL) : NULL;
    if (code && limits && data) {
        pcre2_set_match_limit(limits, MATCH_STEPS);
        pcre2_set_depth_limit(limits, MATCH_STEPS);
        found = pcre2_match(code, (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0, 0, data, limits) >= 0;
    }
    pcre2_match_data_free(data);
    pcre2_match_context_free(limits);
    pcre2_code_free(code);
    return odata_bool(found);
}

static bool text_value(const struct odata_ctx *ctx, const struct odata_expr *e,
                       const struct odata_value *args, struct odata_value *ret)
{
    const char *text = args[0].text, *other = args[1].text;
    switch (e->function) {
    case ODATA_CONTAINS:
    case ODATA_STARTSWITH:
    case ODATA_ENDSWITH:
    case ODATA_INDEXOF:
        if (text && other)
            *ret = search(ctx, e->function, text, other);
        return true;
    case ODATA_WORDS:
        if (text && other)
            *ret = odata_bool(has_words(ctx->arena, text, other));
        return true;
    case ODATA_MATCHESPATTERN:
        if (text && other)
            *ret = pattern(ctx, text, other);
        return true;
    case ODATA_CONCAT:
        if (text && other)
            *ret = odata_string(arena_printf(ctx->arena, "%s%s", text, other));
        return true;
    case ODATA_LENGTH:
        if (text)
            *ret = odata_int((int64_t)characters(text, strlen(text)));
        return true;
    case ODATA_SUBSTRING:
        if (text)
            *ret = substring(ctx, args, e->n_kids);
        return true;
    case ODATA_TOLOWER:
        if (text)
            *ret = odata_string(fold_text(ctx->arena, text));
        return true;
    case ODATA_TOUPPER:
        if (text)
            *ret = odata_string(upper(ctx->arena, text));
        return true;
    case ODATA_TRIM:
        if (text)
            *ret = odata_string(trimmed(ctx->arena, text));
        return true;
    default:
        return false;
    }
}

/* The reading of a clock in UTC; a string that is an instant counts as one. */
static bool civil_of(const struct odata_value *v, struct civil *ret, int64_t *ret_us)
{
    int64_t us = v->number;
    if (v->kind == ODATA_DATE)
        us *= US_PER_DAY;
    else if (v->kind == ODATA_STRING && !read_instant(v->text, strlen(v->text), true, &us))
        return false;
    else if (v->kind != ODATA_TIME && v->kind != ODATA_CLOCK && v->kind != ODATA_STRING)
        return false;
    if (us < TIME_FIRST_US || us > TIME_LAST_US)
        return false;
    int64_t s = us >= 0 ? us / US_PER_SECOND : -((-us + US_PER_SECOND - 1) / US_PER_SECOND);
    civil_from_seconds(s, ret);
    ret->us = (int)(us - s * US_PER_SECOND);
    *ret_us = us;
    return true;
}

static struct odata_value part_of(enum odata_function f, const struct odata_value *v)
{
    struct civil c;
    int64_t us;
    if (!civil_of(v, &c, &us))
        return odata_null();
    int64_t days = days_from_civil(c.year, c.month, c.day);
    switch (f) {
    case ODATA_YEAR:
        return odata_int(c.year);
    case ODATA_MONTH:
        return odata_int(c.month);
    case ODATA_DAY:
        return odata_int(c.day);
    case ODATA_HOUR:
        return odata_int(c.hour);
    case ODATA_MINUTE:
        return odata_int(c.minute);
    case ODATA_SECOND:
        return odata_int(c.second);
    case ODATA_FRACTIONALSECONDS:
        return (struct odata_value){.kind = ODATA_DOUBLE, .real = c.us / 1e6};
    case ODATA_TOTALOFFSETMINUTES:
        return odata_int(0);
    case ODATA_DATE_OF:
        return (struct odata_value){.kind = ODATA_DATE, .number = days};
    default:
        return (struct odata_value){.kind = ODATA_CLOCK, .number = us - days * US_PER_DAY};
    }
}

static struct odata_value rounded(enum odata_function f, const struct odata_value *v)
{
    struct odata_value w = *v;
    if (v->kind == ODATA_DOUBLE)
        w.real = f == ODATA_ROUND   ? round(v->real)
                 : f == ODATA_FLOOR ? floor(v->real)
                                    : ceil(v->real);
    return v->kind == ODATA_INT || v->kind == ODATA_DOUBLE ? w : odata_null();
}

/* The kinds of values that a type's are. */
static bool is_of_kind(const struct odata_value *v, enum edm_kind kind)
{
    switch (kind) {
    case EDM_STRING:
        return v->kind == ODATA_STRING;
    case EDM_BOOLEAN:
        return v->kind == ODATA_BOOL;
    case EDM_DATE_TIME:
        return v->kind == ODATA_TIME;
    case EDM_DATE:
        return v->kind == ODATA_DATE;
    case EDM_GUID:
        return v->kind == ODATA_GUID;
    case EDM_ENUM:
        return v->kind == ODATA_ENUM;
    case EDM_DURATION:
        return v->kind == ODATA_DURATION;
    case EDM_TIME:
        return v->kind == ODATA_CLOCK;
    case EDM_BINARY:
        return v->kind == ODATA_BINARY;
    case EDM_COMPLEX:
    case EDM_ENTITY:
        return v->kind == ODATA_THING;
    default:
        return is_number(kind) && (v->kind == ODATA_INT || v->kind == ODATA_DOUBLE);
    }
}

static struct odata_value cast(const struct odata_ctx *ctx, const struct odata_expr *e,
                               const struct odata_value *v)
{
    int64_t us;
    if (is_of_kind(v, e->kind))
        return *v;
    if (e->kind == EDM_STRING && v->text)
        return odata_string(v->text);
    if (e->kind == EDM_STRING && v->kind == ODATA_INT)
        return odata_string(arena_printf(ctx->arena, "%lld", (long long)v->number));
    if (e->kind == EDM_STRING && v->kind == ODATA_BOOL)
        return odata_string(v->truth ? "true" : "false");
    if (e->kind == EDM_DATE_TIME && v->kind == ODATA_STRING &&
        read_instant(v->text, strlen(v->text), true, &us))
        return odata_time(us);
    return odata_null();
}

/* A search looks through the items of a collection. */
static struct odata_value any_item(const struct odata_ctx *ctx, const struct odata_expr *e,
                                   const struct odata_value *args)
{
    for (size_t i = 0; i < args[0].n; i++) {
        const struct odata_value one[] = {args[0].items[i], args[1]};
        struct odata_value v = odata_null();
        text_value(ctx, e, one, &v);
        if (v.kind == ODATA_BOOL && v.truth)
            return v;
    }
    return odata_bool(false);
}

int function_value(const struct odata_ctx *ctx, const struct odata_expr *e,
                   const struct odata_value *args, struct odata_value *ret)
{
    *ret = odata_null();
    if (args[0].kind == ODATA_LIST && e->n_kids == 2) {
        *ret = any_item(ctx, e, args);
        return arena_failed(ctx->arena) ? -1 : 0;
    }
    if (text_value(ctx, e, args, ret))
        return arena_failed(ctx->arena) ? -1 : 0;
    switch (e->function) {
    case ODATA_NOW:
        *ret = odata_time(ctx->now_us);
        break;
    case ODATA_MINDATETIME:
        *ret = odata_time(TIME_FIRST_US);
        break;
    case ODATA_MAXDATETIME:
        *ret = odata_time(TIME_LAST_US);
        break;
    case ODATA_TOTALSECONDS:
        if (args[0].kind == ODATA_DURATION)
            *ret = (struct odata_value){.kind = ODATA_DOUBLE, .real = (double)args[0].number / 1e6};
        break;
    case ODATA_ROUND:
    case ODATA_FLOOR:
    case ODATA_CEILING:
        *ret = rounded(e->function, &args[0]);
        break;
    case ODATA_CAST:
        *ret = cast(ctx, e, &args[0]);
        break;
    case ODATA_ISOF:
        for (enum edm_kind k = EDM_BINARY; k < EDM_ENUM; k++)
            if (strcmp(edm_kind_name(k), e->variable) == 0)
                *ret = odata_bool(is_of_kind(&args[0], k));
        break;
    default:
        *ret = part_of(e->function, &args[0]);
        break;
    }
    return 0;
}
