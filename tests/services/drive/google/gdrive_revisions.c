/* SPDX-License-Identifier: Apache-2.0 */
/* The contents that a file had: who sees them, what is kept, what is deleted by itself. */
#include "tests/support/gdrive.h"
#include "tests/support/unit.h"
#include <stdlib.h>

#define DAY INT64_C(86400)

static const char *upload(const char *file, const char *text)
{
    static const char *const headers[] = {"Content-Type", "text/plain", NULL};
    const struct json *v =
        file ? ask(ADA, "PATCH",
                   arena_printf(&test_arena, "/upload/drive/v3/files/%s?uploadType=media", file),
                   headers, text, strlen(text))
             : ask(ADA, "POST", "/upload/drive/v3/files?uploadType=media", headers, text,
                   strlen(text));
    assert_int_equal(test_status, 200);
    return json_get_str(v, "id");
}

static const struct json *revisions(const char *file, const char *rest)
{
    return as(ADA, "GET", arena_printf(&test_arena, "/files/%s/revisions%s", file, rest), NULL);
}

static const char *revision(const char *file, uint32_t at)
{
    const struct json *list = json_get(revisions(file, ""), "revisions");
    assert_true(list && at < list->n);
    return json_get_str(&list->items[at], "id");
}

static const struct json *keep(const char *file, const char *id, const char *body)
{
    return as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s/revisions/%s?fields=*", file, id),
              body);
}

static void new_content_is_a_revision_and_a_new_name_is_not(void **state)
{
    (void)state;
    const char *file = upload(NULL, "one");
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", file), "{'name':'b.txt'}");
    upload(file, "two!");
    const struct json *v = revisions(file, ""), *list = json_get(v, "revisions");
    assert_string_equal(json_get_str(v, "kind"), "drive#revisionList");
    assert_int_equal(list->n, 2);
    assert_int_equal(list->items[0].n, 4); /* id, mimeType, kind, modifiedTime */
    v = as(ADA, "GET", arena_printf(&test_arena, "/files/%s?fields=headRevisionId", file), NULL);
    assert_string_equal(json_get_str(v, "headRevisionId"), revision(file, 1));
    v = revisions(file, arena_printf(&test_arena, "/%s?fields=*", revision(file, 0)));
    assert_string_equal(json_get_str(v, "size"), "3");
    assert_string_equal(json_get_str(v, "md5Checksum"), "f97c5d29941bfb1b2fdab0874906ab82");
    assert_false(json_get(v, "keepForever")->truth);
    assert_false(json_get(v, "published")->truth);
    assert_string_equal(json_get_str(json_get(v, "lastModifyingUser"), "emailAddress"), ADA);
    revisions(file, "/0Bnone");
    assert_refused(404, "notFound");
}

static void only_what_is_kept_and_the_head_can_be_downloaded(void **state)
{
    (void)state;
    const char *file = upload(NULL, "one");
    upload(file, "two!");
    const char *old = revision(file, 0), *head = revision(file, 1);
    revisions(file, arena_printf(&test_arena, "/%s?alt=media", old));
    assert_refused(403, "download_restricted_for_revision");
    revisions(file, arena_printf(&test_arena, "/%s?alt=media", head));
    assert_string_equal(test_body, "two!");
    assert_true(json_get(keep(file, old, "{'keepForever':true}"), "keepForever")->truth);
    revisions(file, arena_printf(&test_arena, "/%s?alt=media", old));
    assert_string_equal(test_body, "one");
    keep(file, old, "{'keepForever':false}");
    assert_refused(400, "illegalKeepForeverModification");
    keep(file, head, "{'keepForever':true}");
    keep(file, head, "{'keepForever':false}");
    assert_int_equal(test_status, 200);
    keep(file, head, "{'published':true}");
    assert_refused(403, "fieldNotWritable");
}

static const char *at(const char *path, const char *member)
{
    return printed_at(as(ADA, "GET", path, NULL), member);
}

/* What is kept counts beside what a file has now, and so does a document, in the file, in the
 * order of a list, and in what somebody uses. */
