/* SPDX-License-Identifier: Apache-2.0 */
/* Whether people are there: sessions of programs, what people prefer to be shown, and their status
 * messages (MG-604). Without a session somebody is offline, whatever is preferred. */
#include "engine/state/stored.h"
#include "engine/text/civil.h"
#include "services/chat/teams/rows.h"
#include "vendors/microsoft/query.h"
#include <strings.h>

#define READ  "Presence.Read Presence.Read.All Presence.ReadWrite Presence.ReadWrite.All"
#define OTHER "Presence.Read.All Presence.ReadWrite.All"
#define WRITE "Presence.ReadWrite Presence.ReadWrite.All"

static int get(struct tx *tx, int64_t user, struct teams_presence *ret)
{
    *ret = (struct teams_presence){0};
    return stored_get(tx, &teams_presence_stored, user, ret);
}

static int put(struct tx *tx, int64_t user, struct teams_presence *p)
{
    if (p->user)
        return stored_save(tx, &teams_presence_stored, user, p);
    p->user = user;
    return stored_add(tx, &teams_presence_stored, p);
}

/* ---- reading ---- */

static const char *shown(struct tx *tx, const struct teams_presence *p)
{
    const bool session = p->session && p->session_until_us > tx->now_us;
    const bool preferred = p->preferred && p->preferred_until_us > tx->now_us;
    return !session ? "Offline/Offline" : preferred ? p->preferred : p->session;
}

static int write_presence(struct teams_at *at, const struct ms_user *user)
{
    struct json_writer *w = at->c->out;
    struct arena *a = at->c->tx.arena;
    struct chat_user u = {.id = 0};
    struct teams_presence p;
    if ((at->workspace.id && chat_user_find(&at->c->tx, at->workspace.id, user->oid, &u) < 0) ||
        get(&at->c->tx, u.id, &p) < 0)
        return -1;
    const char *words = shown(&at->c->tx, &p), *slash = strchr(words, '/');
    json_str(w, "id", user->oid);
    json_str(w, "availability", slash ? arena_memdup(a, words, (size_t)(slash - words)) : words);
    json_str(w, "activity", slash ? slash + 1 : words);
    if (p.status) {
        const struct json *status = teams_properties(a, p.status);
        json_obj(w, "statusMessage");
        json_str(w, "publishedDateTime", graph_date(a, p.status_us, 7));
        for (uint32_t i = 0; status && i < status->n; i++)
            json_value(w, status->members[i].key, &status->members[i].value);
        json_end(w);
    } else {
        json_null(w, "statusMessage");
    }
    return 0;
}

