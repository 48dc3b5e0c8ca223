/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an iCalendar object: what is read of it keeps to what the reader promises; as mail
 * that is imported it never fails, and whatever it did to the calendar can be listed, dumped and
 * seeded again. */
#include "engine/base/utf8.h"
#include "engine/world/engine.h"
#include "services/calendar/core/ical/ical_read.h"
#include "services/calendar/core/recur/rrule.h"
#include "fuzz/fuzz.h"
#include <stdio.h>

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
        const struct cal_attendee *g = &ev->guests[i];
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
    CHECK(!ev->recurrence || (ev->timed && !ev->single));
    CHECK(ev->zone || ev->all_day || !ev->timed || !(ev->recurrence || ev->single));
    check_text(ev->recurrence);
    check_guests(a, ev);
}

/* ---- in a world ---- */

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"ada@acme.example\","
    "\"zone\":\"Europe/Rome\"},{\"email\":\"b@c.d\"}],"
    "\"tokens\":[{\"token\":\"fuzz-token\",\"actor\":\"ada@acme.example\"}],"
    "\"calendars\":[{\"id\":\"ada@acme.example\",\"primary\":true,\"events\":["
    "{\"id\":\"event1\",\"uid\":\"one\",\"start\":\"2026-11-24T10:00\","
    "\"attendees\":[{\"email\":\"b@c.d\"},{\"email\":\"a@b.c\"}]},"
    "{\"id\":\"serie1\",\"uid\":\"series\",\"start\":\"2026-11-24T09:00\",\"zone\":\"Europe/Rome\","
    "\"recurrence\":[\"RRULE:FREQ=DAILY;COUNT=20\"],\"organizer\":\"d@e.example\","
    "\"attendees\":[{\"email\":\"ada@acme.example\"}]}]}]}";

static struct sosia_engine *engine;
static uint64_t base;

static void ask(uint64_t world, const char *method, const char *target, const char *type,
                const struct buf *body)
{
    struct sosia_header headers[] = {{"Authorization", "Bearer fuzz-token"},
                                     {"Content-Type", type}};
    struct sosia_request req = {.method = method,
                                .target = target,
                                .headers = headers,
                                .n_headers = SOSIA_LEN(headers),
                                .body = body ? body->data : NULL,
                                .body_len = body ? body->len : 0};
    struct sosia_response *res = NULL;
    struct sosia_err err;
    CHECK(sosia_call(engine, world, &req, &res, &err) == 0 && res->status == 200);
    sosia_response_free(res);
}

static void check_world(const char *text, size_t size)
{
    struct sosia_world_options opt = {.seed_doc = DOC, .seed_doc_len = sizeof DOC - 1};
    struct sosia_err err;
    struct sosia_blob dump;
    struct buf mail;
    uint64_t world, again;
    if (!engine) {
        engine = fuzz_engine(NULL);
        CHECK(sosia_world_create(engine, &opt, &base, NULL) == 0);
    }
    CHECK(sosia_world_fork(engine, base, NULL, &world, &err) == 0);
    buf_init(&mail, 0);
    buf_puts(&mail, "From: d@e.example\r\nContent-Type: text/calendar\r\n"
                    "Content-Transfer-Encoding: binary\r\n\r\n");
    buf_add(&mail, text, size);
    for (int i = 0; i < 2; i++)
        ask(world, "POST",
            "/upload/gmail/v1/users/me/messages/import?uploadType=media&processForCalendar=true",
            "message/rfc822", &mail);
    ask(world, "GET", "/calendar/v3/calendars/primary/events?showDeleted=true", "", NULL);
    ask(world, "GET",
        "/calendar/v3/calendars/primary/events?singleEvents=true&orderBy=startTime"
        "&timeMax=2027-01-01T00:00:00Z",
        "", NULL);
    CHECK(sosia_world_dump(engine, world, &dump, &err) == 0);
    opt = (struct sosia_world_options){.seed_doc = dump.data, .seed_doc_len = dump.len};
    if (sosia_world_create(engine, &opt, &again, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    sosia_blob_free(&dump);
    buf_done(&mail);
    CHECK(sosia_world_drop(engine, again, &err) == 0 && sosia_world_drop(engine, world, &err) == 0);
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
        if (ical.n_events && (ical.method == ICAL_REQUEST || ical.method == ICAL_CANCEL ||
                              ical.method == ICAL_REPLY))
            check_world(text, size);
    }
    free(text);
    arena_done(&a);
    return 0;
}
