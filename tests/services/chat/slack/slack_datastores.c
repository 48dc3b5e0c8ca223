/* SPDX-License-Identifier: Apache-2.0 */
/* Datastores of apps: what is put in, and found by expressions. */
#include "engine/base/err.h"
#include "tests/support/slack.h"

static const char APP[] =
    "chatApps:\n"
    "  - client_id: '1.2'\n"
    "    settings:\n"
    "      hosted: true\n"
    "      datastores:\n"
    "        tunes:\n"
    "          primary_key: id\n"
    "          time_to_live_attribute: until\n"
    "          attributes: {id: {type: string}, song: {type: string}, plays: {type: integer},\n"
    "            live: {type: boolean}, tags: {type: array}, by: {type: 'slack#/types/user_id'},\n"
    "            until: {type: 'slack#/types/timestamp'}}\n"
    "datastoreItems:\n"
    "  - {app: '1.2', datastore: tunes, id: a, item: {id: a, song: Alabama, plays: 4, live: true,\n"
    "      tags: [slow, old], of: {year: 1963}}}\n"
    "  - {app: '1.2', datastore: tunes, id: b, item: {id: b, song: Blue Train, plays: 12}}\n"
    "  - {app: '1.2', datastore: tunes, id: c, item: {id: c, song: Alfie, plays: 7, tags: "
    "[slow]}}\n";

/* A call of the app's bot; more: the arguments beside the datastore. */
__attribute__((format(printf, 2, 3))) static const struct json *does(const char *method,
                                                                     const char *more, ...)
{
    va_list ap;
    va_start(ap, more);
    const char *text = message_text(&test_arena, more, ap);
    va_end(ap);
    return slack_json(BOT, arena_printf(&test_arena, "apps.datastore.%s", method),
                      "{'datastore':'tunes',%s}", text);
}

static void items_are_put_and_taken(void **state)
{
    slack_use_with(APP);
    const struct json *v = does("put", "'item':{'song':'Naima','id':'d','plays':1,'x':[1.5]}");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "datastore"), "tunes");
    assert_string_equal(json_to_text(&test_arena, value_at(v, "item")),
                        "{\"song\":\"Naima\",\"id\":\"d\",\"plays\":1,\"x\":[1.5]}");
    /* An update keeps what it does not name; putting does not. */
    v = does("update", "'item':{'id':'d','plays':2,'live':false}");
    assert_string_equal(json_to_text(&test_arena, value_at(v, "item")),
                        "{\"song\":\"Naima\",\"id\":\"d\",\"plays\":2,\"x\":[1.5],\"live\":false}");
    does("put", "'item':{'id':'d'}");
    v = does("get", "'id':'d'");
    assert_string_equal(json_to_text(&test_arena, value_at(v, "item")), "{\"id\":\"d\"}");
    does("update", "'item':{'id':'e','song':'New'}");
    assert_slack(NULL);
    does("delete", "'id':'d'");
    assert_slack(NULL);
    v = does("get", "'id':'d'");
    assert_slack(NULL);
    assert_string_equal(json_to_text(&test_arena, value_at(v, "item")), "{}");
    does("delete", "'id':'d'");
    assert_slack(NULL);
    const char *before = json_to_text(&test_arena, test_dump());
    test_use(before);
    assert_string_equal(json_to_text(&test_arena, test_dump()), before);
}

static void many_at_once(void **state)
{
    slack_use_with(APP);
    const struct json *v = does("bulkPut", "'items':[{'id':'x','plays':1},{'id':'y'}]");
    assert_slack(NULL);
    assert_int_equal(value_at(v, "failed_items")->n, 0);
    v = does("bulkGet", "'ids':['y','none','x']");
    assert_string_equal(column(v, "items", "id"), "y x");
    /* One that is not good leaves all out. */
    does("bulkPut", "'items':[{'id':'z'},{'id':'w','plays':'many'}]");
    assert_slack("datastore_error");
    does("bulkPut", "'items':[{'id':'z'},{'id':'z'}]");
    assert_slack("datastore_error");
    v = does("bulkGet", "'ids':['z','w']");
    assert_int_equal(value_at(v, "items")->n, 0);
    does("bulkDelete", "'ids':['x','y','none']");
    assert_slack(NULL);
    v = does("count", "'expression':''");
    assert_int_equal(number_at(v, "count"), 3);
    does("bulkDelete", "'ids':[]");
    assert_slack("invalid_arguments");
    does("bulkGet", "'ids':%s",
         "['1','2','3','4','5','6','7','8','9','10','11','12','13','14','15','16','17','18','19',"
         "'20','21','22','23','24','25','26']");
    assert_slack("invalid_arguments");
    does("bulkGet", "'ids':[7]");
    assert_slack("invalid_arguments");
}

