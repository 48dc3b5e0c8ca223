/* SPDX-License-Identifier: Apache-2.0 */
/* Going through XML, by libxml2's pull reader: no tree, no DTD, no entities but the five, nothing
 * fetched, depth limited. Between the files of this folder only. */
#ifndef SOSIA_DRIVE_DOCUMENT_XML_H
#define SOSIA_DRIVE_DOCUMENT_XML_H

#include "engine/base/arena.h"
#include "engine/base/err.h"

enum xml_event { XML_END_OF_TEXT, XML_OPEN, XML_CLOSE, XML_TEXT, XML_BROKEN };

struct xml {
    void *reader;
    const char *name; /* XML_OPEN, XML_CLOSE: local, without prefix */
    const char *text; /* XML_TEXT */
    int depth;        /* of what is open around the event */
    bool empty;       /* an element without content was opened: its end is next */
};

/* 0; -1: NO_MEMORY. bytes must live as long. */
int xml_init(struct xml *x, const char *bytes, size_t len, struct sosia_err *err);
void xml_done(struct xml *x);
/* The next event; borrowed strings live until the next call. Every XML_OPEN has its XML_CLOSE. */
enum xml_event xml_next(struct xml *x);
/* An attribute of the element that was just opened, by its local name, in the arena; NULL: none. */
const char *xml_attribute(struct xml *x, struct arena *a, const char *name);
/* The same for the attribute "id" that has a prefix: a relationship of Office Open XML. */
const char *xml_relation(struct xml *x, struct arena *a);
/* Goes behind the end of the element that was just opened. */
void xml_skip(struct xml *x);
bool xml_is(const struct xml *x, const char *name);

#endif
