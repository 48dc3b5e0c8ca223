/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of bodies that are kept with an event and told again: what may stand in them, and in
 * which order it is told. What the service does not know of is passed over. */
#include "services/calendar/google/parse.h"

enum shape_type {
    SHAPE_END,
    SHAPE_TEXT,
    SHAPE_WORD,   /* one of words */
    SHAPE_NUMBER, /* a whole one */
    SHAPE_OBJECT, /* of the shape below */
    SHAPE_LIST,   /* of objects of the shape below */
    SHAPE_TEXTS,  /* a list of texts */
    SHAPE_MAP,    /* of texts */
    SHAPE_ANY     /* an object that says something by being there */
};

struct shape {
    const char *name;
    enum shape_type type;
    const struct shape *below;
    const char *const *words;
};

static const char *const decline_modes[] = {"declineNone", "declineAllConflictingInvitations",
                                            "declineOnlyNewConflictingInvitations", NULL};
static const char *const chat_statuses[] = {"available", "doNotDisturb", NULL};
static const char *const place_types[] = {"homeOffice", "officeLocation", "customLocation", NULL};
static const char *const birthday_types[] = {"anniversary", "birthday", "custom",
                                             "other",       "self",     NULL};
static const char *const entry_types[] = {"video", "phone", "sip", "more", NULL};

static const struct shape source[] = {{"url", SHAPE_TEXT}, {"title", SHAPE_TEXT}, {NULL}};

static const struct shape gadget[] = {
    {"type", SHAPE_TEXT},     {"title", SHAPE_TEXT},      {"link", SHAPE_TEXT},
    {"iconLink", SHAPE_TEXT}, {"width", SHAPE_NUMBER},    {"height", SHAPE_NUMBER},
    {"display", SHAPE_TEXT},  {"preferences", SHAPE_MAP}, {NULL},
};

static const struct shape away[] = {{"autoDeclineMode", SHAPE_WORD, .words = decline_modes},
                                    {"declineMessage", SHAPE_TEXT},
                                    {NULL}};

static const struct shape focus[] = {
    {"autoDeclineMode", SHAPE_WORD, .words = decline_modes},
    {"declineMessage", SHAPE_TEXT},
    {"chatStatus", SHAPE_WORD, .words = chat_statuses},
    {NULL},
};

static const struct shape custom_place[] = {{"label", SHAPE_TEXT}, {NULL}};

static const struct shape office[] = {
    {"buildingId", SHAPE_TEXT}, {"floorId", SHAPE_TEXT}, {"floorSectionId", SHAPE_TEXT},
    {"deskId", SHAPE_TEXT},     {"label", SHAPE_TEXT},   {NULL},
};

static const struct shape place[] = {
    {"type", SHAPE_WORD, .words = place_types},
    {"homeOffice", SHAPE_ANY},
    {"customLocation", SHAPE_OBJECT, custom_place},
    {"officeLocation", SHAPE_OBJECT, office},
    {NULL},
};

static const struct shape birthday[] = {{"type", SHAPE_WORD, .words = birthday_types}, {NULL}};

/* fileId is the service's. */
static const struct shape attachment[] = {
    {"fileUrl", SHAPE_TEXT},
    {"title", SHAPE_TEXT},
    {"mimeType", SHAPE_TEXT},
    {"iconLink", SHAPE_TEXT},
    {NULL},
};

static const struct shape solution_key[] = {{"type", SHAPE_TEXT}, {NULL}};

static const struct shape solution[] = {
    {"key", SHAPE_OBJECT, solution_key}, {"name", SHAPE_TEXT}, {"iconUri", SHAPE_TEXT}, {NULL}};

static const struct shape request_status[] = {{"statusCode", SHAPE_TEXT}, {NULL}};

static const struct shape conference_request[] = {
    {"requestId", SHAPE_TEXT},
    {"conferenceSolutionKey", SHAPE_OBJECT, solution_key},
    {"status", SHAPE_OBJECT, request_status},
    {NULL},
};

static const struct shape entry_point[] = {
    {"entryPointType", SHAPE_WORD, .words = entry_types},
    {"uri", SHAPE_TEXT},
    {"label", SHAPE_TEXT},
    {"pin", SHAPE_TEXT},
    {"accessCode", SHAPE_TEXT},
    {"meetingCode", SHAPE_TEXT},
    {"passcode", SHAPE_TEXT},
    {"password", SHAPE_TEXT},
    {"regionCode", SHAPE_TEXT},
    {"entryPointFeatures", SHAPE_TEXTS},
    {NULL},
};

