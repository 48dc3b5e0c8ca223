/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to a mailbox, evaluated in two ways: through the index, page by page, and by matching
 * each message by itself. Messages are added, deleted and labelled in between. Seed and number of
 * steps are arguments; they are the same every time without.
 */
#include "engine/search/index.h"
#include "engine/base/codec.h"
#include "engine/world/engine.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/gmail/label.h"
#include "tests/support/dose.h"
#include <stdio.h>
#include <stdlib.h>

#define MAX_MESSAGES 600
#define NOW          INT64_C(1770000000)

static uint64_t state = 20260201;
static struct sosia_engine *engine;
static struct sosia_err err;
static struct tx tx;
static struct arena arena; /* of the present step */
static struct mailbox boxes[2];
static int64_t own_labels[2][3];

static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % n);
}

static bool chance(uint32_t percent)
{
    return below(100) < percent;
}

static void die(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, err.text);
    exit(1);
}

/* ---- messages ---- */

static struct mail_message messages[MAX_MESSAGES];
static size_t n_messages;

static const char *const words[] = {"apple",   "Birne", "caf\xC3\xA9",
                                    "delta",   "echo",  "1.5",
                                    "foo_bar", "a&b",   "\xE4\xBC\x9A\xE8\xAD\xB0"};
static const char *const people[] = {"Amy Poe <amy.poe@shop.example>", "bob@acme.example",
                                     "\"Apple, Inc\" <apple+echo@a.example>", "ada@acme.example"};

static const char *word(void)
{
    return words[below(SOSIA_LEN(words))];
}

static const char *person(void)
{
    return people[below(SOSIA_LEN(people))];
}

static void add_text(struct buf *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        buf_printf(b, "%s%s",
                   i ? (chance(80)   ? " "
                        : chance(50) ? ", "
                                     : "-")
                     : "",
                   chance(6) ? "x@y.example" : word());
}

static void add_header(struct buf *b, const char *name, const char *value, uint32_t percent)
{
    if (chance(percent))
        buf_printf(b, "%s: %s\r\n", name, value);
}

static const char *make_raw(size_t *ret_len)
{
    struct buf b;
    buf_init(&b, 0);
    add_header(&b, "From", person(), 95);
    add_header(&b, "To", person(), 80);
    add_header(&b, "Cc", person(), 30);
    add_header(&b, "Bcc", person(), 10);
    add_header(&b, "Reply-To", person(), 20);
    add_header(&b, "Delivered-To", "ada@acme.example", 30);
    add_header(&b, "List-ID", "<echo.lists.example>", 15);
    buf_printf(&b, "Message-ID: <m%u@x>\r\nSubject: ", (unsigned)below(200));
    add_text(&b, below(4));
    bool file = chance(20);
    if (file)
        buf_puts(&b, "\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b");
    buf_puts(&b, "\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n");
    add_text(&b, below(12));
    if (chance(10))
        buf_printf(&b, " https://%s", chance(50) ? "youtu.be/x" : "docs.google.com/document/d/1");
    for (uint32_t n = chance(10) ? below(200000) : 0; n > 60; n -= 60)
        buf_puts(&b, "\r\n..........................................................");
    if (file)
        buf_printf(&b,
                   "\r\n--b\r\nContent-Type: application/pdf; name=\"%s.pdf\"\r\n\r\nx\r\n--b--",
                   word());
    const char *raw = arena_memdup(&arena, b.data, b.len);
    *ret_len = b.len;
    buf_done(&b);
    return raw;
}

static void add_message(void)
{
    unsigned box = below(2);
    int64_t labels[2];
    struct mail_message_new in = {.mailbox = &boxes[box], .folders = labels, .quiet = chance(50)};
    in.raw = make_raw(&in.len);
    for (int role = 0; role < N_SYSTEM_LABELS; role++)
        if (chance(15) && role != LABEL_DRAFT)
            in.flags |= FLAG(role);
    if (chance(20))
        labels[in.n_folders++] = own_labels[box][below(3)];
    in.at_s = NOW - below(20) * 86400 - below(3);
    if (mail_message_add(&tx, &in, &messages[n_messages]) < 0)
        die("add");
    n_messages++;
}

