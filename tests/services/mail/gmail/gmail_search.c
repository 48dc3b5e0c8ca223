/* SPDX-License-Identifier: Apache-2.0 */
/* The search language, on ten messages that differ in what can be searched. */
#include "tests/support/gmail.h"
#include "engine/base/buf.h"
#include "engine/base/codec.h"
#include <stdlib.h>

#define ALICE "alice@example.com"
#define AMY   "From: \"Amy Poe\" <amy.poe@shop.example.com>\n"

static const char doc[] = "sosia: 1\n"
                          "time: 2026-01-31T12:00:00Z\n"
                          "organizations: [{domain: example.com, name: Example}]\n"
                          "people: [{email: alice@example.com, name: Alice}]\n";

/* A message, and what it becomes. head: with an empty line and the body behind it. */
static const struct mail_message {
    const char *name, *head, *labels;
    size_t size; /* it is filled up to so many bytes; 0: it is not */
} messages[] = {
    {"M1",
     AMY "To: alice@example.com\nDelivered-To: alice@example.com\n"
         "Subject: Dinner and movie tonight\nDate: Sat, 10 Jan 2026 20:00:00 +0000\n"
         "Message-ID: <a1.x@shop.example.com>\n\n"
         "Bring the unicorn costume. Order 01.2047-100 is confirmed.\n",
     "'INBOX','UNREAD','CATEGORY_PERSONAL'", 2100},
    {"M2",
     "From: Bob <bob_smith@example.com>\nTo: alice+news@example.com\nCc: carol@example.com\n"
     "Subject: Re: Quarterly report\nDate: Sun, 11 Jan 2026 07:59:59 +0000\n"
     "Content-Type: multipart/mixed; boundary=b\n\n--b\n\n"
     "The secret plan for Friday: a birthday cake.\n--b\n"
     "Content-Type: application/pdf\n"
     "Content-Disposition: attachment; filename=report-final.pdf\n\nx\n--b--\n",
     "'INBOX','STARRED','IMPORTANT','%s'", 1600000},
    {"M3",
     "From: alice@example.com\nTo: dave@example.org\nBcc: eve@example.org\nSubject: Invoice 42\n"
     "Date: Sun, 11 Jan 2026 08:00:00 +0000\n\nSee foo_bar and john-smith\n",
     "'SENT'", 900},
    {"M4",
     "From: win@bad.example\nTo: alice@example.com\nSubject: Win a movie\n"
     "Date: Tue, 20 Jan 2026 10:00:00 +0000\n\nNow!\n",
     "'SPAM','UNREAD'", 3000},
    {"M5",
     AMY "To: alice@example.com\nSubject: Old movie\n"
         "Date: Mon, 05 Jan 2026 10:00:00 +0000\n\nSeen it.\n",
     "'TRASH'", 3000},
    {"M7",
     "From: Carl <carl@dev.example.org>\nTo: dev@lists.example.org\n"
     "List-ID: <dev.lists.example.org>\nSubject: [dev] build failed\n"
     "Date: Mon, 15 Dec 2025 10:00:00 +0000\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\n"
     "Watch https://youtu.be/abc\n--b\nContent-Type: text/plain\n"
     "Content-Disposition: attachment; filename=log.txt\n\nx\n--b--\n",
     "'CATEGORY_FORUMS','%s'", 12000000},
    {"M8",
     "From: news@promo.example\nTo: alice@example.com\nSubject: 50%% off\n"
     "Date: Fri, 01 Nov 2024 10:00:00 +0000\nContent-Type: multipart/related; boundary=b\n\n--b\n"
     "Content-Type: text/html\n\n<img src=\"cid:1\">\n--b\nContent-Type: image/png\n"
     "Content-ID: <1>\nContent-Disposition: inline; filename=logo.png\n\nx\n--b--\n",
     "'INBOX','CATEGORY_PROMOTIONS'", 3000},
    {"M9",
     "From: john.smith@gmail.com\nTo: alice@example.com\nSubject: hello\n"
     "Date: Sun, 01 Jun 2025 10:00:00 +0000\n\napps and starting points\n",
     "", 3000},
    {"M10",
     "From: carol@example.com\nTo: alice@example.com\nReply-To: carol@home.example\n"
     "Subject: Re: Dinner and movie tonight\nDate: Mon, 12 Jan 2026 10:00:00 +0000\n"
     "Message-ID: <a2@example.com>\nIn-Reply-To: <a1.x@shop.example.com>\n"
     "References: <a1.x@shop.example.com>\n\nSounds good.\n",
     "'STARRED','INBOX'", 3000},
};

