/* SPDX-License-Identifier: Apache-2.0 */
/* libyaml's events into a tree of JSON values. */
#include "engine/json/yaml.h"
#include "engine/base/map.h"
#include "engine/base/utf8.h"
#include "engine/json/build.h"
#include <yaml.h>

enum { MAX_ANCHORS = 1000, MAX_TAG_DIRECTIVES = 1000, MAX_EXPANSION = 16 << 20, VALUE_WEIGHT = 16 };

struct anchor {
    struct json value;
    unsigned depth;  /* levels of arrays and objects in it */
    uint64_t weight; /* what it would take to write it out: VALUE_WEIGHT a value, and its text */
};

/* An array or object that is being read. */
struct level {
    struct anchor *anchor; /* NULL: none */
    char *anchor_name;
    unsigned below; /* the depth of the deepest child so far */
    uint64_t weight;
    bool object, has_key;
};

struct yaml_reader {
    struct arena *arena;
    const char *text;
    size_t len;
    struct json_limits limits;
    struct sosia_err *err;
    yaml_parser_t parser;
    struct json_builder build;
    struct level *levels; /* limits.max_depth of them */
    unsigned depth;
    struct map anchors;
    uint64_t expanded;          /* weight of the aliases so far */
    size_t mark_index, mark_at; /* a character's number, and its place in bytes */
    bool root;                  /* it was read */
};

/* ---- places ---- */

/* libyaml counts characters. Its marks go forward nearly always, so that walking from the last one
 * is cheap. */
static uint32_t byte_at(struct yaml_reader *r, const yaml_mark_t *mark)
{
    const char *text = r->text;
    size_t at = r->mark_at, i = r->mark_index;
    for (; i < mark->index && at < r->len; i++)
        for (at++; at < r->len && ((unsigned char)text[at] & 0xC0) == 0x80; at++)
            ;
    for (; i > mark->index && at > 0; i--)
        for (at--; at > 0 && ((unsigned char)text[at] & 0xC0) == 0x80; at--)
            ;
    r->mark_index = i;
    r->mark_at = at;
    return (uint32_t)at;
}

__attribute__((format(printf, 3, 4))) static int fail_yaml(struct yaml_reader *r, uint32_t at,
                                                           const char *fmt, ...)
{
    char what[sizeof r->err->text];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    sosia_fail(r->err, SOSIA_E_INVALID, "parseError", NULL, "%s", what);
    if (r->err)
        r->err->line = json_line(r->text, r->len, at);
    return -1;
}

static int fail_parser(struct yaml_reader *r)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "not YAML";
    if (p->error == YAML_MEMORY_ERROR)
        return sosia_fail_memory(r->err);
    if (p->error == YAML_READER_ERROR)
        return fail_yaml(r, (uint32_t)p->problem_offset, "%s", problem);
    uint32_t at = byte_at(r, &p->problem_mark);
    if (p->context)
        return fail_yaml(r, at, "%s %s", p->context, problem);
    return fail_yaml(r, at, "%s", problem);
}

/* ---- scalars ---- */

static int cut(const char *s, size_t len)
{
    return (int)utf8_truncate(s, len, 60);
}

/* Takes a NUL-terminated text for a number when the JSON grammar does. */
static bool is_number(const char *s)
{
    s += *s == '-';
    if (*s < '0' || *s > '9' || (*s == '0' && s[1] >= '0' && s[1] <= '9'))
        return false;
    s += strspn(s, "0123456789");
    if (*s == '.') {
        if (s[1] < '0' || s[1] > '9')
            return false;
        s += 1 + strspn(s + 1, "0123456789");
    }
    if (*s == 'e' || *s == 'E') {
        s += 1 + (s[1] == '+' || s[1] == '-');
        if (*s < '0' || *s > '9')
            return false;
        s += strspn(s, "0123456789");
    }
    return !*s;
}

static void resolve_plain(struct json *v, const char *s)
{
    if (!*s || !strcmp(s, "~") || !strcmp(s, "null")) {
        v->type = JSON_NULL;
        v->n = 0;
        v->str = NULL;
    } else if (!strcmp(s, "true") || !strcmp(s, "false")) {
        v->type = JSON_BOOL;
        v->truth = *s == 't';
        v->n = 0;
        v->str = NULL;
    } else if (is_number(s)) {
        v->type = JSON_NUMBER;
    }
}

/* want: "str", "seq" or "map". */
static int check_tag(struct yaml_reader *r, const yaml_char_t *tag, const char *want, uint32_t at)
{
    static const char core[] = "tag:yaml.org,2002:";
    const char *t = (const char *)tag;
    if (!t || !strcmp(t, "!") ||
        (!strncmp(t, core, sizeof core - 1) && !strcmp(t + sizeof core - 1, want)))
        return 0;
    return fail_yaml(r, at, "the tag '%.*s' is not supported", cut(t, strlen(t)), t);
}

