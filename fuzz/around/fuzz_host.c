/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a host name: what is read is read again to the same thing, and is never this machine
 * and something else at a time. */
#include "server/host.h"
#include "fuzz/fuzz.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void read_again(const struct host *h)
{
    char text[HOST_MAX + 16];
    struct host again;
    int n = snprintf(text, sizeof text, h->ipv6 ? "[%s]" : "%s", h->name);
    if (h->port >= 0)
        n += snprintf(text + n, sizeof text - (size_t)n, ":%d", h->port);
    CHECK(host_parse(text, (size_t)n, &again) == 0);
    CHECK(strcmp(again.name, h->name) == 0 && again.port == h->port && again.ipv6 == h->ipv6);
    CHECK(host_is_loopback(&again) == host_is_loopback(h));
}

static const char *const hosts[] = {"slack.com", "*.slack.com", "*.googleapis.com", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct host h;
    bool https;
    if (host_parse((const char *)data, size, &h) == 0) {
        CHECK(strlen(h.name) <= HOST_MAX && h.name[0] && h.port >= -1 && h.port <= 65535);
        read_again(&h);
        for (const char *const *p = hosts; *p; p++)
            CHECK(!host_is_loopback(&h) || !host_matches(*p, h.name));
    }
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    if (host_parse_origin(text, &https, &h) == 0)
        read_again(&h);
    free(text);
    return 0;
}
