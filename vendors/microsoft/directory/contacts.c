/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts and their folders as Graph has them. */
#include "engine/base/codec.h"
#include "engine/http/body.h"
#include "engine/world/take.h"
#include "vendors/microsoft/directory/contact.h"
#include "vendors/microsoft/graph.h"
#include "vendors/microsoft/odata/odata.h"
#include <stdlib.h>
#include <strings.h>

enum { PAGE = 10, MAX_NAME = 256, KEPT_MAX = 4096 };

/* ---- options ---- */

static int contact_options(struct call *c, const char *type, struct odata_query *ret)
{
    const struct odata_rules rules = {.max_top = 1000};
    struct odata_pair *pairs = arena_calloc(c->tx.arena, c->n_items + 1, sizeof *pairs);
    const char *message = NULL;
    size_t n = 0;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < c->n_items; i++)
        if (c->items[i].place == IN_QUERY)
            pairs[n++] = (struct odata_pair){c->items[i].name, c->items[i].text};
    return odata_parse(c->tx.arena, edm_type_find(type, strlen(type)), &rules, pairs, n, ret,
                       &message, c->tx.err);
}

static int select_of(struct call *c, const struct odata_query *q, bool list, unsigned keep)
{
    const struct json_mask *mask;
    if ((list ? odata_mask_list(c->tx.arena, q, keep, &mask, c->tx.err)
              : odata_mask(c->tx.arena, q, keep, &mask, c->tx.err)) < 0)
        return -1;
    c->out->level[c->out->depth].mask = mask;
    return 0;
}

#define KEEP (ODATA_KEEP_ID | ODATA_KEEP_ETAG)

/* ---- whose ---- */

/* ---- contacts ---- */

struct found {
    struct ms_contact row;
    const struct json *thing;
    struct odata_value *keys;
};

struct walk {
    struct odata_query q;
    struct odata_ctx ctx;
    struct found *list;
    size_t n, cap;
};

/* Extended properties, which programs lay beside a contact: members of its text. */
static const char *const kept_names[] = {"singleValueExtendedProperties",
                                         "multiValueExtendedProperties"};

static bool is_kept_name(const char *name)
{
    return str_in_nocase(name, kept_names, SOSIA_LEN(kept_names));
}

static const struct json *data_of(struct call *c, const struct ms_contact *k)
{
    const struct json *data;
    return json_parse(c->tx.arena, k->data, strlen(k->data), NULL, &data, c->tx.err) < 0 ? NULL
                                                                                         : data;
}

/* Does an expansion ask for the property? 1, 0, -1. */
static int is_expanded(struct call *c, const struct odata_query *q, const struct json *property)
{
    struct odata_ctx ctx = {.arena = c->tx.arena, .get = odata_get_json, .now_us = c->tx.now_us};
    const struct odata_value *id = odata_equal(q->filter, "id");
    const char *own = json_get_str(property, "id");
    return id && id->text ? own && str_eq_nocase(graph_property_id(c->tx.arena, id->text),
                                                 graph_property_id(c->tx.arena, own))
                          : odata_matches(&ctx, q->filter, property);
}

/* Those that $expand names, into the open object; a contact that has none has no such member. */
static int write_kept(struct call *c, const struct odata_query *q, const struct ms_contact *k)
{
    const struct json *data = q->n_expand ? data_of(c, k) : NULL;
    if (q->n_expand && !data)
        return -1;
    for (size_t i = 0; q->n_expand && i < SOSIA_LEN(kept_names); i++) {
        const struct odata_expand *e = odata_expands(q, kept_names[i]);
        const struct json *list = e ? json_get(data, kept_names[i]) : NULL;
        bool any = false;
        for (uint32_t n = 0; list && list->type == JSON_ARRAY && n < list->n; n++) {
            int r = is_expanded(c, e->query, &list->items[n]);
            if (r < 0)
                return -1;
            if (r && !any)
                json_arr(c->out, kept_names[i]);
            any |= r == 1;
            if (r)
                json_value(c->out, NULL, &list->items[n]);
        }
        if (any)
            json_end(c->out);
    }
    return 0;
}

/* Is the id one of those from `from` on? */
static bool is_named(const char *const *ids, uint32_t from, uint32_t n, const char *id)
{
    for (uint32_t i = from; i < n; i++)
        if (ids[i] && str_eq_nocase(ids[i], id))
            return true;
    return false;
}

