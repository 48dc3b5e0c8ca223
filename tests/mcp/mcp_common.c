/* SPDX-License-Identifier: Apache-2.0 */
/* The tools that are listed where nobody asks for a set: few enough, short enough, and still all
 * that a call requires; the others can be called by their names. And what a refusal says. */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"
#include "engine/json/json.h"

#define ADA "ada@acme.example"

#define MOST_TOOLS 127
#define MOST_BYTES (8000 * 4) /* 8,000 tokens, at 4 bytes each, of the list as a client gets it */

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-03-12T08:00:00Z\n"
    "zone: Europe/Rome\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada Ames}\n"
    "  - {handle: deploybot, kind: bot, name: Deploybot}\n"
    "apps: [{client_id: '1.2', client_secret: hush, name: Deployer, vendor: slack, bot: "
    "deploybot}]\n"
    "workspaces:\n"
    "  - id: T0ACME\n"
    "    domain: acme\n"
    "    name: Acme\n"
    "    members:\n"
    "      - {actor: ada@acme.example, id: U0ADA, name: ada, role: owner}\n"
    "      - {actor: deploybot, id: U0DEPLOY, name: deploybot}\n"
    "    apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY}]\n"
    "channels:\n"
    "  - {id: C0GENERAL1, name: general, general: true, creator: U0ADA}\n"
    "files:\n"
    "  - {id: 1Notes, name: Notes, type: document, owner: ada@acme.example, content: \"Nothing "
    "yet.\\n\"}\n";

static int set_up(void **state)
{
    return test_open(doc);
}

static int tear_down(void **state)
{
    return test_close();
}

static const char *const endpoints[] = {"/mcp", "/mcp/calendar", "/mcp/gmail", "/mcp/drive",
                                        "/mcp/slack"};

static const struct json *list_of(const char *who, const char *path)
{
    return json_get(json_get(mcp_ask(who, path, "tools/list", "{}"), "result"), "tools");
}

static const struct json *find_tool(const struct json *tools, const char *name)
{
    for (uint32_t i = 0; i < tools->n; i++)
        if (strcmp(json_get_str(&tools->items[i], "name"), name) == 0)
            return &tools->items[i];
    return NULL;
}

/* ---- the list ---- */

static void a_list_by_default_is_short(void **state)
{
    static const char *const people[] = {ADA, "deploybot"};
    for (size_t k = 0; k < SOSIA_LEN(people); k++)
        for (size_t i = 0; i < SOSIA_LEN(endpoints); i++) {
            const struct json *tools = list_of(people[k], endpoints[i]);
            print_message("%s %s: %u tools, %zu bytes\n", people[k], endpoints[i], tools->n,
                          test_len);
            assert_true(tools->n <= MOST_TOOLS);
            assert_true(test_len <= MOST_BYTES);
            assert_true(k || tools->n >= 8);
        }
    assert_true(list_of(ADA, "/mcp?tools=native")->n > MOST_TOOLS);
    assert_true(test_len > MOST_BYTES);
}

static void it_is_a_part_of_the_native_set(void **state)
{
    const struct json *common = list_of(ADA, "/mcp"), *native = list_of(ADA, "/mcp?tools=native");
    assert_string_equal(mcp_names(ADA, "/mcp?tools=common"), mcp_names(ADA, "/mcp"));
    for (uint32_t i = 0; i < common->n; i++)
        assert_non_null(find_tool(native, json_get_str(&common->items[i], "name")));
}

static bool requires(const struct json *tool, const char *name)
{
    const struct json *list = json_get(json_get(tool, "inputSchema"), "required");
    for (uint32_t i = 0; list && i < list->n; i++)
        if (strcmp(list->items[i].str, name) == 0)
            return true;
    return false;
}

/* Whatever is required of it natively is so here, and is shown. */
static void it_requires_the_same(void **state)
{
    const struct json *common = list_of(ADA, "/mcp"), *native = list_of(ADA, "/mcp?tools=native");
    for (uint32_t i = 0; i < common->n; i++) {
        const struct json *t = &common->items[i];
        const struct json *same = find_tool(native, json_get_str(t, "name"));
        const struct json *list = json_get(json_get(same, "inputSchema"), "required");
        for (uint32_t k = 0; k < list->n; k++) {
            assert_true(requires(t, list->items[k].str));
            assert_non_null(
                json_get(json_get(json_get(t, "inputSchema"), "properties"), list->items[k].str));
        }
    }
    const struct json *insert = find_tool(common, "calendar_events_insert");
    assert_at(insert, "inputSchema.properties.body.properties.start.properties.dateTime.type",
              "string");
    assert_at(insert, "inputSchema.properties.body.required.0", "end");
}

