/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mailboxes with much in them, once for each of two vendors: many threads and long ones, letters to
 * many, references without end, large texts and files. What holds for a few holds for all of them.
 */
#include "services/mail/core/show.h"
#include "tests/services/mail/core/mail_vendors.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- set-up ---- */

static const char *bytes_of(struct buf *b)
{
    const char *text = arena_memdup(tx.arena, b->len ? b->data : "", b->len);
    assert_false(buf_failed(b));
    buf_done(b);
    return text;
}

/* Puts it into ada's inbox as it is. */
static struct mail_message kept(const char *raw, size_t len)
{
    const struct mailbox ada = box("ada");
    const struct mail_message_new in = {
        .mailbox = &ada, .raw = raw, .len = len, .flags = FLAG(FOLDER_INBOX), .at_s = INT64_MIN};
    struct mail_message m;
    if (mail_message_add(&tx, &in, &m) < 0)
        fail_msg("add: %s", test_err.text);
    return m;
}

static struct mail_message kept_text(const char *text)
{
    const char *raw = crlf(text);
    return kept(raw, strlen(raw));
}

static size_t listed(const struct mail_list *q, struct mail_message **ret, bool *ret_more)
{
    size_t n;
    if (mail_list(&tx, q, ret, &n, ret_more) < 0)
        fail_msg("list: %s", test_err.text);
    return n;
}

/* ---- many threads ---- */

enum { THREADS = 300, PAGE = 280 };

static void a_page_has_each_of_many_threads_once(void **state)
{
    (void)state;
    const struct mailbox ada = box("ada");
    struct mail_message *page, *rest, *both;
    bool more;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < THREADS; i++)
            kept_text(arena_printf(tx.arena,
                                   round ? "Subject: Re: n%d\nReferences: <n%d@far>\n\nagain\n"
                                         : "Subject: n%d\nMessage-ID: <n%d@far>\n\nx\n",
                                   i, i));
    struct mail_list q = {.mailbox = ada.id, .threads = true, .limit = PAGE};
    assert_int_equal(box("ada").threads, THREADS);
    assert_int_equal(listed(&q, &page, &more), PAGE);
    assert_true(more);
    q.before = page[PAGE - 1].id;
    q.limit = THREADS;
    assert_int_equal(listed(&q, &rest, &more), THREADS - PAGE);
    assert_false(more);
    for (int i = 0; i < THREADS; i++) {
        const struct mail_message *m = i < PAGE ? &page[i] : &rest[i - PAGE];
        /* The newest of each, the newest first. */
        assert_string_equal(header_of(m, "Subject"),
                            arena_printf(tx.arena, "Re: n%d", THREADS - 1 - i));
    }
    /* Without threads there is every message, and a limit that all fit into leaves nothing. */
    q = (struct mail_list){.mailbox = ada.id, .limit = 2 * THREADS - 1};
    assert_int_equal(listed(&q, &both, &more), 2 * THREADS - 1);
    assert_true(more);
    q.limit = 2 * THREADS;
    assert_int_equal(listed(&q, &both, &more), 2 * THREADS);
    assert_false(more);
    for (size_t i = 1; i < 2 * THREADS; i++)
        assert_true(both[i].id < both[i - 1].id);
    check_counters();
}

