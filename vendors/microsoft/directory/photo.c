/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures: rows, and what documents say of them. */
#include "engine/state/own.h"
#include "vendors/microsoft/directory/photo.h"
#include "engine/base/codec.h"
#include "engine/blob/picture.h"
#include "engine/json/doc.h"
#include "engine/world/core.h"
#include "vendors/microsoft/directory/contact.h"
#include "vendors/microsoft/directory/directory.h"

#define SELECT "select id, user, team, contact, blob, type, width, height from ms_photo "

static int read_photo(struct tx *tx, sqlite3_stmt *st, struct ms_photo *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct ms_photo){.id = sqlite3_column_int64(st, 0),
                             .user = sqlite3_column_int64(st, 1),
                             .team = sqlite3_column_int64(st, 2),
                             .contact = sqlite3_column_int64(st, 3),
                             .blob = sqlite3_column_int64(st, 4),
                             .type = tx_string(tx, st, 5),
                             .width = sqlite3_column_int64(st, 6),
                             .height = sqlite3_column_int64(st, 7)};
    sql_done(st);
    return 1;
}

int ms_photo_of(struct tx *tx, struct ms_photo *p)
{
    static struct sql_text q_user = SQL_TEXT(SELECT "where user = :user");
    static struct sql_text q_team = SQL_TEXT(SELECT "where team = :team");
    static struct sql_text q_contact = SQL_TEXT(SELECT "where contact = :contact");
    return read_photo(tx,
                      p->user   ? TX_QUERY(tx, &q_user, p->user)
                      : p->team ? TX_QUERY(tx, &q_team, p->team)
                                : TX_QUERY(tx, &q_contact, p->contact),
                      p);
}

int ms_photo_drop(struct tx *tx, const struct ms_photo *owner)
{
    static struct sql_text q = SQL_TEXT("delete from ms_photo where id = :id");
    struct ms_photo photo = *owner;
    int r = ms_photo_of(tx, &photo);
    if (r != 1)
        return r;
    return blob_unref(tx, photo.blob) < 0 || TX_RUN(tx, &q, photo.id) < 0 ? -1 : 1;
}

int ms_photo_put(struct tx *tx, struct ms_photo *p, const void *data, size_t len)
{
    static struct sql_text q =
        SQL_TEXT("insert into ms_photo (user, team, contact, blob, type, width, height) values "
                 "(:user, :team, :contact, :blob, :type, :width, :height)");
    struct picture picture;
    if (len > PHOTO_BYTES || !picture_read(data, len, &picture))
        return 0;
    p->type = picture_type(data);
    p->width = picture.width;
    p->height = picture.height;
    if (blob_put(tx, data, len, &p->blob) < 0 || ms_photo_drop(tx, p) < 0 ||
        TX_RUN(tx, &q, sql_int_or_null(p->user, 0), sql_int_or_null(p->team, 0),
               sql_int_or_null(p->contact, 0), p->blob, p->type, p->width, p->height) < 0)
        return -1;
    p->id = tx_last_id(tx);
    return 1;
}

/* ---- documents ---- */

/* Whose it is: the member "user", "group" or "contact". 0, -1. */
static int photo_owner(struct tx *tx, struct doc *d, const struct json *v, struct ms_photo *ret)
{
    static const char *const names[] = {"user", "group", "contact"};
    static struct sql_text q = SQL_TEXT("select id from ms_contact where key = :key");
    const char *text[3], *name = NULL;
    struct ms_user user = {.id = 0};
    struct ms_group group = {.id = 0};
    int r = 0, n = 0;
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        if (doc_str(d, v, names[i], false, &text[i]) < 0)
            return -1;
        n += text[i] != NULL;
        name = text[i] ? names[i] : name;
    }
    if (n != 1)
        return doc_expect(d, v, "user", "there, or group or contact, and one of them alone");
    if (text[0])
        r = ms_user_find(tx, text[0], 0, &user);
    else if (text[1])
        r = ms_group_find(tx, text[1], 0, &group);
    else
        r = TX_INT(tx, &q, &ret->contact, text[2]);
    ret->user = user.id;
    ret->team = group.id;
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(d, json_get(v, name), name, "there is no such %s", name);
}

