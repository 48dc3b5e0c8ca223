/* SPDX-License-Identifier: Apache-2.0 */
/* What the endpoint says of itself. */
#include "mcp/hub.h"
#include "mcp/servers/carried.h"
#include "mcp/servers/server.h"

/* A server of another name says that one. */
static void write_server(struct mcp_call *m, const char *key)
{
    const struct mcp_server *s = mcp_server_of(m);
    struct json_writer *w = m->w;
    json_obj(w, key);
    const struct mcp_carried *k = m->carried;
    json_str(w, "name", s ? s->server : k ? k->server : "sosia");
    if (!s && !k)
        json_str(w, "title", "sosia");
    json_str(w, "version", s ? s->version : k ? k->version : SOSIA_VERSION);
    json_end(w);
}

static void write_capabilities(struct mcp_call *m)
{
    const struct mcp_face *f = m->face;
    bool listens = f == &mcp_native && m->streams;
    const struct {
        const char *name;
        bool there;
        const char *can[2]; /* what it can besides; NULL: nothing */
    } names[] = {
        {"tools", f->tools_list, {listens ? "listChanged" : NULL}},
        {"resources",
         f->resources_list,
         {listens || (f != &mcp_native && f->subscribe && !m->stateless) ? "subscribe" : NULL,
          listens ? "listChanged" : NULL}},
        {"prompts", f->prompts_list, {NULL}},
        {"completions", f->complete, {NULL}},
        {"logging", f->set_level && !m->stateless && (m->streams || f != &mcp_native), {NULL}}};
    json_obj(m->w, "capabilities");
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        if (!names[i].there)
            continue;
        json_obj(m->w, names[i].name);
        for (size_t k = 0; k < 2; k++)
            if (names[i].can[k])
                json_bool(m->w, names[i].can[k], true);
        json_end(m->w);
    }
    json_end(m->w);
}

static void write_instructions(struct mcp_call *m)
{
    struct buf b;
    if (m->face != &mcp_native)
        return;
    buf_init(&b, 0);
    buf_puts(&b, "Tools act as ");
    buf_puts(&b, m->c->actor.name && *m->c->actor.name ? m->c->actor.name : m->c->actor.handle);
    if (m->c->actor.email && *m->c->actor.email)
        buf_printf(&b, " <%s>", m->c->actor.email);
    buf_puts(&b, " in");
    for (const struct dialect *d = NULL; (d = mcp_service_next(m->c, d)) != NULL;)
        if (!m->service || m->service == d->tools)
            buf_printf(&b, "%s %s", b.data[b.len - 1] == 'n' ? "" : ",", d->tools->title);
    buf_puts(&b, ". Each tool is one method of a service's API, with that API's arguments; an "
                 "argument \"body\" is the JSON that the method takes.");
    json_str(m->w, "instructions", buf_str(&b));
    buf_done(&b);
}

/* Where the client takes events, which are all that a session is for. A client of a stream has it
 * already. */
static int begin_session(struct mcp_call *m, const char *revision)
{
    struct hub *h = m->streams ? hub_of(m->c) : NULL;
    const struct hub_owner o = hub_owner_of(m);
    if (!m->streams)
        return 0;
    m->session.can = rpc_capabilities(json_get(m->params, "capabilities"));
    if (strcmp(revision, "2025-06-18") < 0) /* which has it first */
        m->session.can &= ~(unsigned)CAN_ELICIT;
    if (h && m->session.legacy)
        hub_session_save(h, &o, &m->session);
    else if (!h || hub_session_new(h, m, &m->session) < 0)
        return -1;
    else
        mcp_watch_lists(m);
    return 0;
}

/* A client that leaves them out is served all the same. */
static int check_object(struct mcp_call *m, const char *name)
{
    const struct json *v = json_get(m->params, name);
    return !v || v->type == JSON_OBJECT
               ? 0
               : rpc_fail(m, RPC_PARAMS, "params.%s must be an object, not %s", name,
                          call_quote(m->c, v));
}

int mcp_initialize(struct mcp_call *m)
{
    const char *asked = rpc_str(m, "protocolVersion");
    if (!asked || check_object(m, "capabilities") < 0 || check_object(m, "clientInfo") < 0)
        return -1;
    const char *revision = mcp_revision(asked);
    if (!revision || strcmp(revision, MCP_STATELESS) >= 0)
        revision = "2025-11-25"; /* the newest that has this method */
    if (begin_session(m, revision) < 0)
        return rpc_fail(m, RPC_INTERNAL, "there is no memory for a session");
    json_str(m->w, "protocolVersion", revision);
    write_capabilities(m);
    write_server(m, "serverInfo");
    write_instructions(m);
    return 0;
}

int mcp_discover(struct mcp_call *m)
{
    json_arr(m->w, "supportedVersions");
    for (const char *const *r = mcp_revisions; *r; r++)
        json_str(m->w, NULL, *r);
    json_end(m->w);
    write_capabilities(m);
    json_obj(m->w, "_meta");
    write_server(m, "io.modelcontextprotocol/serverInfo");
    json_end(m->w);
    write_instructions(m);
    rpc_cache(m, 3600000, false);
    return 0;
}
