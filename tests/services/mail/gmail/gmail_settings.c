/* SPDX-License-Identifier: Apache-2.0 */
/* Gmail's settings of which a mailbox has one, addresses of others, delegates. */
#include "tests/support/gmail.h"

#define BASIC    "https://www.googleapis.com/auth/gmail.settings.basic"
#define SHARING  "https://www.googleapis.com/auth/gmail.settings.sharing"
#define READONLY "https://www.googleapis.com/auth/gmail.readonly"
#define RESTRICTED                                                                                 \
    "Access restricted to service accounts that have been delegated domain-wide authority"

#define FORWARDS "/settings/forwardingAddresses"
#define SENDERS  "/settings/sendAs"

/* The page of the confirmation mail with this number in the outbox, from 0. */
static const char *page_of(const struct json *outbox, const char *mark)
{
    const struct json *list = outbox->type == JSON_ARRAY ? outbox : value_at(outbox, "items");
    for (uint32_t i = list ? list->n : 0; i-- > 0;) {
        const char *body = data_at(&list->items[i], "payload.raw");
        const char *page = strstr(body, mark);
        if (page)
            return gm_text("%.*s", (int)strcspn(page, " \r\n"), page);
    }
    fail_msg("no mail with %s", mark);
    return NULL;
}

static void open_page(const char *page, int status)
{
    struct sosia_header none = {0};
    test_request("GET", page, &none, 0, "", 0);
    assert_int_equal(test_status, status);
}

/* ---- forwarding of all mail ---- */

static void forwarding_is_off_at_first(void **state)
{
    (void)state;
    gm_get(ADA, 200, "/settings/autoForwarding");
    assert_answer("{'enabled':false}");
}

static void forwarding_needs_an_address_that_agreed(void **state)
{
    (void)state;
    gm(ADA, "PUT", "/settings/autoForwarding",
       "{'enabled':true,'emailAddress':'x@far.example','disposition':'archive'}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid forwarding address");
    gm(ADA, "POST", FORWARDS, "{'forwardingEmail':'x@far.example'}");
    assert_answer("{'forwardingEmail':'x@far.example','verificationStatus':'pending'}");
    gm(ADA, "PUT", "/settings/autoForwarding",
       "{'enabled':true,'emailAddress':'x@far.example','disposition':'archive'}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid forwarding address");
    open_page(page_of(test_outbox(), "/mail/vf-"), 200);
    gm(ADA, "PUT", "/settings/autoForwarding",
       "{'enabled':true,'emailAddress':'x@far.example','disposition':'archive'}");
    assert_answer("{'enabled':true,'emailAddress':'x@far.example','disposition':'archive'}");
    gm_get(ADA, 200, "/settings/autoForwarding");
    assert_answer("{'enabled':true,'emailAddress':'x@far.example','disposition':'archive'}");
}

static void forwarding_needs_a_disposition(void **state)
{
    (void)state;
    gm(ADA, "POST", FORWARDS, "{'forwardingEmail':'bob@acme.example'}");
    gm(ADA, "PUT", "/settings/autoForwarding",
       "{'enabled':true,'emailAddress':'bob@acme.example'}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid disposition");
    gm(ADA, "PUT", "/settings/autoForwarding",
       "{'enabled':true,'emailAddress':'bob@acme.example','disposition':'dispositionUnspecified'}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid disposition");
    gm(ADA, "PUT", "/settings/autoForwarding", "{'enabled':true,'disposition':'trash'}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid email address");
}

static void forwarding_goes_off_with_its_address(void **state)
{
    (void)state;
    gm(ADA, "POST", FORWARDS, "{'forwardingEmail':'bob@acme.example'}");
    gm(ADA, "PUT", "/settings/autoForwarding",
       "{'enabled':true,'emailAddress':'bob@acme.example','disposition':'markRead'}");
    assert_int_equal(test_status, 200);
    gm(ADA, "DELETE", FORWARDS "/bob@acme.example", NULL);
    assert_int_equal(test_status, 204);
    gm_get(ADA, 200, "/settings/autoForwarding");
    assert_answer("{'enabled':false}");
}

/* ---- addresses to forward to ---- */

static void addresses_of_colleagues_need_no_agreement(void **state)
{
    (void)state;
    gm(ADA, "POST", FORWARDS, "{'forwardingEmail':'Bob@Acme.example'}");
    assert_answer("{'forwardingEmail':'bob@acme.example','verificationStatus':'accepted'}");
    assert_int_equal(count_at(gm_get(BOB, 200, "/messages"), "messages"), 0);
}

