/* SPDX-License-Identifier: Apache-2.0 */
/* Sites in seed documents and dumps, and their place in the engine. */
#include "engine/state/own.h"
#include "engine/world/core.h"
#include "identity/consent.h"
#include "vendors/microsoft/find.h"
#include "vendors/microsoft/sites/sites.h"

extern const char ms_sites_sql[];

enum { PATH_MAX_BYTES = 400, TEXT_MAX = 1024 };

/* ---- parts ---- */

static const char *const member_roles[] = {"read", "write", "owner", NULL};

static const struct member member_members[] = {
    OWN_NEEDED("who", "The address of a person or a group"),
    OWN_TYPED("role", "What they may do: read, write or owner", "text",
              "{\"enum\":[\"read\",\"write\",\"owner\",null]}"),
};
static const struct form member_form = FORM("Who may do what in a site", member_members);

static const struct member app_members[] = {
    OWN_NEEDED("app", "Its client id"),
    OWN_TYPED("role", "What it may do: read, write or owner", "text",
              "{\"enum\":[\"read\",\"write\",\"owner\",null]}"),
    OWN("id", "The id of the permission; made up without it", "text"),
};
static const struct form selected_form =
    FORM("An app that may do something in one site", app_members);

static const struct member library_members[] = {
    OWN_NEEDED("name", "The name in its address: Shared Documents"),
    OWN("title", "What people see; the name without it", "text"),
    OWN("id", "The GUID of its list; made up without it", "text"),
    OWN("owner",
        "The handle of the service whose drive it is: the owner of its files; made of path and "
        "title without it",
        "text"),
    OWN("created", "When it was made; as the site without it", "time"),
};
static const struct form library_form = FORM("A library of a site", library_members);

static const struct member site_members[] = {
    OWN_TYPED("path", "Where it is, as /sites/finance; \"\" is the root", "text",
              "{\"type\":\"string\"}"),
    OWN("name", "What people see; the end of the path without it", "text"),
    OWN("tenant", "The id or a domain of its tenant; the first one's without it", "text"),
    OWN("id", "GUID of the site; made up without it", "text"),
    OWN("web", "GUID of its web; the same", "text"),
    OWN("description", "What it is for", "text"),
    OWN("group", "The address of the group whose site it is", "text"),
    OWN("channel", "The id of the private or shared channel whose files it has", "text"),
    OWN_TYPED("everyone", "What all users of the tenant may do: none, read, write or owner", "text",
              "{\"enum\":[\"none\",\"read\",\"write\",\"owner\",null]}"),
    OWN("created", "When it was made; the world's time without it", "time"),
    OWN("modified", "When something in it was changed; as created without it", "time"),
    OWN_LIST("members", "Who may do what", &member_form),
    OWN_LIST("apps", "Apps that have it by Sites.Selected", &selected_form),
    OWN_LIST("libraries", "Its libraries, the default one first; one, Documents, without it",
             &library_form),
    OWN("followers", "Addresses of users who follow it", "list of texts"),
};
static const struct form site_form = FORM("A site", site_members);

static bool is_guid(const char *text)
{
    for (int i = 0; i < 36; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !text[i] || !strchr("0123456789abcdef", text[i]))
            return false;
    }
    return !text[36];
}

static int guid_member(struct doc *d, const struct json *v, const char *member, const char **ret)
{
    if (doc_str(d, v, member, false, ret) < 0)
        return -1;
    return !*ret || is_guid(*ret) ? 0
                                  : doc_fail(d, json_get(v, member), member,
                                             "must be a GUID in lower case, not \"%.80s\"", *ret);
}

static int role_member(struct doc *d, const struct json *v, enum site_role *ret)
{
    int role;
    if (doc_enum(d, v, "role", member_roles, 0, &role) < 0)
        return -1;
    *ret = (enum site_role)(role + 1);
    return 0;
}

