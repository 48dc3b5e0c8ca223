/* SPDX-License-Identifier: Apache-2.0 */
/* Files that people encrypt themselves: the token that their organisation's key service
 * requires. */
#include "engine/text/civil.h"
#include "identity/jwt.h"
#include "services/drive/google/org/key_service.h"
#include "services/drive/google/sharing/access.h"
#include "services/drive/google/scopes.h"

#define SIGNER "gsuitecse-tokenissuer-drive@system.gserviceaccount.com"
enum { TOKEN_S = 3600 };

/* The file that is meant, or a new one's id. */
static int token_file(struct call *c, const char **ret)
{
    const char *file = param_str(c, "fileId"), *parent = param_str(c, "parent");
    struct gdrive_subject s;
    if (gdrive_view(c, &s.view) < 0)
        return -1;
    if (file && parent) {
        call_why(c, "fileId and parent are both given, expected one of them");
        return call_fail(c, SOSIA_E_INVALID, "invalid", "parent", "Invalid Value");
    }
    if (file || parent) {
        if (gdrive_open_any(&s.view, file ? file : parent, ROLE_SEES, &s.item, &s.access) < 0 ||
            gdrive_may(&s.view.viewer, &s.item, &s.access, &s.cans) < 0)
            return -1;
        if (!can(&s.cans, file ? CAN_EDIT : CAN_ADD_CHILDREN))
            return gdrive_insufficient(c);
    }
    *ret = file ? s.item.key : gdrive_new_key(&c->tx, DRIVE_FILE);
    return *ret ? 0 : -1;
}

/* The claims of a key service's token, as documented for its authorization tokens. */
static int sign_token(struct call *c, const char *file, const struct gdrive_key_service *k,
                      const char **ret)
{
    struct json_writer w;
    struct buf b;
    int64_t now_s = c->tx.now_us / US_PER_SECOND;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_word(&w, "iss", SIGNER);
    json_word(&w, "aud", "cse-authorization");
    json_str(&w, "email", c->actor.email);
    json_word(&w, "email_type", "google");
    json_word(&w, "role", "writer");
    json_str(&w, "resource_name",
             arena_printf(c->tx.arena, "//googleapis.com/drive/files/%s", file));
    json_word(&w, "perimeter_id", "");
    json_str(&w, "kacls_url", k->url);
    json_int(&w, "iat", now_s);
    json_int(&w, "exp", now_s + TOKEN_S);
    json_end(&w);
    int rc = buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                            : jwt_sign(c->tx.arena, SIGNER, buf_str(&b), b.len, ret, c->tx.err);
    buf_done(&b);
    return rc;
}

static int files_generate_cse_token(struct call *c)
{
    struct json_writer *w = c->out;
    struct gdrive_key_service k;
    const char *file, *jwt;
    if (token_file(c, &file) < 0)
        return -1;
    int r = gdrive_key_service(&c->tx, email_domain(c->actor.email ? c->actor.email : ""), &k);
    if (r < 1)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", NULL,
                                 "Client-side encryption is not enabled for this user.");
    if (sign_token(c, file, &k, &jwt) < 0)
        return -1;
    json_obj(w, NULL);
    json_word(w, "kind", "drive#generateCseTokenResponse");
    json_str(w, "fileId", file);
    json_str(w, "jwt", jwt);
    json_int_str(w, "currentKaclsId", k.number);
    json_str(w, "currentKaclsName", k.name);
    json_end(w);
    return 0;
}

static const struct param token_params[] = {
    {.name = "fileId", .place = IN_QUERY},
    {.name = "parent", .place = IN_QUERY},
};

static const struct route methods[] = {
    {ROUTE("drive.files.generateCseToken", GET, "/drive/v3/files/generateCseToken"),
     .handler = files_generate_cse_token, .risk = RISK_DRAFT, .scopes = DRIVE, PARAMS(token_params),
     .response = "GenerateCseTokenResponse",
     .summary = "A token for files that are encrypted by those who write them"},
};

const struct rows gdrive_encryption = ROWS(methods);
