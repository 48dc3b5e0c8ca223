/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sites of tenants: their addresses, who may do what in them, and their libraries of documents,
 * which are drives of accounts of their own. What is in libraries and lists is services' matter.
 * Functions give 1 found, 0 not, -1 with tx->err filled, unless they say otherwise; texts live in
 * the arena.
 */
#ifndef SOSIA_MICROSOFT_SITES_H
#define SOSIA_MICROSOFT_SITES_H

#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/graph.h"

extern const struct sosia_core microsoft_sites_core, microsoft_pages_core;
extern const struct dialect sites_dialect;
extern const struct dialect_tools sites_tools;

/* Each includes those before it. */
enum site_role { SITE_NONE, SITE_READ, SITE_WRITE, SITE_OWNER };
extern const char *const site_role_names[]; /* "none", "read", "write", "owner" */

struct ms_site {
    int64_t id, tenant, parent, team; /* id 0: the root of a tenant of which no document says one */
    const char *key, *web, *path, *name;
    const char *description; /* NULL: none */
    const char *channel;     /* the key of the channel whose files it has; NULL: of none */
    enum site_role everyone;
    int64_t made_us, changed_us;
    const char *host;    /* "port.sharepoint.com" */
    const char *full_id; /* "port.sharepoint.com,GUID,GUID" */
};

struct ms_library {
    int64_t id, site, account;
    const char *key, *name, *title;
    int64_t made_us;
};

struct stored;
extern struct stored ms_site_stored, ms_library_stored; /* their tables of members: seed.c */

/* ---- site.c ---- */

int ms_site_get(struct tx *tx, int64_t id, struct ms_site *ret);
/* By "root", the tenant's host, "host,GUID,GUID" or one of its GUIDs. */
int ms_site_find(struct tx *tx, const struct ms_tenant *tenant, const char *text,
                 struct ms_site *ret);
int ms_site_by_path(struct tx *tx, const struct ms_tenant *tenant, const char *path,
                    struct ms_site *ret);
/* By its GUID; and by its path, "/sites/finance" of the first tenant that has it, or with its host,
 * "port.sharepoint.com/sites/finance". */
int ms_site_by_key(struct tx *tx, const char *key, struct ms_site *ret);
int ms_site_by_address(struct tx *tx, const char *text, struct ms_site *ret);
int ms_site_of_group(struct tx *tx, int64_t group, struct ms_site *ret);
int ms_site_of_channel(struct tx *tx, const char *channel, struct ms_site *ret);
/* The next site of a tenant behind an id, in it or in a site (parent: 0 any). */
int ms_site_next(struct tx *tx, int64_t tenant, int64_t parent, int64_t after, struct ms_site *ret);
/* Puts a site into the world and fills its id; GUIDs are made where there are none. 0, -1. */
int ms_site_new(struct tx *tx, struct ms_site *site);
/* The root of a tenant, as a row of its own from now on. 0, -1. */
int ms_site_keep(struct tx *tx, struct ms_site *site);
/* Something in it was changed now. 0, -1. */
int ms_site_touch(struct tx *tx, const struct ms_site *site);
/* What a user may do in a site, by itself, its groups, the site that it is in. 0, -1. */
int ms_site_role(struct tx *tx, const struct ms_site *site, const struct actor *actor,
                 enum site_role *ret);
/* The address of a site for browsers: "https://port.sharepoint.com/sites/finance". */
const char *ms_site_url(struct arena *a, const struct ms_site *site);

int ms_library_get(struct tx *tx, int64_t id, struct ms_library *ret);
/* By the GUID of its list, its title or the name in its address. */
int ms_library_find(struct tx *tx, int64_t site, const char *text, struct ms_library *ret);
int ms_library_by_key(struct tx *tx, const char *key, struct ms_library *ret);
int ms_library_of_account(struct tx *tx, int64_t account, struct ms_library *ret);
/* The next library of a site behind an id; the first one is the default one. */
int ms_library_next(struct tx *tx, int64_t site, int64_t after, struct ms_library *ret);
/* Makes a library with the account and the actor whose drive it is; handle NULL: one is made. Fills
 * id and account. 0, -1. */
int ms_library_new(struct tx *tx, const struct ms_site *site, const char *handle,
                   struct ms_library *library);

/* ---- call.c: of calls ---- */

/* The site of the path ({site-id}, with {site-path*} or of {group-id}), for who needs a role there.
 * 0, -1 refused. */
int site_of_path(struct call *c, enum site_role need, struct ms_site *ret);
/* What the caller may do in a site. 0, -1. */
int site_role_of(struct call *c, const struct ms_site *site, enum site_role *ret);
/* Failures of SharePoint. -1. */
int site_not_found(struct call *c);
int site_invalid(struct call *c, const char *message);
/* An actor as an identity, a member of the open object. 0, -1. */
int site_write_person(struct call *c, const char *key, int64_t actor);
/* SharePoint itself as one. */
void site_write_system(struct json_writer *w, const char *key);
/* What contexts say of a site: "sites('host%2CGUID%2CGUID')", "sites('root')". */
const char *site_context(struct call *c, const struct ms_site *site);

/* The next site of a tenant, the root first; *begun is false before the first. 1, 0, -1. */
int sites_next(struct call *c, const struct ms_tenant *tenant, bool *begun, struct ms_site *at);
/* Calls fn for each site of the tenant that the caller may read, the root first. fn: 0, -1 failed.
 * 0, -1. */
int sites_seen(struct call *c, int (*fn)(void *arg, const struct ms_site *site), void *arg);
/* The members of a site, into the open object; listed: as lists have it. */
void site_write(struct call *c, const struct ms_site *site, bool listed);
struct graph_finder;
extern const struct graph_finder sites_finder; /* find.c */

extern const struct rows site_rows, site_permission_rows, site_page_rows;

#define SITES_READ                                                                                 \
    "Sites.Read.All Sites.ReadWrite.All Sites.Manage.All Sites.FullControl.All Sites.Selected"
#define SITES_WRITE   "Sites.ReadWrite.All Sites.Manage.All Sites.FullControl.All Sites.Selected"
#define SITES_MANAGE  "Sites.Manage.All Sites.FullControl.All Sites.Selected"
#define SITES_CONTROL "Sites.FullControl.All"

/* Paths of a site, and parameters that name it. */
#define OF_SITE(path)                                                                              \
    GRAPH("/sites/{site-id}" path), GRAPH("/sites/{site-id}:/{site-path*}:" path),                 \
        GRAPH("/groups/{group-id}/sites/{site-id}" path)
#define SITE_PATH_PARAMS                                                                           \
    {.name = "site-id", .place = IN_PATH, .required = true},                                       \
        {.name = "site-path", .place = IN_PATH, .required = true},                                 \
    {                                                                                              \
        .name = "group-id", .place = IN_PATH, .required = true                                     \
    }

#endif
