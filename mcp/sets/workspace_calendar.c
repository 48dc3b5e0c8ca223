/* SPDX-License-Identifier: Apache-2.0 */
/* Calendar tools of the set "workspace": a community server for several services, whose answers are
 * lines of text. Source of names, arguments and lines: its published code. */
#include "mcp/sets/times.h"
#include "mcp/sets/workspace.h"
#include <ctype.h>
#include <strings.h>

/* The time or the day of a begin or an end. */
static const struct json *when(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    const struct json *time = json_get(v, "dateTime");
    return time ? time : json_get(v, "date");
}

static bool is_one_of(const char *text, const char *const *all)
{
    for (; *all; all++)
        if (strcasecmp(text, *all) == 0)
            return true;
    return false;
}

/* What is between spaces and quotes; nothing of "null". */
static const struct json *bare(struct set_run *r, const struct json *v)
{
    static const char *const nothing[] = {"", "null", "none", NULL};
    static const char around[] = " \t\r\n\"'";
    const char *text = value_words(r->arena, v);
    text += strspn(text, around);
    size_t n = strlen(text);
    while (n && strchr(around, text[n - 1]))
        n--;
    text = arena_memdup(r->arena, text, n);
    return is_one_of(text, nothing) ? NULL : value_text(r->arena, text);
}

/* A bound of a list: days are their first instant, times without an offset in UTC. */
static const struct json *bound(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    int64_t days;
    v = bare(r, v);
    if (!v)
        return arg ? value_text(r->arena, time_utc(r->arena, r->m->c->tx.now_us, true)) : NULL;
    if (date_parse(v->str, v->n, &days) == 0)
        return value_text(r->arena, arena_printf(r->arena, "%sT00:00:00Z", v->str));
    return v->n == strlen("2026-03-12T09:30:00")
               ? value_text(r->arena, arena_printf(r->arena, "%sZ", v->str))
               : v;
}

/* A time without its offset. */
static const struct json *on_the_clock(struct set_run *r, const struct json *v)
{
    size_t n = v->n;
    if (n && v->str[n - 1] == 'Z')
        n--;
    else if (n >= 6 && strchr("+-", v->str[n - 6]) && v->str[n - 3] == ':' &&
             strspn(v->str + n - 5, "0123456789") == 2 && strspn(v->str + n - 2, "0123456789") == 2)
        n -= 6;
    return value_text(r->arena, arena_memdup(r->arena, v->str, n));
}

/* A begin or an end. In the zone of the arguments, whatever offset the text has. */
static const struct json *moment(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    struct value_object o = {.arena = r->arena};
    const struct json *zone = json_get(r->args, "timezone");
    if (!value_holds(v))
        return NULL;
    bool time = strchr(v->str, 'T') != NULL;
    if (time && value_holds(zone))
        v = on_the_clock(r, v);
    object_put(&o, time ? "dateTime" : "date", v);
    object_put(&o, time ? "date" : "dateTime", &value_null);
    object_put(&o, "timeZone", time && value_holds(zone) ? zone : NULL);
    return object_value(&o);
}

static const struct json *missing(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    return value_holds(v) ? NULL : &value_true;
}

static const struct json *given(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    return v ? &value_true : NULL;
}

/* A word if it is one of those that are known, which another is not. */
static const struct json *known(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    static const char *const words[] = {"default",      "public", "private",
                                        "confidential", "opaque", "transparent"};
    bool shows = arg != NULL;
    for (size_t i = shows ? 0 : 4; v && i < (shows ? 4 : SOSIA_LEN(words)); i++)
        if (strcmp(v->str, words[i]) == 0)
            return v;
    return NULL;
}

/* Guests by their addresses, or as they are described; none of them says nothing. */
static const struct json *invited(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    struct value_list l = {.arena = r->arena};
    bool any = false;
    for (uint32_t i = 0; v && i < v->n; i++) {
        struct value_object o = {.arena = r->arena};
        bool text = v->items[i].type == JSON_STRING;
        if (!text && !json_get(&v->items[i], "email"))
            continue;
        object_put(&o, "email", &v->items[i]);
        list_add(&l, text ? object_value(&o) : &v->items[i]);
        any = true;
    }
    return any ? list_value(&l) : NULL;
}

