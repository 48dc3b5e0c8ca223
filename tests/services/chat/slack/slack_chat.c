/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: texts and blocks, changing, deleting, posting later, streaming, what is put on them. */
#include "engine/base/utf8.h"
#include "services/chat/slack/web/emoji.h"
#include "tests/services/chat/slack/said.h"
#include <stdlib.h>

static const char *elements_of(const char *text)
{
    const struct json *v = say("'text':'%s'", text);
    assert_slack(NULL);
    return json_to_text(&test_arena, value_at(v, "message.blocks.0.elements"));
}

static void assert_elements(const char *text, const char *expected)
{
    assert_string_equal(elements_of(text), quoted(expected));
}

static void texts_become_rich_text(void **state)
{
    assert_elements("a *b* _c_ ~d~ `e*f*`",
                    "[{'type':'rich_text_section','elements':[{'type':'text','text':'a '},"
                    "{'type':'text','text':'b','style':{'bold':true}},{'type':'text','text':' '},"
                    "{'type':'text','text':'c','style':{'italic':true}},"
                    "{'type':'text','text':' '},{'type':'text','text':'d','style':{'strike':true}},"
                    "{'type':'text','text':' '},"
                    "{'type':'text','text':'e*f*','style':{'code':true}}]}]");
    assert_elements("hi <@U0BOB> in <#C0DEV|dev> <!here> :tada: <https://x.example/a|A>",
                    "[{'type':'rich_text_section','elements':[{'type':'text','text':'hi '},"
                    "{'type':'user','user_id':'U0BOB'},{'type':'text','text':' in '},"
                    "{'type':'channel','channel_id':'C0DEV'},{'type':'text','text':' '},"
                    "{'type':'broadcast','range':'here'},{'type':'text','text':' '},"
                    "{'type':'emoji','name':'tada','unicode':'1f389'},{'type':'text','text':' '},"
                    "{'type':'link','url':'https://x.example/a','text':'A'}]}]");
    assert_elements("2*3*4 and snake_case_name at 10:30:00",
                    "[{'type':'rich_text_section','elements':[{'type':'text','text':"
                    "'2*3*4 and snake_case_name at 10:30:00'}]}]");
    assert_elements("one\\n- two\\n- three\\n```four\\nfive```",
                    "[{'type':'rich_text_section','elements':[{'type':'text','text':'one'}]},"
                    "{'type':'rich_text_list','style':'bullet','elements':["
                    "{'type':'rich_text_section','elements':[{'type':'text','text':'two'}]},"
                    "{'type':'rich_text_section','elements':[{'type':'text','text':'three'}]}],"
                    "'indent':0,'border':0},{'type':'rich_text_preformatted','elements':["
                    "{'type':'text','text':'four\\nfive'}],'border':0}]");
    assert_elements("> said\\nme",
                    "[{'type':'rich_text_quote','elements':[{'type':'text','text':'said'}]},"
                    "{'type':'rich_text_section','elements':[{'type':'text','text':'me'}]}]");
}

#define SECTION_OF(text)                                                                           \
    "{'type':'rich_text_section','elements':[{'type':'text','text':'" text "'}]}"

static void code_is_fenced_within_a_line(void **state)
{
    assert_elements(
        "saw ```a *b*``` here ```c\\nd``` and ```e",
        "[" SECTION_OF(
            "saw ") ",{'type':'rich_text_preformatted','elements':["
                    "{'type':'text','text':'a *b*'}],'border':0}," SECTION_OF(
                        " here ") ",{'type':'rich_text_preformatted','elements':["
                                  "{'type':'text','text':'c\\nd'}],'border':0}," SECTION_OF(
                                      " and ```e") "]");
}

static void three_signs_quote_all_that_follows(void **state)
{
    assert_elements(
        "a\\n>>> b *c*\\n- d\\n\\ne",
        "[" SECTION_OF(
            "a") ",{'type':'rich_text_quote','elements':["
                 "{'type':'text','text':'b '},{'type':'text','text':'c','style':{'bold':true}},"
                 "{'type':'text','text':'\\n- d\\n\\ne'}]}]");
}

/* As clients have seen them: of words that touch one is styled at most. */
static void styles_that_touch_are_characters(void **state)
{
    assert_elements("_italic_*bold*~strike~",
                    "[{'type':'rich_text_section','elements':[{'type':'text','text':'italic',"
                    "'style':{'italic':true}},{'type':'text','text':'*bold*~strike~'}]}]");
    assert_elements("*bold*_italic_~strike~", "[" SECTION_OF("*bold*_italic_~strike~") "]");
    assert_elements("~strike~*bold*_italic_", "[" SECTION_OF("~strike~*bold*_italic_") "]");
    assert_elements("**a** __b__ ~~c~~", "[" SECTION_OF("**a** __b__ ~~c~~") "]");
    assert_elements("*_a_*", "[{'type':'rich_text_section','elements':[{'type':'text','text':'a',"
                             "'style':{'bold':true,'italic':true}}]}]");
    assert_elements("<@> <#> <!>", "[" SECTION_OF("<@> <#> <!>") "]");
}

