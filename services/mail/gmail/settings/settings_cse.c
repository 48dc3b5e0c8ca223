/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Client-side encryption: key pairs, whose private halves are kept elsewhere, and the identities
 * that use them. Nothing is encrypted here; what the methods keep and refuse is.
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/gmail/settings/certs.h"
#include "services/mail/gmail/rows.h"
#include "services/mail/gmail/settings/settings.h"

#define MAX_PAIRS           1000
#define MAX_KEYS            10 /* of private halves of a pair */
#define PAGE                20
#define MAX_PAGE            500
#define OBLITERATE_AFTER_US (30 * INT64_C(86400000000))

static int precondition(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "failedPrecondition", NULL, "Precondition check failed.");
}

/* ---- lists ---- */

static int answer_with(struct call *c, const struct kept *s,
                       void (*write)(struct json_writer *w, const struct kept *s))
{
    json_obj(c->out, NULL);
    write(c->out, s);
    json_end(c->out);
    return 0;
}

/* A page of a kind: those behind pageToken, at most pageSize. */
static int list(struct call *c, const char *kind, const char *member,
                void (*write)(struct json_writer *w, const struct kept *s))
{
    struct mailbox mb;
    struct kept *all;
    size_t n, i = 0, written = 0;
    int64_t after = 0, size = param_num(c, "pageSize", PAGE);
    if (settings_share(c, &mb) < 0 || gmail_page_position(c, &mb, &after) < 0 ||
        mail_kept_list(&c->tx, &gmail_settings, mb.id, kind, &all, &n) < 0)
        return -1;
    size = size <= 0 ? PAGE : size > MAX_PAGE ? MAX_PAGE : size;
    while (i < n && all[i].id <= after)
        i++;
    json_obj(c->out, NULL);
    if (i < n) {
        json_arr(c->out, member);
        for (; i < n && written < (size_t)size; i++, written++)
            answer_with(c, &all[i], write);
        json_end(c->out);
    }
    if (i < n)
        json_str(c->out, "nextPageToken", gmail_page_token(c, &mb, all[i - 1].id));
    json_end(c->out);
    return 0;
}

/* ---- key pairs ---- */

static int answer_pair(struct call *c, const struct kept *s)
{
    return answer_with(c, s, settings_write_keypair);
}

