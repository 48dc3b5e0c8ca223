/* SPDX-License-Identifier: Apache-2.0 */
/* Work objects: in messages and unfurls, their details and comments. */
#include "engine/base/codec.h"
#include "tests/support/slack.h"

#define EVENTS                                                                                     \
    "events_url: 'https://app.example/e', interactivity_url: 'https://app.example/act',"           \
    " unfurl_domains: [example.com]"
#define BOT_EVENTS "bot_events: [entity_details_requested, entity_comments_requested]"

static const char APP[] =
    "chatApps: [{client_id: '1.2', settings: {" EVENTS ", " BOT_EVENTS "}}]\n";

#define TASK(more)                                                                                 \
    "{'entity_type':'slack#/entities/task','url':'https://example.com/t/1',"                       \
    "'external_ref':{'id':'t1','type':'task'},'entity_payload':{'attributes':{'title':"            \
    "{'text':'Fix it'}}}" more "}"
#define WITH_COMMENTS ",'entity_comments':{'count':1}"

static const char *post_task(void)
{
    const struct json *v = slack_json(
        BOT, "chat.postMessage",
        "{'channel':'C0DEV','text':'A task','metadata':{'entities':[" TASK(WITH_COMMENTS) "]}}");
    assert_slack(NULL);
    return text_at(v, "ts");
}

/* The event that the app got last. */
static const struct json *last_event(uint32_t n)
{
    const struct json *all = test_outbox();
    assert_int_equal(all->n, n);
    const char *body = text_at(&all->items[n - 1], "payload.body");
    return value_at(parsed(body, strlen(body)), "event");
}

static void dump_is_the_same_again(void)
{
    const char *before = json_to_text(&test_arena, test_dump());
    test_use(before);
    assert_string_equal(json_to_text(&test_arena, test_dump()), before);
}

static void messages_keep_work_objects(void **state)
{
    slack_use_with("chatApps: [{client_id: '1.2', settings: {" EVENTS
                   ", bot_events: [message_metadata_posted, message_metadata_updated], "
                   "metadata_events: [deployed]}}]\n");
    const char *ts = post_task();
    const struct json *v =
        slack(BOT, "conversations.history", "channel=C0DEV&limit=1&include_all_metadata=true");
    assert_string_equal(text_at(v, "messages.0.metadata.entities.0.external_ref.id"), "t1");
    assert_string_equal(
        text_at(v, "messages.0.metadata.entities.0.entity_payload.attributes.title.text"),
        "Fix it");
    assert_int_equal(test_outbox()->n, 0); /* it is not an event of metadata */
    slack_json(BOT, "chat.update",
               "{'channel':'C0DEV','ts':'%s','text':'x','metadata':{'event_type':'deployed',"
               "'event_payload':{},'entities':[" TASK("") "]}}",
               ts);
    assert_slack(NULL);
    v = slack(BOT, "conversations.history", "channel=C0DEV&limit=1&include_all_metadata=true");
    assert_string_equal(text_at(v, "messages.0.metadata.event_type"), "deployed");
    assert_string_equal(text_at(v, "messages.0.metadata.entities.0.url"),
                        "https://example.com/t/1");
}