/* docs.slack.dev, chat.postMessage: mrkdwn false, and parse full. */
static void marks_stay_characters_where_that_is_wanted(void **state)
{
    static const char *const wishes[] = {"'mrkdwn':false", "'parse':'full'"};
    static const char *const references[] = {" '},{'type':'user','user_id':'U0BOB'}",
                                             " <@U0BOB>'}"};
    for (size_t i = 0; i < SOSIA_LEN(wishes); i++) {
        const struct json *v = say("'text':'*a*\\n- b ```c``` <@U0BOB>\\n',%s", wishes[i]);
        assert_slack(NULL);
        const char *elements = json_to_text(&test_arena, value_at(v, "message.blocks.0.elements"));
        const char *expected =
            quoted(arena_printf(&test_arena,
                                "[{'type':'rich_text_section','elements':[{'type':'text','text':"
                                "'*a*\\n- b ```c```%s]}]",
                                references[i]));
        assert_string_equal(elements, expected);
        const char *ts = text_at(v, "ts");
        v = slack(ALICE, "conversations.history", "channel=" DEV "&limit=1");
        elements = json_to_text(&test_arena, value_at(v, "messages.0.blocks.0.elements"));
        assert_string_equal(elements, expected);
        v = slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&text=*a*", ts);
        assert_true(true_at(v, "message.blocks.0.elements.0.elements.0.style.bold"));
        v = slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&text=*a*&parse=full", ts);
        assert_string_equal(text_at(v, "message.blocks.0.elements.0.elements.0.text"), "*a*");
    }
}

/* Sequences of code points as well, the longest first; what is none stays as it is. */
static void emoji_become_names(void **state)
{
    static const char *const texts[][2] = {
        {"\xf0\x9f\x91\x8b \xf0\x9f\x8e\x89", ":wave: :tada:"},
        {"\xe2\x9c\x89\xef\xb8\x8f\xe2\x9c\x89", ":email::email:"},
        {"\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbb \xf0\x9f\x9a\x80\xf0\x9f\x8f\xbf",
         ":+1::skin-tone-2: :rocket::skin-tone-6:"},
        {"\xe2\x98\x9d\xef\xb8\x8f\xe2\x98\x9d\xf0\x9f\x8f\xbd",
         ":point_up::point_up::skin-tone-4:"},
        {"\xf0\x9f\x91\xa9\xf0\x9f\x8f\xbd\xe2\x80\x8d\xf0\x9f\x9a\x80\xf0\x9f\x91\xa9\xe2\x80\x8d"
         "\xf0\x9f\x9a\x80",
         ":female-astronaut::skin-tone-4::female-astronaut:"},
        {"\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7\xe2\x80\x8d\xf0"
         "\x9f\x91\xa6",
         ":man-woman-girl-boy:"},
        {"\xf0\x9f\xa7\x91\xf0\x9f\x8f\xbb\xe2\x80\x8d\xf0\x9f\xa4\x9d\xe2\x80\x8d\xf0\x9f\xa7\x91"
         "\xf0\x9f\x8f\xbc",
         ":people_holding_hands::skin-tone-2-3:"},
        {"\xf0\x9f\xab\xb1\xf0\x9f\x8f\xbf\xe2\x80\x8d\xf0\x9f\xab\xb2\xf0\x9f\x8f\xbb\xf0\x9f\xa4"
         "\x9d\xf0\x9f\x8f\xbb",
         ":handshake::skin-tone-6-2::handshake::skin-tone-2:"},
        {"\xf0\x9f\xa7\x91\xf0\x9f\x8f\xbe\xe2\x80\x8d\xf0\x9f\xa4\x9d\xe2\x80\x8d\xf0\x9f\xa7\x91"
         "\xf0\x9f\x8f\xbe",
         ":people_holding_hands::skin-tone-5:"},
        {"\xf0\x9f\x87\xa9\xf0\x9f\x87\xaa\xf0\x9f\x87\xba\xf0\x9f\x87\xb8", ":de::us:"},
        {"\xf0\x9f\x8f\xb4\xf3\xa0\x81\xa7\xf3\xa0\x81\xa2\xf3\xa0\x81\xb3\xf3\xa0\x81\xa3\xf3\xa0"
         "\x81\xb4\xf3\xa0\x81\xbf",
         ":flag-scotland:"},
        {"\xf0\x9f\x8f\xb3\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x8c\x88\xf0\x9f\x8f\xb3\xef\xb8\x8f\xf0"
         "\x9f\x8f\xb3\xe2\x80\x8d\xf0\x9f\x8c\x88",
         ":rainbow-flag::waving_white_flag::rainbow-flag:"},
        {"1\xef\xb8\x8f\xe2\x83\xa3#\xe2\x83\xa3*", ":one::hash:*"},
        {"\xc2\xa9\xc2\xae\xef\xb8\x8f\xe2\x84\xa2", ":copyright::registered::tm:"},
        {"\xe2\x9d\xa4\xef\xb8\x8f\xe2\x9d\xa4", ":heart::heart:"},
        {"\xe2\x9d\xa4\xef\xb8\x8e 1\xef\xb8\x8f \xf0\x9f\x87\xa9 \xc3\xa9 "
         "\xe6\xbc\xa2\xe5\xad\x97 \xe2\x88\x9e",
         "\xe2\x9d\xa4\xef\xb8\x8e 1\xef\xb8\x8f \xf0\x9f\x87\xa9 \xc3\xa9 "
         "\xe6\xbc\xa2\xe5\xad\x97 \xe2\x88\x9e"},
        {"\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x9a\x97", ":man:\xe2\x80\x8d:car:"},
    };
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        assert_string_equal(text_at(say("'text':'%s'", texts[i][0]), "message.text"), texts[i][1]);
}

