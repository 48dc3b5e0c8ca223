/* SPDX-License-Identifier: Apache-2.0 */
/*
 *     conformance-drive-access [--seed N] [--sequences N] [--steps N] [--control]
 *
 * No caller sees what no grant allows, and every caller sees what one does: after random grants,
 * moves, limits and removals each item is read as each person, and the responses are compared with
 * a reading of the exported rows that shares nothing with the core: it goes from the item upwards,
 * one grantee at a time. --control: some responses are changed as if every person saw everything,
 * which must be caught.
 */
#include "conformance/properties/options.h"
#include "engine/json/json.h"
#include "sosia.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PEOPLE = 5, MAX_ITEMS = 64, MAX_GRANTS = 512 };
enum { SEES = 1, READS, COMMENTS, WRITES, ORGANIZES_FILES, ORGANIZES, OWNS };

static const char *const people[PEOPLE] = {"ada@acme.example", "bob@acme.example",
                                           "cyd@acme.example", "eve@other.example",
                                           "dan@far.example"};
/* Bob and Cyd. */
#define TEAM "team@acme.example"

static const char DOC[] =
    "sosia: 1\ntime: 2026-11-23T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people: [{email: ada@acme.example, name: A}, {email: bob@acme.example, name: B}, {email: "
    "cyd@acme.example, name: C}, {email: eve@other.example, name: E}, {email: dan@far.example, "
    "name: D}]\n"
    "groups: [{email: team@acme.example, name: T, members: [bob@acme.example, "
    "cyd@acme.example]}]\n";

static struct sosia_engine *engine;
static uint64_t world;
static char tokens[PEOPLE][SOSIA_TOKEN_MAX];
static struct arena arena;
static uint64_t dice;
static bool control;
static unsigned asked, listed_items, by_role[OWNS + 1];

static unsigned roll(unsigned n)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (unsigned)(dice % n);
}

static _Noreturn void stop(const char *text)
{
    fprintf(stderr, "%s\n", text);
    exit(2);
}

/* ---- calls ---- */

static int call(int who, const char *method, const char *target, const char *body,
                const struct json **ret)
{
    struct sosia_err err = {0};
    struct sosia_response *answer;
    struct sosia_header headers[] = {
        {"Authorization", arena_printf(&arena, "Bearer %s", tokens[who])},
        {"Content-Type", "application/json"},
    };
    struct sosia_request r = {.method = method,
                              .target = arena_printf(&arena, "/drive/v3%s", target),
                              .headers = headers,
                              .n_headers = 2,
                              .body = body ? body : "",
                              .body_len = body ? strlen(body) : 0};
    if (sosia_call(engine, world, &r, &answer, &err) < 0)
        stop(err.text);
    int status = answer->status;
    const struct json *v = NULL;
    if (answer->body_len)
        json_parse(&arena, answer->body, answer->body_len, NULL, &v, &err);
    if (ret)
        *ret = v;
    sosia_response_free(answer);
    return status;
}

/* ---- the independent reading ---- */

struct row {
    long long id, parent, owner, drive;
    int flags, top;
    char key[64];
};
struct grant_row {
    long long item;
    int kind, role, lowers;
    char who[64];
};
static struct row rows[MAX_ITEMS];
static struct grant_row grants[MAX_GRANTS];
static int n_rows, n_grants;
static long long actor_ids[PEOPLE];

static void each(sqlite3 *db, const char *sql, void (*fn)(sqlite3_stmt *st))
{
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
        stop(sqlite3_errmsg(db));
    while (sqlite3_step(st) == SQLITE_ROW)
        fn(st);
    sqlite3_finalize(st);
}

static void take_item(sqlite3_stmt *st)
{
    if (n_rows == MAX_ITEMS)
        stop("too many items");
    struct row *r = &rows[n_rows++];
    *r = (struct row){sqlite3_column_int64(st, 0),
                      sqlite3_column_int64(st, 1),
                      sqlite3_column_int64(st, 2),
                      sqlite3_column_int64(st, 3),
                      sqlite3_column_int(st, 4),
                      sqlite3_column_int(st, 6),
                      ""};
    snprintf(r->key, sizeof r->key, "%s", (const char *)sqlite3_column_text(st, 5));
}