static int seed_member(struct tx *tx, struct doc *d, const struct json *v, int64_t site)
{
    static struct sql_text q =
        SQL_TEXT("insert into ms_site_member (site, who, role) values (:site, :who, :role)");
    const char *who;
    enum site_role role;
    if (form_known(&(struct form_in){tx, d, v}, &member_form) < 0 ||
        doc_str(d, v, "who", true, &who) < 0 || role_member(d, v, &role) < 0)
        return -1;
    const char *normal = email_normal(tx->arena, who);
    if (!normal)
        return doc_fail(d, json_get(v, "who"), "who", "\"%.80s\" is not an e-mail address", who);
    if (TX_RUN(tx, &q, site, normal, (int64_t)role) == 0)
        return 0;
    return tx->err->code == SOSIA_E_CONFLICT ? doc_fail_twice(d, json_get(v, "who"), "who") : -1;
}

static int seed_app(struct tx *tx, struct doc *d, const struct json *v, int64_t site)
{
    static struct sql_text q = SQL_TEXT(
        "insert into ms_site_app (site, key, app, role) values (:site, :key, :app, :role)");
    const char *client, *key;
    struct ident_app app;
    enum site_role role;
    if (form_known(&(struct form_in){tx, d, v}, &selected_form) < 0 ||
        doc_str(d, v, "app", true, &client) < 0 || doc_str(d, v, "id", false, &key) < 0 ||
        role_member(d, v, &role) < 0)
        return -1;
    int r = app_find(tx, client, &app);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "app"), "app", "there is no app \"%.80s\"", client);
    if (!key)
        key = graph_guid(tx->arena, "site permission",
                         arena_printf(tx->arena, "%lld %s", (long long)site, client));
    if (TX_RUN(tx, &q, site, key, app.id, (int64_t)role) == 0)
        return consent_registered_used(tx, app.id);
    return tx->err->code == SOSIA_E_CONFLICT ? doc_fail_twice(d, json_get(v, "app"), "app") : -1;
}

static int seed_library(struct tx *tx, struct doc *d, const struct json *v,
                        const struct ms_site *site)
{
    struct ms_library row = {.made_us = site->made_us};
    struct ms_library other;
    const char *owner;
    if (form_known(&(struct form_in){tx, d, v}, &library_form) < 0 ||
        doc_str(d, v, "name", true, &row.name) < 0 ||
        doc_str(d, v, "title", false, &row.title) < 0 || guid_member(d, v, "id", &row.key) < 0 ||
        doc_str(d, v, "owner", false, &owner) < 0 || doc_time(d, v, "created", &row.made_us) < 0)
        return -1;
    if (!*row.name || strpbrk(row.name, "/\\:*?\"<>|#%") || strlen(row.name) > 255)
        return doc_fail(d, json_get(v, "name"), "name",
                        "must have 1 to 255 bytes, and none of / \\ : * ? \" < > | # %%");
    row.title = row.title ? row.title : row.name;
    int r = ms_library_find(tx, site->id, row.name, &other);
    if (r != 0)
        return r < 0 ? -1 : doc_fail_twice(d, json_get(v, "name"), "name");
    if (ms_library_new(tx, site, owner, &row) == 0)
        return 0;
    return tx->err->code == SOSIA_E_CONFLICT
               ? doc_fail(d, v, NULL, "its id or its owner is another library's")
               : -1;
}

/* ---- sites ---- */

static int read_tenant(struct tx *tx, struct doc *d, const struct json *v, struct ms_site *site)
{
    static struct sql_text q_first =
        SQL_TEXT("select id from ms_tenant where not consumer order by id limit 1");
    const char *text;
    struct ms_tenant tenant;
    int64_t first;
    if (doc_str(d, v, "tenant", false, &text) < 0)
        return -1;
    int r = text ? ms_tenant_find(tx, text, &tenant)
                 : sql_first_int(tx->db, tx->err, TX_PLAIN(tx, &q_first), &first);
    if (r == 1 && !text)
        r = ms_tenant_get(tx, first, &tenant);
    if (r != 1 || tenant.consumer)
        return r < 0 ? -1
                     : doc_fail(d, text ? json_get(v, "tenant") : v, "tenant",
                                "must be the id or a domain of an organisation's tenant");
    site->tenant = tenant.id;
    return 0;
}

