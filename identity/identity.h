/* SPDX-License-Identifier: Apache-2.0 */
/* Who there is in a world: organisations, actors (people, bots, apps, service accounts, rooms),
 * groups. */
#ifndef SOSIA_IDENTITY_H
#define SOSIA_IDENTITY_H

#include "engine/http/principal.h"

struct doc;
struct sosia_core;

/* 1 found, 0 not, -1 failed. Texts live in the arena. By e-mail: aliases are followed, case does
 * not matter. */
int actor_by_id(struct tx *tx, int64_t id, struct actor *ret);
int actor_by_email(struct tx *tx, const char *email, struct actor *ret);
/* By what a document or a caller names it: its handle, its address or an alias. */
int actor_find(struct tx *tx, const char *name, struct actor *ret);
/* Puts an actor into the world with its usual accounts (identity/account.h) and fills its id;
 * address "" and organisation 0: none. CONFLICT: the handle or the address is taken. */
int actor_new(struct tx *tx, struct actor *actor);
/* The same without accounts: who makes it gives it some, and calls account_provision(). */
int actor_put(struct tx *tx, struct actor *actor);
/* The person that was made first, of those with an address if there are any; the first one whose
 * handle is behind `after`. */
int actor_first_person(struct tx *tx, struct actor *ret);
int actor_next_person(struct tx *tx, const char *after, struct actor *ret);
/* Writes those behind the id `after` as an array of objects; limit 0: all. 0, -1. */
int actor_list(struct tx *tx, int64_t after, int limit, struct json_writer *w);
/* Replaces an address (in normal form) that is an alias by its owner's. 0, -1. */
int alias_open(struct tx *tx, const char **email);
/* Is the address in an organisation of this world? */
int identity_is_local(struct tx *tx, const char *email);
/* Is it one that nobody of this world has: no actor, also by what is before a '+', and no group, or
 * a group with such a member? 1, 0, -1; 0 of what is not an address. */
int identity_is_outside(struct tx *tx, const char *email);
/* Domain of an address: behind the last '@'; "" without one. */
const char *email_domain(const char *email);
/* Lower-cased copy in the arena; NULL if it is not an address (one '@' with text on both sides, no
 * whitespace, controls, ',', '<', '>' or '"', at most 254 bytes). */
char *email_normal(struct arena *a, const char *text);
/* The same of a domain: at most 253 bytes, no whitespace, controls, '@', '/' or ':'. */
char *domain_normal(struct arena *a, const char *text);

struct group {
    int64_t id;
    const char *email, *name;
};
/* 1 found, 0 not, -1; any case of the address. */
int group_by_email(struct tx *tx, const char *email, struct group *ret);
int group_by_id(struct tx *tx, int64_t id, struct group *ret);
/* The first one behind an id; after 0: the first. */
int group_next(struct tx *tx, int64_t after, struct group *ret);
/* Of the groups that have the address as a member by itself, the first one behind an id. */
int group_next_with(struct tx *tx, const char *email, int64_t after, struct group *ret);
/* The first address of those that are members by themselves, behind one in the order of texts. */
int group_next_member(struct tx *tx, int64_t group, const char *after, const char **ret);
/* A new one. 0, -1; CONFLICT: the address is taken, by an actor too. */
int group_new(struct tx *tx, const char *email, const char *name, int64_t *ret);
int group_rename(struct tx *tx, int64_t id, const char *name);
int group_drop(struct tx *tx, int64_t id);
/* A member more, or one less. 1 done, 0 it was so, -1. */
int group_add_member(struct tx *tx, int64_t group, const char *email);
int group_drop_member(struct tx *tx, int64_t group, const char *email);
/* Calls fn for each member address, nested groups opened (each once); stops when fn gives non-zero.
 */
int group_each_member(struct tx *tx, int64_t group, int (*fn)(void *arg, const char *email),
                      void *arg);
/* The same for the groups in it, at any depth; of groups in a circle itself, too. */
int group_each_inner(struct tx *tx, int64_t group, int (*fn)(void *arg, const char *email),
                     void *arg);
/* Does what is sent to its address come to its members? 1, 0 (nobody has the address), -1. */
int group_takes_mail(struct tx *tx, const struct group *group);
/* What vendors know of groups: records of policies (struct core_policy) for this name. */
#define IDENT_GROUPS "identity.groups"
struct ident_groups {
    /* Of group_takes_mail(); 1 of one that isn't the vendor's. */
    int (*takes_mail)(struct tx *tx, const struct group *group);
};
/* Is the address a member, directly or through nested groups? 1, 0, -1. */
int group_has_member(struct tx *tx, int64_t group, const char *email);

/* The actor that a member of a seed document names; id 0 if it may be absent and is. */
/* Actors by their handles or addresses, shown by their handles: for tables of members. */
extern const struct reference actor_reference;
int ident_doc_actor(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                    bool required, struct actor *ret);

extern const struct sosia_core identity_core;

#endif
