/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for access, approvals, labels and apps. */
#include "identity/jwt.h"
#include "tests/support/gdrive.h"

#define FILES                                                                                      \
    "files:\n"                                                                                     \
    "  - {id: doc, owner: ada@acme.example, name: Plan, mime: text/plain, content: hello, "        \
    "permissions: [{person: bob@acme.example, role: reader}, {person: cyd@acme.example, role: "    \
    "writer}]}\n"

static const char *text(const char *format, const char *arg)
{
    const char *at = strstr(format, "%s");
    return arena_printf(&test_arena, "%.*s%s%s", (int)(at - format), format, arg, at + 2);
}

static size_t letters_of(const char *who, const char *subject)
{
    const struct json *v =
        ask(who, "GET", text("/gmail/v1/users/me/messages?q=subject:%s", subject), NULL, NULL, 0);
    return count_at(v, "messages");
}

static void proposals_are_accepted_and_denied(void **state)
{
    (void)state;
    gdrive_seed(FILES "accessProposals:\n"
                      "  - {id: p1, file: doc, requester: eve@other.example, message: Please, "
                      "roles: [writer]}\n"
                      "  - {id: p2, file: doc, requester: bob@acme.example, roles: [commenter]}\n");
    const struct json *v = as(ADA, "GET", "/files/doc/accessproposals", NULL);
    assert_int_equal(count_at(v, "accessProposals"), 2);
    assert_string_equal(members(v, "accessProposals.0"),
                        "fileId proposalId requesterEmailAddress recipientEmailAddress "
                        "rolesAndViews requestMessage createTime");
    assert_string_equal(text_at(v, "accessProposals.0.rolesAndViews.0.role"), "writer");
    v = as(ADA, "GET", "/files/doc/accessproposals?pageSize=1", NULL);
    v = as(ADA, "GET",
           text("/files/doc/accessproposals?pageSize=1&pageToken=%s", text_at(v, "nextPageToken")),
           NULL);
    assert_string_equal(text_at(v, "accessProposals.0.proposalId"), "p2");
    /* Who may not share is shown none. */
    v = as(BOB, "GET", "/files/doc/accessproposals", NULL);
    assert_string_equal(members(v, ""), "");
    as(BOB, "GET", "/files/doc/accessproposals/p1", NULL);
    assert_refused(403, "insufficientFilePermissions");
    as(EVE, "GET", "/files/doc/accessproposals", NULL);
    assert_refused(404, "notFound");
    as(ADA, "POST", "/files/doc/accessproposals/p1:resolve", "{'action':'MAYBE'}");
    assert_refused(400, "invalid");
    as(ADA, "POST", "/files/doc/accessproposals/p1:resolve",
       "{'action':'ACCEPT','role':['owner']}");
    assert_refused(400, "invalid");
    as(ADA, "POST", "/files/doc/accessproposals/p1:resolve",
       "{'action':'ACCEPT','role':['commenter'],'sendNotification':true}");
    assert_int_equal(test_status, 204);
    v = as(EVE, "GET", "/files/doc?fields=capabilities(canComment,canEdit)", NULL);
    assert_true(true_at(v, "capabilities.canComment"));
    assert_false(true_at(v, "capabilities.canEdit"));
    assert_int_equal(letters_of(EVE, "shared"), 1);
    as(ADA, "GET", "/files/doc/accessproposals/p1", NULL);
    assert_refused(404, "notFound");
    as(CYD, "POST", "/files/doc/accessproposals/p2:resolve",
       "{'action':'DENY','sendNotification':true}");
    assert_int_equal(test_status, 204);
    assert_int_equal(letters_of(BOB, "denied"), 1);
}

