/* SPDX-License-Identifier: Apache-2.0 */
/* The member links of a file in seed documents. A dump has the hash of a password, not the
 * password.
 */
#include "engine/json/doc.h"
#include "engine/world/core.h"
#include "identity/shown.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/seed_impl.h"
#include "services/drive/core/vendor.h"

static const char *const scopes[] = {"anonymous", "organization", "users", NULL};
static const char *const types[] = {"view", "edit", "embed", NULL};

static int read_link_users(const struct form_in *in, const struct member *m, void *row)
{
    struct drive_link *l = row;
    struct doc *d = in->d;
    if (doc_strings(d, in->value, m->name, &l->users, &l->n_users) < 0)
        return -1;
    if ((l->scope == LINK_USERS && !l->n_users) || l->n_users > LINK_USERS_MAX)
        return doc_fail(d, in->value, m->name,
                        "must have from 1 to %d addresses in a link for users, "
                        "and no more in others",
                        LINK_USERS_MAX);
    for (size_t i = 0; i < l->n_users; i++)
        if (!(l->users[i] = email_normal(in->tx->arena, l->users[i])))
            return doc_refuse(d, in->value, m->name, "must have addresses only");
    return 0;
}

static int write_link_users(const struct form_out *out, const struct member *m, const void *row)
{
    const struct drive_link *l = row;
    if (l->n_users)
        json_arr(out->w, m->name);
    for (size_t i = 0; i < l->n_users; i++)
        json_str(out->w, NULL, l->users[i]);
    if (l->n_users)
        json_end(out->w);
    return 0;
}

/* The hash is beside it in the table, and is read before. */
static int read_password(const struct form_in *in, const struct member *m, void *row)
{
    struct drive_link *l = row;
    const char *password;
    if (doc_str(in->d, in->value, m->name, false, &password) < 0)
        return -1;
    if (password && l->password)
        return doc_fail(in->d, in->value, m->name, "must not be beside passwordHash");
    return password && !(l->password = drive_link_password(in->tx, password, true)) ? -1 : 0;
}

static int write_by(const struct form_out *out, const struct member *m, const void *row)
{
    const struct drive_link *l = row, *base = out->base;
    return l->creator == base->creator ? 0 : actor_write(out->tx, out->w, m->name, l->creator);
}

static const struct member link_members[] = {
    STORED_ID(struct drive_link),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct drive_link, item, int64_t)},
    {"token", "What is in its address; made up without it", TEXT_AT(struct drive_link, token)},
    {"scope", "Whom it is for", ENUM_AT(struct drive_link, scope, scopes), .min = LINK_ANONYMOUS,
     .flags = MEMBER_ALWAYS},
    {"type", "What it lets them do", ENUM_AT(struct drive_link, type, types), .min = LINK_VIEW,
     .flags = MEMBER_ALWAYS},
    {"users", "People and groups, of the scope users", .kind = MEMBER_OWN, .noun = "list of texts",
     .read = read_link_users, .write = write_link_users},
    {"expires", "When it ends", .read = drive_read_when, .write = drive_write_when,
     TIME_AT(struct drive_link, expires_us), .flags = MEMBER_NULL},
    {"passwordHash", "What it asks for, as dumps have it", TEXT_AT(struct drive_link, password)},
    {"password", "The same as people write it", .kind = MEMBER_OWN, .noun = "text",
     .read = read_password, .flags = MEMBER_GIVEN},
    {"noDownload", "It is for looking alone", BOOL_AT(struct drive_link, no_download)},
    {"by", "Who made it; the item's owner without it", .write = write_by,
     REF_AT(struct drive_link, creator, &actor_reference)},
    {"created", "When; as the item without it", TIME_AT(struct drive_link, created_us)},
};
const struct form drive_link_form = {.about = "A sharing link",
                                     .members = link_members,
                                     .n = SOSIA_LEN(link_members),
                                     .size = sizeof(struct drive_link)};
struct stored drive_link_stored = {.form = &drive_link_form, .table = "drive_link"};

/* What nothing is said of. */
static struct drive_link usual_link(const struct drive_item *it)
{
    return (struct drive_link){.created_us = it->created_us,
                               .creator = it->owner,
                               .scope = LINK_ANONYMOUS,
                               .type = LINK_VIEW};
}

int drive_link_seed(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    const struct drive_vendor *vendor = drive_vendor_of(tx, it);
    struct drive_link l = usual_link(it);
    if (!vendor)
        return -1;
    if (!vendor->links)
        return doc_fail(d, v, NULL, "drives of %s have no links", vendor->name);
    if (form_read(&(struct form_in){tx, d, v}, &drive_link_form, &l) < 0)
        return -1;
    if (l.token && !*l.token)
        return doc_fail(d, json_get(v, "token"), "token", "must not be empty");
    if (l.password && !strchr(l.password, ':'))
        return doc_fail(d, json_get(v, "passwordHash"), "passwordHash",
                        "must be a salt and a hash, with a colon between");
    if (!l.token && !(l.token = drive_link_token(tx, true)))
        return -1;
    if (drive_link_save(tx, it, &l) == 0)
        return 0;
    return doc_taken(d, v, "token");
}

int drive_links_dump(struct tx *tx, struct json_writer *w, const struct drive_item *it)
{
    const struct drive_link usual = usual_link(it);
    struct drive_link *list;
    size_t n;
    if (drive_links(tx, it->id, &list, &n) < 0)
        return -1;
    if (n)
        json_arr(w, "links");
    for (size_t k = 0; k < n; k++) {
        json_obj(w, NULL);
        if (form_write(&(struct form_out){tx, w, &usual}, &drive_link_form, &list[k]) < 0)
            return -1;
        json_end(w);
    }
    if (n)
        json_end(w);
    return 0;
}
