/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stories of mailboxes as documents have them, once for each of two vendors: all that a document
 * may say of messages, folders and those who answer by rules, what it may not, and what becomes of
 * it. Questions are asked of each message by itself too, beside the index.
 */
#include "services/mail/core/index.h"
#include "tests/services/mail/core/mail_steps.h"
#include "tests/support/story.h"
#include "tests/support/survey.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

static const char PEOPLE[] =
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','organizations':[{'domain':'acme.example'}],"
    "'people':[{'email':'ada@acme.example','name':'Ada','zone':'Europe/Rome','aliases':["
    "'a@acme.example']},{'email':'bob@acme.example','name':'Bob'},"
    "{'email':'cyd@acme.example','name':'Cyd'}],"
    "'groups':[{'email':'all@acme.example','members':['bob@acme.example','cyd@acme.example']}],"
    "'accounts':[{'actor':'ada@acme.example','vendor':'%s'},{'actor':'bob@acme.example',"
    "'vendor':'%s'},{'actor':'cyd@acme.example','vendor':'%s'}],";

static const char MAIL[] =
    "'mailboxes':[{'person':'ada@acme.example','labels':[{'name':'Work','number':5}],'messages':["
    "{'id':'0000000000000011','thread':'t1','from':'J\xc3\xb6rg, Dr. <j@far.example>',"
    "'to':['ada@acme.example','O, P <o@far.example>'],'cc':'cyd@acme.example',"
    "'bcc':'b@far.example','replyTo':'r@far.example','subject':'Gr\xc3\xbc\xc3\x9f"
    "e','date':'2026-11-20T10:00','messageId':'<m1@far>','text':'Dear Ada,\\nread this.',"
    "'html':'<p>Dear <b>Ada</b></p>','headers':[{'name':'X-One','value':'1'},{'name':'X-Two'},"
    "{'name':'Precedence','value':'list'}],'attachments':[{'filename':'a.txt','text':'plain'},"
    "{'filename':'b.bin','type':'application/"
    "x','base64':'AAEC'},{'filename':'logo.png','inline':true,'type':"
    "'image/png','base64':'iVBORw==','cid':'logo'}],'importance':'high','inference':'focused',"
    "'flag':{'status':'flagged','from':'2026-11-21T00:00:00Z','due':'2026-11-24T00:00:00Z'}},"
    "{'thread':'t1','from':'ada@acme.example','to':'j@far.example','subject':'Re: it',"
    "'date':'2026-11-21','inReplyTo':'<m1@far>','references':'<m1@far>','text':'Yes.'},"
    "{'id':'0000000000000012','thread':'0000000000000011','from':'a@acme.example',"
    "'to':'j@far.example','subject':'By an alias','date':'2026-11-21T10:00:00+02:00',"
    "'received':'2026-11-21T09:00:30.5Z','text':'Mine.','flag':'complete'},"
    "{'raw':'From: x@far.example\\r\\nDate: Fri, 20 Nov 2026 12:00:00 +0100\\r\\nSubject: Raw\\r\\n"
    "List-Id: <l.far.example>\\r\\n\\r\\nhttps://files/plansdocument\\r\\n','labels':['inbox']},"
    "{'rawBase64':'U3ViamVjdDogY29kZWQNCg0K/w==','received':'2026-11-19T10:00:00Z'},"
    "{'id':'0000000000000013','draft':'7','from':'ada@acme.example','to':'bob@acme.example',"
    "'subject':'A draft','text':'not yet','labels':['drafts']},"
    "{'from':'\\\"O \\\\\\\"q\\\\\\\" \\\\\\\\ P\\\" "
    "<q@far.example>','to':['<bare@far.example>','Only"
    " words <w@far.example>'],'subject':'Quoted','text':'q'},"
    "{'raw':'From: a@x.example\\r\\nTo: b@x.example\\r\\nTo: c@x.example\\r\\n"
    "Date: Fri, 20 Nov 2026 12:00:00 +0000\\r\\nSubject: Two fields\\r\\n\\r\\nx\\r\\n'},"
    "{'raw':'Date: nonsense\\r\\nSubject: No date\\r\\n\\r\\nx\\r\\n'},"
    "{'raw':'Content-Language: en\\r\\nMIME-Version: 1.0\\r\\n"
    "Content-Type: text/plain; charset=utf-8\\r\\nX-A: =?utf-8?Q?=C3=A4?=\\r\\n"
    "Subject: A head\\r\\nDate: Fri, 20 Nov 2026 12:00:00 +0000\\r\\n"
    "Message-ID: <head@far>\\r\\n\\r\\nx\\r\\n'},"
    "{'raw':'From: F <f@far.example>\\r\\nDate: Fri, 20 Nov 2026 12:00:00 +0000\\r\\n"
    "Subject: Within\\r\\nMessage-ID: <within@far>\\r\\nMIME-Version: 1.0\\r\\n"
    "Content-Type: multipart/mixed; boundary=b\\r\\n\\r\\n--b\\r\\n"
    "Content-Type: multipart/alternative; boundary=c\\r\\n\\r\\n--c\\r\\n"
    "Content-Type: text/plain\\r\\n\\r\\ntext\\r\\n--c\\r\\nContent-Type: text/html\\r\\n"
    "\\r\\n<p>text</p>\\r\\n--c--\\r\\n--b\\r\\nContent-Type: text/plain; name=n.txt\\r\\n"
    "Content-Disposition: attachment; filename=n.txt\\r\\n\\r\\nfile\\r\\n--b--\\r\\n'},"
    "{'raw':'From: F <f@far.example>\\r\\nDate: Fri, 20 Nov 2026 12:00:00 +0000\\r\\n"
    "Subject: Texts\\r\\nMessage-ID: <texts@far>\\r\\nMIME-Version: 1.0\\r\\n"
    "Content-Type: multipart/mixed; boundary=b\\r\\n\\r\\n--b\\r\\n"
    "Content-Type: text/plain\\r\\n\\r\\none\\r\\n--b\\r\\nContent-Type: text/plain\\r\\n"
    "\\r\\ntwo\\r\\n--b\\r\\nContent-Type: text/html\\r\\n"
    "Content-Transfer-Encoding: base64\\r\\n\\r\\nPGI+\\r\\n--b--\\r\\n'},"
    "{'raw':'From: fab@far.example\\r\\nTo: ada@acme.example\\r\\n"
    "Date: Fri, 20 Nov 2026 12:00:00 +0000\\r\\nSubject: Invitation inbox\\r\\n"
    "Message-ID: <inv@far>\\r\\nMIME-Version: 1.0\\r\\n"
    "Content-Type: multipart/mixed; boundary=b\\r\\n\\r\\n--b\\r\\n"
    "Content-Type: text/calendar; method=REQUEST\\r\\n\\r\\nBEGIN:VCALENDAR\\r\\n"
    "END:VCALENDAR\\r\\n--b\\r\\nContent-Type: text/plain\\r\\n\\r\\ncome\\r\\n--b--\\r\\n"
    "','labels':['inbox']},"
    "{'raw':'From: fab@far.example\\r\\nTo: ada@acme.example\\r\\n"
    "Date: Fri, 20 Nov 2026 12:00:00 +0000\\r\\nSubject: Invitation sent\\r\\n"
    "Message-ID: <inv@far>\\r\\nMIME-Version: 1.0\\r\\n"
    "Content-Type: multipart/mixed; boundary=b\\r\\n\\r\\n--b\\r\\n"
    "Content-Type: text/calendar; method=REQUEST\\r\\n\\r\\nBEGIN:VCALENDAR\\r\\n"
    "END:VCALENDAR\\r\\n--b\\r\\nContent-Type: text/plain\\r\\n\\r\\ncome\\r\\n--b--\\r\\n"
    "','labels':['sent']},"
    "{'raw':'From: fab@far.example\\r\\nTo: ada@acme.example\\r\\n"
    "Date: Fri, 20 Nov 2026 12:00:00 +0000\\r\\nSubject: Invitation trash\\r\\n"
    "Message-ID: <inv@far>\\r\\nMIME-Version: 1.0\\r\\n"
    "Content-Type: multipart/mixed; boundary=b\\r\\n\\r\\n--b\\r\\n"
    "Content-Type: text/calendar; method=REQUEST\\r\\n\\r\\nBEGIN:VCALENDAR\\r\\n"
    "END:VCALENDAR\\r\\n--b\\r\\nContent-Type: text/plain\\r\\n\\r\\ncome\\r\\n--b--\\r\\n"
    "','labels':['trash']},"
    "{'from':'none of these','to':'not, an <address','subject':'wrong ones','text':'x',"
    "'importance':'low','inference':'other','flag':{'status':'complete','done':"
    "'2026-11-22T00:00:00Z'}}],'answered':[{'email':'J@far.example','at':'2026-11-22T10:00'},"
    "{'email':'odd@','at':'2026-11-22T10:00:00Z'},{'email':'now@far.example'}]},"
    "{'person':'bob@acme.example','folders':[{'name':'Projects','number':9,'kind':'folder'},{'name'"
    ":'Rome',"
    "'parent':'Projects','hidden':true},{'name':'red','kind':'keyword'},{'name':'inbox'}],"
    "'messages':[{'from':'cyd@acme.example','to':'bob@acme.example','subject':'In a folder',"
    "'text':'words of a folder',%s},"
    "{'from':'cyd@acme.example','to':'bob@acme.example','subject':'Twice','text':'x',%s}]}],"
    "'mail':[{'from':'cyd@acme.example','to':['all@acme.example','ada@acme.example',"
    "'far@far.example'],'bcc':'bob@acme.example','subject':'To all','text':'all of you',"
    "'date':'2026-11-22T10:00:00Z','labels':{'ada@acme.example':['inbox','flagged'],'cyd@acme."
    "example':"
    "['inbox','unseen']}},{'from':'Far <far@far.example>','to':'ada@acme.example','subject':'From "
    "far'}],"
    "'mailResponders':[{'id':'one','as':'cyd@acme.example','when':{'from':['ada@acme.example'],"
    "'subject':'a (.+)'},'do':[{'reply':{'text':'${1}?'}}],'delay':5,'times':3,'refused':'x',"
    "'under_way':[{'at':'2026-11-23T08:10:00Z','do':[{'send':{'to':'ada@acme.example',"
    "'subject':'Later','text':'it is later'}},{'wait':60},{'send':{'to':'bob@acme.example',"
    "'cc':'ada@acme.example','subject':'Last','html':'<p>last</p>','inReplyTo':'<m1@far>'}}]}]},"
    "{'id':'two','as':'cyd@acme.example','when':{'subject':'own'},'do':[{'reply':{'text':'mine'}}]}"
    "]";

