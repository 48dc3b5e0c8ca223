/* SPDX-License-Identifier: Apache-2.0 */
/* Gmail's settings in seed documents, dumps, diffs and imported worlds. */
#include "tests/support/gmail.h"
#include <stdlib.h>

#define HEAD                                                                                       \
    "sosia: 1\ntime: 2026-11-23T08:00:00Z\norganizations: [{domain: acme.example}]\npeople:\n"     \
    "  - {email: ada@acme.example, name: Ada}\n  - {email: bob@acme.example, name: Bob}\n"

#define RICH                                                                                       \
    HEAD                                                                                           \
        "mailboxes:\n  - {person: ada@acme.example, labels: [{name: Plans, number: 3}]}\n"         \
        "gmail:\n"                                                                                 \
        "  - person: ada@acme.example\n"                                                           \
        "    sendAs:\n"                                                                            \
        "      - {sendAsEmail: ada@acme.example, displayName: Ada L., signature: <b>A</b>}\n"      \
        "      - {sendAsEmail: sales@acme.example, treatAsAlias: true, isDefault: true}\n"         \
        "      - {sendAsEmail: x@far.example, verificationStatus: pending, confirmation: abc,\n"   \
        "         smtpMsa: {host: smtp.far.example, port: 465, securityMode: ssl}}\n"              \
        "    forwardingAddresses:\n"                                                               \
        "      - {forwardingEmail: bob@acme.example, verificationStatus: accepted}\n"              \
        "      - {forwardingEmail: y@far.example, verificationStatus: pending, confirmation: d}\n" \
        "    autoForwarding: {enabled: true, emailAddress: bob@acme.example,\n"                    \
        "      disposition: archive}\n"                                                            \
        "    delegates: [{delegateEmail: bob@acme.example}]\n"                                     \
        "    filters:\n"                                                                           \
        "      - id: ANe1BmOne\n"                                                                  \
        "        criteria: {from: bob, hasAttachment: true, size: 100, sizeComparison: larger}\n"  \
        "        action: {addLabelIds: [Plans, STARRED], removeLabelIds: [INBOX]}\n"               \
        "      - {criteria: {query: label:plans}, action: {forward: bob@acme.example}}\n"          \
        "    vacation: {enableAutoReply: true, responseSubject: Away,\n"                           \
        "      responseBodyHtml: <p>Gone</p>, restrictToDomain: true,\n"                           \
        "      startTime: 1795420800000, endTime: '1795507200000'}\n"                              \
        "    imap: {autoExpunge: true, expungeBehavior: trash, maxFolderSize: 1000}\n"             \
        "    pop: {accessWindow: fromNowOn, disposition: archive}\n"                               \
        "    language: {displayLanguage: it}\n"                                                    \
        "    smimeInfo:\n"                                                                         \
        "      - {sendAsEmail: ada@acme.example, id: '7', issuerCn: CA, isDefault: true,\n"        \
        "         expiration: 1900000000000, pem: PEM}\n"                                          \
        "    cseKeyPairs:\n"                                                                       \
        "      - {keyPairId: ANe1BmPair, pem: PEM, subjectEmailAddresses: [ada@acme.example],\n"   \
        "         enablementState: disabled, disableTime: '2026-11-20T08:00:00.000Z',\n"           \
        "         privateKeyMetadata: [{privateKeyMetadataId: k, hardwareKeyMetadata:\n"           \
        "           {description: card}}]}\n"                                                      \
        "    cseIdentities: [{emailAddress: ada@acme.example, primaryKeyPairId: ANe1BmPair}]\n"

static struct sosia_err err;

static char *dump_of(uint64_t world)
{
    struct sosia_blob blob;
    if (sosia_world_dump(test_engine, world, &blob, &err) < 0)
        fail_msg("dump: %s", err.text);
    return blob.data;
}

static void a_rich_world_comes_back_from_its_dump(void **state)
{
    (void)state;
    test_use(RICH);
    char *first = dump_of(test_world);
    test_use(first);
    char *second = dump_of(test_world);
    assert_string_equal(first, second);
    assert_non_null(strstr(first, "\"gmail\""));
    free(first);
    free(second);
}