/* Whom an expression finds. */
static const char *found(const char *expression)
{
    const struct json *v =
        does("query",
             "'expression':'%s','expression_attributes':{'#p':'plays','#s':'song','#o':'of'},"
             "'expression_values':{':n':7,':m':4,':t':'Al','#':1,':yes':true,':slow':'slow',"
             "':song':'Alfie',':f':7.0,':none':null,':list':['slow','old'],':S':'S'}",
             expression);
    assert_slack(NULL);
    return column(v, "items", "id");
}

static void expressions_find(void **state)
{
    static const struct {
        const char *expression, *found;
    } rows[] = {
        {"#p = :n", "c"},
        {"plays = :f", "c"},
        {"#p <> :n", "a b"},
        {"#p < :n", "a"},
        {"#p <= :n", "a c"},
        {"#p > :n", "b"},
        {"#p >= :n", "b c"},
        {"#p BETWEEN :m AND :n", "a c"},
        {"#p in (:m, :n)", "a c"},
        {"song = :song", "c"},
        {"#s > :song", "b"},
        {"#s < :n", ""}, /* of another type */
        {"begins_with(#s, :t)", "a c"},
        {"contains(tags, :slow)", "a c"},
        {"contains(#s, :t)", "a c"},
        {"tags = :list", "a"},
        {"tags[1] = :slow", ""},
        {"tags[0] = :slow", "a c"},
        {"#o.year > :n", "a"},
        {"attribute_exists(live)", "a"},
        {"attribute_not_exists(tags)", "b"},
        {"attribute_type(#s, :S)", "a b c"},
        {"live = :yes", "a"},
        {"live <> :yes", "b c"},
        {"size(#s) = :n", "a"},
        {"size(tags) < :m", "a c"},
        {"not live = :yes and #p = :n", "c"},
        {"not (live = :yes or #p = :n)", "b"},
        {"live = :yes or #p = :n and #s = :song", "a c"},
        {"(live = :yes or #p = :n) and #s = :song", "c"},
        {"NOT NOT begins_with(#s,:t)AND(#p=:m)", "a"},
        {"live = :none", ""},
    };
    slack_use_with(APP);
    for (size_t i = 0; i < SOSIA_LEN(rows); i++)
        if (strcmp(found(rows[i].expression), rows[i].found) != 0)
            fail_msg("%s finds %s", rows[i].expression, found(rows[i].expression));
    const struct json *v = does("count", "'expression':'plays > :n','expression_values':{':n':4}");
    assert_int_equal(number_at(v, "count"), 2);
}

static void bad_expressions_are_refused(void **state)
{
    static const char *const bad[] = {
        "#p",
        "= :n",
        "#p = :nothing",
        "#no = :n",
        "#p = ",
        "#p = :n and",
        "(#p = :n",
        "#p = :n)",
        "#p between :n",
        "#p in ()",
        "tags[x] = :n",
        "tags[] = :n",
        "contains(#p)",
        "x(#p, :n)",
        "size(#p",
        "#p = :n :n",
        "not",
        "#p.. = :n",
        ".",
    };
    slack_use_with(APP);
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const struct json *v = does("query",
                                    "'expression':'%s','expression_attributes':{'#p':'plays'},"
                                    "'expression_values':{':n':7}",
                                    bad[i]);
        if (!text_at(v, "error") || strcmp(text_at(v, "error"), "datastore_error") != 0)
            fail_msg("%s is taken", bad[i]);
        assert_string_equal(text_at(v, "errors.0.pointer"), "/expression");
    }
    char deep[300] = "";
    for (int i = 0; i < 100; i++)
        strcat(deep, "(");
    does("query", "'expression':'%s'", deep);
    assert_slack("datastore_error");
    does("query", "'expression':'a = :n','expression_values':[1]");
    assert_slack("invalid_arguments");
    const char *longest = slack_form("{n5000}");
    does("query", "'expression':'%s'", longest);
    assert_slack("datastore_error");
}

