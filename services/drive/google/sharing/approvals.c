/* SPDX-License-Identifier: Apache-2.0 */
/* Approvals of files: started by writers, answered by the reviewers. */
#include "engine/text/civil.h"
#include "services/drive/google/sharing/ask.h"
#include "services/drive/google/content/convert.h"
#include "services/drive/google/scopes.h"

enum { MAX_APPROVALS = 100, MAX_REVIEWERS = 50, MAX_MESSAGE = 4096 };

static const char *const statuses[] = {"IN_PROGRESS", "APPROVED", "CANCELLED", "DECLINED"};
static const char *const responses[] = {"NO_RESPONSE", "APPROVED", "DECLINED"};

/* A user of whom the world may have only the address. */
static int write_reviewer(struct gdrive_view *v, const struct gdrive_reviewer *r)
{
    struct json_writer *w = v->c->out;
    struct actor who;
    json_obj(w, NULL);
    json_word(w, "kind", "drive#reviewerResponse");
    int known = actor_by_email(&v->c->tx, r->email, &who);
    if (known < 0 || (known && gdrive_write_user(v, "reviewer", who.id) < 0))
        return -1;
    if (!known) {
        json_obj(w, "reviewer");
        json_word(w, "kind", "drive#user");
        json_str(w, "displayName", r->email);
        json_bool(w, "me", false);
        json_str(w, "emailAddress", r->email);
        json_end(w);
    }
    json_word(w, "response", responses[r->response]);
    json_end(w);
    return 0;
}

static int write_approval(struct gdrive_view *v, const struct drive_item *it,
                          const struct gdrive_approval *a)
{
    struct json_writer *w = v->c->out;
    json_obj(w, NULL);
    json_word(w, "kind", "drive#approval");
    json_str(w, "approvalId", a->key);
    json_str(w, "targetFileId", it->key);
    json_time(w, "createTime", a->created_us, JSON_TIME_MS_Z);
    json_time(w, "modifyTime", a->modified_us, JSON_TIME_MS_Z);
    if (a->completed_us)
        json_time(w, "completeTime", a->completed_us, JSON_TIME_MS_Z);
    if (a->due_us)
        json_time(w, "dueTime", a->due_us, JSON_TIME_MS_Z);
    json_word(w, "status", statuses[a->status]);
    if (gdrive_write_user(v, "initiator", a->initiator) < 0)
        return -1;
    json_arr(w, "reviewerResponses");
    for (int i = 0; i < a->n_reviewers; i++)
        if (write_reviewer(v, &a->reviewers[i]) < 0)
            return -1;
    json_end(w);
    json_end(w);
    return 0;
}

static int invalid_approval(struct call *c, const char *member, const char *expected)
{
    call_why(c, "%s must be %s, not %s", member, expected,
             call_quote(c, json_get(c->body, member)));
    return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Invalid Value");
}

static int denied(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", NULL, "Permission denied");
}

/* The file and the approval of the path, for who sees the file. */
static int open_approval(struct call *c, struct gdrive_subject *s, struct gdrive_approval *ret)
{
    const char *id = param_str(c, "approvalId");
    if (gdrive_any_subject(c, param_str(c, "fileId"), s) < 0)
        return -1;
    if (s->access.role < ROLE_READER)
        return gdrive_insufficient(c);
    int r = gdrive_approval(&c->tx, s->item.id, id, ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "approvalId",
                               "Approval not found: %s.", id);
}

/* The message of a body, which some need. */
static int read_message(struct call *c, bool needed, const char **ret)
{
    const struct json *v = json_get(c->body, "message");
    *ret = v && v->type == JSON_STRING ? v->str : NULL;
    if ((v && v->type != JSON_STRING && v->type != JSON_NULL) || (*ret && v->n > MAX_MESSAGE))
        return invalid_approval(c, "message", "a text");
    if (needed && (!*ret || !**ret))
        return call_fail(c, SOSIA_E_INVALID, "required", NULL, "The message field is required.");
    return 0;
}

static int send_notice(struct gdrive_subject *s, const char *to, const char *what,
                       const char *message)
{
    struct call *c = s->view.c;
    struct letter l = {
        .from = GDRIVE_SHARES,
        .from_name = arena_printf(c->tx.arena, "%s (via Google Drive)", c->actor.name),
        .to = to,
        .subject = arena_printf(c->tx.arena, "%s: \"%s\"", what, s->item.name),
        .text =
            arena_printf(c->tx.arena, "%s (%s)\n%s: \"%s\"\n%s%s", c->actor.name, c->actor.email,
                         what, s->item.name, message ? message : "", message ? "\n" : ""),
    };
    return letter_send(&c->tx, &l);
}

