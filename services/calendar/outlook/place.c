/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of places, and the section places of seed documents. */
#include "services/calendar/outlook/place.h"
#include "engine/base/codec.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/graph.h"

static int by_email(struct tx *tx, const char *email, struct ocal_place *ret)
{
    static struct sql_text q = SQL_TEXT("where email = ?1");
    return STORED_ONE(tx, &ocal_places_stored, &q, ret, email);
}

/* ---- in documents ---- */

static int list_of_text(struct tx *tx, const char *text, int64_t *ret)
{
    struct ocal_place place;
    int r = by_email(tx, text, &place);
    if (r == 1 && place.kind != PLACE_LIST)
        r = 0;
    if (r == 1)
        *ret = place.id;
    return r;
}

static int text_of_list(struct tx *tx, int64_t id, const char **ret)
{
    struct ocal_place place;
    int r = stored_get(tx, &ocal_places_stored, id, &place);
    if (r == 1)
        *ret = place.email;
    return r;
}

static const struct reference list_reference = {
    .noun = "the address of a list of rooms",
    .unknown = "there is no list of rooms in front of it with the address",
    .find = list_of_text,
    .name = text_of_list};

static int check_email(const struct form_in *in, const struct member *m, void *row)
{
    struct ocal_place *place = row;
    const char *email = place->email ? email_normal(in->tx->arena, place->email) : NULL;
    if (place->email && !email)
        return doc_expect(in->d, json_get(in->value, m->name), m->name, "an e-mail address");
    place->email = email;
    return 0;
}

static int add_place(const struct form_in *in, void *row);

static const char *const kinds[] = {"room", "roomList", NULL};
static const struct member place_members[] = {
    STORED_ID(struct ocal_place),
    {"email", "Its address: of a room that of a person of kind resource",
     TEXT_AT(struct ocal_place, email), .flags = MEMBER_REQUIRED, .check = check_email},
    {"id", "A GUID; made of the address without it", TEXT_AT(struct ocal_place, key),
     .flags = MEMBER_ALWAYS},
    {"kind", "What it is", ENUM_AT(struct ocal_place, kind, kinds)},
    {"name", "Its name; the person's without it", TEXT_AT(struct ocal_place, name)},
    {"list", "The address of the list of rooms that it is in",
     REF_AT(struct ocal_place, list, &list_reference)},
    {"details", "What Graph has besides: building, capacity, tags and so on",
     JSON_AT(struct ocal_place, details)},
};
STORED(ocal_places_stored, "A room or a list of rooms", struct ocal_place, place_members, NULL,
       .table = "ocal_place", .key = "email", .add = add_place);

/* Name and id of a place that says neither. */
static int fill_place(struct tx *tx, struct ocal_place *place)
{
    struct actor actor;
    int r = place->name ? 0 : actor_by_email(tx, place->email, &actor);
    if (!place->name)
        place->name = r == 1 && actor.name && *actor.name ? actor.name : place->email;
    if (!place->key)
        place->key = graph_guid(tx->arena, "place", place->email);
    return r < 0 ? -1 : 0;
}

/* A room that came with its person has what the document says of it. */
static int add_place(const struct form_in *in, void *row)
{
    struct ocal_place *place = row, had;
    if (fill_place(in->tx, place) < 0)
        return -1;
    int r = by_email(in->tx, place->email, &had);
    if (r < 1)
        return r < 0 ? -1 : stored_add(in->tx, &ocal_places_stored, place);
    if (had.details || had.kind != place->kind)
        return tx_fail(in->tx, SOSIA_E_CONFLICT, NULL, NULL, "a place has this address");
    place->id = had.id;
    return ocal_place_save(in->tx, place);
}

/* ---- rows ---- */

int ocal_room_of(struct tx *tx, const struct actor *actor)
{
    struct ocal_place place = {.email = actor->email, .name = actor->name}, had;
    int r = by_email(tx, actor->email, &had);
    if (r)
        return r < 0 ? -1 : 0;
    return fill_place(tx, &place) < 0 ? -1 : stored_add(tx, &ocal_places_stored, &place);
}

int ocal_place_save(struct tx *tx, const struct ocal_place *place)
{
    static struct sql_text q =
        SQL_TEXT("update ocal_place set key = :key, name = :name, list = :list, details = :details "
                 "where id = :id");
    return TX_RUN(tx, &q, place->key, place->name, sql_int_or_null(place->list, 0), place->details,
                  place->id);
}

/* Is it the tenant's? 1, 0, -1. */
static int is_of(struct tx *tx, int64_t tenant, const struct ocal_place *place)
{
    struct ms_tenant its;
    const char *at = strchr(place->email, '@');
    int r = at ? ms_tenant_find(tx, at + 1, &its) : 0;
    return r == 1 ? its.id == tenant : r;
}

int ocal_place_next(struct tx *tx, int64_t tenant, enum ocal_place_kind kind, int64_t list,
                    const char *after, struct ocal_place *ret)
{
    static struct sql_text q =
        SQL_TEXT("where email > ?1 and kind = ?2 and (?3 = 0 or list = ?3) order by email limit 1");
    int r;
    do {
        r = STORED_ONE(tx, &ocal_places_stored, &q, ret, after, (int64_t)kind, list);
        if (r != 1)
            return r;
        after = ret->email;
    } while (!(r = is_of(tx, tenant, ret)));
    return r;
}

int ocal_place_find(struct tx *tx, int64_t tenant, const char *text, struct ocal_place *ret)
{
    static struct sql_text q = SQL_TEXT("where key = lower(?1) or email = lower(?1)");
    int r = STORED_ONE(tx, &ocal_places_stored, &q, ret, text);
    return r == 1 ? is_of(tx, tenant, ret) : r;
}