/* The items of a body, at most KEPT_MAX, over those that are there, by their ids; of several with
 * one id the last one counts. */
static void merge_kept(struct call *c, struct json_writer *w, const char *name,
                       const struct json *old, const struct json *given)
{
    const struct json none = {.type = JSON_ARRAY};
    old = old && old->type == JSON_ARRAY ? old : &none;
    given = given && given->type == JSON_ARRAY ? given : &none;
    const char **ids = arena_calloc(c->tx.arena, given->n + 1, sizeof *ids);
    if (arena_failed(c->tx.arena))
        return;
    for (uint32_t k = 0; k < given->n; k++) {
        const char *id = json_get_str(&given->items[k], "id");
        ids[k] = id ? graph_property_id(c->tx.arena, id) : NULL;
    }
    json_arr(w, name);
    for (uint32_t i = 0; i < old->n; i++) {
        const char *id = json_get_str(&old->items[i], "id");
        if (!id || !is_named(ids, 0, given->n, id))
            json_value(w, NULL, &old->items[i]);
    }
    for (uint32_t k = 0; k < given->n; k++) {
        const struct json *value = json_get(&given->items[k], "value");
        if (!ids[k] || !value || value->type == JSON_NULL || is_named(ids, k + 1, given->n, ids[k]))
            continue;
        json_obj(w, NULL);
        json_str(w, "id", ids[k]);
        json_value(w, "value", value);
        json_end(w);
    }
    json_end(w);
}

static bool has_too_many(const struct json *list)
{
    return list && list->type == JSON_ARRAY && list->n > KEPT_MAX;
}

#define BETWEEN_WORDS " .,-_@\"'()"

/* Has a text a word that begins so? */
static bool begins_word(const char *text, const char *word, size_t n)
{
    for (const char *p = text; p && *p; p++)
        if ((p == text || strchr(BETWEEN_WORDS, p[-1])) && strncasecmp(p, word, n) == 0)
            return true;
    return false;
}

/* Are all words of a search in the contact's names, addresses, company and job? */
static bool is_found(const struct json *thing, const char *search)
{
    static const char *const texts[] = {"displayName", "givenName",   "surname", "nickName",
                                        "middleName",  "companyName", "jobTitle"};
    const struct json *mails = json_get(thing, "emailAddresses");
    for (const char *p = search; *p;) {
        p += strspn(p, BETWEEN_WORDS);
        const size_t n = strcspn(p, BETWEEN_WORDS);
        bool found = n == 0;
        for (size_t i = 0; i < SOSIA_LEN(texts) && !found; i++)
            found = begins_word(json_get_str(thing, texts[i]), p, n);
        for (uint32_t i = 0; mails && mails->type == JSON_ARRAY && i < mails->n && !found; i++)
            found = begins_word(json_get_str(&mails->items[i], "address"), p, n) ||
                    begins_word(json_get_str(&mails->items[i], "name"), p, n);
        if (!found)
            return false;
        p += n;
    }
    return true;
}

static int thing_of(struct call *c, const struct ms_contact *k, const struct json **ret)
{
    const struct json *data = data_of(c, k);
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    int r = data ? ms_contact_write(&c->tx, k, &w) : -1;
    for (size_t i = 0; r == 0 && i < SOSIA_LEN(kept_names); i++)
        if (json_get(data, kept_names[i]))
            json_value(&w, kept_names[i], json_get(data, kept_names[i]));
    json_end(&w);
    if (r == 0) {
        const char *text = arena_memdup(c->tx.arena, b.data, b.len);
        r = json_parse(c->tx.arena, text, b.len, NULL, ret, c->tx.err);
    }
    buf_done(&b);
    return r;
}

static int by_keys(const void *a, const void *b, void *arg)
{
    const struct found *x = a, *y = b;
    const struct walk *w = arg;
    int r = w->q.n_order ? odata_order(&w->ctx, &w->q, x->keys, y->keys) : 0;
    return r ? r : x->row.id < y->row.id ? -1 : x->row.id > y->row.id;
}