static void what_is_no_work_object_is_left_out(void **state)
{
    static const char *const bad[] = {
        "{'entities':[]}",
        "{'entities':{}}",
        "{'entities':[7]}",
        "{'entities':[{}]}",
        "{'entities':[" TASK("") ",{}]}",
        "{'event_type':'x','entities':[" TASK("") "]}",
        "{'entities':[{'entity_type':'slack#/entities/thing','url':'https://example.com/',"
        "'external_ref':{'id':'1'},'entity_payload':{'attributes':{'title':{'text':'x'}}}}]}",
        "{'entities':[{'entity_type':'slack#/entities/item','url':'https://example.com/',"
        "'external_ref':{},'entity_payload':{'attributes':{'title':{'text':'x'}}}}]}",
        "{'entities':[{'entity_type':'slack#/entities/item','url':'https://example.com/',"
        "'external_ref':{'id':'1'},'entity_payload':{'attributes':{'title':'x'}}}]}",
    };
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        slack_json(BOT, "chat.postMessage", "{'channel':'C0DEV','text':'x','metadata':%s}", bad[i]);
        bool event = strstr(bad[i], "event_type") != NULL;
        assert_slack(event ? "invalid_metadata_schema" : NULL);
        if (i && !event) /* an empty list is not metadata */
            assert_non_null(strstr(test_body, "\"warning\":\"invalid_metadata_format\""));
        slack_json(BOT, "chat.unfurl", "{'channel':'C0DEV','ts':'1.000000','metadata':%s}", bad[i]);
        assert_slack("invalid_metadata_format");
    }
    slack_json(ALICE, "chat.postMessage",
               "{'channel':'C0DEV','text':'x','metadata':{'entities':[" TASK("") "]}}");
    assert_slack("metadata_must_be_sent_from_app");
    const struct json *v =
        slack_json(BOT, "chat.postMessage",
                   "{'channel':'C0DEV','text':'x','metadata':{'entities':[{'entity_type':"
                   "'slack#/entities/task','url':'https://example.com/','external_ref':{'id':'1'},"
                   "'entity_payload':{'attributes':{'title':{'text':'x'},'product_icon':{'url':"
                   "'https://example.com/i.png'}}}}]}}");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "warning"), "invalid_metadata_format");
    assert_string_equal(text_at(v, "response_metadata.messages.0"),
                        "missing required field: alt_text (pointer: "
                        "/metadata/entities/0/entity_payload/attributes/product_icon)");
    v = slack(BOT, "conversations.history", "channel=C0DEV&limit=1&include_all_metadata=true");
    assert_string_equal(text_at(v, "messages.0.text"), "x");
    assert_null(value_at(v, "messages.0.metadata"));
}

static void links_are_shown_as_work_objects(void **state)
{
    slack_use_with(APP);
    const struct json *v = slack_json(
        ALICE, "chat.postMessage", "{'channel':'C0DEV','text':'see https://example.com/t/1?a=b'}");
    const char *ts = text_at(v, "ts");
    slack_json(BOT, "chat.unfurl", "{'channel':'C0DEV','ts':'%s'}", ts);
    assert_slack("missing_unfurls");
    slack_json(BOT, "chat.unfurl",
               "{'channel':'C0DEV','ts':'%s','metadata':{'entities':[" TASK("") "]}}", ts);
    assert_slack("invalid_metadata_format"); /* without app_unfurl_url */
    slack_json(BOT, "chat.unfurl",
               "{'channel':'C0DEV','ts':'%s','metadata':{'entities':[" TASK(
                   ",'app_unfurl_url':'https://example.com/other'") "]}}",
               ts);
    assert_slack("cannot_unfurl_message");
    for (int i = 0; i < 2; i++) { /* again: in its place */
        slack_json(BOT, "chat.unfurl",
                   "{'channel':'C0DEV','ts':'%s','metadata':{'entities':[" TASK(
                       ",'app_unfurl_url':'https://example.com/t/1?a=b'") "]}}",
                   ts);
        assert_slack(NULL);
    }
    v = slack(BOT, "conversations.history", "channel=C0DEV&limit=1&include_all_metadata=true");
    assert_int_equal(value_at(v, "messages.0.attachments")->n, 1);
    assert_int_equal(value_at(v, "messages.0.metadata.entities")->n, 1);
    assert_string_equal(text_at(v, "messages.0.attachments.0.from_url"),
                        "https://example.com/t/1?a=b");
    v = value_at(v, "messages.0.attachments.0.work_object_entity");
    assert_string_equal(text_at(v, "external_url"), "https://example.com/t/1");
    assert_string_equal(text_at(v, "app_name"), "Deployer");
    assert_string_equal(text_at(v, "display_type"), "Task");
    assert_string_equal(text_at(v, "layouts.compact.title.text"), "Fix it");
    /* A person who opens it makes the app that showed it say more. */
    slack_does(BOB, "'entity':{'channel':'C0DEV','ts':'%s','url':'https://example.com/t/1?a=b'}",
               ts);
    assert_slack(NULL);
    v = last_event(1);
    assert_string_equal(text_at(v, "app_unfurl_url"), "https://example.com/t/1?a=b");
    assert_string_equal(text_at(v, "entity_url"), "https://example.com/t/1");
    assert_string_equal(text_at(v, "link.domain"), "example.com");
}

