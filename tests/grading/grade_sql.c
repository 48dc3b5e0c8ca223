/* SPDX-License-Identifier: Apache-2.0 */
/* Questions in SQL: what they see of a world, and that nothing else is seen, whichever way it is
 * asked for. */
#include "engine/world/engine.h"
#include "tests/support/world.h"
#include <stdio.h>

static const char doc[] =
    "{sosia: 1, time: '2026-11-23T09:00:00', zone: UTC,"
    " organizations: [{domain: acme.example, name: Acme}],"
    " people: [{email: ada@acme.example, name: Ada, zone: Europe/Rome},"
    "          {email: bob@acme.example, name: Bob, zone: America/New_York}],"
    " tokens: [{token: a-secret-token, actor: ada@acme.example}],"
    " calendars: [{id: ada@acme.example, primary: true, events: ["
    "   {id: lunch0, summary: Lunch, start: '2026-11-24T12:00', attendees: [bob@acme.example]},"
    "   {id: review, summary: Review, start: '2026-11-25T12:00'}]}],"
    " mailboxes: [{person: ada@acme.example, labels: [{name: Later}], messages: ["
    "   {id: '1a2072fc1a08096e', from: bob@acme.example, to: ada@acme.example, subject: Plans,"
    "    text: Here., labels: [INBOX, UNREAD, Later]}]}],"
    " files: [{id: 1PlanFile0, name: plan.txt, mime: text/plain, owner: ada@acme.example, content: "
    "'a'}],"
    " workspaces: [{id: T0ACME0001, domain: acme, name: Acme, members: ["
    "   {id: U0ADA00001, actor: ada@acme.example, name: ada},"
    "   {id: U0BOB00001, actor: bob@acme.example, name: bob}]}],"
    " channels: [{id: C0GENERAL1, name: general, general: true}],"
    " messages: [{channel: C0GENERAL1, from: ada@acme.example, at: '2026-11-23T08:00:00Z',"
    "   text: Hello, reactions: [{name: wave, by: [bob@acme.example]}]}]}";

static int open_world(void **state)
{
    (void)state;
    return test_open(doc);
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

/* A suite with a question on its third line; -1: it is refused. */
static int open_suite(const char *sql, const char *is, struct sosia_suite **ret)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 0);
    buf_puts(&b, "{\"version\":\"1\",\"closed\":false,\"assertions\":[\n{\"sql\":\n");
    json_init(&w, &b, false, NULL);
    json_str(&w, NULL, sql);
    buf_printf(&b, ",\"is\":%s}]}", quoted(is));
    int rc = sosia_suite_open(b.data, b.len, "test.json", ret, &test_err);
    buf_done(&b);
    return rc;
}

/* What comes of it, as the first part of the verdict. */
static const struct json *ask(const char *sql, const char *is)
{
    struct sosia_suite *suite;
    struct sosia_blob blob;
    if (open_suite(sql, is, &suite) < 0 ||
        sosia_grade(test_engine, suite, NULL, 0, test_world, &blob, &test_err) < 0)
        fail_msg("%s: %s", sql, test_err.text);
    const struct json *v = parsed(blob.data, blob.len);
    sosia_suite_close(suite);
    sosia_blob_free(&blob);
    return v;
}

static void says(const char *sql, const char *is)
{
    const struct json *v = ask(sql, is);
    if (!true_at(v, "passed"))
        fail_msg("%s: %s", sql, text_at(v, "parts.0.why"));
}

static void refused(const char *sql, const char *why)
{
    struct sosia_suite *suite;
    if (open_suite(sql, "1", &suite) == 0)
        fail_msg("is not refused: %s", sql);
    if (test_err.code != SOSIA_E_INVALID || test_err.line != 3 || !strstr(test_err.text, why) ||
        !strstr(test_err.text, "test.json:3: assertions[0].sql: must "))
        fail_msg("%s: %s", sql, test_err.text);
    assert_string_equal(test_err.reason, "suite");
}

static void a_question_is_about_views(void **state)
{
    (void)state;
    says("select count(*) from events where not copy", "2");
    says("select summary, location from events where id = 'lunch0' and not copy",
         "{'eq':{'summary':'Lunch','location':null}}");
    says("select 1 where 0", "{'exists':false}");
    says("select email from people order by 1", "'ada@acme.example'");
    says("select inbox + unread from mails where not sent and not starred", "2");
    says("select label from mail_labels join mails on mail = id", "'Later'");
    says("select name from files", "'plan.txt'");
    says("select owner from calendars where id = 'ada@acme.example' and zone = 'Europe/Rome'",
         "'ada@acme.example'");
    says("select count(*) from members join channels on channel = id where name = 'general'", "2");
    says("select p.text || ' ' || r.name || ' ' || u.email from posts p join reactions r on "
         "r.channel = p.channel and r.ts = p.ts join users u on u.id = r.user",
         "'Hello wave bob@acme.example'");
    says("select count(*) from attendees, outbox_entries, grants", "0");
}

