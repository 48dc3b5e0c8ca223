/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of flagged mail: its tasks are a person's messages with a flag (vendors/microsoft/
 * flagged.h). A task's id follows from the message, and says which one it is; what the flag says
 * and what the task says follow each other. Tasks that were put into the list are as in any other.
 */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/world/event.h"
#include "services/tasks/todo/flagged.h"
#include "vendors/microsoft/flagged.h"

#define APP "Outlook" /* as links name it */
enum { HASHES = 6, KEY_BYTES = 8, ID_BYTES = 111 };

static const struct graph_flags *flags_of(const struct tx *tx)
{
    return core_policy_nth(tx, GRAPH_FLAGGED, 0);
}

/* ---- ids ---- */

/* What ids of an account's flagged messages begin with; the bytes behind stay. 0, -1. */
static int put_head(struct tx *tx, int64_t account, uint8_t bytes[ID_BYTES])
{
    struct ms_user user;
    if (ms_user_of_account(tx, account, &user) < 0)
        return -1;
    const char *oid = user.oid ? user.oid : arena_printf(tx->arena, "%lld", (long long)account);
    for (int i = 0; i < HASHES; i++)
        graph_guid_bytes("todo.message", arena_printf(tx->arena, "%s %d", oid, i), bytes + 16 * i);
    return 0;
}

static const char *id_of(struct tx *tx, int64_t account, int64_t key)
{
    uint8_t bytes[ID_BYTES] = {0};
    struct buf b;
    if (put_head(tx, account, bytes) < 0)
        return NULL;
    for (int i = 0; i < KEY_BYTES; i++)
        bytes[ID_BYTES - 1 - i] = (uint8_t)((uint64_t)key >> 8 * i);
    buf_init(&b, 0);
    buf_puts(&b, "AAMk");
    base64url_add(&b, bytes, ID_BYTES, false);
    const char *id = buf_failed(&b) ? NULL : arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return id;
}

/* The key of the message that a task is: 1; 0: it is none; -1. */
static int message_of(struct tx *tx, int64_t account, const struct task *t, int64_t *ret)
{
    const size_t n_text = strlen(t->key);
    uint8_t head[ID_BYTES] = {0}, *bytes;
    uint64_t key = 0;
    size_t n;
    if (n_text != 4 + ID_BYTES / 3 * 4 ||
        base64_decode(tx->arena, t->key + 4, n_text - 4, &bytes, &n) < 0 || n != ID_BYTES)
        return 0;
    if (put_head(tx, account, head) < 0)
        return -1;
    if (memcmp(head, bytes, ID_BYTES - KEY_BYTES) != 0)
        return 0;
    for (int i = ID_BYTES - KEY_BYTES; i < ID_BYTES; i++)
        key = key << 8 | bytes[i];
    *ret = (int64_t)key;
    return 1;
}

/* ---- from mail ---- */

/* What the flag says. True: the task said something else. */
static bool take_flag(struct tx *tx, const struct graph_flagged *f, struct task *t)
{
    const bool done = t->status == TASK_COMPLETED;
    bool other = done != f->complete || t->start_us != f->start_us || t->due_us != f->due_us;
    t->start_us = f->start_us;
    t->due_us = f->due_us;
    if (done != f->complete)
        task_set_status(tx, t, f->complete ? TASK_COMPLETED : TASK_NOT_STARTED);
    if (f->complete && f->done_us && t->completed_us != f->done_us) {
        t->completed_us = f->done_us;
        other = true;
    }
    return other;
}

/* Its subject, as far as a title is long; without one as Outlook shows it. */
static const char *title_of(struct arena *a, const char *subject)
{
    if (!*subject)
        return "(No subject)";
    const size_t n = utf8_truncate(subject, strlen(subject), TASK_TITLE_MAX);
    char *title = arena_alloc(a, n + 1);
    memcpy(title, subject, n);
    title[n] = 0;
    return title;
}

