/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/app.h"
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "engine/store/row.h"
#include "engine/world/columns.h"
#include "identity/internal.h"

#define MAX_REDIRECTS (1 << 20) /* bytes of them as JSON */

/* ---- the table ---- */

#define APP(X)                                                                                     \
    X(client_id, client_id, STRING)                                                                \
    X(secret, secret, STRING)                                                                      \
    X(name, name, STRING)                                                                          \
    X(kind, kind, STRING)                                                                          \
    X(automatic, automatic, ID)                                                                    \
    X(vendor, vendor, STRING)                                                                      \
    X(bot, bot, ID)                                                                                \
    X(signing_secret, signing_secret, STRING)                                                      \
    X(section, section, STRING)                                                                    \
    X(proven, proven, NUMBER)                                                                      \
    X(registered_us, registered_us, ID)
#define NAMES  APP(COLUMN_NAME)
#define MARKS  APP(COLUMN_MARK)
#define SELECT "select id, redirects" NAMES " from ident_app "

static int read_app(struct tx *tx, sqlite3_stmt *st, struct ident_app *row)
{
    struct record found = {.arena = tx->arena}, *rec = &found;
    unsigned at = 2;
    int r = ROW_ONLY(tx, st, rec);
    if (r != 1)
        return r;
    const char *redirects = record_text(rec, 1);
    *row = (struct ident_app){.id = record_int(rec, 0)};
    APP(COLUMN_TAKE)
    return json_parse(tx->arena, redirects, strlen(redirects), NULL, &row->redirects, tx->err) < 0
               ? -1
               : 1;
}

int app_find(struct tx *tx, const char *client_id, struct ident_app *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where client_id = :client");
    return read_app(tx, TX_QUERY(tx, &q, client_id), ret);
}

int app_get(struct tx *tx, int64_t id, struct ident_app *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where id = :id");
    return read_app(tx, TX_QUERY(tx, &q, id), ret);
}

/* NULL: it is too long. */
static const char *list_json(struct tx *tx, const struct json *list)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, MAX_REDIRECTS);
    json_init(&w, &b, false, NULL);
    if (list) {
        json_value(&w, NULL, list);
    } else {
        json_arr(&w, NULL);
        json_end(&w);
    }
    const char *text = buf_failed(&b) ? NULL : arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    if (!text)
        tx_fail(tx, SOSIA_E_TOO_LARGE, "redirects", NULL,
                "the redirect addresses of an app must have at most 1 MiB, not more");
    return text;
}

int app_new(struct tx *tx, struct ident_app *row)
{
    static struct sql_text q =
        SQL_TEXT("insert into ident_app (redirects" NAMES ") values (?" MARKS ")");
    const char *redirects = list_json(tx, row->redirects);
    if (!redirects || TX_RUN(tx, &q, redirects APP(COLUMN_VALUE)) < 0)
        return -1;
    row->id = tx_last_id(tx);
    return 0;
}

int app_save(struct tx *tx, const struct ident_app *row)
{
    static struct sql_text q =
        SQL_TEXT("update ident_app set redirects = ?" APP(COLUMN_SET) " where id = ?");
    const char *redirects = list_json(tx, row->redirects);
    return redirects ? TX_RUN(tx, &q, redirects APP(COLUMN_VALUE), row->id) : -1;
}

/* ---- redirect addresses ---- */

/* http://127.0.0.1:PORT/..., which installed programs listen on. What is behind the colon is a port
 * and not a password, which another host could follow. */
static bool is_loopback(const char *uri, size_t *ret_host, const char **ret_rest)
{
    static const char *const starts[] = {"http://127.0.0.1", "http://localhost", "http://[::1]"};
    for (size_t i = 0; i < SOSIA_LEN(starts); i++) {
        size_t n = strlen(starts[i]);
        if (strncmp(uri, starts[i], n) != 0)
            continue;
        *ret_host = n;
        if (uri[n] == ':')
            n += 1 + strspn(uri + n + 1, "0123456789");
        *ret_rest = uri + n;
        return strchr("/?", uri[n]) != NULL;
    }
    return false;
}

