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

#define APP(X)                                                                                     \
    X(app, app, NUMBER)                                                                            \
    X(key, key, STRING)                                                                            \
    X(description, description, STRING)                                                            \
    X(verification, verification, STRING)                                                          \
    X(manifest, manifest, STRING)                                                                  \
    X(setting, setting, STRING)                                                                    \
    X(owner, owner, ID)                                                                            \
    X(icon, icon, STRING)                                                                          \
    X(distributed, distributed, NUMBER)                                                            \
    X(deleted, deleted, NUMBER)
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

int chat_app_add(struct tx *tx, struct chat_app *a)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_app (app, key, description, verification, manifest, setting, "
                 "owner, icon, distributed, deleted) values (:app, :key, :description, "
                 ":verification, :manifest, :setting, :owner, :icon, :distributed, :deleted)");
    if (!a->key && !(a->key = chat_key(tx, 'A')))
        return -1;
    if (TX_RUN(tx, &q, a->app, a->key, a->description, a->verification, a->manifest, a->setting,
               sql_int_or_null(a->owner, 0), a->icon, a->distributed, a->deleted) < 0)
        return -1;
    a->id = chat_last_id(tx);
    return 0;
}

int chat_app_save(struct tx *tx, const struct chat_app *a)
{
    static struct sql_text q =
        SQL_TEXT("update slack_app set description = :description, verification = :verification, "
                 "manifest = :manifest, setting = :setting, owner = :owner, icon = :icon, "
                 "distributed = :distributed, deleted = :deleted where id = :id");
    return TX_RUN(tx, &q, a->description, a->verification, a->manifest, a->setting,
                  sql_int_or_null(a->owner, 0), a->icon, a->distributed, a->deleted, a->id);
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

#define INSTALL(X)                                                                                 \
    X(workspace, workspace, NUMBER)                                                                \
    X(app, app, NUMBER)                                                                            \
    X(user, user, ID)                                                                              \
    X(key, key, STRING)                                                                            \
    X(scopes, scopes, STRING)                                                                      \
    X(user_scopes, user_scopes, STRING)                                                            \
    X(installer, installer, ID)                                                                    \
    X(installed_s, installed_s, NUMBER)                                                            \
    X(deleted, deleted, NUMBER)
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

int chat_install_add(struct tx *tx, struct chat_install *i)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_install (workspace, app, user, key, scopes, user_scopes, "
                 "installer, installed_s, deleted) values (:workspace, :app, :user, :key, :scopes, "
                 ":user_scopes, :installer, :at, :deleted)");
    if (!i->key && !(i->key = chat_key(tx, 'B')))
        return -1;
    if (TX_RUN(tx, &q, i->workspace, i->app, sql_int_or_null(i->user, 0), i->key, i->scopes,
               i->user_scopes, sql_int_or_null(i->installer, 0), i->installed_s, i->deleted) < 0)
        return -1;
    i->id = chat_last_id(tx);
    if (!i->deleted)
        chat_notify(tx, CHAT_EV_INSTALL, OP_ADDED, i->workspace, i->id, NULL, NULL);
    return 0;
}

int chat_install_save(struct tx *tx, const struct chat_install *i, const char *const *members)
{
    static struct sql_text q =
        SQL_TEXT("update slack_install set user = :user, scopes = :scopes, user_scopes = "
                 ":user_scopes, installer = :installer, installed_s = :at, deleted = :deleted "
                 "where id = :id");
    struct chat_install before;
    int r = chat_install_get(tx, i->id, &before);
    if (r != 1)
        return r < 0 ? -1 : tx_fail(tx, SOSIA_E_NOT_FOUND, "install", NULL, "it is not installed");
    if (TX_RUN(tx, &q, sql_int_or_null(i->user, 0), i->scopes, i->user_scopes,
               sql_int_or_null(i->installer, 0), i->installed_s, i->deleted, i->id) < 0)
        return -1;
    if (before.deleted && i->deleted)
        return 0;
    chat_notify(tx, CHAT_EV_INSTALL,
                i->deleted       ? OP_REMOVED
                : before.deleted ? OP_ADDED
                                 : OP_CHANGED,
                i->workspace, i->id, members, NULL);
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

#define GRANT "id, token, install, user, scopes, access, before, expires_s"

static int read_grant(struct tx *tx, sqlite3_stmt *st, struct chat_grant *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct chat_grant){.id = sqlite3_column_int64(st, 0),
                               .token = tx_string(tx, st, 1),
                               .install = sqlite3_column_int64(st, 2),
                               .user = sqlite3_column_int64(st, 3),
                               .scopes = tx_string(tx, st, 4),
                               .access = tx_string(tx, st, 5),
                               .before = tx_string(tx, st, 6),
                               .expires_s = sqlite3_column_int64(st, 7)};
    sql_done(st);
    return 1;
}

int chat_grant_find(struct tx *tx, const char *token, struct chat_grant *ret)
{
    static struct sql_text q = SQL_TEXT("select " GRANT " from slack_grant where token = :token");
    return read_grant(tx, TX_QUERY(tx, &q, token), ret);
}

int chat_grant_of(struct tx *tx, int64_t install, int64_t user, struct chat_grant *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " GRANT " from slack_grant where install = :install and user = :user");
    return read_grant(tx, TX_QUERY(tx, &q, install, user), ret);
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
    if (stored_add(tx, &slack_webhook_stored, h) < 0)
        return -1;
    h->id = chat_last_id(tx);
    return 0;
}
