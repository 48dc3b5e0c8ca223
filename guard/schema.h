/* SPDX-License-Identifier: Apache-2.0 */
/* What the JSON Schema of seed documents has of the guard's sections: struct section, schema. */
#ifndef SOSIA_GUARD_SCHEMA_H
#define SOSIA_GUARD_SCHEMA_H

struct json_writer;

#define GUARD_POLICIES 100 /* of a document */

void guard_policies_schema(struct json_writer *w);
void guard_faults_schema(struct json_writer *w);
void guard_budgets_schema(struct json_writer *w);

#endif
