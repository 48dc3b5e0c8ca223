/* SPDX-License-Identifier: Apache-2.0 */
/* Items, grants and documents in a world of drive_vendors.h, for tests that ask one thing each. In
 * documents ' is written for ". */
#ifndef SOSIA_TESTS_DRIVE_WORLD_H
#define SOSIA_TESTS_DRIVE_WORLD_H

#include "engine/json/json.h"
#include "services/drive/core/access/share.h"
#include "tests/services/drive/core/drive_vendors.h"

/* It gave 0, as what has nothing else to say. */
void done(int r);

/* ---- items ---- */

/* One that is not stored: its folder's owner has it. */
struct drive_item item_in(const struct drive_item *folder, enum drive_form form, const char *name);
/* The same, stored. */
struct drive_item add_in(const struct drive_item *folder, enum drive_form form, const char *name);
struct drive_item add_of(const struct drive_item *folder, enum drive_form form, const char *name,
                         const struct actor *owner);
/* As it is now; by its key. The test fails without. */
struct drive_item again(const struct drive_item *it);
struct drive_item item_by(const char *key);
/* A shared drive that an actor made (NULL: nobody). */
struct drive_item shared_by(const struct actor *creator, const char *name);
/* Runs a statement on the world's tables. */
void run_sql(const char *sql);
/* A number that a question to the world's tables gives. */
int64_t asked(const char *sql);

/* ---- who may do what ---- */

/* Grants it at the item, which is read anew. */
void give(struct drive_item *it, enum drive_grantee kind, const char *who, enum drive_role role,
          bool lowers);
/* What somebody has at an item as it is now. */
struct drive_access access_of(const struct actor *who, const struct drive_item *it);
enum drive_role role_of(const struct actor *who, const struct drive_item *it);
/* An item's share of somebody; NULL: there is none. *ret_n (NULL: not asked for): how many it has.
 */
struct drive_share *share_of(const struct drive_item *it, enum drive_grantee kind, const char *who,
                             size_t *ret_n);
/* What the item is to somebody. */
struct drive_mine mine_of(const struct drive_item *it, const struct actor *who);

/* ---- documents: no transaction is open meanwhile ---- */

/* A world of people, a group, an app and these sections; *ret: its dump, which a world of the dump
 * has as well. "" or why it is refused, which lives until the next call. */
const char *made_of(const char *sections, const struct json **ret);
/* The same, which must be made. */
const struct json *dump_of(const char *sections);
/* The entry of a list ("files") of a dump with an id; fails without. */
const struct json *entry(const struct json *dump, const char *list, const char *id);
/* What an entry's member is, as JSON with ' for "; "" it has none. */
const char *said(const struct json *entry, const char *member);
/* What a document with one file of Ada's, named x with the id doc!x, says of it in its dump. */
const struct json *file_of(const char *members);
/* Why such a document is refused; "" it is not. */
const char *why_not(const char *members);
/* Applies these sections to the test world. */
void seed_more(const char *sections);
/* What an import of the test world changed by the statement has as its dump; refused: why. */
const char *import_of(const char *sql, const struct json **ret);

int close_world(void **state);

#define BOTH(test)                                                                                 \
    {#test " (loose)", test, open_world, close_world, (void *)(uintptr_t)&loose},                  \
    {                                                                                              \
#test " (strict)", test, open_world, close_world, (void *)(uintptr_t)&strict               \
    }
#define ONE(test, of)                                                                              \
    {                                                                                              \
#test, test, open_world, close_world, (void *)(uintptr_t)&of                               \
    }

#endif
