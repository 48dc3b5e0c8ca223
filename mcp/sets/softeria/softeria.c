/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of a community server for Microsoft's services. Source of names, arguments and shapes:
 * its published code. Each is one method of Graph. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "mcp/sets/softeria/softeria.h"

enum { MOST_PAGES = 100, MOST_ITEMS = 10000 };

static const struct json *arg(const struct set_run *r, const char *name)
{
    return json_get(r->args, name);
}

static bool asked(const struct set_run *r, const char *name)
{
    return json_is_true(arg(r, name));
}

/* ---- arguments ---- */

/* A list as the query has it. */
static const struct json *listed(struct set_run *r, const struct json *v, const char *more)
{
    struct buf b;
    if ((!v || v->type != JSON_ARRAY) && !more)
        return v;
    buf_init(&b, 0);
    if (v && v->type == JSON_STRING)
        buf_puts(&b, v->str);
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++)
        buf_printf(&b, "%s%s", b.len ? "," : "", v->items[i].str);
    if (more)
        buf_printf(&b, "%s%s", b.len ? "," : "", more);
    return set_text(r, &b);
}

static bool is_argument(const struct set_run *r, const char *key)
{
    const struct set_row *row = r->row;
    for (size_t i = 0; i < row->n_args; i++)
        if (strcmp(row->args[i].name, key + (*key == '$')) == 0)
            return true;
    return false;
}

/* The body, and what was given beside it that is a member of its. */
static const struct json *body_of(struct set_run *r, const struct route *route)
{
    const struct schema *s = dialect_schema(r->tool->dialect, route->request);
    const struct json *own = arg(r, BODY);
    struct value_object o = {.arena = r->arena};
    for (uint32_t i = 0; s && r->given && i < r->given->n; i++) {
        const struct json_member *m = &r->given->members[i];
        size_t k = 0;
        while (k < s->n_fields && !str_eq_nocase(s->fields[k].name, m->key))
            k++;
        if (k < s->n_fields && !is_argument(r, m->key))
            object_put(&o, m->key, &m->value);
    }
    for (uint32_t i = 0; own && i < own->n; i++)
        object_put(&o, own->members[i].key, &own->members[i].value);
    return own || o.n ? object_value(&o) : NULL;
}

static const struct json *arguments_of(struct set_run *r, const struct route *route)
{
    const struct set_row *row = r->row;
    struct value_object o = {.arena = r->arena};
    bool extended = asked(r, "expandExtendedProperties");
    for (size_t i = 0; i < row->n_args; i++) {
        const char *native = row->natives[i];
        const struct json *v = arg(r, row->args[i].name);
        bool expand = native && strcmp(native, "$expand") == 0;
        if (!native || (v && v->type == JSON_STRING && !v->n))
            continue;
        if (strcmp(native, BODY) == 0)
            v = body_of(r, route);
        object_put(&o, native,
                   listed(r, v, expand && extended ? "singleValueExtendedProperties" : NULL));
    }
    return object_value(&o);
}

/* What its client says in Prefer: texts of bodies are plain, times in the zone that is asked for.
 */
static int prepare(struct set_run *r, const struct route *route)
{
    const char *zone = json_get_str(r->args, "timezone");
    const char *consistency = json_get_str(r->args, "ConsistencyLevel");
    for (const char *p = zone; p && *p; p++)
        if ((unsigned char)*p < ' ' || *p == '"')
            return set_refuse(r, "timezone must be the name of a zone");
    r->m->prefer = arena_printf(r->arena, "%s%s%s%s%s", zone && *zone ? "outlook.timezone=\"" : "",
                                zone ? zone : "", zone && *zone ? "\"" : "",
                                zone && *zone && route->verbs & GET ? ", " : "",
                                route->verbs & GET ? "outlook.body-content-type=\"text\"" : "");
    if (!*r->m->prefer)
        r->m->prefer = NULL;
    r->m->consistency = consistency && str_eq_nocase(consistency, "eventual") ? "eventual" : NULL;
    return 1;
}

/* ---- results ---- */

/* Without what OData says of the things themselves. */
static const struct json *plain(struct set_run *r, const struct json *v)
{
    struct value_object o = {.arena = r->arena};
    struct value_list l = {.arena = r->arena};
    if (v->type == JSON_ARRAY) {
        for (uint32_t i = 0; i < v->n; i++)
            list_add(&l, plain(r, &v->items[i]));
        return list_value(&l);
    }
    if (v->type != JSON_OBJECT)
        return v;
    for (uint32_t i = 0; i < v->n; i++) {
        const char *key = v->members[i].key;
        if (!str_starts(key, "@odata.") || strcmp(key, "@odata.nextLink") == 0 ||
            strcmp(key, "@odata.deltaLink") == 0)
            object_put(&o, key, plain(r, &v->members[i].value));
    }
    return object_value(&o);
}

