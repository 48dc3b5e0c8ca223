/* SPDX-License-Identifier: Apache-2.0 */
/* A file that an argument names. */
#include "services/chat/slack/files/files.h"

int sl_file_arg(struct call *c, const char *name, const char *deleted, struct chat_file *ret)
{
    int r = chat_file_find(&c->tx, sl_me(c)->workspace.id, param_str(c, name), ret);
    if (r == 1 && ret->state == CHAT_FILE_DELETED)
        return slack_fail(c, deleted);
    if (r == 1)
        r = ret->state == CHAT_FILE_THERE ? chat_can_see_file(&c->tx, ret, &sl_me(c)->user) : 0;
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "file_not_found");
}
