/* SPDX-License-Identifier: Apache-2.0 */
/* How methods take their arguments and refuse: in the forms of the Connect protocol and of the
 * files' interface. */
#include "engine/base/codec.h"
#include "engine/http/body.h"
#include "services/workspace/e2b/e2b.h"
#include "services/workspace/e2b/frame.h"
#include <stdarg.h>

/* ---- refusals ---- */

static const struct {
    const char *name;
    int status, files; /* of a call; of a request for files */
    enum sosia_code code;
} codes[] = {
    [E2B_INVALID_ARGUMENT] = {"invalid_argument", 400, 400, SOSIA_E_INVALID},
    [E2B_NOT_FOUND] = {"not_found", 404, 404, SOSIA_E_NOT_FOUND},
    [E2B_ALREADY_EXISTS] = {"already_exists", 409, 400, SOSIA_E_CONFLICT},
    [E2B_PERMISSION_DENIED] = {"permission_denied", 403, 403, SOSIA_E_FORBIDDEN},
    [E2B_FAILED_PRECONDITION] = {"failed_precondition", 400, 400, SOSIA_E_INVALID},
    [E2B_RESOURCE_EXHAUSTED] = {"resource_exhausted", 429, 507, SOSIA_E_TOO_LARGE},
    [E2B_UNIMPLEMENTED] = {"unimplemented", 501, 501, SOSIA_E_INVALID},
    [E2B_INTERNAL] = {"internal", 500, 500, SOSIA_E_INVALID},
};

struct refusal {
    enum e2b_code code;
    char *text;
};

const char *e2b_why(const struct call *c)
{
    static const char *const all[][2] = {
        {"ENOENT", "no such file or directory"},
        {"ENOTDIR", "not a directory"},
        {"EISDIR", "is a directory"},
        {"EEXIST", "file exists"},
        {"ENOTEMPTY", "directory not empty"},
        {"ELOOP", "too many levels of symbolic links"},
        {"ENAMETOOLONG", "file name too long"},
        {"EINVAL", "invalid argument"},
        {"EACCES", "permission denied"},
        {"EFBIG", "file too large"},
        {"ENOSPC", "no space left on device"},
    };
    const char *reason = c->tx.err->reason;
    for (size_t i = 0; reason && i < SOSIA_LEN(all); i++)
        if (strcmp(all[i][0], reason) == 0)
            return all[i][1];
    return NULL;
}

int e2b_fail(struct call *c, enum e2b_code code, const char *fmt, ...)
{
    struct refusal *r = arena_alloc(c->tx.arena, sizeof *r);
    const char *reason = c->tx.err->reason;
    va_list ap;
    va_start(ap, fmt);
    char *text = arena_vprintf(c->tx.arena, fmt, ap);
    va_end(ap);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (reason && (strcmp(reason, "ENOSPC") == 0 || strcmp(reason, "EFBIG") == 0))
        code = E2B_RESOURCE_EXHAUSTED;
    *r = (struct refusal){.code = code, .text = text};
    c->vendor_data = r;
    return call_fail(c, codes[code].code, codes[code].name, NULL, "%.200s", text);
}

/* Of what is not ours: a token, a body, a limit. */
static enum e2b_code code_of(const struct call *c)
{
    switch (c->tx.err->code) {
    case SOSIA_E_INVALID:
        return E2B_INVALID_ARGUMENT;
    case SOSIA_E_NOT_FOUND:
        return E2B_NOT_FOUND;
    case SOSIA_E_CONFLICT:
        return E2B_ALREADY_EXISTS;
    case SOSIA_E_FORBIDDEN:
        return E2B_PERMISSION_DENIED;
    case SOSIA_E_TOO_LARGE:
        return E2B_RESOURCE_EXHAUSTED;
    default:
        return E2B_INTERNAL;
    }
}

static bool is_of_files(const struct call *c)
{
    static const char files[] = E2B_PREFIX "/files";
    return c->path_len == sizeof files - 1 && memcmp(c->path, files, sizeof files - 1) == 0;
}

void e2b_end_stream(struct call *c, const char *code, const char *message)
{
    frame_add_end(c->body_out, code, message);
}

/* A stream says what went wrong at its end, under the status of one that went well. */
static void error_of_stream(struct call *c, const char *code, const char *message)
{
    c->status = 200;
    call_header_const(c, "Content-Type", E2B_STREAM_TYPE);
    e2b_end_stream(c, code, message);
}

/* {"code": "not_found", "message": ...} of a call; {"code": 404, "message": ...} of files. */
static void error(struct call *c)
{
    const struct refusal *own = c->vendor_data;
    const enum e2b_code code = own ? own->code : code_of(c);
    if (c->tx.err->code == SOSIA_E_UNAUTHENTICATED) {
        c->status = 401;
    } else if (own || c->status < 500) {
        c->status = is_of_files(c) ? codes[code].files : codes[code].status;
    }
    const char *name = c->status == 401 ? "unauthenticated" : codes[code].name,
               *text = own ? own->text : c->tx.err->text;
    if (c->status != 401 && c->route && str_same(c->route->gives, E2B_STREAM_TYPE)) {
        error_of_stream(c, name, text);
        return;
    }
    json_obj(c->out, NULL);
    if (is_of_files(c))
        json_int(c->out, "code", c->status);
    else
        json_str(c->out, "code", name);
    json_str(c->out, "message", text);
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

static void finish(struct call *c)
{
    if (!c->sent.blob.id && c->body_out->len && !str_same(c->route->gives, E2B_STREAM_TYPE))
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
