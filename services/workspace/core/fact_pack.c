/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commits and tags in git's packs: an index (version 2) says where in its pack an object is, which
 * is there by itself or as what differs from another one. Of the files only what is needed is read,
 * and what is none of this form says nothing.
 */
#include "services/workspace/core/fact_pack.h"
#include "engine/base/codec.h"
#include "services/workspace/core/node.h"
#include <zlib.h>

#define PACKS_MAX  16 /* of a repository that are looked into */
#define DEPTH_MAX  16 /* of differences from one another */
#define ID_MAX     32 /* bytes of an object's id: 20 or 32 */
#define HEAD_BYTES 64 /* in front of what is compressed */
#define NAMES      (8 + 4 * 256)

enum { OBJECT_COMMIT = 1, OBJECT_TAG = 4, OBJECT_FROM_PLACE = 6, OBJECT_FROM_ID = 7 };

struct pack {
    struct tx *tx;
    struct workspace_node index, objects;
    size_t id_len;
    int64_t n;
    size_t most; /* bytes of an object that are looked at */
};
struct object {
    int type;
    const uint8_t *data;
    size_t len;
};

/* n bytes of a file: 1; 0 it has not so many there; -1. */
static int bytes_at(struct tx *tx, const struct workspace_node *f, int64_t at, size_t n,
                    uint8_t *ret)
{
    struct buf b;
    if (at < 0 || at > f->size || (int64_t)n > f->size - at)
        return 0;
    buf_init(&b, 0);
    int r = workspace_read(tx, f, at, at + (int64_t)n, &b);
    if (r == 0 && b.len == n)
        memcpy(ret, b.data, n);
    bool whole = b.len == n;
    buf_done(&b);
    return r < 0 ? -1 : whole;
}

static int number_at(struct pack *p, int64_t at, uint32_t *ret)
{
    uint8_t b[4];
    int r = bytes_at(p->tx, &p->index, at, sizeof b, b);
    if (r == 1)
        *ret = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    return r;
}

/* ---- where an object is ---- */

/* The place of an id in the index: 1, 0, -1. */
static int find(struct pack *p, const uint8_t *id, int64_t *ret)
{
    uint32_t low = 0, high;
    uint8_t there[ID_MAX];
    int r = *id ? number_at(p, 8 + 4 * (*id - 1), &low) : 1;
    if (r != 1 || (r = number_at(p, 8 + 4 * *id, &high)) != 1)
        return r;
    if (low > high || high > p->n)
        return 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if ((r = bytes_at(p->tx, &p->index, NAMES + (int64_t)middle * (int64_t)p->id_len, p->id_len,
                          there)) != 1)
            return r;
        const int order = memcmp(id, there, p->id_len);
        if (order == 0) {
            *ret = middle;
            return 1;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

static int offset_of(struct pack *p, const uint8_t *id, int64_t *ret)
{
    int64_t place;
    uint32_t low, high;
    int r = find(p, id, &place);
    if (r != 1)
        return r;
    const int64_t offsets = NAMES + p->n * (int64_t)(p->id_len + 4);
    if ((r = number_at(p, offsets + 4 * place, &low)) != 1)
        return r;
    *ret = low;
    if (!(low & 0x80000000))
        return 1;
    const int64_t large = offsets + 4 * p->n + 8 * (int64_t)(low & 0x7fffffff);
    if ((r = number_at(p, large, &high)) != 1 || (r = number_at(p, large + 4, &low)) != 1)
        return r;
    if (high & 0x80000000)
        return 0;
    *ret = (int64_t)((uint64_t)high << 32 | low);
    return 1;
}

/* ---- what it has ---- */

/* Not more than is looked at. */
static int unpack(struct pack *p, const uint8_t *data, size_t len, struct object *ret)
{
    uint8_t *out = arena_alloc(p->tx->arena, p->most + 1);
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)len};
    if (!out || inflateInit(&z) != Z_OK)
        return -1;
    z.next_out = out;
    z.avail_out = (uInt)p->most;
    int r = inflate(&z, Z_SYNC_FLUSH);
    ret->data = out;
    ret->len = p->most - z.avail_out;
    inflateEnd(&z);
    return r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR;
}

/* A number of seven bits a byte, the least first. False: it is none. */
static bool read_size(const uint8_t **at, const uint8_t *end, size_t *ret)
{
    size_t n = 0;
    for (unsigned shift = 0; *at < end && shift < 56; shift += 7) {
        const uint8_t b = *(*at)++;
        n |= (size_t)(b & 0x7f) << shift;
        if (!(b & 0x80)) {
            *ret = n;
            return true;
        }
    }
    return false;
}

/* A part of a number, of which a byte is there where its bit is set. */
static bool read_bits(const uint8_t **at, const uint8_t *end, uint8_t bits, int n, size_t *ret)
{
    *ret = 0;
    for (int i = 0; i < n; i++)
        if (bits >> i & 1) {
            if (*at == end)
                return false;
            *ret |= (size_t) * (*at)++ << 8 * i;
        }
    return true;
}

