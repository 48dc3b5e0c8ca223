/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions of Graph, by a feed of things that people have: handshakes, notifications,
 * resource data, life cycles, and documents. */
#include "engine/base/codec.h"
#include "engine/service.h"
#include "engine/world/event.h"
#include "identity/account.h"
#include "tests/support/hook.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/subscription.h"
#include <gnutls/abstract.h>
#include <gnutls/x509.h>

#define PEOPLE                                                                                     \
    "\"people\":[{\"email\":\"ada@port.example\"},{\"email\":\"bob@port.example\"}],"              \
    "\"accounts\":[{\"actor\":\"ada@port.example\",\"vendor\":\"microsoft\",\"services\":"         \
    "[\"mail\"]},{\"actor\":\"bob@port.example\",\"vendor\":\"microsoft\",\"services\":[\"mail\"]" \
    "}]"
#define DOC         "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"handshakes\":\"accepted\"," PEOPLE "}"
#define DOC_REFUSED "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\"," PEOPLE "}"

/* ---- things ---- */

static const char schema[] =
    "create table thing_thing (id integer primary key, owner integer not null, name text not null) "
    "strict;\n"
    "create table thing_change (number integer primary key, owner integer not null, thing integer "
    "not null, operation integer not null) strict;\n";

static int changed(struct call *c, enum event_operation operation, int64_t id)
{
    static struct sql_text q =
        SQL_TEXT("insert into thing_change (owner, thing, operation) values (:o, :t, :op)");
    event_note(&c->tx, "things", operation, c->actor.id, id);
    return TX_RUN(&c->tx, &q, c->actor.id, id, (int64_t)operation);
}

static int things_create(struct call *c)
{
    static struct sql_text q = SQL_TEXT("insert into thing_thing (owner, name) values (:o, :n)");
    if (TX_RUN(&c->tx, &q, c->actor.id, "one") < 0)
        return -1;
    return changed(c, OP_ADDED, tx_last_id(&c->tx));
}

static int things_delete(struct call *c)
{
    static struct sql_text q = SQL_TEXT("delete from thing_thing where id = :id");
    int64_t id = param_num(c, "id", 0);
    c->status = 204;
    return TX_RUN(&c->tx, &q, id) < 0 ? -1 : changed(c, OP_REMOVED, id);
}

static const struct param params[] = {
    {.name = "id", .place = IN_PATH, .type = PARAM_INT, .required = true, .summary = "The thing"},
};
static const struct route methods[] = {
    {.id = "things.create",
     .verbs = POST,
     .paths = PATHS(GRAPH("/me/things")),
     .handler = things_create,
     .risk = RISK_WRITE},
    {.id = "things.delete",
     .verbs = DELETE,
     .paths = PATHS(GRAPH("/me/things/{id}")),
     .handler = things_delete,
     .risk = RISK_DESTRUCTIVE,
     PARAMS(params)},
};
static const struct rows rows = ROWS(methods);
static const struct graph_api outlook = {.workload = GRAPH_OUTLOOK};
static const struct dialect things = {.name = "things.graph",
                                      .title = "Things",
                                      .vendor = &microsoft_vendor,
                                      .tables = TABLES(&rows),
                                      .facts = &outlook};

/* ---- their feed ---- */

static int feed_open(struct tx *tx, const struct graph_watcher *who, const char *resource,
                     struct graph_watch *ret)
{
    if (strcmp(resource, "me/others") == 0)
        return tx_fail(tx, SOSIA_E_FORBIDDEN, "ErrorAccessDenied", NULL, "Access is denied.");
    if (strcmp(resource, "me/things") != 0 && strcmp(resource, "/me/things") != 0)
        return 0;
    *ret =
        (struct graph_watch){.scope = who->actor.id,
                             .part = "",
                             .path = arena_printf(tx->arena, "Users/%s/Things", who->actor.email),
                             .tenant = "tenant-1"};
    return 1;
}

static int feed_position(struct tx *tx, const struct graph_watch *w, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(max(number), 0) from thing_change where owner = :owner");
    return TX_INT(tx, &q, ret, w->scope) < 0 ? -1 : 0;
}