static void what_is_kept_takes_space(void **state)
{
    (void)state;
    static const char all[] = "/about?fields=storageQuota";
    const char *file = upload(NULL, "three"), *other = upload(NULL, "seven, 7");
    const char *path = arena_printf(&test_arena, "/files/%s?fields=size,quotaBytesUsed", file);
    const char *before = at(all, "storageQuota.usage");
    upload(file, "two!");
    assert_string_equal(at(path, "quotaBytesUsed"), "4");
    keep(file, revision(file, 0), "{'keepForever':true}");
    keep(file, revision(file, 1), "{'keepForever':true}");
    assert_string_equal(at(path, "size"), "4");
    assert_string_equal(at(path, "quotaBytesUsed"), "9");
    assert_int_equal(atoi(at(all, "storageQuota.usage")), atoi(before) + 4);
    assert_string_equal(
        at("/files?orderBy=quotaBytesUsed%20desc&q=mimeType%3D'text/plain'", "files.0.id"), file);
    as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s", other), NULL);
    const char *document = printed_at(
        as(ADA, "POST", "/files", "{'mimeType':'application/vnd.google-apps.document'}"), "id");
    path = arena_printf(&test_arena, "/files/%s?fields=size,quotaBytesUsed", document);
    assert_string_equal(at(path, "size"), "1024");
    assert_string_equal(at(path, "quotaBytesUsed"), "1024");
    assert_int_equal(atoi(at(all, "storageQuota.usage")), atoi(before) - 4 + 1024);
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", document), "{'trashed':true}");
    assert_string_equal(at(all, "storageQuota.usageInDriveTrash"), "1024");
    const char *folder = printed_at(
        as(ADA, "POST", "/files", "{'mimeType':'application/vnd.google-apps.folder'}"), "id");
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s?addParents=%s", file, folder), "{}");
    as(ADA, "PATCH", arena_printf(&test_arena, "/files/%s", folder), "{'trashed':true}");
    assert_string_equal(at(all, "storageQuota.usageInDriveTrash"), "1033");
}

static void a_revision_is_forgotten_after_thirty_days(void **state)
{
    (void)state;
    const char *file = upload(NULL, "one");
    upload(file, "two");
    keep(file, revision(file, 0), "{'keepForever':true}");
    upload(file, "three");
    test_advance(29 * DAY);
    assert_int_equal(json_get(revisions(file, ""), "revisions")->n, 3);
    test_advance(2 * DAY);
    assert_int_equal(json_get(revisions(file, ""), "revisions")->n, 2);
    revisions(file, arena_printf(&test_arena, "/%s?alt=media", revision(file, 1)));
    assert_string_equal(test_body, "three");
}

static void a_hundred_newer_ones_make_the_oldest_go(void **state)
{
    (void)state;
    const char *file = upload(NULL, "0");
    const char *first = revision(file, 0);
    for (int i = 1; i < 100; i++)
        upload(file, arena_printf(&test_arena, "%d", i));
    assert_string_equal(revision(file, 0), first);
    upload(file, "100");
    assert_int_equal(json_get(revisions(file, ""), "revisions")->n, 100);
    assert_string_not_equal(revision(file, 0), first);
}

static void two_hundred_are_kept_and_no_more(void **state)
{
    (void)state;
    const char *file = upload(NULL, "0");
    for (int i = 1; i <= 200; i++) {
        const struct json *list =
            json_get(revisions(file, "?pageSize=1000&fields=revisions(id)"), "revisions");
        const char *head = json_get_str(&list->items[list->n - 1], "id");
        keep(file, head, "{'keepForever':true}");
        assert_int_equal(test_status, 200);
        upload(file, arena_printf(&test_arena, "%d", i));
    }
    const struct json *list =
        json_get(revisions(file, "?pageSize=1000&fields=revisions(id)"), "revisions");
    assert_int_equal(list->n, 201);
    const char *first = json_get_str(&list->items[0], "id");
    const char *last = json_get_str(&list->items[200], "id");
    keep(file, last, "{'keepForever':true}");
    assert_refused(403, "pinnedRevisionLimitExceeded");
    keep(file, first, "{'keepForever':true}"); /* it is kept already */
    assert_int_equal(test_status, 200);
    as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s/revisions/%s", file, first), NULL);
    assert_int_equal(test_status, 204);
    keep(file, last, "{'keepForever':true}");
    assert_int_equal(test_status, 200);
}

/* Numbers of revisions are given again when a file is deleted; what was to come of it is not. */
static void the_end_of_a_deleted_files_revision_is_nobody_elses(void **state)
{
    (void)state;
    const char *gone = upload(NULL, "one");
    upload(gone, "two");
    as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s", gone), NULL);
    assert_int_equal(test_status, 204);
    const char *file = upload(NULL, "a");
    test_advance(20 * DAY);
    upload(file, "b");
    test_advance(15 * DAY);
    assert_int_equal(json_get(revisions(file, ""), "revisions")->n, 2);
    test_advance(16 * DAY);
    assert_int_equal(json_get(revisions(file, ""), "revisions")->n, 1);
}

