/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids that open something to all who know them, and the secret of the world that they come from:
 * who has a world's document and seed can make the same calls in an engine of their own, and
 * what they get opens nothing in a world that has another secret.
 */
#include "engine/base/codec.h"
#include "engine/state/dump.h"
#include "engine/world/engine.h"
#include "identity/identity.h"
#include "identity/jwt.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ADA "ada@acme.example"
#define BOB "bob@acme.example"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-11-23T09:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}, {domain: port.example, name: Port}]\n"
    "people:\n"
    "  - {email: cyd@port.example, name: Cyd}\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: bob@acme.example, name: Bob}\n"
    "  - {email: robot@acme.example, name: Robot, kind: service}\n"
    "  - {handle: deploy, kind: bot, name: Deploy}\n"
    "accounts: [{actor: cyd@port.example, vendor: microsoft}]\n"
    "apps:\n"
    "  - {client_id: '1.2', client_secret: hush, name: Deploy, vendor: slack, bot: deploy}\n"
    "oauth_clients:\n"
    "  - {client_id: auto, client_secret: s1, name: Auto, kind: web,\n"
    "     redirect_uris: ['https://app.example/cb'], automatic: ada@acme.example}\n"
    "  - {client_id: tele, client_secret: s3, name: Tele, kind: tv}\n"
    "service_accounts: [{email: robot@acme.example, client_id: '111'}]\n"
    "workspaces:\n"
    "  - id: T0ACME\n"
    "    domain: acme\n"
    "    members:\n"
    "      - {actor: ada@acme.example, id: U0ADA, role: owner}\n"
    "      - {actor: bob@acme.example, id: U0BOB}\n"
    "      - {actor: deploy, id: U0DEPLOY}\n"
    "    apps: [{client_id: '1.2', id: A0DEPLOY, bot: B0DEPLOY}]\n"
    "channels:\n"
    "  - {id: C0GENERAL, name: general, general: true}\n";

/* ---- engines and worlds ---- */

/* Each test may have several; those that are open are closed at its end. */
static struct sosia_engine *engines[4];
static size_t n_engines;
static char dir[] = "/tmp/sosia-secrets-XXXXXX";

static int begin_test(void **state)
{
    arena_init(&test_arena, 0);
    n_engines = 0;
    return 0;
}

static int end_test(void **state)
{
    sosia_response_free(test_response);
    test_response = NULL;
    for (size_t i = 0; i < n_engines; i++)
        sosia_engine_close(engines[i]);
    arena_done(&test_arena);
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin_test, end_test)

static struct sosia_engine *open_engine(const struct sosia_engine_options *opt)
{
    if (sosia_engine_open(opt, &test_engine, &test_err) < 0)
        fail_msg("open: %s", test_err.text);
    return engines[n_engines++] = test_engine;
}

static const struct sosia_engine_options served = {.random_secrets = true};

static void use(struct sosia_engine *e, uint64_t world)
{
    test_engine = e;
    test_world = world;
}

static uint64_t fork_of(uint64_t world, uint64_t seed)
{
    uint64_t fork;
    const struct sosia_fork_options opt = {.seed = seed};
    assert_int_equal(sosia_world_fork(test_engine, world, &opt, &fork, &test_err), 0);
    return fork;
}

/* ---- requests ---- */

static const struct json *ask(const char *host, const char *method, const char *target,
                              const char *bearer, const char *type, const char *body)
{
    struct sosia_header headers[3] = {{"Host", host}};
    size_t n = 1;
    if (bearer)
        headers[n++] = (struct sosia_header){"Authorization", bearer};
    if (type)
        headers[n++] = (struct sosia_header){"Content-Type", type};
    return test_request(method, target, headers, n, body, strlen(body));
}

#define FORM "application/x-www-form-urlencoded"

static const struct json *post(const char *host, const char *target, const char *form)
{
    return ask(host, "POST", target, NULL, FORM, form);
}

#define TEXT(...) arena_printf(&test_arena, __VA_ARGS__)

/* What is behind a text in another one, up to one of the characters of `end`. */
static const char *behind(const char *text, const char *what, const char *end)
{
    const char *p = text ? strstr(text, what) : NULL;
    if (!p)
        fail_msg("\"%s\" was expected in: %s", what, text ? text : "nothing");
    p += strlen(what);
    return arena_memdup(&test_arena, p, strcspn(p, end));
}