static void addresses_to_forward_to_come_and_go(void **state)
{
    (void)state;
    gm_get(ADA, 204, FORWARDS);
    gm_get(ADA, 404, FORWARDS "/x@far.example");
    gm(ADA, "POST", FORWARDS, "{'forwardingEmail':'x@far.example'}");
    gm(ADA, "POST", FORWARDS, "{'forwardingEmail':'y@far.example'}");
    gm(ADA, "POST", FORWARDS, "{'forwardingEmail':'X@far.example'}");
    assert_refused(409, "alreadyExists", "ALREADY_EXISTS", "Forwarding address already exists");
    gm_get(ADA, 200, FORWARDS);
    assert_answer("{'forwardingAddresses':["
                  "{'forwardingEmail':'x@far.example','verificationStatus':'pending'},"
                  "{'forwardingEmail':'y@far.example','verificationStatus':'pending'}]}");
    gm_get(ADA, 200, FORWARDS "/X@far.example");
    assert_answer("{'forwardingEmail':'x@far.example','verificationStatus':'pending'}");
    gm(ADA, "DELETE", FORWARDS "/x@far.example", NULL);
    assert_int_equal(test_status, 204);
    gm(ADA, "DELETE", FORWARDS "/x@far.example", NULL);
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
}

static void nobody_forwards_to_themselves(void **state)
{
    (void)state;
    gm(ADA, "POST", FORWARDS, "{'forwardingEmail':'a.lovelace@acme.example'}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Cannot forward to self");
    gm(ADA, "POST", FORWARDS, "{'forwardingEmail':'nonsense'}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid forwarding address");
    gm(ADA, "POST", FORWARDS, "{}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid forwarding address");
}

static void addresses_to_forward_to_are_limited(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        gm(ADA, "POST", FORWARDS, gm_text("{'forwardingEmail':'x%d@far.example'}", i));
        assert_int_equal(test_status, 200);
    }
    gm(ADA, "POST", FORWARDS, "{'forwardingEmail':'more@far.example'}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Too many forwarding addresses");
}

static void the_confirmation_is_of_use_once(void **state)
{
    (void)state;
    gm(ADA, "POST", FORWARDS, "{'forwardingEmail':'x@far.example'}");
    const char *page = page_of(test_outbox(), "/mail/vf-");
    open_page(gm_text("%sx", page), 404);
    open_page("/mail/vf-1-", 404);
    open_page("/mail/vf-99-x", 404);
    open_page("/mail/other", 404);
    open_page(gm_text("/mail/vsa-%s", strchr(page, '-') + 1), 404);
    gm_get(ADA, 200, FORWARDS "/x@far.example");
    assert_answer("{'forwardingEmail':'x@far.example','verificationStatus':'pending'}");
    open_page(page, 200);
    gm_get(ADA, 200, FORWARDS "/x@far.example");
    assert_answer("{'forwardingEmail':'x@far.example','verificationStatus':'accepted'}");
    open_page(page, 404);
}

/* Adds an address to forward to, at a server with this URL: gives the page's. */
static const char *asked_at(const char *base_url, const char *prefix, const char *address)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = ADA};
    struct sosia_err err;
    assert_int_equal(sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &err),
                     0);
    struct sosia_header headers[] = {{"Authorization", gm_text("Bearer %s", token)},
                                     {"Content-Type", "application/json"}};
    const char *body = gm_text("{\"forwardingEmail\":\"%s\"}", address);
    struct sosia_request r = {.method = "POST",
                              .target = gm_text("%s/gmail/v1/users/me" FORWARDS, prefix),
                              .base_url = base_url,
                              .headers = headers,
                              .n_headers = 2,
                              .body = body,
                              .body_len = strlen(body)};
    struct sosia_response *answer;
    assert_int_equal(sosia_call(test_engine, test_world, &r, &answer, &err), 0);
    assert_int_equal(answer->status, 200);
    sosia_response_free(answer);
    const char *page = page_of(test_outbox(), "https://");
    assert_non_null(strstr(page, "/mail/vf-1-"));
    return page;
}

