/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The authorisation endpoint: checks what a program requests, shows a page on which a person signs
 * in and agrees, and sends the browser back with a code. An app that the seed document marks as
 * automatic gets its code at once, for the person that it names.
 */
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/registration.h"
#include "vendors/microsoft/signin/internal.h"

enum { MAX_BACK = 8192 }; /* bytes of a redirect address and a state, which become a header */

static const char *const auth_params[] = {
    "client_id",     "redirect_uri",
    "response_type", "response_mode",
    "scope",         "resource",
    "state",         "prompt",
    "login_hint",    "nonce",
    "client_info",   "code_challenge",
    "domain_hint",   "code_challenge_method",
};

struct auth {
    struct authority authority;
    struct ident_app app;
    struct wanted wanted;
    const char *redirect, *state, *challenge, *nonce, *hint, *mode;
    bool plain, consent, silent;
    bool code, id_token, token; /* what goes back */
};

/* ---- reading the request ---- */

static int check_repeats(struct call *c)
{
    for (size_t i = 0; i < SOSIA_LEN(auth_params); i++) {
        int n = 0;
        for (size_t k = 0; k < c->n_items; k++)
            n += strcmp(c->items[k].name, auth_params[i]) == 0;
        if (n > 1)
            return authority_fail(c, SOSIA_E_INVALID, "invalid_request", 9000411,
                                  "The request is not properly formatted. The parameter '%s' is "
                                  "duplicated.",
                                  auth_params[i]);
    }
    return 0;
}

/* Whose request it is, and where its response goes. What is wrong here is for a page: the address
 * can't be trusted. */
static int read_client(struct call *c, struct auth *a)
{
    a->redirect = authority_param(c, "redirect_uri");
    a->state = authority_param(c, "state");
    if (check_repeats(c) < 0 || authority_read(c, &a->authority) < 0 ||
        authority_app(c, &a->authority, &a->app) < 0)
        return -1;
    if (!a->redirect)
        return authority_missing(c, "redirect_uri");
    if (!app_redirect_allowed(&a->app, a->redirect))
        return authority_fail(
            c, SOSIA_E_INVALID, "invalid_request", 50011,
            "The redirect URI '%.200s' specified in the request does not match the redirect URIs "
            "configured for the application '%.100s'. Make sure the redirect URI sent in the "
            "request matches one added to your application in the Azure portal.",
            a->redirect, a->app.client_id);
    if (strlen(a->redirect) + (a->state ? strlen(a->state) : 0) > MAX_BACK)
        return authority_fail(c, SOSIA_E_INVALID, "invalid_request", 90013,
                              "Invalid input received from the user: 'state' is too long.");
    return 0;
}

static int read_challenge(struct call *c, struct auth *a)
{
    const char *method = authority_param(c, "code_challenge_method");
    a->challenge = authority_param(c, "code_challenge");
    if (!a->challenge)
        return method || a->app.proven ? authority_missing(c, "code_challenge") : 0;
    a->plain = !method || strcmp(method, "plain") == 0;
    size_t n = strlen(a->challenge);
    if ((!a->plain && strcmp(method, "S256") != 0) || (a->plain && a->app.proven) || n < 43 ||
        n > 128)
        return authority_fail(c, SOSIA_E_INVALID, "invalid_request", 9002325,
                              "Proof Key for Code Exchange is required for cross-origin "
                              "authorization code redemption: the code_challenge must have 43 to "
                              "128 characters and the code_challenge_method be S256 or plain.");
    return 0;
}

static int not_enabled(struct call *c, int number, const char *type)
{
    return authority_fail(c, SOSIA_E_INVALID, "unsupported_response_type", number,
                          "response_type '%.60s' is not enabled for the application.", type);
}

/* "code id_token", in any order; tokens only where the app is registered for them. */
static int read_type(struct call *c, struct auth *a)
{
    const char *type = authority_param(c, "response_type"), *p = type;
    struct ms_registration reg;
    if (!type)
        return authority_missing(c, "response_type");
    for (size_t n; *p; p += n + strspn(p + n, " ")) {
        n = strcspn(p, " ");
        bool *flag = n == 4 && memcmp(p, "code", n) == 0       ? &a->code
                     : n == 8 && memcmp(p, "id_token", n) == 0 ? &a->id_token
                     : n == 5 && memcmp(p, "token", n) == 0    ? &a->token
                                                               : NULL;
        if (!flag)
            return not_enabled(c, 700054, type);
        *flag = true;
    }
    if (!a->code && !a->id_token && !a->token)
        return not_enabled(c, 700054, type);
    if (!a->id_token && !a->token)
        return 0;
    if (ms_registration_of(&c->tx, a->app.id, &reg) < 0)
        return -1;
    if (a->id_token && !reg.id_tokens)
        return not_enabled(c, 700054, "id_token");
    return a->token && !reg.access_tokens ? not_enabled(c, 700051, "token") : 0;
}

