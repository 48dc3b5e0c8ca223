/* SPDX-License-Identifier: Apache-2.0 */
/* $search over messages: which words of KQL there are, and where the index has them (MG-48, MG-560
 * to 566). */
#include "services/mail/outlook/search.h"
#include "engine/text/civil.h"
#include "vendors/microsoft/query.h"

enum { KQL_HAS_FILES = 1, KQL_RECEIVED, KQL_BYTES, KQL_IS_READ, KQL_KIND };

#define PEOPLE (FIELD_FROM | FIELD_TO | FIELD_CC | FIELD_BCC)

static const char *const kinds[] = {"email", "meetings", "docs", NULL};

static const struct kql_property properties[] = {
    {.name = "from", .kind = KQL_TEXT, .fields = FIELD_FROM},
    {.name = "to", .kind = KQL_TEXT, .fields = FIELD_TO},
    {.name = "cc", .kind = KQL_TEXT, .fields = FIELD_CC},
    {.name = "bcc", .kind = KQL_TEXT, .fields = FIELD_BCC},
    {.name = "participants", .kind = KQL_TEXT, .fields = PEOPLE},
    {.name = "recipients", .kind = KQL_TEXT, .fields = FIELD_TO | FIELD_CC | FIELD_BCC},
    {.name = "subject", .kind = KQL_TEXT, .fields = FIELD_SUBJECT},
    {.name = "body", .kind = KQL_TEXT, .fields = FIELD_BODY},
    {.name = "attachment", .kind = KQL_TEXT, .fields = FIELD_FILE},
    {.name = "attachmentnames", .kind = KQL_TEXT, .fields = FIELD_FILE},
    {.name = "hasAttachment", .kind = KQL_FLAG, .id = KQL_HAS_FILES},
    {.name = "hasAttachments", .kind = KQL_FLAG, .id = KQL_HAS_FILES},
    {.name = "isRead", .kind = KQL_FLAG, .id = KQL_IS_READ},
    {.name = "received", .kind = KQL_TIME, .id = KQL_RECEIVED},
    {.name = "sent", .kind = KQL_TIME, .id = KQL_RECEIVED},
    {.name = "size", .kind = KQL_SIZE, .id = KQL_BYTES},
    {.name = "kind", .kind = KQL_WORD, .values = kinds, .id = KQL_KIND},
};

static const struct search *kept_search(struct arena *a, struct search s)
{
    struct search *copy = arena_alloc(a, sizeof *copy);
    if (arena_failed(a))
        return NULL;
    *copy = s;
    return copy;
}

static const struct search *unless(struct arena *a, const struct search *s, bool plain)
{
    const struct search **kids = arena_alloc(a, sizeof *kids);
    if (arena_failed(a) || !s || plain)
        return s;
    *kids = s;
    return kept_search(a, (struct search){.kind = SEARCH_NOT, .kids = kids, .n_kids = 1});
}

static int64_t seconds(int64_t us)
{
    return us == INT64_MIN || us == INT64_MAX ? us : us / US_PER_SECOND;
}

static const struct search *own(void *arg, struct arena *a, const struct kql_property *p,
                                int64_t from, int64_t to)
{
    (void)arg;
    switch (p->id) {
    case KQL_HAS_FILES:
        return unless(a, kept_search(a, (struct search){.kind = SEARCH_HAS, .bits = HAS_FILE}),
                      from != 0);
    case KQL_IS_READ:
        return unless(
            a, kept_search(a, (struct search){.kind = SEARCH_FLAGS, .bits = FLAG(KEYWORD_UNSEEN)}),
            from == 0);
    case KQL_RECEIVED:
        return kept_search(
            a, (struct search){.kind = SEARCH_DATE, .from = seconds(from), .to = seconds(to)});
    case KQL_BYTES:
        return kept_search(a, (struct search){.kind = SEARCH_SIZE, .from = from, .to = to});
    default:
        return from == 0
                   ? kept_search(a, (struct search){.kind = SEARCH_AND})
                   : kept_search(a, (struct search){.kind = SEARCH_HAS,
                                                    .bits = from == 1 ? HAS_INVITE : HAS_FILE});
    }
}

int outlook_search(struct call *c, const struct outlook_box *b, const struct odata_query *q,
                   const struct search **ret)
{
    const struct kql_language language = {.properties = properties,
                                          .n = SOSIA_LEN(properties),
                                          .any = FIELD_FROM | FIELD_SUBJECT | FIELD_BODY,
                                          .now_us = c->tx.now_us,
                                          .own = own};
    (void)b;
    return graph_search(c, &language, q, ret);
}
