/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of apps as steps of workflows: functions.completeSuccess and functions.completeError,
 * what the app is notified of, and the act that runs one (docs.slack.dev, custom steps;
 * function_executed). Parameters in a manifest are an object by name, or that as "properties" with
 * a list "required" beside it; so are the events of metadata that it declares.
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/slack/acts/act.h"
#include "services/chat/slack/web/compose.h"
#include "services/chat/slack/apps/entity.h"
#include "services/chat/slack/apps/install.h"
#include "services/chat/slack/apps/manifest.h"
#include <stdio.h>

/* ---- parameters ---- */

static const struct json *properties_of(const struct json *parameters)
{
    const struct json *v = json_get(parameters, "properties");
    return v && v->type == JSON_OBJECT && !json_get_str(v, "type") ? v : parameters;
}

static bool is_required(const struct json *parameters, const struct json_member *p)
{
    const struct json *list = json_get(parameters, "required");
    const struct json *own = json_get(&p->value, "is_required");
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        if (list->items[i].type == JSON_STRING && strcmp(list->items[i].str, p->key) == 0)
            return true;
    return json_is_true(own);
}

const char *sl_wanted_type(const char *type, const struct json *v)
{
    static const struct {
        const char *type, *wanted;
        enum json_type is;
    } types[] = {
        {"string", "a string", JSON_STRING},
        {"integer", "an integer", JSON_NUMBER},
        {"number", "a number", JSON_NUMBER},
        {"boolean", "a boolean", JSON_BOOL},
        {"array", "an array", JSON_ARRAY},
        {"object", "an object", JSON_OBJECT},
        {"slack#/types/user_id", "a string", JSON_STRING},
        {"slack#/types/channel_id", "a string", JSON_STRING},
        {"slack#/types/usergroup_id", "a string", JSON_STRING},
        {"slack#/types/message_ts", "a string", JSON_STRING},
        {"slack#/types/date", "a string", JSON_STRING},
        {"slack#/types/timestamp", "an integer", JSON_NUMBER},
    };
    int64_t n;
    for (size_t i = 0; type && i < SOSIA_LEN(types); i++)
        if (strcmp(types[i].type, type) == 0)
            return v->type != types[i].is ? types[i].wanted
                   : strcmp(types[i].wanted, "an integer") == 0 && json_i64(v, &n) < 0
                       ? types[i].wanted
                       : NULL;
    return NULL;
}

/* Do they fit? at: where they are, for a line for each fault; NULL: without lines. */
static bool parameters_fit(struct call *c, const struct json *parameters, const struct json *given,
                           const char *at)
{
    const struct json *all = properties_of(parameters);
    bool good = true;
    for (uint32_t i = 0; all && all->type == JSON_OBJECT && i < all->n; i++) {
        const struct json_member *p = &all->members[i];
        const struct json *v = json_get(given, p->key);
        if (!v || v->type == JSON_NULL) {
            if (!is_required(parameters, p))
                continue;
            if (at)
                slack_message(c, at, "missing required field: %.100s", p->key);
            good = false;
            continue;
        }
        const char *wanted = sl_wanted_type(json_get_str(&p->value, "type"), v);
        if (wanted && at)
            slack_message(c, arena_printf(c->tx.arena, "%s/%.100s", at, p->key), "must provide %s",
                          wanted);
        good = good && !wanted;
    }
    return good;
}

/* 0; -1: refused. */
static int check_parameters(struct call *c, const struct json *parameters, const struct json *given,
                            const char *at)
{
    return parameters_fit(c, parameters, given, at) ? 0
                                                    : slack_fail(c, "parameter_validation_failed");
}

