/* SPDX-License-Identifier: Apache-2.0 */
/* OneDrive: thumbnails, previews, items by an address, people of links, files that are given up. */
#include "engine/base/codec.h"
#include "tests/support/outlook.h"

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

static void refused(int status, const char *code)
{
    if (test_status != status)
        fail_msg("%d %s", test_status, test_body);
    assert_string_equal(text_at(parsed(test_body, test_len), "error.code"), code);
}

/* A file in Bob's drive that says it is a picture of 1600 by 400 points. */
static const char *picture(void)
{
    static const char head[] =
        "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x06\x40\0\0\x01\x90\x08\x06\0\0\0";
    test_use(ol_text("%sfiles:\n  - {name: crane.png, owner: %s, vendor: microsoft, id: "
                     "01JLIFA4JDVRD6NDFI4O5444YN3F6ZIRVM, base64: %s}\n",
                     ol_people, BOB, base64_text(&test_arena, NULL, head, sizeof head - 1)));
    return "01JLIFA4JDVRD6NDFI4O5444YN3F6ZIRVM";
}

static void get_anonymously(const char *url, int status)
{
    const struct sosia_header headers[] = {{"Host", "port-my.sharepoint.com"}};
    test_request("GET", strstr(url, "/personal/"), headers, 1, "", 0);
    if (test_status != status)
        fail_msg("%d %s", test_status, test_body);
}

static void pictures_have_thumbnails(void **state)
{
    const char *id = picture();
    const struct json *v = ol_get(BOB, 200, "/drive/items/%s/thumbnails", id);
    assert_int_equal(count_at(v, "value"), 1);
    v = value_at(v, "value.0");
    assert_string_equal(text_at(v, "id"), "0");
    assert_int_equal(json_get_int(value_at(v, "large"), "width", 0), 800);
    assert_int_equal(json_get_int(value_at(v, "large"), "height", 0), 200);
    assert_int_equal(json_get_int(value_at(v, "medium"), "height", 0), 44);
    assert_int_equal(json_get_int(value_at(v, "small"), "height", 0), 24);
    get_anonymously(keep(text_at(v, "small.url")), 200);
    assert_string_equal(test_header("Content-Type"), "image/png");
    test_made_up = true; /* no type has such members */
    v = ol_get(BOB, 200, "/drive/items/%s/thumbnails?select=c300x400_crop,c320x320", id);
    test_made_up = false;
    assert_null(value_at(v, "value.0.large"));
    assert_int_equal(json_get_int(value_at(v, "value.0.c300x400_crop"), "width", 0), 300);
    assert_int_equal(json_get_int(value_at(v, "value.0.c320x320"), "height", 0), 80);
    ol_get(BOB, 400, "/drive/items/%s/thumbnails?select=c%%205x%%205", id);
    ol_get(BOB, 404, "/drive/items/%s/thumbnails/0/c+5x5", id);
    v = ol_get(BOB, 200, "/drive/items/%s/thumbnails?select=small,small", id);
    assert_int_equal(value_at(v, "value.0")->n, 2); /* and the id */
    v = ol_get(BOB, 200, "/drive/items/%s/thumbnails/0/medium", id);
    assert_int_equal(json_get_int(v, "width", 0), 176);
    ol(BOB, "GET", ol_text("/drive/items/%s/thumbnails/0/medium/content", id), NULL);
    assert_int_equal(test_status, 302);
    get_anonymously(keep(test_header("Location")), 200);
    v = ol_get(BOB, 200, "/drive/root/children?$expand=thumbnails($select=small)");
    assert_int_equal(json_get_int(value_at(v, "value.0.thumbnails.0.small"), "width", 0), 96);
    assert_null(value_at(v, "value.0.thumbnails.0.large"));
    assert_int_equal(json_get_int(value_at(v, "value.0.image"), "width", 0), 1600);
    ol_get(BOB, 404, "/drive/items/%s/thumbnails/1", id);
    ol_get(BOB, 404, "/drive/items/%s/thumbnails/0/c0x9", id);
    /* what is none has none */
    put(BOB, "/drive/root:/a.txt:/content", "hello", 201);
    v = ol_get(BOB, 200, "/drive/root:/a.txt:/thumbnails");
    assert_int_equal(count_at(v, "value"), 0);
    ol_get(BOB, 404, "/drive/root:/a.txt:/thumbnails/0");
}

