/* SPDX-License-Identifier: Apache-2.0 */
/* Whose mailbox a path means, who may use it, and refusals of the core in Graph's words. */
#include "engine/base/codec.h"
#include "identity/account.h"
#include "services/mail/outlook/again.h"
#include "services/mail/outlook/rows.h"
#include "vendors/microsoft/store_id.h"

static int box_of(struct tx *tx, const struct mailbox *mb, const struct graph_user *user,
                  struct outlook_box *ret)
{
    struct graph_store store;
    *ret = (struct outlook_box){.mailbox = *mb, .user = *user};
    graph_store_of(tx->arena, ret->user.tenant, mb->email, &store);
    memcpy(ret->guid, store.mailbox, sizeof store.mailbox);
    memcpy(ret->provider, store.provider, sizeof ret->provider);
    memcpy(ret->store, store.replica, sizeof ret->store);
    ret->again = arena_calloc(tx->arena, 1, sizeof *ret->again);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

int outlook_box_of(struct tx *tx, const struct mailbox *mb, struct outlook_box *ret)
{
    struct graph_user user;
    struct account account;
    struct actor actor;
    return account_get(tx, mb->account, &account) != 1 || actor_by_id(tx, mb->actor, &actor) != 1 ||
                   graph_user_of(tx, &account, &actor, &user) < 0
               ? -1
               : box_of(tx, mb, &user, ret);
}

/* Does a token whose permissions are those of mail reach other people's mailboxes? */
static bool is_shared_token(const struct call *c, enum outlook_need need)
{
    static const char own[] = "Mail.ReadBasic Mail.Read Mail.ReadWrite Mail.Send";
    static const char *const shared[] = {[OUTLOOK_READ] = "Mail.Read.Shared Mail.ReadWrite.Shared",
                                         [OUTLOOK_WRITE] = "Mail.ReadWrite.Shared",
                                         [OUTLOOK_SEND] = "Mail.Send.Shared",
                                         [OUTLOOK_SEND_STORED] = "Mail.Send.Shared"};
    return call_has_scope(c, shared[need]) || !call_uses_scope(c, own);
}

/* What the caller may do in another person's mailbox. 0, -1. */
static int check_shared(struct call *c, struct outlook_box *b, enum outlook_need need)
{
    struct kept s;
    if (!is_shared_token(c, need))
        return graph_denied(c);
    int r = mail_kept_get(&c->tx, &outlook_settings, b->mailbox.id, SETTING_DELEGATE,
                          c->actor.email, &s);
    if (r < 0)
        return -1;
    const bool opens = r == 1 && json_get_true(s.value, "fullAccess");
    const bool as = r == 1 && json_get_true(s.value, "sendAs");
    b->on_behalf = r == 1 && !as && json_get_true(s.value, "sendOnBehalf");
    if (need != OUTLOOK_SEND && !opens)
        return graph_denied(c);
    if ((need == OUTLOOK_SEND || need == OUTLOOK_SEND_STORED) && !as && !b->on_behalf)
        return call_fail(c, SOSIA_E_FORBIDDEN, "ErrorSendAsDenied", NULL,
                         "The user account which was used to submit this request does not have the "
                         "right to send mail on behalf of the specified sending account., Cannot "
                         "submit message.");
    return 0;
}

int outlook_open(struct call *c, enum outlook_need need, struct outlook_box *ret)
{
    const char *id = graph_prefer(c, "IdType"),
               *type = graph_prefer(c, "outlook.body-content-type");
    struct graph_user user;
    struct mailbox mb;
    if (graph_whose(c, ACCOUNT_MAIL, &user) < 0)
        return -1;
    int r = mailbox_of_account(&c->tx, user.account.id, &mb);
    if (r != 1)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_NOT_FOUND, "MailboxNotEnabledForRESTAPI", NULL,
                                 "The mailbox is either inactive, soft-deleted, or is hosted "
                                 "on-premise.");
    if (box_of(&c->tx, &mb, &user, ret) < 0)
        return -1;
    ret->shared = user.actor.id != c->actor.id && !graph_app_only(c);
    if (ret->shared && check_shared(c, ret, need) < 0)
        return -1;
    ret->basic = outlook_is_basic(c);
    ret->immutable = id && str_eq_nocase(id, "ImmutableId");
    if (ret->immutable)
        graph_applied(c, "IdType", "ImmutableId", true);
    ret->text = type && str_eq_nocase(type, "text");
    ret->html = type && str_eq_nocase(type, "html");
    if (ret->text || ret->html)
        graph_applied(c, "outlook.body-content-type", ret->text ? "text" : "html", true);
    return 0;
}

bool outlook_is_basic(const struct call *c)
{
    return !call_has_scope(c, READ SHARED) && call_uses_scope(c, BASIC);
}

const char *outlook_root(struct call *c, const struct outlook_box *b)
{
    return ARENA_JOIN(c->tx.arena, "users", graph_key(c->tx.arena, b->user.key));
}

int outlook_refused(struct call *c)
{
    struct sosia_err *e = c->tx.err;
    const char *reason = e->reason ? e->reason : "";
    if (strcmp(reason, "noRecipient") == 0)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRecipients", NULL,
                         "At least one recipient is not valid., A message can't be sent because it "
                         "contains no recipients.");
    if (strcmp(reason, "badRecipient") == 0)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRecipients", NULL,
                         "At least one recipient is not valid., Recipient isn't resolved. All "
                         "recipients must be resolved before a message can be submitted.");
    if (e->code == SOSIA_E_TOO_LARGE)
        return call_fail(c, SOSIA_E_TOO_LARGE, "ErrorMessageSizeExceeded", NULL,
                         "The message exceeds the maximum supported size.");
    if (strcmp(reason, "labelExists") == 0)
        return call_fail(c, SOSIA_E_CONFLICT, "ErrorFolderExists", NULL,
                         "A folder with the specified name already exists.");
    if (strcmp(reason, "labelName") == 0)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "The folder's display name is invalid.");
    if (strcmp(reason, "parent") == 0)
        return call_fail(c, SOSIA_E_INVALID, "ErrorMoveCopyFailed", NULL,
                         "The folder can't be moved there.");
    if (strcmp(reason, "tooManyLabels") == 0)
        return call_fail(c, SOSIA_E_INVALID, "ErrorQuotaExceeded", NULL,
                         "The mailbox has as many folders as it may.");
    if (strcmp(reason, "tooComplex") == 0)
        return call_fail(c, SOSIA_E_INVALID, "InefficientFilter", NULL,
                         "The restriction or sort order is too complex for this operation.");
    if (e->code == SOSIA_E_NOT_FOUND && strcmp(reason, "tooOld") == 0)
        return call_fail(c, SOSIA_E_GONE, "SyncStateNotFound", NULL,
                         "The sync state generation is not found.");
    return -1;
}
