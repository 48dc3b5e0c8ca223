/* SPDX-License-Identifier: Apache-2.0 */
/* getSchedule: when people and rooms are free. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/calendar/outlook/schedule.h"
#include "services/calendar/outlook/params.h"
#include "vendors/microsoft/zone.h"

/* ---- getSchedule ---- */

static char digit_of(enum cal_busy busy)
{
    static const char digits[] = {[BUSY_FREE] = '0', [BUSY_TENTATIVE] = '1', [BUSY_BUSY] = '2',
                                  [BUSY_AWAY] = '3', [BUSY_ELSEWHERE] = '4', [BUSY_UNKNOWN] = '5'};
    return digits[busy];
}

static int write_error(struct json_writer *w, const char *code, const char *text)
{
    json_obj(w, "error");
    json_str(w, "message", text);
    json_str(w, "responseCode", code);
    json_end(w);
    return 0;
}

static void write_hours(struct json_writer *w, const struct calendar *cal)
{
    const char *windows = graph_zone_windows(cal->zone);
    json_obj(w, "workingHours");
    json_arr(w, "daysOfWeek");
    for (int i = 1; i < 6; i++)
        json_word(w, NULL, ocal_days[i]);
    json_end(w);
    json_word(w, "startTime", "08:00:00.0000000");
    json_word(w, "endTime", "17:00:00.0000000");
    json_obj(w, "timeZone");
    json_str(w, "name", windows ? windows : cal->zone);
    json_end(w);
    json_end(w);
}

struct window {
    int64_t start_us, end_us, step_us;
};

/* A digit for each interval: every time is put over those that it meets. */
static const char *availability(struct arena *a, const struct window *win,
                                const struct ocal_schedule *s)
{
    size_t n = (size_t)((win->end_us - win->start_us + win->step_us - 1) / win->step_us);
    uint8_t *busy = arena_calloc(a, n, sizeof *busy);
    char *digits = arena_alloc(a, n + 1);
    if (arena_failed(a))
        return "";
    memset(busy, BUSY_FREE, n);
    for (size_t i = 0; i < s->n; i++) {
        int64_t from = s->items[i].start_us - win->start_us,
                to = s->items[i].end_us - win->start_us;
        for (int64_t k = from > 0 ? from / win->step_us : 0;
             k < (int64_t)n && k * win->step_us < to; k++)
            if (ocal_busy_weights[s->items[i].busy] > ocal_busy_weights[busy[k]])
                busy[k] = (uint8_t)s->items[i].busy;
    }
    for (size_t i = 0; i < n; i++)
        digits[i] = digit_of((enum cal_busy)busy[i]);
    digits[n] = 0;
    return digits;
}

static void write_item(struct ocal_at *at, const struct ocal_time *t)
{
    struct json_writer *w = at->c->out;
    json_obj(w, NULL);
    if (t->shown)
        json_bool(w, "isPrivate", t->is_private);
    json_word(w, "status", ocal_busy_words[t->busy]);
    json_str_opt(w, "subject", t->subject);
    json_str_opt(w, "location", t->location);
    ocal_write_time(at, "start", false, t->start_us);
    ocal_write_time(at, "end", false, t->end_us);
    json_end(w);
}

static int write_schedule(struct ocal_at *at, const struct window *win, const char *id)
{
    struct json_writer *w = at->c->out;
    struct ocal_schedule s;
    const char *email = email_normal(at->c->tx.arena, id);
    json_str(w, "scheduleId", id);
    int r = email ? ocal_schedule_of(at, email, &s) : 0;
    if (r < 0)
        return -1;
    if (!email)
        return write_error(w, "ErrorInvalidSmtpAddress",
                           "Microsoft.Exchange.InfoWorker.Common.Availability."
                           "InvalidSmtpAddressException: The email address provided is not a valid "
                           "SMTP address.\r\n. Name of the server where exception originated: "
                           "FR2P281MB0001. LID: 43916");
    if (r == 0)
        return write_error(w, "ErrorMailRecipientNotFound",
                           "Microsoft.Exchange.InfoWorker.Common.Availability."
                           "MailRecipientNotFoundException: Unable to resolve e-mail address to an "
                           "Active Directory object.");
    if (ocal_schedule_read(at, win->start_us, win->end_us, &s) < 0)
        return ocal_refused(at->c);
    if (s.too_many)
        return write_error(w, "ErrorResultSetTooBig",
                           "Microsoft.Exchange.InfoWorker.Common.Availability."
                           "ResultSetTooBigException: The result set contains too many calendar "
                           "entries. The allowed size = 1000.");
    json_str(w, "availabilityView", availability(at->c->tx.arena, win, &s));
    json_arr(w, "scheduleItems");
    for (size_t i = 0; i < s.n; i++)
        write_item(at, &s.items[i]);
    json_end(w);
    write_hours(w, &s.cal);
    return 0;
}

static int get_schedule(struct call *c)
{
    const struct json *body, *list;
    const char *zone, *name;
    struct window win;
    struct ocal_at at;
    if (ocal_open_user(c, &at) < 0 || !(body = call_body(c)))
        return -1;
    list = json_get(body, "schedules");
    int64_t minutes = json_get_int(body, "availabilityViewInterval", 30);
    if (!list || list->type != JSON_ARRAY || !list->n || list->n > 100)
        return ocal_invalid(c, "schedules", "a list of 1 to 100 addresses");
    if (ocal_read_time(c, json_get(body, "startTime"), "startTime", false, &win.start_us, &zone,
                       &name) < 0 ||
        ocal_read_time(c, json_get(body, "endTime"), "endTime", false, &win.end_us, &zone, &name) <
            0)
        return -1;
    if (minutes < 5 || minutes > 1440 || win.end_us <= win.start_us ||
        win.end_us - win.start_us > 62 * US_PER_DAY)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidParameter", NULL,
                         "The time window or the interval of the availability view isn't valid: an "
                         "interval has 5 to 1440 minutes, a window up to 62 days.");
    win.step_us = minutes * 60 * US_PER_SECOND;
    json_obj(c->out, NULL);
    graph_context(c, "Collection(microsoft.graph.scheduleInformation)");
    json_arr(c->out, "value");
    for (uint32_t i = 0; i < list->n; i++) {
        if (list->items[i].type != JSON_STRING)
            return ocal_invalid(c, "schedules", "a list of addresses");
        json_obj(c->out, NULL);
        if (write_schedule(&at, &win, list->items[i].str) < 0)
            return -1;
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    call_header_const(c, "Location", "https://" GRAPH_HOST); /* MG-312 */
    return 0;
}

static const struct route methods[] = {
    {ROUTE("outlook.calendar.getSchedule", POST, OF_CALENDAR("/getSchedule")),
     .handler = get_schedule, .risk = RISK_READ, .body = BODY_JSON, .scopes = OCAL_READ,
     PARAMS(ocal_path_params), .request = "microsoft.graph.calendar.getSchedule",
     .response = "microsoft.graph.scheduleInformationCollectionResponse",
     .summary = "When people and rooms are free or busy"},
};

const struct rows ocal_schedules = ROWS(methods);
