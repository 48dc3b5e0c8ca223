/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/answer.h"
#include <stdlib.h>

struct arena test_arena;

char *quoted(const char *text)
{
    char *copy = arena_strdup(&test_arena, text), *to = copy;
    for (const char *p = text; *p; p++) {
        if (*p == '\\' && p[1] == '\'')
            *to++ = *++p;
        else
            *to++ = *p == '\'' ? '"' : *p;
    }
    *to = 0;
    return copy;
}

const struct json *parsed(const char *text, size_t len)
{
    const struct json *v = NULL;
    struct sosia_err err;
    if (len && json_parse(&test_arena, text, len, NULL, &v, &err) < 0)
        fail_msg("no JSON: %s in %s", err.text, text);
    return v;
}

static const struct json *take(struct sosia_blob *blob)
{
    const struct json *v = parsed(arena_memdup(&test_arena, blob->data, blob->len), blob->len);
    sosia_blob_free(blob);
    return v;
}

const struct json *read_outbox(struct sosia_engine *engine, uint64_t world)
{
    struct sosia_blob blob;
    struct sosia_err err;
    if (sosia_outbox_list(engine, world, 0, 1000, &blob, &err) < 0)
        fail_msg("outbox: %s", err.text);
    return take(&blob);
}

const struct json *read_dump(struct sosia_engine *engine, uint64_t world)
{
    struct sosia_blob blob;
    struct sosia_err err;
    if (sosia_world_dump(engine, world, &blob, &err) < 0)
        fail_msg("dump: %s", err.text);
    return take(&blob);
}

/* ---- by path ---- */

static const struct json *child(const struct json *v, const char *name, size_t len)
{
    if (v->type == JSON_ARRAY) {
        size_t i = strtoul(name, NULL, 10);
        return i < v->n ? &v->items[i] : NULL;
    }
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++)
        if (strncmp(v->members[i].key, name, len) == 0 && !v->members[i].key[len])
            return &v->members[i].value;
    return NULL;
}

const struct json *value_at(const struct json *v, const char *path)
{
    while (v && *path) {
        size_t n = strcspn(path, ".");
        v = child(v, path, n);
        path += n + (path[n] == '.');
    }
    return v;
}

const char *text_at(const struct json *v, const char *path)
{
    v = value_at(v, path);
    return v && v->type == JSON_STRING ? v->str : NULL;
}

const char *printed_at(const struct json *v, const char *path)
{
    v = value_at(v, path);
    return !v ? "" : v->type == JSON_STRING ? v->str : json_to_text(&test_arena, v);
}

long number_at(const struct json *v, const char *path)
{
    int64_t n;
    v = value_at(v, path);
    return v && json_i64(v, &n) == 0 ? (long)n : -1;
}

bool true_at(const struct json *v, const char *path)
{
    v = value_at(v, path);
    return json_is_true(v);
}

size_t count_at(const struct json *v, const char *path)
{
    v = value_at(v, path);
    return v && (v->type == JSON_ARRAY || v->type == JSON_OBJECT) ? v->n : 0;
}

const char *column(const struct json *v, const char *list, const char *path)
{
    const char *out = "";
    v = value_at(v, list);
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++) {
        const char *text = text_at(&v->items[i], path);
        out = arena_printf(&test_arena, "%s%s%s", out, i ? " " : "", text ? text : "-");
    }
    return out;
}

const char *members(const struct json *v, const char *path)
{
    const char *out = "";
    v = value_at(v, path);
    for (uint32_t i = 0; v && v->type == JSON_OBJECT && i < v->n; i++)
        out = arena_printf(&test_arena, "%s%s%s", out, i ? " " : "", v->members[i].key);
    return out;
}
