/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader. All texts go to one pool: decoded and with a NUL, a text is never longer than its
 * source with quotes or with the delimiter behind a number, so that the document's length plus one
 * holds them all.
 */
#include "engine/json/build.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/json/scan.h"
#include <stdio.h>

struct reader {
    const char *text, *p, *end;
    char *pool; /* free part of the texts */
    unsigned depth;
    uint32_t n_values;
    struct json_limits limits;
    struct sosia_err *err;
    struct json_builder build;
};

int json_line(const char *text, size_t len, uint32_t at)
{
    int line = 1;
    const char *p = text, *end = text + (at < len ? at : len);
    while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
        line++;
        p++;
    }
    return line;
}

static int fail_at(struct reader *r, const char *at, const char *what)
{
    sosia_fail(r->err, SOSIA_E_INVALID, "parseError", NULL, "%s", what);
    if (r->err)
        r->err->line = json_line(r->text, (size_t)(r->end - r->text), (uint32_t)(at - r->text));
    return -1;
}

/* where: "where a value should stand". */
static int unexpected(struct reader *r, const char *where)
{
    char what[120];
    const char *p = r->p;
    unsigned n = p < r->end ? utf8_sequence(p, (size_t)(r->end - p)) : 0;
    if (p >= r->end)
        snprintf(what, sizeof what, "unexpected end %s", where);
    else if (!n || (unsigned char)*p < 0x20 || *p == 0x7F)
        snprintf(what, sizeof what, "unexpected byte 0x%02X %s", (unsigned char)*p, where);
    else
        snprintf(what, sizeof what, "unexpected character '%.*s' %s", (int)n, p, where);
    return fail_at(r, p, what);
}

static void skip_blanks(struct reader *r)
{
    const char *p = r->p, *end = r->end;
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    r->p = p;
}

/* ---- texts ---- */

static int hex4(const char *p, const char *end, uint32_t *ret)
{
    uint32_t v = 0;
    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        if (c >= '0' && c <= '9')
            v = v << 4 | (uint32_t)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            v = v << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
        else
            return -1;
    }
    *ret = v;
    return 0;
}

/* p is behind "\u". */
static int read_unicode(struct reader *r, const char *p, char **out, const char **ret_p)
{
    uint32_t c, low;
    if (hex4(p, r->end, &c) < 0)
        return fail_at(r, p, "\\u without four hexadecimal digits");
    if (!c)
        return fail_at(r, p, "\\u0000 is not supported");
    p += 4;
    if (c >= 0xD800 && c < 0xE000) {
        if (c >= 0xDC00 || r->end - p < 2 || p[0] != '\\' || p[1] != 'u' ||
            hex4(p + 2, r->end, &low) < 0 || low < 0xDC00 || low > 0xDFFF)
            return fail_at(r, p, "half of a surrogate pair in a string");
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        p += 6;
    }
    *out = utf8_put(*out, c);
    *ret_p = p;
    return 0;
}

/* p is at the backslash. */
static int read_escape(struct reader *r, const char *p, char **out, const char **ret_p)
{
    static const char to[256] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                 ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};
    if (r->end - p < 2)
        return fail_at(r, p, "unexpected end inside a string");
    if (p[1] == 'u')
        return read_unicode(r, p + 2, out, ret_p);
    const char c = to[(unsigned char)p[1]];
    if (!c) {
        r->p = p + 1;
        return unexpected(r, "behind a backslash");
    }
    *(*out)++ = c;
    *ret_p = p + 2;
    return 0;
}

/* r->p is at the opening quote. */
static int read_string(struct reader *r, const char **ret_text, uint32_t *ret_len)
{
    const char *p = r->p + 1, *end = r->end;
    char *out = r->pool;
    for (;;) {
        while (end - p >= SCAN_STEP) {
            unsigned n = scan_copy_ascii(out, p);
            p += n;
            out += n;
            if (n < SCAN_STEP)
                break;
        }
        if (p == end)
            return fail_at(r, p, "unexpected end inside a string");
        unsigned char c = (unsigned char)*p;
        if (c == '"') {
            break;
        } else if (c == '\\') {
            if (read_escape(r, p, &out, &p) < 0)
                return -1;
        } else if (c < 0x20) {
            r->p = p;
            return unexpected(r, "inside a string");
        } else {
            unsigned n = utf8_sequence(p, (size_t)(end - p));
            if (!n)
                return fail_at(r, p, "text that is not UTF-8 inside a string");
            for (unsigned i = 0; i < n; i++)
                *out++ = *p++;
        }
    }
    *out = 0;
    *ret_text = r->pool;
    *ret_len = (uint32_t)(out - r->pool);
    r->pool = out + 1;
    r->p = p + 1;
    return 0;
}

