/* SPDX-License-Identifier: Apache-2.0 */
/* A drive as it is shown. */
#include "services/drive/onedrive/onedrive.h"

static int write_quota(struct onedrive_at *at)
{
    struct json_writer *w = at->c->out;
    int64_t all, trash;
    if (drive_usage(&at->c->tx, at->owner.id, &all, &trash) < 0)
        return -1;
    const int64_t left = all < at->quota ? at->quota - all : 0;
    json_obj(w, "quota");
    json_int(w, "deleted", trash);
    json_int(w, "remaining", left);
    json_str(w, "state",
             !left                    ? "exceeded"
             : left < at->quota / 100 ? "critical"
             : left < at->quota / 10  ? "nearing"
                                      : "normal");
    json_int(w, "total", at->quota);
    json_int(w, "used", all);
    json_end(w);
    return 0;
}

int onedrive_write_drive(struct onedrive_at *at)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    json_str(w, "createdDateTime", graph_date(a, at->root.created_us, 0));
    json_str(w, "description", "");
    json_str(w, "id", at->drive);
    json_str(w, "lastModifiedDateTime", graph_date(a, at->root.modified_us, 0));
    json_str(w, "name", at->library.id ? at->library.title : "OneDrive");
    json_str(w, "webUrl", ARENA_JOIN(a, "https://", at->host, at->site, at->folder));
    json_str(w, "driveType", at->type);
    if (onedrive_write_person(at, "createdBy", at->owner.id) < 0)
        return -1;
    if (at->library.id)
        onedrive_write_library_owner(at);
    else if (onedrive_write_person(at, "lastModifiedBy", at->owner.id) < 0 ||
             onedrive_write_person(at, "owner", at->owner.id) < 0)
        return -1;
    return write_quota(at);
}
