/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks, without a vendor. A list is a person's (an account's); a plan is a group's and has
 * buckets. A task is in a list or in a plan, and has notes, steps, links and people who shall do
 * it. Keys are the vendor's ids. Functions give 1 found, 0 not, -1 with tx->err filled, unless they
 * say otherwise; those without a find give 0 or -1. Texts live in the arena.
 */
#ifndef SOSIA_TASKS_H
#define SOSIA_TASKS_H

#include "identity/account.h"

#define TASKS_CORE "tasks"
/* Events: scope is an account, entity a list or a task; of plans the scope is the plan. */
#define TASK_LIST_CHANGED "tasks.lists"
#define TASK_CHANGED      "tasks.tasks"
#define TASK_PLAN_CHANGED "tasks.plans"

struct stored;
struct form_in;
extern const struct sosia_core tasks_core;
extern struct stored task_list_stored, task_plan_stored, task_bucket_stored, task_stored;

enum {
    TASK_TITLE_MAX = 255,     /* characters */
    TASK_NOTES_MAX = 1 << 17, /* bytes */
    TASK_PRIORITY_USUAL = 5,
    TASK_KEPT_MAX = 1 << 17, /* bytes */
    TASK_LISTS_MAX = 1000,
    TASK_LIST_TASKS_MAX = 100000
};

/* The actor's account that has lists: with that vendor, NULL: with the first that has them. */
int task_account(struct tx *tx, int64_t actor, const char *vendor, struct account *ret);

/* ---- lists ---- */

enum task_list_kind { TASK_LIST_OWN, TASK_LIST_USUAL, TASK_LIST_FLAGGED };
struct task_list {
    int64_t id, account;
    const char *key, *name;
    int kind; /* enum task_list_kind */
    int64_t made_us, change, made;
    const char
        *kept; /* a JSON object of what programs keep with it, by their names; NULL: nothing */
};
int task_list_get(struct tx *tx, int64_t id, struct task_list *ret);
int task_list_find(struct tx *tx, int64_t account, const char *key, struct task_list *ret);
/* The one that everybody has, of that kind; id 0 and its key where it is not written yet: 1, -1. */
int task_list_usual(struct tx *tx, int64_t account, enum task_list_kind kind,
                    struct task_list *ret);
/* The next list of the account behind an id, in the order in which they came. */
int task_list_next(struct tx *tx, int64_t account, int64_t after, struct task_list *ret);
/* Puts it into the world and fills what is 0 or NULL; writes down a usual one that was not yet. */
int task_list_add(struct tx *tx, struct task_list *list);
/* Its name, or what programs keep with it, has changed. */
int task_list_save(struct tx *tx, struct task_list *list);
/* With its tasks. */
int task_list_drop(struct tx *tx, const struct task_list *list);
/* How many lists an account has, and how many tasks a list has; -1. */
int64_t task_list_count(struct tx *tx, int64_t account);
int64_t task_count(struct tx *tx, int64_t list);

/* ---- plans and buckets ---- */

struct task_plan {
    int64_t id;
    const char *key;
    int64_t team; /* a group of addresses (identity.h) */
    const char *title;
    int64_t creator, made_us;
    const char *app;             /* the client id of the app that made it; NULL: none */
    const char *labels, *shared; /* JSON objects; NULL: none */
    int64_t version, detail_version;
};
struct task_bucket {
    int64_t id;
    const char *key;
    int64_t plan;
    const char *name, *place;
    int64_t version;
};
int task_plan_get(struct tx *tx, int64_t id, struct task_plan *ret);
int task_plan_find(struct tx *tx, const char *key, struct task_plan *ret);
/* The next plan behind an id; team 0: of any group. */
int task_plan_next(struct tx *tx, int64_t team, int64_t after, struct task_plan *ret);
int task_plan_add(struct tx *tx, struct task_plan *plan);
/* details: labels or people have changed, else what the plan itself says. Its version is one
 * more. */
