/* SPDX-License-Identifier: Apache-2.0 */
/* Entry ids of a mailbox as Graph has them, and change keys. */
#include "vendors/microsoft/store_id.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "vendors/microsoft/graph.h"

enum {
    AT_MAILBOX = 4,
    AT_HEAD = 40,     /* 00 46 00 00 00 00 00 */
    AT_PROVIDER = 47, /* behind it 07 00 */
    AT_FOLDER = 65,   /* the replica, six bytes of a number, 00 00 */
    AT_ITEM = 89,     /* the same */
    ITEM_BYTES = 113,
    OCCURRENCE_BYTES = 124
};
static const uint8_t prefix[AT_MAILBOX] = {0, 3, 0x24, 0};
static const uint8_t occurrence_head[] = {1, 0x51, 0, 8};
#define TICKS_PER_DAY INT64_C(864000000000)
#define DAYS_TO_1970  INT64_C(719162) /* from the first day of the year 1 */

void graph_store_of(struct arena *a, const char *tenant, const char *address,
                    struct graph_store *ret)
{
    const char *name = ARENA_JOIN(a, tenant ? tenant : "", " ", address);
    const char *guid = graph_guid(a, "mailbox", name);
    memset(ret, 0, sizeof *ret);
    if (arena_failed(a))
        return;
    memcpy(ret->mailbox, guid, sizeof ret->mailbox);
    graph_guid_bytes("provider", name, ret->provider);
    graph_guid_bytes("replica", name, ret->replica);
}

static void put_number(uint8_t *p, uint64_t v, int n)
{
    for (int i = n - 1; i >= 0; i--, v >>= 8)
        p[i] = (uint8_t)v;
}

static int64_t get_number(const uint8_t *p, int n)
{
    uint64_t v = 0;
    for (int i = 0; i < n; i++)
        v = v << 8 | p[i];
    return (int64_t)v;
}

static void put_item(const struct graph_store *s, const struct graph_item *item, uint8_t *p)
{
    memset(p, 0, ITEM_BYTES);
    memcpy(p, prefix, sizeof prefix);
    memcpy(p + AT_MAILBOX, s->mailbox, 36);
    p[AT_HEAD + 1] = 0x46;
    memcpy(p + AT_PROVIDER, s->provider, 16);
    p[AT_PROVIDER + 16] = 7;
    memcpy(p + AT_FOLDER, s->replica, 16);
    put_number(p + AT_FOLDER + 16, (uint64_t)item->folder, 6);
    memcpy(p + AT_ITEM, s->replica, 16);
    put_number(p + AT_ITEM + 16, (uint64_t)item->item, 6);
}

/* An occurrence's id is its series' with the day in it, and so eleven bytes longer. */
static void put_occurrence(const uint8_t *master, int64_t day, uint8_t *p)
{
    memcpy(p, master, AT_HEAD);
    memcpy(p + AT_HEAD, occurrence_head, sizeof occurrence_head);
    put_number(p + AT_HEAD + 4, (uint64_t)((day + DAYS_TO_1970) * TICKS_PER_DAY), 8);
    memcpy(p + AT_HEAD + 12, master + AT_HEAD + 1, 5);
    memcpy(p + AT_HEAD + 17, master + AT_PROVIDER, ITEM_BYTES - AT_PROVIDER);
    p[OCCURRENCE_BYTES - 1] = 0x10;
}

/* Base64 with '_' for '+' and '-' for '/', the other way round than RFC 4648 has it. */
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

const char *graph_item_id(struct arena *a, const struct graph_store *s,
                          const struct graph_item *item)
{
    uint8_t master[ITEM_BYTES], whole[OCCURRENCE_BYTES];
    put_item(s, item, master);
    if (!item->occurrence)
        return base64_text(a, digits, master, sizeof master);
    put_occurrence(master, item->day, whole);
    return base64_text(a, digits, whole, sizeof whole);
}

/* Of each byte the digit that it is, of either alphabet, plus one; 0: none. */
static const uint8_t values[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['_'] = 63,
    ['/'] = 64, ['-'] = 64};

