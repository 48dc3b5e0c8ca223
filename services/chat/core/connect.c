/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of shared channels and of invitations to them, and their section of seed documents. */
#include "services/chat/core/connect.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/core/impl.h"

const char *const chat_invite_states[] = {"open",     "accepted", "approved",
                                          "declined", "revoked",  NULL};

/* ---- who is connected ---- */

int chat_connect_of(struct tx *tx, int64_t channel, int64_t workspace, struct chat_connect *ret)
{
    static struct sql_text q = SQL_TEXT("select id, limited, since_s from chat_connect where "
                                        "channel = :channel and workspace = :workspace");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, channel, workspace);
    if (r != 1)
        return r;
    *ret = (struct chat_connect){.id = sqlite3_column_int64(st, 0),
                                 .channel = channel,
                                 .workspace = workspace,
                                 .limited = sqlite3_column_int(st, 1),
                                 .since_s = sqlite3_column_int64(st, 2)};
    sql_done(st);
    return 1;
}

int chat_connect_add(struct tx *tx, const struct chat_connect *k)
{
    static struct sql_text q = SQL_TEXT("insert into chat_connect (channel, workspace, limited, "
                                        "since_s) values (:channel, :workspace, :limited, :since)");
    return TX_RUN(tx, &q, k->channel, k->workspace, k->limited, k->since_s);
}

int chat_connect_limit(struct tx *tx, int64_t id, bool limited)
{
    static struct sql_text q =
        SQL_TEXT("update chat_connect set limited = :limited where id = :id");
    return TX_RUN(tx, &q, limited, id);
}

int chat_connect_end(struct tx *tx, struct chat_channel *ch, int64_t workspace)
{
    static struct sql_text q =
        SQL_TEXT("delete from chat_connect where channel = :channel and workspace = :workspace");
    struct chat_user u;
    int64_t *users;
    size_t n;
    if (chat_members(tx, ch->id, NULL, INT64_MAX, &users, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (chat_user_get(tx, users[i], &u) < 0 ||
            (u.workspace == workspace && chat_member_remove(tx, ch, u.id, 0) < 0))
            return -1;
    return TX_RUN(tx, &q, ch->id, workspace);
}

static int each_workspace(struct tx *tx, sqlite3_stmt *st,
                          int (*fn)(void *arg, const struct chat_workspace *w), void *arg)
{
    struct chat_workspace w;
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        int rc = chat_workspace_get(tx, sqlite3_column_int64(st, 0), &w);
        if (rc < 0 || (rc && fn(arg, &w))) {
            sql_done(st);
            return rc < 0 ? -1 : 0;
        }
    }
    return r;
}

int chat_connects(struct tx *tx, int64_t channel,
                  int (*fn)(void *arg, const struct chat_workspace *w), void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select w.id from chat_connect k join chat_workspace w on w.id = k.workspace "
                 "where k.channel = :channel order by w.key");
    return each_workspace(tx, TX_QUERY(tx, &q, channel), fn, arg);
}

#define SHARED_WITH                                                                                \
    "select k.workspace as other, c.workspace as host from chat_connect k join "                   \
    "chat_channel c on "                                                                           \
    "c.id = k.channel"

int chat_connected(struct tx *tx, int64_t a, int64_t b)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from (select x.workspace from (select channel from chat_connect where "
                 "workspace = :a union all select id from chat_channel where workspace = :a and id "
                 "in (select channel from chat_connect)) mine join (select channel, workspace from "
                 "chat_connect union all select id, workspace from chat_channel) x on x.channel = "
                 "mine.channel where x.workspace = :b limit 1)");
    int64_t one;
    return TX_INT(tx, &q, &one, a, b);
}

int chat_connected_with(struct tx *tx, int64_t workspace,
                        int (*fn)(void *arg, const struct chat_workspace *w), void *arg)
{
    static struct sql_text q = SQL_TEXT(
        "select w.id from chat_workspace w where w.id <> :workspace and w.id in (select host from "
        "(" SHARED_WITH ") where other = :workspace union select other from (" SHARED_WITH
        ") where host = :workspace union select b.workspace from chat_connect a join chat_connect "
        "b on b.channel = a.channel where a.workspace = :workspace) order by w.key");
    return each_workspace(tx, TX_QUERY(tx, &q, workspace), fn, arg);
}

/* ---- invitations ---- */

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
    static struct sql_text q = SQL_TEXT("select " INVITE " from chat_invite i where i.key = :key");
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
        "select 1 from chat_invite where channel = :channel and not request and state <= 1 and "
        "expires_s > :now and (email = :email collate nocase or user = :user) limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, i->channel, tx->now_us / US_PER_SECOND, i->email,
                  sql_int_or_null(i->user, 0));
}

int chat_invite_add(struct tx *tx, struct chat_invite *i)
{
    static struct sql_text q =
        SQL_TEXT("insert into chat_invite (key, channel, inviter, request, email, user, team, "
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
        SQL_TEXT("update chat_invite set request = :request, user = :user, team = :team, state = "
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
        SQL_TEXT("select " INVITE
                 " from chat_invite i join chat_channel c on c.id = i.channel where (c.workspace = "
                 ":workspace or (i.team = :workspace and not i.request)) and i.request = :requests "
                 "and (:from = 0 or i.id <= :from) order by i.id desc");
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

/* Another workspace by its id or domain. */
static int team_of(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                   int64_t *ret)
{
    struct chat_workspace w;
    const char *name;
    *ret = 0;
    if (doc_str(d, v, member, false, &name) < 0)
        return -1;
    int r = name ? chat_workspace_find(tx, name, &w) : 0;
    if (r == 1)
        *ret = w.id;
    return r < 0 ? -1
           : r || !name
               ? 0
               : doc_fail(d, json_get(v, member), member, "there is no workspace \"%.80s\"", name);
}

int chat_shared_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"workspace", "channel", "with", "members",
                                          "limited",   "since",   NULL};
    struct chat_workspace w;
    struct chat_channel ch;
    struct chat_connect k;
    const char **names;
    size_t n;
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_channel(tx, d, v, w.id, &ch) < 0 || team_of(tx, d, v, "with", &k.workspace) < 0 ||
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
        doc_str(d, v, "email", false, &i.email) < 0 || team_of(tx, d, v, "team", &i.team) < 0 ||
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
    static struct sql_text q = SQL_TEXT("select " INVITE " from chat_invite i where i.id = :id");
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
