/* SPDX-License-Identifier: Apache-2.0 */
/* Media for methods of a Google API: in one request, with commands, and downloads. */
#include "tests/support/box.h"
#include <stdio.h>

/* ---- in one request ---- */

static void media_alone_reach_the_method(void **state)
{
    ASK(.target = UP "?uploadType=media&note=hm", .body = "From: a\r\n\r\nhi",
        .lines = "Content-Type: message/rfc822");
    assert_says(200, "\"type\": \"message/rfc822\"");
    assert_says(200, "\"note\": \"hm\"");
    assert_int_equal(member("size"), 13);
    assert_string_equal(test_header("Server"), "UploadServer");
    assert_true(strlen(test_header("X-GUploader-UploadID")) > 40);
    assert_string_equal(test_header("Content-Type"), "application/json; charset=UTF-8");
    ASK(.target = UP "?upload_protocol=raw", .body = "x",
        .lines = "Content-Type: message/x-letter");
    assert_int_equal(member("size"), 1);
}

static void both_paths_lead_to_the_row(void **state)
{
    ASK(.target = "/resumable" UP "?uploadType=media", .body = "x",
        .lines = "Content-Type: " LETTER);
    assert_int_equal(member("size"), 1);
    ASK(.target = "/upload/box/v1/boxes/b", .body = "x");
    assert_says(404, "There is nothing at");
    ASK(.method = "PUT", .target = UP "?uploadType=media", .body = "x");
    assert_says(404, "There is nothing at");
    ASK(.method = "GET", .target = UP);
    assert_says(404, "There is nothing at");
}

static void a_type_that_is_not_taken_is_named(void **state)
{
    ASK(.target = UP "?uploadType=media", .body = "x", .lines = "Content-Type: image/png");
    assert_says(400, "Media type 'image/png' is not supported. Valid media types: [message/*]");
    assert_says(400, "\"reason\": \"badContent\"");
    ASK(.target = UP "?uploadType=media", .body = "x");
    assert_says(400, "'application/octet-stream'");
    ASK(.target = UP "?uploadType=media", .body = "x", .lines = "Content-Type: message/");
    assert_says(400, "'message/'");
}

static void what_is_too_large_gives_413(void **state)
{
    ASK(.target = UP "?uploadType=media", .body = big, .len = MAX,
        .lines = "Content-Type: " LETTER);
    assert_int_equal(member("size"), MAX);
    ASK(.target = UP "?uploadType=media", .body = big, .len = MAX + 1,
        .lines = "Content-Type: " LETTER);
    assert_says(413, "\"reason\": \"uploadTooLarge\"");
    ASK(.target = UP "?uploadType=resumable",
        .lines = "X-Upload-Content-Length: 2097153\nX-Upload-Content-Type: " LETTER);
    assert_says(413, "Request Too Large");
}

static void an_upload_of_no_known_kind_is_refused(void **state)
{
    ASK(.target = UP, .body = "x", .lines = "Content-Type: " LETTER);
    assert_says(400, "Invalid Upload Request");
    ASK(.target = UP "?uploadType=pigeon", .body = "x");
    assert_says(400, "Invalid Upload Request");
    assert_string_equal(test_header("Content-Type"), "text/plain; charset=utf-8");
}

static void credentials_are_asked_for_on_these_paths_too(void **state)
{
    ASK(.target = UP "?uploadType=media", .body = "x", .nobody = true);
    assert_int_equal(test_response->status, 401);
    ASK(.target = UP "?uploadType=resumable", .nobody = true);
    assert_int_equal(test_response->status, 401);
}

static void two_parts_are_metadata_and_media(void **state)
{
    ASK(.target = UP "?uploadType=multipart", .lines = RELATED,
        .body = PART_1 "--b b\r\nContent-Type: message/rfc822\r\n\r\nFrom: a\r\n\r\nhi\r\n--b b--");
    assert_says(200, "\"title\": \"x\"");
    assert_says(200, "\"type\": \"message/rfc822\"");
    assert_int_equal(member("size"), 13);
    assert_int_equal(member("sum"), sum_of("From: a\r\n\r\nhi", 13));
}

