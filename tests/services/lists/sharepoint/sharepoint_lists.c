/* SPDX-License-Identifier: Apache-2.0 */
/* Sites, their libraries and lists by Microsoft Graph. */
#include "tests/services/lists/sharepoint/crew.h"

static void sites_are_found_by_those_who_may_see_them(void **state)
{
    const struct json *v = ol_get(BOB, 200, "!/v1.0/sites/port.sharepoint.com:/sites/crew");
    const char *id = keep(text_at(v, "id"));
    assert_string_equal(text_at(v, "displayName"), "Crew site");
    assert_string_equal(text_at(v, "webUrl"), "https://port.sharepoint.com/sites/crew");
    assert_true(str_starts(id, "port.sharepoint.com,"));
    v = ol_get(BOB, 200, "!/v1.0/sites/%s", id);
    assert_string_equal(text_at(v, "name"), "crew");
    v = ol_get(BOB, 200, "!/v1.0/sites/%.36s", id + strlen("port.sharepoint.com,"));
    assert_string_equal(text_at(v, "id"), id);
    v = ol_get(BOB, 200, "!/v1.0/sites/root");
    assert_string_equal(text_at(v, "webUrl"), "https://port.sharepoint.com");
    const char *made = keep(text_at(v, "createdDateTime")); /* as old as the tenant */
    assert_string_equal(text_at(v, "lastModifiedDateTime"), made);
    v = ol_get(BOB, 200, "!/v1.0/organization");
    assert_string_equal(text_at(v, "value.0.createdDateTime"), made);
    assert_false(str_starts(made, "1970"));
    v = ol_get(BOB, 200, "!/v1.0/sites/root/getByPath(path='%%2Fsites%%2Fcrew%%2Fsub')");
    assert_string_equal(text_at(v, "displayName"), "Sub");
    v = ol_get(BOB, 200, "!/v1.0/sites?search=*");
    assert_int_equal(count_at(v, "value"), 3); /* the root, the group's, and the one in it */
    v = ol_get(BOB, 200, "!/v1.0/sites?search=crew%%20su");
    assert_int_equal(count_at(v, "value"), 1);
    v = ol_get(BOB, 200, "!/v1.0/sites");
    assert_int_equal(count_at(v, "value"), 0);
    v = ol_get(BOB, 200, SITE "/sites");
    assert_string_equal(text_at(v, "value.0.displayName"), "Sub");
    ol(BOB, "GET", "!/v1.0/sites/port.sharepoint.com:/sites/other", NULL);
    refused(403, "accessDenied", NULL);
    ol(BOB, "GET", "!/v1.0/sites/port.sharepoint.com:/sites/none", NULL);
    refused(404, "itemNotFound", "Requested site could not be found");
    ol_do(BOB, "POST", "/followedSites/add", ol_text("{'value':[{'id':'%s'}]}", id), 200);
    v = ol_get(BOB, 200, "/followedSites");
    assert_string_equal(text_at(v, "value.0.id"), id);
    ol_do(BOB, "POST", "/followedSites/remove", ol_text("{'value':[{'id':'%s'}]}", id), 204);
    assert_int_equal(count_at(ol_get(BOB, 200, "/followedSites"), "value"), 0);
}

static void a_library_is_a_drive(void **state)
{
    const struct json *v = ol_get(BOB, 200, SITE "/drives");
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.1.name"), "Plans");
    v = ol_get(CYD, 200, SITE "/drive");
    const char *drive = keep(text_at(v, "id"));
    assert_string_equal(text_at(v, "driveType"), "documentLibrary");
    assert_string_equal(text_at(v, "owner.group.email"), "crew@port.example");
    assert_int_equal(strlen(drive), 66);
    v = ol_get(CYD, 200, "!/v1.0/drives/%s/root/children", drive);
    assert_string_equal(text_at(v, "value.0.name"), "Plan.txt");
    assert_string_equal(text_at(v, "value.0.webUrl"),
                        "https://port.sharepoint.com/sites/crew/Shared%20Documents/Plan.txt");
    const char *id = keep(text_at(v, "value.0.id"));
    /* who reads the site doesn't write there, and strangers see nothing */
    ol_type = "text/plain";
    ol(CYD, "PUT", ol_text("!/v1.0/drives/%s/root:/b.txt:/content", drive), "no");
    refused(403, "accessDenied", NULL);
    ol_do(BOB, "PUT", ol_text("!/v1.0/drives/%s/root:/b.txt:/content", drive), "yes", 201);
    ol_type = NULL;
    ol(CYD, "DELETE", ol_text("!/v1.0/drives/%s/items/%s", drive, id), NULL);
    refused(403, "accessDenied", NULL);
    v = ol_get(CYD, 200, "!/v1.0/drives/%s/root:/b.txt", drive);
    assert_string_equal(text_at(v, "createdBy.user.email"), BOB);
    assert_string_equal(text_at(v, "parentReference.driveType"), "documentLibrary");
    v = ol_get(BOB, 200, "!/v1.0/groups?$select=id");
    const char *group = keep(text_at(v, "value.0.id"));
    ol_get(BOB, 302, "!/v1.0/groups/%s/drive/root:/b.txt:/content", group);
    const struct sosia_header host[] = {{"Host", "port.sharepoint.com"}};
    const char *at = keep(strstr(test_header("Location"), "/sites/crew/_layouts"));
    test_request("GET", at, host, 1, "", 0);
    assert_int_equal(test_status, 200);
    assert_string_equal(test_body, "yes");
    v = ol_get(BOB, 200, "!/v1.0/groups/%s/drive/root:/b.txt:/permissions", group);
    assert_string_equal(text_at(v, "value.0.grantedToV2.siteGroup.displayName"),
                        "Crew site Owners");
}

