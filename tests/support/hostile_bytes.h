/* SPDX-License-Identifier: Apache-2.0 */
/* What nobody should send, drawn by chance from a fixed seed. */
#ifndef SOSIA_TESTS_HOSTILE_BYTES_H
#define SOSIA_TESTS_HOSTILE_BYTES_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    const char *data;
    size_t len;
};

void hostile_begin(uint64_t seed);
/* A number below n. */
uint32_t hostile_chance(size_t n);
/* Sent in the place of something hostile; NULL: nothing is. */
extern const char *hostile_forced;
/* Something hostile: NUL, bytes that are not UTF-8, numbers out of range, JSON of other shapes,
 * things of others, long and deep ones. */
struct bytes hostile_bytes(struct arena *a);
/* Whether bytes may pass for JSON as they are. */
bool hostile_is_json(struct bytes v);
/* JSON text with one of its values spoilt; spoil false: as it is. */
struct bytes hostile_json(struct arena *a, const char *text, bool spoil);
/* A JSON string of any bytes. */
void hostile_text(struct buf *b, const char *text, size_t len);

#endif
