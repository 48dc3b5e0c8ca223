/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests: what an app is and wants, as one JSON object (docs.slack.dev, app manifests). */
#ifndef SOSIA_SL_MANIFEST_H
#define SOSIA_SL_MANIFEST_H

#include "services/chat/slack/sl.h"

#define SL_MAX_FAULTS 50

#define SL_FUNCTION_EVENT "function_executed" /* what an app with functions subscribes to */

/* What is wrong with one, and where (JSON pointer). */
struct sl_fault {
    const char *code; /* NULL: none */
    const char *message, *pointer;
};
struct sl_faults {
    struct sl_fault items[SL_MAX_FAULTS];
    size_t n; /* those beyond SL_MAX_FAULTS are left out */
};
/* Its members, as rows of methods say them. */
extern const struct field sl_manifest_field;
/* What it must keep to (docs.slack.dev, app manifest reference); n 0: nothing is wrong. */
void sl_manifest_check(struct arena *a, const struct json *manifest, struct sl_faults *ret);

/* How it is kept and exported: members that have a default have it. before: the one in whose place
 * it comes, whose color stays if this one has none; NULL: none. NULL: out of memory. */
const char *sl_manifest_normal(struct tx *tx, const struct json *manifest,
                               const struct json *before);
/* That of an app which was never given one: what is known of it. NULL fails. */
const char *sl_manifest_made(struct tx *tx, const struct chat_app *a);
/* The text that was written, in the arena; the buffer is done. NULL: TOO_LARGE. */
#define SL_MANIFEST_MAX (4 << 20)
const char *sl_manifest_take(struct tx *tx, struct buf *b);
/* What the core goes by (struct chat_app, setting). */
const char *sl_manifest_setting(struct tx *tx, const struct json *manifest);
/* Brings an app to what a->manifest says: name, addresses, setting, subscriptions. Writes both. */
int sl_manifest_apply(struct tx *tx, struct ident_app *app, struct chat_app *a);

/* ---- who may change apps: with a configuration token (kept.c) ---- */

/* Neither a token for everything nor one of an app is a configuration token. */
bool sl_is_configuring(const struct call *c);
#define SL_CONFIGURING(what)                                                                       \
    .token_kinds = TOKEN_USER, .takes = sl_is_configuring, .scopes = "app_configurations:" what,   \
    .secret = true
/* An app that the caller keeps. Refuses with invalid_app_id, app_not_found or no_permission. */
int sl_kept_app(struct call *c, const char *key, struct chat_app *ret);
/* The same with other words for the last two. */
int sl_kept_app_or(struct call *c, const char *key, const char *missing, const char *denied,
                   struct chat_app *ret);

/* The id of an app's function or workflow: it follows from the app's and the name. */
const char *sl_function_id(struct arena *a, const char *app_key, const char *name);
const char *sl_workflow_id(struct arena *a, const char *app_key, const char *name);

/* A member of a member: "oauth_config", "scopes"; NULL: none. */
const struct json *sl_manifest_part(const struct json *manifest, const char *first,
                                    const char *second);
bool sl_manifest_truth(const struct json *object, const char *member);
/* A manifest's scopes for its bot or of people: separated by commas; "": none. */
const char *sl_manifest_scopes(struct arena *a, const struct json *manifest, bool bot);

#endif
