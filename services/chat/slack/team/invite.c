/* SPDX-License-Identifier: Apache-2.0 */
/* Invitations of other workspaces into a channel, and their section of seed documents. */
#include "services/chat/slack/team/invite.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/store.h"

const char *const chat_invite_states[] = {"open",     "accepted", "approved",
                                          "declined", "revoked",  NULL};

#define INVITE                                                                                     \
    "i.id, i.key, i.channel, i.inviter, i.request, i.email, i.user, i.team, "                      \
    "i.state, i.limited, "                                                                         \
    "i.host_agrees, i.guest_agrees, i.name, i.created_s, i.updated_s, "                            \
    "i.expires_s"

static void take_invite(struct tx *tx, sqlite3_stmt *st, struct chat_invite *ret)
{
    *ret = (struct chat_invite){.id = sqlite3_column_int64(st, 0),
                                .key = tx_string(tx, st, 1),
                                .channel = sqlite3_column_int64(st, 2),
                                .inviter = sqlite3_column_int64(st, 3),
                                .request = sqlite3_column_int(st, 4),
                                .email = tx_string(tx, st, 5),
                                .user = sqlite3_column_int64(st, 6),
                                .team = sqlite3_column_int64(st, 7),
                                .state = (enum chat_invite_state)sqlite3_column_int(st, 8),
                                .limited = sqlite3_column_int(st, 9),
                                .host_agrees = sqlite3_column_int(st, 10),
                                .guest_agrees = sqlite3_column_int(st, 11),
                                .name = tx_string(tx, st, 12),
                                .created_s = sqlite3_column_int64(st, 13),
                                .updated_s = sqlite3_column_int64(st, 14),
                                .expires_s = sqlite3_column_int64(st, 15)};
}

int chat_invite_find(struct tx *tx, const char *key, struct chat_invite *ret)
{
    static struct sql_text q = SQL_TEXT("select " INVITE " from slack_invite i where i.key = :key");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, key);
    if (r != 1)
        return r;
    take_invite(tx, st, ret);
    sql_done(st);
    return 1;
}

int chat_invite_waits(struct tx *tx, const struct chat_invite *i)
{
    static struct sql_text q = SQL_TEXT(
        "select 1 from slack_invite where channel = :channel and not request and state <= 1 and "
        "expires_s > :now and (email = :email collate nocase or user = :user) limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, i->channel, tx->now_us / US_PER_SECOND, i->email,
                  sql_int_or_null(i->user, 0));
}

int chat_invite_add(struct tx *tx, struct chat_invite *i)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_invite (key, channel, inviter, request, email, user, team, "
                 "state, limited, host_agrees, guest_agrees, name, created_s, updated_s, "
                 "expires_s) values (:key, :channel, :inviter, :request, :email, :user, :team, "
                 ":state, :limited, :host, :guest, :name, :created, :updated, :expires)");
    if ((!i->key && !(i->key = chat_secret_key(tx, 'I'))) ||
        TX_RUN(tx, &q, i->key, i->channel, i->inviter, i->request, i->email,
               sql_int_or_null(i->user, 0), sql_int_or_null(i->team, 0), i->state, i->limited,
               i->host_agrees, i->guest_agrees, i->name, i->created_s, i->updated_s,
               i->expires_s) < 0)
        return -1;
    i->id = chat_last_id(tx);
    return 0;
}

int chat_invite_save(struct tx *tx, struct chat_invite *i)
{
    static struct sql_text q =
        SQL_TEXT("update slack_invite set request = :request, user = :user, team = :team, state = "
                 ":state, limited = :limited, host_agrees = :host, guest_agrees = :guest, name = "
                 ":name, updated_s = :updated where id = :id");
    i->updated_s = tx->now_us / US_PER_SECOND;
    return TX_RUN(tx, &q, i->request, sql_int_or_null(i->user, 0), sql_int_or_null(i->team, 0),
                  i->state, i->limited, i->host_agrees, i->guest_agrees, i->name, i->updated_s,
                  i->id);
}

