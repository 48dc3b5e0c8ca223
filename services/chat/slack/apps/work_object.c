/* SPDX-License-Identifier: Apache-2.0 */
/* What an entity is, what is wrong with one, and how a message shows it (docs.slack.dev, work
 * objects). */
#include "services/chat/slack/apps/entity.h"
#include "services/chat/slack/fault.h"

static const struct {
    const char *type, *name;
} types[] = {
    {"slack#/entities/file", "File"},         {"slack#/entities/task", "Task"},
    {"slack#/entities/incident", "Incident"}, {"slack#/entities/content_item", "Content Item"},
    {"slack#/entities/item", "Item"},
};

static const char *type_name(const struct json *entity)
{
    const char *type = json_get_str(entity, "entity_type");
    for (size_t i = 0; type && i < SOSIA_LEN(types); i++)
        if (strcmp(types[i].type, type) == 0)
            return types[i].name;
    return NULL;
}

const char *sl_filled(const struct json *v, const char *member)
{
    const char *text = json_get_str(v, member);
    return text && *text ? text : NULL;
}

static const struct json *attributes_of(const struct json *entity)
{
    return json_get(json_get(entity, "entity_payload"), "attributes");
}

/* Is it one of the types, with an address, an external_ref and a title? */
static bool is_entity(const struct json *v)
{
    const struct json *ref = json_get(v, "external_ref"), *type = json_get(ref, "type");
    return v && v->type == JSON_OBJECT && type_name(v) && sl_filled(v, "url") &&
           sl_filled(ref, "id") && (!type || type->type == JSON_STRING) &&
           sl_filled(json_get(attributes_of(v), "title"), "text");
}

/* What is wrong with one, said as errors or as warnings are. */
struct faults {
    struct call *c;
    const char *from; /* where it is */
    bool warn, any;
};

static void note_fault(struct faults *f, const char *at, const char *what)
{
    struct slack_call *s = slack_of(f->c);
    f->any = true;
    if (!f->warn)
        slack_message(f->c, at, "%s", what);
    else if (s->n_messages < SOSIA_LEN(s->messages))
        s->messages[s->n_messages++] = arena_printf(f->c->tx.arena, "%s (pointer: %s)", what, at);
}

#define OBJECT(table) "object", .required = true, .fields = (table), .n_fields = SOSIA_LEN(table)
#define ANY           "any", .required = true

static const struct field ref_fields[] = {{"id", ANY}};
static const struct field title_fields[] = {{"text", ANY}};
static const struct field icon_fields[] = {{"alt_text", ANY}};
static const struct field attribute_fields[] = {
    {"title", OBJECT(title_fields)},
    {"product_icon", "object", .fields = icon_fields, .n_fields = SOSIA_LEN(icon_fields)}};
static const struct field payload_fields[] = {{"attributes", OBJECT(attribute_fields)}};
static const struct field entity_fields[] = {{"entity_type", ANY},
                                             {"external_ref", OBJECT(ref_fields)},
                                             {"url", ANY},
                                             {"entity_payload", OBJECT(payload_fields)}};

const struct field sl_entity_field = {"metadata", OBJECT(entity_fields)};

static enum body_verdict entity_fault(struct call *c, const struct body_report *r)
{
    const struct body_place *at;
    struct faults *f = r->arg;
    struct arena *a = c->tx.arena;
    const char *words = sl_fault_words(a, r, &at);
    if (r->field->fields == icon_fields) /* an icon that is not an object lacks its text */
        words = "missing required field: alt_text";
    note_fault(f, sl_pointer(a, f->from, at, SIZE_MAX), words);
    return BODY_TAKE;
}

static void entity_faults(struct faults *f, const struct json *v, const char *at)
{
    static const struct body_rules rules = {
        .fault = entity_fault, .order = BODY_AS_TABLED, .nulls = true};
    f->from = at;
    body_check_value(f->c, &sl_entity_field, (struct json *)(uintptr_t)v, &rules, NULL, f);
    if (!f->any && !is_entity(v))
        note_fault(f, at, "must provide a valid entity");
}

bool sl_entity_is_faulty(struct call *c, const struct json *v, const char *at)
{
    struct faults f = {.c = c};
    entity_faults(&f, v, at);
    return f.any;
}

bool sl_entities_are_faulty(struct call *c, const struct json *list)
{
    struct faults f = {.c = c, .warn = true};
    if (list->type != JSON_ARRAY)
        note_fault(&f, "/metadata/entities", "must provide an array");
    else if (list->n > SL_ENTITIES)
        note_fault(&f, "/metadata/entities", "no more than 100 items allowed");
    for (uint32_t i = 0; !f.any && i < list->n; i++)
        entity_faults(&f, &list->items[i], arena_printf(c->tx.arena, "/metadata/entities/%u", i));
    return f.any;
}

bool sl_are_entities(const struct json *list, bool posted)
{
    if (!list || list->type != JSON_ARRAY || !list->n || list->n > SL_ENTITIES)
        return false;
    for (uint32_t i = 0; i < list->n; i++)
        if (!is_entity(&list->items[i]) ||
            (posted && !sl_filled(&list->items[i], "app_unfurl_url")))
            return false;
    return true;
}

const struct json *sl_entity_find(const struct json *list, const char *url)
{
    if (!sl_are_entities(list, false))
        return NULL;
    for (uint32_t i = 0; i < list->n; i++) {
        const char *shared = json_get_str(&list->items[i], "app_unfurl_url");
        if (!url || strcmp(json_get_str(&list->items[i], "url"), url) == 0 ||
            (shared && strcmp(shared, url) == 0))
            return &list->items[i];
    }
    return NULL;
}

void sl_write_work_object(struct json_writer *w, const struct json *entity, const char *app_name)
{
    const struct json *attributes = attributes_of(entity);
    const char *name = sl_filled(attributes, "product_name"),
               *kind = sl_filled(attributes, "display_type");
    json_obj(w, "work_object_entity");
    json_str(w, "app_name", name ? name : app_name);
    json_str(w, "display_type", kind ? kind : type_name(entity));
    json_str(w, "external_url", json_get_str(entity, "url"));
    json_obj(w, "layouts");
    json_obj(w, "compact");
    json_str(w, "layout_type", "compact");
    json_obj(w, "title");
    json_str(w, "text", json_get_str(json_get(attributes, "title"), "text"));
    json_end(w);
    json_end(w);
    json_end(w);
    json_end(w);
}
