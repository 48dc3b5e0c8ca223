/* SPDX-License-Identifier: Apache-2.0 */
/* Messages put into mailboxes, changed and taken out. */
#include "engine/search/index.h"
#include "engine/text/civil.h"
#include "services/mail/core/mail_impl.h"

static int64_t now_s(const struct tx *tx)
{
    return tx->now_us / US_PER_SECOND - (tx->now_us % US_PER_SECOND < 0);
}

/* ---- numbers ---- */

/* The id of a message that comes at a time: behind all others of its second. */
static int next_id(struct tx *tx, int64_t mailbox, int64_t at_s, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select max(id) from mail_message where id >= :from and id <= :to");
    for (;; at_s++) {
        int64_t from = mail_message_id_at(mailbox, at_s),
                to = from | ((INT64_C(1) << SEQ_BITS) - 1);
        sqlite3_stmt *st = TX_QUERY(tx, &q, from, to);
        if (!st)
            return -1;
        if (TX_STEP(tx, st) != 1)
            return -1;
        bool any = sqlite3_column_type(st, 0) != SQLITE_NULL;
        int64_t last = sqlite3_column_int64(st, 0);
        sql_done(st);
        if (!any || last < to) {
            *ret = any ? last + 1 : from;
            return 0;
        }
        if (at_s >= AT_MAX)
            return tx_fail(tx, SOSIA_E_FULL, "mailboxFull", NULL,
                           "the world's clock is past the last date that a mailbox can store");
    }
}

static int key_taken(struct tx *tx, int64_t mailbox, int64_t key)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from mail_message where key = :key and mailbox = :mailbox");
    struct mail_thread t;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, key, mailbox);
    if (r == 1)
        sql_done(st);
    /* A thread keeps its key when the message that began it is deleted. */
    return r ? r : mail_thread_get(tx, mailbox, key, &t);
}

/* Any number but 0, of 63 bits. */
static int random_key(struct tx *tx, int64_t *ret)
{
    uint64_t random;
    if (tx_id(tx, "message", &random, sizeof random) < 0)
        return -1;
    *ret = (int64_t)(random >> 1) ? (int64_t)(random >> 1) : 1;
    return 0;
}

static int new_message_key(struct tx *tx, const struct mail_vendor *v, int64_t mailbox,
                           int64_t at_ms, int64_t *ret)
{
    int r;
    if ((v->message_key ? v->message_key(tx, at_ms, ret) : random_key(tx, ret)) < 0)
        return -1;
    while ((r = key_taken(tx, mailbox, *ret)) == 1)
        *ret = *ret == INT64_MAX ? 1 : *ret + 1;
    return r;
}

int mail_message_key(struct tx *tx, int64_t mailbox, int64_t at_s, int64_t *ret)
{
    const struct mail_vendor *v = mail_vendor_of(tx, mailbox);
    int64_t at = at_s < 0 ? 0 : at_s > AT_MAX ? AT_MAX : at_s;
    return v ? new_message_key(tx, v, mailbox, at * 1000, ret) : -1;
}

/* ---- putting ---- */

#define NAMES MESSAGE(COLUMN_NAME)
#define MARKS MESSAGE(COLUMN_MARK)

static int insert_message(struct tx *tx, const struct mail_message *row,
                          const struct mail_letter_head *head)
{
    static struct sql_text q =
        SQL_TEXT("insert into mail_message (id, message_id" NAMES ") values (?, ?" MARKS ")");
    static struct sql_text q_head =
        SQL_TEXT("insert into mail_message_head (id, head) values (:id, :head)");
    if (TX_RUN(tx, &q, row->id, sql_int_or_null(head->message_id, 0) MESSAGE(COLUMN_VALUE)) < 0)
        return -1;
    return TX_RUN(tx, &q_head, row->id, sql_blob(head->head, head->len));
}

static int count_messages(struct tx *tx, int64_t mailbox, int64_t n)
{
    static struct sql_text q =
        SQL_TEXT("update mail_mailbox set messages = messages + :n where id = :mailbox");
    return TX_RUN(tx, &q, n, mailbox);
}

