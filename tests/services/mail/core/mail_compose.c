/* SPDX-License-Identifier: Apache-2.0 */
/* Messages made from their pieces, byte for byte: heads, names of files, encodings, containers. */
#include "engine/base/err.h"
#include "services/mail/core/mime/compose.h"
#include "services/mail/core/mime/mime_impl.h"
#include "tests/support/unit.h"

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

/* The message's bytes, its line ends, which are all CRLF, as '\n'. */
static const char *made(const struct compose *c)
{
    struct buf b, lines;
    buf_init(&b, 0);
    buf_init(&lines, 0);
    mime_compose(&arena, c, &b);
    assert_false(buf_failed(&b));
    for (size_t i = 0; i < b.len; i++) {
        assert_true(b.data[i] != '\n' || (i && b.data[i - 1] == '\r'));
        if (b.data[i] != '\r' || i + 1 == b.len || b.data[i + 1] != '\n')
            buf_byte(&lines, b.data[i]);
    }
    buf_done(&b);
    return buf_keep(&lines, &arena);
}

/* So many of one character. */
static const char *times(char c, size_t n)
{
    char *text = arena_alloc(&arena, n + 1);
    memset(text, c, n);
    text[n] = 0;
    return text;
}

#define PRINT(...) arena_printf(&arena, __VA_ARGS__)

/* ---- heads ---- */

static void a_head_has_its_fields_in_their_order(void **state)
{
    (void)state;
    static const struct compose_header more[] = {{"X-One", "caf\xC3\xA9"}, {"X-Two", "2"}};
    struct compose c = {.from = "Ada <ada@acme.example>",
                        .to = "bob@acme.example",
                        .cc = "cyd@acme.example",
                        .bcc = "dan@acme.example",
                        .reply_to = "eve@acme.example",
                        .subject = "Plans",
                        .message_id = "<a@b>",
                        .in_reply_to = "<c@d>",
                        .references = "<e@f>",
                        .date_s = 1773300400,
                        .date_offset = 3600,
                        .headers = more,
                        .n_headers = 2,
                        .text = "Hello\r\nyou\n"};
    assert_string_equal(made(&c), "From: Ada <ada@acme.example>\nTo: bob@acme.example\n"
                                  "Cc: cyd@acme.example\nBcc: dan@acme.example\n"
                                  "Reply-To: eve@acme.example\n"
                                  "Date: Thu, 12 Mar 2026 08:26:40 +0100\nMessage-ID: <a@b>\n"
                                  "In-Reply-To: <c@d>\nReferences: <e@f>\nSubject: Plans\n"
                                  "X-One: =?UTF-8?b?Y2Fmw6k=?=\nX-Two: 2\nMIME-Version: 1.0\n"
                                  "Content-Type: text/plain; charset=UTF-8\n\nHello\nyou\n");
    c = (struct compose){.from = "a\r\nBcc: b", .to = "c\nd", .html = "<p>"};
    assert_string_equal(made(&c), "From: a  Bcc: b\nTo: c d\nDate: Thu, 1 Jan 1970 00:00:00 +0000\n"
                                  "MIME-Version: 1.0\n"
                                  "Content-Type: text/html; charset=UTF-8\n\n<p>");
    c = (struct compose){0};
    assert_string_equal(made(&c), "Date: Thu, 1 Jan 1970 00:00:00 +0000\nMIME-Version: 1.0\n"
                                  "Content-Type: text/plain; charset=UTF-8\n\n");
}

static void exchange_has_other_heads(void **state)
{
    (void)state;
    static const struct compose_header more[] = {
        {"X-Empty", ""}, {"Message-ID", "<x@y>"}, {"X-Last", "z"}};
    struct compose c = {.headers = more, .n_headers = 3, .text = "Hello", .exchange = true};
    assert_string_equal(made(&c), "Date: Thu, 1 Jan 1970 00:00:00 +0000\nX-Empty:\n"
                                  "Message-ID:\n\t<x@y>\nX-Last: z\n"
                                  "Content-Type: text/plain; charset=\"us-ascii\"\n"
                                  "MIME-Version: 1.0\n\nHello");
    c = (struct compose){.text = "Hello caf\xC3\xA9 and more", .exchange = true};
    assert_string_equal(made(&c), "Date: Thu, 1 Jan 1970 00:00:00 +0000\n"
                                  "Content-Type: text/plain; charset=\"utf-8\"\n"
                                  "Content-Transfer-Encoding: quoted-printable\n"
                                  "MIME-Version: 1.0\n\nHello caf=C3=A9 and more");
    c = (struct compose){.text = "a", .html = "b", .exchange = true};
    const char *text = made(&c);
    assert_non_null(strstr(text, "\"\nMIME-Version: 1.0\n\n--="));
    assert_null(strstr(strstr(text, "MIME-Version") + 1, "MIME-Version"));
    struct compose_header empty = {"X-Empty", ""};
    c = (struct compose){.headers = &empty, .n_headers = 1};
    assert_non_null(strstr(made(&c), "\nX-Empty: \n"));
}

