/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars of groups: each group of Microsoft 365 has one, whose organizer it is. Its people write
 * there; of one that is public the tenant's others read, but for guests (MG-546). */
#include "engine/base/codec.h"
#include "services/calendar/outlook/ocal.h"
#include "vendors/microsoft/directory/directory.h"

/* ---- which group ---- */

/* 0, -1. */
static int role_in_group(struct call *c, const struct ms_group *group, enum cal_role *ret)
{
    struct ms_user user;
    const char *address;
    int r = ms_user_of_actor(&c->tx, c->actor.id, group->tenant, &user);
    *ret = CAL_NONE;
    if (r != 1)
        return r;
    if (!user.guest && (!group->visibility || strcmp(group->visibility, "Public") == 0))
        *ret = CAL_READ;
    if (ms_user_address(&c->tx, &user, &address) < 0)
        return -1;
    r = group_has_member(&c->tx, group->addresses, address);
    if (r == 0)
        r = ms_owner_is(&c->tx, group->id, user.id);
    if (r == 1)
        *ret = CAL_WRITE;
    return r < 0 ? -1 : 0;
}

/* One that nothing was written to is not there yet. */
static int find_calendar(struct call *c, const struct ms_group *group, bool make,
                         struct calendar *ret)
{
    int r = calendar_of_group(&c->tx, group->email, ret);
    if (r)
        return r < 0 ? -1 : 0;
    *ret = (struct calendar){.key = group->email, .summary = "Calendar", .zone = "UTC"};
    if (make)
        return calendar_add_group(&c->tx, ocal_vendor.name, ret) < 0 ? ocal_refused(c) : 0;
    ret->address = ret->key;
    ret->vendor = &ocal_vendor;
    ret->tz = tz_find(ret->zone);
    return 0;
}

int ocal_open_group(struct call *c, enum cal_role need, struct ocal_at *ret)
{
    struct ms_tenant tenant;
    struct ms_group group;
    enum cal_role role;
    if (ms_group_of_path(c, &tenant, &group) < 0 || role_in_group(c, &group, &role) < 0)
        return -1;
    const struct graph_user as = {.actor = {.email = group.email, .name = group.name},
                                  .oid = group.oid,
                                  .key = group.oid,
                                  .tenant = tenant.guid};
    if (role < need || role == CAL_NONE)
        return graph_denied(c);
    if (ocal_at_user(c, &as, ret) < 0 || find_calendar(c, &group, need >= CAL_WRITE, &ret->cal) < 0)
        return -1;
    ocal_read_body_type(ret);
    ret->no_links = true;
    ret->group_role = ret->cal.role = role;
    ret->cal.beyond = CAL_PRIVATE; /* it is nobody's else: members see what members write */
    ret->base = arena_printf(c->tx.arena, "groups%s%s", graph_key(c->tx.arena, group.oid),
                             c->path && strstr(c->path, "/calendar/") ? "/calendar" : "");
    return 0;
}
