/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of workbooks: ranges of a sheet with a name, whose rows are read and added. They are kept
 * beside the file, which the model of documents has without them. */
#include "engine/base/codec.h"
#include "services/drive/onedrive/workbook/workbook.h"

enum { TABLES_MOST = 200 };

/* ---- tables ---- */

static void write_table(struct workbook *b, const struct book_table *t)
{
    struct json_writer *w = b->at.c->out;
    struct arena *a = b->at.c->tx.arena;
    const char *id = arena_printf(a, "%lld", (long long)t->number);
    json_str(w, "@odata.id", ARENA_JOIN(a, b->base, "/tables", graph_key(a, id)));
    json_str(w, "id", id);
    json_str(w, "name", t->name);
    json_bool(w, "showHeaders", t->heads);
    json_bool(w, "showTotals", false);
    json_str(w, "style", "TableStyleMedium2");
    json_bool(w, "highlightFirstColumn", false);
    json_bool(w, "highlightLastColumn", false);
    json_bool(w, "showBandedColumns", false);
    json_bool(w, "showBandedRows", true);
    json_bool(w, "showFilterButton", t->heads);
}

static int answer_table(struct workbook *b, const struct book_table *t)
{
    json_obj(b->at.c->out, NULL);
    graph_context_of(b->at.c, "microsoft.graph.workbookTable");
    write_table(b, t);
    json_end(b->at.c->out);
    return 0;
}

/* The sheet of the path, where it names one: *ret NULL if not. 0, -1. */
static int maybe_sheet(struct workbook *b, struct sheet **ret)
{
    int at;
    *ret = NULL;
    return param_given(b->at.c, "workbookWorksheet-id") ? book_sheet_of_path(b, ret, &at) : 0;
}

