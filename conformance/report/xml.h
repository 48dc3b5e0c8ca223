/* SPDX-License-Identifier: Apache-2.0 */
/* Escaped strings in XML and HTML, and the head that pages for people share. */
#ifndef SOSIA_CONFORMANCE_XML_H
#define SOSIA_CONFORMANCE_XML_H

#include "engine/base/buf.h"

/* The document type, the character set and the style of a page; its title follows. */
extern const char html_head[];

void xml_escaped(struct buf *b, const char *text);
/* The string between the tags of an element without attributes. */
void xml_element(struct buf *b, const char *name, const char *text);

#endif