static void a_long_thread_is_on_one_page_alone(void **state)
{
    (void)state;
    const struct mailbox ada = box("ada");
    struct mail_message *page;
    bool more;
    kept_text("Subject: before\n\nx\n");
    for (int i = 0; i < 70; i++)
        kept_text(arena_printf(tx.arena,
                               "Subject: long\nMessage-ID: <l%d@far>\nReferences: <l%d@far>\n\nx\n",
                               i, i ? i - 1 : 0));
    kept_text("Subject: after\n\nx\n");
    assert_int_equal(box("ada").threads, 3);
    struct mail_list q = {.mailbox = ada.id, .threads = true, .limit = 2};
    assert_int_equal(listed(&q, &page, &more), 2);
    assert_string_equal(header_of(&page[0], "Subject"), "after");
    assert_string_equal(header_of(&page[1], "Message-ID"), "<l69@far>");
    q.before = page[1].id;
    assert_int_equal(listed(&q, &page, &more), 1);
    assert_false(more);
    assert_string_equal(header_of(&page[0], "Subject"), "before");
    /* From its middle on the page before had it, wherever the page ended. */
    q.before = newest("ada", 1 + 68).id;
    assert_int_equal(listed(&q, &page, &more), 1);
    q.before = newest("ada", 1).id + 1;
    q.without = FLAG(KEYWORD_FLAGGED);
    assert_int_equal(listed(&q, &page, &more), 2);
    /* A newer one that the question leaves out was on no page. */
    struct mail_message last = newest("ada", 1);
    const int64_t flagged = ID_OF(&ada, KEYWORD_FLAGGED);
    assert_int_equal(mail_message_modify(&tx, &last, &flagged, 1, NULL, 0), 0);
    q.before = last.id;
    assert_int_equal(listed(&q, &page, &more), 2);
    assert_string_equal(header_of(&page[0], "Message-ID"), "<l68@far>");
}

static void a_thread_takes_a_hundred_messages(void **state)
{
    (void)state;
    struct mail_message first = kept_text("Subject: full\nMessage-ID: <f@far>\n\nx\n"), m = first;
    struct mail_thread t;
    for (int i = 1; i < 100; i++)
        m = kept_text("Subject: full\nReferences: <f@far>\n\nx\n");
    assert_int_equal(m.thread, first.thread);
    assert_int_equal(mail_thread_by_id(&tx, first.thread, &t), 1);
    assert_int_equal(t.messages, 100);
    assert_int_equal(t.newest, m.id);
    assert_int_equal(t.change, m.change);
    m = kept_text("Subject: full\nReferences: <f@far>\n\nx\n");
    assert_int_not_equal(m.thread, first.thread);
    /* One that shall join the full one begins another, unless it must be there. */
    const struct mailbox ada = box("ada");
    const char *raw = crlf("Subject: full\nReferences: <f@far>\n\nx\n");
    struct mail_message_new in = {.mailbox = &ada,
                                  .raw = raw,
                                  .len = strlen(raw),
                                  .flags = FLAG(FOLDER_INBOX),
                                  .thread = first.thread_key,
                                  .at_s = INT64_MIN};
    assert_int_equal(mail_message_add(&tx, &in, &m), 0);
    assert_int_not_equal(m.thread, first.thread);
    in.joins = true;
    assert_int_equal(mail_message_add(&tx, &in, &m), 0);
    assert_int_equal(m.thread, first.thread);
    check_counters();
}

/* ---- references ---- */

static void the_last_two_hundred_references_are_looked_at(void **state)
{
    (void)state;
    const struct mail_message first = kept_text("Subject: s\nMessage-ID: <first@far>\n\nx\n");
    for (int behind = 198; behind <= 200; behind++) {
        struct buf b;
        buf_init(&b, 0);
        buf_puts(&b, "Subject: s\nReferences: <older@far> <first@far>");
        for (int i = 0; i < behind; i++)
            buf_printf(&b, " <r%d-%d@far>", behind, i);
        buf_puts(&b, "\n\nx\n");
        const struct mail_message m = kept_text(bytes_of(&b));
        assert_int_equal(m.thread == first.thread, behind < 200);
    }
    /* As many of In-Reply-To, the first ones. */
    for (int before = 199; before <= 200; before++) {
        struct buf b;
        buf_init(&b, 0);
        buf_puts(&b, "Subject: s\nIn-Reply-To:");
        for (int i = 0; i < before; i++)
            buf_printf(&b, " <i%d-%d@far>", before, i);
        buf_puts(&b, " <first@far>\n\nx\n");
        const struct mail_message m = kept_text(bytes_of(&b));
        assert_int_equal(m.thread == first.thread, before < 200);
    }
}

