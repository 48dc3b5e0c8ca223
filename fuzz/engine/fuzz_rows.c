/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An exported file that was changed with the sqlite3 shell: changes to single values of a sound
 * world, four bytes each: column, its rest and the row, what comes there (2). What the rules for
 * imported rows take must dump and answer calls, and come back the same from an export.
 *
 * Most inputs change a fork of a world that stays open, and are checked by the rules and the dump
 * only; making a file and importing it takes a hundred times longer than that.
 */
#include "engine/state/exported.h"
#include "fuzz/fuzz.h"
#include <unistd.h>

static const char doc[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":\"a.example\"}],"
    "\"people\":[{\"email\":\"ada@a.example\",\"aliases\":[\"al@a.example\"],\"zone\":\"Europe/"
    "Rome\"},{\"email\":\"bob@a.example\"}],"
    "\"groups\":[{\"email\":\"all@a.example\",\"members\":[\"ada@a.example\"]}],"
    "\"tokens\":[{\"token\":\"fuzz-token\",\"actor\":\"ada@a.example\"}],"
    "\"calendars\":[{\"id\":\"ada@a.example\",\"primary\":true,"
    "\"access\":[{\"role\":\"reader\",\"group\":\"all@a.example\"}],"
    "\"lists\":[{\"person\":\"bob@a.example\",\"name\":\"Ada's\",\"color\":\"8\"}],\"events\":["
    "{\"id\":\"event1\",\"summary\":\"One\",\"start\":\"2026-11-23T10:00\",\"reminders\":[{"
    "\"method\":\"popup\",\"minutes\":5}],\"properties\":{\"a\":\"b\"},"
    "\"attendees\":[\"bob@a.example\",{\"email\":\"eve@b.example\",\"response\":\"accepted\"}]},"
    "{\"id\":\"other1_20261125T090000Z\",\"uid\":\"o@b.example\",\"start\":"
    "\"2026-11-25T10:00\",\"originalStart\":\"2026-11-25T10:00\",\"organizer\":\"eve@b.example\"},"
    "{\"id\":\"days01\",\"summary\":\"Three\",\"start\":\"2026-11-24\",\"end\":\"2026-11-26\"},"
    "{\"id\":\"away01\",\"summary\":\"Away\",\"start\":\"2026-11-27T10:00\",\"kind\":"
    "\"outOfOffice\"},"
    "{\"id\":\"serie1\",\"summary\":\"Two\",\"start\":\"2026-11-23T11:00\",\"zone\":\"Europe/"
    "Rome\",\"recurrence\":[\"RRULE:FREQ=DAILY;COUNT=9\"],\"instances\":[{\"originalStart\":"
    "\"2026-11-25T11:00\",\"start\":\"2026-11-25T16:00\"},{\"originalStart\":\"2026-11-26T11:00\","
    "\"status\":\"cancelled\"}]}]}],"
    "\"mailboxes\":[{\"person\":\"ada@a.example\",\"labels\":[{\"name\":\"Work\"},{\"name\":\"L\"}]"
    ",\"messages\":["
    "{\"id\":\"18c0000000000001\",\"from\":\"Bob <bob@a.example>\",\"to\":\"ada@a.example\","
    "\"subject\":\"Plans\",\"text\":\"Here they are.\",\"attachments\":[{\"filename\":\"plan.csv\","
    "\"type\":\"text/csv\",\"text\":\"a,b\"}],\"labels\":[\"INBOX\",\"UNREAD\",\"Work\"]},"
    "{\"from\":\"ada@a.example\",\"to\":\"eve@b.example\",\"subject\":\"Re: "
    "Plans\",\"text\":\"No.\",\"draft\":\"1\"}]}],"
    "\"gmail\":[{\"person\":\"ada@a.example\",\"filters\":[{\"id\":\"f\",\"criteria\":{\"from\":"
    "\"bob\",\"query\":\"-label:l (a OR \\\"b c\\\")\",\"size\":5,\"sizeComparison\":\"larger\"},"
    "\"action\":{\"addLabelIds\":[\"L\",\"STARRED\"],\"forward\":\"bob@a.example\"}}],"
    "\"forwardingAddresses\":[{\"forwardingEmail\":\"bob@a.example\"}],\"autoForwarding\":{"
    "\"enabled\":true,\"emailAddress\":\"bob@a.example\",\"disposition\":\"archive\"},\"sendAs\":["
    "{\"sendAsEmail\":\"al@a.example\",\"isDefault\":true}],\"delegates\":[{\"delegateEmail\":"
    "\"bob@a.example\"}],\"vacation\":{\"enableAutoReply\":true,\"responseSubject\":\"x\"},"
    "\"imap\":{},\"pop\":{\"accessWindow\":\"allMail\"},\"language\":{\"displayLanguage\":\"en\"},"
    "\"smimeInfo\":[{\"sendAsEmail\":\"ada@a.example\",\"id\":\"1\",\"pem\":\"p\"}],"
    "\"cseKeyPairs\":["
    "{\"keyPairId\":\"k\",\"pem\":\"p\",\"subjectEmailAddresses\":[\"ada@a.example\"]}],"
    "\"cseIdentities\":[{\"emailAddress\":\"ada@a.example\",\"primaryKeyPairId\":\"k\"}],"
    "\"watch\":{\"topic\":\"projects/p1/topics/mail\",\"labelIds\":[\"INBOX\",\"L\"]}}],"
    "\"calendarChannels\":[{\"id\":\"c1\",\"person\":\"ada@a.example\",\"watch\":\"events\","
    "\"calendar\":\"ada@a.example\",\"address\":\"https://a.example/\",\"token\":\"t\"}],"
    "\"driveChannels\":[{\"id\":\"c2\",\"person\":\"bob@a.example\",\"watch\":\"changes\","
    "\"address\":\"https://a.example/\"}]}";

/* The calls in a world that was accepted. */
static const struct {
    const char *method, *target, *body;
} calls[] = {
    {"GET", "/calendar/v3/calendars/primary/events?singleEvents=true&orderBy=startTime", NULL},
    {"GET", "/calendar/v3/calendars/primary/events?showDeleted=true&q=o", NULL},
    {"GET", "/calendar/v3/calendars/primary/events/serie1/instances?showDeleted=true", NULL},
    {"GET", "/calendar/v3/users/me/calendarList?showHidden=true&showDeleted=true", NULL},
    {"GET", "/calendar/v3/calendars/primary/acl?showDeleted=true", NULL},
    {"GET", "/calendar/v3/users/me/settings", NULL},
    {"POST", "/calendar/v3/freeBusy",
     "{\"timeMin\":\"2026-11-20T00:00:00Z\",\"timeMax\":\"2026-12-01T00:00:00Z\",\"items\":[{"
     "\"id\":\"ada@a.example\"},{\"id\":\"bob@a.example\"},{\"id\":\"all@a.example\"}]}"},
    {"PATCH", "/calendar/v3/calendars/primary/events/event1",
     "{\"summary\":\"x\",\"start\":{\"dateTime\":\"2026-11-23T12:00:00Z\"},\"end\":{\"dateTime\":"
     "\"2026-11-23T13:00:00Z\"}}"},
    {"PATCH", "/calendar/v3/calendars/primary/events/serie1",
     "{\"summary\":\"x\",\"start\":{\"dateTime\":\"2026-11-23T12:00:00Z\"},\"end\":{\"dateTime\":"
     "\"2026-11-23T13:00:00Z\"}}"},
    {"POST", "/calendar/v3/calendars/primary/events",
     "{\"summary\":\"x\",\"attendees\":[{\"email\":\"bob@a.example\"}],\"start\":{\"dateTime\":"
     "\"2026-11-24T12:00:00Z\"},\"end\":{\"dateTime\":\"2026-11-24T13:00:00Z\"}}"},
    {"DELETE", "/calendar/v3/calendars/primary/events/serie1", NULL},
    {"GET", "/calendar/v3/calendars/primary/events", NULL},
    {"GET", "/gmail/v1/users/me/labels", NULL},
    {"GET", "/gmail/v1/users/me/messages?q=plans", NULL},
    {"GET", "/gmail/v1/users/me/messages/18c0000000000001", NULL},
    {"GET", "/gmail/v1/users/me/messages/18c0000000000001?format=raw", NULL},
    {"GET", "/gmail/v1/users/me/threads/18c0000000000001", NULL},
    {"GET", "/gmail/v1/users/me/history?startHistoryId=1", NULL},
    {"GET", "/gmail/v1/users/me/drafts", NULL},
    {"POST", "/gmail/v1/users/me/messages/18c0000000000001/modify",
     "{\"addLabelIds\":[\"STARRED\"],\"removeLabelIds\":[\"UNREAD\"]}"},
    {"POST", "/gmail/v1/users/me/messages/18c0000000000001/trash", NULL},
    {"DELETE", "/gmail/v1/users/me/messages/18c0000000000001", NULL},
    {"POST", "/gmail/v1/users/me/messages/import",
     "{\"raw\":"
     "\"RnJvbTogYm9iQGEuZXhhbXBsZQ0KVG86IGFkYUBhLmV4YW1wbGUNClN1YmplY3Q6IGEgYiBjDQoNCngNCg=="
     "\",\"labelIds\":[\"INBOX\"]}"},
    {"GET", "/gmail/v1/users/me/settings/filters", NULL},
    {"GET", "/gmail/v1/users/me/settings/sendAs", NULL},
    {"GET", "/gmail/v1/users/me/settings/sendAs/ada@a.example/smimeInfo", NULL},
    {"GET", "/gmail/v1/users/me/settings/vacation", NULL},
    {"GET", "/gmail/v1/users/me/settings/imap", NULL},
    {"GET", "/gmail/v1/users/me/settings/pop", NULL},
    {"GET", "/gmail/v1/users/me/settings/language", NULL},
    {"GET", "/gmail/v1/users/me/settings/delegates", NULL},
    {"GET", "/gmail/v1/users/me/settings/cse/keypairs", NULL},
    {"GET", "/gmail/v1/users/me/settings/cse/identities", NULL},
    {"DELETE", "/gmail/v1/users/me/settings/forwardingAddresses/bob@a.example", NULL},
};

/* Values that come in place of others. */
static const char *const texts[] = {
    "",
    "x",
    "{}",
    "[]",
    "{\"a\":1}",
    "[{\"method\":\"popup\"}]",
    "[null]",
    "null",
    "UTC",
    "Asia/Kolkata",
    "ada@a.example",
    "@",
    "_",
    "serie1_20261123T100000Z",
    "RRULE:FREQ=SECONDLY",
    "filter",
    "gmail.smime",
    "{\"query\":{\"kind\":\"not\",\"kids\":[{\"kind\":\"label\",\"label\":40}]},\"said\":{\"from\":"
    "\"a\"},"
    "\"add\":[16777226],\"remove\":[]}",
    "{\"on\":true,\"from\":-1,\"text\":\"a\"}",
    "{\"pending\":true,\"asked\":5,\"server\":[]}",
    "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30\nEXDATE:20261123T100000Z",
};
static const int64_t numbers[] = {
    0,
    1,
    2,
    3,
    4,
    5,
    -1,
    64,
    255,
    INT32_MAX,
    INT32_MIN,
    INT64_MAX,
    INT64_MIN,
    INT64_C(253402300799999999),
    INT64_C(-62135596800000000),
    INT64_C(1) << 40,
};

static struct sosia_engine *engine;
static uint64_t base;
static struct tree sound; /* its rows */
static struct slot *slot; /* without triggers, as an importer's connection */
static int64_t clock_us;
static struct {
    char table[40], name[40];
    struct sql_text put, take; /* put: a value in its place; take: the row is deleted */
} columns[512];
static int n_columns;
static struct sql_text *rules; /* of all cores */
static size_t n_rules;
static struct sql_text keys[512]; /* each gives a row if something refers to what is not there */
static size_t n_keys;

static uint8_t *export(uint64_t world, size_t *ret_len)
{
    char path[] = "/tmp/sosia-fuzz-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    MUST(sosia_world_export(engine, world, path, &why));
    FILE *f = fopen(path, "r");
    CHECK(f && fseek(f, 0, SEEK_END) == 0);
    *ret_len = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = sqlite3_malloc64(*ret_len);
    CHECK(bytes && fread(bytes, 1, *ret_len, f) == *ret_len);
    fclose(f);
    unlink(path);
    return bytes;
}

static struct sql_text text_of(char *text)
{
    CHECK(text);
    return (struct sql_text)SQL_TEXT(text);
}

static void find_columns(void)
{
    sqlite3_stmt *st;
    CHECK(sqlite3_prepare_v2(slot_db(slot),
                             "select t.name, c.name from pragma_table_list t, "
                             "pragma_table_xinfo(t.name) c where t.schema = 'main' and "
                             "t.type = 'table' and t.name not like 'sqlite%' order by 1, 2",
                             -1, &st, NULL) == SQLITE_OK);
    for (; sqlite3_step(st) == SQLITE_ROW && n_columns < 512; n_columns++) {
        const char *table = (const char *)sqlite3_column_text(st, 0);
        const char *name = (const char *)sqlite3_column_text(st, 1);
        snprintf(columns[n_columns].table, 40, "%s", table);
        snprintf(columns[n_columns].name, 40, "%s", name);
        columns[n_columns].put = text_of(sqlite3_mprintf(
            "update %s set %s = ?1 where %s is (select %s from %s limit 1 offset ?2)", table, name,
            name, name, table));
        columns[n_columns].take =
            text_of(sqlite3_mprintf("delete from %s where %s is (select %s from %s limit 1 "
                                    "offset ?1)",
                                    table, name, name, table));
    }
    sqlite3_finalize(st);
}

static void find_keys(void)
{
    sqlite3_stmt *st;
    CHECK(sqlite3_prepare_v2(slot_db(slot),
                             "select t.name, k.\"from\", k.\"table\", coalesce(k.\"to\", 'rowid') "
                             "from pragma_table_list t, pragma_foreign_key_list(t.name) k "
                             "where t.schema = 'main' and t.type = 'table'",
                             -1, &st, NULL) == SQLITE_OK);
    while (sqlite3_step(st) == SQLITE_ROW) {
        sqlite3_str *one = sqlite3_str_new(NULL);
        sqlite3_str_appendf(one,
                            "select 1 from \"%w\" c where c.\"%w\" is not null and not exists "
                            "(select 1 from \"%w\" p where p.\"%w\" = c.\"%w\") limit 1",
                            sqlite3_column_text(st, 0), sqlite3_column_text(st, 1),
                            sqlite3_column_text(st, 2), sqlite3_column_text(st, 3),
                            sqlite3_column_text(st, 1));
        CHECK(n_keys < SOSIA_LEN(keys));
        keys[n_keys++] = text_of(sqlite3_str_finish(one));
    }
    sqlite3_finalize(st);
    /* Nor is there a file of another format. */
    static const char format[] = "select 1 where not exists (select 1 from meta where "
                                 "key = 'format' and value = 'sosia 1')";
    CHECK(n_keys < SOSIA_LEN(keys));
    keys[n_keys++] = text_of(sqlite3_mprintf("%s", format));
}

static void find_rules(void)
{
    for (const struct sosia_core **c = engine->cores; *c; c++)
        for (const struct core_rule *r = (*c)->rules; r && r->table; r++) {
            rules = realloc(rules, (n_rules + 1) * sizeof *rules);
            CHECK(rules);
            rules[n_rules++] = text_of(
                sqlite3_mprintf("select 1 from \"%w\" where %s limit 1", r->table, r->broken));
        }
}

static void end(void)
{
    slot_close(slot);
    tree_done(&sound);
}

static void start(void)
{
    struct sosia_world_options opt = {
        .seed_doc = doc, .seed_doc_len = sizeof doc - 1, .clock = SOSIA_CLOCK_FROZEN};
    static uint64_t version;
    engine = fuzz_engine(NULL);
    MUST(sosia_world_create(engine, &opt, &base, &why));
    MUST(slot_open(engine->store, &slot, &why));
    sqlite3_db_config(slot_db(slot), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(slot_db(slot), SQLITE_DBCONFIG_ENABLE_FKEY, 0, NULL);
    struct sosia_err err = {0};
    struct world *w = world_take(engine, base, &err);
    CHECK(w);
    tree_fork(&w->now, &sound);
    clock_us = world_now(w);
    world_drop(w);
    slot_point(slot, &sound, 1, &version);
    MUST(slot_begin(slot, false, &why));
    find_columns();
    find_keys();
    find_rules();
    slot_rollback(slot);
    slot_leave(slot);
    CHECK(atexit(end) == 0);
}

/* A value of another column of the row. */
static void put_other(int at, const char *other, int row)
{
    char text[300];
    sqlite3_stmt *st;
    const char *table = columns[at].table, *name = columns[at].name;
    snprintf(text, sizeof text,
             "update %s set %s = %s where %s is (select %s from %s limit 1 offset %d)", table, name,
             other, name, name, table, row);
    if (sqlite3_prepare_v2(slot_db(slot), text, -1, &st, NULL) != SQLITE_OK)
        return; /* the other column is another table's */
    sqlite3_step(st);
    sqlite3_finalize(st);
}

static void change(const uint8_t *c)
{
    int at = (c[0] | (c[1] & 0xf0) << 4) % n_columns, row = c[1] % 16;
    if (c[2] % 6 == 4) {
        put_other(at, columns[(at + c[3]) % n_columns].name, row);
        return;
    }
    bool goes = c[2] % 6 == 5;
    sqlite3_stmt *st = sql_use(slot, goes ? &columns[at].take : &columns[at].put);
    CHECK(st);
    if (c[2] % 6 == 0)
        sql_bind_text(st, 1, texts[c[3] % SOSIA_LEN(texts)]);
    else if (c[2] % 6 == 1)
        sql_bind_int(st, 1, numbers[c[3] % SOSIA_LEN(numbers)]);
    else if (c[2] % 6 == 2)
        sql_bind_int(st, 1, c[3]);
    sql_bind_int(st, goes ? 1 : 2, row);
    sqlite3_step(st); /* a constraint may refuse it */
    sqlite3_reset(st);
}

static int step_once(struct slot *s, struct sql_text *q)
{
    sqlite3_stmt *st = sql_use(s, q);
    CHECK(st);
    int rc = sqlite3_step(st);
    sqlite3_reset(st);
    return rc;
}

/* Everything that is referred to is there. */
static bool keys_hold(void)
{
    for (size_t i = 0; i < n_keys; i++)
        if (step_once(slot, &keys[i]) != SQLITE_DONE)
            return false;
    return true;
}

/* A tree with the changes; false: there are none, or something refers to what is not there. */
static bool changed(const uint8_t *data, size_t size, struct tree *ret)
{
    static uint64_t version;
    uint64_t mine = version += 2;
    tree_fork(&sound, ret);
    slot_point(slot, ret, 2, &mine);
    int before = sqlite3_total_changes(slot_db(slot));
    MUST(slot_begin(slot, true, &why));
    for (size_t i = 0; i + 4 <= size && i < 64; i += 4)
        change(data + i);
    bool whole = sqlite3_total_changes(slot_db(slot)) != before && keys_hold();
    if (whole)
        MUST(slot_commit(slot, &why));
    else
        slot_rollback(slot);
    slot_leave(slot);
    if (!whole)
        tree_done(ret);
    return whole;
}

/* The checks of an import on the rows. */
static int check_rows(struct tx *tx)
{
    struct json_writer w;
    struct buf out;
    const struct json *read;
    for (size_t i = 0; i < n_rules; i++)
        if (step_once(tx->db, &rules[i]) != SQLITE_DONE)
            return -1;
    for (const struct sosia_core **c = engine->cores; *c; c++)
        if ((*c)->check && (*c)->check(tx) < 0)
            return -1;
    buf_init(&out, 0);
    json_init(&w, &out, false, NULL);
    int rc = dump_all(tx, &w, true);
    if (rc == 0)
        rc = json_parse(tx->arena, out.data, out.len, NULL, &read, tx->err);
    buf_done(&out);
    CHECK(!arena_failed(tx->arena));
    return rc;
}

static int derive_rest(struct tx *tx)
{
    for (const struct sosia_core **c = engine->cores; *c; c++)
        if ((*c)->derive && (*c)->derive(tx) < 0)
            return -1;
    return 0;
}

/* In a stand-in for a world, which keeps what was written. */
static int with_rows(struct tree *t, bool write, int (*run)(struct tx *tx))
{
    static uint64_t version;
    struct world w = {.id = 3, .seed = 1, .version = version += 2, .now = *t};
    struct sosia_err err = {0};
    struct tx tx;
    struct worker *k = worker_take(engine, &err);
    CHECK(k);
    arena_reset(&k->arena);
    MUST(tx_begin(&tx, engine, &w, k, write, clock_us, &why));
    tx.err = &err;
    int rc = run(&tx);
    if (rc == 0 && write)
        MUST(tx_publish(&tx));
    else
        tx_rollback(&tx);
    worker_drop(k);
    *t = w.now;
    return rc;
}

static void ask(uint64_t world, size_t from, size_t n)
{
    struct sosia_header headers[] = {{"Authorization", "Bearer fuzz-token"},
                                     {"Content-Type", "application/json"}};
    for (size_t i = from; n-- > 0; i = (i + 1) % SOSIA_LEN(calls)) {
        struct sosia_response *res;
        struct sosia_request req = {.method = calls[i].method,
                                    .target = calls[i].target,
                                    .headers = headers,
                                    .n_headers = 2,
                                    .body = calls[i].body,
                                    .body_len = calls[i].body ? strlen(calls[i].body) : 0,
                                    .base_url = "http://localhost"};
        struct arena arena;
        const struct json *answer;
        MUST(sosia_call(engine, world, &req, &res, &why));
        arena_init(&arena, 0);
        if (res->body_len)
            MUST(json_parse(&arena, res->body, res->body_len, NULL, &answer, &why));
        arena_done(&arena);
        sosia_response_free(res);
    }
}

/* Through a file and back. */
static void carry(uint64_t world)
{
    struct sosia_blob first, second;
    size_t len;
    uint64_t again;
    MUST(sosia_world_dump(engine, world, &first, &why));
    uint8_t *image = export(world, &len);
    MUST(world_import_image(engine, image, len, NULL, true, &again, &why));
    MUST(sosia_world_dump(engine, again, &second, &why));
    CHECK(strcmp(first.data, second.data) == 0);
    sosia_blob_free(&first);
    sosia_blob_free(&second);
    MUST(sosia_world_drop(engine, again, &why));
}

/* A world of the rows, which takes the tree. */
static uint64_t world_of(struct tree *t)
{
    struct sosia_err err = {0};
    uint64_t id;
    MUST(with_rows(t, true, derive_rest));
    MUST(sosia_world_fork(engine, base, NULL, &id, &why));
    struct world *w = world_take(engine, id, &err);
    CHECK(w);
    tree_done(&w->now);
    w->now = *t;
    w->version++;
    world_drop(w);
    return id;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tree t;
    if (!engine)
        start();
    if (!changed(data, size, &t))
        return 0;
    if (with_rows(&t, false, check_rows) < 0 || !fuzz_turn(data, size, 16)) {
        tree_done(&t);
        return 0;
    }
    uint64_t world = world_of(&t);
    bool all = fuzz_turn(data, size, 1024);
    if (all)
        carry(world);
    ask(world, size ? data[size - 1] % SOSIA_LEN(calls) : 0, all ? SOSIA_LEN(calls) : 1);
    if (fuzz_turn(data, size, 64))
        MUST(sosia_clock_advance(engine, world, INT64_C(86400000000) * 30, &why));
    MUST(sosia_world_drop(engine, world, &why));
    return 0;
}