/* "/sites/finance": steps that a URL may have. */
static bool is_path(const char *path)
{
    if (!*path)
        return true;
    if (*path != '/' || strlen(path) > PATH_MAX_BYTES || path[strlen(path) - 1] == '/')
        return false;
    return !strpbrk(path, "\\:*?\"<>|#%,\t\r\n") && !strstr(path, "//") && !strstr(path, "/.");
}

/* A site below another one is a subsite of it; "/sites" and "/teams" are not. */
static int find_parent(struct tx *tx, struct ms_site *site)
{
    const char *slash = strrchr(site->path, '/');
    struct ms_tenant tenant;
    struct ms_site above;
    if (!slash || slash == site->path)
        return 0;
    if (ms_tenant_get(tx, site->tenant, &tenant) != 1)
        return -1;
    int r = ms_site_by_path(
        tx, &tenant, arena_memdup(tx->arena, site->path, (size_t)(slash - site->path)), &above);
    if (r == 1 && above.id)
        site->parent = above.id;
    return r < 0 ? -1 : 0;
}

static int read_site_members(struct tx *tx, struct doc *d, const struct json *v,
                             struct ms_site *site)
{
    const char *path, *group;
    struct ms_group found;
    int everyone;
    if (doc_str(d, v, "path", false, &path) < 0 || doc_str(d, v, "name", false, &site->name) < 0 ||
        guid_member(d, v, "id", &site->key) < 0 || guid_member(d, v, "web", &site->web) < 0 ||
        doc_str(d, v, "description", false, &site->description) < 0 ||
        doc_str(d, v, "group", false, &group) < 0 ||
        doc_str(d, v, "channel", false, &site->channel) < 0)
        return -1;
    if (!path)
        return doc_fail(d, v, "path", "is missing");
    if (doc_enum(d, v, "everyone", site_role_names, *path ? SITE_NONE : SITE_READ, &everyone) < 0 ||
        doc_time(d, v, "created", &site->made_us) < 0)
        return -1;
    site->path = path;
    site->changed_us = site->made_us;
    site->everyone = (enum site_role)everyone;
    if (!is_path(path))
        return doc_fail(d, json_get(v, "path"), "path",
                        "must be a path as /sites/finance, not \"%.80s\"", path);
    if (!site->name)
        site->name = *path ? strrchr(path, '/') + 1 : "Communication site";
    if (strlen(site->name) > TEXT_MAX)
        return doc_fail(d, json_get(v, "name"), "name", "must have at most %d bytes", TEXT_MAX);
    int r = group ? ms_group_find(tx, group, site->tenant, &found) : 0;
    if (group && r != 1)
        return r < 0
                   ? -1
                   : doc_fail(d, json_get(v, "group"), "group",
                              "must be the address of a group of the tenant, not \"%.80s\"", group);
    site->team = group ? found.id : 0;
    return doc_time(d, v, "modified", &site->changed_us);
}

