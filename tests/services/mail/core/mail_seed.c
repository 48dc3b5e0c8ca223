/* SPDX-License-Identifier: Apache-2.0 */
/* Mailboxes in seed documents, dumps, diffs and exported worlds. */
#include "tests/support/mail.h"
#include "tests/support/answer.h"
#include <stdlib.h>

#define HEAD                                                                                       \
    "sosia: 1\ntime: 2026-11-23T08:00:00Z\n"                                                       \
    "organizations: [{domain: acme.example, name: Acme}]\npeople:\n"                               \
    "  - {email: ada@acme.example, name: Ada, zone: Europe/Rome, aliases: [a@acme.example]}\n"     \
    "  - {email: bob@acme.example, name: Bob}\n"

static char *dump_of(uint64_t world)
{
    struct sosia_blob blob;
    if (sosia_world_dump(test_engine, world, &blob, &test_err) < 0)
        fail_msg("dump: %s", test_err.text);
    return blob.data;
}

/* Makes a world of the dump of the present one: the dumps must be the same. Gives the dump, parsed.
 */
static const struct json *round_trip(void)
{
    mail_end();
    char *first = dump_of(test_world);
    struct sosia_world_options opt = {.seed_doc = first, .seed_doc_len = strlen(first)};
    uint64_t w;
    if (sosia_world_create(test_engine, &opt, &w, &test_err) < 0)
        fail_msg("again: %s in %s", test_err.text, first);
    char *second = dump_of(w);
    assert_string_equal(first, second);
    uint64_t kept = test_world;
    test_world = w;
    mail_begin();
    check_counters();
    mail_end();
    test_world = kept;
    mail_begin();
    check_counters();
    const struct json *v;
    if (json_parse(tx.arena, first, strlen(first), NULL, &v, &test_err) < 0)
        fail_msg("%s", test_err.text);
    free(first);
    free(second);
    sosia_world_drop(test_engine, w, &test_err);
    return v;
}

