/* SPDX-License-Identifier: Apache-2.0 */
/* Host fields and origins: how they are read, and which are this machine's. */
#include "tests/support/unit.h"
#include "server/host.h"

static int parse(const char *text, struct host *h)
{
    return host_parse(text, strlen(text), h);
}

static void well_formed_hosts_are_read(void **state)
{
    static const struct {
        const char *text, *name;
        int port;
    } GOOD[] = {
        {"localhost", "localhost", -1},
        {"LocalHost:80", "localhost", 80},
        {"localhost.", "localhost", -1},
        {"a-b.c_d.e:0", "a-b.c_d.e", 0},
        {"[::1]", "::1", -1},
        {"[0:0::1]:65535", "::1", 65535},
        {"127.0.0.1:1", "127.0.0.1", 1},
        {"[::FFFF:7f00:1]", "::ffff:127.0.0.1", -1},
    };
    struct host h;
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        assert_int_equal(parse(GOOD[i].text, &h), 0);
        assert_string_equal(h.name, GOOD[i].name);
        assert_int_equal(h.port, GOOD[i].port);
    }
}

static void others_are_not(void **state)
{
    static const char *const BAD[] = {
        "",        ".",       "..",       "a..b",    ".a",    "a b", "a/b",  "a@b",       "a:",
        "a:b",     "a:65536", "a:123456", "a:1 ",    "[",     "[]",  "[::1", "[::1]x",    "[::1]:",
        "[::1]:x", "::1",     "[a.b]",    "[::1%1]", "a\xff", "a\n", "a:-1", "[1.2.3.4]",
    };
    struct host h = {.name = "kept"};
    char longest[300];
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++)
        assert_int_equal(parse(BAD[i], &h), -1);
    memset(longest, 'a', sizeof longest);
    assert_int_equal(host_parse(longest, 253, &h), 0);
    strcpy(h.name, "kept");
    assert_int_equal(host_parse(longest, 254, &h), -1);
    assert_int_equal(host_parse("a\0b", 3, &h), -1);
    assert_string_equal(h.name, "kept");
}

static void this_machine_is_known_by_its_names_and_addresses(void **state)
{
    static const char *const YES[] = {"localhost", "x.localhost",     "a.b.LOCALHOST.",
                                      "127.0.0.1", "127.255.255.255", "[::1]"};
    static const char *const NO[] = {
        "localhost.example", "xlocalhost", "126.0.0.1", "128.0.0.1", "0.0.0.0",
        "127.0.0.1.example", "127.1",      "[::2]",     "[::]",      "[::ffff:127.0.0.1]"};
    struct host h;
    for (size_t i = 0; i < sizeof YES / sizeof *YES; i++) {
        assert_int_equal(parse(YES[i], &h), 0);
        assert_true(host_is_loopback(&h));
    }
    for (size_t i = 0; i < sizeof NO / sizeof *NO; i++) {
        assert_int_equal(parse(NO[i], &h), 0);
        assert_false(host_is_loopback(&h));
    }
}

static void a_star_stands_for_what_is_below(void **state)
{
    assert_true(host_matches("*.slack.com", "a.slack.com"));
    assert_true(host_matches("*.slack.com", "a.b.slack.com"));
    assert_false(host_matches("*.slack.com", "slack.com"));
    assert_false(host_matches("*.slack.com", "aslack.com"));
    assert_true(host_matches("slack.com", "SLACK.com"));
    assert_false(host_matches("slack.com", "a.slack.com"));
}

static void origins_have_a_scheme_and_a_host(void **state)
{
    struct host h;
    bool https;
    assert_int_equal(host_parse_origin("https://localhost:8787", &https, &h), 0);
    assert_true(https);
    assert_int_equal(h.port, 8787);
    assert_int_equal(host_parse_origin("HTTP://[::1]", &https, &h), 0);
    assert_false(https);
    assert_int_equal(host_parse_origin("null", &https, &h), -1);
    assert_int_equal(host_parse_origin("http://", &https, &h), -1);
    assert_int_equal(host_parse_origin("http://localhost/", &https, &h), -1);
    assert_int_equal(host_parse_origin("http://a@localhost", &https, &h), -1);
    assert_int_equal(host_parse_origin("file://localhost", &https, &h), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well_formed_hosts_are_read),
        cmocka_unit_test(others_are_not),
        cmocka_unit_test(this_machine_is_known_by_its_names_and_addresses),
        cmocka_unit_test(a_star_stands_for_what_is_below),
        cmocka_unit_test(origins_have_a_scheme_and_a_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
