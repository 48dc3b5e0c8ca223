/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request's way through libmicrohttpd's callbacks: target, head, body, serving, and, where the
 * answer comes from another thread, suspension and resumption.
 *
 * libmicrohttpd (0.9.75) calls the handler once when the head is complete, once for each piece of
 * the body, and once at the end; after a resumption it calls once more. An answer queued in the
 * first call closes the connection, so only requests that can't be trusted to end where they say
 * are refused there.
 */
#include "engine/http/serve.h"
#include "server/internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PACKED_HERE                                                                                \
    4096 /* bytes of a packed body: they become a thousand times as many at most                   \
          */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void http_phase(struct conn *c, enum phase phase)
{
    uint64_t tick = atomic_load_explicit(&c->server->tick, memory_order_relaxed);
    atomic_store_explicit(&c->phase, (uint64_t)phase | tick << 8, memory_order_relaxed);
}

static struct conn *conn_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* ---- connections ---- */

static void conn_unref(struct conn *c)
{
    if (atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) == 1)
        free(c);
}

static void conn_open(struct server *s, struct MHD_Connection *mhd, void **context)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    const union MHD_ConnectionInfo *tls =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    const union MHD_ConnectionInfo *address =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    uint64_t inside = address && address->client_addr ? inside_world(address->client_addr) : 0;
    struct conn *c = calloc(1, sizeof *c);
    *context = c;
    if (!c) { /* http_target() then refuses what comes */
        if (inside) {
            pthread_mutex_lock(&s->lock);
            inside_arrived(s, inside);
            pthread_mutex_unlock(&s->lock);
        }
        return;
    }
    c->server = s;
    atomic_init(&c->refs, 1);
    atomic_init(&c->phase, 0);
    c->fd = info->connect_fd;
    c->tls = tls != NULL;
    if (inside)
        c->inside = (struct engine_backend){s->engine.engine, inside};
    c->req.step = STEP_ANSWERED;
    c->req.target_buf = c->req.target_inline;
    c->req.target_cap = sizeof c->req.target_inline;
    arena_init(&c->req.arena, 4 << 20);
    http_phase(c, PHASE_WAIT);
    pthread_mutex_lock(&s->lock);
    if (inside)
        inside_arrived(s, inside);
    c->prev = NULL;
    c->next = s->conns;
    if (c->next)
        c->next->prev = c;
    s->conns = c;
    s->n_accepted++;
    s->n_open++;
    if (s->n_open > s->peak_open)
        s->peak_open = s->n_open;
    pthread_mutex_unlock(&s->lock);
    if (tls)
        handshake_begin(c, mhd, tls->tls_session);
}

static void conn_close(struct server *s, struct conn *c)
{
    if (c->upgraded && c->tls)
        ws_wait_for_end(s->websockets);
    linger_begin(c);
    pthread_mutex_lock(&s->lock);
    handshake_end(c);
    if (c->prev)
        c->prev->next = c->next;
    else
        s->conns = c->next;
    if (c->next)
        c->next->prev = c->prev;
    s->n_open--;
    pthread_mutex_unlock(&s->lock);
    conn_unref(c);
}

void http_connection(void *cls, struct MHD_Connection *mhd, void **context,
                     enum MHD_ConnectionNotificationCode code)
{
    struct server *s = cls;
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        conn_open(s, mhd, context);
    else if (*context)
        conn_close(s, *context);
}

/* ---- requests ---- */

/* ---- answers that go out together ---- */

/* A client that waits is woken by the first answer, which costs the one who sends as much as the
 * rest of sending. So an answer is held back until libmicrohttpd asks for it again, which it does
 * when it has served all that was there to read, and further as long as others come in meanwhile:
 * then one wakes the client, and the others find it running. The calls of a world are made one
 * after the other then, too (engine/world/pass.h). Where there are few at a time nothing is held
 * back, nor behind calls that take long. */
enum {
    FEW = 2,           /* for these it is not worth while: client and thread would wait in turns */
    FEW_MOST = 16,     /* times in a row that there were few */
    FEW_FOR = 32,      /* calls after these whose answers are not held back */
    LONG_NS = 1000000, /* a call that others do not wait behind */
    LONG_FOR = 4,      /* calls after such a one */
    HELD_MOST_NS = 1000000 /* that a request waits for others to come */
};

