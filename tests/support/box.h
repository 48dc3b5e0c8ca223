/* SPDX-License-Identifier: Apache-2.0 */
/* A Google API of our own, for what is common to methods that take media: boxes, which take letters
 * and, of any size and type, crates. One world, whose requests are Ada's. */
#ifndef SOSIA_TESTS_BOX_H
#define SOSIA_TESTS_BOX_H

#include "tests/support/world.h"
#include "vendors/google/upload.h"

#define MAX    (2 * 1024 * 1024) /* of a letter */
#define GRAIN  UPLOAD_GRANULE
#define LETTER "message/rfc822"
#define UP     "/upload/box/v1/boxes/b/letters"
/* Of a body of parts, and the first of them. */
#define RELATED "Content-Type: multipart/related; boundary=\"b b\""
#define PART_1  "--b b\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{\"title\":\"x\"}\r\n"

extern char location[2048]; /* of the session that was begun last, behind the host */
extern char big[MAX + GRAIN];

/* Setup of a group; test_close_engine() is its teardown. */
int open_world(void **state);

struct ask {
    const char *method, *target, *body;
    size_t len;        /* of the body; 0: a text */
    const char *lines; /* headers: "Name: value\nName: value" */
    bool nobody;       /* without a token */
    const char *token;
    uint64_t world;
    bool pulled; /* the body is */
};

void send_ask(const struct ask *a);
#define ASK(...) send_ask(&(struct ask){__VA_ARGS__})
/* Begins a session: its address is location. */
void begin(const char *target, const char *lines);
/* Sends a piece of big. range NULL: none is named. */
void put(size_t from, size_t n, const char *range);

/* A number of the answer; -1 without. */
int64_t member(const char *name);
unsigned sum_of(const char *data, size_t len);
void assert_says(int status, const char *text);
/* The method was called with the first n bytes of big. */
void assert_arrived(size_t n);
/* The session has them and waits for more. */
void assert_has(size_t n);

#endif
