/* SPDX-License-Identifier: Apache-2.0 */
/* The sections sharedDrives and files of seed documents, applied. Files come in any order: where
 * they are is settled when all of them are there. An account that
 * has files has a folder at the top. */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "identity/account.h"
#include "identity/app.h"
#include "identity/sql.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/model.h"
#include "services/drive/core/comment.h"
#include "services/drive/core/revision.h"
#include "services/drive/core/seed_impl.h"
#include "services/drive/core/vendor.h"

const char *const drive_role_names[] = {"none",      "metadata", "reader",
                                        "commenter", "writer",   "fileOrganizer",
                                        "organizer", "owner",    NULL};

static int everybodys_root(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select a.id from " IDENT_SQL_ACTORS
                 " a where a.id > :after and a.email is not null and a.kind in ('person', "
                 "'service') and not exists (select 1 from drive_item i where i.owner = a.id and "
                 "i.top = 1) order by a.id limit 1");
    int64_t actor = 0;
    int r;
    while ((r = TX_INT(tx, &q, &actor, actor)) == 1) {
        struct drive_item root;
        struct account account;
        struct actor who;
        r = actor_by_id(tx, actor, &who) < 0 ? -1
                                             : account_serving(tx, &who, ACCOUNT_DRIVE, &account);
        if (r < 0 || (r && drive_root(tx, actor, &root) < 0))
            return -1;
    }
    return r;
}

/* ---- values ---- */

static int each_of(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                   int (*one)(struct tx *tx, struct doc *d, const struct json *v,
                              struct drive_item *it),
                   struct drive_item *it)
{
    struct doc_items items;
    if (doc_items(d, v, member, &items) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(d, &items)) != NULL;)
        if (one(tx, d, item, it) < 0)
            return -1;
    return 0;
}

/* ---- who may do what ---- */

/* Who a grant is for: person, group or domain by name, or anyone. */
static int seed_grantee(struct tx *tx, struct doc *d, const struct json *v, struct drive_grant *g)
{
    const char *person, *group, *domain;
    bool anyone;
    struct actor who;
    if (doc_str(d, v, "person", false, &person) < 0 || doc_str(d, v, "group", false, &group) < 0 ||
        doc_str(d, v, "domain", false, &domain) < 0 || doc_bool(d, v, "anyone", false, &anyone) < 0)
        return -1;
    if (!!person + !!group + !!domain + anyone != 1)
        return doc_fail(d, v, NULL, "must have one of person, group, domain, anyone");
    g->kind = person ? GRANT_PERSON : group ? GRANT_GROUP : domain ? GRANT_DOMAIN : GRANT_ANYONE;
    g->who = person ? person : group ? group : domain ? domain : "";
    if (person || group) {
        g->who = email_normal(tx->arena, g->who);
        if (!g->who)
            return doc_fail(d, v, person ? "person" : "group", "is not an address");
    }
    if (domain && (!strchr(domain, '.') || !(g->who = domain_normal(tx->arena, domain))))
        return doc_refuse(d, v, "domain", "\"%.80s\" is not a domain", domain);
    if (person) {
        int r = actor_by_email(tx, g->who, &who);
        if (r < 0)
            return -1;
        if (r && who.email)
            g->who = who.email;
    }
    return 0;
}

static int seed_grant(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    const struct form_in in = {tx, d, v};
    struct drive_grant g = {0};
    form_usual(&drive_grant_form, &g);
    if (form_read(&in, &drive_grant_form, &g) < 0 || seed_grantee(tx, d, v, &g) < 0)
        return -1;
    const struct json *lowers = json_get(v, "lowers");
    if (!lowers || lowers->type == JSON_NULL)
        g.lowers = g.role == ROLE_NONE;
    if (g.role == ROLE_OWNER || g.role == ROLE_SEES)
        return doc_refuse(d, v, "role", "can't be granted");
    if (g.view && strcmp(g.view, "published") != 0)
        return doc_refuse(d, v, "view", "must be published, not \"%.40s\"", g.view);
    if (drive_grant_set(tx, it, &g) < 0)
        return -1;
    return g.expires_us ? due_add(tx, g.expires_us, DRIVE_CORE, DUE_GRANT, g.id) : 0;
}

/* ---- what it is to people ---- */

static bool says_no(const struct json *v, const char *member)
{
    const struct json *value = json_get(v, member);
    return json_is_false(value);
}