static void refuse(const char *doc, const char *text)
{
    struct sosia_world_options opt = {
        .seed_doc = doc, .seed_doc_len = strlen(doc), .seed_doc_name = "x"};
    uint64_t w;
    if (sosia_world_create(test_engine, &opt, &w, &test_err) == 0)
        fail_msg("a world was made of %s", doc);
    if (!strstr(test_err.text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, test_err.text);
}

/* A sender gets no second answer in a world that is loaded again. */
static void who_was_answered_is_remembered(void **state)
{
    (void)state;
    mail_use(HEAD "mailboxes:\n  - person: bob@acme.example\n    answered:\n"
                  "      - {email: Eve@else.example, at: 2026-11-20T09:00:00.25+01:00}\n"
                  "      - {email: dan@else.example, at: 2026-11-19T08:00}\n"
                  "      - {email: cyd@else.example}\n"
                  "gmail:\n  - person: bob@acme.example\n"
                  "    vacation: {enableAutoReply: true, responseSubject: Away}\n");
    const char *senders[] = {"cyd@else.example", "dan@else.example", "eve@else.example",
                             "\"odd one\"@else.example"};
    const char *raw = crlf("To: bob@acme.example\nSubject: Hi\n\nHi\n"), *to = "bob@acme.example";
    for (size_t i = 0; i < SOSIA_LEN(senders); i++) {
        struct mail_carry carry = {
            .sender = senders[i], .raw = raw, .len = strlen(raw), .to = &to, .n_to = 1};
        assert_int_equal(mail_carry(&tx, &carry), 0);
    }
    const struct json *v = round_trip();
    const struct json *answered = json_get(&json_get(v, "mailboxes")->items[0], "answered");
    static const char *const at[][2] = {{"\"odd one\"@else.example", "2026-11-23T08:00:00Z"},
                                        {"cyd@else.example", "2026-11-23T08:00:00Z"},
                                        {"dan@else.example", "2026-11-23T08:00:00Z"},
                                        {"eve@else.example", "2026-11-20T08:00:00.250000Z"}};
    assert_int_equal(answered->n, SOSIA_LEN(at));
    for (size_t i = 0; i < SOSIA_LEN(at); i++) {
        assert_string_equal(json_get_str(&answered->items[i], "email"), at[i][0]);
        assert_string_equal(json_get_str(&answered->items[i], "at"), at[i][1]);
    }
    refuse(HEAD "mailboxes: [{person: bob@acme.example, answered: [{email: eve}]}]\n",
           "mailboxes[0].answered[0].email: \"eve\" is not an address");
    refuse(HEAD
           "mailboxes: [{person: bob@acme.example, answered: [{email: e@x.example, at: now}]}]\n",
           "mailboxes[0].answered[0].at: \"now\" is not a time");
}

/* ---- what documents say ---- */

static void everybody_has_a_mailbox_without_a_seed(void **state)
{
    (void)state;
    mail_use(HEAD);
    assert_int_equal(count_of("ada"), 0);
    assert_null(json_get(round_trip(), "mailboxes"));
}

static void the_documentation_holds(void **state)
{
    (void)state;
    mail_use(HEAD "mailboxes:\n"
                  "  - person: ada@acme.example\n"
                  "    labels:\n"
                  "      - name: Work/Plans\n"
                  "        number: 1\n"
                  "        color: \"#ffffff\"\n"
                  "        background: \"#16a766\"\n"
                  "    messages:\n"
                  "      - from: Bob <bob@acme.example>\n"
                  "        to: ada@acme.example\n"
                  "        subject: Plans\n"
                  "        date: 2026-11-20T10:00:00+01:00\n"
                  "        text: |\n"
                  "          Here they are.\n"
                  "        attachments:\n"
                  "          - {filename: plan.csv, type: text/csv, text: \"a,b\\r\\n\"}\n"
                  "          - {filename: logo.png, type: image/png, base64: iVBORw0KGgo=, inline: "
                  "true, cid: logo}\n"
                  "        labels: [INBOX, UNREAD, Work/Plans]\n"
                  "      - raw: \"From: Bob <bob@acme.example>\\r\\nSubject: Raw\\r\\n\\r\\nAs it "
                  "came.\\r\\n\"\n"
                  "        labels: [INBOX]\n"
                  "        received: 2026-11-20T10:05:00+01:00\n");
    struct mail_message raw = newest("ada", 0), m = newest("ada", 1);
    assert_string_equal(labels_of(&m), "INBOX UNREAD Work/Plans");
    assert_string_equal(header_of(&m, "Date"), "Fri, 20 Nov 2026 10:00:00 +0100");
    assert_int_equal(m.at_s, 1795165200);
    assert_int_equal(raw.at_s, 1795165500);
    assert_string_equal(raw_of(&raw), "From: Bob <bob@acme.example>\r\nSubject: Raw\r\n\r\nAs it "
                                      "came.\r\n");
    struct mail_message_body b;
    assert_int_equal(mail_message_open(&tx, &m, &b), 0);
    assert_int_equal(b.mime.n, 4);
    assert_string_equal(b.mime.parts[2].filename, "plan.csv");
    assert_string_equal(b.mime.parts[3].cid, "logo");
    const struct json *v = round_trip();
    assert_string_equal(text_at(v, "mailboxes.0.labels.0.name"), "Work/Plans");
    assert_string_equal(text_at(v, "mailboxes.0.messages.0.text"), "Here they are.\n");
    assert_string_equal(text_at(v, "mailboxes.0.messages.0.date"), "2026-11-20T10:00:00+01:00");
    assert_string_equal(text_at(v, "mailboxes.0.messages.0.attachments.0.text"), "a,b\r\n");
    assert_null(value_at(v, "mailboxes.0.messages.0.received"));
    assert_null(value_at(v, "mailboxes.0.messages.0.raw"));
    assert_non_null(text_at(v, "mailboxes.0.messages.1.raw"));
}

static void what_is_not_said_follows(void **state)
{
    (void)state;
    mail_use(HEAD "mailboxes:\n"
                  "  - person: a@acme.example\n"
                  "    messages:\n"
                  "      - {from: ada@acme.example, to: bob@acme.example, subject: mine}\n"
                  "      - {from: bob@acme.example, subject: his, date: 2026-11-20T10:00}\n"
                  "      - {subject: nobody, date: 2026-11-20, labels: []}\n"
                  "      - {subject: draft, date: 2026-11-19, labels: [DRAFT]}\n");
    struct mail_message mine = newest("ada", 0), his = newest("ada", 1), none = newest("ada", 2),
                        draft = newest("ada", 3);
    assert_string_equal(labels_of(&mine), "SENT");
    assert_string_equal(labels_of(&his), "INBOX");
    assert_string_equal(labels_of(&none), "");
    assert_string_equal(header_of(&his, "Date"), "Fri, 20 Nov 2026 10:00:00 +0100");
    assert_int_equal(mine.at_s, 1795420800); /* now */
    assert_non_null(header_of(&mine, "Message-ID"));
    struct mail_draft d;
    assert_int_equal(mail_draft_of_message(&tx, &draft, &d), 1);
    round_trip();
}

static void names_beyond_ascii_come_back(void **state)
{
    (void)state;
    mail_use(
        HEAD
        "mailboxes:\n"
        "  - person: ada@acme.example\n"
        "    messages:\n"
        "      - from: \"J\xC3\xB6rg, Dr. <joerg@else.example>\"\n"
        "        to: [Ada <ada@acme.example>, '\"Bob \\\"B\\\" C\" <bob@acme.example>']\n"
        "        subject: Gr\xC3\xBC\xC3\x9F"
        "e aus K\xC3\xB6ln, mit einem Betreff, der nicht auf eine Zeile passt, \xE2\x82\xAC\n"
        "        headers: [{name: X-Note, value: caf\xC3\xA9}, {name: List-ID, value: <a.b>}]\n"
        "        text: \"\xE2\x82\xAC 5 = viel \\nend\"\n"
        "        html: \"<p>\xE2\x82\xAC\"\n");
    /* Unquoted, the comma would be two addresses. */
    struct mail_message m = newest("ada", 0);
    const struct json *v = round_trip();
    (void)m;
    assert_string_equal(text_at(v, "mailboxes.0.messages.0.to.1"),
                        "\"Bob \\\"B\\\" C\" <bob@acme.example>");
    assert_string_equal(text_at(v, "mailboxes.0.messages.0.headers.0.value"), "caf\xC3\xA9");
    assert_string_equal(text_at(v, "mailboxes.0.messages.0.text"), "\xE2\x82\xAC 5 = viel \nend");
    assert_null(value_at(v, "mailboxes.0.messages.0.raw"));
}

static void threads_are_named_or_found(void **state)
{
    (void)state;
    mail_use(HEAD "mailboxes:\n"
                  "  - person: ada@acme.example\n"
                  "    messages:\n"
                  "      - {subject: one, date: 2026-11-01, thread: x}\n"
                  "      - {subject: two, date: 2026-11-02, thread: x}\n"
                  "      - {subject: three, date: 2026-11-03, messageId: <3@x>}\n"
                  "      - {subject: 'Re: three', date: 2026-11-04, inReplyTo: <3@x>}\n"
                  "      - {subject: one, date: 2026-11-05, id: 00000000000000ff}\n");
    struct mail_message m[5];
    for (size_t i = 0; i < 5; i++)
        m[i] = newest("ada", 4 - i);
    assert_int_equal(m[0].thread, m[1].thread);
    assert_int_equal(m[0].thread_key, m[0].key);
    assert_int_equal(m[2].thread, m[3].thread);
    assert_int_not_equal(m[0].thread, m[2].thread);
    assert_int_equal(m[4].key, 255);
    assert_int_equal(m[4].thread_key, 255);
    round_trip();
}

static void documents_are_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *mailbox, *text;
    } cases[] = {
        {"{person: nobody@acme.example}", "mailboxes[0].person: there is no mailbox"},
        {"{person: ada@acme.example, folders: []}", "folders"},
        {"{person: ada@acme.example, labels: [{name: inbox}, {name: a}, {name: A}]}", ""},
        {"{person: ada@acme.example, labels: [{name: a, colour: red}]}",
         "labels[0].colour: there is no such field (known: name, number, listView, messageView, "
         "color, background)"},
        {"{person: ada@acme.example, labels: [{name: a, hidden: true}]}",
         "labels[0].hidden: there is no such field"},
        {"{person: ada@acme.example, labels: [{name: a, listView: hides}]}",
         "labels[0].listView: \"hides\" is none of show, showUnread, hide"},
        {"{person: ada@acme.example, labels: [{name: a, messageView: true}]}",
         "labels[0].messageView: must be a text, not true"},
        {"{person: ada@acme.example, labels: [{name: a, color: red}]}",
         "labels[0].color: \"red\" is not a color such as #16a766"},
        {"{person: ada@acme.example, labels: [{name: a, color: ''}]}",
         "labels[0].color: \"\" is not a color such as #16a766"},
        {"{person: ada@acme.example, labels: [{name: a, color: '#ffffff', background: '#fffffg'}]}",
         "labels[0].background: \"#fffffg\" is not a color such as #16a766"},
        {"{person: ada@acme.example, labels: [{name: a, color: '#ffffff'}]}",
         "labels[0]: a label has both colors or none"},
        {"{person: ada@acme.example, labels: [{name: a, background: '#ffffff'}]}",
         "labels[0]: a label has both colors or none"},
        {"{person: ada@acme.example, messages: [{subjekt: x}]}",
         "messages[0].subjekt: there is no such field"},
        {"{person: ada@acme.example, messages: [{labels: [Nope]}]}", "no label \"Nope\""},
        {"{person: ada@acme.example, messages: [{raw: x, subject: y}]}", "can't be beside raw"},
        {"{person: ada@acme.example, messages: [{raw: x, rawBase64: eA==}]}", "either raw"},
        {"{person: ada@acme.example, messages: [{rawBase64: '%'}]}", "is not base64"},
        {"{person: ada@acme.example, messages: [{date: soon}]}", "\"soon\" is not a time"},
        {"{person: ada@acme.example, messages: [{id: 12}]}", "must be a text"},
        {"{person: ada@acme.example, messages: [{id: ff}]}", "16 hexadecimal digits"},
        {"{person: ada@acme.example, messages: [{id: ffffffffffffffff}]}", "below"},
        {"{person: ada@acme.example, messages: [{draft: x}]}", "not a number of a draft"},
        {"{person: ada@acme.example, messages: [{subject: \"a\\nb\"}]}", "must be one line"},
        {"{person: ada@acme.example, messages: [{headers: [{name: 'a b', value: x}]}]}",
         "not a name of a header"},
        {"{person: ada@acme.example, messages: [{attachments: [{filename: x}]}]}",
         "either text or base64"},
        {"{person: ada@acme.example, messages: [{id: 00000000000000ff}, {id: 00000000000000ff}]}",
         "messages[1].id: there is a message with this id already"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        if (*cases[i].text)
            refuse(arena_printf(tx.arena, HEAD "mailboxes: [%s]\n", cases[i].mailbox),
                   cases[i].text);
}

/* ---- mail between people ---- */

static void a_letter_is_with_everybody_who_has_it(void **state)
{
    (void)state;
    mail_use(HEAD "groups: [{email: all@acme.example, members: [ada@acme.example, "
                  "bob@acme.example]}]\n"
                  "mailboxes: [{person: bob@acme.example, labels: [{name: Plans}]}]\n"
                  "mail:\n"
                  "  - {from: Ada <ada@acme.example>, to: all@acme.example, bcc: x@else.example,\n"
                  "     subject: One, messageId: <1@acme.example>, date: 2026-11-20T10:00,\n"
                  "     labels: {bob@acme.example: [INBOX, UNREAD, Plans]}}\n"
                  "  - {from: x@else.example, to: a@acme.example, cc: ada@acme.example,\n"
                  "     subject: 'Re: One', inReplyTo: <1@acme.example>, references: "
                  "<1@acme.example>, date: 2026-11-20T11:00}\n");
    assert_int_equal(count_of("ada"), 2);
    assert_int_equal(count_of("bob"), 1);
    struct mail_message ours = newest("ada", 1), reply = newest("ada", 0),
                        theirs = newest("bob", 0);
    assert_string_equal(labels_of(&ours), "SENT");
    assert_string_equal(labels_of(&reply), "INBOX");
    assert_string_equal(labels_of(&theirs), "INBOX UNREAD Plans");
    assert_int_equal(ours.thread, reply.thread);
    assert_string_equal(header_of(&ours, "Date"), "Fri, 20 Nov 2026 10:00:00 +0100");
    assert_string_equal(header_of(&ours, "Bcc"), "x@else.example");
    assert_null(strstr(raw_of(&theirs), "Bcc"));
    assert_int_equal(ours.content, theirs.content);
    check_counters();
    const struct json *v = round_trip();
    assert_null(json_get(v, "mail"));
    assert_string_equal(text_at(v, "mailboxes.1.messages.0.subject"), "One");
}

static void the_message_that_began_a_thread_may_come_last(void **state)
{
    (void)state;
    mail_use(HEAD "mailboxes:\n  - person: ada@acme.example\n    messages:\n"
                  "      - {id: '0000000000000002', thread: '0000000000000001', subject: a}\n"
                  "      - {id: '0000000000000001', subject: b}\n");
    struct mail_message a = newest("ada", 1), b = newest("ada", 0);
    assert_true(a.key == 2 && b.key == 1);
    assert_int_equal(a.thread, b.thread);
    check_counters();
    round_trip();
}

static void a_letter_can_be_a_draft(void **state)
{
    struct mail_draft d;
    (void)state;
    mail_use(HEAD "mail:\n  - {from: ada@acme.example, to: bob@acme.example, subject: Soon,\n"
                  "     labels: {ada@acme.example: [DRAFT], bob@acme.example: []}}\n");
    struct mail_message m = newest("ada", 0);
    assert_string_equal(labels_of(&m), "DRAFT");
    assert_int_equal(mail_draft_of_message(&tx, &m, &d), 1);
    round_trip();
}

static void letters_are_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *letter, *text;
    } cases[] = {
        {"{from: x@else.example, to: y@else.example}", "mail[0]: nobody of the world"},
        {"{from: ada@acme.example, labels: [INBOX]}", "mail[0].labels: must be lists"},
        {"{from: ada@acme.example, labels: {bob@acme.example: []}}",
         "\"bob@acme.example\" does not send or get it"},
        {"{from: ada@acme.example, labels: {ada@acme.example: [Nope]}}", "no label \"Nope\""},
        {"{from: ada@acme.example, raw: x}", "mail[0].raw: there is no such field"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        refuse(arena_printf(tx.arena, HEAD "mail: [%s]\n", cases[i].letter), cases[i].text);
}

/* ---- what worlds say ---- */

static void whatever_is_in_a_mailbox_comes_back(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "\n",
        "no head",
        "Subject: x\n\n",
        "Subject: x\nSubject: y\n\nbody",
        "Date: Fri, 20 Nov 2026 10:00:00 +0100\nSubject: \xC3\xA9\n\n\xC3\xA9",
        "Date: Fri, 20 Nov 2026 10:00:00 +0100\nMessage-ID: <a@b>\nSubject: x\nMIME-Version: 1.0\n"
        "Content-Type: text/plain; charset=UTF-8\n\nlike ours",
        "Content-Type: multipart/mixed; boundary=b\n\npre\n--b\n\none\n--b--\npost",
    };
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        put("ada", texts[i], i % 2 ? "INBOX UNREAD Work" : "STARRED");
    struct mailbox mb = box("ada");
    struct mail_message m;
    static const char bytes[] = "A: \0\xff\n\n\0body\xfe";
    struct mail_message_new new = {
        .mailbox = &mb, .raw = bytes, .len = sizeof bytes - 1, .at_s = 12345678};
    assert_int_equal(mail_message_add(&tx, &new, &m), 0);
    struct mail_draft d;
    assert_int_equal(mail_draft_add(&tx, &new, 0, &d), 0);
    send_as("ada", "To: bob@acme.example, nobody@acme.example\nSubject: Plans\n\ntext");
    struct gmail_label l;
    assert_int_equal(gmail_label_get(&tx, mb.id, mail_folder_id(mb.id, LABEL_SENT), &l), 1);
    struct gmail_label hidden = l;
    hidden.list_view = LIST_HIDE;
    assert_int_equal(gmail_label_save(&tx, &l, &hidden), 0);
    m = newest("bob", 0);
    assert_int_equal(mail_message_delete(&tx, &m), 0);
    const struct json *v = round_trip();
    assert_string_equal(text_at(v, "mailboxes.0.labels.0.name"), "SENT");
    assert_string_equal(text_at(v, "mailboxes.0.labels.0.listView"), "hide");
    assert_non_null(text_at(v, "mailboxes.0.messages.0.rawBase64"));
    assert_null(value_at(v, "mailboxes.1"));
}

