/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What single apps may do with an item and what is below it, by the permission
 * Files.SelectedOperations.Selected alone (learn.microsoft.com/graph/api/driveitem-post-
 * permissions): an app without a user has that, and with one no more than the user.
 */
#include "services/drive/onedrive/sharing/app_rights.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/world/take.h"
#include "identity/consent.h"
#include "identity/identity.h"

#define LOGIN "i:0i.t|ms.sp.ext|"

static const char *const words[] = {"", "read", "write", NULL};

bool onedrive_items_alone(const struct call *c)
{
    return !c->scopes.all && call_uses_scope(c, ONEDRIVE_SELECTED) &&
           !call_uses_scope(c, "Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All "
                               "Sites.Read.All Sites.ReadWrite.All Sites.Selected");
}

/* ---- rows ---- */

static int next_right(struct tx *tx, int64_t item, struct app_right *at)
{
    static struct sql_text q =
        SQL_TEXT("select id, app, role = 2 from onedrive_app where item = :item "
                 "and id > :after order by id limit 1");
    at->item = item;
    return TX_TAKE(tx, TX_QUERY(tx, &q, item, at->id), &at->id, &at->app, &at->write);
}

static int set_right(struct tx *tx, int64_t item, int64_t app, bool write)
{
    static struct sql_text q =
        SQL_TEXT("insert into onedrive_app (item, app, role) values (:item, :app, :role) on "
                 "conflict (item, app) do update set role = excluded.role");
    return TX_RUN(tx, &q, item, app, write ? 2 : 1) < 0 ? -1 : consent_registered_used(tx, app);
}

struct widest {
    struct onedrive_at *at;
    int64_t role; /* 0: none */
};

static int look(void *arg, const struct drive_item *it)
{
    static struct sql_text q =
        SQL_TEXT("select role from onedrive_app where item = :item and app = :app");
    struct widest *w = arg;
    int64_t role = 0;
    if (TX_INT(&w->at->c->tx, &q, &role, it->id, w->at->c->app) < 0)
        return -1;
    w->role = role > w->role ? role : w->role;
    return 0;
}

int onedrive_app_role(struct onedrive_at *at, const struct drive_item *it, enum drive_role *ret)
{
    struct widest w = {.at = at};
    if (look(&w, it) < 0 || drive_each_ancestor(&at->c->tx, it, look, &w) < 0)
        return -1;
    *ret = w.role == 2 ? ROLE_WRITER : w.role == 1 ? ROLE_READER : ROLE_NONE;
    return 0;
}

/* ---- answers ---- */

static const char *id_of(struct onedrive_at *at, const struct ident_app *app)
{
    struct arena *a = at->c->tx.arena;
    const char *login = arena_printf(a, LOGIN "%s@%s", app->client_id, at->user.tenant);
    struct buf b;
    buf_init(&b, 0);
    base64url_add(&b, login, strlen(login), false);
    return buf_keep(&b, a);
}

static void write_app(struct json_writer *w, const char *name, const struct ident_app *app)
{
    json_obj(w, name);
    json_obj(w, "application");
    json_str(w, "id", app->client_id);
    json_str(w, "displayName", app->name);
    json_end(w);
    json_end(w);
}

static int write_right(struct onedrive_at *at, const struct app_right *r)
{
    struct json_writer *w = at->c->out;
    struct ident_app app;
    if (app_get(&at->c->tx, r->app, &app) != 1)
        return -1;
    json_str(w, "id", id_of(at, &app));
    json_arr(w, "roles");
    json_str(w, NULL, words[r->write ? 2 : 1]);
    json_end(w);
    write_app(w, "grantedToV2", &app);
    write_app(w, "grantedTo", &app);
    return 0;
}

int onedrive_write_apps(struct onedrive_at *at, const struct drive_item *it)
{
    struct app_right right = {.id = 0};
    int r;
    while ((r = next_right(&at->c->tx, it->id, &right)) == 1) {
        json_obj(at->c->out, NULL);
        if (write_right(at, &right) < 0)
            return -1;
        json_end(at->c->out);
    }
    return r;
}

