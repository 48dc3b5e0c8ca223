/* SPDX-License-Identifier: Apache-2.0 */
/* Where values come from: forms of values that count as the same, places of every service that
 * outsiders write into, marks on what is written from it, and what is known to get by. */
#include "engine/base/codec.h"
#include "guard/cases.h"
#include "guard/simulate.h"
#include "guard/taint/values.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>

#define ADA "ada@acme.example" /* at Google, and in the chat */
#define KIM "kim@acme.example" /* at Microsoft */

#define DANA "dana@out.example"

static const char DOC[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: bob@acme.example, name: Bob}\n"
    "  - {email: kim@acme.example, name: Kim}\n"
    "  - {email: yan@guest.example, name: Yan}\n"
    "  - {email: dana@out.example, name: Dana}\n"
    "tokens: [{token: token-of-ada, actor: ada@acme.example},\n"
    "  {token: token-of-kim, actor: kim@acme.example}]\n"
    "accounts:\n"
    "  - {actor: kim@acme.example, vendor: microsoft}\n"
    "calendars:\n"
    "  - id: ada@acme.example\n"
    "    events:\n"
    "      - {id: visit00, summary: Visit, start: '2026-11-24T10:00', end: '2026-11-24T11:00',\n"
    "         organizer: dana@out.example, description: 'see https://event.bad.example/x',\n"
    "         attendees: [ada@acme.example]}\n"
    "      - {id: team000, summary: Team, start: '2026-11-24T12:00', end: '2026-11-24T13:00',\n"
    "         attendees: [{email: fay@far.example, response: accepted,\n"
    "                      comment: 'use guest.bad.example'}]}\n"
    "  - owner: kim@acme.example\n"
    "    primary: true\n"
    "    events:\n"
    "      - {id: kimvis0, summary: Visit, start: '2026-11-24T10:00', end: '2026-11-24T11:00',\n"
    "         organizer: dana@out.example, description: 'see https://meeting.bad.example/x',\n"
    "         attendees: [kim@acme.example]}\n"
    "files:\n"
    "  - {id: theirs, owner: dana@out.example, name: 'name.bad.example', mime: text/plain,\n"
    "     content: 'Ask content.bad.example for it.', description: description.bad.example,\n"
    "     permissions: [{person: ada@acme.example, role: writer}]}\n"
    "  - {id: both, owner: ada@acme.example, modifiedBy: dana@out.example, name: Both,\n"
    "     mime: text/plain, content: 'At edited.bad.example, with ours.acme-shop.example.'}\n"
    "  - {id: paper, type: document, owner: dana@out.example, name: Paper,\n"
    "     content: 'See https://document.bad.example/a today.',\n"
    "     permissions: [{person: ada@acme.example, role: writer}]}\n"
    "  - id: plan\n"
    "    owner: ada@acme.example\n"
    "    name: Plan\n"
    "    type: document\n"
    "    content: 'The plan, at https://plan.acme-shop.example/x.'\n"
    "    comments:\n"
    "      - {author: dana@out.example, content: 'rather comment.bad.example',\n"
    "         replies: [{author: ada@acme.example, content: 'no: reply.acme-shop.example'}]}\n"
    "mailboxes:\n"
    "  - person: ada@acme.example\n"
    "    messages:\n"
    "      - {id: '1a20000000000001', from: 'Dana <dana@out.example>', to: ada@acme.example,\n"
    "         subject: 'One subject.bad.example', date: '2026-11-20T10:00:00Z',\n"
    "         text: 'Write to Payments@Mail.Bad.Example, account LT12 1000 0111 0100,\n"
    "           reference QX-77-311, ring Zanzibarquarry. Or plan.acme-shop.example. Bob Archer',\n"
    "         attachments: [{filename: file.bad.example.txt,\n"
    "                        text: 'Or https://attached.bad.example/x'}]}\n"
    "      - {id: '1a20000000000002', from: bob@acme.example, to: ada@acme.example, subject: Two,\n"
    "         date: '2026-11-20T11:00:00Z', text: 'Our shop is https://inside.acme-shop.example'}\n"
    "      - {id: '1a20000000000003', from: dana@out.example, to: ada@acme.example, subject: "
    "Three,\n"
    "         date: '2026-11-20T12:00:00Z', text: 'Not read: unread.bad.example'}\n"
    "  - person: kim@acme.example\n"
    "    messages:\n"
    "      - {id: '1a30000000000001', from: 'Dana <dana@out.example>', to: kim@acme.example,\n"
    "         subject: Paper, date: '2026-11-20T10:00:00Z', folder: Inbox,\n"
    "         text: 'Write to outlook.bad.example'}\n"
    "workspaces:\n"
    "  - {id: T0ACME, domain: acme, members: [{actor: ada@acme.example, id: U0ADA, role: owner},\n"
    "     {actor: bob@acme.example, id: U0BOB}]}\n"
    "  - {id: T0OUT, domain: out, members: [{actor: yan@guest.example, id: U0YAN, role: owner,\n"
    "     title: 'title.bad.example'}]}\n"
    "channels: [{id: C0DEV, name: dev, workspace: T0ACME, creator: U0ADA, members: [U0ADA, "
    "U0BOB]}]\n"
    "sharedChannels: [{workspace: T0ACME, channel: dev, with: T0OUT, members: [U0YAN]}]\n"
    "messages:\n"
    "  - {channel: dev, from: U0YAN, ts: '1795190000.000100', text: 'look at chat.bad.example'}\n"
    "  - {channel: dev, from: U0BOB, ts: '1795190001.000100', text: 'or bob.acme-shop.example'}\n";

