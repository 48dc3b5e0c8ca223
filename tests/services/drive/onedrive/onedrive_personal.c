/* SPDX-License-Identifier: Apache-2.0 */
/* OneDrive: drives of consumers' accounts. */
#include "tests/support/outlook.h"

#define EVE "eve@mail.example"
#define CID "00061234abcd5678"

static const char consumers[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: " EVE ", name: Eve}\n"
    "  - {email: bob@port.example, name: Bob}\n"
    "microsoftTenants: [{domain: mail.example, consumer: true}]\n"
    "accounts:\n"
    "  - {actor: " EVE ", vendor: microsoft, id: 00000000-0000-0000-0006-1234abcd5678}\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n";

static int open_consumers(void **state)
{
    (void)state;
    ol_prefer = ol_if_match = ol_type = NULL;
    return test_open(consumers);
}

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

static void refused(int status, const char *code)
{
    if (test_status != status)
        fail_msg("%d %s", test_status, test_body);
    assert_string_equal(text_at(parsed(test_body, test_len), "error.code"), code);
}

static void a_consumer_has_a_personal_drive(void **state)
{
    const struct json *v = ol_get(EVE, 200, "/drive");
    assert_string_equal(text_at(v, "driveType"), "personal");
    assert_string_equal(text_at(v, "id"), CID);
    assert_int_equal(json_get_int(value_at(v, "quota"), "total", 0), INT64_C(5368709120));
    v = put(EVE, "/drive/root:/a.txt:/content", "hello", 201);
    const char *id = keep(text_at(v, "id"));
    assert_string_equal(text_at(v, "file.hashes.sha1Hash"),
                        "AAF4C61DDCC5E8A2DABEDE0F3B482CD9AEA9434D");
    assert_string_equal(text_at(v, "file.hashes.sha256Hash"),
                        "2CF24DBA5FB0A30E26E83B2AC5B9E29E1B161E5C1FA7425E73043362938B9824");
    assert_string_equal(text_at(v, "parentReference.driveType"), "personal");
    assert_null(value_at(v, "parentReference.siteId"));
    assert_string_equal(text_at(v, "webUrl"),
                        ol_text("https://onedrive.live.com?cid=" CID "&id=%s", id));
    v = ol_get(EVE, 200, "!/v1.0/drives/" CID "/items/%s", id);
    assert_string_equal(text_at(v, "name"), "a.txt");
    ol_get(EVE, 302, "/drive/root:/a.txt:/content");
    const struct sosia_header host[] = {{"Host", "my.microsoftpersonalcontent.com"}};
    test_request("GET", keep(strstr(test_header("Location"), "/personal/" CID)), host, 1, "", 0);
    assert_string_equal(test_body, "hello");
    ol(EVE, "POST", "/drive/root:/a.txt:/preview", "{}");
    refused(400, "notSupported");
    ol(EVE, "POST", ol_text("/drive/items/%s/permanentDelete", id), NULL);
    refused(405, "notAllowed");
    v = ol_do(EVE, "POST", "/drive/root:/a.txt:/createLink", "{'type':'embed','scope':'anonymous'}",
              201);
    assert_string_equal(text_at(v, "link.type"), "embed");
    ol_get(BOB, 404, "!/v1.0/drives/0000000000000001/root");
    ol(BOB, "GET", "!/v1.0/drives/" CID "/root", NULL);
    assert_int_equal(test_status, 403);
    ol(BOB, "GET", "!/v1.0/drives/000000000000000g/root", NULL);
    assert_int_equal(test_status, 400);
}

static void what_was_deleted_comes_back(void **state)
{
    const char *id = keep(text_at(put(EVE, "/drive/root:/F/a.txt:/content", "hello", 201), "id"));
    ol_do(EVE, "DELETE", ol_text("/drive/items/%s", id), NULL, 204);
    put(EVE, "/drive/root:/F/a.txt:/content", "other", 201);
    const struct json *v = ol_do(EVE, "POST", ol_text("/drive/items/%s/restore", id), "{}", 200);
    assert_string_equal(text_at(v, "id"), id);
    assert_string_equal(text_at(v, "name"), "a 1.txt");
    ol(EVE, "POST", ol_text("/drive/items/%s/restore", id), "{}");
    refused(400, "invalidRequest");
    /* somewhere else, by another name */
    ol_do(EVE, "POST", "/drive/root/children", "{'name':'G','folder':{}}", 201);
    const char *folder = keep(text_at(ol_get(EVE, 200, "/drive/root:/G"), "id"));
    ol_do(EVE, "DELETE", ol_text("/drive/items/%s", id), NULL, 204);
    ol(EVE, "POST", ol_text("/drive/items/%s/restore", id), "{'name':'a/b'}");
    refused(400, "invalidRequest");
    v = ol_do(EVE, "POST", ol_text("/drive/items/%s/restore", id),
              ol_text("{'parentReference':{'id':'%s'},'name':'b.txt'}", folder), 200);
    assert_string_equal(text_at(v, "parentReference.id"), folder);
    ol_get(EVE, 200, "/drive/root:/G/b.txt");
    /* after its time it is gone */
    ol_do(EVE, "DELETE", ol_text("/drive/items/%s", id), NULL, 204);
    test_advance(94 * 86400);
    ol(EVE, "POST", ol_text("/drive/items/%s/restore", id), "{}");
    refused(404, "itemNotFound");
    ol(BOB, "POST", ol_text("!/v1.0/drives/" CID "/items/%s/restore", folder), "{}");
    assert_int_equal(test_status, 403);
    /* drives of work accounts have no such method */
    const char *bobs = keep(text_at(put(BOB, "/drive/root:/a.txt:/content", "hello", 201), "id"));
    ol_do(BOB, "DELETE", ol_text("/drive/items/%s", bobs), NULL, 204);
    ol(BOB, "POST", ol_text("/drive/items/%s/restore", bobs), "{}");
    refused(400, "notSupported");
}

