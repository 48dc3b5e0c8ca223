/* SPDX-License-Identifier: Apache-2.0 */
/* Responses of the control interface as lines for people. */
#include "cli/cli.h"
#include <stdio.h>
#include <string.h>

const struct json *show_list(const struct json *in, const char *name)
{
    const struct json *list = json_get(in, name);
    return list && list->type == JSON_ARRAY ? list : NULL;
}

const char *show_text(const struct json *in, const char *name)
{
    const char *text = json_get_str(in, name);
    return text ? text : "-";
}

size_t show_turn_at(const char *text, size_t n)
{
    const unsigned char *p = (const unsigned char *)text;
    if (n < 3 || p[0] != 0xe2)
        return 0;
    return (p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) ||
                   (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9)
               ? 3
               : 0;
}

unsigned show_turn(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    return 0x2000u + (p[1] & 3u) * 64 + (p[2] & 63u);
}

/* What an actor wrote may hold commands for a terminal: C0 and C1 controls, turns of direction. */
static bool has_controls(const struct json *v)
{
    for (uint32_t i = 0; i < v->n; i++) {
        unsigned char c = (unsigned char)v->str[i];
        if (c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)v->str[i + 1] < 0xa0) ||
            show_turn_at(v->str + i, v->n - i))
            return true;
    }
    return false;
}

/* JSON, in which a character may be its number. */
static void print_json(const struct buf *b)
{
    for (size_t i = 0; i < b->len; i++) {
        size_t turn = show_turn_at(b->data + i, b->len - i);
        if (turn)
            printf("\\u%04x", show_turn(b->data + i));
        else
            putchar(b->data[i]);
        i += turn ? turn - 1 : 0;
    }
}

/* A value on one line: text without quotes, everything else as JSON. */
void show_value(const struct json *v)
{
    struct buf b;
    struct json_writer w;
    if (!v) {
        printf("(none)");
        return;
    }
    if (v->type == JSON_STRING && !has_controls(v)) {
        fwrite(v->str, 1, v->n, stdout);
        return;
    }
    json_start(&w, &b);
    w.escape_html = true; /* DEL and C1 too */
    json_value(&w, NULL, v);
    print_json(&b);
    buf_done(&b);
}

void show_name(const char *text)
{
    struct json v = {.type = JSON_STRING, .str = (char *)text, .n = (uint32_t)strlen(text)};
    show_value(&v);
}

void show_member(const char *before, const struct json *in, const char *name)
{
    const struct json *text = json_get(in, name);
    fputs(before, stdout);
    if (text && text->type == JSON_STRING)
        show_value(text);
    else
        putchar('-');
}

static void print_number(const struct json *v)
{
    if (v && v->type == JSON_NUMBER)
        printf("%.*s", (int)v->n, v->str);
}

void show_journal(const struct json *answer)
{
    const struct json *entries = show_list(answer, "entries");
    for (uint32_t i = 0; entries && i < entries->n; i++) {
        const struct json *e = &entries->items[i], *request = json_get(e, "request");
        const struct json *control = json_get(e, "control");
        print_number(json_get(e, "seq"));
        show_member("  ", e, "at");
        if (control) {
            show_member("  control  ", control, "do");
            putchar('\n');
            continue;
        }
        show_member("  ", e, "actor");
        show_member("  ", e, "method");
        printf("  ");
        print_number(json_get(json_get(e, "response"), "status"));
        show_member("  ", request, "verb");
        show_member(" ", request, "target");
        if (json_get(json_get(e, "response"), "why"))
            show_member("  ", json_get(e, "response"), "why");
        putchar('\n');
    }
}

void show_outbox(const struct json *answer)
{
    const struct json *entries = show_list(answer, "entries");
    for (uint32_t i = 0; entries && i < entries->n; i++) {
        const struct json *e = &entries->items[i];
        print_number(json_get(e, "id"));
        show_member("  ", e, "at");
        show_member("  ", e, "kind");
        show_member("  ", e, "from");
        show_member(" -> ", e, "to");
        putchar('\n');
    }
}
