/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations as an OpenAPI 3.1 document. */
#include "server/control/operation.h"
#include <stdio.h>
#include <string.h>

static void write_ref(struct json_writer *w, const char *name)
{
    char ref[128];
    snprintf(ref, sizeof ref, "#/components/schemas/%s", name);
    json_str(w, "$ref", ref);
}

static void write_type(struct json_writer *w, const struct control_field *f, const char *type)
{
    if (!f->nullable || f->list) {
        json_str(w, "type", type);
        return;
    }
    json_arr(w, "type");
    json_str(w, NULL, type);
    json_str(w, NULL, "null");
    json_end(w);
}

static void write_one_of(struct json_writer *w, const char *type, const char *items)
{
    json_arr(w, "oneOf");
    json_obj(w, NULL);
    json_str(w, "type", "string");
    json_end(w);
    json_obj(w, NULL);
    json_str(w, "type", type);
    if (items) {
        json_obj(w, "items");
        json_str(w, "type", items);
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

/* The members of a single value's schema into an open object. */
static void write_value(struct json_writer *w, const struct control_field *f)
{
    switch (f->type) {
    case CONTROL_INTEGER:
    case CONTROL_NUMBER:
        write_type(w, f, f->type == CONTROL_INTEGER ? "integer" : "number");
        json_int(w, "minimum", f->min);
        if (f->max != INT64_MAX)
            json_int(w, "maximum", f->max);
        else if (f->type == CONTROL_INTEGER)
            json_str(w, "format", "int64");
        break;
    case CONTROL_BOOLEAN:
        write_type(w, f, "boolean");
        break;
    case CONTROL_TIME:
        write_type(w, f, "string");
        json_str(w, "format", "date-time");
        break;
    case CONTROL_ENUM:
        write_type(w, f, "string");
        json_arr(w, "enum");
        for (const char *const *v = f->values; *v; v++)
            json_str(w, NULL, *v);
        json_end(w);
        break;
    case CONTROL_WORDS:
        write_one_of(w, "array", "string");
        break;
    case CONTROL_DOCUMENT:
        write_one_of(w, "object", NULL);
        break;
    case CONTROL_OBJECT:
        write_type(w, f, "object");
        break;
    case CONTROL_SCHEMA:
        write_ref(w, f->schema->name);
        break;
    case CONTROL_STRING:
        write_type(w, f, "string");
        if (f->max)
            json_int(w, "maxLength", f->max);
        break;
    }
}

static void write_field(struct json_writer *w, const char *key, const struct control_field *f)
{
    json_obj(w, key);
    if (f->list) {
        json_str(w, "type", "array");
        json_obj(w, "items");
        write_value(w, f);
        json_end(w);
    } else {
        write_value(w, f);
    }
    json_str_opt(w, "description", f->summary);
    json_end(w);
}

/* closed: what isn't named is refused. */
static void write_schema(struct json_writer *w, const struct control_schema *s, bool closed)
{
    bool any = false;
    json_obj(w, s->name);
    json_str(w, "type", "object");
    json_str_opt(w, "description", s->summary);
    json_obj(w, "properties");
    for (size_t i = 0; i < s->n_fields; i++) {
        write_field(w, s->fields[i].name, &s->fields[i]);
        any |= s->fields[i].required;
    }
    json_end(w);
    if (any) {
        json_arr(w, "required");
        for (size_t i = 0; i < s->n_fields; i++)
            if (s->fields[i].required)
                json_str(w, NULL, s->fields[i].name);
        json_end(w);
    }
    if (closed)
        json_bool(w, "additionalProperties", false);
    json_end(w);
}

static bool is_request(const struct control_schema *s)
{
    for (size_t i = 0; i < control_n_operations; i++)
        if (control_operations[i].request == s)
            return true;
    return false;
}

static void write_params(struct json_writer *w, const struct control_operation *op)
{
    if (!op->n_params)
        return;
    json_arr(w, "parameters");
    for (size_t i = 0; i < op->n_params; i++) {
        const struct control_field *f = &op->params[i];
        struct control_field plain = *f;
        plain.summary = NULL;
        json_obj(w, NULL);
        json_str(w, "name", f->name);
        json_str(w, "in", f->in_path ? "path" : "query");
        json_bool(w, "required", f->required);
        json_str_opt(w, "description", f->summary);
        write_field(w, "schema", &plain);
        json_end(w);
    }
    json_end(w);
}

static bool needs_body(const struct control_operation *op)
{
    bool needed = op->body != CONTROL_BODY_JSON;
    for (size_t i = 0; op->request && i < op->request->n_fields; i++)
        needed |= op->request->fields[i].required;
    return needed;
}

static void write_media(struct json_writer *w, const char *type, const struct control_schema *s)
{
    json_obj(w, type);
    json_obj(w, "schema");
    if (s)
        write_ref(w, s->name);
    json_end(w);
    json_end(w);
}

static void write_body(struct json_writer *w, const struct control_operation *op)
{
    if (op->body == CONTROL_BODY_NONE)
        return;
    json_obj(w, "requestBody");
    json_bool(w, "required", needs_body(op));
    json_obj(w, "content");
    if (op->body == CONTROL_BODY_FILE)
        write_media(w, "application/vnd.sqlite3", NULL);
    else
        write_media(w, "application/json", op->request);
    if (op->body == CONTROL_BODY_DOCUMENT)
        write_media(w, "application/yaml", NULL);
    json_end(w);
    json_end(w);
}

static void write_response(struct json_writer *w, const char *status, const char *description,
                           const struct control_schema *s, const char *type)
{
    json_obj(w, status);
    json_str(w, "description", description);
    if (s || type) {
        json_obj(w, "content");
        write_media(w, s ? "application/json" : type, s);
        json_end(w);
    }
    json_end(w);
}

static void write_operation(struct json_writer *w, const struct control_operation *op)
{
    char status[12], verb[12];
    size_t n = strlen(op->method);
    for (size_t i = 0; i <= n; i++)
        verb[i] = (char)(op->method[i] | 0x20);
    verb[n] = 0;
    snprintf(status, sizeof status, "%d", op->status);
    json_obj(w, verb);
    json_str(w, "operationId", op->id);
    json_str(w, "summary", op->summary);
    write_params(w, op);
    write_body(w, op);
    json_obj(w, "responses");
    write_response(w, status, "Done", op->response, op->response_type);
    write_response(w, "default", "Refused or failed", &control_error_schema, NULL);
    json_end(w);
    if (op->anyone) {
        json_arr(w, "security");
        json_end(w);
    }
    json_end(w);
}

static void write_paths(struct json_writer *w)
{
    const char *open = NULL;
    json_obj(w, "paths");
    for (size_t i = 0; i < control_n_operations; i++) {
        const struct control_operation *op = &control_operations[i];
        if (!open || strcmp(open, op->path) != 0) {
            if (open)
                json_end(w);
            json_obj(w, open = op->path);
        }
        write_operation(w, op);
    }
    json_end(w);
    json_end(w);
}

static void write_components(struct json_writer *w)
{
    json_obj(w, "components");
    json_obj(w, "securitySchemes");
    json_obj(w, "control_key");
    json_str(w, "type", "http");
    json_str(w, "scheme", "bearer");
    json_end(w);
    json_end(w);
    json_obj(w, "schemas");
    for (const struct control_schema *const *s = control_schemas; *s; s++)
        write_schema(w, *s, is_request(*s));
    json_end(w);
    json_end(w);
}

int control_openapi(struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_obj(&w, NULL);
    json_str(&w, "openapi", "3.1.0");
    json_obj(&w, "info");
    json_str(&w, "title", "sosia control interface");
    json_str(&w, "version", sosia_version());
    json_str(&w, "description",
             "Worlds made, forked, filled, looked into and dropped. It is opened by the server's "
             "control key; tokens of actors in worlds don't open it.");
    json_end(&w);
    json_arr(&w, "servers");
    json_obj(&w, NULL);
    json_str(&w, "url", "/_sosia/v1");
    json_end(&w);
    json_end(&w);
    json_arr(&w, "security");
    json_obj(&w, NULL);
    json_arr(&w, "control_key");
    json_end(&w);
    json_end(&w);
    json_end(&w);
    write_paths(&w);
    write_components(&w);
    json_end(&w);
    size_t len;
    char *data = buf_take(&b, &len);
    buf_done(&b);
    if (!data)
        return sosia_fail_memory(err);
    *ret_json = (struct sosia_blob){.data = data, .len = len};
    return 0;
}
