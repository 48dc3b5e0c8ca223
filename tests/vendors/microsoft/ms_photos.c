/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of users, groups and contacts behind Graph, and who may change them. */
#include "engine/base/codec.h"
#include "tests/support/world.h"

#define BOB_ID "0d1e0000-0000-4000-8000-00000000000b"
#define CREW   "9a000000-0000-4000-8000-000000000001"
#define PEOPLE                                                                                     \
    "sosia: 1\n"                                                                                   \
    "people: [{email: ada@port.example, name: Ada}, {email: bob@port.example, name: Bob},\n"       \
    "         {email: eve@acme.example, name: Eve}]\n"                                             \
    "groups: [{email: crew@port.example, name: Crew, members: [ada@port.example]}]\n"              \
    "accounts:\n"                                                                                  \
    "  - {actor: ada@port.example, vendor: microsoft}\n"                                           \
    "  - {actor: bob@port.example, vendor: microsoft, id: " BOB_ID "}\n"                           \
    "  - {actor: eve@acme.example, vendor: microsoft}\n"                                           \
    "microsoftTenants: [{domain: port.example}, {domain: acme.example}]\n"                         \
    "microsoftUsers: [{actor: bob@port.example, admin: true}]\n"                                   \
    "microsoftGroups: [{group: crew@port.example, id: " CREW ", owners: [ada@port.example]}]\n"    \
    "contacts: [{person: ada@port.example, id: cyd, contact: {givenName: Cyd}}]\n"
/* The head of a PNG of 100 x 120 pixels. */
#define SMALL "iVBORw0KGgoAAAANSUhEUgAAAGQAAAB4CAIAAAAAAAAA"

static const char doc[] = PEOPLE "microsoftPhotos: [{user: bob@port.example, photo: " SMALL "}]\n";

#define ADA   test_bearer("ada@port.example", "User.ReadWrite User.ReadBasic.All")
#define BOB   test_bearer("bob@port.example", "User.ReadWrite.All Group.ReadWrite.All")
#define CREWS test_bearer("ada@port.example", "Group.ReadWrite.All")
#define BOOK  test_bearer("ada@port.example", "Contacts.ReadWrite")

static int begin(void **state)
{
    return test_open(doc);
}

static int end(void **state)
{
    return test_close();
}

static const struct json *ask(const char *bearer, const char *method, const char *target,
                              const char *type, const void *body, size_t n)
{
    struct sosia_header headers[3] = {
        {"Host", "graph.microsoft.com"}, {"Authorization", bearer}, {"Content-Type", type}};
    return test_request(method, arena_printf(&test_arena, "/v1.0%s", target), headers, type ? 3 : 2,
                        body, n);
}

static const struct json *get(const char *bearer, const char *target)
{
    return ask(bearer, "GET", target, NULL, NULL, 0);
}

/* The head of a PNG with these sides. */
static const char *png(unsigned width, unsigned height)
{
    static unsigned char bytes[33] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    bytes[18] = (unsigned char)(width >> 8);
    bytes[19] = (unsigned char)width;
    bytes[22] = (unsigned char)(height >> 8);
    bytes[23] = (unsigned char)height;
    return (const char *)bytes;
}

static int put(const char *bearer, const char *target, const char *bytes, size_t n)
{
    ask(bearer, "PUT", target, "image/png", bytes, n);
    return test_status;
}

static void assert_refused(int status, const char *code)
{
    const struct json *v = parsed(test_body, strlen(test_body));
    if (test_status != status || strcmp(text_at(v, "error.code"), code) != 0)
        fail_msg("%d %s", test_status, test_body);
}

