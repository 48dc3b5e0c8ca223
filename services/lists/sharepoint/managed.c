/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of items under the names that SharePoint's search has for them (managed properties:
 * learn.microsoft.com/sharepoint/technical-reference/crawled-and-managed-properties-overview), and
 * columns under their own. A name is answered with a small letter in front.
 */
#include "engine/base/codec.h"
#include "services/lists/sharepoint/sharepoint.h"
#include <ctype.h>

struct shown {
    struct sp_at *at;
    const struct lists_item *item;
    const struct json *all; /* the item as it is answered */
};

static const char *extension(const struct sp_at *at)
{
    const char *dot = at->of.is_library && !at->file.folder ? strrchr(at->file.name, '.') : NULL;
    return dot ? dot + 1 : NULL;
}

/* A file that was given no title has its name without what is behind the last dot. */
static const char *title(const struct shown *s)
{
    struct sp_at *at = s->at;
    const char *end = extension(at), *given = json_get_str(json_get(s->all, "fields"), "Title");
    if (!at->of.is_library || (given && *given))
        return given;
    return end ? arena_memdup(at->c->tx.arena, at->file.name, (size_t)(end - 1 - at->file.name))
               : at->file.name;
}

static const char *contentclass(const struct shown *s)
{
    return s->at->of.is_library ? "STS_ListItem_DocumentLibrary" : "STS_ListItem_GenericList";
}

static const char *path(const struct shown *s)
{
    return json_get_str(s->all, "webUrl");
}

static const char *author(const struct shown *s)
{
    return json_get_str(json_get(json_get(s->all, "createdBy"), "user"), "displayName");
}

static const char *editor(const struct shown *s)
{
    return json_get_str(json_get(json_get(s->all, "lastModifiedBy"), "user"), "displayName");
}

static const char *created(const struct shown *s)
{
    return json_get_str(s->all, "createdDateTime");
}

static const char *modified(const struct shown *s)
{
    return json_get_str(s->all, "lastModifiedDateTime");
}

static const char *list_id(const struct shown *s)
{
    return s->at->of.list.key;
}

static const char *list_item_id(const struct shown *s)
{
    return arena_printf(s->at->c->tx.arena, "%lld", (long long)s->item->number);
}

static const char *unique_id(const struct shown *s)
{
    return s->item->key;
}

static const char *file_name(const struct shown *s)
{
    return s->at->of.is_library ? s->at->file.name : NULL;
}

static const char *file_type(const struct shown *s)
{
    return extension(s->at);
}

static const char *size(const struct shown *s)
{
    return s->at->of.is_library && !s->at->file.folder
               ? arena_printf(s->at->c->tx.arena, "%lld", (long long)s->at->file.size)
               : NULL;
}

static const char *is_document(const struct shown *s)
{
    return s->at->of.is_library && !s->at->file.folder ? "true" : "false";
}

static const char *site_id(const struct shown *s)
{
    return s->at->site.key;
}

static const char *site_title(const struct shown *s)
{
    return s->at->site.name;
}

static const char *site_url(const struct shown *s)
{
    return ms_site_url(s->at->c->tx.arena, &s->at->site);
}

static const char *web_id(const struct shown *s)
{
    return s->at->site.web;
}

static const struct {
    const char *name;
    const char *(*text)(const struct shown *s); /* NULL: it has none */
} managed[] = {
    {"author", author},
    {"contentclass", contentclass},
    {"created", created},
    {"createdBy", author},
    {"fileExtension", file_type},
    {"filename", file_name},
    {"fileType", file_type},
    {"isDocument", is_document},
    {"lastModifiedTime", modified},
    {"listId", list_id},
    {"listItemId", list_item_id},
    {"modifiedBy", editor},
    {"path", path},
    {"siteId", site_id},
    {"siteName", site_url},
    {"sitePath", site_url},
    {"siteTitle", site_title},
    {"size", size},
    {"spSiteURL", site_url},
    {"spWebUrl", site_url},
    {"title", title},
    {"uniqueId", unique_id},
    {"webId", web_id},
    {"write", modified},
};

/* The value of a column by its name, in any case of letters; NULL: there is none. */
static const struct json *column(const struct json *fields, const char *name)
{
    for (uint32_t i = 0; fields && i < fields->n; i++)
        if (str_eq_nocase(fields->members[i].key, name))
            return &fields->members[i].value;
    return NULL;
}

static void write_named(const struct shown *s, const char *name)
{
    struct json_writer *w = s->at->c->out;
    char *key = arena_strdup(s->at->c->tx.arena, name);
    const struct json *v;
    if (!key)
        return;
    *key = (char)tolower((unsigned char)*key);
    for (size_t i = 0; i < SOSIA_LEN(managed); i++)
        if (str_eq_nocase(managed[i].name, name)) {
            json_str_opt(w, key, managed[i].text(s));
            return;
        }
    if (*name != '@' && (v = column(json_get(s->all, "fields"), name)))
        json_value(w, key, v);
}

/* Was the name said before? In any case of letters. */
static bool said(const struct json *names, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (str_eq_nocase(names->items[k].str, names->items[i].str))
            return true;
    return false;
}

int sp_write_found_fields(struct sp_at *at, const struct lists_item *item, const struct json *names)
{
    struct shown s = {.at = at, .item = item};
    if (sp_item_json(at, item, &s.all) < 0)
        return -1;
    json_obj(at->c->out, "fields");
    for (uint32_t i = 0; i < names->n; i++)
        if (!said(names, i))
            write_named(&s, names->items[i].str);
    json_end(at->c->out);
    return 0;
}
