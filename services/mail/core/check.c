/* SPDX-License-Identifier: Apache-2.0 */
/* What rows of mailboxes must keep to besides their tables' constraints, for imported worlds. */
#include "services/mail/core/check.h"

#define NO_COUNT(column)   column " not between 0 and 1099511627776"
#define NO_SECONDS(column) column " not between -62135596800 and 253402300799"

const struct core_rule mail_rules[] = {
    {"mailbox", NO_COUNT("labels")},
    {"mailbox", NO_COUNT("messages")},
    {"mailbox", NO_COUNT("threads")},
    {"mailbox", NO_COUNT("change")},
    {"mailbox", NO_COUNT("floor")},
    {"label", "id >> 24 <> mailbox"},
    {"label", "list_view not between 0 and 2"},
    {"label", "message_view not between 0 and 1"},
    {"label", NO_COUNT("messages")},
    {"label", NO_COUNT("unread")},
    {"label", NO_COUNT("threads")},
    {"label", NO_COUNT("unread_threads")},
    {"content", NO_COUNT("size")},
    {"content", NO_COUNT("refs")},
    {"blob", NO_COUNT("refs")},
    {"message", "id >> 47 <> mailbox"},
    {"message", "key < 0"},
    {"message", "flags not between 0 and 4294967295"},
    {"message", "has not between 0 and 4294967295"},
    {"message", NO_SECONDS("at")},
    {"message", NO_COUNT("size")},
    {"message", NO_COUNT("change")},
    {"message", "exists (select 1 from thread t where t.id = message.thread and "
                "t.mailbox <> message.mailbox)"},
    {"thread", "key < 0"},
    {"thread", NO_COUNT("messages")},
    {"thread", NO_COUNT("change")},
    {"thread_label", NO_COUNT("messages")},
    {"thread_label", NO_COUNT("unread")},
    {"mail_change", "kind not between 1 and 4"},
    {"mail_change", "flags not between 0 and 4294967295"},
    {NULL, NULL},
};
