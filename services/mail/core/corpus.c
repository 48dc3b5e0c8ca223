/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as a corpus of the engine's search. */
#include "engine/search/match.h"
#include "services/mail/core/index.h"
#include "services/mail/core/mail_impl.h"

/* ---- rows ---- */

int mail_asked(struct tx *tx, struct mail_asking *asking, int64_t id,
               const struct mail_message **ret)
{
    if (asking->row.id != id) {
        asking->record.arena = tx->arena;
        int rc = mail_message_row_get(tx, id, &asking->record, &asking->row);
        asking->there = rc == 1;
        asking->row.id = id;
        if (rc < 0)
            return -1;
    }
    *ret = &asking->row;
    return asking->there;
}

static int test(struct tx *tx, const struct search *q, int64_t key, void *arg)
{
    const struct mail_message *m;
    int rc = mail_asked(tx, arg, key, &m);
    if (rc != 1)
        return rc;
    if (q->kind == SEARCH_FLAGS)
        return (m->flags & q->bits) == q->bits;
    if (q->kind == SEARCH_PROPERTY) /* FLAG_COMPLETE: as mail_property_get() has it */
        return !(m->flags & FLAG(KEYWORD_FLAGGED));
    return q->from <= m->size && m->size < q->to;
}

/* ---- nodes ---- */

static struct search_node *flags_node(struct search_compiler *k, const struct search *q,
                                      int64_t mailbox)
{
    struct search_node *lists[N_PLACES + 1];
    size_t n = 0;
    for (uint32_t places = q->bits & FLAGS_FIXED; places; places &= places - 1)
        lists[n++] =
            search_node_list(k, MAIL_LIST_FOLDER, mail_folder_id(mailbox, __builtin_ctz(places)));
    if (q->bits & FLAG_OWN_FOLDERS)
        lists[n++] = search_node_list(k, MAIL_LIST_FILED, 0);
    return n ? search_node_test(k, q, lists, n) : search_node_everything(k);
}

/* Large messages are few: their classes of size list them. */
#define LARGE     (INT64_C(1) << 16)
#define MAX_CLASS 40

static struct search_node *size_node(struct search_compiler *k, const struct search *q)
{
    struct search_node *n = search_node_test(k, q, NULL, 0);
    struct buf b;
    if (q->from < LARGE || q->from >= q->to)
        return n;
    int to = q->to >= INT64_C(1) << MAX_CLASS ? MAX_CLASS : mail_index_class(q->to - 1);
    buf_init(&b, 0);
    for (int class = mail_index_class(q->from); class <= to; class ++)
        buf_printf(&b, MARK_SIZE "%d ", class);
    struct search_node *words = search_node_words(k, buf_str(&b));
    buf_done(&b);
    return words ? search_node_both(k, words, n) : n;
}

static struct search_node *date_node(struct search_compiler *k, const struct search *q,
                                     int64_t mailbox)
{
    int64_t first = mail_message_id_at(mailbox, q->from);
    int64_t end =
        q->to > AT_MAX ? mail_message_id_last(mailbox) + 1 : mail_message_id_at(mailbox, q->to);
    int64_t last = q->from < q->to ? end - 1 : first - 1;
    return search_node_range(k, first, last);
}

static struct search_node *message_id_node(struct search_compiler *k, const struct search *q,
                                           int64_t mailbox)
{
    struct arena *a = search_compiler_arena(k);
    struct mail_message *list = NULL;
    size_t n = 0;
    if (mail_message_by_message_id(search_compiler_tx(k), mailbox, q->text, &list, &n) < 0)
        return NULL;
    int64_t *keys = arena_alloc(a, (n + 1) * sizeof *keys);
    if (arena_failed(a))
        n = 0;
    for (size_t i = 0; i < n; i++)
        keys[i] = list[n - 1 - i].id;
    return search_node_keys(k, keys, n);
}

