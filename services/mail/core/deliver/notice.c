/* SPDX-License-Identifier: Apache-2.0 */
/* Letters of other cores, such as invitations: each of those whom they are for gets a message of
 * their own. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/core/mime/compose.h"
#include "services/mail/core/mail_impl.h"

static const char *with_line_breaks(struct arena *a, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "<html><body><p>");
    html_escape_lines(&b, text, "", "<br>\n");
    buf_puts(&b, "</p></body></html>\n");
    const char *out = arena_strdup(a, buf_str(&b));
    if (buf_failed(&b))
        a->failed = true;
    buf_done(&b);
    return out;
}

static int carry_to(struct tx *tx, const struct letter *l, const char *to, const char *reports)
{
    struct arena *a = tx->arena;
    struct compose_header automatic = {"Auto-Submitted", "auto-generated"};
    struct compose_file ics = {.type = "application/ics",
                               .filename = "invite.ics",
                               .data = l->calendar,
                               .len = l->calendar ? strlen(l->calendar) : 0};
    struct compose c = {
        .from = mime_address_text(a, l->from_name, l->from),
        .to = to,
        .subject = l->subject,
        .date_s = tx->now_us / US_PER_SECOND,
        .headers = &automatic,
        .n_headers = 1,
        .text = l->text ? l->text : "",
        .html = l->html ? l->html : with_line_breaks(a, l->text ? l->text : ""),
        .alternative_data = l->calendar,
        .files = &ics,
        .n_files = l->calendar && !l->no_file,
    };
    if (l->calendar)
        c.alternative =
            l->method ? arena_printf(a, "text/calendar; method=%s", l->method) : "text/calendar";
    struct buf b;
    if (mail_message_id(tx, l->from, &c.message_id) < 0)
        return -1;
    buf_init(&b, 0);
    mime_compose(a, &c, &b);
    const char *raw = arena_memdup(a, b.len ? b.data : "", b.len);
    struct mail_carry carry = {.sender = l->from,
                               .reports = reports,
                               .raw = raw,
                               .len = b.len,
                               .to = &to,
                               .n_to = 1,
                               .settled = l->settled};
    bool failed = buf_failed(&b);
    buf_done(&b);
    return failed ? sosia_fail_memory(tx->err) : mail_carry(tx, &carry);
}

/* Whether the address is of the world: of an actor, a group, or one of its organisations. */
static int is_ours(struct tx *tx, const char *email)
{
    struct actor who;
    struct group group;
    int r = actor_by_email(tx, email, &who);
    if (r == 0)
        r = group_by_email(tx, email, &group);
    return r ? r : identity_is_local(tx, email);
}

/* Is the address that of a group which takes no mail, and the letter a service's? Nobody gets it
 * then: a report of failure would leave the world. 1, 0, -1. */
static int is_for_nobody(struct tx *tx, const char *from, const char *email)
{
    struct group group;
    int r = group_by_email(tx, email, &group), ours = 1;
    if (r != 1)
        return r;
    r = group_takes_mail(tx, &group);
    if (r == 0)
        ours = is_ours(tx, from);
    return r < 0 || ours < 0 ? -1 : !ours;
}

/* Who gets the report that an address does not exist: who writes; of what a service writes, for
 * whom it does so, since services pass such reports on. "": nobody. */
static int reported_to(struct tx *tx, const char *from, const char **ret)
{
    struct actor who;
    int r = is_ours(tx, from);
    *ret = r ? from : "";
    if (r == 0 && tx->actor && (r = actor_by_id(tx, tx->actor, &who)) == 1)
        *ret = who.email ? who.email : "";
    return r < 0 ? -1 : 0;
}

int mail_letter(struct tx *tx, const struct letter *l, const char **ret_rest)
{
    const char *reports;
    struct buf rest;
    int rc = reported_to(tx, l->from, &reports);
    buf_init(&rest, 0);
    for (const char *p = l->to; *p && rc == 0;) {
        size_t n = strcspn(p, ",");
        const char *to = arena_memdup(tx->arena, p, n);
        p += n + (p[n] != 0);
        int r = *to ? is_ours(tx, to) : 0;
        if (r == 0 && *to)
            buf_printf(&rest, "%s%s", rest.len ? "," : "", to);
        int nobody = r == 1 ? is_for_nobody(tx, l->from, to) : 0;
        rc = r < 0 || nobody < 0 ? -1 : r && !nobody ? carry_to(tx, l, to, reports) : 0;
    }
    if (rc == 0 && buf_failed(&rest))
        rc = sosia_fail_memory(tx->err);
    *ret_rest = buf_keep(&rest, tx->arena);
    return rc;
}
