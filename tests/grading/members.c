/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of members are what entities are written with, and suites may name nothing else. */
#include "engine/state/change.h"
#include "engine/world/members.h"
#include "grading/entities.h"
#include "services/list.h"
#include "tests/support/hostile_world.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- lists and what is written ---- */

/* One entity, and which paths of its list were written. */
struct seen {
    const struct entity *entity;
    const struct entity_view *view;
    const char *members;
    bool paths[200];
};

static struct seen all[100];
static size_t n_all;
static struct arena said; /* of lists that tables of members say */

static void gather_entities(void)
{
    const struct sosia_core *const *cores = test_engine->cores;
    n_all = 0;
    for (; *cores; cores++) {
        for (size_t i = 0; i < (*cores)->n_entities; i++) {
            const struct entity *e = &(*cores)->entities[i];
            const struct kind *k = kind_of_entity(test_engine->kinds, e->name);
            struct seen *s = &all[n_all++];
            assert_true(n_all <= SOSIA_LEN(all));
            s->entity = e;
            s->view = k->views[0];
            s->members = k->views[0] && k->views[0]->members ? k->views[0]->members
                                                             : entities_members(e, &said);
            if (!s->members)
                fail_msg("the entity %s has no list of members", e->name);
        }
    }
}

static size_t number_of(const char *list, const char *path)
{
    size_t i = 0, n;
    for (const char *p; (p = members_next(&list, &n)) != path; i++)
        ;
    return i;
}

static void see(struct seen *s, const char *path)
{
    const char *p = members_find(s->members, path);
    if (!p)
        fail_msg("%s: \"%s\" is written and not in the list", s->entity->name, path);
    s->paths[number_of(s->members, p)] = true;
}

static void see_value(struct seen *s, const char *path, const struct json *v)
{
    char inner[300];
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++) {
        snprintf(inner, sizeof inner, "%s.%u", path, i);
        see_value(s, inner, &v->items[i]);
    }
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++) {
        snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "." : "", v->members[i].key);
        see_value(s, inner, &v->members[i].value);
    }
    if (v->type != JSON_ARRAY && v->type != JSON_OBJECT)
        see(s, path);
}

/* All that a world has, and what was there before. */
static void see_side(struct change_side *side)
{
    for (size_t i = 0; i < n_all; i++) {
        sqlite3_stmt *st;
        char sql[100];
        snprintf(sql, sizeof sql, "select rowid from \"%s\"", all[i].entity->table);
        assert_int_equal(sqlite3_prepare_v2(slot_db(side->tx.db), sql, -1, &st, NULL), SQLITE_OK);
        while (sqlite3_step(st) == SQLITE_ROW) {
            struct entity_about about = {0};
            const struct json *v = NULL;
            if (entity_read(&side->tx, all[i].entity, all[i].view, sqlite3_column_int64(st, 0),
                            &about, &v) < 0)
                fail_msg("%s: %s", all[i].entity->name, side->tx.err->text);
            if (v)
                see_value(&all[i], "", v);
        }
        sqlite3_finalize(st);
    }
}

static void see_world(uint64_t world)
{
    static const struct change_options how = {0};
    struct changes d;
    if (changes_open(test_engine, 0, world, &how, &d, &test_err) < 0)
        fail_msg("%s", test_err.text);
    see_side(&d.b);
    changes_close(&d);
}

static void see_fixture(const char *name)
{
    const char *dir = getenv("SOSIA_FIXTURES");
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.yaml", dir ? dir : "fixtures", name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s must be there", path);
    size_t room = 32 << 20;
    char *text = malloc(room);
    assert_non_null(text);
    size_t n = fread(text, 1, room - 1, f);
    fclose(f);
    text[n] = 0;
    see_world(test_world_of(text));
    free(text);
}

/* What no fixture has: things that only apps, administrators or other services leave behind, and
 * members that people seldom set. That they are written is what their own services' tests show.
 * paths NULL: nothing of the entity. */
