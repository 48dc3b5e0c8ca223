/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of workbooks, worksheets, and ranges of cells. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/drive/onedrive/workbook/workbook.h"

/* ---- sessions ---- */

/* A session is an address of the workbook: what is changed is stored at once. */
static int book_begin(struct call *c)
{
    const struct json *body;
    struct workbook b;
    uint8_t bytes[16];
    char hex[33];
    if (book_open(c, ROLE_READER, &b) < 0 || !(body = call_body(c)))
        return -1;
    const struct json *persists = json_get(body, "persistChanges");
    if (persists && persists->type == JSON_BOOL && !persists->truth)
        return call_fail(c, SOSIA_E_INVALID, "notSupported", NULL,
                         "Sessions whose changes do not persist are not supported.");
    if (tx_id(&c->tx, "workbook session", bytes, sizeof bytes) < 0)
        return -1;
    hex_encode(hex, bytes, sizeof bytes);
    c->status = 201;
    json_obj(c->out, NULL);
    graph_context_of(c, "microsoft.graph.workbookSessionInfo");
    json_str(c->out, "id", arena_printf(c->tx.arena, "cluster=EU1&session=%s", hex));
    json_bool(c->out, "persistChanges", true);
    json_end(c->out);
    return 0;
}

static int book_end(struct call *c)
{
    struct workbook b;
    c->status = 204;
    return book_open(c, ROLE_READER, &b);
}

/* ---- worksheets ---- */

static void write_sheet(struct workbook *b, const struct sheet *s, int at)
{
    struct json_writer *w = b->at.c->out;
    struct arena *a = b->at.c->tx.arena;
    const char *id = book_sheet_id(a, at);
    json_str(w, "@odata.id", ARENA_JOIN(a, b->base, "/worksheets", graph_key(a, id)));
    json_str(w, "id", id);
    json_str(w, "name", s->title);
    json_int(w, "position", at);
    json_str(w, "visibility", "Visible");
}

static int answer_sheet(struct workbook *b, const struct sheet *s, int at)
{
    json_obj(b->at.c->out, NULL);
    graph_context_of(b->at.c, "microsoft.graph.workbookWorksheet");
    write_sheet(b, s, at);
    json_end(b->at.c->out);
    return 0;
}