/* The event, of which something is to change. */
static const struct json *changed(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    static const char *const counted[] = {"summary",
                                          "start_time",
                                          "end_time",
                                          "description",
                                          "location",
                                          "add_google_meet",
                                          "reminders",
                                          "use_default_reminders",
                                          "color_id",
                                          "guests_can_modify",
                                          "guests_can_invite_others",
                                          "guests_can_see_other_guests",
                                          "recurrence"};
    bool any = invited(r, json_get(r->args, "attendees"), NULL, NULL) ||
               known(r, json_get(r->args, "transparency"), NULL, NULL) ||
               known(r, json_get(r->args, "visibility"), "shown", NULL);
    for (size_t i = 0; i < SOSIA_LEN(counted); i++)
        any |= json_get(r->args, counted[i]) != NULL;
    if (!any)
        set_refuse(r, "the action update must say what is to change, says nothing");
    return any ? v : NULL;
}

/* The first five reminders; what is not one is left out. */
static const struct json *reminders(struct set_run *r, const struct json *v, const char *arg,
                                    const struct json *item)
{
    static const char *const methods[] = {"popup", "email", NULL};
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; v && i < v->n && i < 5; i++) {
        const struct json *minutes = json_get(&v->items[i], "minutes");
        const char *method = json_get_str(&v->items[i], "method");
        struct value_object o = {.arena = r->arena};
        int64_t n;
        if (!method || !is_one_of(method, methods) || !minutes || minutes->type != JSON_NUMBER ||
            json_i64(minutes, &n) < 0 || n < 0 || n > 40320)
            continue;
        object_put(&o, "method", value_text(r->arena, tolower(*method) == 'p' ? "popup" : "email"));
        object_put(&o, "minutes", minutes);
        list_add(&l, object_value(&o));
    }
    return list_value(&l);
}

/* A request for a video call if that is asked for; null where it is to go. */
static const struct json *call_of(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    struct value_object key = {.arena = r->arena}, request = {.arena = r->arena},
                        o = {.arena = r->arena};
    if (!value_holds(v))
        return v ? &value_null : NULL;
    object_put(&key, "type", value_text(r->arena, "hangoutsMeet"));
    object_put(
        &request, "requestId",
        value_text(r->arena, arena_printf(r->arena, "meet-%lld", (long long)r->m->c->tx.now_us)));
    object_put(&request, "conferenceSolutionKey", object_value(&key));
    object_put(&o, "createRequest", object_value(&request));
    return object_value(&o);
}

/* The link of an event's video call. */
static const struct json *video(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    const struct json *link =
        template_ref(r, "$.conferenceData.entryPoints.[entryPointType=video].uri", v);
    return value_holds(link) ? link : json_get(v, "hangoutLink");
}

/* " Google Meet: " and that link, if the call was asked for. */
static const struct json *meet(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    const struct json *link = video(r, v, NULL, NULL);
    return value_holds(json_get(r->args, "add_google_meet")) && link
               ? value_text(r->arena, arena_printf(r->arena, " Google Meet: %s", link->str))
               : NULL;
}

/* A file of a drive, said by its id or a URL; nothing of a URL without one. What it is called the
 * service looks up by itself. */
