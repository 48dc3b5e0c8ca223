/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/api/openapi.h"
#include "engine/api/json_schema.h"
#include "engine/base/map.h"
#include "engine/api/router.h"
#include <stdio.h>
#include <stdlib.h>

static int schema_by_name(const void *name, const void *schema)
{
    return strcmp(name, ((const struct schema *)schema)->name);
}

const struct schema *dialect_schema(const struct dialect *d, const char *name)
{
    /* Most tables are in the order of names, and large ones are. */
    const struct schema *s = name && d->n_schemas ? bsearch(name, d->schemas, d->n_schemas,
                                                            sizeof *d->schemas, schema_by_name)
                                                  : NULL;
    if (s)
        return s;
    for (size_t i = 0; name && i < d->n_schemas; i++)
        if (*d->schemas[i].name == *name && strcmp(d->schemas[i].name, name) == 0)
            return &d->schemas[i];
    return NULL;
}

static int by_name(const void *name, const void *gloss)
{
    return strcmp(name, ((const struct gloss *)gloss)->name);
}

const char *param_summary(const struct dialect *d, const struct param *p)
{
    if (p->summary || !d->n_glossary)
        return p->summary;
    const struct gloss *g =
        bsearch(p->name, d->glossary, d->n_glossary, sizeof *d->glossary, by_name);
    return g ? g->text : NULL;
}

/* As of the document's own. */
static struct json_schema shapes_of(struct json_writer *w, const struct dialect *d)
{
    return (struct json_schema){.w = w, .d = d, .refs = "#/components/schemas/"};
}

static void write_schemas(struct json_writer *w, const struct dialect *d)
{
    struct json_schema shapes = shapes_of(w, d);
    json_obj(w, "schemas");
    for (size_t i = 0; i < d->n_schemas; i++) {
        json_obj(w, d->schemas[i].name);
        json_schema_members(&shapes, &d->schemas[i]);
        json_end(w);
    }
    if (json_schema_types(&shapes) < 0)
        w->out->failed = true;
    json_end(w);
}

/* ---- operations ---- */

static const char *place_of(const struct param *p)
{
    return p->place == IN_PATH ? "path" : p->place == IN_HEADER ? "header" : "query";
}

static void write_param(struct json_writer *w, const struct dialect *d, const struct param *p)
{
    json_obj(w, NULL);
    json_str(w, "name", p->name);
    json_str(w, "in", place_of(p));
    json_str_opt(w, "description", param_summary(d, p));
    json_bool_opt(w, "required", p->required || p->place == IN_PATH);
    json_bool_opt(w, "deprecated", p->deprecated);
    if (p->type == PARAM_LIST)
        json_bool(w, "explode", false);
    json_obj(w, "schema");
    struct json_schema shapes = shapes_of(w, d);
    json_schema_param(&shapes, p);
    json_end(w);
    json_end(w);
}

static void write_media(struct json_writer *w, const struct dialect *d, const char *type,
                        const char *schema)
{
    json_obj(w, type);
    json_obj(w, "schema");
    struct json_schema shapes = shapes_of(w, d);
    if (schema && dialect_schema(d, schema))
        json_schema_ref(&shapes, schema);
    json_end(w);
    json_end(w);
}

static void write_content(struct json_writer *w, const struct dialect *d, const char *type,
                          const char *schema)
{
    json_obj(w, "content");
    write_media(w, d, type, schema);
    json_end(w);
}

static void write_security(struct json_writer *w, const struct dialect *d, const struct route *r)
{
    if (d->key && !r->anonymous)
        return; /* as the whole document */
    json_arr(w, "security");
    if (d->key) {
        json_end(w);
        return;
    }
    if (r->anonymous) {
        json_obj(w, NULL);
        json_end(w);
    }
    for (const char *s = r->scopes ? r->scopes : ""; *s;) {
        size_t n = strcspn(s, " ");
        json_obj(w, NULL);
        json_arr(w, "oauth2");
        json_strn(w, NULL, s, n);
        json_end(w);
        json_end(w);
        s += n + strspn(s + n, " ");
    }
    if (!r->scopes && !r->anonymous) {
        json_obj(w, NULL);
        json_arr(w, "oauth2");
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

static void write_body(struct json_writer *w, const struct dialect *d, const struct route *r)
{
    bool json = r->body == BODY_JSON || r->body == BODY_JSON_OPTIONAL;
    if (!json && !r->accepts)
        return;
    json_obj(w, "requestBody");
    json_bool_opt(w, "required", r->body != BODY_JSON_OPTIONAL);
    if (json) {
        write_content(w, d, "application/json", r->request);
    } else {
        json_obj(w, "content");
        for (const char *const *type = r->accepts; *type; type++)
            write_media(w, d, *type, NULL);
        json_end(w);
    }
    json_end(w);
}

static void write_responses(struct json_writer *w, const struct dialect *d, const struct route *r)
{
    char status[12] = "default";
    const char *said = r->response ? r->response : "as the vendor answers";
    if (r->status)
        snprintf(status, sizeof status, "%d", r->status);
    json_obj(w, "responses");
    json_obj(w, status);
    json_str(w, "description", r->status ? "Done" : said);
    if (r->response || r->gives) {
        json_obj(w, "content");
        if (r->response)
            write_media(w, d, "application/json", r->response);
        if (r->gives)
            write_media(w, d, r->gives, NULL);
        json_end(w);
    }
    json_end(w);
    if (r->status) {
        json_obj(w, "default");
        json_str(w, "description", "Refused or failed");
        if (d->refusal)
            write_content(w, d, "application/json", d->refusal);
        json_end(w);
    }
    json_end(w);
}

static void write_operation(struct json_writer *w, const struct dialect *d, const struct route *r,
                            enum verb verb, const char *path, unsigned number)
{
    static const char *const names[N_VERBS] = {"get", "post", "put", "patch", "delete"};
    char id[160];
    snprintf(id, sizeof id, number ? "%s.%u" : "%s", r->id, number + 1);
    json_obj(w, names[verb]);
    json_str(w, "operationId", id);
    json_str_opt(w, "summary", r->summary);
    json_str(w, "x-risk", risk_names[r->risk]);
    json_bool_opt(w, "x-risk-by-arguments", r->risk_of != NULL);
    json_arr(w, "parameters");
    for (size_t i = 0; i < r->n_params; i++)
        if (r->params[i].place != IN_PATH ||
            route_path_has(path, r->params[i].name, strlen(r->params[i].name)))
            write_param(w, d, &r->params[i]);
    json_end(w);
    write_body(w, d, r);
    write_responses(w, d, r);
    write_security(w, d, r);
    json_end(w);
}

/* How many operations of the row come before this one. */
static unsigned number_of(const struct route *r, int verb, size_t path)
{
    unsigned n = 0;
    for (size_t p = 0; r->paths[p]; p++)
        for (int v = 0; v < N_VERBS; v++)
            if (r->verbs >> v & 1) {
                if (p == path && v == verb)
                    return n;
                n++;
            }
    return n;
}

/* Documents have no word for a parameter that goes over several segments. */
static void open_path(struct json_writer *w, const char *path)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *p = path; *p; p++)
        if (!(*p == '*' && p[1] == '}'))
            buf_byte(&b, *p);
    json_obj(w, buf_str(&b));
    buf_done(&b);
}

