/* SPDX-License-Identifier: Apache-2.0 */
/* Apps: the programs that act for people, or for themselves; and the accounts under which vendors
 * know actors. */
#ifndef SOSIA_IDENTITY_APP_H
#define SOSIA_IDENTITY_APP_H

#include "identity/identity.h"

struct doc;

struct ident_app {
    int64_t id;
    const char *client_id, *secret, *name; /* secret NULL: none is needed */
    const char *kind;                      /* web, installed, device, any */
    const struct json *redirects;          /* array of strings */
    int64_t automatic;          /* the actor who consents without being asked; 0: nobody */
    const char *vendor;         /* NULL: nobody said */
    int64_t bot;                /* the actor that acts for it; 0: none */
    const char *signing_secret; /* NULL: none */
    const char *section;        /* of seed documents that it is written in */
    bool proven;                /* who agrees proves who he is (identity/consent.h) */
    int64_t registered_us;      /* it registered then, and nobody has agreed yet; 0: others */
};
#define APP_SECTION "apps"

/* 1 found, 0 not, -1. Strings are in the arena. */
int app_find(struct tx *tx, const char *client_id, struct ident_app *ret);
int app_get(struct tx *tx, int64_t id, struct ident_app *ret);
/* Puts it into the world and fills its id; redirects NULL: none. CONFLICT: the client id is taken;
 * TOO_LARGE: the redirect addresses have more than 1 MiB. */
int app_new(struct tx *tx, struct ident_app *app);
/* Writes all of it but its section. */
int app_save(struct tx *tx, const struct ident_app *app);
/* Is it an address to which the app may have answers sent? An installed app may have any of the
 * loopback interface, or where a person's consent is proven any port of one that it has
 * registered (RFC 8252, 7.3); one of kind any every address with a scheme. */
bool app_redirect_allowed(const struct ident_app *app, const char *uri);
/* Does it run on the person's own machine? One of kind any does if it listens there. */
bool app_is_installed(const struct ident_app *app, const char *redirect);

/* ---- in seed documents ---- */

/* A section of apps: its name, and what its items may leave out. */
struct app_section {
    const char *name;   /* "apps" */
    const char *vendor; /* of all of them; NULL: the items say */
    /* Words for the kinds web, installed, device, any; NULL-terminated. */
    const char *const *kinds;
};
int app_seed(struct tx *tx, struct doc *doc, const struct json *item,
             const struct app_section *section);
/* The members of an item: of a section with a vendor, and of one without. */
extern const struct form app_client_form, app_form;
/* 0 for an app that is written in another section. */
int app_dump(struct tx *tx, int64_t rowid, struct json_writer *w,
             const struct app_section *section);
int app_key(struct tx *tx, int64_t rowid, struct json_writer *w);

/* Which app something was made by is a member with its client id, "" for a program whose token is
 * of no app. at: what the fault is shown at. */
#define APP_NONE (-1)
int app_named(struct tx *tx, struct doc *d, const struct json *at, const char *member,
              const char *client_id, int64_t *ret);
/* Without the member *ret stays as it is. */
int app_doc_member(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                   int64_t *ret);
/* The same, for tables of members. */
extern const struct reference app_reference;
/* app 0: nothing is written. */
int app_dump_member(struct tx *tx, struct json_writer *w, const char *member, int64_t app);

#endif
