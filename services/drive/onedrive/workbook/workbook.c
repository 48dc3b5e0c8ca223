/* SPDX-License-Identifier: Apache-2.0 */
/* Workbooks: files read as cells, ranges of them, and what is written into ranges. */
#include "services/drive/onedrive/workbook/workbook.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "services/drive/core/document/format.h"
#include "services/drive/core/document/number_format.h"

int book_bad(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "InvalidArgument", NULL,
                     "The argument is invalid or missing or has an incorrect format.");
}

int book_none(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "ItemNotFound", NULL,
                     "The requested resource doesn't exist.");
}

/* ---- the file ---- */

static int unsupported(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "UnsupportedWorkbook", NULL,
                     "This workbook cannot be opened because it is not an Excel workbook.");
}

int book_open(struct call *c, enum drive_role need, struct workbook *ret)
{
    struct arena *a = c->tx.arena;
    enum document_kind kind;
    const char *type, *bytes;
    size_t n;
    if (onedrive_open(c, &ret->at) < 0 || onedrive_item(&ret->at, need, &ret->item) < 0)
        return -1;
    if (ret->item.form != DRIVE_FILE || !ret->item.blob ||
        !onedrive_convertible(ret->item.name, &kind, &type) || strcmp(type, FORMAT_XLSX) != 0)
        return unsupported(c);
    if (need >= ROLE_WRITER && onedrive_check_free(&ret->at, &ret->item) < 0)
        return -1;
    if (blob_load(&c->tx, ret->item.blob, &bytes, &n) < 0)
        return -1;
    if (format_read(a, DOCUMENT_SHEETS, FORMAT_XLSX, bytes, n, ret->item.name, &ret->doc,
                    c->tx.err) < 0)
        return c->tx.err->code == SOSIA_E_NO_MEMORY ? -1 : unsupported(c);
    ret->base = ARENA_JOIN(a, "/drives", graph_key(a, ret->at.drive), "/items",
                           graph_key(a, ret->item.key), "/workbook");
    return ret->base ? 0 : sosia_fail_memory(c->tx.err);
}

/* May it be read again, within what documents have at most? */
static bool has_bounds(const struct document *d)
{
    uint64_t cells = 0, rows = 0, bytes = 0;
    for (const struct sheet *s = d->sheets; s; s = s->next) {
        uint32_t next = 0;
        for (const struct sheet_row *r = s->rows; r; r = r->next) {
            uint32_t n = r->n;
            while (n && sheet_cell_bare(&r->cells[n - 1]))
                n--;
            for (uint32_t i = 0; i < n; i++)
                bytes += (r->cells[i].format ? strlen(r->cells[i].format) : 0) +
                         (r->cells[i].text ? strlen(r->cells[i].text) : 0);
            if (r->at >= SHEET_ROWS || ++rows > DOCUMENT_NODES)
                return false;
            if (!n)
                continue;
            cells += n + (r->at - next);
            next = r->at + 1;
        }
    }
    return cells <= SHEET_CELLS && bytes <= DOCUMENT_BYTES;
}

int book_save(struct workbook *b)
{
    struct call *c = b->at.c;
    struct blob_writer *w;
    struct blob blob;
    struct buf out;
    if (!has_bounds(b->doc))
        return book_bad(c);
    if (book_tables_fill(&c->tx, b->item.id, b->doc) < 0)
        return -1;
    buf_init(&out, ONEDRIVE_PUT);
    int r = format_write(c->tx.arena, b->doc, FORMAT_XLSX, &out, c->tx.err);
    if (r < 0) {
        buf_done(&out);
        return c->tx.err->code == SOSIA_E_NO_MEMORY ? -1 : book_bad(c);
    }
    r = blob_writer_begin(&c->tx, (int64_t)out.len, DRIVE_DIGESTS | BLOB_QUICKXOR, &w);
    if (r == 0 && blob_writer_write(w, out.data, out.len) < 0) {
        blob_writer_abort(w);
        r = -1;
    } else if (r == 0) {
        r = blob_writer_finish(w, &blob);
    }
    buf_done(&out);
    if (r < 0 || onedrive_room(&b->at, blob.length) < 0)
        return -1;
    b->item.modified_us = c->tx.now_us;
    b->item.modifier = c->actor.id;
    return drive_content_set(&c->tx, &b->item, &blob) < 0 ? onedrive_refused(c) : 0;
}

