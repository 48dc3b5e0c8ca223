/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages on which a member of a workspace agrees to what an app asks for, and which send the
 * browser back with a code. Apps with somebody who consents without being asked (automatic) get the
 * code at once. There are no passwords: who reaches a page may be any member, unless the app was
 * made or changed by a manifest, whose consents are proven (identity/consent.h).
 */
#include "services/chat/core/ask.h"
#include "services/chat/core/vendor.h"
#include "services/chat/slack/web/oauth.h"
#include "engine/base/codec.h"
#include "identity/consent.h"
#include "identity/page.h"

#define MAX_CHOICES 200
#define TITLE       "Something went wrong when authorizing this app."

static const char *const passed[] = {"client_id",
                                     "scope",
                                     "user_scope",
                                     "granular_bot_scope",
                                     "redirect_uri",
                                     "state",
                                     "team",
                                     "response_type",
                                     "response_mode",
                                     "nonce",
                                     "code_challenge",
                                     "prompt",
                                     "code_challenge_method",
                                     "single_channel",
                                     "login_hint"};

struct ask {
    enum sl_flow flow;
    struct ident_app app;
    struct chat_app chat_app;
    const char *redirect; /* as it was sent; NULL: it was not */
    const char *back;     /* where the answer goes */
    const char *state, *bot, *people, *challenge, *nonce;
    bool plain, rotate;
    struct chat_workspace team; /* id 0: any */
    bool webhook;
    struct consent_proof proof; /* of an app whose consents are proven */
    bool proven;
};

/* ---- refusing, and going back ---- */

static int refuse_ask(struct call *c, const char *code, const char *what)
{
    struct buf b;
    buf_init(&b, 16384);
    buf_puts(&b, "<p>");
    html_add(&b, what);
    buf_puts(&b, "</p>\n<p><code>");
    html_add(&b, code);
    buf_puts(&b, "</code></p>\n");
    page_show(c, 200, TITLE, arena_strdup(c->tx.arena, buf_str(&b)));
    buf_done(&b);
    return 1;
}

/* The state comes back even where none was sent. */
static int send_back(struct call *c, const struct ask *a, const char *name, const char *value)
{
    struct buf b;
    buf_init(&b, 1 << 16);
    buf_puts(&b, a->back);
    page_add_param(&b, name, value);
    page_add_param(&b, "state", a->state ? a->state : "");
    int rc = buf_failed(&b) ? refuse_ask(c, "invalid_state", "The state is too long.") > 0 ? 0 : -1
                            : page_redirect(c, arena_strdup(c->tx.arena, buf_str(&b)));
    buf_done(&b);
    return rc;
}

/* ---- reading what is asked for ---- */

/* Below one of the app's addresses: the same, or behind it a slash or a query. */
static bool is_below(const char *uri, const char *base)
{
    size_t n = strlen(base);
    if (!n || strncmp(uri, base, n) != 0)
        return false;
    return !uri[n] || uri[n] == '/' || uri[n] == '?' || (base[n - 1] == '/' && !strchr(base, '?'));
}

static bool redirect_allowed(const struct ident_app *app, const char *uri)
{
    if (app_redirect_allowed(app, uri))
        return true;
    for (const char *p = uri; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 127 || *p == '#' || *p == '\\')
            return false;
    /* Nothing climbs out of the address, said plainly or not. */
    if (strstr(uri, "/..") || strcasestr(uri, "%2e%2e") || strcasestr(uri, "/.%2e") ||
        strcasestr(uri, "%2e."))
        return false;
    for (uint32_t i = 0; i < app->redirects->n; i++)
        if (app->redirects->items[i].type == JSON_STRING &&
            is_below(uri, app->redirects->items[i].str))
            return true;
    return false;
}

