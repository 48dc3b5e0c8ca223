/* SPDX-License-Identifier: Apache-2.0 */
/* Channels, and who is in them. */
#include "engine/store/row.h"
#include "engine/text/civil.h"
#include "engine/world/columns.h"
#include "services/chat/core/impl.h"
#include <stdlib.h>

const char *const chat_kinds[] = {"public", "private", "direct", "group", NULL};
const char *const chat_postings[] = {"all", "read_only", "thread_only", "no_threads", NULL};

#define CHANGED(X)                                                                                 \
    X(name, name, STRING)                                                                          \
    X(pair, pair, STRING)                                                                          \
    X(creator, creator, ID)                                                                        \
    X(created_s, created_s, NUMBER)                                                                \
    X(updated_us, updated_us, NUMBER)                                                              \
    X(topic, topic, STRING)                                                                        \
    X(topic_by, topic_by, ID)                                                                      \
    X(topic_s, topic_s, NUMBER)                                                                    \
    X(purpose, purpose, STRING)                                                                    \
    X(purpose_by, purpose_by, ID)                                                                  \
    X(purpose_s, purpose_s, NUMBER)                                                                \
    X(archived, archived, NUMBER)                                                                  \
    X(general, general, NUMBER)                                                                    \
    X(posting, posting, STRING)                                                                    \
    X(previous_names, previous_names, STRING)                                                      \
    X(properties, properties, STRING)
#define CHANNEL(X)                                                                                 \
    X(workspace, workspace, NUMBER)                                                                \
    X(key, key, STRING)                                                                            \
    X(kind, kind, NUMBER)                                                                          \
    CHANGED(X)                                                                                     \
    X(members, members, NUMBER)                                                                    \
    X(pins, pins, NUMBER)                                                                          \
    X(last_us, last_us, NUMBER)                                                                    \
    X(team, team, ID)
#define IN_C(column, member, kind) ", c." #column
#define SELECTED                   "c.id" CHANNEL(IN_C)

/* r: what looking for the row gave, which is passed on. */
static int channel_of(int r, struct record *rec, struct chat_channel *row)
{
    unsigned at = 1;
    if (r == 1) {
        row->id = record_int(rec, 0);
        CHANNEL(COLUMN_TAKE)
    }
    return r;
}

static int read_channel(struct tx *tx, sqlite3_stmt *st, struct chat_channel *ret)
{
    struct record rec = {.arena = tx->arena};
    return channel_of(ROW_ONLY(tx, st, &rec), &rec, ret);
}

int chat_channel_get(struct tx *tx, int64_t id, struct chat_channel *ret)
{
    static struct row_table table = ROW_TABLE("chat_channel", "c", SELECTED);
    struct record rec = {.arena = tx->arena};
    return channel_of(ROW_BY_ID(tx, &table, id, &rec), &rec, ret);
}

int chat_channel_find(struct tx *tx, int64_t workspace, const char *key, struct chat_channel *ret)
{
    static struct row_key q = ROW_KEY("chat_channel", "c", SELECTED, "workspace = ?1 and key = ?2");
    static struct sql_text shared =
        SQL_TEXT("select " SELECTED " from chat_connect k join chat_channel c on c.id = k.channel "
                 "where k.workspace = :workspace and c.key = :key");
    struct record rec = {.arena = tx->arena};
    int r = channel_of(ROW_BY_KEY(tx, &q, &rec, workspace, key), &rec, ret);
    return r ? r : read_channel(tx, TX_QUERY(tx, &shared, workspace, key), ret);
}

int chat_channel_by_name(struct tx *tx, int64_t workspace, const char *name,
                         struct chat_channel *ret)
{
    static struct row_key first =
        ROW_KEY("chat_channel", "c", SELECTED, "workspace = ?1 and name = ?2");
    static struct sql_text q =
        SQL_TEXT("select " SELECTED " from chat_channel c where workspace = :workspace and "
                 "name = :name and kind < 2 order by archived, id limit 1");
    struct record rec = {.arena = tx->arena};
    int r = channel_of(ROW_BY_KEY(tx, &first, &rec, workspace, name), &rec, ret);
    if (r != 1 || (ret->kind < CHAT_DIRECT && !ret->archived)) /* nearly always */
        return r;
    return read_channel(tx, TX_QUERY(tx, &q, workspace, name), ret);
}