static const char ANY[] = "policy: 1\nname: any\nversion: '1'\notherwise: allow\n"
                          "rules: [{id: told, effect: deny, call: {risk: [draft, write, external, "
                          "destructive]}, tainted: true}]\n";

static int open_world(void **state)
{
    return test_open(DOC);
}

static int close_world(void **state)
{
    return test_close();
}

static void set_at(uint64_t world, const char *policy)
{
    if (sosia_policy_set(test_engine, world, policy, strlen(policy), "test.yaml", NULL, &test_err) <
        0)
        fail_msg("%s", test_err.text);
}

static const char *host_of(const char *target)
{
    return strncmp(target, "/gmail", 6) == 0  ? "gmail.googleapis.com"
           : strncmp(target, "/v1.0", 5) == 0 ? "graph.microsoft.com"
           : strncmp(target, "/api", 4) == 0  ? "slack.com"
                                              : "www.googleapis.com";
}

/* ' in the body stands for ". */
static const struct json *ask_at(uint64_t world, const char *who, const char *verb,
                                 const char *target, const char *body, const char *label)
{
    const char *text = body ? quoted(body) : "";
    struct sosia_header headers[] = {
        {"Host", host_of(target)},
        {"Authorization", arena_printf(&test_arena, "Bearer token-of-%.3s", who)},
        {"Content-Type", "application/json; charset=utf-8"},
        {"X-Sosia-Label-Run", label ? label : ""}};
    test_call(world, &(struct sosia_request){.method = verb,
                                             .target = target,
                                             .headers = headers,
                                             .n_headers = label ? 4 : 3,
                                             .body = text,
                                             .body_len = strlen(text)});
    test_status = test_response->status;
    return test_response->body_len && *test_response->body == '{'
               ? parsed(test_response->body, test_response->body_len)
               : NULL;
}

static const struct json *ask(const char *who, const char *verb, const char *target,
                              const char *body)
{
    return ask_at(test_world, who, verb, target, body, NULL);
}

/* The last entry of the journal. */
static const struct json *entry_at(uint64_t world)
{
    struct sosia_blob blob;
    const struct json *list;
    assert_int_equal(sosia_journal_list(test_engine, world, 0, 1000, true, &blob, &test_err), 0);
    const char *text = arena_memdup(&test_arena, blob.data, blob.len);
    assert_int_equal(json_parse(&test_arena, text, blob.len, NULL, &list, &test_err), 0);
    sosia_blob_free(&blob);
    assert_true(list->n > 0);
    return &list->items[list->n - 1];
}

/* Writes a text into a new event of Ada's, or of Kim's: whether it is refused. */
static bool is_refused_at(uint64_t world, const char *who, const char *text, const char *label)
{
    const char *body =
        strcmp(who, KIM) == 0
            ? arena_printf(&test_arena,
                           "{'subject':'Note','body':{'contentType':'text','content':'%s'},"
                           "'start':{'dateTime':'2026-12-01T10:00:00','timeZone':'UTC'},"
                           "'end':{'dateTime':'2026-12-01T11:00:00','timeZone':'UTC'}}",
                           text)
            : arena_printf(&test_arena,
                           "{'summary':'Note','description':'%s','start':{'dateTime':"
                           "'2026-12-01T10:00:00Z'},'end':{'dateTime':'2026-12-01T11:00:00Z'}}",
                           text);
    ask_at(world, who, "POST",
           strcmp(who, KIM) == 0 ? "/v1.0/me/events" : "/calendar/v3/calendars/primary/events",
           body, label);
    if (test_status == 403)
        return true;
    if (test_status != 200 && test_status != 201)
        fail_msg("%s: %d: %.*s", text, test_status, (int)test_response->body_len,
                 test_response->body);
    return false;
}

static bool is_refused(const char *text)
{
    return is_refused_at(test_world, ADA, text, NULL);
}

static void read_mail(void)
{
    ask(ADA, "GET", "/gmail/v1/users/me/messages/1a20000000000001", NULL);
    assert_int_equal(test_status, 200);
}

/* ---- values ---- */

static int gather(void *arg, const struct value *v)
{
    struct buf *b = arg;
    buf_printf(b, "|%.1s:%.*s|", value_forms[v->form], (int)v->n, v->text);
    return 0;
}