static void each_view_has_the_columns_that_it_says(void **state)
{
    int n = 0;
    (void)state;
    for (const struct sosia_core *const *c = test_engine->cores; *c; c++) {
        for (const struct question_view *v = (*c)->questions; v && v->name; v++, n++) {
            char sql[500];
            snprintf(sql, sizeof sql, "select count(*) from (select %s from %s)", v->columns,
                     v->name);
            says(sql, "{'gte':0}");
            snprintf(sql, sizeof sql, "select count(*) from (select * from %s)", v->name);
            says(sql, "{'gte':0}");
        }
    }
    assert_true(n >= 14);
}

static void a_question_may_use_what_sql_has(void **state)
{
    (void)state;
    says("with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select "
         "sum(i) from n",
         "15");
    says("with two(email) as (select email from people) select count(*) from two, two t", "4");
    says(" -- a comment\n/* and another */ select max(value) from json_each('[1, 3, 2]');  ", "3");
    says("values (7)", "7");
    says("select date('now')", "'2026-11-23'"); /* the world's */
    says("select id from (select id, row_number() over (order by start desc) as n from events "
         "where not copy) where n = 1",
         "'review'");
    /* Its own names may be those of tables, which are not there for it. */
    says("with ident_token(value) as (select 'mine') select value from ident_token", "'mine'");
    says("select email from (with people(email) as (select 'mine') select email from people)",
         "'mine'");
}

static void nothing_but_views_is_seen(void **state)
{
    static const char *const ways[] = {
        "select value from ident_token",
        "select count(*) from ident_token",
        "select \"value\" from \"ident_token\"",
        "select value from [IDENT_TOKEN]",
        "select value from main.ident_token",
        "select email from people, ident_token",
        "select p.email from people p join ident_token t on t.actor = p.email",
        "select p.email from people p left join ident_token",
        "select (select value from ident_token) from people",
        "select email from people where exists (select 1 from ident_token)",
        "select email from people where email in (select value from ident_token)",
        "select 'x' in ident_token",
        "select email from people order by (select value from ident_token)",
        "select email from people group by email having (select count(*) from ident_token)",
        "select email from people limit (select count(*) from ident_token)",
        "select 1 union all select value from ident_token",
        "select 1 except select value from ident_token",
        "values ((select value from ident_token))",
        "with x as (select value from ident_token) select * from x",
        "with x(v) as (select 1), y as (select value from ident_token) select v from x, y",
        "with recursive x(v) as (select value from ident_token union select v from x) select v "
        "from x",
        "select v from (select value as v from ident_token)",
        "select email from (with people as (select value as email from ident_token) select email "
        "from people)",
        "select email from (with people(email) as (select value from ident_token) select email "
        "from people), events",
        "select sum(1) over (partition by (select value from ident_token)) from people",
    };
    static const char *const others[][2] = {
        {"select sql from sqlite_master", "\"sqlite_master\""},
        {"select count(*) from sqlite_schema", "\"sqlite_schema\""},
        {"select 1 from main.sqlite_master", "sqlite_master"},
        {"select name from sqlite_temp_master", "\"sqlite_temp_master\""},
        {"select name from pragma_table_list", "\"pragma_table_list\""},
        {"select count(*) from pragma_table_info('ident_token')", "\"pragma_table_info\""},
        {"select p.name from people, pragma_table_info(people.name) p", "\"pragma_table_info\""},
        {"select * from pragma_database_list", "\"pragma_database_list\""},
        {"select * from mail_words", "\"mail_words\""},
        {"select * from main.people", "\"main.people\""},
        {"select * from temp.people", "\"temp.people\""},
        {"select * from dbstat", "\"dbstat\""},
        {"select * from sqlite_stmt", "\"sqlite_stmt\""},
        {"select * from bytecode('select 1')", "\"bytecode\""},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(ways); i++)
        refused(ways[i], "must be about views, not about \"");
    for (size_t i = 0; i < SOSIA_LEN(others); i++)
        refused(others[i][0], others[i][1]);
}

static void a_question_only_reads(void **state)
{
    static const char *const more[] = {
        "select 1; select 2",        "select 1; drop table ident_actor",
        "select 1; attach 'x' as y", "select 1; pragma user_version = 3",
        "select 1;; select 2",       "with x as (select 1) select * from x; delete from people",
    };
    (void)state;
    refused("attach 'x' as y", "must begin with select, values or with, does not");
    refused("pragma table_info('ident_token')", "must begin with");
    refused("delete from ident_actor", "must begin with");
    refused("explain select 1", "must begin with");
    refused("", "must not be empty");
    for (size_t i = 0; i < SOSIA_LEN(more); i++)
        refused(more[i], "must be one question that only reads");
    refused("with x as (select 1) delete from ident_actor", "not about \"ident_actor\"");
    refused("with x as (select 1) update people set email = 1", "not about \"people\"");
    refused("with x as (select 1) insert into sqlite_master values (1)", "only reads");
    refused("with people as (select 1) select * from people", "duplicate WITH table name");
    refused("select none_such", "no such column: none_such");
    refused("select value from people", "no such column: value");
    refused("select rowid from people", "no such column: rowid");
    refused("select", "incomplete input");
    refused("with", "incomplete input");
    refused("select * from people('x')", "not a function");
}

