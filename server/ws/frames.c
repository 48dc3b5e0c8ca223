/* SPDX-License-Identifier: Apache-2.0 */
/* Frames: wslay's view of a socket, and what goes to it. */
#include "server/ws/ws.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define MAX_FRAGMENTS 1000 /* of a message */

static ssize_t wire_recv(wslay_event_context_ptr wire, uint8_t *buf, size_t len, int flags,
                         void *arg)
{
    struct ws *ws = arg;
    size_t left = ws->n_extra - ws->extra_at;
    (void)flags;
    if (left) {
        if (len > left)
            len = left;
        memcpy(buf, ws->extra + ws->extra_at, len);
        ws->extra_at += len;
        return (ssize_t)len;
    }
    ssize_t n = -1;
    errno = EAGAIN;
    if (ws->budget)
        n = recv(ws->fd, buf, len < ws->budget ? len : ws->budget, 0);
    if (n > 0) {
        ws->budget -= (size_t)n;
        ws->received_ms = ws_now(ws);
        return n;
    }
    bool later = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    ws->broken |= !later;
    wslay_event_set_error(wire, later ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
    return -1;
}

static ssize_t wire_send(wslay_event_context_ptr wire, const uint8_t *data, size_t len, int flags,
                         void *arg)
{
    struct ws *ws = arg;
    ssize_t n = send(ws->fd, data, len, MSG_NOSIGNAL | (flags & WSLAY_MSG_MORE ? MSG_MORE : 0));
    if (n >= 0)
        return n;
    bool later = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    wslay_event_set_error(wire, later ? WSLAY_ERR_WOULDBLOCK : WSLAY_ERR_CALLBACK_FAILURE);
    return -1;
}

void ws_begin_close(struct ws *ws, int code, const char *reason)
{
    if (ws->close_begun)
        return;
    ws->close_begun = true;
    ws->code = code;
    ws_set_deadline(ws);
    wslay_event_queue_close(ws->wire, (uint16_t)code, (const uint8_t *)reason, strlen(reason));
}

/* Fragments cost more than their bytes. */
static void wire_frame(wslay_event_context_ptr wire,
                       const struct wslay_event_on_frame_recv_start_arg *frame, void *arg)
{
    struct ws *ws = arg;
    if (wslay_is_ctrl_frame(frame->opcode))
        return;
    if (frame->opcode != WSLAY_CONTINUATION_FRAME)
        ws->n_fragments = 0;
    if (++ws->n_fragments > MAX_FRAGMENTS) {
        ws_begin_close(ws, POLICY, "a message has too many fragments");
        wslay_event_shutdown_read(wire);
    }
}

static void wire_message(wslay_event_context_ptr wire, const struct wslay_event_on_msg_recv_arg *m,
                         void *arg)
{
    struct ws *ws = arg;
    (void)wire;
    if (m->opcode == WSLAY_CONNECTION_CLOSE) {
        if (!ws->close_begun)
            ws->code = m->status_code ? m->status_code : 1005;
        ws->close_begun = true; /* wslay has its answer ready */
        if (!ws->deadline_ms)
            ws_set_deadline(ws);
    } else if (!wslay_is_ctrl_frame(m->opcode) && !ws->close_begun) {
        if (!ws_list_add(&ws->in, m->msg, m->msg_length, m->opcode == WSLAY_BINARY_FRAME))
            ws_begin_close(ws, TRY_LATER, "the server has no memory");
        ws_next_job(ws);
    }
}

static const struct wslay_event_callbacks wire_calls = {.recv_callback = wire_recv,
                                                        .send_callback = wire_send,
                                                        .on_frame_recv_start_callback = wire_frame,
                                                        .on_msg_recv_callback = wire_message};

/* A close frame that waits behind a frame of which the socket took a part waits no longer than a
 * client may for its answer. */
static void await_rest(struct ws *ws)
{
    pthread_mutex_lock(&ws->all->lock);
    int code = ws->close_code;
    pthread_mutex_unlock(&ws->all->lock);
    if (code && !ws->deadline_ms) {
        ws->code = code;
        ws_set_deadline(ws);
    }
}

/* What the engine has sent goes to wslay a message at a time, so that the rest can be let go. */
bool ws_write(struct ws *ws)
{
    for (;;) {
        struct ws_text *t = NULL;
        if (wslay_event_want_write(ws->wire)) {
            if (wslay_event_send(ws->wire) < 0)
                return false;
            if (wslay_event_want_write(ws->wire)) {
                await_rest(ws);
                return true;
            }
        }
        pthread_mutex_lock(&ws->all->lock);
        if (!ws->close_begun)
            t = ws_queue_take(ws);
        int code = t ? 0 : ws->close_code;
        pthread_mutex_unlock(&ws->all->lock);
        if (t) {
            const struct wslay_event_msg frame = {
                .opcode = WSLAY_TEXT_FRAME, .msg = (const uint8_t *)t->data, .msg_length = t->len};
            int rc = wslay_event_queue_msg(ws->wire, &frame);
            pthread_mutex_lock(&ws->all->lock);
            ws_text_unref(t);
            pthread_mutex_unlock(&ws->all->lock);
            if (rc == WSLAY_ERR_NOMEM)
                return false;
        } else if (code && !ws->close_begun) {
            ws_begin_close(ws, code, ws->close_reason);
        } else {
            return true;
        }
    }
}

bool ws_wire_init(struct ws *ws)
{
    if (wslay_event_context_server_init(&ws->wire, &wire_calls, ws) < 0)
        return false;
    wslay_event_config_set_max_recv_msg_length(ws->wire, sosia_session_max_frame(ws->session));
    return true;
}
