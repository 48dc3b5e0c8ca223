/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody has open beside a conversation: an app's thing of another system, its comments. */
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/acts/interact.h"

static const char *const parts[] = {"details", "comments", "comment", NULL};

#define PANE "id, key, workspace, app, user, part, url, ref, asked, content"

static int read_pane(struct tx *tx, sqlite3_stmt *st, struct chat_pane *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct chat_pane){.id = sqlite3_column_int64(st, 0),
                              .key = tx_string(tx, st, 1),
                              .workspace = sqlite3_column_int64(st, 2),
                              .app = sqlite3_column_int64(st, 3),
                              .user = sqlite3_column_int64(st, 4),
                              .part = (enum chat_pane_part)sqlite3_column_int(st, 5),
                              .url = tx_string(tx, st, 6),
                              .ref = tx_string(tx, st, 7),
                              .asked = tx_string(tx, st, 8),
                              .content = tx_string(tx, st, 9)};
    sql_done(st);
    return 1;
}

int chat_pane_find(struct tx *tx, const char *key, struct chat_pane *ret)
{
    static struct sql_text q = SQL_TEXT("select " PANE " from slack_pane where key = :key");
    return read_pane(tx, TX_QUERY(tx, &q, key), ret);
}

int chat_pane_of(struct tx *tx, int64_t user, enum chat_pane_part part, struct chat_pane *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " PANE " from slack_pane where user = :user and part = :part");
    return read_pane(tx, TX_QUERY(tx, &q, user, (int)part), ret);
}

int chat_pane_close(struct tx *tx, int64_t user, enum chat_pane_part from)
{
    static struct sql_text q =
        SQL_TEXT("delete from slack_pane where user = :user and part >= :from");
    return TX_RUN(tx, &q, user, (int)from);
}

int chat_pane_open(struct tx *tx, struct chat_pane *p)
{
    static struct sql_text old =
        SQL_TEXT("delete from slack_pane where user = :user and part = :part");
    static struct sql_text q = SQL_TEXT(
        "insert into slack_pane (key, workspace, app, user, part, url, ref, asked, content) values "
        "(:key, :workspace, :app, :user, :part, :url, :ref, :asked, :content)");
    if (TX_RUN(tx, &old, p->user, (int)p->part) < 0 ||
        TX_RUN(tx, &q, p->key, p->workspace, p->app, p->user, (int)p->part, p->url, p->ref,
               p->asked, p->content) < 0)
        return -1;
    p->id = chat_last_id(tx);
    return 0;
}

int chat_pane_save(struct tx *tx, const struct chat_pane *p)
{
    static struct sql_text q = SQL_TEXT("update slack_pane set content = :content where id = :id");
    return TX_RUN(tx, &q, p->content, p->id);
}

/* ---- seed documents ---- */

int chat_pane_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"workspace", "id",           "app",   "user",    "part",
                                          "url",       "external_ref", "asked", "content", NULL};
    const struct json *ref = json_get(v, "external_ref");
    struct chat_pane there, p = {0};
    struct chat_party party;
    int part;
    if (doc_object(d, v, members) < 0 || chat_doc_party(tx, d, v, true, &party) < 0 ||
        doc_str(d, v, "id", true, &p.key) < 0 ||
        doc_enum(d, v, "part", parts, CHAT_PANE_DETAILS, &part) < 0 ||
        doc_str(d, v, "url", true, &p.url) < 0 ||
        chat_doc_shaped(d, v, "external_ref", JSON_OBJECT, &p.ref) < 0 ||
        chat_doc_shaped(d, v, "asked", JSON_OBJECT, &p.asked) < 0 ||
        chat_doc_shaped(d, v, "content", JSON_OBJECT, &p.content) < 0)
        return -1;
    if (!json_get_str(ref, "id"))
        return doc_fail(d, ref ? ref : v, "external_ref", "expected an object with an id");
    int r = chat_pane_of(tx, party.user.id, (enum chat_pane_part)part, &there);
    if (r)
        return r < 0 ? -1 : doc_fail(d, v, "user", "a pane of this part is there already");
    p.workspace = party.workspace.id;
    p.app = party.app;
    p.user = party.user.id;
    p.part = (enum chat_pane_part)part;
    if (!p.asked)
        p.asked = "{}";
    return chat_doc_added(tx, d, v, "id", chat_pane_open(tx, &p));
}

int chat_pane_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select " PANE " from slack_pane where id = :id");
    struct chat_pane p;
    int r = read_pane(tx, TX_QUERY(tx, &q, id), &p);
    if (r != 1)
        return r;
    if (chat_dump_party(tx, w, p.workspace, p.key, p.app, p.user) < 0)
        return -1;
    if (p.part != CHAT_PANE_DETAILS)
        json_str(w, "part", parts[p.part]);
    json_str(w, "url", p.url);
    chat_dump_raw(w, "external_ref", p.ref);
    if (strcmp(p.asked, "{}") != 0)
        chat_dump_raw(w, "asked", p.asked);
    if (p.content)
        chat_dump_raw(w, "content", p.content);
    return 1;
}

int chat_pane_key(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select " PANE " from slack_pane where id = :id");
    struct chat_pane p;
    int r = read_pane(tx, TX_QUERY(tx, &q, id), &p);
    if (r != 1)
        return r;
    json_str(w, "part", parts[p.part]);
    return chat_dump_user(tx, w, "user", p.user);
}
