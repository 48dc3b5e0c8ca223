/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of identity/ only. */
#ifndef SOSIA_IDENTITY_INTERNAL_H
#define SOSIA_IDENTITY_INTERNAL_H

#include "engine/world/core.h"
#include "identity/oauth.h"

struct doc;

#define IDENT_CORE   "identity"
#define IDENT_ACCESS "access" /* kind of what falls due of a stored token */
#define IDENT_KEEP_S 3600     /* what has ended is remembered as expired for so long */

/* code.c: a new secret of a kind; NULL fails. */
const char *ident_secret(struct tx *tx, const struct oauth_secret *how);
int oauth_device_forget(struct tx *tx, int64_t id);
/* token.c: deletes a stored token, and what is due of it. */
int ident_token_drop(struct tx *tx, int64_t id);

/* account.c: the next row of a query over accounts (1, 0, -1), and all of an actor's. */
int account_read(struct tx *tx, sqlite3_stmt *st, struct account *ret);
sqlite3_stmt *account_each(struct tx *tx, int64_t actor);
/* provision.c: the services that a vendor has for actors of a kind, NULL: of any; gives all actors
 * who have no accounts yet theirs. */
unsigned account_services(struct tx *tx, const char *vendor, const char *kind);
/* Those of them that begin with something, which an actor has once unless a document says more. */
unsigned account_services_once(struct tx *tx, const char *vendor);
int account_provision_all(struct tx *tx);
/* account_seed.c: sections of seed documents. */
int accounts_seed(struct tx *tx, struct doc *d, const struct json *v);
extern const struct form account_form;
int account_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int routing_seed(struct tx *tx, struct doc *d, const struct json *v);
int routing_dump(struct tx *tx, struct json_writer *w);
int freebusy_seed(struct tx *tx, struct doc *d, const struct json *v);
int freebusy_dump(struct tx *tx, struct json_writer *w);

#endif
