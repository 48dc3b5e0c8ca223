/* SPDX-License-Identifier: Apache-2.0 */
/* Slack's search language over a workspace whose messages are named M1 to M17. */
#include "tests/support/slack.h"
#include <stdlib.h>

static const char DOC[] =
    "sosia: 1\n"
    "time: 2026-02-15T20:00:00Z\n"
    "people:\n"
    "  - {email: alice@x.example, name: Alice, zone: America/Los_Angeles}\n"
    "  - {email: bob@x.example, name: Bob Stone}\n"
    "  - {email: carol@x.example, name: Carol Ng}\n"
    "  - {email: dora@x.example, name: Dora}\n"
    "  - {handle: deploybot, kind: bot, name: Deploybot}\n"
    "workspaces:\n"
    "  - id: T1\n"
    "    domain: x\n"
    "    members:\n"
    "      - {actor: alice@x.example, id: U0ALICE, role: owner}\n"
    "      - {actor: bob@x.example, id: U0BOB}\n"
    "      - {actor: carol@x.example, id: U0CAROL}\n"
    "      - {actor: dora@x.example, id: U0DORA}\n"
    "      - {actor: deploybot, id: U0DEPLOY}\n"
    "channels:\n"
    "  - {id: C1, name: general, members: [alice, bob, carol, dora, deploybot]}\n"
    "  - {id: C2, name: dev, members: [alice, bob, carol]}\n"
    "  - {id: C3, name: secret, kind: private, members: [alice]}\n"
    "  - {id: C4, name: vault, kind: private, members: [carol]}\n"
    "  - {id: C5, name: open, members: [carol]}\n"
    "  - {id: C6, name: old, archived: true, members: [bob]}\n"
    "  - {id: D1, kind: direct, members: [alice, bob]}\n"
    "  - {id: D2, kind: direct, members: [bob, carol]}\n"
    "  - {id: C7, name: mpdm-1, kind: group, members: [alice, bob, carol]}\n"
    "chatFiles: [{id: F1, user: alice, name: report-final.pdf, content: x}]\n"
    "messages:\n"
    "  - {channel: C1, from: bob, at: 2026-02-10T18:00:00Z, client: M1, pinned: bob,\n"
    "     text: Quarterly budget review is due Friday, reactions: [{name: eyes, by: [alice]}]}\n"
    "  - {channel: C2, from: carol, at: 2026-02-11T20:00:00Z, client: M2,\n"
    "     text: 'budget draft: <https://example.com/plan>',\n"
    "     replies: [{from: bob, at: 2026-02-11T21:00:00Z, text: 'looks good, ship it', client: "
    "M3}]}\n"
    "  - {channel: C3, from: alice, at: 2026-01-20T19:00:00Z, client: M4,\n"
    "     text: the budget password rotation plan}\n"
    "  - {channel: C4, from: carol, at: 2026-02-01T20:00:00Z, client: M5, text: vault budget "
    "numbers}\n"
    "  - {channel: C5, from: carol, at: 2026-02-02T20:00:00Z, client: M6,\n"
    "     text: open budget discussion}\n"
    "  - {channel: D1, from: bob, at: 2026-02-12T20:00:00Z, client: M7, text: 'lunch budget? "
    ":tada:'}\n"
    "  - {channel: D2, from: bob, at: 2026-02-12T21:00:00Z, client: M8, text: private budget "
    "gossip}\n"
    "  - {channel: C1, from: deploybot, at: 2026-02-13T20:00:00Z, client: M9,\n"
    "     text: Deploy finished for budget-service}\n"
    "  - {channel: C2, from: alice, at: 2026-02-14T20:00:00Z, client: M10, text: final report "
    "attached,\n"
    "     files: [F1]}\n"
    "  - {channel: C1, from: carol, at: 2026-01-01T02:00:00Z, client: M11,\n"
    "     text: happy new year everyone}\n"
    "  - {channel: C6, from: bob, at: 2025-06-01T20:00:00Z, client: M12,\n"
    "     text: archived budget archive}\n"
    "  - {channel: C2, from: carol, at: 2026-02-14T21:00:00Z, client: M13, text: bugdet hints}\n"
    "  - {channel: C2, from: carol, at: 2026-02-14T22:00:00Z, client: M14, text: budget oops}\n"
    "  - {channel: C1, from: dora, at: 2026-02-09T19:00:00Z, client: M15, subtype: channel_join,\n"
    "     text: <@U0DORA> has joined the channel}\n"
    "  - {channel: C1, from: carol, at: 2026-02-09T20:00:00Z, client: M16,\n"
    "     text: hey <@U0ALICE> can you review? thumbs, reactions: [{name: '+1', by: [bob]}]}\n"
    "  - {channel: C7, from: carol, at: 2026-02-10T20:00:00Z, client: M17, text: group dinner "
    "plan}\n";

