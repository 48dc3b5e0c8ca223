/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of tools, and calls of them. */
#include "engine/json/bytes.h"
#include "mcp/sets/sets.h"
#include "engine/api/json_schema.h"
#include "engine/api/router.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "mcp/approve.h"
#include "mcp/setting.h"
#include "mcp/staged.h"
#include <stdio.h>

#define LIST_TTL_MS 3600000

/* ---- sets ---- */

/* The set that the endpoint's URL asks for, else the world's. -1: refused, for that or because the
 * URL limits the risk by a word that is none. */
static int read_set(struct mcp_call *m, enum tool_set *ret)
{
    const char *text = call_query_item(m->c, "tools");
    const struct tool_caller *who = m->c->vendor_data;
    int set = m->server ? SET_AGENT365 : text ? tool_set_named(text) : who ? who->set : SET_COMMON;
    if (set < 0)
        return rpc_fail(m, RPC_PARAMS, "tools in the URL must be %s, not %s",
                        tool_set_names(m->c->tx.arena), text);
    int most = tool_risk_most(m->c);
    if (most < 0)
        return rpc_fail(m, RPC_PARAMS,
                        "risk in the URL must be read, draft, write, external or destructive, not "
                        "%s",
                        call_query_item(m->c, "risk"));
    m->c->risk_most = (enum risk)most; /* of what is called */
    *ret = (enum tool_set)set;
    return 0;
}

static int no_memory(struct mcp_call *m)
{
    return rpc_fail(m, RPC_INTERNAL, "there is no memory for the call");
}

/* A tool in the list, under the name that it has in the world. */
static void write_listed(struct mcp_call *m, const struct mcp_tool *t, const char *text, size_t len)
{
    static const char head[] = "{\"name\":\"";
    const char *name = call_tool_name(m->c, t->name);
    size_t own = sizeof head - 1 + strlen(t->name) + 1;
    if (strcmp(name, t->name) == 0 || len < own || !str_starts(text, head)) {
        json_item_again(m->w, text, len);
        return;
    }
    const char *other =
        arena_printf(m->c->tx.arena, "%s%s\"%.*s", head, name, (int)(len - own), text + own);
    json_item_again(m->w, other, strlen(other));
}

/* All on one page: programs that ask once see them all. */
int mcp_tools_list(struct mcp_call *m)
{
    enum tool_set set;
    if (json_get(m->params, "cursor"))
        return rpc_fail(m, RPC_PARAMS, "params.cursor: no list here has a second page");
    if (read_set(m, &set) < 0)
        return -1;
    rpc_cache(m, LIST_TTL_MS, false);
    json_arr(m->w, "tools");
    for (const struct dialect *d = NULL; (d = mcp_service_next(m->c, d)) != NULL;) {
        if (m->service && m->service != d->tools)
            continue;
        const struct tool_index *index = tool_index(d);
        if (!index)
            return no_memory(m);
        for (size_t i = 0; i < index->n; i++) {
            const struct mcp_tool *t = &index->tools[i];
            bool common = set == SET_COMMON && t->common;
            if ((common || t->set == set) && tool_listed(m, t))
                write_listed(m, t, common ? t->common : t->text, common ? t->common_len : t->len);
        }
    }
    staged_list(m);
    json_end(m->w);
    return 0;
}

/* ---- the call ---- */

/* The tool of that name, if the token may use it: 1, 0, -1. */
int tool_find(struct mcp_call *m, const char *name, const struct mcp_tool **ret)
{
    enum tool_set set;
    if (read_set(m, &set) < 0)
        return -1;
    name = call_tool_named(m->c, name);
    if (!name)
        return 0;
    if (set == SET_COMMON)
        set = SET_NATIVE; /* what is not listed can be called too */
    for (const struct dialect *d = NULL; (d = mcp_service_next(m->c, d)) != NULL;) {
        if ((m->service && m->service != d->tools) ||
            (set == SET_NATIVE && /* all of its begin with its name's first word */
             strncmp(name, d->tools->name, strcspn(d->tools->name, "_")) != 0))
            continue;
        const struct tool_index *index = tool_index(d);
        if (!index)
            return no_memory(m);
        const struct mcp_tool *t = map_get(&index->names[set], name);
        if (t && tool_allowed(m, t)) {
            *ret = t;
            return 1;
        }
    }
    return 0;
}

static bool is_text(const struct mcp_answer *a)
{
    return str_starts(a->type, "text/") || str_starts(a->type, "application/json") ||
           strstr(a->type, "+json") || strstr(a->type, "xml");
}