static const struct json *attachment(struct set_run *r, const struct json *v, const char *arg,
                                     const struct json *item)
{
    static const char word[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    struct value_object o = {.arena = r->arena};
    const char *id = v->str;
    size_t n = v->n;
    if (strncmp(id, "https://", 8) == 0) {
        const char *path = strstr(id, "/d/"), *query = strstr(id, "id=");
        id = path && (!query || path < query) ? path : query;
        if (!id)
            return NULL;
        id += 3;
        n = strspn(id, word);
    }
    if (!n)
        return NULL;
    object_put(&o, "fileUrl",
               value_text(r->arena, arena_printf(r->arena, "https://drive.google.com/open?id=%.*s",
                                                 (int)n, id)));
    return object_value(&o);
}

/* Items of a list between others' lines; "None" of none. */
static const struct json *lines_of(struct set_run *r, const struct json *list, const char *between,
                                   void (*add)(struct buf *b, const struct json *v,
                                               const char *between))
{
    struct buf b;
    if (!list || list->type != JSON_ARRAY || !list->n)
        return value_text(r->arena, "None");
    buf_init(&b, 64 << 20);
    for (uint32_t i = 0; i < list->n; i++) {
        buf_puts(&b, i ? between : "");
        add(&b, &list->items[i], between);
    }
    return set_text(r, &b);
}

static const char *text_or(const struct json *v, const char *name, const char *otherwise)
{
    const char *text = json_get_str(v, name);
    return text ? text : otherwise;
}

static void add_address(struct buf *b, const struct json *guest, const char *between)
{
    buf_puts(b, text_or(guest, "email", ""));
}

static void add_guest(struct buf *b, const struct json *guest, const char *between)
{
    buf_printf(b, "%s: %s%s%s", text_or(guest, "email", "unknown"),
               text_or(guest, "responseStatus", "unknown"),
               json_get_true(guest, "organizer") ? " (organizer)" : "",
               json_get_true(guest, "optional") ? " (optional)" : "");
}

static void add_file(struct buf *b, const struct json *file, const char *between)
{
    buf_printf(b, "%s%sFile URL: %s%sFile ID: %s%sMIME Type: %s",
               text_or(file, "title", "Untitled"), between, text_or(file, "fileUrl", "No URL"),
               between, text_or(file, "fileId", "No ID"), between,
               text_or(file, "mimeType", "Unknown"));
}

/* The guests of an event: their addresses, or a line each, which begins with the argument. */
static const struct json *guests(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    return arg ? lines_of(r, v, arena_printf(r->arena, "\n%s", arg), add_guest)
               : lines_of(r, v, ", ", add_address);
}

static const struct json *files(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    return lines_of(r, v, arena_printf(r->arena, "\n%s", arg), add_file);
}

/* "Ada Ames <ada@acme.example>" */
static const struct json *person(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    const char *name = text_or(v, "displayName", ""), *email = text_or(v, "email", "");
    if (!*name && !*email)
        return NULL;
    return value_text(r->arena, !*email ? name
                                : *name ? arena_printf(r->arena, "%s <%s>", name, email)
                                        : arena_printf(r->arena, "<%s>", email));
}

/* The guests of an event with the response of the arguments. */
static const struct json *responded(struct set_run *r, const struct json *v, const char *arg,
                                    const struct json *item)
{
    const struct json *guests = json_get(v, "attendees");
    struct value_list l = {.arena = r->arena};
    bool found = false;
    if (!value_holds(guests))
        set_refuse(r, "the event must have guests to respond to it, has none");
    else if (value_holds(json_get(json_get(v, "organizer"), "self")))
        set_refuse(r, "who responds must be a guest of the event, is its organizer");
    for (uint32_t i = 0; !r->why && i < guests->n; i++) {
        const struct json *guest = &guests->items[i];
        struct value_object o = {.arena = r->arena};
        for (uint32_t k = 0; k < guest->n; k++)
            object_put(&o, guest->members[k].key, &guest->members[k].value);
        if (!found && value_holds(json_get(guest, "self"))) {
            object_put(&o, "responseStatus", json_get(r->args, "response"));
            object_put(&o, "comment", json_get(r->args, "rsvp_comment"));
            found = true;
        }
        list_add(&l, object_value(&o));
    }
    if (!r->why && !found)
        set_refuse(r, "%s must be among the guests of the event", r->m->c->actor.email);
    return r->why ? NULL : list_value(&l);
}

/* The calendars of a question, the person's own by default. */
static const struct json *asked(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    struct value_list l = {.arena = r->arena};
    struct value_object own = {.arena = r->arena};
    for (uint32_t i = 0; v && i < v->n; i++) {
        struct value_object o = {.arena = r->arena};
        object_put(&o, "id", &v->items[i]);
        list_add(&l, object_value(&o));
    }
    object_put(&own, "id", value_text(r->arena, "primary"));
    if (!l.n)
        list_add(&l, object_value(&own));
    return list_value(&l);
}

static void add_busy(struct buf *b, const struct json *calendar)
{
    const struct json *errors = json_get(calendar, "errors"), *busy = json_get(calendar, "busy");
    if (value_holds(errors)) {
        buf_puts(b, "  Errors:\n");
        for (uint32_t i = 0; i < errors->n; i++)
            buf_printf(b, "    - %s: %s\n", json_get_str(&errors->items[i], "domain"),
                       json_get_str(&errors->items[i], "reason"));
        return;
    }
    if (value_holds(busy))
        buf_printf(b, "  Busy periods: %u\n", busy->n);
    else
        buf_puts(b, "  Status: Free\n");
    for (uint32_t i = 0; busy && i < busy->n; i++)
        buf_printf(b, "    - %s to %s\n", json_get_str(&busy->items[i], "start"),
                   json_get_str(&busy->items[i], "end"));
}

/* When each calendar of an answer is busy, in lines. */
static const struct json *periods(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    struct buf b;
    buf_init(&b, 64 << 20);
    for (uint32_t i = 0; v && i < v->n; i++) {
        buf_printf(&b, "\nCalendar: %s\n", v->members[i].key);
        add_busy(&b, &v->members[i].value);
    }
    return set_text(r, &b);
}

static const char *const responses[] = {"accepted", "declined", "tentative", "needsAction", NULL};
static const char *const notified[] = {"all", "externalOnly", "none", NULL};

#define CALENDAR_ID                                                                                \
    {                                                                                              \
        .name = "calendar_id", .def = "primary", .summary = "Calendar, by its id or \"primary\""   \
    }

static const struct set_arg user_args[] = {WORKSPACE_USER};
static const struct set_arg get_args[] = {
    WORKSPACE_USER,
    CALENDAR_ID,
    {.name = "event_id", .summary = "Id of the one event; the other arguments don't count then"},
    {.name = "time_min", .summary = "Begin, as 2026-03-12T09:30:00Z or 2026-03-12; else now"},
    {.name = "time_max", .summary = "End, written like the begin"},
    {.name = "max_results", .type = ARG_INTEGER, .def = "25", .summary = "Events at most"},
    {.name = "query", .summary = "Words in title, text or place"},
    {.name = "detailed", .type = ARG_BOOLEAN, .def = "false", .summary = "With text and guests"},
    {.name = "include_attachments",
     .type = ARG_BOOLEAN,
     .def = "false",
     .summary = "With files, where detailed"},
};
static const struct set_arg manage_args[] = {
    WORKSPACE_USER,
    {.name = "action", .required = true, .summary = "create, update, delete or rsvp"},
    {.name = "summary", .summary = "Title"},
    {.name = "start_time", .summary = "Begin, as 2026-03-12T09:30:00Z or 2026-03-12"},
    {.name = "end_time", .summary = "End, written like the begin"},
    {.name = "event_id", .summary = "Id of the event, for all but create"},
    CALENDAR_ID,
    {.name = "description", .summary = "Text"},
    {.name = "location", .summary = "Where it takes place"},
    {.name = "attendees",
     .type = ARG_STRINGS,
     .json = true,
     .objects = true,
     .summary = "Guests: addresses, or objects with email and what else is said of one"},
    {.name = "timezone", .summary = "Zone of times without an offset"},
    {.name = "attachments",
     .type = ARG_STRINGS,
     .json = true,
     .summary = "Ids or URLs of files of a drive, to create"},
    {.name = "add_google_meet", .type = ARG_BOOLEAN, .summary = "With a link for a video call"},
    {.name = "reminders",
     .type = ARG_OBJECTS,
     .json = true,
     .loose = true,
     .summary = "Reminders, with method (popup, email) and minutes"},
    {.name = "use_default_reminders", .type = ARG_BOOLEAN, .summary = "Those of the calendar"},
    {.name = "transparency", .summary = "opaque (it takes time) or transparent"},
    {.name = "visibility", .summary = "default, public, private or confidential"},
    {.name = "color_id", .summary = "Colour"},
    {.name = "guests_can_modify", .type = ARG_BOOLEAN, .summary = "May guests change it?"},
    {.name = "guests_can_invite_others", .type = ARG_BOOLEAN, .summary = "May guests invite?"},
    {.name = "guests_can_see_other_guests",
     .type = ARG_BOOLEAN,
     .summary = "May guests see each other?"},
    {.name = "recurrence",
     .type = ARG_STRINGS,
     .json = true,
     .summary = "Rules by which it recurs: RRULE:FREQ=WEEKLY;COUNT=10"},
    {.name = "response",
     .values = responses,
     .unlisted = true,
     .summary = "To rsvp: accepted, declined, tentative or needsAction"},
    {.name = "rsvp_comment", .summary = "What is said with the response"},
    {.name = "send_updates",
     .values = notified,
     .unlisted = true,
     .summary = "Who gets letters: all (by default), externalOnly or none"},
};
static const struct set_arg busy_args[] = {
    WORKSPACE_USER,
    {.name = "time_min",
     .required = true,
     .summary = "Begin, as 2026-03-12T09:30:00Z or 2026-03-12"},
    {.name = "time_max", .required = true, .summary = "End, written like the begin"},
    {.name = "calendar_ids",
     .type = ARG_STRINGS,
     .json = true,
     .summary = "Ids of calendars; the person's own by default"},
    {.name = "group_expansion_max", .type = ARG_INTEGER, .summary = "Members of a group at most"},
    {.name = "calendar_expansion_max", .type = ARG_INTEGER, .summary = "Calendars at most"},
};

#define BODY_OF_EVENT                                                                              \
    "'summary':'$summary','start':'$start_time|moment','end':'$end_time|moment',"                  \
    "'description':'$description','location':'$location','attendees':'$attendees|invited',"        \
    "'reminders':{'$if':'$reminders|given','$then':{'useDefault':false,"                           \
    "'overrides':'$reminders|reminders'},'$else':{'$if':'$use_default_reminders|given','$then':{"  \
    "'useDefault':'$use_default_reminders'}}},'transparency':'$transparency|known',"               \
    "'visibility':'$visibility|known:shown','colorId':'$color_id','guestsCanModify':'$guests_can_" \
    "modify',"                                                                                     \
    "'guestsCanInviteOthers':'$guests_can_invite_others',"                                         \
    "'guestsCanSeeOtherGuests':'$guests_can_see_other_guests','recurrence':'$recurrence'"
#define UPDATES "'sendUpdates':'$send_updates|or:all'"
/* What an event's details have in common, each with what its line begins with. */
#define DETAILS(at, in)                                                                            \
    "'" at "Description: {.description|or:No Description}\\n" at                                   \
    "Location: {.location|or:No Location}\\n'"
#define PEOPLE(at, in)                                                                             \
    "{'$if':'$.creator|person','$then':'" at "Creator: {.creator|person}\\n'},{'$if':"             \
    "'$.organizer|person','$then':'" at "Organizer: {.organizer|person}\\n'},{'$if':'$.|video',"   \
    "'$then':'" at "Meeting Link: {.|video}\\n'},'" at "Attendees: {.attendees|guests}\\n" at      \
    "Attendee Details: {.attendees|guests:" in "}\\n',{'$if':'$include_attachments','$then':'" at  \
    "Attachments: {.attachments|files:" in "}\\n'}"
/* One event by itself, and one of a list. */
#define WHOLE                                                                                      \
    "{'$text':['Event Details:\\n- Title: {.summary|or:No Title}\\n- Starts: {.start|when}\\n- "   \
    "Ends: {.end|when}\\n'," DETAILS("- ", "  ") ",'- Color ID: {.colorId|or:None}\\n'," PEOPLE(   \
        "- ", "  ") ",'- Event ID: {.id}\\n- Link: {.htmlLink|or:No Link}']}"
#define ITEM                                                                                       \
    "{'$text':['- \\\"{.summary|or:No Title}\\\" (Starts: {.start|when}, Ends: "                   \
    "{.end|when})\\n'," DETAILS("  ", "    ") "," PEOPLE(                                          \
        "  ", "    ") ",'  ID: {.id} | Link: {.htmlLink|or:No Link}']}"
#define LINE                                                                                       \
    "{'$text':['- \\\"{.summary|or:No Title}\\\" (Starts: {.start|when}, Ends: {.end|when})',{"    \
    "'$if':'$.|video','$then':' Meeting: {.|video}'},' ID: {.id} | Link: {.htmlLink|or:No "        \
    "Link}']}"
#define SHOWN(list, whole)                                                                         \
    "{'$lines':" list ",'$as':{'$if':'$detailed','$then':" whole ",'$else':" LINE "}}"

static const struct set_tool tools[] = {
    {.name = "list_calendars",
     .title = "List Calendars",
     .hints = WORKSPACE_READS,
     .summary = "The calendars of the person",
     SET_ARGS(user_args),
     .steps = {{"calendar.calendarList.list", "{}"}},
     .run = workspace_run,
     .result = "{'$text':['Calendars of {user_google_email}: {0.items|count}\\n',{'$lines':"
               "'$0.items','$as':{'$text':['- \\\"{.summary}\\\"',{'$if':'$.primary','$then':' "
               "(Primary)'},' (ID: {.id})']}}]}"},
    {.name = "get_events",
     .title = "Get Events",
     .hints = WORKSPACE_READS,
     .summary = "Events of a calendar, or one of them",
     SET_ARGS(get_args),
     .steps = {{"calendar.events.get", "{'calendarId':'$calendar_id','eventId':'$event_id'}",
                .when = "event_id"},
               {"calendar.events.list",
                "{'calendarId':'$calendar_id','timeMin':'$time_min|bound:now','timeMax':"
                "'$time_max|bound','maxResults':'$max_results','singleEvents':true,'orderBy':"
                "'startTime','q':'$query|filled'}",
                .when = "event_id|missing"}},
     .run = workspace_run,
     .result =
         "{'$if':'$0','$then':{'$text':[{'$if':'$detailed','$else':'Event of "
         "{user_google_email} in {calendar_id}:\\n'}," SHOWN(
             "['$0']",
             WHOLE) "]},'$else':{"
                    "'$if':'$1.items','$then':{'$text':['Events of {user_google_email} in "
                    "{calendar_id}: {1.items|count}\\n'," SHOWN(
                        "'$1.items'",
                        ITEM) "]},'$else':'No "
                              "events found in calendar {calendar_id} for {user_google_email}.'}}"},
    {.name = "manage_event",
     .title = "Manage Event",
     .hints = WORKSPACE_CHANGES,
     .summary = "Make, change or delete an event, respond to an invitation",
     SET_ARGS(manage_args),
     .steps = {{"calendar.events.insert",
                "{'calendarId':'$calendar_id','conferenceDataVersion':{'$if':'$add_google_meet',"
                "'$then':1},'supportsAttachments':{'$if':'$attachments','$then':true}," UPDATES
                ",'body':{" BODY_OF_EVENT ",'conferenceData':{'$if':'$add_google_meet','$then':"
                "'$add_google_meet|call'},'attachments':{'$each':'$attachments','$as':"
                "'$.|attachment'}}}",
                .when = "_create"},
               {"calendar.events.patch",
                "{'calendarId':'$calendar_id','eventId':'$event_id|changed','conferenceDataVersion'"
                ":1," UPDATES ",'body':{" BODY_OF_EVENT
                ",'conferenceData':'$add_google_meet|call'}}",
                .when = "_update"},
               {"calendar.events.delete",
                "{'calendarId':'$calendar_id','eventId':'$event_id'," UPDATES "}",
                .when = "_delete"},
               {"calendar.events.get", "{'calendarId':'$calendar_id','eventId':'$event_id'}",
                .when = "_rsvp"},
               {"calendar.events.patch",
                "{'calendarId':'$calendar_id','eventId':'$event_id'," UPDATES ",'body':{"
                "'attendees':'$3|responded'}}",
                .when = "_rsvp"}},
     .run = workspace_run,
     .result = "{'$if':'$_create','$then':'Event created: {0.summary} (ID: {0.id}) for "
               "{user_google_email}. Link: {0.htmlLink}{0|meet}','$else':{'$if':"
               "'$_update','$then':'Event changed: {1.summary} (ID: {1.id}) for "
               "{user_google_email}. Link: {1.htmlLink}{1|meet}','$else':{'$if':"
               "'$_rsvp','$then':'Response to {4.summary} (ID: {event_id}) for "
               "{user_google_email}: {response}','$else':'Event deleted: ID: {event_id}, from the "
               "calendar {calendar_id} of {user_google_email}.'}}}"},
    {.name = "query_freebusy",
     .title = "Query Freebusy",
     .hints = WORKSPACE_READS,
     .summary = "When calendars are busy",
     SET_ARGS(busy_args),
     .steps = {{"calendar.freebusy.query",
                "{'body':{'timeMin':'$time_min|bound','timeMax':'$time_max|bound','items':"
                "'$calendar_ids|asked','groupExpansionMax':'$group_expansion_max',"
                "'calendarExpansionMax':'$calendar_expansion_max'}}"}},
     .run = workspace_run,
     .result = "'Free/Busy information for {user_google_email}:\\nTime range: {0.timeMin} to "
               "{0.timeMax}\\n{0.calendars|periods}'"},
};

static const struct set_filter filters[] = {{"when", when},           {"bound", bound},
                                            {"moment", moment},       {"missing", missing},
                                            {"call", call_of},        {"meet", meet},
                                            {"video", video},         {"given", given},
                                            {"known", known},         {"person", person},
                                            {"reminders", reminders}, {"guests", guests},
                                            {"files", files},         {"asked", asked},
                                            {"periods", periods},     {"attachment", attachment},
                                            {"responded", responded}, {"invited", invited},
                                            {"changed", changed},     {NULL, NULL}};

const struct set_tools workspace_calendar = {.set = SET_WORKSPACE,
                                             .service = "calendar",
                                             .closed = true,
                                             .filters = filters,
                                             .tools = tools,
                                             .n = SOSIA_LEN(tools)};
