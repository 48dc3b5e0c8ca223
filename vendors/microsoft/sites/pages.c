/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of sites: made as drafts, changed, published. What is on them is kept as it came. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "vendors/microsoft/query.h"
#include "vendors/microsoft/sites/page.h"

enum { PAGE_NAME = 255, PAGE_BYTES = 1 << 20 };

/* ---- answers ---- */

static const char *page_etag(struct arena *a, const struct site_page *p)
{
    char *upper = arena_strdup(a, p->key);
    for (char *c = upper; c && *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 32);
    return upper ? arena_printf(a, "\"{%s},%lld\"", upper, (long long)p->version) : NULL;
}

static void write_kept(struct json_writer *w, const char *name, const char *text)
{
    if (text)
        json_raw(w, name, text, strlen(text));
}

static int write_state(struct call *c, const struct site_page *p)
{
    struct json_writer *w = c->out;
    const bool done = p->published && !p->draft;
    json_obj(w, "publishingState");
    json_str(w, "level", done ? "published" : "checkout");
    json_str(w, "versionId",
             arena_printf(c->tx.arena, "%lld.%lld", (long long)p->published, (long long)p->draft));
    int r = done ? 0 : site_write_person(c, "checkedOutBy", p->modifier);
    json_end(w);
    return r;
}

/* typed: with its type, where the set is that of all pages. */
static int write_page(struct call *c, const struct ms_site *site, const struct site_page *p,
                      bool typed, bool canvas)
{
    struct json_writer *w = c->out;
    struct arena *a = c->tx.arena;
    const size_t n = strlen(p->name);
    char *name = arena_alloc(a, 3 * n + 1);
    *percent_put(name, p->name, n) = '\0';
    if (typed)
        json_str(w, "@odata.type", "#microsoft.graph.sitePage");
    json_str(w, "@odata.etag", page_etag(a, p));
    json_str(w, "eTag", page_etag(a, p));
    json_str(w, "lastModifiedDateTime", graph_date(a, p->changed_us, 0));
    json_str(w, "createdDateTime", graph_date(a, p->made_us, 0));
    json_str_opt(w, "description", p->description);
    json_str(w, "id", p->key);
    json_str(w, "name", p->name);
    json_str(w, "webUrl", ARENA_JOIN(a, ms_site_url(a, site), "/SitePages/", name));
    json_str(w, "title", p->title);
    json_str(w, "pageLayout", p->layout);
    json_str(w, "promotionKind", p->promotion);
    json_bool(w, "showComments", p->comments);
    json_bool(w, "showRecommendedPages", p->recommends);
    json_obj(w, "contentType");
    json_str(w, "id", "0x0101009D1CB255DA76424F860D91F20E6C4118");
    json_str(w, "name", "Site Page");
    json_end(w);
    if (site_write_person(c, "createdBy", p->creator) < 0 ||
        site_write_person(c, "lastModifiedBy", p->modifier) < 0)
        return -1;
    json_obj(w, "parentReference");
    json_str(w, "siteId", site->key);
    json_end(w);
    if (write_state(c, p) < 0)
        return -1;
    json_obj(w, "reactions");
    json_end(w);
    write_kept(w, "titleArea", p->head);
    if (canvas)
        write_kept(w, "canvasLayout", p->canvas ? p->canvas : "{\"horizontalSections\":[]}");
    return 0;
}

static bool as_pages(const struct call *c)
{
    return memmem(c->path, c->path_len, "microsoft.graph.sitePage", 24) != NULL;
}

static int answer_page(struct call *c, const struct ms_site *site, const struct site_page *p,
                       const struct odata_query *q)
{
    if (q && graph_select(c, q, ODATA_KEEP_ETAG, false) < 0)
        return -1;
    c->etag = page_etag(c->tx.arena, p);
    json_obj(c->out, NULL);
    graph_context(c, "%s/pages%s%s/$entity", site_context(c, site),
                  as_pages(c) ? "/microsoft.graph.sitePage" : "",
                  q ? odata_context(c->tx.arena, q) : "");
    int r = write_page(c, site, p, !as_pages(c), q && odata_expands(q, "canvasLayout"));
    json_end(c->out);
    return r;
}