static void take_grant(sqlite3_stmt *st)
{
    if (n_grants == MAX_GRANTS)
        stop("too many grants");
    struct grant_row *g = &grants[n_grants++];
    *g = (struct grant_row){sqlite3_column_int64(st, 0), sqlite3_column_int(st, 1),
                            sqlite3_column_int(st, 3), sqlite3_column_int(st, 4), ""};
    snprintf(g->who, sizeof g->who, "%s", (const char *)sqlite3_column_text(st, 2));
}

static void take_actor(sqlite3_stmt *st)
{
    for (int i = 0; i < PEOPLE; i++)
        if (strcmp(people[i], (const char *)sqlite3_column_text(st, 1)) == 0)
            actor_ids[i] = sqlite3_column_int64(st, 0);
}

static void read_world(void)
{
    char path[] = "/tmp/sosia-access-XXXXXX";
    struct sosia_err err = {0};
    sqlite3 *db;
    int fd = mkstemp(path);
    if (fd < 0 || sosia_world_export(engine, world, path, &err) < 0)
        stop(err.text);
    close(fd);
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        stop(sqlite3_errmsg(db));
    n_rows = n_grants = 0;
    each(db, "select id, parent, owner, drive, flags, key, top from drive_item where top <> 3",
         take_item);
    each(db,
         "select item, kind, who, role, lowers from drive_grant where view is null and "
         "(expires_us is null or expires_us > 1795420800000000)",
         take_grant);
    each(db, "select id, email from ident_actor where email is not null", take_actor);
    sqlite3_close(db);
    unlink(path);
}

static const struct row *row_of(long long id)
{
    for (int i = 0; i < n_rows; i++)
        if (rows[i].id == id)
            return &rows[i];
    return NULL;
}

/* What one grantee has at an item, from the item upwards. person: whose ownership counts; 0: none.
 */
static int grantee_has(const struct row *item, int kind, const char *who, long long person)
{
    int best = 0, behind = 0;
    bool limited = false;
    for (const struct row *at = item; at; at = row_of(at->parent)) {
        bool stops = false;
        for (int i = 0; i < n_grants; i++) {
            const struct grant_row *g = &grants[i];
            if (g->item != at->id || g->kind != kind || strcmp(g->who, who) != 0)
                continue;
            if (limited && g->role < ORGANIZES)
                behind = g->role > behind ? g->role : behind;
            else if (g->role > best)
                best = g->role;
            stops = g->lowers;
        }
        if (person && at->owner == person) {
            int role = at == item ? OWNS : WRITES;
            /* A folder's owner has what is in it by that, whatever they were granted above it. */
            if (limited)
                behind = role;
            else if (role > best)
                best = role;
        }
        if (stops)
            break;
        limited = limited || at->flags & 2;
    }
    /* A person who is excluded at the folder itself still sees that it is there. */
    return !best && behind && item->flags & 2 ? SEES : best;
}

static int reading(int who, const struct row *item)
{
    const char *email = people[who], *domain = strchr(email, '@') + 1;
    int best = grantee_has(item, 1, email, actor_ids[who]), other;
    if ((who == 1 || who == 2) && (other = grantee_has(item, 2, TEAM, 0)) > best)
        best = other;
    if ((other = grantee_has(item, 3, domain, 0)) > best)
        best = other;
    if ((other = grantee_has(item, 4, "", 0)) > best)
        best = other;
    return best;
}

/* ---- what is done ---- */

static char keys[MAX_ITEMS][64];
static bool folders[MAX_ITEMS];
static int n_keys;

static void make_item(int who, const char *parent, bool folder)
{
    const struct json *v;
    const char *body =
        arena_printf(&arena, "{\"name\":\"x\"%s%s%s%s}",
                     folder ? ",\"mimeType\":\"application/vnd.google-apps.folder\"" : "",
                     parent ? ",\"parents\":[\"" : "", parent ? parent : "", parent ? "\"]" : "");
    if (n_keys == MAX_ITEMS - 8 ||
        call(who, "POST", "/files?supportsAllDrives=true", body, &v) != 200)
        return;
    snprintf(keys[n_keys], sizeof keys[0], "%s", json_get_str(v, "id"));
    folders[n_keys++] = folder;
}

