/* SPDX-License-Identifier: Apache-2.0 */
/* Which permissions open what of sites and their lists. */
#include "tests/services/lists/sharepoint/crew.h"

/* ---- which permissions open what ---- */

static void sites_selected_opens_no_other_site(void **state)
{
    static const char both[] = "Sites.Read.All Sites.Selected", more[] = "{\"Hours\":1}";
    (void)state;
    with_scopes(BOB, both, "GET", JOBS "/items/1", NULL);
    assert_int_equal(test_status, 200);
    with_scopes(BOB, both, "PATCH", JOBS "/items/1/fields", more);
    refused(403, "accessDenied", NULL);
    with_scopes(BOB, "Sites.Selected", "GET", JOBS "/items/1", NULL);
    refused(403, "accessDenied", NULL);
    with_scopes(BOB, "Sites.ReadWrite.All Sites.Selected", "PATCH", JOBS "/items/1/fields", more);
    assert_int_equal(test_status, 200);
    use_app(both);
    with_scopes(NULL, NULL, "PATCH", JOBS "/items/1/fields", more);
    assert_int_equal(test_status, 200);
    with_scopes(NULL, NULL, "GET", "/v1.0/sites/port.sharepoint.com:/sites/other", NULL);
    assert_int_equal(test_status, 200);
    with_scopes(NULL, NULL, "POST", "/v1.0/sites/port.sharepoint.com:/sites/other:/lists",
                "{\"displayName\":\"x\"}");
    refused(403, "accessDenied", NULL);
}

/* A list that is deleted takes its changes with it; those of others stay. */
/* An app's permission for one's own files opens no library. */
static void files_of_sites_want_permissions_for_them(void **state)
{
    (void)state;
    const char *drive = keep(text_at(ol_get(BOB, 200, SITE "/drive"), "id"));
    const char *target = keep(ol_text("/v1.0/drives/%s/root/children", drive));
    use_app("Files.ReadWrite");
    with_scopes(NULL, NULL, "GET", target, NULL);
    refused(403, "accessDenied", NULL);
    use_app("Files.Read.All");
    with_scopes(NULL, NULL, "GET", target, NULL);
    assert_int_equal(test_status, 200);
}

/* An app's Sites.Selected opens the libraries of the sites that it was given for, as far as that
 * goes.
 */
static void sites_selected_opens_their_files(void **state)
{
    (void)state;
    static const char folder[] = "{\"name\":\"N\",\"folder\":{}}";
    use_app("Sites.Selected"); /* the document gives it a role at one site */
    const char *drive = keep(text_at(ol_get(BOB, 200, SITE "/drive"), "id"));
    const char *bobs = keep(text_at(ol_get(BOB, 200, "/drive"), "id"));
    const char *target = keep(ol_text("/v1.0/drives/%s/root/children", drive));
    with_scopes(NULL, NULL, "GET", target, NULL);
    assert_int_equal(test_status, 200);
    with_scopes(NULL, NULL, "POST", target, folder);
    assert_int_equal(test_status, 201);
    with_scopes(NULL, NULL, "GET", ol_text("/v1.0/drives/%s/root", bobs), NULL);
    refused(403, "accessDenied", NULL);
    with_scopes(NULL, NULL, "GET", "/v1.0/sites/port.sharepoint.com:/sites/other:/drive", NULL);
    refused(403, "accessDenied", NULL);
    with_scopes(BOB, "Sites.Selected", "GET", "/v1.0/me/drive/root", NULL);
    refused(403, "accessDenied", NULL);
    with_scopes(BOB, "Files.Read Sites.Selected", "GET", "/v1.0/me/drive/root", NULL);
    assert_int_equal(test_status, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        site_test(sites_selected_opens_no_other_site),
        site_test(files_of_sites_want_permissions_for_them),
        site_test(sites_selected_opens_their_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
