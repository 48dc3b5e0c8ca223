/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A story of mailboxes in use, without a dialect, once for each of two vendors: what people and
 * programs do with their mail, what each step changes in everybody's mailbox, and how it is shown.
 */
#include "engine/world/engine.h"
#include "services/mail/core/show.h"
#include "tests/services/mail/core/mail_steps.h"
#include "tests/support/story.h"
#include "tests/support/survey.h"
#include "tests/support/unit.h"
#include <stdio.h>

static const char *const names[] = {"ada", "bob", "cyd"};

static const char RESPONDERS[] =
    "mailResponders:\n"
    "  - id: agrees\n"
    "    as: cyd@acme.example\n"
    "    when: {from: [ada@acme.example], to: [cyd@acme.example], subject: 'offer (\\w+)', "
    "text: 'until (\\w+)'}\n"
    "    delay: 60\n"
    "    times: 2\n"
    "    do:\n"
    "      - reply: {text: '${name}, ${1} is fine.', all: true}\n"
    "      - wait: 30\n"
    "      - forward: {to: [bob@acme.example], text: for you}\n"
    "      - send: {to: [dan@far.example], cc: [bob@acme.example], subject: 'New: ${subject}', "
    "text: 'see ${from}', html: '<p>see</p>'}\n"
    "  - id: any\n"
    "    as: cyd@acme.example\n"
    "    when: {subject: nobody}\n"
    "    do:\n"
    "      - reply: {subject: Own, html: '<b>x</b>'}\n"
    "      - send: {to: [], text: 'to none'}\n"
    "      - send: {to: [bob@acme.example], text: never}\n";

static void step_later(const char *what, int64_t seconds)
{
    mail_state();
    check_counters();
    mail_end();
    story_dump(test_engine, test_world);
    test_advance(seconds);
    mail_begin();
    story_say("== %s", what);
}

static void step(const char *what)
{
    step_later(what, 60);
}

static void seen_invitation(const struct actor *who, const struct invitation *in)
{
    story_say("  invitation to %s: %zu bytes%s%s%s", who->email, in->len, in->asked ? " asked" : "",
              in->known ? " known" : "", in->sent ? " sent" : "");
}

/* ---- steps ---- */

static void send_from(const char *who, const char *text)
{
    struct mailbox mb = box(who);
    struct mail_message m;
    const char *raw = crlf(text);
    const struct mail_send in = {.from = &mb, .raw = raw, .len = strlen(raw)};
    mail_result(mail_send(&tx, &in, &m));
}

#define PARTS                                                                                      \
    "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: "          \
    "multipart/alternative; boundary=c\n\n--c\nContent-Type: text/plain; charset=utf-8\n\n"        \
    "Read the plans at https://files/plans please.\n--c\nContent-Type: text/html\n\n<p>Read "      \
    "<a href=\"https://videos/1\">this</a> &amp; that.</p>\n--c--\n--b\nContent-Type: text/csv; "  \
    "name=a.csv\nContent-Disposition: attachment; filename=a.csv\nContent-Transfer-Encoding: "     \
    "base64\n\nYSxiCjEsMgo=\n--b\nContent-Type: image/png\nContent-ID: <logo>\n"                   \
    "Content-Disposition: inline\nContent-Transfer-Encoding: quoted-printable\n\n=89PNG\n--b\n"    \
    "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nBEGIN:VEVENT\n"               \
    "UID:u-1@acme\n END\nEND:VEVENT\nEND:VCALENDAR?\n--b\nContent-Type: message/rfc822\n\n"        \
    "Subject: Within\nContent-Type: text/calendar\n\nBEGIN:VCALENDAR\nEND:VCALENDAR\n--b--\n"

