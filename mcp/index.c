/* SPDX-License-Identifier: Apache-2.0 */
/* The tools of each service with what the list shows of them, made once. */
#include "engine/base/codec.h"
#include "engine/base/handle.h"
#include "mcp/sets/sets.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- native tools ---- */

/* A method that programs call with arguments, and not a batch, a connection or an upload. */
static bool is_tool(const struct route *r)
{
    return !r->outside && !r->upgrade && (r->body != BODY_RAW || r->content) && !strchr(r->id, '/');
}

/* Is it among the vendor's methods, and not a page or an address that responses give? */
static bool is_method(const struct dialect *d, const struct route *r)
{
    const char *id = r->id, *all = d->methods;
    size_t n = strlen(id);
    for (const char *at = all ? strstr(all, id) : NULL; at; at = strstr(at + 1, id))
        if ((at == all || at[-1] == '\n') && (!at[n] || at[n] == '\n'))
            return true;
    return !all;
}

/* The method's id, behind the service's name unless it begins with that or with the first of its
 * words, up to "_". */
static const char *name_of(struct arena *a, const struct dialect_tools *s, const struct route *r)
{
    size_t n = strcspn(r->id, ".");
    bool there = r->id[n] && strncmp(r->id, s->name, n) == 0 && (!s->name[n] || s->name[n] == '_');
    char *name = arena_printf(a, "%s%s%s", there ? "" : s->name, there ? "" : "_", r->id);
    for (char *p = name; *p; p++)
        if (*p == '.')
            *p = '_';
    return name;
}

static bool is_ordinary(const struct param *p, bool form)
{
    return strlen(p->name) <= DIRECT_NAME &&
           (p->place == IN_PATH || (p->place == IN_QUERY ? !form : form && p->place != IN_HEADER));
}

static bool takes_form(const struct dialect *d)
{
    for (const enum param_place *p = dialect_front(d)->arguments; p && *p; p++)
        if (*p == IN_FORM)
            return true;
    return false;
}

/* May tool_direct() ever serve it? */
static bool is_direct(const struct mcp_tool *t)
{
    const struct route *r = t->route;
    bool form = false;
    if (r->risk != RISK_READ || r->body != BODY_NONE || r->media || r->download ||
        r->status == 302 || r->n_params > DIRECT_PARAMS || strlen(r->paths[0]) > DIRECT_TEXT / 2 ||
        strchr(r->paths[0], '*'))
        return false;
    for (size_t i = 0; i < r->n_params; i++)
        form |= r->params[i].place != IN_PATH && r->params[i].place != IN_QUERY;
    if (form && (!takes_form(t->dialect) || !(r->verbs & POST) || t->service->fields ||
                 t->service->compact))
        return false;
    for (size_t i = 0; i < r->n_params; i++)
        if (!is_ordinary(&r->params[i], form))
            return false;
    return true;
}

/* ---- the index ---- */

struct made {
    struct arena arena;
    struct mcp_tool *tools;
    size_t n, cap;
    struct tool_index index;
};

static void add(void *arg, const struct mcp_tool *t)
{
    struct made *made = arg;
    struct mcp_tool *tools =
        arena_grow(&made->arena, made->tools, made->n, &made->cap, sizeof *tools);
    if (!tools)
        return;
    made->tools = tools;
    made->tools[made->n++] = *t;
}

static void add_native(struct made *made, const struct dialect *d)
{
    struct mcp_tool t = {.service = d->tools, .dialect = d, .set = SET_NATIVE};
    for (size_t i = 0; (t.route = dialect_row(d, i)) != NULL; i++) {
        if (!is_tool(t.route) || !is_method(d, t.route))
            continue;
        t.risk = t.route->risk;
        t.open = tool_reaches(t.route);
        t.name = name_of(&made->arena, d->tools, t.route);
        t.direct = is_direct(&t);
        t.fields = tool_fields(d->tools, t.route);
        add(made, &t);
    }
}

/* What the writer writes of a tool, for good. */
static const char *text_of(struct made *made, const struct mcp_tool *t, struct buf *b,
                           void (*write)(struct json_writer *w, const struct mcp_tool *t),
                           size_t *ret_len)
{
    struct json_writer w;
    buf_clear(b);
    json_init(&w, b, false, NULL);
    write(&w, t);
    *ret_len = b->len;
    return arena_memdup(&made->arena, buf_str(b), b->len);
}

