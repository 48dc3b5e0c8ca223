/* SPDX-License-Identifier: Apache-2.0 */
/* Which workflows have a function as a step, and the answers that forms got. Workflows are those of
 * the manifests of the apps that are installed in the workspace. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/slack/apps/manifest.h"
#include "services/chat/slack/events/push.h"

struct steps {
    struct call *c;
    const char *function, *workflow; /* ids, or a workflow's reference; workflow NULL: any */
    const char *app;                 /* of the reference; NULL: any */
    const char *step;                /* its id, with the function of a form; NULL: any */
    bool write;                      /* else it is looked up what there is */
    bool has_function, has_workflow, has_app;
};

/* What runs there: a function of the app itself, or one that is named by its id. */
static const char *function_of_step(struct arena *a, const struct chat_app *app,
                                    const struct json *step)
{
    const char *ref = json_get_str(step, "function_id");
    return ref && str_starts(ref, "#/functions/")
               ? sl_function_id(a, app->key, ref + strlen("#/functions/"))
               : ref;
}

static bool is_asked_workflow(const struct steps *s, const struct chat_app *app, const char *name)
{
    if (!s->workflow)
        return true;
    if (!str_starts(s->workflow, "#/workflows/"))
        return strcmp(sl_workflow_id(s->c->tx.arena, app->key, name), s->workflow) == 0;
    return strcmp(s->workflow + strlen("#/workflows/"), name) == 0 &&
           (!s->app || strcmp(s->app, app->key) == 0);
}

static void write_step(struct steps *s, const struct chat_app *app, const char *name,
                       const struct json *workflow, const struct json *step, int64_t since_s)
{
    struct json_writer *w = s->c->out;
    const char *title = json_get_str(workflow, "title");
    json_obj(w, NULL);
    json_str(w, "title", title ? title : name);
    json_str(w, "workflow_id", sl_workflow_id(s->c->tx.arena, app->key, name));
    json_str(w, "step_id", json_get_str(step, "id"));
    json_bool(w, "is_deleted", false);
    json_str(w, "workflow_version_created",
             arena_printf(s->c->tx.arena, "%lld", (long long)since_s * US_PER_SECOND));
    json_end(w);
}

static void look_at_workflow(struct steps *s, const struct chat_app *app, const char *name,
                             const struct json *workflow, int64_t since_s)
{
    const struct json *list = json_get(workflow, "steps");
    if (!is_asked_workflow(s, app, name))
        return;
    s->has_workflow = true;
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *id = function_of_step(s->c->tx.arena, app, &list->items[i]);
        const char *step = json_get_str(&list->items[i], "id");
        if (!id || strcmp(id, s->function) != 0 || (s->step && (!step || strcmp(step, s->step))))
            continue;
        s->has_function = true;
        if (s->write)
            write_step(s, app, name, workflow, &list->items[i], since_s);
    }
}

static int look_at_app(struct steps *s, const struct chat_app *app, int64_t since_s)
{
    struct sl_settings set;
    if (sl_settings_of(&s->c->tx, app, &set) < 0)
        return -1;
    const struct json *functions = json_get(set.all, "functions");
    const struct json *all = json_get(set.all, "workflows");
    s->has_app = s->has_app || (s->app && strcmp(s->app, app->key) == 0);
    for (uint32_t i = 0; functions && functions->type == JSON_OBJECT && i < functions->n; i++)
        if (strcmp(sl_function_id(s->c->tx.arena, app->key, functions->members[i].key),
                   s->function) == 0)
            s->has_function = true;
    for (uint32_t i = 0; all && all->type == JSON_OBJECT && i < all->n; i++)
        look_at_workflow(s, app, all->members[i].key, &all->members[i].value, since_s);
    return 0;
}

static int look_at_all(struct steps *s)
{
    struct chat_install install;
    struct chat_app app = {0};
    int r;
    while ((r = chat_app_next(&s->c->tx, app.id, &app)) == 1) {
        int here = chat_install_of(&s->c->tx, sl_me(s->c)->workspace.id, app.app, &install);
        if (here < 0 || (here && !install.deleted && !app.deleted &&
                         look_at_app(s, &app, install.installed_s) < 0))
            return -1;
    }
    return r;
}

/* Looks for what the arguments name. Refuses with unknown_app_id or unknown_workflow_id. */
static int ask_of(struct call *c, const char *function, const char *step, struct steps *ret)
{
    const char *id = param_str(c, "workflow_id"), *ref = param_str(c, "workflow");
    const char *app = param_str(c, "workflow_app_id");
    *ret = (struct steps){.c = c,
                          .function = function,
                          .step = step,
                          .workflow = id && *id     ? id
                                      : ref && *ref ? ref
                                                    : NULL,
                          .app = app && *app ? app : NULL};
    if (look_at_all(ret) < 0)
        return -1;
    if (ret->app && !ret->has_app)
        return slack_fail(c, "unknown_app_id");
    if (ret->workflow && !ret->has_workflow)
        return slack_fail(c, "unknown_workflow_id");
    return 0;
}

/* Nothing starts a workflow here, so that no form has an answer; a workspace lets them out only
 * where its administrators say so, and none does. */
static int responses_export(struct call *c)
{
    struct steps s;
    if (ask_of(c, "slack#/functions/open_form", param_str(c, "step_id"), &s) < 0)
        return -1;
    if (!s.workflow)
        return slack_fail(c, "unknown_workflow_id");
    return slack_fail(c, s.has_function ? "workflows_export_csv_not_enabled" : "unknown_step_id");
}

static int steps_list(struct call *c)
{
    struct steps s;
    if (ask_of(c, param_str(c, "function_id"), NULL, &s) < 0)
        return -1;
    if (!s.has_function)
        return slack_fail(c, "unknown_function_id");
    s.write = true;
    slack_open(c);
    json_arr(c->out, "steps_versions");
    if (look_at_all(&s) < 0)
        return -1;
    json_end(c->out);
    slack_close(c);
    return 0;
}

/* ---- rows ---- */

static const struct param steps_params[] = {SL_NEEDED("function_id"), SL_ARG("workflow_id"),
                                            SL_ARG("workflow"), SL_ARG("workflow_app_id")};

static const struct param responses_params[] = {
    SL_NEEDED("step_id", .summary = "Id of the step that asks with a form"), SL_ARG("workflow_id"),
    SL_ARG("workflow"), SL_ARG("workflow_app_id")};

static const struct route methods[] = {
    {SL_METHOD("functions.workflows.steps.list"), SL_PEOPLE, .handler = steps_list,
     .risk = RISK_READ, PARAMS(steps_params), .rate = SLACK_TIER_3,
     .summary = "Steps of workflows that run a function"},
    {SL_METHOD("functions.workflows.steps.responses.export"), SL_PEOPLE,
     .handler = responses_export, .risk = RISK_WRITE, PARAMS(responses_params),
     .rate = SLACK_TIER_3, .summary = "Have the answers of a form sent"},
};

const struct rows sl_flow_steps = ROWS(methods);
