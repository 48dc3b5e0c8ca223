/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of 100 MB through Google Drive and OneDrive over loopback, by a client in a process of its
 * own, beside what bounds them. Down: the same server sends the same bytes from memory, timed from
 * the first of them on. Up: the slowest of receiving, computing three digests, and copying into
 * pages. And the memory that the server's process holds meanwhile beyond the stored pages. --size
 * BYTES for less.
 */
#include "bench/bench.h"
#include "server/server.h"
#include "services/list.h"
#include "tests/support/files.h"
#include "tests/support/wire.h"
#include <gnutls/crypto.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 5, PIECE = 1 << 18 };
#define MB 1e6

static struct sosia_engine *engine;
static struct server *server;
static struct sosia_err err;
static uint64_t world;
static char self[4096], token[SOSIA_TOKEN_MAX];
static int64_t size = 100 * 1000 * 1000;

/* ---- the client ---- */

/* Takes a response and drops its body: seconds, from the request or from the first byte on. */
static double take(int fd, double begun, bool from_first)
{
    static char part[PIECE];
    int64_t n = 0;
    ssize_t got;
    while ((got = recv(fd, part, sizeof part, 0)) > 0) {
        if (!n && memcmp(part, "HTTP/1.1 200", 12) != 0)
            return -1;
        if (!n && from_first)
            begun = bench_wall();
        n += got;
    }
    return n > size ? (bench_wall() - begun) / 1e9 : -1;
}

static double give(int fd, const char *bytes, double begun)
{
    char answer[4096];
    if (wire_send(fd, bytes, (size_t)size) < 0)
        return -1;
    shutdown(fd, SHUT_WR);
    ssize_t got = recv(fd, answer, sizeof answer - 1, 0);
    if (got < 12 ||
        (memcmp(answer, "HTTP/1.1 200", 12) != 0 && memcmp(answer, "HTTP/1.1 201", 12) != 0))
        return -1;
    return (bench_wall() - begun) / 1e9;
}

static int client(char **words)
{
    bool up = strcmp(words[0], "GET") != 0;
    char head[1024];
    size = strtoll(words[3], NULL, 10);
    char *bytes = malloc((size_t)size);
    if (!bytes)
        return 1;
    if (up)
        wire_fill(bytes, (size_t)size, strtoll(words[5], NULL, 10));
    int fd = wire_open(atoi(words[1]));
    double begun = bench_wall();
    int n = snprintf(head, sizeof head,
                     "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: "
                     "Bearer %s\r\nContent-Type: application/octet-stream\r\nContent-Length: "
                     "%lld\r\n\r\n",
                     words[0], words[2], words[4], up ? (long long)size : 0LL);
    if (fd < 0 || wire_send(fd, head, (size_t)n) < 0)
        return 1;
    double took = up ? give(fd, bytes, begun) : take(fd, begun, strstr(words[2], "memory") != NULL);
    if (took <= 0)
        return 1;
    printf("%.9f\n", took);
    return 0;
}

/* Seconds that a client took. */
static double transfer(const char *method, int port, const char *target, int64_t seed)
{
    char command[8192];
    double took = 0;
    snprintf(command, sizeof command, "'%s' --client %s %d '%s' %lld %s %lld", self, method, port,
             target, (long long)size, token, (long long)seed);
    FILE *out = popen(command, "r");
    if (!out || fscanf(out, "%lf", &took) != 1 || pclose(out) != 0)
        bench_die(target, "the transfer failed");
    return took;
}

/* No two uploads have the same bytes: the store keeps equal content once, and pages that it gives
 * back are not the pages of anything. */
static double best(const char *method, int port, const char *target)
{
    static int64_t seed;
    double least = 0;
    for (int i = 0; i < ROUNDS; i++) {
        double took = transfer(method, port, target, ++seed << 40);
        least = i && least < took ? least : took;
    }
    return (double)size / MB / least;
}

/* ---- the server ---- */

