/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of parts, case by case: transfer encodings, charsets, HTML; and trees as they are stored.
 */
#include "engine/base/codec.h"
#include "engine/base/err.h"
#include "services/mail/core/mime/mime_impl.h"
#include "tests/support/unit.h"
#include <stdio.h>

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

static void check(const char *is, const char *want, size_t i)
{
    if (strcmp(is, want) != 0)
        fail_msg("%zu: %s, not %s", i, is, want);
}

/* ---- transfer encodings ---- */

static void bodies_are_decoded(void **state)
{
    (void)state;
    static const struct {
        enum mime_encoding encoding;
        const char *data, *text;
    } cases[] = {
        {MIME_7BIT, "a=41\r\n", "a=41\r\n"},
        {MIME_8BIT, "\xE9", "\xE9"},
        {MIME_BINARY, "YQ==", "YQ=="},
        {MIME_BASE64, "", ""},
        {MIME_BASE64, "YQ==", "a"},
        {MIME_BASE64, "YW\r\nJj\nZA", "abc"},
        {MIME_QP, "", ""},
        {MIME_QP, "a=41=\r\nb=\nc=e9", "aAbc\xE9"},
        {MIME_QP, "a\r\nb\n", "a\r\nb\n"},
        {MIME_UU, "begin 644 x\n#86)C\n`\nend\n", "abc"},
        {MIME_UU, "see here\r\nbegin 600 x y\r\n#86)C\r\n`\r\nend\r\n", "abc"},
        {MIME_UU, "#86)C\n`\nend\n", "abc"},
        {MIME_UU, "begin 644 x", ""},
        {MIME_UU, "begin 644 x\n`\nend\n", ""},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct buf b;
        size_t n = strlen(cases[i].data);
        buf_init(&b, 0);
        buf_puts(&b, "before ");
        mime_decode(cases[i].encoding, cases[i].data, n, &b);
        check(buf_str(&b), arena_printf(&arena, "before %s", cases[i].text), i);
        assert_int_equal(mime_decoded_size(cases[i].encoding, cases[i].data, n),
                         strlen(cases[i].text));
        buf_done(&b);
    }
}

/* Longer than what is decoded at once, and around that. */
static void long_bodies_are_decoded(void **state)
{
    (void)state;
    static const size_t sizes[] = {49150, 49151, 49152, 49153, 65535, 65536, 65537, 200000};
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++) {
        struct buf plain, base64, qp, b;
        uint32_t x = 12345;
        buf_init(&plain, 0);
        buf_init(&base64, 0);
        buf_init(&qp, 0);
        buf_init(&b, 0);
        for (size_t k = 0; k < sizes[i]; k++) {
            x = x * 1664525 + 1013904223;
            buf_byte(&plain, (char)(x >> 24));
            buf_printf(&qp, "=%02X%s", x >> 24, k % 20 == 19 ? "=\r\n" : "");
        }
        base64_add(&base64, plain.data, plain.len);
        mime_decode(MIME_BASE64, base64.data, base64.len, &b);
        assert_int_equal(b.len, plain.len);
        assert_memory_equal(b.data, plain.data, plain.len);
        assert_int_equal(mime_decoded_size(MIME_BASE64, base64.data, base64.len), plain.len);
        buf_clear(&b);
        mime_decode(MIME_QP, qp.data, qp.len, &b);
        assert_int_equal(b.len, plain.len);
        assert_memory_equal(b.data, plain.data, plain.len);
        buf_done(&plain);
        buf_done(&base64);
        buf_done(&qp);
        buf_done(&b);
    }
}

/* ---- charsets ---- */