static void long_fields_are_folded_at_blanks(void **state)
{
    (void)state;
    const char *a70 = times('a', 70), *b75 = times('b', 75), *c76 = times('c', 76);
    const struct {
        const char *value, *text;
    } cases[] = {
        {b75, b75}, /* 78 with "X: " */
        {c76, c76}, /* nowhere to fold */
        {PRINT("%s bbbb", a70), PRINT("%s bbbb", a70)},
        {PRINT("%s bbbbb", a70), PRINT("%s\n bbbbb", a70)},
        {PRINT("%s bbbb cccc", a70), PRINT("%s bbbb\n cccc", a70)},
        {PRINT("%s  bbb cccc", a70), PRINT("%s  bbb\n cccc", a70)},
        {PRINT("%s  bbbb cccc", a70), PRINT("%s\n  bbbb cccc", a70)},
        {PRINT(" %s", c76), PRINT(" %s", c76)},
        {PRINT("%s  ", c76), PRINT("%s  ", c76)},
        {PRINT("%s %s dd", a70, b75), PRINT("%s\n %s\n dd", a70, b75)},
        {PRINT("%s %s d", a70, b75), PRINT("%s\n %s d", a70, b75)},
        {PRINT("a %s", c76), PRINT("a\n %s", c76)},
        {PRINT("%s %s e", c76, c76), PRINT("%s\n %s\n e", c76, c76)},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct compose_header more = {"X", cases[i].value};
        struct compose c = {.headers = &more, .n_headers = 1};
        const char *at = strstr(made(&c), "\nX: ");
        assert_non_null(at);
        const char *want = PRINT("\nX: %s\nMIME-", cases[i].text);
        if (strncmp(at, want, strlen(want)) != 0)
            fail_msg("%zu: %s", i, at);
    }
}

