/* SPDX-License-Identifier: Apache-2.0 */
/* A client over loopback that sends and takes bodies of any length in pieces, with bytes that
 * follow from their place, and what a process holds. */
#ifndef SOSIA_TESTS_WIRE_H
#define SOSIA_TESTS_WIRE_H

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WIRE_PART = 1 << 16 };

/* The bytes from `at` on. */
static inline void wire_fill(char *to, size_t n, int64_t at)
{
    for (size_t i = 0; i < n;) {
        uint64_t word = ((uint64_t)(at + (int64_t)i) >> 3) * UINT64_C(0x9e3779b97f4a7c15);
        size_t skip = (size_t)(at + (int64_t)i) & 7, k = 8 - skip < n - i ? 8 - skip : n - i;
        word ^= word >> 29;
        memcpy(to + i, (char *)&word + skip, k);
        i += k;
    }
}

static inline int wire_open(int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static inline int wire_send(int fd, const char *p, size_t n)
{
    for (ssize_t did; n; p += did, n -= (size_t)did)
        if ((did = send(fd, p, n, MSG_NOSIGNAL)) <= 0)
            return -1;
    return 0;
}

/* The head of a request, and then `sent` bytes of a body, of which `announced` are promised (-1: in
 * chunks). -1: the server has closed. */
static inline int wire_request(int fd, const char *method, const char *target, const char *fields,
                               int64_t announced, int64_t sent)
{
    static _Thread_local char part[WIRE_PART];
    char head[1024], length[64] = "Transfer-Encoding: chunked\r\n";
    if (announced >= 0)
        snprintf(length, sizeof length, "Content-Length: %lld\r\n", (long long)announced);
    int n = snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: localhost\r\n%s%s\r\n", method,
                     target, fields, length);
    if (wire_send(fd, head, (size_t)n) < 0)
        return -1;
    for (int64_t at = 0; at < sent;) {
        size_t k = sent - at < WIRE_PART ? (size_t)(sent - at) : WIRE_PART;
        wire_fill(part, k, at);
        if (announced < 0) {
            n = snprintf(head, sizeof head, "%zx\r\n", k);
            if (wire_send(fd, head, (size_t)n) < 0)
                return -1;
        }
        if (wire_send(fd, part, k) < 0 || (announced < 0 && wire_send(fd, "\r\n", 2) < 0))
            return -1;
        at += (int64_t)k;
    }
    return announced < 0 ? wire_send(fd, "0\r\n\r\n", 5) : 0;
}

struct wire_answer {
    int status;
    char head[4096];
    int64_t length;   /* that came of the body */
    int64_t promised; /* Content-Length */
    char body[512];   /* its beginning */
    bool as_sent;     /* all of it is the bytes from `from` on */
};

/* Takes an answer to its end; each(arg, bytes so far) NULL or called now and then. 0, -1: it was
 * cut off. */
static inline int wire_answer(int fd, int64_t from, bool body, struct wire_answer *ret,
                              void (*each)(void *arg, int64_t at), void *arg)
{
    static _Thread_local char part[WIRE_PART + 1], expected[WIRE_PART];
    size_t n = 0;
    char *end = NULL;
    memset(ret, 0, sizeof *ret);
    ret->as_sent = true;
    while (!end) {
        ssize_t got = n < WIRE_PART ? recv(fd, part + n, WIRE_PART - n, 0) : -1;
        if (got <= 0)
            return -1;
        part[n += (size_t)got] = 0;
        end = strstr(part, "\r\n\r\n");
    }
    size_t head = (size_t)(end - part) + 4;
    snprintf(ret->head, sizeof ret->head, "%.*s", (int)head, part);
    ret->status = atoi(part + 9);
    const char *length = strcasestr(ret->head, "\r\nContent-Length:");
    ret->promised = length ? strtoll(length + 17, NULL, 10) : 0;
    memmove(part, part + head, n -= head);
    while (body) {
        wire_fill(expected, n, from + ret->length);
        ret->as_sent = ret->as_sent && memcmp(part, expected, n) == 0;
        for (size_t i = 0; i < n && ret->length + (int64_t)i < (int64_t)sizeof ret->body - 1; i++)
            ret->body[ret->length + (int64_t)i] = part[i];
        ret->length += (int64_t)n;
        if (each)
            each(arg, ret->length);
        if (ret->length >= ret->promised)
            break;
        ssize_t got = recv(fd, part, WIRE_PART, 0);
        if (got <= 0)
            return -1;
        n = (size_t)got;
    }
    return 0;
}

/* Bytes of physical memory that a process holds. */
static inline int64_t wire_memory(int pid)
{
    char path[64], line[128];
    int64_t kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = strtoll(line + 6, NULL, 10);
    if (f)
        fclose(f);
    return kib << 10;
}

#endif
