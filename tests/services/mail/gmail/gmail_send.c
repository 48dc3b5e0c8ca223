/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in which a message comes into mailboxes: send, insert, import; as JSON and as media. */
#include "tests/support/gmail.h"
#include <stdio.h>
#include <stdlib.h>

#define TO_BOB                                                                                     \
    "From: ada@acme.example\n"                                                                     \
    "To: Bob <bob@acme.example>\n"                                                                 \
    "Subject: Plan\n"                                                                              \
    "\n"                                                                                           \
    "Monday?\n"

static const struct json *newest(const char *who)
{
    return gm_get(who, 200, "/messages/%s", gm_newest(who));
}

static const struct json *send_text(const char *who, const char *text)
{
    return gm(who, "POST", "/messages/send", gm_text("{'raw':'%s'}", gm_raw(text)));
}

static int count_of(const char *who)
{
    return (int)number_at(gm_get(who, 200, "/profile"), "messagesTotal");
}

/* ---- sending ---- */

static void send_answers_three_members(void **state)
{
    send_text(ADA, TO_BOB);
    assert_int_equal(test_status, 200);
    assert_answer("{'id':'@','threadId':'@','labelIds':['SENT']}");
}

static void the_recipient_has_a_copy_of_its_own(void **state)
{
    const char *id = gm_send(ADA, TO_BOB, "");
    const struct json *v = newest(BOB);
    assert_string_not_equal(text_at(v, "id"), id);
    assert_string_equal(labels_of(v), "CATEGORY_PERSONAL INBOX UNREAD");
    assert_string_equal(text_at(v, "snippet"), "Monday?");
    assert_string_equal(data_at(v, "payload.body.data"), "Monday?\r\n");
    assert_string_equal(header(v, "Delivered-To"), BOB);
    assert_string_equal(header(v, "Subject"), "Plan");
    const struct json *sent = gm_get(ADA, 200, "/messages/%s", id);
    assert_string_equal(header(v, "Message-ID"), header(sent, "Message-ID"));
    assert_null(header(sent, "Delivered-To"));
    assert_int_equal(count_of(CYD), 0);
}

static void mail_to_oneself_is_one_message(void **state)
{
    send_text(ADA, "To: ada@acme.example\nSubject: note\n\nx\n");
    assert_answer("{'id':'@','threadId':'@','labelIds':['UNREAD','SENT','INBOX']}");
    assert_int_equal(count_of(ADA), 1);
}

static void addresses_outside_are_in_the_outbox(void **state)
{
    gm_send(ADA, "To: dave@else.example, bob@acme.example\nSubject: out\n\nx\n", "");
    const struct json *box = test_outbox();
    assert_int_equal(count_at(box, ""), 1);
    assert_string_equal(text_at(box, "0.kind"), "mail");
    assert_string_equal(text_at(box, "0.to"), "dave@else.example");
    assert_string_equal(text_at(box, "0.from"), ADA);
    assert_int_equal(count_of(BOB), 1);
}

static void a_failure_comes_back_into_the_thread(void **state)
{
    const char *id = gm_send(ADA, "To: nobody@acme.example\nSubject: lost\n\nx\n", "");
    const struct json *v = newest(ADA);
    assert_string_not_equal(text_at(v, "id"), id);
    assert_string_equal(text_at(v, "threadId"), id);
    assert_string_equal(labels_of(v), "CATEGORY_UPDATES INBOX UNREAD");
    assert_string_equal(text_at(v, "payload.mimeType"), "multipart/report");
    assert_string_equal(header(v, "From"),
                        "Mail Delivery Subsystem <mailer-daemon@googlemail.com>");
}

