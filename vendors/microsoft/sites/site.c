/* SPDX-License-Identifier: Apache-2.0 */
/* Sites and libraries: rows, and who may do what. */
#include "vendors/microsoft/sites/sites.h"
#include "engine/base/codec.h"
#include "engine/state/stored.h"
#include "engine/world/core.h"
#include "engine/world/take.h"
#include "vendors/microsoft/folder.h"

const char *const site_role_names[] = {"none", "read", "write", "owner", NULL};

/* ---- reading ---- */

static int complete(struct tx *tx, const struct ms_tenant *tenant, struct ms_site *site)
{
    struct arena *a = tx->arena;
    site->host =
        arena_printf(a, "%.*s.sharepoint.com", (int)strcspn(tenant->initial, "."), tenant->initial);
    site->full_id = arena_printf(a, "%s,%s,%s", site->host, site->key, site->web);
    return arena_failed(a) ? sosia_fail_memory(tx->err) : 1;
}

static int read_site(struct tx *tx, sqlite3_stmt *st, struct ms_site *ret)
{
    struct ms_tenant tenant;
    int r = stored_only(tx, &ms_site_stored, st, ret);
    if (r == 1)
        r = ms_tenant_get(tx, ret->tenant, &tenant);
    return r == 1 ? complete(tx, &tenant, ret) : r;
}

int ms_site_get(struct tx *tx, int64_t id, struct ms_site *ret)
{
    static struct sql_text q = SQL_TEXT("as s where s.id = :id");
    return read_site(tx, STORED_QUERY(tx, &ms_site_stored, &q, id), ret);
}

/* A tenant has a root whatever documents say: one that all may read. */
static int root_of(struct tx *tx, const struct ms_tenant *tenant, struct ms_site *ret)
{
    struct arena *a = tx->arena;
    *ret = (struct ms_site){.tenant = tenant->id,
                            .key = graph_guid(a, "root site", tenant->guid),
                            .web = graph_guid(a, "root web", tenant->guid),
                            .path = "",
                            .name = "Communication site",
                            .everyone = SITE_READ};
    return complete(tx, tenant, ret);
}

/* The same with its age, that of the tenant. */
static int made_root_of(struct tx *tx, const struct ms_tenant *tenant, struct ms_site *ret)
{
    int r = root_of(tx, tenant, ret);
    if (r == 1 && ms_tenant_made(tx, tenant->id, &ret->made_us) < 0)
        return -1;
    ret->changed_us = ret->made_us;
    return r;
}

int ms_site_by_path(struct tx *tx, const struct ms_tenant *tenant, const char *path,
                    struct ms_site *ret)
{
    static struct sql_text q =
        SQL_TEXT("as s where s.tenant = :tenant and s.path = :path collate nocase");
    size_t n = strlen(path);
    while (n && path[n - 1] == '/')
        n--;
    const char *text = arena_memdup(tx->arena, path, n);
    if (n && *text != '/')
        text = ARENA_JOIN(tx->arena, "/", text);
    int r = read_site(tx, STORED_QUERY(tx, &ms_site_stored, &q, tenant->id, text), ret);
    return r || n || tenant->consumer ? r : made_root_of(tx, tenant, ret);
}