/* That a flag is set the keyword says, and where it is there nothing else holds. */
static struct search_node *property_node(struct search_compiler *k, const struct search *q,
                                         int64_t mailbox)
{
    static const struct search set = {.kind = SEARCH_FLAGS, .bits = FLAG(KEYWORD_FLAGGED)};
    if (q->bits > ASKED_INFERENCE) {
        tx_fail(search_compiler_tx(k), SOSIA_E_INVALID, "property", "query",
                "a property must be one that messages can have");
        return NULL;
    }
    if (q->bits == ASKED_FLAG && q->id == FLAG_SET)
        return flags_node(k, &set, mailbox);
    struct search_node *list = search_node_list(k, MAIL_LIST_IMPORTANCE + q->bits, q->id);
    return q->bits == ASKED_FLAG ? search_node_both(k, list, search_node_test(k, q, NULL, 0))
                                 : list;
}

static struct search_node *compile(struct search_compiler *k, const struct search *q, void *arg)
{
    const struct mail_asking *asking = arg;
    switch (q->kind) {
    case SEARCH_FOLDER:
        return search_node_list(k, MAIL_LIST_FOLDER, q->id);
    case SEARCH_FLAGS:
        return flags_node(k, q, asking->mailbox);
    case SEARCH_SIZE:
        return size_node(k, q);
    case SEARCH_DATE:
        return date_node(k, q, asking->mailbox);
    case SEARCH_THREAD:
        return search_node_list(k, MAIL_LIST_THREAD, q->id);
    case SEARCH_PROPERTY:
        return property_node(k, q, asking->mailbox);
    default:
        return message_id_node(k, q, asking->mailbox);
    }
}

static bool whole(const struct search *q)
{
    if (q->kind == SEARCH_FOLDER)
        return !mail_folder_is_fixed(q->id) || mail_folder_place(q->id) < N_PLACES;
    if (q->kind == SEARCH_PROPERTY)
        return q->bits <= ASKED_INFERENCE;
    return q->kind != SEARCH_MESSAGE_ID || q->text;
}

/* ---- without the index ---- */

static bool facts_have_folder(const struct mail_facts *f, int64_t folder)
{
    if (mail_folder_is_fixed(folder)) {
        const int64_t place = mail_folder_place(folder);
        return place < N_PLACES && f->message->flags & FLAG(place);
    }
    for (size_t i = 0; i < f->n_folders; i++)
        if (f->folders[i] == folder)
            return true;
    return false;
}

static bool is_message_id(const char *text, const char *id)
{
    text += strspn(text, " \t<");
    id += strspn(id, " \t<");
    size_t n = strcspn(text, ">"), m = strcspn(id, ">");
    return n == m && memcmp(text, id, n) == 0;
}

static bool has_property(const struct mail_facts *f, const struct search *q)
{
    const struct mail_property *p = f->property;
    const bool flagged = f->message->flags & FLAG(KEYWORD_FLAGGED);
    if (q->bits > ASKED_INFERENCE)
        return false;
    if (q->bits == ASKED_FLAG && (flagged || q->id == FLAG_SET))
        return flagged && q->id == FLAG_SET;
    return p && q->id == (q->bits == ASKED_IMPORTANCE ? p->importance
                          : q->bits == ASKED_FLAG     ? (int64_t)p->flag
                                                      : (int64_t)p->inference);
}

static bool own(const struct search *q, const void *arg)
{
    const struct mail_facts *f = arg;
    const struct mail_message *m = f->message;
    uint32_t flags = m->flags | (f->n_folders ? FLAG_OWN_FOLDERS : 0);
    switch (q->kind) {
    case SEARCH_FOLDER:
        return facts_have_folder(f, q->id);
    case SEARCH_FLAGS:
        return (flags & q->bits) == q->bits;
    case SEARCH_SIZE:
        return q->from <= m->size && m->size < q->to;
    case SEARCH_DATE:
        return q->from <= m->at_s && m->at_s < q->to;
    case SEARCH_THREAD:
        return m->thread == q->id;
    case SEARCH_PROPERTY:
        return has_property(f, q);
    default:
        return f->message_id && is_message_id(q->text, f->message_id);
    }
}

