/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: what they look like in each format, lists, labels, the trash, deletion. */
#include "tests/support/gmail.h"
#include <stdio.h>
#include <stdlib.h>

#define LUNCH                                                                                      \
    "From: Bob <bob@acme.example>\n"                                                               \
    "To: ada@acme.example\n"                                                                       \
    "Subject: Lunch\n"                                                                             \
    "Date: Sun, 22 Nov 2026 12:00:00 +0100\n"                                                      \
    "Message-ID: <l1@acme.example>\n"                                                              \
    "\n"                                                                                           \
    "Shall we?\n"
#define LUNCH_HEADERS                                                                              \
    "'headers':[{'name':'From','value':'Bob <bob@acme.example>'},"                                 \
    "{'name':'To','value':'ada@acme.example'},{'name':'Subject','value':'Lunch'},"                 \
    "{'name':'Date','value':'Sun, 22 Nov 2026 12:00:00 +0100'},"                                   \
    "{'name':'Message-ID','value':'<l1@acme.example>'}]"
#define LUNCH_TAIL "'sizeEstimate':151,'historyId':'#','internalDate':'1795420800000'"

#define INBOX ",'labelIds':['INBOX']"

/* ---- formats ---- */

static void full_has_the_parsed_payload(void **state)
{
    const char *id = gm_insert(ADA, LUNCH, INBOX);
    gm_get(ADA, 200, "/messages/%s", id);
    assert_answer("{'id':'@','threadId':'@','labelIds':['INBOX'],'snippet':'Shall we?',"
                  "'payload':{'partId':'','mimeType':'text/plain','filename':''," LUNCH_HEADERS
                  ",'body':{'size':11,'data':'U2hhbGwgd2U_DQo='}}," LUNCH_TAIL "}");
    const char *full = test_body;
    gm_get(ADA, 200, "/messages/%s?format=full", id);
    assert_string_equal(test_body, full);
}

static void metadata_has_type_and_headers_only(void **state)
{
    const char *id = gm_insert(ADA, LUNCH, INBOX);
    gm_get(ADA, 200, "/messages/%s?format=metadata", id);
    assert_answer("{'id':'@','threadId':'@','labelIds':['INBOX'],'snippet':'Shall we?',"
                  "'payload':{'mimeType':'text/plain'," LUNCH_HEADERS "}," LUNCH_TAIL "}");
}

static void metadata_headers_name_those_that_are_wanted(void **state)
{
    const char *id = gm_insert(ADA, LUNCH, INBOX);
    gm_get(ADA, 200,
           "/messages/%s?format=metadata&metadataHeaders=subject&metadataHeaders=FROM"
           "&metadataHeaders=X-None",
           id);
    assert_answer("{'id':'@','threadId':'@','labelIds':['INBOX'],'snippet':'Shall we?',"
                  "'payload':{'mimeType':'text/plain','headers':["
                  "{'name':'From','value':'Bob <bob@acme.example>'},"
                  "{'name':'Subject','value':'Lunch'}]}," LUNCH_TAIL "}");
    const struct json *v = gm_get(ADA, 200, "/messages/%s?metadataHeaders=Subject", id);
    assert_int_equal(count_at(v, "payload.headers"), 5);
}

static void minimal_has_no_snippet_and_an_empty_payload(void **state)
{
    const char *id = gm_insert(ADA, LUNCH, INBOX);
    gm_get(ADA, 200, "/messages/%s?format=minimal", id);
    assert_answer(
        "{'id':'@','threadId':'@','labelIds':['INBOX'],'payload':{'partId':''}," LUNCH_TAIL "}");
}

static void raw_has_every_byte(void **state)
{
    const char *id = gm_insert(ADA, LUNCH, INBOX);
    const struct json *v = gm_get(ADA, 200, "/messages/%s?format=raw", id);
    assert_string_equal(members(v, ""),
                        "id threadId labelIds snippet sizeEstimate historyId internalDate raw");
    assert_string_equal(text_at(v, "raw"), gm_raw(LUNCH));
    assert_int_equal(strlen(text_at(v, "raw")) % 4, 0);
}

