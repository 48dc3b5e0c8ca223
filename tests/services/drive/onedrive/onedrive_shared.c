/* SPDX-License-Identifier: Apache-2.0 */
/* OneDrive: files that come in ranges, deltas, who may open items, search, versions. */
#include "engine/base/codec.h"
#include "engine/replay/look.h"
#include "tests/support/outlook.h"
#include <stdlib.h>

#define UNIT 327680

static const char *keep(const char *text)
{
    assert_non_null(text);
    return arena_strdup(&test_arena, text);
}

static const struct json *put(const char *who, const char *target, const char *text, int status)
{
    ol_type = "text/plain";
    const struct json *v = ol_do(who, "PUT", target, text, status);
    ol_type = NULL;
    return v;
}

static void refused(int status, const char *code, const char *message)
{
    const struct json *v = parsed(test_body, test_len);
    if (test_status != status)
        fail_msg("%d %s", test_status, test_body);
    assert_string_equal(text_at(v, "error.code"), code);
    if (message)
        assert_string_equal(text_at(v, "error.message"), message);
}

/* ---- ranges ---- */

static const struct json *session(const char *method, const char *path, const char *range,
                                  const char *data, size_t n)
{
    const struct sosia_header headers[] = {{"Host", "port-my.sharepoint.com"},
                                           {"Content-Range", range}};
    return test_request(method, path, headers, range ? 2 : 1, data ? data : "", n);
}

static const char *begin(const char *target, const char *body)
{
    const struct json *v = ol_do(BOB, "POST", target, body, 200);
    assert_string_equal(text_at(v, "nextExpectedRanges.0"), "0-");
    return keep(strstr(text_at(v, "uploadUrl"), "/personal/"));
}

static void files_come_in_ranges(void **state)
{
    static char data[2 * UNIT + 10];
    memset(data, 'x', sizeof data);
    const char *path = begin("/drive/root:/big.bin:/createUploadSession",
                             "{'item':{'fileSize':655370,'fileSystemInfo':{'lastModifiedDateTime':"
                             "'2021-02-03T04:05:06Z'}}}");
    const struct json *v = session("PUT", path, "bytes 0-327679/655370", data, UNIT);
    assert_int_equal(test_status, 202);
    assert_string_equal(text_at(v, "nextExpectedRanges.0"), "327680-");
    session("PUT", path, "bytes 0-327679/655370", data, UNIT);
    refused(416, "invalidRange", NULL);
    session("PUT", path, "bytes 655360-655369/655370", data, 10);
    refused(416, "invalidRange", "Uploaded fragment is out of order.");
    session("PUT", path, "bytes 327680-327690/655370", data, 11);
    refused(400, "invalidRequest", "The size of a fragment must be a multiple of 320 KiB.");
    session("PUT", path, "bytes 327680-655359/700000", data, UNIT);
    refused(400, "invalidRequest", NULL);
    v = session("GET", path, NULL, NULL, 0);
    assert_string_equal(text_at(v, "nextExpectedRanges.0"), "327680-");
    v = session("PUT", path, "bytes 327680-655369/655370", data, UNIT + 10);
    assert_int_equal(test_status, 201);
    assert_int_equal(json_get_int(v, "size", 0), 655370);
    assert_string_equal(text_at(v, "fileSystemInfo.lastModifiedDateTime"), "2021-02-03T04:05:06Z");
    session("GET", path, NULL, NULL, 0);
    refused(404, "uploadSessionNotFound", "The upload session was not found");
    /* it is there already: as its conflict behaviour says */
    path = begin("/drive/root:/big.bin:/createUploadSession",
                 "{'item':{'@microsoft.graph.conflictBehavior':'fail'}}");
    session("PUT", path, "bytes 0-9/10", data, 10);
    refused(409, "nameAlreadyExists", NULL);
    v = session("GET", path, NULL, NULL, 0);
    assert_string_equal(text_at(v, "nextExpectedRanges.0"), "0-");
    session("DELETE", path, NULL, NULL, 0);
    assert_int_equal(test_status, 204);
    path = begin("/drive/root:/big.bin:/createUploadSession",
                 "{'item':{'@microsoft.graph.conflictBehavior':'rename'}}");
    v = session("PUT", path, "bytes 0-9/10", data, 10);
    assert_string_equal(text_at(v, "name"), "big 1.bin");
    path = begin("/drive/root:/big.bin:/createUploadSession", "{'deferCommit':true}");
    session("PUT", path, "bytes 0-9/10", data, 10);
    assert_int_equal(test_status, 202);
    v = session("POST", path, NULL, NULL, 0);
    assert_int_equal(test_status, 200);
    assert_int_equal(json_get_int(v, "size", 0), 10);
    path = begin("/drive/root:/late.bin:/createUploadSession", "{}");
    test_advance(901);
    session("PUT", path, "bytes 0-9/10", data, 10);
    refused(404, "uploadSessionNotFound", NULL);
    ol(BOB, "POST", "/drive/root:/huge:/createUploadSession",
       "{'item':{'fileSize':2199023255552}}");
    refused(507, "quotaLimitReached", NULL);
}

