/* SPDX-License-Identifier: Apache-2.0 */
/* More people for a sharing link. */
#include "engine/base/codec.h"
#include "services/drive/onedrive/sharing/rights.h"

static bool has_user(const struct drive_link *l, const char *who)
{
    for (size_t i = 0; i < l->n_users; i++)
        if (str_eq_nocase(l->users[i], who))
            return true;
    return false;
}

/* More people into a link for users; those that it has keep it. */
static int add_users(struct call *c, struct drive_link *l, const struct json *list)
{
    struct drive_link more = {.id = 0};
    const char **users;
    size_t n = l->n_users;
    if (!list || list->type != JSON_ARRAY || !list->n)
        return onedrive_invalid(c, "The recipients must be there.");
    if (onedrive_read_users(c, list, &more) < 0)
        return -1;
    users = arena_calloc(c->tx.arena, n + more.n_users, sizeof *users);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (n)
        memcpy(users, l->users, n * sizeof *users);
    l->users = users;
    for (size_t i = 0; i < more.n_users; i++)
        if (!has_user(l, more.users[i]))
            users[l->n_users++] = onedrive_lower(c->tx.arena, more.users[i]);
    return l->n_users <= LINK_USERS_MAX ? 0 : onedrive_invalid(c, "There are too many recipients.");
}

/* Lets people use a link; of one that everybody may use it says that alone (MG-446). */
int onedrive_link_grant(struct onedrive_at *at, struct drive_item *it, struct drive_link *l)
{
    struct call *c = at->c;
    const struct json *body = call_body(c);
    enum drive_role role = ROLE_NONE;
    if (!body ||
        (json_get(body, "roles") && onedrive_read_role(c, json_get(body, "roles"), &role) < 0))
        return -1;
    if (role != ROLE_NONE && role != drive_link_role(l))
        return onedrive_invalid(c, "The roles must be those of the sharing link.");
    struct drive_link changed = *l;
    if (add_users(c, &changed, json_get(body, "recipients")) < 0)
        return -1;
    if (l->scope == LINK_USERS && drive_link_save(&c->tx, it, &changed) < 0)
        return onedrive_refused(c);
    json_obj(c->out, NULL);
    graph_context_of(c, "Collection(microsoft.graph.permission)");
    json_arr(c->out, "value");
    json_obj(c->out, NULL);
    int r = right_write_link(at, it, l->scope == LINK_USERS ? &changed : l, false);
    json_end(c->out);
    json_end(c->out);
    json_end(c->out);
    return r;
}
