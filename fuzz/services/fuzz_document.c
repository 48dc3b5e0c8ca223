/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a document in any format that is read: it is refused with a reason, or what comes
 * of it can be kept as JSON, read again, and written in every format. The first byte selects the
 * format; for office formats the rest is the part with the content, which is put into an
 * archive, or with the high bit set the archive itself. */
#include "services/drive/core/document/format.h"
#include "services/drive/core/document/zip.h"
#include "fuzz/fuzz.h"

static const struct {
    enum document_kind kind;
    const char *type, *part;
} formats[] = {
    {DOCUMENT_TEXT, FORMAT_TEXT, NULL},
    {DOCUMENT_TEXT, FORMAT_HTML, NULL},
    {DOCUMENT_TEXT, FORMAT_MARKDOWN, NULL},
    {DOCUMENT_SHEETS, FORMAT_CSV, NULL},
    {DOCUMENT_SHEETS, FORMAT_TSV, NULL},
    {DOCUMENT_TEXT, FORMAT_DOCX, "word/document.xml"},
    {DOCUMENT_SHEETS, FORMAT_XLSX, "xl/worksheets/sheet1.xml"},
    {DOCUMENT_SLIDES, FORMAT_PPTX, "ppt/slides/slide1.xml"},
    {DOCUMENT_TEXT, FORMAT_ODT, "content.xml"},
    {DOCUMENT_SHEETS, FORMAT_ODS, "content.xml"},
    {DOCUMENT_SLIDES, FORMAT_ODP, "content.xml"},
    {DOCUMENT_TEXT, FORMAT_RTF, NULL},
};
#define RELS(target) "<R><Relationship Id='r1' Target='" target "'/></R>"
static struct zip_part around[] = {
    {NULL, "xl/workbook.xml", "<w xmlns:r='u'><sheet name='S' r:id='r1'/></w>", 0},
    {NULL, "xl/_rels/workbook.xml.rels", RELS("worksheets/sheet1.xml"), 0},
    {NULL, "ppt/presentation.xml", "<p xmlns:r='u'><sldId r:id='r1'/></p>", 0},
    {NULL, "ppt/_rels/presentation.xml.rels", RELS("slides/slide1.xml"), 0},
    {NULL, "word/_rels/document.xml.rels", RELS("https://a.example/"), 0},
};

static void wrap(const char *name, const uint8_t *data, size_t size, struct buf *out)
{
    struct zip_part part = {&around[0], name, (const char *)data, size};
    for (size_t i = 0; i < SOSIA_LEN(around); i++) {
        around[i].len = strlen(around[i].bytes);
        around[i].next = i + 1 < SOSIA_LEN(around) ? &around[i + 1] : NULL;
    }
    MUST(zip_write(&part, false, out, &why));
}

static void keep(struct arena *a, const struct document *d, struct buf *out)
{
    struct json_writer w;
    buf_clear(out);
    json_init(&w, out, false, NULL);
    document_write(&w, NULL, d);
}

static void check(struct arena *a, const struct document *d)
{
    struct buf once, twice;
    const struct json *v;
    struct document *again;
    struct json_limits limits = {.max_size = 256 << 20};
    size_t n;
    const struct format *f = format_all(&n);
    buf_init(&once, 256 << 20);
    buf_init(&twice, 256 << 20);
    keep(a, d, &once);
    if (!buf_failed(&once)) {
        MUST(json_parse(a, once.data, once.len, &limits, &v, &why));
        MUST(document_read(a, v, "T", &again, &why));
        keep(a, again, &twice);
        CHECK(once.len == twice.len && !memcmp(once.data, twice.data, once.len));
        for (size_t i = 0; i < n; i++) {
            struct sosia_err err = {0};
            if (!(f[i].writes & 1u << d->kind))
                continue;
            buf_clear(&twice);
            int r = format_write(a, again, f[i].type, &twice, &err);
            CHECK(r == 0 || err.code == SOSIA_E_TOO_LARGE || err.code == SOSIA_E_NO_MEMORY);
        }
    }
    buf_done(&once);
    buf_done(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct buf archive;
    struct document *d = NULL;
    struct sosia_err err = {0};
    if (!size)
        return 0;
    size_t at = (data[0] & 0x7F) % SOSIA_LEN(formats);
    const char *bytes = (const char *)data + 1;
    size_t len = size - 1;
    arena_init(&a, 512 << 20);
    buf_init(&archive, 0);
    if (formats[at].part && !(data[0] & 0x80)) {
        wrap(formats[at].part, data + 1, size - 1, &archive);
        bytes = archive.data;
        len = archive.len;
    }
    if (format_read(&a, formats[at].kind, formats[at].type, bytes, len, "T", &d, &err) < 0)
        CHECK(!d && *err.text);
    else
        check(&a, d);
    buf_done(&archive);
    arena_done(&a);
    return 0;
}
