/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in a workspace. */
#include "engine/text/civil.h"
#include "services/chat/core/impl.h"

const char *const chat_roles[] = {"owner", "coowner",       "admin", "member",
                                  "guest", "channel_guest", NULL};

#define USER                                                                                       \
    "id, workspace, actor, key, name, real_name, display_name, title, phone, pronouns, email, "    \
    "zone, locale, role, bot, deleted, status_text, status_emoji, status_expires_s, presence, "    \
    "active, color, photo, fields, updated_s"

static enum chat_role role_of(const char *name)
{
    int i = 0;
    while (chat_roles[i] && strcmp(chat_roles[i], name) != 0)
        i++;
    return chat_roles[i] ? (enum chat_role)i : CHAT_MEMBER;
}

static void take_user(struct tx *tx, sqlite3_stmt *st, struct chat_user *ret)
{
    *ret = (struct chat_user){.id = sqlite3_column_int64(st, 0),
                              .workspace = sqlite3_column_int64(st, 1),
                              .actor = sqlite3_column_int64(st, 2),
                              .key = tx_string(tx, st, 3),
                              .name = tx_string(tx, st, 4),
                              .real_name = tx_string(tx, st, 5),
                              .display_name = tx_string(tx, st, 6),
                              .title = tx_string(tx, st, 7),
                              .phone = tx_string(tx, st, 8),
                              .pronouns = tx_string(tx, st, 9),
                              .email = tx_string(tx, st, 10),
                              .zone = tx_string(tx, st, 11),
                              .locale = tx_string(tx, st, 12),
                              .role = role_of((const char *)sqlite3_column_text(st, 13)),
                              .bot = sqlite3_column_int(st, 14),
                              .deleted = sqlite3_column_int(st, 15),
                              .status_text = tx_string(tx, st, 16),
                              .status_emoji = tx_string(tx, st, 17),
                              .status_expires_s = sqlite3_column_int64(st, 18),
                              .presence = tx_string(tx, st, 19),
                              .active = sqlite3_column_int(st, 20),
                              .color = tx_string(tx, st, 21),
                              .photo = sqlite3_column_int64(st, 22),
                              .fields = tx_string(tx, st, 23),
                              .updated_s = sqlite3_column_int64(st, 24)};
}

static int read_user(struct tx *tx, sqlite3_stmt *st, struct chat_user *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    take_user(tx, st, ret);
    sql_done(st);
    return 1;
}

int chat_user_get(struct tx *tx, int64_t id, struct chat_user *ret)
{
    static struct sql_text q = SQL_TEXT("select " USER " from chat_user where id = :id");
    return read_user(tx, TX_QUERY(tx, &q, id), ret);
}

int chat_user_find(struct tx *tx, int64_t workspace, const char *key, struct chat_user *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " USER " from chat_user where workspace = :workspace and key = :key");
    return read_user(tx, TX_QUERY(tx, &q, workspace, key), ret);
}

int chat_user_by_name(struct tx *tx, int64_t workspace, const char *name, struct chat_user *ret)
{
    static struct sql_text q = SQL_TEXT("select " USER " from chat_user where "
                                        "workspace = :workspace and name = :name order by id "
                                        "limit 1");
    return read_user(tx, TX_QUERY(tx, &q, workspace, name), ret);
}

int chat_user_by_email(struct tx *tx, int64_t workspace, const char *email, struct chat_user *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " USER " from chat_user where workspace = :workspace and "
                 "email = lower(:email) order by deleted, id limit 1");
    return read_user(tx, TX_QUERY(tx, &q, workspace, email), ret);
}

int chat_user_of(struct tx *tx, int64_t actor, int64_t workspace, struct chat_user *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " USER " from chat_user where actor = :actor and "
                 "(:workspace = 0 or workspace = :workspace) order by id limit 1");
    return read_user(tx, TX_QUERY(tx, &q, actor, workspace), ret);
}

int chat_user_add(struct tx *tx, struct chat_user *u)
{
    static const char *const colors[] = {"9f69e7", "4bbe2e", "e7392d", "3c989f", "674b1b",
                                         "e96699", "e0a729", "684b6c", "5b89d5", "2b6836"};
    static struct sql_text q =
        SQL_TEXT("insert into chat_user (workspace, actor, key, name, real_name, display_name, "
                 "title, phone, pronouns, email, zone, locale, role, bot, deleted, status_text, "
                 "status_emoji, status_expires_s, presence, active, color, photo, fields, "
                 "updated_s) values (:workspace, :actor, :key, :name, :real, :display, :title, "
                 ":phone, :pronouns, :email, :zone, :locale, :role, :bot, :deleted, :status, "
                 ":emoji, :expires, :presence, :active, :color, :photo, :fields, :updated)");
    if (!u->key && !(u->key = chat_key(tx, 'U')))
        return -1;
    if (!u->color)
        u->color = colors[chat_hash(u->key) % SOSIA_LEN(colors)];
    if (TX_RUN(tx, &q, u->workspace, sql_int_or_null(u->actor, 0), u->key, u->name, u->real_name,
               u->display_name, u->title, u->phone, u->pronouns, u->email, u->zone, u->locale,
               chat_roles[u->role], u->bot, u->deleted, u->status_text, u->status_emoji,
               u->status_expires_s, u->presence, u->active, u->color, sql_int_or_null(u->photo, 0),
               u->fields, u->updated_s) < 0)
        return -1;
    u->id = chat_last_id(tx);
    chat_tell(tx, CHAT_EV_USER, OP_ADDED, u->workspace, u->id, NULL, NULL);
    return 0;
}

int chat_user_save(struct tx *tx, struct chat_user *u, const char *const *members)
{
    static struct sql_text q = SQL_TEXT(
        "update chat_user set name = :name, real_name = :real, display_name = :display, "
        "title = :title, phone = :phone, pronouns = :pronouns, email = :email, zone = :zone, "
        "locale = :locale, role = :role, deleted = :deleted, status_text = :status, "
        "status_emoji = :emoji, status_expires_s = :expires, presence = :presence, "
        "active = :active, photo = :photo, fields = :fields, updated_s = :updated where id = :id");
    u->updated_s = tx->now_us / US_PER_SECOND;
    if (TX_RUN(tx, &q, u->name, u->real_name, u->display_name, u->title, u->phone, u->pronouns,
               u->email, u->zone, u->locale, chat_roles[u->role], u->deleted, u->status_text,
               u->status_emoji, u->status_expires_s, u->presence, u->active,
               sql_int_or_null(u->photo, 0), u->fields, u->updated_s, u->id) < 0)
        return -1;
    chat_tell(tx, CHAT_EV_USER, OP_CHANGED, u->workspace, u->id, members, NULL);
    return 0;
}

int chat_users(struct tx *tx, int64_t workspace, const char *from,
               int (*fn)(void *arg, const struct chat_user *u), void *arg)
{
    static struct sql_text q = SQL_TEXT("select " USER " from chat_user where "
                                        "workspace = :workspace and key >= :from order by key");
    sqlite3_stmt *st = TX_QUERY(tx, &q, workspace, from ? from : "");
    struct chat_user u;
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        take_user(tx, st, &u);
        if (fn(arg, &u)) {
            sql_done(st);
            return 0;
        }
    }
    return r;
}
