/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching a mailbox of 100,000 messages (or the number of the argument) in process: pages of 100
 * from the index, and whole API calls. Words are as frequent as in a language: the nth by one over
 * n.
 */
#include "bench/bench_call.h"
#include "engine/base/codec.h"
#include "engine/world/engine.h"
#include "engine/search/index.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/gmail/label.h"

#define BATCHES 15
#define BEGIN   INT64_C(1680000000)
#define DAY     86400

static struct sosia_engine *engine;
static struct sosia_err err;
static struct tx tx;
static struct mailbox box;
static struct worker *worker;
static struct world *world;
static uint64_t state = 88172645463325252;
static char bearer[SOSIA_TOKEN_MAX + 16];

static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % n);
}

/* ---- the mailbox ---- */

static void add_words(struct buf *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rank = 1000000 / (below(1000000) + 30);
        buf_printf(b, "w%u ", (unsigned)(rank + 1));
    }
}

static void put_message(struct search_bulk *bulk, unsigned i, int64_t at_s)
{
    struct mail_letter_head head;
    struct mail_letter_text text;
    struct mail_message m;
    struct mail_message_new in = {.mailbox = &box, .at_s = at_s, .quiet = true};
    struct put put = {.in = &in, .head = &head, .text = &text, .bulk = bulk};
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "From: Person %u <person.%u@team%u.example>\r\n", (unsigned)below(300),
               (unsigned)below(300), (unsigned)below(20));
    buf_puts(&b, "To: Ada <ada@acme.example>\r\nSubject: ");
    add_words(&b, 5);
    buf_printf(&b, "\r\nMessage-ID: <%u@bench.example>\r\n\r\n", i);
    add_words(&b, 60 + below(120));
    if (i % 20000 == 77)
        buf_puts(&b, "rareword");
    in.flags = (below(10) < 3 ? FLAG(LABEL_INBOX) : 0) | (below(10) == 0 ? FLAG(LABEL_UNREAD) : 0) |
               (below(100) == 0 ? FLAG(LABEL_STARRED) : 0);
    if (mail_letter_read(&tx, b.data, b.len, &head, &text) < 0 ||
        mail_message_put(&tx, &put, &m) < 0)
        bench_die("put", err.text);
    buf_done(&b);
}

static void open_world(void)
{
    static const char doc[] =
        "sosia: 1\ntime: 2026-11-21T08:00:00Z\npeople: [{email: ada@acme.example, name: Ada}]\n";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    uint64_t id;
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options who = {.actor = "ada@acme.example"};
    if (sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &id, &err) < 0 ||
        sosia_token_issue(engine, id, &who, token, sizeof token, &err) < 0 ||
        !(worker = worker_take(engine, &err)) || !(world = world_take(engine, id, &err)) ||
        tx_begin(&tx, engine, world, worker, true, world_now(world), &err) < 0)
        bench_die("open", err.text);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    sosia_engine_default_world(engine, id);
}

static void fill(unsigned n)
{
    struct search_bulk *bulk;
    struct arena own, *kept = tx.arena;
    int64_t at = BEGIN;
    double begun = bench_wall();
    if (mailbox_by_address(&tx, "ada@acme.example", &box) != 1 ||
        search_bulk_begin(&tx, &mail_corpus, &bulk) < 0)
        bench_die("mailbox", err.text);
    for (unsigned i = 0; i < n; i++) {
        arena_init(&own, 0);
        tx.arena = &own;
        put_message(bulk, i, at += 1 + below(1000));
        tx.arena = kept;
        arena_done(&own);
    }
    tx.events = tx.last_event = NULL;
    if (search_bulk_end(&tx, bulk, false) < 0 || mail_folders_recount(&tx, box.id) < 0 ||
        tx_commit(&tx) < 0)
        bench_die("fill", err.text);
    bench_report("mailbox filled, a message", (bench_wall() - begun) / n / 1e3, "us", 0, "<= 200");
}

/* ---- questions ---- */

static double page(const struct search *q, size_t *ret_n)
{
    double times[BATCHES];
    for (int i = 0; i < BATCHES; i++) {
        struct mail_list list = {.mailbox = box.id,
                                 .query = q,
                                 .without = FLAG(LABEL_SPAM) | FLAG(LABEL_TRASH),
                                 .limit = 100};
        struct mail_message *found;
        bool more;
        arena_reset(tx.arena);
        tx.later = NULL; /* what was put off is gone with it */
        double begun = bench_cpu();
        if (mail_list(&tx, &list, &found, ret_n, &more) < 0)
            bench_die("list", err.text);
        times[i] = bench_cpu() - begun;
    }
    return bench_percentile(times, BATCHES, 0.5) / 1e3;
}