/* ---- deltas ---- */

static void a_delta_has_each_change_once(void **state)
{
    const char *a = keep(text_at(put(BOB, "/drive/root:/F/a.txt:/content", "a", 201), "id"));
    const char *b = keep(text_at(put(BOB, "/drive/root:/F/b.txt:/content", "b", 201), "id"));
    const struct json *v = ol_get(BOB, 200, "/drive/root/delta?$top=2");
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.0.name"), "root");
    assert_string_equal(text_at(v, "value.1.name"), "F");
    const char *next = keep(strstr(json_get_str(v, "@odata.nextLink"), "/v1.0"));
    v = ol_get(BOB, 200, "!%s", next);
    assert_string_equal(text_at(v, "value.1.id"), b);
    assert_null(json_get(value_at(v, "value.1"), "@microsoft.graph.downloadUrl"));
    const char *link = keep(strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0"));
    v = ol_get(BOB, 200, "!%s", link);
    assert_int_equal(count_at(v, "value"), 0);
    ol_do(BOB, "DELETE", ol_text("/drive/items/%s", a), NULL, 204);
    ol_do(BOB, "PATCH", ol_text("/drive/items/%s", b), "{'name':'c.txt'}", 200);
    ol_do(BOB, "PATCH", "/drive/root:/F:", "{'name':'G'}", 200);
    v = ol_get(BOB, 200, "!%s", link);
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.0.id"), a);
    assert_string_equal(text_at(v, "value.0.deleted.state"), "deleted");
    assert_non_null(value_at(v, "value.0.file"));
    assert_int_equal(json_get_int(value_at(v, "value.0"), "size", -1), 0);
    assert_string_equal(text_at(v, "value.0.parentReference.id"),
                        text_at(v, "value.1.parentReference.id"));
    assert_string_equal(text_at(v, "value.1.name"), "c.txt");
    v = ol_get(BOB, 200, "!%s", keep(strstr(json_get_str(v, "@odata.nextLink"), "/v1.0")));
    assert_string_equal(text_at(v, "value.0.name"), "G");
    v = ol_get(BOB, 200, "/drive/root/delta(token='latest')");
    assert_int_equal(count_at(v, "value"), 0);
    link = keep(strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0"));
    ol_do(BOB, "POST", ol_text("/drive/items/%s/permanentDelete", b), NULL, 204);
    v = ol_get(BOB, 200, "!%s", link);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), b);
    assert_string_equal(text_at(v, "value.0.deleted.state"), "deleted");
    v = ol_get(BOB, 200, "/drive/root/delta?token=2026-11-23T08:00:00Z");
    assert_true(count_at(v, "value") > 0);
    v = ol_get(BOB, 200, "/drive/root/delta?token=2026-12-23T08:00:00Z");
    assert_int_equal(count_at(v, "value"), 0);
    ol(BOB, "GET", "/drive/root/delta?token=abc", NULL);
    refused(400, "invalidRequest", "Invalid paging token");
    ol(BOB, "GET", "/drive/items/root/delta?$select=id,name", NULL);
    assert_int_equal(test_status, 200);
    ol(BOB, "GET",
       ol_text("/drive/items/%s/delta", keep(text_at(ol_get(BOB, 200, "/drive/root:/G"), "id"))),
       NULL);
    refused(400, "invalidRequest", NULL);
}

