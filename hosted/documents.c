/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Google Docs and Sheets: documents and spreadsheets of the account's drive. A text is its plain
 * text; of a spreadsheet cells have values and formulas, and rows and columns that are empty are
 * not there.
 */
#include "hosted/impl.h"
#include <stdlib.h>

#define CONTENT_MAX  (1u << 20) /* bytes of a text that a dump shows */
#define ROWS_MOST    1000000
#define COLUMNS_MOST 18278
#define AREA_MOST    2000000 /* cells of a payload, empty ones in front of others included */

/* ---- payload to seed ---- */

/* A file of one of the editors' kinds, left open. They are made one second after the other. */
static int begin_file(struct hosted_call *c, const char *title, const char *type, uint32_t i,
                      uint32_t n, struct json_writer *w)
{
    int64_t now;
    if (world_time(c, &now) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "name", title);
    json_str(w, "type", type);
    json_str(w, "owner", c->sandbox->person);
    json_time(w, "created", now - (int64_t)(n - i) * US_PER_SECOND, JSON_TIME_MS_Z);
    return 0;
}

int payload_to_documents(struct hosted_call *c, const struct json *data, struct json_writer *w)
{
    const struct json *list;
    uint32_t n = items_of(data, "documents", &list);
    json_arr(w, "files");
    for (uint32_t i = 0; i < n; i++) {
        const char *content = json_get_str(&list[i], "content");
        if (begin_file(c, json_get_str(&list[i], "title"), "document", i, n, w) < 0)
            return -1;
        json_str(w, "content", content ? content : "");
        json_str(w, "format", "text/plain");
        json_end(w);
    }
    json_end(w);
    count_made(c, "documents", n);
    return 0;
}

struct cell {
    int64_t row, column;
    const struct json *of;
    uint32_t item;
};

static int by_place(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->column != y->column ? (x->column < y->column ? -1 : 1) : 0;
}

/* In the order of their places; faults are noted. */
static struct cell *read_cells(struct hosted_call *c, const struct place *at,
                               const struct json *sheet, uint32_t *ret_n)
{
    const struct place list = {.outer = at, .name = "cells"};
    const struct json *items;
    *ret_n = items_of(sheet, "cells", &items);
    struct cell *cells = arena_calloc(&c->arena, (size_t)*ret_n + 1, sizeof *cells);
    for (uint32_t i = 0; cells && i < *ret_n; i++) {
        const struct place item = {.outer = &list, .item = i};
        const struct json *value = json_get(&items[i], "value");
        cells[i] = (struct cell){lax_int(json_get(&items[i], "row")),
                                 lax_int(json_get(&items[i], "col")), &items[i], i};
        if (cells[i].row < 0 || cells[i].row >= ROWS_MOST || cells[i].column < 0 ||
            cells[i].column >= COLUMNS_MOST)
            fault_value(c, &item, &items[i], "row must be 0 to %d and col 0 to %d", ROWS_MOST - 1,
                        COLUMNS_MOST - 1);
        if (value && (value->type == JSON_ARRAY || value->type == JSON_OBJECT))
            fault_value(c, &item, value, "value must be a text, a number or a truth value");
    }
    if (cells)
        qsort(cells, *ret_n, sizeof *cells, by_place);
    for (uint32_t i = 1; cells && i < *ret_n; i++)
        if (by_place(&cells[i - 1], &cells[i]) == 0)
            fault_value(c, &(struct place){.outer = &list, .item = cells[i].item}, cells[i].of,
                        "a cell must be there once, not twice");
    return cells;
}

static void write_cell(struct json_writer *w, const struct json *cell)
{
    const struct json *value = json_get(cell, "value");
    const char *formula = filled(cell, "formula");
    if (formula) {
        json_obj(w, NULL);
        json_str(w, "formula", formula);
    }
    if (value && value->type != JSON_NULL)
        json_value(w, formula ? "value" : NULL, value);
    else
        json_null(w, formula ? "value" : NULL);
    if (formula)
        json_end(w);
}

/* Rows that are written are whole up to their last cell. *area: how many cells the payload may
 * still have. */
