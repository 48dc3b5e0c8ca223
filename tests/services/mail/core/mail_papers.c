/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mailboxes in documents and in files, once for each of two vendors: which messages a dump says by
 * their pieces and which by their bytes, what an import makes anew, and the feed of changes.
 */
#include "engine/search/question.h"
#include "tests/services/mail/core/mail_vendors.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- set-up ---- */

#define START                                                                                      \
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','organizations':[{'domain':'acme.example'}],"        \
    "'people':[{'email':'ada@acme.example','name':'Ada','zone':'Europe/Rome','aliases':["          \
    "'a@acme.example']},{'email':'bob@acme.example','name':'Bob'},{'email':'cyd@acme.example',"    \
    "'name':'Cyd'}],'groups':[{'email':'all@acme.example','members':['bob@acme.example',"          \
    "'cyd@acme.example','x@far.example']}],"                                                       \
    "'accounts':[{'actor':'ada@acme.example','vendor':'%s'},{'actor':'bob@acme.example',"          \
    "'vendor':'%s'},{'actor':'cyd@acme.example','vendor':'%s'}],%s}"

/* ' is written for ". */
static char *world_doc(const char *sections)
{
    static char doc[65536];
    snprintf(doc, sizeof doc, START, vendor->name, vendor->name, vendor->name, sections);
    for (char *p = doc; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return doc;
}

static int open_papers(void **state)
{
    (void)state;
    return open_as(world_doc("'mailboxes':[]"));
}

/* A dump on one line, without spaces between its tokens; *ret_as_is: as it is. */
static char *dump_of(uint64_t world, char **ret_as_is)
{
    struct sosia_blob blob;
    if (sosia_world_dump(test_engine, world, &blob, &test_err) < 0)
        fail_msg("dump: %s", test_err.text);
    char *copy = strdup((const char *)blob.data), *to = copy;
    if (ret_as_is)
        *ret_as_is = strdup(copy);
    for (const char *p = copy; *p; p++) {
        if (*p == '\n')
            p += strspn(p + 1, " ");
        else if (*p != ' ' || p < copy + 2 || p[-1] != ':' || p[-2] != '"')
            *to++ = *p;
    }
    *to = 0;
    sosia_blob_free(&blob);
    return copy;
}

/* The dump of a world with these sections, which a world of the dump has too. */
static char *dumped(const char *sections)
{
    char *as_is, *again, *both;
    struct sosia_err err;
    uint64_t world = test_world_of(world_doc(sections));
    char *dump = dump_of(world, &as_is);
    sosia_world_drop(test_engine, world, &err);
    world = test_world_of(as_is);
    both = dump_of(world, &again);
    assert_string_equal(again, as_is);
    sosia_world_drop(test_engine, world, &err);
    free(as_is);
    free(again);
    free(both);
    return dump;
}

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

/* ' is written for " in the part. */
static void has(const char *text, const char *part, bool yes)
{
    char *quoted = strdup(part);
    for (char *p = quoted; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    const char *from = strstr(text, "\"messages\"");
    if ((strstr(text, quoted) != NULL) != yes)
        fail_msg("%s is %s: %.3000s", quoted, yes ? "not in" : "in", from ? from : text);
    free(quoted);
}

#define ADA       "'mailboxes':[{'person':'ada@acme.example',"
#define ONE(text) ADA "'messages':[{" text "}]}]"

static void says(const char *given, const char *part)
{
    char sections[4000];
    snprintf(sections, sizeof sections, ONE("%s"), given);
    char *dump = dumped(sections);
    has(dump, part, true);
    has(dump, "'raw", false);
    free(dump);
}

/* ---- by pieces ---- */

#define HEAD "'messageId':'<m@far>','date':'2026-11-20T10:00:00Z','subject':'s'"

static void a_message_of_pieces_is_dumped_by_them(void **state)
{
    (void)state;
    static const char *const same[] = {
        "'headers':[{'name':'X-One','value':'1'},{'name':'X-Two','value':'2'}]",
        "'text':'a\\nb\\n'",
        "'html':'<p>x</p>\\n'",
        "'text':'t\\n','html':'<p>x</p>\\n'",
        "'from':'J\xc3\xb6rg <j@far.example>','to':'ada@acme.example'",
        "'to':['a@x.example','B C <b@x.example>']",
        "'cc':'c@x.example','bcc':['d@x.example','e@x.example'],'replyTo':'r@x.example'",
        "'from':'nobody at all'",
    };
    mail_end();
    for (size_t i = 0; i < SOSIA_LEN(same); i++) {
        char given[1000];
        snprintf(given, sizeof given, HEAD ",%s", same[i]);
        says(given, same[i]);
    }
    says(HEAD ",'inReplyTo':'<a@x>','references':'<a@x> <b@x>'",
         "'inReplyTo':'<a@x>','references':'<a@x> <b@x>'");
    says(HEAD ",'text':'t\\n','attachments':[{'filename':'a.txt','text':'x'},{'filename':'b.bin',"
              "'type':'application/x','base64':'AAEC/w=='},{'text':'no name'},"
              "{'filename':'l.png','type':'image/png','base64':'iVBORw==','inline':true,"
              "'cid':'logo'}]",
         "'attachments':[{'filename':'a.txt','type':'text/plain','text':'x'},"
         "{'filename':'b.bin','type':'application/x','base64':'AAEC/w=='},"
         "{'type':'text/plain','text':'no name'}");
    says(HEAD ",'html':'<p>x</p>','attachments':[{'filename':'l.png','type':'image/png',"
              "'base64':'iVBORw==','inline':true,'cid':'logo'}]",
         "'base64':'iVBORw==','inline':true,'cid':'logo'}");
    says(HEAD ",'text':'t','attachments':[{'filename':'f.csv','type':'text/csv','base64':'/w=='}]",
         "'type':'text/csv','base64':'/w=='");
    says(HEAD, "'subject':'s','date':'2026-11-20T10:00:00Z','messageId':'<m@far>'}");
    mail_begin();
}

#define RAW(fields, body)                                                                          \
    "'raw':'Subject: s\\r\\nDate: Fri, 20 Nov 2026 12:00:00 +0000\\r\\nMessage-ID: <r@far>\\r\\n"  \
    "MIME-Version: 1.0\\r\\n" fields "\\r\\n" body "'"

#define PLAIN "Content-Type: text/plain; charset=UTF-8\\r\\n\\r\\nx"

static void what_pieces_do_not_say_is_dumped_as_bytes(void **state)
{
    (void)state;
    static const char *const raws[] = {
        "'raw':'Subject: s\\r\\nDate: Fri, 20 Nov 2026 12:00:00 +0000\\r\\n\\r\\nx'",
        "'raw':'Subject: s\\r\\nMessage-ID: <r@far>\\r\\n\\r\\nx'",
        /* What would be made of pieces, but for one of them. */
        "'raw':'Date: Fri, 20 Nov 2026 12:00:00 +0000\\r\\nSubject: s\\r\\nMIME-Version: "
        "1.0\\r\\n" PLAIN "'",
        "'raw':'Message-ID: <r@far>\\r\\nSubject: s\\r\\nMIME-Version: 1.0\\r\\n" PLAIN "'",
        "'raw':'Subject: s\\r\\nDate: some day\\r\\nMessage-ID: <r@far>\\r\\n\\r\\nx'",
        "'raw':'no head at all'",
        "'raw':''",
        RAW("To: a@x.example\\r\\nTo: b@x.example\\r\\n", "x"),
        RAW("Content-Type: text/plain; charset=utf-8; format=flowed\\r\\n", "x"),
        RAW("Content-Type: multipart/mixed; boundary=b\\r\\n",
            "--b\\r\\nContent-Type: multipart/mixed; boundary=c\\r\\n\\r\\n--c\\r\\n\\r\\nx\\r\\n"
            "--c--\\r\\n--b--\\r\\n"),
        RAW("Content-Type: multipart/mixed; boundary=b\\r\\n",
            "--b\\r\\n\\r\\nx\\r\\n--b\\r\\nContent-Type: message/rfc822\\r\\n\\r\\nSubject: "
            "y\\r\\n"
            "\\r\\nz\\r\\n--b--\\r\\n"),
        RAW("Content-Type: multipart/related; boundary=b\\r\\n",
            "--b\\r\\n\\r\\nx\\r\\n--b\\r\\nContent-Type: multipart/x; boundary=c\\r\\n\\r\\n"
            "--c\\r\\n\\r\\nx\\r\\n--c--\\r\\n--b--\\r\\n"),
        RAW("Content-Type: multipart/alternative; boundary=b\\r\\n",
            "--b\\r\\n\\r\\nx\\r\\n--b\\r\\n\\r\\ny\\r\\n--b--\\r\\n"),
        RAW("Content-Type: multipart/mixed; boundary=b\\r\\n", "nothing in it"),
        RAW("Content-Type: text/plain; name=n\\r\\n", "x"),
        RAW("Content-Type: image/png\\r\\n", "x"),
        RAW("Content-Type: text/plain\\r\\n", "a\\rb\\nc\\r"),
        RAW("X-A: 1\\r\\n b\\r\\nx-a: 2\\r\\n", "x\\n"),
        "'rawBase64':'U3ViamVjdDogcw0KRGF0ZTogRnJpLCAyMCBOb3YgMjAyNiAxMjowMDowMCArMDAwMA0KTW"
        "Vzc2FnZS1JRDogPHJAZmFyPg0KTUlNRS1WZXJzaW9uOiAxLjANCkNvbnRlbnQtVHlwZTog"
        "dGV4dC9wbGFpbjsgY2hhcnNldD1VVEYtOA0KDQphAGI='",
    };
    mail_end();
    for (size_t i = 0; i < SOSIA_LEN(raws); i++) {
        char sections[3000];
        snprintf(sections, sizeof sections, ONE("%s,'received':'2026-11-20T09:00:00Z'"), raws[i]);
        char *dump = dumped(sections);
        has(dump, "'raw", true);
        has(dump, "'subject'", false);
        has(dump, "'received':'2026-11-20T09:00:00Z'", true);
        if (!strstr(dump, "\"rawBase64\""))
            has(dump, raws[i], true);
        free(dump);
    }
    char *dump = dumped(ONE("'rawBase64':'U3ViamVjdDogeA0KDQr/'"));
    has(dump, "'rawBase64':'U3ViamVjdDogeA0KDQr/'", true);
    free(dump);
    mail_begin();
}

static void when_it_came_is_said_unless_its_date_says_it(void **state)
{
    (void)state;
    mail_end();
    char *dump = dumped(ONE(HEAD ",'received':'2026-11-20T10:00:00Z'"));
    has(dump, "received", false);
    free(dump);
    dump = dumped(ONE(HEAD ",'received':'2026-11-20T10:00:01Z'"));
    has(dump, "'received':'2026-11-20T10:00:01Z'", true);
    free(dump);
    dump = dumped(ONE(RAW("Content-Type: image/png\\r\\n", "x")));
    has(dump, "received", false);
    free(dump);
    dump = dumped(ONE("'raw':'x'"));
    has(dump, "'received':'2026-11-23T08:00:00Z'", true);
    free(dump);
    /* Times without an offset are on the person's clock; a day is its midnight. */
    static const char *const times[][2] = {{"2026-11-20T10:00", "2026-11-20T10:00:00+01:00"},
                                           {"2026-07-20T10:00:07", "2026-07-20T10:00:07+02:00"},
                                           {"2026-11-20", "2026-11-20T00:00:00+01:00"},
                                           {"2026-03-29T03:00", "2026-03-29T03:00:00+02:00"},
                                           {"2026-03-29T01:59:59", "2026-03-29T01:59:59+01:00"},
                                           {"2026-10-25T03:00", "2026-10-25T03:00:00+01:00"},
                                           {"2026-11-20T10:00-05:00", "2026-11-20T10:00:00-05:00"},
                                           {"1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"}};
    for (size_t i = 0; i < SOSIA_LEN(times) - 2; i++) {
        char sections[400], want[100];
        snprintf(sections, sizeof sections, ONE("'messageId':'<m@far>','date':'%s'"), times[i][0]);
        snprintf(want, sizeof want, "'date':'%s'", times[i][1]);
        dump = dumped(sections);
        has(dump, want, true);
        free(dump);
    }
    has(why_not(ONE("'date':'2026-11-20t10:00'")), "is not a time", true);
    has(why_not(ONE("'date':'2026-11-20T10:00-05:00:00'")), "is not a time", true);
    mail_begin();
}

static void keys_are_sixteen_digits(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "123456789abcdef",  "0123456789abcdef0", "0123456789abcdeF",
        "0123456789abcdeg", "0123456789abcde/",  "0123456789abcde:",
        "0123456789abcde`", "8000000000000000",  "0000000000000000"};
    static const char *const fine[] = {"0123456789abcdef", "7fffffffffffffff", "0000000000000001"};
    char sections[300];
    mail_end();
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        snprintf(sections, sizeof sections, ONE("'id':'%s'"), wrong[i]);
        has(why_not(sections), "must have 16 hexadecimal digits", true);
    }
    for (size_t i = 0; i < SOSIA_LEN(fine); i++) {
        char want[100];
        snprintf(sections, sizeof sections, ONE(HEAD ",'id':'%s'"), fine[i]);
        snprintf(want, sizeof want, "'id':'%s','thread':'%s'", fine[i], fine[i]);
        char *dump = dumped(sections);
        has(dump, want, true);
        free(dump);
    }
    mail_begin();
}