static void details_are_shown_to_who_opens_it(void **state)
{
    slack_use_with(APP);
    const char *ts = post_task();
    const struct json *v = slack_does(ALICE, "'entity':{'channel':'C0DEV','ts':'%s'}", ts);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "external_ref.id"), "t1");
    const struct json *e = last_event(1);
    assert_string_equal(text_at(e, "type"), "entity_details_requested");
    assert_string_equal(text_at(e, "user"), "U0ALICE");
    assert_string_equal(text_at(e, "external_ref.type"), "task");
    assert_string_equal(text_at(e, "channel"), "C0DEV");
    assert_string_equal(text_at(e, "message_ts"), ts);
    assert_string_equal(text_at(e, "user_locale"), "en-US");
    const char *trigger = text_at(e, "trigger_id");
    dump_is_the_same_again();
    slack_json(BOT, "entity.presentDetails", "{'trigger_id':'%s'}", trigger);
    assert_slack("invalid_metadata");
    slack_json(BOT, "entity.presentDetails", "{'trigger_id':'%s','metadata':7}", trigger);
    assert_slack("invalid_metadata");
    v = slack_json(BOT, "entity.presentDetails",
                   "{'trigger_id':'%s','metadata':{'entity_type':'slack#/entities/task',"
                   "'entity_payload':{'attributes':{'title':{'text':'x'}}}}}",
                   trigger);
    assert_slack("invalid_arguments");
    assert_string_equal(text_at(v, "response_metadata.messages.0"),
                        "[ERROR] missing required field: external_ref [json-pointer:/metadata]");
    assert_string_equal(text_at(v, "response_metadata.messages.1"),
                        "[ERROR] missing required field: url [json-pointer:/metadata]");
    slack_json(BOT, "entity.presentDetails", "{'trigger_id':'%s','user_auth_required':true}",
               trigger);
    assert_slack("user_auth_url_missing");
    slack_json(BOT, "entity.presentDetails", "{'trigger_id':'%s','error':{'status':'no'}}",
               trigger);
    assert_slack("invalid_arguments");
    slack_json(BOT, "entity.presentDetails",
               "{'trigger_id':'%s','metadata':{'entity_type':'slack#/entities/task',"
               "'url':'https://example.com/t/2','external_ref':{'id':'t2'},"
               "'entity_payload':{'attributes':{'title':{'text':'Other'}}}}}",
               trigger);
    assert_slack("entity_metadata_does_not_match_trigger");
    slack_json(BOT, "entity.presentComments", "{'trigger_id':'%s','comments':[]}", trigger);
    assert_slack("invalid_trigger_id");
    slack_json(BOT, "entity.presentDetails", "{'trigger_id':'1.2.c0ffee','metadata':" TASK("") "}");
    assert_slack("invalid_trigger_id");
    slack_json(ALICE, "entity.presentDetails", "{'trigger_id':'%s','metadata':" TASK("") "}",
               trigger);
    assert_slack("invalid_app_id");
    slack_json(BOT, "entity.presentDetails", "{'metadata':" TASK("") "}");
    assert_slack("invalid_arguments");
    slack_json(BOT, "entity.presentDetails", "{'trigger_id':'%s','metadata':" TASK("") "}",
               trigger);
    assert_slack(NULL);
    v = slack_does(ALICE, "'see':{}");
    assert_string_equal(text_at(v, "panes.0.tab"), "details");
    assert_string_equal(text_at(v, "panes.0.content.metadata.entity_payload.attributes.title.text"),
                        "Fix it");
    v = slack_does(BOB, "'see':{}");
    assert_null(json_get(v, "panes"));
    dump_is_the_same_again();
    /* Who asks again gets another trigger. */
    slack_does(ALICE, "'entity':{'channel':'C0DEV','ts':'%s'}", ts);
    slack_json(BOT, "entity.presentDetails", "{'trigger_id':'%s','metadata':" TASK("") "}",
               trigger);
    assert_slack("invalid_trigger_id");
}

