/* SPDX-License-Identifier: Apache-2.0 */
/* calls.*: calls of an app's own service, which the workspace shows. */
#include "services/chat/slack/team/meeting.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/slack/sl.h"

#define MAX_PEOPLE 1000

/* ---- who takes part ---- */

/* Somebody as he is kept: by his id here, or by the app's own. */
struct person {
    const char *user, *external, *name, *image;
};
struct people {
    struct person *all;
    size_t n;
};

static int read_people(struct call *c, const char *json, struct people *ret)
{
    const struct json *list;
    if (json_parse(c->tx.arena, json, strlen(json), NULL, &list, c->tx.err) < 0)
        return -1;
    ret->n = list->n;
    ret->all = arena_calloc(c->tx.arena, list->n + 1, sizeof *ret->all);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (uint32_t i = 0; i < list->n; i++)
        ret->all[i] = (struct person){.user = json_get_str(&list->items[i], "user"),
                                      .external = json_get_str(&list->items[i], "external"),
                                      .name = json_get_str(&list->items[i], "name"),
                                      .image = json_get_str(&list->items[i], "image")};
    return 0;
}

/* The argument "users". 1, 0: it is absent, -1. */
static int people_arg(struct call *c, struct people *ret)
{
    const struct json *list;
    struct chat_user u;
    int r = slack_value(c, "users", &list);
    *ret = (struct people){0};
    if (r < 0)
        return -1;
    ret->all = arena_calloc(c->tx.arena, (r ? list->n : 0) + 1, sizeof *ret->all);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (uint32_t i = 0; r && i < list->n; i++) {
        struct person p = {.user = json_get_str(&list->items[i], "slack_id"),
                           .external = json_get_str(&list->items[i], "external_id"),
                           .name = json_get_str(&list->items[i], "display_name"),
                           .image = json_get_str(&list->items[i], "avatar_url")};
        if (p.user) {
            int found = sl_user_find(c, p.user, &u);
            if (found != 1)
                return found < 0 ? -1 : slack_fail(c, "user_not_found");
            p = (struct person){.user = u.key};
        } else if (!p.external) {
            return slack_invalid_arguments(c, arena_printf(c->tx.arena, "/users/%u", i),
                                           "must have slack_id or external_id");
        }
        ret->all[ret->n++] = p;
    }
    return r;
}

static bool is_same(const struct person *a, const struct person *b)
{
    return a->user ? b->user && strcmp(a->user, b->user) == 0
                   : b->external && strcmp(a->external, b->external) == 0;
}

/* Where he is among them; n: nowhere. */
static size_t place_of(const struct people *all, size_t n, const struct person *p)
{
    size_t i = 0;
    while (i < n && !is_same(p, &all->all[i]))
        i++;
    return i;
}

static const char *people_text(struct call *c, const struct people *people)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (size_t i = 0; i < people->n; i++) {
        const struct person *p = &people->all[i];
        json_obj(&w, NULL);
        json_str_opt(&w, "user", p->user);
        json_str_opt(&w, "external", p->external);
        json_str_opt(&w, "name", p->name);
        json_str_opt(&w, "image", p->image);
        json_end(&w);
    }
    json_end(&w);
    return buf_keep(&b, c->tx.arena);
}

/* ---- responses ---- */

static void write_people(struct call *c, const struct people *people)
{
    struct json_writer *w = c->out;
    json_arr(w, "users");
    for (size_t i = 0; i < people->n; i++) {
        const struct person *p = &people->all[i];
        json_obj(w, NULL);
        json_str_opt(w, "slack_id", p->user);
        json_str_opt(w, "external_id", p->external);
        json_str_opt(w, "display_name", p->name);
        json_str_opt(w, "avatar_url", p->image);
        json_end(w);
    }
    json_end(w);
}

static int answer_call(struct call *c, const struct chat_meeting *m)
{
    struct json_writer *w = c->out;
    struct people people;
    if (read_people(c, m->people, &people) < 0)
        return -1;
    slack_open(c);
    json_obj(w, "call");
    json_str(w, "id", m->key);
    json_int(w, "date_start", m->started_s);
    json_str(w, "external_unique_id", m->external_id);
    json_str(w, "join_url", m->join_url);
    json_str_opt(w, "desktop_app_join_url", m->desktop_url);
    json_str_opt(w, "external_display_id", m->display_id);
    json_str_opt(w, "title", m->title);
    write_people(c, &people);
    if (m->ended_s)
        json_int(w, "date_end", m->ended_s);
    json_end(w);
    slack_close(c);
    return 0;
}

