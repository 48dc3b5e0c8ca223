/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON that teams, channels and messages keep, and what it says. */
#include "services/chat/teams/teams.h"

const struct json *teams_properties(struct arena *a, const char *text)
{
    const struct json *v;
    return text && json_parse(a, text, strlen(text), NULL, &v, NULL) == 0 ? v : NULL;
}

const char *teams_with(struct arena *a, const char *text, const char *name,
                       const struct json *value)
{
    const struct json *old = teams_properties(a, text);
    struct json_writer w;
    bool there = false;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; old && i < old->n; i++) {
        const bool same = strcmp(old->members[i].key, name) == 0;
        if (!same)
            json_value(&w, old->members[i].key, &old->members[i].value);
        else if (value)
            json_value(&w, name, value);
        there |= same;
    }
    if (!there && value)
        json_value(&w, name, value);
    json_end(&w);
    const char *made = buf_failed(&b) ? NULL : arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return made;
}

const char *teams_with_text(struct arena *a, const char *text, const char *name, const char *value)
{
    const struct json v = {.type = value ? JSON_STRING : JSON_NULL,
                           .str = value,
                           .n = value ? (uint32_t)strlen(value) : 0};
    return teams_with(a, text, name, value ? &v : NULL);
}

bool teams_is_deleted(const struct chat_channel *ch)
{
    return ch->properties && strstr(ch->properties, "\"deletedDateTime\"") != NULL;
}

bool teams_is_shared(const struct chat_channel *ch)
{
    return ch->kind == CHAT_PRIVATE && ch->properties && strstr(ch->properties, "\"shared\"");
}

const char *teams_membership(const struct chat_channel *ch)
{
    return ch->kind != CHAT_PRIVATE ? "standard" : teams_is_shared(ch) ? "shared" : "private";
}

bool teams_setting(const struct chat_team *t, struct arena *a, const char *group, const char *name,
                   bool usual)
{
    const struct json *all = teams_properties(a, t->properties);
    const struct json *of = all ? json_get(all, group) : NULL;
    const struct json *v = of ? json_get(of, name) : NULL;
    return v && v->type == JSON_BOOL ? v->truth : usual;
}

int64_t teams_history(struct arena *a, const struct chat_channel *ch, const struct chat_user *u)
{
    const struct json *p = ch->properties && strstr(ch->properties, "\"history\"")
                               ? teams_properties(a, ch->properties)
                               : NULL;
    const struct json *all = p ? json_get(p, "history") : NULL;
    return all ? json_get_int(all, u->key, 0) : 0;
}

const char *teams_chat_type(const struct chat_channel *ch)
{
    return ch->kind == CHAT_DIRECT                                   ? "oneOnOne"
           : ch->properties && strstr(ch->properties, "\"meeting\"") ? "meeting"
                                                                     : "group";
}