int mail_match(struct tx *tx, const struct search *const *queries, size_t n,
               const struct mail_facts *facts, bool *ret, size_t *ret_steps)
{
    struct search_text text;
    struct search_facts f = {.key = facts->message->id, .text = &text, .own = own, .arg = facts};
    if (mail_text_delivered(tx, facts->text, facts->delivered, 0, &text) < 0)
        return -1;
    return search_match(tx, &mail_corpus, queries, n, &f, ret, ret_steps);
}

int mail_matches(struct tx *tx, const struct search *query, const struct mail_facts *facts)
{
    bool found;
    if (search_check(tx, query) < 0 || mail_match(tx, &query, 1, facts, &found, NULL) < 0)
        return -1;
    return found;
}

/* ---- the corpus ---- */

static struct search_sql statements =
    SEARCH_SQL("mail_index", "sender, recipient, cc, bcc, subject, body, file, extra",
               ":sender, :recipient, :cc, :bcc, :subject, :body, :file, :extra");
static struct search_common common =
    SEARCH_COMMON("mail_common", "mailbox", "mail_lacking", "message");
static struct search_list all = {.sql =
                                     SQL_TEXT("select id from mail_message where id <= :from and "
                                              "id >= :first order by id desc limit :n")};
static struct search_list labelled = {
    .sql =
        SQL_TEXT("select message from mail_member where folder = :folder and message <= :from and "
                 "message >= :first order by message desc limit :n"),
    .by_id = true};
static struct search_list filed = {
    .sql = SQL_TEXT("select distinct message from mail_message_folder where message <= :from and "
                    "message >= :first order by message desc limit :n")};
static struct search_list thread = {
    .sql = SQL_TEXT("select id from mail_message where thread = :thread and id <= :from and "
                    "id >= :first order by id desc limit :n"),
    .by_id = true};
/* The indexes of properties have those that are not the usual. */
#define PROPERTY_LIST(column)                                                                      \
    {                                                                                              \
        .sql = SQL_TEXT("select message from mail_property where " column " <> 0 and " column      \
                        " = :value and message <= :from and message >= :first "                    \
                        "order by message desc limit :n"),                                         \
        .by_id = true                                                                              \
    }
static struct search_list importance = PROPERTY_LIST("importance"), flag = PROPERTY_LIST("flag"),
                          inference = PROPERTY_LIST("inference");
static struct search_list *const lists[] = {
    [MAIL_LIST_FOLDER] = &labelled, [MAIL_LIST_FILED] = &filed,
    [MAIL_LIST_THREAD] = &thread,   [MAIL_LIST_IMPORTANCE] = &importance,
    [MAIL_LIST_FLAG] = &flag,       [MAIL_LIST_INFERENCE] = &inference};

static const char *const columns[INDEX_COLUMNS] = {"sender",  "recipient", "cc",   "bcc",
                                                   "subject", "body",      "file", "extra"};
static const struct search_field fields[] = {
    {FIELD_FROM, COLUMN_SENDER, ""},
    {FIELD_TO, COLUMN_RECIPIENT, ""},
    {FIELD_CC, COLUMN_CC, ""},
    {FIELD_BCC, COLUMN_BCC, ""},
    {FIELD_SUBJECT, COLUMN_SUBJECT, ""},
    {FIELD_BODY, COLUMN_BODY, ""},
    {FIELD_FILE, COLUMN_FILE, ""},
    {FIELD_DELIVERED, COLUMN_EXTRA, MARK_DELIVERED},
    {FIELD_REPLY, COLUMN_EXTRA, MARK_REPLY},
    {FIELD_LIST, COLUMN_EXTRA, MARK_LIST},
};
static const char *const kinds[] = {"label",     "flags",  "size",     "date",
                                    "messageId", "thread", "property", NULL};

const struct corpus mail_corpus = {
    .name = MAIL_CORE,
    .columns = columns,
    .n_columns = INDEX_COLUMNS,
    .fields = fields,
    .n_fields = SOSIA_LEN(fields),
    .any = FIELDS_ANY,
    .group_bits = AT_BITS + SEQ_BITS,
    .sql = &statements,
    .common = &common,
    .all = &all,
    .lists = lists,
    .kinds = kinds,
    .whole = whole,
    .compile = compile,
    .test = test,
};
