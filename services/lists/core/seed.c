/* SPDX-License-Identifier: Apache-2.0 */
/* Lists in seed documents, dumps and diffs: the tables of members. */
#include "engine/base/codec.h"
#include "engine/state/own.h"
#include "services/lists/core/lists.h"

const char *const lists_kinds[] = {"text", "note",     "number",  "currency", "boolean",
                                   "time", "choice",   "choices", "lookup",   "person",
                                   "link", "computed", NULL};

/* GUIDs are kept in lower case, as they are looked up. */
static const char *lower(const struct form_in *in, const char *key)
{
    char *text = key ? arena_strdup(in->tx->arena, key) : NULL;
    for (char *p = text; p && *p; p++)
        *p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
    return text;
}

/* ---- columns ---- */

static int check_name(const struct form_in *in, const struct member *m, void *row)
{
    const struct lists_column *k = row;
    const char *name = k->name ? k->name : "";
    size_t n = strlen(name);
    if (n && n <= 64 &&
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                     "0123456789_") == n)
        return 0;
    return doc_refuse(in->d, in->value, m->name,
                      "must be 1 to 64 letters, digits and underscores, not \"%.80s\"", name);
}

static int check_column(const struct form_in *in, void *row)
{
    struct lists_column *k = row;
    const struct json *list;
    k->key = lower(in, k->key);
    k->target = lower(in, k->target);
    if (!k->title)
        k->title = k->name;
    if (k->name && k->usual && lists_usual_check(in->tx, k, true) < 0)
        return in->tx->err->code != SOSIA_E_INVALID
                   ? -1
                   : doc_refuse(in->d, in->value, "usual",
                                "must be a value of the column, not \"%.80s\"", k->usual);
    if (!k->choices)
        return 0;
    if (lists_values_read(in->tx, k->choices, &list) < 0)
        return -1;
    for (uint32_t i = 0; i < list->n; i++)
        if (list->items[i].type != JSON_STRING)
            return doc_refuse(in->d, in->value, "choices", "must be a list of texts");
    return 0;
}

static const struct member column_members[] = {
    STORED_ID(struct lists_column),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct lists_column, list, int64_t)},
    {"name", "What values of items are called", TEXT_AT(struct lists_column, name),
     .flags = MEMBER_REQUIRED, .check = check_name},
    {"id", "Its GUID; made up without it", TEXT_AT(struct lists_column, key)},
    {"title", "What people see; the name without it", TEXT_AT(struct lists_column, title)},
    {"description", "What it is for", TEXT_AT(struct lists_column, description)},
    {"type", "What its values are", ENUM_AT(struct lists_column, kind, lists_kinds),
     .flags = MEMBER_SPOKEN},
    {"required", "Each item has a value", BOOL_AT(struct lists_column, required)},
    {"indexed", "Lists may be filtered by it", BOOL_AT(struct lists_column, indexed)},
    {"unique", "No two items have the same value", BOOL_AT(struct lists_column, single)},
    {"hidden", "People don't see it", BOOL_AT(struct lists_column, hidden)},
    {"multiple", "A list of lookups or people", BOOL_AT(struct lists_column, multiple)},
    {"free", "Of choices: other texts will do too", BOOL_AT(struct lists_column, free)},
    {"least", "Of numbers: the smallest", KEPT_AT(struct lists_column, least, JSON_NUMBER)},
    {"most", "Of numbers: the largest", KEPT_AT(struct lists_column, most, JSON_NUMBER)},
    {"length", "Of texts: so many characters at most; 0: any number",
     INT_AT(struct lists_column, length, 0, 1 << 20)},
    {"choices", "The texts of a choice", KEPT_AT(struct lists_column, choices, JSON_ARRAY)},
    {"list", "Of lookups: the id of the list that they are into",
     TEXT_AT(struct lists_column, target)},
    {"usual", "What a new item has without a word", TEXT_AT(struct lists_column, usual)},
    {"extra", "What the API has of it besides, as the API has it",
     KEPT_AT(struct lists_column, extra, JSON_OBJECT)},
};
static int add_column(const struct form_in *in, void *row)
{
    struct lists_column *column = row, same;
    int r = lists_column_find(in->tx, column->list, column->name, &same);
    if (r)
        return r < 0 ? -1 : doc_fail_twice(in->d, json_get(in->value, "name"), "name");
    return lists_column_new(in->tx, column) == 0 ? 0 : doc_taken(in->d, in->value, "id");
}

