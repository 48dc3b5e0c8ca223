/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of an account. */
#include "services/tasks/core/impl.h"

static const char *const kinds[] = {"own", "usual", "flagged", NULL};

/* ---- in documents ---- */

/* An account of the actor's with the vendor, whatever services it has. 1, 0, -1. */
static int account_with(struct tx *tx, int64_t actor, const char *vendor, struct account *ret)
{
    static const enum account_service services[] = {ACCOUNT_MAIL, ACCOUNT_CALENDAR, ACCOUNT_DRIVE,
                                                    ACCOUNT_CHAT};
    int r = 0;
    for (size_t i = 0; i < SOSIA_LEN(services) && !r; i++)
        r = account_at(tx, actor, vendor, services[i], ret);
    return r;
}

int task_account(struct tx *tx, int64_t actor, const char *vendor, struct account *ret)
{
    const struct core_policy *p = core_policy_next(tx->engine, TASKS_CORE, NULL);
    int r = 0;
    for (; p && !r; p = core_policy_next(tx->engine, TASKS_CORE, p))
        if (!vendor || strcmp(vendor, p->vendor) == 0)
            r = account_with(tx, actor, p->vendor, ret);
    return r;
}

/* The account of a person with a vendor that has lists; of documents: the member "person". */
int task_doc_account(const struct form_in *in, int64_t *ret)
{
    struct account account = {0};
    struct actor actor;
    if (ident_doc_actor(in->tx, in->d, in->value, "person", true, &actor) < 0)
        return -1;
    int r = task_account(in->tx, actor.id, NULL, &account);
    if (r < 0)
        return -1;
    *ret = account.id;
    return r == 1 ? 0
                  : doc_refuse(in->d, in->value, "person",
                               "must be somebody with an account that has tasks, not \"%.80s\"",
                               actor.handle);
}

static int read_person(const struct form_in *in, const struct member *m, void *row)
{
    (void)m;
    return task_doc_account(in, &((struct task_list *)row)->account);
}

int task_write_person(struct tx *tx, struct json_writer *w, const char *member, int64_t account)
{
    struct account row;
    struct actor actor;
    int r = account_get(tx, account, &row);
    if (r == 1)
        r = actor_by_id(tx, row.actor, &actor);
    if (r == 1)
        json_str(w, member, actor.handle);
    return r < 0 ? -1 : 0;
}

static int write_person(const struct form_out *out, const struct member *m, const void *row)
{
    return task_write_person(out->tx, out->w, m->name, ((const struct task_list *)row)->account);
}

bool task_kept_good(struct arena *a, const char *kept)
{
    const struct json *object;
    struct sosia_err err;
    if (!kept)
        return true;
    const size_t n = strlen(kept);
    if (n > TASK_KEPT_MAX || json_parse(a, kept, n, NULL, &object, &err) < 0)
        return false;
    bool good = object->type == JSON_OBJECT;
    for (uint32_t i = 0; good && i < object->n; i++)
        good = *object->members[i].key && object->members[i].value.type == JSON_OBJECT;
    return good;
}

static int check_list(const struct form_in *in, void *row)
{
    struct task_list *list = row, other;
    const char *name;
    if (!list->account)
        return doc_fail(in->d, in->value, "person", "is missing");
    name = task_vendor_of(in->tx, list->account)->names[list->kind];
    if (list->kind && !name)
        return doc_refuse(in->d, in->value, "kind", "there is no such list of the person's vendor");
    if (!list->name && !(list->name = list->kind ? name : NULL))
        return doc_fail(in->d, in->value, "name", "is missing");
    if (!task_kept_good(in->tx->arena, list->kept))
        return doc_refuse(in->d, in->value, "kept",
                          "must be objects by the names of programs, of at most %d bytes",
                          TASK_KEPT_MAX);
    if (!list->kind)
        return 0;
    int r = task_list_usual(in->tx, list->account, list->kind, &other);
    if (r != 1)
        return -1;
    return other.id ? doc_refuse(in->d, in->value, "kind", "the person has such a list already")
                    : 0;
}

static int list_seeded(const struct form_in *in, void *row)
{
    return task_list_add(in->tx, row);
}

