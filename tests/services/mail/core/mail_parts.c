/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as bytes, case by case: boundaries, heads, parameters, addresses, charsets, HTML, and
 * the form in which a tree is stored. */
#include "engine/base/err.h"
#include "engine/base/codec.h"
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

#define PRINT(...) arena_printf(&arena, __VA_ARGS__)

static const char *times(const char *text, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++)
        buf_puts(&b, text);
    return buf_keep(&b, &arena);
}

static struct mime mime;
static const char *content;
static size_t content_len;

static void parse(const char *raw)
{
    size_t len = strlen(raw), head = mime_head_len(raw, len);
    content = raw + head;
    content_len = len - head;
    mime_parse(&arena, raw, head, content, content_len, &mime);
}

/* Of each part its depth, its type and, of those without children, its body in brackets. */
static const char *tree(const char *raw)
{
    struct buf b;
    buf_init(&b, 0);
    parse(raw);
    for (int i = 0; i < mime.n; i++) {
        const struct mime_part *p = &mime.parts[i];
        buf_printf(&b, "%s%d %s", i ? " " : "", p->depth, p->type);
        if (p->first < 0)
            buf_printf(&b, "[%.*s]", (int)p->len, content + p->at);
        if (p->first < 0 && p->encoding <= MIME_BINARY)
            assert_int_equal(p->size, p->len);
        if (p->first >= 0)
            assert_int_equal(p->size, 0);
    }
    return buf_keep(&b, &arena);
}

static void check(const char *is, const char *want, size_t i)
{
    if (strcmp(is, want) != 0)
        fail_msg("%zu: %s, not %s", i, is, want);
}

/* ---- structure ---- */

static void heads_end_at_an_empty_line(void **state)
{
    (void)state;
    static const struct {
        const char *raw;
        size_t len;
    } cases[] = {{"", 0},
                 {"\n", 1},
                 {"\r\n", 2},
                 {"\r", 1},
                 {"A: b\n\nc", 6},
                 {"A: b\r\n\r\nc", 8},
                 {"A: b\r\n\rc", 8},
                 {"A: b\nx\r\n\n", 9},
                 {"A: b\n\r", 6},
                 {"A: b\nx\n", 7},
                 {"A: b", 4},
                 {"A\nB\n\n\n", 5},
                 {"ab\nxy\n\nz", 7}};
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        assert_int_equal(mime_head_len(cases[i].raw, strlen(cases[i].raw)), cases[i].len);
}

#define M "Content-Type: multipart/mixed; boundary="

