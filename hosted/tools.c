/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tools of sandboxes: an address whose instance id is the credential, from which messages go on
 * to the world's endpoint with a token of its person; and what lists and calls them for clients
 * that do not speak the protocol. Addresses of other servers are never asked.
 */
#include "engine/http/param.h"
#include "hosted/impl.h"
#include <stdio.h>
#include <strings.h>

#define PREFIX "/hosted/"
#define CONFIG "x-email-config" /* of the server for a person's mail */

/* ---- addresses ---- */

/* "/hosted/gmail/mcp/": the name, len bytes; NULL: it is another path. */
static const char *name_in(const char *path, size_t *ret_len)
{
    static const char tail[] = "/mcp";
    if (!str_starts(path, PREFIX))
        return NULL;
    const char *name = path + sizeof PREFIX - 1;
    size_t n = strcspn(name, "/?");
    if (!n || strncmp(name + n, tail, sizeof tail - 1) != 0)
        return NULL;
    const char *rest = name + n + sizeof tail - 1;
    if (*rest == '/')
        rest++;
    *ret_len = n;
    return !*rest || *rest == '?' ? name : NULL;
}

bool tools_are_for(const char *path)
{
    size_t len;
    return name_in(path, &len) != NULL;
}

/* The sandbox of an instance at a server's address; NULL: it has no such server. */
static struct sandbox *sandbox_at(struct hosted_call *c, const char *path, const char *instance,
                                  const struct service **ret_service)
{
    size_t len;
    const char *name = name_in(path, &len);
    const char *text = name ? arena_memdup(&c->arena, name, len) : "";
    struct sandbox *s = instance ? sandbox_of_instance(c->h, instance) : NULL;
    const struct service *service = s && (s->kind == KIND_LOCAL || s->kind == KIND_E2B)
                                        ? local_server(c, s, text)
                                        : service_named(text);
    *ret_service = service;
    if (s && service &&
        (s->kind == KIND_LOCAL || s->kind == KIND_E2B || s->service == service ||
         universe_has(c->h, s, service)))
        return s;
    sandbox_give(s);
    return NULL;
}

/* The token of who calls a server. NULL: c->err, or *ret_why. */
static const char *token_for(struct hosted_call *c, const struct service *service,
                             const char *config, const char **ret_why)
{
    return strcmp(service->name, POSTE) == 0 ? poste_token(c, config, ret_why)
                                             : sandbox_token(c, c->sandbox);
}

/* The same of a message's `headers`. */
static const char *token_in(struct hosted_call *c, const struct service *service,
                            const char **ret_why)
{
    const struct json *headers = json_get(c->body, "headers");
    const char *config = NULL;
    for (uint32_t i = 0; headers && headers->type == JSON_OBJECT && i < headers->n; i++)
        if (strcasecmp(headers->members[i].key, CONFIG) == 0)
            config =
                headers->members[i].value.type == JSON_STRING ? headers->members[i].value.str : "";
    return token_for(c, service, config, ret_why);
}

int tools_forward(struct hosted_call *c)
{
    const struct server_request *request = c->request;
    const struct service *service;
    struct sosia_world_info info;
    const char *instance = query_parse(&c->call) < 0 ? NULL : hosted_query(c, "instance_id");
    c->sandbox = sandbox_at(c, request->path, instance, &service);
    if (!c->sandbox)
        return hosted_refuse(c, 403, "Invalid instance_id");
    c->tenant = c->sandbox->tenant;
    int64_t wait = tenant_call(c->h, c->tenant);
    if (wait)
        return hosted_busy(c, wait);
    if (tenant_full(c->h, c->tenant, false))
        return hosted_full(c);
    const char *why = NULL, *token = token_for(c, service, hosted_header(request, CONFIG), &why);
    if (why)
        return hosted_refuse(c, 403, "%s", why);
    if (!token || sosia_world_info(c->h->engine, c->sandbox->world, &info, &c->err) < 0)
        return hosted_failed(c);
    struct server_call *call = server_alloc(request, sizeof *call);
    char *target = server_alloc(request, 128), *bearer = server_alloc(request, strlen(token) + 8);
    snprintf(target, 128, "/w/%s/mcp/%s?tools=%s", info.key, service->endpoint, service->tools);
    sprintf(bearer, "Bearer %s", token);
    *call = (struct server_call){.target = target, .authorization = bearer};
    c->response->call = call;
    return SERVER_FORWARD;
}

