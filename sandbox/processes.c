/* SPDX-License-Identifier: Apache-2.0 */
/* In a session: processes that go on between calls. */
#include "sandbox/processes.h"
#include "engine/base/codec.h"
#include "engine/json/json.h"
#include "sandbox/private.h"
#include "sandbox/processes_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { QUIET_US = 5000 }; /* output of one moment is one answer's */
/* What a pipe can hold at most, as the kernel lets anyone have it; nobody else could read it when
 * its writer has ended. */
enum { REST = 2 << 20 };
enum { PART = 65536 }; /* that is read at once */
enum { PROMPT = 16 };  /* bytes at the end, in which it is looked for one */
enum until { UNTIL_ENDED, UNTIL_OUTPUT, UNTIL_PROMPT };

/* The request that is not answered yet. */
struct asked {
    struct process *of; /* NULL: none is */
    enum until until;
    int64_t end_us, from[STREAMS];
    bool continues; /* it says no place */
    int64_t lines;  /* that the mark goes on by; 0: it stays */
    size_t most;    /* bytes of a stream in the answer */
    bool nudged;
    bool deaf; /* what was to be written could not be: its input is closed */
};

struct process *processes_list;
static struct asked asked;
static size_t most_kept = PROCESSES_KEPT;

int64_t processes_now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* ---- answers ---- */

void processes_put_line(struct buf *b)
{
    size_t at = 0;
    buf_byte(b, '\n');
    while (at < b->len) {
        ssize_t n = write(STDOUT_FILENO, b->data + at, b->len - at);
        if (n < 0 && errno != EINTR)
            _exit(1);
        at += n > 0 ? (size_t)n : 0;
    }
    buf_done(b);
}

void processes_say_error(const char *text)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "error", text);
    json_end(&w);
    processes_put_line(&b);
}

static int64_t total_of(const struct stream *s)
{
    return s->dropped + (int64_t)s->data.len;
}

/* What is there behind a place, which is moved to where it begins. */
static const char *part_of(const struct stream *s, int64_t *from, size_t most, size_t *ret_len)
{
    if (*from < s->dropped)
        *from = s->dropped;
    if (*from > total_of(s))
        *from = total_of(s);
    const size_t at = (size_t)(*from - s->dropped), left = s->data.len - at;
    *ret_len = left < most ? left : most;
    return s->data.data + at;
}

/* What was read goes, as far as there is more than may wait. */
static void was_read(struct stream *s, int64_t to)
{
    if (to > s->read)
        s->read = to;
    int64_t spare = (int64_t)s->data.len - PROCESSES_UNREAD;
    if (spare > s->read - s->dropped)
        spare = s->read - s->dropped;
    if (spare <= 0)
        return;
    memmove(s->data.data, s->data.data + spare, s->data.len - (size_t)spare);
    s->data.len -= (size_t)spare;
    s->dropped += spare;
}

/* ---- how much is kept ---- */

/* Only what is from a place on stays, in memory that is no larger than it needs. */
static void forget_to(struct stream *s, int64_t to)
{
    struct buf rest;
    if (to <= s->dropped)
        return;
    buf_init(&rest, 0);
    buf_add(&rest, s->data.data + (to - s->dropped), (size_t)(total_of(s) - to));
    if (buf_failed(&rest))
        return;
    buf_done(&s->data);
    s->data = rest;
    s->dropped = to;
}

static size_t kept(void)
{
    size_t all = 0;
    for (const struct process *p = processes_list; p; p = p->next)
        for (int i = 0; i < STREAMS; i++)
            all += p->streams[i].data.cap;
    return all;
}

/* Where there is much, what was read of those that have ended goes, oldest first; then of those
 * that run, but for a prompt; then all of those that have ended. */
static void make_room(void)
{
    enum { ENDED, RUNNING, UNREAD };
    for (int of = ENDED; of <= UNREAD; of++)
        for (struct process *p = processes_list; p && kept() > most_kept; p = p->next)
            for (int i = 0; (of == RUNNING) == (p->handle >= 0) && i < STREAMS; i++)
                forget_to(&p->streams[i], of == UNREAD    ? total_of(&p->streams[i])
                                          : of == RUNNING ? p->streams[i].read - PROMPT
                                                          : p->streams[i].read);
}