static bool is_local(const char *uri)
{
    size_t host;
    const char *rest;
    return is_loopback(uri, &host, &rest);
}

/* Do they differ in their ports at most? */
static bool same_but_port(const char *a, const char *b)
{
    size_t n, m;
    const char *rest, *other;
    return is_loopback(a, &n, &rest) && is_loopback(b, &m, &other) && n == m &&
           memcmp(a, b, n) == 0 && strcmp(rest, other) == 0;
}

static bool has_scheme(const char *uri)
{
    size_t n = strspn(uri, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
    return n && strncmp(uri + n, "://", 3) == 0;
}

bool app_is_installed(const struct ident_app *app, const char *redirect)
{
    return strcmp(app->kind, "installed") == 0 ||
           (strcmp(app->kind, "any") == 0 && is_local(redirect));
}

bool app_redirect_allowed(const struct ident_app *app, const char *uri)
{
    for (const char *p = uri; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 127 || *p == '#')
            return false;
    if (strcmp(app->kind, "any") == 0 && has_scheme(uri))
        return true;
    bool installed = strcmp(app->kind, "installed") == 0;
    if (installed && !app->proven && is_local(uri))
        return true;
    for (uint32_t i = 0; i < app->redirects->n; i++) {
        const struct json *r = &app->redirects->items[i];
        if (r->type == JSON_STRING &&
            (strcmp(r->str, uri) == 0 || (installed && same_but_port(r->str, uri))))
            return true;
    }
    return false;
}

/* ---- in seed documents ---- */

static const char *const kinds[] = {"web", "installed", "device", "any", NULL};
static const char *const consents[] = {"page", "proven", NULL};

/* In the words of the section. */
static int read_kind(const struct form_in *in, const struct member *m, void *row)
{
    const struct app_section *section = in->of;
    int kind;
    if (doc_enum(in->d, in->value, m->name, section->kinds, 0, &kind) < 0)
        return -1;
    ((struct ident_app *)row)->kind = kinds[kind];
    return 0;
}

static int write_kind(const struct form_out *out, const struct member *m, const void *row)
{
    const struct app_section *section = out->of;
    const int kind = str_place(kinds, ((const struct ident_app *)row)->kind);
    json_str(out->w, m->name, section->kinds[kind < 0 ? 0 : kind]);
    return 0;
}

static int read_redirects(const struct form_in *in, const struct member *m, void *row)
{
    const char **list;
    size_t n;
    ((struct ident_app *)row)->redirects = json_get(in->value, m->name);
    return doc_strings(in->d, in->value, m->name, &list, &n);
}

static int write_redirects(const struct form_out *out, const struct member *m, const void *row)
{
    const struct ident_app *app = row;
    if (app->redirects->n)
        json_value(out->w, m->name, app->redirects);
    return 0;
}

static int check_client(const struct form_in *in, void *row)
{
    struct ident_app *app = row;
    (void)in;
    app->name = app->name ? app->name : app->client_id;
    return 0;
}

static const struct member client_members[] = {
    {"client_id", "What programs call it", TEXT_AT(struct ident_app, client_id),
     .flags = MEMBER_REQUIRED},
    {"client_secret", "Its secret; none is asked for without it",
     TEXT_AT(struct ident_app, secret)},
    {"name", "On the page that asks for consent; the client id without it",
     TEXT_AT(struct ident_app, name)},
    {"kind", "web, installed, a device, any", .kind = MEMBER_OWN, .noun = "text", .read = read_kind,
     .write = write_kind},
    {"redirect_uris", "Where answers may be sent", .kind = MEMBER_OWN, .noun = "list of texts",
     .schema = "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"string\"}}",
     .read = read_redirects, .write = write_redirects},
    {"automatic", "Who consents without being asked",
     REF_AT(struct ident_app, automatic, &actor_reference)},
    {"consent", "Who may agree to it", ENUM_AT(struct ident_app, proven, consents)},
};
const struct form app_client_form = {.about = "A program that may sign in",
                                     .members = client_members,
                                     .n = SOSIA_LEN(client_members),
                                     .check = check_client};

static const struct member app_members[] = {
    PART(&app_client_form),
    {"vendor", "Whose app it is", TEXT_AT(struct ident_app, vendor)},
    {"bot", "The actor that acts for it", REF_AT(struct ident_app, bot, &actor_reference)},
    {"signing_secret", "Of what is sent to it", TEXT_AT(struct ident_app, signing_secret)},
};
const struct form app_form = FORM("An app", app_members);

static const struct form *form_of(const struct app_section *section)
{
    return section->vendor ? &app_client_form : &app_form;
}

int app_seed(struct tx *tx, struct doc *d, const struct json *v, const struct app_section *section)
{
    struct ident_app app = {.section = section->name, .vendor = section->vendor};
    if (form_read(&(struct form_in){tx, d, v, section}, form_of(section), &app) < 0)
        return -1;
    if (app_new(tx, &app) == 0)
        return 0;
    if (tx->err->code == SOSIA_E_TOO_LARGE)
        return doc_fail(d, app.redirects, "redirect_uris", "must have at most 1 MiB, not more");
    return doc_taken(d, v, "client_id");
}

int app_dump(struct tx *tx, int64_t rowid, struct json_writer *w, const struct app_section *section)
{
    struct ident_app app;
    int r = app_get(tx, rowid, &app);
    if (r != 1 || strcmp(app.section, section->name) != 0)
        return r < 0 ? -1 : 0;
    return form_write(&(struct form_out){tx, w, NULL, section}, form_of(section), &app) < 0 ? -1
                                                                                            : 1;
}

int app_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select client_id from ident_app where id = :id");
    return dump_key(tx, w, "client_id", &q, rowid);
}

