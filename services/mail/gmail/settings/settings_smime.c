/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates for S/MIME of addresses to send from. Only what the API shows is kept: mail is not
 * signed with them, so private keys are dropped at once.
 */
#include "engine/base/codec.h"
#include "services/mail/gmail/settings/certs.h"
#include "services/mail/gmail/rows.h"
#include "services/mail/gmail/settings/settings.h"

#define MAX_SMIME 100 /* of a mailbox */

/* The address of the path, and the certificate in it; NULL: all of them are meant. */
struct entry {
    struct mailbox mb;
    struct gmail_sender sender;
    struct kept setting;
};

static const char *key_of(struct call *c, const struct entry *e, const char *id)
{
    return arena_printf(c->tx.arena, "%s %s", e->sender.email, id);
}

static int open_address(struct call *c, struct entry *e)
{
    if (settings_open(c, &e->mb) < 0)
        return -1;
    const char *email = email_normal(c->tx.arena, param_str(c, "sendAsEmail"));
    int r = email ? gmail_sender_get(&c->tx, &e->mb, email, &e->sender) : 0;
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

static int open_entry(struct call *c, struct entry *e)
{
    if (open_address(c, e) < 0)
        return -1;
    int r = mail_kept_get(&c->tx, &gmail_settings, e->mb.id, SETTING_SMIME,
                          key_of(c, e, param_str(c, "id")), &e->setting);
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

/* Those of the address, oldest first. */
static int list_entries(struct call *c, const struct entry *e, struct kept **ret, size_t *ret_n,
                        size_t *ret_all)
{
    const char *prefix = key_of(c, e, "");
    size_t n = 0;
    if (mail_kept_list(&c->tx, &gmail_settings, e->mb.id, SETTING_SMIME, ret, ret_all) < 0)
        return -1;
    for (size_t i = 0; i < *ret_all; i++)
        if (str_starts((*ret)[i].key, prefix))
            (*ret)[n++] = (*ret)[i];
    *ret_n = n;
    return 0;
}

static int answer_smime(struct call *c, const struct kept *s)
{
    json_obj(c->out, NULL);
    settings_write_smime(c->out, s);
    json_end(c->out);
    return 0;
}

/* ---- methods ---- */

static int gmail_send_as_smime_info_list(struct call *c)
{
    struct entry e;
    struct kept *all;
    size_t n, total;
    if (open_address(c, &e) < 0 || list_entries(c, &e, &all, &n, &total) < 0)
        return -1;
    json_obj(c->out, NULL);
    if (n) {
        json_arr(c->out, "smimeInfo");
        for (size_t i = 0; i < n; i++)
            answer_smime(c, &all[i]);
        json_end(c->out);
    }
    json_end(c->out);
    return 0;
}

static int gmail_send_as_smime_info_get(struct call *c)
{
    struct entry e;
    return open_entry(c, &e) < 0 ? -1 : answer_smime(c, &e.setting);
}

static bool is_for(const struct certs *certs, const char *email)
{
    for (size_t i = 0; i < certs->n_emails; i++)
        if (strcmp(certs->emails[i], email) == 0)
            return true;
    return false;
}

/* The file in the body, for the address. The service has one error for all faults. */
static int read_file(struct call *c, const struct entry *e, struct certs *ret)
{
    const char *text = settings_text(call_body(c), "pkcs12");
    uint8_t *data;
    size_t len;
    if (base64_decode(c->tx.arena, text, strlen(text), &data, &len) < 0 || !len ||
        certs_from_pkcs12(c->tx.arena, data, len,
                          settings_text(call_body(c), "encryptedKeyPassword"), ret) < 0 ||
        !is_for(ret, e->sender.email)) {
        call_why(c,
                 "pkcs12 must be a file that encryptedKeyPassword opens, with a key and a "
                 "certificate that is valid and for %s",
                 e->sender.email);
        return settings_bad(&c->tx, "Bad Request");
    }
    return 0;
}

/* One that no dump brought. */
static int new_key(struct call *c, const struct entry *e, const char **ret)
{
    struct kept there;
    uint64_t n;
    int r;
    do {
        if (tx_id(&c->tx, "gmail.smime", &n, sizeof n) < 0)
            return -1;
        *ret = key_of(c, e, arena_printf(c->tx.arena, "%llu", (unsigned long long)(n >> 1)));
        r = mail_kept_get(&c->tx, &gmail_settings, e->mb.id, SETTING_SMIME, *ret, &there);
    } while (r == 1);
    return r;
}

static int gmail_send_as_smime_info_insert(struct call *c)
{
    struct entry e;
    struct certs certs;
    struct kept *all;
    size_t n, total;
    const char *key;
    if (open_address(c, &e) < 0 || read_file(c, &e, &certs) < 0 ||
        list_entries(c, &e, &all, &n, &total) < 0)
        return -1;
    if (total >= MAX_SMIME)
        return settings_bad(&c->tx, "Too many S/MIME certificates");
    if (new_key(c, &e, &key) < 0 ||
        settings_store_smime(&c->tx, e.mb.id, key, certs.issuer, false, certs.expires_s * 1000,
                             certs.pem) < 0 ||
        mail_kept_get(&c->tx, &gmail_settings, e.mb.id, SETTING_SMIME, key, &e.setting) != 1)
        return -1;
    return answer_smime(c, &e.setting);
}

static int set_default(struct tx *tx, int64_t mailbox, const struct kept *s, bool chosen)
{
    return settings_store_smime(tx, mailbox, s->key, settings_text(s->value, "issuerCn"), chosen,
                                settings_number(s->value, "expiration"),
                                settings_text(s->value, "pem"));
}

static int gmail_send_as_smime_info_set_default(struct call *c)
{
    struct entry e;
    struct kept *all;
    size_t n, total;
    if (open_entry(c, &e) < 0 || list_entries(c, &e, &all, &n, &total) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        bool chosen = strcmp(all[i].key, e.setting.key) == 0;
        if (chosen != settings_bool(all[i].value, "isDefault") &&
            set_default(&c->tx, e.mb.id, &all[i], chosen) < 0)
            return -1;
    }
    return settings_nothing(c);
}

static int gmail_send_as_smime_info_delete(struct call *c)
{
    struct entry e;
    if (open_entry(c, &e) < 0 ||
        mail_kept_remove(&c->tx, &gmail_settings, e.mb.id, SETTING_SMIME, e.setting.key) < 0)
        return -1;
    return settings_nothing(c);
}

/* ---- the methods ---- */

static const struct param send_as_smime_info_delete_params[] = {
    USER_ID,
    {.name = "sendAsEmail", .place = IN_PATH, .required = true},
    {.name = "id", .place = IN_PATH, .required = true},
};

static const struct param send_as_delete_params[] = {
    USER_ID,
    {.name = "sendAsEmail", .place = IN_PATH, .required = true},
};

static const struct route routes[] = {
    {ROUTE("gmail.users.settings.sendAs.smimeInfo.delete", DELETE,
           "/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}/smimeInfo/{id}"),
     .handler = gmail_send_as_smime_info_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = SETTINGS_BASIC " " SETTINGS_SHARING, PARAMS(send_as_smime_info_delete_params),
     .summary = "Deletes a certificate for S/MIME"},
    {ROUTE("gmail.users.settings.sendAs.smimeInfo.get", GET,
           "/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}/smimeInfo/{id}"),
     .handler = gmail_send_as_smime_info_get, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC " " SETTINGS_SHARING,
     PARAMS(send_as_smime_info_delete_params), .response = "SmimeInfo",
     .summary = "A certificate for S/MIME"},
    {ROUTE("gmail.users.settings.sendAs.smimeInfo.insert", POST,
           "/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}/smimeInfo"),
     .handler = gmail_send_as_smime_info_insert, .risk = RISK_WRITE, .secret = true,
     .body = BODY_JSON, .scopes = SETTINGS_BASIC " " SETTINGS_SHARING,
     PARAMS(send_as_delete_params), .request = "SmimeInfo", .response = "SmimeInfo",
     .summary = "Adds a certificate for S/MIME with its key"},
    {ROUTE("gmail.users.settings.sendAs.smimeInfo.list", GET,
           "/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}/smimeInfo"),
     .handler = gmail_send_as_smime_info_list, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC " " SETTINGS_SHARING,
     PARAMS(send_as_delete_params), .response = "ListSmimeInfoResponse",
     .summary = "Lists certificates for S/MIME"},
    {ROUTE("gmail.users.settings.sendAs.smimeInfo.setDefault", POST,
           "/gmail/v1/users/{userId}/settings/sendAs/{sendAsEmail}/smimeInfo/{id}/setDefault"),
     .handler = gmail_send_as_smime_info_set_default, .risk = RISK_WRITE, .idempotent = true,
     .scopes = SETTINGS_BASIC " " SETTINGS_SHARING, PARAMS(send_as_smime_info_delete_params),
     .summary = "Makes a certificate for S/MIME the default"},
};
const struct rows gmail_smime_rows = ROWS(routes);