int mail_thread_touch(struct tx *tx, const struct mail_message *m, int64_t n)
{
    static struct sql_text q =
        SQL_TEXT("update mail_thread set messages = messages + :n, newest = max(newest, :newest), "
                 "change = max(change, :change) where id = :id");
    return TX_RUN(tx, &q, n, m->id, m->change, m->thread);
}

static int set_flags(struct tx *tx, const struct mail_message *m)
{
    static struct sql_text q =
        SQL_TEXT("update mail_message set flags = :flags, change = :change where id = :id");
    return TX_RUN(tx, &q, m->flags, m->change, m->id);
}

/* Stores the message with its thread, before it counts anywhere. */
static int place(struct tx *tx, const struct mail_vendor *v, const struct put *put,
                 struct mail_message *m)
{
    const struct mail_message_new *in = put->in;
    struct mail_thread thread;
    m->mailbox = in->mailbox->id;
    m->at_s = in->at_s == INT64_MIN ? now_s(tx) : in->at_s;
    m->at_s = m->at_s < 0 ? 0 : m->at_s > AT_MAX ? AT_MAX : m->at_s;
    m->size = (int64_t)(put->head->len + put->text->content_len);
    if (mail_links_seen(tx, in->mailbox->actor, put->text, &m->has) < 0)
        return -1;
    m->has |= put->text->words.has;
    if (in->key) {
        int r = key_taken(tx, m->mailbox, in->key);
        struct mail_message other;
        if (r == 1)
            r = mail_message_get(tx, m->mailbox, in->key, &other);
        if (r)
            return r < 0 ? -1
                         : tx_fail(tx, SOSIA_E_CONFLICT, "key", "id",
                                   "there is a message with this id already");
        m->key = in->key;
    } else if (new_message_key(tx, v, m->mailbox, in->quiet ? m->at_s * 1000 : tx->now_us / 1000,
                               &m->key) < 0) {
        return -1;
    }
    if (mail_thread_choose(tx, in, put->head, &thread) < 0)
        return -1;
    /* A thread is known by the message that began it, which may come after others of it. */
    if (!thread.id && !thread.key && in->key &&
        mail_thread_get(tx, m->mailbox, in->key, &thread) < 0)
        return -1;
    if (!thread.id) {
        if (!thread.key)
            thread.key = m->key;
        if (mail_thread_add(tx, &thread, put->head->subject) < 0)
            return -1;
    }
    m->thread = thread.id;
    m->thread_key = thread.key;
    if (next_id(tx, m->mailbox, m->at_s, &m->id) < 0 || mail_content_store(tx, put->text) < 0 ||
        mail_change_number(tx, &m->change) < 0)
        return -1;
    m->content = put->text->stored;
    return insert_message(tx, m, put->head);
}

static int set_places(struct tx *tx, const struct mail_message *m)
{
    static struct sql_text q = SQL_TEXT("update mail_message set flags = :flags, folder = :folder, "
                                        "change = :change where id = :id");
    return TX_RUN(tx, &q, m->flags, m->folder, m->change, m->id);
}

/* The owner's rules decide about the places of what comes in. false: they leave them. */
static int apply_rules(struct tx *tx, const struct mail_vendor *v, const struct put *put,
                       struct mail_message *m, struct mail_folder_set *set)
{
    struct mail_incoming *c = put->incoming;
    const int64_t before = set->folder;
    c->vendor = v;
    c->mailbox = put->in->mailbox;
    c->message = m;
    c->head = put->head->head;
    c->head_len = put->head->len;
    c->message_id = put->head->id;
    c->flags = m->flags & FLAGS_FIXED;
    c->folders = (int64_t *)(uintptr_t)set->own;
    c->n_folders = set->n_own;
    c->folder = set->folder;
    if (c->decide(tx, c) < 0 || mail_set_own(tx, v, m->mailbox, c->folders, c->n_folders, set) < 0)
        return -1;
    set->flags = mail_flags_settle(v, c->flags & FLAGS_FIXED, 0);
    if (mail_set_check(tx, v, m->mailbox, set) < 0)
        return -1;
    uint32_t flags = mail_set_flags(set);
    if (flags == m->flags && set->folder == before)
        return 0;
    m->flags = flags;
    m->folder = set->folder;
    return v->exclusive ? set_places(tx, m) : set_flags(tx, m);
}

