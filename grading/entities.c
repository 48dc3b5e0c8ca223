/* SPDX-License-Identifier: Apache-2.0 */
#include "grading/entities.h"
#include "engine/state/stored.h"
#include "engine/send/delivery.h"
#include "engine/world/members.h"
#include "services/list.h"

const struct sosia_core *entities_core(size_t i)
{
    if (i == 0)
        return &world_core;
    i--;
    for (const struct sosia_service *const *s = sosia_services; *s; s++)
        for (const struct sosia_core *const *c = (*s)->cores; c && *c; c++, i--)
            if (i == 0)
                return *c;
    return i == 0 ? &delivery_core : NULL;
}

const struct entity *entities_at(size_t i)
{
    const struct sosia_core *c;
    for (size_t k = 0; (c = entities_core(k)); i -= c->n_entities, k++)
        if (i < c->n_entities)
            return &c->entities[i];
    return NULL;
}

const struct entity_view *entities_view(const struct entity *e, const struct entity_view *after)
{
    const struct sosia_core *c;
    for (size_t k = 0; (c = entities_core(k)); k++)
        for (const struct entity_view *v = c->views; v && v->entity; v++) {
            if (!after && strcmp(v->entity, e->name) == 0)
                return v;
            after = v == after ? NULL : after;
        }
    return NULL;
}

/* The table of its members: its own, or that of the section which is dumped as it is. */
static const struct form *form_of(const struct entity *e)
{
    const struct sosia_core *c;
    for (size_t k = 0; !e->stored && (c = entities_core(k)); k++)
        for (size_t i = 0; i < c->n_sections; i++)
            if (c->sections[i].form && c->sections[i].dump_one == e->dump)
                return c->sections[i].form;
    return e->stored ? e->stored->form : NULL;
}

const char *entities_members(const struct entity *e, struct arena *a)
{
    const struct form *form = e->members ? NULL : form_of(e);
    struct buf b;
    if (!form)
        return e->members;
    buf_init(&b, 0);
    form_paths(&b, form);
    return buf_keep(&b, a);
}

/* ---- as a page ---- */

bool entities_noise(const char *const *noise, const char *path, size_t n)
{
    for (; noise && *noise; noise++)
        if (strlen(*noise) == n && memcmp(*noise, path, n) == 0)
            return true;
    return false;
}

static void add_members(struct buf *out, const char *list, const char *const *noise)
{
    const char *comma = "";
    size_t n;
    for (const char *p; (p = members_next(&list, &n)), n;) {
        if (entities_noise(noise, p, n))
            continue;
        buf_printf(out, "%s`%.*s`", comma, (int)n, p);
        comma = ", ";
    }
}

static void add_line(struct buf *out, const struct entity *e, const struct entity_view *v)
{
    struct arena a;
    arena_init(&a, 0);
    const char *list = v && v->members ? v->members : entities_members(e, &a);
    if (list) {
        buf_printf(out, "| `%s` | %s | %s | ", e->name, v ? v->service : "",
                   v && v->vendor ? v->vendor : "");
        add_members(out, list, v ? v->noise : NULL);
        buf_puts(out, " |\n");
    }
    arena_done(&a);
}

void entities_markdown(struct buf *out)
{
    const struct sosia_core *c;
    const struct entity *e;
    buf_puts(out, "# Entities\n\nWhat diffs show, and what suites and policies name, with all "
                  "members that they may name (`sosia "
                  "routes --entities`). `*` is any item of a list, `**` whatever is there.\n\n"
                  "| entity | service | vendor | members |\n|---|---|---|---|\n");
    for (size_t i = 0; (e = entities_at(i)); i++) {
        const struct entity_view *v = entities_view(e, NULL);
        if (!v)
            add_line(out, e, NULL);
        for (; v; v = entities_view(e, v))
            add_line(out, e, v);
    }
    buf_puts(out, "\n## Members of seed documents\n\nBy the tables that read and write them; "
                  "[seed.md](seed.md) "
                  "has every section, with examples.\n");
    for (size_t k = 0; (c = entities_core(k)); k++) {
        for (size_t i = 0; i < c->n_sections; i++)
            if (section_form(&c->sections[i]))
                form_markdown(out, section_form(&c->sections[i]), c->sections[i].name);
        for (const struct core_policy *p = c->policies; p && p->core; p++)
            if (p->form)
                form_markdown(out, p->form, p->list);
    }
}

