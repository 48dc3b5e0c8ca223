/* SPDX-License-Identifier: Apache-2.0 */
/* Content of files: uploads in the three ways, downloads whole and in part. */
#include "tests/support/gdrive.h"

#define UPLOAD "/upload/drive/v3/files"

static const struct json *upload(const char *method, const char *target, const char *type,
                                 const char *body)
{
    const char *const headers[] = {"Content-Type", type, NULL};
    return ask(ADA, method, target, headers, body, strlen(body));
}

static const struct json *file(const char *id, const char *fields)
{
    return as(ADA, "GET", arena_printf(&test_arena, "/files/%s?fields=%s", id, fields), NULL);
}

static const char *bytes_of(const char *id)
{
    as(ADA, "GET", arena_printf(&test_arena, "/files/%s?alt=media", id), NULL);
    return test_body;
}

static void a_simple_upload_has_no_name(void **state)
{
    (void)state;
    const struct json *v = upload("POST", UPLOAD "?uploadType=media", "text/plain", "hello");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "name"), "Untitled");
    const char *id = text_at(v, "id");
    v = file(id, "size,md5Checksum,sha1Checksum,sha256Checksum,mimeType,headRevisionId");
    assert_string_equal(text_at(v, "size"), "5");
    assert_string_equal(text_at(v, "md5Checksum"), "5d41402abc4b2a76b9719d911017c592");
    assert_string_equal(text_at(v, "sha1Checksum"), "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d");
    assert_string_equal(text_at(v, "sha256Checksum"),
                        "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    assert_int_equal(strlen(text_at(v, "headRevisionId")), 50);
    assert_string_equal(bytes_of(id), "hello");
    assert_string_equal(test_header("Content-Type"), "text/plain");
}

static void a_multipart_upload_has_both(void **state)
{
    (void)state;
    const struct json *v =
        upload("POST", UPLOAD "?uploadType=multipart&fields=*", "multipart/related; boundary=b",
               "--b\r\nContent-Type: application/json\r\n\r\n{\"name\":\"a.tar.gz\"}\r\n"
               "--b\r\nContent-Type: application/gzip\r\n\r\nzip\r\n--b--\r\n");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "name"), "a.tar.gz");
    assert_string_equal(text_at(v, "mimeType"), "application/gzip");
    assert_string_equal(text_at(v, "fullFileExtension"), "tar.gz");
    assert_string_equal(text_at(v, "fileExtension"), "gz");
    assert_string_equal(text_at(v, "originalFilename"), "a.tar.gz");
    upload("POST", UPLOAD "?uploadType=multipart", "multipart/related; boundary=b",
           "--b\r\nContent-Type: application/json\r\n\r\n{}\r\n"
           "--b\r\nContent-Type: text/plain\r\n\r\nzip");
    assert_int_equal(test_status, 400);
}

static const char *location(void)
{
    const char *url = test_header("Location");
    const char *path = strstr(url, "/upload/");
    assert_non_null(path);
    return arena_memdup(&test_arena, path, strlen(path));
}

static const struct json *put(const char *who, const char *session, const char *range,
                              const char *data, size_t len)
{
    const char *const headers[] = {range ? "Content-Range" : NULL, range, NULL};
    return ask(who, "PUT", session, headers, data, len);
}

