/* SPDX-License-Identifier: Apache-2.0 */
/*
 *     conformance-talk [--seed N] [--sequences N] [--steps N] [--control]
 *
 * A workspace after random calls of three members, a guest and a bot: what they are shown is
 * compared with a reading of the exported rows that shares nothing with the core. No caller sees a
 * channel, message or file that they may not see; pages add up; counters count; a search gives what
 * histories give; a dump comes back. --control: each check in turn is given something wrong, which
 * must be caught.
 */
#include "conformance/properties/options.h"
#include "conformance/properties/talk.h"
#include "tests/support/dose.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_OF(name) #name,
const char *const check_names[CHECK_COUNT] = {CHECKS(TEXT_OF)};

static const char DOC[] =
    "sosia: 1\ntime: 2026-02-15T20:00:00Z\n"
    "people: [{handle: alice, name: A}, {handle: bob, name: B}, {handle: carol, name: C},\n"
    "  {handle: guest, name: G}, {handle: robot, kind: bot, name: R}]\n"
    "apps: [{client_id: '1.2', name: R, vendor: slack, bot: robot}]\n"
    "workspaces:\n"
    "  - {id: T0TALK, domain: talk, members: [{actor: alice, id: U0ALICE, role: owner},\n"
    "     {actor: bob, id: U0BOB}, {actor: carol, id: U0CAROL}, {actor: guest, id: U0GUEST, role: "
    "guest},\n"
    "     {actor: robot, id: U0ROBOT}], apps: [{client_id: '1.2', id: A0ROBOT, bot: B0ROBOT}]}\n"
    "channels:\n"
    "  - {id: C0GENERAL, name: general, general: true, creator: U0ALICE}\n"
    "  - {id: C0DEV, name: dev, members: [U0ALICE, U0BOB, U0ROBOT, U0GUEST]}\n"
    "  - {id: C0SECRET, name: secret, kind: private, members: [U0BOB, U0CAROL]}\n"
    "  - {kind: direct, members: [U0ALICE, U0BOB]}\n"
    "  - {kind: group, members: [U0ALICE, U0BOB, U0GUEST]}\n";

struct sosia_engine *engine;
uint64_t world;
struct arena arena;
int control = -1;
unsigned looked[CHECK_COUNT];
const char *const caller_keys[CALLERS] = {"U0ALICE", "U0BOB", "U0CAROL", "U0GUEST", "U0ROBOT"};

static const char *const handles[CALLERS] = {"alice", "bob", "carol", "guest", "robot"};
static char tokens[CALLERS][SOSIA_TOKEN_MAX];
static uint64_t dice;

unsigned roll(unsigned n)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (unsigned)(dice % n);
}

_Noreturn void stop(const char *text)
{
    fprintf(stderr, "%s\n", text);
    exit(2);
}

const char *ts_of(long long us)
{
    return arena_printf(&arena, "%lld.%06lld", us / 1000000, us % 1000000);
}

bool is_ok(const struct json *answer)
{
    const struct json *ok = json_get(answer, "ok");
    return ok && ok->truth;
}

const struct json *ask(int who, const char *method, const char *form, ...)
{
    struct sosia_err err = {0};
    struct sosia_response *answer;
    const struct json *v = NULL;
    va_list ap;
    va_start(ap, form);
    const char *body = arena_vprintf(&arena, form, ap);
    va_end(ap);
    struct sosia_header headers[] = {
        {"Host", "slack.com"},
        {"Authorization", arena_printf(&arena, "Bearer %s", tokens[who])},
        {"Content-Type", "application/x-www-form-urlencoded"},
    };
    struct sosia_request r = {.method = "POST",
                              .target = arena_printf(&arena, "/api/%s", method),
                              .headers = headers,
                              .n_headers = 3,
                              .body = body,
                              .body_len = strlen(body)};
    if (sosia_call(engine, world, &r, &answer, &err) < 0)
        stop(err.text);
    const char *text = arena_memdup(&arena, answer->body, answer->body_len);
    if (answer->status != 200 || json_parse(&arena, text, answer->body_len, NULL, &v, &err) < 0)
        stop(arena_printf(&arena, "%s %s: %d %s", method, body, answer->status, text));
    sosia_response_free(answer);
    return v;
}

/* ---- the exported rows ---- */

static void each(sqlite3 *db, const char *sql, struct rows *r,
                 void (*fn)(struct rows *r, sqlite3_stmt *st))
{
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK)
        stop(sqlite3_errmsg(db));
    while (sqlite3_step(st) == SQLITE_ROW)
        fn(r, st);
    sqlite3_finalize(st);
}

static void copy(char *to, size_t size, sqlite3_stmt *st, int column)
{
    const char *text = (const char *)sqlite3_column_text(st, column);
    snprintf(to, size, "%s", text ? text : "");
}

static int room_at(const struct rows *r, long long id)
{
    for (int i = 0; i < r->n_rooms; i++)
        if (r->rooms[i].id == id)
            return i;
    return -1;
}

static void take_room(struct rows *r, sqlite3_stmt *st)
{
    if (r->n_rooms == MAX_ROOMS)
        stop("too many channels");
    struct room *k = &r->rooms[r->n_rooms++];
    *k = (struct room){.id = sqlite3_column_int64(st, 0),
                       .kind = sqlite3_column_int(st, 2),
                       .archived = sqlite3_column_int(st, 3),
                       .pins = sqlite3_column_int64(st, 4)};
    copy(k->key, sizeof k->key, st, 1);
}

