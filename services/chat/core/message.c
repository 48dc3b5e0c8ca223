/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: posting, changing, deleting them, and reading stretches of a channel or a thread. */
#include "engine/base/codec.h"
#include "engine/search/index.h"
#include "engine/text/civil.h"
#include "services/chat/core/corpus.h"
#include "services/chat/core/impl.h"

#define MESSAGE                                                                                    \
    "id, ts_us, place, user, app, subtype, text, blocks, attachments, metadata, extra, client, "   \
    "flags, edited_us, editor, thread, replies, repliers, n_repliers, latest_us, reactions, "      \
    "files, pinned_by, pinned_s"
#define S_MAX  ((INT64_C(1) << (CHAT_CHANNEL_BITS - CHAT_SEQ_BITS)) - 1)
#define SEQ(n) ((n) & ((1 << CHAT_SEQ_BITS) - 1))

int64_t chat_message_at(int64_t channel, int64_t us)
{
    int64_t s = us < 0 ? 0 : us / US_PER_SECOND;
    return channel << CHAT_CHANNEL_BITS | (s > S_MAX ? S_MAX : s) << CHAT_SEQ_BITS;
}

static const char *column(sqlite3_stmt *st, int at)
{
    return (const char *)sqlite3_column_text(st, at);
}

/* Strings are the statement's. */
static void take_message(sqlite3_stmt *st, struct chat_message *ret)
{
    ret->id = sqlite3_column_int64(st, 0);
    ret->ts_us = sqlite3_column_int64(st, 1);
    ret->place = sqlite3_column_int64(st, 2);
    ret->user = sqlite3_column_int64(st, 3);
    ret->app = sqlite3_column_int64(st, 4);
    ret->subtype = column(st, 5);
    ret->text = column(st, 6);
    ret->blocks = column(st, 7);
    ret->attachments = column(st, 8);
    ret->metadata = column(st, 9);
    ret->extra = column(st, 10);
    ret->client = column(st, 11);
    ret->flags = sqlite3_column_int64(st, 12);
    ret->edited_us = sqlite3_column_int64(st, 13);
    ret->editor = sqlite3_column_int64(st, 14);
    ret->thread = sqlite3_column_int64(st, 15);
    ret->replies = sqlite3_column_int64(st, 16);
    ret->repliers = column(st, 17);
    ret->n_repliers = sqlite3_column_int64(st, 18);
    ret->latest_us = sqlite3_column_int64(st, 19);
    ret->reactions = column(st, 20);
    ret->files = column(st, 21);
    ret->pinned_by = sqlite3_column_int64(st, 22);
    ret->pinned_s = sqlite3_column_int64(st, 23);
}

static int read_message(struct tx *tx, sqlite3_stmt *st, struct chat_message *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    take_message(st, ret);
    const char **texts[] = {&ret->subtype,   &ret->text,  &ret->blocks, &ret->attachments,
                            &ret->metadata,  &ret->extra, &ret->client, &ret->repliers,
                            &ret->reactions, &ret->files};
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        if (*texts[i])
            *texts[i] = arena_strdup(tx->arena, *texts[i]);
    sql_done(st);
    return 1;
}

int chat_message_find(struct tx *tx, int64_t channel, int64_t ts_us, struct chat_message *ret)
{
    static struct sql_text q = SQL_TEXT("select " MESSAGE " from chat_message where "
                                        "id between :from and :to and ts_us = :ts");
    int64_t from = chat_message_at(channel, ts_us);
    return read_message(tx, TX_QUERY(tx, &q, from, from + SEQ(-1), ts_us), ret);
}

int chat_message_get(struct tx *tx, int64_t id, struct chat_message *ret)
{
    static struct sql_text q = SQL_TEXT("select " MESSAGE " from chat_message where id = :id");
    return read_message(tx, TX_QUERY(tx, &q, id), ret);
}

/* ---- posting ---- */

