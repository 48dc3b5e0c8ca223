/* SPDX-License-Identifier: Apache-2.0 */
#include "server/listen.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 4096

static int resolve(const char *address, int port, struct addrinfo **ret_list, struct sosia_err *err)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    char service[8];
    snprintf(service, sizeof service, "%d", port);
    int rc = getaddrinfo(address, service, &hints, ret_list);
    if (rc)
        return sosia_fail(err, SOSIA_E_INVALID, "badAddress", "listen", "can't listen on %s: %s",
                          address, gai_strerror(rc));
    return 0;
}

static bool is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
    return a->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

int listener_is_loopback(const char *address, bool *ret_loopback, struct sosia_err *err)
{
    struct addrinfo *list;
    if (!address) {
        *ret_loopback = true;
        return 0;
    }
    if (resolve(address, 0, &list, err) < 0)
        return -1;
    *ret_loopback = is_loopback(list->ai_addr);
    freeaddrinfo(list);
    return 0;
}

/* -1 with errno. */
static int open_socket(const struct addrinfo *a, bool only_v6)
{
    int on = 1, v6only = only_v6;
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        (a->ai_family == AF_INET6 &&
         setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6only, sizeof v6only) < 0) ||
        bind(fd, a->ai_addr, a->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0) {
        int why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

static int port_of(int fd)
{
    struct sockaddr_storage a;
    socklen_t n = sizeof a;
    if (getsockname(fd, (struct sockaddr *)&a, &n) < 0)
        return -1;
    return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
                                         : ((struct sockaddr_in *)&a)->sin_port);
}

int listener_open(struct listener *l, const char *address, int port, struct sosia_err *err)
{
    struct addrinfo *list;
    const char *first = address ? address : "127.0.0.1";
    if (resolve(first, port, &list, err) < 0)
        return -1;
    int fd = open_socket(list, false);
    if (fd < 0) {
        freeaddrinfo(list);
        return sosia_fail(err, SOSIA_E_IO, errno == EADDRINUSE ? "portInUse" : "cannotListen",
                          "port", "can't listen on %s port %d: %s", first, port, strerror(errno));
    }
    freeaddrinfo(list);
    l->fd = fd;
    l->fd6 = -1;
    l->port = port_of(fd);
    /* The second one is a convenience: machines without IPv6 do without. */
    if (!address && resolve("::1", l->port, &list, NULL) == 0) {
        l->fd6 = open_socket(list, true);
        freeaddrinfo(list);
    }
    return 0;
}

void listener_close(struct listener *l)
{
    if (l->fd >= 0)
        close(l->fd);
    if (l->fd6 >= 0)
        close(l->fd6);
    l->fd = l->fd6 = -1;
}
