/* SPDX-License-Identifier: Apache-2.0 */
/* Sites as they are shown, and those that a caller may read. */
#include "vendors/microsoft/sites/sites.h"
#include "engine/base/codec.h"

/* The last step of its path, or of the root the host. */
static const char *site_name(const struct ms_site *site)
{
    const char *slash = strrchr(site->path, '/');
    return slash ? slash + 1 : site->host;
}

/* In lists the root has the name of its host, and nothing is said of an empty description. */
void site_write(struct call *c, const struct ms_site *site, bool listed)
{
    struct json_writer *w = c->out;
    struct arena *a = c->tx.arena;
    json_str(w, "createdDateTime", graph_date(a, site->made_us, 0));
    if (!listed || (site->description && *site->description))
        json_str(w, "description", site->description ? site->description : "");
    json_str(w, "id", site->full_id);
    json_str(w, "lastModifiedDateTime", graph_date(a, site->changed_us, 0));
    json_str(w, "name", *site->path || listed ? site_name(site) : "");
    json_str(w, "webUrl", ms_site_url(a, site));
    json_str(w, "displayName", site->name);
    if (!site->parent) {
        json_obj(w, "root");
        json_end(w);
    }
    json_obj(w, "siteCollection");
    json_str(w, "hostname", site->host);
    json_end(w);
}

/* The tenant's root first, with or without a row of its own, then the others. 1, 0 no more, -1. */
int sites_next(struct call *c, const struct ms_tenant *tenant, bool *begun, struct ms_site *at)
{
    int r = 1;
    if (!*begun) {
        *begun = true;
        return ms_site_by_path(&c->tx, tenant, "", at);
    }
    int64_t after = *at->path ? at->id : 0;
    while ((r = ms_site_next(&c->tx, tenant->id, 0, after, at)) == 1 && !*at->path)
        after = at->id;
    return r;
}

int sites_seen(struct call *c, int (*fn)(void *arg, const struct ms_site *site), void *arg)
{
    struct ms_tenant tenant;
    struct ms_site site = {.path = ""};
    enum site_role role;
    int64_t id;
    bool begun = false;
    int r = graph_caller_tenant(c, &id);
    if (r == 1)
        r = ms_tenant_get(&c->tx, id, &tenant);
    while (r == 1 && (r = sites_next(c, &tenant, &begun, &site)) == 1)
        if (site_role_of(c, &site, &role) < 0 || (role >= SITE_READ && fn(arg, &site) < 0))
            return -1;
    return r;
}
