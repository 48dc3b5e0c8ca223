/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of a workspace, and their sections of seed documents. */
#include "services/chat/slack/team/log.h"
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"

const char *const chat_app_changes[] = {"added", "removed", "enabled", "disabled", "updated", NULL};

/* ---- who came in ---- */

#define LOGIN "id, workspace, user, first_s, last_s, count, ip, agent, isp, country, region"

static void take_login(struct tx *tx, sqlite3_stmt *st, struct chat_login *ret)
{
    *ret = (struct chat_login){.id = sqlite3_column_int64(st, 0),
                               .workspace = sqlite3_column_int64(st, 1),
                               .user = sqlite3_column_int64(st, 2),
                               .first_s = sqlite3_column_int64(st, 3),
                               .last_s = sqlite3_column_int64(st, 4),
                               .count = sqlite3_column_int64(st, 5),
                               .ip = tx_string(tx, st, 6),
                               .agent = tx_string(tx, st, 7),
                               .isp = tx_string(tx, st, 8),
                               .country = tx_string(tx, st, 9),
                               .region = tx_string(tx, st, 10)};
}

int chat_logins(struct tx *tx, int64_t workspace, int64_t before_s, int64_t skip,
                int (*fn)(void *arg, const struct chat_login *l), void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select " LOGIN " from slack_login where workspace = :workspace and first_s <= "
                 ":before order by last_s desc, id desc limit -1 offset :skip");
    sqlite3_stmt *st = TX_QUERY(tx, &q, workspace, before_s, skip);
    struct chat_login l;
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        take_login(tx, st, &l);
        if (fn(arg, &l)) {
            sql_done(st);
            return 0;
        }
    }
    return r;
}

int chat_logins_count(struct tx *tx, int64_t workspace, int64_t before_s, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select count(*) from slack_login where workspace = "
                                        ":workspace and first_s <= :before");
    return TX_INT(tx, &q, ret, workspace, before_s) < 0 ? -1 : 0;
}

int chat_login_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into slack_login (workspace, user, first_s, last_s, count, ip, agent, isp, "
        "country, region) values (:workspace, :user, :first, :last, :count, :ip, :agent, "
        ":isp, :country, :region)");
    static const char *const members[] = {"workspace", "user", "first",   "last",   "count", "ip",
                                          "agent",     "isp",  "country", "region", NULL};
    struct chat_workspace w;
    struct chat_user u;
    struct chat_login l;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_user(tx, d, v, "user", w.id, &u) < 0 ||
        chat_doc_second(d, v, "first", tx->now_us / 1000000, &l.first_s) < 0 ||
        doc_int(d, v, "last", l.first_s, CHAT_LAST_SECOND, l.first_s, &l.last_s) < 0 ||
        doc_int(d, v, "count", 1, CHAT_LAST_SECOND, 1, &l.count) < 0 ||
        doc_str(d, v, "ip", true, &l.ip) < 0 || doc_str(d, v, "agent", true, &l.agent) < 0 ||
        doc_str(d, v, "isp", false, &l.isp) < 0 ||
        doc_str(d, v, "country", false, &l.country) < 0 ||
        doc_str(d, v, "region", false, &l.region) < 0)
        return -1;
    if (!u.id)
        return doc_fail(d, v, "user", "is missing");
    return TX_RUN(tx, &q, w.id, u.id, l.first_s, l.last_s, l.count, l.ip, l.agent, l.isp, l.country,
                  l.region);
}

int chat_login_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select " LOGIN " from slack_login where id = :id");
    struct chat_login l;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    take_login(tx, st, &l);
    sql_done(st);
    if (chat_dump_workspace(tx, w, l.workspace) < 0 || chat_dump_user(tx, w, "user", l.user) < 0)
        return -1;
    json_int(w, "first", l.first_s);
    json_int(w, "last", l.last_s);
    json_int(w, "count", l.count);
    json_str(w, "ip", l.ip);
    json_str(w, "agent", l.agent);
    json_str_opt(w, "isp", l.isp);
    json_str_opt(w, "country", l.country);
    json_str_opt(w, "region", l.region);
    return 1;
}

/* ---- what was done with apps ---- */

