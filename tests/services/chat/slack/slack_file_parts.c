/* SPDX-License-Identifier: Apache-2.0 */
/* What files show of their content: previews of texts, thumbnails of pictures. */
#include "tests/support/slack.h"
#include "engine/base/codec.h"

/* ---- texts ---- */

/* A file of Bob's with these bytes, as files.info has it. */
static const struct json *seeded(const char *name, const char *mimetype, const void *data, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    base64_add(&b, data, n);
    slack_use_with(arena_printf(&test_arena,
                                "chatFiles: [{id: F0ONE, user: U0BOB, name: %s, mimetype: %s, "
                                "base64: \"%s\"}]\n",
                                name, mimetype, buf_str(&b)));
    buf_done(&b);
    const struct json *v = slack(BOB, "files.info", "file=F0ONE");
    assert_slack(NULL);
    return v;
}

static const struct json *seeded_text(const char *text)
{
    return seeded("a.txt", "text/plain", text, strlen(text));
}

static const char *many(const char *what, size_t times)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < times; i++)
        buf_puts(&b, what);
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void assert_text(const char *text, const char *preview, int lines, int more, bool truncated)
{
    const struct json *v = seeded_text(text);
    assert_string_equal(text_at(v, "file.preview"), preview);
    assert_int_equal(number_at(v, "file.lines"), lines);
    assert_int_equal(number_at(v, "file.lines_more"), more);
    assert_int_equal(true_at(v, "file.preview_is_truncated"), truncated);
    assert_string_equal(text_at(v, "content"), text);
}

static void a_preview_is_five_lines(void **state)
{
    assert_text("one", "one", 1, 0, false);
    assert_text("one\n", "one\n", 2, 0, false); /* the last line is empty */
    assert_text("\n", "\n", 2, 0, false);
    assert_text("1\n2\n3\n4\n5", "1\n2\n3\n4\n5", 5, 0, false);
    assert_text("1\n2\n3\n4\n5\n", "1\n2\n3\n4\n5", 6, 1, true);
    assert_text("1\n\n\n4\n\n6\n7", "1\n\n\n4\n", 7, 2, true);
}

static void a_long_line_is_cut(void **state)
{
    assert_text(many("x", 1024), many("x", 1024), 1, 0, false);
    assert_text(many("x", 1025), arena_printf(&test_arena, "%s...", many("x", 1024)), 1, 0, true);
    assert_text(many("\xc3\xa9", 1025), arena_printf(&test_arena, "%s...", many("\xc3\xa9", 1024)),
                1, 0, true);
    /* What is cut is not counted as shown. */
    assert_text(arena_printf(&test_arena, "1\n2\n3\n%s\n5\n6", many("x", 2000)),
                arena_printf(&test_arena, "1\n2\n3\n%s...", many("x", 1018)), 6, 2, true);
}

static void a_preview_is_html_too(void **state)
{
    const struct json *v = seeded_text("if (a < b && c > \"d\")\r\n\r\n\tit's");
    assert_string_equal(text_at(v, "file.preview"), "if (a < b && c > \"d\")\r\n\r\n\tit's");
    assert_string_equal(text_at(v, "file.preview_highlight"),
                        "<div class=\"CodeMirror cm-s-default CodeMirrorServer\">\n"
                        "<div class=\"CodeMirror-code\">\n"
                        "<div><pre>if (a &lt; b &amp;&amp; c &gt; &quot;d&quot;)</pre></div>\n"
                        "<div><pre></pre></div>\n"
                        "<div><pre>\tit's</pre></div>\n"
                        "</div>\n</div>\n");
}

static void a_text_is_a_snippet(void **state)
{
    const struct json *v = seeded_text("one");
    assert_string_equal(text_at(v, "file.mode"), "snippet");
    assert_true(true_at(v, "file.editable"));
    assert_string_equal(text_at(v, "file.edit_link"),
                        arena_printf(&test_arena, "%s/edit", text_at(v, "file.permalink")));
    assert_string_equal(
        members(v, "file"),
        "id created timestamp name title mimetype filetype pretty_type user user_team editable "
        "size mode is_external external_type is_public public_url_shared display_as_bot username "
        "url_private url_private_download permalink permalink_public edit_link preview "
        "preview_highlight lines lines_more preview_is_truncated comments_count is_starred shares "
        "channels groups ims has_more_shares has_rich_preview file_access");
    v = slack(BOB, "files.list", "types=snippets");
    assert_int_equal(number_at(v, "files.0.lines"), 1);
}

