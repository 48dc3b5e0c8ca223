/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/signin.h"
#include <stdio.h>

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-03-12T08:00:00Z\",\n"
    "\"organizations\":[{\"domain\":\"acme.example\",\"name\":\"Acme\"},"
    "{\"domain\":\"other.example\",\"name\":\"Other\"}],\n"
    "\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada "
    "<b>Love\",\"zone\":\"Europe/Rome\"},"
    "{\"email\":\"bob@acme.example\",\"name\":\"Bob Stone\",\"zone\":\"Europe/Rome\"},"
    "{\"email\":\"eve@other.example\",\"name\":\"Eve\",\"zone\":\"UTC\"},"
    "{\"email\":\"robot@acme.example\",\"name\":\"Robot\",\"kind\":\"service\"},"
    "{\"email\":\"plain@acme.example\",\"name\":\"Plain\",\"kind\":\"service\"}],\n"
    "\"tokens\":[{\"token\":\"fixed-token\",\"actor\":\"ada@acme.example\"}],\n"
    "\"oauth_clients\":["
    "{\"client_id\":\"auto\",\"client_secret\":\"s1\",\"name\":\"Auto\",\"kind\":\"web\","
    "\"redirect_uris\":[\"https://app.example/cb\"],\"automatic\":\"ada@acme.example\"},"
    "{\"client_id\":\"desk\",\"client_secret\":\"s2\",\"name\":\"A "
    "<i>Desk\",\"kind\":\"installed\"},"
    "{\"client_id\":\"tele\",\"client_secret\":\"s3\",\"name\":\"Tele\",\"kind\":\"tv\"}],\n"
    "\"oauth_refresh_tokens\":[{\"token\":\"1//old-token\",\"client_id\":\"desk\","
    "\"actor\":\"bob@acme.example\",\"scopes\":\"" CALENDAR "\"}],\n"
    "\"service_accounts\":[{\"email\":\"robot@acme.example\",\"client_id\":\"111\","
    "\"delegation\":\"" CALENDAR "\"},{\"email\":\"plain@acme.example\",\"client_id\":\"112\"}]}";

char test_form[4096];

int make_world(void **state)
{
    test_world = test_world_of(DOC);
    return 0;
}

void send_request(const char *method, const char *target, const char *type, const char *body,
                  const char *auth)
{
    struct sosia_header headers[2];
    struct sosia_request r = {.method = method,
                              .target = target,
                              .headers = headers,
                              .body = body,
                              .body_len = body ? strlen(body) : 0,
                              .base_url = "http://localhost:8787"};
    if (type)
        headers[r.n_headers++] = (struct sosia_header){"Content-Type", type};
    if (auth)
        headers[r.n_headers++] = (struct sosia_header){"Authorization", auth};
    test_call(test_world, &r);
}

void get(const char *target)
{
    send_request("GET", target, NULL, NULL, NULL);
}

void post(const char *target, const char *form)
{
    send_request("POST", target, "application/x-www-form-urlencoded", form, NULL);
}

void post_from(const char *target, const char *text, const char *origin)
{
    const struct sosia_header headers[] = {{"Content-Type", "application/x-www-form-urlencoded"},
                                           {"Origin", origin}};
    const struct sosia_request r = {.method = "POST",
                                    .target = target,
                                    .headers = headers,
                                    .n_headers = origin ? 2 : 1,
                                    .body = text,
                                    .body_len = strlen(text),
                                    .base_url = "http://localhost:8787"};
    test_call(test_world, &r);
}

const char *member(const char *name)
{
    static char texts[4][4096];
    static int at;
    char key[64];
    char *text = texts[at++ % 4];
    snprintf(key, sizeof key, "\"%s\": \"", name);
    const char *p = strstr(test_response->body, key);
    text[0] = 0;
    if (p)
        sscanf(p + strlen(key), "%4095[^\"]", text);
    return text;
}

const char *location_param(const char *name)
{
    static char texts[4][1024];
    static int at;
    char key[64];
    char *text = texts[at++ % 4];
    snprintf(key, sizeof key, "%s=", name);
    const char *p = strstr(test_header("Location"), key);
    text[0] = 0;
    if (p)
        sscanf(p + strlen(key), "%1023[^&]", text);
    return text;
}

void agree(const char *page, const char *target, const char *text)
{
    static char whole[8192];
    get(page);
    const char *p = strstr(test_response->body, "name=\"sosia_nonce\" value=\"");
    assert_non_null(p);
    p += strlen("name=\"sosia_nonce\" value=\"");
    snprintf(whole, sizeof whole, "%s&sosia_nonce=%.*s", text, (int)strcspn(p, "\""), p);
    post(target, whole);
}

void expect(int status, const char *error, const char *description)
{
    if (test_response->status != status || strcmp(member("error"), error) != 0 ||
        strcmp(member("error_description"), description) != 0)
        fail_msg("%d %s", test_response->status, test_response->body);
}

int use_token(const char *token)
{
    char auth[8192];
    snprintf(auth, sizeof auth, "Bearer %s", token);
    send_request("GET", "/oauth2/v2/userinfo", NULL, NULL, auth);
    return test_response->status;
}
