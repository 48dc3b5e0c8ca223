/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Mail: settings, automatic replies, rules, categories, overrides, extensions, shared
 * mailboxes, and seed documents. */
#include "engine/base/codec.h"
#include "tests/support/outlook.h"

static void settings_are_answered_in_the_recorded_order(void **state)
{
    const struct json *v = ol_get(BOB, 200, "/mailboxSettings");
    assert_string_equal(members(v, ""),
                        "@odata.context archiveFolder timeZone "
                        "delegateMeetingMessageDeliveryOptions dateFormat timeFormat userPurpose "
                        "automaticRepliesSetting language workingHours");
    assert_string_equal(text_at(v, "timeZone"), "UTC");
    assert_string_equal(text_at(v, "automaticRepliesSetting.status"), "disabled");
    assert_string_equal(text_at(v, "workingHours.startTime"), "08:00:00.0000000");
    v = ol_do(BOB, "PATCH", "/mailboxSettings",
              "{'timeZone':'W. Europe Standard Time','workingHours':{'startTime':'09:00:00'}}",
              200);
    assert_string_equal(members(v, ""), "@odata.context timeZone workingHours");
    v = ol_get(BOB, 200, "/mailboxSettings/timeZone");
    assert_string_equal(text_at(v, "value"), "W. Europe Standard Time");
    v = ol_get(BOB, 200, "/mailboxSettings/workingHours");
    assert_string_equal(text_at(v, "startTime"), "09:00:00");
    assert_string_equal(text_at(v, "timeZone.name"), "W. Europe Standard Time");
    ol(BOB, "PATCH", "/mailboxSettings", "{'timeZone':'Mars'}");
    ol_refused(400, "InvalidTimeZone", NULL);
    ol(BOB, "PATCH", "/mailboxSettings", "{'workingHours':{'daysOfWeek':['someday']}}");
    ol_refused(400, "InvalidArguments", NULL);
    ol(BOB, "PATCH", "/mailboxSettings",
       "{'automaticRepliesSetting':{'status':'scheduled','scheduledStartDateTime':{'dateTime':"
       "'2026-11-25T00:00:00','timeZone':'UTC'},'scheduledEndDateTime':{'dateTime':"
       "'2026-11-24T00:00:00','timeZone':'UTC'}}}");
    ol_refused(400, "ErrorInvalidTimeSettings", NULL);
}

static void automatic_replies_answer_once(void **state)
{
    ol_do(BOB, "PATCH", "/mailboxSettings",
          "{'automaticRepliesSetting':{'status':'alwaysEnabled','externalAudience':'all',"
          "'internalReplyMessage':'<p>Inside</p>','externalReplyMessage':'<p>Outside</p>'}}",
          200);
    ol_send(CYD, BOB, "Hello", "x");
    ol_send(CYD, BOB, "Again", "x");
    const struct json *v = ol_get(CYD, 200, "/mailFolders/inbox/messages");
    assert_string_equal(column(v, "value", "subject"), "Automatic reply: Hello");
    assert_non_null(strstr(text_at(v, "value.0.body.content"), "<p>Inside</p>"));
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    /* "To: bob@port.example", "Subject: Hi" */
    const char *body = "{\"raw\":\"VG86IGJvYkBwb3J0LmV4YW1wbGUNClN1YmplY3Q6IEhpDQoNCkhpDQo=\"}";
    test_request("POST", "/gmail/v1/users/me/messages/send", headers, 2, body, strlen(body));
    assert_int_equal(test_status, 200);
    v = test_request("GET", "/gmail/v1/users/me/messages?q=Outside", headers, 2, "", 0);
    assert_int_equal(count_at(v, "messages"), 1);
    v = ol_do(CYD, "POST", "/getMailTips",
              "{'EmailAddresses':['bob@port.example'],'MailTipsOptions':'automaticReplies'}", 200);
    assert_string_equal(text_at(v, "value.0.automaticReplies.message"), "<p>Inside</p>");
}

