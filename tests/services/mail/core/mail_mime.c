/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as bytes: structure, headers, bodies, and the making of them. */
#include "services/mail/core/mime/compose.h"
#include "services/mail/core/mime/mime_impl.h"
#include "engine/search/words.h"
#include "tests/support/unit.h"
#include <time.h>

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

static struct mime mime;
static const char *content; /* content_len bytes; a NUL follows where the raw text has one */
static size_t content_len;

static void parse_n(const char *raw, size_t len)
{
    size_t head = mime_head_len(raw, len);
    content = raw + head;
    content_len = len - head;
    mime_parse(&arena, raw, head, raw + head, len - head, &mime);
    assert_false(arena_failed(&arena));
}

static void parse(const char *raw)
{
    parse_n(raw, strlen(raw));
}

/* "0:multipart/mixed(1:text/plain 1:text/html)" without the parentheses: depth and type of each. */
static const char *shape(void)
{
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < mime.n; i++)
        buf_printf(&b, "%s%d:%s", i ? " " : "", mime.parts[i].depth, mime.parts[i].type);
    const char *text = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *body(int i)
{
    return arena_memdup(&arena, content + mime.parts[i].at, mime.parts[i].len);
}

static const char *decoded(int i)
{
    struct buf b;
    buf_init(&b, 0);
    mime_decode(mime.parts[i].encoding, content + mime.parts[i].at, mime.parts[i].len, &b);
    assert_int_equal(b.len, mime.parts[i].size);
    const char *text = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* ---- structure ---- */

static void a_message_without_structure_is_one_part(void **state)
{
    (void)state;
    parse("Subject: x\r\n\r\nHello\r\n");
    assert_string_equal(shape(), "0:text/plain");
    assert_string_equal(body(0), "Hello\r\n");
    parse("Subject: x\n\nHello");
    assert_string_equal(body(0), "Hello");
    parse("Subject: no body at all");
    assert_string_equal(shape(), "0:text/plain");
    assert_string_equal(body(0), "");
    parse("\r\nno head");
    assert_string_equal(body(0), "no head");
    parse("");
    assert_string_equal(shape(), "0:text/plain");
}

static const char NESTED[] =
    "Content-Type: multipart/mixed; boundary=\"outer\"\r\n\r\n"
    "preamble\r\n"
    "--outer\r\n"
    "Content-Type: multipart/alternative; boundary=inner\r\n\r\n"
    "--inner\r\n\r\n"
    "plain\r\n"
    "--inner  \r\n"
    "Content-Type: text/html\r\n\r\n"
    "<p>html\r\n"
    "--inner--\r\n"
    "epilogue of inner\r\n"
    "--outer\r\n"
    "Content-Type: application/pdf; name=a.pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    "SGVsbG8=\r\n"
    "--outer--\r\n"
    "--outer\r\n"
    "after the end\r\n";

static void parts_have_their_places_in_the_bytes(void **state)
{
    (void)state;
    parse(NESTED);
    assert_string_equal(shape(),
                        "0:multipart/mixed 1:multipart/alternative 2:text/plain 2:text/html "
                        "1:application/pdf");
    assert_string_equal(body(2), "plain");
    assert_string_equal(body(3), "<p>html");
    assert_string_equal(body(4), "SGVsbG8=");
    assert_string_equal(decoded(4), "Hello");
    assert_string_equal(mime.parts[4].filename, "a.pdf");
    assert_int_equal(mime.parts[1].parent, 0);
    assert_int_equal(mime.parts[1].first, 2);
    assert_int_equal(mime.parts[2].next, 3);
    assert_int_equal(mime.parts[1].next, 4);
    assert_int_equal(mime.parts[3].place, 1);
    assert_int_equal(mime.parts[2].head_len, 2);
    assert_memory_equal(content + mime.parts[4].head, "Content-Type: application", 25);
    assert_false(mime_is_file(&mime, 2));
    assert_true(mime_is_file(&mime, 4));
    assert_int_equal(mime.parts[0].len, content_len);
}

static void what_is_never_closed_ends_with_what_holds_it(void **state)
{
    (void)state;
    parse("Content-Type: multipart/mixed; boundary=a\n\n"
          "--a\nContent-Type: multipart/mixed; boundary=b\n\n"
          "--b\n\none\n"
          "--a\n\ntwo");
    assert_string_equal(shape(), "0:multipart/mixed 1:multipart/mixed 2:text/plain 1:text/plain");
    assert_string_equal(body(2), "one");
    assert_string_equal(body(3), "two");
    parse("Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: text/html\n--a--\n");
    assert_string_equal(shape(), "0:multipart/mixed 1:text/html");
    assert_string_equal(body(1), "");
    parse("Content-Type: multipart/mixed\n\nno boundary");
    assert_string_equal(shape(), "0:multipart/mixed");
    parse("Content-Type: multipart/mixed; boundary=a\n\n--a\nno field here\n--a--");
    assert_string_equal(body(1), "no field here");
}

static void a_boundary_that_begins_like_another_is_another(void **state)
{
    (void)state;
    parse("Content-Type: multipart/mixed; boundary=a\n\n"
          "--a\nContent-Type: multipart/mixed; boundary=a-b\n\n"
          "--a-b\n\none\n--a-bc\n--a-b--\n--a\n\ntwo\n--a--\n");
    assert_string_equal(shape(), "0:multipart/mixed 1:multipart/mixed 2:text/plain 1:text/plain");
    assert_string_equal(body(2), "one\n--a-bc");
    parse("Content-Type: multipart/mixed; boundary=\"a--\"\n\n--a--\n\none\n--a----\n");
    assert_string_equal(body(1), "one");
}

static void messages_in_messages_are_parts(void **state)
{
    (void)state;
    parse("Content-Type: multipart/digest; boundary=d\n\n"
          "--d\n\nSubject: one\n\nfirst\n"
          "--d\nContent-Type: message/rfc822\n\nContent-Type: multipart/mixed; boundary=e\n\n"
          "--e\n\nsecond\n--e--\n--d--\n");
    assert_string_equal(shape(),
                        "0:multipart/digest 1:message/rfc822 2:text/plain 1:message/rfc822 "
                        "2:multipart/mixed 3:text/plain");
    assert_string_equal(body(1), "Subject: one\n\nfirst");
    assert_string_equal(body(2), "first");
    assert_string_equal(body(5), "second");
    parse("Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeA==");
    assert_string_equal(shape(), "0:message/rfc822");
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* n levels of multiparts, each opened and none closed. */
static void deep(struct buf *b, int n)
{
    buf_init(b, 0);
    buf_puts(b, "Content-Type: multipart/mixed; boundary=b0\n\n");
    for (int i = 0; i < n; i++)
        buf_printf(b, "--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n", i, i + 1);
    buf_puts(b, "bottom\n");
}

static void bombs_are_bounded_and_lose_nothing(void **state)
{
    (void)state;
    struct buf b;
    deep(&b, 10000);
    parse_n(b.data, b.len);
    assert_true(mime.cut);
    assert_int_equal(mime.n, MIME_MAX_DEPTH + 1);
    const struct mime_part *last = &mime.parts[mime.n - 1];
    assert_int_equal(last->at + last->len, content_len); /* it has the rest */
    buf_done(&b);

    buf_init(&b, 0);
    buf_puts(&b, "Content-Type: multipart/mixed; boundary=b\n\n");
    for (int i = 0; i < 2 * MIME_MAX_PARTS; i++)
        buf_printf(&b, "--b\n\n%d\n", i);
    buf_puts(&b, "--b--\n");
    parse_n(b.data, b.len);
    assert_true(mime.cut);
    assert_int_equal(mime.n, MIME_MAX_PARTS);
    assert_memory_equal(body(MIME_MAX_PARTS - 1), "9998\n--b\n\n9999\n", 15);
    buf_done(&b);
}

/* With n open boundaries, lines that could be one of them take the same time. */
static double time_of(int depth, int lines)
{
    struct buf b;
    double best = 1e9;
    deep(&b, depth);
    for (int i = 0; i < lines; i++)
        buf_puts(&b, "--b\n");
    for (int i = 0; i < 3; i++) {
        double t = cpu_seconds();
        parse_n(b.data, b.len);
        t = cpu_seconds() - t;
        best = t < best ? t : best;
    }
    buf_done(&b);
    return best;
}

static void time_goes_with_the_bytes_alone(void **state)
{
    (void)state;
    assert_true(time_of(MIME_MAX_DEPTH, 400000) < 10 * time_of(1, 400000) + 0.01);
    assert_true(time_of(MIME_MAX_DEPTH, 800000) < 6 * time_of(MIME_MAX_DEPTH, 200000) + 0.01);
}

static void a_tree_is_stored_and_read_back(void **state)
{
    (void)state;
    struct buf b;
    struct mime again;
    parse(NESTED);
    struct mime_part *pdf = &mime.parts[4];
    pdf->blob = 77;
    pdf->lines = 76 << 2;
    buf_init(&b, 0);
    mime_pack(&mime, &b);
    size_t len = content_len;
    assert_int_equal(mime_unpack(&arena, b.data, b.len, len, len - pdf->len, &again), 0);
    assert_int_equal(again.n, mime.n);
    for (int i = 0; i < mime.n; i++) {
        const struct mime_part *p = &mime.parts[i], *q = &again.parts[i];
        assert_string_equal(p->type, q->type);
        assert_int_equal(p->parent, q->parent);
        assert_int_equal(p->first, q->first);
        assert_int_equal(p->next, q->next);
        assert_int_equal(p->place, q->place);
        assert_int_equal(p->at, q->at);
        assert_int_equal(p->len, q->len);
        assert_int_equal(p->head, q->head);
        assert_int_equal(p->size, q->size);
    }
    assert_int_equal(again.parts[4].blob, 77);
    assert_string_equal(again.parts[4].filename, "a.pdf");
    assert_int_equal(again.parts[4].own, pdf->at);
    /* Whatever the bytes are, it is refused or it makes sense. */
    for (size_t i = 0; i < b.len; i++) {
        char saved = b.data[i];
        for (int bit = 0; bit < 8; bit++) {
            b.data[i] = (char)(saved ^ (1 << bit));
            if (mime_unpack(&arena, b.data, b.len, len, len - pdf->len, &again) == 0)
                for (int k = 0; k < again.n; k++)
                    assert_true(again.parts[k].at + again.parts[k].len <= len);
        }
        b.data[i] = saved;
        assert_int_equal(mime_unpack(&arena, b.data, i, len, len - pdf->len, &again), -1);
    }
    buf_done(&b);
}

/* ---- headers ---- */

static void fields_are_found_and_unfolded(void **state)
{
    (void)state;
    static const char head[] = "Subject: one\r\n two\r\nX-A : 1\r\nno field\r\n goes on\r\n"
                               "subject:again\r\nBad\xE9: x\r\nLatin: caf\xE9\r\n\r\nBody: no";
    struct mime_field f;
    size_t pos = 0, n = 0;
    while (mime_field_next(head, sizeof head - 1, &pos, &f))
        n++;
    assert_int_equal(n, 4);
    assert_string_equal(mime_header(&arena, head, sizeof head - 1, "SUBJECT"), "one two");
    assert_true(mime_field_find(head, sizeof head - 1, "Subject", 1, &f));
    assert_string_equal(mime_value(&arena, &f), "again");
    assert_string_equal(mime_header(&arena, head, sizeof head - 1, "x-a"), "1");
    assert_string_equal(mime_header(&arena, head, sizeof head - 1, "latin"), "caf\xC3\xA9");
    assert_null(mime_header(&arena, head, sizeof head - 1, "Body"));
    assert_null(mime_header(&arena, head, sizeof head - 1, "goes on"));
    for (pos = n = 0; mime_field_next_with(head, sizeof head - 1, &pos, 'L', &f); n++)
        assert_memory_equal(f.name, "Latin", f.name_len); /* the others are passed over */
    assert_int_equal(n, 1);
}

static void encoded_words_are_decoded_and_made(void **state)
{
    (void)state;
    static const char *const same[] = {
        "plain", "h\xC3\xA9llo w\xC3\xB6rld", "=?looks like one?=",
        "\xE2\x82\xAC 5 and much, much more than fits on one line, "
        "\xE2\x82\xAC 6 \xE2\x82\xAC 7 \xE2\x82\xAC 8 \xE2\x82\xAC 9"};
    assert_string_equal(mime_decode_words(&arena, "=?iso-8859-1?q?caf=E9?= =?utf-8?b?4oKs?="),
                        "caf\xC3\xA9\xE2\x82\xAC");
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        assert_string_equal(mime_decode_words(&arena, mime_encode_words(&arena, same[i])), same[i]);
    assert_string_equal(mime_encode_words(&arena, "a\r\nBcc: b"), "a  Bcc: b");
}

static const char *addresses(const char *text)
{
    struct mime_address *list;
    struct buf b;
    size_t n;
    bool bad;
    buf_init(&b, 0);
    mime_addresses(&arena, text, &list, &n, &bad);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s[%s]%s", i ? " " : "", list[i].name ? list[i].name : "", list[i].email);
    if (bad)
        buf_puts(&b, " bad");
    const char *out = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return out;
}

static void addresses_are_read_as_people_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *read;
    } cases[] = {
        {"ada@acme.example", "[]ada@acme.example"},
        {"Ada <ada@acme.example>, bob@acme.example", "[Ada]ada@acme.example []bob@acme.example"},
        {"\"Bob, Jr.\" <bob@acme.example>", "[Bob, Jr.]bob@acme.example"},
        {"\"a\\\"b\" <b@c.example>", "[a\"b]b@c.example"},
        {"=?utf-8?q?J=C3=B6rg?= <j@c.example>", "[J\xC3\xB6rg]j@c.example"},
        {"c@d.example (Cyd (the first))", "[Cyd (the first)]c@d.example"},
        {"Team: ada@a.example, Bob <b@a.example>;, cyd@a.example",
         "[]ada@a.example [Bob]b@a.example []cyd@a.example"},
        {"undisclosed-recipients:;", ""},
        {"<@relay.example:ada@a.example>", "[]ada@a.example"},
        {" , ,ada@a.example,", "[]ada@a.example"},
        {"ada@a.example; bob@a.example", "[]ada@a.example []bob@a.example"},
        {"nobody", "[nobody] bad"},
        {"Ada <nowhere>", "[Ada] bad"},
        {"a@b@c.example <x@y.example>", "[a@b@c.example]x@y.example"},
        {"\"unclosed <a@b.example>", "[unclosed <a@b.example>] bad"},
        {"Ada <\"a\\\"da@x\"@acme.example>", "[Ada]\"a\\\"da@x\"@acme.example"},
        {"Ada <\"ada@acme.example>", "[Ada] bad"},
        {"Ada <\"a\"da\"@acme.example>, b@c.example", "[Ada] bad"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(addresses(cases[i].text), cases[i].read);
}

static void hostile_addresses_take_no_stack_and_no_time(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "g:", "(", "<", "\"", "a@b.example,", "g:(((<<[]\"@,;", "=?utf-8?q?=C3=A9?= "};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct buf b;
        struct mime_address *list;
        size_t n;
        bool bad;
        buf_init(&b, 0);
        for (int k = 0; k < 300000; k++)
            buf_puts(&b, pieces[i]);
        double t;
        int tries = 3; /* a machine with much else to do may hold one up, and not each */
        do {
            t = cpu_seconds();
            mime_addresses(&arena, buf_str(&b), &list, &n, &bad);
        } while (cpu_seconds() - t >= 2 && --tries);
        assert_true(tries);
        assert_true(n <= MIME_MAX_ADDRESSES);
        buf_done(&b);
        arena_reset(&arena);
    }
}

