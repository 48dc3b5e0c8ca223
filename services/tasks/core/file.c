/* SPDX-License-Identifier: Apache-2.0 */
/* Files of tasks. */
#include "engine/base/codec.h"
#include "services/tasks/core/impl.h"

static const struct member file_members[] = {
    STORED_ID(struct task_file),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct task_file, task, int64_t)},
    {"id", "Its id among those of the task; made up without it", TEXT_AT(struct task_file, key)},
    {"name", "Its name", TEXT_AT(struct task_file, name), .flags = MEMBER_REQUIRED},
    {"type", "Its media type", TEXT_AT(struct task_file, type),
     .usual_text = "application/octet-stream"},
    {"content", "What it is, in base64", TEXT_AT(struct task_file, content),
     .flags = MEMBER_REQUIRED},
    TASK_COLUMN(struct task_file, size),
    {"changed", "Its last change; else that of the task", TIME_AT(struct task_file, changed_us)},
};
STORED_HERE(files_stored, "A file of a task", struct task_file, file_members, NULL,
            .table = "task_file");

const struct form task_file_form = {.about = "A file of a task",
                                    .members = file_members,
                                    .n = SOSIA_LEN(file_members),
                                    .size = sizeof(struct task_file)};

int task_files(struct tx *tx, int64_t task, struct task_file **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("where task = ?1 order by id");
    *ret = stored_list(tx, &files_stored, STORED_QUERY(tx, &files_stored, &q, task), ret_n);
    return *ret ? 0 : -1;
}

int task_file_find(struct tx *tx, int64_t task, const char *key, struct task_file *ret)
{
    static struct sql_text q = SQL_TEXT("where task = ?1 and key = ?2");
    return STORED_ONE(tx, &files_stored, &q, ret, task, key);
}

int task_file_count(struct tx *tx, int64_t task, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select count(*) from task_file where task = :task");
    return TX_INT(tx, &q, ret, task) == 1 ? 0 : -1;
}

/* The bytes that a text in base64 stands for; -1: it is none. */
static int64_t size_of(struct tx *tx, const char *content)
{
    uint8_t *bytes;
    size_t n;
    return base64_decode(tx->arena, content, strlen(content), &bytes, &n) < 0 ? -1 : (int64_t)n;
}

int task_file_add(struct tx *tx, struct task_file *file)
{
    struct task_list list;
    struct task t;
    file->size = size_of(tx, file->content);
    if (file->size < 0)
        return tx_fail(tx, SOSIA_E_INVALID, "content", "content", "content must be base64");
    if (!file->key) {
        const struct task_vendor *v =
            task_get(tx, file->task, &t) == 1 && t.list && task_list_get(tx, t.list, &list) == 1
                ? task_vendor_of(tx, list.account)
                : task_vendor_of_plans(tx);
        if (!(file->key = v->key(tx, TASK_THING_TASK)))
            return -1;
    }
    file->changed_us = file->changed_us ? file->changed_us : tx->now_us;
    if (stored_add(tx, &files_stored, file) < 0)
        return -1;
    file->id = tx_last_id(tx);
    return 0;
}

int task_file_drop(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from task_file where id = :id");
    return TX_RUN(tx, &q, id);
}

/* ---- in documents ---- */

int task_write_files(const struct form_out *out, const struct member *m, const void *row)
{
    struct task_file *list;
    size_t n;
    (void)row;
    if (task_files(out->tx, out->id, &list, &n) < 0)
        return -1;
    if (n)
        json_arr(out->w, m->name);
    for (size_t i = 0; i < n; i++) {
        json_obj(out->w, NULL);
        if (form_write(&(struct form_out){.tx = out->tx, .w = out->w}, &task_file_form, &list[i]) <
            0)
            return -1;
        json_end(out->w);
    }
    if (n)
        json_end(out->w);
    return 0;
}

int task_files_check(const struct form_in *in, const struct task *t)
{
    const struct json *at = json_get(in->value, "files");
    for (int i = 0; i < t->n_files; i++) {
        const int64_t size = size_of(in->tx, t->files[i].content);
        for (const char *p = t->files[i].type; *p; p++)
            if (*p < ' ' || *p > '~')
                return doc_fail(in->d, at, "files", "a type must be a media type");
        if (size < 0 || size > TASK_FILE_MAX)
            return doc_fail(in->d, at, "files", "content must be base64 of at most 25 MiB");
        for (int k = 0; k < i; k++)
            if (t->files[i].key && t->files[k].key && strcmp(t->files[i].key, t->files[k].key) == 0)
                return doc_fail(in->d, at, "files", "two have the id \"%.80s\"", t->files[i].key);
    }
    return 0;
}

int task_files_add(struct tx *tx, struct task *t)
{
    for (int i = 0; i < t->n_files; i++) {
        t->files[i].task = t->id;
        t->files[i].changed_us = t->files[i].changed_us ? t->files[i].changed_us : t->changed_us;
        if (task_file_add(tx, &t->files[i]) < 0)
            return -1;
    }
    return 0;
}