static void take_said(struct rows *r, sqlite3_stmt *st)
{
    if (r->n_said == MAX_SAID)
        stop("too many messages");
    struct said *m = &r->said[r->n_said++];
    *m = (struct said){.id = sqlite3_column_int64(st, 0),
                       .us = sqlite3_column_int64(st, 1),
                       .thread = sqlite3_column_int64(st, 2),
                       .flags = sqlite3_column_int(st, 3),
                       .pinned = sqlite3_column_int(st, 4),
                       .channel = room_at(r, sqlite3_column_int64(st, 0) >> 43),
                       .text = arena_strdup(&arena, (const char *)sqlite3_column_text(st, 6))};
    copy(m->user, sizeof m->user, st, 5);
}

static void take_member(struct rows *r, sqlite3_stmt *st)
{
    if (r->n_members == MAX_MEMBERS)
        stop("too many members");
    for (int i = 0; i < CALLERS; i++)
        if (strcmp(caller_keys[i], (const char *)sqlite3_column_text(st, 1)) == 0)
            r->members[r->n_members++] =
                (struct member){.room = room_at(r, sqlite3_column_int64(st, 0)),
                                .caller = i,
                                .read_us = sqlite3_column_int64(st, 2)};
}

static void take_mark(struct rows *r, sqlite3_stmt *st)
{
    if (r->n_marks == MAX_DEEDS)
        stop("too many reactions");
    struct mark *m = &r->marks[r->n_marks++];
    m->message = sqlite3_column_int64(st, 0);
    copy(m->name, sizeof m->name, st, 1);
    copy(m->user, sizeof m->user, st, 2);
}

static void take_file(struct rows *r, sqlite3_stmt *st)
{
    if (r->n_files == MAX_DEEDS)
        stop("too many files");
    struct kept *f = &r->files[r->n_files++];
    copy(f->key, sizeof f->key, st, 0);
    copy(f->owner, sizeof f->owner, st, 1);
    f->state = sqlite3_column_int(st, 2);
    f->room =
        sqlite3_column_type(st, 3) == SQLITE_NULL ? -1 : room_at(r, sqlite3_column_int64(st, 3));
}

void read_rows(struct rows *r)
{
    char path[] = "/tmp/sosia-talk-XXXXXX";
    struct sosia_err err = {0};
    sqlite3 *db;
    int fd = mkstemp(path);
    if (fd < 0 || sosia_world_export(engine, world, path, &err) < 0)
        stop(err.text);
    close(fd);
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        stop(sqlite3_errmsg(db));
    memset(r, 0, sizeof *r);
    each(db, "select id, key, kind, archived, pins from chat_channel order by id", r, take_room);
    each(db,
         "select m.id, m.ts_us, coalesce(m.thread, 0), m.flags, m.pinned_by is not null, u.key, "
         "m.text from chat_message m left join chat_user u on u.id = m.user order by m.id",
         r, take_said);
    each(db,
         "select m.channel, u.key, m.read_us from chat_member m join chat_user u on u.id = m.user "
         "order by m.channel, u.key",
         r, take_member);
    each(db,
         "select r.message, r.name, u.key from chat_reaction r join chat_user u on u.id = r.user "
         "where r.message is not null",
         r, take_mark);
    each(db,
         "select f.key, u.key, f.state, s.channel from slack_file f join chat_user u on u.id = "
         "f.user left join slack_share s on s.file = f.id where f.state >= 2 order by f.id",
         r, take_file);
    sqlite3_close(db);
    unlink(path);
}

/* ---- sequences ---- */

static void make_world(void)
{
    struct sosia_world_options opt = {
        .seed_doc = DOC, .seed_doc_len = strlen(DOC), .clock = SOSIA_CLOCK_FROZEN};
    struct sosia_err err = {0};
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        stop(err.text);
    for (int i = 0; i < CALLERS; i++) {
        struct sosia_token_options who = {.actor = handles[i]};
        if (sosia_token_issue(engine, world, &who, tokens[i], sizeof tokens[i], &err) < 0)
            stop(err.text);
    }
}

static int run_sequence(uint64_t seed, unsigned steps)
{
    static struct rows rows;
    struct sosia_err err = {0};
    int rc = 0;
    dice = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    make_world();
    arena_init(&arena, 0);
    read_rows(&rows);
    for (unsigned i = 1; rc == 0 && i <= steps; i++) {
        do_something(&rows);
        if (i % 4 == 0 || i == steps) {
            arena_reset(&arena);
            read_rows(&rows);
        }
        if (i % 40 == 0 || i == steps)
            rc = check_everything(&rows);
    }
    if (rc == 0)
        rc = check_dump();
    arena_done(&arena);
    sosia_world_drop(engine, world, &err);
    return rc;
}

static int run(uint64_t seed, uint64_t sequences, unsigned steps)
{
    int rc = 0;
    for (uint64_t i = 0; rc == 0 && i < sequences; i++)
        if ((rc = run_sequence(seed + i, steps)) < 0)
            printf("sequence %llu\n", (unsigned long long)(seed + i));
    return rc;
}

int main(int argc, char **argv)
{
    struct sequence_options o = {.seed = 1, .sequences = (uint64_t)dose(12, 5), .steps = 160};
    struct sosia_err err = {0};
    int rc = 0;
    if (sequence_options(argc, argv, &o) < 0)
        return 2;
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        stop(err.text);
    for (int i = 0; o.control && i < CHECK_COUNT; i++) {
        control = i;
        if (run(o.seed, o.sequences, o.steps) == 0) {
            printf("%s was wrong and not caught\n", check_names[i]);
            rc = -1;
        }
    }
    if (!o.control) {
        rc = run(o.seed, o.sequences, o.steps);
        for (int i = 0; i < CHECK_COUNT; i++) {
            printf("%s: %u\n", check_names[i], looked[i]);
            if (!looked[i]) /* else nothing was shown */
                rc = -1;
        }
    }
    sosia_engine_close(engine);
    return rc < 0 ? 1 : 0;
}
