/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/world/image.h"
#include "engine/store/page.h"
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

uint64_t image_key(const char *schema, uint64_t key)
{
    uint64_t next = *schema ? XXH3_64bits_withSeed(schema, strlen(schema), key) : key;
    return next ? next : 1;
}

unsigned char *image_make(const char *const *schemas, const char *format, sqlite3 **ret_db,
                          size_t *ret_size)
{
    unsigned char *image = NULL;
    sqlite3 *db = NULL;
    sqlite3_int64 size = 0;
    char text[128];
    snprintf(text, sizeof text, "pragma page_size = %d; pragma auto_vacuum = none; begin",
             STORE_PAGE_SIZE);
    int rc = sqlite3_open_v2(
        ":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, text, NULL, NULL, NULL);
    for (; rc == SQLITE_OK && *schemas; schemas++)
        rc = sqlite3_exec(db, *schemas, NULL, NULL, NULL);
    snprintf(text, sizeof text, "insert into meta values ('format', '%s'); commit", format);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, text, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        image = sqlite3_serialize(db, "main", &size, 0);
    *ret_db = db;
    *ret_size = (size_t)size;
    return image;
}

bool image_carried(uint64_t key, size_t *ret_size, const char **ret_schema)
{
    const struct carried_image *c = &carried_image;
    if (c->key != key || c->sqlite != sqlite3_libversion_number())
        return false;
    *ret_size = c->size;
    *ret_schema = c->schema;
    return true;
}

void image_carried_write(void *to)
{
    const struct carried_image *c = &carried_image;
    const unsigned char *from = c->bytes;
    unsigned char *image = to;
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->n_pieces; i++) {
        const struct image_piece *p = &c->pieces[i];
        memset(image + at, 0, p->at - at);
        memcpy(image + p->at, from, p->len);
        from += p->len;
        at = p->at + p->len;
    }
    memset(image + at, 0, c->size - at);
}