/* The first free id at or behind a time, and the ts that it gets: no two of a channel are equal. */
static int next_place(struct tx *tx, const struct chat_channel *ch, struct chat_message *m)
{
    static struct sql_text q = SQL_TEXT("select id, ts_us from chat_message where "
                                        "id between :from and :to order by id desc limit 1");
    int64_t us = m->ts_us;
    for (;;) {
        int64_t from = chat_message_at(ch->id, us);
        sqlite3_stmt *st;
        int r = TX_ROW(tx, &q, &st, from, from + SEQ(-1));
        if (r < 0)
            return -1;
        if (!r) {
            m->id = from;
            break;
        }
        int64_t last = sqlite3_column_int64(st, 0), last_us = sqlite3_column_int64(st, 1);
        sql_done(st);
        if (us <= last_us)
            us = last_us + 1;
        if (SEQ(last) == SEQ(-1) || us / US_PER_SECOND != last_us / US_PER_SECOND) {
            us = (last_us / US_PER_SECOND + 1) * US_PER_SECOND;
            continue;
        }
        m->id = last + 1;
        break;
    }
    m->ts_us = us;
    return 0;
}

static int insert(struct tx *tx, const struct chat_message *m)
{
    static struct sql_text q = SQL_TEXT(
        "insert into chat_message (" MESSAGE ") values (:id, :ts, :place, :user, :app, :subtype, "
        ":text, :blocks, :attachments, :metadata, :extra, :client, :flags, :edited, :editor, "
        ":thread, :replies, :repliers, :n_repliers, :latest, :reactions, :files, :pinned_by, "
        ":pinned_s)");
    return TX_RUN(tx, &q, m->id, m->ts_us, sql_int_or_null(m->place, 0),
                  sql_int_or_null(m->user, 0), sql_int_or_null(m->app, 0), m->subtype, m->text,
                  m->blocks, m->attachments, m->metadata, m->extra, m->client, m->flags,
                  m->edited_us, sql_int_or_null(m->editor, 0), sql_int_or_null(m->thread, 0),
                  m->replies, m->repliers, m->n_repliers, m->latest_us, m->reactions, m->files,
                  sql_int_or_null(m->pinned_by, 0), m->pinned_s);
}

static int write_message(struct tx *tx, const struct chat_message *m)
{
    static struct sql_text q = SQL_TEXT(
        "update chat_message set place = :place, user = :user, app = :app, subtype = :subtype, "
        "text = :text, blocks = :blocks, attachments = :attachments, metadata = :metadata, "
        "extra = :extra, client = :client, flags = :flags, edited_us = :edited, editor = :editor, "
        "thread = :thread, replies = :replies, repliers = :repliers, n_repliers = :n_repliers, "
        "latest_us = :latest, reactions = :reactions, files = :files, pinned_by = :pinned_by, "
        "pinned_s = :pinned_s where id = :id");
    return TX_RUN(tx, &q, sql_int_or_null(m->place, 0), sql_int_or_null(m->user, 0),
                  sql_int_or_null(m->app, 0), m->subtype, m->text, m->blocks, m->attachments,
                  m->metadata, m->extra, m->client, m->flags, m->edited_us,
                  sql_int_or_null(m->editor, 0), sql_int_or_null(m->thread, 0), m->replies,
                  m->repliers, m->n_repliers, m->latest_us, m->reactions, m->files,
                  sql_int_or_null(m->pinned_by, 0), m->pinned_s, m->id);
}

#define SHOWN_REPLIERS 5 /* keys that a first message lists */

/* He follows the thread from now on. 1: he had not written there yet; 0; -1. */
static int follow(struct tx *tx, int64_t thread, int64_t user, int replies)
{
    static struct sql_text q =
        SQL_TEXT("insert into chat_follower (message, user, replies, read_us, follows) values "
                 "(:message, :user, :n, 0, 1) on conflict (message, user) do update set "
                 "replies = replies + excluded.replies returning replies");
    int64_t n = 0;
    return TX_INT(tx, &q, &n, thread, user, replies) < 0 ? -1 : n == 1 && replies;
}

static const char *with_replier(struct tx *tx, const char *list, const char *key)
{
    size_t n = list ? strlen(list) : 0;
    return n > 2 ? arena_printf(tx->arena, "%.*s,\"%s\"]", (int)n - 1, list, key)
                 : arena_printf(tx->arena, "[\"%s\"]", key);
}