static const struct member photo_members[] = {
    OWN("user", "Of whom", "text"),
    OWN("group", "Or of which group", "text"),
    OWN("contact", "Or of which contact", "text"),
    OWN_NEEDED("photo", "JPEG, PNG or GIF, in base64"),
};
static const struct form photo_form = FORM("A photo", photo_members);

static int photo_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct ms_photo photo = {.id = 0};
    const char *base64;
    uint8_t *data;
    size_t len;
    if (form_known(&(struct form_in){tx, d, v}, &photo_form) < 0 ||
        photo_owner(tx, d, v, &photo) < 0 || doc_str(d, v, "photo", true, &base64) < 0)
        return -1;
    if (base64_decode(tx->arena, base64, strlen(base64), &data, &len) < 0)
        return doc_fail(d, json_get(v, "photo"), "photo", "is not base64");
    struct ms_photo there = photo;
    int r = ms_photo_of(tx, &there);
    if (r == 1)
        return doc_fail(d, v, "photo", "belongs to an owner that has one already");
    if (r == 0)
        r = ms_photo_put(tx, &photo, data, len);
    return r == 0 ? doc_fail(d, json_get(v, "photo"), "photo",
                             "must be a JPEG, PNG or GIF of at most 4 MB")
                  : (r < 0 ? -1 : 0);
}

static int get(struct tx *tx, int64_t id, struct ms_photo *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where id = :id");
    return read_photo(tx, TX_QUERY(tx, &q, id), ret);
}

static int write_photo_owner(struct tx *tx, const struct ms_photo *p, struct json_writer *w)
{
    struct ms_user user;
    struct ms_group group;
    struct ms_contact contact;
    int r = p->user   ? ms_user_get(tx, p->user, &user)
            : p->team ? ms_group_get(tx, p->team, &group)
                      : ms_contact_get(tx, p->contact, &contact);
    if (r == 1)
        json_str(w,
                 p->user   ? "user"
                 : p->team ? "group"
                           : "contact",
                 p->user   ? user.upn
                 : p->team ? group.email
                           : contact.key);
    return r;
}

static int photo_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ms_photo p;
    const char *data;
    struct buf b;
    size_t len;
    int r = get(tx, rowid, &p);
    if (r == 1)
        r = write_photo_owner(tx, &p, w);
    if (r != 1)
        return r;
    if (blob_load(tx, p.blob, &data, &len) < 0)
        return -1;
    buf_init(&b, 0);
    base64_add(&b, data, len);
    json_strn(w, "photo", buf_str(&b), b.len);
    buf_done(&b);
    return 1;
}

static int photo_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ms_photo p;
    int r = get(tx, rowid, &p);
    return r == 1 ? (write_photo_owner(tx, &p, w) < 0 ? -1 : 0) : r;
}

/* ---- the core ---- */

/* Each row that names a blob has a reference of it. */
static int photos_derive(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select id from ms_photo where id > :after order by id limit 1");
    struct ms_photo p;
    int64_t id = 0;
    int r;
    while ((r = TX_INT(tx, &q, &id, id)) == 1)
        if (get(tx, id, &p) != 1 || blob_ref(tx, p.blob) < 0)
            return -1;
    return r;
}

static const struct section sections[] = {
    {.name = "microsoftPhotos",
     .seed_one = photo_seed,
     .ids = SECTION_IDS("select id from ms_photo order by id"),
     .dump_one = photo_dump,
     .form = &photo_form},
};

static const struct entity entities[] = {
    {.name = "microsoft_photo", .table = "ms_photo", .key = photo_key, .dump = photo_dump},
};

static const struct core_rule rules[] = {
    {"ms_photo", "not exists (select 1 from blob b where b.id = ms_photo.blob)"},
    {NULL, NULL},
};

const struct sosia_core microsoft_photos_core = {
    .name = "microsoft_photos",
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .rules = rules,
    .derive = photos_derive,
};
