/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats. */
#include "services/drive/core/document/format_impl.h"
#include "services/drive/core/document/calc.h"
#include <strings.h>

#define OPENXML "application/vnd.openxmlformats-officedocument."
#define T       (1u << DOCUMENT_TEXT)
#define S       (1u << DOCUMENT_SHEETS)
#define P       (1u << DOCUMENT_SLIDES)
#define D       (1u << DOCUMENT_DRAWING)

static const struct format formats[] = {
    {FORMAT_TEXT, "txt", T | P, T | P}, {FORMAT_HTML, "html", T, T},
    {FORMAT_MARKDOWN, "md", T, T},      {FORMAT_CSV, "csv", S, S},
    {FORMAT_TSV, "tsv", S, S},          {FORMAT_DOCX, "docx", T, T},
    {FORMAT_XLSX, "xlsx", S, S},        {FORMAT_PPTX, "pptx", P, P},
    {FORMAT_ODT, "odt", T, T},          {FORMAT_ODS, "ods", S, S},
    {FORMAT_ODP, "odp", P, P},          {FORMAT_RTF, "rtf", T, T},
    {FORMAT_EPUB, "epub", 0, T},        {FORMAT_PDF, "pdf", 0, T | S | P | D},
    {FORMAT_SVG, "svg", 0, D},          {FORMAT_ZIP, "zip", 0, T | S},
};

/* In the order of the table. */
static const struct {
    format_reader *read;
    format_writer *write;
} work[SOSIA_LEN(formats)] = {
    {text_import, text_export}, {html_import, html_export}, {markdown_import, markdown_export},
    {csv_import, csv_export},   {tsv_import, tsv_export},   {docx_import, docx_export},
    {xlsx_import, xlsx_export}, {pptx_import, pptx_export}, {odt_import, odt_export},
    {ods_import, ods_export},   {odp_import, odp_export},   {rtf_import, rtf_export},
    {NULL, epub_export},        {NULL, pdf_export},         {NULL, svg_export},
    {NULL, zip_export},
};

static const struct {
    const char *type, *same;
} others[] = {
    {"text/x-markdown", FORMAT_MARKDOWN},
    {"application/x-vnd.oasis.opendocument.text", FORMAT_ODT},
    {"application/x-vnd.oasis.opendocument.spreadsheet", FORMAT_ODS},
    {"application/x-vnd.oasis.opendocument.presentation", FORMAT_ODP},
    {"application/xhtml+xml", FORMAT_HTML},
    {"text/comma-separated-values", FORMAT_CSV},
    {"text/rtf", FORMAT_RTF},
    {"text/richtext", FORMAT_RTF},
    /* Templates, shows, and what has macros have the same parts. */
    {OPENXML "wordprocessingml.template", FORMAT_DOCX},
    {"application/vnd.ms-word.document.macroenabled.12", FORMAT_DOCX},
    {"application/vnd.ms-word.template.macroenabled.12", FORMAT_DOCX},
    {OPENXML "spreadsheetml.template", FORMAT_XLSX},
    {"application/vnd.ms-excel.sheet.macroenabled.12", FORMAT_XLSX},
    {"application/vnd.ms-excel.template.macroenabled.12", FORMAT_XLSX},
    {OPENXML "presentationml.template", FORMAT_PPTX},
    {OPENXML "presentationml.slideshow", FORMAT_PPTX},
    {"application/vnd.ms-powerpoint.presentation.macroenabled.12", FORMAT_PPTX},
    {"application/vnd.ms-powerpoint.slideshow.macroenabled.12", FORMAT_PPTX},
    {"application/vnd.ms-powerpoint.template.macroenabled.12", FORMAT_PPTX},
};

static bool is_type(const char *type, const char *name)
{
    size_t n = strlen(name);
    return !strncasecmp(type, name, n) && (!type[n] || type[n] == ';' || type[n] == ' ');
}

const struct format *format_find(const char *type)
{
    for (size_t i = 0; i < SOSIA_LEN(others); i++)
        if (is_type(type, others[i].type))
            type = others[i].same;
    for (size_t i = 0; i < SOSIA_LEN(formats); i++)
        if (is_type(type, formats[i].type))
            return &formats[i];
    return NULL;
}

