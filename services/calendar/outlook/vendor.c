/* SPDX-License-Identifier: Apache-2.0 */
/* What Microsoft decides about calendars: the forms of UIDs and keys, what guests may change, one
 * reminder, copies that stay when the organizer cancels. */
#include "engine/base/codec.h"
#include "services/calendar/core/vendor.h"
#include "services/calendar/outlook/ocal.h"
#include <xxhash.h>

/* A global object id (MG-404). It follows from the key alone, as documents need it; so its time,
 * within the year 2026, and its last bytes do too. */
static const char *make_uid(struct tx *tx, const char *key)
{
    static const int64_t year = INT64_C(134116992000000000), ticks = INT64_C(315360000000000);
    const uint64_t a = XXH3_64bits(key, strlen(key)), b = XXH3_64bits_withSeed(key, strlen(key), a);
    int64_t time = year + (int64_t)(a % (uint64_t)ticks);
    uint8_t bytes[56] = {0x04, 0,    0,    0,    0x82, 0,    0xe0, 0,
                         0x74, 0xc5, 0xb7, 0x10, 0x1a, 0x82, 0xe0, 0x08};
    char text[113];
    for (int i = 0; i < 8; i++)
        bytes[20 + i] = (uint8_t)((uint64_t)time >> 8 * i);
    bytes[36] = 0x10;
    for (int i = 0; i < 8; i++) {
        bytes[40 + i] = (uint8_t)(a >> 8 * i);
        bytes[48 + i] = (uint8_t)(b >> 8 * i);
    }
    hex_encode(text, bytes, sizeof bytes);
    for (char *p = text; *p; p++)
        if (*p >= 'a')
            *p = (char)(*p - 32);
    return arena_strdup(tx->arena, text);
}

static const char *make_key(struct tx *tx, const char *uid)
{
    return cal_event_uid_key(tx, uid);
}

const struct cal_vendor ocal_vendor = {
    .name = "microsoft",
    .uid = make_uid,
    .key = make_key,
    .reminds = true,
    .reminder_minutes = 15,
    .hides_private = true,
    .guests_never = PART_RIGHTS,
    .guests_all = 0,
    .copy_time = COPY_ANSWERED,
    .own_visibility = true,
    .keeps_cancelled = true,
    .letter = ocal_letter,
};
