/* SPDX-License-Identifier: Apache-2.0 */
/* The permissions of an item as they are shown: people, groups and sharing links (MG-446, 447,
 * 653).
 */
#include "engine/base/codec.h"
#include "services/drive/onedrive/sharing/rights.h"
#include "vendors/microsoft/directory/directory.h"

const char *const right_scopes[] = {"", "anonymous", "organization", "users", NULL};
const char *const right_types[] = {"", "view", "edit", "embed", NULL};

static const char *role_word(enum drive_role role)
{
    return role == ROLE_OWNER ? "owner" : role >= ROLE_WRITER ? "write" : "read";
}

/* ---- ids ---- */

static const char *coded(struct arena *a, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    base64url_add(&b, text, strlen(text), false);
    return buf_keep(&b, a);
}

/* What a site calls a person or a group; the owner of a library is the site's own group, by its
 * name. */
static const char *login_of(const struct onedrive_at *at, const struct drive_share *s)
{
    struct arena *a = at->c->tx.arena;
    if (s->owns && at->library.id)
        return ARENA_JOIN(a, at->place.name, " Owners");
    return s->kind == GRANT_GROUP ? arena_printf(a, "c:0o.c|federateddirectoryclaimprovider|%s",
                                                 graph_guid(a, "group", s->who))
                                  : arena_printf(a, "i:0#.f|membership|%s", s->who);
}

static const char *link_id(struct arena *a, const struct drive_link *l)
{
    return graph_guid(a, "sharing link", l->token);
}

/* "https://port-my.sharepoint.com/:t:/g/personal/bob_port_example/TOKEN". */
static const char *link_url(struct onedrive_at *at, const struct drive_item *it,
                            const struct drive_link *l)
{
    static const struct {
        const char *part;
        char letter;
    } letters[] = {
        {"wordprocessing", 'w'}, {"msword", 'w'},     {"spreadsheet", 'x'}, {"ms-excel", 'x'},
        {"presentation", 'p'},   {"powerpoint", 'p'}, {"pdf", 'b'},         {"image/", 'i'},
        {"video/", 'v'},         {"text/", 't'}};
    char letter = it->form == DRIVE_FOLDER ? 'f' : 'u';
    for (size_t i = 0; it->form != DRIVE_FOLDER && i < SOSIA_LEN(letters) && letter == 'u'; i++)
        if (strstr(it->mime, letters[i].part))
            letter = letters[i].letter;
    if (at->personal)
        return arena_printf(at->c->tx.arena, "https://1drv.ms/%c/c/%s/%s", letter, at->drive,
                            l->token);
    return arena_printf(at->c->tx.arena, "https://%s/:%c:/g%s/%s", at->host, letter, at->site,
                        l->token);
}

/* ---- writing ---- */

static void write_inherited(struct onedrive_at *at, bool inherited)
{
    if (!inherited)
        return;
    json_obj(at->c->out, "inheritedFrom");
    json_end(at->c->out);
}

static void write_roles(struct onedrive_at *at, const char *word)
{
    json_arr(at->c->out, "roles");
    json_str(at->c->out, NULL, word);
    json_end(at->c->out);
}

/* {"email","id","displayName"} of an address, as a member. */
static int write_identity(struct onedrive_at *at, const char *key, const char *who, const char *id)
{
    struct json_writer *w = at->c->out;
    struct actor actor;
    int r = actor_by_email(&at->c->tx, who, &actor);
    if (r < 0)
        return -1;
    json_obj(w, key);
    json_str(w, "displayName", r && *actor.name ? actor.name : who);
    json_str(w, "email", who);
    if (id)
        json_str(w, "id", id);
    json_end(w);
    return 0;
}

static int write_grantee(struct onedrive_at *at, const struct drive_share *s)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const char *key = s->kind == GRANT_GROUP ? "group" : "user", *id = NULL;
    struct ms_user user;
    int r = s->kind == GRANT_GROUP ? 0 : ms_user_find(&at->c->tx, s->who, 0, &user);
    if (r < 0)
        return -1;
    id = r ? user.oid : s->kind == GRANT_GROUP ? graph_guid(a, "group", s->who) : NULL;
    json_obj(w, "grantedToV2");
    if (write_identity(at, key, s->who, id) < 0)
        return -1;
    json_obj(w, "siteUser");
    json_str(w, "displayName", s->who);
    json_str(w, "email", s->who);
    json_str(w, "loginName", login_of(at, s));
    json_end(w);
    json_end(w);
    json_obj(w, "grantedTo");
    r = write_identity(at, "user", s->who, id);
    json_end(w);
    return r;
}

/* A group of a site's own (MG-653). */
static void write_site_group(struct onedrive_at *at, const char *name)
{
    struct json_writer *w = at->c->out;
    json_obj(w, "grantedToV2");
    json_obj(w, "siteGroup");
    json_str(w, "displayName", name);
    json_str(w, "id", "3");
    json_str(w, "loginName", name);
    json_end(w);
    json_end(w);
    json_obj(w, "grantedTo");
    json_obj(w, "user");
    json_str(w, "displayName", name);
    json_end(w);
    json_end(w);
}

/* shares: the caller may share the item, and has what opens it. */
int right_write_share(struct onedrive_at *at, const struct drive_share *s, bool shares)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const char *id = coded(a, login_of(at, s));
    json_str(w, "id", id);
    write_roles(at, role_word(s->role));
    if (shares)
        json_str(w, "shareId", id);
    if (s->expires_us)
        json_str(w, "expirationDateTime", graph_date(a, s->expires_us, 0));
    if (s->owns && at->library.id)
        write_site_group(at, login_of(at, s));
    else if (write_grantee(at, s) < 0)
        return -1;
    write_inherited(at, !s->grant && (!s->owns || at->library.id));
    return 0;
}

