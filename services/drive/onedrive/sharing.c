/* SPDX-License-Identifier: Apache-2.0 */
/* Who may open an item: people, groups and sharing links (MG-104 to 106, 446, 447, 653). */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "identity/identity.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/access/share.h"
#include "services/drive/onedrive/onedrive.h"
#include "vendors/microsoft/directory/directory.h"

#define MOST_RECIPIENTS 100
#define MOST_MESSAGE    2000 /* characters */

static const char *const scopes[] = {"", "anonymous", "organization", "users", NULL};
static const char *const types[] = {"", "view", "edit", "embed", NULL};

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
    const char *id = arena_strdup(a, buf_str(&b));
    buf_done(&b);
    return id;
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
static int write_share(struct onedrive_at *at, const struct drive_share *s, bool shares)
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

static int write_link(struct onedrive_at *at, const struct drive_item *it,
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
    if (l->scope == LINK_USERS) {
        json_arr(w, "grantedToIdentitiesV2");
        for (size_t i = 0; r == 0 && i < l->n_users; i++) {
            json_obj(w, NULL);
            r = write_identity(at, "user", l->users[i], NULL);
            json_end(w);
        }
        json_end(w);
    }
    json_obj(w, "link");
    json_str(w, "scope", scopes[l->scope]);
    json_str(w, "type", types[l->type]);
    json_str(w, "webUrl", url);
    json_bool(w, "preventsDownload", l->no_download);
    json_end(w);
    write_inherited(at, inherited);
    return r;
}

/* ---- what there is ---- */

struct rights {
    struct drive_share *shares;
    struct right_link {
        struct drive_link link;
        struct drive_item item;
        bool inherited;
    } * links;
    size_t n_shares, n_links, room;
    bool may_share; /* the caller, at the item */
};

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

