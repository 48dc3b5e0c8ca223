/* SPDX-License-Identifier: Apache-2.0 */
/* How methods take their arguments and answer refusals: in the forms of the Connect protocol and of
 * the files' interface. */
#include "engine/base/codec.h"
#include "engine/http/body.h"
#include "services/workspace/e2b/e2b.h"
#include "services/workspace/e2b/frame.h"

static bool is_of_files(const struct call *c)
{
    static const char files[] = E2B_PREFIX "/files";
    return c->path_len == sizeof files - 1 && memcmp(c->path, files, sizeof files - 1) == 0;
}

/* A stream says what went wrong at its end, under the status of one that went well. */
static void error_of_stream(struct call *c, const char *code, const char *message)
{
    c->status = 200;
    call_header_const(c, "Content-Type", E2B_STREAM_TYPE);
    frame_add_end(c->body_out, code, message);
}

/* {"code": "not_found", "message": ...} of a call; {"code": 404, "message": ...} of files. */
static void error(struct call *c)
{
    struct e2b_refused r;
    e2b_refusal(c, is_of_files(c), &r);
    if (c->tx.err->code == SOSIA_E_UNAUTHENTICATED)
        c->status = 401;
    else if (r.own || c->status < 500)
        c->status = r.status;
    const char *name = c->status == 401 ? "unauthenticated" : r.name;
    if (c->status != 401 && c->route && str_same(c->route->gives, E2B_STREAM_TYPE)) {
        error_of_stream(c, name, r.text);
        return;
    }
    json_obj(c->out, NULL);
    if (is_of_files(c))
        json_int(c->out, "code", c->status);
    else
        json_str(c->out, "code", name);
    json_str(c->out, "message", r.text);
    json_end(c->out);
    call_header_const(c, "Content-Type", "application/json");
}

/* ---- bodies ---- */

/* Members that a message has not are passed over. */
static enum body_verdict judge(struct call *c, const struct body_report *r)
{
    return r->fault == BODY_UNKNOWN ? BODY_LEAVE : body_refuse(c, r);
}

static const struct body_rules rules = {.fault = judge};

static const struct body_rules *body_rules(const struct call *c)
{
    (void)c;
    return &rules;
}

/* What failed before the call is nothing to it. */
static int check(struct call *c)
{
    *c->tx.err = (struct sosia_err){.code = 0};
    return 0;
}

static bool has_type(const struct call *c)
{
    for (size_t i = 0; i < c->n_headers; i++)
        if (str_eq_nocase(c->headers[i].name, "Content-Type"))
            return true;
    return false;
}

static void finish(struct call *c)
{
    if (!c->sent.blob.id && c->body_out->len && !str_same(c->route->gives, E2B_STREAM_TYPE) &&
        !has_type(c))
        call_header_const(c, "Content-Type", "application/json");
}

/* ---- the front ---- */

static const enum param_place places[] = {IN_PART, IN_QUERY, 0};
static const struct front front = {.arguments = places,
                                   .check = check,
                                   .body_rules = body_rules,
                                   .finish = finish,
                                   .error = error};
const struct vendor e2b_vendor = {.name = "e2b", .title = "E2B", .front = &front};
