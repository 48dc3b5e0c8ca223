/* SPDX-License-Identifier: Apache-2.0 */
/* What an app answered to something that a person did. */
#include "services/chat/slack/push.h"

int sl_answered(struct tx *tx, const struct sl_answer *a)
{
    (void)tx;
    (void)a;
    return 0;
}

int sl_answer_complete(struct call *c, const struct sl_answer *a)
{
    if (!a->good)
        return slack_fail(c, a->failure);
    return slack_ok(c);
}