/* Writes the operations on a path, whatever rows they are of. */
static void write_path(struct json_writer *w, const struct dialect *d, const char *path)
{
    open_path(w, path);
    const struct route *r;
    for (size_t i = 0; (r = dialect_row(d, i)); i++) {
        for (size_t p = 0; r->paths[p]; p++)
            for (int v = 0; v < N_VERBS && strcmp(r->paths[p], path) == 0; v++)
                if (r->verbs >> v & 1)
                    write_operation(w, d, r, (enum verb)v, path, number_of(r, v, p));
    }
    json_end(w);
}

/* Is this the first place where the path occurs? */
static bool is_first(const struct dialect *d, size_t row, size_t at)
{
    const char *path = dialect_row(d, row)->paths[at];
    for (size_t i = 0; i <= row; i++)
        for (size_t p = 0; dialect_row(d, i)->paths[p]; p++)
            if (strcmp(dialect_row(d, i)->paths[p], path) == 0)
                return i == row && p == at;
    return true;
}

static void write_scopes(struct json_writer *w, const struct dialect *d)
{
    struct map seen;
    map_init(&seen);
    json_obj(w, "scopes");
    const struct route *r;
    for (size_t i = 0; (r = dialect_row(d, i)); i++)
        for (const char *s = r->scopes ? r->scopes : ""; *s;) {
            char name[256];
            size_t n = strcspn(s, " ");
            snprintf(name, sizeof name, "%.*s", (int)n, s);
            if (!map_get(&seen, name) && map_set(&seen, name, name) == 0)
                json_str(w, name, "");
            s += n + strspn(s + n, " ");
        }
    json_end(w);
    map_done(&seen);
}

static void write_oauth(struct json_writer *w, const struct dialect *d)
{
    json_obj(w, "securitySchemes");
    json_obj(w, "oauth2");
    json_str(w, "type", "oauth2");
    json_obj(w, "flows");
    json_obj(w, "clientCredentials");
    json_str(w, "tokenUrl", "/token");
    write_scopes(w, d);
    json_end(w);
    json_end(w);
    json_end(w);
    json_end(w);
}

static void write_key(struct json_writer *w, const struct dialect *d)
{
    json_obj(w, "securitySchemes");
    json_obj(w, d->key);
    json_str(w, "type", "http");
    json_str(w, "scheme", "bearer");
    json_end(w);
    json_end(w);
}

/* What holds for all operations. */
static void write_frame(struct json_writer *w, const struct dialect *d)
{
    if (d->base) {
        json_arr(w, "servers");
        json_obj(w, NULL);
        json_str(w, "url", d->base);
        json_end(w);
        json_end(w);
    }
    if (d->key) {
        json_arr(w, "security");
        json_obj(w, NULL);
        json_arr(w, d->key);
        json_end(w);
        json_end(w);
        json_end(w);
    }
}

void openapi_write(struct json_writer *w, const struct dialect *d, const char *version)
{
    json_obj(w, NULL);
    json_str(w, "openapi", "3.1.0");
    json_obj(w, "info");
    json_str(w, "title", d->title ? d->title : d->name);
    json_str(w, "version", version);
    json_str_opt(w, "description", d->summary);
    json_end(w);
    write_frame(w, d);
    json_obj(w, "paths");
    const struct route *r;
    for (size_t i = 0; (r = dialect_row(d, i)); i++)
        for (size_t p = 0; r->paths[p]; p++)
            if (is_first(d, i, p))
                write_path(w, d, r->paths[p]);
    json_end(w);
    json_obj(w, "components");
    write_schemas(w, d);
    if (d->key)
        write_key(w, d);
    else
        write_oauth(w, d);
    json_end(w);
    json_end(w);
}
