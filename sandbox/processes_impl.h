/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of a session's processes: one that is kept, and how it is started. */
#ifndef SOSIA_SANDBOX_PROCESSES_IMPL_H
#define SOSIA_SANDBOX_PROCESSES_IMPL_H

#include "engine/base/buf.h"
#include "engine/json/json.h"
#include <stdbool.h>
#include <sys/types.h>

enum { OUT, ERR, STREAMS };

struct stream {
    int fd; /* -1: it has ended */
    struct buf data;
    int64_t dropped;         /* bytes that were before those in data */
    int64_t read, continued; /* up to where anybody has it; who says no place */
    int64_t mark;            /* up to where lines were given */
};

struct process {
    struct process *next;
    pid_t pid;
    int handle; /* of the process; -1: it has ended */
    int in;     /* -1: closed */
    struct buf input;
    size_t sent;
    bool closes, terminal, timed_out;
    struct stream streams[STREAMS];
    int status, signal;
    int64_t began_us, ended_us, until_us;
    char *about; /* JSON */
};

extern struct process *processes_list; /* in the order in which they were started */

/* A number of microseconds that grows with the real time. */
int64_t processes_now_us(void);
void processes_close_fd(int *fd);
void processes_free(struct process *p);
/* Answers a request with why it can't be. */
void processes_say_error(const char *text);
/* Writes an answer's object as a line, and gives the memory back. */
void processes_put_line(struct buf *b);

/* ---- processes_start.c ---- */

/* environment: that a process has where its request has no other. */
void processes_start_as(char *const *environment, int64_t memory_bytes);
/* Starts one as a request says. NULL: it has been said why not. */
struct process *processes_start(const struct json *v);

/* size: has the columns and rows of a terminal. */
void processes_set_size(int fd, const struct json *size);
/* What a process may have of memory, for the one that asks and those that it starts. */
void processes_limit_data(void);

/* ---- processes_all.c ---- */

/* All that run in the session but process 1 and this one, as the member "all" of an answer. */
void processes_write_all(struct json_writer *w);
/* Whether a number is that of one of these. */
bool processes_is_one(int64_t pid);

#endif