int chat_invites(struct tx *tx, int64_t workspace, bool requests, int64_t from,
                 int (*fn)(void *arg, const struct chat_invite *i), void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select " INVITE " from slack_invite i where (" CHAT_SQL_CHANNEL_WORKSPACE(
            "i.channel") " = :workspace or (i.team = :workspace and not i.request)) and i.request "
                         "= :requests and (:from = 0 or i.id <= :from) order by i.id desc");
    sqlite3_stmt *st = TX_QUERY(tx, &q, workspace, requests, from);
    struct chat_invite i;
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        take_invite(tx, st, &i);
        if (fn(arg, &i)) {
            sql_done(st);
            return 0;
        }
    }
    return r;
}

/* ---- seed documents ---- */

int chat_invite_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {
        "workspace", "id",   "channel", "by",   "request", "email",   "team",    "user", "state",
        "limited",   "host", "guest",   "name", "created", "updated", "expires", NULL};
    int64_t now = tx->now_us / US_PER_SECOND;
    struct chat_workspace w;
    struct chat_channel ch;
    struct chat_user by, u;
    struct chat_invite i = {0};
    int state;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_channel(tx, d, v, w.id, &ch) < 0 || chat_doc_key(d, v, "I", &i.key) < 0 ||
        chat_doc_user(tx, d, v, "by", w.id, &by) < 0 ||
        doc_bool(d, v, "request", false, &i.request) < 0 ||
        doc_str(d, v, "email", false, &i.email) < 0 ||
        chat_doc_other(tx, d, v, "team", &i.team) < 0 ||
        chat_doc_user(tx, d, v, "user", i.team, &u) < 0 ||
        doc_enum(d, v, "state", chat_invite_states, 0, &state) < 0 ||
        doc_bool(d, v, "limited", false, &i.limited) < 0 ||
        doc_bool(d, v, "host", false, &i.host_agrees) < 0 ||
        doc_bool(d, v, "guest", false, &i.guest_agrees) < 0 ||
        doc_str(d, v, "name", false, &i.name) < 0 ||
        chat_doc_second(d, v, "created", now, &i.created_s) < 0 ||
        chat_doc_second(d, v, "updated", i.created_s, &i.updated_s) < 0 ||
        chat_doc_second(d, v, "expires", i.created_s + CHAT_INVITE_SECONDS, &i.expires_s) < 0)
        return -1;
    if (!by.id)
        return doc_fail(d, v, "by", "is missing");
    i.channel = ch.id;
    i.inviter = by.id;
    i.user = u.id;
    i.state = (enum chat_invite_state)state;
    return chat_doc_added(tx, d, v, "id", chat_invite_add(tx, &i));
}

int chat_invite_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select " INVITE " from slack_invite i where i.id = :id");
    struct chat_workspace team;
    struct chat_channel ch;
    struct chat_invite i;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    take_invite(tx, st, &i);
    sql_done(st);
    if ((r = chat_channel_get(tx, i.channel, &ch)) != 1)
        return r;
    if (chat_dump_workspace(tx, w, ch.workspace) < 0)
        return -1;
    json_str(w, "id", i.key);
    json_str(w, "channel", ch.key);
    if (chat_dump_user(tx, w, "by", i.inviter) < 0)
        return -1;
    json_bool_opt(w, "request", i.request);
    json_str_opt(w, "email", i.email);
    if (i.team && (r = chat_workspace_get(tx, i.team, &team)) == 1)
        json_str(w, "team", team.key);
    if (r < 0 || chat_dump_user(tx, w, "user", i.user) < 0)
        return -1;
    chat_dump_unless(w, "state", chat_invite_states[i.state], "open");
    json_bool_opt(w, "limited", i.limited);
    json_bool_opt(w, "host", i.host_agrees);
    json_bool_opt(w, "guest", i.guest_agrees);
    json_str_opt(w, "name", i.name);
    json_int(w, "created", i.created_s);
    json_int(w, "updated", i.updated_s);
    json_int(w, "expires", i.expires_s);
    return 1;
}
