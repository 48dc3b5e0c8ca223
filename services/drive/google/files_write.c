/* SPDX-License-Identifier: Apache-2.0 */
/* Making, changing, moving and copying files. */
#include "services/drive/google/content/media.h"
#include "services/drive/google/scopes.h"
#include "services/drive/google/write.h"
#include "services/drive/core/comment.h"
#include "services/drive/google/content/convert.h"
#include "engine/base/codec.h"

static int insufficient(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "insufficientFilePermissions", NULL,
                     "The user does not have sufficient permissions for this file.");
}

/* A failure of drive_may_hold() or of drive_item_add(). drive: where it was to be. */
static int refused(struct call *c, const struct drive_item *it, int64_t drive)
{
    struct sosia_err *e = c->tx.err;
    const char *reason = e->reason ? e->reason : "";
    if (strcmp(reason, "cycle") == 0)
        return call_fail(c, SOSIA_E_INVALID, "badRequest", NULL, "Bad Request");
    if (strcmp(reason, "tooDeep") == 0)
        return drive ? call_fail(c, SOSIA_E_FORBIDDEN, "teamDriveHierarchyTooDeep", NULL,
                                 "The shared drive hierarchy depth will exceed the limit.")
                     : call_fail(c, SOSIA_E_FORBIDDEN, "myDriveHierarchyDepthLimitExceeded", NULL,
                                 "Your My Drive can't contain more than 100 levels of folders. For "
                                 "details, see https://developers.google.com/workspace/drive/api/"
                                 "guides/handle-errors#nested-folder-levels.");
    return gdrive_refused(c, it->key ? it->key : "");
}

/* ---- folders to put files into ---- */

/* A folder by its name as a place, which the scopes need not show. */
static int open_place(struct gdrive_view *v, const char *key, struct drive_item *ret,
                      struct drive_access *ret_access)
{
    if (gdrive_open_named(v, key, ret, ret_access) < 0)
        return -1;
    int r = gdrive_place_reached(v->c, ret);
    return r == 1 ? 0 : r < 0 ? -1 : gdrive_no_file(v->c, key);
}

int gdrive_open_folder(struct gdrive_view *v, const char *key, struct drive_item *ret,
                       struct drive_access *ret_access)
{
    struct call *c = v->c;
    struct gdrive_cans cans;
    if (open_place(v, key, ret, ret_access) < 0)
        return -1;
    if (ret->form != DRIVE_FOLDER)
        return call_fail(c, SOSIA_E_FORBIDDEN, "parentNotAFolder", NULL,
                         "The specified parent is not a folder.");
    if (gdrive_may(&v->viewer, ret, ret_access, &cans) < 0)
        return -1;
    if (ret_access->role < ROLE_OWNER && !can(&cans, CAN_ADD_CHILDREN))
        return call_fail(c, SOSIA_E_FORBIDDEN, "insufficientParentPermissions", NULL,
                         "Insufficient permissions for the specified parent.");
    return 0;
}

static int cannot_add(struct call *c, int64_t drive)
{
    if (drive)
        return call_fail(c, SOSIA_E_FORBIDDEN, "teamDrivesParentLimit", NULL,
                         "A shared drive item must have exactly one parent.");
    return call_fail(c, SOSIA_E_FORBIDDEN, "cannotAddParent", NULL,
                     "Increasing the number of parents is not allowed");
}

/* The one parent that a body names; NULL: none. */
static int body_parent(struct call *c, const char **ret)
{
    const struct json *v = json_get(c->body, "parents");
    *ret = NULL;
    if (!v || v->type == JSON_NULL || !v->n)
        return 0;
    if (v->n > 1) {
        struct drive_item first = {0};
        if (drive_item_by_key(&c->tx, v->items[0].str, &first) < 0)
            return -1;
        return cannot_add(c, first.drive);
    }
    *ret = v->items[0].str;
    return 0;
}

static void put_into(struct call *c, struct drive_item *it, const struct drive_item *folder)
{
    it->parent = folder->id;
    it->drive = folder->drive;
    it->space = folder->space;
    it->owner = folder->drive ? 0 : c->actor.id;
}

