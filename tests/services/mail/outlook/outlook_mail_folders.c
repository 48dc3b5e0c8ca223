/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Mail: changes of the list of folders, and folders that search. */
#include "tests/support/outlook.h"

#define DELTA "/mailFolders/delta"

/* The query of a link of the last answer. */
static const char *link_of(const struct json *v, const char *link)
{
    const char *url = json_get_str(v, link);
    assert_non_null(url);
    return arena_strdup(&test_arena, strchr(url, '?'));
}

static const struct json *later(const char **query)
{
    const struct json *v = ol_get(BOB, 200, DELTA "%s", *query);
    *query = link_of(v, "@odata.deltaLink");
    return v;
}

static const char *made(const char *path, const char *name)
{
    return arena_strdup(
        &test_arena,
        text_at(ol_do(BOB, "POST", path, ol_text("{'displayName':'%s'}", name), 201), "id"));
}

static void a_delta_says_which_folders_have_changed(void **state)
{
    const char *plans = made("/mailFolders/inbox/childFolders", "Plans");
    const struct json *v = ol_get(BOB, 200, DELTA "?$top=3");
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#Collection(mailFolder)");
    assert_string_equal(json_get_str(value_at(v, "value.0"), "@odata.type"),
                        "#microsoft.graph.mailFolder");
    assert_int_equal(count_at(v, "value"), 3);
    const char *query = link_of(v, "@odata.nextLink"), *all = column(v, "value", "displayName");
    while (json_get(v, "@odata.nextLink")) {
        v = ol_get(BOB, 200, DELTA "%s", query);
        all = ol_text("%s %s", all, column(v, "value", "displayName"));
        if (json_get(v, "@odata.nextLink"))
            query = link_of(v, "@odata.nextLink");
    }
    assert_string_equal(all, "Inbox Sent Items Drafts Deleted Items Junk Email Outbox Conversation "
                             "History Archive Plans");
    query = link_of(v, "@odata.deltaLink");
    assert_int_equal(count_at(later(&query), "value"), 0);
    const char *more = made(ol_text("/mailFolders/%s/childFolders", plans), "More");
    ol_do(BOB, "PATCH", ol_text("/mailFolders/%s", plans), "{'displayName':'Ideas'}", 200);
    assert_string_equal(column(later(&query), "value", "displayName"), "More Ideas");
    ol_send(CYD, BOB, "Hello", "there"); /* counts are members, too */
    v = later(&query);
    assert_string_equal(column(v, "value", "displayName"), "Inbox");
    assert_string_equal(json_to_text(&test_arena, value_at(v, "value.0.unreadItemCount")), "1");
    ol_do(BOB, "POST", ol_text("/messages/%s/move", ol_newest(BOB, "inbox")),
          ol_text("{'destinationId':'%s'}", more), 201);
    assert_string_equal(column(later(&query), "value", "displayName"), "More Inbox");
    ol_do(BOB, "POST", "/outlook/masterCategories", "{'displayName':'Red','color':'preset0'}", 201);
    assert_int_equal(count_at(later(&query), "value"), 0);
    ol_do(BOB, "DELETE", ol_text("/mailFolders/%s", more), NULL, 204);
    v = later(&query);
    assert_string_equal(column(v, "value", "displayName"), "More");
    ol_do(BOB, "POST", ol_text("/mailFolders/%s/permanentDelete", plans), NULL, 204);
    v = later(&query);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), plans);
    assert_string_equal(json_to_text(&test_arena, json_get(value_at(v, "value.0"), "@removed")),
                        "{\"reason\":\"deleted\"}");
}

static void a_delta_keeps_its_selection_and_its_mailbox(void **state)
{
    const struct json *v = ol_get(BOB, 200, DELTA "?$select=displayName&$deltatoken=latest");
    assert_int_equal(count_at(v, "value"), 0);
    const char *query = link_of(v, "@odata.deltaLink");
    made("/mailFolders", "Plans");
    v = ol_get(BOB, 200, DELTA "%s", query);
    assert_string_equal(members(v, "value.0"), "@odata.type id displayName");
    ol(CYD, "GET", ol_text(DELTA "%s", query), NULL);
    ol_refused(410, "SyncStateNotFound", NULL);
    ol(BOB, "GET", DELTA "?$deltatoken=nonsense", NULL);
    ol_refused(410, "SyncStateNotFound", NULL);
    ol_prefer = "odata.maxpagesize=2";
    assert_int_equal(count_at(ol_get(BOB, 200, DELTA), "value"), 2);
}

/* ---- search folders ---- */

