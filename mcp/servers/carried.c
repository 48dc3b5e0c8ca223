/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/servers/carried.h"
#include "mcp/servers/server.h"
#include <pthread.h>

static const struct mcp_carried *carried;
static size_t n_carried;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void mcp_carry(const struct mcp_carried *list, size_t n)
{
    pthread_rwlock_wrlock(&lock);
    carried = list;
    n_carried = n;
    pthread_rwlock_unlock(&lock);
}

const struct mcp_carried *mcp_carried_at(size_t i)
{
    pthread_rwlock_rdlock(&lock);
    const struct mcp_carried *found = i < n_carried ? &carried[i] : NULL;
    pthread_rwlock_unlock(&lock);
    return found;
}

const struct mcp_carried *mcp_carried_named(const char *name, size_t len)
{
    const struct mcp_carried *found = NULL;
    pthread_rwlock_rdlock(&lock);
    for (size_t i = 0; i < n_carried && !found; i++)
        if (strlen(carried[i].name) == len && memcmp(carried[i].name, name, len) == 0)
            found = &carried[i];
    pthread_rwlock_unlock(&lock);
    return found;
}

/* ---- the endpoint ---- */

const struct dialect_tools carried_service = {.name = "carried"};

static const struct route *row(void)
{
    return dialect_row(&carried_dialect, 0);
}

/* What the token may use at this URL. A hint of the server's that a tool only reads is its own
 * word: it is a program as all its tools are, which may write any file. */
static bool allowed(const struct mcp_call *m)
{
    const struct mcp_tool t = {.service = &carried_service,
                               .dialect = &carried_dialect,
                               .route = row(),
                               .risk = row()->risk};
    return tool_allowed(m, &t);
}

static const struct json *tools_of(struct mcp_call *m)
{
    const char *text = m->carried->tools;
    const struct json *v;
    return json_parse(m->c->tx.arena, text, strlen(text), NULL, &v, m->c->tx.err) < 0 ? NULL : v;
}

static const struct json *find(const struct json *tools, const char *name)
{
    for (uint32_t i = 0; tools && i < tools->n; i++) {
        const char *other = json_get_str(&tools->items[i], "name");
        if (other && strcmp(other, name) == 0)
            return &tools->items[i];
    }
    return NULL;
}

static int tools_list(struct mcp_call *m)
{
    const struct json *tools = tools_of(m);
    if (!tools || tool_risk_most(m->c) < 0)
        return rpc_fail(m, RPC_PARAMS,
                        "risk in the URL must be read, draft, write, external or "
                        "destructive");
    rpc_cache(m, 3600000, false);
    json_arr(m->w, "tools");
    for (uint32_t i = 0; i < tools->n; i++)
        if (allowed(m) &&
            call_shows(m->c, &carried_dialect, row(), json_get_str(&tools->items[i], "name")))
            json_value(m->w, NULL, &tools->items[i]);
    json_end(m->w);
    return 0;
}

static const char *body_of(struct mcp_call *m, const char *name, const struct json *arguments)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "server", m->carried->name);
    json_str(&w, "name", name);
    if (arguments)
        json_value(&w, "arguments", arguments);
    json_end(&w);
    const char *text = buf_failed(&b) ? NULL : arena_strdup(m->c->tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static int tools_call(struct mcp_call *m)
{
    const char *name = rpc_str(m, "name"), *body;
    const struct json *arguments = json_get(m->params, "arguments"), *tool;
    struct mcp_answer a;
    if (!name)
        return -1;
    if (arguments && arguments->type == JSON_NULL)
        arguments = NULL;
    if (arguments && arguments->type != JSON_OBJECT)
        return rpc_fail(m, RPC_PARAMS, "params.arguments must be an object, not %s",
                        call_quote(m->c, arguments));
    if (!(tool = find(tools_of(m), name)) || !allowed(m)) {
        tool_refused(m, arena_printf(m->c->tx.arena, "MCP error -32602: Tool %s not found", name));
        return 0;
    }
    if (call_leave(m->c))
        return 0;
    m->c->tool = name;
    if (!(body = body_of(m, name, arguments)))
        return rpc_fail(m, RPC_INTERNAL, "there is no memory for the call");
    int rc = server_ask_row(m, row(), body, &a) < 0 ? -1 : server_result(m, &a);
    sosia_response_free(a.response);
    return rc < 0 ? rpc_fail(m, RPC_INTERNAL, "there is no memory for the call") : 0;
}

const struct mcp_face mcp_carried_face = {
    .tools_list = tools_list, .tools_call = tools_call, .set_level = mcp_set_level};