static int collect_contacts(struct call *c, const struct graph_user *u, int64_t folder, bool all,
                            struct walk *w)
{
    static struct sql_text q =
        SQL_TEXT("select id from ms_contact where account = :account and id > :after and (:all or "
                 "coalesce(folder, 0) = :folder) order by id limit 1");
    struct found f = {0};
    int64_t id = 0;
    int r;
    while ((r = TX_INT(&c->tx, &q, &id, u->account.id, id, (int64_t)all, folder)) == 1) {
        if (ms_contact_get(&c->tx, id, &f.row) != 1 || thing_of(c, &f.row, &f.thing) < 0)
            return -1;
        if ((r = odata_matches(&w->ctx, w->q.filter, f.thing)) < 0)
            return -1;
        if (!r || (w->q.search && !is_found(f.thing, w->q.search)))
            continue;
        if (w->q.n_order && odata_keys(&w->ctx, &w->q, f.thing, &f.keys) < 0)
            return -1;
        w->list = arena_grow(c->tx.arena, w->list, w->n, &w->cap, sizeof *w->list);
        if (!w->list)
            return sosia_fail_memory(c->tx.err);
        w->list[w->n++] = f;
    }
    if (r == 0 && w->n)
        qsort_r(w->list, w->n, sizeof *w->list, by_keys, w);
    return r;
}

/* Those of the folder of the path; without one those of the folder that everybody has. 0, -1. */
static int find_contacts(struct call *c, struct graph_user *u, struct walk *ret)
{
    int64_t folder;
    bool all;
    *ret =
        (struct walk){.ctx = {.arena = c->tx.arena, .get = odata_get_json, .now_us = c->tx.now_us}};
    if (graph_whose(c, 0, u) < 0 || ms_contact_rights(c, u) < 0 ||
        ms_contact_folder_of_path(c, u, &folder, &all) < 0 ||
        contact_options(c, "contact", &ret->q) < 0)
        return -1;
    return collect_contacts(c, u, folder, false, ret);
}