/* ---- methods ---- */

static const char *given(const struct call *c, const char *name)
{
    const char *text = param_str(c, name);
    return text && *text ? text : NULL;
}

/* A call of the caller's app; missing: the refusal without an id. */
static int call_arg(struct call *c, const char *missing, struct chat_meeting *m)
{
    const struct sl_caller *me = sl_me(c);
    const char *id = given(c, "id");
    if (!id)
        return slack_fail(c, missing);
    int r = chat_meeting_find(&c->tx, me->workspace.id, me->app, id, m);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "invalid_call_id");
}

static bool is_http(const char *url)
{
    return str_starts(url, "https://") || str_starts(url, "http://");
}

static int calls_add(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    const char *by = given(c, "created_by");
    struct chat_user creator = me->user;
    struct people people;
    struct chat_meeting m = {.workspace = me->workspace.id,
                             .app = me->app,
                             .external_id = param_str(c, "external_unique_id"),
                             .display_id = given(c, "external_display_id"),
                             .join_url = param_str(c, "join_url"),
                             .desktop_url = given(c, "desktop_app_join_url"),
                             .title = given(c, "title"),
                             .started_s = c->tx.now_us / US_PER_SECOND};
    if (!*m.external_id || strlen(m.external_id) > 255)
        return slack_invalid_arguments(c, "/external_unique_id", "must have 1 to 255 characters");
    if (!is_http(m.join_url))
        return slack_invalid_arguments(c, "/join_url", "must be a valid URL");
    if (slack_number(c, "date_start", &m.started_s) < 0)
        return -1;
    int r = by ? sl_user_find(c, by, &creator) : 1; /* a bot may be who made it */
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invalid_created_by");
    if (people_arg(c, &people) < 0)
        return -1;
    m.creator = creator.id;
    m.people = people_text(c, &people);
    if (chat_meeting_add(&c->tx, &m) < 0)
        return c->tx.err->code == SOSIA_E_CONFLICT ? slack_fail(c, "internal_error") : -1;
    return answer_call(c, &m);
}

static int calls_info(struct call *c)
{
    struct chat_meeting m;
    return call_arg(c, "invalid_call_id", &m) < 0 ? -1 : answer_call(c, &m);
}

static int calls_update(struct call *c)
{
    const char *title = given(c, "title"), *url = given(c, "join_url");
    const char *desktop = given(c, "desktop_app_join_url");
    struct chat_meeting m;
    if (call_arg(c, "invalid_call_id", &m) < 0)
        return -1;
    if (!title && !url && !desktop)
        return slack_invalid_arguments(
            c, NULL, "must define one of `title`, `join_url` or `desktop_app_join_url`");
    if (url && !is_http(url))
        return slack_invalid_arguments(c, "/join_url", "must be a valid URL");
    m.title = title ? title : m.title;
    m.join_url = url ? url : m.join_url;
    m.desktop_url = desktop ? desktop : m.desktop_url;
    return chat_meeting_save(&c->tx, &m) < 0 ? -1 : answer_call(c, &m);
}

static int calls_end(struct call *c)
{
    struct chat_meeting m;
    int64_t seconds;
    if (call_arg(c, "invalid_call_id", &m) < 0)
        return -1;
    if (m.ended_s)
        return slack_fail(c, "inactive_call");
    m.ended_s = c->tx.now_us / US_PER_SECOND;
    int r = slack_number(c, "duration", &seconds);
    if (r < 0)
        return -1;
    if (r)
        m.ended_s = m.started_s + seconds;
    return chat_meeting_save(&c->tx, &m) < 0 ? -1 : answer_call(c, &m);
}

