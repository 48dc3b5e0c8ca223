/* SPDX-License-Identifier: Apache-2.0 */
#include "mcp/sets/workspace/workspace.h"
#include <ctype.h>
#include <strings.h>

#define SHORTCUT   "application/vnd.google-apps.shortcut"
#define MAX_LINKED 5 /* shortcuts one after the other */

/* What an action of a tool must have. */
static const struct {
    const char *tool, *action, *args[3];
} needs[] = {
    {"manage_event", "create", {"summary", "start_time", "end_time"}},
    {"manage_event", "update", {"event_id"}},
    {"manage_event", "delete", {"event_id"}},
    {"manage_event", "rsvp", {"event_id", "response"}},
    {"manage_gmail_label", "create", {"name"}},
    {"manage_gmail_label", "update", {"label_id"}},
    {"manage_gmail_label", "delete", {"label_id"}},
    {"manage_gmail_filter", "create", {"criteria", "filter_action"}},
    {"manage_gmail_filter", "delete", {"filter_id"}},
    {"manage_drive_access", "grant", {NULL}},
    {"manage_drive_access", "grant_batch", {NULL}},
    {"manage_drive_access", "update", {"permission_id", "role"}},
    {"manage_drive_access", "revoke", {"permission_id"}},
    {"manage_drive_access", "transfer_owner", {"new_owner_email"}},
};

/* In lower case, without spaces around. */
static const char *folded(struct arena *a, const char *text)
{
    static const char blanks[] = " \t\r\n\f\v";
    text += strspn(text, blanks);
    char *action = arena_strdup(a, text), *end = action + strlen(action);
    while (end > action && strchr(blanks, end[-1]))
        *--end = 0;
    for (char *p = action; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return action;
}

/* 1; 0: refused. */
static int check_action(struct set_run *r, const char *action)
{
    const char *all = "";
    for (size_t i = 0; i < SOSIA_LEN(needs); i++)
        if (strcmp(needs[i].tool, r->tool->name) == 0) {
            if (strcmp(needs[i].action, action) == 0)
                all = NULL;
            all = all ? arena_printf(r->arena, "%s%s%s", all, *all ? ", " : "", needs[i].action)
                      : NULL;
        }
    if (all)
        return set_refuse(r, "action must be one of %s, not \"%.80s\"", all, action);
    for (size_t i = 0; i < SOSIA_LEN(needs); i++)
        if (strcmp(needs[i].tool, r->tool->name) == 0 && strcmp(needs[i].action, action) == 0)
            for (size_t k = 0; k < 3 && needs[i].args[k]; k++)
                if (!value_holds(json_get(r->args, needs[i].args[k])))
                    return set_refuse(r, "%s is required with the action %s", needs[i].args[k],
                                      action);
    set_remember(r, arena_printf(r->arena, "_%s", action), &value_true);
    return 1;
}

static int get_file(struct set_run *r, const struct json *id, const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    object_put(&o, "fileId", id);
    object_put(&o, "supportsAllDrives", &value_true);
    object_put(&o, "fields",
               value_text(r->arena, "id,name,mimeType,webViewLink,webContentLink,size,modifiedTime,"
                                    "shared,owners,permissions,shortcutDetails"));
    return set_call_method(r, "drive.files.get", object_value(&o), ret);
}

/* 1, 0, -1. */
static int find_file(struct set_run *r, const struct json *id)
{
    const struct json *file;
    for (int i = 0; i < MAX_LINKED; i++) {
        int rc = get_file(r, id, &file);
        if (rc <= 0)
            return rc;
        const char *type = json_get_str(file, "mimeType");
        const struct json *target = json_get(json_get(file, "shortcutDetails"), "targetId");
        set_remember(r, "_file", file);
        if (!type || strcmp(type, SHORTCUT) != 0 || !target)
            return 1;
        id = target;
    }
    return set_refuse(r, "file_id must lead to a file, leads from shortcut to shortcut");
}

int workspace_begin(struct set_run *r)
{
    const char *email = json_get_str(r->args, "user_google_email");
    const char *action = json_get_str(r->args, "action");
    const struct json *file = json_get(r->args, "file_id");
    int rc = 1;
    if (strcasecmp(email, r->m->c->actor.email) != 0)
        return set_refuse(r, "user_google_email must be %s, whose token it is, not %s",
                          r->m->c->actor.email,
                          call_quote(r->m->c, json_get(r->args, "user_google_email")));
    if (action)
        rc = check_action(r, folded(r->arena, action));
    if (rc > 0 && file)
        rc = find_file(r, file);
    return rc;
}

int workspace_run(struct set_run *r, const struct json **ret)
{
    int rc = workspace_begin(r);
    return rc > 0 ? set_run_steps(r, ret) : rc;
}
