/* SPDX-License-Identifier: Apache-2.0 */
/* The words of seed documents, for reading and for writing them. Format: docs/seed.md. */
#ifndef SOSIA_CALENDAR_SEED_IMPL_H
#define SOSIA_CALENDAR_SEED_IMPL_H

#include "engine/world/core.h"
#include "services/calendar/core/event/event_impl.h"

#define SEED_STATUS                                                                                \
    {                                                                                              \
        "confirmed", "tentative", "cancelled", NULL                                                \
    }
#define SEED_VISIBILITY                                                                            \
    {                                                                                              \
        "default", "public", "private", "confidential", NULL                                       \
    }
#define SEED_KIND                                                                                  \
    {                                                                                              \
        "default", "outOfOffice", "focusTime", "workingLocation", "birthday", "fromMail", NULL     \
    }
#define SEED_RESPONSE                                                                              \
    {                                                                                              \
        "", "needsAction", "declined", "tentative", "accepted", NULL                               \
    }
/* By bit of enum cal_event_rights. */
#define SEED_RIGHTS                                                                                \
    {                                                                                              \
        "guestsDontInvite", "guestsDontSeeGuests", "guestsModify", "anyoneAddsSelf",               \
            "privateCopy", "locked", "noEnd", NULL                                                 \
    }

/* Sections of the seed document: see struct section. */
int calendars_seed(struct tx *tx, struct doc *d, const struct json *value);
int calendars_dump(struct tx *tx, struct json_writer *w);

/* How a person has a calendar on the list if nothing else is said: the owner's own. */
void cal_listing_default(const struct calendar *cal, struct cal_listing *ret);

/* Entities, for diffs: see engine/world/core.h. */
#define CALENDAR_ENTITIES 4
extern const struct entity calendar_entities[CALENDAR_ENTITIES];

#endif
