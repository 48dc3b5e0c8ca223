/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiled pattern is; for pattern.c, match.c and template.c. */
#ifndef SOSIA_CONFORMANCE_PATTERN_IMPL_H
#define SOSIA_CONFORMANCE_PATTERN_IMPL_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include "conformance/cassette/pattern.h"
#include <pcre2.h>

/* A compiled regular expression; it matches whole texts. */
struct regex {
    pcre2_code *code;
    struct regex *next; /* of the set, which frees it */
};

/* -1: err->text says what is wrong, and where in the expression. */
int regex_compile(const char *source, pcre2_code **ret_code, struct sosia_err *err);

enum pattern_kind {
    PATTERN_LITERAL,  /* a scalar that means itself */
    PATTERN_TYPE,     /* any value of some types */
    PATTERN_TEXT,     /* a text of pieces */
    PATTERN_VALUE,    /* equal to what a name has */
    PATTERN_NOT,      /* there, and not equal to it */
    PATTERN_AFTER,    /* a later time or greater number than it */
    PATTERN_CAPTURE,  /* gives a name its value */
    PATTERN_ABSENT,   /* not there */
    PATTERN_OPTIONAL, /* not there, or as inner */
    PATTERN_EITHER,   /* as one of items */
    PATTERN_OBJECT,
    PATTERN_ARRAY,
    PATTERN_RAW /* a body that is not JSON; inner is a text */
};

enum array_mode { ARRAY_ORDERED, ARRAY_UNORDERED, ARRAY_CONTAINS, ARRAY_EACH };

enum piece_kind { PIECE_LITERAL, PIECE_REGEX, PIECE_VALUE, PIECE_CAPTURE };

struct piece {
    enum piece_kind kind;
    const char *text; /* literal text, regular expression; inside of a capture the same */
    const char *name; /* of a value or capture */
};

struct pattern_member {
    const char *key;
    const struct pattern *value;
};

struct pattern {
    enum pattern_kind kind;
    const char *source; /* as written, JSON text; for differences */
    const struct json *literal;
    unsigned types; /* bits by enum json_type */
    const char *name;
    const struct pattern *inner;
    const struct piece *pieces;
    size_t n_pieces;
    pcre2_code *code; /* of a text without values; the set frees it */
    bool has_values;
    const struct pattern_member *members;
    size_t n_members;
    bool mixed; /* members come from two places: their order means nothing */
    enum array_mode mode;
    const struct pattern *const *items;
    size_t n_items;
    const struct pattern *rest; /* of other members or further items; NULL: there are none */
};

/* The "${...}" that begins at text (which begins with "${"): its content and its length with the
 * braces. 0: it does not end. Braces inside must be balanced; a backslash hides the next
 * character. */
size_t marker_at(const char *text, const char **ret_content, size_t *ret_len);
/* Into an item of the list where the reader is; back with doc_pop(). */
size_t push_item(struct doc *d, size_t index);
/* {"${KEY}": VALUE}: the content of the marker and the value; NULL: it is something else. */
const char *wrapper_of(struct arena *a, const struct json *v, const struct json **ret_inner);

#endif
