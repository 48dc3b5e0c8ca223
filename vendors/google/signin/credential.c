/* SPDX-License-Identifier: Apache-2.0 */
/* The files in which Google's libraries keep credentials: a service account's key, a person's
 * refresh token. */
#include "vendors/google/signin/internal.h"

static int service_account(struct tx *tx, const struct actor *actor, const char *base_url,
                           struct json_writer *w)
{
    struct ident_service account;
    char id[JWT_KEY_ID_LEN + 1];
    const char *pem;
    int r = service_find(tx, actor->handle, &account);
    if (r != 1 || account.public_key)
        return r < 0 ? -1 : 0; /* a key that was given from outside is known there only */
    const char *label = service_key_label(tx, actor);
    if (!label || jwt_key_id(label, id, tx->err) < 0 ||
        jwt_key_private(tx->arena, label, &pem, tx->err) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "type", "service_account");
    json_str(w, "project_id", "sosia");
    json_str(w, "private_key_id", id);
    json_str(w, "private_key", pem);
    json_str(w, "client_email", service_email(actor));
    json_str(w, "client_id", account.client_id);
    json_str(w, "auth_uri", arena_printf(tx->arena, "%s/o/oauth2/auth", base_url));
    json_str(w, "token_uri", arena_printf(tx->arena, "%s/token", base_url));
    json_str(w, "auth_provider_x509_cert_url",
             arena_printf(tx->arena, "%s/oauth2/v1/certs", base_url));
    json_str(w, "universe_domain", "googleapis.com");
    json_end(w);
    return 1;
}

static int authorized_user(struct tx *tx, const struct actor *actor, const char *base_url,
                           struct json_writer *w)
{
    struct oauth_grant grant;
    struct ident_app client;
    int r = oauth_grant_of(tx, actor->id, &grant);
    if (r != 1 || (r = app_get(tx, grant.app, &client)) != 1)
        return r;
    json_obj(w, NULL);
    json_str(w, "type", "authorized_user");
    json_str(w, "client_id", client.client_id);
    json_str_opt(w, "client_secret", client.secret);
    json_str(w, "refresh_token", grant.token);
    json_str(w, "token_uri", arena_printf(tx->arena, "%s/token", base_url));
    json_str(w, "universe_domain", "googleapis.com");
    json_end(w);
    return 1;
}

const char *const oauth_credential_kinds[] = {"google_service_account", "google_authorized_user",
                                              NULL};

int oauth_credential(struct tx *tx, const char *kind, const struct actor *actor,
                     const char *base_url, struct buf *out)
{
    struct json_writer w;
    json_init(&w, out, true, NULL);
    if (strcmp(kind, "google_service_account") == 0)
        return service_account(tx, actor, base_url, &w);
    if (strcmp(kind, "google_authorized_user") == 0)
        return authorized_user(tx, actor, base_url, &w);
    return 0;
}