static void names_of_emoji_have_code_points(void **state)
{
    assert_elements("\xf0\x9f\x91\x8b\xf0\x9f\x8f\xbc:bowtie::man-heart-man::skin-tone-3:",
                    "[{'type':'rich_text_section','elements':["
                    "{'type':'emoji','name':'wave','unicode':'1f44b-1f3fc','skin_tone':3},"
                    "{'type':'emoji','name':'bowtie'},"
                    "{'type':'emoji','name':'man-heart-man','unicode':"
                    "'1f468-1f3fc-200d-2764-fe0f-200d-1f468-1f3fc','skin_tone':3}]}]");
    assert_elements(
        ":point_up::skin-tone-6: :flag-de: :rocket::skin-tone-6: :100:",
        "[{'type':'rich_text_section','elements':["
        "{'type':'emoji','name':'point_up','unicode':'261d-1f3ff','skin_tone':6},"
        "{'type':'text','text':' '},"
        "{'type':'emoji','name':'flag-de','unicode':'1f1e9-1f1ea'},"
        "{'type':'text','text':' '},{'type':'emoji','name':'rocket','unicode':'1f680'},"
        "{'type':'emoji','name':'skin-tone-6','unicode':'1f3ff'},"
        "{'type':'text','text':' '},{'type':'emoji','name':'100','unicode':'1f4af'}]}]");
}

/* The table is searched by halves: every name is found, and every emoji by its code points. */
static void all_emoji_are_found(void **state)
{
    struct sl_emoji_found found;
    char text[64], code[SL_EMOJI_CODE], *p, *end;
    assert_true(sl_emoji_count > 1900);
    for (size_t i = 0; i < sl_emoji_count; i++) {
        const struct sl_emoji *e = &sl_emoji_all[i];
        assert_ptr_equal(sl_emoji_named(e->name, strlen(e->name)), e);
        if (!e->code)
            continue;
        sl_emoji_code(e, 0, code);
        assert_string_equal(code, e->code);
        p = text;
        for (const char *q = e->code; *q; q = end + (*end == '-'))
            p = utf8_put(p, (unsigned)strtoul(q, &end, 16));
        *p = 0;
        assert_true(sl_emoji_at(text, &found));
        assert_string_equal(found.emoji->code, e->code);
        assert_int_equal(found.len, strlen(text));
        assert_true(e->flags & SL_EMOJI_ALIAS || found.emoji == e);
    }
    assert_null(sl_emoji_named("wav", 3));
    assert_null(sl_emoji_named("", 0));
    assert_false(sl_emoji_at("", &found));
    assert_false(sl_emoji_at("1", &found));
    assert_false(sl_emoji_at("\xf0\x9f", &found));
}

static void texts_are_stored_with_escapes(void **state)
{
    const struct json *v = say("'text':'a < b & c see https://x.example/p?a=1&b=2. &lt;ok'");
    assert_string_equal(text_at(v, "message.text"),
                        "a &lt; b &amp; c see <https://x.example/p?a=1&b=2>. &lt;ok");
    assert_string_equal(text_at(v, "message.blocks.0.elements.0.elements.1.url"),
                        "https://x.example/p?a=1&b=2");
    v = slack_json(ALICE, "chat.postMessage", "{'channel':'C0DEV','text':'\xf0\x9f\x9a\x80 go'}");
    assert_string_equal(text_at(v, "message.text"), ":rocket: go");
}

static void a_message_is_changed_by_its_author_alone(void **state)
{
    const char *ts = text_at(say("'text':'one'"), "ts");
    slack(BOB, "chat.update", "channel=" DEV "&ts=%s&text=two", ts);
    assert_slack("cant_update_message");
    test_advance(90);
    const struct json *v = slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&text=two", ts);
    assert_slack(NULL);
    assert_string_equal(text_at(v, "text"), "two");
    assert_string_equal(text_at(v, "message.edited.ts"), "1771185690.000000");
    assert_string_equal(text_at(v, "message.blocks.0.elements.0.elements.0.text"), "two");
    slack(ALICE, "chat.update", "channel=" DEV "&ts=1.000000&text=x");
    assert_slack("message_not_found");
    v = say("'blocks':[{'type':'divider'}],'text':'with'");
    v = slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&text=without", text_at(v, "ts"));
    assert_string_equal(text_at(v, "message.blocks.0.type"), "rich_text");
}