static void next_step(const char *what, int64_t seconds)
{
    char *called = strdup(what); /* it may be in the arena of what ends here */
    survey_plain(&tx, &mail_core);
    check_counters();
    mail_end();
    story_dump(test_engine, test_world);
    test_advance(seconds);
    mail_begin();
    story_say("== %s", called);
    free(called);
}

/* ---- questions ---- */

static const struct search_text *no_text(void)
{
    static struct search_text none;
    for (size_t k = 0; k < INDEX_COLUMNS; k++)
        none.columns[k] = "";
    return &none;
}

/* What the index finds, and what is found by looking at each message of the mailbox. */
static void asked(const char *who, const char *what, const struct search *q)
{
    const struct mailbox mb = box(who);
    const struct mail_list all = {.mailbox = mb.id, .limit = 100},
                           some = {.mailbox = mb.id, .limit = 100, .query = q};
    struct mail_message *list, *found;
    size_t n, n_found;
    bool more;
    struct buf b;
    buf_init(&b, 0);
    mail_result(mail_list(&tx, &some, &found, &n_found, &more));
    for (size_t i = 0; i < n_found; i++)
        buf_printf(&b, " [%s]", mail_subject_of(&found[i]));
    mail_result(mail_list(&tx, &all, &list, &n, &more));
    for (size_t i = 0; i < n; i++) {
        const char *id = header_of(&list[i], "Message-ID");
        struct mail_property p;
        struct mail_facts facts = {.message = &list[i], .text = no_text(), .message_id = id};
        int64_t *ids;
        size_t n_ids, own = 0;
        assert_int_equal(mail_message_folders(&tx, &list[i], &ids, &n_ids), 0);
        for (size_t k = 0; k < n_ids; k++)
            if (!mail_folder_is_fixed(ids[k]))
                ids[own++] = ids[k];
        facts.folders = ids, facts.n_folders = own;
        mail_result(mail_property_get(&tx, &list[i], &p));
        facts.property = &p;
        int r = mail_matches(&tx, q, &facts);
        assert_true(r >= 0);
        if (r)
            buf_printf(&b, " =%zu", i);
    }
    story_say("  %s, %s:%s", who, what, b.len ? buf_str(&b) : "");
    buf_done(&b);
}

