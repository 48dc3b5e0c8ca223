/* SPDX-License-Identifier: Apache-2.0 */
#include "services/chat/core/corpus.h"
#include "engine/search/index.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/impl.h"
#include "services/chat/core/mention.h"
#include <stdlib.h>

enum { COLUMN_BODY, COLUMN_FILE, COLUMN_EXTRA, COLUMNS };
#define MARK_FROM "f:" /* and the user's number */
#define MARK_IN   "c:" /* and the channel's */

/* ---- documents ---- */

/* Only of what the row has, so that a message is taken out with the words it was put in with. */
static int words_of(struct tx *tx, const struct chat_message *m, struct search_text *ret)
{
    const struct chat_vendor *vendor = chat_vendor_of(tx, m->place >> CHAT_PLACE_BITS);
    const char *plain = m->plain ? m->plain : m->text;
    struct buf b;
    buf_init(&b, 0);
    *ret = (struct search_text){.has = vendor->has(m)};
    for (int i = 0; i < COLUMNS; i++) {
        buf_clear(&b);
        if (i == COLUMN_BODY)
            search_add_words(&b, plain, strlen(plain), "");
        if (i == COLUMN_EXTRA) {
            search_add_has(&b, ret->has);
            buf_printf(&b, MARK_FROM "%lld " MARK_IN "%lld ", (long long)m->user,
                       (long long)chat_message_channel(m->id));
        }
        ret->columns[i] = arena_memdup(tx->arena, buf_str(&b), b.len);
        ret->len[i] = b.len;
    }
    bool failed = buf_failed(&b) || arena_failed(tx->arena);
    buf_done(&b);
    return failed ? sosia_fail_memory(tx->err) : 0;
}

int chat_index_place(struct tx *tx, const struct chat_channel *ch, struct chat_message *m)
{
    static struct sql_text q = SQL_TEXT("select 1 from chat_message where place = :place");
    int64_t place = chat_place(ch->workspace, m->ts_us), step = 1, taken;
    m->place = 0;
    if (m->flags & (CHAT_SYSTEM | CHAT_TOMBSTONE))
        return 0;
    for (;; place += step, step *= 2) {
        int r = TX_INT(tx, &q, &taken, place);
        if (r < 0)
            return -1;
        if (!r)
            break;
    }
    m->place = place;
    return 0;
}

int chat_index_add(struct tx *tx, const struct chat_message *m)
{
    struct search_text words;
    return words_of(tx, m, &words) < 0 ? -1 : search_add_later(tx, &chat_corpus, m->place, &words);
}

int chat_index_remove(struct tx *tx, const struct chat_message *m)
{
    struct search_text words;
    return words_of(tx, m, &words) < 0 ? -1
                                       : search_remove_later(tx, &chat_corpus, m->place, &words);
}

int chat_index_changed(struct tx *tx, const struct chat_message *before,
                       const struct chat_message *m)
{
    const struct chat_vendor *vendor = chat_vendor_of(tx, before->place >> CHAT_PLACE_BITS);
    if (before->place == m->place && strcmp(before->text, m->text) == 0 &&
        vendor->has(before) == vendor->has(m))
        return 0;
    if (chat_index_remove(tx, before) < 0)
        return -1;
    return m->place ? chat_index_add(tx, m) : 0;
}

int chat_derive(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select id, user, text, files, place, plain from chat_message "
                 "where place is not null order by place");
    struct search_bulk *bulk;
    struct search_text words;
    int r = 1;
    if (search_bulk_begin(tx, &chat_corpus, &bulk) < 0)
        return -1;
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    while (r == 1 && st && (r = TX_STEP(tx, st)) == 1) {
        struct chat_message m = {.id = sqlite3_column_int64(st, 0),
                                 .user = sqlite3_column_int64(st, 1),
                                 .text = (const char *)sqlite3_column_text(st, 2),
                                 .files = (const char *)sqlite3_column_text(st, 3),
                                 .place = sqlite3_column_int64(st, 4),
                                 .plain = (const char *)sqlite3_column_text(st, 5)};
        if (words_of(tx, &m, &words) < 0 || search_bulk_add(tx, bulk, m.place, &words) < 0) {
            sql_done(st);
            r = -1;
        }
    }
    bool failed = !st || r < 0;
    return search_bulk_end(tx, bulk, failed) < 0 || failed ? -1 : 0;
}

/* ---- questions ---- */

static int asked(struct tx *tx, struct chat_asker *a, int64_t place)
{
    if (a->row.place != place) {
        int r = chat_message_by_place(tx, place, &a->row);
        if (r < 0)
            return -1;
        a->there = r == 1;
        a->row.place = place;
    }
    return a->there;
}

static int reacted(struct tx *tx, int64_t message, const char *name, int64_t user)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from chat_reaction where message = :message and name = :name and "
                 "(:user = 0 or user = :user) limit 1");
    int64_t found;
    return TX_INT(tx, &q, &found, message, name, user);
}

