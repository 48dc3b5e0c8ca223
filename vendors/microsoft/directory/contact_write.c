/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts: as Graph writes them, and which one a path means. */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/contact.h"
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/types/types.h"
#include <endian.h>

#define DEFAULT_FOLDER "contacts" /* well-known name of the folder that everybody has */

static const char *change_key(struct arena *a, const struct ms_contact *k)
{
    uint64_t parts[2] = {htobe64((uint64_t)k->account), htobe64((uint64_t)k->change)};
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "EQAAABYAAAA");
    base64_add(&b, (const char *)parts, sizeof parts);
    return buf_keep(&b, a);
}

const char *ms_contact_etag(struct arena *a, const struct ms_contact *k)
{
    return arena_printf(a, "W/\"%s\"", change_key(a, k));
}

const char *ms_contact_default_key(struct arena *a, int64_t account)
{
    return arena_printf(a, "AAMkContacts%lldAAA=", (long long)account);
}

static int folder_key_of(struct tx *tx, const struct ms_contact *k, const char **ret)
{
    struct ms_contact_folder folder;
    *ret = ms_contact_default_key(tx->arena, k->account);
    int r = k->folder ? ms_contact_folder_get(tx, k->folder, &folder) : 0;
    if (r == 1)
        *ret = folder.key;
    return r < 0 ? -1 : 0;
}

static void write_usual(struct json_writer *w, const struct edm_property *p)
{
    if (p->collection) {
        json_arr(w, p->name);
        json_end(w);
    } else if (p->kind == EDM_COMPLEX && strstr(p->name, "Address") &&
               !strstr(p->name, "EmailAddress")) {
        json_obj(w, p->name);
        json_end(w);
    } else {
        json_null(w, p->name);
    }
}

/* "Ada Love", where nobody said how it is shown. */
static const char *shown_name(struct arena *a, const struct json *data)
{
    const char *given = json_get_str(data, "givenName"), *last = json_get_str(data, "surname");
    return arena_printf(a, "%s%s%s", given ? given : "", given && last ? " " : "",
                        last ? last : "");
}

int ms_contact_write(struct tx *tx, const struct ms_contact *k, struct json_writer *w)
{
    struct arena *a = tx->arena;
    const struct edm_type *type = edm_type_find("contact", 7);
    const struct json *data;
    const char *folder;
    if (json_parse(a, k->data, strlen(k->data), NULL, &data, tx->err) < 0 ||
        folder_key_of(tx, k, &folder) < 0)
        return -1;
    json_str(w, "@odata.etag", ms_contact_etag(a, k));
    for (size_t i = 0; type && i < type->n; i++) {
        const struct edm_property *p = type->properties[i];
        const struct json *v = json_get(data, p->name);
        if (p->navigation || p->asked)
            continue;
        if (strcmp(p->name, "id") == 0)
            json_str(w, "id", k->key);
        else if (strcmp(p->name, "createdDateTime") == 0)
            json_str(w, p->name, graph_date(a, k->made_us, 0));
        else if (strcmp(p->name, "lastModifiedDateTime") == 0)
            json_str(w, p->name, graph_date(a, k->changed_us, 0));
        else if (strcmp(p->name, "changeKey") == 0)
            json_str(w, p->name, change_key(a, k));
        else if (strcmp(p->name, "parentFolderId") == 0)
            json_str(w, p->name, folder);
        else if (v)
            json_value(w, p->name, v);
        else if (strcmp(p->name, "displayName") == 0)
            json_str(w, p->name, shown_name(a, data));
        else if (strcmp(p->name, "fileAs") == 0)
            json_str(w, p->name, "");
        else
            write_usual(w, p);
    }
    return 0;
}

int ms_contact_folder_write(struct tx *tx, const struct ms_contact_folder *f, struct json_writer *w)
{
    struct arena *a = tx->arena;
    struct ms_contact_folder up = {.key = ms_contact_default_key(a, f->account)};
    if (!f->id)
        up.key = arena_printf(a, "AAMkRoot%lldAAA=", (long long)f->account);
    if (f->parent && ms_contact_folder_get(tx, f->parent, &up) != 1)
        return -1;
    json_str(w, "id", f->key);
    json_str(w, "parentFolderId", up.key);
    json_str(w, "displayName", f->name);
    return 0;
}

/* ---- paths ---- */

int ms_contact_folder_named(struct tx *tx, int64_t account, const char *text, int64_t *ret)
{
    struct ms_contact_folder folder = {.id = 0};
    int r = 1;
    if (!str_eq_nocase(text, DEFAULT_FOLDER) &&
        strcmp(text, ms_contact_default_key(tx->arena, account)) != 0)
        r = ms_contact_folder_find(tx, account, text, &folder);
    *ret = folder.id;
    return r;
}

int ms_contact_folder_of_path(struct call *c, const struct graph_user *u, int64_t *ret,
                              bool *ret_all)
{
    const char *key = param_str(c, "contactFolder-id"), *child = param_str(c, "contactFolder-id1");
    struct ms_contact_folder folder;
    *ret = 0;
    *ret_all = !key;
    int r = key ? ms_contact_folder_named(&c->tx, u->account.id, key, ret) : 1;
    if (r == 1 && child) {
        r = ms_contact_folder_find(&c->tx, u->account.id, child, &folder);
        if (r == 1 && folder.parent != *ret)
            r = 0;
        *ret = r == 1 ? folder.id : 0;
    }
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(c);
}

/* Another's contacts are an app's to see. */
int ms_contact_rights(struct call *c, const struct graph_user *u)
{
    return u->me || graph_app_only(c) ? 0 : graph_denied(c);
}

int ms_contact_of_path(struct call *c, struct graph_user *u, struct ms_contact *ret)
{
    int64_t folder;
    bool all;
    if (graph_whose(c, 0, u) < 0 || ms_contact_folder_of_path(c, u, &folder, &all) < 0)
        return -1;
    int r = ms_contact_find(&c->tx, u->account.id, param_str(c, "contact-id"), ret);
    if (r == 1 && !all && ret->folder != folder)
        r = 0;
    return r == 1 ? ms_contact_rights(c, u) : r < 0 ? -1 : graph_not_found(c);
}
