/* SPDX-License-Identifier: Apache-2.0 */
/* OneDrive: files as diffs and assertions see them, in Graph's terms. */
#include "engine/world/members.h"
#include "services/drive/onedrive/view.h"
#include "tests/support/outlook.h"
#include <stdio.h>

static uint64_t before;

static int open_view(void **state)
{
    static const char files[] =
        "files:\n"
        "  - {id: PLANS, name: Plans for 2027, type: folder, owner: bob@port.example}\n"
        "  - {id: PIER, name: pier.txt, mime: text/plain, owner: bob@port.example, parent: PLANS, "
        "content: Oak, description: Of the pier, permissions: [{person: cyd@port.example, role: "
        "reader}]}\n"
        "  - {id: QUAY, name: quay.txt, mime: text/plain, owner: ada@acme.example, content: Elm}\n";
    char seed[2000];
    (void)state;
    snprintf(seed, sizeof seed, "%s%s", ol_people, files);
    ol_prefer = ol_if_match = ol_type = NULL;
    before = 0;
    return test_open(seed);
}

static uint64_t now(void)
{
    uint64_t world;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &world, &test_err), 0);
    return world;
}

/* A path of the text of a diff: each leaf must be in the list of members. */
static void see(const char *path, const struct json *v)
{
    char inner[300];
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++) {
        snprintf(inner, sizeof inner, "%s.%u", path, i);
        see(inner, &v->items[i]);
    }
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++) {
        snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "." : "", v->members[i].key);
        see(inner, &v->members[i].value);
    }
    if (!members_find(onedrive_views[0].members, path))
        fail_msg("\"%s\" is written and not in the list", path);
}

/* The changes since `before`. */
static const struct json *changes(void)
{
    struct sosia_blob blob;
    if (sosia_diff(test_engine, before, test_world, NULL, &blob, &test_err) < 0)
        fail_msg("%s", test_err.text);
    const struct json *v = json_get(parsed(ol_text("%s", blob.data), blob.len), "changes");
    sosia_blob_free(&blob);
    assert_non_null(v);
    return v;
}

/* The one change there is, of a file. */
static const struct json *change(const char *how)
{
    const struct json *v = changes();
    assert_int_equal(v->n, 1);
    assert_string_equal(text_at(v, "0.entity"), "file");
    assert_string_equal(text_at(v, "0.change"), how);
    assert_string_equal(text_at(v, "0.service"), "drive");
    return &v->items[0];
}

static const struct json *field(const struct json *change, const char *path)
{
    const struct json *v = json_get(json_get(json_get(change, "fields"), path), "to");
    if (!v)
        fail_msg("the field %s must have changed", path);
    return v;
}

static const struct json *named(const struct json *list, const char *name)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *v = json_get(&list->items[i], "value");
        if (v && json_get_str(v, "name") && strcmp(json_get_str(v, "name"), name) == 0)
            return v;
    }
    fail_msg("there must be a change of %s", name);
    return NULL;
}

/* ---- what is shown ---- */

static void each_vendor_shows_its_own(void **state)
{
    (void)state;
    before = test_world_of(ol_people); /* without files */
    const struct json *list = changes(), *v = named(list, "pier.txt");
    see("", v);
    assert_string_equal(text_at(v, "id"), "PIER");
    assert_string_equal(text_at(v, "owner"), BOB);
    assert_string_equal(text_at(v, "createdBy"), BOB);
    assert_string_equal(text_at(v, "description"), "Of the pier");
    assert_string_equal(text_at(v, "parentReference.id"), "PLANS");
    assert_string_equal(text_at(v, "parentReference.path"), "/drive/root:/Plans%20for%202027");
    assert_string_equal(text_at(v, "file.mimeType"), "text/plain");
    assert_int_equal(strlen(text_at(v, "file.hashes.sha256Hash")), 64);
    assert_string_equal(text_at(v, "text"), "Oak");
    assert_string_equal(text_at(v, "permissions.0.grantedToV2"), CYD);
    assert_string_equal(text_at(v, "permissions.0.roles.0"), "read");
    assert_null(json_get(v, "mimeType"));
    assert_null(json_get(v, "parents"));
    v = named(list, "Plans for 2027");
    see("", v);
    assert_non_null(json_get(v, "folder"));
    assert_null(json_get(v, "size"));
    assert_string_equal(text_at(v, "parentReference.path"), "/drive/root:");
    v = named(list, "quay.txt"); /* Ada's, at Google */
    assert_string_equal(text_at(v, "mimeType"), "text/plain");
    assert_null(json_get(v, "file"));
}

static void content_and_place_are_fields_of_their_own(void **state)
{
    (void)state;
    before = now();
    ol_type = "text/plain";
    ol_do(BOB, "PUT", "/drive/items/PIER/content", "Teak", 200);
    ol_type = NULL;
    const struct json *v = change("changed");
    assert_string_equal(field(v, "text")->str, "Teak");
    field(v, "size");
    field(v, "file.hashes.sha256Hash");
    assert_int_equal(json_get(v, "fields")->n, 3);
    before = now();
    ol_do(BOB, "PATCH", "/drive/items/PIER", "{'parentReference':{'path':'/drive/root:'}}", 200);
    v = change("changed");
    assert_string_equal(field(v, "parentReference.path")->str, "/drive/root:");
    field(v, "parentReference.id");
    assert_int_equal(json_get(v, "fields")->n, 2);
}

