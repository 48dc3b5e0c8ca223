/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_HTTP_ENTRY_H
#define SOSIA_HTTP_ENTRY_H

#include "engine/http/call.h"
#include "engine/journal/journal.h"

/* Headers in which an agent says what a call belongs to, and what an entry calls them in its
 * "labels". */
struct entry_label {
    const char *header, *name;
    bool number; /* a number that is not negative; else a text */
};
extern const struct entry_label entry_labels[]; /* ends with a NULL header */
/* Before the name of a label of one's own. */
#define ENTRY_LABEL_OWN "X-Sosia-Label-"
enum { ENTRY_LABELS_OWN_MAX = 16 };

/* The journal's entry of a call that was answered, as JSON text, and what is known of it then. */
void journal_format(struct buf *out, const struct call *c, int64_t at_us,
                    struct journal_known *ret_known);

/* A call that runs again as its entry has it (engine/http/replay.h). */
struct replayed {
    struct world *world; /* the stand-in; locked */
    const char *actor;   /* who called, by the credential; NULL: nobody */
    bool credential;     /* the request has it itself */
    int64_t app, account, expires_us;
    const char *tenant; /* NULL: not said */
    enum token_kind kind;
    const char *scopes;       /* separated by spaces; NULL: all */
    const char *token_sha256; /* of the credential, where rules were asked of it; NULL: not known */
    const char *tool;         /* by which it came, where rules were asked of it; NULL: by none */
    enum risk risk_most;
    bool part, batch;
    const struct json *fault, *stop, *note; /* that it has (engine/http/fault.h); NULL: none */
    const char *counts;                     /* of faults and budgets; NULL: none */
    const char *rates;                      /* of the world's limits; NULL: nothing is known */
    const char *draft_of; /* as struct known_request (engine/http/serve.h); NULL: none */
    bool poll;            /* the same */
    bool short_body;      /* the response's is kept as of an older version */
};

#endif
