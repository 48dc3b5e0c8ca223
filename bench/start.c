/* SPDX-License-Identifier: Apache-2.0 */
/* From the start of `sosia serve` with the demo world to its first response, and the memory it
 * takes then. */
#include "bench/bench.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 7

/* The text of a JSON member in a line that the server printed. */
static void member(const char *line, const char *name, char *ret, size_t size)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *at = strstr(line, key);
    ret[0] = 0;
    if (at) {
        at += strlen(key);
        snprintf(ret, size, "%.*s", (int)strcspn(at, "\""), at);
    }
}

static int ask(const char *url, const char *token)
{
    char request[1024], answer[64] = "";
    const char *colon = strrchr(url, ':');
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(colon + 1))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    snprintf(request, sizeof request,
             "GET /calendar/v3/users/me/calendarList HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
             "Bearer %s\r\n"
             "Connection: close\r\n\r\n",
             token);
    int ok = connect(fd, (struct sockaddr *)&to, sizeof to) == 0 &&
             write(fd, request, strlen(request)) == (ssize_t)strlen(request) &&
             read(fd, answer, sizeof answer - 1) > 12 && strncmp(answer + 9, "200", 3) == 0;
    close(fd);
    return ok;
}

static double resident_mb(pid_t pid)
{
    char path[64];
    long pages = 0, all = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void round_of(const char *program, double *ret_ms, double *ret_mb)
{
    int out[2];
    char line[65536], url[256], token[600];
    double t = bench_wall();
    if (pipe(out) < 0)
        exit(1);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(out[1], 1);
        close(out[0]);
        execl(program, "sosia", "serve", "--port", "0", "--fixture", "office", "--json",
              (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    FILE *f = fdopen(out[0], "r");
    if (!f || !fgets(line, sizeof line, f)) {
        fprintf(stderr, "%s does not start\n", program);
        exit(1);
    }
    member(line, "url", url, sizeof url);
    member(line, "token", token, sizeof token);
    if (!ask(url, token)) {
        fprintf(stderr, "no answer from %s\n", url);
        exit(1);
    }
    *ret_ms = (bench_wall() - t) / 1e6;
    *ret_mb = resident_mb(pid);
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    fclose(f);
}

int main(int argc, char **argv)
{
    double ms[ROUNDS], mb[ROUNDS];
    char program[4096];
    bench_begin(argc, argv);
    snprintf(program, sizeof program, "%.*s../cli/sosia",
             (int)(strrchr(argv[0], '/') + 1 - argv[0]), argv[0]);
    for (int i = 0; i < ROUNDS; i++)
        round_of(program, &ms[i], &mb[i]);
    bench_report("server start to first answer, demo world", bench_percentile(ms, ROUNDS, 0.5),
                 "ms", 0, "<= 100");
    bench_report("server memory, demo world", bench_percentile(mb, ROUNDS, 0.5), "MB", 0, "<= 30");
    return 0;
}
