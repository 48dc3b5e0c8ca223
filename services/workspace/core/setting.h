/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of programs on a world's workspace: the section "programs" of its document. */
#ifndef SOSIA_WORKSPACE_SETTING_H
#define SOSIA_WORKSPACE_SETTING_H

#include "services/workspace/core/workspace.h"

/* Rules of the tool server "terminal". */
struct workspace_terminal {
    bool all_commands, all_flags, operators;
    const char *const *commands, *const *flags; /* by their bytes; NULL ends them */
    int64_t length, seconds, output;            /* of a command; bytes of each stream */
};
int workspace_terminal_rules(struct tx *tx, struct workspace_terminal *ret);

/* In whose name git commits where a repository does not say it. */
struct workspace_git {
    const char *name, *email;
};
int workspace_git_author(struct tx *tx, struct workspace_git *ret);

/* What a program may take; 0: as much as the machine's keeper lets each have. */
struct workspace_limits {
    int64_t seconds;                       /* the longest time */
    int64_t memory, data, temporary, home; /* bytes; of a process, and of directories */
    int64_t files, processes, descriptors, output;
};
int workspace_limits(struct tx *tx, struct workspace_limits *ret);

/* Whether processes go on between calls, of tools that have some: 1, 0, -1. */
int workspace_processes(struct tx *tx);

/* What the tools of a desktop are set to: an object of their own members, without those that are as
 * usual. In the arena. */
#define WORKSPACE_DESKTOP 65536 /* bytes of its text */
int workspace_desktop(struct tx *tx, const struct json **ret);
/* text: such an object, borrowed until the transaction is over; NULL: all is as usual. 0, -1. */
int workspace_set_desktop(struct tx *tx, const char *text);

/* Which credentials of the services a program gets. */
struct program_services {
    const char *actor;       /* address of who acts; "": nobody */
    const char *scopes;      /* of the token; "": all */
    const char *credentials; /* kinds of further ones, with commas between them */
};
int workspace_services(struct tx *tx, struct program_services *ret);

#endif