static void what_was_seeded_is_what_programs_see(void **state)
{
    (void)state;
    test_use(RICH);
    gm_get(ADA, 200, "/settings/sendAs");
    assert_answer(
        "{'sendAs':[{'sendAsEmail':'ada@acme.example','displayName':'Ada L.','replyToAddress':'',"
        "'signature':'<b>A</b>','isPrimary':true},"
        "{'sendAsEmail':'sales@acme.example','displayName':'','replyToAddress':'','signature':'',"
        "'isDefault':true,'treatAsAlias':true,'verificationStatus':'accepted'},"
        "{'sendAsEmail':'x@far.example','displayName':'','replyToAddress':'','signature':'',"
        "'treatAsAlias':false,'smtpMsa':{'host':'smtp.far.example','port':465,'securityMode':"
        "'ssl'},'verificationStatus':'pending'}]}");
    gm_get(ADA, 200, "/settings/filters");
    assert_answer(
        "{'filter':[{'id':'ANe1BmOne','criteria':{'from':'bob','hasAttachment':true,'size':100,"
        "'sizeComparison':'larger'},'action':{'addLabelIds':['Label_3','STARRED'],"
        "'removeLabelIds':['INBOX']}},{'id':'*','criteria':{'query':'label:plans'},'action':"
        "{'forward':'bob@acme.example'}}]}");
    gm_get(ADA, 200, "/settings/autoForwarding");
    assert_answer("{'enabled':true,'emailAddress':'bob@acme.example','disposition':'archive'}");
    gm_get(ADA, 200, "/settings/vacation");
    assert_answer("{'enableAutoReply':true,'responseSubject':'Away','responseBodyHtml':"
                  "'<p>Gone</p>','restrictToContacts':false,'restrictToDomain':true,'startTime':"
                  "'1795420800000','endTime':'1795507200000'}");
    gm_get(ADA, 200, "/settings/cse/keypairs/ANe1BmPair");
    assert_answer("{'keyPairId':'ANe1BmPair','pem':'PEM','subjectEmailAddresses':"
                  "['ada@acme.example'],'enablementState':'disabled','disableTime':"
                  "'2026-11-20T08:00:00.000Z','privateKeyMetadata':[{'privateKeyMetadataId':'k',"
                  "'hardwareKeyMetadata':{'description':'card'}}]}");
    gm_get(ADA, 200, "/settings/sendAs/ada@acme.example/smimeInfo");
    assert_answer("{'smimeInfo':[{'id':'7','issuerCn':'CA','isDefault':true,'expiration':"
                  "'1900000000000','pem':'PEM'}]}");
    gm_get(BOB, 200, "/settings/filters");
    assert_answer("{}");
}

static void what_was_seeded_acts(void **state)
{
    struct sosia_header none = {0};
    (void)state;
    test_use(RICH);
    gm_send(BOB, "To: ada@acme.example\nSubject: s\n\nHi\n", "");
    const struct json *m = gm_get(ADA, 200, "/messages/%s?format=minimal", gm_newest(ADA));
    assert_string_equal(labels_of(m), "CATEGORY_PERSONAL UNREAD");
    m = gm_get(BOB, 200, "/messages/%s", gm_newest(BOB));
    assert_string_equal(header(m, "Subject"), "Away Re: s");
    test_request("GET", "/mail/vf-1-d", &none, 0, "", 0);
    assert_int_equal(test_status, 200);
    gm_get(ADA, 200, "/settings/forwardingAddresses/y@far.example");
    assert_answer("{'forwardingEmail':'y@far.example','verificationStatus':'accepted'}");
}