static void questions(void)
{
    static const char *const names[] = {"ada", "bob", "cyd"};
    for (size_t who = 0; who < SOSIA_LEN(names); who++) {
        const struct mailbox mb = box(names[who]);
        const struct mail_message first = newest(names[who], 0);
        struct mail_folder own = {0};
        if (mail_folder_by_name(&tx, mb.id, 0, who ? "Projects" : "Work", &own) != 1)
            own.id = mail_folder_id(mb.id, 200);
#define ASK(what, ...) asked(names[who], what, &(struct search){__VA_ARGS__})
        ASK("inbox", .kind = SEARCH_FOLDER, .id = ID_OF(&mb, FOLDER_INBOX));
        ASK("sent", .kind = SEARCH_FOLDER, .id = ID_OF(&mb, FOLDER_SENT));
        ASK("own", .kind = SEARCH_FOLDER, .id = own.id);
        ASK("own folders", .kind = SEARCH_FLAGS, .bits = FLAG_OWN_FOLDERS);
        ASK("unseen", .kind = SEARCH_FLAGS, .bits = FLAG(KEYWORD_UNSEEN));
        ASK("unseen in the inbox", .kind = SEARCH_FLAGS,
            .bits = FLAG(KEYWORD_UNSEEN) | FLAG(FOLDER_INBOX));
        for (int64_t from = 0; from < 2000; from += from ? from : 128)
            for (int64_t to = from + 1; to < 5000; to *= 4)
                ASK(arena_printf(tx.arena, "%lld to %lld bytes", (long long)from, (long long)to),
                    .kind = SEARCH_SIZE, .from = from, .to = to);
        ASK("of its size", .kind = SEARCH_SIZE, .from = first.size, .to = first.size + 1);
        ASK("smaller", .kind = SEARCH_SIZE, .from = 0, .to = first.size);
        ASK("huge", .kind = SEARCH_SIZE, .from = 1000, .to = INT64_MAX);
        ASK("of its date", .kind = SEARCH_DATE, .from = first.at_s, .to = first.at_s + 1);
        ASK("before", .kind = SEARCH_DATE, .from = 0, .to = first.at_s);
        ASK("its thread", .kind = SEARCH_THREAD, .id = first.thread);
        ASK("id", .kind = SEARCH_MESSAGE_ID, .text = " <m1@far>");
        ASK("id without brackets", .kind = SEARCH_MESSAGE_ID, .text = "m1@far");
        ASK("a longer id", .kind = SEARCH_MESSAGE_ID, .text = "<m1@farther>");
        for (int property = ASKED_IMPORTANCE; property <= ASKED_INFERENCE; property++)
            for (int64_t value = -1; value < 3; value++)
                if (value)
                    ASK(arena_printf(tx.arena, "property %d is %lld", property, (long long)value),
                        .kind = SEARCH_PROPERTY, .bits = (unsigned)property, .id = value);
        ASK("words", .kind = SEARCH_PHRASE, .fields = FIELDS_ANY, .text = "dear ada");
        ASK("a list", .kind = SEARCH_PHRASE, .fields = FIELD_LIST, .text = "l.far.example");
        ASK("replies", .kind = SEARCH_ADDRESS, .fields = FIELD_REPLY, .text = "r@far.example");
        ASK("file", .kind = SEARCH_PHRASE, .fields = FIELD_FILE, .text = "logo.png");
        ASK("has a file", .kind = SEARCH_HAS, .bits = HAS_FILE);
        ASK("a document", .kind = SEARCH_HAS, .bits = HAS_DOCUMENT);
        static const struct search none[] = {{.kind = SEARCH_PROPERTY, .bits = 9, .id = 1},
                                             {.kind = SEARCH_MESSAGE_ID},
                                             {.kind = SEARCH_FOLDER, .id = 40}};
        for (size_t i = 0; i < SOSIA_LEN(none); i++)
            mail_result(mail_matches(&tx, &none[i],
                                     &(struct mail_facts){.message = &first, .text = no_text()}));
    }
}

