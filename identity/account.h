/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts of actors with vendors. An account owns what its services keep: a mailbox, calendars, a
 * drive, a chat user. Which accounts a person has is said by documents (docs/seed.md); an actor of
 * whom they say nothing has the usual ones. Functions give 1 found, 0 not, -1 with tx->err filled,
 * unless they say otherwise; texts live in the arena.
 */
#ifndef SOSIA_IDENTITY_ACCOUNT_H
#define SOSIA_IDENTITY_ACCOUNT_H

#include "identity/identity.h"

int account_get(struct tx *tx, int64_t id, struct account *ret);
/* By the vendor's id. */
int account_find(struct tx *tx, const char *vendor, const char *tenant, const char *name,
                 struct account *ret);
/* The actor's first account with a vendor for which an id is given: of a tenant, or of any if
 * tenant is NULL. */
int account_of(struct tx *tx, int64_t actor, const char *vendor, const char *tenant,
               struct account *ret);
/* The actor's account with a vendor that has the service: for calls to that vendor whose token
 * names no account. */
int account_at(struct tx *tx, int64_t actor, const char *vendor, enum account_service service,
               struct account *ret);
/* The services of all of the actor's accounts with a vendor, as bits. 0, -1. */
int account_services_with(struct tx *tx, int64_t actor, const char *vendor, unsigned *ret);
/* The vendors with whom the actor has accounts of a service, the oldest account first, each once;
 * at most so many. Their number, -1. */
int account_vendors(struct tx *tx, int64_t actor, enum account_service service, const char **ret,
                    int most);
/* The account to which the actor's address leads for a service: of those that have it the one that
 * is marked so, else one with the vendor that the routing of its domain names, else the first. */
int account_serving(struct tx *tx, const struct actor *actor, enum account_service service,
                    struct account *ret);
/* The same by an address or alias; *ret_actor: whose it is, also where 0 is given because the actor
 * has no such account (its id is 0 if the address is nobody's). */
int account_by_address(struct tx *tx, const char *email, enum account_service service,
                       struct actor *ret_actor, struct account *ret);
/* May an account see when another is busy, as far as their vendors go? Yes for accounts with one
 * vendor; else if the domain of `seen` shows it to the domain of `seeing`. 1, 0, -1. */
int account_sees_busy(struct tx *tx, const struct account *seeing, const char *seeing_email,
                      const struct account *seen, const char *seen_email);

/* The next account with a vendor, in the order of their ids; after 0: the first one. */
int account_next(struct tx *tx, const char *vendor, int64_t after, struct account *ret);

/* Puts an account into the world as it is, and fills its id: one with services gets what they begin
 * with by account_provision(). CONFLICT: the vendor's id is taken. 0, -1. */
int account_put(struct tx *tx, struct account *account);
/* Puts an account into the world and fills its id and services: those that its vendor has. Nothing
 * is made for them. CONFLICT: the vendor's id is taken. 0, -1. */
int account_new(struct tx *tx, struct account *account);
/* Beside an account with a vendor of the same services the usual ones are in dumps as well: who has
 * such a one has no others without a word. 0, -1. */
int account_list_usual(struct tx *tx, const struct account *account);
/* Gives an actor without accounts the usual ones, and makes what its services begin with. 0, -1. */
int account_provision(struct tx *tx, const struct actor *actor);

#endif