static int seed_mine(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    const struct form_in in = {tx, d, v};
    struct actor who, by;
    struct drive_mine m = {0};
    int64_t shared = DRIVE_UNSAID;
    if (form_read(&in, &drive_mine_form, &m) < 0 ||
        ident_doc_actor(tx, d, v, "person", true, &who) < 0 ||
        (!says_no(v, "shared") && doc_time(d, v, "shared", &shared) < 0) ||
        ident_doc_actor(tx, d, v, "by", false, &by) < 0)
        return -1;
    m.shared_us = shared == DRIVE_UNSAID ? 0 : drive_when(shared);
    m.sharer = by.id;
    return drive_mine_save(tx, it->id, who.id, &m);
}

/* ---- shared drives ---- */

static int seed_shared(struct tx *tx, struct doc *d, const struct json *v)
{
    const struct form_in in = {tx, d, v};
    struct drive_settings set = {0};
    struct drive_item top;
    struct actor creator = {0};
    const char *id, *name;
    if (form_known(&in, &drive_shared_form) < 0 || doc_str(d, v, "id", true, &id) < 0 ||
        doc_str(d, v, "name", true, &name) < 0 || form_read(&in, &drive_shared_form, &set) < 0 ||
        ident_doc_actor(tx, d, v, "creator", false, &creator) < 0)
        return -1;
    if (drive_shared_make(tx, NULL, id, name, &set, &top) < 0)
        return doc_taken(d, v, "id");
    set.creator = creator.id;
    set.org = creator.org;
    if (drive_settings_save(tx, &set) < 0 || doc_time(d, v, "created", &top.created_us) < 0 ||
        drive_item_save(tx, &top) < 0)
        return -1;
    return each_of(tx, d, v, "members", seed_grant, &top) < 0
               ? -1
               : each_of(tx, d, v, "people", seed_mine, &top);
}

int shared_drives_seed(struct tx *tx, struct doc *d, const struct json *value)
{
    return everybodys_root(tx) < 0 ? -1 : seed_list(tx, d, value, "sharedDrives", seed_shared);
}

/* ---- content ---- */

static int seed_document(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it,
                         const char *content)
{
    enum document_kind kind;
    struct document *model = NULL;
    struct sosia_err err = {0};
    const char *format;
    const struct json *written = json_get(v, "model");
    if (doc_str(d, v, "format", false, &format) < 0)
        return -1;
    int known = drive_document_kind(it->mime, &kind);
    if (known <= 0) {
        const char *said = content ? "content" : "model";
        if (known < 0 || content || written)
            return known < 0
                       ? -1
                       : doc_fail(d, json_get(v, said), said, "can't be said of a %s", it->mime);
        return drive_revision_add(tx, it) < 0 ? -1 : drive_item_save(tx, it);
    }
    if (!format)
        format = kind == DOCUMENT_SHEETS ? FORMAT_CSV
                 : kind == DOCUMENT_TEXT ? FORMAT_MARKDOWN
                                         : FORMAT_TEXT;
    int rc = 0;
    if (written)
        rc = document_read(tx->arena, written, it->name, &model, &err);
    else if (content)
        rc = format_read(tx->arena, kind, format, content, strlen(content), it->name, &model, &err);
    else
        model = document_new(tx->arena, kind, it->name);
    if (rc < 0 && written)
        return doc_fail(d, written, "model", "is not a document: %.100s", err.text);
    if (rc < 0)
        return doc_refuse(d, v, "content", "is not %.80s: %.100s", format, err.text);
    return drive_document_put(tx, it, model);
}

/* What is said of the content that the file has now. */
static int seed_head(struct tx *tx, struct doc *d, const struct json *v,
                     const struct drive_item *it)
{
    struct drive_revision head = {.id = it->head, .item = it->id};
    if (form_read_members(&(struct form_in){tx, d, v}, &drive_head_form, &head) < 0)
        return -1;
    if (!head.keep && !head.published && !head.publish_auto && !head.publish_outside)
        return 0;
    if (!it->head)
        return doc_fail(d, v, NULL, "keep and published can be said of files and documents only");
    return drive_revision_save(tx, it, &head);
}

