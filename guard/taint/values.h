/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values in a text, as taint compares them: addresses, links, hosts, ids, and words of six letters
 * and more, each in one form however it was written. Case, accents, letters of no width and of full
 * width don't count; a text is also looked at without its markup, with references of HTML, escapes
 * of URLs and of mail decoded, and so is what is in base64 in it, three deep.
 */
#ifndef SOSIA_GUARD_VALUES_H
#define SOSIA_GUARD_VALUES_H

#include "engine/base/arena.h"
#include <stdint.h>

#define VALUE_LETTERS 6   /* that a word or an id has at least */
#define VALUE_MAX     300 /* bytes of a value; what is longer is cut */

enum value_form { VALUE_ADDRESS, VALUE_LINK, VALUE_HOST, VALUE_ID, VALUE_WORD, VALUE_FORMS };
extern const char *const value_forms[]; /* lists of them: "addresses", ...; NULL-terminated */

struct value {
    const char *text; /* n bytes, for the length of the call */
    size_t n;
    enum value_form form;
    uint64_t hash;
};

/* Of a value's text. */
uint64_t value_hash(const char *text, size_t n);
/* Calls fn for each value, some several times; -1 stops. The arena holds what is decoded. Any bytes
 * will do. 0, -1: what fn gave, or no memory (the arena has failed). */
int values_each(struct arena *a, const char *text, size_t len,
                int (*fn)(void *arg, const struct value *v), void *arg);

#endif
