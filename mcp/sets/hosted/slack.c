/* SPDX-License-Identifier: Apache-2.0 */
/* The hosted tools of a workspace, and those of the archived reference server. Source of names,
 * arguments and shapes: their published code. */
#include "mcp/sets/hosted/hosted.h"
#include <strings.h>

/* ---- filters ---- */

static bool has_text(const struct json *v, const char *member, const char *part)
{
    const char *text = json_get_str(v, member);
    return text && strcasestr(text, part);
}

/* Conversations whose name has channel_name, and direct ones with user_id; all where neither is
 * said. */
static const struct json *conversations(struct set_run *r, const struct json *v, const char *arg,
                                        const struct json *item)
{
    const char *name = json_get_str(r->args, "channel_name");
    const char *user = json_get_str(r->args, "user_id");
    struct value_list l = {.arena = r->arena};
    if (!v || ((!name || !*name) && (!user || !*user)))
        return v;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json *c = &v->items[i];
        bool direct = json_is_true(json_get(c, "is_im"));
        const char *with = json_get_str(c, "user");
        if (direct ? user && with && strcmp(with, user) == 0
                   : name && *name &&
                         (has_text(c, "name", name) || has_text(c, "name_normalized", name)))
            list_add(&l, c);
    }
    return list_value(&l);
}

/* Members with user_id, or whose names have name; all where neither is said. */
static const struct json *members(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    const char *name = json_get_str(r->args, "name"), *user = json_get_str(r->args, "user_id");
    struct value_list l = {.arena = r->arena};
    if (!v || ((!name || !*name) && (!user || !*user)))
        return v;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json *m = &v->items[i];
        const char *id = json_get_str(m, "id");
        if ((user && id && strcmp(id, user) == 0) ||
            (name && *name && (has_text(m, "name", name) || has_text(m, "real_name", name))))
            list_add(&l, m);
    }
    return list_value(&l);
}

/* "wave * 2, eyes * 1"; nothing of none. */
static const struct json *reactions(struct set_run *r, const struct json *v, const char *arg,
                                    const struct json *item)
{
    struct buf b;
    if (!value_holds(v) || v->type != JSON_ARRAY)
        return NULL;
    buf_init(&b, 0);
    for (uint32_t i = 0; i < v->n; i++)
        buf_printf(&b, "%s%s * %s", i ? ", " : "",
                   value_words(r->arena, json_get(&v->items[i], "name")),
                   value_words(r->arena, json_get(&v->items[i], "count")));
    return set_text(r, &b);
}

/* The question with what other arguments add to it. */
static const struct json *question(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item)
{
    const struct json *channels = json_get(r->args, "channel_ids");
    const char *to_me = json_get_str(r->args, "to_me");
    const char *me = json_get_str(r->responses[0], "user_id");
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_puts(&b, value_words(r->arena, v));
    if (me && to_me && strcmp(to_me, "dm") == 0)
        buf_printf(&b, " to:<@%s>", me);
    else if (me)
        buf_printf(&b, " <@%s>", me);
    for (uint32_t i = 0; channels && i < channels->n; i++)
        buf_printf(&b, " in:%s", channels->items[i].str);
    return set_text(r, &b);
}

/* Where there are more: how to get them. */
static const struct json *more(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    return value_text(r->arena,
                      value_holds(v) ? " There are more: pass next_cursor as cursor." : "");
}

const struct set_filter hosted_slack_filters[] = {
    {"conversations", conversations}, {"members", members}, {"reactions", reactions},
    {"question", question},           {"more", more},       {NULL, NULL},
};