static void the_service_fills_in_what_is_missing(void **state)
{
    const char *id = gm_send(ADA, "To: bob@acme.example\n\nx\n", "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    assert_string_equal(text_at(v, "payload.headers.0.name"), "Received");
    const char *trace = text_at(v, "payload.headers.0.value");
    assert_int_equal(strncmp(trace, "from ", 5), 0);
    assert_non_null(strstr(trace,
                           " named unknown by gmailapi.google.com with HTTPREST; Mon, 23 Nov "
                           "2026 00:00:00 -0800"));
    assert_string_equal(header(v, "Date"), "Mon, 23 Nov 2026 00:00:00 -0800");
    assert_string_equal(header(v, "From"), ADA);
    const char *message_id = header(v, "Message-ID");
    assert_int_equal(strncmp(message_id, "<CA", 3), 0);
    assert_non_null(strstr(message_id, "@mail.gmail.com>"));
}

static const char *names_of(const struct json *message)
{
    return column(message, "payload.headers", "name");
}

static void what_leaves_has_a_head_in_order(void **state)
{
    const char *id =
        gm_send(ADA,
                "cc: cyd@acme.example\nsubject: caf\n so\nMESSAGE-ID: <a@b>\n"
                "content-type: text/plain\nto: bob@acme.example\nfrom: " ADA "\n"
                "date: Sun, 22 Nov 2026 10:00:00 +0000\nX-Own: x\nbcc: all@acme.example\n"
                "mime-version: 1.0\n\ny\n",
                "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    assert_string_equal(names_of(v), "Received cc subject MESSAGE-ID content-type to from date "
                                     "X-Own bcc mime-version");
    assert_string_equal(header(v, "Date"), "Mon, 23 Nov 2026 00:00:00 -0800");
    const char *message_id = header(v, "Message-ID");
    v = gm_get(BOB, 200, "/messages/%s", gm_newest(BOB));
    assert_string_equal(names_of(v),
                        "Delivered-To Received Return-Path Received from X-Own mime-version Date "
                        "Message-ID Subject To Cc Content-Type");
    assert_string_equal(header(v, "Message-ID"), message_id);
    assert_string_equal(header(v, "Date"), "Mon, 23 Nov 2026 00:00:00 -0800");
    assert_string_equal(header(v, "Subject"), "caf so");
    assert_string_equal(data_at(v, "payload.body.data"), "y\r\n");
    id = gm_send(ADA, "to: bob@acme.example\nno field\nsubject: x", "");
    assert_string_equal(
        names_of(gm_get(BOB, 200, "/messages/%s", gm_newest(BOB))),
        "Delivered-To Received Return-Path Received From Date Message-ID Subject To");
    assert_string_equal(names_of(gm_get(ADA, 200, "/messages/%s", id)),
                        "Received to subject From Date Message-Id");
}

static void a_message_id_is_replaced_in_its_place(void **state)
{
    const char *id = gm_send(ADA,
                             "To: bob@acme.example\n"
                             "Message-ID: <mine@acme.example>\n"
                             "Subject: x\n\ny\n",
                             "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    assert_string_equal(text_at(v, "payload.headers.2.name"), "Message-ID");
    assert_null(strstr(header(v, "Message-ID"), "mine"));
    assert_null(header(v, "X-Google-Original-Message-ID"));
}

static void from_is_the_accounts_own(void **state)
{
    static const struct {
        const char *from, *kept;
    } table[] = {
        {"Boss <boss@else.example>", ADA},
        {"me", ADA},
        {"bob@acme.example", ADA},
        {"Countess <a.lovelace@acme.example>", "Countess <a.lovelace@acme.example>"},
        {"ADA@acme.example", "ADA@acme.example"},
        {"Ada L <ada@acme.example>", "Ada L <ada@acme.example>"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *id =
            gm_send(ADA, gm_text("From: %s\nTo: bob@acme.example\n\nx\n", table[i].from), "");
        assert_string_equal(header(gm_get(ADA, 200, "/messages/%s", id), "From"), table[i].kept);
    }
}

static void new_mail_is_from_the_default_address(void **state)
{
    gm(ADA, "PATCH", "/settings/sendAs/" ADA, "{'displayName':'Ada, Countess'}");
    assert_int_equal(test_status, 200);
    const char *id = gm_send(ADA, "To: bob@acme.example\n\nx\n", "");
    assert_string_equal(header(gm_get(ADA, 200, "/messages/%s", id), "From"), ADA);
    gm(ADA, "POST", "/settings/sendAs",
       "{'sendAsEmail':'a.lovelace@acme.example',"
       "'displayName':'Machines','isDefault':true}");
    assert_int_equal(test_status, 200);
    id = gm_send(ADA, "To: bob@acme.example\n\nx\n", "");
    assert_string_equal(header(gm_get(ADA, 200, "/messages/%s", id), "From"),
                        "a.lovelace@acme.example");
    id = gm_send(ADA, "From: x@else.example\nTo: bob@acme.example\n\nx\n", "");
    assert_string_equal(header(gm_get(ADA, 200, "/messages/%s", id), "From"),
                        "a.lovelace@acme.example");
    id = gm_send(ADA, "From: " ADA "\nTo: bob@acme.example\n\nx\n", "");
    assert_string_equal(header(gm_get(ADA, 200, "/messages/%s", id), "From"), ADA);
    gm(ADA, "PUT", "/settings/vacation", "{'enableAutoReply':true,'responseSubject':'Away'}");
    gm_send(BOB, "To: ada@acme.example\nSubject: Lunch\n\nx\n", "");
    const struct json *v = gm_get(BOB, 200, "/messages/%s", gm_newest(BOB));
    assert_string_equal(header(v, "From"), "Machines <a.lovelace@acme.example>");
    assert_string_equal(header(v, "Subject"), "Away Re: Lunch");
}

static void bytes_beyond_ascii_in_a_head_are_latin1(void **state)
{
    const char *id =
        gm_send(ADA, "To: bob@acme.example\nSubject: caf\303\251\n\ncaf\303\251\n", "");
    assert_string_equal(header(gm_get(ADA, 200, "/messages/%s", id), "Subject"),
                        "caf\303\203\302\251");
}

static void what_cannot_be_sent_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } table[] = {
        {"Subject: x\n\ny\n", "Recipient address required"},
        {"To: \nSubject: x\n\ny\n", "Recipient address required"},
        {"To: not an address\n\ny\n", "Invalid To header"},
        {"To: bob@acme.example\nCc: <@>\n\ny\n", "Invalid Cc header"},
        {"To: bob@acme.example\nBcc: a b c\n\ny\n", "Invalid Bcc header"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        send_text(ADA, table[i].text);
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", table[i].message);
    }
    assert_int_equal(count_of(ADA), 0);
    assert_int_equal(count_of(BOB), 0);
}

static void a_message_is_wanted(void **state)
{
    static const char *const targets[] = {"/messages/send", "/messages", "/messages/import"};
    static const char *const bodies[] = {"", "{}", "{'payload':{'headers':[]}}", "{'raw':''}",
                                         "{'raw':null,'threadId':''}"};
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 5; k++) {
            gm(ADA, "POST", targets[i], bodies[k]);
            assert_refused(400, "invalidArgument", "INVALID_ARGUMENT",
                           "'raw' RFC822 payload message string or uploading message via /upload/* "
                           "URL required");
        }
    }
}

