/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and posts of groups: their rows, and how letters become posts. */
#include "services/mail/outlook/posts/post.h"
#include "engine/base/codec.h"
#include "engine/blob/blob.h"
#include "engine/state/stored.h"
#include "engine/text/civil.h"
#include "engine/world/event.h"
#include "services/mail/outlook/letter.h"
#include "vendors/microsoft/directory/directory.h"
#include <strings.h>

/* ---- threads ---- */

static const struct member thread_columns[] = {
    STORED_ID(struct outlook_thread),
    {INT_AT(struct outlook_thread, key, 1, INT64_MAX)},
    {INT_AT(struct outlook_thread, conversation, 1, INT64_MAX)},
    {TEXT_AT(struct outlook_thread, team)},
    {TEXT_AT(struct outlook_thread, topic)},
    {BOOL_AT(struct outlook_thread, locked)},
    {TIME_AT(struct outlook_thread, newest_us)},
};
STORED_HERE(threads, "A thread", struct outlook_thread, thread_columns, NULL,
            .table = "outlook_thread", .stays = "key team");

int outlook_thread_by_id(struct tx *tx, int64_t id, struct outlook_thread *ret)
{
    return stored_get(tx, &threads, id, ret);
}

int outlook_thread_is_others(struct tx *tx, const char *team, int64_t key)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from outlook_thread where key = ?1 and team <> ?2 union all select 1 "
                 "from outlook_conversation where key = ?1 and team <> ?2");
    int64_t one;
    return TX_INT(tx, &q, &one, key, team);
}

int outlook_thread_find(struct tx *tx, const char *team, int64_t key, struct outlook_thread *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key and team = :team");
    return STORED_ONE(tx, &threads, &q, ret, key, team);
}

/* Where the walk of *t goes on: in front of the first one there is none. */
static int64_t behind_us(const struct outlook_thread *t)
{
    return t->id ? t->newest_us : INT64_MAX;
}

static int64_t behind_row(const struct outlook_thread *t)
{
    return t->id ? t->id : INT64_MAX;
}

#define BEHIND "(newest_us, id) < (:us, :row) "
#define NEWEST "order by newest_us desc, id desc limit 1"

int outlook_thread_next(struct tx *tx, const char *team, int64_t conversation,
                        struct outlook_thread *t)
{
    static struct sql_text q = SQL_TEXT("where team = :team and " BEHIND NEWEST);
    static struct sql_text q_of =
        SQL_TEXT("where team = :team and conversation = :conversation and " BEHIND NEWEST);
    const int64_t us = behind_us(t), row = behind_row(t);
    return conversation ? STORED_ONE(tx, &threads, &q_of, t, team, conversation, us, row)
                        : STORED_ONE(tx, &threads, &q, t, team, us, row);
}

int outlook_conversation_next(struct tx *tx, const char *team, struct outlook_thread *t)
{
    static struct sql_text q = SQL_TEXT(
        "t where team = :team and " BEHIND "and not exists (select 1 from outlook_thread o where "
        "o.team = t.team and o.conversation = t.conversation and (o.newest_us, o.id) > "
        "(t.newest_us, t.id)) " NEWEST);
    const int64_t us = behind_us(t), row = behind_row(t);
    return STORED_ONE(tx, &threads, &q, t, team, us, row);
}

/* A conversation was begun, has another post, or (gone) was deleted. */
static int note_conversation(struct tx *tx, const char *team, int64_t key, bool gone)
{
    static struct sql_text q = SQL_TEXT(
        "insert into outlook_conversation (key, team, change, made, gone) values (:key, :team, "
        ":change, :change, :gone) on conflict (key) do update set change = excluded.change, gone = "
        "excluded.gone");
    struct group group;
    int64_t change;
    int r = group_by_email(tx, team, &group);
    if (r != 1)
        return r;
    event_note(tx, CHANGED_CONVERSATIONS, gone ? OP_REMOVED : OP_CHANGED, group.id, key);
    return tx_number(tx, "outlook.conversation", &change) < 0
               ? -1
               : TX_RUN(tx, &q, key, team, change, (int64_t)gone);
}

int outlook_thread_move(struct tx *tx, struct outlook_thread *t, int64_t conversation)
{
    static struct sql_text q = SQL_TEXT("delete from outlook_conversation where key = :key");
    t->conversation = conversation;
    return TX_RUN(tx, &q, t->key) < 0 || outlook_thread_save(tx, t) < 0
               ? -1
               : note_conversation(tx, t->team, conversation, false);
}

int outlook_thread_save(struct tx *tx, const struct outlook_thread *t)
{
    return stored_save(tx, &threads, t->id, t);
}

int outlook_thread_put(struct tx *tx, struct outlook_thread *t)
{
    struct outlook_thread there;
    int r = outlook_thread_find(tx, t->team, t->key, &there);
    if (r < 0)
        return -1;
    if (!t->conversation)
        t->conversation = r ? there.conversation : t->key;
    if (!r)
        return stored_new(tx, &threads, t);
    t->id = there.id;
    if (there.newest_us > t->newest_us)
        t->newest_us = there.newest_us;
    return outlook_thread_save(tx, t);
}

