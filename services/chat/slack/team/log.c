/* SPDX-License-Identifier: Apache-2.0 */
/* Logs of a workspace, and their sections of seed documents. */
#include "services/chat/slack/team/log.h"
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"

const char *const chat_app_changes[] = {"added", "removed", "enabled", "disabled", "updated", NULL};

/* ---- who came in ---- */

static int check_login(const struct form_in *in, void *row)
{
    struct chat_login *l = row;
    chat_unsaid_now(in->tx, &l->first_s);
    if (l->last_s == CHAT_UNSAID)
        l->last_s = l->first_s;
    return l->last_s >= l->first_s ? 0
                                   : doc_fail(in->d, json_get(in->value, "last"), "last",
                                              "must not be before the first");
}

static const struct member login_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_login),
    {"user", "The person", CHAT_USER_AT(struct chat_login, user), .flags = MEMBER_REQUIRED},
    {"first", "The first time; else now", CHAT_SECOND_AT(struct chat_login, first_s),
     .usual = CHAT_UNSAID},
    {"last", "The last time; else the first", CHAT_SECOND_AT(struct chat_login, last_s),
     .usual = CHAT_UNSAID},
    {"count", "How often", INT_AT(struct chat_login, count, 1, CHAT_LAST_SECOND), .usual = 1,
     .flags = MEMBER_ALWAYS},
    {"ip", "An address", TEXT_AT(struct chat_login, ip), .flags = MEMBER_REQUIRED},
    {"agent", "The program's User-Agent", TEXT_AT(struct chat_login, agent),
     .flags = MEMBER_REQUIRED},
    {"isp", "The provider", TEXT_AT(struct chat_login, isp)},
    {"country", "Where it was", TEXT_AT(struct chat_login, country)},
    {"region", "Where in it", TEXT_AT(struct chat_login, region)},
};
STORED(slack_login_stored, "A person who came in from an address", struct chat_login, login_members,
       check_login, .table = "slack_login");

int chat_logins(struct tx *tx, int64_t workspace, int64_t before_s, int64_t skip,
                int (*fn)(void *arg, const struct chat_login *l), void *arg)
{
    static struct sql_text q =
        SQL_TEXT("where workspace = :workspace and first_s <= "
                 ":before order by last_s desc, id desc limit -1 offset :skip");
    sqlite3_stmt *st = STORED_QUERY(tx, &slack_login_stored, &q, workspace, before_s, skip);
    struct chat_login l;
    int r;
    while ((r = stored_next(tx, &slack_login_stored, st, &l)) == 1)
        if (fn(arg, &l)) {
            sql_done(st);
            return 0;
        }
    return r;
}

int chat_logins_count(struct tx *tx, int64_t workspace, int64_t before_s, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select count(*) from slack_login where workspace = "
                                        ":workspace and first_s <= :before");
    return TX_INT(tx, &q, ret, workspace, before_s) < 0 ? -1 : 0;
}

/* ---- what was done with apps ---- */

static int check_app_log(const struct form_in *in, void *row)
{
    return chat_unsaid_now(in->tx, &((struct chat_app_log *)row)->at_s);
}

static int add_app_log(const struct form_in *in, void *row)
{
    return chat_app_log_add(in->tx, row);
}

static const struct member app_log_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_app_log),
    {"app", "The app", CHAT_APP_AT(struct chat_app_log, app), .flags = MEMBER_REQUIRED},
    {"user", "The person who did it", CHAT_USER_AT(struct chat_app_log, user),
     .flags = MEMBER_REQUIRED},
    {"at", "Its time; else now", CHAT_SECOND_AT(struct chat_app_log, at_s), .usual = CHAT_UNSAID},
    {"change", "What was done", WORD_AT(struct chat_app_log, change, chat_app_changes),
     .usual_text = "added", .flags = MEMBER_ALWAYS},
    {"scopes", "Those that it got", TEXT_AT(struct chat_app_log, scopes)},
    {"reason", "Why", TEXT_AT(struct chat_app_log, reason)},
};
STORED(slack_app_log_stored, "What was done with an app", struct chat_app_log, app_log_members,
       check_app_log, .table = "slack_app_log", .add = add_app_log);

int chat_app_log_add(struct tx *tx, const struct chat_app_log *l)
{
    static struct sql_text old = SQL_TEXT(
        "delete from slack_app_log where id in (select id from slack_app_log where workspace = "
        ":workspace order by at_s desc, id desc limit -1 offset :max)");
    return stored_add(tx, &slack_app_log_stored, l) < 0
               ? -1
               : TX_RUN(tx, &old, l->workspace, CHAT_APP_LOG_MAX);
}

#define ASKED                                                                                      \
    "workspace = :workspace and (:user = 0 or user = :user) and (:app = 0 or app = :app) and "     \
    "(:change is null or change = :change)"

int chat_app_logs(struct tx *tx, const struct chat_app_log_ask *ask, int64_t skip,
                  int (*fn)(void *arg, const struct chat_app_log *l), void *arg)
{
    static struct sql_text q = SQL_TEXT("where " ASKED " order by at_s desc, id desc "
                                        "limit -1 offset :skip");
    struct stored *t = &slack_app_log_stored;
    sqlite3_stmt *st =
        STORED_QUERY(tx, t, &q, ask->workspace, ask->user, ask->app, ask->change, skip);
    struct chat_app_log l;
    int r;
    while ((r = stored_next(tx, t, st, &l)) == 1)
        if (fn(arg, &l)) {
            sql_done(st);
            return 0;
        }
    return r;
}

int chat_app_logs_count(struct tx *tx, const struct chat_app_log_ask *ask, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select count(*) from slack_app_log where " ASKED);
    return TX_INT(tx, &q, ret, ask->workspace, ask->user, ask->app, ask->change) < 0 ? -1 : 0;
}