/* Digests of Cyd's in the Inbox and below it, and other mail. */
static void put_mail(void)
{
    const char *below = made("/mailFolders/inbox/childFolders", "Plans");
    ol_send(CYD, BOB, "Weekly digest", "one");
    ol_do(BOB, "POST", ol_text("/messages/%s/move", ol_newest(BOB, "inbox")),
          ol_text("{'destinationId':'%s'}", below), 201);
    test_advance(60);
    ol_send(CYD, BOB, "A weekly digest", "two");
    test_advance(60);
    ol_send(CYD, BOB, "Lunch", "three");
}

/* The id of a search folder; body: JSON with its quotes. */
static const char *make_search(const char *parent, const char *body)
{
    ol_type = "application/json";
    const struct json *v =
        ol_do(BOB, "POST", ol_text("/mailFolders/%s/childFolders", parent), body, 201);
    ol_type = NULL;
    return arena_strdup(&test_arena, text_at(v, "id"));
}

#define DIGESTS(nested)                                                                            \
    "{\"@odata.type\":\"microsoft.graph.mailSearchFolder\",\"displayName\":\"Digests\","           \
    "\"includeNestedFolders\":" nested                                                             \
    ",\"sourceFolderIds\":[\"inbox\"],\"filterQuery\":\"contains(subject, 'weekly digest')\"}"

static void a_search_folder_shows_what_it_finds(void **state)
{
    put_mail();
    const char *id = make_search("searchfolders", DIGESTS("true"));
    const struct json *v = ol_get(BOB, 200, "/mailFolders/%s", id);
    assert_string_equal(json_get_str(v, "@odata.type"), "#microsoft.graph.mailSearchFolder");
    assert_string_equal(members(v, ""),
                        "@odata.context @odata.type id displayName parentFolderId childFolderCount "
                        "unreadItemCount totalItemCount sizeInBytes isHidden isSupported "
                        "includeNestedFolders sourceFolderIds filterQuery");
    assert_true(true_at(v, "isSupported"));
    assert_string_equal(text_at(v, "filterQuery"), "contains(subject, 'weekly digest')");
    assert_string_equal(json_to_text(&test_arena, value_at(v, "totalItemCount")), "2");
    assert_string_equal(json_to_text(&test_arena, value_at(v, "unreadItemCount")), "2");
    v = ol_get(BOB, 200, "/mailFolders/%s/messages", id);
    assert_string_equal(column(v, "value", "subject"), "A weekly digest Weekly digest");
    const char *newest = arena_strdup(&test_arena, text_at(v, "value.0.id"));
    v = ol_get(BOB, 200, "/mailFolders/%s/messages?$top=1&$count=true", id);
    assert_string_equal(column(v, "value", "subject"), "A weekly digest");
    assert_string_equal(json_to_text(&test_arena, json_get(v, "@odata.count")), "2");
    v = ol_get(BOB, 200, "/mailFolders/%s/messages?$top=1&$skip=1", id);
    assert_string_equal(column(v, "value", "subject"), "Weekly digest");
    ol_get(BOB, 200, "/mailFolders/%s/messages/$count", id);
    assert_string_equal(test_body, "2");
    ol_do(BOB, "PATCH", ol_text("/mailFolders/%s/messages/%s", id, newest), "{'isRead':true}", 200);
    v = ol_get(BOB, 200, "/mailFolders/%s/messages?$filter=isRead%%20eq%%20false", id);
    assert_string_equal(column(v, "value", "subject"), "Weekly digest");
    v = ol_get(BOB, 200, "/mailFolders/%s", id);
    assert_string_equal(json_to_text(&test_arena, value_at(v, "unreadItemCount")), "1");
    v = ol_get(BOB, 200, "/mailFolders/%s/messages?$search=%%22one%%22", id);
    assert_string_equal(column(v, "value", "subject"), "Weekly digest");
    ol_send(CYD, BOB, "The weekly digest", "four");
    v = ol_get(BOB, 200, "/mailFolders/searchfolders/childFolders");
    assert_string_equal(json_to_text(&test_arena, value_at(v, "value.0.totalItemCount")), "3");
    ol_do(BOB, "PATCH", ol_text("/mailFolders/%s", id),
          "{'includeNestedFolders':false,'displayName':'Fewer'}", 200);
    v = ol_get(BOB, 200, "/mailFolders/%s/messages", id);
    assert_string_equal(column(v, "value", "subject"), "The weekly digest A weekly digest");
    ol_do(BOB, "POST", ol_text("/mailFolders/%s/permanentDelete", id), NULL, 204);
    ol_get(BOB, 404, "/mailFolders/%s/messages", id);
    assert_int_equal(count_at(ol_get(BOB, 200, "/mailFolders/inbox/messages"), "value"), 3);
}

