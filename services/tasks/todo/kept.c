/* SPDX-License-Identifier: Apache-2.0 */
/* What programs keep with lists and tasks: an object of objects, by their names, which are open
 * extensions of Graph. */
#include "engine/base/codec.h"
#include "services/tasks/todo/rows.h"

#define TYPE   "microsoft.graph.openTypeExtension"
#define PREFIX TODO_EXTENSION

/* ---- what is kept ---- */

const struct json *todo_kept(struct arena *a, const char *text)
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

const struct json_member *todo_kept_named(const struct json *kept, const char *name)
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

int todo_kept_put(struct call *c, const char **text, const char *name, const struct json *v,
                  bool merges)
{
    struct arena *a = c->tx.arena;
    const struct json *kept = todo_kept(a, *text);
    const struct json_member *old = todo_kept_named(kept, name);
    struct json_writer w;
    struct buf b;
    size_t n = 0;
    json_start(&w, &b);
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

int todo_kept_name(struct call *c, const struct json *v, const char **ret)
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
        if (todo_kept_name(c, &v->items[i], &name) < 0 ||
            todo_kept_put(c, kept, name, &v->items[i], false) < 0)
            return -1;
    return 0;
}

/* ---- writing ---- */

void todo_write_extension(struct arena *a, const struct json_member *e, struct json_writer *w)
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
    const struct json *object = x ? todo_kept(c->tx.arena, kept) : NULL;
    if (!x)
        return;
    json_arr(c->out, "extensions");
    for (uint32_t i = 0; object && i < object->n; i++)
        if (is_expanded(x, &object->members[i])) {
            json_obj(c->out, NULL);
            todo_write_extension(c->tx.arena, &object->members[i], c->out);
            json_end(c->out);
        }
    json_end(c->out);
}