#define WORDS(t)   (&(const struct search){.kind = SEARCH_PHRASE, .fields = FIELDS_ANY, .text = (t)})
#define ROLE(r)    (&(const struct search){.kind = SEARCH_FLAGS, .bits = FLAG(r)})
#define DATE(a, b) (&(const struct search){.kind = SEARCH_DATE, .from = (a), .to = (b)})
#define LARGER(n)  (&(const struct search){.kind = SEARCH_SIZE, .from = (n), .to = INT64_MAX})
#define FROM(t)    (&(const struct search){.kind = SEARCH_ADDRESS, .fields = FIELD_FROM, .text = (t)})
#define JOIN(k, ...)                                                                               \
    (&(const struct search){.kind = (k),                                                           \
                            .kids = (const struct search *const[]){__VA_ARGS__},                   \
                            .n_kids = sizeof((const struct search *const[]){__VA_ARGS__}) /        \
                                      sizeof(void *)})
#define ALL_OF(...) JOIN(SEARCH_AND, __VA_ARGS__)
#define ONE_OF(...) JOIN(SEARCH_OR, __VA_ARGS__)
#define NOT(x)      JOIN(SEARCH_NOT, x)

static void measure_pages(unsigned n)
{
    int64_t middle = BEGIN + (int64_t)n * 250;
    const struct {
        const char *name;
        const struct search *q;
        const char *target;
    } cases[] = {
        {"page of a rare word", WORDS("rareword"), "<= 100"},
        {"page of no word", WORDS("nosuchword"), "<= 100"},
        {"page of a common word", WORDS("w4"), NULL},
        {"page of two common words in 20 days",
         ALL_OF(WORDS("w4"), WORDS("w7"), DATE(middle, middle + 20 * DAY)), "<= 2000"},
        {"page of two common words before a date",
         ALL_OF(WORDS("w4"), WORDS("w7"), DATE(INT64_MIN, middle)), "<= 2000"},
        {"page of two common words on no day", ALL_OF(WORDS("w4"), WORDS("w7"), DATE(DAY, 2 * DAY)),
         "<= 2000"},
        {"page of the inbox", ROLE(LABEL_INBOX), "<= 100"},
        {"page of unread ones with a common word", ALL_OF(ROLE(LABEL_UNREAD), WORDS("w4")), NULL},
        {"page of starred ones with a common word", ALL_OF(ROLE(LABEL_STARRED), WORDS("w4")), NULL},
        {"page of the inbox without a common word", ALL_OF(ROLE(LABEL_INBOX), NOT(WORDS("w4"))),
         "<= 100"},
        {"page from an address", FROM("person.7@team3.example"), NULL},
        {"page from an address or starred",
         ONE_OF(FROM("person.7@team3.example"), ROLE(LABEL_STARRED)), NULL},
        {"page of those over 10 MB (none)", LARGER(10 << 20), NULL},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        size_t found;
        double us = page(cases[i].q, &found);
        bench_report(cases[i].name, us, "us", 0, cases[i].target);
    }
}

/* ---- calls ---- */

static void measure_call(const char *name, const char *target, const char *goal)
{
    bench_report(name, bench_gets(engine, bearer, target, BATCHES), "us", 0, goal);
}

int main(int argc, char **argv)
{
    int64_t n = 100000;
    const char *last = argv[argc - 1];
    bench_begin(argc, argv);
    if (argc > 1 && last[0] != '-' && (parse_i64(last, strlen(last), &n) < 0 || n < 1000))
        return 2;
    open_world();
    fill((unsigned)n);
    if (tx_begin(&tx, engine, world, worker, false, world_now(world), &err) < 0)
        bench_die("begin", err.text);
    measure_pages((unsigned)n);
    tx_rollback(&tx);
    world_drop(world);
    worker_drop(worker);
#define LIST "/gmail/v1/users/me/messages?"
    measure_call("call: 100 by label", LIST "labelIds=INBOX", NULL);
    measure_call("call: a rare word", LIST "q=rareword", "<= 100");
    measure_call("call: two common words and a date", LIST "q=w4%20w7%20before:2024/01/01",
                 "<= 2000");
    sosia_engine_close(engine);
    return 0;
}