static int feed_changes(struct tx *tx, const struct graph_watch *w, int64_t after,
                        graph_change_fn *fn, void *arg, int64_t *ret_last)
{
    static struct sql_text q =
        SQL_TEXT("select number, thing, operation from thing_change where owner = :owner and "
                 "number > :after order by number limit 1");
    sqlite3_stmt *st;
    int r;
    *ret_last = after;
    while ((r = TX_ROW(tx, &q, &st, w->scope, *ret_last)) == 1) {
        struct graph_change change = {
            .operation = (enum event_operation)sqlite3_column_int(st, 2),
            .id = arena_printf(tx->arena, "%lld", (long long)sqlite3_column_int64(st, 1)),
            .etag = "W/\"1\""};
        *ret_last = sqlite3_column_int64(st, 0);
        sql_done(st);
        if ((r = fn(arg, &change)))
            return r;
    }
    return r;
}

static int feed_data(struct tx *tx, const struct graph_watcher *who, const struct graph_watch *w,
                     const struct graph_change *change, const struct odata_query *q,
                     struct json_writer *out)
{
    json_str(out, "id", change->id);
    json_str(out, "name", "one");
    return 1;
}

static const struct graph_feed feed = {.kind = "things",
                                       .type = "#Microsoft.Graph.Thing",
                                       .max_minutes = 10080,
                                       .max_minutes_data = 1440,
                                       .open = feed_open,
                                       .position = feed_position,
                                       .changes = feed_changes,
                                       .data = feed_data};
static const struct core_policy policies[] = {{GRAPH_CORE, "microsoft", &feed}, {NULL, NULL, NULL}};
static const struct provision provisions[] = {
    {"microsoft", ACCOUNT_MAIL, "person", false, NULL},
    {NULL, 0, NULL, false, NULL},
};
static const struct sosia_core things_core = {
    .name = "things", .schema = schema, .policies = policies, .provisions = provisions};
static const struct sosia_service identity = {
    .name = "identity", .cores = (const struct sosia_core *const[]){&identity_core, NULL}};
static const struct sosia_service graph = {
    .name = "graph",
    .cores = (const struct sosia_core *const[]){&microsoft_core, &things_core,
                                                &graph_subscription_core, NULL},
    .dialects = (const struct dialect *const[]){&graph_common, &things, NULL}};
static const struct sosia_service *const services[] = {&identity, &graph, NULL};

static int begin(void **state)
{
    if (test_open_engine_of(services) < 0)
        return -1;
    test_use(DOC);
    return 0;
}

static int begin_refused(void **state)
{
    if (test_open_engine_of(services) < 0)
        return -1;
    test_use(DOC_REFUSED);
    return 0;
}

static int end(void **state)
{
    return test_close_engine(state);
}

/* ---- requests ---- */

static const struct json *ask(const char *who, const char *method, const char *target,
                              const char *body)
{
    struct sosia_header headers[3] = {{"Host", GRAPH_HOST},
                                      {"Authorization", test_bearer(who, NULL)},
                                      {"Content-Type", "application/json"}};
    test_made_up = true;
    return test_request(method, target, headers, 3, body ? quoted(body) : NULL,
                        body ? strlen(body) : 0);
}

static const struct json *ada(const char *method, const char *target, const char *body)
{
    return ask("ada@port.example", method, target, body);
}

#define GOOD                                                                                       \
    "'changeType':'created,deleted','notificationUrl':'https://hook.example/a?b=1','resource':"    \
    "'me/things','expirationDateTime':'2026-11-23T10:00:00Z','clientState':'secret'"

static const struct json *subscribe(const char *members)
{
    return ada("POST", "/v1.0/subscriptions", arena_printf(&test_arena, "{%s}", members));
}

/* The body of the last entry of the outbox, which is a message to that address. */
static const struct json *last_message(const char *url)
{
    const struct json *list = test_outbox();
    size_t n = list->n;
    assert_true(n > 0);
    const struct json *payload = json_get(&list->items[n - 1], "payload");
    assert_string_equal(json_get_str(payload, "url"), url);
    const char *body = json_get_str(payload, "body");
    return parsed(body, strlen(body));
}

/* ---- tests ---- */

static void an_address_is_asked_first(void **state)
{
    const struct json *v = subscribe(GOOD);
    assert_int_equal(test_status, 201);
    assert_string_equal(text_at(v, "resource"), "me/things");
    assert_string_equal(text_at(v, "changeType"), "created,deleted");
    assert_string_equal(text_at(v, "expirationDateTime"), "2026-11-23T10:00:00Z");
    assert_string_equal(text_at(v, "latestSupportedTlsVersion"), "v1_2");
    const struct json *list = test_outbox();
    const char *url = json_get_str(json_get(&list->items[0], "payload"), "url");
    assert_non_null(strstr(url, "https://hook.example/a?b=1&validationToken=Validation%3A%20"));
    v = ada("GET", "/v1.0/subscriptions", NULL);
    assert_int_equal(count_at(v, "value"), 1);
    v = ask("bob@port.example", "GET", "/v1.0/subscriptions", NULL);
    assert_int_equal(count_at(v, "value"), 0);
}

