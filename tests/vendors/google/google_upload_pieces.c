/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads in pieces: sessions, their ranges and their ends, media that no memory holds. */
#include "engine/base/codec.h"
#include "tests/support/box.h"
#include <gnutls/crypto.h>
#include <stdio.h>
#include <unistd.h>

/* ---- in pieces ---- */

static void a_session_keeps_path_and_query(void **state)
{
    begin(UP "?uploadType=resumable&note=a%20b&access_token=ada-token",
          "X-Upload-Content-Type: " LETTER "\nX-Upload-Content-Length: 600000");
    assert_memory_equal(location, UP "?uploadType=resumable&note=a%20b&upload_id=AHVrFx", 78);
    assert_string_equal(test_header("X-GUploader-UploadID"), strstr(location, "AHVrFx"));
    assert_string_equal(test_header("Server"), "UploadServer");
    assert_string_equal(test_header("Cache-Control"),
                        "no-cache, no-store, max-age=0, must-revalidate");
    put(0, GRAIN, "bytes 0-262143/600000");
    assert_has(GRAIN);
    put(GRAIN, GRAIN, "bytes 262144-524287/600000");
    assert_has(2 * GRAIN);
    put(2 * GRAIN, 600000 - 2 * GRAIN, "bytes 524288-599999/600000");
    assert_arrived(600000);
    assert_says(200, "\"note\": \"a b\"");
}

static void one_piece_is_enough(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, 1000, NULL);
    assert_arrived(1000);
    begin(UP "?uploadType=resumable", NULL);
    ASK(.method = "PUT", .target = location, .body = big, .len = 1000,
        .lines = "Content-Type: " LETTER "\nContent-Range: bytes 0-999/1000");
    assert_arrived(1000);
}

static void nothing_at_all_can_be_uploaded(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, 0, "bytes */0");
    assert_arrived(0);
}

static void the_state_can_be_asked_for(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, 0, "bytes */*");
    assert_has(0);
    put(0, 2 * GRAIN, "bytes 0-524287/*");
    assert_has(2 * GRAIN);
    put(0, 0, "bytes */600000");
    assert_has(2 * GRAIN);
    put(0, 0, "bytes */*");
    assert_has(2 * GRAIN);
    put(0, 0, "bytes */524288"); /* that was all */
    assert_arrived(2 * GRAIN);
    put(0, 0, "bytes */*");
    assert_arrived(2 * GRAIN);
    put(0, GRAIN, "bytes 0-262143/*");
    assert_arrived(2 * GRAIN);
}

static void programs_that_follow_308_get_200(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    ASK(.method = "PUT", .target = location, .body = big, .len = GRAIN,
        .lines = "Content-Range: bytes 0-262143/*\nX-GUploader-No-308: yes");
    assert_int_equal(test_response->status, 200);
    assert_string_equal(test_header("X-Http-Status-Code-Override"), "308");
    assert_string_equal(test_header("Range"), "bytes=0-262143");
}

static void a_piece_must_be_a_granule_or_the_last(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, 1024, "bytes 0-1023/2048");
    assert_says(400, "Invalid request.  The number of bytes uploaded is required to be equal or "
                     "greater than 262144, except for the final request (it's recommended to be "
                     "the exact multiple of 262144).  The received request contained 1024 bytes, "
                     "which does not meet this requirement.");
    put(0, GRAIN + 5, "bytes 0-262148/*"); /* whole granules are kept */
    assert_has(GRAIN);
    put(GRAIN, 10, "bytes 262144-262153/262154");
    assert_arrived(GRAIN + 10);
}

static void what_has_come_is_not_taken_twice(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, GRAIN, "bytes 0-262143/*");
    put(0, GRAIN, "bytes 0-262143/*");
    assert_has(GRAIN);
    put(0, 2 * GRAIN, "bytes 0-524287/*");
    assert_has(2 * GRAIN);
    put(GRAIN, GRAIN + 9, "bytes 262144-524296/524297");
    assert_arrived(2 * GRAIN + 9);
}

static void a_gap_is_refused(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, GRAIN, "bytes 0-262143/*");
    put(2 * GRAIN, GRAIN, "bytes 524288-786431/*");
    assert_says(503, "the upload offset is 524288 byte(s), which exceeds already uploaded size of "
                     "262144 byte(s).");
    put(0, 0, "bytes */*");
    assert_has(GRAIN);
}

static void ranges_that_make_no_sense_are_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "bytes",
                                      "bytes 0-9",
                                      "bytes 9-0/10",
                                      "bytes 0-10/10",
                                      "bytes */",
                                      "bytes -9/10",
                                      "bytes 0-/10",
                                      "bytes 0-9/x",
                                      "byte 0-9/10",
                                      "bytes*/10",
                                      "bytes 0-9/10 ",
                                      "bytes 0--1/0",
                                      "bytes 0-9/10,1-2",
                                      "bytes=0-9/10",
                                      "bytes */-1",
                                      "bytes 0-99999999999999999999/*",
                                      "bytes 0-9223372036854775807/*",
                                      "bytes */99999999999999999999"};
    begin(UP "?uploadType=resumable",
          "X-Upload-Content-Type: " LETTER "\nX-Upload-Content-Length: 10");
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        put(0, 10, bad[i]);
        assert_says(400, "Failed to parse Content-Range header.");
    }
    put(0, 9, "bytes 0-8/9"); /* ten were announced */
    assert_says(400, "Failed to parse Content-Range header.");
    put(0, 8, "bytes 0-9/10");
    assert_says(400, "There were 8 byte(s) in the request body.  There should have been 10 byte(s) "
                     "(starting at offset 0 and ending at offset 9)");
    put(0, 10, "bytes 0-9/10");
    assert_arrived(10);
}

