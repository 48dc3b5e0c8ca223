/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators are rows of a table: how their argument is read, and what they ask of a value. Those of
 * version 0.1 keep to what that language's evaluator does: a value of another type is not an error
 * but does not match, equality is that of values, order is that of numbers or of code points.
 */
#include "engine/state/change.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "grading/predicate_impl.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <utf8proc.h>

/* ---- values ---- */

/* A number; in version 0.1 true and false are 1 and 0 too, as that language's evaluator has them.
 */
static bool number_of(const struct json *v, bool loose, double *ret)
{
    if (loose && v && v->type == JSON_BOOL) {
        *ret = v->truth;
        return true;
    }
    return v && v->type == JSON_NUMBER && json_double(v, ret) == 0;
}

/* Whole numbers are compared with all of their digits. */
static bool equal_numbers(const struct json *a, const struct json *b, bool loose)
{
    int64_t i, k;
    double x, y;
    if (json_i64(a, &i) == 0 && json_i64(b, &k) == 0)
        return i == k;
    return number_of(a, loose, &x) && number_of(b, loose, &y) && x == y;
}

bool values_equal(const struct json *a, const struct json *b, bool loose)
{
    if (!a || !b)
        return (!a || a->type == JSON_NULL) && (!b || b->type == JSON_NULL);
    if (a->type == JSON_NUMBER || b->type == JSON_NUMBER)
        return equal_numbers(a, b, loose);
    if (a->type != b->type || a->type == JSON_NULL)
        return a->type == b->type;
    switch (a->type) {
    case JSON_ARRAY:
        if (a->n != b->n)
            return false;
        for (uint32_t i = 0; i < a->n; i++)
            if (!values_equal(&a->items[i], &b->items[i], loose))
                return false;
        return true;
    case JSON_OBJECT:
        if (a->n != b->n)
            return false;
        for (uint32_t i = 0; i < a->n; i++)
            if (!json_get(b, a->members[i].key) ||
                !values_equal(&a->members[i].value, json_get(b, a->members[i].key), loose))
                return false;
        return true;
    default:
        return json_same(a, b);
    }
}

static bool is_text(const struct json *v)
{
    return v && v->type == JSON_STRING;
}

static bool is_list(const struct json *v)
{
    return v && v->type == JSON_ARRAY;
}

static bool is_null(const struct json *v)
{
    return !v || v->type == JSON_NULL;
}

/* In lower case, letter by letter. */
static const char *lower(struct arena *a, const char *text, size_t *len)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < *len;) {
        utf8proc_int32_t c;
        utf8proc_uint8_t bytes[4];
        utf8proc_ssize_t n =
            utf8proc_iterate((const utf8proc_uint8_t *)text + i, (utf8proc_ssize_t)(*len - i), &c);
        if (n <= 0)
            break;
        i += (size_t)n;
        n = utf8proc_encode_char(utf8proc_tolower(c), bytes);
        buf_add(&b, bytes, (size_t)n);
        if (c == 0x130) /* the one letter that becomes two: i with its dot */
            buf_puts(&b, "\u0307");
    }
    *len = b.len;
    const char *out = arena_memdup(a, buf_str(&b), b.len);
    a->failed |= buf_failed(&b);
    buf_done(&b);
    return out;
}

static bool has(const char *text, size_t len, const char *what, size_t n)
{
    return memmem(text, len, what, n) != NULL;
}

/* As the evaluator of version 0.1 writes JSON, in ASCII alone: the rest as \\uXXXX. */
static const char *in_ascii(struct arena *a, const char *text)
{
    struct buf b;
    size_t len = strlen(text);
    buf_init(&b, 0);
    for (size_t i = 0; i < len;) {
        utf8proc_int32_t c;
        utf8proc_ssize_t n =
            utf8proc_iterate((const utf8proc_uint8_t *)text + i, (utf8proc_ssize_t)(len - i), &c);
        if (n <= 0)
            break;
        if (c < 0x80)
            buf_byte(&b, (char)c);
        else if (c < 0x10000)
            buf_printf(&b, "\\u%04x", (unsigned)c);
        else
            buf_printf(&b, "\\u%04x\\u%04x", 0xd7c0 + ((unsigned)c >> 10),
                       0xdc00 + ((unsigned)c & 0x3ff));
        i += (size_t)n;
    }
    const char *out = arena_memdup(a, buf_str(&b), b.len);
    a->failed |= buf_failed(&b);
    buf_done(&b);
    return out;
}