static const struct shape add_on[] = {{"parameters", SHAPE_MAP}, {NULL}};
static const struct shape conference_parameters[] = {{"addOnParameters", SHAPE_OBJECT, add_on},
                                                     {NULL}};

static const struct shape conference[] = {
    {"createRequest", SHAPE_OBJECT, conference_request},
    {"entryPoints", SHAPE_LIST, entry_point},
    {"conferenceSolution", SHAPE_OBJECT, solution},
    {"conferenceId", SHAPE_TEXT},
    {"signature", SHAPE_TEXT},
    {"notes", SHAPE_TEXT},
    {"parameters", SHAPE_OBJECT, conference_parameters},
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

static int write_shaped(struct body *b, struct json_writer *w, const char *key,
                        const struct json *v, const struct json *old, const struct shape *s);

static int write_texts(struct body *b, struct json_writer *w, const struct shape *s,
                       const struct json *v)
{
    bool map = s->type == SHAPE_MAP;
    if (v->type != (map ? JSON_OBJECT : JSON_ARRAY))
        return parse_bad(b);
    if (map)
        json_obj(w, s->name);
    else
        json_arr(w, s->name);
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json *x = map ? &v->members[i].value : &v->items[i];
        if (x->type != JSON_STRING)
            return parse_bad(b);
        json_strn(w, map ? v->members[i].key : NULL, x->str, x->n);
    }
    json_end(w);
    return 0;
}

static int write_list(struct body *b, struct json_writer *w, const struct shape *s,
                      const struct json *v)
{
    if (v->type != JSON_ARRAY)
        return parse_bad(b);
    json_arr(w, s->name);
    for (uint32_t i = 0; i < v->n; i++)
        if (write_shaped(b, w, NULL, &v->items[i], NULL, s->below) < 0)
            return -1;
    json_end(w);
    return 0;
}

static int copy_member(struct body *b, struct json_writer *w, const struct json *v,
                       const struct json *old, const struct shape *s)
{
    const char *text;
    int64_t number;
    int word;
    switch (s->type) {
    case SHAPE_TEXT:
        if (parse_text(b, v, &text) < 0)
            return -1;
        json_str_opt(w, s->name, text);
        return 0;
    case SHAPE_WORD:
        if (parse_word(b, v, s->words, 0, &word) < 0)
            return -1;
        json_str(w, s->name, s->words[word]);
        return 0;
    case SHAPE_NUMBER:
        if (json_i64(v, &number) < 0 || number < INT32_MIN || number > INT32_MAX)
            return parse_bad(b);
        json_int(w, s->name, number);
        return 0;
    case SHAPE_OBJECT:
        return write_shaped(b, w, s->name, v, old, s->below);
    case SHAPE_LIST:
        return write_list(b, w, s, v);
    case SHAPE_TEXTS:
    case SHAPE_MAP:
        return write_texts(b, w, s, v);
    case SHAPE_ANY:
        json_obj(w, s->name);
        json_end(w);
        return 0;
    case SHAPE_END:
        break;
    }
    return 0;
}

static int write_shaped(struct body *b, struct json_writer *w, const char *key,
                        const struct json *v, const struct json *old, const struct shape *s)
{
    if (v->type != JSON_OBJECT)
        return parse_bad(b);
    json_obj(w, key);
    for (; s->name; s++) {
        const struct json *member = json_get(v, s->name), *was = json_get(old, s->name);
        if (!member && was)
            json_value(w, s->name, was);
        else if (!parse_null(member) && copy_member(b, w, member, was, s) < 0)
            return -1;
    }
    json_end(w);
    return 0;
}

int parse_shaped(struct body *b, enum shaped what, const struct json *v, const struct json *old,
                 const struct json **ret)
{
    struct json_writer w;
    struct buf buf;
    buf_init(&buf, 0);
    json_init(&w, &buf, false, NULL);
    int rc = write_shaped(b, &w, NULL, v, b->mode == GCAL_PATCH ? old : NULL, shapes[what]);
    if (rc == 0)
        *ret = parse_value(b, arena_strdup(b->c->tx.arena, buf_str(&buf)));
    buf_done(&buf);
    return rc;
}