/* ---- sheets ---- */

const char *book_sheet_id(struct arena *a, int at)
{
    return arena_printf(a, "{00000000-0001-0000-%02X00-000000000000}", (unsigned)at & 0xff);
}

struct sheet *book_sheet(struct workbook *b, const char *text, int *ret_at)
{
    int at = 0;
    for (struct sheet *s = b->doc->sheets; s; s = s->next, at++)
        if (str_eq_nocase(s->title, text) ||
            str_eq_nocase(book_sheet_id(b->at.c->tx.arena, at), text)) {
            *ret_at = at;
            return s;
        }
    return NULL;
}

int book_sheet_of_path(struct workbook *b, struct sheet **ret, int *ret_at)
{
    *ret = book_sheet(b, param_str(b->at.c, "workbookWorksheet-id"), ret_at);
    return *ret ? 0 : book_none(b->at.c);
}

/* ---- cells ---- */

struct sheet_row *book_row(struct workbook *b, struct sheet_row **from, uint32_t row, uint32_t n)
{
    struct arena *a = b->at.c->tx.arena;
    while (*from && (*from)->at < row)
        from = &(*from)->next;
    if (!*from || (*from)->at != row) {
        struct sheet_row *made = arena_calloc(a, 1, sizeof *made);
        if (arena_failed(a))
            return NULL;
        *made = (struct sheet_row){.next = *from, .at = row};
        *from = made;
    }
    struct sheet_row *r = *from;
    if (r->n < n) {
        struct sheet_cell *cells = arena_calloc(a, n, sizeof *cells);
        if (arena_failed(a))
            return NULL;
        if (r->n)
            memcpy(cells, r->cells, r->n * sizeof *cells);
        r->cells = cells;
        r->n = n;
    }
    return r;
}

bool book_used(const struct sheet *s, bool only_values, struct book_range *ret)
{
    bool any = false;
    for (const struct sheet_row *r = s->rows; r; r = r->next)
        for (uint32_t i = 0; i < r->n; i++) {
            if (!r->cells[i].formula &&
                (only_values ? r->cells[i].kind == CELL_EMPTY : sheet_cell_bare(&r->cells[i])))
                continue;
            if (!any)
                *ret = (struct book_range){r->at, i, r->at, i};
            any = true;
            ret->bottom = r->at;
            ret->left = i < ret->left ? i : ret->left;
            ret->right = i > ret->right ? i : ret->right;
        }
    return any;
}

/* ---- out ---- */

/* Characters of a cell and of a formula: specifications of Excel. */
enum { TEXT_MOST = 32767, FORMULA_MOST = 8192 };

enum shown { SHOW_VALUES, SHOW_FORMULAS, SHOW_TEXT, SHOW_TYPES, SHOW_FORMATS };

static void write_cell(struct json_writer *w, const struct sheet_cell *cell, enum shown shown)
{
    static const char *const types[] = {"Empty", "String", "Double", "Boolean"};
    struct cell_scratch scratch;
    const enum cell_kind kind = cell ? cell->kind : CELL_EMPTY;
    if (shown == SHOW_FORMATS)
        json_str(w, NULL, cell && cell->format ? cell->format : "General");
    else if (shown == SHOW_TYPES)
        json_str(w, NULL, types[kind]);
    else if (shown == SHOW_FORMULAS && cell && cell->formula)
        json_str(w, NULL, cell->formula);
    else if (kind == CELL_EMPTY)
        json_str(w, NULL, "");
    else if (shown == SHOW_TEXT)
        json_str(w, NULL, cell_shown(cell, &scratch));
    else if (kind == CELL_BOOL)
        json_bool(w, NULL, cell->truth);
    else if (kind == CELL_NUMBER)
        json_raw(w, NULL, cell->text, strlen(cell->text));
    else
        json_str(w, NULL, cell->text);
}

static void write_grid(struct json_writer *w, const struct sheet_row *at,
                       const struct book_range *r, const char *key, enum shown shown)
{
    json_arr(w, key);
    for (uint32_t row = r->top; row <= r->bottom; row++) {
        while (at && at->at < row)
            at = at->next;
        const uint32_t n = at && at->at == row ? at->n : 0;
        json_arr(w, NULL);
        for (uint32_t column = r->left; column <= r->right; column++)
            write_cell(w, column < n ? &at->cells[column] : NULL, shown);
        json_end(w);
    }
    json_end(w);
}