static int finish(struct made *made)
{
    struct buf b;
    int rc = 0;
    buf_init(&b, 0);
    for (size_t i = 0; i < made->n; i++) {
        struct mcp_tool *t = &made->tools[i];
        t->text = text_of(made, t, &b, t->row ? sets_write : tool_write, &t->len);
        if (!buf_failed(&b) && tool_is_common(t))
            t->common = text_of(made, t, &b, tool_write_common, &t->common_len);
        /* The first of a name counts. */
        if (buf_failed(&b) || (!map_get(&made->index.names[t->set], t->name) &&
                               map_set(&made->index.names[t->set], t->name, t) < 0))
            rc = -1;
    }
    buf_done(&b);
    return arena_failed(&made->arena) ? -1 : rc;
}

static struct tool_index *make(const struct dialect *d)
{
    struct made *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    arena_init(&made->arena, 0);
    for (size_t i = 0; i < N_SETS; i++)
        map_init(&made->index.names[i]);
    add_native(made, d);
    sets_list(&made->arena, d, add, made);
    if (finish(made) < 0) {
        for (size_t i = 0; i < N_SETS; i++)
            map_done(&made->index.names[i]);
        arena_done(&made->arena);
        free(made);
        return NULL;
    }
    made->index.dialect = d;
    made->index.tools = made->tools;
    made->index.n = made->n;
    return &made->index;
}

static _Atomic(struct tool_index *) all;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static void watch_making(void)
{
    handle_lock_over_fork(&making);
}

static const struct tool_index *made_before(const struct dialect *d)
{
    const struct tool_index *i = atomic_load_explicit(&all, memory_order_acquire);
    while (i && i->dialect != d)
        i = i->next;
    return i;
}

const struct tool_index *tool_index(const struct dialect *d)
{
    const struct tool_index *found = made_before(d);
    if (found)
        return found;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_making);
    pthread_mutex_lock(&making);
    found = made_before(d);
    struct tool_index *index = found ? NULL : make(d);
    if (index) {
        index->next = atomic_load_explicit(&all, memory_order_relaxed);
        atomic_store_explicit(&all, index, memory_order_release);
        found = index;
    }
    pthread_mutex_unlock(&making);
    return found;
}

/* ---- what a token may do ---- */

/* What the endpoint's URL says of the risk that tools may have at most; -1: it is another word. */
int tool_risk_most(const struct call *c)
{
    const char *text = call_query_item(c, "risk");
    return text ? str_place(risk_names, text) : RISK_DESTRUCTIVE;
}

static bool has_scope(const struct call *c, const struct route *r)
{
    return !r->scopes || call_has_scope(c, r->scopes);
}

/* Do the methods that it calls take the token? */
static bool takes_token(const struct call *c, const struct mcp_tool *t)
{
    if (t->route)
        return call_takes_token(c, t->route) && has_scope(c, t->route);
    if (t->token_kinds && !(t->token_kinds & c->token_kind))
        return false;
    for (size_t i = 0; i < TOOL_METHODS && t->methods[i].route; i++) {
        const struct tool_method *m = &t->methods[i];
        if (!m->optional &&
            (!has_scope(c, m->route) || (!m->sometimes && !call_takes_token(c, m->route))))
            return false;
    }
    return true;
}

/* Has the caller an account with the vendor for it? */
static bool has_account(const struct call *c, const struct mcp_tool *t)
{
    const struct tool_caller *who = c->vendor_data;
    if (!t->service->services || !who)
        return true;
    for (size_t i = 0; i < TOOL_VENDORS && who->accounts[i].vendor; i++)
        if (who->accounts[i].vendor == t->dialect->vendor)
            return who->accounts[i].services & t->service->services;
    return false;
}

static bool is_servers(const struct mcp_call *m, const struct mcp_tool *t)
{
    const char *server = m->server ? sets_server(t) : NULL;
    return !m->server || (server && strcmp(server, m->server) == 0);
}

bool tool_allowed(const struct mcp_call *m, const struct mcp_tool *t)
{
    const struct call *c = m->c;
    return is_servers(m, t) && has_account(c, t) && (int)t->risk <= tool_risk_most(c) &&
           (!t->service->by_address || *c->actor.email) && takes_token(c, t);
}

bool tool_listed(const struct mcp_call *m, const struct mcp_tool *t)
{
    if (!tool_allowed(m, t) || (t->route && !call_shows(m->c, t->dialect, t->route, t->name)))
        return false;
    for (size_t i = 0; i < TOOL_METHODS && t->methods[i].route; i++)
        if (!t->methods[i].optional && !t->methods[i].sometimes &&
            !call_shows(m->c, t->methods[i].dialect, t->methods[i].route, t->name))
            return false;
    return true;
}