static void open_all(void)
{
    static const char doc[] = "sosia: 1\ntime: 2026-11-21T08:00:00Z\n"
                              "people: [{email: ada@acme.example, name: Ada}]\n"
                              "organizations: [{domain: acme.example, name: Acme}]\n"
                              "accounts: [{actor: ada@acme.example, vendor: google}, {actor: "
                              "ada@acme.example, vendor: microsoft, services: [drive]}]\n";
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    struct server_options o = SERVER_OPTIONS_INIT;
    const struct sosia_service *all[16];
    static struct sosia_service files;
    size_t n = 0;
    files = files_service;
    for (; sosia_services[n]; n++)
        all[n] = sosia_services[n];
    files.cores++; /* people are there already */
    all[n++] = &files;
    all[n] = NULL;
    if (engine_open(NULL, all, &engine, &err) < 0 ||
        sosia_world_create(engine, &opt, &world, &err) < 0 ||
        sosia_token_issue(engine, world, &(struct sosia_token_options){.actor = "ada@acme.example"},
                          token, sizeof token, &err) < 0)
        bench_die("open", err.text);
    sosia_engine_default_world(engine, world);
    o.engine = engine;
    o.gzip_min = SIZE_MAX;
    if (server_start(&o, &server, &err) < 0)
        bench_die("server", err.text);
}

/* ---- what bounds an upload ---- */

/* Reads bytes from a socket and drops them. */
static void *sink(void *arg)
{
    static char part[PIECE];
    int listener = *(int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        int fd = accept(listener, NULL, NULL);
        int64_t n = 0;
        ssize_t got;
        while (n < size && (got = recv(fd, part, sizeof part, 0)) > 0)
            n += got;
        wire_send(fd, "HTTP/1.1 200 OK\r\n\r\n", 19);
        close(fd);
    }
    return NULL;
}

static double receiving(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    pthread_t thread;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, n) < 0 || listen(fd, 4) < 0 ||
        getsockname(fd, (struct sockaddr *)&a, &n) < 0 ||
        pthread_create(&thread, NULL, sink, &fd) != 0)
        bench_die("sink", "can't be made");
    double rate = best("POST", ntohs(a.sin_port), "/sink");
    pthread_join(thread, NULL);
    close(fd);
    return rate;
}

static double digesting(const char *bytes)
{
    static const gnutls_digest_algorithm_t kinds[] = {GNUTLS_DIG_MD5, GNUTLS_DIG_SHA1,
                                                      GNUTLS_DIG_SHA256};
    uint8_t digest[64];
    double least = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double begun = bench_wall();
        for (size_t i = 0; i < 3; i++)
            if (gnutls_hash_fast(kinds[i], bytes, (size_t)size, digest) < 0)
                bench_die("digest", "failed");
        double took = (bench_wall() - begun) / 1e9;
        least = round && least < took ? least : took;
    }
    return (double)size / MB / least;
}

/* Copying into new pages, as the store has them: in blocks of 64 KiB. */
static double copying(const char *bytes)
{
    enum { BLOCK = 1 << 16 };
    size_t n = (size_t)size / BLOCK + 1;
    char **blocks = calloc(n, sizeof *blocks);
    double begun = bench_wall();
    for (size_t i = 0; blocks && i < n; i++) {
        int64_t at = (int64_t)i * BLOCK;
        if (!(blocks[i] = malloc(BLOCK)))
            bench_die("memory", "is not there");
        memcpy(blocks[i], bytes + at, (size_t)(size - at < BLOCK ? size - at : BLOCK));
    }
    double took = (bench_wall() - begun) / 1e9;
    for (size_t i = 0; blocks && i < n; i++)
        free(blocks[i]);
    free(blocks);
    return (double)size / MB / took;
}

/* ---- memory ---- */

static _Atomic bool over;
static _Atomic int64_t highest; /* beyond the stored pages */

static int64_t beyond_pages(void)
{
    struct sosia_engine_info info;
    sosia_engine_info(engine, &info);
    return wire_memory(getpid()) - (int64_t)info.size;
}

static void *look(void *arg)
{
    (void)arg;
    while (!atomic_load(&over)) {
        int64_t now = beyond_pages();
        if (now > atomic_load(&highest))
            atomic_store(&highest, now);
        usleep(2000);
    }
    return NULL;
}

static double rate_and_memory(const char *method, const char *target, double *ret_mib)
{
    pthread_t thread;
    int64_t before = beyond_pages();
    atomic_store(&over, false);
    atomic_store(&highest, before);
    if (pthread_create(&thread, NULL, look, NULL) != 0)
        bench_die("thread", "can't be made");
    double rate = best(method, server_port(server), target);
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    *ret_mib = (double)(atomic_load(&highest) - before) / (1 << 20);
    return rate;
}

/* ---- the figures ---- */

