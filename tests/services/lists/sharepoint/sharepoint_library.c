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
    "  - {path: /sites/other, name: Other, libraries: [{name: Shared Documents}]}\n"
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
    /* the list of a drive, with what a list has; a person's drive is none here */
    v = ol_get(CYD, 200, SITE "/drive/list?$expand=columns");
    assert_string_equal(text_at(v, "list.template"), "documentLibrary");
    assert_non_null(value_at(v, "columns.0"));
    const char *id = keep(text_at(v, "id"));
    v = ol_get(CYD, 200, LIB "?$select=id");
    assert_string_equal(text_at(v, "id"), id);
    v = ol_get(CYD, 200, SITE "/drive");
    v = ol_get(CYD, 200, "!/v1.0/drives/%s/list?$select=displayName", keep(text_at(v, "id")));
    assert_string_equal(text_at(v, "displayName"), "Documents");
    ol_get(BOB, 404, "/drive/list");
    ol(BOB, "GET", "!/v1.0/sites/port.sharepoint.com:/sites/other:/drive/list", NULL);
    assert_int_equal(test_status, 403);
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

/* Columns of a library and the values in them are changes of a list and of items that were there.
 */
static void a_diff_knows_what_a_library_was(void **state)
{
    (void)state;
    uint64_t before;
    struct sosia_blob blob;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &before, &test_err), 0);
    test_advance(10); /* the site is touched, which does not count */
    make_columns();
    ol_do(BOB, "PATCH", SITE "/drive/root:/Plan.txt:/listItem/fields", "{'Status':'Draft'}", 200);
    ol_do(BOB, "POST", SITE "/lists/Jobs/items", "{'fields':{'Title':'Paint'}}", 201);
    assert_int_equal(sosia_diff(test_engine, before, test_world, NULL, &blob, &test_err), 0);
    const struct json *v = parsed(ol_text("%s", blob.data), blob.len);
    assert_int_equal(count_at(v, "changes"), 3); /* nothing of the list Jobs itself */
    assert_string_equal(text_at(v, "changes.0.change"), "changed");
    assert_string_equal(text_at(v, "changes.0.entity"), "list");
    assert_string_equal(text_at(v, "changes.0.fields.columns.added.0.name"), "Status");
    assert_int_equal(count_at(v, "changes.0.fields.columns.added"), 2);
    assert_string_equal(text_at(v, "changes.1.change"), "added");
    assert_string_equal(text_at(v, "changes.1.value.fields.Title"), "Paint");
    assert_string_equal(text_at(v, "changes.2.change"), "changed");
    assert_string_equal(
        json_get_str(json_get(value_at(v, "changes.2.fields"), "fields.Status"), "to"), "Draft");
    sosia_blob_free(&blob);
}

/* What was in a list goes with it. */
static void items_follow_their_list(void **state)
{
    (void)state;
    uint64_t before;
    struct sosia_blob blob;
    ol_do(BOB, "POST", SITE "/lists/Jobs/items", "{'fields':{'Title':'Paint'}}", 201);
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &before, &test_err), 0);
    ol_do(BOB, "DELETE", SITE "/lists/Jobs", NULL, 204);
    assert_int_equal(sosia_diff(test_engine, before, test_world, NULL, &blob, &test_err), 0);
    const struct json *v = parsed(ol_text("%s", blob.data), blob.len);
    assert_int_equal(count_at(v, "changes"), 1);
    assert_string_equal(text_at(v, "changes.0.change"), "removed");
    assert_string_equal(text_at(v, "changes.0.title"), "Jobs");
    assert_string_equal(text_at(v, "changes.0.consequences.0.title"), "Paint");
    sosia_blob_free(&blob);
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

/* ---- subscriptions ---- */

#define PLACE "sites/port.sharepoint.com:/sites/crew:"

static void watch(const char *who, const char *resource, int status)
{
    ol(who, "POST", "!/v1.0/subscriptions",
       ol_text("{'changeType':'updated','notificationUrl':'https://hook.example/a','resource':'%s',"
               "'expirationDateTime':'2026-11-25T08:00:00Z','clientState':'s'}",
               resource));
    if (test_status != status)
        fail_msg("%s: %d %s", resource, test_status, test_body);
}

/* The resource and the type of the one message behind n. */
static void notified(size_t n, const char *resource, const char *type)
{
    const struct json *list = test_outbox();
    if (list->n != n + 1)
        fail_msg("%s: %zu messages, not %zu", resource, list->n, n + 1);
    const char *body = json_get_str(json_get(&list->items[n], "payload"), "body");
    const struct json *v = parsed(body, strlen(body));
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.resource"), resource);
    assert_string_equal(text_at(v, "value.0.changeType"), "updated");
    v = value_at(v, "value.0.resourceData");
    assert_string_equal(json_get_str(v, "@odata.type"), type);
    assert_null(json_get(v, "id"));
}