static void sending(void)
{
    step("ada writes to everybody");
    send_from("ada", "To: bob@acme.example, Cyd <cyd@acme.example>\nCc: all@acme.example\nBcc: "
                     "out@far.example\nMessage-ID: <one@acme>\nSubject: Plans\nDate: Mon, 23 Nov "
                     "2026 08:00:00 +0000\n\nRead https://files/plansspreadsheet and "
                     "http://videos/2\n");
    step("bob answers");
    send_from("bob", "To: ada@acme.example\nSubject: Re: Plans\nIn-Reply-To: <one@acme>\n"
                     "References: <one@acme>\nMessage-ID: <two@acme>\nImportance: low\n\nYes.\n");
    step("of the same subject, and of none");
    send_from("bob", "To: ada@acme.example\nSubject: Re: plans\n\nNo reference.\n");
    send_from("cyd", "To: ada@acme.example\nSubject: Re: Plans\nReferences: <none@acme>\n\nElse\n");
    send_from("ada", "To: ada@acme.example\n\nTo myself, without a subject.\n");
    step("what is refused");
    send_from("ada", "Subject: to nobody\n\nx\n");
    send_from("ada", "To: not an address\nSubject: wrong\n\nx\n");
    send_from("ada", "To: zed@acme.example, zoe@acme.example\nSubject: no such person\n\nx\n");
    send_from("ada", "To: bob+tag@acme.example\nCc: BOB@acme.example\nSubject: once\n\nx\n");
    step("with parts");
    send_from("ada", "From: Ada <ada@acme.example>\nTo: bob@acme.example\nSubject: Parts\n" PARTS);
    step("a list, a report and priorities");
    send_from("ada", "To: cyd@acme.example\nSubject: list\nList-Id: <l.acme.example>\n"
                     "X-Priority: 5\nReturn-Receipt-To: ada@acme.example\n\nx\n");
    send_from("ada", "To: cyd@acme.example\nSubject: urgent\nPriority: urgent\n"
                     "Disposition-Notification-To: ada@acme.example\n\nx\n");
    step("letters of the world");
    struct letter l = {.from = "cal@acme.example",
                       .from_name = "Calendar",
                       .to = "ada@acme.example,out@far.example,zed@acme.example",
                       .subject = "Invitation",
                       .text = "Come\n<here>",
                       .calendar = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
                       .method = "REQUEST"};
    mail_result(letter_send(&tx, &l));
    l.settled = l.no_file = true;
    l.html = "<p>Come</p>", l.method = NULL, l.to = "bob@acme.example";
    mail_result(letter_send(&tx, &l));
    struct mail_carry carry = {.sender = "far@far.example",
                               .raw = crlf("From: far@far.example\nBcc: x@acme.example\nSubject: "
                                           "far\n\nx\n"),
                               .to = (const char *const[]){"bob@acme.example", "zed@acme.example"},
                               .n_to = 2};
    carry.len = strlen(carry.raw);
    mail_result(mail_carry(&tx, &carry));
    carry.hops = MAIL_MAX_HOPS;
    mail_result(mail_carry(&tx, &carry));
    carry.hops = 0, carry.sender = "", carry.not_to = box("bob").id;
    mail_result(mail_carry(&tx, &carry));
    step("and taken from a message");
    struct mailbox bob = box("bob");
    const char *raw = crlf("Subject: x\n" PARTS);
    mail_result(mail_take_invitations(&tx, &bob, raw, strlen(raw)));
}

/* The nth message of a mailbox with a subject, the newest first. */
static struct mail_message of(const char *who, const char *subject)
{
    for (size_t i = 0; i < count_of(who); i++) {
        struct mail_message m = newest(who, i);
        if (strcmp(mail_subject_of(&m), subject) == 0)
            return m;
    }
    fail_msg("%s has no message %s", who, subject);
    return (struct mail_message){0};
}

static void modify(const char *who, const char *subject, const char *add, const char *remove)
{
    struct mail_message m = of(who, subject);
    struct mail_folder f;
    int64_t plus[1], minus[1];
    size_t n_plus = 0, n_minus = 0;
    if (*add)
        plus[n_plus++] = mail_folder_by_name(&tx, m.mailbox, 0, add, &f) == 1 ? f.id : 7;
    if (*remove)
        minus[n_minus++] = mail_folder_by_name(&tx, m.mailbox, 0, remove, &f) == 1 ? f.id : 7;
    mail_result(mail_message_modify(&tx, &m, plus, n_plus, minus, n_minus));
}

