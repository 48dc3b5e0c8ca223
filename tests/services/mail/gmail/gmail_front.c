/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to a request before Gmail's handlers, and the form of its refusals. */
#include "tests/support/gmail.h"
#include <stdio.h>

#define UNKNOWN "Invalid JSON payload received. Unknown name "

static const struct json *anonymous(const char *target)
{
    return test_request("GET", target, NULL, 0, "", 0);
}

/* ---- envelopes ---- */

static void no_credential_is_refused_as_recorded(void **state)
{
    anonymous("/gmail/v1/users/me/profile");
    assert_int_equal(test_status, 401);
    assert_answer(
        "{'error':{'code':401,'message':'Request is missing required authentication credential. "
        "Expected OAuth 2 access token, login cookie or other valid authentication credential. See "
        "https://developers.google.com/identity/sign-in/web/devconsole-project.',"
        "'errors':[{'message':'Login Required.','domain':'global','reason':'required',"
        "'location':'Authorization','locationType':'header'}],'status':'UNAUTHENTICATED',"
        "'details':[{'@type':'type.googleapis.com/google.rpc.ErrorInfo',"
        "'reason':'CREDENTIALS_MISSING','domain':'googleapis.com','metadata':{"
        "'method':'caribou.api.proto.MailboxService.GetProfile',"
        "'service':'gmail.googleapis.com'}}]}}");
}

static void an_unknown_id_is_refused_as_recorded(void **state)
{
    gm_get(ADA, 404, "/messages/19dda5cc10eb51bb");
    assert_answer("{'error':{'code':404,'message':'Requested entity was not found.','errors':[{"
                  "'message':'Requested entity was not found.','domain':'global',"
                  "'reason':'notFound'}],'status':'NOT_FOUND'}}");
}

static void a_malformed_id_is_refused_as_measured(void **state)
{
    static const char *const ids[] = {"not-hex", "8000000000000000", "11111111111111111", "%20",
                                      "-1"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        gm_get(ADA, 400, "/messages/%s", ids[i]);
        assert_answer("{'error':{'code':400,'message':'Invalid id value','errors':[{"
                      "'message':'Invalid id value','domain':'global',"
                      "'reason':'invalidArgument'}],'status':'INVALID_ARGUMENT'}}");
        gm_get(ADA, 400, "/threads/%s", ids[i]);
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid thread_id value");
    }
}

static void errors_are_left_out_when_asked_for(void **state)
{
    gm_get(ADA, 404, "/messages/1?$.xgafv=2");
    assert_answer("{'error':{'code':404,'message':'Requested entity was not found.',"
                  "'status':'NOT_FOUND'}}");
    gm_get(ADA, 404, "/messages/1?$.xgafv=1");
    assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
}

static void a_bad_alt_is_refused_before_the_credential(void **state)
{
    anonymous("/gmail/v1/users/me/messages?alt=zzz");
    assert_int_equal(test_status, 400);
    assert_non_null(strstr(test_body, "INVALID_ARGUMENT"));
}