/* What is not in the list, but in the native one. */
static void others_can_be_called(void **state)
{
    assert_null(find_tool(list_of(ADA, "/mcp"), "calendar_colors_get"));
    mcp_says(ADA, "/mcp", "calendar_colors_get", "{}", "calendar#colors");
    mcp_says(ADA, "/mcp?tools=native", "calendar_colors_get", "{}", "calendar#colors");
    assert_int_equal(mcp_code(mcp_ask(ADA, "/mcp?tools=hosted", "tools/call",
                                      "{\"name\":\"calendar_colors_get\",\"arguments\":{}}")),
                     -32602);
    assert_int_equal(mcp_code(mcp_ask(ADA, "/mcp?risk=read", "tools/call",
                                      "{\"name\":\"calendar_events_insert\",\"arguments\":{}}")),
                     -32602);
}

/* ---- what is required ---- */

/* A call without one of the arguments that its schema requires is refused, and names it. */
static void what_a_schema_requires_is_required(void **state)
{
    const struct json *tools = list_of(ADA, "/mcp?tools=native");
    unsigned bodies = 0, fields = 0;
    for (uint32_t i = 0; i < tools->n; i++) {
        const struct json *t = &tools->items[i];
        bodies += requires(t, "body");
        fields += requires(t, "fields");
    }
    assert_int_equal(fields, 9);  /* about, and what is said about files */
    assert_int_equal(bodies, 60); /* of 77 that take one */
    mcp_refuse(ADA, "/mcp", "drive_about_get", "{}", "fields");
    mcp_says(ADA, "/mcp", "drive_about_get", "{'fields':'kind'}", "drive#about");
    mcp_refuse(ADA, "/mcp", "drive_comments_list", "{'fileId':'1Notes'}", "fields");
    mcp_refuse(ADA, "/mcp", "gmail_users_labels_create", "{'userId':'me'}", "body is required");
    mcp_refuse(ADA, "/mcp", "gmail_users_settings_updateLanguage", "{'userId':'me'}",
               "body is required");
    assert_true(requires(find_tool(tools, "calendar_events_insert"), "body"));
    assert_false(requires(find_tool(tools, "drive_files_create"), "body"));
}

/* ---- refusals ---- */

static void a_refusal_names_the_member(void **state)
{
#define EVENT(start)                                                                               \
    "{'calendarId':'primary','body':{'start':" start ",'end':{'dateTime':'2026-03-16T11:00:00Z'}}" \
    "}"
    mcp_refuse(ADA, "/mcp", "calendar_events_insert", EVENT("{'dateTime':'tomorrow'}"),
               "body.start.dateTime");
    mcp_refuse(ADA, "/mcp", "calendar_events_insert", EVENT("{'dateTime':{}}"),
               "body.start.dateTime must be ");
    mcp_refuse(ADA, "/mcp", "calendar_events_insert",
               "{'calendarId':'primary','body':{'attendees':[{'email':'a@b.example'},{'email':'b@b."
               "example','responseStatus':'maybe'}],'start':{'date':'2026-03-16'},'end':{'date':"
               "'2026-03-17'}}}",
               "body.attendees[1].responseStatus");
    mcp_refuse(ADA, "/mcp", "calendar_acl_insert", "{'calendarId':'primary','body':{'scope':3}}",
               "body.scope must be ");
    mcp_refuse(ADA, "/mcp", "gmail_users_messages_modify",
               "{'userId':'me','id':'1','body':{'addLabelIds':[{}]}}", "add_label_ids");
    mcp_refuse(ADA, "/mcp", "drive_permissions_create",
               "{'fileId':'1Notes','body':{'type':'everybody','role':'reader'}}", "body.type");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_list_by_default_is_short),
        TEST(it_is_a_part_of_the_native_set),
        TEST(it_requires_the_same),
        TEST(others_can_be_called),
        TEST(what_a_schema_requires_is_required),
        TEST(a_refusal_names_the_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