static void a_copy_is_kept_and_uploads_count_too(void **state)
{
    (void)state;
    static const char *const headers[] = {"Content-Type", "text/plain", NULL};
    const char *file = upload(NULL, "0");
    const struct json *v =
        as(ADA, "POST", arena_printf(&test_arena, "/files/%s/copy?keepRevisionForever=true", file),
           "{}");
    v = revisions(json_get_str(v, "id"), "?fields=*");
    assert_true(json_get(&json_get(v, "revisions")->items[0], "keepForever")->truth);
    const char *target = arena_printf(
        &test_arena, "/upload/drive/v3/files/%s?uploadType=media&keepRevisionForever=true", file);
    for (int i = 0; i < 200; i++) {
        ask(ADA, "PATCH", target, headers, "x", 1);
        assert_int_equal(test_status, 200);
    }
    ask(ADA, "PATCH", target, headers, "x", 1);
    assert_refused(403, "pinnedRevisionLimitExceeded");
}

static void the_newest_revision_stays(void **state)
{
    (void)state;
    const char *file = upload(NULL, "one");
    as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s/revisions/%s", file, revision(file, 0)),
       NULL);
    assert_refused(403, "cannotDeleteOnlyRevision");
    upload(file, "two!");
    as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s/revisions/%s", file, revision(file, 1)),
       NULL);
    assert_refused(403, "cannotDeleteOnlyRevision");
    as(ADA, "GET", arena_printf(&test_arena, "/files/%s?alt=media", file), NULL);
    assert_string_equal(test_body, "two!");
    as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s/revisions/%s", file, revision(file, 0)),
       NULL);
    assert_int_equal(test_status, 204);
    assert_int_equal(json_get(revisions(file, ""), "revisions")->n, 1);
}

static void documents_have_small_numbers_and_are_published(void **state)
{
    (void)state;
    const char *file = make(ADA, "{'name':'d','mimeType':'application/vnd.google-apps.document'}");
    upload(file, "hello");
    const char *last = revision(file, 1);
    assert_string_equal(last, "2");
    const struct json *v = keep(file, last, "{'published':true,'publishAuto':true}");
    assert_true(json_get(v, "published")->truth && json_get(v, "publishAuto")->truth);
    assert_non_null(json_get_str(v, "publishedLink"));
    assert_non_null(json_get_str(json_get(v, "exportLinks"), "text/plain"));
    assert_null(json_get(v, "keepForever"));
    keep(file, last, "{'keepForever':true}");
    assert_refused(403, "fieldNotWritable");
    revisions(file, "/2?alt=media");
    assert_refused(403, "fileNotDownloadable");
    as(ADA, "DELETE", arena_printf(&test_arena, "/files/%s/revisions/2", file), NULL);
    assert_refused(403, "revisionDeletionNotSupported");
}

static void readers_see_no_revisions(void **state)
{
    (void)state;
    const char *file = upload(NULL, "one");
    as(ADA, "POST",
       arena_printf(&test_arena, "/files/%s/permissions?sendNotificationEmail=false", file),
       "{'type':'user','role':'reader','emailAddress':'" BOB "'}");
    as(BOB, "GET", arena_printf(&test_arena, "/files/%s/revisions", file), NULL);
    assert_refused(403, "insufficientFilePermissions");
    as(EVE, "GET", arena_printf(&test_arena, "/files/%s/revisions", file), NULL);
    assert_refused(404, "notFound");
    const char *folder = make(ADA, "{'name':'f','mimeType':'application/vnd.google-apps.folder'}");
    revisions(folder, "");
    assert_refused(403, "revisionsNotSupported");
}

static void lists_have_pages(void **state)
{
    (void)state;
    const char *file = upload(NULL, "0");
    for (int i = 1; i < 5; i++)
        upload(file, arena_printf(&test_arena, "%d", i));
    const struct json *v = revisions(file, "?pageSize=3");
    assert_int_equal(json_get(v, "revisions")->n, 3);
    v = revisions(file, arena_printf(&test_arena, "?pageSize=3&pageToken=%s",
                                     json_get_str(v, "nextPageToken")));
    assert_int_equal(json_get(v, "revisions")->n, 2);
    assert_null(json_get(v, "nextPageToken"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(new_content_is_a_revision_and_a_new_name_is_not),
        gdrive_test(only_what_is_kept_and_the_head_can_be_downloaded),
        gdrive_test(what_is_kept_takes_space),
        gdrive_test(a_revision_is_forgotten_after_thirty_days),
        gdrive_test(a_hundred_newer_ones_make_the_oldest_go),
        gdrive_test(two_hundred_are_kept_and_no_more),
        gdrive_test(the_end_of_a_deleted_files_revision_is_nobody_elses),
        gdrive_test(a_copy_is_kept_and_uploads_count_too),
        gdrive_test(the_newest_revision_stays),
        gdrive_test(documents_have_small_numbers_and_are_published),
        gdrive_test(readers_see_no_revisions),
        gdrive_test(lists_have_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
