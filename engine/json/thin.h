/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as text without some of its members, for who would read a long text for a few short ones. */
#ifndef SOSIA_JSON_THIN_H
#define SOSIA_JSON_THIN_H

#include "engine/base/buf.h"

/* Copies JSON without the members of this name at a depth (1: of the outermost object), but for
 * those of objects that are called `whole` (NULL: there are none). Names are compared as they are
 * written, and no space is between a name's end and the colon. Text that is not JSON is copied in
 * part, and never read beyond its end. */
void json_thin(struct buf *out, const char *text, size_t n, unsigned depth, const char *name,
               const char *whole);

#endif
