/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as values: a caller-owned struct sosia_err, filled where the failure is found. */
#ifndef SOSIA_BASE_ERR_H
#define SOSIA_BASE_ERR_H

#include "sosia.h"
#include <stdarg.h>

#define SOSIA_LEN(array) (sizeof(array) / sizeof((array)[0]))

/* Fills err (may be NULL) and gives -1, so that a function can `return sosia_fail(...)`. reason and
 * where are kept as pointers: static, or living as long as err is read. */
__attribute__((format(printf, 5, 6))) int sosia_fail(struct sosia_err *err, enum sosia_code code,
                                                     const char *reason, const char *where,
                                                     const char *fmt, ...);
/* The failure of an allocation. */
int sosia_fail_memory(struct sosia_err *err);
const char *sosia_code_name(enum sosia_code code);
int sosia_code_status(enum sosia_code code);

struct arena;
/* The text of a message that is not one of struct sosia_err's, in the arena. As there, what is left
 * of a character that a precision has cut is taken away. */
__attribute__((format(printf, 2, 0))) char *message_text(struct arena *a, const char *fmt,
                                                         va_list ap);

#endif
