/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of users, groups and contacts as Graph has them (learn.microsoft.com/graph/api/
 * profilephoto-get). Sizes are those that the service makes of a picture, as far as it is large
 * enough; all have the bytes that were laid there, since nothing here scales them. */
#include "engine/base/codec.h"
#include "engine/http/bytes.h"
#include "vendors/microsoft/directory/contact.h"
#include "vendors/microsoft/directory/photo.h"
#include "vendors/microsoft/directory/rows.h"

static const int64_t sides[] = {648, 504, 432, 360, 240, 120, 96, 64, 48};

/* ---- whose ---- */

#define READ_PHOTOS  "ProfilePhoto.Read.All ProfilePhoto.ReadWrite.All "
#define WRITE_PHOTOS "ProfilePhoto.ReadWrite.All "

struct place {
    struct ms_photo photo; /* id 0: there is none */
    const char *context;   /* "users('...')/photo" without the last word */
};

static int bad_identity(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "ErrorBadRequestInvalidTargetIdentity", NULL,
                     "Exception of type "
                     "'Microsoft.Fast.Profile.Core.Exception.ProfileBadRequestException' was "
                     "thrown.");
}

/* People change their own, administrators and apps those of others. */
static int place_of_user(struct call *c, bool change, struct place *ret)
{
    struct ms_user user;
    if (dir_user_of_path(c, change ? WRITE_PHOTOS WRITE_USERS : READ_PHOTOS READ_USERS, &user) < 0)
        return c->tx.err->code == SOSIA_E_NOT_FOUND ? bad_identity(c) : -1;
    bool own = user.actor == c->actor.id && !graph_app_only(c);
    int r = change && !own ? dir_may_change(c) : 1;
    ret->photo.user = user.id;
    ret->context = arena_printf(c->tx.arena, "users%s", graph_key(c->tx.arena, user.oid));
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(c);
}

static int place_of_group(struct call *c, bool change, struct place *ret)
{
    struct ms_group group;
    if (dir_group_of_path(c, &group) < 0 || (change && dir_may_change_group(c, &group) < 0))
        return -1;
    ret->photo.team = group.id;
    ret->context = arena_printf(c->tx.arena, "groups%s", graph_key(c->tx.arena, group.oid));
    return 0;
}

static int place_of_contact(struct call *c, struct place *ret)
{
    struct arena *a = c->tx.arena;
    struct ms_contact contact;
    struct graph_user u;
    if (ms_contact_of_path(c, &u, &contact) < 0)
        return -1;
    ret->photo.contact = contact.id;
    ret->context =
        arena_printf(a, "users%s/contacts%s", graph_key(a, u.key), graph_key(a, contact.key));
    return 0;
}

/* The owner of the path, and the picture that it has. 0, -1. */
static int open_place(struct call *c, bool change, struct place *ret)
{
    *ret = (struct place){.photo = {.id = 0}};
    int r = param_str(c, "contact-id") ? place_of_contact(c, ret)
            : param_str(c, "group-id") ? place_of_group(c, change, ret)
                                       : place_of_user(c, change, ret);
    return r < 0 || ms_photo_of(&c->tx, &ret->photo) < 0 ? -1 : 0;
}

static int no_photo(struct call *c)
{
    return call_fail(
        c, SOSIA_E_NOT_FOUND, "ImageNotFound", NULL,
        "Exception of type 'Microsoft.Fast.Profile.Core.Exception.ImageNotFoundException' was "
        "thrown.");
}

/* ---- sizes ---- */

static int64_t smaller_side(const struct ms_photo *p)
{
    return p->width < p->height ? p->width : p->height;
}

/* The largest size of a picture; 0: it is smaller than all of them, and has its own alone. */
static int64_t largest(const struct ms_photo *p)
{
    for (size_t i = 0; i < SOSIA_LEN(sides); i++)
        if (sides[i] <= smaller_side(p))
            return sides[i];
    return 0;
}

static const char *size_name(struct arena *a, const struct ms_photo *p, int64_t side)
{
    return arena_printf(a, "%lldx%lld", (long long)(side ? side : p->width),
                        (long long)(side ? side : p->height));
}

