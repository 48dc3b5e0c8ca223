/* SPDX-License-Identifier: Apache-2.0 */
/* Times, and the words for what events have, as Graph writes them. */
#include "engine/text/civil.h"
#include "services/calendar/outlook/ocal.h"

/* By enum cal_busy, cal_event_visibility, cal_importance, cal_response. */
const char *const ocal_busy_words[] = {"busy",    "free", "tentative", "oof", "workingElsewhere",
                                       "unknown", NULL};
const char *const ocal_sensitivities[] = {"normal",       "normal",   "private",
                                          "confidential", "personal", NULL};
const char *const ocal_importances[] = {"normal", "low", "high", NULL};
const char *const ocal_responses[] = {"none",     "none", "declined", "tentativelyAccepted",
                                      "accepted", NULL};

/* ---- times ---- */

void ocal_write_time(const struct ocal_at *at, const char *key, bool all_day, int64_t us)
{
    struct json_writer *w = at->c->out;
    char text[STAMP_TEXT];
    int64_t s = us / US_PER_SECOND - (us % US_PER_SECOND < 0);
    if (!json_wants(w, key))
        return;
    /* A day is a midnight whatever the zone (MG-78). */
    stamp_format(text, us + (all_day ? 0 : tz_offset(at->tz, s) * US_PER_SECOND), 0, 6, true);
    memcpy(text + 26, "0", 2); /* seven digits, no zone */
    json_obj(w, key);
    json_word(w, "dateTime", text);
    json_str(w, "timeZone", at->zone);
    json_end(w);
}

void ocal_write_instant(struct json_writer *w, const char *key, int64_t us)
{
    char text[STAMP_TEXT];
    if (!json_wants(w, key))
        return;
    size_t n = stamp_format(text, us, 0, us % US_PER_SECOND ? 6 : 0, true) - 1;
    while (us % US_PER_SECOND && text[n - 1] == '0')
        n--;
    memcpy(text + n, "Z", 2);
    json_word(w, key, text);
}
