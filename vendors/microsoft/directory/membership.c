/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in a group and who owns it; lists of relations as users or groups alone, and how many they
 * are. */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/rows.h"
#include <stdlib.h>

/* ---- what the path asks for ---- */

/* The last segment in front of *end, which is set to where it begins. */
static const char *last_segment(const char *path, const char **end, size_t *ret_n)
{
    const char *stop = *end;
    while (stop > path && stop[-1] == '/')
        stop--;
    const char *start = stop;
    while (start > path && start[-1] != '/')
        start--;
    *end = start;
    *ret_n = (size_t)(stop - start);
    return start;
}

static bool ends_with(const char *text, size_t n, const char *end)
{
    const size_t len = strlen(end);
    return n >= len && strncasecmp(text + n - len, end, len) == 0;
}

int dir_answer_related(struct call *c, const struct dir_list *list)
{
    struct dir_list l = *list;
    const char *end = c->path + c->path_len;
    size_t n;
    const char *segment = last_segment(c->path, &end, &n);
    const bool count = ends_with(segment, n, "count");
    if (count)
        segment = last_segment(c->path, &end, &n);
    l.only = ends_with(segment, n, "user")    ? &dir_user
             : ends_with(segment, n, "group") ? &dir_group
                                              : NULL;
    if (l.only) {
        l.kind = l.only;
        l.set = NULL;
        l.typed = false;
    }
    return count ? dir_answer_count(c, &l) : dir_answer_list(c, &l);
}

/* ---- who may be in one ---- */

int dir_address_of(struct call *c, const struct ms_group *group, const char *id, const char **ret,
                   struct ms_user *ret_user)
{
    struct ms_group other;
    int r = ms_user_find(&c->tx, id, group->tenant, ret_user);
    if (r == 1)
        return ms_user_address(&c->tx, ret_user, ret) < 0 ? -1 : 1;
    ret_user->id = 0;
    r = r == 0 ? ms_group_find(&c->tx, id, group->tenant, &other) : r;
    if (r == 1)
        *ret = other.email;
    return r;
}

int dir_new_member(struct call *c, const struct ms_group *group, const char *id, const char **ret)
{
    struct ms_user user;
    struct ms_group other;
    int r = dir_address_of(c, group, id, ret, &user);
    if (r != 1 || user.id)
        return r;
    r = ms_group_find(&c->tx, *ret, group->tenant, &other);
    if (r != 1 || !(group->unified || other.unified))
        return r;
    return call_fail(c, SOSIA_E_INVALID, "Request_BadRequest", NULL,
                     "%s Groups cannot be added to %s Groups. paramName: Members, paramValue: , "
                     "objectType: Microsoft.Online.DirectoryServices.Group",
                     other.unified ? "Unified" : "Security",
                     group->unified ? "Unified" : "Security");
}

/* ---- walking ---- */

int dir_next_owner(struct call *c, const void *of, int64_t after, struct dir_item *ret)
{
    static struct sql_text q = SQL_TEXT("select user from ms_owner where team = :group and user > "
                                        ":after order by user limit 1");
    const struct ms_group *group = of;
    ret->kind = &dir_user;
    return TX_INT(&c->tx, &q, &ret->id, group->id, after);
}

static int member_item(struct call *c, const struct ms_group *group, const char *email,
                       int64_t *ret_at)
{
    struct ms_group own;
    struct ms_user user;
    struct actor actor;
    int r = actor_by_email(&c->tx, email, &actor);
    if (r == 1)
        r = ms_user_of_actor(&c->tx, actor.id, group->tenant, &user);
    if (r == 1)
        *ret_at = user.id;
    if (r)
        return r;
    r = ms_group_find(&c->tx, email, group->tenant, &own);
    if (r == 1)
        *ret_at = DIR_GROUPS_FROM + own.id;
    return r;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Adds those of the members of some addresses that the group's tenant knows. */
static int add_members(struct call *c, const struct ms_group *group, int64_t addresses,
                       struct dir_members *ret)
{
    const char *email = "";
    int64_t at;
    int r;
    while ((r = group_next_member(&c->tx, addresses, email, &email)) == 1) {
        if ((r = member_item(c, group, email, &at)) < 0)
            return -1;
        if (r == 0)
            continue;
        ret->list = arena_grow(c->tx.arena, ret->list, ret->n, &ret->cap, sizeof *ret->list);
        if (!ret->list)
            return sosia_fail_memory(c->tx.err);
        ret->list[ret->n++] = at;
    }
    return r;
}

static void in_order(struct dir_members *m)
{
    if (m->n)
        qsort(m->list, m->n, sizeof *m->list, by_number);
}

int dir_read_members(struct call *c, const struct ms_group *group, struct dir_members *ret)
{
    *ret = (struct dir_members){0};
    int r = add_members(c, group, group->addresses, ret);
    in_order(ret);
    return r;
}

/* Each once. */
static void drop_doubles(struct dir_members *m)
{
    size_t n = 0;
    in_order(m);
    for (size_t i = 0; i < m->n; i++)
        if (!n || m->list[n - 1] != m->list[i])
            m->list[n++] = m->list[i];
    m->n = n;
}

enum { MAX_GROUPS = 1000 }; /* that are opened */

/* With the members of groups that are members. */
int dir_read_all_members(struct call *c, const struct ms_group *group, struct dir_members *ret)
{
    int64_t open[MAX_GROUPS] = {group->id};
    struct ms_group g;
    size_t n = 1;
    *ret = (struct dir_members){0};
    for (size_t at = 0; at < n; at++) {
        const size_t from = ret->n;
        if (ms_group_get(&c->tx, open[at], &g) != 1 || add_members(c, group, g.addresses, ret) < 0)
            return -1;
        for (size_t i = from; i < ret->n; i++) {
            const int64_t id = dir_rowid(ret->list[i]);
            bool seen = ret->list[i] < DIR_GROUPS_FROM || n == MAX_GROUPS;
            for (size_t k = 0; k < n && !seen; k++)
                seen = open[k] == id;
            if (!seen)
                open[n++] = id;
        }
    }
    drop_doubles(ret);
    return 0;
}

int dir_next_of_members(struct call *c, const void *of, int64_t after, struct dir_item *ret)
{
    const struct dir_members *m = of;
    size_t from = 0, end = m->n; /* the first one behind it */
    (void)c;
    while (from < end) {
        size_t mid = from + (end - from) / 2;
        if (m->list[mid] > after)
            end = mid;
        else
            from = mid + 1;
    }
    if (from == m->n)
        return 0;
    *ret =
        (struct dir_item){m->list[from] > DIR_GROUPS_FROM ? &dir_group : &dir_user, m->list[from]};
    return 1;
}

int dir_next_member(struct call *c, const void *of, int64_t after, struct dir_item *ret)
{
    struct dir_members m;
    return dir_read_members(c, of, &m) < 0 ? -1 : dir_next_of_members(c, &m, after, ret);
}