#define APP_LOG "id, workspace, user, app, at_s, change, scopes, reason"

static void take_app_log(struct tx *tx, sqlite3_stmt *st, struct chat_app_log *ret)
{
    *ret = (struct chat_app_log){.id = sqlite3_column_int64(st, 0),
                                 .workspace = sqlite3_column_int64(st, 1),
                                 .user = sqlite3_column_int64(st, 2),
                                 .app = sqlite3_column_int64(st, 3),
                                 .at_s = sqlite3_column_int64(st, 4),
                                 .change = tx_string(tx, st, 5),
                                 .scopes = tx_string(tx, st, 6),
                                 .reason = tx_string(tx, st, 7)};
}

int chat_app_log_add(struct tx *tx, const struct chat_app_log *l)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_app_log (workspace, user, app, at_s, change, scopes, reason) "
                 "values (:workspace, :user, :app, :at, :change, :scopes, :reason)");
    static struct sql_text old = SQL_TEXT(
        "delete from slack_app_log where id in (select id from slack_app_log where workspace = "
        ":workspace order by at_s desc, id desc limit -1 offset :max)");
    return TX_RUN(tx, &q, l->workspace, l->user, l->app, l->at_s, l->change, l->scopes, l->reason) <
                       0 ||
                   TX_RUN(tx, &old, l->workspace, CHAT_APP_LOG_MAX) < 0
               ? -1
               : 0;
}

#define ASKED                                                                                      \
    "workspace = :workspace and (:user = 0 or user = :user) and (:app = 0 or app = :app) and "     \
    "(:change is null or change = :change)"

int chat_app_logs(struct tx *tx, const struct chat_app_log_ask *ask, int64_t skip,
                  int (*fn)(void *arg, const struct chat_app_log *l), void *arg)
{
    static struct sql_text q = SQL_TEXT("select " APP_LOG " from slack_app_log where " ASKED
                                        " order by at_s desc, id desc "
                                        "limit -1 offset :skip");
    sqlite3_stmt *st = TX_QUERY(tx, &q, ask->workspace, ask->user, ask->app, ask->change, skip);
    struct chat_app_log l;
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        take_app_log(tx, st, &l);
        if (fn(arg, &l)) {
            sql_done(st);
            return 0;
        }
    }
    return r;
}

int chat_app_logs_count(struct tx *tx, const struct chat_app_log_ask *ask, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select count(*) from slack_app_log where " ASKED);
    return TX_INT(tx, &q, ret, ask->workspace, ask->user, ask->app, ask->change) < 0 ? -1 : 0;
}

int chat_app_log_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"workspace", "app",    "user",   "at",
                                          "change",    "scopes", "reason", NULL};
    struct chat_workspace w;
    struct chat_user u;
    struct chat_app_log l = {0};
    int change;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_user(tx, d, v, "user", w.id, &u) < 0 || chat_doc_app(tx, d, v, &l.app) < 0 ||
        doc_enum(d, v, "change", chat_app_changes, 0, &change) < 0 ||
        chat_doc_second(d, v, "at", tx->now_us / 1000000, &l.at_s) < 0 ||
        doc_str(d, v, "scopes", false, &l.scopes) < 0 ||
        doc_str(d, v, "reason", false, &l.reason) < 0)
        return -1;
    if (!u.id || !l.app)
        return doc_fail(d, v, u.id ? "app" : "user", "is missing");
    l.workspace = w.id;
    l.user = u.id;
    l.change = chat_app_changes[change];
    return chat_app_log_add(tx, &l);
}

int chat_app_log_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select " APP_LOG " from slack_app_log where id = :id");
    struct chat_app_log l;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    take_app_log(tx, st, &l);
    sql_done(st);
    if (chat_dump_workspace(tx, w, l.workspace) < 0 || chat_dump_app(tx, w, "app", l.app) < 0 ||
        chat_dump_user(tx, w, "user", l.user) < 0)
        return -1;
    json_int(w, "at", l.at_s);
    json_str(w, "change", l.change);
    json_str_opt(w, "scopes", l.scopes);
    json_str_opt(w, "reason", l.reason);
    return 1;
}