int ms_site_find(struct tx *tx, const struct ms_tenant *tenant, const char *text,
                 struct ms_site *ret)
{
    static struct sql_text q =
        SQL_TEXT("as s where s.tenant = :tenant and (s.key = lower(:key) or s.web = lower(:key))");
    struct ms_site root;
    if (tenant->consumer)
        return 0;
    int r = root_of(tx, tenant, &root);
    if (r != 1)
        return r;
    if (str_eq_nocase(text, "root") || str_eq_nocase(text, root.host))
        return ms_site_by_path(tx, tenant, "", ret);
    const char *comma = strchr(text, ','), *key = text, *web = NULL;
    if (comma) {
        const char *second = strchr(comma + 1, ',');
        if (!str_is_nocase(text, (size_t)(comma - text), root.host))
            return 0;
        key = second ? arena_memdup(tx->arena, comma + 1, (size_t)(second - comma - 1)) : comma + 1;
        web = second ? second + 1 : NULL;
    }
    r = read_site(tx, STORED_QUERY(tx, &ms_site_stored, &q, tenant->id, web ? web : key), ret);
    if (r == 0 && (str_eq_nocase(key, root.key) || str_eq_nocase(key, root.web)))
        r = made_root_of(tx, tenant, ret);
    return r == 1 && web && (!str_eq_nocase(web, ret->web) || !str_eq_nocase(key, ret->key)) ? 0
                                                                                             : r;
}

int ms_site_by_key(struct tx *tx, const char *key, struct ms_site *ret)
{
    static struct sql_text q = SQL_TEXT("as s where s.key = lower(:key)");
    return read_site(tx, STORED_QUERY(tx, &ms_site_stored, &q, key), ret);
}

int ms_site_by_address(struct tx *tx, const char *text, struct ms_site *ret)
{
    static struct sql_text q =
        SQL_TEXT("as s where s.path = :path collate nocase order by s.tenant, s.id limit 1 offset "
                 ":skip");
    const bool hosted = *text && *text != '/';
    const size_t n = hosted ? strcspn(text, "/") : 0;
    for (int64_t skip = 0;; skip++) {
        int r = read_site(tx, STORED_QUERY(tx, &ms_site_stored, &q, text + n, skip), ret);
        if (r != 1 || !hosted || str_is_nocase(text, n, ret->host))
            return r;
    }
}

int ms_site_of_group(struct tx *tx, int64_t group, struct ms_site *ret)
{
    static struct sql_text q = SQL_TEXT("as s where s.team = :team order by s.id limit 1");
    return read_site(tx, STORED_QUERY(tx, &ms_site_stored, &q, group), ret);
}

int ms_site_of_channel(struct tx *tx, const char *channel, struct ms_site *ret)
{
    static struct sql_text q = SQL_TEXT("as s where s.channel = :channel");
    return read_site(tx, STORED_QUERY(tx, &ms_site_stored, &q, channel), ret);
}

int ms_site_next(struct tx *tx, int64_t tenant, int64_t parent, int64_t after, struct ms_site *ret)
{
    static struct sql_text q =
        SQL_TEXT("as s where s.tenant = :tenant and (:parent = 0 or s.parent = :parent) and s.id "
                 "> :after order by s.id limit 1");
    return read_site(tx, STORED_QUERY(tx, &ms_site_stored, &q, tenant, parent, after), ret);
}

const char *ms_site_url(struct arena *a, const struct ms_site *site)
{
    const size_t n = strlen(site->path);
    char *path = arena_alloc(a, 3 * n + 1), *p = path;
    for (const char *from = site->path, *end; *from; from = end) {
        end = from + strcspn(from, "/");
        p = percent_put(p, from, (size_t)(end - from));
        if (*end)
            *p++ = *end++;
    }
    *p = '\0';
    return ARENA_JOIN(a, "https://", site->host, path);
}

/* ---- writing ---- */

int ms_site_new(struct tx *tx, struct ms_site *site)
{
    struct arena *a = tx->arena;
    struct ms_tenant tenant;
    if (ms_tenant_get(tx, site->tenant, &tenant) != 1)
        return -1;
    const char *of = arena_printf(a, "%s %s", tenant.guid, site->path);
    if (!site->key)
        site->key = graph_guid(a, "site", of);
    if (!site->web)
        site->web = graph_guid(a, "web", of);
    if (stored_add(tx, &ms_site_stored, site) < 0)
        return -1;
    site->id = tx_last_id(tx);
    return complete(tx, &tenant, site) < 0 ? -1 : 0;
}