/* Whether the answer to the call that is about to be made may be held back. */
static bool may_hold_back(struct request *r)
{
    const struct server *s = http_conn(r)->server;
    struct thread *t = server_thread(http_conn(r)->server);
    if (!t || atomic_load_explicit(&s->stopping, memory_order_relaxed))
        return false;
    if (!t->at_once)
        return true;
    t->at_once--;
    return false;
}

/* The answer is there: is it held back? */
static bool hold_back(struct request *r)
{
    struct thread *t = server_thread(http_conn(r)->server);
    if (now_ns() - r->start_ns > LONG_NS) {
        t->at_once = LONG_FOR;
        return false;
    }
    r->held = true;
    r->held_at = ++t->called;
    t->letting_go = false;
    if (++t->held > t->held_most)
        t->held_most = t->held;
    return true;
}

/* It is asked for again: does it wait on, for those that came in meanwhile? */
static bool holds_on(struct request *r)
{
    if (!r->held)
        return false;
    struct thread *t = server_thread(http_conn(r)->server);
    if (!t->letting_go && r->held_at != t->called && now_ns() - r->start_ns < HELD_MOST_NS) {
        r->held_at = t->called;
        return true;
    }
    t->letting_go = true;
    return false;
}

/* It goes out, or the client has gone; by the serving thread, or where that has ended. */
static void let_go(struct request *r)
{
    if (!r->held)
        return;
    struct server *s = http_conn(r)->server;
    struct thread *t = server_thread(s);
    r->held = false;
    call_leave_world(s->engine.engine);
    if (!t || !t->held || --t->held)
        return;
    t->few = t->held_most > FEW ? 0 : t->few + 1;
    if (t->few >= FEW_MOST)
        t->at_once = FEW_FOR;
    t->held_most = 0;
}

/* ---- a request's life ---- */

static void request_free(struct request *r)
{
    struct server *s = http_conn(r)->server;
    let_go(r);
    stream_drop(r);
    body_done(r);
    body_answered(r);
    free(r->packed);
    r->packed = NULL;
    if (r->large)
        atomic_store_explicit(&s->want_trim, true, memory_order_relaxed);
    if (r->response) {
        s->backend.free_response(r->response);
        r->response = NULL;
    }
    if (r->control)
        control_drop(r);
    ws_drop(r->ws);
    r->ws = NULL;
    if (r->target_buf != r->target_inline) {
        free(r->target_buf);
        r->target_buf = r->target_inline;
        r->target_cap = sizeof r->target_inline;
    }
    if (r->arena.blocks)
        arena_done(&r->arena);
}

/* The request line has arrived; this is the only place where the target can be seen as it was sent.
 */
void *http_target(void *cls, const char *target, struct MHD_Connection *mhd)
{
    struct conn *c = conn_of(mhd);
    if (!c || !target)
        return NULL;
    struct request *r = &c->req;
    size_t len = strlen(target);
    c->world = 0;
    if (len >= r->target_cap) {
        char *p = malloc(len + 1);
        if (!p)
            return NULL;
        r->target_buf = p;
        r->target_cap = len + 1;
    }
    memcpy(r->target_buf, target, len + 1);
    /* libmicrohttpd would now make a record of each parameter, and where its memory for them ends
     * the connection hangs. The line is its own buffer: behind the question mark nothing is left to
     * parse. */
    char *query = strchr(target, '?');
    if (query)
        query[1] = 0;
    r->target = r->target_buf;
    r->wire_target = target;
    r->mhd = mhd;
    r->step = STEP_HEAD;
    atomic_store_explicit(&r->handover, HANDOVER_NONE, memory_order_relaxed);
    r->start_ns = now_ns();
    r->head = r->control = r->too_large = r->no_room = r->last = r->large = r->kept = false;
    r->refused = false;
    r->pack_tried = false;
    r->waited = r->held = false;
    r->page = r->web = false;
    r->job = JOB_NONE;
    r->head_size = 0;
    r->body_seen = 0; /* the rest of the body was let go with the request before */
    r->n_headers = 0;
    r->headers = r->headers_inline;
    memset(&r->fields, 0, sizeof r->fields);
    r->base_url[0] = 0;
    http_phase(c, PHASE_RECEIVE);
    return r;
}

/* The client is gone, or the daemon ends, before a connection whose answer comes from another
 * thread was suspended: the thread that makes the answer frees it. */
