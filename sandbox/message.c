/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between the processes of a sandbox: sequenced packets with descriptors (unix(7)). */
#include "sandbox/private.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

union control {
    struct cmsghdr head;
    char room[CMSG_SPACE(MESSAGE_FDS * sizeof(int))];
};

int message_send(int fd, char kind, const void *data, size_t n, const int *fds, int n_fds)
{
    union control control = {0};
    struct iovec parts[] = {{&kind, 1}, {(void *)(uintptr_t)data, n}};
    struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2};
    if (n_fds) {
        m.msg_control = &control;
        m.msg_controllen = CMSG_SPACE((size_t)n_fds * sizeof *fds);
        struct cmsghdr *head = CMSG_FIRSTHDR(&m);
        *head = (struct cmsghdr){.cmsg_len = CMSG_LEN((size_t)n_fds * sizeof *fds),
                                 .cmsg_level = SOL_SOCKET,
                                 .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(head), fds, (size_t)n_fds * sizeof *fds);
    }
    ssize_t sent;
    while ((sent = sendmsg(fd, &m, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    return sent < 0 ? -1 : 0;
}

ssize_t message_receive(int fd, char *ret_kind, void *data, size_t room, int *ret_fds)
{
    union control control = {0};
    struct iovec parts[] = {{ret_kind, 1}, {data, room}};
    struct msghdr m = {.msg_iov = parts,
                       .msg_iovlen = 2,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};
    ssize_t n;
    for (int i = 0; i < MESSAGE_FDS; i++)
        ret_fds[i] = -1;
    while ((n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    for (struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&m) : NULL; head;
         head = CMSG_NXTHDR(&m, head))
        if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
            memcpy(ret_fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    if (n == 0)
        errno = ECONNRESET;
    else if (n > 0 && m.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
        errno = EMSGSIZE;
    return n <= 0 || m.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ? -1 : n - 1;
}

int message_fail(int fd, const char *what)
{
    char text[200];
    int n = snprintf(text, sizeof text, "%s: %s", what, strerror(errno));
    message_send(fd, SAY_FAILED, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1, NULL,
                 0);
    return -1;
}
