/* SPDX-License-Identifier: Apache-2.0 */
/* What a person sees when an app was not notified of what the person did, or did not answer. */
#include "services/chat/slack/acts/act.h"

/* Slackbot says it to the person alone. */
static int slackbot_says(struct call *c, const struct chat_act *a, const char *text)
{
    struct chat_channel ch;
    struct chat_user slackbot;
    struct chat_ephemeral e;
    struct chat_message m = {.text = text};
    int64_t us;
    int r = a->channel ? chat_channel_get(&c->tx, a->channel, &ch) : 0;
    if (r == 1)
        r = chat_user_find(&c->tx, a->workspace, SLACKBOT, &slackbot);
    if (r != 1)
        return r;
    m.user = slackbot.id;
    if (sl_show(&c->tx, &ch, a->user, &m, 0, &us) < 0 ||
        (r = chat_ephemeral_find(&c->tx, ch.id, a->user, us, &e)) != 1)
        return -1;
    json_obj(c->out, "ephemeral");
    r = sl_write_ephemeral(c, &ch, &e);
    json_end(c->out);
    return r;
}

int sl_write_failure(struct call *c, const struct chat_act *a, const char *failure)
{
    bool late =
        failure && (strcmp(failure, "http_timeout") == 0 || strcmp(failure, "unknown_error") == 0);
    json_str(c->out, "failure", failure ? failure : "not_configured");
    if (strcmp(a->kind, "submit") == 0 || strcmp(a->kind, "dialog") == 0)
        json_str(c->out, "notice", "We had some trouble connecting. Try again?");
    if (strcmp(a->kind, "unknown") == 0)
        return slackbot_says(c, a,
                             arena_printf(c->tx.arena, "`%.80s` is not a valid command.", a->name));
    if (strcmp(a->kind, "command") == 0)
        return slackbot_says(
            c, a,
            late ? arena_printf(c->tx.arena,
                                "%.80s failed because the app did not respond. Please try again or "
                                "contact the app developer.",
                                a->name)
                 : arena_printf(c->tx.arena, "%.80s failed with the error \"dispatch_failed\"",
                                a->name));
    if (!failure && strcmp(a->kind, "click") == 0)
        return slackbot_says(c, a,
                             "This app is not configured to handle interactive responses. Please "
                             "configure interactivity URL for your app under app config page.");
    return 0;
}