/* A member of another type is refused where it is, whatever else is right. */
static void members_have_their_types(void **state)
{
    (void)state;
    static const char *const of_message[] = {
        "id",     "thread",      "draft",   "received",  "date",       "from",      "to",
        "cc",     "bcc",         "replyTo", "subject",   "messageId",  "inReplyTo", "references",
        "text",   "html",        "raw",     "rawBase64", "importance", "flag",      "inference",
        "labels", "attachments", "headers", "folder",    "categories"};
    static const char *const of_file[] = {"filename", "type", "text", "base64", "inline", "cid"};
    static const char *const of_header[] = {"name", "value"};
    static const char *const of_folder[] = {"name", "number", "parent", "kind", "hidden"};
    static const char *const of_mailbox[] = {"vendor", "labels", "folders", "messages", "answered"};
    static const char *const of_answered[] = {"email", "at"};
    static const char *const values[] = {"{'x':1}", "true", "[[1]]"};
    static const struct {
        const char *before, *behind, *const *members;
        size_t n;
    } all[] = {
        {ADA "'messages':[{", "}]}]", of_message, SOSIA_LEN(of_message)},
        {"'mail':[{'to':'bob@acme.example',", "}]", &of_message[4], 10},
        {ADA "'messages':[{'attachments':[{'text':'x',", "}]}]}]", of_file, SOSIA_LEN(of_file)},
        {ADA "'messages':[{'headers':[{'name':'X',", "}]}]}]", &of_header[1], 1},
        {ADA "'messages':[{'headers':[{", "}]}]}]", of_header, 1},
        {ADA "'labels':[{'name':'A',", "}]}]", &of_folder[1], SOSIA_LEN(of_folder) - 1},
        {ADA "'labels':[{", "}]}]", of_folder, 1},
        {ADA, "}]", of_mailbox, SOSIA_LEN(of_mailbox)},
        {ADA "'answered':[{", "}]}]", of_answered, 1},
        {ADA "'answered':[{'email':'a@b.example',", "}]}]", &of_answered[1], 1},
    };
    mail_end();
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        for (size_t k = 0; k < all[i].n; k++)
            for (size_t v = 0; v < SOSIA_LEN(values); v++) {
                const char *member = all[i].members[k];
                char sections[400];
                if (v == 1 && (strcmp(member, "inline") == 0 || strcmp(member, "hidden") == 0))
                    continue;
                snprintf(sections, sizeof sections, "%s'%s':%s%s", all[i].before, member, values[v],
                         all[i].behind);
                if (!strstr(why_not(sections), member))
                    fail_msg("%s: \"%s\"", sections, why_not(sections));
            }
    /* A number names a folder of the owner's, up to the last one that a mailbox can have. */
    has(why_not(ONE("'labels':[16777151]")), "there is no label '16777151' in", true);
    has(why_not(ONE("'labels':[16777152]")), "must be a list of texts", true);
    has(why_not(ONE("'labels':[0]")), "must be a list of texts", true);
    has(why_not(ONE("'labels':[1]")), "there is no label '1' in", true);
    mail_begin();
}