static bool has_value(const char *text, const char *value)
{
    struct buf b;
    buf_init(&b, 0);
    assert_int_equal(values_each(&test_arena, text, strlen(text), gather, &b), 0);
    bool found = strstr(buf_str(&b), arena_printf(&test_arena, "|%s|", value)) != NULL;
    if (!found)
        print_message("%s: %s\n", text, buf_str(&b));
    buf_done(&b);
    return found;
}

static void values_are_the_same_however_they_are_written(void **state)
{
    static const char *const same[][2] = {
        {"Write to Pay@Bad.Example.", "a:pay@bad.example"},
        {"<mailto:pay@bad.example>", "a:pay@bad.example"},
        {"pay%40bad.example", "a:pay@bad.example"},
        {"pay&#64;bad.example", "a:pay@bad.example"},
        {"pay&#x40;bad&period;example", "a:pay@bad.example"},
        {"pay&commat;bad.example", "a:pay@bad.example"},
        {"p\xe2\x80\x8b"
         "ay@b\xe2\x80\x8b"
         "ad.example",
         "a:pay@bad.example"},
        {"\xef\xbd\x90\xef\xbd\x81\xef\xbd\x99@bad.example", "a:pay@bad.example"},
        {"p<b>a</b>y@bad<!-- x -->.example", "a:pay@bad.example"},
        {"cGF5QGJhZC5leGFtcGxl", "a:pay@bad.example"},
        {"(base64) Y0dGNVFHSmhaQzVsZUdGdGNHeGw= twice", "a:pay@bad.example"},
        {"pay=40bad.exa=\r\nmple", "a:pay@bad.example"},
        {"p\xc3\xa1y@bad.example", "a:pay@bad.example"},
        {"\xe9\x80\x81\xe3\x82\x8bpay@bad.example\xe3\x81\xb8", "a:pay@bad.example"},
        {"pay@bad.example", "h:bad.example"},
        {"https://Bad.Example/Path?q=1", "l:bad.example/path?q=1"},
        {"http://www.bad.example/path?q=1.", "l:bad.example/path?q=1"},
        {"[click](https://bad.example/path?q=1)", "l:bad.example/path?q=1"},
        {"<a href=\"https://bad.example/path?q=1\">x</a>", "l:bad.example/path?q=1"},
        {"https%3A%2F%2Fbad.example%2Fpath%3Fq%3D1", "l:bad.example/path?q=1"},
        {"bad.example/path?q=1", "l:bad.example/path?q=1"},
        {"https://ada@bad.example/path", "h:bad.example"},
        {"LT12 1000 0111 0100", "i:lt12100001110100"},
        {"LT12-1000-0111-0100", "i:lt12100001110100"},
        {"LT12100001110100", "i:lt12100001110100"},
        {"file QX-77-311!", "i:qx-77-311"},
        {"1AbcDEF_x", "i:1abcdef_x"},
        {"Zanzibar", "w:zanzibar"},
        {"ZANZ\xc3\x8d"
         "BAR",
         "w:zanzibar"},
        {"well-known", "w:well-known"},
    };
    static const char *const none[] = {"2026-11-24T10:00:00Z", "10:30:00", "five", "a.b", "and/or"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(same); i++)
        if (!has_value(same[i][0], same[i][1]))
            fail_msg("%s must have the value %s", same[i][0], same[i][1]);
    for (size_t i = 0; i < SOSIA_LEN(none); i++) {
        struct buf b;
        buf_init(&b, 0);
        assert_int_equal(values_each(&test_arena, none[i], strlen(none[i]), gather, &b), 0);
        if (b.len)
            fail_msg("%s must have no value, has %s", none[i], buf_str(&b));
        buf_done(&b);
    }
}

/* ---- places ---- */

