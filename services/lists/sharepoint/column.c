/* SPDX-License-Identifier: Apache-2.0 */
/* Columns as Graph has them: what a column is of is a member of its own. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/lists/sharepoint/sharepoint.h"

/* ---- facets ---- */

/* Members of a facet that the core doesn't know: they are kept as they came. */
struct plain {
    const char *name, *usual; /* JSON; NULL: absent without a word */
};

static const struct facet {
    const char *name;
    struct plain plain[4];
} facets[] = {
    [LISTS_TEXT] = {"text", {{"appendChangesToExistingText", "false"}, {"linesForEditing", "0"}}},
    [LISTS_NOTE] = {"text",
                    {{"appendChangesToExistingText", "false"},
                     {"linesForEditing", "6"},
                     {"textType", "\"plain\""}}},
    [LISTS_NUMBER] = {"number", {{"decimalPlaces", "\"automatic\""}, {"displayAs", "\"number\""}}},
    [LISTS_CURRENCY] = {"currency", {{"locale", "\"en-us\""}}},
    [LISTS_BOOLEAN] = {"boolean", {{NULL, NULL}}},
    [LISTS_TIME] = {"dateTime", {{"displayAs", "\"default\""}, {"format", "\"dateTime\""}}},
    [LISTS_CHOICE] = {"choice", {{"displayAs", "\"dropDownMenu\""}}},
    [LISTS_CHOICES] = {"choice", {{NULL, NULL}}},
    [LISTS_LOOKUP] = {"lookup", {{"allowUnlimitedLength", "false"}, {"columnName", "\"Title\""}}},
    [LISTS_PERSON] = {"personOrGroup",
                      {{"displayAs", "\"nameWithPresence\""},
                       {"chooseFromType", "\"peopleAndGroups\""}}},
    [LISTS_LINK] = {"hyperlinkOrPicture", {{"isPicture", "false"}}},
    [LISTS_COMPUTED] = {NULL, {{NULL, NULL}}},
};

static const struct json *extra_of(struct arena *a, const struct lists_column *k)
{
    const struct json *extra = NULL;
    struct sosia_err err;
    if (k->extra && json_parse(a, k->extra, strlen(k->extra), NULL, &extra, &err) < 0)
        extra = NULL;
    return extra;
}

static void write_plain(struct json_writer *w, const struct facet *f, const struct json *extra)
{
    for (size_t i = 0; i < SOSIA_LEN(f->plain) && f->plain[i].name; i++) {
        const struct json *v = extra ? json_get(extra, f->plain[i].name) : NULL;
        if (v)
            json_value(w, f->plain[i].name, v);
        else if (f->plain[i].usual)
            json_raw(w, f->plain[i].name, f->plain[i].usual, strlen(f->plain[i].usual));
    }
}

static void write_bound(struct json_writer *w, const char *name, const char *bound,
                        const char *otherwise)
{
    const char *text = bound ? bound : otherwise;
    json_raw(w, name, text, strlen(text));
}

static void write_facet(struct arena *a, struct json_writer *w, const struct lists_column *k)
{
    const struct facet *f = &facets[k->kind];
    if (!f->name)
        return;
    json_obj(w, f->name);
    if (k->kind == LISTS_TEXT || k->kind == LISTS_NOTE)
        json_bool(w, "allowMultipleLines", k->kind == LISTS_NOTE);
    if (k->kind == LISTS_CHOICE || k->kind == LISTS_CHOICES) {
        json_bool(w, "allowTextEntry", k->free);
        json_raw(w, "choices", k->choices ? k->choices : "[]", k->choices ? strlen(k->choices) : 2);
        if (k->kind == LISTS_CHOICES)
            json_str(w, "displayAs", "checkBoxes");
    }
    if (k->kind == LISTS_LOOKUP)
        json_bool(w, "allowMultipleValues", k->multiple);
    if (k->kind == LISTS_PERSON)
        json_bool(w, "allowMultipleSelection", k->multiple);
    write_plain(w, f, extra_of(a, k));
    if (k->kind == LISTS_TEXT)
        json_int(w, "maxLength", k->length ? k->length : 255);
    if (k->kind == LISTS_LOOKUP)
        json_str(w, "listId", k->target ? k->target : "");
    if (k->kind == LISTS_NUMBER) {
        write_bound(w, "maximum", k->most, "1.7976931348623157E+308");
        write_bound(w, "minimum", k->least, "-1.7976931348623157E+308");
    }
    json_end(w);
}

