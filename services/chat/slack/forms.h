/* SPDX-License-Identifier: Apache-2.0 */
/* The members of sections whose readers are among those of store.h. */
#ifndef SOSIA_SLACK_FORMS_H
#define SOSIA_SLACK_FORMS_H

#include "engine/state/form.h"

extern const struct form chat_app_form;

#endif
