/* SPDX-License-Identifier: Apache-2.0 */
/* Files that hang on a task. What is larger than one request may bring comes in an upload session
 * (vendors/microsoft/attach.h). */
#include "engine/base/codec.h"
#include "services/tasks/todo/rows.h"
#include "vendors/microsoft/attach.h"

enum { DIRECT_MAX = 3 << 20, FILES_MAX = 100 };
#define FILE_TYPE "microsoft.graph.taskFileAttachment"

static int open_task(struct call *c, struct todo_at *at)
{
    return todo_open(c, at) < 0 || todo_task(at) < 0 ? -1 : 0;
}

static int open_file(struct call *c, struct todo_at *at, struct task_file *ret)
{
    if (open_task(c, at) < 0)
        return -1;
    int r = task_file_find(&c->tx, at->task.id, param_str(c, "attachmentBase-id"), ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : graph_fail_own(c, SOSIA_E_NOT_FOUND, 0, "itemNotFound", "ErrorItemNotFound",
                                    "The specified object was not found in the store.");
}

static void write_file(struct arena *a, const struct task_file *f, bool content,
                       struct json_writer *w)
{
    json_word(w, "@odata.type", "#" FILE_TYPE);
    json_str(w, "id", f->key);
    json_str(w, "lastModifiedDateTime", graph_date(a, f->changed_us, 7));
    json_str(w, "name", f->name);
    json_str(w, "contentType", f->type);
    json_int(w, "size", f->size);
    if (content)
        json_str(w, "contentBytes", f->content);
}

struct files {
    struct arena *arena;
    struct task_file *list;
};

static int write_listed(void *arg, size_t i, struct json_writer *w)
{
    struct files *l = arg;
    write_file(l->arena, &l->list[i], false, w);
    return 0;
}

static int files_list(struct call *c)
{
    struct odata_query q;
    struct todo_at at;
    struct files l = {.arena = c->tx.arena};
    size_t n;
    if (open_task(c, &at) < 0 || todo_options(c, "taskFileAttachment", &q) < 0 ||
        task_files(&c->tx, at.task.id, &l.list, &n) < 0)
        return -1;
    return todo_answer_list(&at, &q,
                            arena_printf(c->tx.arena, "%s/attachments", todo_task_path(&at)), n,
                            write_listed, NULL, &l);
}

static int answer_file(struct todo_at *at, const struct task_file *f, bool content)
{
    struct call *c = at->c;
    struct odata_query q;
    if (todo_options(c, "taskFileAttachment", &q) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ID, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/attachments%s/$entity", todo_task_path(at),
                  odata_context(c->tx.arena, &q));
    write_file(c->tx.arena, f, content, c->out);
    json_end(c->out);
    return 0;
}

static int file_get(struct call *c)
{
    struct task_file f;
    struct todo_at at;
    return open_file(c, &at, &f) < 0 ? -1 : answer_file(&at, &f, true);
}

static int file_value(struct call *c)
{
    struct task_file f;
    struct todo_at at;
    uint8_t *bytes;
    size_t n;
    if (open_file(c, &at, &f) < 0)
        return -1;
    if (base64_decode(c->tx.arena, f.content, strlen(f.content), &bytes, &n) < 0)
        return tx_fail(&c->tx, SOSIA_E_INVALID, "content", NULL, "a file of a task is not base64");
    call_header(c, "Content-Type", f.type);
    buf_add(c->body_out, bytes, n);
    return 0;
}

/* Letters that a header may have. */
static bool is_type(const char *type)
{
    for (const char *p = type; *p; p++)
        if (*p < ' ' || *p > '~')
            return false;
    return *type != 0;
}

static int file_create(struct call *c)
{
    const struct json *body;
    struct task_file f = {0};
    struct todo_at at;
    uint8_t *bytes;
    size_t size;
    int64_t n;
    if (open_task(c, &at) < 0 || !(body = call_body(c)) ||
        task_file_count(&c->tx, at.task.id, &n) < 0)
        return -1;
    const char *kind = json_get_str(body, "@odata.type");
    if (kind && strcmp(kind + (*kind == '#'), FILE_TYPE) != 0)
        return todo_wrong(c, "@odata.type", "#" FILE_TYPE);
    f.name = json_get_str(body, "name");
    f.type = json_get_str(body, "contentType");
    f.content = json_get_str(body, "contentBytes");
    f.type = f.type ? f.type : "application/octet-stream";
    if (!is_type(f.type))
        return todo_wrong(c, "contentType", "a media type");
    if (!f.name || !*f.name || strlen(f.name) > TODO_NAME_MAX || strlen(f.type) > TODO_NAME_MAX)
        return todo_wrong(c, "name", "there, of at most 255 characters");
    if (!f.content || base64_decode(c->tx.arena, f.content, strlen(f.content), &bytes, &size) < 0)
        return todo_wrong(c, "contentBytes", "base64");
    if (size > DIRECT_MAX)
        return call_fail(c, SOSIA_E_TOO_LARGE, "RequestEntityTooLarge", NULL,
                         "The attachment is larger than 3 MB.");
    if (n >= FILES_MAX)
        return todo_invalid(c, "ErrorQuotaExceeded", "There are too many of them.");
    f.task = at.task.id;
    if (task_file_add(&c->tx, &f) < 0 || task_save(&c->tx, &at.task, TASK_DETAILS) < 0)
        return -1;
    graph_created(c,
                  arena_printf(c->tx.arena, "/%s/attachments('%s')", todo_task_path(&at), f.key));
    return answer_file(&at, &f, false);
}

static int file_delete(struct call *c)
{
    struct task_file f;
    struct todo_at at;
    if (open_file(c, &at, &f) < 0)
        return -1;
    c->status = 204;
    return task_file_drop(&c->tx, f.id) < 0 ? -1 : task_save(&c->tx, &at.task, TASK_DETAILS);
}

/* ---- in pieces ---- */

enum { RANGE_MAX = 4 << 20 }; /* bytes of one request (MG-991) */

/* What the path is in front of the file or the session. */
static const char *upload_at(struct call *c, const struct graph_upload *up, const char *file)
{
    struct arena *a = c->tx.arena;
    struct task_list list = {0};
    struct ms_user user = {0};
    struct task t;
    if (task_get(&c->tx, up->owner, &t) != 1 || task_list_get(&c->tx, t.list, &list) != 1 ||
        ms_user_of_account(&c->tx, up->account, &user) < 0)
        return "";
    return graph_url(c, arena_printf(a, "/users/%s/todo/lists/%s/tasks/%s/%s/%s", user.oid,
                                     list.key, t.key, file ? "attachments" : "attachmentSessions",
                                     file ? file : up->key));
}

static int upload_made(struct call *c, const struct graph_upload *up, const char **ret_id)
{
    const struct bytes content = {.len = up->total, .blob = up->blob};
    struct task_file f = {.task = up->owner, .name = up->name}, *list;
    const char *data;
    struct task t;
    size_t n;
    if (task_get(&c->tx, up->owner, &t) != 1 || task_files(&c->tx, t.id, &list, &n) < 0 ||
        bytes_view(&c->tx, &content, TASK_FILE_MAX, &data) < 0)
        return -1;
    if (n >= FILES_MAX)
        return todo_invalid(c, "ErrorQuotaExceeded", "There are too many of them.");
    f.type = up->type ? up->type : "application/octet-stream";
    f.content = base64_text(c->tx.arena, NULL, data, (size_t)up->total);
    if (!f.content || task_file_add(&c->tx, &f) < 0 || task_save(&c->tx, &t, TASK_DETAILS) < 0)
        return -1;
    *ret_id = f.key;
    return 0;
}

static const struct graph_attach attach = {.kind = "tasks",
                                           .made = upload_made,
                                           .at = upload_at,
                                           .item = "attachmentInfo",
                                           .least = 1,
                                           .most = TASK_FILE_MAX};

static int upload_begin(struct call *c)
{
    const struct json *body, *info;
    struct todo_at at;
    if (open_task(c, &at) < 0 || !(body = call_body(c)))
        return -1;
    info = json_get(body, "attachmentInfo");
    const char *type = json_get_str(info, "contentType"), *name = json_get_str(info, "name");
    if (type && (!is_type(type) || strlen(type) > TODO_NAME_MAX))
        return todo_wrong(c, "contentType", "a media type");
    if (name && strlen(name) > TODO_NAME_MAX)
        return todo_wrong(c, "name", "there, of at most 255 characters");
    return graph_attach_begin(c, &attach, &at.user, at.task.id, at.task.key);
}

/* The session of the path, of the task of the path. 0, -1. */
static int open_upload(struct call *c)
{
    struct todo_at at;
    return open_task(c, &at) < 0 ? -1 : graph_attach_of(c, &attach, at.user.account.id, at.task.id);
}

static int upload_put(struct call *c)
{
    return open_upload(c) < 0 ? -1 : graph_attach_put(c, &attach);
}

static int upload_delete(struct call *c)
{
    return open_upload(c) < 0 ? -1 : graph_attach_delete(c, &attach);
}

/* ---- rows ---- */

#define IDS USER, KEY("todoTaskList-id"), KEY("todoTask-id")
static const struct param list_params[] = {IDS, LIST_OPTIONS};
static const struct param create_params[] = {IDS};
static const struct param one_params[] = {IDS, KEY("attachmentBase-id")};
static const struct param get_params[] = {IDS, KEY("attachmentBase-id"), OPTION("select")};

static const struct param upload_params[] = {IDS, KEY("session-id")};

#define FILES   TASK "/attachments"
#define SESSION TASK "/attachmentSessions/{session-id}"
#define ONE     FILES "/{attachmentBase-id}"
static const struct route methods[] = {
    ROW("todo.attachments.list", GET, FILES, files_list, RISK_READ, list_params, .scopes = READ,
        .response = FILE_TYPE "CollectionResponse", .summary = "Files of a task"),
    ROW("todo.attachments.get", GET, ONE, file_get, RISK_READ, get_params, .scopes = READ,
        .response = FILE_TYPE, .summary = "A file of a task"),
    ROW("todo.attachments.value", GET, ONE "/$value", file_value, RISK_READ, one_params,
        .scopes = READ, .gives = "application/octet-stream",
        .summary = "What is in a file of a task"),
    ROW("todo.attachments.create", POST, FILES, file_create, RISK_WRITE, create_params,
        .scopes = WRITE, .body = BODY_JSON, .request = FILE_TYPE, .response = FILE_TYPE,
        .status = 201, .summary = "Add a file to a task"),
    ROW("todo.attachments.delete", DELETE, ONE, file_delete, RISK_DESTRUCTIVE, one_params,
        .scopes = WRITE, .status = 204, .summary = "Delete a file of a task"),
    ROW("todo.attachments.createUploadSession", POST, FILES "/createUploadSession", upload_begin,
        RISK_WRITE, create_params, .scopes = WRITE, .body = BODY_JSON,
        .request = FILE_TYPE ".createUploadSession", .response = "microsoft.graph.uploadSession",
        .summary = "Begins to add a file of up to 25 MB to a task"),
    ROW("todo.attachmentSessions.put", PUT, SESSION "/content", upload_put, RISK_WRITE,
        upload_params, .scopes = WRITE, .body = BODY_RAW, .max_body = RANGE_MAX,
        .response = "microsoft.graph.attachmentSession",
        .summary = "The next bytes of a file of a task"),
    ROW("todo.attachmentSessions.delete", DELETE, SESSION, upload_delete, RISK_DESTRUCTIVE,
        upload_params, .scopes = WRITE, .status = 204,
        .summary = "Lets a file of a task that is under way go"),
};
const struct rows todo_file_rows = ROWS(methods);