/* Tokens don't go into a query, which ends in logs. */
static int read_mode(struct call *c, struct auth *a)
{
    static const char *const modes[] = {"fragment", "form_post", "query"};
    const char *mode = authority_param(c, "response_mode");
    a->mode = mode ? mode : "query";
    int r = read_type(c, a);
    const bool tokens = a->id_token || a->token;
    if (tokens && !mode)
        a->mode = "fragment";
    for (size_t i = 0; i < SOSIA_LEN(modes) - tokens; i++)
        if (strcmp(a->mode, modes[i]) == 0)
            return r;
    a->mode = tokens ? "fragment" : "query";
    return r < 0 ? r
                 : authority_fail(c, SOSIA_E_INVALID, "invalid_request", 70007,
                                  "'%.60s' is not a supported value of 'response_mode' when "
                                  "requesting a %s.",
                                  mode, tokens ? "token" : "code");
}

static int read_rest(struct call *c, struct auth *a)
{
    const char *prompt = authority_param(c, "prompt");
    if (read_mode(c, a) < 0 || read_challenge(c, a) < 0 ||
        authority_wanted(c, &a->authority, authority_param(c, "scope"), &a->wanted) < 0)
        return -1;
    a->silent = prompt && strcmp(prompt, "none") == 0;
    a->consent = prompt && strcmp(prompt, "consent") == 0;
    if (prompt && !scopes_have("none consent select_account login create", prompt, strlen(prompt)))
        return authority_fail(c, SOSIA_E_INVALID, "invalid_request", 90023,
                              "Unsupported 'prompt' value.");
    a->nonce = authority_param(c, "nonce");
    if (a->id_token && !a->nonce)
        return authority_missing(c, "nonce");
    if (a->id_token && !authority_openid(a->wanted.scopes, "openid"))
        return authority_fail(c, SOSIA_E_INVALID, "invalid_scope", 70011,
                              "The provided request must include a 'scope' input parameter. The "
                              "scope openid is needed for an id_token.");
    a->hint = authority_param(c, "login_hint");
    return 0;
}

/* ---- going back ---- */

struct back {
    const char *name, *value;
};

/* A page whose button sends the form, since no script of a page of this server runs. */
static int post_back(struct call *c, const struct auth *a, const struct back *list, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "<form method=\"post\" action=\"");
    html_add(&b, a->redirect);
    buf_puts(&b, "\">\n");
    for (size_t i = 0; i < n; i++)
        html_hidden(&b, list[i].name, list[i].value);
    buf_puts(&b, "<button>Continue</button>\n</form>\n");
    page_show(c, 200, "Working...", buf_keep(&b, c->tx.arena));
    return 0;
}

static int go_back(struct call *c, const struct auth *a, const struct back *list, size_t n)
{
    struct buf b;
    if (strcmp(a->mode, "form_post") == 0)
        return post_back(c, a, list, n);
    bool fragment = strcmp(a->mode, "fragment") == 0;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++)
        if (list[i].value) {
            buf_byte(&b, b.len ? '&' : fragment ? '#' : strchr(a->redirect, '?') ? '&' : '?');
            buf_printf(&b, "%s=", list[i].name);
            percent_add(&b, list[i].value, strlen(list[i].value));
        }
    page_redirect(c, arena_printf(c->tx.arena, "%s%s", a->redirect, buf_str(&b)));
    buf_done(&b);
    return 0;
}

/* The failure in tx->err, for the program. */
static int back_with_error(struct call *c, const struct auth *a)
{
    const struct back list[] = {{"error", authority_error(c)},
                                {"error_description", authority_text(c)},
                                {"state", a->state}};
    return go_back(c, a, list, SOSIA_LEN(list));
}