/* A list or an object is looked through as its JSON. */
static const char *searched(const struct ask *a, size_t *ret_len)
{
    const struct json *v = a->value;
    const char *text = NULL;
    if (is_text(v)) {
        *ret_len = v->n;
        return v->str;
    }
    if (v && (v->type == JSON_ARRAY || v->type == JSON_OBJECT)) {
        text = json_to_text(a->c->arena, v);
        if (a->c->loose)
            text = in_ascii(a->c->arena, text);
        *ret_len = strlen(text);
    }
    return text;
}

/* ---- operators of version 0.1 ---- */

static bool op_eq(const struct ask *a)
{
    return values_equal(a->value, a->argument, a->c->loose);
}

static bool op_ne(const struct ask *a)
{
    return !values_equal(a->value, a->argument, a->c->loose);
}

static bool in_list(const struct json *v, const struct json *list, bool loose)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (values_equal(v, &list->items[i], loose))
            return true;
    return false;
}

static bool op_in(const struct ask *a)
{
    if (is_list(a->argument))
        return in_list(a->value, a->argument, a->c->loose);
    return is_text(a->argument) && is_text(a->value) &&
           has(a->argument->str, a->argument->n, a->value->str, a->value->n);
}

static bool op_not_in(const struct ask *a)
{
    if (is_list(a->argument))
        return !in_list(a->value, a->argument, a->c->loose);
    return is_text(a->argument) && is_text(a->value) &&
           !has(a->argument->str, a->argument->n, a->value->str, a->value->n);
}

static bool contains(const struct ask *a, bool fold, bool wanted)
{
    size_t len, n;
    const char *text = is_text(a->argument) ? searched(a, &len) : NULL, *what;
    if (!text)
        return false;
    what = a->argument->str;
    n = a->argument->n;
    if (fold) {
        text = lower(a->c->arena, text, &len);
        what = lower(a->c->arena, what, &n);
    }
    return has(text, len, what, n) == wanted;
}

static bool op_contains(const struct ask *a)
{
    return contains(a, false, true);
}

static bool op_not_contains(const struct ask *a)
{
    return contains(a, false, false);
}

static bool op_i_contains(const struct ask *a)
{
    return contains(a, true, true);
}

static bool at_end(const struct ask *a, bool fold, bool end)
{
    const struct json *v = a->value, *w = a->argument;
    if (!is_text(v) || !is_text(w))
        return false;
    const char *text = v->str, *what = w->str;
    size_t len = v->n, n = w->n;
    if (fold) {
        text = lower(a->c->arena, text, &len);
        what = lower(a->c->arena, what, &n);
    }
    return n <= len && memcmp(end ? text + len - n : text, what, n) == 0;
}

static bool op_starts(const struct ask *a)
{
    return at_end(a, false, false);
}

static bool op_ends(const struct ask *a)
{
    return at_end(a, false, true);
}

static bool op_i_starts(const struct ask *a)
{
    return at_end(a, true, false);
}

static bool op_i_ends(const struct ask *a)
{
    return at_end(a, true, true);
}

/* -2: they have no order. */
static int order(const struct ask *ask)
{
    const struct json *a = ask->value, *b = ask->argument;
    int64_t i, k;
    double x, y;
    if (is_text(a) && is_text(b)) {
        int r = memcmp(a->str, b->str, a->n < b->n ? a->n : b->n);
        return r ? (r > 0) - (r < 0) : (a->n > b->n) - (a->n < b->n);
    }
    if (json_i64(a, &i) == 0 && json_i64(b, &k) == 0)
        return (i > k) - (i < k);
    if (number_of(a, ask->c->loose, &x) && number_of(b, ask->c->loose, &y))
        return (x > y) - (x < y);
    return -2;
}

static bool op_gt(const struct ask *a)
{
    return order(a) == 1;
}

static bool op_gte(const struct ask *a)
{
    return order(a) >= 0;
}

static bool op_lt(const struct ask *a)
{
    return order(a) == -1;
}

static bool op_lte(const struct ask *a)
{
    int r = order(a);
    return r == 0 || r == -1;
}

