/* SPDX-License-Identifier: Apache-2.0 */
/* Apps: what they have set, where they are installed, what their tokens are renewed with. */
#include "engine/base/codec.h"
#include "engine/store/row.h"
#include "engine/text/civil.h"
#include "engine/world/columns.h"
#include "engine/world/engine.h"
#include "services/chat/slack/things.h"
#include "services/chat/slack/store.h"

/* ---- apps ---- */

#define APP_CHANGED(X)                                                                             \
    X(verification, verification, STRING)                                                          \
    X(manifest, manifest, STRING)                                                                  \
    X(setting, setting, STRING)                                                                    \
    X(owner, owner, ID)                                                                            \
    X(icon, icon, STRING)                                                                          \
    X(distributed, distributed, NUMBER)                                                            \
    X(deleted, deleted, NUMBER)
#define APP(X)                                                                                     \
    X(app, app, NUMBER)                                                                            \
    X(key, key, STRING) X(description, description, STRING) APP_CHANGED(X)
#define SELECTED_APP "id" APP(COLUMN_NAME)

/* r: what looking for the row gave, which is passed on. */
static int app_of(int r, struct record *rec, struct chat_app *row)
{
    unsigned at = 1;
    if (r == 1) {
        row->id = record_int(rec, 0);
        APP(COLUMN_TAKE)
    }
    return r;
}

static int read_app(struct tx *tx, sqlite3_stmt *st, struct chat_app *ret)
{
    struct record rec = {.arena = tx->arena};
    return app_of(ROW_ONLY(tx, st, &rec), &rec, ret);
}

int chat_app_of(struct tx *tx, int64_t app, struct chat_app *ret)
{
    static struct row_key q = ROW_KEY("slack_app", "a", SELECTED_APP, "app = ?1");
    struct record rec = {.arena = tx->arena};
    return app_of(ROW_BY_KEY(tx, &q, &rec, app), &rec, ret);
}

int chat_app_find(struct tx *tx, const char *key, struct chat_app *ret)
{
    static struct sql_text q = SQL_TEXT("select " SELECTED_APP " from slack_app where key = :key");
    return read_app(tx, TX_QUERY(tx, &q, key), ret);
}

int chat_app_next(struct tx *tx, int64_t after, struct chat_app *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " SELECTED_APP " from slack_app where id > :after order by id limit 1");
    return read_app(tx, TX_QUERY(tx, &q, after), ret);
}

int chat_app_add(struct tx *tx, struct chat_app *row)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_app (id" APP(COLUMN_NAME) ") values (?" APP(COLUMN_MARK) ")");
    if ((!row->key && !(row->key = chat_key(tx, 'A'))) ||
        TX_RUN(tx, &q, sql_null() APP(COLUMN_VALUE)) < 0)
        return -1;
    row->id = chat_last_id(tx);
    return 0;
}

int chat_app_save(struct tx *tx, const struct chat_app *row)
{
    static struct sql_text q =
        SQL_TEXT("update slack_app set description = ?" APP_CHANGED(COLUMN_SET) " where id = ?");
    return TX_RUN(tx, &q, row->description APP_CHANGED(COLUMN_VALUE), row->id);
}