/* It is opened without a token: the URL must lead to the world by itself. */
static void the_page_is_found_without_a_credential(void **state)
{
    struct sosia_world_info info;
    struct sosia_err err;
    (void)state;
    assert_int_equal(sosia_world_info(test_engine, test_world, &info, &err), 0);
    const char *own = gm_text("https://x.example/w/%s/mail/vf-", info.key);
    const char *page = asked_at("https://x.example", "", "a@far.example");
    assert_memory_equal(page, own, strlen(own));
    page = asked_at("https://x.example", gm_text("/w/%s", info.key), "b@far.example");
    assert_memory_equal(page, own, strlen(own));
    page = asked_at("https://gmail.googleapis.com", "", "c@far.example");
    assert_memory_equal(page, "https://mail-settings.google.com/mail/vf-", 41);
}

/* The owner of the address has a mailbox here and finds the page there. */
static void confirmations_reach_mailboxes_of_other_organisations(void **state)
{
    (void)state;
    test_use("sosia: 1\ntime: 2026-11-23T08:00:00Z\n"
             "organizations: [{domain: acme.example}, {domain: else.example}]\n"
             "people:\n  - {email: ada@acme.example, name: Ada}\n"
             "  - {email: eve@else.example, name: Eve}\n");
    gm(ADA, "POST", FORWARDS, "{'forwardingEmail':'eve@else.example'}");
    assert_answer("{'forwardingEmail':'eve@else.example','verificationStatus':'pending'}");
    const struct json *m =
        gm_get("eve@else.example", 200, "/messages/%s", gm_newest("eve@else.example"));
    assert_string_equal(header(m, "From"), "Gmail Team <forwarding-noreply@google.com>");
    assert_string_equal(header(m, "Return-Path"), "<forwarding-noreply@google.com>");
    assert_string_equal(labels_of(m), "CATEGORY_UPDATES INBOX UNREAD");
    assert_non_null(strstr(header(m, "Subject"),
                           "Gmail Forwarding Confirmation - Receive Mail from ada@acme.example"));
    const char *page = strstr(data_at(m, "payload.body.data"), "/mail/vf-");
    assert_non_null(page);
    open_page(gm_text("%.*s", (int)strcspn(page, "\r\n"), page), 200);
    gm_get(ADA, 200, FORWARDS "/eve@else.example");
    assert_answer("{'forwardingEmail':'eve@else.example','verificationStatus':'accepted'}");
}

/* ---- addresses to send from ---- */

static void the_main_address_is_there(void **state)
{
    (void)state;
    gm_get(ADA, 200, SENDERS);
    assert_answer("{'sendAs':[{'sendAsEmail':'ada@acme.example','displayName':'',"
                  "'replyToAddress':'','signature':'','isPrimary':true,'isDefault':true}]}");
    gm_get(ADA, 200, SENDERS "/ada@acme.example");
    assert_answer("{'sendAsEmail':'ada@acme.example','displayName':'','replyToAddress':'',"
                  "'signature':'','isPrimary':true,'isDefault':true}");
    gm_get(ADA, 404, SENDERS "/stranger@far.example");
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
}

static void a_person_may_change_the_main_address(void **state)
{
    (void)state;
    gm_scopes = BASIC;
    gm(ADA, "PATCH", SENDERS "/ada@acme.example",
       "{'displayName':'API Test','replyToAddress':'ada@acme.example'}");
    assert_answer("{'sendAsEmail':'ada@acme.example','displayName':'API Test',"
                  "'replyToAddress':'ada@acme.example','signature':'','isPrimary':true,"
                  "'isDefault':true}");
    gm(ADA, "PATCH", SENDERS "/ada@acme.example", "{'signature':'<b>Ada</b>'}");
    assert_answer("{'sendAsEmail':'ada@acme.example','displayName':'API Test',"
                  "'replyToAddress':'ada@acme.example','signature':'<b>Ada</b>','isPrimary':true,"
                  "'isDefault':true}");
    gm(ADA, "PUT", SENDERS "/ada@acme.example", "{'displayName':'Ada L.'}");
    assert_answer("{'sendAsEmail':'ada@acme.example','displayName':'Ada L.','replyToAddress':'',"
                  "'signature':'','isPrimary':true,'isDefault':true}");
}

static void a_server_for_the_main_address_is_passed_over(void **state)
{
    (void)state;
    gm(ADA, "PATCH", SENDERS "/ada@acme.example",
       "{'smtpMsa':{'host':'smtp.gmail.com','port':587,'securityMode':'starttls'}}");
    assert_answer("{'sendAsEmail':'ada@acme.example','displayName':'','replyToAddress':'',"
                  "'signature':'','isPrimary':true,'isDefault':true}");
}