static const char *some_grantee(void)
{
    unsigned n = roll(PEOPLE + 3);
    if (n < PEOPLE - 1)
        return arena_printf(&arena, "\"type\":\"user\",\"emailAddress\":\"%s\"", people[n]);
    if (n == PEOPLE)
        return "\"type\":\"domain\",\"domain\":\"acme.example\"";
    if (n == PEOPLE + 1 && roll(3) == 0)
        return "\"type\":\"anyone\"";
    return "\"type\":\"group\",\"emailAddress\":\"" TEAM "\"";
}

static void share(int who, const char *key)
{
    static const char *const roles[] = {"reader", "commenter", "writer", "reader", "fileOrganizer"};
    call(who, "POST",
         arena_printf(&arena,
                      "/files/%s/permissions?sendNotificationEmail=%s&supportsAllDrives=true", key,
                      "false"),
         arena_printf(&arena, "{\"role\":\"%s\",%s}", roles[roll(5)], some_grantee()), NULL);
}

/* Changes or takes away one of the permissions that the item has, inherited ones too. */
static void change_share(int who, const char *key, bool remove)
{
    const struct json *v;
    if (call(who, "GET", arena_printf(&arena, "/files/%s/permissions?supportsAllDrives=true", key),
             NULL, &v) != 200)
        return;
    const struct json *list = json_get(v, "permissions");
    if (!list || !list->n)
        return;
    const char *target = arena_printf(&arena, "/files/%s/permissions/%s?supportsAllDrives=true",
                                      key, json_get_str(&list->items[roll(list->n)], "id"));
    static const char *const roles[] = {"reader", "commenter", "writer"};
    call(who, remove ? "DELETE" : "PATCH", target,
         remove ? NULL : arena_printf(&arena, "{\"role\":\"%s\"}", roles[roll(3)]), NULL);
}

static void do_something(void)
{
    int who = (int)roll(PEOPLE);
    unsigned at = roll((unsigned)n_keys), to = roll((unsigned)n_keys);
    switch (roll(12)) {
    case 0:
    case 1:
        make_item(who, folders[at] ? keys[at] : NULL, roll(2));
        break;
    case 2:
        call(who, "PATCH",
             arena_printf(&arena, "/files/%s?addParents=%s&supportsAllDrives=true", keys[at],
                          keys[to]),
             "{}", NULL);
        break;
    case 3:
        call(who, "PATCH", arena_printf(&arena, "/files/%s?supportsAllDrives=true", keys[at]),
             roll(2) ? "{\"inheritedPermissionsDisabled\":true}"
                     : "{\"inheritedPermissionsDisabled\":false}",
             NULL);
        break;
    case 4:
        change_share(who, keys[at], true);
        break;
    case 5:
    case 6:
        change_share(who, keys[at], false);
        break;
    case 7:
        call(who, "POST",
             arena_printf(&arena, "/files/%s/permissions?transferOwnership=true", keys[at]),
             arena_printf(&arena, "{\"role\":\"owner\",\"type\":\"user\",\"emailAddress\":\"%s\"}",
                          people[roll(3)]),
             NULL);
        break;
    default:
        share(roll(2) ? 0 : who, keys[at]);
    }
}

/* ---- what is checked ---- */

static bool capability(const struct json *v, const char *name)
{
    return json_get_true(json_get(v, "capabilities"), name);
}

static int wrong(int who, const struct row *item, const char *what, int want, bool got)
{
    printf("%s and %s: %s is %s, and the grants give role %d\n", people[who], item->key, what,
           got ? "so" : "not so", want);
    return -1;
}

static int check_item(int who, const struct row *item)
{
    const struct json *v;
    int want = reading(who, item);
    by_role[want]++;
    int status = call(who, "GET",
                      arena_printf(&arena,
                                   "/files/%s?supportsAllDrives=true&fields=capabilities(canEdit,"
                                   "canComment,canDownload)",
                                   item->key),
                      NULL, &v);
    if (control && ++asked % 50 == 0)
        status = 200;
    if ((status == 200) != (want >= SEES))
        return wrong(who, item, "seen", want, status == 200);
    if (status != 200)
        return 0;
    if (capability(v, "canDownload") != (want >= READS))
        return wrong(who, item, "canDownload", want, capability(v, "canDownload"));
    if (capability(v, "canComment") != (want >= COMMENTS))
        return wrong(who, item, "canComment", want, capability(v, "canComment"));
    if (capability(v, "canEdit") != (want >= WRITES))
        return wrong(who, item, "canEdit", want, capability(v, "canEdit"));
    return 0;
}

