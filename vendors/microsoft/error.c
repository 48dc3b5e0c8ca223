/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures in Graph's form. The gateway refuses what concerns all (credentials, paths, unreadable
 * bodies), each workload the rest with codes and members of its own: Outlook has no innerError, the
 * files' is in lower case (MG-02).
 */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/http/body.h"
#include "engine/text/civil.h"
#include "vendors/microsoft/internal.h"
#include "vendors/microsoft/signin/signin.h"
#include "vendors/microsoft/types/types.h"
#include <ctype.h>

#define REALM                                                                                      \
    "realm=\"\", "                                                                                 \
    "authorization_uri=\"https://login.microsoftonline.com/common/oauth2/authorize\", "            \
    "client_id=\"00000003-0000-0000-c000-000000000000\""
/* What Outlook says of its refusals (MG-307). */
#define OUTLOOK_ERROR                                                                              \
    "application/json; charset=utf-8; ieee754compatible=false; odata.metadata=minimal; "           \
    "odata.streaming=true"

/* An answer, before it is written. */
struct answer {
    int status;
    const char *code, *message;
    bool gateway; /* the workload has not seen the request */
    bool outlook; /* Outlook refuses it, though no row of its was found */
};

struct usual {
    enum sosia_code code;
    const char *name[GRAPH_PLANNER + 1]; /* by workload; NULL: that of the gateway */
    const char *text[GRAPH_PLANNER + 1];
};

/* Codes and messages of a failure that says neither. */
static const struct usual usual_failures[] = {
    {SOSIA_E_INVALID,
     {"BadRequest", "Request_BadRequest", "ErrorInvalidRequest", "invalidRequest", "BadRequest",
      "invalidRequest", ""},
     {"Invalid request.", NULL, "The request is invalid.", "Invalid request", NULL,
      "Invalid request", "The request is invalid."}},
    {SOSIA_E_FORBIDDEN,
     {"Forbidden", "Authorization_RequestDenied", "ErrorAccessDenied", "accessDenied", "Forbidden",
      "accessDenied", ""},
     {"Access denied.", "Insufficient privileges to complete the operation.",
      "Access is denied. Check credentials and try again.", "Access denied", "Forbidden",
      "Access is denied. Check credentials and try again.",
      "You do not have the required permissions to access this item, or the item may not exist."}},
    {SOSIA_E_NOT_FOUND,
     {"ResourceNotFound", "Request_ResourceNotFound", "ErrorItemNotFound", "itemNotFound",
      "NotFound", "itemNotFound", ""},
     {"Resource could not be discovered.", "Resource not found for the request.",
      "The specified object was not found in the store.", "Item not found", "NotFound",
      "The specified object was not found in the store.", "The requested item is not found."}},
    {SOSIA_E_METHOD_NOT_ALLOWED,
     {"Request_BadRequest", NULL, NULL, NULL, NULL},
     {"Specified HTTP method is not allowed for the request target.", NULL, NULL, NULL, NULL}},
    {SOSIA_E_CONFLICT,
     {"Conflict", "Request_MultipleObjectsWithSameKeyValue", "ErrorIrresolvableConflict",
      "nameAlreadyExists", "Conflict", NULL, ""},
     {"The request conflicts with the present state.",
      "Another object with the same value for property already exists.",
      "The send or update operation could not be performed because the change key passed in the "
      "request does not match the current change key for the item.",
      "Name already exists", "Conflict", NULL,
      "The attempted changes conflicted with already accepted changes. Read the latest state and "
      "resolve differences."}},
    {SOSIA_E_GONE,
     {"SyncStateNotFound", NULL, "SyncStateNotFound", "resyncRequired", NULL},
     {"The sync state generation is not found.", NULL, NULL, "Resync required", NULL}},
    {SOSIA_E_PRECONDITION,
     {"PreconditionFailed", NULL, "ErrorIrresolvableConflict", "notAllowed", "PreconditionFailed"},
     {"The precondition of the request was not met.", NULL,
      "The send or update operation could not be performed because the change key passed in the "
      "request does not match the current change key for the item.",
      "ETag does not match current item's value", NULL}},
    {SOSIA_E_TOO_LARGE,
     {"RequestEntityTooLarge", NULL, "ErrorMessageSizeExceeded", NULL, NULL},
     {"The request is too large.", NULL, "The message exceeds the maximum supported size.", NULL,
      NULL}},
    {SOSIA_E_MEDIA_TYPE,
     {"UnsupportedMediaType", NULL, NULL, NULL, NULL},
     {"The media type of the request is not supported.", NULL, NULL, NULL, NULL}},
    {SOSIA_E_LIMIT,
     {"TooManyRequests", NULL, "ApplicationThrottled", "activityLimitReached", NULL},
     {"Too many requests.", NULL, "Application is over its MailboxConcurrency limit.",
      "The request has been throttled", NULL}},
};