static void an_alias_of_ones_own_is_accepted_at_once(void **state)
{
    (void)state;
    gm(ADA, "POST", SENDERS,
       "{'sendAsEmail':'a.lovelace@acme.example','displayName':'A. L.','treatAsAlias':true}");
    assert_answer("{'sendAsEmail':'a.lovelace@acme.example','displayName':'A. L.',"
                  "'replyToAddress':'','signature':'','treatAsAlias':true,"
                  "'verificationStatus':'accepted'}");
    assert_int_equal(count_at(test_outbox(), ""), 0);
    gm(ADA, "POST", SENDERS, "{'sendAsEmail':'A.Lovelace@acme.example'}");
    assert_refused(409, "alreadyExists", "ALREADY_EXISTS", "Send-as address already exists");
    gm(ADA, "POST", SENDERS, "{'sendAsEmail':'ada@acme.example'}");
    assert_refused(409, "alreadyExists", "ALREADY_EXISTS", "Send-as address already exists");
}

static void an_address_of_somebody_else_waits_for_its_owner(void **state)
{
    (void)state;
    gm(ADA, "POST", SENDERS,
       "{'sendAsEmail':'ada@far.example','smtpMsa':{'host':'smtp.far.example','port':465,"
       "'username':'ada','password':'secret','securityMode':'ssl'}}");
    assert_answer("{'sendAsEmail':'ada@far.example','displayName':'','replyToAddress':'',"
                  "'signature':'','treatAsAlias':false,'smtpMsa':{'host':'smtp.far.example',"
                  "'port':465,'securityMode':'ssl'},'verificationStatus':'pending'}");
    gm(ADA, "PATCH", SENDERS "/ada@far.example", "{'isDefault':true}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT",
                   "Send-as address ada@far.example is not verified");
    const char *first = page_of(test_outbox(), "/mail/vsa-");
    gm(ADA, "POST", SENDERS "/ada@far.example/verify", NULL);
    assert_int_equal(test_status, 204);
    const char *second = page_of(test_outbox(), "/mail/vsa-");
    assert_string_not_equal(first, second);
    open_page(first, 404);
    open_page(second, 200);
    gm(ADA, "PATCH", SENDERS "/ada@far.example", "{'isDefault':true}");
    assert_int_equal(test_status, 200);
    gm(ADA, "POST", SENDERS "/ada@far.example/verify", NULL);
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT",
                   "Send-as address ada@far.example is verified already");
}

static void an_update_takes_away_the_server_that_it_does_not_name(void **state)
{
    (void)state;
    gm(ADA, "POST", SENDERS,
       "{'sendAsEmail':'a.lovelace@acme.example','smtpMsa':{'host':'smtp.far.example','port':465,"
       "'securityMode':'ssl'}}");
    gm(ADA, "PATCH", SENDERS "/a.lovelace@acme.example", "{'displayName':'A'}");
    assert_answer("{'sendAsEmail':'a.lovelace@acme.example','displayName':'A','replyToAddress':'',"
                  "'signature':'','treatAsAlias':false,'smtpMsa':{'host':'smtp.far.example',"
                  "'port':465,'securityMode':'ssl'},'verificationStatus':'accepted'}");
    gm(ADA, "PUT", SENDERS "/a.lovelace@acme.example", "{'displayName':'A'}");
    assert_answer("{'sendAsEmail':'a.lovelace@acme.example','displayName':'A','replyToAddress':'',"
                  "'signature':'','treatAsAlias':false,'verificationStatus':'accepted'}");
}

static void one_address_is_the_default(void **state)
{
    (void)state;
    gm(ADA, "POST", SENDERS, "{'sendAsEmail':'a.lovelace@acme.example','isDefault':true}");
    assert_int_equal(test_status, 200);
    const struct json *v = gm_get(ADA, 200, SENDERS);
    assert_null(value_at(v, "sendAs.0.isDefault"));
    assert_non_null(value_at(v, "sendAs.1.isDefault"));
    gm(ADA, "PATCH", SENDERS "/a.lovelace@acme.example", "{'isDefault':false}");
    assert_non_null(value_at(gm_get(ADA, 200, SENDERS "/a.lovelace@acme.example"), "isDefault"));
    gm(ADA, "DELETE", SENDERS "/a.lovelace@acme.example", NULL);
    assert_int_equal(test_status, 204);
    assert_non_null(value_at(gm_get(ADA, 200, SENDERS "/ada@acme.example"), "isDefault"));
    gm(ADA, "POST", SENDERS, "{'sendAsEmail':'a.lovelace@acme.example','isDefault':true}");
    gm(ADA, "PATCH", SENDERS "/ada@acme.example", "{'isDefault':true}");
    v = gm_get(ADA, 200, SENDERS);
    assert_non_null(value_at(v, "sendAs.0.isDefault"));
    assert_null(value_at(v, "sendAs.1.isDefault"));
}

