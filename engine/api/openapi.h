/* SPDX-License-Identifier: Apache-2.0 */
/* A dialect, a vendor's or the control interface's, as an OpenAPI 3.1 document, from its rows and
 * schemas. */
#ifndef SOSIA_API_OPENAPI_H
#define SOSIA_API_OPENAPI_H

#include "engine/api/vendor.h"
#include "engine/json/json.h"

/* Writes the document. version: of this sosia. A row with several verbs or paths is an operation
 * for each, whose ids differ by a number behind the first. Paths that OpenAPI can't say are written
 * as they are in the row, in its grammar (engine/api/router.h). */
void openapi_write(struct json_writer *w, const struct dialect *d, const char *version);

#endif
