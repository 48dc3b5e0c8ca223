/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vendor whose people have labels alone, in no tree, and which is notified of what comes and
 * goes: members of its own in documents, calendar objects, letters to groups, folders that go. It
 * has no hook for forwarding, answers, identities or snippets: the core does as it says for those
 * without.
 */
#include "services/mail/core/show.h"
#include "tests/services/mail/core/mail_vendors.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

#define PEOPLE                                                                                     \
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','organizations':[{'domain':'acme.example'}],"        \
    "'people':[{'email':'ada@acme.example','name':'Ada','aliases':['a@acme.example']},"            \
    "{'email':'bob@acme.example','name':'Bob'},{'email':'cyd@acme.example','name':'Cyd'},"         \
    "{'email':'room@acme.example','name':'Room','kind':'resource'}],"                              \
    "'groups':[{'email':'all@acme.example','members':['bob@acme.example','team@acme.example',"     \
    "'out@else.example','room@acme.example']},"                                                    \
    "{'email':'team@acme.example','members':['cyd@acme.example','bob@acme.example']}],"            \
    "'accounts':[{'actor':'ada@acme.example','vendor':'tags'},"                                    \
    "{'actor':'bob@acme.example','vendor':'tags'},{'actor':'cyd@acme.example','vendor':'tags'}]"

/* ' is written for ". */
static char *world_doc(const char *sections)
{
    static char doc[16384];
    snprintf(doc, sizeof doc, "%s%s%s}", PEOPLE, *sections ? "," : "", sections);
    for (char *p = doc; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return doc;
}

static int open_tags(void **state)
{
    (void)state;
    vendor = &tags;
    return open_as(world_doc(""));
}

/* A dump on one line, without spaces between its tokens. */
static char *dump_of(uint64_t world)
{
    struct sosia_blob blob;
    if (sosia_world_dump(test_engine, world, &blob, &test_err) < 0)
        fail_msg("dump: %s", test_err.text);
    char *copy = strdup((const char *)blob.data), *to = copy;
    for (const char *p = copy; *p; p++) {
        if (*p == '\n')
            p += strspn(p + 1, " ");
        else if (*p != ' ' || p == copy || p[-1] != ':')
            *to++ = *p;
    }
    *to = 0;
    sosia_blob_free(&blob);
    return copy;
}

/* Why a world of the document is refused; "" it is not. */
static const char *why_not(const char *sections)
{
    static char why[400];
    const char *doc = world_doc(sections);
    struct sosia_world_options options = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    struct sosia_err err = {0};
    uint64_t world;
    if (sosia_world_create(test_engine, &options, &world, &err) < 0) {
        snprintf(why, sizeof why, "%s", err.text);
        return why;
    }
    sosia_world_drop(test_engine, world, &err);
    return "";
}

static void is_in(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in: %.2000s", part, text);
}

static void is_not_in(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" is in: %.2000s", part, text);
}

/* ---- labels ---- */

static void labels_are_in_no_tree(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    struct mail_folder work = {.mailbox = bob.id, .name = "Work"}, in = work, was;
    assert_int_equal(mail_folder_add(&tx, &work), 0);
    in.name = "Within";
    in.parent = work.id;
    refused(mail_folder_add(&tx, &in), "parent");
    in.parent = 0;
    assert_int_equal(mail_folder_add(&tx, &in), 0);
    assert_int_equal(mail_folder_number(in.id), mail_folder_number(work.id) + 1);
    was = in;
    in.parent = ID_OF(&bob, FOLDER_INBOX);
    refused(mail_folder_save(&tx, &was, &in, false), "parent");
    /* A name belongs to one label, however it is written. */
    struct mail_folder again = {.mailbox = bob.id, .name = "WORK"};
    refused(mail_folder_add(&tx, &again), "labelExists");
    again.name = "Inbox";
    refused(mail_folder_add(&tx, &again), "labelExists");
    was = in, in.parent = 0, in.name = "wORK";
    refused(mail_folder_save(&tx, &was, &in, false), "labelExists");
    was.parent = 0, was.name = "Within", in.name = "WITHIN";
    assert_int_equal(mail_folder_save(&tx, &was, &in, false), 0);
    assert_int_equal(mail_folder_by_name(&tx, bob.id, 0, "within", &was), 1);
    assert_string_equal(was.name, "WITHIN");
}