/* The usual code and message; those of a server's fault for codes that are not listed. */
static void usual(enum graph_workload w, enum sosia_code code, struct answer *a)
{
    a->code = "InternalServerError";
    a->message = "Internal server error.";
    for (size_t i = 0; i < SOSIA_LEN(usual_failures); i++) {
        const struct usual *u = &usual_failures[i];
        if (u->code != code)
            continue;
        a->code = u->name[w] ? u->name[w] : u->name[GRAPH_GATEWAY];
        a->message = u->text[w] ? u->text[w] : u->text[GRAPH_GATEWAY];
    }
}

/* ---- what the gateway refuses ---- */

/* MG-316. */
static void credential_failure(struct call *c, struct answer *a)
{
    const char *reason = c->tx.err->reason ? c->tx.err->reason : "";
    a->gateway = true;
    a->status = 401;
    a->code = "InvalidAuthenticationToken";
    if (!c->token)
        a->message = "Access token is empty.";
    else if (strcmp(reason, "audience") == 0)
        a->message = "Access token validation failure. Invalid audience.";
    else if (strcmp(reason, "expired") == 0)
        a->message = "Lifetime validation failed, the token is expired.";
    else if (!strchr(c->token, '.'))
        a->message = "IDX14100: JWT is not well formed, there are no dots (.).\n"
                     "The token needs to be in JWS or JWE Compact Serialization Format. (JWS): "
                     "'EncodedHeader.EncodedPayload.EncodedSignature'. (JWE): "
                     "'EncodedProtectedHeader.EncodedEncryptedKey.EncodedInitializationVector."
                     "EncodedCiphertext.EncodedAuthenticationTag'.";
    else
        a->message = "Access token validation failure. Invalid signature.";
}

/* A type's name without its namespace, as Outlook knows it. */
static const char *outlook_type(struct arena *a, const char *name)
{
    return arena_printf(a, "Microsoft.OutlookServices.%c%s",
                        *name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name,
                        *name ? name + 1 : "");
}

/* The segment of the path that no row has, without its key (MG-333) and without bytes that are not
 * text. */
static const char *unknown_segment(struct call *c)
{
    size_t n = 0;
    while (c->lost && n < c->lost_len && c->lost[n] != '(')
        n++;
    char *segment = arena_memdup(c->tx.arena, c->lost ? c->lost : "",
                                 c->lost ? utf8_truncate(c->lost, n, 200) : 0);
    if (segment)
        utf8_scrub(segment);
    return segment ? segment : "";
}

/* A cast to one of Outlook's types that it doesn't take is refused there, in its words (MG-635). */
static void lost_segment(struct call *c, struct answer *a)
{
    static const char space[] = EDM_NAMESPACE ".";
    const char *segment = unknown_segment(c), *type = NULL;
    if (strncasecmp(segment, space, strlen(space)) == 0) {
        const struct edm_type *item = edm_type_find("outlookItem", strlen("outlookItem"));
        const struct edm_type *cast = edm_type_find(segment, strlen(segment));
        type = cast && item && edm_is_a(cast, item) ? segment + strlen(space) : NULL;
    }
    a->gateway = !type;
    a->outlook = type != NULL;
    a->status = 400;
    a->code = type ? "RequestBroker--ParseUri" : "BadRequest";
    a->message = arena_printf(c->tx.arena, "Resource not found for the segment '%s'.",
                              type ? outlook_type(c->tx.arena, type) : segment);
}