static void all_reviewers_must_approve(void **state)
{
    (void)state;
    gdrive_seed(FILES);
    as(BOB, "POST", "/files/doc/approvals:start", "{'reviewerEmails':['bob@acme.example']}");
    assert_refused(403, "insufficientFilePermissions");
    as(ADA, "POST", "/files/doc/approvals:start", "{}");
    assert_refused(400, "invalid");
    as(ADA, "POST", "/files/doc/approvals:start",
       "{'reviewerEmails':['bob@acme.example'],'dueTime':'2020-01-01T00:00:00Z'}");
    assert_refused(400, "invalid");
    const struct json *v = as(ADA, "POST", "/files/doc/approvals:start",
                              "{'reviewerEmails':['bob@acme.example','cyd@acme.example'],"
                              "'dueTime':'2026-12-01T00:00:00Z','message':'Look'}");
    assert_string_equal(members(v, ""), "kind approvalId targetFileId createTime modifyTime "
                                        "dueTime status initiator reviewerResponses");
    assert_string_equal(text_at(v, "status"), "IN_PROGRESS");
    assert_string_equal(text_at(v, "reviewerResponses.0.response"), "NO_RESPONSE");
    assert_string_equal(text_at(v, "reviewerResponses.0.reviewer.emailAddress"), BOB);
    assert_int_equal(letters_of(BOB, "approval"), 1);
    const char *id = text_at(v, "approvalId");
    as(CYD, "POST", "/files/doc/approvals:start", "{'reviewerEmails':['bob@acme.example']}");
    assert_refused(400, "failedPrecondition");
    v = as(BOB, "POST", text("/files/doc/approvals/%s:approve", id), "{'message':'good'}");
    assert_string_equal(text_at(v, "status"), "IN_PROGRESS");
    as(ADA, "POST", text("/files/doc/approvals/%s:approve", id), "{}");
    assert_refused(403, "forbidden");
    /* A reviewer who has answered is not replaced. */
    as(ADA, "POST", text("/files/doc/approvals/%s:reassign", id),
       "{'replaceReviewers':[{'removedReviewerEmail':'bob@acme.example','addedReviewerEmail':"
       "'eve@other.example'}]}");
    assert_refused(400, "invalid");
    as(ADA, "POST", text("/files/doc/approvals/%s:comment", id), "{}");
    assert_refused(400, "required");
    as(ADA, "POST", text("/files/doc/approvals/%s:comment", id), "{'message':'Hurry'}");
    assert_int_equal(letters_of(CYD, "comment"), 1);
    v = as(CYD, "POST", text("/files/doc/approvals/%s:approve", id), NULL);
    assert_string_equal(text_at(v, "status"), "APPROVED");
    assert_non_null(text_at(v, "completeTime"));
    v = as(ADA, "GET",
           "/files/doc?fields=capabilities(canModifyContent,canRemoveContentRestriction)", NULL);
    assert_false(true_at(v, "capabilities.canModifyContent"));
    assert_true(true_at(v, "capabilities.canRemoveContentRestriction"));
    as(CYD, "POST", text("/files/doc/approvals/%s:decline", id), "{}");
    assert_refused(403, "forbidden");
    v = as(BOB, "GET", "/files/doc/approvals", NULL);
    assert_string_equal(members(v, ""), "kind");
    v = as(BOB, "GET", "/files/doc/approvals?fields=*", NULL);
    assert_string_equal(members(v, ""), "kind items");
    assert_int_equal(count_at(v, "items"), 1);
    as(EVE, "GET", "/files/doc/approvals", NULL);
    assert_refused(404, "notFound");
}

static void one_decline_ends_it_and_it_can_be_cancelled(void **state)
{
    (void)state;
    gdrive_seed(FILES);
    const struct json *v = as(CYD, "POST", "/files/doc/approvals:start",
                              "{'reviewerEmails':['bob@acme.example','ada@acme.example']}");
    const char *id = text_at(v, "approvalId");
    v = as(ADA, "POST", text("/files/doc/approvals/%s:reassign", id),
           "{'replaceReviewers':[{'removedReviewerEmail':'bob@acme.example','addedReviewerEmail':"
           "'eve@other.example'}],'addReviewers':[{'addedReviewerEmail':'bob@acme.example'}]}");
    assert_int_equal(count_at(v, "reviewerResponses"), 3);
    assert_string_equal(text_at(v, "reviewerResponses.0.reviewer.emailAddress"), EVE);
    v = as(ADA, "POST", text("/files/doc/approvals/%s:decline", id), "{}");
    assert_string_equal(text_at(v, "status"), "DECLINED");
    assert_int_equal(letters_of(CYD, "declined"), 1);
    v = as(CYD, "POST", "/files/doc/approvals:start", "{'reviewerEmails':['bob@acme.example']}");
    id = text_at(v, "approvalId");
    as(BOB, "POST", text("/files/doc/approvals/%s:cancel", id), "{}");
    assert_refused(403, "forbidden");
    v = as(CYD, "POST", text("/files/doc/approvals/%s:cancel", id), "{}");
    assert_string_equal(text_at(v, "status"), "CANCELLED");
    v = as(CYD, "GET", "/files/doc/approvals?fields=*&pageSize=1", NULL);
    assert_string_equal(text_at(v, "items.0.status"), "CANCELLED");
    v = as(
        CYD, "GET",
        text("/files/doc/approvals?fields=*&pageSize=1&pageToken=%s", text_at(v, "nextPageToken")),
        NULL);
    assert_string_equal(text_at(v, "items.0.status"), "DECLINED");
    as(CYD, "GET", "/files/doc/approvals/nothing", NULL);
    assert_refused(404, "notFound");
}

