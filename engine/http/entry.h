/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_HTTP_ENTRY_H
#define SOSIA_HTTP_ENTRY_H

#include "engine/http/call.h"

/* The journal's entry of a call that was answered, as JSON text. */
void journal_format(struct buf *out, const struct call *c, int64_t at_us);

/* A member with a body: a string, base64 if it is not UTF-8, or length and hash if it is long. Of
 * one that holds credentials, the length only. */
void journal_body(struct json_writer *w, const char *name, const char *data, size_t len,
                  bool secret);

#endif