static bool gateway_failure(struct call *c, struct answer *a)
{
    const struct sosia_err *e = c->tx.err;
    const char *reason = e->reason ? e->reason : "";
    if (e->code == SOSIA_E_UNAUTHENTICATED) {
        credential_failure(c, a);
        return true;
    }
    bool missing = c->fault && c->fault->kind == FAULT_MISSING;
    if ((!c->route || missing) && e->code == SOSIA_E_NOT_FOUND) {
        lost_segment(c, a);
        return true;
    }
    if (!c->route && e->code == SOSIA_E_METHOD_NOT_ALLOWED) {
        usual(GRAPH_GATEWAY, e->code, a);
    } else if (strcmp(reason, "parseError") == 0) {
        a->status = 400;
        a->code = "BadRequest";
        a->message = c->content.len
                         ? "Unable to read JSON request payload. Please ensure Content-Type header "
                           "is set and payload is of valid JSON format."
                         : "Empty Payload. JSON content expected.";
    } else if (strcmp(reason, "encoding") == 0 || strcmp(reason, "path") == 0) {
        a->status = 400;
        a->code = "BadRequest";
        a->message = "The request URL is malformed.";
    } else {
        return false;
    }
    a->gateway = true;
    return true;
}

/* ---- the workloads' own ---- */

/* "A B" as "A, B" (MG-471). */
static const char *with_commas(struct arena *a, const char *words)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *p = words; *p; p++)
        buf_add(&b, *p == ' ' ? ", " : p, *p == ' ' ? 2 : 1);
    return buf_keep(&b, a);
}

static void scope_failure(struct call *c, enum graph_workload w, struct answer *a)
{
    const char *granted = c->token && str_starts(c->token, "ey")
                              ? authority_claim(c->tx.arena, c->token, "scp")
                              : NULL;
    usual(w, SOSIA_E_FORBIDDEN, a);
    if (w == GRAPH_TEAMS)
        a->message = arena_printf(
            c->tx.arena,
            "Missing scope permissions on the request. API requires one of '%s'. Scopes on the "
            "request '%s'",
            with_commas(c->tx.arena, c->route && c->route->scopes ? c->route->scopes : ""),
            with_commas(c->tx.arena, granted ? granted : ""));
}

/* A parameter that the door could not read. */
static void param_failure(struct call *c, struct answer *a)
{
    const struct sosia_err *e = c->tx.err;
    if (strcmp(e->reason ? e->reason : "", "required") == 0)
        a->message = arena_printf(c->tx.arena, "The parameter '%s' is missing.", e->where);
    else
        a->message = arena_printf(c->tx.arena, "Invalid value '%s' for the parameter '%s'.",
                                  e->text, e->where);
}

static void explain(struct call *c, struct answer *a)
{
    const struct sosia_err *e = c->tx.err;
    const struct graph_call *g = c->vendor_data;
    enum graph_workload w = graph_workload_of(c);
    const char *reason = e->reason ? e->reason : "";
    if (gateway_failure(c, a))
        return;
    usual(w, e->code, a);
    a->gateway = g && g->gateway;
    if (e->code == SOSIA_E_FORBIDDEN && strcmp(reason, "scope") == 0) {
        scope_failure(c, w, a);
        return;
    }
    if (c->bad_param && e->where) {
        param_failure(c, a);
        return;
    }
    if (strcmp(reason, "held") == 0) { /* the workload's own code, and the name of the action */
        a->message = e->text;
        return;
    }
    if (g && g->code && !c->over && !c->fault) {
        a->code = g->code;
        a->message = e->text;
        return;
    }
    if (c->over || (e->reason && strchr("abcdefghijklmnopqrstuvwxyz", *reason) &&
                    w != GRAPH_FILES)) /* the engine's own reasons are not codes of Graph's */
        return;
    if (e->reason)
        a->code = e->reason;
    if (strcmp(reason, "Authorization_IdentityNotFound") == 0 ||   /* MG-318 */
        (w == GRAPH_TEAMS && strcmp(reason, "Unauthorized") == 0)) /* MG-133 */
        a->status = 401;
    if (c->fault && c->fault->kind == FAULT_SERVER && e->reason)
        a->message = e->text; /* which may be empty */
    if (e->reason && e->text[0])
        a->message = g && g->message ? g->message : e->text;
}

/* ---- writing ---- */

/* "2026-05-04T09:25:08": without a zone (MG-02). */
static void inner_date(struct call *c, char ret_text[STAMP_TEXT])
{
    ret_text[stamp_format(ret_text, c->tx.now_us, 0, 0, true) - 1] = '\0';
}