/* ---- threads, messages ---- */

static void threads(void)
{
    static const char *const names[] = {"ada", "bob"};
    for (size_t who = 0; who < SOSIA_LEN(names); who++) {
        const struct mailbox mb = box(names[who]);
        for (size_t i = 0; i < count_of(names[who]); i++) {
            const struct mail_message m = newest(names[who], i);
            struct mail_thread t;
            struct mail_message *list;
            struct mail_message_body body;
            size_t n;
            assert_int_equal(mail_thread_by_id(&tx, m.thread, &t), 1);
            mail_result(mail_thread_messages(&tx, &t, &list, &n));
            mail_result(mail_message_open(&tx, &m, &body));
            story_say("  %s [%s]: one of %zu, first [%s], %d parts", names[who],
                      mail_subject_of(&m), n, n ? mail_subject_of(&list[0]) : "", body.mime.n);
        }
        int64_t key;
        static const int64_t at[] = {-5, 0, 1763000000, INT64_MAX};
        for (size_t i = 0; i < SOSIA_LEN(at); i++) {
            mail_result(mail_message_key(&tx, mb.id, at[i], &key));
            if (vendor == &labels)
                story_say("  a key: %llx", (unsigned long long)key);
        }
    }
}

/* Copies of a letter have one content, and so have letters that say the same. */
static void contents(void)
{
    static struct sql_text q = SQL_TEXT("select count(*) from mail_content where id > :none");
    int64_t n;
    assert_int_equal(TX_INT(&tx, &q, &n, 0), 1);
    story_say("  %lld contents", (long long)n);
}

/* Everybody's changes, with the keys that they are of. */
static void feeds(void)
{
    static const char *const names[] = {"ada", "bob", "cyd"};
    for (size_t who = 0; who < SOSIA_LEN(names); who++) {
        const struct mailbox mb = box(names[who]);
        struct mail_change *list;
        bool more;
        size_t n;
        mail_result(mail_changes(&tx, &mb, mb.floor, 0, 0, 1000, &list, &n, &more));
        for (size_t i = 0; i < n; i++)
            story_say("  %s %lld: kind %d, %llx of %llx, %zu folders, %zu now, %lld to %lld",
                      names[who], (long long)list[i].number, list[i].kind,
                      (unsigned long long)list[i].key, (unsigned long long)list[i].thread_key,
                      list[i].n_folders, list[i].n_now,
                      (long long)mail_folder_place(list[i].folder_before),
                      (long long)mail_folder_place(list[i].folder));
    }
}