/* Where a new file is put. otherwise: a folder if the body names none; 0: the caller's own. */
static int find_place(struct gdrive_view *v, struct drive_item *it, int64_t otherwise)
{
    struct call *c = v->c;
    struct drive_item folder;
    struct drive_access access;
    const char *key;
    if (body_parent(c, &key) < 0)
        return -1;
    if (!key && otherwise) {
        struct gdrive_cans cans;
        int r = drive_item_by_id(&c->tx, otherwise, &folder);
        if (r < 0 || (r && (drive_role(&v->viewer, &folder, &access) < 0 ||
                            gdrive_may(&v->viewer, &folder, &access, &cans) < 0)))
            return -1;
        if (r && can(&cans, CAN_ADD_CHILDREN) && !access.trashed) {
            put_into(c, it, &folder);
            return 0;
        }
    }
    if (gdrive_open_folder(v, key ? key : "root", &folder, &access) < 0)
        return -1;
    if (drive_may_hold(&c->tx, &folder, it) < 0)
        return refused(c, it, folder.drive);
    put_into(c, it, &folder);
    if (it->space && it->form != DRIVE_FILE && it->form != DRIVE_FOLDER)
        return gdrive_not_for_app_data(c);
    return 0;
}

/* Service accounts can own nothing that takes bytes. */
static int check_storage(struct call *c, const struct drive_item *it)
{
    bool takes = it->form == DRIVE_FILE || it->form == DRIVE_DOCUMENT;
    if (!takes || !it->owner || strcmp(c->actor.kind, "service") != 0)
        return 0;
    return call_fail(c, SOSIA_E_FORBIDDEN, "storageQuotaExceeded", NULL,
                     "Service Accounts do not have storage quota. Leverage shared drives "
                     "(https://developers.google.com/workspace/drive/api/guides/"
                     "about-shareddrives), or use OAuth delegation "
                     "(http://support.google.com/a/answer/7281227) instead.");
}

/* ---- create ---- */

static int set_type(struct gdrive_change *ch)
{
    struct call *c = ch->v->c;
    const char *type = ch->type ? ch->type : c->medium ? c->medium->type : NULL;
    ch->it->form = gdrive_form(type && *type ? type : "application/octet-stream", &ch->it->mime);
    return 0;
}

static int set_target(struct gdrive_change *ch)
{
    struct call *c = ch->v->c;
    struct drive_item target;
    struct drive_access access;
    if (ch->it->form != DRIVE_SHORTCUT)
        return 0;
    if (!ch->target)
        return call_fail(c, SOSIA_E_INVALID, "required", "shortcutDetails.targetId",
                         "A shortcut needs the id of its target.");
    if (gdrive_open_named(ch->v, ch->target, &target, &access) < 0)
        return -1;
    int seen = gdrive_seen(c, &target);
    if (seen != 1)
        return seen < 0 ? -1 : gdrive_no_file(c, ch->target);
    if (target.form == DRIVE_SHORTCUT)
        return call_fail(c, SOSIA_E_FORBIDDEN, "shortcutTargetInvalid", NULL,
                         "The specified file is not an allowed shortcut target type.");
    ch->it->target = target.id;
    ch->it->target_key = target.key;
    ch->it->target_mime = target.mime;
    if (!json_get_str(c->body, "name"))
        ch->it->name = target.name;
    return 0;
}

/* Ids that were given out are for files and folders, those for shortcuts no others. */
static int check_key(struct gdrive_change *ch)
{
    struct call *c = ch->v->c;
    if (!ch->it->key)
        return 0;
    if (ch->it->form != DRIVE_DOCUMENT)
        return gdrive_key_ours(ch->it->key, ch->it->form == DRIVE_SHORTCUT) ? 0 : gdrive_no_use(c);
    return call_fail(c, SOSIA_E_FORBIDDEN, "fieldNotWritable", NULL,
                     "Generated IDs are not supported for Docs Editors formats.");
}

/* In a shared drive an item does not say who shares. */
static int check_sharing(struct gdrive_change *ch, int64_t drive)
{
    struct call *c = ch->v->c;
    const struct json *said = json_get(c->body, "writersCanShare");
    if (!drive || !said || said->type != JSON_BOOL || said->truth)
        return 0;
    return call_fail(c, SOSIA_E_FORBIDDEN, "teamDrivesSharingRestrictionNotAllowed", NULL,
                     "Sharing restrictions cannot be set on a shared drive item.");
}

