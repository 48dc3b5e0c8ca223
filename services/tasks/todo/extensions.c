/* SPDX-License-Identifier: Apache-2.0 */
/* Open extensions of lists and tasks: what programs keep with them, by their names. */
#include "engine/base/codec.h"
#include "services/tasks/todo/rows.h"

#define TYPE   "microsoft.graph.openTypeExtension"
#define PREFIX TYPE "."

/* ---- what is kept ---- */

/* The text of what a list or a task keeps, as an object. NULL: nothing. */
static const struct json *kept_of(struct arena *a, const char *text)
{
    const struct json *object = NULL;
    struct sosia_err err;
    return text && json_parse(a, text, strlen(text), NULL, &object, &err) == 0 ? object : NULL;
}

/* The name of one without what its id begins with. */
static const char *bare(const char *name)
{
    return strncasecmp(name, PREFIX, sizeof PREFIX - 1) == 0 ? name + sizeof PREFIX - 1 : name;
}

/* Case does not matter. */
static const struct json_member *named(const struct json *kept, const char *name)
{
    for (uint32_t i = 0; kept && i < kept->n; i++)
        if (str_eq_nocase(kept->members[i].key, bare(name)))
            return &kept->members[i];
    return NULL;
}

/* Is it a member that the service sets? */
static bool is_set_by_service(const char *key)
{
    return key[0] == '@' || strcmp(key, "id") == 0 || strcmp(key, "extensionName") == 0;
}

/* Members that are null in a change stay as they are (MG-548). */
static void write_members(struct json_writer *w, const char *name, const struct json *old,
                          const struct json *v)
{
    json_obj(w, name);
    for (uint32_t i = 0; old && i < old->n; i++) {
        const struct json *now = json_get(v, old->members[i].key);
        json_value(w, old->members[i].key,
                   now && now->type != JSON_NULL ? now : &old->members[i].value);
    }
    for (uint32_t i = 0; i < v->n; i++)
        if (!is_set_by_service(v->members[i].key) && !json_get(old, v->members[i].key))
            json_value(w, v->members[i].key, &v->members[i].value);
    json_end(w);
}

/* Puts one into the text (merges: over the one of that name), or takes it out (v NULL). 0, -1. */
static int set_kept(struct call *c, const char **text, const char *name, const struct json *v,
                    bool merges)
{
    struct arena *a = c->tx.arena;
    const struct json *kept = kept_of(a, *text);
    const struct json_member *old = named(kept, name);
    struct json_writer w;
    struct buf b;
    size_t n = 0;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    for (uint32_t i = 0; kept && i < kept->n; i++)
        if (&kept->members[i] != old) {
            json_value(&w, kept->members[i].key, &kept->members[i].value);
            n++;
        }
    if (v) {
        write_members(&w, merges && old ? old->key : bare(name), merges && old ? &old->value : NULL,
                      v);
        n++;
    }
    json_end(&w);
    *text = n ? arena_strdup(a, buf_str(&b)) : NULL;
    const bool failed = buf_failed(&b) || arena_failed(a);
    const bool large = b.len > TASK_KEPT_MAX;
    buf_done(&b);
    if (failed)
        return sosia_fail_memory(c->tx.err);
    return n > TODO_PARTS_MAX || large
               ? todo_invalid(c, "ErrorQuotaExceeded", "There are too many of them.")
               : 0;
}

static int extension_name(struct call *c, const struct json *v, const char **ret)
{
    const char *type = json_get_str(v, "@odata.type"), *name = json_get_str(v, "extensionName");
    if (type && strcmp(type + (*type == '#'), TYPE) != 0)
        return todo_wrong(c, "@odata.type", "#" TYPE);
    *ret = name ? bare(name) : NULL;
    return *ret && **ret && strlen(*ret) <= TODO_NAME_MAX
               ? 0
               : todo_wrong(c, "extensionName", "a name");
}

int todo_read_extensions(struct call *c, const struct json *body, const char **kept)
{
    const struct json *v = json_get(body, "extensions");
    const char *name;
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++)
        if (extension_name(c, &v->items[i], &name) < 0 ||
            set_kept(c, kept, name, &v->items[i], false) < 0)
            return -1;
    return 0;
}

/* ---- writing ---- */

static void write_extension(struct arena *a, const struct json_member *e, struct json_writer *w)
{
    json_word(w, "@odata.type", "#" TYPE);
    json_str(w, "extensionName", e->key);
    json_str(w, "id", ARENA_JOIN(a, PREFIX, e->key));
    for (uint32_t i = 0; i < e->value.n; i++)
        json_value(w, e->value.members[i].key, &e->value.members[i].value);
}

/* Whether an expansion has it: by its id or its name. */
static bool is_expanded(const struct odata_expand *x, const struct json_member *e)
{
    const struct odata_value *id = x->query->filter ? odata_equal(x->query->filter, "id") : NULL;
    return !id || !id->text || str_eq_nocase(bare(id->text), e->key);
}

void todo_write_extensions(struct call *c, const struct odata_query *q, const char *kept)
{
    const struct odata_expand *x = odata_expands(q, "extensions");
    const struct json *object = x ? kept_of(c->tx.arena, kept) : NULL;
    if (!x)
        return;
    json_arr(c->out, "extensions");
    for (uint32_t i = 0; object && i < object->n; i++)
        if (is_expanded(x, &object->members[i])) {
            json_obj(c->out, NULL);
            write_extension(c->tx.arena, &object->members[i], c->out);
            json_end(c->out);
        }
    json_end(c->out);
}

/* ---- what a call is about ---- */

struct keeper {
    struct todo_at at;
    const char **kept;
    const char *path; /* "users('oid')/todo/lists('id')/extensions" */
};

