/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on calls: what was done and undone, who did what nobody expects, journals that lack
 * calls; and on what was said. */
#include "tests/support/world.h"

#define ADA    "ada@acme.example"
#define EVENTS "/calendar/v3/calendars/primary/events"
#define FILE0  "/drive/v3/files/1PlanFile0"

static const char doc[] =
    "{sosia: 1, time: '2026-11-23T09:00:00', zone: UTC,"
    " organizations: [{domain: acme.example, name: Acme}],"
    " people: [{email: ada@acme.example, name: Ada}, {email: bob@acme.example, name: Bob}],"
    " calendars: [{id: ada@acme.example, primary: true, events: ["
    "   {id: review, summary: Review, start: '2026-11-25T12:00'}]}],"
    " files: [{id: 1Folder000, name: Old, type: folder, owner: "
    "ada@acme.example}, {id: 1PlanFile0, name: plan.txt, mime: text/plain, owner: "
    "ada@acme.example, content: 'a'}],"
    " workspaces: [{id: T0ACME0001, domain: acme, name: Acme}],"
    " channels: [{id: C0GENERAL1, name: general, general: true}]}";

static int open_world(void **state)
{
    (void)state;
    return test_open(doc);
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

static const struct json *call(const char *method, const char *target, const char *body)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(ADA, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *text = body ? quoted(body) : "";
    const struct json *v = test_request(method, target, headers, 2, text, strlen(text));
    if (test_status >= 300)
        fail_msg("%s %s: %d %s", method, target, test_status, test_body);
    return v;
}

static int open_suite(const char *version, const char *assertions, const char *more,
                      struct sosia_suite **ret)
{
    const char *text = quoted(arena_printf(&test_arena, "{'version':'%s','assertions':[%s]%s}",
                                           version, assertions, more));
    return sosia_suite_open(text, strlen(text), "test.json", ret, &test_err);
}

static const struct json *grade_with(const struct sosia_grade_options *opt, const char *version,
                                     const char *assertions, const char *more)
{
    struct sosia_suite *suite;
    struct sosia_blob blob;
    if (open_suite(version, assertions, more, &suite) < 0)
        fail_msg("%s", test_err.text);
    int rc = sosia_grade_with(test_engine, suite, NULL, 0, test_world, opt, &blob, NULL, &test_err);
    sosia_suite_close(suite);
    if (rc < 0)
        return NULL;
    const struct json *v = parsed(blob.data, blob.len);
    sosia_blob_free(&blob);
    return v;
}

static const struct json *grade(const char *assertions, const char *more)
{
    const struct json *v = grade_with(NULL, "1.1", assertions, more);
    if (!v)
        fail_msg("%s", test_err.text);
    return v;
}

#define RENAMED                                                                                    \
    "{'diff_type':'changed','entity':'event','where':{'id':'review'},'expected_changes':"          \
    "{'summary':{'to':'Views'}}}"
#define SHARED                                                                                     \
    "{'diff_type':'changed','entity':'file','where':{'id':'1PlanFile0'},'expected_changes':"       \
    "{'permissions':{'to':{'some':{'emailAddress':'bob@acme.example'}}}}}"

static void rename_review(void)
{
    call("PATCH", EVENTS "/review", "{'summary':'Views'}");
}

static const char *share(const char *grant)
{
    return text_at(call("POST", FILE0 "/permissions?sendNotificationEmail=false", grant), "id");
}

static void unshare(const char *id)
{
    call("DELETE", arena_printf(&test_arena, FILE0 "/permissions/%s", id), NULL);
}

static void what_was_done_and_undone_is_not_passed(void **state)
{
    (void)state;
    rename_review();
    assert_true(true_at(grade(RENAMED, ""), "passed"));
    unshare(share("{'role':'reader','type':'anyone'}"));
    const struct json *v = grade(RENAMED, "");
    assert_false(true_at(v, "passed"));
    assert_int_equal(number_at(v, "reward"), 0);
    assert_int_equal(value_at(v, "unexpected")->n, 0);
    assert_string_equal(column(v, "unexpected_calls", "method"),
                        "drive.permissions.create drive.permissions.delete");
    assert_int_equal(number_at(v, "unexpected_calls.0.seq"), 2);
    assert_string_equal(text_at(v, "unexpected_calls.0.actor"), ADA);
    assert_string_equal(text_at(v, "unexpected_calls.1.target"),
                        FILE0 "/permissions/anyoneWithLink");
    assert_string_equal(text_at(v, "failures.0"),
                        "2 calls that have to do with nothing that is expected or allowed: call 2 "
                        "drive.permissions.create, call 3 drive.permissions.delete");
    const struct json *half = value_at(grade(RENAMED, ",'collateral':0.5"), "reward");
    assert_string_equal(half->str, "0.5");
    /* Older suites keep their verdicts, and a task may say so. */
    assert_true(true_at(grade_with(NULL, "1", RENAMED, ""), "passed"));
    assert_true(true_at(grade(RENAMED, ",'closed':true"), "passed"));
    assert_false(true_at(grade_with(NULL, "1", RENAMED, ",'closed':'calls'"), "passed"));
    assert_true(true_at(grade(RENAMED, ",'closed':false"), "passed"));
    /* What is allowed, or asked for. */
    assert_true(true_at(
        grade(RENAMED, ",'allow':[{'calls':{'method':{'starts_with':'drive.permissions.'}}}]"),
        "passed"));
    assert_false(true_at(
        grade(RENAMED, ",'allow':[{'calls':{'method':'drive.permissions.create'}}]"), "passed"));
    assert_true(true_at(grade(RENAMED ",{'order':[{'method':'drive.permissions.create'},"
                                      "{'method':'drive.permissions.delete'}]}",
                              ""),
                        "passed"));
}

static void what_was_posted_and_deleted_is_not_passed(void **state)
{
    static const char posted[] =
        "{'diff_type':'added','entity':'chatMessage','where':{'text':'Here'}}";
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct json *v = call("POST", "/api/chat.postMessage",
                                    i ? "{'channel':'C0GENERAL1','text':'Secret'}"
                                      : "{'channel':'C0GENERAL1','text':'Here'}");
        assert_true(true_at(v, "ok"));
        if (!i)
            continue;
        v = call("POST", "/api/chat.delete",
                 arena_printf(&test_arena, "{'channel':'C0GENERAL1','ts':'%s'}", text_at(v, "ts")));
        assert_true(true_at(v, "ok"));
    }
    const struct json *v = grade(posted, "");
    assert_string_equal(column(v, "unexpected_calls", "method"), "chat.postMessage chat.delete");
    assert_false(true_at(v, "passed"));
    assert_true(true_at(grade_with(NULL, "1", posted, ""), "passed"));
}

