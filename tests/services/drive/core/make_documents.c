/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a text, a spreadsheet and a presentation in every format into a directory: make_documents
 * DIR. For test_documents.py, which opens them. */
#include "services/drive/core/document/format.h"
#include <stdio.h>
#include <stdlib.h>

static const char *const texts[] = {
    "# Plan & more\n\nHello **bold** [site](https://acme.example/?a=1&b=2)\n\n1. one\n2. two\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "{\"kind\":\"spreadsheet\",\"sheets\":[{\"title\":\"One\",\"rows\":[[\"tea & milk\",2.5],[],"
    "[{\"formula\":\"=SUM(B1)\",\"value\":2.5}]]}]}",
    "{\"kind\":\"presentation\",\"slides\":[{\"shapes\":[[{\"runs\":[{\"text\":\"a < b\"}]}]]}]}"};
static const char *const names[] = {"text", "sheet", "slides"};

static int make(struct arena *a, unsigned kind, const char *folder)
{
    struct document *d;
    struct sosia_err err = {0};
    const struct json *v;
    const struct format *f;
    size_t n;
    int r = kind == DOCUMENT_TEXT ? format_read(a, DOCUMENT_TEXT, FORMAT_MARKDOWN, texts[0],
                                                strlen(texts[0]), "Plan", &d, &err)
            : json_parse(a, texts[kind], strlen(texts[kind]), NULL, &v, &err) < 0
                ? -1
                : document_read(a, v, names[kind], &d, &err);
    f = format_all(&n);
    for (size_t i = 0; r == 0 && i < n; i++) {
        struct buf b;
        if (!(f[i].writes & 1u << kind))
            continue;
        buf_init(&b, 1 << 20);
        r = format_write(a, d, f[i].type, &b, &err);
        FILE *out =
            r < 0 ? NULL
                  : fopen(arena_printf(a, "%s/%s.%s", folder, names[kind], f[i].extension), "wb");
        if (!out || fwrite(b.data, 1, b.len, out) != b.len || fclose(out) != 0)
            r = -1;
        buf_done(&b);
    }
    if (r < 0)
        fprintf(stderr, "%s: %s\n", names[kind], err.text);
    return r;
}

int main(int argc, char **argv)
{
    struct arena a;
    int r = 0;
    arena_init(&a, 0);
    for (unsigned kind = 0; argc == 2 && kind < 3 && r == 0; kind++)
        r = make(&a, kind, argv[1]);
    arena_done(&a);
    return argc == 2 && r == 0 ? 0 : 1;
}