static void a_resumable_upload_goes_on_after_a_cut(void **state)
{
    (void)state;
    enum { CHUNK = 262144 };
    char *data = arena_alloc(&test_arena, CHUNK + 10);
    memset(data, 'x', CHUNK + 10);
    upload("POST", UPLOAD "?uploadType=resumable", "application/json", "{\"name\":\"big\"}");
    assert_int_equal(test_status, 200);
    const char *session = location();
    put(ADA, session, "bytes */262154", "", 0);
    assert_int_equal(test_status, 308);
    assert_string_equal(test_header("Range"), "");
    put(ADA, session, "bytes 0-99/262154", data, 100); /* too short for what is not the last */
    assert_int_equal(test_status, 400);
    put(ADA, session, "bytes 0-262143/262154", data, CHUNK);
    assert_int_equal(test_status, 308);
    assert_string_equal(test_header("Range"), "bytes=0-262143");
    put(ADA, session, "bytes */*", "", 0);
    assert_int_equal(test_status, 308);
    put(BOB, session, "bytes */*", "", 0); /* another person's */
    assert_int_equal(test_status, 404);
    put(ADA, session, "bytes 262144-262153/99", data, 10); /* another total */
    assert_int_equal(test_status, 400);
    put(ADA, session, "bytes 262144-262153/262154", data, 10);
    assert_int_equal(test_status, 200);
    const struct json *v = file(text_at(parsed(test_body, test_len), "id"), "size,md5Checksum");
    assert_string_equal(text_at(v, "size"), "262154");
    assert_int_equal(strlen(text_at(v, "md5Checksum")), 32);
}

static void a_session_ends_after_a_week(void **state)
{
    (void)state;
    upload("POST", UPLOAD "?uploadType=resumable", "application/json", "{}");
    const char *session = location();
    test_advance(8 * 86400);
    put(ADA, session, "bytes */*", "", 0);
    assert_int_equal(test_status, 404);
}

static void an_update_with_content_is_a_revision(void **state)
{
    (void)state;
    const struct json *v = upload("POST", UPLOAD "?uploadType=media", "text/plain", "one");
    const char *id = text_at(v, "id");
    const char *head = text_at(file(id, "headRevisionId"), "headRevisionId");
    test_advance(60);
    upload("PATCH", arena_printf(&test_arena, UPLOAD "/%s?uploadType=media", id), "text/plain",
           "two two");
    assert_int_equal(test_status, 200);
    v = file(id, "headRevisionId,size,modifiedTime,version");
    assert_string_not_equal(text_at(v, "headRevisionId"), head);
    assert_string_equal(text_at(v, "size"), "7");
    assert_string_equal(text_at(v, "modifiedTime"), "2026-11-23T08:01:00.000Z");
    assert_string_equal(bytes_of(id), "two two");
    upload("PUT", arena_printf(&test_arena, UPLOAD "/%s?uploadType=media", id), "text/plain", "x");
    assert_int_equal(test_status, 404);
}

static void ranges_are_given(void **state)
{
    (void)state;
    static const char *const middle[] = {"Range", "bytes=2-4", NULL};
    static const char *const beyond[] = {"Range", "bytes=20-", NULL};
    const struct json *v = upload("POST", UPLOAD "?uploadType=media", "text/plain", "0123456789");
    const char *target =
        arena_printf(&test_arena, "/drive/v3/files/%s?alt=media", text_at(v, "id"));
    ask(ADA, "GET", target, middle, "", 0);
    assert_int_equal(test_status, 206);
    assert_string_equal(test_body, "234");
    assert_string_equal(test_header("Content-Range"), "bytes 2-4/10");
    ask(ADA, "GET", target, beyond, "", 0);
    assert_int_equal(test_status, 416);
}

static void what_has_no_bytes_is_not_downloaded(void **state)
{
    (void)state;
    const char *doc = make(ADA, "{'mimeType':'application/vnd.google-apps.document'}");
    bytes_of(doc);
    assert_refused(403, "fileNotDownloadable");
    as(ADA, "GET", arena_printf(&test_arena, "/files/%s?acknowledgeAbuse=true", doc), NULL);
    assert_refused(403, "invalidAbuseAcknowledgment");
}

static void an_empty_file_has_bytes(void **state)
{
    (void)state;
    const char *id = make(ADA, "{'name':'empty'}");
    const struct json *v = file(id, "size,md5Checksum");
    assert_string_equal(text_at(v, "size"), "0");
    assert_string_equal(text_at(v, "md5Checksum"), "d41d8cd98f00b204e9800998ecf8427e");
    bytes_of(id);
    assert_int_equal(test_status, 200);
}