/* What OneDrive does with items, in a library. */
/* Nobody comes to a drive of their own by the path of a site or group that refuses them. */
static void a_refused_site_has_no_drive(void **state)
{
    ol_do(BOB, "GET", "/drive", NULL, 200);
    ol(BOB, "GET", "!/v1.0/sites/port.sharepoint.com:/sites/none:/drive/root/children", NULL);
    refused(404, "itemNotFound", NULL);
    ol(BOB, "GET", "!/v1.0/sites/port.sharepoint.com:/sites/other:/drive/root", NULL);
    refused(403, "accessDenied", NULL);
    ol_type = "text/plain";
    ol(BOB, "PUT", "!/v1.0/groups/none/drive/root:/x.txt:/content", "x");
    ol_type = NULL;
    refused(404, "itemNotFound", NULL);
    assert_int_equal(count_at(ol_get(BOB, 200, "/drive/root/children"), "value"), 0);
}

/* Who reads a site may have more of one of its files. */
static void a_reader_of_a_site_writes_what_is_shared(void **state)
{
    const struct json *v = ol_get(BOB, 200, SITE "/drive/root:/Plan.txt");
    const char *item = ol_text("%s", keep(text_at(v, "id")));
    const char *drive = keep(text_at(v, "parentReference.driveId"));
    const char *target = keep(ol_text("!/v1.0/drives/%s/items/%s", drive, item));
    (void)state;
    ol(CYD, "PATCH", target, "{'description':'x'}");
    refused(403, "accessDenied", NULL);
    ol_do(BOB, "POST", ol_text("%s/invite", target),
          "{'recipients':[{'email':'" CYD "'}],'roles':['write'],'requireSignIn':true}", 200);
    ol_do(CYD, "PATCH", target, "{'description':'x'}", 200);
    ol(CYD, "POST", ol_text("!/v1.0/drives/%s/root/children", drive), "{'name':'F','folder':{}}");
    refused(403, "accessDenied", NULL);
}

