/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that are sent: what is filled in, and what is pointed at. */
#include "tests/services/chat/slack/said.h"
#include <stdlib.h>

static void blocks_are_filled_in(void **state)
{
    const struct json *v =
        say("'blocks':[{'type':'section','text':{'type':'mrkdwn','text':'x'},'accessory':"
            "{'type':'button','text':{'type':'plain_text','text':'Go'},'action_id':'go'}},"
            "{'type':'divider','block_id':'d'}]");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "message.text"), "x");
    assert_false(true_at(v, "message.blocks.0.text.verbatim"));
    assert_non_null(value_at(v, "message.blocks.0.text.verbatim"));
    assert_true(true_at(v, "message.blocks.0.accessory.text.emoji"));
    assert_true(strlen(text_at(v, "message.blocks.0.block_id")) >= 3);
    assert_string_equal(text_at(v, "message.blocks.1.block_id"), "d");
}

/* What is wrong with a block: one line, or two of them. */
static void refuses_block(const char *blocks, const char *first, const char *second)
{
    const struct json *v = say("'blocks':[%s]", blocks);
    const char *lines[] = {first, second};
    assert_slack("invalid_blocks");
    assert_int_equal(count_at(v, "errors"), second ? 2 : 1);
    for (int i = 0; i < (second ? 2 : 1); i++) {
        const char *at = arena_printf(&test_arena, "response_metadata.messages.%d", i);
        assert_string_equal(text_at(v, at), arena_printf(&test_arena, "[ERROR] %s", lines[i]));
        assert_string_equal(text_at(v, arena_printf(&test_arena, "errors.%d", i)), lines[i]);
    }
}

#define PLAIN "{'type':'plain_text','text':'x'}"
#define MARK  "{'type':'mrkdwn','text':'x'}"

