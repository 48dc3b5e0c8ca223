/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions as bodies have them: what is read of one, and what is answered. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "identity/app.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/subscription_impl.h"

#define MINUTE        (60 * US_PER_SECOND)
#define MIN_MINUTES   45 /* MG-153 */
#define MAX_STATE     128
#define MAX_TLS       16 /* "v1_2" */
#define MAX_URL       2048
#define MAX_RESOURCE  2048
#define N_CHANGES     3
#define MAX_PER_ACTOR 1000 /* MG-485 */

const char *const graph_change_words[] = {"created", "updated", "deleted", NULL};

/* ---- what is said of them ---- */

/* "created,updated": bits; 0: it is another text. */
static int64_t read_changes(const char *text)
{
    int64_t bits = 0;
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, ","), at = 0;
        while (at < N_CHANGES && !str_is_nocase(p, n, graph_change_words[at]))
            at++;
        if (at == N_CHANGES)
            return 0;
        bits |= INT64_C(1) << at;
        p += n + (p[n] == ',');
    }
    return bits;
}

static const char *write_changes(struct arena *a, int64_t bits)
{
    const char *text = "";
    for (size_t i = 0; i < N_CHANGES; i++)
        if (bits >> i & 1)
            text = arena_printf(a, "%s%s%s", text, *text ? "," : "", graph_change_words[i]);
    return text;
}

/* Is the authority of a URL this machine, and nothing that only begins so? */
static bool is_this_machine(const char *authority)
{
    static const char *const own[] = {"localhost", "127.0.0.1", "[::1]"};
    size_t n = strcspn(authority, "/?#");
    if (memchr(authority, '@', n))
        return false;
    for (size_t i = 0; i < SOSIA_LEN(own); i++) {
        size_t m = strlen(own[i]);
        if (n >= m && strncasecmp(authority, own[i], m) == 0 && (n == m || authority[m] == ':'))
            return true;
    }
    return false;
}

/* https, or http of this machine; nothing that breaks out of a request. */
bool graph_subscription_address(const char *url)
{
    for (const char *p = url; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 127)
            return false;
    if (strlen(url) > MAX_URL)
        return false;
    if (strncasecmp(url, "https://", 8) == 0)
        return url[8] && url[8] != '/';
    return strncasecmp(url, "http://", 7) == 0 && is_this_machine(url + 7);
}

/* The bytes of a URL up to its path. */
static size_t origin_len(const char *url)
{
    const char *host = strstr(url, "://");
    return host ? (size_t)(host + 3 - url) + strcspn(host + 3, "/?#") : 0;
}

static int needed(struct call *c, const char *name, const char *value)
{
    return value && *value
               ? 0
               : bad_subscription(c, "%s is a required property for subscription creation", name);
}

static int check_addresses(struct call *c, const struct graph_subscription *s)
{
    if (!graph_subscription_address(s->url))
        return bad_subscription(c, "The property 'notificationUrl' must be a valid HTTPS URL.");
    if (!s->lifecycle_url)
        return 0;
    if (!graph_subscription_address(s->lifecycle_url))
        return bad_subscription(
            c, "The property 'lifecycleNotificationUrl' must be a valid HTTPS URL.");
    size_t n = origin_len(s->url);
    if (origin_len(s->lifecycle_url) != n || strncasecmp(s->lifecycle_url, s->url, n) != 0)
        return bad_subscription(
            c, "The notificationUrl and lifecycleNotificationUrl must be on the same "
               "host.");
    return 0;
}

/* Within the feed's longest life, and at least 45 minutes ahead (MG-152, 153). */
int graph_subscription_expiry(struct call *c, const char *text, const struct graph_feed *f,
                              struct graph_subscription *s)
{
    struct stamp at;
    int max = s->certificate ? f->max_minutes_data : f->max_minutes;
    if (stamp_parse(text, strlen(text), false, &at) < 0)
        return bad_subscription(c,
                                "The property 'expirationDateTime' must be a date and time with an "
                                "offset.");
    int64_t us = at.local_us - (int64_t)at.offset * US_PER_SECOND, now = c->tx.now_us;
    if (us <= now)
        return bad_subscription(c, "Subscription expiration must be in the future.");
    if (us - now > max * MINUTE)
        return call_fail(c, SOSIA_E_INVALID, "ExtensionError", NULL,
                         "Operation: Create; Exception: [Status Code: BadRequest; Reason: "
                         "Subscription expiration can only be %d minutes in the future.]",
                         max);
    s->expires_us = us - now < MIN_MINUTES * MINUTE ? now + MIN_MINUTES * MINUTE : us;
    return 0;
}