static const struct place {
    const char *what, *who, *read, *value, *author;
} places[] = {
    {"mail", ADA, "/gmail/v1/users/me/messages/1a20000000000001", "payments@mail.bad.example",
     DANA},
    {"the subject of a mail", ADA, "/gmail/v1/users/me/messages/1a20000000000001?format=metadata",
     "subject.bad.example", DANA},
    {"the sender of a mail", ADA, "/gmail/v1/users/me/messages/1a20000000000001?format=metadata",
     DANA, DANA},
    {"a mail as bytes", ADA, "/gmail/v1/users/me/messages/1a20000000000001?format=raw",
     "payments@mail.bad.example", DANA},
    {"the name of an attachment", ADA, "/gmail/v1/users/me/messages/1a20000000000001",
     "file.bad.example.txt", DANA},
    {"an attachment", ADA, "/gmail/v1/users/me/messages/1a20000000000001?format=raw",
     "attached.bad.example", DANA},
    {"mail in Outlook", KIM, "/v1.0/me/messages", "outlook.bad.example", DANA},
    {"an event", ADA, "/calendar/v3/calendars/primary/events/visit00", "event.bad.example", DANA},
    {"a guest's answer", ADA, "/calendar/v3/calendars/primary/events/team000", "guest.bad.example",
     "fay@far.example"},
    {"an event in Outlook", KIM, "/v1.0/me/events", "meeting.bad.example", DANA},
    {"the name of a file", ADA, "/drive/v3/files/theirs", "name.bad.example", DANA},
    {"the description of a file", ADA, "/drive/v3/files/theirs?fields=description",
     "description.bad.example", DANA},
    {"a file", ADA, "/drive/v3/files/theirs?alt=media", "content.bad.example", DANA},
    {"a file that both edited", ADA, "/drive/v3/files/both?alt=media", "ours.acme-shop.example",
     DANA},
    {"a document", ADA, "/drive/v3/files/paper/export?mimeType=text/plain", "document.bad.example",
     DANA},
    {"a document as a web page", ADA, "/drive/v3/files/paper/export?mimeType=text/html",
     "https://document.bad.example/a", DANA},
    {"a comment", ADA, "/drive/v3/files/plan/comments?fields=*", "comment.bad.example", DANA},
    {"a stranger in a shared channel", ADA, "/api/conversations.history?channel=C0DEV",
     "chat.bad.example", "yan@guest.example"},
    {"a stranger's profile", ADA, "/api/users.info?user=U0YAN", "title.bad.example",
     "yan@guest.example"},
};

static void every_place_of_an_outsider_taints(void **state)
{
    (void)state;
    set_at(test_world, ANY);
    for (size_t i = 0; i < SOSIA_LEN(places); i++) {
        const struct place *p = &places[i];
        uint64_t fork;
        assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
        if (is_refused_at(fork, p->who, p->value, NULL))
            fail_msg("%s: must be allowed before it was read", p->what);
        assert_int_equal(sosia_world_drop(test_engine, fork, &test_err), 0);
        assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
        ask_at(fork, p->who, "GET", p->read, NULL, NULL);
        if (test_status != 200)
            fail_msg("%s: reading gives %d: %.*s", p->what, test_status,
                     (int)test_response->body_len, test_response->body);
        if (!is_refused_at(fork, p->who, p->value, NULL))
            fail_msg("%s: must be refused when it was read", p->what);
        const struct json *guard = json_get(entry_at(fork), "guard");
        const char *author = text_at(guard, "tainted.0.author");
        if (strcmp(author, p->author) != 0)
            fail_msg("%s: the author is %s", p->what, author);
        assert_true(*text_at(guard, "tainted.0.row"));
        assert_string_equal(json_get_str(guard, "rule"), "told");
        assert_int_equal(sosia_world_drop(test_engine, fork, &test_err), 0);
    }
}

static void what_people_inside_wrote_does_not_taint(void **state)
{
    static const char *const inside[] = {"plan.acme-shop.example", "inside.acme-shop.example",
                                         "reply.acme-shop.example", "bob.acme-shop.example",
                                         "bob@acme.example"};
    (void)state;
    set_at(test_world, ANY);
    read_mail();
    ask(ADA, "GET", "/gmail/v1/users/me/messages/1a20000000000002", NULL);
    ask(ADA, "GET", "/drive/v3/files/plan/comments?fields=*", NULL);
    ask(ADA, "GET", "/drive/v3/files/plan/export?mimeType=text/plain", NULL);
    ask(ADA, "GET", "/api/conversations.history?channel=C0DEV", NULL);
    for (size_t i = 0; i < SOSIA_LEN(inside); i++)
        if (is_refused(inside[i]))
            fail_msg("%s must be allowed", inside[i]);
    assert_true(is_refused("chat.bad.example"));
    assert_false(is_refused("unread.bad.example"));
    assert_false(is_refused("typed.bad.example"));
}

static void the_refusal_says_nothing_and_the_journal_all(void **state)
{
    (void)state;
    set_at(test_world, ANY);
    read_mail();
    assert_true(is_refused("Ring Zanzibarquarry at PAYMENTS@mail.bad.example"));
    const char *said = arena_memdup(&test_arena, test_response->body, test_response->body_len);
    assert_null(strstr(said, "bad.example"));
    assert_null(strstr(said, "told"));
    assert_null(strstr(said, "taint"));
    const struct json *list = json_get(json_get(entry_at(test_world), "guard"), "tainted");
    assert_int_equal(list->n, 3); /* a word, the address and its host */
    assert_string_equal(text_at(&list->items[0], "value"), "zanzibarquarry");
    assert_string_equal(text_at(&list->items[0], "form"), "words");
    assert_string_equal(text_at(&list->items[0], "argument"), "body.description");
    assert_string_equal(text_at(&list->items[0], "row"),
                        "message/ada@acme.example/1a20000000000001");
    assert_string_equal(text_at(&list->items[1], "value"), "payments@mail.bad.example");
    assert_string_equal(text_at(&list->items[1], "form"), "addresses");
    assert_string_equal(text_at(&list->items[1], "author"), DANA);
    struct sosia_blob trace;
    assert_int_equal(
        sosia_journal_export(test_engine, test_world, SOSIA_JOURNAL_RUN, 0, 0, &trace, &test_err),
        0);
    const struct json *v = parsed(trace.data, trace.len), *steps = json_get(v, "steps");
    assert_string_equal(text_at(&steps->items[steps->n - 1], "status"), "blocked_by_policy");
    assert_string_equal(text_at(&steps->items[steps->n - 1], "tainted.1.value"),
                        "payments@mail.bad.example");
    /* What was read is there too, although it changed nothing. */
    assert_string_equal(text_at(&steps->items[steps->n - 2], "tool"), "gmail.users.messages.get");
    sosia_blob_free(&trace);
}