/* What they own, what is in a folder of theirs, and what was given to them or to a group of theirs,
 * is among their files without more; what only a link or the domain gives is not, unless it was
 * opened. */
static bool is_theirs(int who, const struct row *item)
{
    return !item->top && (grantee_has(item, 1, people[who], actor_ids[who]) >= READS ||
                          ((who == 1 || who == 2) && grantee_has(item, 2, TEAM, 0) >= READS));
}

static bool is_listed(const struct json *list, const char *key)
{
    for (uint32_t i = 0; list && i < list->n; i++)
        if (strcmp(key, json_get_str(&list->items[i], "id")) == 0)
            return true;
    return false;
}

static int check_list(int who)
{
    const struct json *v;
    int status = call(who, "GET",
                      "/files?corpora=allDrives&includeItemsFromAllDrives=true&supportsAllDrives="
                      "true&pageSize=1000",
                      NULL, &v);
    if (status != 200)
        stop(arena_printf(&arena, "a list of files: %d", status));
    const struct json *list = json_get(v, "files");
    for (int k = 0; k < n_rows; k++) {
        int want = reading(who, &rows[k]);
        bool listed = is_listed(list, rows[k].key);
        if (control && listed && ++asked % 50 == 0)
            listed = false;
        if (listed ? want < SEES : is_theirs(who, &rows[k]))
            return wrong(who, &rows[k], "listed", want, listed);
        listed_items += listed;
    }
    return 0;
}

static int check_world(void)
{
    read_world();
    for (int who = 0; who < PEOPLE; who++) {
        for (int i = 0; i < n_rows; i++)
            if (check_item(who, &rows[i]) < 0)
                return -1;
        if (check_list(who) < 0)
            return -1;
    }
    return 0;
}

static int run_sequence(uint64_t seed, unsigned steps)
{
    struct sosia_world_options opt = {
        .seed_doc = DOC, .seed_doc_len = strlen(DOC), .clock = SOSIA_CLOCK_FROZEN};
    struct sosia_err err = {0};
    const struct json *v;
    int rc = 0;
    dice = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    n_keys = 0;
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        stop(err.text);
    for (int i = 0; i < PEOPLE; i++) {
        struct sosia_token_options who = {.actor = people[i]};
        if (sosia_token_issue(engine, world, &who, tokens[i], sizeof tokens[i], &err) < 0)
            stop(err.text);
    }
    arena_init(&arena, 0);
    make_item(0, NULL, true);
    make_item(0, keys[0], true);
    make_item(1, NULL, true);
    if (call(0, "POST", "/drives?requestId=r", "{\"name\":\"D\"}", &v) == 200) {
        snprintf(keys[n_keys], sizeof keys[0], "%s", json_get_str(v, "id"));
        folders[n_keys++] = true;
        make_item(0, keys[n_keys - 1], true);
    }
    for (unsigned i = 1; rc == 0 && i <= steps; i++) {
        do_something();
        if (i % 8 == 0 || i == steps)
            rc = check_world();
    }
    arena_done(&arena);
    sosia_world_drop(engine, world, &err);
    return rc;
}

int main(int argc, char **argv)
{
    struct sequence_options o = {.seed = 1, .sequences = 30, .steps = 60};
    struct sosia_err err = {0};
    if (sequence_options(argc, argv, &o) < 0)
        return 2;
    control = o.control;
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        stop(err.text);
    int rc = 0;
    for (uint64_t i = 0; rc == 0 && i < o.sequences; i++) {
        rc = run_sequence(o.seed + i, o.steps);
        if (rc < 0)
            printf("sequence %llu\n", (unsigned long long)(o.seed + i));
    }
    sosia_engine_close(engine);
    for (int role = 0; role <= OWNS; role++)
        printf("role %d: %u questions\n", role, by_role[role]);
    printf("listed: %u\n", listed_items);
    if (control)
        return rc < 0 ? 0 : (printf("what was wrong was not caught\n"), 1);
    /* All of it happened: else nothing was shown. */
    for (int role = 0; rc == 0 && o.sequences >= 30 && role <= OWNS; role++)
        if (!by_role[role] || !listed_items)
            rc = -1;
    return rc < 0 ? 1 : 0;
}