static void details_name_the_method_of_the_back_end(void **state)
{
    static const struct {
        const char *path, *method;
    } table[] = {
        {"/gmail/v1/users/me/messages", "ListMessages"},
        {"/gmail/v1/users/me/messages/1", "GetMessage"},
        {"/gmail/v1/users/me/messages/1/attachments/2", "GetAttachment"},
        {"/gmail/v1/users/me/history", "ListHistory"},
        {"/gmail/v1/users/me/drafts/r1", "GetDraft"},
        {"/gmail/v1/users/me/threads", "ListThreads"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct json *v = anonymous(table[i].path);
        assert_string_equal(text_at(v, "error.details.0.metadata.method"),
                            gm_text("caribou.api.proto.MailboxService.%s", table[i].method));
    }
}

/* ---- who ---- */

static void the_mailbox_is_ones_own(void **state)
{
    gm_get(ADA, 200, "!/gmail/v1/users/ada@acme.example/profile");
    assert_answer("{'emailAddress':'ada@acme.example','messagesTotal':0,'threadsTotal':0,"
                  "'historyId':'#'}");
    gm_get(ADA, 200, "!/gmail/v1/users/ADA%%40acme.example/profile");
    gm_get(ADA, 200, "!/gmail/v1/users/a.lovelace@acme.example/profile");
    gm_get(ADA, 403, "!/gmail/v1/users/bob@acme.example/profile");
    assert_refused(403, "forbidden", "PERMISSION_DENIED", "Delegation denied for " ADA);
    gm_get(ADA, 403, "!/gmail/v1/users/nobody@acme.example/profile");
    assert_refused(403, "forbidden", "PERMISSION_DENIED", "Delegation denied for " ADA);
    gm_get(ADA, 403, "!/gmail/v1/users/Me/profile");
}

static void a_service_account_has_no_mailbox(void **state)
{
    gm_get("svc@acme.example", 400, "/profile");
    assert_refused(400, "failedPrecondition", "FAILED_PRECONDITION", "Precondition check failed.");
}

/* ---- scopes ---- */

#define AUTH "https://www.googleapis.com/auth/gmail."

static void a_token_without_the_scope_is_refused(void **state)
{
    gm_scopes = AUTH "labels";
    const struct json *v = gm_get(ADA, 403, "/messages");
    assert_string_equal(text_at(v, "error.message"),
                        "Request had insufficient authentication scopes.");
    assert_string_equal(text_at(v, "error.errors.0.reason"), "insufficientPermissions");
    assert_string_equal(text_at(v, "error.status"), "PERMISSION_DENIED");
    assert_string_equal(members(v, "error.details.0.metadata"), "service method");
    assert_string_equal(text_at(v, "error.details.0.metadata.method"),
                        "caribou.api.proto.MailboxService.ListMessages");
    gm_get(ADA, 200, "/labels");
}

static void deletion_for_good_wants_the_widest_scope(void **state)
{
    gm_scopes = AUTH "modify";
    gm(ADA, "DELETE", "/messages/1", NULL);
    assert_int_equal(test_status, 403);
    gm(ADA, "POST", "/messages/batchDelete", "{'ids':['1']}");
    assert_int_equal(test_status, 403);
    gm_scopes = "https://mail.google.com/";
    gm(ADA, "POST", "/messages/batchDelete", "{'ids':['1']}");
    assert_int_equal(test_status, 204);
}

static void metadata_allows_no_queries_and_no_contents(void **state)
{
    static const char *const scopes[] = {AUTH "metadata", AUTH "metadata " AUTH "readonly"};
    for (size_t i = 0; i < 2; i++) {
        gm_scopes = scopes[i];
        gm_get(ADA, 200, "/messages");
        gm_get(ADA, 403, "/messages?q=");
        assert_refused(403, "forbidden", "PERMISSION_DENIED",
                       "Metadata scope does not support 'q' parameter");
        gm_get(ADA, 403, "/threads?q=x");
        gm_get(ADA, 403, "/messages/1");
        assert_refused(403, "forbidden", "PERMISSION_DENIED",
                       "Metadata scope doesn't allow format FULL");
        gm_get(ADA, 403, "/messages/1?format=raw");
        assert_refused(403, "forbidden", "PERMISSION_DENIED",
                       "Metadata scope doesn't allow format RAW");
        gm_get(ADA, 403, "/threads/1");
        gm_get(ADA, 404, "/messages/1?format=metadata");
        gm_get(ADA, 404, "/threads/1?format=minimal");
    }
}

/* ---- names and types ---- */

static void unknown_parameters_are_refused(void **state)
{
    const struct json *v = gm_get(ADA, 400, "/messages?maxResult=5");
    const char *text =
        UNKNOWN "\"maxResult\": Cannot bind query parameter. Field 'maxResult' could "
                "not be found in request message.";
    assert_string_equal(text_at(v, "error.message"), text);
    assert_answer(
        gm_text("{'error':{'code':400,'message':'*','errors':[{'message':'*','reason':'invalid'}],"
                "'status':'INVALID_ARGUMENT','details':[{"
                "'@type':'type.googleapis.com/google.rpc.BadRequest',"
                "'fieldViolations':[{'description':'*'}]}]}}"));
    assert_string_equal(text_at(v, "error.details.0.fieldViolations.0.description"), text);
    anonymous("/gmail/v1/users/me/messages?maxResult=5");
    assert_int_equal(test_status, 401);
    gm_get(ADA, 200, "/messages?key=k&quotaUser=u&prettyPrint=false&alt=json&$.xgafv=2&fields=*");
}

/* As fields of the protocol's messages are named. */
static void names_may_be_spelled_with_underscores(void **state)
{
    const struct json *v = gm(ADA, "POST", "/labels",
                              "{'name':'a','label_list_visibility':'labelHide',"
                              "'color':{'background_color':'#16a766','text_color':'#ffffff'}}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "labelListVisibility"), "labelHide");
    assert_string_equal(text_at(v, "color.backgroundColor"), "#16a766");
    for (int i = 0; i < 3; i++)
        gm_insert(ADA, "Subject: x\n\n", ",'label_ids':['Label_1']");
    gm_insert(ADA, "Subject: y\n\n", ",'labelIds':['SPAM']");
    v = gm_get(ADA, 200, "/messages?max_results=2&label_ids=Label_1");
    assert_int_equal(count_at(v, "messages"), 2);
    v = gm_get(ADA, 200, "/messages?max_results=2&label_ids=Label_1&page_token=%s",
               text_at(v, "nextPageToken"));
    assert_int_equal(count_at(v, "messages"), 1);
    v = gm_get(ADA, 200, "/messages?include_spam_trash=true");
    assert_int_equal(count_at(v, "messages"), 4);
    v = gm_get(ADA, 400, "/messages?max_result=2&Max_Results=2&max__results=2&maxresults=2");
    assert_int_equal(count_at(v, "error.details.0.fieldViolations"), 4);
    v = gm_get(ADA, 400, "/messages?max_results=x");
    assert_string_equal(text_at(v, "error.message"),
                        "Invalid value at 'max_results' (TYPE_UINT32), \"x\"");
    gm_get(ADA, 400, "/messages?pretty_print=false");
    /* The calendar's front end does not look. */
    gm_get(ADA, 200, "!/calendar/v3/users/me/calendarList?max_results=0");
    gm_get(ADA, 400, "!/calendar/v3/users/me/calendarList?maxResults=0");
}

static void enumerations_are_read_as_protobuf_does(void **state)
{
    const char *id = gm_insert(ADA, "From: x@else.example\nSubject: a\n\nx", "");
    static const char *const formats[] = {"RAW", "Raw", "raw"};
    for (size_t i = 0; i < 3; i++)
        assert_non_null(text_at(gm_get(ADA, 200, "/messages/%s?format=%s", id, formats[i]), "raw"));
    gm_get(ADA, 400, "/messages/%s?format=ra", id);
    gm_get(ADA, 400, "/messages/%s?format=rawx", id);
    static const char *const kinds[] = {"MESSAGE_ADDED", "messageadded", "message-added"};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(
            count_at(gm_get(ADA, 200, "/history?startHistoryId=2&historyTypes=%s", kinds[i]),
                     "history"),
            1);
    gm_get(ADA, 400, "/history?startHistoryId=2&historyTypes=mes_sageAdded");
    gm(ADA, "POST", "/labels",
       "{'name':'L','label_list_visibility':'LABEL_SHOW_IF_UNREAD',"
       "'messageListVisibility':'HIDE'}");
    assert_answer("{'id':'*','name':'L','messageListVisibility':'hide',"
                  "'labelListVisibility':'labelShowIfUnread'}");
    gm(ADA, "POST", "/labels", "{'name':'M','messageListVisibility':'HID'}");
    assert_int_equal(test_status, 400);
}

static void a_form_is_more_of_the_query(void **state)
{
    static const struct sosia_header form = {"Content-Type",
                                             "application/x-www-form-urlencoded; charset=utf-8"};
    char token[SOSIA_TOKEN_MAX];
    struct sosia_err err;
    struct sosia_token_options opt = {.actor = ADA};
    assert_int_equal(sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &err),
                     0);
    struct sosia_header headers[] = {{"Authorization", gm_text("Bearer %s", token)}, form};
    static const char body[] = "{\"name\":\"y\"}";
    const struct json *v =
        test_request("POST", "/gmail/v1/users/me/labels?prettyPrint=false", headers, 2, body, 12);
    assert_int_equal(test_status, 400);
    assert_string_equal(text_at(v, "error.message"),
                        UNKNOWN "\"{\"name\":\"y\"}\": Cannot bind query parameter. Field "
                                "'{\"name\":\"y\"}' could not be found in request message.");
    v = test_request("POST", "/gmail/v1/users/me/labels", headers, 2, "name=y&x=1", 10);
    assert_int_equal(test_status, 400);
    assert_int_equal(count_at(v, "error.details.0.fieldViolations"), 2);
    test_request("POST", "/gmail/v1/users/me/labels", headers, 2, "a=%", 3);
    assert_int_equal(test_status, 400);
    v = test_request("POST", "/gmail/v1/users/me/labels", headers, 1, body, 12);
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "name"), "y");
}