int sl_event_fits(struct call *c, const char *type, const struct json *payload)
{
    struct sl_party p;
    int r = sl_party_of(c, sl_me(c)->app, &p);
    if (r <= 0)
        return r < 0 ? -1 : 1;
    const struct json *def = json_get(json_get(p.settings.all, "events"), type);
    const struct json *all = json_get(def, "properties");
    const struct json *more = json_get(def, "additionalProperties");
    if (!all || all->type != JSON_OBJECT)
        return 1;
    if (!parameters_fit(c, def, payload, NULL))
        return 0;
    bool closed = more && more->type == JSON_BOOL && !json_is_true(more);
    for (uint32_t i = 0; closed && i < payload->n; i++)
        if (!json_get(all, payload->members[i].key))
            return 0;
    return 1;
}

/* As the event lists them. */
static void write_parameters(struct json_writer *w, const char *key, const struct json *parameters)
{
    const struct json *all = properties_of(parameters);
    json_arr(w, key);
    for (uint32_t i = 0; all && all->type == JSON_OBJECT && i < all->n; i++) {
        const struct json_member *p = &all->members[i];
        const char *title = json_get_str(&p->value, "title");
        const char *description = json_get_str(&p->value, "description");
        json_obj(w, NULL);
        json_str(w, "type", json_get_str(&p->value, "type"));
        json_str(w, "name", p->key);
        json_str(w, "description", description ? description : "");
        json_str(w, "title", title ? title : p->key);
        json_bool(w, "is_required", is_required(parameters, p));
        json_end(w);
    }
    json_end(w);
}

/* ---- the methods ---- */

/* The one that is named, of the caller's app, and its declaration (NULL: it is gone). */
static int execution_arg(struct call *c, struct chat_execution *ret, const struct json **ret_def)
{
    struct sl_party p;
    int r = chat_execution_find(&c->tx, param_str(c, "function_execution_id"), ret);
    if (r < 0)
        return -1;
    if (!r || ret->app != sl_me(c)->app || ret->workspace != sl_me(c)->workspace.id)
        return slack_fail(c, "function_execution_not_found");
    if (ret->state != CHAT_RUNNING)
        return slack_fail(c, "execution_not_in_running_state");
    if ((r = sl_party_of(c, ret->app, &p)) < 0)
        return -1;
    *ret_def = r ? json_get(json_get(p.settings.all, "functions"), ret->function) : NULL;
    return 0;
}

static int complete_success(struct call *c)
{
    struct chat_execution e;
    const struct json *outputs, *def;
    if (slack_value(c, "outputs", &outputs) < 0 || execution_arg(c, &e, &def) < 0 ||
        check_parameters(c, json_get(def, "output_parameters"), outputs, "/outputs") < 0)
        return -1;
    e.state = CHAT_COMPLETED;
    e.outputs = json_to_text(c->tx.arena, outputs);
    return chat_execution_end(&c->tx, &e) < 0 ? -1 : slack_ok(c);
}

static int complete_error(struct call *c)
{
    struct chat_execution e;
    const struct json *def;
    if (execution_arg(c, &e, &def) < 0)
        return -1;
    e.state = CHAT_FAILED;
    e.error = param_str(c, "error");
    return chat_execution_end(&c->tx, &e) < 0 ? -1 : slack_ok(c);
}

/* ---- running one ---- */

/* kind: two letters. */
static const char *id_of_part(struct arena *a, const char *kind, const char *app_key,
                              const char *name)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    uint64_t n = chat_hash(arena_printf(a, "%s %s", app_key, name));
    char *text = arena_printf(a, "%s0000000000", kind);
    for (size_t i = 3; text[i]; i++, n /= 36)
        text[i] = digits[n % 36];
    return text;
}

const char *sl_function_id(struct arena *a, const char *app_key, const char *name)
{
    return id_of_part(a, "Fn", app_key, name);
}

const char *sl_workflow_id(struct arena *a, const char *app_key, const char *name)
{
    return id_of_part(a, "Wf", app_key, name);
}

