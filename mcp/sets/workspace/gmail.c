/* SPDX-License-Identifier: Apache-2.0 */
/* Gmail tools of the set "workspace". Source of names, arguments and lines: the published code of a
 * community server. */
#include "mcp/sets/hosted/mail.h"
#include "mcp/sets/workspace/workspace.h"

/* The text of a message's payload, else its HTML. */
static const struct json *body_of(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    const struct json *bodies = set_mail_bodies(r, v, NULL, NULL);
    const char *plain = json_get_str(bodies, "text"), *html = json_get_str(bodies, "html");
    if (plain && *plain)
        return value_text(r->arena, plain);
    if (html && *html)
        return value_text(r->arena, arena_printf(r->arena, "[HTML]\n%s", html));
    return value_text(r->arena, "[No readable content]");
}

/* ---- lists ---- */

/* Without the empty lines at the end. */
static const struct json *trimmed(struct set_run *r, struct buf *b)
{
    while (b->len && b->data[b->len - 1] == '\n')
        b->len--;
    return set_text(r, b);
}

#define LINK "https://mail.google.com/mail/u/0/#all/"

/* Messages that were found, with their places in the list. */
static const struct json *hits(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    struct buf b;
    buf_init(&b, 64 << 20);
    for (uint32_t i = 0; v && i < v->n; i++) {
        const char *id = value_words(r->arena, json_get(&v->items[i], "id"));
        const char *thread = value_words(r->arena, json_get(&v->items[i], "threadId"));
        buf_printf(&b,
                   "  %u. Message ID: %s\n     Web Link: " LINK "%s\n     Thread ID: %s\n     "
                   "Thread Link: " LINK "%s\n\n",
                   i + 1, id, id, thread, thread);
    }
    return trimmed(r, &b);
}

/* The service's own labels, and those of the person. */
static const struct json *labels(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    static const char *const heads[] = {"📂 SYSTEM LABELS:\n", "🏷️  USER LABELS:\n"};
    struct buf b;
    buf_init(&b, 64 << 20);
    for (size_t k = 0; k < SOSIA_LEN(heads); k++) {
        bool first = true;
        for (uint32_t i = 0; v && i < v->n; i++) {
            const char *type = json_get_str(&v->items[i], "type");
            if ((type && strcmp(type, "system") == 0) != (k == 0))
                continue;
            buf_printf(&b, "%s%s  • %s (ID: %s)\n", first && b.len ? "\n" : "",
                       first ? heads[k] : "", value_words(r->arena, json_get(&v->items[i], "name")),
                       value_words(r->arena, json_get(&v->items[i], "id")));
            first = false;
        }
    }
    return trimmed(r, &b);
}

static void add_rule(struct set_run *r, struct buf *b, const struct json *v, const char *member,
                     const char *label)
{
    const struct json *m = json_get(v, member), *list;
    if (!value_holds(m))
        return;
    list = m->type == JSON_ARRAY ? template_ref(r, "$.|join:, ", m) : m;
    buf_printf(b, "    • %s%s\n", label, m->type == JSON_BOOL ? "" : value_words(r->arena, list));
}

/* What a filter looks for, and what it does. */
static void add_filter(struct set_run *r, struct buf *b, const struct json *filter)
{
    static const char *const looks[][2] = {{"from", "From: "},
                                           {"to", "To: "},
                                           {"subject", "Subject: "},
                                           {"query", "Query: "},
                                           {"negatedQuery", "Exclude Query: "},
                                           {"hasAttachment", "Has attachment"},
                                           {"excludeChats", "Exclude chats"}};
    static const char *const does[][2] = {{"forward", "Forward to: "},
                                          {"removeLabelIds", "Remove labels: "},
                                          {"addLabelIds", "Add labels: "}};
    const struct json *criteria = json_get(filter, "criteria"),
                      *action = json_get(filter, "action");
    const struct json *size = json_get(criteria, "size");
    buf_printf(b, "🔹 Filter ID: %s\n  Criteria:\n", value_words(r->arena, json_get(filter, "id")));
    size_t start = b->len;
    for (size_t i = 0; i < SOSIA_LEN(looks); i++)
        add_rule(r, b, criteria, looks[i][0], looks[i][1]);
    if (size)
        buf_printf(b, "    • Size %s %s bytes\n",
                   value_words(r->arena, json_get(criteria, "sizeComparison")),
                   value_words(r->arena, size));
    buf_puts(b, b->len > start ? "  Actions:\n" : "    • (none)\n  Actions:\n");
    start = b->len;
    for (size_t i = 0; i < SOSIA_LEN(does); i++)
        add_rule(r, b, action, does[i][0], does[i][1]);
    buf_puts(b, b->len > start ? "\n" : "    • (none)\n\n");
}

static const struct json *rules(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    struct buf b;
    buf_init(&b, 64 << 20);
    for (uint32_t i = 0; v && i < v->n; i++)
        add_filter(r, &b, &v->items[i]);
    return trimmed(r, &b);
}

const struct set_filter workspace_gmail_filters[] = {
    {"hits", hits},    {"labels", labels},        {"rules", rules},
    {"body", body_of}, {"files", set_mail_files}, {"letter", workspace_letter},
    {NULL, NULL}};
