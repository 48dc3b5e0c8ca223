/* SPDX-License-Identifier: Apache-2.0 */
/* What programs keep with events and calendars: MAPI properties by their ids, and open extensions.
 * Each list is the text of a JSON array; those of an event are its own properties, of this copy. */
#include "engine/base/codec.h"
#include "services/calendar/outlook/ocal.h"

#define MOST   100 /* of one kind, of one thing */
#define SINGLE "singleValueExtendedProperties"
#define MULTI  "multiValueExtendedProperties"
#define OPEN   "extensions"
#define TYPE   "#microsoft.graph.openTypeExtension"
#define PREFIX "microsoft.graph.openTypeExtension."

static const char *const members[] = {SINGLE, MULTI, OPEN};

static const struct json *list_of(struct arena *a, const char *object, const char *member)
{
    const struct json *own = NULL, *list = NULL;
    struct sosia_err err;
    if (!object || json_parse(a, object, strlen(object), NULL, &own, &err) < 0)
        return NULL;
    const char *text = json_get_str(own, member);
    if (!text || json_parse(a, text, strlen(text), NULL, &list, &err) < 0)
        return NULL;
    return list->type == JSON_ARRAY ? list : NULL;
}

/* Puts another list into the object; NULL: takes it out. */
static void put_list(struct arena *a, const char **object, const char *member, const char *list)
{
    ocal_object_set(a, object, member, list ? ocal_quoted(a, list) : NULL);
}

static int too_many(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "ErrorQuotaExceeded", NULL,
                     "An item has at most %d properties and extensions.", MOST);
}

/* ---- properties ---- */

/* "String {guid} Name x", "Integer 0xe07": NULL where it is not one, or has no value. */
static const char *property_id(struct arena *a, const struct json *v, bool multi)
{
    const struct json *value = json_get(v, "value");
    const char *id = json_get_str(v, "id");
    if (!id || !strchr(id, ' ') || strlen(id) >= 512 || !value)
        return NULL;
    if (value->type != JSON_NULL && value->type != (multi ? JSON_ARRAY : JSON_STRING))
        return NULL;
    for (uint32_t i = 0; value->type == JSON_ARRAY && i < value->n; i++)
        if (value->items[i].type != JSON_STRING)
            return NULL;
    return graph_property_id(a, id);
}

/* Those of the body replace what has their ids; a value that is null goes. */
static int merge(struct call *c, const char *member, const struct json *had, const struct json *v,
                 const char **ret)
{
    const bool multi = strcmp(member, MULTI) == 0;
    struct arena *a = c->tx.arena;
    const char **ids = arena_calloc(a, v->n + 1, sizeof *ids);
    struct json_writer w;
    struct buf b;
    size_t n = 0;
    if (v->n > MOST)
        return too_many(c);
    for (uint32_t k = 0; k < v->n && !arena_failed(a); k++)
        if (!(ids[k] = property_id(a, &v->items[k], multi)))
            return ocal_invalid(c, member, "a list of ids and values");
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (uint32_t i = 0; had && i < had->n && !arena_failed(a); i++) {
        const char *id = json_get_str(&had->items[i], "id");
        bool again = !id;
        for (uint32_t k = 0; k < v->n; k++)
            again |= id && str_eq_nocase(id, ids[k]);
        if (!again)
            json_value(&w, NULL, &had->items[i]);
        n += !again;
    }
    for (uint32_t k = 0; k < v->n && !arena_failed(a); k++) {
        if (json_get(&v->items[k], "value")->type == JSON_NULL)
            continue;
        json_obj(&w, NULL);
        json_str(&w, "id", ids[k]);
        json_value(&w, "value", json_get(&v->items[k], "value"));
        json_end(&w);
        n++;
    }
    json_end(&w);
    *ret = n ? arena_strdup(a, buf_str(&b)) : NULL;
    bool failed = buf_failed(&b) || arena_failed(a);
    buf_done(&b);
    return failed ? sosia_fail_memory(c->tx.err) : n > MOST ? too_many(c) : 0;
}

int ocal_read_properties(struct call *c, const char **object)
{
    for (size_t i = 0; i < 2; i++) {
        const struct json *v = json_get(c->body, members[i]);
        const char *list;
        if (!v || v->type != JSON_ARRAY || !v->n)
            continue;
        if (merge(c, members[i], list_of(c->tx.arena, *object, members[i]), v, &list) < 0)
            return -1;
        put_list(c->tx.arena, object, members[i], list);
    }
    return 0;
}

/* ---- extensions ---- */

static const char *bare_name(const char *name)
{
    return strncasecmp(name, PREFIX, sizeof PREFIX - 1) == 0 ? name + sizeof PREFIX - 1 : name;
}

