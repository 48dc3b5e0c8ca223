/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts and folders of contacts in Microsoft Graph, and their deltas. */
#include "tests/vendors/microsoft/port.h"

static void contacts_are_made_changed_and_deleted(void **state)
{
    const struct json *v = ask(ADA, "POST", "/v1.0/me/contacts",
                               "{'givenName':'Pia','surname':'Roth','emailAddresses':[{'address':"
                               "'pia@far.example','name':'Pia'}]}");
    assert_int_equal(test_status, 201);
    assert_string_equal(text_at(v, "displayName"), "Pia Roth");
    const char *id = text_at(v, "id"), *etag = json_get_str(v, "@odata.etag");
    v = ask(ADA, "POST", "/v1.0/me/contactFolders", "{'displayName':'Far'}");
    const char *folder = text_at(v, "id");
    ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/contacts", folder), "{'givenName':'Zoe'}");
    assert_int_equal(test_status, 201);
    assert_refused(ask(ADA, "POST", "/v1.0/me/contactFolders", "{'displayName':'Far'}"), 409,
                   "ErrorFolderExists", "already exists");
    v = get("/v1.0/me/contacts?$filter=startswith(surname,'Ro')&$select=surname");
    assert_string_equal(each(v, "surname"), "Roth");
    assert_int_equal(json_get(v, "value")->n, 1);
    v = get(TEXT("/v1.0/me/contactFolders/%s/contacts", folder));
    assert_string_equal(each(v, "givenName"), "Zoe");
    v = ask(ADA, "PATCH", TEXT("/v1.0/me/contacts/%s", id), "{'jobTitle':'Pilot','surname':null}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "jobTitle"), "Pilot");
    assert_int_equal(json_get(v, "surname")->type, JSON_NULL);
    header_name = "If-Match";
    header_value = etag;
    v = ask(ADA, "DELETE", TEXT("/v1.0/me/contacts/%s", id), NULL);
    assert_refused(v, 412, "ErrorIrresolvableConflict", "change key");
    v = ask(ADA, "POST", "/v1.0/me/contacts", "{'shoeSize':7}");
    assert_refused(v, 400, "RequestBodyRead", "shoeSize");
    v = ask(ADA, "POST", "/v1.0/me/contacts", "{'givenName':7}");
    assert_int_equal(test_status, 400);
    v = ask(test_bearer("bob@port.example", "Contacts.Read"), "GET",
            TEXT("/v1.0/me/contacts/%s", id), NULL);
    assert_refused(v, 404, "ErrorItemNotFound", "not found");
    v = ask(test_bearer("bob@port.example", "Contacts.Read"), "GET",
            "/v1.0/users/ada@port.example/contacts", NULL);
    assert_refused(v, 403, "ErrorAccessDenied", "Access is denied");
    ask(ADA, "DELETE", TEXT("/v1.0/me/contactFolders/%s", folder), NULL);
    assert_int_equal(test_status, 204);
    ask(ADA, "DELETE", TEXT("/v1.0/me/contacts/%s", id), NULL);
    assert_int_equal(test_status, 204);
    assert_string_equal(each(get("/v1.0/me/contacts"), "givenName"), "");
}

static void folders_of_contacts_are_in_folders(void **state)
{
    const struct json *v = ask(ADA, "POST", "/v1.0/me/contactFolders", "{'displayName':'Clubs'}");
    const char *clubs = text_at(v, "id"), *top = text_at(v, "parentFolderId");
    v = ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/childFolders", clubs),
            "{'displayName':'Chess'}");
    assert_int_equal(test_status, 201);
    const char *chess = text_at(v, "id");
    assert_string_equal(text_at(v, "parentFolderId"), clubs);
    assert_string_equal(json_get_str(v, "@odata.context"),
                        TEXT("https://graph.microsoft.com/v1.0/$metadata#users('ada%%40port."
                             "example')/contactFolders('%s')/childFolders/$entity",
                             clubs));
    v = ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/childFolders", clubs),
            "{'displayName':'Chess'}");
    assert_refused(v, 409, "ErrorFolderExists", "already exists");
    /* The same name is free elsewhere. */
    ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/childFolders", chess),
        "{'displayName':'Chess'}");
    assert_int_equal(test_status, 201);
    assert_string_equal(each(get("/v1.0/me/contactFolders"), "displayName"), "Clubs");
    v = get(TEXT("/v1.0/me/contactFolders/%s/childFolders", clubs));
    assert_string_equal(each(v, "id"), chess);
    v = get("/v1.0/me/contactFolders/contacts");
    assert_string_equal(text_at(v, "id"), top);
    assert_string_equal(text_at(v, "displayName"), "Contacts");
    assert_string_equal(each(get("/v1.0/me/contactFolders/contacts/childFolders"), "id"), clubs);
    const char *path = TEXT("/v1.0/me/contactFolders/%s/childFolders/%s", clubs, chess);
    v = ask(ADA, "POST", TEXT("%s/contacts", path), "{'givenName':'Zoe'}");
    assert_int_equal(test_status, 201);
    assert_string_equal(text_at(v, "parentFolderId"), chess);
    const char *zoe = text_at(v, "id");
    assert_string_equal(each(get(TEXT("%s/contacts", path)), "givenName"), "Zoe");
    assert_string_equal(each(get(TEXT("%s/contacts/delta", path)), "givenName"), "Zoe");
    v = ask(ADA, "PATCH", path, "{'displayName':'Go'}");
    assert_string_equal(text_at(v, "displayName"), "Go");
    v = get(TEXT("/v1.0/me/contactFolders/%s/childFolders/%s", chess, clubs));
    assert_refused(v, 404, "ErrorItemNotFound", "not found");
    v = ask(ADA, "PATCH", "/v1.0/me/contactFolders/contacts", "{'displayName':'X'}");
    assert_refused(v, 403, "ErrorAccessDenied", "Access is denied");
    v = ask(ADA, "DELETE", "/v1.0/me/contactFolders/contacts", NULL);
    assert_refused(v, 403, "ErrorDeleteDistinguishedFolder", "cannot be deleted");
    /* What documents say of it makes the same again. */
    struct sosia_blob first, again;
    uint64_t other;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &first, &test_err), 0);
    assert_non_null(strstr(first.data, TEXT("\"parent\": \"%s\"", chess)));
    struct sosia_world_options opt = {.seed_doc = first.data, .seed_doc_len = first.len};
    if (sosia_world_create(test_engine, &opt, &other, &test_err) < 0)
        fail_msg("%s", test_err.text);
    assert_int_equal(sosia_world_dump(test_engine, other, &again, &test_err), 0);
    assert_string_equal(first.data, again.data);
    sosia_blob_free(&first);
    sosia_blob_free(&again);
    sosia_world_drop(test_engine, other, &test_err);
    ask(ADA, "DELETE", TEXT("/v1.0/me/contactFolders/%s", clubs), NULL);
    assert_int_equal(test_status, 204);
    assert_string_equal(each(get("/v1.0/me/contactFolders"), "displayName"), "");
    get(TEXT("/v1.0/me/contactFolders/%s", chess));
    assert_int_equal(test_status, 404);
    get(TEXT("/v1.0/me/contacts/%s", zoe));
    assert_int_equal(test_status, 404);
}