/* ---- folders in documents ---- */

static void folders_within_folders_are_dumped(void **state)
{
    (void)state;
    mail_end();
    char *dump =
        dumped(ADA "'labels':[{'name':'A','number':5,'kind':'folder'},{'name':'A','number':6,"
                   "'parent':'A','kind':'folder','hidden':true},{'name':'In','number':7,"
                   "'parent':'inbox','kind':'folder'},{'name':'deep','number':8,'parent':6,"
                   "'kind':'folder'},{'name':'k','number':9,'kind':'keyword'}],"
                   "'messages':[{" HEAD ",'labels':['k','unseen',6]}]}]");
    has(dump, "'name':'A','number':5", true);
    has(dump, "'name':'A','number':6,'parent':5", true);
    has(dump, "'name':'In','number':7,'parent':'inbox'", true);
    has(dump, "'name':'deep','number':8,'parent':6", true);
    has(dump, "'name':'k','number':9,'kind':'keyword'", true);
    has(dump, "'hidden':true", true);
    has(dump, vendor->exclusive ? "'labels':['unseen',6,'k']" : "'labels':['unseen',6,'k']", true);
    free(dump);
    has(why_not(ADA "'labels':[{'name':'A','number':0}]}]"), "number", true);
    has(why_not(ADA "'labels':[{'name':'A','number':16777152}]}]"), "number", true);
    assert_string_equal(why_not(ADA "'labels':[{'name':'A','number':16777151}]}]"), "");
    has(why_not(ADA "'messages':[{'labels':[16777152]}]}]"), "", true);
    has(why_not(ADA "'messages':[{'labels':[0]}]}]"), "must be a list of texts", true);
    has(why_not(ADA "'messages':[{'labels':[3]}]}]"), "there is no label", true);
    has(why_not(ADA "'messages':[{'labels':[true]}]}]"), "must be a list of texts", true);
    has(why_not(ADA "'labels':[{'name':'A','parent':'none'}]}]"), "there is no label \"none\"",
        true);
    has(why_not(ADA "'labels':[{'name':'A','parent':true}]}]"), "there is no label \"true\"", true);
    mail_begin();
}

