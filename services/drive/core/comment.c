/* SPDX-License-Identifier: Apache-2.0 */
#include "services/drive/core/comment.h"
#include "engine/base/codec.h"

#define COMMENT                                                                                    \
    "id, item, key, author, content, quoted, quoted_mime, anchor, created_us, modified_us, "       \
    "deleted, resolved"
#define REPLY "id, comment, key, author, content, action, created_us, modified_us, deleted"

static struct drive_comment comment_row(struct tx *tx, sqlite3_stmt *st)
{
    return (struct drive_comment){.id = sqlite3_column_int64(st, 0),
                                  .item = sqlite3_column_int64(st, 1),
                                  .key = tx_string(tx, st, 2),
                                  .author = sqlite3_column_int64(st, 3),
                                  .content = tx_string(tx, st, 4),
                                  .quoted = tx_string(tx, st, 5),
                                  .quoted_mime = tx_string(tx, st, 6),
                                  .anchor = tx_string(tx, st, 7),
                                  .created_us = sqlite3_column_int64(st, 8),
                                  .modified_us = sqlite3_column_int64(st, 9),
                                  .deleted = sqlite3_column_int(st, 10),
                                  .state = (enum comment_state)sqlite3_column_int(st, 11)};
}

static struct drive_comment reply_row(struct tx *tx, sqlite3_stmt *st)
{
    return (struct drive_comment){.id = sqlite3_column_int64(st, 0),
                                  .comment = sqlite3_column_int64(st, 1),
                                  .key = tx_string(tx, st, 2),
                                  .author = sqlite3_column_int64(st, 3),
                                  .content = tx_string(tx, st, 4),
                                  .action = (enum comment_action)sqlite3_column_int(st, 5),
                                  .created_us = sqlite3_column_int64(st, 6),
                                  .modified_us = sqlite3_column_int64(st, 7),
                                  .deleted = sqlite3_column_int(st, 8)};
}

int drive_comment_find(struct tx *tx, int64_t item, const char *key, struct drive_comment *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COMMENT " from drive_comment where item = :item and key = :key");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, item, key);
    if (r != 1)
        return r;
    *ret = comment_row(tx, st);
    sql_done(st);
    return 1;
}

int drive_reply_find(struct tx *tx, int64_t comment, const char *key, struct drive_comment *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " REPLY " from drive_reply where comment = :comment and key = :key");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, comment, key);
    if (r != 1)
        return r;
    *ret = reply_row(tx, st);
    sql_done(st);
    return 1;
}

static int take_rows(struct tx *tx, sqlite3_stmt *st, bool replies, struct drive_comment **ret,
                     size_t *ret_n)
{
    struct drive_comment *list = NULL;
    size_t n = 0, room = 0;
    int r;
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1) {
        list = arena_grow(tx->arena, list, n, &room, sizeof *list);
        if (arena_failed(tx->arena)) {
            sql_done(st);
            return sosia_fail_memory(tx->err);
        }
        list[n++] = replies ? reply_row(tx, st) : comment_row(tx, st);
    }
    *ret = list;
    *ret_n = n;
    return r;
}

int drive_comments(struct tx *tx, int64_t item, bool deleted, int64_t since, int64_t skip,
                   int64_t limit, struct drive_comment **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select " COMMENT " from drive_comment where item = :item and modified_us >= "
                 ":since and deleted <= :deleted order by modified_us desc, id limit :n offset "
                 ":skip");
    return take_rows(tx, TX_QUERY(tx, &q, item, since, deleted ? 1 : 0, limit + 1, skip), false,
                     ret, ret_n);
}

int drive_comments_all(struct tx *tx, int64_t item, struct drive_comment **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select " COMMENT " from drive_comment where item = :item order by id");
    return take_rows(tx, TX_QUERY(tx, &q, item), false, ret, ret_n);
}

int drive_replies(struct tx *tx, int64_t comment, bool deleted, int64_t skip, int64_t limit,
                  struct drive_comment **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select " REPLY " from drive_reply where comment = :comment and deleted <= "
                 ":deleted order by id limit :n offset :skip");
    return take_rows(tx, TX_QUERY(tx, &q, comment, deleted ? 1 : 0, limit + 1, skip), true, ret,
                     ret_n);
}

/* "AAAB", and seven digits behind it, as programs know them. */
static const char *new_comment_key(struct tx *tx)
{
    uint8_t bytes[6];
    struct buf b;
    if (tx_id(tx, "drive comment", bytes, sizeof bytes) < 0)
        return NULL;
    buf_init(&b, 64);
    buf_puts(&b, "AAAB");
    base64url_add(&b, bytes, sizeof bytes, false);
    b.len = 11;
    const char *key = arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return key;
}

