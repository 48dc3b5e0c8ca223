/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Google Drive in process, by whole calls, in a world of 100,000 items (or the number of the
 * argument): files.get, what a grant twenty folders above costs, a file of 100 MB up and down, a
 * fork afterwards, what is asked of the whole, and the deletion of a tree with 64,570 of each
 * 100,000 items, with the calls behind it. Folders have a hundred files each.
 */
#include "bench/bench_call.h"
#include <gnutls/crypto.h>

enum { IN_FOLDER = 100, NESTED = 20, ROUNDS = 20000, BATCHES = 101, KEY = 64, BEHIND = 1200 };
#define IN_TREE 0.6457 /* of all items */
#define LARGE   (INT64_C(100) * 1000 * 1000)

static struct sosia_engine *engine;
static uint64_t world;
static struct sosia_err err;
static char ada[SOSIA_TOKEN_MAX + 8], bob[SOSIA_TOKEN_MAX + 8];
static char (*keys)[KEY], tree[KEY];
static size_t n_keys;

static void bearer(const char *who, char *ret, size_t n)
{
    char token[SOSIA_TOKEN_MAX];
    if (sosia_token_issue(engine, world, &(struct sosia_token_options){.actor = who}, token,
                          sizeof token, &err) < 0)
        bench_die("token", err.text);
    snprintf(ret, n, "Bearer %s", token);
}

