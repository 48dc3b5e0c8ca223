/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/egress.h"
#include "cli/sandbox.h"
#include "server/host.h"
#include "services/web/core/web.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_CONNECTIONS = 256,
    CONNECT_MS = 15000,
    ANSWER_S = 600 /* for the server to say whether one may be made: a person may be asked */
};

/* ---- hosts ---- */

int egress_add(void *arg, const char *text)
{
    struct egress *e = arg;
    struct host host;
    const char *last = strrchr(text, '.');
    if (host_parse(text, strlen(text), &host) < 0 || host.ipv6 || host_is_loopback(&host) ||
        host.port == 0 || !last || (last[1] >= '0' && last[1] <= '9')) {
        fprintf(stderr, "sosia run: --egress must be the name of a host, not \"%s\"\n", text);
        return -1;
    }
    if (e->n == EGRESS_MAX) {
        fprintf(stderr, "sosia run: --egress may be given %d times, is given more often\n",
                EGRESS_MAX);
        return -1;
    }
    struct egress_host *h = &e->hosts[e->n++];
    snprintf(h->name, sizeof h->name, "%s", host.name);
    h->port = host.port < 0 ? 0 : host.port;
    return 0;
}

/* The address that the n-th host has for the command. */
static struct sockaddr_in own_address(size_t n, int port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(0x7f010001u + (uint32_t)n)};
}

void egress_lines(const struct egress *e, struct buf *b)
{
    char text[INET_ADDRSTRLEN];
    for (size_t i = 0; i < e->n; i++) {
        const struct sockaddr_in a = own_address(i, 0);
        inet_ntop(AF_INET, &a.sin_addr, text, sizeof text);
        buf_printf(b, "=%s %s\n", text, e->hosts[i].name);
        buf_add(b, "", 1);
    }
}

/* ---- addresses ---- */

/* Of IPv4, in the host's order. */
static bool is_public4(uint32_t a)
{
    static const struct {
        uint32_t net;
        int bits;
    } kept[] = {{0x00000000, 8},  {0x0a000000, 8},  {0x64400000, 10}, {0x7f000000, 8},
                {0xa9fe0000, 16}, {0xac100000, 12}, {0xc0000000, 24}, {0xc0000200, 24},
                {0xc0586300, 24}, {0xc0a80000, 16}, {0xc6120000, 15}, {0xc6336400, 24},
                {0xcb007100, 24}, {0xe0000000, 4},  {0xf0000000, 4}};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if ((a ^ kept[i].net) >> (32 - kept[i].bits) == 0)
            return false;
    return true;
}

static uint32_t four_of(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

bool egress_is_public(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET)
        return is_public4(ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr));
    if (address->sa_family != AF_INET6)
        return false;
    const struct in6_addr *a = &((const struct sockaddr_in6 *)address)->sin6_addr;
    const uint8_t *s = a->s6_addr;
    static const uint8_t translated[12] = {0, 0x64, 0xff, 0x9b};
    if (IN6_IS_ADDR_V4MAPPED(a))
        return is_public4(four_of(s + 12));
    if (memcmp(s, translated, sizeof translated) == 0)
        return is_public4(four_of(s + 12));
    if (s[0] == 0x20 && s[1] == 0x02) /* 6to4 */
        return is_public4(four_of(s + 2));
    if (s[0] == 0x20 && s[1] == 0x01 && (s[2] < 2 || (s[2] == 0x0d && s[3] == 0xb8)))
        return false; /* Teredo and other protocols' own, 2001::/23; of documents, 2001:db8::/32 */
    return (s[0] & 0xe0) == 0x20; /* global unicast; all others are local or nobody's */
}

/* ---- the relay ---- */

struct wanted {
    uint8_t host;
    uint16_t port;
};

/* Whether an address is one of this machine's, which may be public: one can listen on it. */
static bool is_own(const struct addrinfo *a)
{
    struct sockaddr_storage own;
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    memcpy(&own, a->ai_addr, a->ai_addrlen);
    if (a->ai_family == AF_INET)
        ((struct sockaddr_in *)&own)->sin_port = 0;
    else
        ((struct sockaddr_in6 *)&own)->sin6_port = 0;
    bool found = fd < 0 || bind(fd, (const struct sockaddr *)&own, a->ai_addrlen) == 0;
    if (fd >= 0)
        close(fd);
    return found;
}

