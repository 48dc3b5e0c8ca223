/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts: the rows behind the dialect, for it and for documents. */
#ifndef SOSIA_MICROSOFT_CONTACT_H
#define SOSIA_MICROSOFT_CONTACT_H

#include "identity/account.h"

struct section;
struct entity;

struct ms_contact {
    int64_t id, account, folder; /* folder 0: the one that everybody has */
    const char *key, *data;
    int64_t change, made_us, changed_us;
};
struct ms_contact_folder {
    int64_t id, account;
    const char *key, *name;
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
int ms_contact_drop(struct tx *tx, int64_t id);
int ms_contact_folder_new(struct tx *tx, struct ms_contact_folder *folder);
int ms_contact_folder_rename(struct tx *tx, int64_t id, const char *name);
/* With the contacts in it. */
int ms_contact_folder_drop(struct tx *tx, int64_t id);

extern const struct dialect contacts_dialect;
extern const struct dialect_tools contacts_tools;
extern const struct sosia_core microsoft_contacts_core;

#endif