static bool leave_behind(struct request *r)
{
    struct conn *c = http_conn(r);
    int none = HANDOVER_NONE;
    if (r->step != STEP_WAIT)
        return false;
    atomic_fetch_add(&c->refs, 1);
    atomic_fetch_add(&c->server->refs, 1);
    if (atomic_compare_exchange_strong(&r->handover, &none, HANDOVER_ABANDONED))
        return true;
    atomic_fetch_sub(&c->refs, 1);
    atomic_fetch_sub(&c->server->refs, 1);
    return false;
}

void http_completed(void *cls, struct MHD_Connection *mhd, void **context,
                    enum MHD_RequestTerminationCode code)
{
    struct request *r = *context;
    if (!r)
        return;
    *context = NULL;
    if (atomic_load_explicit(&r->handover, memory_order_acquire) == HANDOVER_ABANDONED ||
        leave_behind(r))
        return; /* the thread that still works on it frees it */
    move_count(r);
    if (code == MHD_REQUEST_TERMINATED_COMPLETED_OK)
        move_after(r, mhd);
    request_free(r);
    r->step = STEP_ANSWERED;
    http_phase(http_conn(r), PHASE_WAIT);
}

/* What the answer says may be true no longer: its change was undone. */
static enum MHD_Result no_answer(struct request *r)
{
    struct sosia_engine_info info = {0};
    char text[sizeof info.last_failure + 32];
    if (http_conn(r)->server->engine.engine) /* NULL in tests of the server alone */
        sosia_engine_info(http_conn(r)->server->engine.engine, &info);
    if (!info.failed_writes)
        return answer_error(r, 503, "unavailable", "No answer could be made.");
    snprintf(text, sizeof text, "No answer could be made: %s.", info.last_failure);
    return answer_error(r, 503, "unavailable", text);
}

static enum MHD_Result serve_whole(struct request *r, int status, const char *reason,
                                   const char *text);

static enum MHD_Result deliver(struct request *r)
{
    struct sosia_response *response = r->response;
    if (r->job == JOB_INFLATE)
        return serve_whole(r, r->refusal, r->refusal_reason, r->refusal_text);
    if (r->control)
        return control_send(r);
    if (r->ws)
        return ws_accept(r);
    if (!response)
        return no_answer(r);
    if (delay_wanted(r, response) && delay_begin(r, response))
        return MHD_YES;
    if (response->wire == SOSIA_WIRE_RESET || response->wire == SOSIA_WIRE_TIMEOUT) {
        r->response = NULL;
        return delay_reset(r, response);
    }
    const struct answer a = answer_of(r, response);
    if (answer_is_large(r, &a))
        return http_to_worker(r, JOB_PACK);
    r->response = NULL;
    return answer_engine(r, response);
}

/* The answer is there, or comes from another thread. The connection is suspended only when
 * libmicrohttpd asks again, which it does at once: until then it counts as one that reads, and
 * libmicrohttpd (0.9.75) would read from it when it is resumed, find the end of a client that has
 * shut its sending side, and close it without the answer. */
static enum MHD_Result wait_for_answer(struct request *r)
{
    if (atomic_load_explicit(&r->handover, memory_order_acquire) == HANDOVER_DONE)
        return deliver(r);
    return MHD_YES;
}

static enum MHD_Result suspend(struct request *r)
{
    int none = HANDOVER_NONE;
    MHD_suspend_connection(r->mhd);
    if (!atomic_compare_exchange_strong(&r->handover, &none, HANDOVER_SUSPENDED))
        MHD_resume_connection(r->mhd); /* it came in between; we are called again */
    else if (atomic_load(&http_conn(r)->server->giving_up))
        http_abandon(http_conn(r));
    return MHD_YES;
}

/* s->resuming lets a stop wait until nobody is inside libmicrohttpd on a daemon's behalf any more.
 */
void http_done(struct request *r)
{
    struct conn *c = http_conn(r);
    struct server *s = c->server;
    atomic_fetch_add(&s->resuming, 1);
    int before = atomic_load(&r->handover);
    while (before != HANDOVER_ABANDONED &&
           !atomic_compare_exchange_weak(&r->handover, &before, HANDOVER_DONE))
        ;
    if (before == HANDOVER_SUSPENDED)
        MHD_resume_connection(r->mhd);
    if (before == HANDOVER_ABANDONED) {
        request_free(r);
        conn_unref(c);
    }
    atomic_fetch_sub(&s->resuming, 1);
    if (before == HANDOVER_ABANDONED)
        server_unref(s);
}