static int open_search(void **state)
{
    if (slack_open_world(state) < 0)
        return -1;
    test_use(DOC);
    slack("alice@x.example", "stars.add", "channel=C2&timestamp=1771099200.000000");
    assert_slack(NULL);
    slack("carol@x.example", "chat.update", "channel=C2&ts=1771102800.000000&text=planning hints");
    assert_slack(NULL);
    slack("carol@x.example", "chat.delete", "channel=C2&ts=1771106400.000000");
    assert_slack(NULL);
    slack("bob@x.example", "chat.postEphemeral", "channel=C1&user=U0ALICE&text=ephemeral budget");
    assert_slack(NULL);
    return 0;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Which of the messages an answer has, found by channel and ts; sorted unless they are in order. */
static const char *names_of(const struct json *v, bool sorted)
{
    static const struct {
        const char *ts, *name;
    } all[] = {{"1770746400", "M1"},  {"1770840000", "M2"},  {"1770843600", "M3"},
               {"1768935600", "M4"},  {"1769976000", "M5"},  {"1770062400", "M6"},
               {"1770926400", "M7"},  {"1770930000", "M8"},  {"1771012800", "M9"},
               {"1771099200", "M10"}, {"1767232800", "M11"}, {"1748808000", "M12"},
               {"1771102800", "M13"}, {"1771106400", "M14"}, {"1770663600", "M15"},
               {"1770667200", "M16"}, {"1770753600", "M17"}};
    const struct json *list = value_at(v, "messages.matches");
    const char *names[32];
    size_t n = 0;
    struct buf b;
    assert_non_null(list);
    for (uint32_t i = 0; i < list->n; i++)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            if (strncmp(json_get_str(&list->items[i], "ts"), all[k].ts, 10) == 0)
                names[n++] = all[k].name;
    assert_int_equal(n, list->n);
    if (sorted)
        qsort(names, n, sizeof *names, by_text);
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%s", i ? " " : "", names[i]);
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const struct json *ask(const char *form)
{
    return slack("alice@x.example", "search.messages", "query=%s", form);
}

static void questions_find_what_they_say(void **state)
{
    static const char *const table[][2] = {
        {"quarterly", "M1"},
        {"budget", "M1 M12 M2 M4 M6 M7 M9"},
        {"review budget", "M1"},
        {"\"budget review\"", "M1"},
        {"budget OR lunch", ""},
        {"budget NOT draft", ""},
        {"budget -draft", "M1 M12 M4 M6 M7 M9"},
        {"-budget ship", "M3"},
        {"bu*", ""},
        {"plan*", "M13 M17 M2 M4"},
        {"bugdet", ""},
        {"planning", "M13"},
        {"joined", ""},
        {"vault", ""},
        {"archive", "M12"},
        {"from:bob budget", "M1 M12 M7"},
        {"from:<@U0BOB> budget", "M1 M12 M7"},
        {"from:me", "M10 M4"},
        {"to:me", "M17 M7"},
        {"in:general budget", "M1 M9"},
        {"-in:general budget", "M12 M2 M4 M6 M7"},
        {"in:@bob budget", "M7"},
        {"in:secret", "M4"},
        {"has:pin", "M1"},
        {"has:file", "M10"},
        {"has::eyes:", "M1"},
        {"hasmy::eyes:", "M1"},
        {"hasmy::%2B1:", ""},
        {"is:thread in:dev", "M2 M3"},
        {"is:saved", "M10"},
        {"after:2026-02-10 budget", "M2 M7 M9"},
        {"before:2026-02-02 budget", "M12 M4"},
        {"during:january", "M4"},
        {"on:2025-12-31 year", "M11"},
        {"ephemeral", ""},
        {"oops", ""},
        {"gossip", ""},
        {"from:nobody budget", ""},
        {"in:nowhere budget", ""},
        {"has:link", "M2"},
        {"from:\"Bob Stone\" lunch", "M7"},
        {"has:nonsense", ""},
        {"BUDGET REVIEW", "M1"},
        {"budget-service", "M9"},
        {"in:%23general budget", "M1 M9"},
        {"in:<%23C1> budget", "M1 M9"},
        {"from:@carol in:open", "M6"},
        {"-from:bob -from:carol budget", "M4 M9"},
        {"during:2025", "M11 M12"},
        {"during:february is:thread", "M2 M3"},
        {"after:2026-02-13", "M10 M13"},
        {"on:yesterday", "M10 M13"},
        {"before:2026-01-01", "M11 M12"},
        {"has::%2B1:", "M16"},
        {"http", ""},
        {"example.com", "M2"},
        {"to:@bob", "M17"},
        {"quart*", "M1"},
        {"\"new year\" -happy", ""},
        {"\"year new\"", ""},
        {"-has:pin in:general budget", "M9"},
        {"AND", ""},
        {"%F0%9F%8E%89", "M7"},
        {"has:%F0%9F%91%80", "M1"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *names = names_of(ask(table[i][0]), true);
        if (strcmp(names, table[i][1]) != 0)
            fail_msg("%s: %s expected, %s found", table[i][0], table[i][1], names);
    }
}

static void matches_come_in_pages(void **state)
{
    const struct json *v = ask("budget&sort=timestamp");
    assert_string_equal(names_of(v, false), "M9 M7 M2 M1 M6 M4 M12");
    v = ask("budget&sort=timestamp&sort_dir=asc");
    assert_string_equal(names_of(v, false), "M12 M4 M6 M1 M2 M7 M9");
    v = ask("budget&count=3&page=2&sort=timestamp");
    assert_string_equal(names_of(v, false), "M1 M6 M4");
    assert_int_equal(number_at(v, "messages.total"), 7);
    assert_int_equal(number_at(v, "messages.paging.pages"), 3);
    assert_int_equal(number_at(v, "messages.pagination.first"), 4);
    assert_int_equal(number_at(v, "messages.pagination.last"), 6);
    v = ask("budget&count=101");
    assert_int_equal(number_at(v, "messages.paging.count"), 100);
    v = ask("budget&count=4&cursor=*");
    v = ask(arena_printf(&test_arena, "budget&count=4&cursor=%s",
                         text_at(v, "response_metadata.next_cursor")));
    assert_string_equal(names_of(v, false), "M6 M4 M12");
    assert_string_equal(text_at(v, "response_metadata.next_cursor"), "");
}

static void everything_is_searched_at_once(void **state)
{
    const struct json *v = slack("alice@x.example", "search.all", "query=nothingofthekind");
    assert_slack(NULL);
    assert_string_equal(json_to_text(&test_arena, value_at(v, "posts")),
                        "{\"total\":0,\"matches\":[]}");
    assert_int_equal(v->n, 5);
    assert_string_equal(v->members[4].key, "posts");
}

static void hits_are_marked(void **state)
{
    const struct json *v = ask("quarterly&highlight=true");
    assert_string_equal(text_at(v, "messages.matches.0.text"),
                        "\xee\x80\x80Quarterly\xee\x80\x81 budget review is due Friday");
    v = ask("looks");
    assert_string_equal(text_at(v, "messages.matches.0.permalink"),
                        "https://x.slack.com/archives/C2/p1770843600000000"
                        "?thread_ts=1770840000.000000&cid=C2");
}

/* Hits are compared as they are found: without case and accents, by whole words, phrases whole;
 * escapes of texts are not words. */
static void hits_are_marked_where_they_are(void **state)
{
    static const char *const texts[] = {"\xc3\x9c"
                                        "BER den Caf\xc3\xa9s",
                                        "AT%26T zeroed <one> %26 two", "zap *bold* move",
                                        "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
                                        "version 01.2047 zig"};
    static const char *const table[][2] = {
        {"%C3%BCber caf%C3%A9*", "[\xc3\x9c"
                                 "BER] den [Caf\xc3\xa9s]"},
        {"cafes", "\xc3\x9c"
                  "BER den [Caf\xc3\xa9s]"},
        {"at%26t", "[AT&amp;T] zeroed &lt;one&gt; &amp; two"},
        {"%22two%22 one", "AT&amp;T zeroed &lt;[one]&gt; &amp; [two]"},
        {"%22zap bold%22 zap", "[zap *bold]* move"},
        {"%E6%9C%AC", "\xe6\x97\xa5[\xe6\x9c\xac]\xe8\xaa\x9e"},
        {"01.2047 -zag", "version [01.2047] zig"},
        {"amp", ""},
        {"gt", ""},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        slack("alice@x.example", "chat.postMessage", "channel=C2&text=%s", texts[i]);
        assert_slack(NULL);
    }
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct json *v = ask(
            arena_printf(&test_arena, "%s in:dev after:2026-02-14&highlight=true", table[i][0]));
        struct buf b;
        assert_int_equal(number_at(v, "messages.total"), *table[i][1] != 0);
        if (!*table[i][1])
            continue;
        buf_init(&b, 0);
        for (const char *p = text_at(v, "messages.matches.0.text"); *p;) {
            bool mark = strncmp(p, "\xee\x80", 2) == 0;
            buf_byte(&b, mark ? (p[2] == '\x80' ? '[' : ']') : *p);
            p += mark ? 3 : 1;
        }
        assert_string_equal(buf_str(&b), table[i][1]);
        buf_done(&b);
    }
}

static void a_match_has_what_its_message_has(void **state)
{
    const struct json *v = ask("final report");
    assert_slack(NULL);
    assert_string_equal(column(v, "messages.matches.0.files", "name"), "report-final.pdf");
    assert_null(value_at(v, "messages.matches.0.attachments"));
    slack("alice@x.example", "chat.postMessage", "channel=C2&text=zebra&attachments=%s",
          "[{\"text\":\"stripes\"}]");
    assert_slack(NULL);
    v = ask("zebra");
    assert_string_equal(column(v, "messages.matches.0.attachments", "text"), "stripes");
    assert_null(value_at(v, "messages.matches.0.files"));
}

static void bad_questions_are_refused(void **state)
{
    ask("");
    assert_slack("no_query");
    ask("%20");
    assert_slack("no_query");
    slack("deploybot", "search.messages", "query=x");
    assert_slack("not_allowed_token_type");
    const struct json *v =
        slack_scoped("alice@x.example", "users:read", "search.messages", "query=x");
    assert_slack("missing_scope");
    assert_string_equal(text_at(v, "needed"), "search:read");
}

#define search_test(f) cmocka_unit_test_setup_teardown(f, open_search, slack_close_world)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        search_test(questions_find_what_they_say),   search_test(matches_come_in_pages),
        search_test(everything_is_searched_at_once), search_test(hits_are_marked),
        search_test(hits_are_marked_where_they_are), search_test(a_match_has_what_its_message_has),
        search_test(bad_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
