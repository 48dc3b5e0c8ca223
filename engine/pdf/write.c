/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of files as a file of their own: with all that they need, and nothing else. */
#include "engine/pdf/pdf_impl.h"
#include <inttypes.h>
#include <string.h>

/* An object that is to be written: its number in the file that it is of. */
struct source {
    struct pdf *of;
    uint32_t number;
};

struct writing {
    struct arena *arena;
    struct pdf *p; /* whose values are written */
    struct buf *out;
    size_t *places;      /* of objects, by their numbers in the new file */
    struct source *list; /* what they are, by these too */
    uint32_t n, room, done;
    bool failed; /* no memory */
};

static void put_text(struct buf *b, const struct pdf_value *v)
{
    buf_byte(b, '<');
    for (size_t i = 0; i < v->len; i++)
        buf_printf(b, "%02X", (unsigned)(uint8_t)v->str[i]);
    buf_byte(b, '>');
}

static void put_name(struct buf *b, const struct pdf_value *v)
{
    buf_byte(b, '/');
    for (size_t i = 0; i < v->len; i++) {
        unsigned char c = (unsigned char)v->str[i];
        if (c <= ' ' || c >= 0x7F || strchr("()<>[]{}/%#", c))
            buf_printf(b, "#%02X", c);
        else
            buf_byte(b, (char)c);
    }
}

static void put_number(struct buf *b, double n)
{
    if (n == (double)(int64_t)n)
        buf_printf(b, "%" PRId64, (int64_t)n);
    else
        buf_printf(b, "%.6f", n);
}

/* The number that an object of the old file gets; 0: there is none such. */
static uint32_t number_of(struct writing *w, double old)
{
    struct pdf *p = w->p;
    if (old < 0 || old >= (double)p->n_objects)
        return 0;
    struct pdf_object *o = &p->objects[(size_t)old];
    if (!o->number_out && (o->at || o->text)) {
        if (w->n + 1 >= w->room) {
            size_t room = w->room ? (size_t)w->room * 2 : 256;
            struct source *list = arena_alloc(w->arena, room * sizeof *list);
            size_t *places = arena_alloc(w->arena, room * sizeof *places);
            if (!list || !places) {
                w->failed = true;
                return 0;
            }
            memcpy(list, w->list, (w->n + 1) * sizeof *list);
            memcpy(places, w->places, (w->n + 1) * sizeof *places);
            w->list = list;
            w->places = places;
            w->room = (uint32_t)room;
        }
        o->number_out = ++w->n;
        w->list[w->n] = (struct source){p, (uint32_t)old};
    }
    return o->number_out;
}

static void put_value(struct writing *w, const struct pdf_value *v, int depth)
{
    struct buf *b = w->out;
    switch (depth > PDF_DEPTH + 2 ? PDF_NULL : v->type) {
    case PDF_BOOL:
        buf_puts(b, v->number != 0 ? "true" : "false");
        break;
    case PDF_NUMBER:
        put_number(b, v->number);
        break;
    case PDF_STRING:
        put_text(b, v);
        break;
    case PDF_NAME:
        put_name(b, v);
        break;
    case PDF_REF: {
        uint32_t n = number_of(w, v->number);
        buf_printf(b, n ? "%" PRIu32 " 0 R" : "null", n);
        break;
    }
    case PDF_ARRAY:
    case PDF_DICT:
        buf_puts(b, v->type == PDF_DICT ? "<<" : "[");
        for (size_t i = 0; i < v->n && !buf_failed(b); i++) {
            /* A stream's length is written anew. */
            if (v->type == PDF_DICT && v->stream && i % 2 == 0 && pdf_is(v->items[i], "Length")) {
                i++;
                continue;
            }
            buf_byte(b, ' ');
            put_value(w, v->items[i], depth + 1);
        }
        if (v->type == PDF_DICT && v->stream)
            buf_printf(b, " /Length %zu", v->stream->len);
        buf_puts(b, v->type == PDF_DICT ? " >>" : " ]");
        break;
    default:
        buf_puts(b, "null");
        break;
    }
}

/* Members of a page that lead to the whole file, or are of all its pages. */
static bool is_left_out(const struct pdf_value *name)
{
    static const char *const names[] = {"Parent", "Resources", "MediaBox",      "Rotate",
                                        "Annots", "B",         "StructParents", NULL};
    for (const char *const *n = names; *n; n++)
        if (pdf_is(name, *n))
            return true;
    return false;
}

static void put_member(struct writing *w, const char *name, const struct pdf_value *v)
{
    if (v->type == PDF_NULL)
        return;
    buf_printf(w->out, " /%s ", name);
    put_value(w, v, 0);
}

static void put_page(struct writing *w, const struct pdf_page *page)
{
    buf_puts(w->out, "<< /Parent 2 0 R");
    put_member(w, "Resources", page->resources);
    put_member(w, "MediaBox", page->box);
    put_member(w, "Rotate", page->rotate);
    for (size_t i = 0; i + 1 < page->dict->n; i += 2) {
        if (is_left_out(page->dict->items[i]))
            continue;
        buf_byte(w->out, ' ');
        put_value(w, page->dict->items[i], 0);
        buf_byte(w->out, ' ');
        put_value(w, page->dict->items[i + 1], 0);
    }
    buf_puts(w->out, " >>");
}

