/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which scopes open which file to which method: every scope and every pair of scopes, with what
 * each method does and each kind of file. What must come out is computed from two tables of this
 * file's own, of the scopes that methods accept (the vendor's reference) and of what each scope
 * reaches (its text, and the guide "Choose Google Drive API scopes"). A call that is let through
 * has the status of one with a token that may do everything.
 */
#include "tests/support/gdrive.h"

#define AUTH   "https://www.googleapis.com/auth/"
#define CLIENT "1234567890-app.apps.googleusercontent.com"

/* A letter a scope. */
static const char letters[] = "DAPFEMRHOS";
static const char *const scope_names[] = {AUTH "drive",
                                          AUTH "drive.appdata",
                                          AUTH "drive.apps.readonly",
                                          AUTH "drive.file",
                                          AUTH "drive.meet.readonly",
                                          AUTH "drive.metadata",
                                          AUTH "drive.metadata.readonly",
                                          AUTH "drive.photos.readonly",
                                          AUTH "drive.readonly",
                                          AUTH "drive.scripts"};

static const char WORLD[] =
    "apps:\n"
    "  - {client_id: " CLIENT ", name: App}\n"
    "  - {client_id: other, name: Other}\n"
    "  - {client_id: meet, name: Google Meet}\n"
    "driveLabels: [{id: kind, name: Kind, fields: [{id: word, type: text}]}]\n"
    "sharedDrives: [{id: team, name: Team, members: [{person: ada@acme.example, role: "
    "organizer}]}]\n"
    "files:\n"
    "  - {id: own, name: a, owner: ada@acme.example, app: " CLIENT
    ", mime: text/plain, content: x, permissions: [{person: bob@acme.example, role: commenter}]}\n"
    "  - {id: other, name: b, owner: ada@acme.example, app: other, mime: text/plain, content: x, "
    "permissions: [{person: bob@acme.example, role: commenter}]}\n"
    "  - {id: data, name: c, owner: ada@acme.example, space: " CLIENT ", app: " CLIENT
    ", mime: text/plain, content: x}\n"
    "  - {id: mixed, name: d, owner: ada@acme.example, app: " CLIENT
    ", type: folder, permissions: [{person: bob@acme.example, role: commenter}]}\n"
    "  - {id: stray, name: e, owner: ada@acme.example, parent: mixed, mime: text/plain, content: "
    "x, trashed: true}\n"
    "  - {id: clean, name: f, owner: ada@acme.example, app: " CLIENT
    ", type: folder, permissions: [{person: bob@acme.example, role: commenter}]}\n"
    "  - {id: inside, name: g, owner: ada@acme.example, app: " CLIENT
    ", parent: clean, mime: text/plain, content: x}\n"
    "  - {id: folder, name: h, owner: ada@acme.example, type: folder}\n"
    "  - {id: link, name: i, owner: ada@acme.example, app: " CLIENT
    ", type: shortcut, target: other}\n"
    "  - {id: notes, name: j, owner: ada@acme.example, app: meet, type: document, content: x}\n"
    "  - {id: code, name: k, owner: ada@acme.example, type: script}\n"
    "  - {id: shared, name: l, parent: team, app: other, mime: text/plain, content: x, "
    "permissions: [{person: bob@acme.example, role: commenter}]}\n"
    "  - {id: mine, name: m, parent: team, app: " CLIENT
    ", mime: text/plain, content: x, permissions: [{person: bob@acme.example, role: "
    "commenter}]}\n";

/* ---- what each scope reaches ---- */