/* The digits of so many bytes, without what fills the last four up. */
#define DIGITS_OF(bytes) (((bytes)*4 + 2) / 3)

/* The bytes of an id, into a room of OCCURRENCE_BYTES; 0: it is none. Padding may be left out. */
static size_t decode(const char *id, uint8_t *to)
{
    size_t len = strlen(id), n, i = 0;
    if (len && len % 4 == 0 && id[len - 1] == '=')
        len -= id[len - 2] == '=' ? 2 : 1;
    n = len == DIGITS_OF(ITEM_BYTES)         ? ITEM_BYTES
        : len == DIGITS_OF(OCCURRENCE_BYTES) ? OCCURRENCE_BYTES
                                             : 0;
    if (!n)
        return 0;
    for (; len - i >= 4; i += 4, to += 3) {
        const int w = values[(uint8_t)id[i]] - 1, x = values[(uint8_t)id[i + 1]] - 1,
                  y = values[(uint8_t)id[i + 2]] - 1, z = values[(uint8_t)id[i + 3]] - 1;
        if ((w | x | y | z) < 0)
            return 0;
        to[0] = (uint8_t)(w << 2 | x >> 4);
        to[1] = (uint8_t)(x << 4 | y >> 2);
        to[2] = (uint8_t)(y << 6 | z);
    }
    const int w = values[(uint8_t)id[i]] - 1, x = values[(uint8_t)id[i + 1]] - 1,
              y = n == ITEM_BYTES ? values[(uint8_t)id[i + 2]] - 1 : 0;
    if ((w | x | y) < 0 || (n == ITEM_BYTES ? y & 3 : x & 15))
        return 0;
    to[0] = (uint8_t)(w << 2 | x >> 4);
    if (n == ITEM_BYTES)
        to[1] = (uint8_t)(x << 4 | y >> 2);
    return n;
}

int graph_item_read(const struct graph_store *s, const char *id, struct graph_item *ret)
{
    uint8_t master[ITEM_BYTES], whole[OCCURRENCE_BYTES], p[OCCURRENCE_BYTES];
    const size_t n = decode(id, p);
    *ret = (struct graph_item){0};
    if (!n || memcmp(p, prefix, sizeof prefix) != 0)
        return -1;
    size_t shift = n - ITEM_BYTES;
    bool occurrence = shift > 0;
    ret->occurrence = occurrence;
    shift -= occurrence; /* the last byte is behind what is looked at */
    ret->folder = get_number(p + AT_FOLDER + 16 + shift, 6);
    ret->item = get_number(p + AT_ITEM + 16 + shift, 6);
    if (occurrence) {
        int64_t ticks = get_number(p + AT_HEAD + 4, 8);
        ret->day = ticks / TICKS_PER_DAY - DAYS_TO_1970;
        if (ticks < 0 || ret->day > INT64_C(2932896))
            return -1;
    }
    put_item(s, ret, master);
    if (occurrence)
        put_occurrence(master, ret->day, whole);
    if (memcmp(p, occurrence ? whole : master, n) == 0)
        return 1;
    return 0;
}

const char *graph_item_linked(struct arena *a, const char *id)
{
    size_t n = strlen(id);
    char *out = arena_alloc(a, 3 * n + 1), *p = out;
    if (arena_failed(a))
        return "";
    for (size_t i = 0; i < n; i++) {
        const char *escape = id[i] == '-'   ? "%2F"
                             : id[i] == '_' ? "%2B"
                             : id[i] == '=' ? "%3D"
                                            : NULL;
        if (escape) {
            memcpy(p, escape, 3);
            p += 3;
        } else {
            *p++ = id[i];
        }
    }
    *p = 0;
    return out;
}

const char *graph_change_key(struct arena *a, const struct graph_store *s, int64_t change)
{
    uint8_t bytes[22];
    memcpy(bytes, s->replica, 16);
    put_number(bytes + 16, (uint64_t)change, 6);
    return base64_text(a, NULL, bytes, sizeof bytes);
}