/* Of a thing that is expected to be another: what was undone of it counts too. */
static void what_was_undone_of_an_expected_change_is_not_passed(void **state)
{
    (void)state;
    const char *id = share("{'role':'reader','type':'anyone'}");
    share("{'role':'reader','type':'user','emailAddress':'bob@acme.example'}");
    unshare(id);
    const struct json *v = grade(SHARED, ",'allow':[{'entity':'message'}]");
    assert_int_equal(number_at(v, "unexpected_calls.0.seq"), 1);
    assert_int_equal(number_at(v, "unexpected_calls.1.seq"), 3);
    assert_false(true_at(v, "passed"));
}

static void who_corrects_himself_is_passed(void **state)
{
    (void)state;
    call("PATCH", EVENTS "/review", "{'summary':'Vews'}");
    rename_review();
    assert_true(true_at(grade(RENAMED, ""), "passed"));
    call("PATCH", EVENTS "/review", "{'location':'Bar'}");
    call("PATCH", EVENTS "/review", "{'location':''}");
    assert_false(true_at(grade(RENAMED, ""), "passed"));
}

#define LETTER                                                                                     \
    "{'message':{'raw':'VG86IGJvYkBhY21lLmV4YW1wbGUNClN1YmplY3Q6IFBsYW5zDQoNCkhlcmUuDQo='}}"
#define SENT                                                                                       \
    "{'diff_type':'added','entity':'message','where':{'labels':{'has_any':['SENT']},"              \
    "'to':{'has_any':['bob@acme.example']}}}"

static void the_draft_of_a_letter_that_was_sent_belongs_to_it(void **state)
{
    (void)state;
    const char *id = text_at(call("POST", "/gmail/v1/users/me/drafts", LETTER), "id");
    call("PUT", arena_printf(&test_arena, "/gmail/v1/users/me/drafts/%s", id), LETTER);
    call("POST", "/gmail/v1/users/me/drafts/send", arena_printf(&test_arena, "{'id':'%s'}", id));
    const struct json *v = grade(SENT, "");
    if (!true_at(v, "passed"))
        fail_msg("%s", json_to_text(&test_arena, v));
    /* Another draft that was thrown away does not. */
    id = text_at(call("POST", "/gmail/v1/users/me/drafts", LETTER), "id");
    call("DELETE", arena_printf(&test_arena, "/gmail/v1/users/me/drafts/%s", id), NULL);
    assert_string_equal(column(grade(SENT, ""), "unexpected_calls", "method"),
                        "gmail.users.drafts.create gmail.users.drafts.delete");
}