static int read_redirect(struct call *c, struct ask *a)
{
    a->redirect = call_query_item(c, "redirect_uri");
    if (a->redirect && !*a->redirect)
        a->redirect = NULL;
    if (a->redirect) {
        if (!redirect_allowed(&a->app, a->redirect))
            return refuse_ask(
                c, "bad_redirect_uri",
                arena_printf(c->tx.arena,
                             "redirect_uri did not match any configured URIs. Passed URI: %.300s",
                             a->redirect));
        a->back = a->redirect;
        return 0;
    }
    for (uint32_t i = 0; i < a->app.redirects->n && !a->back; i++)
        if (a->app.redirects->items[i].type == JSON_STRING)
            a->back = a->app.redirects->items[i].str;
    return a->back ? 0
                   : refuse_ask(c, "bad_redirect_uri",
                                "There is no redirect_uri, and the app has none configured.");
}

static int read_client(struct call *c, struct ask *a)
{
    const char *id = call_query_item(c, "client_id");
    int r = id && *id ? sl_client(&c->tx, id, &a->app, &a->chat_app) : 0;
    if (r != 1)
        return r < 0 ? -1 : refuse_ask(c, "invalid_client_id", "Invalid client_id parameter");
    return 0;
}

/* With commas, each once; *ret_bad names the first that the app can't ask for. */
static const char *scopes_normal(struct arena *arena, const char *text, bool bot, bool any,
                                 const char **ret_bad)
{
    struct buf b;
    buf_init(&b, 1 << 14);
    while (text && *(text += strspn(text, ", "))) {
        size_t n = strcspn(text, ", ");
        if (!slack_is_scope(text, n, bot) && !(any && slack_is_scope(text, n, !bot)) && !*ret_bad)
            *ret_bad = arena_memdup(arena, text, n);
        if (b.len)
            buf_byte(&b, ' ');
        buf_add(&b, text, n);
        text += n;
    }
    if (buf_failed(&b) && !*ret_bad)
        *ret_bad = "(too many)";
    const char *list = buf_failed(&b) ? "" : arena_strdup(arena, buf_str(&b));
    buf_done(&b);
    return sl_scopes_union(arena, "", list);
}

static bool listed(const char *list, const char *scope)
{
    size_t len = strlen(scope);
    while (*list) {
        size_t n = strcspn(list, ",");
        if (n == len && memcmp(list, scope, n) == 0)
            return true;
        list += n + (list[n] == ',');
    }
    return false;
}

static int read_scopes(struct call *c, struct ask *a)
{
    struct arena *arena = c->tx.arena;
    const char *scope = call_query_item(c, "scope"), *bad = NULL;
    const char *user = call_query_item(c, "user_scope");
    bool bots = a->flow == SL_FLOW_V2;
    a->bot = bots ? scopes_normal(arena, scope, true, false, &bad) : "";
    a->people = bots ? scopes_normal(arena, user, false, false, &bad)
                     : scopes_normal(arena, scope && *scope ? scope : user, false,
                                     a->flow == SL_FLOW_V1, &bad);
    if (bad)
        return refuse_ask(c, "invalid_scope",
                          arena_printf(arena, "Invalid permissions requested: %.200s", bad));
    if (!*a->bot && !*a->people)
        return refuse_ask(c, "no_scopes", "No scopes requested");
    if (a->flow == SL_FLOW_OPENID && !listed(a->people, "openid"))
        return refuse_ask(c, "invalid_scope", "The scope openid must be requested");
    if (a->flow == SL_FLOW_V1 && listed(a->people, "bot"))
        a->bot = "bot";
    a->webhook = listed(a->bot, "incoming-webhook") || listed(a->people, "incoming-webhook");
    return 0;
}

static bool is_web(const char *uri)
{
    return str_starts(uri, "https://") || str_starts(uri, "http://");
}

static bool is_local(const char *uri)
{
    return str_starts(uri, "http://localhost") || str_starts(uri, "http://127.0.0.1") ||
           str_starts(uri, "http://[::1]");
}

/* RFC 7636, as docs.slack.dev has it: S256 alone, and needed where the browser is sent to a
 * program. */
