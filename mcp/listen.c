/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions: to resources in a session, whose stream is a GET; and on a stream of their own in
 * revisions without sessions. */
#include "mcp/watch.h"
#include "engine/base/codec.h"
#include "engine/http/stream.h"
#include "mcp/servers/resources.h"

#define META_ID  MCP_META "subscriptionId"
#define MAX_URIS 100

#define TOOLS_CHANGED "notifications/tools/list_changed"

/* What tools a list has follows from the rules on calls that the world has. */
static const char *const rules_kinds[] = {RULES_CHANGED, NULL};
static const struct watched watched_tools = {.kinds = rules_kinds};

/* A notification; meta: JSON of the member _meta; NULL: none. In the arena. */
static const char *notification(struct mcp_call *m, const char *method, const char *uri,
                                const char *meta)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "jsonrpc", "2.0");
    json_str(&w, "method", method);
    if (uri || meta) {
        json_obj(&w, "params");
        if (meta)
            json_raw(&w, "_meta", meta, strlen(meta));
        json_str_opt(&w, "uri", uri);
        json_end(&w);
    }
    json_end(&w);
    return buf_keep(&b, m->c->tx.arena);
}

static const char *updated(struct mcp_call *m, const char *uri, const char *meta)
{
    return notification(m, "notifications/resources/updated", uri, meta);
}

/* What a change of the resource follows from. 1; 0: it may be read and does not change here; -1:
 * refused. */
static int watch_uri(struct mcp_call *m, const char *uri, struct watched *ret)
{
    const char *const *values;
    const struct tool_resource *k;
    if (m->face == &mcp_server_face)
        return server_watch(m, uri, ret);
    if (resource_check(m, uri) < 0)
        return -1;
    k = resource_find(m, uri, &values);
    int r = k ? watch_resource(m, k, values, ret) : 0;
    return r < 0 ? rpc_fail(m, RPC_INTERNAL, "the resource can't be watched") : r;
}

static int refuse_watch(struct mcp_call *m, int r)
{
    return r < 0 ? rpc_fail(m, RPC_INTERNAL, "there is no memory for the subscription")
                 : rpc_fail(m, RPC_REQUEST, "a session has at most %d subscriptions", MAX_WATCHES);
}

int mcp_subscribe(struct mcp_call *m)
{
    const char *uri = rpc_str(m, "uri");
    struct hub *h = hub_of(m->c);
    const struct hub_owner o = hub_owner_of(m);
    struct watched of;
    if (!uri)
        return -1;
    if (!*m->session.id)
        return rpc_fail(m, RPC_REQUEST, "resources/subscribe needs a session: Mcp-Session-Id");
    if (!h)
        return refuse_watch(m, -1);
    int r = watch_uri(m, uri, &of);
    if (r < 0)
        return -1;
    hub_session_unwatch(h, &o, m->session.id, uri); /* once is enough */
    if (r)
        r = hub_session_watch(h, &o, m->session.id, uri, &of, updated(m, uri, NULL));
    else
        r = 1;
    return r == 1 ? 0 : refuse_watch(m, r);
}

int mcp_unsubscribe(struct mcp_call *m)
{
    const char *uri = rpc_str(m, "uri");
    struct hub *h = hub_of(m->c);
    const struct hub_owner o = hub_owner_of(m);
    if (!uri)
        return -1;
    if (h)
        hub_session_unwatch(h, &o, m->session.id, uri);
    return 0;
}

void mcp_watch_lists(struct mcp_call *m)
{
    struct watched of[MAX_LISTS];
    struct hub *h = hub_of(m->c);
    const struct hub_owner o = hub_owner_of(m);
    if (m->face != &mcp_native || !h)
        return;
    hub_session_watch(h, &o, m->session.id, "", &watched_tools,
                      notification(m, TOOLS_CHANGED, NULL, NULL));
    const char *event = notification(m, "notifications/resources/list_changed", NULL, NULL);
    size_t n = watch_lists(m, of);
    for (size_t i = 0; i < n; i++)
        hub_session_watch(h, &o, m->session.id, "", &of[i], event);
}

/* ---- subscriptions/listen ---- */

/* What is asked for and can be had. */
struct wanted {
    bool lists; /* of resources */
    bool tools; /* their list */
    const char *uris[MAX_URIS];
    struct watched of[MAX_URIS];
    size_t n;
};

static int read_wanted(struct mcp_call *m, struct wanted *ret)
{
    const struct json *filter = json_get(m->params, "notifications");
    const struct json *uris = json_get(filter, "resourceSubscriptions");
    bool native = m->face == &mcp_native, watches = native || m->face == &mcp_server_face;
    *ret =
        (struct wanted){.lists = native && json_is_true(json_get(filter, "resourcesListChanged")),
                        .tools = native && json_is_true(json_get(filter, "toolsListChanged"))};
    if (filter && filter->type != JSON_OBJECT)
        return rpc_fail(m, RPC_PARAMS, "params.notifications must be an object, not %s",
                        call_quote(m->c, filter));
    if (uris && uris->type != JSON_ARRAY)
        return rpc_fail(m, RPC_PARAMS,
                        "params.notifications.resourceSubscriptions must be an array, not %s",
                        call_quote(m->c, uris));
    if (uris && uris->n > MAX_URIS)
        return rpc_fail(m, RPC_PARAMS,
                        "params.notifications.resourceSubscriptions has at most %d items, has %u",
                        MAX_URIS, uris->n);
    for (uint32_t i = 0; watches && uris && i < uris->n; i++) {
        const struct json *uri = &uris->items[i];
        if (uri->type != JSON_STRING)
            return rpc_fail(m, RPC_PARAMS, "a resource's URI must be a string, not %s",
                            call_quote(m->c, uri));
        int r = watch_uri(m, uri->str, &ret->of[ret->n]);
        if (r < 0)
            return -1;
        if (r)
            ret->uris[ret->n++] = uri->str;
    }
    return 0;
}

