/* SPDX-License-Identifier: Apache-2.0 */
/* What a viewer may do with an item: the conditions of the table of rights, read from the world. */
#include "services/drive/core/access/shared.h"
#include "services/drive/google/sharing/can.h"

static enum gdrive_nature nature_of(const struct drive_item *it)
{
    static const char *const plain[] = {"drawing", "form", "site", "map", "jam", NULL};
    switch (it->form) {
    case DRIVE_FOLDER:
        return it->top == DRIVE_NO_TOP   ? NATURE_FOLDER
               : it->top == DRIVE_SHARED ? NATURE_TOP
                                         : NATURE_ROOT;
    case DRIVE_SHORTCUT:
        return NATURE_SHORTCUT;
    case DRIVE_DOCUMENT:
        for (size_t i = 0; plain[i]; i++)
            if (strcmp(it->mime, plain[i]) == 0)
                return NATURE_OTHER;
        return NATURE_DOCUMENT;
    default:
        return NATURE_FILE;
    }
}

/* Of a JSON object with itemDownloadRestriction, which has its subjects. */
static void read_download_rules(struct tx *tx, const char *text, struct gdrive_state *s)
{
    const struct json *v;
    struct sosia_err err;
    if (!text || json_parse(tx->arena, text, strlen(text), NULL, &v, &err) < 0)
        return;
    const struct json *own = json_get(v, "itemDownloadRestriction");
    const struct json *readers = json_get(own, "restrictedForReaders"),
                      *writers = json_get(own, "restrictedForWriters");
    s->readers_no_download = json_is_true(readers);
    s->writers_no_download = json_is_true(writers);
}

static void read_restrictions(struct tx *tx, const char *text, struct gdrive_state *s)
{
    const struct json *v, *own;
    struct sosia_err err;
    if (!text || json_parse(tx->arena, text, strlen(text), NULL, &v, &err) < 0 ||
        v->type != JSON_ARRAY || !v->n)
        return;
    own = json_get(&v->items[0], "ownerRestricted");
    s->owner_locked = json_is_true(own);
}

static int read_drive(struct drive_viewer *v, const struct drive_item *it, struct gdrive_state *s)
{
    struct drive_settings set;
    struct drive_access at;
    struct drive_item top;
    s->shared_drive = true;
    int r = drive_settings(v->tx, it->drive, &set);
    if (r < 0)
        return -1;
    if (r) {
        s->copy_needs_writer |= set.copy_writers;
        s->folders_by_organizer = set.folders_organizer;
        s->readers_no_download |= set.readers_no_download;
        s->writers_no_download |= set.writers_no_download;
    }
    r = drive_item_by_id(v->tx, it->drive, &top);
    if (r < 0 || (r && drive_role(v, &top, &at) < 0))
        return -1;
    s->member = r && at.role >= ROLE_READER;
    return 0;
}

int gdrive_download_limits(struct tx *tx, const struct drive_item *it, bool *ret_readers,
                           bool *ret_writers)
{
    struct gdrive_state s = {.copy_needs_writer = it->flags & DRIVE_COPY_LIMIT};
    struct drive_settings set;
    read_download_rules(tx, it->download_rules, &s);
    int r = it->drive ? drive_settings(tx, it->drive, &set) : 0;
    if (r < 0)
        return -1;
    if (r) {
        s.copy_needs_writer |= set.copy_writers;
        s.readers_no_download |= set.readers_no_download;
        s.writers_no_download |= set.writers_no_download;
    }
    *ret_writers = s.writers_no_download;
    *ret_readers = s.copy_needs_writer || s.readers_no_download || s.writers_no_download;
    return 0;
}

int gdrive_may(struct drive_viewer *v, const struct drive_item *it, const struct drive_access *a,
               struct gdrive_cans *ret)
{
    struct gdrive_state s = {.nature = nature_of(it),
                             .writers_share = !(it->flags & DRIVE_WRITERS_DONT_SHARE),
                             .copy_needs_writer = it->flags & DRIVE_COPY_LIMIT,
                             .locked = it->flags & DRIVE_LOCKED,
                             .limited = it->flags & DRIVE_LIMITED,
                             .expires = a->expires,
                             .organisation = v->who->id && v->who->org};
    read_download_rules(v->tx, it->download_rules, &s);
    if (s.locked)
        read_restrictions(v->tx, it->restrictions, &s);
    int offered = v->who->id ? drive_is_offered(v->tx, it, v->who->email) : 0;
    if (offered < 0 || (it->drive && read_drive(v, it, &s) < 0))
        return -1;
    s.pending_owner = offered;
    *ret = gdrive_cans(a->role, &s);
    return 0;
}