static void open_world(void)
{
    static const char doc[] = "sosia: 1\ntime: 2026-11-21T08:00:00Z\n"
                              "organizations: [{domain: acme.example, name: Acme}]\n"
                              "people: [{email: ada@acme.example, name: Ada}, {email: "
                              "bob@acme.example, name: Bob}]\n";
    struct sosia_world_options opt = {.seed_doc = doc,
                                      .seed_doc_len = sizeof doc - 1,
                                      .clock = SOSIA_CLOCK_STEP,
                                      .step_us = 1000000};
    if (sosia_engine_open(NULL, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("open", err.text);
    bearer("ada@acme.example", ada, sizeof ada);
    bearer("bob@acme.example", bob, sizeof bob);
}

/* The id in a response. */
static void take_key(struct sosia_response *res, char ret[KEY])
{
    const char *p = strstr((const char *)res->body, "\"id\": \"");
    if (!p || sscanf(p + 7, "%63[^\"]", ret) != 1)
        bench_die("create", "the answer has no id");
    sosia_response_free(res);
}

static void make(const char *name, const char *parent, bool folder, char ret[KEY])
{
    char body[256];
    snprintf(body, sizeof body, "{\"name\":\"%s\"%s%s%s%s}", name,
             folder ? ",\"mimeType\":\"application/vnd.google-apps.folder\"" : "",
             parent ? ",\"parents\":[\"" : "", parent ? parent : "", parent ? "\"]" : "");
    take_key(bench_call(engine, world, ada, "POST", "/drive/v3/files", body), ret);
}

static void fill(size_t n)
{
    char name[32], folder[KEY] = "";
    double begun = bench_wall();
    keys = calloc(n, sizeof *keys);
    if (!keys)
        bench_die("memory", "is not there");
    make("tree", NULL, true, tree);
    for (n_keys = 0; n_keys < n; n_keys++) {
        bool in_tree = (double)(n - n_keys) <= IN_TREE * (double)n; /* the newest */
        bool is_folder = n_keys % (IN_FOLDER + 1) == 0;
        snprintf(name, sizeof name, "item %zu", n_keys);
        make(name, is_folder ? (in_tree ? tree : NULL) : folder, is_folder, keys[n_keys]);
        if (is_folder)
            memcpy(folder, keys[n_keys], KEY);
    }
    bench_report("drive: files.create", (bench_wall() - begun) / (double)n / 1e3, "us", 0, NULL);
}

/* Nanoseconds a call. key NULL: of many items. */
static double get(const char *who, const char *key, const char *query, size_t rounds)
{
    char target[256];
    double begun = bench_cpu();
    for (size_t i = 0; i < rounds; i++) {
        snprintf(target, sizeof target, "/drive/v3/files/%s%s", key ? key : keys[i * 7919 % n_keys],
                 query);
        sosia_response_free(bench_call(engine, world, who, "GET", target, NULL));
    }
    return (bench_cpu() - begun) / (double)rounds;
}

static void measure_gets(void)
{
    get(ada, NULL, "", ROUNDS / 10);
    bench_report("drive: files.get, a core", 1e9 / get(ada, NULL, "", ROUNDS), "/s", 0, ">= 80000");
    bench_report("drive: files.get, all fields", get(ada, NULL, "?fields=*", ROUNDS) / 1e3, "us", 0,
                 NULL);
}

static void measure_nesting(void)
{
    char folder[KEY] = "", top[KEY], deep[KEY], target[128];
    for (int i = 0; i < NESTED; i++) {
        make("nested", i ? folder : NULL, true, folder);
        if (i == 0)
            memcpy(top, folder, KEY);
    }
    make("deep", folder, false, deep);
    snprintf(target, sizeof target, "/drive/v3/files/%s/permissions?sendNotificationEmail=false",
             top);
    sosia_response_free(bench_call(
        engine, world, ada, "POST", target,
        "{\"type\":\"user\",\"role\":\"reader\",\"emailAddress\":\"bob@acme.example\"}"));
    double below = get(bob, deep, "", ROUNDS);
    double at = get(bob, top, "", ROUNDS);
    bench_report("drive: a grant 20 folders above, in addition", (below - at) / 1e3, "us", 0,
                 "<= 10");
}

static double fork_us(void)
{
    double t[BATCHES];
    uint64_t w;
    for (size_t i = 0; i < BATCHES; i++) {
        double begun = bench_wall();
        if (sosia_world_fork(engine, world, NULL, &w, &err) < 0)
            bench_die("fork", err.text);
        t[i] = (bench_wall() - begun) / 1e3;
        sosia_world_drop(engine, w, NULL);
    }
    return bench_percentile(t, BATCHES, 0.5);
}

static double three_digests(const char *data)
{
    static const gnutls_digest_algorithm_t kinds[] = {GNUTLS_DIG_MD5, GNUTLS_DIG_SHA1,
                                                      GNUTLS_DIG_SHA256};
    uint8_t digest[64];
    double begun = bench_cpu();
    for (size_t i = 0; i < 3; i++)
        if (gnutls_hash_fast(kinds[i], data, LARGE, digest) < 0)
            bench_die("digest", "failed");
    return (bench_cpu() - begun) / 1e9;
}

static void measure_bytes(void)
{
    char *data = malloc(LARGE), key[KEY], target[128], part[65536];
    const struct sosia_header headers[] = {{"Authorization", ada},
                                           {"Content-Type", "application/octet-stream"}};
    struct sosia_request r = {.method = "POST",
                              .target = "/upload/drive/v3/files?uploadType=media",
                              .headers = headers,
                              .n_headers = 2,
                              .body = data,
                              .body_len = LARGE};
    struct sosia_response *res;
    double before = fork_us(), mb = (double)LARGE / 1e6;
    if (!data)
        bench_die("memory", "is not there");
    for (size_t i = 0; i < LARGE; i++)
        data[i] = (char)(i * 31 + (i >> 11));
    double digests = three_digests(data), begun = bench_cpu();
    if (sosia_call(engine, world, &r, &res, &err) < 0 || res->status != 200)
        bench_die("upload", "was refused");
    bench_report("drive: upload of 100 MB, to its three digests",
                 mb / ((bench_cpu() - begun) / 1e9), "MB/s", mb / digests, ">= 0.6");
    take_key(res, key);
    snprintf(target, sizeof target, "/drive/v3/files/%s?alt=media", key);
    res = bench_call(engine, world, ada, "GET", target, NULL);
    int64_t at = 0, got;
    begun = bench_cpu();
    while ((got = res->read(res, at, part, sizeof part)) > 0) {
        if (memcmp(part, data + at, (size_t)got) != 0)
            bench_die("download", "gave other bytes");
        at += got;
    }
    if (at != LARGE)
        bench_die("download", "broke off");
    bench_report("drive: download of 100 MB, pulled", mb / ((bench_cpu() - begun) / 1e9), "MB/s", 0,
                 NULL);
    sosia_response_free(res);
    free(data);
    bench_report("drive: a fork afterwards", fork_us(), "us", before, NULL);
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Milliseconds. */
static double timed(const char *method, const char *target, const char *body)
{
    double begun = bench_cpu();
    sosia_response_free(bench_call(engine, world, ada, method, target, body));
    return (bench_cpu() - begun) / 1e6;
}

/* The middle of some rounds of a call. */
static void measure_call(const char *name, const char *method, const char *target, const char *body,
                         const char *bound)
{
    enum { TIMES = 21 };
    double each[TIMES];
    for (size_t i = 0; i < TIMES; i++)
        each[i] = timed(method, target, body);
    qsort(each, TIMES, sizeof *each, rising);
    bench_report(name, each[TIMES / 2], "ms", 0, bound);
}

/* What programs ask of a whole drive, beside the usual list (drive_search.c has more). */
static void measure_lists(void)
{
    measure_call("drive: files.create at the top", "POST", "/drive/v3/files", "{\"name\":\"new\"}",
                 "<= 1");
    measure_call("drive: modifiedTime > X that nothing has", "GET",
                 "/drive/v3/files?q=modifiedTime%20%3E%20'2100-01-01T00:00:00'", NULL, "<= 1");
    measure_call("drive: orderBy=modifiedTime,name, 100", "GET",
                 "/drive/v3/files?orderBy=modifiedTime,name", NULL, "<= 10");
    measure_call("drive: mimeType contains what nothing has", "GET",
                 "/drive/v3/files?q=mimeType%20contains%20'video/'", NULL, "<= 1");
    measure_call("drive: what somebody else may read", "GET",
                 "/drive/v3/files?q='eve@acme.example'%20in%20readers", NULL, "<= 1");
}

static void measure_deletion(void)
{
    static double behind[BEHIND];
    double most[3] = {0};
    char target[128];
    snprintf(target, sizeof target, "/drive/v3/files/%s", tree);
    bench_report("drive: a tree of 64,570 is deleted", timed("DELETE", target, NULL), "ms", 0,
                 "<= 20");
    for (size_t i = 0; i < BEHIND; i += 3) {
        behind[i] = timed("POST", "/drive/v3/files", "{\"name\":\"new\"}");
        behind[i + 1] = timed("GET", "/drive/v3/files?pageSize=100", NULL);
        snprintf(target, sizeof target, "/drive/v3/files/%s", keys[i]);
        behind[i + 2] = timed("GET", target, NULL);
    }
    for (size_t i = 0; i < BEHIND; i++)
        most[i % 3] = behind[i] > most[i % 3] ? behind[i] : most[i % 3];
    qsort(behind, BEHIND, sizeof *behind, rising);
    bench_report("drive: calls behind it, p50", behind[BEHIND / 2], "ms", 0, NULL);
    bench_report("drive: calls behind it, p99", behind[BEHIND * 99 / 100], "ms", 0, "<= 20");
    bench_report("drive: the longest files.create behind it", most[0], "ms", 0, NULL);
    bench_report("drive: the longest files.list behind it", most[1], "ms", 0, NULL);
    bench_report("drive: the longest files.get behind it", most[2], "ms", 0, NULL);
}

int main(int argc, char **argv)
{
    size_t n = 100000;
    if (argc > 1 && atoi(argv[argc - 1]) > 0)
        n = (size_t)atoi(argv[--argc]);
    bench_begin(argc, argv);
    if (n < 1000)
        bench_die("items", "must be 1000 at least");
    open_world();
    fill(n);
    measure_gets();
    measure_nesting();
    measure_bytes();
    measure_lists();
    measure_deletion();
    free(keys);
    sosia_engine_close(engine);
    return 0;
}
