/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chain of a journal's entries: each link is the SHA-256 of the one before it, in bytes, and of
 * the entry's text, and so depends on all that came before. It begins with zeros at the very first
 * entry.
 */
#ifndef SOSIA_JOURNAL_CHAIN_H
#define SOSIA_JOURNAL_CHAIN_H

#include "engine/base/err.h"
#include <gnutls/crypto.h>
#include <stddef.h>
#include <stdint.h>

#define CHAIN_LINK 32

struct chain {
    gnutls_hash_hd_t hash;
    uint8_t link[CHAIN_LINK];
};

/* chain_close() in any case. */
int chain_open(struct chain *c, struct sosia_err *err);
void chain_close(struct chain *c);
void chain_add(struct chain *c, const char *text, size_t len);
/* Of a text by itself. */
void chain_text(struct chain *c, const char *text, size_t len, char ret_hex[2 * CHAIN_LINK + 1]);

#endif
