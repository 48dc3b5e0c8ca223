/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests with names in them: "${=id}" is what the name has, "${token:ada}" and "${email:ada}" are
 * an actor's, "${now}", "${now+2h}" and "${now-20d}" times by the world's clock.
 */
#include "conformance/cassette/pattern_impl.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"

enum { TEMPLATE_DEEP = 90 };

/* "", "+2h", "-20d": microseconds; -1: none. */
static int parse_shift(const char *text, int64_t *ret_us)
{
    static const char units[] = "smhdw";
    static const int64_t seconds[] = {1, 60, 3600, 86400, 604800};
    int64_t n, us;
    size_t len = strlen(text);
    *ret_us = 0;
    if (!len)
        return 0;
    const char *unit = len >= 3 ? strchr(units, text[len - 1]) : NULL;
    if (!unit || (*text != '+' && *text != '-') || text[1] == '-' ||
        parse_i64(text + 1, len - 2, &n) < 0 ||
        __builtin_mul_overflow(n, seconds[unit - units] * US_PER_SECOND, &us))
        return -1;
    *ret_us = *text == '-' ? -us : us;
    return 0;
}

/* ---- looking at it ---- */

static bool known_actor(const char *name, const char *const *actors)
{
    for (; *actors; actors++)
        if (strcmp(*actors, name) == 0)
            return true;
    return false;
}

static int check_marker(struct pattern_set *set, struct doc *d, const struct json *at,
                        const char *content, const char *const *actors)
{
    int64_t us;
    if (content[0] == '=') {
        if (map_get(&set->captures, content + 1))
            return 0;
        return doc_fail(d, at, NULL, "nothing before this gives \"%.64s\" a value", content + 1);
    }
    if (str_starts(content, "token:") || str_starts(content, "email:")) {
        if (known_actor(content + 6, actors))
            return 0;
        return doc_fail(d, at, NULL, "there is no actor \"%.64s\"", content + 6);
    }
    if (str_starts(content, "now") && parse_shift(content + 3, &us) == 0)
        return 0;
    return doc_fail(
        d, at, NULL,
        "\"${%.60s}\" is not a placeholder (known: a captured value ${=NAME}, ${token:ACTOR}, "
        "${email:ACTOR}, ${now+2h})",
        content);
}

int template_check_text(struct pattern_set *set, struct doc *d, const struct json *at,
                        const char *text, const char *const *actors)
{
    const char *content;
    size_t len, n;
    for (const char *p = text; *p;) {
        if (strncmp(p, "$${", 3) == 0) {
            p += 3;
        } else if (strncmp(p, "${", 2) != 0) {
            p++;
        } else {
            if (!(n = marker_at(p, &content, &len)))
                return doc_fail(d, at, NULL, "\"%.60s\" has no end", p);
            if (check_marker(set, d, at, arena_memdup(set->arena, content, len), actors) < 0)
                return -1;
            p += n;
        }
    }
    return 0;
}

static int check_value(struct pattern_set *set, struct doc *d, const struct json *value,
                       const char *const *actors, unsigned depth)
{
    int rc = 0;
    if (depth >= TEMPLATE_DEEP)
        return doc_fail(d, value, NULL, "is nested too deep");
    if (value->type == JSON_STRING)
        return template_check_text(set, d, value, value->str, actors);
    for (uint32_t i = 0; value->type == JSON_ARRAY && i < value->n && rc == 0; i++) {
        size_t mark = push_item(d, i);
        rc = check_value(set, d, &value->items[i], actors, depth + 1);
        doc_pop(d, mark);
    }
    for (uint32_t i = 0; value->type == JSON_OBJECT && i < value->n && rc == 0; i++) {
        size_t mark = doc_push(d, value->members[i].key, -1);
        rc = check_value(set, d, &value->members[i].value, actors, depth + 1);
        doc_pop(d, mark);
    }
    return rc;
}