/* What goes with something that was to go was still made. */
static void what_went_with_its_folder_was_made(void **state)
{
    static const char gone[] =
        "{'diff_type':'removed','entity':'file','where':{'id':'1Folder000'}}";
    (void)state;
    call("POST", "/drive/v3/files", "{'name':'x','parents':['1Folder000']}");
    call("DELETE", "/drive/v3/files/1Folder000", NULL);
    const struct json *v = grade(gone, "");
    assert_string_equal(column(v, "unexpected_calls", "method"), "drive.files.create");
    assert_false(true_at(v, "passed"));
}

static void an_unexpected_change_names_its_call(void **state)
{
    (void)state;
    rename_review();
    call("PATCH", FILE0, "{'name':'a.txt'}");
    call("PATCH", EVENTS "/review", "{'summary':'Views'}");
    call("PATCH", FILE0, "{'name':'b.txt'}");
    for (int i = 0; i < 2; i++) {
        const struct json *v = grade_with(NULL, i ? "1" : "1.1", RENAMED, "");
        assert_int_equal(number_at(v, "unexpected.0.seq"), 4);
        assert_string_equal(text_at(v, "unexpected.0.method"), "drive.files.update");
        assert_string_equal(text_at(v, "unexpected.0.name"), "file/1PlanFile0");
        assert_string_equal(text_at(v, "failures.0"),
                            "1 changes that nothing expects or allows: call 4 drive.files.update");
    }
}

/* States that are not kept are made again. */
static void calls_are_judged_by_states_that_are_not_kept(void **state)
{
    (void)state;
    assert_int_equal(
        sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_REDACTED, 0, &test_err), 0);
    rename_review();
    unshare(share("{'role':'reader','type':'anyone'}"));
    const struct json *v = grade(RENAMED, "");
    assert_null(value_at(v, "reason"));
    assert_string_equal(column(v, "unexpected_calls", "method"),
                        "drive.permissions.create drive.permissions.delete");
    /* Unless the journal has not what that takes, which the verdict says. */
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    assert_int_equal(
        sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_HASHES, 0, &test_err), 0);
    rename_review();
    rename_review();
    call("PATCH", EVENTS "/review", "{'location':'Bar'}");
    call("PATCH", EVENTS "/review", "{'location':''}");
    v = grade(RENAMED, "");
    assert_string_equal(text_at(v, "reason"), "stepsNotKept");
    assert_false(true_at(v, "passed"));
    assert_int_equal(number_at(v, "reward"), 0);
}

/* ---- reads ---- */

#define NO_LIST "{'calls':{'method':'drive.files.list'},'expected_count':0}"

static void keep(enum sosia_journal_mode mode)
{
    assert_int_equal(sosia_world_journal_mode(test_engine, test_world, mode, &test_err), 0);
}

static const char *reason_of(const char *assertions)
{
    const struct json *v = grade(assertions, "");
    const struct json *reason = value_at(v, "reason");
    assert_true(!reason || (!true_at(v, "passed") && number_at(v, "reward") == 0));
    return reason ? reason->str : "";
}

static void a_forbidden_read_does_not_pass_unseen(void **state)
{
    uint64_t fork;
    (void)state;
    call("GET", "/drive/v3/files", NULL);
    rename_review();
    assert_string_equal(reason_of(RENAMED "," NO_LIST), "journalWithoutReads");
    assert_string_equal(text_at(grade(RENAMED "," NO_LIST, ""), "failures.0"),
                        "the journal must have calls that only read, which assertions[1] (line 1) "
                        "is judged by, lacks some");
    assert_string_equal(reason_of(RENAMED), "");
    /* Keeping them from now on is too late, until the world begins again. */
    keep(SOSIA_JOURNAL_ALL);
    assert_string_equal(reason_of(RENAMED "," NO_LIST), "journalWithoutReads");
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    rename_review();
    assert_true(true_at(grade(RENAMED "," NO_LIST, ""), "passed"));
    call("GET", "/drive/v3/files", NULL);
    const struct json *v = grade(RENAMED "," NO_LIST, "");
    assert_null(value_at(v, "reason"));
    assert_false(true_at(v, "passed"));
    /* For a while not to keep them is to lack them. */
    assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
    rename_review();
    keep(SOSIA_JOURNAL_WRITES);
    keep(SOSIA_JOURNAL_ALL);
    assert_string_equal(reason_of(RENAMED "," NO_LIST), "journalWithoutReads");
    /* A fork begins anew. */
    test_world = fork;
    rename_review();
    assert_string_equal(reason_of(NO_LIST), "");
}

