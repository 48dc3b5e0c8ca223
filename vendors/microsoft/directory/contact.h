/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts: the rows behind the dialect, for it and for documents. */
#ifndef SOSIA_MICROSOFT_CONTACT_H
#define SOSIA_MICROSOFT_CONTACT_H

#include "identity/account.h"

struct section;
struct entity;
struct json_writer;
struct call;
struct graph_user;
struct rows;
struct graph_feed;

struct ms_contact {
    int64_t id, account, folder; /* folder 0: the one that everybody has */
    const char *key, *data;
    int64_t change, made_us, changed_us, made; /* made: the number of the change that made it */
};
struct ms_contact_folder {
    int64_t id, account, parent; /* parent 0: the folder that everybody has */
    const char *key, *name;
    int64_t change, made; /* as a contact's */
};

enum { CONTACTS_MAX = 100000, CONTACT_BYTES = 65536 };

/* 1, 0, -1. */
int ms_contact_get(struct tx *tx, int64_t id, struct ms_contact *ret);
int ms_contact_find(struct tx *tx, int64_t account, const char *key, struct ms_contact *ret);
int ms_contact_folder_find(struct tx *tx, int64_t account, const char *key,
                           struct ms_contact_folder *ret);
int ms_contact_folder_get(struct tx *tx, int64_t id, struct ms_contact_folder *ret);
/* Fill id, and key if it is NULL. 0, -1. */
int ms_contact_new(struct tx *tx, struct ms_contact *contact);
int ms_contact_save(struct tx *tx, struct ms_contact *contact);
int ms_contact_drop(struct tx *tx, const struct ms_contact *contact);
int ms_contact_folder_new(struct tx *tx, struct ms_contact_folder *folder);
int ms_contact_folder_rename(struct tx *tx, struct ms_contact_folder *folder, const char *name);
/* With the folders and the contacts in it. */
int ms_contact_folder_drop(struct tx *tx, int64_t id);

/* contact_write.c: the whole thing, into an open object, in the order of the type's properties. 0,
 * -1.
 */
int ms_contact_write(struct tx *tx, const struct ms_contact *contact, struct json_writer *w);
/* The same of a folder; id 0: the one that everybody has. */
int ms_contact_folder_write(struct tx *tx, const struct ms_contact_folder *folder,
                            struct json_writer *w);
/* Another's contacts are an app's to see. 0, -1. */
int ms_contact_rights(struct call *c, const struct graph_user *u);
/* The folder of a call's path, or of those in it the one that the path names, by its rowid. all:
 * the path names none. 0, -1. */
int ms_contact_folder_of_path(struct call *c, const struct graph_user *u, int64_t *ret,
                              bool *ret_all);
/* The contact of a call's path, which the caller may see, and whose it is. 0, -1. */
int ms_contact_of_path(struct call *c, struct graph_user *u, struct ms_contact *ret);
/* The id of the folder that everybody has: it follows from the account. */
const char *ms_contact_default_key(struct arena *a, int64_t account);
const char *ms_contact_etag(struct arena *a, const struct ms_contact *contact);
/* The folder of an account that a text names, a well-known name or an id; 0 the one that everybody
 * has. 1, 0, -1. */
int ms_contact_folder_named(struct tx *tx, int64_t account, const char *text, int64_t *ret);

/* What is announced of contacts; its scope is an account. */
#define CHANGED_CONTACTS "contacts"
extern const struct graph_feed contacts_feed; /* contact_feed.c */

extern const struct rows contact_photo_rows; /* photos.c */
extern const struct rows contact_delta_rows; /* contact_delta.c */

extern const struct dialect_tools contacts_tools; /* tools.c */
extern const struct dialect contacts_dialect;
extern const struct sosia_core microsoft_contacts_core;

#endif