static void charsets_become_utf8(void **state)
{
    (void)state;
    static const char forty[] = "utf-8xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    static const struct {
        const char *charset, *data, *text;
    } cases[] = {
        {"", "\xE9", "\xC3\xA9"},
        {"ASCII", "\xE9", "\xC3\xA9"},
        {"us-ascii", "a", "a"},
        {"UTF8", "\xE9", "\xEF\xBF\xBD"},
        {"unicode-1-1-utf-8", "\xE9\xC3\xA9", "\xEF\xBF\xBD\xC3\xA9"},
        {"utf-8", "\xF0\x9F\x98\x80\xF0\x9F", "\xF0\x9F\x98\x80\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"latin1", "\xC3\xA9", "\xC3\x83\xC2\xA9"},
        {"iso8859-1", "\xC3\xA9", "\xC3\x83\xC2\xA9"},
        {"CP1252", "\x7F\x80\x81\x9F\xA0\xFF",
         "\x7F\xE2\x82\xAC\xEF\xBF\xBD\xC5\xB8\xC2\xA0\xC3\xBF"},
        {"windows-1252", "a", "a"},
        {"iso-8859-15", "\xA4", "\xE2\x82\xAC"},
        {"koi8-r", "", ""},
        {"no-such-charset", "\xE9", "\xC3\xA9"},
        {"no-such-charset", "\xC3\xA9", "\xC3\xA9"},
        {"koi8-r!", "\xD0", "\xC3\x90"},
        {forty, "\xC3\xA9", "\xC3\xA9"},
        {"gb2312", "\xC4\xE3\xC4", "\xE4\xBD\xA0\xEF\xBF\xBD"}, /* cut short */
        {"gb2312", "\xFF\xFF\xC4\xE3", "\xEF\xBF\xBD\xEF\xBF\xBD\xE4\xBD\xA0"},
        {"us-ascii", "a\xC3\xA9", "a\xC3\xA9"},
        {"iso_8859-2:1987", "\xB1", "\xC4\x85"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        size_t n = 77;
        const char *text =
            mime_to_utf8(&arena, cases[i].charset, cases[i].data, strlen(cases[i].data), &n);
        check(text, cases[i].text, i);
        assert_int_equal(n, strlen(cases[i].text));
        check(mime_to_utf8(&arena, cases[i].charset, cases[i].data, strlen(cases[i].data), NULL),
              cases[i].text, i);
    }
    static const struct {
        const char *charset, *text;
        size_t n;
    } nuls[] = {{"utf-8",
                 "a\xEF\xBF\xBD"
                 "b",
                 5},
                {NULL,
                 "a\xEF\xBF\xBD"
                 "b",
                 5},
                {"latin1",
                 "a\xEF\xBF\xBD"
                 "b",
                 5},
                {"koi8-r",
                 "a\xEF\xBF\xBD"
                 "b",
                 5}};
    for (size_t i = 0; i < SOSIA_LEN(nuls); i++) {
        size_t n;
        check(mime_to_utf8(&arena, nuls[i].charset, "a\0b", 3, &n), nuls[i].text, i);
        assert_int_equal(n, nuls[i].n);
    }
}

static void long_texts_of_other_charsets_become_utf8(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2047, 2048, 2049, 4095, 4096, 4097, 100000};
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++) {
        struct buf in, out;
        size_t n;
        buf_init(&in, 0);
        buf_init(&out, 0);
        for (size_t k = 0; k < sizes[i]; k++) {
            buf_puts(&in, k % 1000 == 999 ? "\xFF" : "\xC4\xE3");
            buf_puts(&out, k % 1000 == 999 ? "\xEF\xBF\xBD" : "\xE4\xBD\xA0");
        }
        const char *text = mime_to_utf8(&arena, "gb2312", in.data, in.len, &n);
        assert_int_equal(n, out.len);
        assert_string_equal(text, buf_str(&out));
        buf_clear(&in);
        buf_clear(&out);
        for (size_t k = 0; k < sizes[i]; k++) {
            buf_byte(&in, '\xD0');
            buf_puts(&out, "\xD0\xBF");
        }
        assert_string_equal(mime_to_utf8(&arena, "koi8-r", in.data, in.len, &n), buf_str(&out));
        assert_int_equal(n, out.len);
        buf_done(&in);
        buf_done(&out);
    }
}

