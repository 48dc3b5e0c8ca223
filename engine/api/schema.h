/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of JSON bodies: what requests and responses of a dialect's rows name. */
#ifndef SOSIA_API_SCHEMA_H
#define SOSIA_API_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A member of a JSON body. */
struct field {
    const char *name;
    /* "string", "integer", "number", "boolean", "any" (documents say the first of these fields, if
     * there is one: the vendor looks at it by itself), "object" (of these fields), "list" (of items
     * as the first of these fields says), or the name of a schema of the same dialect */
    const char *type;
    const char *format; /* "date-time", "int32", "int64", ...; NULL: none */
    bool list;          /* an array of such values */
    bool map;           /* an object with free names for such values */
    bool read_only, immutable, deprecated;
    const char *def;            /* default as text; NULL: none */
    const char *const *values;  /* the closed set of a string; NULL-terminated; NULL: open */
    const char *required_for;   /* ids of methods, separated by spaces; NULL: none */
    const struct field *fields; /* of an "object" without a schema of its own */
    size_t n_fields;
    const char *summary; /* ours; NULL: none */
    bool required;       /* of a request: must be given; of a response: always there */
    bool nullable;       /* in responses */
    const char *other;   /* a "string" may be this in its place: "object", or "array" of strings */
    int64_t min, max;    /* of a number; of a string: bytes; max 0: not limited */
    /* What the vendor says of a value that is of the type and yet not taken, and when a required
     * member is missing; NULL: its usual words. */
    const char *reason, *text, *missing;
    /* ... and when one is given that is read-only, or immutable in a change; one that is both is
     * passed over where a resource is made. NULL: its usual way. */
    const char *fixed;
    uint32_t least, most;       /* items of a list, members of a map; most 0: any number */
    bool characters;            /* min and max of a string count them, not bytes */
    const struct schema *of;    /* of an "object": its schema, in the place of fields */
    const struct schema *types; /* of an "object": its member "type" names one of these schemas,
                                   behind which is one without a name, whose summary is what
                                   documents call all of them ("block") */
    unsigned mark;              /* the vendor's own (struct body_rules) */
};

/* A shape that requests and responses of a dialect name (struct route). */
struct schema {
    const char *name;
    const struct field *fields;
    size_t n_fields;
    const char *summary; /* ours; NULL: none */
    bool closed;         /* what it does not name is refused */
    const char *needs;   /* members, separated by spaces: one of them must be there; NULL: none */
    const char *missing; /* what the vendor says when there is none; NULL: its usual words */
    unsigned mark;       /* the vendor's own (struct body_rules) */
};

#endif