/* The picture that somebody gave. */
static int seed_thumbnail(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    static const char *const members[] = {"mime", "base64", NULL};
    const struct json *given = json_get(v, "thumbnail");
    const char *mime, *coded;
    uint8_t *data;
    size_t n;
    if (!given || given->type == JSON_NULL)
        return 0;
    if (doc_object(d, given, members) < 0 || doc_str(d, given, "mime", true, &mime) < 0 ||
        doc_str(d, given, "base64", true, &coded) < 0)
        return -1;
    if (base64_decode(tx->arena, coded, strlen(coded), &data, &n) < 0 || !n)
        return doc_fail(d, given, "thumbnail", "is not base64");
    if (blob_put(tx, data, n, &it->thumbnail) < 0)
        return -1;
    it->thumbnail_mime = mime;
    return drive_item_save(tx, it);
}

static int seed_content(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    const struct form_in in = {tx, d, v};
    const char *data, *text;
    size_t n;
    if (it->form != DRIVE_FILE && json_get(v, "base64"))
        return doc_refuse(d, v, "base64", "can be said of files with bytes only");
    if (doc_str(d, v, "content", false, &text) < 0)
        return -1;
    if (it->form == DRIVE_DOCUMENT)
        return seed_document(tx, d, v, it, text);
    if (it->form != DRIVE_FILE)
        return text ? doc_refuse(d, v, "content", "can be said of files and documents only") : 0;
    if (stored_added(&in, &drive_revisions_form, it, it->id) < 0 ||
        drive_read_bytes(&in, &data, &n) < 0)
        return -1;
    return drive_content_put(tx, it, data, n);
}

static int seed_properties_of(struct tx *tx, struct doc *d, const struct json *list,
                              struct drive_item *it, int64_t app)
{
    if (!list || list->type == JSON_NULL)
        return 0;
    if (list->type != JSON_OBJECT)
        return doc_fail(d, list, "properties", "must be an object");
    for (uint32_t i = 0; i < list->n; i++) {
        struct drive_property p = {list->members[i].key, NULL};
        if (!*p.name)
            return doc_fail(d, list, "properties", "must have names that are not empty");
        if (list->members[i].value.type != JSON_STRING)
            return doc_fail(d, &list->members[i].value, "properties", "must have texts");
        p.value = list->members[i].value.str;
        if (drive_property_set(tx, it->id, app, &p) < 0)
            return -1;
    }
    return 0;
}

static int seed_properties(struct tx *tx, struct doc *d, const struct json *v,
                           struct drive_item *it)
{
    const struct json *apps = json_get(v, "appProperties");
    if (seed_properties_of(tx, d, json_get(v, "properties"), it, 0) < 0)
        return -1;
    if (!apps || apps->type == JSON_NULL)
        return 0;
    if (apps->type != JSON_OBJECT)
        return doc_fail(d, apps, "appProperties", "must be an object of client ids");
    for (uint32_t i = 0; i < apps->n; i++) {
        const struct json *list = &apps->members[i].value;
        int64_t app;
        if (app_named(tx, d, list, "appProperties", apps->members[i].key, &app) < 0 ||
            seed_properties_of(tx, d, list, it, app) < 0)
            return -1;
    }
    return 0;
}

/* ---- files ---- */

static int seed_type(struct doc *d, const struct json *v, struct drive_item *it)
{
    const char *type;
    if (doc_str(d, v, "type", false, &type) < 0 || doc_str(d, v, "mime", false, &it->mime) < 0)
        return -1;
    if (!type)
        type = "file";
    it->form = strcmp(type, "file") == 0       ? DRIVE_FILE
               : strcmp(type, "folder") == 0   ? DRIVE_FOLDER
               : strcmp(type, "shortcut") == 0 ? DRIVE_SHORTCUT
                                               : DRIVE_DOCUMENT;
    if (it->form != DRIVE_FILE) {
        if (it->mime)
            return doc_refuse(d, v, "mime", "can be said of files only");
        if (!*type || strchr(type, '/'))
            return doc_refuse(d, v, "type",
                              "\"%.40s\" is not a kind such as file, folder, document", type);
        it->mime = type;
    } else if (!it->mime) {
        it->mime = "application/octet-stream";
    } else if (!strchr(it->mime, '/')) {
        return doc_refuse(d, v, "mime", "\"%.40s\" is not a media type", it->mime);
    }
    return 0;
}

