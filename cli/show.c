/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of the control interface as lines for people. */
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

static const struct json *object_in(const struct json *in, const char *name)
{
    const struct json *object = json_get(in, name);
    return object && object->type == JSON_OBJECT ? object : NULL;
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
static void print_value(const struct json *v)
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
        print_value(text);
    else
        putchar('-');
}

static void print_key(const struct json *key)
{
    for (uint32_t i = 0; key && i < key->n; i++) {
        if (strcmp(key->members[i].key, "subject") == 0)
            continue;
        putchar(' ');
        print_value(&key->members[i].value);
    }
}

/* What tells a person which one it is: an event's summary, a message's subject, where something
 * that has left the world went. NULL: nothing does. */
static const struct json *title_of(const struct json *change)
{
    const struct json *value = json_get(change, "value"),
                      *subject = json_get(json_get(change, "key"), "subject"),
                      *summary = json_get(value, "summary");
    return subject ? subject : summary ? summary : json_get(value, "to");
}

static void print_change(const struct json *change)
{
    const char *what = json_get_str(change, "change"), *entity = json_get_str(change, "entity");
    const struct json *fields = object_in(change, "fields"), *title = title_of(change);
    printf("%s %s",
           !what            ? "?"
           : what[0] == 'a' ? "+"
           : what[0] == 'r' ? "-"
                            : "~",
           entity ? entity : "?");
    print_key(object_in(change, "key"));
    if (title) {
        printf("  ");
        print_value(title);
    }
    putchar('\n');
    for (uint32_t i = 0; fields && i < fields->n; i++) {
        printf("    %s: ", fields->members[i].key);
        print_value(json_get(&fields->members[i].value, "from"));
        printf(" -> ");
        print_value(json_get(&fields->members[i].value, "to"));
        putchar('\n');
    }
}

void show_diff(const struct json *answer)
{
    const struct json *changes = show_list(answer, "changes");
    for (uint32_t i = 0; changes && i < changes->n; i++)
        print_change(&changes->items[i]);
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
        print_number(json_get(e, "seq"));
        print_text("  ", e, "at");
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
