/* SPDX-License-Identifier: Apache-2.0 */
/* A list as it is shown. */
#include "services/lists/sharepoint/sharepoint.h"

int sp_write_list(struct sp_at *at, const struct sp_list *list)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const struct lists_list *l = &list->list;
    const char *etag = sp_etag(a, l->key, l->version);
    json_str(w, "@odata.etag", etag);
    json_str(w, "createdDateTime", graph_date(a, l->created_us, 0));
    json_str(w, "description", l->description ? l->description : "");
    json_str(w, "eTag", etag);
    json_str(w, "id", l->key);
    json_str(w, "lastModifiedDateTime", graph_date(a, l->modified_us, 0));
    json_str(w, "name", l->name);
    json_str(w, "webUrl", sp_list_url(at, list));
    json_str(w, "displayName", l->title);
    if (l->creator) {
        if (site_write_person(at->c, "createdBy", l->creator) < 0)
            return -1;
    } else {
        site_write_system(w, "createdBy");
    }
    json_obj(w, "parentReference");
    json_str(w, "siteId", at->site.full_id);
    json_end(w);
    json_obj(w, "list");
    json_bool(w, "contentTypesEnabled", false);
    json_bool(w, "hidden", l->hidden);
    json_str(w, "template", l->template);
    json_end(w);
    return 0;
}
