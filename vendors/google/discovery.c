/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Discovery documents, written from the same tables that route and check the calls: rows,
 * parameters, schemas, scopes. Their URLs are those of this server.
 */
#include "vendors/google/internal.h"
#include "engine/base/codec.h"
#include "engine/api/router.h"
#include <stdlib.h>
#include <strings.h>

static const char *root_url(struct call *c)
{
    return c->base_url ? arena_printf(c->tx.arena, "%s/", c->base_url)
                       : "https://www.googleapis.com/";
}

/* ---- parameters and schemas ---- */

static void write_values(struct json_writer *w, const char *const *values)
{
    json_arr(w, "enum");
    for (size_t i = 0; values[i]; i++)
        json_str(w, NULL, values[i]);
    json_end(w);
    json_arr(w, "enumDescriptions");
    for (size_t i = 0; values[i]; i++)
        json_str(w, NULL, "");
    json_end(w);
}

static void write_param(struct call *c, const struct dialect *d, const struct param *p)
{
    static const struct {
        const char *type, *format;
    } types[] = {
        [PARAM_STRING] = {"string", NULL}, [PARAM_INT] = {"integer", "int32"},
        [PARAM_BOOL] = {"boolean", NULL},  [PARAM_DATETIME] = {"string", "date-time"},
        [PARAM_DATE] = {"string", "date"}, [PARAM_ENUM] = {"string", NULL},
        [PARAM_LIST] = {"string", NULL},   [PARAM_JSON] = {"string", NULL},
    };
    struct json_writer *w = c->out;
    json_obj(w, p->name);
    json_str(w, "type", types[p->type].type);
    json_str_opt(w, "description", param_summary(d, p));
    json_str_opt(w, "default", p->def);
    json_bool_opt(w, "required", p->required);
    json_str_opt(w, "format", p->format ? p->format : types[p->type].format);
    if (p->type == PARAM_INT && !p->format && (p->min || p->max)) {
        json_int_str(w, "minimum", p->min);
        json_int_str(w, "maximum", p->max);
    }
    if (p->values)
        write_values(w, p->values);
    json_bool_opt(w, "repeated", p->repeated);
    json_str(w, "location", p->place == IN_PATH ? "path" : "query");
    json_bool_opt(w, "deprecated", p->deprecated);
    json_end(w);
}

static const char *const json_formats[] = {"json", NULL};
static const char *const error_formats[] = {"1", "2", NULL};

static const struct param global_params[] = {
    {.name = "alt",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .def = "json",
     .values = json_formats,
     .summary = "Format of the answer"},
    {.name = "fields", .place = IN_QUERY, .summary = "Which fields the answer shall have"},
    {.name = "key", .place = IN_QUERY, .summary = "API key"},
    {.name = "oauth_token", .place = IN_QUERY, .summary = "OAuth 2.0 token"},
    {.name = "prettyPrint",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .def = "true",
     .summary = "Whether the answer is indented"},
    {.name = "quotaUser", .place = IN_QUERY, .summary = "Whom the call is counted for"},
    {.name = "userIp", .place = IN_QUERY, .deprecated = true, .summary = "Address of the user"},
};

/* Of the newer front end, instead of userIp. */
static const struct param strict_params[] = {
    {.name = "$.xgafv",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .values = error_formats,
     .summary = "Form of errors"},
    {.name = "access_token", .place = IN_QUERY, .summary = "OAuth 2.0 token"},
    {.name = "callback", .place = IN_QUERY, .summary = "Function that a script calls"},
    {.name = "uploadType", .place = IN_QUERY, .summary = "How a medium is sent"},
    {.name = "upload_protocol", .place = IN_QUERY, .summary = "How a medium is sent"},
};

static void write_globals(struct call *c, const struct dialect *d, const struct google_api *api)
{
    json_obj(c->out, "parameters");
    for (size_t i = 0; i < SOSIA_LEN(global_params); i++)
        if (!api->strict || strcmp(global_params[i].name, "userIp") != 0)
            write_param(c, d, &global_params[i]);
    for (size_t i = 0; api->strict && i < SOSIA_LEN(strict_params); i++)
        write_param(c, d, &strict_params[i]);
    json_end(c->out);
}

static void write_properties(struct call *c, const struct dialect *d, const struct field *fields,
                             size_t n);