/* ---- the kinds: how one is made, and whether it opens what it is for ---- */

static const char *begin_upload(const char *bearer)
{
    ask("www.googleapis.com", "POST", "/upload/drive/v3/files?uploadType=resumable", bearer,
        "application/json", "{\"name\":\"plan\"}");
    assert_int_equal(test_status, 200);
    return behind(test_header("Location"), "upload_id=", "&");
}

static const char *take_upload(void)
{
    return begin_upload(test_bearer(ADA, NULL));
}

/* The attack: somebody else's bytes. */
static int put_bytes(const char *id, const char *bearer)
{
    ask("www.googleapis.com", "PUT",
        TEXT("/upload/drive/v3/files?uploadType=resumable&upload_id=%s", id), bearer, NULL,
        "other bytes");
    return test_status;
}

static bool opens_upload(const char *id)
{
    return put_bytes(id, NULL) == 200;
}

static const char *take_code(void)
{
    ask("accounts.google.com", "GET",
        "/o/oauth2/v2/auth?client_id=auto&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&"
        "response_type=code&scope=email&access_type=offline&prompt=consent",
        NULL, NULL, "");
    return behind(test_header("Location"), "code=", "&");
}

static bool opens_code(const char *code)
{
    post("oauth2.googleapis.com", "/token",
         TEXT("grant_type=authorization_code&client_id=auto&client_secret=s1&redirect_uri=https%%3A"
              "%%2F%%2Fapp.example%%2Fcb&code=%s",
              code));
    return test_status == 200;
}

static const char *take_token(const char *which)
{
    const char *code = take_code();
    assert_true(opens_code(code));
    return behind(test_body, TEXT("\"%s\": \"", which), "\"");
}

static const char *take_refresh(void)
{
    return take_token("refresh_token");
}

static bool opens_refresh(const char *token)
{
    post("oauth2.googleapis.com", "/token",
         TEXT("grant_type=refresh_token&client_id=auto&client_secret=s1&refresh_token=%s", token));
    return test_status == 200;
}

/* Without the world that it names. */
static const char *take_access(void)
{
    return behind(TEXT("=%s", take_token("access_token")), "=", "~");
}

static bool opens_access(const char *token)
{
    char key[17];
    world_key(test_world, key);
    ask("www.googleapis.com", "GET", "/oauth2/v2/userinfo", TEXT("Bearer %s~%s", token, key), NULL,
        "");
    return test_status == 200;
}

static const char *take_device(void)
{
    post("oauth2.googleapis.com", "/device/code", "client_id=tele&scope=email");
    return behind(test_body, "\"device_code\": \"", "\"");
}

static bool opens_device(const char *code)
{
    post("oauth2.googleapis.com", "/token",
         TEXT("grant_type=urn%%3Aietf%%3Aparams%%3Aoauth%%3Agrant-type%%3Adevice_code&client_id="
              "tele&client_secret=s3&device_code=%s",
              code));
    return strstr(test_body, "authorization_pending");
}

static const char *take_user_code(void)
{
    take_device();
    return behind(test_body, "\"user_code\": \"", "\"");
}

static const char *take_ticket(void)
{
    struct sosia_blob text;
    assert_int_equal(
        sosia_credential(test_engine, test_world, "slack", "deploy", "", &text, &test_err), 0);
    const char *token = text_at(parsed(text.data, text.len), "slack_app");
    sosia_blob_free(&text);
    ask("slack.com", "POST", "/api/apps.connections.open", TEXT("Bearer %s", token), NULL, "");
    return behind(test_body, "ticket=", "&\"");
}

static void nothing_sent(void *arg, const char *data, size_t len)
{
}

static void nothing_closed(void *arg, int code, const char *why)
{
}

