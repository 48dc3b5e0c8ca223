/* SPDX-License-Identifier: Apache-2.0 */
/* How a process of a session is started: its variables, its pipes or its terminal, its limits. */
#include "sandbox/processes_impl.h"
#include "sandbox/private.h"
#include "sandbox/processes.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static char *const *usual; /* environment */
static rlim_t most_data;   /* of each process */

void processes_start_as(char *const *environment, int64_t memory_bytes)
{
    usual = environment;
    most_data = (rlim_t)memory_bytes;
}

static const char **strings_of(const struct json *v, size_t more)
{
    const size_t n = v && v->type == JSON_ARRAY ? v->n : 0;
    const char **list = calloc(n + more + 1, sizeof *list);
    for (size_t i = 0; list && i < n; i++)
        list[i] = v->items[i].type == JSON_STRING ? v->items[i].str : "";
    return list;
}

/* The request's variables, and the usual ones that it has none of. */
static const char **variables(const struct json *v)
{
    size_t n_usual = 0, n = v && v->type == JSON_ARRAY ? v->n : 0;
    while (usual[n_usual])
        n_usual++;
    const char **list = strings_of(v, n_usual);
    for (size_t i = 0, own = n; list && i < n_usual; i++) {
        const size_t len = strcspn(usual[i], "=") + 1;
        bool given = false;
        for (size_t k = 0; k < own; k++)
            given = given || strncmp(list[k], usual[i], len) == 0;
        if (!given)
            list[n++] = usual[i];
    }
    return list;
}

struct ends {
    int in[2], out[2], err[2];
};

static int open_pipes(struct ends *e)
{
    return pipe2(e->in, O_CLOEXEC) < 0 || pipe2(e->out, O_CLOEXEC) < 0 ||
                   pipe2(e->err, O_CLOEXEC) < 0
               ? -1
               : 0;
}

void processes_set_size(int fd, const struct json *size)
{
    struct winsize w = {.ws_row = (unsigned short)json_get_int(size, "rows", 24),
                        .ws_col = (unsigned short)json_get_int(size, "columns", 80)};
    ioctl(fd, TIOCSWINSZ, &w);
}

/* The server's end of a terminal is input and output. */
static int open_terminal(struct ends *e, const struct json *size)
{
    char name[64];
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    e->out[0] = fd;
    if (unlockpt(fd) < 0 || ptsname_r(fd, name, sizeof name) != 0)
        return -1;
    e->in[1] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    e->in[0] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    processes_set_size(fd, size);
    return e->in[0] < 0 || e->in[1] < 0 ? -1 : 0;
}

static void close_ends(struct ends *e)
{
    for (int i = 0; i < 2; i++) {
        processes_close_fd(&e->in[i]);
        processes_close_fd(&e->out[i]);
        processes_close_fd(&e->err[i]);
    }
}

void processes_limit_data(void)
{
    setrlimit(RLIMIT_DATA, &(struct rlimit){most_data, most_data});
}

_Noreturn static void execute(const struct ends *e, const char *directory, const char **argv,
                              const char **environment)
{
    const bool terminal = e->out[1] < 0;
    setsid();
    signal(SIGPIPE, SIG_DFL);
    if (terminal)
        ioctl(e->in[0], TIOCSCTTY, 0);
    if (dup2(e->in[0], 0) < 0 || dup2(terminal ? e->in[0] : e->out[1], 1) < 0 ||
        dup2(terminal ? e->in[0] : e->err[1], 2) < 0)
        _exit(126);
    close_range(3, ~0U, 0);
    processes_limit_data();
    if (chdir(directory) == 0)
        execvpe(argv[0], (char *const *)argv, (char *const *)environment);
    int why = errno;
    dprintf(2, "%s: %s\n", argv[0], strerror(why));
    _exit(why == ENOENT ? 127 : 126);
}