/* Where it is, and in which words. */
static void a_folder_that_is_refused_says_why(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"1", "[0]: must be an object, not 1"},
        {"{}", "[0].name: is missing"},
        {"{'name':null}", "[0].name: is missing"},
        {"{'name':''}", "[0].name: must not be empty"},
        {"{'name':1}", "[0].name: must be a text, not 1"},
        {"{'name':'A','name2':1}",
         "[0].name2: there is no such field (known: name, number, parent, kind, hidden)"},
        {"{'name':'A','number':'1'}", "[0].number: must be a number, not '1'"},
        {"{'name':'A','number':0}", "[0].number: must be a whole number from 1 to 16777151, not 0"},
        {"{'name':'A','number':16777152}",
         "[0].number: must be a whole number from 1 to 16777151, not 16777152"},
        {"{'name':'A','parent':5}", "[0].parent: there is no label '5' in the mailbox"},
        {"{'name':'A','kind':'x'}", "[0].kind: 'x' is none of label, folder, keyword"},
        {"{'name':'A','kind':1}", "[0].kind: must be a text, not 1"},
        {"{'name':'A','hidden':1}", "[0].hidden: must be true or false, not 1"},
        {"{'name':'A','number':1},{'name':'B','number':1}",
         "[1].number: there is a label with the number 1 already"},
        {"{'name':'A','kind':'keyword'},{'name':'B','parent':1}",
         "[1].name: parent must be another folder of the mailbox, at most 64 deep"},
    };
    mail_end();
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        char sections[300], want[200];
        snprintf(sections, sizeof sections, ADA "'labels':[%s]}]", cases[i][0]);
        snprintf(want, sizeof want, "mailboxes[0].labels%s", cases[i][1]);
        has(why_not(sections), want, true);
    }
    assert_string_equal(why_not(ADA "'labels':[{'name':'A','parent':null,'kind':null}]}]"), "");
    mail_begin();
}