static void a_download_is_an_operation(void **state)
{
    (void)state;
    const struct json *v = upload("POST", UPLOAD "?uploadType=media", "text/plain", "hello");
    const char *id = text_at(v, "id");
    v = as(ADA, "POST", arena_printf(&test_arena, "/files/%s/download", id), NULL);
    assert_int_equal(test_status, 200);
    assert_true(true_at(v, "done"));
    assert_true(true_at(v, "response.partialDownloadAllowed"));
    const char *name = text_at(v, "name");
    v = as(ADA, "GET", arena_printf(&test_arena, "/operations/%s", name), NULL);
    assert_int_equal(test_status, 200);
    const char *uri = strstr(text_at(v, "response.downloadUri"), "/drive/v3");
    ask(ADA, "GET", uri, NULL, "", 0);
    assert_string_equal(test_body, "hello");
    as(BOB, "GET", arena_printf(&test_arena, "/operations/%s", name), NULL);
    assert_refused(404, "notFound");
    test_advance(25 * 3600);
    as(ADA, "GET", arena_printf(&test_arena, "/operations/%s", name), NULL);
    assert_refused(404, "notFound");
}

static void a_download_is_refused_to_whom_it_is_taken_from(void **state)
{
    (void)state;
    const struct json *v = upload("POST", UPLOAD "?uploadType=media", "text/plain", "hello");
    const char *id = text_at(v, "id");
    as(ADA, "POST", arena_printf(&test_arena, "/files/%s/download?revisionId=0Bnone", id), NULL);
    assert_refused(404, "notFound");
    v = as(ADA, "POST",
           arena_printf(&test_arena, "/files/%s/permissions?sendNotificationEmail=false", id),
           "{'type':'user','role':'reader','emailAddress':'" BOB "'}");
    const char *grant = text_at(v, "id");
    v = as(BOB, "POST", arena_printf(&test_arena, "/files/%s/download", id), NULL);
    assert_int_equal(test_status, 200);
    const char *operation = arena_printf(&test_arena, "/operations/%s", text_at(v, "name"));
    as(BOB, "GET", operation, NULL);
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", id),
       "{'copyRequiresWriterPermission':true}");
    as(BOB, "GET", operation, NULL);
    assert_refused(403, "cannotDownloadFile");
    as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s/permissions/%s", id, grant), NULL);
    as(BOB, "GET", operation, NULL);
    assert_refused(404, "notFound");
}

/* Bytes that were received already are skipped, and their new content is ignored. */
static void overlapping_ranges_of_an_upload_are_taken_once(void **state)
{
    (void)state;
    enum { CHUNK = 262144 };
    char *data = arena_alloc(&test_arena, 2 * CHUNK);
    memset(data, 'x', CHUNK);
    memset(data + CHUNK, 'y', CHUNK);
    upload("POST", UPLOAD "?uploadType=resumable", "application/json", "{\"name\":\"big\"}");
    const char *session = location();
    put(ADA, session, "bytes 0-262143/524288", data, CHUNK);
    assert_int_equal(test_status, 308);
    put(ADA, session, "bytes 0-262143/524288", data + CHUNK, CHUNK);
    assert_int_equal(test_status, 308);
    assert_string_equal(test_header("Range"), "bytes=0-262143");
    put(ADA, session, "bytes 262244-524287/524288", data, CHUNK - 100); /* a hole */
    assert_int_equal(test_status, 503);
    put(ADA, session, "bytes 262044-524287/524288", data + CHUNK - 100, CHUNK + 100);
    assert_int_equal(test_status, 200);
    bytes_of(text_at(parsed(test_body, test_len), "id"));
    assert_int_equal(test_len, 2 * CHUNK);
    assert_memory_equal(test_body, data, 2 * CHUNK);
}

