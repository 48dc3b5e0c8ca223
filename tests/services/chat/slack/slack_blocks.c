/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that the reference shows are taken with all members that it names, and what history and
 * views show of them can be sent again. */
#include "tests/support/slack.h"
#include <string.h>

static const struct json *post(const char *blocks)
{
    return slack_json(ALICE, "chat.postMessage", "{'channel':'C0DEV','blocks':[%s]}", blocks);
}

static void posts(const char *blocks)
{
    const struct json *v = post(blocks);
    assert_slack(NULL);
    const struct json *shown = value_at(v, "message.blocks");
    const char *again = json_to_text(&test_arena, shown);
    v = slack_call("POST", "/api/chat.postMessage", "application/json; charset=utf-8",
                   slack_token(ALICE, NULL),
                   arena_printf(&test_arena, "{\"channel\":\"C0DEV\",\"blocks\":%s}", again));
    assert_slack(NULL);
    assert_string_equal(json_to_text(&test_arena, value_at(v, "message.blocks")), again);
}

static void refuses(const char *blocks, const char *message)
{
    const struct json *v = post(blocks);
    assert_slack("invalid_blocks");
    assert_string_equal(text_at(v, "errors.0"), message);
}

#define SECTION(element)                                                                           \
    "{'type':'rich_text','elements':[{'type':'rich_text_section','elements':[" element "]}]}"
#define ALL_STYLES                                                                                 \
    ",'style':{'bold':true,'italic':true,'strike':true,'highlight':true,'client_highlight':true,"  \
    "'underline':true,'unlink':true}"
#define NAMED ALL_STYLES ",'text':'t','url':'https://a.example'"
#define CITED(details)                                                                             \
    SECTION("{'type':'citation','url':'https://a.example','text':'1','index':1,'details':{"        \
            "'citation_type':" details "},'from_llm':true,'is_slack_url':false}")

static void elements_of_rich_text_have_their_members(void **state)
{
    static const char *const good[] = {
        SECTION("{'type':'text','text':'t'" ALL_STYLES "}"),
        SECTION("{'type':'link','from_llm':true,'is_slack_url':true,'truncated':false,'unsafe':"
                "true" NAMED "}"),
        SECTION("{'type':'user','user_id':'U0BOB','from_llm':false" ALL_STYLES "}"),
        SECTION("{'type':'channel','channel_id':'C0DEV','tab_id':'Ct1','from_llm':false" ALL_STYLES
                "}"),
        SECTION("{'type':'date','timestamp':1720710212,'format':'{date_num}','timezone':"
                "'Europe/Rome','url':'https://a.example','fallback':'f'" ALL_STYLES "}"),
        SECTION("{'type':'emoji','name':'wave','unicode':'1f44b','display_team_id':null,"
                "'display_url':null}"),
        SECTION("{'type':'tag','text':'In progress','color':'indigo'" ALL_STYLES "}"),
        SECTION("{'type':'file','file_id':'F1','is_skill_invocation':false" NAMED "}"),
        SECTION("{'type':'canvas','file_id':'F1','label':'l','hide_title':true,'section_id':'s',"
                "'is_skill_invocation':true" NAMED "}"),
        SECTION("{'type':'canvas_user_mention','user_id':'U0BOB','thread_id':'t'" ALL_STYLES "}"),
        SECTION("{'type':'canvas_message_unfurl','root_message_ts':'1.2','root_message_channel':"
                "'C0DEV'" ALL_STYLES "}"),
        SECTION("{'type':'list_record','file_id':'F1','record_id':'Rec1','view_id':'V1'" NAMED "}"),
        SECTION("{'type':'message_mention','channel_id':'C0DEV','message_ts':'1.2','author_id':"
                "'U0BOB','thread_ts':'1.1'" NAMED "}"),
        SECTION("{'type':'attachment_mention','app_id':'A1','entity_id':'E1','icon_url':'i',"
                "'channel_id':'C0DEV','ts':'1.2','full_size_preview_enabled':true,'icon_name':"
                "'sf-account','reference_object_type':'record','product_name':'p'" NAMED "}"),
        SECTION("{'type':'work_object_mention','entity_id':'E1','app_id':'A1','icon_url':'i',"
                "'full_size_preview_enabled':false,'product_name':'p'" NAMED "}"),
        SECTION("{'type':'workflow_mention','workflow_id':'Wf1','function_trigger_id':'Ft1',"
                "'channel_id':'C0DEV','ts':'1.2'" NAMED "}"),
        SECTION("{'type':'salesforce_data_field','salesforce_record_id':'001',"
                "'salesforce_field_label':'l','salesforce_field_api_name':'n',"
                "'salesforce_include_field_label':true" ALL_STYLES "}"),
        CITED("'file','descriptor':'d','file_id':'F1'"),
        CITED("'external','app_name':'a','app_icon_url':'i'"),
        CITED("'web','display_name':'d','title':'t','snippet':'s'"),
        CITED("'message','channel':'C0DEV','message_ts':'1.2'"),
        CITED("'memory','memory_id':'m'"),
    };
    for (size_t i = 0; i < SOSIA_LEN(good); i++)
        posts(good[i]);
    refuses(SECTION("{'type':'tag','text':'t','color':'pink'}"),
            "must be a valid enum value [json-pointer:/blocks/0/elements/0/elements/0/color]");
    refuses(SECTION("{'type':'message_mention','channel_id':'C0DEV'}"),
            "missing required field: message_ts [json-pointer:/blocks/0/elements/0/elements/0]");
    refuses(SECTION("{'type':'link','url':'https://a.example','from_llm':null}"),
            "must be a boolean [json-pointer:/blocks/0/elements/0/elements/0/from_llm]");
    refuses(SECTION("{'type':'citation','url':'u','text':'t','index':1}"),
            "missing required field: details [json-pointer:/blocks/0/elements/0/elements/0]");
    refuses("{'type':'rich_text','elements':[{'type':'rich_text_preformatted','elements':[{"
            "'type':'tag','text':'t'}]}]}",
            "unsupported type: tag [json-pointer:/blocks/0/elements/0/elements/0/type]");
}

