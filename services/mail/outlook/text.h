/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies of messages as Exchange shows them. All in the arena. */
#ifndef SOSIA_OUTLOOK_TEXT_H
#define SOSIA_OUTLOOK_TEXT_H

#include "engine/base/arena.h"

/* Lines ended by CRLF. */
const char *outlook_text_lines(struct arena *a, const char *text, size_t n);
/* The beginning: so many characters, with its lines. */
const char *outlook_preview(struct arena *a, const char *text, size_t n, size_t most);
/* A page: with <html>, a head and the meta element that says its charset (MG-573). */
const char *outlook_html_page(struct arena *a, const char *html, size_t n);
/* Text as a page (MG-573). */
const char *outlook_html_of_text(struct arena *a, const char *text, size_t n);
/* HTML as text: a rule is a line of underscores. */
const char *outlook_html_text(struct arena *a, const char *html);
/* Without what a reply quotes. */
const char *outlook_unique_text(struct arena *a, const char *text);
const char *outlook_unique_html(struct arena *a, const char *html);

#endif
