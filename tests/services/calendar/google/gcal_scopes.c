/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which scopes open which calendar to which method: every scope and every pair of scopes, with what
 * each method does and each kind of calendar. What must come out is computed from two tables of
 * this file's own, of the scopes that methods accept (the vendor's reference) and of the calendars
 * for which each scope holds (its text). A call that is let through has the status of one with a
 * token that may do everything.
 */
#include "tests/support/gcal.h"

#define AUTH   "https://www.googleapis.com/auth/calendar"
#define CLIENT "1234567890-app.apps.googleusercontent.com"

/* A letter a scope. */
static const char letters[] = "CLlAKkDdEFOoPefRS";
static const char *const scope_names[] = {AUTH,
                                          AUTH ".acls",
                                          AUTH ".acls.readonly",
                                          AUTH ".app.created",
                                          AUTH ".calendarlist",
                                          AUTH ".calendarlist.readonly",
                                          AUTH ".calendars",
                                          AUTH ".calendars.readonly",
                                          AUTH ".events",
                                          AUTH ".events.freebusy",
                                          AUTH ".events.owned",
                                          AUTH ".events.owned.readonly",
                                          AUTH ".events.public.readonly",
                                          AUTH ".events.readonly",
                                          AUTH ".freebusy",
                                          AUTH ".readonly",
                                          AUTH ".settings.readonly"};

#define EVENT "events: [{id: meeting01, summary: Talk, start: 2026-11-24T10:00}]"
static const char WORLD[] =
    "sosia: 1\n"
    "time: 2026-11-23T08:00:00Z\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada}\n"
    "  - {email: bob@acme.example, name: Bob}\n"
    "apps: [{client_id: " CLIENT ", name: App}, {client_id: other, name: Other}]\n"
    "calendars:\n"
    "  - {id: bob@acme.example, primary: true, " EVENT "}\n"
    "  - {id: own@group.calendar.google.com, owner: bob@acme.example, summary: Own, app: other, "
    "lists: [{person: bob@acme.example}], " EVENT "}\n"
    "  - {id: made@group.calendar.google.com, owner: bob@acme.example, summary: Made, app: " CLIENT
    ", lists: [{person: bob@acme.example}], " EVENT "}\n"
    "  - {id: write@group.calendar.google.com, owner: ada@acme.example, summary: Write, access: "
    "[{role: writer, person: bob@acme.example}], lists: [{person: bob@acme.example}], " EVENT "}\n"
    "  - {id: read@group.calendar.google.com, owner: ada@acme.example, summary: Read, access: "
    "[{role: reader, person: bob@acme.example}], lists: [{person: bob@acme.example}], " EVENT "}\n"
    "  - {id: all@group.calendar.google.com, owner: ada@acme.example, summary: All, access: "
    "[{role: reader, public: true}], lists: [{person: bob@acme.example}], " EVENT "}\n";

/* Those of the scopes that hold for some calendars, and hold for this one. */
static const struct object {
    const char *id, *narrow;
} objects[] = {
    {"primary", "LlOo"},
    {"own@group.calendar.google.com", "LlOo"},
    {"made@group.calendar.google.com", "LlOoA"},
    {"write@group.calendar.google.com", ""},
    {"read@group.calendar.google.com", ""},
    {"all@group.calendar.google.com", "P"},
};
#define NARROW "LlOoAP" /* all of that kind; others hold for every calendar */

#define TIMES                                                                                      \
    "'start':{'dateTime':'2026-11-25T10:00:00Z'},'end':{'dateTime':'2026-11-25T11:00:00Z'}"