/* A deleted label is removed from filters, and no dump names it. */
static void labels_that_are_gone_leave_filters(void **state)
{
    (void)state;
    test_use(RICH);
    gm(ADA, "DELETE", "/labels/Label_3", NULL);
    gm_get(ADA, 200, "/settings/filters/ANe1BmOne");
    assert_answer("{'id':'ANe1BmOne','criteria':{'from':'bob','hasAttachment':true,'size':100,"
                  "'sizeComparison':'larger'},'action':{'addLabelIds':['STARRED'],"
                  "'removeLabelIds':['INBOX']}}");
    char *first = dump_of(test_world);
    test_use(first);
    char *second = dump_of(test_world);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void documents_with_faults_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"gmail: {}", "gmail: must be a list"},
        {"gmail: [{}]", "gmail[0].person: "},
        {"gmail: [{person: nobody@acme.example}]", "nobody with a mailbox has the address"},
        {"gmail: [{person: ada@acme.example, filter: []}]", "gmail[0].filter: "},
        {"gmail: [{person: ada@acme.example, filters: {}}]", "gmail[0].filters: must be a list"},
        {"gmail: [{person: ada@acme.example, filters: [x]}]",
         "gmail[0].filters[0]: must be an object"},
        {"gmail: [{person: ada@acme.example, filters: [{}]}]",
         "gmail[0].filters[0]: Filter doesn't have any criteria"},
        {"gmail: [{person: ada@acme.example, filters: [{criteria: {from: a}, action: "
         "{addLabelIds: [Plans]}}]}]",
         "gmail[0].filters[0]: Invalid label: Plans"},
        {"gmail: [{person: ada@acme.example, filters: [{criteria: {form: a}}]}]",
         "gmail[0].filters[0].criteria.form: unknown member"},
        {"gmail: [{person: ada@acme.example, filters: [{criteria: {from: 5}}]}]",
         "gmail[0].filters[0].criteria.from: must be a text"},
        {"gmail: [{person: ada@acme.example, filters: [{criteria: {size: x}}]}]",
         "gmail[0].filters[0].criteria.size: must be a whole number"},
        {"gmail: [{person: ada@acme.example, filters: [{action: {addLabelIds: [1]}}]}]",
         "gmail[0].filters[0].action.addLabelIds[0]: must be a text"},
        {"gmail: [{person: ada@acme.example, filters: [{id: a, criteria: {from: a}, action: "
         "{addLabelIds: [STARRED]}}, {id: a, criteria: {from: b}, action: {addLabelIds: "
         "[STARRED]}}]}]",
         "gmail[0].filters: two of them have the same id"},
        {"gmail: [{person: ada@acme.example, sendAs: [{sendAsEmail: x@acme.example}, "
         "{sendAsEmail: X@acme.example}]}]",
         "gmail[0].sendAs: two of them have the same sendAsEmail"},
        {"gmail: [{person: ada@acme.example, vacation: {enableAutoReply: yes}}]",
         "gmail[0].vacation.enableAutoReply: must be true or false"},
        {"gmail: [{person: ada@acme.example, vacation: {enableAutoReply: true}}]",
         "gmail[0].vacation: Either a response subject or a response body must be set"},
        {"gmail: [{person: ada@acme.example, imap: {expungeBehavior: burn}}]",
         "gmail[0].imap.expungeBehavior: \"burn\" is not a value of it"},
        {"gmail: [{person: ada@acme.example, imap: {maxFolderSize: 3}}]",
         "gmail[0].imap: Invalid maxFolderSize"},
        {"gmail: [{person: ada@acme.example, language: {displayLanguage: '!'}}]",
         "gmail[0].language: Invalid display language"},
        {"gmail: [{person: ada@acme.example, delegates: [{delegateEmail: x@far.example}]}]",
         "gmail[0].delegates[0]: Invalid delegate"},
        {"gmail: [{person: ada@acme.example, smimeInfo: [{sendAsEmail: ada@acme.example}]}]",
         "gmail[0].smimeInfo[0]: Invalid id"},
        {"gmail: [{person: ada@acme.example, cseKeyPairs: [{keyPairId: k, disableTime: x}]}]",
         "gmail[0].cseKeyPairs[0]: Invalid disableTime"},
        {"gmail: [{person: ada@acme.example, watch: []}]", "gmail[0].watch: must be an object"},
        {"gmail: [{person: ada@acme.example, watch: {topic: mail}}]",
         "gmail[0].watch.topic: must be of the form"},
        {"gmail: [{person: ada@acme.example, watch: {topic: projects/p1/topics/mail, labelIds: "
         "[Plans]}}]",
         "gmail[0].watch.labelIds[0]: there is no label \"Plans\""},
        {"gmail: [{person: ada@acme.example, watch: {topic: projects/p1/topics/mail, labelIds: "
         "[1]}}]",
         "gmail[0].watch.labelIds[0]: must be a label's id or name, not 1"},
        {"gmail: [{person: ada@acme.example, watch: {topic: projects/p1/topics/mail, expires: "
         "soon}}]",
         "gmail[0].watch.expires: \"soon\" is not a time"},
        {"gmail: [{person: ada@acme.example, cseIdentities: [{emailAddress: a@b.example}]}]",
         "gmail[0].cseIdentities[0]: Exactly one key pair configuration must be set"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *doc = gm_text(HEAD "%s\n", cases[i][0]);
        struct sosia_world_options opt = {
            .seed_doc = doc, .seed_doc_len = strlen(doc), .seed_doc_name = "x"};
        uint64_t w;
        assert_int_equal(sosia_world_create(test_engine, &opt, &w, &err), -1);
        if (!strstr(err.text, cases[i][1]) || !strstr(err.text, "x:7:"))
            fail_msg("\"%s\" is not in \"%s\"", cases[i][1], err.text);
    }
}

