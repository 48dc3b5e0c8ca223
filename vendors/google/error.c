/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures in Google's form. They come from two layers: the front end (unknown paths, credentials,
 * scopes, unreadable requests), alike for all APIs, and the API's own back end, whose envelope
 * depends on the API. Which reason belongs to which domain is here alone.
 */
#include "vendors/google/internal.h"
#include "engine/base/codec.h"
#include <ctype.h>
#include <stdio.h>

#define REALM "Bearer realm=\"https://accounts.google.com/\""
#define SEE                                                                                        \
    "Expected OAuth 2 access token, login cookie or other valid authentication credential. See "   \
    "https://developers.google.com/identity/sign-in/web/devconsole-project."

/* A response, before it is written. */
struct answer {
    int code;
    bool front;          /* with status and details */
    const char *message; /* of the whole */
    const char *entry;   /* of errors[0]; NULL: the same */
    const char *also;    /* of errors[1]; NULL: there is none */
    const char *domain;  /* NULL: left out */
    const char *reason;
    const char *status; /* NULL: that of the code and the reason */
    const char *location, *location_type;
    const char *info;                          /* reason of an ErrorInfo in details; NULL: none */
    bool missing;                              /* no credential was sent */
    const struct google_violation *violations; /* of a BadRequest in details; NULL: none */
    size_t n_violations;
    const char *challenge; /* WWW-Authenticate; NULL: none */
};

/* ---- reasons ---- */

static const char *const calendar_reasons[] = {
    "accountNotFound",
    "cannotChangeOrganizer",
    "cannotChangeOrganizerOfInstance",
    "cannotChangeOwnAcl",
    "cannotChangeOwnerAcl",
    "cannotChangeOwnPrimarySubscription",
    "cannotDeletePrimaryCalendar",
    "cannotRemoveLastCalendarOwnerFromAcl",
    "eventDurationExceedsLimit",
    "eventTypeRestriction",
    "forbiddenForNonOrganizer",
    "forbiddenForServiceAccounts",
    "fullSyncRequired",
    "malformedBirthdayEvent",
    "malformedFocusTimeEvent",
    "malformedOutOfOfficeEvent",
    "malformedWorkingLocationEvent",
    "notACalendarUser",
    "participantIsNeitherOrganizerNorAttendee",
    "pushNotSupportedForRequestedResource",
    "requiredAccessLevel",
    "timeRangeEmpty",
    "timeRangeTooLong",
    "updatedMinTooLongAgo",
    NULL,
};

static const char *const usage_reasons[] = {
    "accessNotConfigured", "dailyLimitExceeded",   "dailyLimitExceededUnreg", "quotaExceeded",
    "rateLimitExceeded",   "storageQuotaExceeded", "userRateLimitExceeded",   NULL,
};

/* These concern the whole call in every recorded response, whatever parameter led to them. */
static const char *const unlocated_reasons[] = {
    "backendError", "badRequest", "conflict", "deleted", "duplicate", "forbidden", "notFound", NULL,
};

static bool listed(const char *const *list, const char *reason)
{
    for (; *list; list++)
        if (strcmp(*list, reason) == 0)
            return true;
    return false;
}

static const char *domain_of(const char *reason)
{
    if (listed(calendar_reasons, reason))
        return "calendar";
    return listed(usage_reasons, reason) ? "usageLimits" : "global";
}