int chat_channel_shared_by_name(struct tx *tx, int64_t workspace, const char *name,
                                struct chat_channel *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " SELECTED " from chat_connect k join chat_channel c on c.id = k.channel "
                 "where k.workspace = :workspace and c.name = :name order by archived, c.id "
                 "limit 1");
    return read_channel(tx, TX_QUERY(tx, &q, workspace, name), ret);
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

const char *chat_pair(struct tx *tx, int64_t *users, size_t n)
{
    struct buf b;
    qsort(users, n, sizeof *users, by_number);
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++)
        if (!i || users[i] != users[i - 1])
            buf_printf(&b, "%s%lld", i ? "," : "", (long long)users[i]);
    const char *text = buf_failed(&b) ? NULL : arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return text;
}

int chat_channel_by_pair(struct tx *tx, int64_t workspace, const char *pair,
                         struct chat_channel *ret)
{
    static struct sql_text q = SQL_TEXT("select " SELECTED " from chat_channel c where "
                                        "workspace = :workspace and pair = :pair");
    return read_channel(tx, TX_QUERY(tx, &q, workspace, pair), ret);
}

int chat_channel_add(struct tx *tx, struct chat_channel *row)
{
    static struct sql_text q = SQL_TEXT(
        "insert into chat_channel (id" CHANNEL(COLUMN_NAME) ") values (?" CHANNEL(COLUMN_MARK) ")");
    if (!row->key && !(row->key = chat_new_key(tx, chat_vendor_of(tx, row->workspace),
                                               CHAT_THING_CHANNEL, row->kind, row)))
        return -1;
    row->members = row->pins = row->last_us = 0;
    if (TX_RUN(tx, &q, sql_null() CHANNEL(COLUMN_VALUE)) < 0)
        return -1;
    row->id = chat_last_id(tx);
    if (row->id >= INT64_C(1) << (63 - CHAT_CHANNEL_BITS)) /* ids of messages begin with it */
        return tx_fail(tx, SOSIA_E_LIMIT, "channels", NULL, "there is no room for more channels");
    chat_notify(tx, CHAT_EV_CHANNEL, OP_ADDED, row->workspace, row->id, NULL, NULL);
    return 0;
}

int chat_channel_save(struct tx *tx, struct chat_channel *row, const char *const *members)
{
    static struct sql_text q =
        SQL_TEXT("update chat_channel set kind = ?" CHANGED(COLUMN_SET) " where id = ?");
    row->updated_us = tx->now_us;
    if (TX_RUN(tx, &q, row->kind CHANGED(COLUMN_VALUE), row->id) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_CHANNEL, OP_CHANGED, row->workspace, row->id, members, NULL);
    return 0;
}

int chat_channels(struct tx *tx, int64_t workspace, int64_t user, const char *from,
                  int (*fn)(void *arg, const struct chat_channel *ch), void *arg)
{
    static struct sql_text all = SQL_TEXT("select " SELECTED " from chat_channel c where "
                                          "workspace = :workspace and key >= :from order by key");
    static struct sql_text his =
        SQL_TEXT("select " SELECTED " from chat_member m join chat_channel c on c.id = m.channel "
                 "where m.user = :user and c.key >= :from order by c.key");
    static struct sql_text any =
        SQL_TEXT("select exists (select 1 from chat_connect where workspace = :workspace)");
    static struct sql_text with_shared =
        SQL_TEXT("select " SELECTED " from chat_channel c where c.workspace = :workspace and "
                 "c.key >= :from union all select " SELECTED " from chat_connect k join "
                 "chat_channel c on c.id = k.channel where k.workspace = :workspace and "
                 "c.key >= :from order by 3, 1"); /* key, id */
    int64_t shares = 0;
    if (!user && TX_INT(tx, &any, &shares, workspace) < 0)
        return -1;
    sqlite3_stmt *st = user     ? TX_QUERY(tx, &his, user, from ? from : "")
                       : shares ? TX_QUERY(tx, &with_shared, workspace, from ? from : "")
                                : TX_QUERY(tx, &all, workspace, from ? from : "");
    struct record rec = {.arena = tx->arena};
    struct chat_channel ch;
    int r;
    while ((r = channel_of(ROW_NEXT(tx, st, &rec), &rec, &ch)) == 1) {
        record_keep(&rec);
        if (fn(arg, &ch)) {
            sql_done(st);
            return 0;
        }
    }
    return r;
}

/* ---- members ---- */