int task_plan_save(struct tx *tx, struct task_plan *plan, bool details);
/* With buckets and tasks. */
int task_plan_drop(struct tx *tx, const struct task_plan *plan);
int task_bucket_get(struct tx *tx, int64_t id, struct task_bucket *ret);
int task_bucket_find(struct tx *tx, const char *key, struct task_bucket *ret);
/* The next one by order: behind one, or the first (NULL). */
int task_bucket_next(struct tx *tx, int64_t plan, const struct task_bucket *after,
                     struct task_bucket *ret);
int task_bucket_add(struct tx *tx, struct task_bucket *bucket);
int task_bucket_save(struct tx *tx, struct task_bucket *bucket);
/* With the tasks in it. */
int task_bucket_drop(struct tx *tx, const struct task_bucket *bucket);
/* The least place of its buckets or its tasks; "" where there are none. 0, -1. */
int task_plan_first(struct tx *tx, int64_t plan, bool buckets, const char **ret);
/* A place in front of all of them, as the vendor makes one for things that come now. NULL: failed.
 */
const char *task_plan_front(struct tx *tx, int64_t plan, bool buckets);
/* How many buckets and tasks a plan has. */
int task_plan_counts(struct tx *tx, int64_t plan, int64_t *ret_buckets, int64_t *ret_tasks);

/* ---- tasks ---- */

enum task_status {
    TASK_NOT_STARTED,
    TASK_IN_PROGRESS,
    TASK_COMPLETED,
    TASK_WAITING,
    TASK_DEFERRED
};
enum task_preview {
    TASK_PREVIEW_AUTOMATIC,
    TASK_PREVIEW_NONE,
    TASK_PREVIEW_ITEMS,
    TASK_PREVIEW_NOTES,
    TASK_PREVIEW_LINK
};
struct task_item {
    int64_t id, task;
    const char *key, *title;
    int64_t done_us; /* 0: it is not done */
    const char *place;
    int64_t made_us, changed_us, changer;
};
struct task_link {
    int64_t id, task;
    const char *key, *url, *title, *app, *external, *kind, *place; /* url to kind: NULL: none */
    int64_t changed_us, changer;
};
struct task_file {
    int64_t id, task;
    const char *key, *name, *type, *content; /* content: base64; NULL where it was not read */
    int64_t size, changed_us;
};
struct task_assignment {
    int64_t id, task, actor, assigner, at_us;
    const char *app, *place, *board; /* NULL: none, but for the place */
};
struct task {
    int64_t id;
    const char *key;
    int64_t list, plan, bucket; /* 0: none */
    const char *title, *notes;
    int notes_type; /* 0 text, 1 html */
    int64_t notes_us;
    int status;                            /* enum task_status */
    int percent;                           /* 100: completed, and only then */
    int priority;                          /* 0 to 10 */
    int64_t start_us, due_us, reminder_us; /* 0: none */
    bool reminds;
    int64_t completed_us, completer;
    const char *recurrence; /* NULL: none */
    int64_t recurs_us;      /* where it begins */
    const char *zone;       /* of the recurrence; NULL: UTC */
    const char *labels;     /* a JSON array; NULL: none */
    const char *kept;       /* as of a list */
    int preview;            /* enum task_preview */
    const char *thread, *app;
    const char *place, *own_place; /* in its plan; among what a person does, NULL: not said */
    int64_t creator, made_us, changed_us, change, made, version, detail_version;
    /* Of documents; not filled by those who find a task. */
    struct task_item *items;
    struct task_link *links;
    struct task_file *files;
    struct task_assignment *assignments;
    int n_items, n_links, n_files, n_assignments;
};
int task_get(struct tx *tx, int64_t id, struct task *ret);
int task_find(struct tx *tx, const char *key, struct task *ret);
/* The next task behind an id, of a list, of a plan, of a bucket; of what a person shall do. */
int task_next(struct tx *tx, int64_t list, int64_t after, struct task *ret);
int task_next_planned(struct tx *tx, int64_t plan, int64_t after, struct task *ret);
int task_next_in(struct tx *tx, int64_t bucket, int64_t after, struct task *ret);
int task_next_assigned(struct tx *tx, int64_t actor, int64_t after, struct task *ret);
/* The ids of a list's tasks, the newest first, in the arena. 0, -1. */
int task_ids(struct tx *tx, int64_t list, int64_t **ret, size_t *ret_n);
/* Puts it into the world, and what it has; fills what is 0 or NULL. */
int task_add(struct tx *tx, struct task *task);
enum task_part { TASK_ITSELF = 1, TASK_DETAILS = 2 };
/* All of it but steps, links and people. parts: what has changed, by whose versions. */
int task_save(struct tx *tx, struct task *task, unsigned parts);
int task_drop(struct tx *tx, const struct task *task);
/* Sets status and percent, and who completed it when. */
void task_set_status(struct tx *tx, struct task *task, enum task_status status);
void task_set_percent(struct tx *tx, struct task *task, int percent);
/* Of one that was just completed and recurs: the next one is made, and this one recurs no more.
 * *ret_next: id 0 where there is none. 0, -1. */