static int answer(struct call *c, const struct drive_item *it)
{
    struct gdrive_view v; /* what was known of places may have changed */
    if (gdrive_view(c, &v) < 0)
        return -1;
    return gdrive_write_file(&v, NULL, it, NULL);
}

static void notify_parent(struct tx *tx, int64_t folder)
{
    static const char *const children[] = {"children", NULL};
    struct drive_item parent = {.id = folder};
    if (folder)
        drive_raise(tx, &parent, OP_CHANGED, children);
}

/* What a request says of a new file, and all that it may be refused for. */
static int prepare_new(struct call *c, struct gdrive_view *v, struct drive_item *ret,
                       struct gdrive_change *ch)
{
    *ret = (struct drive_item){
        .size = -1, .name = "Untitled", .modifier = c->actor.id, .creator_app = gdrive_app(c)};
    *ch = (struct gdrive_change){.v = v, .mode = GDRIVE_CREATE, .it = ret};
    if (gdrive_view(c, v) < 0 || gdrive_read_change(ch) < 0 || gdrive_check_content(ch) < 0 ||
        set_type(ch) < 0 || check_key(ch) < 0 || set_target(ch) < 0 || find_place(v, ret, 0) < 0 ||
        check_sharing(ch, ret->drive) < 0)
        return -1;
    return check_storage(c, ret);
}

static int check_new(struct call *c)
{
    struct gdrive_view v;
    struct drive_item it;
    struct gdrive_change ch;
    return prepare_new(c, &v, &it, &ch);
}

/* A form is published to who has its link. */
static int publish_form(struct tx *tx, struct drive_item *it)
{
    struct drive_grant g = {
        .kind = GRANT_ANYONE, .who = "", .role = ROLE_READER, .view = "published"};
    if (it->form != DRIVE_DOCUMENT || strcmp(it->mime, "form") != 0)
        return 0;
    return drive_grant_set(tx, it, &g);
}

static int files_create(struct call *c)
{
    struct gdrive_view v;
    struct drive_item it;
    struct gdrive_change ch;
    if (prepare_new(c, &v, &it, &ch) < 0)
        return -1;
    it.extension = gdrive_extension(c->tx.arena, it.name);
    if (drive_item_add(&c->tx, &it) < 0)
        return refused(c, &it, it.drive);
    if (gdrive_store_change(&ch) < 0 || gdrive_take_content(&ch) < 0 ||
        publish_form(&c->tx, &it) < 0)
        return -1;
    notify_parent(&c->tx, it.parent);
    return answer(c, &it);
}

/* ---- moves ---- */

struct place_list {
    const char **keys;
    size_t n;
};

/* "id,id": spaces are ignored. */
static void read_places(struct call *c, const char *name, struct place_list *ret)
{
    const char *p = param_str(c, name);
    *ret = (struct place_list){
        arena_calloc(c->tx.arena, (p ? strlen(p) : 0) / 2 + 1, sizeof(char *)), 0};
    while (p && *p) {
        size_t n = strcspn(p, ",");
        const char *from = p, *to = p + n;
        while (from < to && *from == ' ')
            from++;
        while (to > from && to[-1] == ' ')
            to--;
        if (to > from)
            ret->keys[ret->n++] = arena_memdup(c->tx.arena, from, (size_t)(to - from));
        p += n + (p[n] == ',');
    }
}

/* Who may write in a file takes it into a shared drive only where its owner is a member. */
static int check_owner_is_member(struct call *c, const struct drive_item *it, int64_t drive)
{
    struct drive_viewer v;
    struct drive_access access;
    struct drive_item top;
    struct actor owner;
    if (it->owner == c->actor.id)
        return 0;
    if (actor_by_id(&c->tx, it->owner, &owner) < 0 || drive_item_by_id(&c->tx, drive, &top) < 0)
        return -1;
    drive_viewer(&c->tx, &owner, &v);
    if (drive_role(&v, &top, &access) < 0)
        return -1;
    return access.role ? 0
                       : call_fail(c, SOSIA_E_FORBIDDEN, "fileOwnerNotMemberOfTeamDrive", NULL,
                                   "Cannot move a file into a shared drive as a writer when the "
                                   "owner of the file is not a member of that shared drive.");
}

