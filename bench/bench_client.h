/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client in a process of its own, so that its work is not the server's: it keeps connections open
 * on loopback and makes the same request again and again on all of them. It is begun before threads
 * and large memory are there, and pinned to a core.
 */
#ifndef SOSIA_BENCH_CLIENT_H
#define SOSIA_BENCH_CLIENT_H

#include "bench/bench.h"
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define BENCH_CLIENT_CONNECTIONS 64

struct bench_client {
    pid_t pid;
    int fd;
};

/* What the client is asked for: to connect (n 0), or for n requests of the text that follows. */
struct bench_order {
    int port, n;
    size_t len;
};

/* A connection, and how much of a response is there. */
struct bench_connection {
    char answer[256 << 10];
    size_t got, whole;
};

static inline void bench_client_fail(const char *what)
{
    perror(what);
    _exit(1);
}

static inline int bench_client_dial(int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) < 0)
        bench_client_fail("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

/* Reads what has come. Is the response complete? */
static inline bool bench_client_read(struct bench_connection *k, int fd)
{
    ssize_t r = recv(fd, k->answer + k->got, sizeof k->answer - 1 - k->got, 0);
    if (r <= 0)
        bench_client_fail("recv");
    k->answer[k->got += (size_t)r] = 0;
    const char *end = k->whole ? NULL : strstr(k->answer, "\r\n\r\n");
    const char *len = end ? strstr(k->answer, "Content-Length: ") : NULL;
    if (len)
        k->whole = (size_t)(end + 4 - k->answer) + strtoul(len + 16, NULL, 10);
    if (k->whole && (k->got < 12 || strncmp(k->answer + 9, "200", 3) != 0)) {
        fprintf(stderr, "%s\n", k->answer);
        _exit(1);
    }
    return k->whole && k->got >= k->whole;
}

/* Makes n requests, one at a time on each connection. */
static inline void bench_client_drive(struct pollfd *polls, struct bench_connection *all,
                                      const char *text, size_t len, int n)
{
    int begun = 0, done = 0;
    for (int i = 0; i < BENCH_CLIENT_CONNECTIONS && begun < n; i++, begun++)
        if (send(polls[i].fd, text, len, MSG_NOSIGNAL) != (ssize_t)len)
            bench_client_fail("send");
    while (done < n) {
        if (poll(polls, BENCH_CLIENT_CONNECTIONS, -1) < 0)
            bench_client_fail("poll");
        for (int i = 0; i < BENCH_CLIENT_CONNECTIONS; i++) {
            struct bench_connection *k = &all[i];
            if (!polls[i].revents || !bench_client_read(k, polls[i].fd))
                continue;
            k->got = k->whole = 0;
            done++;
            if (begun < n && send(polls[i].fd, text, len, MSG_NOSIGNAL) != (ssize_t)len)
                bench_client_fail("send");
            begun += begun < n;
        }
    }
}

static inline _Noreturn void bench_client_main(int fd, int core)
{
    static struct bench_connection all[BENCH_CLIENT_CONNECTIONS];
    static char text[64 << 10];
    struct pollfd polls[BENCH_CLIENT_CONNECTIONS];
    struct bench_order o;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((unsigned)core, &set);
    sched_setaffinity(0, sizeof set, &set);
    while (recv(fd, &o, sizeof o, MSG_WAITALL) == sizeof o) {
        if (o.len > sizeof text || (o.len && recv(fd, text, o.len, MSG_WAITALL) != (ssize_t)o.len))
            bench_client_fail("order");
        for (int i = 0; !o.n && i < BENCH_CLIENT_CONNECTIONS; i++)
            polls[i] = (struct pollfd){.fd = bench_client_dial(o.port), .events = POLLIN};
        bench_client_drive(polls, all, text, o.len, o.n);
        if (send(fd, &o.n, sizeof o.n, MSG_NOSIGNAL) != sizeof o.n)
            break;
    }
    _exit(0);
}

static inline struct bench_client bench_client_start(int core)
{
    struct bench_client c;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
        bench_die("client", "there is no socket for it");
    c.pid = fork();
    if (c.pid < 0)
        bench_die("client", "it can't be started");
    if (c.pid == 0) {
        close(pair[0]);
        bench_client_main(pair[1], core);
    }
    close(pair[1]);
    c.fd = pair[0];
    return c;
}

static inline void bench_client_order(const struct bench_client *c, const struct bench_order *o,
                                      const char *text)
{
    int n;
    if (send(c->fd, o, sizeof *o, MSG_NOSIGNAL) != sizeof *o ||
        (o->len && send(c->fd, text, o->len, MSG_NOSIGNAL) != (ssize_t)o->len) ||
        recv(c->fd, &n, sizeof n, MSG_WAITALL) != sizeof n)
        bench_die("client", "it has ended");
}

/* Opens the connections to this port of the loopback interface. */
static inline void bench_client_connect(const struct bench_client *c, int port)
{
    bench_client_order(c, &(struct bench_order){.port = port}, "");
}

/* Returns when n responses with the status 200 have come. */
static inline void bench_client_run(const struct bench_client *c, const char *text, size_t len,
                                    int n)
{
    bench_client_order(c, &(struct bench_order){.n = n, .len = len}, text);
}

static inline void bench_client_end(const struct bench_client *c)
{
    close(c->fd);
    waitpid(c->pid, NULL, 0);
}

#endif
