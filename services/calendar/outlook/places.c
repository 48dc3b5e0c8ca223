/* SPDX-License-Identifier: Apache-2.0 */
/* Places of a tenant: its rooms and lists of rooms. */
#include "engine/base/codec.h"
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/place.h"
#include "vendors/microsoft/directory/directory.h"

#define PAGE 100

static const char *const types[] = {"room", "roomList"};

/* What Graph has besides id, address and name: of rooms and lists, and of rooms alone. */
static const char *const common[] = {"address", "geoCoordinates", "phone"};
static const char *const of_rooms[] = {"nickname",
                                       "label",
                                       "capacity",
                                       "building",
                                       "floorNumber",
                                       "floorLabel",
                                       "isWheelChairAccessible",
                                       "bookingType",
                                       "tags",
                                       "audioDeviceName",
                                       "videoDeviceName",
                                       "displayDeviceName"};

static bool is_of_kind(int kind, const char *member)
{
    for (size_t i = 0; i < SOSIA_LEN(common); i++)
        if (strcmp(common[i], member) == 0)
            return true;
    for (size_t i = 0; kind == PLACE_ROOM && i < SOSIA_LEN(of_rooms); i++)
        if (strcmp(of_rooms[i], member) == 0)
            return true;
    return false;
}

/* ---- writing ---- */

static const struct json *details_of(struct arena *a, const struct ocal_place *place)
{
    const struct json *v = NULL;
    struct sosia_err err;
    return place->details &&
                   json_parse(a, place->details, strlen(place->details), NULL, &v, &err) == 0
               ? v
               : NULL;
}

static void write_detail(struct json_writer *w, const struct ocal_place *place, const char *member,
                         const struct json *v)
{
    if (v) {
        json_value(w, member, v);
    } else if (strcmp(member, "nickname") == 0) {
        json_str(w, member, place->name);
    } else if (strcmp(member, "tags") == 0) {
        json_arr(w, member);
        json_end(w);
    } else if (strcmp(member, "bookingType") == 0) {
        json_word(w, member, "standard");
    } else {
        json_null(w, member);
    }
}

static void write_place_members(struct call *c, const struct ocal_place *place)
{
    struct json_writer *w = c->out;
    const struct json *details = details_of(c->tx.arena, place);
    json_str(w, "id", place->key);
    json_str(w, "emailAddress", place->email);
    json_str(w, "displayName", place->name);
    for (size_t i = 0; i < SOSIA_LEN(common); i++)
        write_detail(w, place, common[i], json_get(details, common[i]));
    for (size_t i = 0; place->kind == PLACE_ROOM && i < SOSIA_LEN(of_rooms); i++)
        write_detail(w, place, of_rooms[i], json_get(details, of_rooms[i]));
}

static int answer_place(struct call *c, const struct ocal_place *place, const struct odata_query *q)
{
    if (q && ocal_select(c, q, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "places%s/$entity", q ? odata_context(c->tx.arena, q) : "");
    json_word(c->out, "@odata.type",
              place->kind == PLACE_LIST ? "#microsoft.graph.roomList" : "#microsoft.graph.room");
    write_place_members(c, place);
    json_end(c->out);
    return 0;
}

/* ---- lists ---- */

/* Whether a filter asks for it: 1, 0, -1. */
static int is_wanted(struct call *c, const struct odata_query *q, const struct ocal_place *place)
{
    const struct odata_ctx ctx = {
        .arena = c->tx.arena, .get = odata_get_json, .now_us = c->tx.now_us};
    struct json_writer *old = c->out, w;
    const struct json *v = NULL;
    struct buf b;
    if (!q->filter)
        return 1;
    json_start(&w, &b);
    c->out = &w;
    json_obj(&w, NULL);
    write_place_members(c, place);
    json_end(&w);
    c->out = old;
    int r = buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                           : json_parse(c->tx.arena, b.data, b.len, NULL, &v, c->tx.err);
    buf_done(&b);
    return r < 0 ? -1 : odata_matches(&ctx, q->filter, v);
}

static int list_places(struct call *c, enum ocal_place_kind kind, const struct ocal_place *list)
{
    struct ocal_place place = {.email = ""};
    struct odata_query q;
    int64_t tenant, seen = 0, written = 0;
    bool more = false;
    int r = graph_caller_tenant(c, &tenant);
    if (r != 1)
        return r < 0 ? -1 : graph_denied(c);
    if (ocal_options(c, types[kind], &q) < 0 || ocal_select(c, &q, true) < 0)
        return -1;
    const int64_t size = q.top >= 0 ? q.top : PAGE;
    const char *selected = odata_context(c->tx.arena, &q);
    json_obj(c->out, NULL);
    if (list)
        graph_context(c, "places%s/microsoft.graph.roomList/rooms%s",
                      graph_key(c->tx.arena, list->email), selected);
    else
        graph_context(c, "places/microsoft.graph.%s%s", types[kind], selected);
    json_arr(c->out, "value");
    while ((r = ocal_place_next(&c->tx, tenant, kind, list ? list->id : 0, place.email, &place)) ==
           1) {
        if ((r = is_wanted(c, &q, &place)) < 0)
            return -1;
        if (!r || seen++ < q.skip)
            continue;
        more |= written == size;
        if (written == size)
            continue; /* what is behind the page counts */
        json_obj(c->out, NULL);
        write_place_members(c, &place);
        json_end(c->out);
        written++;
    }
    if (r < 0)
        return -1;
    json_end(c->out);
    if (q.count)
        json_int(c->out, "@odata.count", seen);
    if (more)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skip",
                            arena_printf(c->tx.arena, "%lld", (long long)(q.skip + written))));
    json_end(c->out);
    return 0;
}

