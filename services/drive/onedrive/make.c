/* SPDX-License-Identifier: Apache-2.0 */
/* What making and changing items have in common: names, keys, owners, times. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/drive/onedrive/onedrive.h"

/* ---- new items ---- */

/* What is in the way of another goes into the recycle bin. */
int onedrive_throw_away(struct onedrive_at *at, struct drive_item *it)
{
    struct tx *tx = &at->c->tx;
    if (drive_trash(tx, it, at->c->actor.id) < 0 || drive_item_save(tx, it) < 0)
        return -1;
    return 0;
}

/* Settles the name; what is there already goes where it is to be replaced, for a caller who may
 * write there. */
int onedrive_settle(struct onedrive_at *at, enum drive_conflict how, struct drive_item *it)
{
    const char *name = it->name;
    struct drive_item old;
    int r = drive_name_settle(&at->c->tx, it, how, &old);
    if (r < 0)
        return onedrive_refused(at->c);
    if (r)
        return onedrive_may(at, &old, ROLE_WRITER) < 0 ? -1 : onedrive_throw_away(at, &old);
    return it->name == name ? 0 : onedrive_check_name(at->c, it->name, it->parent == at->root.id);
}

int onedrive_make_key(struct onedrive_at *at, struct drive_item *it)
{
    uint8_t own[ONEDRIVE_ID_BYTES], top[ONEDRIVE_ID_BYTES];
    struct tx *tx = &at->c->tx;
    it->key = drive_new_key(tx, &onedrive_vendor, it->form, DRIVE_NO_TOP, true);
    if (!it->key)
        return -1;
    if (onedrive_id_read(at->root.key, top) && onedrive_id_read(it->key, own)) {
        memcpy(own, top, ONEDRIVE_ID_DRIVE);
        it->key = onedrive_id(tx->arena, own);
    }
    return 0;
}

int onedrive_add(struct onedrive_at *at, const struct drive_item *folder, enum drive_conflict how,
                 struct drive_item *it)
{
    struct call *c = at->c;
    it->parent = folder->id;
    it->owner = folder->owner;
    it->modifier = c->actor.id;
    it->creator_app = c->app;
    it->size = -1;
    if (onedrive_check_name(c, it->name, folder->id == at->root.id) < 0 ||
        onedrive_settle(at, how, it) < 0 || (!it->key && onedrive_make_key(at, it) < 0))
        return -1;
    if (drive_may_hold(&c->tx, folder, it) < 0 || drive_item_add(&c->tx, it) < 0)
        return onedrive_refused(c);
    return onedrive_creator_set(&c->tx, it, c->actor.id);
}

int onedrive_make_folder(struct onedrive_at *at, const struct drive_item *folder, const char *name,
                         struct drive_item *ret)
{
    struct drive_item it = {.form = DRIVE_FOLDER, .mime = DRIVE_MIME_FOLDER, .name = name};
    if (onedrive_add(at, folder, CONFLICT_FAIL, &it) < 0)
        return -1;
    *ret = it;
    return 0;
}

/* ---- what bodies say ---- */

static int read_time(struct call *c, const struct json *info, const char *member, int64_t *ret)
{
    const char *text = json_get_str(info, member);
    struct stamp stamp;
    if (!text)
        return 0;
    if (stamp_parse(text, strlen(text), true, &stamp) < 0)
        return onedrive_invalid(c, "Invalid request");
    int64_t us = stamp.local_us - stamp.offset * US_PER_SECOND;
    us -= (us % US_PER_SECOND + US_PER_SECOND) % US_PER_SECOND; /* MG-445 */
    *ret = us;
    return 0;
}

int onedrive_read_times(struct call *c, const struct json *info, struct drive_item *it)
{
    if (!info)
        return 0;
    return read_time(c, info, "createdDateTime", &it->created_us) < 0 ||
                   read_time(c, info, "lastModifiedDateTime", &it->modified_us) < 0
               ? -1
               : 0;
}
