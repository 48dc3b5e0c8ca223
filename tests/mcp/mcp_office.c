/* SPDX-License-Identifier: Apache-2.0 */
/* The hosted tools of OneDrive and of Teams, and native ones whose methods carry the content of
 * files: each is called, what it gives has the documented shape, and Graph then shows what it did.
 */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"

#define ADA    "ada@port.example"
#define BOB    "bob@port.example"
#define HOSTED "/mcp?tools=hosted"
#define NATIVE "/mcp?tools=native"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: port.example, name: Port}]\n"
    "people: [{email: ada@port.example, name: Ada Ames}, {email: bob@port.example, name: Bob "
    "Stone}]\n"
    "accounts:\n"
    "  - {actor: ada@port.example, vendor: microsoft}\n"
    "  - {actor: bob@port.example, vendor: microsoft}\n"
    "microsoftUsers: [{actor: ada@port.example, admin: true}]\n"
    "groups: [{email: crew@port.example, name: Crew, members: [ada@port.example]}]\n"
    "workspaces: [{domain: port.example, vendor: microsoft}]\n"
    "teams: [{workspace: port.example, name: Pier, members: [{user: ada@port.example, role: "
    "owner}, bob@port.example]}]\n"
    "channels:\n"
    "  - {workspace: port.example, kind: direct, members: [ada@port.example, bob@port.example]}\n"
    "files:\n"
    "  - {id: 01AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPA, name: Plans, type: folder, owner: "
    "ada@port.example}\n"
    "  - {id: 01AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPB, name: plan.txt, owner: ada@port.example, "
    "content: \"The plan: città\", parent: 01AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPA}\n"
    "  - {name: figures.bin, base64: AAEC/w==, owner: ada@port.example}\n"
    "  - {name: shared.txt, content: Ours, owner: bob@port.example, permissions: [{person: "
    "ada@port.example, role: reader}]}\n";

static int set_up(void **state)
{
    return test_open(doc);
}

static int tear_down(void **state)
{
    return test_close();
}

static const struct json *use(const char *tool, const char *arguments)
{
    const char *text = mcp_done(ADA, HOSTED, tool, arguments);
    return parsed(text, strlen(text));
}

static const struct json *graph(const char *who, const char *target)
{
    const struct sosia_header headers[] = {{"Host", "graph.microsoft.com"},
                                           {"Authorization", test_bearer(who, NULL)}};
    return test_request("GET", target, headers, 2, "", 0);
}

static const char *text_of(const struct json *v, const char *path)
{
    return arena_strdup(&test_arena, printed_at(v, path));
}

/* ---- OneDrive ---- */

static void the_sets_have_their_tools(void **state)
{
    assert_string_equal(
        mcp_names(ADA, "/mcp/onedrive?tools=hosted"),
        "onedrive_rename_item onedrive_move_item onedrive_delete_item onedrive_read_file_content "
        "onedrive_create_file onedrive_create_folder onedrive_list_root_files_folders "
        "onedrive_list_inside_folder onedrive_search_item_by_name onedrive_search_folder_by_name "
        "onedrive_get_item_by_id onedrive_list_shared_items");
    const struct json *v = mcp_ask(ADA, "/mcp/onedrive?tools=hosted", "tools/list", "{}");
    assert_at(v, "result.tools.0.annotations.category", "ONEDRIVE_ITEM");
    assert_at(v, "result.tools.4.inputSchema.required", "[\"parent_folder\",\"new_file_name\"]");
    assert_at(v, "result.tools.4.inputSchema.properties.if_exists.enum",
              "[\"error\",\"rename\",\"replace\"]");
    assert_at(v, "result.tools.5.inputSchema.properties.behavior.default", "fail");
    assert_at(v, "result.tools.7.annotations.readOnlyHint", "true");
}