static void a_deleted_thread_leaves_a_tombstone(void **state)
{
    const char *ts = text_at(say("'text':'root'"), "ts");
    const char *reply = text_at(say("'text':'reply','thread_ts':'%s'", ts), "ts");
    slack(BOB, "chat.delete", "channel=" DEV "&ts=%s", ts);
    assert_slack("cant_delete_message");
    slack(ALICE, "chat.delete", "channel=" DEV "&ts=%s", ts);
    assert_slack(NULL);
    const struct json *v = slack(ALICE, "conversations.history", "channel=" DEV);
    assert_string_equal(text_at(v, "messages.0.subtype"), "tombstone");
    assert_string_equal(text_at(v, "messages.0.user"), "USLACKBOT");
    assert_int_equal(number_at(v, "messages.0.reply_count"), 1);
    slack(ALICE, "chat.delete", "channel=" DEV "&ts=%s", reply);
    assert_slack(NULL);
    v = slack(ALICE, "conversations.history", "channel=" DEV);
    assert_int_equal(count_at(v, "messages"), 0);
    slack(ALICE, "chat.delete", "channel=" DEV "&ts=%s", ts);
    assert_slack("message_not_found");
}

static void links_lead_into_threads(void **state)
{
    const char *ts = text_at(say("'text':'root'"), "ts");
    const struct json *v = slack(BOB, "chat.getPermalink", "channel=" DEV "&message_ts=%s", ts);
    assert_string_equal(text_at(v, "permalink"),
                        "https://acme.slack.com/archives/C0DEV/p1771185600000000");
    const char *reply = text_at(say("'text':'reply','thread_ts':'%s'", ts), "ts");
    v = slack(BOB, "chat.getPermalink", "channel=" DEV "&message_ts=%s", reply);
    assert_string_equal(text_at(v, "permalink"),
                        "https://acme.slack.com/archives/C0DEV/p1771185600000001"
                        "?thread_ts=1771185600.000000&cid=C0DEV");
}

static void only_one_person_sees_an_ephemeral_message(void **state)
{
    const struct json *v = slack(BOT, "chat.postEphemeral", "channel=" DEV "&user=U0BOB&text=psst");
    assert_string_equal(text_at(v, "message_ts"), "1771185600.000200");
    slack(BOT, "chat.postEphemeral", "channel=" DEV "&user=U0CAROL&text=psst");
    assert_slack("user_not_in_channel");
    v = slack(BOB, "conversations.history", "channel=" DEV);
    assert_int_equal(count_at(v, "messages"), 0);
}

static void a_scheduled_message_is_posted_by_the_clock(void **state)
{
    const struct json *v =
        slack(ALICE, "chat.scheduleMessage", "channel=" DEV "&text=later&post_at=1771185900");
    assert_slack(NULL);
    assert_string_equal(text_at(v, "message.type"), "message");
    assert_null(value_at(v, "message.ts"));
    assert_int_equal(text_at(v, "scheduled_message_id")[0], 'Q');
    slack(ALICE, "chat.scheduleMessage", "channel=" DEV "&text=x&post_at=1771185600");
    assert_slack("time_in_past");
    slack(ALICE, "chat.scheduleMessage", "channel=" DEV "&text=x&post_at=1871185600");
    assert_slack("time_too_far");
    slack(ALICE, "chat.scheduleMessage", "channel=" DEV "&text=x&post_at=soon");
    assert_slack("invalid_time");
    v = slack(ALICE, "chat.scheduleMessage", "channel=" DEV "&text=never&post_at=1771186000");
    const char *id = text_at(v, "scheduled_message_id");
    v = slack(ALICE, "chat.scheduledMessages.list", "%s", "");
    assert_string_equal(column(v, "scheduled_messages", "text"), "later never");
    v = slack(ALICE, "chat.scheduledMessages.list", "oldest=1771185901");
    assert_string_equal(column(v, "scheduled_messages", "text"), "never");
    v = slack(ALICE, "chat.scheduledMessages.list", "oldest=1771185900&latest=1771185999");
    assert_string_equal(column(v, "scheduled_messages", "text"), "later");
    v = slack(ALICE, "chat.scheduledMessages.list", "limit=1");
    v = slack(ALICE, "chat.scheduledMessages.list", "oldest=1771185900&limit=1&cursor=%s",
              text_at(v, "response_metadata.next_cursor"));
    assert_string_equal(column(v, "scheduled_messages", "text"), "never");
    slack(ALICE, "chat.deleteScheduledMessage", "channel=" DEV "&scheduled_message_id=%s", id);
    assert_slack(NULL);
    test_advance(600);
    v = slack(BOB, "conversations.history", "channel=" DEV);
    assert_string_equal(column(v, "messages", "text"), "later");
    assert_string_equal(text_at(v, "messages.0.ts"), "1771185900.000000");
    v = slack(ALICE, "chat.scheduledMessages.list", "%s", "");
    assert_int_equal(count_at(v, "scheduled_messages"), 0);
}

