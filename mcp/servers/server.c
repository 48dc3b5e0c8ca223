/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and calls of such tools. */
#include "mcp/servers/resources.h"
#include "engine/base/codec.h"
#include "mcp/sets/set.h"

static const struct mcp_server *const servers[] = {
    &mcp_filesystem,  &mcp_memory,        &mcp_email,   &mcp_terminal, &mcp_git,
    &mcp_code_runner, &mcp_code_executor, &mcp_desktop, &mcp_fetch,    &mcp_pdf};

const struct mcp_server *mcp_server_named(const char *name, size_t n)
{
    for (size_t i = 0; i < SOSIA_LEN(servers); i++)
        if (strlen(servers[i]->name) == n && memcmp(servers[i]->name, name, n) == 0)
            return servers[i];
    return NULL;
}

const struct mcp_server *mcp_server_of(const struct mcp_call *m)
{
    for (size_t i = 0; i < SOSIA_LEN(servers); i++)
        if (m->service == &servers[i]->service)
            return servers[i];
    return NULL;
}

/* ---- the list ---- */

static void write_type(struct json_writer *w, const struct dialect *d, const struct field *f,
                       bool list);

static void write_object(struct json_writer *w, const struct dialect *d, const struct schema *s)
{
    json_str(w, "type", "object");
    json_obj(w, "properties");
    for (size_t i = 0; s && i < s->n_fields; i++) {
        const struct field *f = &s->fields[i];
        json_obj(w, f->name);
        if (f->def && !f->list && strcmp(f->type, "string") == 0 && strcmp(f->def, "null") != 0)
            json_str(w, "default", f->def);
        else if (f->def)
            json_raw(w, "default", f->def, strlen(f->def));
        json_str_opt(w, "description", f->summary);
        write_type(w, d, f, f->list);
        json_end(w);
    }
    json_end(w);
    bool any = false;
    for (size_t i = 0; s && i < s->n_fields; i++)
        any |= s->fields[i].required;
    if (!any)
        return;
    json_arr(w, "required");
    for (size_t i = 0; i < s->n_fields; i++)
        if (s->fields[i].required)
            json_str(w, NULL, s->fields[i].name);
    json_end(w);
}

static void write_type(struct json_writer *w, const struct dialect *d, const struct field *f,
                       bool list)
{
    const struct schema *s = dialect_schema(d, f->type);
    if (list) {
        if (f->least)
            json_int(w, "minItems", f->least);
        json_str(w, "type", "array");
        json_obj(w, "items");
        write_type(w, d, f, false);
        json_end(w);
        return;
    }
    if (s) {
        write_object(w, d, s);
        return;
    }
    if (strcmp(f->type, "any") != 0)
        json_str(w, "type", f->type);
    if (!f->values)
        return;
    json_arr(w, "enum");
    for (size_t i = 0; f->values[i]; i++)
        json_str(w, NULL, f->values[i]);
    json_end(w);
}

#define DRAFT "http://json-schema.org/draft-07/schema#"

static void write_hints(struct json_writer *w, unsigned hints)
{
    json_obj(w, "annotations");
    json_bool(w, "readOnlyHint", hints & HINT_READS);
    if (!(hints & HINT_BRIEF)) {
        json_bool(w, "destructiveHint", hints & HINT_DESTROYS);
        json_bool(w, "idempotentHint", hints & HINT_REPEATS);
    }
    json_bool(w, "openWorldHint", hints & HINT_OPEN);
    json_end(w);
}

/* The prefix that hosted copies put before the names of some servers' tools. */
static const char *prefix_of(const struct mcp_call *m, const struct mcp_server *s)
{
    const char *set = call_query_item(m->c, "tools");
    if (!set || strcmp(set, "hosted") != 0)
        return "";
    return s == &mcp_filesystem ? "filesystem_" : s == &mcp_pdf ? "pdf_tools_" : "";
}

static const char *name_of(const struct route *r)
{
    return strchr(r->id, '.') + 1;
}

static void write_tool(struct mcp_call *m, const struct mcp_server *s, const struct route *r,
                       const struct server_tool *t)
{
    struct json_writer *w = m->w;
    json_obj(w, NULL);
    const char *own = arena_printf(m->c->tx.arena, "%s%s", prefix_of(m, s), name_of(r));
    json_str(w, "name", call_tool_name(m->c, own));
    json_str_opt(w, "title", t->title);
    json_str(w, "description", r->summary);
    json_obj(w, "inputSchema");
    write_object(w, s->dialect, dialect_schema(s->dialect, r->request));
    if (s == &mcp_code_runner || s == &mcp_desktop) /* which say so, and take others */
        json_bool(w, "additionalProperties", false);
    json_str(w, "$schema", DRAFT);
    json_end(w);
    if (t->output && strcmp(m->revision, "2025-06-18") >= 0)
        json_raw(w, "outputSchema", t->output, strlen(t->output));
    if (t->said)
        json_raw(w, "annotations", t->said, strlen(t->said));
    else if (t->hints)
        write_hints(w, t->hints);
    json_end(w);
}

static bool allowed(const struct mcp_call *m, const struct mcp_server *s, const struct route *r)
{
    const struct mcp_tool t = {
        .service = &s->service, .dialect = s->dialect, .route = r, .risk = r->risk};
    return tool_allowed(m, &t);
}

/* The URL limits the risk. */
static int read_risk(struct mcp_call *m)
{
    int most = tool_risk_most(m->c);
    if (most < 0)
        return rpc_fail(m, RPC_PARAMS,
                        "risk in the URL must be read, draft, write, external or destructive, not "
                        "%s",
                        call_query_item(m->c, "risk"));
    m->c->risk_most = (enum risk)most;
    return 0;
}

