/* SPDX-License-Identifier: Apache-2.0 */
/* team.accessLogs and team.integrationLogs: for the administrators of a workspace. */
#include "services/chat/slack/team/log.h"
#include "engine/text/civil.h"
#include "services/chat/slack/sl.h"

#define MAX_PER_PAGE 1000
#define MAX_PAGE     100

static int for_admins(struct call *c)
{
    return sl_me(c)->user.role > CHAT_ADMIN ? slack_missing_scope(c, "admin") : 0;
}

struct log_page {
    struct call *c;
    struct sl_page at;
    int64_t n;
    bool failed;
};

static int read_log_page(struct call *c, struct log_page *p)
{
    p->c = c;
    if (sl_page_arg(c, &p->at) < 0)
        return -1;
    return p->at.over || p->at.page > MAX_PAGE ? slack_fail(c, "over_pagination_limit") : 0;
}

static void end_log_page(struct log_page *p, int64_t total)
{
    json_end(p->c->out);
    sl_write_paging(p->c, &p->at, total);
    slack_close(p->c);
}

static int64_t first_of(const struct log_page *p)
{
    return (p->at.page - 1) * p->at.count;
}

static int write_login(void *arg, const struct chat_login *l)
{
    struct log_page *p = arg;
    struct json_writer *w = p->c->out;
    struct chat_user u;
    int r = chat_user_get(&p->c->tx, l->user, &u);
    if (r != 1) {
        p->failed = r < 0;
        return p->failed;
    }
    json_obj(w, NULL);
    json_str(w, "user_id", u.key);
    json_str(w, "username", u.name);
    json_int(w, "date_first", l->first_s);
    json_int(w, "date_last", l->last_s);
    json_int(w, "count", l->count);
    json_str(w, "ip", l->ip);
    json_str(w, "user_agent", l->agent);
    json_str(w, "isp", l->isp);
    json_str(w, "country", l->country);
    json_str(w, "region", l->region);
    json_end(w);
    return ++p->n == p->at.count;
}

static int access_logs(struct call *c)
{
    const char *before = param_str(c, "before"), *team = param_str(c, "team_id");
    const struct sl_caller *me = sl_me(c);
    int64_t before_s = c->tx.now_us / US_PER_SECOND, total, us;
    struct log_page p = {0};
    if (for_admins(c) < 0)
        return -1;
    if (strcmp(me->workspace.plan, "free") == 0)
        return slack_fail(c, "paid_only");
    if (team && *team && strcmp(team, me->workspace.key) != 0)
        return slack_fail(c, "invalid_team_id");
    if (read_log_page(c, &p) < 0)
        return -1;
    if (before && *before && strcmp(before, "now") != 0) {
        if (chat_ts_read(before, &us) < 0)
            return slack_invalid_arguments(c, "/before", "must be a timestamp");
        before_s = us / US_PER_SECOND;
    }
    slack_open(c);
    json_arr(c->out, "logins");
    if (chat_logins_count(&c->tx, me->workspace.id, before_s, &total) < 0 ||
        chat_logins(&c->tx, me->workspace.id, before_s, first_of(&p), write_login, &p) < 0 ||
        p.failed)
        return -1;
    end_log_page(&p, total);
    return 0;
}

static int write_app_log(void *arg, const struct chat_app_log *l)
{
    struct log_page *p = arg;
    struct json_writer *w = p->c->out;
    struct chat_user u;
    struct chat_app a;
    int r = chat_user_get(&p->c->tx, l->user, &u);
    if (r == 1)
        r = chat_app_of(&p->c->tx, l->app, &a);
    if (r != 1) {
        p->failed = r < 0;
        return p->failed;
    }
    json_obj(w, NULL);
    json_str(w, "user_id", u.key);
    json_str(w, "user_name", u.name);
    json_str(w, "date", arena_printf(p->c->tx.arena, "%lld", (long long)l->at_s));
    json_str(w, "change_type", l->change);
    json_str(w, "app_type", "app");
    json_str(w, "app_id", a.key);
    json_str_opt(w, "scope", l->scopes);
    json_str_opt(w, "reason", l->reason);
    json_end(w);
    return ++p->n == p->at.count;
}

static int integration_logs(struct call *c)
{
    const char *app = param_str(c, "app_id"), *user = param_str(c, "user");
    const char *change = param_str(c, "change_type"), *service = param_str(c, "service_id");
    struct chat_app_log_ask ask = {.workspace = sl_me(c)->workspace.id};
    struct log_page p = {0};
    struct chat_user u;
    struct chat_app a;
    int64_t total = 0;
    if (for_admins(c) < 0 || read_log_page(c, &p) < 0)
        return -1;
    int of_app = app && *app ? chat_app_find(&c->tx, app, &a) : 1;
    int of_user = user && *user ? sl_user_find(c, user, &u) : 1;
    if (of_app < 0 || of_user < 0)
        return -1;
    ask.app = app && *app && of_app ? a.app : 0;
    ask.user = user && *user && of_user ? u.id : 0;
    ask.change = change && *change ? change : NULL;
    /* Services of old have numbers; here are apps alone. */
    bool none = !of_app || !of_user || (service && *service);
    slack_open(c);
    json_arr(c->out, "logs");
    if (!none && (chat_app_logs_count(&c->tx, &ask, &total) < 0 ||
                  chat_app_logs(&c->tx, &ask, first_of(&p), write_app_log, &p) < 0 || p.failed))
        return -1;
    end_log_page(&p, total);
    return 0;
}

static const struct param access_params[] = {
    SL_ARG("before", .summary = "Only entries up to this second since 1970, or now"),
    SL_ARG("count", SL_WHOLE(1, 1000), .def = "100"),
    SL_ARG("page", SL_WHOLE(1, SL_LAST_PAGE), .def = "1"),
    SL_ARG("cursor"),
    SL_ARG("limit", SL_WHOLE(0, 1000), .def = "100"),
    SL_ARG("team_id")};
static const struct param integration_params[] = {
    SL_ARG("app_id"),
    SL_ARG("change_type", SL_WORDS("added", "removed", "enabled", "disabled", "updated")),
    SL_ARG("count", SL_WHOLE(1, 1000), .def = "100"),
    SL_ARG("page", SL_WHOLE(1, SL_LAST_PAGE), .def = "1"),
    SL_ARG("cursor"),
    SL_ARG("limit", SL_WHOLE(0, 1000), .def = "100"),
    SL_ARG("user"),
    SL_ARG("service_id"),
    SL_ARG("team_id")};

static const struct route methods[] = {
    {SL_METHOD("team.accessLogs"), .token_kinds = TOKEN_USER, .handler = access_logs,
     .risk = RISK_READ, .accepts = slack_form_only, .scopes = "admin", PARAMS(access_params),
     .rate = SLACK_TIER_2, .summary = "Who came in, and from where"},
    {SL_METHOD("team.integrationLogs"), .token_kinds = TOKEN_USER, .handler = integration_logs,
     .risk = RISK_READ, .accepts = slack_form_only, .scopes = "admin", PARAMS(integration_params),
     .rate = SLACK_TIER_2, .summary = "What was done with apps"},
};

const struct rows sl_logs = ROWS(methods);