static void details_need_addresses(void **state)
{
    static const char EDITED[] =
        "{'trigger_id':'%s','metadata':{'entity_type':'slack#/entities/task',"
        "'url':'https://example.com/t/1','external_ref':{'id':'t1'},'entity_payload':{"
        "'attributes':{'title':{'text':'x','edit':{'enabled':true%s}}}}}}";
    slack_use_with(
        "chatApps: [{client_id: '1.2', settings: {events_url: 'https://app.example/e', " BOT_EVENTS
        "}}]\n");
    slack_does(ALICE, "'entity':{'channel':'C0DEV','ts':'%s'}", post_task());
    const char *trigger = text_at(last_event(1), "trigger_id");
    slack_json(BOT, "entity.presentDetails", EDITED, trigger, "");
    assert_slack("missing_interactivity_url");
    slack_use_with(APP);
    slack_does(ALICE, "'entity':{'channel':'C0DEV','ts':'%s'}", post_task());
    trigger = text_at(last_event(1), "trigger_id");
    slack_json(BOT, "entity.presentDetails", EDITED, trigger,
               ",'select':{'fetch_options_dynamically':true}");
    assert_slack("missing_options_load_url");
    slack_json(BOT, "entity.presentDetails", EDITED, trigger, "");
    assert_slack(NULL);
}

static void comments_are_shown_to_who_asks(void **state)
{
    slack_use_with(APP);
    const char *ts = post_task();
    slack_does(ALICE, "'entity':{'channel':'C0DEV','ts':'%s','tab':'comments','cursor':'p2'}", ts);
    assert_slack(NULL);
    const struct json *e = last_event(1);
    assert_string_equal(text_at(e, "type"), "entity_comments_requested");
    assert_string_equal(text_at(e, "cursor"), "p2");
    assert_null(json_get(e, "message_ts"));
    const char *trigger = text_at(e, "trigger_id");
    static const struct {
        const char *body, *error;
    } bad[] = {
        {"", "invalid_arguments"},
        {",'comments':7", "invalid_arguments"},
        {",'comments':[{'id':'c1'}]", "invalid_arguments"},
        {",'comments':[{'id':'c1','sender':{'user_id':'U0BOB'},'timestamp':1,"
         "'comment':{'value':'x'},'can_delete':true}]",
         "missing_delete_action_id"},
        {",'user_auth_required':true", "user_auth_url_missing"},
    };
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        slack_json(BOT, "entity.presentComments", "{'trigger_id':'%s'%s}", trigger, bad[i].body);
        assert_slack(bad[i].error);
    }
    slack_json(BOT, "entity.presentComments",
               "{'trigger_id':'%s','can_post_comment':true,'delete_action_id':'gone','cursor':'p3',"
               "'comments':[{'id':'c1','sender':{'user_id':'U0BOB'},'timestamp':1,"
               "'comment':{'value':'x'},'can_delete':true}]}",
               trigger);
    assert_slack(NULL);
    const struct json *v = slack_does(ALICE, "'see':{}");
    assert_string_equal(text_at(v, "panes.0.tab"), "comments");
    assert_string_equal(text_at(v, "panes.0.content.comments.0.comment.value"), "x");
    assert_string_equal(text_at(v, "panes.0.content.cursor"), "p3");
    assert_true(true_at(v, "panes.0.content.can_post_comment"));
    dump_is_the_same_again();
}

static const struct json *payload; /* what the app got last of what people do */

static void on_post(void *arg, uint64_t world, int64_t entry, const char *json, size_t len,
                    struct sosia_outcome *ret)
{
    const char *form = text_at(parsed(json, len), "0.payload.body");
    char *text;
    size_t n;
    assert_memory_equal(form, "payload=", 8);
    assert_int_equal(percent_decode(&test_arena, form + 8, strlen(form + 8), true, &text, &n), 0);
    payload = parsed(text, n);
    *ret = (struct sosia_outcome){.status = 200, .body = "", .body_len = 0};
}

