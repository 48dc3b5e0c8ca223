/* SPDX-License-Identifier: Apache-2.0 */
/* Automatic replies, as they answer. */
#include "services/mail/outlook/settings/answer.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "services/mail/outlook/acts.h"
#include "vendors/microsoft/zone.h"

#define NEVER (INT64_C(100) * 366 * US_PER_DAY)

int outlook_mailbox_set(struct tx *tx, int64_t mailbox, const struct json **ret)
{
    struct kept s;
    int r = mail_kept_get(tx, &outlook_settings, mailbox, SETTING_MAILBOX, "", &s);
    *ret = r == 1 ? s.value : NULL;
    return r < 0 ? -1 : 0;
}

const char *outlook_word_of(const struct json *v, const char *member, const char *otherwise)
{
    const char *text = json_get_str(v, member);
    return text ? text : otherwise;
}

int outlook_instant_of(const struct json *v, int64_t *ret)
{
    const char *text = json_get_str(v, "dateTime"), *zone = json_get_str(v, "timeZone");
    const char *iana = zone ? graph_zone_iana(zone) : "UTC";
    struct stamp stamp;
    if (!text)
        return 0;
    if (!iana)
        iana = "UTC";
    const struct tz *tz = tz_find(iana);
    if (!tz || stamp_parse(text, strlen(text), true, &stamp) < 0)
        return -1;
    const int64_t s = stamp.local_us / US_PER_SECOND;
    *ret = (stamp.has_offset ? s - stamp.offset : tz_to_utc(tz, s)) * US_PER_SECOND;
    return 1;
}

int outlook_answer(struct tx *tx, const struct mailbox *mb, struct mail_auto_answer *ret)
{
    const struct json *set, *v;
    if (outlook_mailbox_set(tx, mb->id, &set) < 0)
        return -1;
    v = json_get(set, "automaticRepliesSetting");
    const char *status = outlook_word_of(v, "status", "disabled");
    const char *audience = outlook_word_of(v, "externalAudience", "all");
    const bool scheduled = strcmp(status, "scheduled") == 0;
    *ret = (struct mail_auto_answer){
        .on = strcmp(status, "disabled") != 0,
        .subject = "Automatic reply:",
        .plain = true,
        .html = outlook_word_of(v, "internalReplyMessage", ""),
        .apart = true,
        .apart_html = outlook_word_of(v, "externalReplyMessage", ""),
        .apart_contacts = strcmp(audience, "contactsOnly") == 0,
        .domain = strcmp(audience, "none") == 0,
        .pause_us = NEVER,
    };
    if (scheduled) {
        outlook_instant_of(json_get(v, "scheduledStartDateTime"), &ret->from_us);
        outlook_instant_of(json_get(v, "scheduledEndDateTime"), &ret->to_us);
    }
    return 0;
}
