/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/services/calendar/core/cal_steps.h"
#include "engine/world/engine.h"
#include "tests/support/story.h"
#include "tests/support/survey.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdlib.h>

void cal_result(int r)
{
    if (r < 0)
        story_say("  refused: %d, %s", cal_reason_of(tx.err), tx.err->text);
    else if (r > 0)
        story_say("  %d", r);
    *tx.err = (struct sosia_err){0};
}

void cal_step(const char *what)
{
    char *called = strdup(what); /* it may be in the arena of what ends here */
    survey_plain(&tx, &calendar_core);
    cal_sound();
    commit();
    story_dump(test_engine, test_world);
    test_advance(60);
    begin_again();
    story_say("== %s", called);
    free(called);
}

struct cal_event cal_has(const struct calendar *cal, const char *key)
{
    struct cal_event ev;
    if (cal_event_find(&tx, cal, key, &ev) != 1)
        fail_msg("%s has no %s", cal->summary, key);
    OK(cal_event_load_attendees(&tx, &ev));
    return ev;
}

void cal_saved(const struct calendar *cal, struct cal_event *old, struct cal_event *to)
{
    struct actor who = actor("ada");
    if (cal->owner)
        OK(actor_by_id(&tx, cal->owner, &who));
    cal_result(cal_event_save(&tx, &(struct cal_event_by){&who, MAIL_ALL}, cal, old, to));
}

static int list_key(void *arg, struct cal_event *ev, const struct record *row)
{
    const void *bytes;
    size_t n = 0;
    bool stored = row && cal_event_stored(&tx, ev, row, &bytes, &n);
    buf_printf(arg, " %s%s", ev->key, stored && n ? "" : "*");
    return 0;
}

void cal_listed(const char *name, const struct calendar *cal, struct cal_event_query q)
{
    struct buf b;
    const char *position = NULL;
    buf_init(&b, 0);
    for (int page = 0; page < 40; page++) {
        q.position = position;
        if (cal_event_list(&tx, cal, &q, list_key, &b, &position) < 0)
            buf_printf(&b, " refused: %s", tx.err->text);
        *tx.err = (struct sosia_err){0};
        if (!position)
            break;
        buf_puts(&b, " /");
    }
    story_say("  %s:%s", name, b.len ? buf_str(&b) : "");
    buf_done(&b);
}