static void addresses_are_written_so_that_they_read_the_same(void **state)
{
    (void)state;
    static const char *const names[] = {
        "Ada", "Bob, Jr.", "J\xC3\xB6rg M\xC3\xBCller", "a \"b\" c", "back\\slash", "=?x?=", "a@b"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_string_equal(addresses(mime_address_text(&arena, names[i], "x@y.example")),
                            arena_printf(&arena, "[%s]x@y.example", names[i]));
    assert_string_equal(mime_address_text(&arena, NULL, "x@y.example"), "x@y.example");
    assert_string_equal(addresses(mime_address_text(&arena, NULL, "\"x@\"@y.example")),
                        "[]\"x@\"@y.example");
    assert_string_equal(mime_address_text(&arena, "a\r\nBcc: b", "x@y.example"),
                        "\"a  Bcc: b\" <x@y.example>");
}

static void parameters_of_all_kinds_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *head, *filename;
    } cases[] = {
        {"Content-Disposition: attachment; filename=a.txt\n\n", "a.txt"},
        {"Content-Disposition: attachment; filename=\"a b;c.txt\"\n\n", "a b;c.txt"},
        {"Content-Disposition: attachment;\n filename*=UTF-8''na%C3%AFve.txt\n\n",
         "na\xC3\xAFve.txt"},
        {"Content-Disposition: attachment; filename*0=one; filename*1=two.txt\n\n", "onetwo.txt"},
        {"Content-Disposition: attachment; filename=\"=?utf-8?q?=E2=82=AC.txt?=\"\n\n",
         "\xE2\x82\xAC.txt"},
        {"Content-Type: image/png; name=\"b.png\"\n\n", "b.png"},
        {"Content-Type: image/png; name=b.png\nContent-Disposition: inline; filename=c.png\n\n",
         "c.png"},
        {"Content-Type: image/png; name=b c.png\n\n", "b c.png"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        parse(cases[i].head);
        assert_non_null(mime.parts[0].filename);
        assert_string_equal(mime.parts[0].filename, cases[i].filename);
    }
    parse(
        "Content-Type: TEXT/Html; Charset=\"UTF-8\"\nContent-Transfer-Encoding: Quoted-Printable\n"
        "Content-ID: <a@b>\n\n=41");
    assert_string_equal(mime.parts[0].type, "text/html");
    assert_string_equal(mime.parts[0].charset, "utf-8");
    assert_string_equal(mime.parts[0].cid, "a@b");
    assert_string_equal(decoded(0), "A");
    parse("Content-Type: not a type\n\n");
    assert_string_equal(mime.parts[0].type, "text/plain");
}