static void write_type(struct call *c, const struct dialect *d, const struct field *f)
{
    struct json_writer *w = c->out;
    if (dialect_schema(d, f->type)) {
        json_str(w, "$ref", f->type);
        return;
    }
    json_str(w, "type", f->type);
    json_str_opt(w, "format", f->format);
    if (f->values)
        write_values(w, f->values);
    if (f->fields)
        write_properties(c, d, f->fields, f->n_fields);
}

static void write_required_for(struct json_writer *w, const char *ids)
{
    json_obj(w, "annotations");
    json_arr(w, "required");
    while (*ids) {
        size_t n = strcspn(ids, " ");
        json_strn(w, NULL, ids, n);
        ids += n + strspn(ids + n, " ");
    }
    json_end(w);
    json_end(w);
}

static void write_field(struct call *c, const struct dialect *d, const struct field *f)
{
    struct json_writer *w = c->out;
    json_obj(w, f->name);
    json_str_opt(w, "description", f->summary);
    if (f->list || f->map) {
        json_str(w, "type", f->list ? "array" : "object");
        json_obj(w, f->list ? "items" : "additionalProperties");
        write_type(c, d, f);
        json_end(w);
    } else {
        write_type(c, d, f);
    }
    json_str_opt(w, "default", f->def);
    json_bool_opt(w, "readOnly", f->read_only);
    json_bool_opt(w, "deprecated", f->deprecated);
    if (f->required_for)
        write_required_for(w, f->required_for);
    json_end(w);
}

static void write_properties(struct call *c, const struct dialect *d, const struct field *fields,
                             size_t n)
{
    json_obj(c->out, "properties");
    for (size_t i = 0; i < n; i++)
        write_field(c, d, &fields[i]);
    json_end(c->out);
}

static void write_schemas(struct call *c, const struct dialect *d)
{
    struct json_writer *w = c->out;
    json_obj(w, "schemas");
    for (size_t i = 0; i < d->n_schemas; i++) {
        const struct schema *s = &d->schemas[i];
        json_obj(w, s->name);
        json_str(w, "id", s->name);
        json_str_opt(w, "description", s->summary);
        json_str(w, "type", "object");
        write_properties(c, d, s->fields, s->n_fields);
        json_end(w);
    }
    json_end(w);
}

/* ---- methods ---- */

static void write_ref(struct json_writer *w, const char *key, const char *name)
{
    if (!name)
        return;
    json_obj(w, key);
    json_str(w, "$ref", name);
    json_end(w);
}

static void write_protocol(struct call *c, const char *name, const char *path)
{
    json_obj(c->out, name);
    json_bool(c->out, "multipart", true);
    json_str(c->out, "path", path);
    json_end(c->out);
}

static void write_media(struct call *c, const struct route *r)
{
    struct json_writer *w = c->out;
    json_bool_opt(w, "supportsMediaDownload", r->download);
    json_bool_opt(w, "supportsMediaUpload", r->media != NULL);
    if (!r->media)
        return;
    json_obj(w, "mediaUpload");
    json_arr(w, "accept");
    json_str(w, NULL, r->media->accept);
    json_end(w);
    json_int_str(w, "maxSize", r->media->max);
    json_obj(w, "protocols");
    write_protocol(c, "resumable", arena_printf(c->tx.arena, "/resumable/upload%s", r->paths[0]));
    write_protocol(c, "simple", arena_printf(c->tx.arena, "/upload%s", r->paths[0]));
    json_end(w);
    json_end(w);
}

static void write_method(struct call *c, const struct dialect *d, const struct route *r)
{
    const struct google_api *api = d->facts;
    struct json_writer *w = c->out;
    json_obj(w, strrchr(r->id, '.') + 1);
    json_str(w, "id", r->id);
    json_str(w, "path", r->paths[0] + 1 + strlen(api->service_path));
    json_str(w, "httpMethod", verb_name(route_verb(r)));
    json_str_opt(w, "description", r->summary);
    json_obj(w, "parameters");
    for (size_t i = 0; i < r->n_params; i++)
        write_param(c, d, &r->params[i]);
    json_end(w);
    json_arr(w, "parameterOrder");
    for (size_t i = 0; i < r->n_params; i++)
        if (r->params[i].required || r->params[i].place == IN_PATH)
            json_str(w, NULL, r->params[i].name);
    json_end(w);
    write_ref(w, "request", r->request);
    write_ref(w, "response", r->response);
    write_media(c, r);
    json_arr(w, "scopes");
    for (const char *s = r->scopes ? r->scopes : ""; *s;) {
        size_t n = strcspn(s, " ");
        json_strn(w, NULL, s, n);
        s += n + strspn(s + n, " ");
    }
    json_end(w);
    json_end(w);
}