static const char *digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9')
        p++;
    return p;
}

static int read_number(struct reader *r, struct json *v)
{
    const char *start = r->p, *end = r->end, *p = start + (*start == '-'), *q = digits(p, end);
    if (q == p || (*p == '0' && q - p > 1)) {
        r->p = q == p ? p : p + 1;
        return unexpected(r, q == p ? "where a digit was expected" : "behind the number 0");
    }
    if (q < end && *q == '.') {
        p = q + 1;
        q = digits(p, end);
        if (q == p) {
            r->p = p;
            return unexpected(r, "where a digit was expected");
        }
    }
    if (q < end && (*q | 0x20) == 'e') {
        p = q + 1;
        p += p < end && (*p == '+' || *p == '-');
        q = digits(p, end);
        if (q == p) {
            r->p = p;
            return unexpected(r, "where a digit was expected");
        }
    }
    v->type = JSON_NUMBER;
    v->n = (uint32_t)(q - start);
    v->str = r->pool;
    memcpy(r->pool, start, v->n);
    r->pool[v->n] = 0;
    r->pool += v->n + 1;
    r->p = q;
    return 0;
}

static int read_word(struct reader *r, struct json *v)
{
    size_t left = (size_t)(r->end - r->p);
    if (left >= 4 && !memcmp(r->p, "null", 4)) {
        v->type = JSON_NULL;
        r->p += 4;
    } else if (left >= 4 && !memcmp(r->p, "true", 4)) {
        v->type = JSON_BOOL;
        v->truth = true;
        r->p += 4;
    } else if (left >= 5 && !memcmp(r->p, "false", 5)) {
        v->type = JSON_BOOL;
        r->p += 5;
    } else {
        return unexpected(r, "where a value was expected");
    }
    return 0;
}

/* ---- containers ---- */

static int open_container(struct reader *r, enum json_type type)
{
    if (++r->depth > r->limits.max_depth)
        return fail_at(r, r->p, "nested too deeply");
    json_build_open(&r->build, type);
    r->p++;
    return 0;
}

static int refuse_duplicate(struct reader *r, const struct json_member *m)
{
    sosia_fail(r->err, SOSIA_E_INVALID, "duplicateKey", NULL, "duplicate key '%.*s'",
               (int)utf8_truncate(m->key, m->key_len, 100), m->key);
    if (r->err)
        r->err->line = json_line(r->text, (size_t)(r->end - r->text), m->key_at);
    return -1;
}

static int close_container(struct reader *r, bool object)
{
    if (object && r->limits.unique_keys) {
        const struct json_member *again;
        if (json_build_duplicate(&r->build, &again) < 0)
            return sosia_fail_memory(r->err);
        if (again)
            return refuse_duplicate(r, again);
    }
    if ((object && r->limits.last_wins && json_build_last_wins(&r->build) < 0) ||
        json_build_close(&r->build) < 0)
        return sosia_fail_memory(r->err);
    r->depth--;
    r->p++;
    return 0;
}

/* ---- the document ---- */

/* Reads a value into the top of the stack; ret_opened says that it is a container that has
 * children. */
static int read_value(struct reader *r, bool *ret_opened)
{
    struct json *v = &json_build_top(&r->build)->value;
    v->at = (uint32_t)(r->p - r->text);
    *ret_opened = false;
    char c = r->p < r->end ? *r->p : 0;
    if (c == '"') {
        v->type = JSON_STRING;
        return read_string(r, &v->str, &v->n);
    }
    if (c == '-' || (c >= '0' && c <= '9'))
        return read_number(r, v);
    if (c != '{' && c != '[')
        return read_word(r, v);
    if (open_container(r, c == '{' ? JSON_OBJECT : JSON_ARRAY) < 0)
        return -1;
    skip_blanks(r);
    if (r->p < r->end && *r->p == (c == '{' ? '}' : ']'))
        return close_container(r, c == '{');
    *ret_opened = true;
    return 0;
}

