/* SPDX-License-Identifier: Apache-2.0 */
/* Workbooks as "desktop-commander" reads and writes them: rows of values, as JSON. */
#include "engine/base/utf8.h"
#include "mcp/servers/desktop/desktop.h"
#include "services/drive/core/document/calc.h"
#include "services/drive/core/document/format.h"
#include "services/drive/core/document/number_format.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { SHEET_MOST = 10 << 20, CELLS_MOST = 200000, NAME = 31 /* characters of a sheet's */ };
#define NO_ZIP                                                                                     \
    "Can't find end of central directory : is this a zip file ? If it is, see "                    \
    "https://stuk.github.io/jszip/documentation/howto/read_zip.html"
#define NO_CONTENT                                                                                 \
    "Invalid content format. Expected JSON string with 2D array or object with sheet names."
#define SHEET_ONE "Sheet1"

/* ---- refusals ---- */

__attribute__((format(printf, 3, 4))) static int because(struct call *c, const char **ret_why,
                                                         const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    *ret_why = arena_vprintf(c->tx.arena, fmt, ap);
    va_end(ap);
    return *ret_why ? 0 : sosia_fail_memory(c->tx.err);
}

/* 1, 0, -1. */
static int open_book(struct call *c, const char *data, size_t n, struct document **ret,
                     const char **ret_why)
{
    if (n > SHEET_MOST)
        return because(c, ret_why,
                       "Excel file size (%.1fMB) exceeds 10MB limit. Consider using specialized "
                       "tools for large file processing.",
                       (double)n / (1 << 20));
    if (format_read(c->tx.arena, DOCUMENT_SHEETS, FORMAT_XLSX, data, n, "", ret, c->tx.err) == 0)
        return 1;
    if (c->tx.err->code == SOSIA_E_NO_MEMORY)
        return -1;
    *c->tx.err = (struct sosia_err){0};
    return because(c, ret_why, "%s", NO_ZIP);
}

static int save_book(struct call *c, const struct document *d, struct buf *ret,
                     const char **ret_why)
{
    if (format_write(c->tx.arena, d, FORMAT_XLSX, ret, c->tx.err) == 0)
        return 1;
    if (c->tx.err->code == SOSIA_E_NO_MEMORY)
        return -1;
    const char *text = arena_strdup(c->tx.arena, c->tx.err->text);
    *c->tx.err = (struct sosia_err){0};
    return because(c, ret_why, "%s", text);
}

/* ---- places ---- */

struct place {
    int64_t row, column, last_row, last_column; /* from 1; 0: not said */
};

static const char *letters(const char *at, int64_t *ret)
{
    *ret = 0;
    for (; isalpha((unsigned char)*at) && *ret <= SHEET_COLUMNS; at++)
        *ret = *ret * 26 + (toupper((unsigned char)*at) - 'A' + 1);
    return at;
}

static const char *digits(const char *at, int64_t *ret)
{
    *ret = 0;
    for (; isdigit((unsigned char)*at) && *ret <= SHEET_ROWS; at++)
        *ret = *ret * 10 + (*at - '0');
    return at;
}

/* "A1", "A1:C10". */
static bool read_place(const char *text, struct place *ret)
{
    *ret = (struct place){0};
    const char *at = digits(letters(text, &ret->column), &ret->row);
    if (*at == ':') {
        at = digits(letters(at + 1, &ret->last_column), &ret->last_row);
        if (!ret->last_column || !ret->last_row)
            return false;
    }
    return !*at && ret->column && ret->row && ret->column <= SHEET_COLUMNS &&
           ret->row <= SHEET_ROWS && ret->last_column <= SHEET_COLUMNS &&
           ret->last_row <= SHEET_ROWS;
}

static int no_place(struct call *c, const char *range, const char **ret_why)
{
    return because(c, ret_why,
                   "Invalid cell range: \"%s\". Expected forms: \"A1\", \"A1:C10\", or "
                   "\"SheetName!A1:C10\" (single-quote sheet names containing spaces: \"'My "
                   "Sheet'!A1:C10\").",
                   range);
}

