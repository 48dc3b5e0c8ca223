/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that wait for what their client answers. Nothing but the message is kept: when all is
 * there it is served anew, with the answers. */
#include "mcp/hub_impl.h"
#include "engine/http/stream.h"
#include <stdio.h>
#include <stdlib.h>

#define MAX_PENDING 1000

void hub_pending_free(struct hub_pending *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n; i++) {
        free(p->asked[i].key);
        free(p->asked[i].answer);
    }
    stream_unref(p->stream);
    free(p->action);
    free(p->shown);
    free(p->message);
    free(p->request_id);
    free(p);
}

void hub_pending_drop(struct hub_pending *list)
{
    while (list) {
        struct hub_pending *p = list;
        list = p->next;
        if (p->stream)
            stream_end(p->stream);
        hub_pending_free(p);
    }
}

struct hub_pending *hub_pending_take(struct hub *h, const struct sosia_stream *stream,
                                     const char *session, uint64_t world)
{
    struct hub_pending *taken = NULL;
    for (struct hub_pending **at = &h->pending; *at;) {
        struct hub_pending *p = *at;
        bool is = stream    ? p->stream == stream
                  : session ? strcmp(p->session, session) == 0
                            : !world || p->owner.world == world;
        if (!is) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        p->next = taken;
        taken = p;
        hub_pending_uncount(h, p);
    }
    return taken;
}

/* ---- asking ---- */

/* {"key": answer} as items that are answered. False without memory. */
static bool add_known(struct hub_pending *p, struct arena *a, const struct json *known)
{
    for (uint32_t i = 0; known && i < known->n && p->n < MAX_ASKED; i++) {
        p->asked[p->n].key = strdup(known->members[i].key);
        p->asked[p->n].answer = strdup(json_to_text(a, &known->members[i].value));
        p->n++;
        if (!p->asked[p->n - 1].key || !p->asked[p->n - 1].answer)
            return false;
    }
    return true;
}

void hub_write_request(struct buf *events, const char *id, const char *method, const char *params)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "{\"jsonrpc\":\"2.0\",\"id\":\"%s\",\"method\":\"%s\",\"params\":%s}", id,
               method, params);
    hub_event(events, buf_str(&b), b.len);
    buf_done(&b);
}

static struct hub_pending *pending_new(struct mcp_call *m, const struct json *message)
{
    struct hub_pending *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->owner = hub_owner_of(m);
    snprintf(p->session, sizeof p->session, "%s", m->session.id);
    p->message = strdup(json_to_text(m->c->tx.arena, message));
    p->request_id = strdup(json_to_text(m->c->tx.arena, m->id));
    bool good = p->message && p->request_id && add_known(p, m->c->tx.arena, m->known);
    p->n_known = p->n;
    for (size_t i = 0; good && i < m->n_asks; i++)
        good = p->n < MAX_ASKED && (p->asked[p->n++].key = strdup(m->asks[i].key));
    if (good)
        return p;
    hub_pending_free(p);
    return NULL;
}

int hub_suspend(struct mcp_call *m, const struct json *message, struct sosia_stream *stream,
                struct buf *events)
{
    struct hub *h = hub_of(m->c);
    struct hub_pending *p = h ? pending_new(m, message) : NULL;
    if (!p) {
        stream_unref(stream);
        return rpc_fail(m, RPC_INTERNAL, "there is no memory for the request");
    }
    p->stream = stream;
    pthread_mutex_lock(&h->lock);
    bool full = h->n_pending >= MAX_PENDING;
    for (size_t i = p->n_known; !full && i < p->n; i++) {
        snprintf(p->asked[i].id, sizeof p->asked[i].id, "sosia-%llu",
                 (unsigned long long)++h->n_asked);
        hub_write_request(events, p->asked[i].id, m->asks[i - p->n_known].method,
                          m->asks[i - p->n_known].params);
    }
    if (!full) {
        p->next = h->pending;
        h->pending = p;
        h->n_pending++;
    }
    pthread_mutex_unlock(&h->lock);
    if (!full)
        return 0;
    hub_pending_free(p);
    return rpc_fail(m, RPC_INTERNAL, "%d requests wait for their clients already", MAX_PENDING);
}

/* ---- answers ---- */

/* Under the lock: takes an answer. NULL: nobody waits for it, or more is to come. */
static struct hub_pending *take_answer(struct hub *h, const struct hub_owner *o, const char *id,
                                       const char *answer)
{
    for (struct hub_pending **at = &h->pending; *at; at = &(*at)->next) {
        struct hub_pending *p = *at;
        size_t i = p->n_known, left = 0;
        while (i < p->n && strcmp(p->asked[i].id, id) != 0)
            i++;
        if (i == p->n || !hub_same_owner(&p->owner, o))
            continue;
        if (!p->asked[i].answer)
            p->asked[i].answer = strdup(answer);
        for (size_t k = 0; k < p->n; k++)
            left += !p->asked[k].answer;
        if (left)
            return NULL;
        *at = p->next;
        p->next = NULL;
        hub_pending_uncount(h, p);
        return p;
    }
    return NULL;
}

struct hub_pending *hub_answered(struct hub *h, const struct hub_owner *o, struct arena *a,
                                 const struct json *message)
{
    const struct json *result = json_get(message, "result"), *error = json_get(message, "error");
    const char *id = json_get_str(message, "id");
    if (!id || (!result && !error))
        return NULL;
    const char *answer = result ? json_to_text(a, result)
                                : arena_printf(a, "{\"error\":%s}", json_to_text(a, error));
    pthread_mutex_lock(&h->lock);
    struct hub_pending *p = take_answer(h, o, id, answer);
    pthread_mutex_unlock(&h->lock);
    return p;
}

void hub_cancel(struct hub *h, const struct hub_owner *o, const char *session,
                const char *request_id)
{
    struct hub_pending *found = NULL;
    pthread_mutex_lock(&h->lock);
    for (struct hub_pending **at = &h->pending; *at && !found; at = found ? at : &(*at)->next) {
        struct hub_pending *p = *at;
        if (!hub_same_owner(&p->owner, o) || strcmp(p->session, session) != 0 || p->action ||
            strcmp(p->request_id, request_id) != 0)
            continue;
        found = p;
        *at = p->next;
        p->next = NULL;
        hub_pending_uncount(h, p);
    }
    pthread_mutex_unlock(&h->lock);
    hub_pending_drop(found);
}
