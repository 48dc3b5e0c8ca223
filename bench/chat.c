/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workspace of 1,000,000 messages and 500 people, as the generator makes it, through whole API
 * calls in process: making it, reading channels and threads, lists, questions, posting. With the
 * environment's BENCH_CHAT another number of messages.
 */
#include "bench/bare.h"
#include "engine/json/json.h"
#include "fixtures/generate/generate.h"
#include "sosia.h"

#define BATCHES 9

static struct sosia_engine *engine;
static struct sosia_err err;
static char bearer[SOSIA_TOKEN_MAX + 16];
static struct bare bare = {.bearer = bearer};
static struct arena arena;

static const struct json *ask(uint64_t world, const char *target)
{
    const struct json *v;
    struct sosia_response *res = bench_call(engine, world, bearer, "GET", target, NULL);
    const char *text = arena_strdup(&arena, res->body);
    sosia_response_free(res);
    if (json_parse(&arena, text, strlen(text), NULL, &v, &err) < 0 || !json_get(v, "ok") ||
        !json_get(v, "ok")->truth)
        bench_die(target, text);
    return v;
}

/* ---- the world ---- */

static int add_piece(void *arg, const char *data, size_t len)
{
    struct buf *b = arg;
    buf_add(b, data, len);
    return buf_failed(b) ? -1 : 0;
}

static uint64_t make_world(int64_t messages)
{
    struct generate_options o = {
        .people = 500, .chat = messages, .seed = 1, .hostile = 6, .bytes = 500};
    struct buf b;
    struct generate_sink sink = {.arg = &b, .write = add_piece};
    char name[64];
    uint64_t world;
    buf_init(&b, 0);
    double t = bench_cpu();
    if (generate(&o, &sink, &err) < 0)
        bench_die("generate", err.text);
    snprintf(name, sizeof name, "a document of %lld messages is made", (long long)messages);
    bench_report(name, (bench_cpu() - t) / 1e9, "s", 0, NULL);
    struct sosia_world_options opt = {.seed_doc = b.data, .seed_doc_len = b.len};
    t = bench_cpu();
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("create", err.text);
    bench_report("a world is made of it", (bench_cpu() - t) / 1e9, "s", 0, "<= 60");
    buf_done(&b);
    struct sosia_world_info info;
    if (sosia_world_info(engine, world, &info, &err) < 0)
        bench_die("info", err.text);
    bench_report("its size", (double)(info.size + info.base_size) / 1e6, "MB", 0, NULL);
    struct sosia_token_options token = {.actor = "robin.ward@haldencrewe.example",
                                        .value = "bench-chat-token-1"};
    memcpy(bearer, "Bearer ", 7);
    if (sosia_token_issue(engine, world, &token, bearer + 7, SOSIA_TOKEN_MAX, &err) < 0)
        bench_die("token", err.text);
    return world;
}

static const char *channel_called(uint64_t world, const char *name)
{
    const struct json *list = json_get(ask(world, "/api/conversations.list?limit=999"), "channels");
    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(json_get_str(&list->items[i], "name"), name) == 0)
            return json_get_str(&list->items[i], "id");
    bench_die(name, "there is no such channel");
}

/* The newest thread of a channel with at least so many replies; NULL: a small world has none. */
static const char *thread_of(uint64_t world, const char *channel, int64_t replies)
{
    const char *latest = "9999999999";
    for (int page = 0; page < 50; page++) {
        const struct json *v = ask(
            world, arena_printf(&arena, "/api/conversations.history?channel=%s&limit=900&latest=%s",
                                channel, latest));
        const struct json *list = json_get(v, "messages");
        for (uint32_t i = 0; i < list->n; i++) {
            const struct json *n = json_get(&list->items[i], "reply_count");
            latest = json_get_str(&list->items[i], "ts");
            if (n && strtoll(json_to_text(&arena, n), NULL, 10) >= replies)
                return latest;
        }
        if (!list->n)
            break;
    }
    return NULL;
}

/* ---- measuring ---- */

