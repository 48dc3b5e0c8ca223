/* SPDX-License-Identifier: Apache-2.0 */
/* The item whose address for browsers a URL is. */
#include "engine/base/codec.h"
#include "services/drive/onedrive/onedrive.h"
#include "vendors/microsoft/sites/sites.h"

/* Whose site has that name: "_" stands for one letter in the query, and for itself in the name. 1,
 * 0, -1. */
static int owner_of_site(struct call *c, int64_t tenant, const char *name, struct ms_user *ret)
{
    const char *site = ARENA_JOIN(c->tx.arena, "/personal/", name);
    int64_t after = 0;
    int r;
    while ((r = ms_user_like(&c->tx, tenant, name, after, ret)) == 1 &&
           !str_eq_nocase(onedrive_site_of(c->tx.arena, ret->upn), site))
        after = ret->id;
    return r;
}

/* The drive of a person's site: "/personal/ada_port_example". 1, 0, -1. */
static int open_personal(struct call *c, const char *name, struct onedrive_at *at)
{
    struct graph_user user;
    struct ms_user found;
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    int64_t tenant;
    int r = name[strspn(name, plain)] ? 0 : graph_caller_tenant(c, &tenant);
    if (r == 1)
        r = owner_of_site(c, tenant, name, &found);
    if (r == 1)
        r = graph_user_with(c, found.oid, ACCOUNT_DRIVE, &user);
    return r == 1 ? (onedrive_open_of(c, &user, at) < 0 ? -1 : 1) : r;
}

/* That of a library of a site in the caller's tenant. 1, 0, -1. */
static int open_library_of(struct call *c, const struct ms_site *site, const char *name,
                           struct onedrive_at *at)
{
    struct ms_library library;
    struct graph_user user;
    int64_t tenant;
    int r = graph_caller_tenant(c, &tenant);
    if (r == 1)
        r = tenant == site->tenant && ms_library_find(&c->tx, site->id, name, &library) == 1;
    if (r == 1)
        r = onedrive_library_user(&c->tx, &library, &user);
    return r == 1 ? (onedrive_open_of(c, &user, at) < 0 ? -1 : 1) : r;
}

/* The site whose path a path begins with, the longest, and what follows it. 1, 0, -1. */
static int find_site(struct call *c, const char *host, const char *path, struct ms_site *ret,
                     const char **ret_rest)
{
    struct arena *a = c->tx.arena;
    size_t n = strlen(path);
    while (!arena_failed(a)) {
        int r = ms_site_by_address(&c->tx, ARENA_JOIN(a, host, arena_memdup(a, path, n)), ret);
        *ret_rest = path + n;
        if (r || !n)
            return r;
        while (n && path[--n] != '/')
            ;
    }
    return sosia_fail_memory(c->tx.err);
}

/* Takes the first name of a path away. */
static const char *take_name(struct arena *a, const char **path)
{
    const char *from = *path + strspn(*path, "/");
    const size_t n = strcspn(from, "/");
    *path = from + n;
    return arena_memdup(a, from, n);
}

int onedrive_by_address(struct call *c, const char *url, struct onedrive_at *at,
                        struct drive_item *it)
{
    struct arena *a = c->tx.arena;
    const char *host, *rest;
    struct ms_site site;
    char *path;
    size_t n;
    int r;
    if (!str_starts(url, "https://"))
        return 0;
    url += strlen("https://");
    n = strcspn(url, "/");
    host = arena_memdup(a, url, n);
    if (percent_decode(a, url + n, strcspn(url + n, "?#"), false, &path, &n) < 0)
        return 0;
    rest = path;
    if (str_starts(path, "/personal/")) {
        rest += strlen("/personal");
        r = open_personal(c, take_name(a, &rest), at);
        take_name(a, &rest); /* "Documents" */
    } else {
        r = find_site(c, host, path, &site, &rest);
        if (r == 1)
            r = open_library_of(c, &site, take_name(a, &rest), at);
    }
    if (r != 1 || !str_eq_nocase(at->host, host))
        return r < 0 ? -1 : 0;
    return drive_item_by_path(&c->tx, &at->root, rest, it, NULL);
}