static void items_of_a_library_are_followed_copied_and_uploaded(void **state)
{
    const char *drive = keep(text_at(ol_get(BOB, 200, SITE "/drive"), "id"));
    const char *plans = keep(text_at(ol_get(BOB, 200, SITE "/drives"), "value.1.id"));
    const struct json *v = ol_get(BOB, 200, "!/v1.0/drives/%s/root/delta", drive);
    const char *link = keep(strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0"));
    const char *file = keep(text_at(v, "value.1.id"));
    v = ol_do(BOB, "PATCH", ol_text("!/v1.0/drives/%s/items/%s", drive, file),
              "{'name':'Plan 2.txt'}", 200);
    assert_string_equal(text_at(v, "lastModifiedBy.user.email"), BOB);
    v = ol_get(CYD, 200, "!%s", link);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.name"), "Plan 2.txt");
    /* into another library, and into one's own drive */
    ol_do(BOB, "POST", ol_text("!/v1.0/drives/%s/items/%s/copy", drive, file),
          ol_text("{'parentReference':{'driveId':'%s','path':'/drives/%s/root:'}}", plans, plans),
          202);
    v = ol_get(CYD, 200, "!/v1.0/drives/%s/root/children", plans);
    assert_string_equal(text_at(v, "value.0.name"), "Plan 2.txt");
    ol(CYD, "POST", ol_text("!/v1.0/drives/%s/items/%s/copy", drive, file),
       ol_text("{'parentReference':{'driveId':'%s','path':'/drives/%s/root:'},'name':'x.txt'}",
               plans, plans));
    refused(403, "accessDenied", NULL);
    v = ol_do(BOB, "POST", ol_text("!/v1.0/drives/%s/root:/big.txt:/createUploadSession", drive),
              "{}", 200);
    const char *url = keep(strstr(text_at(v, "uploadUrl"), "/sites/crew/_api"));
    const struct sosia_header headers[] = {{"Host", "port.sharepoint.com"},
                                           {"Content-Range", "bytes 0-2/3"}};
    test_request("PUT", url, headers, 2, "abc", 3);
    assert_int_equal(test_status, 201);
    v = ol_get(CYD, 200, "!/v1.0/drives/%s/root:/big.txt", drive);
    assert_string_equal(text_at(v, "createdBy.user.email"), BOB);
    v = ol_get(BOB, 200, "!/v1.0/drives/%s/root/search(q='plan')", drive);
    assert_int_equal(count_at(v, "value"), 1);
    ol_do(BOB, "DELETE", ol_text("!/v1.0/drives/%s/items/%s", drive, file), NULL, 204);
    ol(BOB, "GET", ol_text("!/v1.0/drives/%s/items/%s", drive, file), NULL);
    refused(404, "itemNotFound", NULL);
}

static void items_are_made_and_changed(void **state)
{
    const struct json *v = ol_do(BOB, "POST", JOBS "/items",
                                 "{'fields':{'Title':'New','Tags@odata.type':"
                                 "'Collection(Edm.String)','Tags':['b'],'Web':{'Url':'https://a'},"
                                 "'NextLookupId':'2','Billed':true,'Due':'2026-12-24','Fee':'2'}}",
                                 201);
    assert_string_equal(text_at(v, "id"), "3");
    assert_string_equal(text_at(v, "fields.Status"), "Open"); /* what is usual */
    assert_string_equal(text_at(v, "fields.Due"), "2026-12-24T00:00:00Z");
    assert_string_equal(text_at(v, "fields.NextLookupId"), "2");
    assert_string_equal(text_at(v, "fields.Web.Url"), "https://a");
    assert_string_equal(text_at(v, "createdBy.user.email"), BOB);
    const char *etag = keep(text_at(v, "eTag"));
    const char *person = keep(text_at(v, "fields.AuthorLookupId"));
    v = ol_do(BOB, "PATCH", JOBS "/items/3/fields",
              ol_text("{'OwnerLookupId':%s,'Title':null,'CrewLookupId':['%s']}", person, person),
              200);
    assert_string_equal(text_at(v, "OwnerLookupId"), person);
    assert_string_equal(text_at(v, "Crew.0.LookupValue"), "Bob");
    assert_null(json_get(v, "Title"));
    assert_string_equal(text_at(v, "_UIVersionString"), "2.0");
    ol_if_match = etag;
    ol(BOB, "PATCH", JOBS "/items/3/fields", "{'Title':'x'}");
    refused(412, "resourceModified", NULL);
    ol(BOB, "DELETE", JOBS "/items/3", NULL);
    refused(412, "resourceModified", NULL);
    ol_if_match = NULL;
    v = ol_get(BOB, 200, JOBS "/items/3/versions");
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.1.id"), "1.0");
    assert_string_equal(text_at(v, "value.1.fields.Title"), "New");
    ol_do(BOB, "POST", JOBS "/items/3/versions/1.0/restoreVersion", NULL, 204);
    v = ol_get(BOB, 200, JOBS "/items/3?$expand=fields");
    assert_string_equal(text_at(v, "fields.Title"), "New");
    ol_do(BOB, "DELETE", JOBS "/items/3", NULL, 204);
    ol(BOB, "GET", JOBS "/items/3", NULL);
    refused(404, "itemNotFound", "The resource could not be found.");
    v = ol_do(BOB, "POST", JOBS "/items", "{'fields':{}}", 201);
    assert_string_equal(text_at(v, "id"), "4"); /* numbers are not given twice */
    ol(CYD, "POST", JOBS "/items", "{'fields':{}}");
    refused(403, "accessDenied", NULL);
}

static void filters_want_indexes(void **state)
{
    const struct json *v = ol_get(BOB, 200, JOBS "/items?expand=fields(select=Title,Hours)");
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.0.fields.Title"), "Crane");
    assert_null(value_at(v, "value.0.fields.Status"));
    assert_null(value_at(ol_get(BOB, 200, JOBS "/items"), "value.0.fields"));
    v = ol_get(BOB, 200, JOBS "/items?$filter=fields/Status%%20eq%%20'Done'");
    assert_string_equal(text_at(v, "value.0.id"), "2");
    ol(BOB, "GET", JOBS "/items?$filter=fields/Hours%20gt%204", NULL);
    refused(400, "invalidRequest",
            "Field 'Hours' cannot be referenced in filter or orderby as it is not indexed. Provide "
            "the 'Prefer: HonorNonIndexedQueriesWarningMayFailRandomly' header to allow this, but "
            "be warned that such queries may fail on large lists.");
    ol(BOB, "GET", JOBS "/items?$orderby=fields/Title", NULL);
    refused(400, "invalidRequest", NULL);
    ol(BOB, "GET", JOBS "/items?$filter=webUrl%20eq%20'a'", NULL);
    refused(400, "invalidRequest", "The provided filter statement is not supported");
    ol(BOB, "GET", JOBS "/items?$filter=fields/None%20eq%20'a'", NULL);
    refused(400, "invalidRequest", "Field 'None' is not recognized");
    ol_prefer = "HonorNonIndexedQueriesWarningMayFailRandomly";
    v = ol_get(BOB, 200, JOBS "/items?$filter=fields/Hours%%20gt%%204");
    assert_string_equal(text_at(v, "value.0.id"), "2");
    v = ol_get(BOB, 200, JOBS "/items?$filter=startswith(fields/Title,'cr')");
    assert_string_equal(text_at(v, "value.0.id"), "1");
    v = ol_get(BOB, 200, JOBS "/items?$orderby=fields/Title%%20desc&$top=1");
    assert_string_equal(text_at(v, "value.0.id"), "2");
    const char *next = keep(strstr(json_get_str(v, "@odata.nextLink"), "/v1.0"));
    v = ol_get(BOB, 200, "!%s", next);
    assert_string_equal(text_at(v, "value.0.id"), "1");
    ol_prefer = NULL;
    v = ol_get(BOB, 200, JOBS "/items?$top=1");
    next = keep(strstr(json_get_str(v, "@odata.nextLink"), "/v1.0"));
    v = ol_get(BOB, 200, "!%s", next);
    assert_string_equal(text_at(v, "value.0.id"), "2");
    ol(BOB, "GET", JOBS "/items?$skiptoken=abc", NULL);
    refused(400, "invalidRequest", "Invalid paging token");
}

/* Values of each type for columns of every type: what does not fit is refused and changes nothing.
 */
static void values_have_their_columns_types(void **state)
{
    static const char *const columns[] = {
        "Title", "Status", "Hours",        "Note",  "Fee",  "Due",           "Billed",
        "Tags",  "Web",    "NextLookupId", "Owner", "Crew", "OwnerLookupId", "CrewLookupId"};
    static const struct {
        const char *value;
        const char *fits; /* the columns that take it */
    } values[] = {
        {"'text'", " Title Note "},
        {"'Done'", " Title Status Note "},
        {"'2026-01-02T03:04:05Z'", " Title Note Due "},
        {"12", " Hours Fee "},
        {"'12'", " Title Hours Note Fee "},
        {"1000", " Fee "},
        {"true", " Billed "},
        {"['a']", " Tags "},
        {"['a','z']", " "},
        {"[1]", " "},
        {"{'Url':'https://a'}", " Web "},
        {"{'a':1}", " "},
        {"{}", " "},
        {"1", " Hours Fee NextLookupId "},
        {"99", " Hours Fee "},
        {"[]", " Tags CrewLookupId "},
    };
    int64_t number = 3;
    for (size_t i = 0; i < SOSIA_LEN(values); i++)
        for (size_t k = 0; k < SOSIA_LEN(columns); k++) {
            bool fits = strstr(values[i].fits, ol_text(" %s ", columns[k])) != NULL;
            ol(BOB, "POST", JOBS "/items",
               ol_text("{'fields':{'%s':%s}}", columns[k], values[i].value));
            if (test_status != (fits ? 201 : 400))
                fail_msg("%s = %s: %d %s", columns[k], values[i].value, test_status, test_body);
            if (!fits)
                assert_string_equal(text_at(parsed(test_body, test_len), "error.code"),
                                    "invalidRequest");
            if (fits)
                ol_do(BOB, "DELETE", ol_text(JOBS "/items/%lld", (long long)number++), NULL, 204);
        }
    ol(BOB, "POST", JOBS "/items", "{'fields':{'Code':'a1'}}");
    refused(400, "invalidRequest", NULL); /* it is single */
    ol(BOB, "POST", JOBS "/items", "{'fields':{'Code':'longer'}}");
    refused(400, "invalidRequest", NULL);
    ol(BOB, "POST", JOBS "/items", "{'fields':{'Nope':1}}");
    refused(400, "invalidRequest", "Field 'Nope' is not recognized");
    ol(BOB, "POST", JOBS "/items", "{'fields':{'Created':'2026-01-01'}}");
    refused(400, "invalidRequest", "Field 'Created' is read-only");
    ol(BOB, "POST", JOBS "/items", "{}");
    refused(400, "invalidRequest", "Invalid request");
    assert_int_equal(count_at(ol_get(BOB, 200, JOBS "/items"), "value"), 2);
}

static void lists_and_columns_are_made(void **state)
{
    ol(BOB, "POST", SITE "/lists", "{'name':'Books'}");
    refused(400, "invalidRequest",
            "Cannot define a 'name' for a list as it is assigned by the server. Instead, provide "
            "'displayName'");
    const struct json *v =
        ol_do(BOB, "POST", SITE "/lists",
              "{'displayName':'Books','columns':[{'name':'Author','text':{}},{'name':'Page count',"
              "'number':{'maximum':9000}}],'list':{'template':'genericList'}}",
              201);
    assert_string_equal(text_at(v, "list.template"), "genericList");
    const char *id = keep(text_at(v, "id"));
    ol(BOB, "POST", SITE "/lists", "{'displayName':'books'}");
    refused(409, "nameAlreadyExists", NULL);
    v = ol_get(BOB, 200, SITE "/lists/%s/columns", id);
    assert_string_equal(text_at(v, "value.0.name"), "Title");
    assert_string_equal(text_at(v, "value.2.name"), "Page_x0020_count");
    assert_string_equal(text_at(v, "value.2.displayName"), "Page count");
    v = ol_do(BOB, "POST", ol_text(SITE "/lists/%s/columns", id),
              "{'name':'Kind','choice':{'choices':['a','b']},'indexed':true}", 201);
    assert_string_equal(text_at(v, "choice.displayAs"), "dropDownMenu");
    const char *column = keep(text_at(v, "id"));
    ol(BOB, "POST", ol_text(SITE "/lists/%s/columns", id), "{'name':'Kind','text':{}}");
    refused(409, "nameAlreadyExists", NULL);
    ol(BOB, "POST", ol_text(SITE "/lists/%s/columns", id), "{'name':'Two','text':{},'number':{}}");
    refused(400, "invalidRequest", NULL);
    ol(BOB, "POST", ol_text(SITE "/lists/%s/columns", id),
       "{'name':'Note','text':{'allowMultipleLines':true},'indexed':true}");
    refused(400, "invalidRequest", NULL);
    ol_do(BOB, "POST", ol_text(SITE "/lists/%s/items", id), "{'fields':{'Kind':'a'}}", 201);
    v = ol_do(BOB, "PATCH", ol_text(SITE "/lists/%s/columns/%s", id, column),
              "{'displayName':'Sort','required':true,'choice':{'choices':['c']}}", 200);
    assert_string_equal(text_at(v, "displayName"), "Sort");
    ol(BOB, "PATCH", ol_text(SITE "/lists/%s/columns/%s", id, column), "{'displayName':''}");
    refused(400, "invalidRequest", NULL);
    v = ol_get(BOB, 200, SITE "/lists/%s/items/1/fields", id);
    assert_string_equal(text_at(v, "Kind"), "a"); /* it was there before */
    ol(BOB, "POST", ol_text(SITE "/lists/%s/items", id), "{'fields':{'Title':'x'}}");
    refused(400, "invalidRequest", NULL); /* it is required now */
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
    ol_do(BOB, "DELETE", ol_text(SITE "/lists/%s/columns/Kind", id), NULL, 204);
    v = ol_get(BOB, 200, SITE "/lists/%s/items/1/fields", id);
    assert_null(json_get(v, "Kind"));
    v = ol_get(BOB, 200, SITE "/lists?$filter=displayName%%20eq%%20'Books'");
    assert_int_equal(count_at(v, "value"), 1);
    ol(BOB, "GET", SITE "/lists?$filter=name%20eq%20'Books'", NULL);
    refused(400, "invalidRequest", "The provided filter statement is not supported");
    ol_do(BOB, "DELETE", ol_text(SITE "/lists/%s", id), NULL, 204);
    ol(BOB, "GET", ol_text(SITE "/lists/%s", id), NULL);
    refused(404, "itemNotFound", "The specified list was not found");
    v = ol_do(BOB, "POST", SITE "/lists",
              "{'displayName':'Papers','list':{'template':'documentLibrary'}}", 201);
    v = ol_get(BOB, 200, SITE "/lists/Papers");
    assert_string_equal(text_at(v, "list.template"), "documentLibrary");
    v = ol_get(BOB, 200, "!/v1.0/sites/%s/lists/Papers/drive",
               keep(text_at(v, "parentReference.siteId")));
    v = ol_get(BOB, 200, "!/v1.0/drives/%s/root/children", keep(text_at(v, "id")));
    assert_int_equal(count_at(v, "value"), 0);
}

/* What is unique is compared as it is stored. */
static void a_value_is_there_once(void **state)
{
    static const char *const columns[] = {
        "{'name':'Nr','number':{},'indexed':true,'enforceUniqueValues':true}",
        "{'name':'Day','dateTime':{},'indexed':true,'enforceUniqueValues':true}"};
    static const char *const taken[] = {"{'fields':{'Nr':'5'}}", "{'fields':{'Nr':5.0}}",
                                        "{'fields':{'Day':'2026-12-01'}}",
                                        "{'fields':{'Code':'A1'}}"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(columns); i++)
        ol_do(BOB, "POST", JOBS "/columns", columns[i], 201);
    ol_do(BOB, "POST", JOBS "/items", "{'fields':{'Nr':5,'Day':'2026-12-01T01:00:00+01:00'}}", 201);
    for (size_t i = 0; i < SOSIA_LEN(taken); i++) {
        ol(BOB, "POST", JOBS "/items", taken[i]);
        refused(400, "invalidRequest", NULL);
    }
    ol_do(BOB, "PATCH", JOBS "/items/3/fields", "{'Nr':'5'}", 200);
    ol_do(BOB, "POST", JOBS "/items", "{'fields':{'Nr':6,'Day':'2026-12-02','Code':'b1'}}", 201);
}

/* A default is a value of its column, or the column is refused. */
static void defaults_fit_their_columns(void **state)
{
    static const char *const bad[] = {
        "{'name':'A','number':{},'defaultValue':{'value':'abc'}}",
        "{'name':'A','dateTime':{},'defaultValue':{'value':'soon'}}",
        "{'name':'A','choice':{'choices':['x']},'defaultValue':{'value':'y'}}",
        "{'name':'A','choice':{'choices':['x'],'displayAs':'checkBoxes'},'defaultValue':{'value':"
        "'y'}}",
        "{'name':'A','number':{'maximum':3},'defaultValue':{'value':'4'}}"};
    static const char *const good[] = {
        "{'name':'A','number':{},'defaultValue':{'value':'4'}}",
        "{'name':'B','dateTime':{},'defaultValue':{'value':'[today]'}}",
        "{'name':'C','choice':{'choices':['x'],'displayAs':'checkBoxes'},'defaultValue':{'value':"
        "'x'}}",
        "{'name':'D','choice':{'choices':['x']},'defaultValue':{'value':'x'}}"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        ol(BOB, "POST", JOBS "/columns", bad[i]);
        refused(400, "invalidRequest", NULL);
    }
    for (size_t i = 0; i < SOSIA_LEN(good); i++)
        ol_do(BOB, "POST", JOBS "/columns", good[i], 201);
    /* choices that are not there any more stay the default */
    ol_do(BOB, "PATCH", JOBS "/columns/D", "{'choice':{'choices':['z']}}", 200);
    ol_do(BOB, "POST", JOBS "/items", "{'fields':{'Title':'a'}}", 201);
    const struct json *v = ol_get(BOB, 200, JOBS "/items/3/fields");
    assert_int_equal(json_get_int(v, "A", 0), 4);
    assert_string_equal(text_at(v, "B"), "2026-11-23T00:00:00Z");
    assert_string_equal(text_at(v, "C.0"), "x");
    assert_string_equal(text_at(v, "D"), "x");
}

static void a_list_has_so_many_columns(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 1 << 20);
    buf_puts(&b, "{'displayName':'Wide','columns':[");
    for (int i = 1; i < 500; i++) /* Title is one */
        buf_printf(&b, "%s{'name':'C%d','number':{}}", i > 1 ? "," : "", i);
    buf_puts(&b, "]}");
    ol_do(BOB, "POST", SITE "/lists", buf_str(&b), 201);
    buf_done(&b);
    ol(BOB, "POST", SITE "/lists/Wide/columns", "{'name':'Last','number':{}}");
    refused(400, "invalidRequest", NULL);
}

