/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters in a manifest: an object by name, or that as "properties" with a list "required"
 * beside it; so are the events of metadata that it declares.
 */
#include "services/chat/slack/apps/parameters.h"
#include "services/chat/slack/acts/act.h"

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

int sl_check_parameters(struct call *c, const struct json *parameters, const struct json *given,
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

void sl_write_parameters(struct json_writer *w, const char *key, const struct json *parameters)
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
