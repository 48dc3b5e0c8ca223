/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong in an argument that is held against a schema (engine/http/body.h). */
#ifndef SOSIA_SL_FAULT_H
#define SOSIA_SL_FAULT_H

#include "engine/http/body.h"

/* JSON pointer of a place, behind that of the value that is looked at, in the arena: a name with
 * which it would have more than max bytes is left out. */
const char *sl_pointer(struct arena *a, const char *from, const struct body_place *at, size_t max);
/* The service's words, and the place for which it says them. */
const char *sl_fault_words(struct arena *a, const struct body_report *r,
                           const struct body_place **ret_at);

#endif
