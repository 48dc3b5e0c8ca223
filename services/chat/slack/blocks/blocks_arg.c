/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of methods that have blocks: "blocks" itself, and attachments. */
#include "services/chat/slack/blocks/blocks.h"
#include <stdio.h>

int sl_blocks_arg(struct call *c, const char **ret)
{
    const struct json *list;
    int r = slack_value(c, "blocks", &list);
    *ret = NULL;
    if (r <= 0)
        return r;
    if ((r = sl_blocks_check(c, list, "/blocks", slack_shape(c, "blocks"), ret)) < 0)
        return -1;
    if (!r) {
        slack_of(c)->repeat_messages = true;
        return slack_fail(c, "invalid_blocks");
    }
    if (*ret && strlen(*ret) > 512 * 1024)
        return slack_fail(c, "msg_blocks_too_long");
    return 1;
}

/* No page says how much a message may have. Clients have measured 13,297 characters in one block of
 * Markdown, 13,172 beside a divider, and some 130 less for each header. */
#define BLOCK_WEIGHT 125
#define MAX_WEIGHT   (13297 + BLOCK_WEIGHT)

/* The characters of all texts below. */
static size_t texts_below(const struct json *v)
{
    size_t n = 0;
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        n += texts_below(&v->items[i]);
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++) {
        const struct json *value = &v->members[i].value;
        bool text = value->type == JSON_STRING && strcmp(v->members[i].key, "text") == 0;
        n += text ? sl_characters(value->str) : texts_below(value);
    }
    return n;
}

int sl_blocks_fit(struct call *c)
{
    const struct json *list = slack_given(c, "blocks");
    return list && texts_below(list) + list->n * (size_t)BLOCK_WEIGHT > MAX_WEIGHT
               ? slack_fail(c, "msg_blocks_too_long")
               : 0;
}

/* ---- attachments ---- */

static const char *fallback_of(const struct json *v)
{
    static const char *const names[] = {"fallback", "text", "title", "pretext"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (json_get_str(v, names[i]))
            return json_get_str(v, names[i]);
    return "[no preview available]";
}

/* Hexadecimal digits alone; words become those that the service shows for them. */
static void write_color(struct json_writer *w, const struct json *v)
{
    static const char *const words[][2] = {
        {"good", "2eb886"}, {"warning", "daa038"}, {"danger", "a30200"}};
    const char *color = v->str;
    for (size_t i = 0; i < SOSIA_LEN(words); i++)
        if (strcmp(color, words[i][0]) == 0)
            color = words[i][1];
    json_str(w, "color", color + (*color == '#'));
}

/* A button or menu of the old form: its number and style are filled in. */
static void write_legacy_action(struct json_writer *w, const struct json *v, uint32_t at)
{
    char id[12];
    snprintf(id, sizeof id, "%u", at + 1);
    if (v->type != JSON_OBJECT) {
        json_value(w, NULL, v);
        return;
    }
    json_obj(w, NULL);
    json_str(w, "id", id);
    for (uint32_t i = 0; i < v->n; i++)
        if (strcmp(v->members[i].key, "id") != 0)
            json_value(w, v->members[i].key, &v->members[i].value);
    if (!json_get(v, "style"))
        json_str(w, "style", "");
    json_end(w);
}

static void write_legacy_actions(struct json_writer *w, const struct json *list)
{
    json_arr(w, "actions");
    for (uint32_t i = 0; i < list->n; i++)
        write_legacy_action(w, &list->items[i], i);
    json_end(w);
}

/* An attachment has blocks, or these members of the old form. */
static bool has_old_form(const struct json *v)
{
    static const char *const old[] = {"id",          "indent", "title",   "title_link", "text",
                                      "callback_id", "fields", "actions", "mrkdwn_in"};
    for (size_t i = 0; i < SOSIA_LEN(old); i++)
        if (json_get(v, old[i]))
            return true;
    return false;
}

/* 1, 0 not good, -1. */
static int write_attachment(struct call *c, struct json_writer *w, const struct json *v, int at)
{
    const struct json *given = json_get(v, "blocks");
    const char *made = NULL;
    int r = given
                ? sl_blocks_check(c, given, arena_printf(c->tx.arena, "/attachments/%d/blocks", at),
                                  &sl_blocks_field, &made)
                : 1;
    json_obj(w, NULL);
    json_int(w, "id", at + 1);
    for (uint32_t i = 0; i < v->n; i++) {
        if (strcmp(v->members[i].key, "attachment_type") == 0) /* it is not shown any more */
            continue;
        const char *key = v->members[i].key;
        const struct json *value = &v->members[i].value;
        if (strcmp(key, "id") == 0 || strcmp(key, "fallback") == 0)
            continue;
        if (given == value && made)
            json_raw(w, "blocks", made, strlen(made));
        else if (strcmp(key, "color") == 0 && value->type == JSON_STRING)
            write_color(w, value);
        else if (strcmp(key, "actions") == 0 && value->type == JSON_ARRAY)
            write_legacy_actions(w, value);
        else
            json_value(w, key, value);
    }
    json_str(w, "fallback", fallback_of(v));
    json_end(w);
    return r;
}

int sl_attachments_arg(struct call *c, const char **ret)
{
    const struct json *list;
    struct buf b;
    struct json_writer w;
    int r = slack_value(c, "attachments", &list), good = 1;
    *ret = NULL;
    if (r <= 0)
        return r;
    if (list->n > 100)
        return slack_fail(c, "too_many_attachments");
    buf_init(&b, 8 << 20);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    for (uint32_t i = 0; good == 1 && i < list->n; i++) {
        const struct json *v = &list->items[i];
        const struct json *blocks = v->type == JSON_OBJECT ? json_get(v, "blocks") : NULL;
        bool built = blocks && blocks->type == JSON_ARRAY && blocks->n;
        if (v->type != JSON_OBJECT || (built && has_old_form(v))) {
            slack_message(c, NULL, "invalid_keys");
            good = 0;
        } else {
            good = write_attachment(c, &w, v, (int)i);
        }
    }
    json_end(&w);
    if (good == 1 && buf_failed(&b)) /* beyond what a message can keep */
        good = 0;
    if (good == 1 && list->n)
        *ret = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    buf_done(&b);
    return good == 1 ? 1 : good < 0 ? -1 : slack_fail(c, "invalid_attachments");
}
