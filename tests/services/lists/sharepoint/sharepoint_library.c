/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries as lists, by Microsoft Graph: files as items, columns of a library and their values. */
#include "engine/base/codec.h"
#include "tests/support/outlook.h"
#include <stdio.h>

#define SITE "!/v1.0/sites/port.sharepoint.com:/sites/crew:"
#define LIB  SITE "/lists/Documents"

static const char sites[] =
    "microsoftSites:\n"
    "  - path: /sites/crew\n"
    "    name: Crew site\n"
    "    members: [{who: bob@port.example, role: owner}, {who: cyd@port.example, role: read}]\n"
    "    libraries:\n"
    "      - {name: Shared Documents, title: Documents, owner: crew-files}\n"
    "      - {name: Plans}\n"
    "files:\n"
    "  - {name: Plan.txt, owner: crew-files, content: hello, createdBy: bob@port.example}\n"
    "  - {name: Old, type: folder, owner: crew-files}\n"
    "lists:\n"
    "  - {place: /sites/crew, name: Jobs, columns: [{name: Title, length: 255}]}\n";

static int open_library(void **state)
{
    static char doc[4096];
    (void)state;
    ol_prefer = ol_if_match = ol_type = NULL;
    snprintf(doc, sizeof doc, "%s%s", ol_people, sites);
    return test_open(doc);
}

static const char *keep(const char *text)
{
    assert_non_null(text);
    return arena_strdup(&test_arena, text);
}

static void refused(int status, const char *code)
{
    if (test_status != status)
        fail_msg("%d %s", test_status, test_body);
    assert_string_equal(text_at(parsed(test_body, test_len), "error.code"), code);
}

static void make_columns(void)
{
    ol_do(BOB, "POST", LIB "/columns",
          "{'name':'Status','indexed':true,'choice':{'choices':['Draft','Final']}}", 201);
    ol_do(BOB, "POST", LIB "/columns", "{'name':'Pages','number':{'minimum':0}}", 201);
}

static void files_are_items(void **state)
{
    const struct json *v = ol_get(CYD, 200, LIB "/items?$expand=fields");
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.0.contentType.name"), "Document");
    assert_string_equal(text_at(v, "value.0.fields.FileLeafRef"), "Plan.txt");
    assert_string_equal(text_at(v, "value.0.fields.DocIcon"), "txt");
    assert_string_equal(text_at(v, "value.0.fields.FileSizeDisplay"), "5");
    assert_string_equal(text_at(v, "value.0.fields.ContentType"), "Document");
    assert_string_equal(text_at(v, "value.0.createdBy.user.email"), BOB);
    assert_string_equal(text_at(v, "value.0.webUrl"),
                        "https://port.sharepoint.com/sites/crew/Shared%20Documents/Plan.txt");
    assert_string_equal(text_at(v, "value.1.contentType.name"), "Folder");
    const char *number = keep(text_at(v, "value.0.id"));
    v = ol_get(CYD, 200, LIB "/items/%s/driveItem", number);
    assert_string_equal(text_at(v, "name"), "Plan.txt");
    ol_get(CYD, 302, LIB "/items/%s/driveItem/content", number);
    v = ol_get(CYD, 200, LIB "/items?$expand=driveItem($select=name,size)&$top=1");
    assert_string_equal(text_at(v, "value.0.driveItem.name"), "Plan.txt");
    assert_non_null(json_get_str(v, "@odata.nextLink"));
    v = ol_get(CYD, 200, "!%s", keep(strstr(json_get_str(v, "@odata.nextLink"), "/v1.0")));
    assert_string_equal(text_at(v, "value.0.driveItem.name"), "Old");
    v = ol_get(CYD, 200, SITE "/drive/root:/Plan.txt:/listItem");
    assert_string_equal(text_at(v, "id"), number);
    v = ol_get(CYD, 200, SITE "/drive/root/children?$expand=listItem($expand=fields)");
    assert_string_equal(text_at(v, "value.1.listItem.fields.FileLeafRef"), "Plan.txt");
    v = ol_get(CYD, 200, SITE "/drive/root:/Plan.txt?$select=name,sharepointIds");
    assert_string_equal(text_at(v, "sharepointIds.listItemId"), number);
    assert_string_equal(text_at(v, "sharepointIds.siteUrl"),
                        "https://port.sharepoint.com/sites/crew");
    assert_null(value_at(ol_get(CYD, 200, SITE "/drive/root:/Plan.txt"), "sharepointIds"));
    ol(CYD, "GET", LIB "/items?$filter=fields/FileLeafRef%20eq%20'Old'", NULL);
    refused(400, "invalidRequest"); /* the caller does not take it that this is slow */
    ol_prefer = "HonorNonIndexedQueriesWarningMayFailRandomly";
    v = ol_get(CYD, 200, LIB "/items?$filter=fields/FileLeafRef%%20eq%%20'Old'");
    ol_prefer = NULL;
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.contentType.name"), "Folder");
    ol_get(CYD, 404, SITE "/lists/Plans/items/%s", number);
    ol_get(CYD, 404, LIB "/items/0");
    ol_get(CYD, 404, LIB "/items/9999999999999999999");
    ol_get(CYD, 404, SITE "/lists/Jobs/items/%s/driveItem", number);
    ol_get(BOB, 404, "/drive/root/listItem");
}