void book_write_values(struct workbook *b, const struct sheet_row *from, const struct book_range *r,
                       const char *key)
{
    write_grid(b->at.c->out, from, r, key, SHOW_VALUES);
}

int book_check_size(struct call *c, uint64_t rows, uint64_t columns)
{
    return rows * columns <= BOOK_CELLS
               ? 0
               : call_fail(c, SOSIA_E_TOO_LARGE, "ResponsePayloadSizeLimitExceeded", NULL,
                           "The response payload size has exceeded the limit.");
}

int book_answer_range(struct workbook *b, const struct sheet *s, int at, const struct book_range *r)
{
    struct call *c = b->at.c;
    struct json_writer *w = c->out;
    struct arena *a = c->tx.arena;
    const uint64_t rows = r->bottom - r->top + 1, columns = r->right - r->left + 1;
    struct odata_query q;
    if (book_check_size(c, rows, columns) < 0 || onedrive_options(c, "workbookRange", &q) < 0 ||
        graph_select(c, &q, 0, false) < 0)
        return -1;
    const char *address = book_address_text(a, s->title, r);
    json_obj(w, NULL);
    graph_context_of(c, "workbookRange");
    json_str(w, "@odata.type", "#microsoft.graph.workbookRange");
    json_str(w, "@odata.id",
             arena_printf(a, "%s/worksheets(%%27%s%%27)/range(address=%%27%s%%27)", b->base,
                          book_sheet_id(a, at), strrchr(address, '!') + 1));
    json_str(w, "address", address);
    json_str(w, "addressLocal", address);
    json_int(w, "columnCount", (int64_t)columns);
    json_int(w, "cellCount", (int64_t)(rows * columns));
    json_bool(w, "columnHidden", false);
    json_bool(w, "rowHidden", false);
    write_grid(w, s->rows, r, "numberFormat", SHOW_FORMATS);
    json_int(w, "columnIndex", r->left);
    write_grid(w, s->rows, r, "text", SHOW_TEXT);
    write_grid(w, s->rows, r, "formulas", SHOW_FORMULAS);
    write_grid(w, s->rows, r, "formulasLocal", SHOW_FORMULAS);
    json_bool(w, "hidden", false);
    json_int(w, "rowCount", (int64_t)rows);
    json_int(w, "rowIndex", r->top);
    write_grid(w, s->rows, r, "valueTypes", SHOW_TYPES);
    write_grid(w, s->rows, r, "values", SHOW_VALUES);
    json_end(w);
    return 0;
}

/* ---- in ---- */

static bool is_text_format(const struct sheet_cell *cell)
{
    return cell->format && strcmp(cell->format, "@") == 0;
}

/* A text as somebody types it into a cell, whose format is there already. */
static void take_text(struct arena *a, struct sheet_cell *cell, const struct json *v)
{
    const char *typed, *format;
    double number;
    if (is_text_format(cell))
        *cell = (struct sheet_cell){.kind = CELL_TEXT, .text = v->str, .format = cell->format};
    else if (*v->str == '=' && v->n > 1)
        *cell = (struct sheet_cell){
            .kind = CELL_TEXT, .text = "", .formula = v->str, .format = cell->format};
    else if (parse_double(v->str, v->n, &number) == 0)
        *cell = (struct sheet_cell){.kind = CELL_NUMBER, .text = v->str, .format = cell->format};
    else if (str_eq_nocase(v->str, "TRUE") || str_eq_nocase(v->str, "FALSE"))
        *cell = (struct sheet_cell){
            .kind = CELL_BOOL, .truth = (*v->str | 32) == 't', .format = cell->format};
    else if (book_typed(a, v->str, v->n, &typed, &format))
        *cell = (struct sheet_cell){
            .kind = CELL_NUMBER, .text = typed, .format = cell->format ? cell->format : format};
    else
        *cell = (struct sheet_cell){
            .kind = CELL_TEXT, .text = v->str + (*v->str == '\''), .format = cell->format};
}

/* Puts a value of a body into a cell: null leaves it as it is. False: it is none. */
typedef bool cell_taker(struct arena *a, struct sheet_cell *cell, const struct json *v);