/* A public address of another machine that the host has, connected; -1. */
static int reach(const char *name, int port)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    const struct timeval patience = {.tv_sec = CONNECT_MS / 1000};
    struct addrinfo *list;
    char service[8];
    int fd = -1;
    snprintf(service, sizeof service, "%d", port);
    if (getaddrinfo(name, service, &hints, &list) != 0)
        return -1;
    for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next) {
        if (!egress_is_public(a->ai_addr) || is_own(a))
            continue;
        fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd >= 0)
            setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) < 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(list);
    return fd;
}

/* What goes from one to the other: bytes that have come, and are not passed on yet. */
struct flow {
    int from, to;
    size_t done, n;
    bool over; /* no more comes */
    char part[65536];
};

static bool has_failed(ssize_t n)
{
    return n < 0 && errno != EINTR && errno != EAGAIN;
}

static void take_in(struct flow *f)
{
    ssize_t n = read(f->from, f->part, sizeof f->part);
    f->done = 0;
    f->n = n > 0 ? (size_t)n : 0;
    if (n == 0 || has_failed(n)) {
        f->over = true;
        shutdown(f->to, SHUT_WR);
    }
}

static void pass_on(struct flow *f)
{
    ssize_t n = send(f->to, f->part + f->done, f->n - f->done, MSG_NOSIGNAL);
    if (has_failed(n)) { /* nobody takes it */
        f->over = true;
        f->done = f->n;
        shutdown(f->from, SHUT_RD);
    }
    f->done += n > 0 ? (size_t)n : 0;
}

/* Until both have ended. No direction waits for the other one. */
static void pump(int a, int b)
{
    static struct flow flows[2];
    struct pollfd fds[2] = {{.fd = a}, {.fd = b}};
    for (int i = 0; i < 2; i++) {
        flows[i] = (struct flow){.from = i ? b : a, .to = i ? a : b};
        fcntl(fds[i].fd, F_SETFL, fcntl(fds[i].fd, F_GETFL) | O_NONBLOCK);
    }
    for (;;) {
        for (int i = 0; i < 2; i++) {
            const struct flow *in = &flows[i], *out = &flows[!i];
            bool takes = !in->over && in->done == in->n, gives = out->done < out->n;
            fds[i].events = (short)((takes ? POLLIN : 0) | (gives ? POLLOUT : 0));
            fds[i].fd = fds[i].events ? in->from : -1;
        }
        if (fds[0].fd < 0 && fds[1].fd < 0)
            return;
        if (poll(fds, 2, -1) < 0)
            continue;
        for (int i = 0; i < 2; i++) {
            if (fds[i].revents && fds[i].events & POLLIN)
                take_in(&flows[i]);
            if (fds[i].revents && fds[i].events & POLLOUT)
                pass_on(&flows[!i]);
        }
    }
}

/* A child of a process that ends with it; 0 in the child. */
static pid_t child(void)
{
    pid_t parent = getpid(), pid = fork();
    if (pid == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent))
        _exit(1);
    return pid;
}

/* Children that have ended are not counted any more. */
static bool has_room(unsigned *n)
{
    while (*n && waitpid(-1, NULL, WNOHANG) > 0)
        --*n;
    return *n < MOST_CONNECTIONS;
}