static void nothing_can_be_put_into_a_search_folder(void **state)
{
    put_mail();
    const char *id = make_search("inbox", DIGESTS("false"));
    ol(BOB, "POST", ol_text("/mailFolders/%s/messages", id), "{'subject':'x'}");
    ol_refused(400, "ErrorInvalidOperation", NULL);
    ol(BOB, "POST", ol_text("/mailFolders/%s/childFolders", id), "{'displayName':'x'}");
    ol_refused(400, "ErrorInvalidOperation", NULL);
    ol(BOB, "POST", ol_text("/messages/%s/move", ol_newest(BOB, "inbox")),
       ol_text("{'destinationId':'%s'}", id));
    ol_refused(400, "ErrorInvalidOperation", NULL);
    ol(BOB, "GET", ol_text("/mailFolders/%s/messages/delta", id), NULL);
    ol_refused(400, "ErrorInvalidOperation", NULL);
    static const char *const wrong[] = {
        "{'@odata.type':'microsoft.graph.mailSearchFolder','displayName':'a','filterQuery':'isRead "
        "eq true'}",
        "{'@odata.type':'microsoft.graph.mailSearchFolder','displayName':'b','sourceFolderIds':[],"
        "'filterQuery':'isRead eq true'}",
        "{'@odata.type':'microsoft.graph.mailSearchFolder','displayName':'c','sourceFolderIds':["
        "'inbox']}",
        "{'@odata.type':'microsoft.graph.mailSearchFolder','displayName':'d','sourceFolderIds':["
        "'nonsense'],'filterQuery':'isRead eq true'}",
        "{'@odata.type':'microsoft.graph.mailSearchFolder','displayName':'e','sourceFolderIds':["
        "'inbox'],'filterQuery':'isRead eq'}",
        "{'@odata.type':'microsoft.graph.mailSearchFolder','displayName':'f','sourceFolderIds':["
        "'inbox'],'filterQuery':'nonsense eq 1'}",
    };
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        ol(BOB, "POST", "/mailFolders/inbox/childFolders", wrong[i]);
        if (test_status != 400)
            fail_msg("%s: %d %s", wrong[i], test_status, test_body);
    }
    ol(BOB, "POST", "/mailFolders/inbox/childFolders",
       ol_text("{'@odata.type':'microsoft.graph.mailSearchFolder','displayName':'g',"
               "'sourceFolderIds':['%s'],'filterQuery':'isRead eq true'}",
               id));
    ol_refused(400, "ErrorInvalidArgument", NULL);
    const struct json *v = ol_get(BOB, 200, "/mailFolders/inbox/childFolders");
    assert_string_equal(column(v, "value", "displayName"), "Digests Plans");
}

static void a_search_folder_outlives_its_sources(void **state)
{
    const char *plans = made("/mailFolders/inbox/childFolders", "Plans");
    const char *id = text_at(
        ol_do(BOB, "POST", "/mailFolders/searchfolders/childFolders",
              ol_text("{'@odata.type':'#microsoft.graph.mailSearchFolder','displayName':'New',"
                      "'sourceFolderIds':['%s'],'filterQuery':'isRead eq false'}",
                      plans),
              201),
        "id");
    ol_do(BOB, "POST", ol_text("/mailFolders/%s/permanentDelete", plans), NULL, 204);
    const struct json *v =
        ol_do(BOB, "PATCH", ol_text("/mailFolders/%s", id), "{'displayName':'Old'}", 200);
    assert_string_equal(text_at(v, "sourceFolderIds.0"), plans);
    assert_string_equal(json_to_text(&test_arena, value_at(v, "totalItemCount")), "0");
    ol(BOB, "PATCH", ol_text("/mailFolders/%s", id), "{'filterQuery':'isRead eq'}");
    assert_int_equal(test_status, 400);
}

static void a_dump_has_search_folders(void **state)
{
    put_mail();
    make_search("searchfolders", DIGESTS("true"));
    const struct json *dump = test_dump();
    const char *mail = json_to_text(&test_arena, json_get(dump, "mailboxes")),
               *outlook = json_to_text(&test_arena, json_get(dump, "outlook"));
    test_use(json_to_text(&test_arena, dump));
    dump = test_dump();
    assert_string_equal(json_to_text(&test_arena, json_get(dump, "mailboxes")), mail);
    assert_string_equal(json_to_text(&test_arena, json_get(dump, "outlook")), outlook);
    const struct json *v = ol_get(BOB, 200, "/mailFolders/searchfolders/childFolders");
    assert_string_equal(column(v, "value", "displayName"), "Digests");
    v = ol_get(BOB, 200, "/mailFolders/%s/messages", text_at(v, "value.0.id"));
    assert_string_equal(column(v, "value", "subject"), "A weekly digest Weekly digest");
}

