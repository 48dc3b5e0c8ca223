/* SPDX-License-Identifier: Apache-2.0 */
/* What runs in a session, whoever has started it. */
#include "sandbox/processes_impl.h"
#include "engine/base/utf8.h"
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COMMAND = 4096, MANY = 1000 };

static size_t file_of(const char *pid, const char *name, char *to, size_t size)
{
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/%s", pid, name);
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(to, 1, size - 1, f) : 0;
    if (f)
        fclose(f);
    to[n] = 0;
    return n;
}

/* Its words with spaces between them; of one that has none its name in brackets. */
static void command_of(const char *pid, const char *stat, char to[COMMAND])
{
    size_t n = file_of(pid, "cmdline", to, COMMAND);
    while (n && !to[n - 1])
        n--;
    to[n] = 0;
    for (size_t i = 0; i < n; i++)
        to[i] = to[i] ? to[i] : ' ';
    const char *from = strchr(stat, '('), *end = strrchr(stat, ')');
    if (!n && from && end > from)
        snprintf(to, COMMAND, "[%.*s]", (int)(end - from - 1), from + 1);
    utf8_scrub(to);
}

static bool is_number(const char *name)
{
    return *name && name[strspn(name, "0123456789")] == 0;
}

bool processes_is_one(int64_t pid)
{
    return pid > 1 && pid != getpid() && pid <= INT32_MAX && kill((pid_t)pid, 0) == 0;
}

/* Shares are in tenths of a percent: of a processor since its start, and of the memory. */
static void write_one(struct json_writer *w, const char *pid)
{
    static char stat[1024], command[COMMAND];
    unsigned long user = 0, kernel = 0;
    unsigned long long began = 0;
    long pages = 0;
    struct timespec t;
    if (!file_of(pid, "stat", stat, sizeof stat))
        return;
    const char *rest = strrchr(stat, ')');
    if (!rest || sscanf(rest + 1,
                        " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d "
                        "%*d %*d %*d %llu %*u %ld",
                        &user, &kernel, &began, &pages) != 4)
        return;
    clock_gettime(CLOCK_BOOTTIME, &t);
    const double hz = (double)sysconf(_SC_CLK_TCK), age = (double)t.tv_sec - (double)began / hz,
                 all = (double)sysconf(_SC_PHYS_PAGES);
    command_of(pid, stat, command);
    json_obj(w, NULL);
    json_int(w, "pid", atoi(pid));
    json_str(w, "command", command);
    json_int(w, "cpu", age > 0 ? (int64_t)((double)(user + kernel) / hz / age * 1000) : 0);
    json_int(w, "memory", all > 0 ? (int64_t)((double)pages / all * 1000) : 0);
    json_end(w);
}

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

void processes_write_all(struct json_writer *w)
{
    static int pids[MANY];
    DIR *d = opendir("/proc");
    struct dirent *e;
    size_t n = 0;
    while (d && n < MANY && (e = readdir(d)) != NULL)
        if (is_number(e->d_name) && atoi(e->d_name) > 1 && atoi(e->d_name) != getpid())
            pids[n++] = atoi(e->d_name);
    if (d)
        closedir(d);
    qsort(pids, n, sizeof *pids, by_number);
    json_arr(w, "all");
    for (size_t i = 0; i < n; i++) {
        char pid[16];
        snprintf(pid, sizeof pid, "%d", pids[i]);
        write_one(w, pid);
    }
    json_end(w);
}
