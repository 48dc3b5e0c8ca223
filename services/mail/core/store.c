/* SPDX-License-Identifier: Apache-2.0 */
/* Messages put into mailboxes, changed and taken out. */
#include "engine/search/index.h"
#include "engine/text/civil.h"
#include "services/mail/core/mail_impl.h"

#define KEY_RANDOM_BITS 20

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
                           "a mailbox takes no more messages at the end of time");
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

static int new_message_key(struct tx *tx, int64_t mailbox, int64_t at_ms, int64_t *ret)
{
    const int64_t most = INT64_MAX >> KEY_RANDOM_BITS;
    int64_t ms = at_ms < 1 ? 1 : at_ms > most ? most : at_ms;
    uint32_t random;
    int r;
    if (tx_id(tx, "message", &random, sizeof random) < 0)
        return -1;
    *ret = ms << KEY_RANDOM_BITS | (random & ((1u << KEY_RANDOM_BITS) - 1));
    while ((r = key_taken(tx, mailbox, *ret)) == 1)
        *ret = *ret == INT64_MAX ? 1 : *ret + 1;
    return r;
}

int mail_message_key(struct tx *tx, int64_t mailbox, int64_t at_s, int64_t *ret)
{
    int64_t at = at_s < 0 ? 0 : at_s > AT_MAX ? AT_MAX : at_s;
    return new_message_key(tx, mailbox, at * 1000, ret);
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

static int thread_touch(struct tx *tx, const struct mail_message *m, int64_t n)
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

/* Labels of its owner's: this mailbox's, each once. */
static int own_labels(struct tx *tx, int64_t mailbox, const int64_t *labels, size_t n,
                      struct mail_label_set *ret)
{
    int64_t *own = arena_alloc(tx->arena, (n + 1) * sizeof *own);
    ret->n_own = 0;
    ret->own = own;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n; i++) {
        struct mail_label l;
        bool again = false;
        for (size_t k = 0; k < ret->n_own && !again; k++)
            again = own[k] == labels[i];
        if (again)
            continue;
        int r = mail_label_is_role(labels[i]) ? 0 : mail_label_get(tx, mailbox, labels[i], &l);
        if (r != 1)
            return r < 0 ? -1
                         : tx_fail(tx, SOSIA_E_INVALID, "label", NULL,
                                   "the mailbox has no such label");
        own[ret->n_own++] = labels[i];
    }
    return 0;
}

static uint32_t flags_with(uint32_t flags, const struct mail_label_set *set)
{
    return (flags & FLAGS_ROLES) | (set->n_own ? FLAG_OWN_LABELS : 0);
}