static int tables_list(struct call *c)
{
    struct book_table t = {.number = 0};
    struct odata_query q;
    struct workbook b;
    struct sheet *s;
    int r;
    if (book_open(c, ROLE_READER, &b) < 0 || maybe_sheet(&b, &s) < 0 ||
        onedrive_options(c, "workbookTable", &q) < 0 || graph_select(c, &q, 0, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/tables%s", b.base + 1, odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    while ((r = book_next_table(&c->tx, b.item.id, t.number, &t)) == 1) {
        if (s && !str_eq_nocase(s->title, t.sheet))
            continue;
        json_obj(c->out, NULL);
        write_table(&b, &t);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static bool overlap(const struct book_range *x, const struct book_range *y)
{
    return x->top <= y->bottom && y->top <= x->bottom && x->left <= y->right && y->left <= x->right;
}

/* A new one may not lie over another one. Fills number and a name. 0, -1. */
static int settle_table(struct workbook *b, struct book_table *t)
{
    struct book_table other = {.number = 0};
    int r, n = 0;
    while ((r = book_next_table(&b->at.c->tx, t->item, other.number, &other)) == 1)
        if (n++ >= TABLES_MOST ||
            (str_eq_nocase(other.sheet, t->sheet) && overlap(&other.range, &t->range)))
            return book_bad(b->at.c);
    t->number = other.number + 1;
    t->name = arena_printf(b->at.c->tx.arena, "Table%lld", (long long)t->number);
    return r;
}

/* Heads that are empty get a name. */
static int fill_heads(struct workbook *b, struct sheet *s, const struct book_table *t)
{
    struct sheet_row *row = book_row(b, &s->rows, t->range.top, t->range.right + 1);
    if (!row)
        return sosia_fail_memory(b->at.c->tx.err);
    for (uint32_t i = t->range.left; i <= t->range.right; i++)
        if (row->cells[i].kind == CELL_EMPTY)
            row->cells[i] = (struct sheet_cell){
                .kind = CELL_TEXT,
                .text = arena_printf(b->at.c->tx.arena, "Column%u", i - t->range.left + 1)};
    return 0;
}

/* Makes room in the sheet for n rows of the table, in front of what is below. */
static void make_room(struct sheet *s, uint32_t at, uint32_t n)
{
    for (struct sheet_row *row = s->rows; row; row = row->next)
        if (row->at >= at)
            row->at += n;
}

/* New rows of a table have the number formats of the row above them, or at the top of that below.
 */
static int inherit_formats(struct workbook *b, struct sheet *s, const struct book_table *t,
                           uint32_t at, uint32_t n)
{
    const uint32_t model = at > t->range.top + t->heads ? at - 1 : at + n;
    const struct sheet_row *from = s->rows;
    struct sheet_row **behind = &s->rows;
    while (from && from->at < model)
        from = from->next;
    if (!from || from->at != model || model > t->range.bottom + n)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        struct sheet_row *row = book_row(b, behind, at + i, t->range.right + 1);
        if (!row)
            return sosia_fail_memory(b->at.c->tx.err);
        for (uint32_t k = t->range.left; k <= t->range.right && k < from->n; k++)
            row->cells[k].format = from->cells[k].format;
        while (*behind != row)
            behind = &(*behind)->next;
    }
    return 0;
}

/* Others of the sheet that are below go down with the rows, or up. */
static int shift_others(struct tx *tx, const struct book_table *t, uint32_t from, int64_t by)
{
    static struct sql_text q = SQL_TEXT(
        "update onedrive_table set top = top + :by, bottom = bottom + :by where item = :item and "
        "sheet = :sheet collate nocase and id <> :id and top >= :from");
    return TX_RUN(tx, &q, by, t->item, t->sheet, t->id, (int64_t)from);
}

/* Rows of the sheet move as wholes. One of another table may not go by itself, nor a gap come into
 * it: none may begin above `below` and end at `from` or behind it. 0, -1 refused. */
static int check_others(struct call *c, const struct book_table *t, uint32_t below, uint32_t from)
{
    static struct sql_text q = SQL_TEXT(
        "select 1 from onedrive_table where item = :item and sheet = :sheet collate nocase and id "
        "<> :id and top < :below and bottom >= :from limit 1");
    int64_t one;
    int r = TX_INT(&c->tx, &q, &one, t->item, t->sheet, t->id, (int64_t)below, (int64_t)from);
    return r < 0 ? -1 : r ? book_bad(c) : 0;
}

/* Without heads the cells go a row down, below heads that are made. 0, -1. */
static int make_heads(struct call *c, struct sheet *s, struct book_table *t)
{
    if (check_others(c, t, t->range.top, t->range.top) < 0)
        return -1;
    make_room(s, t->range.top, 1);
    t->range.bottom++;
    t->heads = true;
    return shift_others(&c->tx, t, t->range.top, 1);
}

static int tables_add(struct call *c)
{
    const struct json *body;
    struct book_table t = {.number = 0};
    struct workbook b;
    struct sheet *s;
    int at;
    if (book_open(c, ROLE_WRITER, &b) < 0 || maybe_sheet(&b, &s) < 0 || !(body = call_body(c)))
        return -1;
    const char *address = json_get_str(body, "address");
    if (!address || !book_address(address, &t.range))
        return book_bad(c);
    const char *bang = strrchr(address, '!');
    if (bang) {
        char *name = arena_memdup(c->tx.arena, address, (size_t)(bang - address));
        const size_t n = strlen(name);
        if (n > 2 && *name == '\'' && name[n - 1] == '\'') {
            name[n - 1] = '\0';
            name++;
        }
        s = book_sheet(&b, name, &at);
    }
    if (!s)
        return bang ? book_none(c) : book_bad(c);
    t.item = b.item.id;
    t.sheet = s->title;
    t.heads = json_get_true(body, "hasHeaders");
    if (t.heads && t.range.bottom == t.range.top)
        t.range.bottom++;
    if (t.range.bottom + !t.heads >= SHEET_ROWS || book_cells(&t.range) > SHEET_CELLS)
        return book_bad(c);
    if (settle_table(&b, &t) < 0 || (!t.heads && make_heads(c, s, &t) < 0) ||
        fill_heads(&b, s, &t) < 0 || book_add_table(&c->tx, &t) < 0 || book_save(&b) < 0)
        return -1;
    c->status = 201;
    return answer_table(&b, &t);
}

/* The table of the path and its sheet. 0, -1. */
static int open_table(struct call *c, enum drive_role need, struct workbook *b,
                      struct book_table *t, struct sheet **ret)
{
    int at;
    if (book_open(c, need, b) < 0)
        return -1;
    int r = book_find_table(&c->tx, b->item.id, param_str(c, "workbookTable-id"), t);
    *ret = r == 1 ? book_sheet(b, t->sheet, &at) : NULL;
    return *ret ? 0 : r < 0 ? -1 : book_none(c);
}

static int tables_get(struct call *c)
{
    struct book_table t;
    struct workbook b;
    struct sheet *s;
    return open_table(c, ROLE_READER, &b, &t, &s) < 0 ? -1 : answer_table(&b, &t);
}

/* The cells stay. */
static int tables_delete(struct call *c)
{
    static struct sql_text q = SQL_TEXT("delete from onedrive_table where id = :id");
    struct book_table t;
    struct workbook b;
    struct sheet *s;
    if (open_table(c, ROLE_WRITER, &b, &t, &s) < 0)
        return -1;
    c->status = 204;
    return TX_RUN(&c->tx, &q, t.id) < 0 ? -1 : book_save(&b);
}

/* ---- their rows and columns ---- */

static uint32_t first_row(const struct book_table *t)
{
    return t->range.top + t->heads;
}

/* from: as of book_write_values(). */
static void write_row(struct workbook *b, const struct sheet_row *from, const struct book_table *t,
                      uint32_t index)
{
    struct json_writer *w = b->at.c->out;
    struct arena *a = b->at.c->tx.arena;
    const struct book_range r = {first_row(t) + index, t->range.left, first_row(t) + index,
                                 t->range.right};
    json_str(w, "@odata.id",
             arena_printf(a, "%s/tables(%%27%lld%%27)/rows/itemAt(index=%u)", b->base,
                          (long long)t->number, index));
    json_int(w, "index", index);
    book_write_values(b, from, &r, "values");
}

static int rows_list(struct call *c)
{
    struct odata_query q;
    struct book_table t;
    struct workbook b;
    struct sheet *s;
    if (open_table(c, ROLE_READER, &b, &t, &s) < 0 ||
        onedrive_options(c, "workbookTableRow", &q) < 0 || graph_select(c, &q, 0, true) < 0)
        return -1;
    const uint32_t n = t.range.bottom + 1 - first_row(&t);
    const uint32_t from = q.skip > n ? n : (uint32_t)(q.skip > 0 ? q.skip : 0);
    const uint32_t end = q.top >= 0 && q.top < n - from ? from + (uint32_t)q.top : n;
    const struct sheet_row *from_row = s->rows;
    if (book_check_size(c, end - from, t.range.right - t.range.left + 1) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/tables('%lld')/rows%s", b.base + 1, (long long)t.number,
                  odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    for (uint32_t i = from; i < end; i++) {
        while (from_row && from_row->at < first_row(&t) + i)
            from_row = from_row->next;
        json_obj(c->out, NULL);
        write_row(&b, from_row, &t, i);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int save_range(struct tx *tx, const struct book_table *t)
{
    static struct sql_text q =
        SQL_TEXT("update onedrive_table set bottom = :bottom where id = :id");
    return TX_RUN(tx, &q, (int64_t)t->range.bottom, t->id);
}

static int rows_add(struct call *c)
{
    const struct json *body, *values;
    struct book_table t;
    struct workbook b;
    struct sheet *s;
    if (open_table(c, ROLE_WRITER, &b, &t, &s) < 0 || !(body = call_body(c)))
        return -1;
    values = json_get(body, "values");
    const uint32_t have = t.range.bottom + 1 - first_row(&t);
    const int64_t asked = json_get_int(body, "index", -1);
    if (!values || values->type != JSON_ARRAY || !values->n || values->n > 20000 || asked < -1 ||
        asked > (int64_t)have || t.range.bottom + values->n >= SHEET_ROWS)
        return book_bad(c);
    const uint32_t index = asked < 0 ? have : (uint32_t)asked, at = first_row(&t) + index;
    const struct book_range r = {at, t.range.left, at + values->n - 1, t.range.right};
    if (check_others(c, &t, at, at) < 0)
        return -1;
    make_room(s, at, values->n);
    if (inherit_formats(&b, s, &t, at, values->n) < 0 || book_take_values(&b, s, &r, values) < 0 ||
        shift_others(&c->tx, &t, at, values->n) < 0)
        return -1;
    t.range.bottom += values->n;
    if (book_cells(&t.range) > SHEET_CELLS)
        return book_bad(c);
    if (save_range(&c->tx, &t) < 0 || book_save(&b) < 0)
        return -1;
    c->status = 201;
    json_obj(c->out, NULL);
    graph_context_of(c, "microsoft.graph.workbookTableRow");
    write_row(&b, s->rows, &t, index);
    json_end(c->out);
    return 0;
}

static int rows_delete(struct call *c)
{
    const char *text = param_str(c, "index");
    struct sheet_row **row;
    struct book_table t;
    struct workbook b;
    struct sheet *s;
    int64_t index;
    if (open_table(c, ROLE_WRITER, &b, &t, &s) < 0)
        return -1;
    const uint32_t have = t.range.bottom + 1 - first_row(&t);
    if (parse_i64(text, strlen(text), &index) < 0 || index < 0 || index >= (int64_t)have ||
        have == 1)
        return book_bad(c);
    const uint32_t at = first_row(&t) + (uint32_t)index;
    if (check_others(c, &t, at + 1, at) < 0)
        return -1;
    for (row = &s->rows; *row; row = &(*row)->next) {
        if ((*row)->at == at)
            *row = (*row)->next;
        if (*row && (*row)->at > at)
            (*row)->at--;
        if (!*row)
            break;
    }
    t.range.bottom--;
    c->status = 204;
    return save_range(&c->tx, &t) < 0 || shift_others(&c->tx, &t, at, -1) < 0 ? -1 : book_save(&b);
}

static int columns_list(struct call *c)
{
    struct odata_query q;
    struct book_table t;
    struct workbook b;
    struct sheet *s;
    if (open_table(c, ROLE_READER, &b, &t, &s) < 0 ||
        onedrive_options(c, "workbookTableColumn", &q) < 0 || graph_select(c, &q, 0, true) < 0)
        return -1;
    if (book_check_size(c, t.range.bottom - t.range.top + 1, t.range.right - t.range.left + 1) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/tables('%lld')/columns%s", b.base + 1, (long long)t.number,
                  odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    const struct sheet_row *heads = s->rows;
    while (heads && heads->at < t.range.top)
        heads = heads->next;
    for (uint32_t i = t.range.left; i <= t.range.right; i++) {
        const struct sheet_cell *cell =
            heads && heads->at == t.range.top && i < heads->n ? &heads->cells[i] : NULL;
        const struct book_range r = {t.range.top, i, t.range.bottom, i};
        json_obj(c->out, NULL);
        json_str(c->out, "id", arena_printf(c->tx.arena, "%u", i - t.range.left + 1));
        json_int(c->out, "index", i - t.range.left);
        json_str(c->out, "name", cell && cell->text ? cell->text : "");
        book_write_values(&b, heads, &r, "values");
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- the methods ---- */

#define TABLE_KEY                                                                                  \
    {                                                                                              \
        .name = "workbookTable-id", .place = IN_PATH, .required = true                             \
    }
#define SHEET_KEY                                                                                  \
    {                                                                                              \
        .name = "workbookWorksheet-id", .place = IN_PATH, .required = true                         \
    }
static const struct param list_params[] = {
    ONEDRIVE_PATH_PARAMS, SHEET_KEY, {.name = "$select", .place = IN_QUERY}};
static const struct param add_params[] = {ONEDRIVE_PATH_PARAMS, SHEET_KEY};
static const struct param table_params[] = {ONEDRIVE_PATH_PARAMS, TABLE_KEY};
static const struct param rows_params[] = {
    ONEDRIVE_PATH_PARAMS,
    TABLE_KEY,
    {.name = "$select", .place = IN_QUERY},
    {.name = "$top", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = INT32_MAX},
    {.name = "$skip", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = INT32_MAX}};
static const struct param row_params[] = {
    ONEDRIVE_PATH_PARAMS,
    TABLE_KEY,
    {.name = "index", .place = IN_PATH, .required = true, .summary = "The row, from 0 on"}};

#define TABLE    "microsoft.graph.workbookTable"
#define ROW      "microsoft.graph.workbookTableRow"
#define AT(path) OF_BOOK("/tables/{workbookTable-id}" path)
#define IN_SHEET OF_BOOK("/worksheets/{workbookWorksheet-id}/tables")

static const struct route methods[] = {
    {ROUTE("onedrive.workbook.tables.list", GET, OF_BOOK("/tables"), IN_SHEET),
     .handler = tables_list, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(list_params),
     .response = TABLE "CollectionResponse", .summary = "The tables of a workbook or a sheet"},
    {.id = "onedrive.workbook.tables.add",
     .verbs = POST,
     .paths =
         PATHS(OF_BOOK("/tables/add"), OF_BOOK("/worksheets/{workbookWorksheet-id}/tables/add")),
     .handler = tables_add,
     .risk = RISK_WRITE,
     .scopes = ONEDRIVE_WRITE,
     PARAMS(add_params),
     .body = BODY_JSON,
     .request = "microsoft.graph.workbookTable.add",
     .response = TABLE,
     .status = 201,
     .summary = "Make a table of a range of cells"},
    {ROUTE("onedrive.workbook.tables.get", GET, AT("")), .handler = tables_get, .risk = RISK_READ,
     .scopes = ONEDRIVE_READ, PARAMS(table_params), .response = TABLE,
     .summary = "One table of a workbook"},
    {ROUTE("onedrive.workbook.tables.delete", DELETE, AT("")), .handler = tables_delete,
     .risk = RISK_DESTRUCTIVE, .scopes = ONEDRIVE_WRITE, PARAMS(table_params), .status = 204,
     .summary = "Delete a table; its cells stay"},
    {ROUTE("onedrive.workbook.rows.list", GET, AT("/rows")), .handler = rows_list,
     .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(rows_params),
     .response = ROW "CollectionResponse", .summary = "The rows of a table"},
    {ROUTE("onedrive.workbook.rows.add", POST, AT("/rows/add"), AT("/rows")), .handler = rows_add,
     .risk = RISK_WRITE, .scopes = ONEDRIVE_WRITE, PARAMS(table_params), .body = BODY_JSON,
     .request = ROW, .response = ROW, .status = 201, .summary = "Add rows to a table"},
    {ROUTE("onedrive.workbook.rows.delete", DELETE, AT("/rows/itemAt(index={index})")),
     .handler = rows_delete, .risk = RISK_DESTRUCTIVE, .scopes = ONEDRIVE_WRITE, PARAMS(row_params),
     .status = 204, .summary = "Delete a row of a table"},
    {ROUTE("onedrive.workbook.columns.list", GET, AT("/columns")), .handler = columns_list,
     .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(rows_params),
     .response = "microsoft.graph.workbookTableColumnCollectionResponse",
     .summary = "The columns of a table"},
};

const struct rows workbook_table_rows = ROWS(methods);