int ms_site_keep(struct tx *tx, struct ms_site *site)
{
    if (site->id)
        return 0;
    site->changed_us = tx->now_us;
    return ms_site_new(tx, site);
}

int ms_site_touch(struct tx *tx, const struct ms_site *site)
{
    static struct sql_text q = SQL_TEXT("update ms_site set changed_us = :now where id = :id");
    return TX_RUN(tx, &q, tx->now_us, site->id);
}

/* ---- who may do what ---- */

/* By what is said of people and groups. */
static int role_by_members(struct tx *tx, const struct ms_site *site, const char *address,
                           enum site_role *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select who, role from ms_site_member where site = :site and role > :role order by role "
        "desc, id limit 1 offset :skip");
    const int64_t least = (int64_t)*ret;
    for (int64_t skip = 0;; skip++) {
        struct group g;
        const char *who;
        enum site_role role;
        int r = TX_TAKE(tx, TX_QUERY(tx, &q, site->id, least, skip), &who, &role);
        if (r != 1)
            return r;
        int in = strcmp(who, address) == 0;
        if (!in && (in = group_by_email(tx, who, &g)) == 1)
            in = group_has_member(tx, g.id, address);
        if (in < 0)
            return -1;
        if (in) {
            *ret = role;
            return 0;
        }
    }
}

/* Of a group's site its members write, and its owners own it. */
static int role_by_group(struct tx *tx, const struct ms_site *site, const struct ms_user *user,
                         const char *address, enum site_role *ret)
{
    struct ms_group group;
    int r = site->team ? ms_group_get(tx, site->team, &group) : 0;
    if (r != 1)
        return r;
    r = ms_owner_is(tx, group.id, user->id);
    if (r == 1)
        *ret = SITE_OWNER;
    if (r != 0)
        return r < 0 ? -1 : 0;
    r = group_has_member(tx, group.addresses, address);
    if (r == 1 && *ret < SITE_WRITE)
        *ret = SITE_WRITE;
    return r < 0 ? -1 : 0;
}

/* Of a channel's site its members write, and its owners own it. */
static int role_by_channel(struct tx *tx, const struct ms_site *site, const struct ms_user *user,
                           enum site_role *ret)
{
    const struct graph_channels *channels = core_policy_nth(tx, GRAPH_CHANNELS, 0);
    bool owner;
    int r = site->channel && channels ? channels->member(tx, site->channel, user, &owner) : 0;
    if (r == 1 && *ret < (owner ? SITE_OWNER : SITE_WRITE))
        *ret = owner ? SITE_OWNER : SITE_WRITE;
    return r < 0 ? -1 : 0;
}

int ms_site_role(struct tx *tx, const struct ms_site *site, const struct actor *actor,
                 enum site_role *ret)
{
    struct ms_site at = *site;
    struct ms_user user;
    const char *address;
    *ret = SITE_NONE;
    int r = ms_user_of_actor(tx, actor->id, site->tenant, &user);
    if (r != 1)
        return r;
    if (ms_user_address(tx, &user, &address) < 0)
        return -1;
    for (int depth = 0; depth < 32; depth++) {
        if (!user.guest && *ret < at.everyone)
            *ret = at.everyone;
        if (!at.id && user.admin)
            *ret = SITE_OWNER;
        if (role_by_channel(tx, &at, &user, ret) < 0 ||
            role_by_group(tx, &at, &user, address, ret) < 0 ||
            role_by_members(tx, &at, address, ret) < 0)
            return -1;
        if (!at.parent)
            return 0;
        if (ms_site_get(tx, at.parent, &at) != 1)
            return -1;
    }
    return 0;
}

/* ---- libraries ---- */

int ms_library_get(struct tx *tx, int64_t id, struct ms_library *ret)
{
    return stored_get(tx, &ms_library_stored, id, ret);
}