int chat_subscribe(struct tx *tx, int64_t app, bool person, const char *const *kinds, size_t n)
{
    static struct sql_text q_end =
        SQL_TEXT("delete from slack_subscription where app = :app and person = :person");
    static struct sql_text q =
        SQL_TEXT("insert or ignore into slack_subscription (app, kind, person) "
                 "values (:app, :kind, :person)");
    if (TX_RUN(tx, &q_end, app, person) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (TX_RUN(tx, &q, app, kinds[i], person) < 0)
            return -1;
    return 0;
}

int chat_endpoint_set(struct tx *tx, int64_t app, const char *url)
{
    static struct sql_text q_end = SQL_TEXT("delete from slack_endpoint where app = :app");
    static struct sql_text q =
        SQL_TEXT("insert into slack_endpoint (app, url, enabled, sent, failed, hour_s) values "
                 "(:app, :url, 1, 0, 0, 0) on conflict (app) do update set url = excluded.url, "
                 "enabled = 1, sent = 0, failed = 0, hour_s = 0 where url is not excluded.url");
    return url ? TX_RUN(tx, &q, app, url) : TX_RUN(tx, &q_end, app);
}

/* ---- installations ---- */

#define INSTALL_CHANGED(X)                                                                         \
    X(key, key, STRING)                                                                            \
    X(scopes, scopes, STRING)                                                                      \
    X(user_scopes, user_scopes, STRING)                                                            \
    X(installer, installer, ID)                                                                    \
    X(installed_s, installed_s, NUMBER)                                                            \
    X(deleted, deleted, NUMBER)
#define INSTALL(X)                                                                                 \
    X(workspace, workspace, NUMBER)                                                                \
    X(app, app, NUMBER) X(user, user, ID) INSTALL_CHANGED(X)
#define SELECTED_INSTALL "id" INSTALL(COLUMN_NAME)

/* r: what looking for the row gave, which is passed on. */
static int installed(int r, struct record *rec, struct chat_install *row)
{
    unsigned at = 1;
    if (r == 1) {
        row->id = record_int(rec, 0);
        INSTALL(COLUMN_TAKE)
    }
    return r;
}

static int read_install(struct tx *tx, sqlite3_stmt *st, struct chat_install *ret)
{
    struct record rec = {.arena = tx->arena};
    return installed(ROW_ONLY(tx, st, &rec), &rec, ret);
}

int chat_install_of(struct tx *tx, int64_t workspace, int64_t app, struct chat_install *ret)
{
    static struct row_key q =
        ROW_KEY("slack_install", "i", SELECTED_INSTALL, "workspace = ?1 and app = ?2");
    struct record rec = {.arena = tx->arena};
    return installed(ROW_BY_KEY(tx, &q, &rec, workspace, app), &rec, ret);
}

int chat_install_get(struct tx *tx, int64_t id, struct chat_install *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " SELECTED_INSTALL " from slack_install where id = :id");
    return read_install(tx, TX_QUERY(tx, &q, id), ret);
}

int chat_install_by_user(struct tx *tx, int64_t user, struct chat_install *ret)
{
    static struct row_key q = ROW_KEY("slack_install", "i", SELECTED_INSTALL, "user = ?1");
    struct record rec = {.arena = tx->arena};
    return installed(ROW_BY_KEY(tx, &q, &rec, user), &rec, ret);
}

int chat_install_find(struct tx *tx, int64_t workspace, const char *key, struct chat_install *ret)
{
    static struct sql_text q = SQL_TEXT("select " SELECTED_INSTALL " from slack_install where "
                                        "workspace = :workspace and key = :key");
    return read_install(tx, TX_QUERY(tx, &q, workspace, key), ret);
}

int chat_install_next(struct tx *tx, int64_t app, int64_t after, struct chat_install *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " SELECTED_INSTALL " from slack_install where app = :app and "
                 "id > :after order by id limit 1");
    return read_install(tx, TX_QUERY(tx, &q, app, after), ret);
}

int chat_install_add(struct tx *tx, struct chat_install *row)
{
    static struct sql_text q = SQL_TEXT("insert into slack_install (id" INSTALL(
        COLUMN_NAME) ") values (?" INSTALL(COLUMN_MARK) ")");
    if ((!row->key && !(row->key = chat_key(tx, 'B'))) ||
        TX_RUN(tx, &q, sql_null() INSTALL(COLUMN_VALUE)) < 0)
        return -1;
    row->id = chat_last_id(tx);
    if (!row->deleted)
        chat_notify(tx, CHAT_EV_INSTALL, OP_ADDED, row->workspace, row->id, NULL, NULL);
    return 0;
}

int chat_install_save(struct tx *tx, const struct chat_install *row, const char *const *members)
{
    static struct sql_text q =
        SQL_TEXT("update slack_install set user = ?" INSTALL_CHANGED(COLUMN_SET) " where id = ?");
    struct chat_install before;
    int r = chat_install_get(tx, row->id, &before);
    if (r != 1)
        return r < 0 ? -1 : tx_fail(tx, SOSIA_E_NOT_FOUND, "install", NULL, "it is not installed");
    if (TX_RUN(tx, &q, sql_int_or_null(row->user, 0) INSTALL_CHANGED(COLUMN_VALUE), row->id) < 0)
        return -1;
    if (before.deleted && row->deleted)
        return 0;
    chat_notify(tx, CHAT_EV_INSTALL,
                row->deleted     ? OP_REMOVED
                : before.deleted ? OP_ADDED
                                 : OP_CHANGED,
                row->workspace, row->id, members, NULL);
    return 0;
}

