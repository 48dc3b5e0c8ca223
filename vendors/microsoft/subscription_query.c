/* SPDX-License-Identifier: Apache-2.0 */
/* The options of what a subscription watches: "me/messages?$select=subject&$filter=isRead eq
 * false". */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "vendors/microsoft/subscription_impl.h"

#define MAX_OPTIONS 16

/* A message that is longer than a failure's text. */
static int refuse(struct call *c, const char *message)
{
    struct graph_call *g = c ? c->vendor_data : NULL;
    if (g)
        g->message = message;
    return -1;
}

/* As the service words it. */
static int unsupported(struct tx *tx, struct call *c)
{
    static const char words[] =
        "Operation: Create; Exception: [Status Code: BadRequest; Reason: $top, $skip, $orderby, "
        "$select=body,uniqueBody and $expand other than "
        "singleValueExtendedProperties,multiValueExtendedProperties are not supported in "
        "subscription resource Url.]";
    tx_fail(tx, SOSIA_E_INVALID, "ExtensionError", NULL, "%s", words);
    return refuse(c, words);
}

/* Names and values between '&', decoded. */
/* -1: they can't be read, or are too many. */
static int split(struct tx *tx, const char *text, struct odata_pair *ret, size_t *ret_n)
{
    for (size_t n; *text; text += n + (text[n] == '&')) {
        n = strcspn(text, "&");
        const char *equal = memchr(text, '=', n);
        size_t name_n = equal ? (size_t)(equal - text) : n;
        char *name, *value;
        size_t name_len, value_len;
        if (!n)
            continue;
        if (*ret_n == MAX_OPTIONS ||
            percent_decode(tx->arena, text, name_n, true, &name, &name_len) < 0 ||
            percent_decode(tx->arena, equal ? equal + 1 : "", equal ? n - name_n - 1 : 0, true,
                           &value, &value_len) < 0 ||
            !utf8_valid(name, name_len) || !utf8_valid(value, value_len))
            return -1;
        ret[(*ret_n)++] = (struct odata_pair){name, value};
    }
    return 0;
}

static bool is_supported(const struct odata_query *q)
{
    static const char *const bodies[] = {"body", "uniqueBody"};
    static const char *const kept[] = {"singleValueExtendedProperties",
                                       "multiValueExtendedProperties"};
    if (q->top >= 0 || q->skip || q->n_order || q->count || q->search || q->skiptoken ||
        q->deltatoken)
        return false;
    for (size_t i = 0; i < q->n_select; i++)
        if (strcmp(q->select[i].text, "*") == 0 ||
            (q->select[i].n && str_in_nocase(q->select[i].steps[0].name, bodies, 2)))
            return false;
    for (size_t i = 0; i < q->n_expand; i++)
        if (!str_in_nocase(q->expand[i].name, kept, 2))
            return false;
    return true;
}

int graph_resource_query(struct tx *tx, struct call *c, const struct graph_feed *feed,
                         const char *resource, const struct odata_query **ret)
{
    const char *text = strchr(resource, '?'), *message = NULL;
    struct odata_pair pairs[MAX_OPTIONS];
    struct odata_query *q = arena_calloc(tx->arena, 1, sizeof *q);
    const struct edm_type *type = edm_type_find(feed->type, strlen(feed->type));
    size_t n = 0;
    *ret = NULL;
    if (!text || !text[1])
        return 0;
    if (!q)
        return sosia_fail_memory(tx->err);
    if (!type || !feed->data || split(tx, text + 1, pairs, &n) < 0)
        return unsupported(tx, c);
    if (odata_parse(tx->arena, type, NULL, pairs, n, q, &message, tx->err) < 0)
        return refuse(c, message);
    *ret = q;
    return is_supported(q) ? 1 : unsupported(tx, c);
}

bool graph_data_named(const struct graph_feed *feed, const struct graph_subscription *s,
                      const struct odata_query *q)
{
    return !s->certificate || !feed->selected || (q && q->has_select);
}