/* "'My Sheet'!A1" in its parts. */
static void split_range(struct arena *a, const char *range, const char **ret_sheet,
                        const char **ret_cells)
{
    const char *mark = strchr(range, '!');
    size_t n = mark ? (size_t)(mark - range) : 0;
    *ret_sheet = NULL;
    *ret_cells = mark ? mark + 1 : range;
    if (!mark)
        return;
    char *name = arena_printf(a, "%.*s", (int)n, range), *to = name;
    if (name && n >= 2 && name[0] == '\'' && name[n - 1] == '\'') {
        for (size_t i = 1; i + 1 < n; i++) {
            *to++ = name[i];
            i += name[i] == '\'' && name[i + 1] == '\'' && i + 2 < n;
        }
        *to = 0;
    }
    *ret_sheet = name;
}

/* ---- reading ---- */

static bool is_empty(const struct sheet_cell *cell)
{
    return cell->kind == CELL_EMPTY && !cell->formula;
}

/* How many rows, and how many columns, have anything: the original takes that for where they end.
 */
static void used(struct arena *a, const struct sheet *s, int64_t *ret_rows, int64_t *ret_columns)
{
    bool *columns = arena_calloc(a, SHEET_COLUMNS + 1, sizeof *columns);
    *ret_rows = *ret_columns = 0;
    for (const struct sheet_row *r = s->rows; r && columns; r = r->next) {
        bool any = false;
        for (uint32_t i = 0; i < r->n && i <= SHEET_COLUMNS; i++) {
            if (is_empty(&r->cells[i]))
                continue;
            any = true;
            *ret_columns += !columns[i];
            columns[i] = true;
        }
        *ret_rows += any;
    }
}

static void put_cell(struct json_writer *w, const struct sheet_cell *cell)
{
    char day[32];
    if (!cell || cell->kind == CELL_EMPTY)
        json_null(w, NULL);
    else if (cell->kind == CELL_BOOL)
        json_bool(w, NULL, cell->truth);
    else if (cell->kind == CELL_TEXT)
        json_str(w, NULL, cell->text);
    else if (number_format_dates(cell->format) && number_format_day(cell->text, 'T', day)) {
        char text[64];
        snprintf(text, sizeof text, "%s%s", day, strchr(day, 'T') ? ".000Z" : "T00:00:00.000Z");
        json_str(w, NULL, text);
    } else {
        json_raw(w, NULL, cell->text, strlen(cell->text));
    }
}

static const struct sheet *sheet_named(const struct document *d, const char *name)
{
    for (const struct sheet *s = d->sheets; s; s = s->next)
        if (strcmp(s->title, name) == 0)
            return s;
    return NULL;
}

/* The one that is asked for; a number is a place. 1, 0, -1. */
static int choose(struct call *c, const struct document *d, const char *name,
                  const struct sheet **ret, const char **ret_why)
{
    const size_t n = name ? strlen(name) : 0;
    if (!name) {
        *ret = d->sheets;
        return 1;
    }
    if (n && n < 10 && strspn(name, "0123456789") == n) {
        long at = strtol(name, NULL, 10), i = 0;
        for (const struct sheet *s = d->sheets; s; s = s->next, i++)
            if (i == at) {
                *ret = s;
                return 1;
            }
        return because(c, ret_why, "Sheet index %ld out of range (0-%ld)", at, i - 1);
    }
    if ((*ret = sheet_named(d, name)) != NULL)
        return 1;
    struct buf b;
    buf_init(&b, 0);
    for (const struct sheet *s = d->sheets; s; s = s->next)
        buf_printf(&b, "%s%s", s == d->sheets ? "" : ", ", s->title);
    int r = because(c, ret_why, "Sheet \"%s\" not found. Available sheets: %s", name, buf_str(&b));
    buf_done(&b);
    return r;
}