static int sheets_list(struct call *c)
{
    struct odata_query q;
    struct workbook b;
    int at = 0;
    if (book_open(c, ROLE_READER, &b) < 0 || onedrive_options(c, "workbookWorksheet", &q) < 0 ||
        graph_select(c, &q, 0, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/worksheets%s", b.base + 1, odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    for (const struct sheet *s = b.doc->sheets; s; s = s->next, at++) {
        json_obj(c->out, NULL);
        write_sheet(&b, s, at);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int sheets_get(struct call *c)
{
    struct workbook b;
    struct sheet *s;
    int at;
    return book_open(c, ROLE_READER, &b) < 0 || book_sheet_of_path(&b, &s, &at) < 0
               ? -1
               : answer_sheet(&b, s, at);
}

/* What a sheet may be called. */
static int check_name(struct workbook *b, const char *name, const struct sheet *self)
{
    const struct sheet *same;
    int at;
    if (!*name || utf8_count(name, strlen(name)) > 31 || strpbrk(name, "\\/?*[]:") || *name == '\'')
        return book_bad(b->at.c);
    same = book_sheet(b, name, &at);
    return !same || same == self ? 0
                                 : call_fail(b->at.c, SOSIA_E_CONFLICT, "ItemAlreadyExists", NULL,
                                             "A resource with the same name or identifier already "
                                             "exists.");
}

static int sheets_add(struct call *c)
{
    const struct json *body;
    struct workbook b;
    const char *name;
    int at = 0, n = 1;
    if (book_open(c, ROLE_WRITER, &b) < 0 || !(body = call_body(c)))
        return -1;
    name = json_get_str(body, "name");
    struct sheet **end = &b.doc->sheets;
    for (; *end; end = &(*end)->next, at++)
        ;
    if (at >= SHEETS)
        return book_bad(c);
    while (!name) {
        const char *free = arena_printf(c->tx.arena, "Sheet%d", n++);
        int there;
        name = book_sheet(&b, free, &there) ? NULL : free;
    }
    if (check_name(&b, name, NULL) < 0)
        return -1;
    struct sheet *made = arena_calloc(c->tx.arena, 1, sizeof *made);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    *made = (struct sheet){.title = name};
    *end = made;
    c->status = 201;
    return book_save(&b) < 0 ? -1 : answer_sheet(&b, made, at);
}

static int sheets_update(struct call *c)
{
    const struct json *body;
    struct workbook b;
    struct sheet *s;
    int at;
    if (book_open(c, ROLE_WRITER, &b) < 0 || book_sheet_of_path(&b, &s, &at) < 0 ||
        !(body = call_body(c)))
        return -1;
    const char *name = json_get_str(body, "name"), *old = s->title;
    if (name && check_name(&b, name, s) < 0)
        return -1;
    s->title = name ? name : s->title;
    if (name && (book_tables_renamed(&b, old, name) < 0 || book_save(&b) < 0))
        return -1;
    return answer_sheet(&b, s, at);
}

static int sheets_delete(struct call *c)
{
    struct workbook b;
    struct sheet *s, **at;
    int place;
    if (book_open(c, ROLE_WRITER, &b) < 0 || book_sheet_of_path(&b, &s, &place) < 0)
        return -1;
    if (!b.doc->sheets->next)
        return book_bad(c);
    for (at = &b.doc->sheets; *at != s; at = &(*at)->next)
        ;
    *at = s->next;
    c->status = 204;
    return book_tables_renamed(&b, s->title, NULL) < 0 ? -1 : book_save(&b);
}

/* ---- ranges ---- */

/* The range of the path: an address, a cell, or all that is used. 0, -1. */
static int range_of_path(struct workbook *b, const struct sheet *s, struct book_range *ret)
{
    struct call *c = b->at.c;
    const char *address = param_str(c, "address");
    int64_t row, column;
    if (param_given(c, "row")) {
        const char *r = param_str(c, "row"), *k = param_str(c, "column");
        if (parse_i64(r, strlen(r), &row) < 0 || parse_i64(k, strlen(k), &column) < 0 || row < 0 ||
            column < 0 || row >= SHEET_ROWS || column >= 16384)
            return book_bad(c);
        *ret =
            (struct book_range){(uint32_t)row, (uint32_t)column, (uint32_t)row, (uint32_t)column};
        return 0;
    }
    if (!address || !*address) {
        const char *only = param_str(c, "valuesOnly");
        if (!book_used(s, only && str_eq_nocase(only, "true"), ret))
            *ret = (struct book_range){0, 0, 0, 0};
        return 0;
    }
    return book_address(address, ret) ? 0 : book_bad(c);
}

static int open_range(struct call *c, enum drive_role need, struct workbook *b, struct sheet **s,
                      int *at, struct book_range *r)
{
    return book_open(c, need, b) < 0 || book_sheet_of_path(b, s, at) < 0 ||
                   range_of_path(b, *s, r) < 0
               ? -1
               : 0;
}

static int ranges_get(struct call *c)
{
    struct book_range r;
    struct workbook b;
    struct sheet *s;
    int at;
    return open_range(c, ROLE_READER, &b, &s, &at, &r) < 0 ? -1 : book_answer_range(&b, s, at, &r);
}

/* A member that is not null; NULL: there is none. */
static const struct json *given(const struct json *body, const char *name)
{
    const struct json *v = json_get(body, name);
    return v && v->type != JSON_NULL ? v : NULL;
}

/* Formats come first: a text in a cell whose format is Text stays one. */
static int ranges_update(struct call *c)
{
    const struct json *body, *values, *formats;
    struct book_range r;
    struct workbook b;
    struct sheet *s;
    int at;
    if (open_range(c, ROLE_WRITER, &b, &s, &at, &r) < 0 || !(body = call_body(c)))
        return -1;
    formats = given(body, "numberFormat");
    values = given(body, "formulas");
    if (!values)
        values = given(body, "values");
    if (!values && !formats)
        return book_bad(c);
    if ((formats && book_take_formats(&b, s, &r, formats) < 0) ||
        (values && book_take_values(&b, s, &r, values) < 0) || book_save(&b) < 0)
        return -1;
    return book_answer_range(&b, s, at, &r);
}

static int ranges_clear(struct call *c)
{
    const struct json *body;
    struct book_range r;
    struct workbook b;
    struct sheet *s;
    int at;
    if (open_range(c, ROLE_WRITER, &b, &s, &at, &r) < 0 || !(body = call_body(c)))
        return -1;
    const char *what = json_get_str(body, "applyTo");
    if (what && !str_eq_nocase(what, "All") && !str_eq_nocase(what, "Contents") &&
        !str_eq_nocase(what, "Formats"))
        return book_bad(c);
    c->status = 204;
    const bool contents = !what || !str_eq_nocase(what, "Formats"),
               formats = !what || !str_eq_nocase(what, "Contents");
    return book_clear(&b, s, &r, contents, formats) < 0 ? -1 : book_save(&b);
}

/* ---- the methods ---- */

static const struct param book_params[] = {ONEDRIVE_PATH_PARAMS};
#define SHEET_KEY                                                                                  \
    {                                                                                              \
        .name = "workbookWorksheet-id", .place = IN_PATH, .required = true                         \
    }
static const struct param list_params[] = {ONEDRIVE_PATH_PARAMS,
                                           {.name = "$select", .place = IN_QUERY}};
static const struct param sheet_params[] = {ONEDRIVE_PATH_PARAMS, SHEET_KEY};
#define RANGE_PARAMS                                                                               \
    ONEDRIVE_PATH_PARAMS, SHEET_KEY,                                                               \
    {                                                                                              \
        .name = "address", .place = IN_PATH, .required = true, .summary = "As A1:C3"               \
    }
static const struct param range_params[] = {
    RANGE_PARAMS,
    {.name = "valuesOnly",
     .place = IN_PATH,
     .required = true,
     .summary = "true: formats do not count"},
    {.name = "row", .place = IN_PATH, .required = true, .summary = "The row, from 0 on"},
    {.name = "column", .place = IN_PATH, .required = true, .summary = "The column, from 0 on"},
    {.name = "$select", .place = IN_QUERY}};
static const struct param change_params[] = {RANGE_PARAMS};

#define SHEET    "microsoft.graph.workbookWorksheet"
#define RANGE    "microsoft.graph.workbookRange"
#define AT(path) OF_BOOK("/worksheets/{workbookWorksheet-id}" path)
#define ADDRESSED                                                                                  \
    AT("/range(address={address})"), AT("/range()"), AT("/usedRange()"),                           \
        AT("/usedRange(valuesOnly={valuesOnly})")

static const struct route methods[] = {
    {ROUTE("onedrive.workbook.createSession", POST, OF_BOOK("/createSession")),
     .handler = book_begin, .risk = RISK_WRITE, .scopes = ONEDRIVE_READ, PARAMS(book_params),
     .body = BODY_JSON_OPTIONAL, .request = "microsoft.graph.workbook.createSession",
     .response = "microsoft.graph.workbookSessionInfo", .status = 201,
     .summary = "Begin to work on a workbook"},
    {ROUTE("onedrive.workbook.closeSession", POST, OF_BOOK("/closeSession"),
           OF_BOOK("/refreshSession")),
     .handler = book_end, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(book_params),
     .status = 204, .summary = "End the work on a workbook, or go on with it"},
    {ROUTE("onedrive.workbook.worksheets.list", GET, OF_BOOK("/worksheets")),
     .handler = sheets_list, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(list_params),
     .response = SHEET "CollectionResponse", .summary = "The sheets of a workbook"},
    {ROUTE("onedrive.workbook.worksheets.add", POST, OF_BOOK("/worksheets/add"),
           OF_BOOK("/worksheets")),
     .handler = sheets_add, .risk = RISK_WRITE, .scopes = ONEDRIVE_WRITE, PARAMS(book_params),
     .body = BODY_JSON_OPTIONAL, .request = SHEET, .response = SHEET, .status = 201,
     .summary = "Add a sheet to a workbook"},
    {ROUTE("onedrive.workbook.worksheets.get", GET, AT("")), .handler = sheets_get,
     .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(sheet_params), .response = SHEET,
     .summary = "One sheet of a workbook"},
    {ROUTE("onedrive.workbook.worksheets.update", PATCH, AT("")), .handler = sheets_update,
     .risk = RISK_WRITE, .idempotent = true, .scopes = ONEDRIVE_WRITE, PARAMS(sheet_params),
     .body = BODY_JSON, .request = SHEET, .response = SHEET,
     .summary = "Give a sheet another name"},
    {ROUTE("onedrive.workbook.worksheets.delete", DELETE, AT("")), .handler = sheets_delete,
     .risk = RISK_DESTRUCTIVE, .scopes = ONEDRIVE_WRITE, PARAMS(sheet_params), .status = 204,
     .summary = "Delete a sheet of a workbook"},
    {ROUTE("onedrive.workbook.ranges.get", GET, ADDRESSED, AT("/cell(row={row},column={column})")),
     .handler = ranges_get, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(range_params),
     .response = RANGE,
     .summary = "Values, formulas and formats of a range of cells, or of all that are used"},
    {ROUTE("onedrive.workbook.ranges.update", PATCH, AT("/range(address={address})")),
     .handler = ranges_update, .risk = RISK_WRITE, .idempotent = true, .scopes = ONEDRIVE_WRITE,
     PARAMS(change_params), .body = BODY_JSON, .request = RANGE, .response = RANGE,
     .summary = "Write values, formulas or number formats into a range of cells"},
    {ROUTE("onedrive.workbook.ranges.clear", POST, AT("/range(address={address})/clear")),
     .handler = ranges_clear, .risk = RISK_DESTRUCTIVE, .scopes = ONEDRIVE_WRITE,
     PARAMS(change_params), .body = BODY_JSON_OPTIONAL,
     .request = "microsoft.graph.workbookRange.clear", .status = 204,
     .summary = "Empty a range of cells"},
};

const struct rows workbook_sheet_rows = ROWS(methods);