static const struct {
    const char *entity, *paths;
} rare[] = {
    {"sent", NULL},
    {"mailResponder", NULL},
    {"app", "automatic"},
    {"account", "service id services.* mailbox"},
    {"google_channel", NULL},
    {"graph_subscription", NULL},
    {"presence", NULL},
    {"calendarGroup", NULL},
    {"eventAttachment", NULL},
    {"place", "kind list details.**"},
    {"microsoft_tenant", "consumer"},
    {"microsoft_user", "upn mail displayName givenName surname companyName employeeId mobilePhone "
                       "businessPhones.* preferredLanguage usageLocation streetAddress city state "
                       "postalCode country sessionsFrom licenses.* enabled deleted password"},
    {"microsoft_group", "id visibility unified security mail mailNickname classification "
                        "preferredLanguage theme allowExternalSenders autoSubscribeNewMembers "
                        "hideFromAddressLists hideFromOutlookClients"},
    {"microsoft_photo", NULL},
    {"groupPost", NULL},
    {"microsoft_app", NULL},
    {"microsoft_application", NULL},
    {"contact_folder", NULL},
    {"contact", "folder"},
    {"workspaceFile", NULL},
    {"workspaceMemory", NULL},
    {"webPage", NULL},
    {"webForm", NULL},
    {"taskPlan", NULL},
    {"taskBucket", NULL},
    {"taskList", "kept.*"},
    {"task",
     "plan bucket notes notes_type status percent start due reminder reminds completed "
     "completed_by recurrence recurs_from zone labels.* kept.* preview thread app items.*.title "
     "items.*.id "
     "items.*.done items.*.place items.*.created items.*.changed items.*.changed_by links.*.kind "
     "links.*.changed_by files.*.id files.*.name files.*.type files.*.content files.*.changed "
     "assignments.*.person assignments.*.by assignments.*.app assignments.*.at "
     "assignments.*.place assignments.*.board"},
    {"gitRef", NULL},
    {"team", NULL},
    {"pubsub_topic", NULL},
    {"oauth_client", NULL},
    {"oauth_refresh_token", NULL},
    {"service_account", NULL},
    {"calendar", "location autoAcceptInvitations labelProperties.**"},
    {"calendarListEntry",
     "name background foreground hidden selected reminders.*.method reminders.*.minutes "
     "notices.*.method notices.*.type"},
    {"event",
     "originalStartTime.date attendees.*.additionalGuests colorId "
     "extendedProperties.private.** extendedProperties.shared.** hangoutLink conferenceData.** "
     "source.title source.url workingLocationProperties.** outOfOfficeProperties.** "
     "focusTimeProperties.** attachments.*.** birthdayProperties.** eventLabelId "
     "anyoneCanAddSelf guestsCanInviteOthers guestsCanModify guestsCanSeeOtherGuests "
     "reminders.overrides.*.method reminders.overrides.*.minutes"},
    {"calendarSetting", NULL},
    {"googleCalendarOption", NULL},
    {"file",
     "folderColorRgb originalFilename copyRequiresWriterPermission writersCanShare "
     "contentRestrictions.*.** downloadRestrictions.** inheritedPermissionsDisabled themeId "
     "colorRgb restrictions.copyRequiresWriterPermission restrictions.driveMembersOnly "
     "restrictions.adminManagedRestrictions "
     "restrictions.sharingFoldersRequiresOrganizerPermission "
     "restrictions.readersMayNotDownload restrictions.writersMayNotDownload labels.*.id "
     "labels.*.fields.** permissions.*.allowFileDiscovery permissions.*.pendingOwner "
     "revisions.*.published textHash"},
    {"accessProposal", NULL},
    {"driveAdministrator", NULL},
    {"message", "bcc.*"},
    {"gmail_watch", NULL},
    {"gmailSetting", NULL},
    {"workspace",
     "vendor plan settings.** members.*.status.expires members.*.photo apps.*.user_scopes "
     "apps.*.uninstalled"},
    {"chatMember", "status.expires photo"},
    {"chatFile", "app editor public secret external_id external_url deleted reactions.*.name "
                 "reactions.*.by.* reactions.*.at.*"},
    {"canvas", "channel main"},
    {"chatMessage", "subtype"},
    {"userGroup", "external settings.**"},
    {"profileField", "hidden"},
    {"bookmark", "entity parent app"},
    {"chatStar", "ts"},
    {"chatReminder", "recurrence.** channel"},
    {"chatQuiet", "snooze forever skipped"},
    {"chatApp",
     "workspace owner icon manifest.** distributed deleted endpoint.enabled endpoint.sent "
     "endpoint.failed endpoint.hour"},
    {"chatGrant", NULL},
    {"chatWebhook", NULL},
    {"chatList", "description.** todo items.*.parent items.*.archived items.*.deleted exports.*.id "
                 "exports.*.at_us exports.*.archived access.*.channel"},
    {"sharedChannel", NULL},
    {"chatInvite", NULL},
    {"chatCall", "display_id desktop title end"},
    {"assistantThread", "status set loading.* prompts.** title"},
    {"agentChannel",
     "origin.channel origin.ts about.** resource.** views.*.id views.*.agent views.*.name "
     "views.*.type views.*.label views.*.file views.*.version views.*.added views.*.detail.** "
     "commands.*.agent commands.*.name commands.*.description commands.*.hint "
     "commands.*.escape"},
    {"chatLogin", NULL},
    {"chatAppLog", NULL},
    {"chatView", "external_id state.**"},
    {"functionExecution", "state inputs.** outputs.** error ended"},
    {"chatPane", "asked.**"},
    {"externalToken", "expires extras.**"},
    {"chatDialog", NULL},
    {"ephemeralMessage", "from thread"},
    {"responder", NULL},
    {"graph_subscription", NULL},
    {"presence", NULL},
    {"site", NULL},
    {"site_page", NULL},
    {"list", NULL},
    {"list_item", NULL},
    {"onlineMeeting", NULL},
    {"meetingTranscript", NULL},
    {"meetingRecording", NULL},
    {"meetingAttendance", NULL},
    {"activityNotification", NULL},
    {"teamTag", NULL},
    {"teamTab", NULL},
    {"teamApp", NULL},
};