static void a_token_that_is_ahead_wants_another_round(void **state)
{
    for (int i = 0; i < 5; i++)
        put(BOB, ol_text("/drive/root:/%d.txt:/content", i), "a", 201);
    const struct json *v = ol_get(BOB, 200, "/drive/root/delta?token=latest");
    const char *link = keep(strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0"));
    test_use(ol_people);
    ol(BOB, "GET", ol_text("!%s", link), NULL);
    refused(410, "resyncRequired", NULL);
    assert_non_null(strstr(test_body, "Upload any local items that the service did not return"));
    link = keep(strstr(test_header("Location"), "/v1.0"));
    v = ol_get(BOB, 200, "!%s", link);
    assert_int_equal(count_at(v, "value"), 1);
    /* one that is too old is of the other kind */
    link = keep(strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0"));
    test_advance(59 * 86400);
    ol_get(BOB, 200, "!%s", link);
    test_advance(2 * 86400);
    ol(BOB, "GET", ol_text("!%s", link), NULL);
    refused(410, "resyncRequired", NULL);
    assert_non_null(strstr(test_body, "Replace any local items with the server's version"));
    v = ol_get(BOB, 200, "!%s", keep(strstr(test_header("Location"), "/v1.0")));
    assert_int_equal(count_at(v, "value"), 1);
}

/* ---- sharing ---- */

static void people_are_invited(void **state)
{
    const struct json *v = put(BOB, "/drive/root:/F/a.txt:/content", "plan", 201);
    const char *a = keep(text_at(v, "id")), *drive = keep(text_at(v, "parentReference.driveId"));
    const char *folder = keep(text_at(v, "parentReference.id"));
    ol(CYD, "GET", ol_text("!/v1.0/drives/%s/items/%s", drive, a), NULL);
    refused(404, "itemNotFound", NULL);
    v = ol_do(BOB, "POST", ol_text("/drive/items/%s/invite", folder),
              "{'recipients':[{'email':'cyd@port.example'}],'roles':['read'],'sendInvitation':"
              "true,'message':'Look.','requireSignIn':true}",
              200);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.roles.0"), "read");
    assert_string_equal(text_at(v, "value.0.grantedToV2.user.email"), CYD);
    const char *id = keep(text_at(v, "value.0.id"));
    assert_string_equal(text_at(ol_get(CYD, 200, "/messages?$top=1"), "value.0.subject"),
                        "Bob shared \"F\" with you");
    ol_get(CYD, 200, "!/v1.0/drives/%s/items/%s", drive, a);
    ol(CYD, "DELETE", ol_text("!/v1.0/drives/%s/items/%s", drive, a), NULL);
    refused(403, "accessDenied", NULL);
    v = ol_get(CYD, 200, "/drive/sharedWithMe");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.remoteItem.id"), folder);
    assert_string_equal(text_at(v, "value.0.remoteItem.parentReference.driveId"), drive);
    /* below the folder it is inherited */
    v = ol_get(BOB, 200, "/drive/items/%s/permissions", a);
    assert_int_equal(count_at(v, "value"), 2);
    ol(BOB, "DELETE", ol_text("/drive/items/%s/permissions/%s", a, id), NULL);
    refused(400, "invalidRequest", "An inherited permission cannot be changed here.");
    v = ol_do(BOB, "PATCH", ol_text("/drive/items/%s/permissions/%s", folder, id),
              "{'roles':['write']}", 200);
    assert_string_equal(text_at(v, "roles.0"), "write");
    v = put(CYD, ol_text("!/v1.0/drives/%s/root:/F/c.txt:/content", drive), "c", 201);
    assert_string_equal(text_at(v, "createdBy.user.email"), CYD);
    ol_do(BOB, "DELETE", ol_text("/drive/items/%s/permissions/%s", folder, id), NULL, 204);
    ol(CYD, "GET", ol_text("!/v1.0/drives/%s/items/%s", drive, a), NULL);
    refused(404, "itemNotFound", NULL);
    ol(BOB, "POST", ol_text("/drive/items/%s/invite", a),
       "{'recipients':[{'email':'cyd@port.example'}],'roles':['sing']}");
    refused(400, "invalidRequest", NULL);
    ol(BOB, "POST", ol_text("/drive/items/%s/invite", a), "{'recipients':[],'roles':['read']}");
    refused(400, "invalidRequest", "The recipients must be there.");
}

static const char *share_of(const char *url)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "u!");
    base64url_add(&b, url, strlen(url), false);
    const char *id = keep(buf_str(&b));
    buf_done(&b);
    return id;
}

