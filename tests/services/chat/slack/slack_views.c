/* SPDX-License-Identifier: Apache-2.0 */
/* Views: what they must be like, triggers, the stack of a window, an app's own page. */
#include "tests/support/slack.h"
#include <stdio.h>

#define KEY(n)           "1337.2026.00c0ffee" #n
#define TRIGGER(n, more) "  - {id: " KEY(n) ", app: '1.2', user: U0ALICE" more "}\n"

static const char SEED[] =
    "chatTriggers:\n" TRIGGER(1, "") TRIGGER(2, "") TRIGGER(3, "") TRIGGER(4, ", used: true");

#define MODAL                                                                                      \
    "'type':'modal','title':{'type':'plain_text','text':'Deploy'},'blocks':[{'type':'divider',"    \
    "'block_id':'line'}]"
#define FORM                                                                                       \
    "'type':'modal','title':{'type':'plain_text','text':'Deploy'},'submit':{'type':'plain_text',"  \
    "'text':'Go'},'blocks':[{'type':'input','block_id':'what','label':{'type':'plain_text',"       \
    "'text':'What'},'element':{'type':'plain_text_input','action_id':'name'}}]"

static const struct json *open_view(const char *trigger, const char *view)
{
    return slack_json(BOT, "views.open", "{'trigger_id':'%s','view':{%s}}", trigger, view);
}

static void a_trigger_opens_one_window(void **state)
{
    slack_use_with(SEED);
    const struct json *v = open_view(KEY(1), FORM ",'private_metadata':'shh','callback_id':'go'");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "view.type"), "modal");
    assert_string_equal(text_at(v, "view.team_id"), "T0ACME");
    assert_string_equal(text_at(v, "view.app_id"), "A0DEPLOY");
    assert_string_equal(text_at(v, "view.bot_id"), "B0DEPLOY");
    assert_string_equal(text_at(v, "view.private_metadata"), "shh");
    assert_string_equal(text_at(v, "view.callback_id"), "go");
    assert_string_equal(text_at(v, "view.root_view_id"), text_at(v, "view.id"));
    assert_int_equal(value_at(v, "view.previous_view_id")->type, JSON_NULL);
    assert_true(true_at(v, "view.title.emoji"));
    assert_int_equal(value_at(v, "view.state.values")->n, 0);
    open_view(KEY(1), FORM);
    assert_slack("exchanged_trigger_id");
    open_view(KEY(4), FORM);
    assert_slack("exchanged_trigger_id");
    test_advance(4);
    open_view(KEY(2), FORM);
    assert_slack("expired_trigger_id");
}

static void only_the_app_itself_may_use_its_trigger(void **state)
{
    slack_use_with(SEED);
    open_view("1337.2026.abcdef", FORM);
    assert_slack("invalid_trigger_id");
    const struct json *v = open_view("trigger_id", FORM);
    assert_slack("invalid_arguments");
    assert_string_equal(text_at(v, "response_metadata.messages.0"),
                        "[ERROR] invalid `trigger_id` [json-pointer:/trigger_id]");
    v = slack_json(BOT, "views.open", "{'view':{" FORM "}}");
    assert_string_equal(text_at(v, "response_metadata.messages.0"),
                        "[ERROR] missing required field: trigger_id");
    slack_json(ALICE, "views.open", "{'trigger_id':'" KEY(1) "','view':{" FORM "}}");
    assert_slack("not_allowed_token_type");
    slack_json(BOT, "views.open", "{'interactivity_pointer':'" KEY(2) "','view':{" FORM "}}");
    assert_slack(NULL);
}

