/* SPDX-License-Identifier: Apache-2.0 */
/* Refusals: of calls in the Connect protocol's codes, of requests for files by their status. */
#include "engine/base/codec.h"
#include "services/workspace/e2b/e2b.h"
#include <stdarg.h>

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

void e2b_refusal(const struct call *c, bool files, struct e2b_refused *ret)
{
    const struct refusal *own = c->vendor_data;
    const enum e2b_code code = own ? own->code : code_of(c);
    *ret = (struct e2b_refused){.own = own != NULL,
                                .name = codes[code].name,
                                .text = own ? own->text : c->tx.err->text,
                                .status = files ? codes[code].files : codes[code].status};
}
