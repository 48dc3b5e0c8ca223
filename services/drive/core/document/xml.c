/* SPDX-License-Identifier: Apache-2.0 */
/* XML, by libxml2. */
#include "services/drive/core/document/xml.h"
#include <libxml/xmlreader.h>
#include <limits.h>
#include <string.h>

/* libxml2's own limits hold too, as XML_PARSE_HUGE is not given: 256 levels, 10 MB a text. */
enum { OPTIONS = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA };

static void silent(void *arg, xmlErrorPtr why)
{
    (void)arg;
    (void)why;
}

int xml_init(struct xml *x, const char *bytes, size_t len, struct sosia_err *err)
{
    *x = (struct xml){0};
    if (len > INT_MAX)
        return sosia_fail(err, SOSIA_E_TOO_LARGE, "tooLarge", NULL, "XML of more than 2 GiB");
    x->reader = xmlReaderForMemory(len ? bytes : " ", len ? (int)len : 1, NULL, NULL, OPTIONS);
    if (!x->reader)
        return sosia_fail_memory(err);
    xmlTextReaderSetStructuredErrorHandler(x->reader, silent, NULL);
    return 0;
}

void xml_done(struct xml *x)
{
    if (x->reader)
        xmlFreeTextReader(x->reader);
    x->reader = NULL;
}

enum xml_event xml_next(struct xml *x)
{
    if (!x->reader)
        return XML_BROKEN;
    if (x->empty) {
        x->empty = false;
        return XML_CLOSE;
    }
    for (int rc; (rc = xmlTextReaderRead(x->reader)) != 0;) {
        if (rc < 0)
            return XML_BROKEN;
        x->depth = xmlTextReaderDepth(x->reader);
        switch (xmlTextReaderNodeType(x->reader)) {
        case XML_READER_TYPE_ELEMENT:
            x->name = (const char *)xmlTextReaderConstLocalName(x->reader);
            x->empty = xmlTextReaderIsEmptyElement(x->reader) == 1;
            return XML_OPEN;
        case XML_READER_TYPE_END_ELEMENT:
            x->name = (const char *)xmlTextReaderConstLocalName(x->reader);
            return XML_CLOSE;
        case XML_READER_TYPE_TEXT:
        case XML_READER_TYPE_CDATA:
        case XML_READER_TYPE_SIGNIFICANT_WHITESPACE:
        case XML_READER_TYPE_WHITESPACE:
            x->text = (const char *)xmlTextReaderConstValue(x->reader);
            if (x->text)
                return XML_TEXT;
            break;
        case XML_READER_TYPE_DOCUMENT_TYPE:
        case XML_READER_TYPE_ENTITY_REFERENCE:
        case XML_READER_TYPE_ENTITY:
            return XML_BROKEN; /* no office format has any */
        default:
            break;
        }
    }
    return XML_END_OF_TEXT;
}

static const char *xml_value_of(struct xml *x, struct arena *a, const char *name, bool prefixed)
{
    const char *ret = NULL;
    for (int rc = xmlTextReaderMoveToFirstAttribute(x->reader); rc == 1 && !ret;
         rc = xmlTextReaderMoveToNextAttribute(x->reader)) {
        if (xmlTextReaderIsNamespaceDecl(x->reader) == 1 ||
            strcmp((const char *)xmlTextReaderConstLocalName(x->reader), name) != 0 ||
            (prefixed && !xmlTextReaderConstPrefix(x->reader)))
            continue;
        const char *value = (const char *)xmlTextReaderConstValue(x->reader);
        ret = arena_strdup(a, value ? value : "");
    }
    xmlTextReaderMoveToElement(x->reader);
    return ret;
}

const char *xml_attribute(struct xml *x, struct arena *a, const char *name)
{
    return xml_value_of(x, a, name, false);
}

const char *xml_relation(struct xml *x, struct arena *a)
{
    return xml_value_of(x, a, "id", true);
}

void xml_skip(struct xml *x)
{
    int depth = x->depth;
    enum xml_event e;
    while ((e = xml_next(x)) != XML_END_OF_TEXT && e != XML_BROKEN)
        if (e == XML_CLOSE && x->depth <= depth)
            return;
}

bool xml_is(const struct xml *x, const char *name)
{
    return x->name && !strcmp(x->name, name);
}