static void five_hundred_may_be_named(void **state)
{
    static char text[40000];
    char *p = text + sprintf(text, "To: bob@acme.example");
    for (int i = 0; i < 500; i++)
        p += sprintf(p, ",\n p%d@else.example", i);
    sprintf(p, "\nSubject: x\n\ny\n");
    send_text(ADA, text);
    assert_int_equal(test_status, 400);
    assert_int_equal(count_of(BOB), 0);
}

static void padding_of_base64_is_optional(void **state)
{
    gm(ADA, "POST", "/messages/send",
       "{'raw':'VG86IGJvYkBhY21lLmV4YW1wbGUNClN1YmplY3Q6IHgNCg0KPz8_Pj4-fn4'}");
    assert_int_equal(test_status, 200);
    gm(ADA, "POST", "/messages/send",
       "{'raw':'VG86IGJvYkBhY21lLmV4YW1wbGUNClN1YmplY3Q6IHgNCg0KPz8/Pj4+fn4='}");
    assert_int_equal(test_status, 200);
    assert_string_equal(data_at(newest(BOB), "payload.body.data"), "?"
                                                                   "?"
                                                                   "?>>>~~");
}

static void json_is_limited_to_five_megabytes(void **state)
{
    size_t n = (5 << 20) + 100;
    char *body = malloc(n + 100);
    char *p = body + sprintf(body, "{'raw':'");
    memset(p, 'A', n);
    strcpy(p + n, "'}");
    gm(ADA, "POST", "/messages/send", body);
    free(body);
    assert_refused(413, "uploadTooLarge", "UNKNOWN", "Request Entity Too Large");
}

