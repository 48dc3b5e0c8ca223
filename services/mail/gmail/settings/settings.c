/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of which a mailbox has one: forwarding of all mail, IMAP, POP, language, vacation. */
#include "services/mail/gmail/rows.h"
#include "services/mail/gmail/settings/settings.h"
#include "engine/base/codec.h"
#include "vendors/google/signin/oauth.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>

/* ---- forwarding of all mail ---- */

static int answer_auto_forward(struct call *c, const struct gmail_auto_forward *f)
{
    json_obj(c->out, NULL);
    settings_write_auto_forward(c->out, f);
    json_end(c->out);
    return 0;
}

static int gmail_settings_get_auto_forwarding(struct call *c)
{
    struct mailbox mb;
    struct gmail_auto_forward f;
    if (settings_open(c, &mb) < 0 || gmail_auto_forward_get(&c->tx, &mb, &f) < 0)
        return -1;
    return answer_auto_forward(c, &f);
}

static int gmail_settings_update_auto_forwarding(struct call *c)
{
    struct mailbox mb;
    struct gmail_auto_forward f;
    struct gmail_forward to;
    if (settings_share(c, &mb) < 0 || settings_read_auto_forward(&c->tx, call_body(c), &f) < 0)
        return -1;
    if (f.on) {
        int r = gmail_forward_get(&c->tx, &mb, f.to, &to);
        if (r < 0)
            return -1;
        if (!r || to.pending)
            return settings_bad(&c->tx, "Invalid forwarding address");
    }
    return gmail_auto_forward_put(&c->tx, &mb, &f) < 0 ? -1 : answer_auto_forward(c, &f);
}

static int auto_forwarding_risk(struct call *c, enum risk *ret)
{
    const char *to = json_get_str(c->body, "emailAddress");
    return settings_risk(c, settings_bool(c->body, "enabled") ? to : NULL, ret);
}

/* ---- settings that are kept as they are given ---- */

static int get_kept(struct call *c, const struct settings_kept *k, const struct json *otherwise)
{
    struct mailbox mb;
    struct kept s;
    if (settings_open(c, &mb) < 0)
        return -1;
    int r = mail_kept_get(&c->tx, &gmail_settings, mb.id, k->kind, "", &s);
    if (r < 0)
        return -1;
    json_obj(c->out, NULL);
    k->write(c->out, r ? s.value : otherwise);
    json_end(c->out);
    return 0;
}

/* An object with one text. */
struct one_text {
    struct json_member member;
    struct json value;
};

static const struct json *one_text(struct one_text *o, const char *member, const char *text)
{
    o->member = (struct json_member){
        .key = member,
        .key_len = (uint32_t)strlen(member),
        .value = {.type = JSON_STRING, .n = (uint32_t)strlen(text), .str = text}};
    o->value = (struct json){.type = JSON_OBJECT, .n = 1, .members = &o->member};
    return &o->value;
}

static int update_kept(struct call *c, const struct settings_kept *k)
{
    struct mailbox mb;
    if (settings_open(c, &mb) < 0 || settings_put_kept(&c->tx, &mb, k, call_body(c)) < 0)
        return -1;
    json_obj(c->out, NULL);
    k->write(c->out, call_body(c));
    json_end(c->out);
    return 0;
}

static int gmail_settings_get_imap(struct call *c)
{
    static const struct json_member expunge = {
        .key = "autoExpunge", .key_len = 11, .value = {.type = JSON_BOOL, .truth = true}};
    static const struct json otherwise = {.type = JSON_OBJECT, .n = 1, .members = &expunge};
    return get_kept(c, &settings_kept[KEPT_IMAP], &otherwise);
}

static int gmail_settings_update_imap(struct call *c)
{
    return update_kept(c, &settings_kept[KEPT_IMAP]);
}

static int gmail_settings_get_pop(struct call *c)
{
    struct one_text o;
    return get_kept(c, &settings_kept[KEPT_POP], one_text(&o, "accessWindow", "allMail"));
}

static int gmail_settings_update_pop(struct call *c)
{
    return update_kept(c, &settings_kept[KEPT_POP]);
}

static int gmail_settings_get_language(struct call *c)
{
    struct one_text o;
    return get_kept(c, &settings_kept[KEPT_LANGUAGE],
                    one_text(&o, "displayLanguage", c->actor.locale));
}

static int gmail_settings_update_language(struct call *c)
{
    return update_kept(c, &settings_kept[KEPT_LANGUAGE]);
}

/* ---- vacation ---- */

static int answer_vacation(struct call *c, const struct gmail_vacation *v)
{
    struct gmail_vacation shown = *v;
    if (GMAIL_EMPTY_SUBJECT && !shown.subject)
        shown.subject = "";
    json_obj(c->out, NULL);
    settings_write_vacation(c->out, &shown);
    json_end(c->out);
    return 0;
}

