/* SPDX-License-Identifier: Apache-2.0 */
/* Sign in with Slack: OpenID Connect's tokens, what they say of somebody, and the documents of it.
 */
#include "services/chat/slack/web/oauth.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"

#define KEY_LABEL "slack id tokens"
#define ID_LIFE_S 300

/* The service's own name, or under which this server stands for it. */
static const char *issuer(struct call *c)
{
    const char *host = c->base_url ? strstr(c->base_url, "://") : NULL;
    size_t n = host ? strcspn(host + 3, "/:") : 0;
    const char *end = host ? host + 3 + n : NULL;
    if (!host || (n == 9 && memcmp(host + 3, SLACK_HOST, 9) == 0) ||
        (n > 10 && memcmp(end - 10, "." SLACK_HOST, 10) == 0))
        return "https://" SLACK_HOST;
    return c->base_url;
}

static bool names_scope(const char *list, const char *scope)
{
    size_t len = strlen(scope);
    while (*list) {
        size_t n = strcspn(list, ", ");
        if (n == len && memcmp(list, scope, n) == 0)
            return true;
        list += n + (list[n] != 0);
    }
    return false;
}

/* ---- what is said of somebody ---- */

/* A picture in several sizes: its address is before, size and after. */
static void write_sizes(struct call *c, const char *what, const char *const *sizes,
                        const char *before, const char *after)
{
    for (; *sizes; sizes++)
        json_str(c->out, arena_printf(c->tx.arena, "https://slack.com/%s_%s", what, *sizes),
                 arena_printf(c->tx.arena, "%s%s%s", before, *sizes, after));
}

static void write_full_name(struct call *c, const struct chat_user *u)
{
    size_t n = strcspn(u->real_name, " ");
    json_str(c->out, "name", u->real_name);
    json_strn(c->out, "given_name", u->real_name, n);
    json_str(c->out, "family_name", u->real_name[n] ? u->real_name + n + 1 : "");
}

static void write_profile(struct call *c, const struct chat_user *u, const struct chat_workspace *w)
{
    static const char *const sizes[] = {"24", "32", "48", "72", "192", "512", NULL};
    static const char *const team_sizes[] = {"34", "44", "68", "88", "102", "132", "230", NULL};
    const char *picture = arena_printf(
        c->tx.arena,
        "https://secure.gravatar.com/avatar/%016llx.jpg?s=", (unsigned long long)chat_hash(u->key));
    json_str(c->out, "locale", u->locale);
    write_full_name(c, u);
    json_str(c->out, "picture", arena_printf(c->tx.arena, "%s512", picture));
    write_sizes(c, "user_image", sizes, picture, "");
    json_str(c->out, "https://slack.com/team_name", w->name);
    json_str(c->out, "https://slack.com/team_domain", w->domain);
    write_sizes(c, "team_image", team_sizes,
                "https://a.slack-edge.com/80588/img/avatars-teams/ava_0001-", ".png");
    json_bool(c->out, "https://slack.com/team_image_default", true);
}

static void write_claims(struct call *c, const struct chat_user *u, const struct chat_workspace *w,
                         const char *scopes)
{
    json_str(c->out, "https://slack.com/user_id", u->key);
    json_str(c->out, "https://slack.com/team_id", w->key);
    if (u->email && names_scope(scopes, "email")) {
        json_str(c->out, "email", u->email);
        json_bool(c->out, "email_verified", true);
        json_int(c->out, "date_email_verified", w->created_s);
    }
    if (names_scope(scopes, "profile"))
        write_profile(c, u, w);
}

/* ---- openid.connect.token ---- */

static int make_id_token(struct call *c, const struct sl_issue *s, const char *nonce,
                         const char **ret)
{
    struct json_writer *out = c->out, w;
    int64_t now = c->tx.now_us / US_PER_SECOND;
    struct buf b;
    buf_init(&b, 1 << 16);
    json_init(&w, &b, false, NULL);
    c->out = &w;
    json_obj(&w, NULL);
    json_str(&w, "iss", issuer(c));
    json_str(&w, "sub", s->person.key);
    json_str(&w, "aud", s->app.client_id);
    json_int(&w, "exp", now + ID_LIFE_S);
    json_int(&w, "iat", now);
    json_int(&w, "auth_time", now);
    json_str_opt(&w, "nonce", nonce);
    json_str(&w, "at_hash", jwt_at_hash(c->tx.arena, s->user_token.access));
    write_claims(c, &s->person, &s->workspace, s->user_token.scopes);
    json_end(&w);
    c->out = out;
    int rc = buf_failed(&b) ? slack_fail(c, "invalid_request")
                            : jwt_sign(c->tx.arena, KEY_LABEL, b.data, b.len, ret, c->tx.err);
    buf_done(&b);
    return rc;
}

static int write_answer(struct call *c, const struct sl_issue *s, const char *nonce)
{
    const char *id_token;
    if (make_id_token(c, s, nonce, &id_token) < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "access_token", s->user_token.access);
    json_str(c->out, "token_type", "Bearer");
    json_str(c->out, "id_token", id_token);
    if (s->user_token.refresh) {
        json_int(c->out, "expires_in", s->user_token.expires_in);
        json_str(c->out, "refresh_token", s->user_token.refresh);
    }
    slack_close(c);
    return 0;
}

static int token_for_code(struct call *c)
{
    struct sl_issue s = {0};
    struct sl_agreed agreed;
    struct oauth_code code;
    if (sl_client_arg(c, param_given(c, "code_verifier"), &s.app, &s.chat_app) < 0 ||
        sl_redeem(c, SL_FLOW_OPENID, &s.app, &s.chat_app, "invalid_code", &agreed, &code) < 0 ||
        sl_agreed_by(c, &agreed, &s) < 0)
        return -1;
    s.rotate = code.offline;
    return sl_install(&c->tx, &s) < 0 ? -1 : write_answer(c, &s, code.nonce);
}