static void the_nearest_reference_decides(void **state)
{
    (void)state;
    const struct mail_message a = kept_text("Subject: s\nMessage-ID: <a@far>\n\nx\n"),
                              b = kept_text("Subject: s\nMessage-ID: <b@far>\n\nx\n");
    assert_int_not_equal(a.thread, b.thread);
    assert_int_equal(kept_text("Subject: s\nReferences: <a@far> <b@far>\n\nx\n").thread, b.thread);
    assert_int_equal(kept_text("Subject: s\nReferences: <b@far> <a@far>\n\nx\n").thread, a.thread);
    assert_int_equal(
        kept_text("Subject: s\nReferences: <b@far>\nIn-Reply-To: <a@far>\n\nx\n").thread, b.thread);
    assert_int_equal(
        kept_text("Subject: s\nReferences: <c@far>\nIn-Reply-To: <a@far>\n\nx\n").thread, a.thread);
    /* Another subject is another thread, whatever it names. */
    assert_true(kept_text("Subject: t\nReferences: <a@far>\n\nx\n").thread > b.thread);
}

/* ---- by subject ---- */

static const char *from_to(const char *from, const char *to, const char *fields)
{
    return arena_printf(tx.arena, "From: %s\nTo: %s\n%sSubject: Weekly\n\nx\n", from, to, fields);
}

static void mail_of_one_subject_and_the_same_people_is_a_thread_for_a_week(void **state)
{
    (void)state;
    const struct mail_message first =
        kept_text(from_to("x@far.example", "y@far.example, z@far.example", ""));
    static const struct {
        const char *from, *to, *fields;
        bool joins;
    } all[] = {
        {"X@far.example", "q@far.example", "", true},
        {"q@far.example", "z@far.example, Y@far.example", "", true},
        {"x@far.example", "q@far.example", "References:\n", true},
        {"p@far.example", "y@far.example", "", false},
        {"r@far.example", "y@far.example, z@far.example, q@far.example", "", false},
        {"x@far.example", "q@far.example", "References: <none@far>\n", false},
        {"x@far.example", "q@far.example", "In-Reply-To: <none@far>\n", false},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        if ((kept_text(from_to(all[i].from, all[i].to, all[i].fields)).thread == first.thread) !=
            all[i].joins)
            fail_msg("letter %zu", i);
    mail_later(WEEK);
    assert_int_equal(kept_text(from_to("b@far.example", "z@far.example, y@far.example", "")).thread,
                     first.thread);
}

static void after_a_week_it_is_another_one(void **state)
{
    (void)state;
    const struct mail_message first = kept_text(from_to("x@far.example", "y@far.example", ""));
    mail_later(WEEK);
    assert_int_equal(kept_text(from_to("q@far.example", "y@far.example", "")).thread, first.thread);
    mail_later(WEEK + 1000000);
    assert_int_not_equal(kept_text(from_to("x@far.example", "y@far.example", "")).thread,
                         first.thread);
    /* Without a subject nothing is the same, and what is sent goes by its references. */
    assert_int_not_equal(kept_text("From: x@far.example\n\nx\n").thread,
                         kept_text("From: x@far.example\n\nx\n").thread);
    send_as("ada", "From: ada@acme.example\nTo: bob@acme.example\nSubject: Own\n\nx\n");
    const int64_t sent = newest("ada", 0).thread;
    send_as("ada", "From: ada@acme.example\nTo: bob@acme.example\nSubject: Own\n\nx\n");
    assert_int_not_equal(newest("ada", 0).thread, sent);
    assert_int_equal(newest("bob", 0).thread, newest("bob", 1).thread);
}

/* ---- letters to many ---- */

enum { OUTSIDE = 20, UNKNOWN = 20 };

static void each_of_many_recipients_has_it_once(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "From: ada@acme.example\nTo: bob@acme.example, cyd@acme.example");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < OUTSIDE; i++)
            buf_printf(&b, ", o%d@far.example", i);
        for (int i = 0; i < UNKNOWN; i++)
            buf_printf(&b, ", u%d@acme.example", i);
        buf_puts(&b, ", BOB+x@acme.example");
    }
    buf_puts(&b, "\nBcc: secret@far.example\nSubject: many\n\nx\n");
    send_as("ada", bytes_of(&b));
    assert_int_equal(count_of("bob"), 1);
    assert_int_equal(count_of("cyd"), 1);
    /* Ada's own, and a report of each address that there is not, in the thread of what she sent. */
    assert_int_equal(count_of("ada"), 1 + UNKNOWN);
    for (size_t i = 0; i < UNKNOWN; i++) {
        struct mail_message m = newest("ada", UNKNOWN - 1 - i);
        assert_string_equal(header_of(&m, "X-Failed-Recipients"),
                            arena_printf(tx.arena, "u%zu@acme.example", i));
        assert_int_equal(m.thread, newest("ada", UNKNOWN).thread);
    }
    assert_int_equal(number("select count(*) from outbox"), 1);
    /* ada's address, then those outside, each once, in the order of the fields */
    assert_int_equal(number("select length(recipients) - length(replace(recipients, ',', '')) "
                            "from outbox"),
                     OUTSIDE);
    assert_int_equal(number("select instr(recipients, 'o0@far.example,o1@far.example') > 0 and "
                            "instr(recipients, ',secret@far.example') > 0 from outbox"),
                     1);
    struct mail_message bobs = newest("bob", 0), adas = newest("ada", UNKNOWN);
    assert_null(header_of(&bobs, "Bcc"));
    assert_string_equal(header_of(&adas, "Bcc"), "secret@far.example");
    assert_string_equal(header_of(&bobs, "Delivered-To"), "bob@acme.example");
    check_counters();
}