int right_write_link(struct onedrive_at *at, const struct drive_item *it,
                     const struct drive_link *l, bool inherited)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    const char *url = link_url(at, it, l);
    int r = 0;
    json_str(w, "id", link_id(a, l));
    write_roles(at, role_word(drive_link_role(l)));
    json_str(w, "shareId", ARENA_JOIN(a, "u!", coded(a, url)));
    if (l->expires_us)
        json_str(w, "expirationDateTime", graph_date(a, l->expires_us, 0));
    json_bool(w, "hasPassword", l->password != NULL);
    if (l->scope == LINK_USERS || l->n_users) {
        json_arr(w, "grantedToIdentitiesV2");
        for (size_t i = 0; r == 0 && i < l->n_users; i++) {
            json_obj(w, NULL);
            r = write_identity(at, "user", l->users[i], NULL);
            json_end(w);
        }
        json_end(w);
    }
    json_obj(w, "link");
    json_str(w, "scope", right_scopes[l->scope]);
    json_str(w, "type", right_types[l->type]);
    json_str(w, "webUrl", url);
    json_bool(w, "preventsDownload", l->no_download);
    json_end(w);
    write_inherited(at, inherited);
    return r;
}

/* ---- what there is ---- */

struct above {
    struct onedrive_at *at;
    struct rights *r;
    int64_t item;
};

static int add_links(void *arg, const struct drive_item *it)
{
    struct above *above = arg;
    struct rights *r = above->r;
    struct tx *tx = &above->at->c->tx;
    struct drive_link *list;
    size_t n;
    if (drive_links(tx, it->id, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        if (list[i].expires_us && list[i].expires_us <= tx->now_us)
            continue;
        r->links = arena_grow(tx->arena, r->links, r->n_links, &r->room, sizeof *r->links);
        if (arena_failed(tx->arena))
            return sosia_fail_memory(tx->err);
        r->links[r->n_links++] = (struct right_link){list[i], *it, it->id != above->item};
    }
    return 0;
}

int rights_read(struct onedrive_at *at, const struct drive_item *it, struct rights *ret)
{
    struct above above = {at, ret, it->id};
    *ret = (struct rights){.n_links = 0};
    if (drive_shares(&at->c->tx, it, false, &ret->shares, &ret->n_shares) < 0 ||
        add_links(&above, it) < 0)
        return -1;
    return drive_each_ancestor(&at->c->tx, it, add_links, &above);
}

/* ---- what is shown ---- */

/* May the caller share the item with this number? 1, 0, -1. */
static int may_share(struct onedrive_at *at, int64_t id)
{
    struct drive_access access;
    struct drive_item it;
    if (at->role == SITE_READ)
        return 0;
    int r = drive_item_by_id(&at->c->tx, id, &it);
    if (r != 1)
        return r;
    return drive_role(&at->viewer, &it, &access) < 0 ? -1 : access.role >= ROLE_WRITER;
}

/* The caller's own, and what comes from where the caller may share. 1, 0, -1. */
static int is_shown(struct onedrive_at *at, const struct rights *all, const struct drive_share *s)
{
    int r = drive_is_meant(&at->viewer, s->kind, s->who);
    if (r || !all->may_share)
        return r;
    if (s->owns || s->grant)
        return 1;
    for (const struct drive_share_from *from = s->from; from && r == 0; from = from->next)
        r = may_share(at, from->item);
    return r;
}

/* Takes out the links and the grants of others that the caller does not see. 0, -1. */
static int keep_shown(struct onedrive_at *at, const struct drive_item *it, struct rights *all)
{
    size_t n = 0;
    int r = may_share(at, it->id);
    all->may_share = r == 1;
    for (size_t i = 0; r >= 0 && i < all->n_shares; i++)
        if ((r = is_shown(at, all, &all->shares[i])) == 1)
            all->shares[n++] = all->shares[i];
    all->n_shares = n;
    n = 0;
    for (size_t i = 0; r >= 0 && i < all->n_links; i++)
        if ((r = may_share(at, all->links[i].item.id)) == 1)
            all->links[n++] = all->links[i];
    all->n_links = n;
    return r < 0 ? -1 : 0;
}

/* The one of the path's id: a share, or a link. 0, -1 there is none. */
int right_find(struct onedrive_at *at, const struct rights *all,
               const struct drive_share **ret_share, const struct right_link **ret_link)
{
    const char *id = param_str(at->c, "permission-id");
    struct arena *a = at->c->tx.arena;
    *ret_share = NULL;
    *ret_link = NULL;
    for (size_t i = 0; i < all->n_shares; i++)
        if (strcmp(coded(a, login_of(at, &all->shares[i])), id) == 0)
            *ret_share = &all->shares[i];
    for (size_t i = 0; i < all->n_links; i++)
        if (strcmp(link_id(a, &all->links[i].link), id) == 0)
            *ret_link = &all->links[i];
    return *ret_share || *ret_link ? 0 : onedrive_not_found(at->c);
}

int right_write(struct onedrive_at *at, const struct rights *all, const struct drive_share *s,
                const struct right_link *l)
{
    return s ? right_write_share(at, s, all->may_share)
             : right_write_link(at, &l->item, &l->link, l->inherited);
}

/* The item of the call, and those of its rights that the caller sees. */
int rights_open(struct call *c, enum drive_role need, struct onedrive_at *at, struct drive_item *it,
                struct rights *all)
{
    return onedrive_open(c, at) < 0 || onedrive_item(at, need, it) < 0 ||
                   rights_read(at, it, all) < 0 || keep_shown(at, it, all) < 0
               ? -1
               : 0;
}