static void upload_parameters_belong_to_uploads(void **state)
{
    const struct json *v = gm_get(ADA, 400, "/messages?uploadType=media");
    assert_string_equal(text_at(v, "error.message"),
                        UNKNOWN "\"uploadType\": Cannot bind query parameter. Field 'uploadType' "
                                "could not be found in request message.");
}

static void everything_that_is_wrong_is_reported(void **state)
{
    const struct json *v =
        gm_get(ADA, 400, "/history?historyTypes=labelsRemoved&maxResults=-1&historyTypes=x&y=1");
    assert_string_equal(
        text_at(v, "error.message"),
        "Invalid value at 'history_types' (type.googleapis.com/caribou.api.proto.HistoryTypes), "
        "\"labelsRemoved\"\n"
        "Invalid value at 'max_results' (TYPE_UINT32), \"-1\"\n"
        "Invalid value at 'history_types' (type.googleapis.com/caribou.api.proto.HistoryTypes), "
        "\"x\"\n" UNKNOWN "\"y\": Cannot bind query parameter. Field 'y' could not be found in "
        "request message.");
    assert_int_equal(count_at(v, "error.details.0.fieldViolations"), 4);
    assert_string_equal(text_at(v, "error.details.0.fieldViolations.1.field"), "max_results");
}

