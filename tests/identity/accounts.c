/* SPDX-License-Identifier: Apache-2.0 */
/* Accounts: which a person has by what a document says, what is made for them and once, where an
 * address leads, who sees across vendors when somebody is busy; and views by the account's vendor.
 */
#include "engine/service.h"
#include "engine/state/change.h"
#include "identity/account.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>

/* ---- two vendors with services that write down what is made ---- */

static char made[2000]; /* "ada@acme.example acme mail; " */
static int fail_at;     /* at the n-th; 0: never */

static int make(struct tx *tx, const struct account *a, const struct actor *who,
                const char *service)
{
    static struct sql_text q =
        SQL_TEXT("insert into box (account, service, title) values (:account, :service, 'new')");
    char *end = made + strlen(made);
    if (fail_at && --fail_at == 0)
        return sosia_fail(tx->err, SOSIA_E_INTERNAL, NULL, NULL, "as asked for");
    snprintf(end, (size_t)(made + sizeof made - end), "%s %s %s; ", who->email, a->vendor, service);
    return TX_RUN(tx, &q, a->id, service);
}

static int make_mail(struct tx *tx, const struct account *a, const struct actor *who)
{
    return make(tx, a, who, "mail");
}

static int make_calendar(struct tx *tx, const struct account *a, const struct actor *who)
{
    return make(tx, a, who, "calendar");
}

static int box_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    json_int(w, "id", rowid);
    return 0;
}

static int box_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select title from box where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r == 1) {
        json_str(w, "title", (const char *)sqlite3_column_text(st, 0));
        sql_done(st);
    }
    return r;
}

static int box_vendor(struct tx *tx, int64_t rowid, const char **ret)
{
    static struct sql_text q = SQL_TEXT("select account from box where id = :id");
    struct account a;
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    int64_t account = sqlite3_column_int64(st, 0);
    sql_done(st);
    r = account_get(tx, account, &a);
    if (r == 1)
        *ret = a.vendor;
    return r;
}

static int write_as(struct tx *tx, int64_t rowid, struct json_writer *w, const char *member)
{
    static struct sql_text q = SQL_TEXT("select title from box where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r == 1) {
        json_str(w, member, (const char *)sqlite3_column_text(st, 0));
        sql_done(st);
    }
    return r;
}

static int acme_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                     struct entity_about *about)
{
    return write_as(tx, rowid, w, "acmeTitle");
}

static int globex_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                       struct entity_about *about)
{
    return write_as(tx, rowid, w, "globexTitle");
}

static const struct entity boxes[] = {
    {.name = "box", .table = "box", .key = box_key, .dump = box_dump, .vendor = box_vendor}};
static const struct entity_view acme_views[] = {
    {"box", "acme", acme_view, NULL, .members = "acmeTitle", .vendor = "acme"}, {NULL}};
static const struct entity_view globex_views[] = {
    {"box", "globex", globex_view, NULL, .members = "globexTitle", .vendor = "globex"}, {NULL}};
static const struct provision acme[] = {
    {"acme", ACCOUNT_CALENDAR, "person resource", true, make_calendar},
    {"acme", ACCOUNT_MAIL, "person", true, make_mail},
    {NULL, 0, NULL, false, NULL}};
static const struct provision globex[] = {
    {"globex", ACCOUNT_MAIL, "person", true, make_mail},
    {"globex", ACCOUNT_CALENDAR, "person", false, make_calendar},
    {"globex", ACCOUNT_CHAT, NULL, false, NULL},
    {NULL, 0, NULL, false, NULL}};

static const struct sosia_core acme_core = {
    .name = "acme",
    .schema = "create table box (id integer primary key, account integer not null references "
              "ident_account (id), service text not null, title text not null) strict;",
    .entities = boxes,
    .n_entities = 1,
    .provisions = acme,
    .views = acme_views};
static const struct sosia_core globex_core = {
    .name = "globex", .provisions = globex, .views = globex_views};
