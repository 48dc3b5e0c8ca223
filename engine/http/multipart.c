/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/multipart.h"
#include "engine/base/codec.h"
#include <ctype.h>
#include <strings.h>

#define MAX_LINE 16384

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* A parameter's name and value; p is behind the ';'. Gives the place behind it, NULL when
 * malformed. */
static const char *parameter(const char *p, const char **ret_name, size_t *ret_name_len,
                             const char **ret_value, size_t *ret_value_len)
{
    p += strspn(p, " \t");
    *ret_name = p;
    *ret_name_len = strcspn(p, "=; \t");
    p += *ret_name_len;
    if (*p != '=')
        return NULL;
    p++;
    if (*p == '"') {
        *ret_value = ++p;
        *ret_value_len = strcspn(p, "\"\\");
        p += *ret_value_len;
        if (*p++ != '"')
            return NULL;
    } else {
        *ret_value = p;
        *ret_value_len = strcspn(p, "; \t");
        p += *ret_value_len;
    }
    return p + strspn(p, " \t");
}

int multipart_boundary(const char *content_type, char ret_boundary[MULTIPART_BOUNDARY])
{
    const char *p = content_type ? strchr(content_type, ';') : NULL;
    while (p && *p == ';') {
        const char *name, *value;
        size_t name_len, len;
        p = parameter(p + 1, &name, &name_len, &value, &len);
        if (!p || name_len != 8 || strncasecmp(name, "boundary", 8) != 0)
            continue;
        if (!len || len >= MULTIPART_BOUNDARY || is_blank(value[len - 1]))
            return -1;
        for (size_t i = 0; i < len; i++)
            if ((unsigned char)value[i] < 32 || (unsigned char)value[i] > 126)
                return -1;
        memcpy(ret_boundary, value, len);
        ret_boundary[len] = 0;
        return 0;
    }
    return -1;
}

/* Where the next delimiter line starts, at or behind p; NULL: nowhere. *ret_after is behind its
 * line, *ret_last says whether it is the closing one. */
static const char *delimiter(const char *start, const char *p, const char *end, const char *dash,
                             size_t dash_len, const char **ret_after, bool *ret_last)
{
    while (p < end && (p = memmem(p, (size_t)(end - p), dash, dash_len))) {
        const char *after = p + dash_len;
        bool at_line = p == start || p[-1] == '\n';
        bool last = end - after >= 2 && after[0] == '-' && after[1] == '-';
        after += last ? 2 : 0;
        while (after < end && is_blank(*after))
            after++;
        bool line_ends = after == end ? last
                                      : *after == '\n' || (*after == '\r' && end - after >= 2 &&
                                                           after[1] == '\n');
        if (at_line && line_ends) {
            if (after < end)
                after += *after == '\r' ? 2 : 1;
            *ret_after = after;
            *ret_last = last;
            return p;
        }
        p += dash_len;
    }
    return NULL;
}

/* Splits at the empty line. A part without one is all header. */
static void split(const char *text, const char *end, struct part *ret)
{
    const char *p = text;
    *ret = (struct part){.head = text, .head_len = (size_t)(end - text), .body = end};
    while (p < end) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        size_t n = line_end ? (size_t)(line_end - p) : (size_t)(end - p);
        if (n == 0 || (n == 1 && *p == '\r')) {
            ret->head_len = (size_t)(p - text);
            ret->body = line_end ? line_end + 1 : end;
            break;
        }
        if (!line_end)
            break;
        p = line_end + 1;
    }
    ret->body_len = (size_t)(end - ret->body);
}

int multipart_parse(struct arena *a, const char *text, size_t len, const char *boundary, size_t max,
                    struct part **ret_parts, size_t *ret_n, struct sosia_err *err)
{
    const char *end = text + len, *dash = arena_printf(a, "--%s", boundary);
    size_t dash_len = strlen(dash), n = 0, room = 0;
    struct part *parts = NULL;
    const char *at;
    bool last = false;
    if (arena_failed(a))
        return sosia_fail_memory(err);
    if (!delimiter(text, text, end, dash, dash_len, &at, &last))
        return sosia_fail(err, SOSIA_E_INVALID, NULL, NULL, "the boundary does not occur");
    while (!last) {
        const char *after, *stop = delimiter(text, at, end, dash, dash_len, &after, &last);
        if (!stop)
            return sosia_fail(err, SOSIA_E_INVALID, "open", NULL, "the last boundary is missing");
        if (n < max && !(parts = arena_grow(a, parts, n, &room, sizeof *parts)))
            return sosia_fail_memory(err);
        /* The line break before a delimiter belongs to it. */
        const char *part_end = stop;
        if (part_end > at && part_end[-1] == '\n')
            part_end--;
        if (part_end > at && part_end[-1] == '\r')
            part_end--;
        if (n < max)
            split(at, part_end, &parts[n]);
        n++;
        at = after;
    }
    *ret_parts = parts;
    *ret_n = n;
    return n > max ? sosia_fail(err, SOSIA_E_LIMIT, NULL, NULL, "too many parts") : 0;
}