enum kind { BYTES = 1, FOLDER = 2, SHORTCUT = 4, DOCUMENT = 8, DATA = 16, SHARED = 32, TOP = 64 };
static const struct object {
    const char *id;
    unsigned kind;
    const char *narrow; /* the scopes that reach it of those that hold for some files */
    const char *stray;  /* below it, and not of the app */
} objects[] = {
    {"own", BYTES, "F", NULL},           {"other", BYTES, "", NULL},
    {"data", BYTES | DATA, "A", NULL},   {"mixed", FOLDER, "F", "stray"},
    {"clean", FOLDER, "F", NULL},        {"folder", FOLDER, "", NULL},
    {"link", SHORTCUT, "F", NULL},       {"notes", DOCUMENT, "E", NULL},
    {"code", DOCUMENT, "S", NULL},       {"shared", BYTES | SHARED, "", NULL},
    {"mine", BYTES | SHARED, "F", NULL}, {"root", TOP, "", NULL},
    {"team", TOP | SHARED, "", NULL},
};

enum reach { NOTHING, METADATA, EVERYTHING };

static enum reach reach_of_letter(char scope, const struct object *o)
{
    if (strchr(o->narrow, scope))
        return EVERYTHING;
    if (o->kind & DATA)
        return NOTHING;
    return strchr("DO", scope) ? EVERYTHING : strchr("MR", scope) ? METADATA : NOTHING;
}

/* ---- what each method accepts ---- */

enum { CONTENT = 1, WRITES = 2, BELOW = 4, MOVES = 8, CHANGES = 16 };
static const struct method {
    const char *what, *verb, *target, *body;
    const char *accepts;
    unsigned does;          /* CONTENT, CHANGES: scopes for metadata are not enough */
    unsigned kinds, except; /* of objects that it is asked of; 0: of all */
} methods[] = {
    {"get", "GET", "/drive/v3/files/%s?", "", "DAFEMRHO", 0, 0, 0},
    {"download", "GET", "/drive/v3/files/%s?alt=media&", "", "DAFEMRHO", CONTENT, BYTES, 0},
    {"export", "GET", "/drive/v3/files/%s/export?mimeType=text/plain&", "", "DFEO", CONTENT,
     DOCUMENT, 0},
    {"prepare", "POST", "/drive/v3/files/%s/download?", "", "DFO", CONTENT, BYTES, 0},
    {"watch", "POST", "/drive/v3/files/%s/watch?",
     "{'id':'c','type':'web_hook','address':'https://hook.example/'}", "DAFEMRHO", 0, 0, 0},
    {"rename", "PATCH", "/drive/v3/files/%s?", "{'name':'new'}", "DAFMS", WRITES, 0, 0},
    {"star", "PATCH", "/drive/v3/files/%s?", "{'starred':true}", "DAFMS", WRITES, 0, 0},
    {"trash", "PATCH", "/drive/v3/files/%s?", "{'trashed':true}", "DAFMS", CHANGES | WRITES | BELOW,
     0, TOP},
    {"close", "PATCH", "/drive/v3/files/%s?", "{'writersCanShare':false}", "DAFMS",
     CHANGES | WRITES, 0, DATA | SHARED},
    {"picture", "PATCH", "/drive/v3/files/%s?",
     "{'contentHints':{'thumbnail':{'image':'aGk=','mimeType':'image/png'}}}", "DAFMS",
     CHANGES | WRITES, BYTES, 0},
    {"move", "PATCH", "/drive/v3/files/%s?addParents=folder&removeParents=root&", "{}", "DAFMS",
     CHANGES | WRITES | MOVES, BYTES | SHORTCUT, DATA | SHARED},
    {"upload", "PATCH", "/upload/drive/v3/files/%s?uploadType=media&", "new", "DAFMS",
     CHANGES | WRITES, BYTES, 0},
    {"copy", "POST", "/drive/v3/files/%s/copy?", "{}", "DAFH", 0, BYTES | DOCUMENT | SHORTCUT, 0},
    {"delete", "DELETE", "/drive/v3/files/%s?", "", "DAF", WRITES | BELOW, 0, TOP},
    {"share", "POST", "/drive/v3/files/%s/permissions?",
     "{'type':'user','role':'reader','emailAddress':'cyd@acme.example'}", "DF", WRITES | BELOW, 0,
     0},
    {"permissions", "GET", "/drive/v3/files/%s/permissions?", "", "DFEMRHO", 0, 0, 0},
    {"comment", "POST", "/drive/v3/files/%s/comments?fields=id&", "{'content':'hi'}", "DF", WRITES,
     BYTES | DOCUMENT, 0},
    {"comments", "GET", "/drive/v3/files/%s/comments?fields=*&", "", "DFEO", 0, BYTES | DOCUMENT,
     0},
    {"revisions", "GET", "/drive/v3/files/%s/revisions?", "", "DAFEMRHO", 0, BYTES | DOCUMENT, 0},
    {"revision", "GET", "/drive/v3/files/%s/revisions/head?alt=media&", "", "DAFEMRHO", CONTENT,
     BYTES, 0},
    {"keep", "PATCH", "/drive/v3/files/%s/revisions/head?", "{'keepForever':true}", "DAF", WRITES,
     BYTES, 0},
    {"labels", "GET", "/drive/v3/files/%s/listLabels?", "", "DFEMRO", 0, BYTES, 0},
    {"label", "POST", "/drive/v3/files/%s/modifyLabels?",
     "{'labelModifications':[{'labelId':'kind'}]}", "DFM", WRITES, BYTES, 0},
    {"proposals", "GET", "/drive/v3/files/%s/accessproposals?", "", "DFMRO", 0, BYTES, 0},
    {"approvals", "GET", "/drive/v3/files/%s/approvals?", "", "DFMRO", 0, BYTES, 0},
};