static void one_that_refuses_has_no_subscription(void **state)
{
    const struct json *v = subscribe(GOOD);
    assert_int_equal(test_status, 400);
    assert_string_equal(text_at(v, "error.code"), "ValidationError");
    v = ada("GET", "/v1.0/subscriptions", NULL);
    assert_int_equal(count_at(v, "value"), 0);
}

static void changes_are_announced_once(void **state)
{
    const char *id = text_at(subscribe(GOOD), "id");
    ada("POST", "/v1.0/me/things", NULL);
    const struct json *v = last_message("https://hook.example/a?b=1");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.subscriptionId"), id);
    assert_string_equal(text_at(v, "value.0.changeType"), "created");
    assert_string_equal(text_at(v, "value.0.resource"), "Users/ada@port.example/Things/1");
    assert_string_equal(text_at(v, "value.0.clientState"), "secret");
    assert_string_equal(text_at(v, "value.0.tenantId"), "tenant-1");
    assert_string_equal(members(v, "value.0.resourceData"), "@odata.type @odata.id @odata.etag id");
    ada("DELETE", "/v1.0/me/things/1", NULL);
    v = last_message("https://hook.example/a?b=1");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.changeType"), "deleted");
    ask("bob@port.example", "POST", "/v1.0/me/things", NULL); /* another's */
    v = last_message("https://hook.example/a?b=1");
    assert_string_equal(text_at(v, "value.0.changeType"), "deleted");
}

