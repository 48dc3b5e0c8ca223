/* SPDX-License-Identifier: Apache-2.0 */
/* Putting an archive of parts together. Between the files of this folder only. */
#ifndef SOSIA_DRIVE_DOCUMENT_PARTS_H
#define SOSIA_DRIVE_DOCUMENT_PARTS_H

#include "services/drive/core/document/zip.h"

#define XML_HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define OPC_TYPES                                                                                  \
    XML_HEAD "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">"      \
             "<Default Extension=\"rels\" ContentType="                                            \
             "\"application/vnd.openxmlformats-package.relationships+xml\"/>"                      \
             "<Default Extension=\"xml\" ContentType=\"application/xml\"/>"
#define OPC_RELS                                                                                   \
    XML_HEAD "<Relationships xmlns="                                                               \
             "\"http://schemas.openxmlformats.org/package/2006/relationships\">"
#define OPC_REL_TYPE "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
#define OPC_REL(id, type, target)                                                                  \
    "<Relationship Id=\"" id "\" Type=\"" OPC_REL_TYPE type "\" Target=\"" target "\"/>"

struct parts {
    struct arena *arena;
    struct zip_part *first, **end;
    struct buf text; /* of the part that is being written */
    bool failed;
};

void parts_init(struct parts *p, struct arena *a);
/* The buffer for the next part. parts_end() makes it a part under the name. */
struct buf *parts_begin(struct parts *p);
void parts_end(struct parts *p, const char *name);
/* A part of a constant text. */
void parts_add(struct parts *p, const char *name, const char *text);
/* Writes the archive and ends it, in any case. */
int parts_write(struct parts *p, bool plain, struct buf *out, struct sosia_err *err);

#endif