static bool opens_ticket(const char *ticket)
{
    static const struct sosia_session_calls calls = {.send = nothing_sent, .close = nothing_closed};
    static const struct sosia_header host = {"Host", "wss-primary.slack.com"};
    struct sosia_request r = {.method = "GET",
                              .target = TEXT("/link/?ticket=%s&app_id=A0DEPLOY", ticket),
                              .headers = &host,
                              .n_headers = 1};
    struct sosia_session *session = NULL;
    struct sosia_response *response;
    assert_int_equal(sosia_session_open(test_engine, test_world, &r, &calls, NULL, &session,
                                        &response, &test_err),
                     0);
    bool opens = response->status == 101;
    sosia_response_free(response);
    sosia_session_close(session, 1000);
    return opens;
}

static const char *take_slack_upload(void)
{
    ask("slack.com", "POST", "/api/files.getUploadURLExternal", test_bearer(ADA, NULL), FORM,
        "filename=a.txt&length=5");
    return behind(test_body, "upload/v1/", "\"");
}

static bool opens_slack_upload(const char *secret)
{
    ask("files.slack.com", "POST", TEXT("/upload/v1/%s", secret), NULL, FORM, "other");
    return test_status == 200;
}

static const char *take_attachment(void)
{
    const char *bearer = test_bearer("cyd@port.example", NULL);
    const struct json *v = ask("graph.microsoft.com", "POST", "/v1.0/me/messages", bearer,
                               "application/json", "{\"subject\":\"x\"}");
    v = ask("graph.microsoft.com", "POST",
            TEXT("/v1.0/me/messages/%s/attachments/createUploadSession", text_at(v, "id")), bearer,
            "application/json",
            "{\"AttachmentItem\":{\"attachmentType\":\"file\",\"name\":\"a\",\"size\":3200000}}");
    assert_int_equal(test_status, 201);
    return behind(json_get_str(v, "uploadUrl"), "https://outlook.office.com", "\"");
}

static bool opens_attachment(const char *path)
{
    ask("outlook.office.com", "GET", path, NULL, NULL, "");
    return test_status == 200;
}

/* A file that everybody may see who has the link. */
static const char *take_link(void)
{
    const char *bearer = test_bearer(ADA, NULL);
    const struct json *v =
        ask("www.googleapis.com", "POST", "/drive/v3/files", bearer, "application/json",
            "{\"name\":\"open\",\"mimeType\":\"text/plain\"}");
    const char *id = text_at(v, "id");
    ask("www.googleapis.com", "POST", TEXT("/drive/v3/files/%s/permissions", id), bearer,
        "application/json", "{\"type\":\"anyone\",\"role\":\"reader\"}");
    assert_int_equal(test_status, 200);
    return id;
}

static bool opens_link(const char *id)
{
    ask("drive.google.com", "GET", TEXT("/file/d/%s/view", id), NULL, NULL, "");
    return test_status == 200;
}

static const struct opener {
    const char *name;
    const char *(*take)(void);
    bool (*opens)(const char *secret); /* NULL: only that it is another one is looked at */
} kinds[] = {
    {"session of an upload", take_upload, opens_upload},
    {"code", take_code, opens_code},
    {"refresh token", take_refresh, opens_refresh},
    {"access token", take_access, opens_access},
    {"code of a device", take_device, opens_device},
    {"code for a person", take_user_code, NULL},
    {"ticket of a socket", take_ticket, opens_ticket},
    {"address for a file's bytes", take_slack_upload, opens_slack_upload},
    {"link to a file", take_link, opens_link},
    {"session of an attachment", take_attachment, opens_attachment},
};

/* One of each kind, in a world of its own, in the order of the kinds. */
static void take_all(struct sosia_engine *e, const char *ret[SOSIA_LEN(kinds)])
{
    test_engine = e;
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++) {
        test_use(doc);
        ret[i] = kinds[i].take();
    }
}

/* ---- tests ---- */

static void the_same_calls_give_the_same_unless_secrets_are_random(void **state)
{
    const struct sosia_engine_options chosen = {.world_secret = "of my own"};
    const struct {
        const struct sosia_engine_options *a, *b;
        bool same;
    } cases[] = {{NULL, NULL, true},
                 {&chosen, &chosen, true},
                 {NULL, &chosen, false},
                 {&served, &served, false},
                 {NULL, &served, false}};
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *a[SOSIA_LEN(kinds)], *b[SOSIA_LEN(kinds)];
        n_engines = 0;
        take_all(open_engine(cases[i].a), a);
        take_all(open_engine(cases[i].b), b);
        for (size_t k = 0; k < SOSIA_LEN(kinds); k++)
            if ((strcmp(a[k], b[k]) == 0) != cases[i].same)
                fail_msg("case %zu, %s: %s and %s", i, kinds[k].name, a[k], b[k]);
        end_test(NULL);
        begin_test(NULL);
    }
}