static void it_is_renewed_and_ends(void **state)
{
    const char *path =
        arena_printf(&test_arena, "/v1.0/subscriptions/%s", text_at(subscribe(GOOD), "id"));
    const struct json *v = ada("PATCH", path, "{'expirationDateTime':'2026-11-24T08:00:00Z'}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "expirationDateTime"), "2026-11-24T08:00:00Z");
    v = ada("PATCH", path, "{'expirationDateTime':'2026-12-24T08:00:00Z'}");
    assert_int_equal(test_status, 400);
    assert_string_equal(text_at(v, "error.code"), "ExtensionError");
    ada("POST", arena_printf(&test_arena, "%s/reauthorize", path), NULL);
    assert_int_equal(test_status, 204);
    ask("bob@port.example", "GET", path, NULL);
    assert_int_equal(test_status, 404);
    test_advance(24 * 3600 - 1);
    ada("GET", path, NULL);
    assert_int_equal(test_status, 200);
    test_advance(1);
    ada("GET", path, NULL);
    assert_int_equal(test_status, 404);
    path = arena_printf(&test_arena, "/v1.0/subscriptions/%s",
                        text_at(subscribe("'changeType':'created','notificationUrl':"
                                          "'https://hook.example/','resource':'me/things',"
                                          "'expirationDateTime':'2026-11-24T08:10:00Z'"),
                                "id"));
    v = ada("GET", path, NULL);
    assert_string_equal(text_at(v, "expirationDateTime"), "2026-11-24T08:45:00Z");
    ada("DELETE", path, NULL);
    assert_int_equal(test_status, 204);
    ada("GET", path, NULL);
    assert_int_equal(test_status, 404);
}

static void bad_ones_are_refused(void **state)
{
#define HOOK "'notificationUrl':'https://hook.example/'"
#define REST "'resource':'me/things','expirationDateTime':'2026-11-23T10:00:00Z'"
    static const struct {
        const char *members, *code;
        int status;
    } cases[] = {
        {HOOK "," REST, "InvalidRequest", 400},
        {"'changeType':'seen'," HOOK "," REST, "InvalidRequest", 400},
        {"'changeType':'created','notificationUrl':'http://hook.example/'," REST, "InvalidRequest",
         400},
        {"'changeType':'created','notificationUrl':'http://localhost.hook.example/'," REST,
         "InvalidRequest", 400},
        {"'changeType':'created','notificationUrl':'http://localhost:1@hook.example/'," REST,
         "InvalidRequest", 400},
        {"'changeType':'created','notificationUrl':'https://hook.example/ x'," REST,
         "InvalidRequest", 400},
        {"'changeType':'created','lifecycleNotificationUrl':'https://other.example/'," HOOK
         "," REST,
         "InvalidRequest", 400},
        {"'changeType':'created'," HOOK
         ",'resource':'me/nothing','expirationDateTime':'2026-11-23T10:00:00Z'",
         "InvalidRequest", 400},
        {"'changeType':'created'," HOOK
         ",'resource':'me/others','expirationDateTime':'2026-11-23T10:00:00Z'",
         "ErrorAccessDenied", 403},
        {"'changeType':'created'," HOOK
         ",'resource':'me/things','expirationDateTime':'2026-11-23T07:00:00Z'",
         "InvalidRequest", 400},
        {"'changeType':'created'," HOOK
         ",'resource':'me/things','expirationDateTime':'2027-11-23T07:00:00Z'",
         "ExtensionError", 400},
        {"'changeType':'created','includeResourceData':true," HOOK "," REST, "InvalidRequest", 400},
        {"'changeType':'created','includeResourceData':true,'encryptionCertificate':'QUJD',"
         "'encryptionCertificateId':'c'," HOOK "," REST,
         "InvalidRequest", 400},
        {"'changeType':'created','latestSupportedTlsVersion':'v1_23456789012345'," HOOK "," REST,
         "InvalidRequest", 400},
        {"'changetype':1," HOOK "," REST, "BadRequest", 400},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *v = subscribe(cases[i].members);
        if (test_status != cases[i].status || !text_at(v, "error.code") ||
            strcmp(text_at(v, "error.code"), cases[i].code) != 0)
            fail_msg("%s: %d %s", cases[i].members, test_status, test_body);
    }
    assert_int_equal(count_at(ada("GET", "/v1.0/subscriptions", NULL), "value"), 0);
}

/* ---- resource data ---- */

static gnutls_x509_privkey_t private_key;

/* Base64 of a certificate with a public key of these sizes, in bytes, that nobody has the other
 * half of. */
static const char *odd_certificate(size_t modulus, size_t exponent)
{
    static unsigned char bytes[2048];
    gnutls_x509_crt_t crt;
    gnutls_pubkey_t key;
    gnutls_datum_t der, n = {bytes, (unsigned)modulus}, e = {bytes, (unsigned)exponent};
    struct buf b;
    memset(bytes, 0xfb, sizeof bytes);
    assert_int_equal(gnutls_x509_privkey_init(&private_key), 0);
    assert_int_equal(gnutls_x509_privkey_generate(private_key, GNUTLS_PK_RSA, 2048, 0), 0);
    assert_int_equal(gnutls_pubkey_init(&key), 0);
    assert_int_equal(gnutls_pubkey_import_rsa_raw(key, &n, &e), 0);
    assert_int_equal(gnutls_x509_crt_init(&crt), 0);
    gnutls_x509_crt_set_version(crt, 3);
    gnutls_x509_crt_set_serial(crt, "\1", 1);
    gnutls_x509_crt_set_activation_time(crt, 0);
    gnutls_x509_crt_set_expiration_time(crt, 4000000000);
    gnutls_x509_crt_set_dn(crt, "CN=hook.example", NULL);
    assert_int_equal(gnutls_x509_crt_set_pubkey(crt, key), 0);
    assert_int_equal(gnutls_x509_crt_sign2(crt, crt, private_key, GNUTLS_DIG_SHA256, 0), 0);
    assert_int_equal(gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_DER, &der), 0);
    buf_init(&b, 0);
    base64_add(&b, der.data, der.size);
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    gnutls_free(der.data);
    gnutls_pubkey_deinit(key);
    gnutls_x509_crt_deinit(crt);
    gnutls_x509_privkey_deinit(private_key);
    return text;
}

/* Each change would cost a large power of a large number. */
static void keys_that_take_long_are_refused(void **state)
{
    static const struct {
        size_t modulus, exponent;
        int status;
    } cases[] = {{512, 3, 201}, {256, 8, 201}, {256, 256, 400}, {1024, 3, 400}, {64, 3, 400}};
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        subscribe(arena_printf(&test_arena,
                               "'includeResourceData':true,'encryptionCertificate':'%s',"
                               "'encryptionCertificateId':'mine'," GOOD,
                               odd_certificate(cases[i].modulus, cases[i].exponent)));
        assert_int_equal(test_status, cases[i].status);
    }
}

