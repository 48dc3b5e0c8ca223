/* SPDX-License-Identifier: Apache-2.0 */
/* Where files are: folders, moves, the trash, deletion, copies, shortcuts. */
#include "tests/support/gdrive.h"

#define FOLDER "'mimeType':'application/vnd.google-apps.folder'"

static const char *text(const char *format, const char *a, const char *b)
{
    return arena_printf(&test_arena, "%s%s%s", a, format, b);
}

static const char *in_folder(const char *who, const char *name, const char *folder,
                             const char *more)
{
    return make(who,
                arena_printf(&test_arena, "{'name':'%s','parents':['%s']%s}", name, folder, more));
}

static const struct json *get(const char *who, const char *id, const char *fields)
{
    return as(who, "GET", arena_printf(&test_arena, "/files/%s?fields=%s", id, fields), NULL);
}

static const struct json *patch(const char *who, const char *id, const char *query,
                                const char *body)
{
    return as(who, "PATCH", arena_printf(&test_arena, "/files/%s%s", id, query), body);
}

static const char *share(const char *id, const char *email, const char *role)
{
    as(ADA, "POST",
       arena_printf(&test_arena, "/files/%s/permissions?sendNotificationEmail=false", id),
       arena_printf(&test_arena, "{'type':'user','role':'%s','emailAddress':'%s'}", role, email));
    assert_int_equal(test_status, 200);
    return id;
}

static void a_file_moves(void **state)
{
    (void)state;
    const char *a = make(ADA, "{'name':'A'," FOLDER "}");
    const char *b = make(ADA, "{'name':'B'," FOLDER "}");
    const char *f = in_folder(ADA, "f", a, "");
    const struct json *v = patch(
        ADA, f, arena_printf(&test_arena, "?addParents=%s&removeParents=%s&fields=parents", b, a),
        "{}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "parents.0"), b);
    v = patch(ADA, f, text(a, "?fields=parents&addParents=", ""), "{}"); /* by its owner */
    assert_string_equal(text_at(v, "parents.0"), a);
    patch(ADA, f, "", "{'parents':['x']}");
    assert_refused(403, "fieldNotWritable");
    patch(ADA, f, arena_printf(&test_arena, "?addParents=%s,%s", a, b), "{}");
    assert_refused(403, "cannotAddParent");
    patch(ADA, f, "?addParents=nowhere", "{}");
    assert_refused(404, "notFound");
    patch(ADA, b, text(f, "?addParents=", ""), "{}");
    assert_refused(403, "parentNotAFolder");
}

static void a_folder_does_not_go_into_itself(void **state)
{
    (void)state;
    const char *a = make(ADA, "{'name':'A'," FOLDER "}");
    const char *b = in_folder(ADA, "B", a, "," FOLDER);
    const char *c = in_folder(ADA, "C", b, "," FOLDER);
    patch(ADA, a, text(c, "?addParents=", ""), "{}");
    assert_refused(400, "badRequest");
    patch(ADA, a, text(a, "?addParents=", ""), "{}");
    assert_refused(400, "badRequest");
    assert_string_not_equal(text_at(get(ADA, a, "parents"), "parents.0"), c);
    patch(ADA, "root", text(a, "?addParents=", ""), "{}");
    assert_refused(403, "insufficientFilePermissions");
}

static void folders_have_a_depth(void **state)
{
    (void)state;
    const char *at = "root";
    for (int i = 0; i < 100; i++)
        at = in_folder(ADA, "F", at, "," FOLDER);
    in_folder(ADA, "file", at, "");
    as(ADA, "POST", "/files", arena_printf(&test_arena, "{'parents':['%s']," FOLDER "}", at));
    assert_refused(403, "myDriveHierarchyDepthLimitExceeded");
    assert_non_null(strstr(test_body,
                           "Your My Drive can't contain more than 100 levels of folders. "
                           "For details, see https://"));
    const struct json *v = as(ADA, "POST", "/drives?requestId=r", "{'name':'D'}");
    const char *id = text_at(v, "id");
    for (int i = 0; i < 100; i++) {
        v = as(ADA, "POST", "/files?supportsAllDrives=true",
               arena_printf(&test_arena, "{'parents':['%s']," FOLDER "}", id));
        assert_int_equal(test_status, 200);
        id = text_at(v, "id");
    }
    as(ADA, "POST", "/files?supportsAllDrives=true",
       arena_printf(&test_arena, "{'parents':['%s']," FOLDER "}", id));
    assert_refused(403, "teamDriveHierarchyTooDeep");
    assert_non_null(strstr(test_body, "The shared drive hierarchy depth will exceed the limit."));
}

/* What is in a folder that is moved counts as well; files do not. */
static void folders_that_are_moved_have_a_depth(void **state)
{
    (void)state;
    const char *at = "root", *top = NULL, *middle = NULL;
    for (int i = 0; i < 60; i++)
        at = in_folder(ADA, "F", at, "," FOLDER);
    const char *deep = at;
    at = "root";
    for (int i = 0; i < 41; i++) {
        at = in_folder(ADA, "G", at, "," FOLDER);
        top = top ? top : at;
        middle = i == 1 ? at : middle;
    }
    in_folder(ADA, "file", at, "");
    patch(ADA, top, text(deep, "?addParents=", ""), "{}");
    assert_refused(403, "myDriveHierarchyDepthLimitExceeded");
    patch(ADA, middle, text(deep, "?addParents=", ""), "{}");
    assert_int_equal(test_status, 200);
    as(ADA, "POST", "/files", arena_printf(&test_arena, "{'parents':['%s']," FOLDER "}", at));
    assert_refused(403, "myDriveHierarchyDepthLimitExceeded");
    patch(ADA, middle, text("root", "?addParents=", ""), "{}");
    assert_int_equal(test_status, 200);
}

static void what_is_below_is_in_the_trash_too(void **state)
{
    (void)state;
    const char *a = make(ADA, "{'name':'A'," FOLDER "}");
    const char *f = in_folder(ADA, "f", a, "");
    share(a, BOB, "writer");
    patch(BOB, a, "", "{'trashed':true}");
    assert_refused(403, "insufficientFilePermissions");
    patch(ADA, a, "", "{'trashed':true}");
    assert_int_equal(test_status, 200);
    const struct json *v = get(ADA, f, "trashed,explicitlyTrashed");
    assert_true(true_at(v, "trashed"));
    assert_false(true_at(v, "explicitlyTrashed"));
    assert_true(true_at(get(ADA, a, "explicitlyTrashed"), "explicitlyTrashed"));
    patch(ADA, a, "", "{'trashed':false}");
    assert_false(true_at(get(ADA, f, "trashed"), "trashed"));
    patch(ADA, f, "", "{'trashed':true}");
    as(ADA, "DELETE", "/files/trash", NULL);
    assert_int_equal(test_status, 204);
    get(ADA, f, "id");
    assert_refused(404, "notFound");
    get(ADA, a, "id");
    assert_int_equal(test_status, 200);
}

static void the_trash_is_emptied_after_thirty_days(void **state)
{
    (void)state;
    const char *f = make(ADA, "{'name':'f'}"), *g = make(ADA, "{'name':'g'}");
    patch(ADA, f, "", "{'trashed':true}");
    patch(ADA, g, "", "{'trashed':true}");
    patch(ADA, g, "", "{'trashed':false}");
    test_advance(29 * 86400);
    get(ADA, f, "id");
    assert_int_equal(test_status, 200);
    test_advance(2 * 86400);
    get(ADA, f, "id");
    assert_refused(404, "notFound");
    get(ADA, g, "id");
    assert_int_equal(test_status, 200);
}

static void deleting_a_folder_spares_what_others_own(void **state)
{
    (void)state;
    const char *a = make(ADA, "{'name':'A'," FOLDER "}");
    share(a, BOB, "writer");
    const char *mine = in_folder(ADA, "mine", a, ""), *his = in_folder(BOB, "his", a, "");
    as(BOB, "DELETE", text(a, "/files/", ""), NULL);
    assert_refused(403, "insufficientFilePermissions");
    as(ADA, "DELETE", text(a, "/files/", ""), NULL);
    assert_int_equal(test_status, 204);
    get(ADA, mine, "id");
    assert_refused(404, "notFound");
    const struct json *v = get(BOB, his, "parents");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "parents.0"), text_at(get(BOB, "root", "id"), "id"));
}

