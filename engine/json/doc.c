/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/json/doc.h"
#include "engine/base/utf8.h"
#include "engine/json/yaml.h"
#include "engine/text/civil.h"
#include <stdio.h>
#include <stdlib.h>

enum { WHERE_MAX = 90 }; /* of a path, in bytes: the rest of the text is the message's */

static bool looks_like_json(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len &&
           (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t'))
        at++;
    return at < len && (text[at] == '{' || text[at] == '[');
}

int doc_open(struct doc *d, struct arena *a, const char *text, size_t len, const char *name,
             size_t max_size, const struct json **ret_value, struct sosia_err *err)
{
    struct json_limits limits = {.max_size = max_size, .unique_keys = true};
    struct sosia_err found = {0};
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        text += 3;
        len -= 3;
    }
    *d = (struct doc){.arena = a, .text = text, .len = len, .name = name, .err = err, .line = 1};
    int rc = -1;
    if (looks_like_json(text, len)) {
        rc = json_parse(a, text, len, &limits, ret_value, &found);
        if (rc < 0 && found.code == SOSIA_E_INVALID)
            rc = yaml_parse(a, text, len, &limits, ret_value, NULL);
    } else {
        rc = yaml_parse(a, text, len, &limits, ret_value, &found);
    }
    if (rc == 0) {
        d->top = *ret_value;
        return 0;
    }
    if (found.line)
        sosia_fail(err, found.code, "seed", NULL, "%s:%d: %s", name, found.line, found.text);
    else
        sosia_fail(err, found.code, "seed", NULL, "%s: %s", name, found.text);
    if (err)
        err->line = found.line;
    return -1;
}

size_t doc_push(struct doc *d, const char *member, int64_t index)
{
    size_t mark = d->path_len, room = sizeof d->path - mark;
    const char *dot = mark && member ? "." : "";
    int n = index < 0 ? snprintf(d->path + mark, room, "%s%s", dot, member)
                      : snprintf(d->path + mark, room, "%s%s[%lld]", dot, member ? member : "",
                                 (long long)index);
    d->path_len = n < 0 ? mark : (size_t)n < room ? mark + (size_t)n : sizeof d->path - 1;
    return mark;
}