static char *diff_of(uint64_t a, uint64_t b)
{
    struct sosia_blob blob;
    if (sosia_world_diff(test_engine, a, b, &blob, &test_err) < 0)
        fail_msg("diff: %s", test_err.text);
    return blob.data;
}

static void a_diff_shows_messages_and_labels(void **state)
{
    (void)state;
    uint64_t before;
    struct mail_message m = put("ada", "Subject: x\n\n", "INBOX UNREAD");
    mail_end();
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &before, &test_err), 0);
    mail_begin();
    int64_t unread = mail_folder_id(m.mailbox, LABEL_UNREAD), work = label_named("ada", "Work");
    assert_int_equal(mail_message_modify(&tx, &m, &work, 1, &unread, 1), 0);
    mail_end();
    char *text = diff_of(before, test_world);
    mail_begin();
    const struct json *v;
    assert_int_equal(json_parse(tx.arena, text, strlen(text), NULL, &v, &test_err), 0);
    assert_int_equal(value_at(v, "changes")->n, 2);
    assert_string_equal(text_at(v, "changes.0.entity"), "mailLabel");
    assert_string_equal(text_at(v, "changes.0.change"), "added");
    assert_string_equal(text_at(v, "changes.1.entity"), "message");
    assert_string_equal(text_at(v, "changes.1.key.mailbox"), "ada@acme.example");
    assert_string_equal(text_at(v, "changes.1.key.subject"), "x");
    assert_string_equal(text_at(v, "changes.1.fields.labels.from.1"), "UNREAD");
    assert_string_equal(text_at(v, "changes.1.fields.labels.to.1"), "Work");
    assert_null(value_at(v, "changes.1.fields.raw"));
    free(text);
}

