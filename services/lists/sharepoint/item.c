/* SPDX-License-Identifier: Apache-2.0 */
/* An item of a list as Graph shows it. */
#include "services/lists/sharepoint/sharepoint.h"

/* ---- writing ---- */

/* Did the library itself do it, the service whose drive it is? 1, 0, -1. */
static int is_system(struct sp_at *at, int64_t actor)
{
    struct account account;
    int r =
        at->of.is_library && actor ? account_get(&at->c->tx, at->of.library.account, &account) : 0;
    return r == 1 ? account.actor == actor : r;
}

static int write_person(struct sp_at *at, struct json_writer *w, const char *key, int64_t actor)
{
    struct json_writer *own = at->c->out;
    int system = is_system(at, actor);
    if (system) {
        site_write_system(w, key);
        return system < 0 ? -1 : 0;
    }
    at->c->out = w;
    int r = site_write_person(at->c, key, actor);
    at->c->out = own;
    return r;
}

static void write_type(struct json_writer *w, struct arena *a, const struct lists_list *list,
                       const char *head, const char *name)
{
    const char *guid = graph_guid(a, "content type", list->key);
    char hex[33];
    size_t n = 0;
    for (const char *p = guid; *p && n < 32; p++)
        if (*p != '-')
            hex[n++] = (char)(*p >= 'a' ? *p - 32 : *p);
    hex[n] = '\0';
    json_obj(w, "contentType");
    json_str(w, "id", ARENA_JOIN(a, head, "00", hex));
    json_str(w, "name", name);
    json_end(w);
}

int sp_write_item(struct sp_at *at, struct json_writer *w, const struct lists_item *item,
                  bool fields)
{
    struct arena *a = at->c->tx.arena;
    const char *number = arena_printf(a, "%lld", (long long)item->number);
    const char *etag = sp_etag(a, item->key, item->version);
    json_str(w, "@odata.etag", etag);
    json_str(w, "createdDateTime", graph_date(a, item->created_us, 0));
    json_str(w, "eTag", etag);
    json_str(w, "id", number);
    json_str(w, "lastModifiedDateTime", graph_date(a, item->modified_us, 0));
    json_str(w, "webUrl",
             at->of.is_library ? at->file.url
                               : ARENA_JOIN(a, sp_list_url(at, &at->of), "/", number, "_.000"));
    if (write_person(at, w, "createdBy", item->creator) < 0 ||
        write_person(at, w, "lastModifiedBy", item->modifier) < 0)
        return -1;
    json_obj(w, "parentReference");
    json_str(w, "id", graph_guid(a, "list root", at->of.list.key));
    json_str(w, "siteId", at->site.full_id);
    json_end(w);
    if (at->of.is_library)
        write_type(w, a, &at->of.list, at->file.folder ? "0x0120" : "0x0101",
                   at->file.folder ? "Folder" : "Document");
    else
        write_type(w, a, &at->of.list, "0x01", "Item");
    if (!fields)
        return 0;
    json_str(w, "fields@odata.context",
             arena_printf(a, "https://" GRAPH_HOST "/%s/$metadata#%s/items('%s')/fields/$entity",
                          graph_is_beta(at->c) ? "beta" : "v1.0", at->base, number));
    json_obj(w, "fields");
    int r = sp_write_fields(at, w, item);
    json_end(w);
    return r;
}

int sp_item_json(struct sp_at *at, const struct lists_item *item, const struct json **ret)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    int r = sp_write_item(at, &w, item, true);
    json_end(&w);
    if (r == 0) {
        const char *text = arena_memdup(at->c->tx.arena, b.data, b.len);
        r = json_parse(at->c->tx.arena, text, b.len, NULL, ret, at->c->tx.err);
    }
    buf_done(&b);
    return r;
}
