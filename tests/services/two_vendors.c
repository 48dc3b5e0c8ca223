/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second vendor of calendars and mail beside Google: its people and Google's are in one world.
 * Invitations, their answers, mail and free/busy go between them, and a diff has each side's terms.
 * Everything that the vendor needs is in this file.
 */
#include "engine/http/call.h"
#include "engine/service.h"
#include "identity/account.h"
#include "services/calendar/core/event/event_impl.h"
#include "services/calendar/core/freebusy.h"
#include "services/calendar/core/list.h"
#include "services/calendar/core/vendor.h"
#include "services/list.h"
#include "services/mail/core/folder.h"
#include "services/mail/core/vendor.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>

#define ADA "ada@acme.example"
#define BOB "bob@port.example"

/* ---- the vendor: what its calendars and mailboxes are like ---- */

static const char *acme_uid(struct tx *tx, const char *key)
{
    return arena_printf(tx->arena, "0400%s", key);
}

static const char *acme_key(struct tx *tx, const char *uid)
{
    return cal_event_uid_key(tx, uid);
}

static const struct cal_vendor acme_calendars = {.name = "acme",
                                                 .uid = acme_uid,
                                                 .key = acme_key,
                                                 .guests_never = PART_RIGHTS,
                                                 .guests_all = 0,
                                                 .copy_time = COPY_ANSWERED};

static const struct mail_fixed folders[] = {
    {FOLDER_INBOX, KIND_FOLDER, "Inbox", false},
    {FOLDER_SENT, KIND_FOLDER, "Sent Items", false},
    {FOLDER_DRAFTS, KIND_FOLDER, "Drafts", false},
    {FOLDER_TRASH, KIND_FOLDER, "Deleted Items", false},
    {FOLDER_JUNK, KIND_FOLDER, "Junk", false},
    {KEYWORD_UNSEEN, KIND_KEYWORD, "unread", true},
    {KEYWORD_DRAFT, KIND_KEYWORD, "draft", true},
};
static const struct mail_vendor acme_mail = {
    .name = "acme", .exclusive = true, .fixed = folders, .n_fixed = SOSIA_LEN(folders)};

static int make_calendar(struct tx *tx, const struct account *account, const struct actor *who)
{
    struct calendar cal = {.summary = "Calendar"};
    return calendar_add_main(tx, account, who, &cal);
}

static int make_mailbox(struct tx *tx, const struct account *account, const struct actor *who)
{
    return mail_mailbox_make(tx, account, &acme_mail);
}

/* ---- its API ---- */

static int my_calendar(struct call *c, struct calendar *ret)
{
    struct account a;
    int r = account_at(&c->tx, c->actor.id, "acme", ACCOUNT_CALENDAR, &a);
    if (r == 1)
        r = calendar_of_account(&c->tx, a.id, ret);
    if (r == 1)
        ret->role = CAL_OWN;
    return r == 1 ? 0 : r < 0 ? -1 : call_fail(c, SOSIA_E_NOT_FOUND, "noCalendar", NULL, "None");
}

/* Its ids are numbers of rows. */
static int my_event(struct call *c, struct calendar *cal, struct cal_event *ret)
{
    if (my_calendar(c, cal) < 0)
        return -1;
    int r = cal_event_by_id(&c->tx, strtoll(param_str(c, "id"), NULL, 10), ret);
    if (r < 0 || (r == 1 && ret->calendar == cal->id))
        return r < 0 ? -1 : cal_event_load_attendees(&c->tx, ret);
    return call_fail(c, SOSIA_E_NOT_FOUND, "noEvent", NULL, "None");
}