int template_check(struct pattern_set *set, struct doc *d, const struct json *value,
                   const char *const *actors)
{
    return check_value(set, d, value, actors, 0);
}

int template_check_body(struct doc *d, const struct json *body)
{
    const struct json *inner;
    const char *what = wrapper_of(d->arena, body, &inner);
    if (!what)
        return 0;
    if (strcmp(what, "text") == 0)
        return inner->type == JSON_STRING ? 0 : doc_fail(d, inner, NULL, "must be a text");
    if (strcmp(what, "base64") == 0) {
        uint8_t *data;
        size_t len;
        return inner->type == JSON_STRING &&
                       base64_decode(d->arena, inner->str, inner->n, &data, &len) == 0
                   ? 0
                   : doc_fail(d, inner, NULL, "must be base64");
    }
    if (strcmp(what, "lines") != 0 && strcmp(what, "form") != 0)
        return doc_fail(d, inner, NULL,
                        "\"${%.60s}\" is not a placeholder (known: ${text}, ${lines}, "
                        "${form}, ${base64})",
                        what);
    bool form = strcmp(what, "form") == 0;
    if (inner->type != (form ? JSON_OBJECT : JSON_ARRAY))
        return doc_fail(d, inner, NULL, form ? "must be an object" : "must be a list of lines");
    for (uint32_t i = 0; i < inner->n; i++) {
        const struct json *v = form ? &inner->members[i].value : &inner->items[i];
        if (v->type != JSON_STRING)
            return doc_fail(d, v, NULL, "must be a text");
    }
    return 0;
}

/* ---- filling it in ---- */

static int no_value(struct sosia_err *err, const char *content)
{
    return sosia_fail(err, SOSIA_E_INVALID, "noValue", NULL, "\"${%.64s}\" has no value", content);
}

/* A scalar as the text that stands for it inside of another. */
static const char *scalar_text(const struct json *v)
{
    if (v->type == JSON_STRING || v->type == JSON_NUMBER)
        return v->str;
    return v->type == JSON_BOOL ? v->truth ? "true" : "false" : NULL;
}

static int marker_text(struct arena *a, const char *content, const struct template_names *names,
                       const char **ret, struct sosia_err *err)
{
    int64_t us;
    const char *text = NULL;
    if (content[0] == '=') {
        const struct json *v = captures_get(names->captures, content + 1);
        text = v ? scalar_text(v) : NULL;
    } else if (str_starts(content, "token:") || str_starts(content, "email:")) {
        const char *what = content[0] == 't' ? "token" : "email";
        text = names->actor(names->arg, what, content + 6);
    } else if (str_starts(content, "now") && parse_shift(content + 3, &us) == 0) {
        char *stamp = arena_alloc(a, STAMP_TEXT);
        if (!__builtin_add_overflow(names->now_us, us, &us)) {
            stamp_format(stamp, us, 0, 3, true);
            text = stamp;
        }
    }
    if (!text)
        return no_value(err, content);
    *ret = text;
    return 0;
}

int template_text(struct arena *a, const char *text, const struct template_names *names,
                  bool encode, const char **ret_text, struct sosia_err *err)
{
    const char *content, *value;
    size_t len, n;
    struct buf b;
    int rc = 0;
    buf_init(&b, 0);
    for (const char *p = text; *p && rc == 0;) {
        if (strncmp(p, "$${", 3) == 0) {
            buf_puts(&b, "${");
            p += 3;
        } else if (strncmp(p, "${", 2) == 0 && (n = marker_at(p, &content, &len))) {
            rc = marker_text(a, arena_memdup(a, content, len), names, &value, err);
            if (rc == 0 && encode)
                percent_add(&b, value, strlen(value));
            else if (rc == 0)
                buf_puts(&b, value);
            p += n;
        } else {
            buf_byte(&b, *p++);
        }
    }
    if (rc == 0 && (buf_failed(&b) || arena_failed(a)))
        rc = sosia_fail_memory(err);
    if (rc == 0)
        *ret_text = arena_memdup(a, b.data ? b.data : "", b.len);
    buf_done(&b);
    return rc;
}