static void boundaries_are_whole_lines(void **state)
{
    (void)state;
    static const struct {
        const char *raw, *tree;
    } cases[] = {
        {M "b\n\n--b\n\none\n--b--\n", "0 multipart/mixed 1 text/plain[one]"},
        {M "b\r\n\r\n--b\r\n\r\none\r\n--b--\r\n", "0 multipart/mixed 1 text/plain[one]"},
        {M "b\n\n--b \t \n\none\n--b-- \t\n--b\n", "0 multipart/mixed 1 text/plain[one]"},
        {M "b\n\n --b\n\none\n--b--\n", "0 multipart/mixed[ --b\n\none\n--b--\n]"},
        {M "b\n\n-b\n- b\n-\n--\n---\n----\n--c\n-xb\nx-b\n",
         "0 multipart/mixed[-b\n- b\n-\n--\n---\n----\n--c\n-xb\nx-b\n]"},
        {M "b\n\n--b\n\none\n--b-\n--b---\n--bb\n--b--",
         "0 multipart/mixed 1 text/plain[one\n--b-\n--b---\n--bb]"},
        {M "b\n\n--b\n\none\n--bx-\n--b-x\n--b",
         "0 multipart/mixed 1 text/plain[one\n--bx-\n--b-x] 1 text/plain[]"},
        {M "\"b-\"\n\n--b-\n\none\n--b-\n\ntwo\n--b---\n",
         "0 multipart/mixed 1 text/plain[one] 1 text/plain[two]"},
        {M "b\n\n--b\n\n\n--b\n\n\r\n--b\n\n\n\n--b--\n",
         "0 multipart/mixed 1 text/plain[] 1 text/plain[] 1 text/plain[\n]"},
        {M "b\n\n--b\n\na\r\r\n--b\n\na\n\r\n--b\n\n--b--\n",
         "0 multipart/mixed 1 text/plain[a\r] 1 text/plain[a\n] 1 text/plain[]"},
        {M "\"\"\n\n--\n\none\n----\n", "0 multipart/mixed[--\n\none\n----\n]"},
        {M "b\n\n--b\nX\n--b\nX: y\n--b\n: y\n--b\nX\x7F: y\n--b\nX y: z\n--b\nX:\n\nbody\n--b--",
         "0 multipart/mixed 1 text/plain[X] 1 text/plain[] 1 text/plain[: y] 1 text/plain[X\x7F: "
         "y] "
         "1 text/plain[X y: z] 1 text/plain[body]"},
        {M "b\n\n--b\nX: y\nno field\n\nbody\n--b--", "0 multipart/mixed 1 text/plain[body]"},
        {M "b\n\n--b\n--b--\n", "0 multipart/mixed 1 text/plain[]"},
        {M "b\n\n--b--\n--b\n", "0 multipart/mixed[--b--\n--b\n]"},
        {M "b\n\n--b\n", "0 multipart/mixed 1 text/plain[]"},
        {M "b\n\n--b", "0 multipart/mixed 1 text/plain[]"},
        /* Equal boundaries: the innermost counts; an outer one ends all that is within. */
        {M "b\n\n--b\n" M "b\n\n--b\n\none\n--b--\n--b\n\ntwo\n--b--\n",
         "0 multipart/mixed 1 multipart/mixed 2 text/plain[one] 1 text/plain[two]"},
        {M "a\n\n--a\n" M "b\n\n--b\n\none\n--a--\n--b\n\ntwo\n",
         "0 multipart/mixed 1 multipart/mixed 2 text/plain[one]"},
        {M "a\n\n--a\n" M "longer\n\n--longer\n\none\n--longer--\n--a\n\ntwo\n--longer\n--a--\n",
         "0 multipart/mixed 1 multipart/mixed 2 text/plain[one] 1 text/plain[two\n--longer]"},
        {M "a\n\n--a\n" M "b\n--a\n\ntwo\n--a--\n",
         "0 multipart/mixed 1 multipart/mixed[] 1 text/plain[two]"},
        {M "a\n\n--a\nContent-Type: message/rfc822\n--a--\n",
         "0 multipart/mixed 1 message/rfc822 2 text/plain[]"},
        {M "a\n\n--a\nContent-Type: message/rfc822\n\nA: b\n--a--\n",
         "0 multipart/mixed 1 message/rfc822 2 text/plain[]"},
        {"Content-Type: message/global\n\nA: b\n\nx", "0 message/global 1 text/plain[x]"},
        {"Content-Type: message/other\n\nA: b\n\nx", "0 message/other[A: b\n\nx]"},
        {"Content-Type: message/rfc822\nContent-Transfer-Encoding: binary\n\nA: b\n\nx",
         "0 message/rfc822 1 text/plain[x]"},
        {"Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\nA: b\n\nx",
         "0 message/rfc822[A: b\n\nx]"},
        {"Content-Type: message/rfc822\n\nno field\n\nx",
         "0 message/rfc822 1 text/plain[no field\n\nx]"},
        {"Content-Type: message/rfc822\n\n", "0 message/rfc822 1 text/plain[]"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        check(tree(cases[i].raw), cases[i].tree, i);
}

/* With many open at once, each is known by its own name, whatever the others are. */
static void all_open_boundaries_are_known(void **state)
{
    (void)state;
    const int n = MIME_MAX_DEPTH - 1;
    for (int k = 0; k < 26 * (n + 1); k++) {
        struct buf b;
        const int c = 'a' + k / (n + 1), at = k % (n + 1);
        buf_init(&b, 0);
        buf_printf(&b, M "%c0\n\n", c);
        for (int i = 0; i < n; i++)
            buf_printf(&b, "--%c%d\n" M "%c%d\n\n", c, i, c, i + 1);
        buf_printf(&b, "--%c%d\n\none\n--%c%d--\n", c, at, c, at);
        parse(buf_str(&b));
        assert_int_equal(mime.n, n + 2);
        assert_false(mime.cut);
        const struct mime_part *p = &mime.parts[n + 1];
        assert_int_equal(p->parent, at);
        assert_int_equal(p->depth, at + 1);
        assert_int_equal(p->len, 3);
        assert_memory_equal(content + p->at, "one", 3);
        buf_done(&b);
        arena_reset(&arena);
    }
}

static void parts_know_their_places(void **state)
{
    (void)state;
    static const char raw[] =
        M "b\n\nx\n--b\nX: y\n\none\n--b\n" M "c\n\n--c\n\ntwo\n--c\n\nthree\n"
          "--c--\n--b\n\nfour\n--b--\n";
    static const int places[][4] = {/* parent, first, next, place */
                                    {-1, 1, -1, 0}, {0, -1, 2, 0},  {0, 3, 5, 1},
                                    {2, -1, 4, 0},  {2, -1, -1, 1}, {0, -1, -1, 2}};
    parse(raw);
    assert_int_equal(mime.n, SOSIA_LEN(places));
    for (int i = 0; i < mime.n; i++) {
        const struct mime_part *p = &mime.parts[i];
        assert_int_equal(p->parent, places[i][0]);
        assert_int_equal(p->first, places[i][1]);
        assert_int_equal(p->next, places[i][2]);
        assert_int_equal(p->place, places[i][3]);
        assert_int_equal(p->blob, 0);
        if (i)
            assert_int_equal(p->head + p->head_len, p->at);
    }
    assert_int_equal(mime.parts[0].head_len, 0);
    assert_int_equal(mime.parts[0].at, 0);
    assert_int_equal(mime.parts[1].head, 6);
    assert_int_equal(mime.parts[1].head_len, 6);
    assert_false(mime.cut);
    /* Bytes of a head that is not one are of the body. */
    parse(M "b\n\n--b\nno field\n--b--");
    assert_int_equal(mime.parts[1].head_len, 0);
    assert_int_equal(mime.parts[1].at, 4);
    parse(M "b\n\n--b\nX: y\n--b--");
    assert_int_equal(mime.parts[1].head_len, 5);
}

static void files_are_named_or_attached_or_no_text(void **state)
{
    (void)state;
    static const struct {
        const char *head;
        bool file;
        enum mime_disposition disposition;
    } cases[] = {
        {"A: b\n\n", false, MIME_UNSAID},
        {"Content-Disposition: inline\n\n", false, MIME_INLINE},
        {"Content-Disposition: INLINE ; x=y\n\n", false, MIME_INLINE},
        {"Content-Disposition: attachment\n\n", true, MIME_ATTACHMENT},
        {"Content-Disposition: other\n\n", true, MIME_ATTACHMENT},
        {"Content-Disposition: inline; filename=a\n\n", true, MIME_INLINE},
        {"Content-Disposition: inline; filename=\"\"\n\n", false, MIME_INLINE},
        {"Content-Type: text/plain; name=a\n\n", true, MIME_UNSAID},
        {"Content-Type: text/x\n\n", false, MIME_UNSAID},
        {"Content-Type: text\n\n", false, MIME_UNSAID},
        {"Content-Type: texts/x\n\n", true, MIME_UNSAID},
        {"Content-Type: image/png\n\n", true, MIME_UNSAID},
        {"Content-Type: multipart/x\nContent-Disposition: attachment; filename=a\n\n", false,
         MIME_ATTACHMENT},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        parse(cases[i].head);
        if (mime_is_file(&mime, 0) != cases[i].file)
            fail_msg("%zu", i);
        assert_int_equal(mime.parts[0].disposition, cases[i].disposition);
    }
}

static void part_heads_are_read_once_each(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum mime_encoding encoding;
    } encodings[] = {
        {"base64", MIME_BASE64},
        {"BASE64 (x)", MIME_BASE64},
        {"base64x", MIME_7BIT},
        {"base", MIME_7BIT},
        {"quoted-printable", MIME_QP},
        {"8bit", MIME_8BIT},
        {"7bit", MIME_7BIT},
        {"binary", MIME_BINARY},
        {"x-uuencode", MIME_UU},
        {"uuencode;", MIME_UU},
        {"x-uue", MIME_UU},
        {"", MIME_7BIT},
        {"base64\nContent-Transfer-Encoding: 8bit", MIME_BASE64},
        {"7bit\nContent-Transfer-Encoding: base64", MIME_7BIT},
    };
    for (size_t i = 0; i < SOSIA_LEN(encodings); i++) {
        parse(PRINT("Content-Transfer-Encoding: %s\n\n", encodings[i].text));
        if (mime.parts[0].encoding != encodings[i].encoding)
            fail_msg("%zu: %d", i, (int)mime.parts[0].encoding);
    }
    parse("Content-Type: text/html; charset=a; charset=b; name=c; name=d\n"
          "Content-Type: text/x; charset=z\nContent-ID: <i> <j>\nContent-ID: <k>\n"
          "Content-Disposition: inline; filename=e; filename=f\n"
          "Content-Disposition: attachment; filename=g\n"
          "Content-Idx: <l>\nXontent-ID: <m>\n\n");
    assert_string_equal(mime.parts[0].type, "text/html");
    assert_string_equal(mime.parts[0].charset, "a");
    assert_string_equal(mime.parts[0].filename, "e");
    assert_string_equal(mime.parts[0].cid, "i");
    assert_int_equal(mime.parts[0].disposition, MIME_INLINE);
    parse("Content-ID:\n\n");
    assert_null(mime.parts[0].cid);
    parse("Content-ID: bare\n\n");
    assert_string_equal(mime.parts[0].cid, "bare");
    /* A container has no encoding of what it contains. */
    parse("Content-Type: multipart/x; boundary=b\nContent-Transfer-Encoding: base64\n\n--b\n\nx");
    assert_int_equal(mime.parts[0].encoding, MIME_7BIT);
    parse("Content-Type: multipart/x; boundary=b\nContent-Transfer-Encoding: binary\n\n--b\n\nx");
    assert_int_equal(mime.parts[0].encoding, MIME_BINARY);
}

static void types_have_two_names(void **state)
{
    (void)state;
    const char *long_type = PRINT("a/%s", times("b", 198));
    const struct {
        const char *text, *type;
    } cases[] = {
        {"Text/HTML", "text/html"},
        {"a/b ; c=d", "a/b"},
        {"a/b\t;", "a/b"},
        {"a/b+c.d-e!", "a/b+c.d-e!"},
        {"a", "text/plain"},
        {"a/", "text/plain"},
        {"/b", "text/plain"},
        {"a/b/c", "text/plain"},
        {"a b/c", "text/plain"},
        {"a/b(c)", "text/plain"},
        {"a/b\x7F", "text/plain"},
        {"a/b~", "a/b~"},
        {"a/b=c", "text/plain"},
        {"a/b\xE9", "text/plain"},
        {"", "text/plain"},
        {long_type, long_type},
        {PRINT("%sb", long_type), "text/plain"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        parse(PRINT("Content-Type: %s\n\n", cases[i].text));
        check(mime.parts[0].type, cases[i].type, i);
    }
}

static void parameters_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *filename;
    } cases[] = {
        {"filename=a", "a"},
        {"x=y;filename=a", "a"},
        {"filename=a;", "a"},
        {"filename=a; ", "a"},
        {"filename=a ; x=y", "a"},
        {"FileName=\"a b\" ;x", "a b"},
        {"filename=\"\"; filename=b", "b"},
        {"filename=\"a\\\"b\"", "a\"b"},
        {"filename=\"caf\xC3\xA9\"", "caf\xC3\xA9"},
        {"name=a", "a"},
        {"x_y-z1=\"q\"; filename=a", "a"},
        {"filename = a", "a"},
        {"filename=a.b_c-d!e", "a.b_c-d!e"},
        {"filename=(a)b", "b"},
        {"filename", NULL},
        {"filename=", NULL},
        {"xfilename=a", NULL},
        {"=a", NULL},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        parse(PRINT("Content-Disposition: inline; %s\n\n", cases[i].text));
        const char *is = mime.parts[0].filename;
        if (cases[i].filename ? !is || strcmp(is, cases[i].filename) != 0 : is != NULL)
            fail_msg("%zu: %s", i, is ? is : "none");
    }
}