static void a_message_without_labels_has_no_list_of_them(void **state)
{
    const char *id = gm_insert(ADA, LUNCH, "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s?format=minimal", id);
    assert_string_equal(members(v, ""), "id threadId payload sizeEstimate historyId internalDate");
}

static void ids_are_made_of_the_time(void **state)
{
    const char *id = gm_insert(ADA, LUNCH, INBOX);
    unsigned long long key = strtoull(id, NULL, 16);
    assert_int_equal(strlen(id), 16);
    assert_true(key >> 20 == 1795420800000ULL);
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    assert_string_equal(text_at(v, "threadId"), id);
    char upper[17];
    for (int i = 0; i < 17; i++)
        upper[i] = (char)(id[i] >= 'a' ? id[i] - 32 : id[i]);
    gm_get(ADA, 200, "/messages/%s", upper);
}

/* ---- parts ---- */

#define NESTED                                                                                     \
    "From: bob@acme.example\n"                                                                     \
    "To: ada@acme.example\n"                                                                       \
    "Subject: Parts\n"                                                                             \
    "MIME-Version: 1.0\n"                                                                          \
    "Content-Type: multipart/mixed; boundary=A\n"                                                  \
    "\n"                                                                                           \
    "--A\n"                                                                                        \
    "Content-Type: multipart/alternative; boundary=B\n"                                            \
    "\n"                                                                                           \
    "--B\n"                                                                                        \
    "Content-Type: text/plain; charset=UTF-8\n"                                                    \
    "\n"                                                                                           \
    "plain\n"                                                                                      \
    "--B\n"                                                                                        \
    "Content-Type: text/html; charset=UTF-8\n"                                                     \
    "Content-Transfer-Encoding: quoted-printable\n"                                                \
    "\n"                                                                                           \
    "<p>h=3Dt</p>\n"                                                                               \
    "--B--\n"                                                                                      \
    "--A\n"                                                                                        \
    "Content-Type: text/plain; name=test.txt\n"                                                    \
    "Content-Disposition: attachment; filename=test.txt\n"                                         \
    "Content-Transfer-Encoding: base64\n"                                                          \
    "X-Attachment-Id: f_1\n"                                                                       \
    "\n"                                                                                           \
    "VGhpcyBpcyBhIHRlc3QgZmlsZQoKVGhpcyBmaWxlIGhhcyBjb250ZW50Cg==\n"                               \
    "--A--\n"

static void parts_are_a_tree(void **state)
{
    const char *id = gm_insert(ADA, NESTED, INBOX);
    const struct json *v = gm_get(ADA, 200, "/messages/%s?fields=payload", id);
    assert_answer(
        "{'payload':{'partId':'','mimeType':'multipart/mixed','filename':'','headers':["
        "{'name':'From','value':'bob@acme.example'},{'name':'To','value':'ada@acme.example'},"
        "{'name':'Subject','value':'Parts'},{'name':'MIME-Version','value':'1.0'},"
        "{'name':'Content-Type','value':'multipart/mixed; boundary=A'}],'body':{'size':0},"
        "'parts':[{'partId':'0','mimeType':'multipart/alternative','filename':'',"
        "'headers':[{'name':'Content-Type','value':'multipart/alternative; boundary=B'}],"
        "'body':{'size':0},'parts':["
        "{'partId':'0.0','mimeType':'text/plain','filename':'','headers':["
        "{'name':'Content-Type','value':'text/plain; charset=UTF-8'}],"
        "'body':{'size':5,'data':'cGxhaW4='}},"
        "{'partId':'0.1','mimeType':'text/html','filename':'','headers':["
        "{'name':'Content-Type','value':'text/html; charset=UTF-8'},"
        "{'name':'Content-Transfer-Encoding','value':'quoted-printable'}],"
        "'body':{'size':10,'data':'PHA-aD10PC9wPg=='}}]},"
        "{'partId':'1','mimeType':'text/plain','filename':'test.txt','headers':["
        "{'name':'Content-Type','value':'text/plain; name=test.txt'},"
        "{'name':'Content-Disposition','value':'attachment; filename=test.txt'},"
        "{'name':'Content-Transfer-Encoding','value':'base64'},"
        "{'name':'X-Attachment-Id','value':'f_1'}],"
        "'body':{'attachmentId':'*','size':43}}]}}");
    const char *attachment = text_at(v, "payload.parts.1.body.attachmentId");
    assert_int_equal(strncmp(attachment, "ANGjdJ", 6), 0);
    assert_int_equal(strlen(attachment), 328);
}

