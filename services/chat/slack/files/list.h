/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: files with columns and items, exported by the clock. Cells are JSON, which the dialect
 * makes and reads. */
#ifndef SOSIA_CHAT_LIST_H
#define SOSIA_CHAT_LIST_H

#include "services/chat/slack/files/document.h"

#define CHAT_LIST_ITEMS   1000 /* of a list */
#define CHAT_LIST_COLUMNS 100
#define CHAT_EXPORT_US    2000000 /* until an export is there */

struct chat_list {
    int64_t workspace; /* of the file, where documents are read and written */
    int64_t file;
    const char *description; /* JSON: blocks; NULL: none */
    const char *columns;     /* JSON: [{id, key, name, type, primary, options}] */
    const char *subtask;     /* id of the column that items below others have */
    bool todo;
};
int chat_list_get(struct tx *tx, int64_t file, struct chat_list *ret);
int chat_list_add(struct tx *tx, const struct chat_list *l);
int chat_list_save(struct tx *tx, const struct chat_list *l);
/* Takes away a list with its items and exports. */
int chat_list_gone(struct tx *tx, int64_t file);

enum chat_item_state { CHAT_ITEM_THERE, CHAT_ITEM_ARCHIVED, CHAT_ITEM_DELETED };

struct chat_item {
    int64_t workspace; /* where names of documents are looked for; no column has it */
    int64_t id, list;
    const char *key;
    int64_t parent;     /* 0: none */
    int64_t place;      /* in the order in which they came */
    const char *fields; /* JSON: [{column, values}] */
    enum chat_item_state state;
    int64_t created_s, created_by, updated_s, updated_by;
};
int chat_item_get(struct tx *tx, int64_t id, struct chat_item *ret);
int chat_item_find(struct tx *tx, int64_t list, const char *key, struct chat_item *ret);
/* Fills id, place and, if it is NULL, key. */
int chat_item_add(struct tx *tx, struct chat_item *i);
int chat_item_save(struct tx *tx, const struct chat_item *i);
struct chat_items_ask {
    int64_t list, parent; /* parent 0: any */
    enum chat_item_state state;
    int64_t last; /* place; those behind it are left out; 0: none is */
    bool ascending;
};
/* The last first unless ascending; fn gives non-zero to stop. */
int chat_items(struct tx *tx, const struct chat_items_ask *ask,
               int (*fn)(void *arg, const struct chat_item *i), void *arg);
int chat_items_count(struct tx *tx, int64_t list, enum chat_item_state state, int64_t *ret);

struct chat_export {
    int64_t id, list, at_us;
    const char *key;
    bool archived; /* with items that are archived */
};
int chat_export_add(struct tx *tx, struct chat_export *e);
int chat_export_find(struct tx *tx, int64_t list, const char *key, struct chat_export *ret);
/* The last one of a list that is there by now. */
int chat_export_last(struct tx *tx, int64_t list, struct chat_export *ret);

/* Two or three letters and ten digits or capitals. NULL: failed. */
const char *chat_long_key(struct tx *tx, const char *letters);
/* "Col" and ten digits or capitals, that no column of another list has; list: its file's key. */
const char *chat_column_key(struct tx *tx, const char *list);

#endif