static int rooms_list(struct call *c)
{
    return list_places(c, PLACE_ROOM, NULL);
}

static int lists_list(struct call *c)
{
    return list_places(c, PLACE_LIST, NULL);
}

/* ---- one ---- */

static int place_of_path(struct call *c, struct ocal_place *ret)
{
    int64_t tenant;
    int r = graph_caller_tenant(c, &tenant);
    if (r == 1)
        r = ocal_place_find(&c->tx, tenant, param_str(c, "place-id"), ret);
    return r == 1 ? 0 : r < 0 ? -1 : graph_not_found(c);
}

static int rooms_of_list(struct call *c)
{
    struct ocal_place list;
    if (place_of_path(c, &list) < 0)
        return -1;
    return list.kind == PLACE_LIST && strchr(param_str(c, "place-id"), '@')
               ? list_places(c, PLACE_ROOM, &list)
               : graph_not_found(c);
}

static int places_get(struct call *c)
{
    struct ocal_place place;
    struct odata_query q;
    if (place_of_path(c, &place) < 0 || ocal_options(c, types[place.kind], &q) < 0)
        return -1;
    return answer_place(c, &place, &q);
}

/* Is the caller an app, or an administrator? 1, 0, -1. */
static int may_change(struct call *c)
{
    struct ms_user user;
    int64_t tenant;
    if (graph_app_only(c))
        return 1;
    int r = graph_caller_tenant(c, &tenant);
    if (r == 1)
        r = ms_user_of_actor(&c->tx, c->actor.id, tenant, &user);
    return r == 1 ? user.admin : r;
}

static int places_update(struct call *c)
{
    const struct json *body;
    struct ocal_place place;
    if (place_of_path(c, &place) < 0)
        return -1;
    int r = may_change(c);
    if (r != 1)
        return r < 0 ? -1 : graph_denied(c);
    if (!(body = call_body(c)))
        return -1;
    const char *name = json_get_str(body, "displayName");
    if (name && *name)
        place.name = name;
    for (uint32_t i = 0; i < body->n; i++) {
        const struct json *v = &body->members[i].value;
        if (is_of_kind(place.kind, body->members[i].key))
            ocal_object_set(c->tx.arena, &place.details, body->members[i].key,
                            v->type == JSON_NULL ? NULL : json_to_text(c->tx.arena, v));
    }
    return ocal_place_save(&c->tx, &place) < 0 ? -1 : answer_place(c, &place, NULL);
}

/* ---- rows ---- */

/* The router lets "microsoft.graph." be in front of a word. */
#define READ "Place.Read.All Place.ReadWrite.All"
static const struct param list_params[] = {
    {.name = "place-id", .place = IN_PATH, .required = true},
    {.name = "$select", .place = IN_QUERY},
    {.name = "$filter", .place = IN_QUERY},
    {.name = "$top", .place = IN_QUERY, .type = PARAM_INT, .min = 1, .max = OCAL_MAX_PAGE},
    {.name = "$skip", .place = IN_QUERY, .type = PARAM_INT, .min = 0, .max = INT32_MAX},
    {.name = "$count", .place = IN_QUERY, .type = PARAM_BOOL},
};
static const struct param one_params[] = {
    {.name = "place-id", .place = IN_PATH, .required = true},
    {.name = "$select", .place = IN_QUERY},
};
#define ROW(name, verb, function, how, allowed, parameters, ...)                                   \
    {                                                                                              \
        .id = "outlook.places." name, .verbs = verb, .handler = function, .risk = how,             \
        .scopes = allowed, PARAMS(parameters), __VA_ARGS__                                         \
    }
static const struct route methods[] = {
    ROW("listRooms", GET, rooms_list, RISK_READ, READ, list_params,
        .paths = PATHS(GRAPH("/places/room"), GRAPH("/places/graph.room")),
        .response = "microsoft.graph.roomCollectionResponse", .summary = "Rooms of the tenant"),
    ROW("listRoomLists", GET, lists_list, RISK_READ, READ, list_params,
        .paths = PATHS(GRAPH("/places/roomList"), GRAPH("/places/graph.roomList")),
        .response = "microsoft.graph.roomListCollectionResponse",
        .summary = "Lists of rooms of the tenant"),
    ROW("rooms", GET, rooms_of_list, RISK_READ, READ, list_params,
        .paths = PATHS(GRAPH("/places/{place-id}/roomList/rooms"),
                       GRAPH("/places/{place-id}/graph.roomList/rooms")),
        .response = "microsoft.graph.roomCollectionResponse",
        .summary = "Rooms in a list of rooms"),
    ROW("get", GET, places_get, RISK_READ, READ, one_params,
        .paths = PATHS(GRAPH("/places/{place-id}"), GRAPH("/places/{place-id}/room"),
                       GRAPH("/places/{place-id}/graph.room"), GRAPH("/places/{place-id}/roomList"),
                       GRAPH("/places/{place-id}/graph.roomList")),
        .response = "microsoft.graph.room", .summary = "A room or a list of rooms"),
    ROW("update", PATCH, places_update, RISK_WRITE, "Place.ReadWrite.All", one_params,
        .paths = PATHS(GRAPH("/places/{place-id}")), .idempotent = true, .body = BODY_JSON,
        .request = "microsoft.graph.room", .response = "microsoft.graph.room",
        .summary = "Change what is said of a room or a list of rooms"),
};

const struct rows ocal_places = ROWS(methods);
