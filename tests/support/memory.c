/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/memory.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);

static _Atomic(long) count, fail_at, fail_times;

void memory_fail(long n, long times)
{
    atomic_store(&fail_at, 0);
    atomic_store(&count, 0);
    atomic_store(&fail_times, times);
    atomic_store(&fail_at, n);
}

long memory_count(void)
{
    return atomic_load(&count);
}

static bool fails(void)
{
    long n = atomic_fetch_add(&count, 1) + 1, at = atomic_load(&fail_at);
    return at && n >= at && n - at < atomic_load(&fail_times);
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return fails() ? NULL : __real_realloc(p, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

char *__wrap_strndup(const char *s, size_t n)
{
    size_t len = strnlen(s, n);
    char *copy = __wrap_malloc(len + 1);
    if (copy) {
        memcpy(copy, s, len);
        copy[len] = 0;
    }
    return copy;
}

char *__wrap_strdup(const char *s)
{
    return __wrap_strndup(s, SIZE_MAX);
}
