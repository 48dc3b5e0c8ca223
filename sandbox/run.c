/* SPDX-License-Identifier: Apache-2.0 */
/* The server's side: the keeper's life, sessions, and commands in them. */
#include "sandbox/private.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS      2000  /* after a command's time, until its session is killed */
#define ENDING_MS        30000 /* after that, until it has ended */
#define FLOOD            ((int64_t)64 << 20)
#define USUAL_TIMEOUT    60000
#define ACCEPTED_AT_ONCE 16 /* connections, before a program's time is looked at again */
#define LASTING_MS       (INT64_C(7) * 86400000) /* of what is stopped between: the server ends it */
#define USUAL_KEEP       ((size_t)1 << 20)

const struct sandbox_limits sandbox_usual = {.data_bytes = (int64_t)512 << 20,
                                             .tmp_bytes = (int64_t)64 << 20,
                                             .home_bytes = (int64_t)64 << 20,
                                             .data_nodes = 200000,
                                             .tmp_nodes = 20000,
                                             .memory_bytes = (int64_t)1 << 30,
                                             .processes = 128,
                                             .descriptors = 1024};

struct sandbox {
    struct sandbox_limits limits;
    pthread_mutex_t lock; /* of talk */
    int talk;
    pid_t keeper;
    bool broken;      /* it does not answer any more */
    uint32_t n_bases; /* that were made; the last one's number */
};

struct sandbox_base {
    struct sandbox *of;
    uint32_t number;
    int data;
};

struct pipes {
    int in;                  /* the server's end of the input of a conversation; -1 */
    int out[2];              /* and those of output and error */
    int theirs[MESSAGE_FDS]; /* input, output, error */
    struct buf reply;        /* that is to be written into the input, from sent on */
    size_t sent, heard;      /* heard: bytes of the output that were read as lines */
};

struct sandbox_session {
    int talk, data, upper, process; /* process: a descriptor of it */
    int listening[2];               /* for HTTP and HTTPS; -1: there are no hosts */
    bool holds;                     /* a command is stopped: with these */
    struct pipes held;
    struct buf rest; /* what it has said already of its next lines */
    bool dead;
};

static int refused(const char *what, struct sosia_err *err)
{
    return sosia_fail(err, SOSIA_E_IO, "sandbox", NULL, "%s: %s", what, strerror(errno));
}

/* A message of this kind; else the text of a failure. 0, -1. */
static int expect(int talk, char wanted, int *ret_fds, const char *what, struct sosia_err *err)
{
    char kind, text[256];
    ssize_t n = message_receive(talk, &kind, text, sizeof text, ret_fds);
    if (n < 0)
        return refused(what, err);
    if (kind == wanted)
        return 0;
    return sosia_fail(err, SOSIA_E_IO, "sandbox", NULL,
                      "the machine must allow programs to be kept in, refuses %.*s", (int)n, text);
}

