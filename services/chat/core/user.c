/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in a workspace. */
#include "engine/blob/blob.h"
#include "engine/store/row.h"
#include "engine/text/civil.h"
#include "engine/world/columns.h"
#include "services/chat/core/impl.h"
#include <ctype.h>

const char *const chat_roles[] = {"owner", "coowner",       "admin", "member",
                                  "guest", "channel_guest", NULL};

#define CHANGED(X)                                                                                 \
    X(real_name, real_name, STRING)                                                                \
    X(display_name, display_name, STRING)                                                          \
    X(title, title, STRING)                                                                        \
    X(phone, phone, STRING)                                                                        \
    X(pronouns, pronouns, STRING)                                                                  \
    X(email, email, STRING)                                                                        \
    X(zone, zone, STRING)                                                                          \
    X(locale, locale, STRING)                                                                      \
    X(role, role, ROLE)                                                                            \
    X(bot, bot, NUMBER)                                                                            \
    X(deleted, deleted, NUMBER)                                                                    \
    X(status_text, status_text, STRING)                                                            \
    X(status_emoji, status_emoji, STRING)                                                          \
    X(status_expires_s, status_expires_s, NUMBER)                                                  \
    X(presence, presence, STRING)                                                                  \
    X(active, active, NUMBER)                                                                      \
    X(color, color, STRING)                                                                        \
    X(photo, photo, ID)                                                                            \
    X(fields, fields, STRING)                                                                      \
    X(updated_s, updated_s, NUMBER)
#define USER(X)                                                                                    \
    X(workspace, workspace, NUMBER)                                                                \
    X(actor, actor, ID) X(key, key, STRING) X(name, name, STRING) CHANGED(X)
#define SELECTED                  "id" USER(COLUMN_NAME)
#define COLUMN_TAKE_ROLE(rec, at) role_of(record_text(rec, at))
#define COLUMN_VALUE_ROLE(v)      chat_roles[v]

static enum chat_role role_of(const char *name)
{
    int i = 0;
    while (chat_roles[i] && strcmp(chat_roles[i], name) != 0)
        i++;
    return chat_roles[i] ? (enum chat_role)i : CHAT_MEMBER;
}

/* r: what looking for the row gave, which is passed on. */
static int user_of(int r, struct record *rec, struct chat_user *row)
{
    unsigned at = 1;
    if (r == 1) {
        row->id = record_int(rec, 0);
        USER(COLUMN_TAKE)
    }
    return r;
}

static int read_user(struct tx *tx, sqlite3_stmt *st, struct chat_user *ret)
{
    struct record rec = {.arena = tx->arena};
    return user_of(ROW_ONLY(tx, st, &rec), &rec, ret);
}

int chat_user_get(struct tx *tx, int64_t id, struct chat_user *ret)
{
    static struct row_table table = ROW_TABLE("chat_user", "u", SELECTED);
    struct record rec = {.arena = tx->arena};
    return user_of(ROW_BY_ID(tx, &table, id, &rec), &rec, ret);
}

int chat_user_find(struct tx *tx, int64_t workspace, const char *key, struct chat_user *ret)
{
    static struct row_key q = ROW_KEY("chat_user", "u", SELECTED, "workspace = ?1 and key = ?2");
    struct record rec = {.arena = tx->arena};
    return user_of(ROW_BY_KEY(tx, &q, &rec, workspace, key), &rec, ret);
}

int chat_user_by_name(struct tx *tx, int64_t workspace, const char *name, struct chat_user *ret)
{
    static struct row_key first =
        ROW_KEY("chat_user", "u", SELECTED, "workspace = ?1 and name = ?2");
    static struct sql_text q = SQL_TEXT("select " SELECTED " from chat_user where "
                                        "workspace = :workspace and name = :name order by "
                                        "deleted, id limit 1");
    struct record rec = {.arena = tx->arena};
    int r = user_of(ROW_BY_KEY(tx, &first, &rec, workspace, name), &rec, ret);
    if (r != 1 || !ret->deleted) /* nearly always */
        return r;
    return read_user(tx, TX_QUERY(tx, &q, workspace, name), ret);
}

int chat_user_by_email(struct tx *tx, int64_t workspace, const char *email, struct chat_user *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " SELECTED " from chat_user where workspace = :workspace and "
                 "email = lower(:email) order by deleted, id limit 1");
    return read_user(tx, TX_QUERY(tx, &q, workspace, email), ret);
}

