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
    /* "string", "integer", "number", "boolean", "any", "object" (of these fields), or the name of a
     * schema of the same dialect */
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
    int64_t min, max;    /* of a number; max of a string: bytes; max 0: not limited */
    /* What the vendor says of a value that is of the type and yet not taken, and when a required
     * member is missing; NULL: its usual words. */
    const char *reason, *text, *missing;
    /* ... and when one is given that is read-only, or immutable in a change; one that is both is
     * passed over where a resource is made. NULL: its usual way. */
    const char *fixed;
};

/* A shape that requests and responses of a dialect name (struct route). */
struct schema {
    const char *name;
    const struct field *fields;
    size_t n_fields;
    const char *summary; /* ours; NULL: none */
    bool closed;         /* what it does not name is refused */
};

#endif
