/* SPDX-License-Identifier: Apache-2.0 */
/* A person whom a user works with, and people as hits of a search. */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/rows.h"
#include "vendors/microsoft/find.h"

/* Whom a user works with: its manager, those whom it leads, and the rest of the department before
 * everybody else, by the order in which they came. */
int dir_person_rank(const struct ms_user *me, const struct ms_user *u)
{
    return u->id == me->manager                                                              ? 0
           : u->manager == me->id                                                            ? 1
           : u->manager && u->manager == me->manager                                         ? 2
           : me->department && u->department && str_eq_nocase(me->department, u->department) ? 3
                                                                                             : 4;
}

static void empty_items(struct json_writer *w, const char *name)
{
    json_arr(w, name);
    json_end(w);
}

void dir_write_person(struct call *c, const struct ms_user *u, const struct actor *actor)
{
    struct json_writer *w = c->out;
    json_str(w, "id", u->oid);
    json_str(w, "displayName", u->name ? u->name : actor->name);
    json_str_opt(w, "givenName", u->given);
    json_str_opt(w, "surname", u->surname);
    json_str(w, "birthday", "");
    json_str(w, "personNotes", "");
    json_bool(w, "isFavorite", false);
    json_str_opt(w, "jobTitle", u->job);
    json_str_opt(w, "companyName", u->company);
    json_str_opt(w, "department", u->department);
    json_str_opt(w, "officeLocation", u->office);
    json_str(w, "userPrincipalName", u->upn);
    json_str(w, "imAddress", arena_printf(c->tx.arena, "sip:%s", u->upn));
    json_arr(w, "scoredEmailAddresses");
    if (u->mail) {
        json_obj(w, NULL);
        json_str(w, "address", u->mail);
        json_int(w, "relevanceScore", 8);
        json_str(w, "selectionLikelihood", "notSpecified");
        json_end(w);
    }
    json_end(w);
    empty_items(w, "phones");
    empty_items(w, "postalAddresses");
    empty_items(w, "websites");
    json_obj(w, "personType");
    json_str(w, "class", "Person");
    json_str(w, "subclass", u->guest ? "PersonalContact" : "OrganizationUser");
    json_end(w);
}

/* "ada" or "\"ada\"": the name or the address has such a word. */
bool dir_person_matches(const char *search, const struct ms_user *u, const struct actor *actor)
{
    const char *name = u->name ? u->name : actor->name;
    size_t n;
    if (!search)
        return true;
    search += *search == '"';
    n = strcspn(search, "\"");
    for (const char *p = name; n && *p; p++)
        if ((p == name || p[-1] == ' ') && strncasecmp(p, search, n) == 0)
            return true;
    return strncasecmp(u->upn, search, n) == 0;
}

/* ---- hits ---- */

struct shown {
    const struct ms_user *user;
    const struct actor *actor;
};

static int write_shown(struct call *c, void *arg)
{
    const struct shown *s = arg;
    dir_write_person(c, s->user, s->actor);
    return 0;
}

static int find_people(struct call *c, struct graph_find *f)
{
    static struct sql_text q =
        SQL_TEXT("select id from ms_user where tenant = :tenant and id > :after and not deleted "
                 "order by id limit 1");
    struct ms_user me, u;
    struct actor actor;
    if (dir_user_of_path(c, NULL, &me) < 0)
        return -1;
    for (int rank = 0; rank < 5; rank++) {
        int64_t id = 0;
        int r;
        while ((r = TX_INT(&c->tx, &q, &id, me.tenant, id)) == 1) {
            struct shown s = {&u, &actor};
            if (ms_user_get(&c->tx, id, &u) != 1 || actor_by_id(&c->tx, u.actor, &actor) != 1)
                return -1;
            if (dir_person_rank(&me, &u) != rank || !dir_person_matches(f->text, &u, &actor))
                continue;
            if (f->total++ >= f->from && f->n < f->size &&
                graph_hit(c, f, u.oid, "person", NULL, write_shown, &s) < 0)
                return -1;
        }
        if (r < 0)
            return -1;
    }
    f->more = f->from + f->n < f->total;
    return 0;
}

const struct graph_finder dir_people_finder = {
    .entity = "person", .scopes = "People.Read People.Read.All", .find = find_people};