static struct {
    const char *id, *name, *thread;
} found[16];
static size_t n_found;
static const char *work_label;

/* Fills a message up with a header that is not searched, so that it has its size. */
static void fill(struct buf *b, const struct mail_message *m)
{
    char *head = buf_take(b, NULL);
    size_t len = strlen(head);
    buf_init(b, 0);
    buf_puts(b, "X-Filler: ");
    for (size_t n = 12, line; n + len < m->size; n += line) { /* a line ends behind n % 500 = 499 */
        char text[500] = " ";
        line = 500 - n % 500 < m->size - len - n ? 500 - n % 500 : m->size - len - n;
        memset(text + 1, 'x', sizeof text - 2);
        text[499] = '\n';
        buf_add(b, text + n % 500, line);
    }
    buf_puts(b, "\r\n");
    buf_puts(b, head);
    free(head);
}

static void note(const char *name, const struct json *answer)
{
    found[n_found].name = name;
    found[n_found].thread = text_at(answer, "threadId");
    found[n_found++].id = text_at(answer, "id");
}

/* As a browser's library does it: metadata and message in one body. */
static void insert(const struct mail_message *m)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = ALICE};
    struct buf text, body;
    const char *label = strcmp(m->name, "M2") == 0 ? work_label
                        : strcmp(m->name, "M7") == 0
                            ? text_at(gm(ALICE, "POST", "/labels", "{'name':'A&E'}"), "id")
                            : "";
    buf_init(&text, 0);
    for (const char *p = m->head; *p; p++) {
        if (*p == '\n')
            buf_byte(&text, '\r');
        buf_byte(&text, *p);
        p += *p == '%';
    }
    if (m->size)
        fill(&text, m);
    buf_init(&body, 0);
    buf_puts(&body, "--part\r\nContent-Type: application/json\r\n\r\n{\"labelIds\":[");
    for (const char *p = m->labels; *p; p++) {
        if (*p == '%') {
            buf_puts(&body, label);
            p++;
        } else {
            buf_byte(&body, *p == '\'' ? '"' : *p);
        }
    }
    buf_puts(&body, "]}\r\n--part\r\nContent-Type: message/rfc822\r\n\r\n");
    buf_add(&body, text.data, text.len);
    buf_puts(&body, "\r\n--part--");
    if (sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, NULL) < 0)
        fail();
    struct sosia_header headers[] = {
        {"Authorization", gm_text("Bearer %s", token)},
        {"Content-Type", "multipart/related; boundary=part"},
    };
    const struct json *v =
        test_request("POST",
                     "/upload/gmail/v1/users/me/messages?uploadType=multipart&internalDateSource="
                     "dateHeader",
                     headers, 2, body.data, body.len);
    if (test_status != 200)
        fail_msg("%s: %d %s", m->name, test_status, test_body);
    note(m->name, v);
    buf_done(&text);
    buf_done(&body);
}

static int open_mailbox(void **state)
{
    if (gm_open(state) < 0)
        return -1;
    test_use(doc);
    n_found = 0;
    const struct json *v = gm(
        ALICE, "POST", "/drafts",
        gm_text("{'message':{'raw':'%s'}}", gm_raw("From: alice@example.com\nTo: dave@example.org\n"
                                                   "Subject: Movie notes\n\nLater.\n")));
    note("M6", value_at(v, "message"));
    test_advance(12 * 3600); /* 2026-02-01T00:00:00Z */
    work_label = text_at(gm(ALICE, "POST", "/labels", "{'name':'Work/Q1 Plans'}"), "id");
    for (size_t i = 0; i < SOSIA_LEN(messages); i++)
        insert(&messages[i]);
    return 0;
}

static const char *name_of(const char *id, bool thread)
{
    for (size_t i = 0; i < n_found; i++)
        if (strcmp(thread ? found[i].thread : found[i].id, id) == 0)
            return found[i].name;
    return id;
}

static const char *encoded(const char *q)
{
    struct buf b;
    buf_init(&b, 0);
    percent_add(&b, q, strlen(q));
    const char *text = gm_text("%s", buf_str(&b));
    buf_done(&b);
    return text;
}

/* The names of what a list gives, in its order. */
static const char *names_of(const struct json *v, const char *list, bool thread)
{
    const char *out = "";
    for (size_t i = 0; i < count_at(v, list); i++)
        out = gm_text("%s%s%s", out, i ? " " : "",
                      name_of(text_at(v, gm_text("%s.%zu.id", list, i)), thread));
    return out;
}

