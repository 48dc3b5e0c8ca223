/* SPDX-License-Identifier: Apache-2.0 */
/* Posting messages, changing and deleting them. */
#include "engine/search/index.h"
#include "engine/store/row.h"
#include "engine/text/civil.h"
#include "services/chat/core/corpus.h"
#include "services/chat/core/impl.h"
#include "services/chat/core/mention.h"
#include "services/chat/core/message.h"

/* ---- posting ---- */

/* The ts of what is posted now: where that of an entry which runs again was, if it is free. */
static int place_of_now(struct tx *tx, const struct chat_channel *ch, int64_t step, int64_t *us)
{
    int64_t n = *us / step;
    if (tx_counted(tx, tx_numbered(tx, "chat.ts", ch->id), n - 1, &n) < 0)
        return -1;
    *us = n * step;
    return 0;
}

/* The first free id at or behind a time, and the ts that it gets: no two of a channel are equal. An
 * id has no room for seconds before 1970 or behind CHAT_LAST_SECOND. */
static int next_place(struct tx *tx, const struct chat_channel *ch, struct chat_message *m)
{
    static struct sql_text q = SQL_TEXT("select id, ts_us from chat_message where "
                                        "id between :from and :to order by id desc limit 1");
    const int64_t of_vendor = chat_vendor_of(tx, ch->workspace)->step_us;
    const int64_t step = of_vendor ? of_vendor : 1;
    bool now = m->ts_us == tx->now_us;
    int64_t us = m->ts_us < 0 ? m->ts_us : m->ts_us - m->ts_us % step;
    for (;;) {
        int64_t from = chat_message_at(ch->id, us);
        sqlite3_stmt *st;
        if (us < 0 || us > CHAT_LAST_INSTANT)
            return tx_fail(tx, SOSIA_E_PRECONDITION, "time", NULL,
                           "a message has a time between 1970 and 2242");
        int r = TX_ROW(tx, &q, &st, from, from + MESSAGE_SEQ(-1));
        if (r < 0)
            return -1;
        if (!r) {
            m->id = from;
            if (!now)
                break;
            now = false;
            if (place_of_now(tx, ch, step, &us) < 0)
                return -1;
            continue; /* in that second */
        }
        int64_t last = sqlite3_column_int64(st, 0), last_us = sqlite3_column_int64(st, 1);
        sql_done(st);
        if (us <= last_us)
            us = last_us - last_us % step + step;
        if (us > CHAT_LAST_INSTANT)
            continue; /* to be refused */
        if (MESSAGE_SEQ(last) == MESSAGE_SEQ(-1) || us / US_PER_SECOND != last_us / US_PER_SECOND) {
            us = (last_us / US_PER_SECOND + 1) * US_PER_SECOND;
            continue;
        }
        if (now && place_of_now(tx, ch, step, &us) < 0)
            return -1;
        if (us / US_PER_SECOND != last_us / US_PER_SECOND) {
            now = false;
            continue;
        }
        m->id = last + 1;
        break;
    }
    m->ts_us = us;
    return 0;
}

static int insert(struct tx *tx, const struct chat_message *row)
{
    static struct sql_text q = SQL_TEXT("insert into chat_message (" MESSAGE_SELECTED
                                        ") values (?, ?" MESSAGE(COLUMN_MARK) ")");
    return TX_RUN(tx, &q, row->id, row->ts_us MESSAGE(COLUMN_VALUE));
}

static int write_message(struct tx *tx, const struct chat_message *row)
{
    static struct sql_text q =
        SQL_TEXT("update chat_message set ts_us = ?" MESSAGE(COLUMN_SET) " where id = ?");
    return TX_RUN(tx, &q, row->ts_us MESSAGE(COLUMN_VALUE), row->id);
}

#define SHOWN_REPLIERS 5 /* keys that a first message lists */

/* He follows the thread from now on. 1: he had not written there yet; 0; -1. */
static int follow(struct tx *tx, int64_t thread, int64_t user, int replies, int64_t read_us)
{
    static struct sql_text q =
        SQL_TEXT("insert into chat_follower (message, user, replies, read_us, follows) values "
                 "(:message, :user, :n, :read, 1) on conflict (message, user) do update set "
                 "replies = replies + excluded.replies, read_us = max(read_us, excluded.read_us) "
                 "returning replies");
    int64_t n = 0;
    return TX_INT(tx, &q, &n, thread, user, replies, read_us) < 0 ? -1 : n == 1 && replies;
}

static const char *with_replier(struct tx *tx, const char *list, const char *key)
{
    size_t n = list ? strlen(list) : 0;
    return n > 2 ? arena_printf(tx->arena, "%.*s,\"%s\"]", (int)n - 1, list, key)
                 : arena_printf(tx->arena, "[\"%s\"]", key);
}