static void write_rows(struct hosted_call *c, const struct place *at, const struct cell *cells,
                       uint32_t n, int64_t *area, struct json_writer *w)
{
    int64_t row = -1, column = 0;
    for (uint32_t i = 0; i < n && !c->n_faults; i++) {
        *area -= cells[i].row - (row < 0 ? 0 : row) + cells[i].column + 1;
        if (*area < 0) {
            fault_value(c, at, NULL,
                        "a payload's sheets must have at most %d cells, empty ones in front of "
                        "others included",
                        AREA_MOST);
            return;
        }
        for (; row < cells[i].row; row++, column = 0) {
            if (row >= 0)
                json_end(w);
            json_arr(w, NULL);
        }
        for (; column < cells[i].column; column++)
            json_null(w, NULL);
        write_cell(w, cells[i].of);
        column++;
    }
    if (row >= 0)
        json_end(w);
}

static int by_index(const void *a, const void *b)
{
    const struct json *x = *(const struct json *const *)a, *y = *(const struct json *const *)b;
    const struct json *i = json_get(x, "index"), *j = json_get(y, "index");
    const int64_t p = i ? lax_int(i) : 0, q = j ? lax_int(j) : 0;
    return p != q ? (p < q ? -1 : 1) : x < y ? -1 : x > y;
}