/* ---- as a JSON Schema ---- */

/* The members of a document besides its sections (engine/state/seed.c). */
static const struct member head_members[] = {
    {"sosia", "The format's version", .kind = MEMBER_INT, .min = 1, .max = 1,
     .flags = MEMBER_REQUIRED},
    {"name", "The world's name", .kind = MEMBER_TEXT},
    {"title", "Its title, for people", .kind = MEMBER_TEXT},
    {"time", "Its clock: an RFC 3339 time", .kind = MEMBER_TEXT},
    {"zone", "The zone of times without one", .kind = MEMBER_ZONE},
    {"seed", "Of its ids, from 1", .kind = MEMBER_OWN,
     .schema = "{\"type\":[\"integer\",\"null\"]}"},
    {"rates", "The vendors' limits of rates hold", .kind = MEMBER_BOOL},
    {"journal", "What is kept of calls", .kind = MEMBER_OWN,
     .schema = "{\"type\":[\"object\",\"null\"]}"},
    /* Of the command, which makes one document of several. */
    {"include", "Paths of other documents, or names of fixtures", .kind = MEMBER_OWN,
     .schema = "{\"type\":[\"string\",\"array\",\"null\"],\"items\":{\"type\":\"string\"}}"},
    {"generate", "The numbers of a company that is made", .kind = MEMBER_OWN,
     .schema = "{\"type\":[\"object\",\"null\"],\"properties\":{\"vendors\":{\"type\":"
               "\"string\"}},\"additionalProperties\":{\"type\":\"integer\"}}"},
};

/* Sections with another shape than a list of items of a form. */
static const struct {
    const char *name, *schema;
} settings[] = {
    {"mailRouting",
     "{\"type\":[\"object\",\"null\"],\"additionalProperties\":{\"type\":\"string\"}}"},
    {"freeBusy", "{\"type\":[\"object\",\"null\"],\"additionalProperties\":{\"type\":\"array\","
                 "\"items\":{\"type\":\"string\"}}}"},
    {"oauth", "{\"anyOf\":[{\"enum\":[\"listed\",\"open\",null]},{\"type\":\"object\","
              "\"additionalProperties\":false,\"properties\":{\"mode\":{\"enum\":[\"listed\","
              "\"open\",null]},\"actor\":{\"type\":[\"string\",\"null\"]}}}]}"},
    {"registration", "{\"type\":[\"boolean\",\"null\"]}"},
    {"workspaceLimits", NULL}, /* one object of its form */
    {"programs", NULL},
};

static void add_section(struct json_writer *w, const struct section *s)
{
    const struct form *form = section_form(s);
    for (size_t i = 0; i < SOSIA_LEN(settings); i++)
        if (strcmp(settings[i].name, s->name) == 0) {
            if (settings[i].schema) {
                json_raw(w, s->name, settings[i].schema, strlen(settings[i].schema));
            } else {
                json_obj(w, s->name);
                form_schema(w, form);
                json_end(w);
            }
            return;
        }
    json_obj(w, s->name);
    if (s->schema) {
        s->schema(w);
    } else if (form || s->seed_one) {
        json_arr(w, "type");
        json_str(w, NULL, "array");
        json_str(w, NULL, "null");
        json_end(w);
        if (form) {
            json_obj(w, "items");
            form_schema(w, form);
            json_end(w);
        }
    }
    json_end(w);
}

void entities_schema(struct buf *out)
{
    static const struct form head = FORM(NULL, head_members);
    const struct sosia_core *c;
    struct json_writer w;
    json_init(&w, out, true, NULL);
    json_obj(&w, NULL);
    json_str(&w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_str(&w, "title", "A seed document");
    json_str(&w, "type", "object");
    json_bool(&w, "additionalProperties", false);
    json_arr(&w, "required");
    json_str(&w, NULL, "sosia");
    json_end(&w);
    json_obj(&w, "properties");
    form_schema_members(&w, &head);
    for (size_t k = 0; (c = entities_core(k)); k++)
        for (size_t i = 0; i < c->n_sections; i++)
            add_section(&w, &c->sections[i]);
    json_end(&w);
    json_end(&w);
    buf_byte(out, '\n');
}