static int scalar_text(struct yaml_reader *r, const yaml_event_t *e, uint32_t at,
                       const char **ret_text, uint32_t *ret_len)
{
    const char *text = (const char *)e->data.scalar.value;
    size_t len = e->data.scalar.length;
    if (memchr(text, 0, len))
        return fail_yaml(r, at, "a NUL character is not supported");
    const char *copy = len < r->arena->limit ? arena_memdup(r->arena, text, len) : NULL;
    if (!copy || len > UINT32_MAX || arena_failed(r->arena))
        return sosia_fail_memory(r->err);
    *ret_text = copy;
    *ret_len = (uint32_t)len;
    return 0;
}

/* ---- the tree ---- */

static int start_value(struct yaml_reader *r, uint32_t at, struct json **ret_value)
{
    struct level *in = r->depth ? &r->levels[r->depth - 1] : NULL;
    struct json_member *m;
    if (in && in->object && !in->has_key)
        return fail_yaml(r, at, "a key must be text");
    if (in && in->object) {
        m = json_build_top(&r->build); /* pushed with its key */
        in->has_key = false;
    } else {
        m = json_build_push(&r->build);
        if (!m)
            return sosia_fail_memory(r->err);
    }
    m->value.at = at;
    *ret_value = &m->value;
    return 0;
}

static int new_anchor(struct yaml_reader *r, const yaml_char_t *name, uint32_t at,
                      struct anchor **ret_anchor)
{
    if (!map_get(&r->anchors, (const char *)name) && r->anchors.n == MAX_ANCHORS)
        return fail_yaml(r, at, "more than %d anchors", MAX_ANCHORS);
    struct anchor *anchor = arena_calloc(r->arena, 1, sizeof *anchor);
    if (arena_failed(r->arena))
        return sosia_fail_memory(r->err);
    *ret_anchor = anchor;
    return 0;
}

/* A value is complete: counts it in its container and names it. */
static int end_value(struct yaml_reader *r, const struct json *v, unsigned depth, uint64_t weight,
                     struct anchor *anchor, const char *name)
{
    if (r->depth) {
        struct level *in = &r->levels[r->depth - 1];
        in->weight += weight;
        if (in->below < depth)
            in->below = depth;
    } else {
        r->root = true;
    }
    if (!anchor)
        return 0;
    anchor->value = *v;
    anchor->depth = depth;
    anchor->weight = weight;
    return map_set(&r->anchors, name, anchor) < 0 ? sosia_fail_memory(r->err) : 0;
}

static int read_key(struct yaml_reader *r, const yaml_event_t *e, uint32_t at)
{
    bool plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    const char *text = (const char *)e->data.scalar.value;
    struct json_member *m = json_build_push(&r->build);
    if (!m)
        return sosia_fail_memory(r->err);
    if (check_tag(r, e->data.scalar.tag, "str", at) < 0)
        return -1;
    if (plain && !*text)
        return fail_yaml(r, at, "a key is missing");
    if (plain && !strcmp(text, "<<"))
        return fail_yaml(r, at, "merge keys (<<) are not supported");
    if (e->data.scalar.anchor)
        return fail_yaml(r, at, "a key can't have an anchor");
    m->key_at = at;
    if (scalar_text(r, e, at, &m->key, &m->key_len) < 0)
        return -1;
    r->levels[r->depth - 1].has_key = true;
    r->levels[r->depth - 1].weight += m->key_len;
    return 0;
}

static int read_scalar(struct yaml_reader *r, const yaml_event_t *e, uint32_t at)
{
    struct json *v;
    struct anchor *anchor = NULL;
    if (r->depth && r->levels[r->depth - 1].object && !r->levels[r->depth - 1].has_key)
        return read_key(r, e, at);
    if (start_value(r, at, &v) < 0 || check_tag(r, e->data.scalar.tag, "str", at) < 0 ||
        (e->data.scalar.anchor && new_anchor(r, e->data.scalar.anchor, at, &anchor) < 0) ||
        scalar_text(r, e, at, &v->str, &v->n) < 0)
        return -1;
    uint64_t weight = VALUE_WEIGHT + v->n;
    v->type = JSON_STRING;
    if (e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !e->data.scalar.tag)
        resolve_plain(v, v->str);
    return end_value(r, v, 0, weight, anchor, (const char *)e->data.scalar.anchor);
}

static int read_alias(struct yaml_reader *r, const yaml_event_t *e, uint32_t at)
{
    const char *name = (const char *)e->data.alias.anchor;
    const struct anchor *anchor = map_get(&r->anchors, name);
    struct json *v;
    if (!anchor)
        return fail_yaml(r, at, "no value named '%.*s' is before its use", cut(name, strlen(name)),
                         name);
    if (start_value(r, at, &v) < 0)
        return -1;
    if (r->depth + anchor->depth > r->limits.max_depth)
        return fail_yaml(r, at, "nested too deeply");
    r->expanded += anchor->weight;
    if (r->expanded > MAX_EXPANSION)
        return fail_yaml(r, at, "the aliases stand for too much text");
    *v = anchor->value;
    v->at = at;
    return end_value(r, v, anchor->depth, anchor->weight, NULL, NULL);
}

