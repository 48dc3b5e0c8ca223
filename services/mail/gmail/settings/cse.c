/* SPDX-License-Identifier: Apache-2.0 */
/* Key pairs and identities of client-side encryption, as they are kept. */
#include "engine/text/civil.h"
#include "services/mail/gmail/settings/settings.h"

int64_t settings_disabled_us(const struct json *value)
{
    return settings_number(value, "disabledUs");
}

static void write_strings(struct json_writer *w, const char *key, const struct json *v)
{
    if (v && v->type == JSON_ARRAY && v->n)
        json_value(w, key, v);
}

void settings_write_keypair(struct json_writer *w, const struct kept *s)
{
    int64_t off = settings_disabled_us(s->value);
    json_str(w, "keyPairId", s->key);
    json_str(w, "pem", settings_text(s->value, "pem"));
    write_strings(w, "subjectEmailAddresses", json_get(s->value, "emails"));
    json_str(w, "enablementState", off ? "disabled" : "enabled");
    if (off)
        json_time(w, "disableTime", off, off % 1000 ? JSON_TIME_US_Z : JSON_TIME_MS_Z);
    write_strings(w, "privateKeyMetadata", json_get(s->value, "keys"));
}

int settings_store_pair(struct tx *tx, const struct mailbox *mb, const char *id, const char *pem,
                        const struct json *emails, const struct json *keys, int64_t disabled)
{
    struct kept_value value;
    mail_kept_begin(&value);
    json_str(&value.w, "pem", pem);
    write_strings(&value.w, "emails", emails);
    write_strings(&value.w, "keys", keys);
    if (disabled)
        json_int(&value.w, "disabledUs", disabled);
    const char *text = mail_kept_end(tx, &value);
    return text ? mail_kept_put(tx, &gmail_settings, mb->id, SETTING_KEYPAIR, id, text)
                : settings_bad(tx, "Key pair is too large");
}

int settings_put_keypair(struct tx *tx, const struct mailbox *mb, const char *key,
                         const struct json *v)
{
    const char *time = settings_text(v, "disableTime");
    struct stamp stamp = {0};
    if (*time && (stamp_parse(time, strlen(time), true, &stamp) < 0 || !stamp.has_offset))
        return settings_bad(tx, "Invalid disableTime");
    return settings_store_pair(tx, mb, key, settings_text(v, "pem"),
                               json_get(v, "subjectEmailAddresses"),
                               json_get(v, "privateKeyMetadata"),
                               *time ? stamp.local_us - stamp.offset * US_PER_SECOND : 0);
}

/* ---- identities ---- */

void settings_write_identity(struct json_writer *w, const struct kept *s)
{
    const struct json *two = json_get(s->value, "signAndEncryptKeyPairs");
    json_str(w, "emailAddress", s->key);
    json_str_opt(w, "primaryKeyPairId", json_get_str(s->value, "primaryKeyPairId"));
    if (two)
        json_value(w, "signAndEncryptKeyPairs", two);
}

int settings_check_identity(struct tx *tx, const struct json *v)
{
    const struct json *two = json_get(v, "signAndEncryptKeyPairs");
    bool split = two && two->type == JSON_OBJECT;
    return split == (*settings_text(v, "primaryKeyPairId") != 0)
               ? settings_bad(tx, "Exactly one key pair configuration must be set")
               : 0;
}

int settings_put_identity(struct tx *tx, const struct mailbox *mb, const char *key,
                          const struct json *v)
{
    const char *one = settings_text(v, "primaryKeyPairId");
    const struct json *two = json_get(v, "signAndEncryptKeyPairs");
    bool split = two && two->type == JSON_OBJECT;
    struct kept_value value;
    if (settings_check_identity(tx, v) < 0)
        return -1;
    mail_kept_begin(&value);
    if (split) {
        json_obj(&value.w, "signAndEncryptKeyPairs");
        json_str(&value.w, "signingKeyPairId", settings_text(two, "signingKeyPairId"));
        json_str(&value.w, "encryptionKeyPairId", settings_text(two, "encryptionKeyPairId"));
        json_end(&value.w);
    } else {
        json_str(&value.w, "primaryKeyPairId", one);
    }
    return mail_kept_put(tx, &gmail_settings, mb->id, SETTING_IDENTITY, key,
                         mail_kept_end(tx, &value));
}