static void links_open_items(void **state)
{
    const char *a = keep(text_at(put(BOB, "/drive/root:/a.txt:/content", "plan", 201), "id"));
    const struct json *v = ol_do(BOB, "POST", ol_text("/drive/items/%s/createLink", a),
                                 "{'type':'view','scope':'organization'}", 201);
    const char *url = keep(text_at(v, "link.webUrl"));
    const char *id = keep(text_at(v, "id")), *share = share_of(url);
    assert_string_equal(text_at(v, "shareId"), share);
    assert_true(str_starts(url, "https://port-my.sharepoint.com/:t:/g/personal/bob_port_example/"));
    v = ol_do(BOB, "POST", ol_text("/drive/items/%s/createLink", a),
              "{'type':'view','scope':'organization'}", 200);
    assert_string_equal(text_at(v, "id"), id);
    ol(CYD, "GET", ol_text("!/v1.0/shares/%s/driveItem", share), NULL);
    refused(403, "accessDenied",
            "The sharing link no longer exists, or you do not have permission to access it.");
    ol_prefer = "redeemSharingLinkIfNecessary";
    v = ol_get(CYD, 200, "!/v1.0/shares/%s/driveItem", share);
    assert_string_equal(text_at(v, "id"), a);
    ol_prefer = NULL;
    ol(CYD, "GET", ol_text("!/v1.0/users/" BOB "/drive/items/%s", a), NULL);
    refused(404, "itemNotFound", NULL); /* it was for that request */
    ol_prefer = "redeemSharingLink";
    ol(CYD, "GET", ol_text("!/v1.0/shares/%s/driveItem/content", share), NULL);
    assert_int_equal(test_status, 302);
    ol_prefer = NULL; /* and this is for good, until the link goes */
    ol_get(CYD, 200, "!/v1.0/shares/%s/driveItem", share);
    ol_get(CYD, 200, "!/v1.0/users/" BOB "/drive/items/%s", a);
    ol(CYD, "PATCH", ol_text("!/v1.0/users/" BOB "/drive/items/%s", a), "{'name':'b.txt'}");
    refused(403, "accessDenied", NULL);
    v = ol_get(BOB, 200, "/drive/items/%s/permissions/%s", a, id);
    assert_string_equal(text_at(v, "grantedToIdentitiesV2.0.user.displayName"), "Cyd");
    v = ol_get(CYD, 200, "!/v1.0/shares/%s", share);
    assert_string_equal(text_at(v, "name"), "a.txt");
    ol_prefer = NULL;
    v = ol_get(BOB, 200, "/drive/items/%s", a);
    assert_string_equal(text_at(v, "shared.scope"), "organization");
    ol(CYD, "GET", ol_text("!/v1.0/shares/%sx/driveItem", share), NULL);
    refused(404, "itemNotFound", NULL);
    ol_do(BOB, "DELETE", ol_text("/drive/items/%s/permissions/%s", a, id), NULL, 204);
    ol(CYD, "GET", ol_text("!/v1.0/shares/%s/driveItem", share), NULL);
    refused(404, "itemNotFound", NULL);
    ol(CYD, "GET", ol_text("!/v1.0/users/" BOB "/drive/items/%s", a), NULL);
    refused(404, "itemNotFound", NULL);
    v = ol_do(BOB, "POST", ol_text("/drive/items/%s/createLink", a),
              "{'type':'edit','scope':'anonymous','password':'pw','expirationDateTime':"
              "'2026-11-24T08:00:00Z'}",
              201);
    assert_true(true_at(v, "hasPassword"));
    share = share_of(keep(text_at(v, "link.webUrl")));
    ol(CYD, "GET", ol_text("!/v1.0/shares/%s/driveItem", share), NULL);
    refused(403, "accessDenied", NULL);
    ol(BOB, "POST", ol_text("/drive/items/%s/createLink", a), "{'type':'embed'}");
    refused(400, "invalidRequest", NULL);
}

static const struct json *with_bearer(const char *bearer, const char *target, const char *prefer)
{
    const struct sosia_header headers[] = {
        {"Host", "graph.microsoft.com"}, {"Authorization", bearer}, {"Prefer", prefer}};
    return test_request("GET", target, headers, prefer ? 3 : 2, "", 0);
}