static int read_rights(struct onedrive_at *at, const struct drive_item *it, struct rights *ret)
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
static int find_right(struct onedrive_at *at, const struct rights *all,
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

static int write_right(struct onedrive_at *at, const struct rights *all,
                       const struct drive_share *s, const struct right_link *l)
{
    return s ? write_share(at, s, all->may_share)
             : write_link(at, &l->item, &l->link, l->inherited);
}

/* The item of the call, and those of its rights that the caller sees. */
static int open_rights(struct call *c, enum drive_role need, struct onedrive_at *at,
                       struct drive_item *it, struct rights *all)
{
    return onedrive_open(c, at) < 0 || onedrive_item(at, need, it) < 0 ||
                   read_rights(at, it, all) < 0 || keep_shown(at, it, all) < 0
               ? -1
               : 0;
}

static int permissions_list(struct call *c)
{
    struct rights all;
    struct odata_query q;
    struct drive_item it;
    struct onedrive_at at;
    int r = 0;
    if (open_rights(c, ROLE_READER, &at, &it, &all) < 0 ||
        onedrive_options(c, "permission", &q) < 0 || graph_select(c, &q, 0, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/permissions%s", at.base, onedrive_step(&at, &it),
                  odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    for (size_t i = 0; r == 0 && i < all.n_shares + all.n_links; i++) {
        const bool share = i < all.n_shares;
        json_obj(c->out, NULL);
        r = write_right(&at, &all, share ? &all.shares[i] : NULL,
                        share ? NULL : &all.links[i - all.n_shares]);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

static int answer_right(struct onedrive_at *at, const struct drive_item *it,
                        const struct rights *all, const struct drive_share *s,
                        const struct right_link *l)
{
    struct call *c = at->c;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/permissions/$entity", at->base, onedrive_step(at, it));
    int r = write_right(at, all, s, l);
    json_end(c->out);
    return r;
}

static int permissions_get(struct call *c)
{
    const struct right_link *l;
    const struct drive_share *s;
    struct rights all;
    struct drive_item it;
    struct onedrive_at at;
    if (open_rights(c, ROLE_READER, &at, &it, &all) < 0 || find_right(&at, &all, &s, &l) < 0)
        return -1;
    return answer_right(&at, &it, &all, s, l);
}

/* ---- changes ---- */

/* What is granted above, and what the owner has, is not changed here (MG-106). */
static int check_own(struct onedrive_at *at, const struct drive_share *s,
                     const struct right_link *l)
{
    if (s ? s->owns || !s->grant : l->inherited)
        return onedrive_invalid(at->c, "An inherited permission cannot be changed here.");
    return 0;
}

static int permissions_delete(struct call *c)
{
    const struct right_link *l;
    const struct drive_share *s;
    struct rights all;
    struct drive_item it;
    struct onedrive_at at;
    if (open_rights(c, ROLE_WRITER, &at, &it, &all) < 0 || find_right(&at, &all, &s, &l) < 0 ||
        check_own(&at, s, l) < 0)
        return -1;
    c->status = 204;
    if (l)
        return drive_link_remove(&c->tx, &it, &l->link);
    struct drive_grant g = {.kind = s->kind, .who = s->who, .role = ROLE_NONE};
    return drive_share_set(&c->tx, &it, s, &g, 0);
}

/* The one role of a list of words. 0, -1 refused. */
static int read_role(struct call *c, const struct json *roles, enum drive_role *ret)
{
    const struct json *one =
        roles && roles->type == JSON_ARRAY && roles->n == 1 ? roles->items : NULL;
    if (one && one->type == JSON_STRING) {
        *ret = str_eq_nocase(one->str, "read")    ? ROLE_READER
               : str_eq_nocase(one->str, "write") ? ROLE_WRITER
                                                  : ROLE_NONE;
        if (*ret != ROLE_NONE)
            return 0;
    }
    return onedrive_invalid(c, "The roles must be one of read and write.");
}

static int read_expiry(struct call *c, const struct json *body, int64_t *ret)
{
    const char *text = json_get_str(body, "expirationDateTime");
    struct stamp s;
    *ret = 0;
    if (!text || !*text)
        return 0;
    if (stamp_parse(text, strlen(text), true, &s) < 0)
        return onedrive_invalid(c, "The expirationDateTime must be a time.");
    *ret = s.local_us - s.offset * US_PER_SECOND;
    return *ret > c->tx.now_us
               ? 0
               : onedrive_invalid(c, "The expirationDateTime must be in the future.");
}

static int permissions_update(struct call *c)
{
    const struct json *body = call_body(c);
    const struct right_link *l;
    const struct drive_share *s;
    enum drive_role role;
    struct rights all;
    struct drive_item it;
    struct onedrive_at at;
    if (!body || open_rights(c, ROLE_WRITER, &at, &it, &all) < 0 ||
        find_right(&at, &all, &s, &l) < 0 || check_own(&at, s, l) < 0)
        return -1;
    if (l)
        return onedrive_invalid(c, "The roles of a sharing link cannot be changed.");
    if (read_role(c, json_get(body, "roles"), &role) < 0)
        return -1;
    struct drive_grant g = {
        .kind = s->kind, .who = s->who, .role = role, .expires_us = s->expires_us};
    if (drive_share_set(&c->tx, &it, s, &g, 0) < 0 || read_rights(&at, &it, &all) < 0 ||
        find_right(&at, &all, &s, &l) < 0)
        return -1;
    all.may_share = true;
    return answer_right(&at, &it, &all, s, l);
}

/* ---- links ---- */

static int word_place(struct call *c, const char *text, const char *const *words, int otherwise,
                      const char *message)
{
    if (!text)
        return otherwise;
    for (int i = 1; words[i]; i++)
        if (str_eq_nocase(words[i], text))
            return i;
    return onedrive_invalid(c, message);
}

static int read_link(struct call *c, const struct json *body, struct drive_link *ret)
{
    const char *password = json_get_str(body, "password");
    int type = word_place(c, json_get_str(body, "type"), types, LINK_VIEW,
                          "The type must be view, edit or embed.");
    int scope = word_place(c, json_get_str(body, "scope"), scopes, LINK_ORGANIZATION,
                           "The scope must be anonymous, organization or users.");
    if (type < 0 || scope < 0 || read_expiry(c, body, &ret->expires_us) < 0)
        return -1;
    ret->type = (enum drive_link_type)type;
    ret->scope = (enum drive_link_scope)scope;
    ret->creator = c->actor.id;
    if (ret->type == LINK_EMBED) /* of personal drives alone */
        return onedrive_invalid(c, "The sharing link type embed is not supported.");
    if (password && *password && !(ret->password = drive_link_password(&c->tx, password, false)))
        return -1;
    return 0;
}

/* An address of a recipient: of an email, an alias or an object id. NULL: refused. */
static const char *read_recipient(struct call *c, const struct json *v)
{
    const char *email = json_get_str(v, "email"), *oid = json_get_str(v, "objectId");
    struct graph_user user;
    if (!email)
        email = json_get_str(v, "alias");
    if (!email && oid) {
        int r = graph_user_find(c, oid, &user);
        if (r < 0)
            return NULL;
        email = r ? user.actor.email : NULL;
    }
    if (email && strchr(email, '@') && strlen(email) < 256)
        return email;
    onedrive_invalid(c, "A recipient must have an email, an alias or an objectId.");
    return NULL;
}

static int read_users(struct call *c, const struct json *list, struct drive_link *l)
{
    l->users = arena_calloc(c->tx.arena, MOST_RECIPIENTS, sizeof *l->users);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (list && list->type == JSON_ARRAY && list->n > MOST_RECIPIENTS)
        return onedrive_invalid(c, "There are too many recipients.");
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        if (!(l->users[l->n_users++] = read_recipient(c, &list->items[i])))
            return -1;
    return 0;
}

static bool is_same_link(const struct drive_link *x, const struct drive_link *y)
{
    return x->scope == y->scope && x->type == y->type && x->scope != LINK_USERS &&
           !x->password == !y->password && x->expires_us == y->expires_us;
}

static int links_create(struct call *c)
{
    const struct json *body = call_body(c);
    struct drive_link l = {.id = 0};
    struct rights all;
    struct drive_item it;
    struct onedrive_at at;
    if (!body || open_rights(c, ROLE_WRITER, &at, &it, &all) < 0 || read_link(c, body, &l) < 0)
        return -1;
    if (l.scope == LINK_USERS && read_users(c, json_get(body, "recipients"), &l) < 0)
        return -1;
    c->status = 201;
    for (size_t i = 0; i < all.n_links && !l.password; i++)
        if (!all.links[i].inherited && is_same_link(&all.links[i].link, &l)) {
            l = all.links[i].link;
            c->status = 200;
        }
    if (!l.id && drive_link_save(&c->tx, &it, &l) < 0)
        return c->tx.err->code == SOSIA_E_INVALID
                   ? onedrive_invalid(c, "A link for users must have recipients.")
                   : onedrive_refused(c);
    json_obj(c->out, NULL);
    graph_context_of(c, "microsoft.graph.permission");
    int r = write_link(&at, &it, &l, false);
    json_end(c->out);
    return r;
}

/* ---- invitations ---- */

static int notify(struct onedrive_at *at, const struct drive_item *it, const char *to,
                  const char *message)
{
    struct call *c = at->c;
    struct arena *a = c->tx.arena;
    const char *name = *at->by.name ? at->by.name : at->by.email;
    const char *url = onedrive_web_url(at, it);
    if (!url)
        return -1;
    struct letter l = {
        .from = "no-reply@sharepointonline.com",
        .from_name = name,
        .to = to,
        .subject = arena_printf(a, "%s shared \"%s\" with you", name, it->name),
        .text =
            arena_printf(a, "%s%s%s invited you to %s a %s\n\n%s\n%s\n",
                         message && *message ? message : "", message && *message ? "\n\n" : "",
                         name, "open", it->form == DRIVE_FOLDER ? "folder" : "file", it->name, url),
    };
    return letter_send(&c->tx, &l);
}

static const struct drive_share *share_of(const struct rights *all, const char *who)
{
    for (size_t i = 0; i < all->n_shares; i++)
        if (str_eq_nocase(all->shares[i].who, who))
            return &all->shares[i];
    return NULL;
}

static const char *lower(struct arena *a, const char *text)
{
    char *p = arena_strdup(a, text);
    for (char *at = p; at && *at; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at + 32);
    return p;
}

static int invite_one(struct onedrive_at *at, struct drive_item *it, const char *who,
                      enum drive_role role, int64_t expires)
{
    struct tx *tx = &at->c->tx;
    struct rights all;
    struct group group;
    int r = group_by_email(tx, who, &group);
    if (r < 0 || read_rights(at, it, &all) < 0)
        return -1;
    const struct drive_share *s = share_of(&all, who);
    if (s && s->owns)
        return 0;
    struct drive_grant g = {.kind = r ? GRANT_GROUP : GRANT_PERSON,
                            .who = lower(tx->arena, who),
                            .role = role,
                            .expires_us = expires};
    if (drive_share_set(tx, it, s, &g, at->by.id) < 0)
        return onedrive_refused(at->c);
    return 0;
}

static int items_invite(struct call *c)
{
    const struct json *body = call_body(c), *list = json_get(body, "recipients");
    const char *message = json_get_str(body, "message"), *who[MOST_RECIPIENTS];
    struct rights all;
    enum drive_role role;
    struct drive_item it;
    struct onedrive_at at;
    int64_t expires;
    size_t n = 0;
    if (!body || onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_WRITER, &it) < 0 ||
        read_role(c, json_get(body, "roles"), &role) < 0 || read_expiry(c, body, &expires) < 0)
        return -1;
    if (message && utf8_count(message, strlen(message)) > MOST_MESSAGE)
        return onedrive_invalid(c, "The message must have at most 2000 characters.");
    if (!list || list->type != JSON_ARRAY || list->n > MOST_RECIPIENTS)
        return onedrive_invalid(c, "The recipients must be a list of at most 100.");
    for (n = 0; n < list->n; n++)
        if (!(who[n] = read_recipient(c, &list->items[n])))
            return -1;
    if (!n)
        return onedrive_invalid(c, "The recipients must be there.");
    for (size_t i = 0; i < n; i++)
        if (invite_one(&at, &it, who[i], role, expires) < 0 ||
            (json_get_true(body, "sendInvitation") && notify(&at, &it, who[i], message) < 0))
            return -1;
    if (read_rights(&at, &it, &all) < 0)
        return -1;
    call_header_const(c, "Location", "https://" GRAPH_HOST);
    json_obj(c->out, NULL);
    graph_context_of(c, "Collection(microsoft.graph.permission)");
    json_arr(c->out, "value");
    int r = 0;
    for (size_t i = 0; r == 0 && i < n; i++) {
        const struct drive_share *s = share_of(&all, who[i]);
        json_obj(c->out, NULL);
        r = s ? write_share(&at, s, true) : 0;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

/* ---- the methods ---- */

#define PERMISSION_ID                                                                              \
    {                                                                                              \
        .name = "permission-id", .place = IN_PATH, .required = true                                \
    }
static const struct param item_params[] = {ONEDRIVE_PATH_PARAMS};
static const struct param list_params[] = {ONEDRIVE_PATH_PARAMS,
                                           {.name = "$select", .place = IN_QUERY}};
static const struct param one_params[] = {ONEDRIVE_PATH_PARAMS, PERMISSION_ID};

static const struct route methods[] = {
    {.id = "onedrive.items.permissions.list",
     .verbs = GET,
     .paths = PATHS(OF_ITEM("/permissions")),
     .handler = permissions_list,
     .risk = RISK_READ,
     .scopes = ONEDRIVE_READ,
     PARAMS(list_params),
     .response = "microsoft.graph.permissionCollectionResponse",
     .summary = "Who may open a file or a folder"},
    {.id = "onedrive.items.permissions.get",
     .verbs = GET,
     .paths = PATHS(OF_ITEM("/permissions/{permission-id}")),
     .handler = permissions_get,
     .risk = RISK_READ,
     .scopes = ONEDRIVE_READ,
     PARAMS(one_params),
     .response = "microsoft.graph.permission",
     .summary = "One permission of a file or a folder"},
    {.id = "onedrive.items.permissions.update",
     .verbs = PATCH,
     .paths = PATHS(OF_ITEM("/permissions/{permission-id}")),
     .handler = permissions_update,
     .risk = RISK_EXTERNAL,
     .idempotent = true,
     .body = BODY_JSON,
     .scopes = ONEDRIVE_WRITE,
     PARAMS(one_params),
     .request = "microsoft.graph.permission",
     .response = "microsoft.graph.permission",
     .summary = "Give somebody another role"},
    {.id = "onedrive.items.permissions.delete",
     .verbs = DELETE,
     .paths = PATHS(OF_ITEM("/permissions/{permission-id}")),
     .handler = permissions_delete,
     .risk = RISK_DESTRUCTIVE,
     .scopes = ONEDRIVE_WRITE,
     PARAMS(one_params),
     .status = 204,
     .summary = "Take a permission or a sharing link away"},
    {.id = "onedrive.items.createLink",
     .verbs = POST,
     .paths = PATHS(OF_ITEM("/createLink")),
     .handler = links_create,
     .risk = RISK_EXTERNAL,
     .body = BODY_JSON,
     .scopes = ONEDRIVE_WRITE,
     PARAMS(item_params),
     .request = "microsoft.graph.driveItem.createLink",
     .response = "microsoft.graph.permission",
     .summary = "Make a sharing link"},
    {.id = "onedrive.items.invite",
     .verbs = POST,
     .paths = PATHS(OF_ITEM("/invite")),
     .handler = items_invite,
     .risk = RISK_EXTERNAL,
     .body = BODY_JSON,
     .scopes = ONEDRIVE_WRITE,
     PARAMS(item_params),
     .request = "microsoft.graph.driveItem.invite",
     .response = "microsoft.graph.permissionCollectionResponse",
     .summary = "Share a file or a folder with people, who get a letter if that is asked for"},
};

const struct rows onedrive_permissions = ROWS(methods);
