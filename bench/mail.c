/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mail in a world of 100,000 messages and 1,000 people, through whole API calls in process: making
 * the world, reading, lists, questions, sending to one and to a thousand. The messages are made up
 * from a fixed seed: words that are as common as in a language, threads, some HTML, some files.
 */
#include "bench/bench_call.h"
#include "engine/base/buf.h"
#include "sosia.h"

#define PEOPLE   1000
#define MESSAGES 100000
#define MAIN     60000 /* of them in the mailbox that is read */
#define OTHERS   40    /* mailboxes with the rest */
#define WORDS    20000
#define BATCHES  9

static struct sosia_engine *engine;
static struct sosia_err err;
static char bearer[SOSIA_TOKEN_MAX + 16];

static struct sosia_response *call(uint64_t world, const char *method, const char *target,
                                   const char *body)
{
    return bench_call(engine, world, bearer, method, target, body);
}

/* Signs in the owner of the mailbox that is read in this world. */
static void sign_in(uint64_t world)
{
    struct sosia_token_options token = {.actor = "p0@bench.example"};
    memcpy(bearer, "Bearer ", 7);
    if (sosia_token_issue(engine, world, &token, bearer + 7, SOSIA_TOKEN_MAX, &err) < 0)
        bench_die("token", err.text);
}

/* ---- the world ---- */

static uint64_t state = 42;

static uint32_t next_random(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33);
}

/* The nth word: two to four syllables. */
static void add_word(struct buf *b, unsigned n)
{
    static const char *const syllables[] = {"ba", "co", "di", "fu",  "ga",  "ho",  "ji",  "ku",
                                            "la", "mo", "ni", "pu",  "ra",  "so",  "ti",  "vu",
                                            "wa", "xo", "zi", "tha", "ste", "mer", "lin", "dor"};
    const unsigned k = sizeof syllables / sizeof syllables[0];
    do {
        buf_puts(b, syllables[n % k]);
        n /= k;
    } while (n);
}

/* Common ones are common: the nth comes about 1/n as often as the first. */
static unsigned some_word(void)
{
    double u = (double)next_random() / 4294967296.0 * 2;
    double n = 1;
    for (u *= 14.3; u > 1 && n < WORDS; u -= 1)
        n *= 2;
    unsigned word = (unsigned)(n + next_random() % (unsigned)n);
    return word % WORDS;
}

static void add_words(struct buf *b, int n)
{
    for (int i = 0; i < n; i++) {
        if (i)
            buf_byte(b, i % 12 ? ' ' : '.');
        if (i && i % 12 == 0)
            buf_byte(b, ' ');
        add_word(b, some_word());
    }
}

static void add_message(struct buf *b, int mailbox, int i, int n)
{
    int64_t at = 1700000000 + (int64_t)i * (90000000 / n) + mailbox;
    time_t t = (time_t)at;
    struct tm tm;
    char date[32];
    gmtime_r(&t, &tm);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &tm);
    int reply = i % 4;
    buf_printf(b,
               "%s{\"from\":\"Person %d <p%d@bench.example>\",\"to\":[\"p%d@bench.example\","
               "\"p%d@bench.example\"],\"date\":\"%s\",\"messageId\":\"<m%d.%d@bench.example>\","
               "\"subject\":\"%s",
               i ? "," : "", i % PEOPLE, i % PEOPLE, mailbox, (i * 7) % PEOPLE, date, mailbox, i,
               reply ? "Re: " : "");
    uint64_t kept = state;
    state = (uint64_t)(i / 4) * 977 + (unsigned)mailbox; /* a thread has one subject */
    add_words(b, 4);
    state = kept;
    buf_byte(b, '"');
    if (reply)
        buf_printf(b, ",\"inReplyTo\":\"<m%d.%d@bench.example>\"", mailbox, i - 1);
    buf_puts(b, ",\"text\":\"");
    add_words(b, 40 + (int)(next_random() % 120));
    if (i == n / 2)
        buf_puts(b, " xylophone");
    buf_puts(b, "\\n\"");
    if (i % 3 == 0) {
        buf_puts(b, ",\"html\":\"<html><body><p>");
        add_words(b, 80);
        buf_puts(b, "</p></body></html>\"");
    }
    if (i % 10 == 0)
        buf_printf(b,
                   ",\"attachments\":[{\"filename\":\"file%d.txt\",\"type\":\"text/plain\","
                   "\"text\":\"%04000d\"}]",
                   i, i);
    buf_printf(b, ",\"labels\":[%s%s%s]}", i % 5 ? "\"INBOX\"" : "\"STARRED\"",
               i % 7 ? "" : ",\"UNREAD\"", i % 11 ? "" : ",\"Work\"");
}

