/* SPDX-License-Identifier: Apache-2.0 */
/* Files as diffs and assertions see them, in Graph's terms: members of a driveItem, with people as
 * their addresses. What follows from others (the size of a folder, how many children it has,
 * addresses, times) is left out, or there where all is asked for. */
#include "engine/base/codec.h"
#include "identity/shown.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/model.h"
#include "services/drive/onedrive/view.h"

#define SUBJECTS 3 /* of letters about sharing: places of entity_about.is */

/* ---- where it is ---- */

struct way {
    struct arena *a;
    const char *text;
};

static int add_step(void *arg, const struct drive_item *folder)
{
    struct way *way = arg;
    const size_t n = strlen(folder->name);
    if (folder->top)
        return 1;
    char *text = arena_alloc(way->a, 3 * n + 1);
    *percent_put(text, folder->name, n) = '\0';
    way->text = ARENA_JOIN(way->a, "/", text, way->text);
    return 0;
}

static int write_folder_above(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct way way = {tx->arena, ""};
    const char *key;
    int r = it->parent ? drive_item_key(tx, it->parent, &key) : 0;
    if (r == 1 && drive_each_ancestor(tx, it, add_step, &way) < 0)
        r = -1;
    if (r != 1)
        return r;
    json_obj(w, "parentReference");
    json_str(w, "id", key);
    json_str(w, "path", ARENA_JOIN(tx->arena, "/drive/root:", way.text));
    json_end(w);
    return 0;
}

/* ---- what it is ---- */

/* The hash that every content has, in the letters that the service writes it in. */
static void write_bytes(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    char *hash = it->sha256 ? arena_strdup(tx->arena, it->sha256) : NULL;
    for (char *p = hash; p && *p; p++)
        *p = *p >= 'a' && *p <= 'f' ? (char)(*p - 32) : *p;
    json_int(w, "size", it->size > 0 ? it->size : 0);
    json_obj(w, "file");
    json_str(w, "mimeType", it->mime);
    if (hash) {
        json_obj(w, "hashes");
        json_str(w, "sha256Hash", hash);
        json_end(w);
    }
    json_end(w);
}

static int write_folder_facet(struct tx *tx, struct json_writer *w, const struct drive_item *it,
                              bool all)
{
    int64_t n = 0;
    if (all && drive_child_count(tx, it->id, &n) < 0)
        return -1;
    json_obj(w, "folder");
    if (all)
        json_int(w, "childCount", n);
    json_end(w);
    return 0;
}

/* In the recycle bin, or checked out. */
static int write_bin_and_holder(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    int64_t holder;
    if (it->flags & DRIVE_TRASHED) {
        json_obj(w, "deleted");
        json_str(w, "state", "deleted");
        json_end(w);
    }
    if (onedrive_holder(tx, it->id, &holder) < 0)
        return -1;
    if (!holder)
        return 0;
    json_obj(w, "publication");
    json_str(w, "level", "checkout");
    int r = actor_write(tx, w, "checkedOutBy", holder);
    json_end(w);
    return r;
}

static int write_people(struct tx *tx, struct json_writer *w, const struct drive_item *it, bool all)
{
    int64_t creator;
    if (onedrive_creator_of(tx, it, &creator) < 0 || actor_write(tx, w, "createdBy", creator) < 0 ||
        (all && actor_write(tx, w, "lastModifiedBy", it->modifier ? it->modifier : it->owner) < 0))
        return -1;
    return 0;
}

/* ---- who may do what ---- */

static void write_role_word(struct json_writer *w, enum drive_role role)
{
    json_arr(w, "roles");
    json_str(w, NULL,
             role == ROLE_NONE     ? "none"
             : role == ROLE_OWNER  ? "owner"
             : role >= ROLE_WRITER ? "write"
                                   : "read");
    json_end(w);
}

static const char *const scopes[] = {"", "anonymous", "organization", "users"};
static const char *const types[] = {"", "view", "edit", "embed"};

static void write_facet(struct json_writer *w, enum drive_link_scope scope,
                        enum drive_link_type type, bool no_download)
{
    json_obj(w, "link");
    json_str(w, "scope", scopes[scope]);
    json_str(w, "type", types[type]);
    json_bool_opt(w, "preventsDownload", no_download);
    json_end(w);
}

static void write_expiry(struct tx *tx, struct json_writer *w, int64_t us)
{
    if (us)
        json_str(w, "expirationDateTime", graph_date(tx->arena, us, 0));
}

/* A grant for anyone, or for all of an organization, is what a link of that scope gives. */
static void write_grant(struct tx *tx, struct json_writer *w, const struct drive_grant *g)
{
    json_obj(w, NULL);
    write_role_word(w, g->role);
    if (g->kind == GRANT_ANYONE || g->kind == GRANT_DOMAIN)
        write_facet(w, g->kind == GRANT_ANYONE ? LINK_ANONYMOUS : LINK_ORGANIZATION,
                    g->role >= ROLE_WRITER ? LINK_EDIT : LINK_VIEW, false);
    else
        json_str(w, "grantedToV2", g->who);
    write_expiry(tx, w, g->expires_us);
    json_end(w);
}

/* What opens a link is a secret. */
static void write_link(struct tx *tx, struct json_writer *w, const struct drive_link *l)
{
    json_obj(w, NULL);
    write_role_word(w, drive_link_role(l));
    write_facet(w, l->scope, l->type, l->no_download);
    json_bool_opt(w, "hasPassword", l->password != NULL);
    write_expiry(tx, w, l->expires_us);
    if (l->n_users)
        json_arr(w, "grantedToIdentitiesV2");
    for (size_t i = 0; i < l->n_users; i++)
        json_str(w, NULL, l->users[i]);
    if (l->n_users)
        json_end(w);
    json_end(w);
}

