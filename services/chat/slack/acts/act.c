/* SPDX-License-Identifier: Apache-2.0 */
/* The way of an act: which there are, those that a method of the Web API does already, what
 * somebody has on his screen. */
#include "services/chat/slack/acts/act.h"
#include "services/chat/slack/apps/entity.h"

/* ---- what the Web API does ---- */

static const struct {
    const char *act, *method;
} same[] = {
    {"post", "chat.postMessage"},     {"update", "chat.update"},
    {"delete", "chat.delete"},        {"react", "reactions.add"},
    {"unreact", "reactions.remove"},  {"join", "conversations.join"},
    {"leave", "conversations.leave"}, {"open", "conversations.open"},
    {"read", "conversations.mark"},
};

static const char *method_of(const char *act)
{
    for (size_t i = 0; i < SOSIA_LEN(same); i++)
        if (strcmp(same[i].act, act) == 0)
            return same[i].method;
    return NULL;
}

static const struct route *row_of(const struct call *c, const char *act)
{
    const char *method = method_of(act);
    const struct route *row;
    for (size_t i = 0; method && (row = dialect_row(c->dialect, i)); i++)
        if (strcmp(row->id, method) == 0)
            return row;
    return NULL;
}

/* Its parameters are the members of the act. */
static int call_method(struct sl_deed *d, const struct route *row)
{
    struct call *c = d->c;
    if (slack_take_members(c, d->args, row->params, row->n_params) < 0)
        return -1;
    sl_in_client(c);
    return row->handler(c);
}

/* ---- what is on the screen ---- */

static int see_ephemerals(struct sl_deed *d)
{
    struct call *c = d->c;
    struct chat_ephemeral e = {.ts_us = -1};
    struct chat_channel ch;
    int r;
    if (sl_deed_channel(d, &ch) < 0)
        return -1;
    json_arr(c->out, "ephemeral");
    while ((r = chat_ephemeral_next(&c->tx, ch.id, sl_me(c)->user.id, e.ts_us, &e)) == 1) {
        json_obj(c->out, NULL);
        if (sl_write_ephemeral(c, &ch, &e) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    return r;
}

/* Windows and pages, and what only he sees in a channel. */
static int see(struct sl_deed *d)
{
    struct call *c = d->c;
    struct chat_view v = {0};
    int r;
    slack_open(c);
    json_arr(c->out, "views");
    while ((r = chat_view_next(&c->tx, sl_me(c)->user.id, v.id, &v)) == 1)
        if (sl_write_view(c, c->out, NULL, &v) < 0)
            return -1;
    json_end(c->out);
    if (r < 0 || sl_write_dialog(c, sl_me(c)->user.id) < 0 ||
        sl_write_panes(c, sl_me(c)->user.id) < 0 ||
        (json_get(d->args, "execution") && sl_write_execution(d) < 0) ||
        (json_get(d->args, "channel") && see_ephemerals(d) < 0))
        return -1;
    slack_close(c);
    return 0;
}

/* ---- the act ---- */

static const struct {
    const char *name;
    int (*act)(struct sl_deed *d);
} acts[] = {
    {"click", sl_act_click},     {"choose", sl_act_click},      {"options", sl_act_options},
    {"fill", sl_act_fill},       {"submit", sl_act_submit},     {"close", sl_act_close},
    {"command", sl_act_command}, {"shortcut", sl_act_shortcut}, {"home", sl_act_home},
    {"assist", sl_act_assist},   {"retitle", sl_act_retitle},   {"run", sl_act_run},
    {"entity", sl_act_entity},   {"comment", sl_act_comment},   {"press", sl_act_press},
    {"stop", sl_act_stop},       {"verify", sl_act_verify},     {"see", see},
};

bool sl_act_is(const char *name)
{
    for (size_t i = 0; i < SOSIA_LEN(acts); i++)
        if (strcmp(acts[i].name, name) == 0)
            return true;
    return method_of(name) != NULL;
}

int sl_act(struct call *c, const struct json *what, bool waits, int64_t *ret_entry)
{
    *ret_entry = 0;
    if (what->type != JSON_OBJECT || what->n != 1 || what->members[0].value.type != JSON_OBJECT)
        return slack_invalid_arguments(c, "/do", "must be an object with one act, an object");
    struct sl_deed d = {.c = c, .args = &what->members[0].value, .waits = waits};
    const char *name = what->members[0].key;
    for (size_t i = 0; i < SOSIA_LEN(acts); i++) {
        if (strcmp(acts[i].name, name) != 0)
            continue;
        if (acts[i].act(&d) < 0)
            return -1;
        *ret_entry = d.entry;
        return 0;
    }
    const struct route *row = row_of(c, name);
    return row ? call_method(&d, row)
               : slack_invalid_arguments(c, "/do", "there is no act \"%.40s\"", name);
}
