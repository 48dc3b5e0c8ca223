/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file shows of its content: the preview of a text, the thumbnails of a picture and their
 * addresses. Members, sizes and the form of previews are those of recorded files.
 */
#include "engine/base/codec.h"
#include "engine/blob/blob.h"
#include "services/chat/slack/files/files.h"

/* ---- texts ---- */

/* Each line as HTML, without the carriage return in front of its end. */
static const char *preview_html(struct call *c, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "<div class=\"CodeMirror cm-s-default CodeMirrorServer\">\n"
                 "<div class=\"CodeMirror-code\">\n");
    for (const char *next; text; text = next) {
        const char *end = strchr(text, '\n');
        size_t n = end ? (size_t)(end - text) : strlen(text);
        next = end ? end + 1 : NULL;
        if (n && text[n - 1] == '\r')
            n--;
        buf_puts(&b, "<div><pre>");
        html_escape(&b, text, n, "\"");
        buf_puts(&b, "</pre></div>\n");
    }
    buf_puts(&b, "</div>\n</div>\n");
    return buf_keep(&b, c->tx.arena);
}

void sl_write_text_parts(struct call *c, const struct chat_file *f, const char *permalink)
{
    struct json_writer *w = c->out;
    int64_t shown = 1;
    for (const char *p = f->snippet; (p = strchr(p, '\n')); p++)
        shown++;
    bool cut = sl_characters(f->snippet) > CHAT_PREVIEW_CHARS;
    int64_t more = f->lines > shown ? f->lines - shown : 0;
    json_str(w, "edit_link", arena_printf(c->tx.arena, "%s/edit", permalink));
    json_str(w, "preview", f->snippet);
    json_str(w, "preview_highlight", preview_html(c, f->snippet));
    json_int(w, "lines", f->lines);
    json_int(w, "lines_more", more);
    json_bool(w, "preview_is_truncated", cut || more);
}

/* ---- pictures ---- */

/* In the order of their members; those from 360 on have a width and a height. */
static const struct thumb {
    const char *name;
    unsigned side;
} thumbs[] = {{"64", 0},    {"80", 0},    {"360", 360}, {"480", 480},  {"160", 0},
              {"720", 720}, {"800", 800}, {"960", 960}, {"1024", 1024}};

/* side * part / whole, to the nearest pixel, at least one. */
static unsigned scaled(unsigned side, unsigned part, unsigned whole)
{
    uint64_t n = ((uint64_t)side * part * 2 + whole) / (2 * (uint64_t)whole);
    return n ? (unsigned)n : 1;
}

/*
 * A picture is scaled down into a square of that side, and never up. Those for dense screens count
 * as half as large. The one of 800 is as wide, and higher if need be; into its square go those that
 * are not as wide. False: there is none of that size.
 */
static bool thumb_size(const struct picture *p, unsigned side, unsigned *ret_w, unsigned *ret_h)
{
    unsigned w = p->dense ? (p->width + 1) / 2 : p->width;
    unsigned h = p->dense ? (p->height + 1) / 2 : p->height;
    bool wide = side == 800 ? w >= side : w >= h;
    *ret_w = w;
    *ret_h = h;
    if (w < side && h < side)
        return side == 360;
    *ret_w = wide ? side : scaled(side, p->width, p->height);
    *ret_h = wide ? scaled(side, p->height, p->width) : side;
    return true;
}

/* A member of the file with the address of a picture that is made of it. */
struct made {
    const char *member, *name; /* name: the last part of the address, "plan_360.png" */
    unsigned width, height;    /* 0: the file does not say them */
};
#define MAX_MADE 20

static void add_made(struct call *c, struct made *all, size_t *n, struct made one, const char *stem,
                     const char *what, const char *ending)
{
    one.name = arena_printf(c->tx.arena, "%s_%s.%s", stem, what, ending);
    all[(*n)++] = one;
}

/* What is made of the picture, in the order of the members. Of one that moves they are still, and
 * those with a width are there moving too; the last two (ret_still) come after the others. Gives
 * how many. */
static size_t all_made(struct call *c, const struct chat_file *f, struct made all[MAX_MADE],
                       size_t *ret_still)
{
    bool gif = strcmp(f->mimetype, "image/gif") == 0, moves = gif && f->picture.frames > 1;
    const char *ending = strcmp(f->mimetype, "image/png") == 0 || moves ? "png"
                         : gif                                          ? "gif"
                                                                        : "jpg";
    const char *stem = sl_file_url_name(c, f->name), *dot = strrchr(stem, '.');
    size_t n = 0;
    if (dot)
        stem = arena_memdup(c->tx.arena, stem, (size_t)(dot - stem));
    for (int moving = 0; moving <= moves; moving++)
        for (size_t i = 0; i < SOSIA_LEN(thumbs); i++) {
            const struct thumb *t = &thumbs[i];
            struct made one = {0};
            if ((moving && !t->side) ||
                (t->side && !thumb_size(&f->picture, t->side, &one.width, &one.height)))
                continue;
            one.member = arena_printf(c->tx.arena, moving ? "thumb_%s_gif" : "thumb_%s", t->name);
            if (moving)
                one.width = one.height = 0;
            add_made(c, all, &n, one, stem, t->name, moving ? "gif" : ending);
        }
    *ret_still = n;
    if (moves) {
        add_made(c, all, &n, (struct made){.member = "deanimate"}, stem, "deanimate", "png");
        add_made(c, all, &n, (struct made){.member = "deanimate_gif"}, stem, "deanimate_gif",
                 "png");
    }
    return n;
}

/* Ten digits that change with the bytes. 1, 0: they are not there, -1. */
static int made_digits(struct call *c, const struct chat_file *f, char ret[11])
{
    struct blob blob;
    int r = f->blob && f->picture.width ? blob_get(&c->tx, f->blob, &blob) : 0;
    if (r == 1)
        hex_encode(ret, blob.sha256, 5);
    return r;
}

int sl_write_picture_parts(struct call *c, const struct chat_file *f)
{
    struct json_writer *w = c->out;
    struct made all[MAX_MADE];
    char digits[11];
    size_t still;
    int r = made_digits(c, f, digits);
    if (r != 1)
        return r;
    size_t n = all_made(c, f, all, &still);
    for (size_t i = 0; i <= n; i++) {
        if (i == still) {
            json_int(w, "original_w", f->picture.width);
            json_int(w, "original_h", f->picture.height);
        }
        if (i == n)
            break;
        json_str(
            w, all[i].member,
            call_follow_url(c, SLACK_FILES,
                            arena_printf(c->tx.arena, "/files-tmb/%s-%s-%s/%s",
                                         sl_me(c)->workspace.key, f->key, digits, all[i].name)));
        if (all[i].width) {
            json_int(w, arena_printf(c->tx.arena, "%s_w", all[i].member), all[i].width);
            json_int(w, arena_printf(c->tx.arena, "%s_h", all[i].member), all[i].height);
        }
    }
    return 0;
}

int sl_is_picture_part(struct call *c, const struct chat_file *f, const char *digits,
                       const char *name)
{
    struct made all[MAX_MADE];
    char expected[11];
    size_t still;
    int r = made_digits(c, f, expected);
    if (r != 1 || strcmp(digits, expected) != 0)
        return r < 0 ? -1 : 0;
    for (size_t i = 0, n = all_made(c, f, all, &still); i < n; i++)
        if (strcmp(all[i].name, name) == 0)
            return 1;
    return 0;
}
