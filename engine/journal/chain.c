/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/journal/chain.h"
#include "engine/base/codec.h"
#include <string.h>

int chain_open(struct chain *c, struct sosia_err *err)
{
    memset(c, 0, sizeof *c);
    return gnutls_hash_init(&c->hash, GNUTLS_DIG_SHA256) < 0 ? sosia_fail_memory(err) : 0;
}

void chain_close(struct chain *c)
{
    if (c->hash)
        gnutls_hash_deinit(c->hash, NULL);
}

void chain_text(struct chain *c, const char *text, size_t len, char ret_hex[2 * CHAIN_LINK + 1])
{
    uint8_t digest[CHAIN_LINK];
    gnutls_hash(c->hash, text, len);
    gnutls_hash_output(c->hash, digest); /* and begins anew */
    hex_encode(ret_hex, digest, sizeof digest);
}

void chain_add(struct chain *c, const char *text, size_t len)
{
    gnutls_hash(c->hash, c->link, sizeof c->link);
    gnutls_hash(c->hash, text, len);
    gnutls_hash_output(c->hash, c->link); /* and begins anew */
}