static void rules_act_in_their_order(void **state)
{
    const struct json *v = ol_do(
        BOB, "POST", "/mailFolders/inbox/messageRules",
        "{'displayName':'Invoices','sequence':2,'isEnabled':true,'conditions':{"
        "'subjectContains':['invoice']},'actions':{'moveToFolder':'archive','markAsRead':true,"
        "'assignCategories':['Money']}}",
        201);
    assert_string_equal(members(v, ""),
                        "@odata.context id displayName sequence isEnabled hasError isReadOnly "
                        "conditions actions");
    assert_int_equal(strlen(text_at(v, "id")), 12);
    assert_string_equal(text_at(v, "actions.moveToFolder"),
                        text_at(ol_get(BOB, 200, "/mailFolders/archive"), "id"));
    ol_send(CYD, BOB, "Your invoice", "x");
    ol_send(CYD, BOB, "Hello", "x");
    assert_string_equal(column(ol_get(BOB, 200, "/mailFolders/inbox/messages"), "value", "subject"),
                        "Hello");
    const char *id = text_at(v, "id");
    v = ol_get(BOB, 200, "/mailFolders/archive/messages");
    assert_string_equal(text_at(v, "value.0.subject"), "Your invoice");
    assert_true(true_at(v, "value.0.isRead"));
    assert_string_equal(printed_at(v, "value.0.categories"), "[\"Money\"]");
    ol_do(BOB, "POST", "/mailFolders/inbox/messageRules",
          "{'displayName':'First','sequence':1,'conditions':{'senderContains':['cyd']},'actions':{"
          "'stopProcessingRules':true,'delete':true},'exceptions':{'subjectContains':['keep']}}",
          201);
    ol_send(CYD, BOB, "Another invoice", "x");
    ol_send(CYD, BOB, "keep this", "x");
    assert_int_equal(count_at(ol_get(BOB, 200, "/mailFolders/deleteditems/messages"), "value"), 1);
    assert_string_equal(column(ol_get(BOB, 200, "/mailFolders/inbox/messages"), "value", "subject"),
                        "keep this Hello");
    v = ol_do(BOB, "PATCH", ol_text("/mailFolders/inbox/messageRules/%s", id),
              "{'isEnabled':false}", 200);
    assert_false(true_at(v, "isEnabled"));
    assert_string_equal(
        column(ol_get(BOB, 200, "/mailFolders/inbox/messageRules"), "value", "displayName"),
        "First Invoices");
    ol_do(BOB, "DELETE", ol_text("/mailFolders/inbox/messageRules/%s", id), NULL, 204);
    ol(BOB, "GET", ol_text("/mailFolders/inbox/messageRules/%s", id), NULL);
    ol_refused(404, "ErrorItemNotFound", NULL);
    ol(BOB, "POST", "/mailFolders/inbox/messageRules", "{'displayName':'None','actions':{}}");
    ol_refused(400, "ErrorInvalidRequest", NULL);
    ol(BOB, "GET", "/mailFolders/archive/messageRules", NULL);
    assert_int_equal(test_status, 400);
}

static void categories_and_overrides_are_kept(void **state)
{
    const struct json *v = ol_do(BOB, "POST", "/outlook/masterCategories",
                                 "{'displayName':'Project','color':'preset9'}", 201);
    const char *id = text_at(v, "id");
    assert_string_equal(members(v, ""), "@odata.context id displayName color");
    ol(BOB, "POST", "/outlook/masterCategories", "{'displayName':'project'}");
    assert_int_equal(test_status, 409);
    ol(BOB, "POST", "/outlook/masterCategories", "{'displayName':'X','color':'preset25'}");
    assert_int_equal(test_status, 400);
    v = ol_do(BOB, "PATCH", ol_text("/outlook/masterCategories/%s", id), "{'color':'preset1'}",
              200);
    assert_string_equal(text_at(v, "color"), "preset1");
    ol_do(BOB, "DELETE", ol_text("/outlook/masterCategories/%s", id), NULL, 204);
    assert_int_equal(count_at(ol_get(BOB, 200, "/outlook/masterCategories"), "value"), 0);
    v = ol_do(BOB, "POST", "/inferenceClassification/overrides",
              "{'classifyAs':'other','senderEmailAddress':{'name':'Cyd','address':"
              "'cyd@port.example'}}",
              201);
    ol_do(BOB, "POST", "/inferenceClassification/overrides",
          "{'classifyAs':'focused','senderEmailAddress':{'address':'CYD@port.example'}}", 201);
    v = ol_get(BOB, 200, "/inferenceClassification/overrides");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.classifyAs"), "focused");
}