static bool op_exists(const struct ask *a)
{
    bool wanted = json_is_true(a->argument);
    return !is_null(a->value) == wanted;
}

/* Whether a list, or a text, has an item. */
static bool has_item(const struct ask *a, const struct json *item)
{
    const struct json *v = a->value;
    return is_list(v) ? in_list(item, v, a->c->loose)
                      : is_text(v) && is_text(item) && has(v->str, v->n, item->str, item->n);
}

static bool op_has_any(const struct ask *a)
{
    for (uint32_t i = 0; is_list(a->argument) && i < a->argument->n; i++)
        if (has_item(a, &a->argument->items[i]))
            return true;
    return false;
}

static bool op_has_all(const struct ask *a)
{
    if (!is_list(a->value) && !is_text(a->value))
        return false;
    for (uint32_t i = 0; is_list(a->argument) && i < a->argument->n; i++)
        if (!has_item(a, &a->argument->items[i]))
            return false;
    return true;
}

static bool op_regex(const struct ask *a)
{
    const struct json *v = a->value;
    return is_text(v) && a->p->regex && expression_holds(a->p->regex, v->str, v->n, a->c->work);
}

/* ---- texts that forgive ---- */

static bool op_same_text(const struct ask *a)
{
    struct arena *m = a->c->arena;
    return is_text(a->value) && is_text(a->argument) &&
           strcmp(text_plain(m, a->value->str), text_plain(m, a->argument->str)) == 0;
}

/* One text, or all of a list. */
static bool op_mentions(const struct ask *a)
{
    struct arena *m = a->c->arena;
    if (!is_text(a->value))
        return false;
    const char *plain = text_plain(m, a->value->str);
    if (is_text(a->argument))
        return text_mentions(plain, text_plain(m, a->argument->str));
    for (uint32_t i = 0; i < a->argument->n; i++)
        if (!is_text(&a->argument->items[i]) ||
            !text_mentions(plain, text_plain(m, a->argument->items[i].str)))
            return false;
    return true;
}

static bool op_similar(const struct ask *a)
{
    struct arena *m = a->c->arena;
    const struct json *to =
        a->argument->type == JSON_OBJECT ? json_get(a->argument, "to") : a->argument;
    return is_text(a->value) && is_text(to) &&
           text_is_similar(m, text_plain(m, a->value->str), text_plain(m, to->str), a->p->at_least,
                           a->c->work);
}

/* ---- times ---- */

/* A time as texts say it: an instant, a wall-clock reading in a zone, a date (its midnight there).
 * Also a vendor's object of dateTime or date, with timeZone. */
static bool instant(const struct json *v, const struct tz *zone, int64_t *ret_us)
{
    struct stamp s;
    int64_t days;
    const char *own = json_get_str(v, "timeZone");
    if (v && v->type == JSON_OBJECT) {
        if (own && tz_find(own))
            zone = tz_find(own);
        v = json_get(v, "dateTime") ? json_get(v, "dateTime")
            : json_get(v, "date")   ? json_get(v, "date")
                                    : json_get(v, "at");
    }
    if (!is_text(v))
        return false;
    if (date_parse(v->str, v->n, &days) == 0) {
        *ret_us = tz_to_utc(zone, days * SECONDS_PER_DAY) * US_PER_SECOND;
        return true;
    }
    char full[STAMP_TEXT + 8];
    bool seconds = v->n < 17 ? v->n < 16 : v->str[16] == ':'; /* people leave them out */
    size_t head = v->n < 16 ? v->n : 16, more = seconds ? 0 : 3, n = v->n + more;
    if (n >= sizeof full)
        return false;
    memcpy(full, v->str, head);
    memcpy(full + head, ":00", more);
    memcpy(full + head + more, v->str + head, v->n - head);
    if (stamp_parse(full, n, true, &s) < 0)
        return false;
    if (s.has_offset) {
        *ret_us = s.local_us - s.offset * US_PER_SECOND;
    } else {
        int64_t local = s.local_us / US_PER_SECOND - (s.local_us % US_PER_SECOND < 0);
        *ret_us = tz_to_utc(zone, local) * US_PER_SECOND + (s.local_us - local * US_PER_SECOND);
    }
    return true;
}

static bool times(const struct ask *a, int64_t *ret_value, int64_t *ret_other)
{
    const struct tz *zone = a->p->zone ? a->p->zone : a->c->zone;
    return instant(a->value, zone, ret_value) && instant(a->argument, zone, ret_other);
}