static void put_rows(struct buf *b, const struct sheet *s, const struct place *p)
{
    const struct sheet_row *row = s->rows;
    struct json_writer w;
    json_init(&w, b, false, NULL);
    json_arr(&w, NULL);
    for (int64_t r = p->row; r <= p->last_row; r++) {
        while (row && (int64_t)row->at + 1 < r)
            row = row->next;
        const bool is = row && (int64_t)row->at + 1 == r;
        json_arr(&w, NULL);
        for (int64_t k = p->column; k <= p->last_column; k++)
            put_cell(&w, is && k <= row->n ? &row->cells[k - 1] : NULL);
        json_end(&w);
    }
    json_end(&w);
}

int desktop_put_cells(struct call *c, const char *path, const char *data, size_t n,
                      const struct desktop_cells *cells, struct buf *b, const char **ret_why)
{
    const char *name = cells->sheet, *in_range = NULL, *range = NULL;
    struct place p = {.row = 1, .column = 1}, given;
    const struct sheet *s;
    struct document *d;
    int64_t rows, columns;
    int r = open_book(c, data, n, &d, ret_why);
    if (r != 1)
        return r;
    if (cells->range && *cells->range)
        split_range(c->tx.arena, cells->range, &in_range, &range);
    if ((r = choose(c, d, name ? name : in_range, &s, ret_why)) != 1)
        return r;
    used(c->tx.arena, s, &rows, &columns);
    p.last_row = rows ? rows : 1;
    p.last_column = columns ? columns : 1;
    if (range && *range) {
        if (!read_place(range, &given))
            return no_place(c, range, ret_why);
        p.row = given.row;
        p.column = given.column;
        p.last_row = given.last_row ? given.last_row : p.last_row;
        p.last_column = given.last_column ? given.last_column : p.last_column;
    }
    const int64_t total = p.last_row - p.row + 1;
    const int64_t offset = cells->offset < -SHEET_ROWS  ? -SHEET_ROWS
                           : cells->offset > SHEET_ROWS ? SHEET_ROWS
                                                        : cells->offset;
    if (offset < 0)
        p.row = p.last_row + offset + 1 > p.row ? p.last_row + offset + 1 : p.row;
    else
        p.row += offset;
    if (cells->length > 0 && offset >= 0 && cells->length < p.last_row - p.row + 1)
        p.last_row = p.row + cells->length - 1;
    const int64_t given_rows = p.last_row - p.row + 1 > 0 ? p.last_row - p.row + 1 : 0;
    if (given_rows * (p.last_column - p.column + 1) > CELLS_MOST)
        return because(c, ret_why, "a range must have at most %d cells", CELLS_MOST);
    buf_printf(b, "[Sheet: '%s' from %s]", s->title, path);
    if (total > given_rows)
        buf_printf(b, "\n[Showing rows %lld-%lld of %lld total. Use offset/length to paginate.]",
                   (long long)offset + 1, (long long)(offset + given_rows), (long long)total);
    buf_printf(b,
               "\n[To MODIFY cells: use edit_block with range param, e.g., edit_block(path, "
               "{range: \"%s!E5\", content: [[newValue]]}). read_file accepts the same range form, "
               "or pass sheet + range separately.]\n\n",
               strpbrk(s->title, " \t") ? s->title : SHEET_ONE);
    put_rows(b, s, &p);
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 1;
}

int desktop_put_sheets(struct call *c, const char *data, size_t n, struct buf *b)
{
    struct document *d;
    const char *why;
    int64_t rows, columns;
    int r = open_book(c, data, n, &d, &why), i = 0;
    if (r != 1)
        return r;
    buf_puts(b, "\nsheets: ");
    for (const struct sheet *s = d->sheets; s; s = s->next, i++) {
        used(c->tx.arena, s, &rows, &columns);
        buf_printf(b, "\n  [%d] { name: %s, rowCount: %lld, colCount: %lld }", i, s->title,
                   (long long)rows, (long long)columns);
    }
    buf_puts(b, "\nisExcelFile: true");
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
}

/* ---- writing ---- */

/* A row with at least n cells, made where there is none: at *from or behind it, which is moved on.
 * NULL: no memory. */
