/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A story of calendars, without a dialect, once for each of two vendors: a document with everything
 * that one can say, then what people do, and what each thing changes in everybody's calendar. Lines
 * of a list: calendar, key, form and status, then what is not usual.
 */
#include "engine/world/engine.h"
#include "tests/services/calendar/core/cal_vendors.h"
#include "tests/support/story.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

/* ---- states ---- */

static struct buf *out;

static const char *const statuses[] = {"", " tentative", " cancelled"};
static const char *const responses[] = {"-", "?", "no", "maybe", "yes"};

static int show(void *arg, struct cal_event *ev, const struct record *row)
{
    const struct calendar *cal = arg;
    (void)row;
    OK(cal_event_load_attendees(&tx, ev));
    buf_printf(out, "%s %s \"%s\" form %d%s at %lld+%lld", cal->summary, ev->key, ev->summary ? ev->summary : "",
               ev->form, statuses[ev->status], (long long)((ev->start_us - NOON) / 60000000),
               (long long)(ev->len_us / 60000000));
    if (ev->zone)
        buf_printf(out, " %s", ev->zone);
    if (ev->removed)
        buf_puts(out, " removed");
    buf_printf(out, " seq %lld busy %d vis %d rights %u imp %d resp %s", (long long)ev->sequence, ev->busy,
               ev->visibility, ev->rights, ev->importance, responses[ev->response]);
    if (ev->organizer)
        buf_printf(out, " by %s", ev->organizer);
    if (ev->recurrence)
        buf_printf(out, " [%s]", ev->recurrence);
    for (int i = 0; i < ev->n_attendees; i++)
        buf_printf(out, " %s:%s%s", ev->attendees[i].email, responses[ev->attendees[i].response],
                   ev->attendees[i].comment ? ev->attendees[i].comment : "");
    buf_printf(out, " touched %lld change %lld\n", (long long)(ev->updated_us - tx.now_us), (long long)ev->change);
    return 0;
}

static void show_busy(const struct calendar *cal)
{
    struct busy *list;
    size_t n;
    OK(freebusy_list(&tx, cal, NOON - 24 * HOUR, NOON + 24 * HOUR, &list, &n));
    buf_printf(out, "%s busy:", cal->summary);
    for (size_t i = 0; i < n; i++)
        buf_printf(out, " %lld-%lld", (long long)((list[i].start_us - NOON) / 60000000),
                   (long long)((list[i].end_us - NOON) / 60000000));
    buf_puts(out, "\n");
}

static void state(void)
{
    const struct calendar *const all[] = {&ada, &bob, &cyd, &dan, &room};
    const char *position;
    struct buf b;
    buf_init(&b, 0);
    out = &b;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        struct cal_event_query q = everything();
        q.deleted = true;
        OK(cal_event_list(&tx, all[i], &q, show, (void *)(uintptr_t)all[i], &position));
        show_busy(all[i]);
    }
    story_state("calendars", buf_str(&b));
    buf_done(&b);
}

int main(void) { (void)state; return 0; }