static void a_library_has_columns_of_its_own(void **state)
{
    make_columns();
    const struct json *v = ol_get(CYD, 200, SITE "/lists");
    assert_int_equal(count_at(v, "value"), 3); /* what is kept of a library is not another list */
    v = ol_get(CYD, 200, LIB "/columns");
    assert_string_equal(text_at(v, "value.1.name"), "Status");
    v = ol_do(BOB, "PATCH", SITE "/drive/root:/Plan.txt:/listItem/fields",
              "{'Status':'Draft','Pages':4}", 200);
    assert_string_equal(text_at(v, "Status"), "Draft");
    v = ol_get(CYD, 200, SITE "/drive/root:/Plan.txt:/listItem");
    const char *number = keep(text_at(v, "id"));
    assert_int_equal(json_get_int(value_at(v, "fields"), "Pages", 0), 4);
    v = ol_do(BOB, "PATCH", ol_text(LIB "/items/%s/fields", number), "{'Status':'Final'}", 200);
    assert_int_equal(json_get_int(v, "Pages", 0), 4);
    assert_string_equal(text_at(v, "Status"), "Final");
    v = ol_get(CYD, 200, LIB "/items/%s/versions", number);
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.1.fields.Status"), "Draft");
    v = ol_get(CYD, 200, LIB "/items?$expand=fields&$filter=fields/Status eq 'Final'");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.fields.FileLeafRef"), "Plan.txt");
    ol(CYD, "GET", LIB "/items?$filter=fields/Pages gt 3", NULL);
    refused(400, "invalidRequest");
    /* the file itself has changed, and keeps its values where it goes */
    v = ol_get(CYD, 200, SITE "/drive/root:/Plan.txt");
    assert_string_equal(text_at(v, "lastModifiedBy.user.email"), BOB);
    ol_do(BOB, "PATCH", SITE "/drive/root:/Plan.txt", "{'name':'Plan 2.txt'}", 200);
    v = ol_get(CYD, 200, LIB "/items/%s?$expand=fields", number);
    assert_string_equal(text_at(v, "fields.FileLeafRef"), "Plan 2.txt");
    assert_string_equal(text_at(v, "fields.Status"), "Final");
    ol_do(BOB, "DELETE", ol_text(LIB "/items/%s", number), NULL, 204);
    ol_get(BOB, 404, LIB "/items/%s", number);
    ol_get(BOB, 404, SITE "/drive/root:/Plan%%202.txt");
}

static void values_of_files_are_checked(void **state)
{
    static const char *const bad[] = {"{'Status':'Other'}", "{'Pages':-1}", "{'Pages':'x'}",
                                      "{'Pages':{}}",       "{'None':1}",   "{'FileLeafRef':'x'}",
                                      "{'Status':7}"};
    make_columns();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ol(BOB, "PATCH", SITE "/drive/root:/Plan.txt:/listItem/fields", bad[i]);
        refused(400, "invalidRequest");
    }
    const struct json *v = ol_get(CYD, 200, SITE "/drive/root:/Plan.txt:/listItem/fields");
    assert_null(json_get(v, "Status"));
    ol(CYD, "PATCH", SITE "/drive/root:/Plan.txt:/listItem/fields", "{'Status':'Draft'}");
    refused(403, "accessDenied");
    ol(BOB, "POST", LIB "/items", "{'fields':{'Status':'Draft'}}");
    refused(400, "invalidRequest");
    ol_do(BOB, "POST", SITE "/drive/root:/Plan.txt:/checkout", NULL, 204);
    ol_do(BOB, "PATCH", SITE "/drive/root:/Plan.txt:/listItem/fields", "{'Status':'Draft'}", 200);
    ol_if_match = "\"{none},1\"";
    ol(BOB, "PATCH", SITE "/drive/root:/Plan.txt:/listItem/fields", "{'Status':'Final'}");
    refused(412, "resourceModified");
    ol_if_match = NULL;
    ol(BOB, "GET", LIB "/items/delta", NULL);
    refused(400, "invalidRequest");
    /* a column goes with its values */
    ol_do(BOB, "DELETE", LIB "/columns/Status", NULL, 204);
    v = ol_get(CYD, 200, SITE "/drive/root:/Plan.txt:/listItem/fields");
    assert_null(json_get(v, "Status"));
}

static void a_dump_has_the_values_of_files(void **state)
{
    make_columns();
    ol_do(BOB, "PATCH", SITE "/drive/root:/Plan.txt:/listItem/fields", "{'Status':'Draft'}", 200);
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
    const struct json *v = ol_get(CYD, 200, SITE "/drive/root:/Plan.txt:/listItem/fields");
    assert_string_equal(text_at(v, "Status"), "Draft");
    assert_int_equal(count_at(ol_get(CYD, 200, SITE "/lists"), "value"), 3);
}

#define library_test(f) cmocka_unit_test_setup_teardown(f, open_library, ol_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        library_test(files_are_items),
        library_test(a_library_has_columns_of_its_own),
        library_test(values_of_files_are_checked),
        library_test(a_dump_has_the_values_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
