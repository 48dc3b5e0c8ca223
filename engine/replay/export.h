/* SPDX-License-Identifier: Apache-2.0 */
/* Journals in the forms of others. */
#ifndef SOSIA_REPLAY_EXPORT_H
#define SOSIA_REPLAY_EXPORT_H

#include "engine/world/engine.h"

/* What a form is made of, entry by entry. */
struct export
{
    struct json_writer *w;
    struct arena arena; /* of one entry at a time */
    struct sosia_err *err;
    char key[17]; /* the world's */
    double cost;
    int64_t tokens_in, tokens_out, n; /* of the entries so far */
    /* Of a run: whose it is, and what was last said of it; NULL: nothing. */
    char *workflow, *tenant, *actor, *policy, *model;
    bool stopped; /* by a budget */
    bool metered; /* one of them says what it cost */
};

/* The beginning of the document, each entry that is a call, the end. */
struct export_form {
    void (*begin)(struct export *x);
    void (*entry)(struct export *x, int64_t seq, const struct json *entry);
    void (*end)(struct export *x);
};
extern const struct export_form export_har, export_otlp, export_atif, export_run;

/* What sosia_journal_info() gives; head: with that of the chain, for which all entries are hashed
 * while the world is held. */
int journal_info(struct sosia_engine *engine, uint64_t world, bool head,
                 struct sosia_blob *ret_json, struct sosia_err *err);

#endif