static void comments_are_written_and_deleted(void **state)
{
    static const char COMMENT[] = "{'id':'c2','sender':{'user_id':'U0ALICE'},'timestamp':2,"
                                  "'comment':{'value':'Now'},'can_edit':true,'can_delete':true}";
    slack_use_with(APP);
    sosia_engine_on_handshake(test_engine, on_post, NULL);
    const char *ts = post_task();
    slack_does(ALICE, "'comment':{'text':'Now'}");
    assert_slack("entity_comments_not_found");
    slack_does(ALICE, "'entity':{'channel':'C0DEV','ts':'%s','tab':'comments'}", ts);
    const char *tab = text_at(last_event(1), "trigger_id");
    slack_json(
        BOT, "entity.presentComments",
        "{'trigger_id':'%s','can_post_comment':true,'delete_action_id':'gone','comments':[]}", tab);
    assert_slack(NULL);
    slack_does(ALICE, "'comment':{'comment_id':'c2','text':'x'}");
    assert_slack("comment_not_found");
    slack_does(ALICE, "'comment':{}");
    assert_slack("invalid_arguments");
    slack_does(ALICE, "'comment':{'comment_id':'c2','delete':true}");
    assert_slack("comment_not_found");
    slack_does(ALICE, "'comment':{'text':'Now'}");
    const struct json *p = payload;
    assert_string_equal(text_at(p, "type"), "view_submission");
    assert_string_equal(text_at(p, "view.type"), "entity_comment");
    assert_string_equal(text_at(p, "view.callback_id"), "work-object-post-comment");
    assert_string_equal(text_at(p, "view.external_ref.id"), "t1");
    assert_string_equal(text_at(p, "view.state.values.comment_input_block.comment_input_action."
                                   "rich_text_value.elements.0.elements.0.text"),
                        "Now");
    const char *trigger = text_at(p, "trigger_id");
    dump_is_the_same_again();
    slack_json(BOT, "entity.acknowledgeCommentAction", "{'trigger_id':'%s','comment':%s}", tab,
               COMMENT);
    assert_slack("invalid_trigger_id");
    slack_json(BOT, "entity.acknowledgeCommentAction", "{'trigger_id':'%s'}", trigger);
    assert_slack("missing_comment_data");
    slack_json(BOT, "entity.acknowledgeCommentAction",
               "{'trigger_id':'%s','comment':{'id':'c2','sender':{'user_id':'U0NOBODY'},"
               "'timestamp':2,'comment':{'value':'Now'}}}",
               trigger);
    assert_slack("invalid_sender_schema");
    slack_json(BOT, "entity.acknowledgeCommentAction", "{'trigger_id':'%s','comment':%s}", trigger,
               COMMENT);
    assert_slack(NULL);
    const struct json *v = slack_does(ALICE, "'see':{}");
    assert_string_equal(text_at(v, "panes.0.content.comments.0.comment.value"), "Now");
    dump_is_the_same_again();
    /* It is changed, and deleted. */
    slack_does(ALICE, "'comment':{'comment_id':'c2','text':'Later'}");
    p = payload;
    assert_string_equal(text_at(p, "view.callback_id"), "work-object-edit-comment");
    assert_string_equal(text_at(p, "view.external_id"), "c2");
    trigger = text_at(p, "trigger_id");
    slack_json(BOT, "entity.acknowledgeCommentAction",
               "{'trigger_id':'%s','comment':{'id':'c3','sender':{'text':'Al'},'timestamp':2,"
               "'comment':{'value':'Later'}}}",
               trigger);
    assert_slack("invalid_action");
    slack_json(BOT, "entity.acknowledgeCommentAction", "{'trigger_id':'%s','error':'Too late'}",
               trigger);
    assert_slack(NULL);
    v = slack_does(ALICE, "'see':{}");
    assert_string_equal(text_at(v, "panes.0.content.comments.0.comment.value"), "Now");
    assert_string_equal(text_at(v, "panes.1.content.error"), "Too late");
    slack_does(ALICE, "'comment':{'comment_id':'c2','delete':true}");
    p = payload;
    assert_string_equal(text_at(p, "container.type"), "entity_comment");
    assert_string_equal(text_at(p, "actions.0.action_id"), "gone");
    assert_string_equal(text_at(p, "actions.0.value"), "c2");
    slack_json(BOT, "entity.acknowledgeCommentAction", "{'trigger_id':'%s'}",
               text_at(p, "trigger_id"));
    assert_slack(NULL);
    v = slack_does(ALICE, "'see':{}");
    assert_int_equal(value_at(v, "panes.0.content.comments")->n, 0);
}