/* What the vendor keeps of a calendar object. */
static int object_came(struct tx *tx, const struct mail_vendor *v, const struct put *put,
                       const struct mail_message *m)
{
    struct objects o;
    if (!v->object_came || !(m->has & HAS_INVITE))
        return 0;
    if (mail_objects_of_letter(tx, put->text, &o) < 0)
        return -1;
    return o.n && o.list[0].len <= MAIL_OBJECT_MOST
               ? v->object_came(tx, m, o.list[0].text, o.list[0].len)
               : 0;
}

int mail_message_put(struct tx *tx, const struct put *put, struct mail_message *ret)
{
    const struct mail_message_new *in = put->in;
    const struct mail_vendor *v = mail_vendor_of(tx, in->mailbox->id);
    struct search_text *words = arena_alloc(tx->arena, sizeof *words);
    const char *delivered;
    struct mail_folder_set set;
    struct mail_message m = {0};
    struct mail_property property = put->head->property;
    if (!v || mail_set_own(tx, v, in->mailbox->id, in->folders, in->n_folders, &set) < 0)
        return -1;
    set.flags = mail_flags_settle(v, in->flags & mail_vendor_places(v), 0);
    if (mail_set_check(tx, v, in->mailbox->id, &set) < 0)
        return -1;
    m.flags = mail_set_flags(&set);
    m.folder = set.folder;
    if (place(tx, v, put, &m) < 0 ||
        mail_letter_words(tx, put->head, put->text, words, &delivered) < 0 ||
        mail_text_delivered(tx, words, delivered, m.has & HAS_FILES, words) < 0 ||
        (put->bulk ? search_bulk_add(tx, put->bulk, m.id, words)
                   : search_add_later(tx, &mail_corpus, m.id, words)) < 0)
        return -1;
    if (put->incoming) {
        put->incoming->words = words;
        put->incoming->property = &property;
        if (apply_rules(tx, v, put, &m, &set) < 0)
            return -1;
    }
    if (mail_property_put(tx, m.id, &property) < 0)
        return -1;
    *ret = m;
    if (count_messages(tx, m.mailbox, 1) < 0)
        return -1;
    if ((put->bulk ? mail_folders_insert(tx, v, &m, &set)
                   : mail_folders_move(tx, v, &m, NULL, &set)) < 0 ||
        mail_thread_touch(tx, &m, 1) < 0 || object_came(tx, v, put, &m) < 0)
        return -1;
    return in->quiet ? mail_change_note(tx, m.mailbox, m.change, true)
                     : mail_change_notify(tx, &m, MAIL_ADDED, NULL, 0, &set, 0, false);
}

/* ---- folders ---- */

/* The folders that differ between two sets, as ids: in `a` and not in `b`. */
static size_t difference(const struct mail_message *m, const struct mail_folder_set *a,
                         const struct mail_folder_set *b, int64_t *ret)
{
    size_t n = 0;
    for (uint32_t more = a->flags & ~b->flags & FLAGS_FIXED; more; more &= more - 1)
        ret[n++] = mail_folder_id(m->mailbox, __builtin_ctz(more));
    for (size_t i = 0; i < a->n_own; i++) {
        bool in = false;
        for (size_t k = 0; k < b->n_own && !in; k++)
            in = b->own[k] == a->own[i];
        if (!in)
            ret[n++] = a->own[i];
    }
    return n;
}

/* What becomes of a message's places. */
struct relabel {
    struct mail_folder_set old, new,
        both; /* both: with what is added, before anything is removed */
    int64_t *added, *removed;
    size_t n_added, n_removed;
    int64_t moved[2]; /* into which folder, and from which: of an exclusive vendor; 0: it stays */
};

static size_t without_folder(int64_t *list, size_t n, int64_t folder)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (list[i] != folder)
            list[kept++] = list[i];
    return kept;
}