/* The list or the task of the path. 0, -1 refused. */
static int open_keeper(struct call *c, bool written, struct keeper *k)
{
    const bool task = param_given(c, "todoTask-id");
    if (todo_open(c, &k->at) < 0 || (task ? todo_task(&k->at) : todo_list(&k->at, written)) < 0)
        return -1;
    k->kept = task ? &k->at.task.kept : &k->at.list.kept;
    k->path = ARENA_JOIN(c->tx.arena, task ? todo_task_path(&k->at) : todo_list_path(&k->at),
                         "/extensions");
    return 0;
}

static int save(struct keeper *k)
{
    struct tx *tx = &k->at.c->tx;
    return param_given(k->at.c, "todoTask-id") ? task_save(tx, &k->at.task, TASK_DETAILS)
                                               : task_list_save(tx, &k->at.list);
}

/* 0, -1 refused. */
static int answer_extension(struct keeper *k, const char *name)
{
    struct call *c = k->at.c;
    const struct json_member *e = named(kept_of(c->tx.arena, *k->kept), name);
    if (!e)
        return graph_fail_own(c, SOSIA_E_NOT_FOUND, 0, "itemNotFound", "ErrorItemNotFound",
                              "The specified object was not found in the store.");
    json_obj(c->out, NULL);
    graph_context(c, "%s/$entity", k->path);
    write_extension(c->tx.arena, e, c->out);
    json_end(c->out);
    return 0;
}

/* ---- handlers ---- */

struct shown {
    struct arena *arena;
    const struct json *kept;
};

static int write_shown(void *arg, size_t i, struct json_writer *w)
{
    struct shown *l = arg;
    write_extension(l->arena, &l->kept->members[i], w);
    return 0;
}

static int extensions_list(struct call *c)
{
    struct odata_query q;
    struct keeper k;
    if (open_keeper(c, false, &k) < 0 || todo_options(c, "openTypeExtension", &q) < 0)
        return -1;
    struct shown l = {.arena = c->tx.arena, .kept = kept_of(c->tx.arena, *k.kept)};
    return todo_answer_list(&k.at, &q, k.path, l.kept ? l.kept->n : 0, write_shown, NULL, &l);
}

static int extensions_get(struct call *c)
{
    struct keeper k;
    return open_keeper(c, false, &k) < 0 ? -1 : answer_extension(&k, param_str(c, "extension-id"));
}

static int extensions_create(struct call *c)
{
    const struct json *body;
    struct keeper k;
    const char *name;
    if (open_keeper(c, true, &k) < 0 || !(body = call_body(c)) ||
        extension_name(c, body, &name) < 0 || set_kept(c, k.kept, name, body, false) < 0 ||
        save(&k) < 0)
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/%s('" PREFIX "%s')", k.path, name));
    return answer_extension(&k, name);
}

static int extensions_update(struct call *c)
{
    const char *name = param_str(c, "extension-id");
    const struct json *body;
    struct keeper k;
    if (open_keeper(c, false, &k) < 0)
        return -1;
    if (!named(kept_of(c->tx.arena, *k.kept), name))
        return answer_extension(&k, name);
    return !(body = call_body(c)) || set_kept(c, k.kept, name, body, true) < 0 || save(&k) < 0
               ? -1
               : answer_extension(&k, name);
}

static int extensions_delete(struct call *c)
{
    const char *name = param_str(c, "extension-id");
    struct keeper k;
    if (open_keeper(c, false, &k) < 0)
        return -1;
    if (!named(kept_of(c->tx.arena, *k.kept), name))
        return answer_extension(&k, name);
    c->status = 204;
    return set_kept(c, k.kept, name, NULL, false) < 0 ? -1 : save(&k);
}

/* ---- rows ---- */

static const struct param list_params[] = {USER, KEY("todoTaskList-id"), KEY("todoTask-id"),
                                           LIST_OPTIONS};
static const struct param create_params[] = {USER, KEY("todoTaskList-id"), KEY("todoTask-id")};
static const struct param params[] = {USER, KEY("todoTaskList-id"), KEY("todoTask-id"),
                                      KEY("extension-id")};

#define EXTENSIONS_ROW(name, verb, path, handler_, risk_, params_, ...)                            \
    {                                                                                              \
        .id = "todo.extensions." name, .verbs = verb,                                              \
        .paths = PATHS(GRAPH_MY(LIST "/extensions" path), GRAPH_MY(TASK "/extensions" path)),      \
        .handler = handler_, .risk = risk_, PARAMS(params_), __VA_ARGS__                           \
    }
static const struct route methods[] = {
    EXTENSIONS_ROW("list", GET, "", extensions_list, RISK_READ, list_params, .scopes = READ,
                   .summary = "What programs keep with a list or a task"),
    EXTENSIONS_ROW("get", GET, "/{extension-id}", extensions_get, RISK_READ, params, .scopes = READ,
                   .summary = "An open extension of a list or a task"),
    EXTENSIONS_ROW("create", POST, "", extensions_create, RISK_WRITE, create_params,
                   .scopes = WRITE, .body = BODY_JSON, .status = 201,
                   .summary = "Add an open extension to a list or a task"),
    EXTENSIONS_ROW("update", PATCH, "/{extension-id}", extensions_update, RISK_WRITE, params,
                   .scopes = WRITE, .body = BODY_JSON, .idempotent = true,
                   .summary = "Change an open extension of a list or a task"),
    EXTENSIONS_ROW("delete", DELETE, "/{extension-id}", extensions_delete, RISK_DESTRUCTIVE, params,
                   .scopes = WRITE, .status = 204,
                   .summary = "Remove an open extension of a list or a task"),
};
const struct rows todo_extension_rows = ROWS(methods);