static void the_download_restriction_that_holds_is_shown(void **state)
{
    (void)state;
    static const char holds[] = "downloadRestrictions.effectiveDownloadRestrictionWithContext";
    const struct json *v = upload("POST", UPLOAD "?uploadType=media", "text/plain", "hello");
    const char *id = text_at(v, "id");
    v = file(id, "downloadRestrictions");
    assert_false(true_at(value_at(v, holds), "restrictedForReaders"));
    assert_false(true_at(v, "downloadRestrictions.itemDownloadRestriction.restrictedForReaders"));
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", id),
       "{'copyRequiresWriterPermission':true}");
    v = file(id, "downloadRestrictions");
    assert_true(true_at(value_at(v, holds), "restrictedForReaders"));
    assert_false(true_at(value_at(v, holds), "restrictedForWriters"));
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", id),
       "{'downloadRestrictions':{'itemDownloadRestriction':{'restrictedForWriters':true}}}");
    v = file(id, "downloadRestrictions");
    assert_true(true_at(v, "downloadRestrictions.itemDownloadRestriction.restrictedForWriters"));
    assert_true(true_at(value_at(v, holds), "restrictedForReaders"));
    assert_true(true_at(value_at(v, holds), "restrictedForWriters"));
    /* GD-561, GD-562: the older member says it, and takes all of it away. */
    v = file(id, "copyRequiresWriterPermission,viewersCanCopyContent");
    assert_true(true_at(v, "copyRequiresWriterPermission"));
    assert_false(true_at(v, "viewersCanCopyContent"));
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", id),
       "{'copyRequiresWriterPermission':false}");
    v = file(id, "downloadRestrictions,copyRequiresWriterPermission");
    assert_false(true_at(v, "copyRequiresWriterPermission"));
    assert_false(true_at(value_at(v, holds), "restrictedForReaders"));
    assert_false(true_at(value_at(v, holds), "restrictedForWriters"));
}

/* ---- what browsers and careless programs send ---- */

#define FORM        "multipart/form-data; boundary=b"
#define FORM_UPLOAD UPLOAD "?uploadType=multipart&fields=id,name,mimeType,size"
#define FIRST(type, json)                                                                          \
    "--b\r\nContent-Disposition: form-data; name=\"metadata\"\r\n" type "\r\n" json "\r\n"
#define SECOND(type, bytes)                                                                        \
    "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.png\"\r\n" type            \
    "\r\n" bytes "\r\n--b--\r\n"
#define OF_JSON "Content-Type: application/json\r\n"
#define OF_PNG  "Content-Type: image/png\r\n"

static void assert_made(const struct json *v, const char *name, const char *type, const char *size)
{
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "name"), name);
    assert_string_equal(text_at(v, "mimeType"), type);
    assert_string_equal(text_at(v, "size"), size);
}

static void a_form_of_a_browser_is_metadata_and_content(void **state)
{
    (void)state;
    const struct json *v = upload("POST", FORM_UPLOAD, FORM,
                                  FIRST(OF_JSON, "{\"name\":\"a.png\"}") SECOND(OF_PNG, "abc"));
    assert_made(v, "a.png", "image/png", "3");
    v = upload("PATCH",
               arena_printf(&test_arena,
                            UPLOAD "/%s?uploadType=multipart&fields=name,mimeType,size",
                            text_at(v, "id")),
               FORM, FIRST(OF_JSON, "{\"name\":\"b.png\"}") SECOND(OF_PNG, "abcd"));
    assert_made(v, "b.png", "image/png", "4");
    /* A part without a type is as if it were not there. */
    v = upload("POST", FORM_UPLOAD, FORM, FIRST("", "{\"name\":\"a.png\"}") SECOND(OF_PNG, "abc"));
    assert_made(v, "Untitled", "image/png", "3");
    v = upload("POST", FORM_UPLOAD, FORM, FIRST("", "{\"name\":\"a.png\"}") SECOND("", "abc"));
    assert_made(v, "Untitled", "application/octet-stream", "0");
    upload("POST", FORM_UPLOAD, FORM, FIRST(OF_JSON, "{\"name\"") SECOND(OF_PNG, "abc"));
    assert_int_equal(test_status, 400);
    upload("POST", FORM_UPLOAD, "multipart/form-data", FIRST(OF_JSON, "{}") SECOND(OF_PNG, "abc"));
    assert_int_equal(test_status, 400);
}