static void use_watched(void)
{
    static char doc[4096];
    snprintf(doc, sizeof doc, "%shandshakes: accepted\n%s", ol_people, sites);
    test_use(doc);
}

static void put(const char *path, const char *text, int status)
{
    ol_type = "text/plain";
    ol_do(BOB, "PUT", path, text, status);
    ol_type = NULL;
}

static void libraries_are_watched(void **state)
{
    use_watched();
    const char *id, *drive = keep(text_at(ol_get(CYD, 200, SITE "/drive"), "id"));
    const char *plans = keep(text_at(ol_get(CYD, 200, SITE "/drives"), "value.1.id"));
    watch(CYD, PLACE "/drive/root", 201);
    size_t n = test_outbox()->n;
    put(ol_text("!/v1.0/drives/%s/root:/b.txt:/content", plans), "b", 201);
    assert_int_equal(test_outbox()->n, n);
    put(SITE "/drive/root:/a.txt:/content", "a", 201);
    notified(n, PLACE "/drive/root", "#Microsoft.Graph.DriveItem");
    id = keep(text_at(ol_get(BOB, 200, SITE "/drive/root:/a.txt"), "id"));
    ol_do(BOB, "DELETE", ol_text(SITE "/drive/items/%s", id), NULL, 204);
    notified(n + 1, PLACE "/drive/root", "#Microsoft.Graph.DriveItem");
    put(SITE "/drive/root:/c.txt:/content", "a", 201);
    id = keep(text_at(ol_get(BOB, 200, SITE "/drive/root:/c.txt"), "id"));
    const struct json *d = ol_get(BOB, 200, SITE "/drive/root/delta?token=latest");
    const char *next = keep(strstr(json_get_str(d, "@odata.deltaLink"), "?token="));
    ol_do(BOB, "POST", ol_text(SITE "/drive/items/%s/permanentDelete", id), NULL, 204);
    d = ol_get(BOB, 200, SITE "/drive/root/delta%s", next);
    assert_int_equal(count_at(d, "value"), 1);
    assert_string_equal(text_at(d, "value.0.id"), id);
    assert_string_equal(text_at(d, "value.0.deleted.state"), "deleted");
    notified(n + 3, PLACE "/drive/root", "#Microsoft.Graph.DriveItem");
    watch(BOB, ol_text("/drives/%s/root", plans), 201);
    watch(BOB, ol_text(PLACE "/drives/%s/root", plans), 201);
    watch(BOB, ol_text(PLACE "/drives/%s/root:/b.txt", plans), 400);
    refused(400, "InvalidRequest");
    watch(CYD, ol_text("/drives/%s/root", drive), 201);
    watch(CYD, "sites/port.sharepoint.com:/sites/other:/drive/root", 403);
    refused(403, "ExtensionError");
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
}

static void lists_are_watched(void **state)
{
    use_watched();
    watch(CYD, PLACE "/lists/Jobs", 201);
    size_t n = test_outbox()->n;
    const char *id = keep(text_at(
        ol_do(BOB, "POST", SITE "/lists/Jobs/items", "{'fields':{'Title':'Crane'}}", 201), "id"));
    notified(n, PLACE "/lists/Jobs", "#Microsoft.Graph.ListItem");
    ol_do(BOB, "PATCH", ol_text(SITE "/lists/Jobs/items/%s/fields", id), "{'Title':'Dock'}", 200);
    notified(n + 1, PLACE "/lists/Jobs", "#Microsoft.Graph.ListItem");
    ol_do(BOB, "DELETE", ol_text(SITE "/lists/Jobs/items/%s", id), NULL, 204);
    notified(n + 2, PLACE "/lists/Jobs", "#Microsoft.Graph.ListItem");
    /* those of libraries are notified of their files */
    watch(BOB, "/" PLACE "/lists/Documents", 201);
    n = test_outbox()->n;
    put(SITE "/drive/root:/a.txt:/content", "a", 201);
    notified(n, PLACE "/lists/Documents", "#Microsoft.Graph.ListItem");
    watch(BOB, PLACE "/lists/None", 404);
    refused(404, "ExtensionError");
    watch(BOB, PLACE "/lists/Jobs/items", 400);
    watch(CYD, "sites/port.sharepoint.com:/sites/other:/lists/Shared Documents", 403);
    ol(BOB, "POST", "!/v1.0/subscriptions",
       "{'changeType':'created','notificationUrl':'https://hook.example/a','resource':'" PLACE
       "/lists/Jobs','expirationDateTime':'2026-11-25T08:00:00Z'}");
    refused(400, "InvalidRequest");
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
}

#define library_test(f) cmocka_unit_test_setup_teardown(f, open_library, ol_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        library_test(files_are_items),
        library_test(a_library_has_columns_of_its_own),
        library_test(a_diff_knows_what_a_library_was),
        library_test(items_follow_their_list),
        library_test(values_of_files_are_checked),
        library_test(a_dump_has_the_values_of_files),
        library_test(libraries_are_watched),
        library_test(lists_are_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
