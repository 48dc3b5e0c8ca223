/* SPDX-License-Identifier: Apache-2.0 */
/* OneDrive: drives, items by id and by path, changes, content, copies. */
#include "engine/base/codec.h"
#include "engine/pdf/pdf.h"
#include "tests/support/outlook.h"

static const char *keep(const char *text)
{
    assert_non_null(text);
    return arena_strdup(&test_arena, text);
}

static const struct json *put(const char *who, const char *target, const char *text, int status)
{
    ol_type = "text/plain";
    const struct json *v = ol_do(who, "PUT", target, text, status);
    ol_type = NULL;
    return v;
}

static void refused(int status, const char *code, const char *message)
{
    const struct json *v = parsed(test_body, test_len);
    if (test_status != status)
        fail_msg("%d %s", test_status, test_body);
    assert_string_equal(text_at(v, "error.code"), code);
    if (message)
        assert_string_equal(text_at(v, "error.message"), message);
}

static void an_account_has_a_drive(void **state)
{
    const struct json *v = ol_get(BOB, 200, "/drive");
    const char *id = keep(text_at(v, "id"));
    assert_string_equal(text_at(v, "driveType"), "business");
    assert_string_equal(text_at(v, "owner.user.email"), BOB);
    assert_string_equal(text_at(v, "quota.state"), "normal");
    assert_int_equal(json_get_int(json_get(v, "quota"), "total", 0), INT64_C(1099511627776));
    assert_int_equal(strlen(id), 66);
    assert_true(str_starts(id, "b!"));
    v = ol_get(BOB, 200, "!/v1.0/drives/%s", id);
    assert_string_equal(text_at(v, "id"), id);
    v = ol_get(BOB, 200, "!/v1.0/users/%s/drive", BOB);
    assert_string_equal(text_at(v, "id"), id);
    v = ol_get(BOB, 200, "/drives");
    assert_int_equal(count_at(v, "value"), 1);
    v = ol_get(BOB, 200, "!/v1.0/drives/%s/root", id);
    assert_string_equal(text_at(v, "name"), "root");
    assert_true(str_starts(text_at(v, "id"), "01"));
    assert_string_equal(text_at(v, "id") + 9, "6Y2GOVW7725BZO354PWSELRRZ");
    assert_null(json_get(v, "eTag"));
    assert_non_null(json_get(v, "root"));
    ol(BOB, "GET", "!/v1.0/drives/b!abc", NULL);
    refused(400, "invalidRequest",
            "The provided drive id appears to be malformed, or does not represent a valid drive.");
    ol(CYD, "GET", ol_text("!/v1.0/drives/%s", id), NULL);
    refused(403, "accessDenied", NULL);
    ol(ADA, "GET", "/drive", NULL);
    refused(404, "ResourceNotFound", "User's mysite not found.");
}

