/* SPDX-License-Identifier: Apache-2.0 */
/* Gmail API v1: the tables of its methods, and what is common to them. */
#include "services/mail/gmail/glossary.h"
#include "services/mail/gmail/rows.h"
#include "engine/base/codec.h"
#include "services/mail/gmail/schema.h"
#include <ctype.h>

static const struct google_scope scopes[] = {
    {MAIL, "Read, write, send and delete all mail"},
    {ADDON_COMPOSE, "Manage drafts and send mail while an add-on is used"},
    {ADDON_ACTION, "See messages while an add-on is used"},
    {ADDON_METADATA, "See the heads of messages while an add-on runs"},
    {ADDON_READONLY, "See messages while an add-on runs"},
    {COMPOSE, "Manage drafts and send mail"},
    {INSERT, "Add messages to the mailbox"},
    {LABELS, "See and change labels"},
    {METADATA, "See the heads of messages and labels, not their contents"},
    {MODIFY, "Read, write and send mail"},
    {READONLY, "See messages and settings"},
    {SEND, "Send mail"},
    {SETTINGS_BASIC, "See and change settings and filters"},
    {SETTINGS_SHARING, "Change settings of who has access"},
};

/* "gmail.users.messages.batchModify" as "BatchModifyMessages": the verb, then the resource, which
 * is one unless it is a list or a batch. Methods without a resource are their own names. */
static const char *method_name(struct arena *a, const struct route *r)
{
    const char *verb = strrchr(r->id, '.') + 1, *resource = verb - 1;
    while (resource > r->id && resource[-1] != '.')
        resource--;
    int n = (int)(verb - 1 - resource);
    bool many = str_starts(verb, "list") || str_starts(verb, "batch") || n < 2 ||
                resource[n - 1] != 's' || resource[n - 2] == 'A';
    if (strncmp(resource, "users", 5) == 0 || strncmp(resource, "settings", 8) == 0)
        n = 0;
    else if (!many)
        n--;
    char *name = arena_printf(a, "%s%.*s", verb, n, resource);
    if (arena_failed(a))
        return "";
    name[0] = (char)toupper((unsigned char)name[0]);
    if (n)
        name[strlen(verb)] = (char)toupper((unsigned char)name[strlen(verb)]);
    return name;
}

static const struct google_api api = {
    .name = "gmail",
    .version = "v1",
    .title = "Gmail API",
    .summary = "Mailboxes: messages, threads, drafts, labels, settings",
    .service_path = "",
    .path_prefix = "gmail/v1/",
    .batch_path = "batch",
    .batch_max = 100,
    .service = "gmail.googleapis.com",
    .method_prefix = "caribou.api.proto.MailboxService.",
    .method_name = method_name,
    .type_prefix = "caribou.api.proto.",
    .envelope = GOOGLE_STATUS,
    .strict = true,
    .scopes = scopes,
    .n_scopes = SOSIA_LEN(scopes),
};

static const char *const prefixes[] = {"/gmail/v1", NULL};

/* The quotas of projects since May 2026, in units; what a method costs is in its row. */
static const struct rate_class rates[] = {
    {"Queries per minute per user", true, 6000, INT64_C(60000000)},
    {"Queries per minute", false, 1200000, INT64_C(60000000)},
    {0},
};

const struct dialect gmail_dialect = {
    .name = "mail.gmail",
    .title = "Gmail API v1",
    .vendor = &google_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&gmail_drafts_rows, &gmail_profile_rows, &gmail_history_rows,
                     &gmail_labels_rows, &gmail_messages_rows, &gmail_identities_rows,
                     &gmail_keypairs_rows, &gmail_delegates_rows, &gmail_filters_rows,
                     &gmail_forwarding_addresses_rows, &gmail_smime_rows, &gmail_send_as_rows,
                     &gmail_settings_rows, &gmail_threads_rows, &gmail_watch_rows),
    .schemas = gmail_schemas,
    .n_schemas = SOSIA_LEN(gmail_schemas),
    .glossary = glossary,
    .n_glossary = SOSIA_LEN(glossary),
    .rates = rates,
    .methods = gmail_methods,
    .facts = &api,
    .tools = &gmail_tools,
};
