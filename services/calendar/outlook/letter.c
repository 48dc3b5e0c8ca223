/* SPDX-License-Identifier: Apache-2.0 */
/* Letters about events: invitations, cancellations, answers. */
#include "services/calendar/outlook/ocal.h"

/* Is another time proposed in a guest's own answer? */
static bool proposes(const struct cal_event *ev, const char *from)
{
    for (int i = 0; ev->attendees && i < ev->n_attendees; i++)
        if (strcmp(ev->attendees[i].email, from) == 0)
            return ev->attendees[i].proposed_us != 0;
    return false;
}

/* Outlook's letters have the subject and the text of the event, an answer its comment; the object
 * is in them alone (MG-539). */
int ocal_letter(struct tx *tx, const struct cal_event *ev, enum cal_letter kind,
                const char *comment, struct letter *l)
{
    static const char *const answers[] = {"", "", "Declined: ", "Tentative: ", "Accepted: "};
    struct arena *a = tx->arena;
    const char *html = json_get_str(ocal_extra(a, ev), "html"),
               *text = ev->description ? ev->description : "",
               *front = kind == CAL_LETTER_CANCELS ? "Canceled: " : "";
    if (kind == CAL_LETTER_ANSWERS) {
        front = proposes(ev, l->from) ? "New Time Proposed: " : answers[ev->response];
        text = comment ? comment : "";
        html = NULL;
    } else if (comment && *comment) {
        text = *text ? arena_printf(a, "%s\n\n%s", comment, text) : comment;
        html = NULL;
    }
    l->subject = arena_printf(a, "%s%s", front, ev->summary ? ev->summary : "");
    l->text = text;
    l->html = html;
    l->no_file = true;
    return arena_failed(a) ? sosia_fail_memory(tx->err) : 0;
}