static void a_file_is_put_and_read(void **state)
{
    const struct json *v = put(BOB, "/drive/root:/Plans/2026/a%20b.txt:/content", "hello", 201);
    const char *id = keep(text_at(v, "id")), *drive = keep(text_at(v, "parentReference.driveId"));
    assert_string_equal(text_at(v, "name"), "a b.txt");
    assert_int_equal(json_get_int(v, "size", 0), 5);
    assert_string_equal(text_at(v, "file.mimeType"), "text/plain");
    assert_string_equal(text_at(v, "file.hashes.quickXorHash"), "aCgDG9jwBgAAAAAABQAAAAAAAAA=");
    assert_string_equal(text_at(v, "parentReference.path"),
                        ol_text("/drives/%s/root:/Plans/2026", drive));
    assert_string_equal(
        text_at(v, "webUrl"),
        "https://port-my.sharepoint.com/personal/bob_port_example/Documents/Plans/2026/a%20b.txt");
    v = ol_get(BOB, 200, "/drive/items/%s", id);
    assert_string_equal(text_at(v, "id"), id);
    const char *url = keep(json_get_str(v, "@microsoft.graph.downloadUrl"));
    v = ol_get(BOB, 200, "/drive/root:/plans/2026/A%%20B.TXT");
    assert_string_equal(text_at(v, "id"), id);
    v = ol_get(BOB, 200, "/drive/root:/plans/2026/A%%20B.TXT:");
    assert_string_equal(text_at(v, "id"), id);
    v = ol_get(BOB, 200, "/drive/root:/Plans");
    const char *plans = keep(text_at(v, "id"));
    assert_int_equal(json_get_int(json_get(v, "folder"), "childCount", 0), 1);
    assert_int_equal(json_get_int(v, "size", 0), 5);
    v = ol_get(BOB, 200, "/drive/items/%s:/2026/a%%20b.txt", plans);
    assert_string_equal(text_at(v, "id"), id);
    const char *const ends[] = {":/", ":", "/"};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(text_at(ol_get(BOB, 200, "/drive/items/%s%s", id, ends[i]), "id"), id);
    assert_string_equal(text_at(ol_get(BOB, 200, "/drive/root:/"), "name"), "root");
    v = ol_get(BOB, 200, "/drive/items/%s:/:/children", plans);
    assert_string_equal(text_at(v, "value.0.name"), "2026");
    v = ol_get(BOB, 200, "/drive/root:/Plans:/children");
    assert_string_equal(text_at(v, "value.0.name"), "2026");
    v = ol_get(BOB, 200, "/drive/root:/:/children");
    assert_string_equal(text_at(v, "value.0.name"), "Plans");
    /* the content, by an address that needs no token */
    ol(BOB, "GET", ol_text("/drive/items/%s/content", id), NULL);
    assert_int_equal(test_status, 302);
    const char *at = strstr(test_header("Location"), "/personal/");
    assert_non_null(at);
    at = keep(at);
    const struct sosia_header headers[] = {{"Host", "port-my.sharepoint.com"},
                                           {"Range", "bytes=1-2"}};
    test_request("GET", at, headers, 1, "", 0);
    assert_int_equal(test_status, 200);
    assert_string_equal(test_body, "hello");
    assert_string_equal(test_header("Content-Type"), "text/plain");
    test_request("GET", strstr(url, "/personal/"), headers, 2, "", 0);
    assert_int_equal(test_status, 206);
    assert_string_equal(test_body, "el");
    char *forged = arena_strdup(&test_arena, at);
    char *stamp = strstr(forged, "tempauth=v1.") + 12;
    *stamp = *stamp == '7' ? '8' : '7';
    test_request("GET", forged, headers, 1, "", 0);
    assert_int_equal(test_status, 403);
    test_advance(3601);
    test_request("GET", at, headers, 1, "", 0);
    assert_int_equal(test_status, 403);
    /* new content of the same file */
    const char *etag = keep(text_at(ol_get(BOB, 200, "/drive/items/%s", id), "eTag"));
    v = put(BOB, ol_text("/drive/items/%s/content", id), "hello!", 200);
    assert_string_equal(text_at(v, "id"), id);
    assert_string_not_equal(text_at(v, "eTag"), etag);
    ol_if_match = etag;
    ol_type = "text/plain";
    ol(BOB, "PUT", ol_text("/drive/items/%s/content", id), "no");
    ol_type = NULL;
    refused(412, "notAllowed", "ETag does not match current item's value");
    ol(BOB, "DELETE", ol_text("/drive/items/%s", id), NULL);
    refused(412, "notAllowed", NULL);
    ol_if_match = NULL;
    ol_do(BOB, "DELETE", ol_text("/drive/items/%s", id), NULL, 204);
    ol(BOB, "GET", ol_text("/drive/items/%s", id), NULL);
    refused(404, "itemNotFound", "The resource could not be found.");
}