static void a_copy_is_the_callers(void **state)
{
    (void)state;
    const char *f = make(ADA, "{'name':'Plan','properties':{'a':'1'},'starred':true}");
    share(f, BOB, "reader");
    const struct json *v = as(BOB, "POST", text("/copy?fields=*", "/files/", ""), NULL);
    v = as(BOB, "POST", arena_printf(&test_arena, "/files/%s/copy?fields=*", f), "{}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "name"), "Copy of Plan");
    assert_true(true_at(v, "ownedByMe"));
    assert_false(true_at(v, "shared"));
    assert_false(true_at(v, "starred"));
    assert_string_equal(text_at(v, "properties.a"), "1");
    as(ADA, "POST", arena_printf(&test_arena, "/files/%s/copy", make(ADA, "{" FOLDER "}")), "{}");
    assert_refused(403, "cannotCopyFile");
}

static void a_shortcut_outlives_its_target(void **state)
{
    (void)state;
    const char *f = make(ADA, "{'name':'Plan','mimeType':'text/plain'}");
    const struct json *v =
        as(ADA, "POST", "/files?fields=*",
           arena_printf(&test_arena,
                        "{'mimeType':'application/vnd.google-apps.shortcut','shortcutDetails':"
                        "{'targetId':'%s'}}",
                        f));
    assert_int_equal(test_status, 200);
    const char *id = text_at(v, "id");
    assert_string_equal(text_at(v, "name"), "Plan");
    assert_string_equal(text_at(v, "shortcutDetails.targetId"), f);
    assert_string_equal(text_at(v, "shortcutDetails.targetMimeType"), "text/plain");
    as(ADA, "POST", "/files",
       arena_printf(&test_arena,
                    "{'mimeType':'application/vnd.google-apps.shortcut','shortcutDetails':"
                    "{'targetId':'%s'}}",
                    id));
    assert_refused(403, "shortcutTargetInvalid");
    as(ADA, "DELETE", text(f, "/files/", ""), NULL);
    v = get(ADA, id, "shortcutDetails");
    assert_string_equal(text_at(v, "shortcutDetails.targetId"), f);
}

static void app_data_is_apart(void **state)
{
    (void)state;
    const char *f = in_folder(ADA, "settings", "appDataFolder", "");
    const struct json *v = get(ADA, f, "spaces,parents");
    assert_string_equal(text_at(v, "spaces.0"), "appDataFolder");
    patch(ADA, f, "", "{'trashed':true}");
    assert_refused(403, "notSupportedForAppDataFolderFiles");
    patch(ADA, f, "?addParents=root", "{}");
    assert_refused(403, "notSupportedForAppDataFolderFiles");
    v = as(ADA, "GET", "/files", NULL);
    assert_int_equal(count_at(v, "files"), 0);
}

static void members_are_written_or_refused(void **state)
{
    (void)state;
    const char *f = make(ADA, "{'name':'f'}");
    patch(ADA, f, "", "{'size':'7'}");
    assert_refused(403, "fieldNotWritable");
    patch(ADA, f, "", "{'createdTime':'2020-01-01T00:00:00Z'}");
    assert_refused(403, "fieldNotWritable");
    const struct json *v =
        patch(ADA, f, "?fields=*",
              "{'name':'g/h \xF0\x9F\x98\x80','starred':true,'modifiedTime':"
              "'2020-01-01T00:00:00Z','properties':{'k':'v'},'appProperties':{'a':'b'},"
              "'folderColorRgb':null,'copyRequiresWriterPermission':true}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "name"), "g/h \xF0\x9F\x98\x80");
    assert_string_equal(text_at(v, "modifiedTime"), "2020-01-01T00:00:00.000Z");
    assert_string_equal(text_at(v, "modifiedByMeTime"), "2020-01-01T00:00:00.000Z");
    assert_string_equal(text_at(v, "properties.k"), "v");
    assert_string_equal(text_at(v, "appProperties.a"), "b");
    assert_true(true_at(v, "starred"));
    assert_false(true_at(v, "viewersCanCopyContent"));
    v = patch(ADA, f, "?fields=properties", "{'properties':{'k':null}}");
    assert_null(value_at(v, "properties"));
    char *long_name = arena_alloc(&test_arena, 32769);
    memset(long_name, 'n', 32768);
    long_name[32768] = 0;
    patch(ADA, f, "", arena_printf(&test_arena, "{'name':'%s'}", long_name));
    assert_refused(400, "invalid");
    char *value = arena_strdup(&test_arena, long_name);
    value[124] = 0;
    patch(ADA, f, "", arena_printf(&test_arena, "{'properties':{'k':'%s'}}", value));
    assert_refused(400, "invalid");
    as(ADA, "POST", "/files", "{'name':'a\\u0000b'}");
    assert_int_equal(test_status, 400);
}

static void readers_star_and_change_nothing_else(void **state)
{
    (void)state;
    const char *f = share(make(ADA, "{'name':'f'}"), BOB, "reader");
    const struct json *v = patch(BOB, f, "?fields=starred", "{'starred':true}");
    assert_int_equal(test_status, 200);
    assert_true(true_at(v, "starred"));
    assert_false(true_at(get(ADA, f, "starred"), "starred"));
    patch(BOB, f, "", "{'name':'g'}");
    assert_refused(403, "insufficientFilePermissions");
    patch(BOB, f, "?addParents=root", "{}");
    assert_refused(403, "cannotAddParent");
}

static void a_list_has_pages(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        make(ADA, arena_printf(&test_arena, "{'name':'f%d'}", i));
    const struct json *v = as(ADA, "GET", "/files?pageSize=3", NULL);
    assert_int_equal(count_at(v, "files"), 3);
    const char *token = text_at(v, "nextPageToken");
    assert_non_null(token);
    v = as(ADA, "GET", arena_printf(&test_arena, "/files?pageSize=3&pageToken=%s", token), NULL);
    assert_int_equal(count_at(v, "files"), 2);
    assert_null(text_at(v, "nextPageToken"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(a_file_moves),
        gdrive_test(a_folder_does_not_go_into_itself),
        gdrive_test(folders_have_a_depth),
        gdrive_test(folders_that_are_moved_have_a_depth),
        gdrive_test(what_is_below_is_in_the_trash_too),
        gdrive_test(the_trash_is_emptied_after_thirty_days),
        gdrive_test(deleting_a_folder_spares_what_others_own),
        gdrive_test(a_copy_is_the_callers),
        gdrive_test(a_shortcut_outlives_its_target),
        gdrive_test(app_data_is_apart),
        gdrive_test(members_are_written_or_refused),
        gdrive_test(readers_star_and_change_nothing_else),
        gdrive_test(a_list_has_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