static bool take_cell(struct arena *a, struct sheet_cell *cell, const struct json *v)
{
    switch (v->type) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        *cell = (struct sheet_cell){.kind = CELL_BOOL, .truth = v->truth, .format = cell->format};
        return true;
    case JSON_NUMBER:
        *cell = (struct sheet_cell){.kind = is_text_format(cell) ? CELL_TEXT : CELL_NUMBER,
                                    .text = v->str,
                                    .format = cell->format};
        return true;
    case JSON_STRING:
        break;
    default:
        return false;
    }
    if (utf8_count(v->str, v->n) > (*v->str == '=' ? FORMULA_MOST : TEXT_MOST))
        return false;
    if (!v->n)
        *cell = (struct sheet_cell){.kind = CELL_EMPTY, .format = cell->format};
    else
        take_text(a, cell, v);
    return true;
}

static bool take_format(struct arena *a, struct sheet_cell *cell, const struct json *v)
{
    (void)a;
    if (v->type == JSON_NULL)
        return true;
    if (v->type != JSON_STRING || !number_format_valid(v->str, v->n))
        return false;
    cell->format = number_format_general(v->str) ? NULL : v->str;
    return true;
}

static bool take_nothing(struct arena *a, struct sheet_cell *cell, const struct json *v)
{
    (void)a;
    (void)v;
    *cell = (struct sheet_cell){.kind = CELL_EMPTY, .format = cell->format};
    return true;
}

static bool take_general(struct arena *a, struct sheet_cell *cell, const struct json *v)
{
    (void)a;
    (void)v;
    cell->format = NULL;
    return true;
}

/* The value for a place: of a list of rows, or the one for all; NULL: there is none. */
static const struct json *value_for(const struct json *values, uint32_t row, uint32_t column)
{
    if (values->type != JSON_ARRAY)
        return values;
    const struct json *line = row < values->n ? &values->items[row] : NULL;
    return line && line->type == JSON_ARRAY && column < line->n ? &line->items[column] : NULL;
}

static bool has_form(const struct json *values, uint32_t rows, uint32_t columns)
{
    if (values->type != JSON_ARRAY)
        return values->type != JSON_OBJECT;
    if (values->n != rows)
        return false;
    for (uint32_t i = 0; i < rows; i++)
        if (values->items[i].type != JSON_ARRAY || values->items[i].n != columns)
            return false;
    return true;
}

/* Each cell of a range with the value for it. 0, -1 refused. */
static int take_grid(struct workbook *b, struct sheet *s, const struct book_range *r,
                     const struct json *values, cell_taker *take)
{
    const uint32_t rows = r->bottom - r->top + 1, columns = r->right - r->left + 1;
    struct call *c = b->at.c;
    if ((uint64_t)rows * columns > BOOK_CELLS || (uint64_t)rows * (r->right + 1) > SHEET_CELLS)
        return book_bad(c);
    if (!has_form(values, rows, columns))
        return call_fail(c, SOSIA_E_INVALID, "InvalidArgument", NULL,
                         "The number of rows or columns in the input array doesn't match the size "
                         "or dimensions of the range.");
    struct sheet_row **from = &s->rows;
    for (uint32_t row = 0; row < rows; row++) {
        struct sheet_row *line = book_row(b, from, r->top + row, r->right + 1);
        if (!line)
            return sosia_fail_memory(c->tx.err);
        while (*from != line)
            from = &(*from)->next;
        for (uint32_t column = 0; column < columns; column++) {
            const struct json *v = value_for(values, row, column);
            if (!v || !take(c->tx.arena, &line->cells[r->left + column], v))
                return book_bad(c);
        }
    }
    return 0;
}

int book_take_values(struct workbook *b, struct sheet *s, const struct book_range *r,
                     const struct json *values)
{
    return take_grid(b, s, r, values, take_cell);
}

int book_take_formats(struct workbook *b, struct sheet *s, const struct book_range *r,
                      const struct json *formats)
{
    return take_grid(b, s, r, formats, take_format);
}

int book_clear(struct workbook *b, struct sheet *s, const struct book_range *r, bool contents,
               bool formats)
{
    static const struct json nothing = {.type = JSON_NULL};
    if (contents && take_grid(b, s, r, &nothing, take_nothing) < 0)
        return -1;
    return formats ? take_grid(b, s, r, &nothing, take_general) : 0;
}
