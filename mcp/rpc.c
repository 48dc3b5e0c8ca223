/* SPDX-License-Identifier: Apache-2.0 */
/* JSON-RPC 2.0 for the methods: refusals, what a message says beside its parameters, and asking its
 * client. */
#include "engine/base/err.h"
#include "mcp/hub.h"
#include "engine/base/codec.h"
#include <stdarg.h>
#include <stdio.h>

const char *const mcp_revisions[] = {MCP_STATELESS, "2025-11-25", "2025-06-18",
                                     "2025-03-26",  "2024-11-05", NULL};

const char *mcp_revision(const char *text)
{
    for (const char *const *r = mcp_revisions; text && *r; r++)
        if (strcmp(*r, text) == 0)
            return *r;
    return NULL;
}

/* ---- refusals ---- */

__attribute__((format(printf, 5, 0))) static int refuse(struct mcp_call *m, enum rpc_code code,
                                                        int status, const char *data,
                                                        const char *fmt, va_list ap)
{
    m->code = code;
    m->status = status;
    m->data = data;
    m->text = message_text(m->c->tx.arena, fmt, ap);
    return -1;
}

int rpc_fail(struct mcp_call *m, enum rpc_code code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    refuse(m, code, 200, NULL, fmt, ap);
    va_end(ap);
    return -1;
}

int rpc_fail_http(struct mcp_call *m, enum rpc_code code, int status, const char *data,
                  const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    refuse(m, code, status, data, fmt, ap);
    va_end(ap);
    return -1;
}

int rpc_no_resource(struct mcp_call *m, const char *uri, const char *why)
{
    struct buf b;
    struct json_writer w;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "uri", uri);
    json_end(&w);
    const char *data = buf_keep(&b, m->c->tx.arena);
    return rpc_fail_http(m, m->stateless ? RPC_PARAMS : RPC_NO_RESOURCE, 200, data,
                         "Resource not found: %s%s%s", uri, why ? ": " : "", why ? why : "");
}

const char *rpc_str(struct mcp_call *m, const char *name)
{
    const struct json *v = json_get(m->params, name);
    if (v && v->type == JSON_STRING)
        return v->str;
    rpc_fail(m, RPC_PARAMS, "params.%s must be a string, not %s", name, call_quote(m->c, v));
    return NULL;
}

void rpc_cache(struct mcp_call *m, int64_t ttl_ms, bool everybody)
{
    if (!m->stateless)
        return;
    json_int(m->w, "ttlMs", ttl_ms);
    json_str(m->w, "cacheScope", everybody ? "public" : "private");
}

void rpc_refuse(struct mcp_call *m)
{
    struct json_writer *w = m->w;
    json_obj(w, NULL);
    json_str(w, "jsonrpc", "2.0");
    if (m->id)
        json_value(w, "id", m->id);
    else if (!m->stateless)
        json_null(w, "id");
    json_obj(w, "error");
    json_int(w, "code", m->code);
    json_str(w, "message", m->text);
    if (m->data)
        json_raw(w, "data", m->data, strlen(m->data));
    json_end(w);
    json_end(w);
}

const struct json *rpc_meta(const struct mcp_call *m, const char *name)
{
    char key[80];
    snprintf(key, sizeof key, MCP_META "%s", name);
    return json_get(json_get(m->params, "_meta"), key);
}

/* ---- asking the client ---- */

static const struct {
    const char *name; /* of the capability, and before the methods that it is for */
    unsigned can;
} abilities[] = {{"sampling", CAN_SAMPLE}, {"elicitation", CAN_ELICIT}, {"roots", CAN_ROOTS}};

unsigned rpc_capabilities(const struct json *capabilities)
{
    unsigned can = 0;
    for (size_t i = 0; i < SOSIA_LEN(abilities); i++)
        if (json_get(capabilities, abilities[i].name))
            can |= abilities[i].can;
    /* One that opens pages and shows no forms. */
    const struct json *elicits = json_get(capabilities, "elicitation");
    if (json_get(elicits, "url") && !json_get(elicits, "form"))
        can &= ~(unsigned)CAN_ELICIT;
    return can;
}

bool rpc_client_can(const struct mcp_call *m, const char *method)
{
    unsigned can = m->session.can;
    if (m->stateless)
        can = rpc_capabilities(rpc_meta(m, "clientCapabilities"));
    else if (!*m->session.id)
        return true; /* what it said is not kept */
    for (size_t i = 0; i < SOSIA_LEN(abilities); i++)
        if (str_starts(method, abilities[i].name))
            return can & abilities[i].can;
    return false;
}

const struct json *rpc_answer(const struct mcp_call *m, const char *key)
{
    return json_get(m->stateless ? json_get(m->params, "inputResponses") : m->known, key);
}

int rpc_ask(struct mcp_call *m, const char *key, const char *method, const char *params)
{
    if (!m->streams)
        return rpc_fail(m, RPC_REQUEST, "%s must be asked of the client, which takes no stream",
                        method);
    if (m->n_asks + (m->known ? m->known->n : 0) >= MAX_ASKED)
        return rpc_fail(m, RPC_INTERNAL, "a request asks its client for %d things at most",
                        MAX_ASKED);
    m->asks[m->n_asks++] = (struct hub_asked){key, method, params};
    return 0;
}

void rpc_notify(struct mcp_call *m, const char *method, const char *params)
{
    buf_printf(m->events,
               "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":%s}\n\n",
               method, params);
}