int chat_member_of(struct tx *tx, int64_t channel, int64_t user, struct chat_member *ret)
{
#define MEMBER "id, channel, user, read_us, joined_s, open, muted, part"
    static struct row_key q = ROW_KEY("chat_member", "m", MEMBER, "channel = ?1 and user = ?2");
    struct record rec = {.arena = tx->arena};
    int r = ROW_BY_KEY(tx, &q, &rec, channel, user);
    if (r == 1)
        *ret = (struct chat_member){.id = record_int(&rec, 0),
                                    .channel = channel,
                                    .user = user,
                                    .read_us = record_int(&rec, 3),
                                    .joined_s = record_int(&rec, 4),
                                    .open = record_int(&rec, 5),
                                    .muted = record_int(&rec, 6),
                                    .part = (enum chat_part)record_int(&rec, 7)};
    return r;
}

static int count(struct tx *tx, struct chat_channel *ch, int by)
{
    static struct sql_text q =
        SQL_TEXT("update chat_channel set members = members + :by where id = :id");
    ch->members += by;
    return TX_RUN(tx, &q, by, ch->id);
}

int chat_member_add(struct tx *tx, struct chat_channel *ch, int64_t user, int64_t by)
{
    static struct sql_text q =
        SQL_TEXT("insert into chat_member (channel, user, read_us, joined_s, open, muted) values "
                 "(:channel, :user, 0, :at, 1, 0)");
    struct chat_member m;
    int r = chat_member_of(tx, ch->id, user, &m);
    if (r)
        return r < 0 ? -1 : 0;
    if (TX_RUN(tx, &q, ch->id, user, tx->now_us / US_PER_SECOND) < 0 || count(tx, ch, 1) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_MEMBER, OP_ADDED, ch->id, user, NULL,
                &(struct chat_change){.user = user, .by = by});
    return 1;
}

int chat_member_remove(struct tx *tx, struct chat_channel *ch, int64_t user, int64_t by)
{
    static struct sql_text q =
        SQL_TEXT("delete from chat_member where channel = :channel and user = :user");
    if (TX_RUN(tx, &q, ch->id, user) < 0)
        return -1;
    if (!sqlite3_changes(slot_db(tx->db)))
        return 0;
    if (count(tx, ch, -1) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_MEMBER, OP_REMOVED, ch->id, user, NULL,
                &(struct chat_change){.user = user, .by = by});
    return 1;
}

int chat_member_part(struct tx *tx, int64_t channel, int64_t user, enum chat_part part)
{
    static struct sql_text q =
        SQL_TEXT("update chat_member set part = :part where channel = :channel and user = :user");
    static const char *const part_changed[] = {"part", NULL};
    if (TX_RUN(tx, &q, part, channel, user) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_MEMBER, OP_CHANGED, channel, user, part_changed,
                &(struct chat_change){.user = user});
    return 0;
}

int chat_member_read(struct tx *tx, int64_t member, int64_t us)
{
    static struct sql_text q = SQL_TEXT("update chat_member set read_us = :us where id = :id");
    return TX_RUN(tx, &q, us, member);
}

int chat_member_open(struct tx *tx, int64_t channel, int64_t user, bool open)
{
    static struct sql_text q =
        SQL_TEXT("update chat_member set open = :open where channel = :channel and user = :user");
    static const char *const opened[] = {"open", NULL}, *const closed[] = {"closed", NULL};
    if (TX_RUN(tx, &q, open, channel, user) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_MEMBER, OP_CHANGED, channel, user, open ? opened : closed,
                &(struct chat_change){.user = user});
    return 0;
}

int chat_members(struct tx *tx, int64_t channel, const char *from, int64_t limit,
                 int64_t **ret_users, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select u.id from chat_member m join chat_user u on u.id = m.user where "
                 "m.channel = :channel and u.key >= :from order by u.key limit :limit");
    sqlite3_stmt *st = TX_QUERY(tx, &q, channel, from ? from : "", limit);
    size_t n = 0, room = 64;
    int64_t *all = arena_alloc(tx->arena, room * sizeof *all);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        if (n == room) {
            int64_t *more = arena_alloc(tx->arena, 2 * room * sizeof *more);
            if (arena_failed(tx->arena)) {
                sql_done(st);
                return sosia_fail_memory(tx->err);
            }
            memcpy(more, all, n * sizeof *all);
            all = more;
            room *= 2;
        }
        all[n++] = sqlite3_column_int64(st, 0);
    }
    *ret_users = all;
    *ret_n = n;
    return r;
}