static void a_rule_says_which_values(void **state)
{
    (void)state;
    set_at(test_world,
           "policy: 1\nname: any\notherwise: allow\nrules:\n"
           "  - {id: link, effect: deny, tainted: {links: {length: {gt: 0}}}}\n"
           "  - {id: many, effect: deny, tainted: {words: {length: {gte: 2}}}}\n"
           "  - {id: number, effect: deny, tainted: {ids: {some: {'': {starts_with: qx}}}}}\n"
           "  - {id: place, effect: deny, tainted: {arguments: {has_any: [body.location]}}}\n"
           "  - {id: who, effect: deny, call: {method: calendar.events.insert}, tainted: {authors: "
           "{none: {'': {ends_with: '@out.example'}}}}}\n");
    read_mail();
    ask(ADA, "GET", "/api/conversations.history?channel=C0DEV", NULL);
    assert_true(is_refused("https://x.example subject.bad.example"));
    assert_string_equal(text_at(entry_at(test_world), "guard.rule"), "link");
    assert_true(is_refused("Zanzibarquarry, Archer"));
    assert_string_equal(text_at(entry_at(test_world), "guard.rule"), "many");
    assert_false(is_refused("Zanzibarquarry"));
    assert_true(is_refused("QX-77-311"));
    assert_string_equal(text_at(entry_at(test_world), "guard.rule"), "number");
    assert_false(is_refused("LT12 1000 0111 0100"));
    /* What is made is not asked about: the values are in the journal. */
    assert_string_equal(text_at(entry_at(test_world), "guard.decision"), "allow");
    assert_string_equal(text_at(entry_at(test_world), "guard.tainted.0.value"), "lt12100001110100");
}

static void other_effects_work_with_it(void **state)
{
    (void)state;
    set_at(test_world, "policy: 1\nname: any\notherwise: allow\nrules:\n"
                       "  - {id: told, effect: approve, tainted: {addresses: {length: {gt: 0}}}}\n"
                       "  - {id: hide, effect: redact, call: {method: calendar.events.list}, "
                       "tainted: true, fields: [items.*.summary]}\n"
                       "  - {id: few, effect: limit, tainted: {ids: {length: {gt: 0}}}, calls: "
                       "1}\n");
    read_mail();
    assert_true(is_refused("payments@mail.bad.example"));
    assert_string_equal(text_at(entry_at(test_world), "guard.event"), "proposed");
    assert_true(*text_at(entry_at(test_world), "guard.action"));
    assert_false(is_refused("QX-77-311"));
    assert_true(is_refused("QX-77-311"));
    assert_string_equal(text_at(entry_at(test_world), "guard.rule"), "few");
    static const char list[] = "/calendar/v3/calendars/primary/events?timeMax=2026-11-24T10:30:00Z";
    const struct json *v = ask(ADA, "GET", list, NULL);
    assert_string_equal(text_at(v, "items.0.summary"), "Visit");
    v = ask(ADA, "GET", arena_printf(&test_arena, "%s&q=event.bad.example", list), NULL);
    if (strcmp(text_at(v, "items.0.summary"), "Visit") == 0)
        fail_msg("the title must be covered, is not");
}

/* ---- runs ---- */

static void a_run_is_one_token_or_label(void **state)
{
    (void)state;
    set_at(test_world, ANY);
    ask_at(test_world, ADA, "GET", "/gmail/v1/users/me/messages/1a20000000000001", NULL, "one");
    assert_true(is_refused_at(test_world, ADA, "QX-77-311", "one"));
    assert_false(is_refused_at(test_world, ADA, "Zanzibarquarry", "two"));
    assert_false(is_refused_at(test_world, KIM, "LT12 1000 0111 0100", NULL));
}