static const struct method {
    const char *verb, *target, *body, *accepts;
} methods[] = {
    {"GET", "/calendars/%s/events/meeting01", "", "CAEFOoPeR"},
    {"GET", "/calendars/%s/events", "", "CAEFOoPeR"},
    {"GET", "/calendars/%s/events/meeting01/instances", "", "CAEFOoPeR"},
    {"POST", "/calendars/%s/events", "{" TIMES "}", "CAEO"},
    {"POST", "/calendars/%s/events/import", "{'iCalUID':'x@y.example'," TIMES "}", "CAEO"},
    {"POST", "/calendars/%s/events/quickAdd?text=Lunch", "", "CAEO"},
    {"PATCH", "/calendars/%s/events/meeting01", "{'summary':'New'}", "CAEO"},
    {"PUT", "/calendars/%s/events/meeting01", "{" TIMES "}", "CAEO"},
    {"POST", "/calendars/%s/events/meeting01/move?destination=primary", "", "CEO"},
    {"DELETE", "/calendars/%s/events/meeting01", "", "CAEO"},
    {"POST", "/calendars/%s/events/watch",
     "{'id':'c','type':'web_hook','address':'https://hook.example/'}", "CAEFOoPeR"},
    {"GET", "/calendars/%s", "", "CADdR"},
    {"PATCH", "/calendars/%s", "{'description':'New'}", "CAD"},
    {"DELETE", "/calendars/%s", "", "CAD"},
    {"GET", "/calendars/%s/acl", "", "CLl"},
    {"GET", "/calendars/%s/acl/user:bob@acme.example", "", "CLlR"},
    {"POST", "/calendars/%s/acl",
     "{'role':'reader','scope':{'type':'user','value':'ada@acme.example'}}", "CL"},
    {"GET", "/users/me/calendarList/%s", "", "CAKkR"},
    {"PATCH", "/users/me/calendarList/%s", "{'selected':false}", "CAK"},
};

static const char *bearer(const char *scopes)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = BOB, .scopes = scopes, .app = CLIENT};
    if (sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &test_err) < 0)
        fail_msg("token: %s", test_err.text);
    return arena_printf(&test_arena, "Bearer %s", token);
}

static const char *names_of(const char *token)
{
    const char *text = "";
    for (const char *s = token; *s; s++)
        text = arena_printf(&test_arena, "%s%s%s", text, *text ? " " : "",
                            scope_names[strchr(letters, *s) - letters]);
    return text;
}

/* "\\n" and "\\t" of a text in a document. */
static const char *unescaped(const char *text)
{
    char *out = arena_strdup(&test_arena, text), *end = out;
    for (; *text; text++)
        *end++ = *text != '\\' ? *text : *++text == 'n' ? '\n' : '\t';
    *end = 0;
    return out;
}

static bool opens(const struct method *m, const struct object *o, const char *token)
{
    for (const char *s = token; *s; s++)
        if (strchr(m->accepts, *s) && (!strchr(NARROW, *s) || strchr(o->narrow, *s)))
            return true;
    return false;
}

/* The world is put back after a call that was let through. */
static void call(const struct method *m, const struct object *o, const char *authorization)
{
    struct sosia_header headers[] = {{"Authorization", authorization},
                                     {"Content-Type", "application/json"}};
    const char *body = quoted(m->body), *at = strstr(m->target, "%s");
    test_request(m->verb,
                 arena_printf(&test_arena, "/calendar/v3%.*s%s%s", (int)(at - m->target), m->target,
                              o->id, at + 2),
                 headers, 2, body, strlen(body));
    if (test_status < 400 && strcmp(m->verb, "GET") != 0)
        assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
}

static void each_pair_of_scopes_opens_what_one_of_them_opens(void **state)
{
    static int whole[SOSIA_LEN(methods)][SOSIA_LEN(objects)];
    (void)state;
    test_use(WORLD);
    for (size_t m = 0; m < SOSIA_LEN(methods); m++)
        for (size_t o = 0; o < SOSIA_LEN(objects); o++) {
            call(&methods[m], &objects[o], bearer(NULL));
            whole[m][o] = test_status;
        }
    for (size_t a = 0; letters[a]; a++)
        for (size_t b = a; letters[b]; b++) {
            const char token[3] = {letters[a], a == b ? 0 : letters[b], 0};
            const char *authorization = bearer(names_of(token));
            for (size_t m = 0; m < SOSIA_LEN(methods); m++)
                for (size_t o = 0; o < SOSIA_LEN(objects); o++) {
                    bool open = opens(&methods[m], &objects[o], token);
                    call(&methods[m], &objects[o], authorization);
                    if (open ? test_status != whole[m][o] && whole[m][o] < 400 : test_status != 403)
                        fail_msg("%s %s of %s with %s: expected %d, got %d %s", methods[m].verb,
                                 methods[m].target, objects[o].id, names_of(token),
                                 open ? whole[m][o] : 403, test_status, test_body);
                }
        }
}

/* A scope for what is free and busy shows no more of a calendar because another one, which does not
 * hold for it, is beside it. */