static int seed_texts(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    if (doc_str(d, v, "id", false, &it->key) < 0 || doc_str(d, v, "name", true, &it->name) < 0 ||
        form_read_members(&(struct form_in){tx, d, v}, &drive_text_form, it) < 0 ||
        doc_time(d, v, "created", &it->created_us) < 0)
        return -1;
    if (it->key && !*it->key)
        return doc_fail(d, json_get(v, "id"), "id", "must not be empty");
    if (it->restrictions && strcmp(it->restrictions, "[]") != 0)
        it->flags |= DRIVE_LOCKED;
    if (it->form == DRIVE_FILE && !it->extension) {
        const char *dot = strrchr(it->name, '.');
        it->extension = dot && dot[1] && dot != it->name ? dot + 1 : NULL;
    }
    return doc_time(d, v, "modified", &it->modified_us);
}

static int seed_people(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    struct actor owner, modifier;
    if (ident_doc_actor(tx, d, v, "owner", false, &owner) < 0 ||
        ident_doc_actor(tx, d, v, "modifiedBy", false, &modifier) < 0)
        return -1;
    it->owner = owner.id;
    it->modifier = modifier.id ? modifier.id : owner.id;
    return 0;
}

/* A list that ends with NULL, once all are in it. */
struct names {
    const char **list;
    size_t n, room;
};

static void add_name(struct tx *tx, struct names *all, const char *name)
{
    all->list = arena_grow(tx->arena, all->list, all->n, &all->room, sizeof *all->list);
    if (!arena_failed(tx->arena))
        all->list[all->n++] = name;
}

static void add_names(struct tx *tx, struct names *all, const struct form *form)
{
    for (size_t i = 0; i < form->n; i++)
        if (form->members[i].kind == MEMBER_PART)
            add_names(tx, all, form->members[i].form);
        else
            add_name(tx, all, form->members[i].name);
}

/* Those of files, and all that a vendor of the engine adds. NULL: no memory. */
static const char *const *all_members(struct tx *tx)
{
    const struct drive_vendor *vendor;
    struct names all = {0};
    add_names(tx, &all, &drive_file_form);
    for (size_t i = 0; (vendor = drive_vendor_nth(tx, i)); i++)
        for (const char *const *m = vendor->item_members; m && *m; m++)
            add_name(tx, &all, *m);
    add_name(tx, &all, NULL);
    return arena_failed(tx->arena) ? NULL : all.list;
}

/* What the item's vendor adds; what another one adds can't be said of it. */
static int seed_vendors(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    const struct drive_vendor *own = drive_vendor_of(tx, it), *other;
    if (!own)
        return -1;
    for (size_t i = 0; (other = drive_vendor_nth(tx, i)); i++)
        for (const char *const *m = other->item_members; other != own && m && *m; m++)
            if (json_get(v, *m))
                return doc_refuse(d, v, *m, "can't be said of a drive of %s", own->name);
    return own->item_seed ? own->item_seed(tx, d, v, it) : 0;
}

/* In which drive of its owner it is: the vendor's whose account that is of. */
static int seed_account(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    const char *vendor;
    struct account account;
    if (doc_str(d, v, "vendor", false, &vendor) < 0)
        return -1;
    if (!vendor)
        return 0;
    int r = it->owner ? account_at(tx, it->owner, vendor, ACCOUNT_DRIVE, &account) : 0;
    if (r < 0)
        return -1;
    if (!r)
        return doc_refuse(d, v, "vendor", "its owner has no drive with \"%.40s\"", vendor);
    it->account = account.id;
    return 0;
}

/* A new item's times of 0 are the world's: what is said to be of the first instant of 1970 is. */
static int seed_times(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    int64_t created = it->created_us;
    if (doc_time(d, v, "created", &created) < 0)
        return -1;
    int64_t modified = created;
    if (doc_time(d, v, "modified", &modified) < 0)
        return -1;
    if (created == it->created_us && modified == it->modified_us)
        return 0;
    it->created_us = created;
    it->modified_us = modified;
    return drive_item_save(tx, it);
}