static void a_part_may_be_base64(void **state)
{
    ASK(.target = UP "?uploadType=multipart", .lines = RELATED,
        .body = PART_1 "--b b\r\nContent-Type: message/rfc822\r\n"
                       "Content-Transfer-Encoding: base64\r\n\r\nRnJv\r\nbTogYQ==\r\n--b b--\r\n");
    assert_int_equal(member("size"), 7);
    assert_int_equal(member("sum"), sum_of("From: a", 7));
    ASK(.target = UP "?uploadType=multipart", .lines = RELATED,
        .body = PART_1 "--b b\r\nContent-Type: message/rfc822\r\n"
                       "Content-Transfer-Encoding: base64\r\n\r\nRn!v\r\n--b b--\r\n");
    assert_says(400, "Malformed multipart body.");
}

static void malformed_parts_are_refused_in_plain_words(void **state)
{
    static const struct {
        const char *type, *body, *says;
    } table[] = {
        {RELATED, PART_1 "--b b\r\nContent-Type: " LETTER "\r\n\r\nhi",
         "Missing end boundary in multipart body."},
        {RELATED, "nothing", "Malformed multipart body."},
        {RELATED, PART_1 PART_1 PART_1 "--b b--", "Malformed multipart body."},
        {RELATED, "--b b--", "Invalid multipart request with 0 mime parts."},
        {"Content-Type: multipart/related", PART_1, "Malformed multipart body."},
        {"Content-Type: multipart/form-data; boundary=x", PART_1, "Malformed multipart body."},
        {"Content-Type: multipart/mixed; boundary=x", PART_1,
         "Media type 'multipart/mixed; boundary=x' is not supported. Valid media types: "
         "[multipart/related]"},
        {RELATED, "--b b\r\n\r\n{\"colour\":1}\r\n--b b\r\n\r\nhi\r\n--b b--",
         "Unknown name \\\"colour\\\""},
        {RELATED, "--b b\r\n\r\n{\"title\r\n--b b\r\n\r\nhi\r\n--b b--", "Invalid JSON payload"},
    };
    for (size_t i = 0; i < SOSIA_LEN(table); i++) {
        ASK(.target = UP "?uploadType=multipart", .lines = table[i].type, .body = table[i].body);
        assert_says(400, table[i].says);
    }
}

static void one_part_is_metadata_alone(void **state)
{
    ASK(.target = UP "?uploadType=multipart", .lines = RELATED, .body = PART_1 "--b b--");
    assert_says(200, "\"title\": \"x\"");
    assert_int_equal(member("size"), -1);
}

/* ---- with commands ---- */

#define START                                                                                      \
    "X-Goog-Upload-Protocol: resumable\nX-Goog-Upload-Command: start\n"                            \
    "X-Goog-Upload-Header-Content-Type: " LETTER "\n"

static void command(const char *text, size_t from, size_t n)
{
    char lines[300];
    snprintf(lines, sizeof lines, "X-Goog-Upload-Command: %s\nX-Goog-Upload-Offset: %zu", text,
             from);
    ASK(.target = location, .body = big + from, .len = n, .lines = lines);
}

static void commands_lead_through_an_upload(void **state)
{
    begin(UP "?note=n", START "X-Goog-Upload-Header-Content-Length: 262149");
    assert_string_equal(test_header("X-Goog-Upload-Status"), "active");
    assert_string_equal(test_header("X-Goog-Upload-Chunk-Granularity"), "262144");
    assert_non_null(strstr(location, "&upload_protocol=resumable"));
    command("query", 0, 0);
    assert_string_equal(test_header("X-Goog-Upload-Size-Received"), "0");
    command("upload", 0, GRAIN);
    assert_int_equal(test_response->status, 200);
    assert_string_equal(test_header("X-Goog-Upload-Status"), "active");
    command("query", 0, 0);
    assert_string_equal(test_header("X-Goog-Upload-Size-Received"), "262144");
    command("upload, finalize", GRAIN, 5);
    assert_arrived(GRAIN + 5);
    assert_says(200, "\"note\": \"n\"");
    assert_string_equal(test_header("X-Goog-Upload-Status"), "final");
    command("query", 0, 0);
    assert_string_equal(test_header("X-Goog-Upload-Status"), "final");
    command("finalize", 0, 0);
    assert_arrived(GRAIN + 5);
}