static void what_comes_back_is_whole_unless_it_is_large(void **state)
{
    (void)state;
    for (int large = 0; large < 2; large++) {
        struct buf b;
        buf_init(&b, 0);
        buf_puts(&b, "From: ada@acme.example\nTo: nobody@acme.example\nSubject: back\n\n");
        for (int i = 0; i < (large ? 700 : 600); i++)
            buf_puts(&b, "0123456789012345678901234567890123456789012345678901234567890123456789"
                         "01234567890123456789012345678\n");
        send_as("ada", bytes_of(&b));
        struct mail_message m = newest("ada", 0);
        assert_int_equal(strstr(raw_of(&m), "0123456789") != NULL, !large);
        assert_int_equal(strstr(raw_of(&m), "Content-Type: text/rfc822-headers") != NULL, large);
        assert_non_null(strstr(raw_of(&m), "Subject: back"));
        struct mail_message_body body;
        const char *data = "";
        size_t len = 0;
        assert_int_equal(mail_message_open(&tx, &m, &body), 0);
        for (int i = 0; large && i < body.mime.n; i++)
            if (strcmp(body.mime.parts[i].type, "text/rfc822-headers") == 0)
                assert_int_equal(mail_message_part(&tx, &body, i, &data, &len), 0);
        /* The head, and not a byte besides. */
        if (large)
            assert_string_equal(arena_printf(tx.arena, "%zu %.*s", len, (int)len, data),
                                "66 From: ada@acme.example\r\nTo: nobody@acme.example\r\n"
                                "Subject: back\r\n\r\n");
    }
}