/* The first message of a thread counts the new reply. */
static int count_reply(struct tx *tx, const struct chat_message *m)
{
    struct chat_message root, before;
    struct chat_user u;
    int r = chat_message_get(tx, m->thread, &root);
    if (r != 1)
        return r < 0 ? -1 : tx_fail(tx, SOSIA_E_NOT_FOUND, "thread", NULL, "there is no thread");
    before = root;
    if (!root.thread && root.user && follow(tx, root.id, root.user, 0, root.ts_us) < 0)
        return -1;
    root.thread = root.id;
    root.replies++;
    root.latest_us = m->ts_us;
    if (m->user) {
        if ((r = follow(tx, root.id, m->user, 1, m->ts_us)) < 0)
            return -1;
        if (r && (r = chat_user_get(tx, m->user, &u)) < 0)
            return -1;
        if (r && root.n_repliers++ < SHOWN_REPLIERS)
            root.repliers = with_replier(tx, root.repliers, u.key);
    }
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

/* How its text reads, of what can be found. */
static int read_plain(struct tx *tx, struct chat_message *m)
{
    m->plain = NULL;
    if (!m->place)
        return 0;
    const struct chat_vendor *vendor = chat_vendor_of(tx, m->place >> CHAT_PLACE_BITS);
    const char *plain = vendor->plain(tx->arena, m->text);
    if (!plain)
        return sosia_fail_memory(tx->err);
    if (plain != m->text && strcmp(plain, m->text) != 0)
        m->plain = plain;
    return 0;
}

int chat_post(struct tx *tx, struct chat_channel *ch, struct chat_message *m)
{
    if (!m->ts_us)
        m->ts_us = tx->now_us;
    if (next_place(tx, ch, m) < 0 || chat_index_place(tx, ch, m) < 0 || read_plain(tx, m) < 0 ||
        insert(tx, m) < 0 || moved(tx, ch, m) < 0 || (m->thread && count_reply(tx, m) < 0))
        return -1;
    if (m->place && chat_index_add(tx, m) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_MESSAGE, OP_ADDED, ch->id, m->id, NULL,
                &(struct chat_change){.message = *m, .user = m->user});
    return 0;
}

int chat_message_save(struct tx *tx, const struct chat_message *m,
                      const struct chat_message *before)
{
    struct chat_message now = *m;
    if ((!before || strcmp(before->text, m->text) != 0) && read_plain(tx, &now) < 0)
        return -1;
    if (before && before->place && chat_index_changed(tx, before, &now) < 0)
        return -1;
    if (write_message(tx, &now) < 0)
        return -1;
    if (before)
        chat_notify(tx, CHAT_EV_MESSAGE, OP_CHANGED, chat_message_channel(m->id), m->id, NULL,
                    &(struct chat_change){.message = now, .before = *before, .user = m->user});
    return 0;
}

/* ---- deleting ---- */

/* Who has no reply in the thread and has not begun it follows it no more. */
static int leave_thread(struct tx *tx, int64_t thread, int64_t author)
{
    static struct sql_text q = SQL_TEXT("delete from chat_follower where message = :message and "
                                        "replies = 0 and user <> :author");
    return TX_RUN(tx, &q, thread, author);
}

/* What the vendor has beside a message that goes. */
static int drop_more(struct tx *tx, int64_t workspace, const struct chat_message *m)
{
    const struct chat_vendor *vendor = chat_vendor_of(tx, workspace);
    if (vendor->parts && chat_parts_drop(tx, m->id) < 0)
        return -1;
    return vendor->gone ? vendor->gone(tx, m) : 0;
}

/* The thread's first message counts one reply less, and forgets its thread with the last one. */
static int uncount_reply(struct tx *tx, int64_t workspace, const struct chat_message *m)
{
    static struct sql_text latest = SQL_TEXT("select max(ts_us) from chat_message where "
                                             "thread = :thread and id > :thread");
    static struct sql_text users =
        SQL_TEXT("select u.key from chat_message m join chat_user u on u.id = m.user where "
                 "m.thread = :thread and m.id > :thread group by u.key order by min(m.id)");
    static struct sql_text forget =
        SQL_TEXT("update chat_follower set replies = replies - 1, read_us = (select "
                 "coalesce(max(ts_us), 0) from chat_message where thread = :message and user = "
                 ":user) where message = :message and user = :user");
    struct chat_message root, before;
    int r = chat_message_get(tx, m->thread, &root);
    if (r != 1)
        return r;
    before = root;
    root.replies--;
    root.repliers = NULL;
    root.n_repliers = root.latest_us = 0;
    if (TX_INT(tx, &latest, &root.latest_us, root.id) < 0 ||
        TX_RUN(tx, &forget, root.id, m->user) < 0 || leave_thread(tx, root.id, root.user) < 0)
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
        return TX_RUN(tx, &drop, root.id) < 0 ? -1 : drop_more(tx, workspace, &root);
    }
    if (root.replies <= 0)
        root.thread = 0;
    return chat_message_save(tx, &root, &before);
}

static int drop_parts(struct tx *tx, int64_t workspace, const struct chat_message *m)
{
    static struct sql_text reactions = SQL_TEXT("delete from chat_reaction where message = :id");
    static struct sql_text pins = SQL_TEXT("delete from chat_pin where message = :id");
    static struct sql_text counted =
        SQL_TEXT("update chat_channel set pins = pins - 1 where id = :id");
    if (TX_RUN(tx, &reactions, m->id) < 0 || drop_more(tx, workspace, m) < 0)
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
    if (drop_parts(tx, ch->workspace, m) < 0)
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
        return leave_thread(tx, m->id, 0) < 0 ? -1 : chat_message_save(tx, m, &before);
    }
    if (TX_RUN(tx, &drop, m->id) < 0 || TX_RUN(tx, &followers, m->id) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_MESSAGE, OP_REMOVED, ch->id, m->id, NULL,
                &(struct chat_change){.before = before, .user = before.user});
    if (m->thread && m->thread != m->id)
        return uncount_reply(tx, ch->workspace, m);
    return 0;
}