static void the_main_address_stays(void **state)
{
    (void)state;
    gm(ADA, "DELETE", SENDERS "/ada@acme.example", NULL);
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Cannot delete primary send-as");
    gm(ADA, "DELETE", SENDERS "/stranger@far.example", NULL);
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
}

static void what_makes_no_sense_of_a_sender_is_refused(void **state)
{
    static const struct {
        const char *body, *message;
    } cases[] = {
        {"{}", "Invalid sendAsEmail"},
        {"{'sendAsEmail':'nonsense'}", "Invalid sendAsEmail"},
        {"{'sendAsEmail':'x@far.example','replyToAddress':'nonsense'}", "Invalid replyToAddress"},
        {"{'sendAsEmail':'x@far.example','displayName':'a\\r\\nBcc: b@c.example'}",
         "Invalid displayName"},
        {"{'sendAsEmail':'x@far.example','smtpMsa':{'port':1,'securityMode':'ssl'}}",
         "Invalid SMTP MSA: a host is required"},
        {"{'sendAsEmail':'x@far.example','smtpMsa':{'host':'h','securityMode':'ssl'}}",
         "Invalid SMTP MSA: a port is required"},
        {"{'sendAsEmail':'x@far.example','smtpMsa':{'host':'h','port':0,'securityMode':'ssl'}}",
         "Invalid SMTP MSA: a port is required"},
        {"{'sendAsEmail':'x@far.example','smtpMsa':{'host':'h','port':70000}}",
         "Invalid SMTP MSA: a port is required"},
        {"{'sendAsEmail':'x@far.example','smtpMsa':{'host':'h','port':25}}",
         "Invalid SMTP MSA: a security mode is required"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        gm(ADA, "POST", SENDERS, cases[i].body);
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", cases[i].message);
    }
    char *long_text = (char *)(uintptr_t)gm_text("%10001d", 1);
    gm(ADA, "PATCH", SENDERS "/ada@acme.example", gm_text("{'signature':'%s'}", long_text));
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Signature is too long");
    assert_int_equal(count_at(gm_get(ADA, 200, SENDERS), "sendAs"), 1);
    assert_int_equal(count_at(test_outbox(), ""), 0);
}

/* ---- delegates ---- */

static void delegates_come_and_go(void **state)
{
    (void)state;
    gm_get(ADA, 204, "/settings/delegates");
    gm(ADA, "POST", "/settings/delegates", "{'delegateEmail':'bob@acme.example'}");
    assert_answer("{'delegateEmail':'bob@acme.example','verificationStatus':'accepted'}");
    gm(ADA, "POST", "/settings/delegates", "{'delegateEmail':'bob@acme.example'}");
    assert_refused(409, "alreadyExists", "ALREADY_EXISTS", "Delegate already exists");
    gm_get(ADA, 200, "/settings/delegates");
    assert_answer("{'delegates':[{'delegateEmail':'bob@acme.example',"
                  "'verificationStatus':'accepted'}]}");
    gm_get(ADA, 200, "/settings/delegates/bob@acme.example");
    assert_answer("{'delegateEmail':'bob@acme.example','verificationStatus':'accepted'}");
    gm(ADA, "DELETE", "/settings/delegates/bob@acme.example", NULL);
    assert_int_equal(test_status, 204);
    gm_get(ADA, 404, "/settings/delegates/bob@acme.example");
    gm(ADA, "DELETE", "/settings/delegates/bob@acme.example", NULL);
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
}

static void delegates_are_colleagues_by_their_main_address(void **state)
{
    static const char *const no[] = {"x@far.example", "ada@acme.example", "a.lovelace@acme.example",
                                     "nobody@acme.example", "svc@acme.example"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(no); i++) {
        gm(BOB, "POST", "/settings/delegates",
           gm_text("{'delegateEmail':'%s'}", i == 1 ? BOB : no[i]));
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid delegate");
    }
    gm(BOB, "POST", "/settings/delegates", "{'delegateEmail':'nonsense'}");
    assert_refused(400, "failedPrecondition", "FAILED_PRECONDITION", "Bad Request");
}

static void delegates_use_the_mailbox_but_not_its_settings(void **state)
{
    (void)state;
    gm_insert(ADA, "From: x@far.example\nTo: ada@acme.example\nSubject: For Ada\n\nHi\n",
              ",'labelIds':['INBOX']");
    gm(BOB, "GET", "!/gmail/v1/users/ada@acme.example/messages", NULL);
    assert_refused(403, "forbidden", "PERMISSION_DENIED", "Delegation denied for bob@acme.example");
    gm(ADA, "POST", "/settings/delegates", "{'delegateEmail':'bob@acme.example'}");
    const struct json *v = gm(BOB, "GET", "!/gmail/v1/users/ada@acme.example/messages", NULL);
    assert_int_equal(test_status, 200);
    const char *id = text_at(v, "messages.0.id");
    gm(BOB, "GET", gm_text("!/gmail/v1/users/ada@acme.example/messages/%s", id), NULL);
    assert_int_equal(test_status, 200);
    gm(BOB, "POST", gm_text("!/gmail/v1/users/Ada@acme.example/messages/%s/modify", id),
       "{'addLabelIds':['STARRED']}");
    assert_int_equal(test_status, 200);
    gm(BOB, "GET", "!/gmail/v1/users/ada@acme.example/labels", NULL);
    assert_int_equal(test_status, 200);
    gm(BOB, "GET", "!/gmail/v1/users/ada@acme.example/threads", NULL);
    assert_int_equal(test_status, 200);
    gm(BOB, "GET", "!/gmail/v1/users/ada@acme.example/history?startHistoryId=1", NULL);
    assert_int_not_equal(test_status, 403);
    v = gm(BOB, "GET", "!/gmail/v1/users/ada@acme.example/profile", NULL);
    assert_string_equal(text_at(v, "emailAddress"), ADA);
    gm(BOB, "POST", "!/gmail/v1/users/ada@acme.example/messages/send",
       gm_text("{'raw':'%s'}", gm_raw("To: cyd@acme.example\nSubject: By Bob\n\nHi\n")));
    assert_int_equal(test_status, 200);
    v = gm_get(CYD, 200, "/messages/%s", gm_newest(CYD));
    assert_string_equal(header(v, "From"), ADA);
    gm(BOB, "GET", "!/gmail/v1/users/ada@acme.example/settings/filters", NULL);
    assert_refused(403, "forbidden", "PERMISSION_DENIED", "Delegation denied for bob@acme.example");
    gm(BOB, "GET", "!/gmail/v1/users/ada@acme.example/settings/sendAs", NULL);
    assert_refused(403, "forbidden", "PERMISSION_DENIED", "Delegation denied for bob@acme.example");
    gm(CYD, "GET", "!/gmail/v1/users/ada@acme.example/messages", NULL);
    assert_refused(403, "forbidden", "PERMISSION_DENIED", "Delegation denied for cyd@acme.example");
    gm(ADA, "DELETE", "/settings/delegates/bob@acme.example", NULL);
    gm(BOB, "GET", "!/gmail/v1/users/ada@acme.example/messages", NULL);
    assert_int_equal(test_status, 403);
}

/* ---- who may ---- */

static void what_is_for_service_accounts_is_refused_to_people(void **state)
{
    static const struct {
        const char *method, *target, *body;
    } cases[] = {
        {"PUT", "/settings/autoForwarding", "{'enabled':false}"},
        {"POST", FORWARDS, "{'forwardingEmail':'x@far.example'}"},
        {"DELETE", FORWARDS "/x@far.example", NULL},
        {"POST", SENDERS, "{'sendAsEmail':'x@far.example'}"},
        {"PATCH", SENDERS "/a.lovelace@acme.example", "{'displayName':'x'}"},
        {"PUT", SENDERS "/a.lovelace@acme.example", "{'displayName':'x'}"},
        {"DELETE", SENDERS "/a.lovelace@acme.example", NULL},
        {"POST", SENDERS "/a.lovelace@acme.example/verify", NULL},
        {"POST", "/settings/delegates", "{'delegateEmail':'bob@acme.example'}"},
        {"DELETE", "/settings/delegates/bob@acme.example", NULL},
        {"GET", "/settings/cse/keypairs", NULL},
    };
    (void)state;
    gm(ADA, "POST", SENDERS, "{'sendAsEmail':'a.lovelace@acme.example'}");
    gm_scopes = BASIC " " SHARING;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        gm(ADA, cases[i].method, cases[i].target, cases[i].body);
        assert_refused(403, "forbidden", "PERMISSION_DENIED", RESTRICTED);
    }
}