static void seen_invitation(const struct actor *who, const struct invitation *in)
{
    story_say("  invitation to %s: %zu bytes%s%s%s", who->email, in->len, in->asked ? " asked" : "",
              in->known ? " known" : "", in->sent ? " sent" : "");
}

/* What somebody answers who does not have the event yet is looked for in what they answer. */
static void answered_invitations(void)
{
    contents();
    for (int i = 0; i < 2; i++)
        send_as("ada", "To: bob@acme.example, cyd@acme.example\nSubject: the same\n\nthe very same "
                       "words\n");
    contents();
    static const char *const heads[] = {"In-Reply-To: <inv@far>\n",
                                        "References: <no@far> <inv@far>\n",
                                        "References: <within@far>\n", ""};
    for (size_t i = 0; i < SOSIA_LEN(heads); i++)
        for (int missing = 0; missing < 2; missing++)
            send_as("ada", arena_printf(tx.arena,
                                        "To: fab@far.example\nSubject: Accepted %zu\n%s"
                                        "MIME-Version: 1.0\nContent-Type: text/calendar; "
                                        "method=REPLY\n\nBEGIN:VCALENDAR\nEND:VCALENDAR%s",
                                        i, heads[i], missing ? "?" : "\n"));
}

/* ---- what bob's mailbox does by itself ---- */

static void comes(const char *sender, const char *fields, const char *subject)
{
    const char *raw = crlf(arena_printf(
        tx.arena, "From: %s\nTo: bob@acme.example\nSubject: %s\n%s\nx\n", sender, subject, fields));
    const struct mail_carry in = {.sender = sender,
                                  .raw = raw,
                                  .len = strlen(raw),
                                  .to = (const char *const[]){"bob@acme.example"},
                                  .n_to = 1};
    mail_result(mail_carry(&tx, &in));
}

static void by_itself(void)
{
    static const char *const senders[] = {
        "x@far.example",       "owner-l@far.example",       "l-request@far.example",
        "request@far.example", "mailer-daemon@far.example", "postmaster@far.example",
        "noreply@far.example", "no-reply@far.example",      "donotreply@far.example",
        "ada@acme.example",    "bob@acme.example"};
    static const char *const fields[] = {"",
                                         "List-Id: <l.far.example>\n",
                                         "List-Post: <mailto:l@far.example>\n",
                                         "List-Unsubscribe: <mailto:l@far.example>\n",
                                         "X-Autoreply: yes\n",
                                         "X-Autorespond: yes\n",
                                         "Auto-Submitted: no\n",
                                         "Auto-Submitted: auto-replied\n",
                                         "Precedence: bulk\n",
                                         "Precedence: list\n",
                                         "Precedence: junk\n",
                                         "Precedence: first-class\n"};
    next_step("whom an automatic answer goes to", 60);
    auto_answer = (struct mail_auto_answer){.on = true, .subject = NULL, .text = "Away"};
    for (size_t i = 0; i < SOSIA_LEN(senders); i++)
        comes(senders[i], "", arena_printf(tx.arena, "from %s", senders[i]));
    for (size_t i = 0; i < SOSIA_LEN(fields); i++)
        comes("y@far.example", fields[i], arena_printf(tx.arena, "Re: field %zu", i));
    comes("z@far.example", "Cc: a@acme.example\n", "with a copy");
    next_step("to strangers, or to colleagues alone", 60);
    auto_answer.domain = true;
    comes("w@far.example", "", "from outside");
    comes("cyd@acme.example", "", "from within");
    auto_answer = (struct mail_auto_answer){
        .on = true, .apart = true, .apart_contacts = true, .text = "In", .subject = "S"};
    comes("v@far.example", "", "a stranger");
    comes("ada@acme.example", "", "a colleague");
    auto_answer = (struct mail_auto_answer){.on = false};
    for (int then = 0; then <= THEN_READ; then++) {
        next_step(arena_printf(tx.arena, "all goes on, then %d", then), 60);
        onward = (struct mail_onward){"cyd@acme.example", (enum mail_forward_then)then};
        comes("x@far.example", "", "goes on");
        comes("x@far.example", "Delivered-To: CYD@acme.example\n", "came from there");
        onward = (struct mail_onward){"dan@far.example", (enum mail_forward_then)then};
        comes("x@far.example", "", "may not");
        onward = (struct mail_onward){0};
    }
}