static void measure(const char *name, uint64_t world, const char *target, int n, const char *limit)
{
    double t[BATCHES];
    ask(world, target);
    for (int b = 0; b < BATCHES; b++) {
        double start = bench_cpu();
        for (int i = 0; i < n; i++)
            sosia_response_free(bench_call(engine, world, bearer, "GET", target, NULL));
        t[b] = (bench_cpu() - start) / n;
    }
    bench_report(name, bench_percentile(t, BATCHES, 0.5) / 1000, "us", 0, limit);
}

/* Pages that were not read before, each once: one behind the other through the channel, as far as
 * it has whole ones. */
static void measure_first(uint64_t world, const char *channel)
{
    double t[100];
    const char *latest = "9999999999";
    int n = 0;
    for (; n < 100; n++) {
        const char *target = arena_printf(
            &arena, "/api/conversations.history?limit=100&channel=%s&latest=%s", channel, latest);
        double start = bench_cpu();
        struct sosia_response *res = bench_call(engine, world, bearer, "GET", target, NULL);
        t[n] = bench_cpu() - start;
        const struct json *v, *list;
        const char *text = arena_strdup(&arena, res->body);
        sosia_response_free(res);
        if (json_parse(&arena, text, strlen(text), NULL, &v, &err) < 0 ||
            !(list = json_get(v, "messages")))
            bench_die(target, text);
        if (list->n < 100)
            break;
        latest = json_get_str(&list->items[99], "ts");
    }
    if (n)
        bench_report("the same, read for the first time", bench_percentile(t, n, 0.5) / 1000, "us",
                     0, NULL);
}

static void post(uint64_t world, const char *channel, const char *text)
{
    const char *body = arena_printf(&arena, "{\"channel\":\"%s\",\"text\":\"%s\"}", channel, text);
    sosia_response_free(bench_call(engine, world, bearer, "POST", "/api/chat.postMessage", body));
}

static void measure_reads(uint64_t world, const char *channel)
{
#define HISTORY "/api/conversations.history?limit=100&channel="
#define SEARCH  "/api/search.messages?query="
    const char *thread = thread_of(world, channel, 20);
    measure("conversations.history, 100", world, arena_printf(&arena, HISTORY "%s", channel), 300,
            "<= 150");
    measure("the same, in the middle of three years", world,
            arena_printf(&arena, HISTORY "%s&latest=1750000000", channel), 300, "<= 150");
    measure_first(world, channel);
    if (thread)
        measure(
            "conversations.replies, a thread of 20 or more", world,
            arena_printf(&arena, "/api/conversations.replies?channel=%s&ts=%s", channel, thread),
            1000, NULL);
    measure("conversations.info", world,
            arena_printf(&arena, "/api/conversations.info?channel=%s", channel), 2000, NULL);
    measure("conversations.list, 200", world, "/api/conversations.list?limit=200", 100, NULL);
    measure("users.list, 200", world, "/api/users.list?limit=200", 100, NULL);
    measure("search.messages, a rare word", world, SEARCH "xylophone", 500, "<= 300");
    measure("search.messages, a common word, 20 of many", world, SEARCH "meeting", 20, NULL);
    measure("search.messages, two words in a channel", world, SEARCH "agenda+Tolstad+in:general",
            50, NULL);
}

int main(int argc, char **argv)
{
    const char *number = getenv("BENCH_CHAT");
    bench_begin(argc, argv);
    arena_init(&arena, 0);
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("open", err.text);
    bare.engine = engine;
    uint64_t world = make_world(number ? atoll(number) : 1000000);
    const char *channel = channel_called(world, "general");
    post(world, channel, "The xylophone is in the cellar");
    measure_reads(world, channel);
    bare_measure(&bare, "chat.postMessage, whole call / bare SQL", world, "/api/chat.postMessage",
                 arena_printf(&arena,
                              "{\"channel\":\"%s\",\"text\":\"The build of today is in the shared "
                              "folder, have a look\"}",
                              channel),
                 200, "<= 1.25");
    sosia_engine_close(engine);
    arena_done(&arena);
    return 0;
}