int task_recur(struct tx *tx, struct task *task, struct task *ret_next);

/* Steps, links and people of a task, in order. In the arena. 0, -1. */
int task_items(struct tx *tx, int64_t task, struct task_item **ret, size_t *ret_n);
int task_links(struct tx *tx, int64_t task, struct task_link **ret, size_t *ret_n);
int task_assignments(struct tx *tx, int64_t task, struct task_assignment **ret, size_t *ret_n);
/* One of them, by its key; or by the person. */
int task_item_find(struct tx *tx, int64_t task, const char *key, struct task_item *ret);
int task_link_find(struct tx *tx, int64_t task, const char *key, struct task_link *ret);
int task_assignment_find(struct tx *tx, int64_t task, int64_t actor, struct task_assignment *ret);
/* Writes one: a new one (id 0), or over the old one. The task itself is the caller's to save. */
int task_item_put(struct tx *tx, struct task_item *item);
int task_link_put(struct tx *tx, struct task_link *link);
int task_assignment_put(struct tx *tx, struct task_assignment *assignment);
int task_item_drop(struct tx *tx, int64_t id);
int task_link_drop(struct tx *tx, int64_t id);
int task_assignment_drop(struct tx *tx, int64_t id);

/* Files of a task, in the order in which they came, with their content; one by its key: 1, 0, -1;
 * how many there are. */
#define TASK_FILE_MAX (INT64_C(25) << 20) /* bytes of one */
int task_files(struct tx *tx, int64_t task, struct task_file **ret, size_t *ret_n);
int task_file_find(struct tx *tx, int64_t task, const char *key, struct task_file *ret);
int task_file_count(struct tx *tx, int64_t task, int64_t *ret);
/* A new one; fills id, key, size (of the content) and changed_us. The task itself is the caller's
 * to save. 0, -1: INVALID "content": it is not base64. */
int task_file_add(struct tx *tx, struct task_file *file);
int task_file_drop(struct tx *tx, int64_t id);

/* ---- boards ---- */

enum task_board_kind { TASK_BOARD_PEOPLE, TASK_BOARD_BUCKETS, TASK_BOARD_PROGRESS };
struct task_board {
    int64_t id, task;
    int kind;
    const char *place;
    int64_t version;
};
/* Where it is; version 1 and the place of the task where nobody said. 0, -1. */
int task_board_get(struct tx *tx, const struct task *task, enum task_board_kind kind,
                   struct task_board *ret);
int task_board_put(struct tx *tx, struct task_board *board);

/* ---- order ---- */

/* A place between two others ("" of either: the first, the last), byte by byte; both of the
 * characters from '"' to '~', the first before the second. In the arena. */
const char *task_place_between(struct arena *a, const char *before, const char *after);

/* ---- changes ---- */

/* The number of the last change of an account's lists and tasks so far. 0, -1. */
int task_last_change(struct tx *tx, int64_t account, int64_t *ret);
struct task_change {
    int64_t id; /* 0: it is gone */
    int64_t change, made;
    const char *key;
};
/* What changed next behind a number: a list (list 0), or a task of that list; live: nothing that is
 * gone. */
int task_next_change(struct tx *tx, int64_t account, int64_t list, int64_t after, bool live,
                     struct task_change *ret);

#endif
