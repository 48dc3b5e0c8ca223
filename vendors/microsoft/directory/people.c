/* SPDX-License-Identifier: Apache-2.0 */
/* Whom a user works with, as a list. */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/rows.h"

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
        if (u.id == me->id || dir_person_rank(me, &u) != rank ||
            !dir_person_matches(search, &u, &actor))
            continue;
        if (*skip > 0) {
            --*skip;
            continue;
        }
        json_obj(c->out, NULL);
        dir_write_person(c, &u, &actor);
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

/* MG-334: people can't be filtered; the refusal names the property, by Outlook's name of it. */
static int unfiltered(struct call *c, const char *filter)
{
    filter += strspn(filter, " (");
    const size_t n = strcspn(filter, " ,()/'");
    if (!n || filter[n] == '(')
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidUrlQueryFilter", NULL,
                         "The query filter contains one or more invalid nodes.");
    return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidProperty", NULL,
                     "The property '%c%.*s' does not support filtering.",
                     *filter >= 'a' && *filter <= 'z' ? *filter - 'a' + 'A' : *filter,
                     n > 100 ? 99 : (int)n - 1, filter + 1);
}

static int people_list(struct call *c)
{
    struct ms_user user;
    int64_t top, skip;
    if (dir_user_of_path(c, "People.Read.All", &user) < 0 ||
        option_number(c, "$top", 10, 1000, &top) < 0 ||
        option_number(c, "$skip", 0, 100000, &skip) < 0)
        return -1;
    if (graph_option(c, "$filter"))
        return unfiltered(c, graph_option(c, "$filter"));
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

/* ---- rows ---- */

static const struct route methods[] = {
    {ROUTE("directory.people.list", GET, GRAPH_MY("/people")), .handler = people_list,
     .risk = RISK_READ, .scopes = "People.Read People.Read.All", PARAMS(dir_list_params),
     .response = "microsoft.graph.personCollectionResponse", .summary = "Whom a user works with"},
};
const struct rows dir_people_rows = ROWS(methods);