/* Whether there is memory for more of it. Else its writer waits, and nothing is lost. */
static bool has_room(const struct stream *s)
{
    if (s->data.cap - s->data.len >= PART)
        return true;
    void *more = kept() < 2 * most_kept ? malloc(s->data.cap * 2 + PART) : NULL;
    free(more);
    return more != NULL;
}

static bool seems_to_wait(const struct process *p)
{
    static const char *const prompts[] = {">>> ", "... ", "> ", "$ ", "# "};
    const struct buf *b = &p->streams[OUT].data;
    for (size_t i = 0; p->handle >= 0 && i < SOSIA_LEN(prompts); i++) {
        const size_t n = strlen(prompts[i]);
        if (b->len >= n && memcmp(b->data + b->len - n, prompts[i], n) == 0)
            return true;
    }
    return false;
}

static void write_state(struct json_writer *w, const struct process *p)
{
    const int64_t end_us = p->handle < 0 ? p->ended_us : processes_now_us();
    json_int(w, "pid", p->pid);
    json_int(w, "ms", (end_us - p->began_us) / 1000);
    json_bool_opt(w, "terminal", p->terminal);
    json_bool_opt(w, "running", p->handle >= 0);
    if (p->handle >= 0)
        return;
    json_int(w, "status", p->status);
    if (p->signal)
        json_int(w, "signal", p->signal);
    json_bool_opt(w, "timedOut", p->timed_out);
}

/* The mark goes behind so many lines, at most to the end. */
static void go_by_lines(struct stream *s, int64_t lines)
{
    if (s->mark < s->dropped)
        s->mark = s->dropped;
    for (; lines > 0 && s->mark < total_of(s); lines--) {
        const char *at = s->data.data + (s->mark - s->dropped),
                   *end = memchr(at, '\n', (size_t)(total_of(s) - s->mark));
        s->mark = end ? s->mark + (end - at) + 1 : total_of(s);
    }
}

static void say_state(struct asked *a)
{
    static const char *const names[] = {"out", "err"};
    struct process *p = a->of;
    struct json_writer w;
    struct buf b, coded;
    json_start(&w, &b);
    json_obj(&w, NULL);
    write_state(&w, p);
    json_bool_opt(&w, "prompt", seems_to_wait(p));
    json_bool_opt(&w, "deaf", a->deaf);
    json_int(&w, "mark", p->streams[OUT].mark);
    if (a->lines)
        go_by_lines(&p->streams[OUT], a->lines);
    json_arr(&w, "from");
    for (int i = 0; i < STREAMS; i++) {
        size_t n;
        part_of(&p->streams[i], &a->from[i], a->most, &n);
        json_int(&w, NULL, a->from[i]);
    }
    json_end(&w);
    for (int i = 0; i < STREAMS; i++) {
        struct stream *s = &p->streams[i];
        size_t n;
        const char *data = part_of(s, &a->from[i], a->most, &n);
        buf_init(&coded, 0);
        base64_add(&coded, data, n);
        json_str(&w, names[i], buf_str(&coded));
        buf_done(&coded);
        if (a->continues)
            s->continued = a->from[i] + (int64_t)n;
        was_read(s, a->from[i] + (int64_t)n);
        json_bool_opt(&w, i == OUT ? "moreOut" : "moreErr", a->from[i] + (int64_t)n < total_of(s));
    }
    json_end(&w);
    processes_put_line(&b);
    a->of = NULL;
}

static void say_done(const struct process *p)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    write_state(&w, p);
    json_end(&w);
    processes_put_line(&b);
}

static void say_list(bool all)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_arr(&w, "processes");
    for (const struct process *p = processes_list; p; p = p->next) {
        if (p->handle < 0)
            continue;
        json_obj(&w, NULL);
        write_state(&w, p);
        json_bool_opt(&w, "prompt", seems_to_wait(p));
        json_raw(&w, "about", p->about, strlen(p->about));
        json_end(&w);
    }
    json_end(&w);
    if (all)
        processes_write_all(&w);
    json_end(&w);
    processes_put_line(&b);
}