static void what_is_no_text_is_hosted(void **state)
{
    static const struct {
        const char *data;
        size_t n;
    } cases[] = {{"caf\xe9", 4}, {"a\0b", 3}, {"\xef\xbb", 2}};
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *v = seeded("a.txt", "text/plain", cases[i].data, cases[i].n);
        assert_string_equal(text_at(v, "file.mode"), "hosted");
        assert_null(value_at(v, "file.lines"));
        assert_null(value_at(v, "file.preview"));
        assert_null(value_at(v, "file.edit_link"));
        assert_null(value_at(v, "content"));
        assert_string_equal(text_at(v, "file.media_display_type"), "unknown");
    }
    /* As large a text as a snippet may be, and a larger one. */
    const char *large = many(many("x", 1024), 1024);
    assert_int_equal(number_at(seeded_text(large), "file.lines"), 1);
    assert_string_equal(text_at(seeded_text(arena_printf(&test_arena, "%sx", large)), "file.mode"),
                        "hosted");
}

static void an_upload_shows_its_text_in_messages(void **state)
{
    const struct json *v =
        slack(ALICE, "files.getUploadURLExternal", "filename=run&length=12&snippet_type=python");
    const char *id = text_at(v, "file_id"), *url = text_at(v, "upload_url");
    slack_call(
        "POST",
        arena_printf(&test_arena, "/@files.slack.com%s", strchr(strstr(url, "://") + 3, '/')),
        "application/octet-stream", NULL, "print('hi')\n");
    assert_int_equal(test_status, 200);
    v = slack(ALICE, "files.completeUploadExternal", "files=[{\"id\":\"%s\"}]&channels=" DEV, id);
    assert_string_equal(text_at(v, "files.0.mode"), "hosted"); /* it is not processed yet */
    assert_false(true_at(v, "files.0.editable"));
    assert_null(value_at(v, "files.0.preview"));
    v = slack(BOB, "conversations.history", "channel=" DEV);
    assert_string_equal(text_at(v, "messages.0.files.0.mode"), "snippet");
    assert_string_equal(text_at(v, "messages.0.files.0.mimetype"), "text/plain");
    assert_string_equal(text_at(v, "messages.0.files.0.pretty_type"), "Python");
    assert_string_equal(text_at(v, "messages.0.files.0.preview"), "print('hi')\n");
    assert_int_equal(number_at(v, "messages.0.files.0.lines"), 2);
    assert_non_null(strstr(members(v, "messages.0.files.0"),
                           "lines lines_more preview_is_truncated is_starred skipped_shares "
                           "has_rich_preview file_access"));
    v = slack(BOB, "search.files", "query=print");
    assert_int_equal(number_at(v, "files.matches.0.lines"), 2);
    const char *dump = json_to_text(&test_arena, read_dump(test_engine, test_world));
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, read_dump(test_engine, test_world)), dump);
    v = slack(BOB, "files.info", "file=%s", id);
    assert_int_equal(number_at(v, "file.lines"), 2);
}

static void a_snippet_is_taken_for_bytes_that_are_not_there(void **state)
{
    slack_use_with("chatFiles: [{id: F0ONE, user: U0BOB, name: a.txt, snippet: \"1\\n2\"},\n"
                   "  {id: F0TWO, user: U0BOB, name: a.pdf, mimetype: application/pdf, snippet: of "
                   "it, content: PDF},\n"
                   "  {id: F0NONE, user: U0BOB, name: b.txt}]\n");
    const struct json *v = slack(BOB, "files.info", "file=F0ONE");
    assert_int_equal(number_at(v, "file.lines"), 2);
    assert_null(value_at(v, "content"));
    v = slack(BOB, "files.info", "file=F0TWO");
    assert_null(value_at(v, "file.preview"));
    v = slack(BOB, "files.info", "file=F0NONE");
    assert_null(value_at(v, "file.preview"));
    assert_string_equal(text_at(v, "file.mode"), "hosted");
    const char *dump = json_to_text(&test_arena, read_dump(test_engine, test_world));
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, read_dump(test_engine, test_world)), dump);
    v = slack(BOB, "search.files", "query=of it");
    assert_string_equal(text_at(v, "files.matches.0.id"), "F0TWO");
}

/* ---- pictures ---- */

static void put_long(uint8_t *p, unsigned n)
{
    for (int i = 3; i >= 0; i--, n >>= 8)
        p[i] = n & 0xff;
}

/* The beginning of a PNG; dots: to a metre, 0: it does not say. */
static const struct json *png(unsigned width, unsigned height, unsigned dots)
{
    uint8_t p[70] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    put_long(p + 16, width);
    put_long(p + 20, height);
    memcpy(p + 33, "\0\0\0\x9pHYs", 8);
    put_long(p + 41, dots);
    put_long(p + 45, dots);
    p[49] = 1;
    memcpy(p + (dots ? 54 : 33), "\0\0\0\0IDAT", 8);
    return seeded("Our_Stand.PNG", "image/png", p, sizeof p);
}

