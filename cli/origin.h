/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the members of a document that was made of several come from, so that an error in the whole
 * can be said of the one that has it. All of it lives in the arena of document_whole().
 */
#ifndef SOSIA_CLI_ORIGIN_H
#define SOSIA_CLI_ORIGIN_H

#include "engine/json/doc.h"

/* What one document says of a member of the whole. */
struct origin_value {
    struct doc *doc;
    const struct json *value;
};
struct origin_member {
    const char *name;
    struct origin_value *values; /* one a document, in their order */
    size_t n, cap;
};
struct origins {
    struct arena *arena;
    struct origin_member *members;
    size_t n, cap;
};

/* Whether all documents say a value of the type: then lists are one list in the whole, and objects
 * one object. Otherwise the last value is the whole's. */
bool origin_all_are(const struct origin_member *m, enum json_type type);
/* The text of an error ("NAME:LINE: PATH: MESSAGE") with the document, line and path that it is
 * about, in the arena; the text itself where it names no member. */
const char *origins_of_error(const struct origins *o, const char *text);
/* The same in place. o NULL: the document is of one piece. */
void origins_mend(const struct origins *o, struct sosia_err *err);

#endif