static int seed_followers(struct tx *tx, struct doc *d, const struct json *v,
                          const struct ms_site *site)
{
    static struct sql_text q =
        SQL_TEXT("insert or ignore into ms_site_follower (site, user) values (:site, :user)");
    const char **list;
    struct ms_user user;
    size_t n;
    if (doc_strings(d, v, "followers", &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = ms_user_find(tx, list[i], site->tenant, &user);
        if (r != 1)
            return r < 0 ? -1
                         : doc_fail(d, json_get(v, "followers"), "followers",
                                    "\"%.80s\" is not a user of the tenant", list[i]);
        if (TX_RUN(tx, &q, site->id, user.id) < 0)
            return -1;
    }
    return 0;
}

static int seed_parts(struct tx *tx, struct doc *d, const struct json *v,
                      const struct ms_site *site)
{
    static const char standard[] = "{\"name\":\"Shared Documents\",\"title\":\"Documents\"}";
    const struct json *one, *usual;
    struct doc_items it;
    if (doc_items(d, v, "members", &it) < 0)
        return -1;
    while ((one = doc_item(d, &it)))
        if (seed_member(tx, d, one, site->id) < 0)
            return -1;
    if (doc_items(d, v, "apps", &it) < 0)
        return -1;
    while ((one = doc_item(d, &it)))
        if (seed_app(tx, d, one, site->id) < 0)
            return -1;
    if (doc_items(d, v, "libraries", &it) < 0)
        return -1;
    while ((one = doc_item(d, &it)))
        if (seed_library(tx, d, one, site) < 0)
            return -1;
    if (!it.list &&
        (json_parse(tx->arena, standard, sizeof standard - 1, NULL, &usual, tx->err) < 0 ||
         seed_library(tx, d, usual, site) < 0))
        return -1;
    return seed_followers(tx, d, v, site);
}

static int site_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct ms_site site = {.made_us = tx->now_us}, other;
    if (form_known(&(struct form_in){tx, d, v}, &site_form) < 0 ||
        read_tenant(tx, d, v, &site) < 0 || read_site_members(tx, d, v, &site) < 0 ||
        find_parent(tx, &site) < 0)
        return -1;
    int r = site.channel ? ms_site_of_channel(tx, site.channel, &other) : 0;
    if (r)
        return r < 0 ? -1 : doc_fail_twice(d, json_get(v, "channel"), "channel");
    if (ms_site_new(tx, &site) < 0)
        return tx->err->code == SOSIA_E_CONFLICT ? doc_fail_twice(d, json_get(v, "path"), "path")
                                                 : -1;
    return seed_parts(tx, d, v, &site);
}

/* ---- dumps ---- */

static int dump_members(struct tx *tx, struct json_writer *w, int64_t site)
{
    static struct sql_text q =
        SQL_TEXT("select who, role from ms_site_member where site = :site order by who");
    sqlite3_stmt *st = TX_QUERY(tx, &q, site);
    int r = st ? 1 : -1, n = 0;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        if (!n++)
            json_arr(w, "members");
        json_obj(w, NULL);
        json_str(w, "who", (const char *)sqlite3_column_text(st, 0));
        json_str(w, "role", site_role_names[sqlite3_column_int(st, 1)]);
        json_end(w);
    }
    if (n)
        json_end(w);
    return r;
}

static int dump_apps(struct tx *tx, struct json_writer *w, int64_t site)
{
    static struct sql_text q = SQL_TEXT("select id, key, app, role from ms_site_app where site = "
                                        ":site and id > :after order by id limit 1");
    int64_t after = 0;
    sqlite3_stmt *st;
    int r, n = 0;
    while ((r = TX_ROW(tx, &q, &st, site, after)) == 1) {
        struct ident_app app;
        after = sqlite3_column_int64(st, 0);
        const char *key = tx_string(tx, st, 1);
        const int64_t of = sqlite3_column_int64(st, 2);
        const int role = sqlite3_column_int(st, 3);
        sql_done(st);
        if (app_get(tx, of, &app) != 1)
            return -1;
        if (!n++)
            json_arr(w, "apps");
        json_obj(w, NULL);
        json_str(w, "app", app.client_id);
        json_str(w, "role", site_role_names[role]);
        json_str(w, "id", key);
        json_end(w);
    }
    if (n)
        json_end(w);
    return r;
}

static int dump_libraries(struct tx *tx, struct json_writer *w, const struct ms_site *site)
{
    struct ms_library row = {.id = 0};
    int r;
    json_arr(w, "libraries");
    while ((r = ms_library_next(tx, site->id, row.id, &row)) == 1) {
        struct account account;
        struct actor actor;
        if (account_get(tx, row.account, &account) != 1 ||
            actor_by_id(tx, account.actor, &actor) != 1)
            return -1;
        json_obj(w, NULL);
        json_str(w, "name", row.name);
        json_str(w, "title", row.title);
        json_str(w, "id", row.key);
        json_str(w, "owner", actor.handle);
        form_time(w, "created", row.made_us);
        json_end(w);
    }
    json_end(w);
    return r;
}