static int plan(struct tx *tx, const struct mail_vendor *v, const struct mail_message *m,
                const struct mail_folder_set *plus, const struct mail_folder_set *minus,
                struct relabel *ret)
{
    if (mail_set_read(tx, v, m, &ret->old) < 0 ||
        mail_set_change(tx, v, m->mailbox, &ret->old, plus, minus, &ret->new, &ret->both) < 0)
        return -1;
    const size_t all = ret->old.n_own + plus->n_own + N_PLACES;
    ret->added = arena_alloc(tx->arena, 2 * all * sizeof *ret->added);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    ret->removed = ret->added + all;
    ret->n_added = difference(m, &ret->new, &ret->old, ret->added);
    ret->n_removed = difference(m, &ret->old, &ret->new, ret->removed);
    if (ret->old.folder != ret->new.folder) {
        ret->moved[0] = ret->new.folder;
        ret->moved[1] = ret->old.folder;
        ret->n_added = without_folder(ret->added, ret->n_added, ret->new.folder);
        ret->n_removed = without_folder(ret->removed, ret->n_removed, ret->old.folder);
    }
    return 0;
}

/* The ids that a record of the kind has of it. */
static size_t noted(const struct relabel *w, enum mail_change_kind kind, const int64_t **ret)
{
    *ret = kind == MAIL_MOVED ? w->moved : kind == MAIL_LABELLED ? w->added : w->removed;
    return kind == MAIL_MOVED      ? (w->moved[0] ? 2 : 0)
           : kind == MAIL_LABELLED ? w->n_added
                                   : w->n_removed;
}

/* Records in one change what all of them got, or lost: it has one number, which they all get. */
static int notify(struct tx *tx, struct mail_message *list, const struct relabel *work, size_t n,
                  enum mail_change_kind kind)
{
    const int64_t *ids;
    size_t left = 0;
    int64_t number = 0;
    for (size_t i = 0; i < n; i++)
        left += noted(&work[i], kind, &ids) > 0;
    for (size_t i = 0; i < n && left; i++) {
        const struct relabel *w = &work[i];
        size_t n_ids = noted(w, kind, &ids);
        if (!n_ids)
            continue;
        if (mail_change_number(tx, &number) < 0)
            return -1;
        list[i].change = number;
        if (mail_change_notify(tx, &list[i], kind, ids, n_ids,
                               kind == MAIL_UNLABELLED ? &w->new : &w->both,
                               kind == MAIL_MOVED ? w->old.folder : w->new.folder, --left > 0) < 0)
            return -1;
    }
    for (size_t i = 0; i < n && number; i++)
        if (noted(&work[i], kind, &ids))
            list[i].change = number;
    return 0;
}

static bool changes(const struct relabel *w)
{
    return w->n_added || w->n_removed || w->moved[0];
}

