/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of sites, by Microsoft Graph, on the lists core: what the files of this folder share. */
#ifndef SOSIA_SHAREPOINT_H
#define SOSIA_SHAREPOINT_H

#include "services/lists/core/lists.h"
#include "vendors/microsoft/sites/files.h"

extern const struct dialect sharepoint_dialect;
extern const struct dialect_tools sharepoint_tools;
extern const struct sosia_core sharepoint_core;
struct graph_feed;
struct graph_finder;
extern const struct graph_finder sp_list_finder, sp_item_finder; /* find.c */
extern const struct graph_feed sp_feed;                          /* feed.c */

/* Purpose of the tokens of pages of items: a number behind which they begin. */
#define SP_ITEMS_PAGE "list items"

enum { SP_PAGE = 200, SP_MAX_PAGE = 5000, SP_NAME = 255 };

/* ---- at.c: what a call is about ---- */

/* A list of a site: one of the core's, or a library, whose items are files. */
struct sp_list {
    bool is_library;
    struct lists_list list; /* of a library what it has in common with others: key, name, title */
    struct ms_library library;
};
struct sp_at {
    struct call *c;
    struct ms_site site;
    struct sp_list of;
    struct ms_file file; /* of a library: that of the last item that was read */
    int64_t *numbers;    /* the same: those of all its items; NULL: not asked for yet */
    size_t n_numbers;
    const char *base; /* of contexts: "sites('...')/lists('GUID')" */
};
/* The site of the path, for who needs a role there. 0, -1. */
int sp_open_site(struct call *c, enum site_role need, struct sp_at *ret);
/* The list of the path, too. items: its items must not be files. 0, -1. */
int sp_open(struct call *c, enum site_role need, bool items, struct sp_at *ret);
/* The next list of a site: the core's, and then libraries. 1, 0, -1. */
struct sp_walk {
    int64_t list, library;
};
int sp_next(struct sp_at *at, struct sp_walk *walk, struct sp_list *ret);
/* The item of the path. 0, -1. */
int sp_item(struct sp_at *at, struct lists_item *ret);

/* ---- ids.c ---- */

/* A failure of the core in SharePoint's words. -1. */
int sp_refused(struct call *c);
int sp_not_acceptable(struct call *c);
const char *sp_etag(struct arena *a, const char *key, int64_t version);
/* The members of a list, into the open object. 0, -1. */
int sp_write_list(struct sp_at *at, const struct sp_list *list);
/* Where a browser finds the list. */
const char *sp_list_url(struct sp_at *at, const struct sp_list *list);
/* A user by the number that fields have, and the other way round, of the site's tenant alone; 0:
 * none. -1. */
int sp_user_number(struct tx *tx, const char *handle, int64_t *ret);
int sp_user_of_number(struct sp_at *at, int64_t number, const char **ret_handle);

/* ---- library.c ---- */

/* The files of libraries; NULL: no service has them. */
const struct ms_files *sp_files(const struct tx *tx);
#define SP_LIBRARY "documentLibrary"
/* Is it what is kept of a library? */
static inline bool sp_is_of_library(const struct lists_list *list)
{
    return strcmp(list->template, SP_LIBRARY) == 0;
}
/* A library as a list. 0, -1. */
int sp_of_library(struct tx *tx, const struct ms_site *site, const struct ms_library *library,
                  struct sp_list *ret);
/* Something is to be kept of the library, if the list is one. 0, -1. */
int sp_keep_library(struct sp_at *at);
/* The item of a library with a number. 1, 0, -1. */
int sp_file_item(struct sp_at *at, int64_t number, struct lists_item *ret);
/* Of at the call alone is set: the list of a library, and the item of one of its files. 1, 0, -1.
 */
int sp_open_listed(struct sp_at *at, const struct ms_library *library, int64_t id,
                   struct lists_item *ret);