static const char *link_of(const struct json *v, const char *name)
{
    const char *link = json_get_str(v, name);
    assert_non_null(link);
    return strstr(link, "/v1.0/");
}

static void changes_of_contacts_are_listed(void **state)
{
    const char *ids[12];
    for (int i = 0; i < 12; i++)
        ids[i] = text_at(ask(ADA, "POST", "/v1.0/me/contacts",
                             TEXT("{'givenName':'P%d','jobTitle':'Pilot'}", i)),
                         "id");
    const struct json *v = get("/v1.0/me/contacts/delta?$select=givenName");
    assert_int_equal(json_get(v, "value")->n, 10);
    assert_string_equal(members(v, "value.0"), "@odata.type @odata.etag id givenName");
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#Collection(contact)");
    const char *page = link_of(v, "@odata.nextLink");
    /* Made and deleted between two pages: nobody has seen it. */
    const char *brief = text_at(ask(ADA, "POST", "/v1.0/me/contacts", "{'givenName':'X'}"), "id");
    ask(ADA, "DELETE", TEXT("/v1.0/me/contacts/%s", brief), NULL);
    v = get(page);
    assert_string_equal(each(v, "givenName"), "P10, P11");
    assert_null(text_at(v, "value.0.jobTitle"));
    const char *link = link_of(v, "@odata.deltaLink");
    v = get(link);
    assert_int_equal(json_get(v, "value")->n, 0);
    ask(ADA, "PATCH", TEXT("/v1.0/me/contacts/%s", ids[3]), "{'givenName':'Q'}");
    ask(ADA, "DELETE", TEXT("/v1.0/me/contacts/%s", ids[4]), NULL);
    v = ask(ADA, "POST", "/v1.0/me/contactFolders", "{'displayName':'Far'}");
    const char *folder = text_at(v, "id");
    ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/contacts", folder), "{'givenName':'Zoe'}");
    brief = text_at(ask(ADA, "POST", "/v1.0/me/contacts", "{'givenName':'X'}"), "id");
    ask(ADA, "DELETE", TEXT("/v1.0/me/contacts/%s", brief), NULL);
    v = get(link);
    assert_int_equal(json_get(v, "value")->n, 2);
    assert_string_equal(text_at(v, "value.0.givenName"), "Q");
    assert_string_equal(text_at(v, "value.1.id"), ids[4]);
    assert_string_equal(members(v, "value.1"), "@odata.type id @removed");
    v = get(link_of(v, "@odata.deltaLink"));
    assert_int_equal(json_get(v, "value")->n, 0);
    v = get(TEXT("/v1.0/me/contactFolders/%s/contacts/delta()", folder));
    assert_string_equal(each(v, "givenName"), "Zoe");
    const char *foreign = link_of(v, "@odata.deltaLink");
    header_name = "Prefer";
    header_value = "odata.maxpagesize=5";
    v = get("/v1.0/me/contacts/delta");
    assert_int_equal(json_get(v, "value")->n, 5);
    assert_string_equal(test_header("Preference-Applied"), "odata.maxpagesize=5");
    header_name = NULL;
    v = get(link_of(v, "@odata.nextLink"));
    assert_int_equal(json_get(v, "value")->n, 5);
    v = get("/v1.0/me/contacts/delta?$deltatoken=latest");
    assert_int_equal(json_get(v, "value")->n, 0);
    const char *token = strstr(foreign, "deltatoken=");
    assert_refused(get(TEXT("/v1.0/me/contacts/delta?$%s", token)), 410, "SyncStateNotFound",
                   "sync state");
    assert_refused(get("/v1.0/me/contacts/delta?$deltatoken=x"), 410, "SyncStateNotFound",
                   "sync state");
    ask(test_bearer("bob@port.example", "Contacts.Read"), "GET",
        "/v1.0/users/ada@port.example/contacts/delta", NULL);
    assert_int_equal(test_status, 403);
}

