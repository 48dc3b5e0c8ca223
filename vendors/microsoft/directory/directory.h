/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directory: tenants, their users, and the apps that they know. A user is an account of
 * Microsoft's (identity/account.h) with what the directory says of it. Functions give 1 found, 0
 * not, -1 with tx->err filled, unless they say otherwise; texts live in the arena.
 */
#ifndef SOSIA_MICROSOFT_DIRECTORY_H
#define SOSIA_MICROSOFT_DIRECTORY_H

#include "identity/account.h"
#include "identity/app.h"

struct call;

extern const struct sosia_core microsoft_core;

/* The tenant of all consumers' accounts. */
#define MS_CONSUMERS "9188040d-6c67-4c5b-b112-36a304b66dad"

/* ---- tenants ---- */

struct ms_tenant {
    int64_t id;
    const char *guid, *domain, *initial, *name, *country;
    bool consumer, listed;
};
int ms_tenant_get(struct tx *tx, int64_t id, struct ms_tenant *ret);
/* When its first user came, microseconds since 1970; 0: none has. 0, -1. */
int ms_tenant_made(struct tx *tx, int64_t id, int64_t *ret_us);
/* By its id or one of its domains, in any case. */
int ms_tenant_find(struct tx *tx, const char *text, struct ms_tenant *ret);
/* That of a domain, which is made if there is none. 0, -1. */
int ms_tenant_of_domain(struct tx *tx, const char *domain, struct ms_tenant *ret);
/* Puts it into the world and fills its id; guid and initial NULL: made of the domain. 0, -1;
 * CONFLICT: its id or a domain is another's. */
int ms_tenant_new(struct tx *tx, struct ms_tenant *tenant);
int ms_tenant_save(struct tx *tx, const struct ms_tenant *tenant);

/* ---- users ---- */

struct ms_user {
    int64_t id, account, actor, tenant, manager;
    const char *oid, *upn, *mail;
    const char *name; /* NULL: the actor's */
    const char *given, *surname, *job, *department, *office, *company, *employee, *mobile;
    const char *phones, *licenses; /* JSON arrays */
    const char *language, *usage, *password;
    const char *street, *city, *state, *postal, *country;
    int64_t sessions_us; /* since when sessions are good; 0: since it was made */
    bool guest, enabled, admin, listed, deleted;
    int64_t made_us, change;
};
int ms_user_get(struct tx *tx, int64_t id, struct ms_user *ret);
int ms_user_of_account(struct tx *tx, int64_t account, struct ms_user *ret);
/* Of an actor: that of the tenant, or the first one (tenant 0). */
int ms_user_of_actor(struct tx *tx, int64_t actor, int64_t tenant, struct ms_user *ret);
/* By object id, user principal name, address or alias, of those that were not deleted; tenant 0:
 * any. */
int ms_user_find(struct tx *tx, const char *text, int64_t tenant, struct ms_user *ret);
/* Of a consumers' tenant, by the last 16 digits of the object id. */
int ms_user_of_consumer(struct tx *tx, const char *digits, struct ms_user *ret);
/* By a pattern of the user principal name, in which _ is any one character: the next one of a
 * tenant behind an id. 1, 0, -1. */
int ms_user_like(struct tx *tx, int64_t tenant, const char *pattern, int64_t after,
                 struct ms_user *ret);
/* The user that an account is, with what is usual; makes its tenant too. */
int ms_user_usual(struct tx *tx, const struct account *account, const struct actor *actor,
                  struct ms_user *ret);
/* "ada_port.example#ext#@acme.onmicrosoft.com": the principal name of who is a guest by that
 * account, with four digits where another one has it. 0, -1. */
int ms_guest_name(struct tx *tx, const char *email, const struct ms_tenant *tenant, int64_t account,
                  const char **ret);
int ms_user_new(struct tx *tx, struct ms_user *user);
int ms_user_save(struct tx *tx, struct ms_user *user);
/* Accounts that have come since get their users. 0, -1. */
int ms_users_complete(struct tx *tx);

