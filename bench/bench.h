/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the benchmark programs share: thread CPU time, medians, and the report. A figure is printed
 * as a line of a table, or with --json as an object a line: {name, value, unit, baseline, ratio,
 * target, ok}. A target is a text such as "<= 150" or
 * ">= 100000"; it is compared with the ratio if there is a baseline, else with the value.
 */
#ifndef SOSIA_BENCH_H
#define SOSIA_BENCH_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Ends the program: what was tried, and why it failed. */
static inline _Noreturn void bench_die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static inline double bench_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
/* Nanoseconds that this thread has worked. */
static inline double bench_cpu(void)
{
    return bench_clock(CLOCK_THREAD_CPUTIME_ID);
}
static inline double bench_wall(void)
{
    return bench_clock(CLOCK_MONOTONIC);
}

static inline int bench_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}
static inline double bench_percentile(double *values, size_t n, double p)
{
    qsort(values, n, sizeof *values, bench_order);
    return values[(size_t)(p * (double)(n - 1))];
}

static bool bench_json;

static inline bool bench_meets(double value, const char *target)
{
    double limit = target ? atof(target + strcspn(target, "0123456789")) : 0;
    return !target || (target[0] == '<' ? value <= limit : value >= limit);
}

/* baseline 0: none. target NULL: none. */
static inline void bench_report(const char *name, double value, const char *unit, double baseline,
                                const char *target)
{
    double ratio = baseline > 0 ? value / baseline : 0;
    bool ok = bench_meets(baseline > 0 ? ratio : value, target);
    if (bench_json) {
        printf("{\"name\":\"%s\",\"value\":%.4g,\"unit\":\"%s\"", name, value, unit);
        if (baseline > 0)
            printf(",\"baseline\":%.4g,\"ratio\":%.3f", baseline, ratio);
        else
            printf(",\"baseline\":null,\"ratio\":null");
        printf(target ? ",\"target\":\"%s\",\"ok\":%s}\n" : ",\"target\":null,\"ok\":true}\n",
               target ? target : "", ok ? "true" : "false");
    } else {
        char base[32] = "", rate[32] = "";
        if (baseline > 0) {
            snprintf(base, sizeof base, "%.4g", baseline);
            snprintf(rate, sizeof rate, "%.3f", ratio);
        }
        printf("%-46s %10.4g %-9s %10s %7s  %-9s %s\n", name, value, unit, base, rate,
               target ? target : "",
               !target ? ""
               : ok    ? "ok"
                       : "MISSED");
    }
    fflush(stdout);
}

static inline void bench_begin(int argc, char **argv)
{
    bench_json = argc > 1 && strcmp(argv[1], "--json") == 0;
}

#endif