static void bad_blocks_are_pointed_at(void **state)
{
    static const char *const bad[][3] = {
        {"{'type':'section'}", "must define either `text` or `fields` [json-pointer:/blocks/0]"},
        {"{'type':'sektion'}", "unsupported type: sektion [json-pointer:/blocks/0/type]"},
        {"{}", "missing required field: type [json-pointer:/blocks/0]"},
        {"7", "must provide an object [json-pointer:/blocks/0]"},
        {"{'type':'section','text':{'type':'mrkdwn','text':'x','emoji':true}}",
         "failed to match all allowed schemas [json-pointer:/blocks/0/text]",
         "invalid additional property: emoji [json-pointer:/blocks/0/text]"},
        {"{'type':'section','fields':[{'type':'mrkdwn','text':''}]}",
         "failed to match all allowed schemas [json-pointer:/blocks/0/fields/0]",
         "must be more than 0 characters [json-pointer:/blocks/0/fields/0/text]"},
        {"{'type':'section','text':{'type':'markdown','text':'x'}}",
         "unsupported type: markdown [json-pointer:/blocks/0/text/type]"},
        {"{'type':'header','text':" MARK "}",
         "must be a valid enum value [json-pointer:/blocks/0/text/type]"},
        {"{'type':'actions','elements':[{'type':'button'}]}",
         "missing required field: text [json-pointer:/blocks/0/elements/0]"},
        {"{'type':'actions','elements':[{'type':'overflow','options':[{'value':'a','text':" MARK
         "}]}]}",
         "must be a valid enum value "
         "[json-pointer:/blocks/0/elements/0/options/0/text/type]"},
        {"{'type':'actions','elements':[{'type':'static_select','option_groups':[{'label':" PLAIN
         ",'options':[{'value':'a','text':" MARK "}]}]}]}",
         "must be a valid enum value "
         "[json-pointer:/blocks/0/elements/0/option_groups/0/options/0/text/type]"},
        {"{'type':'divider','block_id':'a'},{'type':'divider','block_id':'a'}",
         "`block_id` \"a\" already exists [json-pointer:/blocks/1/block_id]"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses_block(bad[i][0], bad[i][1], bad[i][2]);
    char *long_text = arena_alloc(&test_arena, 3002);
    memset(long_text, 'x', 3001);
    long_text[3001] = 0;
    const struct json *v =
        say("'blocks':[{'type':'section','text':{'type':'mrkdwn','text':'%s'}}]", long_text);
    assert_string_equal(text_at(v, "errors.1"),
                        "must be less than 3001 characters [json-pointer:/blocks/0/text/text]");
    say("'blocks':[{'type':'actions','elements':[{'type':'checkboxes','options':[{'value':'a',"
        "'text':{'type':'mrkdwn','text':'x'}}]}]}]");
    assert_slack(NULL);
    say("'blocks':'no json'");
    assert_slack("invalid_blocks_format");
    slack(ALICE, "chat.postMessage", "channel=" DEV "&blocks=[{\"type\":\"divider\"}]");
    assert_slack(NULL);
}

/* As clients of the service have seen it: a member that a schema does not have, or that is null,
 * makes it refuse the whole message. */
static void a_block_has_the_members_of_its_schema_alone(void **state)
{
#define ACT(of) "{'type':'actions','elements':[" of "]}"
#define OPT     "{'text':" PLAIN ",'value':'a'"
    static const char *const bad[][2] = {
        {ACT("{'type':'button','text':" PLAIN ",'disabled':true}"),
         "invalid additional property: disabled [json-pointer:/blocks/0/elements/0]"},
        {ACT("{'type':'button','text':" PLAIN ",'style':null}"),
         "must provide a string [json-pointer:/blocks/0/elements/0/style]"},
        {ACT("{'type':'button','text':" PLAIN ",'style':'default'}"),
         "must be a valid enum value [json-pointer:/blocks/0/elements/0/style]"},
        {ACT("{'type':'static_select','options':[" OPT ",'url':''}]}"),
         "invalid additional property: url [json-pointer:/blocks/0/elements/0/options/0]"},
        {ACT("{'type':'static_select','options':[" OPT ",'type':'option'}]}"),
         "invalid additional property: type [json-pointer:/blocks/0/elements/0/options/0]"},
        {ACT("{'type':'static_select','options':[]}"),
         "must provide at least 1 items [json-pointer:/blocks/0/elements/0/options]"},
        {ACT("{'type':'radio_buttons','options':[" OPT "}],'initial_option':null}"),
         "must provide an object [json-pointer:/blocks/0/elements/0/initial_option]"},
        {"{'type':'section','text':" MARK ",'block_id':null}",
         "must provide a string [json-pointer:/blocks/0/block_id]"},
        {"{'type':'section','text':" MARK ",'fields':null}",
         "must provide an array [json-pointer:/blocks/0/fields]"},
        {"{'type':'section','text':" MARK ",'accessory':null}",
         "must provide an object [json-pointer:/blocks/0/accessory]"},
        {"{'type':'divider','text':'x'}",
         "invalid additional property: text [json-pointer:/blocks/0]"},
        {"{'type':'rich_text','elements':[{'type':'rich_text_list','style':'bullet','elements':[{"
         "'type':'rich_text_section','style':'bullet','elements':[]}]}]}",
         "invalid additional property: style "
         "[json-pointer:/blocks/0/elements/0/elements/0]"},
        {"{'type':'table','rows':[[{'type':'raw_number'}]]}",
         "missing required field: value [json-pointer:/blocks/0/rows/0/0]"},
        {"{'type':'alert','text':" MARK "}",
         "unsupported type: alert [json-pointer:/blocks/0/type]"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses_block(bad[i][0], bad[i][1], NULL);
    const struct json *v =
        say("'blocks':[{'type':'carousel','elements':[{'type':'card','title':'x'}]}]");
    assert_int_equal(count_at(v, "errors"), 3);
    assert_string_equal(text_at(v, "errors.2"),
                        "must provide an object [json-pointer:/blocks/0/elements/0/title]");
}

static void an_element_is_where_its_kind_may_be(void **state)
{
#define BUTTON(id) "{'type':'button','text':" PLAIN ",'action_id':'" id "'}"
    static const char *const bad[][2] = {
        {"{'type':'context','elements':[" BUTTON("a") "]}",
         "unsupported type: button [json-pointer:/blocks/0/elements/0/type]"},
        {ACT(MARK), "unsupported type: mrkdwn [json-pointer:/blocks/0/elements/0/type]"},
        {"{'type':'section','text':" MARK ",'accessory':{'type':'plain_text_input'}}",
         "unsupported type: plain_text_input [json-pointer:/blocks/0/accessory/type]"},
        {"{'type':'input','label':" PLAIN ",'element':" BUTTON("a") "}",
         "unsupported type: button [json-pointer:/blocks/0/element/type]"},
        {"{'type':'container','title':" PLAIN ",'child_blocks':[{'type':'markdown','text':'x'}]}",
         "unsupported type: markdown [json-pointer:/blocks/0/child_blocks/0/type]"},
        {ACT(BUTTON("a") "," BUTTON("b") "," BUTTON("a")),
         "`action_id` \"a\" already exists [json-pointer:/blocks/0/elements/2/action_id]"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses_block(bad[i][0], bad[i][1], NULL);
    say("'blocks':[" ACT(BUTTON("a")) "," ACT(BUTTON("a")) "]");
    assert_slack(NULL);
    say("'blocks':[{'type':'container','title':" PLAIN ",'child_blocks':[" ACT(
        BUTTON("a")) "]},"
                     "{'type':'header','text':" PLAIN ",'level':2},{'type':'section','text':" MARK
                     ",'expand':true},{'type':'data_visualization','title':'t','chart':{'type':'"
                     "pie','segments':"
                     "[{'label':'a','value':1}]}},{'type':'table','column_settings':[{'align':'"
                     "right'}],'rows':"
                     "[[{'type':'raw_text','text':'a'},{'type':'rich_text','elements':[]}]]}]");
    assert_slack(NULL);
}

/* What history shows can be sent again. */
static void blocks_made_of_a_text_may_be_sent(void **state)
{
    const struct json *v =
        say("'text':'*b* _i_ ~s~ `c` <https://a.example|a> <@U0BOB> <#C0DEV> <!here> :wave: "
            "<!date^1^{date}|f> <!subteam^S1>\\n• a\\n• b\\n> q\\n```x```'");
    assert_slack(NULL);
    const char *blocks = json_to_text(&test_arena, value_at(v, "message.blocks"));
    for (char *p = (char *)(uintptr_t)blocks; *p; p++)
        *p = *p == '"' ? '\'' : *p;
    const struct json *again = say("'blocks':%s", blocks);
    assert_slack(NULL);
    assert_int_equal(count_at(again, "message.blocks.0.elements"),
                     count_at(v, "message.blocks.0.elements"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(blocks_are_filled_in),
        slack_test(bad_blocks_are_pointed_at),
        slack_test(a_block_has_the_members_of_its_schema_alone),
        slack_test(an_element_is_where_its_kind_may_be),
        slack_test(blocks_made_of_a_text_may_be_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
