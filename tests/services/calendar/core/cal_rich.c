/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/services/calendar/core/cal_rich.h"
#include "engine/service.h"
#include "engine/world/engine.h"
#include "services/calendar/core/list_impl.h"
#include "services/calendar/core/seed_impl.h"
#include "tests/support/story.h"
#include "tests/support/unit.h"
#include <stdlib.h>

static const char *rich_uid(struct tx *t, const char *key)
{
    return arena_printf(t->arena, "rich-%s", key);
}

static int read_extra(struct tx *t, struct cal_event *ev)
{
    (void)t;
    const char *extra = ev->extra ? ev->extra : "";
    ev->place = strstr(extra, "desk") ? "desk" : NULL;
    ev->decline = strstr(extra, "all")   ? DECLINE_ALL
                  : strstr(extra, "new") ? DECLINE_NEW
                                         : DECLINE_NONE;
    ev->decline_text = strstr(extra, "words") ? "not here" : NULL;
    return 0;
}

static int made_by_id(struct tx *t, int64_t id, struct calendar *ret)
{
    (void)t;
    if (id != MADE_ID)
        return 0;
    *ret = (struct calendar){
        .id = MADE_ID, .key = "made!days", .summary = "Days", .zone = "UTC", .tz = tz_find("UTC")};
    return 1;
}

static int made_by_key(struct tx *t, const char *key, struct calendar *ret)
{
    return strcmp(key, "made!days") == 0 ? made_by_id(t, MADE_ID, ret) : 0;
}

static int made_seen_by(struct tx *t, struct calendar *cal, const struct actor *who)
{
    (void)t;
    cal->summary = who->email;
    return 0;
}

static void made_event(int n, struct cal_event *ret)
{
    static const char *const keys[] = {"d0", "d1", "d2", "d3"};
    *ret = (struct cal_event){.calendar = MADE_ID,
                              .key = keys[n],
                              .uid = keys[n],
                              .summary = "Day",
                              .all_day = true,
                              .start_us = NOON / US_PER_DAY * US_PER_DAY + n * US_PER_DAY,
                              .len_us = US_PER_DAY,
                              .visibility = VISIBLE_PUBLIC};
    ret->last_us = event_end(ret);
}

static int made_find(struct tx *t, const struct calendar *cal, const char *key,
                     struct cal_event *ret)
{
    (void)t;
    (void)cal;
    if (key[0] != 'd' || key[1] < '0' || key[1] > '3')
        return 0;
    made_event(key[1] - '0', ret);
    return 1;
}

static int made_list(struct lister *l)
{
    for (int i = l->q->position ? atoi(l->q->position) : 0; i < 4; i++) {
        struct cal_event ev;
        made_event(i, &ev);
        int r = cal_list_in_time(l, &ev) ? cal_list_wanted(l, &ev) : 0;
        if (r == 1)
            r = cal_list_give(l, &ev);
        if (r == 1)
            l->position = arena_printf(l->tx->arena, "%d", i);
        if (r)
            return r < 0 ? -1 : 0;
    }
    return 0;
}

static int letter(struct tx *t, const struct cal_event *ev, enum cal_letter kind,
                  const char *comment, struct letter *l)
{
    l->subject = arena_printf(t->arena, "<%d> %s", kind, l->subject);
    l->html = comment ? arena_printf(t->arena, "<i>%s</i>", comment) : NULL;
    l->no_file = ev->form == EVENT_SERIES;
    return kind == CAL_LETTER_CANCELS && comment && strcmp(comment, "fails") == 0
               ? cal_fail(t, CAL_NO_SUCH_TIME, "no letter")
               : 0;
}

bool turns_fail;

static int lists_turn(struct tx *t, const struct calendar *cal, enum cal_turn turn)
{
    story_say("  lists: %s, %d", cal->key, turn);
    return turns_fail ? cal_fail(t, CAL_TOO_MANY, "too many lists") : 0;
}

