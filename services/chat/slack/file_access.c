/* SPDX-License-Identifier: Apache-2.0 */
/* Who may do what with a canvas or a list: *.access.set and *.access.delete. */
#include "services/chat/slack/canvas.h"

#define MAX_TARGETS 100

struct targets {
    struct chat_channel *channels;
    struct chat_user *users;
    size_t n_channels, n_users;
};

/* Either channels or users. */
static int read_targets(struct call *c, struct targets *t)
{
    const char **channels = slack_list_arg(c, "channel_ids", &t->n_channels);
    const char **users = slack_list_arg(c, "user_ids", &t->n_users);
    if (!t->n_channels == !t->n_users)
        return slack_fail(c, "invalid_parameters");
    if (t->n_channels > MAX_TARGETS || t->n_users > MAX_TARGETS)
        return slack_invalid_arguments(c, t->n_users ? "/user_ids" : "/channel_ids",
                                       "no more than %d items allowed", MAX_TARGETS);
    t->channels = arena_calloc(c->tx.arena, t->n_channels + 1, sizeof *t->channels);
    t->users = arena_calloc(c->tx.arena, t->n_users + 1, sizeof *t->users);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < t->n_channels; i++) {
        int r = chat_channel_find(&c->tx, sl_me(c)->workspace.id, channels[i], &t->channels[i]);
        if (r == 1)
            r = chat_can_see(&c->tx, &t->channels[i], &sl_me(c)->user);
        if (r != 1)
            return r < 0 ? -1 : slack_fail(c, "channel_not_found");
    }
    for (size_t i = 0; i < t->n_users; i++) {
        int r = sl_user_find(c, users[i], &t->users[i]);
        if (r == 1)
            r = sl_sees(c, &t->users[i]);
        if (r != 1 || t->users[i].deleted)
            return r < 0 ? -1 : slack_fail(c, "user_not_found");
    }
    return 0;
}

/* The one who has it can't lose it but to another one. */
static int is_owner(struct call *c, const struct chat_file *f, const struct chat_user *u)
{
    int64_t owner;
    return chat_level_owner(&c->tx, f->id, &owner) < 0 ? -1 : owner == u->id;
}

static int changed(struct call *c, const struct chat_file *f)
{
    struct chat_file copy = *f;
    return chat_file_save(&c->tx, &copy, OP_CHANGED) < 0 ? -1 : slack_ok(c);
}

/* Another one has it from now on; who had it goes on writing. */
static int hand_over(struct call *c, const struct chat_file *f, const struct targets *t)
{
    int64_t owner;
    if (t->n_users != 1)
        return slack_fail(c, "invalid_parameters");
    if (chat_level_owner(&c->tx, f->id, &owner) < 0 ||
        (owner && owner != t->users[0].id &&
         chat_level_set(&c->tx, f, 0, owner, CHAT_MAY_WRITE) < 0) ||
        chat_level_set(&c->tx, f, 0, t->users[0].id, CHAT_MAY_ALL) < 0)
        return -1;
    return changed(c, f);
}

int sl_access_level_arg(struct call *c, enum chat_level *ret)
{
    const char *name = param_str(c, "access_level");
    for (int i = 0; chat_levels[i]; i++)
        if (strcmp(chat_levels[i], name) == 0) {
            *ret = (enum chat_level)(i + 1);
            return 0;
        }
    return slack_invalid_arguments(c, "/access_level", "must be one of: read, write, owner");
}

int sl_access_set(struct call *c, const struct chat_file *f, enum chat_level mine,
                  enum chat_level level)
{
    struct targets t = {0};
    if (read_targets(c, &t) < 0)
        return -1;
    if (mine < CHAT_MAY_WRITE || (level == CHAT_MAY_ALL && mine < CHAT_MAY_ALL))
        return slack_fail(c, "restricted_action");
    if (level == CHAT_MAY_ALL)
        return hand_over(c, f, &t);
    for (size_t i = 0; i < t.n_users; i++) {
        int r = is_owner(c, f, &t.users[i]);
        if (r)
            return r < 0 ? -1 : slack_fail(c, "failed_to_update_user_ids");
        if (chat_level_set(&c->tx, f, 0, t.users[i].id, level) < 0)
            return -1;
    }
    for (size_t i = 0; i < t.n_channels; i++)
        if (chat_level_set(&c->tx, f, t.channels[i].id, 0, level) < 0)
            return -1;
    return changed(c, f);
}

int sl_access_delete(struct call *c, const struct chat_file *f, enum chat_level mine)
{
    struct chat_file copy = *f;
    struct targets t = {0};
    enum chat_level said;
    struct json_writer *w = c->out;
    bool failed = false;
    if (read_targets(c, &t) < 0)
        return -1;
    if (mine < CHAT_MAY_WRITE)
        return slack_fail(c, "restricted_action");
    slack_open(c);
    for (size_t i = 0; i < t.n_users; i++) {
        int r = is_owner(c, f, &t.users[i]);
        if (!r)
            r = chat_level_said(&c->tx, f->id, 0, t.users[i].id, &said) < 0 ? -1 : !said;
        if (r < 0 || (!r && chat_level_set(&c->tx, f, 0, t.users[i].id, CHAT_MAY_NOTHING) < 0))
            return -1;
        if (r && !failed)
            json_arr(w, "failed_to_update_user_ids");
        if (r)
            json_str(w, NULL, t.users[i].key);
        failed |= r;
    }
    for (size_t i = 0; i < t.n_channels; i++) {
        int r = chat_level_said(&c->tx, f->id, t.channels[i].id, 0, &said) < 0 ? -1 : !said;
        if (r < 0 || (!r && chat_level_set(&c->tx, f, t.channels[i].id, 0, CHAT_MAY_NOTHING) < 0))
            return -1;
        if (r && !failed)
            json_arr(w, "failed_to_update_channel_ids");
        if (r)
            json_str(w, NULL, t.channels[i].key);
        failed |= r;
    }
    if (failed)
        json_end(w);
    slack_close(c);
    return chat_file_save(&c->tx, &copy, OP_CHANGED);
}