static const char *type_of(const char *type, const char *body, size_t len)
{
    const char *const headers[] = {type ? "Content-Type" : NULL, type, NULL};
    const struct json *v =
        ask(ADA, "POST", UPLOAD "?uploadType=media&fields=mimeType", headers, body, len);
    assert_int_equal(test_status, 200);
    return text_at(v, "mimeType");
}

static void types_without_a_word_are_known_by_first_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *body, *type;
    } table[] = {{"%PDF-1.7\n", "application/pdf"},    {"\x89PNG\r\n\x1a\nxxxx", "image/png"},
                 {"\xff\xd8\xff\xe0xx", "image/jpeg"}, {"GIF89a", "image/gif"},
                 {"PK\x03\x04xx", "application/zip"},  {"%PDF", "application/octet-stream"},
                 {"", "application/octet-stream"}};
    for (size_t i = 0; i < SOSIA_LEN(table); i++)
        assert_string_equal(type_of(NULL, table[i].body, strlen(table[i].body)), table[i].type);
    assert_string_equal(type_of("text/plain", "%PDF-1.7\n", 9), "text/plain");
    assert_string_equal(type_of("application/octet-stream", "%PDF-1.7\n", 9),
                        "application/octet-stream");
}

static void content_has_no_type_of_googles(void **state)
{
    (void)state;
    static const char doc[] = "application/vnd.google-apps.document";
    const struct json *v = upload("POST", UPLOAD "?uploadType=media", "text/plain", "hello");
    const char *target = arena_printf(&test_arena, UPLOAD "/%s?uploadType=", text_at(v, "id"));
    const char *media = arena_printf(&test_arena, "%smedia", target);
    upload("POST", UPLOAD "?uploadType=media", doc, "hello");
    assert_refused(400, "invalidContentType");
    upload("PATCH", media, doc, "hello");
    assert_refused(400, "invalidContentType");
    /* An update does not convert; nothing is converted to a document's own type. */
    upload("PATCH", arena_printf(&test_arena, "%smultipart", target),
           "multipart/related; boundary=b",
           "--b\r\n" OF_JSON "\r\n{\"mimeType\":\"application/vnd.google-apps.document\"}\r\n"
           "--b\r\nContent-Type: text/plain\r\n\r\nnew\r\n--b--\r\n");
    assert_refused(400, "invalidContentType");
    v = as(ADA, "POST", "/files", "{'mimeType':'application/vnd.google-apps.document'}");
    upload("PATCH", arena_printf(&test_arena, UPLOAD "/%s?uploadType=multipart", text_at(v, "id")),
           "multipart/related; boundary=b",
           "--b\r\n" OF_JSON "\r\n{\"mimeType\":\"application/vnd.google-apps.document\"}\r\n"
           "--b\r\nContent-Type: text/plain\r\n\r\nnew\r\n--b--\r\n");
    assert_int_equal(test_status, 200);
    /* Alone it changes nothing, and is taken. */
    v = as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", text_at(v, "id")),
           "{'mimeType':'text/plain'}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "mimeType"), doc);
}

static void a_session_into_no_folder_is_not_begun(void **state)
{
    (void)state;
    upload("POST", UPLOAD "?uploadType=resumable", "application/json", "{\"parents\":[\"none\"]}");
    assert_refused(404, "notFound");
    assert_string_equal(test_header("Location"), "");
    const char *folder = make(BOB, "{'mimeType':'application/vnd.google-apps.folder'}");
    as(BOB, "POST", arena_printf(&test_arena, "/files/%s/permissions", folder),
       "{'role':'reader','type':'user','emailAddress':'ada@acme.example'}");
    upload("POST", UPLOAD "?uploadType=resumable", "application/json",
           arena_printf(&test_arena, "{\"parents\":[\"%s\"]}", folder));
    assert_refused(403, "insufficientParentPermissions");
    upload("POST", UPLOAD "?uploadType=resumable", "application/json", "{\"parents\":[\"root\"]}");
    assert_int_equal(test_status, 200);
    const char *session = location();
    put(ADA, session, NULL, "hello", 5);
    assert_int_equal(test_status, 200);
}