/* With an engine of one's own, the world's document and its seed. */
static void what_is_computed_elsewhere_opens_nothing(void **state)
{
    const char *guess[SOSIA_LEN(kinds)];
    take_all(open_engine(NULL), guess);
    open_engine(&served);
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++) {
        test_use(doc);
        const char *real = kinds[i].take();
        assert_string_not_equal(real, guess[i]);
        if (kinds[i].opens && kinds[i].opens(guess[i]))
            fail_msg("%s: what was computed opens it", kinds[i].name);
        if (kinds[i].opens &&
            !kinds[i].opens(real)) /* or nothing would have shown that the guess is wrong */
            fail_msg("%s: does not open: %d %s", kinds[i].name, test_status, test_body);
    }
}

static void a_fork_refuses_what_its_sibling_gave(void **state)
{
    open_engine(&served);
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++) {
        test_use(doc);
        uint64_t a = fork_of(test_world, 0), b = fork_of(test_world, 0);
        use(test_engine, a);
        const char *first = kinds[i].take();
        use(test_engine, b);
        const char *second = kinds[i].take();
        assert_string_not_equal(first, second);
        if (kinds[i].opens && kinds[i].opens(first))
            fail_msg("%s: the sibling's opens it", kinds[i].name);
        if (kinds[i].opens && !kinds[i].opens(second))
            fail_msg("%s: does not open", kinds[i].name);
        /* Nor does a fork of a fork have what its parent gives next. */
        use(test_engine, fork_of(b, 0));
        assert_string_not_equal(kinds[i].take(), second);
    }
}

static void forks_that_share_a_secret_do_the_same(void **state)
{
    open_engine(NULL);
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++) {
        test_use(doc);
        uint64_t world = test_world, a = fork_of(world, 0), b = fork_of(world, 0);
        use(test_engine, a);
        const char *first = kinds[i].take();
        use(test_engine, b);
        assert_string_equal(kinds[i].take(), first);
        use(test_engine, fork_of(world, 7)); /* unless it has a seed of its own */
        assert_string_not_equal(kinds[i].take(), first);
    }
}

static void a_reset_gives_the_same_again(void **state)
{
    open_engine(&served);
    test_use(doc);
    const char *first = take_upload();
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    assert_string_equal(take_upload(), first);
}

static const char *key_of(uint64_t world)
{
    struct world *w = world_take(test_engine, world, &test_err);
    assert_non_null(w);
    char hex[2 * sizeof w->secret.key + 1];
    hex_encode(hex, world_secret_own(w)->key, sizeof w->secret.key);
    world_drop(w);
    return arena_strdup(&test_arena, hex);
}

/* Two worlds of one document have equal hashes and no difference, and no bytes of the secret are in
 * what is given of a world. */
static void no_hash_diff_or_dump_has_it(void **state)
{
    char a[65], b[65];
    struct sosia_blob dump, diff, journal;
    open_engine(&served);
    test_use(doc);
    uint64_t other = test_world;
    test_use(doc);
    assert_string_not_equal(key_of(other), key_of(test_world));
    assert_int_equal(sosia_world_hash(test_engine, other, a, &test_err), 0);
    assert_int_equal(sosia_world_hash(test_engine, test_world, b, &test_err), 0);
    assert_string_equal(a, b);
    assert_int_equal(sosia_world_diff(test_engine, other, test_world, &diff, &test_err), 0);
    assert_null(strstr(diff.data, key_of(other)));
    assert_null(strstr(diff.data, key_of(test_world)));
    assert_int_equal(count_at(parsed(diff.data, diff.len), "changes"), 0);
    take_upload();
    assert_int_equal(sosia_world_dump(test_engine, test_world, &dump, &test_err), 0);
    assert_null(strstr(dump.data, key_of(test_world)));
    assert_int_equal(sosia_journal_export(test_engine, test_world, SOSIA_JOURNAL_JSONL, 0, 0,
                                          &journal, &test_err),
                     0);
    assert_null(strstr(journal.data, key_of(test_world)));
    sosia_blob_free(&dump);
    sosia_blob_free(&diff);
    sosia_blob_free(&journal);
}