/* The first message of the stream: what of it is agreed to. */
static void acknowledge(struct mcp_call *m, const struct wanted *wanted, const char *meta,
                        struct buf *out)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "jsonrpc", "2.0");
    json_str(&w, "method", "notifications/subscriptions/acknowledged");
    json_obj(&w, "params");
    json_raw(&w, "_meta", meta, strlen(meta));
    json_obj(&w, "notifications");
    if (wanted->tools)
        json_bool(&w, "toolsListChanged", true);
    if (wanted->lists)
        json_bool(&w, "resourcesListChanged", true);
    if (wanted->n) {
        json_arr(&w, "resourceSubscriptions");
        for (size_t i = 0; i < wanted->n; i++)
            json_str(&w, NULL, wanted->uris[i]);
        json_end(&w);
    }
    json_end(&w);
    json_end(&w);
    json_end(&w);
    hub_event(out, buf_str(&b), b.len);
    buf_done(&b);
}

/* On a stream, or (s NULL) in a session under the name of the subscription. */
static int watch_one(struct mcp_call *m, struct hub *h, struct sosia_stream *s,
                     const struct watched *of, const char *event)
{
    const struct hub_owner o = hub_owner_of(m);
    return s ? hub_stream_watch(h, s, of, event)
             : hub_session_watch(h, &o, m->session.id, hub_subscription(m->c->tx.arena, m->id), of,
                                 event);
}

static int watch_all(struct mcp_call *m, struct hub *h, struct sosia_stream *s,
                     const struct wanted *wanted, const char *meta)
{
    struct watched lists[MAX_LISTS];
    size_t n = wanted->lists ? watch_lists(m, lists) : 0;
    int r = 1;
    if (wanted->tools)
        r = watch_one(m, h, s, &watched_tools, notification(m, TOOLS_CHANGED, NULL, meta));
    for (size_t i = 0; i < n && r == 1; i++)
        r = watch_one(m, h, s, &lists[i],
                      notification(m, "notifications/resources/list_changed", NULL, meta));
    for (size_t i = 0; i < wanted->n && r == 1; i++)
        r = watch_one(m, h, s, &wanted->of[i], updated(m, wanted->uris[i], meta));
    return r == 1 ? 0 : -1;
}

/* Where all goes over one stream, that of the session; it ends when the client cancels it. */
static int listen_in_session(struct mcp_call *m, const struct wanted *wanted, const char *meta)
{
    struct hub *h = hub_of(m->c);
    if (!h || watch_all(m, h, NULL, wanted, meta) < 0)
        return rpc_fail(m, RPC_INTERNAL, "there is no memory for the subscription");
    m->listens = true;
    return 0;
}

/* The stream is the answer: one reference of it is the response's, the other the hub's. */
static int open_stream(struct mcp_call *m, const struct wanted *wanted, const char *meta,
                       const struct buf *first)
{
    struct hub *h = hub_of(m->c);
    struct sosia_stream *s = h ? hub_stream(h, false) : NULL;
    const struct hub_owner o = hub_owner_of(m);
    if (!s)
        return rpc_fail(m, RPC_INTERNAL, "there is no memory for the stream");
    stream_put(s, first->data, first->len);
    bool listens = hub_stream_listen(h, &o, s) == 0;
    if (!listens)
        stream_unref(s);
    if (!listens || watch_all(m, h, s, wanted, meta) < 0) {
        stream_close(s);
        return rpc_fail(m, RPC_INTERNAL, "there is no memory for the stream");
    }
    m->stream = s;
    return 0;
}

/* A client that takes no stream learns of what it would be notified, and that is all. */
int mcp_listen(struct mcp_call *m)
{
    const char *meta =
        arena_printf(m->c->tx.arena, "{\"" META_ID "\":%s}", json_to_text(m->c->tx.arena, m->id));
    struct wanted *wanted = arena_alloc(m->c->tx.arena, sizeof *wanted);
    struct buf first;
    if (read_wanted(m, wanted) < 0)
        return -1;
    buf_init(&first, 0);
    acknowledge(m, wanted, meta, &first);
    int rc = 0;
    if (m->session.legacy) {
        buf_add(m->events, first.data, first.len);
        rc = listen_in_session(m, wanted, meta);
    } else if (m->streams)
        rc = open_stream(m, wanted, meta, &first);
    else
        buf_add(m->events, first.data, first.len);
    buf_done(&first);
    if (!m->streams)
        json_raw(m->w, "_meta", meta, strlen(meta));
    return rc;
}
