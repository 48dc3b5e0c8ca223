/* SPDX-License-Identifier: Apache-2.0 */
#include "vendors/microsoft/types/types.h"
#include "engine/base/err.h"
#include <strings.h>

/* Names in order, without regard to case; text has len bytes and no NUL behind them. */
static int by_name(const char *name, const char *text, size_t len)
{
    const char first = len ? (char)(*text | 0x20) : 0; /* most differ there already */
    if (len && *name != first && *name >= 'a' && first >= 'a' && first <= 'z')
        return *name - first;
    int d = strncasecmp(name, text, len);
    return d ? d : name[len] != 0;
}

/* The name behind '#' and the namespace. */
static const char *bare_name(const char *name, size_t *len)
{
    static const char *const prefixes[] = {"#", "microsoft.", "graph."};
    for (size_t i = 0; i < SOSIA_LEN(prefixes); i++) {
        size_t n = strlen(prefixes[i]);
        if (*len > n && strncasecmp(name, prefixes[i], n) == 0) {
            name += n;
            *len -= n;
        }
    }
    return name;
}

const struct edm_type *edm_type_find(const char *name, size_t len)
{
    size_t low = 0, high = edm_n_types;
    name = bare_name(name, &len);
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int d = by_name(edm_types[mid]->name, name, len);
        if (!d)
            return edm_types[mid];
        if (d < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

const struct edm_enum *edm_enum_find(const char *name, size_t len)
{
    name = bare_name(name, &len);
    for (size_t i = 0; i < edm_n_enums; i++)
        if (by_name(edm_enums[i]->name, name, len) == 0)
            return edm_enums[i];
    return NULL;
}

bool edm_is_a(const struct edm_type *type, const struct edm_type *base)
{
    for (; type; type = type->base)
        if (type == base)
            return true;
    return false;
}

const struct edm_property *edm_property_find(const struct edm_type *type, const char *name,
                                             size_t len)
{
    size_t low = 0, high = type ? type->n : 0;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int d = by_name(type->by_name[mid]->name, name, len);
        if (!d)
            return type->by_name[mid];
        if (d < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

int edm_value_find(const struct edm_enum *e, const char *name, size_t len)
{
    for (size_t i = 0; e && i < e->n; i++)
        if (by_name(e->values[i], name, len) == 0)
            return (int)i;
    return -1;
}

const char *edm_kind_name(enum edm_kind kind)
{
    static const char *const names[] = {
        [EDM_BINARY] = "Edm.Binary",   [EDM_BOOLEAN] = "Edm.Boolean",
        [EDM_BYTE] = "Edm.Byte",       [EDM_DATE] = "Edm.Date",
        [EDM_DECIMAL] = "Edm.Decimal", [EDM_DATE_TIME] = "Edm.DateTimeOffset",
        [EDM_DOUBLE] = "Edm.Double",   [EDM_DURATION] = "Edm.Duration",
        [EDM_GUID] = "Edm.Guid",       [EDM_INT16] = "Edm.Int16",
        [EDM_INT32] = "Edm.Int32",     [EDM_INT64] = "Edm.Int64",
        [EDM_SBYTE] = "Edm.SByte",     [EDM_SINGLE] = "Edm.Single",
        [EDM_STREAM] = "Edm.Stream",   [EDM_STRING] = "Edm.String",
        [EDM_TIME] = "Edm.TimeOfDay",
    };
    return kind < SOSIA_LEN(names) && names[kind] ? names[kind] : "Edm.Untyped";
}

const char *edm_name_of(struct arena *a, enum edm_kind kind, const struct edm_type *type,
                        const struct edm_enum *values, bool collection)
{
    const char *name = edm_kind_name(kind);
    if (type && (kind == EDM_COMPLEX || kind == EDM_ENTITY))
        name = arena_printf(a, "%s.%s", EDM_NAMESPACE, type->name);
    else if (values && kind == EDM_ENUM)
        name = arena_printf(a, "%s.%s", EDM_NAMESPACE, values->name);
    return collection ? arena_printf(a, "Collection(%s)", name) : name;
}