#define WITH_BUTTONS(more)                                                                         \
    "{'entity_type':'slack#/entities/task','url':'https://example.com/t/1','external_ref':"        \
    "{'id':'t1','type':'task'},'entity_payload':{'attributes':{'title':{'text':'Fix it'}},"        \
    "'actions':{'primary_actions':[{'text':'Done','action_id':'done','value':'t1',"                \
    "'style':'primary'}],'overflow_actions':[{'text':'Drop','action_id':'drop'}]}}" more "}"

static void buttons_are_pressed_on_cards_and_beside(void **state)
{
    slack_use_with(APP);
    sosia_engine_on_handshake(test_engine, on_post, NULL);
    const struct json *v = slack_json(
        BOT, "chat.postMessage",
        "{'channel':'C0DEV','text':'A task','metadata':{'entities':[" WITH_BUTTONS("") "]}}");
    const char *ts = text_at(v, "ts");
    slack_does(ALICE, "'press':{'channel':'C0DEV','ts':'%s','action_id':'done'}", ts);
    const struct json *p = payload;
    assert_string_equal(text_at(p, "type"), "block_actions");
    assert_string_equal(members(p, "container"),
                        "type message_ts attachment_id channel_id is_ephemeral is_app_unfurl "
                        "entity_url external_ref");
    assert_string_equal(text_at(p, "container.type"), "message_attachment");
    assert_false(true_at(p, "container.is_app_unfurl"));
    assert_string_equal(text_at(p, "container.external_ref.id"), "t1");
    assert_string_equal(text_at(p, "user.id"), "U0ALICE");
    assert_string_equal(text_at(p, "channel.id"), "C0DEV");
    assert_string_equal(text_at(p, "actions.0.action_id"), "done");
    assert_string_equal(text_at(p, "actions.0.text.text"), "Done");
    assert_string_equal(text_at(p, "actions.0.value"), "t1");
    assert_string_equal(text_at(p, "actions.0.style"), "primary");
    assert_non_null(text_at(p, "trigger_id"));
    slack_does(ALICE, "'press':{'channel':'C0DEV','ts':'%s','action_id':'drop'}", ts);
    assert_string_equal(text_at(payload, "actions.0.action_id"), "drop");
    slack_does(ALICE, "'press':{'channel':'C0DEV','ts':'%s','action_id':'none'}", ts);
    assert_slack("action_not_found");
    slack_does(ALICE, "'press':{'channel':'C0DEV','ts':'%s'}", ts);
    assert_slack("invalid_arguments");
    slack_does(ALICE, "'press':{'channel':'C0DEV','ts':'%s','action_id':'done','pane':true}", ts);
    assert_slack("entity_not_found"); /* it is not open */
    slack_does(ALICE, "'entity':{'channel':'C0DEV','ts':'%s'}", ts);
    slack_json(BOT, "entity.presentDetails",
               "{'trigger_id':'%s','metadata':{'entity_type':'slack#/entities/task','url':"
               "'https://example.com/t/1','external_ref':{'id':'t1','type':'task'},'entity_payload'"
               ":{'attributes':{'title':{'text':'Fix it'}},'actions':{'primary_actions':[{'text':"
               "'Later','action_id':'later'}]}}}}",
               text_at(last_event(3), "trigger_id"));
    assert_slack(NULL);
    slack_does(ALICE, "'press':{'channel':'C0DEV','ts':'%s','action_id':'done','pane':true}", ts);
    assert_slack("action_not_found");
    slack_does(ALICE, "'press':{'channel':'C0DEV','ts':'%s','action_id':'later','pane':true}", ts);
    p = payload;
    assert_string_equal(members(p, "container"),
                        "type message_ts channel_id entity_url external_ref");
    assert_string_equal(text_at(p, "container.type"), "entity_detail");
    assert_string_equal(text_at(p, "actions.0.action_id"), "later");
    dump_is_the_same_again();
}