static const char *search(const char *q, const char *more)
{
    return names_of(gm_get(ALICE, 200, "/messages?q=%s%s", encoded(q), more), "messages", false);
}

/* ---- the language ---- */

#define ALL "M6 M10 M3 M2 M1 M7 M9 M8"

static const struct {
    const char *q, *expected; /* newest first */
} cases[] = {
    {"", ALL},
    /* addresses and names */
    {"from:amy", "M1"},
    {"from:amy.poe@shop.example.com", "M1"},
    {"from:<amy.poe@shop.example.com>", "M1"},
    {"from:Amy.Poe@Shop.Example.com", "M1"},
    {"from:shop.example.com", "M1"},
    {"from:poe@shop.example.com", ""},
    {"from:joh", ""},
    {"from:\"john smith\"", "M9"},
    {"from:\"smith john\"", ""},
    {"from:(smith john)", "M9"},
    {"from:john-smith", "M9"},
    {"from:bob", "M2"},
    {"from:smith", "M9"},
    {"from:bob_smith", "M2"},
    {"from:@gmail.com", "M9"},
    {"from:me", "M6 M3"},
    {"-from:me is:starred", "M10 M2"},
    {"to:me", "M10 M1 M9 M8"},
    {"to:alice@example.com", "M10 M1 M9 M8"},
    {"to:alice+news@example.com", "M2"},
    {"to:carol@example.com", "M2"},
    {"cc:carol@example.com", "M2"},
    {"cc:alice", ""},
    {"bcc:eve@example.org", "M3"},
    {"to:eve@example.org", "M3"},
    {"deliveredto:alice@example.com", "M1"},
    {"replyto:carol@home.example", "M10"},
    {"home.example", ""},
    {"list:dev.lists.example.org", "M7"},
    {"list:<dev.lists.example.org>", "M7"},
    {"amy.poe@shop.example.com", "M1"},
    {"carol@example.com", "M10 M2"},
    {"from: amy", "M1"},
    /* subjects and texts */
    {"subject:dinner", "M10 M1"},
    {"SUBJECT:DINNER", "M10 M1"},
    {"subject:unicorn", ""},
    {"subject:(dinner movie)", "M10 M1"},
    {"subject:(movie dinner)", "M10 M1"},
    {"subject:\"movie dinner\"", ""},
    {"subject:\"dinner and movie\"", "M10 M1"},
    {"subject:dinner unicorn", "M1"},
    {"subject:quarterly", "M2"},
    {"subject:{quarterly invoice}", "M3 M2"},
    {"unicorn", "M1"},
    {"unic", ""},
    {"uni*", ""},
    {"+unicorn", "M1"},
    {"+app", ""},
    {"\"dinner and movie tonight\"", "M10 M1"},
    {"\"dinner movie\"", ""},
    {"dinner movie", "M10 M1"},
    {"dinner AND movie", "M10 M1"},
    {"unicorn and zebra", ""},
    {"unicorn,costume", "M1"},
    {"unicorn;zebra", ""},
    {"costume.order", "M1"},
    {"order.costume", ""},
    {"100", "M1"},
    {"2047", ""},
    {"01.2047", "M1"},
    {"01.2047-100", "M1"},
    {"foo", ""},
    {"foo_bar", "M3"},
    {"john-smith", "M3 M9"}, /* of M9 it is the address */
    {"50%", "M8"},
    /* alternatives, groups, negation */
    {"{from:amy from:bob}", "M2 M1"},
    {"from:{amy bob}", "M2 M1"},
    {"from:(amy OR bob)", "M2 M1"},
    {"from:amy OR from:bob", "M2 M1"},
    {"from:amy or from:bob", ""},
    {"is:unread from:amy OR from:bob", "M1"},
    {"from:amy OR from:bob is:unread", "M1"},
    {"from:amy OR from:bob OR from:carl", "M2 M1 M7"},
    {"(from:amy unicorn) OR (from:bob unicorn)", "M1"},
    {"{from:amy AND is:read from:bob}", "M2"},
    {"dinner -movie", ""},
    {"dinner -unicorn", "M10"},
    {"-from:amy", "M6 M10 M3 M2 M7 M9 M8"},
    {"-(dinner zebra)", ALL},
    {"-(dinner unicorn)", "M6 M10 M3 M2 M7 M9 M8"},
    {"-{dinner zebra}", "M6 M3 M2 M7 M9 M8"},
    {"-{dinner zebra} -from:me", "M2 M7 M9 M8"},
    {"is:starred OR unicorn", "M10 M2 M1"},
    {"larger:10M OR unicorn", "M1 M7"},
    {"-is:starred -in:inbox", "M6 M3 M7 M9"},
    {"-(is:starred in:inbox)", "M6 M3 M1 M7 M9 M8"},
    /* near */
    {"secret AROUND 10 birthday", "M2"},
    {"secret AROUND 4 birthday", "M2"},
    {"secret AROUND 3 birthday", ""},
    {"birthday AROUND 10 secret", "M2"},
    {"\"birthday AROUND 10 secret\"", ""},
    {"\"secret AROUND 10 birthday\"", "M2"},
    {"\"secret AROUND 3 birthday\"", ""},
    {"subject:(dinner AROUND 2 tonight)", "M10 M1"},
    {"secret around 10 birthday", ""},
    /* states and places */
    {"is:unread", "M1"},
    {"is:read", "M6 M10 M3 M2 M7 M9 M8"},
    {"is:starred", "M10 M2"},
    {"is:important", "M2"},
    {"is:unread is:starred", ""},
    {"in:inbox", "M10 M2 M1 M8"},
    {"-in:inbox", "M6 M3 M7 M9"},
    {"in:sent", "M3"},
    {"in:drafts", "M6"},
    {"in:draft", "M6"},
    {"-label:DRAFT movie", "M10 M1"},
    {"movie", "M6 M10 M1"},
    {"in:trash", "M5"},
    {"in:spam", "M4"},
    {"in:spam OR in:trash", "M4 M5"},
    {"in:anywhere movie", "M6 M4 M10 M1 M5"},
    {"in:archive", "M7 M9"},
    {"is:muted", ""},
    {"in:snoozed", ""},
    {"is:nonsense", ""},
    /* labels */
    {"label:work-q1-plans", "M2"},
    {"label:WORK-Q1-PLANS", "M2"},
    {"label:\"Work/Q1 Plans\"", "M2"},
    {"label:work/q1-plans", "M2"},
    {"label:work", ""},
    {"in:work-q1-plans", "M2"},
    {"label:A&E", ""},
    {"label:\"A&E\"", "M7"},
    {"label:A-E", "M7"},
    {"label:Label_1", ""},
    {"label:starred", "M10 M2"},
    {"label:{a-e work-q1-plans}", "M2 M7"},
    {"has:userlabels", "M2 M7"},
    {"has:nouserlabels", "M6 M10 M3 M1 M9 M8"},
    {"l:^ss_sy", "M10 M2"},
    {"l:^ss_sb", ""},
    {"has:yellow-star", ""},
    {"category:forums", "M7"},
    {"category:primary", "M1"},
    {"category:promotions", "M8"},
    {"category:purchases", ""},
    /* files and links */
    {"has:attachment", "M2 M7 M8"},
    {"-has:attachment in:inbox", "M10 M1"},
    {"has:youtube", "M7"},
    {"has:drive", ""},
    {"filename:pdf", "M2"},
    {"filename:report", "M2"},
    {"filename:report-final.pdf", "M2"},
    {"filename:(txt OR pdf)", "M2 M7"},
    {"filename:rep", ""},
    /* sizes */
    {"smaller:1K", "M6 M3"},
    {"larger:10M", "M7"},
    {"larger:10m", "M7"},
    {"larger:1.5M", "M2 M7"},
    {"size:1000000", "M2 M7"},
    {"larger:1M smaller:2M", "M2"},
    {"larger:many", ""},
    {"larger:999999999999999g", ""},
    {"smaller:999999999999999g is:starred", "M10 M2"},
    /* dates */
    {"after:2026/01/11", "M6 M10 M3"},
    {"after:2026-01-11", "M6 M10 M3"},
    {"after:01/11/2026", "M6 M10 M3"},
    {"newer:2026/01/11", "M6 M10 M3"},
    {"before:2026/01/11", "M2 M1 M7 M9 M8"},
    {"older:2026/01/11", "M2 M1 M7 M9 M8"},
    {"after:1768118400", "M6 M10 M3"},
    {"after:1768118401", "M6 M10"},
    {"before:1768118400", "M2 M1 M7 M9 M8"},
    {"after:1768118400000", ""},
    {"after:2026/01/10 before:2026/01/11", "M2 M1"},
    {"-after:2026/01/10", "M7 M9 M8"},
    {"newer_than:1m", "M6 M10 M3 M2 M1"},
    {"newer_than:21d", "M6 M10 M3 M2"},
    {"newer_than:20d", "M6 M10"},
    {"newer_than:30d", "M6 M10 M3 M2 M1"},
    {"older_than:1y", "M8"},
    {"older_than:6m", "M9 M8"},
    {"newer_than:13h", "M6"},
    {"after:2026/13/11", ""},
    {"after:soon", ""},
    /* ids */
    {"rfc822msgid:a1.x@shop.example.com", "M1"},
    {"rfc822msgid:<a1.x@shop.example.com>", "M1"},
    {"rfc822msgid:nobody@shop.example.com", ""},
    /* what is not an operator is words; what is invalid does no harm */
    {"costume:order", "M1"},
    {"https://youtu.be/abc", "M7"},
    {"movie -", "M6 M10 M1"},
    {"movie OR", "M6 M10 M1"},
    {"OR movie", "M6 M10 M1"},
    {"(movie", "M6 M10 M1"},
    {"movie)", "M6 M10 M1"},
    {"\"dinner and", "M10 M1"},
    {"()", ALL},
    {"{}", ALL},
    {"*", ALL},
    {"\"\"", ALL},
    {"-\"\" unicorn", "M1"},
    {"((((((((((movie))))))))))", "M6 M10 M1"},
};

