/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that read bodies of events: parse_event.c, which has the table of members, and
 * parse_parts.c, which reads the lists and objects among them. */
#ifndef SOSIA_CALENDAR_GOOGLE_PARSE_H
#define SOSIA_CALENDAR_GOOGLE_PARSE_H

#include "services/calendar/google/gcal.h"

struct body {
    struct call *c;
    const struct calendar *cal;
    enum gcal_mode mode;
    const struct cal_event *old; /* NULL: there is none */
    struct cal_event *ev;
    const struct json *json;
    const char *at;               /* the member that is read; NULL: none yet */
    const struct json *extra_old; /* of ev before, parsed */
    struct json_member *extra;    /* what becomes of it; has room for every member */
    uint32_t n_extra;
};

/* What gives an int gives 0, or -1 with the call failed. */

/* Failures: 400 badRequest, invalid, required. */
int parse_bad(struct body *b);
int parse_invalid(struct body *b, const char *text);
int parse_required(struct body *b, const char *text);

static inline bool parse_null(const struct json *v)
{
    return !v || v->type == JSON_NULL;
}

/* Values, which have the types of the schema. NULL and null give the default; an empty string
 * counts as none. A word is one of words, as the closed set of its field says; its index. */
static inline const char *parse_text(const struct json *v)
{
    return parse_null(v) || !v->n ? NULL : v->str;
}
static inline bool parse_bool(const struct json *v, bool otherwise)
{
    return parse_null(v) ? otherwise : v->truth;
}
int parse_word(const struct json *v, const char *const *words, int otherwise);
/* A JSON text of ours as a value; NULL without memory. */
const struct json *parse_value(struct body *b, const char *text);

/* ---- parse_shape.c: objects that are kept as they came ---- */

enum shaped {
    SHAPED_SOURCE,
    SHAPED_GADGET,
    SHAPED_AWAY,
    SHAPED_FOCUS,
    SHAPED_PLACE,
    SHAPED_BIRTHDAY,
    SHAPED_ATTACHMENT,
    SHAPED_CONFERENCE
};
/* An object with the members that the service knows, in its order; of a patch, with what it does
 * not name as it was (old; NULL: there was none). In the arena; NULL without memory. */
const struct json *parse_shaped(struct body *b, enum shaped what, const struct json *v,
                                const struct json *old);

/* ---- parse_parts.c: members that are lists or objects ---- */

int parse_attendees(struct body *b, const struct json *v);
int parse_reminders(struct body *b, const struct json *v);
int parse_properties(struct body *b, const struct json *v);
int parse_source(struct body *b, const struct json *v);
int parse_gadget(struct body *b, const struct json *v);
int parse_label(struct body *b, const struct json *v);
int parse_away(struct body *b, const struct json *v);
int parse_focus(struct body *b, const struct json *v);
int parse_place(struct body *b, const struct json *v);
int parse_birthday(struct body *b, const struct json *v);
int parse_attachments(struct body *b, const struct json *v);
int parse_conference(struct body *b, const struct json *v);

#endif
