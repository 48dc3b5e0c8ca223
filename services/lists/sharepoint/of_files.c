/* SPDX-License-Identifier: Apache-2.0 */
/* What the service of files asks of lists: its files as items of them. */
#include "services/lists/sharepoint/sharepoint.h"

static int write_listed(struct call *c, const struct ms_library *library, int64_t id,
                        const char *key, const struct odata_query *q)
{
    struct sp_at at = {.c = c};
    struct lists_item item;
    int r = sp_open_listed(&at, library, id, &item);
    if (r != 1)
        return r;
    json_obj(c->out, key);
    r = sp_write_item(&at, c->out, &item, odata_expands(q, "fields") != NULL);
    json_end(c->out);
    return r;
}

static int write_found(struct call *c, const struct ms_library *library, int64_t id,
                       const struct json *names)
{
    struct sp_at at = {.c = c};
    struct lists_item item;
    int r = sp_open_listed(&at, library, id, &item);
    if (r != 1)
        return r;
    json_obj(c->out, "listItem");
    json_str(c->out, "@odata.type", "#microsoft.graph.listItem");
    json_str(c->out, "id", item.key);
    r = sp_write_found_fields(&at, &item, names);
    json_end(c->out);
    return r;
}

const struct ms_lists sp_lists = {.write = write_listed, .write_found = write_found};
