/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The authorisation endpoint: checks what a program requests, shows a page on which a person of the
 * world is chosen and agrees, and sends the browser back with a code. A client that the seed
 * document marks as automatic gets its code at once, for the person it names or, with login_hint,
 * another. There are no passwords: the page lets its user be any person of the world, unless the
 * client is one whose consents are proven (identity/consent.h).
 */
#include "vendors/google/signin/internal.h"
#include "engine/base/codec.h"
#include "identity/consent.h"

#define MAX_BACK 8192 /* bytes of a redirect address and a state, which become a header */

static const char *const auth_params[] = {
    "client_id",
    "redirect_uri",
    "response_type",
    "scope",
    "state",
    "access_type",
    "prompt",
    "approval_prompt",
    "login_hint",
    "nonce",
    "code_challenge",
    "code_challenge_method",
    "include_granted_scopes",
    "hd",
};

struct auth {
    struct ident_app client;
    const char *redirect, *state, *scopes, *challenge, *nonce, *hint;
    bool plain, offline, consent, silent, include_granted;
};

static int refuse(struct call *c, int status, const char *error, const char *what)
{
    struct buf b;
    buf_init(&b, 8192);
    buf_printf(&b, "<p>Error %d: %s</p>\n<p>", status, error);
    html_add(&b, what);
    buf_puts(&b, "</p>\n");
    page_show(c, status, "Access blocked", buf_keep(&b, c->tx.arena));
    return 1;
}

static int missing(struct call *c, const char *name)
{
    return refuse(c, 400, "invalid_request",
                  arena_printf(c->tx.arena, "Missing required parameter: %s", name));
}

/* ---- going back ---- */

static int back_with_error(struct call *c, const struct auth *a, const char *error)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, a->redirect);
    page_add_param(&b, "error", error);
    page_add_param(&b, "state", a->state);
    page_redirect(c, buf_keep(&b, c->tx.arena));
    return 0;
}

/* ---- reading the request ---- */

static int check_repeats(struct call *c)
{
    for (size_t i = 0; i < SOSIA_LEN(auth_params); i++) {
        int n = 0;
        for (size_t k = 0; k < c->n_items; k++)
            n += strcmp(c->items[k].name, auth_params[i]) == 0;
        if (n > 1)
            return refuse(c, 400, "invalid_request",
                          arena_printf(c->tx.arena,
                                       "OAuth 2 parameters can only have a single value: %s",
                                       auth_params[i]));
    }
    return 0;
}

/* The client and where its responses go. 0 good, 1 answered with a page, -1. */
static int read_client(struct call *c, struct auth *a)
{
    const char *id = oauth_param(c, "client_id");
    a->redirect = oauth_param(c, "redirect_uri");
    if (!id || !*id)
        return missing(c, "client_id");
    int r = oauth_app(&c->tx, &google_style, id, &a->client);
    if (r < 0)
        return -1;
    if (r)
        return refuse(c, 401, "invalid_client", "The OAuth client was not found.");
    if (!a->redirect || !*a->redirect)
        return missing(c, "redirect_uri");
    if (!app_redirect_allowed(&a->client, a->redirect))
        return refuse(c, 400, "redirect_uri_mismatch",
                      "The redirect URI is not one that the client has registered.");
    return 0;
}

/* A client that came by itself must protect its code (OAuth 2.1; RFC 7636). */
static int read_challenge(struct call *c, struct auth *a)
{
    const char *method = oauth_param(c, "code_challenge_method");
    a->challenge = oauth_param(c, "code_challenge");
    if (method && !a->challenge)
        return missing(c, "code_challenge");
    if (!a->challenge)
        return a->client.proven ? missing(c, "code_challenge") : 0;
    a->plain = !method || strcmp(method, "plain") == 0;
    if (a->plain && a->client.proven)
        return refuse(c, 400, "invalid_request",
                      "Invalid parameter value for code_challenge_method: must be S256");
    if (!a->plain && strcmp(method, "S256") != 0)
        return refuse(c, 400, "invalid_request",
                      "Invalid parameter value for code_challenge_method: Invalid code challenge "
                      "method");
    size_t n = strlen(a->challenge);
    if (n < 43 || n > 128)
        return refuse(c, 400, "invalid_request",
                      "Invalid parameter value for code_challenge: Invalid length");
    return 0;
}

static bool listed(const char *list, const char *word)
{
    return list && scopes_have(list, word, strlen(word));
}

static bool good_prompt(const char *prompt)
{
    bool none = false;
    int n = 0;
    while (prompt && *prompt) {
        size_t len = strcspn(prompt, " ");
        if (len && !scopes_have("none consent select_account login", prompt, len))
            return false;
        none |= len == 4 && memcmp(prompt, "none", 4) == 0;
        n += len > 0;
        prompt += len + strspn(prompt + len, " ");
    }
    return !none || n == 1;
}

