/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that a policy sets, and members of answers that it covers. */
#include "engine/base/codec.h"
#include "engine/http/param.h"
#include "engine/json/build.h"
#include "guard/judge.h"

#define COVERED "[redacted]"

/* ---- arguments ---- */

/* A copy of v with the member at the path set, or taken away where value is NULL; objects on the
 * way that are not there are made. NULL: something on the way is not an object. */
static const struct json *with(struct arena *a, const struct json *v, const char *path,
                               const struct json *value)
{
    static const struct json none = {.type = JSON_OBJECT};
    size_t n = strcspn(path, "."), at = 0;
    if (!v || v->type == JSON_NULL)
        v = &none;
    if (v->type != JSON_OBJECT)
        return NULL;
    while (at < v->n && (v->members[at].key_len != n || memcmp(v->members[at].key, path, n) != 0))
        at++;
    const struct json *inner = value;
    if (path[n] &&
        !(inner = with(a, at < v->n ? &v->members[at].value : NULL, path + n + 1, value)))
        return NULL;
    struct json *copy = arena_calloc(a, 1, sizeof *copy);
    struct json_member *members = arena_calloc(a, v->n + 1, sizeof *members);
    if (arena_failed(a))
        return NULL;
    *copy = *v;
    copy->members = members;
    copy->n = 0;
    for (size_t i = 0; i < v->n; i++)
        if (i != at)
            members[copy->n++] = v->members[i];
        else if (inner) {
            members[copy->n] = v->members[i];
            members[copy->n++].value = *inner;
        }
    if (at == v->n && inner)
        members[copy->n++] = (struct json_member){
            .key = arena_memdup(a, path, n), .key_len = (uint32_t)n, .value = *inner};
    return copy;
}

static const struct param *param_of(const struct route *r, const char *name)
{
    for (size_t i = 0; i < r->n_params; i++)
        if (strcmp(r->params[i].name, name) == 0)
            return &r->params[i];
    return NULL;
}

static int set_param(struct call *c, const struct param *p, const struct rule_edit *e)
{
    const char *text = !e->value                       ? NULL
                       : e->value->type == JSON_STRING ? e->value->str
                                                       : json_to_text(c->tx.arena, e->value);
    return param_set(c, p, text);
}

int edit_arguments(struct call *c, struct judged *j, const struct policy_rule *rule)
{
    static const char body[] = "body.";
    for (const struct rule_edit *e = rule->edits; e; e = e->next) {
        const struct param *p = param_of(c->route, e->path);
        if (p) {
            if (set_param(c, p, e) < 0)
                return -1;
            continue;
        }
        /* A medium's own JSON is not read yet, and a form has no other members than its items. */
        const struct json *v =
            c->upload || c->form || c->route->body == BODY_NONE || !str_starts(e->path, body)
                ? NULL
                : with(c->tx.arena, c->body, e->path + sizeof body - 1, e->value);
        if (!v)
            return 1;
        c->body = v;
        c->body_checked = false;
    }
    j->arguments = NULL;
    return 0;
}

/* ---- answers ---- */

static bool is_named(const struct json_member *m, const char *path, size_t n)
{
    return (n == 1 && *path == '*') || (m->key_len == n && memcmp(m->key, path, n) == 0);
}

/* A copy in which texts, and whatever else is at the path, are covered. */
static const struct json *cover(struct arena *a, const struct json *v, const char *path)
{
    static const struct json covered = {
        .type = JSON_STRING, .n = sizeof COVERED - 1, .str = COVERED};
    size_t n = strcspn(path, ".");
    const char *rest = path[n] ? path + n + 1 : NULL;
    struct json *copy = arena_calloc(a, 1, sizeof *copy);
    *copy = *v;
    if (v->type == JSON_OBJECT) {
        struct json_member *members = arena_calloc(a, v->n + 1, sizeof *members);
        for (uint32_t i = 0; i < v->n && !arena_failed(a); i++) {
            members[i] = v->members[i];
            if (is_named(&v->members[i], path, n))
                members[i].value = rest ? *cover(a, &v->members[i].value, rest) : covered;
        }
        copy->members = members;
    } else if (v->type == JSON_ARRAY) {
        /* Items are gone through whether the path says so or not. */
        bool star = n == 1 && *path == '*';
        struct json *items = arena_calloc(a, v->n + 1, sizeof *items);
        for (uint32_t i = 0; i < v->n && !arena_failed(a); i++)
            items[i] = star ? rest ? *cover(a, &v->items[i], rest) : covered
                            : *cover(a, &v->items[i], path);
        copy->items = items;
    }
    return copy;
}

static bool is_json(const struct call *c)
{
    for (size_t i = 0; i < c->n_headers; i++)
        if (str_eq_nocase(c->headers[i].name, "Content-Type"))
            return strncmp(c->headers[i].value, "application/json", 16) == 0;
    return true;
}

int edit_answer(struct call *c, const struct judged *j)
{
    const struct json *v;
    struct sosia_err ignored;
    if (!j->n_redactions || (!c->sent.blob.id && !c->stream && !c->body_out->len))
        return 0;
    if (c->sent.blob.id || c->stream || !is_json(c) ||
        json_parse(c->tx.arena, buf_str(c->body_out), c->body_out->len, NULL, &v, &ignored) < 0)
        return 1;
    for (size_t i = 0; i < j->n_redactions; i++)
        for (const struct rule_edit *e = j->redactions[i]; e; e = e->next)
            v = cover(c->tx.arena, v, e->path);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    buf_clear(c->body_out);
    json_init(c->out, c->body_out, c->pretty, NULL);
    c->out->escape_html = c->escape_html;
    json_value(c->out, NULL, v);
    return 0;
}