int doc_line(struct doc *d, const struct json *at)
{
    size_t to = at->at < d->len ? at->at : d->len, from = d->line_at;
    bool back = to < from;
    const char *end = d->text + (back ? from : to);
    for (const char *p = d->text + (back ? to : from);
         p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        d->line += back ? -1 : 1;
    d->line_at = to;
    return d->line;
}

/* message: in the arena. */
static int fault_at(struct doc *d, const struct json *at, const char *member, const char *message)
{
    size_t mark = d->path_len;
    if (member)
        doc_push(d, member, -1);
    int line = at ? json_line(d->text, d->len, at->at) : 0;
    size_t where = utf8_truncate(d->path, d->path_len, WHERE_MAX);
    const char *colon = where ? ": " : "";
    if (arena_failed(d->arena))
        return sosia_fail_memory(d->err);
    if (line)
        sosia_fail(d->err, SOSIA_E_INVALID, "seed", NULL, "%s:%d: %.*s%s%s", d->name, line,
                   (int)where, d->path, colon, message);
    else
        sosia_fail(d->err, SOSIA_E_INVALID, "seed", NULL, "%s: %.*s%s%s", d->name, (int)where,
                   d->path, colon, message);
    if (d->err) {
        /* The path is stored behind the text, so that it lives as long. */
        char *text = d->err->text;
        size_t end = utf8_truncate(text, strlen(text), sizeof d->err->text - where - 2);
        text[end] = 0;
        memcpy(text + end + 1, d->path, where);
        text[end + 1 + where] = 0;
        utf8_scrub(text + end + 1);
        d->err->where = text + end + 1;
        d->err->line = line;
    }
    doc_pop(d, mark);
    return -1;
}

int doc_fail(struct doc *d, const struct json *at, const char *member, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *message = arena_vprintf(d->arena, fmt, ap);
    va_end(ap);
    return fault_at(d, at, member, message);
}

int doc_refuse(struct doc *d, const struct json *obj, const char *member, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *message = arena_vprintf(d->arena, fmt, ap);
    va_end(ap);
    return fault_at(d, json_get(obj, member), member, message);
}

const struct json_member *doc_path_member(const struct json *object, const char *path)
{
    const struct json_member *found = NULL;
    for (uint32_t i = 0; object->type == JSON_OBJECT && i < object->n; i++) {
        const struct json_member *m = &object->members[i];
        const size_t n = m->key_len;
        if (n && strncmp(m->key, path, n) == 0 && (!path[n] || path[n] == '.' || path[n] == '[') &&
            (!found || n > found->key_len))
            found = m;
    }
    return found;
}

const struct json *doc_walk(const struct json *value, const char *path)
{
    const struct json *v = value;
    while (v && *path) {
        value = v;
        v = NULL;
        if (*path == '[') {
            char *end;
            const unsigned long i = strtoul(path + 1, &end, 10);
            if (value->type == JSON_ARRAY && *end == ']' && i < value->n)
                v = &value->items[i];
            path = *end ? end + 1 : end;
        } else {
            path += *path == '.';
            const struct json_member *m = doc_path_member(value, path);
            v = m ? &m->value : NULL;
            path += m ? m->key_len : strcspn(path, ".[");
        }
    }
    return v ? v : value;
}

int doc_place(struct doc *d)
{
    char said[sizeof d->err->text];
    const size_t n = strlen(d->name);
    if (!d->err || d->err->code != SOSIA_E_INVALID || d->err->line || !d->top ||
        (strncmp(d->err->text, d->name, n) == 0 && d->err->text[n] == ':'))
        return -1;
    snprintf(said, sizeof said, "%s", d->err->text);
    return doc_fail(d, doc_walk(d->top, d->path), NULL, "%s", said);
}

/* Goes down a path as d->path has them, into every item where it has an index. */
struct search {
    struct doc *d;
    const struct json *at;
    const char *member;
    const struct json *found;
    char path[256]; /* of what was found */
};

static void look_in(struct search *s, const struct json *v, const char *rest, const char *path)
{
    if (!*rest) {
        const struct json *other = json_get(v, s->member);
        if (other && other->type == JSON_STRING && other->at < s->at->at && !s->found &&
            strcmp(other->str, s->at->str) == 0) {
            s->found = other;
            snprintf(s->path, sizeof s->path, "%s.%s", path, s->member);
        }
        return;
    }
    size_t n = strcspn(rest, ".[");
    const char *end = rest[n] == '[' ? strchr(rest + n, ']') : rest + n - 1;
    const char *name = arena_printf(s->d->arena, "%.*s", (int)n, rest),
               *dot = *path && n ? "." : "";
    const struct json *next = n ? json_get(v, name) : v;
    if (!end || !next)
        return;
    end += end[1] == '.' ? 2 : 1;
    if (rest[n] != '[') {
        look_in(s, next, end, arena_printf(s->d->arena, "%s%s%s", path, dot, name));
        return;
    }
    for (uint32_t i = 0; next->type == JSON_ARRAY && i < next->n && !s->found; i++)
        if (next->items[i].at <= s->at->at)
            look_in(s, &next->items[i], end,
                    arena_printf(s->d->arena, "%s%s%s[%u]", path, dot, name, i));
}

int doc_expect(struct doc *d, const struct json *value, const char *member, const char *expected)
{
    const char *came = !value                       ? "missing"
                       : value->type == JSON_OBJECT ? value->n ? "an object" : "an empty object"
                       : value->type == JSON_ARRAY  ? value->n ? "a list" : "an empty list"
                                                    : json_to_text(d->arena, value);
    return doc_fail(d, value, member, "must be %s, not %.80s", expected, came);
}

int doc_fail_twice(struct doc *d, const struct json *at, const char *member)
{
    struct search s = {.d = d, .at = at, .member = member};
    if (!at || at->type != JSON_STRING)
        return doc_fail(d, at, member, "is there already");
    if (d->top && d->path_len)
        look_in(&s, d->top, d->path, "");
    if (!s.found)
        return doc_fail(d, at, member, "\"%.80s\" is there already", at->str);
    int line = json_line(d->text, d->len, s.found->at);
    return doc_fail(d, at, member, "\"%.80s\" is there already: %.90s in line %d", at->str, s.path,
                    line);
}

int doc_taken(struct doc *d, const struct json *obj, const char *member)
{
    return d->err && d->err->code == SOSIA_E_CONFLICT
               ? doc_fail_twice(d, json_get(obj, member), member)
               : -1;
}

static int unknown_member(struct doc *d, const struct json *at, const char *member,
                          const char *const *members)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *const *m = members; *m; m++)
        buf_printf(&b, "%s%s", m == members ? "" : ", ", *m);
    doc_fail(d, at, member, "there is no such field (known: %s)", buf_str(&b));
    buf_done(&b);
    return -1;
}

int doc_object(struct doc *d, const struct json *value, const char *const *members)
{
    if (value->type != JSON_OBJECT)
        return doc_expect(d, value, NULL, "an object");
    for (uint32_t i = 0; i < value->n; i++) {
        const struct json_member *m = &value->members[i];
        const char *const *known = members;
        while (*known && strcmp(*known, m->key) != 0)
            known++;
        struct json at = {.at = m->key_at};
        if (!*known)
            return unknown_member(d, &at, m->key, members);
        if (json_get(value, m->key) != &m->value)
            return doc_fail(d, &at, m->key, "is here twice");
    }
    return 0;
}

/* 1: there; 0: absent; -1. */
static int member_of(struct doc *d, const struct json *obj, const char *member, enum json_type type,
                     const char *type_name, bool required, const struct json **ret)
{
    const struct json *v = json_get(obj, member);
    if (!v || v->type == JSON_NULL)
        return required ? doc_fail(d, obj, member, "is missing") : 0;
    if (v->type != type)
        return doc_expect(d, v, member, type_name);
    *ret = v;
    return 1;
}

