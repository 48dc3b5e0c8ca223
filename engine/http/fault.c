/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/http/fault.h"
#include "engine/base/codec.h"
#include "engine/http/answer.h"
#include "engine/http/call.h"
#include "engine/http/entry.h"
#include "engine/text/civil.h"
#include "engine/world/engine.h"

const char *const fault_names[] = {
    [FAULT_RATE] = "rate-limit",
    [FAULT_QUOTA] = "quota",
    [FAULT_SERVER] = "server-error",
    [FAULT_REVOKED] = "token-revoked",
    [FAULT_ACCESS] = "access-lost",
    [FAULT_SYNC] = "expired-sync-token",
    [FAULT_PAGE] = "expired-page-token",
    [FAULT_MISSING] = "missing",
    [FAULT_TIMEOUT] = "timeout",
    [FAULT_RESET] = "reset",
    [FAULT_TRUNCATED] = "truncated",
    [FAULT_MALFORMED] = "malformed",
    [FAULT_LOST] = "lost-answer",
    [FAULT_SLOW] = "slow",
    [FAULT_STALE] = "stale-read",
    [FAULT_TWICE] = "duplicate-webhook",
    [FAULT_ARRIVES] = "arrival",
    [FAULT_RENAMED] = "renamed",
    [N_FAULTS] = NULL,
};

const char *const fault_losses[] = {
    [LOST_RESET] = "reset", [LOST_TIMEOUT] = "timeout", [LOST_ERROR] = "error", NULL};

/* Of who has no words of its own: programs of the engine's, such as tools. */
static int own_fault(struct call *c, const struct fault *f)
{
    switch (f->kind) {
    case FAULT_RATE:
    case FAULT_QUOTA:
        return call_fail(c, SOSIA_E_LIMIT, "rate", NULL, "too many calls");
    case FAULT_REVOKED:
        return call_fail(c, SOSIA_E_UNAUTHENTICATED, "revoked", "Authorization",
                         "the token is not valid");
    case FAULT_ACCESS:
        return call_fail(c, SOSIA_E_FORBIDDEN, "access", NULL, "the caller has no access");
    case FAULT_MISSING:
        return call_fail(c, SOSIA_E_NOT_FOUND, "unknownMethod", NULL, "there is no such method");
    case FAULT_SERVER:
        return call_fail(c, SOSIA_E_INTERNAL, NULL, NULL, "the server has failed");
    default:
        return 1;
    }
}

int fault_stop(struct call *c, const char *stop)
{
    static const struct fault shut = {.kind = FAULT_ACCESS, .rule = "budget"};
    c->stop = stop;
    c->noted = true;
    call_why(c, "a budget is used up: %s", stop);
    int rc = c->front && c->front->fault ? c->front->fault(c, &shut) : own_fault(c, &shut);
    return rc < 0 ? rc : call_fail(c, SOSIA_E_FORBIDDEN, "budget", NULL, "a budget is used up");
}

/* What goes on beyond the call's answer can't be cut or lost by it. */
static bool has_end(const struct call *c)
{
    return !c->offer && !c->outcome && !c->route->upgrade && !c->upload;
}

int fault_begin(struct call *c, const struct fault *f)
{
    int rc = 0;
    c->fault = f;
    switch (f->kind) {
    case FAULT_RATE:
    case FAULT_QUOTA:
    case FAULT_SERVER:
    case FAULT_REVOKED:
    case FAULT_ACCESS:
    case FAULT_SYNC:
    case FAULT_PAGE:
    case FAULT_MISSING:
        rc = c->front && c->front->fault ? c->front->fault(c, f) : own_fault(c, f);
        break;
    case FAULT_TIMEOUT:
    case FAULT_RESET:
        rc = !has_end(c) ? 1
                         : call_fail(c, SOSIA_E_INTERNAL, "fault", NULL,
                                     "the fault %.80s has it that no answer comes", f->rule);
        break;
    case FAULT_TRUNCATED:
    case FAULT_MALFORMED:
    case FAULT_LOST:
        rc = has_end(c) ? 0 : 1;
        break;
    case FAULT_STALE:
        rc = c->tx.write ? 1 : 0;
        c->redo = !rc;
        break;
    case FAULT_ARRIVES:
        rc = c->again ? 1 : 0; /* the document has an entry of its own */
        c->redo = !rc;
        break;
    case FAULT_TWICE:
        c->tx.send_twice = true;
        break;
    default:
        break;
    }
    if (rc > 0)
        c->fault = NULL;
    c->noted |= c->fault != NULL;
    return c->redo ? -1 : rc;
}

/* No answer comes: in process, where there is no connection, it is what a proxy says. */
static void unanswered(struct call *c, enum sosia_wire wire)
{
    buf_clear(c->body_out);
    c->sent = (struct sent){0};
    c->n_headers = 0;
    c->wire = wire;
    c->status = wire == SOSIA_WIRE_TIMEOUT ? 504 : 502;
    c->why = wire == SOSIA_WIRE_TIMEOUT ? "no answer came in time" : "the connection was reset";
}