static void a_session_for_no_file_is_not_begun(void **state)
{
    (void)state;
    upload("PATCH", UPLOAD "/none?uploadType=resumable", "application/json", "{}");
    assert_refused(404, "notFound");
    assert_string_equal(test_header("Location"), "");
    const char *file = make(BOB, "{'name':'a'}"), *own = make(ADA, "{'name':'b'}");
    as(BOB, "POST", arena_printf(&test_arena, "/files/%s/permissions", file),
       "{'role':'reader','type':'user','emailAddress':'ada@acme.example'}");
    upload("PATCH", arena_printf(&test_arena, UPLOAD "/%s?uploadType=resumable", file),
           "application/json", "{}");
    assert_int_equal(test_status, 403);
    assert_string_equal(test_header("Location"), "");
    upload("PATCH",
           arena_printf(&test_arena, UPLOAD "/%s?uploadType=resumable&addParents=none", own),
           "application/json", "{}");
    assert_refused(404, "notFound");
    upload("PATCH", arena_printf(&test_arena, UPLOAD "/%s?uploadType=resumable", own),
           "application/json", "{\"name\":\"c\"}");
    assert_int_equal(test_status, 200);
    put(ADA, location(), NULL, "hello", 5);
    assert_int_equal(test_status, 200);
}

static void a_session_that_is_deleted_is_over(void **state)
{
    (void)state;
    upload("POST", UPLOAD "?uploadType=resumable", "application/json", "{}");
    const char *session = location();
    ask(ADA, "DELETE", session, (const char *const[]){NULL}, "", 0);
    assert_int_equal(test_status, 499);
    put(ADA, session, NULL, "hello", 5);
    assert_int_equal(test_status, 404);
}

static void downloads_and_deletions_have_the_headers_of_live_answers(void **state)
{
    (void)state;
    const struct json *v = upload("POST", UPLOAD "?uploadType=media", "text/plain", "hello");
    const char *id = text_at(v, "id");
    bytes_of(id);
    assert_string_equal(test_header("Cache-Control"), "private, max-age=0, must-revalidate");
    assert_string_equal(test_header("Server"), "UploadServer");
    assert_string_equal(test_header("X-Goog-Hash"), "crc32c=mnG7TA==");
    as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s", id), NULL);
    assert_int_equal(test_status, 204);
    assert_string_equal(test_header("Content-Type"), "text/html");
    const char *doc = make(ADA, "{'mimeType':'application/vnd.google-apps.document'}");
    as(ADA, "GET", arena_printf(&test_arena, "/files/%s/export?mimeType=text/plain", doc), NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(test_header("Expires"), test_header("Date"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(a_simple_upload_has_no_name),
        gdrive_test(a_multipart_upload_has_both),
        gdrive_test(a_resumable_upload_goes_on_after_a_cut),
        gdrive_test(a_session_ends_after_a_week),
        gdrive_test(an_update_with_content_is_a_revision),
        gdrive_test(ranges_are_given),
        gdrive_test(what_has_no_bytes_is_not_downloaded),
        gdrive_test(an_empty_file_has_bytes),
        gdrive_test(a_download_is_an_operation),
        gdrive_test(a_download_is_refused_to_whom_it_is_taken_from),
        gdrive_test(overlapping_ranges_of_an_upload_are_taken_once),
        gdrive_test(the_download_restriction_that_holds_is_shown),
        gdrive_test(a_form_of_a_browser_is_metadata_and_content),
        gdrive_test(types_without_a_word_are_known_by_first_bytes),
        gdrive_test(content_has_no_type_of_googles),
        gdrive_test(a_session_into_no_folder_is_not_begun),
        gdrive_test(a_session_for_no_file_is_not_begun),
        gdrive_test(a_session_that_is_deleted_is_over),
        gdrive_test(downloads_and_deletions_have_the_headers_of_live_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