static void close_if(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* ---- the keeper ---- */

static int send_view(struct sandbox *s, const struct sandbox_view *v, struct sosia_err *err)
{
    const char *authority = v && v->authority ? v->authority : "";
    struct buf b;
    buf_init(&b, MESSAGE_MAX);
    buf_add(&b, authority, strlen(authority) + 1);
    for (const char *const *path = v ? v->shown : NULL; path && *path; path++)
        buf_add(&b, *path, strlen(*path) + 1);
    int rc = 0;
    if (buf_failed(&b))
        rc = sosia_fail(err, SOSIA_E_TOO_LARGE, "sandbox", NULL,
                        "paths that programs see must have at most %zu bytes", MESSAGE_MAX);
    else if (message_send(s->talk, SAY_VIEW, b.data, b.len, NULL, 0) < 0)
        rc = refused("the keeper", err);
    buf_done(&b);
    return rc;
}

static int start(struct sandbox *s, const char *program, const struct sandbox_view *view,
                 struct sosia_err *err)
{
    char *const argv[] = {(char *)"sosia", (char *)SANDBOX_KEEPER, NULL};
    char *const environment[] = {(char *)"PATH=/usr/bin:/bin", NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], fds[MESSAGE_FDS];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return refused("a socket for the keeper", err);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    errno = posix_spawn(&s->keeper, program, &actions, NULL, argv, environment);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    s->talk = ends[0];
    if (errno) {
        s->keeper = -1;
        return refused(program, err);
    }
    if (send_view(s, view, err) < 0)
        return -1;
    return expect(s->talk, SAY_READY, fds, "the keeper", err);
}

#define TAKE(member)                                                                               \
    s->limits.member = limits && limits->member ? limits->member : sandbox_usual.member

int sandbox_open(const char *program, const struct sandbox_limits *limits,
                 const struct sandbox_view *view, struct sandbox **ret, struct sosia_err *err)
{
    struct sandbox *s = calloc(1, sizeof *s);
    if (!s)
        return sosia_fail_memory(err);
    s->talk = s->keeper = -1;
    TAKE(data_bytes);
    TAKE(tmp_bytes);
    TAKE(home_bytes);
    TAKE(data_nodes);
    TAKE(tmp_nodes);
    TAKE(memory_bytes);
    TAKE(processes);
    TAKE(descriptors);
    pthread_mutex_init(&s->lock, NULL);
    if (start(s, program, view, err) < 0) {
        sandbox_close(s);
        return -1;
    }
    *ret = s;
    return 0;
}

void sandbox_close(struct sandbox *s)
{
    if (!s)
        return;
    close_if(s->talk); /* which ends it, and with it the sessions */
    while (s->keeper > 0 && waitpid(s->keeper, NULL, 0) < 0 && errno == EINTR)
        ;
    pthread_mutex_destroy(&s->lock);
    free(s);
}

bool sandbox_lives(struct sandbox *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->keeper > 0 && waitpid(s->keeper, NULL, WNOHANG) == s->keeper)
        s->keeper = -1;
    bool lives = s->keeper > 0 && !s->broken;
    pthread_mutex_unlock(&s->lock);
    return lives;
}

void sandbox_files_begin(const struct sandbox *s)
{
    (void)s;
    if (geteuid() == 0) {
        setfsgid(NOBODY);
        setfsuid(NOBODY);
    }
}

void sandbox_files_end(const struct sandbox *s)
{
    (void)s;
    if (geteuid() == 0) {
        setfsuid(0);
        setfsgid(getegid());
    }
}

/* ---- bases ---- */

/* Asks the keeper under its lock, for an answer with a descriptor where it gives one. */
static int ask_keeper(struct sandbox *s, char kind, const void *data, size_t n, int end,
                      int *ret_fd, struct sosia_err *err)
{
    int fds[MESSAGE_FDS] = {-1, -1, -1}, rc = -1;
    pthread_mutex_lock(&s->lock);
    if (message_send(s->talk, kind, data, n, &end, end >= 0) < 0)
        refused("the keeper", err);
    else
        rc = ret_fd ? expect(s->talk, SAY_MADE, fds, "the keeper", err) : 0;
    s->broken = s->broken || (rc < 0 && errno == ECONNRESET) || (rc < 0 && errno == EPIPE);
    pthread_mutex_unlock(&s->lock);
    if (ret_fd)
        *ret_fd = fds[0];
    return rc;
}

int sandbox_base_open(struct sandbox *s, int64_t bytes, int64_t nodes, struct sandbox_base **ret,
                      struct sosia_err *err)
{
    struct sandbox_base *b = calloc(1, sizeof *b);
    struct base_order order = {.bytes = bytes, .nodes = nodes};
    if (!b)
        return sosia_fail_memory(err);
    pthread_mutex_lock(&s->lock);
    b->number = order.number = ++s->n_bases;
    pthread_mutex_unlock(&s->lock);
    b->of = s;
    if (ask_keeper(s, SAY_BASE, &order, sizeof order, -1, &b->data, err) < 0) {
        free(b);
        return -1;
    }
    *ret = b;
    return 0;
}