static void change_something(void)
{
    struct mail_message *m = &messages[below((uint32_t)n_messages)];
    int64_t label = mail_folder_id(m->mailbox, below(N_SYSTEM_LABELS));
    if (mail_folder_place(label) == LABEL_DRAFT)
        label = mail_folder_id(m->mailbox, LABEL_STARRED);
    if (chance(30))
        label = own_labels[m->mailbox == boxes[1].id][below(3)];
    bool gone = chance(15);
    int rc = gone         ? mail_message_delete(&tx, m)
             : chance(50) ? mail_message_modify(&tx, m, &label, 1, NULL, 0)
                          : mail_message_modify(&tx, m, NULL, 0, &label, 1);
    if (rc < 0)
        die("change");
    if (gone)
        *m = messages[--n_messages];
}

/* ---- questions ---- */

static const char *some_text(uint32_t most)
{
    struct buf b;
    if (chance(15))
        return person();
    buf_init(&b, 0);
    add_text(&b, 1 + below(most));
    const char *text = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static unsigned some_fields(void)
{
    static const unsigned sets[] = {FIELDS_ANY,  FIELDS_ANY,      FIELD_FROM,
                                    FIELD_TO,    FIELD_SUBJECT,   FIELD_TO | FIELD_CC | FIELD_BCC,
                                    FIELD_BODY,  FIELD_FILE,      FIELD_LIST,
                                    FIELD_REPLY, FIELD_DELIVERED, FIELD_FROM | FIELD_REPLY};
    return sets[below(SOSIA_LEN(sets))];
}

static void some_leaf(struct search *q, unsigned box)
{
    q->fields = some_fields();
    q->text = some_text(3);
    switch (below(10)) {
    case 0:
        q->kind = SEARCH_ADDRESS;
        q->text = chance(80) ? "amy.poe@shop.example" : word();
        break;
    case 1:
        q->kind = SEARCH_NEAR;
        q->text = some_text(2);
        q->text2 = some_text(2);
        q->distance = (int)below(6);
        q->ordered = chance(50);
        break;
    case 2:
        q->kind = SEARCH_FOLDER;
        q->id = chance(50) ? own_labels[box][below(3)]
                           : mail_folder_id(boxes[box].id, below(N_SYSTEM_LABELS));
        break;
    case 3:
        q->kind = SEARCH_FLAGS;
        q->bits = FLAG(below(N_SYSTEM_LABELS)) | (chance(20) ? FLAG(below(N_SYSTEM_LABELS)) : 0);
        if (chance(20))
            q->bits = FLAG_OWN_FOLDERS;
        break;
    case 4:
        q->kind = SEARCH_HAS;
        q->bits = 1u << below(7);
        break;
    case 5:
        q->kind = SEARCH_SIZE;
        q->from = chance(50) ? 0 : below(200000);
        q->to = chance(50) ? INT64_MAX : below(200000);
        break;
    case 6:
        q->kind = SEARCH_DATE;
        q->from = chance(30) ? INT64_MIN : NOW - below(20 * 86400);
        q->to = chance(30) ? INT64_MAX : NOW - below(10 * 86400);
        break;
    case 7:
        q->kind = SEARCH_MESSAGE_ID;
        q->text = arena_printf(&arena, "<m%u@x>", (unsigned)below(200));
        break;
    default:
        q->kind = SEARCH_PHRASE;
        if (chance(5))
            q->text = "!?";
    }
}

static const struct search *question(unsigned box, int depth)
{
    struct search *q = arena_calloc(&arena, 1, sizeof *q);
    if (depth == 0 || chance(35)) {
        some_leaf(q, box);
        return q;
    }
    const struct search **kids = arena_alloc(&arena, 5 * sizeof *kids);
    uint32_t kind = below(10);
    q->kind = kind < 5 ? SEARCH_AND : kind < 8 ? SEARCH_OR : SEARCH_NOT;
    q->n_kids = q->kind == SEARCH_NOT ? 1 : chance(3) ? 0 : 1 + below(4);
    for (size_t i = 0; i < q->n_kids; i++)
        kids[i] = question(box, depth - 1);
    q->kids = kids;
    return q;
}

static void print(const struct search *q, int indent)
{
    static const char *const names[] = {"and",  "or",   "not",       "phrase", "address",
                                        "near", "has",  "range",     "label",  "flags",
                                        "size", "date", "message id"};
    fprintf(stderr, "%*s%s fields %x [%s] [%s] %d%s label %llx bits %x %lld to %lld\n", indent, "",
            names[q->kind], q->fields, q->text ? q->text : "", q->text2 ? q->text2 : "",
            q->distance, q->ordered ? " in order" : "", (unsigned long long)q->id,
            (unsigned)q->bits, (long long)q->from, (long long)q->to);
    for (size_t i = 0; i < q->n_kids; i++)
        print(q->kids[i], indent + 2);
}

/* ---- the two results ---- */

static int newest_first(const void *a, const void *b)
{
    int64_t x = ((const struct mail_message *)a)->id, y = ((const struct mail_message *)b)->id;
    return (x < y) - (x > y);
}

static bool matches(const struct search *q, const struct mail_message *m)
{
    struct mail_letter_head head;
    struct mail_letter_text text;
    struct search_text found_by;
    struct mail_facts facts = {.message = m, .text = &found_by};
    struct buf raw;
    int64_t *labels;
    size_t n;
    buf_init(&raw, 0);
    if (mail_message_raw(&tx, m, &raw) < 0 ||
        mail_letter_read(&tx, raw.data, raw.len, &head, &text) < 0 ||
        mail_letter_words(&tx, &head, &text, &found_by, &facts.delivered) < 0 ||
        mail_message_own_folders(&tx, m, &labels, &n) < 0)
        die("words");
    facts.folders = labels;
    facts.n_folders = n;
    facts.message_id = mime_header(tx.arena, head.head, head.len, "Message-ID");
    int rc = mail_matches(&tx, q, &facts);
    buf_done(&raw);
    if (rc < 0)
        die("matches");
    return rc;
}

static size_t expected(const struct mail_list *list, int64_t ret[MAX_MESSAGES])
{
    int64_t threads[MAX_MESSAGES];
    size_t n = 0;
    qsort(messages, n_messages, sizeof *messages, newest_first);
    for (size_t i = 0; i < n_messages; i++) {
        struct mail_message m;
        if (messages[i].mailbox != list->mailbox ||
            mail_message_by_id(&tx, messages[i].id, &m) != 1 || (m.flags & list->without) ||
            !matches(list->query, &m))
            continue;
        bool again = false;
        for (size_t k = 0; list->threads && k < n; k++)
            again = again || threads[k] == m.thread;
        if (again)
            continue;
        threads[n] = m.thread;
        ret[n++] = m.id;
    }
    return n;
}

static size_t answered(struct mail_list *list, int64_t ret[MAX_MESSAGES])
{
    struct mail_message *page;
    size_t n = 0, page_n;
    bool more = true;
    while (more) {
        list->limit = 1 + below(chance(50) ? 3 : 100);
        if (mail_list(&tx, list, &page, &page_n, &more) < 0)
            die("list");
        for (size_t i = 0; i < page_n && n < MAX_MESSAGES; i++)
            ret[n++] = page[i].id;
        if (more && !page_n)
            die("an empty page with more behind it");
        if (page_n)
            list->before = page[page_n - 1].id;
    }
    return n;
}

static bool agree(struct mail_list *list, unsigned step, size_t *found)
{
    static int64_t want[MAX_MESSAGES], got[MAX_MESSAGES];
    size_t n = expected(list, want), m = answered(list, got);
    *found += n;
    if (n == m && memcmp(want, got, n * sizeof *got) == 0)
        return true;
    fprintf(stderr, "step %u: expected %zu, got %zu%s\n", step, n, m,
            list->threads ? ", of threads" : "");
    print(list->query, 2);
    return false;
}

static bool compare(unsigned step, size_t *found)
{
    unsigned box = below(2);
    struct mail_list list = {.mailbox = boxes[box].id, .threads = chance(30)};
    if (chance(70))
        list.without = FLAG(LABEL_SPAM) | FLAG(LABEL_TRASH);
    list.query = question(box, (int)below(5));
    return agree(&list, step, found);
}

/* All that lack a word of which the index keeps a list. */
static bool compare_lacking(unsigned step, size_t *found, size_t *ret_lists)
{
    enum { MOST = 48 };
    static struct sql_text q =
        SQL_TEXT("select mailbox, word from mail_common order by id limit 48");
    struct mail_list lists[MOST] = {0};
    size_t n = 0;
    bool good = true;
    sqlite3_stmt *st = TX_PLAIN(&tx, &q);
    if (!st)
        die("common");
    while (TX_STEP(&tx, st) == 1) {
        struct search *list = arena_calloc(&arena, 2, sizeof *list);
        const struct search **kid = arena_alloc(&arena, sizeof *kid);
        *kid = &list[1];
        list[0] = (struct search){.kind = SEARCH_NOT, .kids = kid, .n_kids = 1};
        list[1] =
            (struct search){.kind = SEARCH_PHRASE,
                            .fields = FIELDS_ANY,
                            .text = arena_strdup(&arena, (const char *)sqlite3_column_text(st, 1))};
        lists[n++] = (struct mail_list){.mailbox = sqlite3_column_int64(st, 0), .query = list};
    }
    for (size_t i = 0; i < n; i++)
        good = agree(&lists[i], step, found) && good;
    *ret_lists += n;
    return good;
}

/* ---- all of it ---- */

static void open_world(struct worker **worker, struct world **world)
{
    static const char doc[] =
        "sosia: 1\ntime: 2026-02-01T00:00:00Z\npeople: [{email: ada@acme.example}, "
        "{email: bob@acme.example}]\n";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    uint64_t id;
    if (sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &id, &err) < 0 || !(*worker = worker_take(engine, &err)) ||
        !(*world = world_take(engine, id, &err)) ||
        tx_begin(&tx, engine, *world, *worker, true, world_now(*world), &err) < 0)
        die("open");
    for (int i = 0; i < 2; i++) {
        if (mailbox_by_address(&tx, i ? "bob@acme.example" : "ada@acme.example", &boxes[i]) != 1)
            die("mailbox");
        for (int k = 0; k < 3; k++) {
            struct mail_folder l = {.mailbox = boxes[i].id,
                                    .name = k == 0   ? "Work"
                                            : k == 1 ? "Work/Q1"
                                                     : "A&E"};
            if (mail_folder_add(&tx, &l) < 0)
                die("label");
            own_labels[i][k] = l.id;
        }
    }
}