static const char *diff(uint64_t a, uint64_t b)
{
    struct sosia_blob blob;
    if (sosia_world_diff(test_engine, a, b, &blob, &err) < 0)
        fail_msg("diff: %s", err.text);
    const char *text = gm_text("%.*s", (int)blob.len, blob.data);
    sosia_blob_free(&blob);
    return text;
}

static void diffs_show_settings(void **state)
{
    uint64_t before = test_world;
    (void)state;
    test_use(RICH);
    before = test_world;
    if (sosia_world_fork(test_engine, before, NULL, &test_world, &err) < 0)
        fail_msg("fork: %s", err.text);
    gm(ADA, "PUT", "/settings/vacation", "{'enableAutoReply':false,'responseSubject':'Back'}");
    gm(ADA, "DELETE", "/settings/filters/ANe1BmOne", NULL);
    gm(BOB, "POST", "/settings/filters",
       "{'criteria':{'from':'ada'},'action':{'addLabelIds':['STARRED']}}");
    gm(ADA, "PATCH", "/settings/sendAs/ada@acme.example", "{'signature':''}");
    assert_int_equal(test_status, 200);
    const char *text = diff(before, test_world);
    test_body = text;
    assert_answer(
        "{'changes':["
        "{'entity':'gmailSetting','change':'changed','key':{'mailbox':'ada@acme.example',"
        "'setting':'sendAs','sendAsEmail':'ada@acme.example'},'fields':{'signature':{'from':"
        "'<b>A</b>','to':''}}},"
        "{'entity':'gmailSetting','change':'removed','key':{'mailbox':'ada@acme.example',"
        "'setting':'filters','id':'ANe1BmOne'},'value':{'id':'ANe1BmOne','criteria':{'from':'bob',"
        "'hasAttachment':true,'size':100,'sizeComparison':'larger'},'action':{'addLabelIds':"
        "['Label_3','STARRED'],'removeLabelIds':['INBOX']}}},"
        "{'entity':'gmailSetting','change':'changed','key':{'mailbox':'ada@acme.example',"
        "'setting':'vacation'},'fields':{'enableAutoReply':{'from':true,'to':false},"
        "'responseSubject':{'from':'Away','to':'Back'},'responseBodyHtml':{'from':'<p>Gone</p>'},"
        "'restrictToDomain':{'from':true,'to':false},'startTime':{'from':'1795420800000'},"
        "'endTime':{'from':'1795507200000'}}},"
        "{'entity':'gmailSetting','change':'added','key':{'mailbox':'bob@acme.example','setting':"
        "'filters','id':'*'},'value':{'id':'*','criteria':{'from':'ada'},'action':{'addLabelIds':"
        "['STARRED']}}}]}");
}

static const char TOPIC[] = "pubsub_topics: [{name: projects/p1/topics/mail}]\n";

static void diffs_show_watches(void **state)
{
    uint64_t before;
    (void)state;
    test_use(gm_text(RICH "%s", TOPIC));
    before = test_world;
    if (sosia_world_fork(test_engine, before, NULL, &test_world, &err) < 0)
        fail_msg("fork: %s", err.text);
    gm(ADA, "POST", "/watch",
       "{'topicName':'projects/p1/topics/mail','labelIds':['INBOX','Label_3'],"
       "'labelFilterBehavior':'exclude'}");
    gm(BOB, "POST", "/watch", "{'topicName':'projects/p1/topics/mail'}");
    assert_int_equal(test_status, 200);
    char *text = (char *)(uintptr_t)diff(before, test_world), *to = text;
    for (const char *p = text; *p; p++)
        if (*p != ' ' && *p != '\n')
            *to++ = *p;
    *to = 0;
    assert_non_null(strstr(text, "{\"mailbox\":\"ada@acme.example\",\"topic\":"
                                 "\"projects/p1/topics/mail\",\"labelIds\":[\"INBOX\","
                                 "\"Label_3\"],\"labelFilterBehavior\":\"exclude\","
                                 "\"expires\":"));
    assert_non_null(strstr(text, "{\"mailbox\":\"bob@acme.example\",\"topic\":"
                                 "\"projects/p1/topics/mail\",\"expires\":"));
}