static void files_are_listed_and_read(void **state)
{
    const struct json *v = use("onedrive_list_root_files_folders", "{}");
    assert_at(v, "status", "success");
    assert_at(v, "data.count", "2");
    assert_string_equal(column(v, "data.items", "name"), "figures.bin Plans");
    assert_at(v, "data.items.1.isFolder", "true");
    assert_at(v, "data.items.1.folderChildCount", "1");
    assert_at(v, "data.items.0.isFile", "true");
    v = use("onedrive_list_inside_folder",
            mcp_with("{'folder_id':'%'}", text_of(v, "data.items.1.itemId")));
    assert_string_equal(column(v, "data.items", "name"), "plan.txt");
    assert_at(v, "data.items.0.mimeType", "text/plain");
    assert_at(v, "data.items.0.parentName", "Plans");
    assert_at(v, "data.items.0.createdBy", "Ada Ames");
    assert_string_equal(mcp_done(ADA, HOSTED, "onedrive_read_file_content",
                                 mcp_with("{'file_id':'%'}", text_of(v, "data.items.0.itemId"))),
                        "The plan: città");
    v = use("onedrive_get_item_by_id", "{'item_id':'01AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPB'}");
    assert_at(v, "item.name", "plan.txt");
    v = use("onedrive_search_item_by_name", "{'itemname':'plan'}");
    assert_non_null(strstr(column(v, "data.items", "name"), "plan.txt"));
    v = use("onedrive_search_folder_by_name", "{'folder_name':'plans'}");
    assert_string_equal(column(v, "folders", "name"), "Plans");
    assert_at(v, "count", "1");
    v = use("onedrive_list_shared_items", "{}");
    assert_string_equal(column(v, "sharedItems", "name"), "shared.txt");
    assert_at(v, "sharedItems.0.isFile", "true");
    v = use("onedrive_list_root_files_folders", "{}");
    mcp_refuse(ADA, HOSTED, "onedrive_read_file_content",
               mcp_with("{'file_id':'%'}", text_of(v, "data.items.0.itemId")), "is not a text");
    mcp_refuse(ADA, HOSTED, "onedrive_read_file_content", "{'file_id':'x'}", "40");
}

static void files_are_made_moved_and_deleted(void **state)
{
    const struct json *v = use("onedrive_create_file",
                               "{'parent_folder':'root','new_file_name':'a b.txt','data':'one'}");
    assert_at(v, "status", "success");
    assert_at(v, "file.name", "a b.txt");
    assert_at(v, "file.size", "3");
    const char *id = text_of(v, "file.itemId");
    mcp_refuse(ADA, HOSTED, "onedrive_create_file",
               "{'parent_folder':'root','new_file_name':'A B.txt','data':'two'}", "409");
    mcp_refuse(ADA, HOSTED, "onedrive_create_file",
               "{'parent_folder':'root','new_file_name':'a/b.txt'}", "must have no slash");
    v = use("onedrive_create_file",
            "{'parent_folder':'root','new_file_name':'a b.txt','data':'two',"
            "'if_exists':'rename'}");
    assert_at(v, "file.name", "a b 1.txt");
    v = use("onedrive_create_file", "{'parent_folder':'root','new_file_name':'a b.txt','data':"
                                    "'three','if_exists':'replace'}");
    assert_at(v, "file.itemId", id);
    assert_string_equal(
        mcp_done(ADA, HOSTED, "onedrive_read_file_content", mcp_with("{'file_id':'%'}", id)),
        "three");
    v = use("onedrive_create_folder", "{'parent_folder':'root','new_folder_name':'New'}");
    assert_at(v, "folder.isFolder", "true");
    mcp_refuse(ADA, HOSTED, "onedrive_create_folder",
               "{'parent_folder':'root','new_folder_name':'new'}", "409");
    v = use("onedrive_move_item", arena_printf(&test_arena, "{'item_id':'%s','new_parent_id':'%s'}",
                                               id, text_of(v, "folder.itemId")));
    assert_at(v, "item.parentName", "New");
    v = use("onedrive_rename_item", mcp_with("{'file_id':'%','new_name':'c.txt'}", id));
    assert_at(v, "item.name", "c.txt");
    assert_at(graph(ADA, "/v1.0/me/drive/root:/New/c.txt"), "size", "5");
    v = use("onedrive_delete_item", mcp_with("{'item_id':'%'}", id));
    assert_at(v, "status", "success");
    graph(ADA, "/v1.0/me/drive/root:/New/c.txt");
    assert_int_equal(test_status, 404);
}