static bool is_rare(const struct seen *s, const char *path, size_t n)
{
    for (size_t i = 0; i < SOSIA_LEN(rare); i++) {
        const char *list = rare[i].paths;
        size_t len;
        if (strcmp(rare[i].entity, s->entity->name) != 0)
            continue;
        if (!list)
            return true;
        for (const char *p; (p = members_next(&list, &len)), len;)
            if (len == n && strncmp(p, path, n) == 0)
                return true;
    }
    return false;
}

/* What changes by itself is written only where all is asked for. */
static bool is_noise(const struct seen *s, const char *path, size_t n)
{
    for (const char *const *p = s->view ? s->view->noise : NULL; p && *p; p++)
        if (strlen(*p) == n && strncmp(*p, path, n) == 0)
            return true;
    return false;
}

static void lists_have_what_is_written_and_nothing_else(void **state)
{
    int missing = 0;
    (void)state;
    arena_init(&said, 0);
    gather_entities();
    see_fixture("small");
    see_fixture("office");
    see_world(test_world);
    for (size_t i = 0; i < n_all; i++) {
        const char *list = all[i].members;
        size_t k = 0, n;
        for (const char *p; (p = members_next(&list, &n)), n; k++) {
            bool without = is_rare(&all[i], p, n) || is_noise(&all[i], p, n);
            if (all[i].paths[k] != without)
                continue;
            print_error("%s: \"%.*s\" is in the list and %s\n", all[i].entity->name, (int)n, p,
                        without ? "is written, which rare[] denies" : "not written");
            missing++;
        }
    }
    arena_done(&said);
    assert_int_equal(missing, 0);
}

/* ---- what suites name ---- */

static const struct refusal {
    const char *assertion, *nearest; /* with ' for "; nearest NULL: it is taken */
} refusals[] = {
    {"{'diff_type':'added','entity':'mesage'}", "message"},
    {"{'state':'chanel'}", "channel"},
    {"{'diff_type':'added','entity':'message','where':{'subjct':'x'}}", "subject"},
    {"{'diff_type':'unchanged','entity':'message','where':{'subject.x':'x'}}", "subject"},
    {"{'state':'event','where':{'start.dateTme':{'exists':true}}}", "start.dateTime"},
    {"{'state':'event','where':{'start.':{'exists':true}}}", "start"},
    {"{'state':'event','where':{'attendees.*.emial':'x'}}", "attendees.*.email"},
    {"{'state':'event','where':{'attendees':{'some':{'emial':'x'}}}}", "attendees.*.email"},
    {"{'state':'event','where':{'attendees':{'not':{'any_of':[{'none':{'emial':'x'}}]}}}}",
     "attendees.*.email"},
    {"{'state':'event','where':{'updated':{'exists':true}}}", "status"}, /* not shown */
    {"{'state':'driveApproval','where':{'created':{'exists':true}}}", "status"},
    {"{'state':'event','bind':{'x':'ids'}}", "id"},
    {"{'diff_type':'changed','entity':'event','expected_changes':{'sumary':{'to':'x'}}}",
     "summary"},
    {"{'diff_type':'changed','entity':'event','expected_changes':{'attendees':{'to':{'every':"
     "{'emial':'x'}}}}}",
     "attendees.*.email"},
    {"{'diff_type':'changed','entity':'event','strict':false,'ignore':['sumary']}", "summary"},
    {"{'aggregate':{'fn':'sum','field':'siz','of':{'state':'file'}},'is':1}", "size"},
    {"{'not':{'state':'file','where':{'nam':'x'}}}", "name"},
    {"{'calls':{'metod':'x'},'expected_count':0}", "method"},
    {"{'calls':{'method':'gmail.users.mesages.list'}}", "gmail.users.messages.list"},
    {"{'calls':{'method':{'not':{'in':['drive.files.lst']}}}}", "drive.files.list"},
    {"{'calls':{'method':{'any_of':['drive.files.get',{'eq':'chat.postMesage'}]}}}",
     "chat.postMessage"},
    {"{'calls':{'method':{'starts_with':'gmial.'}}}", ""},
    {"{'order':[{'verb':'POST'},{'pth':'/x'}]}", "path"},
    {"{'order':[{'method':'chat.postMesage'}]}", "chat.postMessage"},

    {"{'state':'event','where':{'':{'exists':true},'attendees.0.email':'x','start':{'exists':true},"
     "'start.*':'x','attendees.*':{'exists':true},'extendedProperties.private.a.b':'x',"
     "'iCalUID':'x','attendees':{'some':{'':{'exists':true}},'length':1}}}",
     NULL},
    {"{'state':'calendarListEntry','where':{'calendar':'x','person':'y'}}", NULL},
    {"{'calls':{'method':{'starts_with':'gmail.'},'actor':'x','status':200,'request.subjct':1,"
     "'response.a.0':1,'why':'x','seq':1}}",
     NULL},
    {"{'state':'file','bind':{'x':'id'}},{'calls':{'method':'${x}','path':'/${x}'}}", NULL},
};