static int read_data(struct call *c, const struct json *body, const struct graph_feed *f,
                     struct graph_subscription *s)
{
    if (!json_get_true(body, "includeResourceData"))
        return 0;
    s->certificate = json_get_str(body, "encryptionCertificate");
    s->certificate_id = json_get_str(body, "encryptionCertificateId");
    if (!f->data || !f->max_minutes_data)
        return bad_subscription(c, "Resource data is not supported for the resource '%.200s'.",
                                s->resource);
    if (needed(c, "encryptionCertificate", s->certificate) < 0 ||
        needed(c, "encryptionCertificateId", s->certificate_id) < 0)
        return -1;
    if (strlen(s->certificate_id) > MAX_STATE ||
        !graph_certificate_good(c->tx.arena, s->certificate))
        return bad_subscription(
            c, "The property 'encryptionCertificate' must be a base64-encoded X.509 "
               "certificate with an RSA key.");
    return 0;
}

/* The scope of reading it, with its data where these go out or are asked about; and data of Outlook
 * are what $select names. */
static int check_data(struct call *c, const struct graph_feed *f,
                      const struct graph_subscription *s)
{
    const struct odata_query *q;
    if (graph_resource_query(&c->tx, c, f, s->resource, &q) < 0)
        return -1;
    bool data = s->certificate || (q && q->filter);
    if (!call_has_scope(c, data && f->data_scopes ? f->data_scopes : f->scopes))
        return call_fail(c, SOSIA_E_FORBIDDEN, "scope", "Authorization",
                         "the token lacks the scope");
    if (!graph_data_named(f, s, q))
        return call_fail(c, SOSIA_E_INVALID, "ExtensionError", NULL,
                         "Operation: Create; Exception: [Status Code: BadRequest; Reason: $select "
                         "must be specified in subscription resource Url when resource data is "
                         "included.]");
    return 0;
}

static int count_of(struct tx *tx, int64_t actor, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from graph_subscription where actor = :actor");
    return TX_INT(tx, &q, ret, actor);
}

int graph_subscription_read(struct call *c, struct graph_subscription *ret)
{
    const struct json *body = call_body(c);
    const struct graph_feed *feed;
    const struct graph_watcher who = {c->actor, graph_app_only(c), c};
    const char *changes, *expires, *id_type = graph_prefer(c, "IdType");
    int64_t n;
    if (!body)
        return -1;
    *ret =
        (struct graph_subscription){.actor = c->actor.id,
                                    .app = c->app,
                                    .app_only = graph_app_only(c),
                                    .resource = json_get_str(body, "resource"),
                                    .url = json_get_str(body, "notificationUrl"),
                                    .lifecycle_url = json_get_str(body, "lifecycleNotificationUrl"),
                                    .state = json_get_str(body, "clientState"),
                                    .tls = json_get_str(body, "latestSupportedTlsVersion")};
    changes = json_get_str(body, "changeType");
    expires = json_get_str(body, "expirationDateTime");
    ret->immutable = id_type && str_eq_nocase(id_type, "ImmutableId");
    ret->tls = ret->tls ? ret->tls : "v1_2";
    if (needed(c, "changeType", changes) < 0 || needed(c, "notificationUrl", ret->url) < 0 ||
        needed(c, "resource", ret->resource) < 0 || needed(c, "expirationDateTime", expires) < 0)
        return -1;
    if (!(ret->changes = read_changes(changes)))
        return bad_subscription(c, "Invalid 'changeType' attribute: '%.100s'.", changes);
    if (ret->state && strlen(ret->state) > MAX_STATE)
        return bad_subscription(c, "The property 'clientState' must have at most %d characters.",
                                MAX_STATE);
    if (strlen(ret->tls) > MAX_TLS)
        return bad_subscription(c, "Invalid 'latestSupportedTlsVersion' attribute: '%.100s'.",
                                ret->tls);
    if (check_addresses(c, ret) < 0)
        return -1;
    int r = strlen(ret->resource) > MAX_RESOURCE
                ? 0
                : graph_subscription_open(&c->tx, &who, ret, &feed);
    if (r == 0)
        return bad_subscription(c, "resource '%.400s' is not supported.", ret->resource);
    if (r < 0 || read_data(c, body, feed, ret) < 0 || check_data(c, feed, ret) < 0 ||
        graph_subscription_expiry(c, expires, feed, ret) < 0 ||
        count_of(&c->tx, c->actor.id, &n) < 0)
        return -1;
    if (feed->operations && ret->changes & ~(int64_t)feed->operations)
        return bad_subscription(c, "Invalid 'changeType' attribute: '%.100s'.", changes);
    return n >= MAX_PER_ACTOR ? call_fail(c, SOSIA_E_FORBIDDEN, "ExtensionError", NULL,
                                          "The maximum number of subscriptions has been reached.")
                              : 0;
}

