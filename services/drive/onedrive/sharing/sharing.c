/* SPDX-License-Identifier: Apache-2.0 */
/* Giving and taking permissions: sharing links, invitations, roles (MG-104 to 106). */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "identity/identity.h"
#include "services/drive/onedrive/sharing/app_rights.h"
#include "services/drive/onedrive/sharing/rights.h"
#include "services/drive/onedrive/view.h"

#define MOST_MESSAGE 2000 /* characters */

static int permissions_list(struct call *c)
{
    struct rights all;
    struct odata_query q;
    struct drive_item it;
    struct onedrive_at at;
    int r = 0;
    if (rights_open(c, ROLE_READER, &at, &it, &all) < 0 ||
        onedrive_options(c, "permission", &q) < 0 || graph_select(c, &q, 0, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/permissions%s", at.base, onedrive_step(&at, &it),
                  odata_context(c->tx.arena, &q));
    json_arr(c->out, "value");
    for (size_t i = 0; r == 0 && i < all.n_shares + all.n_links; i++) {
        const bool share = i < all.n_shares;
        json_obj(c->out, NULL);
        r = right_write(&at, &all, share ? &all.shares[i] : NULL,
                        share ? NULL : &all.links[i - all.n_shares]);
        json_end(c->out);
    }
    if (r == 0)
        r = onedrive_write_apps(&at, &it);
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
    int r = right_write(at, all, s, l);
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
    struct app_right app;
    if (rights_open(c, ROLE_READER, &at, &it, &all) < 0)
        return -1;
    int r = onedrive_app_find(&at, &it, param_str(c, "permission-id"), &app);
    if (r)
        return r < 0 ? -1 : onedrive_app_answer(&at, &it, &app);
    if (right_find(&at, &all, &s, &l) < 0)
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
    struct app_right app;
    if (rights_open(c, ROLE_WRITER, &at, &it, &all) < 0)
        return -1;
    c->status = 204;
    int r = onedrive_app_find(&at, &it, param_str(c, "permission-id"), &app);
    if (r)
        return r < 0 ? -1 : onedrive_app_drop(&at, &app);
    if (right_find(&at, &all, &s, &l) < 0 || check_own(&at, s, l) < 0)
        return -1;
    if (l)
        return drive_link_remove(&c->tx, &it, &l->link);
    struct drive_grant g = {.kind = s->kind, .who = s->who, .role = ROLE_NONE};
    return drive_share_set(&c->tx, &it, s, &g, 0);
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
    struct app_right app;
    if (!body || rights_open(c, ROLE_WRITER, &at, &it, &all) < 0)
        return -1;
    int r = onedrive_app_find(&at, &it, param_str(c, "permission-id"), &app);
    if (r)
        return r < 0 || onedrive_read_role(c, json_get(body, "roles"), &role) < 0 ||
                       onedrive_app_set(&at, &app, role) < 0
                   ? -1
                   : onedrive_app_answer(&at, &it, &app);
    if (right_find(&at, &all, &s, &l) < 0 || check_own(&at, s, l) < 0)
        return -1;
    if (l)
        return onedrive_invalid(c, "The roles of a sharing link cannot be changed.");
    if (onedrive_read_role(c, json_get(body, "roles"), &role) < 0)
        return -1;
    struct drive_grant g = {
        .kind = s->kind, .who = s->who, .role = role, .expires_us = s->expires_us};
    if (drive_share_set(&c->tx, &it, s, &g, 0) < 0 || rights_read(&at, &it, &all) < 0 ||
        right_find(&at, &all, &s, &l) < 0)
        return -1;
    all.may_share = true;
    return answer_right(&at, &it, &all, s, l);
}

/* Of people it is the invitation that gives permissions; this is of apps alone. */
static int permissions_create(struct call *c)
{
    const struct json *body = call_body(c);
    struct rights all;
    enum drive_role role;
    struct drive_item it;
    struct onedrive_at at;
    return !body || rights_open(c, ROLE_WRITER, &at, &it, &all) < 0 ||
                   onedrive_read_role(c, json_get(body, "roles"), &role) < 0
               ? -1
               : onedrive_app_create(&at, &it, body, role);
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

static int read_link(struct call *c, const struct json *body, bool personal, struct drive_link *ret)
{
    const char *password = json_get_str(body, "password");
    int type = word_place(c, json_get_str(body, "type"), right_types, LINK_VIEW,
                          "The type must be view, edit or embed.");
    int scope = word_place(c, json_get_str(body, "scope"), right_scopes, LINK_ORGANIZATION,
                           "The scope must be anonymous, organization or users.");
    if (type < 0 || scope < 0 || read_expiry(c, body, &ret->expires_us) < 0)
        return -1;
    ret->type = (enum drive_link_type)type;
    ret->scope = (enum drive_link_scope)scope;
    ret->creator = c->actor.id;
    if (ret->type == LINK_EMBED && !personal)
        return onedrive_invalid(c, "The sharing link type embed is not supported.");
    if (password && *password && !(ret->password = drive_link_password(&c->tx, password, false)))
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
    if (!body || rights_open(c, ROLE_WRITER, &at, &it, &all) < 0 ||
        read_link(c, body, at.personal, &l) < 0)
        return -1;
    if (l.scope == LINK_USERS && onedrive_read_users(c, json_get(body, "recipients"), &l) < 0)
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
    int r = right_write_link(&at, &it, &l, false);
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
        .from = ONEDRIVE_SHARES,
        .from_name = name,
        .to = to,
        .subject = onedrive_shared_subject(a, &at->by, it),
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

static int invite_one(struct onedrive_at *at, struct drive_item *it, const char *who,
                      enum drive_role role, int64_t expires)
{
    struct tx *tx = &at->c->tx;
    struct rights all;
    struct group group;
    int r = group_by_email(tx, who, &group);
    if (r < 0 || rights_read(at, it, &all) < 0)
        return -1;
    const struct drive_share *s = share_of(&all, who);
    if (s && s->owns)
        return 0;
    struct drive_grant g = {.kind = r ? GRANT_GROUP : GRANT_PERSON,
                            .who = onedrive_lower(tx->arena, who),
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
        onedrive_read_role(c, json_get(body, "roles"), &role) < 0 ||
        read_expiry(c, body, &expires) < 0)
        return -1;
    if (message && utf8_count(message, strlen(message)) > MOST_MESSAGE)
        return onedrive_invalid(c, "The message must have at most 2000 characters.");
    if (!list || list->type != JSON_ARRAY || list->n > MOST_RECIPIENTS)
        return onedrive_invalid(c, "The recipients must be a list of at most 100.");
    for (n = 0; n < list->n; n++)
        if (!(who[n] = onedrive_read_recipient(c, &list->items[n])))
            return -1;
    if (!n)
        return onedrive_invalid(c, "The recipients must be there.");
    for (size_t i = 0; i < n; i++)
        if (invite_one(&at, &it, who[i], role, expires) < 0 ||
            (json_get_true(body, "sendInvitation") && notify(&at, &it, who[i], message) < 0))
            return -1;
    if (rights_read(&at, &it, &all) < 0)
        return -1;
    call_header_const(c, "Location", "https://" GRAPH_HOST);
    json_obj(c->out, NULL);
    graph_context_of(c, "Collection(microsoft.graph.permission)");
    json_arr(c->out, "value");
    int r = 0;
    for (size_t i = 0; r == 0 && i < n; i++) {
        const struct drive_share *s = share_of(&all, who[i]);
        json_obj(c->out, NULL);
        r = s ? right_write_share(&at, s, true) : 0;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return r;
}

/* ---- people of a link ---- */

static int permissions_grant(struct call *c)
{
    const struct right_link *l;
    const struct drive_share *s;
    struct rights all;
    struct drive_item it;
    struct onedrive_at at;
    if (rights_open(c, ROLE_WRITER, &at, &it, &all) < 0 || right_find(&at, &all, &s, &l) < 0)
        return -1;
    if (s)
        return onedrive_invalid(c, "The permission is not a sharing link.");
    struct drive_link link = l->link;
    return check_own(&at, NULL, l) < 0 ? -1 : onedrive_link_grant(&at, &it, &link);
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
    {ROUTE("onedrive.items.permissions.list", GET, OF_ITEM("/permissions"),
           OF_LISTED("/permissions")),
     .handler = permissions_list, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(list_params),
     .response = "microsoft.graph.permissionCollectionResponse",
     .summary = "Who may open a file or a folder"},
    {ROUTE("onedrive.items.permissions.create", POST, OF_ITEM("/permissions")),
     .handler = permissions_create, .risk = RISK_EXTERNAL, .body = BODY_JSON,
     .scopes = "Files.ReadWrite.All Sites.ReadWrite.All", PARAMS(item_params), .status = 201,
     .request = "microsoft.graph.permission", .response = "microsoft.graph.permission",
     .summary = "Let an app read or write a file or a folder by Files.SelectedOperations.Selected"},
    {ROUTE("onedrive.items.permissions.get", GET, OF_ITEM("/permissions/{permission-id}")),
     .handler = permissions_get, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(one_params),
     .response = "microsoft.graph.permission", .summary = "One permission of a file or a folder"},
    {ROUTE("onedrive.items.permissions.update", PATCH, OF_ITEM("/permissions/{permission-id}")),
     .handler = permissions_update, .risk = RISK_EXTERNAL, .idempotent = true, .body = BODY_JSON,
     .scopes = ONEDRIVE_WRITE, PARAMS(one_params), .request = "microsoft.graph.permission",
     .response = "microsoft.graph.permission", .summary = "Give somebody another role"},
    {ROUTE("onedrive.items.permissions.delete", DELETE, OF_ITEM("/permissions/{permission-id}")),
     .handler = permissions_delete, .risk = RISK_DESTRUCTIVE, .scopes = ONEDRIVE_WRITE,
     PARAMS(one_params), .status = 204, .summary = "Take a permission or a sharing link away"},
    {ROUTE("onedrive.items.permissions.grant", POST, OF_ITEM("/permissions/{permission-id}/grant")),
     .handler = permissions_grant, .risk = RISK_EXTERNAL, .idempotent = true, .body = BODY_JSON,
     .scopes = ONEDRIVE_WRITE, PARAMS(one_params), .request = "microsoft.graph.permission.grant",
     .response = "microsoft.graph.permissionCollectionResponse",
     .summary = "Let people use a sharing link that is for users"},
    {ROUTE("onedrive.items.createLink", POST, OF_ITEM("/createLink"), OF_LISTED("/createLink")),
     .handler = links_create, .risk = RISK_EXTERNAL, .body = BODY_JSON, .scopes = ONEDRIVE_WRITE,
     PARAMS(item_params), .request = "microsoft.graph.driveItem.createLink",
     .response = "microsoft.graph.permission", .summary = "Make a sharing link"},
    {ROUTE("onedrive.items.invite", POST, OF_ITEM("/invite")), .handler = items_invite,
     .risk = RISK_EXTERNAL, .body = BODY_JSON, .scopes = ONEDRIVE_WRITE, PARAMS(item_params),
     .request = "microsoft.graph.driveItem.invite",
     .response = "microsoft.graph.permissionCollectionResponse",
     .summary = "Share a file or a folder with people, who get a letter if that is asked for"},
};

const struct rows onedrive_permissions = ROWS(methods);