static const struct member list_members[] = {
    STORED_ID(struct task_list),
    {"id", "Its id; made up without it", TEXT_AT(struct task_list, key)},
    {"person", "Whose it is", .kind = MEMBER_OWN, .noun = "text", .flags = MEMBER_REQUIRED,
     .read = read_person, .write = write_person, MEMBER_TYPED(struct task_list, account, int64_t)},
    {"name", "Its name; the vendor's own without it, of one that everybody has",
     TEXT_AT(struct task_list, name)},
    {"kind", "own; or the list that tasks are in without a word, or that of flagged mail",
     ENUM_AT(struct task_list, kind, kinds)},
    {"created", "When it was made; else now", TIME_AT(struct task_list, made_us)},
    {"kept", "What programs keep with it: objects by their names", .inner = "*",
     KEPT_AT(struct task_list, kept, JSON_OBJECT)},
    TASK_COLUMN(struct task_list, change),
    TASK_COLUMN(struct task_list, made),
};
STORED(task_list_stored, "A list of tasks", struct task_list, list_members, check_list,
       .table = "task_list", .key = "id", .add = list_seeded);

/* ---- rows ---- */

int task_list_get(struct tx *tx, int64_t id, struct task_list *ret)
{
    return stored_get(tx, &task_list_stored, id, ret);
}

int task_list_find(struct tx *tx, int64_t account, const char *key, struct task_list *ret)
{
    static struct sql_text q = SQL_TEXT("where key = ?1 and account = ?2");
    return STORED_ONE(tx, &task_list_stored, &q, ret, key, account);
}

int task_list_next(struct tx *tx, int64_t account, int64_t after, struct task_list *ret)
{
    static struct sql_text q = SQL_TEXT("where account = ?1 and id > ?2 order by id limit 1");
    return STORED_ONE(tx, &task_list_stored, &q, ret, account, after);
}

int task_list_usual(struct tx *tx, int64_t account, enum task_list_kind kind, struct task_list *ret)
{
    static struct sql_text q = SQL_TEXT("where account = ?1 and kind = ?2");
    int r = STORED_ONE(tx, &task_list_stored, &q, ret, account, (int64_t)kind);
    if (r)
        return r;
    const struct task_vendor *v = task_vendor_of(tx, account);
    *ret = (struct task_list){.account = account,
                              .key = v->usual_key(tx, account, kind),
                              .name = v->names[kind],
                              .kind = kind};
    return ret->key ? 1 : -1;
}

int task_list_add(struct tx *tx, struct task_list *list)
{
    const struct task_vendor *v = task_vendor_of(tx, list->account);
    if (!list->key)
        list->key =
            list->kind ? v->usual_key(tx, list->account, list->kind) : v->key(tx, TASK_THING_LIST);
    if (!list->key || task_change_number(tx, &list->change) < 0)
        return -1;
    list->made = list->change;
    list->made_us = list->made_us ? list->made_us : tx->now_us;
    if (stored_add(tx, &task_list_stored, list) < 0)
        return -1;
    list->id = tx_last_id(tx);
    event_note(tx, TASK_LIST_CHANGED, OP_ADDED, list->account, list->id);
    return 0;
}

int task_list_save(struct tx *tx, struct task_list *list)
{
    static struct sql_text q = SQL_TEXT(
        "update task_list set name = :name, kept = :kept, change = :change where id = :id");
    event_note(tx, TASK_LIST_CHANGED, OP_CHANGED, list->account, list->id);
    return task_change_number(tx, &list->change) < 0
               ? -1
               : TX_RUN(tx, &q, list->name, list->kept, list->change, list->id);
}

int task_list_drop(struct tx *tx, const struct task_list *list)
{
    static struct sql_text q = SQL_TEXT("delete from task_list where id = :id");
    struct task t;
    int r;
    while ((r = task_next(tx, list->id, 0, &t)) == 1)
        if (task_drop(tx, &t) < 0)
            return -1;
    event_note(tx, TASK_LIST_CHANGED, OP_REMOVED, list->account, list->id);
    return r < 0 || task_gone_add(tx, list->account, 0, list->key, list->made) < 0
               ? -1
               : TX_RUN(tx, &q, list->id);
}

int64_t task_list_count(struct tx *tx, int64_t account)
{
    static struct sql_text q = SQL_TEXT("select count(*) from task_list where account = :account");
    int64_t n;
    return TX_INT(tx, &q, &n, account) == 1 ? n : -1;
}

int64_t task_count(struct tx *tx, int64_t list)
{
    static struct sql_text q = SQL_TEXT("select count(*) from task_task where list = :list");
    int64_t n;
    return TX_INT(tx, &q, &n, list) == 1 ? n : -1;
}