STORED(lists_column_stored, "A column of a list", struct lists_column, column_members, check_column,
       .table = "lists_column", .key = "name", .add = add_column);

static int begin_column(const struct form_in *in, void *row, int64_t list)
{
    (void)in;
    ((struct lists_column *)row)->list = list;
    return 0;
}

static struct stored_rows columns = {&lists_column_stored, SQL_TEXT("where list = ?1 order by id"),
                                     begin_column};

/* ---- lists ---- */

/* The first vendor that knows the place. 1, 0, -1. */
static int find_place(struct tx *tx, const char *text, const char **ret)
{
    const struct lists_vendor *vendor;
    int r = 0;
    for (size_t i = 0; r == 0 && (vendor = core_policy_nth(tx, LISTS_CORE, i)); i++)
        r = vendor->place_find(tx, text, ret);
    return r;
}

static int read_place(const struct form_in *in, const struct member *m, void *row)
{
    struct lists_list *list = row;
    const char *text;
    if (doc_str(in->d, in->value, m->name, true, &text) < 0)
        return -1;
    int r = find_place(in->tx, text, &list->place);
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_refuse(in->d, in->value, m->name,
                                "must be the path of a site, not \"%.80s\"", text);
}

static int write_place(const struct form_out *out, const struct member *m, const void *row)
{
    const struct lists_list *list = row;
    const struct lists_vendor *vendor;
    const char *text;
    int r = 0;
    for (size_t i = 0; r == 0 && (vendor = core_policy_nth(out->tx, LISTS_CORE, i)); i++)
        r = vendor->place_name(out->tx, list->place, &text);
    if (r == 1)
        json_str(out->w, m->name, text);
    return r < 0 ? -1 : 0;
}

static int check_list(const struct form_in *in, void *row)
{
    struct lists_list *list = row;
    list->key = lower(in, list->key);
    list->title = list->title ? list->title : list->name;
    list->created_us = list->created_us ? list->created_us : in->tx->now_us;
    list->modified_us = list->modified_us ? list->modified_us : list->created_us;
    return 0;
}

/* Without columns a list has a title. */
static int add_title(const struct form_in *in, void *row, int64_t id)
{
    struct lists_column title = {
        .list = id, .name = "Title", .title = "Title", .kind = LISTS_TEXT, .length = 255};
    struct lists_column found;
    (void)row;
    int r = lists_column_find(in->tx, id, "Title", &found);
    return r == 0 ? lists_column_new(in->tx, &title) : r < 0 ? -1 : 0;
}

static int find_list(struct tx *tx, const char *text, int64_t *ret)
{
    struct lists_list list;
    int r = lists_by_key(tx, text, &list);
    if (r == 1)
        *ret = list.id;
    return r;
}

static int name_list(struct tx *tx, int64_t id, const char **ret)
{
    struct lists_list list;
    int r = lists_get(tx, id, &list);
    if (r == 1)
        *ret = list.key;
    return r;
}

static const struct reference list_reference = {"the id of a list", "there is no list", find_list,
                                                name_list};

static int new_list(const struct form_in *in, void *row)
{
    struct lists_list *list = row;
    uint8_t b[16];
    char hex[33];
    if (!list->key) {
        if (tx_id(in->tx, "list", b, sizeof b) < 0)
            return -1;
        hex_encode(hex, b, sizeof b);
        list->key = arena_printf(in->tx->arena, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12,
                                 hex + 16, hex + 20);
    }
    return stored_add(in->tx, &lists_list_stored, list);
}

