/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of vendors/google only. */
#ifndef SOSIA_GOOGLE_INTERNAL_H
#define SOSIA_GOOGLE_INTERNAL_H

#include "vendors/google/google.h"

/* What begin() leaves for the answer (call.vendor_data). */
struct google_call {
    const char *callback;                      /* JSONP; NULL: none */
    bool xgafv_2;                              /* $.xgafv=2: Gmail leaves errors[] out */
    bool media;                                /* alt=media: bytes are asked for, not JSON */
    struct upload *upload;                     /* that the request goes on with; NULL: none */
    const char *upload_id;                     /* X-GUploader-UploadID; NULL: none yet */
    const char *upload_status;                 /* X-Goog-Upload-Status; NULL: not mentioned */
    const struct google_violation *violations; /* what was found */
    size_t n_violations;                       /* 0: nothing, or not looked for yet */
    const char *also; /* text of a second entry in errors[], for the same reason */
};

/* What all fronts of Google's do with a request: front->credential, front->override_verb. */
void google_credential(struct call *c);
void google_override_verb(struct call *c);
extern const char *const google_headers[];
/* front->finish */
void google_finish(struct call *c);
/* front->error */
void google_error(struct call *c);
/* front->fault */
int google_fault(struct call *c, const struct fault *f);
/* Headers that every answer has. */
void google_common_headers(struct call *c);
/* Makes a script of the body if the request has a callback. */
void google_jsonp(struct call *c);
/* Fails with what google_violations() finds in a call to such an API. */
int google_strict_check(struct call *c);
/* What the newer front end refuses in the call's query and body (struct google_api, strict), in
 * order; in the arena. Gives their number. */
struct google_violation {
    const char *field; /* "message.raw"; NULL: the request itself */
    const char *text;
};
size_t google_violations(struct call *c, const struct google_violation **ret);
/* The same of parameters that are not a number or not a truth value, in the APIs that look for
 * nothing more.
 */
size_t google_bad_types(struct call *c, const struct google_violation **ret);
#define GOOGLE_VIOLATIONS 100 /* that are listed */
struct google_check {         /* what has been found so far */
    struct call *c;
    struct google_violation *list;
    size_t n;
};
/* violation.c, for strict.c and body.c. field, text: in the arena. */
void google_add_violation(struct google_check *k, const char *field, const char *text);
/* At most 200 bytes of a string, whole characters, in the arena. */
const char *google_shown(struct google_check *k, const char *text, size_t n);
/* Is `snake` the name that the front end has for `name`? */
bool google_is_snake_of(const char *name, const char *snake);
/* The value that a string stands for; NULL: none. */
const char *google_value_of(const char *const *values, const char *text);
/* "type.googleapis.com/..." of a field's or a schema's name. */
const char *google_enum_name(struct google_check *k, const char *name);
/* body.c: the body of a call to a strict API; and how the others check bodies against schemas
 * (front->body_rules). */
void google_check_body(struct google_check *k);
const struct body_rules *google_body_rules(const struct call *c);
/* Gives parameters of such an API that are spelled like max_results the names that rows have, and
 * values of enumerations the values of rows. */
void google_query_names(struct call *c);
/* "maxResults" as the front end names it: "max_results". In the arena. */
const char *google_snake_case(struct arena *a, const char *name);
/* Are all names of the mask in the response's schema? -1: failed, names the first that is not. */
int google_fields_check(struct call *c, const struct json_mask *mask);

/* What a dialect is as an API, for a call of Google's; NULL: it is none of Google's. */
const struct google_api *google_api_in(const struct call *c, const struct dialect *d);
/* The dialect of an API; NULL: not here. */
const struct dialect *google_dialect(const struct call *c, const char *name, const char *version);

/* channel.c: a channel, for what reads and writes documents. Texts are in the arena. */
struct google_channel {
    int64_t id;
    const char *name, *resource, *uri, *address, *token; /* token: NULL: none */
    int64_t expires_us, number;                          /* number: of the last message, from 1 */
};
/* Puts one into the world and fills its id: 0, -1; CONFLICT: the name is taken. */
int google_channel_add(struct tx *tx, int64_t actor, const char *kind, int64_t ref,
                       struct google_channel *row);
/* What programs know the thing by: the same for all that watch it. */
const char *google_channel_resource(struct tx *tx, const char *kind, int64_t ref);
/* The member that has what no channel may have; NULL: none. */
const char *google_channel_fault(const struct google_channel *ch);

/* The methods that belong to no API. */
extern const struct rows google_batches, google_discovery;

#endif
