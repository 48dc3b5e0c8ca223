/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a user works with, as a list and as hits of a search. */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/rows.h"
#include "vendors/microsoft/find.h"

/* Whom a user works with: its manager, those whom it leads, and the rest of the department before
 * everybody else, by the order in which they came. */
static int rank_of(const struct ms_user *me, const struct ms_user *u)
{
    return u->id == me->manager                                                              ? 0
           : u->manager == me->id                                                            ? 1
           : u->manager && u->manager == me->manager                                         ? 2
           : me->department && u->department && str_eq_nocase(me->department, u->department) ? 3
                                                                                             : 4;
}

static void no_items(struct json_writer *w, const char *name)
{
    json_arr(w, name);
    json_end(w);
}

static void write_person(struct call *c, const struct ms_user *u, const struct actor *actor)
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
    no_items(w, "phones");
    no_items(w, "postalAddresses");
    no_items(w, "websites");
    json_obj(w, "personType");
    json_str(w, "class", "Person");
    json_str(w, "subclass", u->guest ? "PersonalContact" : "OrganizationUser");
    json_end(w);
}

/* "ada" or "\"ada\"": the name or the address has such a word. */
static bool is_searched(const char *search, const struct ms_user *u, const struct actor *actor)
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

static int write_people(struct call *c, const struct ms_user *me, int rank, const char *search,
                        int64_t *skip, int64_t *left)
{
    static struct sql_text q =
        SQL_TEXT("select id from ms_user where tenant = :tenant and id > :after and not deleted "
                 "order by id limit 1");
    struct ms_user u;
    struct actor actor;
    int64_t id = 0;
    int r = 0;
    while (*left > 0 && (r = TX_INT(&c->tx, &q, &id, me->tenant, id)) == 1) {
        if (ms_user_get(&c->tx, id, &u) != 1 || actor_by_id(&c->tx, u.actor, &actor) != 1)
            return -1;
        if (u.id == me->id || rank_of(me, &u) != rank || !is_searched(search, &u, &actor))
            continue;
        if (*skip > 0) {
            --*skip;
            continue;
        }
        json_obj(c->out, NULL);
        write_person(c, &u, &actor);
        json_end(c->out);
        --*left;
    }
    return r < 0 ? -1 : 0;
}

static int option_number(struct call *c, const char *name, int64_t otherwise, int64_t max,
                         int64_t *ret)
{
    const char *text = graph_option(c, name);
    *ret = otherwise;
    if (!text)
        return 0;
    if (parse_i64(text, strlen(text), ret) < 0 || *ret < 0 || *ret > max)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidUrlQuery", NULL,
                         "The value of %s must be a number from 0 to %lld, not '%.60s'.", name,
                         (long long)max, text);
    return 0;
}

static int people_list(struct call *c)
{
    struct ms_user user;
    int64_t top, skip;
    if (dir_user_of_path(c, "People.Read.All", &user) < 0 ||
        option_number(c, "$top", 10, 1000, &top) < 0 ||
        option_number(c, "$skip", 0, 100000, &skip) < 0)
        return -1;
    if (graph_option(c, "$filter")) /* MG-334 */
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidProperty", NULL,
                         "The property does not support filtering.");
    const char *search = graph_option(c, "$search");
    json_obj(c->out, NULL);
    graph_context(c, "users%s/people", graph_key(c->tx.arena, user.oid));
    json_arr(c->out, "value");
    for (int rank = 0; rank < 5; rank++)
        if (write_people(c, &user, rank, search, &skip, &top) < 0)
            return -1;
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- hits ---- */

struct shown {
    const struct ms_user *user;
    const struct actor *actor;
};

static int write_shown(struct call *c, void *arg)
{
    const struct shown *s = arg;
    write_person(c, s->user, s->actor);
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
            if (rank_of(&me, &u) != rank || !is_searched(f->text, &u, &actor))
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

/* ---- rows ---- */

static const struct route methods[] = {
    {.id = "directory.people.list",
     .verbs = GET,
     .paths = PATHS(GRAPH_MY("/people")),
     .handler = people_list,
     .risk = RISK_READ,
     .scopes = "People.Read People.Read.All",
     PARAMS(dir_list_params),
     .response = "microsoft.graph.personCollectionResponse",
     .summary = "Whom a user works with"},
};
const struct rows dir_people_rows = ROWS(methods);