static void tokens_of_encryption_are_the_organisations(void **state)
{
    (void)state;
    struct jwt jwt;
    gdrive_seed("driveKeyServices: [{domain: acme.example, id: 7, name: Keys, url: "
                "'https://keys.acme.example/v1'}]\n"
                "files: [{id: doc, name: Doc, owner: ada@acme.example, permissions: [{person: "
                "bob@acme.example, role: reader}]}]\n");
    const struct json *v = as(ADA, "GET", "/files/generateCseToken?fileId=doc", NULL);
    assert_string_equal(members(v, ""), "kind fileId jwt currentKaclsId currentKaclsName");
    assert_string_equal(text_at(v, "fileId"), "doc");
    assert_string_equal(text_at(v, "currentKaclsId"), "7");
    assert_string_equal(text_at(v, "currentKaclsName"), "Keys");
    assert_int_equal(jwt_read(&test_arena, text_at(v, "jwt"), &jwt), 0);
    assert_true(jwt_verify(&jwt, NULL, "gsuitecse-tokenissuer-drive@system.gserviceaccount.com"));
    assert_string_equal(text_at(jwt.claims, "resource_name"), "//googleapis.com/drive/files/doc");
    assert_string_equal(text_at(jwt.claims, "email"), ADA);
    assert_string_equal(text_at(jwt.claims, "kacls_url"), "https://keys.acme.example/v1");
    v = as(BOB, "GET", "/files/generateCseToken", NULL);
    const char *id = text_at(v, "fileId");
    as(BOB, "POST", "/files", arena_printf(&test_arena, "{'id':'%s','name':'x'}", id));
    assert_int_equal(test_status, 200);
    as(BOB, "GET", "/files/generateCseToken?fileId=doc", NULL);
    assert_refused(403, "insufficientFilePermissions");
    as(EVE, "GET", "/files/generateCseToken?fileId=doc", NULL);
    assert_refused(404, "notFound");
    as(EVE, "GET", "/files/generateCseToken", NULL); /* her organisation has no keys */
    assert_refused(403, "forbidden");
    as(ADA, "GET", "/files/generateCseToken?fileId=doc&parent=root", NULL);
    assert_refused(400, "invalid");
    as(ADA, "GET", "/files/generateCseToken?parent=root", NULL);
    assert_int_equal(test_status, 200);
    v = test_dump();
    assert_string_equal(text_at(v, "driveKeyServices.0.name"), "Keys");
}

static size_t found(const char *who, const char *q)
{
    const struct json *v =
        ask(who, "GET", text("/gmail/v1/users/me/messages?q=%s", q), NULL, NULL, 0);
    assert_int_equal(test_status, 200);
    return count_at(v, "messages");
}

static void mail(const char *from, const char *to, const char *body)
{
    static const char *const headers[] = {"Content-Type", "message/rfc822", NULL};
    const char *raw = arena_printf(&test_arena, "To: %s\r\nSubject: link\r\n\r\n%s\r\n", to, body);
    ask(from, "POST", "/upload/gmail/v1/users/me/messages/send?uploadType=media", headers, raw,
        strlen(raw));
    assert_int_equal(test_status, 200);
}

/* A link is to a file for those only whom the file is shown to when the letter comes. */
static void letters_have_the_files_that_their_reader_sees(void **state)
{
    (void)state;
    gdrive_seed(
        "files:\n"
        "  - {id: doc1, name: Plan, type: document, owner: ada@acme.example, content: x, "
        "permissions: [{person: bob@acme.example, role: reader}]}\n"
        "  - {id: bin1, name: a.bin, owner: ada@acme.example, base64: AAEC, permissions: "
        "[{person: cyd@acme.example, role: reader}]}\n"
        "mailboxes: [{person: cyd@acme.example, messages: [{from: ada@acme.example, subject: "
        "old, text: 'https://drive.google.com/open?id=bin1'}]}]\n");
    assert_int_equal(found(CYD, "has:drive"), 1); /* seeded */
    mail(ADA, "bob@acme.example, cyd@acme.example",
         "See https://docs.google.com/document/d/doc1/edit?usp=sharing");
    assert_int_equal(found(ADA, "has:drive"), 1);
    assert_int_equal(found(BOB, "has:drive"), 1);
    assert_int_equal(found(BOB, "has:document"), 1);
    assert_int_equal(found(BOB, "has:spreadsheet"), 0);
    assert_int_equal(found(CYD, "has:document"), 0);
    assert_int_equal(found(CYD, "subject:link%20-has:drive"), 1);
    /* What the file is counts, and not what its link looks like. */
    mail(ADA, CYD,
         "https://docs.google.com/presentation/d/bin1 and "
         "https://docs.google.com/document/d/nofile/");
    assert_int_equal(found(CYD, "has:drive"), 2);
    assert_int_equal(found(CYD, "has:presentation"), 0);
    assert_int_equal(found(CYD, "has:document"), 0);
    /* The index lets go of what it has, also when access has changed since. */
    as(ADA, "DELETE", "/files/doc1", NULL);
    assert_int_equal(test_status, 204);
    assert_int_equal(found(BOB, "has:document"), 1);
    const struct json *v =
        ask(BOB, "GET", "/gmail/v1/users/me/messages?q=has:document", NULL, NULL, 0);
    ask(BOB, "DELETE", text("/gmail/v1/users/me/messages/%s", text_at(v, "messages.0.id")), NULL,
        NULL, 0);
    assert_int_equal(test_status, 204);
    assert_int_equal(found(BOB, "has:drive"), 0);
}

