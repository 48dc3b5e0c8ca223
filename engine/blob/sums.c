/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of bytes that the library of hashes does not have: quickXorHash and CRC-32C. */
#include "engine/blob/impl.h"

/* ---- quickXorHash ----
 *
 * Byte i is at bit 11 i of a ring of 160 bits, so those 160 bytes apart are at the same place: they
 * are added up byte by byte, and turned once at the end. The length is added to the last 8 bytes.
 */

enum { RING_BITS = 160, RING_BYTES = 20, SHIFT = 11 };

void quickxor_add(struct quickxor *q, const uint8_t *data, size_t n)
{
    size_t at = q->length % SOSIA_LEN(q->lanes);
    q->length += n;
    while (n) {
        size_t part = SOSIA_LEN(q->lanes) - at < n ? SOSIA_LEN(q->lanes) - at : n;
        size_t i = 0;
        for (uint64_t here, more; i + sizeof more <= part; i += sizeof more) {
            memcpy(&here, q->lanes + at + i, sizeof here);
            memcpy(&more, data + i, sizeof more);
            here ^= more;
            memcpy(q->lanes + at + i, &here, sizeof here);
        }
        for (; i < part; i++)
            q->lanes[at + i] ^= data[i];
        data += part;
        n -= part;
        at = 0;
    }
}

void quickxor_end(const struct quickxor *q, uint8_t ret[RING_BYTES])
{
    memset(ret, 0, RING_BYTES);
    for (size_t i = 0; i < SOSIA_LEN(q->lanes); i++) {
        size_t bit = i * SHIFT % RING_BITS, byte = bit / 8;
        unsigned turned = (unsigned)q->lanes[i] << bit % 8;
        ret[byte] ^= (uint8_t)turned;
        ret[(byte + 1) % RING_BYTES] ^= (uint8_t)(turned >> 8);
    }
    for (size_t i = 0; i < 8; i++)
        ret[RING_BYTES - 8 + i] ^= (uint8_t)(q->length >> 8 * i);
}

/* ---- CRC-32C (Castagnoli), the least bit first ---- */

/* Of half a byte. */
static const uint32_t crc_table[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75};

static uint32_t crc32c_plain(uint32_t crc, const uint8_t *data, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        crc = crc_table[(crc ^ data[i]) & 15] ^ crc >> 4;
        crc = crc_table[(crc ^ data[i] >> 4) & 15] ^ crc >> 4;
    }
    return crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static uint32_t crc32c_quick(uint32_t crc, const uint8_t *data,
                                                               size_t n)
{
    uint64_t wide = crc, word;
    for (; n >= sizeof word; data += sizeof word, n -= sizeof word) {
        memcpy(&word, data, sizeof word);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    return crc32c_plain((uint32_t)wide, data, n);
}
#endif

uint32_t crc32c_add(uint32_t sum, const void *data, size_t n)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("sse4.2"))
        return ~crc32c_quick(~sum, data, n);
#endif
    return ~crc32c_plain(~sum, data, n);
}