/* MG-548, 569, 630 */
static void extensions_and_properties_lie_beside_a_message(void **state)
{
    const struct json *v = ol_do(
        BOB, "POST", "/mailFolders/inbox/messages",
        "{'subject':'Imported','isRead':false,'from':{'emailAddress':{'address':'x@y.example'}},"
        "'singleValueExtendedProperties':[{'id':'Integer 0x0E07','value':'4'},"
        "{'id':'String 0x007D','value':'abc'}]}",
        201);
    const char *id = text_at(v, "id");
    assert_false(true_at(v, "isDraft"));
    assert_false(true_at(v, "isRead"));
    assert_string_equal(text_at(v, "sender.emailAddress.address"), "x@y.example");
    v = ol_get(BOB, 200,
               "/messages/%s?$select=id&$expand=singleValueExtendedProperties($filter=id%%20eq%%20"
               "'String%%200x7d')",
               id);
    assert_string_equal(text_at(v, "singleValueExtendedProperties.0.value"), "abc");
    v = ol_do(BOB, "POST", ol_text("/messages/%s/extensions", id),
              "{'@odata.type':'microsoft.graph.openTypeExtension','extensionName':'Com.Contoso.X',"
              "'deal':500,'name':'Wing'}",
              201);
    assert_string_equal(text_at(v, "id"), "microsoft.graph.openTypeExtension.Com.Contoso.X");
    v = ol_do(BOB, "PATCH", ol_text("/messages/%s/extensions/Com.Contoso.X", id),
              "{'deal':600,'name':null}", 200);
    assert_int_equal(number_at(v, "deal"), 600);
    assert_string_equal(text_at(v, "name"), "Wing");
    ol_do(BOB, "DELETE", ol_text("/messages/%s/extensions/Com.Contoso.X", id), NULL, 204);
    ol_get(BOB, 404, "/messages/%s/extensions/Com.Contoso.X", id);
}

#define MAIL                                                                                       \
    "mailboxes:\n"                                                                                 \
    "  - person: bob@port.example\n"                                                               \
    "    folders: [{name: Plans, parent: Inbox}, {name: Old}]\n"                                   \
    "    messages:\n"                                                                              \
    "      - {from: ada@acme.example, to: bob@port.example, subject: Hi, folder: Old,\n"           \
    "         categories: [Red], flag: flagged, labels: [unread]}\n"                               \
    "      - {from: ada@acme.example, to: bob@port.example, subject: Two}\n"                       \
    "outlook:\n"                                                                                   \
    "  - person: bob@port.example\n"                                                               \
    "    mailboxSettings: {timeZone: W. Europe Standard Time}\n"                                   \
    "    messageRules: [{displayName: R, conditions: {subjectContains: [x]},\n"                    \
    "      actions: {moveToFolder: Inbox/Plans}}]\n"                                               \
    "    masterCategories: [{displayName: Red, color: preset0}]\n"                                 \
    "    delegates: [{email: cyd@port.example, fullAccess: true, sendOnBehalf: true}]\n"

static void a_seed_says_it_and_its_dump_says_the_same(void **state)
{
    test_use(ol_text("%s%s", ol_people, MAIL));
    const struct json *v = ol_get(BOB, 200, "/messages?$orderby=subject");
    assert_string_equal(column(v, "value", "subject"), "Hi Two");
    assert_string_equal(printed_at(v, "value.0.categories"), "[\"Red\"]");
    assert_string_equal(text_at(v, "value.0.flag.flagStatus"), "flagged");
    assert_false(true_at(v, "value.0.isRead"));
    assert_true(true_at(v, "value.1.isRead"));
    ol_do(BOB, "POST", ol_text("/messages/%s/extensions", text_at(v, "value.1.id")),
          "{'extensionName':'A','b':1}", 201);
    ol_send(CYD, BOB, "x", "y");
    assert_int_equal(count_at(ol_get(BOB, 200, "/mailFolders/inbox/childFolders"), "value"), 1);
    assert_int_equal(
        number_at(ol_get(BOB, 200, "/mailFolders/inbox/childFolders"), "value.0.totalItemCount"),
        1);
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
    v = ol_get(BOB, 200, "/messages?$orderby=subject&$expand=extensions");
    assert_string_equal(column(v, "value", "subject"), "Hi Two x");
    assert_int_equal(number_at(v, "value.1.extensions.0.b"), 1);
}

