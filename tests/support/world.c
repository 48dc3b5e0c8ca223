/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/world.h"
#include "tests/support/carry.h"
#include "tests/support/shape.h"
#include "engine/base/codec.h"
#include "engine/service.h"
#include <sqlite3.h>
#include <strings.h>

struct sosia_engine *test_engine;
uint64_t test_world;
struct sosia_err test_err;
struct sosia_response *test_response;
int test_status;
const char *test_body;
size_t test_len;
bool test_made_up;

int test_open_engine_of(const struct sosia_service *const *services)
{
    arena_init(&test_arena, 0);
    return services ? engine_open(NULL, services, &test_engine, &test_err)
                    : sosia_engine_open(NULL, &test_engine, &test_err);
}

int test_open_engine(void **state)
{
    (void)state;
    return test_open_engine_of(NULL);
}

int test_close_engine(void **state)
{
    (void)state;
    sosia_response_free(test_response);
    test_response = NULL;
    sosia_engine_close(test_engine);
    arena_done(&test_arena);
    return 0;
}

uint64_t test_world_of(const char *doc)
{
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    uint64_t w;
    if (sosia_world_create(test_engine, &opt, &w, &test_err) < 0)
        fail_msg("create: %s", test_err.text);
    return w;
}

void test_use(const char *doc)
{
    test_world = test_world_of(doc);
}

int test_open(const char *doc)
{
    if (test_open_engine_of(NULL) < 0)
        return -1;
    test_use(doc);
    return 0;
}

int test_close(void)
{
    int rc = export_and_import(test_engine, test_world);
    test_made_up = false;
    test_close_engine(NULL);
    return rc;
}

const char *test_bearer(const char *who, const char *scopes)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = who, .scopes = scopes};
    if (sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &test_err) < 0)
        fail_msg("token: %s", test_err.text);
    return arena_printf(&test_arena, "Bearer %s", token);
}

/* A response that is read in pieces has its bytes elsewhere. */
static const char *whole_body(struct sosia_response *r, size_t len)
{
    char *all = arena_alloc(&test_arena, len + 1);
    int64_t at = 0, got;
    if (!r->read)
        return arena_memdup(&test_arena, r->body, len);
    while ((got = r->read(r, at, all + at, len - (size_t)at)) > 0)
        at += got;
    assert_int_equal(at, len);
    all[at] = 0;
    return all;
}

void test_call(uint64_t world, const struct sosia_request *r)
{
    struct sosia_response *last = test_response; /* the target may be in one of its headers */
    test_response = NULL;
    int rc = sosia_call(test_engine, world, r, &test_response, &test_err);
    sosia_response_free(last);
    if (rc < 0)
        fail_msg("call: %s", test_err.text);
}

const struct json *test_request(const char *method, const char *target,
                                const struct sosia_header *headers, size_t n_headers,
                                const void *body, size_t len)
{
    /* It may be a text of the last response. */
    struct sosia_request r = {.method = method,
                              .target = arena_strdup(&test_arena, target),
                              .headers = headers,
                              .n_headers = n_headers,
                              .body = body,
                              .body_len = len};
    test_call(test_world, &r);
    test_status = test_response->status;
    test_len = test_response->read ? (size_t)test_response->length : test_response->body_len;
    test_body = whole_body(test_response, test_len);
    const struct json *v = *test_body == '{' ? parsed(test_body, test_len) : NULL;
    const char *bad = test_status < 300 ? shape_fault_of(&test_arena, test_engine, &r, v) : NULL;
    if (bad && !test_made_up)
        fail_msg("%s", bad);
    return v;
}

const char *test_header(const char *name)
{
    for (size_t i = 0; test_response && i < test_response->n_headers; i++)
        if (strcasecmp(test_response->headers[i].name, name) == 0)
            return test_response->headers[i].value;
    return "";
}

static void change_file(const char *path, const char *sql)
{
    static const char *const changing[] = {"update ", "insert ", "delete "};
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    if (str_starts_in_nocase(sql, changing, SOSIA_LEN(changing)) && !sqlite3_total_changes(db))
        fail_msg("changes nothing: %s", sql);
    sqlite3_close(db);
}

int test_import_changed(const char *sql, uint64_t *ret_world)
{
    char path[] = "/tmp/sosia-changed-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    if (sosia_world_export(test_engine, test_world, path, &test_err) < 0)
        fail_msg("export: %s", test_err.text);
    if (sql)
        change_file(path, sql);
    int rc = sosia_world_import(test_engine, path, NULL, ret_world, &test_err);
    unlink(path);
    return rc;
}

void test_advance(int64_t seconds)
{
    if (sosia_clock_advance(test_engine, test_world, seconds * 1000000, &test_err) < 0)
        fail_msg("clock: %s", test_err.text);
}

const struct json *test_outbox(void)
{
    return read_outbox(test_engine, test_world);
}

const struct json *test_dump(void)
{
    return read_dump(test_engine, test_world);
}
