/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Mail: large attachments in pieces, and attachments that are not files. */
#include "engine/base/codec.h"
#include "tests/support/outlook.h"
#include <stdlib.h>

#define CREATE "/messages/%s/attachments/createUploadSession"

static const char *draft(void)
{
    return arena_strdup(&test_arena,
                        text_at(ol_do(BOB, "POST", "/messages", "{'subject':'Plan'}", 201), "id"));
}

/* The path of a session for a file of so many bytes. */
static const char *begin(const char *id, const char *more)
{
    static const char host[] = "https://outlook.office.com";
    const struct json *v = ol_do(
        BOB, "POST", ol_text(CREATE, id),
        ol_text("{'AttachmentItem':{'attachmentType':'file','name':'a.bin','size':3200000%s}}",
                more),
        201);
    const char *url = json_get_str(v, "uploadUrl");
    assert_true(str_starts(url, host));
    return arena_strdup(&test_arena, url + sizeof host - 1);
}

static const struct json *session(const char *method, const char *path, const char *range,
                                  const char *data, size_t n)
{
    const struct sosia_header headers[] = {{"Host", "outlook.office.com"},
                                           {"Content-Type", "application/octet-stream"},
                                           {"Content-Range", range}};
    return test_request(method, path, headers, range ? 3 : 2, data ? data : "", n);
}

static const char *bytes(void)
{
    static char data[3200000];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (char)(i * 7 + i / 1000);
    return data;
}

static void a_large_file_comes_in_ranges(void **state)
{
    const char *id = draft(), *data = bytes();
    const struct json *v = ol_do(BOB, "POST", ol_text(CREATE, id),
                                 "{'attachmentItem':{'attachmentType':'file','name':'x','size':"
                                 "3200000}}",
                                 201);
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#microsoft.graph.uploadSession");
    assert_string_equal(text_at(v, "nextExpectedRanges.0"), "0-");
    assert_string_equal(text_at(v, "expirationDateTime"), "2026-11-23T11:00:00.0000000Z");
    const char *path =
        begin(id, ",'contentType':'application/pdf','isInline':true,'contentId':'c1'");
    v = session("PUT", path, "bytes 0-2097151/3200000", data, 2097152);
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "NextExpectedRanges.0"), "2097152");
    assert_string_equal(text_at(v, "ExpirationDateTime"), "2026-11-23T11:00:00.0000000Z");
    assert_null(json_get(v, "uploadUrl"));
    v = session("GET", path, NULL, NULL, 0);
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "NextExpectedRanges.0"), "2097152");
    assert_int_equal(count_at(ol_get(BOB, 200, "/messages/%s/attachments", id), "value"), 0);
    session("PUT", path, "bytes 2097152-3199999/3200000", data + 2097152, 3200000 - 2097152);
    assert_int_equal(test_status, 201);
    assert_int_equal(test_len, 0);
    const char *at = strstr(test_header("Location"), "/Attachments('");
    assert_non_null(at);
    at = arena_memdup(&test_arena, at + 14, strlen(at + 14) - 2);
    v = ol_get(BOB, 200, "/messages/%s/attachments/%s", id, at);
    assert_string_equal(text_at(v, "name"), "a.bin");
    assert_string_equal(text_at(v, "contentType"), "application/pdf");
    assert_string_equal(text_at(v, "contentId"), "c1");
    assert_true(true_at(v, "isInline"));
    ol_get(BOB, 200, "/messages/%s/attachments/%s/$value", id, at);
    assert_int_equal(test_len, 3200000);
    assert_memory_equal(test_body, data, test_len);
    session("GET", path, NULL, NULL, 0); /* it is over */
    ol_refused(404, "ErrorItemNotFound", NULL);
}

/* The service advises 4 MB, which is what all other calls have (MG-319). */
static void a_range_may_be_larger_than_other_bodies(void **state)
{
    enum { SIZE = 5 << 20 };
    const char *id = draft();
    char *data = arena_calloc(&test_arena, SIZE, 1);
    const struct json *v = ol_do(
        BOB, "POST", ol_text(CREATE, id),
        ol_text("{'AttachmentItem':{'attachmentType':'file','name':'a','size':%d}}", SIZE), 201);
    const char *path = strstr(json_get_str(v, "uploadUrl"), "/api/");
    session("PUT", path, ol_text("bytes 0-%d/%d", SIZE - 1, SIZE), data, SIZE);
    assert_int_equal(test_status, 201);
    memset(data, ' ', SIZE);
    ol(BOB, "POST", "/messages", arena_memdup(&test_arena, data, SIZE - 1));
    assert_int_equal(test_status, 413);
}