static int token_for_refresh(struct call *c)
{
    struct sl_issue s = {.rotate = true};
    struct chat_grant g;
    if (sl_client_arg(c, true, &s.app, &s.chat_app) < 0 || sl_grant_arg(c, &s, &g, &s.person) < 0)
        return -1;
    if (!g.scopes || !names_scope(g.scopes, "openid"))
        return slack_fail(c, "invalid_refresh_token");
    s.pkce = g.expires_s != 0;
    return sl_issue_token(&c->tx, &s, &s.person, g.scopes, &s.user_token) < 0
               ? -1
               : write_answer(c, &s, NULL);
}

static int openid_connect_token(struct call *c)
{
    int type = 0;
    if (slack_word(c, "grant_type", &type) < 0)
        return -1;
    return type ? token_for_refresh(c) : token_for_code(c);
}

static int openid_connect_user_info(struct call *c)
{
    const struct sl_caller *me = sl_me(c);
    slack_open(c);
    json_str(c->out, "sub", me->user.key);
    write_claims(c, &me->user, &me->workspace, slack_granted(c));
    slack_close(c);
    return 0;
}

/* ---- documents ---- */

static void write_texts_of(struct call *c, const char *member, const char *const *texts)
{
    json_arr(c->out, member);
    for (; *texts; texts++)
        json_str(c->out, NULL, *texts);
    json_end(c->out);
}

static void add_url(struct call *c, const char *member, const char *path)
{
    json_str(c->out, member, arena_printf(c->tx.arena, "%s%s", issuer(c), path));
}

static int configuration(struct call *c)
{
    static const char *const scopes[] = {"openid", "profile", "email", NULL};
    static const char *const code[] = {"code", NULL}, *const query[] = {"query", NULL};
    static const char *const grants[] = {"authorization_code", NULL};
    static const char *const subjects[] = {"public", NULL}, *const keys[] = {"RS256", NULL};
    static const char *const claims[] = {"sub", "auth_time", "iss", NULL};
    static const char *const ways[] = {"client_secret_post", "client_secret_basic", NULL};
    json_obj(c->out, NULL);
    json_str(c->out, "issuer", issuer(c));
    add_url(c, "authorization_endpoint", "/openid/connect/authorize");
    add_url(c, "token_endpoint", "/api/openid.connect.token");
    add_url(c, "userinfo_endpoint", "/api/openid.connect.userInfo");
    add_url(c, "jwks_uri", "/openid/connect/keys");
    write_texts_of(c, "scopes_supported", scopes);
    write_texts_of(c, "response_types_supported", code);
    write_texts_of(c, "response_modes_supported", query);
    write_texts_of(c, "grant_types_supported", grants);
    write_texts_of(c, "subject_types_supported", subjects);
    write_texts_of(c, "id_token_signing_alg_values_supported", keys);
    write_texts_of(c, "claims_supported", claims);
    json_bool(c->out, "claims_parameter_supported", false);
    json_bool(c->out, "request_parameter_supported", false);
    json_bool(c->out, "request_uri_parameter_supported", true);
    write_texts_of(c, "token_endpoint_auth_methods_supported", ways);
    json_end(c->out);
    return 0;
}

static int public_keys(struct call *c)
{
    char id[JWT_KEY_ID_LEN + 1];
    const char *n, *e;
    if (jwt_key_id(KEY_LABEL, id, c->tx.err) < 0 ||
        jwt_key_public(c->tx.arena, KEY_LABEL, &n, &e, c->tx.err) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_arr(c->out, "keys");
    json_obj(c->out, NULL);
    json_str(c->out, "e", e);
    json_str(c->out, "n", n);
    json_str(c->out, "use", "sig");
    json_str(c->out, "kid", id);
    json_str(c->out, "kty", "RSA");
    json_str(c->out, "alg", "RS256");
    json_end(c->out);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- rows ---- */

static const struct param token_params[] = {
    SL_ARG("client_id"),
    SL_ARG("client_secret"),
    SL_ARG("code"),
    SL_ARG("redirect_uri"),
    SL_ARG("code_verifier"),
    SL_ARG("grant_type", SL_WORDS("authorization_code", "refresh_token"),
           .def = "authorization_code", .fault = "invalid_grant_type"),
    SL_ARG("refresh_token")};

static const struct route methods[] = {
    {SL_METHOD("openid.connect.token"), .handler = openid_connect_token, .risk = RISK_WRITE,
     .anonymous = true, .secret = true, .accepts = slack_form_only, PARAMS(token_params),
     .rate = SLACK_TIER_4, .summary = "Who signed in, for a code"},
    {SL_METHOD("openid.connect.userInfo"), .handler = openid_connect_user_info, .risk = RISK_READ,
     .accepts = slack_form_only, .token_kinds = TOKEN_USER, .scopes = "openid",
     .rate = SLACK_TIER_3, .summary = "Who the token stands for, as OpenID Connect says it"},
    {ROUTE("openid.connect.configuration", GET, "/.well-known/openid-configuration"),
     .handler = configuration, .risk = RISK_READ, .anonymous = true,
     .summary = "What OpenID Connect has where"},
    {ROUTE("openid.connect.keys", GET, "/openid/connect/keys"), .handler = public_keys,
     .risk = RISK_READ, .anonymous = true, .summary = "The keys that id_tokens are signed with"},
};

const struct rows sl_openid = ROWS(methods);
