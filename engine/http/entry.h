/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_HTTP_ENTRY_H
#define SOSIA_HTTP_ENTRY_H

#include "engine/http/call.h"

/* The journal's entry of a call that was answered, as JSON text. */
void journal_format(struct buf *out, const struct call *c, int64_t at_us);

#endif