static int check_crossing(struct call *c, const struct drive_item *it,
                          const struct drive_access *access, const struct drive_item *folder,
                          const struct gdrive_cans *cans)
{
    if (it->space || folder->space)
        return it->space == folder->space ? 0 : gdrive_not_for_app_data(c);
    if (it->drive == folder->drive)
        return can(cans, CAN_MOVE_WITHIN) ? 0 : insufficient(c);
    if (it->form == DRIVE_FOLDER && !it->drive)
        return call_fail(c, SOSIA_E_FORBIDDEN, "teamDrivesFolderMoveInNotSupported", NULL,
                         "Moving folders into shared drives is not supported.");
    /* A writer moves into a shared drive what the capabilities call not theirs to move. */
    if (!can(cans, it->drive ? CAN_MOVE_OUT : CAN_MOVE_WITHIN))
        return insufficient(c);
    if (folder->drive && access->trashed)
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotMoveTrashedItemIntoTeamDrive", NULL,
                         "A trashed item cannot be moved into a shared drive.");
    return it->drive ? 0 : check_owner_is_member(c, it, folder->drive);
}

/* What removeParents names is looked up, whether it is the item's parent or not. */
static int read_removed(struct gdrive_view *v, const struct place_list *list,
                        const struct drive_item *it, bool *ret_removed)
{
    for (size_t i = 0; i < list->n; i++) {
        struct drive_item folder;
        struct drive_access access;
        if (open_place(v, list->keys[i], &folder, &access) < 0)
            return -1;
        *ret_removed = *ret_removed || folder.id == it->parent;
    }
    return 0;
}

static int move(struct gdrive_view *v, struct drive_item *it, const struct drive_access *at,
                const struct gdrive_cans *cans)
{
    struct call *c = v->c;
    struct place_list added, removed;
    struct drive_item folder;
    struct drive_access access;
    bool leaves = false;
    read_places(c, "addParents", &added);
    read_places(c, "removeParents", &removed);
    if (!added.n && !removed.n)
        return 0;
    if (it->top)
        return insufficient(c);
    if (read_removed(v, &removed, it, &leaves) < 0)
        return -1;
    if (added.n > 1)
        return cannot_add(c, it->drive);
    if (!added.n) { /* it is nowhere then but in its owner's folder */
        if (!leaves)
            return 0;
        if (it->drive)
            return cannot_add(c, it->drive);
        if (at->role < ROLE_OWNER)
            return insufficient(c);
        int r = drive_root(&c->tx, it->owner, &folder);
        return r < 0                                              ? -1
               : drive_move(&c->tx, it, &folder, c->actor.id) < 0 ? refused(c, it, folder.drive)
                                                                  : 0;
    }
    if (gdrive_open_folder(v, added.keys[0], &folder, &access) < 0)
        return -1;
    if (folder.id == it->parent)
        return 0;
    if (it->parent && !leaves && (it->drive || at->role < ROLE_OWNER))
        return cannot_add(c, it->drive);
    if (check_crossing(c, it, at, &folder, cans) < 0)
        return -1;
    return drive_move(&c->tx, it, &folder, c->actor.id) < 0 ? refused(c, it, folder.drive) : 0;
}

/* ---- update ---- */

static int check_trash(struct gdrive_change *ch, const struct drive_access *access,
                       const struct gdrive_cans *cans)
{
    struct call *c = ch->v->c;
    struct drive_item *it = ch->it;
    if (ch->trashed < 0 || ch->trashed == access->trashed)
        return 0;
    if (it->space)
        return call_fail(c, SOSIA_E_FORBIDDEN, "notSupportedForAppDataFolderFiles", NULL,
                         "Files within the Application Data folder cannot be trashed.");
    if (!can(cans, ch->trashed ? CAN_TRASH : CAN_UNTRASH))
        return insufficient(c);
    if (gdrive_below_reached(c, it) < 0)
        return -1;
    if (ch->trashed)
        return drive_trash(&c->tx, it, c->actor.id);
    if (it->flags & DRIVE_TRASHED)
        return drive_untrash(&c->tx, it);
    struct drive_item root; /* its folder stays in the trash */
    int r = it->owner ? drive_root(&c->tx, it->owner, &root)
                      : drive_item_by_id(&c->tx, it->drive, &root);
    return r != 1 ? r : drive_move(&c->tx, it, &root, it->owner);
}