static void windows_1252_has_all_its_characters(void **state)
{
    (void)state;
    static const unsigned high[] = {0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD,
                                    0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};
    for (unsigned c = 1; c < 256; c++) {
        char byte = (char)c;
        const unsigned want = c >= 0x80 && c <= 0x9F ? high[c - 0x80] : c;
        const unsigned char *p =
            (const unsigned char *)mime_to_utf8(&arena, "windows-1252", &byte, 1, NULL);
        const unsigned is = p[0] < 0x80   ? p[0]
                            : p[0] < 0xE0 ? (p[0] & 31u) << 6 | (p[1] & 63u)
                                          : (p[0] & 15u) << 12 | (p[1] & 63u) << 6 | (p[2] & 63u);
        assert_int_equal(is, want);
    }
}

/* ---- HTML ---- */

static const char *html(const char *text)
{
    size_t n;
    const char *is = mime_html_text(&arena, text, strlen(text), &n);
    assert_int_equal(n, strlen(is));
    return is;
}

#define WHAT "\xEF\xBF\xBD"

static void references_are_characters(void **state)
{
    (void)state;
    static const struct {
        const char *html, *text;
    } cases[] = {
        {"&amp;&lt&gt;x", "&<>x"},
        {"&ampx;", "&ampx;"},
        {"&AMP;", "&AMP;"},
        {"&Aacute;&zwnj;&AElig;&thetasym;&there4;&frac12;",
         "\xC3\x81\xE2\x80\x8C\xC3\x86\xCF\x91\xE2\x88\xB4\xC2\xBD"},
        {"&thetasymbols;", "&thetasymbols;"},
        {"&abcdefghijk;&abcdefghijkl;&abcdefghijklm;",
         "&abcdefghijk;&abcdefghijkl;&abcdefghijklm;"},
        {"&", "&"},
        {"&;", "&;"},
        {"& amp;", "& amp;"},
        {"&#", "&#"},
        {"&#;", "&#;"},
        {"&#x", "&#x"},
        {"&#x;", "&#x;"},
        {"&#xg;", "&#xg;"},
        {"&#65&#66;&#067;", "ABC"},
        {"&#x4a;&#X4A&#x4F;&#x6b;", "JJOk"},
        {"&#6a;", "\x06"
                  "a;"},
        {"&#57;&#x39;", "99"},
        {"&#48;&#x30;", "00"},
        {"&#xAfg", "\xC2\xAFg"},
        {"&#0;&#x0;", WHAT WHAT},
        {"&#xD7FF;", "\xED\x9F\xBF"},
        {"&#xD800;&#xDFFF;", WHAT WHAT},
        {"&#xE000;", "\xEE\x80\x80"},
        {"&#x10FFFF;", "\xF4\x8F\xBF\xBF"},
        {"&#x110000;&#x1FFFFF;&#x200000;&#x41000000041;&#4294967361;", WHAT WHAT WHAT WHAT WHAT},
        {"&#1;", "\x01"},
        {"a&nbsp;&nbsp;b&#32;&#32;c&#10;d", "a  b c d"},
        {"a&#13;b", "a b"},
        {"<pre>a&#13;&#10;b</pre>", "a\nb\n"},
        {"&amp", "&"},
        {"&#65", "A"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        check(html(cases[i].html), cases[i].text, i);
    size_t n;
    check(mime_html_text(&arena, "a\0b \0c", 6, &n), "ab c", 0);
    assert_int_equal(n, 4);
    assert_string_equal(mime_html_text(&arena, "&amp", 4, NULL), "&");
    assert_string_equal(mime_html_text(&arena, "&am", 3, NULL), "&am");
    assert_string_equal(mime_html_text(&arena, "&#65;", 4, NULL), "A");
    assert_string_equal(mime_html_text(&arena, "&#65;", 3, NULL), "\x06");
    assert_string_equal(mime_html_text(&arena,
                                       "a\xC3\xA9\xFF"
                                       "b\xC3",
                                       6, NULL),
                        "a\xC3\xA9"
                        "b");
}

static void blanks_and_lines_are_as_shown(void **state)
{
    (void)state;
    static const struct {
        const char *html, *text;
    } cases[] = {
        {" a\f\tb\r\n\n c ", "a b c"},
        {"a<p> b", "a\nb"},
        {"a <p>b", "a\nb"},
        {"<p><p>a<p><p>b</p></p>", "a\nb\n"},
        {"a<td>b</td>", "a b"},
        {"<tr><td>a<td>b<th>c<tr><td>d", "a b c\nd"},
        {"a<img>b", "a b"},
        {"a<b>b</b> <i>c</i>", "ab c"},
        {"a<BR>b<Br />c", "a\nb\nc"},
        {"a<pb>b<pre2>c", "abc"},
        {"<pre>  a\n\n b \n</pre>\n c", "  a\n\n b \nc"},
        {"<pre>a<pre>b</pre> \n c", "a\nb\nc"},
        {"x <pre>a</pre>", "x\na\n"},
        {"<pre>a\r\n\tb", "a\n\tb"},
        {"</pre>a  b", "a b"},
        {"<address>a<article>b<aside>c<blockquote>d<center>e<dd>f<div>g<dl>h<dt>i<fieldset>j"
         "<figure>k<footer>l<form>m<h1>n<h2>o<h3>p<h4>q<h5>r<h6>s<header>t<hr>u<li>v<main>w<nav>x"
         "<ol>y<section>z<table>1<tbody>2<tfoot>3<thead>4<ul>5<body>6<html>7<head>8<option>9"
         "<caption>0",
         "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\no\np\nq\nr\ns\nt\nu\nv\nw\nx\ny\nz\n1\n2\n3\n4"
         "\n"
         "5\n6\n7\n8\n9\n0"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        check(html(cases[i].html), cases[i].text, i);
}

static void tags_end_where_they_end(void **state)
{
    (void)state;
    static const struct {
        const char *html, *text;
    } cases[] = {
        {"<a b=\"x>y\">c", "c"},
        {"<a b='x>y'>c", "c"},
        {"<a b= \t\r\n\">\">c", "c"},
        {"<a b=\"'>\">c", "c"},
        {"<a b=x\">c", "c"},
        {"<a \">c", "c"},
        {"<a b=\"c\"d\">e", "e"},
        {"<a b=\"c\" d=\">\">e", "e"},
        {"<a b==\">\">c", "c"},
        {"<a", ""},
        {"<a b=\">c", ""},
        {"<", "<"},
        {"a<", "a<"},
        {"<1>", "<1>"},
        {"< a>", "< a>"},
        {"<!doctype x>a", "a"},
        {"<?xml x?>a", "a"},
        {"</>a", "a"},
        {"</ p>a", "a"},
        {"<p/>a", "a"},
        {"x<p/y>a", "x\na"},
        {"x</p>a", "x\na"},
        {"x<h1>a<h12>b", "x\nab"},
        {"<a:b>c", "c"},
        {"<!--a-->b", "b"},
        {"<!---->b", "b"},
        {"<!-->b-->c", "c"},
        {"<!--a--b>c-->d", "d"},
        {"<!--a--", ""},
        {"<!-a>b", "b"},
        {"<!-", ""},
        {"<!", ""},
        {"<!->a-->b", "a-->b"},
        {"a<!--b-->", "a"},
        {"<script>a</script>b", "b"},
        {"<SCRIPT x>a</a></scripT >b", "b"},
        {"<style>a<b></style>c", "c"},
        {"<title>a</title>b", "b"},
        {"<titles>a</titles>b", "ab"},
        {"<styl>a</styl>b", "ab"},
        {"</script>a", "a"},
        {"<script>a</scrip>b</script", ""},
        {"<script>a<script>b</script>c</script>d", "cd"},
        {"<style></style", ""},
        {"<style>a</style>b<style>c</style>d", "bd"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        check(html(cases[i].html), cases[i].text, i);
}

/* ---- trees as they are stored ---- */

/* A tree of parts in a content of 1000 bytes, of which `blobs` are in blobs. */
static int again(struct mime_part *parts, int n, size_t blobs, struct mime *ret)
{
    struct mime m = {.parts = parts, .n = n};
    struct buf b;
    buf_init(&b, 0);
    mime_pack(&m, &b);
    int rc =
        mime_unpack(&arena, arena_memdup(&arena, b.data, b.len), b.len, 1000, 1000 - blobs, ret);
    buf_done(&b);
    return rc;
}

#define PART(d, h, hl, a, l)                                                                       \
    {                                                                                              \
        .depth = (d), .type = "x/y", .head = (h), .head_len = (hl), .at = (a), .len = (l)          \
    }

static void trees_are_stored_whole(void **state)
{
    (void)state;
    struct mime_part parts[] = {
        {.type = "multipart/x", .len = 1000, .charset = "", .cid = "c", .encoding = MIME_BINARY},
        {.depth = 1,
         .type = "a/b",
         .filename = "f",
         .head = 10,
         .head_len = 20,
         .at = 30,
         .len = 130,
         .size = 1 << 20,
         .blob = 1LL << 40,
         .lines = 76 << 2 | 3,
         .encoding = MIME_BASE64,
         .disposition = MIME_ATTACHMENT},
        {.depth = 1, .type = "multipart/z", .head = 170, .at = 170, .len = 100},
        {.depth = 2,
         .type = "c/d",
         .head = 200,
         .head_len = 27,
         .at = 227,
         .len = 3,
         .encoding = MIME_UU,
         .disposition = MIME_INLINE},
        {.depth = 2, .type = "c/e", .head = 240, .at = 240},
        {.depth = 1, .type = "c/f", .head = 300, .at = 300, .len = 700, .blob = 1},
    };
    static const int places[][4] = {{-1, 1, -1, 0}, {0, -1, 2, 0},  {0, 3, 5, 1},
                                    {2, -1, 4, 0},  {2, -1, -1, 1}, {0, -1, -1, 2}};
    static const size_t own[] = {0, 30, 40, 97, 110, 170};
    struct mime m;
    assert_int_equal(again(parts, SOSIA_LEN(parts), 830, &m), 0);
    assert_int_equal(m.n, SOSIA_LEN(parts));
    assert_false(m.cut);
    for (int i = 0; i < m.n; i++) {
        const struct mime_part *p = &m.parts[i], *q = &parts[i];
        assert_string_equal(p->type, q->type);
        assert_int_equal(p->parent, places[i][0]);
        assert_int_equal(p->first, places[i][1]);
        assert_int_equal(p->next, places[i][2]);
        assert_int_equal(p->place, places[i][3]);
        assert_int_equal(p->depth, q->depth);
        assert_int_equal(p->encoding, q->encoding);
        assert_int_equal(p->disposition, q->disposition);
        assert_int_equal(p->head, q->head);
        assert_int_equal(p->head_len, q->head_len);
        assert_int_equal(p->at, q->at);
        assert_int_equal(p->len, q->len);
        assert_int_equal(p->size, q->size);
        assert_int_equal(p->blob, q->blob);
        assert_int_equal(p->lines, q->lines);
        assert_int_equal(p->own, own[i]);
    }
    assert_string_equal(m.parts[0].charset, "");
    assert_null(m.parts[1].charset);
    assert_string_equal(m.parts[0].cid, "c");
    assert_null(m.parts[0].filename);
    assert_string_equal(m.parts[1].filename, "f");
    assert_int_equal(again(parts, SOSIA_LEN(parts), 829, &m), -1);
    assert_int_equal(again(parts, SOSIA_LEN(parts), 831, &m), -1);
}

static void what_is_no_tree_is_refused(void **state)
{
    (void)state;
    static const struct {
        struct mime_part parts[4];
        int n;
        size_t blobs;
        bool good;
    } cases[] = {
        {{PART(0, 0, 0, 0, 1000)}, 1, 0, true},
        {{PART(0, 0, 0, 0, 1001)}, 1, 0, false},
        {{PART(0, 0, 0, 1000, 0)}, 1, 0, true},
        {{PART(0, 0, 0, 1001, 0)}, 1, 0, false},
        {{PART(0, 0, 0, 500, 500)}, 1, 0, true},
        {{PART(0, 0, 0, 500, 501)}, 1, 0, false},
        {{PART(0, 5, 9, 10, 20)}, 1, 0, true}, /* of the root the head is elsewhere */
        {{PART(1, 0, 0, 0, 1000)}, 1, 0, false},
        {{PART(0, 0, 0, 0, 9), PART(0, 0, 0, 0, 9)}, 2, 0, false},
        {{PART(0, 0, 0, 0, 9), PART(1, 2, 3, 5, 4)}, 2, 0, true},
        {{PART(0, 0, 0, 0, 9), PART(1, 2, 2, 5, 4)}, 2, 0, false},
        {{PART(0, 0, 0, 0, 9), PART(1, 2, 4, 5, 4)}, 2, 0, false},
        {{PART(0, 0, 0, 0, 9), PART(1, 6, 0, 5, 4)}, 2, 0, false},
        {{PART(0, 0, 0, 0, 9), PART(2, 2, 3, 5, 4)}, 2, 0, false},
        {{PART(0, 0, 0, 0, 9), PART(1, 2, 3, 5, 4), PART(2, 5, 0, 5, 1), PART(1, 6, 0, 6, 1)},
         4,
         0,
         true},
        {{PART(0, 0, 0, 0, 9), PART(1, 2, 3, 5, 4), PART(1, 5, 0, 5, 1), PART(3, 6, 0, 6, 1)},
         4,
         0,
         false},
        {{{.type = "x/y", .encoding = MIME_UU, .disposition = MIME_ATTACHMENT}}, 1, 0, true},
        {{{.type = "x/y", .encoding = MIME_UU + 1}}, 1, 0, false},
        {{{.type = "x/y", .disposition = MIME_ATTACHMENT + 1}}, 1, 0, false},
        {{{.type = NULL}}, 1, 0, false},
        {{{.type = "x/y", .lines = 16}}, 1, 0, true},
        {{{.type = "x/y", .lines = 15}}, 1, 0, false},
        {{{.type = "x/y", .lines = 1}}, 1, 0, false},
        {{{.type = "x/y", .lines = 19}}, 1, 0, true},
        {{{.type = "x/y", .lines = 20}}, 1, 0, false},
        {{{.type = "x/y", .lines = 24}}, 1, 0, false},
        {{{.type = "x/y", .lines = 32}}, 1, 0, true},
        {{{.type = "x/y", .lines = 1000000}}, 1, 0, true},
        {{{.type = "x/y", .lines = 1000001}}, 1, 0, false},
        {{{.type = "x/y", .lines = 1000016}}, 1, 0, false},
        {{{.type = "x/y", .at = 10, .len = 90, .blob = 5}}, 1, 90, true},
        {{{.type = "x/y", .at = 10, .len = 90, .blob = 5}}, 1, 0, false},
        {{{.type = "x/y", .at = 0, .len = 1000, .blob = 5}}, 1, 1000, true},
        {{{.type = "x/y", .at = 10, .len = 90, .blob = 5}, PART(1, 200, 0, 200, 1)}, 2, 90, false},
        /* Blobs come one behind the other, and no part begins within one. */
        {{PART(0, 0, 0, 0, 9),
          {.depth = 1, .type = "x/y", .head = 10, .at = 10, .len = 90, .blob = 5},
          {.depth = 1, .type = "x/y", .head = 100, .at = 100, .len = 10, .blob = 6}},
         3,
         100,
         true},
        {{PART(0, 0, 0, 0, 9),
          {.depth = 1, .type = "x/y", .head = 10, .at = 10, .len = 90, .blob = 5},
          {.depth = 1, .type = "x/y", .head = 99, .at = 99, .len = 10, .blob = 6}},
         3,
         100,
         false},
        {{PART(0, 0, 0, 0, 9),
          {.depth = 1, .type = "x/y", .head = 10, .at = 10, .len = 90, .blob = 5},
          PART(1, 89, 11, 100, 1)},
         3,
         90,
         false},
        {{PART(0, 0, 0, 0, 9),
          {.depth = 1, .type = "x/y", .head = 10, .at = 10, .len = 90, .blob = 5},
          PART(1, 90, 10, 100, 1)},
         3,
         90,
         true},
        {{PART(0, 0, 0, 0, 9),
          {.depth = 1, .type = "x/y", .head = 10, .at = 10, .len = 90, .blob = 5},
          PART(1, 89, 0, 89, 1)},
         3,
         90,
         false},
        /* What is in no blob is among the own bytes. */
        {{PART(0, 0, 0, 0, 1000),
          {.depth = 1, .type = "x/y", .head = 10, .at = 10, .len = 90, .blob = 5},
          PART(1, 100, 0, 100, 900)},
         3,
         90,
         true},
        {{PART(0, 0, 0, 0, 1000),
          {.depth = 1, .type = "x/y", .head = 900, .at = 900, .len = 100, .blob = 5}},
         2,
         100,
         true},
        {{PART(0, 0, 0, 0, 1000),
          PART(1, 0, 0, 0, 901),
          {.depth = 1, .type = "x/y", .head = 900, .at = 900, .len = 100, .blob = 5}},
         3,
         100,
         false},
        {{PART(0, 0, 0, 0, 1000),
          PART(1, 901, 0, 901, 0),
          {.depth = 1, .type = "x/y", .head = 901, .at = 901, .len = 99, .blob = 5}},
         3,
         100,
         false},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct mime_part parts[4];
        struct mime m;
        memcpy(parts, cases[i].parts, sizeof parts);
        if (again(parts, cases[i].n, cases[i].blobs, &m) != (cases[i].good ? 0 : -1))
            fail_msg("%zu", i);
    }
}

static void depth_and_number_of_stored_parts_have_limits(void **state)
{
    (void)state;
    struct mime_part *parts = arena_calloc(&arena, MIME_MAX_PARTS + 1, sizeof *parts);
    struct mime m;
    for (int i = 0; i <= MIME_MAX_PARTS; i++)
        parts[i] = (struct mime_part){.depth = i, .type = "x/y"};
    assert_int_equal(again(parts, MIME_MAX_DEPTH + 1, 0, &m), 0);
    assert_int_equal(m.parts[MIME_MAX_DEPTH].parent, MIME_MAX_DEPTH - 1);
    assert_int_equal(again(parts, MIME_MAX_DEPTH + 2, 0, &m), -1);
    for (int i = 1; i <= MIME_MAX_PARTS; i++)
        parts[i].depth = 1;
    assert_int_equal(again(parts, MIME_MAX_PARTS, 0, &m), 0);
    assert_int_equal(again(parts, MIME_MAX_PARTS + 1, 0, &m), -1);
    assert_int_equal(again(parts, 0, 0, &m), -1);
    struct mime cut = {.parts = parts, .n = 1, .cut = true};
    struct buf b;
    buf_init(&b, 0);
    mime_pack(&cut, &b);
    assert_int_equal(mime_unpack(&arena, b.data, b.len, 1000, 1000, &m), 0);
    assert_true(m.cut);
    /* Texts end within the bytes, and with a NUL; a number ends too. */
    static const char *const bad[] = {"\x01\x00\x00\x00\x05x/y", "\x01\x00\x00\x00\x03x/y",
                                      "\x81\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"};
    static const size_t lens[] = {8, 8, 11};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        assert_int_equal(mime_unpack(&arena, bad[i], lens[i], 0, 0, &m), -1);
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_decoded),
        cmocka_unit_test(long_bodies_are_decoded),
        cmocka_unit_test(charsets_become_utf8),
        cmocka_unit_test(long_texts_of_other_charsets_become_utf8),
        cmocka_unit_test(windows_1252_has_all_its_characters),
        cmocka_unit_test(references_are_characters),
        cmocka_unit_test(blanks_and_lines_are_as_shown),
        cmocka_unit_test(tags_end_where_they_end),
        cmocka_unit_test(trees_are_stored_whole),
        cmocka_unit_test(what_is_no_tree_is_refused),
        cmocka_unit_test(depth_and_number_of_stored_parts_have_limits),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
