/* SPDX-License-Identifier: Apache-2.0 */
/* What the three processes of a sandbox share. */
#ifndef SOSIA_SANDBOX_PRIVATE_H
#define SOSIA_SANDBOX_PRIVATE_H

#include "sandbox/sandbox.h"

#define SANDBOX_UID        1000 /* of programs, as they see it */
#define SANDBOX_DATA       "/data"
#define SANDBOX_UPPER      SANDBOX_DATA "/upper" /* of a session with a base; /data is over it */
#define SANDBOX_WORK       SANDBOX_DATA "/work"
#define SANDBOX_BASES      "/.bases"
#define SANDBOX_HOME       "/home/user"
#define SANDBOX_GIT_FILE   "/run/gitconfig"
#define SANDBOX_HOSTS_FILE "/run/hosts"
#define SANDBOX_ADDRESS    "127.0.0.2" /* of hosts that are passed on; localhost is its own */
#define SANDBOX_CERT       "/etc/sosia-ca.crt"
#define SANDBOX_BUNDLE     "/etc/ssl/certs/ca-certificates.crt"
#define MESSAGE_MAX        ((size_t)96 << 10) /* a sequenced packet: arguments, environment */
#define MESSAGE_FDS        3
enum { MAX_ARGV = 1024, MAX_ENVIRONMENT = 256 }; /* strings of an order */

/* The uid and gid that stand in for the server's where it is root. */
enum { NOBODY = 65534 };

/* Kinds of messages: the first byte. */
enum {
    SAY_VIEW = 'v',    /* server to keeper, at first: an authority, paths, each with a NUL */
    SAY_SESSION = 'n', /* server to keeper, with the server's end of the session's socket */
    SAY_BASE = 'b',    /* server to keeper: struct base_order */
    SAY_DROP = 'x',    /* the same: it is needed no more */
    SAY_MADE = 'm',    /* keeper to server, with a descriptor of the process; of a base, with it */
    SAY_UPPER = 'u',   /* session to server, before SAY_READY, with its own part of /data */
    SAY_READY = 'r',   /* session to server, with /data and sockets that listen for HTTP, HTTPS */
    SAY_RUN = 'c',     /* server to session: struct order, strings; with input, output, error */
    SAY_STOP = 's',    /* server to session: the command may be ended */
    SAY_HOLD = 'h',    /* server to session: all that runs is to be stopped */
    SAY_HELD = 'H',    /* session to server: it is */
    SAY_GO = 'g',      /* server to session: it goes on */
    SAY_DONE = 'd',    /* session to server: struct done */
    SAY_FAILED = 'e'   /* to the server: a text */
};

struct session_order { /* server to keeper */
    struct sandbox_limits limits;
    bool home;     /* /data is the home directory as well */
    uint32_t base; /* number of what is under /data; 0: nothing */
    char git[SANDBOX_GIT + 1];
    char hosts[SANDBOX_HOSTS + 1];
};

struct base_order { /* server to keeper */
    uint32_t number;
    int64_t bytes, nodes;
};

struct order {
    int64_t timeout_ms;
    int32_t n_argv, n_environment; /* strings, behind the directory's */
};

struct done {
    int32_t status, timed_out;
    int64_t wall_us, cpu_us;
};

/* Sends a message with descriptors. 0, -1: see errno. */
int message_send(int fd, char kind, const void *data, size_t n, const int *fds, int n_fds);
/* Receives one: its length without the kind; -1: the other end is closed, or errno. Descriptors
 * that did not come are -1. */
ssize_t message_receive(int fd, char *ret_kind, void *data, size_t room, int *ret_fds);
/* Sends SAY_FAILED: "what: errno's message". Gives -1. */
int message_fail(int fd, const char *what);

/* ---- keeper.c ---- */

/* Makes the caller the one user of a user namespace, with this number there; uid, gid: the present
 * ones. -1: see errno. */
int user_namespace(unsigned inside, unsigned uid, unsigned gid);

/* ---- system.c ---- */

/* In the keeper's mount namespace: what programs see of the system becomes the root. view: as
 * SAY_VIEW has it; -1: see errno; *ret_what says of what. */
int system_show(const char *view, size_t len, const char **ret_what);
/* A directory of its own at the place of a base, and away with it. -1: see errno. */
int system_base(const struct base_order *order, int *ret_fd);
void system_drop_base(uint32_t number);
/* In a session's: private directories, /proc, /dev/shm. */
int system_private(const struct session_order *order, int *ret_upper, const char **ret_what);

/* ---- filter.c ---- */

/* The filter of system calls as a program for the kernel, in a file of memory: of a session. -1:
 * see errno. */
int filter_export(int *ret_fd);
/* Loads it, for the caller and what it starts. */
int filter_load(int fd);

/* ---- session.c ---- */

/* Process 1; does not come back. talk: with the server. */
_Noreturn void session_main(int talk, const struct session_order *order, int filter);

#endif