/* ---- answers ---- */

/* The object id of the user, or of the app itself. */
static int creator_of(struct tx *tx, const struct graph_subscription *s, const char **ret)
{
    struct ms_user user = {.oid = NULL};
    struct ms_app own = {.oid = NULL};
    int r =
        s->app_only ? ms_app_find(tx, s->app, 0, &own) : ms_user_of_actor(tx, s->actor, 0, &user);
    const char *found = s->app_only ? own.oid : user.oid;
    *ret = r == 1 && found ? found
                           : graph_guid(tx->arena, "creator",
                                        arena_printf(tx->arena, "%lld", (long long)s->actor));
    return r < 0 ? -1 : 0;
}

int graph_subscription_app(struct tx *tx, const struct graph_subscription *s, const char **ret)
{
    struct ident_app app = {.client_id = NULL};
    if (s->app && app_get(tx, s->app, &app) < 0)
        return -1;
    *ret = app.client_id ? app.client_id : graph_guid(tx->arena, "app", "");
    return 0;
}

int graph_subscription_write(struct call *c, const struct graph_subscription *s)
{
    struct json_writer *w = c->out;
    char expires[STAMP_TEXT];
    const char *creator, *app;
    if (graph_subscription_app(&c->tx, s, &app) < 0 || creator_of(&c->tx, s, &creator) < 0)
        return -1;
    stamp_format(expires, s->expires_us, 0, s->expires_us % US_PER_SECOND ? 6 : 0, true);
    json_str(w, "id", s->key);
    json_str(w, "resource", s->resource);
    json_str(w, "applicationId", app);
    json_str(w, "changeType", write_changes(c->tx.arena, s->changes));
    if (s->state)
        json_str(w, "clientState", s->state);
    else
        json_null(w, "clientState");
    json_str(w, "notificationUrl", s->url);
    if (s->lifecycle_url)
        json_str(w, "lifecycleNotificationUrl", s->lifecycle_url);
    else
        json_null(w, "lifecycleNotificationUrl");
    json_str(w, "expirationDateTime", expires);
    json_str(w, "creatorId", creator);
    json_bool(w, "includeResourceData", s->certificate != NULL);
    json_str(w, "latestSupportedTlsVersion", s->tls);
    if (s->certificate) {
        json_str(w, "encryptionCertificate", s->certificate);
        json_str(w, "encryptionCertificateId", s->certificate_id);
    } else {
        json_null(w, "encryptionCertificate");
        json_null(w, "encryptionCertificateId");
    }
    json_null(w, "notificationQueryOptions");
    json_null(w, "notificationUrlAppId");
    return 0;
}

int graph_subscription_answer(struct call *c, const struct graph_subscription *s)
{
    json_obj(c->out, NULL);
    graph_context(c, "subscriptions/$entity");
    int r = graph_subscription_write(c, s);
    json_end(c->out);
    return r;
}
