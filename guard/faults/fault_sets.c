/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of faults that have names. */
#include "guard/faults/faults.h"

static const struct {
    const char *name, *text;
} sets[] = {
    {"rate-limited", "faults: 1\n"
                     "rules:\n"
                     "  - name: rate-limited\n"
                     "    fault: rate-limit\n"
                     "    calls: {from: 3, every: 4}\n"
                     "    retry_after: 2\n"},
    {"flaky", "faults: 1\n"
              "rules:\n"
              "  - {name: flaky-unavailable, fault: server-error, status: 503, chance: 0.08}\n"
              "  - {name: flaky-failed, fault: server-error, status: 500, chance: 0.04}\n"
              "  - {name: flaky-gateway, fault: server-error, status: 502, chance: 0.03}\n"
              "  - {name: flaky-reset, fault: reset, chance: 0.03}\n"
              "  - {name: flaky-truncated, fault: truncated, chance: 0.02}\n"},
    {"slow", "faults: 1\n"
             "rules:\n"
             "  - {name: slow-answer, fault: slow, delay_ms: 1500, clock: real, chance: 0.3}\n"
             "  - {name: slow-minute, fault: slow, delay_ms: 60000, clock: world, chance: 0.1}\n"},
    {"lost-answers", "faults: 1\n"
                     "rules:\n"
                     "  - name: lost-error\n"
                     "    fault: lost-answer\n"
                     "    lost: error\n"
                     "    risks: [draft, write, external, destructive]\n"
                     "    chance: 0.2\n"
                     "  - name: lost-connection\n"
                     "    fault: lost-answer\n"
                     "    lost: reset\n"
                     "    risks: [draft, write, external, destructive]\n"
                     "    chance: 0.2\n"},
};

const char *const fault_set_names[] = {"rate-limited", "flaky", "slow", "lost-answers", NULL};

const char *fault_set(const char *name, size_t len)
{
    for (size_t i = 0; i < SOSIA_LEN(sets); i++)
        if (strlen(sets[i].name) == len && memcmp(sets[i].name, name, len) == 0)
            return sets[i].text;
    return NULL;
}