static int open_collection(struct yaml_reader *r, bool object, const yaml_char_t *tag,
                           const yaml_char_t *anchor, uint32_t at)
{
    struct json *v;
    if (start_value(r, at, &v) < 0 || check_tag(r, tag, object ? "map" : "seq", at) < 0)
        return -1;
    if (r->depth == r->limits.max_depth)
        return fail_yaml(r, at, "nested too deeply");
    struct level *level = &r->levels[r->depth];
    *level = (struct level){.weight = VALUE_WEIGHT, .object = object};
    if (anchor) {
        if (new_anchor(r, anchor, at, &level->anchor) < 0)
            return -1;
        level->anchor_name = arena_strdup(r->arena, (const char *)anchor);
        if (arena_failed(r->arena))
            return sosia_fail_memory(r->err);
    }
    r->depth++;
    json_build_open(&r->build, object ? JSON_OBJECT : JSON_ARRAY);
    return 0;
}

static int close_collection(struct yaml_reader *r)
{
    const struct level *level = &r->levels[r->depth - 1];
    const struct json_member *again = NULL;
    if (level->object && json_build_duplicate(&r->build, &again) < 0)
        return sosia_fail_memory(r->err);
    if (again)
        return fail_yaml(r, again->key_at, "duplicate key '%.*s'", cut(again->key, again->key_len),
                         again->key);
    if (json_build_close(&r->build) < 0)
        return sosia_fail_memory(r->err);
    r->depth--;
    return end_value(r, &json_build_top(&r->build)->value, level->below + 1, level->weight,
                     level->anchor, level->anchor_name);
}

static int read_event(struct yaml_reader *r, const yaml_event_t *e)
{
    uint32_t at = byte_at(r, &e->start_mark);
    switch (e->type) {
    case YAML_DOCUMENT_START_EVENT:
        return r->root ? fail_yaml(r, at, "more than one document") : 0;
    case YAML_ALIAS_EVENT:
        return read_alias(r, e, at);
    case YAML_SCALAR_EVENT:
        return read_scalar(r, e, at);
    case YAML_SEQUENCE_START_EVENT:
        return open_collection(r, false, e->data.sequence_start.tag, e->data.sequence_start.anchor,
                               at);
    case YAML_MAPPING_START_EVENT:
        return open_collection(r, true, e->data.mapping_start.tag, e->data.mapping_start.anchor,
                               at);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_collection(r);
    default:
        return 0;
    }
}

static int read_events(struct yaml_reader *r)
{
    for (bool end = false; !end;) {
        yaml_event_t e;
        if (!yaml_parser_parse(&r->parser, &e))
            return fail_parser(r);
        int rc = read_event(r, &e);
        end = e.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&e);
        if (rc < 0)
            return -1;
    }
    if (!r->root && !json_build_push(&r->build)) /* no document: null */
        return sosia_fail_memory(r->err);
    return 0;
}

/* libyaml compares each tag directive with all others. */
static int check_directives(struct yaml_reader *r)
{
    unsigned n = 0;
    const char *p = r->text, *end = r->text + r->len;
    while (p < end && (p = memchr(p, '%', (size_t)(end - p))) && end - p >= 4) {
        if (!memcmp(p, "%TAG", 4) && ++n > MAX_TAG_DIRECTIVES)
            return fail_yaml(r, (uint32_t)(p - r->text), "more than %d tag directives",
                             MAX_TAG_DIRECTIVES);
        p++;
    }
    return 0;
}

int yaml_parse(struct arena *a, const char *text, size_t len, const struct json_limits *lim,
               const struct json **ret_value, struct sosia_err *err)
{
    struct yaml_reader r = {.arena = a, .text = text, .len = len, .err = err};
    if (json_limits_init(&r.limits, lim, len, err) < 0 || check_directives(&r) < 0)
        return -1;
    r.levels = arena_calloc(a, r.limits.max_depth, sizeof *r.levels);
    if (arena_failed(a) || !yaml_parser_initialize(&r.parser))
        return sosia_fail_memory(err);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
    json_build_init(&r.build, a);
    map_init(&r.anchors);
    int rc = read_events(&r);
    if (rc == 0) {
        const struct json *root = json_build_root(&r.build);
        if (root)
            *ret_value = root;
        else
            rc = sosia_fail_memory(err);
    }
    map_done(&r.anchors);
    json_build_done(&r.build);
    yaml_parser_delete(&r.parser);
    return rc;
}