/* The person who may opens the mailbox, and sends for it (MG-374). */
static void a_shared_mailbox_is_used_by_who_may(void **state)
{
    test_use(ol_text("%s%s", ol_people, MAIL));
    const struct json *v =
        ol_do(CYD, "GET", "!/v1.0/users/bob@port.example/mailFolders/inbox/messages", NULL, 200);
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#users('bob%40port.example')/"
                        "mailFolders('inbox')/messages");
    ol_do(CYD, "POST", "/sendMail",
          "{'message':{'subject':'For Bob','from':{'emailAddress':{'address':'bob@port.example'}},"
          "'toRecipients':[{'emailAddress':{'address':'bob@port.example'}}]}}",
          202);
    v = ol_get(BOB, 200, "/mailFolders/inbox/messages");
    assert_string_equal(text_at(v, "value.0.from.emailAddress.address"), BOB);
    assert_string_equal(text_at(v, "value.0.sender.emailAddress.address"), CYD);
    /* The same from the other mailbox: who may not send as its person is named. */
    static const char *const mails[] = {
        "{'message':{'subject':'For Bob','toRecipients':[{'emailAddress':{'address':'"
        "bob@port.example'}}]}}",
        "VG86IGJvYkBwb3J0LmV4YW1wbGUNClN1YmplY3Q6IE1pbWUNCg0KSGkNCg=="};
    for (size_t i = 0; i < SOSIA_LEN(mails); i++) {
        ol_type = i ? "text/plain" : NULL;
        ol_do(CYD, "POST", "!/v1.0/users/bob@port.example/sendMail", mails[i], 202);
        ol_type = NULL;
        v = ol_get(BOB, 200, "/messages/%s", ol_newest(BOB, "inbox"));
        assert_string_equal(text_at(v, "from.emailAddress.address"), BOB);
        assert_string_equal(text_at(v, "sender.emailAddress.address"), CYD);
        assert_string_equal(text_at(v, "subject"), i ? "Mime" : "For Bob");
    }
}

static int status_of(const char *scopes, const char *method, const char *target, const char *body)
{
    const struct sosia_header headers[] = {{"Host", "graph.microsoft.com"},
                                           {"Authorization", test_bearer(CYD, scopes)},
                                           {"Content-Type", "application/json"}};
    test_request(method, target, headers, 3, body ? body : "", body ? strlen(body) : 0);
    return test_status;
}

/* Other people's mailboxes want the permissions that end in .Shared, which open one's own too. */
static void a_token_reaches_others_by_shared_permissions(void **state)
{
    static const char other[] = "/v1.0/users/bob@port.example/messages",
                      mine[] = "/v1.0/me/messages", draft[] = "{\"subject\":\"x\"}",
                      mail[] =
                          "{\"message\":{\"subject\":\"x\",\"toRecipients\":[{\"emailAddress\":"
                          "{\"address\":\"bob@port.example\"}}]}}";
    test_use(ol_text("%s%s", ol_people, MAIL));
    assert_int_equal(status_of("Mail.Read", "GET", mine, NULL), 200);
    assert_int_equal(status_of("Mail.Read.Shared", "GET", mine, NULL), 200);
    assert_int_equal(status_of("Mail.ReadWrite", "GET", other, NULL), 403);
    assert_int_equal(status_of("Mail.Read.Shared", "GET", other, NULL), 200);
    assert_int_equal(status_of("Mail.Read.Shared", "POST", mine, draft), 403);
    assert_int_equal(status_of("Mail.ReadWrite.Shared", "POST", mine, draft), 201);
    assert_int_equal(status_of("Mail.ReadWrite Mail.Read.Shared", "POST", other, draft), 403);
    assert_int_equal(status_of("Mail.ReadWrite.Shared", "POST", other, draft), 201);
    assert_int_equal(status_of("Mail.Send", "POST", "/v1.0/users/bob@port.example/sendMail", mail),
                     403);
    assert_int_equal(
        status_of("Mail.Send.Shared", "POST", "/v1.0/users/bob@port.example/sendMail", mail), 202);
    assert_int_equal(status_of("Mail.Send.Shared", "POST", "/v1.0/me/sendMail", mail), 202);
}