/* Names and letters that are too long, or none. */
static void limits(void)
{
    static const char *const bad[] = {"", "a\x7f", "a\nb", "\xff", NULL};
    struct mailbox bob;
    struct buf b;
    next_step("limits", 60);
    bob = box("bob");
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        struct mail_folder f = {.mailbox = bob.id, .kind = KIND_FOLDER, .name = bad[i]};
        mail_result(mail_folder_add(&tx, &f));
    }
    for (int n = 1000; n <= 1001; n++) {
        char *name = arena_alloc(tx.arena, (size_t)n + 1);
        memset(name, 'n', (size_t)n);
        name[n] = 0;
        struct mail_folder f = {.mailbox = bob.id, .kind = KIND_FOLDER, .name = name};
        if (mail_folder_add(&tx, &f) < 0) {
            mail_result(-1);
            break;
        }
    }
    for (int many = 500; many <= 501; many++) {
        buf_init(&b, 0);
        buf_puts(&b, "Subject: many\r\nTo: ");
        for (int i = 0; i < many; i++)
            buf_printf(&b, "%sp%d@far.example", i ? ", " : "", i);
        buf_puts(&b, "\r\n\r\nx\r\n");
        struct mail_message m;
        const struct mail_send in = {.from = &bob, .raw = buf_str(&b), .len = b.len};
        int r = mail_send(&tx, &in, &m);
        story_say("  to %d:", many);
        mail_result(r);
        buf_done(&b);
        if (r < 0)
            break;
    }
    buf_init(&b, 0);
    buf_puts(&b, "To: ada@acme.example\r\nSubject: long\r\n");
    for (int i = 0; i < 30000; i++)
        buf_printf(&b, "X-Long-%d: 0123456789012345678901234567890123456789\r\n", i);
    buf_puts(&b, "\r\nx\r\n");
    struct mail_message m;
    const struct mail_send in = {.from = &bob, .raw = buf_str(&b), .len = b.len};
    mail_result(mail_send(&tx, &in, &m));
    buf_done(&b);
    static const char *const to[] = {"To: <>\r\n",
                                     "To: a b\r\n",
                                     "Cc: x@\r\n",
                                     "Bcc: @x\r\n",
                                     "To: ada@acme.example, , bob@acme.example\r\n",
                                     ""};
    for (size_t i = 0; i < SOSIA_LEN(to); i++) {
        const char *raw = arena_printf(tx.arena, "%sSubject: to\r\n\r\nx\r\n", to[i]);
        const struct mail_send one = {.from = &bob, .raw = raw, .len = strlen(raw)};
        mail_result(mail_send(&tx, &one, &m));
    }
}

/* ---- documents ---- */