/* ---- threads of what is sent ---- */

#define REPLY(id)                                                                                  \
    gm_text("To: bob@acme.example\nSubject: Re: Plan\nIn-Reply-To: %s\nReferences: %s\n\nok\n",    \
            id, id)

static const char *message_id_of(const char *who, const char *id)
{
    return header(gm_get(who, 200, "/messages/%s", id), "Message-ID");
}

static void a_reply_joins_the_thread_it_names(void **state)
{
    const char *id = gm_send(ADA, TO_BOB, ""), *mid = message_id_of(ADA, id);
    const struct json *v = gm(ADA, "POST", "/messages/send",
                              gm_text("{'raw':'%s','threadId':'%s'}", gm_raw(REPLY(mid)), id));
    assert_string_equal(text_at(v, "threadId"), id);
    v = gm_get(BOB, 200, "/threads");
    assert_int_equal(count_at(v, "threads"), 1);
}

static void a_reply_that_names_no_thread_is_one_of_its_own_for_the_sender(void **state)
{
    const char *id = gm_send(ADA, TO_BOB, ""), *mid = message_id_of(ADA, id);
    const char *reply = gm_send(ADA, REPLY(mid), "");
    assert_string_equal(text_at(gm_get(ADA, 200, "/messages/%s", reply), "threadId"), reply);
    assert_int_equal(count_at(gm_get(BOB, 200, "/threads"), "threads"), 1);
}

static void a_reply_with_another_subject_is_a_thread_of_its_own(void **state)
{
    const char *id = gm_send(ADA, TO_BOB, ""), *mid = message_id_of(ADA, id);
    const char *text = gm_text("To: bob@acme.example\nSubject: Other\nReferences: %s\n\nx\n", mid);
    const struct json *v = gm(ADA, "POST", "/messages/send",
                              gm_text("{'raw':'%s','threadId':'%s'}", gm_raw(text), id));
    assert_int_equal(test_status, 200);
    assert_string_not_equal(text_at(v, "threadId"), id);
    assert_int_equal(count_at(gm_get(BOB, 200, "/threads"), "threads"), 2);
}

static void a_thread_that_is_not_there_is_refused(void **state)
{
    static const char *const targets[] = {"/messages/send", "/messages", "/messages/import"};
    for (size_t i = 0; i < 3; i++) {
        gm(ADA, "POST", targets[i],
           gm_text("{'raw':'%s','threadId':'19dda5cc10eb51bb'}", gm_raw(TO_BOB)));
        assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
        gm(ADA, "POST", targets[i], gm_text("{'raw':'%s','threadId':'xyz'}", gm_raw(TO_BOB)));
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid thread_id value");
    }
    assert_int_equal(count_of(BOB), 0);
}

/* ---- insert ---- */