static int notify_initiator(struct gdrive_subject *s, const struct gdrive_approval *a,
                            const char *what, const char *message)
{
    struct actor who;
    int r = actor_by_id(&s->view.c->tx, a->initiator, &who);
    if (r < 1 || who.id == s->view.c->actor.id)
        return r < 0 ? -1 : 0;
    return send_notice(s, who.email, what, message);
}

/* ---- reading ---- */

static int approvals_get(struct call *c)
{
    struct gdrive_subject s;
    struct gdrive_approval a;
    if (open_approval(c, &s, &a) < 0)
        return -1;
    return write_approval(&s.view, &s.item, &a);
}

static int approvals_list(struct call *c)
{
    struct gdrive_subject s;
    struct gdrive_approval *list;
    int64_t before = 0;
    size_t n;
    if (gdrive_any_subject(c, param_str(c, "fileId"), &s) < 0)
        return -1;
    if (s.access.role < ROLE_READER)
        return gdrive_insufficient(c);
    int64_t size = param_num(c, "pageSize", MAX_APPROVALS);
    size_t limit = size < 1 || size > MAX_APPROVALS ? MAX_APPROVALS : (size_t)size;
    if (google_page_number(c, 0, &before) < 0 ||
        gdrive_approvals_of(&c->tx, s.item.id, before, limit + 1, &list, &n) < 0)
        return -1;
    bool more = n > limit;
    json_obj(c->out, NULL);
    json_word(c->out, "kind", "drive#approvalList");
    if (s.view.all) { /* they are answered to whom asks for fields ("approvals.list") */
        json_arr(c->out, "items");
        for (size_t i = 0; i < n - more; i++)
            if (write_approval(&s.view, &s.item, &list[i]) < 0)
                return -1;
        json_end(c->out);
    }
    if (more)
        google_next_page(c, list[limit - 1].id);
    json_end(c->out);
    return 0;
}

/* ---- starting and reassigning ---- */

/* An address as reviewers have it; NULL with the call failed: it is none. */
static const char *reviewer_address(struct call *c, const struct json *v, const char *member)
{
    const char *who = NULL;
    struct actor person;
    int r = v && v->type == JSON_STRING ? gdrive_addressee(c, v->str, &who, &person) : 0;
    if (r < 0)
        return NULL;
    if (r == 2 || !who) {
        invalid_approval(c, member, "the address of a person");
        return NULL;
    }
    return who;
}

static bool is_reviewer(const struct gdrive_approval *a, const char *email, size_t *ret_at)
{
    for (int i = 0; i < a->n_reviewers; i++)
        if (strcmp(a->reviewers[i].email, email) == 0) {
            if (ret_at)
                *ret_at = i;
            return true;
        }
    return false;
}

static int read_reviewer_list(struct call *c, struct gdrive_approval *a)
{
    const struct json *v = json_get(c->body, "reviewerEmails");
    if (!v || v->type != JSON_ARRAY || !v->n || v->n > MAX_REVIEWERS)
        return invalid_approval(c, "reviewerEmails", "a list of addresses");
    a->reviewers = arena_calloc(c->tx.arena, v->n, sizeof *a->reviewers);
    for (uint32_t i = 0; i < v->n; i++) {
        const char *email = reviewer_address(c, &v->items[i], "reviewerEmails");
        if (!email)
            return -1;
        if (!is_reviewer(a, email, NULL))
            a->reviewers[a->n_reviewers++].email = email;
    }
    return 0;
}

static int read_due(struct call *c, struct gdrive_approval *a)
{
    const struct json *v = json_get(c->body, "dueTime");
    struct stamp at;
    if (!v || v->type == JSON_NULL)
        return 0;
    if (v->type != JSON_STRING || stamp_parse(v->str, v->n, false, &at) < 0)
        return invalid_approval(c, "dueTime", "a date with a time");
    a->due_us = at.local_us - at.offset * US_PER_SECOND;
    return a->due_us > c->tx.now_us ? 0 : invalid_approval(c, "dueTime", "in the future");
}