/* Pushes the place of the next child; for an object, reads its key. */
static int read_child_start(struct reader *r)
{
    if (r->limits.max_values && r->n_values++ == r->limits.max_values)
        return fail_at(r, r->p, "too many values");
    struct json_member *m = json_build_push(&r->build);
    if (!m)
        return sosia_fail_memory(r->err);
    if (r->build.stack[r->build.open].value.type == JSON_ARRAY)
        return 0;
    if (r->p >= r->end || *r->p != '"')
        return unexpected(r, "where a key was expected");
    m->key_at = (uint32_t)(r->p - r->text);
    if (read_string(r, &m->key, &m->key_len) < 0)
        return -1;
    skip_blanks(r);
    if (r->p >= r->end || *r->p != ':')
        return unexpected(r, "where a colon was expected");
    r->p++;
    skip_blanks(r);
    return 0;
}

/* Behind a value: closes what closes here. ret_more: another child follows. */
static int read_child_end(struct reader *r, bool *ret_more)
{
    *ret_more = false;
    for (;;) {
        skip_blanks(r);
        if (r->build.open == JSON_BUILD_NONE) {
            if (r->p < r->end)
                return unexpected(r, "behind the document");
            return 0;
        }
        bool object = r->build.stack[r->build.open].value.type == JSON_OBJECT;
        char c = r->p < r->end ? *r->p : 0;
        if (c == ',') {
            r->p++;
            skip_blanks(r);
            *ret_more = true;
            return 0;
        }
        if (c != (object ? '}' : ']'))
            return unexpected(r, object ? "where ',' or '}' was expected"
                                        : "where ',' or ']' was expected");
        if (close_container(r, object) < 0)
            return -1;
    }
}

static int read_document(struct reader *r)
{
    bool more = true;
    json_build_push(&r->build);
    skip_blanks(r);
    while (more) {
        bool opened;
        if (read_value(r, &opened) < 0)
            return -1;
        if (!opened && read_child_end(r, &more) < 0)
            return -1;
        if (more && read_child_start(r) < 0)
            return -1;
    }
    return 0;
}

int json_limits_init(struct json_limits *l, const struct json_limits *given, size_t len,
                     struct sosia_err *err)
{
    *l = given ? *given : (struct json_limits){0};
    if (!l->max_size)
        l->max_size = JSON_DEFAULT_SIZE;
    if (!l->max_depth)
        l->max_depth = JSON_DEFAULT_DEPTH;
    if (l->max_size > UINT32_MAX - 1) /* offsets are 32 bits */
        l->max_size = UINT32_MAX - 1;
    if (len > l->max_size)
        return sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                          "the document has more than %zu bytes", l->max_size);
    return 0;
}

int json_parse(struct arena *a, const char *text, size_t len, const struct json_limits *lim,
               const struct json **ret_value, struct sosia_err *err)
{
    struct reader r; /* not cleared: the builder is large */
    if (json_limits_init(&r.limits, lim, len, err) < 0)
        return -1;
    r.text = r.p = text;
    r.end = text + len;
    if (len >= a->limit)
        a->failed = a->full = true;
    r.pool = arena_failed(a) ? NULL : arena_alloc(a, len + 1);
    if (arena_failed(a))
        return sosia_fail_memory(err);
    r.depth = 0;
    r.n_values = 0;
    r.err = err;
    json_build_init(&r.build, a);
    int rc = read_document(&r);
    if (rc == 0) {
        const struct json *root = json_build_root(&r.build);
        if (root)
            *ret_value = root;
        else
            rc = sosia_fail_memory(err);
    }
    json_build_done(&r.build);
    return rc;
}

/* ---- what was read ---- */

const struct json *json_get(const struct json *obj, const char *key)
{
    if (!obj || obj->type != JSON_OBJECT)
        return NULL;
    for (uint32_t i = obj->n; i-- > 0;) {
        const struct json_member *m = &obj->members[i];
        if (*m->key == *key && (!*key || (m->key[1] == key[1] && strcmp(m->key, key) == 0)))
            return &m->value;
    }
    return NULL;
}

const char *json_get_str(const struct json *obj, const char *key)
{
    const struct json *v = json_get(obj, key);
    return v && v->type == JSON_STRING ? v->str : NULL;
}

int json_i64(const struct json *v, int64_t *ret)
{
    if (!v || v->type != JSON_NUMBER)
        return -1;
    return parse_i64(v->str, v->n, ret);
}

int json_double(const struct json *v, double *ret)
{
    if (!v || v->type != JSON_NUMBER)
        return -1;
    return parse_double(v->str, v->n, ret);
}
