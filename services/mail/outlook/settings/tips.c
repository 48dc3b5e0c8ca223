/* SPDX-License-Identifier: Apache-2.0 */
/* Tips about recipients, before something is sent to them. */
#include "engine/base/codec.h"
#include "services/mail/outlook/acts.h"
#include "services/mail/outlook/settings/languages.h"
#include "services/mail/outlook/rows.h"
#include "vendors/microsoft/directory/directory.h"

#define MOST 100 /* addresses of a call */

enum tip {
    AUTOMATIC_REPLIES,
    MAILBOX_FULL,
    CUSTOM,
    EXTERNAL_MEMBERS,
    ALL_MEMBERS,
    MAX_SIZE,
    DELIVERY,
    MODERATION,
    SCOPE,
    SUGGESTIONS, /* nothing is suggested */
    TIPS
};
static const char *const words[TIPS] = {
    "automaticReplies", "mailboxFullStatus",   "customMailTip",       "externalMemberCount",
    "totalMemberCount", "maxMessageSize",      "deliveryRestriction", "moderationStatus",
    "recipientScope",   "recipientSuggestions"};

/* "automaticReplies, mailboxFullStatus", as bits. 0, -1 refused. */
static int read_options(struct call *c, const struct json *body, unsigned *ret)
{
    const char *text = json_get_str(body, "mailTipsOptions");
    *ret = 0;
    for (const char *p = text ? text : ""; *p;) {
        p += strspn(p, ", ");
        const size_t n = strcspn(p, ", ");
        size_t i = 0;
        while (i < TIPS && !str_is_nocase(p, n, words[i]))
            i++;
        if (n && i == TIPS)
            return call_fail(c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                             "Requested value '%.*s' was not found.", (int)(n < 100 ? n : 100), p);
        *ret |= n ? 1u << i : 0;
        p += n;
    }
    return 0;
}

/* Somebody who is written to. */
struct recipient {
    const char *email, *name;
    bool internal;
    struct mailbox mailbox; /* id 0: none here */
    int64_t members, outside;
};

/* Is the address one of the tenant's domains? 1, 0, -1. */
static int is_internal(struct call *c, const struct outlook_box *b, const char *email)
{
    struct ms_tenant tenant;
    const char *domain = strchr(email, '@');
    int r = domain ? ms_tenant_find(&c->tx, domain + 1, &tenant) : 0;
    return r == 1 ? strcmp(tenant.guid, b->user.tenant) == 0 : r;
}

/* The people of a group and of the groups in it, each once. */
struct counting {
    struct call *c;
    const struct outlook_box *b;
    struct recipient *who;
};

static int count_member(void *arg, const char *email)
{
    const struct counting *k = arg;
    int r = is_internal(k->c, k->b, email);
    k->who->members++;
    k->who->outside += r == 0;
    return r < 0 ? -1 : 0;
}

static int look_up(struct call *c, const struct outlook_box *b, const char *email,
                   struct recipient *ret)
{
    struct group g;
    int r = is_internal(c, b, email);
    *ret = (struct recipient){.email = email, .name = "", .internal = r == 1, .members = 1};
    ret->outside = !ret->internal;
    if (r >= 0 && (r = mailbox_by_address(&c->tx, email, &ret->mailbox)) == 1) {
        ret->name = ret->mailbox.name;
        return 0;
    }
    ret->mailbox.id = 0;
    if (r == 0 && (r = group_by_email(&c->tx, email, &g)) == 1 &&
        (r = group_takes_mail(&c->tx, &g)) == 1) {
        ret->name = g.name;
        ret->members = ret->outside = 0;
        r = group_each_member(&c->tx, g.id, count_member, &(struct counting){c, b, ret});
    }
    return r < 0 ? -1 : 0;
}

static int write_reply_tip(struct call *c, const struct recipient *who)
{
    struct mail_auto_answer answer = {.on = false};
    if (who->mailbox.id && outlook_answer(&c->tx, &who->mailbox, &answer) < 0)
        return -1;
    const bool now = answer.on && (!answer.from_us || c->tx.now_us >= answer.from_us) &&
                     (!answer.to_us || c->tx.now_us < answer.to_us);
    json_obj(c->out, "automaticReplies");
    json_str(c->out, "message", now ? answer.html : "");
    if (now) {
        json_obj(c->out, "messageLanguage");
        outlook_write_language(c, NULL);
        json_end(c->out);
    }
    json_end(c->out);
    return 0;
}

static int write_tips(struct call *c, const struct recipient *who, unsigned asked)
{
    struct json_writer *w = c->out;
    json_obj(w, NULL);
    json_obj(w, "emailAddress");
    json_str(w, "name", who->name);
    json_str(w, "address", who->email);
    json_end(w);
    if (asked & 1u << AUTOMATIC_REPLIES && write_reply_tip(c, who) < 0)
        return -1;
    if (asked & 1u << MAILBOX_FULL)
        json_bool(w, "mailboxFull", false);
    if (asked & 1u << CUSTOM)
        json_str(w, "customMailTip", "");
    if (asked & 1u << EXTERNAL_MEMBERS)
        json_int(w, "externalMemberCount", who->outside);
    if (asked & 1u << ALL_MEMBERS)
        json_int(w, "totalMemberCount", who->members);
    if (asked & 1u << MAX_SIZE)
        json_int(w, "maxMessageSize", (int64_t)OUTLOOK_MAX_MESSAGE);
    if (asked & 1u << DELIVERY)
        json_bool(w, "deliveryRestricted", false);
    if (asked & 1u << MODERATION)
        json_bool(w, "isModerated", false);
    if (asked & 1u << SCOPE)
        json_str(w, "recipientScope", who->internal ? "internal" : "external");
    json_end(w);
    return 0;
}

static int tips_get(struct call *c)
{
    const struct json *body, *list;
    struct recipient who;
    struct outlook_box b;
    unsigned asked;
    if (outlook_open(c, OUTLOOK_READ, &b) < 0 || !(body = call_body(c)) ||
        read_options(c, body, &asked) < 0)
        return -1;
    list = json_get(body, "emailAddresses");
    json_obj(c->out, NULL);
    graph_context(c, "Collection(microsoft.graph.mailTips)");
    json_arr(c->out, "value");
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n && i < MOST; i++) {
        const char *email = list->items[i].type == JSON_STRING ? list->items[i].str : "";
        if (look_up(c, &b, email, &who) < 0 || write_tips(c, &who, asked) < 0)
            return -1;
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static const struct route routes[] = {
    {ROUTE("outlook.getMailTips", POST, GRAPH_MY("/getMailTips")),
     .response = "microsoft.graph.mailTipsCollection", .handler = tips_get, .risk = RISK_READ,
     .body = BODY_JSON, .scopes = READ, PARAMS(outlook_user_params),
     .request = "microsoft.graph.getMailTips",
     .summary = "Tips about recipients: who answers automatically, and how much they take"},
};
const struct rows outlook_tip_rows = ROWS(routes);
