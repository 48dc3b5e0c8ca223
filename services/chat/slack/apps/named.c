/* SPDX-License-Identifier: Apache-2.0 */
#include "services/chat/slack/apps/named.h"
#include "services/chat/slack/apps/platform.h"

static const char *const stored[SL_NAMED_KINDS] = {"users", "channels", "teams"};

int sl_named_read(struct call *c, const char *json, struct sl_named *ret)
{
    const struct json *v = sl_stored_json(c, json);
    *ret = (struct sl_named){0};
    if (!v)
        return -1;
    for (int k = 0; k < SL_NAMED_KINDS; k++) {
        const struct json *list = json_get(v, stored[k]);
        for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
            if (list->items[i].type == JSON_STRING && ret->n[k] < SL_NAMED_MAX)
                ret->ids[k][ret->n[k]++] = list->items[i].str;
    }
    return 0;
}

const char *sl_named_json(struct call *c, const struct sl_named *named)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (int k = 0; k < SL_NAMED_KINDS; k++) {
        if (!named->n[k])
            continue;
        json_arr(&w, stored[k]);
        for (size_t i = 0; i < named->n[k]; i++)
            json_str(&w, NULL, named->ids[k][i]);
        json_end(&w);
    }
    json_end(&w);
    const char *text = buf_failed(&b) ? NULL : arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    if (!text)
        (void)sosia_fail_memory(c->tx.err);
    return text;
}

static bool is_in(const struct sl_named *named, int kind, const char *id)
{
    for (size_t i = 0; i < named->n[kind]; i++)
        if (strcmp(named->ids[kind][i], id) == 0)
            return true;
    return false;
}

/* 1, 0, -1. */
static int is_there(struct call *c, int kind, const char *id)
{
    struct chat_channel ch;
    struct chat_user u;
    if (kind == SL_NAMED_USERS)
        return sl_user_find(c, id, &u);
    if (kind == SL_NAMED_TEAMS)
        return strcmp(id, sl_me(c)->workspace.key) == 0;
    int r = chat_channel_find(&c->tx, sl_me(c)->workspace.id, id, &ch);
    return r == 1 && ch.kind == CHAT_PRIVATE ? sl_is_member(c, &ch) : r;
}

int sl_named_args(struct call *c, struct sl_named *ret)
{
    static const struct {
        const char *name, *error;
    } args[] = {{"user_ids", "user_not_found"},
                {"channel_ids", "channel_not_found"},
                {"team_ids", "team_not_found"}};
    int found = 0;
    size_t n;
    *ret = (struct sl_named){0};
    for (int k = 0; k < SL_NAMED_KINDS; k++) {
        const char **ids = slack_list_arg(c, args[k].name, &n);
        if (n > SL_NAMED_MAX)
            return slack_fail(c, "too_many_named_entities");
        for (size_t i = 0; i < n; i++) {
            int r = is_there(c, k, ids[i]);
            if (r != 1)
                return r < 0 ? -1 : slack_fail(c, args[k].error);
            if (!is_in(ret, k, ids[i]))
                ret->ids[k][ret->n[k]++] = ids[i];
        }
        found += (int)ret->n[k];
    }
    (void)slack_list_arg(c, "org_ids", &n);
    return n ? slack_fail(c, "org_not_found") : found;
}

int sl_named_add(struct call *c, struct sl_named *named, const struct sl_named *more)
{
    for (int k = 0; k < SL_NAMED_KINDS; k++)
        for (size_t i = 0; i < more->n[k]; i++) {
            if (is_in(named, k, more->ids[k][i]))
                continue;
            if (named->n[k] == SL_NAMED_MAX)
                return slack_fail(c, "too_many_named_entities");
            named->ids[k][named->n[k]++] = more->ids[k][i];
        }
    return 0;
}

void sl_named_remove(struct sl_named *named, const struct sl_named *those)
{
    for (int k = 0; k < SL_NAMED_KINDS; k++) {
        size_t n = 0;
        for (size_t i = 0; i < named->n[k]; i++)
            if (!is_in(those, k, named->ids[k][i]))
                named->ids[k][n++] = named->ids[k][i];
        named->n[k] = n;
    }
}

bool sl_named_any(const struct sl_named *named)
{
    return named->n[SL_NAMED_USERS] || named->n[SL_NAMED_CHANNELS] || named->n[SL_NAMED_TEAMS];
}

int sl_permission_arg(struct call *c)
{
    int permission = 0;
    return slack_word(c, "permission_type", &permission) < 0 ? -1 : permission;
}
