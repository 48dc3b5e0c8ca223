/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists and their items in diffs and to assertions, in Graph's terms. What a library has of a list,
 * its columns and the values in them, comes into being with the first of them: before that it is a
 * list with a title, of which the files have no values.
 */
#include "services/lists/sharepoint/sharepoint.h"

/* ---- lists ---- */

static int write_columns_of(struct tx *tx, struct json_writer *w, int64_t list)
{
    struct lists_column column = {.id = 0};
    int r;
    json_arr(w, "columns");
    while ((r = lists_column_next(tx, list, column.id, &column)) == 1) {
        json_obj(w, NULL);
        sp_write_column(tx->arena, w, &column);
        json_end(w);
    }
    json_end(w);
    return r;
}

static void write_title_alone(struct tx *tx, struct json_writer *w,
                              const struct lists_column *column)
{
    json_arr(w, "columns");
    json_obj(w, NULL);
    sp_write_column(tx->arena, w, column);
    json_end(w);
    json_end(w);
}

/* What comes before the columns. 1, 0 it is nowhere, -1. */
static int write_list_view(struct tx *tx, struct json_writer *w, const struct lists_list *list,
                           struct entity_about *about)
{
    struct ms_site site;
    int r = ms_site_by_key(tx, list->place, &site);
    if (r != 1)
        return r;
    about->title = list->title;
    about->is[0] = tx_numbered(tx, "list", list->id);
    json_str(w, "id", list->key);
    json_str(w, "site", ARENA_JOIN(tx->arena, site.host, site.path));
    json_str(w, "name", list->name);
    json_str(w, "displayName", list->title);
    json_str_opt(w, "description", list->description);
    if (about->all) {
        json_str(w, "createdDateTime", graph_date(tx->arena, list->created_us, 0));
        json_str(w, "lastModifiedDateTime", graph_date(tx->arena, list->modified_us, 0));
        json_str(w, "eTag", sp_etag(tx->arena, list->key, list->version));
    }
    json_obj(w, "list");
    json_bool(w, "hidden", list->hidden);
    json_str(w, "template", list->template);
    json_end(w);
    return 1;
}

static int list_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                     struct entity_about *about)
{
    struct lists_list list;
    int r = lists_get(tx, rowid, &list);
    if (r == 1)
        r = write_list_view(tx, w, &list, about);
    return r == 1 ? (write_columns_of(tx, w, list.id) < 0 ? -1 : 1) : r;
}

/* Is a list of another state that of a library which is in this one? 1, 0, -1. */
static int is_of_library_here(struct tx *tx, const struct lists_list *list, struct ms_library *ret)
{
    return sp_is_of_library(list) ? ms_library_by_key(tx, list->key, ret) : 0;
}

static int list_twin(struct tx *tx, struct tx *there, int64_t rowid, struct json_writer *w,
                     struct entity_about *about)
{
    struct lists_column title;
    struct ms_library library;
    struct lists_list list;
    int r = lists_get(there, rowid, &list);
    if (r == 1)
        r = is_of_library_here(tx, &list, &library);
    if (r == 1)
        r = lists_column_find(there, rowid, "Title", &title);
    if (r != 1)
        return r;
    list.title = library.title;
    list.description = NULL;
    r = write_list_view(tx, w, &list, about);
    if (r == 1)
        write_title_alone(tx, w, &title);
    return r;
}

/* ---- items ---- */

/* fields: JSON. 1, -1. */
static int write_item_view(struct tx *tx, struct json_writer *w, const struct lists_item *item,
                           const struct lists_list *list, const char *fields,
                           struct entity_about *about)
{
    const struct json *values;
    if (lists_values_read(tx, fields, &values) < 0)
        return -1;
    about->title = json_get_str(values, "Title");
    about->is[0] = tx_numbered(tx, "listItem", item->id);
    about->follows[0] = tx_numbered(tx, "list", list->id);
    about->within = true;
    json_str(w, "list", list->title);
    if (!sp_is_of_library(list)) /* that of a file is its row's */
        json_str(w, "id", arena_printf(tx->arena, "%lld", (long long)item->number));
    json_str(w, "uniqueId", item->key);
    if (about->all) {
        json_str(w, "createdDateTime", graph_date(tx->arena, item->created_us, 0));
        json_str(w, "lastModifiedDateTime", graph_date(tx->arena, item->modified_us, 0));
        json_str(w, "eTag", sp_etag(tx->arena, item->key, item->version));
    }
    json_value(w, "fields", values);
    return 1;
}

static int item_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                     struct entity_about *about)
{
    struct lists_item item;
    struct lists_list list;
    int r = lists_item_get(tx, rowid, &item);
    if (r == 1)
        r = lists_get(tx, item.list, &list);
    return r == 1 ? write_item_view(tx, w, &item, &list, item.values, about) : r;
}

static int item_twin(struct tx *tx, struct tx *there, int64_t rowid, struct json_writer *w,
                     struct entity_about *about)
{
    struct ms_library library;
    struct lists_item item;
    struct lists_list list;
    int r = lists_item_get(there, rowid, &item);
    if (r == 1)
        r = lists_get(there, item.list, &list);
    if (r == 1)
        r = is_of_library_here(tx, &list, &library);
    return r == 1 ? write_item_view(tx, w, &item, &list, "{}", about) : r;
}

const struct entity_view sp_views[] = {
    {"list", "lists", list_view, list_twin, .timeless = true,
     .members = "id site name displayName description list.hidden list.template columns.**"},
    {"list_item", "lists", item_view, item_twin, .timeless = true,
     .members = "list id uniqueId fields.**"},
    {NULL},
};