static void insert_keeps_the_bytes_and_sends_nothing(void **state)
{
    const char *id = gm_insert(ADA, "From: bob@acme.example\nTo: cyd@acme.example\n\nx\n", "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s?format=raw", id);
    assert_string_equal(text_at(v, "raw"),
                        gm_raw("From: bob@acme.example\nTo: cyd@acme.example\n\nx\n"));
    assert_int_equal(count_of(CYD), 0);
    assert_int_equal(count_at(test_outbox(), ""), 0);
}

static void insert_of_ones_own_is_sent_mail(void **state)
{
    gm(ADA, "POST", "/messages", gm_text("{'raw':'%s','labelIds':['STARRED']}", gm_raw(TO_BOB)));
    assert_answer("{'id':'@','threadId':'@','labelIds':['STARRED','SENT']}");
}

static void insert_of_a_draft_makes_one(void **state)
{
    const char *id = gm_insert(ADA, TO_BOB, ",'labelIds':['DRAFT']");
    gm_get(ADA, 200, "/drafts");
    assert_answer(gm_text("{'drafts':[{'id':'*','message':{'id':'%s','threadId':'%s'}}],"
                          "'resultSizeEstimate':1}",
                          id, id));
}

static void unknown_labels_are_refused(void **state)
{
    gm(ADA, "POST", "/messages", gm_text("{'raw':'%s','labelIds':['Label_7']}", gm_raw(TO_BOB)));
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid label: Label_7");
}

#define DATED "From: bob@acme.example\nDate: Sun, 22 Nov 2026 12:00:07 +0100\n\nx\n"

static const char *date_of(const char *target, const char *text)
{
    const struct json *v = gm(ADA, "POST", target, gm_text("{'raw':'%s'}", gm_raw(text)));
    assert_int_equal(test_status, 200);
    return text_at(gm_get(ADA, 200, "/messages/%s", text_at(v, "id")), "internalDate");
}

static void import_wants_one_sender(void **state)
{
    static const char *const cases[] = {"Subject: x\n\n",
                                        "From: b@x.example\nFrom: c@x.example\n\n"};
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        gm(ADA, "POST", "/messages/import", gm_text("{'raw':'%s'}", gm_raw(cases[i])));
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT",
                       "Expected a single 'From' header");
        gm_insert(ADA, cases[i], "");
    }
}

static void nothing_is_inserted_as_a_chat(void **state)
{
    static const char *const targets[] = {"/messages", "/messages/import"};
    for (size_t i = 0; i < SOSIA_LEN(targets); i++) {
        gm(ADA, "POST", targets[i],
           gm_text("{'raw':'%s','labelIds':['INBOX','CHAT']}", gm_raw(DATED)));
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid label: CHAT");
    }
}

static void a_domain_without_a_dot_is_no_recipient(void **state)
{
    static const char *const fields[] = {"To", "Cc", "Bcc"};
    for (size_t i = 0; i < SOSIA_LEN(fields); i++) {
        const char *text = gm_text("%s: human@f\nSubject: x\n\nx\n", fields[i]);
        gm(ADA, "POST", "/messages/send", gm_text("{'raw':'%s'}", gm_raw(text)));
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT",
                       gm_text("Invalid %s header", fields[i]));
        gm(ADA, "POST", "/drafts", gm_text("{'message':{'raw':'%s'}}", gm_raw(text)));
        assert_int_equal(test_status, 200);
    }
    test_use("sosia: 1\norganizations: [{domain: localhost}]\npeople:\n  - {email: " ADA "}\n"
             "  - {email: root@localhost}\n");
    gm_send(ADA, "To: root@localhost\nSubject: x\n\nx\n", "");
}