/* ---- fields ---- */

/* "name=value" of each field. */
static const char *fields(const char *head)
{
    struct mime_field f;
    struct buf b;
    size_t pos = 0;
    buf_init(&b, 0);
    while (mime_field_next(head, strlen(head), &pos, &f)) {
        buf_printf(&b, "%s%.*s=%s", b.len ? "|" : "", (int)f.name_len, f.name,
                   mime_value(&arena, &f));
        assert_ptr_equal(f.line, f.name);
        assert_true(f.value + f.value_len <= f.line + f.line_len);
    }
    assert_int_equal(pos, strlen(head));
    return buf_keep(&b, &arena);
}

static void fields_are_lines_with_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *head, *fields;
    } cases[] = {
        {"", ""},
        {"A: b", "A=b"},
        {"A:b\nC:\td \t\r\nE:\n", "A=b|C=d|E="},
        {"A \t: b\nC d: e\n: f\nG\nH: i\n", "A=b|H=i"},
        {"A\x7F: b\n~!: c\nD\xE9: e\n", "~!=c"},
        {"A: b\n\nC: d", "A=b"},
        {"A: b\r\n\r\nC: d", "A=b"},
        {"A: b\r\n\rC: d\r\nE: f", "A=b|E=f"},
        {"A: b\n  c\n\td\nE: f\n g", "A=b  c d|E=f g"},
        {"no field\n A: b\nC: d", "C=d"},
        {"A: b: c\n", "A=b: c"},
        {"A:\n b\n", "A=b"},
        {"A:\n \n", "A="},
        {"A: b \n c\n", "A=b  c"},
        {"A: b \n\tc\n", "A=b c"},
        {"A: b\t\n c\n", "A=b\t c"},
        {"A: b\t\n\tc\n", "A=b\t\tc"},
        {"A: b  \n c\n", "A=b   c"},
        {"A: b\n\t\tc\n", "A=b\t\tc"},
        {"A: b\r\n c\r\n\td\r\n", "A=b c d"},
        {"A: b\rc\n", "A=bc"},
        {"A: \xE9\n", "A=\xC3\xA9"},
        {"A: \xC3\xA9\n", "A=\xC3\xA9"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        check(fields(cases[i].head), cases[i].fields, i);
    struct mime_field f = {.value = "a\0b", .value_len = 3};
    assert_string_equal(mime_value(&arena, &f), "a\xEF\xBF\xBD"
                                                "b");
}

static void fields_of_a_letter_are_found(void **state)
{
    (void)state;
    static const char head[] =
        "Alpha: 1\n beta: 2\nbeta: 3\nBeta: 4\nGamma: 5\n beta: 6\n\tb\nBETA: 7\n\nBeta: 8";
    struct mime_field f;
    static const char *const values[] = {"3", "4", "7"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(mime_field_find(head, sizeof head - 1, "bEtA", i, &f));
        assert_string_equal(mime_value(&arena, &f), values[i]);
    }
    assert_false(mime_field_find(head, sizeof head - 1, "beta", 3, &f));
    assert_false(mime_field_find(head, sizeof head - 1, "bet", 0, &f));
    assert_false(mime_field_find(head, sizeof head - 1, "betas", 0, &f));
    assert_true(mime_field_find(head, sizeof head - 1, "gamma", 0, &f));
    assert_null(mime_header(&arena, "\r\nA: b\n", 7, "A"));
    assert_null(mime_header(&arena, "\nA: b\n", 6, "A"));
    assert_string_equal(mime_header(&arena, "B: c\nA: =?utf-8?q?=C3=A9?=\n", 27, "A"), "\xC3\xA9");
}

static void encoded_words_are_made_where_needed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", ""},
        {"a ~", "a ~"},
        {"a\tb\x7F"
         "c\x1F"
         "d\x01",
         "a b c d "},
        {"=?", "=?"},
        {"\xC3\xA9", "=?UTF-8?b?w6k=?="},
        {"a\n\xC3\xA9", "a =?UTF-8?b?w6k=?="},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        check(mime_encode_words(&arena, cases[i].text), cases[i].words, i);
    assert_string_equal(mime_decode_words(&arena, "a =?utf-8?q?b?="), "a b");
    assert_string_equal(mime_decode_words(&arena, "a = ?b"), "a = ?b");
}

