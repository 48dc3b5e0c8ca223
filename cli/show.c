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

/* What an actor wrote may hold commands for a terminal: C0 and C1 controls. */
static bool has_controls(const struct json *v)
{
    for (uint32_t i = 0; i < v->n; i++) {
        unsigned char c = (unsigned char)v->str[i];
        if (c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)v->str[i + 1] < 0xa0))
            return true;
    }
    return false;
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
    buf_init(&b, 0);
    if (v->type == JSON_STRING && !has_controls(v)) {
        buf_add(&b, v->str, v->n);
    } else {
        json_init(&w, &b, false, NULL);
        w.escape_html = true; /* DEL and C1 too */
        json_value(&w, NULL, v);
    }
    fwrite(b.data, 1, b.len, stdout);
    buf_done(&b);
}

static void print_text(const char *before, const struct json *in, const char *name)
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
        print_text("  ", e, "at");
        if (control) {
            print_text("  control  ", control, "do");
            putchar('\n');
            continue;
        }
        print_text("  ", e, "actor");
        print_text("  ", e, "method");
        printf("  ");
        print_number(json_get(json_get(e, "response"), "status"));
        print_text("  ", request, "verb");
        print_text(" ", request, "target");
        if (json_get(json_get(e, "response"), "why"))
            print_text("  ", json_get(e, "response"), "why");
        putchar('\n');
    }
}

void show_outbox(const struct json *answer)
{
    const struct json *entries = show_list(answer, "entries");
    for (uint32_t i = 0; entries && i < entries->n; i++) {
        const struct json *e = &entries->items[i];
        print_number(json_get(e, "id"));
        print_text("  ", e, "at");
        print_text("  ", e, "kind");
        print_text("  ", e, "from");
        print_text(" -> ", e, "to");
        putchar('\n');
    }
}
