/* SPDX-License-Identifier: Apache-2.0 */
/* What the methods of settings share, and readers and writers of what is not a list. */
#include "services/mail/gmail/rows.h"
#include "services/mail/gmail/settings/settings.h"
#include "engine/base/codec.h"
#include "vendors/google/signin/oauth.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

int settings_open(struct call *c, struct mailbox *ret)
{
    if (gmail_open(c, ret) < 0)
        return -1;
    if (ret->actor == c->actor.id)
        return 0;
    return call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", NULL, "Delegation denied for %s",
                     c->actor.email);
}

int settings_share(struct call *c, struct mailbox *ret)
{
    if (settings_open(c, ret) < 0)
        return -1;
    int r = google_oauth_is_person(c);
    if (r != 1)
        return r;
    return call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", NULL,
                     "Access restricted to service accounts that have been delegated domain-wide "
                     "authority");
}

int settings_nothing(struct call *c)
{
    c->status = 204;
    return 0;
}

int settings_risk(struct call *c, const char *email, enum risk *ret)
{
    int r = email ? identity_is_outside(&c->tx, email) : 0;
    if (r == 1)
        *ret = RISK_EXTERNAL;
    return r < 0 ? -1 : 0;
}

bool settings_bool(const struct json *v, const char *member)
{
    return json_get_true(v, member);
}

bool settings_has(const struct json *v, const char *member)
{
    const struct json *m = json_get(v, member);
    return m && m->type != JSON_NULL;
}

const char *settings_text(const struct json *v, const char *member)
{
    const char *text = json_get_str(v, member);
    return text ? text : "";
}

/* 64-bit numbers may be texts. -1: it is none. */
static int number_of(const struct json *v, const char *member, int64_t *ret)
{
    const struct json *m = json_get(v, member);
    *ret = 0;
    if (!m || m->type == JSON_NULL)
        return 0;
    return m->type == JSON_STRING ? parse_i64(m->str, m->n, ret) : json_i64(m, ret);
}

int64_t settings_number(const struct json *v, const char *member)
{
    int64_t n;
    return number_of(v, member, &n) == 0 ? n : 0;
}