static int read_challenge(struct call *c, struct ask *a)
{
    const char *method = call_query_item(c, "code_challenge_method");
    bool pkce = sl_setting_truth(&c->tx, &a->chat_app, "pkce");
    a->challenge = call_query_item(c, "code_challenge");
    if (a->challenge && !*a->challenge)
        a->challenge = NULL;
    if (a->challenge && (!method || strcmp(method, "S256") != 0))
        return refuse_ask(c, "invalid_code_challenge_method",
                          "The code_challenge_method must be S256");
    if (a->challenge && (strlen(a->challenge) < 43 || strlen(a->challenge) > 128))
        return refuse_ask(c, "invalid_code_challenge",
                          "The code_challenge must have 43 to 128 characters");
    if (!is_web(a->back) && !a->challenge)
        return refuse_ask(c, "pkce_required",
                          "A redirect_uri of a program's own scheme needs a code_challenge");
    if (*a->bot && (!is_web(a->back) || (pkce && is_local(a->back))))
        return refuse_ask(c, "invalid_scope", "Desktop redirects can't request bot scopes");
    a->rotate = !is_web(a->back);
    return 0;
}

/* 0 good, 1 answered with a page, -1. */
static int read_ask(struct call *c, enum sl_flow flow, struct ask *a)
{
    *a = (struct ask){.flow = flow, .state = call_query_item(c, "state")};
    int r = read_client(c, a);
    if (r || (r = read_redirect(c, a)) || (r = read_scopes(c, a)) || (r = read_challenge(c, a)))
        return r;
    const char *type = call_query_item(c, "response_type"), *team = call_query_item(c, "team");
    if (flow == SL_FLOW_OPENID && (!type || strcmp(type, "code") != 0))
        return refuse_ask(c, "invalid_response_type", "The response_type must be code");
    a->nonce = call_query_item(c, "nonce");
    r = team && *team ? chat_workspace_find(&c->tx, team, &a->team) : 0;
    if (!r)
        a->team.id = 0;
    return r < 0 ? -1 : 0;
}

/* ---- who agrees ---- */

/* Who it is, as far as the app wants it proven. 0, -1. */
static int read_proof(struct call *c, struct ask *a)
{
    const char *scopes = arena_printf(c->tx.arena, "%s,%s", a->bot, a->people);
    int r = a->app.proven ? consent_proof(c, scopes, &a->proof) : 0;
    a->proven = r == 1;
    return r < 0 ? -1 : 0;
}

static bool may_agree(const struct ask *a, const struct chat_user *u)
{
    return (!a->app.proven || (a->proven && u->actor == a->proof.who.id)) && u->actor && !u->bot &&
           !u->deleted && (a->flow == SL_FLOW_OPENID || u->role < CHAT_GUEST);
}

/* "T0ACME/U0ALICE". 1, 0, -1. */
static int find_choice(struct call *c, const struct ask *a, const char *text,
                       struct chat_workspace *w, struct chat_user *u)
{
    const char *slash = text ? strchr(text, '/') : NULL;
    if (!slash)
        return 0;
    int r = chat_workspace_find(&c->tx, arena_memdup(c->tx.arena, text, (size_t)(slash - text)), w);
    if (r == 1)
        r = chat_user_find(&c->tx, w->id, slash + 1, u);
    return r == 1 ? may_agree(a, u) && (!a->team.id || a->team.id == w->id) : r;
}

/* Who consents without being asked, in the workspace that was asked for or his first one; or
 * another member that the request names. */
static int find_automatic(struct call *c, const struct ask *a, struct chat_workspace *w,
                          struct chat_user *u)
{
    int r = find_choice(c, a, call_query_item(c, "sosia_user"), w, u);
    if (r)
        return r;
    r = chat_user_of(&c->tx, a->app.automatic, a->team.id, u);
    if (r == 1)
        r = chat_workspace_get(&c->tx, u->workspace, w);
    return r;
}