static bool op_same_time(const struct ask *a)
{
    int64_t x, y;
    return times(a, &x, &y) && (x > y ? x - y : y - x) <= a->p->within_us;
}

static bool op_before(const struct ask *a)
{
    int64_t x, y;
    return times(a, &x, &y) && x < y;
}

static bool op_after(const struct ask *a)
{
    int64_t x, y;
    return times(a, &x, &y) && x > y;
}

/* ---- lists, and predicates of predicates ---- */

static bool op_same_items(const struct ask *a)
{
    if (!is_list(a->value) || !is_list(a->argument) || a->value->n != a->argument->n)
        return false;
    bool *used = arena_calloc(a->c->arena, a->value->n + 1, sizeof *used);
    for (uint32_t i = 0; i < a->argument->n; i++) {
        uint32_t k = 0;
        while (k < a->value->n &&
               (used[k] || !values_equal(&a->value->items[k], &a->argument->items[i], false)))
            k++;
        if (k == a->value->n)
            return false;
        used[k] = true;
    }
    return true;
}

static uint32_t matching(const struct ask *a)
{
    uint32_t n = 0;
    for (uint32_t i = 0; is_list(a->value) && i < a->value->n; i++)
        n += conditions_hold(a->c, a->p->items, &a->value->items[i]);
    return n;
}

static bool op_some(const struct ask *a)
{
    return matching(a) > 0;
}

static bool op_every(const struct ask *a)
{
    return is_list(a->value) && a->value->n && matching(a) == a->value->n;
}

static bool op_none(const struct ask *a)
{
    return matching(a) == 0;
}

static bool op_length(const struct ask *a)
{
    const struct json *v = a->value;
    if (!v || (v->type != JSON_ARRAY && v->type != JSON_STRING && v->type != JSON_OBJECT))
        return false;
    uint32_t letters = v->n;
    for (uint32_t i = 0; v->type == JSON_STRING && i < v->n; i++)
        letters -= ((unsigned char)v->str[i] & 0xc0) == 0x80;
    char *text = arena_printf(a->c->arena, "%u", letters);
    const struct json n = {.type = JSON_NUMBER, .n = (uint32_t)strlen(text), .str = text};
    return predicate_holds(a->c, a->p->inner, &n);
}

static bool op_not(const struct ask *a)
{
    return !predicate_holds(a->c, a->p->inner, a->value);
}

static bool op_any_of(const struct ask *a)
{
    for (uint32_t i = 0; i < a->p->argument->n; i++)
        if (predicate_holds(a->c, &a->p->inner[i], a->value))
            return true;
    return false;
}

/* ---- reading ---- */

int predicate_variables(struct reading *r, const struct json *v)
{
    int rc = 0;
    if (r->loose || !r->fn)
        return 0;
    if (v->type == JSON_STRING) {
        for (const char *p = v->str; (p = strstr(p, "${")); p++) {
            size_t n = variable_name(p);
            if (n && r->fn(r->arg, r->d, v, arena_memdup(r->d->arena, p + 2, n)) < 0)
                return -1;
        }
    }
    for (uint32_t i = 0; v->type == JSON_ARRAY && rc == 0 && i < v->n; i++)
        rc = predicate_variables(r, &v->items[i]);
    for (uint32_t i = 0; v->type == JSON_OBJECT && rc == 0 && i < v->n; i++)
        rc = predicate_variables(r, &v->members[i].value);
    return rc;
}

static int read_any(struct reading *r, const struct json *value, struct predicate *p)
{
    (void)p;
    return predicate_variables(r, value);
}

static int read_list(struct reading *r, const struct json *value, struct predicate *p)
{
    if (value->type != JSON_ARRAY)
        return doc_expect(r->d, value, p->op->name, "a list");
    return predicate_variables(r, value);
}

/* In version 0.1 also a text that values are searched for in. */
static int read_among(struct reading *r, const struct json *value, struct predicate *p)
{
    return r->loose && value->type == JSON_STRING ? 0 : read_list(r, value, p);
}

static int read_text(struct reading *r, const struct json *value, struct predicate *p)
{
    if (value->type != JSON_STRING && !r->loose)
        return doc_expect(r->d, value, p->op->name, "a text");
    return predicate_variables(r, value);
}