static void dates_are_those_of_their_zone(void **state)
{
    (void)state;
    static const struct {
        int64_t s;
        int32_t offset;
        const char *text;
    } cases[] = {
        {0, 0, "Thu, 1 Jan 1970 00:00:00 +0000"},
        {-1, 0, "Wed, 31 Dec 1969 23:59:59 +0000"},
        {1770508799, 0, "Sat, 7 Feb 2026 23:59:59 +0000"},
        {1770508800, 0, "Sun, 8 Feb 2026 00:00:00 +0000"},
        {1770508800, -12600, "Sat, 7 Feb 2026 20:30:00 -0330"},
        {1770508800, -60, "Sat, 7 Feb 2026 23:59:00 -0001"},
        {1770508800, 20700, "Sun, 8 Feb 2026 05:45:00 +0545"},
        {1770508800, 50400, "Sun, 8 Feb 2026 14:00:00 +1400"},
        {1775001601, 0, "Wed, 1 Apr 2026 00:00:01 +0000"},
        {1777593600, 0, "Fri, 1 May 2026 00:00:00 +0000"},
        {1780272000, 0, "Mon, 1 Jun 2026 00:00:00 +0000"},
        {1782864000, 0, "Wed, 1 Jul 2026 00:00:00 +0000"},
        {1785542400, 0, "Sat, 1 Aug 2026 00:00:00 +0000"},
        {1788220800, 0, "Tue, 1 Sep 2026 00:00:00 +0000"},
        {1790812800, 0, "Thu, 1 Oct 2026 00:00:00 +0000"},
        {1793491200, 0, "Sun, 1 Nov 2026 00:00:00 +0000"},
        {1796083200, 0, "Tue, 1 Dec 2026 00:00:00 +0000"},
        {253402300799, 0, "Fri, 31 Dec 9999 23:59:59 +0000"},
        {-62135596800, 0, "Mon, 1 Jan 0001 00:00:00 +0000"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        char text[MIME_DATE];
        int64_t s;
        int32_t offset;
        mime_date_text(text, cases[i].s, cases[i].offset);
        assert_string_equal(text, cases[i].text);
        assert_true(mime_date(text, &s, &offset));
        if (cases[i].s > 0) {
            assert_int_equal(s, cases[i].s);
            assert_int_equal(offset, cases[i].offset);
        }
        assert_true(mime_date(text, &s, NULL));
    }
    assert_true(mime_date(PRINT("Thu, 1 Jan 1970 00:00:00 +0000 (%s)", times('x', 167)),
                          &(int64_t){0}, NULL));
    assert_false(mime_date(PRINT("Thu, 1 Jan 1970 00:00:00 +0000 (%s)", times('x', 168)),
                           &(int64_t){0}, NULL));
}

/* ---- texts ---- */

/* The transfer encoding and body of a text. */
static const char *body_of(const char *text)
{
    struct compose c = {.text = text};
    const char *all = made(&c), *at = strstr(all, "charset=UTF-8\n");
    assert_non_null(at);
    at += strlen("charset=UTF-8\n");
    static const char name[] = "Content-Transfer-Encoding: ";
    return strncmp(at, name, strlen(name)) == 0 ? at + strlen(name) : at;
}

static void texts_are_encoded_where_they_must_be(void **state)
{
    (void)state;
    const char *a56 = times('a', 56), *a72 = times('a', 72);
#define QP "quoted-printable\n\n"
    const struct {
        const char *text, *body;
    } cases[] = {
        {"", "\n"},
        {"a\tb ~\n\nc", "\na\tb ~\n\nc"},
        {"a\r\nb\r\n", "\na\nb\n"},
        {"\r\na", "\n\na"},
        {times('x', 998), PRINT("\n%s", times('x', 998))},
        {PRINT("%s\n%s\r\n%s", times('x', 998), times('y', 998), times('z', 998)),
         PRINT("\n%s\n%s\n%s", times('x', 998), times('y', 998), times('z', 998))},
        {times('x', 999),
         PRINT(QP "%s",
               PRINT("%s=\n%s=\n%s=\n%s=\n%s=\n%s=\n%s=\n%s=\n%s=\n%s=\n"
                     "%s=\n%s=\n%s=\n%s",
                     times('x', 75), times('x', 75), times('x', 75), times('x', 75), times('x', 75),
                     times('x', 75), times('x', 75), times('x', 75), times('x', 75), times('x', 75),
                     times('x', 75), times('x', 75), times('x', 75), times('x', 24)))},
        {"\x7F", QP "=7F"},
        {"\x1F!", QP "=1F!"},
        {"a\rb", QP "a=0Db"},
        {"ab\r", QP "ab=0D"},
        {"\r\r\n", QP "=0D\n"},
        {"\x01 =~}!\" \n\t\t\n \t", QP "=01 =3D~}!\"=20\n\t=09\n =09"},
        {"\x01\n\n\r\n", QP "=01\n\n\n"},
        {PRINT("\x01\n%saaaa\na", a72), PRINT(QP "=01\n%saaaa\na", a72)},
        {PRINT("\x01%sa\n", a72), PRINT(QP "=01%sa\n", a72)},      /* 76 to the end of the line */
        {PRINT("\x01%saa\n", a72), PRINT(QP "=01%s=\naa\n", a72)}, /* 77 */
        {PRINT("\x01%sa", a72), PRINT(QP "=01%sa", a72)},
        {PRINT("\x01%s=\n", times('a', 70)), PRINT(QP "=01%s=3D\n", times('a', 70))},
        {PRINT("\x01%s=\n", times('a', 71)), PRINT(QP "=01%s=\n=3D\n", times('a', 71))},
        {PRINT("\x01%s=b\n", times('a', 69)), PRINT(QP "=01%s=3Db\n", times('a', 69))},
        {PRINT("\x01%s=b\n", times('a', 70)), PRINT(QP "=01%s=\n=3Db\n", times('a', 70))},
        /* More than one byte of four beyond ASCII. */
        {"abcdef\xC3\xA9", QP "abcdef=C3=A9"},
        {"abcde\xC3\xA9", "base64\n\nYWJjZGXDqQ==\n"},
        {"\xC2\x80", "base64\n\nwoA=\n"},
        {"\xC3\xA9\n\xC3\xA9", "base64\n\nw6kNCsOp\n"},
        {"\xC3\xA9\r\n\xC3\xA9", "base64\n\nw6kNCsOp\n"},
        {PRINT("%s\xC3\xA9", a56), PRINT(QP "%s=C3=A9", a56)},
    };
#undef QP
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        if (strcmp(body_of(cases[i].text), cases[i].body) != 0)
            fail_msg("%zu: %s", i, body_of(cases[i].text));
}

/* ---- files ---- */

/* The part of the one file of a message, from its head on. */
static const char *file_of(struct compose_file f)
{
    struct compose c = {.files = &f, .n_files = 1};
    const char *all = made(&c), *at = strstr(all, "Content-Type: x/y");
    assert_non_null(at);
    const char *end = strstr(at, "\n--=_");
    assert_non_null(end);
    return arena_memdup(&arena, at, (size_t)(end - at));
}

static void files_have_their_heads(void **state)
{
    (void)state;
    const struct {
        struct compose_file file;
        const char *text;
    } cases[] = {
        {{.type = "x/y"}, "Content-Type: x/y\nContent-Transfer-Encoding: base64\n\n"},
        {{.type = "x/y", .params = "method=REQUEST", .plain = true, .data = "a\nb", .len = 3},
         "Content-Type: x/y; method=REQUEST\n\na\nb"},
        {{.type = "x/y", .plain = true, .data = "a\r\nb\rc\n\r", .len = 8},
         "Content-Type: x/y\n\na\nb\rc\n\r"},
        {{.type = "x/y", .inlined = true, .data = "abc", .len = 3},
         "Content-Type: x/y\nContent-Disposition: inline\n"
         "Content-Transfer-Encoding: base64\n\nYWJj\n"},
        {{.type = "x/y", .filename = "a.txt", .cid = "logo", .data = "abc", .len = 2},
         "Content-Type: x/y;\n name=\"a.txt\"\nContent-Disposition: attachment;\n"
         " filename=\"a.txt\"\nContent-ID: <logo>\nContent-Transfer-Encoding: base64\n\nYWI=\n"},
        {{.type = "x/y", .filename = "a.txt", .inlined = true, .data = "", .len = 0},
         "Content-Type: x/y;\n name=\"a.txt\"\nContent-Disposition: inline;\n"
         " filename=\"a.txt\"\nContent-Transfer-Encoding: base64\n\n"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        assert_string_equal(file_of(cases[i].file), cases[i].text);
}

static void names_of_files_are_quoted_or_percent_encoded(void **state)
{
    (void)state;
    const struct {
        const char *name, *text;
    } cases[] = {
        {"a b;c~.txt", "filename=\"a b;c~.txt\""},
        {"a\"b\\c", "filename=\"a\\\"b\\\\c\""},
        {"", "filename=\"\""},
        {"=?x", "filename*=UTF-8''%3D%3Fx"},
        {"a\x7F", "filename*=UTF-8''a%7F"},
        {"a\x1F", "filename*=UTF-8''a%1F"},
        {"\xC3\xA9", "filename*=UTF-8''%C3%A9"},
        {times('n', 200), PRINT("filename=\"%s\"", times('n', 200))},
        {times('n', 201), PRINT("filename*=UTF-8''%s", times('n', 201))},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *at = strstr(
            file_of((struct compose_file){.type = "x/y", .filename = cases[i].name}), "filename");
        const char *want = PRINT("%s\nContent-Transfer", cases[i].text);
        if (strncmp(at, want, strlen(want)) != 0)
            fail_msg("%zu: %s", i, at);
    }
}

static void bytes_are_in_lines_of_76(void **state)
{
    (void)state;
    const char *zeros = arena_calloc(&arena, 200, 1), *l = times('A', 76);
    const struct {
        size_t n;
        const char *text;
    } cases[] = {
        {0, ""},
        {1, "AA==\n"},
        {56, PRINT("%sA=\n", times('A', 74))},
        {57, PRINT("%s\n", l)},
        {58, PRINT("%s\nAA==\n", l)},
        {114, PRINT("%s\n%s\n", l, l)},
        {115, PRINT("%s\n%s\nAA==\n", l, l)},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *all =
            file_of((struct compose_file){.type = "x/y", .data = zeros, .len = cases[i].n});
        assert_string_equal(strstr(all, "\n\n") + 2, cases[i].text);
    }
}

/* ---- containers ---- */

static const struct compose_file PICTURE = {
    .type = "image/png", .cid = "p", .inlined = true, .data = "png", .len = 3};
static const struct compose_file PAPER = {.type = "x/y", .data = "abc", .len = 3};

static void the_boundary_is_of_the_content(void **state)
{
    (void)state;
    const struct compose same[] = {
        {.text = "a\nb\n", .html = "<p>\nc"},
        {.text = "a\r\nb\r\n", .html = "<p>\r\nc", .from = "x@y", .subject = "s"},
    };
    const char *first = strstr(made(&same[0]), "Content-Type: m");
    assert_string_equal(first, strstr(made(&same[1]), "Content-Type: m"));
    const struct compose others[] = {
        {.text = "a\nb", .html = "<p>\nc"},
        {.text = "a\rb\n", .html = "<p>\nc"},
        {.text = "ab\n", .html = "<p>\nc"},
        {.text = "a\nb\n\n", .html = "<p>\nc"},
        {.text = "<p>\nc", .html = "a\nb\n"},
        {.text = "a\nb\n", .html = "<p>\nc", .files = &PICTURE, .n_files = 1},
        {.text = "a\nb\n", .html = "<p>\nc", .alternative = "x/z", .alternative_data = "d"},
    };
    for (size_t i = 0; i < SOSIA_LEN(others); i++)
        assert_int_not_equal(
            strncmp(strstr(first, "=_"), strstr(made(&others[i]), "=_"), strlen("=_") + 16), 0);
}

static void containers_hold_what_belongs_together(void **state)
{
    (void)state;
    const struct compose_file files[] = {PAPER, PICTURE, PICTURE, PAPER};
    const struct {
        struct compose of;
        const char *text;
    } cases[] = {
        {{.text = "a\n", .html = "b"},
         "Content-Type: multipart/alternative; boundary=\"=_73b6b1f4b459fcc9_0\"\n"
         "\n"
         "--=_73b6b1f4b459fcc9_0\n"
         "Content-Type: text/plain; charset=UTF-8\n"
         "\n"
         "a\n"
         "\n"
         "--=_73b6b1f4b459fcc9_0\n"
         "Content-Type: text/html; charset=UTF-8\n"
         "\n"
         "b\n"
         "--=_73b6b1f4b459fcc9_0--\n"},
        {{.text = "a", .html = "b", .alternative = "text/calendar", .alternative_data = "c"},
         "Content-Type: multipart/alternative; boundary=\"=_9d2334fb07bd386f_0\"\n"
         "\n"
         "--=_9d2334fb07bd386f_0\n"
         "Content-Type: text/plain; charset=UTF-8\n"
         "\n"
         "a\n"
         "--=_9d2334fb07bd386f_0\n"
         "Content-Type: text/html; charset=UTF-8\n"
         "\n"
         "b\n"
         "--=_9d2334fb07bd386f_0\n"
         "Content-Type: text/calendar; charset=UTF-8\n"
         "\n"
         "c\n"
         "--=_9d2334fb07bd386f_0--\n"},
        {{.alternative = "text/calendar", .alternative_data = "c"},
         "Content-Type: text/calendar; charset=UTF-8\n"
         "\n"
         "c"},
        {{.html = "b", .alternative = "text/calendar", .alternative_data = "c"},
         "Content-Type: multipart/alternative; boundary=\"=_9cc84a501cb4e013_0\"\n"
         "\n"
         "--=_9cc84a501cb4e013_0\n"
         "Content-Type: text/html; charset=UTF-8\n"
         "\n"
         "b\n"
         "--=_9cc84a501cb4e013_0\n"
         "Content-Type: text/calendar; charset=UTF-8\n"
         "\n"
         "c\n"
         "--=_9cc84a501cb4e013_0--\n"},
        {{.html = "b", .files = files, .n_files = 4},
         "Content-Type: multipart/mixed; boundary=\"=_784e18e6578124e1_2\"\n"
         "\n"
         "--=_784e18e6578124e1_2\n"
         "Content-Type: multipart/related; boundary=\"=_784e18e6578124e1_1\"\n"
         "\n"
         "--=_784e18e6578124e1_1\n"
         "Content-Type: text/html; charset=UTF-8\n"
         "\n"
         "b\n"
         "--=_784e18e6578124e1_1\n"
         "Content-Type: image/png\n"
         "Content-Disposition: inline\n"
         "Content-ID: <p>\n"
         "Content-Transfer-Encoding: base64\n"
         "\n"
         "cG5n\n"
         "\n"
         "--=_784e18e6578124e1_1\n"
         "Content-Type: image/png\n"
         "Content-Disposition: inline\n"
         "Content-ID: <p>\n"
         "Content-Transfer-Encoding: base64\n"
         "\n"
         "cG5n\n"
         "\n"
         "--=_784e18e6578124e1_1--\n"
         "\n"
         "--=_784e18e6578124e1_2\n"
         "Content-Type: x/y\n"
         "Content-Transfer-Encoding: base64\n"
         "\n"
         "YWJj\n"
         "\n"
         "--=_784e18e6578124e1_2\n"
         "Content-Type: x/y\n"
         "Content-Transfer-Encoding: base64\n"
         "\n"
         "YWJj\n"
         "\n"
         "--=_784e18e6578124e1_2--\n"},
        {{.html = "b", .files = files + 1, .n_files = 1},
         "Content-Type: multipart/related; boundary=\"=_4ee051abe74ef92b_1\"\n"
         "\n"
         "--=_4ee051abe74ef92b_1\n"
         "Content-Type: text/html; charset=UTF-8\n"
         "\n"
         "b\n"
         "--=_4ee051abe74ef92b_1\n"
         "Content-Type: image/png\n"
         "Content-Disposition: inline\n"
         "Content-ID: <p>\n"
         "Content-Transfer-Encoding: base64\n"
         "\n"
         "cG5n\n"
         "\n"
         "--=_4ee051abe74ef92b_1--\n"},
        {{.text = "b", .files = files + 1, .n_files = 1},
         "Content-Type: multipart/mixed; boundary=\"=_4ec78405156c0e60_2\"\n"
         "\n"
         "--=_4ec78405156c0e60_2\n"
         "Content-Type: text/plain; charset=UTF-8\n"
         "\n"
         "b\n"
         "--=_4ec78405156c0e60_2\n"
         "Content-Type: image/png\n"
         "Content-Disposition: inline\n"
         "Content-ID: <p>\n"
         "Content-Transfer-Encoding: base64\n"
         "\n"
         "cG5n\n"
         "\n"
         "--=_4ec78405156c0e60_2--\n"},
        {{.text = "b", .files = &PAPER, .n_files = 1, .report = "delivery-status"},
         "Content-Type: multipart/report; report-type=delivery-status; "
         "boundary=\"=_e074a15e5c4f3a08_2\"\n"
         "\n"
         "--=_e074a15e5c4f3a08_2\n"
         "Content-Type: text/plain; charset=UTF-8\n"
         "\n"
         "b\n"
         "--=_e074a15e5c4f3a08_2\n"
         "Content-Type: x/y\n"
         "Content-Transfer-Encoding: base64\n"
         "\n"
         "YWJj\n"
         "\n"
         "--=_e074a15e5c4f3a08_2--\n"},
        {{.text = "b", .report = "delivery-status"},
         "Content-Type: multipart/report; report-type=delivery-status; "
         "boundary=\"=_99009138a3452320_2\"\n"
         "\n"
         "--=_99009138a3452320_2\n"
         "Content-Type: text/plain; charset=UTF-8\n"
         "\n"
         "b\n"
         "--=_99009138a3452320_2--\n"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *all = strstr(made(&cases[i].of), "Content-Type: ");
        assert_string_equal(all, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_has_its_fields_in_their_order),
        cmocka_unit_test(exchange_has_other_heads),
        cmocka_unit_test(long_fields_are_folded_at_blanks),
        cmocka_unit_test(dates_are_those_of_their_zone),
        cmocka_unit_test(texts_are_encoded_where_they_must_be),
        cmocka_unit_test(files_have_their_heads),
        cmocka_unit_test(names_of_files_are_quoted_or_percent_encoded),
        cmocka_unit_test(bytes_are_in_lines_of_76),
        cmocka_unit_test(the_boundary_is_of_the_content),
        cmocka_unit_test(containers_hold_what_belongs_together),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