/* Mail, calendars and contacts count together, for each app and person. */
static void a_limit_is_of_an_app_in_all_of_a_mailbox(void **state)
{
    static const char *const targets[] = {"/v1.0/me/messages?$select=id", "/v1.0/me/calendars",
                                          "/v1.0/me/contacts"};
    struct sosia_token_options other = {.actor = CYD, .app = "another"};
    struct sosia_err err;
    char token[SOSIA_TOKEN_MAX];
    test_use(
        ol_text("%sapps: [{client_id: another, name: Another, vendor: microsoft}]\n", ol_people));
    assert_int_equal(sosia_world_rates(test_engine, test_world, true, &err), 0);
    const struct sosia_header headers[] = {{"Host", "graph.microsoft.com"},
                                           {"Authorization", test_bearer(CYD, NULL)}};
    const struct sosia_request each = {
        .method = "GET", .target = targets[0], .headers = headers, .n_headers = 2};
    for (int i = 0; i < 9998; i++)
        test_call(test_world, &each);
    for (int i = 1; i < 3; i++) {
        test_request("GET", targets[i], headers, 2, "", 0);
        assert_int_equal(test_status, 200);
    }
    for (int i = 0; i < 3; i++) {
        test_request("GET", targets[i], headers, 2, "", 0);
        assert_int_equal(test_status, 429);
    }
    assert_int_equal(status_of(NULL, "GET", targets[1], NULL), 429);
    ol_get(BOB, 200, "/messages");
    assert_int_equal(sosia_token_issue(test_engine, test_world, &other, token, sizeof token, &err),
                     0);
    const struct sosia_header others[] = {{"Host", "graph.microsoft.com"},
                                          {"Authorization", ol_text("Bearer %s", token)}};
    test_request("GET", targets[0], others, 2, "", 0);
    assert_int_equal(test_status, 200);
}

/* The right to send for a mailbox is not that to read it: nobody gets a message out of it by an
 * answer. */
static void who_may_only_send_reads_nothing(void **state)
{
    test_use(ol_text("%s%s", ol_people,
                     "outlook: [{person: bob@port.example, delegates: [{email: cyd@port.example, "
                     "sendAs: true}]}]\n"));
    ol_send(BOB, BOB, "Secret", "For Bob alone");
    const char *id = ol_newest(BOB, "inbox");
    static const char *const ways[] = {"reply", "replyAll", "forward"};
    for (size_t i = 0; i < SOSIA_LEN(ways); i++) {
        ol(CYD, "POST", ol_text("!/v1.0/users/bob@port.example/messages/%s/%s", id, ways[i]),
           "{'message':{'toRecipients':[{'emailAddress':{'address':'cyd@port.example'}}]}}");
        ol_refused(403, "ErrorAccessDenied", NULL);
    }
    const struct json *v = ol_do(BOB, "POST", "/messages",
                                 "{'subject':'Draft','toRecipients':[{'emailAddress':{'address':'"
                                 "cyd@port.example'}}]}",
                                 201);
    ol(CYD, "POST", ol_text("!/v1.0/users/bob@port.example/messages/%s/send", text_at(v, "id")),
       NULL);
    ol_refused(403, "ErrorAccessDenied", NULL);
    assert_int_equal(count_at(ol_get(CYD, 200, "/messages"), "value"), 0);
    ol_do(CYD, "POST", "!/v1.0/users/bob@port.example/sendMail",
          "{'message':{'subject':'x','toRecipients':[{'emailAddress':{'address':'"
          "bob@port.example'}}]}}",
          202);
}

/* ---- what settings and ids may be ---- */

static const struct json *item_named(const struct json *list, const char *member, const char *text)
{
    const struct json *all = json_get(list, "value");
    for (uint32_t i = 0; all && i < all->n; i++)
        if (strcmp(json_get_str(&all->items[i], member), text) == 0)
            return &all->items[i];
    fail_msg("there is no %s", text);
    return NULL;
}