static void refuse_body(const char *method, const char *target, const char *body, const char *field,
                        const char *text)
{
    const struct json *v = gm(ADA, method, target, body);
    const char *said = text_at(v, "error.message");
    if (test_status != 400 || !said || strcmp(said, text) != 0)
        fail_msg("%s: %d %s", body, test_status, test_body);
    said = text_at(v, "error.details.0.fieldViolations.0.field");
    if (!field)
        assert_null(said);
    else
        assert_string_equal(said, field);
}

static void unknown_members_are_refused(void **state)
{
    refuse_body("POST", "/messages/send", "{'raw':'','to':'x'}", "message",
                UNKNOWN "\"to\" at 'message': Cannot find field.");
    refuse_body("POST", "/drafts", "{'message':{'raw':'','subject':'x'}}", "draft.message",
                UNKNOWN "\"subject\" at 'draft.message': Cannot find field.");
    refuse_body("POST", "/messages/1/modify", "{'labels':['x']}", NULL,
                UNKNOWN "\"labels\": Cannot find field.");
    refuse_body("POST", "/messages/1/modify", "[]", NULL,
                UNKNOWN "\"\": Root element must be a message.");
    refuse_body("POST", "/messages/send", "{'payload':{'headers':[{'name':'a'},{'nom':'b'}]}}",
                "message.payload.headers[1]",
                UNKNOWN "\"nom\" at 'message.payload.headers[1]': Cannot find field.");
}

