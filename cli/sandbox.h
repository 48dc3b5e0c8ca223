/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `sosia run` shuts its command into. Three processes have a part in it:
 *
 *   keeper   `sosia run` itself. It has a network namespace with nothing but loopback, and waits.
 *   server   `sosia serve`, in the keeper's namespaces: it sees the system as it is.
 *   init     process 1 of the command's own PID, mount, IPC and user namespaces, in which the
 *            system is read-only; starts the command and waits for it.
 *
 * The kernel ends server and init when the keeper ends, and everything in the command's namespace
 * when init ends. What holds keys is memory: it goes with the keeper.
 */
#ifndef SOSIA_CLI_SANDBOX_H
#define SOSIA_CLI_SANDBOX_H

#include "engine/base/buf.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ---- probe.c: what the machine allows ---- */

enum part {
    PART_USER,
    PART_MOUNT,
    PART_NETWORK,
    PART_PID,
    PART_IPC,
    PART_UTS,
    PART_PROC,
    PART_READ_ONLY,
    PART_FILTER,
    PART_COUNT
};

struct machine {
    int missing[PART_COUNT]; /* errno of what refuses it; 0: it is there */
    bool own_user;           /* the keeper needs a user namespace to make the others */
    uid_t uid;
    gid_t gid;
};

/* Tries everything in a child process. -1: that could not be done; a message was printed. */
int machine_probe(struct machine *ret_machine);
/* What a part is called. *ret_lost: what a command can do without it; NULL: nothing works then. */
const char *machine_part(int part, const char **ret_lost);
/* Prints what is missing, each with what it is needed for. False: the command is not to be run,
 * since something is missing and weak is false, or nothing works without it. */
bool machine_fit(const struct machine *m, bool weak);

/* ---- sandbox.c ---- */

/* "sosia run: WHAT: errno's message" on standard error. Gives -1. */
int sandbox_fail(const char *what);
/* Makes the caller root of a user namespace that has nobody else. -1: see errno. */
int sandbox_own_user(uid_t uid, gid_t gid);
/* A mount namespace of which nothing gets out. -1: see errno. */
int sandbox_own_mounts(void);
/* The keeper's namespaces: mounts, network, UTS. -1: a message was printed. */
int sandbox_enter(const struct machine *m);

struct view;

struct sandbox {
    const struct machine *machine;
    const struct view *view;
    char **secrets; /* words of the command line that init forgets */
    size_t n_secrets;
    int keep_out; /* what init must not keep, beside close_fd; -1: nothing */
    pid_t init;
    int talk; /* with init */
};

/* Starts init and waits until the command could be started; close_fd: what init must not keep. -1:
 * a message was printed. */
int sandbox_start(struct sandbox *s, int close_fd, char **argv);
/* Starts the command. environment: "NAME=VALUE" strings, each with its NUL, on top of the caller's;
 * "=LINE" is a line for the command's file of hosts. */
int sandbox_go(struct sandbox *s, const struct buf *environment);
/* Passes signals that somebody sends on to the process `to`, but not those of a terminal, which
 * reach the command by themselves. of_outside: only signals from senders outside the caller's PID
 * namespace. */
void sandbox_pass_on(pid_t to, bool of_outside);

/* ---- view.c: the file system as the command sees it ---- */

#define VIEW_DIR    "/run/sosia" /* in the command's private /run */
#define VIEW_BUNDLE VIEW_DIR "/bundle.crt"
#define VIEW_CERT   VIEW_DIR "/ca.crt"
#define VIEW_HOSTS  VIEW_DIR "/hosts"

/* Decides what is private, writable and read-only, from the working directory and the home
 * directory; notes the Unix sockets that there are. NULL: a message was printed. */
struct view *view_new(void);
void view_free(struct view *v);
/* More that is shown: writable, or read-only although it lies in a private place. -1: a message was
 * printed. */
int view_add(struct view *v, const char *path, bool writable);
/* A directory that is made if it is not there, and that the command finds empty. -1: a message was
 * printed. */
int view_hide(struct view *v, const char *path);
/* Content of a file of the command's: VIEW_DIR/name, mounted over `over` if that is not NULL and is
 * there. All strings are borrowed. */
void view_file(struct view *v, const char *name, const char *over, const struct buf *content);
/* Ends the additions. -1: the working directory can't be worked in; a message was printed. */
int view_check(struct view *v);
/* Mounts all that in the mount namespace of the caller, who may do so. -1: a message was printed.
 */
int view_mount(const struct view *v, const struct machine *m);
const char *view_directory(const struct view *v);
/* The home directory of the user, private unless it was added; NULL: he has none. */
const char *view_home(const struct view *v);
#endif