/* "360 of 360x185, ..." as the file has it. */
static const char *sizes(const struct json *v)
{
    static const char *const names[] = {"360", "480", "720", "800", "960", "1024"};
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        const char *w = arena_printf(&test_arena, "file.thumb_%s_w", names[i]);
        const char *h = arena_printf(&test_arena, "file.thumb_%s_h", names[i]);
        if (value_at(v, w))
            buf_printf(&b, "%s%dx%d", b.len ? " " : "", (int)number_at(v, w), (int)number_at(v, h));
    }
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

/* Sizes of recorded files, and the limits. */
static void thumbnails_have_the_recorded_sizes(void **state)
{
    static const struct {
        unsigned w, h, dots;
        const char *sizes;
    } cases[] = {
        {128, 117, 0, "128x117"},
        {176, 226, 0, "176x226"},
        {400, 400, 0, "360x360"},
        {500, 313, 0, "360x225 480x300"},
        {270, 480, 0, "203x360 270x480"},
        {526, 366, 0, "360x250 480x334"},
        {1134, 362, 0, "360x115 480x153 720x230 800x255 960x306 1024x327"},
        {3840, 2160, 0, "360x203 480x270 720x405 800x450 960x540 1024x576"},
        {3024, 4032, 0, "270x360 360x480 540x720 800x1067 720x960 768x1024"},
        {719, 1280, 0, "202x360 270x480 404x720 449x800 539x960 575x1024"},
        {346, 1421, 0, "88x360 117x480 175x720 195x800 234x960 249x1024"},
        {1024, 1449, 0, "254x360 339x480 509x720 800x1132 678x960 724x1024"},
        {350, 74, 5669, "175x37"},
        {652, 60, 5669, "326x30"},
        {1414, 870, 5669, "360x221 480x295"},
        {1876, 964, 5669, "360x185 480x247 720x370 800x411"},
        {1876, 964, 2835, "360x185 480x247 720x370 800x411 960x493 1024x526"},
        {9000, 1, 0, "360x1 480x1 720x1 800x1 960x1 1024x1"},
        {65535, 65535, 0, "360x360 480x480 720x720 800x800 960x960 1024x1024"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *v = png(cases[i].w, cases[i].h, cases[i].dots);
        assert_string_equal(sizes(v), cases[i].sizes);
        assert_int_equal(number_at(v, "file.original_w"), cases[i].w);
        assert_int_equal(number_at(v, "file.original_h"), cases[i].h);
    }
}

static void thumbnails_are_named_as_recorded(void **state)
{
    const struct json *v = png(500, 313, 0);
    assert_string_equal(
        members(v, "file"),
        "id created timestamp name title mimetype filetype pretty_type user user_team editable "
        "size mode is_external external_type is_public public_url_shared display_as_bot username "
        "url_private url_private_download media_display_type thumb_64 thumb_80 thumb_360 "
        "thumb_360_w thumb_360_h thumb_480 thumb_480_w thumb_480_h thumb_160 original_w original_h "
        "permalink permalink_public comments_count is_starred shares channels groups ims "
        "has_more_shares has_rich_preview file_access");
    const char *url = text_at(v, "file.thumb_360");
    assert_int_equal(strncmp(url, "https://files.slack.com/files-tmb/T0ACME-F0ONE-", 47), 0);
    assert_int_equal(strspn(url + 47, "0123456789abcdef"), 10);
    assert_string_equal(url + 57, "/our_stand_360.png");
}

/* A GIF of this many frames of one pixel. */
static const struct json *gif(unsigned frames)
{
    static const uint8_t frame[] = {0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0};
    uint8_t p[100] = "GIF89a\x90\x01\xe0\x01"; /* 400x480 */
    size_t n = 13;
    for (unsigned i = 0; i < frames; i++, n += sizeof frame)
        memcpy(p + n, frame, sizeof frame);
    p[n++] = 0x3b;
    return seeded("wave.gif", "image/gif", p, n);
}

static void a_gif_that_moves_is_there_still_too(void **state)
{
    const struct json *v = gif(2);
    assert_non_null(strstr(
        members(v, "file"),
        "thumb_64 thumb_80 thumb_360 thumb_360_w thumb_360_h thumb_480 thumb_480_w thumb_480_h "
        "thumb_160 thumb_360_gif thumb_480_gif original_w original_h deanimate deanimate_gif "
        "permalink "));
    assert_non_null(strstr(text_at(v, "file.thumb_360"), "/wave_360.png"));
    assert_non_null(strstr(text_at(v, "file.thumb_360_gif"), "/wave_360.gif"));
    assert_non_null(strstr(text_at(v, "file.deanimate_gif"), "/wave_deanimate_gif.png"));
    v = gif(1);
    assert_null(value_at(v, "file.thumb_360_gif"));
    assert_null(value_at(v, "file.deanimate"));
    assert_non_null(strstr(text_at(v, "file.thumb_360"), "/wave_360.gif"));
}

static void what_is_no_picture_has_no_thumbnails(void **state)
{
    static const uint8_t jpeg[] = {0xff, 0xd8, 0xff, 0xe0, 0, 4,    0,   0, 0xff, 0xc0,
                                   0,    11,   8,    1,    2, 0x03, 0x4, 1, 0,    0};
    const struct json *v = seeded("a.jpeg", "image/jpeg", jpeg, sizeof jpeg);
    assert_int_equal(number_at(v, "file.original_w"), 0x304);
    assert_int_equal(number_at(v, "file.original_h"), 0x102);
    assert_non_null(strstr(text_at(v, "file.thumb_64"), "/a_64.jpg"));
    for (size_t n = 1; n < sizeof jpeg;
         n++) /* cut anywhere, it is read to its end and no further */
        seeded("a.jpeg", "image/jpeg", jpeg, n);
    v = seeded("a.png", "image/png", "x", 1);
    assert_null(value_at(v, "file.thumb_64"));
    assert_null(value_at(v, "file.original_w"));
    assert_null(value_at(png(0, 5, 0), "file.thumb_64"));
    assert_null(value_at(png(70000, 5, 0), "file.thumb_64"));
    v = seeded("a.bin", "application/octet-stream", jpeg, sizeof jpeg);
    assert_null(value_at(v, "file.thumb_64"));
}

static void get(const char *who, const char *path, int status)
{
    slack_call("GET", arena_printf(&test_arena, "/@files.slack.com%s", path), NULL,
               who ? slack_token(who, NULL) : NULL, NULL);
    if (test_status != status)
        fail_msg("%s of %s: %d, not %d", path, who ? who : "nobody", test_status, status);
}

static void a_thumbnail_is_for_those_who_may_see_the_file(void **state)
{
    const struct json *v = png(500, 313, 0);
    const char *path = strchr(text_at(v, "file.thumb_480") + 8, '/');
    get(BOB, path, 200);
    assert_int_equal(memcmp(test_body, "\x89PNG", 4), 0);
    get(ALICE, path, 404);
    get(NULL, path, 302);
    slack_call("GET", arena_printf(&test_arena, "/@files.slack.com%s", path), NULL,
               slack_token(BOB, "chat:write"), NULL);
    assert_int_equal(test_status, 302);
    const char *digits = arena_memdup(&test_arena, path + strlen("/files-tmb/T0ACME-F0ONE-"), 10);
    get(BOB, arena_printf(&test_arena, "/files-tmb/T0ACME-F0ONE-%s/our_stand_720.png", digits),
        404);
    get(BOB, arena_printf(&test_arena, "/files-tmb/T0ACME-F0ONE-%s/our_stand_480.jpg", digits),
        404);
    get(BOB, "/files-tmb/T0ACME-F0ONE-0000000000/our_stand_480.png", 404);
    get(BOB, "/files-tmb/T0ACME-F0ONE/our_stand_480.png", 302);
    get(BOB, "/files-tmb/T0ACME-F0NONE-0000000000/our_stand_480.png", 404);
    get(BOB, "/files-tmb/T0-F0ONE-0000000000/our_stand_480.png", 302);
    get(BOB, "/files-tmb/--/x", 302);
    get(BOB, "/files-pri/T-F0ONE/our_stand.png", 302);
    slack(BOB, "files.delete", "file=F0ONE");
    assert_slack(NULL);
    get(BOB, path, 404);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(a_preview_is_five_lines),
        slack_test(a_long_line_is_cut),
        slack_test(a_preview_is_html_too),
        slack_test(a_text_is_a_snippet),
        slack_test(what_is_no_text_is_hosted),
        slack_test(an_upload_shows_its_text_in_messages),
        slack_test(a_snippet_is_taken_for_bytes_that_are_not_there),
        slack_test(thumbnails_have_the_recorded_sizes),
        slack_test(thumbnails_are_named_as_recorded),
        slack_test(a_gif_that_moves_is_there_still_too),
        slack_test(what_is_no_picture_has_no_thumbnails),
        slack_test(a_thumbnail_is_for_those_who_may_see_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
