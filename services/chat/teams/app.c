/* SPDX-License-Identifier: Apache-2.0 */
#include "services/chat/teams/app.h"
#include "engine/json/doc.h"
#include "services/chat/core/form.h"

const struct teams_store_app teams_store_apps[] = {
    {"com.microsoft.teamspace.tab.web", "Website"},
    {"com.microsoft.teamspace.tab.planner", "Tasks by Planner and To Do"},
    {"com.microsoft.teamspace.tab.files.sharepoint", "Document Library"},
    {"com.microsoft.teamspace.tab.file.staticviewer.word", "Word"},
    {"com.microsoft.teamspace.tab.file.staticviewer.excel", "Excel"},
    {"com.microsoft.teamspace.tab.file.staticviewer.powerpoint", "PowerPoint"},
    {"com.microsoft.teamspace.tab.file.staticviewer.pdf", "PDF"},
    {"com.microsoft.teamspace.tab.wiki", "Wiki"},
    {"com.microsoftstream.embed.skypeteamstab", "Stream"},
    {"81fef3a6-72aa-4648-a763-de824aeafb7d", "Forms"},
    {"0d820ecd-def2-4297-adad-78056cde7c78", "OneNote"},
    {"2a527703-1f6f-4559-a332-d8a7d288cd88", "SharePoint"},
    {NULL, NULL},
};

const char *teams_app_name(const char *id)
{
    for (const struct teams_store_app *a = teams_store_apps; a->id; a++)
        if (strcmp(a->id, id) == 0)
            return a->name;
    return id;
}

void teams_write_app(struct json_writer *w, const char *id)
{
    json_str(w, "id", id);
    json_null(w, "externalId");
    json_str(w, "displayName", teams_app_name(id));
    json_word(w, "distributionMethod", "store");
}

/* ---- in documents ---- */

static int read_app_team(const struct form_in *in, const struct member *m, void *row)
{
    struct teams_installed *t = row;
    (void)m;
    return chat_doc_team(in->tx, in->d, in->value, t->workspace, &t->team);
}

static int write_app_team(const struct form_out *out, const struct member *m, const void *row)
{
    (void)m;
    return chat_dump_team(out->tx, out->w, ((const struct teams_installed *)row)->team);
}

static int write_app_workspace(const struct form_out *out, const struct member *m, const void *row)
{
    const struct teams_installed *t = row;
    struct chat_channel ch;
    struct chat_user u;
    struct chat_team team;
    (void)m;
    int r = t->team      ? chat_team_get(out->tx, t->team, &team)
            : t->channel ? chat_channel_get(out->tx, t->channel, &ch)
                         : chat_user_get(out->tx, t->user, &u);
    return r != 1 ? -1
                  : chat_dump_workspace(out->tx, out->w,
                                        t->team      ? team.workspace
                                        : t->channel ? ch.workspace
                                                     : u.workspace);
}

static const struct member members[] = {
    {"workspace", "Its id or domain; else the first one",
     CHAT_WORKSPACE_AT(NULL, offsetof(struct teams_installed, workspace)),
     .write = write_app_workspace},
    STORED_ID(struct teams_installed),
    {"team", "The team in which it is, by its id or name", .kind = MEMBER_OWN, .noun = "text",
     .flags = MEMBER_NULL, .read = read_app_team, .write = write_app_team,
     MEMBER_TYPED(struct teams_installed, team, int64_t)},
    {"channel", "Or the chat, by its id", CHAT_CHANNEL_AT(struct teams_installed, channel)},
    {"user", "Or the user who has it", CHAT_USER_AT(struct teams_installed, user)},
    {"app", "The id of the Teams app", TEXT_AT(struct teams_installed, app),
     .flags = MEMBER_REQUIRED},
};

static int add(const struct form_in *in, void *row)
{
    struct teams_installed *t = row;
    if ((t->team != 0) + (t->channel != 0) + (t->user != 0) != 1)
        return doc_fail(in->d, in->value, NULL, "must have one of team, channel, user");
    return stored_add(in->tx, &teams_installed_stored, t);
}

STORED(teams_installed_stored, "A Teams app that is installed somewhere", struct teams_installed,
       members, NULL, .table = "teams_installed", .key = "team channel user app", .add = add);