/* Those who come must be new, those who go must be there: all of them, or nothing happens. */
static int participants(struct call *c, bool come)
{
    struct people there, args;
    struct chat_meeting m;
    if (call_arg(c, "missing_argument", &m) < 0)
        return -1;
    int r = people_arg(c, &args);
    if (r <= 0 || !args.n)
        return r < 0 ? -1 : slack_fail(c, "missing_argument");
    if (m.ended_s)
        return slack_fail(c, "inactive_call");
    if (read_people(c, m.people, &there) < 0)
        return -1;
    if (there.n + args.n > MAX_PEOPLE && come)
        return slack_fail(c, "bad_users");
    struct people next = {.all = arena_calloc(c->tx.arena, there.n + args.n + 1, sizeof *next.all)};
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < args.n; i++)
        if ((place_of(&there, there.n, &args.all[i]) < there.n) == come ||
            place_of(&args, i, &args.all[i]) < i)
            return slack_fail(c, "bad_users");
    for (size_t i = 0; i < there.n; i++)
        if (come || place_of(&args, args.n, &there.all[i]) == args.n)
            next.all[next.n++] = there.all[i];
    for (size_t i = 0; come && i < args.n; i++)
        next.all[next.n++] = args.all[i];
    m.people = people_text(c, &next);
    return chat_meeting_save(&c->tx, &m) < 0 ? -1 : answer_call(c, &m);
}

static int participants_add(struct call *c)
{
    return participants(c, true);
}

static int participants_remove(struct call *c)
{
    return participants(c, false);
}

/* ---- rows ---- */

static const struct param add_params[] = {
    SL_NEEDED("external_unique_id"),
    SL_NEEDED("join_url"),
    SL_ARG("external_display_id"),
    SL_ARG("desktop_app_join_url"),
    SL_ARG("date_start", SL_WHOLE(1, (INT64_C(1) << 33) - 1), .fault = "invalid_start_time"),
    SL_ARG("title", .summary = "Name of the call"),
    SL_ARG("created_by"),
    SL_ARG("users", SL_ARRAY, .max = MAX_PEOPLE,
           .summary = "People in the call, each with slack_id, or external_id and display_name")};
static const struct param call_params[] = {SL_NEEDED("id", .summary = "Id of the call")};
static const struct param end_params[] = {
    SL_NEEDED("id", .summary = "Id of the call"),
    SL_ARG("duration", SL_WHOLE(0, 366 * SECONDS_PER_DAY), .fault = "must be a number of seconds")};
static const struct param people_params[] = {
    SL_ARG("id", .summary = "Id of the call"),
    SL_ARG("users", SL_ARRAY, .max = MAX_PEOPLE,
           .summary = "People in the call, each with slack_id, or external_id and display_name")};
static const struct param update_params[] = {SL_NEEDED("id", .summary = "Id of the call"),
                                             SL_ARG("title", .summary = "Name of the call"),
                                             SL_ARG("join_url"), SL_ARG("desktop_app_join_url")};

static const struct route methods[] = {
    {SL_METHOD("calls.add"), SL_PEOPLE, .handler = calls_add, .risk = RISK_WRITE,
     .scopes = "calls:write", PARAMS(add_params), .rate = SLACK_TIER_3,
     .summary = "Register a call"},
    {SL_METHOD("calls.end"), SL_PEOPLE, .handler = calls_end, .risk = RISK_WRITE,
     .idempotent = true, .scopes = "calls:write", PARAMS(end_params), .rate = SLACK_TIER_3,
     .summary = "End a call"},
    {SL_METHOD("calls.info"), SL_PEOPLE, .handler = calls_info, .risk = RISK_READ,
     .scopes = "calls:read", PARAMS(call_params), .rate = SLACK_TIER_3, .summary = "A call"},
    {SL_METHOD("calls.participants.add"), SL_PEOPLE, .handler = participants_add,
     .risk = RISK_WRITE, .idempotent = true, .scopes = "calls:write", PARAMS(people_params),
     .rate = SLACK_TIER_3, .summary = "Who comes into a call"},
    {SL_METHOD("calls.participants.remove"), SL_PEOPLE, .handler = participants_remove,
     .risk = RISK_WRITE, .idempotent = true, .scopes = "calls:write", PARAMS(people_params),
     .rate = SLACK_TIER_3, .summary = "Who leaves a call"},
    {SL_METHOD("calls.update"), SL_PEOPLE, .handler = calls_update, .risk = RISK_WRITE,
     .idempotent = true, .scopes = "calls:write", PARAMS(update_params), .rate = SLACK_TIER_3,
     .summary = "Change a call"},
};

const struct rows sl_calls = ROWS(methods);