static void what_was_changed_is_in_dumps(void **state)
{
    struct sosia_blob first, again;
    uint64_t other;
    ask(ADA, "POST", "/v1.0/users", DAN);
    ask(ADA, "POST", "/v1.0/me/contacts", "{'givenName':'Pia'}");
    ask(ADA, "POST", "/v1.0/me/contactFolders", "{'displayName':'Far'}");
    ask(BOB, "PATCH", "/v1.0/users/cyd@port.example", "{'jobTitle':'Cook'}");
    ask(BOB, "POST", "/v1.0/groups",
        "{'displayName':'Ops','mailEnabled':false,'mailNickname':'ops','securityEnabled':true,"
        "'classification':'Internal','preferredLanguage':'en-GB','theme':'Red'}");
    assert_int_equal(test_status, 201);
    ask(BOB, "PATCH", "/v1.0/groups/" CREW, "{'mailNickname':'hands'}");
    assert_int_equal(test_status, 204);
    ask(BOB, "PATCH", "/v1.0/groups/" CREW, "{'hideFromAddressLists':true}");
    assert_int_equal(test_status, 200);
    assert_int_equal(sosia_world_dump(test_engine, test_world, &first, &test_err), 0);
    assert_non_null(strstr(first.data, "\"hideFromAddressLists\": true"));
    assert_non_null(strstr(first.data, "\"jobTitle\": \"Cook\""));
    assert_non_null(strstr(first.data, "\"mailNickname\": \"hands\""));
    assert_non_null(strstr(first.data, "\"theme\": \"Red\""));
    /* A guest keeps the accounts that it has by itself. */
    assert_non_null(strstr(first.data, "\"actor\": \"gus@home.example\",\n"
                                       "      \"vendor\": \"google\""));
    struct sosia_world_options opt = {.seed_doc = first.data, .seed_doc_len = first.len};
    if (sosia_world_create(test_engine, &opt, &other, &test_err) < 0)
        fail_msg("%s", test_err.text);
    assert_int_equal(sosia_world_dump(test_engine, other, &again, &test_err), 0);
    assert_string_equal(first.data, again.data);
    sosia_blob_free(&first);
    sosia_blob_free(&again);
}