/* What the program has asked for: a code, tokens, or both. */
static int send_back(struct call *c, const struct auth *a, const struct person *p,
                     const char *scopes)
{
    struct arena *arena = c->tx.arena;
    struct issue issue = {.authority = &a->authority,
                          .app = &a->app,
                          .who = &p->who,
                          .user = &p->user,
                          .resource = a->wanted.resource,
                          .scopes = scopes,
                          .nonce = a->nonce,
                          .bound = a->token};
    const char *id = NULL;
    struct ms_tenant tenant;
    struct oauth_code code = {.app = a->app.id,
                              .actor = p->who.id,
                              .scopes = scopes,
                              .redirect = a->redirect,
                              .challenge = a->challenge,
                              .plain = a->plain,
                              .nonce = a->nonce,
                              .offline = authority_openid(scopes, "offline_access")};
    if (ms_tenant_get(&c->tx, p->user.tenant, &tenant) != 1 ||
        (a->code && (oauth_code_new(&c->tx, &authority_style, &code) < 0 ||
                     authority_chosen_put(&c->tx, "code", code.id, &p->user) < 0)) ||
        oauth_consent_add(&c->tx, a->app.id, p->who.id, scopes) < 0 ||
        (a->token && authority_access_token(c, &issue, &tenant) < 0))
        return -1;
    issue.code = code.code;
    if (a->id_token && authority_id_token(c, &issue, &tenant, &id) < 0)
        return -1;
    const struct back list[] = {
        {"code", code.code},
        {"access_token", issue.access_token},
        {"token_type", a->token ? "Bearer" : NULL},
        {"expires_in", a->token ? arena_printf(arena, "%d", AUTHORITY_LIFE_S) : NULL},
        {"scope", a->token ? authority_shown_scopes(c, &issue) : NULL},
        {"id_token", id},
        {"client_info", authority_param(c, "client_info")
                            ? authority_client_info(arena, &p->user, &tenant)
                            : NULL},
        {"state", a->state},
        {"session_state", graph_guid(arena, "session",
                                     code.code ? code.code
                                     : id      ? id
                                               : issue.access_token)},
    };
    return go_back(c, a, list, SOSIA_LEN(list));
}

/* ---- agreeing ---- */

/* What is asked for where ".default" stands for what the tenant agreed to: nothing else. */
static int needs_more(struct call *c, const struct auth *a, const struct person *p, bool agrees,
                      const char **ret_scopes)
{
    int r = authority_given(c, &a->app, &p->user, &a->wanted, ret_scopes);
    return r < 0 ? -1 : r == 0 || (a->consent && !agrees);
}

/* The person has signed in: agrees to what is asked for, as far as it may. agrees: it has said so.
 */
static int signed_in(struct call *c, const struct auth *a, const struct person *p, bool agrees)
{
    const char *scopes, *agreed;
    if (authority_knows(c, &a->app, p->user.tenant) < 0)
        return back_with_error(c, a);
    int r = needs_more(c, a, p, agrees, &scopes);
    if (r <= 0)
        return r < 0 ? -1 : send_back(c, a, p, scopes);
    if (a->wanted.all || authority_agreed(c, &a->app, &p->user, &agreed) < 0) {
        authority_fail(c, SOSIA_E_INVALID, "access_denied", 65001,
                       "The user or administrator has not consented to use the application with "
                       "ID '%.60s' named '%.60s'. Send an interactive authorization request for "
                       "this user and resource.",
                       a->app.client_id, a->app.name);
        return back_with_error(c, a);
    }
    const char *admin = authority_admin_only(c->tx.arena, a->wanted.scopes);
    if (admin && !p->user.admin && !scopes_cover(agreed, a->wanted.scopes)) {
        authority_fail(c, SOSIA_E_INVALID, "access_denied", 90094,
                       "An administrator of %.60s has set a policy that prevents you from granting "
                       "%.60s the permissions it is requesting (%.60s).",
                       email_domain(p->user.upn), a->app.name, admin);
        return back_with_error(c, a);
    }
    if (!agrees) {
        authority_fail(c, SOSIA_E_INVALID, "interaction_required", 65001,
                       "The user or administrator has not consented to use the application with "
                       "ID '%.60s' named '%.60s'.",
                       a->app.client_id, a->app.name);
        return back_with_error(c, a);
    }
    return send_back(c, a, p, a->wanted.scopes);
}

static int login_page(struct call *c, const struct auth *a)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_puts(&b, "<p><b>");
    html_add(&b, a->app.name);
    buf_puts(&b, "</b> asks for permission to:</p>\n");
    authority_list_scopes(c, &b, a->wanted.scopes);
    buf_printf(&b, "<form method=\"post\" action=\"%s\">\n",
               call_follow_url(c, AUTHORITY_HOST,
                               arena_printf(c->tx.arena, "/%s/oauth2/%slogin", a->authority.text,
                                            a->authority.v1 ? "" : "v2.0/")));
    authority_fields(c, &b, a->hint);
    for (size_t i = 0; i < SOSIA_LEN(auth_params); i++)
        html_hidden(&b, auth_params[i], authority_param(c, auth_params[i]));
    page_mark(c, &b, a->app.client_id);
    buf_puts(&b, "<button name=\"sosia_decision\" value=\"allow\">Accept</button>"
                 "<button name=\"sosia_decision\" value=\"deny\">Cancel</button>\n</form>\n");
    const char *body = buf_keep(&b, c->tx.arena);
    return page_show(c, 200, "Sign in to your account", body);
}