/* The next header line: name and value, without whitespace around the value. 1, 0 at the end, -1
 * malformed. */
static int next_header(const char **p, const char *end, const char **ret_name, size_t *ret_name_len,
                       const char **ret_value, size_t *ret_value_len)
{
    const char *s = *p;
    if (s >= end)
        return 0;
    const char *line_end = memchr(s, '\n', (size_t)(end - s));
    const char *stop = line_end ? line_end : end;
    *p = line_end ? line_end + 1 : end;
    if (stop > s && stop[-1] == '\r')
        stop--;
    const char *colon = memchr(s, ':', (size_t)(stop - s));
    if (!colon || colon == s || stop - s > MAX_LINE)
        return -1;
    for (const char *q = s; q < colon; q++)
        if (!isalnum((unsigned char)*q) && !memchr("!#$%&'*+-.^_`|~", *q, 15))
            return -1;
    *ret_name = s;
    *ret_name_len = (size_t)(colon - s);
    s = colon + 1;
    while (s < stop && is_blank(*s))
        s++;
    while (stop > s && is_blank(stop[-1]))
        stop--;
    for (const char *q = s; q < stop; q++)
        if (((unsigned char)*q < 32 && *q != '\t') || *q == 127)
            return -1;
    *ret_value = s;
    *ret_value_len = (size_t)(stop - s);
    return 1;
}

const char *part_header(struct arena *a, const struct part *p, const char *name)
{
    const char *at = p->head, *end = p->head + p->head_len, *n, *v;
    size_t n_len, v_len;
    int r;
    while ((r = next_header(&at, end, &n, &n_len, &v, &v_len)) != 0)
        if (r == 1 && n_len == strlen(name) && strncasecmp(n, name, n_len) == 0)
            return arena_memdup(a, v, v_len);
    return NULL;
}

/* METHOD target [HTTP/1.1] */
static int request_line(struct arena *a, const char *line, size_t n, struct http_part *ret)
{
    const char *end = line + n;
    const char *blank = memchr(line, ' ', n);
    if (!blank || blank == line || n > MAX_LINE)
        return -1;
    const char *target = blank + 1;
    const char *stop = memchr(target, ' ', (size_t)(end - target));
    if (stop && (end - stop < 6 || memcmp(stop + 1, "HTTP/", 5) != 0 ||
                 memchr(stop + 1, ' ', (size_t)(end - stop - 1))))
        return -1;
    if (!stop)
        stop = end;
    if (stop == target)
        return -1;
    for (const char *q = line; q < end; q++)
        if ((unsigned char)*q <= 32 ? *q != ' ' : *q == 127)
            return -1;
    ret->method = arena_memdup(a, line, (size_t)(blank - line));
    ret->target = arena_memdup(a, target, (size_t)(stop - target));
    return 0;
}

static int fail_part(struct sosia_err *err, const char *what)
{
    return sosia_fail(err, SOSIA_E_INVALID, NULL, NULL, "%s", what);
}

int http_part_parse(struct arena *a, const char *text, size_t len, struct http_part *ret,
                    struct sosia_err *err)
{
    const char *end = text + len;
    struct http_part h = {0};
    struct part split_part;
    while (text < end && (*text == '\r' || *text == '\n'))
        text++;
    const char *line_end = memchr(text, '\n', (size_t)(end - text));
    size_t n = line_end ? (size_t)(line_end - text) : (size_t)(end - text);
    if (n && text[n - 1] == '\r')
        n--;
    if (request_line(a, text, n, &h) < 0)
        return fail_part(err, "a part has no request line");
    split(line_end ? line_end + 1 : end, end, &split_part);
    const char *p = split_part.head, *head_end = p + split_part.head_len;
    const char *name, *value;
    size_t name_len, value_len;
    int r;
    h.headers = arena_calloc(a, HTTP_PART_HEADERS, sizeof *h.headers);
    h.body = split_part.body;
    h.body_len = split_part.body_len;
    while ((r = next_header(&p, head_end, &name, &name_len, &value, &value_len)) == 1) {
        if (h.n_headers == HTTP_PART_HEADERS)
            return fail_part(err, "a part has too many headers");
        struct sosia_header *out = &h.headers[h.n_headers++];
        out->name = arena_memdup(a, name, name_len);
        out->value = arena_memdup(a, value, value_len);
        int64_t length;
        if (str_eq_nocase(out->name, "Content-Length")) {
            if (parse_i64(value, value_len, &length) < 0 || length < 0)
                return fail_part(err, "a part has a malformed length");
            if ((uint64_t)length < h.body_len)
                h.body_len = (size_t)length;
        }
    }
    if (r < 0)
        return fail_part(err, "a part has a malformed header");
    if (arena_failed(a))
        return sosia_fail_memory(err);
    *ret = h;
    return 0;
}