static int read_bool(struct reading *r, const struct json *value, struct predicate *p)
{
    if (value->type != JSON_BOOL)
        return doc_expect(r->d, value, p->op->name, "true or false");
    return 0;
}

static int read_texts(struct reading *r, const struct json *value, struct predicate *p)
{
    for (uint32_t i = 0; value->type == JSON_ARRAY && i < value->n; i++)
        if (value->items[i].type != JSON_STRING)
            return doc_expect(r->d, &value->items[i], p->op->name, "a list of texts");
    if (value->type != JSON_ARRAY && value->type != JSON_STRING)
        return doc_expect(r->d, value, p->op->name, "a text or a list of them");
    return predicate_variables(r, value);
}

static int read_regex(struct reading *r, const struct json *value, struct predicate *p)
{
    PCRE2_SIZE at;
    PCRE2_UCHAR why[128];
    int code;
    if (value->type != JSON_STRING)
        return doc_expect(r->d, value, "regex", "a text");
    if (value->n > 4096)
        return doc_fail(r->d, value, "regex", "must have 4096 bytes at most, not %u", value->n);
    size_t name;
    for (const char *at_name = value->str; !r->loose && (at_name = strstr(at_name, "${"));
         at_name++)
        if ((name = variable_name(at_name)))
            return doc_fail(r->d, value, "regex",
                            "must not have variables, has \"${%.*s}\" (contains and eq may)",
                            (int)name, at_name + 2);
    p->regex = expression_read(value->str, value->n, r->loose, &code, &at);
    if (p->regex || r->loose)
        return 0; /* version 0.1 takes what is not good, and it matches nothing */
    pcre2_get_error_message(code, why, sizeof why);
    return doc_fail(r->d, value, "regex", "must be a regular expression (PCRE2): %s at place %zu",
                    (char *)why, (size_t)at);
}

static int read_similar(struct reading *r, const struct json *value, struct predicate *p)
{
    static const char *const members[] = {"to", "at_least", NULL};
    p->at_least = 0.85;
    if (value->type == JSON_STRING)
        return predicate_variables(r, value);
    size_t mark = doc_push(r->d, "similar", -1);
    const char *to;
    if (doc_object(r->d, value, members) < 0 || doc_str(r->d, value, "to", true, &to) < 0)
        return -1;
    const struct json *least = json_get(value, "at_least");
    if (least && (json_double(least, &p->at_least) < 0 || !(p->at_least > 0 && p->at_least <= 1)))
        return doc_expect(r->d, least, "at_least", "a number above 0 and up to 1");
    doc_pop(r->d, mark);
    return predicate_variables(r, value);
}

/* "90s", "5m", "2h", "1d". */
static bool span(const char *text, int64_t *ret_us)
{
    char *end;
    long n = strtol(text, &end, 10);
    int64_t unit = *end == 's'   ? 1
                   : *end == 'm' ? 60
                   : *end == 'h' ? 3600
                   : *end == 'd' ? 86400
                                 : 0;
    if (end == text || !unit || end[1] || n < 0 || n > 100000)
        return false;
    *ret_us = n * unit * US_PER_SECOND;
    return true;
}

static int read_time(struct reading *r, const struct json *value, struct predicate *p)
{
    static const char *const members[] = {"at", "zone", "within", NULL};
    const char *at = NULL, *zone = NULL, *within = NULL;
    int64_t us;
    size_t mark = doc_push(r->d, p->op->name, -1);
    if (value->type == JSON_OBJECT &&
        (doc_object(r->d, value, members) < 0 || doc_str(r->d, value, "at", true, &at) < 0 ||
         doc_str(r->d, value, "zone", false, &zone) < 0 ||
         doc_str(r->d, value, "within", false, &within) < 0))
        return -1;
    if (value->type == JSON_STRING)
        at = value->str;
    if (!at)
        return doc_expect(r->d, value, NULL, "a time, or {at, zone, within}");
    if (zone && !(p->zone = tz_find(zone)))
        return doc_fail(r->d, value, "zone", "unknown time zone \"%.60s\"", zone);
    if (within && !span(within, &p->within_us))
        return doc_fail(r->d, value, "within",
                        "must be a time such as 90s, 15m or 2h, not \"%.40s\"", within);
    const struct json text = {.type = JSON_STRING, .n = (uint32_t)strlen(at), .str = at};
    if (!strstr(at, "${") && !instant(&text, tz_find("UTC"), &us))
        return doc_fail(r->d, value, NULL,
                        "must be a time (2026-11-27T16:00, with or without an "
                        "offset) or a date, not \"%.40s\"",
                        at);
    doc_pop(r->d, mark);
    return predicate_variables(r, value);
}