/* ---- what processes do ---- */

void processes_close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void processes_free(struct process *p)
{
    for (int i = 0; i < STREAMS; i++) {
        processes_close_fd(&p->streams[i].fd);
        buf_done(&p->streams[i].data);
    }
    processes_close_fd(&p->in);
    processes_close_fd(&p->handle);
    buf_done(&p->input);
    free(p->about);
    free(p);
}

/* What there is now, as long as its reader has not left so much of it. */
static void take_output(struct stream *s, int64_t most)
{
    char part[PART];
    while (s->fd >= 0 && total_of(s) - s->read < most && has_room(s)) {
        ssize_t n = read(s->fd, part, sizeof part);
        if (n > 0)
            buf_add(&s->data, part, (size_t)n);
        else if (n < 0 && errno == EINTR)
            continue;
        else if (n < 0 && errno == EAGAIN)
            return;
        else
            processes_close_fd(&s->fd); /* of a terminal whose processes have gone: EIO */
    }
}

static void give_input(struct process *p)
{
    while (p->in >= 0 && p->sent < p->input.len) {
        ssize_t n = write(p->in, p->input.data + p->sent, p->input.len - p->sent);
        if (n < 0 && errno == EAGAIN)
            return;
        if (n < 0 && errno != EINTR)
            processes_close_fd(&p->in);
        p->sent += n > 0 ? (size_t)n : 0;
    }
    buf_clear(&p->input);
    p->sent = 0;
    if (p->closes)
        processes_close_fd(&p->in);
}

static void has_ended(struct process *p, int status)
{
    processes_close_fd(&p->handle);
    processes_close_fd(&p->in);
    p->ended_us = processes_now_us();
    p->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    p->status = p->signal ? 128 + p->signal : WEXITSTATUS(status);
    for (int i = 0; i < STREAMS; i++) {
        take_output(&p->streams[i], PROCESSES_UNREAD + REST);
        processes_close_fd(&p->streams[i].fd);
    }
}

/* Those that have ended, and what they have left behind. */
static void reap(void)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (struct process *p = processes_list; p; p = p->next)
            if (p->pid == pid && p->handle >= 0)
                has_ended(p, status);
}

static bool ends_in(struct process *p, int64_t ms)
{
    const int64_t end = processes_now_us() + ms * 1000;
    while (p->handle >= 0 && processes_now_us() < end) {
        struct pollfd ended = {p->handle, POLLIN, 0};
        poll(&ended, 1, 100);
        reap();
    }
    return p->handle < 0;
}

/* Ends one with all that it has started, and sees that it has ended. */
static void end_process(struct process *p)
{
    kill(-p->pid, SIGKILL);
    ends_in(p, 1000);
}

static void end_late(void)
{
    const int64_t now = processes_now_us();
    for (struct process *p = processes_list; p; p = p->next)
        if (p->handle >= 0 && p->until_us && now >= p->until_us && !p->timed_out) {
            p->timed_out = true;
            end_process(p);
        }
}

/* ---- requests ---- */

/* The one that runs, or the last that had the number: the system gives it again. */
static struct process *find(const struct json *v)
{
    const int64_t pid = json_get_int(v, "pid", 0);
    struct process *found = NULL;
    for (struct process *p = processes_list; p; p = p->next)
        if (p->pid == pid)
            found = p;
    if (!found)
        processes_say_error("notFound");
    return found;
}

static void wait_for(struct process *p, const struct json *v)
{
    const char *until = json_get_str(v, "until");
    const struct json *from = json_get(v, "from");
    asked = (struct asked){.of = p, .end_us = processes_now_us() + json_get_int(v, "ms", 0) * 1000};
    asked.until = !until ? UNTIL_ENDED : strcmp(until, "output") == 0 ? UNTIL_OUTPUT : UNTIL_PROMPT;
    asked.lines = json_get_int(v, "lines", 0);
    asked.most = (size_t)json_get_int(v, "most", PROCESSES_PART);
    asked.continues = !from || from->type != JSON_ARRAY || from->n != STREAMS;
    for (int i = 0; i < STREAMS; i++) {
        int64_t at = p->streams[i].continued;
        if (!asked.continues && json_i64(&from->items[i], &at) < 0)
            at = -1;
        asked.from[i] = at < 0 || at > total_of(&p->streams[i]) ? total_of(&p->streams[i]) : at;
    }
}