/* The first message of a thread counts the new reply. */
static int count_reply(struct tx *tx, const struct chat_channel *ch, const struct chat_message *m)
{
    struct chat_message root, before;
    struct chat_user u;
    int r = chat_message_get(tx, m->thread, &root);
    if (r != 1)
        return r < 0 ? -1 : tx_fail(tx, SOSIA_E_NOT_FOUND, "thread", NULL, "there is no thread");
    before = root;
    if (!root.thread && root.user && follow(tx, root.id, root.user, 0) < 0)
        return -1;
    root.thread = root.id;
    root.replies++;
    root.latest_us = m->ts_us;
    if (m->user) {
        if ((r = follow(tx, root.id, m->user, 1)) < 0)
            return -1;
        if (r && chat_user_get(tx, m->user, &u) == 1) {
            if (root.n_repliers++ < SHOWN_REPLIERS)
                root.repliers = with_replier(tx, root.repliers, u.key);
        }
    }
    (void)ch;
    return chat_message_save(tx, &root, &before);
}

static int moved(struct tx *tx, struct chat_channel *ch, const struct chat_message *m)
{
    static struct sql_text q =
        SQL_TEXT("update chat_channel set last_us = max(last_us, :us) where id = :id");
    if (m->thread && m->thread != m->id && !(m->flags & CHAT_BROADCAST))
        return 0;
    if (m->ts_us > ch->last_us)
        ch->last_us = m->ts_us;
    return TX_RUN(tx, &q, m->ts_us, ch->id);
}

int chat_post(struct tx *tx, struct chat_channel *ch, struct chat_message *m)
{
    if (!m->ts_us)
        m->ts_us = tx->now_us;
    if (next_place(tx, ch, m) < 0 || chat_index_place(tx, ch, m) < 0 || insert(tx, m) < 0 ||
        moved(tx, ch, m) < 0 || (m->thread && count_reply(tx, ch, m) < 0))
        return -1;
    if (m->place && chat_index_add(tx, m) < 0)
        return -1;
    chat_tell(tx, CHAT_EV_MESSAGE, OP_ADDED, ch->id, m->id, NULL,
              &(struct chat_change){.message = *m, .user = m->user});
    return 0;
}

int chat_message_save(struct tx *tx, const struct chat_message *m,
                      const struct chat_message *before)
{
    if (before && before->place && chat_index_changed(tx, before, m) < 0)
        return -1;
    if (write_message(tx, m) < 0)
        return -1;
    if (before)
        chat_tell(tx, CHAT_EV_MESSAGE, OP_CHANGED, chat_message_channel(m->id), m->id, NULL,
                  &(struct chat_change){.message = *m, .before = *before, .user = m->user});
    return 0;
}

/* ---- deleting ---- */

/* The thread's first message counts one reply less, and forgets its thread with the last one. */
static int uncount_reply(struct tx *tx, const struct chat_message *m)
{
    static struct sql_text latest = SQL_TEXT("select max(ts_us) from chat_message where "
                                             "thread = :thread and id > :thread");
    static struct sql_text users =
        SQL_TEXT("select u.key from chat_message m join chat_user u on u.id = m.user where "
                 "m.thread = :thread and m.id > :thread group by u.key order by min(m.id)");
    static struct sql_text forget = SQL_TEXT("update chat_follower set replies = replies - 1 where "
                                             "message = :message and user = :user");
    struct chat_message root, before;
    int r = chat_message_get(tx, m->thread, &root);
    if (r != 1)
        return r;
    before = root;
    root.replies--;
    root.repliers = NULL;
    root.n_repliers = root.latest_us = 0;
    if (TX_INT(tx, &latest, &root.latest_us, root.id) < 0 ||
        TX_RUN(tx, &forget, root.id, m->user) < 0)
        return -1;
    sqlite3_stmt *st = TX_QUERY(tx, &users, root.id);
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1)
        if (root.n_repliers++ < SHOWN_REPLIERS)
            root.repliers = with_replier(tx, root.repliers, tx_string(tx, st, 0));
    if (r < 0)
        return -1;
    if (root.replies <= 0 && root.flags & CHAT_TOMBSTONE) {
        static struct sql_text drop = SQL_TEXT("delete from chat_message where id = :id");
        return TX_RUN(tx, &drop, root.id);
    }
    if (root.replies <= 0)
        root.thread = 0;
    return chat_message_save(tx, &root, &before);
}

