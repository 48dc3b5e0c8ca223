/* SPDX-License-Identifier: Apache-2.0 */
/* What people and channels may do with documents and lists. */
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/files/document.h"
#include "services/chat/slack/store.h"

const char *const chat_levels[] = {"read", "write", "owner", NULL};

#define IS_MEMBER CHAT_SQL_IS_MEMBER("a.channel", ":user")
#define IS_PUBLIC CHAT_SQL_CHANNEL_IS_PUBLIC("a.channel")
#define WORKSPACE CHAT_SQL_CHANNEL_WORKSPACE("a.channel")
#define AS_NUMBER "case a.level when 'owner' then 3 when 'write' then 2 else 1 end"

int chat_level_of(struct tx *tx, const struct chat_file *f, const struct chat_user *u,
                  enum chat_level *ret)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(max(case when a.user = :user or " IS_MEMBER " then " AS_NUMBER
                 " when " IS_PUBLIC " and " WORKSPACE " = :workspace and :whole then 1 else 0 "
                 "end), 0) from slack_access a where a.file = :file");
    int64_t level = 0;
    if (TX_INT(tx, &q, &level, u->id, u->workspace, u->role < CHAT_GUEST, f->id) < 0)
        return -1;
    *ret = (enum chat_level)level;
    return 0;
}

int chat_level_said(struct tx *tx, int64_t file, int64_t channel, int64_t user,
                    enum chat_level *ret)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(max(" AS_NUMBER "), 0) from slack_access a where a.file = :file "
                 "and coalesce(a.channel, 0) = :channel and coalesce(a.user, 0) = :user");
    int64_t level = 0;
    if (TX_INT(tx, &q, &level, file, channel, user) < 0)
        return -1;
    *ret = (enum chat_level)level;
    return 0;
}

int chat_level_set(struct tx *tx, const struct chat_file *f, int64_t channel, int64_t user,
                   enum chat_level level)
{
    static struct sql_text drop =
        SQL_TEXT("delete from slack_access where file = :file and coalesce(channel, 0) = :channel "
                 "and coalesce(user, 0) = :user");
    static struct sql_text unshare = SQL_TEXT(
        "delete from slack_share where file = :file and channel = :channel and message = 0");
    static struct sql_text change =
        SQL_TEXT("update slack_access set level = :level where file = :file and "
                 "coalesce(channel, 0) = :channel and coalesce(user, 0) = :user");
    static struct sql_text add = SQL_TEXT("insert into slack_access (file, channel, user, level) "
                                          "values (:file, :channel, :user, :level)");
    if (level == CHAT_MAY_NOTHING)
        return TX_RUN(tx, &drop, f->id, channel, user) < 0 ||
                       (channel && TX_RUN(tx, &unshare, f->id, channel) < 0)
                   ? -1
                   : 0;
    const char *name = chat_levels[level - 1];
    if (TX_RUN(tx, &change, name, f->id, channel, user) < 0)
        return -1;
    if (!sqlite3_changes(slot_db(tx->db)) &&
        TX_RUN(tx, &add, f->id, sql_int_or_null(channel, 0), sql_int_or_null(user, 0), name) < 0)
        return -1;
    return channel ? chat_file_share(tx, f, channel, 0) : 0;
}

int chat_level_owner(struct tx *tx, int64_t file, int64_t *ret_user)
{
    static struct sql_text q =
        SQL_TEXT("select user from slack_access where file = :file and level = 'owner' and user is "
                 "not null order by id limit 1");
    *ret_user = 0;
    return TX_INT(tx, &q, ret_user, file) < 0 ? -1 : 0;
}

int chat_levels_each(struct tx *tx, int64_t file,
                     int (*fn)(void *arg, int64_t channel, int64_t user, enum chat_level level),
                     void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(a.channel, 0), coalesce(a.user, 0), " AS_NUMBER
                 " from slack_access a where a.file = :file order "
                 "by a.id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, file);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1)
        if (fn(arg, sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1),
               (enum chat_level)sqlite3_column_int(st, 2))) {
            sql_done(st);
            return 0;
        }
    return r;
}

/* ---- seed documents: the members of documents and lists ---- */

const struct reference chat_file_reference = {.noun = "the id of a file"};

int chat_read_file(const struct form_in *in, const struct member *m, void *row)
{
    const char *key, *mode = m->names[0];
    struct chat_file f;
    if (doc_str(in->d, in->value, m->name, true, &key) < 0)
        return -1;
    int r = chat_file_find(in->tx, *(const int64_t *)row, key, &f);
    if (r == 1)
        r = strcmp(f.mode, mode) == 0 && f.state == CHAT_FILE_THERE;
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(in->d, json_get(in->value, m->name), m->name,
                                "there is no file \"%.80s\" with the mode %s", key, mode);
    member_put_number(m, row, f.id);
    return 0;
}

int chat_write_file(const struct form_out *out, const struct member *m, const void *row)
{
    static struct sql_text q = SQL_TEXT("select key from slack_file where id = :id");
    return dump_key(out->tx, out->w, m->name, &q, member_number(m, row));
}

int chat_write_workspace_of_file(const struct form_out *out, const struct member *m,
                                 const void *row)
{
    struct chat_file f;
    return chat_file_get(out->tx, member_number(m, row), &f) != 1
               ? -1
               : chat_dump_workspace(out->tx, out->w, f.workspace);
}

/* ---- who may do what ---- */

struct access {
    int64_t workspace, file, channel, user;
    int level;
};

static int check_access(const struct form_in *in, void *row)
{
    const struct access *a = row;
    return !a->user == !a->channel
               ? doc_fail(in->d, in->value, NULL, "must have either a user or a channel")
               : 0;
}

static int add_access(const struct form_in *in, void *row)
{
    const struct access *a = row;
    struct chat_file f;
    return chat_file_get(in->tx, a->file, &f) != 1
               ? -1
               : chat_level_set(in->tx, &f, a->channel, a->user, (enum chat_level)(a->level + 1));
}

static const struct member access_members[] = {
    {.kind = MEMBER_INT, MEMBER_TYPED(struct access, file, int64_t)},
    {"channel", "The members of a channel", CHAT_CHANNEL_AT(struct access, channel)},
    {"user", "Or a user", CHAT_USER_AT(struct access, user)},
    {"level", "What they may do", ENUM_AT(struct access, level, chat_levels),
     .flags = MEMBER_SPOKEN | MEMBER_ALWAYS},
};
const struct form chat_access_form = {.about = "Who may do what with a file",
                                      .members = access_members,
                                      .n = SOSIA_LEN(access_members),
                                      .size = sizeof(struct access),
                                      .check = check_access};
static struct stored access_stored = {
    .form = &chat_access_form, .table = "slack_access", .add = add_access};

static int begin_access(const struct form_in *in, void *row, int64_t file)
{
    struct access *a = row;
    a->workspace = *(const int64_t *)in->of;
    a->file = file;
    return 0;
}

struct stored_rows chat_access_rows = {&access_stored, SQL_TEXT("where file = ?1 order by id"),
                                       begin_access};

int chat_add_access(const struct form_in *in, const struct member *m, void *row, int64_t id)
{
    const struct json *list = json_get(in->value, m->name);
    struct chat_file f;
    if (list && list->type != JSON_NULL)
        return stored_add_rows(in, m, row, id);
    return chat_file_get(in->tx, id, &f) != 1 ? -1
                                              : chat_level_set(in->tx, &f, 0, f.user, CHAT_MAY_ALL);
}