static void members_of_other_types_are_refused(void **state)
{
    refuse_body("POST", "/messages/send", "{'raw':'a b'}", "message.raw",
                "Invalid value at 'message.raw' (TYPE_BYTES), Base64 decoding failed for \"a b\"");
    refuse_body("POST", "/messages/send", "{'threadId':5}", "message.thread_id",
                "Invalid value at 'message.thread_id' (TYPE_STRING), 5");
    refuse_body("POST", "/messages/send", "{'raw':['x']}", "message",
                UNKNOWN "\"raw\" at 'message': Proto field is not repeating, cannot start list.");
    refuse_body("POST", "/messages/1/modify", "{'addLabelIds':[true]}", "add_label_ids[0]",
                "Invalid value at 'add_label_ids[0]' (TYPE_STRING), true");
    refuse_body("POST", "/labels", "{'name':'x','labelListVisibility':'no'}",
                "label.label_list_visibility",
                "Invalid value at 'label.label_list_visibility' "
                "(type.googleapis.com/caribou.api.proto.LabelListVisibility), \"no\"");
    refuse_body("POST", "/drafts", "{'message':'x'}", "draft.message",
                "Invalid value at 'draft.message' (type.googleapis.com/caribou.api.proto.Message), "
                "\"x\"");
    refuse_body("POST", "/messages/send", "{'threadId':{}}", "message.thread_id",
                "Invalid value at 'message.thread_id' (TYPE_STRING), Starting an object on a "
                "scalar field");
}

static void a_hundred_faults_are_enough(void **state)
{
    char body[20000] = "{'ids':[";
    for (int i = 0; i < 2000; i++)
        strcat(body, i ? ",1" : "1");
    strcat(body, "]}");
    const struct json *v = gm(ADA, "POST", "/messages/batchDelete", body);
    assert_int_equal(test_status, 400);
    assert_int_equal(count_at(v, "error.details.0.fieldViolations"), 100);
}

static void deep_bodies_are_walked_in_time(void **state)
{
    static char body[200000];
    char *p = body + sprintf(body, "{'payload':");
    for (int i = 0; i < 45; i++)
        p += sprintf(p, "{'parts':[");
    p += sprintf(p, "{'headers':[");
    for (int i = 0; i < 5000; i++)
        p += sprintf(p, "%s{'name':'x','value':'y'}", i ? "," : "");
    p += sprintf(p, "]}");
    for (int i = 0; i < 45; i++)
        p += sprintf(p, "]}");
    sprintf(p, "}");
    gm(ADA, "POST", "/messages/send", body);
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT",
                   "'raw' RFC822 payload message string or uploading message via /upload/* URL "
                   "required");
}

/* ---- partial responses ---- */

static void fields_select_what_is_answered(void **state)
{
    gm_get(ADA, 200, "/profile?fields=emailAddress,historyId");
    assert_answer("{'emailAddress':'ada@acme.example','historyId':'#'}");
    gm_get(ADA, 200, "/labels?fields=labels(id)");
    assert_non_null(strstr(test_body, "\"id\": \"INBOX\""));
    assert_null(strstr(test_body, "name"));
    gm_get(ADA, 400, "/labels?fields=labels(nom)");
}

/* ---- batches and descriptions ---- */

static void batch(const char *path, const char *inner)
{
    struct sosia_header headers[] = {
        {"Content-Type", "multipart/mixed; boundary=b"},
        {"Authorization", ""},
    };
    char token[SOSIA_TOKEN_MAX];
    struct sosia_err err;
    struct sosia_token_options opt = {.actor = ADA};
    assert_int_equal(sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &err),
                     0);
    headers[1].value = gm_text("Bearer %s", token);
    const char *body = gm_text("--b\r\nContent-Type: application/http\r\nContent-ID: <i>\r\n\r\n"
                               "GET %s\r\n\r\n--b--\r\n",
                               inner);
    test_request("POST", path, headers, 2, body, strlen(body));
    assert_int_equal(test_status, 200);
}

static void both_batch_paths_serve(void **state)
{
    batch("/batch/gmail/v1", "/gmail/v1/users/me/profile");
    assert_non_null(strstr(test_body, "Content-ID: <response-i>"));
    assert_non_null(strstr(test_body, "ada@acme.example"));
    batch("/batch", "/gmail/v1/users/me/profile");
    assert_non_null(strstr(test_body, "ada@acme.example"));
    batch("/batch/gmail/v1", "/calendar/v3/users/me/calendarList");
    assert_non_null(strstr(test_body, "HTTP/1.1 404"));
}