static void write_event(struct tx *tx, struct json_writer *w, const struct cal_event *ev)
{
    static const char *const words[] = {NULL, "none", "declined", "tentative", "accepted"};
    char text[STAMP_TEXT];
    stamp_format(text, ev->start_us, 0, 0, true);
    json_str(w, "subject", ev->summary ? ev->summary : "");
    json_str(w, "begins", text);
    json_str_opt(w, "organizer", ev->organizer);
    json_str_opt(w, "answer", words[ev->response]);
    json_str(w, "shows",
             ev->busy == BUSY_FREE        ? "free"
             : ev->busy == BUSY_TENTATIVE ? "tentative"
                                          : "busy");
    json_arr(w, "guests");
    for (int i = 0; i < ev->n_attendees; i++)
        json_str(w, NULL,
                 arena_printf(tx->arena, "%s %s", ev->attendees[i].email,
                              words[ev->attendees[i].response]));
    json_end(w);
}

static int write_one(void *arg, struct cal_event *ev, const struct record *row)
{
    struct call *c = arg;
    struct cal_event copy = *ev;
    cal_event_keep(c->tx.arena, &copy);
    if (cal_event_load_attendees(&c->tx, &copy) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_int(c->out, "id", copy.id);
    write_event(&c->tx, c->out, &copy);
    json_end(c->out);
    return 0;
}

static int events_list(struct call *c)
{
    struct cal_event_query q = {.min_us = INT64_MIN,
                                .max_us = INT64_MAX,
                                .updated_min_us = INT64_MIN,
                                .changed = -1,
                                .limit = 50};
    const char *more;
    struct calendar cal;
    if (my_calendar(c, &cal) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_arr(c->out, "events");
    if (cal_event_list(&c->tx, &cal, &q, write_one, c, &more) < 0)
        return -1;
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int events_add(struct call *c)
{
    struct cal_attendee guest = {.email = param_str(c, "guest"), .response = RESPONSE_NONE};
    struct cal_event ev = {.summary = param_str(c, "subject"),
                           .start_us = param_num(c, "begins", 0) * US_PER_SECOND,
                           .len_us = 3600 * US_PER_SECOND,
                           .attendees = &guest,
                           .n_attendees = 1};
    struct cal_event_by by = {.who = &c->actor, .mail = MAIL_ALL};
    struct calendar cal;
    if (my_calendar(c, &cal) < 0 || cal_event_add(&c->tx, &by, &cal, &ev) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_int(c->out, "id", ev.id);
    json_end(c->out);
    return 0;
}

static int events_answer(struct call *c)
{
    struct cal_event_by by = {.who = &c->actor, .mail = MAIL_ALL};
    struct cal_event old, ev;
    struct calendar cal;
    if (my_event(c, &cal, &old) < 0)
        return -1;
    ev = old;
    ev.attendees = arena_calloc(c->tx.arena, (size_t)old.n_attendees, sizeof *ev.attendees);
    memcpy(ev.attendees, old.attendees, (size_t)old.n_attendees * sizeof *ev.attendees);
    ev.attendees[cal_event_self(&cal, &old)].response =
        strcmp(param_str(c, "answer"), "yes") == 0 ? RESPONSE_ACCEPTED : RESPONSE_DECLINED;
    c->status = 204;
    return cal_event_save(&c->tx, &by, &cal, &old, &ev);
}

static int events_cancel(struct call *c)
{
    struct cal_event_by by = {.who = &c->actor, .mail = MAIL_ALL};
    struct cal_event ev;
    struct calendar cal;
    c->status = 204;
    return my_event(c, &cal, &ev) < 0 ? -1 : cal_event_cancel(&c->tx, &by, &cal, &ev);
}

/* Whose time the caller may see is the business of both domains. */
static int busy_of(struct call *c)
{
    struct account seeing, seen;
    struct calendar cal, mine;
    struct busy *list;
    size_t n;
    int r = calendar_by_address(&c->tx, param_str(c, "who"), &cal);
    if (r < 0 || my_calendar(c, &mine) < 0)
        return -1;
    if (r == 1)
        r = account_get(&c->tx, mine.account, &seeing) == 1 &&
                    account_get(&c->tx, cal.account, &seen) == 1
                ? account_sees_busy(&c->tx, &seeing, c->actor.email, &seen, cal.address)
                : -1;
    if (r != 1)
        return r < 0 ? -1 : call_fail(c, SOSIA_E_FORBIDDEN, "notShown", NULL, "None");
    if (freebusy_list(&c->tx, &cal, INT64_MIN, INT64_MAX, &list, &n) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_int(c->out, "times", (int64_t)n);
    json_end(c->out);
    return 0;
}

static int messages_list(struct call *c)
{
    struct mail_message *list;
    struct account a;
    struct mailbox mb;
    bool more;
    size_t n;
    if (account_at(&c->tx, c->actor.id, "acme", ACCOUNT_MAIL, &a) != 1 ||
        mailbox_of_account(&c->tx, a.id, &mb) != 1 ||
        mail_list(&c->tx, &(struct mail_list){.mailbox = mb.id, .limit = 50}, &list, &n, &more) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_arr(c->out, "messages");
    for (size_t i = 0; i < n; i++) {
        struct mail_message_body b;
        struct mail_folder f;
        const char *head;
        size_t len;
        if (mail_message_open(&c->tx, &list[i], &b) < 0 ||
            mail_folder_get(&c->tx, mb.id, list[i].folder, &f) != 1)
            return -1;
        mail_message_part_head(&b, 0, &head, &len);
        json_obj(c->out, NULL);
        json_str(c->out, "folder", f.name);
        json_str(c->out, "head", arena_memdup(c->tx.arena, head, len));
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int messages_send(struct call *c)
{
    struct letter l = {.from = c->actor.email,
                       .to = param_str(c, "to"),
                       .subject = param_str(c, "subject"),
                       .text = "Dear all"};
    c->status = 204;
    return letter_send(&c->tx, &l);
}

static const struct param add_params[] = {{.name = "subject", .place = IN_QUERY, .required = true},
                                          {.name = "guest", .place = IN_QUERY, .required = true},
                                          {.name = "begins", .place = IN_QUERY, .type = PARAM_INT}};
static const struct param answer_params[] = {{.name = "id", .place = IN_PATH},
                                             {.name = "answer", .place = IN_QUERY}};
static const struct param id_params[] = {{.name = "id", .place = IN_PATH}};
static const struct param who_params[] = {{.name = "who", .place = IN_PATH}};
static const struct param send_params[] = {{.name = "to", .place = IN_QUERY},
                                           {.name = "subject", .place = IN_QUERY}};

#define ROW(name, verb, path, function, how, ...)                                                  \
    {                                                                                              \
        .id = name, .verbs = verb, .paths = PATHS(path), .handler = function, .risk = how,         \
        __VA_ARGS__                                                                                \
    }
static const struct route routes[] = {
    ROW("events.list", GET, "/acme/v1/events", events_list, RISK_READ, .n_params = 0),
    ROW("events.add", POST, "/acme/v1/events", events_add, RISK_WRITE, PARAMS(add_params)),
    ROW("events.answer", POST, "/acme/v1/events/{id}/answer", events_answer, RISK_WRITE,
        PARAMS(answer_params)),
    ROW("events.cancel", DELETE, "/acme/v1/events/{id}", events_cancel, RISK_WRITE,
        PARAMS(id_params)),
    ROW("busy.get", GET, "/acme/v1/busy/{who}", busy_of, RISK_READ, PARAMS(who_params)),
    ROW("messages.list", GET, "/acme/v1/messages", messages_list, RISK_READ, .n_params = 0),
    ROW("messages.send", POST, "/acme/v1/messages", messages_send, RISK_WRITE, PARAMS(send_params)),
};
static const struct rows rows = ROWS(routes);

static void write_error(struct call *c)
{
    json_obj(c->out, NULL);
    json_str(c->out, "error", c->tx.err->reason ? c->tx.err->reason : c->tx.err->text);
    json_end(c->out);
    c->status = sosia_code_status(c->tx.err->code);
}

static const enum param_place arguments[] = {IN_QUERY, 0};
static const char *const hosts[] = {"api.acme.example", NULL}, *const prefixes[] = {"/acme", NULL};
static const struct front front = {.arguments = arguments, .error = write_error};
static const struct vendor acme_vendor = {
    .name = "acme", .title = "Acme", .hosts = hosts, .front = &front};
static const struct dialect acme_dialect = {.name = "calendar.acme",
                                            .title = "Acme",
                                            .vendor = &acme_vendor,
                                            .prefixes = prefixes,
                                            .tables = TABLES(&rows)};

/* ---- its terms in diffs ---- */

static int event_view(struct tx *tx, int64_t rowid, struct json_writer *w,
                      struct entity_about *about)
{
    struct calendar cal;
    struct cal_event ev;
    struct actor owner;
    int r = cal_event_by_id(tx, rowid, &ev);
    if (r != 1 || ev.removed || ev.status == EVENT_CANCELLED)
        return r < 0 ? -1 : 0;
    if (cal_event_load_attendees(tx, &ev) < 0 || calendar_by_id(tx, ev.calendar, &cal) != 1 ||
        actor_by_id(tx, cal.owner, &owner) != 1)
        return -1;
    about->person = owner.email;
    about->title = ev.summary;
    write_event(tx, w, &ev);
    return 1;
}

static const struct entity_view views[] = {
    {"event", "acme", event_view, NULL, .timeless = true,
     .members = "subject begins organizer answer shows guests.*", .vendor = "acme"},
    {NULL},
};
static const struct provision provisions[] = {
    {"acme", ACCOUNT_CALENDAR, "person", false, make_calendar},
    {"acme", ACCOUNT_MAIL, "person", false, make_mailbox},
    {NULL, 0, NULL, false, NULL}};
static const struct core_policy policies[] = {
    {"calendar", "acme", &acme_calendars}, {"mail", "acme", &acme_mail}, {NULL}};
static const struct sosia_core acme_core = {
    .name = "acme", .provisions = provisions, .policies = policies, .views = views};
static const struct sosia_core *const acme_cores[] = {&acme_core, NULL};
static const struct dialect *const acme_dialects[] = {&acme_dialect, NULL};
static const struct sosia_service acme_service = {
    .name = "acme", .cores = acme_cores, .dialects = acme_dialects};

/* ---- a world with people of both ---- */

static int open_engine(void **state)
{
    static const struct sosia_service *all[64];
    size_t n = 0;
    (void)state;
    while (sosia_services[n] && n < SOSIA_LEN(all) - 2)
        all[n] = sosia_services[n], n++;
    all[n] = &acme_service;
    return test_open_engine_of(all);
}

static int open_world(void **state)
{
    static const char doc[] =
        "{sosia: 1, time: '2026-03-12T08:00:00Z', organizations: [{domain: acme.example}, "
        "{domain: port.example}], people: [{email: ada@acme.example, name: Ada}, {email: "
        "bob@port.example, name: Bob}], accounts: [{actor: bob@port.example, vendor: acme}], "
        "freeBusy: {port.example: [acme.example]}}";
    (void)state;
    test_world = test_world_of(quoted(doc));
    return 0;
}

static const struct json *as(const char *who, const char *method, const char *target,
                             const char *body, int status)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(who, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *text = body ? quoted(body) : "";
    const struct json *v = test_request(method, target, headers, 2, text, strlen(text));
    if (test_status != status)
        fail_msg("%s %s: %d %s", method, target, test_status, test_body);
    return v;
}

#define GOOGLE "/calendar/v3/calendars/primary/events"
#define LUNCH                                                                                      \
    "{'id':'lunch','summary':'Lunch','start':{'dateTime':'2026-03-13T12:00:00Z'},'end':{"          \
    "'dateTime':'2026-03-13T13:00:00Z'},'attendees':[{'email':'bob@port.example'}]}"

/* The number that bob's copy has. */
static const char *bobs(const struct json *list)
{
    return arena_printf(&test_arena, "%lld", (long long)number_at(list, "events.0.id"));
}

/* ---- tests ---- */

static void an_invitation_crosses_and_its_answer_comes_back(void **state)
{
    (void)state;
    as(ADA, "POST", GOOGLE "?sendUpdates=all", LUNCH, 200);
    const struct json *v = as(BOB, "GET", "/acme/v1/events", NULL, 200);
    assert_string_equal(text_at(v, "events.0.subject"), "Lunch");
    assert_string_equal(text_at(v, "events.0.organizer"), ADA);
    assert_string_equal(text_at(v, "events.0.answer"), "none");
    assert_string_equal(text_at(v, "events.0.shows"), "tentative");
    const char *id = bobs(v);
    v = as(BOB, "GET", "/acme/v1/messages", NULL, 200);
    assert_string_equal(text_at(v, "messages.0.folder"), "Inbox");
    assert_non_null(strstr(text_at(v, "messages.0.head"), "Lunch"));
    as(BOB, "POST", arena_printf(&test_arena, "/acme/v1/events/%s/answer?answer=yes", id), NULL,
       204);
    v = as(ADA, "GET", GOOGLE "/lunch", NULL, 200);
    assert_string_equal(text_at(v, "attendees.0.responseStatus"), "accepted");
    v = as(BOB, "GET", "/acme/v1/events", NULL, 200);
    assert_string_equal(text_at(v, "events.0.shows"), "busy");
    as(ADA, "PATCH", GOOGLE "/lunch?sendUpdates=all", "{'summary':'Late lunch'}", 200);
    v = as(BOB, "GET", "/acme/v1/events", NULL, 200);
    assert_string_equal(text_at(v, "events.0.subject"), "Late lunch");
    as(ADA, "DELETE", GOOGLE "/lunch?sendUpdates=all", NULL, 204);
    assert_null(value_at(as(BOB, "GET", "/acme/v1/events", NULL, 200), "events.0"));
}

static void an_invitation_crosses_the_other_way(void **state)
{
    (void)state;
    const struct json *v =
        as(BOB, "POST", "/acme/v1/events?subject=Review&guest=ada@acme.example&begins=1773500000",
           NULL, 200);
    int64_t id = number_at(v, "id");
    v = as(ADA, "GET", GOOGLE, NULL, 200);
    assert_string_equal(text_at(v, "items.0.summary"), "Review");
    assert_string_equal(text_at(v, "items.0.organizer.email"), BOB);
    assert_string_equal(text_at(v, "items.0.attendees.0.responseStatus"), "needsAction");
    const char *key = text_at(v, "items.0.id"), *uid = text_at(v, "items.0.iCalUID");
    assert_true(strncmp(uid, "0400", 4) == 0);
    v = as(ADA, "GET", "/gmail/v1/users/me/messages?q=subject:review", NULL, 200);
    assert_int_equal(number_at(v, "resultSizeEstimate"), 1);
    as(ADA, "PATCH", arena_printf(&test_arena, GOOGLE "/%s?sendUpdates=all", key),
       "{'attendees':[{'email':'ada@acme.example','responseStatus':'declined'}]}", 200);
    v = as(BOB, "GET", "/acme/v1/events", NULL, 200);
    assert_string_equal(text_at(v, "events.0.guests.0"), ADA " declined");
    as(BOB, "DELETE", arena_printf(&test_arena, "/acme/v1/events/%lld", (long long)id), NULL, 204);
    v = as(ADA, "GET", GOOGLE, NULL, 200);
    assert_null(value_at(v, "items.0"));
}

static void mail_crosses(void **state)
{
    (void)state;
    as(BOB, "POST", "/acme/v1/messages?to=ada@acme.example&subject=Hello", NULL, 204);
    const struct json *v = as(ADA, "GET", "/gmail/v1/users/me/messages?q=from:bob", NULL, 200);
    v = as(ADA, "GET",
           arena_printf(&test_arena, "/gmail/v1/users/me/messages/%s?format=metadata",
                        text_at(v, "messages.0.id")),
           NULL, 200);
    assert_string_equal(text_at(v, "labelIds.0"), "UNREAD");
    as(ADA, "POST", "/gmail/v1/users/me/messages/send",
       "{'raw':'VG86IGJvYkBwb3J0LmV4YW1wbGUKU3ViamVjdDogQmFjawoKSGk'}", 200);
    v = as(BOB, "GET", "/acme/v1/messages", NULL, 200);
    assert_string_equal(text_at(v, "messages.0.folder"), "Inbox");
    assert_non_null(strstr(text_at(v, "messages.0.head"), "Subject: Back"));
    /* Bob has no account with Google, and Ada none with Acme. */
    as(BOB, "GET", "/gmail/v1/users/me/messages", NULL, 400);
    as(BOB, "GET", GOOGLE, NULL, 403);
    as(ADA, "GET", "/acme/v1/events", NULL, 404);
}

static void who_is_busy_is_seen_where_the_domain_shows_it(void **state)
{
    static const char ask[] = "{'timeMin':'2026-03-01T00:00:00Z','timeMax':'2026-04-01T00:00:00Z',"
                              "'items':[{'id':'bob@port.example'}]}";
    (void)state;
    as(BOB, "POST", "/acme/v1/events?subject=Own&guest=x@far.example&begins=1773500000", NULL, 200);
    const struct json *v = as(ADA, "POST", "/calendar/v3/freeBusy", ask, 200);
    const struct json *bob = json_get(json_get(v, "calendars"), BOB);
    assert_string_equal(text_at(bob, "busy.0.start"), "2026-03-14T14:53:20Z");
    as(BOB, "GET", "/acme/v1/busy/ada@acme.example", NULL, 403); /* acme.example shows nothing */
    test_world = test_world_of(quoted(
        "{sosia: 1, time: '2026-03-12T08:00:00Z', people: [{email: ada@acme.example}, {email: "
        "bob@port.example}], accounts: [{actor: bob@port.example, vendor: acme}], freeBusy: "
        "{acme.example: [port.example]}}"));
    v = as(ADA, "POST", "/calendar/v3/freeBusy", ask, 200);
    bob = json_get(json_get(v, "calendars"), BOB);
    assert_string_equal(text_at(bob, "errors.0.reason"), "notFound");
    v = as(BOB, "GET", "/acme/v1/busy/ada@acme.example", NULL, 200);
    assert_int_equal(number_at(v, "times"), 0);
}

static void a_diff_has_both_terms(void **state)
{
    struct sosia_blob blob;
    (void)state;
    as(ADA, "POST", GOOGLE "?sendUpdates=all", LUNCH, 200);
    assert_int_equal(sosia_diff(test_engine, 0, test_world, NULL, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"summary\": \"Lunch\"")); /* Ada's */
    assert_non_null(strstr(blob.data, "\"subject\": \"Lunch\"")); /* Bob's */
    assert_non_null(strstr(blob.data, "\"service\": \"acme\""));
    assert_non_null(strstr(blob.data, "\"service\": \"calendar\""));
    sosia_blob_free(&blob);
}

static void the_world_is_the_same_from_its_dump_and_its_file(void **state)
{
    struct sosia_blob dump, again;
    uint64_t other;
    (void)state;
    as(ADA, "POST", GOOGLE "?sendUpdates=all", LUNCH, 200);
    as(BOB, "POST", "/acme/v1/messages?to=ada@acme.example&subject=Hello", NULL, 204);
    assert_int_equal(sosia_world_dump(test_engine, test_world, &dump, &test_err), 0);
    struct sosia_world_options opt = {.seed_doc = dump.data, .seed_doc_len = dump.len};
    if (sosia_world_create(test_engine, &opt, &other, &test_err) < 0)
        fail_msg("%s", test_err.text);
    assert_int_equal(sosia_world_dump(test_engine, other, &again, &test_err), 0);
    assert_string_equal(dump.data, again.data);
    sosia_blob_free(&again);
    if (test_import_changed(NULL, &other) < 0)
        fail_msg("%s", test_err.text);
    assert_int_equal(sosia_world_dump(test_engine, other, &again, &test_err), 0);
    assert_string_equal(dump.data, again.data);
    sosia_blob_free(&again);
    sosia_blob_free(&dump);
}

/* Cleo has both; her address leads to Acme, as the routing says. */
static void a_person_with_both_has_two_calendars_and_two_mailboxes(void **state)
{
    static const char doc[] =
        "{sosia: 1, time: '2026-03-12T08:00:00Z', seed: 3, people: [{email: ada@acme.example}, "
        "{email: cleo@port.example}], accounts: [{actor: cleo@port.example, vendor: google}, "
        "{actor: cleo@port.example, vendor: acme}], mailRouting: {port.example: acme}}";
    static const char cleo[] = "cleo@port.example";
    struct sosia_blob dump, again;
    uint64_t other;
    (void)state;
    test_world = test_world_of(quoted(doc));
    as(ADA, "POST", GOOGLE "?sendUpdates=all",
       "{'id':'lunch','summary':'Lunch','start':{'dateTime':'2026-03-13T12:00:00Z'},'end':{"
       "'dateTime':'2026-03-13T13:00:00Z'},'attendees':[{'email':'cleo@port.example'}]}",
       200);
    as(cleo, "POST", GOOGLE,
       "{'id':'mine1','summary':'Mine','start':{'dateTime':'2026-03-13T15:00:00Z'},'end':{"
       "'dateTime':'2026-03-13T16:00:00Z'}}",
       200);
    const struct json *v = as(cleo, "GET", "/acme/v1/events", NULL, 200);
    assert_string_equal(column(v, "events", "subject"), "Lunch");
    v = as(cleo, "GET", GOOGLE, NULL, 200);
    assert_string_equal(column(v, "items", "summary"), "Mine");
    v = as(cleo, "GET", "/acme/v1/messages", NULL, 200);
    assert_int_equal(count_at(v, "messages"), 1);
    v = as(cleo, "GET", "/gmail/v1/users/me/messages", NULL, 200);
    assert_int_equal(count_at(v, "messages"), 0);
    /* In a world whose own keys are others the dump gives the same. */
    assert_int_equal(sosia_world_dump(test_engine, test_world, &dump, &test_err), 0);
    struct sosia_world_options opt = {
        .seed_doc = dump.data, .seed_doc_len = dump.len, .seed = 4711};
    if (sosia_world_create(test_engine, &opt, &other, &test_err) < 0)
        fail_msg("%s", test_err.text);
    test_world = other;
    v = as(cleo, "GET", "/acme/v1/events", NULL, 200);
    assert_string_equal(column(v, "events", "subject"), "Lunch");
    assert_int_equal(sosia_world_dump(test_engine, other, &again, &test_err), 0);
    const char *from = strstr(dump.data, "\"people\""), *to = strstr(again.data, "\"people\"");
    assert_string_equal(from, to);
    sosia_blob_free(&dump);
    sosia_blob_free(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_invitation_crosses_and_its_answer_comes_back, open_world),
        cmocka_unit_test_setup(an_invitation_crosses_the_other_way, open_world),
        cmocka_unit_test_setup(mail_crosses, open_world),
        cmocka_unit_test_setup(who_is_busy_is_seen_where_the_domain_shows_it, open_world),
        cmocka_unit_test_setup(a_diff_has_both_terms, open_world),
        cmocka_unit_test(a_person_with_both_has_two_calendars_and_two_mailboxes),
        cmocka_unit_test_setup(the_world_is_the_same_from_its_dump_and_its_file, open_world),
    };
    return cmocka_run_group_tests(tests, open_engine, test_close_engine);
}
