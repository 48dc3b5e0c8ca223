/* SPDX-License-Identifier: Apache-2.0 */
#include "services/drive/google/types.h"
#include <string.h>

#define OPENXML "application/vnd.openxmlformats-officedocument."
#define ODF     "application/vnd.oasis.opendocument."
#define X_ODF   "application/x-vnd.oasis.opendocument."

static const struct gdrive_export document[] = {
    {"application/rtf", "rtf"},
    {ODF "text", "odt"},
    {"text/html", "html"},
    {"application/pdf", "pdf"},
    {"text/x-markdown", "md"},
    {"text/markdown", "markdown"},
    {"application/epub+zip", "epub"},
    {"application/zip", "zip"},
    {OPENXML "wordprocessingml.document", "docx"},
    {"text/plain", "txt"},
    {0},
};

static const struct gdrive_export spreadsheet[] = {
    {"application/x-vnd.oasis.opendocument.spreadsheet", "ods"},
    {"text/tab-separated-values", "tsv"},
    {"application/pdf", "pdf"},
    {OPENXML "spreadsheetml.sheet", "xlsx"},
    {"text/csv", "csv"},
    {"application/zip", "zip"},
    {ODF "spreadsheet", "ods"},
    {0},
};

static const struct gdrive_export presentation[] = {
    {ODF "presentation", "odp"},
    {"application/pdf", "pdf"},
    {OPENXML "presentationml.presentation", "pptx"},
    {"text/plain", "txt"},
    {0},
};

static const struct gdrive_export drawing[] = {
    {"application/pdf", "pdf"},
    {"image/jpeg", "jpeg"},
    {"image/png", "png"},
    {"image/svg+xml", "svg"},
    {0},
};

static const struct gdrive_export form[] = {{"application/zip", "zip"}, {0}};
static const struct gdrive_export jam[] = {{"application/pdf", "pdf"}, {0}};
static const struct gdrive_export script[] = {
    {"application/vnd.google-apps.script+json", "json"},
    {0},
};
static const struct gdrive_export plain[] = {{"text/plain", "txt"}, {0}};
static const struct gdrive_export vid[] = {{"video/mp4", "mp4"}, {0}};
static const struct gdrive_export none[] = {{0}};

const struct gdrive_kind gdrive_kinds[] = {
    {"document", "document", document, OPENXML "wordprocessingml.document", 10485760},
    {"spreadsheet", "spreadsheets", spreadsheet, OPENXML "spreadsheetml.sheet", 104857600},
    {"presentation", "presentation", presentation, OPENXML "presentationml.presentation",
     104857600},
    {"drawing", "drawings", drawing, "image/png", 2097152},
    {"form", "forms", form, "application/zip", 0},
    {"jam", NULL, jam, NULL, 0},
    {"script", NULL, script, NULL, 0},
    {"site", NULL, plain, NULL, 0},
    {"mail-layout", NULL, plain, NULL, 0},
    {"vid", "videos", vid, "video/mp4", 0},
    {"map", NULL, none, NULL, 0},
    {0},
};

const struct gdrive_kind *gdrive_kind(const char *word)
{
    for (const struct gdrive_kind *k = gdrive_kinds; word && k->word; k++)
        if (strcmp(k->word, word) == 0)
            return k;
    return NULL;
}

const struct gdrive_import gdrive_imports[] = {
    {"application/msword", "document"},
    {"application/pdf", "document"},
    {"application/rtf", "document"},
    {"application/vnd.google-apps.script+json", "script"},
    {"application/vnd.google-apps.script+text/plain", "script"},
    {"application/vnd.ms-excel", "spreadsheet"},
    {"application/vnd.ms-excel.sheet.macroenabled.12", "spreadsheet"},
    {"application/vnd.ms-excel.template.macroenabled.12", "spreadsheet"},
    {"application/vnd.ms-powerpoint", "presentation"},
    {"application/vnd.ms-powerpoint.presentation.macroenabled.12", "presentation"},
    {"application/vnd.ms-powerpoint.slideshow.macroenabled.12", "presentation"},
    {"application/vnd.ms-powerpoint.template.macroenabled.12", "presentation"},
    {"application/vnd.ms-word.document.macroenabled.12", "document"},
    {"application/vnd.ms-word.template.macroenabled.12", "document"},
    {ODF "presentation", "presentation"},
    {ODF "spreadsheet", "spreadsheet"},
    {ODF "text", "document"},
    {OPENXML "presentationml.presentation", "presentation"},
    {OPENXML "presentationml.slideshow", "presentation"},
    {OPENXML "presentationml.template", "presentation"},
    {OPENXML "spreadsheetml.sheet", "spreadsheet"},
    {OPENXML "spreadsheetml.template", "spreadsheet"},
    {OPENXML "wordprocessingml.document", "document"},
    {OPENXML "wordprocessingml.template", "document"},
    {"application/x-msmetafile", "drawing"},
    {X_ODF "presentation", "presentation"},
    {X_ODF "spreadsheet", "spreadsheet"},
    {X_ODF "text", "document"},
    {"image/bmp", "document"},
    {"image/gif", "document"},
    {"image/jpeg", "document"},
    {"image/jpg", "document"},
    {"image/pjpeg", "document"},
    {"image/png", "document"},
    {"image/x-bmp", "document"},
    {"image/x-png", "document"},
    {"text/comma-separated-values", "spreadsheet"},
    {"text/csv", "spreadsheet"},
    {"text/html", "document"},
    {"text/markdown", "document"},
    {"text/plain", "document"},
    {"text/richtext", "document"},
    {"text/rtf", "document"},
    {"text/tab-separated-values", "spreadsheet"},
    {"text/x-markdown", "document"},
    {"video/mp4", "vid"},
    {"video/ogg", "vid"},
    {"video/quicktime", "vid"},
    {"video/webm", "vid"},
    {0},
};