static const char *new_folder(const char *in, const char *name)
{
    const struct json *v =
        ask(ADA, "POST", TEXT("/v1.0/me/contactFolders%s", in), TEXT("{'displayName':'%s'}", name));
    assert_int_equal(test_status, 201);
    return text_at(v, "id");
}

static void changes_of_folders_of_contacts_are_listed(void **state)
{
    const char *far = new_folder("", "Far");
    const char *isles = new_folder(TEXT("/%s/childFolders", far), "Isles");
    const struct json *v = get("/v1.0/me/contactFolders/delta?$select=displayName");
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#Collection(contactFolder)");
    assert_string_equal(each(v, "displayName"), "Far, Isles");
    assert_string_equal(members(v, "value.0"), "@odata.type id displayName");
    assert_string_equal(json_get_str(&json_get(v, "value")->items[0], "@odata.type"),
                        "#microsoft.graph.contactFolder");
    const char *link = link_of(v, "@odata.deltaLink");
    v = get(TEXT("/v1.0/me/contactFolders/%s/childFolders/delta()", far));
    assert_string_equal(each(v, "displayName"), "Isles");
    assert_int_equal(json_get(get(link), "value")->n, 0);
    ask(ADA, "PATCH", TEXT("/v1.0/me/contactFolders/%s", far), "{'displayName':'Afar'}");
    ask(ADA, "DELETE", TEXT("/v1.0/me/contactFolders/%s", isles), NULL);
    const char *brief = new_folder("", "Brief");
    ask(ADA, "DELETE", TEXT("/v1.0/me/contactFolders/%s", brief), NULL);
    ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/contacts", far), "{'givenName':'Zoe'}");
    v = get(link);
    assert_int_equal(json_get(v, "value")->n, 2);
    assert_string_equal(text_at(v, "value.0.displayName"), "Afar");
    assert_string_equal(text_at(v, "value.1.id"), isles);
    assert_string_equal(text_at(v, "value.1.@removed.reason"), "deleted");
    for (int i = 0; i < 11; i++)
        new_folder("", TEXT("F%d", i));
    v = get("/v1.0/me/contactFolders?$count=true&$select=displayName");
    assert_int_equal(json_get(v, "value")->n, 10);
    assert_string_equal(json_get(v, "@odata.count")->str, "12");
    v = get(link_of(v, "@odata.nextLink"));
    assert_string_equal(each(v, "displayName"), "F9, F10");
    v = get("/v1.0/me/contactFolders?$skip=9223372036854775807");
    assert_string_equal(each(v, "displayName"), "");
    assert_null(json_get(v, "@odata.nextLink"));
    get("/v1.0/me/contactFolders/$count");
    assert_string_equal(test_body, "12");
    get(TEXT("/v1.0/me/contactFolders/%s/contacts/$count", far));
    assert_string_equal(test_body, "1");
    get("/v1.0/me/contacts/$count?$filter=givenName%20eq%20'Zoe'");
    assert_string_equal(test_body, "0");
    const char *token = strstr(link, "deltatoken=");
    assert_refused(get(TEXT("/v1.0/me/contacts/delta?$%s", token)), 410, "SyncStateNotFound",
                   "sync state");
}

#define NAMED "String {00020329-0000-0000-c000-000000000046} Name Sync"