/* ---- messages ---- */

/* Makes one request of the protocol of a world's endpoint. *ret: its result; else *ret_why. */
static int ask(struct hosted_call *c, uint64_t world, const char *token,
               const struct service *service, const char *message, const struct json **ret,
               const char **ret_why)
{
    struct sosia_response *r;
    const struct json *v = NULL;
    const struct sosia_header headers[] = {
        {"Authorization", arena_printf(&c->arena, "Bearer %s", token)},
        {"Content-Type", "application/json"},
        {"Accept", "application/json"},
        {"MCP-Protocol-Version", "2025-06-18"}};
    const struct sosia_request request = {
        .method = "POST",
        .target = arena_printf(&c->arena, "/mcp/%s?tools=%s", service->endpoint, service->tools),
        .headers = headers,
        .n_headers = SOSIA_LEN(headers),
        .body = message,
        .body_len = strlen(message),
        .base_url = c->request->base_url};
    *ret = NULL;
    *ret_why = NULL;
    if (sosia_call(c->h->engine, world, &request, &r, &c->err) < 0)
        return -1;
    int rc = r->body_len ? json_parse(&c->arena, r->body, r->body_len, NULL, &v, &c->err) : 0;
    sosia_response_free(r);
    const char *why = json_get_str(json_get(v, "error"), "message");
    *ret = json_get(v, "result");
    if (!*ret)
        *ret_why = why ? why : "the server gave no result";
    return rc;
}

/* A value of the query of an address, decoded, in the arena; NULL: there is none. */
static const char *query_of(struct hosted_call *c, const char *url, const char *name)
{
    const char *at = strchr(url, '?');
    size_t n = strlen(name);
    while (at && *at) {
        at++;
        size_t len = strcspn(at, "&#");
        char *text;
        size_t text_len;
        if (len > n && strncmp(at, name, n) == 0 && at[n] == '=')
            return percent_decode(&c->arena, at + n + 1, len - n - 1, true, &text, &text_len) == 0
                       ? text
                       : NULL;
        at = at[len] == '&' ? at + len : NULL;
    }
    return NULL;
}

/* Takes the sandbox whose tools are at an address: c->sandbox. NULL: *ret_why. */
static const struct service *open_url(struct hosted_call *c, const char *url, const char **ret_why)
{
    const struct service *service;
    const char *host = strstr(url, "://"), *path = host ? strchr(host + 3, '/') : NULL;
    if (!path || !tools_are_for(path)) {
        *ret_why = "serverUrl must be the server_url of a sandbox; other servers are not asked";
        return NULL;
    }
    c->sandbox = sandbox_at(c, path, query_of(c, url, "instance_id"), &service);
    if (c->sandbox && c->sandbox->tenant == c->tenant)
        return service;
    *ret_why = "serverUrl must be the server_url of a sandbox of this API key";
    return NULL;
}

/* ---- lists ---- */

static void write_tool(struct json_writer *w, const char *format, const struct json *tool)
{
    const struct json *schema = json_get(tool, "inputSchema");
    if (strcmp(format, "mcp_native") == 0) {
        json_value(w, NULL, tool);
        return;
    }
    bool openai = strcmp(format, "openai") == 0;
    json_obj(w, NULL);
    if (openai) {
        json_str(w, "type", "function");
        json_obj(w, "function");
    }
    json_str(w, "name", json_get_str(tool, "name"));
    json_str(w, "description", json_get_str(tool, "description"));
    if (schema)
        json_value(w, strcmp(format, "anthropic") == 0 ? "input_schema" : "parameters", schema);
    if (openai)
        json_end(w);
    json_end(w);
}