/* Is the row of this API, at this place of the tree of names or below? */
static bool is_below(const struct dialect *d, const struct route *r, const char *prefix, size_t n)
{
    const struct google_api *api = d->facts;
    return strncmp(r->id, prefix, n) == 0 && r->id[n] == '.' && *r->paths[0] == '/' &&
           str_starts(r->paths[0] + 1, api->service_path);
}

static int by_id(const void *a, const void *b)
{
    return strcmp((*(const struct route *const *)a)->id, (*(const struct route *const *)b)->id);
}

/* The rows of an API that its caller may be shown, in the order of their ids, in the arena, with
 * NULL behind them; NULL: no memory. *ret_all: there are no others. */
static const struct route **sorted_rows(struct call *c, const struct dialect *d, bool *ret_all)
{
    size_t n = 0, shown = 0;
    while (dialect_row(d, n))
        n++;
    const struct route **ret = arena_calloc(c->tx.arena, n + 1, sizeof *ret);
    if (arena_failed(c->tx.arena))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (call_shows(c, d, dialect_row(d, i), NULL))
            ret[shown++] = dialect_row(d, i);
    qsort(ret, shown, sizeof *ret, by_id);
    *ret_all = shown == n;
    return ret;
}

/* Writes "methods" and "resources" of the names below prefix: "calendar.events". rows: all of the
 * API, sorted. */
static void write_resource(struct call *c, const struct dialect *d, const struct route **rows,
                           const char *prefix)
{
    struct json_writer *w = c->out;
    size_t n = strlen(prefix);
    bool open = false;
    for (const struct route **r = rows; *r; r++) {
        if (!is_below(d, *r, prefix, n) || strchr((*r)->id + n + 1, '.'))
            continue;
        if (!open)
            json_obj(w, "methods");
        open = true;
        write_method(c, d, *r);
    }
    if (open)
        json_end(w);
    open = false;
    for (const struct route **r = rows; *r; r++) {
        const char *id = (*r)->id;
        const char *dot = is_below(d, *r, prefix, n) ? strchr(id + n + 1, '.') : NULL;
        size_t len = dot ? (size_t)(dot - id) : 0;
        bool first = dot != NULL;
        for (const struct route **k = rows; first && k < r; k++)
            first = !is_below(d, *k, prefix, n) || strncmp((*k)->id, id, len + 1) != 0;
        if (!first)
            continue;
        if (!open)
            json_obj(w, "resources");
        open = true;
        json_obj(w, arena_memdup(c->tx.arena, id + n + 1, len - n - 1));
        write_resource(c, d, rows, arena_memdup(c->tx.arena, id, len));
        json_end(w);
    }
    if (open)
        json_end(w);
}

/* ---- documents ---- */

static void write_scopes(struct json_writer *w, const struct google_api *api)
{
    json_obj(w, "auth");
    json_obj(w, "oauth2");
    json_obj(w, "scopes");
    for (size_t i = 0; i < api->n_scopes; i++) {
        json_obj(w, api->scopes[i].name);
        json_str(w, "description", api->scopes[i].summary);
        json_end(w);
    }
    json_end(w);
    json_end(w);
    json_end(w);
}

static int write_document(struct call *c, const struct dialect *d)
{
    const struct google_api *api = d->facts;
    const char *root = root_url(c);
    struct json_writer *w = c->out;
    bool all;
    const struct route **rows = sorted_rows(c, d, &all);
    if (!rows)
        return sosia_fail_memory(c->tx.err);
    json_obj(w, NULL);
    json_str(w, "kind", "discovery#restDescription");
    json_str(w, "discoveryVersion", "v1");
    json_str(w, "id", arena_printf(c->tx.arena, "%s:%s", api->name, api->version));
    json_str(w, "name", api->name);
    json_str(w, "version", api->version);
    json_str(w, "revision", "0");
    json_str(w, "title", api->title);
    json_str_opt(w, "description", api->summary);
    json_str(w, "ownerDomain", "google.com");
    json_str(w, "ownerName", "Google");
    json_str(w, "protocol", "rest");
    json_str(w, "baseUrl", arena_printf(c->tx.arena, "%s%s", root, api->service_path));
    json_str(w, "basePath",
             *api->service_path ? arena_printf(c->tx.arena, "/%s", api->service_path) : "");
    json_str(w, "rootUrl", root);
    json_str(w, "servicePath", api->service_path);
    json_str(w, "batchPath", api->batch_path);
    write_globals(c, d, api);
    write_scopes(w, api);
    write_schemas(c, d);
    write_resource(c, d, rows, api->name);
    json_end(w);
    call_header(c, "Cache-Control", all ? "public, max-age=300" : "private, max-age=300");
    return 0;
}

