/* SPDX-License-Identifier: Apache-2.0 */
/* Files by the Drive API: their members, and who sees them. */
#include "tests/support/gdrive.h"

static const char *target(const char *format, const char *id)
{
    char *text = arena_printf(&test_arena, "%s%s", format, id);
    return text;
}

static void a_file_is_made_and_found(void **state)
{
    (void)state;
    const char *id = make(ADA, "{'name':'Plan','description':'of the year'}");
    const struct json *v = as(ADA, "GET", target("/files/", id), NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(members(v, ""), "kind id name mimeType");
    assert_string_equal(text_at(v, "mimeType"), "application/octet-stream");
    v = as(ADA, "GET", arena_printf(&test_arena, "/files/%s?fields=description,ownedByMe", id),
           NULL);
    assert_string_equal(members(v, ""), "description ownedByMe");
}

static void a_stranger_does_not_see_it(void **state)
{
    (void)state;
    const char *id = make(ADA, "{}");
    as(BOB, "GET", target("/files/", id), NULL);
    assert_refused(404, "notFound");
}

/* Who has no account with Google, or one without Drive, has nothing here, not even what others
 * share with them; as a service that is turned off for the account is answered. */
static void who_has_no_drive_is_refused(void **state)
{
    (void)state;
    gdrive_seed("accounts:\n"
                "  - {actor: bob@acme.example, vendor: microsoft}\n"
                "  - {actor: cyd@acme.example, vendor: google, services: [mail, calendar]}\n"
                "files:\n"
                "  - {id: f1, owner: ada@acme.example, name: F, permissions: "
                "[{person: bob@acme.example, role: writer}]}\n");
    static const char *const who[] = {BOB, CYD};
    for (size_t i = 0; i < SOSIA_LEN(who); i++) {
        const struct json *v = as(who[i], "GET", "/files", NULL);
        assert_refused(401, "authError");
        assert_string_equal(text_at(v, "error.message"), "The caller does not have permission");
        assert_string_equal(text_at(v, "error.status"), "PERMISSION_DENIED");
        assert_int_equal(count_at(v, "error.errors"), 2);
        assert_string_equal(text_at(v, "error.errors.1.message"),
                            "Active session is invalid. Error code: 4");
        as(who[i], "GET", "/files/f1", NULL);
        assert_refused(401, "authError");
        as(who[i], "POST", "/files", "{'name':'lost'}");
        assert_refused(401, "authError");
        ask(who[i], "POST", "/upload/drive/v3/files?uploadType=media", NULL, "text", 4);
        assert_refused(401, "authError");
        ask(who[i], "POST", "/upload/drive/v3/files?uploadType=resumable", NULL, "", 0);
        assert_refused(401, "authError");
    }
    as(ADA, "GET", "/files/f1", NULL);
    assert_int_equal(test_status, 200);
    assert_null(strstr(test_body, "lost"));
}

static void grants_hold_for_what_is_below(void **state)
{
    (void)state;
    gdrive_seed("files:\n"
                "  - {id: f1, owner: ada@acme.example, name: F, type: folder, permissions: "
                "[{group: team@acme.example, role: reader}]}\n"
                "  - {id: f2, owner: ada@acme.example, name: G, type: folder, parent: f1}\n"
                "  - {id: f3, owner: ada@acme.example, name: x.txt, mime: text/plain, parent: f2, "
                "content: hello}\n");
    const struct json *v = as(BOB, "GET", "/files/f3?fields=name,parents,size", NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "parents.0"), "f2");
    assert_string_equal(text_at(v, "size"), "5");
    as(EVE, "GET", "/files/f3", NULL);
    assert_refused(404, "notFound");
    as(BOB, "POST", "/files", "{'name':'a','parents':['f2']}");
    assert_refused(403, "insufficientParentPermissions");
}

static void ids_are_made_before_files(void **state)
{
    (void)state;
    const struct json *v = as(ADA, "GET", "/files/generateIds?count=2", NULL);
    const char *id = text_at(v, "ids.1");
    assert_int_equal(count_at(v, "ids"), 2);
    as(ADA, "POST", "/files", arena_printf(&test_arena, "{'id':'%s'}", id));
    assert_int_equal(test_status, 200);
    as(ADA, "POST", "/files", arena_printf(&test_arena, "{'id':'%s'}", id));
    assert_refused(409, "fileIdInUse");
    as(ADA, "POST", "/files", "{'id':'made-up'}");
    assert_refused(400, "invalid");
}