/* A restriction that is there gives way to another one only by who may lift it. */
static bool may_restrict(const struct gdrive_change *ch, const struct gdrive_cans *cans)
{
    if (ch->old->flags & DRIVE_LOCKED && !can(cans, CAN_LIFT_RESTRICTION))
        return false;
    return !(ch->it->flags & DRIVE_LOCKED) ||
           can(cans, ch->owner_restricts ? CAN_RESTRICT_AS_OWNER : CAN_RESTRICT_AS_EDITOR);
}

/* May the caller change what the body changes? */
static int check_rights(struct gdrive_change *ch, const struct gdrive_cans *cans)
{
    struct call *c = ch->v->c;
    unsigned changed = ch->it->flags ^ ch->old->flags;
    if ((ch->touched || ch->modified_given || ch->thumbnail || c->medium) && !can(cans, CAN_EDIT))
        return insufficient(c);
    if (ch->renamed && !can(cans, CAN_RENAME))
        return insufficient(c);
    if (c->medium && !can(cans, CAN_MODIFY_CONTENT))
        return insufficient(c);
    if (changed & DRIVE_COPY_LIMIT && !can(cans, CAN_CHANGE_COPY_RESTRICTION))
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotModifyViewersCanCopyContent", NULL,
                         "The user cannot change whether viewers can copy the content of this "
                         "file.");
    if (check_sharing(ch, ch->old->drive) < 0)
        return -1;
    if (changed & DRIVE_WRITERS_DONT_SHARE && !can(cans, CAN_SHARE))
        return insufficient(c);
    if (changed & DRIVE_LIMITED &&
        !can(cans, ch->it->flags & DRIVE_LIMITED ? CAN_LIMIT_ACCESS : CAN_UNLIMIT_ACCESS))
        return insufficient(c);
    if (!str_same(ch->it->restrictions, ch->old->restrictions) && !may_restrict(ch, cans))
        return insufficient(c);
    if (!str_same(ch->it->download_rules, ch->old->download_rules) &&
        !can(cans, CAN_CHANGE_DOWNLOAD_RESTRICTION))
        return insufficient(c);
    return 0;
}

/* Does it change what scopes for metadata don't? */
static int check_scopes(struct gdrive_change *ch, const struct drive_access *access)
{
    enum {
        SHARING = DRIVE_LIMITED | DRIVE_COPY_LIMIT | DRIVE_WRITERS_DONT_SHARE,
    };
    struct call *c = ch->v->c;
    const char *added = param_str(c, "addParents"), *removed = param_str(c, "removeParents");
    bool trash = ch->trashed >= 0 && ch->trashed != access->trashed;
    if (!c->medium && !ch->thumbnail && !trash && !(added && *added) && !(removed && *removed) &&
        !((ch->it->flags ^ ch->old->flags) & SHARING) &&
        str_same(ch->it->download_rules, ch->old->download_rules))
        return 0;
    return gdrive_change_reached(c, ch->old);
}

/* Who modified it before keeps the time. */
static int note_modifier(struct gdrive_change *ch)
{
    struct call *c = ch->v->c;
    struct drive_item *it = ch->it;
    struct drive_mine mine;
    if (!ch->touched && !c->medium && !ch->modified_given)
        return 0;
    if (it->modifier && it->modifier != c->actor.id) {
        if (drive_mine(&c->tx, ch->old, it->modifier, &mine) < 0 ||
            drive_mine_save(&c->tx, it->id, it->modifier, &mine) < 0)
            return -1;
    }
    it->modifier = c->actor.id;
    if (!ch->modified_given)
        it->modified_us = c->tx.now_us;
    return 0;
}

/* Notifies the watchers of the file, in the order of the guide ("Watch for changes"). */
static void notify_watchers(struct gdrive_change *ch)
{
    struct tx *tx = &ch->v->c->tx;
    const char **members = arena_calloc(tx->arena, 4, sizeof *members);
    size_t n = 0;
    unsigned flags = ch->it->flags ^ ch->old->flags;
    if (flags & DRIVE_TRASHED)
        members[n++] = ch->it->flags & DRIVE_TRASHED ? "trash" : "untrash";
    if (ch->v->c->medium)
        members[n++] = "content";
    if (ch->it->parent != ch->old->parent)
        members[n++] = "parents";
    if (ch->touched && n < 3)
        members[n++] = "properties";
    if (n && !arena_failed(tx->arena))
        drive_raise(tx, ch->it, OP_CHANGED, members);
}