/* MG-418 */
static void zones_and_languages_are_listed(void **state)
{
    const struct json *v = ol_get(BOB, 200, "/outlook/supportedTimeZones");
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#Collection(microsoft.graph."
                        "timeZoneInformation)");
    assert_string_equal(members(v, "value.0"), "alias displayName");
    assert_string_equal(text_at(v, "value.0.alias"), "Dateline Standard Time");
    assert_string_equal(text_at(v, "value.0.displayName"),
                        "(UTC-12:00) International Date Line West");
    const size_t n = count_at(v, "value");
    assert_string_equal(text_at(v, ol_text("value.%zu.alias", n - 1)),
                        "Line Islands Standard Time");
    const struct json *zone = item_named(v, "alias", "W. Europe Standard Time");
    assert_true(zone > item_named(v, "alias", "GMT Standard Time"));
    assert_true(zone < item_named(v, "alias", "India Standard Time"));
    v = ol_get(BOB, 200,
               "/outlook/supportedTimeZones(TimeZoneStandard=microsoft.graph.timeZoneStandard'Iana'"
               ")");
    assert_int_equal(count_at(v, "value"), n);
    assert_string_equal(text_at(v, "value.0.alias"), "Etc/GMT+12");
    assert_string_equal(text_at(v, "value.0.displayName"), "Etc/GMT+12");
    v = ol_get(BOB, 200,
               "/outlook/supportedTimeZones(timeZoneStandard=microsoft.graph.timeZoneStandard"
               "'Windows')");
    assert_string_equal(text_at(v, "value.0.alias"), "Dateline Standard Time");
    ol_get(BOB, 400,
           "/outlook/supportedTimeZones(TimeZoneStandard=microsoft.graph.timeZoneStandard'iana')");
    v = ol_get(BOB, 200, "/outlook/supportedLanguages()");
    assert_string_equal(json_get_str(item_named(v, "locale", "de-AT"), "displayName"),
                        "Deutsch (Österreich)");
    for (size_t i = 1; i < count_at(v, "value"); i++) /* they are looked up by halving */
        assert_true(strcasecmp(text_at(v, ol_text("value.%zu.locale", i - 1)),
                               text_at(v, ol_text("value.%zu.locale", i))) < 0);
    v = ol_do(BOB, "PATCH", "/mailboxSettings", "{'language':{'locale':'de-at'}}", 200);
    assert_string_equal(text_at(v, "language.locale"), "de-AT");
    assert_string_equal(text_at(v, "language.displayName"), "Deutsch (Österreich)");
}

static const char *translated(const char *from, const char *to, const char *id)
{
    const struct json *v = ol_do(
        BOB, "POST", "/translateExchangeIds",
        ol_text("{'inputIds':['%s'],'sourceIdType':'%s','targetIdType':'%s'}", id, from, to), 200);
    assert_string_equal(text_at(v, "value.0.sourceId"), id);
    const char *target = text_at(v, "value.0.targetId");
    return target ? target : text_at(v, "value.0.errorDetails.code");
}

static void check_forms(const char *id, const char *immutable)
{
    static const char *const forms[] = {"entryId", "ewsId", "restId"};
    for (size_t i = 0; i < SOSIA_LEN(forms); i++) {
        const char *other = translated("restId", forms[i], id);
        assert_string_equal(translated(forms[i], "restId", other), id);
        assert_string_equal(translated(forms[i], "restImmutableEntryId", other), immutable);
    }
    const char *bytes = translated("restId", "immutableEntryId", id);
    assert_int_equal(strlen(bytes), 63); /* 46 bytes in base64, and how many are missing */
    assert_string_equal(translated("immutableEntryId", "restId", bytes), id);
    assert_string_equal(translated("immutableEntryId", "restImmutableEntryId", bytes), immutable);
}

