/* SPDX-License-Identifier: Apache-2.0 */
/* Mailbox settings: zone, formats, language, hours, and automatic replies. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/outlook/settings/languages.h"
#include "services/mail/outlook/rows.h"
#include "vendors/microsoft/zone.h"
#include "services/mail/outlook/settings/answer.h"
#include <stdio.h>

static const char *const members[] = {"archiveFolder",
                                      "timeZone",
                                      "delegateMeetingMessageDeliveryOptions",
                                      "dateFormat",
                                      "timeFormat",
                                      "userPurpose",
                                      "automaticRepliesSetting",
                                      "language",
                                      "workingHours"};

/* ---- values ---- */

static const char *zone_of(const struct outlook_box *b, const struct json *set)
{
    const char *zone = graph_zone_windows(b->user.actor.zone);
    return outlook_word_of(set, "timeZone", zone ? zone : "UTC");
}

static void write_instant(struct call *c, const char *member, const struct json *v, int64_t us)
{
    outlook_instant_of(v, &us);
    const char *date = graph_date(c->tx.arena, us, 7);
    json_obj(c->out, member);
    json_strn(c->out, "dateTime", date, strlen(date) - 1);
    json_str(c->out, "timeZone", "UTC");
    json_end(c->out);
}

static void write_replies(struct call *c, const struct json *v)
{
    const int64_t hour = 3600 * US_PER_SECOND, now = c->tx.now_us / hour * hour;
    json_str(c->out, "status", outlook_word_of(v, "status", "disabled"));
    json_str(c->out, "externalAudience", outlook_word_of(v, "externalAudience", "all"));
    json_str(c->out, "internalReplyMessage", outlook_word_of(v, "internalReplyMessage", ""));
    json_str(c->out, "externalReplyMessage", outlook_word_of(v, "externalReplyMessage", ""));
    write_instant(c, "scheduledStartDateTime", json_get(v, "scheduledStartDateTime"), now);
    write_instant(c, "scheduledEndDateTime", json_get(v, "scheduledEndDateTime"), now + US_PER_DAY);
}

static void write_hours(struct call *c, const struct outlook_box *b, const struct json *set)
{
    static const char *const week[] = {"monday", "tuesday", "wednesday", "thursday", "friday"};
    const struct json *v = json_get(set, "workingHours"), *days = json_get(v, "daysOfWeek");
    json_arr(c->out, "daysOfWeek");
    for (size_t i = 0; !days && i < SOSIA_LEN(week); i++)
        json_str(c->out, NULL, week[i]);
    for (uint32_t i = 0; days && days->type == JSON_ARRAY && i < days->n; i++)
        json_value(c->out, NULL, &days->items[i]);
    json_end(c->out);
    json_str(c->out, "startTime", outlook_word_of(v, "startTime", "08:00:00.0000000"));
    json_str(c->out, "endTime", outlook_word_of(v, "endTime", "17:00:00.0000000"));
    json_obj(c->out, "timeZone");
    json_str(c->out, "name", outlook_word_of(json_get(v, "timeZone"), "name", zone_of(b, set)));
    json_end(c->out);
}

/* One member, as a member or (into an open object) by itself. */
static void write_member(struct call *c, const struct outlook_box *b, const struct json *set,
                         const char *name, bool alone)
{
    const char *key = alone ? "value" : name;
    const bool object = strcmp(name, "automaticRepliesSetting") == 0 ||
                        strcmp(name, "language") == 0 || strcmp(name, "workingHours") == 0;
    if (object && !alone)
        json_obj(c->out, name);
    if (strcmp(name, "archiveFolder") == 0)
        json_str(c->out, key, outlook_folder_id(c->tx.arena, b, FOLDER_ARCHIVE));
    else if (strcmp(name, "timeZone") == 0)
        json_str(c->out, key, zone_of(b, set));
    else if (strcmp(name, "dateFormat") == 0 || strcmp(name, "timeFormat") == 0)
        json_str(c->out, key, outlook_word_of(set, name, ""));
    else if (strcmp(name, "userPurpose") == 0)
        json_str(c->out, key, strcmp(b->user.actor.kind, "resource") == 0 ? "room" : "user");
    else if (strcmp(name, "delegateMeetingMessageDeliveryOptions") == 0)
        json_str(c->out, key, outlook_word_of(set, name, "sendToDelegateOnly"));
    else if (strcmp(name, "automaticRepliesSetting") == 0)
        write_replies(c, json_get(set, name));
    else if (strcmp(name, "language") == 0)
        outlook_write_language(c, json_get(set, name));
    else
        write_hours(c, b, set);
    if (object && !alone)
        json_end(c->out);
}

/* ---- reading ---- */

