/* SPDX-License-Identifier: Apache-2.0 */
/* ID tokens of OpenID Connect. */
#include "identity/account.h"
#include "vendors/google/signin/internal.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

#define LIFE_S 3600

const char *google_user_id(struct arena *a, const char *email)
{
    uint64_t h = XXH3_64bits_withSeed(email, strlen(email), 7);
    return arena_printf(a, "1%020llu", (unsigned long long)h);
}

const char *google_subject(struct tx *tx, const struct actor *who)
{
    struct account account;
    if (account_of(tx, who->id, "google", NULL, &account) == 1)
        return account.name;
    return google_user_id(tx->arena, service_email(who));
}

static void write_claims(struct call *c, struct json_writer *w, const struct actor *who,
                         const struct id_token *in)
{
    struct arena *a = c->tx.arena;
    int64_t now = c->tx.now_us / US_PER_SECOND;
    json_obj(w, NULL);
    json_str(w, "iss", oauth_issuer(c));
    json_str(w, "azp", in->client_id);
    json_str(w, "aud", in->audience ? in->audience : in->client_id);
    json_str(w, "sub", google_subject(&c->tx, who));
    if (who->org && strcmp(who->kind, "person") == 0)
        json_str(w, "hd", email_domain(who->email));
    if (*who->email && scopes_have(in->scopes, SCOPE_EMAIL, strlen(SCOPE_EMAIL))) {
        json_str(w, "email", who->email);
        json_bool(w, "email_verified", true);
    }
    if (in->access_token)
        json_str(w, "at_hash", jwt_at_hash(a, in->access_token));
    json_str_opt(w, "nonce", in->nonce);
    if (scopes_have(in->scopes, SCOPE_PROFILE, strlen(SCOPE_PROFILE))) {
        size_t n = strcspn(who->name, " ");
        json_str(w, "name", who->name);
        json_strn(w, "given_name", who->name, n);
        if (who->name[n])
            json_str(w, "family_name", who->name + n + 1);
    }
    json_int(w, "iat", now);
    json_int(w, "exp", now + LIFE_S);
    json_end(w);
}

int oauth_id_token(struct call *c, const struct actor *who, const struct id_token *in,
                   const char **ret_jwt)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 16384);
    json_init(&w, &b, false, NULL);
    write_claims(c, &w, who, in);
    int rc = buf_failed(&b)
                 ? call_fail(c, SOSIA_E_INVALID, "invalid_request", NULL, "The nonce is too long.")
                 : jwt_sign(c->tx.arena, KEY_OF_SERVER, b.data, b.len, ret_jwt, c->tx.err);
    buf_done(&b);
    return rc;
}
