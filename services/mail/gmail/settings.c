/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of which a mailbox has one: forwarding of all mail, IMAP, POP, language, vacation. */
#include "services/mail/gmail/settings.h"
#include "services/identity/google/oauth.h"
#include <ctype.h>
#include <stdlib.h>

#define IMAP     "gmail.imap"
#define POP      "gmail.pop"
#define LANGUAGE "gmail.language"

/* ---- what the methods share ---- */

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

bool settings_bool(const struct json *body, const char *member)
{
    const struct json *v = json_get(body, member);
    return v && v->type == JSON_BOOL && v->truth;
}

bool settings_has(const struct json *body, const char *member)
{
    const struct json *v = json_get(body, member);
    return v && v->type != JSON_NULL;
}

const char *settings_text(const struct json *body, const char *member)
{
    const char *text = json_get_str(body, member);
    return text ? text : "";
}

int settings_word(const struct json *body, const char *member, const char *const *words)
{
    const char *text = json_get_str(body, member);
    for (int i = 0; text && words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

int settings_address(struct call *c, const char *text, const char *name, const char **ret)
{
    *ret = text ? email_normal(c->tx.arena, text) : NULL;
    return *ret ? 0 : gmail_invalid(c, "Invalid %s", name);
}

int settings_nothing(struct call *c)
{
    c->status = 204;
    return 0;
}

/* ---- forwarding of all mail ---- */

static const char *const dispositions[] = {"leaveInInbox", "archive", "trash", "markRead", NULL};

static void write_auto_forwarding(struct call *c, const struct auto_forward *f)
{
    json_obj(c->out, NULL);
    json_bool(c->out, "enabled", f->on);
    if (f->on) {
        json_str(c->out, "emailAddress", f->to);
        json_str(c->out, "disposition", dispositions[f->then]);
    }
    json_end(c->out);
}

int gmail_settings_get_auto_forwarding(struct call *c)
{
    struct mailbox mb;
    struct auto_forward f;
    if (settings_open(c, &mb) < 0 || auto_forward_get(&c->tx, &mb, &f) < 0)
        return -1;
    write_auto_forwarding(c, &f);
    return 0;
}

int gmail_settings_update_auto_forwarding(struct call *c)
{
    struct mailbox mb;
    struct auto_forward f = {.on = settings_bool(c->body, "enabled")};
    struct forward to;
    if (settings_share(c, &mb) < 0)
        return -1;
    if (f.on) {
        int then = settings_word(c->body, "disposition", dispositions);
        if (settings_address(c, json_get_str(c->body, "emailAddress"), "email address", &f.to) < 0)
            return -1;
        if (then < 0)
            return gmail_invalid(c, "Invalid disposition");
        f.then = (enum forward_then)then;
        int r = forward_get(&c->tx, &mb, f.to, &to);
        if (r < 0)
            return -1;
        if (!r || to.pending)
            return gmail_invalid(c, "Unrecognized forwarding address");
    }
    if (auto_forward_put(&c->tx, &mb, &f) < 0)
        return -1;
    write_auto_forwarding(c, &f);
    return 0;
}

/* ---- what is kept as it is said ---- */

/* A setting of ours, or what it is before anybody set it. */
static int read_or(struct call *c, const struct mailbox *mb, const char *kind,
                   const char *otherwise, const struct json **ret)
{
    struct mail_setting s;
    int r = setting_read(&c->tx, mb->id, kind, "", &s);
    if (r < 0)
        return -1;
    if (r) {
        *ret = s.value;
        return 0;
    }
    return json_parse(c->tx.arena, otherwise, strlen(otherwise), NULL, ret, c->tx.err);
}

static int get_one(struct call *c, const char *kind, const char *otherwise)
{
    struct mailbox mb;
    const struct json *value;
    if (settings_open(c, &mb) < 0 || read_or(c, &mb, kind, otherwise, &value) < 0)
        return -1;
    json_value(c->out, NULL, value);
    return 0;
}

/* Stores what write() makes of the body, and answers with it. */
static int put_one(struct call *c, const char *kind,
                   void (*write)(struct call *c, struct json_writer *w))
{
    struct mailbox mb;
    struct buf b;
    struct json_writer w;
    if (settings_open(c, &mb) < 0)
        return -1;
    buf_init(&b, 4096);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    write(c, &w);
    json_end(&w);
    int rc = buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                            : setting_write(&c->tx, mb.id, kind, "", buf_str(&b));
    if (rc == 0)
        json_raw(c->out, NULL, b.data, b.len);
    buf_done(&b);
    return rc;
}

/* ---- IMAP ---- */

static const char *const expunges[] = {"archive", "trash", "deleteForever", NULL};

int gmail_settings_get_imap(struct call *c)
{
    return get_one(c, IMAP,
                   "{\"enabled\":false,\"autoExpunge\":true,\"expungeBehavior\":\"archive\","
                   "\"maxFolderSize\":0}");
}

static int64_t folder_size(const struct json *body)
{
    int64_t n;
    return json_i64(json_get(body, "maxFolderSize"), &n) == 0 ? n : 0;
}

/* Nobody reads these mailboxes over IMAP: it stays off, as it does where an organisation has turned
 * it off. */
static void write_imap(struct call *c, struct json_writer *w)
{
    int then = settings_word(c->body, "expungeBehavior", expunges);
    json_bool(w, "enabled", false);
    json_bool(w, "autoExpunge", settings_bool(c->body, "autoExpunge"));
    json_str(w, "expungeBehavior", expunges[then < 0 ? 0 : then]);
    json_int(w, "maxFolderSize", folder_size(c->body));
}

int gmail_settings_update_imap(struct call *c)
{
    static const int64_t sizes[] = {0, 1000, 2000, 5000, 10000};
    for (size_t i = 0; i < SOSIA_LEN(sizes); i++)
        if (sizes[i] == folder_size(c->body))
            return put_one(c, IMAP, write_imap);
    return gmail_invalid(c, "Invalid maxFolderSize");
}

/* ---- POP ---- */

static const char *const windows[] = {"disabled", "fromNowOn", "allMail", NULL};

int gmail_settings_get_pop(struct call *c)
{
    return get_one(c, POP, "{\"accessWindow\":\"allMail\",\"disposition\":\"leaveInInbox\"}");
}

static void write_pop(struct call *c, struct json_writer *w)
{
    int then = settings_word(c->body, "disposition", dispositions);
    json_str(w, "accessWindow", windows[settings_word(c->body, "accessWindow", windows)]);
    json_str(w, "disposition", dispositions[then < 0 ? 0 : then]);
}

int gmail_settings_update_pop(struct call *c)
{
    if (settings_word(c->body, "accessWindow", windows) < 0)
        return gmail_invalid(c, "Invalid accessWindow");
    return put_one(c, POP, write_pop);
}

/* ---- language ---- */

int gmail_settings_get_language(struct call *c)
{
    return get_one(c, LANGUAGE,
                   arena_printf(c->tx.arena, "{\"displayLanguage\":\"%s\"}", c->actor.locale));
}

static void write_language(struct call *c, struct json_writer *w)
{
    json_str(w, "displayLanguage", json_get_str(c->body, "displayLanguage"));
}

int gmail_settings_update_language(struct call *c)
{
    const char *tag = settings_text(c->body, "displayLanguage");
    size_t n = strlen(tag);
    bool good = n >= 2 && n <= 35 && isalpha((unsigned char)tag[0]);
    for (const char *p = tag; *p; p++)
        good &= isalnum((unsigned char)*p) || (*p == '-' && p[1] && p[1] != '-');
    if (!good)
        return gmail_invalid(c, "Invalid display language");
    return put_one(c, LANGUAGE, write_language);
}

/* ---- vacation ---- */

static void write_vacation(struct call *c, const struct vacation *v)
{
    struct json_writer *w = c->out;
    json_obj(w, NULL);
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
    json_end(w);
}

int gmail_settings_get_vacation(struct call *c)
{
    struct mailbox mb;
    struct vacation v;
    if (settings_open(c, &mb) < 0 || vacation_get(&c->tx, &mb, &v) < 0)
        return -1;
    write_vacation(c, &v);
    return 0;
}

/* Milliseconds, as text or number; 0: none. -1: out of range. */
static int read_time(const struct json *body, const char *member, int64_t *ret_us)
{
    const struct json *v = json_get(body, member);
    char *end;
    *ret_us = 0;
    if (!v || v->type == JSON_NULL)
        return 0;
    long long ms = strtoll(v->str, &end, 10);
    if (*end || ms < 0 || ms > INT64_C(253402300799999))
        return -1;
    *ret_us = ms * 1000;
    return 0;
}

static const char *text_or_null(const struct json *body, const char *member)
{
    const char *text = json_get_str(body, member);
    return text && *text ? text : NULL;
}

int gmail_settings_update_vacation(struct call *c)
{
    struct mailbox mb;
    struct vacation v = {.on = settings_bool(c->body, "enableAutoReply"),
                         .subject = text_or_null(c->body, "responseSubject"),
                         .text = text_or_null(c->body, "responseBodyPlainText"),
                         .html = text_or_null(c->body, "responseBodyHtml"),
                         .contacts = settings_bool(c->body, "restrictToContacts"),
                         .domain = settings_bool(c->body, "restrictToDomain")};
    if (settings_open(c, &mb) < 0)
        return -1;
    if (read_time(c->body, "startTime", &v.from_us) < 0)
        return gmail_invalid(c, "Invalid startTime");
    if (read_time(c->body, "endTime", &v.to_us) < 0)
        return gmail_invalid(c, "Invalid endTime");
    if (v.from_us && v.to_us && v.from_us >= v.to_us)
        return gmail_invalid(c, "Start time must precede end time");
    if (v.on && !v.subject && !v.text && !v.html)
        return gmail_invalid(c, "Either a response subject or a response body must be set");
    if (v.subject && strpbrk(v.subject, "\r\n"))
        return gmail_invalid(c, "Invalid responseSubject");
    if (vacation_put(&c->tx, &mb, &v) < 0)
        return -1;
    write_vacation(c, &v);
    return 0;
}
