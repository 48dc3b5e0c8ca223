/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters and shapes of bodies as JSON Schema (draft 2020-12), which OpenAPI 3.1 has too. */
#ifndef SOSIA_API_JSON_SCHEMA_H
#define SOSIA_API_JSON_SCHEMA_H

#include "engine/api/vendor.h"
#include "engine/json/json.h"

struct json_schema {
    struct json_writer *w;
    const struct dialect *d; /* whose schemas are referred to */
    const char *refs;        /* what comes before their names: "#/$defs/" */
    const char *method; /* its id: members that it requires are said to be; NULL: no method's */
    bool brief;         /* of what a parameter holds the outermost members, not what is in those */
    bool whole;  /* written by json_schema_types(): of an object of a parameter what is required */
    bool values; /* for values of responses: what readers could refuse without being wrong is left
                    out, such as what is required, formats but those of times, and closed sets */
};

/* A reference to a schema of the dialect, as the only member of an object that is open. */
void json_schema_ref(const struct json_schema *s, const char *name);
/* The members of a schema, into an object that is open. */
void json_schema_members(const struct json_schema *s, const struct schema *schema);
/* The same for a parameter: of all its values, if it is repeated. */
void json_schema_param(const struct json_schema *s, const struct param *p);
/* The schemas of the types that there are in what parameters of the dialect hold, and of all types
 * of a table together ("block", "block.section"), as members of an open object. 0; -1 without
 * memory. */
int json_schema_types(const struct json_schema *s);
/* Must a request have the member? */
bool json_schema_requires(const struct json_schema *s, const struct field *f);
/* Calls fn for each schema of the dialect that is reached from one, itself first, each once. 0; -1
 * without memory. */
int json_schema_reached(const struct dialect *d, const char *name,
                        void (*fn)(void *arg, const struct schema *schema), void *arg);

#endif