static int contacts_list(struct call *c)
{
    struct graph_user u;
    struct walk w;
    if (find_contacts(c, &u, &w) < 0)
        return -1;
    size_t from = w.q.skip > 0 && (size_t)w.q.skip < w.n ? (size_t)w.q.skip
                  : w.q.skip > 0                         ? w.n
                                                         : 0;
    size_t top = w.q.top > 0 ? (size_t)w.q.top : PAGE;
    size_t end = w.n - from > top ? from + top : w.n;
    if (select_of(c, &w.q, true, KEEP) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "users%s/contacts%s", graph_key(c->tx.arena, u.key),
                  odata_context(c->tx.arena, &w.q));
    if (w.q.count)
        json_int(c->out, "@odata.count", (int64_t)w.n);
    json_arr(c->out, "value");
    for (size_t i = from; i < end; i++) {
        json_obj(c->out, NULL);
        if (ms_contact_write(&c->tx, &w.list[i].row, c->out) < 0 ||
            write_kept(c, &w.q, &w.list[i].row) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    if (end < w.n)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skip", arena_printf(c->tx.arena, "%zu", end)));
    json_end(c->out);
    return 0;
}

static int answer_contact(struct call *c, const struct graph_user *u, const struct ms_contact *k)
{
    struct odata_query q;
    if (contact_options(c, "contact", &q) < 0 || select_of(c, &q, false, KEEP) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "users%s/contacts%s/$entity", graph_key(c->tx.arena, u->key),
                  odata_context(c->tx.arena, &q));
    if (ms_contact_write(&c->tx, k, c->out) < 0 || write_kept(c, &q, k) < 0)
        return -1;
    json_end(c->out);
    c->etag = ms_contact_etag(c->tx.arena, k);
    return 0;
}

static int contact_get(struct call *c)
{
    struct ms_contact k;
    struct graph_user u;
    if (ms_contact_of_path(c, &u, &k) < 0)
        return -1;
    return answer_contact(c, &u, &k);
}

/* The members of a body over those that are there. */
static int merged(struct call *c, const char *old, const struct json *body, const char **ret)
{
    const struct json *data;
    struct json_writer w;
    struct buf b;
    if (json_parse(c->tx.arena, old, strlen(old), NULL, &data, c->tx.err) < 0)
        return -1;
    bool fits = true;
    for (size_t i = 0; i < SOSIA_LEN(kept_names); i++)
        fits &= !has_too_many(json_get(body, kept_names[i]));
    buf_init(&b, CONTACT_BYTES);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < data->n; i++)
        if (!json_get(body, data->members[i].key) && !is_kept_name(data->members[i].key))
            json_value(&w, data->members[i].key, &data->members[i].value);
    for (uint32_t i = 0; i < body->n; i++) {
        const struct json_member *m = &body->members[i];
        const struct edm_property *p =
            edm_property_find(edm_type_find("contact", 7), m->key, m->key_len);
        if (p && !p->navigation && !strchr(m->key, '@'))
            json_value(&w, m->key, &m->value);
    }
    for (size_t i = 0; fits && i < SOSIA_LEN(kept_names); i++)
        if (json_get(body, kept_names[i]) || json_get(data, kept_names[i]))
            merge_kept(c, &w, kept_names[i], json_get(data, kept_names[i]),
                       json_get(body, kept_names[i]));
    json_end(&w);
    *ret = buf_failed(&b) || !fits ? NULL : arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    return *ret ? 0
                : call_fail(c, SOSIA_E_TOO_LARGE, "ErrorMessageSizeExceeded", NULL,
                            "The contact exceeds the maximum supported size.");
}

static int contacts_create(struct call *c)
{
    static struct sql_text q = SQL_TEXT("select count(*) from ms_contact where account = :account");
    const struct json *body;
    struct ms_contact k = {0};
    struct graph_user u;
    int64_t n;
    bool all;
    if (graph_whose(c, 0, &u) < 0 || ms_contact_rights(c, &u) < 0 ||
        ms_contact_folder_of_path(c, &u, &k.folder, &all) < 0 || !(body = call_body(c)) ||
        TX_INT(&c->tx, &q, &n, u.account.id) < 0)
        return -1;
    if (n >= CONTACTS_MAX)
        return call_fail(c, SOSIA_E_FORBIDDEN, "ErrorQuotaExceeded", NULL,
                         "The mailbox has exceeded its quota.");
    k.account = u.account.id;
    if (merged(c, "{}", body, &k.data) < 0 || ms_contact_new(&c->tx, &k) < 0)
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/users('%s')/contacts('%s')", u.key, k.key));
    return answer_contact(c, &u, &k);
}

static int contact_patch(struct call *c)
{
    const struct json *body;
    struct ms_contact k;
    struct graph_user u;
    if (ms_contact_of_path(c, &u, &k) < 0 ||
        graph_if_match(c, ms_contact_etag(c->tx.arena, &k)) < 0 || !(body = call_body(c)) ||
        merged(c, k.data, body, &k.data) < 0 || ms_contact_save(&c->tx, &k) < 0)
        return -1;
    return answer_contact(c, &u, &k);
}

static int contact_delete(struct call *c)
{
    struct ms_contact k;
    struct graph_user u;
    if (ms_contact_of_path(c, &u, &k) < 0 ||
        graph_if_match(c, ms_contact_etag(c->tx.arena, &k)) < 0)
        return -1;
    c->status = 204;
    return ms_contact_drop(&c->tx, &k);
}

/* ---- folders ---- */

/* "contactFolders", "contactFolders('id')/childFolders": of contexts. */
static const char *folders_at(struct call *c)
{
    const char *key = param_str(c, "contactFolder-id");
    return key ? ARENA_JOIN(c->tx.arena, "contactFolders", graph_key(c->tx.arena, key),
                            "/childFolders")
               : "contactFolders";
}

/* Folders in one, in the order in which they were made. */
struct folders {
    struct graph_user user;
    int64_t parent;
};

static int find_folders(struct call *c, struct folders *ret)
{
    bool all;
    return graph_whose(c, 0, &ret->user) < 0 || ms_contact_rights(c, &ret->user) < 0 ||
                   ms_contact_folder_of_path(c, &ret->user, &ret->parent, &all) < 0
               ? -1
               : 0;
}

static int count_folders(struct call *c, const struct folders *in, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select count(*) from ms_contact_folder where account = "
                                        ":account and coalesce(parent, 0) = :parent");
    return TX_INT(&c->tx, &q, ret, in->user.account.id, in->parent) < 0 ? -1 : 0;
}

