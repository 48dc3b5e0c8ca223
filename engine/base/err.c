/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/err.h"
#include "engine/base/arena.h"
#include "engine/base/utf8.h"
#include <stdio.h>

int sosia_fail(struct sosia_err *err, enum sosia_code code, const char *reason, const char *where,
               const char *fmt, ...)
{
    if (!err)
        return -1;
    err->code = code;
    err->reason = reason;
    err->where = where;
    err->line = 0;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    utf8_scrub(err->text); /* a precision may have cut a character */
    return -1;
}

char *message_text(struct arena *a, const char *fmt, va_list ap)
{
    char *text = arena_vprintf(a, fmt, ap);
    utf8_scrub(text);
    return text;
}

int sosia_fail_memory(struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_NO_MEMORY, NULL, NULL, "out of memory");
}

static const struct {
    const char *name;
    int status;
} codes[] = {
#define XX(name, status) {#name, status},
    SOSIA_CODE_MAP(XX)
#undef XX
};

const char *sosia_code_name(enum sosia_code code)
{
    return (size_t)code < SOSIA_LEN(codes) ? codes[code].name : "INTERNAL";
}

int sosia_code_status(enum sosia_code code)
{
    return (size_t)code < SOSIA_LEN(codes) ? codes[code].status : 500;
}