static int settings_get(struct call *c)
{
    struct outlook_box b;
    const struct json *set;
    if (outlook_open(c, OUTLOOK_READ, &b) < 0 ||
        outlook_mailbox_set(&c->tx, b.mailbox.id, &set) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/mailboxSettings", outlook_root(c, &b));
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        write_member(c, &b, set, members[i], false);
    json_end(c->out);
    return 0;
}

static int settings_get_one(struct call *c)
{
    struct outlook_box b;
    const struct json *set;
    const char *asked = param_str(c, "setting"), *name = NULL;
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        if (str_eq_nocase(members[i], asked))
            name = members[i];
    if (!name)
        return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                         "Resource not found for the segment '%.100s'.", asked);
    if (outlook_open(c, OUTLOOK_READ, &b) < 0 ||
        outlook_mailbox_set(&c->tx, b.mailbox.id, &set) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/mailboxSettings/%s", outlook_root(c, &b), name);
    write_member(c, &b, set, name, true);
    json_end(c->out);
    return 0;
}

/* ---- changing ---- */

static int bad_zone(struct call *c, const char *name)
{
    return call_fail(c, SOSIA_E_INVALID, "InvalidTimeZone", NULL,
                     "The time zone '%.100s' is not supported.", name);
}

static int check_zone(struct call *c, const char *name)
{
    return !name || graph_zone_iana(name) ? 0 : bad_zone(c, name);
}

static int check_word(struct call *c, const struct json *v, const char *member,
                      const char *const *words, const char **ret)
{
    const char *text = json_get_str(v, member);
    *ret = NULL;
    for (size_t i = 0; text && words[i]; i++)
        if (str_eq_nocase(words[i], text))
            *ret = words[i];
    return !text || *ret ? 0
                         : call_fail(c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                                     "Requested value '%.100s' was not found.", text);
}

/* The whole setting of automatic replies: what is given, over what there was. */
static int merge_replies(struct call *c, const struct json *old, const struct json *v,
                         struct json_writer *w)
{
    static const char *const statuses[] = {"disabled", "alwaysEnabled", "scheduled", NULL},
                             *const audiences[] = {"none", "contactsOnly", "all", NULL},
                             *const kept[] = {"internalReplyMessage", "externalReplyMessage",
                                              "scheduledStartDateTime", "scheduledEndDateTime"};
    const struct json *from = json_get(v, "scheduledStartDateTime");
    const struct json *to = json_get(v, "scheduledEndDateTime");
    int64_t from_us = 0, to_us = 0;
    const char *status, *audience;
    if (check_word(c, v, "status", statuses, &status) < 0 ||
        check_word(c, v, "externalAudience", audiences, &audience) < 0 ||
        check_zone(c, json_get_str(from, "timeZone")) < 0 ||
        check_zone(c, json_get_str(to, "timeZone")) < 0)
        return -1;
    int r = outlook_instant_of(from, &from_us), r2 = outlook_instant_of(to, &to_us);
    if (r < 0 || r2 < 0)
        return call_fail(c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                         "Cannot convert the literal of 'dateTime' to the expected type "
                         "'Edm.DateTimeOffset'.");
    if ((r && r2 && from_us >= to_us) || (status && strcmp(status, "scheduled") == 0 &&
                                          !(r && r2) && !json_get(old, "scheduledStartDateTime")))
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidTimeSettings", NULL,
                         "The start time must be before the end time.");
    json_obj(w, "automaticRepliesSetting");
    json_str(w, "status", status ? status : outlook_word_of(old, "status", "disabled"));
    json_str(w, "externalAudience",
             audience ? audience : outlook_word_of(old, "externalAudience", "all"));
    for (size_t i = 0; i < SOSIA_LEN(kept); i++) {
        const struct json *is =
            json_get(v, kept[i]) ? json_get(v, kept[i]) : json_get(old, kept[i]);
        if (is && is->type != JSON_NULL)
            json_value(w, kept[i], is);
    }
    json_end(w);
    return 0;
}

static int check_time(struct call *c, const char *text)
{
    int h, m, n = 0;
    if (!text || (sscanf(text, "%2d:%2d%n", &h, &m, &n) == 2 && h < 24 && m < 60 && h >= 0 &&
                  m >= 0 && (text[n] == ':' || !text[n])))
        return 0;
    return call_fail(c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                     "Cannot convert the literal '%.40s' to the expected type 'Edm.TimeOfDay'.",
                     text);
}