static void what_is_asked_of_owners_is_all_that_is_there_of_them(void **state)
{
    (void)state;
    const char *id = make(ADA, "{'name':'a'}");
    const struct json *v =
        as(ADA, "GET", arena_printf(&test_arena, "/files/%s?fields=owners(emailAddress,me)", id),
           NULL);
    assert_int_equal(count_at(v, "owners"), 1);
    assert_string_equal(text_at(v, "owners.0.emailAddress"), ADA);
    assert_int_equal(json_get(v, "owners")->items[0].n, 2);
}

static void a_download_restriction_holds(void **state)
{
    (void)state;
    gdrive_seed(
        "files:\n"
        "  - {id: f, owner: ada@acme.example, name: x.txt, mime: text/plain, content: hello, "
        "permissions: [{group: team@acme.example, role: reader}]}\n");
    as(BOB, "GET", "/files/f?alt=media", NULL);
    assert_int_equal(test_status, 200);
    const struct json *v = as(ADA, "PATCH", "/files/f?fields=downloadRestrictions",
                              "{'downloadRestrictions':{'itemDownloadRestriction':"
                              "{'restrictedForReaders':true,'noSuchMember':[1]}}}");
    assert_int_equal(test_status, 200);
    assert_string_equal(members(v, "downloadRestrictions.itemDownloadRestriction"),
                        "restrictedForReaders restrictedForWriters");
    as(BOB, "GET", "/files/f?alt=media", NULL);
    assert_refused(403, "cannotDownloadFile");
    as(ADA, "GET", "/files/f?alt=media", NULL);
    assert_int_equal(test_status, 200);
}

static void about_needs_fields(void **state)
{
    (void)state;
    as(ADA, "GET", "/about", NULL);
    assert_refused(400, "required");
    const struct json *v = as(ADA, "GET", "/about?fields=user", NULL);
    assert_string_equal(text_at(v, "user.emailAddress"), ADA);
}

static void links_lead_to_what_is_shared(void **state)
{
    (void)state;
    gdrive_seed("files:\n"
                "  - {id: f1, owner: ada@acme.example, name: 'A <b>', type: folder, permissions: "
                "[{anyone: true}]}\n"
                "  - {id: f2, owner: ada@acme.example, name: x.txt, mime: text/plain, parent: f1, "
                "content: hello}\n"
                "  - {id: f3, owner: ada@acme.example, name: y.txt, content: mine}\n");
    ask(NULL, "GET", "/drive/folders/f1", NULL, "", 0);
    assert_int_equal(test_status, 200);
    assert_non_null(strstr(test_body, "A &lt;b&gt;"));
    assert_non_null(strstr(test_body, "x.txt"));
    ask(NULL, "GET", "/uc?id=f2&export=download", NULL, "", 0);
    assert_string_equal(test_body, "hello");
    ask(NULL, "GET", "/file/d/f3/view?usp=drivesdk", NULL, "", 0);
    assert_int_equal(test_status, 404);
    ask(NULL, "GET", "/uc?id=f3", NULL, "", 0);
    assert_int_equal(test_status, 404);
    ask(NULL, "GET", "/16/type/application/vnd.google-apps.folder", NULL, "", 0);
    assert_int_equal(test_status, 200);
    assert_memory_equal(test_body, "\x89PNG", 4);
    /* With a token: what its person sees. */
    ask(ADA, "GET", "/uc?id=f3", NULL, "", 0);
    assert_string_equal(test_body, "mine");
    ask(ADA, "GET", "/file/d/f3/view?usp=drivesdk", NULL, "", 0);
    assert_non_null(strstr(test_body, "y.txt"));
    ask(BOB, "GET", "/uc?id=f3", NULL, "", 0);
    assert_int_equal(test_status, 404);
    gdrive_scopes = "https://www.googleapis.com/auth/drive.metadata.readonly";
    ask(ADA, "GET", "/uc?id=f3", NULL, "", 0);
    assert_int_equal(test_status, 403);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(a_file_is_made_and_found),
        gdrive_test(a_stranger_does_not_see_it),
        gdrive_test(who_has_no_drive_is_refused),
        gdrive_test(grants_hold_for_what_is_below),
        gdrive_test(ids_are_made_before_files),
        gdrive_test(what_is_asked_of_owners_is_all_that_is_there_of_them),
        gdrive_test(a_download_restriction_holds),
        gdrive_test(about_needs_fields),
        gdrive_test(links_lead_to_what_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
