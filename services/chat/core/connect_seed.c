/* SPDX-License-Identifier: Apache-2.0 */
/* Channels that several workspaces have: their section of seed documents. */
#include "engine/json/doc.h"
#include "services/chat/core/connect.h"
#include "services/chat/core/form.h"
#include "services/chat/core/impl.h"

static int add_people(const struct form_in *in, const struct member *m, void *row, int64_t id)
{
    const struct chat_connect *k = row;
    struct chat_channel ch;
    struct chat_user u;
    const char **names;
    size_t n;
    (void)id;
    if (doc_strings(in->d, in->value, m->name, &names, &n) < 0 ||
        chat_channel_get(in->tx, k->channel, &ch) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = chat_doc_find(in->tx, k->workspace, names[i], &u);
        if (r == 1)
            r = chat_member_add(in->tx, &ch, u.id, 0) < 0 ? -1 : 1;
        if (r != 1)
            return r < 0 ? -1
                         : doc_fail(in->d, in->value, m->name,
                                    "there is nobody \"%.80s\" in the workspace", names[i]);
    }
    return 0;
}

static int write_people(const struct form_out *out, const struct member *m, const void *row)
{
    static struct sql_text q =
        SQL_TEXT("select u.key from chat_member m join chat_user u on u.id = m.user where "
                 "m.channel = :channel and u.workspace = :workspace order by m.id");
    const struct chat_connect *k = row;
    sqlite3_stmt *st = TX_QUERY(out->tx, &q, k->channel, k->workspace);
    int r = st ? 1 : -1;
    json_arr(out->w, m->name);
    while (r == 1 && (r = TX_STEP(out->tx, st)) == 1)
        json_str(out->w, NULL, (const char *)sqlite3_column_text(st, 0));
    json_end(out->w);
    return r;
}

static int check_shared(const struct form_in *in, void *row)
{
    struct chat_connect *k = row;
    struct chat_channel ch;
    if (chat_channel_get(in->tx, k->channel, &ch) < 0)
        return -1;
    k->since_s = k->since_s == CHAT_UNSAID ? ch.created_s : k->since_s;
    return k->workspace != k->host && ch.kind < CHAT_DIRECT
               ? 0
               : doc_fail(in->d, in->value, "with",
                          "expected another workspace, of a public or private channel");
}

static const struct member shared_members[] = {
    CHAT_WORKSPACE_BY(struct chat_connect, channel, chat_write_workspace_of_channel),
    STORED_ID(struct chat_connect),
    {"channel", "The channel, by its id or name", CHAT_CHANNEL_AT(struct chat_connect, channel),
     .flags = MEMBER_REQUIRED},
    {"with", "The other workspace", CHAT_OTHER_AT(struct chat_connect, workspace),
     .flags = MEMBER_REQUIRED},
    {"limited", "They don't invite others", BOOL_AT(struct chat_connect, limited)},
    {"since", "Since when; else since the channel was made",
     CHAT_SECOND_AT(struct chat_connect, since_s), .usual = CHAT_UNSAID},
    {"members", "Its people who are in it", .kind = MEMBER_OWN, .noun = "list of texts",
     .added = add_people, .write = write_people},
};
STORED(chat_shared_stored, "A channel that another workspace has too", struct chat_connect,
       shared_members, check_shared, .table = "chat_connect", .key = "channel with");
