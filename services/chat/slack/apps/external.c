/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of other systems that people gave to apps. */
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/apps/platform.h"

#define EXTERNAL "id, key, workspace, app, user, provider, token, refresh, expires_s, extras"

static int read_external(struct tx *tx, sqlite3_stmt *st, struct chat_external *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct chat_external){.id = sqlite3_column_int64(st, 0),
                                  .key = tx_string(tx, st, 1),
                                  .workspace = sqlite3_column_int64(st, 2),
                                  .app = sqlite3_column_int64(st, 3),
                                  .user = sqlite3_column_int64(st, 4),
                                  .provider = tx_string(tx, st, 5),
                                  .token = tx_string(tx, st, 6),
                                  .refresh = tx_string(tx, st, 7),
                                  .expires_s = sqlite3_column_int64(st, 8),
                                  .extras = tx_string(tx, st, 9)};
    sql_done(st);
    return 1;
}

int chat_external_find(struct tx *tx, const char *key, struct chat_external *ret)
{
    static struct sql_text q = SQL_TEXT("select " EXTERNAL " from slack_external where key = :key");
    return read_external(tx, TX_QUERY(tx, &q, key), ret);
}

int chat_external_save(struct tx *tx, const struct chat_external *e)
{
    static struct sql_text q = SQL_TEXT("update slack_external set token = :token, expires_s = "
                                        ":expires where id = :id");
    return TX_RUN(tx, &q, e->token, e->expires_s, e->id);
}

int chat_external_drop(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from slack_external where id = :id");
    return TX_RUN(tx, &q, id);
}

int chat_external_delete(struct tx *tx, int64_t workspace, int64_t app, const char *provider,
                         int64_t *ret_n)
{
#define OF_APP                                                                                     \
    " from slack_external where app = :app and workspace = :workspace and provider = "             \
    "coalesce(:provider, provider)"
    static struct sql_text count = SQL_TEXT("select count(*)" OF_APP);
    static struct sql_text drop = SQL_TEXT("delete" OF_APP);
    *ret_n = 0;
    return TX_INT(tx, &count, ret_n, app, workspace, provider) < 0
               ? -1
               : TX_RUN(tx, &drop, app, workspace, provider);
}

/* ---- seed documents ---- */

int chat_external_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_external (key, workspace, app, user, provider, token, refresh, "
                 "expires_s, extras) values (:key, :workspace, :app, :user, :provider, :token, "
                 ":refresh, :expires, :extras)");
    static const char *const members[] = {"workspace", "id",      "app",     "user",   "provider",
                                          "token",     "refresh", "expires", "extras", NULL};
    struct chat_external e = {0};
    struct chat_party p;
    if (doc_object(d, v, members) < 0 || chat_doc_party(tx, d, v, true, &p) < 0 ||
        chat_doc_made_key(tx, d, v, "Et", &e.key) < 0 ||
        doc_str(d, v, "provider", true, &e.provider) < 0 ||
        doc_str(d, v, "token", true, &e.token) < 0 ||
        doc_str(d, v, "refresh", false, &e.refresh) < 0 ||
        chat_doc_second(d, v, "expires", 0, &e.expires_s) < 0 ||
        chat_doc_shaped(d, v, "extras", JSON_OBJECT, &e.extras) < 0)
        return -1;
    int rc = TX_RUN(tx, &q, e.key, p.workspace.id, p.app, p.user.id, e.provider, e.token, e.refresh,
                    e.expires_s, e.extras);
    return chat_doc_added(tx, d, v, "id", rc);
}

int chat_external_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select " EXTERNAL " from slack_external where id = :id");
    struct chat_external e;
    int r = read_external(tx, TX_QUERY(tx, &q, id), &e);
    if (r != 1)
        return r;
    if (chat_dump_party(tx, w, e.workspace, e.key, e.app, e.user) < 0)
        return -1;
    json_str(w, "provider", e.provider);
    json_str(w, "token", e.token);
    json_str_opt(w, "refresh", e.refresh);
    if (e.expires_s)
        json_int(w, "expires", e.expires_s);
    if (e.extras)
        chat_dump_raw(w, "extras", e.extras);
    return 1;
}