static int drop_posts(struct tx *tx, int64_t thread)
{
    static struct sql_text q_raw =
        SQL_TEXT("select raw from outlook_post where thread = :thread order by id limit 1");
    static struct sql_text q = SQL_TEXT("delete from outlook_post where id = (select id from "
                                        "outlook_post where thread = :thread order by id limit 1)");
    int64_t raw;
    int r;
    while ((r = TX_INT(tx, &q_raw, &raw, thread)) == 1)
        if (TX_RUN(tx, &q, thread) < 0 || blob_unref(tx, raw) < 0)
            return -1;
    return r;
}

int outlook_posts_derive(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select raw, id from outlook_post where id > :after order by id limit 1");
    int64_t after = 0;
    sqlite3_stmt *st;
    int r;
    while ((r = TX_ROW(tx, &q, &st, after)) == 1) {
        const int64_t raw = sqlite3_column_int64(st, 0);
        after = sqlite3_column_int64(st, 1);
        sql_done(st);
        if (blob_ref(tx, raw) < 0)
            return -1;
    }
    return r;
}

int outlook_thread_drop(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from outlook_thread where id = :id");
    struct outlook_thread t, other = {.id = 0};
    int r = outlook_thread_by_id(tx, id, &t);
    if (r != 1)
        return r;
    if (drop_posts(tx, id) < 0 || TX_RUN(tx, &q, id) < 0)
        return -1;
    r = outlook_thread_next(tx, t.team, t.conversation, &other);
    return r < 0 ? -1 : note_conversation(tx, t.team, t.conversation, r == 0);
}

static int group_gone(struct tx *tx, const struct ms_group *group)
{
    struct outlook_thread t = {.id = 0};
    int r;
    while ((r = outlook_thread_next(tx, group->email, 0, &t)) == 1)
        if (outlook_thread_drop(tx, t.id) < 0)
            return -1;
    return r;
}

const struct graph_group_held outlook_group_held = {.gone = group_gone};

/* ---- posts ---- */

static const struct member post_columns[] = {
    STORED_ID(struct outlook_post),
    {REF_AT(struct outlook_post, thread, NULL)},
    {INT_AT(struct outlook_post, key, 1, INT64_MAX)},
    {TEXT_AT(struct outlook_post, message_id)},
    {TIME_AT(struct outlook_post, came_us)},
    {TEXT_AT(struct outlook_post, sender)},
    {BOOL_AT(struct outlook_post, files)},
    {REF_AT(struct outlook_post, raw, NULL)},
};
STORED_HERE(posts, "A post", struct outlook_post, post_columns, NULL, .table = "outlook_post");

/* The parts of a letter, none of which is in a blob. */
static void open_letter(struct arena *a, const char *raw, size_t len, struct mail_message_body *ret)
{
    const size_t head = mime_head_len(raw, len);
    *ret = (struct mail_message_body){.head = raw,
                                      .head_len = head,
                                      .own = raw + head,
                                      .own_len = len - head,
                                      .len = len - head,
                                      .snippet = ""};
    mime_parse(a, raw, head, raw + head, len - head, &ret->mime);
    for (int i = 0; i < ret->mime.n; i++)
        ret->mime.parts[i].own = ret->mime.parts[i].at;
}

/* Opens the one that was found; r: what looking for it gave, which is passed on. */
static int opened(struct tx *tx, int r, struct outlook_post *post)
{
    const char *raw;
    size_t n;
    if (r != 1)
        return r;
    if (blob_load(tx, post->raw, &raw, &n) < 0)
        return -1;
    open_letter(tx->arena, raw, n, &post->body);
    return 1;
}

int outlook_post_by_id(struct tx *tx, int64_t id, struct outlook_post *ret)
{
    return opened(tx, stored_get(tx, &posts, id, ret), ret);
}

int outlook_post_next_id(struct tx *tx, int64_t thread, int64_t after, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select id from outlook_post where thread = :thread and id "
                                        "> :after order by id limit 1");
    return TX_INT(tx, &q, ret, thread, after);
}

int outlook_post_next(struct tx *tx, int64_t thread, int64_t after, struct outlook_post *ret)
{
    static struct sql_text q =
        SQL_TEXT("where thread = :thread and id > :after order by id limit 1");
    return opened(tx, STORED_ONE(tx, &posts, &q, ret, thread, after), ret);
}

int outlook_post_find(struct tx *tx, int64_t thread, int64_t key, struct outlook_post *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key and thread = :thread");
    return opened(tx, STORED_ONE(tx, &posts, &q, ret, key, thread), ret);
}

int outlook_post_newest(struct tx *tx, int64_t thread, struct outlook_post *ret)
{
    static struct sql_text q =
        SQL_TEXT("where id = (select id from outlook_post where thread = :thread order by came_us "
                 "desc, id desc limit 1)");
    return opened(tx, STORED_ONE(tx, &posts, &q, ret, thread), ret);
}

int outlook_post_of_message(struct tx *tx, const char *team, const char *message_id,
                            struct outlook_post *ret)
{
    static struct sql_text q =
        SQL_TEXT("where message_id = :id and thread in (select id from outlook_thread where team = "
                 ":team) order by id desc limit 1");
    return opened(tx, STORED_ONE(tx, &posts, &q, ret, message_id, team), ret);
}

