/* SPDX-License-Identifier: Apache-2.0 */
/* What answers and forwards quote of a letter. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/outlook/letter.h"
#include <stdio.h>
#include <strings.h>

static void add_escaped(struct buf *b, const char *text)
{
    html_escape(b, text, strlen(text), "");
}

static void add_people_line(struct buf *b, const char *label, const struct outlook_people *p)
{
    if (!p->n)
        return;
    buf_printf(b, "<b>%s</b> ", label);
    for (size_t i = 0; i < p->n; i++) {
        const char *name = p->list[i].name;
        buf_puts(b, i ? "; " : "");
        if (name && *name && strcmp(name, p->list[i].email) != 0) {
            add_escaped(b, name);
            buf_puts(b, " &lt;");
            add_escaped(b, p->list[i].email);
            buf_puts(b, "&gt;");
        } else {
            add_escaped(b, p->list[i].email);
        }
    }
    buf_puts(b, "<br>");
}

/* "Monday, 04 May 2026 09:23:14" */
static void add_sent(struct buf *b, int64_t s)
{
    static const char *const days[] = {"Thursday", "Friday",  "Saturday", "Sunday",
                                       "Monday",   "Tuesday", "Wednesday"};
    char date[MIME_DATE]; /* "Mon, 04 May 2026 09:23:14 +0000" */
    const int64_t day =
        s >= 0 ? s / SECONDS_PER_DAY : -((-s + SECONDS_PER_DAY - 1) / SECONDS_PER_DAY);
    static const struct {
        const char *brief, *full;
    } months[] = {{"Jan", "January"}, {"Feb", "February"}, {"Mar", "March"},
                  {"Apr", "April"},   {"May", "May"},      {"Jun", "June"},
                  {"Jul", "July"},    {"Aug", "August"},   {"Sep", "September"},
                  {"Oct", "October"}, {"Nov", "November"}, {"Dec", "December"}};
    mime_date_text(date, s, 0);
    const char *p = strchr(date, ',');
    char month[4] = {0};
    int d, y, h, m, sec;
    if (!p || sscanf(p, ", %d %3s %d %d:%d:%d", &d, month, &y, &h, &m, &sec) != 6)
        return;
    const char *full = month;
    for (size_t i = 0; i < SOSIA_LEN(months); i++)
        if (strcmp(months[i].brief, month) == 0)
            full = months[i].full;
    buf_printf(b, "<b>Sent:</b> %s, %02d %s %d %02d:%02d:%02d<br>", days[(day % 7 + 7) % 7], d,
               full, y, h, m, sec);
}

/* What is between <body> and </body>, or all of it. */
static void add_inner(struct buf *b, const char *html)
{
    const char *from = strcasestr(html, "<body"), *to = NULL;
    from = from ? strchr(from, '>') : NULL;
    from = from ? from + 1 : html;
    for (const char *p = from; (p = strcasestr(p, "</body")); p++)
        to = p;
    buf_add(b, from, to ? (size_t)(to - from) : strlen(from));
}

/* As recorded. */
const char *outlook_quoted(struct call *c, const struct outlook_letter *old, const char *comment)
{
    const struct outlook_people *from = &old->people[LETTER_FROM];
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "<html><head>\r\n<meta http-equiv=\"Content-Type\" content=\"text/html; "
                 "charset=utf-8\"></head><body>");
    if (comment && *comment) {
        html_escape_lines(&b, comment, "", "<br>\r\n");
        buf_puts(&b, "\r\n");
    }
    buf_puts(&b, "<hr tabindex=\"-1\" style=\"display:inline-block; width:98%\"><div "
                 "id=\"divRplyFwdMsg\" dir=\"ltr\"><font face=\"Calibri, sans-serif\" "
                 "color=\"#000000\" style=\"font-size:11pt\">");
    buf_puts(&b, "<b>From:</b> ");
    if (from->n)
        add_escaped(&b, from->list[0].name && *from->list[0].name ? from->list[0].name
                                                                  : from->list[0].email);
    buf_puts(&b, "<br>");
    add_sent(&b, old->date_s);
    add_people_line(&b, "To:", &old->people[LETTER_TO]);
    add_people_line(&b, "Cc:", &old->people[LETTER_CC]);
    buf_puts(&b, "<b>Subject:</b> ");
    add_escaped(&b, old->subject);
    buf_puts(&b, "</font> <div>&nbsp;</div></div><div>");
    if (old->html)
        add_inner(&b, old->html);
    else if (old->text)
        html_escape_lines(&b, old->text, "", "<br>\r\n");
    buf_puts(&b, "</div></body></html>");
    const char *text = arena_strdup(c->tx.arena, buf_str(&b));
    if (buf_failed(&b))
        c->tx.arena->failed = true;
    buf_done(&b);
    return text;
}