/* MG-31 */
static void ids_are_translated(void **state)
{
    ol_send(CYD, BOB, "Hello", "x");
    ol_send(BOB, CYD, "Hello", "x");
    const char *id = ol_newest(BOB, "inbox"), *foreign = ol_newest(CYD, "inbox");
    ol_prefer = "IdType=\"ImmutableId\"";
    const char *immutable = ol_newest(BOB, "inbox");
    ol_prefer = NULL;
    assert_string_not_equal(id, immutable);
    assert_string_equal(translated("restId", "restImmutableEntryId", id), immutable);
    assert_string_equal(translated("restId", "RestId", id), id);
    check_forms(id, immutable);
    const char *ews = translated("restId", "ewsId", id);
    assert_null(strpbrk(ews, "-_"));
    assert_int_equal(strlen(translated("restId", "entryId", id)), 95);
    const char *moved = text_at(
        ol_do(BOB, "POST", ol_text("/messages/%s/move", id), "{'destinationId':'archive'}", 201),
        "id");
    assert_string_equal(translated("restImmutableEntryId", "restId", immutable), moved);
    const char *folder = text_at(ol_get(BOB, 200, "/mailFolders/inbox"), "id");
    assert_string_equal(translated("restId", "restImmutableEntryId", folder), folder);
    assert_string_equal(translated("entryId", "restId", translated("restId", "entryId", folder)),
                        folder);
    const char *event = text_at(
        ol_do(BOB, "POST", "/events",
              "{'subject':'Lunch','start':{'dateTime':'2026-11-24T12:00:00','timeZone':'UTC'},"
              "'end':{'dateTime':'2026-11-24T13:00:00','timeZone':'UTC'}}",
              201),
        "id");
    assert_string_equal(translated("restId", "restImmutableEntryId", event), event);
    assert_string_equal(translated("ewsId", "restId", translated("restId", "ewsId", event)), event);
    assert_string_equal(translated("restId", "ewsId", foreign), "ErrorInvalidMailboxItemId");
    assert_string_equal(translated("immutableEntryId", "restId", "AAAA0"),
                        "ErrorInvalidIdMalformed");
    assert_string_equal(translated("restImmutableEntryId", "ewsId", id), "ErrorInvalidIdMalformed");
    assert_string_equal(translated("restId", "restImmutableEntryId", immutable),
                        "ErrorInvalidIdMalformed");
    ol_do(BOB, "POST", ol_text("/messages/%s/permanentDelete", moved), NULL, 204);
    assert_string_equal(translated("restImmutableEntryId", "restId", immutable),
                        "ErrorItemNotFound");
    ol(BOB, "POST", "/translateExchangeIds",
       "{'inputIds':['x'],'sourceIdType':'restId','targetIdType':'hex'}");
    ol_refused(400, "RequestBodyRead", "Requested value 'hex' was not found.");
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i <= 1000; i++)
        buf_puts(&b, i ? ",'x'" : "'x'");
    const char *many = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    ol(BOB, "POST", "/translateExchangeIds",
       ol_text("{'inputIds':[%s],'sourceIdType':'restId','targetIdType':'ewsId'}", many));
    ol_refused(400, "ErrorInvalidArgument", NULL);
    ol_do(BOB, "POST", "/translateExchangeIds",
          ol_text("{'inputIds':[%s],'sourceIdType':'restId','targetIdType':'ewsId'}", many + 4),
          200);
}

static void tips_say_whom_a_letter_reaches(void **state)
{
    test_use(ol_text("%s%s", ol_people,
                     "groups:\n  - {email: all@port.example, name: All, members: [bob@port.example,"
                     " more@port.example, ada@acme.example]}\n"
                     "  - {email: more@port.example, name: More, members: [cyd@port.example, "
                     "bob@port.example, x@else.example]}\n"));
    const struct json *v =
        ol_do(BOB, "POST", "/getMailTips",
              "{'EmailAddresses':['cyd@port.example','all@port.example','ada@acme.example'],"
              "'MailTipsOptions':'totalMemberCount, externalMemberCount,recipientScope,"
              "deliveryRestriction, moderationStatus, customMailTip'}",
              200);
    assert_string_equal(members(v, "value.0"),
                        "emailAddress customMailTip externalMemberCount totalMemberCount "
                        "deliveryRestricted isModerated recipientScope");
    static const struct {
        int all, outside;
        const char *name, *scope;
    } tips[] = {{1, 0, "Cyd", "internal"}, {4, 2, "All", "internal"}, {1, 1, "Ada", "external"}};
    for (size_t i = 0; i < SOSIA_LEN(tips); i++) {
        const struct json *tip = value_at(v, ol_text("value.%zu", i));
        assert_int_equal(number_at(tip, "totalMemberCount"), tips[i].all);
        assert_int_equal(number_at(tip, "externalMemberCount"), tips[i].outside);
        assert_string_equal(text_at(tip, "emailAddress.name"), tips[i].name);
        assert_string_equal(text_at(tip, "recipientScope"), tips[i].scope);
    }
    ol(BOB, "POST", "/getMailTips", "{'EmailAddresses':[],'MailTipsOptions':'weather'}");
    ol_refused(400, "RequestBodyRead", "Requested value 'weather' was not found.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(settings_are_answered_in_the_recorded_order),
        ol_test(automatic_replies_answer_once),
        ol_test(rules_act_in_their_order),
        ol_test(categories_and_overrides_are_kept),
        ol_test(extensions_and_properties_lie_beside_a_message),
        ol_test(a_seed_says_it_and_its_dump_says_the_same),
        ol_test(a_shared_mailbox_is_used_by_who_may),
        ol_test(a_token_reaches_others_by_shared_permissions),
        ol_test(a_limit_is_of_an_app_in_all_of_a_mailbox),
        ol_test(who_may_only_send_reads_nothing),
        ol_test(zones_and_languages_are_listed),
        ol_test(ids_are_translated),
        ol_test(tips_say_whom_a_letter_reaches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
