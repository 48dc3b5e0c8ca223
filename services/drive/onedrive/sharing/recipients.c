/* SPDX-License-Identifier: Apache-2.0 */
/* People of bodies: recipients and their role. */
#include "engine/base/codec.h"
#include "identity/identity.h"
#include "services/drive/onedrive/sharing/rights.h"

/* The one role of a list of words. 0, -1 refused. */
int onedrive_read_role(struct call *c, const struct json *roles, enum drive_role *ret)
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

/* An address of a recipient: of an email, an alias or an object id. NULL: refused. */
const char *onedrive_read_recipient(struct call *c, const struct json *v)
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

int onedrive_read_users(struct call *c, const struct json *list, struct drive_link *l)
{
    l->users = arena_calloc(c->tx.arena, MOST_RECIPIENTS, sizeof *l->users);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (list && list->type == JSON_ARRAY && list->n > MOST_RECIPIENTS)
        return onedrive_invalid(c, "There are too many recipients.");
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        if (!(l->users[l->n_users++] = onedrive_read_recipient(c, &list->items[i])))
            return -1;
    return 0;
}

const char *onedrive_lower(struct arena *a, const char *text)
{
    char *p = arena_strdup(a, text);
    for (char *at = p; at && *at; at++)
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at + 32);
    return p;
}