/* All of it or nothing. False: it has been said that there is too much. */
static bool add_input(struct process *p, struct arena *a, const struct json *v)
{
    const struct json *data = json_get(v, "data");
    uint8_t *bytes;
    size_t n;
    if (data && data->type == JSON_STRING && p->in >= 0 &&
        base64_decode(a, data->str, data->n, &bytes, &n) == 0) {
        if (n > PROCESSES_INPUT - (p->input.len - p->sent)) {
            processes_say_error("there is too much input that the process has not read");
            return false;
        }
        if (p->sent) {
            memmove(p->input.data, p->input.data + p->sent, p->input.len - p->sent);
            p->input.len -= p->sent;
            p->sent = 0;
        }
        buf_add(&p->input, bytes, n);
    }
    give_input(p);
    return true;
}

static void send_signal(struct process *p, const struct json *v)
{
    const int number = (int)json_get_int(v, "signal", SIGTERM);
    if (p->handle < 0) {
        processes_say_error("notFound");
        return;
    }
    if (number == SIGKILL)
        end_process(p);
    else if (number > 0 && number < NSIG)
        kill(-p->pid, number);
    if (json_get_int(v, "thenMs", 0) && !ends_in(p, json_get_int(v, "thenMs", 0)))
        end_process(p);
    say_done(p);
}

static void say_killed(int64_t pid)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_int(&w, "pid", pid);
    json_end(&w);
    processes_put_line(&b);
}