static void a_picture_has_the_sizes_that_it_is_large_enough_for(void **state)
{
    const struct json *v = get(ADA, "/users/" BOB_ID "/photo");
    assert_int_equal(test_status, 200);
    assert_string_equal(json_get_str(v, "@odata.context"),
                        "https://graph.microsoft.com/v1.0/$metadata#users('" BOB_ID
                        "')/photo/$entity");
    assert_string_equal(text_at(v, "id"), "96x96");
    assert_int_equal(number_at(v, "width"), 96);
    assert_string_equal(json_get_str(v, "@odata.mediaContentType"), "image/png");
    v = get(ADA, "/users/" BOB_ID "/photos");
    assert_string_equal(column(v, "value", "id"), "48x48 64x64 96x96");
    get(ADA, "/users/" BOB_ID "/photos/48X48");
    assert_int_equal(test_status, 200);
    get(ADA, "/users/" BOB_ID "/photos/240x240");
    assert_refused(404, "ImageNotFound");
    get(ADA, "/users/" BOB_ID "/photos/50x50");
    assert_refused(404, "ImageNotFound");
    get(ADA, "/users/" BOB_ID "/photos/64x64/$value");
    assert_int_equal(test_status, 200);
    assert_string_equal(test_header("Content-Type"), "image/png");
    assert_int_equal(strncmp(test_header("ETag"), "W/\"", 3), 0);
    assert_memory_equal(test_body, "\x89PNG", 4);
}

static void who_has_none_has_none(void **state)
{
    get(ADA, "/me/photo");
    assert_refused(404, "ImageNotFound");
    get(ADA, "/me/photo/$value");
    assert_refused(404, "ImageNotFound");
    assert_int_equal(count_at(get(ADA, "/me/photos"), "value"), 0);
    ask(ADA, "DELETE", "/me/photo/$value", NULL, NULL, 0);
    assert_refused(404, "ImageNotFound");
    get(ADA, "/users/nobody@port.example/photo/$value");
    assert_refused(400, "ErrorBadRequestInvalidTargetIdentity");
    get(ADA, "/users/eve@acme.example/photo"); /* of another tenant */
    assert_refused(400, "ErrorBadRequestInvalidTargetIdentity");
}

static void people_change_their_own(void **state)
{
    assert_int_equal(put(ADA, "/me/photo/$value", png(800, 700), 33), 200);
    assert_string_equal(text_at(get(ADA, "/me/photo"), "id"), "648x648");
    assert_int_equal(count_at(get(ADA, "/me/photos"), "value"), 9);
    ask(ADA, "PATCH", "/me/photo/$value", "image/png", png(30, 20), 33);
    assert_int_equal(test_status, 200);
    const struct json *v = get(ADA, "/me/photo");
    assert_string_equal(text_at(v, "id"), "30x20");
    assert_string_equal(column(get(ADA, "/me/photos"), "value", "id"), "30x20");
    get(ADA, "/me/photos/30x20");
    assert_int_equal(test_status, 200);
    assert_int_equal(put(ADA, "/me/photo/$value", "hello, this is no picture at all", 32), 400);
    assert_refused(400, "ErrorInvalidImageData");
    assert_int_equal(put(ADA, "/me/photo/$value", "", 0), 400);
    assert_string_equal(text_at(get(ADA, "/me/photo"), "id"), "30x20");
    ask(ADA, "DELETE", "/me/photo/$value", NULL, NULL, 0);
    assert_int_equal(test_status, 204);
    get(ADA, "/me/photo");
    assert_refused(404, "ImageNotFound");
}

static void others_are_an_administrators_to_change(void **state)
{
    assert_int_equal(put(ADA, "/users/" BOB_ID "/photo/$value", png(48, 48), 33), 403);
    assert_int_equal(put(test_bearer("ada@port.example", "User.ReadWrite.All"),
                         "/users/" BOB_ID "/photo/$value", png(48, 48), 33),
                     403);
    assert_int_equal(put(BOB, "/users/ada@port.example/photo/$value", png(48, 48), 33), 200);
    assert_int_equal(
        put(test_bearer("ada@port.example", "User.Read"), "/me/photo/$value", png(64, 64), 33),
        403);
    assert_string_equal(text_at(get(ADA, "/me/photo"), "id"), "48x48");
    get(test_bearer("ada@port.example", "User.Read"), "/users/" BOB_ID "/photo");
    assert_int_equal(test_status, 403);
}

