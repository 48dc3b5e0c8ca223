/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as /search/query finds them: those of $search, by the members that hits show. */
#include "services/mail/outlook/rows.h"
#include "vendors/microsoft/find.h"

#define SHOWN                                                                                      \
    "createdDateTime,lastModifiedDateTime,receivedDateTime,sentDateTime,hasAttachments,subject,"   \
    "bodyPreview,importance,replyTo,sender,from,parentFolderId,internetMessageId,webLink,isRead,"  \
    "isDraft"

/* KQL as $search takes it: in quotes, with quotes inside as \". */
static const char *quoted_search(struct arena *a, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    buf_byte(&b, '"');
    for (const char *p = text; *p; p++) {
        if (*p == '"')
            buf_byte(&b, '\\');
        buf_byte(&b, *p);
    }
    buf_byte(&b, '"');
    return buf_keep(&b, a);
}

struct shown {
    const struct outlook_box *box;
    const struct outlook_item *item;
    const struct odata_query *query;
};

static int write_shown(struct call *c, void *arg)
{
    const struct shown *s = arg;
    return outlook_write_members(c, s->box, s->item, s->query);
}

static int find(struct call *c, struct graph_find *f)
{
    struct arena *a = c->tx.arena;
    const struct odata_pair pairs[] = {
        {"$search", quoted_search(a, f->text)},
        {"$count", "true"},
        {"$select", SHOWN},
        {"$top", arena_printf(a, "%lld", (long long)(f->size ? f->size : 1))},
        {"$skip", arena_printf(a, "%lld", (long long)f->from)}};
    const struct json_mask *mask;
    const char *message = NULL;
    struct outlook_list list;
    struct odata_query q;
    struct outlook_box b;
    if (outlook_open(c, OUTLOOK_READ, &b) < 0 ||
        odata_parse(a, edm_type_find("message", 7), NULL, pairs, SOSIA_LEN(pairs), &q, &message,
                    c->tx.err) < 0 ||
        outlook_list(c, &b, 0, &q, &list) < 0 || odata_mask(a, &q, 0, &mask, c->tx.err) < 0)
        return -1;
    if (!f->size)
        list.n = 0;
    for (size_t i = 0; i < list.n; i++) {
        struct shown s = {&b, &list.items[i], &q};
        if (graph_hit(c, f, outlook_item_id(a, &b, s.item), "message", mask, write_shown, &s) < 0)
            return -1;
    }
    f->total = list.count;
    f->more = f->from + (int64_t)list.n < list.count;
    return 0;
}

const struct graph_finder outlook_finder = {.entity = "message", .scopes = READ, .find = find};
