/* SPDX-License-Identifier: Apache-2.0 */
/* The selection of fields that Google's APIs take in `fields`. */
#ifndef SOSIA_GOOGLE_MASK_H
#define SOSIA_GOOGLE_MASK_H

#include "engine/json/json.h"

/* On failure err->where is "fields", err->reason "invalidParameter", err->text "Invalid field
 * selection" and the rest from the fault on. Whether the names exist is the caller's to check, with
 * json_mask_each(). */
int google_mask_parse(struct arena *a, const char *text, const struct json_mask **ret_mask,
                      struct sosia_err *err);

#endif