static int lists_seed(const struct form_in *in)
{
    const struct json *v = json_get(in->value, "lists");
    const struct calendar *cal = in->of;
    if (v && v->type != JSON_ARRAY)
        return doc_fail(in->d, v, "lists", "must be a list");
    if (v)
        story_say("  %s is on %u lists", cal->key, v->n);
    return 0;
}

static int lists_dump(struct tx *t, int64_t calendar, struct json_writer *w, bool *ret_any)
{
    struct calendar cal;
    int r = calendar_by_id(t, calendar, &cal);
    if (r == 1 && (calendar == MADE_ID || !cal.main)) {
        json_arr(w, "lists");
        json_end(w);
        *ret_any = true;
    }
    return r < 0 ? -1 : 0;
}

static int lists_made(struct tx *t, int64_t **ret, size_t *ret_n)
{
    *ret = arena_calloc(t->arena, 1, sizeof **ret);
    **ret = MADE_ID;
    *ret_n = 1;
    return 0;
}

static const struct cal_made made = {made_by_key, made_by_id, made_seen_by, made_find, made_list};
static const struct cal_lists lists = {lists_turn, lists_seed, lists_dump, lists_made};

const struct cal_vendor rich = {
    .name = "rich",
    .uid = rich_uid,
    .key = cal_event_uid_key,
    .read_extra = read_extra,
    .kind_words = {[KIND_AWAY] = "Gone"},
    .day_reminders = "[{\"method\":\"popup\",\"minutes\":60}]",
    .reminds = true,
    .reminder_minutes = 15,
    .made = &made,
    .lists = &lists,
    .guests_never = PART_RIGHTS,
    .guests_all = PART_SUMMARY | PART_LOCATION | PART_TIME | PART_IMPORTANCE | PART_ATTENDEES,
    .copy_time = COPY_ANSWERED,
    .own_visibility = true,
    .keeps_cancelled = true,
    .letter = letter,
};

static const struct provision provisions[] = {
    {"rich", ACCOUNT_CALENDAR, "person resource", true, make_calendar},
    {"acme", ACCOUNT_CALENDAR, "person resource", true, make_calendar},
    {NULL, 0, NULL, false, NULL}};
static const struct core_policy both[] = {
    {CALENDAR_CORE, "acme", &acme}, {CALENDAR_CORE, "rich", &rich}, {0}};
static const struct core_policy one[] = {{CALENDAR_CORE, "acme", &acme}, {0}};

static void say_letter(const struct letter *l)
{
    const char *sent = l->calendar ? strstr(l->calendar, "SEQUENCE") : NULL;
    story_say("  letter of %s (%s) to %s: %s, %s%s%s, %.12s", l->from,
              l->from_name ? l->from_name : "-", l->to, l->subject, l->method ? l->method : "-",
              l->settled ? ", settled" : "", l->no_file ? ", no file" : "", sent ? sent : "-");
    story_say("  %s %s", l->html ? l->html : "-", l->text);
}

static int take_letter(struct tx *t, const struct letter *l, const char **ret_rest)
{
    (void)t;
    say_letter(l);
    *ret_rest = "";
    return 0;
}

static const struct sosia_core of_both = {
    .name = "vendors", .provisions = provisions, .policies = both, .letter = take_letter};
static const struct sosia_core of_one = {
    .name = "vendors", .provisions = provisions, .policies = one, .letter = take_letter};
static const struct sosia_core *const cores_both[] = {&identity_core, &calendar_core, &of_both,
                                                      NULL};
static const struct sosia_core *const cores_one[] = {&identity_core, &calendar_core, &of_one, NULL};
static const struct sosia_service service_both = {.name = "test", .cores = cores_both},
                                  service_one = {.name = "test", .cores = cores_one};
const struct sosia_service *const services_both[] = {&service_both, NULL}, *const services_one[] = {
                                                                               &service_one, NULL};
