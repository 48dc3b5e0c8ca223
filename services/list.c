/* SPDX-License-Identifier: Apache-2.0 */
/* All services, in the order in which seed documents are applied: files before letters that link to
 * them. A new one: its lines here, its folder, its files in services/meson.build. */
#include "services/list.h"
#include "guard/guard.h"
#include "engine/base/taken.h"
#include "identity/identity.h"
#include "mcp/mcp.h"
#include "mcp/servers/server.h"
#include "services/calendar/core/calendar.h"
#include "services/calendar/google/gcal.h"
#include "services/calendar/outlook/ocal.h"
#include "services/chat/core/chat.h"
#include "services/chat/slack/acts/interact.h"
#include "services/chat/slack/apps/platform.h"
#include "services/chat/slack/sl.h"
#include "services/chat/teams/teams.h"
#include "services/drive/core/drive.h"
#include "services/drive/google/gdrive.h"
#include "services/drive/onedrive/channel_folder.h"
#include "services/drive/onedrive/onedrive.h"
#include "services/lists/core/lists.h"
#include "services/lists/sharepoint/sharepoint.h"
#include "services/mail/core/mail.h"
#include "services/mail/gmail/gmail.h"
#include "services/mail/outlook/outlook.h"
#include "services/tasks/planner/planner.h"
#include "services/tasks/todo/flagged.h"
#include "services/tasks/todo/todo.h"
#include "services/web/core/web.h"
#include "services/workspace/core/workspace.h"
#include "services/workspace/e2b/e2b.h"
#include "vendors/google/google.h"
#include "vendors/google/signin/oauth.h"
#include "vendors/microsoft/attach.h"
#include "vendors/microsoft/directory/contact.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/directory/photo.h"
#include "vendors/microsoft/directory/registration.h"
#include "vendors/microsoft/directory/rows.h"
#include "vendors/microsoft/find.h"
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/signin/signin.h"
#include "vendors/microsoft/sites/sites.h"
#include "vendors/microsoft/subscription.h"
#include <pthread.h>

#define LIST(type, ...)                                                                            \
    (const struct type *const[])                                                                   \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static const struct sosia_service identity = {.name = "identity",
                                              .cores = LIST(sosia_core, &identity_core)};

static const struct sosia_service google = {
    .name = "google",
    .cores = LIST(sosia_core, &google_core, &google_oauth_core),
    .dialects =
        LIST(dialect, &google_dialect_common, &google_oauth_dialect, &google_oauth2_dialect),
};

static const struct sosia_service microsoft = {
    .name = "microsoft",
    .cores = LIST(sosia_core, &microsoft_core, &microsoft_contacts_core, &microsoft_photos_core,
                  &microsoft_registrations_core, &microsoft_sites_core, &microsoft_pages_core,
                  &graph_attach_core),
    .dialects = LIST(dialect, &graph_common, &authority_dialect, &authority_userinfo_dialect,
                     &directory_dialect, &contacts_dialect, &search_dialect, &sites_dialect),
};

static const struct sosia_service calendar = {
    .name = "calendar",
    .cores = LIST(sosia_core, &calendar_core, &calendar_google_core, &calendar_outlook_core),
    .dialects = LIST(dialect, &calendar_google, &calendar_outlook),
};

static const struct sosia_service mail = {
    .name = "mail",
    .cores = LIST(sosia_core, &mail_core, &gmail_core, &outlook_core, &mail_respond_core),
    .dialects = LIST(dialect, &gmail_dialect, &gmail_pages, &outlook_dialect),
};

static const struct sosia_service drive = {
    .name = "drive",
    .cores = LIST(sosia_core, &drive_google_labels_core, &drive_core, &drive_google_core,
                  &onedrive_core, &onedrive_folder_core),
    .dialects = LIST(dialect, &drive_google, &gdrive_pages, &gdrive_links, &onedrive_dialect),
};

static const struct sosia_service site_lists = {
    .name = "lists",
    .cores = LIST(sosia_core, &lists_core, &sharepoint_core),
    .dialects = LIST(dialect, &sharepoint_dialect),
};

static const struct sosia_service chat = {
    .name = "chat",
    .cores =
        LIST(sosia_core, &chat_core, &chat_slack_core, &chat_slack_push_core, &chat_channel_core,
             &chat_teams_core, &chat_slack_file_core, &chat_message_core, &chat_teams_rest_core,
             &chat_slack_rest_core, &chat_interact_core, &chat_platform_core, &chat_respond_core),
    .dialects = LIST(dialect, &chat_slack, &teams_dialect),
};

static const struct sosia_service workspace = {
    .name = "workspace",
    .cores = LIST(sosia_core, &workspace_core),
    .dialects =
        LIST(dialect, &filesystem_dialect, &memory_dialect, &email_dialect, &programs_dialect,
             &terminal_dialect, &git_dialect, &code_runner_dialect, &code_executor_dialect,
             &desktop_dialect, &pdf_dialect, &carried_dialect, &keep_dialect, &e2b_dialect),
};

static const struct sosia_service tasks = {
    .name = "tasks",
    .cores = LIST(sosia_core, &tasks_core, &tasks_todo_core, &tasks_flagged_core),
    .dialects = LIST(dialect, &todo_dialect, &planner_dialect),
};

static const struct sosia_service web = {
    .name = "web",
    .cores = LIST(sosia_core, &web_core),
    .dialects = LIST(dialect, &fetch_dialect, &web_dialect, &pages_dialect),
};

/* Behind what subscriptions watch. */
static const struct sosia_service subscriptions = {
    .name = "subscriptions",
    .cores = LIST(sosia_core, &graph_subscription_core),
};

#define SERVICES                                                                                   \
    &identity, &google, &microsoft, &calendar, &drive, &site_lists, &mail, &chat, &tasks,          \
        &workspace, &web, &subscriptions, &mcp_endpoint, &guard_service

const struct sosia_service *const sosia_services[] = {SERVICES, NULL};
static const struct sosia_service *const with_fixture[] = {SERVICES, &mcp_fixture_endpoint, NULL};

int sosia_engine_open(const struct sosia_engine_options *opt, struct sosia_engine **ret_engine,
                      struct sosia_err *err)
{
    struct sosia_engine_options options;
    if (TAKEN(sosia_engine_options, &options, opt, err) < 0)
        return -1;
    return engine_open(&options, options.mcp_fixture ? with_fixture : sosia_services, ret_engine,
                       err);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *hosts[SERVICE_HOSTS + 1];
static const struct vendor *vendors[32];

static void list_vendors(void)
{
    const struct dialect *d;
    size_t n = 0, at;
    service_hosts(sosia_services, hosts);
    for (size_t i = 0; (d = service_dialect(sosia_services, i)); i++) {
        for (at = 0; at < n && vendors[at] != d->vendor; at++)
            ;
        if (at == n && n + 1 < SOSIA_LEN(vendors))
            vendors[n++] = d->vendor;
    }
}

const char *const *sosia_hosts(void)
{
    pthread_once(&once, list_vendors);
    return hosts;
}

const struct vendor *const *sosia_vendors(void)
{
    pthread_once(&once, list_vendors);
    return vendors;
}

int sosia_data_check(const char *data_dir, const char *rescue_dir, struct sosia_blob *ret_json,
                     bool *ret_whole, struct sosia_err *err)
{
    if (taken_pointer(data_dir, "data_dir", err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0 ||
        taken_pointer(ret_whole, "ret_whole", err) < 0)
        return -1;
    return engine_check(data_dir, rescue_dir, sosia_services, ret_json, ret_whole, err);
}
