/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching a drive of 100,000 files (or the number of the argument) in process, by whole calls of
 * files.list: words of names and of content, folders, orders. Folders have a hundred files each and
 * are ten deep.
 */
#include "bench/bench_call.h"
#include "engine/base/codec.h"
#include "engine/world/engine.h"
#include "services/drive/core/drive.h"

enum { BATCHES = 25, AT_ONCE = 2000, IN_FOLDER = 100, DEEP = 10 };
#define BEGIN INT64_C(1680000000000000)

static struct sosia_engine *engine;
static struct sosia_err err;
static struct tx tx;
static struct worker *worker;
static struct world *world;
static uint64_t state = 88172645463325252;
static char bearer[SOSIA_TOKEN_MAX + 16];
static char folder_key[64];

static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 16) % n);
}

static void add_words(struct buf *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        buf_printf(b, "w%u ", (unsigned)(1000000 / (below(1000000) + 30) + 1));
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
        !(worker = worker_take(engine, &err)) || !(world = world_take(engine, id, &err)))
        bench_die("open", err.text);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    sosia_engine_default_world(engine, id);
}

static void begin(void)
{
    if (tx_begin(&tx, engine, world, worker, true, world_now(world), &err) < 0)
        bench_die("begin", err.text);
}

static void commit(void)
{
    tx.events = tx.last_event = NULL;
    if (tx_do_later(&tx) < 0 || tx_commit(&tx) < 0)
        bench_die("commit", err.text);
}

/* One of many is in the trash, open to anyone with the link, or a picture; who made them has seen
 * all of them. */
static void mark(unsigned i, struct drive_item *it)
{
    struct drive_mine mine = {.viewed_us = it->created_us};
    struct drive_grant anyone = {.kind = GRANT_ANYONE, .who = "", .role = ROLE_READER};
    bool trash = i % 1000 == 5, picture = i % 1000 == 6;
    if (trash && drive_trash(&tx, it, it->owner) < 0)
        bench_die("trash", err.text);
    if (picture)
        it->mime = "image/png";
    if (((trash || picture) && drive_item_save(&tx, it) < 0) ||
        (i % 1000 == 7 && drive_grant_set(&tx, it, &anyone) < 0) ||
        drive_mine_save(&tx, it->id, it->owner, &mine) < 0)
        bench_die("marks", err.text);
}

/* A file, or in place of the first of each hundred the folder for them. */
static void put_item(unsigned i, int64_t owner, int64_t folders[DEEP], unsigned *deep)
{
    bool folder = i % IN_FOLDER == 0;
    struct drive_item it = {.owner = owner, .modifier = owner, .size = -1};
    struct buf b;
    buf_init(&b, 0);
    add_words(&b, 3);
    if (i % 20000 == 77)
        buf_puts(&b, "rarename");
    it.name = arena_strdup(tx.arena, buf_str(&b));
    it.form = folder ? DRIVE_FOLDER : DRIVE_FILE;
    it.mime = folder ? DRIVE_MIME_FOLDER : "text/plain";
    it.modified_us = it.created_us = BEGIN + (int64_t)i * 1000000;
    it.parent = folders[folder ? *deep : *deep + 1];
    if (drive_item_add(&tx, &it) < 0)
        bench_die("item", err.text);
    if (folder) {
        *deep = *deep + 2 < DEEP ? *deep + 1 : 0;
        folders[*deep + 1] = it.id;
        if (i == IN_FOLDER * 5)
            snprintf(folder_key, sizeof folder_key, "%s", it.key);
    } else {
        buf_clear(&b);
        add_words(&b, 20 + below(40));
        if (i % 20000 == 78)
            buf_puts(&b, "rareword");
        if (drive_content_put(&tx, &it, b.data, b.len) < 0)
            bench_die("content", err.text);
        mark(i, &it);
    }
    buf_done(&b);
}

