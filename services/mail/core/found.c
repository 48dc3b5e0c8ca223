/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of all mailboxes that have the words of a text. */
#include "engine/search/plain.h"
#include "identity/account.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/core/search.h"
#include "services/mail/core/show.h"
#include <stdio.h>

static int write_found(struct tx *tx, const struct mailbox *mb, const char *vendor,
                       const struct mail_message *m, struct json_writer *w)
{
    const char *head, *snippet;
    char id[17];
    size_t len;
    if (mail_message_head(tx, m, &head, &len) < 0 || mail_message_snippet(tx, m, &snippet) < 0)
        return -1;
    snprintf(id, sizeof id, "%016llx", (unsigned long long)m->key);
    const struct found f = {.core = &mail_core,
                            .entity = "message",
                            .rowid = m->id,
                            .id = id,
                            .actor = mb->email,
                            .vendor = vendor,
                            .title = mime_header(tx->arena, head, len, "Subject"),
                            .snippet = snippet,
                            .at_us = m->at_s * INT64_C(1000000)};
    return found_write(tx, w, &f);
}

int mail_found(struct tx *tx, const char *text, size_t limit, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select id from mail_mailbox where id > :after order by id limit 1");
    const struct search *query = search_plain(tx->arena, FIELDS_ANY, text);
    int64_t id = 0;
    int r = arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
    while (r == 1 && query && limit && (r = TX_INT(tx, &q, &id, id)) == 1) {
        struct mail_message *list;
        struct mailbox mb;
        size_t n = 0;
        bool more;
        const struct mail_list asked = {.mailbox = id, .query = query, .limit = limit};
        struct account account = {0};
        r = mailbox_by_id(tx, id, &mb);
        if (r == 1 && account_get(tx, mb.account, &account) < 0)
            r = -1;
        if (r == 1 && mail_list(tx, &asked, &list, &n, &more) < 0)
            r = -1;
        for (size_t i = 0; r == 1 && i < n; i++)
            r = write_found(tx, &mb, account.vendor, &list[i], w) < 0 ? -1 : 1;
        limit -= n < limit ? n : limit;
        r = r == 0 ? 1 : r;
    }
    return r < 0 ? -1 : 0;
}
