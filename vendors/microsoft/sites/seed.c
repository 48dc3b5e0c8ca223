/* SPDX-License-Identifier: Apache-2.0 */
/* Sites in seed documents and dumps, and their place in the engine. */
#include "engine/state/stored.h"
#include "engine/world/core.h"
#include "identity/consent.h"
#include "vendors/microsoft/find.h"
#include "vendors/microsoft/sites/sites.h"

extern const char ms_sites_sql[];

enum { PATH_MAX_BYTES = 400, TEXT_MAX = 1024 };
#define UNSAID INT64_MIN /* a time that a document does not say */

/* ---- parts ---- */

static bool is_guid(const char *text)
{
    for (int i = 0; i < 36; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !text[i] || !strchr("0123456789abcdef", text[i]))
            return false;
    }
    return !text[36];
}

static int check_guid(const struct form_in *in, const struct member *m, void *row)
{
    const char *text = member_text(m, row);
    return !text || is_guid(text) ? 0
                                  : doc_refuse(in->d, in->value, m->name,
                                               "must be a GUID in lower case, not \"%.80s\"", text);
}

static const char *const roles[] = {"read", "write", "owner", NULL};
#define ROLE_AT(type, field)                                                                       \
    ENUM_AT(type, field, roles), .min = SITE_READ, .usual = SITE_READ, .flags = MEMBER_ALWAYS

struct site_member {
    int64_t site;
    const char *who;
    int role;
};

static int check_who(const struct form_in *in, const struct member *m, void *row)
{
    const char *who = member_text(m, row), *normal = email_normal(in->tx->arena, who);
    member_put_text(m, row, normal);
    return normal
               ? 0
               : doc_refuse(in->d, in->value, m->name, "\"%.80s\" is not an e-mail address", who);
}

static const struct member member_members[] = {
    {.kind = MEMBER_INT, MEMBER_TYPED(struct site_member, site, int64_t)},
    {"who", "The address of a person or a group", TEXT_AT(struct site_member, who),
     .flags = MEMBER_REQUIRED, .check = check_who},
    {"role", "What they may do", ROLE_AT(struct site_member, role)},
};
STORED_HERE(member_stored, "Who may do what in a site", struct site_member, member_members, NULL,
            .table = "ms_site_member", .key = "who");

static int begin_member(const struct form_in *in, void *row, int64_t site)
{
    (void)in;
    ((struct site_member *)row)->site = site;
    return 0;
}

static struct stored_rows members = {&member_stored, SQL_TEXT("where site = ?1 order by who"),
                                     begin_member};

struct site_app {
    int64_t site, app;
    const char *key;
    int role;
};

static int add_app(const struct form_in *in, void *row);

static const struct member app_members[] = {
    {.kind = MEMBER_INT, MEMBER_TYPED(struct site_app, site, int64_t)},
    {"app", "Its client id", REF_AT(struct site_app, app, &app_reference),
     .flags = MEMBER_REQUIRED},
    {"role", "What it may do", ROLE_AT(struct site_app, role)},
    {"id", "The id of the permission; made up without it", TEXT_AT(struct site_app, key)},
};
STORED_HERE(app_stored, "An app that may do something in one site", struct site_app, app_members,
            NULL, .table = "ms_site_app", .key = "app", .add = add_app);

static int add_app(const struct form_in *in, void *row)
{
    struct site_app *a = row;
    struct arena *arena = in->tx->arena;
    if (!a->key)
        a->key = graph_guid(
            arena, "site permission",
            arena_printf(arena, "%lld %s", (long long)a->site, json_get_str(in->value, "app")));
    return stored_add(in->tx, &app_stored, a) < 0 ? -1 : consent_registered_used(in->tx, a->app);
}

static int begin_app(const struct form_in *in, void *row, int64_t site)
{
    (void)in;
    ((struct site_app *)row)->site = site;
    return 0;
}

static struct stored_rows apps = {&app_stored, SQL_TEXT("where site = ?1 order by id"), begin_app};

