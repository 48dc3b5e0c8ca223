/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of the control interface as lines for people. */
#include "cli/cli.h"
#include <stdio.h>
#include <string.h>

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
    if (v->type == JSON_STRING && !memchr(v->str, '\n', v->n)) {
        buf_add(&b, v->str, v->n);
    } else {
        json_init(&w, &b, false, NULL);
        json_value(&w, NULL, v);
    }
    fwrite(b.data, 1, b.len, stdout);
    buf_done(&b);
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
    const struct json *fields = json_get(change, "fields"), *title = title_of(change);
    printf("%s %s",
           !what            ? "?"
           : what[0] == 'a' ? "+"
           : what[0] == 'r' ? "-"
                            : "~",
           entity ? entity : "?");
    print_key(json_get(change, "key"));
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
    const struct json *changes = json_get(answer, "changes");
    for (uint32_t i = 0; changes && i < changes->n; i++)
        print_change(&changes->items[i]);
}

static void print_number(const struct json *v)
{
    if (v && v->type == JSON_NUMBER)
        printf("%.*s", (int)v->n, v->str);
}

static const char *or_dash(const char *text)
{
    return text ? text : "-";
}

void show_journal(const struct json *answer)
{
    const struct json *entries = json_get(answer, "entries");
    for (uint32_t i = 0; entries && i < entries->n; i++) {
        const struct json *e = &entries->items[i], *request = json_get(e, "request");
        print_number(json_get(e, "seq"));
        printf("  %s  %s  %s  ", or_dash(json_get_str(e, "at")), or_dash(json_get_str(e, "actor")),
               or_dash(json_get_str(e, "method")));
        print_number(json_get(json_get(e, "response"), "status"));
        printf("  %s %s\n", or_dash(json_get_str(request, "verb")),
               or_dash(json_get_str(request, "target")));
    }
}

void show_outbox(const struct json *answer)
{
    const struct json *entries = json_get(answer, "entries");
    for (uint32_t i = 0; entries && i < entries->n; i++) {
        const struct json *e = &entries->items[i];
        print_number(json_get(e, "id"));
        printf("  %s  %s  %s -> %s\n", or_dash(json_get_str(e, "at")),
               or_dash(json_get_str(e, "kind")), or_dash(json_get_str(e, "from")),
               or_dash(json_get_str(e, "to")));
    }
}
