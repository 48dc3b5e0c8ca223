/* SPDX-License-Identifier: Apache-2.0 */
/* People who answer mail by themselves. */
#include "tests/support/gmail.h"

static void use(const char *sections)
{
    test_use(gm_text("%s%s", gm_people, sections));
}

static int unread_of(const char *who, const char *q)
{
    const struct json *v = value_at(gm_get(who, 200, "/messages?q=%s", q), "messages");
    return v ? (int)v->n : 0;
}

static void a_letter_is_answered_by_the_clock(void **state)
{
    use("mailResponders:\n"
        "  - id: bob\n"
        "    as: bob@acme.example\n"
        "    when: {from: [ada@acme.example], text: 'until (\\w+)'}\n"
        "    delay: 30\n"
        "    times: 2\n"
        "    do:\n"
        "      - reply: {text: \"${name}, ${1} is fine.\", all: true}\n"
        "      - wait: 60\n"
        "      - forward: {to: [eve@far.example], text: 'for you'}\n"
        "      - send: {to: [cyd@acme.example], subject: 'New: ${subject}', text: 'see "
        "${from}'}\n");
    gm_send(ADA,
            "From: ada@acme.example\nTo: bob@acme.example, cyd@acme.example\n"
            "Subject: Offer\n\nIs it good until Friday?\n",
            "");
    const char *thread = text_at(gm_get(ADA, 200, "/messages/%s", gm_newest(ADA)), "threadId");
    test_advance(29);
    assert_int_equal(unread_of(ADA, "in:inbox"), 0);
    test_advance(2);
    const struct json *v = gm_get(ADA, 200, "/messages/%s", gm_newest(ADA));
    assert_string_equal(header(v, "Subject"), "Re: Offer");
    assert_string_equal(header(v, "From"), "Bob <bob@acme.example>");
    assert_string_equal(header(v, "Cc"), "cyd@acme.example");
    assert_string_equal(text_at(v, "threadId"), thread);
    assert_string_equal(data_at(v, "payload.body.data"), "ada@acme.example, Friday is fine.");
    /* What is under way is in a dump. */
    const char *before = json_to_text(&test_arena, test_dump());
    test_use(before);
    assert_string_equal(json_to_text(&test_arena, test_dump()), before);
    test_advance(60);
    v = gm_get(CYD, 200, "/messages/%s", gm_newest(CYD));
    assert_string_equal(header(v, "Subject"), "New: Offer");
    assert_string_equal(text_at(v, "snippet"), "see ada@acme.example");
    const struct json *out = test_outbox();
    assert_int_equal(out->n, 1);
    /* Not what others write, nor what has not the text, and twice in all. */
    gm_send(CYD, "From: cyd@acme.example\nTo: bob@acme.example\n\nuntil May\n", "");
    gm_send(ADA, "From: ada@acme.example\nTo: bob@acme.example\n\nnever\n", "");
    for (int i = 0; i < 3; i++)
        gm_send(ADA, "From: ada@acme.example\nTo: bob@acme.example\nSubject: More\n\nuntil May\n",
                "");
    test_advance(1000);
    assert_int_equal(unread_of(CYD, "subject:more"), 1);
    int64_t times;
    assert_int_equal(json_i64(value_at(test_dump(), "mailResponders.0.times"), &times), 0);
    assert_int_equal(times, 0);
}

static void two_of_them_do_not_write_forever(void **state)
{
    use("mailResponders:\n"
        "  - {id: a, as: ada@acme.example, times: 5, do: [{reply: {text: ping}}]}\n"
        "  - {id: b, as: bob@acme.example, times: 5, do: [{reply: {text: pong}}]}\n");
    gm_send(CYD, "From: cyd@acme.example\nTo: ada@acme.example\nReply-To: bob@acme.example\n\ngo\n",
            "");
    test_advance(86400);
    assert_int_equal(unread_of(ADA, "from:bob"), 5);
    assert_int_equal(unread_of(BOB, "from:ada"), 5);
}

static void reports_and_automatic_answers_are_not_answered(void **state)
{
    use("mailResponders:\n"
        "  - {id: a, as: ada@acme.example, do: [{reply: {text: thanks}}]}\n"
        "gmail:\n"
        "  - {person: bob@acme.example, vacation: {enableAutoReply: true, responseBodyPlainText: "
        "x}}"
        "\n");
    gm_send(ADA, "From: ada@acme.example\nTo: bob@acme.example, nobody@acme.example\n\nhi\n", "");
    test_advance(1000);
    assert_int_equal(unread_of(BOB, "from:ada"), 1);
    assert_true(unread_of(ADA, "in:inbox") >= 2);
}

static void a_refused_letter_says_why(void **state)
{
    use("mailResponders:\n"
        "  - id: a\n"
        "    as: bob@acme.example\n"
        "    when: {subject: '(.*)'}\n"
        "    do: [{send: {to: ['${1}'], text: x}}, {reply: {text: never}}]\n");
    gm_send(ADA, "From: ada@acme.example\nTo: bob@acme.example\nSubject: not an address\n\nhi\n",
            "");
    test_advance(10);
    assert_string_equal(text_at(test_dump(), "mailResponders.0.refused"), "badRecipient");
    assert_int_equal(unread_of(ADA, "in:inbox"), 0);
    gm_send(ADA, "From: ada@acme.example\nTo: bob@acme.example\nSubject: cyd@acme.example\n\nhi\n",
            "");
    test_advance(10);
    assert_null(value_at(test_dump(), "mailResponders.0.refused"));
    assert_int_equal(unread_of(ADA, "in:inbox"), 1);
}

static void refused(const char *item, const char *why)
{
    struct sosia_err err;
    uint64_t world;
    const char *doc = gm_text("%smailResponders: [%s]\n", gm_people, item);
    struct sosia_world_options options = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    assert_int_equal(sosia_world_create(test_engine, &options, &world, &err), -1);
    if (!strstr(err.text, why))
        fail_msg("expected \"%s\", is \"%s\"", why, err.text);
}

static void faults_of_documents_are_named(void **state)
{
    refused("{id: a, as: ada@acme.example}", "mailResponders[0].do: must have 1 to 20 acts");
    refused("{id: a, as: svc@acme.example, do: [{reply: {}}]}",
            "as: must be somebody with a mailbox");
    refused("{id: a, as: ada@acme.example, do: [{post: {}}]}", "there is no act \"post\"");
    refused("{id: a, as: ada@acme.example, do: [{send: {text: x}}]}",
            "to: must be a list of addresses, is missing");
    refused("{id: a, as: ada@acme.example, do: [{reply: {test: x}}]}", "test");
    refused("{id: a, as: ada@acme.example, when: {text: '('}, do: [{reply: {}}]}",
            "broken pattern");
    refused("{id: a, as: ada@acme.example, do: [{reply: {}}]}, {id: a, as: bob@acme.example, do: "
            "[{reply: {}}]}",
            "id");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gm_test(a_letter_is_answered_by_the_clock),
        gm_test(two_of_them_do_not_write_forever),
        gm_test(reports_and_automatic_answers_are_not_answered),
        gm_test(a_refused_letter_says_why),
        gm_test(faults_of_documents_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