/* Its token is not a credential, so a journal has it. */
static void a_delta_runs_again(void **state)
{
    (void)state;
    struct sosia_blob report;
    assert_int_equal(
        sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_ALL, &test_err), 0);
    const struct json *v = ol_get(EVE, 200, "/drive/root/delta?token=latest");
    const char *link = keep(strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0"));
    put(EVE, "/drive/root:/new.txt:/content", "new", 201);
    v = ol_do(EVE, "GET", ol_text("!%s", link), NULL, 200);
    assert_int_equal(count_at(v, "value"), 1);
    assert_int_equal(sosia_journal_replay(test_engine, test_world, NULL, NULL, &report, &test_err),
                     0);
    assert_non_null(strstr(report.data, "\"equal\": true"));
    sosia_blob_free(&report);
}

static void a_delta_is_of_any_folder(void **state)
{
    put(EVE, "/drive/root:/F/a.txt:/content", "hello", 201);
    put(EVE, "/drive/root:/G/b.txt:/content", "hello", 201);
    const struct json *v = ol_get(EVE, 200, "/drive/root:/F:/delta");
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.1.name"), "a.txt");
    const char *link = keep(strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0"));
    put(EVE, "/drive/root:/G/c.txt:/content", "hello", 201);
    assert_int_equal(count_at(ol_get(EVE, 200, "!%s", link), "value"), 0);
    put(EVE, "/drive/root:/F/d.txt:/content", "hello", 201);
    v = ol_get(EVE, 200, "!%s", link);
    assert_string_equal(text_at(v, "value.0.name"), "d.txt");
    ol_do(EVE, "DELETE", "/drive/root:/F/d.txt", NULL, 204);
    v = ol_get(EVE, 200, "!%s", link);
    assert_null(json_get(value_at(v, "value.0"), "size"));
    ol(EVE, "GET", "/drive/root:/F/a.txt:/delta", NULL);
    refused(400, "invalidRequest");
}

#define personal_test(f) cmocka_unit_test_setup_teardown(f, open_consumers, ol_close)

/* ---- subscriptions ---- */

static void watch(const char *resource, int status)
{
    ol(EVE, "POST", "!/v1.0/subscriptions",
       ol_text("{'changeType':'updated','notificationUrl':'https://hook.example/a','resource':'%s',"
               "'expirationDateTime':'2026-11-25T08:00:00Z'}",
               resource));
    if (test_status != status)
        fail_msg("%s: %d %s", resource, test_status, test_body);
}

static size_t n_messages(void)
{
    return test_outbox()->n;
}

static void folders_of_personal_drives_are_watched(void **state)
{
    test_use(ol_text("%shandshakes: accepted\n", consumers));
    const char *id = keep(text_at(
        ol_do(EVE, "POST", "/drive/root/children", "{'name':'My F','folder':{}}", 201), "id"));
    put(EVE, "/drive/root:/a.txt:/content", "a", 201);
    watch("me/drive/root:/My%20F:", 201);
    size_t n = n_messages();
    put(EVE, "/drive/root:/b.txt:/content", "b", 201);
    assert_int_equal(n_messages(), n);
    const char *in = keep(text_at(put(EVE, "/drive/root:/My%20F/c.txt:/content", "c", 201), "id"));
    assert_int_equal(n_messages(), n + 1);
    const struct json *list = test_outbox();
    const char *body = json_get_str(json_get(&list->items[n], "payload"), "body");
    const struct json *v = parsed(body, strlen(body));
    assert_string_equal(text_at(v, "value.0.resource"), "me/drive/root:/My%20F:");
    assert_string_equal(json_get_str(value_at(v, "value.0.resourceData"), "@odata.type"),
                        "#Microsoft.Graph.DriveItem");
    ol_do(EVE, "DELETE", ol_text("/drive/items/%s", in), NULL, 204);
    assert_int_equal(n_messages(), n + 2);
    watch(ol_text("/drives/" CID "/items/%s", id), 201);
    watch("drives/" CID "/root", 201);
    watch("me/drive/root:/a.txt", 400);
    refused(400, "InvalidRequest");
    assert_non_null(strstr(test_body, "resource 'me/drive/root:/a.txt' is not supported."));
    watch("me/drive/items/none", 400);
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        personal_test(a_consumer_has_a_personal_drive),
        personal_test(what_was_deleted_comes_back),
        personal_test(a_delta_is_of_any_folder),
        personal_test(a_delta_runs_again),
        personal_test(folders_of_personal_drives_are_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