static void filing(void)
{
    struct mailbox bob = box("bob"), ada;
    struct mail_message m, copy;
    struct mail_folder f;
    size_t left;
    step("folders");
    bob = box("bob");
    struct mail_folder work = make_folder(&bob, 0, "Work"), sub = make_folder(&bob, work.id, "Sub");
    make_folder(&bob, 0, "Other");
    f = (struct mail_folder){.mailbox = bob.id, .kind = KIND_KEYWORD, .name = "key"};
    mail_result(mail_folder_add(&tx, &f));
    static const char *const bad[] = {"", "work",
                                      "a\x01"
                                      "b",
                                      "inbox"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        f = (struct mail_folder){.mailbox = bob.id, .kind = KIND_FOLDER, .name = bad[i]};
        mail_result(mail_folder_add(&tx, &f));
    }
    step("filed and marked");
    modify("bob", "Plans", "Work", "");
    modify("bob", "Plans", "flagged", "unseen");
    modify("bob", "Parts", "key", "");
    modify("bob", "Parts", "none", "");
    modify("bob", "once", "", "unseen");
    modify("bob", "once", "", "unseen");
    modify("bob", "once", "trash", "");
    modify("bob", "once", "junk", "");
    modify("bob", "once", "inbox", "");
    step("a copy");
    bob = box("bob");
    m = of("bob", "Parts");
    mail_result(mail_folder_by_name(&tx, bob.id, 0, "Other", &f));
    mail_result(mail_message_copy(&tx, &bob, &m, f.id, &copy));
    step("moved into a folder of a folder");
    bob = box("bob");
    mail_result(mail_folder_by_name(&tx, bob.id, 0, "Work", &work));
    mail_result(mail_folder_by_name(&tx, bob.id, work.id, "Sub", &sub));
    m = of("bob", "Plans");
    mail_result(mail_messages_move(&tx, &m, 1, sub.id));
    step("folders change");
    bob = box("bob");
    mail_result(mail_folder_by_name(&tx, bob.id, 0, "Other", &f));
    struct mail_folder to = f;
    to.name = "Renamed", to.hidden = true, to.parent = 0;
    mail_result(mail_folder_save(&tx, &f, &to, false));
    f = to;
    to.name = "Work";
    mail_result(mail_folder_save(&tx, &f, &to, true));
    mail_result(mail_folder_by_name(&tx, bob.id, 0, "inbox", &f));
    to = f;
    to.name = "x";
    mail_result(mail_folder_save(&tx, &f, &to, false));
    step("discarded and deleted");
    m = of("bob", "once");
    mail_result(mail_messages_discard(&tx, &m, 1, &left));
    m = of("ada", "Re: plans");
    mail_result(mail_messages_discard(&tx, &m, 1, &left));
    mail_result(mail_messages_discard(&tx, &m, 1, &left));
    struct mail_message two[] = {of("cyd", "list"), of("cyd", "urgent")};
    mail_result(mail_messages_delete(&tx, two, 2));
    step("a folder goes");
    bob = box("bob");
    mail_result(mail_folder_by_name(&tx, bob.id, 0, "Work", &work));
    mail_result(mail_folder_delete(&tx, &work));
    step("put into a mailbox");
    ada = box("ada");
    const char *raw = crlf("From: x@far.example\nSubject: Put\nMessage-ID: <put@far>\n\nx\n");
    struct mail_message_new in = {.mailbox = &ada,
                                  .raw = raw,
                                  .len = strlen(raw),
                                  .flags = FLAG(FOLDER_INBOX) | FLAG(KEYWORD_UNSEEN),
                                  .at_s = 1700000000,
                                  .incoming = true};
    mail_result(mail_message_add(&tx, &in, &m));
    in.key = m.key, in.at_s = INT64_MIN, in.incoming = false;
    mail_result(mail_message_add(&tx, &in, &m));
    in.key = 77, in.thread = m.thread_key, in.alone = true;
    mail_result(mail_message_add(&tx, &in, &m));
    in.key = 0, in.thread = 12345;
    mail_result(mail_message_add(&tx, &in, &m));
    in.joins = in.renames = true, in.quiet = true;
    mail_result(mail_message_add(&tx, &in, &m));
    in.n_folders = 1, in.folders = &bob.id;
    mail_result(mail_message_add(&tx, &in, &m));
    struct mail_message *list;
    size_t n;
    mail_result(mail_message_id_taken(&tx, "<put@far>"));
    mail_result(mail_message_id_taken(&tx, "put"));
    mail_result(mail_message_by_message_id(&tx, ada.id, "put@far", &list, &n));
    story_say("  with that id: %zu", n);
    mail_result(mail_message_get(&tx, ada.id, 77, &m));
    mail_result(mail_message_get(&tx, ada.id, 78, &m));
}