int ms_library_by_key(struct tx *tx, const char *key, struct ms_library *ret)
{
    static struct sql_text q = SQL_TEXT("where key = lower(:key)");
    return STORED_ONE(tx, &ms_library_stored, &q, ret, key);
}

int ms_library_of_account(struct tx *tx, int64_t account, struct ms_library *ret)
{
    static struct sql_text q = SQL_TEXT("where account = :account");
    return STORED_ONE(tx, &ms_library_stored, &q, ret, account);
}

int ms_library_find(struct tx *tx, int64_t site, const char *text, struct ms_library *ret)
{
    static struct sql_text q =
        SQL_TEXT("where site = :site and (key = lower(:text) or title = :text collate nocase or "
                 "name = :text collate nocase) order by id limit 1");
    return STORED_ONE(tx, &ms_library_stored, &q, ret, site, text);
}

int ms_library_next(struct tx *tx, int64_t site, int64_t after, struct ms_library *ret)
{
    static struct sql_text q = SQL_TEXT("where site = :site and id > :after order by id limit 1");
    return STORED_ONE(tx, &ms_library_stored, &q, ret, site, after);
}

/* "sites.finance.documents" */
static const char *handle_of(struct arena *a, const struct ms_site *site, const char *title)
{
    char *text = arena_strdup(a, ARENA_JOIN(a, *site->path ? site->path + 1 : "site", ".", title));
    for (char *p = text; p && *p; p++) {
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p + 32);
        else if (*p == '/')
            *p = '.';
        else if (!(*p >= 'a' && *p <= 'z') && !(*p >= '0' && *p <= '9') && *p != '.')
            *p = '-';
    }
    return text;
}

/* The actor whose drive a library is: one that is there, or a new one. 0, -1. */
static int library_actor(struct tx *tx, const struct ms_site *site, const char *handle,
                         const struct ms_library *library, struct actor *ret)
{
    const char *name = handle ? handle : handle_of(tx->arena, site, library->title);
    int r = actor_find(tx, name, ret);
    if (r == 1 && handle)
        return 0;
    if (r == 1)
        name = library->key;
    if (r < 0 || !name)
        return r < 0 ? -1 : sosia_fail_memory(tx->err);
    *ret = (struct actor){.handle = name,
                          .email = "",
                          .kind = "service",
                          .name = library->title,
                          .zone = "UTC",
                          .locale = "en"};
    return actor_put(tx, ret);
}

/* The actor's account that is a drive alone. 0, -1. */
static int library_account(struct tx *tx, const struct ms_site *site, const struct actor *actor,
                           struct ms_library *library)
{
    struct ms_tenant tenant;
    struct account account;
    int r = account_at(tx, actor->id, "microsoft", ACCOUNT_DRIVE, &account);
    if (r != 0) {
        library->account = r == 1 ? account.id : 0;
        return r < 0 ? -1 : 0;
    }
    if (ms_tenant_get(tx, site->tenant, &tenant) != 1)
        return -1;
    account = (struct account){.actor = actor->id,
                               .vendor = "microsoft",
                               .service = "drive",
                               .tenant = tenant.domain,
                               .name = library->key,
                               .services = ACCOUNT_DRIVE,
                               .listed = true};
    if (account_put(tx, &account) < 0 || account_provision(tx, actor) < 0)
        return -1;
    library->account = account.id;
    return 0;
}

int ms_library_new(struct tx *tx, const struct ms_site *site, const char *handle,
                   struct ms_library *library)
{
    struct actor actor;
    library->site = site->id;
    if (!library->key)
        library->key = graph_guid(tx->arena, "library",
                                  arena_printf(tx->arena, "%s %s", site->key, library->name));
    if (library_actor(tx, site, handle, library, &actor) < 0 ||
        library_account(tx, site, &actor, library) < 0 ||
        stored_add(tx, &ms_library_stored, library) < 0)
        return -1;
    library->id = tx_last_id(tx);
    return 0;
}