/* ---- what must come out ---- */

struct outcome {
    int status;
    const char *reason, *message; /* NULL: as a token for everything gets it; message: a part */
};

static bool either(const char *token, const char *of)
{
    return token[strcspn(token, of)] != 0;
}

static struct outcome refused(const char *verb, const char *id)
{
    return (struct outcome){
        403, "appNotAuthorizedToFile",
        arena_printf(&test_arena, "app 1234567890 %s access to the file %s.", verb, id)};
}

static struct outcome expected(const struct method *m, const struct object *o, const char *token)
{
    enum reach reached = NOTHING, seen = NOTHING;
    for (const char *s = token; *s; s++) {
        enum reach r = reach_of_letter(*s, o);
        seen = r > seen ? r : seen;
        if (strchr(m->accepts, *s) && r > reached)
            reached = r;
    }
    if (!either(token, m->accepts))
        return (struct outcome){403, "insufficientPermissions", NULL};
    if (o->kind & DATA && !strchr(token, 'A'))
        return (struct outcome){403, "insufficientScopes", NULL};
    if (o->kind & DATA && !strchr(m->accepts, 'A'))
        return (struct outcome){403, "notSupportedForAppDataFolderFiles", NULL};
    if (!seen)
        return (struct outcome){404, "notFound", NULL};
    if (reached == METADATA && m->does & CHANGES && !either(token, "AFS"))
        return (struct outcome){403, "insufficientPermissions", NULL};
    if (!reached || (reached == METADATA && m->does & (CHANGES | CONTENT)))
        return refused(m->does & WRITES ? "write" : "read", o->id);
    if (m->does & MOVES && !either(token, "DF")) /* the folder is not reached */
        return either(token, "MRO") ? refused("write", "folder")
                                    : (struct outcome){404, "notFound", NULL};
    if (m->does & BELOW && o->stray && !strchr(token, 'D'))
        return (struct outcome){
            403, "appNotAuthorizedToChild",
            arena_printf(&test_arena, "app 1234567890 write access to the child file %s, which",
                         o->stray)};
    return (struct outcome){0};
}

/* ---- asking ---- */

