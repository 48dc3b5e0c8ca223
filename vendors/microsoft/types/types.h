/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of Microsoft Graph as data: entities, complex types and enumerations with their
 * properties in the order in which the vendor answers them. The tables are made from the YAML files
 * beside this one by tools/edm.py; nothing else keeps a list of properties. From the same files
 * come the shapes that rows name (graph_schemas).
 */
#ifndef SOSIA_MICROSOFT_TYPES_H
#define SOSIA_MICROSOFT_TYPES_H

#include "engine/api/schema.h"
#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "vendors/microsoft_types.h"

enum edm_kind {
    EDM_ANY, /* of an open type's member: anything */
    EDM_BINARY,
    EDM_BOOLEAN,
    EDM_BYTE,
    EDM_DATE,
    EDM_DATE_TIME, /* Edm.DateTimeOffset */
    EDM_DECIMAL,
    EDM_DOUBLE,
    EDM_DURATION,
    EDM_GUID,
    EDM_INT16,
    EDM_INT32,
    EDM_INT64,
    EDM_SBYTE,
    EDM_SINGLE,
    EDM_STREAM,
    EDM_STRING,
    EDM_TIME, /* Edm.TimeOfDay */
    EDM_ENUM,
    EDM_COMPLEX,
    EDM_ENTITY
};

struct edm_enum {
    const char *name;          /* "importance" */
    const char *const *values; /* in the vendor's order; NULL ends */
    size_t n;
    bool flags; /* several of them may hold at once */
};

struct edm_type;

struct edm_property {
    const char *name;
    enum edm_kind kind;            /* of the items where it is a collection */
    const struct edm_type *type;   /* EDM_COMPLEX, EDM_ENTITY; NULL: a type that is not here */
    const struct edm_enum *values; /* EDM_ENUM */
    const struct edm_type *owner;  /* the type that declares it */
    bool collection, nullable;
    bool navigation; /* to another thing: $expand, not $select, brings it */
    bool read_only;
    bool asked; /* answered only to those who name it in $select */
    bool beta;  /* below /beta alone */
};

struct edm_type {
    const char *name; /* without its namespace: "message" */
    const struct edm_type *base;
    bool entity, abstract, open;
    bool beta; /* below /beta alone */
    /* Those of its own and of its base types, in the order of answers; and the same by name. */
    const struct edm_property *const *properties;
    const struct edm_property *const *by_name;
    size_t n;
};

#define EDM_NAMESPACE "microsoft.graph"

extern const struct edm_type *const edm_types[]; /* by name */
extern const size_t edm_n_types;
extern const struct edm_enum *const edm_enums[]; /* by name */
extern const size_t edm_n_enums;

/* The type or the enumeration of that name: "message", "microsoft.graph.message", "graph.message",
 * each also behind a '#'; without regard to the letters' case. NULL: there is none here. */
const struct edm_type *edm_type_find(const char *name, size_t len);
const struct edm_enum *edm_enum_find(const char *name, size_t len);
/* Is it that type or derived from it? */
bool edm_is_a(const struct edm_type *type, const struct edm_type *base);
/* A property of the type or of one of its base types, without regard to the letters' case. NULL:
 * the type has none of that name. */
const struct edm_property *edm_property_find(const struct edm_type *type, const char *name,
                                             size_t len);
/* The place of a value in an enumeration, without regard to case; -1: it has none of that name. */
int edm_value_find(const struct edm_enum *e, const char *name, size_t len);
/* "Edm.String"; "Edm.Untyped" of a kind that types of their own have. */
const char *edm_kind_name(enum edm_kind kind);
/* "Edm.String", "microsoft.graph.message", with Collection(...) around it for a collection. In the
 * arena. */
const char *edm_name_of(struct arena *a, enum edm_kind kind, const struct edm_type *type,
                        const struct edm_enum *values, bool collection);

/* ---- shapes for rows ---- */

/* One of each type that is here, under its name with the namespace ("microsoft.graph.message"),
 * with the properties of its base types and of the types derived from it, since a body says by
 * @odata.type which one it is. Navigation properties are members too. For a dialect's `schemas`. */
extern const struct schema graph_schemas[GRAPH_SCHEMAS];

/* ---- $metadata ---- */

/* A set or a singleton of the service document. */
struct edm_set {
    const char *name; /* "users" */
    const char *type; /* "user" */
    bool singleton;
};
/* The whole CSDL document: every type and enumeration that is here, and a container of these. beta:
 * with what is below /beta alone. */
void edm_write_csdl(struct buf *out, const struct edm_set *sets, size_t n, bool beta);

#endif
