/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses to send from and to forward to, in the API's shapes. */
#include "services/mail/gmail/settings/settings.h"

#define MAX_SIGNATURE 10000

const char *const settings_verification[] = {"accepted", "pending", NULL};

static const char *const security_modes[] = {"none", "ssl", "starttls", NULL};

void settings_write_sender(struct json_writer *w, const struct gmail_sender *s)
{
    json_str(w, "sendAsEmail", s->email);
    json_str(w, "displayName", s->name);
    json_str(w, "replyToAddress", s->reply_to);
    json_str(w, "signature", s->signature);
    json_bool_opt(w, "isPrimary", s->main);
    json_bool_opt(w, "isDefault", s->chosen);
    if (!s->main) {
        json_bool(w, "treatAsAlias", s->alias);
        if (s->server)
            json_raw(w, "smtpMsa", s->server, strlen(s->server));
        json_str(w, "verificationStatus", settings_verification[s->pending]);
    }
}

/* The server through which it shall go; its password is not kept. */
static int read_server(struct tx *tx, const struct json *body, struct gmail_sender *s)
{
    const struct json *v = json_get(body, "smtpMsa");
    int64_t port = settings_number(v, "port");
    struct buf b;
    struct json_writer w;
    if (!v || v->type != JSON_OBJECT)
        return 0;
    int mode = settings_word(v, "securityMode", security_modes);
    if (!*settings_text(v, "host"))
        return settings_bad(tx, "Invalid SMTP MSA: a host is required");
    if (port < 1 || port > 65535)
        return settings_bad(tx, "Invalid SMTP MSA: a port is required");
    if (mode < 0)
        return settings_bad(tx, "Invalid SMTP MSA: a security mode is required");
    buf_init(&b, 8192);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "host", settings_text(v, "host"));
    json_int(&w, "port", port);
    json_str(&w, "securityMode", security_modes[mode]);
    json_end(&w);
    s->server = arena_strdup(tx->arena, buf_str(&b));
    bool failed = buf_failed(&b);
    buf_done(&b);
    return failed ? settings_bad(tx, "Invalid SMTP MSA: a host is required") : 0;
}

int settings_read_sender(struct tx *tx, const struct json *v, bool whole, struct gmail_sender *s)
{
    const char *reply;
    if (whole || settings_has(v, "displayName"))
        s->name = settings_text(v, "displayName");
    if (whole || settings_has(v, "signature"))
        s->signature = settings_text(v, "signature");
    if (whole || settings_has(v, "replyToAddress")) {
        s->reply_to = settings_text(v, "replyToAddress");
        if (*s->reply_to && settings_address(tx, s->reply_to, "replyToAddress", &reply) < 0)
            return -1;
    }
    if (strlen(s->signature) > MAX_SIGNATURE)
        return settings_bad(tx, "Signature is too long");
    if (strpbrk(s->name, "\r\n"))
        return settings_bad(tx, "Invalid displayName");
    if (settings_bool(v, "isDefault")) {
        if (s->pending)
            return settings_bad(tx, "Send-as address %s is not verified", s->email);
        s->chosen = true;
    }
    if (s->main)
        return 0;
    if (whole || settings_has(v, "treatAsAlias"))
        s->alias = settings_bool(v, "treatAsAlias");
    if (whole)
        s->server = NULL;
    return read_server(tx, v, s);
}

void settings_write_forward(struct json_writer *w, const struct gmail_forward *f)
{
    json_str(w, "forwardingEmail", f->email);
    json_str(w, "verificationStatus", settings_verification[f->pending]);
}