static int merge_hours(struct call *c, const struct json *old, const struct json *v,
                       struct json_writer *w)
{
    static const char *const week[] = {"sunday",   "monday", "tuesday", "wednesday",
                                       "thursday", "friday", "saturday"};
    static const char *const kept[] = {"daysOfWeek", "startTime", "endTime", "timeZone"};
    const struct json *days = json_get(v, "daysOfWeek");
    const char *from = json_get_str(v, "startTime"), *to = json_get_str(v, "endTime");
    for (uint32_t i = 0; days && days->type == JSON_ARRAY && i < days->n; i++)
        if (days->items[i].type != JSON_STRING ||
            !str_in_nocase(days->items[i].str, week, SOSIA_LEN(week)))
            return call_fail(c, SOSIA_E_INVALID, "InvalidArguments", NULL,
                             "The day of the week is not valid.");
    if (check_time(c, from) < 0 || check_time(c, to) < 0 ||
        check_zone(c, json_get_str(json_get(v, "timeZone"), "name")) < 0)
        return -1;
    if (from && to && strcmp(from, to) >= 0)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidTimeSettings", NULL,
                         "The start time must be before the end time.");
    json_obj(w, "workingHours");
    for (size_t i = 0; i < SOSIA_LEN(kept); i++) {
        const struct json *is =
            json_get(v, kept[i]) ? json_get(v, kept[i]) : json_get(old, kept[i]);
        if (is && is->type != JSON_NULL)
            json_value(w, kept[i], is);
    }
    json_end(w);
    return 0;
}

static int merge_member(struct call *c, const struct json *old, const struct json *body,
                        const char *name, struct json_writer *w)
{
    const struct json *v = json_get(body, name), *was = json_get(old, name);
    if (v && v->type == JSON_OBJECT && strcmp(name, "automaticRepliesSetting") == 0)
        return merge_replies(c, was, v, w);
    if (v && v->type == JSON_OBJECT && strcmp(name, "workingHours") == 0)
        return merge_hours(c, was, v, w);
    if (v && strcmp(name, "timeZone") == 0 && v->type == JSON_STRING && check_zone(c, v->str) < 0)
        return -1;
    if (v ? v->type != JSON_NULL : was != NULL)
        json_value(w, name, v ? v : was);
    return 0;
}

static int settings_update(struct call *c)
{
    struct outlook_box b;
    const struct json *body, *old;
    struct kept_value text;
    int r = 0;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0 ||
        outlook_mailbox_set(&c->tx, b.mailbox.id, &old) < 0 || !(body = call_body(c)))
        return -1;
    mail_kept_begin(&text);
    for (size_t i = 0; i < SOSIA_LEN(members) && r == 0; i++)
        if (strcmp(members[i], "archiveFolder") != 0 && strcmp(members[i], "userPurpose") != 0)
            r = merge_member(c, old, body, members[i], &text.w);
    const char *value = mail_kept_end(&c->tx, &text);
    const char *was =
        outlook_word_of(json_get(old, "automaticRepliesSetting"), "status", "disabled");
    if (r < 0 ||
        mail_kept_put(&c->tx, &outlook_settings, b.mailbox.id, SETTING_MAILBOX, "", value) < 0 ||
        outlook_mailbox_set(&c->tx, b.mailbox.id, &old) < 0)
        return -1;
    /* Everybody has one answer until it is switched off and on (MG-576). */
    const char *is =
        outlook_word_of(json_get(old, "automaticRepliesSetting"), "status", "disabled");
    if (strcmp(was, is) != 0 && mail_answered_forget(&c->tx, &b.mailbox) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/mailboxSettings", outlook_root(c, &b));
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        if (json_get(body, members[i]))
            write_member(c, &b, old, members[i], false);
    json_end(c->out);
    return 0;
}

/* ---- the methods ---- */

static const struct param params[] = {
    USER_PARAM,
    {.name = "setting",
     .place = IN_PATH,
     .required = true,
     .summary = "The name of a setting, such as timeZone or workingHours"}};
static const struct route routes[] = {
    {ROUTE("outlook.mailboxSettings.get", GET, GRAPH_MY("/mailboxSettings")),
     .response = "microsoft.graph.mailboxSettings", .handler = settings_get, .risk = RISK_READ,
     .scopes = SETTINGS, PARAMS(outlook_user_params), .summary = "The settings of the mailbox"},
    {ROUTE("outlook.mailboxSettings.getOne", GET, GRAPH_MY("/mailboxSettings/{setting}")),
     .response = "microsoft.graph.mailboxSetting", .handler = settings_get_one, .risk = RISK_READ,
     .scopes = SETTINGS, PARAMS(params), .summary = "One of the settings of the mailbox"},
    {ROUTE("outlook.mailboxSettings.update", PATCH, GRAPH_MY("/mailboxSettings")),
     .response = "microsoft.graph.mailboxSettings", .handler = settings_update, .risk = RISK_WRITE,
     .idempotent = true, .body = BODY_JSON, .scopes = SET, PARAMS(outlook_user_params),
     .request = "microsoft.graph.mailboxSettings",
     .summary = "Changes settings of the mailbox, automatic replies among them"},
};

const struct rows outlook_setting_rows = ROWS(routes);
