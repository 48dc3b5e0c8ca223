/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an iCalendar object: what is read of it keeps to what the reader promises. */
#include "engine/base/utf8.h"
#include "services/calendar/core/ical_read.h"
#include "services/calendar/core/rrule.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x))                                                                                  \
            abort();                                                                               \
    } while (0)

static void check_text(const char *text)
{
    CHECK(!text || (*text && utf8_valid(text, strlen(text)) && !strchr(text, '\r')));
}

static void check_time(bool day, int64_t us)
{
    CHECK(us / US_PER_SECOND >= RRULE_START && us / US_PER_SECOND <= RRULE_END);
    CHECK(!day || us % US_PER_DAY == 0);
}

static void check_guests(struct arena *a, const struct ical_event *ev)
{
    CHECK(ev->n_guests >= 0 && ev->n_guests <= ICAL_MAX_GUESTS);
    for (int i = 0; i < ev->n_guests; i++) {
        const struct attendee *g = &ev->guests[i];
        const char *normal = email_normal(a, g->email);
        CHECK(normal && strcmp(normal, g->email) == 0);
        CHECK(g->response >= RESPONSE_NONE && g->response <= RESPONSE_ACCEPTED && g->guests >= 0);
        check_text(g->name);
        check_text(g->comment);
        CHECK(i == 0 || strcmp(ev->guests[i - 1].email, g->email) != 0);
    }
}

static void check_event(struct arena *a, const struct ical_event *ev)
{
    CHECK(ev->uid && strlen(ev->uid) <= ICAL_MAX_UID && !strpbrk(ev->uid, "\n\t"));
    check_text(ev->uid);
    check_text(ev->summary);
    check_text(ev->description);
    check_text(ev->location);
    check_text(ev->comment);
    check_text(ev->organizer);
    check_text(ev->organizer_name);
    CHECK(ev->sequence >= -1 && ev->sequence <= INT32_MAX);
    CHECK(!ev->zone || tz_find(ev->zone));
    if (ev->timed) {
        check_time(ev->all_day, ev->start_us);
        CHECK(ev->len_us >= 0 && (!ev->all_day || (ev->len_us && ev->len_us % US_PER_DAY == 0)));
        check_time(ev->all_day, ev->start_us + ev->len_us);
        CHECK(!ev->all_day || !ev->zone);
    }
    if (ev->single)
        check_time(ev->original_day, ev->original_us);
    CHECK(!ev->recurrence || (ev->timed && !ev->single && (ev->all_day || ev->zone)));
    check_text(ev->recurrence);
    check_guests(a, ev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a;
    struct ical ical;
    struct sosia_err err = {0};
    arena_init(&a, (size_t)256 << 20);
    char *text = malloc(size ? size : 1); /* no byte behind it: reads beyond are found */
    CHECK(text);
    if (size)
        memcpy(text, data, size);
    if (ical_read(&a, text, size, tz_find("Europe/Rome"), &ical, &err) < 0) {
        CHECK(err.code == SOSIA_E_INVALID && *err.text);
    } else {
        CHECK(ical.n_events <= ICAL_MAX_EVENTS);
        for (int i = 0; i < ical.n_events; i++)
            check_event(&a, &ical.events[i]);
    }
    free(text);
    arena_done(&a);
    return 0;
}