static void drafts(void)
{
    struct mail_draft d, is;
    struct mail_message m;
    step("a draft");
    struct mailbox ada = box("ada");
    const char *raw = crlf("To: bob@acme.example\nSubject: draft\n\ntext\n");
    struct mail_message_new in = {
        .mailbox = &ada, .raw = raw, .len = strlen(raw), .at_s = INT64_MIN};
    mail_result(mail_draft_add(&tx, &in, 0, &d));
    struct mail_draft other;
    const struct mail_message_new kept = {
        .mailbox = &ada, .raw = "Subject: kept\r\n\r\n", .len = 17, .at_s = INT64_MIN};
    mail_result(mail_draft_add(&tx, &kept, 0, &other));
    mail_result(mail_draft_add(&tx, &in, 99, &other));
    mail_result(mail_draft_get(&tx, ada.id, 99, &is));
    mail_result(mail_draft_get(&tx, ada.id, 98, &is));
    step("is saved");
    ada = box("ada");
    mail_result(mail_draft_get(&tx, ada.id, 99, &d));
    in.raw = crlf("To: cyd@acme.example\nSubject: better\n\ntext and more\n");
    in.len = strlen(in.raw);
    mail_result(mail_draft_save(&tx, &d, &in));
    in.thread = of("ada", "Put").thread_key, in.joins = true;
    mail_result(mail_draft_save(&tx, &d, &in));
    step("is sent");
    ada = box("ada");
    mail_result(mail_draft_get(&tx, ada.id, 99, &d));
    struct buf b;
    buf_init(&b, 0);
    mail_result(mail_message_raw(&tx, &d.message, &b));
    const char *head = "To: cyd@acme.example\r\nSubject: other head\r\n\r\n";
    const struct mail_send send = {.from = &ada,
                                   .raw = buf_str(&b),
                                   .len = b.len,
                                   .head = head,
                                   .head_len = strlen(head),
                                   .draft = &d};
    mail_result(mail_send(&tx, &send, &m));
    buf_done(&b);
    step("the other one is deleted");
    m = of("ada", "draft");
    assert_int_equal(mail_draft_of_message(&tx, &m, &d), 1);
    mail_result(mail_draft_delete(&tx, &d));
}

/* ---- large parts, rules ---- */

/* A file of so many bytes in lines of base64 of such a length, and a text behind it. */
static void send_file(size_t lines, int line, const char *end, const char *subject)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b,
               "To: bob@acme.example\nSubject: %s\nMIME-Version: 1.0\nContent-Type: "
               "multipart/mixed; boundary=b\n\n--b\n\ntext\n--b\nContent-Type: "
               "application/x; name=f\nContent-Disposition: attachment; filename=f\n"
               "Content-Transfer-Encoding: base64\n\n",
               subject);
    for (size_t i = 0; i < lines; i++) {
        for (int k = 0; k < line; k++)
            buf_byte(&b, (char)('A' + (i + (size_t)k) % 26));
        buf_byte(&b, '\n');
    }
    buf_printf(&b, "%s--b--\n", end);
    send_from("ada", buf_str(&b));
    buf_done(&b);
    struct mail_message m = newest("bob", 0);
    struct mail_message_body body;
    mail_result(mail_message_open(&tx, &m, &body));
    static const size_t at[] = {0, 1, 300, 301, 377, 5000};
    buf_init(&b, 0);
    for (size_t i = 0; i < SOSIA_LEN(at); i++)
        for (size_t k = i; k < SOSIA_LEN(at); k++) {
            size_t to = at[k] < body.len ? at[k] : body.len;
            size_t from = at[i] < to ? at[i] : to;
            struct buf part;
            buf_init(&part, 0);
            mail_result(mail_content_range(&tx, &body, from, to, &part));
            buf_printf(&b, " %zu:%.3s", part.len, buf_str(&part));
            buf_done(&part);
        }
    for (char *p = b.data; p < b.data + b.len; p++)
        *p = *p == '\n' || *p == '\r' ? '|' : *p;
    story_say("  %zu bytes, own %zu:%s", body.len, body.own_len, buf_str(&b));
    buf_done(&b);
}

static void large(void)
{
    step("large files");
    send_file(60, 76, "", "lines of 76");
    send_file(60, 76, "QUJD\n", "with a shorter one");
    send_file(60, 75, "", "that are no base64");
    send_file(1, 4000, "", "one long line");
    send_file(3, 76, "", "small");
    send_file(60, 76, "", "lines of 76");
    step("one of them goes");
    struct mail_message m = of("bob", "small");
    mail_result(mail_message_delete(&tx, &m));
    m = of("bob", "one long line");
    mail_result(mail_message_delete(&tx, &m));
}