int sandbox_base_data(const struct sandbox_base *b)
{
    return b->data;
}

void sandbox_base_close(struct sandbox_base *b)
{
    struct sosia_err err;
    if (!b)
        return;
    const struct base_order order = {.number = b->number};
    close(b->data);
    ask_keeper(b->of, SAY_DROP, &order, sizeof order, -1, NULL, &err);
    free(b);
}

/* ---- sessions ---- */

#define PREFER(member)                                                                             \
    order.limits.member = o && o->limits.member ? o->limits.member : s->limits.member

static int ask_for_session(struct sandbox *s, const struct sandbox_session_options *o, int end,
                           int *ret_process, struct sosia_err *err)
{
    struct session_order order = {.home = o && o->home, .base = o && o->base ? o->base->number : 0};
    PREFER(data_bytes);
    PREFER(tmp_bytes);
    PREFER(home_bytes);
    PREFER(data_nodes);
    PREFER(tmp_nodes);
    PREFER(memory_bytes);
    PREFER(processes);
    PREFER(descriptors);
    if (o && o->git)
        snprintf(order.git, sizeof order.git, "%s", o->git);
    if (o && o->hosts && strlen(o->hosts) <= SANDBOX_HOSTS)
        strcpy(order.hosts, o->hosts);
    return ask_keeper(s, SAY_SESSION, &order, sizeof order, end, ret_process, err);
}

int sandbox_session_open(struct sandbox *sandbox, const struct sandbox_session_options *options,
                         struct sandbox_session **ret, struct sosia_err *err)
{
    struct sandbox_session *s = calloc(1, sizeof *s);
    int ends[2], fds[MESSAGE_FDS] = {-1, -1, -1};
    if (!s)
        return sosia_fail_memory(err);
    s->data = s->upper = s->process = s->talk = s->listening[0] = s->listening[1] = -1;
    buf_init(&s->rest, 0);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) {
        free(s);
        return refused("a socket for a session", err);
    }
    s->talk = ends[0];
    int rc = ask_for_session(sandbox, options, ends[1], &s->process, err);
    close(ends[1]);
    if (rc == 0 && options && options->base) {
        rc = expect(s->talk, SAY_UPPER, fds, "a session", err);
        s->upper = fds[0];
    }
    if (rc == 0)
        rc = expect(s->talk, SAY_READY, fds, "a session", err);
    s->data = fds[0];
    s->listening[0] = fds[1];
    s->listening[1] = fds[2];
    if (rc < 0) {
        sandbox_session_close(s);
        return -1;
    }
    *ret = s;
    return 0;
}

void sandbox_session_kill(const struct sandbox_session *s)
{
    if (s->process >= 0)
        syscall(SYS_pidfd_send_signal, s->process, SIGKILL, NULL, 0);
}

static void kill_session(struct sandbox_session *s)
{
    s->dead = true;
    sandbox_session_kill(s);
}

static void close_pipes(struct pipes *p)
{
    close_if(p->in);
    close_if(p->out[0]);
    close_if(p->out[1]);
    buf_done(&p->reply);
}

void sandbox_session_close(struct sandbox_session *s)
{
    if (!s)
        return;
    kill_session(s);
    close_if(s->talk);
    close_if(s->data);
    close_if(s->upper);
    close_if(s->process);
    close_if(s->listening[0]);
    close_if(s->listening[1]);
    if (s->holds)
        close_pipes(&s->held);
    buf_done(&s->rest);
    free(s);
}

int sandbox_session_data(const struct sandbox_session *s)
{
    return s->data;
}

int sandbox_session_upper(const struct sandbox_session *s)
{
    return s->upper;
}