/* The next connection that is to be passed on. 1; 0: the door is gone. */
static int receive(int talk, struct wanted *ret, int *ret_fd)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {.iov_base = ret, .iov_len = sizeof *ret};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};
    ssize_t n;
    *ret_fd = -1;
    while ((n = recvmsg(talk, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    if (n <= 0)
        return 0;
    const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    if (n == sizeof *ret && c && c->cmsg_type == SCM_RIGHTS)
        memcpy(ret_fd, CMSG_DATA(c), sizeof *ret_fd);
    return 1;
}

static void relay(const struct egress *e, int talk)
{
    struct wanted w;
    unsigned n = 0;
    int fd;
    while (receive(talk, &w, &fd)) {
        bool good = fd >= 0 && w.host < e->n && has_room(&n);
        pid_t pid = good ? child() : -1;
        if (pid == 0) {
            close(talk);
            int out = reach(e->hosts[w.host].name, w.port);
            if (out >= 0)
                pump(fd, out);
            _exit(0);
        }
        n += pid > 0;
        if (fd >= 0)
            close(fd);
    }
}

int egress_begin(struct egress *e)
{
    int ends[2];
    if (!e->n)
        return 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return sandbox_fail("socketpair");
    fflush(NULL);
    e->relay = child();
    if (e->relay == 0) {
        setpgid(0, 0); /* Ctrl-C is the command's */
        close(ends[0]);
        relay(e, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    e->talk = ends[0];
    return e->relay < 0 ? sandbox_fail("the relay") : 0;
}

/* ---- the door ---- */

/* Whether the server lets the connection be made. */
static bool may(const char *token, const char *host, int port)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(80), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const struct timeval patience = {.tv_sec = ANSWER_S};
    char answer[32] = "";
    struct buf b;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    buf_init(&b, 0);
    buf_printf(&b,
               "POST " WEB_CONNECT "/%s:%d HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
               "%s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
               host, port, token);
    size_t got = 0;
    ssize_t n = -1;
    if (fd >= 0 && !buf_failed(&b) &&
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
        connect(fd, (const struct sockaddr *)&to, sizeof to) == 0 &&
        send(fd, buf_str(&b), b.len, MSG_NOSIGNAL) == (ssize_t)b.len)
        while (got < 12 && (n = read(fd, answer + got, 12 - got)) > 0)
            got += (size_t)n;
    buf_done(&b);
    if (fd >= 0)
        close(fd);
    return got == 12 && memcmp(answer, "HTTP/1.1 200", 12) == 0;
}

static void hand_over(int talk, const struct wanted *w, int fd)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)),
                          .cmsg_level = SOL_SOCKET,
                          .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {.iov_base = (void *)(uintptr_t)w, .iov_len = sizeof *w};
    const struct msghdr m = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = CMSG_SPACE(sizeof(int))};
    memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
    while (sendmsg(talk, &m, MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

struct doors {
    struct pollfd fds[2 * EGRESS_MAX];
    struct wanted to[2 * EGRESS_MAX];
    nfds_t n;
};

static int listen_for(struct doors *d, size_t host, int port)
{
    const struct sockaddr_in a = own_address(host, port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&a, sizeof a) < 0 || listen(fd, 64) < 0) {
        sandbox_fail("a host of --egress");
        if (fd >= 0)
            close(fd);
        return -1;
    }
    d->fds[d->n] = (struct pollfd){.fd = fd, .events = POLLIN};
    d->to[d->n++] = (struct wanted){.host = (uint8_t)host, .port = (uint16_t)port};
    return 0;
}

static void keep_door(const struct egress *e, struct doors *d, const char *token)
{
    unsigned n = 0;
    for (;;) {
        if (poll(d->fds, d->n, -1) < 0 && errno != EINTR)
            return;
        for (nfds_t i = 0; i < d->n; i++) {
            int fd = d->fds[i].revents ? accept4(d->fds[i].fd, NULL, NULL, SOCK_CLOEXEC) : -1;
            const struct wanted *w = &d->to[i];
            pid_t pid = fd >= 0 && has_room(&n) ? child() : -1;
            if (pid == 0) {
                if (may(token, e->hosts[w->host].name, w->port))
                    hand_over(e->talk, w, fd);
                _exit(0);
            }
            n += pid > 0;
            if (fd >= 0)
                close(fd);
        }
    }
}

/* What the keeper has open beside it: its talk with the command's first process, which ends when
 * all have closed it, and the authority's directory. */
static void close_others(const struct egress *e, const struct doors *d)
{
    for (int fd = 3; fd < 1024; fd++) {
        bool own = fd == e->talk;
        for (nfds_t i = 0; i < d->n && !own; i++)
            own = d->fds[i].fd == fd;
        if (!own)
            close(fd);
    }
}

int egress_open(struct egress *e, const char *token)
{
    struct doors d = {.n = 0};
    int rc = 0;
    if (!e->n)
        return 0;
    for (size_t i = 0; i < e->n && rc == 0; i++) {
        if (e->hosts[i].port)
            rc = listen_for(&d, i, e->hosts[i].port);
        else
            rc = listen_for(&d, i, 80) < 0 ? -1 : listen_for(&d, i, 443);
    }
    fflush(NULL);
    e->door = rc == 0 ? child() : -1;
    if (e->door == 0) {
        setpgid(0, 0);
        close_others(e, &d);
        keep_door(e, &d, token);
        _exit(0);
    }
    for (nfds_t i = 0; i < d.n; i++)
        close(d.fds[i].fd);
    return rc < 0 ? -1 : e->door < 0 ? sandbox_fail("the door of --egress") : 0;
}

void egress_end(struct egress *e)
{
    const pid_t pids[] = {e->door, e->relay};
    for (size_t i = 0; i < 2; i++) {
        if (pids[i] <= 0)
            continue;
        kill(pids[i], SIGKILL);
        while (waitpid(pids[i], NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (e->talk >= 0)
        close(e->talk);
    *e = (struct egress)EGRESS_INIT;
}
