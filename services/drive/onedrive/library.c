/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of sites: drives whose ids have the site, its web and the list in them, and in which
 * people may do what the site lets them, with all files alike. */
#include "engine/base/codec.h"
#include "services/drive/onedrive/onedrive.h"

enum { GUID_BYTES = 16, LIBRARY_BYTES = 3 * GUID_BYTES };

/* The bytes of a GUID as .NET has them. */
static bool net_bytes(const char *guid, uint8_t ret[GUID_BYTES])
{
    static const int order[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    char hex[2 * GUID_BYTES + 1];
    uint8_t plain[GUID_BYTES];
    size_t n = 0;
    for (const char *p = guid; *p; p++)
        if (*p != '-') {
            if (n == 2 * GUID_BYTES)
                return false;
            hex[n++] = *p;
        }
    hex[n] = '\0';
    if (n != 2 * GUID_BYTES || hex_decode(plain, hex, GUID_BYTES) < 0)
        return false;
    for (int i = 0; i < GUID_BYTES; i++)
        ret[i] = plain[order[i]];
    return true;
}

const char *onedrive_library_id(struct arena *a, const struct ms_site *site,
                                const struct ms_library *library)
{
    uint8_t bytes[LIBRARY_BYTES];
    struct buf b;
    if (!net_bytes(site->key, bytes) || !net_bytes(site->web, bytes + GUID_BYTES) ||
        !net_bytes(library->key, bytes + 2 * (size_t)GUID_BYTES))
        return NULL;
    buf_init(&b, 128);
    buf_puts(&b, "b!");
    base64url_add(&b, bytes, sizeof bytes, false);
    return buf_keep(&b, a);
}

int onedrive_library_find(struct tx *tx, const char *drive, struct ms_library *ret)
{
    static const int order[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    uint8_t *bytes, plain[GUID_BYTES];
    char hex[2 * GUID_BYTES + 1];
    struct ms_site site;
    size_t n;
    if (!str_starts(drive, "b!") ||
        base64_decode(tx->arena, drive + 2, strlen(drive + 2), &bytes, &n) < 0 ||
        n != LIBRARY_BYTES)
        return 0;
    for (int i = 0; i < GUID_BYTES; i++)
        plain[i] = bytes[2 * GUID_BYTES + order[i]];
    hex_encode(hex, plain, GUID_BYTES);
    int r = ms_library_by_key(tx,
                              arena_printf(tx->arena, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8,
                                           hex + 12, hex + 16, hex + 20),
                              ret);
    if (r == 1)
        r = ms_site_get(tx, ret->site, &site);
    return r == 1 ? str_same(onedrive_library_id(tx->arena, &site, ret), drive) : r;
}

int onedrive_library_user(struct tx *tx, const struct ms_library *library, struct graph_user *ret)
{
    struct ms_tenant tenant;
    struct ms_site site;
    *ret = (struct graph_user){.oid = library->key, .upn = "", .key = library->key};
    int r = account_get(tx, library->account, &ret->account);
    if (r == 1)
        r = actor_by_id(tx, ret->account.actor, &ret->actor);
    if (r == 1)
        r = ms_site_get(tx, library->site, &site);
    if (r == 1)
        r = ms_tenant_get(tx, site.tenant, &tenant);
    if (r == 1)
        ret->tenant = tenant.guid;
    return r;
}

int onedrive_user_of(struct tx *tx, const struct account *account, const struct actor *actor,
                     struct graph_user *ret)
{
    struct ms_library library;
    int r = ms_library_of_account(tx, account->id, &library);
    if (r == 0)
        return graph_user_of(tx, account, actor, ret);
    return r == 1 && onedrive_library_user(tx, &library, ret) == 1 ? 0 : -1;
}

int onedrive_library_open(struct onedrive_at *at, const struct ms_library *library)
{
    struct call *c = at->c;
    struct arena *a = c->tx.arena;
    const size_t n = strlen(library->name);
    if (ms_site_get(&c->tx, library->site, &at->place) != 1 ||
        site_role_of(c, &at->place, &at->role) < 0)
        return -1;
    /* Who may do something in the site does it as the library, within what the site allows. */
    if (at->role != SITE_NONE)
        at->who = at->owner;
    else if (graph_app_only(c) && !onedrive_items_alone(c))
        return graph_denied(c); /* an app is nobody who could have more than its permissions */
    at->library = *library;
    at->type = "documentLibrary";
    at->drive = onedrive_library_id(a, &at->place, library);
    at->host = at->place.host;
    at->site = ms_site_url(a, &at->place);
    if (at->site)
        at->site += strlen("https://") + strlen(at->host);
    char *name = arena_alloc(a, 3 * n + 1);
    *percent_put(name, library->name, n) = '\0';
    at->folder = ARENA_JOIN(a, "/", name);
    return 0;
}

/* ---- the drive of a path ---- */

/* The tenant of a call sees its own libraries alone. */
static int is_of_caller(struct call *c, const struct ms_site *site)
{
    int64_t tenant;
    int r = graph_caller_tenant(c, &tenant);
    return r == 1 ? tenant == site->tenant : r;
}

int onedrive_library_of_drive(struct call *c, const char *id, struct ms_library *ret)
{
    struct ms_site site;
    int r = onedrive_library_find(&c->tx, id, ret);
    if (r == 1)
        r = ms_site_get(&c->tx, ret->site, &site);
    return r == 1 ? is_of_caller(c, &site) : r;
}

int onedrive_library_of_path(struct call *c, struct ms_library *ret)
{
    const char *drive = param_str(c, "drive-id"), *list = param_str(c, "list-id");
    struct ms_site site;
    if (site_of_path(c, SITE_READ, &site) < 0)
        return -1;
    int r = drive  ? onedrive_library_find(&c->tx, drive, ret)
            : list ? ms_library_find(&c->tx, site.id, list, ret)
                   : ms_library_next(&c->tx, site.id, 0, ret);
    if (r == 1 && ret->site != site.id)
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : onedrive_not_found(c);
}

/* ---- its items by number ---- */

int onedrive_item_of_row(struct onedrive_at *at, int64_t id, struct drive_item *ret)
{
    struct drive_access access;
    int r = drive_item_by_id(&at->c->tx, id, ret);
    if (r == 1)
        r = ret->top ? 0 : drive_is_under(&at->c->tx, id, at->root.id);
    if (r == 1 && drive_role(&at->viewer, ret, &access) < 0)
        return -1;
    return r == 1 ? !access.trashed && access.role >= ROLE_READER : r;
}

int onedrive_find_listed(struct onedrive_at *at, const char *number, struct drive_item *ret)
{
    int64_t id;
    int r = parse_i64(number, strlen(number), &id) == 0 && at->library.id
                ? onedrive_item_of_row(at, id, ret)
                : 0;
    return r == 1 ? 0 : r < 0 ? -1 : onedrive_not_found(at->c);
}

/* ---- who has it ---- */

void onedrive_write_library_owner(struct onedrive_at *at)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    struct ms_group group;
    bool team = at->place.team && ms_group_get(&at->c->tx, at->place.team, &group) == 1;
    json_obj(w, "owner");
    json_obj(w, "group");
    if (team)
        json_str(w, "email", group.email);
    json_str(w, "id", team ? group.oid : graph_guid(a, "site owners", at->place.key));
    json_str(w, "displayName", team ? group.name : ARENA_JOIN(a, at->place.name, " Owners"));
    json_end(w);
    json_end(w);
}