static void forks_snapshots_and_exports_have_the_marks(void **state)
{
    uint64_t fork, snapshot, imported;
    (void)state;
    set_at(test_world, ANY);
    read_mail();
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    assert_true(is_refused_at(fork, ADA, "QX-77-311", NULL));
    assert_int_equal(sosia_world_snapshot(test_engine, test_world, NULL, &snapshot, &test_err), 0);
    assert_int_equal(sosia_world_fork(test_engine, snapshot, NULL, &fork, &test_err), 0);
    assert_true(is_refused_at(fork, ADA, "QX-77-311", NULL));
    assert_int_equal(test_import_changed(NULL, &imported), 0);
    assert_true(is_refused_at(imported, ADA, "QX-77-311", NULL));
    assert_false(is_refused_at(imported, ADA, "unread.bad.example", NULL));
}

static const char *hash_of(uint64_t world)
{
    char hex[65];
    assert_int_equal(sosia_world_hash(test_engine, world, hex, &test_err), 0);
    return arena_strdup(&test_arena, hex);
}

static void marks_are_not_in_the_state(void **state)
{
    const char *before = hash_of(test_world);
    (void)state;
    set_at(test_world, ANY);
    read_mail();
    assert_true(is_refused("QX-77-311"));
    assert_string_equal(hash_of(test_world), before);
    assert_null(strstr(json_to_text(&test_arena, test_dump()), "guard"));
}

static void a_policy_that_does_not_ask_keeps_no_reads(void **state)
{
    (void)state;
    set_at(test_world, "policy: 1\nname: any\notherwise: allow\nrules: []\n");
    read_mail();
    assert_false(is_refused("QX-77-311"));
    set_at(test_world, ANY);
    assert_false(is_refused("QX-77-311")); /* it was read before that was asked */
}

/* ---- marks ---- */

/* What an agent has written from an outsider's words taints those runs that read it there. */
static void marks_go_through_documents_and_forwards(void **state)
{
    static const char asks[] =
        "policy: 1\nname: any\notherwise: allow\nrules: [{id: told, effect: deny, call: {method: "
        "[calendar.events.insert, outlook.events.create]}, tainted: true}]\n";
    (void)state;
    set_at(test_world, asks);
    read_mail();
    ask(ADA, "POST", "/drive/v3/files?fields=id",
        "{'name':'Notes','description':'ring Zanzibarquarry','mimeType':'text/plain'}");
    assert_int_equal(test_status, 200);
    const char *id = text_at(parsed(test_response->body, test_response->body_len), "id");
    /* Another run, which reads the document alone. */
    ask_at(test_world, ADA, "GET",
           arena_printf(&test_arena, "/drive/v3/files/%s?fields=description", id), NULL, "next");
    assert_int_equal(test_status, 200);
    assert_true(is_refused_at(test_world, ADA, "Zanzibarquarry", "next"));
    assert_string_equal(text_at(entry_at(test_world), "guard.tainted.0.author"), DANA);
    assert_false(is_refused_at(test_world, ADA, "QX-77-311", "next"));
    /* A copy that the service makes. */
    ask(ADA, "POST", "/drive/v3/files/theirs/copy?fields=id", "{'name':'Copied'}");
    assert_int_equal(test_status, 200);
    id = text_at(parsed(test_response->body, test_response->body_len), "id");
    ask_at(test_world, ADA, "GET", arena_printf(&test_arena, "/drive/v3/files/%s?alt=media", id),
           NULL, "last");
    assert_true(is_refused_at(test_world, ADA, "content.bad.example", "last"));
    /* A forward. */
    const struct json *v = ask(KIM, "GET", "/v1.0/me/messages?$select=id", NULL);
    const char *mail = text_at(v, "value.0.id");
    ask_at(test_world, KIM, "POST", arena_printf(&test_arena, "/v1.0/me/messages/%s/forward", mail),
           "{'comment':'','toRecipients':[{'emailAddress':{'address':'ada@acme.example'}}]}",
           "sends");
    assert_int_equal(test_status, 202);
    v = ask_at(test_world, ADA, "GET", "/gmail/v1/users/me/messages?maxResults=1", NULL, "gets");
    ask_at(test_world, ADA, "GET",
           arena_printf(&test_arena, "/gmail/v1/users/me/messages/%s", text_at(v, "messages.0.id")),
           NULL, "gets");
    assert_true(is_refused_at(test_world, ADA, "outlook.bad.example", "gets"));
}

/* Who gets a draft is not in the arguments of the call that sends it. */
static void drafts_reach_whom_they_reach(void **state)
{
    static const char *const to[] = {"payments@mail.bad.example", "typed@bad.example"};
    (void)state;
    set_at(test_world,
           "policy: 1\nname: any\notherwise: allow\n"
           "rules: [{id: told, effect: deny, tainted: {reached: {length: {gt: 0}}}}]\n");
    read_mail();
    for (size_t i = 0; i < SOSIA_LEN(to); i++) {
        const char *raw = arena_printf(&test_arena, "To: %s\r\nSubject: x\r\n\r\nHello\r\n", to[i]);
        struct buf b;
        buf_init(&b, 0);
        base64url_add(&b, raw, strlen(raw), false);
        const struct json *v =
            ask(ADA, "POST", "/gmail/v1/users/me/drafts",
                arena_printf(&test_arena, "{'message':{'raw':'%s'}}", buf_str(&b)));
        buf_done(&b);
        assert_int_equal(test_status, 200);
        ask(ADA, "POST", "/gmail/v1/users/me/drafts/send",
            arena_printf(&test_arena, "{'id':'%s'}", text_at(v, "id")));
        assert_int_equal(test_status, i ? 200 : 403);
    }
}

