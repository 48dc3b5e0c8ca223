/* SPDX-License-Identifier: Apache-2.0 */
/* Tags and tabs as they are kept, and in seed documents. */
#include "services/chat/teams/tag.h"
#include "engine/json/doc.h"
#include "services/chat/core/form.h"

/* ---- tags ---- */

static int read_team(const struct form_in *in, const struct member *m, void *row)
{
    struct teams_tag *t = row;
    (void)m;
    if (chat_doc_team(in->tx, in->d, in->value, t->workspace, &t->team) < 0)
        return -1;
    return t->team ? 0 : doc_fail(in->d, in->value, "team", "is missing");
}

static int write_team(const struct form_out *out, const struct member *m, const void *row)
{
    (void)m;
    return chat_dump_team(out->tx, out->w, ((const struct teams_tag *)row)->team);
}

static int write_workspace(const struct form_out *out, const struct member *m, const void *row)
{
    struct chat_team t;
    (void)m;
    if (chat_team_get(out->tx, ((const struct teams_tag *)row)->team, &t) != 1)
        return -1;
    return chat_dump_workspace(out->tx, out->w, t.workspace);
}

static const struct member tag_members[] = {
    {"workspace", "Its id or domain; else the first one",
     CHAT_WORKSPACE_AT(NULL, offsetof(struct teams_tag, workspace)), .write = write_workspace},
    STORED_ID(struct teams_tag),
    {"team", "The team, by its id or name", .kind = MEMBER_OWN, .noun = "text", .read = read_team,
     .write = write_team, MEMBER_TYPED(struct teams_tag, team, int64_t)},
    {"id", "Its id, a GUID; made up without it", TEXT_AT(struct teams_tag, key)},
    {"name", "Its name", TEXT_AT(struct teams_tag, name), .flags = MEMBER_REQUIRED},
    {"description", "What it is for", TEXT_AT(struct teams_tag, description), .usual_text = ""},
    {"members", "Who has it: addresses, or object ids",
     KEPT_AT(struct teams_tag, members, JSON_ARRAY), .flags = MEMBER_REQUIRED},
};

/* Addresses become object ids. */
static int add_tag(const struct form_in *in, void *row)
{
    struct teams_tag *t = row;
    const struct json *list = teams_properties(in->tx->arena, t->members);
    const char *ids = "";
    for (uint32_t i = 0; list && i < list->n; i++) {
        const char *name = list->items[i].type == JSON_STRING ? list->items[i].str : "";
        struct chat_user u;
        int r = chat_doc_find(in->tx, t->workspace, name, &u);
        if (r != 1)
            return r < 0 ? -1
                         : doc_fail(in->d, json_get(in->value, "members"), "members",
                                    "there is nobody \"%.80s\" in the workspace", name);
        ids = arena_printf(in->tx->arena, "%s%s\"%s\"", ids, *ids ? "," : "", u.key);
    }
    t->members = arena_printf(in->tx->arena, "[%s]", ids);
    return !t->key && !(t->key = teams_key(in->tx, CHAT_THING_TEAM, CHAT_PUBLIC))
               ? -1
               : stored_add(in->tx, &teams_tag_stored, t);
}

STORED(teams_tag_stored, "A tag of a team", struct teams_tag, tag_members, NULL,
       .table = "teams_tag", .key = "team id", .add = add_tag);

/* ---- tabs ---- */

static const struct member tab_members[] = {
    CHAT_WORKSPACE_BY(struct teams_tab, channel, chat_write_workspace_of_channel),
    STORED_ID(struct teams_tab),
    {"channel", "The channel or chat, by its id, or a channel by its name",
     CHAT_CHANNEL_AT(struct teams_tab, channel), .flags = MEMBER_REQUIRED},
    {"id", "Its id, a GUID; made up without it", TEXT_AT(struct teams_tab, key)},
    {"name", "Its name", TEXT_AT(struct teams_tab, name), .flags = MEMBER_REQUIRED},
    {"app", "The id of the Teams app that shows it", TEXT_AT(struct teams_tab, app),
     .usual_text = "com.microsoft.teamspace.tab.web"},
    {"configuration", "What is shown, as the API has it",
     KEPT_AT(struct teams_tab, configuration, JSON_OBJECT)},
};

static int add_tab(const struct form_in *in, void *row)
{
    struct teams_tab *t = row;
    return !t->key && !(t->key = teams_key(in->tx, CHAT_THING_TEAM, CHAT_PUBLIC))
               ? -1
               : stored_add(in->tx, &teams_tab_stored, t);
}

STORED(teams_tab_stored, "A tab of a channel or a chat", struct teams_tab, tab_members, NULL,
       .table = "teams_tab", .key = "channel id", .add = add_tab);