static int discovery_get(struct call *c)
{
    const struct dialect *d = google_dialect(c, param_str(c, "api"), param_str(c, "version"));
    if (!d)
        return call_fail(c, SOSIA_E_NOT_FOUND, NULL, NULL, "%s", "");
    return write_document(c, d);
}

/* The host's first label starts with the API's name ("calendar-json.googleapis.com"); else the
 * version alone must do. */
static int discovery_host(struct call *c)
{
    const char *version = param_str(c, "version");
    const struct dialect *found = NULL;
    size_t n_found = 0;
    for (const struct dialect *const *d = engine_dialects(c->tx.engine); *d; d++) {
        const struct google_api *api = google_api_in(c, *d);
        if (!api || (version && strcmp(api->version, version) != 0))
            continue;
        size_t n = strlen(api->name);
        if (c->host_len > n && strncasecmp(c->host, api->name, n) == 0 && strchr("-.", c->host[n]))
            return write_document(c, *d);
        found = *d;
        n_found++;
    }
    if (n_found != 1)
        return call_fail(c, SOSIA_E_NOT_FOUND, NULL, NULL, "%s", "");
    return write_document(c, found);
}

static int discovery_list(struct call *c)
{
    const char *name = param_str(c, "name");
    struct json_writer *w = c->out;
    json_obj(w, NULL);
    json_str(w, "kind", "discovery#directoryList");
    json_str(w, "discoveryVersion", "v1");
    json_arr(w, "items");
    for (const struct dialect *const *d = engine_dialects(c->tx.engine); *d; d++) {
        const struct google_api *api = google_api_in(c, *d);
        if (!api || (name && strcmp(name, api->name) != 0))
            continue;
        json_obj(w, NULL);
        json_str(w, "kind", "discovery#directoryItem");
        json_str(w, "id", arena_printf(c->tx.arena, "%s:%s", api->name, api->version));
        json_str(w, "name", api->name);
        json_str(w, "version", api->version);
        json_str(w, "title", api->title);
        json_str_opt(w, "description", api->summary);
        json_str(w, "discoveryRestUrl",
                 arena_printf(c->tx.arena, "%sdiscovery/v1/apis/%s/%s/rest", root_url(c), api->name,
                              api->version));
        json_bool(w, "preferred", true);
        json_end(w);
    }
    json_end(w);
    json_end(w);
    return 0;
}

/* ---- rows ---- */

static const struct param api_params[] = {
    {.name = "api", .place = IN_PATH, .required = true, .summary = "Name of the API"},
    {.name = "version", .place = IN_PATH, .required = true, .summary = "Version of the API"},
};

static const struct param directory_params[] = {
    {.name = "name", .place = IN_QUERY, .summary = "Only APIs of this name"},
    {.name = "preferred",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .summary = "Only the preferred version of each API"},
};

static const struct param host_params[] = {
    {.name = "version", .place = IN_QUERY, .summary = "Version of the API"},
};

static const struct route methods[] = {
    {ROUTE("discovery.apis.list", GET, "/discovery/v1/apis"), .handler = discovery_list,
     .risk = RISK_READ, .anonymous = true, PARAMS(directory_params),
     .summary = "The APIs that can be described"},
    {ROUTE("discovery.apis.getRest", GET, "/discovery/v1/apis/{api}/{version}/rest"),
     .handler = discovery_get, .risk = RISK_READ, .anonymous = true, PARAMS(api_params),
     .summary = "The description of an API"},
    {ROUTE("discovery.host.getRest", GET, "/$discovery/rest"), .handler = discovery_host,
     .risk = RISK_READ, .anonymous = true, PARAMS(host_params),
     .summary = "The description of the API that the host name stands for"},
};

const struct rows google_discovery = ROWS(methods);