static void fields_are_set(void **state)
{
    (void)state;
    static const struct {
        const char *head, *value, *result;
    } cases[] = {
        {"", "v", "X: v\r\n"},
        {"", NULL, ""},
        {"\r\n", "v", "X: v\r\n\r\n"},
        {"\n", "v", "X: v\r\n\n"},
        {"A: b", "v", "A: b\r\nX: v\r\n"},
        {"A: b\n", "v", "A: b\nX: v\r\n"},
        {"A: b\n\n", "v", "A: b\nX: v\r\n\n"},
        {"A: b\r\n\r\n", "v", "A: b\r\nX: v\r\n\r\n"},
        {"A: b\r\n\r\n", NULL, "A: b\r\n\r\n"},
        {"X: b", "v", "X: v\r\n"},
        {"X: b\n\n", "v", "X: v\r\n\n"},
        {"X: b\n\n", NULL, "\n"},
        {"x: b\n c\nA: b\nX: d\nXY: e\n\n", "v", "X: v\r\nA: b\nXY: e\n\n"},
        {"x: b\n c\nA: b\nX: d\nXY: e\n\n", NULL, "A: b\nXY: e\n\n"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct buf b;
        buf_init(&b, 0);
        mime_head_set(&b, cases[i].head, strlen(cases[i].head), "X", cases[i].value);
        check(buf_str(&b), cases[i].result, i);
        buf_done(&b);
    }
}

/* ---- addresses, ids, subjects ---- */

static const char *shown(const struct mime_address *list, size_t n, bool bad)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%s[%s]", i ? " " : "", list[i].name ? list[i].name : "", list[i].email);
    if (bad)
        buf_puts(&b, " bad");
    return buf_keep(&b, &arena);
}