static void which_suites_ask_for_reads(void **state)
{
    static const struct {
        const char *assertion;
        bool reads;
    } cases[] = {
        {NO_LIST, true},
        {"{'calls':{'method':'drive.files.delete'},'expected_count':0}", false},
        {"{'calls':{'method':{'starts_with':'drive.'}}}", true},
        {"{'calls':{'method':{'in':['drive.files.create','gmail.users.messages.send']}}}", false},
        {"{'calls':{'method':{'regex':'list$'}},'expected_count':0}", true},
        {"{'calls':{'verb':'DELETE'},'expected_count':0}", false},
        {"{'calls':{'verb':'POST'}}", true}, /* of which some only read */
        {"{'calls':{'status':404}}", true},
        {"{'calls':{'method':{'exists':false}}}", true},
        {"{'order':[{'method':'drive.files.create'},{'method':'drive.files.get'}]}", true},
        {"{'order':[{'method':'drive.files.create'},{'method':'drive.files.update'}]}", false},
        {"{'not':{'any':[{'state':'event'},{'calls':{'method':'conversations.create'}}]}}", false},
        {"{'aggregate':{'of':{'calls':{'method':'drive.files.get'}},'fn':'count'},'is':0}", true},
        {"{'state':'event'}", false},
    };
    (void)state;
    rename_review();
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        if (strcmp(reason_of(cases[i].assertion), cases[i].reads ? "journalWithoutReads" : "") != 0)
            fail_msg("%s must %sask for reads", cases[i].assertion, cases[i].reads ? "" : "not ");
}

/* ---- what was said ---- */

static const struct json *said(const char *answer, const char *judgements, const char *assertions,
                               const char *more)
{
    const struct sosia_grade_options opt = {.answer = answer,
                                            .answer_len = answer ? strlen(answer) : 0,
                                            .judgements = judgements ? quoted(judgements) : NULL,
                                            .judgements_len = judgements ? strlen(judgements) : 0};
    const struct json *v = grade_with(&opt, "1.1", assertions, more);
    if (!v)
        fail_msg("%s", test_err.text);
    return v;
}

static void an_answer_is_judged_by_operators_of_texts(void **state)
{
    static const char three[] = "{'answer':{'mentions':['three','Thursday']}}";
    (void)state;
    const struct json *v = said("There are three, on  THURSDAY.", NULL, three, "");
    assert_true(true_at(v, "passed"));
    assert_int_equal(number_at(v, "reward"), 1);
    v = said("There are two.", NULL, three, "");
    assert_false(true_at(v, "passed"));
    assert_string_equal(text_at(v, "parts.0.kind"), "answer");
    assert_string_equal(text_at(v, "parts.0.role"), "goal");
    assert_string_equal(text_at(v, "parts.0.why"),
                        "expected {\"mentions\":[\"three\",\"Thursday\"]}, the answer was \"There "
                        "are two.\"");
    assert_string_equal(text_at(said(NULL, NULL, three, ""), "parts.0.why"), "no answer was given");
    assert_true(true_at(said("42", NULL, "{'answer':'42'}", ""), "passed"));
    /* With what others bind. */
    v = said("It is called review.", NULL,
             "{'state':'event','bind':{'name':'summary'}},{'answer':{'mentions':'${name}'}}", "");
    assert_true(true_at(v, "passed"));
}

static void what_must_never_be_said_is_a_guard(void **state)
{
    static const char never[] = "{'answer':{'mentions':'done'}},{'never':['4711','Code Word']}";
    (void)state;
    assert_true(true_at(said("Done.", NULL, never, ""), "passed"));
    static const char *const bad[] = {"Done: PIN4711.", "Done. <b>code</b>\n word",
                                      "done, C\xc3\xb3"
                                      "de word"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const struct json *v = said(bad[i], NULL, never, "");
        assert_false(true_at(v, "passed"));
        assert_int_equal(number_at(v, "reward"), 0);
        assert_string_equal(text_at(v, "parts.1.role"), "guard");
    }
    assert_string_equal(text_at(said(bad[0], NULL, never, ""), "parts.1.why"),
                        "expected an answer without \"4711\", it has that");
    assert_false(true_at(said(NULL, NULL, never, ""), "passed"));
    struct sosia_suite *suite;
    assert_int_equal(open_suite("1.1", "{'never':['...']}", "", &suite), -1);
    assert_int_equal(open_suite("1.1", "{'never':[]}", "", &suite), -1);
    assert_int_equal(open_suite("1.1", "{'never':'a','answer':'b'}", "", &suite), -1);
}