/* The list of the library that the drive of the path is. 0, -1 refused. */
int sp_open_drive(struct call *c, struct sp_at *ret);
/* The item that the file of a drive's path is. 0, -1 refused. */
int sp_item_of_file(struct call *c, enum site_role need, struct sp_at *ret,
                    struct lists_item *ret_item);
/* The next item by number; new values of one, which lists_values() has made; one is taken away: of
 * lists and of libraries. 1, 0, -1; 0, -1; 0, -1. */
int sp_item_next(struct sp_at *at, int64_t after, struct lists_item *ret);
int sp_item_set(struct sp_at *at, struct lists_item *item, const char *values);
int sp_item_remove(struct sp_at *at, const struct lists_item *item);

/* ---- column.c ---- */

/* Columns as Graph has them; a list's own and then those that every list has. */
void sp_write_column(struct arena *a, struct json_writer *w, const struct lists_column *column);
int sp_write_columns(struct sp_at *at);
/* A new column, or changes of one, of a body. 0, -1. */
int sp_read_column(struct sp_at *at, const struct json *body, bool is_new,
                   struct lists_column *ret);
/* Is it a column that every list has, and that nobody writes? */
bool sp_is_builtin(const char *name);

/* ---- fields.c ---- */

/* The values of an item as the object "fields" has them, into the open object. 0, -1. */
int sp_write_fields(struct sp_at *at, struct json_writer *w, const struct lists_item *item);
/* The values that a body gives, as the core has them. 0, -1. */
int sp_read_fields(struct sp_at *at, const struct json *fields, const struct json **ret);

/* ---- of_files.c ---- */

extern const struct ms_lists sp_lists;

/* ---- diff_view.c ---- */

extern const struct entity_view sp_views[];

/* ---- managed.c ---- */

/* The values of an item that a search names ("title", "contentclass", a column), as the member
 * "fields". What it does not have is left out. 0, -1. */
int sp_write_found_fields(struct sp_at *at, const struct lists_item *item,
                          const struct json *names);

/* ---- items.c ---- */

/* An item with its values, in the arena. 0, -1. */
int sp_item_json(struct sp_at *at, const struct lists_item *item, const struct json **ret);
/* An item's members into the open object; fields: with its values. 0, -1. */
int sp_write_item(struct sp_at *at, struct json_writer *w, const struct lists_item *item,
                  bool fields);
/* As the call's answer; q: what is asked for (NULL: all). 0, -1. */
int sp_answer_item(struct sp_at *at, const struct lists_item *item, const struct odata_query *q,
                   bool fields);
int sp_answer_asked(struct sp_at *at, const struct lists_item *item, const struct odata_query *q);
int sp_answer_fields(struct sp_at *at, const struct lists_item *item);
/* Gives it the values of a body. 0, -1 refused. */
int sp_change_item(struct sp_at *at, struct lists_item *item, const struct json *fields);
/* If-Match of the call. 0, -1: 412. */
int sp_if_match(struct sp_at *at, const struct lists_item *item);

extern const struct rows sp_list_rows, sp_column_rows, sp_item_rows, sp_change_rows, sp_listed_rows;

#define OF_LIST(path)                                                                              \
    GRAPH("/sites/{site-id}/lists/{list-id}" path),                                                \
        GRAPH("/sites/{site-id}:/{site-path*}:/lists/{list-id}" path)
#define SP_PARAMS                                                                                  \
    SITE_PATH_PARAMS,                                                                              \
    {                                                                                              \
        .name = "list-id", .place = IN_PATH, .required = true                                      \
    }
#define SP_KEY(name_)                                                                              \
    {                                                                                              \
        .name = (name_), .place = IN_PATH, .required = true                                        \
    }
#define SP_OPTION(name_)                                                                           \
    {                                                                                              \
        .name = (name_), .place = IN_QUERY                                                         \
    }
#define SP_PAGED                                                                                   \
    SP_OPTION("$select"), SP_OPTION("$expand"),                                                    \
        {.name = "$top", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = INT32_MAX},        \
        SP_OPTION("$skiptoken")

#endif