/* Who has left a private channel, what was to be answered to: neither is there when it is time. */
static void what_its_author_cannot_post_is_dropped(void **state)
{
    (void)state;
    slack(ALICE, "conversations.invite", "channel=" SECRET "&users=U0BOB,U0DEPLOY");
    const char *ts = text_at(slack(ALICE, "chat.postMessage", "channel=" DEV "&text=root"), "ts");
    slack(BOB, "chat.scheduleMessage", "channel=" SECRET "&text=a&post_at=1771185900");
    slack(BOB, "chat.scheduleMessage", "channel=" DEV "&text=b&post_at=1771185900");
    slack(BOB, "chat.scheduleMessage", "channel=" DEV "&text=c&thread_ts=%s&post_at=1771185900",
          ts);
    slack(BOT, "chat.scheduleMessage", "channel=" SECRET "&text=d&post_at=1771185900");
    slack(BOT, "chat.scheduleMessage", "channel=" GENERAL "&text=e&post_at=1771185900");
    assert_slack(NULL);
    slack(ALICE, "conversations.kick", "channel=" SECRET "&user=U0BOB");
    slack(ALICE, "chat.delete", "channel=" DEV "&ts=%s", ts);
    assert_slack(NULL);
    test_advance(600);
    const struct json *v = slack(ALICE, "conversations.history", "channel=" SECRET);
    assert_string_equal(text_at(v, "messages.0.text"), "d");
    assert_null(strstr(column(v, "messages", "text"), "a "));
    v = slack(ALICE, "conversations.history", "channel=" DEV);
    assert_string_equal(column(v, "messages", "text"), "b");
    v = slack(ALICE, "conversations.history", "channel=" GENERAL);
    assert_string_equal(text_at(v, "messages.0.text"), "e");
    slack(BOT, "chat.scheduleMessage", "channel=" SECRET "&text=f&post_at=1771187000");
    assert_slack(NULL);
    slack(BOT, "apps.uninstall", "client_id=1.2&client_secret=hush");
    assert_slack(NULL);
    test_advance(3600);
    v = slack(ALICE, "conversations.history", "channel=" SECRET);
    assert_string_equal(text_at(v, "messages.0.text"), "d");
}

static void a_changed_text_may_be_long_as_markdown(void **state)
{
    (void)state;
    const char *ts = text_at(slack(ALICE, "chat.postMessage", "channel=" DEV "&text=x"), "ts");
    const char *text = slack_form("{n4001}");
    slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&text=%s", ts, text);
    assert_slack("msg_too_long");
    slack(ALICE, "chat.update", "channel=" DEV "&ts=%s&markdown_text=%s", ts, text);
    assert_slack(NULL);
}

static void other_names_need_a_scope(void **state)
{
    slack_scoped(BOT, "chat:write", "chat.postMessage", "channel=" DEV "&text=x&username=Robo");
    assert_slack("missing_scope");
    const struct json *v = slack(BOT, "chat.postMessage",
                                 "channel=" DEV "&text=x&username=Robo&icon_emoji=:robot_face:");
    assert_string_equal(text_at(v, "message.subtype"), "bot_message");
    assert_string_equal(text_at(v, "message.username"), "Robo");
    assert_null(value_at(v, "message.user"));
}

static void an_app_renamed_reaches_somebody_by_slackbot(void **state)
{
    const struct json *v =
        slack(BOT, "chat.postMessage", "channel=U0ALICE&text=psst&username=Robo");
    const char *channel = text_at(v, "channel"), *ts = text_at(v, "ts");
    assert_slack(NULL);
    v = slack(ALICE, "conversations.info", "channel=%s", channel);
    assert_string_equal(text_at(v, "channel.user"), "USLACKBOT");
    v = slack(ALICE, "conversations.history", "channel=%s&limit=1", channel);
    assert_string_equal(text_at(v, "messages.0.username"), "Robo");
    slack(BOT, "chat.delete", "channel=%s&ts=%s", channel, ts);
    assert_slack("channel_not_found");
    v = slack(BOT, "chat.postMessage", "channel=U0ALICE&text=by myself");
    assert_string_not_equal(text_at(v, "channel"), channel);
}

static void metadata_is_shown_to_who_asks(void **state)
{
    slack_json(BOT, "chat.postMessage",
               "{'channel':'C0DEV','text':'x','metadata':{'event_type':'t','event_payload':"
               "{'a':1}}}");
    assert_slack(NULL);
    const struct json *v = slack(BOB, "conversations.history", "channel=" DEV);
    assert_null(value_at(v, "messages.0.metadata"));
    v = slack(BOB, "conversations.history", "channel=" DEV "&include_all_metadata=true");
    assert_string_equal(text_at(v, "messages.0.metadata.event_type"), "t");
    slack(BOT, "chat.postMessage", "channel=" DEV "&text=x&metadata={");
    assert_slack("invalid_metadata_format");
    slack(BOT, "chat.postMessage", "channel=" DEV "&text=x&metadata={\"event_type\":\"t\"}");
    assert_slack("invalid_metadata_schema");
}

