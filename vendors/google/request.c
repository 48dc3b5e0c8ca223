/* SPDX-License-Identifier: Apache-2.0 */
/* What all fronts of Google's read of a request: the token, the verb, the headers. */
#include "vendors/google/internal.h"
#include "engine/api/router.h"
#include "engine/base/codec.h"

void google_credential(struct call *c)
{
    static const char *const in_query[] = {"access_token", "oauth_token", "token"};
    c->token = call_bearer(c);
    for (size_t i = 0; !c->token && i < SOSIA_LEN(in_query); i++) {
        const char *text = call_query_item(c, in_query[i]);
        if (text && *text)
            c->token = text;
    }
}

/* A POST may name another verb; for GET it has the query in a form body. */
void google_override_verb(struct call *c)
{
    const char *name = call_request_header(c, "X-HTTP-Method-Override");
    const char *type = call_request_header(c, "Content-Type");
    if (!name || verb_from_name(name, &c->verb) < 0)
        return;
    c->query_is_body =
        c->verb == VERB_GET && type && str_starts(type, "application/x-www-form-urlencoded");
}

const char *const google_headers[] = {"X-HTTP-Method-Override", "X-Goog-Upload-*",
                                      "X-Goog-Drive-*",         "X-Upload-*",
                                      "X-GUploader-*",          NULL};
