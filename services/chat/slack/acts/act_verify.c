/* SPDX-License-Identifier: Apache-2.0 */
/* The address for an app's events, as somebody gives it in the app's settings: it must give back a
 * challenge (docs.slack.dev, url_verification), else the app keeps the one that it has. */
#include "engine/base/codec.h"
#include "services/chat/slack/acts/act.h"

#define MAX_ADDRESS 3000

static bool is_receiver(const char *url)
{
    return (str_starts(url, "https://") || str_starts(url, "http://")) &&
           strlen(url) <= MAX_ADDRESS && !url[strcspn(url, " \t\r\n")];
}

/* The app that "app" names, which the person keeps, with its settings; installed or not. */
static int own_party(struct sl_deed *d, struct sl_party *ret)
{
    struct call *c = d->c;
    const char *key = sl_deed_str(d, "app");
    *ret = (struct sl_party){0};
    int r = key ? chat_app_find(&c->tx, key, &ret->app) : -1;
    if (r < 0)
        return -1;
    if (!r || ret->app.deleted)
        return slack_fail(c, "app_not_found");
    if (ret->app.owner && ret->app.owner != sl_me(c)->user.id)
        return slack_fail(c, "no_permission");
    return sl_settings_of(&c->tx, &ret->app, &ret->settings);
}

static const char *new_challenge(struct tx *tx)
{
    uint8_t random[26];
    char text[2 * sizeof random + 1];
    if (tx_secret(tx, "chat.challenge", random, sizeof random) < 0)
        return NULL;
    hex_encode(text, random, sizeof random);
    return arena_strdup(tx->arena, text);
}

int sl_act_verify(struct sl_deed *d)
{
    struct call *c = d->c;
    const char *url = json_get_str(d->args, "url");
    struct sl_draft draft;
    struct sl_party p;
    if (own_party(d, &p) < 0)
        return -1;
    if (p.settings.socket_mode)
        return slack_fail(c, "socket_mode_enabled"); /* nothing goes to an address */
    if (!url)
        url = p.settings.events_url;
    if (!url || !is_receiver(url))
        return slack_invalid_arguments(c, "/do/verify/url", "must be a valid URL");
    const char *challenge = new_challenge(&c->tx);
    if (!challenge)
        return -1;
    sl_draft_begin(&draft, c);
    json_obj(&draft.w, NULL);
    json_str(&draft.w, "token", p.app.verification);
    json_str(&draft.w, "challenge", challenge);
    json_str(&draft.w, "type", SL_CHALLENGE);
    json_end(&draft.w);
    return sl_notify_app(d,
                         &(struct sl_notice){.push = SL_PUSH_INTERACTIVE,
                                             .kind = "verify",
                                             .to = &p,
                                             .name = url,
                                             .url = url,
                                             .answers = true},
                         sl_draft_end(&draft));
}

/* ---- what came back ---- */

/* As a text, a field of a form or a member of an object. */
static bool gives_back(struct call *c, const struct sl_answer *a, const char *challenge)
{
    static const struct json_limits limits = {
        .max_size = 1 << 16, .max_depth = 16, .max_values = 1000};
    const char *text = a->body + strspn(a->body, " \t\r\n"), *own;
    const struct json *v;
    struct sosia_err err;
    size_t n = strcspn(text, " \t\r\n");
    if (str_starts(text, "challenge="))
        text += strlen("challenge="), n -= strlen("challenge=");
    if (n == strlen(challenge) && memcmp(text, challenge, n) == 0)
        return true;
    if (json_parse(c->tx.arena, a->body, a->len, &limits, &v, &err) < 0)
        return false;
    own = json_get_str(v, "challenge");
    return own && strcmp(own, challenge) == 0;
}

/* The object with a text at a path in it. */
static void put(struct json_writer *w, const char *key, const struct json *v,
                const char *const *path, const char *text)
{
    bool found = false;
    json_obj(w, key);
    for (uint32_t i = 0; v && v->type == JSON_OBJECT && i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        if (strcmp(m->key, path[0]) != 0) {
            json_value(w, m->key, &m->value);
            continue;
        }
        found = true;
        if (path[1])
            put(w, m->key, &m->value, path + 1, text);
        else
            json_str(w, m->key, text);
    }
    if (!found && path[1])
        put(w, path[0], NULL, path + 1, text);
    else if (!found)
        json_str(w, path[0], text);
    json_end(w);
}

/* NULL: failed. */
static const char *with_text(struct call *c, const char *json, const char *const *path,
                             const char *text)
{
    const struct json *v;
    struct sl_draft draft;
    if (json_parse(c->tx.arena, json, strlen(json), NULL, &v, c->tx.err) < 0)
        return NULL;
    sl_draft_begin(&draft, c);
    put(&draft.w, NULL, v, path, text);
    return sl_draft_end(&draft);
}

/* In its settings, and in the manifest that they are made of. */
static int set_address(struct call *c, struct chat_app *a, const char *url)
{
    static const char *const setting[] = {"events_url", NULL};
    static const char *const manifest[] = {"settings", "event_subscriptions", "request_url", NULL};
    if (!(a->setting = with_text(c, a->setting, setting, url)) ||
        (a->manifest && !(a->manifest = with_text(c, a->manifest, manifest, url))))
        return -1;
    /* One that was given up begins anew. */
    return chat_app_save(&c->tx, a) < 0 || chat_endpoint_set(&c->tx, a->app, NULL) < 0
               ? -1
               : chat_app_derive(&c->tx, a);
}

int sl_verify_answered(struct call *c, const struct chat_act *act, const struct sl_answer *a)
{
    const struct json *sent;
    struct chat_app app;
    if (json_parse(c->tx.arena, a->payload, strlen(a->payload), NULL, &sent, c->tx.err) < 0)
        return -1;
    if (!gives_back(c, a, json_get_str(sent, "challenge")))
        return slack_fail(c, "challenge_failed");
    int r = chat_app_of(&c->tx, act->app, &app);
    if (r != 1 || set_address(c, &app, act->name) < 0)
        return r == 0 ? 0 : -1;
    json_bool(c->out, "verified", true);
    return 0;
}