static int gmail_settings_get_vacation(struct call *c)
{
    struct mailbox mb;
    struct gmail_vacation v;
    if (settings_open(c, &mb) < 0 || gmail_vacation_get(&c->tx, &mb, &v) < 0)
        return -1;
    return answer_vacation(c, &v);
}

/* Milliseconds; 0: none. -1: out of range. */
static int gmail_settings_update_vacation(struct call *c)
{
    struct mailbox mb;
    struct gmail_vacation v;
    if (settings_open(c, &mb) < 0 || settings_read_vacation(&c->tx, call_body(c), &v) < 0 ||
        gmail_vacation_put(&c->tx, &mb, &v) < 0 || mail_answered_forget(&c->tx, &mb) < 0)
        return -1;
    return answer_vacation(c, &v);
}

/* All who write from outside get the reply, unless it is for the own organisation alone. */
static int vacation_risk(struct call *c, enum risk *ret)
{
    if (settings_bool(c->body, "enableAutoReply") && !settings_bool(c->body, "restrictToDomain"))
        *ret = RISK_EXTERNAL;
    return 0;
}

/* ---- the methods ---- */

static const struct route routes[] = {
    {ROUTE("gmail.users.settings.getAutoForwarding", GET,
           "/gmail/v1/users/{userId}/settings/autoForwarding"),
     .handler = gmail_settings_get_auto_forwarding, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC, PARAMS(gmail_user_params),
     .response = "AutoForwarding", .summary = "Where mail is forwarded"},
    {ROUTE("gmail.users.settings.getImap", GET, "/gmail/v1/users/{userId}/settings/imap"),
     .handler = gmail_settings_get_imap, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC, PARAMS(gmail_user_params),
     .response = "ImapSettings", .summary = "Settings of IMAP"},
    {ROUTE("gmail.users.settings.getLanguage", GET, "/gmail/v1/users/{userId}/settings/language"),
     .handler = gmail_settings_get_language, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC, PARAMS(gmail_user_params),
     .response = "LanguageSettings", .summary = "The language of the mailbox"},
    {ROUTE("gmail.users.settings.getPop", GET, "/gmail/v1/users/{userId}/settings/pop"),
     .handler = gmail_settings_get_pop, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC, PARAMS(gmail_user_params),
     .response = "PopSettings", .summary = "Settings of POP"},
    {ROUTE("gmail.users.settings.getVacation", GET, "/gmail/v1/users/{userId}/settings/vacation"),
     .handler = gmail_settings_get_vacation, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC, PARAMS(gmail_user_params),
     .response = "VacationSettings", .summary = "The automatic reply"},
    {ROUTE("gmail.users.settings.updateAutoForwarding", PUT,
           "/gmail/v1/users/{userId}/settings/autoForwarding"),
     .cost = 5, .handler = gmail_settings_update_auto_forwarding, .risk = RISK_WRITE,
     .idempotent = true, .risk_of = auto_forwarding_risk, .body = BODY_JSON,
     .scopes = SETTINGS_SHARING, PARAMS(gmail_user_params), .request = "AutoForwarding",
     .response = "AutoForwarding", .summary = "Changes where mail is forwarded"},
    {ROUTE("gmail.users.settings.updateImap", PUT, "/gmail/v1/users/{userId}/settings/imap"),
     .cost = 5, .handler = gmail_settings_update_imap, .risk = RISK_WRITE, .idempotent = true,
     .body = BODY_JSON, .scopes = SETTINGS_BASIC, PARAMS(gmail_user_params),
     .request = "ImapSettings", .response = "ImapSettings",
     .summary = "Changes the settings of IMAP"},
    {ROUTE("gmail.users.settings.updateLanguage", PUT,
           "/gmail/v1/users/{userId}/settings/language"),
     .handler = gmail_settings_update_language, .risk = RISK_WRITE, .idempotent = true,
     .body = BODY_JSON, .scopes = SETTINGS_BASIC, PARAMS(gmail_user_params),
     .request = "LanguageSettings", .response = "LanguageSettings",
     .summary = "Changes the language of the mailbox"},
    {ROUTE("gmail.users.settings.updatePop", PUT, "/gmail/v1/users/{userId}/settings/pop"),
     .cost = 100, .handler = gmail_settings_update_pop, .risk = RISK_WRITE, .idempotent = true,
     .body = BODY_JSON, .scopes = SETTINGS_BASIC, PARAMS(gmail_user_params),
     .request = "PopSettings", .response = "PopSettings", .summary = "Changes the settings of POP"},
    {ROUTE("gmail.users.settings.updateVacation", PUT,
           "/gmail/v1/users/{userId}/settings/vacation"),
     .cost = 5, .handler = gmail_settings_update_vacation, .risk = RISK_WRITE, .idempotent = true,
     .risk_of = vacation_risk, .body = BODY_JSON, .scopes = SETTINGS_BASIC,
     PARAMS(gmail_user_params), .request = "VacationSettings", .response = "VacationSettings",
     .summary = "Changes the automatic reply"},
};
const struct rows gmail_settings_rows = ROWS(routes);
