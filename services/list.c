/* SPDX-License-Identifier: Apache-2.0 */
/* All services. A new one: its line here, its folder, its line in services/meson.build. */
#include "engine/service.h"
#include "identity/identity.h"
#include "services/calendar/core/calendar.h"
#include "services/calendar/google/gcal.h"
#include "vendors/google/google.h"
#include "vendors/google/signin/oauth.h"
#include "services/mail/core/mail.h"
#include "services/mail/gmail/gmail.h"

const struct sosia_core *const sosia_cores[] = {
    &world_core,        &identity_core, &google_core,
    &google_oauth_core, &calendar_core, &calendar_google_core,
    &mail_core,         &gmail_core,    NULL,
};

const struct dialect *const sosia_dialects[] = {
    &google_dialect_common,
    &google_oauth_dialect,
    &google_oauth2_dialect,
    &calendar_google,
    &gmail_dialect,
    &gmail_pages,
    NULL,
};
