/* SPDX-License-Identifier: Apache-2.0 */
/* What the vendors' guides (engine/api/guide.h) say, as the command prints it. */
#ifndef SOSIA_CLI_GUIDES_H
#define SOSIA_CLI_GUIDES_H

#include "engine/api/guide.h"
#include "engine/base/buf.h"
#include "engine/json/json.h"
#include <sosia.h>

/* The next guide from *at on (at first 0), in the order of the vendors; NULL: there are no more. */
const struct guide *guide_next(size_t *at);

/* Those of the vendors with whom an actor (an address or a handle) of a world has services, and
 * those with credentials, which only who has an account gets; in the same order. How many, or -1.
 */
#define GUIDES_MAX 16
int guides_of(struct sosia_engine *e, uint64_t world, const char *actor,
              const struct guide *ret[GUIDES_MAX], struct sosia_err *err);

/* Appends the guide's lines about clients, those that need what is not known left out. url: of the
 * server. credential: of an actor; NULL: none. */
void guide_clients(struct buf *out, const struct guide *g, const char *url,
                   const struct json *credential);
/* The first of such lines that needs nothing but the url: of the vendor that has the origin
 * ("https://api.acme.example"), else of the first that has one. */
void guide_client(struct buf *out, const char *origin, const char *url);

/* Appends the kinds that an actor of `serve --json` may have credentials of: "a, b or c". */
void guide_kinds(struct buf *out);
/* What the guides say of variables: "of acme SOSIA_ACME_USER and more"; gives text. */
#define GUIDE_TEXT_MAX 400
const char *guide_variables(char text[GUIDE_TEXT_MAX]);

/* Where the API of a method of that name is; NULL, and a name that no vendor has: the first
 * vendor's. */
const char *guide_origin(const char *method);

/* The first of the services in which people act. */
const char *first_act(void);
/* The services that models find, with ", " between them; gives text. */
const char *tool_services(char text[GUIDE_TEXT_MAX]);

#endif