/* The oldest of those that have ended goes, where there are many. */
static void forget_some(size_t *ret_running)
{
    size_t ended = 0;
    *ret_running = 0;
    for (const struct process *p = processes_list; p; p = p->next)
        *(p->handle < 0 ? &ended : ret_running) += 1;
    for (struct process **at = &processes_list; *at && ended >= PROCESSES_ENDED;) {
        struct process *p = *at;
        if (p->handle >= 0) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        processes_free(p);
        ended--;
    }
}

/* What a list says of it, as JSON, to be freed. NULL: no memory, or there is too much together with
 * that of the others that run: a list is one answer. */
static char *about_of(const struct json *v)
{
    const struct json *about = json_get(v, "about");
    struct json_writer w;
    struct buf b;
    size_t all = 0;
    json_start(&w, &b);
    json_value(&w, NULL, about ? about : v);
    for (const struct process *p = processes_list; p; p = p->next)
        all += p->handle >= 0 ? strlen(p->about) : 0;
    char *text = !buf_failed(&b) && all + b.len <= PROCESSES_ABOUT ? strdup(buf_str(&b)) : NULL;
    errno = text ? 0 : E2BIG;
    buf_done(&b);
    return text;
}

static void set_up(struct process *p, struct ends *e, const struct json *v)
{
    const int64_t lasts = json_get_int(v, "lastsMs", 0);
    p->in = e->in[1];
    p->streams[OUT].fd = e->out[0];
    p->streams[ERR].fd = e->err[0];
    e->in[1] = e->out[0] = e->err[0] = -1;
    for (int i = 0; i < STREAMS; i++) {
        buf_init(&p->streams[i].data, 0);
        if (p->streams[i].fd >= 0)
            fcntl(p->streams[i].fd, F_SETFL, O_NONBLOCK);
    }
    fcntl(p->in, F_SETFL, O_NONBLOCK);
    buf_init(&p->input, 0);
    p->began_us = processes_now_us();
    p->until_us = lasts > 0 ? p->began_us + lasts * 1000 : 0;
    p->closes = !p->terminal && !json_get_true(v, "stdin");
    if (p->closes)
        processes_close_fd(&p->in);
}

/* The process, with a handle of it. -1: errno, and there is none. */
static int begin_process(struct process *p, const struct ends *e, const char *directory,
                         const char **argv, const char **environment)
{
    p->pid = fork();
    if (p->pid == 0)
        execute(e, directory ? directory : SANDBOX_DATA, argv, environment);
    if (p->pid < 0 || (p->handle = (int)syscall(SYS_pidfd_open, p->pid, 0)) >= 0)
        return p->pid < 0 ? -1 : 0;
    const int why = errno;
    kill(p->pid, SIGKILL);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    errno = why;
    return -1;
}

struct process *processes_start(const struct json *v)
{
    const struct json *terminal = json_get(v, "terminal");
    const char *directory = json_get_str(v, "directory");
    struct ends e = {{-1, -1}, {-1, -1}, {-1, -1}};
    size_t running;
    forget_some(&running);
    if (running >= PROCESSES_RUNNING) {
        processes_say_error("too many processes are running");
        return NULL;
    }
    const char **argv = strings_of(json_get(v, "argv"), 0),
               **environment = variables(json_get(v, "environment"));
    struct process *p = calloc(1, sizeof *p);
    if (!p || !argv || !environment || !argv[0] || !(p->about = about_of(v)) ||
        (terminal ? open_terminal(&e, terminal) : open_pipes(&e)) < 0 ||
        begin_process(p, &e, directory, argv, environment) < 0) {
        processes_say_error(strerror(errno));
        free(p ? p->about : NULL);
        free(p);
        p = NULL;
    } else {
        p->terminal = terminal != NULL;
        set_up(p, &e, v);
    }
    close_ends(&e);
    free(argv);
    free(environment);
    struct process **last = &processes_list;
    while (p && *last)
        last = &(*last)->next;
    if (p)
        *last = p;
    return p;
}