static int open_suite(const char *text, bool rows)
{
    struct sosia_suite *suite;
    text = quoted(text);
    int rc = (rows ? sosia_suite_open_rows : sosia_suite_open)(text, strlen(text), "test.json",
                                                               &suite, &test_err);
    if (rc == 0)
        sosia_suite_close(suite);
    return rc;
}

static void refused(const char *suite, const char *nearest)
{
    if (open_suite(suite, false) == 0)
        fail_msg("must be refused, is taken: %s", suite);
    assert_int_equal(test_err.code, SOSIA_E_INVALID);
    assert_int_equal(test_err.line, 2);
    if (!strstr(test_err.text, arena_printf(&test_arena, "nearest: %s", nearest)) && *nearest)
        fail_msg("must have the nearest \"%s\", is: %s", nearest, test_err.text);
    if (open_suite(suite, true) < 0)
        fail_msg("of rows it must be taken: %s", test_err.text);
}

static void a_suite_names_what_there_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(refusals); i++) {
        const struct refusal *r = &refusals[i];
        const char *suite =
            arena_printf(&test_arena, "{'version':'1','assertions':[\n%s\n]}", r->assertion);
        if (r->nearest)
            refused(suite, r->nearest);
        else if (open_suite(suite, false) < 0)
            fail_msg("must be taken: %s: %s", r->assertion, test_err.text);
    }
#define TASK(more) "{'version':'1','assertions':[{'state':'event'}],\n" more "}"
    refused(TASK("'allow':[{'entity':'mesage'}]"), "message");
    refused(TASK("'allow':[{'entity':'message','where':{'subjct':'x'}}]"), "subject");
    refused(TASK("'allow':[{'where':{'subjct':'x'}}]"), "subject");
    refused(TASK("'allow':[{'entity':'event','fields':['sumary']}]"), "summary");
    refused(TASK("'ignore_fields':{'mesage':['text']}"), "message");
    refused(TASK("'ignore_fields':{'message':['txt']}"), "text");
    refused(TASK("'ignore_fields':{'global':['subjct']}"), "subject");
    assert_int_equal(
        open_suite(TASK("'ignore_fields':{'global':['subject'],'file':['name']}"), false), 0);
    /* The older language has tables besides, whose columns nobody checks. */
    refused("{'assertions':[{'diff_type':'added',\n'entity':'mesages'}]}", "messages");
    assert_int_equal(open_suite("{'assertions':[{'diff_type':'added','entity':'messages',"
                                "'where':{'txt':'x'}}]}",
                                false),
                     0);
}

static void the_refusal_of_an_entity_lists_them(void **state)
{
    static const char *const some[] = {"event", "message", "file", "channel", "calendarListEntry"};
    (void)state;
    assert_int_equal(open_suite("{'version':'1','assertions':[{'state':'mesage'}]}", false), -1);
    for (size_t i = 0; i < SOSIA_LEN(some); i++)
        if (!strstr(test_err.text, some[i]))
            fail_msg("must list \"%s\", is: %s", some[i], test_err.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lists_have_what_is_written_and_nothing_else,
                                        hostile_world_open, hostile_world_close),
        cmocka_unit_test_setup_teardown(a_suite_names_what_there_is, hostile_world_open,
                                        hostile_world_close),
        cmocka_unit_test_setup_teardown(the_refusal_of_an_entity_lists_them, hostile_world_open,
                                        hostile_world_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