static double upload(void)
{
    char *bytes = malloc((size_t)size);
    double mib, bound;
    if (!bytes)
        bench_die("memory", "is not there");
    wire_fill(bytes, (size_t)size, 0);
    double in = receiving(), digests = digesting(bytes), copy = copying(bytes);
    free(bytes);
    bench_report("drive, loopback: receiving alone", in, "MB/s", 0, NULL);
    bench_report("drive, loopback: three digests alone", digests, "MB/s", 0, NULL);
    bench_report("drive, loopback: copying alone", copy, "MB/s", 0, NULL);
    bound = in < digests ? in : digests;
    bound = bound < copy ? bound : copy;
    double up = rate_and_memory("POST", "/upload/drive/v3/files?uploadType=media", &mib);
    bench_report("drive, loopback: up, to the slowest of them", up, "MB/s", bound, ">= 0.6");
    bench_report("drive, loopback: memory beyond pages, up", mib, "MiB", 0, "<= 64");
    return up;
}

static double download(void)
{
    static const char list[] = "/drive/v3/files?fields=files(id)&pageSize=1";
    char key[64], target[128];
    double mib;
    struct sosia_response *res;
    char bearer[SOSIA_TOKEN_MAX + 8];
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    const struct sosia_header headers[] = {{"Authorization", bearer}};
    const struct sosia_request r = {
        .method = "GET", .target = list, .headers = headers, .n_headers = 1};
    if (sosia_call(engine, world, &r, &res, &err) < 0 || res->status != 200)
        bench_die("list", "failed");
    const char *p = strstr((const char *)res->body, "\"id\": \"");
    if (!p || sscanf(p + 7, "%63[^\"]", key) != 1)
        bench_die("list", "has no file");
    sosia_response_free(res);
    snprintf(target, sizeof target, "/drive/v3/files/%s?alt=media", key);
    double down = rate_and_memory("GET", target, &mib);
    snprintf(target, sizeof target, "/files/memory/%lld", (long long)size);
    double memory = best("GET", server_port(server), target);
    bench_report("drive, loopback: down, to from memory", down, "MB/s", memory, ">= 0.6");
    bench_report("drive, loopback: memory in addition, down", mib, "MiB", 0, "<= 8");
    return down;
}

/* The target that content of OneDrive leads to. */
static void find_download(char *ret, size_t room)
{
    char bearer[SOSIA_TOKEN_MAX + 8];
    struct sosia_response *res;
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    const struct sosia_header headers[] = {{"Authorization", bearer}};
    const struct sosia_request r = {.method = "GET",
                                    .target = "/v1.0/me/drive/root:/a.bin:/content",
                                    .headers = headers,
                                    .n_headers = 1,
                                    .base_url = "http://localhost"};
    if (sosia_call(engine, world, &r, &res, &err) < 0 || res->status != 302)
        bench_die("content", "leads nowhere");
    for (size_t i = 0; i < res->n_headers; i++)
        if (strcasecmp(res->headers[i].name, "Location") == 0)
            snprintf(ret, room, "%s", strstr(strstr(res->headers[i].value, "//") + 2, "/"));
    sosia_response_free(res);
}

/* The same for OneDrive, beside Drive's figures. */
static void onedrive(double up, double down)
{
    char target[1024] = "";
    double mib;
    double mine = rate_and_memory("PUT", "/v1.0/me/drive/root:/a.bin:/content", &mib);
    bench_report("onedrive, loopback: up, to Drive's", mine, "MB/s", up, ">= 0.6");
    bench_report("onedrive, loopback: memory beyond pages, up", mib, "MiB", 0, "<= 64");
    find_download(target, sizeof target);
    mine = rate_and_memory("GET", target, &mib);
    bench_report("onedrive, loopback: down, to Drive's", mine, "MB/s", down, ">= 0.8");
    bench_report("onedrive, loopback: memory in addition, down", mib, "MiB", 0, "<= 8");
}

int main(int argc, char **argv)
{
    if (argc == 8 && strcmp(argv[1], "--client") == 0)
        return client(argv + 2);
    if (argc > 2 && strcmp(argv[argc - 2], "--size") == 0) {
        size = strtoll(argv[argc - 1], NULL, 10);
        argc -= 2;
    }
    if (size <= 0 || readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        bench_die("--size", "must be a number of bytes");
    bench_begin(argc, argv);
    open_all();
    const double up = upload(), down = download();
    onedrive(up, down);
    server_stop(server);
    sosia_engine_close(engine);
    return 0;
}