static void what_comes_back_is_in_the_thread_of_what_was_sent(void **state)
{
    (void)state;
    const struct mailbox ada = box("ada");
    const char *raw = crlf("Subject: first\nTo: nobody@acme.example\n\nx\n");
    struct mail_message_new in = {.mailbox = &ada,
                                  .raw = raw,
                                  .len = strlen(raw),
                                  .flags = FLAG(FOLDER_INBOX),
                                  .key = 1, /* the least that there can be */
                                  .at_s = INT64_MIN};
    const struct mail_send send = {
        .from = &ada, .raw = raw, .len = strlen(raw), .thread = 1, .joins = true};
    struct mail_message m;
    assert_int_equal(mail_message_add(&tx, &in, &m), 0);
    assert_int_equal(mail_send(&tx, &send, &m), 0);
    assert_int_equal(count_of("ada"), 3);
    m = newest("ada", 0);
    assert_non_null(header_of(&m, "X-Failed-Recipients"));
    assert_int_equal(m.thread_key, 1);
    assert_int_equal(box("ada").threads, 1);
}

/* ---- sizes ---- */

static struct mail_message of_size(int64_t size)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "Subject: of %lld\r\n\r\n", (long long)size);
    while ((int64_t)b.len < size)
        buf_byte(&b, (int64_t)b.len % 70 == 69 ? '\n' : 'x');
    const size_t n = b.len;
    const struct mail_message m = kept(bytes_of(&b), n);
    assert_int_equal(m.size, size);
    return m;
}

static void messages_are_found_by_their_size(void **state)
{
    (void)state;
    static const int64_t sizes[] = {100, 65535, 65536, 65537, 131071, 131072, 300000};
    static const int64_t bounds[] = {0,
                                     100,
                                     101,
                                     65535,
                                     65536,
                                     65537,
                                     65538,
                                     131071,
                                     131072,
                                     131073,
                                     262144,
                                     300000,
                                     300001,
                                     1 << 20,
                                     INT64_C(1) << 40,
                                     INT64_C(1) << 41,
                                     INT64_MAX};
    const struct mailbox ada = box("ada");
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++)
        of_size(sizes[i]);
    for (size_t from = 0; from < SOSIA_LEN(bounds); from++)
        for (size_t to = 0; to < SOSIA_LEN(bounds); to++) {
            const struct search by = {.kind = SEARCH_SIZE, .from = bounds[from], .to = bounds[to]};
            const struct mail_list q = {.mailbox = ada.id, .query = &by, .limit = 100};
            struct mail_message *list;
            size_t want = 0;
            bool more;
            for (size_t i = 0; i < SOSIA_LEN(sizes); i++)
                want += sizes[i] >= bounds[from] && sizes[i] < bounds[to];
            const size_t n = listed(&q, &list, &more);
            if (n != want)
                fail_msg("%lld to %lld bytes: %zu, not %zu", (long long)bounds[from],
                         (long long)bounds[to], n, want);
        }
}

static void nothing_is_larger_than_the_most(void **state)
{
    (void)state;
    struct mailbox ada = box("ada");
    struct mail_message m;
    char *raw = calloc(1, MAIL_MAX_SIZE + 1);
    assert_non_null(raw);
    const struct mail_message_new in = {
        .mailbox = &ada, .raw = raw, .len = MAIL_MAX_SIZE + 1, .at_s = INT64_MIN};
    refused(mail_message_add(&tx, &in, &m), "tooLarge");
    assert_int_equal(count_of("ada"), 0);
    free(raw);
}

static void the_head_of_what_is_sent_has_a_limit(void **state)
{
    (void)state;
    for (int over = 0; over < 2; over++) {
        struct mailbox ada = box("ada");
        struct mail_message m;
        struct buf b;
        buf_init(&b, 0);
        buf_puts(&b, "To: bob@acme.example\r\nX-Long: ");
        while (b.len + 4 < MAIL_MAX_HEAD + (size_t)over)
            buf_byte(&b, 'x');
        buf_puts(&b, "\r\n\r\n");
        const size_t n = b.len;
        assert_int_equal(n, MAIL_MAX_HEAD + over);
        const struct mail_send in = {.from = &ada, .raw = bytes_of(&b), .len = n};
        if (over)
            refused(mail_send(&tx, &in, &m), "headTooLarge");
        else
            assert_int_equal(mail_send(&tx, &in, &m), 0);
        assert_int_equal(count_of("bob"), 1);
    }
}

