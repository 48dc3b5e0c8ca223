/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs on files of a world, kept in by the kernel. Three kinds of processes have a part in it:
 *
 *   server    the caller; has threads, and makes no namespace itself.
 *   keeper    one for the server: this program again, started by sandbox_open(). It has a user and
 * a mount namespace in which there is nothing but the system's programs, read-only, and makes
 * sessions of itself. session   process 1 of its own PID, mount, network, IPC, UTS and user
 * namespaces, with a private /data, /tmp and home directory. Runs one command after another, and
 * ends what a command leaves running.
 *
 * Linux alone. The server gets /data of a session as a directory's descriptor: what it has is the
 * session's to write, so that it must be walked without following links.
 */
#ifndef SOSIA_SANDBOX_SANDBOX_H
#define SOSIA_SANDBOX_SANDBOX_H

#include "engine/base/buf.h"
#include "engine/base/err.h"
#include <sys/types.h>

struct sandbox;
struct sandbox_session;

struct sandbox_limits {
    int64_t data_bytes, tmp_bytes, home_bytes; /* of the private directories */
    int64_t data_nodes, tmp_nodes;             /* files in them */
    int64_t memory_bytes;                      /* of data, a process */
    int processes, descriptors;
};
/* The bounds that hold where a member is 0. */
extern const struct sandbox_limits sandbox_usual;

/* What programs see beside the system's own. */
struct sandbox_view {
    const char *authority;    /* a certificate in PEM that they trust; NULL: none */
    const char *const *shown; /* absolute paths of directories and files, which they may read; NULL
                                 ends them; NULL: none */
};
/* Starts the keeper. program: of this `sosia`, which has the command SANDBOX_KEEPER. view: NULL:
 * nothing. What the machine refuses is IO, with the reason. 0, -1. */
#define SANDBOX_KEEPER "keep-sandbox"
int sandbox_open(const char *program, const struct sandbox_limits *limits,
                 const struct sandbox_view *view, struct sandbox **ret, struct sosia_err *err);
/* False: its keeper has ended by itself. */
bool sandbox_lives(struct sandbox *s);
/* Ends the keeper, and every session with it. */
void sandbox_close(struct sandbox *s);
/* The keeper's own work: the end of a socket pair in its standard input. Gives its exit code. */
int sandbox_keep(void);

/* Files that several sessions begin with: written once, before the first of them, and by nobody
 * afterwards. Belongs to its sandbox and is to be closed before that; sessions that have it keep
 * it until they end. */
struct sandbox_base;
/* An empty directory, for at most so much. 0, -1: IO. */
int sandbox_base_open(struct sandbox *s, int64_t bytes, int64_t nodes, struct sandbox_base **ret,
                      struct sosia_err *err);
/* Of the directory, to write into (sandbox_files_begin()). */
int sandbox_base_data(const struct sandbox_base *b);
void sandbox_base_close(struct sandbox_base *b); /* NULL is fine */

struct sandbox_session_options {
    bool home;                       /* its /data is the home directory as well */
    struct sandbox_limits limits;    /* where a member is 0 that of the keeper holds */
    const struct sandbox_base *base; /* its /data begins with these files, and has what is changed
                                        in a directory over them, if the machine has such
                                        (IO: it has not); NULL: it begins empty */
    const char *git;   /* configuration of git for all in it, at most SANDBOX_GIT bytes;
                          NULL: none */
    const char *hosts; /* names of hosts, with spaces between them, at most SANDBOX_HOSTS
                          bytes: who connects to one of them is passed on
                          (sandbox_command.connected); NULL: none */
};
#define SANDBOX_GIT   1000
#define SANDBOX_HOSTS 30000
/* options: NULL: as usual. 0, -1: IO. Any thread may open sessions; each belongs to one thread at a
 * time. */
int sandbox_session_open(struct sandbox *s, const struct sandbox_session_options *options,
                         struct sandbox_session **ret, struct sosia_err *err);
/* Kills what runs in it. Takes NULL. */
void sandbox_session_close(struct sandbox_session *s);
/* Ends what runs in it, from any thread while it is open: its command has no outcome. */
void sandbox_session_kill(const struct sandbox_session *s);
/* Of /data; the session's. */
int sandbox_session_data(const struct sandbox_session *s);
/* The directory with what differs from its base, as overlayfs has it; -1: it has no base. */
int sandbox_session_upper(const struct sandbox_session *s);
/* Whether a command of it is stopped, to go on. */
bool sandbox_session_holds(const struct sandbox_session *s);
/* False: it has ended, by itself or since it did not keep a limit; open another one. */
bool sandbox_session_lives(const struct sandbox_session *s);

/* Files that are made below /data belong to the session only if they are made between these two,
 * by the same thread. */
void sandbox_files_begin(const struct sandbox *s);
void sandbox_files_end(const struct sandbox *s);

enum said {
    SAID_MORE,   /* go on */
    SAID_ALL,    /* the command is ended, or stopped where it lasts */
    SAID_IN_VAIN /* it is ended even where it lasts */
};

struct sandbox_command {
    const char *const *argv;        /* NULL ends it; argv[0] is looked for in PATH */
    const char *const *environment; /* "NAME=VALUE", over what a session has; NULL ends it; may be
                                       NULL */
    const char *directory;          /* NULL: /data */
    const char *input;
    size_t input_len;
    int64_t timeout_ms; /* of the real clock; 0: 60 s */
    size_t keep;        /* bytes of each stream; 0: 1 MiB */
    int64_t flood;      /* bytes of a stream beyond which it is ended; 0: 64 MiB */
    /* A program has connected to a host of the session; secure: to the port of HTTPS. The socket is
     * the function's. NULL: nobody takes them. */
    void (*connected)(void *arg, int fd, bool secure);
    void *connected_arg;
    /* A conversation in lines: the standard input stays open, and is given what reply gets, at
     * first for a line that is NULL. Gives an enum said. NULL: there is none, the input is that
     * above. */
    int (*said)(void *arg, const char *line, size_t len, struct buf *reply);
    void *said_arg;
    int nudge; /* a descriptor of a counter (eventfd(2)): said is given a line that is NULL again
                  when it counts something; 0: there is none */
    /* When all is said it is not ended but stopped, with all that it has started, and the next
     * command of this kind in the session, whatever its arguments, goes on with it. */
    bool lasts;
};

struct sandbox_stream {
    struct buf kept;
    int64_t total; /* bytes that were written, kept or not */
};

struct sandbox_outcome {
    int status; /* the exit status, 128 and a signal's number, 126 and 127 as of a shell */
    bool timed_out, flooded;
    struct sandbox_stream out, err;
    int64_t wall_us, cpu_us;
};

/* Runs a command and waits for it; nothing of it runs on afterwards. The outcome is to be freed by
 * sandbox_outcome_free() whatever is given. 0; -1: it could not be run at all, for a reason that is
 * not the command's (IO, TOO_LARGE arguments); the session may have ended. */
int sandbox_run(struct sandbox_session *s, const struct sandbox_command *command,
                struct sandbox_outcome *ret, struct sosia_err *err);
void sandbox_outcome_free(struct sandbox_outcome *o);

#endif