static void numbers_of_labels_are_used_once(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob"), ada = box("ada");
    const int64_t last = 0xffffff - FOLDER_OWN;
    struct mail_folder f = {
        .mailbox = bob.id, .name = "nine", .id = mail_folder_id(bob.id, 64 + 9)};
    assert_int_equal(mail_folder_add(&tx, &f), 0);
    assert_int_equal(mail_folder_number(f.id), 9);
    f = (struct mail_folder){.mailbox = bob.id, .name = "other", .id = f.id};
    refused(mail_folder_add(&tx, &f), "labelExists");
    f = (struct mail_folder){.mailbox = bob.id, .name = "next"};
    assert_int_equal(mail_folder_add(&tx, &f), 0);
    assert_int_equal(mail_folder_number(f.id), 10);
    assert_int_equal(mail_folder_delete(&tx, &f), 0);
    assert_int_equal(reported.gone, 1);
    assert_int_equal(reported.gone_folder, f.id);
    f = (struct mail_folder){.mailbox = bob.id, .name = "next"};
    assert_int_equal(mail_folder_add(&tx, &f), 0);
    assert_int_equal(mail_folder_number(f.id), 11); /* not 10 again */
    f = (struct mail_folder){.mailbox = ada.id, .name = "other mailbox"};
    assert_int_equal(mail_folder_add(&tx, &f), 0);
    assert_int_equal(mail_folder_number(f.id), 1);
    f = (struct mail_folder){
        .mailbox = bob.id, .name = "last", .id = mail_folder_id(bob.id, FOLDER_OWN + last)};
    assert_int_equal(mail_folder_add(&tx, &f), 0);
    assert_int_equal(mail_folder_number(f.id), last);
    f = (struct mail_folder){.mailbox = bob.id, .name = "none left"};
    refused(mail_folder_add(&tx, &f), "tooManyLabels");
    f = (struct mail_folder){.mailbox = 77, .name = "of nobody"};
    assert_int_equal(mail_folder_add(&tx, &f), -1);
    assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
}

static void documents_have_a_vendors_members(void **state)
{
    (void)state;
    mail_end();
    test_use(
        world_doc("'mailboxes':[{'person':'bob@acme.example','labels':["
                  "{'name':'Work','number':3,'note':'of work'},{'name':'inbox','note':'of all'},"
                  "{'name':'Plain'}],'messages':[{'subject':'s','labels':['Work','inbox']}]}]"));
    assert_int_equal(reported.n_notes, 2);
    assert_int_equal(reported.fresh, 2); /* the inbox was there */
    char *dump = dump_of(test_world);
    is_in(dump, "{\"name\":\"inbox\",\"note\":\"of all\"}");
    is_in(dump, "{\"name\":\"Work\",\"number\":3,\"note\":\"of work\"}");
    is_in(dump, "{\"name\":\"Plain\",\"number\":4}");
    is_not_in(dump, "\"name\":\"sent\""); /* as every mailbox has it */
    free(dump);
    assert_string_equal(why_not("'mailboxes':[{'person':'bob@acme.example','labels':["
                                "{'name':'Work','note':'n'}]}]"),
                        "");
    is_in(why_not("'mailboxes':[{'person':'bob@acme.example','labels':[{'name':'W','x':1}]}]"),
          "mailboxes[0].labels[0].x: there is no such field (known: name, number, note)");
    is_in(why_not("'mailboxes':[{'person':'bob@acme.example','labels':[{'name':'W','note':1}]}]"),
          "mailboxes[0].labels[0].note: must be a text, not 1");
    is_in(why_not("'mailboxes':[{'person':'bob@acme.example','labels':[1]}]"),
          "mailboxes[0].labels[0]: must be an object, not 1");
    static const char *const of_trees[] = {"'parent':'inbox'", "'kind':'folder'", "'hidden':true"};
    for (size_t i = 0; i < SOSIA_LEN(of_trees); i++) {
        char sections[300];
        snprintf(sections, sizeof sections,
                 "'mailboxes':[{'person':'bob@acme.example','labels':[{'name':'W',%s}]}]",
                 of_trees[i]);
        is_in(why_not(sections), "mailboxes[0].labels[0]");
    }
    is_in(why_not("'mailboxes':[{'person':'bob@acme.example','folders':[{'name':'W'}]}]"),
          "must be absent");
    /* A message's labels are names: numbers are for trees. */
    is_in(why_not("'mailboxes':[{'person':'bob@acme.example','labels':[{'name':'W','number':1}],"
                  "'messages':[{'labels':[1]}]}]"),
          "must be a list of texts");
    is_in(why_not("'mailboxes':[{'person':'bob@acme.example','messages':[{'folder':'inbox'}]}]"),
          "must be absent, since the mailbox has labels");
    is_in(why_not("'mailboxes':[{'person':'bob@acme.example','messages':[{'categories':['x']}]}]"),
          "must be absent, since the mailbox has labels");
    mail_begin();
}

