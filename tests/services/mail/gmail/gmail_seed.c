/* SPDX-License-Identifier: Apache-2.0 */
/* Gmail's settings in seed documents, dumps, diffs and imported worlds. */
#include "tests/support/gmail.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

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

/* ---- imported worlds ---- */

static void import_after(const char *sql, const char *why)
{
    char path[] = "/tmp/sosia-gmail-XXXXXX";
    sqlite3 *db;
    uint64_t w;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    if (sosia_world_export(test_engine, test_world, path, &err) < 0)
        fail_msg("export: %s", err.text);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
    int rc = sosia_world_import(test_engine, path, NULL, &w, &err);
    unlink(path);
    if (!why) {
        if (rc < 0)
            fail_msg("%s: %s", sql, err.text);
        sosia_world_drop(test_engine, w, &err);
        return;
    }
    if (rc == 0 || !strstr(err.text, why))
        fail_msg("%s: \"%s\" is not in \"%s\"", sql, why, rc ? err.text : "");
}

static void rows_that_mean_nothing_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"update mail_setting set value = 'x'", "json_valid"},
        {"update mail_setting set value = '[]'", "json_valid"},
        {"update mail_setting set kind = 'other' where kind = 'gmail.pop'", "is of no kind"},
        {"update mail_setting set key = 'x' where kind = 'vacation'", "is there twice"},
        {"update mail_setting set key = 'x' where kind = 'gmail.smime'", "has no address"},
        {"update mail_setting set key = 'x' where key like 'sales%'", "sendAs of ada@acme.example"},
        {"update mail_setting set key = 'x' || char(10) where kind = 'forward' and key like 'y%'",
         "forwardingAddresses of ada@acme.example"},
        {"update mail_setting set key = 'x@far.example' where kind = 'delegate'",
         "Invalid delegate"},
        {"update mail_setting set value = '{\"on\":true}' where kind = 'autoForward'",
         "autoForwarding of ada@acme.example"},
        {"update mail_setting set value = '{\"on\":true}' where kind = 'vacation'",
         "vacation of ada@acme.example"},
        {"update mail_setting set value = '{\"from\":-5000}' where kind = 'vacation'",
         "Invalid startTime"},
        {"update mail_setting set value = '{}' where kind = 'filter'", "a filter's query is none"},
        {"update mail_setting set value = json_set(value, '$.query.kids[0]', json('{}')) "
         "where kind = 'filter'",
         "a filter's query is none"},
        {"update mail_setting set value = json_set(value, '$.add[0]', 16777216 + 40) "
         "where kind = 'filter'",
         "a filter's label is none"},
        {"update mail_setting set value = json_set(value, '$.said', 5) where kind = 'filter'",
         "a filter's query is none"},
        {"update mail_setting set value = json_set(value, '$.said', json('{}')) "
         "where kind = 'filter'",
         "Filter doesn't have any criteria"},
        {"update mail_setting set value = '{}' where kind = 'gmail.language'",
         "Invalid display language"},
        {"update mail_setting set value = '{\"emails\":[5]}' where kind = 'gmail.keypair'",
         "must be a text"},
        {"update mail_setting set value = '{}' where kind = 'gmail.identity'",
         "Exactly one key pair configuration must be set"},
    };
    (void)state;
    test_use(RICH);
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
        gm_test(rows_that_mean_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