static void streams_grow(void **state)
{
    slack(BOT, "chat.startStream", "channel=" DEV "&markdown_text=Hello");
    assert_slack("missing_recipient_user_id");
    const struct json *v = slack(BOT, "chat.startStream",
                                 "channel=" DEV "&markdown_text=Hello&recipient_user_id=U0BOB&"
                                 "recipient_team_id=T0ACME");
    assert_slack(NULL);
    const char *ts = text_at(v, "ts");
    slack(BOT, "chat.update", "channel=" DEV "&ts=%s&text=x", ts);
    assert_slack("streaming_state_conflict");
    slack(BOT, "chat.appendStream", "channel=" DEV "&ts=%s&markdown_text=%%20**all**", ts);
    assert_slack(NULL);
    v = slack(BOT, "chat.stopStream", "channel=" DEV "&ts=%s&markdown_text=!", ts);
    assert_string_equal(text_at(v, "message.text"), "Hello *all*!");
    slack(BOT, "chat.appendStream", "channel=" DEV "&ts=%s&markdown_text=x", ts);
    assert_slack("message_not_in_streaming_state");
}

static void reactions_are_counted(void **state)
{
    const char *ts = text_at(say("'text':'x'"), "ts");
    slack(BOB, "reactions.add", "channel=" DEV "&timestamp=%s&name=thumbsup", ts);
    assert_slack(NULL);
    slack(BOB, "reactions.add", "channel=" DEV "&timestamp=%s&name=%%2B1", ts);
    assert_slack("already_reacted");
    slack(ALICE, "reactions.add", "channel=" DEV "&timestamp=%s&name=%%2B1", ts);
    slack(ALICE, "reactions.add", "channel=" DEV "&timestamp=%s&name=eyes", ts);
    const struct json *v = slack(ALICE, "reactions.get", "channel=" DEV "&timestamp=%s", ts);
    assert_string_equal(json_to_text(&test_arena, value_at(v, "message.reactions")),
                        quoted("[{'name':'+1','users':['U0BOB','U0ALICE'],'count':2},"
                               "{'name':'eyes','users':['U0ALICE'],'count':1}]"));
    slack(BOB, "reactions.remove", "channel=" DEV "&timestamp=%s&name=%%2B1", ts);
    assert_slack(NULL);
    slack(BOB, "reactions.remove", "channel=" DEV "&timestamp=%s&name=%%2B1", ts);
    assert_slack("no_reaction");
    slack(BOB, "reactions.add", "channel=" DEV "&timestamp=1.000000&name=eyes");
    assert_slack("message_not_found");
    slack(BOB, "reactions.add", "channel=" DEV "&timestamp=x&name=eyes");
    assert_slack("bad_timestamp");
    slack(BOB, "reactions.add", "channel=" DEV "&timestamp=%s&name=NO WAY", ts);
    assert_slack("invalid_name");
    v = slack(ALICE, "reactions.list", "page=1");
    assert_int_equal(number_at(v, "paging.total"), 1);
    assert_null(value_at(v, "response_metadata"));
}

/* Not even how much there is. */
static void reactions_in_channels_of_others_are_not_counted(void **state)
{
    const char *secret = arena_strdup(
        &test_arena, text_at(slack(ALICE, "chat.postMessage", "channel=" SECRET "&text=x"), "ts"));
    const char *open = arena_strdup(
        &test_arena, text_at(slack(ALICE, "chat.postMessage", "channel=" DEV "&text=x"), "ts"));
    slack(ALICE, "reactions.add", "channel=" DEV "&timestamp=%s&name=eyes", open);
    slack(ALICE, "reactions.add", "channel=" SECRET "&timestamp=%s&name=eyes", secret);
    const struct json *v = slack(ALICE, "reactions.list", "page=1");
    assert_int_equal(number_at(v, "paging.total"), 2);
    v = slack(BOB, "reactions.list", "user=U0ALICE&count=1");
    assert_int_equal(number_at(v, "paging.total"), 1);
    assert_int_equal(number_at(v, "paging.pages"), 1);
    assert_string_equal(text_at(v, "items.0.message.ts"), open);
    v = slack(BOB, "reactions.list", "user=U0ALICE&count=1&page=2");
    assert_int_equal(count_at(v, "items"), 0);
}

/* With limit and cursor instead of count and page. */
static void what_is_marked_is_listed_by_cursors(void **state)
{
    static const char *const methods[][2] = {{"reactions.list", "reactions.add"},
                                             {"stars.list", "stars.add"}};
    for (int i = 0; i < 3; i++) {
        const char *ts = text_at(say("'text':'m%d'", i), "ts");
        for (size_t k = 0; k < 2; k++)
            slack(BOB, methods[k][1], "channel=" DEV "&name=eyes&timestamp=%s", ts);
    }
    for (size_t k = 0; k < 2; k++) {
        const struct json *v = slack(BOB, methods[k][0], "limit=2");
        assert_string_equal(column(v, "items", "message.text"), "m2 m1");
        v = slack(BOB, methods[k][0], "limit=2&cursor=%s",
                  text_at(v, "response_metadata.next_cursor"));
        assert_string_equal(column(v, "items", "message.text"), "m0");
        assert_string_equal(text_at(v, "response_metadata.next_cursor"), "");
        slack(BOB, methods[k][0], "cursor=x");
        assert_slack("invalid_cursor");
        slack(BOB, methods[k][0], "limit=x");
        assert_slack("invalid_limit");
    }
}