/* A folder of the vendor's is named by its name, and keeps its place, its kind and whether it is
 * shown, whatever a document says; what is as usual is not written. */
static void folders_of_the_vendor_stay_as_they_are(void **state)
{
    (void)state;
    mail_end();
    char *plain = dumped("'mailboxes':[]");
    char *dump = dumped(ADA "'labels':[{'name':'inbox','kind':'keyword','hidden':true}]}]");
    assert_string_equal(dump, plain);
    free(dump);
    free(plain);
    dump = dumped(ADA "'labels':[{'name':'A','number':1,'hidden':false},{'name':'A','number':7,"
                      "'hidden':true}]}]");
    has(dump, "'labels':[{'name':'A','number':1,'hidden':true}]", true);
    free(dump);
    mail_begin();
}

/* ---- mail of a world ---- */

static void mail_is_with_everybody_who_has_it(void **state)
{
    (void)state;
    mail_end();
    test_use(world_doc(
        "'mail':[{'from':'Ada <a@acme.example>','to':'all@acme.example','bcc':['x@far.example',"
        "'A@acme.example'],'subject':'to all','text':'t','date':'2026-11-20T10:00'},"
        "{'from':'X <x@far.example>','to':['Bob <bob+tag@acme.example>','no address'],"
        "'subject':'from outside','text':'t','date':'2026-11-20T10:00','labels':"
        "{'bob@acme.example':['flagged','inbox']}}]"));
    mail_begin();
    assert_int_equal(count_of("ada"), 1);
    assert_int_equal(count_of("bob"), 2);
    assert_int_equal(count_of("cyd"), 1);
    struct mail_message m = newest("ada", 0);
    assert_string_equal(labels_of(&m), "sent");
    assert_non_null(header_of(&m, "Bcc"));
    assert_string_equal(header_of(&m, "Date"), "Fri, 20 Nov 2026 10:00:00 +0100"); /* her clock */
    m = newest("cyd", 0);
    assert_string_equal(labels_of(&m), "inbox");
    assert_null(header_of(&m, "Bcc"));
    m = newest("bob", 0);
    assert_string_equal(labels_of(&m), "inbox flagged");
    /* Whose sender is outside is read on the clock of the first who gets it. */
    assert_string_equal(header_of(&m, "Date"), "Fri, 20 Nov 2026 10:00:00 +0000");
    assert_non_null(strstr(header_of(&m, "Message-ID"), "@acme.example>"));
    check_counters();
    mail_end();
    has(why_not("'mail':[{'from':'x@far.example','to':'y@far.example','text':'t'}]"),
        "nobody of the world sends or gets it", true);
    has(why_not("'mail':[{'from':'bob@acme.example','labels':{'ada@acme.example':[]}}]"),
        "does not send or get it", true);
    has(why_not("'mail':[{'from':'bob@acme.example','labels':[]}]"), "must be lists by people",
        true);
    assert_string_equal(why_not("'mail':[{'from':'x@far.example','cc':'bob@acme.example'}]"), "");
    mail_begin();
}

