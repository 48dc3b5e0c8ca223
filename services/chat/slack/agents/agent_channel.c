/* SPDX-License-Identifier: Apache-2.0 */
/* Code channels as methods of agents name them: which one, its title, and the name that follows
 * from that. */
#include "services/chat/slack/agents/agents.h"
#include <ctype.h>

int sl_agent_channel(struct call *c, const char *name, bool members, struct chat_channel *ch,
                     struct chat_agent_channel *ret)
{
    const struct sl_caller *me = sl_me(c);
    const char *key = param_str(c, name);
    int r = key && *key ? chat_channel_find(&c->tx, me->workspace.id, key, ch) : 0;
    if (r == 1)
        r = chat_can_see(&c->tx, ch, &me->user);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "channel_not_found");
    if ((r = chat_agent_channel_get(&c->tx, ch->id, ret)) != 1)
        return r < 0 ? -1 : slack_fail(c, "not_agent_channel");
    r = chat_is_agent(&c->tx, ch->id, me->user.id);
    if (!r && members)
        r = sl_is_member(c, ch);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "not_authorized");
}

int sl_too_long(struct call *c, const char *pointer, size_t max)
{
    return slack_invalid_arguments(c, pointer, "must be less than %zu characters", max + 1);
}

int sl_short_arg(struct call *c, const char *name, size_t max, const char **ret)
{
    const char *text = param_str(c, name);
    *ret = text && *text ? text : NULL;
    return text && sl_characters(text) > max
               ? sl_too_long(c, arena_printf(c->tx.arena, "/%s", name), max)
               : 0;
}

const char *sl_agent_channel_name(struct call *c, const char *title)
{
    char *name = arena_alloc(c->tx.arena, strlen(title) + 1);
    size_t n = 0, characters = 0, letters = 0;
    for (const char *p = title; *p;) {
        unsigned char ch = (unsigned char)*p;
        size_t len = 1;
        while (ch >= 0x80 && ((unsigned char)p[len] & 0xc0) == 0x80)
            len++;
        bool letter = ch >= 0x80 || isalnum(ch);
        bool dash = !letter && ch != '_';
        if (characters == SL_AGENT_NAME_MAX)
            break;
        if (letter || ch == '_' || (n && name[n - 1] != '-')) {
            for (size_t i = 0; i < len; i++)
                name[n++] = dash ? '-' : ch >= 0x80 ? p[i] : (char)tolower(ch);
            characters++;
            letters += letter;
        }
        p += len;
    }
    while (n && name[n - 1] == '-')
        n--;
    name[letters ? n : 0] = 0;
    return name;
}

int sl_agent_name_taken(struct call *c, const char *name, int64_t but)
{
    struct chat_channel other;
    int r = chat_channel_by_name(&c->tx, sl_me(c)->workspace.id, name, &other);
    return r == 1 ? other.id != but : r;
}

int sl_retitle(struct call *c, struct chat_channel *ch, struct chat_agent_channel *a,
               const char *title)
{
    const char *name = sl_agent_channel_name(c, title);
    if (!*title || !*name || sl_characters(title) > SL_AGENT_TITLE_MAX)
        return slack_fail(c, "invalid_name");
    if (!ch->name || strcmp(name, ch->name) != 0) {
        int r = sl_agent_name_taken(c, name, ch->id);
        if (r)
            return r < 0 ? -1 : slack_fail(c, "name_taken");
        if (sl_rename_channel(c, ch, name) < 0)
            return -1;
    }
    a->title = title;
    return chat_agent_channel_save(&c->tx, a);
}
