/* SPDX-License-Identifier: Apache-2.0 */
/* The orders of lists of items. */
#include "services/drive/core/find/find_impl.h"
#include "engine/text/utf8.h"
#include "services/drive/core/revision.h"
#include <inttypes.h>
#include <stdio.h>
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

static bool is_name(enum find_key key)
{
    return key == ORDER_NAME || key == ORDER_NAME_NATURAL;
}

/* What an order by a key compares, but for names. */
static int64_t key_of(enum find_key key, const struct found *f)
{
    switch (key) {
    case ORDER_CREATED:
        return f->it.created_us;
    case ORDER_FOLDER: /* folders come first */
        return f->it.form == DRIVE_FOLDER ? ORDER_FOLDERS : ORDER_REST;
    case ORDER_MY_MODIFIED:
        return f->mine.modified_us;
    case ORDER_MODIFIED:
        return f->it.modified_us;
    case ORDER_SIZE:
        return f->used;
    case ORDER_RECENCY:
        return latest(f);
    case ORDER_SHARED:
        return f->mine.shared_us;
    case ORDER_STARRED: /* stars come first */
        return !f->mine.starred;
    default:
        return f->mine.viewed_us;
    }
}

/* Times are shown in milliseconds: where another key follows, those of one millisecond are equal.
 */
static int64_t shown_key(const struct drive_finder *f, size_t i, const struct found *one)
{
    enum find_key key = f->order[i].key;
    int64_t value = key_of(key, one);
    bool time = key != ORDER_FOLDER && key != ORDER_SIZE && key != ORDER_STARRED;
    return time && i + 1 < f->n_order ? value - value % 1000 : value;
}

static int compare_found(const void *x, const void *y, void *arg)
{
    const struct drive_finder *f = arg;
    const struct found *a = x, *b = y;
    for (size_t i = 0; i < f->n_order; i++) {
        enum find_key key = f->order[i].key;
        int r = key == ORDER_NAME           ? strcmp(a->folded, b->folded)
                : key == ORDER_NAME_NATURAL ? natural(a->folded, b->folded)
                                            : numbers(a->keys[i], b->keys[i]);
        if (r)
            return f->order[i].falling ? -r : r;
    }
    int r = numbers(b->it.modified_us, a->it.modified_us);
    return r ? r : numbers(a->it.id, b->it.id);
}

int find_sort(const struct drive_finder *f, struct found *list, size_t n)
{
    struct tx *tx = f->viewer->tx;
    for (size_t k = 0; k < n * f->n_order; k++) {
        struct found *one = &list[k / f->n_order];
        size_t i = k % f->n_order;
        const struct drive_item *it = &one->it;
        if (f->order[i].key == ORDER_SIZE) {
            if (drive_revisions_size(tx, it->id, it->head, &one->used) < 0)
                return -1;
            one->used += it->size > 0 ? it->size : 0;
        }
        if (is_name(f->order[i].key))
            one->folded = utf8_fold(tx->arena, it->name);
        else
            one->keys[i] = shown_key(f, i, one);
    }
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    if (n)
        qsort_r(list, n, sizeof *list, compare_found, (void *)(uintptr_t)f);
    return 0;
}

/* ---- places ---- */

enum { NAME_MAX_LEN = 2048 }; /* in a place: a token has room for it */

bool find_counts(const char *position)
{
    return position && *position == 'i';
}

const char *find_place(const struct drive_finder *f, const struct found *list, size_t at)
{
    struct arena *a = f->viewer->tx->arena;
    const struct found *one = &list[at];
    const char *name = one->folded ? one->folded : "";
    const char *text = arena_printf(a, "o%" PRId64 ".%" PRId64, one->it.modified_us, one->it.id);
    if (strlen(name) > NAME_MAX_LEN)
        return arena_printf(a, "i%zu", at + 1);
    for (size_t i = 0; i < f->n_order; i++)
        text = arena_printf(a, "%s.%" PRId64, text, one->keys[i]);
    return arena_printf(a, "%s %s", text, name);
}

/* The numbers of a place, each behind a letter or a dot. */
static bool read_numbers(const char **at, int64_t *ret, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *end;
        if (!**at || **at == ' ')
            return false;
        ret[i] = strtoll(*at + 1, &end, 10);
        *at = end;
    }
    return true;
}

int find_read_place(const struct drive_finder *f, const char *position, struct found *ret)
{
    int64_t own[2];
    const char *at = position;
    *ret = (struct found){0};
    if (*at != 'o' || !read_numbers(&at, own, 2) || !read_numbers(&at, ret->keys, f->n_order) ||
        *at != ' ')
        return tx_fail(f->viewer->tx, SOSIA_E_INVALID, "position", NULL,
                       "this is not a position in a list");
    ret->it.modified_us = own[0];
    ret->it.id = own[1];
    ret->folded = at + 1;
    return 0;
}

int find_compare(const struct drive_finder *f, const struct found *a, const struct found *b)
{
    return compare_found(a, b, (void *)(uintptr_t)f);
}

int find_behind(const struct drive_finder *f, const struct found *list, size_t n,
                const char *position, size_t *ret)
{
    struct found place;
    *ret = 0;
    if (!position)
        return 0;
    if (find_counts(position) && sscanf(position, "i%zu", ret) == 1)
        return 0;
    if (find_read_place(f, position, &place) < 0)
        return -1;
    while (*ret < n && compare_found(&list[*ret], &place, (void *)(uintptr_t)f) <= 0)
        ++*ret;
    return 0;
}
