/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a search over files, sites and lists asks, in the Keyword Query Language as SharePoint has
 * it (learn.microsoft.com/sharepoint/dev/general-development/keyword-query-language-kql-syntax-
 * reference): words, phrases, properties, AND, OR, NOT and brackets. OR binds closest, as in
 * "contoso filetype:docx OR filetype:doc".
 */
#ifndef SOSIA_MICROSOFT_WORDS_H
#define SOSIA_MICROSOFT_WORDS_H

#include "engine/base/arena.h"

enum graph_words_kind { WORDS_AND, WORDS_OR, WORDS_NOT, WORDS_TERM };
struct graph_words {
    enum graph_words_kind kind;
    const struct graph_words *left, *right; /* NOT: left */
    const char *property;                   /* in small letters; NULL: anywhere */
    char op;                                /* behind a property: ':', '=', '<', '>' */
    const char *text;                       /* without its quotes */
    bool phrase, begins;                    /* it was in quotes; it ended with a star */
};

/* Reads one, in the arena. *ret NULL: it asks for everything ("*"). 0; -1: it is nested too deep,
 * or there is no memory. */
int graph_words_read(struct arena *a, const char *text, const struct graph_words **ret);
/* Does it hold for a thing of which is() answers single terms? */
bool graph_words_hold(const struct graph_words *w,
                      bool (*is)(void *arg, const struct graph_words *term), void *arg);
/* Has the text, at the beginning of one of its words, this one? In any case of letters. */
bool graph_words_in(const char *text, const char *word);

#endif