static void make_document(struct buf *b)
{
    buf_puts(b, "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":"
                "\"bench.example\"}],\"people\":[");
    for (int i = 0; i < PEOPLE; i++)
        buf_printf(b, "%s{\"email\":\"p%d@bench.example\",\"name\":\"Person %d\"}", i ? "," : "", i,
                   i);
    buf_puts(b, "],\"groups\":[{\"email\":\"all@bench.example\",\"members\":[");
    for (int i = 0; i < PEOPLE; i++)
        buf_printf(b, "%s\"p%d@bench.example\"", i ? "," : "", i);
    buf_puts(b, "]}],\"mailboxes\":[");
    for (int m = 0; m <= OTHERS; m++) {
        int n = m ? (MESSAGES - MAIN) / OTHERS : MAIN;
        buf_printf(b,
                   "%s{\"person\":\"p%d@bench.example\",\"labels\":[{\"name\":\"Work\"}],"
                   "\"messages\":[",
                   m ? "," : "", m);
        for (int i = 0; i < n; i++)
            add_message(b, m, i, n);
        buf_puts(b, "]}");
    }
    buf_puts(b, "]}");
}

static uint64_t make_world(void)
{
    struct buf b;
    uint64_t world;
    buf_init(&b, 0);
    make_document(&b);
    if (buf_failed(&b))
        bench_die("document", err.text);
    struct sosia_world_options opt = {.seed_doc = b.data, .seed_doc_len = b.len};
    double t = bench_cpu();
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("create", err.text);
    t = bench_cpu() - t;
    bench_report("a world of 100,000 messages is made", t / 1e9, "s", 0, "<= 20");
    buf_done(&b);
    struct sosia_world_info info;
    if (sosia_world_info(engine, world, &info, &err) < 0)
        bench_die("info", err.text);
    bench_report("its size", (double)(info.size + info.base_size) / 1e6, "MB", 0, NULL);
    return world;
}

/* ---- measuring ---- */

static char ids[1000][17];
static int n_ids;

/* Ids of messages all over the mailbox. */
static void read_ids(uint64_t world)
{
    for (int year = 0; year < 3; year++)
        for (int month = 1; month <= 12 && n_ids < 1000; month++) {
            char target[160];
            snprintf(target, sizeof target,
                     "/gmail/v1/users/me/messages?maxResults=30&q=before:%d/%02d/15", 2024 + year,
                     month);
            struct sosia_response *res = call(world, "GET", target, NULL);
            for (const char *p = res->body; (p = strstr(p, "\"id\": \"")) && n_ids < 1000; p += 7)
                memcpy(ids[n_ids++], p + 7, 16);
            sosia_response_free(res);
        }
}

static double read_all(uint64_t world, const char *format)
{
    double t[BATCHES];
    for (int b = 0; b < BATCHES; b++) {
        double start = bench_cpu();
        for (int i = 0; i < 5000; i++) {
            char target[96];
            snprintf(target, sizeof target, "/gmail/v1/users/me/messages/%s?format=%s",
                     ids[i % n_ids], format);
            sosia_response_free(call(world, "GET", target, NULL));
        }
        t[b] = (bench_cpu() - start) / 5000;
    }
    return bench_percentile(t, BATCHES, 0.5);
}

