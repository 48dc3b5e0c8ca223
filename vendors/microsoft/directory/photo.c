/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures: rows, and what documents say of them. */
#include "engine/state/stored.h"
#include "vendors/microsoft/directory/photo.h"
#include "engine/base/codec.h"
#include "engine/blob/picture.h"
#include "engine/json/bytes.h"
#include "engine/world/core.h"
#include "vendors/microsoft/directory/contact.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/directory/rows.h"

static struct stored photo_stored;

int ms_photo_of(struct tx *tx, struct ms_photo *p)
{
    static struct sql_text q_user = SQL_TEXT("where user = :user"),
                           q_team = SQL_TEXT("where team = :team"),
                           q_contact = SQL_TEXT("where contact = :contact");
    return p->user   ? STORED_ONE(tx, &photo_stored, &q_user, p, p->user)
           : p->team ? STORED_ONE(tx, &photo_stored, &q_team, p, p->team)
                     : STORED_ONE(tx, &photo_stored, &q_contact, p, p->contact);
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
    struct picture picture;
    if (len > PHOTO_BYTES || !picture_read(data, len, &picture))
        return 0;
    p->type = picture_type(data);
    p->width = picture.width;
    p->height = picture.height;
    if (blob_put(tx, data, len, &p->blob) < 0 || ms_photo_drop(tx, p) < 0 ||
        stored_add(tx, &photo_stored, p) < 0)
        return -1;
    p->id = tx_last_id(tx);
    return 1;
}

/* ---- documents ---- */

static int find_group(struct tx *tx, const char *text, int64_t *ret)
{
    struct ms_group group;
    int r = ms_group_find(tx, text, 0, &group);
    if (r == 1)
        *ret = group.id;
    return r;
}

static int name_group(struct tx *tx, int64_t id, const char **ret)
{
    struct ms_group group;
    int r = ms_group_get(tx, id, &group);
    if (r == 1)
        *ret = group.email;
    return r;
}

static int find_contact(struct tx *tx, const char *text, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select id from ms_contact where key = :key");
    return TX_INT(tx, &q, ret, text);
}

static int name_contact(struct tx *tx, int64_t id, const char **ret)
{
    struct ms_contact contact;
    int r = ms_contact_get(tx, id, &contact);
    if (r == 1)
        *ret = contact.key;
    return r;
}

static const struct reference a_group = {"the address of a group", NULL, find_group, name_group},
                              a_contact = {"the id of a contact", NULL, find_contact, name_contact};

/* Whose it is: one of the three. */
static int read_photo_owner(const struct form_in *in, const struct member *m, void *row)
{
    const char *text;
    if (doc_str(in->d, in->value, m->name, false, &text) < 0)
        return -1;
    int r = text ? m->ref->find(in->tx, text, member_place(m, row)) : 1;
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_refuse(in->d, in->value, m->name, "there is no such %s", m->name);
}

static int check_photo(const struct form_in *in, void *row)
{
    const struct ms_photo *p = row;
    return !!p->user + !!p->team + !!p->contact == 1
               ? 0
               : doc_expect(in->d, in->value, "user",
                            "there, or group or contact, and one of them alone");
}

static int add_photo(const struct form_in *in, void *row)
{
    struct ms_photo *p = row, there = *p;
    const char *data, *base64 = json_get_str(in->value, "photo");
    size_t len;
    if (doc_base64(in->d, in->value, "photo", base64, &data, &len) < 0)
        return -1;
    int r = ms_photo_of(in->tx, &there);
    if (r == 1)
        return doc_fail(in->d, in->value, "photo", "belongs to an owner that has one already");
    if (r == 0)
        r = ms_photo_put(in->tx, p, data, len);
    return r == 0
               ? doc_refuse(in->d, in->value, "photo", "must be a JPEG, PNG or GIF of at most 4 MB")
               : (r < 0 ? -1 : 0);
}

static int read_picture(const struct form_in *in, const struct member *m, void *row)
{
    const char *base64; /* what it is comes when all else is read */
    (void)row;
    return doc_str(in->d, in->value, m->name, true, &base64);
}

static int write_picture(const struct form_out *out, const struct member *m, const void *row)
{
    const char *data;
    size_t len;
    if (blob_load(out->tx, ((const struct ms_photo *)row)->blob, &data, &len) < 0)
        return -1;
    json_base64(out->w, m->name, data, len);
    return 0;
}

static const struct member photo_members[] = {
    STORED_ID(struct ms_photo),
    {"user", "Of whom", REF_AT(struct ms_photo, user, &ms_user_reference),
     .read = read_photo_owner},
    {"group", "Or of which group", REF_AT(struct ms_photo, team, &a_group),
     .read = read_photo_owner},
    {"contact", "Or of which contact", REF_AT(struct ms_photo, contact, &a_contact),
     .read = read_photo_owner},
    {"photo", "JPEG, PNG or GIF, in base64", .kind = MEMBER_OWN, .noun = "text",
     .flags = MEMBER_REQUIRED, .read = read_picture, .write = write_picture},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct ms_photo, blob, int64_t)},
    {.kind = MEMBER_TEXT, MEMBER_TYPED(struct ms_photo, type, const char *)},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct ms_photo, width, int64_t)},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct ms_photo, height, int64_t)},
};
STORED_HERE(photo_stored, "A photo", struct ms_photo, photo_members, check_photo,
            .table = "ms_photo", .key = "user group contact", .add = add_photo);

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
        if (stored_get(tx, &photo_stored, id, &p) != 1 || blob_ref(tx, p.blob) < 0)
            return -1;
    return r;
}

static const struct section sections[] = {
    {.name = "microsoftPhotos",
     .stored = &photo_stored,
     .ids = SECTION_IDS("select id from ms_photo order by id")},
};

static const struct entity entities[] = {
    {.name = "microsoft_photo", .table = "ms_photo", .stored = &photo_stored},
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
