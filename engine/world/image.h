/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The image of the empty world, in a form that a program can carry. To make it of its SQL is most
 * of what opening an engine would cost, so the build does that once, for the tables of all services
 * (engine/world/image_make.c), and an engine with just these tables and the same SQLite takes what
 * is carried: the bytes are those which it would have made itself.
 */
#ifndef SOSIA_WORLD_IMAGE_H
#define SOSIA_WORLD_IMAGE_H

#include "engine/store/slot.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORLD_FORMAT "sosia 3" /* what a world's table meta says of its tables */

/* A piece of the image that is not zeros. */
struct image_piece {
    uint32_t at, len;
};

struct carried_image {
    uint64_t key;  /* of the tables, image_key(); 0: no image is carried */
    int sqlite;    /* sqlite3_libversion_number() of the one that made it, which is in its bytes */
    uint32_t size; /* of the whole image */
    uint32_t n_pieces;
    const struct image_piece *pieces;
    const unsigned char *bytes; /* of all pieces, one behind the other */
    const char *schema;         /* what cookie_schema() calls its schema */
};
extern const struct carried_image carried_image;

/* What stands for a list of tables; key: that of the tables before these, 1 at first. Never 0. */
uint64_t image_key(const char *schema, uint64_t key);

/* Makes the tables (NULL-terminated) in a database of its own. *ret_db is to be closed in any case;
 * gives its image, to be freed with sqlite3_free(), or NULL, and then the database has the error.
 */
unsigned char *image_make(const char *const *schemas, const char *format, sqlite3 **ret_db,
                          size_t *ret_size);

/* Is an image carried for these tables: its size, and what cookie_schema() calls its schema. */
bool image_carried(uint64_t key, size_t *ret_size, const char **ret_schema);
/* Writes it, all of its bytes. */
void image_carried_write(void *to);

#endif
