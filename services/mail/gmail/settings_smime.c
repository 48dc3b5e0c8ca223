/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates for S/MIME of addresses to send from. What is kept is what the API shows: mail is
 * not signed with them, so that private keys are forgotten at once.
 */
#include "engine/base/codec.h"
#include "services/mail/gmail/certs.h"
#include "services/mail/gmail/settings.h"

#define MAX_SMIME 100 /* of a mailbox */

/* The address of the path, and the certificate in it; NULL: all of them are meant. */
struct entry {
    struct mailbox mb;
    struct sender sender;
    struct mail_setting setting;
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
    int r = email ? sender_get(&c->tx, &e->mb, email, &e->sender) : 0;
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

static int open_entry(struct call *c, struct entry *e)
{
    if (open_address(c, e) < 0)
        return -1;
    int r = setting_read(&c->tx, e->mb.id, SETTING_SMIME, key_of(c, e, param_str(c, "id")),
                         &e->setting);
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

/* Those of the address, oldest first. */
static int list_entries(struct call *c, const struct entry *e, struct mail_setting **ret,
                        size_t *ret_n, size_t *ret_all)
{
    const char *prefix = key_of(c, e, "");
    size_t n = 0;
    if (setting_each(&c->tx, e->mb.id, SETTING_SMIME, ret, ret_all) < 0)
        return -1;
    for (size_t i = 0; i < *ret_all; i++)
        if (str_starts((*ret)[i].key, prefix))
            (*ret)[n++] = (*ret)[i];
    *ret_n = n;
    return 0;
}

/* ---- writing ---- */

static void write_entry(struct json_writer *w, const char *key, const struct json *value,
                        bool is_default)
{
    int64_t ms = 0;
    json_i64(json_get(value, "expiration"), &ms);
    json_obj(w, NULL);
    json_str(w, "id", strchr(key, ' ') + 1);
    json_str(w, "issuerCn", settings_text(value, "issuerCn"));
    json_bool_opt(w, "isDefault", is_default);
    json_int_str(w, "expiration", ms);
    json_str(w, "pem", settings_text(value, "pem"));
    json_end(w);
}

/* Stores a certificate's row again, the default one of its address or not. */
static int store(struct call *c, int64_t mailbox, const char *key, const struct json *value,
                 bool is_default)
{
    struct buf b;
    struct json_writer w;
    int64_t ms = 0;
    json_i64(json_get(value, "expiration"), &ms);
    buf_init(&b, 1 << 20);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "issuerCn", settings_text(value, "issuerCn"));
    json_bool_opt(&w, "isDefault", is_default);
    json_int(&w, "expiration", ms);
    json_str(&w, "pem", settings_text(value, "pem"));
    json_end(&w);
    int rc = buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                            : setting_write(&c->tx, mailbox, SETTING_SMIME, key, buf_str(&b));
    buf_done(&b);
    return rc;
}

/* ---- methods ---- */

int gmail_send_as_smime_info_list(struct call *c)
{
    struct entry e;
    struct mail_setting *all;
    size_t n, total;
    if (open_address(c, &e) < 0 || list_entries(c, &e, &all, &n, &total) < 0)
        return -1;
    json_obj(c->out, NULL);
    if (n) {
        json_arr(c->out, "smimeInfo");
        for (size_t i = 0; i < n; i++)
            write_entry(c->out, all[i].key, all[i].value, settings_bool(all[i].value, "isDefault"));
        json_end(c->out);
    }
    json_end(c->out);
    return 0;
}

int gmail_send_as_smime_info_get(struct call *c)
{
    struct entry e;
    if (open_entry(c, &e) < 0)
        return -1;
    write_entry(c->out, e.setting.key, e.setting.value,
                settings_bool(e.setting.value, "isDefault"));
    return 0;
}

static bool is_for(const struct certs *certs, const char *email)
{
    for (size_t i = 0; i < certs->n_emails; i++)
        if (strcmp(certs->emails[i], email) == 0)
            return true;
    return false;
}

/* The file in the body, for the address. The service has one answer to all that may be wrong. */
static int read_file(struct call *c, const struct entry *e, struct certs *ret)
{
    const char *text = settings_text(c->body, "pkcs12");
    uint8_t *data;
    size_t len;
    if (base64_decode(c->tx.arena, text, strlen(text), &data, &len) < 0 || !len ||
        certs_from_pkcs12(c->tx.arena, data, len, settings_text(c->body, "encryptedKeyPassword"),
                          ret) < 0 ||
        !is_for(ret, e->sender.email))
        return settings_bad(&c->tx, "Bad Request");
    return 0;
}

int gmail_send_as_smime_info_insert(struct call *c)
{
    struct entry e;
    struct certs certs;
    struct mail_setting *all;
    size_t n, total;
    uint64_t number;
    struct buf b;
    struct json_writer w;
    const struct json *value;
    if (open_address(c, &e) < 0 || read_file(c, &e, &certs) < 0 ||
        list_entries(c, &e, &all, &n, &total) < 0)
        return -1;
    if (total >= MAX_SMIME)
        return settings_bad(&c->tx, "Too many S/MIME certificates");
    if (tx_id(&c->tx, "gmail.smime", &number, sizeof number) < 0)
        return -1;
    const char *key =
        key_of(c, &e, arena_printf(c->tx.arena, "%llu", (unsigned long long)(number >> 1)));
    buf_init(&b, 1 << 20);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "issuerCn", certs.issuer);
    json_int(&w, "expiration", certs.expires_s * 1000);
    json_str(&w, "pem", certs.pem);
    json_end(&w);
    int rc = buf_failed(&b) ? settings_bad(&c->tx, "Bad Request")
                            : json_parse(c->tx.arena, b.data, b.len, NULL, &value, c->tx.err);
    buf_done(&b);
    if (rc < 0 || store(c, e.mb.id, key, value, false) < 0)
        return -1;
    write_entry(c->out, key, value, false);
    return 0;
}

int gmail_send_as_smime_info_set_default(struct call *c)
{
    struct entry e;
    struct mail_setting *all;
    size_t n, total;
    if (open_entry(c, &e) < 0 || list_entries(c, &e, &all, &n, &total) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        bool chosen = strcmp(all[i].key, e.setting.key) == 0;
        if (chosen != settings_bool(all[i].value, "isDefault") &&
            store(c, e.mb.id, all[i].key, all[i].value, chosen) < 0)
            return -1;
    }
    return settings_nothing(c);
}

int gmail_send_as_smime_info_delete(struct call *c)
{
    struct entry e;
    if (open_entry(c, &e) < 0 || setting_remove(&c->tx, e.mb.id, SETTING_SMIME, e.setting.key) < 0)
        return -1;
    return settings_nothing(c);
}