static int tools_list(struct mcp_call *m)
{
    static const struct server_tool plain;
    const struct mcp_server *s = mcp_server_of(m);
    const struct route *r;
    if (read_risk(m) < 0)
        return -1;
    rpc_cache(m, 3600000, false);
    json_arr(m->w, "tools");
    for (size_t i = 0; (r = dialect_row(s->dialect, i)) != NULL; i++)
        if (allowed(m, s, r) && call_shows(m->c, s->dialect, r, name_of(r)))
            write_tool(m, s, r, s->tools ? &s->tools[i] : &plain);
    json_end(m->w);
    return 0;
}

/* ---- a call ---- */

static const struct route *find(const struct mcp_call *m, const struct mcp_server *s,
                                const char *name)
{
    const char *prefix = prefix_of(m, s);
    const struct route *r;
    name = call_tool_named(m->c, name);
    if (!name || !str_starts(name, prefix))
        return NULL;
    name += strlen(prefix);
    for (size_t i = 0; (r = dialect_row(s->dialect, i)) != NULL; i++)
        if (strcmp(name_of(r), name) == 0 && allowed(m, s, r))
            return r;
    return NULL;
}

/* The end of the JSON value at p, which a writer has put out without whitespace. */
static const char *value_end(const char *p, const char *end)
{
    int depth = 0;
    for (; p < end; p++) {
        if (*p == '"')
            for (p++; p < end && *p != '"'; p++)
                p += *p == '\\';
        else if (*p == '{' || *p == '[')
            depth++;
        else if (*p == '}' || *p == ']')
            depth--;
        if (depth < 0 || (!depth && p + 1 < end && (p[1] == ',' || p[1] == '}')))
            return depth < 0 ? p : p + 1;
    }
    return end;
}

/* The method's answer is the tool's result: member by member as it is, since a file's text may have
 * a NUL, which is not read again. */
int server_result(struct mcp_call *m, struct mcp_answer *a)
{
    static const char *const members[] = {"content", "structuredContent", "isError"};
    const char *p = a->body, *end = a->body + a->len;
    bool structured = strcmp(m->revision, "2025-06-18") >= 0;
    if (!a->is_json || !str_starts(p, "{\"content\":")) {
        tool_refused(m, answer_why(m, a));
        return 0;
    }
    for (size_t i = 0; i < SOSIA_LEN(members); i++) {
        size_t n = strlen(members[i]);
        if ((size_t)(end - p) < n + 5 || strncmp(p + 2, members[i], n) != 0 || p[n + 2] != '"')
            continue;
        const char *value = p + n + 4;
        p = value_end(value, end);
        if (structured || i != 1)
            json_raw(m->w, members[i], value, (size_t)(p - value));
    }
    return 0;
}

int server_ask_row(struct mcp_call *m, const struct route *r, const char *body,
                   struct mcp_answer *ret)
{
    struct sosia_header headers[] = {{"Authorization", tool_bearer(m)},
                                     {"Content-Type", "application/json"}};
    struct sosia_request request = {.method = "POST",
                                    .target = r->paths[0],
                                    .headers = headers,
                                    .n_headers = SOSIA_LEN(headers),
                                    .body = body,
                                    .body_len = strlen(body),
                                    .base_url = m->c->base_url};
    *ret = (struct mcp_answer){.response = call_part(m->c, &request)};
    if (!ret->response)
        return -1;
    answer_read(m, request.target, ret);
    mcp_log_request(m, &request, ret);
    return 0;
}

int server_ask(struct mcp_call *m, const char *tool, const char *arguments, struct mcp_answer *ret)
{
    const struct mcp_server *s = mcp_server_of(m);
    const struct route *r;
    for (size_t i = 0; (r = dialect_row(s->dialect, i)) != NULL; i++)
        if (strcmp(name_of(r), tool) == 0 && allowed(m, s, r))
            return server_ask_row(m, r, arguments, ret);
    return -1;
}

static int call_method(struct mcp_call *m, const struct route *r, const struct json *arguments)
{
    const char *body = arguments ? json_to_text(m->c->tx.arena, arguments) : "{}";
    struct mcp_answer a;
    int rc = server_ask_row(m, r, body, &a) < 0 ? -1 : server_result(m, &a);
    sosia_response_free(a.response);
    return rc;
}

static int tools_call(struct mcp_call *m)
{
    const struct mcp_server *s = mcp_server_of(m);
    const char *name = rpc_str(m, "name");
    const struct json *arguments = json_get(m->params, "arguments");
    if (!name || read_risk(m) < 0)
        return -1;
    if (arguments && arguments->type == JSON_NULL)
        arguments = NULL;
    if (arguments && arguments->type != JSON_OBJECT)
        return rpc_fail(m, RPC_PARAMS, "params.arguments must be an object, not %s",
                        call_quote(m->c, arguments));
    const struct route *r = find(m, s, name);
    if (!r) {
        tool_refused(m, arena_printf(m->c->tx.arena,
                                     s == &mcp_desktop ? "Error: Unknown tool: %s"
                                                       : "MCP error -32602: Tool %s not found",
                                     name));
        return 0;
    }
    if ((r->risk != RISK_READ || r->pace == PACE_SLOW) && call_leave(m->c))
        return 0;
    m->c->tool = call_tool_named(m->c, name);
    return call_method(m, r, arguments) < 0
               ? rpc_fail(m, RPC_INTERNAL, "there is no memory for the call")
               : 0;
}

const struct mcp_face mcp_server_face = {.tools_list = tools_list,
                                         .tools_call = tools_call,
                                         .resources_list = server_resources_list,
                                         .templates_list = server_templates_list,
                                         .resources_read = server_resources_read,
                                         .subscribe = mcp_subscribe,
                                         .unsubscribe = mcp_unsubscribe,
                                         .set_level = mcp_set_level};