void chat_tokens_ended(struct tx *tx, const struct chat_install *i, int64_t user)
{
    static const char *const members[] = {"tokens", NULL};
    struct chat_change change = {.user = user, .at_us = tx->now_us};
    chat_notify(tx, CHAT_EV_INSTALL, OP_CHANGED, i->workspace, i->id, members, &change);
}

int chat_uninstall(struct tx *tx, struct chat_install *i, bool tokens)
{
    static struct sql_text q_grants = SQL_TEXT("delete from slack_grant where install = :install");
    static struct sql_text q_hooks = SQL_TEXT("update slack_webhook set deleted = 1 where "
                                              "workspace = :workspace and app = :app");
    static const char *const members[] = {"deleted", NULL}, *const ended[] = {"tokens", NULL};
    struct chat_user bot;
    int r = i->user ? chat_user_get(tx, i->user, &bot) : 0;
    if (r < 0 || TX_RUN(tx, &q_grants, i->id) < 0 || TX_RUN(tx, &q_hooks, i->workspace, i->app) < 0)
        return -1;
    if (r && !bot.deleted) {
        bot.deleted = true;
        if (chat_user_save(tx, &bot, members) < 0)
            return -1;
    }
    i->deleted = true;
    return chat_install_save(tx, i, tokens ? ended : NULL);
}

/* ---- grants ---- */

int chat_grant_find(struct tx *tx, const char *token, struct chat_grant *ret)
{
    static struct sql_text q = SQL_TEXT("where token = :token");
    return STORED_ONE(tx, &slack_grant_stored, &q, ret, token);
}

int chat_grant_of(struct tx *tx, int64_t install, int64_t user, struct chat_grant *ret)
{
    static struct sql_text q = SQL_TEXT("where install = :install and user = :user");
    return STORED_ONE(tx, &slack_grant_stored, &q, ret, install, user);
}

int chat_grant_set(struct tx *tx, struct chat_grant *g)
{
    static struct sql_text q = SQL_TEXT(
        "insert into slack_grant (token, install, user, scopes, access, before, expires_s) "
        "values (:token, :install, :user, :scopes, :access, :before, :expires) on conflict "
        "(install, user) do update set token = excluded.token, scopes = excluded.scopes, "
        "access = excluded.access, before = excluded.before, "
        "expires_s = excluded.expires_s");
    return TX_RUN(tx, &q, g->token, g->install, g->user, g->scopes, g->access, g->before,
                  g->expires_s);
}

int chat_grant_end(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from slack_grant where id = :id");
    return TX_RUN(tx, &q, id);
}

/* ---- webhooks ---- */

int chat_webhook_find(struct tx *tx, const char *key, struct chat_webhook *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key");
    return STORED_ONE(tx, &slack_webhook_stored, &q, ret, key);
}

/* Letters and digits, that no webhook of a dump has. */
static const char *webhook_secret(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select 1 from slack_webhook where secret = :secret");
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    uint8_t random[24];
    char *text = arena_alloc(tx->arena, sizeof random + 1);
    int64_t one;
    int r;
    do {
        if (tx_secret(tx, "chat.webhook", random, sizeof random) < 0)
            return NULL;
        for (size_t i = 0; i < sizeof random; i++)
            text[i] = digits[random[i] % 62];
        text[sizeof random] = 0;
    } while ((r = TX_INT(tx, &q, &one, text)) == 1);
    return r < 0 ? NULL : text;
}

int chat_webhook_add(struct tx *tx, struct chat_webhook *h)
{
    if ((!h->key && !(h->key = chat_key(tx, 'B'))) ||
        (!h->secret && !(h->secret = webhook_secret(tx))))
        return -1;
    return stored_new(tx, &slack_webhook_stored, h);
}
