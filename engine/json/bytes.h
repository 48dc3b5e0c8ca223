/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in documents: members with base64. */
#ifndef SOSIA_JSON_BYTES_H
#define SOSIA_JSON_BYTES_H

#include "engine/json/doc.h"

/* A member with them; n may be 0. */
void json_base64(struct json_writer *w, const char *member, const void *data, size_t n);
/* Those of a text, which is the member's at the reader's place; in the document's arena. Fails with
 * "is not base64". 0, -1. */
int doc_base64(struct doc *d, const struct json *obj, const char *member, const char *text,
               const char **ret, size_t *ret_n);

#endif