/* Stores the message with its thread, before it counts anywhere. */
static int place(struct tx *tx, const struct put *put, struct mail_message *m)
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
    } else if (new_message_key(tx, m->mailbox, in->quiet ? m->at_s * 1000 : tx->now_us / 1000,
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

/* The owner's rules decide about the labels of what comes in. */
static int apply_rules(struct tx *tx, const struct put *put, struct mail_message *m,
                       struct mail_label_set *set)
{
    struct mail_incoming *c = put->incoming;
    c->mailbox = put->in->mailbox;
    c->message = m;
    c->head = put->head->head;
    c->head_len = put->head->len;
    c->message_id = put->head->id;
    c->flags = m->flags & FLAGS_ROLES;
    c->labels = (int64_t *)(uintptr_t)set->own;
    c->n_labels = set->n_own;
    if (mail_rules_incoming(tx, c) < 0 ||
        own_labels(tx, m->mailbox, c->labels, c->n_labels, set) < 0)
        return -1;
    uint32_t flags = flags_with(mail_flags_settle(c->flags & FLAGS_ROLES, 0), set);
    if (flags == m->flags)
        return 0;
    m->flags = flags;
    return set_flags(tx, m);
}

int mail_message_put(struct tx *tx, const struct put *put, struct mail_message *ret)
{
    const struct mail_message_new *in = put->in;
    struct search_text *words = arena_alloc(tx->arena, sizeof *words);
    const char *delivered;
    struct mail_label_set set;
    struct mail_message m = {0};
    if (own_labels(tx, in->mailbox->id, in->labels, in->n_labels, &set) < 0)
        return -1;
    m.flags = flags_with(mail_flags_settle(in->flags & FLAGS_ROLES, 0), &set);
    if (place(tx, put, &m) < 0 ||
        mail_letter_words(tx, put->head, put->text, words, &delivered) < 0 ||
        mail_text_delivered(tx, words, delivered, m.has & HAS_FILES, words) < 0 ||
        (put->bulk ? search_bulk_add(tx, put->bulk, m.id, words)
                   : search_add_later(tx, &mail_corpus, m.id, words)) < 0)
        return -1;
    if (put->incoming) {
        put->incoming->words = words;
        if (apply_rules(tx, put, &m, &set) < 0)
            return -1;
    }
    set.flags = m.flags;
    *ret = m;
    if (count_messages(tx, m.mailbox, 1) < 0)
        return -1;
    if ((put->bulk ? mail_labels_insert(tx, &m, &set) : mail_labels_move(tx, &m, NULL, &set)) < 0 ||
        thread_touch(tx, &m, 1) < 0)
        return -1;
    return in->quiet ? mail_change_note(tx, m.mailbox, m.change, true)
                     : mail_change_notify(tx, &m, MAIL_ADDED, NULL, 0, &set, false);
}

/* ---- labels ---- */

/* The labels that differ between two sets, as ids: in `a` and not in `b`. */
static size_t difference(const struct mail_message *m, const struct mail_label_set *a,
                         const struct mail_label_set *b, int64_t *ret)
{
    size_t n = 0;
    for (int role = 0; role < N_LABEL_ROLES; role++)
        if (a->flags & ~b->flags & FLAG(role))
            ret[n++] = mail_label_id(m->mailbox, role);
    for (size_t i = 0; i < a->n_own; i++) {
        bool in = false;
        for (size_t k = 0; k < b->n_own && !in; k++)
            in = b->own[k] == a->own[i];
        if (!in)
            ret[n++] = a->own[i];
    }
    return n;
}

static int read_set(struct tx *tx, const struct mail_message *m, struct mail_label_set *ret)
{
    int64_t *own;
    if (mail_message_own_labels(tx, m, &own, &ret->n_own) < 0)
        return -1;
    ret->own = own;
    ret->flags = m->flags & FLAGS_ROLES;
    return 0;
}

/* Takes ids apart into roles and others, which must be this mailbox's. */
static int take_apart(struct tx *tx, int64_t mailbox, const int64_t *ids, size_t n,
                      struct mail_label_set *ret)
{
    int64_t *own = arena_alloc(tx->arena, (n + 1) * sizeof *own);
    size_t n_own = 0;
    ret->flags = 0;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n; i++) {
        if (ids[i] >> 24 != mailbox || mail_label_place(ids[i]) < 0 ||
            (mail_label_is_role(ids[i]) && mail_label_place(ids[i]) >= N_LABEL_ROLES))
            return tx_fail(tx, SOSIA_E_INVALID, "label", NULL, "the mailbox has no such label");
        if (mail_label_is_role(ids[i]))
            ret->flags |= FLAG(mail_label_place(ids[i]));
        else
            own[n_own++] = ids[i];
    }
    return own_labels(tx, mailbox, own, n_own, ret);
}

/* What becomes of a message's labels. */
struct relabel {
    struct mail_label_set old, new, both; /* both: with what is added, before anything is removed */
    int64_t *added, *removed;
    size_t n_added, n_removed;
};

static bool is_in(const int64_t *list, size_t n, int64_t id)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == id)
            return true;
    return false;
}

static int plan(struct tx *tx, const struct mail_message *m, const struct mail_label_set *plus,
                const struct mail_label_set *minus, struct relabel *ret)
{
    struct mail_label_set *old = &ret->old;
    if (read_set(tx, m, old) < 0)
        return -1;
    const size_t room = old->n_own + plus->n_own, all = room + N_LABEL_ROLES;
    int64_t *own = arena_alloc(tx->arena, (2 * room + 1) * sizeof *own), *both = own + room;
    ret->added = arena_alloc(tx->arena, 2 * all * sizeof *ret->added);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    ret->removed = ret->added + all;
    ret->new = (struct mail_label_set){
        .flags = mail_flags_settle(old->flags & ~minus->flags, plus->flags), .own = own};
    ret->both = (struct mail_label_set){.flags = old->flags | ret->new.flags, .own = both};
    const struct mail_label_set *sources[] = {old, plus};
    for (size_t s = 0; s < SOSIA_LEN(sources); s++)
        for (size_t i = 0; i < sources[s]->n_own; i++) {
            int64_t label = sources[s]->own[i];
            if (is_in(both, ret->both.n_own, label))
                continue;
            both[ret->both.n_own++] = label;
            if (s == 1 || !is_in(minus->own, minus->n_own, label))
                own[ret->new.n_own++] = label;
        }
    ret->n_added = difference(m, &ret->new, old, ret->added);
    ret->n_removed = difference(m, old, &ret->new, ret->removed);
    return 0;
}

