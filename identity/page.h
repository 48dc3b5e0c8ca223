/* SPDX-License-Identifier: Apache-2.0 */
/* Pages on which people sign in: HTML, redirects, and forms that nobody else can send. */
#ifndef SOSIA_IDENTITY_PAGE_H
#define SOSIA_IDENTITY_PAGE_H

#include "engine/base/buf.h"
#include "engine/http/call.h"

/* Text as HTML, in attributes too. */
void html_add(struct buf *b, const char *text);
/* <input type="hidden">; nothing for NULL. name is HTML already. */
void html_hidden(struct buf *b, const char *name, const char *value);
/* Responds with a page; title as text, body as HTML. Gives 0. */
int page_show(struct call *c, int status, const char *title, const char *body);
/* Sends the browser on. Gives 0. */
int page_redirect(struct call *c, const char *location);
/* A parameter behind an address; slashes and colons stay as they are. Nothing for NULL. */
void page_add_param(struct buf *b, const char *name, const char *text);

/* The mark of a form that only a page of this server has, for what the form is about. */
void page_mark(struct call *c, struct buf *b, const char *about);
enum page_origin { PAGE_OURS, PAGE_OTHER_ORIGIN, PAGE_NO_MARK };
/* Whether a form that came back has its mark, and comes from a page of this server's if the browser
 * says where it comes from. */
enum page_origin page_origin(struct call *c, const char *about);
#define PAGE_MARK "sosia_nonce"

#endif