/* Who has proven who he is, in the workspace that was chosen or asked for, or his first one. */
static int find_proven(struct call *c, const struct ask *a, struct chat_workspace *w,
                       struct chat_user *u)
{
    const char *chosen = call_query_item(c, "sosia_user");
    if (!a->proven)
        return 0;
    if (chosen && *chosen)
        return find_choice(c, a, chosen, w, u);
    int r = chat_user_of(&c->tx, a->proof.who.id, a->team.id, u);
    if (r == 1)
        r = chat_workspace_get(&c->tx, u->workspace, w);
    return r == 1 ? may_agree(a, u) : r;
}

/* Where a webhook posts: what was chosen, else the channel that everybody is in. 1, 0, -1. */
static int find_target(struct call *c, const char *key, const struct chat_workspace *w,
                       const struct chat_user *u, struct chat_channel *ret)
{
    int r = key && *key ? chat_channel_find(&c->tx, w->id, key, ret)
                        : chat_channel_general(&c->tx, w->id, ret);
    if (r == 1 && ret->archived)
        return 0;
    return r == 1 ? chat_can_see(&c->tx, ret, u) : r;
}

static int give_code(struct call *c, const struct ask *a, const struct chat_workspace *w,
                     const struct chat_user *u)
{
    struct tx *tx = &c->tx;
    struct chat_channel ch = {0};
    struct chat_user owner;
    int r = a->chat_app.owner ? chat_user_get(tx, a->chat_app.owner, &owner) : 0;
    if (r < 0)
        return -1;
    if (r && owner.workspace != w->id && !a->chat_app.distributed)
        return send_back(c, a, "error", "invalid_team_for_non_distributed_app");
    r = a->webhook ? find_target(c, call_query_item(c, "sosia_channel"), w, u, &ch) : 1;
    if (r != 1)
        return r < 0 || refuse_ask(c, "channel_not_found", "There is no such channel.") < 0 ? -1
                                                                                            : 0;
    struct sl_agreed agreed = {.flow = a->flow,
                               .team = w->key,
                               .user = u->key,
                               .bot = a->bot,
                               .people = a->people,
                               .channel = ch.key};
    struct oauth_code code = {.app = a->app.id,
                              .actor = u->actor,
                              .scopes = sl_agreed_text(tx, &agreed),
                              .redirect = a->redirect ? a->redirect : "",
                              .challenge = a->challenge,
                              .nonce = a->nonce,
                              .offline = a->rotate};
    if (!code.scopes || oauth_code_new(tx, &sl_style, &code) < 0)
        return -1;
    return send_back(c, a, "code", code.code);
}

/* ---- the page ---- */

struct choices {
    struct buf *b;
    const struct ask *a;
    const struct chat_workspace *w;
    int n;
};

static int add_person(void *arg, const struct chat_user *u)
{
    struct choices *ch = arg;
    if (!may_agree(ch->a, u))
        return 0;
    buf_puts(ch->b, "<label><input type=\"radio\" name=\"sosia_user\" value=\"");
    html_add(ch->b, ch->w->key);
    buf_byte(ch->b, '/');
    html_add(ch->b, u->key);
    buf_printf(ch->b, "\"%s> ", ch->n++ == 0 ? " checked" : "");
    html_add(ch->b, u->real_name);
    buf_puts(ch->b, " (");
    html_add(ch->b, u->name);
    buf_puts(ch->b, ", ");
    html_add(ch->b, ch->w->name);
    buf_puts(ch->b, ")</label>\n");
    return ch->n >= MAX_CHOICES;
}

static int add_channel(void *arg, const struct chat_channel *c)
{
    struct choices *ch = arg;
    if (c->kind != CHAT_PUBLIC || c->archived)
        return 0;
    buf_puts(ch->b, "<option value=\"");
    html_add(ch->b, c->key);
    buf_puts(ch->b, "\">#");
    html_add(ch->b, c->name);
    buf_puts(ch->b, " (");
    html_add(ch->b, ch->w->name);
    buf_puts(ch->b, ")</option>\n");
    return ++ch->n >= MAX_CHOICES;
}

