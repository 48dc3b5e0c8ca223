/* SPDX-License-Identifier: Apache-2.0 */
/* Who may do what with a canvas or a list: *.access.set and *.access.delete. */
#include "services/chat/slack/canvas.h"

/* Whose access a call changes: a channel's or somebody's; the other one has the id 0. */
struct target {
    struct chat_channel channel;
    struct chat_user user;
};

static int one_of(struct call *c, const char *name, size_t n)
{
    return n > 1 ? slack_invalid_arguments(c, arena_printf(c->tx.arena, "/%s", name),
                                           "no more than 1 items allowed")
                 : 0;
}

/* Either channel_ids or user_ids, with one item. Direct conversations and those of groups have no
 * access of their own (channel_not_found, concluded). */
static int read_target(struct call *c, struct target *ret)
{
    size_t n_channels = 0, n_users = 0;
    const char **channels = slack_list_arg(c, "channel_ids", &n_channels);
    const char **users = slack_list_arg(c, "user_ids", &n_users);
    *ret = (struct target){0};
    if (!n_channels == !n_users)
        return slack_fail(c, "invalid_parameters");
    if (one_of(c, "channel_ids", n_channels) < 0 || one_of(c, "user_ids", n_users) < 0)
        return -1;
    if (n_channels) {
        int r = chat_channel_find(&c->tx, sl_me(c)->workspace.id, channels[0], &ret->channel);
        if (r == 1)
            r = ret->channel.kind == CHAT_DIRECT || ret->channel.kind == CHAT_GROUP
                    ? 0
                    : chat_can_see(&c->tx, &ret->channel, &sl_me(c)->user);
        return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "channel_not_found");
    }
    int r = sl_user_find(c, users[0], &ret->user);
    if (r == 1)
        r = sl_sees(c, &ret->user);
    return r == 1 && !ret->user.deleted ? 0 : r < 0 ? -1 : slack_fail(c, "user_not_found");
}

/* The one who has it can't lose it but to another one. 1, 0, -1. */
static int is_owner(struct call *c, const struct chat_file *f, const struct target *t)
{
    int64_t owner;
    if (!t->user.id)
        return 0;
    return chat_level_owner(&c->tx, f->id, &owner) < 0 ? -1 : owner == t->user.id;
}

static int changed(struct call *c, const struct chat_file *f)
{
    struct chat_file copy = *f;
    return chat_file_save(&c->tx, &copy, OP_CHANGED) < 0 ? -1 : slack_ok(c);
}

/* Another one has it from now on; who had it goes on writing. */
static int hand_over(struct call *c, const struct chat_file *f, const struct chat_user *to)
{
    int64_t owner;
    if (chat_level_owner(&c->tx, f->id, &owner) < 0 ||
        (owner && owner != to->id && chat_level_set(&c->tx, f, 0, owner, CHAT_MAY_WRITE) < 0) ||
        chat_level_set(&c->tx, f, 0, to->id, CHAT_MAY_ALL) < 0)
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
    struct target t;
    if (read_target(c, &t) < 0)
        return -1;
    if (level == CHAT_MAY_ALL && !t.user.id)
        return slack_invalid_arguments(c, "/channel_ids", "only users can be owners");
    if (mine < CHAT_MAY_WRITE || (level == CHAT_MAY_ALL && mine < CHAT_MAY_ALL))
        return slack_fail(c, "restricted_action");
    if (level == CHAT_MAY_ALL)
        return hand_over(c, f, &t.user);
    int r = is_owner(c, f, &t);
    if (r)
        return r < 0 ? -1 : slack_fail(c, "failed_to_update_user_ids");
    return chat_level_set(&c->tx, f, t.channel.id, t.user.id, level) < 0 ? -1 : changed(c, f);
}

/* Of a list it is a refusal if somebody has no access of his own, of a canvas it is said beside ok,
 * as the pages of the methods have it; of channels beside ok for both. */
static int not_revoked(struct call *c, const struct chat_file *f, const struct target *t)
{
    if (t->user.id && strcmp(f->mode, "list") == 0)
        return slack_fail(c, "failed_to_update_user_ids");
    slack_open(c);
    json_arr(c->out, t->user.id ? "failed_to_update_user_ids" : "failed_to_update_channel_ids");
    json_str(c->out, NULL, t->user.id ? t->user.key : t->channel.key);
    json_end(c->out);
    slack_close(c);
    return 0;
}

int sl_access_delete(struct call *c, const struct chat_file *f, enum chat_level mine)
{
    struct target t;
    enum chat_level said;
    if (read_target(c, &t) < 0)
        return -1;
    if (mine < CHAT_MAY_WRITE)
        return slack_fail(c, "restricted_action");
    int r = is_owner(c, f, &t);
    if (r < 0 || chat_level_said(&c->tx, f->id, t.channel.id, t.user.id, &said) < 0)
        return -1;
    if (r || !said)
        return not_revoked(c, f, &t);
    return chat_level_set(&c->tx, f, t.channel.id, t.user.id, CHAT_MAY_NOTHING) < 0 ? -1
                                                                                    : changed(c, f);
}