static int add_task(struct tx *tx, const struct task_list *list, const char *id,
                    const struct graph_flagged *f)
{
    static const int priorities[] = {9, TASK_PRIORITY_USUAL, 1};
    struct arena *a = tx->arena;
    struct account account;
    struct task_link link = {.url = f->web_url, .title = f->subject, .app = APP, .external = f->id};
    struct task t = {.key = id,
                     .list = list->id,
                     .title = title_of(a, f->subject),
                     .notes = "",
                     .priority = priorities[f->importance + 1],
                     .links = &link,
                     .n_links = 1};
    if (account_get(tx, list->account, &account) != 1)
        return -1;
    t.creator = account.actor;
    take_flag(tx, f, &t);
    return task_add(tx, &t);
}

/* The message may be in another folder now, which its id says. */
static int renew_link(struct tx *tx, struct task *t, const struct graph_flagged *f)
{
    struct task_link *links;
    size_t n;
    if (task_links(tx, t->id, &links, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (!str_same(links[i].app, APP) || !links[i].url || !links[i].external ||
            strcmp(links[i].external, f->id) == 0)
            continue;
        links[i].url = f->web_url;
        links[i].external = f->id;
        return task_link_put(tx, &links[i]) < 0 ? -1 : 1;
    }
    return 0;
}

/* A message with a flag: its task is there, and says what the flag says. 0, -1. */
static int settle(struct tx *tx, int64_t account, const struct graph_flagged *f)
{
    const char *id = id_of(tx, account, f->key);
    struct task_list list;
    struct task t;
    if (!id || task_list_usual(tx, account, TASK_LIST_FLAGGED, &list) != 1 ||
        (!list.id && task_list_add(tx, &list) < 0))
        return -1;
    int r = task_find(tx, id, &t);
    if (r != 1)
        return r < 0 ? -1 : add_task(tx, &list, id, f);
    const bool other = take_flag(tx, f, &t);
    r = renew_link(tx, &t, f);
    if (r < 0)
        return -1;
    return other || r ? task_save(tx, &t, (other ? TASK_ITSELF : 0U) | (r ? TASK_DETAILS : 0U)) : 0;
}

/* Of the message with the key: its task is there no more. 0, -1. */
static int forget(struct tx *tx, int64_t account, int64_t key)
{
    struct task_list list;
    struct task t;
    if (task_list_usual(tx, account, TASK_LIST_FLAGGED, &list) != 1)
        return -1;
    if (!list.id)
        return 0;
    const char *id = id_of(tx, account, key);
    int r = id ? task_find(tx, id, &t) : -1;
    return r == 1 ? task_drop(tx, &t) : r;
}

/* Tasks of messages that are gone, or have no flag. 0, -1. */
static int sweep(struct tx *tx, const struct graph_flags *flags, int64_t account,
                 const struct task_list *list)
{
    struct graph_flagged f;
    int64_t *ids, key;
    struct task t;
    size_t n;
    if (task_ids(tx, list->id, &ids, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = task_get(tx, ids[i], &t);
        if (r == 1)
            r = message_of(tx, account, &t, &key);
        if (r < 0)
            return -1;
        if (r == 1 && (r = flags->find(tx, account, key, &f)) <= 0 &&
            (r < 0 || task_drop(tx, &t) < 0))
            return -1;
    }
    return 0;
}

/* All messages of a mailbox. 0, -1. */
static int settle_all(struct tx *tx, const struct graph_flags *flags, int64_t scope,
                      int64_t account)
{
    struct graph_flagged f;
    int64_t *messages;
    size_t n;
    if (flags->list(tx, scope, &messages, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = flags->of(tx, scope, messages[i], &f);
        if (r < 0 || (r == 1 && settle(tx, account, &f) < 0))
            return -1;
    }
    return 0;
}

/* What has just come has no task yet. */
static int take_event(struct tx *tx, const struct graph_flags *flags, const struct world_event *e,
                      int64_t account)
{
    struct graph_flagged f;
    int r = flags->of(tx, e->scope, e->entity, &f);
    if (r < 0)
        return -1;
    if (r)
        return settle(tx, account, &f);
    return f.key && e->operation != OP_ADDED ? forget(tx, account, f.key) : 0;
}

/* What happened in one mailbox. */
static int take_events(struct tx *tx, const struct graph_flags *flags,
                       const struct world_event *first)
{
    struct task_list list;
    int64_t account;
    bool gone = false;
    int r = flags->owner(tx, first->scope, &account);
    for (const struct world_event *e = first; r == 1 && e; e = e->next) {
        if (e->scope != first->scope || strcmp(e->kind, flags->kind) != 0)
            continue;
        gone |= e->operation == OP_REMOVED || !e->entity;
        if ((e->entity ? take_event(tx, flags, e, account)
                       : settle_all(tx, flags, e->scope, account)) < 0)
            return -1;
    }
    if (r != 1 || !gone)
        return r < 0 ? -1 : 0;
    if (task_list_usual(tx, account, TASK_LIST_FLAGGED, &list) != 1)
        return -1;
    return list.id ? sweep(tx, flags, account, &list) : 0;
}

static int on_events(struct tx *tx, const struct world_event *first)
{
    const struct world_event *some = first;
    const struct world_event **boxes;
    size_t n;
    while (some && !some->scope) /* what happens to a message has its mailbox as its scope */
        some = some->next;
    const struct graph_flags *flags = some ? flags_of(tx) : NULL;
    if (!flags)
        return 0;
    if (events_distinct(tx, first, flags->kind, &boxes, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (take_events(tx, flags, boxes[i]) < 0)
            return -1;
    return 0;
}

/* ---- of documents ---- */

/* Behind the sections of mail and of tasks: of the mailboxes that the document has changed. */
static int complete(struct tx *tx, struct doc *doc, const struct json *value)
{
    (void)doc;
    (void)value;
    return on_events(tx, tx->events);
}

/* ---- in diffs ---- */

int todo_source(struct tx *tx, const struct task_list *list, const struct task *t, const char **ret)
{
    const struct graph_flags *flags = flags_of(tx);
    int64_t key = 0;
    int r = flags && list->kind == TASK_LIST_FLAGGED;
    if (r && t)
        r = message_of(tx, list->account, t, &key);
    if (r != 1)
        return r;
    *ret = flags->named(tx, list->account, key);
    return *ret != NULL;
}

/* ---- from tasks ---- */

int todo_flag_follows(struct todo_at *at)
{
    struct tx *tx = &at->c->tx;
    const struct graph_flags *flags = flags_of(tx);
    const struct task *t = &at->task;
    const int64_t account = at->user.account.id;
    int64_t key;
    int r = flags && at->list.kind == TASK_LIST_FLAGGED ? message_of(tx, account, t, &key) : 0;
    if (r != 1)
        return r;
    const struct graph_flagged to = {.complete = t->status == TASK_COMPLETED,
                                     .start_us = t->start_us,
                                     .due_us = t->due_us,
                                     .done_us = t->completed_us};
    return flags->set(tx, account, key, &to);
}

int todo_flag_goes(struct todo_at *at)
{
    struct tx *tx = &at->c->tx;
    const struct graph_flags *flags = flags_of(tx);
    const int64_t account = at->user.account.id;
    int64_t key;
    int r =
        flags && at->list.kind == TASK_LIST_FLAGGED ? message_of(tx, account, &at->task, &key) : 0;
    return r == 1 ? flags->set(tx, account, key, NULL) : r;
}

static const struct section sections[] = {{.name = "microsoftToDo", .seed = complete}};

const struct sosia_core tasks_flagged_core = {
    .name = "tasks.todo.flagged",
    .schema = "",
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .events = on_events,
};
