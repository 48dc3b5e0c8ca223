/* SPDX-License-Identifier: Apache-2.0 */
/* Whom and what documents name: workspaces, people, channels and apps, read and written. */
#include "engine/base/map.h"
#include "engine/json/doc.h"
#include "services/chat/core/impl.h"

/* The workspace that an item names, else the only one there is, else the first. */
int chat_doc_workspace(struct tx *tx, struct doc *d, const struct json *v,
                       struct chat_workspace *ret)
{
    const char *name;
    if (doc_str(d, v, "workspace", false, &name) < 0)
        return -1;
    int r = name ? chat_workspace_find(tx, name, ret) : chat_workspace_first(tx, 0, ret);
    if (r)
        return r < 0 ? -1 : 0;
    return name ? doc_fail(d, json_get(v, "workspace"), "workspace",
                           "there is no workspace \"%.80s\"", name)
                : doc_fail(d, v, NULL, "there is no workspace in the document");
}

/* Where a vendor knows who belongs to a workspace, they are in it when something names them. */
static int join(struct tx *tx, int64_t workspace, const struct actor *who, struct chat_user *ret)
{
    const struct chat_vendor *vendor = chat_vendor_of(tx, workspace);
    struct chat_workspace w;
    int r = vendor->belongs ? chat_workspace_get(tx, workspace, &w) : 0;
    if (r == 1)
        r = vendor->belongs(tx, &w, who);
    if (r != 1)
        return r;
    *ret = chat_new_user(tx, &w, who);
    return chat_user_add(tx, ret) < 0 ? -1 : 1;
}

int chat_doc_find(struct tx *tx, int64_t workspace, const char *name, struct chat_user *ret)
{
    struct actor actor;
    int r = chat_user_find(tx, workspace, name, ret);
    if (r)
        return r;
    r = actor_find(tx, name, &actor);
    if (r == 1) {
        r = chat_user_of(tx, actor.id, workspace, ret);
        if (r == 0)
            r = join(tx, workspace, &actor, ret);
    }
    return r ? r : chat_user_by_name(tx, workspace, name, ret);
}

/* Somebody of another workspace by his id: he may have written before a channel was shared no more.
 */
static int find_stranger(struct tx *tx, int64_t workspace, const char *key, struct chat_user *ret)
{
    static struct sql_text q =
        SQL_TEXT("select u.id from chat_workspace w join chat_user u on u.workspace = w.id and "
                 "u.key = :key where w.id <> :workspace order by w.id limit 1");
    int64_t id;
    int r = TX_INT(tx, &q, &id, key, workspace);
    return r == 1 ? chat_user_get(tx, id, ret) : r;
}

int chat_doc_find_any(struct tx *tx, int64_t workspace, const char *name, struct chat_user *ret)
{
    int r = chat_doc_find(tx, workspace, name, ret);
    return r ? r : find_stranger(tx, workspace, name, ret);
}

/* A section of messages names the same people again and again. Whom it makes members of a workspace
 * (join()) may come before one who is deleted and one of another workspace, which are looked for
 * each time; nothing else changes who is meant by a name that has been found. */
enum { PEOPLE = 64 };
struct people {
    struct {
        int64_t workspace;
        const char *name; /* NULL: nobody yet */
        struct chat_user user;
    } met[PEOPLE];
};

void chat_doc_keep_people(struct doc *d)
{
    d->kept = arena_calloc(d->arena, 1, sizeof(struct people));
}

int chat_doc_somebody(struct tx *tx, struct doc *d, int64_t workspace, const char *name,
                      struct chat_user *ret)
{
    struct people *people = d->kept;
    if (!people || arena_failed(d->arena))
        return chat_doc_find_any(tx, workspace, name, ret);
    size_t at = (hash_bytes(name, strlen(name)) ^ (uint64_t)workspace) % PEOPLE;
    if (people->met[at].name && people->met[at].workspace == workspace &&
        strcmp(people->met[at].name, name) == 0) {
        *ret = people->met[at].user;
        return 1;
    }
    int r = chat_doc_find_any(tx, workspace, name, ret);
    if (r == 1 && ret->workspace == workspace && !ret->deleted) {
        people->met[at].workspace = workspace;
        people->met[at].name = name;
        people->met[at].user = *ret;
    }
    return r;
}

/* Somebody of a workspace: by id, actor or name. Absent: id 0. */
int chat_doc_user(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                  int64_t workspace, struct chat_user *ret)
{
    const char *name;
    *ret = (struct chat_user){0};
    if (doc_str(d, v, member, false, &name) < 0)
        return -1;
    int r = name ? chat_doc_somebody(tx, d, workspace, name, ret) : 1;
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(d, json_get(v, member), member,
                              "there is nobody \"%.80s\" in the workspace", name);
}

int chat_doc_channel(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                     struct chat_channel *ret)
{
    const char *name;
    if (doc_str(d, v, "channel", true, &name) < 0)
        return -1;
    int r = chat_channel_find(tx, workspace, name, ret);
    if (!r)
        r = chat_channel_by_name(tx, workspace, name, ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(d, json_get(v, "channel"), "channel", "there is no channel \"%.80s\"",
                              name);
}

int chat_doc_app(struct tx *tx, struct doc *d, const struct json *v, int64_t *ret)
{
    struct ident_app app;
    const char *client_id;
    *ret = 0;
    if (doc_str(d, v, "app", false, &client_id) < 0)
        return -1;
    int r = client_id ? app_find(tx, client_id, &app) : 0;
    if (r == 1)
        *ret = app.id;
    return r < 0 ? -1
           : r || !client_id
               ? 0
               : doc_fail(d, json_get(v, "app"), "app", "there is no app \"%.80s\"", client_id);
}

int chat_doc_other(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                   int64_t *ret)
{
    struct chat_workspace w;
    const char *name;
    *ret = 0;
    if (doc_str(d, v, member, false, &name) < 0)
        return -1;
    int r = name ? chat_workspace_find(tx, name, &w) : 0;
    if (r == 1)
        *ret = w.id;
    return r < 0 ? -1
           : r || !name
               ? 0
               : doc_fail(d, json_get(v, member), member, "there is no workspace \"%.80s\"", name);
}

int chat_dump_user(struct tx *tx, struct json_writer *w, const char *member, int64_t user)
{
    struct chat_user u;
    int r = user ? chat_user_get(tx, user, &u) : 0;
    if (r == 1)
        json_str(w, member, u.key);
    return r < 0 ? -1 : 0;
}

int chat_dump_app(struct tx *tx, struct json_writer *w, const char *member, int64_t app)
{
    struct ident_app a;
    int r = app ? app_get(tx, app, &a) : 0;
    if (r == 1)
        json_str(w, member, a.client_id);
    return r < 0 ? -1 : 0;
}

int chat_dump_workspace(struct tx *tx, struct json_writer *w, int64_t workspace)
{
    struct chat_workspace ws;
    int r = chat_workspace_get(tx, workspace, &ws);
    if (r == 1)
        json_str(w, "workspace", ws.key);
    return r < 0 ? -1 : 0;
}