static int add_comment(struct tx *tx, struct drive_comment *c)
{
    static struct sql_text q = SQL_TEXT(
        "insert into drive_comment (item, key, author, content, quoted, quoted_mime, "
        "anchor, created_us, modified_us, deleted, resolved) values (:item, :key, "
        ":author, :content, :quoted, :quoted_mime, :anchor, :created, :modified, :deleted, "
        ":state)");
    if (TX_RUN(tx, &q, c->item, c->key, c->author, c->content, c->quoted, c->quoted_mime, c->anchor,
               c->created_us, c->modified_us, c->deleted, c->state) < 0)
        return -1;
    c->id = sqlite3_last_insert_rowid(slot_db(tx->db));
    return 0;
}

int drive_comment_add(struct tx *tx, struct drive_comment *c)
{
    c->created_us = c->modified_us = tx->now_us;
    return drive_comment_put(tx, c);
}

int drive_comment_save(struct tx *tx, const struct drive_comment *c)
{
    static struct sql_text q = SQL_TEXT("update drive_comment set modified_us = :modified, "
                                        "resolved = :resolved where id = :id");
    return TX_RUN(tx, &q, c->modified_us, c->state, c->id);
}

static int add_reply(struct tx *tx, struct drive_comment *reply)
{
    static struct sql_text q =
        SQL_TEXT("insert into drive_reply (comment, key, author, content, action, created_us, "
                 "modified_us, deleted) values (:comment, :key, :author, :content, :action, "
                 ":created, :modified, :deleted)");
    if (TX_RUN(tx, &q, reply->comment, reply->key, reply->author, reply->content, reply->action,
               reply->created_us, reply->modified_us, reply->deleted) < 0)
        return -1;
    reply->id = sqlite3_last_insert_rowid(slot_db(tx->db));
    return 0;
}

/* One that no dump brought. */
static int make_comment_key(struct tx *tx, struct drive_comment *c)
{
    static struct sql_text q_comment =
        SQL_TEXT("select 1 from drive_comment where item = :item and key = :key");
    static struct sql_text q_reply =
        SQL_TEXT("select 1 from drive_reply where comment = :comment and key = :key");
    int64_t one;
    int r;
    do {
        if (!(c->key = new_comment_key(tx)))
            return -1;
        r = c->comment ? TX_INT(tx, &q_reply, &one, c->comment, c->key)
                       : TX_INT(tx, &q_comment, &one, c->item, c->key);
    } while (r == 1);
    return r;
}

int drive_comment_put(struct tx *tx, struct drive_comment *c)
{
    if (!c->key && make_comment_key(tx, c) < 0)
        return -1;
    return c->comment ? add_reply(tx, c) : add_comment(tx, c);
}

int drive_reply_add(struct tx *tx, struct drive_comment *comment, struct drive_comment *reply)
{
    reply->comment = comment->id;
    reply->created_us = reply->modified_us = comment->modified_us = tx->now_us;
    if (drive_comment_put(tx, reply) < 0)
        return -1;
    if (reply->action)
        comment->state = reply->action == ACTION_RESOLVE ? COMMENT_RESOLVED : COMMENT_REOPENED;
    return drive_comment_save(tx, comment);
}

int drive_comment_change(struct tx *tx, struct drive_comment *c, const char *content)
{
    static struct sql_text q_comment =
        SQL_TEXT("update drive_comment set content = :content, quoted = :quoted, quoted_mime = "
                 ":quoted_mime, modified_us = :modified, deleted = :deleted where id = :id");
    static struct sql_text q_reply =
        SQL_TEXT("update drive_reply set content = :content, modified_us = :modified, deleted = "
                 ":deleted where id = :id");
    c->content = content;
    c->deleted = !content;
    if (c->deleted)
        c->quoted = c->quoted_mime = NULL;
    c->modified_us = tx->now_us;
    return c->comment ? TX_RUN(tx, &q_reply, c->content, c->modified_us, c->deleted, c->id)
                      : TX_RUN(tx, &q_comment, c->content, c->quoted, c->quoted_mime,
                               c->modified_us, c->deleted, c->id);
}

int drive_comments_copy(struct tx *tx, int64_t from, int64_t to)
{
    struct drive_comment *list, *replies;
    size_t n, m;
    if (drive_comments(tx, from, false, INT64_MIN, 0, INT32_MAX, &list, &n) < 0)
        return -1;
    while (n) { /* the oldest first */
        struct drive_comment c = list[--n];
        if (drive_replies(tx, c.id, false, 0, INT32_MAX, &replies, &m) < 0)
            return -1;
        c.item = to;
        c.key = NULL;
        if (drive_comment_put(tx, &c) < 0)
            return -1;
        for (size_t i = 0; i < m; i++) {
            replies[i].comment = c.id;
            replies[i].key = NULL;
            if (drive_comment_put(tx, &replies[i]) < 0)
                return -1;
        }
    }
    return 0;
}