/* user_path: as what a user has, else as one of all presences. */
static int presence_of(struct call *c, bool user_path)
{
    const char *named = param_str(c, "user-id");
    struct odata_query q;
    struct ms_user user;
    struct teams_at at;
    if (named && !call_has_scope(c, OTHER))
        return graph_denied(c);
    if (teams_open_any(c, &at, &user) < 0 || teams_options(c, "presence", "$select", &q) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ID, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    const char *only = odata_context(c->tx.arena, &q);
    if (user_path)
        graph_context(c, "users('%s')/presence%s/$entity", user.oid, only);
    else
        graph_context(c, "communications/presences%s/$entity", only);
    int r = write_presence(&at, &user);
    json_end(c->out);
    return r;
}

static int presence_get(struct call *c)
{
    return presence_of(c, true);
}

static int presence_by_id(struct call *c)
{
    return presence_of(c, false);
}

static int presences_get(struct call *c)
{
    const struct json *body, *ids;
    struct teams_at at;
    if (teams_open(c, &at) < 0 || !(body = call_body(c)))
        return -1;
    ids = json_get(body, "ids");
    if (!ids || ids->type != JSON_ARRAY || !ids->n || ids->n > 650)
        return teams_bad(c, "The ids must be 1 to 650 ids of users.");
    json_obj(c->out, NULL);
    graph_context(c, "Collection(presence)");
    json_arr(c->out, "value");
    for (uint32_t i = 0; i < ids->n; i++) {
        const char *id = ids->items[i].type == JSON_STRING ? ids->items[i].str : "";
        struct ms_user user;
        int r = ms_user_find(&c->tx, id, at.tenant.id, &user);
        if (r < 0)
            return -1;
        if (!r || strcmp(user.oid, id) != 0)
            continue;
        json_obj(c->out, NULL);
        if (write_presence(&at, &user) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- changing: one's own, or by an app anybody's ---- */

static int open_own(struct call *c, struct teams_at *at, struct teams_presence *p)
{
    if (teams_open_write(c, at) < 0)
        return -1;
    return at->me.id ? get(&c->tx, at->me.id, p) < 0 ? -1 : 0 : graph_denied(c);
}

/* "Busy/InACall" of those that may be said; 0, -1. */
static int read_words(struct call *c, const struct json *body, const char *const *allowed,
                      const char **ret)
{
    const char *availability = json_get_str(body, "availability");
    const char *activity = json_get_str(body, "activity");
    const char *words =
        availability && activity && strlen(availability) < 40 && strlen(activity) < 40
            ? arena_printf(c->tx.arena, "%s/%s", availability, activity)
            : "";
    for (size_t i = 0; allowed[i]; i++)
        if (strcmp(allowed[i], words) == 0) {
            *ret = allowed[i];
            return 0;
        }
    return teams_bad(c, "Invalid availability and activity combination.");
}

/* Until when; usual: of one without a duration. 0, -1. */
static int read_until(struct call *c, const struct json *body, int64_t usual_s, int64_t most_s,
                      int64_t *ret)
{
    const char *text = json_get_str(body, "expirationDuration");
    int64_t us = usual_s * US_PER_SECOND;
    if (text &&
        (!odata_duration(text, &us) || us < 5 * 60 * US_PER_SECOND || us > most_s * US_PER_SECOND))
        return teams_bad(c, "The expirationDuration is out of range.");
    *ret = c->tx.now_us + us;
    return 0;
}

static int presence_set(struct call *c)
{
    static const char *const allowed[] = {"Available/Available",     "Busy/InACall",
                                          "Busy/InAConferenceCall",  "Away/Away",
                                          "DoNotDisturb/Presenting", NULL};
    const struct json *body;
    struct teams_presence p;
    struct teams_at at;
    if (open_own(c, &at, &p) < 0 || !(body = call_body(c)))
        return -1;
    const char *session = json_get_str(body, "sessionId");
    if (!session || !*session)
        return teams_bad(c, "The sessionId must be the id of the application.");
    c->status = 200;
    return read_words(c, body, allowed, &p.session) < 0 ||
                   read_until(c, body, 300, 4 * 3600, &p.session_until_us) < 0
               ? -1
               : put(&c->tx, at.me.id, &p);
}

static int presence_clear(struct call *c)
{
    const struct json *body;
    struct teams_presence p;
    struct teams_at at;
    if (open_own(c, &at, &p) < 0 || !(body = call_body(c)))
        return -1;
    const char *session = json_get_str(body, "sessionId");
    if (!session || !*session)
        return teams_bad(c, "The sessionId must be the id of the application.");
    if (!p.session || p.session_until_us <= c->tx.now_us)
        return graph_not_found(c);
    p.session = NULL;
    p.session_until_us = 0;
    c->status = 200;
    return put(&c->tx, at.me.id, &p);
}

static int preferred_set(struct call *c)
{
    static const char *const allowed[] = {"Available/Available",
                                          "Busy/Busy",
                                          "DoNotDisturb/DoNotDisturb",
                                          "BeRightBack/BeRightBack",
                                          "Away/Away",
                                          "Offline/OffWork",
                                          NULL};
    const struct json *body;
    struct teams_presence p;
    struct teams_at at;
    if (open_own(c, &at, &p) < 0 || !(body = call_body(c)) ||
        read_words(c, body, allowed, &p.preferred) < 0)
        return -1;
    const bool short_lived = p.preferred == allowed[1] || p.preferred == allowed[2];
    c->status = 200;
    return read_until(c, body, (short_lived ? 1 : 7) * 86400, 28 * 86400, &p.preferred_until_us) < 0
               ? -1
               : put(&c->tx, at.me.id, &p);
}

static int preferred_clear(struct call *c)
{
    struct teams_presence p;
    struct teams_at at;
    if (open_own(c, &at, &p) < 0)
        return -1;
    p.preferred = NULL;
    p.preferred_until_us = 0;
    c->status = 200;
    return put(&c->tx, at.me.id, &p);
}

static int status_set(struct call *c)
{
    const struct json *body, *status, *message;
    struct teams_presence p;
    struct teams_at at;
    if (open_own(c, &at, &p) < 0 || !(body = call_body(c)))
        return -1;
    status = json_get(body, "statusMessage");
    message = status ? json_get(status, "message") : NULL;
    const char *text = message ? json_get_str(message, "content") : NULL;
    if (!text || strlen(text) > 280 * 4)
        return teams_bad(c, "The statusMessage must have a message of at most 280 characters.");
    p.status = *text ? json_to_text(c->tx.arena, status) : NULL;
    p.status_us = *text ? c->tx.now_us : 0;
    c->status = 200;
    return put(&c->tx, at.me.id, &p);
}

/* ---- rows ---- */

static const struct param get_params[] = {USER_PARAM, OPTION("$select")};
static const struct param params[] = {USER_PARAM};

#define TYPE       "microsoft.graph.presence"
#define DOES(name) .body = BODY_JSON, .request = TYPE "." name, .status = 200, .idempotent = true

static const struct route routes[] = {
    ROW("teams.presence.get", GET, (GRAPH_MY("/presence")), presence_get, RISK_READ, .scopes = READ,
        PARAMS(get_params), .response = TYPE, .summary = "Whether somebody is there"),
    ROW("teams.presences.get", GET, (GRAPH("/communications/presences/{user-id}")), presence_by_id,
        RISK_READ, .scopes = OTHER, PARAMS(get_params), .response = TYPE,
        .summary = "Whether a user is there, by the user's id"),
    ROW("teams.presence.getPresencesByUserId", POST,
        (GRAPH("/communications/getPresencesByUserId")), presences_get, RISK_READ, .scopes = OTHER,
        .n_params = 0, .body = BODY_JSON, .request = TYPE ".getPresencesByUserId",
        .response = TYPE "CollectionResponse", .summary = "Whether these people are there"),
    ROW("teams.presence.setPresence", POST, (GRAPH_MY("/presence/setPresence")), presence_set,
        RISK_WRITE, .scopes = WRITE, PARAMS(params), DOES("setPresence"),
        .summary = "Says that somebody is there, for a session of a program"),
    ROW("teams.presence.clearPresence", POST, (GRAPH_MY("/presence/clearPresence")), presence_clear,
        RISK_WRITE, .scopes = WRITE, PARAMS(params), .body = BODY_JSON,
        .request = TYPE ".clearPresence", .status = 200,
        .summary = "Ends a program's session of somebody"),
    ROW("teams.presence.setUserPreferredPresence", POST,
        (GRAPH_MY("/presence/setUserPreferredPresence")), preferred_set, RISK_WRITE,
        .scopes = WRITE, PARAMS(params), DOES("setUserPreferredPresence"),
        .summary = "Says what somebody prefers to be shown as"),
    ROW("teams.presence.clearUserPreferredPresence", POST,
        (GRAPH_MY("/presence/clearUserPreferredPresence")), preferred_clear, RISK_WRITE,
        .scopes = WRITE, PARAMS(params), .status = 200, .idempotent = true,
        .summary = "Takes back what somebody prefers to be shown as"),
    ROW("teams.presence.setStatusMessage", POST, (GRAPH_MY("/presence/setStatusMessage")),
        status_set, RISK_WRITE, .scopes = WRITE, PARAMS(params), DOES("setStatusMessage"),
        .summary = "Sets somebody's status message"),
};
const struct rows teams_presence_rows = ROWS(routes);