static void names_clash_as_the_caller_wants(void **state)
{
    ol_do(BOB, "POST", "/drive/root/children", "{'name':'A','folder':{}}", 201);
    ol(BOB, "POST", "/drive/root/children", "{'name':'a','folder':{}}");
    refused(409, "nameAlreadyExists", "Name already exists");
    const struct json *v =
        ol_do(BOB, "POST", "/drive/root/children",
              "{'name':'A','folder':{},'@microsoft.graph.conflictBehavior':'rename'}", 201);
    assert_string_equal(text_at(v, "name"), "A 1");
    const char *id = keep(text_at(v, "id"));
    ol(BOB, "PATCH", ol_text("/drive/items/%s", id), "{'name':'a'}");
    refused(409, "nameAlreadyExists", NULL);
    put(BOB, "/drive/root:/x.txt:/content", "1", 201);
    put(BOB, "/drive/root:/X.txt:/content", "2", 200);
    v = put(BOB, "/drive/root:/x.txt:/content?@microsoft.graph.conflictBehavior=rename", "3", 201);
    assert_string_equal(text_at(v, "name"), "x 1.txt");
    ol_type = "text/plain";
    ol(BOB, "PUT", "/drive/root:/x.txt:/content?@microsoft.graph.conflictBehavior=fail", "4");
    ol_type = NULL;
    refused(409, "nameAlreadyExists", NULL);
    static const char *const wrong[] = {"",      "a:b", "a/b", "con",        "lpt1",  "~$x",
                                        " x",    "x ",  "x.",  "a_vti_b",    "forms", "a\\\\b",
                                        ".lock", "a?b", "a*b", "desktop.ini"};
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        ol(BOB, "POST", "/drive/root/children", ol_text("{'name':'%s','folder':{}}", wrong[i]));
        refused(400, "invalidRequest", "The provided name cannot contain any illegal characters.");
    }
    ol_do(BOB, "POST", "/drive/root/children", "{'name':'a #%&b','folder':{}}", 201);
}

static void items_move_and_copy(void **state)
{
    const char *to = keep(text_at(
        ol_do(BOB, "POST", "/drive/root/children", "{'name':'To','folder':{}}", 201), "id"));
    const char *id = keep(text_at(put(BOB, "/drive/root:/F/x.txt:/content", "x", 201), "id"));
    const char *folder = keep(text_at(ol_get(BOB, 200, "/drive/root:/F"), "id"));
    const struct json *v =
        ol_do(BOB, "PATCH", ol_text("/drive/items/%s", id),
              ol_text("{'parentReference':{'id':'%s'},'name':'y.txt','description':'d',"
                      "'fileSystemInfo':{'lastModifiedDateTime':'2020-01-02T03:04:05.6Z'}}",
                      to),
              200);
    assert_string_equal(text_at(v, "name"), "y.txt");
    assert_string_equal(text_at(v, "description"), "d");
    assert_string_equal(text_at(v, "parentReference.id"), to);
    assert_string_equal(text_at(v, "fileSystemInfo.lastModifiedDateTime"), "2020-01-02T03:04:05Z");
    ol(BOB, "PATCH", ol_text("/drive/items/%s", to),
       ol_text("{'parentReference':{'id':'%s'}}", to));
    refused(400, "invalidRequest", NULL);
    ol_prefer = "respond-async";
    ol_do(BOB, "POST", ol_text("/drive/items/%s/copy", to),
          ol_text("{'parentReference':{'id':'%s'},'name':'Copy'}", folder), 202);
    const char *at = keep(strstr(test_header("Location"), "/personal/"));
    ol(BOB, "POST", ol_text("/drive/items/%s/copy", to),
       ol_text("{'parentReference':{'id':'%s'},'name':'in'}", to));
    refused(400, "invalidRequest", NULL);
    const struct sosia_header headers[] = {{"Host", "port-my.sharepoint.com"}};
    v = test_request("GET", at, headers, 1, "", 0);
    assert_string_equal(text_at(v, "status"), "completed");
    assert_string_equal(text_at(ol_get(BOB, 200, "/drive/root:/F/Copy"), "id"),
                        text_at(v, "resourceId"));
    ol_get(BOB, 200, "/drive/root:/F/Copy/y.txt");
    ol(BOB, "POST", ol_text("/drive/items/%s/copy", to),
       ol_text("{'parentReference':{'id':'%s'},'name':'Copy'}", folder));
    refused(409, "nameAlreadyExists", NULL);
}