static int open_pair(struct call *c, struct mailbox *mb, struct kept *ret)
{
    if (settings_share(c, mb) < 0)
        return -1;
    int r = mail_kept_get(&c->tx, &gmail_settings, mb->id, SETTING_KEYPAIR,
                          param_str(c, "keyPairId"), ret);
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

static int gmail_cse_keypairs_list(struct call *c)
{
    return list(c, SETTING_KEYPAIR, "cseKeyPairs", settings_write_keypair);
}

static int gmail_cse_keypairs_get(struct call *c)
{
    struct mailbox mb;
    struct kept s;
    return open_pair(c, &mb, &s) < 0 ? -1 : answer_pair(c, &s);
}

/* Whether a pair of the mailbox has such a key. */
static bool has_key(const struct kept *s, const char *id)
{
    const struct json *keys = json_get(s->value, "keys");
    for (uint32_t i = 0; keys && i < keys->n; i++)
        if (strcmp(settings_text(&keys->items[i], "privateKeyMetadataId"), id) == 0)
            return true;
    return false;
}

/* One that no dump brought. */
static int new_id(struct call *c, const struct kept *all, size_t n, const char *stream,
                  const char **ret)
{
    bool there = true;
    while (there) {
        if (settings_new_id(&c->tx, stream, ret) < 0)
            return -1;
        there = false;
        for (size_t i = 0; i < n; i++)
            there |= strcmp(all[i].key, *ret) == 0 || has_key(&all[i], *ret);
    }
    return 0;
}

/* One private half: wrapped by a key service, or on a card. */
static int write_key(struct call *c, struct json_writer *w, const struct json *key,
                     const struct kept *all, size_t n_all)
{
    const struct json *service = json_get(key, "kaclsKeyMetadata");
    const struct json *card = json_get(key, "hardwareKeyMetadata");
    const char *id;
    bool by_service = service && service->type == JSON_OBJECT;
    bool on_card = card && card->type == JSON_OBJECT;
    if (by_service == on_card)
        return settings_bad(&c->tx, "Invalid private key metadata");
    if (by_service && (!str_starts(settings_text(service, "kaclsUri"), "https://") ||
                       !*settings_text(service, "kaclsData")))
        return settings_bad(&c->tx, "Invalid KACLS key metadata");
    if (new_id(c, all, n_all, "gmail.key", &id) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "privateKeyMetadataId", id);
    if (by_service) {
        json_obj(w, "kaclsKeyMetadata");
        json_str(w, "kaclsUri", settings_text(service, "kaclsUri"));
        json_str(w, "kaclsData", settings_text(service, "kaclsData"));
        json_end(w);
    } else {
        json_obj(w, "hardwareKeyMetadata");
        json_str(w, "description", settings_text(card, "description"));
        json_end(w);
    }
    json_end(w);
    return 0;
}

static int write_keys(struct call *c, struct json_writer *w, const struct kept *all, size_t n_all)
{
    const struct json *keys = json_get(call_body(c), "privateKeyMetadata");
    uint32_t n = keys ? keys->n : 0;
    if (!n || n > MAX_KEYS)
        return settings_bad(&c->tx, "Invalid private key metadata");
    json_arr(w, "keys");
    for (uint32_t i = 0; i < n; i++)
        if (write_key(c, w, &keys->items[i], all, n_all) < 0)
            return -1;
    json_end(w);
    return 0;
}

/* The certificates of the body, which must be good for something. */
static int read_chain(struct call *c, struct certs *ret)
{
    const char *text = settings_text(call_body(c), "pkcs7");
    const char *check = param_str(c, "chainValidation");
    bool loose = check && strcmp(check, "none") == 0;
    if (certs_from_pkcs7(c->tx.arena, text, strlen(text), ret) < 0)
        return settings_bad(&c->tx, "Invalid PKCS7 certificate chain");
    if (!loose && !ret->linked)
        return settings_bad(&c->tx, "Invalid PKCS7 certificate chain");
    if (!ret->n_emails)
        return settings_bad(&c->tx, "Certificate has no email address");
    return 0;
}

/* NULL: refused. */
static const char *body_of(struct call *c, const struct certs *certs, const struct kept *all,
                           size_t n_all)
{
    struct kept_value value;
    mail_kept_begin(&value);
    json_str(&value.w, "pem", certs->pem);
    json_arr(&value.w, "emails");
    for (size_t i = 0; i < certs->n_emails; i++)
        json_str(&value.w, NULL, certs->emails[i]);
    json_end(&value.w);
    int rc = write_keys(c, &value.w, all, n_all);
    const char *text = mail_kept_end(&c->tx, &value);
    if (rc == 0 && !text)
        settings_bad(&c->tx, "Key pair is too large");
    return rc < 0 ? NULL : text;
}

static int gmail_cse_keypairs_create(struct call *c)
{
    struct mailbox mb;
    struct certs certs;
    struct kept *all, s;
    size_t n;
    const char *id, *text;
    if (settings_share(c, &mb) < 0 || read_chain(c, &certs) < 0 ||
        mail_kept_list(&c->tx, &gmail_settings, mb.id, SETTING_KEYPAIR, &all, &n) < 0)
        return -1;
    if (n >= MAX_PAIRS)
        return settings_bad(&c->tx, "Too many key pairs");
    if (!(text = body_of(c, &certs, all, n)) || new_id(c, all, n, "gmail.keypair", &id) < 0 ||
        mail_kept_put(&c->tx, &gmail_settings, mb.id, SETTING_KEYPAIR, id, text) < 0 ||
        mail_kept_get(&c->tx, &gmail_settings, mb.id, SETTING_KEYPAIR, id, &s) != 1)
        return -1;
    return answer_pair(c, &s);
}

/* Off since a time or on (0). */
static int set_disabled(struct call *c, const struct mailbox *mb, struct kept *s, int64_t since_us)
{
    if (settings_store_pair(&c->tx, mb, s->key, settings_text(s->value, "pem"),
                            json_get(s->value, "emails"), json_get(s->value, "keys"), since_us) < 0)
        return -1;
    return mail_kept_get(&c->tx, &gmail_settings, mb->id, SETTING_KEYPAIR, s->key, s) == 1 ? 0 : -1;
}

static int turn(struct call *c, bool on)
{
    struct mailbox mb;
    struct kept s;
    if (open_pair(c, &mb, &s) < 0)
        return -1;
    if (on != !settings_disabled_us(s.value) && set_disabled(c, &mb, &s, on ? 0 : c->tx.now_us) < 0)
        return -1;
    return answer_pair(c, &s);
}

static int gmail_cse_keypairs_disable(struct call *c)
{
    return turn(c, false);
}

static int gmail_cse_keypairs_enable(struct call *c)
{
    return turn(c, true);
}

static int gmail_cse_keypairs_obliterate(struct call *c)
{
    struct mailbox mb;
    struct kept s;
    if (open_pair(c, &mb, &s) < 0)
        return -1;
    int64_t off = settings_disabled_us(s.value);
    if (!off || c->tx.now_us - off <= OBLITERATE_AFTER_US)
        return precondition(c);
    return mail_kept_remove(&c->tx, &gmail_settings, mb.id, SETTING_KEYPAIR, s.key) < 0
               ? -1
               : settings_nothing(c);
}

/* ---- identities ---- */

static int answer_identity(struct call *c, const struct kept *s)
{
    return answer_with(c, s, settings_write_identity);
}

static int open_identity(struct call *c, const char *param, struct mailbox *mb, struct kept *ret)
{
    if (settings_share(c, mb) < 0)
        return -1;
    const char *email = email_normal(c->tx.arena, param_str(c, param));
    int r =
        email ? mail_kept_get(&c->tx, &gmail_settings, mb->id, SETTING_IDENTITY, email, ret) : 0;
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

static int gmail_cse_identities_list(struct call *c)
{
    return list(c, SETTING_IDENTITY, "cseIdentities", settings_write_identity);
}

static int gmail_cse_identities_get(struct call *c)
{
    struct mailbox mb;
    struct kept s;
    if (open_identity(c, "cseEmailAddress", &mb, &s) < 0)
        return -1;
    return answer_identity(c, &s);
}

/* Is there such a pair, on, and good for the address? */
static int check_pair(struct call *c, const struct mailbox *mb, const char *id, const char *email)
{
    struct kept s;
    int r = mail_kept_get(&c->tx, &gmail_settings, mb->id, SETTING_KEYPAIR, id, &s);
    if (r < 0)
        return -1;
    if (!r)
        return settings_bad(&c->tx, "Invalid key pair ID");
    const struct json *emails = json_get(s.value, "emails");
    bool found = false;
    for (uint32_t i = 0; emails && emails->type == JSON_ARRAY && i < emails->n; i++)
        found |= emails->items[i].type == JSON_STRING && strcmp(emails->items[i].str, email) == 0;
    if (!found)
        return settings_bad(&c->tx, "Key pair certificate does not match the email address");
    return settings_disabled_us(s.value) ? precondition(c) : 0;
}

/* One pair for both, or one for each. */
static int check_pairs(struct call *c, const struct mailbox *mb, const char *email)
{
    const char *one = json_get_str(call_body(c), "primaryKeyPairId");
    const struct json *two = json_get(call_body(c), "signAndEncryptKeyPairs");
    if (one && *one)
        return check_pair(c, mb, one, email);
    if (!two || two->type != JSON_OBJECT)
        return 0;
    return check_pair(c, mb, settings_text(two, "signingKeyPairId"), email) < 0
               ? -1
               : check_pair(c, mb, settings_text(two, "encryptionKeyPairId"), email);
}

static int put_identity(struct call *c, const struct mailbox *mb, const char *email)
{
    struct kept s;
    if (check_pairs(c, mb, email) < 0 ||
        settings_put_identity(&c->tx, mb, email, call_body(c)) < 0 ||
        mail_kept_get(&c->tx, &gmail_settings, mb->id, SETTING_IDENTITY, email, &s) != 1)
        return -1;
    return answer_identity(c, &s);
}

static int gmail_cse_identities_create(struct call *c)
{
    struct mailbox mb;
    struct kept s;
    const char *email;
    if (settings_share(c, &mb) < 0 ||
        settings_address(&c->tx, json_get_str(call_body(c), "emailAddress"), "email address",
                         &email) < 0)
        return -1;
    if (strcmp(email, mb.email) != 0)
        return settings_bad(&c->tx, "Invalid email address");
    int r = mail_kept_get(&c->tx, &gmail_settings, mb.id, SETTING_IDENTITY, email, &s);
    if (r)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_CONFLICT, "alreadyExists", NULL,
                                 "Requested entity already exists");
    return put_identity(c, &mb, email);
}

static int gmail_cse_identities_patch(struct call *c)
{
    struct mailbox mb;
    struct kept s;
    if (open_identity(c, "emailAddress", &mb, &s) < 0)
        return -1;
    return put_identity(c, &mb, s.key);
}

static int gmail_cse_identities_delete(struct call *c)
{
    struct mailbox mb;
    struct kept s;
    if (open_identity(c, "cseEmailAddress", &mb, &s) < 0 ||
        mail_kept_remove(&c->tx, &gmail_settings, mb.id, SETTING_IDENTITY, s.key) < 0)
        return -1;
    return settings_nothing(c);
}

/* ---- the methods ---- */

static const char *const chain_validations[] = {"all", "none", NULL};

static const struct param cse_identities_delete_params[] = {
    USER_ID,
    {.name = "cseEmailAddress", .place = IN_PATH, .required = true},
};

static const struct param cse_identities_list_params[] = {
    USER_ID,
    {.name = "pageSize", .place = IN_QUERY, .type = PARAM_INT, .def = "20"},
    {.name = "pageToken", .place = IN_QUERY},
};

static const struct param cse_identities_patch_params[] = {
    USER_ID,
    {.name = "emailAddress", .place = IN_PATH, .required = true},
};

static const struct param cse_keypairs_create_params[] = {
    USER_ID,
    {.name = "chainValidation", .place = IN_QUERY, .type = PARAM_ENUM, .values = chain_validations},
};

static const struct param cse_keypairs_disable_params[] = {
    USER_ID,
    {.name = "keyPairId", .place = IN_PATH, .required = true},
};

static const struct route identities_routes[] = {
    {ROUTE("gmail.users.settings.cse.identities.create", POST,
           "/gmail/v1/users/{userId}/settings/cse/identities"),
     .handler = gmail_cse_identities_create, .risk = RISK_WRITE, .body = BODY_JSON,
     .scopes = SETTINGS_BASIC " " SETTINGS_SHARING, PARAMS(gmail_user_params),
     .request = "CseIdentity", .response = "CseIdentity",
     .summary = "Creates an identity for client-side encryption"},
    {ROUTE("gmail.users.settings.cse.identities.delete", DELETE,
           "/gmail/v1/users/{userId}/settings/cse/identities/{cseEmailAddress}"),
     .handler = gmail_cse_identities_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = SETTINGS_BASIC " " SETTINGS_SHARING, PARAMS(cse_identities_delete_params),
     .summary = "Deletes an identity for client-side encryption"},
    {ROUTE("gmail.users.settings.cse.identities.get", GET,
           "/gmail/v1/users/{userId}/settings/cse/identities/{cseEmailAddress}"),
     .handler = gmail_cse_identities_get, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC " " SETTINGS_SHARING,
     PARAMS(cse_identities_delete_params), .response = "CseIdentity",
     .summary = "An identity for client-side encryption"},
    {ROUTE("gmail.users.settings.cse.identities.list", GET,
           "/gmail/v1/users/{userId}/settings/cse/identities"),
     .handler = gmail_cse_identities_list, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC " " SETTINGS_SHARING,
     PARAMS(cse_identities_list_params), .response = "ListCseIdentitiesResponse",
     .summary = "Lists identities for client-side encryption"},
    {ROUTE("gmail.users.settings.cse.identities.patch", PATCH,
           "/gmail/v1/users/{userId}/settings/cse/identities/{emailAddress}"),
     .handler = gmail_cse_identities_patch, .risk = RISK_WRITE, .idempotent = true,
     .body = BODY_JSON, .scopes = SETTINGS_BASIC " " SETTINGS_SHARING,
     PARAMS(cse_identities_patch_params), .request = "CseIdentity", .response = "CseIdentity",
     .summary = "Changes the key pair of an identity for client-side encryption"},
};
const struct rows gmail_identities_rows = ROWS(identities_routes);

static const struct route keypairs_routes[] = {
    {ROUTE("gmail.users.settings.cse.keypairs.create", POST,
           "/gmail/v1/users/{userId}/settings/cse/keypairs"),
     .handler = gmail_cse_keypairs_create, .risk = RISK_WRITE, .body = BODY_JSON,
     .scopes = SETTINGS_BASIC " " SETTINGS_SHARING, PARAMS(cse_keypairs_create_params),
     .request = "CseKeyPair", .response = "CseKeyPair",
     .summary = "Adds a key pair for client-side encryption"},
    {ROUTE("gmail.users.settings.cse.keypairs.disable", POST,
           "/gmail/v1/users/{userId}/settings/cse/keypairs/{keyPairId}:disable"),
     .handler = gmail_cse_keypairs_disable, .risk = RISK_WRITE, .idempotent = true,
     .body = BODY_JSON, .scopes = SETTINGS_BASIC " " SETTINGS_SHARING,
     PARAMS(cse_keypairs_disable_params), .request = "DisableCseKeyPairRequest",
     .response = "CseKeyPair", .summary = "Turns a key pair off"},
    {ROUTE("gmail.users.settings.cse.keypairs.enable", POST,
           "/gmail/v1/users/{userId}/settings/cse/keypairs/{keyPairId}:enable"),
     .handler = gmail_cse_keypairs_enable, .risk = RISK_WRITE, .idempotent = true,
     .body = BODY_JSON, .scopes = SETTINGS_BASIC " " SETTINGS_SHARING,
     PARAMS(cse_keypairs_disable_params), .request = "EnableCseKeyPairRequest",
     .response = "CseKeyPair", .summary = "Turns a key pair on again"},
    {ROUTE("gmail.users.settings.cse.keypairs.get", GET,
           "/gmail/v1/users/{userId}/settings/cse/keypairs/{keyPairId}"),
     .handler = gmail_cse_keypairs_get, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC " " SETTINGS_SHARING,
     PARAMS(cse_keypairs_disable_params), .response = "CseKeyPair",
     .summary = "A key pair for client-side encryption"},
    {ROUTE("gmail.users.settings.cse.keypairs.list", GET,
           "/gmail/v1/users/{userId}/settings/cse/keypairs"),
     .handler = gmail_cse_keypairs_list, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC " " SETTINGS_SHARING,
     PARAMS(cse_identities_list_params), .response = "ListCseKeyPairsResponse",
     .summary = "Lists key pairs for client-side encryption"},
    {ROUTE("gmail.users.settings.cse.keypairs.obliterate", POST,
           "/gmail/v1/users/{userId}/settings/cse/keypairs/{keyPairId}:obliterate"),
     .handler = gmail_cse_keypairs_obliterate, .risk = RISK_WRITE, .idempotent = true,
     .body = BODY_JSON, .scopes = SETTINGS_BASIC " " SETTINGS_SHARING,
     PARAMS(cse_keypairs_disable_params), .request = "ObliterateCseKeyPairRequest",
     .summary = "Deletes for good a key pair that was off for 30 days"},
};
const struct rows gmail_keypairs_rows = ROWS(keypairs_routes);
