/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids of what is in mailboxes: messages, events, calendars, folders (MG-360 to 364). An id names
 * the mailbox, the folder's and the item's number in it, so that ids of two mailboxes never are the
 * same; a change key is the store and a counter. The folders' numbers are the service's own.
 */
#ifndef SOSIA_MICROSOFT_STORE_ID_H
#define SOSIA_MICROSOFT_STORE_ID_H

#include "engine/base/arena.h"
#include <stdbool.h>
#include <stdint.h>

enum graph_folder_number {
    STORE_CALENDARS = 0x0106,
    STORE_CALENDAR_GROUPS = 0x0104,
    STORE_EVENTS = 0x010d,
    STORE_ATTACHMENTS = 0x0112
};

struct graph_store {
    char mailbox[37]; /* a GUID, as text */
    uint8_t provider[16], replica[16];
};
/* That of an account, which its address and tenant name. */
void graph_store_of(struct arena *a, const char *tenant, const char *address,
                    struct graph_store *ret);

struct graph_item {
    int64_t folder, item;
    bool occurrence;
    int64_t day; /* of an occurrence: days since 1970 */
};
/* In the arena. */
const char *graph_item_id(struct arena *a, const struct graph_store *s,
                          const struct graph_item *item);
/* 1; 0: an id of another mailbox; -1: no id. Both alphabets of base64 are read. */
int graph_item_read(const struct graph_store *s, const char *id, struct graph_item *ret);
/* The id inside a webLink: the standard alphabet, percent-encoded. */
const char *graph_item_linked(struct arena *a, const char *id);
/* 22 bytes as base64. */
const char *graph_change_key(struct arena *a, const struct graph_store *s, int64_t change);

#endif