/* Neither people of another tenant nor lists of another site are to be had by their numbers. */
static void columns_stay_in_their_site(void **state)
{
    static const char head[] =
        "sosia: 1\n"
        "organizations: [{domain: port.example, name: Port}, {domain: far.example, name: Far}]\n"
        "people:\n"
        "  - {email: bob@port.example, name: Bob}\n"
        "  - {email: cyd@port.example, name: Cyd}\n"
        "  - {email: dan@far.example, name: Dan}\n"
        "accounts:\n"
        "  - {actor: bob@port.example, vendor: microsoft}\n"
        "  - {actor: cyd@port.example, vendor: microsoft}\n"
        "  - {actor: dan@far.example, vendor: microsoft}\n";
    static const char secret[] = "  - {place: /sites/other, name: Secret, id: "
                                 "21111111-2222-4333-8444-555555555555}\n";
    const char *rest = strstr(sites, "listItems:");
    (void)state;
    test_use(ol_text("%s%.*s%s%s", head, (int)(rest - sites), sites, secret, rest));
    ol_do(BOB, "PATCH", JOBS "/items/1/fields", "{'CrewLookupId':[6,7]}", 200);
    ol(BOB, "PATCH", JOBS "/items/1/fields", "{'CrewLookupId':[6,7,8]}");
    refused(400, "invalidRequest", NULL);
    ol(BOB, "POST", JOBS "/columns",
       "{'name':'Far','lookup':{'listId':'21111111-2222-4333-8444-555555555555'}}");
    refused(400, "invalidRequest", NULL);
    ol_do(BOB, "POST", JOBS "/columns", "{'name':'Near','lookup':{'listId':'" KEY "'}}", 201);
}