static void pieces_can_be_too_large_together(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, MAX, "bytes 0-2097151/*");
    assert_has(MAX);
    put(MAX, GRAIN, "bytes 2097152-2359295/*");
    assert_says(413, "uploadTooLarge");
    put(0, 0, "bytes */2097153");
    assert_says(413, "uploadTooLarge");
    put(0, 0, "bytes */2097152");
    assert_arrived(MAX);
}

static void a_refusal_leaves_the_session_as_it_was(void **state)
{
    ASK(.target = UP "?uploadType=resumable", .body = "{\"title\":\"refused\"}",
        .lines = "X-Upload-Content-Type: " LETTER);
    snprintf(location, sizeof location, "%s", test_header("Location") + 21);
    put(0, GRAIN, "bytes 0-262143/*");
    put(GRAIN, 5, "bytes 262144-262148/262149");
    assert_says(400, "No such title");
    put(0, 0, "bytes */*");
    assert_has(GRAIN);
}

static void a_session_needs_no_token(void **state)
{
    ASK(.target = UP "?uploadType=resumable", .body = "{\"title\":\"x\"}", .token = "ada-box-token",
        .lines = "X-Upload-Content-Type: " LETTER);
    snprintf(location, sizeof location, "%s", test_header("Location") + 21);
    ASK(.method = "PUT", .target = location, .body = "abc", .nobody = true);
    assert_says(200, "\"actor\": \"ada@acme.example\"");
    assert_says(200, "\"other\": false"); /* no more than the token allowed */
}

static void a_session_belongs_to_who_began_it(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    ASK(.method = "PUT", .target = location, .body = "abc", .token = "bob-token");
    assert_says(404, "Not Found");
    ASK(.method = "PUT", .target = location, .body = "abc", .token = "no-such-token");
    assert_int_equal(test_response->status, 401);
}

static void an_unknown_session_gives_404(void **state)
{
    ASK(.method = "PUT", .target = UP "?upload_id=AHVrFx", .body = "abc", .nobody = true);
    assert_says(404, "Not Found");
    assert_string_equal(test_header("Content-Type"), "text/plain; charset=utf-8");
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    char other[2100];
    snprintf(other, sizeof other, "/upload/box/v1/boxes/c/letters%s", strchr(location, '?'));
    ASK(.method = "PUT", .target = other, .body = "abc");
    assert_says(404, "Not Found");
}

static void a_session_ends_after_a_week_of_the_worlds_clock(void **state)
{
    const int64_t day = INT64_C(86400000000);
    uint64_t fork;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    uint64_t main_world = test_world;
    test_world = fork;
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    assert_int_equal(sosia_clock_advance(test_engine, fork, 7 * day - 1, &test_err), 0);
    put(0, 0, "bytes */*");
    assert_has(0);
    assert_int_equal(sosia_clock_advance(test_engine, fork, 1, &test_err), 0);
    put(0, 0, "bytes */*");
    assert_says(404, "Not Found");
    test_world = main_world;
    assert_int_equal(sosia_world_drop(test_engine, fork, &test_err), 0);
}

static void sessions_fork_with_their_world(void **state)
{
    uint64_t fork;
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, GRAIN, "bytes 0-262143/*");
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    put(GRAIN, 1, "bytes 262144-262144/262145");
    assert_arrived(GRAIN + 1);
    ASK(.method = "PUT", .target = location, .body = big + GRAIN, .len = 2, .world = fork,
        .lines = "Content-Range: bytes 262144-262145/262146");
    assert_arrived(GRAIN + 2);
    assert_int_equal(sosia_world_reset(test_engine, fork, &test_err), 0);
    ASK(.method = "PUT", .target = location, .lines = "Content-Range: bytes */*", .world = fork);
    assert_has(GRAIN);
    assert_int_equal(sosia_world_drop(test_engine, fork, &test_err), 0);
}

static void sessions_go_along_with_an_export(void **state)
{
    uint64_t other;
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, GRAIN, "bytes 0-262143/*");
    if (test_import_changed(NULL, &other) < 0)
        fail_msg("%s", test_err.text);
    ASK(.method = "PUT", .target = location, .body = big + GRAIN, .len = 2, .world = other,
        .lines = "Content-Range: bytes 262144-262145/262146");
    assert_arrived(GRAIN + 2);
    assert_int_equal(sosia_world_drop(test_engine, other, &test_err), 0);
}