static void pins_are_listed(void **state)
{
    const char *ts = text_at(say("'text':'x'"), "ts");
    slack(BOB, "pins.add", "channel=" DEV "&timestamp=%s", ts);
    assert_slack(NULL);
    slack(BOB, "pins.add", "channel=" DEV "&timestamp=%s", ts);
    assert_slack("already_pinned");
    const struct json *v = slack(BOB, "pins.list", "channel=" DEV);
    assert_string_equal(text_at(v, "items.0.created_by"), "U0BOB");
    v = slack(BOB, "conversations.history", "channel=" DEV);
    assert_int_equal(number_at(v, "pin_count"), 1);
    assert_string_equal(column(v, "messages.0.pinned_to", ""), "C0DEV");
    slack(BOB, "pins.remove", "channel=" DEV "&timestamp=%s", ts);
    slack(BOB, "pins.remove", "channel=" DEV "&timestamp=%s", ts);
    assert_slack("no_pin");
    slack(BOB, "stars.add", "channel=" DEV "&timestamp=%s", ts);
    slack(BOB, "stars.add", "channel=" DEV "&timestamp=%s", ts);
    assert_slack("already_starred");
    v = slack(BOB, "stars.list", "%s", "");
    assert_int_equal(number_at(v, "paging.total"), 1);
    slack(BOB, "stars.remove", "channel=" DEV "&timestamp=%s", ts);
    slack(BOB, "stars.remove", "channel=" DEV "&timestamp=%s", ts);
    assert_slack("not_starred");
}

static const char *linked(const char *text, const char *how)
{
    const struct json *v =
        slack(ALICE, "chat.postMessage", "channel=" DEV "&text=%s&%s", text, how);
    assert_slack(NULL);
    return text_at(v, "message.text");
}

static void names_become_references(void **state)
{
    const struct json *v = slack(ALICE, "usergroups.create", "name=Ops&handle=ops");
    const char *ops = arena_printf(&test_arena, "<!subteam^%s|@ops>", text_at(v, "usergroup.id"));
    assert_string_equal(linked("@ops.", "link_names=1"), arena_printf(&test_arena, "%s.", ops));
    assert_string_equal(linked("@ops", "parse=full"), ops);
    assert_string_equal(linked("@ops", "parse=none"), "@ops");
    assert_string_equal(linked("a@ops @@ops @ #", "link_names=1"), "a@ops @@ops @ #");
    assert_string_equal(linked("%23dev %23vault %23secret", "parse=full"),
                        "<#C0DEV|dev> #vault <#C0SECRET|>");
    assert_string_equal(linked("%23dev @bob @here", "link_names=1"), "#dev @bob @here");
    assert_string_equal(linked("@bob @here <%23C0DEV> <@ops", "parse=full"),
                        "@bob <!here> &lt;#C0DEV&gt; &lt;@ops");
    slack(ALICE, "usergroups.disable", "usergroup=%s", text_at(v, "usergroup.id"));
    assert_string_equal(linked("@ops", "link_names=1"), "@ops");
}

static void what_is_hostile_is_refused(void **state)
{
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < 13000; i++)
        buf_puts(&b, "@a ");
    slack(ALICE, "chat.postMessage", "channel=" DEV "&parse=full&text=%s", buf_str(&b));
    assert_slack(NULL);
    buf_clear(&b);
    for (int i = 0; i < 40000; i++)
        buf_puts(&b, i % 3 ? "<*_" : "`~:");
    slack_json(ALICE, "chat.postMessage", "{'channel':'C0DEV','text':'%s'}", buf_str(&b));
    assert_slack(NULL);
    buf_clear(&b);
    for (int i = 0; i < 5000; i++)
        buf_puts(&b, "[");
    slack(ALICE, "chat.postMessage", "channel=" DEV "&blocks=%s", buf_str(&b));
    assert_slack("invalid_blocks_format");
    buf_done(&b);
}

/* The link is a part of the place that a fault is at. */
static void what_is_shown_of_a_long_link_is_checked(void **state)
{
    static const size_t lengths[] = {100, 183, 184, 187, 191, 192, 199, 400, 900};
    char link[1000] = "https://acme.example/";
    (void)state;
    memset(link + strlen(link), 'x', sizeof link - strlen(link));
    for (size_t i = 0; i < SOSIA_LEN(lengths); i++) {
        int n = (int)lengths[i];
        const char *ts =
            text_at(slack(ALICE, "chat.postMessage", "channel=" DEV "&text=%.*s", n, link), "ts");
        const struct json *v = slack_json(
            BOT, "chat.unfurl",
            "{'channel':'C0DEV','ts':'%s','unfurls':{'%.*s':{'blocks':[{'type':'divider',"
            "'block_id':'a'},{'type':'divider','block_id':'a'},{'type':'context','elements':["
            "{'type':'no'}]}]}}}",
            ts, n, link);
        assert_slack("cannot_parse_attachment");
        const char *said = text_at(v, "response_metadata.messages.0");
        assert_non_null(strstr(said, "`block_id` \"a\" already exists"));
        assert_non_null(strstr(said, "[json-pointer:/unfurls/https://acme.example/xxx"));
        assert_non_null(strstr(text_at(v, "response_metadata.messages.1"), "unsupported type: no"));
        slack_json(BOT, "chat.unfurl",
                   "{'channel':'C0DEV','ts':'%s','unfurls':{'%.*s':{'blocks':[{'type':'divider'}]"
                   "}}}",
                   ts, n, link);
        assert_slack(NULL);
    }
}