/* A policy over calls that were made: reads are in the journal, and are read again. */
static void a_simulation_reads_again(void **state)
{
    const struct sosia_fork_options opt = {.set_journal = true, .journal = SOSIA_JOURNAL_ALL};
    struct sosia_blob blob;
    uint64_t fork;
    (void)state;
    assert_int_equal(sosia_world_fork(test_engine, test_world, &opt, &fork, &test_err), 0);
    ask_at(fork, ADA, "GET", "/gmail/v1/users/me/messages/1a20000000000001", NULL, NULL);
    assert_false(is_refused_at(fork, ADA, "QX-77-311", NULL));
    assert_false(is_refused_at(fork, ADA, "typed.bad.example", NULL));
    if (policy_simulate(test_engine, fork, ANY, sizeof ANY - 1, "any.yaml", &blob, &test_err) < 0)
        fail_msg("%s", test_err.text);
    const struct json *v = parsed(blob.data, blob.len);
    assert_int_equal(number_at(v, "calls"), 3);
    assert_int_equal(number_at(v, "denied"), 1);
    assert_string_equal(text_at(v, "decisions.0.rule"), "told");
    sosia_blob_free(&blob);
}

/* A person, of whom no policy is asked, writes it: it is the organisation's own from then on. */
/* Nothing was ever sent to either of them; Yan is in a channel with Ada. */
static void who_shares_a_channel_is_no_stranger(void **state)
{
    (void)state;
    set_at(test_world, "policy: 1\nname: p\notherwise: allow\nrules: [{effect: deny, reaches: "
                       "{strangers: {length: {gt: 0}}}}]\n");
    ask(ADA, "POST", "/gmail/v1/users/me/messages/send",
        "{'raw':'VG86IHlhbkBndWVzdC5leGFtcGxlClN1YmplY3Q6IEhpCgpIaQ'}");
    assert_int_equal(test_status, 200);
    ask(ADA, "POST", "/gmail/v1/users/me/messages/send",
        "{'raw':'VG86IG1hbEBmYXIuZXhhbXBsZQpTdWJqZWN0OiBIaQoKSGk'}");
    assert_int_equal(test_status, 403);
}

/* The least policy of a run in which Ada reads her mail and notes what came of it. */
static const char *derived_of(const char *note)
{
    const struct sosia_fork_options opt = {.set_journal = true, .journal = SOSIA_JOURNAL_ALL};
    struct sosia_blob blob;
    uint64_t run;
    assert_int_equal(sosia_world_fork(test_engine, test_world, &opt, &run, &test_err), 0);
    ask_at(run, ADA, "GET", "/gmail/v1/users/me/messages/1a20000000000001", NULL, NULL);
    assert_false(is_refused_at(run, ADA, note, NULL));
    if (policy_derive(test_engine, run, &blob, &test_err) < 0)
        fail_msg("%s", test_err.text);
    const char *text = arena_memdup(&test_arena, blob.data, blob.len);
    sosia_blob_free(&blob);
    return text_at(parsed(text, strlen(text)), "policy");
}

static void the_least_policy_asks_where_values_come_from(void **state)
{
    (void)state;
    const char *policy = derived_of("All is well");
    /* what the run did itself is not refused */
    const char *other = derived_of("Their reference is QX-77-311");
    assert_null(strstr(other, "\"tainted-ids\""));
    assert_non_null(strstr(other, "\"tainted-addresses\""));
    assert_non_null(strstr(policy, "\"tainted-ids\""));
    assert_non_null(strstr(policy, "\"tainted-addresses\""));
    set_at(test_world, policy);
    read_mail();
    assert_false(is_refused("All is well again"));
    assert_true(is_refused("Write to payments@mail.bad.example"));
}

static void what_a_person_writes_is_inside(void **state)
{
    (void)state;
    set_at(test_world,
           "policy: 1\nname: any\notherwise: allow\napplies: {actor: ada@acme.example}\n"
           "rules: [{id: told, effect: deny, tainted: true}]\n");
    read_mail();
    assert_true(is_refused("QX-77-311"));
    assert_false(is_refused_at(test_world, KIM, "our reference QX-77-311", NULL));
    assert_false(is_refused("QX-77-311"));
    assert_true(is_refused("Zanzibarquarry"));
}

/* ---- what is known to get by ---- */