void sp_write_column(struct arena *a, struct json_writer *w, const struct lists_column *k)
{
    json_str(w, "columnGroup", "Custom Columns");
    json_str(w, "description", k->description ? k->description : "");
    json_str(w, "displayName", k->title);
    json_bool(w, "enforceUniqueValues", k->single);
    json_bool(w, "hidden", k->hidden);
    json_str(w, "id", k->key);
    json_bool(w, "indexed", k->indexed);
    json_str(w, "name", k->name);
    json_bool(w, "readOnly", false);
    json_bool(w, "required", k->required);
    if (k->usual) {
        json_obj(w, "defaultValue");
        json_str(w, "value", k->usual);
        json_end(w);
    }
    write_facet(a, w, k);
}

/* ---- columns that every list has ---- */

static const struct builtin {
    const char *name, *title, *id;
    enum lists_kind kind;
} builtins[] = {
    {"ID", "ID", "1d22ea11-1e32-424e-89ab-9fedbadb6ce1", LISTS_COMPUTED},
    {"ContentType", "Content Type", "c042a256-787d-4a6f-8a8a-cf6ab767f12d", LISTS_COMPUTED},
    {"Modified", "Modified", "28cf69c5-fa48-462a-b5cd-27b6f9d2bd5f", LISTS_TIME},
    {"Created", "Created", "8c06beca-0777-48f7-91c7-6da68bc07b69", LISTS_TIME},
    {"Author", "Created By", "1df5e554-ec7e-46a6-901d-d85a3881cb18", LISTS_PERSON},
    {"Editor", "Modified By", "d31655d1-1d5b-4511-95a1-7a09e9b75bf2", LISTS_PERSON},
    {"_UIVersionString", "Version", "dce8262a-3ae9-45aa-aab4-83bd75fb738a", LISTS_COMPUTED},
    {"Attachments", "Attachments", "67df98f4-9dec-48ff-a553-29bece9c5bf4", LISTS_COMPUTED},
    {"Edit", "Edit", "503f1caa-358e-4918-9094-4a2cdc4bc034", LISTS_COMPUTED},
    {"LinkTitleNoMenu", "Title", "bc91a437-52e7-49e1-8c4e-4698904b2b6d", LISTS_COMPUTED},
    {"LinkTitle", "Title", "82642ec8-ef9b-478f-acf9-31f7d45fbc31", LISTS_COMPUTED},
};

bool sp_is_builtin(const char *name)
{
    static const char *const others[] = {"id",
                                         "AuthorLookupId",
                                         "EditorLookupId",
                                         "FileLeafRef",
                                         "DocIcon",
                                         "FileSizeDisplay",
                                         "LinkFilename",
                                         "LinkFilenameNoMenu",
                                         "ItemChildCount",
                                         "FolderChildCount"};
    for (size_t i = 0; i < SOSIA_LEN(builtins); i++)
        if (str_eq_nocase(builtins[i].name, name))
            return true;
    return str_in_nocase(name, others, SOSIA_LEN(others));
}

