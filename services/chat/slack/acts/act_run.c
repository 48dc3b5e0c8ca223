/* SPDX-License-Identifier: Apache-2.0 */
/* Running a function of an app, which is notified of it (docs.slack.dev, custom steps;
 * function_executed), and what came of that. */
#include "services/chat/slack/acts/act.h"
#include "services/chat/slack/apps/install.h"
#include "services/chat/slack/apps/manifest.h"
#include "services/chat/slack/apps/parameters.h"

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
    sl_write_parameters(w, "input_parameters", json_get(def, "input_parameters"));
    sl_write_parameters(w, "output_parameters", json_get(def, "output_parameters"));
    json_str(w, "app_id", p->app.key);
    json_int(w, "date_created", p->install.installed_s);
    json_int(w, "date_updated", p->install.installed_s);
    json_int(w, "date_deleted", 0);
    json_bool(w, "form_enabled", false);
    json_end(w);
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
    if (sl_check_parameters(c, json_get(def, "input_parameters"), inputs, "/inputs") < 0)
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