static int approvals_start(struct call *c)
{
    struct gdrive_subject s;
    struct gdrive_approval a = {0};
    if (gdrive_any_subject(c, param_str(c, "fileId"), &s) < 0 || gdrive_must(&s, CAN_EDIT) < 0)
        return -1;
    if (s.item.form == DRIVE_FOLDER || s.item.form == DRIVE_SHORTCUT)
        return call_fail(c, SOSIA_E_INVALID, "badRequest", NULL,
                         "Approvals are not supported for this item.");
    a.item = s.item.id;
    a.initiator = c->actor.id;
    a.locks = json_get_true(c->body, "lockFile");
    if (read_reviewer_list(c, &a) < 0 || read_due(c, &a) < 0 ||
        read_message(c, false, &a.message) < 0)
        return -1;
    int open = gdrive_approval_open(&c->tx, s.item.id);
    if (open)
        return open < 0 ? -1
                        : call_fail(c, SOSIA_E_INVALID, "failedPrecondition", NULL,
                                    "The file has an approval that is in progress.");
    if (gdrive_approval_save(&c->tx, &a) < 0)
        return -1;
    for (int i = 0; i < a.n_reviewers; i++)
        if (send_notice(&s, a.reviewers[i].email, "Approval requested", a.message) < 0)
            return -1;
    return write_approval(&s.view, &s.item, &a);
}

/* Who has started it and who may write into the file direct an approval that is under way. */
static int open_for_change(struct call *c, struct gdrive_subject *s, struct gdrive_approval *ret)
{
    if (open_approval(c, s, ret) < 0)
        return -1;
    if (ret->status != APPROVAL_OPEN || (ret->initiator != c->actor.id && !can(&s->cans, CAN_EDIT)))
        return denied(c);
    return 0;
}

static int replace_reviewer(struct call *c, struct gdrive_approval *a, const struct json *v)
{
    size_t at;
    const char *removed =
        reviewer_address(c, json_get(v, "removedReviewerEmail"), "replaceReviewers");
    const char *added =
        removed ? reviewer_address(c, json_get(v, "addedReviewerEmail"), "replaceReviewers") : NULL;
    if (!added)
        return -1;
    if (!is_reviewer(a, removed, &at) || a->reviewers[at].response != RESPONSE_NONE ||
        is_reviewer(a, added, NULL))
        return invalid_approval(c, "replaceReviewers",
                                "a reviewer who has not answered, and somebody who is none yet");
    a->reviewers[at].email = added;
    return 0;
}

static int approvals_reassign(struct call *c)
{
    struct gdrive_subject s;
    struct gdrive_approval a;
    const struct json *add = json_get(c->body, "addReviewers"),
                      *replace = json_get(c->body, "replaceReviewers");
    const char *message;
    if (open_for_change(c, &s, &a) < 0 || read_message(c, false, &message) < 0)
        return -1;
    size_t n_add = add && add->type == JSON_ARRAY ? add->n : 0,
           n_replace = replace && replace->type == JSON_ARRAY ? replace->n : 0;
    if ((!n_add && !n_replace) || n_add + (size_t)a.n_reviewers > MAX_REVIEWERS ||
        n_replace > MAX_REVIEWERS)
        return invalid_approval(c, "addReviewers", "some, and not too many");
    struct gdrive_reviewer *list =
        arena_calloc(c->tx.arena, (size_t)a.n_reviewers + n_add, sizeof *list);
    if (a.n_reviewers)
        memcpy(list, a.reviewers, (size_t)a.n_reviewers * sizeof *list);
    a.reviewers = list;
    for (size_t i = 0; i < n_replace; i++)
        if (replace_reviewer(c, &a, &replace->items[i]) < 0)
            return -1;
    for (size_t i = 0; i < n_add; i++) {
        const char *email =
            reviewer_address(c, json_get(&add->items[i], "addedReviewerEmail"), "addReviewers");
        if (!email)
            return -1;
        if (is_reviewer(&a, email, NULL))
            return invalid_approval(c, "addReviewers", "people who are no reviewers yet");
        a.reviewers[a.n_reviewers++].email = email;
    }
    if (gdrive_approval_save(&c->tx, &a) < 0)
        return -1;
    return write_approval(&s.view, &s.item, &a);
}

/* ---- answers ---- */

static int answer_approval(struct call *c, enum gdrive_response response)
{
    struct gdrive_subject s;
    struct gdrive_approval a;
    const char *message;
    if (open_approval(c, &s, &a) < 0 || read_message(c, false, &message) < 0)
        return -1;
    if (a.status != APPROVAL_OPEN || !c->actor.id || !is_reviewer(&a, c->actor.email, NULL))
        return denied(c);
    if (gdrive_approval_answer(&c->tx, &s.item, &a, c->actor.email, response) < 0 ||
        notify_initiator(&s, &a, response == RESPONSE_APPROVED ? "Approved" : "Declined", message) <
            0)
        return -1;
    return write_approval(&s.view, &s.item, &a);
}

