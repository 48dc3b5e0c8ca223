/* SPDX-License-Identifier: Apache-2.0 */
/* Receivers by name, port and the address that a name leads to. */
#include "tests/support/unit.h"
#include "engine/base/err.h"
#include "server/receiver.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>

static const int own[2] = {8787, -1};

static struct receivers *allowed(const char *const *hosts)
{
    static const int denied[] = {8000, 0};
    const struct server_options o = {.webhook_hosts = hosts, .webhook_denied = denied};
    struct receivers *r = receivers_new(&o, own);
    assert_non_null(r);
    return r;
}

/* Whether a URL is allowed, and to connect where its name leads. */
static bool goes(const struct receivers *r, const char *url, const char *address)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } a = {0};
    socklen_t len = sizeof a.four;
    struct sosia_err err;
    struct receiver to;
    char *port = NULL;
    CURLU *u = curl_url();
    assert_int_equal(curl_url_set(u, CURLUPART_URL, url, 0), CURLUE_OK);
    bool good = receivers_check(r, u, &to, &err) == 0;
    assert_int_equal(curl_url_get(u, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT), CURLUE_OK);
    if (inet_pton(AF_INET, address, &a.four.sin_addr) == 1) {
        a.four.sin_family = AF_INET;
        a.four.sin_port = htons((uint16_t)atoi(port));
    } else {
        assert_int_equal(inet_pton(AF_INET6, address, &a.six.sin6_addr), 1);
        a.six.sin6_family = AF_INET6;
        a.six.sin6_port = htons((uint16_t)atoi(port));
        len = sizeof a.six;
    }
    good = good && receivers_may_connect(r, &to, &a.any, len);
    curl_free(port);
    curl_url_cleanup(u);
    return good;
}

static void loopback_is_allowed_where_nothing_is_said(void **state)
{
    struct receivers *r = allowed(NULL);
    assert_true(goes(r, "http://localhost:3000/", "127.0.0.1"));
    assert_true(goes(r, "http://localhost/", "::1"));
    assert_true(goes(r, "http://a.localhost:1/", "127.0.0.1"));
    assert_true(goes(r, "https://127.1.2.3:3000/", "127.1.2.3"));
    assert_false(goes(r, "http://localhost:3000/", "192.0.2.1"));
    assert_false(goes(r, "http://example.com:3000/", "127.0.0.1"));
    assert_false(goes(r, "http://0.0.0.0:3000/", "0.0.0.0"));
    assert_false(goes(r, "http://[::ffff:127.0.0.1]:3000/", "::ffff:127.0.0.1"));
    receivers_free(r);
}

static void names_and_ports_are_those_of_the_list(void **state)
{
    static const char *const hosts[] = {"app:3000", "all", "each:*", "*.below:9", NULL};
    struct receivers *r = allowed(hosts);
    assert_true(goes(r, "http://app:3000/", "192.0.2.1"));
    assert_false(goes(r, "http://app:3001/", "192.0.2.1"));
    assert_false(goes(r, "http://app/", "192.0.2.1"));
    assert_true(goes(r, "http://all:1/", "192.0.2.1"));
    assert_true(goes(r, "http://each/", "192.0.2.1"));
    assert_true(goes(r, "http://a.below:9/", "192.0.2.1"));
    assert_false(goes(r, "http://below:9/", "192.0.2.1"));
    assert_false(goes(r, "http://localhost:3000/", "127.0.0.1"));
    assert_false(goes(r, "http://127.0.0.1:3000/", "127.0.0.1"));
    receivers_free(r);
}

static void a_name_that_leads_to_this_machine_is_allowed_as_that(void **state)
{
    static const char *const hosts[] = {"*.below:*", "all:*", "app:3000", NULL};
    static const char *const both[] = {"*.below:*", "localhost:3000", NULL};
    static const char *const inward[] = {"127.0.0.1", "127.9.9.9",        "0.0.0.0", "::1",
                                         "::",        "::ffff:127.0.0.1", NULL};
    struct receivers *r = allowed(hosts), *with = allowed(both);
    for (const char *const *a = inward; *a; a++) {
        assert_false(goes(r, "http://a.below:3000/", *a));
        assert_false(goes(r, "http://all:3000/", *a));
        assert_true(goes(r, "http://app:3000/", *a)); /* one name, one port: it is meant */
        assert_true(goes(with, "http://a.below:3000/", *a));
        assert_false(goes(with, "http://a.below:3001/", *a));
    }
    assert_true(goes(r, "http://a.below:3000/", "192.0.2.1"));
    receivers_free(r);
    receivers_free(with);
}

static void ports_of_the_server_and_those_denied_are_none(void **state)
{
    static const char *const hosts[] = {"*.below",        "app:8787",       "app:8000",
                                        "localhost:8787", "localhost:8000", NULL};
    struct receivers *r = allowed(hosts);
    for (int i = 0; i < 2; i++) {
        const char *port = i ? "8000" : "8787";
        char url[64];
        snprintf(url, sizeof url, "http://localhost:%s/", port);
        assert_false(goes(r, url, "127.0.0.1"));
        snprintf(url, sizeof url, "http://app:%s/", port);
        assert_false(goes(r, url, "127.0.0.1"));
        assert_false(goes(r, url, "::1"));
        assert_false(goes(r, url, "::ffff:127.0.0.1"));
        assert_true(goes(r, url, "192.0.2.1")); /* another machine's */
        snprintf(url, sizeof url, "http://a.below:%s/", port);
        assert_false(goes(r, url, "0.0.0.0"));
    }
    receivers_free(r);
}

static void patterns_are_well_formed(void **state)
{
    static const char *const good[] = {"a", "a:1", "a:*", "*.a", "*.a:65535", "127.0.0.1:*", NULL};
    static const char *const bad[] = {"",      "*",   "a:",       "a:0",      "a:65536", "a:x",
                                      "a:1*",  "a/b", "*.",       "**.a",     "a:*:1",   "[::1]:1",
                                      "a b:1", "a.*", "http://a", "a:000001", NULL};
    for (const char *const *p = good; *p; p++)
        assert_true(receiver_is_pattern(*p));
    for (const char *const *p = bad; *p; p++)
        assert_false(receiver_is_pattern(*p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loopback_is_allowed_where_nothing_is_said),
        cmocka_unit_test(names_and_ports_are_those_of_the_list),
        cmocka_unit_test(a_name_that_leads_to_this_machine_is_allowed_as_that),
        cmocka_unit_test(ports_of_the_server_and_those_denied_are_none),
        cmocka_unit_test(patterns_are_well_formed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