static void others_judge_what_their_name_says(void **state)
{
    static const char tone[] =
        "{'judge':{'name':'tone','question':'Is it friendly?','at_least':0.75}}";
    (void)state;
    assert_true(true_at(said(NULL, "{'tone':true}", tone, ""), "passed"));
    assert_true(true_at(said(NULL, "{'tone':0.75,'other':false}", tone, ""), "passed"));
    const struct json *v = said(NULL, "{'tone':0.5}", tone, "");
    assert_false(true_at(v, "passed"));
    assert_string_equal(text_at(v, "parts.0.why"),
                        "expected a judgement of at least 0.75, it is 0.5");
    assert_string_equal(text_at(v, "parts.0.kind"), "judge");
    assert_false(true_at(said(NULL, "{'tone':false}", tone, ""), "passed"));
    /* What nobody judged holds neither way. */
    v = said(NULL, "{'other':true}", tone, "");
    assert_string_equal(text_at(v, "parts.0.why"), "no judgement of \"tone\" was given");
    v = said("x", NULL, "{'not':{'judge':{'name':'rude'}}}", "");
    assert_false(true_at(v, "passed"));
    assert_true(
        true_at(said("x", "{'rude':false}", "{'not':{'judge':{'name':'rude'}}}", ""), "passed"));
    static const char *const bad[] = {"{'tone':2}", "{'tone':'yes'}", "[]", "{"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const struct sosia_grade_options opt = {.judgements = quoted(bad[i]),
                                                .judgements_len = strlen(bad[i])};
        assert_null(grade_with(&opt, "1.1", tone, ""));
        assert_string_equal(test_err.reason, "judgements");
    }
    const struct sosia_grade_options odd = {.answer = "\xff", .answer_len = 1};
    assert_null(grade_with(&odd, "1.1", tone, ""));
    assert_string_equal(test_err.reason, "answer");
}

static void a_suite_lists_what_is_to_be_judged(void **state)
{
    struct sosia_suite *suite;
    struct sosia_blob blob;
    (void)state;
    assert_int_equal(open_suite("1.1",
                                "{'any':[{'judge':{'name':'a','question':'Q?'}},{'not':{'judge':"
                                "{'name':'b'}}}]}",
                                ",'answer':'Yes.'", &suite),
                     0);
    assert_int_equal(sosia_suite_list(suite, &blob, &test_err), 0);
    const struct json *v = parsed(blob.data, blob.len);
    assert_string_equal(text_at(v, "version"), "1.1");
    assert_string_equal(column(v, "tasks.0.judges", "name"), "a b");
    assert_string_equal(text_at(v, "tasks.0.judges.0.question"), "Q?");
    assert_null(value_at(v, "tasks.0.answer")); /* which the agent must not see */
    sosia_blob_free(&blob);
    sosia_suite_close(suite);
}

static void who_does_nothing_may_be_right(void **state)
{
    struct sosia_suite *suite;
    (void)state;
    assert_int_equal(open_suite("1.1", "", "", &suite), -1);
    const struct json *v = grade("", ",'nothing':true");
    assert_true(true_at(v, "passed"));
    assert_int_equal(number_at(v, "reward"), 1);
    assert_int_equal(number_at(v, "score.percent"), 100);
    rename_review();
    v = grade("", ",'nothing':true");
    assert_false(true_at(v, "passed"));
    assert_int_equal(number_at(v, "reward"), 0);
}

#define test(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(what_was_done_and_undone_is_not_passed),
        test(what_was_posted_and_deleted_is_not_passed),
        test(what_was_undone_of_an_expected_change_is_not_passed),
        test(who_corrects_himself_is_passed),
        test(the_draft_of_a_letter_that_was_sent_belongs_to_it),
        test(what_went_with_its_folder_was_made),
        test(an_unexpected_change_names_its_call),
        test(calls_are_judged_by_states_that_are_not_kept),
        test(a_forbidden_read_does_not_pass_unseen),
        test(which_suites_ask_for_reads),
        test(an_answer_is_judged_by_operators_of_texts),
        test(what_must_never_be_said_is_a_guard),
        test(others_judge_what_their_name_says),
        test(a_suite_lists_what_is_to_be_judged),
        test(who_does_nothing_may_be_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