static void write_builtin(struct call *c, const struct builtin *b)
{
    struct json_writer *w = c->out;
    const bool type = strcmp(b->name, "ContentType") == 0;
    json_obj(w, NULL);
    json_str(w, "columnGroup", type ? "_Hidden" : "Custom Columns");
    json_str(w, "description", "");
    json_str(w, "displayName", b->title);
    json_bool(w, "enforceUniqueValues", false);
    json_bool(w, "hidden", false);
    json_str(w, "id", b->id);
    json_bool(w, "indexed", false);
    json_str(w, "name", b->name);
    json_bool(w, "readOnly", !type);
    json_bool(w, "required", false);
    write_facet(c->tx.arena, c->out, &(struct lists_column){.kind = (int)b->kind});
    json_end(w);
}

int sp_write_columns(struct sp_at *at)
{
    struct lists_column column = {.id = 0};
    int r = 0;
    while ((r = lists_column_next(&at->c->tx, at->of.list.id, column.id, &column)) == 1) {
        json_obj(at->c->out, NULL);
        sp_write_column(at->c->tx.arena, at->c->out, &column);
        json_end(at->c->out);
    }
    for (size_t i = 0; r == 0 && i < SOSIA_LEN(builtins); i++)
        write_builtin(at->c, &builtins[i]);
    return r;
}

/* ---- reading ---- */

static int bad_column(struct call *c)
{
    return sp_not_acceptable(c);
}

/* "A_x0020_B": what a name may have, of any text. */
static const char *coded_name(struct arena *a, const char *text)
{
    struct buf b;
    buf_init(&b, 64);
    for (const char *p = text; *p; p++)
        if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
            *p == '_')
            buf_byte(&b, *p);
        else if (!((unsigned char)*p & 0x80))
            buf_printf(&b, "_x%04x_", (unsigned char)*p);
    const char *name = buf_failed(&b) ? NULL : arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return name;
}

/* The text of a number's member; absent: stays. */
static int read_bound(struct call *c, const struct json *f, const char *name, const char **ret)
{
    const struct json *v = json_get(f, name);
    if (!v || v->type == JSON_NULL)
        return 0;
    if (v->type != JSON_NUMBER)
        return bad_column(c);
    *ret = v->str;
    return 0;
}

static int read_choices(struct call *c, const struct json *f, struct lists_column *k)
{
    const struct json *list = json_get(f, "choices");
    if (list && (list->type != JSON_ARRAY || list->n > 500))
        return bad_column(c);
    for (uint32_t i = 0; list && i < list->n; i++)
        if (list->items[i].type != JSON_STRING || !list->items[i].n || list->items[i].n > 255)
            return bad_column(c);
    if (list)
        k->choices = json_to_text(c->tx.arena, list);
    if (json_get(f, "allowTextEntry"))
        k->free = json_get_true(f, "allowTextEntry");
    return 0;
}

/* What the core knows of a facet. */
static int read_facet(struct sp_at *at, const struct json *f, struct lists_column *k)
{
    struct call *c = at->c;
    struct lists_list target;
    const char *list = json_get_str(f, "listId");
    switch ((enum lists_kind)k->kind) {
    case LISTS_TEXT:
        k->length = json_get_int(f, "maxLength", k->length ? k->length : 255);
        return k->length < 1 || k->length > 255 ? bad_column(c) : 0;
    case LISTS_NUMBER:
    case LISTS_CURRENCY:
        return read_bound(c, f, "minimum", &k->least) < 0 ||
                       read_bound(c, f, "maximum", &k->most) < 0
                   ? -1
                   : 0;
    case LISTS_CHOICE:
    case LISTS_CHOICES:
        return read_choices(c, f, k);
    case LISTS_LOOKUP: {
        int r = list ? lists_by_key(&c->tx, list, &target) : k->target != NULL;
        k->multiple = json_get(f, "allowMultipleValues") ? json_get_true(f, "allowMultipleValues")
                                                         : k->multiple;
        if (list && r == 1 && strcmp(target.place, at->site.key) != 0)
            r = 0; /* lookups stay in their site */
        if (list && r == 1)
            k->target = target.key;
        return r == 1 ? 0 : r < 0 ? -1 : bad_column(c);
    }
    case LISTS_PERSON:
        if (json_get(f, "allowMultipleSelection"))
            k->multiple = json_get_true(f, "allowMultipleSelection");
        return 0;
    default:
        return 0;
    }
}