/* ---- parts that are kept apart ---- */

static void fill(struct buf *b, size_t n, char first)
{
    for (size_t i = 0; i < n; i++)
        buf_byte(b, i % 72 == 71 ? '\n' : (char)(first + (int)(i % 23)));
}

/* Two large texts, and two files of which each is written otherwise. */
static struct mail_message with_large_parts(const char **ret, size_t *ret_n)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "Subject: large\nContent-Type: multipart/mixed; boundary=b\n\nbefore\n--b\n\n");
    fill(&b, 65536, 'a');
    buf_puts(&b, "\n--b\nContent-Type: application/x\nContent-Disposition: attachment; "
                 "filename=q\nContent-Transfer-Encoding: quoted-printable\n\n");
    for (int i = 0; i < 700; i++)
        buf_puts(&b, i % 24 == 23 ? "=C3=A4=\n" : "=41b");
    buf_puts(&b, "\n--b\nContent-Type: application/x\nContent-Disposition: attachment; "
                 "filename=p\n\n");
    fill(&b, 2047, 'A');
    buf_puts(&b, "\n--b\nContent-Type: application/x\nContent-Disposition: attachment; "
                 "filename=r\n\n");
    fill(&b, 2048, 'B');
    buf_puts(&b, "\n--b--\nbehind\n");
    *ret_n = b.len;
    *ret = bytes_of(&b);
    return kept(*ret, *ret_n);
}

static void large_parts_are_given_back_as_they_came(void **state)
{
    (void)state;
    const char *raw, *data;
    size_t n, len;
    struct mail_message m = with_large_parts(&raw, &n);
    struct mail_message_body body;
    assert_memory_equal(raw_of(&m), raw, n);
    assert_int_equal(mail_message_open(&tx, &m, &body), 0);
    assert_int_equal(body.mime.n, 5);
    assert_true(body.own_len < 5000);
    assert_true(body.mime.parts[1].blob && body.mime.parts[2].blob && body.mime.parts[4].blob);
    assert_false(body.mime.parts[3].blob); /* a byte too small */
    assert_int_equal(mail_message_part(&tx, &body, 1, &data, &len), 0);
    assert_int_equal(len, 65536);
    assert_int_equal(mail_message_part(&tx, &body, 2, &data, &len), 0);
    assert_int_equal(strncmp(data, "AbAb", 4), 0);
    assert_non_null(strstr(data, "\xc3\xa4"));
    assert_null(strchr(data, '='));
    assert_int_equal(mail_message_part(&tx, &body, 4, &data, &len), 0);
    assert_int_equal(len, 2048);
    assert_int_equal(data[0], 'B');
    /* Any range of it, beside and across what is kept apart. */
    const char *content = raw + (n - body.len);
    size_t at[64], n_at = 0;
    for (int i = 0; i < body.mime.n; i++) {
        const struct mime_part *p = &body.mime.parts[i];
        const size_t ends[] = {p->at, p->at + 1, p->at + p->len - 1, p->at + p->len,
                               p->at + p->len + 1};
        for (size_t k = 0; k < SOSIA_LEN(ends); k++)
            at[n_at++] = ends[k] < body.len ? ends[k] : body.len;
    }
    for (size_t i = 0; i < n_at; i++)
        for (size_t k = 0; k < n_at; k++) {
            struct buf b;
            if (at[k] < at[i])
                continue;
            buf_init(&b, 0);
            assert_int_equal(mail_content_range(&tx, &body, at[i], at[k], &b), 0);
            assert_int_equal(b.len, at[k] - at[i]);
            if (b.len)
                assert_memory_equal(b.data, content + at[i], b.len);
            buf_done(&b);
        }
}

