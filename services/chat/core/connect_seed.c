/* SPDX-License-Identifier: Apache-2.0 */
/* Channels that several workspaces have: their section of seed documents. */
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "services/chat/core/connect.h"
#include "services/chat/core/impl.h"

static const struct member shared_members[] = {
    OWN("workspace", "Its id or domain; else the first one", "text"),
    OWN_NEEDED("channel", "The channel, by its id or name"),
    OWN_NEEDED("with", "The other workspace"),
    OWN("members", "Its people who are in it", "list of texts"),
    OWN("limited", "They don't invite others", "true or false"),
    OWN_TYPED("since", "Since when", "second", "{\"type\":[\"integer\",\"string\",\"null\"]}"),
};
const struct form chat_shared_form =
    FORM("A channel that another workspace has too", shared_members);

int chat_shared_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct chat_workspace w;
    struct chat_channel ch;
    struct chat_connect k;
    const char **names;
    size_t n;
    if (form_known(&(struct form_in){tx, d, v}, &chat_shared_form) < 0 ||
        chat_doc_workspace(tx, d, v, &w) < 0 || chat_doc_channel(tx, d, v, w.id, &ch) < 0 ||
        chat_doc_other(tx, d, v, "with", &k.workspace) < 0 ||
        doc_bool(d, v, "limited", false, &k.limited) < 0 ||
        chat_doc_second(d, v, "since", ch.created_s, &k.since_s) < 0 ||
        doc_strings(d, v, "members", &names, &n) < 0)
        return -1;
    if (!k.workspace || k.workspace == w.id || ch.kind >= CHAT_DIRECT)
        return doc_fail(d, v, "with", "expected another workspace, of a public or private channel");
    k.channel = ch.id;
    if (chat_doc_added(tx, d, v, "with", chat_connect_add(tx, &k)) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct chat_user u;
        int r = chat_doc_find(tx, k.workspace, names[i], &u);
        if (r == 1)
            r = chat_member_add(tx, &ch, u.id, 0) < 0 ? -1 : 1;
        if (r != 1)
            return r < 0 ? -1
                         : doc_fail(d, v, "members", "there is nobody \"%.80s\" in the workspace",
                                    names[i]);
    }
    return 0;
}

int chat_shared_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select k.channel, o.id, o.key, k.limited, k.since_s from chat_connect k join "
                 "chat_workspace o on o.id = k.workspace where k.id = :id");
    static struct sql_text people =
        SQL_TEXT("select u.key from chat_member m join chat_user u on u.id = m.user where "
                 "m.channel = :channel and u.workspace = :workspace order by m.id");
    struct chat_channel ch;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    int64_t channel = sqlite3_column_int64(st, 0), other = sqlite3_column_int64(st, 1);
    const char *key = tx_string(tx, st, 2);
    bool limited = sqlite3_column_int(st, 3);
    int64_t since_s = sqlite3_column_int64(st, 4);
    sql_done(st);
    if ((r = chat_channel_get(tx, channel, &ch)) != 1)
        return r;
    if (chat_dump_workspace(tx, w, ch.workspace) < 0)
        return -1;
    json_str(w, "channel", ch.key);
    json_str(w, "with", key);
    json_bool_opt(w, "limited", limited);
    json_int(w, "since", since_s);
    json_arr(w, "members");
    st = TX_QUERY(tx, &people, channel, other);
    for (r = st ? 1 : -1; r == 1 && (r = TX_STEP(tx, st)) == 1;)
        json_str(w, NULL, (const char *)sqlite3_column_text(st, 0));
    json_end(w);
    return r < 0 ? -1 : 1;
}
