/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of messages: what is too long, what is Markdown. */
#include "services/chat/slack/web/compose.h"

#define MAX_TEXT 40000

bool sl_is_blank(const char *text)
{
    return !text[strspn(text, " \t\r\n")];
}

const char *sl_text_cut(struct call *c, const char *text)
{
    const char *p = text;
    for (size_t n = 0; *p; p++)
        if (((unsigned char)*p & 0xc0) != 0x80 && n++ == MAX_TEXT)
            break;
    return arena_memdup(c->tx.arena, text, (size_t)(p - text));
}

/* A link in Markdown at p, "[text](url)": its length; 0: none. */
static size_t markdown_link(const char *p, size_t *ret_text, size_t *ret_url)
{
    size_t n = strcspn(p + 1, "[]\n");
    if (p[1 + n] != ']' || p[2 + n] != '(')
        return 0;
    size_t k = strcspn(p + 3 + n, "() \n");
    if (p[3 + n + k] != ')' || !n || !k)
        return 0;
    *ret_text = n;
    *ret_url = k;
    return n + k + 4;
}

const char *sl_markdown(struct call *c, const char *text)
{
    struct buf b;
    bool start = true;
    size_t n, k, len;
    buf_init(&b, 1 << 20);
    for (const char *p = text; *p;) {
        size_t hashes = start ? strspn(p, "#") : 0;
        if (hashes && hashes < 7 && p[hashes] == ' ') { /* a heading */
            const char *line = p + hashes + 1;
            n = strcspn(line, "\n");
            buf_byte(&b, '*');
            buf_add(&b, line, n);
            buf_byte(&b, '*');
            p = line + n;
        } else if (strncmp(p, "**", 2) == 0 || strncmp(p, "__", 2) == 0) {
            buf_byte(&b, '*');
            p += 2;
        } else if (strncmp(p, "~~", 2) == 0) {
            buf_byte(&b, '~');
            p += 2;
        } else if (*p == '[' && (len = markdown_link(p, &n, &k))) {
            buf_printf(&b, "<%.*s|%.*s>", (int)k, p + 3 + n, (int)n, p + 1);
            p += len;
        } else if (start && strncmp(p, "* ", 2) == 0) {
            buf_puts(&b, "- ");
            p += 2;
        } else {
            start = *p == '\n';
            buf_byte(&b, *p++);
            continue;
        }
        start = false;
    }
    const char *made = buf_failed(&b) ? text : arena_memdup(c->tx.arena, buf_str(&b), b.len);
    buf_done(&b);
    return made;
}