static void ranges_are_held_to_the_session(void **state)
{
    const char *id = draft(), *data = bytes(), *path = begin(id, "");
    static const struct {
        const char *range;
        size_t n;
    } wrong[] = {
        {NULL, 10},
        {"", 10},
        {"bytes", 10},
        {"bytes 0-9", 10},
        {"bytes 0-9/*", 10},
        {"bytes -1-9/3200000", 10},
        {"bytes 9-0/3200000", 10},
        {"bytes 0-9/5", 10},
        {"bytes 0-9/3200001", 10}, /* another size */
        {"bytes 0-9/3200000", 11}, /* another length */
        {"bytes 10-19/3200000", 10} /* not the next */,
        {"bytes 0-99999999999999999999/3200000", 10},
    };
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        session("PUT", path, wrong[i].range, data, wrong[i].n);
        ol_refused(400, "ErrorInvalidRequest", NULL);
    }
    session("PUT", path, "bytes 0-9/3200000", data, 10);
    assert_int_equal(test_status, 200);
    session("PUT", path, "bytes 0-9/3200000", data, 10); /* it has come */
    ol_refused(400, "ErrorInvalidRequest", "The range must begin at byte 10, not at 0.");
    const char *other = ol_text("%s0", path);
    session("PUT", other, "bytes 10-19/3200000", data, 10); /* another token */
    ol_refused(404, "ErrorItemNotFound", NULL);
    session("PUT", arena_memdup(&test_arena, path, (size_t)(strchr(path, '?') - path)),
            "bytes 10-19/3200000", data, 10);
    ol_refused(404, "ErrorItemNotFound", NULL);
    session("DELETE", path, NULL, NULL, 0);
    assert_int_equal(test_status, 204);
    session("PUT", path, "bytes 10-19/3200000", data, 10);
    ol_refused(404, "ErrorItemNotFound", NULL);
}

static void a_session_ends_by_itself_and_with_its_draft(void **state)
{
    const char *id = draft(), *data = bytes(), *path = begin(id, "");
    session("PUT", path, "bytes 0-9/3200000", data, 10);
    assert_int_equal(test_status, 200);
    test_advance(3 * 3600 + 1);
    session("GET", path, NULL, NULL, 0);
    ol_refused(404, "ErrorItemNotFound", NULL);
    path = begin(id, "");
    ol_do(BOB, "POST", ol_text("/messages/%s/permanentDelete", id), NULL, 204);
    session("PUT", path, "bytes 0-3199999/3200000", data, 3200000);
    ol_refused(404, "ErrorItemNotFound", NULL);
}

static void sessions_are_refused(void **state)
{
    const char *id = draft();
    static const char *const wrong[][2] = {
        {"{}", "ErrorInvalidParameter"},
        {"{'AttachmentItem':{'name':'x','size':3200000,'attachmentType':'item'}}",
         "ErrorInvalidParameter"},
        {"{'AttachmentItem':{'size':3200000,'attachmentType':'file'}}", "ErrorInvalidParameter"},
        {"{'AttachmentItem':{'name':'x','attachmentType':'file'}}", "ErrorInvalidParameter"},
        {"{'AttachmentItem':{'name':'x','size':3145727,'attachmentType':'file'}}",
         "ErrorAttachmentSizeShouldNotBeLessThanMinimumSize"},
        {"{'AttachmentItem':{'name':'x','size':157286401,'attachmentType':'file'}}",
         "ErrorAttachmentSizeLimitExceeded"},
    };
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        ol(BOB, "POST", ol_text(CREATE, id), wrong[i][0]);
        ol_refused(400, wrong[i][1], NULL);
    }
    ol_send(CYD, BOB, "Hello", "there");
    ol(BOB, "POST", ol_text(CREATE, ol_newest(BOB, "inbox")),
       "{'AttachmentItem':{'name':'x','size':3200000}}");
    ol_refused(400, "ErrorInvalidOperation", NULL);
    for (int i = 0; i < 100; i++)
        begin(id, "");
    ol(BOB, "POST", ol_text(CREATE, id), "{'AttachmentItem':{'name':'x','size':3200000}}");
    ol_refused(429, "ErrorTooManyObjectsOpened", NULL);
}

static void a_copy_of_a_world_goes_on_with_a_session(void **state)
{
    const char *id = draft(), *data = bytes(), *path = begin(id, "");
    uint64_t copy;
    session("PUT", path, "bytes 0-2097151/3200000", data, 2097152);
    assert_int_equal(test_status, 200);
    assert_int_equal(test_import_changed(NULL, &copy), 0);
    assert_int_equal(test_import_changed("update graph_upload set size = total", &copy), -1);
    assert_int_equal(test_import_changed("update graph_upload set blob = null", &copy), -1);
    assert_int_equal(test_import_changed("update graph_upload set total = 1", &copy), -1);
    session("PUT", path, "bytes 2097152-3199999/3200000", data + 2097152, 3200000 - 2097152);
    assert_int_equal(test_status, 201);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(a_large_file_comes_in_ranges),
        ol_test(a_range_may_be_larger_than_other_bodies),
        ol_test(ranges_are_held_to_the_session),
        ol_test(a_session_ends_by_itself_and_with_its_draft),
        ol_test(sessions_are_refused),
        ol_test(a_copy_of_a_world_goes_on_with_a_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