static void rule(size_t i, const char *word, const struct mail_act *acts, size_t n)
{
    static struct search questions[SOSIA_LEN(rules)];
    questions[i] = (struct search){.kind = SEARCH_PHRASE, .fields = FIELD_SUBJECT, .text = word};
    rules[i] = (struct mail_rule){&questions[i], acts, n, false};
    n_rules = i + 1;
}

static void rules_act(void)
{
    step("rules");
    struct mailbox bob = box("bob");
    struct mail_folder to = make_folder(&bob, 0, "Ruled");
    const struct mail_act
        copy[] = {{.kind = ACT_COPY, .folder = to.id},
                  {.kind = ACT_COPY, .folder = to.id + 9},
                  {.kind = ACT_FORWARD, .to = "cyd@acme.example"},
                  {.kind = ACT_FORWARD, .to = "cyd@acme.example"},
                  {.kind = ACT_FORWARD, .to = "cyd@acme.example", .attached = true}},
        mark[] = {{.kind = ACT_PROPERTY, .property = ASKED_IMPORTANCE, .value = 1},
                  {.kind = ACT_PROPERTY, .property = ASKED_INFERENCE, .value = 2},
                  {.kind = ACT_ADD, .folder = to.id},
                  {.kind = ACT_REMOVE, .folder = to.id},
                  {.kind = ACT_REMOVE, .folder = ID_OF(&bob, FOLDER_INBOX)},
                  {.kind = ACT_ADD, .folder = ID_OF(&bob, KEYWORD_FLAGGED)}},
        gone[] = {{.kind = ACT_DELETE}}, sorted[] = {{.kind = ACT_MOVE, .folder = to.id}};
    rule(0, "copied", copy, SOSIA_LEN(copy));
    rule(1, "marked", mark, SOSIA_LEN(mark));
    rule(2, "gone", gone, SOSIA_LEN(gone));
    rule(3, "sorted", sorted, SOSIA_LEN(sorted));
    send_from("ada", "From: Ada <ada@acme.example>\nTo: bob@acme.example\nSubject: copied\n\nx\n");
    send_from("ada", "To: bob@acme.example\nSubject: marked\nX-Second: 1\n\nx\n");
    send_from("ada", "To: bob@acme.example\nSubject: it is gone\n\nx\n");
    send_from("ada", "To: bob@acme.example\nSubject: sorted, copied, marked\n\nx\n");
    send_from("ada", "To: bob@acme.example\nSubject: as it is\n\nx\n");
    n_rules = 0;
    onward = (struct mail_onward){"cyd@acme.example", THEN_ARCHIVE};
    send_from("ada", "To: bob@acme.example\nSubject: onward\n\nx\n");
    onward = (struct mail_onward){0};
    step("a message joins a thread or does not");
    static const char *const heads[] = {
        "Subject: Re: Put\nReferences: <put@far>\n\nx\n", "Subject: Re: Put\n\nx\n",
        "Subject: Re: Put\nReferences: <else@far>\n\nx\n",
        "Subject: Put\nFrom: x@far.example\nTo: y@far.example\n\nx\n",
        "Subject: Other\nReferences: <put@far>\n\nx\n"};
    struct mailbox ada = box("ada");
    struct mail_message m, put = of("ada", "Put");
    for (size_t i = 0; i < SOSIA_LEN(heads); i++)
        for (int how = 0; how < 2; how++) {
            const char *raw = crlf(heads[i]);
            struct mail_message_new in = {.mailbox = &ada,
                                          .raw = raw,
                                          .len = strlen(raw),
                                          .flags = FLAG(FOLDER_INBOX),
                                          .thread = how ? put.thread_key : 0,
                                          .at_s = INT64_MIN};
            mail_result(mail_message_add(&tx, &in, &m));
        }
}

/* ---- lists ---- */

static void listed(const char *what, struct mail_list q)
{
    struct buf b;
    bool more = true;
    buf_init(&b, 0);
    for (int page = 0; more && page < 20; page++) {
        struct mail_message *list;
        size_t n;
        if (mail_list(&tx, &q, &list, &n, &more) < 0) {
            mail_result(-1);
            break;
        }
        for (size_t i = 0; i < n; i++)
            buf_printf(&b, " [%s]", mail_subject_of(&list[i]));
        if (n)
            q.before = list[n - 1].id;
        if (more)
            buf_puts(&b, " /");
    }
    story_say("  %s:%s", what, b.len ? buf_str(&b) : "");
    buf_done(&b);
}