static void fill(unsigned n)
{
    struct actor ada;
    struct drive_item root;
    int64_t folders[DEEP + 1] = {0};
    unsigned deep = 0;
    double begun = bench_wall();
    begin();
    if (actor_by_email(&tx, "ada@acme.example", &ada) != 1 || drive_root(&tx, ada.id, &root) != 1)
        bench_die("root", err.text);
    folders[0] = folders[1] = root.id;
    for (unsigned i = 0; i < n; i++) {
        put_item(i, ada.id, folders, &deep);
        if (i % AT_ONCE == AT_ONCE - 1) {
            commit();
            begin();
        }
    }
    commit();
    world_drop(world);
    worker_drop(worker);
    bench_report("drive filled, a file", (bench_wall() - begun) / n / 1e3, "us", 0, NULL);
}

static void measure_list(const char *name, const char *parameters, const char *goal)
{
    char target[512];
    snprintf(target, sizeof target, "/drive/v3/files?%s", parameters);
    bench_report(name, bench_gets(engine, bearer, target, BATCHES), "us", 0, goal);
}

/* A page that begins behind about half of all. */
static void measure_page(int64_t n)
{
    char target[1024], *token = NULL;
    for (int64_t i = 0; i < n / 2; i += 1000) {
        struct sosia_response *res;
        snprintf(target, sizeof target, "/drive/v3/files?pageSize=1000&fields=nextPageToken%s%s",
                 token ? "&pageToken=" : "", token ? token : "");
        res = bench_call(engine, 0, bearer, "GET", target, NULL);
        const char *found = strstr(res->body, "nextPageToken\": \"");
        free(token);
        token = found ? strndup(found + 17, strcspn(found + 17, "\"")) : NULL;
        sosia_response_free(res);
    }
    if (!token)
        bench_die("page", "there is no next one");
    snprintf(target, sizeof target, "pageSize=100&fields=nextPageToken,files(id)&pageToken=%s",
             token);
    free(token);
    measure_list("call: 100 behind half of all", target, "<= 1000");
}

int main(int argc, char **argv)
{
    int64_t n = 100000;
    const char *last = argv[argc - 1];
    char in_folder[128], both[192], named[192];
    bench_begin(argc, argv);
    if (argc > 1 && last[0] != '-' && (parse_i64(last, strlen(last), &n) < 0 || n < 1000))
        return 2;
    open_world();
    fill((unsigned)n);
    snprintf(in_folder, sizeof in_folder, "q='%s'%%20in%%20parents", folder_key);
    snprintf(both, sizeof both, "%s%%20and%%20trashed=false&orderBy=folder,name", in_folder);
    snprintf(named, sizeof named, "%s&orderBy=name&pageSize=10", in_folder);
    measure_list("call: name contains a rare word", "q=name%20contains%20'rarena'", "<= 300");
    measure_list("call: fullText contains a rare word", "q=fullText%20contains%20'rareword'",
                 "<= 300");
    measure_list("call: fullText contains no word", "q=fullText%20contains%20'nosuchword'",
                 "<= 300");
    measure_list("call: 100 children of a folder", in_folder, "<= 150");
    measure_list("call: 100 children, folders first", both, NULL);
    measure_list("call: the last 100", "pageSize=100", "<= 1000");
    measure_page(n);
    measure_list("call: name = one that nothing has", "q=name='nosuchname'", "<= 300");
    measure_list("call: 'me' in owners", "q='me'%20in%20owners", "<= 2000");
    measure_list("call: mimeType of one in a thousand", "q=mimeType='image/png'", "<= 2000");
    measure_list("call: trashed, one in a thousand", "q=trashed=true", "<= 2000");
    measure_list("call: not trashed", "q=trashed=false", "<= 2000");
    measure_list("call: visibility of one in a thousand", "q=visibility='anyoneWithLink'",
                 "<= 2000");
    measure_list("call: name contains a common word", "q=name%20contains%20'w4'", "<= 10000");
    measure_list("call: fullText contains a common word", "q=fullText%20contains%20'w9'",
                 "<= 20000");
    measure_list("call: 10 by name of all", "orderBy=name&pageSize=10", NULL);
    measure_list("call: 10 by falling name of all", "orderBy=name%20desc&pageSize=10", NULL);
    measure_list("call: 10 by name of a folder", named, NULL);
    sosia_engine_close(engine);
    return 0;
}