static const struct sosia_core *const cores[] = {&identity_core, &acme_core, &globex_core, NULL};
static const struct sosia_service service = {.name = "test", .cores = cores};
static const struct sosia_service *const services[] = {&service, NULL};

static int open_engine(void **state)
{
    return test_open_engine_of(services);
}

static int begin(void **state)
{
    made[0] = 0;
    fail_at = 0;
    return 0;
}

#define PEOPLE                                                                                     \
    "\"organizations\":[{\"domain\":\"acme.example\"},{\"domain\":\"port.example\"}],"             \
    "\"people\":[{\"email\":\"ada@acme.example\",\"aliases\":[\"a@acme.example\"]},"               \
    "{\"email\":\"bob@port.example\"},{\"email\":\"room@acme.example\",\"kind\":\"resource\"},"    \
    "{\"handle\":\"bot\",\"kind\":\"bot\"},{\"handle\":\"nn\"}]"
#define DOC(more) "{\"sosia\":1,\"time\":\"2026-03-12T08:00:00Z\"," PEOPLE more "}"

/* ---- a transaction on a world ---- */

struct open {
    struct worker *worker;
    struct world *world;
    struct tx tx;
};

static void open_tx(struct open *o, uint64_t world)
{
    o->worker = worker_take(test_engine, &test_err);
    o->world = world_take(test_engine, world, &test_err);
    assert_non_null(o->worker);
    assert_non_null(o->world);
    assert_int_equal(
        tx_begin(&o->tx, test_engine, o->world, o->worker, false, world_now(o->world), &test_err),
        0);
}

static void close_tx(struct open *o)
{
    tx_rollback(&o->tx);
    world_drop(o->world);
    worker_drop(o->worker);
}

/* The vendor to whose account an address leads; "" for none. */
static const char *leads_to(uint64_t world, const char *email, enum account_service of)
{
    static char vendor[20];
    struct open o;
    struct actor who;
    struct account a;
    open_tx(&o, world);
    int r = account_by_address(&o.tx, email, of, &who, &a);
    assert_true(r >= 0);
    snprintf(vendor, sizeof vendor, "%s", r ? a.vendor : "");
    close_tx(&o);
    return vendor;
}