/* Process 1 says nothing while it holds a command: what there is to read is its end. */
bool sandbox_session_holds(const struct sandbox_session *s)
{
    struct pollfd talk = {s->talk, POLLIN, 0};
    return s->holds && poll(&talk, 1, 0) == 0;
}

bool sandbox_session_lives(const struct sandbox_session *s)
{
    return !s->dead;
}

/* ---- commands ---- */

static void close_theirs(struct pipes *p)
{
    for (int i = 0; i < MESSAGE_FDS; i++) {
        close_if(p->theirs[i]);
        p->theirs[i] = -1;
    }
}

/* The input is a file, so that nobody has to wait until it is read; of a conversation a pipe. */
static int make_input(struct pipes *p, const struct sandbox_command *c)
{
    int ends[2];
    if (c->said) {
        if (pipe2(ends, O_CLOEXEC) < 0)
            return -1;
        p->in = ends[1];
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        return ends[0];
    }
    if (!c->input_len)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    int fd = memfd_create("input", MFD_CLOEXEC);
    size_t at = 0;
    while (fd >= 0 && at < c->input_len) {
        ssize_t n = write(fd, c->input + at, c->input_len - at);
        if (n < 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        at += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

static int make_pipes(struct pipes *p, const struct sandbox_command *c, struct sosia_err *err)
{
    *p = (struct pipes){-1, {-1, -1}, {-1, -1, -1}};
    buf_init(&p->reply, 0);
    if ((p->theirs[0] = make_input(p, c)) < 0)
        return refused("input of a command", err);
    for (int i = 0; i < 2; i++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) < 0)
            return refused("output of a command", err);
        p->out[i] = ends[0];
        p->theirs[1 + i] = ends[1];
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    return 0;
}

static int send_order(struct sandbox_session *s, const struct sandbox_command *c,
                      const struct pipes *p, struct sosia_err *err)
{
    struct order order = {.timeout_ms = c->lasts            ? LASTING_MS
                                        : c->timeout_ms > 0 ? c->timeout_ms
                                                            : USUAL_TIMEOUT};
    struct buf b;
    buf_init(&b, MESSAGE_MAX);
    for (const char *const *at = c->argv; *at; at++)
        order.n_argv++;
    for (const char *const *at = c->environment; at && *at; at++)
        order.n_environment++;
    buf_add(&b, &order, sizeof order);
    const char *directory = c->directory ? c->directory : SANDBOX_DATA;
    buf_add(&b, directory, strlen(directory) + 1);
    for (const char *const *at = c->argv; *at; at++)
        buf_add(&b, *at, strlen(*at) + 1);
    for (const char *const *at = c->environment; at && *at; at++)
        buf_add(&b, *at, strlen(*at) + 1);
    int rc = 0;
    if (buf_failed(&b) || order.n_argv > MAX_ARGV || order.n_environment > MAX_ENVIRONMENT)
        rc = sosia_fail(err, SOSIA_E_TOO_LARGE, "sandbox", NULL,
                        "a command must have at most %d arguments and %d variables, with at most "
                        "%zu bytes together, not %d and %d",
                        MAX_ARGV, MAX_ENVIRONMENT, MESSAGE_MAX, order.n_argv, order.n_environment);
    else if (message_send(s->talk, SAY_RUN, b.data, b.len, p->theirs, MESSAGE_FDS) < 0)
        rc = refused("a session", err);
    buf_done(&b);
    return rc;
}

/* What there is to read, as long as there is some. False: it has ended. */
static bool drain(int fd, struct sandbox_stream *s, size_t keep, int64_t flood)
{
    char part[65536];
    ssize_t n;
    while ((n = read(fd, part, sizeof part)) > 0) {
        size_t room = s->kept.len < keep ? keep - s->kept.len : 0;
        buf_add(&s->kept, part, (size_t)n < room ? (size_t)n : room);
        s->total += n;
        if (s->total > flood)
            return false;
    }
    return n < 0 && (errno == EAGAIN || errno == EINTR);
}

/* ---- a conversation ---- */

static void send_reply(struct pipes *p)
{
    while (p->in >= 0 && p->sent < p->reply.len) {
        ssize_t n = write(p->in, p->reply.data + p->sent, p->reply.len - p->sent);
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0 && errno != EINTR) { /* it listens no more; its end comes by itself */
            close(p->in);
            p->in = -1;
        }
        p->sent += n > 0 ? (size_t)n : 0;
    }
    buf_clear(&p->reply);
    p->sent = 0;
}

/* The lines that have come since, as sandbox_command.said gives it. */
static int hear(struct pipes *p, const struct sandbox_command *c, const struct buf *out)
{
    const char *end;
    int r = 0;
    while (r == 0 && p->heard < out->len &&
           (end = memchr(out->data + p->heard, '\n', out->len - p->heard)) != NULL) {
        const char *line = out->data + p->heard;
        p->heard = (size_t)(end - out->data) + 1;
        r = c->said(c->said_arg, line, (size_t)(end - line), &p->reply);
    }
    send_reply(p);
    return r;
}

/* ---- its course ---- */

/* Those that have connected are passed on. */
static void accept_some(int listening, bool secure, const struct sandbox_command *c)
{
    for (int i = 0, fd; i < ACCEPTED_AT_ONCE; i++) {
        if ((fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) < 0)
            return;
        if (c->connected)
            c->connected(c->connected_arg, fd, secure);
        else
            close(fd);
    }
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void be_nudged(const struct sandbox_command *c, struct pipes *p, int over)
{
    uint64_t count;
    if (read(c->nudge, &count, sizeof count) < 0 || !c->said || over)
        return;
    c->said(c->said_arg, NULL, 0, &p->reply);
    send_reply(p);
}

/* Until the outcome is there. 0, -1: the session has ended without one. */
static int await(struct sandbox_session *s, const struct sandbox_command *c, struct pipes *p,
                 struct sandbox_outcome *ret)
{
    const int64_t timeout = c->timeout_ms > 0 ? c->timeout_ms : USUAL_TIMEOUT;
    const int64_t end = now_ms() + timeout + PATIENCE_MS;
    const size_t keep = c->keep ? c->keep : USUAL_KEEP;
    const int64_t flood = c->flood ? c->flood : FLOOD;
    struct sandbox_stream *const streams[] = {&ret->out, &ret->err};
    int over = SAID_MORE;
    if (c->said) {
        c->said(c->said_arg, NULL, 0, &p->reply);
        send_reply(p);
    }
    for (;;) {
        struct pollfd waits[] = {{s->talk, POLLIN, 0},
                                 {p->out[0], POLLIN, 0},
                                 {p->out[1], POLLIN, 0},
                                 {s->listening[0], POLLIN, 0},
                                 {s->listening[1], POLLIN, 0},
                                 {p->reply.len ? p->in : -1, POLLOUT, 0},
                                 {c->nudge ? c->nudge : -1, POLLIN, 0}};
        int64_t left = end - now_ms();
        int n =
            left > 0 ? poll(waits, SOSIA_LEN(waits), (int)(left > 1000000 ? 1000000 : left)) : 0;
        if (n < 0 && errno != EINTR)
            return -1;
        if (n == 0 && left <= 0) {
            kill_session(s);
            ret->timed_out = true;
            ret->status = 128 + SIGKILL;
            return 0;
        }
        for (int i = 0; i < 2 && n > 0; i++)
            if (waits[1 + i].revents && !drain(p->out[i], streams[i], keep, flood)) {
                ret->flooded = ret->flooded || streams[i]->total > flood;
                close(p->out[i]); /* who writes on is ended by it */
                p->out[i] = -1;
            }
        for (int i = 0; i < 2 && n > 0; i++)
            if (waits[3 + i].revents)
                accept_some(s->listening[i], i, c);
        if (n > 0 && waits[5].revents)
            send_reply(p);
        if (n > 0 && waits[6].revents)
            be_nudged(c, p, over);
        if (n > 0 && !over && c->said) {
            over = hear(p, c, &ret->out.kept);
            if (ret->flooded)
                over = SAID_IN_VAIN;
            if (over)
                message_send(s->talk, c->lasts && over == SAID_ALL ? SAY_HOLD : SAY_STOP, NULL, 0,
                             NULL, 0);
        }
        if (n > 0 && waits[0].revents)
            return 1;
    }
}

/* Waits for the end of a session that was killed: of process 1, behind which the kernel lets
 * nothing of its namespace live. False: it has not ended in a long time. */
static bool has_ended(const struct sandbox_session *s)
{
    const int64_t end = now_ms() + ENDING_MS;
    struct pollfd wait = {s->process, POLLIN, 0};
    int64_t left;
    int n = 0;
    sandbox_session_kill(s);
    while (n <= 0 && (left = end - now_ms()) > 0)
        if ((n = poll(&wait, 1, (int)left)) < 0 && errno != EINTR)
            return false;
    return n > 0;
}

/* It goes on where one is stopped. */
static int begin(struct sandbox_session *s, const struct sandbox_command *c, struct pipes *p,
                 struct sandbox_outcome *ret, struct sosia_err *err)
{
    if (!s->holds) {
        int rc = make_pipes(p, c, err) < 0 ? -1 : send_order(s, c, p, err);
        close_theirs(p);
        return rc;
    }
    *p = s->held;
    s->holds = false;
    buf_add(&ret->out.kept, s->rest.data, s->rest.len);
    buf_clear(&s->rest);
    return message_send(s->talk, SAY_GO, NULL, 0, NULL, 0) < 0 ? refused("a session", err) : 0;
}

static void hold(struct sandbox_session *s, struct pipes *p, const struct sandbox_outcome *o)
{
    buf_add(&s->rest, o->out.kept.data + p->heard, o->out.kept.len - p->heard);
    p->heard = 0;
    s->held = *p;
    s->holds = true;
}

int sandbox_run(struct sandbox_session *s, const struct sandbox_command *c,
                struct sandbox_outcome *ret, struct sosia_err *err)
{
    struct pipes p;
    struct done done;
    int fds[MESSAGE_FDS];
    char kind;
    *ret = (struct sandbox_outcome){0};
    buf_init(&ret->out.kept, 0);
    buf_init(&ret->err.kept, 0);
    int rc = begin(s, c, &p, ret, err);
    if (rc == 0)
        rc = await(s, c, &p, ret);
    if (rc == 1) {
        ssize_t n = message_receive(s->talk, &kind, &done, sizeof done, fds);
        if (n == 0 && kind == SAY_HELD) {
            hold(s, &p, ret);
            return 0;
        }
        if (n == (ssize_t)sizeof done && kind == SAY_DONE) {
            ret->status = done.status;
            ret->timed_out = done.timed_out != 0;
            ret->wall_us = done.wall_us;
            ret->cpu_us = done.cpu_us;
            rc = 0;
        } else {
            s->dead = true;
            rc = refused("the session has ended", err);
        }
    }
    /* Nobody may write files any more when they are looked at. */
    if (s->dead && s->process >= 0 && !has_ended(s)) {
        errno = ETIMEDOUT;
        rc = refused("the end of a session", err);
    }
    const size_t keep = c->keep ? c->keep : USUAL_KEEP;
    if (rc == 0 && p.out[0] >= 0)
        drain(p.out[0], &ret->out, keep, INT64_MAX);
    if (rc == 0 && p.out[1] >= 0)
        drain(p.out[1], &ret->err, keep, INT64_MAX);
    close_pipes(&p);
    return rc;
}

void sandbox_outcome_free(struct sandbox_outcome *o)
{
    buf_done(&o->out.kept);
    buf_done(&o->err.kept);
}