static void bad_views_are_pointed_at(void **state)
{
    static const char *const bad[][3] = {
        {"", "[ERROR] missing required field: type [json-pointer:/view]"},
        {"'type':'window'", "[ERROR] must be a valid enum value [json-pointer:/view/type]"},
        {"'type':'home','blocks':[]",
         "[ERROR] must be a valid enum value [json-pointer:/view/type]"},
        {"'type':'modal'", "[ERROR] missing required field: title [json-pointer:/view]",
         "[ERROR] missing required field: blocks [json-pointer:/view]"},
        {"'type':'modal','blocks':[],'title':{'type':'plain_text','text':'"
         "abcdefghijklmnopqrstuvwxyz'}",
         "[ERROR] must be less than 25 characters [json-pointer:/view/title/text]"},
        {MODAL ",'submit_disabled':true",
         "[ERROR] invalid additional property: submit_disabled [json-pointer:/view]"},
        {MODAL ",'clear_on_close':'yes'",
         "[ERROR] must be a boolean [json-pointer:/view/clear_on_close]"},
        {MODAL ",'close':'Cancel'", "[ERROR] must provide an object [json-pointer:/view/close]"},
        {"'type':'modal','title':{'type':'plain_text','text':'T'},'blocks':[{'type':'file',"
         "'external_id':'x','source':'remote'}]",
         "[ERROR] unsupported type: file [json-pointer:/view/blocks/0/type]"},
        {"'type':'modal','title':{'type':'plain_text','text':'T'},'blocks':[{'type':'actions',"
         "'elements':[{'type':'radio_buttons','options':[{'text':{'type':'plain_text','text':'A'},"
         "'value':'a'}],'initial_option':{'text':{'type':'plain_text','text':'B'},'value':'b'}}]}]",
         "[ERROR] must match one of the options "
         "[json-pointer:/view/blocks/0/elements/0/initial_option]"},
    };
    slack_use_with(SEED);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct json *v = open_view(KEY(1), bad[i][0]);
        assert_slack("invalid_arguments");
        assert_string_equal(text_at(v, "response_metadata.messages.0"),
                            "[ERROR] failed to match all allowed schemas [json-pointer:/view]");
        assert_string_equal(text_at(v, "response_metadata.messages.1"), bad[i][1]);
        if (bad[i][2])
            assert_string_equal(text_at(v, "response_metadata.messages.2"), bad[i][2]);
    }
    const struct json *v = open_view(
        KEY(1), "'type':'modal','title':{'type':'plain_text','text':'T'},'blocks':[{'type':'input',"
                "'label':{'type':'plain_text','text':'L'},'element':{'type':'datepicker'}}]");
    assert_string_equal(text_at(v, "response_metadata.messages.0"),
                        "[ERROR] must define `submit` to use an `input` block in modals "
                        "[json-pointer:/view/blocks/0/input]");
    slack(BOT, "views.open", "trigger_id=" KEY(1) "&view=nonsense");
    assert_slack("invalid_arguments");
    open_view(KEY(1), MODAL); /* nothing of this has used it up */
    assert_slack(NULL);
}

static void large_views_are_refused(void **state)
{
    slack_use_with(SEED);
    char *x = arena_alloc(&test_arena, 1000001);
    memset(x, 'x', 1000000);
    x[1000000] = 0;
    slack_json(BOT, "views.open",
               "{'trigger_id':'" KEY(1) "','view':{" MODAL ",'private_metadata':'%s'}}", x);
    assert_slack("view_too_large");
    x[3001] = 0;
    const struct json *v =
        slack_json(BOT, "views.open",
                   "{'trigger_id':'" KEY(1) "','view':{" MODAL ",'private_metadata':'%s'}}", x);
    assert_string_equal(text_at(v, "response_metadata.messages.1"),
                        "[ERROR] must be less than 3001 characters "
                        "[json-pointer:/view/private_metadata]");
    /* 10,000 elements, one in the other */
    const size_t deep = 10000;
    char *text = arena_alloc(&test_arena, 12 * deep + 100), *p = text;
    p += sprintf(p, "{\"type\":\"modal\",\"blocks\":");
    for (size_t i = 0; i < deep; i++)
        *p++ = '[';
    for (size_t i = 0; i < deep; i++)
        *p++ = ']';
    strcpy(p, "}");
    slack(BOT, "views.open", "trigger_id=" KEY(1) "&view=%s", text);
    assert_slack("invalid_arguments");
}