/* What a list of copies from another object and of new bytes makes: 1, 0 it is none, -1. */
static int put_together(struct pack *p, const struct object *from, const struct object *list,
                        struct object *ret)
{
    const uint8_t *at = list->data, *end = at + list->len;
    size_t before, len, n = 0;
    if (!read_size(&at, end, &before) || !read_size(&at, end, &len) || before != from->len ||
        len > p->most)
        return 0;
    uint8_t *out = arena_alloc(p->tx->arena, len + 1);
    if (!out)
        return -1;
    while (at < end && n < len) {
        const uint8_t what = *at++;
        size_t offset = 0, size = what & 0x7f;
        const uint8_t *source = at;
        if (what & 0x80) {
            if (!read_bits(&at, end, what & 0x0f, 4, &offset) ||
                !read_bits(&at, end, what >> 4 & 7, 3, &size))
                return 0;
            size = size ? size : 0x10000;
            if (offset > from->len || size > from->len - offset)
                return 0;
            source = from->data + offset;
        } else {
            if (!size || size > (size_t)(end - at))
                return 0;
            at += size;
        }
        if (size > len - n)
            return 0;
        memcpy(out + n, source, size);
        n += size;
    }
    *ret = (struct object){.type = from->type, .data = out, .len = n};
    return n == len;
}

/* How far in front of the object the one is that it differs from. */
static bool read_distance(const uint8_t **at, const uint8_t *end, int64_t *ret)
{
    if (*at == end)
        return false;
    uint8_t b = *(*at)++;
    int64_t n = b & 0x7f;
    while (b & 0x80) {
        if (*at == end || n > INT64_MAX >> 8)
            return false;
        b = *(*at)++;
        n = ((n + 1) << 7) | (b & 0x7f);
    }
    *ret = n;
    return true;
}

static int read_object(struct pack *p, int64_t offset, int depth, struct object *ret)
{
    const int64_t rest = p->objects.size - offset, most = (int64_t)p->most + HEAD_BYTES;
    const size_t n = (size_t)(rest < most ? rest : most);
    struct object list, from;
    int64_t distance = 0;
    size_t size;
    if (offset <= 0 || rest <= 0 || depth > DEPTH_MAX)
        return 0;
    uint8_t *data = arena_alloc(p->tx->arena, n + 1);
    if (!data)
        return -1;
    int r = bytes_at(p->tx, &p->objects, offset, n, data);
    if (r != 1)
        return r;
    const uint8_t *at = data, *end = data + n;
    ret->type = *at >> 4 & 7;
    if (*at & 0x80) {
        at++;
        if (!read_size(&at, end, &size))
            return 0;
    } else {
        at++;
    }
    if (ret->type == OBJECT_COMMIT || ret->type == OBJECT_TAG)
        return unpack(p, at, (size_t)(end - at), ret);
    if (ret->type == OBJECT_FROM_PLACE) {
        if (!read_distance(&at, end, &distance) || distance <= 0 || distance >= offset)
            return 0;
        distance = offset - distance;
    } else if (ret->type == OBJECT_FROM_ID) {
        if ((size_t)(end - at) < p->id_len)
            return 0;
        if ((r = offset_of(p, at, &distance)) != 1)
            return r;
        at += p->id_len;
    } else {
        return 0;
    }
    if ((r = unpack(p, at, (size_t)(end - at), &list)) != 1 ||
        (r = read_object(p, distance, depth + 1, &from)) != 1)
        return r;
    return put_together(p, &from, &list, ret);
}

/* ---- the packs ---- */

static bool is_index(const struct workspace_node *n)
{
    const size_t len = strlen(n->path);
    return n->kind == NODE_FILE && len > 4 && strcmp(n->path + len - 4, ".idx") == 0;
}

/* Its pack beside an index: 1, 0 it is not of a known form, -1. */
static int open_pack(struct pack *p)
{
    static const uint8_t mark[] = {0xff, 't', 'O', 'c', 0, 0, 0, 2};
    uint8_t head[sizeof mark];
    uint32_t n;
    const char *path =
        arena_printf(p->tx->arena, "%.*s.pack", (int)strlen(p->index.path) - 4, p->index.path);
    if (!path)
        return -1;
    int r = workspace_find(p->tx, path, &p->objects);
    if (r != 1 || p->objects.kind != NODE_FILE)
        return r < 0 ? -1 : 0;
    if ((r = bytes_at(p->tx, &p->index, 0, sizeof head, head)) != 1 ||
        (r = number_at(p, 8 + 4 * 255, &n)) != 1)
        return r;
    p->n = n;
    return memcmp(head, mark, sizeof mark) == 0;
}

int pack_read(struct tx *tx, const char *git, const char *id, size_t most, const char **ret,
              size_t *ret_len)
{
    struct workspace_list list = {.dir = workspace_below(tx->arena, git, "objects/pack")};
    struct pack p = {.tx = tx, .id_len = strlen(id) / 2, .most = most};
    struct object found;
    uint8_t key[ID_MAX];
    int64_t offset;
    int r, packs = 0;
    if (p.id_len > sizeof key || hex_decode(key, id, p.id_len) < 0)
        return 0;
    while ((r = workspace_next(tx, &list, &p.index)) == 1) {
        if (!is_index(&p.index))
            continue;
        if (packs++ == PACKS_MAX)
            return 0;
        if ((r = open_pack(&p)) == 1 && (r = offset_of(&p, key, &offset)) == 1)
            r = read_object(&p, offset, 0, &found);
        if (r == 0)
            continue;
        if (r < 0)
            return -1;
        const char *name = found.type == OBJECT_COMMIT ? "commit " : "tag ";
        const size_t n = strlen(name) + 1;
        char *text = arena_alloc(tx->arena, n + found.len + 1);
        if (!text)
            return -1;
        memcpy(text, name, n);
        memcpy(text + n, found.data, found.len);
        text[n + found.len] = 0;
        *ret = text;
        *ret_len = n + found.len;
        return 1;
    }
    return r;
}
