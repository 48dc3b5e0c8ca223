/* SPDX-License-Identifier: Apache-2.0 */
/* What lists show of a method's tool: name, schemas and hints, from its row. */
#include "engine/api/json_schema.h"
#include "engine/api/router.h"
#include "mcp/tool.h"
#include <stdio.h>

/* ---- what rows say ---- */

const struct param *tool_param(const struct route *r, const char *name, size_t n)
{
    for (size_t i = 0; i < r->n_params; i++)
        if (strlen(r->params[i].name) == n && memcmp(r->params[i].name, name, n) == 0)
            return &r->params[i];
    return NULL;
}

const char *tool_fields(const struct dialect_tools *s, const struct route *r)
{
    return s->fields && !tool_param(r, s->fields, strlen(s->fields)) ? s->fields : NULL;
}

bool tool_reaches(const struct route *r)
{
    return r->risk == RISK_EXTERNAL || r->risk_of;
}

/* ---- schemas ---- */

static void write_param(const struct json_schema *s, const struct param *p)
{
    json_obj(s->w, p->name);
    json_schema_param(s, p);
    json_str_opt(s->w, "description", param_summary(s->d, p));
    json_bool_opt(s->w, "deprecated", p->deprecated);
    json_end(s->w);
}

void tool_write_media(struct json_writer *w)
{
    static const char *const members[][2] = {{"mimeType", "Media type of the content"},
                                             {"text", "The content, if it is text"},
                                             {"data", "The content in base64, if it is not"}};
    json_obj(w, MEDIA);
    json_str(w, "type", "object");
    json_str(w, "description", "Content to upload");
    json_obj(w, "properties");
    for (size_t i = 0; i < SOSIA_LEN(members); i++) {
        json_obj(w, members[i][0]);
        json_str(w, "type", "string");
        json_str(w, "description", members[i][1]);
        json_end(w);
    }
    json_end(w);
    json_bool(w, "additionalProperties", false);
    json_end(w);
}

void tool_write_alt(struct json_writer *w)
{
    json_obj(w, "alt");
    json_str(w, "type", "string");
    json_arr(w, "enum");
    json_str(w, NULL, "json");
    json_str(w, NULL, "media");
    json_end(w);
    json_str(w, "description", "media: the content instead of what is known of it");
    json_end(w);
}

static void write_fields(struct json_writer *w, const char *name)
{
    json_obj(w, name);
    json_str(w, "type", "string");
    json_str(w, "description", "Members of the response to give, as items(id,name) or *");
    json_end(w);
}

static void write_body(const struct json_schema *s, const struct route *r)
{
    json_obj(s->w, BODY);
    if (dialect_schema(s->d, r->request))
        json_schema_ref(s, r->request);
    else
        json_str(s->w, "type", "object");
    json_end(s->w);
}

bool tool_takes_json(const struct route *r)
{
    return r->body == BODY_JSON || r->body == BODY_JSON_OPTIONAL;
}

/* The method wants one, or some member of it; what is uploaded may stand for it. */
static bool needs_body(const struct json_schema *s, const struct route *r)
{
    const struct schema *body = tool_takes_json(r) ? dialect_schema(s->d, r->request) : NULL;
    if (r->media)
        return false;
    if (r->body == BODY_JSON || r->needs_body)
        return true;
    for (size_t i = 0; body && i < body->n_fields; i++)
        if (json_schema_requires(s, &body->fields[i]))
            return true;
    return false;
}

void tool_write_required(const struct json_schema *s, const struct mcp_tool *t)
{
    const struct route *r = t->route;
    json_arr(s->w, "required");
    for (size_t i = 0; i < r->n_params; i++)
        if (route_requires(r, &r->params[i]))
            json_str(s->w, NULL, r->params[i].name);
    if (needs_body(s, r))
        json_str(s->w, NULL, BODY);
    if (r->content)
        json_str(s->w, NULL, MEDIA);
    if (r->needs_fields && t->service->fields)
        json_str(s->w, NULL, t->service->fields);
    json_end(s->w);
}

static void write_reached(void *arg, const struct schema *schema)
{
    const struct json_schema *s = arg;
    json_obj(s->w, schema->name);
    json_schema_members(s, schema);
    json_end(s->w);
}

void tool_write_defs(const struct json_schema *s, const char *name)
{
    if (!dialect_schema(s->d, name))
        return;
    json_obj(s->w, "$defs");
    if (json_schema_reached(s->d, name, write_reached, (void *)s) < 0)
        s->w->out->failed = true;
    json_end(s->w);
}

static void write_input(struct json_writer *w, const struct mcp_tool *t)
{
    const struct route *r = t->route;
    struct json_schema s = {
        .w = w, .d = t->dialect, .refs = "#/$defs/", .method = r->id, .brief = true};
    json_obj(w, "inputSchema");
    json_str(w, "type", "object");
    json_obj(w, "properties");
    for (size_t i = 0; i < r->n_params; i++)
        if (route_takes(r, &r->params[i]))
            write_param(&s, &r->params[i]);
    if (tool_takes_json(r))
        write_body(&s, r);
    if (r->media || r->content)
        tool_write_media(w);
    if (r->download)
        tool_write_alt(w);
    if (tool_fields(t->service, r) && (r->response || r->needs_fields))
        write_fields(w, t->service->fields);
    json_end(w);
    tool_write_required(&s, t);
    json_bool(w, "additionalProperties", false);
    if (tool_takes_json(r))
        tool_write_defs(&s, r->request);
    json_end(w);
}

const struct schema *tool_output(const struct mcp_tool *t)
{
    return t->route->download ? NULL : dialect_schema(t->dialect, t->route->response);
}

static void write_output(struct json_writer *w, const struct mcp_tool *t)
{
    const struct schema *schema = tool_output(t);
    struct json_schema s = {.w = w, .d = t->dialect, .refs = "#/$defs/", .values = true};
    if (!schema)
        return;
    json_obj(w, "outputSchema");
    json_schema_members(&s, schema);
    tool_write_defs(&s, schema->name);
    json_end(w);
}

/* ---- the tool ---- */

void tool_write_hints(struct json_writer *w, const struct mcp_tool *t, const char *title)
{
    const struct route *r = t->route;
    json_obj(w, "annotations");
    json_str_opt(w, "title", title);
    json_bool(w, "readOnlyHint", r->risk == RISK_READ);
    json_bool(w, "destructiveHint", r->risk == RISK_DESTRUCTIVE);
    json_bool(w, "idempotentHint", r->risk == RISK_READ || r->idempotent);
    json_bool(w, "openWorldHint", t->open);
    json_end(w);
}

void tool_write(struct json_writer *w, const struct mcp_tool *t)
{
    const struct route *r = t->route;
    char text[512];
    json_obj(w, NULL);
    json_str(w, "name", t->name);
    json_str_opt(w, "title", r->summary);
    snprintf(text, sizeof text, "%s (%s, %s)", r->summary ? r->summary : t->service->title, r->id,
             t->service->title);
    json_str(w, "description", text);
    write_input(w, t);
    write_output(w, t);
    tool_write_hints(w, t, r->summary);
    json_end(w);
}
