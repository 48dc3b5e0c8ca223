/* SPDX-License-Identifier: Apache-2.0 */
/* What a method's body may well be, by its schema: the members that it requires and some of the
 * others. */
#ifndef SOSIA_TESTS_HOSTILE_BODY_H
#define SOSIA_TESTS_HOSTILE_BODY_H

#include "engine/api/vendor.h"
#include "engine/base/buf.h"

/* JSON text in the arena; a row without a schema gets an object that means nothing. */
const char *hostile_body(struct arena *a, const struct dialect *d, const struct route *row);
/* A value of such a member. */
void hostile_field(struct buf *b, const struct dialect *d, const struct field *f);

#endif