static const char *bearer(const char *scopes)
{
    char token[SOSIA_TOKEN_MAX];
    struct sosia_token_options opt = {.actor = ADA, .scopes = scopes, .app = CLIENT};
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

/* A format with one %s. */
static const char *text_of(const char *format, const char *arg)
{
    const char *at = strstr(format, "%s");
    return arena_printf(&test_arena, "%.*s%s%s", (int)(at - format), format, arg, at + 2);
}

static const char *target_of(const struct method *m, const struct object *o)
{
    return text_of(arena_printf(&test_arena, "%ssupportsAllDrives=true", m->target), o->id);
}

/* The world is put back after a call that was let through. */
static void call(const struct method *m, const struct object *o, const char *authorization)
{
    struct sosia_header headers[] = {
        {"Authorization", authorization},
        {"Content-Type", *m->body == '{' ? "application/json" : "text/plain"}};
    const char *body = *m->body == '{' ? quoted(m->body) : m->body;
    test_request(m->verb, target_of(m, o), headers, 2, body, strlen(body));
    if (test_status < 400 && strcmp(m->verb, "GET") != 0)
        assert_int_equal(sosia_world_reset(test_engine, test_world, &test_err), 0);
}

static const char *said(void)
{
    const struct json *v = *test_body == '{' ? parsed(test_body, test_len) : NULL;
    const char *reason = v ? text_at(v, "error.errors.0.reason") : NULL;
    return reason ? reason : "";
}

static void check(const struct method *m, const struct object *o, const char *token,
                  const char *authorization, int whole)
{
    struct outcome want = expected(m, o, token);
    call(m, o, authorization);
    if (want.message && o->kind & TOP && !(o->kind & SHARED))
        want.message = NULL; /* the root has an id of its own */
    if (test_status != (want.status ? want.status : whole) ||
        (want.reason && strcmp(want.reason, said()) != 0) ||
        (want.message && !strstr(test_body, want.message)))
        fail_msg("%s of %s with %s: expected %d %s %s, got %d %s", m->what, o->id, names_of(token),
                 want.status ? want.status : whole, want.reason ? want.reason : "",
                 want.message ? want.message : "", test_status, test_body);
}

/* With each scope, and with each pair of two. */
static void each_pair_of_scopes_opens_what_one_of_them_opens(void **state)
{
    (void)state;
    gdrive_seed(WORLD);
    const char *everything = bearer(NULL);
    static int whole[SOSIA_LEN(methods)][SOSIA_LEN(objects)];
    for (size_t m = 0; m < SOSIA_LEN(methods); m++)
        for (size_t o = 0; o < SOSIA_LEN(objects); o++)
            if ((!methods[m].kinds || objects[o].kind & methods[m].kinds) &&
                !(objects[o].kind & methods[m].except)) {
                call(&methods[m], &objects[o], everything);
                whole[m][o] = test_status;
            }
    for (size_t a = 0; letters[a]; a++)
        for (size_t b = a; letters[b]; b++) {
            char token[3] = {letters[a], a == b ? 0 : letters[b], 0};
            const char *authorization = bearer(names_of(token));
            for (size_t m = 0; m < SOSIA_LEN(methods); m++)
                for (size_t o = 0; o < SOSIA_LEN(objects); o++)
                    if (whole[m][o])
                        check(&methods[m], &objects[o], token, authorization, whole[m][o]);
        }
}

/* ---- single cases ---- */

/* A call of the app, with the scopes of the token's letters. */
static const struct json *of_app(const char *token, const char *method, const char *target,
                                 const char *body)
{
    struct sosia_header headers[] = {{"Authorization", bearer(names_of(token))},
                                     {"Content-Type", "application/json"}};
    const char *text = quoted(body ? body : "");
    return test_request(method, target, headers, 2, text, strlen(text));
}

/* GD-501, GD-508, GD-509, GD-510 */
static void lists_are_of_spaces_and_files_that_scopes_open(void **state)
{
    static const struct {
        const char *token, *target;
        int status, n; /* of files or changes */
    } cases[] = {
        {"F", "/drive/v3/files", 200, 5},
        {"FR", "/drive/v3/files", 200, 10},
        {"E", "/drive/v3/files", 200, 1},
        {"FE", "/drive/v3/files", 200, 6},
        {"A", "/drive/v3/files", 403, 0},
        {"H", "/drive/v3/files", 403, 0},
        {"H", "/drive/v3/files?spaces=photos", 200, 0},
        {"A", "/drive/v3/files?spaces=appDataFolder", 200, 1},
        {"R", "/drive/v3/files?spaces=drive,appDataFolder", 403, 0},
        {"AR", "/drive/v3/files?spaces=drive,appDataFolder", 200, 11},
        {"A", "/drive/v3/changes?pageToken=1", 403, 0},
        {"A", "/drive/v3/changes?pageToken=1&spaces=appDataFolder", 200, 0},
    };
    (void)state;
    gdrive_seed(WORLD);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *v = of_app(cases[i].token, "GET", cases[i].target, NULL);
        if (test_status != cases[i].status)
            fail_msg("%s %s: %d %s", cases[i].token, cases[i].target, test_status, test_body);
        if (test_status == 403)
            assert_string_equal(text_at(v, "error.message"),
                                "The granted scopes do not give access "
                                "to all of the requested spaces.");
        else if (!strstr(cases[i].target, "changes"))
            assert_int_equal(count_at(v, "files"), cases[i].n);
    }
    of_app("R", "GET", "/drive/v3/files?spaces=appDataFolder", NULL);
    assert_non_null(strstr(test_body, "do not allow use of the Application Data folder."));
    of_app("A", "POST", "/drive/v3/changes/watch?pageToken=1",
           "{'id':'c','type':'web_hook','address':'https://hook.example/'}");
    assert_refused(403, "insufficientScopes");
}