static void pages_go_on(void **state)
{
    slack_use_with(APP);
    const struct json *v = does("query", "'limit':2");
    assert_string_equal(column(v, "items", "id"), "a b");
    const char *next = text_at(v, "response_metadata.next_cursor");
    v = does("query", "'limit':2,'cursor':'%s'", next);
    assert_string_equal(column(v, "items", "id"), "c");
    assert_string_equal(text_at(v, "response_metadata.next_cursor"), "");
    /* What is looked at is counted, not what is found. */
    v = does("query", "'limit':1,'expression':'plays > :n','expression_values':{':n':7}");
    assert_int_equal(value_at(v, "items")->n, 0);
    assert_true(*text_at(v, "response_metadata.next_cursor"));
    does("query", "'cursor':'x'");
    assert_slack("invalid_cursor");
}

static void items_end(void **state)
{
    slack_use_with(APP);
    does("put", "'item':{'id':'t','song':'Short','until':1771185660}"); /* in a minute */
    assert_slack(NULL);
    assert_string_equal(text_at(does("get", "'id':'t'"), "item.song"), "Short");
    test_advance(61);
    assert_int_equal(value_at(does("get", "'id':'t'"), "item")->n, 0);
    assert_string_equal(column(does("query", "'limit':9"), "items", "id"), "a b c");
}

static void types_are_held(void **state)
{
    static const char *const bad[] = {
        "{'song':'x'}",
        "{'id':7}",
        "{'id':''}",
        "{'id':'x','plays':'4'}",
        "{'id':'x','plays':1.5}",
        "{'id':'x','live':'true'}",
        "{'id':'x','tags':{}}",
        "{'id':'x','song':null}",
        "{'id':'x','by':4}",
    };
    slack_use_with(APP);
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        does("put", "'item':%s", bad[i]);
        assert_slack("datastore_error");
        does("update", "'item':%s", bad[i]);
        assert_slack("datastore_error");
    }
    does("put", "'item':[]");
    assert_slack("invalid_arguments");
    does("put", "'item':{'id':'%s'}", slack_form("{n2049}"));
    assert_slack("datastore_error");
    const struct json *v = does("put", "'item':{'id':'x','plays':'4'}");
    assert_string_equal(text_at(v, "errors.0.pointer"), "/item/plays");
    assert_string_equal(text_at(v, "errors.0.message"), "must provide an integer");
}

static void apps_have_their_own(void **state)
{
    slack_use_with(APP);
    const struct json *v = slack_json(BOT, "apps.datastore.get", "{'datastore':'no','id':'a'}");
    assert_slack("datastore_error");
    assert_string_equal(text_at(v, "errors.0.code"), "datastore_config_not_found");
    assert_string_equal(text_at(v, "errors.0.pointer"), "/datastores");
    slack_json(BOT, "apps.datastore.get", "{'datastore':'a b','id':'a'}");
    assert_slack("invalid_datastore");
    does("get", "'id':'a','app_id':'A0OTHER'");
    assert_slack("invalid_app_id");
    does("get", "'id':'a','app_id':'A0DEPLOY'");
    assert_slack(NULL);
    slack_json(ALICE, "apps.datastore.get", "{'datastore':'tunes','id':'a'}");
    assert_slack("not_allowed_token_type");
    slack_scoped(BOT, "datastore:read", "apps.datastore.put", "datastore=tunes&item={}");
    assert_slack("missing_scope");
    slack_use_with("chatApps: [{client_id: '1.2', settings: {}}]\n");
    does("get", "'id':'a'");
    assert_slack("app_not_hosted");
}

/* A manifest says it all. */
static void manifests_declare_datastores(void **state)
{
    slack_use_with(
        "chatApps:\n"
        "  - client_id: '1.2'\n"
        "    manifest:\n"
        "      display_information: {name: Deployer}\n"
        "      oauth_config: {scopes: {bot: ['datastore:read', 'datastore:write']}}\n"
        "      settings: {function_runtime: slack}\n"
        "      datastores: {tunes: {primary_key: name, attributes: {name: {type: string}}}}\n");
    does("put", "'item':{'name':'x'}");
    assert_slack(NULL);
    assert_string_equal(text_at(does("get", "'id':'x'"), "item.name"), "x");
    const struct json *v = slack_configure(
        ALICE, "apps.manifest.validate",
        "{'manifest':{'display_information':{'name':'X'},'datastores':{'t':{'primary_key':'no',"
        "'attributes':{'id':{'type':'string'}}}}}}");
    assert_slack("invalid_manifest");
    assert_string_equal(text_at(v, "errors.0.pointer"), "/datastores/t/primary_key");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(items_are_put_and_taken),
        slack_test(many_at_once),
        slack_test(expressions_find),
        slack_test(bad_expressions_are_refused),
        slack_test(pages_go_on),
        slack_test(items_end),
        slack_test(types_are_held),
        slack_test(apps_have_their_own),
        slack_test(manifests_declare_datastores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
