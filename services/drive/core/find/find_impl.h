/* SPDX-License-Identifier: Apache-2.0 */
/* A question that is being answered. Between the files find*.c only. */
#ifndef SOSIA_DRIVE_FIND_IMPL_H
#define SOSIA_DRIVE_FIND_IMPL_H

#include "services/drive/core/drive_impl.h"
#include "services/drive/core/find/find.h"

enum { FIND_DEPTH = 4096 }; /* folders above an item: an imported tree might go round */

struct ids {
    int64_t *list;
    size_t n, room;
};
struct finding {
    struct tx *tx;
    struct drive_finder *f;
    struct drive_mine mine; /* of the item that was asked about last */
    int64_t mine_of;
    bool other_vendors; /* drives of others than the finder's are passed over */
    bool any_gone;      /* something was deleted and has rows yet */
    bool of_folder;     /* the question names the folder that all are in */
    int64_t low, high;  /* all matches were modified from low on, before high */
    struct ids *drives; /* NULL: find_others() has what is in shared drives that somebody is a
                           member of, too; else it puts these drives there */
    struct ids *domain; /* what the viewer's organisation finds; NULL: not asked for yet */
};

/* Fills mine. 0, -1. */
int find_mine(struct finding *g, const struct drive_item *it);
/* 1, 0, -1. */
int find_matches(struct finding *g, const struct find *q, const struct drive_item *it,
                 const struct drive_access *access);
/* Does what an item says of itself, whoever looks, rule it out already? */
bool find_differs(struct finding *g, const struct find *q, const struct drive_item *it);
bool find_name_has(struct arena *a, const char *name, const char *text);

/* ---- find_narrow.c ---- */

void find_add_id(struct arena *a, struct ids *l, int64_t id);
/* Rising, each once. */
void find_sort_ids(struct ids *l);
bool find_has(const struct ids *l, int64_t id); /* of a sorted list */
/* All ids that a statement gives, which is reset. 0, -1. */
int find_take(struct tx *tx, sqlite3_stmt *st, struct ids *l);
/* Looks up the words and names of all terms of the question. names: so many items pay to be taken
 * and sorted; 0: all are needed. */
int find_look_up(struct finding *g, size_t names);
/* Is it cheap to list what includes all matches? */
bool find_narrows(const struct find *q);
/* Few ids that include all matches: 1, 0 the question has no such term, -1. */
int find_narrow(struct finding *g, const struct find *q, struct ids *ret);
/* A term of that kind that all matches have; NULL: there is none. */
const struct find *find_term(const struct find *q, enum find_kind kind);
/* Narrows the times from low up to before high, between which all matches were modified. */
void find_when(const struct find *q, int64_t *low, int64_t *high);
/* The app's data of the viewer; what an address was given, with what is below it; what somebody
 * owns of types that are shown with a text in them. By rising id: 1, 0 that is more than `most`,
 * -1. */
int find_in_app(struct finding *g, size_t most, struct ids *ret);
int find_given(struct finding *g, const char *who, size_t most, struct ids *ret);
int find_typed(struct finding *g, const char *text, int64_t owner, size_t most, struct ids *ret);
/* What others gave, or put into the viewer's folders, with what is below it, and what was opened by
 * a link; of an organisation, what was shared with it to be found. All by rising id.
 * Whether it is still visible is checked later. */
int find_others(struct finding *g, struct ids *ret);
/* What includes all that is in the trash (FIND_TRASHED) or open to an organisation or anyone
 * (FIND_VISIBILITY), of what somebody owns or of a shared drive, by rising id: 1, 0 that is so much
 * that the usual list is as quick, -1. */
int find_marked(struct finding *g, enum find_kind kind, int64_t owner, int64_t drive,
                struct ids *ret);

/* ---- find_order.c ---- */

/* Compares two items in the order of the finder; facts of the viewer's are asked for before. */
struct found {
    struct drive_item it;
    struct drive_access access;
    struct drive_mine mine;
    const char *folded;       /* name, for orders by it */
    int64_t used;             /* bytes, for orders by them */
    int64_t keys[ORDER_KEYS]; /* what the order's keys compare, but for names */
};
enum { ORDER_FOLDERS, ORDER_REST }; /* keys of ORDER_FOLDER */
int find_sort(const struct drive_finder *f, struct found *list, size_t n);
int find_compare(const struct drive_finder *f, const struct found *a, const struct found *b);
/* A sorted list's place behind one of its items, which holds when the item is gone; and how many of
 * a list come up to a place (NULL: the first). Fails with INVALID "position". */
const char *find_place(const struct drive_finder *f, const struct found *list, size_t at);
int find_behind(const struct drive_finder *f, const struct found *list, size_t n,
                const char *position, size_t *ret);
/* What a place is: a number of items, or an item, of which what is compared is filled in. Fails
 * with INVALID "position". */
bool find_counts(const char *position);
int find_read_place(const struct drive_finder *f, const char *position, struct found *ret);

/* ---- find.c ---- */

/* Loads an item and looks at it: 1 it belongs on the list, 0, -1. */
int find_look_at(struct finding *g, int64_t id, struct drive_item *ret,
                 struct drive_access *ret_access);
/* Loads those of a list that belong on it. */
int find_load(struct finding *g, const struct ids *l, struct found **ret, size_t *ret_n);

/* ---- find_name.c ---- */

/* Is it requested in the order of names, with folders apart or not? */
bool find_asks_by_name(const struct drive_finder *f);
/* And is it too long to be sorted for a page of it? */
bool find_is_by_name(const struct drive_finder *f, const char *position);
/* Fills room for `limit` items, and the position behind them. */
int find_by_name(struct finding *g, const char *position, struct drive_item *items,
                 struct drive_access *access, size_t limit, size_t *ret_n,
                 const char **ret_position);

/* ---- find_time.c ---- */

/* Does the order begin with the time of modification, with nothing that narrows? The list is then
 * made as find_by_name() makes its own. */
bool find_is_by_time(const struct drive_finder *f, const char *position);
int find_by_time(struct finding *g, const char *position, struct drive_item *items,
                 struct drive_access *access, size_t limit, size_t *ret_n,
                 const char **ret_position);

#endif