/* What was opened for good is among what is shared, and found, until the link goes. */
static void opened_links_are_among_what_is_shared(void **state)
{
    (void)state;
    const char *a = keep(text_at(put(BOB, "/drive/root:/a.txt:/content", "walrus", 201), "id"));
    const struct json *v = ol_do(BOB, "POST", ol_text("/drive/items/%s/createLink", a),
                                 "{'type':'view','scope':'organization'}", 201);
    const char *id = keep(text_at(v, "id")), *share = share_of(text_at(v, "link.webUrl"));
    v = ol_get(CYD, 200, "/drive/sharedWithMe()");
    assert_int_equal(count_at(v, "value"), 0);
    ol_prefer = "redeemSharingLink";
    ol_get(CYD, 200, "!/v1.0/shares/%s/driveItem", share);
    ol_get(CYD, 200, "!/v1.0/shares/%s/driveItem", share);
    ol_prefer = NULL;
    v = ol_get(CYD, 200, "/drive/sharedWithMe()");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.remoteItem.id"), a);
    assert_string_equal(text_at(v, "value.0.shared.sharedBy.user.displayName"), "Bob");
    v = ol_get(CYD, 200, "/drive/root/search(q='walrus')");
    assert_int_equal(count_at(v, "value"), 0); /* that is of one's own drive */
    v = ol_do(CYD, "POST", "!/v1.0/search/query",
              "{'requests':[{'entityTypes':['driveItem'],'query':{'queryString':'walrus'}}]}", 200);
    assert_string_equal(text_at(v, "value.0.hitsContainers.0.hits.0.hitId"), a);
    v = ol_get(BOB, 200, "/drive/items/%s/permissions/%s", a, id);
    assert_int_equal(count_at(v, "grantedToIdentitiesV2"), 1);
    ol_do(BOB, "DELETE", ol_text("/drive/items/%s/permissions/%s", a, id), NULL, 204);
    v = ol_get(CYD, 200, "/drive/sharedWithMe()");
    assert_int_equal(count_at(v, "value"), 0);
}

/* Where nothing can be written a link is followed all the same, for the request alone. */
static void a_snapshot_follows_links(void **state)
{
    (void)state;
    const char *a = keep(text_at(put(BOB, "/drive/root:/a.txt:/content", "plan", 201), "id"));
    const struct json *v = ol_do(BOB, "POST", ol_text("/drive/items/%s/createLink", a),
                                 "{'type':'view','scope':'organization'}", 201);
    const char *share = share_of(text_at(v, "link.webUrl"));
    const char *target = ol_text("/v1.0/shares/%s/driveItem", share);
    const uint64_t world = test_world;
    char before[65], after[65];
    assert_int_equal(sosia_world_snapshot(test_engine, world, "s", &test_world, &test_err), 0);
    const char *bearer = test_bearer(CYD, NULL);
    assert_int_equal(sosia_world_hash(test_engine, test_world, before, &test_err), 0);
    with_bearer(bearer, target, NULL);
    assert_int_equal(test_status, 403);
    v = with_bearer(bearer, target, "redeemSharingLinkIfNecessary");
    assert_string_equal(text_at(v, "id"), a);
    v = with_bearer(bearer, target, "redeemSharingLink");
    assert_string_equal(text_at(v, "id"), a);
    with_bearer(bearer, ol_text("/v1.0/users/" BOB "/drive/items/%s", a), NULL);
    assert_int_equal(test_status, 404);
    assert_int_equal(sosia_world_hash(test_engine, test_world, after, &test_err), 0);
    assert_string_equal(before, after);
    test_world = world;
}

/* Who looks sees what the link leads to, and can't open it for good. */
static void looking_opens_nothing_for_good(void **state)
{
    (void)state;
    const char *a = keep(text_at(put(BOB, "/drive/root:/a.txt:/content", "plan", 201), "id"));
    const struct json *v = ol_do(BOB, "POST", ol_text("/drive/items/%s/createLink", a),
                                 "{'type':'view','scope':'organization'}", 201);
    const char *target = ol_text("/@graph.microsoft.com/v1.0/shares/%s/driveItem",
                                 share_of(text_at(v, "link.webUrl")));
    static const char *const prefer[] = {"redeemSharingLinkIfNecessary", "redeemSharingLink"};
    for (int i = 0; i < 2; i++) {
        const struct sosia_header header = {"Prefer", prefer[i]};
        const struct sosia_request r = {.method = "GET",
                                        .target = target,
                                        .headers = &header,
                                        .n_headers = 1,
                                        .body = "",
                                        .base_url = "http://localhost:8787"};
        struct sosia_response *seen;
        assert_int_equal(look(test_engine, test_world, LOOK_NOW, CYD, &r, &seen, &test_err), 0);
        assert_int_equal(seen->status, i ? 403 : 200);
        sosia_response_free(seen);
    }
    ol(CYD, "GET", ol_text("!/v1.0/users/" BOB "/drive/items/%s", a), NULL);
    refused(404, "itemNotFound", NULL);
}