static void files_are_shown_at_an_address(void **state)
{
    put(BOB, "/drive/root:/a.txt:/content", "hello", 201);
    put(BOB, "/drive/root:/a.md:/content", "# Head", 201);
    put(BOB, "/drive/root:/a.bin:/content", "x", 201);
    const struct json *v = ol_do(BOB, "POST", "/drive/root:/a.txt:/preview", "{}", 200);
    get_anonymously(keep(text_at(v, "getUrl")), 200);
    assert_string_equal(test_body, "hello");
    assert_string_equal(test_header("Content-Disposition"), "");
    v = ol_do(BOB, "POST", "/drive/root:/a.md:/preview", "{'page':1,'zoom':2}", 200);
    const char *url = keep(text_at(v, "getUrl"));
    get_anonymously(url, 200);
    assert_string_equal(test_header("Content-Type"), "application/pdf");
    v = ol_do(BOB, "POST", "/drive/root:/a.bin:/preview", NULL, 200);
    get_anonymously(keep(text_at(v, "getUrl")), 200);
    assert_non_null(strstr(test_header("Content-Disposition"), "attachment"));
    /* the address is of that page, and for an hour */
    char *forged = arena_strdup(&test_arena, url);
    memcpy(strstr(forged, "Translate=preview"), "Translate=xxxview", 17);
    get_anonymously(forged, 403);
    test_advance(3601);
    get_anonymously(url, 403);
    ol(BOB, "POST", "/drive/root/preview", "{}");
    refused(400, "invalidRequest");
    ol(CYD, "POST", "!/v1.0/users/" BOB "/drive/root:/a.txt:/preview", "{}");
    assert_true(test_status == 403 || test_status == 404);
}

/* u! and an address. */
static const char *share(const char *url)
{
    struct buf b;
    buf_init(&b, 0);
    base64url_add(&b, url, strlen(url), false);
    const char *text = ol_text("u!%s", buf_str(&b));
    buf_done(&b);
    return keep(text);
}

static void items_are_found_by_their_address(void **state)
{
    const struct json *v = put(BOB, "/drive/root:/Plans/a%20b.txt:/content", "hello", 201);
    const char *id = keep(text_at(v, "id")), *url = keep(text_at(v, "webUrl"));
    v = ol_get(BOB, 200, "!/v1.0/shares/%s/driveItem", share(url));
    assert_string_equal(text_at(v, "id"), id);
    v = ol_get(BOB, 200, "!/v1.0/shares/%s/driveItem",
               share("https://port-my.sharepoint.com/personal/BOB_port_example/Documents/plans"));
    assert_string_equal(text_at(v, "name"), "Plans");
    v = ol_get(
        BOB, 200, "!/v1.0/shares/%s/driveItem/children",
        share("https://port-my.sharepoint.com/personal/bob_port_example/Documents/plans?web=1"));
    assert_string_equal(text_at(v, "value.0.name"), "a b.txt");
    static const char *const none[] = {
        "https://port-my.sharepoint.com/personal/%25/Documents/plans",
        "https://port-my.sharepoint.com/personal/bob_port_example/Documents/none.txt",
        "https://other-my.sharepoint.com/personal/bob_port_example/Documents/plans",
        "https://port-my.sharepoint.com/personal/bob_port_exampl_/Documents/plans%00",
        "https://port-my.sharepoint.com/personal/_ob_port_example/Documents/plans",
        "https://port-my.sharepoint.com/personal/________________/Documents/plans",
        "https://port.sharepoint.com/sites/none/Documents/x",
        "https://port.sharepoint.com",
        "http://",
        "",
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        ol(BOB, "GET", ol_text("!/v1.0/shares/%s/driveItem", share(none[i])), NULL);
        if (test_status != 404 && test_status != 400 && test_status != 403)
            fail_msg("%s: %d %s", none[i], test_status, test_body);
    }
    /* who has no right sees nothing of it */
    ol_get(CYD, 404, "!/v1.0/shares/%s/driveItem", share(url));
    ol_do(BOB, "POST", ol_text("/drive/items/%s/invite", id),
          "{'recipients':[{'email':'" CYD "'}],'roles':['read'],'requireSignIn':true}", 200);
    v = ol_get(CYD, 200, "!/v1.0/shares/%s/driveItem", share(url));
    assert_string_equal(text_at(v, "id"), id);
}