static void the_date_comes_from_where_it_is_asked_for(void **state)
{
    const char *now = "1795420800000", *then = "1795345207000";
    assert_string_equal(date_of("/messages", DATED), now);
    assert_string_equal(date_of("/messages?internalDateSource=dateHeader", DATED), then);
    assert_string_equal(date_of("/messages/import", DATED), then);
    assert_string_equal(date_of("/messages/import?internalDateSource=receivedTime", DATED), now);
    assert_string_equal(date_of("/messages/import", "From: b@x.example\n\nx\n"), now);
    assert_string_equal(
        date_of("/messages/import", "From: b@x.example\nDate: the other day\n\nx\n"), now);
    gm(ADA, "POST", "/messages?internalDateSource=now", "{}");
    assert_int_equal(test_status, 400);
}

static void import_looks_at_what_it_gets(void **state)
{
    const struct json *v = gm(ADA, "POST", "/messages/import",
                              gm_text("{'raw':'%s','labelIds':['INBOX','UNREAD']}", gm_raw(DATED)));
    assert_string_equal(labels_of(v), "CATEGORY_PERSONAL INBOX UNREAD");
    assert_string_equal(members(v, ""), "id threadId labelIds");
}

static void what_is_deleted_as_it_comes_is_seen_by_nobody(void **state)
{
    const struct json *v =
        gm(ADA, "POST", "/messages?deleted=true", gm_text("{'raw':'%s'}", gm_raw(TO_BOB)));
    assert_int_equal(test_status, 200);
    assert_int_equal(strlen(text_at(v, "id")), 16);
    gm_get(ADA, 404, "/messages/%s", text_at(v, "id"));
    assert_int_equal(count_of(ADA), 0);
}

/* The milliseconds of its id have an end. */
static void far_in_the_future_what_is_deleted_has_an_id(void **state)
{
    (void)state;
    const char *doc = strchr(strchr(gm_people, '\n') + 1, '\n');
    test_use(gm_text("sosia: 1\ntime: 2300-01-01T00:00:00Z%s", doc));
    const struct json *v =
        gm(ADA, "POST", "/messages?deleted=true", gm_text("{'raw':'%s'}", gm_raw(TO_BOB)));
    const char *id = text_at(v, "id");
    assert_true(strlen(id) == 16 && *id < '8');
    gm_get(ADA, 404, "/messages/%s", id);
}

/* ---- media ---- */

static const struct json *upload(const char *target, const char *type, const char *body)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_err err;
    struct sosia_token_options opt = {.actor = ADA};
    assert_int_equal(sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &err),
                     0);
    struct sosia_header headers[] = {
        {"Authorization", gm_text("Bearer %s", token)},
        {"Content-Type", type},
    };
    return test_request("POST", gm_text("/upload/gmail/v1/users/me%s", target), headers, 2, body,
                        strlen(body));
}

static void a_medium_is_a_message(void **state)
{
    upload("/messages/send?uploadType=media", "message/rfc822",
           "To: bob@acme.example\r\nSubject: up\r\n\r\nx\r\n");
    assert_answer("{'id':'@','threadId':'@','labelIds':['SENT']}");
    assert_string_equal(header(newest(BOB), "Subject"), "up");
    upload("/drafts?uploadType=media", "message/rfc822", "Subject: d\r\n\r\nx\r\n");
    assert_answer("{'id':'*','message':{'id':'@','threadId':'@','labelIds':['DRAFT']}}");
}

/* Bytes beyond ASCII in a head become two: what they make of it must have room. */
static void a_head_that_grows_too_large_is_refused(void **state)
{
    const size_t n = (size_t)33 << 20;
    char *text = malloc(n + 100), *p = text + sprintf(text, "Subject: ");
    memset(p, 0xe9, n);
    strcpy(p + n, "\r\n\r\nx\r\n");
    upload("/drafts?uploadType=media", "message/rfc822", text);
    free(text);
    assert_refused(413, "uploadTooLarge", "UNKNOWN", "Request Entity Too Large");
}