static void assert_refused(const char *doc, const char *text)
{
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    uint64_t world;
    assert_int_equal(sosia_world_create(test_engine, &opt, &world, &test_err), -1);
    if (!strstr(test_err.text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, test_err.text);
}

/* Gives the world of the dump. */
static uint64_t assert_dumps_as_it_is(uint64_t world, const char *part)
{
    struct sosia_blob dump;
    uint64_t again;
    assert_int_equal(sosia_world_dump(test_engine, world, &dump, &test_err), 0);
    if (part && !strstr(dump.data, part))
        fail_msg("no %s in %s", part, dump.data);
    if (!part)
        assert_null(strstr(dump.data, "accounts"));
    struct sosia_world_options opt = {.seed_doc = dump.data, .seed_doc_len = dump.len};
    struct sosia_blob second;
    assert_int_equal(sosia_world_create(test_engine, &opt, &again, &test_err), 0);
    assert_int_equal(sosia_world_dump(test_engine, again, &second, &test_err), 0);
    assert_string_equal(dump.data, second.data);
    sosia_blob_free(&dump);
    sosia_blob_free(&second);
    return again;
}

/* ---- tests ---- */

static void who_is_in_no_list_has_the_usual_accounts(void **state)
{
    uint64_t w = test_world_of(DOC(""));
    assert_string_equal(made, "ada@acme.example acme calendar; ada@acme.example acme mail; "
                              "bob@port.example acme calendar; bob@port.example acme mail; "
                              "room@acme.example acme calendar; ");
    assert_string_equal(leads_to(w, "a@acme.example", ACCOUNT_MAIL), "acme");
    assert_string_equal(leads_to(w, "room@acme.example", ACCOUNT_MAIL), "");
    assert_string_equal(leads_to(w, "eve@acme.example", ACCOUNT_MAIL), "");
    assert_dumps_as_it_is(w, NULL);
}

static void a_list_says_which_services_a_person_has(void **state)
{
    uint64_t w = test_world_of(
        DOC(",\"accounts\":[{\"actor\":\"ada@acme.example\",\"vendor\":\"globex\",\"services\":"
            "[\"mail\"]},{\"actor\":\"bob@port.example\",\"vendor\":\"other\",\"id\":\"b1\"}]"));
    assert_string_equal(made, "ada@acme.example globex mail; bob@port.example acme calendar; "
                              "bob@port.example acme mail; room@acme.example acme calendar; ");
    assert_string_equal(leads_to(w, "ada@acme.example", ACCOUNT_CALENDAR), "");
    assert_string_equal(leads_to(w, "ada@acme.example", ACCOUNT_MAIL), "globex");
    assert_dumps_as_it_is(w, "\"services\": [");
}

#define BOTH                                                                                       \
    ",\"accounts\":[{\"actor\":\"ada@acme.example\",\"vendor\":\"globex\"},"                       \
    "{\"actor\":\"ada@acme.example\",\"vendor\":\"acme\"}"

static void a_list_gives_an_actor_what_its_kind_may_have(void **state)
{
    uint64_t w = test_world_of(DOC(",\"accounts\":[{\"actor\":\"room@acme.example\",\"vendor\":"
                                   "\"acme\",\"id\":\"r1\"}]"));
    assert_null(strstr(made, "room@acme.example acme mail"));
    assert_non_null(strstr(made, "room@acme.example acme calendar"));
    assert_dumps_as_it_is(w, "\"id\": \"r1\"\n");
    assert_refused(DOC(",\"accounts\":[{\"actor\":\"room@acme.example\",\"vendor\":\"acme\","
                       "\"services\":[\"mail\"]}]"),
                   "acme has no service \"mail\" for a resource");
}

static void of_several_accounts_the_routing_says_which_one_is_meant(void **state)
{
    uint64_t first = test_world_of(DOC(BOTH "]"));
    assert_string_equal(leads_to(first, "ada@acme.example", ACCOUNT_MAIL), "globex");
    uint64_t routed = test_world_of(DOC(BOTH "],\"mailRouting\":{\"ACME.example\":\"acme\"}"));
    assert_string_equal(leads_to(routed, "ada@acme.example", ACCOUNT_MAIL), "acme");
    assert_string_equal(leads_to(routed, "ada@acme.example", ACCOUNT_CHAT), "globex");
    assert_dumps_as_it_is(routed, "\"mailRouting\": {");
    uint64_t prime = test_world_of(
        DOC(BOTH ",{\"actor\":\"ada@acme.example\",\"vendor\":\"globex\",\"tenant\":\"t\","
                 "\"services\":[\"mail\"],\"mailbox\":\"primary\"}],\"mailRouting\":{\"acme."
                 "example\":\"acme\"}"));
    assert_string_equal(leads_to(prime, "ada@acme.example", ACCOUNT_MAIL), "globex");
    assert_dumps_as_it_is(prime, "\"mailbox\": \"primary\"");
}

static void services_are_made_once(void **state)
{
    static const char more[] =
        "{\"sosia\":1,\"people\":[{\"email\":\"new@acme.example\"}],\"accounts\":[{\"actor\":"
        "\"ada@acme.example\",\"vendor\":\"globex\",\"services\":[\"calendar\"]}]}";
    uint64_t w = test_world_of(DOC(""));
    made[0] = 0;
    assert_int_equal(sosia_world_seed(test_engine, w, more, strlen(more), NULL, &test_err), 0);
    assert_string_equal(made, "ada@acme.example globex calendar; new@acme.example acme calendar; "
                              "new@acme.example acme mail; ");
    made[0] = 0;
    assert_int_equal(sosia_world_seed(test_engine, w, "{\"sosia\":1}", 11, NULL, &test_err), 0);
    assert_string_equal(made, "");
}

static void a_list_names_the_account_that_an_actor_has_already(void **state)
{
    static const char more[] =
        "{\"sosia\":1,\"accounts\":[{\"actor\":\"ada@acme.example\",\"vendor\":\"acme\",\"id\":"
        "\"a1\"},{\"actor\":\"ada@acme.example\",\"vendor\":\"acme\",\"service\":\"mail\","
        "\"id\":\"a2\"}]}";
    uint64_t w = test_world_of(DOC(""));
    made[0] = 0;
    assert_int_equal(sosia_world_seed(test_engine, w, more, strlen(more), NULL, &test_err), 0);
    assert_string_equal(made, "");
    assert_dumps_as_it_is(w, "\"id\": \"a1\"");
    assert_refused(DOC(",\"accounts\":[{\"actor\":\"ada@acme.example\",\"vendor\":\"acme\",\"id\":"
                       "\"1\"},{\"actor\":\"ada@acme.example\",\"vendor\":\"acme\",\"id\":\"2\","
                       "\"services\":[\"mail\"]}]"),
                   "accounts[1].services: another account of the actor has the service \"mail\"");
}

static void what_a_list_may_not_say(void **state)
{
#define ACCOUNT(members)                                                                           \
    DOC(",\"accounts\":[{\"actor\":\"ada@acme.example\",\"vendor\":\"acme\"" members "}]")
    assert_refused(ACCOUNT(",\"services\":[\"fax\"]"),
                   "accounts[0].services: must be of calendar, mail, drive, chat, not \"fax\"");
    assert_refused(ACCOUNT(",\"services\":[\"chat\"]"),
                   "acme has no service \"chat\" for a person");
    assert_refused(ACCOUNT(",\"services\":[\"calendar\"],\"mailbox\":\"primary\""),
                   "accounts[0].mailbox: needs the service mail");
    assert_refused(ACCOUNT(",\"mailbox\":\"second\""), "accounts[0].mailbox");
    assert_refused(ACCOUNT(",\"mailbox\":\"primary\"},{\"actor\":\"ada@acme.example\",\"vendor\":"
                           "\"globex\",\"mailbox\":\"primary\""),
                   "accounts[1].mailbox: another account of the actor is the primary one");
    assert_refused(ACCOUNT("},{\"actor\":\"ada@acme.example\",\"vendor\":\"acme\""),
                   "accounts[1].actor: has such an account already");
    assert_refused(DOC(",\"mailRouting\":{\"acme.example\":\"other\"}"),
                   "mailRouting.acme.example: must be a vendor with mail, not \"other\"");
    assert_refused(DOC(",\"mailRouting\":{\"a b\":\"acme\"}"),
                   "must be a domain name, not \"a b\"");
    assert_refused(DOC(",\"mailRouting\":[]"), "mailRouting: must be an object");
    assert_refused(DOC(",\"freeBusy\":{\"acme.example\":[\"@\"]}"), "must be a domain name");
    assert_refused(DOC(",\"freeBusy\":7"), "freeBusy: must be an object");
    fail_at = 2;
    assert_refused(DOC(""), "as asked for");
}

static int64_t boxed_accounts(uint64_t world)
{
    static struct sql_text q =
        SQL_TEXT("select count(distinct account) from box where id >= :first");
    struct open o;
    int64_t n;
    open_tx(&o, world);
    assert_int_equal(TX_INT(&o.tx, &q, &n, 0), 1);
    close_tx(&o);
    return n;
}

/* n accounts of ada's with globex, each in a tenant of its own. */
static const char *in_tenants(int n, const char *members)
{
    static char doc[200000];
    size_t len = (size_t)snprintf(doc, sizeof doc,
                                  "{\"sosia\":1,\"time\":\"2026-03-12T08:00:00Z\",\"people\":[{"
                                  "\"email\":\"ada@acme.example\"}],\"accounts\":[");
    for (int i = 0; i < n; i++)
        len += (size_t)snprintf(doc + len, sizeof doc - len,
                                "%s{\"actor\":\"ada@acme.example\",\"vendor\":\"globex\","
                                "\"tenant\":\"t%03d\"%s}",
                                i ? "," : "", i, members);
    snprintf(doc + len, sizeof doc - len, "]}");
    return doc;
}

static void each_of_many_accounts_gets_its_services(void **state)
{
    uint64_t w = test_world_of(in_tenants(100, ",\"services\":[\"mail\"]"));
    assert_int_equal(boxed_accounts(w), 100);
    assert_dumps_as_it_is(w, "\"tenant\": \"t099\"");
    assert_refused(in_tenants(1001, ""),
                   "accounts[1000].actor: must have at most 1000 accounts of globex");
}

static void an_account_in_another_tenant_gets_no_second_mailbox(void **state)
{
    uint64_t w = test_world_of(in_tenants(2, ""));
    assert_string_equal(made, "ada@acme.example globex mail; ada@acme.example globex calendar; ");
    assert_dumps_as_it_is(w, "\"chat\"");
    uint64_t all = test_world_of(in_tenants(2, ",\"services\":[\"mail\",\"calendar\",\"chat\"]"));
    assert_int_equal(boxed_accounts(all), 2);
    assert_dumps_as_it_is(all, "\"services\": [");
}

static void a_dump_keeps_the_order_of_accounts_where_it_says_who_is_meant(void **state)
{
    uint64_t w = test_world_of(DOC(BOTH "]"));
    assert_string_equal(leads_to(w, "ada@acme.example", ACCOUNT_MAIL), "globex");
    uint64_t again = assert_dumps_as_it_is(w, "\"globex\"");
    assert_string_equal(leads_to(again, "ada@acme.example", ACCOUNT_MAIL), "globex");
    /* Others are in the order of what they are called. */
    uint64_t named =
        test_world_of(DOC(",\"accounts\":[{\"actor\":\"room@acme.example\",\"vendor\":\"globex\"},"
                          "{\"actor\":\"bot\",\"vendor\":\"globex\"}]"));
    assert_dumps_as_it_is(named, "\"actor\": \"bot\"");
}

static void an_account_beside_the_usual_one_takes_nothing_from_it(void **state)
{
    static const char more[] =
        "{\"sosia\":1,\"accounts\":[{\"actor\":\"ada@acme.example\",\"vendor\":\"globex\","
        "\"services\":[\"calendar\"]}]}";
    uint64_t w = test_world_of(DOC(",\"accounts\":[{\"actor\":\"ada@acme.example\",\"vendor\":"
                                   "\"acme\",\"service\":\"drive\",\"id\":\"a1\"}]"));
    assert_string_equal(leads_to(w, "ada@acme.example", ACCOUNT_MAIL), "acme");
    assert_dumps_as_it_is(w, "\"id\": \"a1\"");
    assert_int_equal(sosia_world_seed(test_engine, w, more, strlen(more), NULL, &test_err), 0);
    uint64_t again = assert_dumps_as_it_is(w, "\"globex\"");
    assert_string_equal(leads_to(again, "ada@acme.example", ACCOUNT_MAIL), "acme");
    assert_string_equal(leads_to(again, "ada@acme.example", ACCOUNT_CALENDAR), "acme");
}

static void rows_that_make_no_sense_are_refused(void **state)
{
    static const char *const changes[] = {
        "update ident_account set made = 16",
        "update ident_account set services = 0 where made > 0",
        "update ident_token set account = (select id from ident_account where name is null and "
        "actor = ident_token.actor)",
    };
    uint64_t world;
    test_world = test_world_of(
        DOC(",\"accounts\":[{\"actor\":\"ada@acme.example\",\"vendor\":\"acme\",\"id\":\"a1\"},"
            "{\"actor\":\"ada@acme.example\",\"vendor\":\"globex\",\"services\":[]}],"
            "\"tokens\":[{\"token\":\"a-token-of-ada\",\"actor\":\"ada@acme.example\","
            "\"account\":{\"vendor\":\"acme\",\"id\":\"a1\"}}]"));
    if (test_import_changed("select 1", &world) < 0)
        fail_msg("refused: %s", test_err.text);
    assert_dumps_as_it_is(world, "a-token-of-ada");
    for (size_t i = 0; i < SOSIA_LEN(changes); i++)
        if (test_import_changed(changes[i], &world) == 0)
            fail_msg("taken: %s", changes[i]);
}

static int sees(uint64_t world, const char *seeing, const char *seen)
{
    struct open o;
    struct actor a, b;
    struct account x, y;
    open_tx(&o, world);
    assert_int_equal(account_by_address(&o.tx, seeing, ACCOUNT_CALENDAR, &a, &x), 1);
    assert_int_equal(account_by_address(&o.tx, seen, ACCOUNT_CALENDAR, &b, &y), 1);
    int r = account_sees_busy(&o.tx, &x, a.email, &y, b.email);
    close_tx(&o);
    return r;
}

static void across_vendors_a_domain_shows_when_it_is_busy_to_those_it_names(void **state)
{
    uint64_t w =
        test_world_of(DOC(",\"accounts\":[{\"actor\":\"bob@port.example\",\"vendor\":\"globex\"}],"
                          "\"freeBusy\":{\"acme.example\":[\"Port.example\",\"other.example\"]}"));
    assert_int_equal(sees(w, "bob@port.example", "ada@acme.example"), 1);
    assert_int_equal(sees(w, "ada@acme.example", "bob@port.example"), 0);
    assert_int_equal(sees(w, "ada@acme.example", "room@acme.example"), 1);
    assert_dumps_as_it_is(w, "\"freeBusy\": {");
}

static void a_diff_shows_a_thing_in_the_terms_of_its_accounts_vendor(void **state)
{
    static const char more[] = "{\"sosia\":1,\"people\":[{\"email\":\"new@acme.example\"}],"
                               "\"accounts\":[{\"actor\":\"ada@acme.example\",\"vendor\":"
                               "\"globex\",\"services\":[\"calendar\"]}]}";
    struct sosia_blob diff;
    uint64_t w = test_world_of(DOC("")), fork;
    assert_int_equal(sosia_world_fork(test_engine, w, NULL, &fork, &test_err), 0);
    assert_int_equal(sosia_world_seed(test_engine, fork, more, strlen(more), NULL, &test_err), 0);
    assert_int_equal(sosia_diff(test_engine, w, fork, NULL, &diff, &test_err), 0);
    assert_non_null(strstr(diff.data, "\"globexTitle\""));
    assert_non_null(strstr(diff.data, "\"acmeTitle\""));
    assert_non_null(strstr(diff.data, "\"service\": \"globex\""));
    sosia_blob_free(&diff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(who_is_in_no_list_has_the_usual_accounts, begin),
        cmocka_unit_test_setup(a_list_says_which_services_a_person_has, begin),
        cmocka_unit_test_setup(a_list_gives_an_actor_what_its_kind_may_have, begin),
        cmocka_unit_test_setup(of_several_accounts_the_routing_says_which_one_is_meant, begin),
        cmocka_unit_test_setup(services_are_made_once, begin),
        cmocka_unit_test_setup(a_list_names_the_account_that_an_actor_has_already, begin),
        cmocka_unit_test_setup(what_a_list_may_not_say, begin),
        cmocka_unit_test_setup(each_of_many_accounts_gets_its_services, begin),
        cmocka_unit_test_setup(an_account_in_another_tenant_gets_no_second_mailbox, begin),
        cmocka_unit_test_setup(a_dump_keeps_the_order_of_accounts_where_it_says_who_is_meant,
                               begin),
        cmocka_unit_test_setup(an_account_beside_the_usual_one_takes_nothing_from_it, begin),
        cmocka_unit_test_setup(rows_that_make_no_sense_are_refused, begin),
        cmocka_unit_test_setup(across_vendors_a_domain_shows_when_it_is_busy_to_those_it_names,
                               begin),
        cmocka_unit_test_setup(a_diff_shows_a_thing_in_the_terms_of_its_accounts_vendor, begin),
    };
    return cmocka_run_group_tests(tests, open_engine, test_close_engine);
}
