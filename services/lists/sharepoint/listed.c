/* SPDX-License-Identifier: Apache-2.0 */
/* The items of a library's list by the paths of its drive. */
#include "services/lists/sharepoint/sharepoint.h"

static int listed_get(struct call *c)
{
    struct lists_item item;
    struct odata_query q;
    struct sp_at at;
    return sp_item_of_file(c, SITE_READ, &at, &item) < 0 || graph_query(c, "listItem", NULL, &q) < 0
               ? -1
               : sp_answer_asked(&at, &item, &q);
}

static int listed_update(struct call *c)
{
    const struct json *body, *fields;
    struct lists_item item;
    struct sp_at at;
    if (sp_item_of_file(c, SITE_WRITE, &at, &item) < 0 || sp_if_match(&at, &item) < 0 ||
        !(body = call_body(c)))
        return -1;
    fields = json_get(body, "fields");
    if (fields && sp_change_item(&at, &item, fields) < 0)
        return -1;
    return sp_answer_item(&at, &item, NULL, true);
}

static int listed_fields(struct call *c)
{
    struct lists_item item;
    struct odata_query q;
    struct sp_at at;
    if (sp_item_of_file(c, SITE_READ, &at, &item) < 0 ||
        graph_query(c, "fieldValueSet", NULL, &q) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ETAG, false) < 0)
        return -1;
    return sp_answer_fields(&at, &item);
}

static int listed_fields_update(struct call *c)
{
    const struct json *body;
    struct lists_item item;
    struct sp_at at;
    if (sp_item_of_file(c, SITE_WRITE, &at, &item) < 0 || sp_if_match(&at, &item) < 0 ||
        !(body = call_body(c)) || sp_change_item(&at, &item, body) < 0)
        return -1;
    return sp_answer_fields(&at, &item);
}

/* ---- the methods ---- */

static const struct param get_params[] = {DRIVE_PATH_PARAMS, SP_OPTION("$select"),
                                          SP_OPTION("$expand")};
static const struct param update_params[] = {DRIVE_PATH_PARAMS};

#define ITEM   "microsoft.graph.listItem"
#define FIELDS "microsoft.graph.fieldValueSet"
#define READ   "Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All " SITES_READ
#define WRITE  "Files.ReadWrite Files.ReadWrite.All " SITES_WRITE

static const struct route methods[] = {
    {ROUTE("sharepoint.driveItems.listItem.get", GET, OF_ITEM("/listItem")), .handler = listed_get,
     .risk = RISK_READ, .scopes = READ, PARAMS(get_params), .response = ITEM,
     .summary = "A file of a library as an item of its list"},
    {ROUTE("sharepoint.driveItems.listItem.update", PATCH, OF_ITEM("/listItem")),
     .handler = listed_update, .risk = RISK_WRITE, .idempotent = true, .scopes = WRITE,
     PARAMS(update_params), .body = BODY_JSON, .request = ITEM, .response = ITEM,
     .summary = "Change the values that a library has of a file"},
    {ROUTE("sharepoint.driveItems.fields.get", GET, OF_ITEM("/listItem/fields")),
     .handler = listed_fields, .risk = RISK_READ, .scopes = READ, PARAMS(get_params),
     .response = FIELDS, .summary = "The values that a library has of a file"},
    {ROUTE("sharepoint.driveItems.fields.update", PATCH, OF_ITEM("/listItem/fields")),
     .handler = listed_fields_update, .risk = RISK_WRITE, .idempotent = true, .scopes = WRITE,
     PARAMS(update_params), .body = BODY_JSON, .request = FIELDS, .response = FIELDS,
     .summary = "Change values that a library has of a file"},
};

const struct rows sp_listed_rows = ROWS(methods);