static void a_batch_has_a_hundred_calls_at_most(void **state)
{
    static char body[40000];
    char *p = body;
    for (int i = 0; i < 101; i++)
        p +=
            sprintf(p, "--b\r\nContent-Type: application/http\r\n\r\nGET /gmail/v1/users/me/profile"
                       "\r\n\r\n");
    sprintf(p, "--b--\r\n");
    struct sosia_header type = {"Content-Type", "multipart/mixed; boundary=b"};
    test_request("POST", "/batch/gmail/v1", &type, 1, body, strlen(body));
    assert_int_equal(test_status, 400);
    assert_non_null(strstr(test_body, "Received: 101, Limit: 100"));
}

static void the_description_is_that_of_the_api(void **state)
{
    const struct json *v = anonymous("/discovery/v1/apis/gmail/v1/rest");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "id"), "gmail:v1");
    assert_string_equal(text_at(v, "basePath"), "");
    assert_string_equal(text_at(v, "servicePath"), "");
    assert_string_equal(text_at(v, "batchPath"), "batch");
    assert_int_equal(count_at(v, "schemas"), 56);
    v = value_at(v, "resources.users");
    assert_non_null(v);
    assert_string_equal(text_at(v, "methods.getProfile.path"), "gmail/v1/users/{userId}/profile");
    assert_string_equal(text_at(v, "resources.messages.resources.attachments.methods.get.path"),
                        "gmail/v1/users/{userId}/messages/{messageId}/attachments/{id}");
    assert_string_equal(text_at(v, "resources.messages.methods.send.id"),
                        "gmail.users.messages.send");
    v = value_at(v, "resources.messages.methods.import");
    assert_string_equal(text_at(v, "mediaUpload.accept.0"), "message/*");
    assert_string_equal(text_at(v, "mediaUpload.maxSize"), "52428800");
    assert_string_equal(text_at(v, "mediaUpload.protocols.simple.path"),
                        "/upload/gmail/v1/users/{userId}/messages/import");
    assert_string_equal(text_at(v, "mediaUpload.protocols.resumable.path"),
                        "/resumable/upload/gmail/v1/users/{userId}/messages/import");
    assert_string_equal(text_at(v, "parameters.internalDateSource.default"), "dateHeader");
    assert_string_equal(text_at(v, "parameters.userId.default"), "me");
    static const char *const truths[] = {"deleted", "neverMarkSpam", "processForCalendar"};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(text_at(v, gm_text("parameters.%s.default", truths[i])), "false");
}

static void the_description_is_on_the_apis_own_host(void **state)
{
    struct sosia_header host = {"Host", "gmail.googleapis.com"};
    const struct json *v = test_request("GET", "/$discovery/rest?version=v1", &host, 1, "", 0);
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "name"), "gmail");
    v = value_at(v, "resources.users.resources.messages.methods.list.parameters.maxResults");
    assert_string_equal(text_at(v, "format"), "uint32");
    assert_string_equal(text_at(v, "default"), "100");
    assert_null(value_at(v, "maximum"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gm_test(no_credential_is_refused_as_recorded),
        gm_test(an_unknown_id_is_refused_as_recorded),
        gm_test(a_malformed_id_is_refused_as_measured),
        gm_test(errors_are_left_out_when_asked_for),
        gm_test(a_bad_alt_is_refused_before_the_credential),
        gm_test(details_name_the_method_of_the_back_end),
        gm_test(the_mailbox_is_ones_own),
        gm_test(a_service_account_has_no_mailbox),
        gm_test(a_token_without_the_scope_is_refused),
        gm_test(deletion_for_good_wants_the_widest_scope),
        gm_test(metadata_allows_no_queries_and_no_contents),
        gm_test(unknown_parameters_are_refused),
        gm_test(names_may_be_spelled_with_underscores),
        gm_test(enumerations_are_read_as_protobuf_does),
        gm_test(a_form_is_more_of_the_query),
        gm_test(upload_parameters_belong_to_uploads),
        gm_test(everything_that_is_wrong_is_reported),
        gm_test(unknown_members_are_refused),
        gm_test(members_of_other_types_are_refused),
        gm_test(a_hundred_faults_are_enough),
        gm_test(deep_bodies_are_walked_in_time),
        gm_test(fields_select_what_is_answered),
        gm_test(both_batch_paths_serve),
        gm_test(a_batch_has_a_hundred_calls_at_most),
        gm_test(the_description_is_that_of_the_api),
        gm_test(the_description_is_on_the_apis_own_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