int chat_user_of(struct tx *tx, int64_t actor, int64_t workspace, struct chat_user *ret)
{
    static struct row_key anywhere = ROW_KEY("chat_user", "u", SELECTED, "actor = ?1");
    static struct sql_text q =
        SQL_TEXT("select " SELECTED " from chat_user where actor = :actor and "
                 "workspace = :workspace order by id limit 1");
    struct record rec = {.arena = tx->arena};
    return workspace ? read_user(tx, TX_QUERY(tx, &q, actor, workspace), ret)
                     : user_of(ROW_BY_KEY(tx, &anywhere, &rec, actor), &rec, ret);
}

/* "Ada Conti" and ada.c@acme.example give "ada.c": lower case, and only what a name may have. */
static const char *name_from(struct arena *a, const char *text)
{
    char *name = arena_strdup(a, text);
    size_t n = 0;
    for (const char *p = text; *p && *p != '@' && n < 80; p++) {
        unsigned char c = (unsigned char)*p;
        if (isalnum(c) || c == '.' || c == '_' || c == '-' || c >= 0x80)
            name[n++] = (char)(c < 0x80 ? tolower(c) : c);
    }
    name[n] = 0;
    return n ? name : "user";
}

struct chat_user chat_new_user(struct tx *tx, const struct chat_workspace *w, const struct actor *a)
{
    bool bot = strcmp(a->kind, "bot") == 0 || strcmp(a->kind, "app") == 0;
    return (struct chat_user){.workspace = w->id,
                              .actor = a->id,
                              .name = name_from(tx->arena, *a->email ? a->email : a->handle),
                              .real_name = a->name,
                              .display_name = "",
                              .title = "",
                              .phone = "",
                              .pronouns = "",
                              .email = *a->email && !bot ? a->email : NULL,
                              .zone = a->zone,
                              .locale = strlen(a->locale) == 2 ? "en-US" : a->locale,
                              .role = CHAT_MEMBER,
                              .bot = bot,
                              .status_text = "",
                              .status_emoji = "",
                              .presence = "auto",
                              .active = !bot,
                              .updated_s = w->created_s};
}

int chat_user_add(struct tx *tx, struct chat_user *row)
{
    static const char *const colors[] = {"9f69e7", "4bbe2e", "e7392d", "3c989f", "674b1b",
                                         "e96699", "e0a729", "684b6c", "5b89d5", "2b6836"};
    static struct sql_text q =
        SQL_TEXT("insert into chat_user (id" USER(COLUMN_NAME) ") values (?" USER(COLUMN_MARK) ")");
    if (!row->key && !(row->key = chat_new_key(tx, chat_vendor_of(tx, row->workspace),
                                               CHAT_THING_USER, CHAT_PUBLIC, row)))
        return -1;
    if (!row->color)
        row->color = colors[chat_hash(row->key) % SOSIA_LEN(colors)];
    if (TX_RUN(tx, &q, sql_null() USER(COLUMN_VALUE)) < 0)
        return -1;
    row->id = chat_last_id(tx);
    chat_notify(tx, CHAT_EV_USER, OP_ADDED, row->workspace, row->id, NULL, NULL);
    return 0;
}

int chat_user_save(struct tx *tx, struct chat_user *row, const char *const *members)
{
    static struct sql_text q =
        SQL_TEXT("update chat_user set name = ?" CHANGED(COLUMN_SET) " where id = ?");
    row->updated_s = tx->now_us / US_PER_SECOND;
    if (TX_RUN(tx, &q, row->name CHANGED(COLUMN_VALUE), row->id) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_USER, OP_CHANGED, row->workspace, row->id, members, NULL);
    return 0;
}

int chat_users(struct tx *tx, int64_t workspace, const char *from,
               int (*fn)(void *arg, const struct chat_user *u), void *arg)
{
    static struct sql_text q = SQL_TEXT("select " SELECTED " from chat_user where "
                                        "workspace = :workspace and key >= :from order by key");
    sqlite3_stmt *st = TX_QUERY(tx, &q, workspace, from ? from : "");
    struct record rec = {.arena = tx->arena};
    struct chat_user u;
    int r;
    while ((r = user_of(ROW_NEXT(tx, st, &rec), &rec, &u)) == 1) {
        record_keep(&rec);
        if (fn(arg, &u)) {
            sql_done(st);
            return 0;
        }
    }
    return r;
}

/* Each row that names a blob has a reference of it. */
int chat_photos_derive(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select photo from chat_user where photo is not null order by id");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1)
        if (blob_ref(tx, sqlite3_column_int64(st, 0)) < 0) {
            sql_done(st);
            return -1;
        }
    return r;
}