static const struct json *extension_in(const struct json *list, const char *name)
{
    for (uint32_t i = 0; list && i < list->n; i++) {
        const char *had = json_get_str(&list->items[i], "extensionName");
        if (had && str_eq_nocase(had, bare_name(name)))
            return &list->items[i];
    }
    return NULL;
}

const struct json *ocal_extension(struct arena *a, const char *object, const char *name)
{
    return extension_in(list_of(a, object, OPEN), name);
}

/* Is it a member that the service sets? */
static bool is_fixed(const char *key)
{
    return key[0] == '@' || strcmp(key, "id") == 0 || strcmp(key, "extensionName") == 0;
}

/* Its members as they came, behind what says what it is. One that is null in a change stays as it
 * is (MG-548). */
static void write_extension(struct json_writer *w, struct arena *a, const char *name,
                            const struct json *old, const struct json *v)
{
    json_obj(w, NULL);
    json_str(w, "@odata.type", TYPE);
    json_str(w, "id", arena_printf(a, PREFIX "%s", name));
    json_str(w, "extensionName", name);
    for (uint32_t i = 0; old && i < old->n; i++) {
        const struct json *now = json_get(v, old->members[i].key);
        if (!is_fixed(old->members[i].key))
            json_value(w, old->members[i].key,
                       now && now->type != JSON_NULL ? now : &old->members[i].value);
    }
    for (uint32_t i = 0; v && i < v->n; i++)
        if (!is_fixed(v->members[i].key) && !json_get(old, v->members[i].key))
            json_value(w, v->members[i].key, &v->members[i].value);
    json_end(w);
}

int ocal_put_extension(struct call *c, const char *name, const struct json *v, bool merges,
                       const char **object)
{
    struct arena *a = c->tx.arena;
    const struct json *list = list_of(a, *object, OPEN), *old = extension_in(list, name);
    struct json_writer w;
    struct buf b;
    size_t n = 0;
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (uint32_t i = 0; list && i < list->n; i++)
        if (&list->items[i] != old) {
            json_value(&w, NULL, &list->items[i]);
            n++;
        }
    if (v) {
        write_extension(&w, a, name, merges ? old : NULL, v);
        n++;
    }
    json_end(&w);
    put_list(a, object, OPEN, n ? arena_strdup(a, buf_str(&b)) : NULL);
    bool failed = buf_failed(&b) || arena_failed(a);
    buf_done(&b);
    return failed ? sosia_fail_memory(c->tx.err) : n > MOST ? too_many(c) : 0;
}

int ocal_extension_name(struct call *c, const struct json *v, const char **ret)
{
    const char *name = json_get_str(v, "extensionName");
    *ret = name ? bare_name(name) : NULL;
    return name && **ret && strlen(*ret) <= 128
               ? 0
               : call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                           "The extension's name is required.");
}

int ocal_read_extensions(struct call *c, const char **object)
{
    const struct json *v = json_get(c->body, OPEN);
    const char *name;
    if (v && v->type == JSON_ARRAY && v->n > MOST)
        return too_many(c);
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++)
        if (ocal_extension_name(c, &v->items[i], &name) < 0 ||
            ocal_put_extension(c, name, &v->items[i], false, object) < 0)
            return -1;
    return 0;
}

/* ---- writing ---- */

/* Whether an expansion has the item: 1, 0, -1. Extensions go by the name too, properties by the id
 * however it is written. */
static int is_expanded(struct arena *a, const struct odata_expand *x, const char *member,
                       const struct json *item)
{
    const struct odata_ctx ctx = {.arena = a, .get = odata_get_json};
    const struct odata_value *id = odata_equal(x->query->filter, "id");
    const char *had = json_get_str(item, "id");
    if (!id || !id->text || !had)
        return odata_matches(&ctx, x->query->filter, item);
    if (strcmp(member, OPEN) == 0)
        return str_eq_nocase(bare_name(had), bare_name(id->text));
    return str_eq_nocase(had, graph_property_id(a, id->text));
}

int ocal_write_kept(struct call *c, const struct odata_query *q, bool all, const char *object)
{
    for (size_t i = 0; i < SOSIA_LEN(members); i++) {
        const struct odata_expand *x = q ? odata_expands(q, members[i]) : NULL;
        if (!x && !(all && object))
            continue;
        const struct json *list = list_of(c->tx.arena, object, members[i]);
        json_arr(c->out, members[i]);
        for (uint32_t k = 0; list && k < list->n; k++) {
            int r = x ? is_expanded(c->tx.arena, x, members[i], &list->items[k]) : 1;
            if (r < 0)
                return -1;
            if (r)
                json_value(c->out, NULL, &list->items[k]);
        }
        json_end(c->out);
    }
    return 0;
}