/* What it adds counts at once, and is not a change: the feed begins behind it. */
static void a_document_may_be_added_to_a_world(void **state)
{
    (void)state;
    static const char *const added[] = {
        "{\"sosia\":1,\"mailboxes\":[{\"person\":\"bob@acme.example\",\"messages\":[{\"text\":"
        "\"x\"}]}]}",
        "{\"sosia\":1,\"mail\":[{\"from\":\"ada@acme.example\",\"to\":\"cyd@acme.example\"}]}",
        "{\"sosia\":1,\"mailboxes\":[{\"person\":\"bob@acme.example\",\"labels\":[]}]}"};
    mail_end();
    for (size_t i = 0; i < SOSIA_LEN(added); i++) {
        if (sosia_world_seed(test_engine, test_world, added[i], strlen(added[i]), NULL, &test_err) <
            0)
            fail_msg("seed: %s", test_err.text);
    }
    mail_begin();
    check_counters();
    assert_int_equal(count_of("bob"), 1);
    assert_int_equal(count_of("cyd"), 1);
    struct mail_change *list;
    const struct mailbox bob = box("bob");
    assert_int_equal(changes_since(&bob, bob.floor, 0, &list), 0);
    refused(mail_changes(&tx, &bob, bob.floor - 1, 0, 0, 1, &list, &(size_t){0}, &(bool){false}),
            "tooOld");
}

/* ---- imports ---- */

static void an_import_counts_anew(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "update mail_mailbox set messages = 77, threads = 78",
        "update mail_folder set messages = 5, unread = 6, threads = 7, unread_threads = 8",
        "update mail_thread set messages = 9, newest = 1",
        "update mail_thread_folder set messages = 3, unread = 3",
        "delete from mail_thread_folder",
        "delete from mail_member",
        "update mail_content set refs = 44",
        "update mail_message set flags = flags & 2147483647",
        "insert into mail_content (hash, size, refs, snippet, tree, own) select hash, size, 1, "
        "snippet, tree, own from mail_content limit 1",
    };
    const struct mailbox bob = box("bob");
    struct mail_folder work = make_folder(&bob, 0, "Work");
    struct mail_message m = letter("one");
    letter("two");
    assert_int_equal(mail_messages_move(&tx, &m, 1, work.id), 0);
    mail_end();
    const uint64_t kept = test_world;
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        uint64_t world;
        if (test_import_changed(wrong[i], &world) < 0)
            fail_msg("%s: %s", wrong[i], test_err.text);
        test_world = world;
        mail_begin();
        check_counters();
        assert_int_equal(number("select count(*) from mail_content"), 1);
        assert_int_equal(number("select refs from mail_content"), 4);
        assert_int_equal(in_folder(work.id), 1);
        m = newest("bob", 1);
        assert_string_equal(labels_of(&m),
                            vendor->exclusive ? "unseen Work" : "inbox unseen first Work");
        /* The last that has a content takes it along. */
        for (size_t who = 0; who < 2; who++)
            while (count_of(who ? "ada" : "bob")) {
                m = newest(who ? "ada" : "bob", 0);
                assert_int_equal(mail_message_delete(&tx, &m), 0);
            }
        assert_int_equal(number("select count(*) from mail_content"), 0);
        check_counters();
        mail_end();
        test_world = kept;
    }
    mail_begin();
}

static void a_tree_of_folders_has_an_end(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    struct mail_folder a = make_folder(&bob, 0, "A"), b = make_folder(&bob, a.id, "B");
    int64_t up = 0;
    char sql[200];
    uint64_t world;
    for (int i = 0; i < FOLDER_DEPTH_MAX; i++)
        up = make_folder(&bob, up, "deep").id;
    mail_end();
    assert_int_equal(test_import_changed(NULL, &world), 0); /* as deep as it may be */
    snprintf(sql, sizeof sql, "update mail_folder set parent = %lld where id = %lld",
             (long long)b.id, (long long)a.id);
    assert_int_equal(test_import_changed(sql, &world), -1);
    has(test_err.text, "must be within the tree of folders", true);
    snprintf(sql, sizeof sql, "update mail_folder set parent = %lld where id = %lld", (long long)up,
             (long long)b.id);
    assert_int_equal(test_import_changed(sql, &world), 0);
    snprintf(sql, sizeof sql, "update mail_folder set parent = %lld where id = %lld", (long long)up,
             (long long)a.id);
    assert_int_equal(test_import_changed(sql, &world), -1); /* too deep by one */
    has(test_err.text, "must be within the tree of folders", true);
    mail_begin();
}

