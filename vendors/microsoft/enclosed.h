/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What attachments hold that are not files: events and contacts in an itemAttachment, as bodies of
 * requests have them, and links to files in a referenceAttachment. An event is an iCalendar object
 * and a contact a vCard where somebody wants its bytes; all that was said of it is in a property
 * of its own there, so that it is read back as it was.
 */
#ifndef SOSIA_MICROSOFT_ENCLOSED_H
#define SOSIA_MICROSOFT_ENCLOSED_H

#include "vendors/microsoft/graph.h"

enum graph_enclosed { ENCLOSED_MESSAGE, ENCLOSED_EVENT, ENCLOSED_CONTACT };

/* What the `item` of an attachment is, by its @odata.type; a message where it has none. Its members
 * are held against that type. 0, -1 refused. */
int graph_enclosed_kind(struct call *c, const struct json *item, enum graph_enclosed *ret);
/* It as text, lines ended by CRLF: iCalendar, a vCard, and of a message its head and its text. In
 * the arena. */
const char *graph_enclosed_text(struct arena *a, enum graph_enclosed kind, const struct json *item);
/* "text/calendar; method=PUBLISH", "text/vcard". Static. */
const char *graph_enclosed_type(enum graph_enclosed kind);
/* What such a text was made of: 1; 0 it is another text. In the arena. */
int graph_enclosed_item(struct arena *a, const char *text, size_t len, enum graph_enclosed *ret,
                        const struct json **ret_item);
/* The member `item`: it has no id of its own (MG-386). changed_us: when it was attached. */
void graph_enclosed_write(struct call *c, enum graph_enclosed kind, const struct json *item,
                          int64_t changed_us);

/* A link. Members that were not said are NULL. */
struct graph_reference {
    const char *source, *provider, *thumbnail, *preview, *permission;
    int folder; /* -1: not said */
};
/* Of an attachment in a body; below /beta alone has it these members, and it needs a link. 0, -1
 * refused. */
int graph_reference_read(struct call *c, const struct json *v, struct graph_reference *ret);
/* Its members, which answers have below /beta alone. */
void graph_reference_write(struct call *c, const struct graph_reference *r);
/* 405: $value of a link. */
int graph_no_value(struct call *c);

#endif
