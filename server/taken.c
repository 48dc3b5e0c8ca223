/* SPDX-License-Identifier: Apache-2.0 */
/* Apart from what includes <netinet/tcp.h>, whose struct tcp_info ends before what is read here. */
#include "server/taken.h"
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* What waits is asked for first: bytes that come in between the two questions make the number
 * larger, never smaller. */
uint64_t socket_taken(int fd)
{
    struct tcp_info info;
    socklen_t n = sizeof info;
    int waiting;
    if (ioctl(fd, FIONREAD, &waiting) < 0 || getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) < 0 ||
        n < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received)
        return UINT64_MAX;
    return info.tcpi_bytes_received - (uint64_t)waiting;
}
