/* SPDX-License-Identifier: Apache-2.0 */
/* Large bodies of those who may not send them: refused by their heads, before anything is kept. */
#include "engine/base/err.h"
#include "server/server.h"
#include "sosia.h"
#include "tests/support/unit.h"
#include "tests/support/wire.h"
#include <ftw.h>

#define UPLOAD "/upload/gmail/v1/users/me/messages/send?uploadType=media"
#define A_LOT  ((int64_t)100 << 20)

static struct sosia_engine *engine;
static struct server *server;
static struct sosia_err err;
static uint64_t world;
static char dir[64];
static char good[SOSIA_TOKEN_MAX + 64], narrow[SOSIA_TOKEN_MAX + 64];
static struct wire_answer a;

static int token(const char *scopes, char *ret, size_t size)
{
    char text[SOSIA_TOKEN_MAX];
    const struct sosia_token_options opt = {.actor = "ada@acme.example", .scopes = scopes};
    int rc = sosia_token_issue(engine, world, &opt, text, sizeof text, &err);
    snprintf(ret, size, "Content-Type: message/rfc822\r\nAuthorization: Bearer %s\r\n", text);
    return rc;
}

static int open_all(void **state)
{
    static const char doc[] = "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":"
                              "[{\"email\":\"ada@acme.example\",\"name\":\"Ada\"}]}";
    struct server_options o = SERVER_OPTIONS_INIT;
    const struct sosia_world_options w = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    const struct sosia_engine_options e = {.data_dir = dir};
    strcpy(dir, "/tmp/sosia-heads-XXXXXX");
    if (!mkdtemp(dir) || sosia_engine_open(&e, &engine, &err) < 0 ||
        sosia_world_create(engine, &w, &world, &err) < 0 || token(NULL, good, sizeof good) < 0 ||
        token("https://www.googleapis.com/auth/calendar", narrow, sizeof narrow) < 0)
        return -1;
    sosia_engine_default_world(engine, world);
    o.engine = engine;
    o.threads = 1;
    o.control_key = "key-of-tests";
    o.log_level = SERVER_LOG_OFF;
    return server_start(&o, &server, &err);
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *f)
{
    return remove(path);
}

static int close_all(void **state)
{
    server_stop(server);
    sosia_engine_close(engine);
    return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static uint64_t received(void)
{
    struct server_metrics m;
    server_metrics(server, &m);
    return m.bytes_in;
}

/* A body is announced (-1: in chunks) and `sent` of it come. */
static void ask(const char *method, const char *target, const char *fields, int64_t announced,
                int64_t sent)
{
    int fd = wire_open(server_port(server));
    assert_true(fd >= 0);
    (void)wire_request(fd, method, target, fields, announced, sent);
    assert_int_equal(wire_answer(fd, 0, true, &a, NULL, NULL), 0);
    close(fd);
}

static void what_the_head_refuses_is_not_waited_for(void **state)
{
    static const char WRONG[] = "Content-Type: message/rfc822\r\nAuthorization: Bearer ya29.no\r\n";
    static const char NOT_OURS[] = "Authorization: Bearer sosia_AAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n";
    const struct {
        const char *method, *target, *fields;
        int status;
        const char *says;
    } cases[] = {
        {"POST", UPLOAD, WRONG, 401, "UNAUTHENTICATED"},
        {"POST", UPLOAD, NOT_OURS, 401, "UNAUTHENTICATED"},
        {"POST", UPLOAD, "", 401, "UNAUTHENTICATED"},
        {"POST", UPLOAD, narrow, 403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT"},
        {"POST", UPLOAD "&access_token=ya29.no", "", 401, "UNAUTHENTICATED"},
        {"PUT", UPLOAD "&upload_id=AHVrFxNobodys", "", 404, "Not Found"},
        {"POST", "/w/0123456789abcdef/calendar/v3/calendars", good, 404, "worldNotFound"},
        {"POST", "/calendar/v3/calendars", WRONG, 401, "authError"},
        {"POST", "/calendar/v3/nothing", good, 404, ""},
        {"POST", "/_sosia/v1/worlds", "Authorization: Bearer yek\r\n", 401, "unauthenticated"},
    };
    uint64_t before = received();
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        ask(cases[i].method, cases[i].target, cases[i].fields, A_LOT, 0);
        assert_int_equal(a.status, cases[i].status);
        assert_non_null(strstr(a.body, cases[i].says));
        assert_non_null(strcasestr(a.head, "\r\nConnection: close\r\n"));
    }
    assert_int_equal(received(), before);
}

/* A client that sends before it listens gets its answer, in the words of any other refusal. */
static void a_shorter_body_is_thrown_away(void **state)
{
    static const char WRONG[] = "Authorization: Bearer ya29.no\r\n";
    char words[sizeof a.body];
    ask("POST", UPLOAD, WRONG, 10, 10);
    assert_int_equal(a.status, 401);
    strcpy(words, a.body);
    for (int chunked = 0; chunked < 2; chunked++) {
        int fd = wire_open(server_port(server));
        assert_int_equal(wire_request(fd, "POST", UPLOAD, WRONG, chunked ? -1 : 300000, 300000), 0);
        assert_int_equal(wire_answer(fd, 0, true, &a, NULL, NULL), 0);
        assert_int_equal(a.status, 401);
        assert_string_equal(a.body, words);
        if (!chunked) { /* and goes on with its connection */
            assert_int_equal(wire_request(fd, "GET", "/calendar/v3/colors", good, 0, 0), 0);
            assert_int_equal(wire_answer(fd, 0, true, &a, NULL, NULL), 0);
            assert_int_equal(a.status, 200);
        }
        close(fd);
    }
    ask("POST", UPLOAD, "Authorization: Bearer ya29.no\r\nExpect: 100-continue\r\n", 300000, 0);
    assert_int_equal(a.status, 401);
    ask("POST", UPLOAD, "Authorization: Bearer ya29.no\r\nExpect: 100-continue\r\n", A_LOT, 0);
    assert_int_equal(a.status, 401);
    assert_string_equal(a.body, words);
}

static int refusals(void)
{
    struct sosia_blob b;
    int n = 0;
    assert_int_equal(sosia_journal_list(engine, world, 0, 0, false, &b, &err), 0);
    for (const char *at = b.data; (at = strstr(at, "401")); at++)
        n++;
    sosia_blob_free(&b);
    return n;
}

static void the_journal_has_the_refusal(void **state)
{
    int before = refusals();
    assert_true(before > 0);
    ask("POST", "/calendar/v3/calendars", "Authorization: Bearer ya29.no\r\n", A_LOT, 0);
    assert_int_equal(refusals(), before + 1);
}

static void who_may_sends_on(void **state)
{
    char batch[200];
    ask("POST", UPLOAD, good, 3 << 20, 3 << 20); /* no letter, but it was read */
    assert_int_equal(a.status, 400);
    assert_non_null(strstr(a.body, "Recipient address required"));
    /* The parts of a batch have tokens of their own. */
    snprintf(batch, sizeof batch, "Content-Type: multipart/mixed; boundary=b\r\n");
    ask("POST", "/batch/calendar/v3", batch, 100000, 100000);
    assert_int_equal(a.status, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_head_refuses_is_not_waited_for),
        cmocka_unit_test(a_shorter_body_is_thrown_away),
        cmocka_unit_test(the_journal_has_the_refusal),
        cmocka_unit_test(who_may_sends_on),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