static void rows_are_shown_in_their_vendors_terms(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    const struct mail_folder work = make_folder(&bob, 0, "Work");
    const struct mail_message m = letter("one");
    size_t seen = 0;
    for (size_t i = 0; i < mail_core.n_entities; i++) {
        const struct entity *e = &mail_core.entities[i];
        const char *is = NULL;
        if (strcmp(e->table, "mail_folder") != 0 && strcmp(e->table, "mail_message") != 0)
            continue;
        assert_int_equal(e->vendor(&tx, strcmp(e->table, "mail_folder") == 0 ? work.id : m.id, &is),
                         1);
        assert_string_equal(is, vendor->name);
        seen++;
    }
    assert_int_equal(seen, 2);
}

static void a_question_is_kept_as_a_document(void **state)
{
    (void)state;
    static const struct {
        struct search q;
        bool whole;
    } all[] = {
        {{.kind = SEARCH_FOLDER, .id = 1}, true},
        {{.kind = SEARCH_FOLDER, .id = N_PLACES - 1}, true},
        {{.kind = SEARCH_FOLDER, .id = N_PLACES}, false},
        {{.kind = SEARCH_FOLDER, .id = FOLDER_OWN - 1}, false},
        {{.kind = SEARCH_FOLDER, .id = FOLDER_OWN}, true},
        {{.kind = SEARCH_PROPERTY, .bits = ASKED_INFERENCE, .id = 1}, true},
        {{.kind = SEARCH_PROPERTY, .bits = ASKED_INFERENCE + 1, .id = 1}, false},
        {{.kind = SEARCH_MESSAGE_ID, .text = "a@x"}, true},
        {{.kind = SEARCH_MESSAGE_ID}, false},
        {{.kind = SEARCH_SIZE, .from = 1, .to = 2}, true},
        {{.kind = SEARCH_THREAD, .id = 5}, true},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct json *v;
        struct json_writer w;
        struct buf b;
        buf_init(&b, 0);
        json_init(&w, &b, false, NULL);
        search_write(&w, NULL, &mail_corpus, &all[i].q);
        assert_int_equal(json_parse(tx.arena, buf_str(&b), b.len, NULL, &v, &test_err), 0);
        const struct search *read = search_read(tx.arena, &mail_corpus, v);
        if ((read != NULL) != all[i].whole)
            fail_msg("%s", buf_str(&b));
        if (read) {
            assert_int_equal(read->kind, all[i].q.kind);
            assert_int_equal(read->id, all[i].q.id);
            assert_int_equal(read->bits, all[i].q.bits);
        }
        buf_done(&b);
    }
}

/* ---- the feed ---- */

static void a_feed_is_read_in_records(void **state)
{
    (void)state;
    struct mailbox bob = box("bob");
    struct mail_message list[3] = {letter("1"), letter("2"), letter("3")};
    struct mail_change *found;
    const int64_t flagged = ID_OF(&bob, KEYWORD_FLAGGED), unseen = ID_OF(&bob, KEYWORD_UNSEEN);
    size_t n;
    bool more;
    bob = box("bob");
    const int64_t after = bob.change;
    assert_int_equal(mail_messages_modify(&tx, list, 3, &flagged, 1, &unseen, 1), 0);
    assert_int_equal(mail_messages_delete(&tx, list, 2), 0);
    bob = box("bob");
    /* Labelled, unlabelled, deleted: a record each, of which none is split. */
    for (size_t limit = 1; limit <= 4; limit++) {
        const size_t want[] = {3, 6, 8, 8};
        assert_int_equal(mail_changes(&tx, &bob, after, 0, 0, limit, &found, &n, &more), 0);
        assert_int_equal(n, want[limit - 1]);
        assert_int_equal(more, limit < 3);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(found[i].number, found[i < 3 ? 0 : i < 6 ? 3 : 6].number);
            assert_int_equal(found[i].kind, i < 3   ? MAIL_LABELLED
                                            : i < 6 ? MAIL_UNLABELLED
                                                    : MAIL_DELETED);
            assert_int_equal(found[i].key, list[i % 3].key);
            assert_int_equal(found[i].n_folders, i < 6);
            if (i < 6)
                assert_int_equal(found[i].folders[0], i < 3 ? flagged : unseen);
        }
    }
    assert_int_equal(found[0].n_now, found[3].n_now + 1);
    /* From a record on, and of one kind. */
    assert_int_equal(changes_since(&bob, found[0].number, 0, &found), 5);
    assert_int_equal(mail_changes(&tx, &bob, after, 1u << MAIL_DELETED, 0, 9, &found, &n, &more),
                     0);
    assert_int_equal(n, 2);
    assert_false(more);
    assert_int_equal(mail_changes(&tx, &bob, after, 1u << MAIL_PROPERTY, 0, 9, &found, &n, &more),
                     0);
    assert_int_equal(n, 0);
    /* Of a folder: what it had then, or what was done to it. */
    assert_int_equal(changes_since(&bob, after, unseen, &found), 6);
    assert_int_equal(changes_since(&bob, after, flagged, &found), 8);
    assert_int_equal(changes_since(&bob, after, ID_OF(&bob, FOLDER_SENT), &found), 0);
    /* What has not happened yet is as unknown as what was forgotten. */
    const int64_t newest_of_all = number("select max(change) from mail_mailbox");
    assert_int_equal(mail_changes(&tx, &bob, newest_of_all, 0, 0, 1, &found, &n, &more), 0);
    assert_int_equal(n, 0);
    refused(mail_changes(&tx, &bob, newest_of_all + 1, 0, 0, 1, &found, &n, &more), "tooOld");
    refused(mail_changes(&tx, &bob, bob.floor - 1, 0, 0, 1, &found, &n, &more), "tooOld");
}