static int drop_parts(struct tx *tx, const struct chat_message *m)
{
    static struct sql_text reactions = SQL_TEXT("delete from chat_reaction where message = :id");
    static struct sql_text stars = SQL_TEXT("delete from chat_star where message = :id");
    static struct sql_text pins = SQL_TEXT("delete from chat_pin where message = :id");
    static struct sql_text counted =
        SQL_TEXT("update chat_channel set pins = pins - 1 where id = :id");
    static struct sql_text shares = SQL_TEXT("delete from chat_share where message = :id");
    if (TX_RUN(tx, &reactions, m->id) < 0 || TX_RUN(tx, &stars, m->id) < 0 ||
        TX_RUN(tx, &shares, m->id) < 0)
        return -1;
    if (!m->pinned_by)
        return 0;
    return TX_RUN(tx, &pins, m->id) < 0 || TX_RUN(tx, &counted, chat_message_channel(m->id)) < 0
               ? -1
               : 0;
}

int chat_message_delete(struct tx *tx, struct chat_channel *ch, struct chat_message *m,
                        bool *ret_tombstone)
{
    static struct sql_text drop = SQL_TEXT("delete from chat_message where id = :id");
    static struct sql_text followers = SQL_TEXT("delete from chat_follower where message = :id");
    struct chat_message before = *m;
    *ret_tombstone = m->thread == m->id && m->replies > 0;
    if (m->place && chat_index_remove(tx, m) < 0)
        return -1;
    m->place = 0;
    if (drop_parts(tx, m) < 0)
        return -1;
    if (*ret_tombstone) {
        struct chat_message stone = {.id = m->id,
                                     .ts_us = m->ts_us,
                                     .subtype = "tombstone",
                                     .text = "This message was deleted.",
                                     .flags = CHAT_TOMBSTONE,
                                     .thread = m->thread,
                                     .replies = m->replies,
                                     .repliers = m->repliers,
                                     .n_repliers = m->n_repliers,
                                     .latest_us = m->latest_us};
        *m = stone;
        before.place = 0; /* it is out of the index already */
        return chat_message_save(tx, m, &before);
    }
    if (TX_RUN(tx, &drop, m->id) < 0 || TX_RUN(tx, &followers, m->id) < 0)
        return -1;
    chat_tell(tx, CHAT_EV_MESSAGE, OP_REMOVED, ch->id, m->id, NULL,
              &(struct chat_change){.before = before, .user = before.user});
    if (m->thread && m->thread != m->id)
        return uncount_reply(tx, m);
    return 0;
}

/* ---- stretches ---- */

static int each(struct tx *tx, sqlite3_stmt *st, const struct chat_range *range,
                int (*fn)(void *arg, const struct chat_message *m), void *arg)
{
    struct chat_message m;
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        int64_t us = sqlite3_column_int64(st, 1);
        bool inside = range->inclusive ? us >= range->oldest_us && us <= range->latest_us
                                       : us > range->oldest_us && us < range->latest_us;
        if (!inside)
            continue;
        take_message(st, &m);
        if (fn(arg, &m)) {
            sql_done(st);
            return 0;
        }
    }
    return r;
}

int chat_messages(struct tx *tx, const struct chat_range *range,
                  int (*fn)(void *arg, const struct chat_message *m), void *arg)
{
#define SHOWN " and (thread is null or thread = id or flags & 1)"
    static struct sql_text down = SQL_TEXT("select " MESSAGE " from chat_message where "
                                           "id between :from and :to" SHOWN " order by id desc");
    static struct sql_text up = SQL_TEXT("select " MESSAGE " from chat_message where "
                                         "id between :from and :to" SHOWN " order by id");
    static struct sql_text thread_down =
        SQL_TEXT("select " MESSAGE " from chat_message where thread = :thread and "
                 "id between :from and :to order by id desc");
    static struct sql_text thread_up =
        SQL_TEXT("select " MESSAGE " from chat_message where thread = :thread and "
                 "id between :from and :to order by id");
    int64_t from = chat_message_at(range->channel, range->oldest_us);
    int64_t to = chat_message_at(range->channel, range->latest_us) + SEQ(-1);
    sqlite3_stmt *st = range->thread ? TX_QUERY(tx, range->ascending ? &thread_up : &thread_down,
                                                range->thread, from, to)
                                     : TX_QUERY(tx, range->ascending ? &up : &down, from, to);
    return each(tx, st, range, fn, arg);
}