/* ---- search and versions ---- */

static void files_are_found_and_have_versions(void **state)
{
    const char *a = keep(text_at(put(BOB, "/drive/root:/a.txt:/content", "walrus", 201), "id"));
    const struct json *v = ol_get(BOB, 200, "/drive/root/search(q='walrus')");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), a);
    v = ol_get(BOB, 200, "/drive/search(q='nothing')");
    assert_int_equal(count_at(v, "value"), 0);
    ol(BOB, "GET", "/drive/root/search(q='')", NULL);
    refused(400, "invalidRequest", NULL);
    put(BOB, "/drive/root:/a.txt:/content", "seal", 200);
    v = ol_get(BOB, 200, "/drive/items/%s/versions", a);
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(text_at(v, "value.0.id"), "2.0");
    assert_int_equal(json_get_int(value_at(v, "value.1"), "size", 0), 6);
    ol(BOB, "GET", ol_text("/drive/items/%s/versions/1.0/content", a), NULL);
    assert_int_equal(test_status, 302);
    const char *at = keep(strstr(test_header("Location"), "/personal/"));
    const struct sosia_header headers[] = {{"Host", "port-my.sharepoint.com"}};
    test_request("GET", at, headers, 1, "", 0);
    assert_string_equal(test_body, "walrus");
    ol_do(BOB, "POST", ol_text("/drive/items/%s/versions/1.0/restoreVersion", a), NULL, 204);
    v = ol_get(BOB, 200, "/drive/items/%s/versions/current", a);
    assert_string_equal(text_at(v, "id"), "3.0");
    v = ol_get(BOB, 200, "/drive/items/%s", a);
    assert_int_equal(json_get_int(v, "size", 0), 6);
    ol_do(BOB, "DELETE", ol_text("/drive/items/%s/versions/2.0", a), NULL, 204);
    ol(BOB, "DELETE", ol_text("/drive/items/%s/versions/3.0", a), NULL);
    refused(400, "invalidRequest", NULL);
    ol(BOB, "GET", ol_text("/drive/items/%s/versions/2.0", a), NULL);
    refused(404, "itemNotFound", NULL);
}

/* ---- subscriptions ---- */

static const struct json *last_message(size_t *ret_n)
{
    const struct json *list = test_outbox();
    *ret_n = list->n;
    assert_true(list->n > 0);
    const char *body = json_get_str(json_get(&list->items[list->n - 1], "payload"), "body");
    return parsed(body, strlen(body));
}

static void a_change_of_a_drive_is_notified(void **state)
{
    size_t n, more;
    test_use(ol_text("%shandshakes: accepted\n", ol_people));
    ol_do(BOB, "POST", "!/v1.0/subscriptions",
          "{'changeType':'updated','notificationUrl':'https://hook.example/a','resource':"
          "'me/drive/root','expirationDateTime':'2026-11-25T08:00:00Z','clientState':'s'}",
          201);
    put(BOB, "/drive/root:/F/a.txt:/content", "a", 201);
    const struct json *v = last_message(&n);
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.resource"), "me/drive/root");
    assert_string_equal(text_at(v, "value.0.changeType"), "updated");
    assert_string_equal(text_at(v, "value.0.clientState"), "s");
    v = value_at(v, "value.0.resourceData");
    assert_string_equal(json_get_str(v, "@odata.type"), "#Microsoft.Graph.DriveItem");
    assert_null(json_get(v, "id"));
    put(CYD, "/drive/root:/a.txt:/content", "a", 201);
    last_message(&more);
    assert_int_equal(more, n);
    ol(BOB, "POST", "!/v1.0/subscriptions",
       "{'changeType':'created','notificationUrl':'https://hook.example/a','resource':"
       "'me/drive/root','expirationDateTime':'2026-11-25T08:00:00Z'}");
    assert_int_equal(test_status, 400);
    ol(CYD, "POST", "!/v1.0/subscriptions",
       "{'changeType':'updated','notificationUrl':'https://hook.example/a','resource':"
       "'users/bob@port.example/drive/root','expirationDateTime':'2026-11-25T08:00:00Z'}");
    assert_int_equal(test_status, 403);
}