static void measure_get(const char *name, uint64_t world, const char *target, int n,
                        const char *limit)
{
    double t[BATCHES];
    sosia_response_free(call(world, "GET", target, NULL));
    for (int b = 0; b < BATCHES; b++) {
        double start = bench_cpu();
        for (int i = 0; i < n; i++)
            sosia_response_free(call(world, "GET", target, NULL));
        t[b] = (bench_cpu() - start) / n;
    }
    bench_report(name, bench_percentile(t, BATCHES, 0.5) / 1000, "us", 0, limit);
}

/* Each in a world of its own, so that the mailbox stays as it is; the first one warms up. */
static void measure_send(const char *name, uint64_t world, const char *to, int n, double recipients,
                         const char *limit)
{
    static const char rest[] =
        "Message-ID: <bench@bench.example>\r\nSubject: Plans for the week\r\n"
        "\r\nHere they are: something to read, and something to answer.\r\n";
    double t[BATCHES];
    struct buf raw, body;
    buf_init(&raw, 0);
    buf_init(&body, 0);
    buf_printf(&raw, "From: p0@bench.example\r\nTo: %s\r\n%s", to, rest);
    buf_puts(&body, "{\"raw\":\"");
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    while (raw.len % 3)
        buf_byte(&raw, '\n');
    for (size_t i = 0; i < raw.len; i += 3) {
        unsigned v = (unsigned)(unsigned char)raw.data[i] << 16 |
                     (unsigned)(unsigned char)raw.data[i + 1] << 8 | (unsigned char)raw.data[i + 2];
        for (int k = 18; k >= 0; k -= 6)
            buf_byte(&body, alphabet[v >> k & 63]);
    }
    buf_puts(&body, "\"}");
    const char *json = buf_str(&body);
    for (int b = -1; b < BATCHES; b++) {
        uint64_t fork;
        if (sosia_world_fork(engine, world, NULL, &fork, &err) < 0)
            bench_die("fork", err.text);
        sign_in(fork);
        double start = bench_cpu();
        for (int i = 0; i < n; i++)
            sosia_response_free(call(fork, "POST", "/gmail/v1/users/me/messages/send", json));
        if (b >= 0)
            t[b] = (bench_cpu() - start) / n;
        sosia_world_drop(engine, fork, &err);
    }
    bench_report(name, bench_percentile(t, BATCHES, 0.5) / 1000 / recipients, "us", 0, limit);
    buf_done(&raw);
    buf_done(&body);
}

int main(int argc, char **argv)
{
    bench_begin(argc, argv);
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("open", err.text);
    uint64_t world = make_world();
    sign_in(world);
    read_ids(world);
    double full = read_all(world, "full");
    bench_report("messages.get full", 1e9 / full, "calls/s", 0, ">= 60000");
    bench_report("messages.get metadata", 1e9 / read_all(world, "metadata"), "calls/s", 0, NULL);
    bench_report("messages.get raw", 1e9 / read_all(world, "raw"), "calls/s", 0, NULL);
#define LIST "/gmail/v1/users/me/messages?maxResults=100"
    measure_get("messages.list, 100 of a label", world, LIST "&labelIds=INBOX", 200, "<= 100");
    measure_get("messages.list, 100 of two labels", world, LIST "&labelIds=INBOX&labelIds=UNREAD",
                200, NULL);
    measure_get("threads.list, 100 of a label", world,
                "/gmail/v1/users/me/threads?maxResults=100&labelIds=INBOX", 100, NULL);
    measure_get("messages.list, a rare word", world, LIST "&q=xylophone", 500, "<= 100");
    measure_get("messages.list, two common words and a date", world,
                LIST "&q=co+di+before:2025/06/01", 50, "<= 2000");
    measure_get("labels.get", world, "/gmail/v1/users/me/labels/INBOX", 2000, NULL);
    measure_send("messages.send to one", world, "p500@bench.example", 100, 1, "<= 250");
    measure_send("messages.send to a thousand, for each", world, "all@bench.example", 1, PEOPLE,
                 NULL);
    sosia_engine_close(engine);
    return 0;
}