/* What has been published to the topic so far. */
static int published(void)
{
    const struct json *list = value_at(test_outbox(), "");
    int n = 0;
    for (uint32_t i = 0; list && i < list->n; i++)
        n += strcmp(text_at(&list->items[i], "kind"), "pubsub") == 0;
    return n;
}

static void a_watch_comes_back_from_a_dump(void **state)
{
    (void)state;
    test_use(gm_text(RICH "%s", TOPIC));
    gm(ADA, "POST", "/watch",
       "{'topicName':'projects/p1/topics/mail','labelIds':['STARRED','Label_3'],"
       "'labelFilterBehavior':'exclude'}");
    gm(BOB, "POST", "/watch", "{'topicName':'projects/p1/topics/mail'}");
    gm(ADA, "DELETE", "/labels/Label_3", NULL);
    char *first = dump_of(test_world);
    assert_non_null(strstr(first, "\"Label_3\""));
    test_use(first);
    char *second = dump_of(test_world);
    assert_string_equal(first, second);
    free(first);
    free(second);
    assert_int_equal(published(), 0);
    gm_insert(ADA, "Subject: s\n\nx\n", "");
    assert_int_equal(published(), 1);
    gm(ADA, "POST", "/watch", "{'topicName':'projects/p1/topics/other'}");
    assert_int_equal(test_status, 404);
    test_advance(8 * 86400);
    gm_insert(ADA, "Subject: s\n\nx\n", "");
    assert_int_equal(published(), 1);
    assert_null(strstr(json_to_text(&test_arena, test_dump()), "\"watch\""));
}

static void a_watch_is_seeded_with_labels_by_name(void **state)
{
    (void)state;
    test_use(gm_text(RICH "    watch: {topic: projects/p1/topics/mail, labelIds: [Plans],\n"
                          "      expires: tomorrow 10:00}\n%s",
                     TOPIC));
    const struct json *watch = value_at(test_dump(), "gmail.0.watch");
    assert_string_equal(text_at(watch, "labelIds.0"), "Label_3");
    assert_string_equal(text_at(watch, "expires"), "2026-11-24T10:00:00Z");
    gm_insert(ADA, "Subject: s\n\nx\n", "");
    assert_int_equal(published(), 0);
    gm_insert(ADA, "Subject: s\n\nx\n", ",'labelIds':['Label_3']");
    assert_int_equal(published(), 1);
}

static void diffs_have_the_history_ids_of_answers(void **state)
{
    const struct sosia_diff_options all = {.all = true};
    struct sosia_blob blob;
    uint64_t before;
    (void)state;
    test_use(HEAD);
    before = test_world;
    if (sosia_world_fork(test_engine, before, NULL, &test_world, &err) < 0)
        fail_msg("fork: %s", err.text);
    const char *id = gm_insert(ADA, "Subject: s\n\nx\n", "");
    const char *history = text_at(gm_get(ADA, 200, "/messages/%s", id), "historyId");
    if (sosia_diff(test_engine, before, test_world, &all, &blob, &err) < 0)
        fail_msg("diff: %s", err.text);
    if (!strstr(blob.data, gm_text("\"historyId\": %s", history)))
        fail_msg("%s is not in %s", history, blob.data);
    sosia_blob_free(&blob);
}

/* A world counts its ids anew: the first one is that of the filter that a dump brought. */
static void a_filter_without_an_id_takes_no_others_place(void **state)
{
    static const char bob[] = "{'criteria':{'from':'bob'},'action':{'addLabelIds':['STARRED']}}";
    (void)state;
    test_use(HEAD);
    const char *id = text_at(gm(ADA, "POST", "/settings/filters", bob), "id");
    test_use(gm_text(HEAD "gmail:\n  - person: ada@acme.example\n    filters:\n"
                          "      - {id: %s, criteria: {from: bob}, action: {addLabelIds: "
                          "[STARRED]}}\n"
                          "      - {criteria: {from: cyd}, action: {addLabelIds: [STARRED]}}\n",
                     id));
    assert_int_equal(count_at(gm_get(ADA, 200, "/settings/filters"), "filter"), 2);
}

/* ---- imported worlds ---- */

static void import_after(const char *sql, const char *why)
{
    uint64_t w;
    int rc = test_import_changed(sql, &w);
    if (!why) {
        if (rc < 0)
            fail_msg("%s: %s", sql, test_err.text);
        sosia_world_drop(test_engine, w, &test_err);
        return;
    }
    if (rc == 0 || !strstr(test_err.text, why))
        fail_msg("%s: \"%s\" is not in \"%s\"", sql, why, rc ? test_err.text : "");
}

