/* SPDX-License-Identifier: Apache-2.0 */
/* What channels of files watch: channels in documents, and those of files that are gone. */
#include "services/drive/google/gdrive.h"
#include "engine/world/event.h"
#include "vendors/google/sql.h"

static const struct google_watched watched[] = {
    {CHANGED_FILE, "file", "file", &drive_id_of_key, &drive_key_of_id, "/drive/v3/files/", "",
     3600},
    {CHANGED_FEED, "changes", NULL, NULL, NULL, "/drive/v3/changes", NULL, 3600},
    {CHANGED_DRIVE_FEED, "driveChanges", "drive", &drive_top_of_key, &drive_key_of_id,
     "/drive/v3/changes", NULL, 3600},
    {0},
};

int gdrive_channel_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    return google_channel_seed(tx, d, v, watched, &gdrive_channel_form);
}

int gdrive_channel_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    return google_channel_dump(tx, rowid, w, watched);
}

/* Files that are watched in a folder that is gone with all that is in it. */
static int note_watched(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select c.ref from " GOOGLE_SQL_CHANNELS
                 " c where c.kind = 'drive.file' and c.ref > :after order by c.ref limit 1");
    int64_t ref = 0;
    int r;
    while ((r = TX_INT(tx, &q, &ref, ref)) == 1) {
        struct drive_item it;
        int there = drive_item_by_id(tx, ref, &it);
        if (there < 0)
            return -1;
        if (!there)
            event_note(tx, CHANGED_FILE, OP_REMOVED, ref, ref);
    }
    return r;
}

/* The rowid of an item that was deleted may be another's later. */
int gdrive_channel_events(struct tx *tx, const struct world_event *first)
{
    static struct sql_text q = SQL_TEXT("select exists (select 1 from " GOOGLE_SQL_CHANNELS
                                        " c where c.kind >= 'drive.' and c.kind < 'drive/')");
    int64_t any = -1;
    for (const struct world_event *e = first; e && any; e = e->next) {
        if (strcmp(e->kind, CHANGED_FILE) != 0 || e->operation != OP_REMOVED)
            continue;
        if (any < 0 && sql_first_int(tx->db, tx->err, TX_PLAIN(tx, &q), &any) < 0)
            return -1;
        if (any && (google_channel_gone(tx, CHANGED_FILE, e->scope) < 0 ||
                    google_channel_gone(tx, CHANGED_DRIVE_FEED, e->scope) < 0))
            return -1;
    }
    return any > 0 ? note_watched(tx) : 0;
}