/* So many bytes as base64 in lines of such a length. */
static void base64_lines_of(struct buf *b, size_t bytes, size_t line, const char *end, bool last)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t n = bytes / 3 * 4;
    for (size_t i = 0; i < n; i++) {
        buf_byte(b, digits[i * 7 % 64]);
        if (i % line == line - 1 && (i + 1 < n || last))
            buf_puts(b, end);
    }
    if (n % line && last)
        buf_puts(b, end);
}

static void base64_is_kept_decoded_if_it_can_be_made_again(void **state)
{
    (void)state;
    static const struct {
        size_t bytes, line;
        const char *end, *behind;
        bool last, decoded;
    } all[] = {
        {3000, 76, "\r\n", "", true, true},      {3000, 76, "\r\n", "", false, true},
        {3000, 76, "\n", "", true, true},        {3000, 76, "\n", "", false, true},
        {3000, 4000, "\r\n", "", true, true},    {3000, 4000, "\r\n", "", false, true},
        {3000, 4, "\n", "", true, true},         {3000, 75, "\r\n", "", true, false},
        {3000, 3, "\r\n", "", true, false},      {3000, 76, "\r\n", "\r\n", true, false},
        {3000, 76, "\r\n", "AB=C", true, false}, {3000, 76, " \r\n", "", true, false},
        {3000, 76, "\n\r", "", true, false},     {1536, 76, "\n", "", true, true},
        {1500, 76, "\n", "", true, false}, /* too small */
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        struct mail_message_body body;
        struct buf b;
        buf_init(&b, 0);
        buf_printf(&b,
                   "Subject: %zu\r\nContent-Disposition: attachment; filename=f\r\n"
                   "Content-Transfer-Encoding: base64\r\n\r\n",
                   i);
        base64_lines_of(&b, all[i].bytes, all[i].line, all[i].end, all[i].last);
        buf_puts(&b, all[i].behind);
        const size_t n = b.len;
        const char *raw = bytes_of(&b), *data;
        size_t len;
        const struct mail_message m = kept(raw, n);
        assert_memory_equal(raw_of(&m), raw, n);
        assert_int_equal(mail_message_open(&tx, &m, &body), 0);
        if ((body.mime.parts[0].lines != 0) != all[i].decoded)
            fail_msg("file %zu", i);
        assert_int_equal(mail_message_part(&tx, &body, 0, &data, &len), 0);
        assert_true(len >= all[i].bytes && len <= all[i].bytes + 3);
        assert_memory_equal(data, "\0s\x95", 3);
        /* Any stretch of it is as it came. */
        for (size_t at = 0; at < body.len; at += 397) {
            const size_t to = at + 500 < body.len ? at + 500 : body.len;
            buf_init(&b, 0);
            assert_int_equal(mail_content_range(&tx, &body, at, to, &b), 0);
            assert_int_equal(b.len, to - at);
            assert_memory_equal(b.data, raw + (n - body.len) + at, b.len);
            buf_done(&b);
        }
    }
}

static void contents_are_shared_until_the_last_goes(void **state)
{
    (void)state;
    const char *raw;
    size_t n;
    struct mail_message first = with_large_parts(&raw, &n), second = with_large_parts(&raw, &n);
    const int64_t blobs = number("select count(*) from blob");
    assert_true(blobs > 0);
    assert_int_equal(number("select count(*) from mail_content"), 1);
    assert_int_equal(number("select refs from mail_content"), 2);
    assert_int_equal(mail_message_delete(&tx, &first), 0);
    assert_int_equal(number("select refs from mail_content"), 1);
    assert_int_equal(number("select count(*) from blob"), blobs);
    assert_memory_equal(raw_of(&second), raw, n);
    assert_int_equal(mail_message_delete(&tx, &second), 0);
    assert_int_equal(number("select count(*) from mail_content"), 0);
    assert_int_equal(number("select count(*) from blob where refs > 0"), 0);
}

/* ---- as programs look at it ---- */