static void questions_find_what_the_service_finds(void **state)
{
    size_t wrong = 0;
    assert_true(SOSIA_LEN(cases) > 60);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *got = search(cases[i].q, "");
        if (strcmp(got, cases[i].expected) == 0)
            continue;
        print_error("%s: \"%s\", expected \"%s\"\n", cases[i].q, got, cases[i].expected);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* ---- beside q ---- */

static void parameters_and_the_question_hold_together(void **state)
{
    assert_string_equal(search("movie", "&includeSpamTrash=true"), "M6 M4 M10 M1 M5");
    assert_string_equal(search("", "&labelIds=TRASH"), "M5");
    assert_string_equal(search("", gm_text("&labelIds=%s", work_label)), "M2");
    assert_string_equal(search("movie", "&labelIds=INBOX"), "M10 M1");
    assert_string_equal(search("from:carol", "&labelIds=INBOX&labelIds=UNREAD"), "");
    assert_string_equal(search("movie", "&labelIds=SPAM"), "M4");
}

static void pages_go_through_a_question(void **state)
{
    const struct json *v = gm_get(ALICE, 200, "/messages?q=%s&maxResults=2", encoded("-from:me"));
    assert_string_equal(names_of(v, "messages", false), "M10 M2");
    assert_int_equal(number_at(v, "resultSizeEstimate"), 201);
    v = gm_get(ALICE, 200, "/messages?q=%s&maxResults=2&pageToken=%s", encoded("-from:me"),
               text_at(v, "nextPageToken"));
    assert_string_equal(names_of(v, "messages", false), "M1 M7");
    v = gm_get(ALICE, 200, "/messages?q=%s&maxResults=2&pageToken=%s", encoded("-from:me"),
               text_at(v, "nextPageToken"));
    assert_string_equal(names_of(v, "messages", false), "M9 M8");
    assert_null(text_at(v, "nextPageToken"));
    assert_int_equal(number_at(v, "resultSizeEstimate"), 6);
}

static void a_thread_matches_by_one_message(void **state)
{
    const struct json *v = gm_get(ALICE, 200, "/threads?q=%s", encoded("from:carol is:starred"));
    assert_string_equal(names_of(v, "threads", true), "M1");
    v = gm_get(ALICE, 200, "/threads?q=%s", encoded("unicorn is:starred"));
    assert_string_equal(names_of(v, "threads", true), ""); /* each is of another message */
    v = gm_get(ALICE, 200, "/threads?q=subject%%3Adinner");
    assert_string_equal(names_of(v, "threads", true), "M1");
}

static void a_thread_is_on_one_page(void **state)
{
    const char *names = "", *token = "";
    for (int page = 0; page < 8; page++) {
        const struct json *v = gm_get(ALICE, 200, "/threads?q=%s&maxResults=1%s",
                                      encoded("in:inbox OR is:starred"), token);
        names = gm_text("%s%s ", names, names_of(v, "threads", true));
        if (!text_at(v, "nextPageToken"))
            break;
        token = gm_text("&pageToken=%s", text_at(v, "nextPageToken"));
    }
    assert_string_equal(names, "M1 M2 M8 ");
}

static void drafts_are_searched(void **state)
{
    const struct json *v = gm_get(ALICE, 200, "/drafts?q=movie");
    assert_int_equal(count_at(v, "drafts"), 1);
    v = gm_get(ALICE, 200, "/drafts?q=dinner");
    assert_int_equal(count_at(v, "drafts"), 0);
}

/* ---- what changes ---- */

static void what_is_gone_is_not_found(void **state)
{
    for (size_t i = 0; i < n_found; i++)
        if (strcmp(found[i].name, "M1") == 0)
            gm(ALICE, "DELETE", gm_text("/messages/%s", found[i].id), NULL);
    assert_int_equal(test_status, 204);
    assert_string_equal(search("unicorn", ""), "");
    assert_string_equal(search("subject:dinner", ""), "M10");
    assert_string_equal(search("from:amy", ""), "");
}

static void a_changed_label_changes_what_is_found(void **state)
{
    for (size_t i = 0; i < n_found; i++)
        if (strcmp(found[i].name, "M1") == 0)
            gm(ALICE, "POST", gm_text("/messages/%s/modify", found[i].id),
               "{'addLabelIds':['STARRED'],'removeLabelIds':['UNREAD']}");
    assert_int_equal(test_status, 200);
    assert_string_equal(search("is:starred", ""), "M10 M2 M1");
    assert_string_equal(search("is:unread", ""), "");
    assert_string_equal(search("is:starred unicorn", ""), "M1");
}

/* ---- bad input ---- */

static void a_long_question_takes_no_long_time(void **state)
{
    struct buf b;
    static const char *const pieces[] = {"a ",       "-a ",      "a OR ", "from:a ",
                                         "\"a b\" ", "{a b} ",   "(a) ",  "a AROUND 2 ",
                                         "label:x ", "after:1 ", "*"};
    for (size_t i = 0; i < SOSIA_LEN(pieces); i++) {
        buf_init(&b, 0);
        while (b.len < 10000)
            buf_puts(&b, pieces[i]);
        gm(ALICE, "GET", gm_text("/messages?q=%s", encoded(buf_str(&b))), NULL);
        assert_int_equal(test_status, 200);
        buf_done(&b);
    }
}

static void nesting_has_an_end(void **state)
{
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < 5000; i++)
        buf_byte(&b, "({"[i % 2]);
    gm(ALICE, "GET", gm_text("/messages?q=%s", buf_str(&b)), NULL);
    assert_int_equal(test_status, 400);
    buf_done(&b);
}