/* That of the path, or the largest one. 0, -1 there is no such size, or no picture. */
static int size_of_path(struct call *c, const struct ms_photo *p, int64_t *ret)
{
    const char *name = param_str(c, "size");
    *ret = p->id ? largest(p) : 0;
    if (!p->id)
        return no_photo(c);
    if (!name || str_eq_nocase(name, size_name(c->tx.arena, p, *ret)))
        return 0;
    for (size_t i = 0; i < SOSIA_LEN(sides); i++)
        if (sides[i] <= smaller_side(p) &&
            str_eq_nocase(name, size_name(c->tx.arena, p, sides[i]))) {
            *ret = sides[i];
            return 0;
        }
    return no_photo(c);
}

/* ---- answers ---- */

static int etag_of(struct call *c, const struct ms_photo *p, const char **ret)
{
    struct blob blob;
    char hex[65];
    if (blob_get(&c->tx, p->blob, &blob) != 1)
        return -1;
    hex_encode(hex, blob.sha256, 32);
    *ret = arena_printf(c->tx.arena, "W/\"%s\"", hex);
    return 0;
}

static void write_photo(struct call *c, const struct ms_photo *p, int64_t side, const char *etag)
{
    json_str(c->out, "@odata.mediaContentType", p->type);
    json_str(c->out, "@odata.mediaEtag", etag);
    json_str(c->out, "id", size_name(c->tx.arena, p, side));
    json_int(c->out, "width", side ? side : p->width);
    json_int(c->out, "height", side ? side : p->height);
}