/* Records in one change which labels all of them got, or lost: it has one number, which they all
 * get. */
static int notify(struct tx *tx, struct mail_message *list, const struct relabel *work, size_t n,
                  enum mail_change_kind kind)
{
    const bool adds = kind == MAIL_LABELLED;
    size_t left = 0;
    int64_t number = 0;
    for (size_t i = 0; i < n; i++)
        left += (adds ? work[i].n_added : work[i].n_removed) > 0;
    for (size_t i = 0; i < n && left; i++) {
        const struct relabel *w = &work[i];
        size_t n_labels = adds ? w->n_added : w->n_removed;
        if (!n_labels)
            continue;
        if (mail_change_number(tx, &number) < 0)
            return -1;
        list[i].change = number;
        if (mail_change_notify(tx, &list[i], kind, adds ? w->added : w->removed, n_labels,
                               adds ? &w->both : &w->new, --left > 0) < 0)
            return -1;
    }
    for (size_t i = 0; i < n && number; i++)
        if (adds ? work[i].n_added : work[i].n_removed)
            list[i].change = number;
    return 0;
}

int mail_messages_modify(struct tx *tx, struct mail_message *list, size_t n, const int64_t *add,
                         size_t n_add, const int64_t *remove, size_t n_remove)
{
    struct mail_label_set plus, minus;
    if (!n)
        return 0;
    struct relabel *work = arena_calloc(tx->arena, n, sizeof *work);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (take_apart(tx, list->mailbox, add, n_add, &plus) < 0 ||
        take_apart(tx, list->mailbox, remove, n_remove, &minus) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct relabel *w = &work[i];
        if (plan(tx, &list[i], &plus, &minus, w) < 0)
            return -1;
        if (!w->n_added && !w->n_removed)
            continue;
        if (mail_labels_move(tx, &list[i], &w->old, &w->new) < 0)
            return -1;
        list[i].flags = flags_with(w->new.flags, &w->new);
    }
    /* Added labels are recorded before removed ones, as when a message is trashed (recorded). */
    if (notify(tx, list, work, n, MAIL_LABELLED) < 0 ||
        notify(tx, list, work, n, MAIL_UNLABELLED) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if ((work[i].n_added || work[i].n_removed) &&
            (set_flags(tx, &list[i]) < 0 || thread_touch(tx, &list[i], 0) < 0))
            return -1;
    return 0;
}

int mail_message_modify(struct tx *tx, struct mail_message *m, const int64_t *add, size_t n_add,
                        const int64_t *remove, size_t n_remove)
{
    return mail_messages_modify(tx, m, 1, add, n_add, remove, n_remove);
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
    struct mail_label_set set;
    if (read_set(tx, &m, &set) < 0 || mail_index_remove(tx, &m) < 0 ||
        mail_labels_move(tx, &m, &set, NULL) < 0 || delete_row(tx, &q_draft, m.id) < 0 ||
        delete_row(tx, &q_head, m.id) < 0 || delete_row(tx, &q, m.id) < 0 ||
        mail_content_release(tx, m.content) < 0 || count_messages(tx, m.mailbox, -1) < 0 ||
        mail_change_number(tx, &m.change) < 0 || thread_touch(tx, &m, 0) < 0 ||
        mail_thread_recount(tx, m.thread, m.mailbox) < 0)
        return -1;
    return mail_change_notify(tx, &m, MAIL_DELETED, NULL, 0, &set, goes_on);
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

int mail_message_add(struct tx *tx, const struct mail_message_new *in, struct mail_message *ret)
{
    struct mail_letter_head head;
    struct mail_letter_text text;
    struct mail_message_new new = *in;
    int forwards = MAIL_MAX_FORWARDS;
    struct mail_incoming incoming = {
        .sender = "", .recipient = in->mailbox->email, .forwards = &forwards};
    struct put put = {.in = &new, .head = &head, .text = &text};
    if (mail_letter_read(tx, in->raw, in->len, &head, &text) < 0)
        return -1;
    if (in->incoming) {
        struct mime_address *from;
        size_t n;
        bool bad;
        mime_address_fields(tx->arena, head.head, head.len, "From", &from, &n, &bad);
        char *sender = n ? email_normal(tx->arena, from[0].email) : NULL;
        if (sender)
            incoming.sender = sender;
        if (!(new.flags &FLAGS_CATEGORY))
            new.flags |= mail_deliver_category(tx->arena, incoming.sender, head.head, head.len);
        put.incoming = &incoming;
    }
    if (mail_message_put(tx, &put, ret) < 0)
        return -1;
    incoming.message = ret;
    return in->incoming ? mail_rules_after(tx, &incoming) : 0;
}