static struct sheet_row *row_at(struct arena *a, struct sheet_row ***from, int64_t row, size_t n)
{
    struct sheet_row **at = *from;
    while (*at && (int64_t)(*at)->at < row)
        at = &(*at)->next;
    *from = at;
    if (!*at || (int64_t)(*at)->at != row) {
        struct sheet_row *made = arena_calloc(a, 1, sizeof *made);
        if (arena_failed(a))
            return NULL;
        *made = (struct sheet_row){.next = *at, .at = (uint32_t)row};
        *at = made;
    }
    struct sheet_row *r = *at;
    if (r->n < n) {
        struct sheet_cell *cells = arena_calloc(a, n, sizeof *cells);
        if (arena_failed(a))
            return NULL;
        if (r->n)
            memcpy(cells, r->cells, r->n * sizeof *cells);
        r->cells = cells;
        r->n = (uint32_t)n;
    }
    return r;
}

/* A text that begins with '=' becomes a formula when the sheet is calculated. */
static void set_cell(struct arena *a, struct sheet_cell *cell, const struct json *v)
{
    const char *format = cell->format;
    double x;
    *cell = (struct sheet_cell){.format = format};
    if (v->type == JSON_BOOL) {
        cell->kind = CELL_BOOL;
        cell->truth = json_is_true(v);
    } else if (v->type == JSON_NUMBER && json_double(v, &x) == 0) {
        char text[32];
        number_write(x, text);
        cell->kind = CELL_NUMBER;
        cell->text = arena_strdup(a, text);
    } else if (v->type == JSON_STRING) {
        cell->kind = CELL_TEXT;
        cell->text = v->str;
    } else if (v->type != JSON_NULL) {
        cell->kind = CELL_TEXT;
        cell->text = "[object Object]";
    }
}

/* Rows of values from a place on, both from 0. 1; 0: there are too many; -1. */
static int set_rows(struct call *c, struct sheet *s, int64_t row, int64_t column,
                    const struct json *values, const char **ret_why)
{
    struct sheet_row **at = &s->rows;
    uint64_t cells = 0, all = 0; /* with those that are empty in front */
    for (uint32_t i = 0; i < values->n; i++) {
        const struct json *list = &values->items[i];
        if (list->type != JSON_ARRAY || !list->n)
            continue;
        cells += list->n;
        all += (uint64_t)column + list->n;
        if (cells > CELLS_MOST || all > SHEET_CELLS || row + i >= SHEET_ROWS ||
            column + list->n > SHEET_COLUMNS)
            return because(c, ret_why, "a sheet must have at most %d rows, a range %d cells",
                           SHEET_ROWS, CELLS_MOST);
        struct sheet_row *r = row_at(c->tx.arena, &at, row + i, (size_t)column + list->n);
        for (uint32_t k = 0; r && k < list->n; k++)
            set_cell(c->tx.arena, &r->cells[column + k], &list->items[k]);
        if (!r)
            return sosia_fail_memory(c->tx.err);
    }
    return sheet_calculate(c->tx.arena, s, POWERS_FROM_LEFT) < 0 ? sosia_fail_memory(c->tx.err) : 1;
}

/* Why a sheet can't have a name; NULL: it can. In the words of the program's library. */
static const char *bad_name(struct arena *a, const struct document *d, const char *name)
{
    const size_t n = strlen(name);
    if (!n)
        return "The name can't be empty.";
    if (strcmp(name, "History") == 0)
        return "The name \"History\" is protected. Please use a different name.";
    if (strpbrk(name, "*?:/\\[]"))
        return arena_printf(a,
                            "Worksheet name %s cannot include any of the following characters: * ? "
                            ": \\ / [ ]",
                            name);
    if (name[0] == '\'' || name[n - 1] == '\'')
        return arena_printf(a,
                            "The first or last character of worksheet name cannot be a single "
                            "quotation mark: %s",
                            name);
    for (const struct sheet *s = d->sheets; s; s = s->next)
        if (strncasecmp(s->title, name, utf8_truncate(name, n, NAME)) == 0 &&
            strlen(s->title) == utf8_truncate(name, n, NAME))
            return arena_printf(a, "Worksheet name already exists: %s", s->title);
    return NULL;
}

