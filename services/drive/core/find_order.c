/* SPDX-License-Identifier: Apache-2.0 */
/* The orders of lists of items. */
#include "services/drive/core/find_impl.h"
#include "engine/text/utf8.h"
#include "services/drive/core/revision.h"
#include <stdlib.h>

static int numbers(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits in a row count as a number: 2 comes before 12. */
static int natural(const char *a, const char *b)
{
    while (*a && *b) {
        if (!is_digit(*a) || !is_digit(*b)) {
            if (*a != *b)
                return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
            continue;
        }
        a += strspn(a, "0");
        b += strspn(b, "0");
        size_t n = strspn(a, "0123456789"), m = strspn(b, "0123456789");
        int r = n != m ? (n < m ? -1 : 1) : memcmp(a, b, n);
        if (r)
            return r;
        a += n;
        b += m;
    }
    return (*a != 0) - (*b != 0);
}

static int64_t latest(const struct found *f)
{
    const int64_t times[] = {f->it.modified_us, f->it.created_us, f->mine.viewed_us,
                             f->mine.shared_us, f->mine.modified_us};
    int64_t most = 0;
    for (size_t i = 0; i < SOSIA_LEN(times); i++)
        most = times[i] > most ? times[i] : most;
    return most;
}

static int by_key(enum find_key key, const struct found *a, const struct found *b)
{
    switch (key) {
    case ORDER_CREATED:
        return numbers(a->it.created_us, b->it.created_us);
    case ORDER_FOLDER: /* folders come first */
        return numbers(a->it.form != DRIVE_FOLDER, b->it.form != DRIVE_FOLDER);
    case ORDER_MY_MODIFIED:
        return numbers(a->mine.modified_us, b->mine.modified_us);
    case ORDER_MODIFIED:
        return numbers(a->it.modified_us, b->it.modified_us);
    case ORDER_NAME:
        return strcmp(a->folded, b->folded);
    case ORDER_NAME_NATURAL:
        return natural(a->folded, b->folded);
    case ORDER_SIZE:
        return numbers(a->used, b->used);
    case ORDER_RECENCY:
        return numbers(latest(a), latest(b));
    case ORDER_SHARED:
        return numbers(a->mine.shared_us, b->mine.shared_us);
    case ORDER_STARRED: /* stars come first */
        return numbers(!a->mine.starred, !b->mine.starred);
    default:
        return numbers(a->mine.viewed_us, b->mine.viewed_us);
    }
}

static int compare_found(const void *x, const void *y, void *arg)
{
    const struct drive_finder *f = arg;
    const struct found *a = x, *b = y;
    for (size_t i = 0; i < f->n_order; i++) {
        int r = by_key(f->order[i].key, a, b);
        if (r)
            return f->order[i].falling ? -r : r;
    }
    int r = numbers(b->it.modified_us, a->it.modified_us);
    return r ? r : numbers(a->it.id, b->it.id);
}

int find_sort(const struct drive_finder *f, struct found *list, size_t n)
{
    struct tx *tx = f->viewer->tx;
    bool names = false, sizes = false;
    for (size_t i = 0; i < f->n_order; i++) {
        names |= f->order[i].key == ORDER_NAME || f->order[i].key == ORDER_NAME_NATURAL;
        sizes |= f->order[i].key == ORDER_SIZE;
    }
    for (size_t i = 0; i < n && sizes; i++) {
        const struct drive_item *it = &list[i].it;
        if (drive_revisions_size(tx, it->id, it->head, &list[i].used) < 0)
            return -1;
        list[i].used += it->size > 0 ? it->size : 0;
    }
    for (size_t i = 0; i < n && names; i++)
        list[i].folded = utf8_fold(tx->arena, list[i].it.name);
    if (n)
        qsort_r(list, n, sizeof *list, compare_found, (void *)(uintptr_t)f);
    return 0;
}
