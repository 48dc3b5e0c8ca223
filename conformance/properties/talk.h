/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of conformance-talk: calls of four people and a bot, and the exported rows. */
#ifndef SOSIA_TALK_H
#define SOSIA_TALK_H

#include "engine/json/json.h"
#include "sosia.h"

enum { ALICE, BOB, CAROL, GUEST, BOT, CALLERS };
enum { MAX_ROOMS = 64, MAX_SAID = 1024, MAX_MEMBERS = 256, MAX_DEEDS = 2048 };
enum { PUBLIC, PRIVATE, DIRECT, GROUP };

/* What is looked at. With --control one of them is given something else now and then, which must be
 * caught. */
/* clang-format off */
#define CHECKS(X)                                                                                  \
    X(SEEN) X(MEMBERS) X(HISTORY) X(WINDOW) X(REPLIES) X(PERMALINK) X(PINS) X(UNREAD) X(REACTED)   \
    X(SEARCH) X(FILES) X(DUMP)
/* clang-format on */
#define NAME_OF(name) CHECK_##name,
enum check { CHECKS(NAME_OF) CHECK_COUNT };
extern const char *const check_names[CHECK_COUNT];

struct room {
    long long id, pins;
    int kind;
    bool archived;
    char key[24];
};
struct said { /* a message; channel: of rooms */
    long long id, us, thread;
    int flags, channel, pinned;
    char user[24];
    const char *text;
};
struct member {
    int room, caller;
    long long read_us;
};
struct mark { /* a reaction */
    long long message;
    char name[24], user[24];
};
struct kept { /* a file, or where it is to be had: room -1 for its owner alone */
    char key[24], owner[24];
    int room, state;
};
struct rows {
    struct room rooms[MAX_ROOMS];
    struct said said[MAX_SAID]; /* by channel and time */
    struct member members[MAX_MEMBERS];
    struct mark marks[MAX_DEEDS];
    struct kept files[MAX_DEEDS];
    int n_rooms, n_said, n_members, n_marks, n_files;
};

extern struct sosia_engine *engine;
extern uint64_t world;
extern struct arena arena;
extern int control; /* the check that lies; -1: none */
extern unsigned looked[CHECK_COUNT];
extern const char *const caller_keys[CALLERS];

unsigned roll(unsigned n); /* a number below n, of the run's seed */
/* Ends the program with a message. */
_Noreturn void stop(const char *text);
/* A method with a form; gives the answer, which has ok: true or false. */
const struct json *ask(int who, const char *method, const char *form, ...)
    __attribute__((format(printf, 3, 4)));
bool is_ok(const struct json *answer);
const char *ts_of(long long us);

/* Something that one of them does; rows: as they were lately. */
void do_something(const struct rows *rows);
void read_rows(struct rows *ret);
/* 0; -1: something does not hold, which is printed. */
int check_everything(const struct rows *rows);
int check_dump(void);

#endif