static void settings_are_read_with_scopes_for_reading(void **state)
{
    static const char *const targets[] = {"autoForwarding", "imap",    "pop",   "language",
                                          "vacation",       "filters", "sendAs"};
    (void)state;
    gm_scopes = READONLY;
    for (size_t i = 0; i < SOSIA_LEN(targets); i++)
        gm_get(ADA, 200, "/settings/%s", targets[i]);
    gm_get(ADA, 204, FORWARDS);
    gm_get(ADA, 204, "/settings/delegates");
    gm(ADA, "PUT", "/settings/vacation", "{'enableAutoReply':false}");
    assert_int_equal(test_status, 403);
    gm(ADA, "POST", "/settings/filters", "{}");
    assert_int_equal(test_status, 403);
}

/* ---- IMAP, POP, language ---- */

static void imap_stays_off(void **state)
{
    (void)state;
    gm_get(ADA, 200, "/settings/imap");
    assert_answer("{'enabled':false,'autoExpunge':true,'expungeBehavior':'archive',"
                  "'maxFolderSize':0}");
    gm(ADA, "PUT", "/settings/imap",
       "{'enabled':true,'autoExpunge':true,'expungeBehavior':'trash','maxFolderSize':1000}");
    assert_answer("{'enabled':false,'autoExpunge':true,'expungeBehavior':'trash',"
                  "'maxFolderSize':1000}");
    gm(ADA, "PUT", "/settings/imap", "{'maxFolderSize':7}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid maxFolderSize");
    gm_get(ADA, 200, "/settings/imap");
    assert_answer("{'enabled':false,'autoExpunge':true,'expungeBehavior':'trash',"
                  "'maxFolderSize':1000}");
}

