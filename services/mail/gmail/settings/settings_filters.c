/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of filters. */
#include "services/mail/gmail/rows.h"
#include "services/mail/gmail/settings/settings.h"

#define MAX_FILTERS    1000
#define MAX_FORWARDING 20 /* of them forward */

static int answer_filter(struct call *c, const struct mailbox *mb, const struct gmail_filter *f)
{
    json_obj(c->out, NULL);
    if (settings_write_filter(&c->tx, mb, c->out, f) < 0)
        return -1;
    json_end(c->out);
    return 0;
}

/* ---- methods ---- */

static int gmail_filters_list(struct call *c)
{
    struct mailbox mb;
    struct gmail_filter *all;
    size_t n;
    if (settings_open(c, &mb) < 0 || gmail_filter_list(&c->tx, &mb, &all, &n) < 0)
        return -1;
    json_obj(c->out, NULL);
    if (n) {
        json_arr(c->out, "filter");
        for (size_t i = 0; i < n; i++)
            if (answer_filter(c, &mb, &all[i]) < 0)
                return -1;
        json_end(c->out);
    }
    json_end(c->out);
    return 0;
}

static int gmail_filters_get(struct call *c)
{
    struct mailbox mb;
    struct gmail_filter f;
    if (settings_open(c, &mb) < 0)
        return -1;
    int r = gmail_filter_get(&c->tx, &mb, param_str(c, "id"), &f);
    return r == 1 ? answer_filter(c, &mb, &f) : r < 0 ? -1 : gmail_not_found(c);
}

static bool same_ids(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b)
{
    return n_a == n_b && (!n_a || memcmp(a, b, n_a * sizeof *a) == 0);
}

static bool is_same(const struct gmail_filter *a, const struct gmail_filter *b)
{
    return strcmp(a->said, b->said) == 0 && same_ids(a->add, a->n_add, b->add, b->n_add) &&
           same_ids(a->remove, a->n_remove, b->remove, b->n_remove) && !a->forward == !b->forward &&
           (!a->forward || strcmp(a->forward, b->forward) == 0);
}

/* Is there room for it, and no other like it? */
static int check_others(struct call *c, const struct mailbox *mb, const struct gmail_filter *f)
{
    struct gmail_filter *all;
    size_t n, forwarding = f->forward != NULL;
    if (gmail_filter_list(&c->tx, mb, &all, &n) < 0)
        return -1;
    if (n >= MAX_FILTERS)
        return call_fail(c, SOSIA_E_INVALID, "failedPrecondition", NULL, "Too many filters");
    for (size_t i = 0; i < n; i++) {
        forwarding += all[i].forward != NULL;
        if (is_same(&all[i], f))
            return settings_bad(&c->tx, "Filter already exists");
    }
    return forwarding > MAX_FORWARDING ? settings_bad(&c->tx, "Too many forwarding filters") : 0;
}

/* The address that it forwards to must have agreed. */
static int check_forward(struct call *c, const struct mailbox *mb, const struct gmail_filter *f)
{
    struct gmail_forward to;
    int r = f->forward ? gmail_forward_get(&c->tx, mb, f->forward, &to) : 1;
    if (r < 0)
        return -1;
    if (f->forward && (!r || to.pending))
        return tx_fail(&c->tx, SOSIA_E_INVALID, "failedPrecondition", NULL,
                       "Unrecognized forwarding address");
    return f->n_add || f->n_remove || f->forward
               ? 0
               : settings_bad(&c->tx, "Filter doesn't have any actions");
}

static int gmail_filters_create(struct call *c)
{
    struct mailbox mb;
    struct gmail_filter f;
    if (settings_open(c, &mb) < 0 ||
        settings_read_filter(&c->tx, &mb, call_body(c), false, &f) < 0 ||
        check_forward(c, &mb, &f) < 0 || check_others(c, &mb, &f) < 0 ||
        settings_filter_key(&c->tx, &mb, &f.key) < 0)
        return -1;
    if (gmail_filter_add(&c->tx, &mb, &f) < 0)
        return gmail_refused(c);
    return answer_filter(c, &mb, &f);
}

static int gmail_filters_delete(struct call *c)
{
    struct mailbox mb;
    if (settings_open(c, &mb) < 0)
        return -1;
    int r = gmail_filter_delete(&c->tx, &mb, param_str(c, "id"));
    return r == 1 ? settings_nothing(c) : r < 0 ? -1 : gmail_not_found(c);
}

static int filter_risk(struct call *c, enum risk *ret)
{
    return settings_risk(c, json_get_str(json_get(c->body, "action"), "forward"), ret);
}

/* ---- the methods ---- */

static const struct route routes[] = {
    {ROUTE("gmail.users.settings.filters.create", POST,
           "/gmail/v1/users/{userId}/settings/filters"),
     .cost = 5, .handler = gmail_filters_create, .risk = RISK_WRITE, .risk_of = filter_risk,
     .body = BODY_JSON, .scopes = SETTINGS_BASIC, PARAMS(gmail_user_params), .request = "Filter",
     .response = "Filter", .summary = "Adds a filter"},
    {ROUTE("gmail.users.settings.filters.delete", DELETE,
           "/gmail/v1/users/{userId}/settings/filters/{id}"),
     .cost = 5, .handler = gmail_filters_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = SETTINGS_BASIC, PARAMS(gmail_id_params), .summary = "Deletes a filter for good"},
    {ROUTE("gmail.users.settings.filters.get", GET,
           "/gmail/v1/users/{userId}/settings/filters/{id}"),
     .handler = gmail_filters_get, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC, PARAMS(gmail_id_params),
     .response = "Filter", .summary = "A filter"},
    {ROUTE("gmail.users.settings.filters.list", GET, "/gmail/v1/users/{userId}/settings/filters"),
     .handler = gmail_filters_list, .risk = RISK_READ,
     .scopes = MAIL " " MODIFY " " READONLY " " SETTINGS_BASIC, PARAMS(gmail_user_params),
     .response = "ListFiltersResponse", .summary = "Lists filters"},
};
const struct rows gmail_filters_rows = ROWS(routes);