static void write_inner(struct call *c, struct json_writer *w)
{
    const struct graph_call *g = c->vendor_data;
    const char *client = call_request_header(c, "client-request-id");
    char date[STAMP_TEXT];
    inner_date(c, date);
    json_obj(w, "innerError");
    if (g && g->inner && !c->fault)
        json_str(w, "code", g->inner);
    json_str(w, "date", date);
    json_str(w, "request-id", g && g->request_id ? g->request_id : "");
    json_str(w, "client-request-id",
             client && *client    ? client
             : g && g->request_id ? g->request_id
                                  : "");
    json_end(w);
}

/* MG-315: two challenges; the second has a nonce, which looks like a JWT with the time in it. */
static const char *challenge(struct call *c)
{
    static const char head[] = "{\"typ\":\"JWT\",\"alg\":\"RS256\"}";
    const struct graph_call *g = c->vendor_data;
    struct arena *a = c->tx.arena;
    const char *claims =
        arena_printf(a, "{\"ts\":\"%lld\"}", (long long)(c->tx.now_us / US_PER_SECOND));
    const char *sign = graph_guid(a, "nonce", g && g->request_id ? g->request_id : "");
    struct buf b;
    buf_init(&b, 0);
    base64url_add(&b, head, strlen(head), false);
    buf_byte(&b, '.');
    base64url_add(&b, claims, strlen(claims), false);
    buf_byte(&b, '.');
    base64url_add(&b, sign, strlen(sign), false);
    const char *text =
        arena_printf(a, "Bearer " REALM ", PoP " REALM ", nonce=\"%s\"", buf_str(&b));
    buf_done(&b);
    return text;
}

static void error_headers(struct call *c, const struct answer *a)
{
    const enum graph_workload w = a->outlook ? GRAPH_OUTLOOK : graph_workload_of(c);
    const bool gateway = a->gateway || w == GRAPH_GATEWAY;
    call_header_const(c, "Content-Type",
                      !gateway && w == GRAPH_OUTLOOK ? OUTLOOK_ERROR : "application/json");
    if (!gateway)
        call_header_const(c, "Cache-Control", graph_cache_control(w));
    if (a->status == 401 && a->gateway)
        call_header(c, "WWW-Authenticate", challenge(c));
}

void graph_error(struct call *c)
{
    struct answer a = {.status = sosia_code_status(c->tx.err->code)};
    enum graph_workload w = graph_workload_of(c);
    if (c->tx.err->code == SOSIA_E_FULL)
        a.status = 507;
    if (c->fault && c->fault->kind == FAULT_SERVER && c->fault->status)
        a.status = c->fault->status;
    explain(c, &a);
    const struct graph_call *g = c->vendor_data;
    if (g && g->status && !c->fault)
        a.status = g->status;
    c->status = a.status;
    json_obj(c->out, NULL);
    json_obj(c->out, "error");
    json_str(c->out, "code", a.code);
    json_str(c->out, "message", a.message);
    if (!a.outlook && (a.gateway || w != GRAPH_OUTLOOK))
        write_inner(c, c->out);
    json_end(c->out);
    json_end(c->out);
    error_headers(c, &a);
    if (g && g->location)
        call_header(c, "Location", g->location);
    if (!c->over && c->fault)
        c->retry_us = c->fault->retry_s * US_PER_SECOND;
    if (c->over || c->retry_us) {
        int64_t seconds = (c->retry_us + US_PER_SECOND - 1) / US_PER_SECOND;
        call_header(c, "Retry-After",
                    arena_printf(c->tx.arena, "%lld", (long long)(seconds > 0 ? seconds : 1)));
    }
    graph_headers(c);
}

/* ---- for handlers ---- */

int graph_not_found(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, NULL, NULL, "there is no such thing");
}

int graph_denied(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, NULL, NULL, "the caller may not do this");
}

int graph_fail_resync(struct call *c, const char *location, const char *message)
{
    struct graph_call *g = c->vendor_data;
    if (g)
        g->location = location;
    return call_fail(c, SOSIA_E_GONE, "resyncRequired", NULL, "%s", message);
}

int graph_fail_status(struct call *c, int status, const char *code, const char *message)
{
    struct graph_call *g = c->vendor_data;
    if (g)
        g->status = status;
    return call_fail(c, SOSIA_E_INVALID, code, NULL, "%s", message);
}