static void attachments_have_their_bytes(void **state)
{
    const char *id = gm_insert(ADA, NESTED, INBOX);
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    const char *attachment = text_at(v, "payload.parts.1.body.attachmentId");
    gm_get(ADA, 200, "/messages/%s/attachments/%s", id, attachment);
    assert_answer("{'size':43,'data':"
                  "'VGhpcyBpcyBhIHRlc3QgZmlsZQoKVGhpcyBmaWxlIGhhcyBjb250ZW50Cg=='}");
    gm_get(ADA, 400, "/messages/%s/attachments/ANGjdJ", id);
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid attachment token");
    const char *other = gm_insert(ADA, NESTED, INBOX);
    gm_get(ADA, 400, "/messages/%s/attachments/%s", other, attachment);
    gm_get(ADA, 404, "/messages/19dda5cc10eb51bb/attachments/%s", attachment);
    gm_get(BOB, 404, "/messages/%s/attachments/%s", id, attachment);
}

static void forwarded_messages_have_parts_and_are_files_if_they_have_names(void **state)
{
    const char *id = gm_insert(ADA,
                               "From: bob@acme.example\n"
                               "Content-Type: multipart/mixed; boundary=A\n"
                               "\n"
                               "--A\n"
                               "Content-Type: message/rfc822\n"
                               "\n"
                               "From: eve@else.example\n"
                               "Subject: inner\n"
                               "\n"
                               "inside\n"
                               "--A\n"
                               "Content-Type: message/rfc822; name=kept.eml\n"
                               "\n"
                               "Subject: other\n"
                               "\n"
                               "--A--\n",
                               INBOX);
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    v = value_at(v, "payload.parts.0");
    assert_string_equal(text_at(v, "mimeType"), "message/rfc822");
    assert_string_equal(members(v, "body"), "size");
    assert_int_equal(number_at(v, "body.size"), 0);
    assert_string_equal(text_at(v, "parts.0.partId"), "0.0");
    assert_string_equal(text_at(v, "parts.0.headers.1.value"), "inner");
    assert_string_equal(data_at(v, "parts.0.body.data"), "inside");
    v = value_at(gm_get(ADA, 200, "/messages/%s", id), "payload.parts.1");
    assert_string_equal(members(v, "body"), "attachmentId size");
    v = gm_get(ADA, 200, "/messages/%s/attachments/%s", id, text_at(v, "body.attachmentId"));
    assert_string_equal(data_at(v, "data"), "Subject: other\r\n");
}

