/* SPDX-License-Identifier: Apache-2.0 */
/* Times as texts, numbers that follow from texts, and events. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/world/engine.h"
#include "services/chat/core/impl.h"
#include <stdio.h>

void chat_ts_text(char ret_text[CHAT_TS_LEN], int64_t us)
{
    char *p = ret_text + 17;
    int64_t s = us / US_PER_SECOND, rest = us % US_PER_SECOND;
    if (s < 1000000000 || s > 9999999999) {
        snprintf(ret_text, CHAT_TS_LEN, "%010lld.%06lld", (long long)s, (long long)rest);
        return;
    }
    *p = 0;
    for (int i = 0; i < 6; i++, rest /= 10)
        *--p = (char)('0' + rest % 10);
    *--p = '.';
    for (int i = 0; i < 10; i++, s /= 10)
        *--p = (char)('0' + s % 10);
}

int chat_ts_read(const char *text, int64_t *ret_us)
{
    size_t n = strspn(text, "0123456789"), m = 0;
    int64_t s = 0, rest = 0, unit = US_PER_SECOND / 10;
    if (n > 11 || (!n && text[0] != '.'))
        return -1;
    if (n && parse_i64(text, n, &s) < 0)
        return -1;
    if (text[n] == '.') {
        const char *p = text + n + 1;
        m = strspn(p, "0123456789");
        if (p[m] || m > 9 || (!n && !m))
            return -1;
        for (size_t i = 0; i < m && unit; i++, unit /= 10)
            rest += (p[i] - '0') * unit;
    } else if (text[n]) {
        return -1;
    }
    *ret_us = s * US_PER_SECOND + rest;
    return 0;
}

uint64_t chat_hash(const char *text)
{
    return hash_bytes(text, strlen(text)) * UINT64_C(0x9E3779B97F4A7C15);
}

void chat_notify(struct tx *tx, const char *kind, enum event_operation operation, int64_t scope,
                 int64_t entity, const char *const *members, const struct chat_change *detail)
{
    event_raise(tx, &(struct world_event){
                        .kind = kind,
                        .operation = operation,
                        .scope = scope,
                        .entity = entity,
                        .members = members,
                        .detail = detail ? arena_memdup(tx->arena, detail, sizeof *detail) : NULL});
}
