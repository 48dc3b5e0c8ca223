/* SPDX-License-Identifier: Apache-2.0 */
/* The durable store: what a small change puts into the log, and worlds whose pages are read when
 * they are wanted. */
#include "tests/support/data_dir.h"
#include <fcntl.h>

/* ---- the log ---- */

static void read_file(const char *name, int64_t at, void *to, size_t n)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, to, n, at), n);
    close(fd);
}

/* Frames of the log that are on disk, and bytes of one. */
static int64_t frames(int64_t *ret_size)
{
    uint8_t size[4];
    uint32_t n;
    read_file("log-mark", 8, &n, sizeof n);
    read_file("sosia.db-wal", 8, size, sizeof size);
    *ret_size = 24 + (size[0] << 24 | size[1] << 16 | size[2] << 8 | size[3]);
    return n;
}

static void insert_event(uint64_t world, int n)
{
    char token[SOSIA_TOKEN_MAX], bearer[SOSIA_TOKEN_MAX + 10], body[300];
    struct sosia_token_options opt = {.actor = "ada@acme.example"};
    struct sosia_response *res;
    assert_int_equal(sosia_token_issue(engine, world, &opt, token, sizeof token, &test_err), 0);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    int len = snprintf(body, sizeof body,
                       "{\"summary\":\"Event %d\",\"start\":{\"dateTime\":"
                       "\"2026-11-24T10:00:00+01:00\"},\"end\":{\"dateTime\":"
                       "\"2026-11-24T11:00:00+01:00\"}}",
                       n);
    struct sosia_header headers[] = {{"Authorization", bearer},
                                     {"Content-Type", "application/json"}};
    struct sosia_request req = {.method = "POST",
                                .target = "/calendar/v3/calendars/primary/events",
                                .headers = headers,
                                .n_headers = SOSIA_LEN(headers),
                                .body = body,
                                .body_len = (size_t)len};
    assert_int_equal(sosia_call(engine, world, &req, &res, &test_err), 0);
    assert_int_equal(res->status, 200);
    sosia_response_free(res);
}

static void a_small_change_is_small_in_the_log(void **state)
{
    enum { WARM = 50, N = 200, MOST = 40 * 1024 };
    start();
    uint64_t w = make(NULL);
    assert_int_equal(sosia_world_journal_mode(engine, w, SOSIA_JOURNAL_ALL, &test_err), 0);
    for (int i = 0; i < WARM; i++)
        insert_event(w, i);
    int64_t all = 0, size, before = frames(&size), now;
    for (int i = 0; i < N; i++, before = now) {
        insert_event(w, WARM + i);
        now = frames(&size);
        all += (now < before ? now : now - before) * size; /* it may have begun anew */
    }
    if (all / N > MOST)
        fail_msg("a small change has %lld bytes in the log, of %d", (long long)(all / N), MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_small_change_is_small_in_the_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