int settings_word(const struct json *v, const char *member, const char *const *words)
{
    const char *text = json_get_str(v, member);
    for (int i = 0; text && words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

int settings_bad(struct tx *tx, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(tx->arena, fmt, ap);
    va_end(ap);
    return tx_fail(tx, SOSIA_E_INVALID, "invalidArgument", NULL, "%s", text);
}

int settings_address(struct tx *tx, const char *text, const char *name, const char **ret)
{
    *ret = text ? email_normal(tx->arena, text) : NULL;
    return *ret ? 0 : settings_bad(tx, "Invalid %s", name);
}

int settings_new_id(struct tx *tx, const char *stream, const char **ret)
{
    uint8_t bytes[24];
    struct buf b;
    if (tx_id(tx, stream, bytes, sizeof bytes) < 0)
        return -1;
    buf_init(&b, 64);
    buf_puts(&b, "ANe1Bm");
    base64url_add(&b, bytes, sizeof bytes, false);
    *ret = buf_keep(&b, tx->arena);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

/* ---- forwarding of all mail ---- */

static const char *const dispositions[] = {"leaveInInbox", "archive", "trash", "markRead", NULL};

int settings_read_auto_forward(struct tx *tx, const struct json *v, struct gmail_auto_forward *ret)
{
    *ret = (struct gmail_auto_forward){.on = settings_bool(v, "enabled")};
    if (!ret->on)
        return 0;
    int then = settings_word(v, "disposition", dispositions);
    if (settings_address(tx, json_get_str(v, "emailAddress"), "email address", &ret->to) < 0)
        return -1;
    if (then < 0)
        return settings_bad(tx, "Invalid disposition");
    ret->then = (enum mail_forward_then)then;
    return 0;
}

void settings_write_auto_forward(struct json_writer *w, const struct gmail_auto_forward *f)
{
    json_bool(w, "enabled", f->on);
    if (f->on) {
        json_str(w, "emailAddress", f->to);
        json_str(w, "disposition", dispositions[f->then]);
    }
}

/* ---- settings that are kept as they are given ---- */

static const char *const expunges[] = {"archive", "trash", "deleteForever", NULL};

static int check_imap(struct tx *tx, const struct json *v)
{
    static const int64_t sizes[] = {0, 1000, 2000, 5000, 10000};
    int64_t size = settings_number(v, "maxFolderSize");
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++)
        if (sizes[i] == size)
            return 0;
    return settings_bad(tx, "Invalid maxFolderSize");
}

/* There is no IMAP server for these mailboxes: it stays off, as it does where an organisation
 * has turned it off. */
static void write_imap(struct json_writer *w, const struct json *v)
{
    int then = settings_word(v, "expungeBehavior", expunges);
    json_bool(w, "enabled", false);
    json_bool(w, "autoExpunge", settings_bool(v, "autoExpunge"));
    json_str(w, "expungeBehavior", expunges[then < 0 ? 0 : then]);
    json_int(w, "maxFolderSize", settings_number(v, "maxFolderSize"));
}

static const char *const windows[] = {"disabled", "fromNowOn", "allMail", NULL};

static int check_pop(struct tx *tx, const struct json *v)
{
    return settings_word(v, "accessWindow", windows) < 0 ? settings_bad(tx, "Invalid accessWindow")
                                                         : 0;
}

static void write_pop(struct json_writer *w, const struct json *v)
{
    int window = settings_word(v, "accessWindow", windows);
    int then = settings_word(v, "disposition", dispositions);
    json_str(w, "accessWindow", windows[window < 0 ? 0 : window]);
    json_str(w, "disposition", dispositions[then < 0 ? 0 : then]);
}

static int check_language(struct tx *tx, const struct json *v)
{
    const char *tag = settings_text(v, "displayLanguage");
    size_t n = strlen(tag);
    bool good = n >= 2 && n <= 35 && isalpha((unsigned char)tag[0]);
    for (const char *p = tag; *p; p++)
        good &= isalnum((unsigned char)*p) || (*p == '-' && p[1] && p[1] != '-');
    return good ? 0 : settings_bad(tx, "Invalid display language");
}

static void write_language(struct json_writer *w, const struct json *v)
{
    json_str(w, "displayLanguage", settings_text(v, "displayLanguage"));
}

const struct settings_kept settings_kept[N_SETTINGS_KEPT] = {
    [KEPT_IMAP] = {"imap", SETTING_IMAP, check_imap, write_imap},
    [KEPT_POP] = {"pop", SETTING_POP, check_pop, write_pop},
    [KEPT_LANGUAGE] = {"language", SETTING_LANGUAGE, check_language, write_language},
};

int settings_put_kept(struct tx *tx, const struct mailbox *mb, const struct settings_kept *k,
                      const struct json *v)
{
    struct kept_value value;
    if (k->check(tx, v) < 0)
        return -1;
    mail_kept_begin(&value);
    k->write(&value.w, v);
    return mail_kept_put(tx, &gmail_settings, mb->id, k->kind, "", mail_kept_end(tx, &value));
}

/* otherwise: its value before it was set. */
/* ---- vacation ---- */

void settings_write_vacation(struct json_writer *w, const struct gmail_vacation *v)
{
    json_bool(w, "enableAutoReply", v->on);
    json_str_opt(w, "responseSubject", v->subject);
    json_str_opt(w, "responseBodyPlainText", v->text);
    json_str_opt(w, "responseBodyHtml", v->html);
    json_bool(w, "restrictToContacts", v->contacts);
    json_bool(w, "restrictToDomain", v->domain);
    if (v->from_us)
        json_int_str(w, "startTime", v->from_us / 1000);
    if (v->to_us)
        json_int_str(w, "endTime", v->to_us / 1000);
}

static int read_time(const struct json *v, const char *member, int64_t *ret_us)
{
    int64_t ms;
    if (number_of(v, member, &ms) < 0 || ms < 0 || ms > INT64_C(253402300799999))
        return -1;
    *ret_us = ms * 1000;
    return 0;
}

static const char *text_or_null(const struct json *v, const char *member)
{
    const char *text = json_get_str(v, member);
    return text && *text ? text : NULL;
}

int settings_read_vacation(struct tx *tx, const struct json *v, struct gmail_vacation *ret)
{
    *ret = (struct gmail_vacation){.on = settings_bool(v, "enableAutoReply"),
                                   .subject = text_or_null(v, "responseSubject"),
                                   .text = text_or_null(v, "responseBodyPlainText"),
                                   .html = text_or_null(v, "responseBodyHtml"),
                                   .contacts = settings_bool(v, "restrictToContacts"),
                                   .domain = settings_bool(v, "restrictToDomain")};
    if (read_time(v, "startTime", &ret->from_us) < 0)
        return settings_bad(tx, "Invalid startTime");
    if (read_time(v, "endTime", &ret->to_us) < 0)
        return settings_bad(tx, "Invalid endTime");
    if (ret->from_us && ret->to_us && ret->from_us >= ret->to_us)
        return settings_bad(tx, "Start time must precede end time");
    if (ret->on && !ret->subject && !ret->text && !ret->html)
        return settings_bad(tx, "Either a response subject or a response body must be set");
    if (ret->subject && strpbrk(ret->subject, "\r\n"))
        return settings_bad(tx, "Invalid responseSubject");
    return 0;
}
