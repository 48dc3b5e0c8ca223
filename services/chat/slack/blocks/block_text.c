/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a message that has blocks alone: what notifications, searches and programs read
 * (docs.slack.dev, chat.postMessage: "appending content from supported blocks"). The texts of the
 * blocks, one space between them, markup kept.
 */
#include "engine/base/codec.h"
#include "services/chat/slack/web/compose.h"

#define NO_TEXT "This content can't be displayed."

/* One more text behind what there is. */
static void take_text(struct buf *b, const struct json *v)
{
    const char *text = json_get_str(v, "text");
    if (!text || !*text)
        return;
    if (b->len)
        buf_byte(b, ' ');
    buf_puts(b, text);
}

static const struct json *items_of(const struct json *v, const char *name)
{
    static const struct json none = {.type = JSON_ARRAY};
    const struct json *list = json_get(v, name);
    return list && list->type == JSON_ARRAY ? list : &none;
}

static void take_texts(struct buf *b, const struct json *v, const char *name)
{
    const struct json *list = items_of(v, name);
    for (uint32_t i = 0; i < list->n; i++)
        take_text(b, &list->items[i]);
}

/* An element of rich text, as mrkdwn has it. */
static void add_element(struct buf *b, const struct json *v)
{
    static const struct {
        const char *type, *member, *before, *behind;
    } kinds[] = {{"text", "text", "", ""},
                 {"user", "user_id", "<@", ">"},
                 {"channel", "channel_id", "<#", ">"},
                 {"usergroup", "usergroup_id", "<!subteam^", ">"},
                 {"broadcast", "range", "<!", ">"},
                 {"emoji", "name", ":", ":"},
                 {"date", "fallback", "", ""}};
    const char *type = json_get_str(v, "type"), *url = json_get_str(v, "url");
    const char *text = json_get_str(v, "text"), *value;
    if (type && strcmp(type, "link") == 0 && url) {
        buf_printf(b, "<%s", url);
        if (text && *text)
            buf_printf(b, "|%s", text);
        buf_byte(b, '>');
        return;
    }
    for (size_t i = 0; type && i < SOSIA_LEN(kinds); i++)
        if (strcmp(type, kinds[i].type) == 0 && (value = json_get_str(v, kinds[i].member))) {
            buf_printf(b, "%s%s%s", kinds[i].before, value, kinds[i].behind);
            return;
        }
    if (text)
        buf_puts(b, text);
}

/* Parts of rich text, each on a line of its own, and the items of lists. */
static void add_rich(struct buf *b, const struct json *v, bool *begun)
{
    const struct json *parts = items_of(v, "elements");
    for (uint32_t i = 0; i < parts->n; i++) {
        const struct json *part = &parts->items[i];
        const char *type = json_get_str(part, "type");
        const struct json *elements = items_of(part, "elements");
        if (type && strcmp(type, "rich_text_list") == 0) {
            add_rich(b, part, begun);
            continue;
        }
        if (!elements->n)
            continue;
        if (*begun && b->len && b->data[b->len - 1] != '\n')
            buf_byte(b, '\n');
        *begun = true;
        for (uint32_t k = 0; k < elements->n; k++)
            add_element(b, &elements->items[k]);
    }
}

static void add_block(struct buf *b, const struct json *v)
{
    const char *type = json_get_str(v, "type");
    bool begun = false;
    if (!type)
        return;
    if (strcmp(type, "section") == 0) {
        take_text(b, json_get(v, "text"));
        take_texts(b, v, "fields");
    } else if (strcmp(type, "header") == 0) {
        take_text(b, json_get(v, "text"));
    } else if (strcmp(type, "context") == 0) {
        take_texts(b, v, "elements");
    } else if (strcmp(type, "markdown") == 0) {
        take_text(b, v);
    } else if (strcmp(type, "rich_text") == 0) {
        size_t at = b->len;
        if (at)
            buf_byte(b, ' ');
        add_rich(b, v, &begun);
        if (!begun)
            b->len = at;
    }
}

const char *sl_blocks_text(struct call *c, const char *blocks)
{
    const struct json *list = sl_stored_json(c, blocks);
    struct buf b;
    if (!list)
        return NULL;
    buf_init(&b, 4 << 20);
    for (uint32_t i = 0; list->type == JSON_ARRAY && i < list->n; i++)
        add_block(&b, &list->items[i]);
    const char *text = NO_TEXT;
    if (!sl_is_blank(buf_str(&b)))
        text = sl_text_stored(c, sl_text_cut(c, buf_str(&b)), false);
    if (buf_failed(&b)) {
        sosia_fail_memory(c->tx.err);
        text = NULL;
    }
    buf_done(&b);
    return text;
}