int app_named(struct tx *tx, struct doc *d, const struct json *at, const char *member,
              const char *client_id, int64_t *ret)
{
    struct ident_app app = {.id = APP_NONE};
    int r = *client_id ? app_find(tx, client_id, &app) : 1;
    if (r == 0)
        return doc_fail(d, at, member, "there is no app \"%.80s\"", client_id);
    *ret = app.id;
    return r < 0 ? -1 : 0;
}

int app_doc_member(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                   int64_t *ret)
{
    const char *client_id;
    if (doc_str(d, v, member, false, &client_id) < 0)
        return -1;
    return client_id ? app_named(tx, d, json_get(v, member), member, client_id, ret) : 0;
}

static int reference_find(struct tx *tx, const char *client_id, int64_t *ret)
{
    struct ident_app app = {.id = APP_NONE};
    int r = *client_id ? app_find(tx, client_id, &app) : 1;
    if (r == 1)
        *ret = app.id;
    return r;
}

static int reference_name(struct tx *tx, int64_t app, const char **ret)
{
    struct ident_app row = {.client_id = ""};
    int r = app > 0 ? app_get(tx, app, &row) : 0;
    *ret = r == 1 ? row.client_id : "";
    return r < 0 ? -1 : 1;
}

const struct reference app_reference = {
    .noun = "the client id of an app, \"\" for a program without one",
    .unknown = "there is no app",
    .find = reference_find,
    .name = reference_name,
};

int app_dump_member(struct tx *tx, struct json_writer *w, const char *member, int64_t app)
{
    struct ident_app row;
    int r = app > 0 ? app_get(tx, app, &row) : 0;
    if (r >= 0 && app)
        json_str(w, member, r ? row.client_id : "");
    return r < 0 ? -1 : 0;
}