static void people_are_let_use_a_link(void **state)
{
    const char *id = keep(text_at(put(BOB, "/drive/root:/a.txt:/content", "hello", 201), "id"));
    const struct json *v =
        ol_do(BOB, "POST", ol_text("/drive/items/%s/createLink", id),
              "{'type':'view','scope':'users','recipients':[{'email':'" ADA "'}]}", 201);
    const char *link = keep(text_at(v, "id")), *url = keep(text_at(v, "link.webUrl"));
    ol(CYD, "GET", ol_text("!/v1.0/shares/%s/driveItem", share(url)), NULL);
    assert_true(test_status >= 400);
    const char *grant = ol_text("/drive/items/%s/permissions/%s/grant", id, link);
    grant = keep(grant);
    v = ol_do(BOB, "POST", grant, "{'recipients':[{'email':'" CYD "'}],'roles':['read']}", 200);
    assert_string_equal(text_at(v, "value.0.id"), link);
    assert_int_equal(count_at(v, "value.0.grantedToIdentitiesV2"), 2);
    v = ol_get(CYD, 200, "!/v1.0/shares/%s/driveItem", share(url));
    assert_string_equal(text_at(v, "name"), "a.txt");
    v = ol_get(CYD, 200, "!/v1.0/shares/%s/permission", share(url));
    assert_string_equal(text_at(v, "link.scope"), "users");
    /* bad input */
    ol(BOB, "POST", grant, "{'recipients':[{'email':'" CYD "'}],'roles':['write']}");
    refused(400, "invalidRequest");
    ol(BOB, "POST", grant, "{'recipients':[]}");
    refused(400, "invalidRequest");
    ol(BOB, "POST", grant, "{'recipients':[{'email':7}]}");
    assert_int_equal(test_status, 400);
    ol(CYD, "POST", ol_text("!/v1.0/shares/%s/permission/grant", share(url)),
       "{'recipients':[{'email':'" CYD "'}]}");
    assert_int_equal(test_status, 403);
    v = ol_do(BOB, "POST", ol_text("!/v1.0/shares/%s/permission/grant", share(url)),
              "{'recipients':[{'email':'x@elsewhere.example'}]}", 200);
    assert_int_equal(count_at(v, "value.0.grantedToIdentitiesV2"), 3);
    /* what is not a link */
    v = ol_get(BOB, 200, "/drive/items/%s/permissions", id);
    const char *own = keep(text_at(v, "value.0.id"));
    ol(BOB, "POST", ol_text("/drive/items/%s/permissions/%s/grant", id, own),
       "{'recipients':[{'email':'" CYD "'}]}");
    refused(400, "invalidRequest");
}

static void changes_of_a_file_that_is_out_are_given_up(void **state)
{
    put(BOB, "/drive/root:/a.txt:/content", "before", 201);
    ol_do(BOB, "POST", "/drive/root:/a.txt:/checkout", NULL, 204);
    put(BOB, "/drive/root:/a.txt:/content", "while", 200);
    put(BOB, "/drive/root:/a.txt:/content", "while out", 200);
    ol_do(BOB, "POST", "/drive/root:/a.txt:/discardCheckout", NULL, 204);
    const struct json *v = ol_get(BOB, 200, "/drive/root:/a.txt");
    assert_int_equal(json_get_int(v, "size", 0), 6);
    ol(BOB, "POST", "/drive/root:/a.txt:/discardCheckout", NULL);
    refused(400, "invalidRequest");
    ol_do(BOB, "POST", "/drive/root:/a.txt:/invite",
          "{'recipients':[{'email':'" CYD "'}],'roles':['write'],'requireSignIn':true}", 200);
    ol_do(BOB, "POST", "/drive/root:/a.txt:/checkout", NULL, 204);
    ol(CYD, "POST", "!/v1.0/users/" BOB "/drive/root:/a.txt:/discardCheckout", NULL);
    assert_int_equal(test_status, 423);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(pictures_have_thumbnails),
        ol_test(files_are_shown_at_an_address),
        ol_test(items_are_found_by_their_address),
        ol_test(people_are_let_use_a_link),
        ol_test(changes_of_a_file_that_is_out_are_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