int mail_messages_modify(struct tx *tx, struct mail_message *list, size_t n, const int64_t *add,
                         size_t n_add, const int64_t *remove, size_t n_remove)
{
    struct mail_folder_set plus, minus;
    if (!n)
        return 0;
    const struct mail_vendor *v = mail_vendor_of(tx, list->mailbox);
    struct relabel *work = arena_calloc(tx->arena, n, sizeof *work);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (!v || mail_set_of_ids(tx, v, list->mailbox, add, n_add, &plus) < 0 ||
        mail_set_of_ids(tx, v, list->mailbox, remove, n_remove, &minus) < 0)
        return -1;
    const uint32_t folders = v->exclusive ? plus.flags & mail_vendor_folders(v) : 0;
    if (folders && !plus.folder)
        plus.folder = mail_folder_id(list->mailbox, __builtin_ctz(folders));
    for (size_t i = 0; i < n; i++) {
        struct relabel *w = &work[i];
        if (plan(tx, v, &list[i], &plus, &minus, w) < 0)
            return -1;
        if (!changes(w))
            continue;
        if (mail_folders_move(tx, v, &list[i], &w->old, &w->new) < 0)
            return -1;
        list[i].flags = mail_set_flags(&w->new);
        list[i].folder = w->new.folder;
    }
    /* Added labels are recorded before removed ones, as when a message is trashed (recorded). */
    if ((v->exclusive && notify(tx, list, work, n, MAIL_MOVED) < 0) ||
        notify(tx, list, work, n, MAIL_LABELLED) < 0 ||
        notify(tx, list, work, n, MAIL_UNLABELLED) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (changes(&work[i]) &&
            ((v->exclusive ? set_places(tx, &list[i]) : set_flags(tx, &list[i])) < 0 ||
             mail_thread_touch(tx, &list[i], 0) < 0))
            return -1;
    return 0;
}

int mail_message_modify(struct tx *tx, struct mail_message *m, const int64_t *add, size_t n_add,
                        const int64_t *remove, size_t n_remove)
{
    return mail_messages_modify(tx, m, 1, add, n_add, remove, n_remove);
}

int mail_messages_move(struct tx *tx, struct mail_message *list, size_t n, int64_t folder)
{
    return mail_messages_modify(tx, list, n, &folder, 1, NULL, 0);
}

int mail_messages_discard(struct tx *tx, struct mail_message *list, size_t n, size_t *ret_n)
{
    *ret_n = 0;
    if (!n)
        return 0;
    const struct mail_vendor *v = mail_vendor_of(tx, list->mailbox);
    const int64_t trash = mail_folder_id(list->mailbox, FOLDER_TRASH);
    struct mail_message *gone = arena_alloc(tx->arena, n * sizeof *gone);
    size_t n_gone = 0;
    if (!v || arena_failed(tx->arena))
        return v ? sosia_fail_memory(tx->err) : -1;
    for (size_t i = 0; i < n; i++) {
        if (v->exclusive && list[i].folder == trash)
            gone[n_gone++] = list[i];
        else
            list[(*ret_n)++] = list[i];
    }
    return mail_messages_delete(tx, gone, n_gone) < 0 ||
                   mail_messages_move(tx, list, *ret_n, trash) < 0
               ? -1
               : 0;
}

/* ---- the end ---- */

static int delete_row(struct tx *tx, struct sql_text *q, int64_t id)
{
    return TX_RUN(tx, &*q, id);
}

static int take_out(struct tx *tx, const struct mail_message *message, bool goes_on)
{
    static struct sql_text q_draft = SQL_TEXT("delete from mail_draft where message = :message");
    static struct sql_text q_head = SQL_TEXT("delete from mail_message_head where id = :id");
    static struct sql_text q = SQL_TEXT("delete from mail_message where id = :id");
    struct mail_message m = *message;
    struct mail_folder_set set;
    const struct mail_vendor *v = mail_vendor_of(tx, m.mailbox);
    if (!v || mail_set_read(tx, v, &m, &set) < 0 || mail_index_remove(tx, &m) < 0 ||
        (v->message_gone && v->message_gone(tx, &m) < 0) ||
        mail_folders_move(tx, v, &m, &set, NULL) < 0 || mail_property_gone(tx, m.id) < 0 ||
        delete_row(tx, &q_draft, m.id) < 0 || delete_row(tx, &q_head, m.id) < 0 ||
        delete_row(tx, &q, m.id) < 0 || mail_content_release(tx, m.content) < 0 ||
        count_messages(tx, m.mailbox, -1) < 0 || mail_change_number(tx, &m.change) < 0 ||
        mail_thread_touch(tx, &m, 0) < 0 || mail_thread_recount(tx, m.thread, m.mailbox) < 0)
        return -1;
    const int64_t before = m.folder;
    m.folder = 0;
    return mail_change_notify(tx, &m, MAIL_DELETED, NULL, 0, &set, before, goes_on);
}

int mail_message_delete(struct tx *tx, const struct mail_message *m)
{
    return take_out(tx, m, false);
}

int mail_messages_delete(struct tx *tx, const struct mail_message *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (take_out(tx, &list[i], i + 1 < n) < 0)
            return -1;
    return 0;
}

int mail_message_keep(struct tx *tx, const struct mail_message_new *in, struct mail_message *ret)
{
    struct mail_letter_head head;
    struct mail_letter_text text;
    const struct put put = {.in = in, .head = &head, .text = &text};
    return mail_letter_read(tx, in->raw, in->len, &head, &text) < 0
               ? -1
               : mail_message_put(tx, &put, ret);
}
