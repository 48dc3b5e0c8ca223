/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates for S/MIME, as they are kept. */
#include "engine/base/codec.h"
#include "services/mail/gmail/settings/settings.h"

void settings_write_smime(struct json_writer *w, const struct kept *s)
{
    json_str(w, "id", strchr(s->key, ' ') + 1);
    json_str(w, "issuerCn", settings_text(s->value, "issuerCn"));
    json_bool_opt(w, "isDefault", settings_bool(s->value, "isDefault"));
    json_int_str(w, "expiration", settings_number(s->value, "expiration"));
    json_str(w, "pem", settings_text(s->value, "pem"));
}

int settings_store_smime(struct tx *tx, int64_t mailbox, const char *key, const char *issuer,
                         bool is_default, int64_t expires_ms, const char *pem)
{
    struct kept_value value;
    mail_kept_begin(&value);
    json_str(&value.w, "issuerCn", issuer);
    json_bool_opt(&value.w, "isDefault", is_default);
    json_int(&value.w, "expiration", expires_ms);
    json_str(&value.w, "pem", pem);
    const char *text = mail_kept_end(tx, &value);
    return text ? mail_kept_put(tx, &gmail_settings, mailbox, SETTING_SMIME, key, text)
                : settings_bad(tx, "Bad Request");
}

int settings_put_smime(struct tx *tx, const struct mailbox *mb, const char *key,
                       const struct json *v)
{
    return settings_store_smime(tx, mb->id, key, settings_text(v, "issuerCn"),
                                settings_bool(v, "isDefault"), settings_number(v, "expiration"),
                                settings_text(v, "pem"));
}

int settings_forget_smime(struct tx *tx, const struct mailbox *mb, const char *email)
{
    const char *prefix = arena_printf(tx->arena, "%s ", email);
    struct kept *all;
    size_t n;
    if (mail_kept_list(tx, &gmail_settings, mb->id, SETTING_SMIME, &all, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (str_starts(all[i].key, prefix) &&
            mail_kept_remove(tx, &gmail_settings, mb->id, SETTING_SMIME, all[i].key) < 0)
            return -1;
    return 0;
}