static void folders_are_paged(void **state)
{
    for (int i = 0; i < 5; i++)
        ol_do(BOB, "POST", "/drive/root/children", ol_text("{'name':'f%d','folder':{}}", i), 201);
    const struct json *v = ol_get(BOB, 200, "/drive/root/children?$top=2&$select=id,name");
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.1.name"), "f1");
    assert_non_null(text_at(v, "value.1.id"));
    assert_null(json_get(value_at(v, "value.1"), "size"));
    const char *next = keep(strstr(json_get_str(v, "@odata.nextLink"), "/v1.0"));
    v = ol_get(BOB, 200, "!%s", next);
    assert_string_equal(text_at(v, "value.0.name"), "f2");
    v = ol_get(BOB, 200, "/drive/root/children?$orderby=name%%20desc");
    assert_string_equal(text_at(v, "value.0.name"), "f4");
    ol(BOB, "GET", "/drive/root/children?$skiptoken=abc", NULL);
    refused(400, "invalidRequest", "Invalid paging token");
    v = ol_get(BOB, 200, "/drive/root?$expand=children($select=name)");
    assert_string_equal(text_at(v, "children.4.name"), "f4");
}

static void documents_come_as_pdf(void **state)
{
    const struct json *v = put(BOB, "/drive/root:/a.md:/content", "# Walrus", 201);
    const char *id = keep(text_at(v, "id"));
    ol_get(BOB, 302, "/drive/items/%s/content?format=pdf", id);
    const struct sosia_header host[] = {{"Host", "port-my.sharepoint.com"}};
    const char *at = keep(strstr(test_header("Location"), "/personal/"));
    test_request("GET", at, host, 1, "", 0);
    assert_int_equal(test_status, 200);
    assert_string_equal(test_header("Content-Type"), "application/pdf");
    assert_memory_equal(test_body, "%PDF-", 5);
    /* the address opens nothing else */
    char *plain = arena_strdup(&test_arena, at);
    memcpy(strstr(plain, "Translate=pdf"), "Translate=no_", 13);
    test_request("GET", plain, host, 1, "", 0);
    assert_int_equal(test_status, 403);
    ol(BOB, "GET", ol_text("/drive/items/%s/content?format=glb", id), NULL);
    refused(400, "notSupported", NULL);
    v = put(BOB, "/drive/root:/a.zip:/content", "x", 201);
    ol(BOB, "GET", ol_text("/drive/items/%s/content?format=pdf", keep(text_at(v, "id"))), NULL);
    refused(400, "notSupported", NULL);
}

/* A table is shown as Excel works it out: powers from the left. */
static void tables_are_worked_out_as_excel_does(void **state)
{
    struct pdf *pdf;
    const char *why;
    const struct json *v = put(BOB, "/drive/root:/a.csv:/content", "=2^3^2", 201);
    ol_get(BOB, 302, "/drive/items/%s/content?format=pdf", keep(text_at(v, "id")));
    const struct sosia_header host[] = {{"Host", "port-my.sharepoint.com"}};
    test_request("GET", keep(strstr(test_header("Location"), "/personal/")), host, 1, "", 0);
    assert_int_equal(pdf_open(&test_arena, test_body, test_len, &pdf, &why), 1);
    struct buf b;
    buf_init(&b, 0);
    pdf_page_text(pdf, 0, &b);
    assert_non_null(strstr(buf_str(&b), "64"));
    assert_null(strstr(buf_str(&b), "512"));
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(an_account_has_a_drive),
        ol_test(a_file_is_put_and_read),
        ol_test(names_clash_as_the_caller_wants),
        ol_test(items_move_and_copy),
        ol_test(folders_are_paged),
        ol_test(documents_come_as_pdf),
        ol_test(tables_are_worked_out_as_excel_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