static void an_imported_world_finds_its_mail(void **state)
{
    (void)state;
    uint64_t again;
    send_as("ada", "To: bob@acme.example\nSubject: Unicorn\n\ncostume");
    mail_end();
    if (test_import_changed(NULL, &again) < 0)
        fail_msg("import: %s", test_err.text);
    char *a = dump_of(test_world), *b = dump_of(again);
    assert_string_equal(a, b);
    free(a);
    free(b);
    test_world = again;
    mail_begin();
    struct mailbox mb = box("bob");
    struct search word = {.kind = SEARCH_PHRASE, .fields = FIELDS_ANY, .text = "costume"};
    struct mail_list list = {.mailbox = mb.id, .query = &word, .limit = 10};
    struct mail_message *found;
    size_t n;
    bool more;
    assert_int_equal(mail_list(&tx, &list, &found, &n, &more), 0);
    assert_int_equal(n, 1);
    assert_int_equal(mail_message_delete(&tx, &found[0]), 0);
    check_counters();
}

static void rows_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "update mail_message set flags = flags | 1 << 20",
        "update mail_message set key = -id",
        "update mail_message set at = -1",
        "update mail_message set has = 1 << 40",
        "update mail_message set thread_key = 5",
        "delete from mail_message_head where id = (select max(id) from mail_message)",
        "update gmail_label set list_view = 9",
        "update gmail_label set color = 'red'",
        "update gmail_label set color = '#000000', background = null",
        "update gmail_label set color = null, background = '#000000'",
        "update gmail_label set compared = 'x'",
        "update gmail_label set label = label + 1000",
        "update mail_folder set kind = 3",
        "update mail_folder set kind = 1 where id & 16777215 > 64",
        "update mail_folder set hidden = 1 where id & 16777215 > 64",
        "update mail_folder set parent = mailbox << 24 where id & 16777215 > 64",
        "update mail_folder set parent = mailbox << 24 where id & 16777215 = 3",
        "update mail_folder set parent = 77 where id & 16777215 = 0",
        "update mail_message set folder = mailbox << 24",
        "update mail_message set flags = flags | 1 << 14",
        "update mail_folder set id = id + 20 where id & 16777215 = 13",
        "update mail_message_folder set folder = folder - 64",
        "insert into mail_message_folder values ((select max(id) from mail_message), 77)",
        "update mail_draft set key = 0",
        "update mail_draft set message = (select max(id) from mail_message)",
        "insert into mail_change (id, at, kind, message, thread, flags) values (99 << 47, 0, 1, 1, "
        "1, 0)",
        "insert into mail_answered values (1, 'nobody', 0)",
        "insert into mail_answered values (1, 'a@b', 1 << 60)",
        "update mail_content set tree = x'00'",
        "update mail_content set own = zeroblob(length(own) + 1)",
        "update mail_content set size = 1 << 50",
    };
    uint64_t again;
    struct mailbox mb = box("ada");
    struct mail_draft d;
    struct mail_message_new new = {.mailbox = &mb, .raw = "A: b\n\n", .len = 6, .at_s = INT64_MIN};
    assert_int_equal(mail_draft_add(&tx, &new, 0, &d), 0);
    put("ada", "Subject: x\n\nbody", "INBOX Work");
    mail_end();
    assert_int_equal(test_import_changed("select 1", &again), 0);
    for (size_t i = 0; i < SOSIA_LEN(changes); i++) {
        if (test_import_changed(changes[i], &again) == 0)
            fail_msg("taken: %s", changes[i]);
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
        assert_string_equal(test_err.reason, "notAnExport");
    }
    mail_begin();
}