static char *shown(int (*fn)(struct sosia_engine *, uint64_t, const struct mail_shown *,
                             struct sosia_blob *, struct sosia_err *),
                   struct mail_shown s)
{
    struct sosia_blob blob;
    if (fn(test_engine, test_world, &s, &blob, &test_err) < 0)
        return NULL;
    char *text = strdup((const char *)blob.data);
    sosia_blob_free(&blob);
    return text;
}

static size_t times_in(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p++)
        n++;
    return n;
}

static void pages_of_a_folder_are_shown_from_both_ends(void **state)
{
    (void)state;
    enum { ALL = 9 };
    const struct mailbox ada = box("ada");
    const struct mail_folder in = make_folder(&ada, ID_OF(&ada, FOLDER_INBOX), "Within");
    for (int i = 0; i < ALL; i++)
        kept_text(arena_printf(tx.arena, "Subject: word n%d.\n\nx\n", i));
    mail_end();
    for (int words = 0; words < 2; words++)
        for (int offset = 0; offset <= ALL + 1; offset++)
            for (int limit = 1; limit <= 4; limit++) {
                struct mail_shown s = {.actor = "ada@acme.example",
                                       .folder = ID_OF(&ada, FOLDER_INBOX),
                                       .offset = offset,
                                       .limit = limit,
                                       .text = words ? "word" : NULL};
                char *text = shown(mail_show_messages, s), want[40];
                const int left = offset < ALL ? ALL - offset : 0, n = limit < left ? limit : left;
                assert_non_null(text);
                assert_int_equal(times_in(text, "\"subject\""), n);
                for (int i = 0; i < n; i++) {
                    snprintf(want, sizeof want, "word n%d.", ALL - 1 - offset - i);
                    assert_non_null(strstr(text, want));
                }
                snprintf(want, sizeof want, "\"next\":%d", offset + n);
                assert_int_equal(strstr(text, want) != NULL, left > limit);
                assert_int_equal(strstr(text, "\"next\"") != NULL, left > limit);
                free(text);
            }
    char *text = shown(mail_show_folders, (struct mail_shown){.actor = "ada@acme.example"}),
         parent[60];
    snprintf(parent, sizeof parent, "\"parent\":\"%lld\"", (long long)in.parent);
    assert_int_equal(times_in(text, parent), 1);
    free(text);
    struct mail_shown most = {.actor = "ada@acme.example",
                              .folder = ID_OF(&ada, FOLDER_INBOX),
                              .offset = 9000,
                              .limit = 1000,
                              .text = "word"};
    text = shown(mail_show_messages, most);
    assert_non_null(text);
    free(text);
    most.offset++;
    assert_null(shown(mail_show_messages, most));
    assert_string_equal(test_err.reason, "tooManyFound");
    mail_begin();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, mail_close_world)

int main(void)
{
    static const struct CMUnitTest both[] = {
        TEST(a_page_has_each_of_many_threads_once),
        TEST(a_long_thread_is_on_one_page_alone),
        TEST(a_thread_takes_a_hundred_messages),
        TEST(the_last_two_hundred_references_are_looked_at),
        TEST(the_nearest_reference_decides),
        TEST(mail_of_one_subject_and_the_same_people_is_a_thread_for_a_week),
        TEST(after_a_week_it_is_another_one),
        TEST(each_of_many_recipients_has_it_once),
        TEST(what_comes_back_is_whole_unless_it_is_large),
        TEST(what_comes_back_is_in_the_thread_of_what_was_sent),
        TEST(messages_are_found_by_their_size),
        TEST(nothing_is_larger_than_the_most),
        TEST(the_head_of_what_is_sent_has_a_limit),
        TEST(large_parts_are_given_back_as_they_came),
        TEST(base64_is_kept_decoded_if_it_can_be_made_again),
        TEST(contents_are_shared_until_the_last_goes),
        TEST(pages_of_a_folder_are_shown_from_both_ends),
    };
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        vendor = i ? &folders : &labels;
        rc |= cmocka_run_group_tests_name(vendor->name, both, NULL, NULL);
    }
    return rc;
}