static void more_links_than_a_message_can_keep_are_refused(void **state)
{
    const size_t n = 900000;
    char *text = malloc(n + 1);
    (void)state;
    memset(text, 'x', n);
    text[n] = 0;
    const char *ts = text_at(slack(ALICE, "chat.postMessage",
                                   "channel=" DEV "&text=https://a.example/1+https://a.example/2+"
                                   "https://a.example/3+https://a.example/4+https://a.example/5"),
                             "ts");
    for (int i = 1; i <= 5; i++) {
        slack_json(BOT, "chat.unfurl",
                   "{'channel':'C0DEV','ts':'%s','unfurls':{'https://a.example/%d':{'text':'%s'}}}",
                   ts, i, text);
        assert_slack(i < 5 ? NULL : "cannot_parse_attachment");
    }
    free(text);
    const struct json *v = slack(ALICE, "conversations.history", "channel=" DEV "&limit=1");
    assert_slack(NULL);
    assert_int_equal(value_at(v, "messages.0.attachments")->n, 4);
}

/* An id has room for so many seconds. */
static void nobody_posts_after_2242(void **state)
{
    const int64_t last_s = (INT64_C(1) << 33) - 1;
    (void)state;
    assert_int_equal(
        sosia_clock_set(test_engine, test_world, last_s * 1000000 - 1000000, &test_err), 0);
    slack(ALICE, "chat.postMessage", "channel=" DEV "&text=last");
    assert_slack(NULL);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(
            sosia_clock_set(test_engine, test_world, (last_s + i * 100) * 1000000, &test_err), 0);
        slack(ALICE, "chat.postMessage", "channel=" DEV "&text=late");
        assert_slack("internal_error");
    }
    slack(ALICE, "conversations.history", "channel=" DEV);
    assert_slack(NULL);
}

static const char *read_up_to(const char *who, const char *root)
{
    const struct json *v = slack(who, "conversations.replies", "channel=" DEV "&ts=%s", root);
    assert_slack(NULL);
    assert_true(true_at(v, "messages.0.subscribed"));
    return text_at(v, "messages.0.last_read");
}

/* By his own last message that is left, after a dump as before. */
static void followers_have_read_what_they_wrote(void **state)
{
    const char *root =
        text_at(slack(ALICE, "chat.postMessage", "channel=" DEV "&text=Who is here?"), "ts");
    const char *one =
        text_at(slack(BOB, "chat.postMessage", "channel=" DEV "&text=I&thread_ts=%s", root), "ts");
    const char *two = text_at(
        slack(BOB, "chat.postMessage", "channel=" DEV "&text=too&thread_ts=%s", root), "ts");
    assert_string_equal(read_up_to(ALICE, root), root);
    assert_string_equal(read_up_to(BOB, root), two);
    slack(BOB, "chat.delete", "channel=" DEV "&ts=%s", two);
    assert_slack(NULL);
    assert_string_equal(read_up_to(BOB, root), one);
    test_use(json_to_text(&test_arena, test_dump()));
    assert_string_equal(read_up_to(BOB, root), one);
    assert_string_equal(read_up_to(ALICE, root), root);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(texts_become_rich_text),
        slack_test(code_is_fenced_within_a_line),
        slack_test(three_signs_quote_all_that_follows),
        slack_test(styles_that_touch_are_characters),
        slack_test(marks_stay_characters_where_that_is_wanted),
        slack_test(emoji_become_names),
        slack_test(names_of_emoji_have_code_points),
        slack_test(all_emoji_are_found),
        slack_test(texts_are_stored_with_escapes),
        slack_test(a_message_is_changed_by_its_author_alone),
        slack_test(a_deleted_thread_leaves_a_tombstone),
        slack_test(links_lead_into_threads),
        slack_test(only_one_person_sees_an_ephemeral_message),
        slack_test(a_scheduled_message_is_posted_by_the_clock),
        slack_test(other_names_need_a_scope),
        slack_test(what_its_author_cannot_post_is_dropped),
        slack_test(a_changed_text_may_be_long_as_markdown),
        slack_test(an_app_renamed_reaches_somebody_by_slackbot),
        slack_test(metadata_is_shown_to_who_asks),
        slack_test(streams_grow),
        slack_test(reactions_are_counted),
        slack_test(pins_are_listed),
        slack_test(what_is_marked_is_listed_by_cursors),
        slack_test(reactions_in_channels_of_others_are_not_counted),
        slack_test(names_become_references),
        slack_test(what_is_hostile_is_refused),
        slack_test(what_is_shown_of_a_long_link_is_checked),
        slack_test(more_links_than_a_message_can_keep_are_refused),
        slack_test(nobody_posts_after_2242),
        slack_test(followers_have_read_what_they_wrote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