static void buttons_of_links_name_the_unfurl(void **state)
{
    slack_use_with(APP);
    sosia_engine_on_handshake(test_engine, on_post, NULL);
    const struct json *v = slack_json(
        ALICE, "chat.postMessage", "{'channel':'C0DEV','text':'see https://example.com/t/1?a=b'}");
    const char *ts = text_at(v, "ts");
    slack_json(BOT, "chat.unfurl",
               "{'channel':'C0DEV','ts':'%s','metadata':{'entities':[" WITH_BUTTONS(
                   ",'app_unfurl_url':'https://example.com/t/1?a=b'") "]}}",
               ts);
    assert_slack(NULL);
    slack_does(BOB, "'press':{'channel':'C0DEV','ts':'%s','action_id':'done'}", ts);
    const struct json *p = payload;
    assert_true(true_at(p, "container.is_app_unfurl"));
    assert_int_equal(number_at(p, "container.attachment_id"), 1);
    assert_string_equal(text_at(p, "app_unfurl.app_unfurl_url"), "https://example.com/t/1?a=b");
    assert_string_equal(text_at(p, "actions.0.value"), "t1");
    slack_does(BOB, "'press':{'channel':'C0VAULT','ts':'%s','action_id':'done'}", ts);
    assert_slack("channel_not_found");
}

static void what_can_not_be_opened_is_refused(void **state)
{
    slack_use_with("chatApps: [{client_id: '1.2', settings: {" EVENTS "}}]\n");
    const char *ts = post_task();
    const struct json *v = slack_does(ALICE, "'entity':{'channel':'C0DEV','ts':'%s'}", ts);
    assert_string_equal(text_at(v, "failure"), "not_configured"); /* no event of that name */
    slack_does(ALICE, "'entity':{'channel':'C0DEV','ts':'%s','url':'https://example.com/'}", ts);
    assert_slack("entity_not_found");
    slack_does(ALICE, "'entity':{'channel':'C0DEV','ts':'%s','tab':'x'}", ts);
    assert_slack("invalid_arguments");
    slack_does(ALICE, "'entity':{'channel':'C0DEV','ts':'7.000000'}");
    assert_slack("message_not_found");
    slack_does(ALICE, "'entity':{'channel':'C0VAULT','ts':'%s'}", ts);
    assert_slack("channel_not_found");
    v = slack_json(ALICE, "chat.postMessage", "{'channel':'C0DEV','text':'plain'}");
    slack_does(ALICE, "'entity':{'channel':'C0DEV','ts':'%s'}", text_at(v, "ts"));
    assert_slack("entity_not_found");
    v = slack_json(BOT, "chat.postMessage",
                   "{'channel':'C0DEV','text':'x','metadata':{'entities':[" TASK("") "]}}");
    slack_does(ALICE, "'entity':{'channel':'C0DEV','ts':'%s','tab':'comments'}", text_at(v, "ts"));
    assert_slack("entity_comments_not_found");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        slack_test(messages_keep_work_objects),
        slack_test(what_is_no_work_object_is_left_out),
        slack_test(links_are_shown_as_work_objects),
        slack_test(details_are_shown_to_who_opens_it),
        slack_test(details_need_addresses),
        slack_test(comments_are_shown_to_who_asks),
        slack_test(comments_are_written_and_deleted),
        slack_test(what_can_not_be_opened_is_refused),
        slack_test(buttons_are_pressed_on_cards_and_beside),
        slack_test(buttons_of_links_name_the_unfurl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