static int read_auth(struct call *c, struct auth *a)
{
    int r = check_repeats(c);
    if (r || (r = read_client(c, a)) || (r = read_challenge(c, a)))
        return r;
    const char *type = oauth_param(c, "response_type"), *scope = oauth_param(c, "scope");
    const char *access = oauth_param(c, "access_type"), *prompt = oauth_param(c, "prompt");
    const char *granted = oauth_param(c, "include_granted_scopes"), *bad;
    const char *approval = oauth_param(c, "approval_prompt");
    if (!type || !*type)
        return missing(c, "response_type");
    if (strcmp(type, "code") != 0)
        return refuse(c, 400, "unsupported_response_type",
                      "Only the response type \"code\" is served.");
    if (!scope || !*scope)
        return missing(c, "scope");
    if (oauth_scopes_normal(c->tx.arena, scope, &a->scopes, &bad) < 0)
        return refuse(c, 400, "invalid_scope",
                      arena_printf(c->tx.arena,
                                   "Some requested scopes were invalid. {invalid=[%.200s]}", bad));
    a->scopes = oauth_scopes_granted(c->tx.arena, a->scopes);
    if (!good_prompt(prompt))
        return refuse(c, 400, "invalid_request", "Invalid parameter value for prompt");
    if (granted && strcmp(granted, "true") != 0 && strcmp(granted, "false") != 0)
        return refuse(c, 400, "invalid_request",
                      "Invalid parameter value for include_granted_scopes");
    if (prompt && approval)
        return refuse(c, 400, "invalid_request", "Conflict params: approval_prompt and prompt");
    if (access && strcmp(access, "online") != 0 && strcmp(access, "offline") != 0)
        return refuse(c, 400, "invalid_request", "Invalid parameter value for access_type");
    a->offline =
        (access && strcmp(access, "offline") == 0) || app_is_installed(&a->client, a->redirect);
    a->consent = listed(prompt, "consent") || (approval && strcmp(approval, "force") == 0);
    a->silent = listed(prompt, "none");
    a->include_granted = granted && strcmp(granted, "true") == 0;
    a->state = oauth_param(c, "state");
    if (strlen(a->redirect) + (a->state ? strlen(a->state) : 0) > MAX_BACK)
        return refuse(c, 400, "invalid_request",
                      "Invalid parameter value for state: Invalid length");
    a->nonce = oauth_param(c, "nonce");
    a->hint = oauth_param(c, "login_hint");
    return 0;
}

/* ---- agreeing ---- */

static int send_code(struct call *c, const struct auth *a, const struct actor *who)
{
    struct tx *tx = &c->tx;
    const char *known, *scopes = a->scopes;
    if (oauth_consent_get(tx, a->client.id, who->id, &known) < 0)
        return -1;
    bool asked = a->consent || !known || !scopes_cover(known, scopes);
    const char *all = known ? scopes_union(tx->arena, scopes, known) : scopes;
    if (!all) {
        refuse(c, 400, "invalid_scope",
               "Some requested scopes were invalid. {invalid=[(too many)]}");
        return 0;
    }
    if (a->include_granted)
        scopes = all;
    /* A refresh token comes with consent: the first, one for more, or when it is requested
     * again. */
    struct oauth_code code = {.app = a->client.id,
                              .actor = who->id,
                              .scopes = scopes,
                              .redirect = a->redirect,
                              .challenge = a->challenge,
                              .plain = a->plain,
                              .nonce = a->nonce,
                              .offline = a->offline &&
                                         (asked || app_is_installed(&a->client, a->redirect))};
    if (oauth_code_new(tx, &google_style, &code) < 0 ||
        oauth_consent_add(tx, a->client.id, who->id, scopes) < 0)
        return -1;
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, a->redirect);
    page_add_param(&b, "state", a->state);
    page_add_param(&b, "iss", oauth_issuer(c)); /* RFC 9207 */
    page_add_param(&b, "code", code.code);
    page_add_param(&b, "scope", oauth_scopes_shown(tx->arena, scopes));
    page_add_param(&b, "authuser", "0");
    if (who->org)
        page_add_param(&b, "hd", email_domain(who->email));
    page_add_param(&b, "prompt", asked ? "consent" : "none");
    const char *location = buf_keep(&b, tx->arena);
    return page_redirect(c, location);
}

static int find_person(struct call *c, const char *email, struct actor *ret)
{
    int r = email ? actor_find(&c->tx, email, ret) : 0;
    return r == 1 && (strcmp(ret->kind, "person") != 0 || !*ret->email) ? 0 : r;
}

/* proof: NULL: anybody may choose who he is. proven: it is one. */
static int consent_page(struct call *c, const struct auth *a, const struct consent_proof *proof,
                        bool proven)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_puts(&b, "<p><b>");
    html_add(&b, a->client.name);
    buf_puts(&b, "</b> asks for access to an account of this world:</p>\n<ul>\n");
    for (const char *s = a->scopes; *s;) {
        size_t n = strcspn(s, " ");
        buf_puts(&b, "<li><code>");
        html_add(&b, arena_memdup(c->tx.arena, s, n));
        buf_puts(&b, "</code>\n");
        s += n + strspn(s + n, " ");
    }
    buf_puts(&b, "</ul>\n<form method=\"post\" action=\"approve\">\n");
    int r = proof ? 0 : oauth_people(c, &b, a->hint);
    if (proof)
        consent_show(&b, proof, proven);
    if (proven)
        html_hidden(&b, CONSENT_LINK, oauth_param(c, CONSENT_LINK));
    for (size_t i = 0; i < SOSIA_LEN(auth_params); i++)
        html_hidden(&b, auth_params[i], oauth_param(c, auth_params[i]));
    page_mark(c, &b, a->client.client_id);
    buf_puts(&b, "<button name=\"sosia_decision\" value=\"allow\">Allow</button>"
                 "<button name=\"sosia_decision\" value=\"deny\">Cancel</button>\n</form>\n");
    const char *body = buf_keep(&b, c->tx.arena);
    return r < 0 ? -1 : page_show(c, 200, "Sign in", body);
}