static void an_inbox_with_a_note_is_dumped_without_messages(void **state)
{
    (void)state;
    mail_end();
    char *empty = dump_of(test_world);
    is_not_in(empty, "mailboxes");
    free(empty);
    test_use(world_doc("'mailboxes':[{'person':'bob@acme.example','labels':[{'name':'sent',"
                       "'note':'mine'}]},{'person':'cyd@acme.example','answered':"
                       "[{'email':'x@far.example','at':'2026-11-22T10:00:00Z'}]}]"));
    char *dump = dump_of(test_world);
    is_in(dump, "\"person\":\"bob@acme.example\"");
    is_in(dump, "\"labels\":[{\"name\":\"sent\",\"note\":\"mine\"}]");
    is_in(dump, "\"person\":\"cyd@acme.example\"");
    is_in(dump, "\"email\":\"x@far.example\"");
    is_not_in(dump, "\"person\":\"ada@acme.example\"");
    free(dump);
    mail_begin();
}

/* ---- what comes ---- */

#define OBJECT "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:u\nEND:VEVENT\nEND:VCALENDAR\n"

static void send_object(const char *fields, const char *text)
{
    send_as("ada", arena_printf(tx.arena,
                                "To: bob@acme.example\nSubject: come\n"
                                "Content-Type: multipart/mixed; boundary=b\n\n--b\n\ncome\n"
                                "--b\nContent-Type: text/calendar%s\n\n%s--b--\n",
                                fields, text));
}

static void a_vendor_is_notified_of_calendar_objects(void **state)
{
    (void)state;
    send_as("ada", "To: bob@acme.example\nSubject: plain\n\nx\n");
    assert_int_equal(reported.objects, 0);
    send_object("; charset=utf-8", OBJECT);
    assert_int_equal(reported.objects, 2); /* in ada's mailbox, and in bob's */
    assert_int_equal(reported.object_of, newest("bob", 0).id);
    is_in(reported.object, "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:u");
    send_object("; charset=iso-8859-1", "UID:gr\xfc\xdf"
                                        "e\n");
    is_in(reported.object, "gr\xc3\xbc\xc3\x9f"
                           "e");
    send_object("", "UID:gr\xc3\xbcn\n");
    is_in(reported.object, "UID:gr\xc3\xbcn");
    send_object("\nContent-Transfer-Encoding: base64", "VUlEOjY0Cg==\n");
    assert_string_equal(reported.object, "UID:64\n");
    assert_int_equal(reported.objects, 8);
    /* What a message carries in a message is the other message's. */
    send_as("ada", "To: bob@acme.example\nSubject: on\nContent-Type: multipart/mixed; boundary=b\n"
                   "\n--b\n\nx\n--b\nContent-Type: message/rfc822\n\nSubject: within\n"
                   "Content-Type: text/calendar\n\n" OBJECT "\n--b--\n");
    assert_int_equal(reported.objects, 8);
}

static void large_calendar_objects_are_only_mail(void **state)
{
    (void)state;
    for (int over = 0; over < 2; over++) {
        struct buf b;
        buf_init(&b, 0);
        buf_puts(&b, "UID:");
        while (b.len + 2 < MAIL_OBJECT_MOST + (size_t)over)
            buf_byte(&b, 'x');
        reported.objects = 0;
        send_object("", arena_printf(tx.arena, "%s\n\n", buf_str(&b)));
        buf_done(&b);
        assert_int_equal(reported.objects, over ? 0 : 2);
        if (!over)
            assert_int_equal(reported.object_len, MAIL_OBJECT_MOST);
    }
}