/* What a failure without reason and text becomes. */
static void usual(enum google_envelope form, enum sosia_code code, const char **ret_reason,
                  const char **ret_message)
{
    static const struct {
        enum google_envelope form; /* GOOGLE_LEGACY: any */
        enum sosia_code code;
        const char *reason, *message;
    } table[] = {
        {GOOGLE_STATUS, SOSIA_E_INVALID, "invalidArgument",
         "Request contains an invalid argument."},
        {GOOGLE_STATUS, SOSIA_E_NOT_FOUND, "notFound", "Requested entity was not found."},
        {GOOGLE_STATUS, SOSIA_E_CONFLICT, "aborted", "The operation was aborted."},
        {GOOGLE_STATUS, SOSIA_E_INTERNAL, "backendError", "Internal error encountered."},
        {GOOGLE_STATUS, SOSIA_E_NO_MEMORY, "backendError", "Internal error encountered."},
        {GOOGLE_LEGACY, SOSIA_E_INVALID, "invalid", "Invalid Value"},
        {GOOGLE_LEGACY, SOSIA_E_FORBIDDEN, "forbidden", "Forbidden"},
        {GOOGLE_LEGACY, SOSIA_E_NOT_FOUND, "notFound", "Not Found"},
        {GOOGLE_LEGACY, SOSIA_E_CONFLICT, "conflict", "Conflict"},
        {GOOGLE_LEGACY, SOSIA_E_GONE, "deleted", "Resource has been deleted"},
        {GOOGLE_LEGACY, SOSIA_E_PRECONDITION, "conditionNotMet", "Precondition Failed"},
        {GOOGLE_LEGACY, SOSIA_E_TOO_LARGE, "uploadTooLarge", "Request Too Large"},
        {GOOGLE_LEGACY, SOSIA_E_MEDIA_TYPE, "badContent", "Unsupported content with type"},
        {GOOGLE_LEGACY, SOSIA_E_LIMIT, "rateLimitExceeded", "Rate Limit Exceeded"},
        {GOOGLE_LEGACY, SOSIA_E_METHOD_NOT_ALLOWED, "httpMethodNotAllowed", "Method Not Allowed"},
    };
    for (size_t i = 0; i < SOSIA_LEN(table); i++)
        if (table[i].code == code && (table[i].form == form || table[i].form == GOOGLE_LEGACY)) {
            *ret_reason = table[i].reason;
            *ret_message = table[i].message;
            return;
        }
    *ret_reason = "backendError";
    *ret_message = "Backend Error";
}

static const char *status_name(int code, const char *reason)
{
    if (strcmp(reason, "failedPrecondition") == 0)
        return "FAILED_PRECONDITION";
    if (strcmp(reason, "aborted") == 0)
        return "ABORTED";
    switch (code) {
    case 400:
        return "INVALID_ARGUMENT";
    case 401:
        return "UNAUTHENTICATED";
    case 403:
        return "PERMISSION_DENIED";
    case 404:
        return "NOT_FOUND";
    case 409:
        return "ALREADY_EXISTS";
    case 412:
        return "FAILED_PRECONDITION";
    case 429:
        return "RESOURCE_EXHAUSTED";
    case 500:
        return "INTERNAL";
    case 503:
        return "UNAVAILABLE";
    default:
        return "UNKNOWN";
    }
}

/* ---- from the failure to the response ---- */

static const struct param *param_of(const struct call *c, const char *name)
{
    for (size_t i = 0; c->route && name && i < c->route->n_params; i++)
        if (strcmp(c->route->params[i].name, name) == 0)
            return &c->route->params[i];
    return NULL;
}

static void located(struct call *c, struct answer *a, const char *where)
{
    const struct google_api *api = google_api_of(c);
    if (where && api && api->envelope == GOOGLE_PLAIN) { /* whatever the handler names */
        a->location = where;
        a->location_type = strcmp(where, "Authorization") == 0 ? "header" : "parameter";
        return;
    }
    if (!where || listed(unlocated_reasons, a->reason))
        return;
    if (strchr(where, '-') || strcmp(where, "Authorization") == 0) {
        a->location = where;
        a->location_type = "header";
    } else if (param_of(c, where) || strcmp(where, "fields") == 0 ||
               strcmp(where, "timeMax") == 0) {
        a->location = where;
        a->location_type = "parameter";
    }
}