static void asked(const char *who, const char *what, const struct search *q)
{
    struct mailbox mb = box(who);
    const struct search no = {.kind = SEARCH_NOT, .kids = &q, .n_kids = 1};
    for (size_t i = 0; i < 2; i++) {
        listed(arena_printf(tx.arena, "%s, %s%s", who, i ? "not " : "", what),
               (struct mail_list){.mailbox = mb.id, .query = i ? &no : q, .limit = 3});
        listed(arena_printf(tx.arena, "%s, threads, %s%s", who, i ? "not " : "", what),
               (struct mail_list){
                   .mailbox = mb.id, .query = i ? &no : q, .threads = true, .limit = 2});
    }
}

static void lists(void)
{
    step("what is no draft is where drafts are");
    modify("ada", "Invitation", "drafts", "");
    step("lists");
    for (size_t who = 0; who < SOSIA_LEN(names); who++) {
        const char *name = names[who];
        struct mailbox mb = box(name);
        const int64_t inbox = ID_OF(&mb, FOLDER_INBOX), unseen = ID_OF(&mb, KEYWORD_UNSEEN),
                      both[] = {inbox, unseen};
        struct mail_message first = newest(name, 0);
        listed(name, (struct mail_list){.mailbox = mb.id, .limit = 2});
        listed("in the inbox",
               (struct mail_list){.mailbox = mb.id, .folders = &inbox, .n_folders = 1, .limit = 2});
        listed("unseen in the inbox",
               (struct mail_list){.mailbox = mb.id, .folders = both, .n_folders = 2, .limit = 2});
        listed("not in the trash",
               (struct mail_list){.mailbox = mb.id,
                                  .without = FLAG(FOLDER_TRASH) | FLAG(FOLDER_SENT),
                                  .threads = true,
                                  .limit = 2});
        listed("drafts", (struct mail_list){.mailbox = mb.id, .drafts = true, .limit = 2});
#define ASK(what, ...) asked(name, what, &(struct search){__VA_ARGS__})
        ASK("a phrase", .kind = SEARCH_PHRASE, .fields = FIELDS_ANY, .text = "plans");
        ASK("of a body", .kind = SEARCH_PHRASE, .fields = FIELD_BODY, .text = "read the plans");
        ASK("of a file", .kind = SEARCH_PHRASE, .fields = FIELD_FILE, .text = "a.csv");
        ASK("of a list", .kind = SEARCH_PHRASE, .fields = FIELD_LIST, .text = "l.acme.example");
        ASK("from", .kind = SEARCH_ADDRESS, .fields = FIELD_FROM, .text = "bob@acme.example");
        ASK("to", .kind = SEARCH_ADDRESS, .fields = FIELD_TO | FIELD_CC,
            .text = "cyd@acme.example");
        ASK("delivered to", .kind = SEARCH_ADDRESS, .fields = FIELD_DELIVERED,
            .text = "bob+tag@acme.example");
        ASK("near", .kind = SEARCH_NEAR, .fields = FIELD_BODY, .text = "read", .text2 = "please",
            .distance = 6);
        ASK("a file", .kind = SEARCH_HAS, .bits = HAS_FILE);
        ASK("a link", .kind = SEARCH_HAS, .bits = HAS_DRIVE);
        ASK("a sheet", .kind = SEARCH_HAS, .bits = HAS_SPREADSHEET);
        ASK("a video", .kind = SEARCH_HAS, .bits = HAS_VIDEO | HAS_INVITE);
        ASK("a folder", .kind = SEARCH_FOLDER, .id = ID_OF(&mb, FOLDER_SENT));
        ASK("flags", .kind = SEARCH_FLAGS, .bits = FLAG(KEYWORD_UNSEEN));
        ASK("a size", .kind = SEARCH_SIZE, .from = 120, .to = 400);
        ASK("a date", .kind = SEARCH_DATE, .from = 0, .to = tx.now_us / 1000000 - 900);
        ASK("an id", .kind = SEARCH_MESSAGE_ID, .text = "<one@acme>");
        ASK("a thread", .kind = SEARCH_THREAD, .id = first.thread);
        ASK("importance", .kind = SEARCH_PROPERTY, .bits = ASKED_IMPORTANCE, .id = -1);
        ASK("high importance", .kind = SEARCH_PROPERTY, .bits = ASKED_IMPORTANCE, .id = 1);
        ASK("a flag", .kind = SEARCH_PROPERTY, .bits = ASKED_FLAG, .id = FLAG_SET);
    }
}

/* ---- as programs look at it ---- */