static const struct member list_members[] = {
    STORED_ID(struct lists_list),
    {"place", "The path of the site that has it", .read = read_place, .write = write_place,
     .flags = MEMBER_REQUIRED, TEXT_AT(struct lists_list, place)},
    {"name", "The name in its address", TEXT_AT(struct lists_list, name), .flags = MEMBER_REQUIRED},
    {"id", "Its GUID; made up without it", TEXT_AT(struct lists_list, key), .flags = MEMBER_ALWAYS},
    {"title", "What people see; the name without it", TEXT_AT(struct lists_list, title)},
    {"description", "What it is for", TEXT_AT(struct lists_list, description)},
    {"template", "What kind of list it is: genericList, tasks, events, ...",
     TEXT_AT(struct lists_list, template), .usual_text = "genericList"},
    {"hidden", "People don't see it", BOOL_AT(struct lists_list, hidden)},
    {"creator", "Who made it", REF_AT(struct lists_list, creator, &actor_reference)},
    {"created", "When; the world's time without it", TIME_AT(struct lists_list, created_us)},
    {"modified", "When something in it was changed; as created without it",
     TIME_AT(struct lists_list, modified_us)},
    {"version", "The number in its tag", INT_AT(struct lists_list, version, 1, INT32_MAX),
     .usual = 1},
    {"nextNumber", "That of the next item", INT_AT(struct lists_list, next_number, 1, INT32_MAX),
     .usual = 1},
    {"columns", "Its columns, in order; Title is always one",
     MEMBER_ROWS(&lists_column_stored_form, &columns), .flags = MEMBER_ALWAYS},
};
STORED(lists_list_stored, "A list of a site", struct lists_list, list_members, check_list,
       .table = "lists_list", .key = "place name", .add = new_list, .added = add_title);

/* ---- items ---- */

static const struct member version_members[] = {
    STORED_ID(struct lists_version),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct lists_version, item, int64_t)},
    {"number", "Which it was", INT_AT(struct lists_version, number, 1, INT32_MAX),
     .flags = MEMBER_REQUIRED | MEMBER_ALWAYS},
    {"values", "What the item had", KEPT_AT(struct lists_version, values, JSON_OBJECT),
     .flags = MEMBER_REQUIRED},
    {"modifier", "Who had put it there", REF_AT(struct lists_version, modifier, &actor_reference)},
    {"modified", "When", TIME_AT(struct lists_version, modified_us)},
};
STORED(lists_version_stored, "Earlier values of an item", struct lists_version, version_members,
       NULL, .table = "lists_version", .key = "number");

static int check_item(const struct form_in *in, void *row)
{
    struct lists_item *item = row;
    item->key = lower(in, item->key);
    return 0;
}

/* The values are as calls would have them. */
static int add_item(const struct form_in *in, void *row)
{
    static struct sql_text q = SQL_TEXT("update lists_list set next_number = max(next_number, "
                                        ":number + 1) where id = :id");
    struct lists_item *item = row, same;
    struct lists_list list;
    const struct json *given;
    uint8_t b[16];
    char hex[33];
    if (lists_get(in->tx, item->list, &list) != 1 ||
        lists_values_read(in->tx, item->values ? item->values : "{}", &given) < 0)
        return -1;
    item->number = item->number ? item->number : list.next_number;
    int r = lists_item_find(in->tx, item->list, item->number, &same);
    if (r)
        return r < 0 ? -1 : doc_fail_twice(in->d, json_get(in->value, "number"), "number");
    if (lists_values(in->tx, &list, -1, NULL, given, &item->values) < 0)
        return in->tx->err->code != SOSIA_E_INVALID
                   ? -1
                   : doc_refuse(in->d, in->value, "values", "%.200s",
                                arena_strdup(in->tx->arena, in->tx->err->text));
    if (!item->key) {
        if (tx_id(in->tx, "list item", b, sizeof b) < 0)
            return -1;
        hex_encode(hex, b, sizeof b);
        item->key = arena_printf(in->tx->arena, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12,
                                 hex + 16, hex + 20);
    }
    item->created_us = item->created_us ? item->created_us : list.created_us;
    item->modified_us = item->modified_us ? item->modified_us : item->created_us;
    item->modifier = item->modifier ? item->modifier : item->creator;
    return tx_number(in->tx, "list change", &item->change) < 0 ||
                   TX_RUN(in->tx, &q, item->number, item->list) < 0
               ? -1
               : stored_add(in->tx, &lists_item_stored, item);
}