static int dump_followers(struct tx *tx, struct json_writer *w, int64_t site)
{
    static struct sql_text q =
        SQL_TEXT("select u.upn from ms_site_follower f join ms_user u on u.id "
                 "= f.user where f.site = :site order by u.upn");
    sqlite3_stmt *st = TX_QUERY(tx, &q, site);
    int r = st ? 1 : -1, n = 0;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        if (!n++)
            json_arr(w, "followers");
        json_str(w, NULL, (const char *)sqlite3_column_text(st, 0));
    }
    if (n)
        json_end(w);
    return r;
}

static int site_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ms_tenant tenant;
    struct ms_group group;
    struct ms_site site;
    int r = ms_site_get(tx, rowid, &site);
    if (r != 1 || (r = ms_tenant_get(tx, site.tenant, &tenant)) != 1)
        return r;
    json_str(w, "path", site.path);
    json_str(w, "name", site.name);
    json_str(w, "tenant", tenant.domain);
    json_str(w, "id", site.key);
    json_str(w, "web", site.web);
    json_str_opt(w, "description", site.description);
    if (site.team && ms_group_get(tx, site.team, &group) == 1)
        json_str(w, "group", group.email);
    json_str_opt(w, "channel", site.channel);
    json_str(w, "everyone", site_role_names[site.everyone]);
    form_time(w, "created", site.made_us);
    form_time(w, "modified", site.changed_us);
    return dump_members(tx, w, site.id) < 0 || dump_apps(tx, w, site.id) < 0 ||
                   dump_libraries(tx, w, &site) < 0 || dump_followers(tx, w, site.id) < 0
               ? -1
               : 1;
}

static int site_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select path from ms_site where id = :id");
    return dump_key(tx, w, "path", &q, rowid);
}

/* ---- the core ---- */

static const struct section sections[] = {
    {.name = "microsoftSites",
     .seed_one = site_seed,
     .ids = SECTION_IDS("select id from ms_site order by tenant, path"),
     .dump_one = site_dump,
     .form = &site_form},
};

static const struct entity_part parts[] = {
    {"ms_site_member", ENTITY_OWNER("select site from ms_site_member where rowid = ?1")},
    {"ms_site_app", ENTITY_OWNER("select site from ms_site_app where rowid = ?1")},
    {"ms_library", ENTITY_OWNER("select site from ms_library where rowid = ?1")},
    {"ms_site_follower", ENTITY_OWNER("select site from ms_site_follower where rowid = ?1")},
    {NULL, NULL},
};

static const struct entity entities[] = {
    {.name = "site", .table = "ms_site", .key = site_key, .dump = site_dump, .parts = parts},
};

static int about_site(struct tx *tx, const struct entity *e, int64_t rowid,
                      struct entity_about *about)
{
    struct ms_site site;
    (void)e;
    if (ms_site_get(tx, rowid, &site) != 1)
        return -1;
    about->title = site.name;
    return 0;
}

/* What changes with everything in a site. */
static const char *const site_noise[] = {"modified", NULL};

static const struct entity_view views[] = {
    {.entity = "site",
     .service = "microsoft_sites",
     .about = about_site,
     .noise = site_noise,
     .timeless = true},
    {.entity = NULL},
};

#define NO_TIME(column) column " not between -62135596800000000 and 253402300799999999"

static const struct core_rule rules[] = {
    {"ms_site", NO_TIME("made_us")},
    {"ms_site", NO_TIME("changed_us")},
    {"ms_site", "path <> '' and path not glob '/*'"},
    {"ms_site", "length(key) <> 36 or length(web) <> 36"},
    {"ms_site", "parent = id"},
    {"ms_library", NO_TIME("made_us")},
    {"ms_library", "length(key) <> 36 or name = ''"},
    {NULL, NULL},
};

static const struct core_policy policies[] = {{GRAPH_FIND, "microsoft", &sites_finder},
                                              {NULL, NULL, NULL}};

const struct sosia_core microsoft_sites_core = {
    .name = "microsoft_sites",
    .policies = policies,
    .views = views,
    .schema = ms_sites_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .rules = rules,
};
