/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of resources of each service. */
#include "mcp/resource.h"
#include "engine/base/codec.h"

#define FOLDER "application/vnd.google-apps.folder"
#define LIST                                                                                       \
    "/drive/v3/files?pageSize=1000&orderBy=folder,name&fields=files(id,name,mimeType,size)&"       \
    "supportsAllDrives=true&includeItemsFromAllDrives=true&q="

/* A folder is a list of what is in it, a file is its content; what the service's own editors work
 * on is exported as text. */
static int open_file(struct mcp_call *m, const char *id, struct mcp_answer *ret)
{
    static const char *const exports[][2] = {
        {"application/vnd.google-apps.document", "text/markdown"},
        {"application/vnd.google-apps.spreadsheet", "text/csv"},
        {"application/vnd.google-apps.presentation", "text/plain"},
        {"application/vnd.google-apps.drawing", "image/svg%2Bxml"}};
    static const char files[] = "/drive/v3/files/";
    struct arena *a = m->c->tx.arena;
    const char *query = "?alt=media&supportsAllDrives=true", *type;
    if (tool_get(m, arena_printf(a, "%s%s?fields=mimeType&supportsAllDrives=true", files, id),
                 ret) < 0)
        return -1;
    if (ret->refused)
        return 0;
    type = json_get_str(tool_answer(m, ret), "mimeType");
    sosia_response_free(ret->response);
    ret->response = NULL;
    if (type && strcmp(type, FOLDER) == 0)
        return tool_get(
            m,
            arena_printf(a, LIST "%%27%s%%27%%20in%%20parents%%20and%%20trashed%%20%%3D%%20false",
                         id),
            ret);
    for (size_t i = 0; type && i < SOSIA_LEN(exports); i++)
        if (strcmp(type, exports[i][0]) == 0)
            query = arena_printf(a, "/export?mimeType=%s", exports[i][1]);
    return tool_get(m, arena_printf(a, "%s%s%s", files, id, query), ret);
}

const struct resource_kind resource_kinds[] = {
    {"calendar", "calendar://{calendarId}", "calendar", "A calendar's coming events",
     "The events of a calendar from now on, in the order in which they begin",
     "/calendar/v3/calendars/{calendarId}/"
     "events?singleEvents=true&orderBy=startTime&maxResults=100&timeMin={now}",
     "/calendar/v3/users/me/calendarList?maxResults=250", "items", "id", "summary", "pageToken",
     "nextPageToken", NULL},
    {"calendar", "calendar://{calendarId}/events/{eventId}", "event", "An event",
     "One event of a calendar", "/calendar/v3/calendars/{calendarId}/events/{eventId}", NULL, NULL,
     NULL, NULL, NULL, NULL, NULL},
    {"gmail", "gmail://labels/{labelId}", "label", "The messages with a label",
     "Newest first, with the ids of their threads",
     "/gmail/v1/users/me/messages?labelIds={labelId}&maxResults=100", "/gmail/v1/users/me/labels",
     "labels", "id", "name", NULL, NULL, NULL},
    {"gmail", "gmail://messages/{messageId}", "message", "A message", "One message with its parts",
     "/gmail/v1/users/me/messages/{messageId}", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"gmail", "gmail://threads/{threadId}", "thread", "A thread", "The messages of a thread",
     "/gmail/v1/users/me/threads/{threadId}", NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {"drive", "gdrive:///{fileId}", "file", "A file",
     "The content of a file; documents as Markdown, sheets as CSV, slides as text; what is in a "
     "folder",
     NULL,
     "/drive/v3/files?pageSize=100&orderBy=modifiedTime%20desc&q=trashed%20%3D%20false&fields="
     "nextPageToken,files(id,name)",
     "files", "id", "name", "pageToken", "nextPageToken", open_file},
    {"slack", "slack://channels/{channel}", "channel", "A channel's latest messages",
     "The latest messages of a channel, newest first",
     "/api/conversations.history?channel={channel}&limit=100",
     "/api/conversations.list?limit=200&exclude_archived=true", "channels", "id", "name", "cursor",
     "response_metadata.next_cursor", NULL},
    {"slack", "slack://channels/{channel}/threads/{ts}", "conversation", "A thread",
     "The messages of a thread", "/api/conversations.replies?channel={channel}&ts={ts}&limit=100",
     NULL, NULL, NULL, NULL, NULL, NULL, NULL},
    {NULL},
};