static void shown(const char *what,
                  int (*fn)(struct sosia_engine *, uint64_t, const struct mail_shown *,
                            struct sosia_blob *, struct sosia_err *),
                  struct mail_shown s)
{
    struct sosia_blob blob;
    if (fn(test_engine, test_world, &s, &blob, &test_err) < 0) {
        mail_result(-1);
        return;
    }
    story_say("  %s: %.3800s", what, (const char *)blob.data);
    sosia_blob_free(&blob);
}

static void shows(void)
{
    step("shown");
    struct mail_message parts = of("bob", "Parts"), again = of("bob", "far");
    const struct mailbox ada = box("ada");
    const int64_t inboxes[] = {ID_OF(&(struct mailbox){parts.mailbox}, FOLDER_INBOX),
                               ID_OF(&ada, FOLDER_INBOX), 1};
    const int64_t keys[] = {parts.key, again.key, 5},
                  inbox = ID_OF(&(struct mailbox){parts.mailbox}, FOLDER_INBOX);
    struct mail_message_body body;
    const char *uid = NULL, *text, *html;
    size_t n, html_n;
    mail_result(mail_message_open(&tx, &parts, &body));
    mail_result(mail_message_event_uid(&tx, &body, &uid));
    mail_result(mail_message_texts(&tx, &body, 12, &text, &n, &html, &html_n));
    story_say("  uid %s, text %.*s, html %.*s", uid ? uid : "-", (int)n, text, (int)html_n, html);
    for (int i = 0; i < body.mime.n; i++) {
        mail_result(mail_message_part_text(&tx, &body, i, &text, &n));
        story_say("  part %d: %zu bytes", i, n);
        mail_message_part_head(&body, i, &text, &n);
        story_say("  head of %zu bytes", n);
    }
    mail_end();
    static const char *const who[] = {"bob@acme.example", "ada@acme.example", "zed@acme.example"};
    for (size_t i = 0; i < SOSIA_LEN(who); i++) {
        shown("folders", mail_show_folders, (struct mail_shown){.actor = who[i]});
        shown("messages", mail_show_messages,
              (struct mail_shown){.actor = who[i], .folder = inboxes[i], .limit = 2, .offset = 1});
        shown("found", mail_show_messages,
              (struct mail_shown){
                  .actor = who[i], .folder = inboxes[i], .limit = 2, .text = "plans"});
    }
    shown("of another vendor", mail_show_folders,
          (struct mail_shown){.actor = who[0], .vendor = "none"});
    shown("of the vendor", mail_show_folders,
          (struct mail_shown){.actor = who[0], .vendor = vendor->name});
    shown("in a folder", mail_show_messages,
          (struct mail_shown){.actor = who[0], .folder = inbox, .limit = 1});
    shown("in the next page", mail_show_messages,
          (struct mail_shown){.actor = who[0], .folder = inbox, .limit = 100, .offset = 1});
    shown("in no folder", mail_show_messages,
          (struct mail_shown){.actor = who[0], .folder = 5, .limit = 1});
    for (size_t i = 0; i < SOSIA_LEN(keys); i++) {
        shown("message", mail_show_message, (struct mail_shown){.actor = who[0], .key = keys[i]});
        for (int part = 0; part < 9; part += 2) {
            struct mail_shown s = {.actor = who[0], .key = keys[i], .part = part};
            struct buf b;
            buf_init(&b, 0);
            int r = mail_show_part(test_engine, test_world, &s, &b, &test_err);
            mail_result(r);
            if (r == 0)
                story_say("  part %d: %s", part, buf_str(&b));
            buf_done(&b);
        }
    }
    mail_begin();
    static const char *const texts[] = {"plans", "read", "nothing", "bob"};
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        for (size_t limit = 1; limit < 9; limit += 7)
            survey_found(&tx, mail_found, texts[i], limit);
}

