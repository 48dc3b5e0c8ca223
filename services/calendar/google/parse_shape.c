/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of bodies that are kept with an event and shown again: which members, and in which
 * order. Their types are the schema's; members that it lacks are ignored. */
#include "services/calendar/google/parse.h"

struct shape {
    const char *name;
    const struct shape *below; /* of an object, or of the objects in a list; NULL: the member is a
                                  scalar, a list of strings or a map of strings */
    bool mark;                 /* an object whose presence is its meaning */
};

static const struct shape source[] = {{"url"}, {"title"}, {NULL}};

static const struct shape gadget[] = {
    {"type"},   {"title"},   {"link"},        {"iconLink"}, {"width"},
    {"height"}, {"display"}, {"preferences"}, {NULL},
};

static const struct shape away[] = {{"autoDeclineMode"}, {"declineMessage"}, {NULL}};

static const struct shape focus[] = {
    {"autoDeclineMode"},
    {"declineMessage"},
    {"chatStatus"},
    {NULL},
};

static const struct shape custom_place[] = {{"label"}, {NULL}};

static const struct shape office[] = {
    {"buildingId"}, {"floorId"}, {"floorSectionId"}, {"deskId"}, {"label"}, {NULL},
};

static const struct shape place[] = {
    {"type"},
    {"homeOffice", .mark = true},
    {"customLocation", custom_place},
    {"officeLocation", office},
    {NULL},
};

static const struct shape birthday[] = {{"type"}, {NULL}};

/* fileId is the service's. */
static const struct shape attachment[] = {
    {"fileUrl"}, {"title"}, {"mimeType"}, {"iconLink"}, {NULL},
};

static const struct shape solution_key[] = {{"type"}, {NULL}};

static const struct shape solution[] = {{"key", solution_key}, {"name"}, {"iconUri"}, {NULL}};

static const struct shape request_status[] = {{"statusCode"}, {NULL}};

static const struct shape conference_request[] = {
    {"requestId"},
    {"conferenceSolutionKey", solution_key},
    {"status", request_status},
    {NULL},
};

static const struct shape entry_point[] = {
    {"entryPointType"},
    {"uri"},
    {"label"},
    {"pin"},
    {"accessCode"},
    {"meetingCode"},
    {"passcode"},
    {"password"},
    {"regionCode"},
    {"entryPointFeatures"},
    {NULL},
};

static const struct shape add_on[] = {{"parameters"}, {NULL}};
static const struct shape conference_parameters[] = {{"addOnParameters", add_on}, {NULL}};

static const struct shape conference[] = {
    {"createRequest", conference_request},
    {"entryPoints", entry_point},
    {"conferenceSolution", solution},
    {"conferenceId"},
    {"signature"},
    {"notes"},
    {"parameters", conference_parameters},
    {NULL},
};

static const struct shape *const shapes[] = {
    [SHAPED_SOURCE] = source,
    [SHAPED_GADGET] = gadget,
    [SHAPED_AWAY] = away,
    [SHAPED_FOCUS] = focus,
    [SHAPED_PLACE] = place,
    [SHAPED_BIRTHDAY] = birthday,
    [SHAPED_ATTACHMENT] = attachment,
    [SHAPED_CONFERENCE] = conference,
};

static void write_shaped(struct json_writer *w, const char *key, const struct json *v,
                         const struct json *old, const struct shape *s);

/* Of a map, what is a string. */
static void write_map(struct json_writer *w, const char *key, const struct json *v)
{
    json_obj(w, key);
    for (uint32_t i = 0; i < v->n; i++)
        if (v->members[i].value.type == JSON_STRING)
            json_value(w, v->members[i].key, &v->members[i].value);
    json_end(w);
}

static void shape_member(struct json_writer *w, const struct shape *s, const struct json *v,
                         const struct json *old)
{
    int64_t number = 0;
    if (s->mark) {
        json_obj(w, s->name);
        json_end(w);
    } else if (v->type == JSON_OBJECT && s->below) {
        write_shaped(w, s->name, v, old, s->below);
    } else if (v->type == JSON_OBJECT) {
        write_map(w, s->name, v);
    } else if (v->type == JSON_ARRAY && s->below) {
        json_arr(w, s->name);
        for (uint32_t i = 0; i < v->n; i++)
            write_shaped(w, NULL, &v->items[i], NULL, s->below);
        json_end(w);
    } else if (v->type == JSON_NUMBER) {
        json_i64(v, &number);
        json_int(w, s->name, number);
    } else if (v->type != JSON_STRING || v->n) {
        json_value(w, s->name, v);
    }
}

static void write_shaped(struct json_writer *w, const char *key, const struct json *v,
                         const struct json *old, const struct shape *s)
{
    json_obj(w, key);
    for (; s->name; s++) {
        const struct json *member = json_get(v, s->name), *was = json_get(old, s->name);
        if (!member && was)
            json_value(w, s->name, was);
        else if (!parse_null(member))
            shape_member(w, s, member, was);
    }
    json_end(w);
}

const struct json *parse_shaped(struct body *b, enum shaped what, const struct json *v,
                                const struct json *old)
{
    struct json_writer w;
    struct buf buf;
    json_start(&w, &buf);
    write_shaped(&w, NULL, v, b->mode == GCAL_PATCH ? old : NULL, shapes[what]);
    const struct json *kept = parse_value(b, buf_keep(&buf, b->c->tx.arena));
    return kept;
}