/* The person for whom the document lets the app sign in; another name in the request is another
 * person, who proves it. 1, 0, -1. */
static int automatic_person(struct call *c, const struct auth *a, struct person *ret)
{
    *ret = (struct person){0};
    if (!a->app.automatic || a->app.proven)
        return 0;
    if (actor_by_id(&c->tx, a->app.automatic, &ret->who) != 1 ||
        authority_named_user(c, &a->authority, ret) < 0)
        return -1;
    return !a->hint || str_eq_nocase(a->hint, ret->user.upn) ||
           str_eq_nocase(a->hint, ret->who.email);
}

static int authorize(struct call *c)
{
    struct auth a = {0};
    struct person p;
    if (authority_form(c) < 0 || read_client(c, &a) < 0)
        return authority_page(c);
    if (read_rest(c, &a) < 0)
        return back_with_error(c, &a);
    int r = automatic_person(c, &a, &p);
    if (r < 0)
        return authority_page(c);
    if (r)
        return signed_in(c, &a, &p, true);
    if (!a.silent)
        return login_page(c, &a);
    /* A link does not count: another's page may lead here. */
    r = authority_param(c, "login") ? 0 : authority_person(c, &a.authority, a.wanted.scopes, &p);
    if (r == 1 && !p.proof.link)
        return signed_in(c, &a, &p, false);
    if (r >= 0)
        authority_fail(c, SOSIA_E_INVALID, "login_required", 50058,
                       "A silent sign-in request was sent but no user is signed in.");
    return back_with_error(c, &a);
}

/* The form of the page comes back, with all parameters of the program. */
static int login(struct call *c)
{
    struct auth a = {0};
    struct person p;
    if (authority_form(c) < 0 || read_client(c, &a) < 0)
        return authority_page(c);
    if (read_rest(c, &a) < 0)
        return back_with_error(c, &a);
    const char *decision = authority_param(c, "sosia_decision");
    bool allow = decision && strcmp(decision, "allow") == 0;
    int r = allow ? authority_person(c, &a.authority, a.wanted.scopes, &p) : 0;
    /* No browser sends a token by itself: it needs no form. */
    bool token = r == 1 && !p.proof.link && !p.by_password;
    if (!token && !authority_form_is_ours(c, a.app.client_id))
        return 0;
    if (r < 0)
        return authority_page(c);
    if (!allow) {
        authority_fail(c, SOSIA_E_INVALID, "access_denied", 65004,
                       "User declined to consent to access the app.");
        return back_with_error(c, &a);
    }
    if (r == 0) {
        authority_fail(c, SOSIA_E_INVALID, "invalid_grant", 50126,
                       "Error validating credentials due to invalid username or password.");
        return authority_page(c);
    }
    return consent_proof_used(&c->tx, &p.proof) < 0 ? -1 : signed_in(c, &a, &p, true);
}

/* ---- signing out ---- */

static int logout(struct call *c)
{
    struct authority a;
    struct ident_app app;
    const char *to = authority_param(c, "post_logout_redirect_uri");
    const char *id = authority_param(c, "client_id");
    if (authority_form(c) < 0 || authority_read(c, &a) < 0)
        return authority_page(c);
    int r = to && id ? app_find(&c->tx, id, &app) : 0;
    if (r < 0)
        return -1;
    if (r && strlen(to) <= MAX_BACK && app.redirects->n && app_redirect_allowed(&app, to))
        return page_redirect(c, to);
    return page_show(c, 200, "You signed out of your account",
                     "<p>It's a good idea to close all browser windows.</p>\n");
}

/* ---- rows ---- */

#define ENDS(end) "/{tenant}/oauth2/v2.0" end, "/{tenant}/oauth2" end

static const struct route methods[] = {
    OPEN("authority.authorize", GET, authorize, RISK_WRITE,
         "The page on which a person signs in and agrees", ENDS("/authorize")),
    OPEN("authority.authorizePost", POST, authorize, RISK_WRITE,
         "The page on which a person signs in and agrees", ENDS("/authorize")),
    OPEN("authority.login", POST, login, RISK_WRITE, "What the person has decided", ENDS("/login")),
    OPEN("authority.logout", GET, logout, RISK_READ, "Ends what a browser knows", ENDS("/logout")),
};

const struct rows authority_auth_rows = ROWS(methods);