static int folders_list(struct call *c)
{
    static struct sql_text q = SQL_TEXT("select id from ms_contact_folder where account = :account "
                                        "and coalesce(parent, 0) = :parent order by id limit 1 "
                                        "offset :at");
    struct ms_contact_folder f;
    struct odata_query o;
    struct folders in;
    int64_t n, id;
    if (find_folders(c, &in) < 0 || contact_options(c, "contactFolder", &o) < 0 ||
        count_folders(c, &in, &n) < 0 || select_of(c, &o, true, ODATA_KEEP_ID) < 0)
        return -1;
    const int64_t most = o.top > 0 ? o.top : PAGE, from = o.skip < n ? o.skip : n;
    const int64_t end = n - from < most ? n : from + most;
    json_obj(c->out, NULL);
    graph_context(c, "users%s/%s%s", graph_key(c->tx.arena, in.user.key), folders_at(c),
                  odata_context(c->tx.arena, &o));
    if (o.count)
        json_int(c->out, "@odata.count", n);
    json_arr(c->out, "value");
    for (int64_t i = from; i < n && i < end; i++) {
        if (TX_INT(&c->tx, &q, &id, in.user.account.id, in.parent, i) != 1 ||
            ms_contact_folder_get(&c->tx, id, &f) != 1)
            return -1;
        json_obj(c->out, NULL);
        if (ms_contact_folder_write(&c->tx, &f, c->out) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    if (end < n)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skip", arena_printf(c->tx.arena, "%lld", (long long)end)));
    json_end(c->out);
    return 0;
}

static int answer_number(struct call *c, int64_t n)
{
    buf_printf(c->body_out, "%lld", (long long)n);
    call_header_const(c, "Content-Type", "text/plain");
    return 0;
}

static int folders_count(struct call *c)
{
    struct folders in;
    int64_t n;
    return find_folders(c, &in) < 0 || count_folders(c, &in, &n) < 0 ? -1 : answer_number(c, n);
}

static int answer_folder(struct call *c, const struct graph_user *u,
                         const struct ms_contact_folder *f, const char *at)
{
    json_obj(c->out, NULL);
    graph_context(c, "users%s/%s/$entity", graph_key(c->tx.arena, u->key), at);
    int r = ms_contact_folder_write(&c->tx, f, c->out);
    json_end(c->out);
    return r;
}

/* The folder of the path; id 0: the one that everybody has. 0, -1. */
static int folder_row(struct call *c, struct graph_user *u, struct ms_contact_folder *ret)
{
    int64_t id;
    bool all;
    if (graph_whose(c, 0, u) < 0 || ms_contact_rights(c, u) < 0 ||
        ms_contact_folder_of_path(c, u, &id, &all) < 0)
        return -1;
    *ret = (struct ms_contact_folder){.account = u->account.id,
                                      .key = ms_contact_default_key(c->tx.arena, u->account.id),
                                      .name = "Contacts"};
    return id && ms_contact_folder_get(&c->tx, id, ret) != 1 ? -1 : 0;
}

static int folder_get(struct call *c)
{
    struct ms_contact_folder f;
    struct graph_user u;
    return folder_row(c, &u, &f) < 0 ? -1 : answer_folder(c, &u, &f, "contactFolders");
}

static int folder_name(struct call *c, const char **ret)
{
    const struct json *body = call_body(c);
    *ret = body ? json_get_str(body, "displayName") : NULL;
    if (!body)
        return -1;
    return *ret && **ret && strlen(*ret) <= MAX_NAME
               ? 0
               : call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                           "The folder's displayName must have 1 to %d bytes.", MAX_NAME);
}

static int folders_create(struct call *c)
{
    static struct sql_text q =
        SQL_TEXT("select count(*), sum(name = :name and coalesce(parent, 0) = :parent) from "
                 "ms_contact_folder where account = :account");
    struct ms_contact_folder f = {0};
    struct graph_user u;
    int64_t n, same;
    bool all;
    if (graph_whose(c, 0, &u) < 0 || ms_contact_rights(c, &u) < 0 ||
        ms_contact_folder_of_path(c, &u, &f.parent, &all) < 0 || folder_name(c, &f.name) < 0 ||
        TX_TAKE(&c->tx, TX_QUERY(&c->tx, &q, f.name, f.parent, u.account.id), &n, &same) != 1)
        return -1;
    if (same || n >= 1000)
        return call_fail(c, SOSIA_E_CONFLICT, "ErrorFolderExists", NULL,
                         "A folder with the specified name already exists.");
    f.account = u.account.id;
    if (ms_contact_folder_new(&c->tx, &f) < 0)
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/users('%s')/contactFolders('%s')", u.key, f.key));
    return answer_folder(c, &u, &f, folders_at(c));
}

static int folder_patch(struct call *c)
{
    struct ms_contact_folder f;
    struct graph_user u;
    if (folder_row(c, &u, &f) < 0)
        return -1;
    if (!f.id)
        return graph_denied(c);
    const char *name;
    if (folder_name(c, &name) < 0 || ms_contact_folder_rename(&c->tx, &f, name) < 0)
        return -1;
    return answer_folder(c, &u, &f, "contactFolders");
}

static int folder_delete(struct call *c)
{
    struct ms_contact_folder f;
    struct graph_user u;
    if (folder_row(c, &u, &f) < 0)
        return -1;
    if (!f.id)
        return call_fail(c, SOSIA_E_FORBIDDEN, "ErrorDeleteDistinguishedFolder", NULL,
                         "Distinguished folders cannot be deleted.");
    c->status = 204;
    return ms_contact_folder_drop(&c->tx, f.id);
}

static int contacts_count(struct call *c)
{
    struct graph_user u;
    struct walk w;
    return find_contacts(c, &u, &w) < 0 ? -1 : answer_number(c, (int64_t)w.n);
}

/* ---- rows ---- */

#define READ     "Contacts.Read Contacts.ReadWrite"
#define WRITE    "Contacts.ReadWrite"
#define CHILDREN "/contactFolders/{contactFolder-id}/childFolders"
#define FOLDER(end)                                                                                \
    GRAPH_MY("/contactFolders/{contactFolder-id}" end),                                            \
        GRAPH_MY(CHILDREN "/{contactFolder-id1}" end)

#define KEY(name_)                                                                                 \
    {                                                                                              \
        .name = (name_), .place = IN_PATH, .required = true                                        \
    }
#define OPTION(name_)                                                                              \
    {                                                                                              \
        .name = "$" name_, .place = IN_QUERY                                                       \
    }
#define KEYS KEY("user-id"), KEY("contactFolder-id"), KEY("contactFolder-id1"), KEY("contact-id")
static const struct param params[] = {KEYS};
static const struct param get_params[] = {KEYS, OPTION("expand"), OPTION("select")};
static const struct param folders_params[] = {KEYS, OPTION("count"), OPTION("select"),
                                              OPTION("skip"), OPTION("top")};
static const struct param list_params[] = {KEYS,
                                           OPTION("count"),
                                           OPTION("expand"),
                                           OPTION("filter"),
                                           OPTION("orderby"),
                                           OPTION("search"),
                                           OPTION("select"),
                                           OPTION("top")};

#define READS(name, fn, given, type, text, ...)                                                    \
    {                                                                                              \
        .id = (name), .verbs = GET, .paths = PATHS(__VA_ARGS__), .handler = (fn),                  \
        .risk = RISK_READ, .scopes = READ, PARAMS(given), .response = (type), .summary = (text)    \
    }
#define COUNTS(name, fn, text, ...)                                                                \
    {                                                                                              \
        .id = (name), .verbs = GET, .paths = PATHS(__VA_ARGS__), .handler = (fn),                  \
        .risk = RISK_READ, .gives = "text/plain", .scopes = READ, PARAMS(list_params),             \
        .summary = (text)                                                                          \
    }
#define DROPS(name, fn, text, ...)                                                                 \
    {                                                                                              \
        .id = (name), .verbs = DELETE, .paths = PATHS(__VA_ARGS__), .handler = (fn),               \
        .risk = RISK_DESTRUCTIVE, .scopes = WRITE, PARAMS(params), .status = 204,                  \
        .summary = (text)                                                                          \
    }
#define ENDS(name, fn, text, ...)                                                                  \
    {                                                                                              \
        .id = (name), .verbs = POST, .paths = PATHS(__VA_ARGS__), .handler = (fn),                 \
        .risk = RISK_DESTRUCTIVE, .scopes = WRITE, PARAMS(params), .status = 204,                  \
        .summary = (text)                                                                          \
    }
#define TAKES(name, way, fn, type, text, ...)                                                      \
    {                                                                                              \
        .id = (name), .verbs = (way), .paths = PATHS(__VA_ARGS__), .handler = (fn),                \
        .risk = RISK_WRITE, .body = BODY_JSON, .scopes = WRITE, .request = (type),                 \
        .response = (type), PARAMS(params), .summary = (text)                                      \
    }
#define CONTACT     "microsoft.graph.contact"
#define FOLDER_TYPE "microsoft.graph.contactFolder"

static const struct route methods[] = {
    READS("contacts.list", contacts_list, list_params, CONTACT "CollectionResponse",
          "The contacts of a folder", GRAPH_MY("/contacts"), FOLDER("/contacts")),
    READS("contacts.get", contact_get, get_params, CONTACT, "One contact",
          GRAPH_MY("/contacts/{contact-id}"), FOLDER("/contacts/{contact-id}")),
    TAKES("contacts.create", POST, contacts_create, CONTACT, "Make a contact",
          GRAPH_MY("/contacts"), FOLDER("/contacts")),
    TAKES("contacts.update", PATCH, contact_patch, CONTACT, "Change a contact",
          GRAPH_MY("/contacts/{contact-id}"), FOLDER("/contacts/{contact-id}")),
    ENDS("contacts.permanentDelete", contact_delete, "Delete a contact for good",
         GRAPH_MY("/contacts/{contact-id}/permanentDelete"),
         FOLDER("/contacts/{contact-id}/permanentDelete")),
    ENDS("contacts.folders.permanentDelete", folder_delete,
         "Delete a folder of contacts for good, with what is in it", FOLDER("/permanentDelete")),
    DROPS("contacts.delete", contact_delete, "Delete a contact", GRAPH_MY("/contacts/{contact-id}"),
          FOLDER("/contacts/{contact-id}")),
    COUNTS("contacts.count", contacts_count, "How many contacts are in a folder",
           GRAPH_MY("/contacts/$count"), FOLDER("/contacts/$count")),
    COUNTS("contacts.folders.count", folders_count, "How many folders of contacts there are",
           GRAPH_MY("/contactFolders/$count"), GRAPH_MY(CHILDREN "/$count")),
    READS("contacts.folders.list", folders_list, folders_params, FOLDER_TYPE "CollectionResponse",
          "Folders of contacts", GRAPH_MY("/contactFolders")),
    READS("contacts.folders.get", folder_get, params, FOLDER_TYPE, "One folder of contacts",
          FOLDER("")),
    TAKES("contacts.folders.create", POST, folders_create, FOLDER_TYPE, "Make a folder of contacts",
          GRAPH_MY("/contactFolders")),
    READS("contacts.folders.childFolders.list", folders_list, folders_params,
          FOLDER_TYPE "CollectionResponse", "Folders in a folder of contacts", GRAPH_MY(CHILDREN)),
    TAKES("contacts.folders.childFolders.create", POST, folders_create, FOLDER_TYPE,
          "Make a folder in a folder of contacts", GRAPH_MY(CHILDREN)),
    TAKES("contacts.folders.update", PATCH, folder_patch, FOLDER_TYPE,
          "Give a folder of contacts another name", FOLDER("")),
    DROPS("contacts.folders.delete", folder_delete,
          "Delete a folder of contacts with what is in it", FOLDER("")),
};

static const struct rows rows = ROWS(methods);
static const struct graph_api api = {.workload = GRAPH_OUTLOOK};

static const struct gloss glossary[] = {
    {"$count", "Whether how many there are is given"},
    {"$expand", "Extended properties that are given with it"},
    {"$filter", "Only what this expression holds for"},
    {"$orderby", "By which members, as \"displayName desc\""},
    {"$search", "Words that begin in names, addresses, company and job, in double quotes"},
    {"$select", "Which members are given"},
    {"$skip", "How many are passed over"},
    {"$top", "How many are given at most; 10 without it"},
    {"contact-id", "Id of the contact"},
    {"contactFolder-id", "Id of the folder of contacts"},
    {"contactFolder-id1", "Id of the folder in that folder"},
    {"size", "Its size: 48x48 to 648x648"},
    {"user-id", "Id or user principal name of the user"},
};

const struct dialect contacts_dialect = {
    .name = "contacts.microsoft",
    .title = "Microsoft Graph: contacts",
    .vendor = &microsoft_vendor,
    .tables = TABLES(&rows, &contact_delta_rows, &contact_photo_rows),
    .schemas = graph_schemas,
    .n_schemas = GRAPH_SCHEMAS,
    .glossary = glossary,
    .n_glossary = SOSIA_LEN(glossary),
    .tools = &contacts_tools,
    .rates = graph_outlook_rates,
    .facts = &api,
};