static int begin_version(const struct form_in *in, void *row, int64_t item)
{
    (void)in;
    ((struct lists_version *)row)->item = item;
    return 0;
}

static struct stored_rows versions = {&lists_version_stored,
                                      SQL_TEXT("where item = ?1 order by number"), begin_version};

static const struct member item_members[] = {
    STORED_ID(struct lists_item),
    {"list", "The id of its list", REF_AT(struct lists_item, list, &list_reference),
     .flags = MEMBER_REQUIRED},
    {"number", "Which it is; the next one without it",
     INT_AT(struct lists_item, number, 0, INT32_MAX), .flags = MEMBER_ALWAYS},
    {"id", "Its GUID; made up without it", TEXT_AT(struct lists_item, key), .flags = MEMBER_ALWAYS},
    {"values", "Its values, by the names of columns; people by their handles, lookups as numbers",
     KEPT_AT(struct lists_item, values, JSON_OBJECT), .inner = "**"},
    {"creator", "Who made it", REF_AT(struct lists_item, creator, &actor_reference)},
    {"modifier", "Who changed it; the creator without it",
     REF_AT(struct lists_item, modifier, &actor_reference)},
    {"created", "When it was made; as its list without it", TIME_AT(struct lists_item, created_us)},
    {"modified", "When it was changed; as created without it",
     TIME_AT(struct lists_item, modified_us)},
    {"version", "Which version this is", INT_AT(struct lists_item, version, 1, INT32_MAX),
     .usual = 1},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct lists_item, change, int64_t)},
    {"versions", "What it had before, the oldest first",
     MEMBER_ROWS(&lists_version_stored_form, &versions)},
};
STORED(lists_item_stored, "An item of a list", struct lists_item, item_members, check_item,
       .table = "lists_item", .key = "list number", .add = add_item);

/* ---- the core ---- */

extern const char lists_sql[];

static const struct section sections[] = {
    {.name = "lists",
     .stored = &lists_list_stored,
     .ids = SECTION_IDS("select id from lists_list order by place, name")},
    {.name = "listItems",
     .stored = &lists_item_stored,
     .ids = SECTION_IDS("select i.id from lists_item i join lists_list l on l.id = i.list order by "
                        "l.place, l.name, i.number")},
};

static const struct entity_part list_parts[] = {
    {"lists_column", ENTITY_OWNER("select list from lists_column where id = ?1")},
    {NULL, NULL},
};
static const struct entity_part item_parts[] = {
    {"lists_version", ENTITY_OWNER("select item from lists_version where id = ?1")},
    {NULL, NULL},
};
static const struct entity entities[] = {
    {.name = "list", .table = "lists_list", .stored = &lists_list_stored, .parts = list_parts},
    {.name = "list_item", .table = "lists_item", .stored = &lists_item_stored, .parts = item_parts},
};

#define NO_TIME(column) column " not between -62135596800000000 and 253402300799999999"
#define NO_JSON(column, type)                                                                      \
    "case when " column " is null then 0 when json_valid(" column ") then json_type(" column       \
    ") <> '" type "' else 1 end"

static const struct core_rule rules[] = {
    {"lists_list", NO_TIME("created_us")},
    {"lists_list", NO_TIME("modified_us")},
    {"lists_list", "version < 1 or next_number < 1 or name = ''"},
    {"lists_column", NO_JSON("choices", "array")},
    {"lists_column", NO_JSON("extra", "object")},
    {"lists_column", "length < 0 or name = '' or name glob '*[^A-Za-z0-9_]*'"},
    {"lists_item", NO_JSON("\"values\"", "object")},
    {"lists_item", NO_TIME("created_us")},
    {"lists_item", NO_TIME("modified_us")},
    {"lists_item", "version < 1 or number < 1 or change < 1"},
    {"lists_version", NO_JSON("\"values\"", "object")},
    {"lists_version", NO_TIME("modified_us")},
    {NULL, NULL},
};

const struct sosia_core lists_core = {
    .name = LISTS_CORE,
    .schema = lists_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .rules = rules,
};
