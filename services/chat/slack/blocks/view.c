/* SPDX-License-Identifier: Apache-2.0 */
/* Views: what one must be like (docs.slack.dev, Surfaces), and how programs see it. */
#include "services/chat/slack/blocks/element.h"
#include <stdio.h>

#define MAX_VIEW (250 * 1024) /* bytes of its JSON */

/* ---- looking at one ---- */

/* One line of what is wrong, the first behind that no schema fits. */
__attribute__((format(printf, 4, 5))) static int wrong(struct call *c, int *good,
                                                       const char *pointer, const char *fmt, ...)
{
    char text[200];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    slack_message(c, pointer, "%s", text);
    *good = 0;
    return 0;
}

/* An input block wants the button that sends it. */
static void check_inputs(struct call *c, const struct json *view, bool modal, int *good)
{
    const struct json *blocks = json_get(view, "blocks");
    if (!modal || json_get(view, "submit") || !blocks || blocks->type != JSON_ARRAY)
        return;
    for (uint32_t i = 0; i < blocks->n && i < SL_VIEW_BLOCKS; i++) {
        const char *type = json_get_str(&blocks->items[i], "type");
        if (type && strcmp(type, "input") == 0)
            wrong(c, good, arena_printf(c->tx.arena, "/view/blocks/%u/input", i),
                  "must define `submit` to use an `input` block in modals");
    }
}

/* Without members that are null, which are as those that are not there. */
static void drop_nulls(struct json *v)
{
    struct json_member *members = (struct json_member *)(uintptr_t)v->members;
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->n; i++)
        if (members[i].value.type != JSON_NULL)
            members[n++] = members[i];
    v->n = n;
}

static int check_whole(struct call *c, struct json *view, const struct field *shape, int *good)
{
    const char *type = json_get_str(view, "type");
    const struct schema *schema = type ? sl_view_schema(shape, type) : NULL;
    size_t before = slack_of(c)->n_messages;
    slack_message(c, "/view", "failed to match all allowed schemas");
    if (view->type != JSON_OBJECT)
        return wrong(c, good, "/view", "must provide an object");
    if (!type)
        return wrong(c, good, "/view", "missing required field: type");
    if (!schema)
        return wrong(c, good, "/view/type", "must be a valid enum value");
    drop_nulls(view);
    int r = sl_view_members_check(c, view, schema);
    if (r <= 0)
        *good = 0;
    if (*good) { /* a schema fits: what is wrong yet is said alone */
        slack_of(c)->n_messages = before;
        check_inputs(c, view, strcmp(type, "modal") == 0, good);
    }
    return r < 0 ? -1 : 0;
}

int sl_view_check(struct call *c, const struct json *view, const struct field *shape,
                  struct chat_view *ret)
{
    int good = 1;
    if (check_whole(c, (struct json *)(uintptr_t)view, shape, &good) < 0)
        return -1;
    if (!good)
        return 0;
    ret->body = json_to_text(c->tx.arena, view);
    ret->external_id = json_get_str(view, "external_id");
    if (ret->external_id && !*ret->external_id)
        ret->external_id = NULL;
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 1;
}

int sl_view_arg(struct call *c, struct chat_view *ret)
{
    const char *text = param_str(c, "view");
    const struct json *view;
    if (strlen(text) > MAX_VIEW)
        return slack_fail(c, "view_too_large");
    int r = slack_json_arg(c, "view", &view);
    if (r <= 0)
        return slack_invalid_arguments(c, "/view", "must provide an object");
    r = sl_view_check(c, view, slack_shape(c, "view"), ret);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "invalid_arguments");
}

int sl_view_taken(struct call *c, const struct chat_view *v, int64_t but)
{
    struct chat_view other;
    int r = v->external_id ? chat_view_by_external(&c->tx, v->app, v->external_id, &other) : 0;
    return r == 1 ? other.id != but : r;
}

/* ---- as programs see it ---- */

static const struct json *body_of(struct call *c, const char *text)
{
    const struct json *v;
    return json_parse(c->tx.arena, text, strlen(text), NULL, &v, c->tx.err) < 0 ? NULL : v;
}