static void rows_that_mean_nothing_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"update gmail_setting set value = 'x'", "json_valid"},
        {"update gmail_setting set value = '[]'", "json_valid"},
        {"update gmail_setting set kind = 'other' where kind = 'gmail.pop'", "is of no kind"},
        {"update gmail_setting set key = 'x' where kind = 'vacation'", "is there twice"},
        {"update gmail_setting set key = 'x' where kind = 'gmail.smime'", "has no address"},
        {"update gmail_setting set key = 'x' where key like 'sales%'",
         "sendAs of ada@acme.example"},
        {"update gmail_setting set key = 'x' || char(10) where kind = 'forward' and key like 'y%'",
         "forwardingAddresses of ada@acme.example"},
        {"update gmail_setting set key = 'x@far.example' where kind = 'delegate'",
         "Invalid delegate"},
        {"update gmail_setting set value = '{\"on\":true}' where kind = 'autoForward'",
         "autoForwarding of ada@acme.example"},
        {"update gmail_setting set value = '{\"on\":true}' where kind = 'vacation'",
         "vacation of ada@acme.example"},
        {"update gmail_setting set value = '{\"from\":-5000}' where kind = 'vacation'",
         "Invalid startTime"},
        {"update gmail_setting set value = '{}' where kind = 'filter'", "a filter's query is none"},
        {"update gmail_setting set value = json_set(value, '$.query.kids[0]', json('{}')) "
         "where kind = 'filter'",
         "a filter's query is none"},
        {"update gmail_setting set value = json_set(value, '$.add[0]', 16777216 + 40) "
         "where kind = 'filter'",
         "a filter's label is none"},
        {"update gmail_setting set value = json_set(value, '$.said', 5) where kind = 'filter'",
         "a filter's query is none"},
        {"update gmail_setting set value = json_set(value, '$.said', json('{}')) "
         "where kind = 'filter'",
         "Filter doesn't have any criteria"},
        {"update gmail_setting set value = '{}' where kind = 'gmail.language'",
         "Invalid display language"},
        {"update gmail_setting set value = '{\"emails\":[5]}' where kind = 'gmail.keypair'",
         "must be a text"},
        {"update gmail_setting set value = '{}' where kind = 'gmail.identity'",
         "Exactly one key pair configuration must be set"},
    };
    (void)state;
    test_use(RICH);
    import_after("select 1", NULL);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        import_after(cases[i][0], cases[i][1]);
}

static void watches_that_mean_nothing_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"update gmail_watch set labels = 'x'", "labels must be ids"},
        {"update gmail_watch set labels = '1 -2'", "labels must be ids"},
        {"update gmail_watch set labels = labels || ' '", "labels must be ids"},
        {"update gmail_watch set labels = (mailbox << 24) + 40", "labels must be ids"},
        {"update gmail_watch set labels = (mailbox << 24) + 64", "labels must be ids"},
        {"update gmail_watch set labels = (mailbox << 24) + 16777216", "labels must be ids"},
        {"update gmail_watch set topic = 'projects/p1/mail'", "topic must be of the form"},
        {"update gmail_watch set exclude = 2", "exclude not between"},
        {"update gmail_watch set notified = 1000000", "notified must be"},
        {"update gmail_watch set expires_us = 1 << 62", "expires_us not between"},
        {"update gmail_watch set notified_us = -(1 << 62)", "notified_us not between"},
    };
    (void)state;
    test_use(gm_text(RICH "%s", TOPIC));
    gm(ADA, "POST", "/watch", "{'topicName':'projects/p1/topics/mail','labelIds':['INBOX']}");
    assert_int_equal(test_status, 200);
    import_after("select 1", NULL);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        import_after(cases[i][0], cases[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gm_test(a_rich_world_comes_back_from_its_dump),
        gm_test(what_was_seeded_is_what_programs_see),
        gm_test(what_was_seeded_acts),
        gm_test(labels_that_are_gone_leave_filters),
        gm_test(documents_with_faults_are_refused),
        gm_test(diffs_show_settings),
        gm_test(diffs_show_watches),
        gm_test(a_watch_comes_back_from_a_dump),
        gm_test(a_watch_is_seeded_with_labels_by_name),
        gm_test(diffs_have_the_history_ids_of_answers),
        gm_test(a_filter_without_an_id_takes_no_others_place),
        gm_test(rows_that_mean_nothing_are_refused),
        gm_test(watches_that_mean_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