static bool file_has(const char *path, const char *text)
{
    static char all[1 << 22];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(all, 1, sizeof all, f);
    fclose(f);
    return memmem(all, n, text, strlen(text));
}

static void an_export_has_it_when_it_is_asked_for(void **state)
{
    char path[] = "/tmp/sosia-secrets-XXXXXX";
    uint64_t back;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    open_engine(&served);
    test_use(doc);
    uint64_t world = test_world;
    const char *key = key_of(world);
    assert_int_equal(sosia_world_export(test_engine, world, path, &test_err), 0);
    assert_false(file_has(path, key));
    assert_int_equal(sosia_world_import_secrets(test_engine, path, NULL, &back, &test_err), 0);
    assert_string_not_equal(key_of(back), key);
    assert_int_equal(sosia_world_export_secrets(test_engine, world, path, &test_err), 0);
    assert_true(file_has(path, key));
    /* Who imports a file takes the secret that its author knows by a word only. */
    assert_int_equal(sosia_world_import(test_engine, path, NULL, &back, &test_err), 0);
    assert_string_not_equal(key_of(back), key);
    assert_int_equal(sosia_world_import_secrets(test_engine, path, NULL, &back, &test_err), 0);
    assert_string_equal(key_of(back), key);
    const char *next = take_upload();
    use(test_engine, back);
    assert_string_equal(take_upload(), next);
    use(test_engine, fork_of(back, 0));
    assert_string_not_equal(take_upload(), next);
    unlink(path);
}

static void a_file_with_another_text_for_it_is_refused(void **state)
{
    static const char *const texts[] = {"",        "own",        "own 12",  "mine %s",
                                        "own %s0", "shared  %s", "own %s ", "own g%.31s"};
    const char *key = "00112233445566778899aabbccddeeff";
    uint64_t world;
    open_engine(NULL);
    test_use(doc);
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        const char *text = strstr(texts[i], "%.31s") ? TEXT("own g%.31s", key)
                           : strchr(texts[i], '%')   ? TEXT("%.*s%s%s", (int)strcspn(texts[i], "%"),
                                                            texts[i], key, strchr(texts[i], '%') + 2)
                                                     : texts[i];
        assert_int_equal(test_import_changed(
                             TEXT("insert into meta values ('world.secret', '%s')", text), &world),
                         -1);
        assert_string_equal(test_err.reason, "notAnExport");
    }
    assert_int_equal(
        test_import_changed(TEXT("insert into meta values ('world.secret', 'shared %s')", key),
                            &world),
        0);
}

static void it_is_there_again_after_the_process(void **state)
{
    assert_non_null(mkdtemp(dir));
    const struct sosia_engine_options opt = {.data_dir = dir, .random_secrets = true};
    const struct sosia_engine_options later = {.data_dir = dir};
    open_engine(&opt);
    test_use(doc);
    uint64_t world = test_world, fork = fork_of(world, 0), shared;
    const char *key = key_of(world);
    const char *first = take_upload();
    use(test_engine, fork);
    const char *forks = take_upload();
    sosia_engine_close(engines[--n_engines]);
    /* Whatever the options are by then: they are of new worlds. */
    open_engine(&later);
    use(test_engine, world);
    assert_string_equal(key_of(world), key);
    assert_int_equal(sosia_world_reset(test_engine, world, &test_err), 0);
    assert_string_equal(take_upload(), first);
    use(test_engine, fork);
    assert_int_equal(sosia_world_reset(test_engine, fork, &test_err), 0);
    assert_string_equal(take_upload(), forks);
    test_use(doc);
    shared = test_world;
    key = key_of(shared);
    assert_string_not_equal(take_upload(), first);
    sosia_engine_close(engines[--n_engines]);
    open_engine(&opt);
    assert_string_equal(key_of(shared), key);
    assert_int_equal(system(TEXT("rm -r %s", dir)), 0);
}

