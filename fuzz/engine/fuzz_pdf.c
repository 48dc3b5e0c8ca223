/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a PDF file: it is not one, or its pages have texts that are UTF-8, and a file of its
 * first pages has as many; so has one of pages of two files, with an empty one between. */
#include "engine/base/utf8.h"
#include "engine/pdf/pdf.h"
#include "fuzz/fuzz.h"

static void join(struct arena *a, struct pdf *p, struct pdf *other)
{
    const struct pdf_leaf pages[] = {{p, 0}, {NULL, 0}, {other, pdf_pages(other) - 1}, {p, 1}};
    struct pdf *again;
    struct buf file;
    const char *why;
    buf_init(&file, 0);
    if (pdf_join(a, pages, 4, other, &file) == 0 && !buf_failed(&file))
        CHECK(pdf_open(a, buf_str(&file), file.len, &again, &why) == 1 && pdf_pages(again) == 4);
    buf_done(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t first[] = {0, 1, 0};
    struct arena a;
    struct pdf *p, *again;
    struct buf text, file;
    const char *why;
    arena_init(&a, 0);
    buf_init(&text, 0);
    buf_init(&file, 0);
    int r = pdf_open(&a, (const char *)data, size, &p, &why);
    for (size_t i = 0; r == 1 && i < pdf_pages(p) && i < 50; i++) {
        double width, height;
        pdf_page_text(p, i, &text);
        pdf_page_size(p, i, &width, &height);
        CHECK(utf8_valid(buf_str(&text), text.len));
    }
    if (r == 1 && !pdf_is_encrypted(p) && pdf_pages(p) > 1) {
        pdf_about(p, "Title");
        pdf_extract(p, first, 3, &file);
        CHECK(pdf_open(&a, buf_str(&file), file.len, &again, &why) == 1 && pdf_pages(again) == 3);
        join(&a, p, again);
        join(&a, again, p);
    }
    CHECK(r == 1 || r < 0 || *why);
    buf_done(&text);
    buf_done(&file);
    arena_done(&a);
    return 0;
}