/* The native tools of the same methods. */
static void contents_go_through_native_tools(void **state)
{
    const char *text = mcp_done(ADA, NATIVE, "onedrive_items_content_put",
                                "{'driveItem-id':'root','item-path':'n.bin','media':{'data':"
                                "'AAH/'}}");
    assert_at(parsed(text, strlen(text)), "size", "3");
    mcp_done(ADA, NATIVE, "onedrive_items_content_put",
             "{'item-path':'New/n.txt','media':{'text':'città'}}");
    assert_string_equal(
        mcp_done(ADA, NATIVE, "onedrive_items_content_get", "{'item-path':'New/n.txt'}"), "città");
    mcp_refuse(ADA, NATIVE, "onedrive_items_content_put", "{'item-path':'x'}", "media is required");
    mcp_refuse(ADA, NATIVE, "onedrive_items_content_put", "{'item-path':'x','media':{}}",
               "media must have either text or data");
}

/* ---- Teams ---- */

static void teams_are_listed_and_written_in(void **state)
{
    const struct json *v = mcp_ask(ADA, "/mcp/teams?tools=hosted", "tools/list", "{}");
    assert_at(v, "result.tools.0.annotations.title", "List All Teams");
    assert_at(v, "result.tools.3.annotations.destructiveHint", "true");
    v = use("msteams_list_all_teams", "{}");
    assert_string_equal(column(v, "value", "displayName"), "Pier"); /* the crew is a group alone */
    const char *team = text_of(v, "value.0.id");
    assert_at(v, "value.0.resourceProvisioningOptions", "[\"Team\"]");
    v = use("msteams_get_team", mcp_with("{'team_id':'%'}", team));
    assert_at(v, "displayName", "Pier");
    v = use("msteams_create_channel",
            mcp_with("{'team_id':'%','display_name':'Cargo','description':'Ships'}", team));
    assert_at(v, "membershipType", "standard");
    const char *channel = text_of(v, "id");
    v = use("msteams_list_channels", mcp_with("{'team_id':'%'}", team));
    assert_int_equal(count_at(v, "value"), 2);
    v = use("msteams_send_channel_message",
            arena_printf(&test_arena, "{'team_id':'%s','channel_id':'%s','message':'Late'}", team,
                         channel));
    assert_at(v, "body.content", "Late");
    v = graph(BOB, arena_printf(&test_arena, "/v1.0/teams/%s/channels/%s/messages", team, channel));
    assert_at(v, "value.0.body.content", "Late");
    v = use("msteams_list_chats", "{}");
    v = use("msteams_send_chat_message",
            mcp_with("{'chat_id':'%','message':'Hi'}", text_of(v, "value.0.id")));
    assert_at(v, "body.content", "Hi");
    v = use("msteams_list_users", "{}");
    assert_int_equal(count_at(v, "value"), 2);
    assert_at(use("msteams_get_user", "{'user_id':'" BOB "'}"), "displayName", "Bob Stone");
    mcp_refuse(ADA, HOSTED, "msteams_get_team", "{'team_id':'x'}", "40");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_sets_have_their_tools, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_are_listed_and_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_are_made_moved_and_deleted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(contents_go_through_native_tools, set_up, tear_down),
        cmocka_unit_test_setup_teardown(teams_are_listed_and_written_in, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
