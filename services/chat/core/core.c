/* SPDX-License-Identifier: Apache-2.0 */
/* The chat core, as the engine sees it. */
#include "services/chat/core/corpus.h"
#include "services/chat/core/impl.h"

extern const char chat_sql[];

static int due(struct tx *tx, const char *kind, int64_t ref)
{
    return strcmp(kind, "scheduled") == 0 ? chat_scheduled_post(tx, ref) : chat_remind(tx, ref);
}

static int derive(struct tx *tx)
{
    return chat_files_derive(tx) < 0 ? -1 : chat_derive(tx);
}

static const struct section sections[] = {
    {"workspaces", chat_workspaces_seed, chat_workspaces_dump},
    {"channels", chat_channels_seed, chat_channels_dump},
    {"chatFiles", chat_files_seed, chat_files_dump},
    {"messages", chat_messages_seed, chat_messages_dump},
};

const struct sosia_core chat_core = {
    .name = CHAT_CORE,
    .schema = chat_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = chat_entities,
    .n_entities = CHAT_ENTITIES,
    .due = due,
    .rules = chat_rules,
    .derive = derive,
};