/* Those at the item itself; what has ended does not count. */
static int write_permissions(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct drive_grant *grants = NULL;
    struct drive_link *links;
    size_t n = 0, n_links, written = 0;
    if (((it->flags & DRIVE_GRANTED) && drive_grants(tx, it->id, &grants, &n) < 0) ||
        drive_links(tx, it->id, &links, &n_links) < 0)
        return -1;
    for (size_t i = 0; i < n + n_links; i++) {
        const int64_t ends = i < n ? grants[i].expires_us : links[i - n].expires_us;
        if (ends && ends <= tx->now_us)
            continue;
        if (!written++)
            json_arr(w, "permissions");
        if (i < n)
            write_grant(tx, w, &grants[i]);
        else
            write_link(tx, w, &links[i - n]);
    }
    if (written)
        json_end(w);
    return 0;
}

/* ---- letters about it ---- */

/* That somebody has shared it is said in letters with their name. */
static int add_letter(struct tx *tx, const struct drive_item *it, int64_t sharer,
                      struct entity_about *about)
{
    struct actor who;
    int r = sharer ? actor_by_id(tx, sharer, &who) : 0;
    if (r != 1)
        return r < 0 ? -1 : 0;
    const char *is = arena_printf(tx->arena, "letter " ONEDRIVE_SHARES " %s",
                                  onedrive_shared_subject(tx->arena, &who, it));
    for (int i = 1; i <= SUBJECTS; i++) {
        if (!about->is[i])
            about->is[i] = is;
        if (strcmp(about->is[i], is) == 0)
            break;
    }
    return 0;
}

/* Of people who may write: any of them may share it, with somebody outside of whom nothing says who
 * did. */
static int add_writers(struct tx *tx, const struct drive_item *it, struct entity_about *about)
{
    struct drive_grant *list;
    struct actor who;
    size_t n;
    int r = 0;
    if (!(it->flags & DRIVE_GRANTED))
        return 0;
    if (drive_grants(tx, it->id, &list, &n) < 0)
        return -1;
    for (size_t i = 0; r == 0 && i < n; i++)
        if (list[i].kind == GRANT_PERSON && list[i].role >= ROLE_WRITER) {
            r = actor_by_email(tx, list[i].who, &who);
            r = r == 1 ? add_letter(tx, it, who.id, about) : r;
        }
    return r;
}

/* The owner's, theirs who have shared it with somebody here, and theirs who could have. */
static int add_letters(struct tx *tx, const struct drive_item *it, struct entity_about *about)
{
    struct drive_item plain = *it;
    int64_t actor = 0;
    int r = add_letter(tx, it, it->owner, about);
    plain.modifier = 0;
    while (r == 0 && (r = drive_mine_next(tx, it->id, actor, &actor)) == 1) {
        struct drive_mine m;
        r = drive_mine(tx, &plain, actor, &m) < 0 ? -1 : add_letter(tx, it, m.sharer, about);
    }
    return r < 0 ? -1 : add_writers(tx, it, about);
}

/* ---- the view ---- */

static int write_item(struct tx *tx, struct json_writer *w, const struct drive_item *it,
                      struct entity_about *about)
{
    about->title = it->name;
    about->is[0] = tx_named(tx, "file", it->key);
    if (actor_shown(tx, it->owner, &about->person) < 0 || add_letters(tx, it, about) < 0)
        return -1;
    json_str(w, "id", it->key);
    json_str(w, "name", it->name);
    if (about->person)
        json_str(w, "owner", about->person);
    json_str_opt(w, "description", it->description);
    if (write_folder_above(tx, w, it) < 0 || write_people(tx, w, it, about->all) < 0)
        return -1;
    if (it->form == DRIVE_FOLDER && write_folder_facet(tx, w, it, about->all) < 0)
        return -1;
    if (it->form != DRIVE_FOLDER)
        write_bytes(tx, w, it);
    if (it->target_key) {
        json_obj(w, "remoteItem");
        json_str(w, "id", it->target_key);
        json_end(w);
    }
    if (write_bin_and_holder(tx, w, it) < 0 || write_permissions(tx, w, it) < 0 ||
        drive_view_text(tx, w, it) < 0)
        return -1;
    if (about->all) {
        json_str(w, "createdDateTime", graph_date(tx->arena, it->created_us, 0));
        json_str(w, "lastModifiedDateTime", graph_date(tx->arena, it->modified_us, 0));
        json_str(w, "eTag", onedrive_etag(tx->arena, it));
    }
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}

static int file_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                     struct entity_about *about)
{
    struct drive_item it;
    int r = drive_item_by_id(tx, rowid, &it);
    if (r != 1 || it.top)
        return r < 0 ? -1 : 0;
    return write_item(tx, w, &it, about);
}

const struct entity_view onedrive_views[] = {
    {"file", "drive", file_view, NULL, .timeless = false, .vendor = "microsoft",
     .members = "id name owner description parentReference.id parentReference.path createdBy size "
                "file.mimeType file.hashes.sha256Hash folder remoteItem.id deleted.state "
                "publication.level publication.checkedOutBy permissions.*.roles.* "
                "permissions.*.grantedToV2 permissions.*.link.scope permissions.*.link.type "
                "permissions.*.link.preventsDownload permissions.*.hasPassword "
                "permissions.*.expirationDateTime permissions.*.grantedToIdentitiesV2.* "
                "text textHash"}, /* grants and links end */
    {NULL, NULL, NULL, NULL},
};