static void a_document_names_sources_as_people_do(void **state)
{
    test_use(ol_text("%smailboxes:\n"
                     "  - person: bob@port.example\n"
                     "    vendor: microsoft\n"
                     "    folders: [{name: Digests, number: 4, parent: Inbox}]\n"
                     "    messages:\n"
                     "      - {from: cyd@port.example, to: [bob@port.example], subject: Weekly "
                     "digest, text: one}\n"
                     "outlook:\n"
                     "  - person: bob@port.example\n"
                     "    searchFolders: [{id: '4', sourceFolderIds: [Inbox], filterQuery: "
                     "\"contains(subject,'digest')\"}]\n",
                     ol_people));
    const struct json *v = ol_get(BOB, 200, "/mailFolders/inbox/childFolders");
    assert_string_equal(json_to_text(&test_arena, value_at(v, "value.0.totalItemCount")), "1");
}

static void folders_in_folders_are_reached_by_both(void **state)
{
    const char *plans = made("/mailFolders/inbox/childFolders", "Plans");
    const char *at = ol_text("/mailFolders/inbox/childFolders/%s", plans);
    const struct json *v = ol_get(BOB, 200, "%s", at);
    assert_string_equal(text_at(v, "displayName"), "Plans");
    ol_do(BOB, "POST", ol_text("%s/messages", at), "{'subject':'Draft'}", 201);
    v = ol_get(BOB, 200, "%s/messages?$select=subject", at);
    assert_string_equal(column(v, "value", "subject"), "Draft");
    assert_non_null(strstr(json_get_str(v, "@odata.context"),
                           ol_text("/mailFolders('inbox')/childFolders('%.40s", plans)));
    const char *id = ol_text("%s", text_at(v, "value.0.id"));
    v = ol_get(BOB, 200, "%s/messages/%s?$select=subject", at, id);
    assert_string_equal(text_at(v, "subject"), "Draft");
    ol_get(BOB, 404, "/mailFolders/drafts/childFolders/%s", plans);
    ol_get(BOB, 404, "/mailFolders/drafts/childFolders/%s/messages", plans);
    v = ol_get(BOB, 200, "%s/messages/delta?$select=subject", at);
    assert_string_equal(column(v, "value", "subject"), "Draft");
    ol_do(BOB, "PATCH", at, "{'displayName':'Ideas'}", 200);
    ol_do(BOB, "DELETE", at, NULL, 204);
    ol_get(BOB, 404, "%s", at);
}

static void folders_are_counted_and_expanded(void **state)
{
    made("/mailFolders/inbox/childFolders", "Plans");
    made("/mailFolders/inbox/childFolders", "Bills");
    ol_get(BOB, 200, "/mailFolders/inbox/childFolders/$count");
    assert_string_equal(test_body, "2");
    ol_get(BOB, 200, "/mailFolders/$count?$filter=displayName%%20eq%%20'Inbox'");
    assert_string_equal(test_body, "1");
    const struct json *v = ol_get(BOB, 200,
                                  "/mailFolders/inbox?$select=displayName&$expand=childFolders("
                                  "$select=displayName;$top=1)");
    assert_string_equal(column(v, "childFolders", "displayName"), "Bills");
    v = ol_get(BOB, 200, "/mailFolders/drafts?$expand=childFolders");
    assert_int_equal(count_at(v, "childFolders"), 0);
    v = ol_get(BOB, 200, "!/beta/me/mailFolders/inbox?$select=wellKnownName");
    assert_string_equal(text_at(v, "wellKnownName"), "inbox");
    ol_get(BOB, 400, "/mailFolders/inbox?$select=wellKnownName");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(a_delta_says_which_folders_have_changed),
        ol_test(a_delta_keeps_its_selection_and_its_mailbox),
        ol_test(a_search_folder_shows_what_it_finds),
        ol_test(nothing_can_be_put_into_a_search_folder),
        ol_test(a_search_folder_outlives_its_sources),
        ol_test(a_dump_has_search_folders),
        ol_test(a_document_names_sources_as_people_do),
        ol_test(folders_in_folders_are_reached_by_both),
        ol_test(folders_are_counted_and_expanded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