static void put_object(struct writing *w, uint32_t old)
{
    struct pdf *p = w->p;
    const struct pdf_value ref = {.type = PDF_REF, .number = old}, *v = pdf_resolve(p, &ref);
    const struct pdf_value *type = pdf_get(p, v, "Type");
    if (pdf_is(type, "ObjStm") || pdf_is(type, "XRef")) { /* which are of the whole file */
        buf_puts(w->out, "null");
        return;
    }
    put_value(w, v, 0);
    if (v->type == PDF_DICT && v->stream) {
        buf_puts(w->out, "\nstream\n");
        buf_add(w->out, p->data + v->stream->at, v->stream->len);
        buf_puts(w->out, "\nendstream");
    }
}

static void begin(struct writing *w, uint32_t number)
{
    w->places[number] = w->out->len;
    buf_printf(w->out, "%" PRIu32 " 0 obj\n", number);
}

/* about: the number of the object that says what the file is; 0: there is none. */
static void put_table(struct writing *w, uint32_t about)
{
    const size_t at = w->out->len;
    buf_printf(w->out, "xref\n0 %" PRIu32 "\n0000000000 65535 f \n", w->n + 1);
    for (uint32_t i = 1; i <= w->n; i++)
        buf_printf(w->out, "%010zu 00000 n \n", w->places[i]);
    buf_printf(w->out, "trailer\n<< /Size %" PRIu32 " /Root 1 0 R", w->n + 1);
    if (about)
        buf_printf(w->out, " /Info %" PRIu32 " 0 R", about);
    buf_printf(w->out, " >>\nstartxref\n%zu\n%%%%EOF\n", at);
}

static void put_pages(struct writing *w, const struct pdf_leaf *pages, size_t n)
{
    begin(w, 2);
    buf_printf(w->out, "<< /Type /Pages /Count %zu /Kids [", n);
    for (size_t i = 0; i < n; i++)
        buf_printf(w->out, " %zu 0 R", i + 3);
    buf_puts(w->out, " ] >>\nendobj\n");
    for (size_t i = 0; i < n && !buf_failed(w->out); i++) {
        begin(w, (uint32_t)i + 3);
        w->p = pages[i].of;
        if (w->p)
            put_page(w, &w->p->pages[pages[i].page]);
        else
            buf_puts(w->out, "<< /Parent 2 0 R /Type /Page /Resources << >> /MediaBox [0 0 595.28 "
                             "841.89] >>");
        buf_puts(w->out, "\nendobj\n");
    }
}

/* Once for each file. */
static void forget_numbers(struct pdf *p, const struct writing *w)
{
    if (p->writing == w)
        return;
    p->writing = w;
    for (size_t i = 0; i < p->n_objects; i++)
        p->objects[i].number_out = 0;
}

int pdf_join(struct arena *a, const struct pdf_leaf *pages, size_t n, struct pdf *about,
             struct buf *out)
{
    const uint32_t own = (uint32_t)n + 3; /* behind the pages: what is said of the file */
    const bool says = about && pdf_has_about(about);
    struct writing w = {.arena = a, .out = out, .n = own - !says, .room = own + 256};
    w.places = arena_calloc(a, w.room, sizeof *w.places);
    w.list = arena_calloc(a, w.room, sizeof *w.list);
    if (!w.places || !w.list)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (pages[i].of)
            forget_numbers(pages[i].of, &w);
    if (says)
        forget_numbers(about, &w);
    buf_puts(out, "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n");
    begin(&w, 1);
    buf_puts(out, "<< /Type /Catalog /Pages 2 0 R >>\nendobj\n");
    put_pages(&w, pages, n);
    if (says) {
        begin(&w, own);
        w.p = about;
        put_value(&w, pdf_resolve(about, about->about), 0);
        buf_puts(out, "\nendobj\n");
    }
    for (w.done = own + says; w.done <= w.n && !w.failed && !buf_failed(out); w.done++) {
        w.p = w.list[w.done].of;
        begin(&w, w.done);
        put_object(&w, w.list[w.done].number);
        w.failed |= w.p->failed;
        buf_puts(out, "\nendobj\n");
    }
    for (size_t i = 0; i < n; i++)
        if (pages[i].of)
            pages[i].of->writing = NULL;
    if (says)
        about->writing = NULL;
    put_table(&w, says ? own : 0);
    return w.failed ? -1 : 0;
}

void pdf_extract(struct pdf *p, const size_t *pages, size_t n, struct buf *out)
{
    struct pdf_leaf *leaves = arena_calloc(p->arena, n + 1, sizeof *leaves);
    for (size_t i = 0; leaves && i < n; i++)
        leaves[i] = (struct pdf_leaf){p, pages[i]};
    if (!leaves || pdf_join(p->arena, leaves, n, NULL, out) < 0)
        p->failed = true;
}