int onedrive_app_find(struct onedrive_at *at, const struct drive_item *it, const char *id,
                      struct app_right *ret)
{
    struct ident_app app;
    int r;
    *ret = (struct app_right){.id = 0};
    while ((r = next_right(&at->c->tx, it->id, ret)) == 1)
        if (app_get(&at->c->tx, ret->app, &app) != 1)
            return -1;
        else if (strcmp(id_of(at, &app), id) == 0)
            return 1;
    return r;
}

int onedrive_app_answer(struct onedrive_at *at, const struct drive_item *it,
                        const struct app_right *right)
{
    json_obj(at->c->out, NULL);
    graph_context(at->c, "%s%s/permissions/$entity", at->base, onedrive_step(at, it));
    int r = write_right(at, right);
    json_end(at->c->out);
    return r;
}

/* ---- changes ---- */

int onedrive_app_set(struct onedrive_at *at, struct app_right *right, enum drive_role role)
{
    right->write = role == ROLE_WRITER;
    return set_right(&at->c->tx, right->item, right->app, right->write);
}

int onedrive_app_drop(struct onedrive_at *at, const struct app_right *right)
{
    static struct sql_text q = SQL_TEXT("delete from onedrive_app where id = :id");
    return TX_RUN(&at->c->tx, &q, right->id);
}

int onedrive_app_create(struct onedrive_at *at, const struct drive_item *it,
                        const struct json *body, enum drive_role role)
{
    struct call *c = at->c;
    const struct json *to = json_get(body, "grantedToV2");
    const struct json *of = to && to->type == JSON_OBJECT ? json_get(to, "application") : NULL;
    const char *id = of && of->type == JSON_OBJECT ? json_get_str(of, "id") : NULL;
    struct app_right right = {.item = it->id};
    struct ident_app app;
    if (at->personal || !id)
        return onedrive_invalid(c, "The grantedToV2 must have an application.");
    int r = app_find(&c->tx, id, &app);
    if (r != 1)
        return r < 0 ? -1 : onedrive_invalid(c, "The application was not found.");
    right.app = app.id;
    if (onedrive_app_set(at, &right, role) < 0)
        return -1;
    c->status = 201;
    return onedrive_app_answer(at, it, &right);
}

/* ---- in seed documents ---- */

int onedrive_apps_seed(struct tx *tx, struct doc *d, const struct json *v, int64_t item)
{
    const struct json *list = json_get(v, "apps");
    struct ident_app app;
    if (list && list->type != JSON_ARRAY)
        return doc_fail(d, list, "apps", "must be a list of objects with app and role");
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *one = &list->items[i];
        const char *id = one->type == JSON_OBJECT ? json_get_str(one, "app") : NULL;
        const char *role = one->type == JSON_OBJECT ? json_get_str(one, "role") : NULL;
        int place = role ? str_place(words, role) : 0;
        int r = id && place > 0 ? app_find(tx, id, &app) : 0;
        if (r != 1)
            return r < 0 ? -1
                         : doc_fail(d, one, NULL,
                                    "must have the client id of an app and the role "
                                    "read or write");
        if (set_right(tx, item, app.id, place == 2) < 0)
            return -1;
    }
    return 0;
}

int onedrive_apps_dump(struct tx *tx, struct json_writer *w, int64_t item)
{
    struct app_right right = {.id = 0};
    struct ident_app app;
    bool any = false;
    int r;
    while ((r = next_right(tx, item, &right)) == 1) {
        if (app_get(tx, right.app, &app) != 1)
            return -1;
        if (!any)
            json_arr(w, "apps");
        any = true;
        json_obj(w, NULL);
        json_str(w, "app", app.client_id);
        json_str(w, "role", words[right.write ? 2 : 1]);
        json_end(w);
    }
    if (any)
        json_end(w);
    return r;
}