static void header_values_are_unfolded_and_decoded(void **state)
{
    const char *id = gm_insert(ADA,
                               "received: by a\n\tfrom b\n"
                               "Received: by c;\n        Wed\n"
                               "X-Empty:\n"
                               "Subject: =?UTF-8?B?w4RyZ2Vy?= =?UTF-8?Q?_now?=\n"
                               "\n",
                               "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    assert_string_equal(column(v, "payload.headers", "name"), "received Received X-Empty Subject");
    assert_string_equal(text_at(v, "payload.headers.0.value"), "by a from b");
    assert_string_equal(text_at(v, "payload.headers.1.value"), "by c;        Wed");
    assert_string_equal(text_at(v, "payload.headers.2.value"), "");
    assert_string_equal(text_at(v, "payload.headers.3.value"), "\303\204rger now");
}

static void a_fold_of_one_blank_is_a_space(void **state)
{
    const char *id = gm_insert(ADA,
                               "A: one\n two\nB: one \n\ttwo\nC: one \n two\nD: one\t\n two\n"
                               "E: one\n  two\nF: one\n\t two\nG: one\n\ttwo\n three\n\n",
                               "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    static const char *const want[] = {"one two",  "one two",   "one  two",     "one\t two",
                                       "one  two", "one\t two", "one two three"};
    for (size_t i = 0; i < SOSIA_LEN(want); i++)
        assert_string_equal(text_at(v, gm_text("payload.headers.%zu.value", i)), want[i]);
}

static void pieces_of_a_name_are_joined(void **state)
{
    const char *id = gm_insert(ADA,
                               "Content-Type: application/pdf; name*0=\"quarterly \";\n"
                               " name*1=\"report\"; name*2*=%20caf%C3%A9.pdf\n\nx\n",
                               "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    assert_string_equal(text_at(v, "payload.filename"), "quarterly report caf\303\251.pdf");
}

static void an_empty_text_has_empty_data(void **state)
{
    const char *id = gm_insert(ADA, "Subject: x\n\n", "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    assert_string_equal(members(v, "payload.body"), "size data");
    assert_string_equal(text_at(v, "payload.body.data"), "");
}

static void texts_are_utf8_whatever_they_were(void **state)
{
    const char *id = gm_insert(ADA,
                               "Content-Type: text/plain; charset=iso-8859-1\n"
                               "Content-Transfer-Encoding: quoted-printable\n"
                               "\n"
                               "caf=E9\n",
                               "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    assert_string_equal(data_at(v, "payload.body.data"), "caf\303\251\r\n");
    assert_int_equal(number_at(v, "payload.body.size"), 6); /* of what was sent */
    assert_string_equal(text_at(v, "snippet"), "caf\303\251");
}

static void snippets_are_escaped_for_html(void **state)
{
    const char *id = gm_insert(ADA,
                               "Subject: x\n"
                               "\n"
                               "It's <b> & \"c\"\n\n   d\n",
                               "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    assert_string_equal(text_at(v, "snippet"), "It&#39;s &lt;b&gt; &amp; &quot;c&quot; d");
}

static void named_texts_are_files_and_not_what_is_read(void **state)
{
    const char *id = gm_insert(
        ADA,
        "From: x@else.example\nSubject: s\nMIME-Version: 1.0\n"
        "Content-Type: multipart/mixed; boundary=m\n\n--m\n\nsee below\n--m\n"
        "Content-Type: text/plain; name=\"notes.txt\"\n\nperiwinkle\n--m\n"
        "Content-Disposition: inline; filename=\"in.txt\"\n\ngentian\n--m\n"
        "Content-Type: text/rfc822-headers\n\nSubject: anemone\n--m\n\nand above\n--m--\n",
        "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    assert_string_equal(text_at(v, "snippet"), "see below and above");
    assert_non_null(text_at(v, "payload.parts.1.body.attachmentId"));
    assert_non_null(text_at(v, "payload.parts.2.body.attachmentId"));
    assert_int_equal(count_at(gm_get(ADA, 200, "/messages?q=periwinkle"), "messages"), 0);
    assert_int_equal(count_at(gm_get(ADA, 200, "/messages?q=gentian"), "messages"), 0);
    assert_int_equal(count_at(gm_get(ADA, 200, "/messages?q=filename:notes"), "messages"), 1);
}

static void an_empty_message_is_a_message(void **state)
{
    const char *id = gm_insert(ADA, "\n", "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    assert_string_equal(text_at(v, "snippet"), "");
    assert_string_equal(text_at(v, "payload.mimeType"), "text/plain");
    assert_int_equal(number_at(v, "payload.body.size"), 0);
}

static void many_levels_are_answered(void **state)
{
    static char text[20000];
    char *p = text + sprintf(text, "Subject: deep\n");
    for (int i = 0; i < 90; i++)
        p += sprintf(p, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i);
    sprintf(p, "Content-Type: text/plain\n\nbottom\n");
    const char *id = gm_insert(ADA, text, "");
    const struct json *v = gm_get(ADA, 200, "/messages/%s", id);
    assert_string_equal(text_at(v, "payload.parts.0.parts.0.partId"), "0.0");
    v = gm_get(ADA, 200, "/messages/%s?format=raw", id);
    assert_string_equal(text_at(v, "raw"), gm_raw(text));
}

/* ---- lists ---- */

static const char *ids_of(const char *query)
{
    const struct json *v = gm_get(ADA, 200, "/messages?%s", query);
    return column(v, "messages", "id");
}

static void lists_have_ids_newest_first(void **state)
{
    const char *a = gm_insert(ADA, LUNCH, INBOX);
    test_advance(60);
    const char *b = gm_insert(ADA, NESTED, INBOX);
    gm_get(ADA, 200, "/messages");
    assert_answer("{'messages':[{'id':'@','threadId':'@'},{'id':'@','threadId':'@'}],"
                  "'resultSizeEstimate':2}");
    assert_string_equal(ids_of(""), gm_text("%s %s", b, a));
}

static void an_empty_list_has_no_array(void **state)
{
    gm_get(ADA, 200, "/messages");
    assert_answer("{'resultSizeEstimate':0}");
    gm_get(ADA, 200, "/threads");
    assert_answer("{'resultSizeEstimate':0}");
    gm_get(ADA, 200, "/drafts");
    assert_answer("{'resultSizeEstimate':0}");
}

static void pages_fit_together(void **state)
{
    char all[2000] = "", target[200] = "/messages?maxResults=3";
    const char *want = "";
    for (int i = 0; i < 8; i++) {
        want = gm_text("%s%s%s", gm_insert(ADA, gm_text("Subject: %d\n\nx\n", i), INBOX),
                       i ? " " : "", want);
        test_advance(i % 2);
    }
    for (int page = 1;; page++) {
        const struct json *v = gm_get(ADA, 200, "%s", target);
        const char *next = text_at(v, "nextPageToken");
        sprintf(all + strlen(all), "%s%s", *all ? " " : "", column(v, "messages", "id"));
        assert_int_equal(number_at(v, "resultSizeEstimate"), next ? 201 : 8);
        if (!next) {
            assert_int_equal(page, 3);
            break;
        }
        assert_int_equal(strlen(next), 20);
        assert_int_equal(strspn(next, "0123456789"), 20);
        sprintf(target, "/messages?maxResults=3&pageToken=%s", next);
    }
    assert_string_equal(all, want);
}

static void page_tokens_are_checked(void **state)
{
    static const char *const bad[] = {
        "1", "x", "10000000000000000000", "18446744073709551615", "99999999999999999999", "-1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gm_get(ADA, 400, "/messages?pageToken=%s", bad[i]);
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid pageToken");
    }
    gm_insert(ADA, LUNCH, INBOX);
    gm_insert(ADA, LUNCH, INBOX);
    const struct json *v = gm_get(ADA, 200, "/messages?maxResults=1");
    gm_get(ADA, 400, "/threads?pageToken=%s", text_at(v, "nextPageToken"));
    gm_get(BOB, 400, "/messages?pageToken=%s", text_at(v, "nextPageToken"));
    gm_get(ADA, 200, "/messages?pageToken=");
}

static void a_page_has_five_hundred_at_most(void **state)
{
    for (int i = 0; i < 501; i++)
        gm_insert(ADA, "Subject: x\n\ny\n", "");
    const struct json *v = gm_get(ADA, 200, "/messages");
    assert_int_equal(count_at(v, "messages"), 100);
    v = gm_get(ADA, 200, "/messages?maxResults=1000");
    assert_int_equal(count_at(v, "messages"), 500);
    v = gm_get(ADA, 200, "/messages?maxResults=0");
    assert_int_equal(count_at(v, "messages"), 100);
    gm_get(ADA, 400, "/messages?maxResults=-1");
}

static void spam_and_trash_are_listed_when_they_are_named(void **state)
{
    const char *in = gm_insert(ADA, LUNCH, INBOX);
    const char *spam = gm_insert(ADA, "Subject: s\n\n", ",'labelIds':['SPAM']");
    const char *trash = gm_insert(ADA, "Subject: t\n\n", ",'labelIds':['TRASH']");
    assert_string_equal(ids_of(""), in);
    assert_string_equal(ids_of("includeSpamTrash=true"), gm_text("%s %s %s", trash, spam, in));
    assert_string_equal(ids_of("labelIds=SPAM"), spam);
    assert_string_equal(ids_of("labelIds=TRASH"), trash);
    gm_get(ADA, 200, "/messages/%s", spam);
    gm_get(ADA, 200, "/messages/%s", trash);
}

static void several_labels_must_all_be_there(void **state)
{
    gm_insert(ADA, LUNCH, INBOX);
    const char *both = gm_insert(ADA, LUNCH, ",'labelIds':['INBOX','STARRED']");
    gm_insert(ADA, LUNCH, ",'labelIds':['STARRED']");
    assert_string_equal(ids_of("labelIds=INBOX&labelIds=STARRED"), both);
    gm_get(ADA, 400, "/messages?labelIds=Inbox");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid label: Inbox");
    gm_get(ADA, 400, "/messages?labelIds=Label_99");
}

static void questions_and_labels_must_both_hold(void **state)
{
    const char *a = gm_insert(ADA, LUNCH, ",'labelIds':['INBOX','STARRED']");
    const char *b = gm_insert(ADA, LUNCH, INBOX);
    const char *t = gm_insert(ADA, LUNCH, ",'labelIds':['TRASH']");
    gm_insert(ADA, "Subject: Dinner\n\nx\n", ",'labelIds':['STARRED']");
    assert_string_equal(ids_of("q=subject:lunch"), gm_text("%s %s", b, a));
    assert_string_equal(ids_of("q=subject:lunch&labelIds=STARRED"), a);
    assert_string_equal(ids_of("q=in:trash"), t);
    assert_string_equal(ids_of("q=lunch&includeSpamTrash=true"), gm_text("%s %s %s", t, b, a));
    assert_string_equal(ids_of("q="), ids_of(""));
    gm_get(ADA, 200, "/messages?q=breakfast");
    assert_answer("{'resultSizeEstimate':0}");
    const struct json *v = gm_get(ADA, 200, "/threads?q=subject:lunch&labelIds=STARRED");
    assert_int_equal(count_at(v, "threads"), 1);
    v = gm_get(ADA, 200, "/messages?q=subject:lunch&maxResults=1");
    v = gm_get(ADA, 200, "/messages?q=subject:lunch&maxResults=1&pageToken=%s",
               text_at(v, "nextPageToken"));
    assert_string_equal(column(v, "messages", "id"), a);
    assert_int_equal(number_at(v, "resultSizeEstimate"), 2);
}

static void questions_of_any_form_are_answered(void **state)
{
    static char target[12000] = "/messages?q=";
    char *p = target + strlen(target);
    for (int i = 0; i < 10000; i++)
        p[i] = i % 3 ? 'a' : '(';
    gm(ADA, "GET", target, NULL);
    assert_true(test_status == 200 || test_status == 400);
    for (int i = 0; i < 10000; i++)
        p[i] = "{-\"("[i % 4];
    gm(ADA, "GET", target, NULL);
    assert_true(test_status == 200 || test_status == 400);
}

/* ---- changes ---- */

static void modify_answers_everything_but_the_payload(void **state)
{
    const char *id = gm_insert(ADA, LUNCH, ",'labelIds':['DRAFT']");
    gm(ADA, "POST", gm_text("/messages/%s/modify", id), "{'addLabelIds':['INBOX']}");
    assert_answer(
        "{'id':'@','threadId':'@','labelIds':['DRAFT','INBOX'],'snippet':'Shall we?'," LUNCH_TAIL
        "}");
}

static void trash_takes_out_of_the_inbox(void **state)
{
    const char *id = gm_insert(ADA, LUNCH, ",'labelIds':['INBOX','SENT']");
    gm(ADA, "POST", gm_text("/messages/%s/trash", id), NULL);
    assert_answer("{'id':'@','threadId':'@','labelIds':['TRASH','SENT']}");
    gm(ADA, "POST", gm_text("/messages/%s/untrash", id), NULL);
    assert_answer("{'id':'@','threadId':'@','labelIds':['SENT'],'snippet':'Shall we?'," LUNCH_TAIL
                  "}");
}

static void refuse_change(const char *body, const char *message)
{
    const char *id = gm_insert(ADA, LUNCH, INBOX);
    gm(ADA, "POST", gm_text("/messages/%s/modify", id), body);
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", message);
    gm(ADA, "POST", "/messages/batchModify", gm_text("{'ids':['%s'],%s", id, body + 1));
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", message);
}

static void changes_that_make_no_sense_are_refused(void **state)
{
    refuse_change("{'addLabelIds':[]}", "No label add or removes specified");
    refuse_change("{'addLabelIds':['SPAM','TRASH']}", "Can only add one of: INBOX, SPAM, TRASH");
    refuse_change("{'addLabelIds':['STARRED'],'removeLabelIds':['STARRED']}",
                  "Cannot both add and remove the same label");
    refuse_change("{'addLabelIds':['SENT']}", "Invalid label: SENT");
    refuse_change("{'removeLabelIds':['DRAFT']}", "Invalid label: DRAFT");
    refuse_change("{'addLabelIds':['Work']}", "Invalid label: Work");
    refuse_change("{'addLabelIds':['Label_1']}", "Invalid label: Label_1");
    refuse_change("{'addLabelIds':['INBOX '],'removeLabelIds':['UNREAD']}",
                  "Invalid label: INBOX ");
    refuse_change("{'addClassificationLabels':[{'labelId':'x'}]}",
                  "Invalid classification label: x");
}

static void a_hundred_labels_may_change_at_once(void **state)
{
    char body[8000] = "{'addLabelIds':[";
    for (int i = 0; i < 101; i++)
        strcat(body, i ? ",'STARRED'" : "'STARRED'");
    strcat(body, "]}");
    const char *id = gm_insert(ADA, LUNCH, INBOX);
    gm(ADA, "POST", gm_text("/messages/%s/modify", id), body);
    assert_int_equal(test_status, 400);
}

static void a_batch_changes_what_is_there(void **state)
{
    const char *a = gm_insert(ADA, LUNCH, INBOX), *b = gm_insert(ADA, LUNCH, INBOX);
    gm(ADA, "POST", "/messages/batchModify",
       gm_text("{'ids':['%s','19dda5cc10eb51bb','%s'],'removeLabelIds':['INBOX'],"
               "'addLabelIds':['STARRED']}",
               a, b));
    assert_int_equal(test_status, 204);
    assert_string_equal(test_body, "");
    assert_string_equal(ids_of("labelIds=STARRED"), gm_text("%s %s", b, a));
    assert_string_equal(ids_of("labelIds=INBOX"), "");
    gm(ADA, "POST", "/messages/batchModify", "{'ids':['zz'],'addLabelIds':['STARRED']}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid ids value");
}

static void a_batch_names_something(void **state)
{
    static const char *const bodies[] = {"{'addLabelIds':['STARRED']}",
                                         "{'ids':[],'addLabelIds':['STARRED']}"};
    for (size_t i = 0; i < 2; i++) {
        gm(ADA, "POST", "/messages/batchModify", bodies[i]);
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "No message ids specified");
    }
    gm(ADA, "POST", "/messages/batchDelete", "{}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "No message ids specified");
}

static void a_batch_has_a_thousand_ids_at_most(void **state)
{
    static char body[40000];
    char *p = body + sprintf(body, "{'ids':[");
    for (int i = 0; i < 1001; i++)
        p += sprintf(p, "%s'19dda5cc10eb51bb'", i ? "," : "");
    sprintf(p, "]}");
    gm(ADA, "POST", "/messages/batchDelete", body);
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Number of ids cannot exceed 1000");
    sprintf(p, "],'addLabelIds':['STARRED']}");
    gm(ADA, "POST", "/messages/batchModify", body);
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Number of ids cannot exceed 1000");
}

static void deletion_is_for_good(void **state)
{
    const char *a = gm_insert(ADA, LUNCH, INBOX), *b = gm_insert(ADA, LUNCH, INBOX);
    gm(ADA, "DELETE", gm_text("/messages/%s", a), NULL);
    assert_int_equal(test_status, 204);
    assert_string_equal(test_body, "");
    gm_get(ADA, 404, "/messages/%s", a);
    gm(ADA, "DELETE", gm_text("/messages/%s", a), NULL);
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
    gm(ADA, "POST", "/messages/batchDelete", gm_text("{'ids':['%s','%s','%s']}", a, b, b));
    assert_int_equal(test_status, 204);
    assert_string_equal(ids_of("includeSpamTrash=true"), "");
}

static void trash_and_spam_are_kept_for_thirty_days(void **state)
{
    const char *kept = gm_insert(ADA, LUNCH, INBOX), *back = gm_insert(ADA, LUNCH, INBOX);
    const char *trash = gm_insert(ADA, LUNCH, INBOX);
    const char *spam = gm_insert(ADA, LUNCH, ",'labelIds':['SPAM']");
    gm(ADA, "POST", gm_text("/messages/%s/trash", trash), NULL);
    gm(ADA, "POST", gm_text("/messages/%s/trash", back), NULL);
    test_advance(29 * 86400);
    gm(ADA, "POST", gm_text("/messages/%s/untrash", back), NULL);
    gm_get(ADA, 200, "/messages/%s", trash);
    gm_get(ADA, 200, "/messages/%s", spam);
    const char *since = text_at(gm_get(ADA, 200, "/profile"), "historyId");
    test_advance(86400);
    gm_get(ADA, 404, "/messages/%s", trash);
    gm_get(ADA, 404, "/messages/%s", spam);
    gm_get(ADA, 200, "/messages/%s", kept);
    gm_get(ADA, 200, "/messages/%s", back);
    const struct json *v = gm_get(ADA, 200, "/history?startHistoryId=%s", since);
    assert_int_equal(count_at(v, "history"), 2);
    assert_non_null(value_at(v, "history.0.messagesDeleted"));
    gm(ADA, "POST", gm_text("/messages/%s/trash", back), NULL);
    test_advance(29 * 86400);
    gm_get(ADA, 200, "/messages/%s", back);
    test_advance(86400);
    gm_get(ADA, 404, "/messages/%s", back);
}

static void others_messages_are_not_there(void **state)
{
    const char *id = gm_insert(ADA, LUNCH, INBOX);
    gm_get(BOB, 404, "/messages/%s", id);
    gm(BOB, "POST", gm_text("/messages/%s/trash", id), NULL);
    assert_int_equal(test_status, 404);
    gm(BOB, "POST", "/messages/batchDelete", gm_text("{'ids':['%s']}", id));
    assert_int_equal(test_status, 204);
    gm_get(ADA, 200, "/messages/%s", id);
}

static void the_profile_counts(void **state)
{
    gm_insert(ADA, LUNCH, INBOX);
    gm_insert(ADA, NESTED, "");
    gm_get(ADA, 200, "/profile");
    assert_answer("{'emailAddress':'ada@acme.example','messagesTotal':2,'threadsTotal':2,"
                  "'historyId':'#'}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gm_test(full_has_the_parsed_payload),
        gm_test(metadata_has_type_and_headers_only),
        gm_test(metadata_headers_name_those_that_are_wanted),
        gm_test(minimal_has_no_snippet_and_an_empty_payload),
        gm_test(raw_has_every_byte),
        gm_test(a_message_without_labels_has_no_list_of_them),
        gm_test(ids_are_made_of_the_time),
        gm_test(parts_are_a_tree),
        gm_test(attachments_have_their_bytes),
        gm_test(forwarded_messages_have_parts_and_are_files_if_they_have_names),
        gm_test(header_values_are_unfolded_and_decoded),
        gm_test(a_fold_of_one_blank_is_a_space),
        gm_test(pieces_of_a_name_are_joined),
        gm_test(an_empty_text_has_empty_data),
        gm_test(texts_are_utf8_whatever_they_were),
        gm_test(snippets_are_escaped_for_html),
        gm_test(named_texts_are_files_and_not_what_is_read),
        gm_test(an_empty_message_is_a_message),
        gm_test(many_levels_are_answered),
        gm_test(lists_have_ids_newest_first),
        gm_test(an_empty_list_has_no_array),
        gm_test(pages_fit_together),
        gm_test(page_tokens_are_checked),
        gm_test(a_page_has_five_hundred_at_most),
        gm_test(spam_and_trash_are_listed_when_they_are_named),
        gm_test(several_labels_must_all_be_there),
        gm_test(questions_and_labels_must_both_hold),
        gm_test(questions_of_any_form_are_answered),
        gm_test(modify_answers_everything_but_the_payload),
        gm_test(trash_takes_out_of_the_inbox),
        gm_test(changes_that_make_no_sense_are_refused),
        gm_test(a_hundred_labels_may_change_at_once),
        gm_test(a_batch_changes_what_is_there),
        gm_test(a_batch_names_something),
        gm_test(a_batch_has_a_thousand_ids_at_most),
        gm_test(deletion_is_for_good),
        gm_test(trash_and_spam_are_kept_for_thirty_days),
        gm_test(others_messages_are_not_there),
        gm_test(the_profile_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
