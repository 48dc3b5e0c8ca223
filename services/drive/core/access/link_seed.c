/* SPDX-License-Identifier: Apache-2.0 */
/* The member links of a file in seed documents. A dump has the hash of a password, not the
 * password.
 */
#include "engine/json/doc.h"
#include "engine/world/core.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/seed_impl.h"
#include "services/drive/core/vendor.h"

static const char *const scopes[] = {"anonymous", "organization", "users", NULL};
static const char *const types[] = {"view", "edit", "embed", NULL};

static int seed_users(struct tx *tx, struct doc *d, const struct json *v, struct drive_link *l)
{
    if (doc_strings(d, v, "users", &l->users, &l->n_users) < 0)
        return -1;
    if ((l->scope == LINK_USERS && !l->n_users) || l->n_users > LINK_USERS_MAX)
        return doc_fail(d, v, "users",
                        "must have from 1 to %d addresses in a link for users, "
                        "and no more in others",
                        LINK_USERS_MAX);
    for (size_t i = 0; i < l->n_users; i++)
        if (!(l->users[i] = email_normal(tx->arena, l->users[i])))
            return doc_fail(d, json_get(v, "users"), "users", "must have addresses only");
    return 0;
}

static int seed_password(struct tx *tx, struct doc *d, const struct json *v, struct drive_link *l)
{
    const char *password, *hash;
    if (doc_str(d, v, "password", false, &password) < 0 ||
        doc_str(d, v, "passwordHash", false, &hash) < 0)
        return -1;
    if (password && hash)
        return doc_fail(d, v, "password", "must not be beside passwordHash");
    l->password = hash;
    return password && !(l->password = drive_link_password(tx, password, true)) ? -1 : 0;
}

int drive_link_seed(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    const struct drive_vendor *vendor = drive_vendor_of(tx, it);
    struct drive_link l = {.created_us = it->created_us};
    struct actor by;
    int scope, type;
    if (!vendor)
        return -1;
    if (!vendor->links)
        return doc_fail(d, v, NULL, "drives of %s have no links", vendor->name);
    if (form_known(&(struct form_in){tx, d, v}, &drive_link_form) < 0 ||
        doc_str(d, v, "token", false, &l.token) < 0 ||
        doc_enum(d, v, "scope", scopes, LINK_ANONYMOUS - 1, &scope) < 0 ||
        doc_enum(d, v, "type", types, LINK_VIEW - 1, &type) < 0 ||
        doc_time(d, v, "expires", &l.expires_us) < 0 ||
        doc_time(d, v, "created", &l.created_us) < 0 ||
        doc_bool(d, v, "noDownload", false, &l.no_download) < 0 ||
        ident_doc_actor(tx, d, v, "by", false, &by) < 0)
        return -1;
    l.scope = (enum drive_link_scope)(scope + 1);
    l.type = (enum drive_link_type)(type + 1);
    l.creator = by.id ? by.id : it->owner;
    if (seed_users(tx, d, v, &l) < 0 || seed_password(tx, d, v, &l) < 0 ||
        (!l.token && !(l.token = drive_link_token(tx, true))))
        return -1;
    if (drive_link_save(tx, it, &l) == 0)
        return 0;
    return tx->err->code == SOSIA_E_CONFLICT ? doc_fail_twice(d, json_get(v, "token"), "token")
                                             : -1;
}

int drive_links_dump(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    struct drive_link *list;
    struct actor by;
    size_t n;
    if (drive_links(tx, it->id, &list, &n) < 0)
        return -1;
    if (n)
        json_arr(w, "links");
    for (size_t k = 0; k < n; k++) {
        const struct drive_link *l = &list[k];
        json_obj(w, NULL);
        json_str(w, "token", l->token);
        json_str(w, "scope", scopes[l->scope - 1]);
        json_str(w, "type", types[l->type - 1]);
        if (l->n_users)
            json_arr(w, "users");
        for (size_t i = 0; i < l->n_users; i++)
            json_str(w, NULL, l->users[i]);
        if (l->n_users)
            json_end(w);
        drive_dump_time(w, "expires", l->expires_us);
        json_str_opt(w, "passwordHash", l->password);
        json_bool_opt(w, "noDownload", l->no_download);
        int r = l->creator && l->creator != it->owner ? actor_by_id(tx, l->creator, &by) : 0;
        if (r < 0)
            return -1;
        if (r)
            json_str(w, "by", by.email && *by.email ? by.email : by.handle);
        if (l->created_us != it->created_us)
            drive_dump_time(w, "created", l->created_us);
        json_end(w);
    }
    if (n)
        json_end(w);
    return 0;
}