/* Two thirds of a body that is in memory. */
static bool cut_body(struct call *c, bool on_wire)
{
    struct buf *b = c->body_out;
    if (c->sent.blob.id || c->stream || buf_failed(b) || b->len < 2)
        return false;
    if (on_wire) {
        c->wire = SOSIA_WIRE_CUT;
        c->whole = b->len;
    }
    b->len = b->len * 2 / 3;
    b->data[b->len] = 0;
    return true;
}

static void lose(struct call *c, const struct fault *f)
{
    const struct fault as = {
        .kind = FAULT_SERVER, .rule = f->rule, .status = f->status ? f->status : 503};
    if (f->lost != LOST_ERROR) {
        unanswered(c, f->lost == LOST_TIMEOUT ? SOSIA_WIRE_TIMEOUT : SOSIA_WIRE_RESET);
        return;
    }
    c->fault = &as;
    if ((c->front && c->front->fault ? c->front->fault(c, &as) : own_fault(c, &as)) < 0)
        answer_refusal(c);
    c->fault = f;
}

void fault_end(struct call *c)
{
    const struct fault *f = c->fault;
    struct world *w = c->tx.world;
    if (f->kind == FAULT_TIMEOUT || f->kind == FAULT_RESET)
        unanswered(c, f->kind == FAULT_TIMEOUT ? SOSIA_WIRE_TIMEOUT : SOSIA_WIRE_RESET);
    else if (f->kind == FAULT_LOST && c->status < 400)
        lose(c, f);
    else if (f->kind == FAULT_TRUNCATED || f->kind == FAULT_MALFORMED)
        cut_body(c, f->kind == FAULT_TRUNCATED);
    if (f->delay_ms && f->real)
        c->delay_ms = f->delay_ms;
    else if (f->delay_ms && w && w->clock.at_us < TIME_LAST_US - US_PER_DAY)
        w->clock.at_us += f->delay_ms * 1000;
    /* Who waits for an answer by the world's clock has done so. */
    if (f->delay_ms && !f->real && c->wire == SOSIA_WIRE_TIMEOUT)
        c->delay_ms = 1;
}

/* ---- the journal ---- */

static void write_fault(struct json_writer *w, const struct call *c)
{
    const struct fault *f = c->fault;
    int64_t retry_s = c->over && c->retry_us ? c->retry_us / US_PER_SECOND : f->retry_s;
    json_obj(w, "fault");
    json_str(w, "kind", fault_names[f->kind]);
    json_str(w, "rule", f->rule);
    if (f->kind == FAULT_LOST)
        json_str(w, "lost", fault_losses[f->lost]);
    if (f->status)
        json_int(w, "status", f->status);
    if (retry_s)
        json_int(w, "retry_after", retry_s);
    if (f->delay_ms)
        json_int(w, "delay_ms", f->delay_ms);
    json_bool_opt(w, "real", f->real);
    json_end(w);
}

void fault_write(struct json_writer *w, const struct call *c)
{
    if (c->fault)
        write_fault(w, c);
    if (c->stop)
        json_raw(w, "stop", c->stop, strlen(c->stop));
    if (c->note)
        json_raw(w, "budget", c->note, strlen(c->note));
    json_str_opt(w, "counts", c->counts);
}

/* In the call's arena; NULL: the value is none. */
static const struct fault *read_fault(struct call *c, const struct json *v)
{
    const char *kind = json_get_str(v, "kind"), *rule = json_get_str(v, "rule"),
               *lost = json_get_str(v, "lost");
    struct fault *f = arena_calloc(c->tx.arena, 1, sizeof *f);
    int k = kind ? str_place(fault_names, kind) : -1, l = lost ? str_place(fault_losses, lost) : 0;
    int64_t status = json_get_int(v, "status", 0), retry_s = json_get_int(v, "retry_after", 0),
            delay_ms = json_get_int(v, "delay_ms", 0);
    if (k < 0 || l < 0 || !rule || status < 0 || status > 599 || retry_s < 0 ||
        retry_s > FAULT_WAIT_MAX || delay_ms < 0 || delay_ms > FAULT_WAIT_MAX * 1000)
        return NULL;
    *f = (struct fault){.kind = (enum fault_kind)k,
                        .lost = (enum fault_lost)l,
                        .rule = arena_strdup(c->tx.arena, rule),
                        .status = (int)status,
                        .retry_s = retry_s,
                        .delay_ms = delay_ms,
                        .real = json_get_true(v, "real")};
    return f;
}

int fault_again(struct call *c)
{
    const struct replayed *a = c->again;
    if (c->redone)
        return 0;
    if (a->note)
        c->note = json_to_text(c->tx.arena, a->note);
    if (a->stop)
        return fault_stop(c, json_to_text(c->tx.arena, a->stop));
    const struct fault *f = a->fault ? read_fault(c, a->fault) : NULL;
    return f && fault_begin(c, f) < 0 ? -1 : 0;
}