static void write_function(struct call *c, struct json_writer *w, const struct sl_party *p,
                           const char *name, const struct json *def)
{
    const char *title = json_get_str(def, "title"), *description = json_get_str(def, "description");
    json_obj(w, "function");
    json_str(w, "id", sl_function_id(c->tx.arena, p->app.key, name));
    json_str(w, "callback_id", name);
    json_str(w, "title", title ? title : name);
    json_str(w, "description", description ? description : "");
    json_str(w, "type", "app");
    write_parameters(w, "input_parameters", json_get(def, "input_parameters"));
    write_parameters(w, "output_parameters", json_get(def, "output_parameters"));
    json_str(w, "app_id", p->app.key);
    json_int(w, "date_created", p->install.installed_s);
    json_int(w, "date_updated", p->install.installed_s);
    json_int(w, "date_deleted", 0);
    json_bool(w, "form_enabled", false);
    json_end(w);
}

/* ---- messages of a function ---- */

#define MEMBER "_function"
#define LATEST 100 /* executions among which that of a token is looked for */

/* The token says it by a number that follows from the id. 1, 0: it is another token, -1. */
static int execution_of_token(struct call *c, const char **ret_key)
{
    static struct sql_text q = SQL_TEXT("select key from slack_execution where app = :app order by "
                                        "id desc limit :latest");
    long long number;
    if (!c->token || !str_starts(c->token, "xwfp-") ||
        sscanf(c->token, "xwfp-%*[0-9]-%10lld-", &number) != 1)
        return 0;
    sqlite3_stmt *st = TX_QUERY(&c->tx, &q, sl_me(c)->app, (int64_t)LATEST);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(&c->tx, st)) == 1) {
        *ret_key = tx_string(&c->tx, st, 0);
        if (sl_digits(*ret_key) == number) {
            sql_done(st);
            return 1;
        }
    }
    return r;
}

int sl_mark_function(struct call *c, const char *before, const char **json)
{
    const struct json *had = NULL, *was = NULL;
    struct json_writer w;
    struct buf b;
    const char *key;
    int r = execution_of_token(c, &key);
    if (r < 0 || (before && !(was = sl_stored_json(c, before))))
        return -1;
    if (!r && !(key = json_get_str(was, MEMBER)))
        return 0;
    if (*json && !(had = sl_stored_json(c, *json)))
        return -1;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    for (uint32_t i = 0; had && i < had->n; i++)
        json_value(&w, had->members[i].key, &had->members[i].value);
    json_str(&w, MEMBER, key);
    json_end(&w);
    *json = arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    return 0;
}

int sl_write_function_data(struct call *c, struct json_writer *w, const struct sl_party *p,
                           const char *json, const char *trigger)
{
    const struct json *marked = json ? sl_stored_json(c, json) : NULL;
    const char *key = json_get_str(marked, MEMBER), *token;
    struct chat_execution e;
    if (json && !marked)
        return -1;
    int r = key ? chat_execution_find(&c->tx, key, &e) : 0;
    if (r != 1 || e.app != p->app.app)
        return r < 0 ? -1 : 0;
    if (sl_function_token(&c->tx, &p->install, e.key, &token) < 0)
        return -1;
    json_str(w, "bot_access_token", token);
    json_obj(w, "function_data");
    json_str(w, "execution_id", e.key);
    json_obj(w, "function");
    json_str(w, "callback_id", e.function);
    json_end(w);
    json_raw(w, "inputs", e.inputs, strlen(e.inputs));
    json_end(w);
    json_obj(w, "interactivity");
    json_obj(w, "interactor");
    json_str(w, "secret",
             arena_printf(c->tx.arena, "%016llx", (unsigned long long)chat_hash(token)));
    json_str(w, "id", sl_me(c)->user.key);
    json_end(w);
    json_str(w, "interactivity_pointer", trigger);
    json_end(w);
    return 0;
}

/* Nobody subscribes to it: it goes to the app whose function it is. 1, 0: it can't be reached, -1.
 */