__attribute__((format(printf, 1, 2))) static char *document_of(const char *fmt, ...)
{
    va_list args;
    char *doc = calloc(1, 40000);
    assert_non_null(doc);
    va_start(args, fmt);
    vsnprintf(doc, 40000, fmt, args);
    va_end(args);
    for (char *p = doc; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return doc;
}

/* What becomes of a document with these sections. */
static void tried(const char *sections)
{
    char people[sizeof PEOPLE + 100];
    struct sosia_err why = {0};
    uint64_t is;
    snprintf(people, sizeof people, PEOPLE, vendor->name, vendor->name, vendor->name);
    char *doc = document_of("%s%s}", people, sections);
    struct sosia_world_options options = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    story_say("tried: %s", sections);
    if (sosia_world_create(test_engine, &options, &is, &why) < 0) {
        why.text[strcspn(why.text, "(")] = 0; /* lists of what there is */
        story_say("  %s", why.text);
    } else {
        story_dump(test_engine, is);
        sosia_world_drop(test_engine, is, &why);
    }
    free(doc);
}

#define BOX  "'mailboxes':[{'person':'ada@acme.example',"
#define ONE  BOX "'messages':[{"
#define WHO  "'mailResponders':[{'id':'r','as':'cyd@acme.example',"
#define ACTS WHO "'do':["

static const char *const TRIED[] = {
    "'mailboxes':{}",
    "'mailboxes':[{'person':'none@acme.example'}]",
    "'mailboxes':[{'person':'ada@acme.example','vendor':'none'}]",
    BOX "'x':1}]",
    BOX "'messages':{}}]",
    ONE "'x':1}]}]",
    ONE "}]}]",
    ONE "'id':'1'}]}]",
    ONE "'id':'00000000000000AG'}]}]",
    ONE "'id':'ffffffffffffffff'}]}]",
    ONE "'id':'0000000000000000'}]}]",
    ONE "'id':'0000000000000001'},{'id':'0000000000000001'}]}]",
    ONE "'raw':'x','rawBase64':'eA=='}]}]",
    ONE "'raw':'Subject: x','subject':'x'}]}]",
    ONE "'rawBase64':'eA==','references':'x'}]}]",
    ONE "'rawBase64':'!'}]}]",
    ONE "'date':'x'}]}]",
    ONE "'date':'2026-13-01'}]}]",
    ONE "'received':'2026-11-20T10:00:00+25:00'}]}]",
    ONE "'received':'1850-01-01'}]}]",
    ONE "'subject':'a\\nb'}]}]",
    ONE "'messageId':'a\\rb'}]}]",
    ONE "'from':1}]}]",
    ONE "'from':[1]}]}]",
    ONE "'to':[]}]}]",
    ONE "'headers':{}}]}]",
    ONE "'headers':[{}]}]}]",
    ONE "'headers':[{'name':'a b'}]}]}]",
    ONE "'headers':[{'name':''}]}]}]",
    ONE "'headers':[{'name':'X','value':'a\\nb'}]}]}]",
    ONE "'attachments':[{}]}]}]",
    ONE "'attachments':[{'filename':'a','text':'x','base64':'eA=='}]}]}]",
    ONE "'attachments':[{'filename':'a','base64':'!'}]}]}]",
    ONE "'draft':'x'}]}]",
    ONE "'draft':'0'}]}]",
    ONE "'draft':'3'},{'draft':'3'}]}]",
    ONE "'labels':[1]}]}]",
    ONE "'labels':['none']}]}]",
    ONE "'labels':[]}]}]",
    ONE "'labels':['inbox','junk','trash']}]}]",
    ONE "'folder':'none'}]}]",
    ONE "'folder':'archive','categories':['blue','blue']}]}]",
    ONE "'folder':1}]}]",
    ONE "'folder':'inbox','labels':['sent']}]}]",
    ONE "'categories':[1]}]}]",
    ONE "'categories':['']}]}]",
    ONE "'importance':'x'}]}]",
    ONE "'flag':'x'}]}]",
    ONE "'flag':'flagged'}]}]",
    ONE "'flag':{'status':'x'}}]}]",
    ONE "'flag':{'due':'x'}}]}]",
    ONE "'inference':'x'}]}]",
    BOX "'labels':[{'name':''}]}]",
    BOX "'labels':[{'name':'a'},{'name':'a'}]}]",
    BOX "'labels':[{'name':'a','number':1},{'name':'b','number':1}]}]",
    BOX "'labels':[{'name':'a','number':0}]}]",
    BOX "'labels':[{'number':1}]}]",
    BOX "'folders':[{'name':'a','parent':'none'}]}]",
    BOX "'folders':[{'name':'a','parent':'a'}]}]",
    BOX "'folders':[{'name':'a','kind':'x'}]}]",
    BOX "'folders':[{'name':'k','kind':'keyword'},{'name':'a','parent':'k'}]}]",
    BOX "'folders':[{'name':'a','hidden':true},{'name':'a','hidden':false}]}]",
    BOX "'answered':[{}]}]",
    BOX "'answered':[{'email':'x'}]}]",
    BOX "'answered':[{'email':'x@y','at':'x'}]}]",
    BOX "'answered':[{'email':'x@y.z'},{'email':'X@y.z','at':'2026-11-23T07:00:00Z'}]}]",
    "'mail':[{}]",
    "'mail':[{'from':'ada@acme.example'}]",
    "'mail':[{'to':'ada@acme.example'}]",
    "'mail':[{'from':'none','to':'ada@acme.example'}]",
    "'mail':[{'from':'ada@acme.example','to':'x'}]",
    "'mail':[{'from':'ada@acme.example','to':'none@acme.example'}]",
    "'mail':[{'from':'ada@acme.example','to':'bob@acme.example','labels':{'cyd@acme.example':[]}}]",
    "'mail':[{'from':'ada@acme.example','to':'bob@acme.example','labels':{'bob@acme.example':"
    "['none']}}]",
    "'mail':[{'from':'ada@acme.example','to':'bob@acme.example','labels':[]}]",
    "'mail':[{'from':'ada@acme.example','to':'bob@acme.example','headers':[{'name':'X y'}]}]",
    "'mailResponders':[{}]",
    "'mailResponders':[{'id':'r','as':'none@acme.example','do':[{'reply':{}}]}]",
    "'mailResponders':[{'id':'r','as':'all@acme.example','do':[{'reply':{}}]}]",
    WHO "'do':[]}]",
    WHO "'do':[{'x':{}}]}]",
    WHO "'do':[{'wait':0}]}]",
    WHO "'x':1,'do':[{'reply':{}}]}]",
    WHO "'when':1,'do':[{'reply':{}}]}]",
    WHO "'when':{'x':1},'do':[{'reply':{}}]}]",
    WHO "'when':{'from':'x'},'do':[{'reply':{}}]}]",
    WHO "'when':{'from':[1]},'do':[{'reply':{}}]}]",
    WHO "'when':{'to':{}},'do':[{'reply':{}}]}]",
    WHO "'when':{'subject':'('},'do':[{'reply':{}}]}]",
    WHO "'when':{'text':'['},'do':[{'reply':{}}]}]",
    WHO "'delay':0,'do':[{'reply':{}}]}]",
    WHO "'times':-1,'do':[{'reply':{}}]}]",
    WHO "'refused':1,'do':[{'reply':{}}]}]",
    ACTS "{'reply':{'all':1}}]}]",
    ACTS "{'reply':{'text':1}}]}]",
    ACTS "{'reply':{'to':[]}}]}]",
    ACTS "{'send':{}}]}]",
    ACTS "{'send':{'to':'x'}}]}]",
    ACTS "{'send':{'to':['x'],'cc':[1]}}]}]",
    ACTS "{'forward':{'to':['x'],'subject':'x'}}]}]",
    ACTS "{'forward':{'cc':['x']}}]}]",
    ACTS "{'reply':{}}],'under_way':[{}]}]",
    ACTS "{'reply':{}}],'under_way':[{'at':'x','do':[]}]}]",
    ACTS "{'reply':{}}],'under_way':[{'at':'2026-11-23T09:00:00Z'}]}]",
    ACTS "{'reply':{}}],'under_way':[{'at':'2026-11-23T09:00:00Z','do':[{'reply':{}}]}]}]",
    ACTS "{'reply':{}}],'under_way':[{'at':'2026-11-23T09:00:00Z','do':[{'send':{'to':1}}]}]}]",
    ACTS "{'reply':{}}],'under_way':[{'at':'2026-11-23T09:00:00Z','do':[{'send':{'x':1}}]}]}]",
    WHO "'do':[{'reply':{}}]},{'id':'r','as':'cyd@acme.example','do':[{'reply':{}}]}]",
    "'mailResponders':{}",
};

/* A letter to more people than a list begins with. */
static void crowd(void)
{
    enum { PEOPLE_IN_IT = 40 };
    struct buf b;
    struct sosia_err why = {0};
    uint64_t is;
    buf_init(&b, 0);
    buf_puts(&b, "{\"sosia\":1,\"organizations\":[{\"domain\":\"acme.example\"}],\"people\":[");
    for (int i = 0; i < PEOPLE_IN_IT; i++)
        buf_printf(&b, "%s{\"email\":\"p%02d@acme.example\"}", i ? "," : "", i);
    buf_puts(&b, "],\"mail\":[{\"from\":\"p00@acme.example\",\"subject\":\"all\",\"to\":[");
    for (int i = 1; i < PEOPLE_IN_IT; i++)
        buf_printf(&b, "%s\"p%02d@acme.example\"", i > 1 ? "," : "", i);
    buf_puts(&b, "]}]}");
    struct sosia_world_options options = {.seed_doc = buf_str(&b), .seed_doc_len = b.len};
    story_say("a crowd");
    if (sosia_world_create(test_engine, &options, &is, &why) < 0)
        fail_msg("%s", why.text);
    story_dump(test_engine, is);
    sosia_world_drop(test_engine, is, &why);
    buf_done(&b);
}

static void the_story_of_documents(void **state_)
{
    (void)state_;
    char people[sizeof PEOPLE + 100], *doc;
    struct sosia_blob blob;
    mail_end();
    snprintf(people, sizeof people, PEOPLE, vendor->name, vendor->name, vendor->name);
    char mail[sizeof MAIL + 200];
    snprintf(mail, sizeof mail, MAIL,
             vendor->exclusive ? "'folder':'Projects','categories':['red','new']"
                               : "'labels':['Projects','unseen']",
             vendor->exclusive ? "'folder':'archive'" : "'labels':['Projects','inbox','red']");
    doc = document_of("%s%s}", people, mail);
    test_use(doc);
    mail_begin();
    story_begin();
    events_seen = survey_events;
    invitation_seen = seen_invitation;
    questions();
    threads();
    next_step("what is under way", 700);
    next_step("and the rest of it", 120);
    send_as("ada", "To: cyd@acme.example\nSubject: a question\n\nx\n");
    send_as("cyd", "To: cyd@acme.example\nSubject: own\n\nto myself\n");
    send_as("bob", "To: cyd@acme.example\nSubject: not my own\n\nx\n");
    answered_invitations();
    next_step("an answer", 60);
    by_itself();
    limits();
    feeds();
    questions();
    mail_end();
    assert_int_equal(sosia_world_dump(test_engine, test_world, &blob, &test_err), 0);
    story_say("a world of the dump");
    story_dump(test_engine, test_world_of(blob.data));
    sosia_blob_free(&blob);
    events_seen = NULL;
    invitation_seen = NULL;
    survey_diff(doc);
    for (size_t i = 0; i < SOSIA_LEN(TRIED); i++)
        tried(TRIED[i]);
    crowd();
    story_end(vendor->exclusive ? "mail-rich-folders" : "mail-rich-labels");
    free(doc);
    mail_begin();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_story_of_documents, open_world, mail_close_world)};
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        vendor = i ? &folders : &labels;
        rc |= cmocka_run_group_tests_name(vendor->name, tests, NULL, NULL);
    }
    return rc;
}