static void what_is_busy_is_all_that_freebusy_shows(void **state)
{
    static const struct {
        const char *token, *calendar, *role;
    } cases[] = {
        {"F", "primary", "freeBusyReader"},
        {"FO", "primary", "owner"},
        {"FO", "read@group.calendar.google.com", "freeBusyReader"},
        {"Fd", "read@group.calendar.google.com", "freeBusyReader"},
        {"FA", "write@group.calendar.google.com", "freeBusyReader"},
        {"FP", "all@group.calendar.google.com", "reader"},
        {"Fe", "read@group.calendar.google.com", "reader"},
    };
    (void)state;
    test_use(WORLD);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct sosia_header header = {"Authorization", bearer(names_of(cases[i].token))};
        const struct json *v = test_request(
            "GET", arena_printf(&test_arena, "/calendar/v3/calendars/%s/events", cases[i].calendar),
            &header, 1, "", 0);
        assert_string_equal(text_at(v, "accessRole"), cases[i].role);
    }
}

/* What a program makes is of its app, and stays so in a dump; another program's is not. */
static void calendars_are_of_the_app_that_made_them(void **state)
{
    static const char body[] = "{\"summary\":\"New\"}";
    (void)state;
    test_use(WORLD);
    struct sosia_header headers[] = {{"Authorization", bearer(AUTH ".app.created")},
                                     {"Content-Type", "application/json"}};
    const char *id = text_at(
        test_request("POST", "/calendar/v3/calendars", headers, 2, body, sizeof body - 1), "id");
    const char *events = arena_printf(&test_arena, "/calendar/v3/calendars/%s/events", id);
    assert_int_equal(test_status, 200);
    test_request("GET", events, headers, 1, "", 0);
    assert_int_equal(test_status, 200);
    assert_non_null(strstr(json_to_text(&test_arena, value_at(test_dump(), "calendars")),
                           "\"summary\":\"New\",\"app\":\"" CLIENT "\""));
    /* A token of no app is none of that app. */
    headers[0].value = test_bearer(BOB, AUTH ".app.created");
    test_request("GET", events, headers, 1, "", 0);
    assert_int_equal(test_status, 403);
    id = text_at(test_request("POST", "/calendar/v3/calendars", headers, 2, body, sizeof body - 1),
                 "id");
    events = arena_printf(&test_arena, "/calendar/v3/calendars/%s/events", id);
    test_request("GET", events, headers, 1, "", 0);
    assert_int_equal(test_status, 200);
}

/* However a list of scopes is written, each of them counts; where one would be unknown for a comma
 * in it, nothing would be open. */
static void lists_of_scopes_are_written_with_spaces_or_commas(void **state)
{
    static const char *const lists[] = {
        AUTH ".events.readonly," AUTH ".calendars.readonly",
        AUTH ".events.readonly, " AUTH ".calendars.readonly",
        ", " AUTH ".events.readonly\\n\\t" AUTH ".calendars.readonly,,",
        AUTH ".events.readonly " AUTH ".calendars.readonly",
    };
    static const char *const targets[] = {"/calendar/v3/calendars/primary",
                                          "/calendar/v3/calendars/primary/events"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(lists); i++) {
        test_use(arena_printf(&test_arena,
                              "%stokens: [{token: fixed-token, actor: bob@acme.example, scopes: "
                              "\"%s\"}]\n",
                              WORLD, lists[i]));
        const char *const tokens[] = {bearer(unescaped(lists[i])), "Bearer fixed-token"};
        for (size_t t = 0; t < 4; t++) {
            struct sosia_header header = {"Authorization", tokens[t / 2]};
            test_request("GET", targets[t % 2], &header, 1, "", 0);
            if (test_status != 200)
                fail_msg("%s: %s", lists[i], test_body);
        }
        struct sosia_header header = {"Authorization", tokens[0]};
        test_request("DELETE", "/calendar/v3/calendars/own@group.calendar.google.com", &header, 1,
                     "", 0);
        assert_int_equal(test_status, 403);
        assert_string_equal(text_at(test_dump(), "tokens.0.scopes"),
                            AUTH ".events.readonly " AUTH ".calendars.readonly");
    }
    struct sosia_header none = {"Authorization", bearer(",")};
    test_request("GET", targets[0], &none, 1, "", 0);
    assert_int_equal(test_status, 403);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(each_pair_of_scopes_opens_what_one_of_them_opens),
        gcal_test(what_is_busy_is_all_that_freebusy_shows),
        gcal_test(calendars_are_of_the_app_that_made_them),
        gcal_test(lists_of_scopes_are_written_with_spaces_or_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