int graph_fail_own(struct call *c, enum sosia_code kind, int status, const char *code,
                   const char *inner, const char *fmt, ...)
{
    struct graph_call *g = c->vendor_data;
    va_list args;
    va_start(args, fmt);
    const char *text = arena_vprintf(c->tx.arena, fmt, args);
    va_end(args);
    if (g) {
        g->status = status;
        g->code = code;
        g->inner = inner;
    }
    return call_fail(c, kind, *code ? code : NULL, NULL, "%s", text);
}

int graph_bad_id(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID,
                     graph_workload_of(c) == GRAPH_OUTLOOK ? "ErrorInvalidIdMalformed"
                                                           : "BadRequest",
                     NULL, "Id is malformed.");
}

int graph_no_property(struct call *c, const char *name, const char *type)
{
    return call_fail(c, SOSIA_E_INVALID, "RequestBroker--ParseUri", NULL,
                     "Could not find a property named '%.200s' on type '%s'.", name, type);
}

/* ---- bodies ---- */

/* Names of actions' parameters are taken in any case (MG-414). */
static const struct field *spelled(struct call *c, const struct field *fields, size_t n,
                                   struct json_member *m)
{
    (void)c;
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(fields[i].name, m->key)) {
            m->key = fields[i].name;
            m->key_len = (uint32_t)strlen(m->key);
            return &fields[i];
        }
    return NULL;
}

/* A number or a truth that came as text, which the service's own samples have too. */
static void read_text(const struct field *f, struct json *v)
{
    int64_t n;
    if (strcmp(f->type, "boolean") == 0 &&
        (str_eq_nocase(v->str, "true") || str_eq_nocase(v->str, "false"))) {
        v->truth = str_eq_nocase(v->str, "true");
        v->type = JSON_BOOL;
    } else if ((strcmp(f->type, "integer") == 0 || strcmp(f->type, "number") == 0) &&
               parse_i64(v->str, v->n, &n) == 0) {
        v->type = JSON_NUMBER;
    }
}

/* Values of enumerations too: "HTML" is html. */
static enum body_fault scalar(struct call *c, const struct field *f, struct json *v)
{
    if (v->type == JSON_STRING)
        read_text(f, v);
    if (f->values && v->type == JSON_STRING)
        for (size_t i = 0; f->values[i]; i++)
            if (str_eq_nocase(f->values[i], v->str)) {
                v->str = f->values[i];
                v->n = (uint32_t)strlen(v->str);
                return BODY_SOUND;
            }
    return body_scalar(c, f, v);
}

/* The type's name without its namespace. */
static const char *type_of(const struct body_report *r)
{
    static const char prefix[] = EDM_NAMESPACE ".";
    const char *name = r->schema ? r->schema->name : "object";
    return name + (str_starts(name, prefix) ? strlen(prefix) : 0);
}

/* Annotations are not properties. */
static bool is_annotation(const struct body_report *r)
{
    return r->at && r->at->name && strchr(r->at->name, '@') != NULL;
}

/* To Do's reader names the value, its type and the path; Planner's what its types have. */
static enum body_verdict fault_of_tasks(struct call *c, const struct body_report *r)
{
    const char *path = body_path(c, r->at), *type = type_of(r);
    const char *format = r->field && r->field->format ? r->field->format : "";
    if (graph_workload_of(c) == GRAPH_PLANNER)
        graph_fail_own(c, SOSIA_E_INVALID, 0, "", NULL,
                       r->fault == BODY_UNKNOWN
                           ? "The request is invalid:\r\nThe property '%s' does not exist on type "
                             "'microsoft.graph.%s'. Make sure to only use property names that are "
                             "defined by the type or mark the type as open type."
                           : "The request is invalid:\r\nCannot convert the value of '%s' of type "
                             "'microsoft.graph.%s' to the expected type.",
                       path, type);
    else if (r->fault == BODY_UNKNOWN)
        graph_fail_own(c, SOSIA_E_INVALID, 0, "invalidRequest", "InvalidModel",
                       "Invalid JSON, Could not find member '%s' on object of type '%s'. Path "
                       "'%s'.",
                       r->at->name, type, path);
    else
        graph_fail_own(c, SOSIA_E_INVALID, 0, "invalidRequest", "InvalidModel",
                       "Invalid JSON, Error converting value %s to type '%s'. Path '%s'.",
                       call_quote(c, r->value),
                       strcmp(format, "date") == 0 ? "Microsoft.OData.Edm.Date" : type, path);
    return BODY_REFUSE;
}