static void a_feed_goes_back_thirty_days(void **state)
{
    (void)state;
    struct mailbox bob = box("bob");
    struct mail_change *found;
    size_t n;
    bool more;
    letter("old");
    const int64_t floor = bob.floor, then = box("bob").change;
    mail_later(30 * 86400 * INT64_C(1000000));
    bob = box("bob");
    assert_int_equal(mail_changes(&tx, &bob, floor, 0, 0, 9, &found, &n, &more), 0);
    assert_int_equal(n, 1);
    mail_later(INT64_C(1000000));
    bob = box("bob");
    refused(mail_changes(&tx, &bob, floor, 0, 0, 9, &found, &n, &more), "tooOld");
    assert_int_equal(mail_changes(&tx, &bob, then, 0, 0, 9, &found, &n, &more), 0);
    assert_int_equal(n, 0);
}

static void changes_of_many_folders_are_read(void **state)
{
    (void)state;
    enum { MANY = 60 };
    const struct mailbox bob = box("bob");
    struct mail_message m = letter("filed");
    struct mail_change *found;
    int64_t ids[MANY];
    for (int i = 0; i < MANY; i++) {
        struct mail_folder f = {
            .mailbox = bob.id, .kind = KIND_KEYWORD, .name = arena_printf(tx.arena, "k%d", i)};
        assert_int_equal(mail_folder_add(&tx, &f), 0);
        ids[i] = f.id;
    }
    int64_t after = m.change;
    assert_int_equal(mail_message_modify(&tx, &m, ids, MANY, NULL, 0), 0);
    assert_int_equal(changes_since(&bob, after, 0, &found), 1);
    assert_int_equal(found[0].n_folders, MANY);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(found[0].folders[i], ids[i]);
    assert_int_equal(found[0].n_now, MANY + (vendor->exclusive ? 2 : 3));
    after = m.change;
    assert_int_equal(mail_message_modify(&tx, &m, NULL, 0, ids, MANY), 0);
    assert_int_equal(changes_since(&bob, after, ids[7], &found), 1);
    assert_int_equal(found[0].n_now, vendor->exclusive ? 2 : 3);
    check_counters();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_papers, mail_close_world)

int main(void)
{
    static const struct CMUnitTest both[] = {
        TEST(a_message_of_pieces_is_dumped_by_them),
        TEST(what_pieces_do_not_say_is_dumped_as_bytes),
        TEST(when_it_came_is_said_unless_its_date_says_it),
        TEST(keys_are_sixteen_digits),
        TEST(members_have_their_types),
        TEST(folders_within_folders_are_dumped),
        TEST(a_folder_that_is_refused_says_why),
        TEST(folders_of_the_vendor_stay_as_they_are),
        TEST(mail_is_with_everybody_who_has_it),
        TEST(a_document_may_be_added_to_a_world),
        TEST(an_import_counts_anew),
        TEST(a_tree_of_folders_has_an_end),
        TEST(rows_are_shown_in_their_vendors_terms),
        TEST(a_question_is_kept_as_a_document),
        TEST(a_feed_is_read_in_records),
        TEST(a_feed_goes_back_thirty_days),
        TEST(changes_of_many_folders_are_read),
    };
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        vendor = i ? &folders : &labels;
        rc |= cmocka_run_group_tests_name(vendor->name, both, NULL, NULL);
    }
    return rc;
}