int main(int argc, char **argv)
{
    unsigned steps = (unsigned)dose(600, 300), wrong = 0;
    struct worker *worker = NULL;
    struct world *world = NULL;
    size_t found = 0, lists = 0;
    int64_t n;
    if (argc > 1 && parse_i64(argv[1], strlen(argv[1]), &n) == 0)
        state = (uint64_t)n;
    if (argc > 2 && parse_i64(argv[2], strlen(argv[2]), &n) == 0)
        steps = (unsigned)n;
    /* So that words become common in mailboxes as small as these, and are no more. */
    mail_corpus.common->every = 2;
    mail_corpus.common->least = mail_corpus.common->newest = 9;
    open_world(&worker, &world);
    arena_init(&arena, 0);
    tx.arena = &arena;
    for (unsigned step = 0; step < steps && wrong < 5; step++) {
        if (n_messages < 40 || (n_messages < MAX_MESSAGES && chance(25)))
            add_message();
        else if (chance(20))
            change_something();
        if (tx_do_later(&tx) < 0)
            die("later");
        if (n_messages >= 40 && !compare(step, &found))
            wrong++;
        if (step % 10 == 0 && !compare_lacking(step, &found, &lists))
            wrong++;
        if (search_settle(&tx) < 0)
            die("settle");
        tx.events = tx.last_event = NULL; /* these were in it */
        tx.later = NULL;
        arena_reset(&arena);
    }
    printf("%u steps, %zu messages, %zu found, %zu lists of what lacks a word, %u wrong\n", steps,
           n_messages, found, lists, wrong);
    tx_rollback(&tx);
    world_drop(world);
    worker_drop(worker);
    arena_done(&arena);
    sosia_engine_close(engine);
    return wrong || !found || !lists;
}