static int read_items(struct reading *r, const struct json *value, struct predicate *p)
{
    size_t mark = doc_push(r->d, p->op->name, -1);
    if (value->type != JSON_OBJECT)
        return doc_expect(r->d, value, NULL, "an object of predicates by path");
    int rc = conditions_read(r->d, value, r->loose, r->fn, r->arg, &p->items);
    doc_pop(r->d, mark);
    return rc;
}

static int read_inner(struct reading *r, const struct json *value, struct predicate *p)
{
    size_t mark = doc_push(r->d, p->op->name, -1);
    int rc = predicate_read(r->d, value, r->loose, r->fn, r->arg, &p->inner);
    doc_pop(r->d, mark);
    return rc;
}

static int read_alternatives(struct reading *r, const struct json *value, struct predicate *p)
{
    struct predicate *list;
    if (value->type != JSON_ARRAY || !value->n)
        return doc_expect(r->d, value, "any_of", "a list of predicates");
    p->inner = list = arena_calloc(r->d->arena, value->n, sizeof *list);
    for (uint32_t i = 0; i < value->n; i++) {
        const struct predicate *one;
        size_t mark = doc_push(r->d, "any_of", i);
        if (predicate_read(r->d, &value->items[i], r->loose, r->fn, r->arg, &one) < 0)
            return -1;
        list[i] = *one;
        doc_pop(r->d, mark);
    }
    return 0;
}

static int read_variable(struct reading *r, const struct json *value, struct predicate *p)
{
    (void)p;
    if (value->type != JSON_STRING)
        return doc_fail(r->d, value, "var", "must be the name of a variable");
    return r->fn ? r->fn(r->arg, r->d, value, value->str) : 0;
}

static bool op_var(const struct ask *a)
{
    const struct variables *v = &a->c->variables;
    for (size_t i = v->n; i-- > 0;)
        if (strcmp(v->list[i].name, a->p->argument->str) == 0)
            return values_equal(a->value, v->list[i].value, false);
    return false;
}

static const struct operator_row operators[] = {
    {"eq", true, read_any, op_eq},
    {"ne", true, read_any, op_ne},
    {"in", true, read_among, op_in},
    {"not_in", true, read_among, op_not_in},
    {"contains", true, read_text, op_contains},
    {"not_contains", true, read_text, op_not_contains},
    {"i_contains", true, read_text, op_i_contains},
    {"starts_with", true, read_text, op_starts},
    {"ends_with", true, read_text, op_ends},
    {"i_starts_with", true, read_text, op_i_starts},
    {"i_ends_with", true, read_text, op_i_ends},
    {"regex", true, read_regex, op_regex},
    {"gt", true, read_any, op_gt},
    {"gte", true, read_any, op_gte},
    {"lt", true, read_any, op_lt},
    {"lte", true, read_any, op_lte},
    {"exists", true, read_bool, op_exists},
    {"has_any", true, read_list, op_has_any},
    {"has_all", true, read_list, op_has_all},
    {"same_text", false, read_text, op_same_text},
    {"mentions", false, read_texts, op_mentions},
    {"similar", false, read_similar, op_similar},
    {"same_time", false, read_time, op_same_time},
    {"before", false, read_time, op_before},
    {"after", false, read_time, op_after},
    {"same_items", false, read_list, op_same_items},
    {"some", false, read_items, op_some},
    {"every", false, read_items, op_every},
    {"none", false, read_items, op_none},
    {"length", false, read_inner, op_length},
    {"not", false, read_inner, op_not},
    {"any_of", false, read_alternatives, op_any_of},
    {"var", false, read_variable, op_var},
};

const struct operator_row *predicate_operator(const char *name, bool loose)
{
    for (size_t i = 0; i < SOSIA_LEN(operators); i++)
        if (strcmp(operators[i].name, name) == 0 && (operators[i].basic || !loose))
            return &operators[i];
    return NULL;
}