static int approvals_approve(struct call *c)
{
    return answer_approval(c, RESPONSE_APPROVED);
}

static int approvals_decline(struct call *c)
{
    return answer_approval(c, RESPONSE_DECLINED);
}

static int approvals_cancel(struct call *c)
{
    struct gdrive_subject s;
    struct gdrive_approval a;
    const char *message;
    if (open_for_change(c, &s, &a) < 0 || read_message(c, false, &message) < 0)
        return -1;
    a.status = APPROVAL_CANCELLED;
    a.completed_us = c->tx.now_us;
    if (gdrive_approval_save(&c->tx, &a) < 0 ||
        notify_initiator(&s, &a, "Approval cancelled", message) < 0)
        return -1;
    return write_approval(&s.view, &s.item, &a);
}

static int approvals_comment(struct call *c)
{
    struct gdrive_subject s;
    struct gdrive_approval a;
    const char *message;
    if (open_approval(c, &s, &a) < 0 || read_message(c, true, &message) < 0)
        return -1;
    if (a.status != APPROVAL_OPEN ||
        (a.initiator != c->actor.id && !is_reviewer(&a, c->actor.email, NULL) &&
         !can(&s.cans, CAN_EDIT)))
        return denied(c);
    if (gdrive_approval_save(&c->tx, &a) < 0 ||
        notify_initiator(&s, &a, "Comment on an approval", message) < 0)
        return -1;
    for (int i = 0; i < a.n_reviewers; i++)
        if (strcmp(a.reviewers[i].email, c->actor.email) != 0 &&
            send_notice(&s, a.reviewers[i].email, "Comment on an approval", message) < 0)
            return -1;
    return write_approval(&s.view, &s.item, &a);
}

/* ---- rows ---- */

static const struct param approval_params[] = {
    {.name = "approvalId", .place = IN_PATH, .required = true},
    GDRIVE_FILE_ID,
};
static const struct param approvals_params[] = {
    GDRIVE_FILE_ID,
    {.name = "pageSize", .place = IN_QUERY, .type = PARAM_INT, .format = "int32"},
    {.name = "pageToken", .place = IN_QUERY},
};
static const struct param start_params[] = {GDRIVE_FILE_ID};

#define APPROVAL_READERS DRIVE " " FILE_SCOPE " " METADATA " " METADATA_READONLY " " READONLY

#define CHANGE(verb, does, asks, says)                                                             \
    {                                                                                              \
        .id = "drive.approvals." verb, .verbs = POST,                                              \
        .paths = PATHS("/drive/v3/files/{fileId}/approvals/{approvalId}:" verb), .handler = does,  \
        .risk = RISK_EXTERNAL, .body = BODY_JSON_OPTIONAL, .scopes = DRIVE " " FILE_SCOPE,         \
        PARAMS(approval_params), .request = asks, .response = "Approval", .summary = says          \
    }

static const struct route methods[] = {
    CHANGE("approve", approvals_approve, "ApproveApprovalRequest", "Approve a file, as a reviewer"),
    CHANGE("cancel", approvals_cancel, "CancelApprovalRequest", "End an approval without a result"),
    CHANGE("comment", approvals_comment, "CommentApprovalRequest", "Say something on an approval"),
    CHANGE("decline", approvals_decline, "DeclineApprovalRequest", "Decline a file, as a reviewer"),
    {ROUTE("drive.approvals.get", GET, "/drive/v3/files/{fileId}/approvals/{approvalId}"),
     .handler = approvals_get, .risk = RISK_READ, .scopes = APPROVAL_READERS,
     PARAMS(approval_params), .response = "Approval", .summary = "One approval"},
    {ROUTE("drive.approvals.list", GET, "/drive/v3/files/{fileId}/approvals"),
     .handler = approvals_list, .risk = RISK_READ, .scopes = APPROVAL_READERS,
     PARAMS(approvals_params), .response = "ApprovalList", .summary = "The approvals of a file"},
    CHANGE("reassign", approvals_reassign, "ReassignApprovalRequest",
           "Add reviewers, or others in the place of some"),
    {ROUTE("drive.approvals.start", POST, "/drive/v3/files/{fileId}/approvals:start"),
     .handler = approvals_start, .risk = RISK_EXTERNAL, .body = BODY_JSON,
     .scopes = DRIVE " " FILE_SCOPE, PARAMS(start_params), .request = "StartApprovalRequest",
     .response = "Approval", .summary = "Ask reviewers to approve a file"},
};

const struct rows gdrive_approvals = ROWS(methods);
