/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a question in Gmail's search language: it is refused, or it finds through the
 * index what it finds when each message is matched by itself, in the same order. */
#include "engine/base/utf8.h"
#include "engine/world/engine.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/gmail/query/query.h"
#include "fuzz/fuzz.h"

static const char DOC[] = "{\"sosia\":1,\"time\":\"2026-02-01T00:00:00Z\",\"people\":["
                          "{\"email\":\"alice@example.com\",\"name\":\"Alice\"}]}";

static const struct {
    const char *raw;
    int64_t at_s;
    uint32_t flags;
} letters[] = {
    {"From: \"Amy Poe\" <amy.poe@shop.example.com>\r\nTo: alice@example.com\r\nDelivered-To: "
     "alice@example.com\r\nSubject: Dinner and movie tonight\r\nMessage-ID: <a1@x>\r\n\r\n"
     "Bring the unicorn costume. Order 01.2047-100 is confirmed.\r\n",
     1768075200, FLAG(LABEL_INBOX) | FLAG(LABEL_UNREAD) | FLAG(LABEL_PERSONAL)},
    {"From: Bob <bob_smith@example.com>\r\nTo: alice+news@example.com\r\nCc: carol@example.com\r\n"
     "Subject: Re: Quarterly report\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n"
     "The secret plan for Friday: a birthday cake.\r\n--b\r\nContent-Type: application/pdf; "
     "name=report-final.pdf\r\n\r\nx\r\n--b--\r\n",
     1768118399, FLAG(LABEL_INBOX) | FLAG(LABEL_STARRED) | FLAG(LABEL_IMPORTANT)},
    {"From: alice@example.com\r\nTo: dave@example.org\r\nBcc: eve@example.org\r\n"
     "Subject: Invoice 42\r\n\r\nSee foo_bar and john-smith\r\n",
     1768118400, FLAG(LABEL_SENT)},
    {"From: win@bad.example\r\nSubject: Win a movie\r\n\r\nNow\r\n", 1768900000, FLAG(LABEL_SPAM)},
    {"List-ID: <dev.lists.example.org>\r\nReply-To: a@b\r\n\r\nhttps://youtu.be/abc a a b a\r\n",
     1765792800, FLAG(LABEL_FORUMS)},
    {"Subject: caf\xC3\xA9 \xE4\xBC\x9A\xE8\xAD\xB0\r\n\r\na b a\r\n", 1765792800, 0},
};
#define N_LETTERS SOSIA_LEN(letters)

static struct sosia_engine *engine;
static struct sosia_err err;
static struct worker *worker;
static struct world *world;
static struct tx tx;
static struct mailbox box;
static struct mail_message messages[N_LETTERS]; /* newest first */
static struct mail_facts facts[N_LETTERS];
static struct search_text texts[N_LETTERS];
static struct arena kept;

static int newest_first(const void *a, const void *b)
{
    int64_t x = ((const struct mail_message *)a)->id, y = ((const struct mail_message *)b)->id;
    return (x < y) - (x > y);
}

static void add_letters(void)
{
    struct mail_folder l = {.mailbox = box.id, .name = "Work/Q1 Plans"};
    CHECK(mail_folder_add(&tx, &l) == 0);
    for (size_t i = 0; i < N_LETTERS; i++) {
        struct mail_message_new in = {.mailbox = &box,
                                      .raw = letters[i].raw,
                                      .len = strlen(letters[i].raw),
                                      .at_s = letters[i].at_s,
                                      .flags = letters[i].flags,
                                      .folders = &l.id,
                                      .n_folders = i % 2};
        CHECK(mail_message_add(&tx, &in, &messages[i]) == 0);
    }
    qsort(messages, N_LETTERS, sizeof *messages, newest_first);
}

static void end(void)
{
    tx_rollback(&tx);
    worker_drop(worker);
    world_drop(world);
    arena_done(&kept);
}

static void start(void)
{
    struct sosia_world_options opt = {.seed_doc = DOC, .seed_doc_len = strlen(DOC)};
    uint64_t id;
    arena_init(&kept, 0);
    engine = fuzz_engine(NULL);
    CHECK(sosia_world_create(engine, &opt, &id, &err) == 0);
    CHECK((worker = worker_take(engine, &err)) && (world = world_take(engine, id, &err)));
    CHECK(tx_begin(&tx, engine, world, worker, true, world_now(world), &err) == 0);
    tx.arena = &kept;
    CHECK(mailbox_by_address(&tx, "alice@example.com", &box) == 1);
    add_letters();
    for (size_t i = 0; i < N_LETTERS; i++) {
        struct mail_letter_head *head = arena_alloc(&kept, sizeof *head);
        struct mail_letter_text text;
        struct buf raw;
        int64_t *labels;
        buf_init(&raw, 0);
        CHECK(mail_message_raw(&tx, &messages[i], &raw) == 0);
        const char *bytes = arena_memdup(&kept, raw.data, raw.len);
        CHECK(mail_letter_read(&tx, bytes, raw.len, head, &text) == 0);
        CHECK(mail_letter_words(&tx, head, &text, &texts[i], &facts[i].delivered) == 0);
        CHECK(mail_message_own_folders(&tx, &messages[i], &labels, &facts[i].n_folders) == 0);
        facts[i].folders = labels;
        facts[i].message = &messages[i];
        facts[i].text = &texts[i];
        facts[i].message_id = mime_header(&kept, head->head, head->len, "Message-ID");
        buf_done(&raw);
    }
    CHECK(atexit(end) == 0);
}

static void compare(const struct query *q)
{
    struct mail_list list = {.mailbox = box.id, .query = q->tree, .limit = 2};
    struct mail_message *page;
    size_t n, at = 0;
    bool more = true;
    list.without = (q->spam ? 0 : FLAG(LABEL_SPAM)) | (q->trash ? 0 : FLAG(LABEL_TRASH));
    while (more) {
        if (mail_list(&tx, &list, &page, &n, &more) < 0) {
            CHECK(err.code == SOSIA_E_INVALID && !strcmp(err.reason, "tooComplex"));
            return;
        }
        CHECK(n <= list.limit && (n || !more));
        for (size_t i = 0; i < n; i++) {
            for (; at < N_LETTERS && messages[at].id != page[i].id; at++)
                CHECK((messages[at].flags & list.without) ||
                      mail_matches(&tx, q->tree, &facts[at]) == 0);
            CHECK(at < N_LETTERS && mail_matches(&tx, q->tree, &facts[at]) == 1);
            list.before = messages[at++].id;
        }
    }
    for (; at < N_LETTERS; at++)
        CHECK((messages[at].flags & list.without) || mail_matches(&tx, q->tree, &facts[at]) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena own;
    struct query q;
    if (!engine)
        start();
    arena_init(&own, 0);
    tx.arena = &own;
    /* Parameters are valid UTF-8. */
    char *text = arena_memdup(&own, data, size);
    utf8_scrub(text);
    if (gmail_query_parse(&tx, &box, text, &q) == 0)
        compare(&q);
    else
        CHECK(err.code == SOSIA_E_INVALID);
    CHECK(!arena_failed(&own));
    arena_done(&own);
    return 0;
}
