/* SPDX-License-Identifier: Apache-2.0 */
/* Drives: whose they are and how full. */
#include "services/drive/onedrive/onedrive.h"

/* The drive, with its root where that is asked for too. */
static int write_all(struct onedrive_at *at, const struct odata_query *q)
{
    const struct odata_expand *root = odata_expands(q, "root");
    if (onedrive_write_drive(at) < 0)
        return -1;
    at->query = root ? root->query : NULL;
    return root ? onedrive_write(at, "root", &at->root) : 0;
}

static int drives_get(struct call *c)
{
    struct odata_query q;
    struct onedrive_at at;
    if (onedrive_open(c, &at) < 0 || onedrive_may(&at, &at.root, ROLE_READER) < 0 ||
        onedrive_options(c, "drive", &q) < 0 || graph_select(c, &q, 0, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "drives%s/$entity", odata_context(c->tx.arena, &q));
    int r = write_all(&at, &q);
    json_end(c->out);
    return r;
}

static int drives_list(struct call *c)
{
    struct odata_query q;
    struct onedrive_at at;
    if (onedrive_open(c, &at) < 0 || onedrive_may(&at, &at.root, ROLE_READER) < 0 ||
        onedrive_options(c, "drive", &q) < 0 || graph_select(c, &q, 0, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "drives%s", odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    json_obj(c->out, NULL);
    int r = write_all(&at, &q);
    json_end(c->out);
    json_end(c->out);
    json_end(c->out);
    return r;
}

/* The libraries of a site or of a group's. */
static int libraries_list(struct call *c)
{
    struct ms_library library = {.id = 0};
    struct graph_user user;
    struct odata_query q;
    struct ms_site site;
    int r = 0;
    if (site_of_path(c, SITE_READ, &site) < 0 || onedrive_options(c, "drive", &q) < 0 ||
        graph_select(c, &q, 0, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "drives%s", odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    while (site.id && (r = ms_library_next(&c->tx, site.id, library.id, &library)) == 1) {
        struct onedrive_at at;
        if (onedrive_library_user(&c->tx, &library, &user) != 1 ||
            onedrive_open_of(c, &user, &at) < 0)
            return -1;
        json_obj(c->out, NULL);
        if (write_all(&at, &q) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static const struct param get_params[] = {ONEDRIVE_PATH_PARAMS, ONEDRIVE_SHAPE_PARAMS};
static const struct param libraries_params[] = {
    {.name = "site-id", .place = IN_PATH, .required = true},
    {.name = "site-path", .place = IN_PATH, .required = true},
    {.name = "group-id", .place = IN_PATH, .required = true},
    ONEDRIVE_SHAPE_PARAMS,
    {.name = "$top", .place = IN_QUERY}};
static const struct param list_params[] = {ONEDRIVE_PATH_PARAMS,
                                           ONEDRIVE_SHAPE_PARAMS,
                                           {.name = "$top", .place = IN_QUERY},
                                           {.name = "$orderby", .place = IN_QUERY}};

static const struct route methods[] = {
    {ROUTE("onedrive.drives.get", GET, OF_DRIVE(""), GRAPH("/groups/{group-id}/drives/{drive-id}"),
           GRAPH("/groups/{group-id}/sites/{site-id}/drive"),
           GRAPH("/sites/{site-id}/lists/{list-id}/drive")),
     .handler = drives_get, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(get_params),
     .response = "microsoft.graph.drive", .summary = "A person's drive: whose it is and how full"},
    {ROUTE("onedrive.drives.list", GET, GRAPH_MY("/drives")), .handler = drives_list,
     .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(list_params),
     .response = "microsoft.graph.driveCollectionResponse", .summary = "The drives of a person"},
    {ROUTE("onedrive.libraries.list", GET, GRAPH("/sites/{site-id}/drives"),
           GRAPH("/sites/{site-id}:/{site-path*}:/drives"), GRAPH("/groups/{group-id}/drives"),
           GRAPH("/groups/{group-id}/sites/{site-id}/drives")),
     .handler = libraries_list, .risk = RISK_READ, .scopes = ONEDRIVE_READ,
     PARAMS(libraries_params), .response = "microsoft.graph.driveCollectionResponse",
     .summary = "The libraries of a site"},
};

const struct rows onedrive_drives = ROWS(methods);