static void resource_data_is_for_the_certificates_owner(void **state)
{
    subscribe(arena_printf(&test_arena,
                           "'includeResourceData':true,'encryptionCertificate':'%s',"
                           "'encryptionCertificateId':'mine'," GOOD,
                           hook_certificate()));
    assert_int_equal(test_status, 201);
    ada("POST", "/v1.0/me/things", NULL);
    const struct json *v = last_message("https://hook.example/a?b=1");
    const struct json *content = value_at(v, "value.0.encryptedContent");
    assert_string_equal(json_get_str(content, "encryptionCertificateId"), "mine");
    assert_int_equal(strlen(json_get_str(content, "encryptionCertificateThumbprint")), 40);
    assert_string_equal(hook_plain(content), "{\"id\":\"1\",\"name\":\"one\"}");
    hook_done();
}

/* ---- what becomes of them ---- */

static int64_t last_entry(void)
{
    int64_t first, last;
    assert_int_equal(sosia_delivery_pending(test_engine, test_world, &first, &last, &test_err), 1);
    return last;
}

static void what_is_given_up_is_said_once(void **state)
{
    struct sosia_outcome gone = {.size = sizeof gone, .status = 503};
    int64_t again = 0;
    subscribe("'changeType':'created','notificationUrl':'https://hook.example/','resource':"
              "'me/things','expirationDateTime':'2026-11-29T08:00:00Z','clientState':'secret',"
              "'lifecycleNotificationUrl':'https://hook.example/life'");
    assert_int_equal(test_status, 201);
    ada("POST", "/v1.0/me/things", NULL);
    int64_t entry = last_entry(), attempt = 1;
    for (; attempt <= 20; attempt++) {
        assert_int_equal(sosia_delivery_outcome(test_engine, test_world, entry, attempt, &gone,
                                                &again, &test_err),
                         0);
        if (!again)
            break;
        test_advance(7000);
    }
    assert_int_equal(attempt, 11);
    const struct json *v = last_message("https://hook.example/life");
    assert_string_equal(text_at(v, "value.0.lifecycleEvent"), "missed");
    assert_string_equal(text_at(v, "value.0.clientState"), "secret");
    assert_null(value_at(v, "value.0.resource"));
}

/* Each address is asked for its consent, one after the other. */
static int refuses;
static size_t asked;
static void on_post(void *arg, uint64_t w, int64_t entry, const char *json, size_t len,
                    struct sosia_outcome *ret)
{
    const struct json *v = parsed(json, len);
    const char *url = text_at(v, "0.payload.url");
    const char *token = strstr(url, "validationToken=") + strlen("validationToken=");
    char *text;
    size_t n;
    asked++;
    assert_non_null(strstr(url, asked == 1 ? "https://hook.example/a?b=1&v" : "/life?v"));
    assert_int_equal(percent_decode(&test_arena, token, strlen(token), true, &text, &n), 0);
    ret->size = sizeof *ret;
    ret->status = 200;
    ret->body = (int)asked == refuses ? "no" : text;
    ret->body_len = strlen(ret->body);
}

static void each_address_has_a_handshake_of_its_own(void **state)
{
    static const struct {
        int refuses, status;
        size_t asked;
    } cases[] = {{0, 201, 2}, {1, 400, 1}, {2, 400, 2}};
    sosia_engine_on_handshake(test_engine, on_post, NULL);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        refuses = cases[i].refuses;
        asked = 0;
        subscribe("'lifecycleNotificationUrl':'https://hook.example/life'," GOOD);
        assert_int_equal(test_status, cases[i].status);
        assert_int_equal(asked, cases[i].asked);
    }
    assert_int_equal(count_at(ada("GET", "/v1.0/subscriptions", NULL), "value"), 1);
}

static const char *urls(void)
{
    const struct json *list = test_outbox();
    const char *all = "";
    for (uint32_t i = 0; i < list->n; i++)
        all = arena_printf(&test_arena, "%s%s ", all,
                           json_get_str(json_get(&list->items[i], "payload"), "url"));
    return all;
}

/* A quarter of an hour before its end a subscription is to be authorised again, if somebody is to
 * be notified of it; a renewal puts that off. */