static void the_bin_and_who_checks_out_are_seen(void **state)
{
    (void)state;
    before = now();
    ol_do(BOB, "POST", "/drive/items/PIER/checkout", NULL, 204);
    const struct json *v = change("changed");
    assert_string_equal(text_at(field(v, "publication"), "level"), "checkout");
    assert_string_equal(text_at(field(v, "publication"), "checkedOutBy"), BOB);
    see("publication", field(v, "publication"));
    ol_do(BOB, "POST", "/drive/items/PIER/checkin", "{}", 204);
    before = now();
    ol_do(BOB, "DELETE", "/drive/items/PIER", NULL, 204);
    assert_string_equal(text_at(field(change("changed"), "deleted"), "state"), "deleted");
}

/* ---- sharing ---- */

static void links_are_permissions(void **state)
{
    (void)state;
    before = now();
    ol_do(BOB, "POST", "/drive/items/PIER/createLink",
          "{'type':'edit','scope':'anonymous','password':'x1','expirationDateTime':"
          "'2026-12-24T18:00:00Z'}",
          201);
    ol_do(BOB, "POST", "/drive/items/PIER/createLink",
          "{'type':'view','scope':'users','recipients':[{'email':'cyd@port.example'}]}", 201);
    const struct json *v = field(change("changed"), "permissions");
    assert_int_equal(v->n, 3);
    assert_string_equal(text_at(v, "1.link.scope"), "anonymous");
    assert_string_equal(text_at(v, "1.link.type"), "edit");
    assert_string_equal(text_at(v, "1.roles.0"), "write");
    assert_true(json_is_true(json_get(&v->items[1], "hasPassword")));
    assert_string_equal(text_at(v, "1.expirationDateTime"), "2026-12-24T18:00:00Z");
    assert_string_equal(text_at(v, "2.link.scope"), "users");
    assert_string_equal(text_at(v, "2.grantedToIdentitiesV2.0"), CYD);
    see("permissions", v);
}

/* Mail inside and outside, with the name of who invites: the owner's, or another's. */
static void letters_of_invitations_follow_from_the_file(void **state)
{
    (void)state;
    before = now();
    ol_do(BOB, "POST", "/drive/items/PIER/invite",
          "{'recipients':[{'email':'cyd@port.example'},{'email':'eve@far.example'}],'roles':"
          "['write'],'sendInvitation':true}",
          200);
    const struct json *v = change("changed");
    assert_int_equal(json_get(v, "consequences")->n, 2);
    assert_int_equal(field(v, "permissions")->n, 2);
    before = now();
    const struct json *found = ol_get(BOB, 200, "/drive/items/PIER?$select=parentReference");
    ol_do(CYD, "POST",
          ol_text("!/v1.0/drives/%s/items/PIER/invite", text_at(found, "parentReference.driveId")),
          "{'recipients':[{'email':'dan@far.example'}],'roles':['read'],'sendInvitation':true}",
          200);
    assert_int_equal(json_get(change("changed"), "consequences")->n, 1);
}

/* The time of a link ends by itself: what time does does not count. */
static void links_end(void **state)
{
    (void)state;
    ol_do(BOB, "POST", "/drive/items/PIER/createLink",
          "{'type':'view','scope':'anonymous','expirationDateTime':'2026-11-24T08:00:00Z'}", 201);
    before = now();
    test_advance(48 * 3600);
    assert_int_equal(changes()->n, 0);
}

static void deny_if(const char *what)
{
    const char *text = ol_text("policy: 1\nname: p\notherwise: allow\nrules: [{id: r, effect: "
                               "deny, %s}]\n",
                               what);
    if (sosia_policy_set(test_engine, test_world, text, strlen(text), "p", NULL, &test_err) < 0)
        fail_msg("%s", test_err.text);
}

static void policies_see_links_and_whom_they_reach(void **state)
{
    static const char *const rules[] = {
        "outcome: {diff_type: changed, entity: file, where: {permissions.*.link.scope: "
        "anonymous}, strict: false}",
        "reaches: {access: {contains: anyone}}"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(rules); i++) {
        deny_if(rules[i]);
        ol_do(BOB, "POST", "/drive/items/PIER/createLink", "{'type':'view','scope':'anonymous'}",
              403);
        ol_do(BOB, "POST", "/drive/items/PIER/createLink", "{'type':'view','scope':'organization'}",
              i ? 200 : 201);
    }
    deny_if("reaches: {access: {contains: eve@far.example}}");
    ol_do(BOB, "POST", "/drive/items/PIER/invite",
          "{'recipients':[{'email':'eve@far.example'}],'roles':['read'],'requireSignIn':true}",
          403);
    ol_do(BOB, "POST", "/drive/items/PIER/createLink",
          "{'type':'view','scope':'users','recipients':[{'email':'eve@far.example'}]}", 403);
}

#define view_test(f) cmocka_unit_test_setup_teardown(f, open_view, ol_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        view_test(each_vendor_shows_its_own),
        view_test(content_and_place_are_fields_of_their_own),
        view_test(the_bin_and_who_checks_out_are_seen),
        view_test(links_are_permissions),
        view_test(letters_of_invitations_follow_from_the_file),
        view_test(links_end),
        view_test(policies_see_links_and_whom_they_reach),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