void http_abandon(struct conn *c)
{
    int suspended = HANDOVER_SUSPENDED;
    struct server *s = c->server;
    atomic_fetch_add(&c->refs, 1);
    atomic_fetch_add(&s->refs, 1);
    if (atomic_compare_exchange_strong(&c->req.handover, &suspended, HANDOVER_ABANDONED)) {
        MHD_resume_connection(c->req.mhd);
    } else {
        atomic_fetch_sub(&c->refs, 1);
        atomic_fetch_sub(&s->refs, 1);
    }
}

/* The request whose call this thread is in: an answer given there needs no care for other threads.
 */
static _Thread_local struct request *calling;

static void call_done(void *arg, struct sosia_response *response)
{
    struct request *r = arg;
    r->response = response;
    if (r == calling)
        atomic_store_explicit(&r->handover, HANDOVER_DONE, memory_order_relaxed);
    else
        http_done(r);
}

struct sosia_request http_request_of(const struct request *r)
{
    return (struct sosia_request){
        .method = r->method,
        .target = r->target,
        .headers = r->headers,
        .n_headers = r->n_headers,
        .body = r->body ? r->body : "",
        .body_len = r->spool ? 0 : r->body_len,
        .base_url = r->base_url,
        .spool = r->spool,
        .head_only = r->refused,
    };
}

void http_ask(struct request *r, const struct sosia_request *request)
{
    struct conn *c = http_conn(r);
    c->server->backend.call(http_backend(c), request, call_done, r);
}

static void make_call(struct request *r)
{
    const struct sosia_request request = http_request_of(r);
    http_ask(r, &request);
}

static void pack_response(struct request *r)
{
    const struct answer a = answer_of(r, r->response);
    answer_pack(r, &a);
}

void http_work(struct request *r)
{
    switch (r->job) {
    case JOB_CALL:
        make_call(r);
        return;
    case JOB_CONTROL:
        control_work(r);
        return;
    case JOB_INFLATE:
        r->refusal = body_end(r, &r->refusal_reason, &r->refusal_text);
        break;
    case JOB_PACK:
        pack_response(r);
        break;
    case JOB_SESSION:
        ws_open(r);
        break;
    case JOB_NONE:
        break;
    }
    http_done(r);
}

static void work(void *arg)
{
    http_work(arg);
}

void http_leave(struct request *r)
{
    struct conn *c = http_conn(r);
    struct workers *w = http_is_inside(c) ? inside_workers(c->server) : &c->server->workers;
    r->work = (struct work){.fn = work, .arg = r};
    if (workers_add(w, &r->work) == 0)
        return;
    r->control_result = -1;
    http_done(r);
}

/* The fields that were picked out go along. */
static void keep_field(struct request *r, const char *from, const char *to)
{
    const char **fields = (const char **)&r->fields;
    for (size_t i = 0; i < sizeof r->fields / sizeof *fields; i++)
        if (fields[i] == from)
            fields[i] = to;
}

static bool keep_head(struct request *r)
{
    if (r->kept)
        return true;
    r->kept = true;
    r->method = arena_strdup(&r->arena, r->method);
    for (size_t i = 0; i < r->n_headers; i++) {
        struct sosia_header *h = &r->headers[i];
        const char *value = h->value;
        h->name = arena_strdup(&r->arena, h->name);
        h->value = arena_strdup(&r->arena, value);
        keep_field(r, value, h->value);
    }
    return !arena_failed(&r->arena);
}

enum MHD_Result http_to_worker(struct request *r, enum job job)
{
    if (!keep_head(r))
        return answer_error(r, 503, "unavailable", "There is no memory for this request.");
    r->step = STEP_WAIT;
    r->job = job;
    r->pack_tried |= job == JOB_PACK;
    r->refusal = 503;
    r->refusal_reason = "unavailable";
    r->refusal_text = "There is no memory for this request.";
    atomic_store_explicit(&r->handover, HANDOVER_NONE, memory_order_relaxed);
    http_leave(r);
    return MHD_YES;
}

/* A world in which something takes long (a dump, an advance of its clock) keeps its own clients
 * waiting, and not those that share the thread: workers wait for it. So do they for a call that
 * brings so much that it takes long itself. */
