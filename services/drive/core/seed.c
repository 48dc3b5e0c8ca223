/* SPDX-License-Identifier: Apache-2.0 */
/* The section files of seed documents, applied: every person has a folder at the top. */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "services/drive/core/drive_impl.h"

static int everybodys_root(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT(
        "select a.id from ident_actor a where a.id > :after and a.email is not null and a.kind in "
        "('person', 'service') and not exists (select 1 from drive_item i where i.owner = a.id and "
        "i.top = 1) order by a.id limit 1");
    int64_t actor = 0;
    int r;
    while ((r = TX_INT(tx, &q, &actor, actor)) == 1) {
        struct drive_item root;
        if (drive_root(tx, actor, &root) < 0)
            return -1;
    }
    return r;
}

static const char *const role_names[] = {"none",      "metadata", "reader",
                                         "commenter", "writer",   "fileOrganizer",
                                         "organizer", "owner",    NULL};

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
            return doc_fail(d, v, person ? "person" : "group", "is no address");
    }
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
    static const char *const members[] = {"person", "group", "domain", "anyone",
                                          "role",   "found", NULL};
    struct drive_grant g = {0};
    int role;
    if (doc_object(d, v, members) < 0 || seed_grantee(tx, d, v, &g) < 0 ||
        doc_enum(d, v, "role", role_names, ROLE_READER, &role) < 0 ||
        doc_bool(d, v, "found", false, &g.discoverable) < 0)
        return -1;
    g.role = (enum drive_role)role;
    return drive_grant_set(tx, it, &g);
}

static int seed_grants(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    const struct json *list;
    if (doc_list(d, v, "permissions", &list) < 0)
        return -1;
    for (uint32_t i = 0; list && i < list->n; i++) {
        size_t mark = doc_push(d, "permissions", i);
        if (seed_grant(tx, d, &list->items[i], it) < 0)
            return -1;
        doc_pop(d, mark);
    }
    return 0;
}

/* The folder an item is in: an id that stands before it in the document; its owner's own without
 * one. */
static int seed_parent(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    const char *parent;
    struct drive_item folder;
    int r;
    if (doc_str(d, v, "parent", false, &parent) < 0)
        return -1;
    r = parent ? drive_item_by_key(tx, parent, &folder) : drive_root(tx, it->owner, &folder);
    if (r < 0)
        return -1;
    if (!r || folder.form != DRIVE_FOLDER)
        return doc_fail(d, json_get(v, "parent"), "parent", "there is no folder \"%.80s\"",
                        parent ? parent : "");
    it->parent = folder.id;
    it->drive = folder.drive;
    it->space = folder.space;
    if (it->drive)
        it->owner = 0;
    return 0;
}

static int seed_content(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    const char *content;
    if (doc_str(d, v, "content", false, &content) < 0)
        return -1;
    if (it->form != DRIVE_FILE)
        return content ? doc_fail(d, json_get(v, "content"), "content",
                                  "can be said of files with bytes only")
                       : 0;
    return drive_content_put(tx, it, content ? content : "", content ? strlen(content) : 0);
}

static int seed_file(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {"id",     "owner",   "name",        "type",        "mime",
                                          "parent", "content", "description", "permissions", NULL};
    static const char *const types[] = {"file", "folder", "shortcut", "document", NULL};
    struct drive_item it = {.size = -1};
    struct actor owner;
    int form;
    if (doc_object(d, v, members) < 0 || ident_doc_actor(tx, d, v, "owner", true, &owner) < 0 ||
        doc_str(d, v, "id", false, &it.key) < 0 || doc_str(d, v, "name", true, &it.name) < 0 ||
        doc_enum(d, v, "type", types, DRIVE_FILE, &form) < 0 ||
        doc_str(d, v, "mime", false, &it.mime) < 0 ||
        doc_str(d, v, "description", false, &it.description) < 0)
        return -1;
    it.owner = it.modifier = owner.id;
    it.form = (enum drive_form)form;
    if (!it.mime)
        it.mime = form == DRIVE_FILE ? "application/octet-stream" : types[form];
    if (seed_parent(tx, d, v, &it) < 0)
        return -1;
    if (drive_item_add(tx, &it) < 0)
        return tx->err->code == SOSIA_E_CONFLICT
                   ? doc_fail(d, json_get(v, "id"), "id", "\"%.80s\" is there already", it.key)
                   : -1;
    return seed_content(tx, d, v, &it) < 0 || seed_grants(tx, d, v, &it) < 0 ? -1 : 0;
}

int files_seed(struct tx *tx, struct doc *d, const struct json *value)
{
    return everybodys_root(tx) < 0 ? -1 : seed_list(tx, d, value, "files", seed_file);
}