int graph_unknown_property(struct call *c, const char *name, const char *type)
{
    return call_fail(c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                     "The property '%.200s' does not exist on type '%s'. Make sure to only use "
                     "property names that are defined by the type or mark the type as open type.",
                     name, outlook_type(c->tx.arena, type));
}

int graph_check_version(struct call *c, const struct json *v, const char *type)
{
    const struct edm_type *t = edm_type_find(type, strlen(type));
    const bool beta = graph_is_beta(c) || v->type != JSON_OBJECT;
    for (uint32_t i = 0; !beta && i < v->n; i++) {
        const struct edm_property *p =
            edm_property_find(t, v->members[i].key, v->members[i].key_len);
        if (p && p->beta)
            return graph_unknown_property(c, p->name, type);
    }
    return 0;
}

static enum body_verdict fault(struct call *c, const struct body_report *r)
{
    const enum graph_workload w = graph_workload_of(c);
    const char *code = w == GRAPH_OUTLOOK     ? "RequestBodyRead"
                       : w == GRAPH_DIRECTORY ? "Request_BadRequest"
                                              : "BadRequest";
    switch (r->fault) {
    case BODY_READ_ONLY:
    case BODY_IMMUTABLE:
        return BODY_DROP; /* taken and passed over (MG-641) */
    case BODY_MISSING:
        return BODY_TAKE; /* handlers know the words */
    case BODY_UNKNOWN:
        /* An extension has what its program likes, values those of the list's columns. */
        if (is_annotation(r) || strcmp(type_of(r), "extension") == 0 ||
            strcmp(type_of(r), "fieldValueSet") == 0)
            return BODY_LEAVE;
        if (w == GRAPH_TODO || w == GRAPH_PLANNER)
            return fault_of_tasks(c, r);
        if (w == GRAPH_DIRECTORY)
            call_fail(c, SOSIA_E_INVALID, code, NULL, "Invalid property '%.100s'.", r->at->name);
        else if (w == GRAPH_OUTLOOK) /* MG-376 */
            graph_unknown_property(c, r->at->name, type_of(r));
        else
            call_fail(
                c, SOSIA_E_INVALID, code, NULL,
                "The property '%.200s' does not exist on type 'microsoft.graph.%s'. Make sure "
                "to only use property names that are defined by the type.",
                r->at->name, type_of(r));
        return BODY_REFUSE;
    case BODY_TYPE:
        if (r->field && r->field->map && is_annotation(r))
            return BODY_TAKE;
        break;
    default:
        break;
    }
    call_why(c, "%s must be %s%s", body_path(c, r->at), body_expected(c, r), body_found(c, r));
    if (r->fault == BODY_NOT_OBJECT || r->fault == BODY_ABSENT)
        call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL, "%s",
                  r->fault == BODY_ABSENT
                      ? "Empty Payload. JSON content expected."
                      : "Unable to read JSON request payload. Please ensure Content-Type header is "
                        "set and payload is of valid JSON format.");
    else if (w == GRAPH_TODO || w == GRAPH_PLANNER)
        return fault_of_tasks(c, r);
    else if (r->fault == BODY_WORD)
        call_fail(c, SOSIA_E_INVALID, code, NULL, "Requested value '%.100s' was not found.",
                  r->value && r->value->type == JSON_STRING ? r->value->str : "");
    else if (w == GRAPH_DIRECTORY)
        call_fail(c, SOSIA_E_INVALID, code, NULL,
                  "Invalid value specified for property '%.60s' of resource '%c%s'.",
                  body_path(c, r->at), toupper((unsigned char)*type_of(r)), type_of(r) + 1);
    else if (w == GRAPH_OUTLOOK) /* MG-376 */
        call_fail(c, SOSIA_E_INVALID, "UnableToDeserializePostBody", NULL,
                  "were unable to deserialize ");
    else
        call_fail(c, SOSIA_E_INVALID, code, NULL,
                  "Cannot convert the value of '%s' to the expected type.", body_path(c, r->at));
    return BODY_REFUSE;
}

const struct body_rules *graph_body_rules(const struct call *c)
{
    static const struct body_rules rules = {
        .scalar = scalar, .spelled = spelled, .fault = fault, .closed = true};
    (void)c;
    return &rules;
}