/* Without a page; who: NULL: nobody. */
static int silent(struct call *c, const struct auth *a, const struct actor *who)
{
    const char *known = NULL;
    if (!who)
        return back_with_error(c, a, "login_required");
    if (oauth_consent_get(&c->tx, a->client.id, who->id, &known) < 0)
        return -1;
    if (!known || !scopes_cover(known, a->scopes))
        return back_with_error(c, a, "interaction_required");
    return send_code(c, a, who);
}

static int proven_page(struct call *c, struct auth *a)
{
    struct consent_proof proof;
    int r = consent_proof(c, a->scopes, &proof);
    if (r < 0)
        return -1;
    if (!a->silent)
        return consent_page(c, a, &proof, r);
    a->include_granted = false;
    return silent(c, a, r && !proof.link ? &proof.who : NULL); /* another's page may lead here */
}

static int auth_page(struct call *c)
{
    struct auth a = {0};
    struct actor who = {0};
    int r = read_auth(c, &a);
    if (r)
        return r < 0 ? -1 : 0;
    if (a.client.proven)
        return proven_page(c, &a);
    if ((r = find_person(c, a.hint, &who)) < 0)
        return -1;
    if (a.client.automatic) {
        if (!r && actor_by_id(&c->tx, a.client.automatic, &who) < 0)
            return -1;
        return send_code(c, &a, &who);
    }
    return a.silent ? silent(c, &a, r ? &who : NULL) : consent_page(c, &a, NULL, false);
}

/* Who has agreed, and has proven who he is. 1; 0: answered with a page; -1. */
static int proven_person(struct call *c, const struct consent_proof *proof, bool proven)
{
    const char *chosen = oauth_param(c, "sosia_actor");
    struct actor who;
    if (!proven || !*proof->who.email || strcmp(proof->who.kind, "person") != 0) {
        refuse(c, 403, "access_denied",
               "To agree to this program a person must prove who it is, with a token of its own or "
               "a consent link that is still good.");
        return 0;
    }
    int r = chosen ? find_person(c, chosen, &who) : 1;
    if (r < 0)
        return -1;
    if (!r || (chosen && who.id != proof->who.id)) {
        refuse(c, 403, "access_denied", "Somebody else was chosen than who has proven it.");
        return 0;
    }
    return consent_proof_used(&c->tx, proof) < 0 ? -1 : 1;
}

/* The form of the page comes back, with all parameters of the program. */
static int approve(struct call *c)
{
    struct consent_proof proof = {0};
    struct auth a = {0};
    struct actor who;
    bool proven = false;
    if (oauth_form(c) < 0)
        return -1;
    int r = read_auth(c, &a);
    if (r)
        return r < 0 ? -1 : 0;
    if (a.client.proven && (r = consent_proof(c, a.scopes, &proof)) < 0)
        return -1;
    proven = r;
    /* No browser sends a token by itself: it needs no form. */
    if (!(proven && !proof.link) && !oauth_form_is_ours(c, a.client.client_id))
        return 0;
    const char *decision = oauth_param(c, "sosia_decision");
    if (!decision || strcmp(decision, "allow") != 0)
        return back_with_error(c, &a, "access_denied");
    if (a.client.proven) {
        a.include_granted &= proof.link != 0; /* a token gives what it has itself */
        r = proven_person(c, &proof, proven);
        return r == 1 ? send_code(c, &a, &proof.who) : r;
    }
    r = find_person(c, oauth_param(c, "sosia_actor"), &who);
    if (r < 0)
        return -1;
    if (!r) {
        refuse(c, 400, "invalid_request", "No account was chosen.");
        return 0;
    }
    return send_code(c, &a, &who);
}

/* ---- rows ---- */

static const struct route methods[] = {
    OPEN("oauth.auth", GET, "/o/oauth2/v2/auth", auth_page, RISK_WRITE,
         "The page on which a person agrees"),
    OPEN("oauth.authV1", GET, "/o/oauth2/auth", auth_page, RISK_WRITE,
         "The page on which a person agrees (old path)"),
    OPEN("oauth.approve", POST, "/o/oauth2/v2/approve", approve, RISK_WRITE,
         "What the person has decided"),
    OPEN("oauth.approveV1", POST, "/o/oauth2/approve", approve, RISK_WRITE,
         "What the person has decided (old path)"),
};

const struct rows oauth_consent_rows = ROWS(methods);