/* GD-506: a folder is a place even where the app may not look at it. */
static void files_are_put_where_the_app_does_not_look(void **state)
{
    (void)state;
    gdrive_seed(WORLD);
    const char *id =
        text_at(of_app("F", "POST", "/drive/v3/files", "{'name':'n','parents':['folder']}"), "id");
    assert_int_equal(test_status, 200);
    of_app("F", "GET", "/drive/v3/files/folder", NULL);
    assert_refused(404, "notFound");
    of_app("F", "POST", "/drive/v3/files/own/copy", "{'parents':['folder']}");
    assert_int_equal(test_status, 200);
    of_app("F", "PATCH", "/drive/v3/files/own?addParents=folder&removeParents=root", "{}");
    assert_int_equal(test_status, 200);
    of_app("F", "PATCH", text_of("/drive/v3/files/%s?addParents=root&removeParents=folder", id),
           "{}");
    assert_int_equal(test_status, 200);
    of_app("F", "POST", "/drive/v3/files?supportsAllDrives=true", "{'parents':['team']}");
    assert_int_equal(test_status, 200);
    /* A scope that reads the folder lets nobody put anything there. */
    of_app("AO", "POST", "/drive/v3/files", "{'name':'n','parents':['folder']}");
    assert_refused(403, "appNotAuthorizedToFile");
    of_app("A", "POST", "/drive/v3/files", "{'name':'n','parents':['folder']}");
    assert_refused(404, "notFound");
    /* The root is not a file of the app either. */
    of_app("F", "GET", "/drive/v3/files/root", NULL);
    assert_refused(404, "notFound");
}

/* GD-505: also where a grant is changed or taken away, and access that was asked for is given. */
static void what_is_done_to_a_folder_is_done_to_what_is_in_it(void **state)
{
    (void)state;
    gdrive_seed(WORLD);
    const struct json *v = of_app("F", "GET", "/drive/v3/files/mixed/permissions", NULL);
    const char *bob =
        text_of("/drive/v3/files/mixed/permissions/%s", text_at(v, "permissions.0.id"));
    of_app("F", "PATCH", bob, "{'role':'writer'}");
    assert_refused(403, "appNotAuthorizedToChild");
    of_app("F", "DELETE", bob, NULL);
    assert_refused(403, "appNotAuthorizedToChild");
    assert_non_null(strstr(test_body, "The user has not granted the app 1234567890 write access to "
                                      "the child file stray, which would be affected by the "
                                      "operation on the parent."));
    of_app("D", "DELETE", bob, NULL);
    assert_int_equal(test_status, 204);
    of_app("F", "DELETE", "/drive/v3/files/clean", NULL);
    assert_int_equal(test_status, 204);
}