/* The bytes of a message, by its member raw. */
static const char *bytes_of(const char *who, const char *id)
{
    return data_at(gm_get(who, 200, "/messages/%s?format=raw", id), "raw");
}

static void assert_lines(const char *text)
{
    for (const char *p = text; (p = strchr(p, '\n')); p++)
        assert_true(p > text && p[-1] == '\r');
    assert_null(strstr(text, "\r\r"));
}

static void lines_end_as_they_do_on_the_way(void **state)
{
    static const char text[] = "To: bob@acme.example\nSubject: a\n b\r\n\none\ntwo\r\nthree\n";
    const struct json *v = upload("/messages/send?uploadType=media", "message/rfc822", text);
    const char *sent = bytes_of(ADA, text_at(v, "id"));
    assert_lines(sent);
    assert_non_null(strstr(sent, "Subject: a\r\n b\r\n"));
    assert_non_null(strstr(sent, "\r\n\r\none\r\ntwo\r\nthree\r\n"));
    assert_lines(bytes_of(BOB, gm_newest(BOB)));
    v = upload("/drafts?uploadType=media", "message/rfc822", text);
    assert_lines(bytes_of(ADA, text_at(v, "message.id")));
    v = upload("/messages?uploadType=media", "message/rfc822", text); /* kept as it is */
    assert_string_equal(bytes_of(ADA, text_at(v, "id")), text);
}

static void a_medium_comes_with_metadata(void **state)
{
    upload(
        "/messages?uploadType=multipart", "multipart/related; boundary=b",
        "--b\r\nContent-Type: application/json\r\n\r\n{\"labelIds\":[\"INBOX\",\"STARRED\"]}\r\n"
        "--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: bob@acme.example\r\n\r\nx\r\n--b--\r\n");
    assert_answer("{'id':'@','threadId':'@','labelIds':['STARRED','INBOX']}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gm_test(send_answers_three_members),
        gm_test(the_recipient_has_a_copy_of_its_own),
        gm_test(mail_to_oneself_is_one_message),
        gm_test(addresses_outside_are_in_the_outbox),
        gm_test(a_failure_comes_back_into_the_thread),
        gm_test(the_service_fills_in_what_is_missing),
        gm_test(what_leaves_has_a_head_in_order),
        gm_test(a_message_id_is_replaced_in_its_place),
        gm_test(from_is_the_accounts_own),
        gm_test(new_mail_is_from_the_default_address),
        gm_test(bytes_beyond_ascii_in_a_head_are_latin1),
        gm_test(what_cannot_be_sent_is_refused),
        gm_test(a_message_is_wanted),
        gm_test(five_hundred_may_be_named),
        gm_test(padding_of_base64_is_optional),
        gm_test(json_is_limited_to_five_megabytes),
        gm_test(a_reply_joins_the_thread_it_names),
        gm_test(a_reply_that_names_no_thread_is_one_of_its_own_for_the_sender),
        gm_test(a_reply_with_another_subject_is_a_thread_of_its_own),
        gm_test(a_thread_that_is_not_there_is_refused),
        gm_test(insert_keeps_the_bytes_and_sends_nothing),
        gm_test(insert_of_ones_own_is_sent_mail),
        gm_test(insert_of_a_draft_makes_one),
        gm_test(unknown_labels_are_refused),
        gm_test(import_wants_one_sender),
        gm_test(nothing_is_inserted_as_a_chat),
        gm_test(a_domain_without_a_dot_is_no_recipient),
        gm_test(the_date_comes_from_where_it_is_asked_for),
        gm_test(import_looks_at_what_it_gets),
        gm_test(what_is_deleted_as_it_comes_is_seen_by_nobody),
        gm_test(far_in_the_future_what_is_deleted_has_an_id),
        gm_test(a_medium_is_a_message),
        gm_test(a_head_that_grows_too_large_is_refused),
        gm_test(lines_end_as_they_do_on_the_way),
        gm_test(a_medium_comes_with_metadata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
