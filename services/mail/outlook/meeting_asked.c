/* SPDX-License-Identifier: Apache-2.0 */
/* What the dialect of calendars asks of messages about meetings (vendors/microsoft/meeting.h). */
#include "vendors/microsoft/meeting.h"
#include "services/mail/outlook/meeting.h"

static int meeting_of_path(struct call *c, struct graph_user *ret_user, struct graph_meeting *ret)
{
    struct outlook_box b;
    struct outlook_item i;
    if (outlook_open(c, OUTLOOK_READ, &b) < 0 || outlook_item_of_path(c, &b, &i) < 0)
        return -1;
    *ret_user = b.user;
    return i.meeting ? outlook_meeting_get(&c->tx, i.message.id, ret) : 0;
}

const struct graph_mail outlook_mail_record = {.meeting = meeting_of_path,
                                               .answered = outlook_meeting_answered};