static void what_ends_soon_is_to_be_authorised_again(void **state)
{
    const char *id =
        text_at(subscribe("'lifecycleNotificationUrl':'https://hook.example/life'," GOOD), "id");
    const char *path = arena_printf(&test_arena, "/v1.0/subscriptions/%s", id);
    size_t before = test_outbox()->n;
    test_advance(105 * 60 - 1);
    assert_int_equal(test_outbox()->n, before);
    ada("PATCH", path, "{'expirationDateTime':'2026-11-23T12:00:00Z'}");
    test_advance(120 * 60);
    assert_int_equal(test_outbox()->n, before);
    test_advance(1);
    assert_int_equal(test_outbox()->n, before + 1);
    const struct json *v = last_message("https://hook.example/life");
    assert_string_equal(text_at(v, "value.0.lifecycleEvent"), "reauthorizationRequired");
    assert_string_equal(text_at(v, "value.0.subscriptionId"), id);
    ada("POST", arena_printf(&test_arena, "%s/reauthorize", path), NULL);
    assert_int_equal(test_status, 204);
    test_advance(15 * 60);
    ada("GET", path, NULL);
    assert_int_equal(test_status, 404);
    subscribe("'changeType':'created','notificationUrl':'https://other.example/','resource':"
              "'me/things','expirationDateTime':'2026-11-23T14:00:00Z'");
    assert_int_equal(test_status, 201);
    before = test_outbox()->n;
    test_advance(3 * 3600);
    assert_int_equal(test_outbox()->n, before);
    assert_null(strstr(urls(), "https://other.example/ "));
}

static void a_renewal_changes_no_address(void **state)
{
    static const char *const bodies[] = {
        "{'notificationUrl':'https://hook.example/b'}",
        "{'lifecycleNotificationUrl':'https://hook.example/life'}",
        "{'resource':'me/others'}",
    };
    const char *path =
        arena_printf(&test_arena, "/v1.0/subscriptions/%s", text_at(subscribe(GOOD), "id"));
    for (size_t i = 0; i < SOSIA_LEN(bodies); i++) {
        const struct json *v = ada("PATCH", path, bodies[i]);
        assert_int_equal(test_status, 400);
        assert_string_equal(text_at(v, "error.code"), "InvalidRequest");
    }
    ada("PATCH", path, "{'notificationUrl':'https://hook.example/a?b=1'}");
    assert_int_equal(test_status, 200);
}

static void documents_have_them(void **state)
{
    const char *id =
        text_at(subscribe("'lifecycleNotificationUrl':'https://hook.example/life'," GOOD), "id");
    const struct json *v = value_at(test_dump(), "graphSubscriptions.0");
    assert_string_equal(text_at(v, "id"), id);
    assert_string_equal(text_at(v, "person"), "ada@port.example");
    assert_string_equal(text_at(v, "resource"), "me/things");
    assert_string_equal(printed_at(v, "changeTypes"), "[\"created\",\"deleted\"]");
    uint64_t w = test_world_of(
        "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\"," PEOPLE ",\"graphSubscriptions\":[{\"id\":"
        "\"7f105c7d-2dc5-4530-97cd-4e7ae6534c07\",\"person\":\"ada@port.example\",\"resource\":"
        "\"me/things\",\"notificationUrl\":\"https://hook.example/\",\"changeTypes\":[\"created\"],"
        "\"expires\":\"2026-11-25T08:00:00Z\"}]}");
    v = value_at(read_dump(test_engine, w), "graphSubscriptions.0");
    assert_string_equal(members(v, ""), "id person resource changeTypes notificationUrl expires");
    const char *doc = "{\"sosia\":1," PEOPLE ",\"graphSubscriptions\":[{\"id\":\"a/b\",\"person\":"
                      "\"ada@port.example\",\"resource\":\"me/things\",\"notificationUrl\":"
                      "\"https://hook.example/\"}]}";
    const struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    assert_int_equal(sosia_world_create(test_engine, &opt, &w, &test_err), -1);
    assert_non_null(strstr(test_err.text, "graphSubscriptions[0].id: must be a GUID"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_address_is_asked_first, begin, end),
        cmocka_unit_test_setup_teardown(one_that_refuses_has_no_subscription, begin_refused, end),
        cmocka_unit_test_setup_teardown(changes_are_announced_once, begin, end),
        cmocka_unit_test_setup_teardown(it_is_renewed_and_ends, begin, end),
        cmocka_unit_test_setup_teardown(bad_ones_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(keys_that_take_long_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(resource_data_is_for_the_certificates_owner, begin, end),
        cmocka_unit_test_setup_teardown(what_is_given_up_is_said_once, begin, end),
        cmocka_unit_test_setup_teardown(each_address_has_a_handshake_of_its_own, begin, end),
        cmocka_unit_test_setup_teardown(what_ends_soon_is_to_be_authorised_again, begin, end),
        cmocka_unit_test_setup_teardown(a_renewal_changes_no_address, begin, end),
        cmocka_unit_test_setup_teardown(documents_have_them, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