static void views_are_updated_by_id_and_hash(void **state)
{
    slack_use_with(SEED);
    const struct json *v = open_view(KEY(1), FORM ",'external_id':'mine'");
    const char *id = text_at(v, "view.id"), *hash = text_at(v, "view.hash");
    v = slack_json(BOT, "views.update", "{'view_id':'%s','hash':'%s','view':{" FORM "}}", id, hash);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "view.id"), id);
    assert_string_not_equal(text_at(v, "view.hash"), hash);
    slack_json(BOT, "views.update", "{'view_id':'%s','hash':'%s','view':{" FORM "}}", id, hash);
    assert_slack("hash_conflict");
    slack_json(BOT, "views.update", "{'external_id':'mine','view':{" FORM "}}");
    assert_slack("not_found"); /* the update has taken it away */
    slack_json(BOT, "views.update", "{'view_id':'%s','view':{" FORM ",'external_id':'mine'}}", id);
    slack_json(BOT, "views.update",
               "{'external_id':'mine','view':{" FORM ",'external_id':'mine'}}");
    assert_slack(NULL);
    slack_json(BOT, "views.update", "{'view_id':'V0NOBODY','view':{" FORM "}}");
    assert_slack("not_found");
    slack_json(BOT, "views.update", "{'view':{" FORM "}}");
    assert_slack("invalid_arguments");
    slack_json(BOT, "views.update", "{'view_id':'%s','view':{'type':'home','blocks':[]}}", id);
    assert_slack("invalid_arguments");
    slack_json(BOT, "views.publish",
               "{'user_id':'U0BOB','view':{'type':'home','blocks':[],'external_id':'mine'}}");
    assert_slack("duplicate_external_id");
}

static void a_window_has_three_views_at_most(void **state)
{
    slack_use_with("chatViews:\n"
                   "  - {id: V0ONE, app: '1.2', user: U0ALICE, place: 1, hash: h.1, body: {type: "
                   "modal, blocks: []}}\n"
                   "chatTriggers:\n" TRIGGER(1, ", view: V0ONE") TRIGGER(2, ", view: V0ONE")
                       TRIGGER(3, ", view: V0ONE") TRIGGER(4, ""));
    const struct json *v =
        slack_json(BOT, "views.push", "{'trigger_id':'" KEY(1) "','view':{" FORM "}}");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "view.root_view_id"), "V0ONE");
    assert_string_equal(text_at(v, "view.previous_view_id"), "V0ONE");
    const char *second = text_at(v, "view.id");
    v = slack_json(BOT, "views.push", "{'trigger_id':'" KEY(2) "','view':{" FORM "}}");
    assert_string_equal(text_at(v, "view.root_view_id"), "V0ONE");
    assert_string_equal(text_at(v, "view.previous_view_id"), second);
    slack_json(BOT, "views.push", "{'trigger_id':'" KEY(3) "','view':{" FORM "}}");
    assert_slack("push_limit_reached");
    slack_json(BOT, "views.push", "{'trigger_id':'" KEY(4) "','view':{" FORM "}}");
    assert_slack("not_found");
    const char *before = json_to_text(&test_arena, test_dump());
    test_use(before);
    assert_string_equal(json_to_text(&test_arena, test_dump()), before);
}

static void an_app_has_a_page_for_everybody(void **state)
{
    const struct json *v =
        slack_json(BOT, "views.publish",
                   "{'user_id':'U0BOB','view':{'type':'home','blocks':[{'type':'divider'}]}}");
    assert_slack(NULL);
    const char *id = text_at(v, "view.id"), *hash = text_at(v, "view.hash");
    assert_string_equal(text_at(v, "view.title.text"), "View Title");
    v = slack_json(BOT, "views.publish",
                   "{'user_id':'U0BOB','hash':'%s','view':{'type':'home','blocks':[]}}", hash);
    assert_string_equal(text_at(v, "view.id"), id);
    slack_json(BOT, "views.publish",
               "{'user_id':'U0BOB','hash':'%s','view':{'type':'home','blocks':[]}}", hash);
    assert_slack("hash_conflict");
    slack_json(BOT, "views.publish", "{'user_id':'U0NOBODY','view':{'type':'home','blocks':[]}}");
    assert_slack("invalid_arguments");
    slack_json(BOT, "views.publish", "{'user_id':'U0BOB','view':{" FORM "}}");
    assert_slack("invalid_arguments");
    v = slack_json(BOT, "views.publish",
                   "{'user_id':'U0CAROL','view':{'type':'home','blocks':[],"
                   "'title':{'type':'plain_text','text':'T'}}}");
    assert_string_equal(text_at(v, "response_metadata.messages.1"),
                        "[ERROR] invalid additional property: title [json-pointer:/view]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(a_trigger_opens_one_window),
        slack_test(only_the_app_itself_may_use_its_trigger),
        slack_test(bad_views_are_pointed_at),
        slack_test(large_views_are_refused),
        slack_test(views_are_updated_by_id_and_hash),
        slack_test(a_window_has_three_views_at_most),
        slack_test(an_app_has_a_page_for_everybody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