/* Each time costs a look at all places of the word, of which a hostile message has millions. */
static void a_word_may_be_in_phrases_so_often(void **state)
{
    static const struct {
        const char *first, *again;
        int times, status;
    } questions[] = {
        {"\"a", " a", 249, 200},           {"\"a", " a", 250, 400},        {"\"a", " A", 3000, 400},
        {"\"a b\"", " \"a b\"", 900, 200}, {"a", " AROUND 2 a", 600, 200}, {"a", " a", 3000, 200},
    };
    for (size_t i = 0; i < SOSIA_LEN(questions); i++) {
        struct buf b;
        buf_init(&b, 0);
        buf_puts(&b, questions[i].first);
        for (int n = 0; n < questions[i].times; n++)
            buf_puts(&b, questions[i].again);
        gm(ALICE, "GET", gm_text("/messages?q=%s", encoded(buf_str(&b))), NULL);
        assert_int_equal(test_status, questions[i].status);
        buf_done(&b);
    }
    struct buf b;
    buf_init(&b, 0);
    for (int n = 0; n < 251; n++)
        buf_printf(&b, "-\"a w%d\" ", n);
    gm(ALICE, "GET", gm_text("/messages?q=%s", encoded(buf_str(&b))), NULL);
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid query");
    buf_done(&b);
}

#define search_test(f) cmocka_unit_test_setup_teardown(f, open_mailbox, gm_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        search_test(questions_find_what_the_service_finds),
        search_test(parameters_and_the_question_hold_together),
        search_test(pages_go_through_a_question),
        search_test(a_thread_matches_by_one_message),
        search_test(a_thread_is_on_one_page),
        search_test(drafts_are_searched),
        search_test(what_is_gone_is_not_found),
        search_test(a_changed_label_changes_what_is_found),
        search_test(a_long_question_takes_no_long_time),
        search_test(nesting_has_an_end),
        search_test(a_word_may_be_in_phrases_so_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
