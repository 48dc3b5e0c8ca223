/* SPDX-License-Identifier: Apache-2.0 */
/* $metadata: the types as a CSDL document (OData Common Schema Definition Language, XML, 4.0). */
#include "vendors/microsoft/types/types.h"

static void write_type_name(struct buf *out, const struct edm_property *p)
{
    buf_puts(out, p->collection ? " Type=\"Collection(" : " Type=\"");
    if (p->type)
        buf_printf(out, "graph.%s", p->type->name);
    else if (p->values)
        buf_printf(out, "graph.%s", p->values->name);
    else
        buf_puts(out, edm_kind_name(p->kind));
    buf_puts(out, p->collection ? ")\"" : "\"");
}

static void write_property(struct buf *out, const struct edm_property *p)
{
    buf_printf(out, "<%s Name=\"%s\"", p->navigation ? "NavigationProperty" : "Property", p->name);
    write_type_name(out, p);
    if (!p->nullable && !p->collection)
        buf_puts(out, " Nullable=\"false\"");
    if (p->navigation && !edm_is_a(p->type, edm_type_find("directoryObject", 15)))
        buf_puts(out, " ContainsTarget=\"true\"");
    buf_puts(out, "/>");
}

static bool declares(const struct edm_type *t, const char *name)
{
    const struct edm_property *p = edm_property_find(t, name, strlen(name));
    return p && p->owner == t;
}

static void write_type(struct buf *out, const struct edm_type *t, bool beta)
{
    const char *element = t->entity ? "EntityType" : "ComplexType";
    buf_printf(out, "<%s Name=\"%s\"", element, t->name);
    if (t->base)
        buf_printf(out, " BaseType=\"graph.%s\"", t->base->name);
    if (t->abstract)
        buf_puts(out, " Abstract=\"true\"");
    if (t->open)
        buf_puts(out, " OpenType=\"true\"");
    buf_byte(out, '>');
    if (t->entity && declares(t, "id"))
        buf_puts(out, "<Key><PropertyRef Name=\"id\"/></Key>");
    for (size_t i = 0; i < t->n; i++)
        if (t->properties[i]->owner == t && (beta || !t->properties[i]->beta))
            write_property(out, t->properties[i]);
    buf_printf(out, "</%s>", element);
}

static void write_enum(struct buf *out, const struct edm_enum *e)
{
    buf_printf(out, "<EnumType Name=\"%s\"%s>", e->name, e->flags ? " IsFlags=\"true\"" : "");
    for (size_t i = 0; i < e->n; i++)
        buf_printf(out, "<Member Name=\"%s\" Value=\"%llu\"/>", e->values[i],
                   e->flags ? 1ULL << i : (unsigned long long)i);
    buf_puts(out, "</EnumType>");
}

void edm_write_csdl(struct buf *out, const struct edm_set *sets, size_t n, bool beta)
{
    buf_puts(out,
             "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
             "<edmx:Edmx Version=\"4.0\" xmlns:edmx=\"http://docs.oasis-open.org/odata/ns/edmx\">"
             "<edmx:DataServices><Schema Namespace=\"" EDM_NAMESPACE "\" Alias=\"graph\" "
             "xmlns=\"http://docs.oasis-open.org/odata/ns/edm\">");
    for (size_t i = 0; i < edm_n_enums; i++)
        write_enum(out, edm_enums[i]);
    for (size_t i = 0; i < edm_n_types; i++)
        if (beta || !edm_types[i]->beta)
            write_type(out, edm_types[i], beta);
    buf_puts(out, "<EntityContainer Name=\"GraphService\">");
    for (size_t i = 0; i < n; i++) {
        const char *element = sets[i].singleton ? "Singleton" : "EntitySet";
        buf_printf(out, "<%s Name=\"%s\" %s=\"graph.%s\"/>", element, sets[i].name,
                   sets[i].singleton ? "Type" : "EntityType", sets[i].type);
    }
    buf_puts(out, "</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>");
}
