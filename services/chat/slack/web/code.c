/* SPDX-License-Identifier: Apache-2.0 */
/* What codes and refresh tokens stand for: what somebody agreed to. */
#include "services/chat/slack/web/oauth.h"
#include "engine/text/civil.h"

static const char *const flows[] = {"v1", "v2", "user", "openid", NULL};

const char *sl_agreed_text(struct tx *tx, const struct sl_agreed *agreed)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 1 << 16);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "flow", flows[agreed->flow]);
    json_str(&w, "team", agreed->team);
    json_str(&w, "user", agreed->user);
    json_str(&w, "bot", agreed->bot);
    json_str(&w, "people", agreed->people);
    json_str_opt(&w, "channel", agreed->channel);
    json_end(&w);
    return buf_keep(&b, tx->arena);
}

static const char *text_or_none(const struct json *v, const char *member)
{
    const char *text = json_get_str(v, member);
    return text ? text : "";
}

static int agreed_read(struct tx *tx, const char *text, struct sl_agreed *ret)
{
    const struct json *v;
    int flow = 0;
    if (json_parse(tx->arena, text, strlen(text), NULL, &v, tx->err) < 0)
        return -1;
    while (flows[flow] && strcmp(flows[flow], text_or_none(v, "flow")) != 0)
        flow++;
    *ret = (struct sl_agreed){.flow = (enum sl_flow)flow,
                              .team = text_or_none(v, "team"),
                              .user = text_or_none(v, "user"),
                              .bot = text_or_none(v, "bot"),
                              .people = text_or_none(v, "people"),
                              .channel = json_get_str(v, "channel")};
    return 0;
}

int sl_redeem(struct call *c, enum sl_flow flow, const struct ident_app *app,
              const struct chat_app *a, const char *used, struct sl_agreed *ret,
              struct oauth_code *ret_code)
{
    const char *text = param_str(c, "code"), *redirect = param_str(c, "redirect_uri");
    const char *verifier = param_given(c, "code_verifier") ? param_str(c, "code_verifier") : NULL;
    struct actor who;
    if (!text || !*text)
        return slack_fail(c, "invalid_code");
    int r =
        oauth_code_redeem(&c->tx, app, text, redirect ? redirect : "", verifier, ret_code, &who);
    switch (r) {
    case 0:
        break;
    case OAUTH_USED_CODE:
        return slack_fail(c, used);
    case OAUTH_OTHER_REDIRECT:
        return slack_fail(c, "bad_redirect_uri");
    case OAUTH_NEEDLESS_VERIFIER:
    case OAUTH_NO_VERIFIER:
    case OAUTH_BAD_VERIFIER:
        return slack_fail(c, flow == SL_FLOW_V2 ? "invalid_code_verifier" : "invalid_code");
    default:
        return r < 0 ? -1 : slack_fail(c, "invalid_code");
    }
    if (agreed_read(&c->tx, ret_code->scopes, ret) < 0)
        return -1;
    if (ret->flow != flow)
        return slack_fail(c, "oauth_authorization_url_mismatch");
    if (ret_code->challenge && !sl_setting_truth(&c->tx, a, "pkce"))
        return slack_fail(c, flow == SL_FLOW_V2 ? "pkce_not_allowed" : "invalid_code");
    return oauth_code_used(&c->tx, ret_code->id, "-");
}

int sl_agreed_by(struct call *c, const struct sl_agreed *agreed, struct sl_issue *s)
{
    int r = chat_workspace_find(&c->tx, agreed->team, &s->workspace);
    if (r == 1)
        r = chat_user_find(&c->tx, s->workspace.id, agreed->user, &s->person);
    if (r < 0)
        return -1;
    if (!r || s->person.deleted || !s->person.actor)
        return slack_fail(c, "invalid_code");
    s->bot = agreed->bot;
    s->people = agreed->people;
    return 0;
}

int sl_grant_arg(struct call *c, struct sl_issue *s, struct chat_grant *g, struct chat_user *u)
{
    const char *text = param_str(c, "refresh_token");
    int r = text && *text ? chat_grant_find(&c->tx, text, g) : 0;
    if (r == 1)
        r = chat_install_get(&c->tx, g->install, &s->install);
    if (r == 1 && (s->install.app != s->app.id || s->install.deleted ||
                   (g->expires_s && g->expires_s <= c->tx.now_us / US_PER_SECOND)))
        r = 0;
    if (r == 1)
        r = chat_workspace_get(&c->tx, s->install.workspace, &s->workspace);
    if (r == 1)
        r = chat_user_get(&c->tx, g->user, u);
    if (r == 1 && u->deleted)
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "invalid_refresh_token");
}