/* The sheet of a name, which is made where there is none, cut as the library does it. 1; 0: it
 * can't have that name; -1: no memory. */
static int sheet_for(struct call *c, struct document *d, const char *name, struct sheet **ret,
                     const char **ret_why)
{
    struct arena *a = c->tx.arena;
    struct sheet **at = &d->sheets;
    for (; *at; at = &(*at)->next)
        if (strcmp((*at)->title, name) == 0) {
            *ret = *at;
            return 1;
        }
    if ((*ret_why = bad_name(a, d, name)) != NULL)
        return 0;
    *ret = *at = arena_calloc(a, 1, sizeof **at);
    if (*at)
        (*at)->title = arena_printf(a, "%.*s", (int)utf8_truncate(name, strlen(name), NAME), name);
    return arena_failed(a) ? sosia_fail_memory(c->tx.err) : 1;
}

/* Where the rows of a sheet end: behind as many as have anything. */
static int64_t end_of(struct arena *a, const struct sheet *s)
{
    int64_t rows, columns;
    used(a, s, &rows, &columns);
    return rows;
}

int desktop_make_sheets(struct call *c, const char *data, size_t n, const char *content,
                        struct buf *ret, const char **ret_why)
{
    struct arena *a = c->tx.arena;
    struct document *d;
    const struct json *v;
    if (json_parse(a, content, strlen(content), NULL, &v, c->tx.err) < 0) {
        if (c->tx.err->code == SOSIA_E_NO_MEMORY)
            return -1;
        *c->tx.err = (struct sosia_err){0};
        return because(c, ret_why, NO_CONTENT);
    }
    if (v->type != JSON_ARRAY && v->type != JSON_OBJECT)
        return because(c, ret_why,
                       "Invalid content format. Expected 2D array or object with sheet names.");
    int r = data ? open_book(c, data, n, &d, ret_why) : 1;
    if (!data && (d = document_new(a, DOCUMENT_SHEETS, "")) != NULL)
        d->sheets = NULL;
    for (uint32_t i = 0; r == 1 && d && (v->type == JSON_ARRAY ? i < 1 : i < v->n); i++) {
        const bool one = v->type == JSON_ARRAY;
        const struct json *rows = one ? v : &v->members[i].value;
        if (rows->type != JSON_ARRAY)
            continue;
        if (i >= SHEETS)
            return because(c, ret_why, "a workbook must have at most %d sheets", SHEETS);
        struct sheet *s;
        r = sheet_for(c, d, one ? SHEET_ONE : v->members[i].key, &s, ret_why);
        if (r == 1)
            r = set_rows(c, s, data ? end_of(a, s) : 0, 0, rows, ret_why);
    }
    struct sheet *first;
    if (r == 1 && d && !d->sheets)
        r = sheet_for(c, d, SHEET_ONE, &first, ret_why);
    if (arena_failed(a))
        return sosia_fail_memory(c->tx.err);
    return r == 1 ? save_book(c, d, ret, ret_why) : r;
}

int desktop_set_cells(struct call *c, const char *data, size_t n, const char *range,
                      const struct json *values, struct buf *ret, const char **ret_why)
{
    const char *name, *cells;
    struct place p = {.row = 1, .column = 1};
    struct document *d;
    if (!values || values->type != JSON_ARRAY)
        return because(c, ret_why, "Content must be a 2D array for range editing");
    int r = open_book(c, data, n, &d, ret_why);
    if (r != 1)
        return r;
    split_range(c->tx.arena, range, &name, &cells);
    if (name && !read_place(cells, &p))
        return no_place(c, cells, ret_why);
    struct sheet *s;
    if ((r = sheet_for(c, d, name ? name : range, &s, ret_why)) != 1)
        return r;
    if (!name)
        s->rows = NULL; /* all of it */
    r = set_rows(c, s, p.row - 1, p.column - 1, values, ret_why);
    return r == 1 ? save_book(c, d, ret, ret_why) : r;
}