/* Calls fn for the members or channels of the workspaces that may be chosen. */
static int add_choices(struct call *c, struct choices *ch, bool channels)
{
    struct chat_workspace w = {0};
    int r = 0;
    while (ch->n < MAX_CHOICES &&
           (r = chat_workspace_next(&c->tx, &slack_chat_vendor, w.id, &w)) == 1) {
        if (ch->a->team.id && ch->a->team.id != w.id)
            continue;
        ch->w = &w;
        if ((channels ? chat_channels(&c->tx, w.id, 0, NULL, add_channel, ch)
                      : chat_users(&c->tx, w.id, NULL, add_person, ch)) < 0)
            return -1;
    }
    return r < 0 ? -1 : 0;
}

static void add_scopes(struct call *c, struct buf *b, const char *title, const char *scopes)
{
    if (!*scopes)
        return;
    buf_printf(b, "<p>%s</p>\n<ul>\n", title);
    while (*scopes) {
        size_t n = strcspn(scopes, ",");
        buf_puts(b, "<li><code>");
        html_add(b, arena_memdup(c->tx.arena, scopes, n));
        buf_puts(b, "</code>\n");
        scopes += n + (scopes[n] == ',');
    }
    buf_puts(b, "</ul>\n");
}

static int agree_page(struct call *c, const struct ask *a)
{
    static const char *const actions[] = {"/oauth/approve", "/oauth/v2/approve",
                                          "/oauth/v2_user/approve", "/openid/connect/approve"};
    struct choices people = {.a = a}, channels = {.a = a};
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_puts(&b, "<p><b>");
    html_add(&b, a->app.name);
    buf_puts(&b, "</b> is requesting permission to access a workspace.</p>\n");
    add_scopes(c, &b, "What its bot may do:", a->bot);
    add_scopes(c, &b, "What it may do for you:", a->people);
    /* The page is at .../authorize, the form goes to .../approve beside it. */
    buf_printf(&b, "<form method=\"post\" action=\"%s\">\n", strrchr(actions[a->flow], '/') + 1);
    people.b = channels.b = &b;
    if (a->app.proven)
        consent_show(&b, &a->proof, a->proven);
    if (a->proven)
        html_hidden(&b, CONSENT_LINK, call_query_item(c, CONSENT_LINK));
    int r = !a->app.proven || a->proven ? add_choices(c, &people, false) : 0;
    if (r == 0 && a->webhook) {
        buf_puts(&b, "<label>Where it posts: <select name=\"sosia_channel\">\n");
        r = add_choices(c, &channels, true);
        buf_puts(&b, "</select></label>\n");
    }
    for (size_t i = 0; i < SOSIA_LEN(passed); i++)
        html_hidden(&b, passed[i], call_query_item(c, passed[i]));
    page_mark(c, &b, a->app.client_id);
    buf_puts(&b, "<button name=\"sosia_decision\" value=\"allow\">Allow</button>"
                 "<button name=\"sosia_decision\" value=\"deny\">Cancel</button>\n</form>\n");
    const char *body = buf_failed(&b) ? NULL : arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    if (r < 0)
        return -1;
    return body ? page_show(c, 200, "Sign in to a workspace", body)
           : refuse_ask(c, "invalid_request", "The request is too long.") < 0 ? -1
                                                                              : 0;
}

static int authorize(struct call *c, enum sl_flow flow)
{
    struct chat_workspace w;
    struct chat_user u;
    struct ask a;
    int r = read_ask(c, flow, &a);
    if (r)
        return r < 0 ? -1 : 0;
    if (read_proof(c, &a) < 0)
        return -1;
    if (!a.app.automatic || a.app.proven)
        return agree_page(c, &a);
    r = find_automatic(c, &a, &w, &u);
    if (r != 1)
        return r < 0 ? -1 : send_back(c, &a, "error", "access_denied");
    return give_code(c, &a, &w, &u);
}