int doc_str(struct doc *d, const struct json *obj, const char *member, bool required,
            const char **ret)
{
    const struct json *v = NULL;
    int r = member_of(d, obj, member, JSON_STRING, "a text", required, &v);
    if (r > 0 && required && !v->n)
        return doc_fail(d, v, member, "must not be empty");
    if (r >= 0)
        *ret = r ? v->str : NULL;
    return r < 0 ? -1 : 0;
}

int doc_time(struct doc *d, const struct json *obj, const char *member, int64_t *ret_us)
{
    const char *text;
    struct stamp stamp;
    int64_t days;
    if (doc_str(d, obj, member, false, &text) < 0)
        return -1;
    if (!text)
        return 0;
    size_t n = strlen(text);
    if (date_parse(text, n, &days) == 0) {
        *ret_us = days * US_PER_DAY;
        return 0;
    }
    if (n == 16 && text[10] == 'T') { /* seconds may be left out */
        text = arena_printf(d->arena, "%s:00", text);
        n += 3;
    }
    if (stamp_parse(text, n, true, &stamp) < 0)
        return doc_fail(d, json_get(obj, member), member,
                        "\"%.40s\" is not a time such as 2026-11-23T10:00:00Z", text);
    *ret_us = stamp.local_us - stamp.offset * US_PER_SECOND;
    return 0;
}

int doc_bool(struct doc *d, const struct json *obj, const char *member, bool otherwise, bool *ret)
{
    const struct json *v = NULL;
    int r = member_of(d, obj, member, JSON_BOOL, "true or false", false, &v);
    if (r >= 0)
        *ret = r ? v->truth : otherwise;
    return r < 0 ? -1 : 0;
}

int doc_int(struct doc *d, const struct json *obj, const char *member, int64_t min, int64_t max,
            int64_t otherwise, int64_t *ret)
{
    const struct json *v = NULL;
    int64_t n = otherwise;
    int r = member_of(d, obj, member, JSON_NUMBER, "a number", false, &v);
    if (r < 0)
        return -1;
    if (r && (json_i64(v, &n) < 0 || n < min || n > max))
        return doc_expect(d, v, member,
                          arena_printf(d->arena, "a whole number from %lld to %lld", (long long)min,
                                       (long long)max));
    *ret = n;
    return 0;
}

int doc_enum(struct doc *d, const struct json *obj, const char *member, const char *const *values,
             int otherwise, int *ret)
{
    const struct json *v = NULL;
    int r = member_of(d, obj, member, JSON_STRING, "a text", false, &v);
    if (r <= 0) {
        if (r == 0)
            *ret = otherwise;
        return r;
    }
    struct buf b;
    for (int i = 0; values[i]; i++) {
        if (strcmp(values[i], v->str) == 0) {
            *ret = i;
            return 0;
        }
    }
    buf_init(&b, 0);
    for (int i = 0; values[i]; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", values[i]);
    doc_fail(d, v, member, "\"%.40s\" is none of %s", v->str, buf_str(&b));
    buf_done(&b);
    return -1;
}

int doc_list(struct doc *d, const struct json *obj, const char *member, const struct json **ret)
{
    const struct json *v = NULL;
    int r = member_of(d, obj, member, JSON_ARRAY, "a list", false, &v);
    if (r >= 0)
        *ret = r ? v : NULL;
    return r < 0 ? -1 : 0;
}

int doc_items(struct doc *d, const struct json *obj, const char *member, struct doc_items *ret)
{
    *ret = (struct doc_items){.member = member};
    return doc_list(d, obj, member, &ret->list);
}

const struct json *doc_item(struct doc *d, struct doc_items *it)
{
    if (it->next)
        doc_pop(d, it->mark);
    if (!it->list || it->next == it->list->n)
        return NULL;
    it->mark = doc_push(d, it->member, it->next);
    return &it->list->items[it->next++];
}

int doc_strings(struct doc *d, const struct json *obj, const char *member, const char ***ret,
                size_t *ret_n)
{
    const struct json *list = NULL;
    if (doc_list(d, obj, member, &list) < 0)
        return -1;
    *ret_n = 0;
    *ret = NULL;
    if (!list)
        return 0;
    const char **texts = arena_calloc(d->arena, list->n, sizeof *texts);
    if (arena_failed(d->arena))
        return sosia_fail_memory(d->err);
    for (uint32_t i = 0; i < list->n; i++) {
        if (list->items[i].type != JSON_STRING) {
            size_t mark = doc_push(d, member, i);
            doc_expect(d, &list->items[i], NULL, "a text");
            doc_pop(d, mark);
            return -1;
        }
        texts[i] = list->items[i].str;
    }
    *ret = texts;
    *ret_n = list->n;
    return 0;
}
