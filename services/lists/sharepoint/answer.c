/* SPDX-License-Identifier: Apache-2.0 */
/* One item as the answer of a call, and what a call's body changes of it. */
#include "services/lists/sharepoint/sharepoint.h"

int sp_answer_item(struct sp_at *at, const struct lists_item *item, const struct odata_query *q,
                   bool fields)
{
    struct call *c = at->c;
    if (q && graph_select(c, q, ODATA_KEEP_ETAG, false) < 0)
        return -1;
    c->etag = sp_etag(c->tx.arena, item->key, item->version);
    json_obj(c->out, NULL);
    graph_context(c, "%s/items%s/$entity", at->base, q ? odata_context(c->tx.arena, q) : "");
    int r = sp_write_item(at, c->out, item, fields);
    const struct odata_expand *drive = q ? odata_expands(q, "driveItem") : NULL;
    if (r == 0 && drive && at->of.is_library)
        r = sp_files(&c->tx)->write(c, &at->of.library, item->number, "driveItem", drive->query);
    json_end(c->out);
    return r;
}

/* An item has its fields without a word, as long as $select says nothing else. */
static bool with_fields(const struct odata_query *q)
{
    return odata_expands(q, "fields") || !q->has_select;
}

int sp_answer_asked(struct sp_at *at, const struct lists_item *item, const struct odata_query *q)
{
    const bool asked = odata_expands(q, "fields") || q->has_select || q->n_expand;
    return sp_answer_item(at, item, asked ? q : NULL, with_fields(q));
}

int sp_answer_fields(struct sp_at *at, const struct lists_item *item)
{
    struct call *c = at->c;
    c->etag = sp_etag(c->tx.arena, item->key, item->version);
    json_obj(c->out, NULL);
    graph_context(c, "%s/items('%lld')/fields/$entity", at->base, (long long)item->number);
    int r = sp_write_fields(at, c->out, item);
    json_end(c->out);
    return r;
}

/* New values in the places of those that are named. */
int sp_change_item(struct sp_at *at, struct lists_item *item, const struct json *fields)
{
    const struct json *given;
    const char *values;
    struct call *c = at->c;
    if (sp_keep_library(at) < 0 || sp_read_fields(at, fields, &given) < 0)
        return -1;
    if (lists_values(&c->tx, &at->of.list, item->id, item->values, given, &values) < 0)
        return sp_refused(c);
    return sp_item_set(at, item, values);
}

int sp_if_match(struct sp_at *at, const struct lists_item *item)
{
    const char *header = call_request_header(at->c, "If-Match");
    if (!header || *header == '*' ||
        strstr(header, sp_etag(at->c->tx.arena, item->key, item->version)))
        return 0;
    return call_fail(at->c, SOSIA_E_PRECONDITION, "resourceModified", NULL,
                     "ETag does not match current item's value");
}