/* The file, what is said of it, and whether the caller may do that. */
static int prepare_old(struct gdrive_change *ch, struct drive_item *old,
                       struct drive_access *access, struct gdrive_cans *cans)
{
    struct gdrive_view *v = ch->v;
    if (gdrive_open_file(v, ROLE_READER, ch->it, access) < 0)
        return -1;
    *old = *ch->it;
    if (gdrive_read_change(ch) < 0 || gdrive_check_content(ch) < 0 ||
        gdrive_may(&v->viewer, ch->old, access, cans) < 0 || check_scopes(ch, access) < 0)
        return -1;
    return check_rights(ch, cans);
}

/* Of a session: also the folder that the file is to go to. */
static int check_old(struct call *c)
{
    struct gdrive_view v;
    struct drive_item it, old, folder;
    struct drive_access access;
    struct gdrive_cans cans;
    struct place_list added;
    struct gdrive_change ch = {.v = &v, .mode = GDRIVE_UPDATE, .it = &it, .old = &old};
    if (gdrive_view(c, &v) < 0 || prepare_old(&ch, &old, &access, &cans) < 0)
        return -1;
    read_places(c, "addParents", &added);
    return added.n == 1 ? gdrive_open_folder(&v, added.keys[0], &folder, &access) : 0;
}

static int files_update(struct call *c)
{
    struct gdrive_view v;
    struct drive_item it, old;
    struct drive_access access;
    struct gdrive_cans cans;
    struct gdrive_change ch = {.v = &v, .mode = GDRIVE_UPDATE, .it = &it, .old = &old};
    if (gdrive_view(c, &v) < 0 || prepare_old(&ch, &old, &access, &cans) < 0 ||
        check_trash(&ch, &access, &cans) < 0 || move(&v, &it, &access, &cans) < 0)
        return -1;
    if (ch.renamed) {
        const char *extension = gdrive_extension(c->tx.arena, it.name);
        it.extension = extension ? extension : it.extension;
    }
    if (note_modifier(&ch) < 0 || gdrive_store_change(&ch) < 0 || gdrive_take_content(&ch) < 0)
        return -1;
    notify_watchers(&ch);
    if (it.parent != old.parent) {
        notify_parent(&c->tx, old.parent);
        notify_parent(&c->tx, it.parent);
    }
    return answer(c, &it);
}

/* ---- copy ---- */