const char *sl_view_type(struct call *c, const struct chat_view *v)
{
    const struct json *body = body_of(c, v->body);
    const char *type = json_get_str(body, "type");
    return type ? type : "modal";
}

static void write_member(struct json_writer *w, const struct json *body, const char *name,
                         const char *otherwise)
{
    const struct json *v = json_get(body, name);
    if (v)
        json_value(w, name, v);
    else
        json_raw(w, name, otherwise, strlen(otherwise));
}

/* The views below and at the bottom: of the page itself its own id. */
static int write_stack(struct call *c, struct json_writer *w, const struct chat_view *v)
{
    struct chat_view at;
    int r = v->place > 1 ? chat_view_at(&c->tx, v->app, v->user, v->place - 1, &at) : 0;
    if (r < 0)
        return -1;
    json_str(w, "previous_view_id", r ? at.key : NULL);
    r = v->place > 1 ? chat_view_at(&c->tx, v->app, v->user, 1, &at) : 0;
    if (r < 0)
        return -1;
    json_str(w, "root_view_id", r ? at.key : v->key);
    return 0;
}

int sl_write_view(struct call *c, struct json_writer *w, const char *key, const struct chat_view *v)
{
    static const char view_title[] =
        "{\"type\":\"plain_text\",\"text\":\"View Title\",\"emoji\":true}";
    const struct json *body = body_of(c, v->body);
    struct chat_workspace team;
    struct chat_install install;
    struct chat_app app;
    int r = body ? chat_workspace_get(&c->tx, v->workspace, &team) : -1;
    if (r == 1)
        r = chat_app_of(&c->tx, v->app, &app);
    if (r == 1)
        r = chat_install_of(&c->tx, v->workspace, v->app, &install);
    if (r != 1)
        return r < 0 ? -1 : call_fail(c, SOSIA_E_INTERNAL, NULL, NULL, "the app is not installed");
    json_obj(w, key);
    json_str(w, "id", v->key);
    json_str(w, "team_id", team.key);
    write_member(w, body, "type", "\"modal\"");
    write_member(w, body, "blocks", "[]");
    write_member(w, body, "private_metadata", "\"\"");
    write_member(w, body, "callback_id", "\"\"");
    json_obj(w, "state");
    json_raw(w, "values", v->state, strlen(v->state));
    json_end(w);
    json_str(w, "hash", v->hash);
    write_member(w, body, "title", view_title);
    write_member(w, body, "clear_on_close", "false");
    write_member(w, body, "notify_on_close", "false");
    write_member(w, body, "close", "null");
    write_member(w, body, "submit", "null");
    if (write_stack(c, w, v) < 0)
        return -1;
    json_str(w, "app_id", app.key);
    json_str(w, "external_id", v->external_id ? v->external_id : "");
    json_str(w, "app_installed_team_id", team.key);
    json_str(w, "bot_id", install.key);
    json_end(w);
    return 0;
}

/* ---- values that stay ---- */

const char *sl_view_kept(struct call *c, const struct chat_view *v, const char *new_body)
{
    const struct json *state = body_of(c, v->state), *body = body_of(c, new_body);
    const struct json *blocks = json_get(body, "blocks");
    struct sl_element e;
    struct json_writer w;
    struct buf b;
    if (!state || !body)
        return NULL;
    buf_init(&b, 4 << 20);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < state->n; i++) {
        const char *block = state->members[i].key;
        const struct json *values = &state->members[i].value;
        bool open = false;
        for (uint32_t k = 0; values->type == JSON_OBJECT && k < values->n; k++) {
            if (!sl_element_find(blocks, block, values->members[k].key, &e))
                continue;
            if (!open)
                json_obj(&w, block);
            open = true;
            json_value(&w, values->members[k].key, &values->members[k].value);
        }
        if (open)
            json_end(&w);
    }
    json_end(&w);
    const char *kept = buf_failed(&b) ? NULL : arena_memdup(c->tx.arena, buf_str(&b), b.len);
    if (!kept)
        (void)sosia_fail_memory(c->tx.err);
    buf_done(&b);
    return kept;
}