/* The form of the page comes back, with everything that the program asked for. */
static int approve_ask(struct call *c, enum sl_flow flow)
{
    struct chat_workspace w;
    struct chat_user u;
    struct ask a;
    int r = read_ask(c, flow, &a);
    if (r)
        return r < 0 ? -1 : 0;
    if (read_proof(c, &a) < 0)
        return -1;
    /* No browser sends a token by itself: it needs no form. */
    bool by_token = a.proven && !a.proof.link;
    switch (by_token ? PAGE_OURS : page_origin(c, a.app.client_id)) {
    case PAGE_OTHER_ORIGIN:
        return page_show(c, 403, TITLE, "<p>The form was sent by a page of another origin.</p>\n");
    case PAGE_NO_MARK:
        return page_show(c, 400, TITLE,
                         "<p>" PAGE_MARK " must be the one of the page's form.</p>\n");
    case PAGE_OURS:
        break;
    }
    const char *decision = call_query_item(c, "sosia_decision");
    if (!decision || strcmp(decision, "allow") != 0)
        return send_back(c, &a, "error", "access_denied");
    r = a.app.proven ? find_proven(c, &a, &w, &u)
                     : find_choice(c, &a, call_query_item(c, "sosia_user"), &w, &u);
    if (r != 1)
        return r < 0 || refuse_ask(c, "user_not_found", "Nobody was chosen.") < 0 ? -1 : 0;
    return consent_proof_used(&c->tx, &a.proof) < 0 ? -1 : give_code(c, &a, &w, &u);
}

/* ---- rows ---- */

static int authorize_v1(struct call *c)
{
    return authorize(c, SL_FLOW_V1);
}

static int authorize_v2(struct call *c)
{
    return authorize(c, SL_FLOW_V2);
}

static int authorize_user(struct call *c)
{
    return authorize(c, SL_FLOW_USER);
}

static int authorize_openid(struct call *c)
{
    return authorize(c, SL_FLOW_OPENID);
}

static int approve_v1(struct call *c)
{
    return approve_ask(c, SL_FLOW_V1);
}

static int approve_v2(struct call *c)
{
    return approve_ask(c, SL_FLOW_V2);
}

static int approve_user(struct call *c)
{
    return approve_ask(c, SL_FLOW_USER);
}

static int approve_openid(struct call *c)
{
    return approve_ask(c, SL_FLOW_OPENID);
}

static const struct route methods[] = {
    SL_OPEN("oauth.authorize", GET, "/oauth/authorize", authorize_v1, RISK_WRITE,
            "The page on which somebody agrees (classic apps)"),
    SL_OPEN("oauth.authorize.approve", POST, "/oauth/approve", approve_v1, RISK_WRITE,
            "What was decided there"),
    SL_OPEN("oauth.v2.authorize", GET, "/oauth/v2/authorize", authorize_v2, RISK_WRITE,
            "The page on which somebody installs an app"),
    SL_OPEN("oauth.v2.approve", POST, "/oauth/v2/approve", approve_v2, RISK_WRITE,
            "What was decided there"),
    SL_OPEN("oauth.v2_user.authorize", GET, "/oauth/v2_user/authorize", authorize_user, RISK_WRITE,
            "The page on which somebody agrees for himself"),
    SL_OPEN("oauth.v2_user.approve", POST, "/oauth/v2_user/approve", approve_user, RISK_WRITE,
            "What was decided there"),
    SL_OPEN("openid.connect.authorize", GET, "/openid/connect/authorize", authorize_openid,
            RISK_WRITE, "The page on which somebody signs in elsewhere"),
    SL_OPEN("openid.connect.approve", POST, "/openid/connect/approve", approve_openid, RISK_WRITE,
            "What was decided there"),
};

const struct rows sl_oauth_pages = ROWS(methods);