static const char *addresses(const char *text)
{
    struct mime_address *list;
    size_t n;
    bool bad;
    mime_addresses(&arena, text, &list, &n, &bad);
    return shown(list, n, bad);
}

static void addresses_are_read(void **state)
{
    (void)state;
    const char *long_local = times("l", 996);
    const struct {
        const char *text, *is;
    } cases[] = {
        {"a@b", "[a@b]"},
        {"\ta@b ", "[a@b]"},
        {"A <a@b> x", "A  x[a@b]"},
        {"A < a@b >", "A[a@b]"},
        {"<a@b", "[a@b]"},
        {"<a@b> <c@d>", "[c@d]"},
        {"a@b (c \\(d\\) e)", "c (d) e[a@b]"},
        {"a@b (c (d) e", "c (d) e[a@b]"},
        {"a@b (c\\", "c\\[a@b]"},
        {"(c) <a@b>", "[a@b]"},
        {"(c)", ""},
        {"\"\" <a@b>", "[a@b]"},
        {"\"a\\", "a\\[] bad"},
        {"\"a\\\\\" <a@b>", "a\\[a@b]"},
        {"a@b, (c), d@e", "[a@b] [d@e]"},
        {"g: a@b, c@d; e@f", "[a@b] [c@d] [e@f]"},
        {"g: a@b; h: c@d;", "[a@b] [c@d]"},
        {"g: a@b, h: c@d", "[a@b] h: c@d[] bad"},
        {"a@b:c", "[a@b:c]"},
        {"A <a@b>:c", "A :c[a@b]"},
        {"@r,@s:a@b", "@r[] [a@b] bad"},
        {"@r:a@b", "[a@b]"},
        {"<@r:@s:a@b>", "[a@b]"},
        {"@a", "@a[] bad"},
        {"a@", "a@[] bad"},
        {"a@.b", "a@.b[] bad"},
        {"a@b..c", "a@b..c[] bad"},
        {"a@b.c.", "[a@b.c.]"},
        {"a..b@c", "[a..b@c]"},
        {"a b@c", "a b@c[] bad"},
        {"a@b c", "a@b c[] bad"},
        {"<a\x7F@b>", "[] bad"},
        {"<a~@b>", "[a~@b]"},
        {"<a]@b>", "[] bad"},
        {"<a@[1.2.3.4]>", "[a@[1.2.3.4]]"},
        {"<a@[IPv6:1::2]>", "[a@[IPv6:1::2]]"},
        {"<a\\@b>", "[] bad"},
        {"<a@b\\>", "[] bad"},
        {"<\"a b\"@c>", "[] bad"},
        {"<\"a>b\"@c>", "[\"a>b\"@c]"},
        {"<\"a\\\"b\"@c>", "[\"a\\\"b\"@c]"},
        {"<\"a\\\\\"@c>", "[\"a\\\\\"@c]"},
        {"<\"a\"b@c>", "[] bad"},
        {"<\"a@c>", "[] bad"},
        {"<\"\"@c>", "[\"\"@c]"},
        {"<\"@c>", "[] bad"},
        {"A <x> , b@c", "A[] [b@c] bad"},
        {"x (n)", "n[] bad"},
        {"<a@b>, <>", "[a@b] [] bad"},
        {PRINT("%s@b", long_local), PRINT("[%s@b]", long_local)},
        {PRINT("<%sl@b>", long_local), "[] bad"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        check(addresses(cases[i].text), cases[i].is, i);
}

static void addresses_have_a_limit(void **state)
{
    (void)state;
    struct mime_address *list;
    size_t n;
    bool bad;
    const char *all = times("a@b,", MIME_MAX_ADDRESSES);
    mime_addresses(&arena, all, &list, &n, &bad);
    assert_int_equal(n, MIME_MAX_ADDRESSES);
    assert_false(bad);
    mime_addresses(&arena, PRINT("%sc@d", all), &list, &n, &bad);
    assert_int_equal(n, MIME_MAX_ADDRESSES);
    assert_true(bad);
    const char *head = PRINT("To: %s\nTo: %s\n", times("a@b,", MIME_MAX_ADDRESSES - 1), "c@d");
    mime_address_fields(&arena, head, strlen(head), "to", &list, &n, &bad);
    assert_int_equal(n, MIME_MAX_ADDRESSES);
    assert_string_equal(list[n - 1].email, "c@d");
    assert_false(bad);
    head = PRINT("%sTo: e@f\nTo: x\n", head);
    mime_address_fields(&arena, head, strlen(head), "to", &list, &n, &bad);
    assert_int_equal(n, MIME_MAX_ADDRESSES);
    assert_true(bad);
}

static void addresses_of_fields_are_together(void **state)
{
    (void)state;
    static const struct {
        const char *head, *is;
    } cases[] = {
        {"", ""},
        {"To: a@b\nCc: c@d\nTop: x@y\n", "[a@b]"},
        {"To: a@b\nto: A <c@d>, e@f\nTO:\nTo: g@h\n", "[a@b] A[c@d] [e@f] [g@h]"},
        {"To:\nTo: a@b\n", "[a@b]"},
        {"To: x\nTo: a@b\n", "x[] [a@b] bad"},
        {"To: a@b\nTo: x\nTo: c@d\n", "[a@b] x[] [c@d] bad"},
        {"To: a@b,\n c@d\n\nTo: e@f", "[a@b] [c@d]"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct mime_address *list;
        size_t n;
        bool bad;
        mime_address_fields(&arena, cases[i].head, strlen(cases[i].head), "To", &list, &n, &bad);
        check(shown(list, n, bad), cases[i].is, i);
    }
}

static void addresses_are_written(void **state)
{
    (void)state;
    static const struct {
        const char *name, *email, *text;
    } cases[] = {
        {NULL, "a@b", "a@b"},
        {"", "a@b", "a@b"},
        {NULL, "\"a\"@b", "<\"a\"@b>"},
        {"Ada L", "a@b", "Ada L <a@b>"},
        {"!#$%&'*+-/=?^_`{|}~9", "a@b", "!#$%&'*+-/=?^_`{|}~9 <a@b>"},
        {"a.b", "a@b", "\"a.b\" <a@b>"},
        {"a\"\\", "a@b", "\"a\\\"\\\\\" <a@b>"},
        {"a\tb", "a@b", "a b <a@b>"},
        {"=?", "a@b", "=? <a@b>"},
        {"\xC3\xA9", "a@b", "=?UTF-8?b?w6k=?= <a@b>"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        check(mime_address_text(&arena, cases[i].name, cases[i].email), cases[i].text, i);
}

static void ids_are_in_brackets(void **state)
{
    (void)state;
    static const struct {
        const char *text, *ids;
    } cases[] = {
        {"", ""},        {" ", ""},      {"<a>", "a"},     {"<a><b> <c>", "a|b|c"},
        {"<>", ""},      {"<a<b>", "b"}, {"x <a> y", "a"}, {"< a\t>", "a"},
        {"<a", ""},      {"a>", ""},     {" a ", "a"},     {"a\tb", ""},
        {"<> <a>", "a"}, {"a b", ""},    {"<a><", "a"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char **ids;
        size_t n;
        struct buf b;
        buf_init(&b, 0);
        mime_ids(&arena, cases[i].text, &ids, &n);
        for (size_t k = 0; k < n; k++)
            buf_printf(&b, "%s%s", k ? "|" : "", ids[k]);
        check(buf_str(&b), cases[i].ids, i);
        buf_done(&b);
    }
}

static void subjects_have_a_base(void **state)
{
    (void)state;
    static const struct {
        const char *subject, *base;
    } cases[] = {
        {"", ""},
        {"Re:", ""},
        {"Re", "re"},
        {"RE: r: FW:fwd: A", "a"},
        {"re :a", "re :a"},
        {"\t Re:\tA \t B\t", "a b"},
        {"a re: b", "a re: b"},
        {"f: a", "f: a"},
        {"  ", ""},
        {"Aw: a", "aw: a"},
        {"a\t\tb", "a b"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        check(mime_subject_base(&arena, cases[i].subject), cases[i].base, i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_end_at_an_empty_line),
        cmocka_unit_test(boundaries_are_whole_lines),
        cmocka_unit_test(all_open_boundaries_are_known),
        cmocka_unit_test(parts_know_their_places),
        cmocka_unit_test(files_are_named_or_attached_or_no_text),
        cmocka_unit_test(part_heads_are_read_once_each),
        cmocka_unit_test(types_have_two_names),
        cmocka_unit_test(parameters_are_read),
        cmocka_unit_test(fields_are_lines_with_a_name),
        cmocka_unit_test(fields_of_a_letter_are_found),
        cmocka_unit_test(encoded_words_are_made_where_needed),
        cmocka_unit_test(fields_are_set),
        cmocka_unit_test(addresses_are_read),
        cmocka_unit_test(addresses_have_a_limit),
        cmocka_unit_test(addresses_of_fields_are_together),
        cmocka_unit_test(addresses_are_written),
        cmocka_unit_test(ids_are_in_brackets),
        cmocka_unit_test(subjects_have_a_base),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
