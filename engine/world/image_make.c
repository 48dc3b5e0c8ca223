/* SPDX-License-Identifier: Apache-2.0 */
/* Of the build: writes the image of the empty world as C. image_make OUTPUT SCHEMA.sql... , in the
 * order of the cores. */
#include "engine/store/schema.h"
#include "engine/world/image.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 16 }; /* zeros that are worth a new piece */

/* As the library has it: tools/embed.py ends each line, the empty one behind the last too. */
static char *read_schema(const char *name)
{
    FILE *f = fopen(name, "rb");
    char *text = NULL;
    long len = -1;
    if (f && fseek(f, 0, SEEK_END) == 0 && (len = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0 &&
        (text = calloc((size_t)len + 2, 1)) && fread(text, 1, (size_t)len, f) == (size_t)len) {
        text[len] = '\n';
    } else {
        perror(name);
        free(text);
        text = NULL;
    }
    if (f)
        fclose(f);
    return text;
}

/* The end of the piece that begins at a byte. */
static size_t piece_end(const unsigned char *image, size_t size, size_t at)
{
    size_t end = at;
    for (; at < size && at - end < GAP; at++)
        if (image[at])
            end = at + 1;
    return end;
}

/* The next piece, behind a byte. */
static size_t next_piece(const unsigned char *image, size_t size, size_t at)
{
    while (at < size && !image[at])
        at++;
    return at;
}

static int write_image(FILE *out, uint64_t key, unsigned char *image, size_t size)
{
    uint8_t sum[SCHEMA_SUM];
    if (schema_sum(image, size, sum) != SQLITE_OK) {
        fprintf(stderr, "the schema can't be read\n");
        return -1;
    }
    size_t n = 0, column = 0;
    fprintf(out,
            "#include \"engine/world/image.h\"\n\nstatic const struct image_piece pieces[] = {\n");
    for (size_t at = next_piece(image, size, 0); at < size; n++) {
        size_t end = piece_end(image, size, at);
        fprintf(out, "{%zu, %zu},\n", at, end - at);
        at = next_piece(image, size, end);
    }
    fprintf(out, "};\n\nstatic const unsigned char bytes[] = {\n");
    for (size_t at = next_piece(image, size, 0); at < size;) {
        size_t end = piece_end(image, size, at);
        for (; at < end; at++)
            fprintf(out, ++column % 32 ? "%d," : "%d,\n", image[at]);
        at = next_piece(image, size, end);
    }
    fprintf(out,
            "};\n\nconst struct carried_image carried_image = {0x%llxULL, %d, %zu, %zu, pieces, ",
            (unsigned long long)key, sqlite3_libversion_number(), size, n);
    fprintf(out, "bytes, \"");
    for (size_t i = 0; i < sizeof sum; i++)
        fprintf(out, "%02x", sum[i]);
    fprintf(out, "\"};\n");
    return fflush(out) || ferror(out) ? -1 : 0;
}

static int make(const char *target, const char *const *schemas)
{
    uint64_t key = 1;
    size_t size;
    sqlite3 *db;
    FILE *out = NULL;
    int rc = -1;
    for (const char *const *s = schemas; *s; s++)
        key = image_key(*s, key);
    unsigned char *image = image_make(schemas, WORLD_FORMAT, &db, &size);
    if (!image)
        fprintf(stderr, "the empty world can't be made: %s\n", sqlite3_errmsg(db));
    else if (!(out = fopen(target, "w")) || write_image(out, key, image, size) < 0)
        perror(target);
    else
        rc = 0;
    if (out && fclose(out) != 0)
        rc = -1;
    sqlite3_free(image);
    sqlite3_close(db);
    return rc;
}

int main(int argc, char **argv)
{
    char **schemas = calloc((size_t)argc, sizeof *schemas);
    int rc = schemas && argc > 2 && sqlite3_initialize() == SQLITE_OK ? 0 : -1, n = 0;
    for (; rc == 0 && n < argc - 2; n++)
        if (!(schemas[n] = read_schema(argv[n + 2])))
            rc = -1;
    if (rc == 0)
        rc = make(argv[1], (const char *const *)schemas);
    for (int i = 0; schemas && i < n; i++)
        free(schemas[i]);
    free(schemas);
    return rc < 0;
}
