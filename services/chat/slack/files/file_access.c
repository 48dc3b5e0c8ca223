/* SPDX-License-Identifier: Apache-2.0 */
/* Who may do what with a canvas or a list: *.access.set and *.access.delete. */
#include "services/chat/slack/files/canvas.h"

/* Whose access a call changes: a channel's or somebody's; the other one has the id 0. */
struct target {
    struct chat_channel channel;
    struct chat_user user;
};

#define MAX_TARGETS 20 /* of one call (docs.slack.dev, canvases.access.set) */

struct targets {
    struct target items[MAX_TARGETS];
    size_t n;
    bool people; /* and not channels */
};

/* Direct conversations and those of groups have no access of their own (channel_not_found,
 * concluded). */
static int named_target(struct call *c, bool person, const char *key, struct target *ret)
{
    int r;
    *ret = (struct target){0};
    if (person) {
        r = sl_user_find(c, key, &ret->user);
        if (r == 1)
            r = sl_sees(c, &ret->user);
        return r == 1 && !ret->user.deleted ? 0 : r < 0 ? -1 : slack_fail(c, "user_not_found");
    }
    r = chat_channel_find(&c->tx, sl_me(c)->workspace.id, key, &ret->channel);
    if (r == 1)
        r = ret->channel.kind == CHAT_DIRECT || ret->channel.kind == CHAT_GROUP
                ? 0
                : chat_can_see(&c->tx, &ret->channel, &sl_me(c)->user);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "channel_not_found");
}

static bool is_target(const struct targets *all, const struct target *t)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->items[i].user.id == t->user.id && all->items[i].channel.id == t->channel.id)
            return true;
    return false;
}

/* Either channel_ids or user_ids. */
static int read_targets(struct call *c, struct targets *ret)
{
    size_t n_channels = 0, n = 0;
    const char **channels = slack_list_arg(c, "channel_ids", &n_channels);
    const char **keys = slack_list_arg(c, "user_ids", &n);
    if (!n_channels == !n)
        return slack_fail(c, "invalid_parameters");
    ret->n = 0;
    ret->people = n != 0;
    if (!ret->people) {
        keys = channels;
        n = n_channels;
    }
    if (n > MAX_TARGETS)
        return slack_invalid_arguments(c, ret->people ? "/user_ids" : "/channel_ids",
                                       "no more than %d items allowed", MAX_TARGETS);
    for (size_t i = 0; i < n; i++) {
        if (named_target(c, ret->people, keys[i], &ret->items[ret->n]) < 0)
            return -1;
        ret->n += !is_target(ret, &ret->items[ret->n]);
    }
    return 0;
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
    int level = 0;
    if (slack_word(c, "access_level", &level) < 0)
        return -1;
    *ret = (enum chat_level)(level + 1);
    return 0;
}

int sl_access_set(struct call *c, const struct chat_file *f, enum chat_level mine,
                  enum chat_level level)
{
    struct targets *all = arena_alloc(c->tx.arena, sizeof *all);
    bool whole = level == CHAT_MAY_ALL;
    if (read_targets(c, all) < 0)
        return -1;
    if (whole && !all->people)
        return slack_invalid_arguments(c, "/channel_ids", "only users can be owners");
    if (whole && all->n > 1)
        return slack_invalid_arguments(c, "/user_ids", "no more than 1 items allowed");
    if (mine < CHAT_MAY_WRITE || (whole && mine < CHAT_MAY_ALL))
        return slack_fail(c, "restricted_action");
    if (whole)
        return hand_over(c, f, &all->items[0].user);
    for (size_t i = 0; i < all->n; i++) {
        const struct target *t = &all->items[i];
        int r = is_owner(c, f, t);
        if (r < 0 || (r && strcmp(f->mode, "list") == 0))
            return r < 0 ? -1 : slack_fail(c, "failed_to_update_user_ids");
        if (r) /* who made a canvas keeps all of it, and is not refused */
            continue;
        if (chat_level_set(&c->tx, f, t->channel.id, t->user.id, level) < 0)
            return -1;
    }
    return changed(c, f);
}

/* Who had no access of his own, or can't lose it. Of a list it is a refusal, of a canvas it is said
 * beside ok, as the pages of the methods have it; of channels beside ok for both. */
static int answer_revoked(struct call *c, const struct targets *all, const bool *failed)
{
    bool some = false;
    slack_open(c);
    for (size_t i = 0; i < all->n; i++) {
        if (!failed[i])
            continue;
        if (!some)
            json_arr(c->out,
                     all->people ? "failed_to_update_user_ids" : "failed_to_update_channel_ids");
        some = true;
        json_str(c->out, NULL, all->people ? all->items[i].user.key : all->items[i].channel.key);
    }
    if (some)
        json_end(c->out);
    slack_close(c);
    return 0;
}

int sl_access_delete(struct call *c, const struct chat_file *f, enum chat_level mine)
{
    struct targets *all = arena_alloc(c->tx.arena, sizeof *all);
    struct chat_file copy = *f;
    bool failed[MAX_TARGETS] = {false}, some = false;
    enum chat_level said;
    if (read_targets(c, all) < 0)
        return -1;
    if (mine < CHAT_MAY_WRITE)
        return slack_fail(c, "restricted_action");
    for (size_t i = 0; i < all->n; i++) {
        const struct target *t = &all->items[i];
        int r = is_owner(c, f, t);
        if (r < 0 || chat_level_said(&c->tx, f->id, t->channel.id, t->user.id, &said) < 0)
            return -1;
        failed[i] = r || !said;
        if (failed[i] && all->people && strcmp(f->mode, "list") == 0)
            return slack_fail(c, "failed_to_update_user_ids");
        if (!failed[i] &&
            chat_level_set(&c->tx, f, t->channel.id, t->user.id, CHAT_MAY_NOTHING) < 0)
            return -1;
        some |= !failed[i];
    }
    if (some && chat_file_save(&c->tx, &copy, OP_CHANGED) < 0)
        return -1;
    return answer_revoked(c, all, failed);
}
