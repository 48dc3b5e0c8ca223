/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a call is about: its file, organisations, those whom a share names. */
#include "identity/sql.h"
#include "services/drive/google/org/admin.h"
#include "services/drive/google/sharing/access.h"
#include "services/drive/core/access/shared.h"

/* Public domains, which are not an organisation's. */
static const char *const open_domains[] = {"gmail.com", "googlemail.com", NULL};

bool gdrive_has_organisation(const struct actor *a)
{
    const char *domain = email_domain(a->email);
    for (size_t i = 0; open_domains[i]; i++)
        if (strcmp(open_domains[i], domain) == 0)
            return false;
    return *domain;
}

int gdrive_is_organisation(struct call *c, const char *domain)
{
    static struct sql_text q =
        SQL_TEXT("select 1 where " IDENT_SQL_IS_DOMAIN(":domain", ":address"));
    const struct actor somebody = {.email = arena_printf(c->tx.arena, "a@%s", domain)};
    int64_t one;
    if (!gdrive_has_organisation(&somebody))
        return 0;
    return TX_INT(&c->tx, &q, &one, domain, arena_printf(c->tx.arena, "%%@%s", domain));
}

bool gdrive_same_organisation(const struct actor *a, const struct actor *b)
{
    if (a->org && a->org == b->org)
        return true;
    return gdrive_has_organisation(a) &&
           strcmp(email_domain(a->email), email_domain(b->email)) == 0;
}

int gdrive_insufficient(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "insufficientFilePermissions", NULL,
                     "The user does not have sufficient permissions for this file.");
}

/* Administrators organize all shared drives; for others the parameter finds nothing. */
static int open_as_admin(struct gdrive_subject *s, const char *key)
{
    struct call *c = s->view.c;
    int r = gdrive_is_admin(&c->tx, c->actor.id);
    if (r == 1)
        r = drive_item_by_key(&c->tx, key, &s->item);
    if (r < 0)
        return -1;
    if (!r || !s->item.drive || !gdrive_all_drives(c))
        return gdrive_no_file(c, key);
    r = gdrive_reached(c, &s->item, NULL);
    if (r != 1)
        return r < 0 ? -1 : gdrive_no_file(c, key);
    if (drive_role(&s->view.viewer, &s->item, &s->access) < 0)
        return -1;
    s->access.role = ROLE_ORGANIZER;
    s->access.expires = false;
    return gdrive_may(&s->view.viewer, &s->item, &s->access, &s->cans);
}

int gdrive_subject(struct call *c, struct gdrive_subject *ret)
{
    const char *key = param_str(c, "fileId");
    if (gdrive_view(c, &ret->view) < 0)
        return -1;
    if (gdrive_flag(c, "useDomainAdminAccess"))
        return open_as_admin(ret, key);
    if (gdrive_open_file(&ret->view, ROLE_SEES, &ret->item, &ret->access) < 0)
        return -1;
    return gdrive_may(&ret->view.viewer, &ret->item, &ret->access, &ret->cans);
}

int gdrive_must(struct gdrive_subject *s, enum gdrive_can what)
{
    return can(&s->cans, what) ? 0 : gdrive_insufficient(s->view.c);
}

int gdrive_addressee(struct call *c, const char *email, const char **ret_who, struct actor *ret)
{
    struct group g;
    const char *who = email_normal(c->tx.arena, email);
    *ret = (struct actor){0};
    if (!who || alias_open(&c->tx, &who) < 0)
        return who ? -1 : 0;
    *ret_who = who;
    int r = actor_by_email(&c->tx, who, ret);
    if (r)
        return r;
    r = group_by_email(&c->tx, who, &g);
    return r == 1 ? 2 : r;
}