static int seed_file(struct tx *tx, struct doc *d, const struct json *v)
{
    struct drive_item it = {.size = -1};
    const char *const *members = all_members(tx);
    if (!members)
        return sosia_fail_memory(tx->err);
    if (doc_object(d, v, members) < 0 || seed_type(d, v, &it) < 0 ||
        seed_people(tx, d, v, &it) < 0 || seed_texts(tx, d, v, &it) < 0 ||
        app_doc_member(tx, d, v, "space", &it.space) < 0 ||
        app_doc_member(tx, d, v, "app", &it.creator_app) < 0)
        return -1;
    if (seed_account(tx, d, v, &it) < 0)
        return -1;
    const struct drive_vendor *vendor = drive_vendor_of(tx, &it);
    if (vendor && vendor->type_of && it.form == DRIVE_FILE && !json_get(v, "mime"))
        it.mime = vendor->type_of(it.name);
    if (!vendor || (!it.key && !(it.key = drive_new_key(tx, vendor, it.form, it.top, false))) ||
        drive_item_add(tx, &it) < 0)
        return doc_taken(d, v, "id");
    return seed_times(tx, d, v, &it) < 0 || seed_thumbnail(tx, d, v, &it) < 0 ||
                   seed_content(tx, d, v, &it) < 0 || seed_head(tx, d, v, &it) < 0 ||
                   each_of(tx, d, v, "permissions", seed_grant, &it) < 0 ||
                   each_of(tx, d, v, "links", drive_link_seed, &it) < 0 ||
                   each_of(tx, d, v, "people", seed_mine, &it) < 0 ||
                   seed_vendors(tx, d, v, &it) < 0 ||
                   stored_added(&(struct form_in){tx, d, v}, &drive_comments_form, &it, it.id) <
                       0 ||
                   seed_properties(tx, d, v, &it) < 0
               ? -1
               : 0;
}

/* ---- places ---- */

static int find_folder(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it,
                       struct drive_item *ret)
{
    const char *parent;
    int r;
    if (doc_str(d, v, "parent", false, &parent) < 0)
        return -1;
    if (!parent && !it->owner)
        return doc_fail(d, v, NULL, "must have an owner, or be in a folder of a shared drive");
    if (parent && !*parent)
        return 0; /* in no folder */
    if (seed_account(tx, d, v, it) < 0)
        return -1;
    struct account account = {.id = it->account, .actor = it->owner};
    r = parent        ? drive_item_by_key(tx, parent, ret)
        : it->account ? drive_root_of(tx, &account, ret)
        : it->space   ? drive_app_data(tx, it->owner, it->space, ret)
                      : drive_root(tx, it->owner, ret);
    if (r < 0)
        return -1;
    if (!r || ret->form != DRIVE_FOLDER)
        return doc_refuse(d, v, "parent", "there is no folder \"%.80s\"", parent ? parent : "");
    if (ret->space != it->space)
        return doc_refuse(d, v, "parent", "is of another space");
    r = drive_is_under(tx, ret->id, it->id);
    if (r)
        return r < 0 ? -1 : doc_refuse(d, v, "parent", "is in the folder itself");
    return 1;
}

static int seed_trash(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    const struct json *trashed = json_get(v, "trashed");
    struct actor who;
    if (ident_doc_actor(tx, d, v, "trashedBy", false, &who) < 0)
        return -1;
    if (!trashed || trashed->type == JSON_NULL || (trashed->type == JSON_BOOL && !trashed->truth))
        return 0;
    if (drive_trash(tx, it, who.id ? who.id : it->owner) < 0)
        return -1;
    if (trashed->type == JSON_BOOL)
        return 0;
    int64_t at = it->trashed_us, life = drive_vendor_of(tx, it)->trash_us;
    if (doc_time(d, v, "trashed", &at) < 0)
        return -1;
    it->trashed_us = at;
    return due_cancel(tx, DRIVE_CORE, DUE_TRASH, it->id) < 0 ||
                   due_add(tx, at + life, DRIVE_CORE, DUE_TRASH, it->id) < 0
               ? -1
               : 0;
}

static int seed_target(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    struct drive_item target;
    if (it->form != DRIVE_SHORTCUT)
        return 0;
    if (!it->target_key)
        return doc_fail(d, v, NULL, "a shortcut must have a target");
    int r = drive_item_by_key(tx, it->target_key, &target);
    if (r < 0)
        return -1;
    it->target = r ? target.id : 0;
    if (!it->target_mime)
        it->target_mime = r ? target.mime : "application/octet-stream";
    return 0;
}

/* The second pass, over the same entries: those without an id are found in the order in which they
 * were made. */
static int settle(struct tx *tx, struct doc *d, const struct json *v, int64_t id)
{
    struct drive_item it, folder;
    int r = drive_item_by_id(tx, id, &it);
    if (r != 1)
        return r;
    r = find_folder(tx, d, v, &it, &folder);
    if (r < 0)
        return -1;
    it.parent = r ? folder.id : 0;
    if (seed_target(tx, d, v, &it) < 0 || seed_trash(tx, d, v, &it) < 0)
        return -1;
    it.version = 0; /* one more */
    if (drive_item_save(tx, &it) == 0)
        return 0;
    return tx->err->code == SOSIA_E_CONFLICT
               ? doc_refuse(d, v, "name", "its folder has \"%.80s\" already", it.name)
               : -1;
}

