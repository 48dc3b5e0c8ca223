/* SPDX-License-Identifier: Apache-2.0 */
/* Calendar tools of the set "workspace": a community server for several services, whose answers are
 * lines of text. Source of names, arguments and lines: its published code. */
#include "mcp/sets/times.h"
#include "mcp/sets/workspace/workspace.h"
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
        set_refuse(r, "who responds must be a guest of the event, not its organizer");
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

const struct set_filter workspace_calendar_filters[] = {
    {"when", when},           {"bound", bound},
    {"moment", moment},       {"missing", missing},
    {"call", call_of},        {"meet", meet},
    {"video", video},         {"given", given},
    {"known", known},         {"person", person},
    {"reminders", reminders}, {"guests", guests},
    {"files", files},         {"asked", asked},
    {"periods", periods},     {"attachment", attachment},
    {"responded", responded}, {"invited", invited},
    {"changed", changed},     {NULL, NULL}};