static void labels_are_put_changed_and_taken_off(void **state)
{
    (void)state;
    gdrive_seed(
        "driveLabels:\n"
        "  - {id: L1, name: Contract, revision: r1, fields: [{id: F1, type: text}, {id: F2, "
        "type: selection, choices: [red, blue]}, {id: F3, type: integer}, {id: F4, type: "
        "user, many: true}, {id: F5, type: date}]}\n" FILES);
    static const struct {
        const char *fields, *reason;
    } bad[] = {
        {"{'fieldId':'F9','setTextValues':['x']}", "labelMutationUnknownField"},
        {"{'fieldId':'F1','setTextValues':['x','y']}", "labelMultipleValuesForSingularField"},
        {"{'fieldId':'F2','setSelectionValues':['green']}", "labelMutationIllegalSelection"},
        {"{'fieldId':'F3','setIntegerValues':['x']}", "labelMutationForbidden"},
        {"{'fieldId':'F3','setTextValues':['x']}", "labelMutationForbidden"},
        {"{'fieldId':'F5','setDateValues':['2026-13-01']}", "labelMutationForbidden"},
        {"{'fieldId':'F4','setUserValues':['who@nowhere.example']}", "labelMutationForbidden"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        /* Nothing of it is done: it is one change. */
        as(ADA, "POST", "/files/doc/modifyLabels",
           text("{'labelModifications':[{'labelId':'L1','fieldModifications':[{'fieldId':'F1',"
                "'setTextValues':['good']}]},{'labelId':'L1','fieldModifications':[%s]}]}",
                bad[i].fields));
        assert_refused(400, bad[i].reason);
    }
    const struct json *v = as(ADA, "GET", "/files/doc/listLabels", NULL);
    assert_int_equal(count_at(v, "labels"), 0);
    v = as(ADA, "POST", "/files/doc/modifyLabels",
           "{'labelModifications':[{'labelId':'L1','fieldModifications':[{'fieldId':'F1',"
           "'setTextValues':['Rome']},{'fieldId':'F3','setIntegerValues':['7']},{'fieldId':'F4',"
           "'setUserValues':['bob@acme.example','cyd@acme.example']}]}]}");
    assert_string_equal(text_at(v, "modifiedLabels.0.fields.F3.integer.0"), "7");
    assert_string_equal(text_at(v, "modifiedLabels.0.fields.F4.user.1.emailAddress"), CYD);
    as(CYD, "POST", "/files/doc/modifyLabels",
       "{'labelModifications':[{'labelId':'L1','fieldModifications':[{'fieldId':'F3','unsetValues':"
       "true},{'fieldId':'F2','setSelectionValues':['red']}]}]}");
    v = as(BOB, "GET", "/files/doc/listLabels", NULL);
    assert_string_equal(members(v, "labels.0"), "id revisionId kind fields");
    assert_string_equal(members(v, "labels.0.fields"), "F1 F4 F2");
    as(BOB, "POST", "/files/doc/modifyLabels", "{'labelModifications':[]}");
    assert_refused(403, "applyLabelForbidden");
    as(ADA, "POST", "/files/doc/modifyLabels", "{'labelModifications':[{'labelId':'L7'}]}");
    assert_refused(404, "notFound");
    as(ADA, "POST", "/files/doc/modifyLabels",
       "{'labelModifications':[{'labelId':'L1','removeLabel':true}]}");
    v = as(ADA, "GET", "/files/doc/listLabels", NULL);
    assert_int_equal(count_at(v, "labels"), 0);
}

static void apps_are_those_that_were_agreed_to(void **state)
{
    (void)state;
    const struct json *v = as(ADA, "GET", "/apps", NULL);
    assert_string_equal(members(v, ""), "kind selfLink items defaultAppIds");
    assert_string_equal(text_at(v, "kind"), "drive#appList");
    as(ADA, "GET", "/apps/123", NULL);
    assert_refused(404, "notFound");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(proposals_are_accepted_and_denied),
        gdrive_test(all_reviewers_must_approve),
        gdrive_test(one_decline_ends_it_and_it_can_be_cancelled),
        gdrive_test(tokens_of_encryption_are_the_organisations),
        gdrive_test(letters_have_the_files_that_their_reader_sees),
        gdrive_test(labels_are_put_changed_and_taken_off),
        gdrive_test(apps_are_those_that_were_agreed_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