static void evasions_that_are_listed_get_by(void **state)
{
    static const char *const by[] = {
        "pay-ments at mail dot bad dot example", /* other words for signs */
        "elpmaxe.dab.liam@stnemyap",             /* turned round */
        "cnlzragf@znvy.onq.rknzcyr",             /* another code */
        "p\xd0\xb0yments@mail.b\xd0\xb0"
        "d.example",        /* letters that look alike */
        "Zanzib-arquar-ry", /* parts of a word */
        "ring",             /* short words */
    };
    (void)state;
    set_at(test_world, ANY);
    read_mail();
    for (size_t i = 0; i < SOSIA_LEN(by); i++)
        if (is_refused(by[i]))
            fail_msg("%s must get by, or be listed no more", by[i]);
}

static void what_is_no_text_may_have_had_everything(void **state)
{
    (void)state;
    set_at(test_world, ANY);
    ask(ADA, "GET", "/drive/v3/files/paper/export?mimeType=application/pdf", NULL);
    assert_int_equal(test_status, 200);
    assert_true(is_refused("document.bad.example"));
    assert_true(is_refused("unread.bad.example"));
    assert_false(is_refused("typed.bad.example"));
}

/* What `sosia policy explain` says. */
static void cases_may_read_before_they_call(void **state)
{
    static const char policy[] = "policy: 1\nname: x\notherwise: allow\n"
                                 "rules: [{id: told, effect: deny, tainted: true}]\n";
    static const char event[] = "    call: POST /calendar/v3/calendars/primary/events\n"
                                "    body: {summary: QX-77-311, start: {date: '2026-12-01'}, "
                                "end: {date: '2026-12-02'}}\n";
    const struct cases_options opt = {0};
    struct sosia_blob blob;
    bool good;
    (void)state;
    const char *seed = json_to_text(&test_arena, test_dump());
    const char *cases = arena_printf(
        &test_arena,
        "seed: %s\nactor: ada@acme.example\ncases:\n  - decision: allow\n%s  - decision: deny\n"
        "    reads: ['GET /gmail/v1/users/me/messages/1a20000000000001']\n%s",
        seed, event, event);
    if (policy_cases(test_engine, policy, sizeof policy - 1, "p.yaml", cases, strlen(cases),
                     "c.yaml", &opt, &blob, &good, &test_err) < 0)
        fail_msg("%s", test_err.text);
    assert_true(good);
    const struct json *v = parsed(blob.data, blob.len);
    assert_string_equal(text_at(v, "cases.1.tainted.0.value"), "qx-77-311");
    assert_string_equal(text_at(v, "cases.1.tainted.0.row"),
                        "message/ada@acme.example/1a20000000000001");
    sosia_blob_free(&blob);
    cases =
        arena_printf(&test_arena, "seed: {sosia: 1}\ncases: [{call: GET /x, as: a, reads: [x]}]");
    assert_int_equal(policy_cases(test_engine, policy, sizeof policy - 1, "p.yaml", cases,
                                  strlen(cases), "c.yaml", &opt, &blob, &good, &test_err),
                     -1);
    assert_non_null(strstr(test_err.text, "reads"));
}

static void wrong_rules_are_refused(void **state)
{
    static const char *const wrong[][2] = {
        {"tainted: false", "tainted"},
        {"tainted: {}", "tainted"},
        {"tainted: {people: {length: 0}}", "people"},
        {"tainted: {links: {wrong: 0}}", "wrong"},
    };
    struct sosia_blob blob;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        const char *doc = arena_printf(
            &test_arena, "policy: 1\nname: x\nrules: [{effect: deny, %s}]\n", wrong[i][0]);
        assert_int_equal(sosia_policy_check(doc, strlen(doc), "test.yaml", &blob, &test_err), -1);
        if (!strstr(test_err.text, wrong[i][1]))
            fail_msg("%s: %s", wrong[i][0], test_err.text);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(values_are_the_same_however_they_are_written),
        TEST(every_place_of_an_outsider_taints),
        TEST(what_people_inside_wrote_does_not_taint),
        TEST(the_refusal_says_nothing_and_the_journal_all),
        TEST(a_rule_says_which_values),
        TEST(other_effects_work_with_it),
        TEST(a_run_is_one_token_or_label),
        TEST(forks_snapshots_and_exports_have_the_marks),
        TEST(marks_are_not_in_the_state),
        TEST(a_policy_that_does_not_ask_keeps_no_reads),
        TEST(marks_go_through_documents_and_forwards),
        TEST(drafts_reach_whom_they_reach),
        TEST(a_simulation_reads_again),
        TEST(who_shares_a_channel_is_no_stranger),
        TEST(the_least_policy_asks_where_values_come_from),
        TEST(what_a_person_writes_is_inside),
        TEST(evasions_that_are_listed_get_by),
        TEST(what_is_no_text_may_have_had_everything),
        TEST(cases_may_read_before_they_call),
        TEST(wrong_rules_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