static int push_executed(struct call *c, const struct sl_party *p, const struct json *def,
                         const struct chat_execution *e)
{
    struct sl_draft draft;
    char ts[CHAT_TS_LEN];
    const char *token;
    if (sl_function_token(&c->tx, &p->install, e->key, &token) < 0)
        return -1;
    chat_ts_text(ts, c->tx.now_us);
    sl_draft_begin(&draft, c);
    struct json_writer *w = &draft.w;
    json_obj(w, NULL);
    json_str(w, "type", SL_FUNCTION_EVENT);
    write_function(c, w, p, e->function, def);
    json_raw(w, "inputs", e->inputs, strlen(e->inputs));
    json_str(w, "function_execution_id", e->key);
    json_str(w, "workflow_execution_id", e->workflow);
    json_str(w, "event_ts", ts);
    json_str(w, "bot_access_token", token);
    json_end(w);
    struct sl_event event = {
        .workspace = e->workspace, .type = SL_FUNCTION_EVENT, .event = sl_draft_end(&draft)};
    return event.event ? sl_push_event(&c->tx, &event, e->app, p->install.user) : -1;
}

int sl_act_run(struct sl_deed *d)
{
    struct call *c = d->c;
    const char *name = sl_deed_str(d, "function");
    const struct json *inputs = json_get(d->args, "inputs"), *def;
    static const struct json none = {.type = JSON_OBJECT};
    struct sl_party p;
    if (!name || sl_deed_app(d, &p) < 0)
        return -1;
    def = json_get(json_get(p.settings.all, "functions"), name);
    if (!def || def->type != JSON_OBJECT || !p.install.user)
        return slack_fail(c, "function_not_found");
    if (!inputs)
        inputs = &none;
    if (inputs->type != JSON_OBJECT)
        return slack_invalid_arguments(c, "/inputs", "must provide an object");
    if (check_parameters(c, json_get(def, "input_parameters"), inputs, "/inputs") < 0)
        return -1;
    struct chat_execution e = {.workspace = sl_me(c)->workspace.id,
                               .app = p.app.app,
                               .user = sl_me(c)->user.id,
                               .function = name,
                               .inputs = json_to_text(c->tx.arena, inputs),
                               .created_us = c->tx.now_us};
    if (chat_execution_add(&c->tx, &e) < 0)
        return -1;
    int r = push_executed(c, &p, def, &e);
    if (r < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "function_execution_id", e.key);
    json_str(c->out, "workflow_execution_id", e.workflow);
    if (!r)
        json_str(c->out, "failure", "not_configured");
    slack_close(c);
    return 0;
}

int sl_write_execution(struct sl_deed *d)
{
    struct call *c = d->c;
    const char *key = sl_deed_str(d, "execution");
    struct chat_execution e;
    int r = key ? chat_execution_find(&c->tx, key, &e) : -1;
    if (r < 0)
        return -1;
    if (!r || e.workspace != sl_me(c)->workspace.id || e.user != sl_me(c)->user.id)
        return slack_fail(c, "function_execution_not_found");
    json_obj(c->out, "execution");
    json_str(c->out, "id", e.key);
    json_str(c->out, "status", chat_execution_states[e.state]);
    if (e.outputs)
        json_raw(c->out, "outputs", e.outputs, strlen(e.outputs));
    json_str_opt(c->out, "error", e.error);
    json_end(c->out);
    return 0;
}

/* ---- rows ---- */

static const struct param success_params[] = {
    SL_NEEDED("function_execution_id"),
    SL_NEEDED("outputs", SL_OBJECT, .fault = "must provide an object")};
static const struct param error_params[] = {
    SL_NEEDED("function_execution_id"),
    SL_NEEDED("error", .summary = "Reason of the failure, for people")};

static const struct route methods[] = {
    {SL_METHOD("functions.completeSuccess"), SL_PEOPLE, .handler = complete_success,
     .risk = RISK_WRITE, PARAMS(success_params), .rate = SLACK_TIER_3,
     .summary = "Say what came of a function"},
    {SL_METHOD("functions.completeError"), SL_PEOPLE, .handler = complete_error, .risk = RISK_WRITE,
     PARAMS(error_params), .rate = SLACK_TIER_3, .summary = "Say why a function failed"},
};

const struct rows sl_functions = ROWS(methods);