/* The same world and suite give the same verdict. */
static void a_question_depends_on_the_world_alone(void **state)
{
    static const char *const calls[] = {"random()",  "randomblob(4)",   "last_insert_rowid()",
                                        "changes()", "total_changes()", "sqlite_version()"};
    char sql[100];
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(calls); i++) {
        snprintf(sql, sizeof sql, "select 1 from people where 'x' <> %s", calls[i]);
        refused(sql, "must depend on the world alone, not ");
    }
    /* The time is the world's, and there is no zone but UTC. */
    assert_true(true_at(ask("select datetime('now')", "{'starts_with':'2026-11-23 '}"), "passed"));
    assert_true(true_at(ask("select current_date", "'2026-11-23'"), "passed"));
#ifdef SOSIA_SQLITE_BUNDLED
    static const char *const zones[] = {"localtime", "utc"};
    for (size_t i = 0; i < SOSIA_LEN(zones); i++) {
        snprintf(sql, sizeof sql, "select datetime(0, 'unixepoch', '%s')", zones[i]);
        assert_non_null(strstr(text_at(ask(sql, "1"), "parts.0.why"), "local time unavailable"));
    }
#endif
}

static void a_question_ends(void **state)
{
    (void)state;
    const struct json *v = ask("with recursive n(i) as (select 1 union all select i + 1 from n) "
                               "select max(i) from n",
                               "1");
    assert_non_null(strstr(text_at(v, "parts.0.why"), "20 million steps"));
    v = ask("select length(zeroblob(2000000000))", "1");
    assert_non_null(strstr(text_at(v, "parts.0.why"), "at most 256 KiB"));
}

/* A name with a number in the place of its #. */
static const char *spell(const char *spelling, int n)
{
    size_t at = strcspn(spelling, "#");
    return arena_printf(&test_arena, "%.*s%d%s", (int)at, spelling, n, spelling + at + 1);
}

/* Each expression names the one before it twice, in two spellings. */
static const char *doubled(int depth, const char *const spellings[3])
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "with %s(x) as (select 1)", spell(spellings[0], 0));
    for (int i = 1; i <= depth; i++)
        buf_printf(&b,
                   ", %s(x) as not materialized (select p.x from %s p, (select * from /* */%s))",
                   spell(spellings[0], i), spell(spellings[1], i - 1), spell(spellings[2], i - 1));
    buf_printf(&b, " select x from %s", spell(spellings[1], depth));
    const char *text = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void a_short_question_does_not_become_a_long_one(void **state)
{
    static const char *const spellings[][3] = {
        {"a#", "a#", "a#"},
        {"a#", "A#", "\"a#\""},
        {"[a\"#]", "`a\"#`", "\"a\"\"#\""},
        {"\"a b#\"", "[a b#]", "'a b#'"},
        {"\xc3\xa4#", "\xc3\xa4#", "[\xc3\xa4#]"},
    };
    struct sosia_suite *suite;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(spellings); i++) {
        if (open_suite(doubled(6, spellings[i]), "1", &suite) < 0)
            fail_msg("%s", test_err.text);
        sosia_suite_close(suite);
        refused(doubled(40, spellings[i]), "at most 1000 copies");
    }
    /* Views too: what they are made of may have the name of an expression. */
    refused("with cal_event as (select * from mails, mails, mails, mails, mails, mails, mails, "
            "mails, mails, mails), mail_message as (select * from posts, posts, posts, posts, "
            "posts, posts, posts, posts, posts, posts), chat_message as (select * from files, "
            "files, files, files, files, files, files, files, files, files), drive_item as (select "
            "* from people, people, people, people, people, people, people, people, people, "
            "people) select 1 from events, events, events",
            "at most 1000 copies");
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "with a as (select 1)");
    for (int i = 0; i < 64; i++)
        buf_printf(&b, ", a%d as (select 1)", i);
    buf_puts(&b, " select * from a");
    refused(buf_str(&b), "at most 64 common table expressions");
    buf_done(&b);
}

#define test(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_question_is_about_views),
        test(each_view_has_the_columns_that_it_says),
        test(a_question_may_use_what_sql_has),
        test(nothing_but_views_is_seen),
        test(a_question_only_reads),
        test(a_question_depends_on_the_world_alone),
        test(a_question_ends),
        test(a_short_question_does_not_become_a_long_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