/* Whether the document has the item hidden from a person's list of shared ones. */
static int says_unshown(struct tx *tx, struct doc *d, const struct json *v, int64_t actor)
{
    const struct json *people = json_get(v, "people");
    for (uint32_t i = 0; people && i < people->n; i++) {
        struct actor who;
        if (!says_no(&people->items[i], "shared"))
            continue;
        if (ident_doc_actor(tx, d, &people->items[i], "person", true, &who) < 0)
            return -1;
        if (who.id == actor)
            return 1;
    }
    return 0;
}

/* Whom it is granted to, by name, have it among what is shared with them, as when it is shared by a
 * call; not so what is in a shared drive. */
static int show_to_people(struct tx *tx, struct doc *d, const struct json *v, int64_t id)
{
    struct drive_item it, plain = {.id = id}; /* their time is not needed */
    struct drive_grant *list;
    size_t n;
    if (drive_item_by_id(tx, id, &it) < 0)
        return -1;
    if (!it.owner && !it.drive)
        return doc_fail(d, v, NULL, "must have an owner, or be in a folder of a shared drive");
    if (it.drive || !(it.flags & DRIVE_GRANTED))
        return 0;
    if (drive_grants(tx, id, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct actor who;
        struct drive_mine m;
        if (list[i].kind != GRANT_PERSON || list[i].role == ROLE_NONE)
            continue;
        int r = actor_by_email(tx, list[i].who, &who);
        if (r == 1 && who.id != it.owner && drive_mine(tx, &plain, who.id, &m) < 0)
            return -1;
        if (r < 1 || who.id == it.owner || m.shared_us) {
            if (r < 0)
                return -1;
            continue;
        }
        r = says_unshown(tx, d, v, who.id);
        if (r < 0)
            return -1;
        m.shared_us = drive_when(it.created_us);
        m.sharer = it.owner;
        if (!r && drive_mine_save(tx, id, who.id, &m) < 0)
            return -1;
    }
    return 0;
}

/* The entries once more, each with its item. */
static int each_item(struct tx *tx, struct doc *d, const struct json *value, int64_t last,
                     int (*one)(struct tx *tx, struct doc *d, const struct json *v, int64_t id))
{
    static struct sql_text q =
        SQL_TEXT("select id from drive_item where id > :last and top = 0 order by id limit 1");
    int64_t id = last;
    for (uint32_t i = 0; value && value->type == JSON_ARRAY && i < value->n; i++) {
        doc_pop(d, 0);
        doc_push(d, "files", i);
        int r = TX_INT(tx, &q, &id, id);
        if (r < 0 || (r && one(tx, d, &value->items[i], id) < 0))
            return -1;
    }
    doc_pop(d, 0);
    return 0;
}

/* What is below the top of a shared drive is in it, and has no owner. */
static int settle_shared(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select item from drive_drive where item > :after order by "
                                        "item limit 1");
    static struct sql_text q_below = SQL_TEXT(
        "update drive_item set drive = :drive, owner = null, host = null where drive is null and "
        "id in (with "
        "recursive below(id) as (select id from drive_item where parent = :drive union all select "
        "i.id from drive_item i join below b on i.parent = b.id) select id from below)");
    static struct sql_text q_guests =
        SQL_TEXT("update drive_mine set guest = 1 where guest is null and item in (select id from "
                 "drive_item where drive = :drive)");
    int64_t top = 0;
    int r;
    while ((r = TX_INT(tx, &q, &top, top)) == 1)
        if (TX_RUN(tx, &q_below, top) < 0 || TX_RUN(tx, &q_guests, top) < 0)
            return -1;
    return r;
}

int files_seed(struct tx *tx, struct doc *d, const struct json *value)
{
    static struct sql_text q = SQL_TEXT("select coalesce(max(id), 0) from drive_item where id > "
                                        ":none");
    int64_t last = 0;
    if (TX_INT(tx, &q, &last, 0) < 0 || seed_list(tx, d, value, "files", seed_file) < 0)
        return -1;
    return each_item(tx, d, value, last, settle) < 0 || settle_shared(tx) < 0
               ? -1
               : each_item(tx, d, value, last, show_to_people);
}
