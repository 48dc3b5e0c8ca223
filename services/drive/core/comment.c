/* SPDX-License-Identifier: Apache-2.0 */
#include "services/drive/core/comment.h"
#include "engine/base/codec.h"

int drive_comment_find(struct tx *tx, int64_t item, const char *key, struct drive_comment *ret)
{
    static struct sql_text q = SQL_TEXT("where item = :item and key = :key");
    return STORED_ONE(tx, &drive_comment_stored, &q, ret, item, key);
}

int drive_reply_find(struct tx *tx, int64_t comment, const char *key, struct drive_comment *ret)
{
    static struct sql_text q = SQL_TEXT("where comment = :comment and key = :key");
    return STORED_ONE(tx, &drive_reply_stored, &q, ret, comment, key);
}

int drive_comments(struct tx *tx, int64_t item, bool deleted, int64_t since, int64_t skip,
                   int64_t limit, struct drive_comment **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("where item = :item and modified_us >= :since and deleted "
                                        "<= :deleted order by modified_us desc, id limit :n offset "
                                        ":skip");
    *ret = stored_list(
        tx, &drive_comment_stored,
        STORED_QUERY(tx, &drive_comment_stored, &q, item, since, deleted ? 1 : 0, limit + 1, skip),
        ret_n);
    return *ret ? 0 : -1;
}

int drive_comments_all(struct tx *tx, int64_t item, struct drive_comment **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("where item = :item order by id");
    *ret = stored_list(tx, &drive_comment_stored, STORED_QUERY(tx, &drive_comment_stored, &q, item),
                       ret_n);
    return *ret ? 0 : -1;
}

int drive_replies(struct tx *tx, int64_t comment, bool deleted, int64_t skip, int64_t limit,
                  struct drive_comment **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("where comment = :comment and deleted <= :deleted order by "
                                        "id limit :n offset :skip");
    *ret = stored_list(
        tx, &drive_reply_stored,
        STORED_QUERY(tx, &drive_reply_stored, &q, comment, deleted ? 1 : 0, limit + 1, skip),
        ret_n);
    return *ret ? 0 : -1;
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
    return buf_keep(&b, tx->arena);
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
    return TX_RUN(tx, &q, c->modified_us, c->resolved, c->id);
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
    if (stored_add(tx, c->comment ? &drive_reply_stored : &drive_comment_stored, c) < 0)
        return -1;
    c->id = tx_last_id(tx);
    return 0;
}

int drive_reply_add(struct tx *tx, struct drive_comment *comment, struct drive_comment *reply)
{
    reply->comment = comment->id;
    reply->created_us = reply->modified_us = comment->modified_us = tx->now_us;
    if (drive_comment_put(tx, reply) < 0)
        return -1;
    if (reply->action)
        comment->resolved = reply->action == ACTION_RESOLVE ? COMMENT_RESOLVED : COMMENT_REOPENED;
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
