/* SPDX-License-Identifier: Apache-2.0 */
/* Workspaces, and the apps that are installed in them. */
#include "engine/text/civil.h"
#include "services/chat/core/chat.h"
#include "services/chat/core/impl.h"

#define WORKSPACE "id, key, domain, name, email_domain, plan, setting, created_s"

static int read_workspace(struct tx *tx, sqlite3_stmt *st, struct chat_workspace *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct chat_workspace){.id = sqlite3_column_int64(st, 0),
                                   .key = tx_string(tx, st, 1),
                                   .domain = tx_string(tx, st, 2),
                                   .name = tx_string(tx, st, 3),
                                   .email_domain = tx_string(tx, st, 4),
                                   .plan = tx_string(tx, st, 5),
                                   .setting = tx_string(tx, st, 6),
                                   .created_s = sqlite3_column_int64(st, 7)};
    sql_done(st);
    return 1;
}

int chat_workspace_get(struct tx *tx, int64_t id, struct chat_workspace *ret)
{
    static struct sql_text q = SQL_TEXT("select " WORKSPACE " from chat_workspace where id = :id");
    return read_workspace(tx, TX_QUERY(tx, &q, id), ret);
}

int chat_workspace_find(struct tx *tx, const char *name, struct chat_workspace *ret)
{
    static struct sql_text q = SQL_TEXT("select " WORKSPACE " from chat_workspace where "
                                        "key = :name or domain = :name order by id limit 1");
    return read_workspace(tx, TX_QUERY(tx, &q, name), ret);
}

int chat_workspace_first(struct tx *tx, int64_t after, struct chat_workspace *ret)
{
    static struct sql_text q = SQL_TEXT("select " WORKSPACE " from chat_workspace where "
                                        "id > :after order by id limit 1");
    return read_workspace(tx, TX_QUERY(tx, &q, after), ret);
}

int chat_workspace_add(struct tx *tx, struct chat_workspace *w)
{
    static struct sql_text q =
        SQL_TEXT("insert into chat_workspace (key, domain, name, email_domain, plan, setting, "
                 "created_s) values (:key, :domain, :name, :email, :plan, :setting, :created)");
    if (!w->key && !(w->key = chat_key(tx, 'T')))
        return -1;
    if (TX_RUN(tx, &q, w->key, w->domain, w->name, w->email_domain, w->plan, w->setting,
               w->created_s) < 0)
        return -1;
    w->id = chat_last_id(tx);
    return 0;
}

/* ---- apps ---- */

#define APP "id, app, key, description, verification, manifest, setting"

static int read_app(struct tx *tx, sqlite3_stmt *st, struct chat_app *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct chat_app){.id = sqlite3_column_int64(st, 0),
                             .app = sqlite3_column_int64(st, 1),
                             .key = tx_string(tx, st, 2),
                             .description = tx_string(tx, st, 3),
                             .verification = tx_string(tx, st, 4),
                             .manifest = tx_string(tx, st, 5),
                             .setting = tx_string(tx, st, 6)};
    sql_done(st);
    return 1;
}

int chat_app_of(struct tx *tx, int64_t app, struct chat_app *ret)
{
    static struct sql_text q = SQL_TEXT("select " APP " from chat_app where app = :app");
    return read_app(tx, TX_QUERY(tx, &q, app), ret);
}

int chat_app_find(struct tx *tx, const char *key, struct chat_app *ret)
{
    static struct sql_text q = SQL_TEXT("select " APP " from chat_app where key = :key");
    return read_app(tx, TX_QUERY(tx, &q, key), ret);
}

int chat_app_add(struct tx *tx, struct chat_app *a)
{
    static struct sql_text q =
        SQL_TEXT("insert into chat_app (app, key, description, verification, manifest, setting) "
                 "values (:app, :key, :description, :verification, :manifest, :setting)");
    if (!a->key && !(a->key = chat_key(tx, 'A')))
        return -1;
    if (TX_RUN(tx, &q, a->app, a->key, a->description, a->verification, a->manifest, a->setting) <
        0)
        return -1;
    a->id = chat_last_id(tx);
    return 0;
}

#define INSTALL                                                                                    \
    "id, workspace, app, user, key, scopes, user_scopes, installer, installed_s, deleted"

static int read_install(struct tx *tx, sqlite3_stmt *st, struct chat_install *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct chat_install){.id = sqlite3_column_int64(st, 0),
                                 .workspace = sqlite3_column_int64(st, 1),
                                 .app = sqlite3_column_int64(st, 2),
                                 .user = sqlite3_column_int64(st, 3),
                                 .key = tx_string(tx, st, 4),
                                 .scopes = tx_string(tx, st, 5),
                                 .user_scopes = tx_string(tx, st, 6),
                                 .installer = sqlite3_column_int64(st, 7),
                                 .installed_s = sqlite3_column_int64(st, 8),
                                 .deleted = sqlite3_column_int(st, 9)};
    sql_done(st);
    return 1;
}

int chat_install_of(struct tx *tx, int64_t workspace, int64_t app, struct chat_install *ret)
{
    static struct sql_text q = SQL_TEXT("select " INSTALL " from chat_install where "
                                        "workspace = :workspace and app = :app");
    return read_install(tx, TX_QUERY(tx, &q, workspace, app), ret);
}

int chat_install_by_user(struct tx *tx, int64_t user, struct chat_install *ret)
{
    static struct sql_text q = SQL_TEXT("select " INSTALL " from chat_install where user = :user "
                                        "order by id limit 1");
    return read_install(tx, TX_QUERY(tx, &q, user), ret);
}

int chat_install_find(struct tx *tx, int64_t workspace, const char *key, struct chat_install *ret)
{
    static struct sql_text q = SQL_TEXT("select " INSTALL " from chat_install where "
                                        "workspace = :workspace and key = :key");
    return read_install(tx, TX_QUERY(tx, &q, workspace, key), ret);
}

int chat_install_add(struct tx *tx, struct chat_install *i)
{
    static struct sql_text q =
        SQL_TEXT("insert into chat_install (workspace, app, user, key, scopes, user_scopes, "
                 "installer, installed_s, deleted) values (:workspace, :app, :user, :key, :scopes, "
                 ":user_scopes, :installer, :at, :deleted)");
    if (!i->key && !(i->key = chat_key(tx, 'B')))
        return -1;
    if (TX_RUN(tx, &q, i->workspace, i->app, sql_int_or_null(i->user, 0), i->key, i->scopes,
               i->user_scopes, sql_int_or_null(i->installer, 0), i->installed_s, i->deleted) < 0)
        return -1;
    i->id = chat_last_id(tx);
    chat_tell(tx, CHAT_EV_INSTALL, OP_ADDED, i->workspace, i->id, NULL, NULL);
    return 0;
}