static const char *replayed(uint64_t world, uint64_t *ret_world)
{
    struct sosia_blob report;
    const struct sosia_replay_options opt = {.keep = true};
    if (sosia_journal_replay(test_engine, world, &opt, ret_world, &report, &test_err) < 0)
        fail_msg("replay: %s", test_err.text);
    const char *text = arena_memdup(&test_arena, report.data, report.len);
    sosia_blob_free(&report);
    return text;
}

/* In the world, and of what a fork has from its parent. */
static void a_journal_runs_again_to_the_same(void **state)
{
    uint64_t again, before;
    open_engine(&served);
    test_use(doc);
    uint64_t world = test_world;
    take_upload();
    take_link();
    const char *text = replayed(world, &again);
    if (!true_at(parsed(text, strlen(text)), "equal"))
        fail_msg("%s", text);
    assert_string_equal(key_of(again), key_of(world)); /* what comes next is the origin's too */
    uint64_t fork = fork_of(world, 0);
    use(test_engine, fork);
    take_link();
    assert_int_equal(sosia_world_fork_step(test_engine, fork, 1, NULL, &before, &test_err), 0);
    assert_string_not_equal(key_of(before), key_of(world));
    assert_int_equal(sosia_world_drop(test_engine, again, &test_err), 0);
    text = replayed(fork, &again);
    if (!true_at(parsed(text, strlen(text)), "equal"))
        fail_msg("%s", text);
}

static void a_session_is_held_to_who_began_it(void **state)
{
    struct sosia_token_options app = {.actor = ADA, .app = "auto"};
    char other[SOSIA_TOKEN_MAX];
    open_engine(NULL);
    test_use(doc);
    const char *id = take_upload();
    assert_int_equal(put_bytes(id, test_bearer(BOB, NULL)), 404);
    assert_int_equal(
        sosia_token_issue(test_engine, test_world, &app, other, sizeof other, &test_err), 0);
    assert_int_equal(put_bytes(id, TEXT("Bearer %s", other)), 404); /* of another app */
    assert_int_equal(put_bytes(id, "Bearer nobody's"), 401);
    assert_int_equal(put_bytes(id, test_bearer(ADA, NULL)), 200);
    /* Without a token, as clients do it, the session's app goes on. */
    id = begin_upload(TEXT("Bearer %s", other));
    assert_int_equal(put_bytes(id, test_bearer(ADA, NULL)), 404);
    assert_int_equal(put_bytes(id, NULL), 200);
    ask("www.googleapis.com", "GET",
        TEXT("/drive/v3/files/%s?fields=isAppAuthorized",
             text_at(parsed(test_body, test_len), "id")),
        TEXT("Bearer %s", other), NULL, "");
    assert_true(true_at(parsed(test_body, test_len), "isAppAuthorized"));
}

static const char *service_key(void)
{
    struct sosia_blob text;
    if (sosia_credential(test_engine, test_world, "google_service_account", "robot@acme.example",
                         "http://localhost:8787", &text, &test_err) < 0)
        fail_msg("credential: %s", test_err.text);
    const char *id = text_at(parsed(text.data, text.len), "private_key_id");
    sosia_blob_free(&text);
    return id;
}

/* The key that is made for a service account whose own the document does not give. */
static void a_made_key_is_the_worlds_own(void **state)
{
    open_engine(NULL);
    test_use(doc);
    const char *known = service_key();
    test_use(doc);
    assert_string_equal(service_key(), known);
    open_engine(&served);
    test_use(doc);
    const char *own = service_key();
    assert_string_not_equal(own, known);
    assert_string_equal(service_key(), own);
}

static void a_world_is_small(void **state)
{
    assert_true(sizeof(struct world) <= 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_calls_give_the_same_unless_secrets_are_random),
        TEST(what_is_computed_elsewhere_opens_nothing),
        TEST(a_fork_refuses_what_its_sibling_gave),
        TEST(forks_that_share_a_secret_do_the_same),
        TEST(a_reset_gives_the_same_again),
        TEST(no_hash_diff_or_dump_has_it),
        TEST(an_export_has_it_when_it_is_asked_for),
        TEST(a_file_with_another_text_for_it_is_refused),
        TEST(it_is_there_again_after_the_process),
        TEST(a_journal_runs_again_to_the_same),
        TEST(a_session_is_held_to_who_began_it),
        TEST(a_made_key_is_the_worlds_own),
        TEST(a_world_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