static void pop_is_kept(void **state)
{
    (void)state;
    gm_get(ADA, 200, "/settings/pop");
    assert_answer("{'accessWindow':'allMail','disposition':'leaveInInbox'}");
    gm(ADA, "PUT", "/settings/pop", "{'accessWindow':'fromNowOn','disposition':'archive'}");
    assert_answer("{'accessWindow':'fromNowOn','disposition':'archive'}");
    gm_get(ADA, 200, "/settings/pop");
    assert_answer("{'accessWindow':'fromNowOn','disposition':'archive'}");
    gm(ADA, "PUT", "/settings/pop", "{'disposition':'archive'}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid accessWindow");
}

static void the_language_is_kept(void **state)
{
    static const char *const bad[] = {"", "x", "12", "en_US", "en-", "-en", "en--US"};
    (void)state;
    assert_non_null(text_at(gm_get(ADA, 200, "/settings/language"), "displayLanguage"));
    gm(ADA, "PUT", "/settings/language", "{'displayLanguage':'pt-BR'}");
    assert_answer("{'displayLanguage':'pt-BR'}");
    gm_get(ADA, 200, "/settings/language");
    assert_answer("{'displayLanguage':'pt-BR'}");
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        gm(ADA, "PUT", "/settings/language", gm_text("{'displayLanguage':'%s'}", bad[i]));
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid display language");
    }
}

/* ---- vacation ---- */

static void vacation_is_replaced_as_a_whole(void **state)
{
    (void)state;
    gm_get(ADA, 200, "/settings/vacation");
    assert_answer("{'enableAutoReply':false,'responseSubject':'','restrictToContacts':false,"
                  "'restrictToDomain':false}");
    gm(ADA, "PUT", "/settings/vacation",
       "{'enableAutoReply':true,'responseSubject':'Away','responseBodyPlainText':'Back soon',"
       "'responseBodyHtml':'<p>Back soon</p>','restrictToContacts':true,'restrictToDomain':true,"
       "'startTime':'1795420800000','endTime':1795507200000}");
    assert_answer("{'enableAutoReply':true,'responseSubject':'Away',"
                  "'responseBodyPlainText':'Back soon','responseBodyHtml':'<p>Back soon</p>',"
                  "'restrictToContacts':true,'restrictToDomain':true,"
                  "'startTime':'1795420800000','endTime':'1795507200000'}");
    gm(ADA, "PUT", "/settings/vacation", "{'enableAutoReply':true,'responseSubject':'Gone'}");
    assert_answer("{'enableAutoReply':true,'responseSubject':'Gone','restrictToContacts':false,"
                  "'restrictToDomain':false}");
    gm_get(ADA, 200, "/settings/vacation");
    assert_answer("{'enableAutoReply':true,'responseSubject':'Gone','restrictToContacts':false,"
                  "'restrictToDomain':false}");
}