/* Bytes that are not JSON: as what models can look at, or as a resource. */
static void write_bytes(struct mcp_call *m, const struct mcp_answer *a)
{
    struct json_writer *w = m->w;
    bool image = str_starts(a->type, "image/"), audio = str_starts(a->type, "audio/");
    json_obj(w, NULL);
    if (image || audio) {
        json_str(w, "type", image ? "image" : "audio");
        json_base64(m->w, "data", a->body, a->len);
        json_str(w, "mimeType", a->type);
    } else {
        json_str(w, "type", "resource");
        json_obj(w, "resource");
        json_str(w, "uri", "sosia://response");
        json_str(w, "mimeType", *a->type ? a->type : "application/octet-stream");
        json_base64(m->w, "blob", a->body, a->len);
        json_end(w);
    }
    json_end(w);
}

static void write_json(struct json_writer *w, const struct mcp_answer *a)
{
    json_obj(w, NULL);
    json_str(w, "type", "text");
    json_quoted(w, "text", a->body, a->len);
    json_end(w);
}

/* Is it what a service says, and not somebody's file? */
static bool is_own(const struct mcp_tool *t, const struct json *arguments)
{
    const char *alt = json_get_str(arguments, "alt");
    return !t->route->download || (t->route->response && (!alt || strcmp(alt, "media") != 0));
}

/* A service's JSON comes without whitespace, and goes on as it is. */
void tool_done(struct mcp_call *m, const struct mcp_tool *t, struct mcp_answer *a, bool own)
{
    static const char done[] = "Done.";
    struct json_writer *w = m->w;
    const struct json *v = own ? NULL : tool_answer(m, a);
    json_arr(w, "content");
    if (!a->len)
        tool_text(w, done, sizeof done - 1);
    else if (own && a->is_json)
        write_json(w, a);
    else if (is_text(a) && utf8_valid(a->body, a->len))
        tool_text(w, a->body, a->len);
    else
        write_bytes(m, a);
    json_end(w);
    bool structured = strcmp(m->revision, "2025-06-18") >= 0;
    if (structured && own && a->is_json && a->len && a->body[0] == '{') {
        json_raw(w, "structuredContent", a->body, a->len);
    } else if (structured && v && v->type == JSON_OBJECT) {
        json_value(w, "structuredContent", v);
    } else if (structured && !a->len && tool_output(t)) { /* all its members are absent */
        json_obj(w, "structuredContent");
        json_end(w);
    }
    json_bool(w, "isError", false);
}

int tool_serve(struct mcp_call *m, const struct mcp_tool *t, const struct json *arguments)
{
    struct mcp_answer a = {0};
    if (t->row)
        return sets_serve(m, t, arguments);
    const char *why;
    int r = tool_call(m, t, arguments, &a, &why);
    if (r == 0)
        tool_refused(m, why);
    else if (r > 0 && a.refused)
        tool_refused(m, answer_why(m, &a));
    else if (r > 0)
        tool_done(m, t, &a, is_own(t, arguments));
    sosia_response_free(a.response);
    return r < 0 ? -1 : 0;
}

int mcp_tools_call(struct mcp_call *m)
{
    const char *name = rpc_str(m, "name");
    const struct json *arguments = json_get(m->params, "arguments");
    const struct mcp_tool *t;
    if (!name)
        return -1;
    if (arguments && arguments->type == JSON_NULL)
        arguments = NULL;
    if (arguments && arguments->type != JSON_OBJECT)
        return rpc_fail(m, RPC_PARAMS, "params.arguments must be an object, not %s",
                        call_quote(m->c, arguments));
    const struct json_mark mark = json_mark(m->w);
    const bool judged = m->c->judged != NULL; /* the world has rules */
    int r = judged ? staged_call(m, name, arguments) : 0;
    if (r)
        return r < 0 ? -1 : approve_after(m, &mark);
    r = tool_find(m, name, &t);
    if (r <= 0)
        return r < 0 ? -1 : rpc_fail(m, RPC_PARAMS, "Unknown tool: %s", name);
    /* A moment is what one call takes that only reads. */
    if ((t->row || t->risk != RISK_READ) && call_leave(m->c))
        return 0;
    if (judged)
        approve_before(m);
    m->c->tool = t->name;
    r = tool_serve(m, t, arguments);
    m->c->tool = NULL;
    return r < 0 ? no_memory(m) : judged ? approve_after(m, &mark) : 0;
}