static void versions_and_expanded_items_have_pages(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++)
        ol_do(BOB, "PATCH", JOBS "/items/1/fields", ol_text("{'Hours':%d}", 10 + i), 200);
    const struct json *v = ol_get(BOB, 200, JOBS "/items/1/versions?$top=2");
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.0.id"), "5.0");
    v = ol_get(BOB, 200, "!%s", keep(strstr(json_get_str(v, "@odata.nextLink"), "/v1.0")));
    assert_string_equal(text_at(v, "value.0.id"), "3.0");
    v = ol_get(BOB, 200, "!%s", keep(strstr(json_get_str(v, "@odata.nextLink"), "/v1.0")));
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), "1.0");
    assert_null(json_get(v, "@odata.nextLink"));
    ol(BOB, "GET", JOBS "/items/1/versions?$skiptoken=none", NULL);
    refused(400, "invalidRequest", NULL);
    v = ol_get(BOB, 200, JOBS "?$expand=items($expand=fields;$top=1)");
    assert_int_equal(count_at(v, "items"), 1);
    v = ol_get(BOB, 200, "!%s", keep(strstr(json_get_str(v, "items@odata.nextLink"), "/v1.0")));
    assert_string_equal(text_at(v, "value.0.fields.Title"), "Dock");
}

static void apps_follow_changes_of_sites(void **state)
{
    (void)state;
    use_app("Sites.ReadWrite.All Sites.Manage.All");
    const struct json *v;
    test_advance(10); /* what changed in the instant of a call comes again */
    with_scopes(NULL, NULL, "GET", "/v1.0/sites/delta?$top=3&$select=id,displayName", NULL);
    v = parsed(test_body, test_len);
    assert_int_equal(count_at(v, "value"), 3);
    with_scopes(NULL, NULL, "GET", keep(strstr(json_get_str(v, "@odata.nextLink"), "/v1.0")), NULL);
    v = parsed(test_body, test_len);
    assert_int_equal(count_at(v, "value"), 1);
    const char *link = keep(strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0"));
    test_advance(10);
    with_scopes(NULL, NULL, "GET", link, NULL);
    v = parsed(test_body, test_len);
    assert_int_equal(count_at(v, "value"), 0);
    link = keep(strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0"));
    with_scopes(NULL, NULL, "POST", "/v1.0/sites/port.sharepoint.com:/sites/other:/lists",
                "{\"displayName\":\"x\"}");
    assert_int_equal(test_status, 201);
    with_scopes(NULL, NULL, "GET", link, NULL);
    v = parsed(test_body, test_len);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.displayName"), "Other");
    with_scopes(NULL, NULL, "GET", "/v1.0/sites/delta?token=latest", NULL);
    v = parsed(test_body, test_len);
    assert_int_equal(count_at(v, "value"), 0);
    with_scopes(NULL, NULL, "GET", "/v1.0/sites/delta?token=none", NULL);
    refused(400, "invalidRequest", NULL);
    ol(BOB, "GET", "!/v1.0/sites/delta", NULL);
    refused(403, "accessDenied", NULL);
    use_app("Sites.Read.All"); /* another world, at its beginning */
    with_scopes(NULL, NULL, "GET", link, NULL);
    refused(410, "resyncRequired", NULL);
}

static void another_list_ends_no_delta(void **state)
{
    (void)state;
    const struct json *v = ol_do(BOB, "POST", SITE "/lists", "{'displayName':'Books'}", 201);
    const char *id = keep(text_at(v, "id"));
    ol_do(BOB, "POST", ol_text(SITE "/lists/%s/items", id), "{'fields':{'Title':'a'}}", 201);
    v = ol_get(BOB, 200, JOBS "/items/delta");
    const char *link = keep(strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0"));
    ol_do(BOB, "DELETE", ol_text(SITE "/lists/%s", id), NULL, 204);
    assert_int_equal(count_at(ol_get(BOB, 200, "!%s", link), "value"), 0);
}

static void changes_of_a_list_are_followed(void **state)
{
    const struct json *v = ol_get(BOB, 200, JOBS "/items/delta?$top=1");
    assert_int_equal(count_at(v, "value"), 1);
    const char *link = keep(strstr(json_get_str(v, "@odata.nextLink"), "/v1.0"));
    v = ol_get(BOB, 200, "!%s", link);
    assert_string_equal(text_at(v, "value.0.id"), "2");
    link = keep(strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0"));
    assert_int_equal(count_at(ol_get(BOB, 200, "!%s", link), "value"), 0);
    ol_do(BOB, "POST", JOBS "/items", "{'fields':{'Title':'c'}}", 201);
    ol_do(BOB, "PATCH", JOBS "/items/1/fields", "{'Hours':1}", 200);
    ol_do(BOB, "DELETE", JOBS "/items/2", NULL, 204);
    v = ol_get(BOB, 200, "!%s", link);
    static const char *const ids[] = {"3", "1", "2"};
    for (size_t i = 0; i < SOSIA_LEN(ids); i++) { /* pages of one */
        assert_int_equal(count_at(v, "value"), 1);
        assert_string_equal(text_at(v, "value.0.id"), ids[i]);
        if (i == 2)
            assert_string_equal(text_at(v, "value.0.deleted.state"), "deleted");
        const char *next = json_get_str(v, "@odata.nextLink");
        assert_int_equal(!next, i == 2);
        if (next)
            v = ol_get(BOB, 200, "!%s", keep(strstr(next, "/v1.0")));
    }
    ol(BOB, "GET", JOBS "/items/delta?token=abc", NULL);
    refused(400, "invalidRequest", "Invalid paging token");
    v = ol_get(BOB, 200, JOBS "/items/delta?token=latest");
    assert_int_equal(count_at(v, "value"), 0);
}

static void pages_are_drafts_until_they_are_published(void **state)
{
    const struct json *v =
        ol_do(BOB, "POST", SITE "/pages",
              "{'@odata.type':'#microsoft.graph.sitePage','name':'plan.aspx','title':'Plan',"
              "'pageLayout':'article','canvasLayout':{'horizontalSections':[{'layout':'oneColumn',"
              "'id':'1','columns':[{'id':'1','width':12,'webparts':[{'@odata.type':"
              "'#microsoft.graph.textWebPart','innerHtml':'<p>hi</p>'}]}]}]}}",
              201);
    const char *id = keep(text_at(v, "id"));
    assert_string_equal(text_at(v, "publishingState.level"), "checkout");
    assert_string_equal(text_at(v, "publishingState.versionId"), "0.1");
    assert_int_equal(count_at(ol_get(CYD, 200, SITE "/pages"), "value"), 0);
    assert_int_equal(count_at(ol_get(BOB, 200, SITE "/pages"), "value"), 1);
    ol(BOB, "POST", SITE "/pages", "{'name':'Plan.aspx','title':'x'}");
    refused(409, "nameAlreadyExists", NULL);
    ol(BOB, "POST", SITE "/pages", "{'name':'a/b.aspx','title':'x'}");
    refused(400, "invalidRequest", NULL);
    ol(CYD, "POST", SITE "/pages", "{'name':'a.aspx','title':'x'}");
    refused(403, "accessDenied", NULL);
    ol_do(BOB, "POST", ol_text(SITE "/pages/%s/microsoft.graph.sitePage/publish", id), NULL, 204);
    v = ol_get(CYD, 200, SITE "/pages/microsoft.graph.sitePage");
    assert_string_equal(text_at(v, "value.0.publishingState.versionId"), "1.0");
    assert_null(json_get(value_at(v, "value.0"), "@odata.type"));
    v = ol_do(BOB, "PATCH", ol_text(SITE "/pages/%s/microsoft.graph.sitePage", id),
              "{'title':'Plans'}", 200);
    assert_string_equal(text_at(v, "publishingState.versionId"), "1.1");
    v = ol_get(BOB, 200, SITE "/pages/%s/microsoft.graph.sitePage?$expand=canvasLayout", id);
    assert_string_equal(
        text_at(v, "canvasLayout.horizontalSections.0.columns.0.webparts.0.innerHtml"),
        "<p>hi</p>");
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
    ol_do(BOB, "DELETE", ol_text(SITE "/pages/%s", id), NULL, 204);
    ol(BOB, "GET", ol_text(SITE "/pages/%s", id), NULL);
    refused(404, "itemNotFound", "Item not found");
}

static void ids_of_documents_may_have_capitals(void **state)
{
    (void)state;
    test_use(ol_text(
        "%smicrosoftTenants: [{domain: port.example, name: Port}]\n"
        "microsoftSites: [{path: /sites/crew, everyone: write}]\n"
        "lists: [{place: /sites/crew, name: Jobs, id: AAAAAAAA-2222-4333-8444-555555555555, "
        "columns: [{name: Sum, type: number, id: BBBBBBBB-2222-4333-8444-555555555555}]}]\n"
        "listItems: [{list: AAAAAAAA-2222-4333-8444-555555555555, id: "
        "CCCCCCCC-2222-4333-8444-555555555555, values: {Sum: 1}}]\n",
        ol_people));
    const struct json *v = ol_get(BOB, 200, SITE "/lists/AAAAAAAA-2222-4333-8444-555555555555");
    assert_string_equal(text_at(v, "id"), "aaaaaaaa-2222-4333-8444-555555555555");
    ol_get(BOB, 200, JOBS "/columns/BBBBBBBB-2222-4333-8444-555555555555");
    ol_get(BOB, 200, JOBS "/items/CCCCCCCC-2222-4333-8444-555555555555");
}

static void a_dump_is_the_same_world(void **state)
{
    ol_do(BOB, "POST", JOBS "/items", "{'fields':{'Title':'c'}}", 201);
    ol_do(BOB, "PATCH", JOBS "/items/3/fields", "{'Title':'d'}", 200);
    /* values from before a column has one or several stay */
    ol_do(BOB, "PATCH", JOBS "/columns/Owner", "{'personOrGroup':{'allowMultipleSelection':true}}",
          200);
    ol_do(BOB, "PATCH", JOBS "/items/2/fields", "{'CrewLookupId':[6,7]}", 200);
    ol_do(BOB, "PATCH", JOBS "/columns/Crew", "{'personOrGroup':{'allowMultipleSelection':false}}",
          200);
    const char *dump = json_to_text(&test_arena, test_dump());
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
    const struct json *v = ol_get(BOB, 200, JOBS "/items/3/versions");
    assert_string_equal(text_at(v, "value.1.fields.Title"), "c");
    v = ol_get(BOB, 200, SITE "/drive/root:/Plan.txt");
    assert_int_equal(json_get_int(v, "size", 0), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        site_test(sites_are_found_by_those_who_may_see_them),
        site_test(a_library_is_a_drive),
        site_test(a_refused_site_has_no_drive),
        site_test(a_reader_of_a_site_writes_what_is_shared),
        site_test(items_of_a_library_are_followed_copied_and_uploaded),
        site_test(items_are_made_and_changed),
        site_test(filters_want_indexes),
        site_test(values_have_their_columns_types),
        site_test(lists_and_columns_are_made),
        site_test(a_value_is_there_once),
        site_test(defaults_fit_their_columns),
        site_test(a_list_has_so_many_columns),
        site_test(columns_stay_in_their_site),
        site_test(versions_and_expanded_items_have_pages),
        site_test(apps_follow_changes_of_sites),
        site_test(another_list_ends_no_delta),
        site_test(changes_of_a_list_are_followed),
        site_test(pages_are_drafts_until_they_are_published),
        site_test(ids_of_documents_may_have_capitals),
        site_test(a_dump_is_the_same_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