enum MHD_Result http_go_on(struct request *r)
{
    struct server *s = http_conn(r)->server;
    const struct sosia_request request = http_request_of(r);
    bool served = true;
    if (r->body_len > LARGE_BODY)
        return http_to_worker(r, JOB_CALL);
    r->step = STEP_WAIT;
    calling = r;
    /* libmicrohttpd (0.9.75) takes no answer in the midst of a body, so that one to its head must
     * be there at once; a refusal waits neither for the disk nor, but for an instant, for its
     * world. */
    bool at_once = r->refused && body_is_long(r);
    bool hold = !at_once && may_hold_back(r);
    if (hold)
        call_keep_world();
    if (s->backend.try_call && !at_once)
        served = s->backend.try_call(http_backend(http_conn(r)), &request, call_done, r);
    else
        s->backend.call(http_backend(http_conn(r)), &request, call_done, r);
    calling = NULL;
    move_note(r);
    if (hold && served &&
        atomic_load_explicit(&r->handover, memory_order_acquire) == HANDOVER_DONE && hold_back(r))
        return MHD_YES;
    call_leave_world(s->engine.engine);
    return served ? wait_for_answer(r) : http_to_worker(r, JOB_CALL);
}

/* All of the body is there, or status says why it isn't. */
static enum MHD_Result serve_whole(struct request *r, int status, const char *reason,
                                   const char *text)
{
    r->job = JOB_NONE;
    atomic_store_explicit(&r->handover, HANDOVER_NONE, memory_order_relaxed);
    if (status)
        return answer_error(r, status, reason, text);
    r->large = r->body_len > LARGE_BODY;
    if (strcmp(r->method, "OPTIONS") == 0)
        return answer_options(r);
    if (strcmp(r->method, "TRACE") == 0 || strcmp(r->method, "CONNECT") == 0)
        return answer_error(r, 405, "methodNotAllowed", "This method is not served.");
    if (guard_refuses(r))
        return answer_error(r, 403, "notForPages",
                            "What services serve is not run as a script or a style of this "
                            "server's own pages.");
    if (control_takes(r)) {
        r->control = true;
        r->step = STEP_WAIT;
        return control_handle(r);
    }
    if (!http_conn(r)->server->backend.call)
        return answer_error(r, 404, "notFound", "There is nothing here.");
    return ws_is_asked(r) && !r->refused ? ws_handshake(r) : http_go_on(r);
}

static enum MHD_Result serve(struct request *r)
{
    const char *reason = NULL, *text = NULL;
    http_phase(http_conn(r), PHASE_WORK);
    if (r->fields.content_encoding && r->body_len > PACKED_HERE)
        return http_to_worker(r, JOB_INFLATE);
    int status = body_end(r, &reason, &text);
    return serve_whole(r, status, reason, text);
}

/* A request that got no answer waits for none either. */
static enum MHD_Result served(struct request *r, enum MHD_Result result)
{
    if (result == MHD_NO)
        r->step = STEP_ANSWERED;
    return result;
}

static enum MHD_Result begin(struct request *r, const char *method, const char *version)
{
    const char *reason, *text;
    int status = request_head(r, method, version, &reason, &text);
    if (!status)
        status = body_begin(r, &reason, &text);
    if (status)
        return answer_error(r, status, reason, text);
    r->step = STEP_BODY;
    /* A body that nobody wants is not waited for; a short one is, since few clients listen while
     * they send. */
    return r->refused && body_is_long(r) ? served(r, serve(r)) : MHD_YES;
}

enum MHD_Result http_handle(void *cls, struct MHD_Connection *mhd, const char *url,
                            const char *method, const char *version, const char *data, size_t *size,
                            void **context)
{
    struct request *r = *context;
    if (!r)
        return MHD_NO;
    switch (r->step) {
    case STEP_HEAD:
        return begin(r, method, version);
    case STEP_BODY:
        if (*size == 0)
            return served(r, serve(r));
        if (body_add(r, data, *size) < 0)
            return MHD_NO;
        *size = 0;
        return MHD_YES;
    case STEP_WAIT:
        switch (atomic_load_explicit(&r->handover, memory_order_acquire)) {
        case HANDOVER_NONE:
            return suspend(r);
        case HANDOVER_DONE:
            if (holds_on(r))
                return MHD_YES;
            let_go(r);
            return served(r, deliver(r));
        default:
            return MHD_NO; /* abandoned */
        }
    case STEP_ANSWERED:
        break;
    }
    *size = 0; /* what still comes after a refusal */
    return MHD_YES;
}