/* ---- changes ---- */

/* Kinds of events, whose scope is a tenant (feed.c). */
#define CHANGED_USERS  "directory.users"
#define CHANGED_GROUPS "directory.groups"

/* The number of the next one. 0, -1. */
int ms_change_next(struct tx *tx, int64_t *ret);
/* Something is not there any more; kind: "user", "group". */
int ms_gone_add(struct tx *tx, int64_t tenant, const char *kind, const char *oid);

/* ---- groups ---- */

struct ms_group {
    int64_t id, addresses, tenant;
    const char *oid, *email, *name, *description, *visibility;
    const char *nickname;                          /* NULL: its address has it */
    const char *classification, *language, *theme; /* NULL: none */
    bool unified, security, mail, listed;
    bool outsiders, subscribes, unlisted, unshown; /* of one of Microsoft 365 */
    int64_t made_us, change;
};
int ms_group_get(struct tx *tx, int64_t id, struct ms_group *ret);
/* By object id, or by its address. */
int ms_group_find(struct tx *tx, const char *text, int64_t tenant, struct ms_group *ret);
int ms_group_of(struct tx *tx, int64_t addresses, struct ms_group *ret);
/* The caller's tenant, and its group that the path's {group-id} says, which has a mailbox: 0, -1
 * refused. */
int ms_group_of_path(struct call *c, struct ms_tenant *tenant, struct ms_group *ret);
/* The next group of the tenant behind an id. */
int ms_group_next(struct tx *tx, int64_t tenant, int64_t after, struct ms_group *ret);
/* Puts it into the world, with a group of addresses if it has none yet, and fills its id. */
int ms_group_new(struct tx *tx, struct ms_group *group);
int ms_group_save(struct tx *tx, struct ms_group *group);
int ms_group_drop(struct tx *tx, const struct ms_group *group);
/* Groups of addresses of tenants' domains are theirs. 0, -1. */
int ms_groups_complete(struct tx *tx);
/* An owner more, or one less. 1 done, 0 it was so, -1. */
int ms_owner_add(struct tx *tx, int64_t group, int64_t user);
int ms_owner_drop(struct tx *tx, int64_t group, int64_t user);
int ms_owner_is(struct tx *tx, int64_t group, int64_t user);
/* The address under which a user is in groups. */
int ms_user_address(struct tx *tx, const struct ms_user *user, const char **ret);

/* ---- teams ---- */

/* What the dialect of teams lays down as a policy (struct core_policy) of this name, so that groups
 * and their teams agree; an engine may lack it. */
#define GRAPH_TEAM "graph.team"
struct graph_team {
    /* Is the group a team? 1, 0, -1. */
    int (*is)(struct tx *tx, const struct ms_group *group);
    /* Its name, description, members or owners have changed; it goes. 0, -1. */
    int (*changed)(struct tx *tx, const struct ms_group *group);
    int (*gone)(struct tx *tx, const struct ms_group *group);
};
/* What dialects keep of groups, as policies of this name: a group goes. 0, -1. */
#define GRAPH_GROUP_HELD "graph.group"
struct graph_group_held {
    int (*gone)(struct tx *tx, const struct ms_group *group);
};
/* The same, where there is such a dialect. */
int ms_group_is_team(struct tx *tx, const struct ms_group *group);
int ms_group_followed(struct tx *tx, const struct ms_group *group);

/* ---- apps ---- */

struct ms_app {
    int64_t id, app, tenant;
    const char *oid, *delegated, *application;
};
int ms_app_get(struct tx *tx, int64_t id, struct ms_app *ret);
/* As a tenant has it; tenant 0: the first one that does. */
int ms_app_find(struct tx *tx, int64_t app, int64_t tenant, struct ms_app *ret);
/* The tenant has agreed to it: delegated and application scopes are added to those that it has. 0,
 * -1. */
int ms_app_agree(struct tx *tx, const struct ident_app *app, const struct ms_tenant *tenant,
                 const char *delegated, const char *application);

#endif
