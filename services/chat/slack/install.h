/* SPDX-License-Identifier: Apache-2.0 */
/* Apps in workspaces: putting them there with their bots, and their tokens. */
#ifndef SOSIA_SL_INSTALL_H
#define SOSIA_SL_INSTALL_H

#include "services/chat/core/chat.h"

/* The app's bot as a member of a workspace, made where it is not there or has left; id 0: the app's
 * manifest has none, nor has the app. */
int sl_app_bot(struct tx *tx, struct ident_app *app, const struct chat_app *a,
               const struct chat_workspace *w, struct chat_user *ret);

#endif
