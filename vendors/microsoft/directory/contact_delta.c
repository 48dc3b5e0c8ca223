/* SPDX-License-Identifier: Apache-2.0 */
/* What has changed of a folder's contacts, or of folders of contacts, since a token was given out.
 */
#include "engine/base/codec.h"
#include "engine/world/take.h"
#include "vendors/microsoft/directory/contact.h"
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/odata/odata.h"
#include "vendors/microsoft/walk.h"

enum { PAGE = 10 };

struct walk {
    struct graph_user user;
    bool folders;   /* what changes is folders */
    int64_t folder; /* 0: the one that everybody has; of folders, -1: they are in any */
    struct graph_walk walk;
};

/* ---- tokens ---- */

static const char *contacts_purpose(struct call *c, const struct walk *w)
{
    return arena_printf(c->tx.arena, "%s delta %lld %lld",
                        w->folders ? "contact folders" : "contacts", (long long)w->user.account.id,
                        (long long)w->folder);
}

static int last_contact_change(struct call *c, const struct walk *w, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select max(coalesce((select max(change) from ms_contact where account = "
                 ":account), 0), coalesce((select max(change) from ms_contact_gone where account = "
                 ":same), 0))");
    static struct sql_text q_folders = SQL_TEXT(
        "select max(coalesce((select max(change) from ms_contact_folder where account = :account), "
        "0), coalesce((select max(change) from ms_contact_folder_gone where account = :same), 0))");
    return TX_INT(&c->tx, w->folders ? &q_folders : &q, ret, w->user.account.id,
                  w->user.account.id) < 0
               ? -1
               : 0;
}

static int open_walk(struct call *c, bool folders, struct walk *w)
{
    const char *token = graph_walk_given(c);
    bool all, known = token && strcmp(token, "latest") != 0;
    *w = (struct walk){.folders = folders};
    graph_walk_begin(c, PAGE, &w->walk);
    if (graph_whose(c, 0, &w->user) < 0 || ms_contact_rights(c, &w->user) < 0 ||
        ms_contact_folder_of_path(c, &w->user, &w->folder, &all) < 0)
        return -1;
    if (folders && all)
        w->folder = -1;
    if (known && !graph_walk_read(c, contacts_purpose(c, w), token, &w->walk))
        return call_fail(c, SOSIA_E_GONE, "SyncStateNotFound", NULL,
                         "The sync state generation is not found.");
    if ((!known || w->walk.upto < 0) && last_contact_change(c, w, &w->walk.upto) < 0)
        return -1;
    if (token && !known)
        w->walk.since = w->walk.from = w->walk.upto;
    return 0;
}

/* ---- changes ---- */

struct changed {
    int64_t id, change; /* id 0: it is gone */
    const char *key;
};

/* What changed next: 1, 0, -1. */
static int next_contact_change(struct call *c, struct walk *w, struct changed *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select id, change, key from ms_contact where account = ?1 and coalesce(folder, 0) = ?2 "
        "and "
        "change > ?3 and change <= ?4 union all select 0, change, key from ms_contact_gone where "
        "account = ?1 and folder = ?2 and change > ?3 and change <= ?4 and made <= ?5 and not ?6 "
        "order by 2 limit 1");
    static struct sql_text q_folders = SQL_TEXT(
        "select id, change, key from ms_contact_folder where account = ?1 and (?2 < 0 or "
        "coalesce(parent, 0) = ?2) and change > ?3 and change <= ?4 union all select 0, change, "
        "key from ms_contact_folder_gone where account = ?1 and (?2 < 0 or parent = ?2) and "
        "change > ?3 and change <= ?4 and made <= ?5 and not ?6 order by 2 limit 1");
    int r = TX_TAKE(&c->tx,
                    TX_QUERY(&c->tx, w->folders ? &q_folders : &q, w->user.account.id, w->folder,
                             w->walk.from, w->walk.upto, w->walk.since, (int64_t)w->walk.first),
                    &ret->id, &ret->change, &ret->key);
    if (r != 1)
        return r;
    w->walk.from = ret->change;
    return 1;
}

static const char *type_of(const struct walk *w)
{
    return w->folders ? "contactFolder" : "contact";
}

static int write_there(struct call *c, const struct walk *w, int64_t id)
{
    struct ms_contact_folder folder;
    struct ms_contact row;
    if (w->folders)
        return ms_contact_folder_get(&c->tx, id, &folder) == 1
                   ? ms_contact_folder_write(&c->tx, &folder, c->out)
                   : -1;
    return ms_contact_get(&c->tx, id, &row) == 1 ? ms_contact_write(&c->tx, &row, c->out) : -1;
}

static int write_changed_contact(struct call *c, const struct walk *w, const struct changed *at)
{
    json_obj(c->out, NULL);
    json_str(c->out, "@odata.type", ARENA_JOIN(c->tx.arena, "#microsoft.graph.", type_of(w)));
    if (at->id) {
        if (write_there(c, w, at->id) < 0)
            return -1;
    } else {
        json_str(c->out, "id", at->key);
        json_obj(c->out, "@removed");
        json_str(c->out, "reason", "deleted");
        json_end(c->out);
    }
    json_end(c->out);
    return 0;
}

static int read_select(struct call *c, const struct walk *w)
{
    const struct odata_rules rules = {.max_top = GRAPH_WALK_MOST};
    const struct odata_pair pair = {"$select", w->walk.select};
    const struct json_mask *mask;
    const char *message = NULL;
    struct odata_query q;
    if (odata_parse(c->tx.arena, edm_type_find(type_of(w), strlen(type_of(w))), &rules, &pair,
                    *w->walk.select != 0, &q, &message, c->tx.err) < 0 ||
        odata_mask_list(c->tx.arena, &q, ODATA_KEEP_ID | ODATA_KEEP_ETAG, &mask, c->tx.err) < 0)
        return -1;
    c->out->level[c->out->depth].mask = mask;
    return 0;
}

static int answer_delta(struct call *c, bool folders)
{
    struct changed at;
    struct walk w;
    size_t n = 0;
    int r = 1;
    if (open_walk(c, folders, &w) < 0 || read_select(c, &w) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "Collection(%s)", type_of(&w));
    json_arr(c->out, "value");
    while (n < w.walk.size && (r = next_contact_change(c, &w, &at)) == 1) {
        if (write_changed_contact(c, &w, &at) < 0)
            return -1;
        n++;
    }
    json_end(c->out);
    json_str(c->out, r == 1 ? "@odata.nextLink" : "@odata.deltaLink",
             graph_link(c, r == 1 ? "$skiptoken" : "$deltatoken",
                        graph_walk_token(c, contacts_purpose(c, &w), &w.walk, r == 1)));
    json_end(c->out);
    return r < 0 ? -1 : 0;
}

static int contacts_delta(struct call *c)
{
    return answer_delta(c, false);
}

static int folders_delta(struct call *c)
{
    return answer_delta(c, true);
}

static const struct param params[] = {
    {.name = "user-id", .place = IN_PATH, .required = true},
    {.name = "contactFolder-id", .place = IN_PATH, .required = true},
    {.name = "contactFolder-id1", .place = IN_PATH, .required = true},
    {.name = "$deltatoken", .place = IN_QUERY, .summary = "Of the deltaLink of the sync before"},
    {.name = "$select", .place = IN_QUERY},
    {.name = "$skiptoken", .place = IN_QUERY, .summary = "Of the nextLink of the page before"},
};
static const struct route methods[] = {
    {ROUTE("contacts.delta", GET, GRAPH_MY("/contacts/delta()"),
           GRAPH_MY("/contactFolders/{contactFolder-id}/contacts/delta()"),
           GRAPH_MY("/contactFolders/{contactFolder-id}/childFolders/"
                    "{contactFolder-id1}/contacts/delta()")),
     .handler = contacts_delta, .risk = RISK_READ, .scopes = "Contacts.Read Contacts.ReadWrite",
     PARAMS(params), .response = "microsoft.graph.contactCollectionResponse",
     .summary = "What has changed of a folder's contacts since a token"},
    {ROUTE("contacts.folders.delta", GET, GRAPH_MY("/contactFolders/delta()"),
           GRAPH_MY("/contactFolders/{contactFolder-id}/childFolders/delta()")),
     .handler = folders_delta, .risk = RISK_READ, .scopes = "Contacts.Read Contacts.ReadWrite",
     PARAMS(params), .response = "microsoft.graph.contactFolderCollectionResponse",
     .summary = "What has changed of folders of contacts since a token"},
};
const struct rows contact_delta_rows = ROWS(methods);