/* ---- events in messages ---- */

static const char *uid_in(const char *type, const char *text)
{
    struct mail_message_body body;
    const char *uid;
    send_as("ada",
            arena_printf(tx.arena, "To: bob@acme.example\nContent-Type: %s\n\n%s", type, text));
    struct mail_message m = newest("bob", 0);
    assert_int_equal(mail_message_open(&tx, &m, &body), 0);
    assert_int_equal(mail_message_event_uid(&tx, &body, &uid), 0);
    return uid ? uid : "none";
}

static void the_uid_of_an_event_is_read_from_a_message(void **state)
{
    (void)state;
    static const char calendar[] = "text/calendar";
    assert_string_equal(uid_in(calendar, "UID:one\nUID:two\n"), "one");
    assert_string_equal(uid_in(calendar, "BEGIN:X\nDTUID:no\nUIDX:no\nUID:yes\n"), "yes");
    assert_string_equal(uid_in(calendar, "UID:fol\n ded\n  twice\nEND:X\n"), "folded twice");
    assert_string_equal(uid_in(calendar, "BEGIN:X\nUID:"), "");
    assert_string_equal(uid_in(calendar, "UID:to the end"), "to the end");
    assert_string_equal(uid_in(calendar, "BEGIN:X\nUID"), "none");
    assert_string_equal(uid_in(calendar, "x\nUID:two\nEND:X"), "two");
    assert_string_equal(uid_in("text/plain", "UID:one\n"), "none");
    assert_string_equal(uid_in("multipart/mixed; boundary=b",
                               "--b\nContent-Type: text/calendar\n\nBEGIN:X\n--b\n"
                               "Content-Type: text/calendar\n\nUID:second\n--b--\n"),
                        "second");
    for (int over = 0; over < 2; over++) {
        struct buf b;
        buf_init(&b, 0);
        buf_puts(&b, "UID:large\n");
        while (b.len + 1 < 256 * 1024 + (size_t)over) /* '\n' is two bytes */
            buf_byte(&b, 'x');
        assert_string_equal(uid_in(calendar, buf_str(&b)), over ? "none" : "large");
        buf_done(&b);
    }
}

/* ---- groups ---- */

static void a_vendor_is_notified_of_letters_to_groups(void **state)
{
    (void)state;
    send_as("ada", "To: bob@acme.example\nSubject: no group\n\nx\n");
    assert_string_equal(reported.groups, "");
    send_as("ada", "To: team@acme.example\nBcc: cyd@acme.example\nSubject: team\n\nwords\n");
    assert_string_equal(reported.groups, "team@acme.example ");
    assert_string_equal(reported.group_raw,
                        "To: team@acme.example\r\nSubject: team\r\n\r\nwords\r\n");
    assert_int_equal(count_of("bob"), 2);
    assert_int_equal(count_of("cyd"), 1); /* once, whatever led to it */
    reported.groups[0] = 0;
    send_as("ada", "To: all@acme.example\nCc: team@acme.example, ALL@acme.example\n"
                   "Subject: all\n\nx\n");
    assert_string_equal(reported.groups, "all@acme.example team@acme.example ");
    assert_int_equal(count_of("bob"), 3);
    assert_int_equal(count_of("cyd"), 2);
    assert_int_equal(count_of("ada"), 3); /* nothing is reported: rooms have no mailbox */
    assert_int_equal(number("select count(*) from outbox where recipients = 'out@else.example'"),
                     1);
    send_as("ada", "To: room@acme.example\nSubject: to a room\n\nx\n");
    assert_int_equal(count_of("ada"), 4);
    assert_int_equal(number("select count(*) from outbox"), 1);
}

/* ---- rules ---- */

static int meets_subject(struct tx *t, const struct mail_incoming *in, const void *arg)
{
    const char *subject = mime_header(t->arena, in->head, in->head_len, "Subject");
    return subject && strstr(subject, arg) != NULL;
}

static const struct search *about(const char *word)
{
    struct search *q = arena_calloc(tx.arena, 1, sizeof *q);
    *q = (struct search){.kind = SEARCH_PHRASE, .fields = FIELD_SUBJECT, .text = word};
    return q;
}

