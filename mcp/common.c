/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The set of tools that is listed where nobody asks for another: those of the native ones that most
 * work is done with, each with the arguments that most calls have. A model reads all of the list,
 * so it is short: at most 127 tools and 8,000 tokens (of 4 bytes), for all services together.
 */
#include "mcp/tool.h"
#include "engine/api/json_schema.h"
#include "engine/api/router.h"
#include <stdio.h>

static const struct tool_common *common_of(const struct mcp_tool *t)
{
    const struct tool_common *c = t->service->common;
    while (c && c->method && strcmp(c->method, t->route->id) != 0)
        c++;
    return c && c->method ? c : NULL;
}

bool tool_is_common(const struct mcp_tool *t)
{
    return t->route && common_of(t);
}

/* Is it listed, or something in it? */
static bool is_shown(const struct tool_common *c, const char *prefix, const char *name)
{
    size_t before = strlen(prefix), n = strlen(name);
    for (const char *p = c->shown; *p; p += strspn(p, " ")) {
        size_t len = strcspn(p, " ");
        if (len >= before + n && memcmp(p, prefix, before) == 0 &&
            memcmp(p + before, name, n) == 0 && (len == before + n || p[before + n] == '.'))
            return true;
        p += len;
    }
    return false;
}

static void write_values(struct json_writer *w, const char *const *values)
{
    json_arr(w, "enum");
    for (; *values; values++)
        json_str(w, NULL, *values);
    json_end(w);
}

/* ---- members of bodies ---- */

static void write_field(const struct json_schema *s, const struct tool_common *c,
                        const struct field *f, const char *prefix);

/* Of an object whose members are listed, those; of another one that is a member of the body, all
 * that can be written, without what is in them. */
static void write_members(const struct json_schema *s, const struct tool_common *c,
                          const struct field *of, const struct field *fields, size_t n,
                          const char *prefix)
{
    char inner[128];
    bool top = strcmp(prefix, BODY ".") == 0;
    snprintf(inner, sizeof inner, "%s%s.", prefix, of->name);
    bool listed = is_shown(c, inner, "");
    if (!listed && !top)
        return;
    json_obj(s->w, "properties");
    for (size_t i = 0; i < n; i++)
        if (listed ? is_shown(c, inner, fields[i].name)
                   : !fields[i].read_only && !fields[i].deprecated)
            write_field(s, c, &fields[i], inner);
    json_end(s->w);
}

static void write_value(const struct json_schema *s, const struct tool_common *c,
                        const struct field *f, const char *prefix)
{
    const struct schema *schema = dialect_schema(s->d, f->type);
    const struct field *fields = schema ? schema->fields : f->fields;
    bool object = schema || f->fields || strcmp(f->type, "object") == 0;
    if (strcmp(f->type, "any") != 0)
        json_str(s->w, "type", object ? "object" : f->type);
    if (fields)
        write_members(s, c, f, fields, schema ? schema->n_fields : f->n_fields, prefix);
    if (f->values)
        write_values(s->w, f->values);
}

static void write_field(const struct json_schema *s, const struct tool_common *c,
                        const struct field *f, const char *prefix)
{
    json_obj(s->w, f->name);
    if (f->list || f->map) {
        json_str(s->w, "type", f->list ? "array" : "object");
        json_obj(s->w, f->list ? "items" : "additionalProperties");
        write_value(s, c, f, prefix);
        json_end(s->w);
    } else {
        write_value(s, c, f, prefix);
    }
    json_str_opt(s->w, "description", f->summary);
    json_end(s->w);
}

static void write_body(const struct json_schema *s, const struct tool_common *c,
                       const struct route *r)
{
    const struct schema *body = dialect_schema(s->d, r->request);
    size_t n = 0;
    json_obj(s->w, BODY);
    json_str(s->w, "type", "object");
    json_obj(s->w, "properties");
    for (size_t i = 0; body && i < body->n_fields; i++)
        if (json_schema_requires(s, &body->fields[i]) ||
            is_shown(c, BODY ".", body->fields[i].name))
            write_field(s, c, &body->fields[i], BODY ".");
    json_end(s->w);
    for (size_t i = 0; body && i < body->n_fields; i++) {
        if (!json_schema_requires(s, &body->fields[i]))
            continue;
        if (!n++)
            json_arr(s->w, "required");
        json_str(s->w, NULL, body->fields[i].name);
    }
    if (n)
        json_end(s->w);
    json_end(s->w);
}

/* ---- the tool ---- */

static void write_fields(struct json_writer *w, const char *name)
{
    json_obj(w, name);
    json_str(w, "type", "string");
    json_end(w);
}

static void write_type(struct json_writer *w, const struct param *p)
{
    static const char *const types[] = {
        [PARAM_STRING] = "string",   [PARAM_INT] = "integer", [PARAM_BOOL] = "boolean",
        [PARAM_DATETIME] = "string", [PARAM_DATE] = "string", [PARAM_ENUM] = "string",
        [PARAM_LIST] = "array",      [PARAM_JSON] = NULL};
    json_str_opt(w, "type", p->type == PARAM_JSON ? p->shape : types[p->type]);
    if (p->type == PARAM_LIST) {
        json_obj(w, "items");
        json_str(w, "type", "string");
        json_end(w);
    }
    if (p->type == PARAM_DATETIME)
        json_str(w, "format", "date-time");
    if (p->values)
        write_values(w, p->values);
}

/* Bounds are the service's to say, and of the words for a parameter those of the row alone: the
 * list is to be short. */
static void write_param(struct json_writer *w, const struct param *p)
{
    json_obj(w, p->name);
    if (p->repeated) {
        json_str(w, "type", "array");
        json_obj(w, "items");
        write_type(w, p);
        json_end(w);
    } else {
        write_type(w, p);
    }
    if (p->type == PARAM_STRING)
        json_str_opt(w, "default", p->def);
    json_str_opt(w, "description", p->summary);
    json_end(w);
}

void tool_write_common(struct json_writer *w, const struct mcp_tool *t)
{
    const struct route *r = t->route;
    const struct tool_common *c = common_of(t);
    struct json_schema s = {.w = w, .d = t->dialect, .refs = "", .method = r->id};
    json_obj(w, NULL);
    json_str(w, "name", t->name);
    json_str_opt(w, "description", r->summary);
    json_obj(w, "inputSchema");
    json_str(w, "type", "object");
    json_obj(w, "properties");
    for (size_t i = 0; i < r->n_params; i++)
        if (route_requires(r, &r->params[i]) || is_shown(c, "", r->params[i].name))
            write_param(w, &r->params[i]);
    if (tool_takes_json(r))
        write_body(&s, c, r);
    if (r->content || (r->media && is_shown(c, "", MEDIA)))
        tool_write_media(w);
    if (r->download)
        tool_write_alt(w);
    if (tool_fields(t->service, r) && (r->needs_fields || (r->response && r->risk == RISK_READ)))
        write_fields(w, t->service->fields);
    json_end(w);
    tool_write_required(&s, t);
    json_end(w);
    tool_write_hints(w, t, NULL);
    json_end(w);
}