/* Beyond what is kept in memory of a request. */
#define CRATE ((size_t)5 * GRAIN + 100)
#define IN    "/upload/box/v1/boxes/b/crates"

static void assert_crated(const char *title)
{
    uint8_t sum[16];
    char hex[33], part[1000];
    gnutls_hash_fast(GNUTLS_DIG_MD5, big, CRATE, sum);
    hex_encode(hex, sum, sizeof sum);
    assert_says(200, hex);
    assert_says(200, title);
    assert_int_equal(member("size"), CRATE);
    ASK(.method = "GET", .target = "/box/v1/boxes/b/crates?alt=media",
        .lines = "Range: bytes=70000-");
    assert_int_equal(test_response->status, 206);
    assert_string_equal(test_header("Content-Type"), LETTER);
    assert_int_equal(test_response->length, CRATE - 70000);
    assert_int_equal(test_response->read(test_response, 0, part, sizeof part), sizeof part);
    assert_memory_equal(part, big + 70000, sizeof part);
}

static void large_media_are_never_in_memory(void **state)
{
    static char body[CRATE + 500];
    ASK(.target = IN "?uploadType=media", .body = big, .len = CRATE, .pulled = true,
        .lines = "Content-Type: application/zip");
    assert_crated("");
    size_t n = (size_t)sprintf(body, PART_1 "--b b\r\nContent-Type: application/zip\r\n\r\n");
    memcpy(body + n, big, CRATE);
    n += CRATE;
    n += (size_t)sprintf(body + n, "\r\n--b b--");
    ASK(.target = IN "?uploadType=multipart", .lines = RELATED, .body = body, .len = n,
        .pulled = true);
    assert_crated("\"title\": \"x\"");
    begin(IN "?uploadType=resumable", NULL);
    ASK(.method = "PUT", .target = location, .body = big, .len = 4 * GRAIN + 1000, .pulled = true,
        .lines = "Content-Range: bytes 0-1049575/*");
    assert_has(4 * GRAIN); /* whole granules */
    ASK(.method = "PUT", .target = location, .body = big + 4 * GRAIN, .len = GRAIN + 100,
        .lines = "Content-Range: bytes 1048576-1310819/1310820");
    assert_crated("\"title\": \"x\"");
}

static uint64_t size_of_world(void)
{
    struct sosia_world_info info;
    assert_int_equal(sosia_world_info(test_engine, test_world, &info, &test_err), 0);
    return info.size;
}

/* Whether it comes to its end or not. */
static void what_came_is_no_burden_afterwards(void **state)
{
    /* What steps keep has a bound of its own. */
    assert_int_equal(
        sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_REDACTED, 0, &test_err), 0);
    uint64_t before = size_of_world();
    for (int i = 0; i < 2; i++) {
        begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
        put(0, 4 * GRAIN, "bytes 0-1048575/*");
        assert_has(4 * GRAIN);
        assert_true(size_of_world() > before + 3 * GRAIN);
        if (i)
            ASK(.method = "DELETE", .target = location);
        else
            put(4 * GRAIN, GRAIN, "bytes 1048576-1310719/1310720");
        assert_int_equal(test_response->status, i ? 499 : 200);
        assert_in_range(size_of_world(), before, before + 50000);
    }
}

static void a_session_can_be_given_up(void **state)
{
    begin(UP "?uploadType=resumable", "X-Upload-Content-Type: " LETTER);
    put(0, GRAIN, "bytes 0-262143/*");
    ASK(.method = "DELETE", .target = location);
    assert_int_equal(test_response->status, 499);
    put(0, 0, "bytes */*");
    assert_says(404, "Not Found");
}

/* ---- with commands ---- */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_keeps_path_and_query),
        cmocka_unit_test(one_piece_is_enough),
        cmocka_unit_test(nothing_at_all_can_be_uploaded),
        cmocka_unit_test(the_state_can_be_asked_for),
        cmocka_unit_test(programs_that_follow_308_get_200),
        cmocka_unit_test(a_piece_must_be_a_granule_or_the_last),
        cmocka_unit_test(what_has_come_is_not_taken_twice),
        cmocka_unit_test(a_gap_is_refused),
        cmocka_unit_test(ranges_that_make_no_sense_are_refused),
        cmocka_unit_test(pieces_can_be_too_large_together),
        cmocka_unit_test(a_refusal_leaves_the_session_as_it_was),
        cmocka_unit_test(a_session_needs_no_token),
        cmocka_unit_test(a_session_belongs_to_who_began_it),
        cmocka_unit_test(an_unknown_session_gives_404),
        cmocka_unit_test(a_session_ends_after_a_week_of_the_worlds_clock),
        cmocka_unit_test(sessions_fork_with_their_world),
        cmocka_unit_test(sessions_go_along_with_an_export),
        cmocka_unit_test(large_media_are_never_in_memory),
        cmocka_unit_test(what_came_is_no_burden_afterwards),
        cmocka_unit_test(a_session_can_be_given_up),
    };
    return cmocka_run_group_tests(tests, open_world, test_close_engine);
}