static void files_are_followed_and_checked_out(void **state)
{
    ol_do(BOB, "POST", "/drive/root/children", "{'name':'F','folder':{}}", 201);
    ol_type = "text/plain";
    const struct json *v = ol_do(BOB, "PUT", "/drive/root:/a.txt:/content", "one", 201);
    const char *id = arena_strdup(&test_arena, text_at(v, "id"));
    const char *drive = arena_strdup(&test_arena, text_at(v, "parentReference.driveId"));
    ol_do(BOB, "PUT", "/drive/root:/a.txt:/content", "two", 200);
    ol_type = NULL;
    v = ol_get(BOB, 200, "/drive/recent");
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.name"), "a.txt");
    assert_int_equal(count_at(ol_get(BOB, 200, "/drive/following"), "value"), 0);
    v = ol_do(BOB, "POST", ol_text("/drive/items/%s/follow", id), NULL, 200);
    assert_string_equal(text_at(v, "id"), id);
    v = ol_get(BOB, 200, "/drive/following");
    assert_string_equal(text_at(v, "value.0.id"), id);
    ol_do(BOB, "POST", ol_text("/drive/items/%s/unfollow", id), NULL, 204);
    assert_int_equal(count_at(ol_get(BOB, 200, "/drive/following"), "value"), 0);
    v = ol_get(BOB, 200, "/drive/root/children?$filter=name%%20eq%%20'A.TXT'");
    assert_int_equal(count_at(v, "value"), 1);
    v = ol_get(BOB, 200, "/drive/root/children?$filter=folder%%20ne%%20null&$select=name");
    assert_string_equal(text_at(v, "value.0.name"), "F");
    /* who writes may not while another has it out */
    ol_do(BOB, "POST", ol_text("/drive/items/%s/invite", id),
          "{'recipients':[{'email':'" CYD "'}],'roles':['write'],'requireSignIn':true}", 200);
    ol_do(BOB, "POST", ol_text("/drive/items/%s/checkout", id), NULL, 204);
    ol(CYD, "PATCH", ol_text("!/v1.0/drives/%s/items/%s", drive, id), "{'name':'b.txt'}");
    refused(423, "resourceLocked", NULL);
    ol(CYD, "POST", ol_text("!/v1.0/drives/%s/items/%s/checkin", drive, id), "{}");
    refused(423, "resourceLocked", NULL);
    ol(CYD, "POST", ol_text("!/v1.0/drives/%s/items/%s/versions/1.0/restoreVersion", drive, id),
       NULL);
    refused(423, "resourceLocked", NULL);
    ol(CYD, "DELETE", ol_text("!/v1.0/drives/%s/items/%s/versions/1.0", drive, id), NULL);
    refused(423, "resourceLocked", NULL);
    const char *dump = json_to_text(&test_arena, test_dump());
    assert_non_null(strstr(dump, "\"checkedOut\":\"bob@port.example\""));
    test_use(dump);
    assert_string_equal(json_to_text(&test_arena, test_dump()), dump);
    ol_do(BOB, "PATCH", ol_text("/drive/items/%s", id), "{'name':'c.txt'}", 200);
    ol_do(BOB, "POST", ol_text("/drive/items/%s/checkin", id), "{'comment':'done'}", 204);
    ol_do(CYD, "PATCH", ol_text("!/v1.0/drives/%s/items/%s", drive, id), "{'name':'b.txt'}", 200);
    ol(BOB, "POST", ol_text("/drive/items/%s/checkin", id), "{}");
    refused(400, "invalidRequest", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(files_come_in_ranges),
        ol_test(a_delta_has_each_change_once),
        ol_test(a_token_that_is_ahead_wants_another_round),
        ol_test(people_are_invited),
        ol_test(links_open_items),
        ol_test(opened_links_are_among_what_is_shared),
        ol_test(a_snapshot_follows_links),
        ol_test(looking_opens_nothing_for_good),
        ol_test(files_are_found_and_have_versions),
        ol_test(a_change_of_a_drive_is_notified),
        ol_test(files_are_followed_and_checked_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