/* Any of the session by its number, itself alone. */
static void kill_any(const struct json *v)
{
    const int64_t pid = json_get_int(v, "pid", 0), ms = json_get_int(v, "ms", 0);
    const int number = (int)json_get_int(v, "signal", SIGTERM);
    if (pid == 1 || pid == getpid()) {
        processes_say_error("EPERM");
        return;
    }
    if (!processes_is_one(pid) || number <= 0 || number >= NSIG) {
        processes_say_error("notFound");
        return;
    }
    kill((pid_t)pid, SIGCONT);
    kill((pid_t)pid, number);
    /* It is stopped with the others when this is answered: it has its time before. */
    const int64_t end = processes_now_us() + ms * 1000;
    while (processes_is_one(pid) && processes_now_us() < end) {
        reap();
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    reap();
    say_killed(pid);
}

static void take_request(const struct json *v, struct arena *a)
{
    const char *op = json_get_str(v, "op");
    struct process *p;
    if (!op || strcmp(op, "nudge") == 0) {
        asked.nudged = true;
    } else if (strcmp(op, "list") == 0) {
        say_list(json_get_true(v, "all"));
    } else if (strcmp(op, "start") == 0) {
        if ((p = processes_start(v)) != NULL)
            wait_for(p, v);
    } else if (strcmp(op, "kill") == 0) {
        kill_any(v);
    } else if (!(p = find(v))) {
        return;
    } else if (strcmp(op, "wait") == 0) {
        wait_for(p, v);
    } else if (strcmp(op, "input") == 0) {
        wait_for(p, v); /* what it has written until now is not an answer to it */
        asked.deaf = p->in < 0;
        if (!add_input(p, a, v))
            asked.of = NULL;
    } else if (strcmp(op, "signal") == 0) {
        send_signal(p, v);
    } else if (strcmp(op, "close") == 0) {
        p->closes = true;
        give_input(p);
        say_done(p);
    } else {
        if (p->terminal && p->streams[OUT].fd >= 0)
            processes_set_size(p->streams[OUT].fd, v);
        say_done(p);
    }
}

/* What has come, without a line that is too long, which is answered when it ends. The end of the
 * input is the end of all. */
static void hear_some(struct buf *lines)
{
    static bool skips;
    char part[65536];
    const char *from = part, *end;
    ssize_t n = read(STDIN_FILENO, part, sizeof part);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
        _exit(0);
    size_t len = n > 0 ? (size_t)n : 0;
    if (skips && (end = memchr(from, '\n', len)) != NULL) {
        skips = false;
        len -= (size_t)(end + 1 - from);
        from = end + 1;
        processes_say_error("the request is too long");
    }
    if (!skips)
        buf_add(lines, from, len);
    if (lines->len > PROCESSES_LINE_MAX && !memchr(lines->data, '\n', lines->len)) {
        skips = true;
        buf_clear(lines);
    }
}

/* All requests that are there whole. */
static void hear(struct buf *lines)
{
    const char *end;
    hear_some(lines);
    while (lines->len && (end = memchr(lines->data, '\n', lines->len)) != NULL) {
        const size_t len = (size_t)(end - lines->data);
        const struct json_limits limits = {.max_size = PROCESSES_LINE_MAX};
        const struct json *v;
        struct sosia_err err;
        struct arena a;
        arena_init(&a, 0);
        if (json_parse(&a, lines->data, len, &limits, &v, &err) == 0)
            take_request(v, &a);
        else
            processes_say_error(err.text);
        arena_done(&a);
        memmove(lines->data, end + 1, lines->len - len - 1);
        lines->len -= len + 1;
    }
}

/* ---- the course ---- */

/* How long there is to wait; 0: not at all. */
static int64_t left_us(void)
{
    const struct process *p = asked.of;
    const int64_t now = processes_now_us(), left = asked.end_us - now;
    bool more = false;
    if (p->handle < 0 || left <= 0)
        return 0;
    for (int i = 0; i < STREAMS; i++)
        more = more || total_of(&p->streams[i]) >
                           (asked.lines && i == OUT ? p->streams[i].mark : asked.from[i]);
    if (asked.until == UNTIL_OUTPUT && asked.nudged)
        return 0;
    if (asked.until == UNTIL_PROMPT && more && seems_to_wait(p))
        return left < QUIET_US ? left : QUIET_US;
    if (asked.until == UNTIL_OUTPUT && more)
        return left < QUIET_US ? left : QUIET_US;
    return left;
}

static size_t gather(struct pollfd *waits)
{
    size_t n = 0;
    waits[n++] = (struct pollfd){STDIN_FILENO, POLLIN, 0};
    for (const struct process *p = processes_list; p; p = p->next) {
        if (p->handle >= 0)
            waits[n++] = (struct pollfd){p->handle, POLLIN, 0};
        for (int i = 0; i < STREAMS; i++) {
            const struct stream *s = &p->streams[i];
            if (s->fd >= 0 && total_of(s) - s->read < PROCESSES_UNREAD && has_room(s))
                waits[n++] = (struct pollfd){s->fd, POLLIN, 0};
        }
        if (p->in >= 0 && p->input.len)
            waits[n++] = (struct pollfd){p->in, POLLOUT, 0};
    }
    return n;
}

static void serve_all(void)
{
    make_room();
    for (struct process *p = processes_list; p; p = p->next) {
        for (int i = 0; i < STREAMS; i++)
            take_output(&p->streams[i], PROCESSES_UNREAD);
        give_input(p);
    }
    reap();
    end_late();
}

_Noreturn void processes_main(char *const *environment, int64_t memory_bytes)
{
    static struct pollfd waits[1 + PROCESSES_RUNNING * 4];
    struct buf lines;
    processes_start_as(environment, memory_bytes);
    if ((size_t)memory_bytes / 8 < most_kept)
        most_kept = (size_t)memory_bytes / 8;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* whose memory is data, too   \
                                                                     */
    processes_limit_data();
#endif
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGPIPE, SIG_IGN);
    buf_init(&lines, 0);
    for (;;) {
        int64_t left = asked.of ? left_us() : INT64_C(100000);
        const bool quiet = asked.of && left <= QUIET_US;
        int n = left ? poll(waits, gather(waits),
                            (int)((left + 999) / 1000 < 100 ? (left + 999) / 1000 : 100))
                     : 0;
        serve_all();
        if (n > 0 && waits[0].revents)
            hear(&lines);
        if (asked.of && (left_us() == 0 || (quiet && n == 0)))
            say_state(&asked);
    }
}