const struct format *format_all(size_t *ret_n)
{
    *ret_n = SOSIA_LEN(formats);
    return formats;
}

static int unsupported(struct sosia_err *err, const char *what, const char *type)
{
    return sosia_fail(err, SOSIA_E_MEDIA_TYPE, "unsupported", NULL,
                      "such a document cannot be %s %.100s", what, type);
}

int format_read(struct arena *a, enum document_kind kind, const char *type, const char *bytes,
                size_t len, const char *title, struct document **ret_document,
                struct sosia_err *err)
{
    return format_read_as(a, kind, type, bytes, len, title, POWERS_FROM_RIGHT, ret_document, err);
}

int format_read_as(struct arena *a, enum document_kind kind, const char *type, const char *bytes,
                   size_t len, const char *title, enum sheet_powers powers,
                   struct document **ret_document, struct sosia_err *err)
{
    const struct format *f = format_find(type);
    struct builder b;
    if (!f || !(f->reads & 1u << kind))
        return unsupported(err, "made from", type);
    struct document *d = document_new(a, kind, title);
    build_init(&b, a, d);
    int r = work[f - formats].read(&b, bytes, len, err);
    if (build_end(&b, r < 0 ? NULL : err) < 0 || r < 0)
        return -1;
    bool typed =
        kind == DOCUMENT_SHEETS && (!strcmp(f->type, FORMAT_CSV) || !strcmp(f->type, FORMAT_TSV));
    /* as if somebody typed them */
    if (typed && d->sheets && sheet_calculate(a, d->sheets, powers) < 0)
        return sosia_fail_memory(err);
    *ret_document = d;
    return 0;
}

/* A spreadsheet without the empty cells at the ends of rows, and the rows, that have nothing but a
 * number format. */
static const struct document *without_bare_ends(struct arena *a, const struct document *d)
{
    bool any = false;
    for (const struct sheet *s = d->sheets; s && !any; s = s->next)
        for (const struct sheet_row *r = s->rows; r && !any; r = r->next)
            any = r->n && r->cells[r->n - 1].kind == CELL_EMPTY;
    if (!any)
        return d;
    struct document *made = arena_calloc(a, 1, sizeof *made);
    struct sheet **sheet_end = &made->sheets;
    if (arena_failed(a))
        return d;
    made->kind = d->kind;
    made->title = d->title;
    for (const struct sheet *s = d->sheets; s; s = s->next) {
        struct sheet *t = arena_calloc(a, 1, sizeof *t);
        if (arena_failed(a))
            return d;
        *t = *s;
        t->next = NULL;
        *sheet_end = t;
        sheet_end = &t->next;
        struct sheet_row **row_end = &t->rows;
        t->rows = NULL;
        for (const struct sheet_row *r = s->rows; r; r = r->next) {
            uint32_t n = r->n;
            while (n && r->cells[n - 1].kind == CELL_EMPTY)
                n--;
            struct sheet_row *row = n ? arena_calloc(a, 1, sizeof *row) : NULL;
            if (arena_failed(a))
                return d;
            if (!row)
                continue;
            *row = (struct sheet_row){.at = r->at, .n = n, .cells = r->cells};
            *row_end = row;
            row_end = &row->next;
        }
    }
    return made;
}

int format_write(struct arena *a, const struct document *d, const char *type, struct buf *out,
                 struct sosia_err *err)
{
    const struct format *f = format_find(type);
    if (!f || !(f->writes & 1u << d->kind))
        return unsupported(err, "written as", type);
    if (d->kind == DOCUMENT_SHEETS && strcmp(f->type, FORMAT_XLSX) != 0)
        d = without_bare_ends(a, d);
    if (work[f - formats].write(a, d, out, err) < 0)
        return -1;
    if (buf_failed(out))
        return sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                          "written as %s the document is too large", type);
    return arena_failed(a) ? sosia_fail_memory(err) : 0;
}