/* A picture of the content is for who may have the content. */
static void scopes_for_metadata_show_no_picture(void **state)
{
    static const char notes[] = "/drive/v3/files/notes?fields=hasThumbnail,thumbnailLink";
    (void)state;
    gdrive_seed(WORLD);
    assert_non_null(text_at(of_app("O", "GET", notes, NULL), "thumbnailLink"));
    const struct json *v = of_app("M", "GET", notes, NULL);
    assert_true(true_at(v, "hasThumbnail"));
    assert_null(text_at(v, "thumbnailLink"));
}

/* Parts of a batch, and the pieces of an upload, have no more than other calls. */
static void other_doors_open_no_more(void **state)
{
    static const char part[] = "--b\r\nContent-Type: application/http\r\n\r\nDELETE "
                               "/drive/v3/files/other HTTP/1.1\r\n\r\n\r\n--b--\r\n";
    (void)state;
    gdrive_seed(WORLD);
    struct sosia_header batch[] = {{"Authorization", bearer(names_of("FR"))},
                                   {"Content-Type", "multipart/mixed; boundary=b"}};
    test_request("POST", "/batch/drive/v3", batch, 2, part, strlen(part));
    assert_int_equal(test_status, 200);
    assert_non_null(strstr(test_body, "appNotAuthorizedToFile"));
    of_app("FR", "PATCH", "/upload/drive/v3/files/other?uploadType=resumable", "{}");
    assert_refused(403, "appNotAuthorizedToFile"); /* at its start */
    /* Begun with one token, and gone on with without: what the method accepts of it is kept. */
    of_app("FR", "PATCH", "/upload/drive/v3/files/own?uploadType=resumable", "{}");
    assert_int_equal(test_status, 200);
    const char *session = strstr(test_header("Location"), "/upload/");
    assert_non_null(session);
    test_request("PUT", arena_strdup(&test_arena, session), NULL, 0, "new", 3);
    assert_int_equal(test_status, 200);
    /* Gone on with another token: that one counts. */
    of_app("D", "PATCH", "/upload/drive/v3/files/other?uploadType=resumable", "{}");
    const char *at = arena_strdup(&test_arena, strstr(test_header("Location"), "/upload/"));
    struct sosia_header narrow = {"Authorization", bearer(names_of("FR"))};
    test_request("PUT", at, &narrow, 1, "new", 3);
    assert_refused(403, "appNotAuthorizedToFile");
}

/* Who administers drives, and calls with a narrow token, has no wider one. */
static void an_administrators_token_is_as_narrow_as_others(void **state)
{
    static const char target[] =
        "/drive/v3/files/shared/permissions?useDomainAdminAccess=true&supportsAllDrives=true";
    static const char cyd[] = "{'type':'user','role':'reader','emailAddress':'cyd@acme.example'}";
    (void)state;
    gdrive_seed(arena_printf(&test_arena, "%sdriveAdministrators: [ada@acme.example]\n", WORLD));
    of_app("F", "POST", target, cyd);
    assert_refused(404, "notFound");
    of_app("D", "POST", target, cyd);
    assert_int_equal(test_status, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(each_pair_of_scopes_opens_what_one_of_them_opens),
        gdrive_test(lists_are_of_spaces_and_files_that_scopes_open),
        gdrive_test(files_are_put_where_the_app_does_not_look),
        gdrive_test(what_is_done_to_a_folder_is_done_to_what_is_in_it),
        gdrive_test(scopes_for_metadata_show_no_picture),
        gdrive_test(other_doors_open_no_more),
        gdrive_test(an_administrators_token_is_as_narrow_as_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