static void commands_that_make_no_sense_are_refused(void **state)
{
    begin(UP, START);
    command("upload, sing", 0, GRAIN);
    assert_says(400, "Invalid Upload Request");
    command("query, upload", 0, GRAIN);
    assert_says(400, "Invalid Upload Request");
    command("upload", GRAIN, GRAIN);
    assert_says(400, "already uploaded size of 0 byte(s)");
    command("upload", 0, 100);
    assert_says(400, "The received request contained 100 bytes");
    assert_string_equal(test_header("X-Goog-Upload-Status"), "active");
    command("cancel", 0, 0);
    assert_string_equal(test_header("X-Goog-Upload-Status"), "cancelled");
    command("query", 0, 0);
    assert_says(404, "Not Found");
}

static void an_announced_length_must_come(void **state)
{
    begin(UP, START "X-Goog-Upload-Header-Content-Length: 7");
    command("upload, finalize", 0, 5);
    assert_says(400, "7 byte(s) were announced");
}

/* ---- beside uploads ---- */

static void the_discovery_document_describes_media(void **state)
{
    ASK(.method = "GET", .target = "/discovery/v1/apis/box/v1/rest?prettyPrint=false",
        .nobody = true);
    assert_says(200, "\"supportsMediaUpload\":true,\"mediaUpload\":{\"accept\":[\"message/*\"],"
                     "\"maxSize\":\"2097152\",\"protocols\":{\"resumable\":{\"multipart\":true,"
                     "\"path\":\"/resumable/upload/box/v1/boxes/{box}/letters\"},\"simple\":{"
                     "\"multipart\":true,\"path\":\"/upload/box/v1/boxes/{box}/letters\"}}}");
    assert_says(200, "\"supportsMediaDownload\":true");
}

static void media_are_given_whole_or_in_part(void **state)
{
    static const struct {
        const char *range, *body, *content_range;
        int status;
    } table[] = {
        {"bytes=0-3", "0123", "bytes 0-3/10", 206},
        {"bytes=7-", "789", "bytes 7-9/10", 206},
        {"bytes=-2", "89", "bytes 8-9/10", 206},
        {"bytes=-20", "0123456789", "bytes 0-9/10", 206},
        {"bytes=8-99", "89", "bytes 8-9/10", 206},
        {"bytes=10-", "", "bytes */10", 416},
        {"bytes=-0", "", "bytes */10", 416},
        {"bytes=5-3", "0123456789", "", 200},
        {"bytes=0-1,4-5", "0123456789", "", 200},
        {"letters=0-1", "0123456789", "", 200},
        {"bytes=-", "0123456789", "", 200},
    };
    char lines[100];
    ASK(.method = "GET", .target = "/box/v1/boxes/b/letters?alt=media");
    assert_string_equal(test_response->body, "0123456789");
    assert_string_equal(test_header("Content-Type"), LETTER);
    for (size_t i = 0; i < SOSIA_LEN(table); i++) {
        snprintf(lines, sizeof lines, "Range: %s", table[i].range);
        ASK(.method = "GET", .target = "/box/v1/boxes/b/letters?alt=media", .lines = lines);
        assert_int_equal(test_response->status, table[i].status);
        assert_string_equal(test_response->body, table[i].body);
        assert_string_equal(test_header("Content-Range"), table[i].content_range);
    }
    ASK(.method = "GET", .target = "/box/v1/boxes/b/letters");
    assert_says(200, "\"title\": \"ten\"");
    ASK(.method = "GET", .target = "/box/v1/boxes/b?alt=media");
    assert_says(400, "Unsupported alt type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(media_alone_reach_the_method),
        cmocka_unit_test(both_paths_lead_to_the_row),
        cmocka_unit_test(a_type_that_is_not_taken_is_named),
        cmocka_unit_test(what_is_too_large_gives_413),
        cmocka_unit_test(an_upload_of_no_known_kind_is_refused),
        cmocka_unit_test(credentials_are_asked_for_on_these_paths_too),
        cmocka_unit_test(two_parts_are_metadata_and_media),
        cmocka_unit_test(a_part_may_be_base64),
        cmocka_unit_test(malformed_parts_are_refused_in_plain_words),
        cmocka_unit_test(one_part_is_metadata_alone),
        cmocka_unit_test(commands_lead_through_an_upload),
        cmocka_unit_test(commands_that_make_no_sense_are_refused),
        cmocka_unit_test(an_announced_length_must_come),
        cmocka_unit_test(the_discovery_document_describes_media),
        cmocka_unit_test(media_are_given_whole_or_in_part),
    };
    return cmocka_run_group_tests(tests, open_world, test_close_engine);
}