/* Mentions the message the user? 1, 0, -1. */
static int mentions(struct tx *tx, int64_t message, int64_t user)
{
    struct chat_mention *list;
    size_t n;
    if (chat_mentions(tx, message, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (list[i].kind == CHAT_MENTION_USER && list[i].ref == user)
            return 1;
    return 0;
}

static int test(struct tx *tx, const struct search *q, int64_t key, void *arg)
{
    struct chat_asker *a = arg;
    int r = asked(tx, a, key);
    if (r != 1)
        return r;
    return q->kind == CHAT_Q_THREAD     ? a->row.thread != 0
           : q->kind == CHAT_Q_ATTACHED ? a->row.attachments != NULL
           : q->kind == CHAT_Q_MENTIONS ? mentions(tx, a->row.id, q->id)
                                        : reacted(tx, a->row.id, q->text, q->id);
}

/* Places of messages, as a statement gives them, the greatest first. */
static struct search_node *placed(struct search_compiler *k, sqlite3_stmt *st)
{
    struct tx *tx = search_compiler_tx(k);
    struct arena *a = search_compiler_arena(k);
    int64_t *keys = NULL;
    size_t n = 0, room = 0;
    int r = st ? 0 : -1;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        keys = arena_grow(a, keys, n, &room, sizeof *keys);
        if (arena_failed(a)) {
            sql_done(st);
            return NULL;
        }
        keys[n++] = sqlite3_column_int64(st, 0);
    }
    return r < 0 ? NULL : search_node_keys(k, keys, n);
}

static struct search_node *pinned(struct search_compiler *k)
{
    static struct sql_text q =
        SQL_TEXT("select place from chat_message where pinned_by is not null and place is not null "
                 "order by place desc");
    return placed(k, TX_PLAIN(search_compiler_tx(k), &q));
}

static struct search_node *to(struct search_compiler *k, int64_t user)
{
    static struct sql_text q = SQL_TEXT(
        "select m.place from chat_member x join chat_channel c on c.id = x.channel join "
        "chat_message m on m.id >= c.id << :bits and m.id < (c.id + 1) << :bits where x.user = "
        ":user and c.kind >= :direct and m.user is not :user and m.place is not null order by "
        "m.place desc");
    return placed(k, TX_QUERY(search_compiler_tx(k), &q, CHAT_CHANNEL_BITS, user, CHAT_DIRECT));
}

static int falling(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x > y ? -1 : x < y;
}

static struct search_node *saved(struct search_compiler *k, int64_t workspace, int64_t user)
{
    struct tx *tx = search_compiler_tx(k);
    const struct chat_vendor *vendor = chat_vendor_of(tx, workspace);
    struct chat_message m;
    int64_t *keys = NULL;
    size_t n = 0, kept = 0;
    if (!vendor || (vendor->saved_by && vendor->saved_by(tx, user, &keys, &n) < 0))
        return NULL;
    for (size_t i = 0; i < n; i++) {
        int r = chat_message_get(tx, keys[i], &m);
        if (r < 0)
            return NULL;
        if (r == 1 && m.place)
            keys[kept++] = m.place;
    }
    if (kept)
        qsort(keys, kept, sizeof *keys, falling);
    return search_node_keys(k, keys, kept);
}

static struct search_node *marked(struct search_compiler *k, const char *mark, int64_t id)
{
    return search_node_words(
        k, arena_printf(search_compiler_arena(k), "%s%lld ", mark, (long long)id));
}

static struct search_node *compile(struct search_compiler *k, const struct search *q, void *arg)
{
    const struct chat_asker *who = arg;
    if (q->kind == CHAT_Q_PINNED)
        return pinned(k);
    if (q->kind == CHAT_Q_TO)
        return to(k, q->id);
    if (q->kind == CHAT_Q_SAVED)
        return saved(k, who->user.workspace, q->id);
    if (q->kind == CHAT_Q_IN)
        return marked(k, MARK_IN, q->id);
    if (q->kind == CHAT_Q_FROM)
        return marked(k, MARK_FROM, q->id);
    if (q->kind == CHAT_Q_BEGINS)
        return search_node_begins(k, CHAT_FIELD_BODY, q->text);
    return search_node_test(k, q, NULL, 0);
}

/* ---- the corpus ---- */

static struct search_sql statements =
    SEARCH_SQL("chat_index", "body, file, extra", ":body, :file, :extra");
static struct search_list all = {
    .sql = SQL_TEXT("select place from chat_message where place <= :from and place >= :first "
                    "order by place desc limit :n")};
static struct search_list *const lists[] = {NULL};
static const char *const columns[COLUMNS] = {"body", "file", "extra"};
static const struct search_field fields[] = {{CHAT_FIELD_BODY, COLUMN_BODY, ""}};
static const char *const kinds[] = {"in",    "from",   "thread", "pinned", "reacted",
                                    "saved", "begins", "to",     NULL};

const struct corpus chat_corpus = {
    .name = CHAT_CORE,
    .columns = columns,
    .n_columns = COLUMNS,
    .fields = fields,
    .n_fields = SOSIA_LEN(fields),
    .any = CHAT_FIELD_BODY,
    .group_bits = CHAT_PLACE_BITS,
    .sql = &statements,
    .all = &all,
    .lists = lists,
    .kinds = kinds,
    .compile = compile,
    .test = test,
};