/* ---- reading ---- */

static int page_of_path(struct call *c, enum site_role need, struct ms_site *site,
                        struct site_page *ret)
{
    static struct sql_text q = SQL_TEXT("where site = ?1 and key = lower(?2)");
    if (site_of_path(c, need, site) < 0)
        return -1;
    int r = STORED_ONE(&c->tx, &pages_stored, &q, ret, site->id, param_str(c, "page-id"));
    enum site_role role;
    if (r == 1 && site_role_of(c, site, &role) < 0)
        return -1;
    if (r == 1 && role < SITE_WRITE && !ret->published)
        r = 0;
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(c, SOSIA_E_NOT_FOUND, "itemNotFound", NULL, "Item not found");
}

static int pages_list(struct call *c)
{
    static struct sql_text q = SQL_TEXT("where site = ?1 and id > ?2 order by id limit 1");
    struct site_page p = {.id = 0};
    struct odata_query o;
    struct ms_site site;
    enum site_role role;
    int r;
    if (site_of_path(c, SITE_READ, &site) < 0 || site_role_of(c, &site, &role) < 0 ||
        graph_query(c, "sitePage", NULL, &o) < 0 || graph_select(c, &o, ODATA_KEEP_ETAG, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/pages%s%s", site_context(c, &site),
                  as_pages(c) ? "/microsoft.graph.sitePage" : "", odata_context(c->tx.arena, &o));
    json_arr(c->out, "value");
    while ((r = STORED_ONE(&c->tx, &pages_stored, &q, &p, site.id, p.id)) == 1) {
        if (role < SITE_WRITE && !p.published) /* drafts are for those who write */
            continue;
        json_obj(c->out, NULL);
        if (write_page(c, &site, &p, !as_pages(c), false) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int pages_get(struct call *c)
{
    struct odata_query q;
    struct ms_site site;
    struct site_page p;
    return page_of_path(c, SITE_READ, &site, &p) < 0 || graph_query(c, "sitePage", NULL, &q) < 0
               ? -1
               : answer_page(c, &site, &p, &q);
}

/* ---- writing ---- */

static int bad_page(struct call *c)
{
    return site_invalid(c, "One of the provided arguments is not acceptable.");
}

static int read_object(struct call *c, const struct json *body, const char *name, const char **ret)
{
    const struct json *v = json_get(body, name);
    if (!v)
        return 0;
    if (v->type != JSON_OBJECT)
        return bad_page(c);
    *ret = json_to_text(c->tx.arena, v);
    return strlen(*ret) <= PAGE_BYTES ? 0 : bad_page(c);
}

static int read_word(struct call *c, const struct json *body, const char *name,
                     const char *const *words, const char **ret)
{
    const char *text = json_get_str(body, name);
    if (!text)
        return 0;
    for (; *words; words++)
        if (str_eq_nocase(*words, text)) {
            *ret = *words;
            return 0;
        }
    return bad_page(c);
}

/* "plan.aspx": what a file of a library may be called, with its end. */
static bool is_name(const char *name)
{
    const size_t n = strlen(name);
    return n > 5 && str_eq_nocase(name + n - 5, ".aspx") && utf8_count(name, n) <= PAGE_NAME &&
           !strpbrk(name, "\"*:<>?/\\|#%") && *name != ' ';
}

static int read_page(struct call *c, const struct json *body, struct site_page *p)
{
    const char *title = json_get_str(body, "title"), *name = json_get_str(body, "name");
    if (read_word(c, body, "pageLayout", site_page_layouts, &p->layout) < 0 ||
        read_word(c, body, "promotionKind", site_page_promotions, &p->promotion) < 0 ||
        read_object(c, body, "titleArea", &p->head) < 0 ||
        read_object(c, body, "canvasLayout", &p->canvas) < 0)
        return -1;
    if (name && !is_name(name))
        return bad_page(c);
    p->name = name ? name : p->name;
    p->title = title ? title : p->title;
    if (json_get(body, "description"))
        p->description = json_get_str(body, "description");
    if (json_get(body, "showComments"))
        p->comments = json_get_true(body, "showComments");
    if (json_get(body, "showRecommendedPages"))
        p->recommends = json_get_true(body, "showRecommendedPages");
    return utf8_count(p->title, strlen(p->title)) <= PAGE_NAME ? 0 : bad_page(c);
}

static int name_taken(struct call *c, const struct site_page *p)
{
    static struct sql_text q = SQL_TEXT("select 1 from ms_page where site = :site and name = :name "
                                        "collate nocase and id <> :id");
    int64_t one;
    int r = TX_INT(&c->tx, &q, &one, p->site, p->name, p->id);
    return r == 1 ? call_fail(c, SOSIA_E_CONFLICT, "nameAlreadyExists", NULL,
                              "The specified name already exists.")
                  : r;
}

static int pages_create(struct call *c)
{
    struct site_page p = {
        .title = "", .layout = "article", .promotion = "page", .version = 1, .draft = 1};
    const struct json *body;
    struct ms_site site;
    uint8_t b[16];
    char hex[33];
    if (site_of_path(c, SITE_WRITE, &site) < 0 || !(body = call_body(c)) ||
        ms_site_keep(&c->tx, &site) < 0)
        return -1;
    p.site = site.id;
    if (read_page(c, body, &p) < 0)
        return -1;
    if (!p.name && !*p.title)
        return bad_page(c);
    if (!p.name)
        p.name = ARENA_JOIN(c->tx.arena, p.title, ".aspx");
    if (!is_name(p.name))
        return bad_page(c);
    if (name_taken(c, &p) || tx_id(&c->tx, "site page", b, sizeof b) < 0)
        return -1;
    hex_encode(hex, b, sizeof b);
    p.key = arena_printf(c->tx.arena, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16,
                         hex + 20);
    p.title = *p.title ? p.title : p.name;
    p.creator = p.modifier = c->actor.id;
    p.made_us = p.changed_us = c->tx.now_us;
    if (stored_add(&c->tx, &pages_stored, &p) < 0 || ms_site_touch(&c->tx, &site) < 0)
        return -1;
    c->status = 201;
    call_header(c, "Location",
                arena_printf(c->tx.arena,
                             "https://%s/_api/v2.0/sites('%s')/pages('%s')/oneDrive.page",
                             site.host, site.full_id, p.key));
    return answer_page(c, &site, &p, NULL);
}

static int save(struct call *c, struct site_page *p)
{
    static struct sql_text q = SQL_TEXT(
        "update ms_page set name = :name, title = :title, description = :description, layout = "
        ":layout, promotion = :promotion, comments = :comments, recommends = :recommends, head = "
        ":head, canvas = :canvas, modifier = :modifier, changed_us = :now, version = :version, "
        "published = :published, draft = :draft where id = :id");
    p->version++;
    p->modifier = c->actor.id;
    p->changed_us = c->tx.now_us;
    return TX_RUN(&c->tx, &q, p->name, p->title, p->description, p->layout, p->promotion,
                  (int64_t)p->comments, (int64_t)p->recommends, p->head, p->canvas, p->modifier,
                  p->changed_us, p->version, p->published, p->draft, p->id);
}

static int pages_update(struct call *c)
{
    const struct json *body;
    struct ms_site site;
    struct site_page p;
    if (page_of_path(c, SITE_WRITE, &site, &p) < 0 ||
        graph_if_match(c, page_etag(c->tx.arena, &p)) < 0 || !(body = call_body(c)) ||
        read_page(c, body, &p) < 0 || name_taken(c, &p))
        return -1;
    p.draft++;
    return save(c, &p) < 0 ? -1 : answer_page(c, &site, &p, NULL);
}

static int pages_publish(struct call *c)
{
    struct ms_site site;
    struct site_page p;
    if (page_of_path(c, SITE_WRITE, &site, &p) < 0)
        return -1;
    c->status = 204;
    if (p.published && !p.draft)
        return 0;
    p.published++;
    p.draft = 0;
    return save(c, &p) < 0 ? -1 : ms_site_touch(&c->tx, &site);
}

static int pages_delete(struct call *c)
{
    static struct sql_text q = SQL_TEXT("delete from ms_page where id = :id");
    struct ms_site site;
    struct site_page p;
    if (page_of_path(c, SITE_WRITE, &site, &p) < 0)
        return -1;
    c->status = 204;
    return TX_RUN(&c->tx, &q, p.id) < 0 ? -1 : ms_site_touch(&c->tx, &site);
}

/* ---- the methods ---- */

#define KEY                                                                                        \
    {                                                                                              \
        .name = "page-id", .place = IN_PATH, .required = true                                      \
    }
static const struct param list_params[] = {SITE_PATH_PARAMS,
                                           {.name = "$select", .place = IN_QUERY}};
static const struct param make_params[] = {SITE_PATH_PARAMS};
static const struct param get_params[] = {SITE_PATH_PARAMS,
                                          KEY,
                                          {.name = "$select", .place = IN_QUERY},
                                          {.name = "$expand", .place = IN_QUERY}};
static const struct param one_params[] = {SITE_PATH_PARAMS, KEY};

/* Casts: callers write the name space in front. */
#define PAGE     "microsoft.graph.sitePage"
#define ONE(end) OF_SITE("/pages/{page-id}" end)

static const struct route methods[] = {
    {ROUTE("sites.pages.list", GET, OF_SITE("/pages"), OF_SITE("/pages/sitePage")),
     .handler = pages_list, .risk = RISK_READ, .scopes = SITES_READ, PARAMS(list_params),
     .response = PAGE "CollectionResponse", .summary = "The pages of a site"},
    {ROUTE("sites.pages.get", GET, ONE(""), ONE("/sitePage")), .handler = pages_get,
     .risk = RISK_READ, .scopes = SITES_READ, PARAMS(get_params), .response = PAGE,
     .summary = "A page, with what is on it where $expand=canvasLayout asks for it"},
    {ROUTE("sites.pages.create", POST, OF_SITE("/pages")), .handler = pages_create,
     .risk = RISK_DRAFT, .scopes = SITES_WRITE, PARAMS(make_params), .body = BODY_JSON,
     .request = PAGE, .response = PAGE, .status = 201, .summary = "Make a page, as a draft"},
    {ROUTE("sites.pages.update", PATCH, ONE(""), ONE("/sitePage")), .handler = pages_update,
     .risk = RISK_DRAFT, .scopes = SITES_WRITE, PARAMS(one_params), .body = BODY_JSON,
     .request = PAGE, .response = PAGE, .summary = "Change a page, as a draft"},
    {ROUTE("sites.pages.publish", POST, ONE("/publish"), ONE("/sitePage/publish")),
     .handler = pages_publish, .risk = RISK_WRITE, .idempotent = true, .scopes = SITES_WRITE,
     PARAMS(one_params), .status = 204,
     .summary = "Publish a page, so that those who read the site see it"},
    {ROUTE("sites.pages.delete", DELETE, ONE("")), .handler = pages_delete,
     .risk = RISK_DESTRUCTIVE, .scopes = SITES_WRITE, PARAMS(one_params), .status = 204,
     .summary = "Delete a page"},
};

const struct rows site_page_rows = ROWS(methods);