static void by_themselves(void)
{
    step("a responder");
    send_from("ada", "From: Ada <ada@acme.example>\nTo: cyd@acme.example, bob@acme.example\n"
                     "Subject: An offer today\nMessage-ID: <offer@acme>\nReferences: <x@acme>\n"
                     "Reply-To: Ada's <ada@acme.example>\n\nIt stands until Monday.\n");
    send_from("bob", "To: cyd@acme.example\nSubject: An offer\n\nuntil then\n");
    send_from("ada", "To: cyd@acme.example\nSubject: for nobody\n\nx\n");
    step("answers soon");
    mail_end();
    struct sosia_blob blob;
    assert_int_equal(sosia_world_dump(test_engine, test_world, &blob, &test_err), 0);
    story_say("a world of the dump");
    story_dump(test_engine, test_world_of(blob.data));
    sosia_blob_free(&blob);
    mail_begin();
    step("and then");
    step("at last");
    step("an automatic answer");
    auto_answer = (struct mail_auto_answer){.on = true,
                                            .subject = "Away",
                                            .text = "I am away",
                                            .html = "<i>away</i>",
                                            .pause_us = WEEK};
    send_from("ada", "To: bob@acme.example\nSubject: hello\n\nx\n");
    send_from("cyd", "To: bob@acme.example\nPrecedence: bulk\nSubject: bulk\n\nx\n");
    send_from("cyd", "To: bob@acme.example\nAuto-Submitted: auto-generated\nSubject: auto\n\nx\n");
    step("again within the pause, and to strangers");
    send_from("ada", "To: bob@acme.example\nSubject: hello again\n\nx\n");
    auto_answer.contacts = true;
    send_from("cyd", "To: bob@acme.example\nSubject: who is known\n\nx\n");
    auto_answer.domain = true, auto_answer.from_us = tx.now_us + 1;
    send_from("cyd", "To: bob@acme.example\nSubject: before it begins\n\nx\n");
    auto_answer.from_us = 0, auto_answer.to_us = tx.now_us;
    send_from("cyd", "To: bob@acme.example\nSubject: when it is over\n\nx\n");
    auto_answer = (struct mail_auto_answer){.on = false};
    struct mailbox bob = box("bob");
    mail_result(mail_answered_forget(&tx, &bob));
    struct mail_change *list;
    size_t n;
    bool more;
    for (unsigned kind = MAIL_ADDED; kind <= MAIL_PROPERTY; kind++) {
        mail_result(mail_changes(&tx, &bob, bob.floor, 1u << kind, 0, 1, &list, &n, &more));
        story_say("  of kind %u: %zu%s", kind, n, more ? " and more" : "");
    }
    step_later("a month later", 32 * 86400);
    bob = box("bob");
    mail_result(mail_changes(&tx, &bob, 1, 0, 0, 10, &list, &n, &more));
    mail_result(mail_changes(&tx, &bob, 1 << 30, 0, 0, 10, &list, &n, &more));
    step("the end");
}

static const char *const CHANGED[] = {
    NULL,
    "update mail_message set has = 1 << 20",
    "update mail_message set size = -1",
    "update mail_message set at = -1",
    "update mail_folder set parent = 12345 where id > 0",
    "update mail_change set thread = 0",
    "update mail_mailbox set floor = 0",
    "update mail_content set size = size + 1",
    "update mail_thread set messages = 77",
};

static void the_story_of_use(void **state_)
{
    (void)state_;
    char doc[4096];
    mail_end();
    snprintf(doc, sizeof doc,
             "sosia: 1\ntime: 2026-11-23T08:00:00Z\n"
             "organizations: [{domain: acme.example, name: Acme}]\n"
             "people:\n  - {email: ada@acme.example, name: Ada, aliases: [a@acme.example]}\n"
             "  - {email: bob@acme.example, name: Bob}\n  - {email: cyd@acme.example, name: Cyd}\n"
             "groups: [{email: all@acme.example, members: [bob@acme.example, cyd@acme.example]}]\n"
             "accounts:\n  - {actor: ada@acme.example, vendor: %s}\n"
             "  - {actor: bob@acme.example, vendor: %s}\n"
             "  - {actor: cyd@acme.example, vendor: %s}\n%s",
             vendor->name, vendor->name, vendor->name, RESPONDERS);
    test_use(doc);
    mail_begin();
    invitation_seen = seen_invitation;
    story_begin();
    events_seen = survey_events;
    sending();
    filing();
    drafts();
    large();
    rules_act();
    lists();
    shows();
    by_themselves();
    mail_end();
    events_seen = NULL;
    survey_diff(doc);
    survey_changed(CHANGED, SOSIA_LEN(CHANGED));
    story_end(vendor->exclusive ? "mail-use-folders" : "mail-use-labels");
    invitation_seen = NULL;
    mail_begin();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_story_of_use, open_world, mail_close_world)};
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        vendor = i ? &folders : &labels;
        rc |= cmocka_run_group_tests_name(vendor->name, tests, NULL, NULL);
    }
    return rc;
}