static int check_name(const struct form_in *in, const struct member *m, void *row)
{
    const char *name = member_text(m, row);
    return !*name || strpbrk(name, "/\\:*?\"<>|#%") || strlen(name) > 255
               ? doc_refuse(in->d, in->value, m->name,
                            "must have 1 to 255 bytes, and none of / \\ : * ? \" < > | # %%")
               : 0;
}

static int write_owner(const struct form_out *out, const struct member *m, const void *row)
{
    struct account account;
    struct actor actor;
    if (account_get(out->tx, ((const struct ms_library *)row)->account, &account) != 1 ||
        actor_by_id(out->tx, account.actor, &actor) != 1)
        return -1;
    json_str(out->w, m->name, actor.handle);
    return 0;
}

static int read_owner(const struct form_in *in, const struct member *m, void *row)
{
    const char *owner; /* add_library() takes it */
    (void)row;
    return doc_str(in->d, in->value, m->name, false, &owner);
}

static int add_library(const struct form_in *in, void *row)
{
    const struct ms_site *site = in->of;
    struct ms_library *l = row, other;
    l->title = l->title ? l->title : l->name;
    int r = ms_library_find(in->tx, site->id, l->name, &other);
    if (r != 0)
        return r < 0 ? -1 : doc_fail_twice(in->d, json_get(in->value, "name"), "name");
    if (ms_library_new(in->tx, site, json_get_str(in->value, "owner"), l) == 0)
        return 0;
    return in->tx->err->code == SOSIA_E_CONFLICT
               ? doc_fail(in->d, in->value, NULL, "its id or its owner is another library's")
               : -1;
}

static const struct member library_members[] = {
    STORED_ID(struct ms_library),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct ms_library, site, int64_t)},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct ms_library, account, int64_t)},
    {"name", "The name in its address: Shared Documents", TEXT_AT(struct ms_library, name),
     .flags = MEMBER_REQUIRED, .check = check_name},
    {"title", "What people see; the name without it", TEXT_AT(struct ms_library, title)},
    {"id", "The GUID of its list; made up without it", TEXT_AT(struct ms_library, key),
     .check = check_guid},
    {"owner",
     "The handle of the service whose drive it is: the owner of its files; made of path and title "
     "without it",
     .kind = MEMBER_OWN, .noun = "text", .read = read_owner, .write = write_owner},
    {"created", "When it was made; as the site without it", TIME_AT(struct ms_library, made_us),
     .flags = MEMBER_ALWAYS},
};
STORED(ms_library_stored, "A library of a site", struct ms_library, library_members, NULL,
       .table = "ms_library", .key = "name", .add = add_library);

static int begin_library(const struct form_in *in, void *row, int64_t site)
{
    (void)site;
    ((struct ms_library *)row)->made_us = ((const struct ms_site *)in->of)->made_us;
    return 0;
}

static struct stored_rows libraries = {&ms_library_stored, SQL_TEXT("where site = ?1 order by id"),
                                       begin_library};

/* Without a list there is the one that every site begins with. */
static int add_libraries(const struct form_in *in, const struct member *m, void *row, int64_t id)
{
    static const char standard[] =
        "{\"libraries\":[{\"name\":\"Shared Documents\",\"title\":\"Documents\"}]}";
    const struct json *list = json_get(in->value, m->name);
    struct form_in usual = *in;
    if ((!list || list->type == JSON_NULL) &&
        json_parse(in->tx->arena, standard, sizeof standard - 1, NULL, &usual.value, in->tx->err) <
            0)
        return -1;
    return stored_add_rows(&usual, m, row, id);
}

/* ---- sites ---- */