static void groups_and_contacts_have_pictures_too(void **state)
{
    assert_int_equal(put(CREWS, "/groups/" CREW "/photo/$value", png(64, 64), 33), 200);
    assert_string_equal(text_at(get(CREWS, "/groups/" CREW "/photo"), "id"), "64x64");
    assert_int_equal(put(test_bearer("eve@acme.example", "Group.ReadWrite.All"),
                         "/groups/" CREW "/photo/$value", png(64, 64), 33),
                     404);
    assert_int_equal(put(BOOK, "/me/contacts/cyd/photo/$value", png(64, 64), 33), 200);
    get(BOOK, "/me/contactFolders/contacts/contacts/cyd/photo/$value");
    assert_int_equal(test_status, 200);
    get(test_bearer("bob@port.example", "Contacts.ReadWrite"),
        "/users/ada@port.example/contacts/cyd/photo");
    assert_int_equal(test_status, 403);
    const struct json *v = test_dump();
    assert_int_equal(count_at(v, "microsoftPhotos"), 3);
    /* What goes takes its picture along. */
    ask(BOOK, "DELETE", "/me/contacts/cyd", NULL, NULL, 0);
    assert_int_equal(test_status, 204);
    ask(CREWS, "DELETE", "/groups/" CREW, NULL, NULL, 0);
    assert_int_equal(test_status, 204);
    assert_int_equal(count_at(test_dump(), "microsoftPhotos"), 1);
}

static void documents_and_files_have_them(void **state)
{
    static const struct {
        const char *item, *says;
    } bad[] = {
        {"{photo: " SMALL "}", "one of them alone"},
        {"{user: bob@port.example, group: crew@port.example, photo: " SMALL "}", "alone"},
        {"{user: nobody@port.example, photo: " SMALL "}", "there is no such user"},
        {"{user: bob@port.example, photo: aGk=}", "must be a JPEG, PNG or GIF"},
        {"{user: bob@port.example, photo: '%'}", "is not base64"},
        {"{user: bob@port.example, photo: " SMALL "}, {user: bob@port.example, photo: " SMALL "}",
         "has one already"},
    };
    uint64_t w;
    put(CREWS, "/groups/" CREW "/photo/$value", png(64, 64), 33);
    const struct json *v = test_dump();
    assert_string_equal(text_at(v, "microsoftPhotos.0.user"), "bob@port.example");
    assert_string_equal(text_at(v, "microsoftPhotos.0.photo"), SMALL);
    assert_string_equal(text_at(v, "microsoftPhotos.1.group"), "crew@port.example");
    test_world_of(printed_at(v, ""));
    for (size_t i = 0; i < SOSIA_LEN(bad); i++) {
        const char *text = arena_printf(&test_arena, PEOPLE "microsoftPhotos: [%s]\n", bad[i].item);
        const struct sosia_world_options opt = {.seed_doc = text, .seed_doc_len = strlen(text)};
        assert_int_equal(sosia_world_create(test_engine, &opt, &w, &test_err), -1);
        if (!strstr(test_err.text, bad[i].says))
            fail_msg("%s: %s", bad[i].item, test_err.text);
    }
    assert_int_equal(test_import_changed("update ms_photo set width = 7", &w), 0);
    assert_int_equal(test_import_changed("update ms_photo set blob = 99", &w), -1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_picture_has_the_sizes_that_it_is_large_enough_for, begin,
                                        end),
        cmocka_unit_test_setup_teardown(who_has_none_has_none, begin, end),
        cmocka_unit_test_setup_teardown(people_change_their_own, begin, end),
        cmocka_unit_test_setup_teardown(others_are_an_administrators_to_change, begin, end),
        cmocka_unit_test_setup_teardown(groups_and_contacts_have_pictures_too, begin, end),
        cmocka_unit_test_setup_teardown(documents_and_files_have_them, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
