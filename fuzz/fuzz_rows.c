/* SPDX-License-Identifier: Apache-2.0 */
/* An exported file in the hands of somebody with the sqlite3 shell: changes to single values of a
 * sound export, four bytes each: column, its rest and the row, what comes there (2). What is taken
 * must dump, come back the same from an export of its own, and answer calls. */
#include "engine/world/exported.h"
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
    "\"cseIdentities\":[{\"emailAddress\":\"ada@a.example\",\"primaryKeyPairId\":\"k\"}]}]}";

/* What is asked of a world that was taken. */
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
static uint8_t *sound;
static size_t sound_len;
static struct {
    char table[40], name[40];
} columns[512];
static int n_columns;

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

static sqlite3 *open_copy(void)
{
    sqlite3 *db;
    uint8_t *image = sqlite3_malloc64(sound_len);
    CHECK(image && sqlite3_open(":memory:", &db) == SQLITE_OK);
    memcpy(image, sound, sound_len);
    CHECK(sqlite3_deserialize(db, "main", image, (sqlite3_int64)sound_len, (sqlite3_int64)sound_len,
                              SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) ==
          SQLITE_OK);
    return db;
}

static void start(void)
{
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    uint64_t world;
    sqlite3_stmt *st;
    MUST(sosia_engine_open(NULL, &engine, &why));
    MUST(sosia_world_create(engine, &opt, &world, &why));
    sound = export(world, &sound_len);
    MUST(sosia_world_drop(engine, world, &why));
    sqlite3 *db = open_copy();
    CHECK(sqlite3_prepare_v2(db,
                             "select t.name, c.name from pragma_table_list t, "
                             "pragma_table_xinfo(t.name) c where t.schema = 'main' and "
                             "t.name not like 'sqlite%' order by 1, 2",
                             -1, &st, NULL) == SQLITE_OK);
    while (sqlite3_step(st) == SQLITE_ROW && n_columns < 512) {
        snprintf(columns[n_columns].table, 40, "%s", sqlite3_column_text(st, 0));
        snprintf(columns[n_columns++].name, 40, "%s", sqlite3_column_text(st, 1));
    }
    sqlite3_finalize(st);
    sqlite3_close(db);
}

static void change(sqlite3 *db, const uint8_t *c)
{
    char text[300];
    sqlite3_stmt *st;
    int at = (c[0] | (c[1] & 0xf0) << 4) % n_columns;
    const char *table = columns[at].table, *name = columns[at].name;
    const char *other = columns[(at + c[3]) % n_columns].name;
    if (c[2] % 6 == 4) /* another column of the row */
        snprintf(text, sizeof text,
                 "update %s set %s = %s where %s is (select %s from %s limit 1 offset ?2)", table,
                 name, other, name, name, table);
    else if (c[2] % 6 == 5)
        snprintf(text, sizeof text,
                 "delete from %s where %s is (select %s from %s limit 1 offset ?2)", table, name,
                 name, table);
    else
        snprintf(text, sizeof text,
                 "update %s set %s = ?1 where %s is (select %s from %s limit 1 offset ?2)", table,
                 name, name, name, table);
    if (sqlite3_prepare_v2(db, text, -1, &st, NULL) != SQLITE_OK)
        return; /* the other column is another table's */
    if (c[2] % 6 == 0)
        sqlite3_bind_text(st, 1, texts[c[3] % SOSIA_LEN(texts)], -1, SQLITE_STATIC);
    else if (c[2] % 6 == 1)
        sqlite3_bind_int64(st, 1, numbers[c[3] % SOSIA_LEN(numbers)]);
    else if (c[2] % 6 == 2)
        sqlite3_bind_int64(st, 1, c[3]);
    sqlite3_bind_int(st, 2, c[1] % 16);
    sqlite3_step(st);
    sqlite3_finalize(st);
}

static void ask(uint64_t world)
{
    struct sosia_header headers[] = {{"Authorization", "Bearer fuzz-token"},
                                     {"Content-Type", "application/json"}};
    for (size_t i = 0; i < SOSIA_LEN(calls); i++) {
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

static void look(uint64_t world)
{
    struct sosia_blob first, second;
    size_t len;
    uint64_t again;
    MUST(sosia_world_dump(engine, world, &first, &why));
    uint8_t *image = export(world, &len);
    MUST(world_import_image(engine, image, len, NULL, &again, &why));
    MUST(sosia_world_dump(engine, again, &second, &why));
    CHECK(strcmp(first.data, second.data) == 0);
    sosia_blob_free(&first);
    sosia_blob_free(&second);
    MUST(sosia_world_drop(engine, again, &why));
    ask(world);
    MUST(sosia_clock_mode(engine, world, SOSIA_CLOCK_FROZEN, 0, &why));
    MUST(sosia_clock_advance(engine, world, INT64_C(86400000000) * 30, &why));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sosia_err err = {0};
    sqlite3_int64 len;
    uint64_t world = 0;
    if (!engine)
        start();
    sqlite3 *db = open_copy();
    sqlite3_exec(db, "begin", NULL, NULL, NULL);
    for (size_t i = 0; i + 4 <= size && i < 64; i += 4)
        change(db, data + i);
    CHECK(sqlite3_exec(db, "commit", NULL, NULL, NULL) == SQLITE_OK);
    uint8_t *image = sqlite3_serialize(db, "main", &len, 0);
    CHECK(image);
    sqlite3_close(db);
    if (world_import_image(engine, image, (size_t)len, NULL, &world, &err) < 0) {
        CHECK(err.code == SOSIA_E_INVALID && *err.text && !world);
        return 0;
    }
    look(world);
    MUST(sosia_world_drop(engine, world, &why));
    return 0;
}