int outlook_thread_senders(struct tx *tx, int64_t thread, const char **list, size_t cap, size_t *n,
                           bool *files)
{
    static struct sql_text q =
        SQL_TEXT("select sender, files from outlook_post where thread = :thread order by id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, thread);
    int r;
    while ((r = st ? TX_STEP(tx, st) : -1) == 1) {
        const char *name = (const char *)sqlite3_column_text(st, 0);
        size_t i = 0;
        *files |= sqlite3_column_int(st, 1) != 0;
        while (name && i < *n && strcmp(list[i], name) != 0)
            i++;
        if (name && i == *n && i < cap)
            list[(*n)++] = tx_string(tx, st, 0);
    }
    return r;
}

/* ---- what comes ---- */

enum { MOST_IDS = 100 }; /* of a field, that are looked for */

/* The thread that a letter answers, by the last ids that it names: 1, 0 none, -1. */
static int answered(struct tx *tx, const char *team, const struct mail_message_body *body,
                    struct outlook_thread *ret)
{
    static const char *const fields[] = {"In-Reply-To", "References"};
    struct outlook_post post;
    for (size_t f = 0; f < SOSIA_LEN(fields); f++) {
        const char *text = mime_header(tx->arena, body->head, body->head_len, fields[f]), **ids;
        size_t n = 0;
        if (text)
            mime_ids(tx->arena, text, &ids, &n);
        for (int left = MOST_IDS; n > 0 && left > 0; left--) {
            const char *id = arena_printf(tx->arena, "<%s>", ids[--n]);
            int r = outlook_post_of_message(tx, team, id, &post);
            if (r == 1)
                r = outlook_thread_by_id(tx, post.thread, ret);
            if (r)
                return r;
        }
    }
    return 0;
}

int outlook_post_new_key(struct tx *tx, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select 1 from outlook_thread where key = ?1 union all "
                                        "select 1 from outlook_post where key = ?1");
    int64_t one;
    int r = 1;
    while (r == 1)
        r = outlook_new_key(tx, tx->now_us / US_PER_SECOND, ret) < 0 ? -1
                                                                     : TX_INT(tx, &q, &one, *ret);
    return r;
}

static int new_thread(struct tx *tx, const char *team, const struct mail_message_body *body,
                      int64_t conversation, struct outlook_thread *ret)
{
    const char *subject = mime_header(tx->arena, body->head, body->head_len, "Subject");
    *ret = (struct outlook_thread){.team = team,
                                   .conversation = conversation,
                                   .topic = subject ? subject : "",
                                   .newest_us = tx->now_us};
    return outlook_post_new_key(tx, &ret->key) < 0 ? -1 : outlook_thread_put(tx, ret);
}

/* Name or address of whom a letter is from; NULL: of nobody. */
static const char *sender_of(struct arena *a, const struct mail_message_body *body)
{
    struct mime_address *from;
    size_t n;
    bool bad;
    mime_address_fields(a, body->head, body->head_len, "From", &from, &n, &bad);
    return !n ? NULL : from[0].name && *from[0].name ? from[0].name : from[0].email;
}

int outlook_post_put(struct tx *tx, struct outlook_thread *t, int64_t key, int64_t came_us,
                     const char *raw, size_t len)
{
    struct outlook_post post = {.thread = t->id, .key = key, .came_us = came_us};
    const struct mail_message_body *body = &post.body;
    open_letter(tx->arena, raw, len, &post.body);
    const char *text = mime_header(tx->arena, body->head, body->head_len, "Message-ID"), **ids;
    size_t n = 0;
    if (text)
        mime_ids(tx->arena, text, &ids, &n);
    post.message_id = n ? arena_printf(tx->arena, "<%s>", ids[0]) : NULL;
    post.sender = sender_of(tx->arena, body);
    post.files = outlook_has_attachments(&body->mime);
    if (came_us > t->newest_us)
        t->newest_us = came_us;
    if (outlook_thread_save(tx, t) < 0 ||
        note_conversation(tx, t->team, t->conversation, false) < 0 ||
        blob_put(tx, raw, len, &post.raw) < 0)
        return -1;
    return stored_add(tx, &posts, &post);
}

int outlook_group_came(struct tx *tx, const struct group *group, const char *raw, size_t len)
{
    struct mail_message_body body;
    struct outlook_thread t;
    struct ms_group team;
    int64_t key;
    int r = ms_group_of(tx, group->id, &team);
    if (r != 1 || !team.unified)
        return r < 0 ? -1 : 0;
    open_letter(tx->arena, raw, len, &body);
    r = answered(tx, group->email, &body, &t);
    if (r == 0)
        r = new_thread(tx, group->email, &body, 0, &t);
    else if (r == 1 && t.locked)
        r = new_thread(tx, group->email, &body, t.conversation, &t);
    return r < 0 || outlook_post_new_key(tx, &key) < 0
               ? -1
               : outlook_post_put(tx, &t, key, tx->now_us, raw, len);
}