/* Programs of Gemini's take all functions as one tool. */
static void write_tools(struct json_writer *w, const char *format, const struct json *list)
{
    const struct json *tools;
    uint32_t n = items_of(list, "tools", &tools);
    bool gemini = strcmp(format, "gemini") == 0;
    json_arr(w, "tools");
    if (gemini) {
        json_obj(w, NULL);
        json_arr(w, "function_declarations");
    }
    for (uint32_t i = 0; i < n; i++)
        write_tool(w, format, &tools[i]);
    if (gemini) {
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

static const char list_message[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}";

static int answer_tools(struct hosted_call *c, const struct json *list, const char *format,
                        const char *why)
{
    struct json_writer w;
    struct buf b;
    hosted_begin(&b, &w);
    json_bool(&w, "success", list != NULL);
    if (list)
        write_tools(&w, format, list);
    else
        json_null(&w, "tools");
    json_str(&w, "format", format);
    json_str(&w, "error", list ? NULL : why);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

int hosted_list_tools(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const char *why = NULL, *format = json_get_str(c->body, "format"), *token;
    const struct json *list = NULL;
    const struct service *service = open_url(c, json_get_str(c->body, "serverUrl"), &why);
    if (service &&
        ((!(token = token_in(c, service, &why)) && !why) ||
         (token && ask(c, c->sandbox->world, token, service, list_message, &list, &why) < 0)))
        return hosted_failed(c);
    return answer_tools(c, list, format ? format : "mcp_native", why);
}

int tools_listed(struct hosted_call *c, uint64_t world, const char *person,
                 const struct service *service, const struct json **ret, const char **ret_why)
{
    char token[SOSIA_TOKEN_MAX];
    const struct sosia_token_options opt = {.actor = person};
    if (sosia_token_issue(c->h->engine, world, &opt, token, sizeof token, &c->err) < 0)
        return -1;
    return ask(c, world, token, service, list_message, ret, ret_why);
}

int hosted_tools_of(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const char *name = hosted_path(c, "server_name"), *why = NULL;
    const struct service *service = service_named(name);
    const struct json *list = NULL;
    uint64_t world;
    if (!service)
        return hosted_refuse(c, 404, "There is no server \"%.80s\"", name);
    if (base_take(c, accounts_of(service), &world) < 0 ||
        tools_listed(c, world, usual_person, service, &list, &why) < 0)
        return hosted_failed(c);
    return answer_tools(c, list, "mcp_native", why);
}

/* ---- a call ---- */

int hosted_call_tool(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const char *why = NULL, *token;
    const struct json *result = NULL, *args = json_get(c->body, "toolArgs");
    const struct service *service = open_url(c, json_get_str(c->body, "serverUrl"), &why);
    struct json_writer w;
    struct buf b;
    if (service) {
        hosted_begin(&b, &w);
        json_str(&w, "jsonrpc", "2.0");
        json_int(&w, "id", 1);
        json_str(&w, "method", "tools/call");
        json_obj(&w, "params");
        json_str(&w, "name", json_get_str(c->body, "toolName"));
        if (args)
            json_value(&w, "arguments", args);
        json_end(&w);
        json_end(&w);
        token = token_in(c, service, &why);
        int rc = token ? ask(c, c->sandbox->world, token, service, buf_str(&b), &result, &why)
                 : why ? 0
                       : -1;
        buf_done(&b);
        if (rc < 0)
            return hosted_failed(c);
    }
    hosted_begin(&b, &w);
    json_bool(&w, "success", result != NULL);
    if (result) {
        json_obj(&w, "result");
        const struct json *content = json_get(result, "content");
        if (content)
            json_value(&w, "content", content);
        json_bool(&w, "isError", json_get_true(result, "isError"));
        json_end(&w);
    } else {
        json_null(&w, "result");
    }
    json_str(&w, "error", result ? NULL : why);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}