static void rules_may_be_asked_in_another_way(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    struct mail_folder work = {.mailbox = bob.id, .name = "Work"}, rest = work;
    assert_int_equal(mail_folder_add(&tx, &work), 0);
    rest.name = "Rest";
    assert_int_equal(mail_folder_add(&tx, &rest), 0);
    const struct mail_act to_work[] = {{.kind = ACT_ADD, .folder = work.id}},
                          to_rest[] = {{.kind = ACT_ADD, .folder = rest.id},
                                       {.kind = ACT_ADD, .folder = rest.id}},
                          on[] = {{.kind = ACT_FORWARD, .to = "cyd@acme.example"},
                                  {.kind = ACT_FORWARD, .to = "cyd@acme.example"}};
    rules[0] =
        (struct mail_rule){.meets = meets_subject, .arg = "wor", .acts = to_work, .n_acts = 1};
    rules[1] = (struct mail_rule){.query = about("work"), .acts = to_rest, .n_acts = 2};
    rules[2] = (struct mail_rule){.meets = meets_subject, .arg = "on", .acts = on, .n_acts = 2};
    n_rules = 3;
    struct mail_message m = letter("work");
    assert_string_equal(labels_of(&m), "inbox unseen first Work Rest");
    m = letter("worry");
    assert_string_equal(labels_of(&m), "inbox unseen first Work");
    m = letter("rest");
    assert_string_equal(labels_of(&m), "inbox unseen first");
    /* Without a hook a rule may forward to anybody: once for each. */
    letter("on");
    assert_int_equal(count_of("cyd"), 1);
    m = newest("cyd", 0);
    assert_string_equal(header_of(&m, "X-Forwarded-To"), "cyd@acme.example");
    assert_string_equal(header_of(&m, "X-Forwarded-For"), "bob@acme.example cyd@acme.example");
    /* Nothing answers by itself, and nothing else goes on. */
    assert_int_equal(count_of("ada"), 4);
    check_counters();
}

static void a_rule_puts_in_and_takes_out(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    struct mail_folder a = {.mailbox = bob.id, .name = "A"}, b = {.mailbox = bob.id, .name = "B"},
                       c = {.mailbox = bob.id, .name = "C"};
    assert_int_equal(mail_folder_add(&tx, &a), 0);
    assert_int_equal(mail_folder_add(&tx, &b), 0);
    assert_int_equal(mail_folder_add(&tx, &c), 0);
    const struct mail_act acts[] = {{.kind = ACT_ADD, .folder = a.id},
                                    {.kind = ACT_ADD, .folder = b.id},
                                    {.kind = ACT_ADD, .folder = c.id},
                                    {.kind = ACT_REMOVE, .folder = a.id},
                                    {.kind = ACT_REMOVE, .folder = ID_OF(&bob, KEYWORD_UNSEEN)}},
                          junk[] = {{.kind = ACT_ADD, .folder = ID_OF(&bob, FOLDER_JUNK)}},
                          out[] = {{.kind = ACT_MOVE, .folder = c.id}},
                          back[] = {{.kind = ACT_MOVE, .folder = ID_OF(&bob, FOLDER_INBOX)}},
                          away[] = {{.kind = ACT_REMOVE, .folder = ID_OF(&bob, FOLDER_INBOX)}};
    rules[0] = (struct mail_rule){.query = about("acts"), .acts = acts, .n_acts = 5};
    rules[1] = (struct mail_rule){.query = about("out"), .acts = out, .n_acts = 1};
    rules[2] = (struct mail_rule){.query = about("back"), .acts = back, .n_acts = 1};
    rules[3] = (struct mail_rule){.query = about("away"), .acts = away, .n_acts = 1};
    n_rules = 4;
    struct mail_message m = letter("acts");
    assert_string_equal(labels_of(&m), "inbox first B C");
    m = letter("out");
    assert_string_equal(labels_of(&m), "unseen first C");
    m = letter("out and back");
    assert_string_equal(labels_of(&m), "inbox unseen first C");
    m = letter("away");
    assert_string_equal(labels_of(&m), "unseen first");
    rules[3].acts = junk;
    onward = (struct mail_onward){0};
    m = letter("acts and away");
    assert_string_equal(labels_of(&m), "inbox junk first B C");
    check_counters();
}