/* The items of the pages behind one, in place of its own. 1, 0, -1. */
static int add_pages(struct set_run *r, const struct json **page)
{
    const struct json *first = *page, *items = json_get(first, "value"), *delta = NULL;
    const char *next = json_get_str(first, "@odata.nextLink");
    struct value_list all = {.arena = r->arena};
    struct value_object o = {.arena = r->arena};
    if (!items || items->type != JSON_ARRAY)
        return 1;
    for (uint32_t i = 0; i < items->n; i++)
        list_add(&all, &items->items[i]);
    for (int n = 1; next && n < MOST_PAGES && all.n < MOST_ITEMS; n++) {
        const char *target = strstr(next, "/v1.0/");
        struct mcp_answer a = {0};
        if (!target)
            break;
        if (tool_get(r->m, target, &a) < 0)
            return -1;
        const struct json *v = a.refused ? NULL : tool_answer(r->m, &a);
        if (a.refused)
            set_refuse(r, "%s", answer_why(r->m, &a));
        items = json_get(v, "value");
        next = json_get_str(v, "@odata.nextLink");
        delta = json_get(v, "@odata.deltaLink");
        for (uint32_t i = 0; items && items->type == JSON_ARRAY && i < items->n; i++)
            list_add(&all, &items->items[i]);
        sosia_response_free(a.response);
        if (r->why)
            return 0;
    }
    for (uint32_t i = 0; i < first->n; i++)
        if (strcmp(first->members[i].key, "@odata.nextLink") != 0)
            object_put(&o, first->members[i].key, &first->members[i].value);
    object_put(&o, "value", list_value(&all));
    object_put(&o, "@odata.deltaLink", delta);
    *page = object_value(&o);
    return 1;
}

/* An object with one member. */
static const struct json *wrapped(struct set_run *r, const char *name, const struct json *v)
{
    struct value_object o = {.arena = r->arena};
    object_put(&o, name, v);
    return object_value(&o);
}

/* What is not JSON: a text, or bytes in base64. */
static const struct json *raw(struct set_run *r, const struct mcp_answer *a)
{
    struct value_object o = {.arena = r->arena};
    object_put(&o, "message", value_text(r->arena, "OK!"));
    if (!a->len)
        return object_value(&o);
    if (str_starts(a->type, "text/") && utf8_valid(a->body, a->len)) {
        object_put(&o, "rawResponse",
                   value_text(r->arena, arena_memdup(r->arena, a->body, a->len)));
        return object_value(&o);
    }
    object_put(&o, "contentType", value_text(r->arena, arena_strdup(r->arena, a->type)));
    object_put(&o, "encoding", value_text(r->arena, "base64"));
    object_put(&o, "contentLength", value_int(r->arena, (int64_t)a->len));
    object_put(&o, "contentBytes",
               value_text(r->arena, base64_text(r->arena, NULL, a->body, a->len)));
    return object_value(&o);
}

/* The result with the ETag of the response. */
static const struct json *with_etag(struct set_run *r, const struct mcp_answer *a,
                                    const struct json *v)
{
    const char *etag = "no-etag-found";
    struct value_object o = {.arena = r->arena};
    for (size_t i = 0; a->response && i < a->response->n_headers; i++)
        if (str_eq_nocase(a->response->headers[i].name, "ETag"))
            etag = arena_strdup(r->arena, a->response->headers[i].value);
    for (uint32_t i = 0; i < v->n; i++)
        object_put(&o, v->members[i].key, &v->members[i].value);
    object_put(&o, "_etag", value_text(r->arena, etag));
    return object_value(&o);
}

static int finish(struct set_run *r, struct mcp_answer *a, const struct json **ret)
{
    const struct json *v = a->is_json && a->len ? tool_answer(r->m, a) : NULL;
    int rc = 1;
    *ret = NULL;
    if (a->refused)
        return set_refuse(r, "%s", answer_why(r->m, a));
    if (v && asked(r, "fetchAllPages"))
        rc = add_pages(r, &v);
    if (rc <= 0)
        return rc;
    if (asked(r, "excludeResponse"))
        *ret = wrapped(r, "success", &value_true);
    else
        *ret = v ? plain(r, v) : raw(r, a);
    if (asked(r, "includeHeaders") && (*ret)->type == JSON_OBJECT)
        *ret = with_etag(r, a, *ret);
    return 1;
}

int softeria_run(struct set_run *r, const struct json **ret)
{
    const struct route *route = r->tool->methods[0].route;
    struct mcp_answer a = {0};
    const char *why;
    int rc = prepare(r, route);
    if (rc > 0)
        rc = tool_invoke(r->m, r->tool, route, arguments_of(r, route), &a, &why);
    if (rc == 0 && !r->why)
        set_refuse(r, "%s", why);
    if (rc > 0)
        rc = finish(r, &a, ret);
    sosia_response_free(a.response);
    return rc;
}