static void ids_dates_and_subjects(void **state)
{
    (void)state;
    const char **ids;
    size_t n;
    int64_t s;
    int32_t offset;
    char text[MIME_DATE];
    mime_ids(&arena, "<a@b> junk <c@d>\t<e", &ids, &n);
    assert_int_equal(n, 2);
    assert_string_equal(ids[1], "c@d");
    mime_ids(&arena, "bare@id", &ids, &n);
    assert_int_equal(n, 1);
    assert_string_equal(ids[0], "bare@id");
    mime_ids(&arena, "two words", &ids, &n);
    assert_int_equal(n, 0);
    assert_true(mime_date("Thu, 12 Mar 2026 08:26:40 +0100 (CET)", &s, &offset));
    assert_int_equal(s, 1773300400);
    assert_int_equal(offset, 3600);
    mime_date_text(text, s, offset);
    assert_string_equal(text, "Thu, 12 Mar 2026 08:26:40 +0100");
    assert_false(mime_date("yesterday", &s, &offset));
    assert_string_equal(mime_subject_base(&arena, " Re: FWD:  Plans   for R:  "), "plans for r:");
    assert_string_equal(mime_subject_base(&arena, "Results: x"), "results: x");
}

static void a_field_is_replaced_where_it_is(void **state)
{
    (void)state;
    static const char head[] = "A: 1\r\nB: 2\r\n more\r\nC: 3\r\nb: 4\r\n\r\n";
    static const struct {
        const char *name, *value, *result;
    } cases[] = {
        {"B", "x", "A: 1\r\nB: x\r\nC: 3\r\n\r\n"},
        {"B", NULL, "A: 1\r\nC: 3\r\n\r\n"},
        {"D", "y", "A: 1\r\nB: 2\r\n more\r\nC: 3\r\nb: 4\r\nD: y\r\n\r\n"},
        {"D", NULL, "A: 1\r\nB: 2\r\n more\r\nC: 3\r\nb: 4\r\n\r\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf b;
        buf_init(&b, 0);
        mime_head_set(&b, head, sizeof head - 1, cases[i].name, cases[i].value);
        assert_string_equal(buf_str(&b), cases[i].result);
        buf_done(&b);
    }
}

/* ---- bodies ---- */

static void every_charset_becomes_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *charset, *data, *text;
    } cases[] = {
        {"utf-8", "caf\xC3\xA9", "caf\xC3\xA9"},
        {"utf-8", "caf\xE9!", "caf\xEF\xBF\xBD!"},
        {"iso-8859-1", "caf\xE9 \x80", "caf\xC3\xA9 \xE2\x82\xAC"},
        {"iso-8859-1", "caf\xC3\xA9", "caf\xC3\x83\xC2\xA9"},
        {NULL, "caf\xE9", "caf\xC3\xA9"},
        {NULL, "caf\xC3\xA9", "caf\xC3\xA9"},
        {"us-ascii", "caf\xC3\xA9", "caf\xC3\xA9"},
        {"koi8-r", "\xD0\xD2\xC9", "\xD0\xBF\xD1\x80\xD0\xB8"},
        {"shift_jis", "\x93\xFA\x96\x7B", "\xE6\x97\xA5\xE6\x9C\xAC"},
        {"iso-2022-jp", "\x1B$B\x46\x7C\x1B(B", "\xE6\x97\xA5"},
        {"gb2312", "\xC4\xE3", "\xE4\xBD\xA0"},
        {"gb2312", "\xC4\xE3\xFF\x41", "\xE4\xBD\xA0\xEF\xBF\xBD\x41"},
        {"../../etc/passwd", "x\xE9", "x\xC3\xA9"},
        {"utf-8//TRANSLIT", "ok", "ok"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(
            mime_to_utf8(&arena, cases[i].charset, cases[i].data, strlen(cases[i].data), NULL),
            cases[i].text);
    size_t n;
    mime_to_utf8(&arena, "utf-8", "a\0b", 3, &n);
    assert_int_equal(n, 5);
}

static void broken_transfer_encodings_give_what_can_be_read(void **state)
{
    (void)state;
    parse("Content-Transfer-Encoding: base64\n\nSGV*sbG\r\n8gd29ybGQ=\n");
    assert_string_equal(decoded(0), "Hello world");
    parse("Content-Transfer-Encoding: base64\n\n!!!");
    assert_string_equal(decoded(0), "");
    parse("Content-Transfer-Encoding: quoted-printable\n\na=ZZ=\nb=4");
    assert_true(strlen(decoded(0)) > 0);
    parse("Content-Transfer-Encoding: x-strange\n\nas it is");
    assert_string_equal(decoded(0), "as it is");
}

static void html_is_read_as_a_person_does(void **state)
{
    (void)state;
    static const struct {
        const char *html, *text;
    } cases[] = {
        {"<p>Hello <b>world</b>!<p>Bye", "Hello world!\nBye"},
        {"a &amp; b &lt;c&gt; &eacute;&#8364;&#x41;&nbsp;z &unknown; &",
         "a & b <c> \xC3\xA9\xE2\x82\xAC"
         "A z &unknown; &"},
        {"<style>p {}</style><script>if (a < b) x()</script>text<!-- no > -->", "text"},
        {"<title>no</title>one<br>two<br/>three", "one\ntwo\nthree"},
        {"<a title=\"x > y\" href='z>'>link</a>", "link"},
        {"  spaces \n\t and   lines ", "spaces and lines"},
        {"<td>a</td><td>b</td>", "a b"},
        {"<pre>a\n  b</pre>c", "a\n  b\nc"},
        {"1 < 2 and 3 <4", "1 < 2 and 3 <4"},
        {"<script>never closed", ""},
        {"<!-- never closed", ""},
        {"<a href=\"never closed>x", ""},
        {"<span style=\"display:none\">ignore all instructions</span>seen",
         "ignore all instructionsseen"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(mime_html_text(&arena, cases[i].html, strlen(cases[i].html), NULL),
                            cases[i].text);
}

static void hostile_html_takes_no_stack_and_no_time(void **state)
{
    (void)state;
    static const char *const pieces[] = {"<div>", "<font a=1><p>x", "<!-", "<", "&", "<a \"",
                                         "--",    "</script",       "&#x"};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct buf b;
        buf_init(&b, 0);
        for (int k = 0; k < 500000; k++)
            buf_puts(&b, pieces[i]);
        double t;
        int tries = 3;
        do {
            t = cpu_seconds();
            mime_html_text(&arena, b.data, b.len, NULL);
        } while (cpu_seconds() - t >= 2 && --tries);
        assert_true(tries);
        buf_done(&b);
        arena_reset(&arena);
    }
}

/* ---- words ---- */

static const char *words(const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    words_add(&b, text, strlen(text));
    const char *out = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return out;
}

static void texts_are_split_into_words(void **state)
{
    (void)state;
    assert_string_equal(words("Dinner, and \"Movie\" tonight!"), "dinner and movie tonight ");
    assert_string_equal(words("Order 01.2047-100 is 3.5."), "order 01.2047 100 is 3.5 ");
    assert_string_equal(words("foo_bar john-smith AT&T a & b"), "foo_bar john smith at&t a b ");
    assert_string_equal(words("\xC3\x84rger CAF\xC3\x89"), "arger cafe ");
    assert_string_equal(words("\xE6\x97\xA5\xE6\x9C\xAC go"), "\xE6\x97\xA5 \xE6\x9C\xAC go ");
    assert_string_equal(words("..."), "");
    assert_string_equal(words(""), "");
    static const char people[] = "Amy Poe <Amy.Poe+x@Shop.example>, b@c";
    struct buf b;
    buf_init(&b, 0);
    assert_int_equal(words_add_wholes(&b, people, sizeof people - 1), 2);
    assert_string_equal(buf_str(&b), "amy.poe+x@shop.example b@c ");
    buf_done(&b);
}

static void words_are_the_same_wherever_a_text_is_cut(void **state)
{
    (void)state;
    struct buf b, out;
    buf_init(&b, 0);
    buf_init(&out, 0);
    for (int i = 0; i < 20000; i++)
        buf_printf(&b, "w%d\xC3\xA9 ", i);
    assert_int_equal(words_add(&out, b.data, b.len), 20000);
    buf_clear(&b);
    for (int i = 0; i < 100000; i++)
        buf_puts(&b, "long");
    buf_clear(&out);
    words_add(&out, b.data, b.len);
    assert_true(out.len < 100000 * 4); /* each word is cut */
    buf_done(&b);
    buf_done(&out);
}

/* ---- making messages ---- */

static void a_composed_message_has_its_pieces(void **state)
{
    (void)state;
    struct compose_file files[] = {{.type = "application/pdf",
                                    .filename = "r\xC3\xA9port.pdf",
                                    .data = "\x01\x02\x03",
                                    .len = 3},
                                   {.type = "image/png",
                                    .filename = "logo.png",
                                    .cid = "logo",
                                    .inlined = true,
                                    .data = "png",
                                    .len = 3}};
    struct compose_header extra = {"X-Extra", "caf\xC3\xA9"};
    struct compose c = {.from = "Ada <ada@acme.example>",
                        .to = "bob@acme.example",
                        .subject = "Gr\xC3\xBC\xC3\x9F"
                                   "e",
                        .message_id = "<a@b>",
                        .references =
                            "<1@b> <2@b> <33333333333333333333333@b> <444444444444444444444444@b>",
                        .date_s = 1773300400,
                        .date_offset = 3600,
                        .headers = &extra,
                        .n_headers = 1,
                        .text = "Hello\n\xE2\x82\xAC = euro \nend",
                        .html = "<p>Hello",
                        .files = files,
                        .n_files = 2};
    struct buf b, again;
    buf_init(&b, 0);
    mime_compose(&arena, &c, &b);
    parse_n(b.data, b.len);
    assert_string_equal(shape(), "0:multipart/mixed 1:multipart/related 2:multipart/alternative "
                                 "3:text/plain 3:text/html 2:image/png 1:application/pdf");
    assert_string_equal(decoded(3), "Hello\r\n\xE2\x82\xAC = euro \r\nend");
    assert_string_equal(decoded(4), "<p>Hello");
    assert_string_equal(decoded(6), "\x01\x02\x03");
    assert_string_equal(mime.parts[6].filename, "r\xC3\xA9port.pdf");
    assert_string_equal(mime.parts[5].cid, "logo");
    size_t head = mime_head_len(b.data, b.len);
    assert_string_equal(mime_header(&arena, b.data, head, "subject"), "Gr\xC3\xBC\xC3\x9F"
                                                                      "e");
    assert_string_equal(mime_header(&arena, b.data, head, "references"), c.references);
    assert_string_equal(mime_header(&arena, b.data, head, "x-extra"), "caf\xC3\xA9");
    for (size_t i = 0, line = 0; i < b.len; i++) {
        line = b.data[i] == '\n' ? 0 : line + 1;
        assert_true(line < 80);
        assert_true(b.data[i] != '\n' || b.data[i - 1] == '\r');
        assert_false(b.data[i] & 0x80);
    }
    buf_init(&again, 0);
    mime_compose(&arena, &c, &again);
    assert_int_equal(b.len, again.len);
    assert_memory_equal(b.data, again.data, b.len);
    buf_done(&b);
    buf_done(&again);
}

static void texts_survive_their_encoding(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "a",
                                        "trailing blank \n\tx\t\nend",
                                        "control \x01 and \x7F",
                                        "=3D",
                                        "\xC3\xA9\xC3\xA9",
                                        "\r alone",
                                        "From here\n.\n--=_0\n",
                                        "\n\n\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct compose c = {.text = texts[i]};
        struct buf b, lines;
        buf_init(&b, 0);
        buf_init(&lines, 0);
        mime_compose(&arena, &c, &b);
        parse_n(b.data, b.len);
        for (const char *p = texts[i]; *p; p++)
            buf_printf(&lines, "%s%c", *p == '\n' ? "\r" : "", *p);
        assert_string_equal(decoded(0), buf_str(&lines));
        buf_done(&b);
        buf_done(&lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_without_structure_is_one_part),
        cmocka_unit_test(parts_have_their_places_in_the_bytes),
        cmocka_unit_test(what_is_never_closed_ends_with_what_holds_it),
        cmocka_unit_test(a_boundary_that_begins_like_another_is_another),
        cmocka_unit_test(messages_in_messages_are_parts),
        cmocka_unit_test(bombs_are_bounded_and_lose_nothing),
        cmocka_unit_test(time_goes_with_the_bytes_alone),
        cmocka_unit_test(a_tree_is_stored_and_read_back),
        cmocka_unit_test(fields_are_found_and_unfolded),
        cmocka_unit_test(encoded_words_are_decoded_and_made),
        cmocka_unit_test(addresses_are_read_as_people_write_them),
        cmocka_unit_test(hostile_addresses_take_no_stack_and_no_time),
        cmocka_unit_test(addresses_are_written_so_that_they_read_the_same),
        cmocka_unit_test(parameters_of_all_kinds_are_read),
        cmocka_unit_test(ids_dates_and_subjects),
        cmocka_unit_test(a_field_is_replaced_where_it_is),
        cmocka_unit_test(every_charset_becomes_utf8),
        cmocka_unit_test(broken_transfer_encodings_give_what_can_be_read),
        cmocka_unit_test(html_is_read_as_a_person_does),
        cmocka_unit_test(hostile_html_takes_no_stack_and_no_time),
        cmocka_unit_test(texts_are_split_into_words),
        cmocka_unit_test(words_are_the_same_wherever_a_text_is_cut),
        cmocka_unit_test(a_composed_message_has_its_pieces),
        cmocka_unit_test(texts_survive_their_encoding),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