/* Which facet a body has: its kind; -1 none, -2 several. */
static int kind_of(const struct json *body, const struct json **ret)
{
    int kind = -1;
    for (size_t i = 0; i < SOSIA_LEN(facets); i++) {
        const struct json *f = facets[i].name ? json_get(body, facets[i].name) : NULL;
        if (!f || f->type != JSON_OBJECT || i == LISTS_NOTE || i == LISTS_CHOICES)
            continue;
        if (kind >= 0)
            return -2;
        kind = (int)i;
        *ret = f;
    }
    if (kind == LISTS_TEXT && json_get_true(*ret, "allowMultipleLines"))
        kind = LISTS_NOTE;
    if (kind == LISTS_CHOICE && str_same(json_get_str(*ret, "displayAs"), "checkBoxes"))
        kind = LISTS_CHOICES;
    return kind;
}

static int read_names(struct call *c, const struct json *body, bool is_new, struct lists_column *k)
{
    const char *title = json_get_str(body, "displayName"), *name = json_get_str(body, "name");
    if (is_new) {
        if (!name && !title)
            return bad_column(c);
        k->name = coded_name(c->tx.arena, name ? name : title);
        if (!k->name || !*k->name || strlen(k->name) > 63)
            return bad_column(c);
        if (sp_is_builtin(k->name)) /* the list has one of its own of that name */
            k->name = ARENA_JOIN(c->tx.arena, k->name, "0");
    } else if (name && strcmp(name, k->name) != 0) {
        return bad_column(c);
    }
    if (title && *title)
        k->title = title;
    else if (is_new)
        k->title = name ? name : k->name;
    else if (title)
        return bad_column(c);
    return utf8_count(k->title, strlen(k->title)) > SP_NAME ? bad_column(c) : 0;
}

int sp_read_column(struct sp_at *at, const struct json *body, bool is_new, struct lists_column *k)
{
    struct call *c = at->c;
    const struct json *facet = NULL, *usual = json_get(body, "defaultValue");
    const int kind = kind_of(body, &facet);
    if (kind == -2 || (is_new && kind < 0) || json_get(body, "calculated") ||
        json_get(body, "thumbnail") || (!is_new && kind >= 0 && kind != k->kind))
        return bad_column(c);
    if (read_names(c, body, is_new, k) < 0)
        return -1;
    if (is_new)
        k->kind = kind;
    if (facet && read_facet(at, facet, k) < 0)
        return -1;
    if (facet)
        k->extra = json_to_text(c->tx.arena, facet);
    if (json_get(body, "description"))
        k->description = json_get_str(body, "description");
    if (json_get(body, "required"))
        k->required = json_get_true(body, "required");
    if (json_get(body, "indexed"))
        k->indexed = json_get_true(body, "indexed");
    if (json_get(body, "hidden"))
        k->hidden = json_get_true(body, "hidden");
    if (json_get(body, "enforceUniqueValues"))
        k->single = json_get_true(body, "enforceUniqueValues");
    if (k->single && (!k->indexed || k->kind == LISTS_NOTE || k->kind == LISTS_CHOICES ||
                      k->kind == LISTS_BOOLEAN || k->kind == LISTS_LINK || k->multiple))
        return bad_column(c);
    if (k->indexed &&
        (k->kind == LISTS_NOTE || k->kind == LISTS_CHOICES || k->kind == LISTS_LINK || k->multiple))
        return bad_column(c);
    if (usual)
        k->usual = usual->type == JSON_OBJECT ? json_get_str(usual, "value") : NULL;
    if (usual && lists_usual_check(&c->tx, k, false) < 0)
        return sp_refused(c);
    return 0;
}
