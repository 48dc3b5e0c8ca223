/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The secret of each world, which ids that open something come from (tx_secret()). It is beside
 * the world's trees and in no page, so dump, diff, hash and rows never have it. A fork's is its
 * parent's with the fork's id mixed in, which is put off until somebody asks; one that all worlds
 * share stays as it is, so that forks of it do the same.
 */
#include "engine/base/codec.h"
#include "engine/world/engine.h"
#include <gnutls/crypto.h>
#include <stdio.h>
#include <sys/random.h>

static void mix(struct world_secret *s, const void *key, size_t key_len, const void *data, size_t n)
{
    uint8_t digest[32];
    gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key_len, data, n, digest);
    memcpy(s->key, digest, sizeof s->key);
    explicit_bzero(digest, sizeof digest);
}

void secrets_open(struct sosia_engine *e)
{
    static const char purpose[] = "sosia world secret";
    const char *text = e->options.world_secret ? e->options.world_secret : "";
    mix(&e->shared, purpose, sizeof purpose - 1, text, strlen(text));
    e->options.world_secret = NULL;
}

int world_secret_new(const struct sosia_engine *e, uint64_t world, struct world_secret *ret,
                     struct sosia_err *err)
{
    *ret = e->shared;
    if (!e->options.random_secrets)
        return 0;
    ret->of = world;
    if (getrandom(ret->key, sizeof ret->key, 0) != sizeof ret->key)
        return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "the system gives no random bytes");
    return 0;
}

const struct world_secret *world_secret_own(struct world *w)
{
    struct world_secret *s = &w->secret;
    if (s->of && s->of != w->id) {
        mix(s, s->key, sizeof s->key, &w->id, sizeof w->id);
        s->of = w->id;
    }
    return s;
}

void world_secret_take(struct world *w, const struct world_secret *secret)
{
    w->secret = *secret;
    if (secret->of)
        w->secret.of = w->id;
}

static const char *const words[] = {"shared ", "own "};

void world_secret_write(const struct world_secret *secret, char ret_text[WORLD_SECRET_TEXT])
{
    const char *word = words[secret->of != 0];
    size_t n = strlen(word);
    memcpy(ret_text, word, n);
    hex_encode(ret_text + n, secret->key, sizeof secret->key);
}

bool world_secret_read(const char *text, struct world_secret *ret)
{
    size_t own = str_starts(text, words[1]);
    ret->of = own ? UINT64_MAX : 0;
    return str_starts(text, words[own]) &&
           hex_decode(ret->key, text + strlen(words[own]), sizeof ret->key) == 0;
}