static const char *allowed_values(struct call *c, const struct param *p)
{
    struct buf b;
    buf_init(&b, 4096);
    for (size_t i = 0; p->values[i]; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", p->values[i]);
    return buf_keep(&b, c->tx.arena);
}

/* A value that is not of its type: the front end's, even in older APIs. */
static void front_type(struct call *c, struct answer *a, const struct param *p)
{
    struct arena *m = c->tx.arena;
    struct google_violation *v = arena_calloc(m, 1, sizeof *v);
    const char *field = google_snake_case(m, p->name);
    a->front = true;
    a->reason = "invalid";
    a->domain = NULL;
    a->message = arena_printf(m, "Invalid value at '%s' (%s), \"%s\"", field,
                              p->type == PARAM_INT ? "TYPE_INT32" : "TYPE_BOOL", c->tx.err->text);
    if (arena_failed(m))
        return;
    *v = (struct google_violation){.field = field, .text = a->message};
    a->violations = v;
    a->n_violations = 1;
}

/* Everything that the front end finds wrong, a line each. */
static bool violated(struct call *c, struct answer *a,
                     size_t (*find)(struct call *c, const struct google_violation **ret))
{
    struct buf b;
    size_t n = find(c, &a->violations);
    if (!n)
        return false;
    buf_init(&b, 1 << 20);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%s", i ? "\n" : "", a->violations[i].text);
    a->front = true;
    a->reason = "invalid";
    a->domain = NULL;
    a->n_violations = n;
    a->message = buf_keep(&b, c->tx.arena);
    return true;
}

/* A parameter that the call path could not read. err->text is its value as sent. */
static bool param_failure(struct call *c, struct answer *a)
{
    const struct sosia_err *e = c->tx.err;
    const struct param *p = param_of(c, e->where);
    struct arena *m = c->tx.arena;
    if (!p || e->code != SOSIA_E_INVALID || !c->bad_param)
        return false;
    a->reason = "invalidParameter";
    if (strcmp(e->reason, "required") == 0) {
        a->reason = "required";
        a->message = arena_printf(m, "Required parameter: %s", p->name);
    } else if (strcmp(e->reason, "range") == 0) {
        int64_t min = p->min, max = p->max;
        const struct google_api *api = google_api_of(c);
        if (!min && !max)
            return false;
        if (api && api->envelope == GOOGLE_PLAIN) {
            a->message = arena_printf(m,
                                      "Invalid value '%s'. Values must be within the range: "
                                      "[value: %lld\n, value: %lld\n]",
                                      e->text, (long long)min, (long long)max);
            located(c, a, google_snake_case(m, p->name));
            return true;
        }
        a->message =
            arena_printf(m, "Invalid value '%s'. Values must be within the range: [%lld, %lld]",
                         e->text, (long long)min, (long long)max);
    } else if (strcmp(e->reason, "enum") == 0) {
        a->message = arena_printf(m, "Invalid string value: '%s'. Allowed values: [%s]", e->text,
                                  allowed_values(c, p));
    } else if (p->type == PARAM_INT || p->type == PARAM_BOOL) {
        front_type(c, a, p);
        return true;
    } else {
        a->reason = "badRequest";
        a->message = "Bad Request";
        call_why(c, "the parameter %s must be of another type or form, not \"%.100s\"", p->name,
                 e->text);
    }
    located(c, a, p->name);
    return true;
}

static void no_credential(struct answer *a)
{
    a->front = true;
    a->code = 401;
    a->location = "Authorization";
    a->location_type = "header";
    a->message = "Request is missing required authentication credential. " SEE;
    a->entry = "Login Required.";
    a->reason = "required";
    a->info = "CREDENTIALS_MISSING";
    a->missing = true;
    a->challenge = REALM;
}

static void front_failure(struct answer *a, const char *reason, const char *message)
{
    a->front = true;
    a->reason = reason;
    a->message = message;
}

/* A read without any credential is refused for want of a key, with which public data could be
 * read. */
static void no_key(struct call *c, struct answer *a)
{
    a->code = 403;
    front_failure(a, "forbidden",
                  "Method doesn't allow unregistered callers (callers without established "
                  "identity). Please use API Key or other form of API consumer identity to "
                  "call this API.");
    bool bytes = c->route && c->route->download && !c->route->response;
    if (bytes || google_wants_media(c)) { /* another server gives them */
        a->front = false;
        a->message = "The request is missing a valid API key.";
    }
}

static void credential_failure(struct call *c, struct answer *a)
{
    const struct google_api *api = google_api_of(c);
    if (!c->token && api && api->envelope == GOOGLE_PLAIN && c->verb == VERB_GET) {
        no_key(c, a);
    } else if (!c->token) {
        no_credential(a);
    } else {
        a->front = true;
        a->code = 401;
        a->location = "Authorization";
        a->location_type = "header";
        bool expired = c->tx.err->reason && strcmp(c->tx.err->reason, "expired") == 0;
        a->message = "Request had invalid authentication credentials. " SEE;
        a->entry = "Invalid Credentials";
        a->reason = "authError";
        a->info = expired || (api && !api->bad_token_info) ? NULL : "ACCESS_TOKEN_TYPE_UNSUPPORTED";
        a->challenge = REALM ", error=\"invalid_token\"";
    }
}

/* As an account is answered for which an administrator has turned the service off (reported): twice
 * the same entry, and a status that is not the code's. */
static void service_failure(struct answer *a)
{
    a->code = 401;
    front_failure(a, "authError", "The caller does not have permission");
    a->entry = a->also = "Active session is invalid. Error code: 4";
    a->status = "PERMISSION_DENIED";
    a->location = "Authorization";
    a->location_type = "header";
}

static void scope_failure(struct call *c, struct answer *a)
{
    const char *scopes = c->route && c->route->scopes ? c->route->scopes : "";
    a->front = true;
    a->message = "Request had insufficient authentication scopes.";
    a->entry = "Insufficient Permission";
    a->reason = "insufficientPermissions";
    a->info = "ACCESS_TOKEN_SCOPE_INSUFFICIENT";
    a->challenge =
        arena_printf(c->tx.arena, REALM ", error=\"insufficient_scope\", scope=\"%s\"", scopes);
}

/* What is wrong with a body that is not JSON. Of one that does not begin like JSON the service
 * shows the line and a caret below what it can't read (reported); other texts are ours. */
static const char *parse_text(struct call *c)
{
    const struct sosia_request *r = c->request;
    const char *at = r->body, *end = r->body + r->body_len;
    while (at < end && strchr(" \t\r\n", *at))
        at++;
    if (at == end || c->upload || !*at || strchr("{[\"-0123456789tfn", *at))
        return c->tx.err->text;
    size_t n = 0;
    while (at + n < end && n < 40 && at[n] >= ' ' && at[n] < 127)
        n++;
    return arena_printf(c->tx.arena, "Unexpected token.\n%.*s\n^", (int)n, at);
}

static void explain(struct call *c, struct answer *a)
{
    const struct sosia_err *e = c->tx.err;
    const struct google_api *api = google_api_of(c);
    const char *reason = e->reason ? e->reason : "";
    const char *usual_reason, *usual_message;
    if (e->code == SOSIA_E_UNAUTHENTICATED && strcmp(reason, "noService") == 0) {
        service_failure(a);
        return;
    }
    if (e->code == SOSIA_E_UNAUTHENTICATED) {
        credential_failure(c, a);
        return;
    }
    if (e->code == SOSIA_E_FORBIDDEN && strcmp(reason, "scope") == 0) {
        if (api && api->scope_is_credential) {
            no_credential(a);
            return;
        }
        scope_failure(c, a);
        return;
    }
    if (strcmp(reason, "unregisteredCaller") == 0) {
        no_key(c, a);
        return;
    }
    if (c->over && api) {
        front_failure(a, "rateLimitExceeded",
                      arena_printf(c->tx.arena,
                                   "Quota exceeded for quota metric 'Queries' and limit '%s' of "
                                   "service '%s' for consumer 'project_number:%s'.",
                                   c->over->name, api->service, GOOGLE_PROJECT));
        if (!c->fault || c->fault->status != 429)
            a->code = 403; /* as reported of Calendar and Gmail, against the reference */
        a->domain = "usageLimits";
        a->info = "RATE_LIMIT_EXCEEDED";
        return;
    }
    if (strcmp(reason, "frontEnd") == 0) {
        front_failure(a, "badRequest", e->text);
        return;
    }
    if (strcmp(reason, "parseError") == 0) {
        front_failure(
            a, "parseError",
            arena_printf(c->tx.arena, "Invalid JSON payload received. %s", parse_text(c)));
        return;
    }
    if (e->code == SOSIA_E_INVALID && api && api->strict &&
        (c->bad_param || strcmp(reason, "violations") == 0) && violated(c, a, google_violations))
        return;
    if (c->bad_param && api && api->envelope == GOOGLE_PLAIN && violated(c, a, google_bad_types))
        return;
    if (param_failure(c, a))
        return;
    usual(api ? api->envelope : GOOGLE_LEGACY, e->code, &usual_reason, &usual_message);
    a->reason = e->reason && strcmp(reason, "held") != 0 ? e->reason : usual_reason;
    a->message = e->text[0] ? e->text : usual_message;
    a->domain = domain_of(a->reason);
    const struct google_call *g = c->vendor_data;
    a->also = g ? g->also : NULL;
    located(c, a, e->where);
}

void google_error_also(struct call *c, const char *text)
{
    struct google_call *g = c->vendor_data;
    if (g)
        g->also = text;
}

/* ---- writing ---- */

static void write_entry(struct json_writer *w, const struct answer *a, const char *message,
                        bool legacy)
{
    json_obj(w, NULL);
    if (legacy) {
        json_str_opt(w, "domain", a->domain);
        json_str(w, "reason", a->reason);
        json_str(w, "message", message);
        json_str_opt(w, "locationType", a->location_type);
        json_str_opt(w, "location", a->location);
    } else {
        json_str(w, "message", message);
        json_str_opt(w, "domain", a->domain);
        json_str(w, "reason", a->reason);
        json_str_opt(w, "location", a->location);
        json_str_opt(w, "locationType", a->location_type);
    }
    json_end(w);
}

static void write_entries(struct json_writer *w, const struct answer *a, bool legacy)
{
    json_arr(w, "errors");
    write_entry(w, a, a->entry ? a->entry : a->message, legacy);
    if (a->also)
        write_entry(w, a, a->also, legacy);
    json_end(w);
}

/* "calendar.events.insert" as "calendar.v3.Events.Insert". */
static const char *detail_method(struct call *c, const struct google_api *api)
{
    struct arena *a = c->tx.arena;
    const char *id = strchr(c->route->id, '.');
    if (api->method_name)
        return arena_printf(a, "%s%s", api->method_prefix, api->method_name(a, c->route));
    char *out = arena_printf(a, "%s%s", api->method_prefix, id ? id + 1 : c->route->id);
    for (char *p = out + strlen(api->method_prefix); *p; p++)
        if (p[-1] == '.')
            *p = (char)toupper((unsigned char)*p);
    return out;
}

static void write_quota(struct json_writer *w, const struct rate_class *over, const char *service)
{
    char text[160];
    json_obj(w, "metadata");
    json_str(w, "service", service);
    snprintf(text, sizeof text, "%s/default", service);
    json_str(w, "quota_metric", text);
    json_str(w, "quota_limit",
             over->per_actor ? "defaultPerMinutePerUser" : "defaultPerMinutePerProject");
    json_int_str(w, "quota_limit_value", over->limit);
    json_str(w, "consumer", "projects/" GOOGLE_PROJECT);
    json_end(w);
}

static void write_info(struct call *c, struct json_writer *w, const struct answer *a)
{
    const struct google_api *api = google_api_of(c);
    json_str(w, "@type", "type.googleapis.com/google.rpc.ErrorInfo");
    json_str(w, "reason", a->info);
    json_str(w, "domain", "googleapis.com");
    if (!api || !c->route)
        return;
    if (c->over) {
        write_quota(w, c->over, api->service);
        return;
    }
    json_obj(w, "metadata"); /* a map: its order is that of the recordings */
    bool method_first = a->missing && api->strict;
    if (!method_first)
        json_str(w, "service", api->service);
    json_str(w, "method", detail_method(c, api));
    if (method_first)
        json_str(w, "service", api->service);
    json_end(w);
}

static void write_violations(struct json_writer *w, const struct answer *a)
{
    json_str(w, "@type", "type.googleapis.com/google.rpc.BadRequest");
    json_arr(w, "fieldViolations");
    for (size_t i = 0; i < a->n_violations; i++) {
        json_obj(w, NULL);
        json_str_opt(w, "field", a->violations[i].field);
        json_str(w, "description", a->violations[i].text);
        json_end(w);
    }
    json_end(w);
}

static void write_details(struct call *c, struct json_writer *w, const struct answer *a)
{
    if (!a->info && !a->n_violations)
        return;
    json_arr(w, "details");
    json_obj(w, NULL);
    if (a->info)
        write_info(c, w, a);
    else
        write_violations(w, a);
    json_end(w);
    json_end(w);
}

static void write_json(struct call *c, const struct answer *a)
{
    const struct google_api *api = google_api_of(c);
    const struct google_call *g = c->vendor_data;
    enum google_envelope form = api ? api->envelope : GOOGLE_LEGACY;
    bool entries = form != GOOGLE_STATUS || !g || !g->xgafv_2;
    struct json_writer w;
    json_init(&w, c->body_out, true, NULL); /* errors are indented whatever prettyPrint is */
    w.escape_html = true;
    json_obj(&w, NULL);
    json_obj(&w, "error");
    if (!a->front && form == GOOGLE_LEGACY) {
        write_entries(&w, a, true);
        json_int(&w, "code", a->code);
        json_str(&w, "message", a->message);
    } else {
        json_int(&w, "code", a->code);
        json_str(&w, "message", a->message);
        if (entries)
            write_entries(&w, a, false);
        if (a->front || form == GOOGLE_STATUS)
            json_str(&w, "status", a->status ? a->status : status_name(a->code, a->reason));
        write_details(c, &w, a);
    }
    json_end(&w);
    json_end(&w);
}

/* Paths that belong to no method, and requests that can't be read, get a page. */
static void write_page(struct call *c, int code)
{
    struct buf *b = c->body_out;
    const char *title = code == 404 ? "Not Found" : code >= 500 ? "Server Error" : "Bad Request";
    c->status = code;
    buf_printf(b,
               "<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n"
               "<title>Error %d (%s)!!1</title>\n<p><b>%d.</b> ",
               code, title, code);
    if (code == 404) {
        buf_puts(b, "There is nothing at <code>");
        html_escape(b, c->path, c->path_len < 2048 ? c->path_len : 2048, "");
        buf_puts(b, "</code> on this server.\n");
    } else if (code >= 500) {
        buf_puts(b, "The server has failed for the moment. Please try again in 30 seconds.\n");
    } else {
        buf_puts(b, "The request is malformed.\n");
    }
    call_header(c, "Content-Type", "text/html; charset=UTF-8");
    if (code < 500)
        call_header(c, "Cache-Control", "private");
    google_common_headers(c);
}

/* The upload server's own refusals. */
static void write_plain(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
    buf_puts(c->body_out, c->tx.err->text);
    call_header(c, "Content-Type", "text/plain; charset=utf-8");
    call_header(c, "Cache-Control", "no-cache, no-store, max-age=0, must-revalidate");
    call_header(c, "Pragma", "no-cache");
    call_header(c, "Expires", "Mon, 01 Jan 1990 00:00:00 GMT");
    google_common_headers(c);
}

void google_error(struct call *c)
{
    const struct sosia_err *e = c->tx.err;
    const struct google_call *g = c->vendor_data;
    struct answer a = {.code = sosia_code_status(e->code), .domain = "global"};
    if (e->reason && strcmp(e->reason, "uploadServer") == 0) {
        write_plain(c);
        return;
    }
    bool unknown = !c->route || (c->fault && c->fault->kind == FAULT_MISSING);
    if (unknown && (e->code == SOSIA_E_NOT_FOUND || e->code == SOSIA_E_METHOD_NOT_ALLOWED)) {
        write_page(c, 404);
        return;
    }
    int failed = c->fault && c->fault->kind == FAULT_SERVER ? c->fault->status : 0;
    if (failed == 502 || failed == 504) {
        write_page(c, failed);
        return;
    }
    if (failed)
        a.code = failed;
    if (e->code == SOSIA_E_INVALID && e->reason &&
        (strcmp(e->reason, "encoding") == 0 || strcmp(e->reason, "path") == 0)) {
        write_page(c, 400);
        return;
    }
    if (e->code == SOSIA_E_FULL)
        a.code = 503;
    explain(c, &a);
    c->status = a.code;
    write_json(c, &a);
    google_jsonp(c);
    call_header(c, "Content-Type",
                g && g->callback ? "text/javascript; charset=UTF-8"
                                 : "application/json; charset=UTF-8");
    if (a.challenge)
        call_header(c, "WWW-Authenticate", a.challenge);
    if (c->fault && c->fault->retry_s)
        call_header(c, "Retry-After",
                    arena_printf(c->tx.arena, "%lld", (long long)c->fault->retry_s));
    if (a.front) {
        call_header(c, "Cache-Control", "private");
    } else {
        call_header(c, "Cache-Control", "no-cache, no-store, max-age=0, must-revalidate");
        call_header(c, "Pragma", "no-cache");
        call_header(c, "Expires", "Mon, 01 Jan 1990 00:00:00 GMT");
    }
    google_common_headers(c);
}