static int read_tenant(const struct form_in *in, const struct member *m, void *row)
{
    static struct sql_text q_first =
        SQL_TEXT("select id from ms_tenant where not consumer order by id limit 1");
    const char *text;
    struct ms_tenant tenant;
    int64_t first;
    if (doc_str(in->d, in->value, m->name, false, &text) < 0)
        return -1;
    int r = text ? ms_tenant_find(in->tx, text, &tenant)
                 : sql_first_int(in->tx->db, in->tx->err, TX_PLAIN(in->tx, &q_first), &first);
    if (r == 1 && !text)
        r = ms_tenant_get(in->tx, first, &tenant);
    if (r != 1 || tenant.consumer)
        return r < 0 ? -1
                     : doc_fail(in->d, text ? json_get(in->value, m->name) : in->value, m->name,
                                "must be the id or a domain of an organisation's tenant");
    member_put_number(m, row, tenant.id);
    return 0;
}

static int write_tenant(const struct form_out *out, const struct member *m, const void *row)
{
    static struct sql_text q = SQL_TEXT("select domain from ms_tenant where id = :id");
    return dump_key(out->tx, out->w, m->name, &q, member_number(m, row));
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

/* "" is the root. */
static int read_path(const struct form_in *in, const struct member *m, void *row)
{
    struct ms_site *site = row;
    if (doc_str(in->d, in->value, m->name, false, &site->path) < 0)
        return -1;
    return is_path(site->path)
               ? 0
               : doc_refuse(in->d, in->value, m->name,
                            "must be a path as /sites/finance, not \"%.80s\"", site->path);
}

static int read_group(const struct form_in *in, const struct member *m, void *row)
{
    struct ms_group found = {.id = 0};
    const char *group;
    if (doc_str(in->d, in->value, m->name, false, &group) < 0)
        return -1;
    int r = group ? ms_group_find(in->tx, group, ((struct ms_site *)row)->tenant, &found) : 1;
    if (r != 1)
        return r < 0 ? -1
                     : doc_refuse(in->d, in->value, m->name,
                                  "must be the address of a group of the tenant, not \"%.80s\"",
                                  group);
    member_put_number(m, row, found.id);
    return 0;
}

static int write_group(const struct form_out *out, const struct member *m, const void *row)
{
    const int64_t id = member_number(m, row);
    struct ms_group group;
    int r = id ? ms_group_get(out->tx, id, &group) : 0;
    if (r == 1)
        json_str(out->w, m->name, group.email);
    return r < 0 ? -1 : 0;
}

static int read_everyone(const struct form_in *in, const struct member *m, void *row)
{
    const bool root = !*((const struct ms_site *)row)->path;
    int role;
    if (doc_enum(in->d, in->value, m->name, m->names, root ? SITE_READ : SITE_NONE, &role) < 0)
        return -1;
    member_put_number(m, row, role);
    return 0;
}

static int add_followers(const struct form_in *in, const struct member *m, void *row, int64_t id)
{
    static struct sql_text q =
        SQL_TEXT("insert or ignore into ms_site_follower (site, user) values (:site, :user)");
    const char **list;
    struct ms_user user;
    size_t n;
    if (doc_strings(in->d, in->value, m->name, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = ms_user_find(in->tx, list[i], ((struct ms_site *)row)->tenant, &user);
        if (r != 1)
            return r < 0 ? -1
                         : doc_refuse(in->d, in->value, m->name,
                                      "\"%.80s\" is not a user of the tenant", list[i]);
        if (TX_RUN(in->tx, &q, id, user.id) < 0)
            return -1;
    }
    return 0;
}

static int write_followers(const struct form_out *out, const struct member *m, const void *row)
{
    static struct sql_text q =
        SQL_TEXT("select u.upn from ms_site_follower f join ms_user u on u.id "
                 "= f.user where f.site = :site order by u.upn");
    (void)row;
    return dump_text_list(out->tx, out->w, m->name, TX_QUERY(out->tx, &q, out->id), false);
}

static int check_site(const struct form_in *in, void *row)
{
    struct ms_site *site = row, other;
    if (!site->name)
        site->name = *site->path ? strrchr(site->path, '/') + 1 : "Communication site";
    if (strlen(site->name) > TEXT_MAX)
        return doc_refuse(in->d, in->value, "name", "must have at most %d bytes", TEXT_MAX);
    site->made_us = site->made_us == UNSAID ? in->tx->now_us : site->made_us;
    site->changed_us = site->changed_us == UNSAID ? site->made_us : site->changed_us;
    if (find_parent(in->tx, site) < 0)
        return -1;
    int r = site->channel ? ms_site_of_channel(in->tx, site->channel, &other) : 0;
    return r <= 0 ? r : doc_fail_twice(in->d, json_get(in->value, "channel"), "channel");
}

static int add_site(const struct form_in *in, void *row)
{
    return ms_site_new(in->tx, row);
}

static const struct reference tenant_reference = {.noun = "the id or a domain of a tenant"};
static const struct reference group_reference = {.noun = "the address of a group"};
static const struct member site_members[] = {
    STORED_ID(struct ms_site),
    {.kind = MEMBER_INT, .flags = MEMBER_NULL, MEMBER_TYPED(struct ms_site, parent, int64_t)},
    {"path", "Where it is, as /sites/finance; \"\" is the root", .read = read_path,
     .flags = MEMBER_REQUIRED, .schema = "{\"type\":\"string\"}", TEXT_AT(struct ms_site, path)},
    {"name", "What people see; the end of the path without it", TEXT_AT(struct ms_site, name)},
    {"tenant", "Its tenant; the first one without it", .kind = MEMBER_REF, .ref = &tenant_reference,
     .read = read_tenant, .write = write_tenant, MEMBER_TYPED(struct ms_site, tenant, int64_t)},
    {"id", "GUID of the site; made up without it", TEXT_AT(struct ms_site, key),
     .check = check_guid},
    {"web", "GUID of its web; the same", TEXT_AT(struct ms_site, web), .check = check_guid},
    {"description", "What it is for", TEXT_AT(struct ms_site, description)},
    {"group", "The group whose site it is", .kind = MEMBER_REF, .ref = &group_reference,
     .read = read_group, .write = write_group, MEMBER_TYPED(struct ms_site, team, int64_t)},
    {"channel", "The id of the private or shared channel whose files it has",
     TEXT_AT(struct ms_site, channel)},
    {"everyone", "What all users of the tenant may do; none, of the root read, without it",
     .read = read_everyone, .flags = MEMBER_ALWAYS,
     ENUM_AT(struct ms_site, everyone, site_role_names)},
    {"created", "When it was made; the world's time without it", TIME_AT(struct ms_site, made_us),
     .usual = UNSAID},
    {"modified", "When something in it was changed; as created without it",
     TIME_AT(struct ms_site, changed_us), .usual = UNSAID},
    {"members", "Who may do what", MEMBER_ROWS(&member_stored_form, &members)},
    {"apps", "Apps that have it by Sites.Selected", MEMBER_ROWS(&app_stored_form, &apps)},
    {"libraries", "Its libraries, the default one first; one, Documents, without it",
     .kind = MEMBER_OWN, .form = &ms_library_stored_form, .rows = &libraries,
     .added = add_libraries, .write = stored_write_rows, .flags = MEMBER_ALWAYS},
    {"followers", "Addresses of users who follow it", .kind = MEMBER_OWN, .noun = "list of texts",
     .added = add_followers, .write = write_followers},
};
STORED(ms_site_stored, "A site", struct ms_site, site_members, check_site, .table = "ms_site",
       .key = "path", .add = add_site);

/* ---- the core ---- */

static const struct section sections[] = {
    {.name = "microsoftSites",
     .stored = &ms_site_stored,
     .ids = SECTION_IDS("select id from ms_site order by tenant, path")},
};

static const struct entity_part parts[] = {
    {"ms_site_member", ENTITY_OWNER("select site from ms_site_member where rowid = ?1")},
    {"ms_site_app", ENTITY_OWNER("select site from ms_site_app where rowid = ?1")},
    {"ms_library", ENTITY_OWNER("select site from ms_library where rowid = ?1")},
    {"ms_site_follower", ENTITY_OWNER("select site from ms_site_follower where rowid = ?1")},
    {NULL, NULL},
};

static const struct entity entities[] = {
    {.name = "site", .table = "ms_site", .stored = &ms_site_stored, .parts = parts},
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