static void what_follows_from_rows_is_not_believed(void **state)
{
    (void)state;
    uint64_t again;
    put("ada", "Subject: x\n\nbody", "INBOX UNREAD Work");
    put("ada", "Subject: y\n\nbody", "STARRED");
    mail_end();
    if (test_import_changed(
            "delete from mail_member; update mail_folder set messages = 77, unread = -1; "
            "update mail_thread set messages = 0, newest = 5; update mail_content set refs = 9; "
            "update mail_mailbox set messages = 5, threads = 5; delete from mail_thread_folder; "
            "insert into mail_member values (1, 1); insert into mail_content select 99, 1, 0, "
            "1, '', tree, x'' from mail_content limit 1;"
            "insert into mail_thread_folder values (1, 2, 3, 4); "
            "insert into mail_thread_folder select max(id) + 1, 1 << 24, 3, 4 from mail_thread; "
            "update mail_message set flags = flags & ~(1 << 31)",
            &again) < 0)
        fail_msg("%s", test_err.text);
    test_world = again;
    mail_begin();
    check_counters();
    assert_int_equal(count_of("ada"), 2);
    struct mail_message m = newest("ada", 0);
    assert_int_equal(mail_message_delete(&tx, &m), 0);
    put("ada", "Subject: z\n\nbody", "INBOX");
    check_counters();
    m = newest("ada", 0);
    assert_int_equal(mail_message_delete(&tx, &m), 0);
    m = newest("ada", 0);
    assert_string_equal(labels_of(&m), "INBOX UNREAD Work");
    assert_int_equal(mail_message_delete(&tx, &m), 0);
    check_counters();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, mail_open_world, mail_close_world)
    const struct CMUnitTest tests[] = {
        TEST(who_was_answered_is_remembered),
        TEST(everybody_has_a_mailbox_without_a_seed),
        TEST(the_documentation_holds),
        TEST(what_is_not_said_follows),
        TEST(names_beyond_ascii_come_back),
        TEST(threads_are_named_or_found),
        TEST(documents_are_read_strictly),
        TEST(a_letter_is_with_everybody_who_has_it),
        TEST(a_letter_can_be_a_draft),
        TEST(the_message_that_began_a_thread_may_come_last),
        TEST(letters_are_read_strictly),
        TEST(whatever_is_in_a_mailbox_comes_back),
        TEST(a_diff_shows_messages_and_labels),
        TEST(an_imported_world_finds_its_mail),
        TEST(rows_that_make_no_sense_are_refused),
        TEST(what_follows_from_rows_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