static void vacation_must_make_sense(void **state)
{
    static const struct {
        const char *body, *message;
    } cases[] = {
        {"{'enableAutoReply':true}", "Either a response subject or a response body must be set"},
        {"{'enableAutoReply':true,'responseSubject':'','responseBodyHtml':''}",
         "Either a response subject or a response body must be set"},
        {"{'enableAutoReply':true,'responseSubject':'a','startTime':'2','endTime':'2'}",
         "Start time must precede end time"},
        {"{'startTime':'2','endTime':'1'}", "Start time must precede end time"},
        {"{'startTime':'-1'}", "Invalid startTime"},
        {"{'endTime':'999999999999999999'}", "Invalid endTime"},
        {"{'responseSubject':'a\\nBcc: x'}", "Invalid responseSubject"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        gm(ADA, "PUT", "/settings/vacation", cases[i].body);
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", cases[i].message);
    }
}

/* ---- sending from them ---- */

static const char *sent_from(const char *from)
{
    const char *id =
        gm_send(ADA, gm_text("From: %s\nTo: bob@acme.example\nSubject: s\n\nHi\n", from), "");
    return header(gm_get(ADA, 200, "/messages/%s", id), "From");
}

static void mail_goes_from_addresses_that_were_accepted(void **state)
{
    (void)state;
    assert_string_equal(sent_from("Ada <ada@far.example>"), ADA);
    gm(ADA, "POST", SENDERS, "{'sendAsEmail':'ada@far.example'}");
    assert_string_equal(sent_from("Ada <ada@far.example>"), ADA);
    open_page(page_of(test_outbox(), "/mail/vsa-"), 200);
    assert_string_equal(sent_from("Ada <ada@far.example>"), "Ada <ada@far.example>");
    gm(ADA, "DELETE", SENDERS "/ada@far.example", NULL);
    assert_string_equal(sent_from("Ada <ada@far.example>"), ADA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gm_test(forwarding_is_off_at_first),
        gm_test(forwarding_needs_an_address_that_agreed),
        gm_test(forwarding_needs_a_disposition),
        gm_test(forwarding_goes_off_with_its_address),
        gm_test(addresses_of_colleagues_need_no_agreement),
        gm_test(addresses_to_forward_to_come_and_go),
        gm_test(nobody_forwards_to_themselves),
        gm_test(addresses_to_forward_to_are_limited),
        gm_test(the_confirmation_is_of_use_once),
        gm_test(the_page_is_found_without_a_credential),
        gm_test(confirmations_reach_mailboxes_of_other_organisations),
        gm_test(the_main_address_is_there),
        gm_test(a_person_may_change_the_main_address),
        gm_test(a_server_for_the_main_address_is_passed_over),
        gm_test(an_alias_of_ones_own_is_accepted_at_once),
        gm_test(an_address_of_somebody_else_waits_for_its_owner),
        gm_test(an_update_takes_away_the_server_that_it_does_not_name),
        gm_test(one_address_is_the_default),
        gm_test(the_main_address_stays),
        gm_test(what_makes_no_sense_of_a_sender_is_refused),
        gm_test(delegates_come_and_go),
        gm_test(delegates_are_colleagues_by_their_main_address),
        gm_test(delegates_use_the_mailbox_but_not_its_settings),
        gm_test(what_is_for_service_accounts_is_refused_to_people),
        gm_test(settings_are_read_with_scopes_for_reading),
        gm_test(imap_stays_off),
        gm_test(pop_is_kept),
        gm_test(the_language_is_kept),
        gm_test(vacation_is_replaced_as_a_whole),
        gm_test(vacation_must_make_sense),
        gm_test(mail_goes_from_addresses_that_were_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