#define CELL(of) "{'type':'action_cell','element':" of "}"
#define GO       "{'type':'button','text':{'type':'plain_text','text':'Go'},'action_id':'go'}"
#define DATA_TABLE(cell)                                                                           \
    "{'type':'data_table','caption':'c','rows':[[{'type':'raw_text','text':'h'}],[" cell "]]}"

static void cells_of_a_data_table_may_be_buttons(void **state)
{
    posts(DATA_TABLE("{'type':'action_cell','element':" GO
                     ",'fallback':{'type':'raw_text','text':'Open'}}"));
    posts(DATA_TABLE("{'type':'action_cell','element':" GO
                     ",'fallback':{'type':'raw_number','value':1,'text':'1'}}"));
    refuses(DATA_TABLE("{'type':'action_cell'}"),
            "missing required field: element [json-pointer:/blocks/0/rows/1/0]");
    refuses(DATA_TABLE(CELL("{'type':'datepicker'}")),
            "unsupported type: datepicker [json-pointer:/blocks/0/rows/1/0/element/type]");
    refuses(DATA_TABLE("{'type':'action_cell','element':" GO
                       ",'fallback':{'type':'rich_text','elements':[]}}"),
            "unsupported type: rich_text [json-pointer:/blocks/0/rows/1/0/fallback/type]");
    refuses("{'type':'table','rows':[[" CELL(GO) "]]}",
            "unsupported type: action_cell [json-pointer:/blocks/0/rows/0/0/type]");
}

static void tasks_have_icons(void **state)
{
#define ICON ",'icon':{'type':'icon','name':'rocket'},'hide_title':true"
    posts("{'type':'task_card','task_id':'t','title':'a','status':'complete'" ICON "}");
    posts("{'type':'plan','title':'p','tasks':[{'task_id':'t','title':'a'" ICON "}]}");
    refuses("{'type':'task_card','task_id':'t','title':'a','icon':{'type':'image','name':'x'}}",
            "must be a valid enum value [json-pointer:/blocks/0/icon/type]");
}

/* As clients of the service report: members that it adds itself are none of its schemas', and a
 * column without settings is an empty object, not null. */
static void what_the_service_refuses_stays_refused(void **state)
{
    refuses("{'type':'image','image_url':'https://a.example/a.png','alt_text':'a','fallback':"
            "'1x1px image'}",
            "invalid additional property: fallback [json-pointer:/blocks/0]");
    refuses("{'type':'table','column_settings':[null],'rows':[[{'type':'raw_text','text':'a'}]]}",
            "must provide an object [json-pointer:/blocks/0/column_settings/0]");
    posts("{'type':'table','column_settings':[{}],'rows':[[{'type':'raw_text','text':'a'}]]}");
}

/* In windows and pages alone. */
static void messages_have_no_rich_inputs(void **state)
{
#define RICH(in) "{'type':" in "{'type':'rich_text_input','action_id':'a'}"
#define INPUT    RICH("'input','label':{'type':'plain_text','text':'l'},'element':") "}"
    refuses(INPUT, "unsupported type: rich_text_input [json-pointer:/blocks/0/element/type]");
    refuses(RICH("'actions','elements':[") "]}",
            "unsupported type: rich_text_input [json-pointer:/blocks/0/elements/0/type]");
    slack_json(BOT, "views.publish", "{'user_id':'U0ALICE','view':{'type':'home','blocks':[%s]}}",
               INPUT);
    assert_slack(NULL);
}

/* What history and payloads show of one has no type. */
static void attachments_show_no_type(void **state)
{
    const struct json *v =
        slack_json(BOT, "chat.postMessage",
                   "{'channel':'C0DEV','text':'x','attachments':[{'text':'a','callback_id':'c',"
                   "'attachment_type':'default','fallback':'f'}]}");
    assert_string_equal(text_at(v, "message.attachments.0.callback_id"), "c");
    assert_null(value_at(v, "message.attachments.0.attachment_type"));
    assert_string_equal(text_at(v, "message.attachments.0.text"), "a");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(elements_of_rich_text_have_their_members),
        slack_test(cells_of_a_data_table_may_be_buttons),
        slack_test(tasks_have_icons),
        slack_test(what_the_service_refuses_stays_refused),
        slack_test(messages_have_no_rich_inputs),
        slack_test(attachments_show_no_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