static void programs_keep_properties_with_contacts(void **state)
{
    const struct json *v = ask(
        ADA, "POST", "/v1.0/me/contacts",
        "{'givenName':'Zoe','surname':'Vance','emailAddresses':[{'address':'zv@far.example','name':"
        "'Zoe'}],'singleValueExtendedProperties':[{'id':'" NAMED "','value':'7'},{'id':'STRING "
        "0x3A45','value':'Dr'}]}");
    assert_int_equal(test_status, 201);
    assert_null(json_get(v, "singleValueExtendedProperties"));
    const char *id = text_at(v, "id");
    ask(ADA, "POST", "/v1.0/me/contacts", "{'givenName':'Abe','companyName':'Zodiac'}");
    const char *expand =
        "$expand=singleValueExtendedProperties($filter=id%20eq%20'String%200x3a45')";
    v = get(TEXT("/v1.0/me/contacts/%s?$select=givenName&%s", id, expand));
    assert_string_equal(text_at(v, "singleValueExtendedProperties.0.value"), "Dr");
    assert_int_equal(json_get(v, "singleValueExtendedProperties")->n, 1);
    v = get(TEXT("/v1.0/me/contacts?%s", expand));
    assert_string_equal(text_at(v, "value.0.singleValueExtendedProperties.0.id"), "String 0x3a45");
    assert_null(json_get(&json_get(v, "value")->items[1], "singleValueExtendedProperties"));
    ask(ADA, "PATCH", TEXT("/v1.0/me/contacts/%s", id),
        "{'singleValueExtendedProperties':[{'id':'" NAMED "','value':'8'}]}");
    assert_int_equal(test_status, 200);
    v = get("/v1.0/me/contacts?$select=givenName&$filter=singleValueExtendedProperties/Any(ep:%20"
            "ep/id%20eq%20'String%20%7B00020329-0000-0000-c000-000000000046%7D%20Name%20Sync'%20and"
            "%20ep/value%20eq%20'8')&$expand=singleValueExtendedProperties");
    assert_string_equal(each(v, "givenName"), "Zoe");
    assert_int_equal(count_at(v, "value.0.singleValueExtendedProperties"), 2);
    /* Of several with one id the last one counts; so many are refused before they are compared. */
    ask(ADA, "PATCH", TEXT("/v1.0/me/contacts/%s", id),
        "{'singleValueExtendedProperties':[{'id':'String 0x3a45','value':'a'},{'id':'String "
        "0x3A45','value':'b'}]}");
    v = get(TEXT("/v1.0/me/contacts/%s?%s", id, expand));
    assert_int_equal(count_at(v, "singleValueExtendedProperties"), 1);
    assert_string_equal(text_at(v, "singleValueExtendedProperties.0.value"), "b");
    struct buf many;
    buf_init(&many, 0);
    for (int i = 0; i < 5000; i++)
        buf_printf(&many, "%s{'id':'String 0x%x','value':null}", i ? "," : "", i);
    ask(ADA, "PATCH", TEXT("/v1.0/me/contacts/%s", id),
        TEXT("{'singleValueExtendedProperties':[%s]}", buf_str(&many)));
    buf_done(&many);
    assert_int_equal(test_status, 413);
    /* And find them by words. */
    assert_string_equal(each(get("/v1.0/me/contacts?$search=%22zo%22"), "givenName"), "Zoe, Abe");
    assert_string_equal(each(get("/v1.0/me/contacts?$search=%22vance%20zoe%22"), "givenName"),
                        "Zoe");
    assert_string_equal(each(get("/v1.0/me/contacts?$search=%22far%22"), "givenName"), "Zoe");
    assert_string_equal(each(get("/v1.0/me/contacts?$search=%22ance%22"), "givenName"), "");
    assert_string_equal(each(get("/v1.0/me/contacts?$search=%22zv@far.ex%22"), "givenName"), "Zoe");
    ask(ADA, "POST", TEXT("/v1.0/me/contacts/%s/permanentDelete", id), NULL);
    assert_int_equal(test_status, 204);
    get(TEXT("/v1.0/me/contacts/%s", id));
    assert_int_equal(test_status, 404);
    const char *far = new_folder("", "Far");
    ask(ADA, "POST", TEXT("/v1.0/me/contactFolders/%s/permanentDelete", far), NULL);
    assert_int_equal(test_status, 204);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(contacts_are_made_changed_and_deleted),
        TEST(folders_of_contacts_are_in_folders),
        TEST(changes_of_contacts_are_listed),
        TEST(changes_of_folders_of_contacts_are_listed),
        TEST(programs_keep_properties_with_contacts),
        TEST(what_was_changed_is_in_dumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
