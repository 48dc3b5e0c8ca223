/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outlook Mail in a mailbox of 100,000 messages (--small: 2,000), through whole API calls in
 * process: a page of the newest, $filter that an index answers, $search, and a delta of nothing
 * new. What they cost follows from the page, and not from the mailbox.
 *     outlook_mail [--json] [--small]
 */
#include "bench/bench_call.h"
#include "engine/base/buf.h"

enum { MESSAGES = 100000, FEW = 2000, GETS = 25 };

#define WHO    "ada@bench.example"
#define PATH   "/v1.0/me/messages?$top=50&$select=id,conversationId"
#define FOLDER "/v1.0/me/mailFolders('inbox')/messages"

static struct sosia_engine *engine;
static struct sosia_err err;
static const char bearer[] = "Bearer bench-token-1";

static void add_message(struct buf *b, int i)
{
    time_t at = 1600000000 + (time_t)i * 1800;
    struct tm tm;
    char date[32];
    gmtime_r(&at, &tm);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &tm);
    buf_printf(b,
               "%s{\"from\":\"Person %d <p%d@bench.example>\",\"to\":[\"" WHO "\"],\"date\":\"%s\","
               "\"subject\":\"Letter %d\",\"text\":\"What there is to say about the things of day "
               "%d and of room %d%s.\\n\",\"labels\":[\"INBOX\"%s]}",
               i ? "," : "", i % 300, i % 300, date, i, i / 48, i % 50,
               i % 1000 == 77 ? ", xylophone" : "", i % 10 ? "" : ",\"unread\"");
}

static uint64_t make_world(int n)
{
    struct buf b;
    uint64_t world;
    buf_init(&b, 0);
    buf_puts(&b,
             "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":"
             "\"bench.example\"}],\"people\":[{\"email\":\"" WHO "\"}],\"tokens\":[{\"token\":"
             "\"bench-token-1\",\"actor\":\"" WHO "\"}],\"accounts\":[{\"actor\":\"" WHO
             "\",\"vendor\":\"microsoft\"}],\"mailboxes\":[{\"person\":\"" WHO "\",\"messages\":[");
    for (int i = 0; i < n; i++)
        add_message(&b, i);
    buf_puts(&b, "]}]}");
    if (buf_failed(&b))
        bench_die("document", "there is no memory for it");
    struct sosia_world_options opt = {.seed_doc = b.data, .seed_doc_len = b.len};
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("world", err.text);
    buf_done(&b);
    sosia_engine_default_world(engine, world);
    return world;
}

/* The target of the delta behind all that there is. */
static void find_delta(uint64_t world, char *ret, size_t size)
{
    static const char link[] = "deltaLink\":\"https://graph.microsoft.com";
    struct sosia_response *res =
        bench_call(engine, world, bearer, "GET", FOLDER "/delta?$deltatoken=latest", NULL);
    const char *at = strstr(res->body, link);
    if (!at)
        bench_die("delta", "the answer has no link");
    at += sizeof link - 1;
    snprintf(ret, size, "%.*s", (int)strcspn(at, "\""), at);
    sosia_response_free(res);
}

static void measure(const char *name, const char *target, const char *limit)
{
    bench_report(name, bench_gets(engine, bearer, target, GETS), "us", 0, limit);
}

int main(int argc, char **argv)
{
    const bool small = argc > 1 && strcmp(argv[argc - 1], "--small") == 0;
    char delta[1024];
    bench_begin(argc, argv);
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("engine", err.text);
    uint64_t world = make_world(small ? FEW : MESSAGES);
    find_delta(world, delta, sizeof delta);
    measure("Outlook: ids of 50 messages", PATH, "<= 100");
    measure("Outlook: 50 messages", "/v1.0/me/messages?$top=50", NULL);
    measure("Outlook: 50 unread", PATH "&$filter=isRead%20eq%20false", "<= 200");
    measure("Outlook: 50 of a sender",
            PATH "&$filter=from/emailAddress/address%20eq%20'p7@bench.example'", "<= 500");
    measure("Outlook: 50 of a month",
            PATH "&$filter=receivedDateTime%20ge%202020-11-01T00:00:00Z%20and%20"
                 "receivedDateTime%20lt%202020-12-01T00:00:00Z",
            "<= 200");
    measure("Outlook: $search of a rare word", PATH "&$search=%22xylophone%22", "<= 500");
    measure("Outlook: delta of nothing new", delta, "<= 60");
    sosia_engine_close(engine);
    return 0;
}