static int photo_get(struct call *c)
{
    struct place at;
    const char *etag;
    int64_t side;
    if (open_place(c, false, &at) < 0 || size_of_path(c, &at.photo, &side) < 0 ||
        etag_of(c, &at.photo, &etag) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/%s/$entity", at.context, param_str(c, "size") ? "photos" : "photo");
    write_photo(c, &at.photo, side, etag);
    json_end(c->out);
    return 0;
}

static int photos_list(struct call *c)
{
    struct place at;
    const char *etag = NULL;
    if (open_place(c, false, &at) < 0 || (at.photo.id && etag_of(c, &at.photo, &etag) < 0))
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/photos", at.context);
    json_arr(c->out, "value");
    for (size_t i = SOSIA_LEN(sides); at.photo.id && i-- > 0;) {
        if (sides[i] > smaller_side(&at.photo))
            continue;
        json_obj(c->out, NULL);
        write_photo(c, &at.photo, sides[i], etag);
        json_end(c->out);
    }
    if (at.photo.id && !largest(&at.photo)) {
        json_obj(c->out, NULL);
        write_photo(c, &at.photo, 0, etag);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int photo_value(struct call *c)
{
    struct place at;
    int64_t side;
    if (open_place(c, false, &at) < 0 || size_of_path(c, &at.photo, &side) < 0 ||
        etag_of(c, &at.photo, &c->etag) < 0)
        return -1;
    call_header(c, "Content-Type", at.photo.type);
    return call_send_blob(c, at.photo.blob, c->etag, NULL);
}

/* ---- changes ---- */

static int photo_set(struct call *c)
{
    struct place at;
    const char *data;
    if (open_place(c, true, &at) < 0)
        return -1;
    int r = c->content.len ? bytes_view(&c->tx, &c->content, PHOTO_BYTES, &data) : 0;
    if (r == 0)
        r = c->content.len ? ms_photo_put(&c->tx, &at.photo, data, (size_t)c->content.len) : 0;
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(c, SOSIA_E_INVALID, "ErrorInvalidImageData", NULL,
                               "The image must be a JPEG, PNG or GIF of at most 4 MB.");
}

static int photo_delete(struct call *c)
{
    struct place at;
    if (open_place(c, true, &at) < 0)
        return -1;
    int r = ms_photo_drop(&c->tx, &at.photo);
    c->status = 204;
    return r == 1 ? 0 : r < 0 ? -1 : no_photo(c);
}

/* ---- rows ---- */

#define KEY(name_)                                                                                 \
    {                                                                                              \
        .name = (name_), .place = IN_PATH, .required = true                                        \
    }
static const struct param user_params[] = {KEY("user-id"), KEY("size")};
static const struct param group_params[] = {KEY("group-id"), KEY("size")};
static const struct param contact_params[] = {KEY("user-id"), KEY("contactFolder-id"),
                                              KEY("contact-id"), KEY("size")};

#define PHOTO "microsoft.graph.profilePhoto"
#define PHOTO_ROWS(prefix, of, own, read, write, whose)                                            \
    {.id = prefix ".photo.get",                                                                    \
     .verbs = GET,                                                                                 \
     .paths = PATHS(of("/photo"), of("/photos/{size}")),                                           \
     .handler = photo_get,                                                                         \
     .risk = RISK_READ,                                                                            \
     .scopes = READ_PHOTOS read,                                                                   \
     PARAMS(own),                                                                                  \
     .response = PHOTO,                                                                            \
     .summary = "What the picture of " whose " is like"},                                          \
        {.id = prefix ".photo.list",                                                               \
         .verbs = GET,                                                                             \
         .paths = PATHS(of("/photos")),                                                            \
         .handler = photos_list,                                                                   \
         .risk = RISK_READ,                                                                        \
         .scopes = READ_PHOTOS read,                                                               \
         PARAMS(own),                                                                              \
         .response = PHOTO "CollectionResponse",                                                   \
         .summary = "The sizes that the picture of " whose " has"},                                \
        {.id = prefix ".photo.value",                                                              \
         .verbs = GET,                                                                             \
         .paths = PATHS(of("/photo/$value"), of("/photos/{size}/$value")),                         \
         .handler = photo_value,                                                                   \
         .risk = RISK_READ,                                                                        \
         .scopes = READ_PHOTOS read,                                                               \
         PARAMS(own),                                                                              \
         .gives = "image/jpeg",                                                                    \
         .summary = "The picture of " whose},                                                      \
        {.id = prefix ".photo.set",                                                                \
         .verbs = PUT | PATCH,                                                                     \
         .paths = PATHS(of("/photo/$value")),                                                      \
         .handler = photo_set,                                                                     \
         .risk = RISK_WRITE,                                                                       \
         .idempotent = true,                                                                       \
         .body = BODY_RAW,                                                                         \
         .max_body = PHOTO_BYTES,                                                                  \
         .scopes = WRITE_PHOTOS write,                                                             \
         PARAMS(own),                                                                              \
         .summary = "Give " whose " a picture"},                                                   \
    {                                                                                              \
        .id = prefix ".photo.delete", .verbs = DELETE,                                             \
        .paths = PATHS(of("/photo/$value"), of("/photo")), .handler = photo_delete,                \
        .risk = RISK_DESTRUCTIVE, .status = 204, .scopes = WRITE_PHOTOS write, PARAMS(own),        \
        .summary = "Take the picture of " whose " away"                                            \
    }

#define OF_GROUP(rest) GRAPH("/groups/{group-id}" rest)
#define OF_CONTACT(rest)                                                                           \
    GRAPH_MY("/contacts/{contact-id}" rest),                                                       \
        GRAPH_MY("/contactFolders/{contactFolder-id}/contacts/{contact-id}" rest)

static const struct route methods[] = {
    PHOTO_ROWS("directory.users", GRAPH_MY, user_params, "User.Read User.ReadWrite " READ_USERS,
               "User.ReadWrite " WRITE_USERS, "a user"),
    PHOTO_ROWS("directory.groups", OF_GROUP, group_params, READ_GROUPS, WRITE_GROUPS, "a group"),
};
const struct rows dir_photo_rows = ROWS(methods);

static const struct route of_contacts[] = {
    PHOTO_ROWS("contacts", OF_CONTACT, contact_params, "Contacts.Read Contacts.ReadWrite",
               "Contacts.ReadWrite", "a contact"),
};
const struct rows contact_photo_rows = ROWS(of_contacts);
