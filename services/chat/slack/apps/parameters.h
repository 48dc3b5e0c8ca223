/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that manifests declare, of functions and of events of metadata, and values for them.
 */
#ifndef SOSIA_SL_PARAMETERS_H
#define SOSIA_SL_PARAMETERS_H

#include "engine/json/json.h"

struct call;

/* What a value must be to be of a type of functions' parameters and datastores' attributes, "a
 * string"; NULL: it is, or the type is not plain. Those of the service are texts, or what they say.
 */
const char *sl_wanted_type(const char *type, const struct json *v);
/* The payload of an event in metadata, by what the caller's app declares in `events` of its
 * manifest (docs.slack.dev, custom message metadata event types). 1: it fits, or nothing is
 * declared; 0; -1. */
int sl_event_fits(struct call *c, const char *type, const struct json *payload);
/* Do the values fit that were given? at: where they are, as a JSON pointer. 0; -1: refused with
 * parameter_validation_failed and a line for each fault. */
int sl_check_parameters(struct call *c, const struct json *parameters, const struct json *given,
                        const char *at);
/* A list of them as the event of a function that runs has it. */
void sl_write_parameters(struct json_writer *w, const char *key, const struct json *parameters);

#endif