/* The name of a text that is one "${=name}"; NULL: it is another. */
static const char *whole_reference(struct arena *a, const char *text)
{
    const char *content;
    size_t len, n = strncmp(text, "${=", 3) == 0 ? marker_at(text, &content, &len) : 0;
    return n && !text[n] ? arena_memdup(a, content + 1, len - 1) : NULL;
}

/* Writes a JSON value with its texts filled in; a text that is one "${=name}" becomes the value
 * with its type. */
static int template_json(struct arena *a, struct json_writer *w, const char *key,
                         const struct json *value, const struct template_names *names,
                         struct sosia_err *err)
{
    int rc = 0;
    const char *text;
    if (value->type == JSON_STRING) {
        const char *name = whole_reference(a, value->str);
        const struct json *v = name ? captures_get(names->captures, name) : NULL;
        if (name && !v)
            return no_value(err, name);
        if (v)
            json_value(w, key, v);
        else if ((rc = template_text(a, value->str, names, false, &text, err)) == 0)
            json_str(w, key, text);
    } else if (value->type == JSON_ARRAY) {
        json_arr(w, key);
        for (uint32_t i = 0; i < value->n && rc == 0; i++)
            rc = template_json(a, w, NULL, &value->items[i], names, err);
        json_end(w);
    } else if (value->type == JSON_OBJECT) {
        json_obj(w, key);
        for (uint32_t i = 0; i < value->n && rc == 0; i++)
            rc = template_json(a, w, value->members[i].key, &value->members[i].value, names, err);
        json_end(w);
    } else {
        json_value(w, key, value);
    }
    return rc;
}

static int form_body(struct arena *a, struct buf *out, const struct json *form,
                     const struct template_names *names, struct sosia_err *err)
{
    const char *text;
    for (uint32_t i = 0; i < form->n; i++) {
        const struct json_member *m = &form->members[i];
        if (template_text(a, m->value.str, names, false, &text, err) < 0)
            return -1;
        if (i)
            buf_byte(out, '&');
        percent_add(out, m->key, m->key_len);
        buf_byte(out, '=');
        percent_add(out, text, strlen(text));
    }
    return 0;
}

static int lines_body(struct arena *a, struct buf *out, const struct json *lines,
                      const struct template_names *names, struct sosia_err *err)
{
    const char *text;
    for (uint32_t i = 0; i < lines->n; i++) {
        if (template_text(a, lines->items[i].str, names, false, &text, err) < 0)
            return -1;
        buf_puts(out, i ? "\r\n" : "");
        buf_puts(out, text);
    }
    return 0;
}

int template_body(struct arena *a, struct buf *out, const struct json *body,
                  const struct template_names *names, const char **ret_type, struct sosia_err *err)
{
    const struct json *inner;
    const char *what = wrapper_of(a, body, &inner), *text;
    *ret_type = "text/plain; charset=utf-8";
    if (what && strcmp(what, "form") == 0) {
        *ret_type = "application/x-www-form-urlencoded";
        return form_body(a, out, inner, names, err);
    }
    if (what && strcmp(what, "lines") == 0)
        return lines_body(a, out, inner, names, err);
    if (what && strcmp(what, "base64") == 0) {
        uint8_t *data;
        size_t len;
        *ret_type = "application/octet-stream";
        if (base64_decode(a, inner->str, inner->n, &data, &len) < 0)
            return sosia_fail(err, SOSIA_E_INVALID, "base64", NULL, "a body is not base64");
        buf_add(out, data, len);
        return 0;
    }
    if (what || body->type == JSON_STRING) {
        if (template_text(a, what ? inner->str : body->str, names, false, &text, err) < 0)
            return -1;
        buf_puts(out, text);
        return 0;
    }
    struct json_writer w;
    *ret_type = "application/json";
    json_init(&w, out, false, NULL);
    return template_json(a, &w, NULL, body, names, err);
}