/* What is put into a mailbox as if it came has its places first. */
static void what_is_put_in_keeps_its_places(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    struct mail_folder work = {.mailbox = bob.id, .name = "Work"},
                       more = {.mailbox = bob.id, .name = "More"};
    assert_int_equal(mail_folder_add(&tx, &work), 0);
    assert_int_equal(mail_folder_add(&tx, &more), 0);
    const struct mail_act acts[] = {{.kind = ACT_ADD, .folder = more.id},
                                    {.kind = ACT_ADD, .folder = work.id}};
    rules[0] = (struct mail_rule){.query = about("put"), .acts = acts, .n_acts = 2};
    n_rules = 1;
    const int64_t twice[] = {work.id, work.id};
    struct mail_message_new in = {.mailbox = &bob,
                                  .raw = "Subject: put\r\n\r\n",
                                  .len = 16,
                                  .folders = twice,
                                  .n_folders = 2,
                                  .incoming = true,
                                  .at_s = INT64_MIN};
    struct mail_message m;
    assert_int_equal(mail_message_add(&tx, &in, &m), 0);
    assert_string_equal(labels_of(&m), "first Work More");
    /* With the vendor's own mark already its head is not asked. */
    in.flags = FLAG(MARK_VENDOR);
    in.raw = "X-Second: 1\r\n\r\n", in.len = 15;
    assert_int_equal(mail_message_add(&tx, &in, &m), 0);
    assert_string_equal(labels_of(&m), "first Work");
    in.flags = 0;
    assert_int_equal(mail_message_add(&tx, &in, &m), 0);
    assert_string_equal(labels_of(&m), "second Work");
    check_counters();
}

/* ---- imports ---- */

static void imported_labels_keep_to_the_policy(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *why;
    } all[] = {
        {"update mail_folder set hidden = 1 where id & 16777215 >= 64", "labels alone"},
        {"update mail_folder set kind = 2 where id & 16777215 >= 64", "labels alone"},
        {"update mail_folder set kind = 1 where id & 16777215 >= 64", "labels alone"},
        {"update mail_folder set parent = (select min(id) from mail_folder f where f.mailbox = "
         "mail_folder.mailbox) where id & 16777215 >= 64",
         "labels alone"},
        {"update mail_folder set parent = (select min(id) from mail_folder f where f.mailbox = "
         "mail_folder.mailbox) where id & 16777215 = 1",
         "is at the top"},
        {"insert into mail_folder (id, mailbox, name, fold, kind, hidden) select mailbox << 24 | "
         "15, mailbox, 'x', 'x', 1, 0 from mail_folder limit 1",
         "does not have"},
        {"update mail_message set flags = flags | (1 << 14)", "does not have"},
        {"update mail_message set folder = 1", "does not have"},
    };
    const struct mailbox bob = box("bob");
    struct mail_folder work = {.mailbox = bob.id, .name = "Work"};
    uint64_t world;
    assert_int_equal(mail_folder_add(&tx, &work), 0);
    letter("one");
    mail_end();
    assert_int_equal(test_import_changed(NULL, &world), 0);
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        if (test_import_changed(all[i].sql, &world) == 0)
            fail_msg("taken: %s", all[i].sql);
        is_in(test_err.text, all[i].why);
    }
    /* Those of every mailbox may be hidden, and of any kind. */
    assert_int_equal(test_import_changed("update mail_folder set hidden = 1 where id & 16777215 "
                                         "< 64",
                                         &world),
                     0);
    mail_begin();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_tags, mail_close_world)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(labels_are_in_no_tree),
        TEST(numbers_of_labels_are_used_once),
        TEST(documents_have_a_vendors_members),
        TEST(an_inbox_with_a_note_is_dumped_without_messages),
        TEST(a_vendor_is_notified_of_calendar_objects),
        TEST(large_calendar_objects_are_only_mail),
        TEST(the_uid_of_an_event_is_read_from_a_message),
        TEST(a_vendor_is_notified_of_letters_to_groups),
        TEST(rules_may_be_asked_in_another_way),
        TEST(a_rule_puts_in_and_takes_out),
        TEST(what_is_put_in_keeps_its_places),
        TEST(imported_labels_keep_to_the_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
