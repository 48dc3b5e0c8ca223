/* SPDX-License-Identifier: Apache-2.0 */
/* Attachments of events as they are kept: whose they are, how many bytes, their ids. */
#include "services/calendar/outlook/ocal.h"
#include "services/calendar/outlook/seed.h"

int64_t ocal_attached_to(const struct cal_event *ev)
{
    return ev->origin ? ev->origin : ev->id ? ev->id : ev->master;
}

const char *ocal_attachment_id(const struct ocal_at *at, int64_t id)
{
    return graph_item_id(at->c->tx.arena, &at->store,
                         &(struct graph_item){.folder = STORE_ATTACHMENTS, .item = id});
}

int ocal_attachment_add(struct call *c, struct ocal_attachment *row)
{
    static struct sql_text q =
        SQL_TEXT("select coalesce(sum(size), 0) from ocal_attachment where event = :event");
    int64_t had = 0;
    if (TX_INT(&c->tx, &q, &had, row->event) < 0)
        return -1;
    if (had + row->size > OCAL_MAX_ATTACHED)
        return call_fail(c, SOSIA_E_TOO_LARGE, "ErrorMessageSizeExceeded", NULL,
                         "The message exceeds the maximum supported size.");
    return stored_new(&c->tx, &ocal_attachments_stored, row);
}