static int copy_properties(struct gdrive_view *v, int64_t from, int64_t to, int64_t app)
{
    struct drive_property *list;
    size_t n;
    if (drive_properties(&v->c->tx, from, app, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (drive_property_set(&v->c->tx, to, app, &list[i]) < 0)
            return -1;
    return 0;
}

static int files_copy(struct call *c)
{
    struct gdrive_view v;
    struct drive_item from,
        it = {.size = -1, .modifier = c->actor.id, .creator_app = gdrive_app(c)};
    struct drive_access access;
    struct gdrive_cans cans;
    struct gdrive_change ch = {.v = &v, .mode = GDRIVE_COPY, .it = &it};
    if (gdrive_view(c, &v) < 0 || gdrive_open_file(&v, ROLE_READER, &from, &access) < 0 ||
        gdrive_may(&v.viewer, &from, &access, &cans) < 0)
        return -1;
    if (from.form == DRIVE_FOLDER || !can(&cans, CAN_COPY))
        return call_fail(c, SOSIA_E_FORBIDDEN, "cannotCopyFile", NULL,
                         "This file cannot be copied by the user.");
    it.name = arena_printf(c->tx.arena, "Copy of %s", from.name);
    it.description = from.description;
    it.original = from.original;
    it.flags = from.flags & DRIVE_COPY_LIMIT;
    if (gdrive_read_change(&ch) < 0)
        return -1;
    it.form = from.form;
    it.mime = from.mime;
    it.media = from.media;
    it.index_text = it.index_text ? it.index_text : from.index_text;
    it.target = from.target;
    it.target_key = from.target_key;
    it.target_mime = from.target_mime;
    bool converts = ch.type && strcmp(ch.type, gdrive_type(c->tx.arena, &from)) != 0;
    if (converts) {
        it.form = gdrive_form(ch.type, &it.mime);
        if (from.form != DRIVE_FILE || it.form != DRIVE_DOCUMENT ||
            !gdrive_can_import(from.mime, it.mime))
            return gdrive_no_conversion(c);
        it.original = it.media = NULL;
    }
    if (check_key(&ch) < 0 || find_place(&v, &it, from.parent) < 0 ||
        check_sharing(&ch, it.drive) < 0 || check_storage(c, &it) < 0)
        return -1;
    it.extension = gdrive_extension(c->tx.arena, it.name);
    if (!it.extension)
        it.extension = from.extension;
    if (drive_item_add(&c->tx, &it) < 0)
        return refused(c, &it, it.drive);
    if (copy_properties(&v, from.id, it.id, 0) < 0 ||
        copy_properties(&v, from.id, it.id, gdrive_app(c)) < 0 || gdrive_store_change(&ch) < 0 ||
        (converts ? gdrive_import_file(c, &it, &from) : drive_copy_content(&c->tx, &from, &it)) <
            0 ||
        gdrive_keep_head(c, &it) < 0 ||
        (param_bool(c, "copyComments") && drive_comments_copy(&c->tx, from.id, it.id) < 0))
        return -1;
    notify_parent(&c->tx, it.parent);
    return answer(c, &it);
}

/* ---- rows ---- */

static const struct media media_new = {
    .accept = "*/*", .max = BLOB_MAX, .digests = DRIVE_DIGESTS, .check = check_new};
static const struct media media_old = {
    .accept = "*/*", .max = BLOB_MAX, .digests = DRIVE_DIGESTS, .check = check_old};

static const struct param files_copy_params[] = {
    GDRIVE_OLD_FLAG("enforceSingleParent"),
    GDRIVE_FILE_ID,
    GDRIVE_FLAG("ignoreDefaultVisibility"),
    GDRIVE_INCLUDE,
    GDRIVE_FLAG("keepRevisionForever"),
    {.name = "ocrLanguage", .place = IN_QUERY},
    GDRIVE_ALL_DRIVES,
    {.name = "copyComments", .place = IN_QUERY, .type = PARAM_BOOL},
};

static const struct param files_create_params[] = {
    GDRIVE_OLD_FLAG("enforceSingleParent"),
    GDRIVE_FLAG("ignoreDefaultVisibility"),
    GDRIVE_INCLUDE,
    GDRIVE_FLAG("keepRevisionForever"),
    {.name = "ocrLanguage", .place = IN_QUERY},
    GDRIVE_ALL_DRIVES,
    GDRIVE_FLAG("useContentAsIndexableText"),
};

static const struct param files_update_params[] = {
    {.name = "addParents", .place = IN_QUERY},
    GDRIVE_OLD_FLAG("enforceSingleParent"),
    GDRIVE_FILE_ID,
    GDRIVE_INCLUDE,
    GDRIVE_FLAG("keepRevisionForever"),
    {.name = "ocrLanguage", .place = IN_QUERY},
    {.name = "removeParents", .place = IN_QUERY},
    GDRIVE_ALL_DRIVES,
    GDRIVE_FLAG("useContentAsIndexableText"),
};

static const struct route methods[] = {
    {ROUTE("drive.files.copy", POST, "/drive/v3/files/{fileId}/copy"), .handler = files_copy,
     .risk = RISK_WRITE, .body = BODY_JSON_OPTIONAL,
     .scopes = DRIVE " " APPDATA " " FILE_SCOPE " " PHOTOS_READONLY, PARAMS(files_copy_params),
     .request = "File", .response = "File", .summary = "Copy a file"},
    {ROUTE("drive.files.create", POST, "/drive/v3/files"), .handler = files_create,
     .risk = RISK_WRITE, .body = BODY_JSON_OPTIONAL, .scopes = DRIVE " " APPDATA " " FILE_SCOPE,
     PARAMS(files_create_params), .request = "File", .response = "File", .media = &media_new,
     .summary = "Make a file"},
    {ROUTE("drive.files.update", PATCH, "/drive/v3/files/{fileId}"), .handler = files_update,
     .risk = RISK_WRITE, .body = BODY_JSON_OPTIONAL,
     .scopes = DRIVE " " APPDATA " " FILE_SCOPE " " METADATA " " SCRIPTS,
     PARAMS(files_update_params), .request = "File", .response = "File", .media = &media_old,
     .summary = "Change a file: its content, what is known of it, or where it is"},
};

const struct rows gdrive_files_write = ROWS(methods);