static void seed_sheets(struct hosted_call *c, const struct place *at, const struct json *of,
                        int64_t *area, struct json_writer *w)
{
    const struct place list = {.outer = at, .name = "sheets"};
    const struct json *items;
    uint32_t n = items_of(of, "sheets", &items), n_cells;
    const struct json **sorted = arena_calloc(&c->arena, (size_t)n + 1, sizeof(*sorted));
    for (uint32_t i = 0; sorted && i < n; i++)
        sorted[i] = &items[i];
    if (sorted)
        qsort(sorted, n, sizeof(*sorted), by_index);
    json_obj(w, "model");
    json_str(w, "kind", "spreadsheet");
    json_arr(w, "sheets");
    for (uint32_t i = 0; sorted && i < n; i++) {
        const struct place item = {.outer = &list, .item = (uint32_t)(sorted[i] - items)};
        const struct cell *cells = read_cells(c, &item, sorted[i], &n_cells);
        json_obj(w, NULL);
        json_str(w, "title", json_get_str(sorted[i], "title"));
        json_arr(w, "rows");
        if (cells)
            write_rows(c, &item, cells, n_cells, area, w);
        json_end(w);
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

int payload_to_sheets(struct hosted_call *c, const struct json *data, struct json_writer *w)
{
    const struct place body = {.name = "body"}, list = {.outer = &body, .name = "spreadsheets"};
    const struct json *items;
    uint32_t n = items_of(data, "spreadsheets", &items);
    int64_t area = AREA_MOST;
    json_arr(w, "files");
    for (uint32_t i = 0; i < n; i++) {
        if (begin_file(c, json_get_str(&items[i], "title"), "spreadsheet", i, n, w) < 0)
            return -1;
        seed_sheets(c, &(struct place){.outer = &list, .item = i}, &items[i], &area, w);
        json_end(w);
    }
    json_end(w);
    count_made(c, "spreadsheets", n);
    return 0;
}

/* ---- state to payload ---- */

static int dump_document(struct hosted_call *c, const struct json *f, struct json_writer *w)
{
    const char *target = arena_printf(&c->arena, "/drive/v3/files/%s/export?mimeType=text/plain",
                                      json_get_str(f, "id")),
               *text;
    size_t len;
    if (world_text(c, target, CONTENT_MAX, &text, &len) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "title", json_get_str(f, "name"));
    if (text) /* behind the mark of its encoding */
        text = plain_lines(c, text + (strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0));
    json_str(w, "content", text);
    json_end(w);
    return 0;
}

int payload_of_documents(struct hosted_call *c, struct json_writer *w)
{
    static const char target[] =
        "/drive/v3/files?pageSize=1000&orderBy=createdTime&q=trashed%3Dfalse%20and%20%27me%27%20in%"
        "20owners%20and%20mimeType%3D%27application/vnd.google-apps.document%27&fields="
        "nextPageToken,files(id,name)";
    const struct json *v, *items;
    const char *page = NULL;
    json_arr(w, "documents");
    do {
        if (world_get(c,
                      page ? arena_printf(&c->arena, "%s&pageToken=%s", target, escaped(c, page))
                           : target,
                      &v) < 0)
            return -1;
        uint32_t n = items_of(v, "files", &items);
        for (uint32_t i = 0; i < n; i++)
            if (dump_document(c, &items[i], w) < 0)
                return -1;
        page = json_get_str(v, "nextPageToken");
    } while (page);
    json_end(w);
    return 0;
}

static void dump_cell(struct json_writer *w, uint32_t row, uint32_t column, const struct json *v)
{
    const bool has = v->type == JSON_OBJECT;
    const struct json *value = has ? json_get(v, "value") : v;
    if (!has && v->type == JSON_NULL)
        return;
    json_obj(w, NULL);
    json_int(w, "row", row);
    json_int(w, "col", column);
    if (value && value->type != JSON_NULL)
        json_value(w, "value", value);
    else
        json_null(w, "value");
    json_str(w, "formula", has ? json_get_str(v, "formula") : NULL);
    json_end(w);
}

static void dump_sheet(struct json_writer *w, uint32_t index, const struct json *sheet)
{
    const struct json *rows;
    uint32_t n = items_of(sheet, "rows", &rows);
    json_obj(w, NULL);
    json_str(w, "title", json_get_str(sheet, "title"));
    json_int(w, "index", index);
    json_null(w, "rowCount");
    json_null(w, "columnCount");
    json_arr(w, "cells");
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t i = 0; rows[r].type == JSON_ARRAY && i < rows[r].n; i++)
            dump_cell(w, r, i, &rows[r].items[i]);
    json_end(w);
    json_end(w);
}

/* Microseconds. A time in a document has as many digits after its seconds as it needs, so that the
 * texts don't sort. */
static int64_t created(const struct json *file)
{
    const char *text = json_get_str(file, "created");
    struct stamp at;
    return text && stamp_parse(text, strlen(text), true, &at) == 0
               ? at.local_us - at.offset * US_PER_SECOND
               : 0;
}

/* In the order in which they were made. */
static int by_created(const void *a, const void *b)
{
    const struct json *x = *(const struct json *const *)a, *y = *(const struct json *const *)b;
    const int64_t p = created(x), q = created(y);
    return p != q ? (p < q ? -1 : 1) : x < y ? -1 : x > y;
}

static void dump_spreadsheet(const struct json *file, struct json_writer *w)
{
    const struct json *sheets;
    json_obj(w, NULL);
    json_str(w, "title", json_get_str(file, "name"));
    json_arr(w, "sheets");
    uint32_t n = items_of(json_get(file, "model"), "sheets", &sheets);
    for (uint32_t i = 0; i < n; i++)
        dump_sheet(w, i, &sheets[i]);
    json_end(w);
    json_end(w);
}

static int dump_spreadsheets(struct hosted_call *c, const struct json *document,
                             struct json_writer *w)
{
    const struct json *files;
    uint32_t n = items_of(document, "files", &files), k = 0;
    const struct json **found = arena_calloc(&c->arena, (size_t)n + 1, sizeof(*found));
    if (!found)
        return sosia_fail_memory(&c->err);
    for (uint32_t i = 0; i < n; i++)
        if (str_same(json_get_str(&files[i], "type"), "spreadsheet") &&
            !json_get(&files[i], "trashed"))
            found[k++] = &files[i];
    qsort(found, k, sizeof(*found), by_created);
    json_arr(w, "spreadsheets");
    for (uint32_t i = 0; i < k; i++)
        dump_spreadsheet(found[i], w);
    json_end(w);
    return 0;
}

/* No interface of the account shows cells with their formulas: the world's document has them. */
int payload_of_sheets(struct hosted_call *c, struct json_writer *w)
{
    const struct json_limits limits = {.max_size = UINT32_MAX, .max_values = 16000000};
    struct sosia_blob dump;
    const struct json *v;
    if (sosia_world_dump(c->h->engine, c->sandbox->world, &dump, &c->err) < 0)
        return -1;
    int rc = json_parse(&c->arena, dump.data, dump.len, &limits, &v, &c->err);
    if (rc == 0)
        rc = dump_spreadsheets(c, v, w);
    sosia_blob_free(&dump);
    return rc;
}
